//! What the tests of the driver share.

use std::sync::{Arc, LazyLock, Weak};
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::Mutex;

pub use waldo_devices::Device;

use super::site::Site;
use waldo_devices::{
    Action, Capture, Deadline, Effect, Element, GuardPolicy, Observation, OriginRule, ResetTo, StateProbe,
    StateValue,
};
use waldo_web::{Browser, BrowserOptions, WebDevice, WebOptions};

pub fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

/// The browser that the tests of this program share while one of them has it: a start takes longer than most tests,
/// and what one device does is nothing that another sees. It runs on a runtime of its own, as a test's ends with it.
pub async fn launch() -> Arc<Browser> {
    static SHARED: Mutex<Weak<Browser>> = Mutex::const_new(Weak::new());
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
    let mut shared = SHARED.lock().await;
    if let Some(browser) = shared.upgrade() {
        return browser;
    }
    let browser = Arc::new(RUNTIME.spawn(launch_own()).await.unwrap());
    *shared = Arc::downgrade(&browser);
    browser
}

pub async fn launch_own() -> Browser {
    Browser::launch(&BrowserOptions::default(), soon()).await.unwrap()
}

pub fn profile(browser: &Browser) -> std::path::PathBuf {
    let line = std::fs::read_to_string(format!("/proc/{}/cmdline", browser.pid().unwrap())).unwrap();
    line.split('\0').find_map(|arg| arg.strip_prefix("--user-data-dir=")).unwrap().into()
}

/// The DevTools address of a browser that was started with a port; its profile names it.
pub fn address(host: &Browser) -> String {
    let port_file = profile(host).join("DevToolsActivePort");
    let end = Instant::now() + Duration::from_secs(20);
    let port = loop {
        match std::fs::read_to_string(&port_file) {
            Ok(text) if text.lines().count() == 2 => break text,
            _ => assert!(Instant::now() < end, "no port"),
        }
    };
    let (port, path) = port.split_once('\n').unwrap();
    format!("ws://127.0.0.1:{port}{}", path.trim())
}

pub fn policy(origins: &[&Site]) -> GuardPolicy {
    GuardPolicy {
        origins: origins.iter().map(|site| OriginRule::parse(&site.origin()).unwrap()).collect(),
        ..GuardPolicy::default()
    }
}

pub fn to(start: &str, origins: &[&Site]) -> ResetTo {
    ResetTo { start: start.to_owned(), policy: policy(origins), ..ResetTo::default() }
}

/// A device of `browser` that has begun an episode.
pub async fn begun(browser: &Browser, options: &WebOptions, to: &ResetTo) -> WebDevice {
    let mut device = browser.new_device(options).unwrap();
    device.reset(to, soon()).await.unwrap();
    device
}

pub async fn open(browser: &Browser, html: &str) -> (Site, WebDevice) {
    let site = Site::start();
    let start = site.page("/", html);
    let device = begun(browser, &WebOptions::default(), &to(&start, &[&site])).await;
    (site, device)
}

/// The same of the shared browser, which stays while the first of these is held.
pub async fn opened(html: &str) -> (Arc<Browser>, Site, WebDevice) {
    let browser = launch().await;
    let (site, device) = open(&browser, html).await;
    (browser, site, device)
}

pub async fn see(device: &mut WebDevice) -> Observation {
    device.observe(Capture::All, soon()).await.unwrap()
}

pub async fn until(device: &mut WebDevice, wanted: impl Fn(&Observation) -> bool) -> Observation {
    let end = Instant::now() + Duration::from_secs(120);
    loop {
        let seen = see(device).await;
        if wanted(&seen) {
            return seen;
        }
        assert!(Instant::now() < end, "never: {:?} {:?}", seen.context, names(&seen));
    }
}

pub fn named<'a>(seen: &'a Observation, name: &str) -> &'a Element {
    seen.elements
        .iter()
        .find(|element| element.name == name)
        .unwrap_or_else(|| panic!("no '{name}' in {:#?}", names(seen)))
}

pub fn assert_notice(seen: &Observation, words: &str) {
    assert!(seen.context.notices.iter().any(|notice| notice.contains(words)), "{:?}", seen.context.notices);
}

pub fn names(seen: &Observation) -> Vec<String> {
    seen.elements.iter().map(|e| format!("{} '{}'", e.role.as_str(), e.name)).collect()
}

pub async fn act(device: &mut WebDevice, action: Action) -> Effect {
    device.perform(&action, soon()).await.unwrap().effect
}

pub async fn tap(device: &mut WebDevice, element: &Element) -> Effect {
    act(device, Action::tap(element.hit)).await
}

/// Looks, and taps what has this name.
pub async fn press(device: &mut WebDevice, name: &str) -> Effect {
    let seen = see(device).await;
    tap(device, named(&seen, name)).await
}

pub async fn js(device: &mut WebDevice, script: &str) -> serde_json::Value {
    match device.probe(&StateProbe::Js(script.to_owned()), soon()).await.unwrap() {
        StateValue::Json(value) => value,
        other => panic!("{other:?}"),
    }
}

pub fn confirmed(effect: &Effect) -> &str {
    match effect {
        Effect::Confirmed { evidence } => evidence,
        other => panic!("{other:?}"),
    }
}

//! Devices, browsers and their ends.

use std::time::{Duration, Instant};

use super::processes::members;
use super::site::Site;
use super::support::*;
use waldo_devices::{Action, Capture, DeviceError, ResetTo, Settled};
use waldo_web::{Browser, BrowserOptions, BrowserPages, Contexts, Secrets, Viewport, WebOptions};

#[tokio::test(flavor = "multi_thread")]
async fn settling_waits_for_what_comes_and_no_longer() {
    let (_browser, _site, mut device) = opened(
        r#"<button onclick="fetch('/slow/300').then(()=>{out.textContent='late'})">Load</button>
        <button onclick="fetch('/fresh').then(()=>{out.textContent='told'})">Tell</button>
        <button onclick="spin=()=>{out.textContent=Math.random()};setInterval(spin,5);(frame=()=>{spin();requestAnimationFrame(frame)})()">Spin</button><p id=out>"#,
    )
    .await;
    let first = see(&mut device).await;
    let quiet = see(&mut device).await;
    assert!(quiet.timings.settle < Duration::from_secs(1), "{:?}", quiet.timings);
    confirmed(&tap(&mut device, named(&first, "Load")).await);
    let seen = see(&mut device).await;
    assert_eq!(seen.settled, Settled::Quiet);
    assert_eq!(js(&mut device, "out.textContent").await, "late");
    // The answer's content is neither read nor kept: the browser never calls such a request finished.
    confirmed(&tap(&mut device, named(&first, "Tell")).await);
    assert_eq!(see(&mut device).await.settled, Settled::Quiet);
    assert_eq!(js(&mut device, "out.textContent").await, "told");
    tap(&mut device, named(&first, "Spin")).await;
    let seen = see(&mut device).await;
    assert_eq!(seen.settled, Settled::StillMoving);
    assert!(seen.timings.settle < Duration::from_secs(8), "{:?}", seen.timings);
}

#[tokio::test(flavor = "multi_thread")]
async fn devices_share_a_browser_and_nothing_else() {
    let browser = launch().await;
    let site = Site::start();
    let start = site.page(
        "/",
        "<input aria-label=Pin><script>document.title=localStorage.x||'empty';localStorage.x='full'</script>",
    );
    let viewport = Viewport { width: 640, height: 480, scale: 2.0 };
    let secrets = Secrets::new([("pin".to_owned(), "hunter22".to_owned())]);
    let options = WebOptions { viewport, secrets, ..WebOptions::default() };
    let (mut a, mut b) = (browser.new_device(&options).unwrap(), browser.new_device(&options).unwrap());
    let reset = to(&start, &[&site]);
    let (ra, rb) = tokio::join!(a.reset(&reset, soon()), b.reset(&reset, soon()));
    ra.and(rb).unwrap();
    let (sa, sb) = (see(&mut a).await, see(&mut b).await);
    assert_eq!((sa.context.title.as_str(), sb.context.title.as_str()), ("empty", "empty"));
    assert_eq!(sa.picture.size(), (1280, 960));
    tap(&mut a, named(&sa, "Pin")).await;
    confirmed(&act(&mut a, Action::TypeSecret { name: "pin".to_owned() }).await);
    assert_eq!(js(&mut a, "document.querySelector('input').value").await, "hunter22");
    assert_eq!(named(&see(&mut a).await, "Pin").value.as_deref(), Some("••••"));
    let unknown = a.perform(&Action::TypeSecret { name: "pan".to_owned() }, soon()).await.unwrap_err();
    assert!(unknown.to_string().contains("there is pin"), "{unknown}");
    a.reset(&reset, soon()).await.unwrap();
    assert_eq!(see(&mut a).await.context.title, "empty");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_download_is_told_to_the_device_whose_page_began_it() {
    let browser = launch().await;
    let site = Site::start();
    let folder = tempfile::tempdir().unwrap();
    site.page("/frame", "<a href=/file>Framed</a>");
    let page = "<a href=/file>Get</a><a href=/file target=_blank>Apart</a><iframe src=/frame></iframe>";
    let downloads = Some(folder.path().to_owned());
    let reset = ResetTo { downloads, ..to(&site.page("/", page), &[&site]) };
    let mut a = begun(&browser, &WebOptions::default(), &reset).await;
    let mut b = begun(&browser, &WebOptions::default(), &reset).await;
    for (count, name) in (1..).zip(["Get", "Framed", "Apart"]) {
        confirmed(&press(&mut a, name).await);
        let end = Instant::now() + Duration::from_secs(10);
        while see(&mut a).await.context.downloads.iter().filter(|download| download.done).count() < count {
            assert!(Instant::now() < end, "{name} is not downloaded");
        }
    }
    // By now the browser has said all of it to both.
    assert!(see(&mut b).await.context.downloads.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_dies_is_gone_at_once_and_leaves_nothing() {
    let browser = launch_own().await;
    let (_site, mut device) = open(&browser, "<button>Hi</button>").await;
    see(&mut device).await;
    let pid = browser.pid().unwrap();
    let raw = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(raw, rustix::process::Signal::KILL).unwrap();
    let started = Instant::now();
    let error = device.observe(Capture::All, soon()).await.unwrap_err();
    assert!(matches!(error, DeviceError::Gone { .. }), "{error}");
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(!browser.is_alive());
    assert!(browser.new_device(&WebOptions::default()).is_err());
}

/// Waits until no process of a group is left.
fn ends(group: u32) {
    let end = Instant::now() + Duration::from_secs(15);
    while members(group) > 0 {
        assert!(Instant::now() < end, "{} processes are left", members(group));
        std::thread::yield_now();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_the_last_handle_ends_the_whole_group() {
    let browser = launch_own().await;
    let (_site, mut device) = open(&browser, "<button>Hi</button>").await;
    see(&mut device).await;
    let group = browser.pid().unwrap();
    assert!(members(group) > 1);
    drop(browser);
    assert!(members(group) > 1);
    drop(device);
    ends(group);
}

/// A browser that listens on a port besides its pipe; its profile names the port.
async fn launch_with_port() -> Browser {
    let args = vec!["--remote-debugging-port=0".to_owned()];
    Browser::launch(&BrowserOptions { args, ..BrowserOptions::default() }, soon()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_runs_already_can_be_joined() {
    let host = launch_with_port().await;
    let joined = Browser::connect(&address(&host), soon()).await.unwrap();
    let (_site, mut device) = open(&joined, "<button>Hi</button>").await;
    named(&see(&mut device).await, "Hi");
    drop((device, joined));
    assert!(host.is_alive());
    assert!(Browser::connect("ws://127.0.0.1:1/", soon()).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_context_that_was_made_ahead_is_an_episodes_own() {
    let browser = launch_with_port().await;
    let pages = BrowserPages::connect(&address(&browser), soon()).await.unwrap();
    let foreign = Site::start();
    let site = Site::start();
    let start = site.page(
        "/",
        format!(
            "<a download=note.txt href='data:text/plain,kept'>Keep</a><script>document.title = `${{globalThis.told ?? 'untold'}}
            ${{localStorage.x ?? 'empty'}} ${{innerWidth}}`; localStorage.x = 'full'; fetch('{}').catch(() => 0)</script>",
            foreign.origin()
        ),
    );
    let options = WebOptions { contexts: Contexts::Ahead, ..WebOptions::default() };
    let mut first = begun(&browser, &options, &to(&start, &[&site, &foreign])).await;
    assert_eq!(see(&mut first).await.context.title, "untold empty 1280");
    assert_eq!(foreign.connections(), 1);
    let end = Instant::now() + Duration::from_secs(15);
    let ahead = loop {
        let open = pages.list(soon()).await.unwrap();
        if let Some(empty) = open.iter().find(|page| page.url == "about:blank") {
            break empty.id.clone();
        }
        assert!(Instant::now() < end, "no context was made ahead: {open:?}");
    };
    // What it keeps to is of the one it was given to.
    let mut second = browser.new_device(&options).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let init_script = Some("globalThis.told = 'told'".to_owned());
    let downloads = Some(folder.path().to_owned());
    let told = ResetTo { init_script, downloads, ..to(&start, &[&site]) };
    second.reset(&told, soon()).await.unwrap();
    let seen = see(&mut second).await;
    assert_eq!(seen.context.title, "told empty 1280");
    assert_eq!(seen.context.blocked, [foreign.origin()]);
    assert_eq!(foreign.connections(), 1);
    assert!(pages.list(soon()).await.unwrap().iter().any(|page| page.id == ahead && page.url == start));
    tap(&mut second, named(&seen, "Keep")).await;
    while see(&mut second).await.context.downloads.iter().all(|download| !download.done) {
        assert!(Instant::now() < end + Duration::from_secs(15), "no download");
    }
    // One of another size is made anew.
    let other = Viewport { width: 640, ..Viewport::default() };
    let mut third = begun(&browser, &WebOptions { viewport: other, ..options }, &to(&start, &[&site])).await;
    assert_eq!(see(&mut third).await.context.title, "untold empty 640");
    // Nobody asked for the next, and nothing waits for it.
    let group = browser.pid().unwrap();
    drop((first, second, third, browser));
    ends(group);
}

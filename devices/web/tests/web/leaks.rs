//! What leaves a browser past the guard's proxy: nothing, and where it cannot be kept in, no page is opened.

use std::net::UdpSocket;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::site::Site;
use super::support::*;
use waldo_devices::{DeviceError, OriginRule};
use waldo_web::{Browser, BrowserOptions, Unproxied, WebDevice, WebOptions};

/// Counts the packets that arrive at one address.
struct Ear {
    port: u16,
    heard: Arc<AtomicUsize>,
}

impl Ear {
    fn at(address: &str) -> Self {
        let socket = UdpSocket::bind((address, 0)).unwrap();
        let port = socket.local_addr().unwrap().port();
        let heard = Arc::new(AtomicUsize::new(0));
        let counts = heard.clone();
        std::thread::spawn(move || {
            let mut packet = [0; 2048];
            while socket.recv(&mut packet).is_ok() {
                counts.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { port, heard }
    }

    fn heard(&self) -> usize {
        self.heard.load(Ordering::SeqCst)
    }
}

const ADDRESSES: [&str; 3] = ["127.0.0.1", "127.0.0.2", "::1"];

/// A page that tries every way that is not a request: `tried` is true once it has tried all.
fn page(ears: &[Ear]) -> String {
    let hosts: Vec<String> =
        ADDRESSES.iter().zip(ears).map(|(address, ear)| format!("'{address} {}'", ear.port)).collect();
    let servers: Vec<String> = ADDRESSES
        .iter()
        .zip(ears)
        .map(|(address, ear)| match address.contains(':') {
            true => format!("{{urls:'stun:[{address}]:{}'}}", ear.port),
            false => format!("{{urls:'stun:{address}:{}'}}", ear.port),
        })
        .collect();
    let script = include_str!("leaks.js");
    let script = script
        .replace("HOSTS", &hosts.join(", "))
        .replace("SERVERS", &servers.join(", "))
        .replace("PORT", &ears[0].port.to_string());
    format!("<title>t</title><button>Go</button><script>{script}</script>")
}

async fn opened(browser: &Browser, ears: &[Ear]) -> (Site, WebDevice) {
    open(browser, &page(ears)).await
}

/// Looks again until `what` holds; false when it did not within the time.
async fn comes(limit: Duration, mut what: impl AsyncFnMut() -> bool) -> bool {
    let end = Instant::now() + limit;
    while !what().await {
        if Instant::now() > end {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    true
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_leaves_by_udp_or_in_a_name() {
    for program in programs() {
        nothing_leaves(&program).await;
    }
}

/// Chromium and its headless shell: each knows WebRTC's policy by a name of its own.
fn programs() -> [std::path::PathBuf; 2] {
    ["chromium", "chromium-headless-shell"].map(|name| {
        let path = std::path::Path::new("/usr/lib/chromium").join(name);
        assert!(path.is_file(), "{} is missing: scripts/setup tests installs it", path.display());
        path
    })
}

/// What lets WebRTC out again.
const LEAKY: [&str; 2] = ["--webrtc-ip-handling-policy=default", "--force-webrtc-ip-handling-policy=default"];

async fn nothing_leaves(program: &std::path::Path) {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("net.json");
    let logged = BrowserOptions {
        args: vec![
            format!("--log-net-log={}", log.display()),
            "--net-log-capture-mode=Everything".to_owned(),
        ],
        executable: Some(program.to_owned()),
        ..BrowserOptions::default()
    };
    let browser = Browser::launch(&logged, soon()).await.unwrap();
    let ears = ADDRESSES.map(Ear::at);
    let (site, mut device) = opened(&browser, &ears).await;
    named(&see(&mut device).await, "Go");
    assert!(comes(Duration::from_secs(30), async || js(&mut device, "tried").await == 2).await);

    // The same page is heard where the browser lets it: it really tries.
    let args = LEAKY.map(str::to_owned).to_vec();
    let open = BrowserOptions { args, executable: Some(program.to_owned()), ..Default::default() };
    let leaky = Browser::launch(&open, soon()).await.unwrap();
    let heard = ADDRESSES.map(Ear::at);
    let (_other, _device) = opened(&leaky, &heard).await;
    let all = async || heard.iter().all(|ear| ear.heard() > 0);
    assert!(comes(Duration::from_secs(30), all).await, "{:?}", heard.each_ref().map(Ear::heard));

    assert_eq!(ears.each_ref().map(Ear::heard), [0; 3]);
    device.close(soon()).await.unwrap();
    browser.close(soon()).await.unwrap();
    let events = net_log(&log);
    let of = |name: &str| events.iter().filter(|(kind, _)| kind == name).collect::<Vec<_>>();
    assert!(!of("HOST_RESOLVER_MANAGER_REQUEST").is_empty(), "nothing was logged");
    assert!(of("HOST_RESOLVER_MANAGER_JOB").is_empty(), "{:?}", of("HOST_RESOLVER_MANAGER_JOB"));
    assert!(of("UDP_BYTES_SENT").is_empty(), "{:?}", of("UDP_BYTES_SENT"));
    let dialled = of("TCP_CONNECT_ATTEMPT");
    let away = dialled.iter().filter_map(|(_, event)| event["params"]["address"].as_str());
    let away: Vec<_> = away.filter(|address| !address.starts_with("127.0.0.1:")).collect();
    assert!(!dialled.is_empty() && away.is_empty(), "{away:?}");
    // Nor does the browser ask for anything on its own.
    let asked: Vec<_> = of("URL_REQUEST_START_JOB")
        .iter()
        .filter_map(|(_, event)| event["params"]["url"].as_str())
        .filter(|url| !url.starts_with(&site.origin()) && !url.contains(".waldo.test"))
        .filter(|url| !url.starts_with("http://127.0.0.1:9/"))
        .collect();
    assert!(asked.is_empty(), "{asked:?}");
}

/// The browser's own log of what it does on the network: name and content of each event.
fn net_log(path: &Path) -> Vec<(String, Value)> {
    let text = std::fs::read_to_string(path).unwrap();
    let (head, events) = text.split_once("\"events\": [").unwrap();
    let head: Value = serde_json::from_str(&format!("{}}}", head.trim().trim_end_matches(','))).unwrap();
    let kinds = head["constants"]["logEventTypes"].as_object().unwrap();
    let name = |event: &Value| {
        let kind = kinds.iter().find(|(_, number)| **number == event["type"]).unwrap();
        kind.0.clone()
    };
    events
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line.trim().trim_end_matches(',')).ok())
        .filter(|event| event["type"].is_u64())
        .map(|event| (name(&event), event))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_joined_browser_gets_a_guarded_page_only_if_it_holds_udp() {
    let port = "--remote-debugging-port=0".to_owned();
    let site = Site::start();
    let start = site.page("/", "<button>Hi</button>");
    let reset = to(&start, &[&site]);
    let leaky: Vec<String> = [port.as_str()].into_iter().chain(LEAKY).map(str::to_owned).collect();
    let both = |program: std::path::PathBuf| {
        [(program.clone(), vec![port.clone()], true), (program, leaky.clone(), false)]
    };
    for (program, args, holds) in programs().into_iter().flat_map(both) {
        let options = BrowserOptions { args, executable: Some(program), ..BrowserOptions::default() };
        let host = Browser::launch(&options, soon()).await.unwrap();
        let joined = Browser::connect(&address(&host), soon()).await.unwrap();
        assert_eq!(joined.lacking().is_empty(), holds, "{:?}", joined.lacking());
        let mut device = joined.new_device(&WebOptions::default()).unwrap();
        let done = device.reset(&reset, soon()).await;
        if holds {
            done.unwrap();
            named(&see(&mut device).await, "Hi");
            continue;
        }
        let told = done.unwrap_err();
        assert!(matches!(told, DeviceError::Start { .. }), "{told}");
        assert!(told.to_string().contains("webrtc-ip-handling-policy=disable_non_proxied_udp"), "{told}");
        // Where nothing is kept from anybody, or somebody says so, it is used.
        let mut any = reset.clone();
        any.policy.origins = vec![OriginRule::parse("*").unwrap()];
        device.reset(&any, soon()).await.unwrap();
        let accepted = WebOptions { unproxied: Unproxied::Accepted, ..WebOptions::default() };
        let mut device = joined.new_device(&accepted).unwrap();
        device.reset(&reset, soon()).await.unwrap();
        named(&see(&mut device).await, "Hi");
    }
}

//! What pages do to themselves ends nothing: it is an outcome, and told.

use std::time::{Duration, Instant};

use super::processes::renderers;
use super::site::Site;
use super::support::*;
use waldo_devices::{Action, Capture, Deadline, DeviceError, OriginRule, ResetTo};
use waldo_web::{Browser, DownloadLimits, WebDevice, WebOptions};

fn crash(browser: &Browser) {
    end(browser, rustix::process::Signal::SEGV);
}

fn end(browser: &Browser, signal: rustix::process::Signal) {
    for renderer in renderers(browser.pid().unwrap()) {
        let raw = rustix::process::Pid::from_raw(i32::try_from(renderer).unwrap()).unwrap();
        // A spare one may be gone already.
        let _ = rustix::process::kill_process(raw, signal);
    }
}

/// Deeper than a browser can lay out: its process dies of it.
const DEEP: &str =
    "let s=document.body;for(let i=0;i<7000;i++){const d=document.createElement('div');s.append(d);s=d}";

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_whose_address_is_not_allowed_is_closed_and_told() {
    let browser = launch().await;
    for page in [
        "<a href='data:text/html,<h1>hi</h1>' target=_blank>Buy</a>",
        "<button>Buy</button><script>onclick=()=>{const a=document.createElement('a');a.href='data:text/html,x';a.target='_blank';a.click()}</script>",
        "<button onclick=go()>Buy</button><script>go=()=>open(URL.createObjectURL(new Blob(['<h1>blob'],{type:'text/html'})))</script>",
    ] {
        let (site, mut device) = open(&browser, page).await;
        press(&mut device, "Buy").await;
        let seen = see(&mut device).await;
        assert!(!seen.context.notices.is_empty(), "{page}: {:?}", seen.context);
        assert_notice(&seen, "not allowed");
        named(&seen, "Buy");
        assert_eq!(seen.context.tabs.len(), 1, "{page}: {:?}", seen.context.tabs);
        assert_eq!(seen.context.location, site.url("/"));
        assert_eq!(seen.context.blocked.len(), 1, "{page}");
        let seen = see(&mut device).await;
        assert!(seen.context.notices.is_empty(), "{:?}", seen.context.notices);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_browsers_own_pages_are_never_shown() {
    let browser = launch_own().await;
    let (site, mut device) = open(&browser, "<button>Hi</button>").await;
    press(&mut device, "Hi").await;
    for chord in ["ctrl+t", "ctrl+n", "alt+Home", "ctrl+h", "ctrl+j", "ctrl+shift+n"] {
        act(&mut device, Action::Key { chord: chord.to_owned() }).await;
        for _ in 0..2 {
            let seen = see(&mut device).await;
            let shown = seen.context.tabs.iter().map(|tab| &tab.url).chain([&seen.context.location]);
            let odd: Vec<_> = shown
                .filter(|url| **url != site.url("/") && !matches!(url.as_str(), "" | "about:blank"))
                .collect();
            assert!(odd.is_empty(), "{chord}: {odd:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_of_the_page_is_told_and_mended_once() {
    let browser = launch_own().await;
    let (site, mut device) = open(&browser, "<button>Hi</button>").await;
    let seen = see(&mut device).await;
    assert!(seen.context.notices.is_empty());
    crash(&browser);
    let seen = see(&mut device).await;
    assert_notice(&seen, "crashed and was loaded again");
    assert_eq!(seen.context.page_crashes, 1);
    named(&seen, "Hi");
    let seen = see(&mut device).await;
    assert!(seen.context.notices.is_empty() && seen.context.page_crashes == 0);
    device.health(soon()).await.unwrap();
    crash(&browser);
    let seen = see(&mut device).await;
    assert_notice(&seen, "its tab was closed");
    assert_eq!(seen.context.location, "about:blank");
    // The episode goes on.
    confirmed(&act(&mut device, Action::Navigate { url: site.url("/") }).await);
    named(&see(&mut device).await, "Hi");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renderer_that_is_killed_is_no_crash_of_the_page() {
    let browser = launch_own().await;
    let (_site, mut device) = open(&browser, "<button>Hi</button>").await;
    named(&see(&mut device).await, "Hi");
    device.health(soon()).await.unwrap();
    assert!(browser.is_whole());
    end(&browser, rustix::process::Signal::KILL);
    let until = Instant::now() + Duration::from_secs(30);
    let error = loop {
        match device.health(soon()).await {
            Err(error) => break error,
            Ok(()) => assert!(Instant::now() < until, "the device stayed in good health"),
        }
    };
    let is_named = matches!(&error, DeviceError::Gone { reason } if reason.contains("renderer process"));
    assert!(is_named, "{error}");
    assert!(browser.is_alive() && !browser.is_whole(), "further devices get another browser");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_always_crashes_loses_its_tab() {
    let browser = launch().await;
    let page = format!("<button>Go</button><script>{DEEP}</script>");
    let (site, mut device) = open(&browser, &page).await;
    // A busy machine takes longer for a crash than one look does.
    let mut told = Vec::new();
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let seen = see(&mut device).await;
        told.extend(seen.context.notices);
        if seen.context.location == "about:blank" {
            break;
        }
        assert!(Instant::now() < end, "{told:?}");
    }
    let says = |words: &str| told.iter().any(|notice| notice.contains(words));
    assert!(says("crashed and was loaded again") && says("its tab was closed"), "{told:?}");
    let calm = site.page("/calm", format!("<button onclick=\"{DEEP}\">Sink</button>"));
    confirmed(&act(&mut device, Action::Navigate { url: calm }).await);
    let seen = see(&mut device).await;
    // It crashes under the hand: an outcome, whether the tap or the observation finds it.
    match device.perform(&Action::tap(named(&seen, "Sink").hit), soon()).await {
        Ok(_) | Err(DeviceError::Call { .. }) => {}
        Err(error) => panic!("{error}"),
    }
    let seen = see(&mut device).await;
    assert_notice(&seen, "crashed and was loaded again");
    named(&seen, "Sink");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_crashes_leaves_the_page_usable() {
    let browser = launch().await;
    let site = Site::start();
    site.page("/deep", format!("<button>In</button><script>onmessage=e=>e.source.postMessage(1,'*');setTimeout(()=>{{{DEEP}}},300)</script>"));
    let port = site.address.port();
    // Another site for the browser, so that the frame has a process of its own.
    let frame = format!("http://localhost:{port}/deep");
    let start = site.page("/", format!("<button>Out</button><iframe src='{frame}'></iframe>"));
    let mut reset = to(&start, &[&site]);
    reset.policy.origins.push(OriginRule::parse(&format!("http://localhost:{port}")).unwrap());
    let mut device = begun(&browser, &WebOptions::default(), &reset).await;
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        // What is asked of the frame when it crashes has no answer, and is not waited for.
        let look = device.observe(Capture::All, Deadline::after(Duration::from_secs(120)));
        let seen = tokio::time::timeout(Duration::from_secs(30), look).await.unwrap().unwrap();
        named(&seen, "Out");
        let notices = &seen.context.notices;
        assert!(!notices.iter().any(|notice| notice.contains("tab")), "{notices:?}");
        if !seen.elements.iter().any(|element| element.name == "In") && frame_is_gone(&mut device).await {
            break;
        }
        assert!(Instant::now() < end, "the frame never crashed");
    }
    let seen = see(&mut device).await;
    assert!(seen.timings.settle < Duration::from_secs(8), "{:?}", seen.timings);
    named(&seen, "Out");
}

async fn frame_is_gone(device: &mut WebDevice) -> bool {
    let asks = "new Promise((done)=>{onmessage=()=>done(false);setTimeout(()=>done(true),500);frames[0].postMessage(1,'*')})";
    js(device, asks).await == true
}

#[tokio::test(flavor = "multi_thread")]
async fn downloads_are_bounded_and_cancelled_ones_told() {
    let browser = launch().await;
    for (limits, size) in [
        (DownloadLimits { files: 3, ..DownloadLimits::default() }, 1_000),
        (DownloadLimits { files: 100, bytes: 2_000_000 }, 500_000),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::start();
        let page = format!(
            "<button>Go</button><script>n=0;(async()=>{{while(n<12){{const b=new Blob([new Uint8Array({size})]);\
             const a=document.createElement('a');a.href=URL.createObjectURL(b);a.download='f'+(n++);a.click();\
             await new Promise(r=>setTimeout(r,30))}}}})()</script>"
        );
        let options = WebOptions { downloads: limits, ..WebOptions::default() };
        let downloads = Some(folder.path().to_owned());
        let reset = ResetTo { downloads, ..to(&site.page("/", page), &[&site]) };
        let mut device = begun(&browser, &options, &reset).await;
        let mut notices = Vec::new();
        let end = Instant::now() + Duration::from_secs(30);
        while js(&mut device, "n").await != 12 || notices.is_empty() {
            notices.extend(see(&mut device).await.context.notices);
            assert!(Instant::now() < end, "{notices:?}");
        }
        assert!(notices[0].contains("cancelled"), "{notices:?}");
        // What is cancelled leaves nothing, however far it came.
        let stored = || -> (usize, u64) {
            let entries = std::fs::read_dir(folder.path()).unwrap().flatten();
            let sizes: Vec<u64> = entries.filter_map(|entry| Some(entry.metadata().ok()?.len())).collect();
            (sizes.len(), sizes.iter().sum())
        };
        while stored().0 > limits.files || stored().1 > limits.bytes {
            assert!(Instant::now() < end, "{:?}", stored());
            see(&mut device).await;
        }
        let seen = see(&mut device).await;
        assert!(seen.context.downloads.iter().all(|download| download.done), "{:?}", seen.context.downloads);
        assert!(!seen.context.downloads.is_empty() && seen.context.downloads.len() <= limits.files);
    }
}

//! The first observation of a page.

use std::time::Duration;

use futures::future::join_all;

use super::site::Site;
use super::support::*;
use waldo_devices::{Capture, Observation, Settled};
use waldo_web::WebOptions;

/// Later than the screen is quiet and than it may take to be.
const SETTLE: Duration = Duration::from_millis(250);

/// Blank for a while after it has loaded, as applications are that build themselves.
const LATE: &str =
    "<body><script>setTimeout(()=>document.body.innerHTML='<button>Here</button>',1000)</script>";

async fn first_looks(page: &str) -> Vec<Observation> {
    let (browser, site) = (launch().await, Site::start());
    let start = site.page("/", page);
    let options = WebOptions { settle: SETTLE, ..WebOptions::default() };
    let look = async |want| {
        let mut device = begun(&browser, &options, &to(&start, &[&site])).await;
        device.observe(want, soon()).await.unwrap()
    };
    join_all([Capture::All, Capture::Elements].map(look)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_look_waits_until_the_page_shows_something() {
    for seen in first_looks(LATE).await {
        named(&seen, "Here");
        assert_eq!(seen.settled, Settled::Quiet);
    }
}

/// A turning mark without a word, until the application has built itself.
const SPLASH: &str = "<body><style>@keyframes turn{to{transform:rotate(1turn)}}</style>\
    <div id=s style='width:90px;height:40px;background:#c63;animation:turn 2s infinite linear'></div>\
    <script>setTimeout(()=>document.body.innerHTML='<button>Here</button>',1000)</script>";

#[tokio::test(flavor = "multi_thread")]
async fn a_splash_screen_is_no_first_look() {
    for seen in first_looks(SPLASH).await {
        named(&seen, "Here");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_shows_nothing_counts_as_loading_and_is_waited_for_once() {
    let browser = launch().await;
    let site = Site::start();
    let start = site.page("/", "<body>");
    let options = WebOptions { load: Duration::from_secs(1), ..WebOptions::default() };
    let mut device = begun(&browser, &options, &to(&start, &[&site])).await;
    assert_eq!(see(&mut device).await.settled, Settled::StillLoading);
    assert_eq!(see(&mut device).await.settled, Settled::Quiet);
    // What is painted counts, without any element.
    let start = site.page("/words", "<body><p>words</p>");
    device.reset(&to(&start, &[&site]), soon()).await.unwrap();
    assert_eq!(see(&mut device).await.settled, Settled::Quiet);
}

/// Answers come one after the other, each asked for when the one before has come; what they bring comes last.
const CHAIN: &str = "<body><button>First</button><script>(async () => { \
    for (let n = 0; n < 4; n++) await fetch('/slow/400?' + n); \
    document.body.insertAdjacentHTML('beforeend', '<button>Last</button>') })()</script>";

#[tokio::test(flavor = "multi_thread")]
async fn the_first_look_goes_on_while_a_page_asks_for_more() {
    let browser = launch().await;
    let site = Site::start();
    let options = WebOptions { settle: SETTLE, ..WebOptions::default() };
    let mut device = begun(&browser, &options, &to(&site.page("/", CHAIN), &[&site])).await;
    let seen = see(&mut device).await;
    named(&seen, "Last");
    assert_eq!(seen.settled, Settled::Quiet);
    // What is never answered is told of, and ends the wait.
    let stuck = "<body><button>First</button><script>fetch('/hang')</script>";
    device.reset(&to(&site.page("/stuck", stuck), &[&site]), soon()).await.unwrap();
    let seen = see(&mut device).await;
    named(&seen, "First");
    assert_eq!(seen.settled, Settled::StillLoading);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_with_a_worker_is_not_waited_for() {
    let browser = launch().await;
    let site = Site::start();
    site.page("/worker.js", "postMessage('works')");
    let html =
        "<button>Here</button><script>new Worker('/worker.js').onmessage=e=>document.title=e.data</script>";
    let mut device = begun(&browser, &WebOptions::default(), &to(&site.page("/", html), &[&site])).await;
    let seen = see(&mut device).await;
    named(&seen, "Here");
    assert_eq!(seen.settled, Settled::Quiet);
    // The worker works, if later than the page is looked at.
    let told =
        "new Promise(done=>{const look=()=>document.title?done(document.title):setTimeout(look,20);look()})";
    assert_eq!(js(&mut device, told).await, "works");
}

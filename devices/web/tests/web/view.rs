//! What is in view is listed wherever its boxes lie, what is out of view is not, and what never rests is waited for once.

use std::time::{Duration, Instant};

use super::site::Site;
use super::support::*;
use waldo_devices::{Effect, Settled};
use waldo_web::WebOptions;

/// Things in view that lie in boxes which are not, and the reverse.
const MOVED: &str = include_str!("view.html");

#[tokio::test(flavor = "multi_thread")]
async fn what_is_in_view_is_listed_wherever_its_box_lies() {
    let (_browser, _site, mut device) = opened(MOVED).await;
    let seen = see(&mut device).await;
    let mut buttons: Vec<&str> = seen
        .elements
        .iter()
        .filter(|element| matches!(element.role.as_str(), "button" | "link"))
        .map(|element| element.name.as_str())
        .collect();
    buttons.sort_unstable();
    let mut wanted = ["fixed", "moved up", "for me", "shown", "in contents", "slotted", "shadow"];
    wanted.sort_unstable();
    assert_eq!(buttons, wanted, "{:#?}", names(&seen));
    let texts: Vec<&str> = seen.texts.iter().map(|text| text.text.as_str()).collect();
    assert!(texts.contains(&"words of fixed"), "{texts:?}");
    assert!(!texts.iter().any(|text| text.contains("far down")), "{texts:?}");
    // Scrolled there, the others.
    js(&mut device, "scrollTo(0, 1900)").await;
    let seen = see(&mut device).await;
    named(&seen, "far down");
    named(&seen, "fixed");
    assert!(!seen.elements.iter().any(|element| element.name == "shown"), "{:#?}", names(&seen));
}

/// Text, an attribute and a replaced node that change with every frame, and a button that does something beside.
const RESTLESS: &str = "<p id=t>0</p><p id=u></p><p id=v></p><button>Add</button><button>Idle</button><ul id=list></ul><script>
let n=0;const f=()=>{n++;t.textContent=n;u.style.width=n%90+'px';v.innerHTML='<b>'+n+'</b>';requestAnimationFrame(f)};f();
document.querySelector('button').onclick=()=>{const li=document.createElement('li');li.textContent='added';list.append(li)}</script>";

#[tokio::test(flavor = "multi_thread")]
async fn what_never_rests_is_waited_for_once() {
    let browser = launch().await;
    let site = Site::start();
    // Time enough to learn in for a page that other tests keep from drawing at times.
    let options = WebOptions { settle: Duration::from_secs(2), ..WebOptions::default() };
    let mut device = begun(&browser, &options, &to(&site.page("/", RESTLESS), &[&site])).await;
    // The wait in vain that teaches which parts never rest; a page that stood still for most of one teaches in a later.
    let end = Instant::now() + Duration::from_secs(30);
    while see(&mut device).await.settled != Settled::Quiet {
        assert!(Instant::now() < end, "the page was waited for in vain again and again");
    }
    let seen = see(&mut device).await;
    assert_eq!(seen.settled, Settled::Quiet);
    // What comes of an action is told from it.
    assert!(matches!(tap(&mut device, named(&seen, "Add")).await, Effect::Confirmed { .. }));
    let seen = see(&mut device).await;
    assert_eq!(seen.settled, Settled::Quiet);
    assert!(seen.texts.iter().any(|text| text.text.contains("added")), "{:?}", seen.texts);
    // Once it has rested for a second, a change counts again.
    js(&mut device, "new Promise((done)=>{requestAnimationFrame=()=>0;setTimeout(done,1100)})").await;
    see(&mut device).await;
    js(&mut device, "document.querySelectorAll('button')[1].onclick=()=>{t.textContent='pressed'}").await;
    let seen = see(&mut device).await;
    assert!(matches!(tap(&mut device, named(&seen, "Idle")).await, Effect::Confirmed { .. }));
}

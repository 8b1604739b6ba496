//! What is listed, and how long it takes.

use std::time::Duration;

use super::site::Site;
use super::support::*;
use waldo_devices::{Affordance, Settled};
use waldo_web::WebOptions;

#[tokio::test(flavor = "multi_thread")]
async fn what_can_be_touched_is_listed_and_nothing_else() {
    let browser = launch().await;
    let foreign = Site::start();
    let inner = foreign.page("/inner", "<body style='margin:0'><button>Foreign</button><button style='position:absolute;top:60px;left:0'>Under</button>");
    let html = include_str!("pages/elements.html").replace("{inner}", &inner);
    let site = Site::start();
    let start = site.page("/", html);
    let mut device = begun(&browser, &WebOptions::default(), &to(&start, &[&site, &foreign])).await;
    let seen = see(&mut device).await;

    assert_eq!(seen.settled, Settled::Quiet);
    assert_eq!(seen.picture.size(), (1280, 800));
    assert_eq!(seen.context.title, "Page & more");
    assert_eq!(seen.context.location, start);
    assert!(seen.context.page_scroll.unwrap().below > 1000);
    for name in "Press me|A link|Your name|Password|Agree|Hidden radio|Colour|Notes|Rich|More|Wifi|Old style|\
         Pointer card|Listener|Dot|Products|Popup|Off|Inside|Drawing|Shadow|Framed|Foreign|Region"
        .split('|')
    {
        named(&seen, name);
    }
    for name in "Invisible|Gone|Covered|Scrolled away|Far below|Under|plain|Lamps|Lights up only".split('|') {
        assert!(seen.elements.iter().all(|e| e.name != name), "{name} is listed");
    }
    assert!(!seen.elements.iter().any(|e| e.name.contains("Lights up")), "the bar of menus is listed");
    let field = named(&seen, "Your name");
    assert_eq!(
        (field.role.as_str(), field.value.as_deref(), field.states.required),
        ("textbox", Some("Ada"), true)
    );
    assert!(field.can(Affordance::Edit));
    assert_eq!(named(&seen, "Password").value.as_deref(), Some("••••••"));
    assert_eq!(named(&seen, "Agree").states.checked, Some(true));
    assert_eq!(named(&seen, "Wifi").states.checked, Some(false));
    assert_eq!(named(&seen, "More").states.expanded, Some(false));
    assert!(named(&seen, "Off").states.disabled);
    let colour = named(&seen, "Colour");
    assert_eq!(colour.options, ["Red", "Green"]);
    assert_eq!(colour.value.as_deref(), Some("Green"));
    assert!(named(&seen, "Region").can(Affordance::Scroll));
    let (framed, foreign_button) = (named(&seen, "Framed"), named(&seen, "Foreign"));
    assert!(framed.frame > 0 && foreign_button.frame > framed.frame);
    for element in &seen.elements {
        assert!(element.bounds.contains(element.hit), "{element:?}");
    }
    // A tap at the listed point of a frame lands in that frame.
    js(&mut device, "document.querySelector('iframe').contentDocument.querySelector('button').onclick=()=>{document.title='framed'}").await;
    let framed = framed.clone();
    confirmed(&tap(&mut device, &framed).await);
    assert_eq!(js(&mut device, "document.title").await, "framed");
    device.close(soon()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn large_pages_are_quick() {
    let browser = launch().await;
    let huge: String = (0..20_000).map(|n| format!("<div><a href=#{n}>Item {n}</a></div>")).collect();
    let (_site, mut device) = open(&browser, &huge).await;
    let seen = see(&mut device).await;
    println!("40,000 elements: {:?} {}", seen.timings, seen.elements.len());
    assert!(seen.timings.total < Duration::from_secs(15));
}

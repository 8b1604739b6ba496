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
    let html = format!(
        r#"<title>Page &amp; more</title><body style="margin:10px">
        <button id=b>Press me</button> <a href="/x">A
          link</a> <span>plain</span>
        <label for=n>Your name</label><input id=n value="Ada" required>
        <input type=password value=secret aria-label=Password>
        <input type=checkbox id=c checked><label for=c>Agree</label>
        <label><input type=radio style="opacity:0;position:absolute;width:0;height:0">Hidden radio</label>
        <select aria-label=Colour><option>Red<option selected>Green</select>
        <textarea placeholder=Notes></textarea>
        <div contenteditable aria-label=Rich>text</div>
        <details><summary>More</summary>inside</details>
        <div role=switch aria-checked=false tabindex=0>Wifi</div>
        <span onclick="1">Old style</span>
        <div style="cursor:pointer"><b>Pointer</b> card</div><div id=listens>Listener</div>
        <ul id=bar style="padding:0;margin:0;width:300px"><li id=opens>Products<div style="display:none">Lamps</div></li>
          <li id=lights>Lights up only<script></script></li></ul><div aria-haspopup=menu>Popup</div>
        <svg width=20 height=20><circle id=dot cx=10 cy=10 r=8 aria-label=Dot /></svg>
        <button disabled>Off</button>
        <button style="visibility:hidden">Invisible</button>
        <button style="display:none">Gone</button>
        <div style="position:relative;height:40px;width:200px"><button style="position:absolute">Covered</button>
          <div style="position:absolute;inset:0;background:#fff"></div></div>
        <div aria-label=Region style="height:60px;width:200px;overflow:auto"><button>Inside</button><div style="height:500px"></div><button>Scrolled away</button></div>
        <canvas width=30 height=30 aria-label=Drawing></canvas>
        <div id=host></div>
        <iframe style="width:200px;height:60px;border:2px solid" srcdoc="<body style='margin:0'><button>Framed</button>"></iframe>
        <div style="position:relative"><iframe src="{inner}" style="width:200px;height:100px"></iframe>
          <div style="position:absolute;top:55px;left:0;width:200px;height:50px;background:#eee"></div></div>
        <div style="height:3000px"></div><button>Far below</button>
        <script>listens.addEventListener('click',()=>1);for(const e of [bar,opens,lights])e.addEventListener('mouseenter',()=>1);dot.addEventListener('mousedown',()=>1);host.attachShadow({{mode:'open'}}).innerHTML='<button>Shadow</button>'</script>"#
    );
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

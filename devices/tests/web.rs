//! The web driver against a real browser and a small site of the tests' own.

#![cfg(feature = "web")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "helpers of tests fail as tests do")]

#[path = "web/processes.rs"]
mod processes;
#[path = "web/site.rs"]
mod site;

use std::time::{Duration, Instant};

use processes::{members, renderers};
use site::Site;
use waldo_devices::web::{Browser, BrowserOptions, Secrets, Viewport, WebDevice, WebOptions};
use waldo_devices::{
    Action, Affordance, Button, Clicks, Deadline, Device, DeviceError, DialogReply, Effect, Element,
    GuardPolicy, Observation, OriginRule, Point, ResetTo, ScrollNotches, Settled, StateProbe, StateValue,
    TabIndex, Want,
};

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

async fn launch() -> Browser {
    Browser::launch(&BrowserOptions::default(), soon()).await.unwrap()
}

fn policy(origins: &[&Site]) -> GuardPolicy {
    GuardPolicy {
        origins: origins.iter().map(|site| OriginRule::parse(&site.origin()).unwrap()).collect(),
        ..GuardPolicy::default()
    }
}

fn to(start: &str, origins: &[&Site]) -> ResetTo {
    ResetTo { start: start.to_owned(), policy: policy(origins), ..ResetTo::default() }
}

async fn open(browser: &Browser, html: &str) -> (Site, WebDevice) {
    let site = Site::start();
    let start = site.page("/", html);
    let mut device = browser.new_device(&WebOptions::default()).unwrap();
    device.reset(&to(&start, &[&site]), soon()).await.unwrap();
    (site, device)
}

async fn see(device: &mut WebDevice) -> Observation {
    device.observe(Want::All, soon()).await.unwrap()
}

fn named<'a>(seen: &'a Observation, name: &str) -> &'a Element {
    seen.elements
        .iter()
        .find(|element| element.name == name)
        .unwrap_or_else(|| panic!("no '{name}' in {:#?}", names(seen)))
}

fn names(seen: &Observation) -> Vec<String> {
    seen.elements.iter().map(|e| format!("{} '{}'", e.role.as_str(), e.name)).collect()
}

async fn act(device: &mut WebDevice, action: Action) -> Effect {
    device.perform(&action, soon()).await.unwrap().effect
}

async fn tap(device: &mut WebDevice, element: &Element) -> Effect {
    act(device, Action::Tap { at: element.hit, clicks: Clicks::Single, button: Button::Left }).await
}

async fn js(device: &mut WebDevice, script: &str) -> serde_json::Value {
    match device.probe(&StateProbe::Js(script.to_owned()), soon()).await.unwrap() {
        StateValue::Json(value) => value,
        other => panic!("{other:?}"),
    }
}

fn confirmed(effect: &Effect) -> &str {
    match effect {
        Effect::Confirmed { evidence } => evidence,
        other => panic!("{other:?}"),
    }
}

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
        <script>listens.addEventListener('click',()=>1);dot.addEventListener('mousedown',()=>1);host.attachShadow({{mode:'open'}}).innerHTML='<button>Shadow</button>'</script>"#
    );
    let site = Site::start();
    let start = site.page("/", html);
    let mut device = browser.new_device(&WebOptions::default()).unwrap();
    device.reset(&to(&start, &[&site, &foreign]), soon()).await.unwrap();
    let seen = see(&mut device).await;

    assert_eq!(seen.settled, Settled::Quiet);
    assert_eq!((seen.picture.pixels.width(), seen.picture.pixels.height()), (1280, 800));
    assert_eq!(seen.context.title, "Page & more");
    assert_eq!(seen.context.location, start);
    assert!(seen.context.page_scroll.unwrap().below > 1000);
    for name in [
        "Press me",
        "A link",
        "Your name",
        "Password",
        "Agree",
        "Hidden radio",
        "Colour",
        "Notes",
        "Rich",
        "More",
        "Wifi",
        "Old style",
        "Pointer card",
        "Listener",
        "Dot",
        "Off",
        "Inside",
        "Drawing",
        "Shadow",
        "Framed",
        "Foreign",
        "Region",
    ] {
        named(&seen, name);
    }
    for name in ["Invisible", "Gone", "Covered", "Scrolled away", "Far below", "Under", "plain"] {
        assert!(seen.elements.iter().all(|e| e.name != name), "{name} is listed");
    }
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
    browser.close(soon()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn hands_do_what_hands_do() {
    let browser = launch().await;
    let (_site, mut device) = open(
        &browser,
        r#"<body><button onclick="out.textContent='tapped'">Tap</button><button>Dead</button>
        <div id=out style="height:20px"></div>
        <input aria-label=Field onkeydown="keys.push(event.key)"><textarea aria-label=Area></textarea>
        <select aria-label=Pick onchange="out.textContent=this.value"><option>One<option>Two</select>
        <div id=box style="width:100px;height:50px;overflow:auto" aria-label=Scroller><div style="height:900px">x</div></div>
        <div id=dc style="width:80px;height:30px;background:#ddd;cursor:pointer" ondblclick="out.textContent='double'" oncontextmenu="out.textContent='right';return false">Twice</div>
        <div id=src draggable=true style="width:60px;height:40px;background:#acf" ondragstart="event.dataTransfer.setData('text/plain','cargo')">Source</div>
        <div id=dst style="position:absolute;left:500px;top:300px;width:120px;height:80px;background:#cfa" ondragover="event.preventDefault()" ondrop="event.preventDefault();out.textContent='got '+event.dataTransfer.getData('text/plain')">Target</div>
        <input type=range aria-label=Level min=0 max=100 value=0 style="position:absolute;left:500px;top:500px;width:200px">
        <div id=hold style="position:absolute;left:700px;top:10px;width:90px;height:30px;background:#fca;cursor:pointer">Hold</div>
        <script>keys=[];let t;hold.onmousedown=()=>t=performance.now();hold.onmouseup=()=>out.textContent='held '+(performance.now()-t>900)</script>"#,
    )
    .await;
    let seen = see(&mut device).await;
    assert!(confirmed(&tap(&mut device, named(&seen, "Tap")).await).contains("content changed"));
    assert_eq!(js(&mut device, "out.textContent").await, "tapped");

    let dead = named(&seen, "Dead");
    tap(&mut device, dead).await;
    assert_eq!(tap(&mut device, dead).await, Effect::SuspectedNoop);

    let field = named(&seen, "Field");
    tap(&mut device, field).await;
    confirmed(&act(&mut device, Action::Type { text: "Aé 世界!".to_owned() }).await);
    assert_eq!(js(&mut device, "document.activeElement.value").await, "Aé 世界!");
    assert_eq!(js(&mut device, "keys.join()").await, "A, ,!");
    confirmed(&act(&mut device, Action::Key { chord: "Ctrl+A".to_owned() }).await);
    confirmed(&act(&mut device, Action::Type { text: "new".to_owned() }).await);
    assert_eq!(js(&mut device, "document.activeElement.value").await, "new");
    confirmed(&act(&mut device, Action::Clear { element: field.handle.clone() }).await);
    assert_eq!(js(&mut device, "document.querySelector('input').value").await, "");
    assert_eq!(
        act(&mut device, Action::Clear { element: field.handle.clone() }).await,
        Effect::SuspectedNoop
    );

    tap(&mut device, named(&seen, "Area")).await;
    act(&mut device, Action::Type { text: "one\ntwo\tthree".replace('\t', " ") }).await;
    assert_eq!(js(&mut device, "document.querySelector('textarea').value").await, "one\ntwo three");
    let long = "long text é ".repeat(100);
    act(&mut device, Action::Type { text: long.clone() }).await;
    assert_eq!(
        js(&mut device, "document.querySelector('textarea').value").await,
        format!("one\ntwo three{long}")
    );

    let pick = named(&seen, "Pick").handle.clone();
    confirmed(&act(&mut device, Action::Select { element: pick.clone(), option: "two".to_owned() }).await);
    assert_eq!(js(&mut device, "out.textContent").await, "Two");
    let wrong = Action::Select { element: pick, option: "Three".to_owned() };
    let message = device.perform(&wrong, soon()).await.unwrap_err();
    assert!(message.is_agents_mistake() && message.to_string().contains("One, Two"), "{message}");

    let scroller = named(&seen, "Scroller").hit;
    let by = ScrollNotches { right: 0, down: 2 };
    assert!(confirmed(&act(&mut device, Action::Scroll { at: scroller, by }).await).contains("scrolled"));
    assert_eq!(js(&mut device, "box.scrollTop").await, 240);

    let twice = named(&seen, "Twice").hit;
    act(&mut device, Action::Tap { at: twice, clicks: Clicks::Double, button: Button::Left }).await;
    assert_eq!(js(&mut device, "out.textContent").await, "double");
    act(&mut device, Action::Tap { at: twice, clicks: Clicks::Single, button: Button::Right }).await;
    assert_eq!(js(&mut device, "out.textContent").await, "right");

    let from = named(&seen, "Source").hit;
    confirmed(&act(&mut device, Action::Drag { path: vec![from, Point::new(550.0, 340.0)] }).await);
    assert_eq!(js(&mut device, "out.textContent").await, "got cargo");

    let level = named(&seen, "Level").bounds;
    confirmed(&act(&mut device, Action::Drag { path: vec![level.at(0.04, 0.5), level.at(0.9, 0.5)] }).await);
    assert!(js(&mut device, "+document.querySelector('[type=range]').value").await.as_f64().unwrap() > 70.0);

    act(&mut device, Action::LongPress { at: named(&seen, "Hold").hit }).await;
    assert_eq!(js(&mut device, "out.textContent").await, "held true");

    let outside = Action::Hover { at: Point::new(5000.0, 1.0) };
    assert!(matches!(device.perform(&outside, soon()).await, Err(DeviceError::OutOfBounds { .. })));
    see(&mut device).await;
    let stale = Action::Clear { element: seen.elements[0].handle.clone() };
    assert!(matches!(device.perform(&stale, soon()).await, Err(DeviceError::StaleElement { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_is_seen_and_answered() {
    let browser = launch().await;
    let (_site, mut device) = open(
        &browser,
        "<button onclick=\"out.textContent=prompt('Your name?','Bob')\">Ask</button><p id=out>",
    )
    .await;
    let seen = see(&mut device).await;
    let started = Instant::now();
    assert!(confirmed(&tap(&mut device, named(&seen, "Ask")).await).contains("dialog"));
    let held = see(&mut device).await;
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    let dialog = held.context.dialog.unwrap();
    assert_eq!(
        (dialog.kind.as_str(), dialog.message.as_str(), dialog.default.as_deref()),
        ("prompt", "Your name?", Some("Bob"))
    );
    assert!(held.elements.is_empty() && !held.picture.is_empty());
    let blocked = device.perform(&Action::Reload, soon()).await.unwrap_err();
    assert!(blocked.is_agents_mistake(), "{blocked}");
    let reply = DialogReply::Accept { text: Some("Eve".to_owned()) };
    confirmed(&act(&mut device, Action::Dialog { reply }).await);
    assert!(see(&mut device).await.context.dialog.is_none());
    assert_eq!(js(&mut device, "out.textContent").await, "Eve");
}

#[tokio::test(flavor = "multi_thread")]
async fn tabs_history_and_popups() {
    let browser = launch().await;
    let site = Site::start();
    let start = site.page("/", "<title>First</title><a href=/next>Next</a> <a href=/pop target=_blank>Pop</a> <button onclick=\"window.open('/pop')\">Open</button>");
    site.page("/next", "<title>Second</title><a href=#part>Part</a>");
    site.page("/pop", "<title>Popup</title><button onclick=window.close()>Close</button>");
    let mut device = browser.new_device(&WebOptions::default()).unwrap();
    device.reset(&to(&start, &[&site]), soon()).await.unwrap();
    let seen = see(&mut device).await;
    assert_eq!(act(&mut device, Action::Back).await, Effect::SuspectedNoop);
    confirmed(&tap(&mut device, named(&seen, "Next")).await);
    let seen = see(&mut device).await;
    assert_eq!(seen.context.title, "Second");
    confirmed(&tap(&mut device, named(&seen, "Part")).await);
    assert!(see(&mut device).await.context.location.ends_with("/next#part"));
    act(&mut device, Action::Back).await;
    confirmed(&act(&mut device, Action::Back).await);
    let seen = see(&mut device).await;
    assert_eq!(seen.context.title, "First");
    confirmed(&act(&mut device, Action::Forward).await);
    assert_eq!(see(&mut device).await.context.title, "Second");
    confirmed(&act(&mut device, Action::Back).await);

    for opener in ["Pop", "Open"] {
        let seen = see(&mut device).await;
        confirmed(&tap(&mut device, named(&seen, opener)).await);
        let popup = see(&mut device).await;
        assert_eq!(popup.context.title, "Popup");
        assert_eq!(popup.context.tabs.len(), 2);
        assert!(popup.context.tabs[1].active);
        confirmed(&act(&mut device, Action::SwitchTab { tab: TabIndex(0) }).await);
        assert_eq!(see(&mut device).await.context.title, "First");
        confirmed(&act(&mut device, Action::SwitchTab { tab: TabIndex(1) }).await);
        let popup = see(&mut device).await;
        if opener == "Open" {
            tap(&mut device, named(&popup, "Close")).await;
        } else {
            confirmed(&act(&mut device, Action::CloseTab).await);
        }
        let seen = see(&mut device).await;
        assert_eq!((seen.context.title.as_str(), seen.context.tabs.len()), ("First", 1));
    }
    confirmed(&act(&mut device, Action::NewTab { url: Some(site.url("/next")) }).await);
    assert_eq!(see(&mut device).await.context.title, "Second");
    confirmed(&act(&mut device, Action::Reload).await);
    confirmed(&act(&mut device, Action::CloseTab).await);
    assert!(device.perform(&Action::CloseTab, soon()).await.unwrap_err().is_agents_mistake());
    let away = device.perform(&Action::Navigate { url: "http://127.0.0.1:1/".to_owned() }, soon()).await;
    assert!(matches!(away, Err(DeviceError::Refused { .. })), "{away:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_come_and_go() {
    let browser = launch().await;
    let folder = tempfile::tempdir().unwrap();
    let upload = folder.path().join("up.txt");
    std::fs::write(&upload, "up").unwrap();
    let site = Site::start();
    let start = site.page("/", "<a href=/file>Get</a><input type=file aria-label=Give onchange='out.textContent=this.files[0].name'>\
        <input type=file id=h style='display:none' onchange='out.textContent=\"via \"+this.files[0].name'><button onclick=h.click()>Choose</button><p id=out>");
    let mut device = browser.new_device(&WebOptions::default()).unwrap();
    let mut reset = to(&start, &[&site]);
    reset.downloads = Some(folder.path().to_owned());
    device.reset(&reset, soon()).await.unwrap();
    let seen = see(&mut device).await;
    assert!(named(&seen, "Give").can(Affordance::Upload));
    for (name, expected) in [("Give", "up.txt"), ("Choose", "via up.txt")] {
        let element = named(&seen, name).handle.clone();
        act(&mut device, Action::Upload { element, files: vec![upload.clone()] }).await;
        assert_eq!(js(&mut device, "out.textContent").await, expected);
    }
    confirmed(&tap(&mut device, named(&seen, "Get")).await);
    let end = Instant::now() + Duration::from_secs(5);
    let file = loop {
        let seen = see(&mut device).await;
        if let Some(done) = seen.context.downloads.iter().find(|d| d.done) {
            break done.clone();
        }
        assert!(Instant::now() < end, "{:?}", seen.context.downloads);
    };
    assert_eq!(file.name, "report.txt");
    assert_eq!(std::fs::read_to_string(file.path.unwrap()).unwrap(), "the report");
    let StateValue::Files(files) = device.probe(&StateProbe::Downloads, soon()).await.unwrap() else {
        panic!()
    };
    assert_eq!(files.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_reaches_a_foreign_origin() {
    let browser = launch().await;
    let foreign = Site::start();
    foreign.page("/", "stolen");
    foreign.page("/w.js", "1");
    let site = Site::start();
    let (f, ws) = (foreign.origin(), format!("ws://{}", foreign.address));
    site.page("/w.js", format!("fetch('{f}/worker').catch(()=>0); try{{new WebSocket('{ws}/w')}}catch(e){{}}; try{{importScripts('{f}/w.js')}}catch(e){{}}; postMessage('ran')"));
    site.page("/sw.js", format!("fetch('{f}/sw').catch(()=>0)"));
    let start = site.page("/", format!(
        r#"<title>t</title><link rel=preconnect href="{f}"><link rel=dns-prefetch href="{f}"><link rel=prefetch href="{f}/p"><link rel=stylesheet href="{f}/s.css">
        <img src="{f}/i.png"><iframe src="{f}/frame"></iframe><iframe src="/redirect?{f}/r"></iframe>
        <a href="{f}/" target=_blank>Pop</a> <a href="{f}/" ping="{f}/ping">Leave</a> <button onclick="window.open('{f}/')">Open</button>
        <form action="{f}/" method=post><button>Send</button></form>
        <script src="{f}/x.js"></script><script>
        seen=[]; worker=0;
        fetch('{f}/fetch').catch(()=>seen.push('fetch'));
        fetch('/redirect?{f}/r2').catch(()=>seen.push('redirect'));
        navigator.sendBeacon('{f}/beacon','x');
        let s=new WebSocket('{ws}/'); s.onerror=()=>seen.push('ws');
        let e=new EventSource('{f}/es'); e.onerror=()=>{{e.close();seen.push('es')}};
        new Worker('/w.js').onmessage=()=>worker=1;
        try{{ navigator.serviceWorker.register('/sw.js').catch(()=>0) }}catch(e){{}}
        try{{ let pc=new RTCPeerConnection({{iceServers:[{{urls:'turn:{addr}?transport=tcp',username:'a',credential:'b'}}]}}); pc.createDataChannel('x'); pc.createOffer().then(o=>pc.setLocalDescription(o)) }}catch(e){{}}
        try{{ new WebTransport('https://{addr}/').ready.catch(()=>0) }}catch(e){{}}
        </script>"#, addr = foreign.address));
    let mut device = browser.new_device(&WebOptions::default()).unwrap();
    device.reset(&to(&start, &[&site]), soon()).await.unwrap();
    let seen = see(&mut device).await;
    assert!(!seen.context.blocked.is_empty());
    assert!(
        seen.context.blocked.iter().all(|origin| origin.contains(&foreign.address.port().to_string())),
        "{:?}",
        seen.context.blocked
    );
    for name in ["Pop", "Open"] {
        let seen = see(&mut device).await;
        tap(&mut device, named(&seen, name)).await;
        see(&mut device).await;
        act(&mut device, Action::CloseTab).await;
    }
    for name in ["Send", "Leave"] {
        let seen = see(&mut device).await;
        tap(&mut device, named(&seen, name)).await;
        see(&mut device).await;
        act(&mut device, Action::Navigate { url: start.clone() }).await;
    }
    see(&mut device).await;
    let seen = js(&mut device, "seen.slice().sort().join()").await;
    assert_eq!(seen, "es,fetch,redirect,ws");
    assert_eq!(js(&mut device, "worker").await, 1);
    assert_eq!(foreign.connections(), 0);
    // The same page reaches it when it may: the page really tries.
    device.reset(&to(&start, &[&site, &foreign]), soon()).await.unwrap();
    assert!(see(&mut device).await.context.blocked.iter().all(|origin| origin.starts_with("https:")));
    assert!(foreign.connections() > 5, "{}", foreign.connections());
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_that_hide_their_content_are_refused() {
    let browser = launch().await;
    let (_site, mut device) = open(
        &browser,
        r#"<iframe id=d src="data:text/html,<script>parent.postMessage('data','*')</script>"></iframe><iframe id=b></iframe>
        <img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7" onload="img=1"><span id=font></span>
        <a id=up>Top</a><script>got=[];fetch('data:text/plain,x').then(r=>r.text()).then(t=>fetched=t);onmessage=e=>got.push(e.data);
        b.src=URL.createObjectURL(new Blob(["<script>parent.postMessage('blob','*')<\/script>"],{type:'text/html'}));
        w=new Worker(URL.createObjectURL(new Blob(["postMessage('worker')"])));w.onmessage=e=>got.push(e.data);
        up.href=URL.createObjectURL(new Blob(["<title>escaped</title>"],{type:'text/html'}))</script>"#,
    )
    .await;
    let seen = see(&mut device).await;
    assert_eq!(js(&mut device, "img").await, 1);
    assert_eq!(js(&mut device, "fetched").await, "x");
    assert_eq!(js(&mut device, "got.join()").await, "");
    assert!(
        seen.context.blocked.iter().any(|origin| origin.starts_with("data:")),
        "{:?}",
        seen.context.blocked
    );
    tap(&mut device, named(&seen, "Top")).await;
    let seen = see(&mut device).await;
    assert_ne!(seen.context.title, "escaped");
    assert!(
        seen.context.blocked.iter().any(|origin| origin.starts_with("blob:")),
        "{:?}",
        seen.context.blocked
    );
    for url in ["data:text/html,x", "file:///etc/passwd", "javascript:alert(1)", "chrome://version"] {
        let refused = device.perform(&Action::Navigate { url: url.to_owned() }, soon()).await;
        assert!(matches!(refused, Err(DeviceError::Refused { .. })), "{url}: {refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settling_waits_for_what_comes_and_no_longer() {
    let browser = launch().await;
    let (_site, mut device) = open(
        &browser,
        r#"<button onclick="fetch('/slow/300').then(()=>{out.textContent='late'})">Load</button>
        <button onclick="setInterval(()=>out.textContent=Math.random(),5)">Spin</button><p id=out>"#,
    )
    .await;
    let first = see(&mut device).await;
    let quiet = see(&mut device).await;
    assert!(quiet.timings.settle < Duration::from_millis(60), "{:?}", quiet.timings);
    confirmed(&tap(&mut device, named(&first, "Load")).await);
    let seen = see(&mut device).await;
    assert_eq!(seen.settled, Settled::Quiet);
    assert_eq!(js(&mut device, "out.textContent").await, "late");
    assert!(seen.timings.settle > Duration::from_millis(100), "{:?}", seen.timings);
    tap(&mut device, named(&first, "Spin")).await;
    let seen = see(&mut device).await;
    assert_eq!(seen.settled, Settled::StillMoving);
    assert!(seen.timings.settle < Duration::from_millis(2300), "{:?}", seen.timings);
}

#[tokio::test(flavor = "multi_thread")]
async fn devices_share_a_browser_and_nothing_else() {
    let browser = launch().await;
    let site = Site::start();
    let start = site.page(
        "/",
        "<input aria-label=Pin><script>document.title=localStorage.x||'empty';localStorage.x='full'</script>",
    );
    let options = WebOptions {
        viewport: Viewport { width: 640, height: 480, scale: 2.0 },
        secrets: Secrets::new([("pin".to_owned(), "hunter22".to_owned())]),
        ..WebOptions::default()
    };
    let (mut a, mut b) = (browser.new_device(&options).unwrap(), browser.new_device(&options).unwrap());
    let reset = to(&start, &[&site]);
    let (ra, rb) = tokio::join!(a.reset(&reset, soon()), b.reset(&reset, soon()));
    ra.and(rb).unwrap();
    let (sa, sb) = (see(&mut a).await, see(&mut b).await);
    assert_eq!((sa.context.title.as_str(), sb.context.title.as_str()), ("empty", "empty"));
    assert_eq!((sa.picture.pixels.width(), sa.picture.pixels.height()), (1280, 960));
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
async fn a_browser_that_dies_is_gone_at_once_and_leaves_nothing() {
    let browser = launch().await;
    let (_site, mut device) = open(&browser, "<button>Hi</button>").await;
    see(&mut device).await;
    let pid = browser.pid().unwrap();
    let raw = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(raw, rustix::process::Signal::KILL).unwrap();
    let started = Instant::now();
    let error = device.observe(Want::All, soon()).await.unwrap_err();
    assert!(matches!(error, DeviceError::Gone { .. }), "{error}");
    assert!(started.elapsed() < Duration::from_secs(2));
    assert!(!browser.is_alive());
    assert!(browser.new_device(&WebOptions::default()).is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_the_last_handle_ends_the_whole_group() {
    let browser = launch().await;
    let (_site, mut device) = open(&browser, "<button>Hi</button>").await;
    see(&mut device).await;
    let group = browser.pid().unwrap();
    assert!(members(group) > 1);
    drop(browser);
    assert!(members(group) > 1);
    drop(device);
    let end = Instant::now() + Duration::from_secs(2);
    while members(group) > 0 {
        assert!(Instant::now() < end, "{} processes are left", members(group));
        std::thread::yield_now();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_of_the_page_is_told() {
    let browser = launch().await;
    let (_site, mut device) = open(&browser, "<button>Hi</button>").await;
    see(&mut device).await;
    let group = browser.pid().unwrap();
    for renderer in renderers(group) {
        let raw = rustix::process::Pid::from_raw(i32::try_from(renderer).unwrap()).unwrap();
        rustix::process::kill_process(raw, rustix::process::Signal::KILL).unwrap();
    }
    let started = Instant::now();
    let error = device.observe(Want::All, soon()).await.unwrap_err();
    assert!(matches!(error, DeviceError::Crashed { .. }), "{error}");
    assert!(started.elapsed() < Duration::from_secs(3));
    let site = Site::start();
    let start = site.page("/", "<title>again</title>");
    device.reset(&to(&start, &[&site]), soon()).await.unwrap();
    assert_eq!(see(&mut device).await.context.title, "again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_runs_already_can_be_joined() {
    // The first browser listens on a port besides its pipe; its profile names the port.
    let options =
        BrowserOptions { args: vec!["--remote-debugging-port=0".to_owned()], ..BrowserOptions::default() };
    let host = Browser::launch(&options, soon()).await.unwrap();
    let line = std::fs::read_to_string(format!("/proc/{}/cmdline", host.pid().unwrap())).unwrap();
    let profile = line.split('\0').find_map(|arg| arg.strip_prefix("--user-data-dir=")).unwrap();
    let port_file = std::path::Path::new(profile).join("DevToolsActivePort");
    let end = Instant::now() + Duration::from_secs(5);
    let port = loop {
        match std::fs::read_to_string(&port_file) {
            Ok(text) if text.lines().count() == 2 => break text,
            _ => assert!(Instant::now() < end, "no port"),
        }
    };
    let (port, path) = port.split_once('\n').unwrap();
    let joined = Browser::connect(&format!("ws://127.0.0.1:{port}{}", path.trim()), soon()).await.unwrap();
    let (_site, mut device) = open(&joined, "<button>Hi</button>").await;
    named(&see(&mut device).await, "Hi");
    drop((device, joined));
    assert!(host.is_alive());
    assert!(Browser::connect("ws://127.0.0.1:1/", soon()).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn large_pages_are_quick() {
    let browser = launch().await;
    let controls: String = (0..1000)
        .map(|n| match n % 4 {
            0 => format!("<button>B{n}</button>"),
            1 => format!("<input size=4 value={n}>"),
            2 => format!("<a href=#{n}>L{n}</a>"),
            _ => "<input type=checkbox>".to_owned(),
        })
        .collect();
    let (_site, mut device) = open(&browser, &controls).await;
    see(&mut device).await;
    let mut took = Vec::new();
    for _ in 0..7 {
        took.push(see(&mut device).await.timings);
    }
    took.sort_by_key(|timings| timings.total);
    println!("1,000 controls: {:?}", took[3]);
    let huge: String = (0..20_000).map(|n| format!("<div><a href=#{n}>Item {n}</a></div>")).collect();
    let (_site, mut device) = open(&browser, &huge).await;
    let seen = see(&mut device).await;
    println!("40,000 elements: {:?} {}", seen.timings, seen.elements.len());
    assert!(seen.timings.total < Duration::from_secs(4));
    let many: String = (0..5000)
        .map(|n| format!("<i onclick=1 style='float:left;width:8px;height:8px'>{}</i>", n % 10))
        .collect();
    let (_site, mut device) = open(&browser, &many).await;
    let seen = see(&mut device).await;
    println!("5,000 visible: {:?} {} {}", seen.timings, seen.elements.len(), seen.context.truncated);
    assert_eq!(seen.elements.len(), 1500);
    assert!(seen.context.truncated > 2000);
}

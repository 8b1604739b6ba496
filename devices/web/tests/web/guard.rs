//! What the guard keeps in.

use super::site::Site;
use super::support::*;
use waldo_devices::{Action, DeviceError, Observation, OriginRule};
use waldo_web::WebOptions;

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
    let mut device = begun(&browser, &WebOptions::default(), &to(&start, &[&site])).await;
    let seen = see(&mut device).await;
    assert!(!seen.context.blocked.is_empty());
    let (blocked, port) = (&seen.context.blocked, foreign.address.port().to_string());
    assert!(blocked.iter().all(|origin| origin.contains(&port)), "{blocked:?}");
    for name in ["Pop", "Open"] {
        press(&mut device, name).await;
        see(&mut device).await;
        act(&mut device, Action::CloseTab).await;
    }
    for name in ["Send", "Leave"] {
        press(&mut device, name).await;
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
    let (_browser, _site, mut device) = opened(r#"<iframe id=d src="data:text/html,<script>parent.postMessage('data','*')</script>"></iframe><iframe id=b></iframe>
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
    let blocks =
        |seen: &Observation, scheme| seen.context.blocked.iter().any(|origin| origin.starts_with(scheme));
    assert!(blocks(&seen, "data:"), "{:?}", seen.context.blocked);
    for scheme in ["blob:", "data:"] {
        let told = named(&seen, &format!("blocked: documents of {scheme} addresses are not shown"));
        assert!(told.states.disabled, "{told:?}");
    }
    tap(&mut device, named(&seen, "Top")).await;
    let seen = see(&mut device).await;
    assert_ne!(seen.context.title, "escaped");
    assert!(blocks(&seen, "blob:"), "{:?}", seen.context.blocked);
    for url in ["data:text/html,x", "file:///etc/passwd", "javascript:alert(1)", "chrome://version"] {
        let refused = device.perform(&Action::Navigate { url: url.to_owned() }, soon()).await;
        assert!(matches!(refused, Err(DeviceError::Refused { .. })), "{url}: {refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_answer_is_told_of() {
    let browser = launch().await;
    let site = Site::start();
    let start = site.page("/", "<title>There</title>Words");
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{nobody}/");
    let mut reset = to(&start, &[&site]);
    reset.policy.origins.push(OriginRule::parse(&url).unwrap());
    let mut device = begun(&browser, &WebOptions::default(), &reset).await;
    let gone = act(&mut device, Action::Navigate { url: url.clone() }).await;
    assert!(confirmed(&gone).contains("Connection refused"), "{gone:?}");
    let page = js(&mut device, "document.body.innerText").await;
    assert!(page.as_str().unwrap().starts_with("No connection: Connection refused"), "{page}");
    reset.start = url.clone();
    let told = device.reset(&reset, soon()).await.unwrap_err();
    assert!(matches!(&told, DeviceError::Absent { what, .. } if what.contains(&url)), "{told}");
    // It is back.
    device.reset(&to(&start, &[&site]), soon()).await.unwrap();
    assert_eq!(see(&mut device).await.context.title, "There");
    device.close(soon()).await.unwrap();
}

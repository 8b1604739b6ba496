//! Pages that do not want to be used.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::site::Site;
use super::support::*;
use waldo_devices::{
    Action, Capture, Deadline, DeviceError, DialogReply, Effect, Observation, Point, ResetTo, Settled,
    StateProbe, StateValue,
};
use waldo_web::{Browser, Viewport, WebDevice, WebOptions};

/// A page before a device of the shared browser that gives it a second to load.
async fn impatient(html: &str) -> (Arc<Browser>, Site, WebDevice) {
    let (browser, site) = (launch().await, Site::start());
    let (load, settle) = (Duration::from_secs(1), Duration::from_millis(500));
    let options = WebOptions { load, settle, ..WebOptions::default() };
    let device = begun(&browser, &options, &to(&site.page("/", html), &[&site])).await;
    (browser, site, device)
}

async fn dismiss(device: &mut WebDevice) -> Result<waldo_devices::ActionReport, DeviceError> {
    device.perform(&Action::Dialog { reply: DialogReply::Dismiss }, soon()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_ends_loading_can_be_used() {
    let browser = launch().await;
    let site = Site::start();
    let start = site.page("/", "<button onclick=\"document.title='used'\">Use</button><img src=/hang>");
    // All of it within the time for a screen to be quiet, some times over, and not the time for a page to come.
    let options = WebOptions { settle: Duration::from_millis(200), ..WebOptions::default() };
    let started = Instant::now();
    let mut device = begun(&browser, &options, &to(&start, &[&site])).await;
    let seen = see(&mut device).await;
    assert!(started.elapsed() < options.load / 2, "{:?}", started.elapsed());
    assert_eq!(seen.settled, Settled::StillLoading);
    confirmed(&tap(&mut device, named(&seen, "Use")).await);
    // It was waited for once.
    let seen = see(&mut device).await;
    assert_eq!((seen.settled, seen.context.title.as_str()), (Settled::StillLoading, "used"));
    assert!(seen.timings.settle < Duration::from_secs(1), "{:?}", seen.timings);

    // One that asks its server for the same thing for ever is there.
    let polls = site.page("/polls", "<button>Go</button><script>(async()=>{for(;;)await(await fetch('/?'+Date.now())).text()})()</script>");
    device.reset(&to(&polls, &[&site]), soon()).await.unwrap();
    named(&see(&mut device).await, "Go");
    until(&mut device, |seen| seen.settled == Settled::Quiet).await;

    // The document itself never ends.
    act(&mut device, Action::Navigate { url: site.url("/drip") }).await;
    let seen = see(&mut device).await;
    assert_eq!((seen.settled, seen.context.title.as_str()), (Settled::StillLoading, "Begun"));
    named(&seen, "First");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_leads_to_itself_for_ever_is_an_error_page() {
    let (_browser, site, mut device) = opened("<title>Start</title>").await;
    device.reset(&to(&site.url("/loop"), &[&site]), soon()).await.unwrap();
    let seen = see(&mut device).await;
    assert_notice(&seen, "TOO_MANY_REDIRECTS");
    // Paths are of the site that was asked.
    assert_eq!(seen.context.location, site.url("/loop"));
    act(&mut device, Action::Navigate { url: site.url("/") }).await;
    assert_eq!(see(&mut device).await.context.title, "Start");
    let again = act(&mut device, Action::Navigate { url: site.url("/loop") }).await;
    assert!(confirmed(&again).contains("error page"), "{again:?}");
    assert_eq!(see(&mut device).await.context.location, site.url("/loop"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_answers_holds_nobody_up() {
    let (_browser, site, mut device) = impatient("<title>Here</title><a href=/hang>Away</a>").await;
    let start = site.url("/");
    press(&mut device, "Away").await;
    let seen = see(&mut device).await;
    assert_eq!((seen.settled, seen.context.title.as_str()), (Settled::StillLoading, "Here"));
    let gone = device.perform(&Action::Navigate { url: site.url("/hang") }, soon()).await.unwrap();
    assert_eq!(gone.effect, Effect::Unverifiable);
    assert!(gone.took < Duration::from_secs(15), "{gone:?}");
    assert_eq!(see(&mut device).await.context.title, "Here");
    act(&mut device, Action::Navigate { url: start.clone() }).await;
    assert_eq!(see(&mut device).await.settled, Settled::Quiet);
    // Where an episode cannot even begin, that is said in time.
    let started = Instant::now();
    let error = device.reset(&to(&site.url("/hang"), &[&site]), soon()).await.unwrap_err();
    assert!(matches!(error, DeviceError::Absent { .. }), "{error}");
    let told = format!("nothing answers at {}: no answer within", site.url("/hang"));
    assert!(error.to_string().starts_with(&told), "{error}");
    assert!(started.elapsed() < Duration::from_secs(15));
    // Where the run answers for that server, nothing is made up for it: a late page is not the agent's doing.
    let hosted = ResetTo { answers_within: Some(Duration::from_secs(1)), ..to(&start, &[&site]) };
    device.reset(&hosted, soon()).await.unwrap();
    press(&mut device, "Away").await;
    let error = device.observe(Capture::All, soon()).await.unwrap_err();
    assert!(matches!(error, DeviceError::Absent { .. }), "{error}");
    assert!(error.to_string().starts_with("no page came from the application within 1"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn dialogs_without_end_are_told_one_by_one() {
    let nag = "<title>Nag</title><script>for(let n=0;;n++) n%2?confirm('c'+n):alert('a'+n)</script>";
    let (_browser, site, mut device) = impatient(nag).await;
    for n in 0..4 {
        let message = if n % 2 == 0 { format!("a{n}") } else { format!("c{n}") };
        let asks = |seen: &Observation| seen.context.dialog.as_ref().is_some_and(|d| d.message == message);
        assert_eq!(until(&mut device, asks).await.settled, Settled::Dialog);
        dismiss(&mut device).await.unwrap();
    }
    // A check's question cannot be answered here, and that is said in time.
    let started = Instant::now();
    let asked = device.probe(&StateProbe::Js("1".to_owned()), soon()).await;
    assert!(matches!(asked, Err(DeviceError::Blocked { .. })), "{asked:?}");
    assert!(started.elapsed() < Duration::from_secs(15));
    let StateValue::Text(at) = device.probe(&StateProbe::Location, soon()).await.unwrap() else { panic!() };
    assert_eq!(at, site.url("/"));
    // The next episode does not hear of it.
    let calm = site.page("/calm", "<title>Calm</title>Words");
    device.reset(&to(&calm, &[&site]), soon()).await.unwrap();
    let seen = see(&mut device).await;
    assert_eq!((seen.context.dialog, seen.context.title.as_str()), (None, "Calm"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_does_not_keep_a_check_from_its_answer() {
    let (_browser, _site, mut device) =
        opened("<button onclick=\"for(let n=0;n<3;n++)alert(n);document.title='through'\">Nag</button>")
            .await;
    let seen = see(&mut device).await;
    tap(&mut device, named(&seen, "Nag")).await;
    assert_eq!(see(&mut device).await.settled, Settled::Dialog);
    assert_eq!(js(&mut device, "document.title").await, "through");
    // Nor from what the page keeps.
    let nag = "localStorage.kept='yes';for(let n=0;n<3;n++)confirm(n);document.title='again'";
    js(&mut device, &format!("void setTimeout(() => {{ {nag} }})")).await;
    until(&mut device, |seen| seen.context.dialog.is_some()).await;
    let StateValue::Json(stored) = device.probe(&StateProbe::Storage, soon()).await.unwrap() else {
        panic!()
    };
    assert_eq!(stored["origins"][0]["localStorage"][0]["value"], "yes", "{stored}");
    assert_eq!(js(&mut device, "document.title").await, "again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_asks_before_it_is_left_is_asked_about() {
    let page = "<title>Stay</title><button>Touch</button><script>onbeforeunload=e=>{e.preventDefault();return 'x'}</script>";
    let (_browser, site, mut device) = opened(page).await;
    let other = site.page("/other", "<title>Other</title>Words");
    let seen = see(&mut device).await;
    // Browsers ask only where somebody has touched the page.
    tap(&mut device, named(&seen, "Touch")).await;
    let leave = Action::Navigate { url: other };
    assert!(confirmed(&act(&mut device, leave.clone()).await).contains("dialog"));
    let asked = see(&mut device).await.context.dialog.unwrap();
    assert!(asked.kind == "beforeunload" && asked.message.contains("may not be saved"), "{asked:?}");
    dismiss(&mut device).await.unwrap();
    assert_eq!(see(&mut device).await.context.title, "Stay");
    act(&mut device, leave).await;
    act(&mut device, Action::Dialog { reply: DialogReply::Accept { text: None } }).await;
    until(&mut device, |seen| seen.context.title == "Other").await;
    // Nor does it hold up the end of an episode.
    act(&mut device, Action::Back).await;
    let seen = until(&mut device, |seen| seen.context.title == "Stay").await;
    tap(&mut device, named(&seen, "Touch")).await;
    act(&mut device, Action::Reload).await;
    let started = Instant::now();
    device.reset(&to(&site.url("/other"), &[&site]), soon()).await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(15));
    assert_eq!(see(&mut device).await.context.title, "Other");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_of_the_tab_behind_comes_to_the_front() {
    let page = "<title>First</title><button onclick=\"window.open('/pop');alert('behind')\">Both</button>";
    let (_browser, site, mut device) = opened(page).await;
    site.page("/pop", "<title>Popup</title><button>In</button>");
    press(&mut device, "Both").await;
    let context = see(&mut device).await.context;
    assert_eq!(context.dialog.as_ref().map(|d| d.message.as_str()), Some("behind"), "{context:?}");
    dismiss(&mut device).await.unwrap();
    let seen = see(&mut device).await;
    let context = &seen.context;
    assert_eq!((context.title.as_str(), context.tabs.len()), ("Popup", 2), "{:?} {context:?}", seen.settled);
    named(&seen, "In");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_moves_on_under_the_hand_is_no_error() {
    let page = "<title>First</title><button onmousedown=\"location='/second'\">Down</button>\
        <button onmousemove=\"location='/second'\">Over</button><input aria-label=Field onkeydown=\"location='/second'\">";
    let (browser, site, mut device) = opened(page).await;
    site.page("/second", "<title>Second</title>Words");
    for name in ["Down", "Over"] {
        let seen = until(&mut device, |seen| seen.context.title == "First").await;
        confirmed(&tap(&mut device, named(&seen, name)).await);
        until(&mut device, |seen| seen.context.title == "Second").await;
        act(&mut device, Action::Back).await;
    }
    let seen = until(&mut device, |seen| seen.context.title == "First").await;
    tap(&mut device, named(&seen, "Field")).await;
    confirmed(&act(&mut device, Action::Type { text: "hello world".repeat(4) }).await);
    until(&mut device, |seen| seen.context.title == "Second").await;

    // A page that is never the same twice, with more on it than is gathered at one go.
    let flees = "<script>setTimeout(()=>location.replace('/restless?'+Math.random()),30)</script>";
    let page = format!("<title>Restless</title>{}{flees}", "<button>Catch</button>".repeat(300));
    let restless = site.page("/restless", page);
    let options = WebOptions { settle: Duration::from_secs(1), ..WebOptions::default() };
    let mut device = begun(&browser, &options, &to(&site.url("/second"), &[&site])).await;
    act(&mut device, Action::Navigate { url: restless }).await;
    // A busy machine may need more than three looks to catch it.
    let (mut caught, mut looks) = (0, 0);
    let end = Instant::now() + Duration::from_secs(120);
    while looks < 3 || caught == 0 {
        assert!(Instant::now() < end, "the page was never seen");
        looks += 1;
        let started = Instant::now();
        let seen = see(&mut device).await;
        assert!(started.elapsed() < Duration::from_secs(19), "{:?}", started.elapsed());
        if let Some(button) = seen.elements.first() {
            caught += 1;
            tap(&mut device, button).await;
        }
    }
    act(&mut device, Action::Navigate { url: site.url("/second") }).await;
    until(&mut device, |seen| seen.context.title == "Second").await;
}

/// A page that works for a while, asks, and is answered: it must hear what comes then.
async fn works_asks_and_hears(device: &mut WebDevice, patience: Duration) {
    let seen = see(device).await;
    let say = named(&seen, "Say").clone();
    tap(device, named(&seen, "Work")).await;
    let end = Instant::now() + Duration::from_secs(15);
    let asked = loop {
        let seen = device.observe(Capture::All, Deadline::after(patience)).await.unwrap();
        if seen.context.dialog.is_some() {
            break seen;
        }
        assert!(Instant::now() < end, "{:?}", seen.context);
    };
    assert_eq!(asked.settled, Settled::Dialog);
    dismiss(device).await.unwrap();
    tap(device, &say).await;
    assert_eq!(js(device, "out.textContent").await, "heard");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_was_long_in_coming_and_asks_then_works_on() {
    let (_browser, _site, mut device) = opened("<button onclick=\"setTimeout(()=>{let end=Date.now()+1600;while(Date.now()<end);alert('done')},200)\">Work</button>\
         <button onclick=\"out.textContent='heard'\">Say</button><p id=out>",
    )
    .await;
    // It is given up for the first time before it is done, and asks while it is looked at again.
    works_asks_and_hears(&mut device, Duration::from_millis(2500)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_asks_while_its_scripts_are_held_works_on() {
    let page = "<button onclick=\"let n=0,t=setInterval(()=>{location.hash=n;if(n++>20){clearInterval(t);\
        let end=Date.now()+1000;while(Date.now()<end);alert('done')}},20)\">Work</button>\
        <button onclick=\"out.textContent='heard'\">Say</button><p id=out>";
    let (_browser, _site, mut device) = impatient(page).await;
    // It moves on and on, so that it is held for its picture.
    works_asks_and_hears(&mut device, Duration::from_secs(20)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_computes_for_ever_is_told_by_the_deadline_and_loses_its_tab() {
    let (_browser, site, mut device) = impatient("<button onclick='for(;;);'>Hang</button>").await;
    let seen = see(&mut device).await;
    let short = || Deadline::after(Duration::from_millis(1500));
    let tap = Action::tap(named(&seen, "Hang").hit);
    let started = Instant::now();
    // The tap may or may not be told to have arrived; it ends.
    let _ = device.perform(&tap, short()).await;
    let seen = device.observe(Capture::All, short()).await.unwrap();
    assert_notice(&seen, "could not be looked at");
    assert_eq!(seen.picture.size(), (1280, 800));
    let seen = device.observe(Capture::All, Deadline::after(Duration::from_secs(4))).await.unwrap();
    assert_notice(&seen, "its tab was closed");
    assert_eq!(see(&mut device).await.context.location, "about:blank");
    assert!(started.elapsed() < Duration::from_secs(45), "{:?}", started.elapsed());
    let calm = site.page("/calm", "<title>Calm</title>Words");
    device.reset(&to(&calm, &[&site]), soon()).await.unwrap();
    assert_eq!(see(&mut device).await.context.title, "Calm");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_drawn_anew_for_ever_is_still_moving() {
    let page = "<button id=b style='position:absolute'>Fly</button><script>let n=0;\
        (function f(){b.style.left=(n=(n+1)%99)+'px';requestAnimationFrame(f)})()</script>";
    let (browser, _site, mut device) = impatient(page).await;
    let seen = see(&mut device).await;
    assert_eq!(seen.settled, Settled::StillMoving);
    named(&seen, "Fly");
    device.close(soon()).await.unwrap();
    // A style's own endless animation changes nothing that can be touched: nobody waits for it.
    let blinks =
        "<style>@keyframes k{to{opacity:.3}}button{animation:k 1s infinite}</style><button>Blink</button>";
    let (_site, mut device) = open(&browser, blinks).await;
    assert_eq!(see(&mut device).await.settled, Settled::Quiet);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_closes_itself_gives_way_to_its_opener() {
    let browser = launch().await;
    let site = Site::start();
    site.page("/mayfly", "<title>Mayfly</title><script>window.close()</script>");
    let start = site.page("/", "<title>Rock</title><a href=/mayfly target=_blank rel=opener>Open</a>");
    let options = WebOptions { settle: Duration::from_secs(10), ..WebOptions::default() };
    let mut device = begun(&browser, &options, &to(&start, &[&site])).await;
    for _ in 0..3 {
        let seen = until(&mut device, |seen| seen.context.title == "Rock").await;
        confirmed(&tap(&mut device, named(&seen, "Open")).await);
        let seen = until(&mut device, |seen| seen.context.tabs.len() == 1).await;
        assert_eq!(seen.context.title, "Rock");
        // Nobody waits for what is gone.
        assert!(seen.timings.settle < Duration::from_secs(8), "{:?}", seen.timings);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_tabs_is_dammed() {
    let page = "<title>Source</title><button onclick=\"for(let n=0;n<60;n++){window.open('/pop');\
        let a=document.createElement('a');a.href='/pop';a.target='_blank';a.click()}\">Flood</button>";
    let (_browser, site, mut device) = opened(page).await;
    let drop =
        "<title>Drop</title><script>onclick=onload=()=>{for(let n=0;n<5;n++)window.open('/pop')}</script>";
    site.page("/pop", drop);
    confirmed(&press(&mut device, "Flood").await);
    // Browsers grant one tab a touch, so it takes many.
    for _ in 0..21 {
        act(&mut device, Action::tap(Point::new(300.0, 300.0))).await;
    }
    let seen = see(&mut device).await;
    assert_eq!((seen.context.title.as_str(), seen.context.tabs.len()), ("Drop", 20));
    let more = device.perform(&Action::NewTab { url: None }, soon()).await.unwrap_err();
    assert!(more.is_agents_mistake() && more.to_string().contains("close one"), "{more}");
    act(&mut device, Action::SwitchTab { tab: waldo_devices::TabIndex(0) }).await;
    let seen = see(&mut device).await;
    assert_eq!(seen.context.title, "Source", "{:?} {:?}", seen.settled, seen.context);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_download_stays_in_its_folder() {
    let browser = launch().await;
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("a/b");
    std::fs::create_dir_all(&folder).unwrap();
    let site = Site::start();
    let start = site.page("/", "<a href=/evil>Header</a> <a href=/file download='../../y.txt'>Name</a>");
    let reset = ResetTo { downloads: Some(folder.clone()), ..to(&start, &[&site]) };
    let mut device = begun(&browser, &WebOptions::default(), &reset).await;
    let seen = see(&mut device).await;
    for name in ["Header", "Name"] {
        tap(&mut device, named(&seen, name)).await;
    }
    let seen = until(&mut device, |seen| seen.context.downloads.iter().filter(|d| d.done).count() == 2).await;
    for download in &seen.context.downloads {
        let path = download.path.as_ref().unwrap();
        assert_eq!(path.parent(), Some(folder.as_path()), "{path:?}");
        assert_eq!(std::fs::read_to_string(path).unwrap(), "the report");
    }
    let strays: Vec<_> = std::fs::read_dir(outer.path()).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(strays, ["a"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_no_size_is_no_target() {
    let browser = launch().await;
    let html = "<body style='margin:0'>\
        <button style='width:0;height:0;padding:0;border:0;overflow:hidden'>Nothing</button>\
        <button style='width:0.4px;height:20px;padding:0;border:0;overflow:hidden'>Sliver</button>\
        <iframe style='width:0;height:0;border:0' srcdoc='<button>Inner</button>'></iframe>\
        <div style='transform:scale(0)'><button>Scaled</button></div>\
        <a href=#></a><canvas width=0 height=0></canvas><button style='position:absolute;left:-900px'>Left</button>\
        <button style='position:absolute;top:100px;left:0;width:50px;height:30px' onclick=\"document.title='hit'\">Real</button>";
    let (site, mut device) = open(&browser, html).await;
    let seen = see(&mut device).await;
    assert_eq!(names(&seen), ["button 'Real'"]);
    // A screen of one pixel is a screen.
    let viewport = Viewport { width: 1, height: 1, scale: 1.0 };
    // All of it has one colour, so it is waited for as a page that shows nothing.
    let options = WebOptions { viewport, load: Duration::from_secs(1), ..WebOptions::default() };
    let mut tiny = begun(&browser, &options, &to(&site.url("/"), &[&site])).await;
    let seen = see(&mut tiny).await;
    assert_eq!(seen.picture.size(), (1, 1));
    for (width, height, scale) in [(0, 800, 1.0), (1280, 0, 1.0), (1280, 800, 0.0), (1280, 800, f64::NAN)] {
        let options = WebOptions { viewport: Viewport { width, height, scale }, ..WebOptions::default() };
        assert!(matches!(browser.new_device(&options), Err(DeviceError::BadArgument { .. })));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn at_any_scale_bounds_are_physical_and_taps_hit() {
    let browser = launch().await;
    let site = Site::start();
    let foreign = Site::start();
    let inner = foreign.page("/inner", "<body style='margin:0'><button style='position:absolute;left:20px;top:10px;width:80px;height:30px' onclick=\"parent.postMessage('foreign','*')\">Foreign</button>");
    let start = site.page("/", format!(
        "<body style='margin:0'><button style='position:absolute;left:101px;top:51px;width:33px;height:21px' onclick=\"document.title='top'\">Top</button>\
         <iframe src='{inner}' style='position:absolute;left:200px;top:100px;width:200px;height:100px;border:3px solid'></iframe>\
         <script>onmessage=e=>document.title=e.data</script>"));
    for scale in [1.5, 2.0] {
        let viewport = Viewport { width: 640, height: 400, scale };
        let options = WebOptions { viewport, ..WebOptions::default() };
        let mut device = begun(&browser, &options, &to(&start, &[&site, &foreign])).await;
        let seen = see(&mut device).await;
        let size = (f64::from(seen.picture.pixels().width()), f64::from(seen.picture.pixels().height()));
        assert_eq!(size, (640.0 * scale, 400.0 * scale));
        for (name, title, wanted) in
            [("Top", "top", [101.0, 51.0, 33.0, 21.0]), ("Foreign", "foreign", [223.0, 113.0, 80.0, 30.0])]
        {
            let bounds = named(&seen, name).bounds;
            let css = [bounds.x, bounds.y, bounds.w, bounds.h].map(|n| n / scale);
            assert!(wanted.iter().zip(css).all(|(a, b)| (a - b).abs() < 0.51), "{css:?}");
            // The corner farthest from the origin shows an error of scale most.
            confirmed(&act(&mut device, Action::tap(bounds.at(0.95, 0.9))).await);
            until(&mut device, |seen| seen.context.title == title).await;
        }
    }
}

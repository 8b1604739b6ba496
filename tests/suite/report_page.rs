//! The report in a real browser.

use waldo_devices::{
    Action, Button, Capture, Clicks, Device as _, Element, GuardPolicy, Observation, OriginRule, ResetTo,
};
use waldo_web::{Browser, BrowserOptions, Viewport, WebDevice, WebOptions};

use super::demo::{js, soon};
use super::live_page::key;

use super::support::*;

fn find<'a>(seen: &'a Observation, role: &str, name: &str) -> &'a Element {
    let fits = |e: &&Element| e.role.as_str() == role && e.name.contains(name);
    seen.elements.iter().find(fits).unwrap_or_else(|| {
        let all: Vec<_> = seen.elements.iter().map(|e| format!("{} '{}'", e.role.as_str(), e.name)).collect();
        panic!("no {role} '{name}' in {all:#?}")
    })
}

async fn open(run: &Path) -> (Browser, WebDevice) {
    open_in(&run.join("report.html"), WebOptions::default()).await
}

pub(super) async fn open_in(page: &Path, options: WebOptions) -> (Browser, WebDevice) {
    let page = page.to_owned();
    let site = Server::start(move |_, request| match request.path.as_str() {
        "/" => Answer::page(&text_in(&page)),
        path => match std::fs::read(page.with_file_name(path.trim_start_matches('/'))) {
            Ok(bytes) if path.ends_with(".js") => Answer::new("200 OK", "text/javascript", bytes),
            Ok(bytes) => Answer::new("200 OK", "image/webp", &bytes),
            Err(_) => Answer::new("404 Not Found", "text/plain", ""),
        },
    });
    let browser = Browser::launch(&BrowserOptions::default(), soon()).await.unwrap();
    let mut device = browser.new_device(&options).unwrap();
    let origins = vec![OriginRule::parse(&site.url("")).unwrap()];
    let policy = GuardPolicy { origins, ..GuardPolicy::default() };
    device.reset(&ResetTo { start: site.url("/"), policy, ..ResetTo::default() }, soon()).await.unwrap();
    (browser, device)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_report_is_filtered_and_played() {
    let dir = tempdir();
    let args = "eval l3-web --agent reference --agent noop --task kanban-drag --task register-form --max-steps 8 \
        --workers 2 --out r";
    waldo(&dir, args).ok();
    let (browser, mut device) = open(&dir.join("r")).await;
    let seen = device.observe(Capture::Elements, soon()).await.unwrap();
    let shown = "[...document.querySelectorAll('#tasks tbody tr')].filter(r=>!r.hidden).length";
    assert_eq!(js(&mut device, shown).await, 2);
    assert_eq!(js(&mut device, "document.querySelectorAll('table.scores tbody tr').length >= 2").await, true);

    // The filter, by hand.
    let field = js(&mut device, "(()=>{const f=document.getElementById('f-text');f.scrollIntoView({block:'center'});return f.labels.length})()").await;
    assert_eq!(field, 1);
    drop(seen);
    js(&mut device, "document.getElementById('f-text').focus()").await;
    device.perform(&Action::Type { text: "kanban".to_owned() }, soon()).await.unwrap();
    assert_eq!(js(&mut device, shown).await, 1);
    device.perform(&Action::Type { text: " nothing so called".to_owned() }, soon()).await.unwrap();
    assert_eq!(js(&mut device, shown).await, 0);
    assert_eq!(js(&mut device, "document.getElementById('f-none').hidden").await, false);
    key(&mut device, "Ctrl+A").await;
    key(&mut device, "Delete").await;
    assert_eq!(js(&mut device, shown).await, 2);

    // The player.
    js(&mut device, "document.querySelector('a.chip').scrollIntoView({block:'center'})").await;
    let at = js(&mut device, "(()=>{const r=document.querySelector('a.chip').getBoundingClientRect();return [r.x+r.width/2,r.y+r.height/2]})()").await;
    let at = waldo_devices::Point::new(at[0].as_f64().unwrap(), at[1].as_f64().unwrap());
    device.perform(&Action::Tap { at, clicks: Clicks::Single, button: Button::Left }, soon()).await.unwrap();
    let current = "[...document.querySelectorAll('#player .p-strip button')].findIndex(b=>b.hasAttribute('aria-current'))";
    assert_eq!(js(&mut device, "document.getElementById('player').open").await, true);
    // They come from a file beside the page.
    let steps = "new Promise(done=>{const look=()=>{const n=document.querySelectorAll('#player .p-strip button').length;\
        n?done(n):requestAnimationFrame(look)};look()})";
    let steps = js(&mut device, steps).await;
    assert!(steps.as_u64().unwrap() > 2, "{steps}");
    assert_eq!(js(&mut device, current).await, 0);
    key(&mut device, "ArrowRight").await;
    key(&mut device, "ArrowRight").await;
    assert_eq!(js(&mut device, current).await, 2);
    key(&mut device, "ArrowLeft").await;
    assert_eq!(js(&mut device, current).await, 1);
    let picture = "(async()=>{const i=document.querySelector('#player .p-shot img');await i.decode();return i.naturalWidth})()";
    assert!(js(&mut device, picture).await.as_u64().unwrap() > 100);
    // What was done is drawn on the screen before it, and the screen after stands beside it.
    let halves = "[...document.querySelectorAll('#player .p-half')].map(f=>[f.textContent,f.querySelectorAll('.mark').length>0,f.querySelector('img').src.includes('step-')])";
    let step = |n: u64| format!("document.querySelectorAll('#player .p-strip button')[{n}].click()");
    let mut drawn = 0;
    for n in 0..steps.as_u64().unwrap() - 1 {
        js(&mut device, &step(n)).await;
        let both = js(&mut device, halves).await;
        assert_eq!((&both[0][0], &both[0][2]), (&"before".into(), &true.into()), "{both}");
        assert_eq!(both[1], json!(["after", false, true]), "{both}");
        drawn += u32::from(both[0][1] == true);
    }
    assert!(drawn > 0, "no action is drawn");
    js(&mut device, &step(1)).await;
    let sources = "new Set([...document.querySelectorAll('#player .p-half img')].map(i=>i.src)).size";
    assert_eq!(js(&mut device, sources).await, 2);
    key(&mut device, "b").await;
    assert_eq!(js(&mut device, "document.querySelectorAll('#player .p-half').length").await, 1);
    key(&mut device, "b").await;
    key(&mut device, "End").await;
    assert_eq!(js(&mut device, halves).await, json!([["", false, true]]), "nothing comes after the end");
    let seen = device.observe(Capture::Elements, soon()).await.unwrap();
    find(&seen, "button", "Close");
    key(&mut device, "Escape").await;
    assert_eq!(js(&mut device, "document.getElementById('player').open").await, false);
    quick_hands(&mut device).await;
    device.close(soon()).await.unwrap();
    browser.close(soon()).await.unwrap();
}

/// A page that is busy gets to the events of quick hands late and all at once: none of them is lost.
async fn quick_hands(device: &mut WebDevice) {
    let words = "const p=document.getElementById('player'),c=[...document.querySelectorAll('a.chip')];\
        const at=()=>[p.open,p.querySelector('h2')?.textContent??'',decodeURIComponent(location.hash)];\
        const told=(on,name)=>new Promise(done=>on.addEventListener(name,done,{once:true}));\
        const press=key=>p.dispatchEvent(new KeyboardEvent('keydown',{key,bubbles:true}));";
    let chips = js(device, &format!("{{{words} c.map(x=>x.getAttribute('href')+'/1')}}")).await;
    assert_eq!(chips.as_array().unwrap().len(), 4);
    let (first, last) = (&chips[0], &chips[3]);
    // Opened, closed, and another opened, before the page is told of the closing.
    let script = "c[0].click();const a=at(),closed=told(p,'close');p.close();c[3].click();return closed.then(()=>[a,at()])";
    let seen = js(device, &format!("(()=>{{{words}{script}}})()")).await;
    assert_eq!((&seen[0][0], &seen[0][2]), (&true.into(), first), "{seen}");
    assert_eq!((&seen[1][0], &seen[1][2]), (&true.into(), last), "{seen}");
    assert!(!seen[1][1].as_str().unwrap().is_empty(), "{seen}");
    // Closed while an address is on its way.
    let script = "const both=Promise.all([told(p,'close'),told(window,'hashchange')]);\
        p.close();location.hash=c[0].getAttribute('href');return both.then(at)";
    let seen = js(device, &format!("(()=>{{{words}{script}}})()")).await;
    assert_eq!((&seen[0], &seen[2]), (&true.into(), first), "{seen}");
    // Two presses of a key are two steps from episode to episode.
    let script = "press(']');const a=at();press('[');return [a,at()]";
    let seen = js(device, &format!("(()=>{{{words}{script}}})()")).await;
    assert_ne!(&seen[0][2], first, "{seen}");
    assert_eq!(&seen[1][2], first, "{seen}");
    let script = "const closed=told(p,'close');p.close();return closed.then(at)";
    let seen = js(device, &format!("(()=>{{{words}{script}}})()")).await;
    assert_eq!((&seen[0], &seen[2]), (&false.into(), &"".into()), "{seen}");
}

const TWO_EPISODES: &str =
    "eval l3-web --agent reference --agent noop --task kanban-drag --max-steps 8 --out r";

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_wider_than_a_phone() {
    let dir = tempdir();
    waldo(&dir, TWO_EPISODES).ok();
    let viewport = Viewport { width: 390, height: 844, ..Viewport::default() };
    let options = WebOptions { viewport, ..WebOptions::default() };
    let (browser, mut device) = open_in(&dir.join("r/report.html"), options).await;
    let wide = "[innerWidth,...['html','#player','#player .p-side','#player .p-main','#player .p-head'].map(q=>{\
        const e=document.querySelector(q);return e?e.scrollWidth:0})]";
    let page = js(&mut device, wide).await;
    assert_eq!(page[0], 390, "{page}");
    assert!(page[1].as_u64().unwrap() <= 390, "{page}");
    js(&mut device, "document.querySelector('a.chip').click()").await;
    // What is folded counts too.
    js(&mut device, "document.querySelectorAll('#player details').forEach(d=>{d.open=true})").await;
    let player = js(&mut device, wide).await;
    for width in player.as_array().unwrap() {
        assert!((1..=390).contains(&width.as_u64().unwrap()), "{player}");
    }
    device.close(soon()).await.unwrap();
    browser.close(soon()).await.unwrap();
}

/// Puts copies of the only episode of `run` in place of repeats.
fn multiply(run: &Path, count: u32) {
    let path = run.join("manifest.json");
    let mut manifest: Value = json_in(&path);
    manifest["repeats"] = count.into();
    write(&path, manifest.to_string());
    let task = run.join("episodes/reference/kanban-drag");
    for n in 1..count {
        let to = task.join(format!("r{n}"));
        std::fs::create_dir(&to).unwrap();
        for entry in std::fs::read_dir(task.join("r0")).unwrap().flatten() {
            if !entry.path().is_file() {
                continue;
            }
            let name = entry.file_name();
            let target = to.join(&name);
            if name.to_string_lossy().ends_with(".webp") {
                std::fs::hard_link(entry.path(), target).unwrap();
            } else {
                let text = text_in(entry.path());
                let text = text.replace("\"repeat\": 0", &format!("\"repeat\": {n}"));
                write(target, text.replace("\"repeat\":0", &format!("\"repeat\":{n}")));
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn five_hundred_episodes_open() {
    let dir = tempdir();
    waldo(&dir, "eval l3-web --agent reference --task kanban-drag --no-report --out r").ok();
    let run = dir.join("r");
    multiply(&run, 500);
    waldo(&dir, "report r").ok();
    let size = std::fs::metadata(run.join("report.html")).unwrap().len();
    println!("500 episodes: {} KiB", size / 1024);
    let (browser, mut device) = open(&run).await;
    assert_eq!(js(&mut device, "document.querySelectorAll('a.chip').length").await, 500);
    js(&mut device, "document.querySelectorAll('a.chip')[499].click()").await;
    assert_eq!(js(&mut device, "document.getElementById('player').open").await, true);
    device.close(soon()).await.unwrap();
    browser.close(soon()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_nothing_wrong_with_table_and_player() {
    let dir = tempdir();
    waldo(&dir, TWO_EPISODES).ok();
    let (browser, mut device) = open(&dir.join("r")).await;
    let none = json!([]);
    assert_eq!(super::live_page::violations(&mut device).await, none, "the tables");
    js(&mut device, "document.querySelector('a.chip').click()").await;
    device.observe(Capture::Elements, soon()).await.unwrap();
    assert_eq!(js(&mut device, "document.getElementById('player').open").await, true);
    assert_eq!(super::live_page::violations(&mut device).await, none, "the player");
    browser.close(soon()).await.unwrap();
}

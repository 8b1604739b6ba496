//! Demonstrations: recorded at the terminal and on a local page in a real browser, and learnt from.

use std::io::Write as _;

use waldo_devices::{
    Action, Button, Capture, Clicks, Deadline, Device as _, GuardPolicy, OriginRule, Point, ResetTo,
    StateProbe, StateValue,
};
use waldo_web::{Browser, BrowserOptions, Viewport, WebDevice, WebOptions};

use super::live::{Page, ended, started};
use super::live_page::{key, on_picture, press, tap_on_picture, until, violations, write_and_press};
use super::support::*;

const PAGE: &str = "<!doctype html><title>Lamps</title><input aria-label=Search>
<button onclick=\"out.innerHTML='<button>Basket</button>'\">Find</button><div id=out></div>
<div style='height:3000px'></div>";

fn shop() -> Server {
    Server::start(|_, request| match request.path.as_str() {
        "/" => Answer::page(PAGE),
        _ => Answer::new("404 Not Found", "text/plain", ""),
    })
}

fn record(dir: &Path, url: &str, out: &str, commands: &str) -> Ended {
    demonstrated(dir, &["find a red lamp", "--app", "shop", "--out", out, "--url", url], commands)
}

fn typed(dir: &Path, url: &str, out: &str, commands: &str) -> (i32, Value, String) {
    let done = record(dir, url, out, commands);
    (done.code, done.json(), done.stderr)
}

fn learn(dir: &Path, more: &[&str]) -> Value {
    let mut args = vec!["demo", "learn", "--docs", "docs", "--json"];
    args.extend(more);
    waldo(dir, &args).json()[0]["learned"].clone()
}

fn shown(dir: &Path, key: &str) -> String {
    waldo(dir, &["docs", "show", "docs", key]).said()
}

#[test]
fn a_typed_demonstration_is_appagents_record_and_becomes_documentation() {
    let dir = tempdir();
    let shop = shop();
    let commands = "text 1 \"red \\\"lamp\\\"\"\nfly\ntap 9\nopen(\"http://192.0.2.1/\")\ntap 2\nenter\nlong_press 2\nswipe 2 up\nstop\n";
    let (code, got, said) = typed(&dir, &shop.url("/"), "demo_1", commands);
    assert_eq!((code, &got["steps"], &got["lines"]), (0, &5.into(), &4.into()), "{got}\n{said}");
    assert!(said.contains("no command 'fly'") && said.contains("no element has the number 9"), "{said}");
    assert!(said.contains("not an allowed origin"), "the guard holds: {said}");
    let demo = dir.join("demo_1");
    let record = text_in(demo.join("record.txt"));
    let searched = "text(1:sep:\"red \"lamp\"\"):::textbox|Search\ntap(2):::button|Find\n";
    let wanted = "long_press(2):::button|Find\nswipe(2:sep:up):::button|Find\nstop\n";
    assert_eq!(record, format!("{searched}{wanted}"));
    assert_eq!(text_in(demo.join("task_desc.txt")), "find a red lamp");
    for n in 1..=5 {
        for file in [format!("labeled_screenshots/demo_1_{n}.png"), format!("raw_screenshots/demo_1_{n}.png")]
        {
            assert!(std::fs::read(demo.join(&file)).unwrap().starts_with(b"\x89PNG"), "{file}");
        }
    }
    // A finished one is not gone on with.
    self::record(&dir, &shop.url("/"), "demo_1", "").expect_code(4).warns("finished demonstration");

    let learned = learn(&dir, &["demo_1", "--model", "reader"]);
    assert_eq!((&learned["documented"], &learned["model_calls"]), (&4.into(), &4.into()), "{learned}");
    shown(&dir, "button|Find").says("Basket").says("demonstrated");
    // Nothing is asked twice.
    let again = learn(&dir, &["demo_1", "--model", "reader"]);
    assert_eq!((&again["already"], &again["model_calls"]), (&4.into(), &0.into()), "{again}");
    // As AppAgent keeps it, with its log: a line names pictures that are there.
    let moved = waldo(&dir, "docs export docs --to their --with demo_1 --json").json();
    has(&moved, json!({ "records": 1, "actions": 4, "log_lines": 4 }));
    let their = dir.join("their/demos/demo_1");
    assert_eq!(text_in(their.join("record.txt")), record);
    let log = text_in(their.join("log_shop_demo_1.txt"));
    for (n, line) in (1..).zip(log.lines()) {
        let line: Value = serde_json::from_str(line).unwrap();
        let keys: Vec<&String> = line.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["step", "prompt", "image_before", "image_after", "response"]);
        assert_eq!((&line["step"], &line["image_before"]), (&n.into(), &format!("demo_1_{n}.png").into()));
        for image in ["image_before", "image_after"] {
            let file = their.join("labeled_screenshots").join(line[image].as_str().unwrap());
            assert!(file.exists(), "{line}");
        }
    }
    // What is told is the app that it was written for.
    let args = "demo learn demo_1 --model reader --docs b --app lamps --json";
    assert_eq!(waldo(&dir, args).json()[0]["app"], "lamps");
    assert!(dir.join("b/lamps/app.json").exists());

    // As AppAgent leaves it: a record and pictures. What it knew of is refined.
    let theirs = dir.join("apps/shop/demos/demo_1");
    folder(theirs.parent().unwrap());
    std::fs::rename(&demo, &theirs).unwrap();
    for ours in ["demo.json", "events.jsonl", "learn.jsonl"] {
        std::fs::remove_file(theirs.join(ours)).unwrap();
    }
    let model = Server::start(|_, _| Answer::chat("**Note:** Finds lamps by their colour."));
    let base = model.url("/v1");
    let path = "apps/shop/demos/demo_1";
    let kept = learn(&dir, &[path, "--model", "m", "--base-url", &base, "--refine", "false"]);
    assert_eq!((&kept["documented"], model.requests().len()), (&0.into(), 0), "{kept}");
    let refined = learn(&dir, &[path, "--model", "m", "--base-url", &base]);
    assert_eq!((&refined["refined"], &refined["model_calls"]), (&4.into(), &4.into()), "{refined}");
    let asked = &model.requests()[1].body;
    assert!(
        asked.contains("Basket") && asked.matches("image_url").count() >= 2,
        "the earlier note goes along"
    );
    assert!(shown(&dir, "button|Find").contains("Finds lamps by their colour."));
}

pub(super) fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(30))
}

pub(super) async fn js(device: &mut WebDevice, script: &str) -> Value {
    match device.probe(&StateProbe::Js(script.to_owned()), soon()).await.unwrap() {
        StateValue::Json(value) => value,
        other => panic!("{other:?}"),
    }
}

pub(super) async fn tap(device: &mut WebDevice, at: Point<waldo_devices::Physical>) {
    let action = Action::Tap { at, clicks: Clicks::Single, button: Button::Left };
    device.perform(&action, soon()).await.unwrap();
}

pub(super) async fn press_where_it_is(device: &mut WebDevice, id: &str) {
    let script = format!(
        "(() => {{ const b = document.getElementById('{id}').getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; }})()"
    );
    let at = js(device, &script).await;
    tap(device, Point::new(at[0].as_f64().unwrap(), at[1].as_f64().unwrap())).await;
}

/// Records on the live page, and gives its address.
pub(super) fn on_page(dir: &Path, start: &[&str], page: &str) -> (Child, String) {
    let mut args = vec!["demo", "record", "find a red lamp", "--app", "shop", "--out", "demo_web", "--json"];
    args.extend(start);
    args.push(page);
    started(dir, &args)
}

/// What the page shows of the screen before a step of a demonstration.
pub(super) fn at_step(n: u32) -> String {
    format!(
        "document.querySelector('#strip [aria-current]')?.dataset.n === '{n}' && document.getElementById('picture').naturalWidth > 0"
    )
}

pub(super) async fn open(url: &str) -> (Browser, WebDevice) {
    open_as(url, Viewport::default()).await
}

pub(super) async fn open_as(url: &str, viewport: Viewport) -> (Browser, WebDevice) {
    let browser = Browser::launch(&BrowserOptions::default(), soon()).await.unwrap();
    let mut device = browser.new_device(&WebOptions { viewport, ..WebOptions::default() }).unwrap();
    let origin = url.split('/').take(3).collect::<Vec<_>>().join("/");
    let policy = GuardPolicy { origins: vec![OriginRule::parse(&origin).unwrap()], ..GuardPolicy::default() };
    device.reset(&ResetTo { start: url.to_owned(), policy, ..ResetTo::default() }, soon()).await.unwrap();
    (browser, device)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_demonstration_is_clicked_on_the_live_page_killed_and_gone_on_with() {
    let dir = tempdir();
    let shop = shop();
    let demo = dir.join("demo_web");
    let (mut child, url) = on_page(&dir, &["--url", &shop.url("/")], "--live");
    let (browser, mut device) = open(&url).await;
    until(&mut device, "the first screen", &at_step(1)).await;
    let heads = "document.getElementById('title').textContent + document.getElementById('goal').textContent";
    assert_eq!(js(&mut device, heads).await, "Demonstration of shopfind a red lamp");
    tap_on_picture(&mut device, "Search", 2).await;
    write_and_press(&mut device, "typed", "red lamp", "type").await;
    until(&mut device, "after typing", &at_step(3)).await;
    kill(&mut child);
    let record = || text_in(demo.join("record.txt"));
    let before = "tap(1):::textbox|Search\ntext(1:sep:\"red lamp\"):::textbox|Search\n";
    assert_eq!(record(), before);
    browser.close(soon()).await.unwrap();

    // The name that the flag had. What was done before is shown, with its pictures.
    let (child, url) = on_page(&dir, &["--url", &shop.url("/")], "--web");
    let (browser, mut device) = open(&url).await;
    until(&mut device, "the screen after two steps", &at_step(3)).await;
    let steps = "[...document.querySelectorAll('#strip button')].map((b) => b.textContent).join(' ')";
    assert_eq!(js(&mut device, steps).await, "step 1tap step 2text step 3now");
    js(&mut device, "document.querySelector('#strip button').click()").await;
    let alt = |step: u32| format!("document.getElementById('picture').alt.includes('step {step}')");
    until(&mut device, "the first step's picture", &alt(1)).await;
    js(&mut device, "document.querySelector('#strip button:last-child').click()").await;
    until(&mut device, "the present", &alt(3)).await;
    tap_on_picture(&mut device, "Find", 4).await;
    let at = on_picture(&mut device, "Basket").await;
    let below = Point::new(at.x, at.y + 120.0);
    device.perform(&Action::drag(vec![below, at]), soon()).await.unwrap();
    until(&mut device, "after the stroke", &at_step(5)).await;
    press(&mut device, "finish").await;
    until(&mut device, "the end", "document.getElementById('state').textContent.includes('is kept')").await;
    let got = ended(child, 0);
    assert_eq!((&got["steps"], &got["stopped"]), (&4.into(), &true.into()), "{got}");
    let all = record();
    assert!(all.starts_with(&format!("{before}tap(2):::button|Find\n")) && all.ends_with("stop\n"), "{all}");
    browser.close(soon()).await.unwrap();
    // All but the steps that are about no element.
    let learned = learn(&dir, &["demo_web", "--model", "reader"]);
    assert_eq!(learned["model_calls"], learned["documented"], "{learned}");
    assert!(shown(&dir, "button|Find").contains("Basket"));
}

/// Presses Tab until what is wanted has the focus.
async fn tab_to(device: &mut WebDevice, wanted: &str) {
    for _ in 0..40 {
        key(device, "Tab").await;
        if js(device, &format!("document.activeElement.matches({wanted:?})")).await == true {
            return;
        }
    }
    panic!("Tab does not lead to {wanted}");
}

#[tokio::test(flavor = "multi_thread")]
async fn at_a_telephones_width_a_demonstration_is_made_by_keys_alone_and_discarded() {
    let dir = tempdir();
    let shop = shop();
    let (child, url) = on_page(&dir, &["--url", &shop.url("/")], "--live");
    let (browser, mut device) =
        open_as(&url, Viewport { width: 360, height: 740, ..Viewport::default() }).await;
    until(&mut device, "the first screen", &at_step(1)).await;
    let over = "[...document.querySelectorAll('main *')].filter((e) => e.offsetParent && !e.closest('#strip, svg') && e.getBoundingClientRect().right > 361).map((e) => e.outerHTML.slice(0, 80))";
    assert_eq!(js(&mut device, over).await, json!([]));
    assert_eq!(violations(&mut device).await, json!([]), "recording");
    tab_to(&mut device, "#elements li:nth-child(2) button").await;
    key(&mut device, "Enter").await;
    until(&mut device, "after the press", &at_step(2)).await;
    // What the page that is driven may not do is said, and the same screen is acted on again.
    key(&mut device, "l").await;
    let kept = || {
        let events = text_in(dir.join("demo_web/events.jsonl"));
        events.matches("\"event\":\"observed\"").count()
    };
    let basket = "document.getElementById('elements').textContent.includes('Basket')";
    until(&mut device, "the button is there", basket).await;
    while kept() < 3 {
        device.observe(Capture::Elements, soon()).await.unwrap();
    }
    let open = "fetch('/do', { method: 'POST', headers: { ...{ 'Content-Type': 'application/json' }, Authorization: `Bearer ${location.hash.slice(1)}` },
        body: JSON.stringify({ hand: 'x', episode: 'person/demo_web/r0', do: 'discard' }) }).then((r) => r.status)";
    assert_eq!(js(&mut device, open).await, 409, "another page has the wheel");
    tab_to(&mut device, "#discard").await;
    key(&mut device, "Enter").await;
    let asks = "document.getElementById('discard').textContent.includes('again')";
    until(&mut device, "it is asked", asks).await;
    key(&mut device, "Enter").await;
    until(&mut device, "the end", "document.getElementById('state').textContent.includes('discarded')").await;
    browser.close(soon()).await.unwrap();
    let got = ended(child, 8);
    assert_eq!((&got["discarded"], &got["stopped"]), (&true.into(), &false.into()), "{got}");
    assert!(!dir.join("demo_web").exists());
}

#[test]
fn on_the_page_the_guard_holds_and_says_why_and_the_screen_is_acted_on_again() {
    let dir = tempdir();
    let shop = shop();
    let (child, url) = on_page(&dir, &["--url", &shop.url("/")], "--live=0");
    let key = "person/demo_web/r0";
    let mut page = Page::open(&url, "one", Some(key));
    page.until("the first screen", |line| line["step"] == 1 && line["tools"][0].is_string());
    let act = |tool: &str, args: Value| json!({ "do": "act", "step": 1, "tool": tool, "args": args });
    page.does(key, act("navigate", json!({ "url": "http://192.0.2.1/" })));
    let said = page.until("it is refused", |line| line["wheel"]["said"].is_string());
    assert!(said["wheel"]["said"].as_str().unwrap().contains("not an allowed origin"), "{said}");
    page.does(key, act("tap", json!({ "element": 9 })));
    let none = |line: &Value| line["wheel"]["said"].as_str().is_some_and(|said| said.contains("number 9"));
    page.until("there is none", none);
    page.does(key, act("tap", json!({ "element": 2 })));
    page.until("the next screen", |line| line["step"] == 2 && line["phase"] == "deciding");
    page.does(key, json!({ "do": "stop" }));
    let got = ended(child, 130);
    assert_eq!((&got["steps"], &got["stopped"]), (&1.into(), &false.into()), "{got}");
}

#[test]
fn a_demonstration_that_was_not_stopped_goes_on() {
    let dir = tempdir();
    let shop = shop();
    let (code, got, said) = typed(&dir, &shop.url("/"), "demo", "tap 2\n");
    assert_eq!((code, &got["stopped"]), (130, &false.into()), "{said}");
    assert!(said.contains("so far is saved, but not finished; continue with:"), "{said}");
    // Half a line, as a killed process leaves it.
    let events = dir.join("demo/events.jsonl");
    let mut file = std::fs::OpenOptions::new().append(true).open(&events).unwrap();
    file.write_all(b"{\"v\":1,\"at\":").unwrap();
    record(&dir, &shop.url("/?q=1"), "demo", "").expect_code(4).warns("now \"http").warns("--out");
    let (code, got, said) = typed(&dir, &shop.url("/"), "demo", "tap 1\nstop\n");
    assert_eq!((code, &got["steps"]), (0, &2.into()), "{said}");
    // The button that the first part made is not there: nothing of it is repeated unasked, and it is said.
    let said = said
        .says("going on after step 1")
        .says("is not the screen at which you stopped")
        .says("Go back there first");
    let shown = said.lines().find_map(|line| line.strip_prefix("picture: ")).unwrap();
    assert!(std::fs::read(dir.join(shown)).unwrap().starts_with(b"\x89PNG"), "{shown}");
    // What looks as it did is said to be nothing else.
    let (_, _, said) = typed(&dir, &shop.url("/"), "same", "long_press 1\n");
    assert!(!said.contains("not the screen"), "{said}");
    let (_, _, said) = typed(&dir, &shop.url("/"), "same", "stop\n");
    assert!(said.contains("going on after step 1") && !said.contains("not the screen"), "{said}");
    let record = text_in(dir.join("demo/record.txt"));
    assert_eq!(record, "tap(2):::button|Find\ntap(1):::textbox|Search\nstop\n");
}

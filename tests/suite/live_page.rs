//! The live page in a real browser.

use waldo_devices::{Action, Device as _};
use waldo_web::{Browser, WebDevice};

use super::demo::{at_step, js, open, press_where_it_is, soon, tap};
use super::live::{
    DONE, Page, asked, decisions, ended, filmed, shop, shop_of_a_slow_model, started, taps, watched,
};
use super::support::*;

pub(super) async fn until(device: &mut WebDevice, what: &str, script: &str) {
    for _ in 0..600 {
        device.observe(waldo_devices::Capture::Elements, soon()).await.unwrap();
        if js(device, script).await == Value::Bool(true) {
            return;
        }
    }
    panic!("{what}: {}", js(device, "document.body.innerText").await);
}

pub(super) async fn press(device: &mut WebDevice, id: &str) {
    js(device, &format!("document.getElementById('{id}').scrollIntoView({{ block: 'center' }})")).await;
    press_where_it_is(device, id).await;
}

/// What axe-core finds wrong with the page as it is, by its rules of accessibility.
pub(super) async fn violations(device: &mut WebDevice) -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/target/tests/node_modules/axe-core/axe.min.js");
    let axe = std::fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("axe-core is missing ({error}): scripts/setup tests installs it"));
    js(device, &format!("{axe}; true")).await;
    let found = "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`))";
    js(device, found).await
}

pub(super) async fn key(device: &mut WebDevice, chord: &str) {
    device.perform(&Action::Key { chord: chord.to_owned() }, soon()).await.unwrap();
}

/// The place on the page's picture of an element of the driven screen.
pub(super) async fn on_picture(
    device: &mut WebDevice,
    name: &str,
) -> waldo_devices::Point<waldo_devices::Physical> {
    js(device, "document.getElementById('stage').scrollIntoView({ block: 'center' })").await;
    let script = format!(
        "(() => {{ const button = [...document.querySelectorAll('#elements button')].find((b) => b.textContent.includes({name:?}));
           button.focus({{ preventScroll: true }}); const hot = document.querySelector('#marks .hot').getBoundingClientRect();
           button.blur(); return [hot.left + hot.width / 2, hot.top + hot.height / 2]; }})()"
    );
    let at = js(device, &script).await;
    waldo_devices::Point::new(at[0].as_f64().unwrap(), at[1].as_f64().unwrap())
}

/// Presses an element on the page's picture, and waits for the step after it.
pub(super) async fn tap_on_picture(device: &mut WebDevice, name: &str, next: u32) {
    let at = on_picture(device, name).await;
    tap(device, at).await;
    until(device, &format!("the step after {name}"), &at_step(next)).await;
}

/// Writes into the field `id` of the page, and presses `then`.
pub(super) async fn write_and_press(device: &mut WebDevice, id: &str, text: &str, then: &str) {
    press(device, id).await;
    device.perform(&Action::Type { text: text.into() }, soon()).await.unwrap();
    press(device, then).await;
}

async fn until_it_ended(browser: Browser, device: &mut WebDevice) {
    until(device, "the end", "document.getElementById('state').textContent.includes('ended')").await;
    browser.close(soon()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_is_driven_by_hand_on_the_picture() {
    let dir = tempdir();
    let shop = shop(vec![DONE.to_owned()]);
    let (child, url) = started(&dir, &["drive", "--url", &shop.url("/"), "--json", "--out", "run"]);
    let (browser, mut device) = open(&url).await;
    until(&mut device, "the first screen", &at_step(1)).await;
    tap_on_picture(&mut device, "Search", 2).await;
    write_and_press(&mut device, "typed", "red lamp", "type").await;
    until(&mut device, "after typing", &at_step(3)).await;
    tap_on_picture(&mut device, "Find", 4).await;
    // Back and forth among the steps, by keys alone; looking back, nothing can be pressed.
    press(&mut device, "now-title").await;
    key(&mut device, "ArrowLeft").await;
    until(&mut device, "the step before", &at_step(3)).await;
    until(&mut device, "no hand", "document.getElementById('hand').hidden").await;
    key(&mut device, "ArrowRight").await;
    until(&mut device, "the present", &at_step(4)).await;
    press(&mut device, "finish").await;
    until_it_ended(browser, &mut device).await;
    has(&ended(child, 0)["result"], json!({ "outcome": "finished", "steps": 4 }));
    let folder = dir.join("run/episodes/person/by-hand/r0");
    let acted = events_of(&folder, "acted");
    let names: Vec<&str> = acted.iter().map(|event| event["action"]["do"].as_str().unwrap()).collect();
    assert_eq!(names, ["tap", "type", "tap"]);
    assert!(acted[2]["report"]["evidence"].as_str().unwrap().contains("content changed"), "{}", acted[2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_is_watched_and_steered_by_keys_alone() {
    let dir = tempdir();
    let shop = shop(vec![taps(2), taps(3), DONE.to_owned()]);
    let (child, url) = watched(&dir, &shop, &["--approve"]);
    let (browser, mut device) = open(&url).await;
    let question = |name: &str| {
        let says = format!("document.getElementById('question-what').textContent.includes({name:?})");
        format!("{says} && !document.getElementById('question').hidden")
    };
    until(&mut device, "the question", &question("Find")).await;
    let aloud = "document.getElementById('question-what').getAttribute('aria-live')";
    assert_eq!(js(&mut device, aloud).await, "assertive");
    let drawn = js(&mut device, "document.querySelectorAll('#marks .mark').length").await;
    assert_eq!(drawn, 1, "the place is drawn before it is pressed");
    key(&mut device, "y").await;
    until(&mut device, "the next question", &question("Pay now")).await;
    // Taken over instead, and handed back with a note.
    key(&mut device, "t").await;
    until(&mut device, "it is taken", "!document.getElementById('hand').hidden").await;
    write_and_press(&mut device, "note", "stop here", "give").await;
    until_it_ended(browser, &mut device).await;
    ended(child, 0);
    assert!(asked(&shop).pop().unwrap().contains("stop here"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_control_acts_while_a_slow_model_thinks() {
    let dir = tempdir();
    let shop = shop_of_a_slow_model();
    let (child, url) = watched(&dir, &shop, &["--deny", "type"]);
    let (browser, mut device) = open(&url).await;
    let requests = |n: usize| {
        super::support::until("the model is asked", 30, || asked(&shop).len() == n);
        asked(&shop).pop().unwrap()
    };
    let state = |words: &str| format!("document.getElementById('state').textContent === {words:?}");
    let clock = "document.getElementById('clock').textContent.endsWith(' s')";
    until(&mut device, "a clock", &format!("{clock} && {}", state("the agent decides"))).await;
    requests(1);
    press(&mut device, "pause").await;
    until(&mut device, "it is paused", &format!("!({clock}) && {}", state("paused"))).await;
    press(&mut device, "step").await;
    requests(2);
    press(&mut device, "new-goal").await;
    device.perform(&Action::Type { text: "find a blue lamp".into() }, soon()).await.unwrap();
    key(&mut device, "Enter").await;
    press(&mut device, "pause").await;
    assert!(requests(3).contains("find a blue lamp"));
    press(&mut device, "take").await;
    until(&mut device, "it is taken", "!document.getElementById('hand').hidden").await;
    // What a person presses is carried out, and what the guard refuses is told where they look.
    write_and_press(&mut device, "typed", "lamp", "type").await;
    let refused = "document.getElementById('said').textContent.startsWith('Not done: ')";
    until(&mut device, "why not", refused).await;
    tap_on_picture(&mut device, "Find", 3).await;
    until(&mut device, "no reproach", "document.getElementById('said').textContent === ''").await;
    press(&mut device, "give").await;
    assert!(requests(4).contains("I did this myself: type"));
    press(&mut device, "stop").await;
    until_it_ended(browser, &mut device).await;
    assert_eq!(ended(child, 8)["result"]["claim"], "the person stopped it");
    let dropped: Vec<_> = decisions(&dir)
        .iter()
        .flat_map(|decision| decision["exchanges"].as_array().cloned().unwrap_or_default())
        .map(|exchange| exchange["dropped"].as_str().unwrap().to_owned())
        .collect();
    let whys = ["paused it", "set another goal", "took over", "stopped it"];
    assert_eq!(dropped, whys.map(|why| format!("the person {why}")));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_screen_is_seen_to_move_between_steps_and_who_never_reads_holds_up_nobody() {
    let dir = tempdir();
    // It rests long enough for an observation, and not between two.
    let site = Server::start(|_, _| {
        Answer::page("<title>Lamps</title><button>Find</button><script>let n = 0;
        setInterval(() => { document.body.style.background = ['#a00', '#0a0', '#00a'][n++ % 3]; }, 500)</script>")
    });
    let (child, url) = started(&dir, &["drive", "--url", &site.url("/"), "--json", "--out", "run"]);
    Page::open(&url, "one", None)
        .until("the first screen", |line| line["step"] == 1 && line["moving"] == true);
    let _never_read: Vec<_> = (0..2).map(|_| filmed(&url, "person/by-hand/r0")).collect();
    let (browser, mut device) = open(&url).await;
    until(&mut device, "the first screen", &at_step(1)).await;
    js(&mut device, "(() => { const which = document.getElementById('which'); which.value = 'moving'; which.onchange(); })()").await;
    let moves = "document.getElementById('picture').alt.includes('moves')";
    until(&mut device, "it moves", moves).await;
    // The colour of the ground, as it is seen on the page.
    let colour = "(() => { const c = Object.assign(document.createElement('canvas'), { width: 9, height: 9 }).getContext('2d');
        c.drawImage(document.getElementById('picture'), 0, 0, 9, 9); return [...c.getImageData(4, 8, 1, 1).data].findIndex((x) => x > 90); })()";
    let first = js(&mut device, colour).await;
    until(&mut device, "another picture", &format!("{colour} !== {first}")).await;
    until(&mut device, "the same step", &at_step(1)).await;
    tap_on_picture(&mut device, "Find", 2).await;
    press(&mut device, "finish").await;
    until_it_ended(browser, &mut device).await;
    assert_eq!(ended(child, 0)["result"]["outcome"], "finished");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_fits_a_telephone_and_says_when_waldo_is_gone() {
    let dir = tempdir();
    let shop = shop(vec![taps(2), DONE.to_owned()]);
    let (mut child, url) = watched(&dir, &shop, &["--approve"]);
    let (browser, mut device) = open(&url).await;
    until(&mut device, "the question", "!document.getElementById('question').hidden").await;
    // In a frame as wide as a telephone, for the window keeps its size; the page itself refuses to be framed.
    let wide = "(() => { document.documentElement.style.width = '360px'; const over = [...document.querySelectorAll('main *')]
        .filter((e) => e.offsetParent && !e.closest('#strip, svg') && e.getBoundingClientRect().right > 361); return over.map((e) => e.outerHTML.slice(0, 80)); })()";
    assert_eq!(js(&mut device, wide).await, json!([]));
    assert_eq!(violations(&mut device).await, json!([]), "a telephone");
    let in_view = "['yes', 'pause', 'stop'].every((id) => { const r = document.getElementById(id).getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight; })";
    assert_eq!(js(&mut device, in_view).await, true, "question and controls are in view");
    kill(&mut child);
    let gone = "document.getElementById('state').textContent.includes('does not answer')";
    until(&mut device, "it is told", gone).await;
    browser.close(soon()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn in_six_states_axe_finds_nothing_wrong() {
    let none = json!([]);
    let dir = tempdir();
    let shop = shop(vec![taps(2), DONE.to_owned()]);
    let (child, url) = watched(&dir, &shop, &["--approve"]);
    let (browser, mut device) = open(&url).await;
    until(&mut device, "the question", "!document.getElementById('question').hidden").await;
    assert_eq!(violations(&mut device).await, none, "a question");
    js(&mut device, "document.querySelector('main').insertAdjacentHTML('beforeend', '<input id=bad>')").await;
    assert!(violations(&mut device).await.to_string().contains("label"), "it would find something");
    js(&mut device, "document.getElementById('bad').remove()").await;
    press(&mut device, "edit").await;
    until(&mut device, "the form", "!document.getElementById('edit-form').hidden").await;
    assert_eq!(violations(&mut device).await, none, "another action");
    press(&mut device, "take").await;
    until(&mut device, "it is taken", "!document.getElementById('hand').hidden").await;
    assert_eq!(violations(&mut device).await, none, "the wheel");
    press(&mut device, "pause").await;
    let paused = "document.getElementById('pause').getAttribute('aria-pressed') === 'true'";
    until(&mut device, "it is paused", paused).await;
    js(&mut device, "document.querySelector('#about summary').click()").await;
    assert_eq!(violations(&mut device).await, none, "paused, with the list of effects");
    press(&mut device, "finish").await;
    until(&mut device, "the end", "document.getElementById('state').textContent.includes('ended')").await;
    assert_eq!(violations(&mut device).await, none, "the end");
    browser.close(soon()).await.unwrap();
    ended(child, 0);
    let more = ["eval", "l3-web", "--agent", "reference", "--task", "register-form", "--task", "kanban-drag"];
    let args: Vec<&str> = more.into_iter().chain(["--live", "--approve", "--json", "--out", "e"]).collect();
    let (mut child, url) = started(&dir, &args);
    let (browser, mut device) = open(&url).await;
    until(&mut device, "the tiles", "document.querySelectorAll('#tiles img[src]').length === 2").await;
    assert_eq!(violations(&mut device).await, none, "the wall");
    kill(&mut child);
    browser.close(soon()).await.unwrap();
}

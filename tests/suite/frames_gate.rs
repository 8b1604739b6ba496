//! Attacks on the gate of the frames agent that begin after its first look: not one input gets through.
//!
//! Each page waits for `/go`, which its server gives once the last model request is under way, and tells when
//! its attack is done; only then the model answers with the script that acts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use super::frames::{COUNTER, run_args, scripted};
use super::support::*;

/// Something that happens once, and is waited for.
#[derive(Default)]
struct Once(Mutex<bool>, Condvar);

impl Once {
    fn happen(&self) {
        *self.0.lock().unwrap() = true;
        self.1.notify_all();
    }

    fn wait(&self) {
        let limit = Duration::from_secs(60);
        let all = self.1.wait_timeout_while(self.0.lock().unwrap(), limit, |happened| !*happened).unwrap();
        assert!(!all.1.timed_out(), "the attack never came");
    }
}

struct Attacked {
    requests: Vec<Request>,
    foreign: Vec<Request>,
    result: Value,
    why: String,
}

impl Attacked {
    fn count(&self, path: &str) -> usize {
        self.requests.iter().chain(&self.foreign).filter(|request| request.path == path).count()
    }

    fn nothing_got_through(&self, because: &str) {
        assert_eq!(self.count("/input"), 0, "{}", self.why);
        assert!(self.why.contains(because), "{because}: {} {}", self.why, self.result);
    }

    /// Input ended with the first press, for one of these reasons.
    fn only_the_first_press_got_through(&self, reasons: &[&str]) {
        assert_eq!((self.count("/pressed"), self.count("/after")), (1, 0), "{}", self.why);
        assert!(reasons.iter().any(|words| self.why.contains(words)), "{}", self.why);
    }
}

/// Why the decisions of a record claim nothing or hand over, and what the device said of inputs.
fn why(record: &Path) -> String {
    let mut found = String::new();
    for event in events(record) {
        let decision = &event["decision"];
        let texts = [&decision["summary"], &decision["choice"]["reason"], &event["note"]["reason"]];
        for text in texts.into_iter().filter_map(Value::as_str) {
            found.push_str(&format!("{text}\n"));
        }
    }
    found
}

const SELECT: (&str, &str) = (
    "def structure_abstraction(frames):\n    frames[0].set_frame_as('SELECTABLE')",
    "def solve(frames):\n    select(frames[0])",
);

/// Plays a page that gets the foreign server's address, and whose attack is told by a request to `done`.
fn attacked(
    make: impl Fn(&str) -> String,
    done: &'static str,
    scripts: (&'static str, &'static str),
) -> Attacked {
    let dir = tempdir();
    let foreign =
        Server::start(|_, _| Answer::page(&format!("<!doctype html><title>Away</title>{COUNTER}Here")));
    let page = make(&foreign.url("/"));
    let (go, over): (Arc<Once>, Arc<Once>) = Default::default();
    let site = Server::start(move |_, request| match request.path.as_str() {
        "/" | "/pop" => Answer::page(&page),
        "/go" => {
            go.wait();
            Answer::new("200 OK", "text/event-stream", "data: go\n\n")
        }
        "/v1/chat/completions" => {
            if request.body.contains("solve(frames") {
                go.happen();
                if !done.is_empty() {
                    over.wait();
                }
            }
            scripted(&request.body, scripts.0, scripts.1)
        }
        path => {
            if path == done {
                over.happen();
            }
            Answer::ok()
        }
    });
    let args = run_args("select the part", &site, 80, "--json --script-repairs 0");
    let result = waldo(&dir, &args).run().json();
    let why = why(&dir.join("r"));
    Attacked { requests: site.requests(), foreign: foreign.requests(), result, why }
}

/// A page that does `attack` when it is told to go, and counts its inputs.
fn page(body: &str, attack: &str) -> String {
    format!(
        "<!doctype html><title>Pad</title><body style='margin:0'>{COUNTER}{body}<script>\
         const source = new EventSource('/go');\
         source.onmessage = () => {{ source.close(); {attack} }};\
         const tell = (path) => navigator.sendBeacon(path);</script>"
    )
}

/// A frame of no origin, which counts its inputs at the page's server; beside the screen at first.
fn frame() -> String {
    let inner = format!("<base href=ORIGIN>{COUNTER}<body style='background:#fff'>Free");
    format!(
        "<iframe id=f sandbox=allow-scripts srcdoc=\"{inner}\" \
         style='position:fixed;left:-5000px;top:0;width:100%;height:100%;border:0'></iframe>\
         <script>f.srcdoc = f.srcdoc.replace('ORIGIN', location.origin)</script>"
    )
}

/// Lays the frame over all, and tells of it once it is drawn.
const COVER: &str =
    "f.style.left = '0'; requestAnimationFrame(() => requestAnimationFrame(() => tell('/done')));";

/// Without it the others would say nothing: the same page, told to go, whose attack does nothing.
#[test]
fn a_page_that_only_says_that_it_attacks_gets_its_input() {
    let got =
        attacked(|_| page(&format!("<button>Go</button>{}", frame()), "tell('/done')"), "/done", SELECT);
    assert!(got.count("/input") > 0, "{}", got.why);
    assert_eq!(got.result["result"]["outcome"], "finished");
}

#[test]
fn a_page_that_leads_away_while_the_model_thinks_gets_no_input() {
    let attack = |away: &str| {
        page("<button>Go</button>", &format!("onpagehide = () => tell('/done'); location = '{away}'"))
    };
    attacked(attack, "/done", SELECT).nothing_got_through("is not an origin that");
    let attack =
        |away: &str| page("<button>Go</button>", &format!("fetch('{away}').catch(() => tell('/done'))"));
    attacked(attack, "/done", SELECT).nothing_got_through("the page reached for");
    let got = attacked(|_| page(&format!("<button>Go</button>{}", frame()), COVER), "/done", SELECT);
    got.nothing_got_through("covers the place");
}

#[test]
fn a_page_that_lies_about_what_is_where_is_not_believed() {
    let lies = "for (const it of [Document, ShadowRoot]) {\
        it.prototype.elementFromPoint = () => document.body; it.prototype.elementsFromPoint = () => [document.body]; }\
        Object.defineProperty(Document.prototype, 'activeElement', { get: () => document.body });\
        HTMLElement.prototype.getBoundingClientRect = () => new DOMRect(0, 0, 1, 1);";
    let body = format!("<button>Go</button><script>{lies}</script>{}", frame());
    attacked(|_| page(&body, COVER), "/done", SELECT).nothing_got_through("covers the place");
}

#[test]
fn a_frame_in_a_closed_shadow_tree_gets_no_input() {
    let hide = "const host = document.createElement('div');\
        host.attachShadow({ mode: 'closed' }).append(document.getElementById('f'));\
        document.body.append(host);";
    // Moved there, it loads anew.
    let cover = COVER.replace("f.style.left = '0';", "F.style.left = '0';");
    let attack = format!("const F = f; {hide} F.onload = () => {{ {cover} }};");
    let got = attacked(|_| page(&format!("<button>Go</button>{}", frame()), &attack), "/done", SELECT);
    got.nothing_got_through("covers the place");
}

#[test]
fn a_dialog_is_neither_answered_nor_clicked_through() {
    let attack =
        "setTimeout(() => { tell('/done'); const said = confirm('Sure?'); fetch('/answered/' + said); })";
    let got = attacked(|_| page("<button>Go</button>", attack), "/done", SELECT);
    got.nothing_got_through("a dialog holds up the page");
    assert!(!got.requests.iter().any(|r| r.path.starts_with("/answered")), "{:?}", got.requests);
}

const ENTER: (&str, &str) = (
    "def structure_abstraction(frames):\n    field = frames[0].get_element('up', 'a field')\n    \
     field.set_element_as('INPUTTABLE')",
    "def solve(frames):\n    enter(frames[0].get_interactable(0), 'seven')",
);

#[test]
fn keys_do_not_follow_the_focus_into_a_hidden_frame() {
    let field =
        "<input id=i style='display:block;margin:40px;width:300px;height:40px;border:3px solid #036'>";
    let keys = "<script>addEventListener('keydown', () => navigator.sendBeacon('/key'), true)</script>";
    let own = |steal: &str| format!("{field}{keys}<div id=host></div><script>{steal}</script>");
    let plain = attacked(|_| page(&own(""), "tell('/done')"), "/done", ENTER);
    assert!(plain.count("/key") > 0, "{} {}", plain.why, plain.result);

    // The frame takes the focus as soon as the field has it; it stands beside, in a tree that cannot be seen.
    let steal = "const f = document.createElement('iframe'); f.sandbox = 'allow-scripts';\
        f.srcdoc = `<base href='${location.origin}'><script>addEventListener('keydown', \
        () => navigator.sendBeacon('/key'), true)<\\/script><input autofocus>`;\
        f.style = 'position:absolute;top:300px;left:0;width:200px;height:80px';\
        host.attachShadow({ mode: 'closed' }).append(f); i.onfocus = () => f.focus();";
    let stolen = attacked(|_| page(&own(steal), "tell('/done')"), "/done", ENTER);
    assert!(stolen.count("/input") > 0, "the field was clicked: {}", stolen.why);
    assert_eq!(stolen.count("/key"), 0, "{}", stolen.why);
    let told = ["covers the place", "cannot be verified"];
    assert!(told.iter().any(|words| stolen.why.contains(words)), "{}", stolen.why);
}

/// A knob, and a page that tells of what it gets after it was pressed.
const KNOB: &str = "<div style='position:absolute;left:100px;top:100px;width:400px;height:120px;background:#246'>\
    <div style='position:absolute;left:20px;top:40px;width:40px;height:40px;background:#f60'></div></div><script>\
    addEventListener('pointerdown', (e) => { navigator.sendBeacon('/pressed');\
    for (const name of ['pointermove', 'pointerup', 'click', 'keydown']) addEventListener(name, (after) => {\
    if (name !== 'pointermove' || Math.hypot(after.clientX - e.clientX, after.clientY - e.clientY) > 2)\
    navigator.sendBeacon('/after'); }, true); }, { capture: true, once: true });</script>";

const SLIDE: (&str, &str) = (
    "def structure_abstraction(frames):\n    knob = frames[1].get_element('left', 'a knob')\n    \
     knob.set_element_as('SLIDEABLE_X')",
    "def solve(frames):\n    slide_x(frames[1].get_interactable(0), 'right', frames[0])[1].release()",
);

fn pressed(on_press: &str) -> String {
    format!(
        "<!doctype html><title>Pad</title><body style='margin:0;background:#fff'>{KNOB}<script>\
         addEventListener('pointerdown', () => {{ {on_press} }}, {{ capture: true, once: true }});</script>"
    )
}

#[test]
fn a_popup_on_the_first_press_ends_all_input() {
    let fine = attacked(|_| pressed(""), "", SLIDE);
    assert!(fine.count("/pressed") == 1 && fine.count("/after") > 3, "{}", fine.why);

    let got = attacked(|away| pressed(&format!("window.open('{away}')")), "", SLIDE);
    got.only_the_first_press_got_through(&["another tab", "is not an origin", "reached for"]);

    // Nothing is asked of the network for an empty one: the tab alone has to be seen.
    let got = attacked(|_| pressed("window.open('about:blank')"), "", SLIDE);
    got.only_the_first_press_got_through(&["about:", "another tab"]);
}

#[test]
fn an_opener_that_its_popup_sends_away_gets_no_further_input() {
    // The popup is of the page's own origin, which the gate lets be; what it does to its opener is not.
    let open = "if (location.pathname === '/') window.open('/pop')";
    let sent = AtomicBool::new(false);
    let sends_away = |away: &str| {
        sent.store(true, Ordering::SeqCst);
        let script = format!("if (location.pathname === '/pop') opener.location = '{away}'");
        pressed(open).replace("<title>", &format!("<script>{script}</script><title>"))
    };
    let got = attacked(sends_away, "", SLIDE);
    assert!(sent.load(Ordering::SeqCst) && got.count("/pop") == 1, "the popup came: {:?}", got.requests);
    got.only_the_first_press_got_through(&["another tab", "is not an origin", "reached for"]);
}

#[test]
fn a_frame_on_the_way_of_a_held_pointer_is_not_passed() {
    let beyond = "addEventListener('pointermove', (e) => { if (e.clientX > 175) navigator.sendBeacon('/beyond') }, true);";
    let fine = attacked(|_| pressed(beyond), "", SLIDE);
    assert!(fine.count("/beyond") > 0, "{}", fine.why);

    // Three pixels wide, right of the knob: no stop of the slide lies on it, only the way between two.
    let bar = "const f = document.createElement('iframe'); f.sandbox = 'allow-scripts';\
        f.style = 'position:absolute;left:168px;top:100px;width:3px;height:120px;border:0'; document.body.append(f);";
    let got = attacked(|_| pressed(&format!("{beyond} {bar}")), "", SLIDE);
    assert_eq!((got.count("/pressed"), got.count("/beyond")), (1, 0), "{}", got.why);
    assert!(got.why.contains("covers the place"), "{}", got.why);
}

const ASKING: &str =
    "<h1>Verify you are human</h1><canvas width=400 height=80 style='border:1px solid'></canvas>";

#[test]
fn a_heading_that_asks_for_a_person_is_handed_over_before_any_model_is_asked() {
    let hidden = "<div id=host></div><script>const h1 = document.createElement('h1');\
        h1.innerHTML = 'Verify you are <b>hu</b>man';\
        host.attachShadow({ mode: 'closed' }).append(h1)</script>";
    for body in
        [ASKING, hidden, &format!("<iframe width=600 srcdoc='{}'></iframe>", ASKING.replace('\'', ""))]
    {
        let got = attacked(|_| page(body, ""), "", SELECT);
        assert_eq!(got.result["result"]["outcome"], "handed_over", "{body} {}", got.why);
        assert_eq!(got.result["result"]["model_calls"], 0, "{body}");
        got.nothing_got_through("asks for a person");
    }
}

#[test]
fn a_page_that_begins_to_ask_for_a_person_gets_no_input() {
    let attack = format!(
        "document.body.insertAdjacentHTML('beforeend', `{ASKING}`);\
         requestAnimationFrame(() => requestAnimationFrame(() => tell('/done')));"
    );
    let got = attacked(|_| page("<button>Go</button>", &attack), "/done", SELECT);
    got.nothing_got_through("asks for a person");
    assert_eq!(got.result["result"]["outcome"], "handed_over");
}

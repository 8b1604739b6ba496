//! The planner's skill for widgets: on a real page, and where the gate is shut.

use super::frames::scripted;
use super::planner::{plan, texts_of};
use super::support::*;

/// Tells its server of every input that reaches it.
const COUNTER: &str = "<script>for (const e of ['pointerdown','mousedown','pointermove','click','keydown']) \
    addEventListener(e, () => navigator.sendBeacon('/input', e), true);</script>";

/// A page with a plain slider that tells its server where it was left.
const SLIDER: &str = "<!doctype html><title>Lamp</title><body style='margin:40px;background:#fff'>\
    <label>Light <input type=range style='width:400px' value=10 \
    onchange=\"navigator.sendBeacon('/value/' + this.value)\"></label>";

pub fn text_of(request: &Request) -> String {
    texts_of(request).join("\n\n")
}

pub fn widget() -> Value {
    json!({"type": "widget", "description": "Set the light.",
        "parameters": {"goal": "Move the handle about 200 pixels.", "element_description": "the slider 'Light'"}})
}

/// The number of the box that is most like a square: a handle is, tracks and words are not.
pub fn squarest(text: &str) -> usize {
    let boxes = text.lines().filter_map(|line| {
        let (number, sides) = line.strip_prefix("Box ")?.split_once(": ")?;
        let sides: Vec<f64> = sides.split(", ").map(|n| n.parse().unwrap()).collect();
        let like = sides[2].min(sides[3]) / sides[2].max(sides[3]);
        (sides[2] >= 5.0).then_some((number.parse::<usize>().unwrap(), like))
    });
    boxes.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0
}

/// The number of the box that is nearest to the size that a description names, such as `a knob 40x40`.
pub fn sized(text: &str) -> Option<usize> {
    let (asked, boxes) = text.split_once("Where the boxes are")?;
    let size = asked.split_whitespace().find_map(|word| {
        let (w, h) = word.trim_end_matches(|c: char| !c.is_ascii_digit()).split_once('x')?;
        Some((w.parse::<f64>().ok()?, h.parse::<f64>().ok()?))
    })?;
    let far = boxes.lines().filter_map(|line| {
        let (number, sides) = line.strip_prefix("Box ")?.split_once(": ")?;
        let sides: Vec<f64> = sides.split(", ").map(|n| n.parse().unwrap()).collect();
        Some((number.parse().unwrap(), (sides[2] - size.0).abs() + (sides[3] - size.1).abs()))
    });
    far.min_by(|a: &(usize, f64), b| a.1.total_cmp(&b.1)).map(|(number, _)| number)
}

/// The model: as a planner it answers in the order of `plans`, then ends; as the player of frames it marks the
/// handle and slides it, or clicks on all of the page.
fn model(request: &Request, planned: usize, plans: &[Value], structure: &str, solve: &str) -> Answer {
    let text = text_of(request);
    if text.contains("Boxes with numbers mark") {
        return Answer::chat(
            &json!({ "number": sized(&text).unwrap_or_else(|| squarest(&text)) }).to_string(),
        );
    }
    if ["structure_abstraction(frames", "solve(frames", "cut into "].iter().any(|mark| text.contains(mark)) {
        return scripted(&text, structure, solve);
    }
    let end = json!({"type": "finish", "description": "Done.", "parameters": {"status": "success"}});
    Answer::chat(&plan(plans.get(planned).cloned().unwrap_or(end)))
}

pub fn is_planners(request: &Request) -> bool {
    request.path == "/v1/chat/completions" && request.body.contains("previous_action_result")
}

/// Plays the planner on a site; what `run` printed, and the requests that the site got.
pub fn played(
    page: String,
    plans: Vec<Value>,
    (structure, solve): (&'static str, &'static str),
    more: &str,
) -> (Value, Vec<Request>) {
    let dir = tempdir();
    let planned = std::sync::atomic::AtomicUsize::new(0);
    let site = Server::start(move |_, request| match request.path.as_str() {
        "/" => Answer::page(&page),
        "/v1/chat/completions" => {
            let before = usize::from(is_planners(request));
            let n = planned.fetch_add(before, std::sync::atomic::Ordering::SeqCst);
            model(request, n, &plans, structure, solve)
        }
        _ => Answer::ok(),
    });
    let agent = format!("--agent planner --model m --base-url {} --max-steps 200", site.url("/v1"));
    let start = format!("--url {} --json --out r {more}", site.url("/"));
    let args = format!("run 'Set the light to the middle.' {start} {agent}");
    let ended = waldo(&dir, &args).run();
    // Done, or handed over.
    assert!([0, 9].contains(&ended.code), "{}", ended.stderr);
    let got = ended.json();
    (got, site.requests())
}

fn inputs(requests: &[Request]) -> usize {
    requests.iter().filter(|r| r.path == "/input").count()
}

const SLIDE: (&str, &str) = (
    "def structure_abstraction(frames):\n    knob = frames[0].get_element('up', 'a handle')\n    \
     knob.set_element_as('SLIDEABLE_X')",
    "def solve(frames):\n    stops = slide_x(frames[0].get_interactable(0), 'right', frames[0])\n    \
     min(stops, key=lambda s: abs(s.position - 200)).release()",
);
const CLICK: (&str, &str) = (
    "def structure_abstraction(frames):\n    frames[0].set_frame_as('SELECTABLE')",
    "def solve(frames):\n    select(frames[0])",
);

#[test]
fn a_slider_is_set_in_one_step_of_the_planner() {
    let (got, requests) = played(SLIDER.to_owned(), vec![widget()], SLIDE, "");
    assert_eq!(got["result"]["outcome"], "finished", "{got}");
    let left: Vec<u32> =
        requests.iter().filter_map(|r| r.path.strip_prefix("/value/")?.parse().ok()).collect();
    // 200 of 384 pixels from a tenth on; a stop is 30 pixels away from the next at most.
    assert!(left.len() == 1 && (54..=70).contains(&left[0]), "{left:?} {got}");
    let plans: Vec<String> = requests.iter().filter(|r| is_planners(r)).map(text_of).collect();
    assert_eq!(plans.len(), 2, "it is one step of the planner");
    assert!(plans[0].contains("- widget(goal, "));
    let told = "The widget's turn is over: its script came to its end after";
    assert!(plans[1].contains(told) && plans[1].contains("\"status\":\"its script"), "{}", plans[1]);
    let asked = requests.iter().find(|r| r.body.contains("solve(frames")).map(text_of).unwrap();
    assert!(asked.contains("Move the handle about 200 pixels.") && asked.contains("the slider 'Light'"));
}

#[test]
fn what_the_gate_does_not_allow_gets_no_input_from_a_widgets_step() {
    let foreign = Server::start(|_, _| Answer::page(&format!("<title>Away</title>{COUNTER}Here")));
    let page = format!("<!doctype html><title>Pad</title>{COUNTER}<h1>Pad</h1>");
    let cover = "position:fixed;left:0;top:0;width:100%;height:100%";
    // A page of another origin lies over the place, and was kept from loading.
    let framed = format!("{page}<iframe src='{}' style='{cover}'></iframe>", foreign.url("/"));
    let (_, requests) = played(framed, vec![widget()], CLICK, "");
    let plans: Vec<String> = requests.iter().filter(|r| is_planners(r)).map(text_of).collect();
    assert!(!plans[0].contains("- widget(goal, "), "offered where it cannot be used");
    assert!(plans[1].contains("cannot be used here: the page reached for"), "{}", plans[1]);
    assert_eq!((inputs(&requests), inputs(&foreign.requests())), (0, 0));
    assert!(!requests.iter().any(|r| r.body.contains("structure_abstraction")), "the model was asked");

    // The guard lets any origin through, the gate does not.
    let away = json!({"type": "open_url", "description": "Go.", "parameters": {"url": foreign.url("/")}});
    let (_, requests) = played(page.clone(), vec![away, widget()], CLICK, "--allow *");
    let plans: Vec<String> = requests.iter().filter(|r| is_planners(r)).map(text_of).collect();
    assert!(foreign.requests().iter().any(|r| r.path == "/"), "it has gone there");
    assert!(plans[2].contains("only pages of exactly allowed origins"), "{}", plans[2]);
    assert_eq!((inputs(&requests), inputs(&foreign.requests())), (0, 0));

    // What lies over the place cannot be looked into, which only the device sees, right before the input.
    let hidden = COUNTER.replace('\'', "&quot;");
    let hidden = format!("{page}<iframe sandbox=allow-scripts srcdoc='{hidden}' style='{cover}'></iframe>");
    let (got, requests) = played(hidden, vec![widget(), widget()], CLICK, "");
    let plans: Vec<String> = requests.iter().filter(|r| is_planners(r)).map(text_of).collect();
    assert!(plans[0].contains("- widget(goal, "), "{}", plans[0]);
    assert!(plans[1].contains("it failed after 0 inputs: refused: "), "{}", plans[1]);
    assert!(plans[2].contains("cannot be used here"), "shut once, it stays shut: {}", plans[2]);
    assert_eq!(got["result"]["refused"], 1, "{got}");
    assert_eq!(inputs(&requests), 0);

    // The same page and script without anything over it: the counter counts.
    let (_, requests) = played(page, vec![widget()], CLICK, "");
    assert!(inputs(&requests) > 0);
}

#[test]
fn a_page_that_asks_for_a_person_ends_the_episode() {
    let asking = [
        "<button>I'm not a robot</button>",
        "<h1>Verify you are human</h1><canvas width=400 height=60></canvas>",
    ];
    for body in asking {
        let page = format!("<!doctype html><title>Pad</title>{COUNTER}{body}");
        let (got, requests) = played(page, vec![widget()], CLICK, "");
        assert_eq!(got["result"]["outcome"], "handed_over", "{got}");
        assert_eq!(inputs(&requests), 0);
        assert!(!requests.iter().any(|r| r.body.contains("structure_abstraction")), "the model was asked");
    }
}

//! The origin gate of the frames agent: pages that lead away get no input at all.

use super::support::*;

/// Tells its server of every input that reaches it, and asks for more.
pub const COUNTER: &str = "<script>for (const e of ['pointerdown','mousedown','pointermove','mousemove','click','keydown']) \
    addEventListener(e, () => navigator.sendBeacon('/input', e), true);</script>";

pub fn python(text: &str) -> Answer {
    Answer::chat(&format!("```python\n{text}\n```"))
}

/// A model that describes the page, and answers the second and third stage with these scripts.
pub fn scripted(body: &str, structure: &str, solve: &str) -> Answer {
    if body.contains("Boxes with numbers mark") {
        return Answer::chat("{\"number\": 1}");
    }
    if body.contains("structure_abstraction(frames") {
        return python(structure);
    }
    if body.contains("solve(frames") {
        return python(solve);
    }
    // The first stage has to describe as many frames as there are: it says how many it sees.
    let count = body.split("cut into ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
    let mut calls: Vec<String> = (0..count.unwrap()).map(|n| format!("describe({n}, 'A part.')")).collect();
    calls.push("objective('select the part')".to_owned());
    python(&calls.join("\n"))
}

/// A model that marks all of the page, and clicks wherever it can.
fn model(body: &str) -> Answer {
    let structure = "def structure_abstraction(frames):\n    frames[0].set_frame_as('SELECTABLE')";
    scripted(body, structure, "def solve(frames):\n    select(frames[0])")
}

/// A run on a site's page with the site's model.
pub fn run_args(goal: &str, site: &Server, steps: u32, more: &str) -> String {
    let (url, base) = (site.url("/"), site.url("/v1"));
    format!(
        "run '{goal}' --url {url} --agent frames --model m --base-url {base} --max-steps {steps} --out r {more}"
    )
}

/// A site with this page, which is the model as well, and takes whatever else is sent.
pub fn pad(page: impl Into<String>, model: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Server {
    let page = page.into();
    Server::start(move |_, request| match request.path.as_str() {
        "/" => Answer::page(&page),
        "/v1/chat/completions" => model(request),
        _ => Answer::ok(),
    })
}

/// Plays the agent on a page that is told of a foreign server: inputs that reached the page, and that server.
fn inputs(make: impl Fn(&str) -> String) -> (usize, usize) {
    let dir = tempdir();
    let foreign =
        Server::start(|_, _| Answer::page(&format!("<!doctype html><title>Away</title>{COUNTER}Here")));
    let site = pad(make(&foreign.url("/")), |request| model(&request.body));
    waldo(&dir, &run_args("select the part", &site, 80, "")).run();
    let inputs = |server: &Server| server.requests().iter().filter(|r| r.path == "/input").count();
    (inputs(&site), inputs(&foreign))
}

/// Without it the other tests would say nothing: the same agent, model and counter on a page that stays.
#[test]
fn a_page_that_stays_gets_its_input() {
    let (own, foreign) = inputs(|_| format!("<!doctype html><title>Pad</title>{COUNTER}<button>Go</button>"));
    assert!(own > 0);
    assert_eq!(foreign, 0);
}

/// A redirect, a foreign frame over the target, and a refresh.
#[test]
fn a_page_that_leads_away_gets_no_input() {
    let pages = [
        "<script>location.replace('AWAY')</script>Wait",
        "<button>Go</button><iframe src='AWAY' style='position:fixed;inset:0;width:100%;height:100%'></iframe>",
        "<meta http-equiv=refresh content='0;url=AWAY'>Wait",
    ];
    for page in pages {
        let at =
            |away: &str| format!("<!doctype html><title>Pad</title>{COUNTER}{}", page.replace("AWAY", away));
        assert_eq!(inputs(at), (0, 0), "{page}");
    }
}

#[test]
fn a_page_that_asks_for_a_person_is_handed_over_before_any_model_is_asked() {
    let dir = tempdir();
    let page =
        format!("<!doctype html><title>Pad</title>{COUNTER}<label><input type=checkbox>I am human</label>");
    let site = pad(page, |request| model(&request.body));
    waldo(&dir, &run_args("tick the box", &site, 80, "")).run();
    let paths: Vec<String> = site.requests().iter().map(|r| r.path.clone()).collect();
    assert!(!paths.iter().any(|p| p == "/input" || p.starts_with("/v1")), "{paths:?}");
}

#[test]
fn a_broken_script_is_mended_before_anything_is_done() {
    let dir = tempdir();
    let page = format!("<!doctype html><title>Pad</title>{COUNTER}<button>Go</button>");
    let site = pad(page, |request| {
        if request.body.contains("solve(frames") && !request.body.contains("That did not work.") {
            return python("def solve(frames):\n    select(frames[0])\n    import os\n    os.remove('x')");
        }
        model(&request.body)
    });
    let got = waldo(&dir, &run_args("select the part", &site, 80, "--json")).json();
    assert_eq!(got["result"]["repairs"], 1, "{got}");
    let requests = site.requests();
    let mended = requests.iter().position(|r| r.body.contains("That did not work.")).unwrap();
    let first = requests.iter().position(|r| r.path == "/input").unwrap();
    assert!(mended < first, "the script that could not run had made inputs");
    assert!(requests[mended].body.contains("line 3"), "{}", requests[mended].body);
}

/// A knob in a panel, and a page that tells of every press and release.
const KNOB: &str = "<!doctype html><title>Pad</title><body style='margin:0;background:#fff'><script>\
    for (const e of ['pointerdown','pointerup']) addEventListener(e, () => navigator.sendBeacon('/' + e), true);\
    </script><div style='position:absolute;left:100px;top:100px;width:400px;height:120px;background:#246'>\
    <div style='position:absolute;left:20px;top:40px;width:40px;height:40px;background:#f60'></div></div>";

/// Slides the knob with a script that then goes on like this; how often the pointer was pressed and let go.
fn presses(then: &str) -> (usize, usize) {
    presses_under(then, "")
}

fn presses_under(then: &str, flags: &str) -> (usize, usize) {
    let dir = tempdir();
    let structure = "def structure_abstraction(frames):\n    knob = frames[1].get_element('left', 'a knob')\n    \
                     knob.set_element_as('SLIDEABLE_X')";
    let solve = format!(
        "def solve(frames):\n    knob = frames[1].get_interactable(0)\n    \
         stops = slide_x(knob, 'right', frames[0])\n    {then}"
    );
    let site = pad(KNOB, move |request| scripted(&request.body, structure, &solve));
    waldo(&dir, &run_args("slide the knob", &site, 80, &format!("--script-repairs 0 {flags}"))).run();
    let count = |path: &str| site.requests().iter().filter(|r| r.path == path).count();
    (count("/pointerdown"), count("/pointerup"))
}

#[test]
fn a_script_that_dies_within_a_slide_leaves_no_button_pressed() {
    for then in [
        "raise ValueError('no')",
        "while True:\n        pass",
        "stops[len(stops)].release()",
        "return",
        "knob.image.crop(0, 0, 0, 0)",
    ] {
        assert_eq!(presses(then), (1, 1), "{then}");
    }
}

#[test]
fn what_is_denied_is_denied_to_scripts() {
    assert_eq!(presses_under("return", "--deny hover"), (1, 1));
    for name in ["tap", "drag", "swipe", "long_press", "press"] {
        assert_eq!(presses_under("return", &format!("--deny {name}")), (0, 0), "{name}");
    }
}

#[test]
fn the_tools_are_told() {
    let dir = tempdir();
    let text = waldo(&dir, "agents show frames").said();
    for part in ["Frame.get_element(", "slide_x(handle", "(SLIDEABLE_X, SLIDEABLE_Y)", "SwapChoice.grid"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let all = waldo(&dir, "agents show frames --json").json();
    assert!(all.as_array().unwrap().len() > 30, "{all}");
}

#[test]
fn an_agent_whose_scripts_all_fail_gives_up_and_that_is_no_success() {
    let dir = tempdir();
    let page = "<!doctype html><title>Pad</title><button>Go</button>";
    let site = pad(page, |_| Answer::chat("I would rather not."));
    let got = waldo(&dir, &run_args("select the part", &site, 80, "--json")).exits(8).json();
    assert_eq!(got["result"]["outcome"], "gave_up", "{got}");
    assert_eq!((&got["judged"], &got["result"]["success"]), (&false.into(), &Value::Null), "{got}");
    assert!(!got["result"]["claim"].as_str().unwrap().is_empty(), "{got}");
}

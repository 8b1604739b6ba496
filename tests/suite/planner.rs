//! The planner, with a scripted model over real HTTP and with the stand-in.

use super::support::*;

/// A page with a field, a button and a list; its title tells what was done.
const PAGE: &str = "<!doctype html><title>start</title><label>Name <input id=n></label>\
    <button onclick=\"document.title='sent '+document.getElementById('n').value\">Send</button>\
    <select aria-label=\"Size\" onchange=\"document.title='size '+this.value\"><option>Small</option><option>Large</option></select>";

fn check(title: &str) -> String {
    format!("[[check]]\nkind = \"js\"\nexpr = \"document.title\"\nequals = \"{title}\"\n")
}

/// The texts of a request's messages.
pub(super) fn texts_of(request: &Request) -> Vec<String> {
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let text = |message: &Value| match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|p| p["text"].as_str()).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    };
    body["messages"].as_array().unwrap().iter().map(text).collect()
}

/// The last message's text of a request, and the whole conversation.
fn said(request: &Request) -> (String, String) {
    let all = texts_of(request);
    (all.last().cloned().unwrap_or_default(), all.join("\n\n"))
}

/// A planner's reply that asks for this action.
pub(super) fn plan(action: Value) -> String {
    json!({"previous_action_result": "Fine.", "thought": "On.", "action_description": "Go on.",
        "update_memory": [], "action": action})
    .to_string()
}

/// Plays the task `form` of `./s` with the model at `base`.
fn args(base: &str, out: &str, more: &str) -> String {
    let model = format!("--agent planner --model m --model-retries 1 --model-timeout 5 --base-url {base}");
    format!("eval ./s --task form {model} --attempts 1 --workers 1 --json --out {out} {more}")
}

fn decisions(run: &Path) -> Vec<Value> {
    events_of(run, "decided").iter().map(|event| event["decision"].clone()).collect()
}

#[test]
fn a_scripted_model_plans_is_corrected_and_finishes() {
    let dir = tempdir();
    suite(&dir, "s", &[("form", PAGE, &check("sent Ada"))]);
    let server = Server::start(|n, request| {
        let (last, _) = said(request);
        if last.contains("# Find one element") {
            let name = if last.contains("the 'Send' button") { "\"Send\"" } else { "\"Name\"" };
            let is_of = |line: &&str| line.starts_with(|c: char| c.is_ascii_digit()) && line.contains(name);
            let line = last.lines().find(is_of).unwrap();
            let number = line.split(' ').next().unwrap();
            return Answer::chat(&format!("```json\n{{\"element\": {number}}}\n```"));
        }
        let press = |kind: &str, what: &str| plan(json!({"type": kind, "description": what}));
        Answer::chat(&match n {
            0 => "I would click the field.".to_owned(),
            1 => press("click", "Click the 'Name' field."),
            3 => plan(json!({"type": "type_text", "description": "Type it.", "parameters": {"text": "Ada"}})),
            4 => format!("// the button\n{}", press("left click", "Click the 'Send' button.")),
            _ => plan(json!({"type": "finish", "description": "Done.", "parameters": {"status": "success"}})),
        })
    });
    let got = waldo(&dir, &args(&server.url("/v1"), "run", "--max-steps 6")).json();
    has(&got["table"][0], json!({ "sr": 1.0, "bad_replies": 1 }));
    let requests = server.requests();
    let (last, all) = said(&requests[1]);
    assert!(last.contains("the answer holds no JSON object"), "{last}");
    assert!(all.contains("I would click the field."));
    let steps = decisions(&dir.join("run"));
    assert_eq!(steps[0]["plan"]["groundings"][0]["hit"]["name"], "Name");
    assert_eq!(steps[2]["exchanges"][0]["repairs"][0], "text around the JSON");
    let run = dir.join("run");
    let csv = text_in(run.join("grounding.csv"));
    assert!(csv.contains("Click the 'Send' button.") && csv.lines().count() == 3, "{csv}");
    text_in(run.join("summary.md")).says("## Grounding").says("| planner+m | tags | 2 |");
}

#[test]
fn nothing_that_a_model_says_is_invalid() {
    let dir = tempdir();
    suite(&dir, "s", &[("form", PAGE, &check("start"))]);
    let unknown = plan(json!({"type": "teleport", "description": "Go."}));
    let shape = plan(json!(["click"]));
    let nowhere = plan(json!({"type": "click", "description": "Click the 'Pay' button."}));
    let file = plan(
        json!({"type": "upload_file", "description": "Give it to 'Name'.", "parameters": {"file": "/etc/passwd"}}),
    );
    let tab = plan(json!({"type": "switch_tab", "description": "Go.", "parameters": {"tab": "9"}}));
    let key = plan(json!({"type": "key_press", "description": "Save.", "parameters": {"key": "Ctrl+S"}}));
    let distance = plan(json!({"type": "scroll", "description": "Scroll the page.",
        "parameters": {"element_description": "the page", "direction": "down", "distance": "6"}}));
    let null = plan(json!({"type": "wait", "description": "Wait."}))
        .replace("\"update_memory\":[]", "\"update_memory\":null");
    let two = format!("{nowhere}\n{unknown}");
    let cases: [(&str, String); 13] = [
        ("empty", " ".into()),
        ("prose", "bananas".into()),
        ("html", "<html><body>502</body></html>".into()),
        ("unknown", unknown),
        ("shape", shape),
        ("two", two),
        ("cut", "{\"previous_action_result\": \"It".into()),
        ("nowhere", nowhere),
        ("file", file),
        ("tab", tab),
        ("key", key),
        ("distance", distance),
        ("null", null),
    ];
    for (name, text) in cases {
        let server = Server::start(move |_, _| Answer::chat(&text));
        let more = "--max-steps 2 --grounder text --no-report";
        let row = waldo(&dir, &args(&server.url("/v1"), name, more)).json()["table"][0].clone();
        let found = (&row["n"], &row["mean_steps"], &row["invalid"]);
        assert_eq!(found, (&json!(1), &json!(2.0), &json!(0)), "{name}: {row}");
    }
    let done = |name: &str| decisions(&dir.join(name))[0].clone();
    assert_eq!(done("key")["choice"]["action"]["chord"], "ctrl+s");
    assert_eq!(done("distance")["choice"]["action"]["by"]["down"], 6);
    assert_eq!(done("null")["exchanges"][0]["repairs"][0], "update_memory is null");
    assert_eq!(done("nowhere")["choice"]["choice"], "pass");
    assert_eq!(done("nowhere")["plan"]["plans"], 3);
    assert_eq!(done("prose")["exchanges"].as_array().unwrap().len(), 3);
}

#[test]
fn a_grounding_service_refuses_fails_and_is_never_told_of_in_full() {
    let dir = tempdir();
    suite(&dir, "s", &[("form", PAGE, &check("start"))]);
    let model = || {
        Server::start(|n, _| {
            Answer::chat(&if n < 2 {
                plan(json!({"type": "click", "description": "Click the 'Name' field."}))
            } else {
                plan(json!({"type": "finish", "description": "Done.", "parameters": {"status": "success"}}))
            })
        })
    };
    let run = |name: &str, answer: &'static str, code: i32| {
        let model = model();
        let grounder = Server::start(move |_, _| match answer {
            "" => Answer::Silence,
            "500" => Answer::new("500 Oops", "text/plain", "sk-grounder-hunter22 broke"),
            "html" => Answer::page("<h1>sk-grounder-hunter22</h1>"),
            body => Answer::new("200 OK", "application/json", body),
        });
        let more = format!("--max-steps 3 --grounder http={}", grounder.url("/ground"));
        let all = args(&model.url("/v1"), name, &more).replace("--model-timeout 5", "--model-timeout 1");
        let ended = waldo(&dir, &all).env("GROUNDER_API_KEY", "sk-grounder-hunter22").exits(code);
        let ended = ended.never_warns("hunter22").never_prints("hunter22");
        for event in events(&dir.join(name)) {
            assert!(!event.to_string().contains("hunter22"), "{name}");
        }
        let got = if code == 6 { Value::Null } else { ended.json() };
        (got, grounder.requests())
    };
    let (got, asked) = run("refuses", r#"{"description": "hidden", "position": [-1, -1]}"#, 0);
    assert_eq!(got["table"][0]["n"], 1, "{got}");
    assert_eq!(asked.len(), 2, "two plans, then the model finishes");
    let body: Value = serde_json::from_str(&asked[0].body).unwrap();
    assert_eq!(body["action_description"], "Click the 'Name' field.");
    assert!(body["image_base64"].is_string() && body["element_description"].is_null());
    let step = decisions(&dir.join("refuses"))[0].clone();
    assert!(step["plan"]["groundings"][0]["refused"].as_str().unwrap().contains("hidden"), "{step}");
    let (got, _) = run("outside", r#"{"position": [99999, 5]}"#, 0);
    assert_eq!(got["table"][0]["n"], 1, "{got}");
    // A service that is not there is the harness's fault, and not scored.
    for answer in ["500", "html", ""] {
        let name = if answer.is_empty() { "silent" } else { answer };
        // Nobody ever answered: the run stops, and can be resumed.
        run(name, answer, 6);
    }
}

#[test]
fn the_stand_in_plays_the_planner_and_its_grounder_over_http() {
    let dir = tempdir();
    let tasks = "--task register-form --task kanban-drag";
    let args = format!("eval l3-web {tasks} --agent planner --model reference --json --out r");
    let got = waldo(&dir, &args).json();
    has(&got["table"][0], json!({ "contestant/name": "planner+reference", "sr": 1.0 }));
    let steps = report_steps(&dir.join("r"));
    assert!(steps.contains("reference_progress"), "the memory is in the report");
}

#[test]
fn the_schema_is_published_and_fits_the_device() {
    let dir = tempdir();
    let show = |args: &str| waldo(&dir, &format!("agents {args}")).ok();
    let all = show("show planner --schema").json();
    assert_eq!(all["required"].as_array().unwrap().len(), 5, "{all}");
    let phone = show("show planner --schema --device android").stdout;
    assert!(all.to_string().contains("right_click") && !phone.contains("right_click"));
    show("show planner --device desktop").prints("switch_window");
    show("list").prints("planner");
    waldo(&dir, "agents show noop --schema").exits(4).warns("no schema");
}

#[test]
fn flags_that_make_no_sense_are_refused() {
    let dir = tempdir();
    for (flag, value) in [
        ("--grounder", "magic"),
        ("--grounder", "http=http://me:pw@127.0.0.1/"),
        ("--grounder-profile", "percent"),
        ("--context-tokens", "10"),
        ("--date", "tomorrow"),
    ] {
        waldo(&dir, &format!("eval l3-web --agent planner --model m {flag} {value} --dry-run")).exits(2);
    }
    waldo(&dir, "eval l3-web --agent planner").exits(4).warns("planner needs --model");
}

#[test]
fn two_fingers_bring_a_picture_nearer_on_a_phone() {
    let dir = tempdir();
    let server = Server::start(|_, request| {
        let (last, all) = said(request);
        if last.contains("# Find one element") {
            let picture =
                last.lines().find(|l| l.starts_with(|c: char| c.is_ascii_digit()) && l.contains("Picture: "));
            let number = picture.and_then(|l| l.split(' ').next()).filter(|_| last.contains("Pinch it"));
            return Answer::chat(&format!("{{\"element\": {}}}", number.unwrap_or("4")));
        }
        let act = |kind: &str, what: &str, with: Value| {
            plan(json!({"type": kind, "description": what, "parameters": with}))
        };
        Answer::chat(&match (all.contains("Open the first."), all.contains("Pinch it.")) {
            (false, _) => act("click", "Open the first.", json!({})),
            (true, false) => act("pinch", "Pinch it.", json!({"percent": 300})),
            (true, true) => act("finish", "Done.", json!({"status": "success"})),
        })
    });
    let base = server.url("/v1");
    let args = format!(
        "run 'look at it' --device simphone --open com.waldo.photos --agent planner --model m \
        --base-url {base} --out run --json"
    );
    waldo(&dir, &args).ok();
    let acted = events_of(&dir.join("run"), "acted");
    has(&acted[1], json!({ "action/do": "pinch", "action/percent": 300, "report/effect": "confirmed" }));
}

pub(super) fn report_steps(run: &Path) -> String {
    let files = std::fs::read_dir(run.join("report-steps")).unwrap();
    files.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap()).collect()
}

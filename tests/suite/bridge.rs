//! An environment in another language, played over the bridge; and one that does not keep the protocol.

use super::support::*;

pub(super) struct Example {
    _child: Ends,
    pub(super) address: String,
}

impl Example {
    pub(super) fn start() -> Self {
        let program = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/bridge-example");
        let mut child = Command::new("python3").args([program, "0"]).stdout(Stdio::piped()).spawn().unwrap();
        let address = first_line(&mut child);
        Self { _child: Ends(child), address: address.trim().to_owned() }
    }
}

#[test]
fn the_example_keeps_the_protocol_and_its_tasks_are_played_and_judged_by_itself() {
    let dir = tempdir();
    let example = Example::start();
    let said = waldo(&dir, &format!("bridge check {} --json", example.address)).json();
    has(&said, json!({ "kept": true, "tasks": 2 }));
    assert!(said["checks"].as_array().unwrap().len() > 9, "{said}");
    let suite = format!("bridge:{}", example.address);
    waldo(&dir, &["tasks", &suite]).ok().prints("press-one").prints("judged by its own code");
    let agents = "--agent baseline --agent noop --repeats 3 --workers 2";
    let said = waldo(&dir, &format!("eval {suite} {agents} --task press-one --out run --json")).json();
    let rate = |name: &str| row(&said, name)["sr"].as_f64().unwrap();
    assert_eq!((rate("baseline"), rate("noop")), (1.0, 0.0), "{said}");
    let result = json_in(dir.join("run/episodes/baseline/press-one/r0/result.json"));
    let what = result["checks"][0]["what"].as_str().unwrap();
    assert!(what.starts_with("by example 1 itself: pressed "), "{what}");
    let record = events(&dir.join("run/episodes/baseline/press-one/r0"));
    let started = record.iter().find(|event| event["event"] == "started").unwrap();
    assert!(started["goal"].as_str().unwrap().starts_with("press "), "{started}");
    assert!(started["params"]["wanted"].is_array(), "{started}");
    assert!(record.iter().any(|event| event.to_string().contains("was pressed")));
}

#[test]
fn a_goal_of_ones_own_is_pursued_where_everything_is_allowed() {
    let dir = tempdir();
    let example = Example::start();
    let run = format!("run 'press red' --device bridge:{} --agent noop --max-steps 1", example.address);
    waldo(&dir, &run).fails().warns("--allow '*'");
    waldo(&dir, &format!("{run} --allow * --out run")).ok();
    let other = format!("run g --device bridge:desktop:{} --allow-app * --agent noop", example.address);
    waldo(&dir, &other).exits(4).warns("write bridge:web:");
}

/// An environment that answers `what` to the call `call`, and well to others.
fn wrong(call: &'static str, what: Value) -> Server {
    Server::start(move |_, request| {
        let name = request.path.trim_start_matches('/');
        if name == call {
            return Answer::json(&what);
        }
        let said = match name {
            "hello" => {
                json!({ "protocol": 1, "name": "wrong", "platform": "web", "screen": [10, 10], "tasks": [{ "id": "t" }] })
            }
            "reset" => json!({ "session": "s", "goal": "g" }),
            // One white pixel.
            "observe" => {
                json!({ "picture": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC" })
            }
            "judge" => json!({ "success": 1.0 }),
            _ => json!({}),
        };
        Answer::json(&said)
    })
}

#[test]
fn an_environment_that_does_not_keep_the_protocol_is_at_fault_and_never_the_agent() {
    let dir = tempdir();
    let many = vec![json!({ "id": "e", "box": [0, 0, 1, 1] }); 50_001];
    for (call, what, why) in [
        ("judge", json!({ "success": 7 }), "from 0 to 1"),
        ("judge", json!({ "checks": [] }), "success"),
        ("observe", json!({ "picture": "AAAA" }), "picture"),
        ("observe", json!({ "elements": many }), "no picture"),
        ("reset", json!({ "session": "" }), "session"),
    ] {
        let server = wrong(call, what);
        let out = tempfile::tempdir_in(&dir).unwrap();
        let out = out.path().join("run");
        let suite = format!("bridge:{}", server.url(""));
        let args = format!("eval {suite} --agent noop --max-steps 2 --attempts 1 --out '{}'", out.display());
        waldo(&dir, &args).exits(3);
        let result = json_in(out.join("episodes/noop/t/r0/result.json"));
        result.to_string().says("invalid").says(why);
    }
    let hello =
        |more: Value| with(json!({ "protocol": 1, "name": "a", "platform": "web", "screen": [1, 1] }), &more);
    for (hello, why) in [
        (hello(json!({ "protocol": 2 })), "this waldo speaks 1"),
        (hello(json!({ "screen": [90000, 90000] })), "64,000,000"),
        (hello(json!({ "name": "../a" })), "name is"),
        (hello(json!({ "tasks": [{ "id": "../x" }] })), "tasks[0].id"),
        (json!([]), "hello"),
    ] {
        let server = wrong("hello", hello);
        waldo(&dir, &format!("bridge check {}", server.url(""))).fails().warns(why);
    }
}

#[test]
fn what_lies_elsewhere_is_asked_over_tls_unless_somebody_says_otherwise() {
    let dir = tempdir();
    for args in [
        "bridge check http://192.0.2.1:1",
        "eval bridge:http://192.0.2.1:1 --agent noop",
        "run g --device web --url http://a.test --agent noop --insecure",
        "run g --device osworld:http://192.0.2.1:5000 --allow-app * --agent noop",
    ] {
        let needless = args.contains("--device web");
        waldo(&dir, args).fails().warns(if needless { "--insecure goes with" } else { "--insecure" });
    }
}

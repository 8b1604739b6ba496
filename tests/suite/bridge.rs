//! An environment in another language, played over the bridge; and one that does not keep the protocol.

use std::io::{BufRead as _, BufReader};

use super::support::*;

pub(super) struct Example {
    _child: Ends,
    pub(super) address: String,
}

impl Example {
    pub(super) fn start() -> Self {
        let program = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/bridge-example");
        let mut child = Command::new("python3").args([program, "0"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Self { _child: Ends(child), address: address.trim().to_owned() }
    }
}

#[test]
fn the_example_keeps_the_protocol_and_its_tasks_are_played_and_judged_by_itself() {
    let dir = tempfile::tempdir().unwrap();
    let example = Example::start();
    let said =
        waldo(dir.path(), &["bridge", "check", &example.address, "--json"]).run().expect_code(0).json();
    assert_eq!((&said["kept"], &said["tasks"]), (&json!(true), &json!(2)), "{said}");
    assert!(said["checks"].as_array().unwrap().len() > 9, "{said}");
    let suite = format!("bridge:{}", example.address);
    let listed = waldo(dir.path(), &["tasks", &suite]).run().expect_code(0).stdout;
    assert!(listed.contains("press-one") && listed.contains("judged by its own code"), "{listed}");
    let args = ["eval", &suite, "--agent", "baseline", "--agent", "noop", "--repeats", "3", "--workers", "2"];
    let more = ["--task", "press-one", "--out", "run", "--json"];
    let said = waldo(dir.path(), &[&args[..], &more[..]].concat()).run().expect_code(0).json();
    let rate = |name: &str| {
        let one = said["table"].as_array().unwrap().iter().find(|row| row["contestant"]["name"] == name);
        one.unwrap()["sr"].as_f64().unwrap()
    };
    assert_eq!((rate("baseline"), rate("noop")), (1.0, 0.0), "{said}");
    let result: Value = read(&dir.path().join("run/episodes/baseline/press-one/r0/result.json"));
    let what = result["checks"][0]["what"].as_str().unwrap();
    assert!(what.starts_with("by example 1 itself: pressed "), "{what}");
    let record = events(&dir.path().join("run/episodes/baseline/press-one/r0"));
    let started = record.iter().find(|event| event["event"] == "started").unwrap();
    assert!(
        started["goal"].as_str().unwrap().starts_with("press ") && started["params"]["wanted"].is_array()
    );
    assert!(record.iter().any(|event| event.to_string().contains("was pressed")));
}

fn read(path: &Path) -> Value {
    json_in(path)
}

#[test]
fn a_goal_of_ones_own_is_pursued_where_everything_is_allowed() {
    let dir = tempfile::tempdir().unwrap();
    let example = Example::start();
    let device = format!("bridge:{}", example.address);
    let run = ["run", "press red", "--device", &device, "--agent", "noop", "--max-steps", "1"];
    let said = waldo(dir.path(), &run).run();
    assert!(said.code != 0 && said.stderr.contains("--allow '*'"), "{}", said.stderr);
    let allowed = [&run[..], &["--allow", "*", "--out", "run"]].concat();
    waldo(dir.path(), &allowed).run().expect_code(0);
    let other = format!("bridge:desktop:{}", example.address);
    let said =
        waldo(dir.path(), &["run", "g", "--device", &other, "--allow-app", "*", "--agent", "noop"]).run();
    assert!(said.code == 4 && said.stderr.contains("write bridge:web:"), "{}", said.stderr);
}

/// An environment that answers `what` to the call `call`, and well to others.
fn wrong(call: &'static str, what: Value) -> Server {
    Server::start(move |_, request| {
        let name = request.path.trim_start_matches('/');
        if name == call {
            return Answer::new("200 OK", "application/json", what.to_string());
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
        Answer::new("200 OK", "application/json", said.to_string())
    })
}

#[test]
fn an_environment_that_does_not_keep_the_protocol_is_at_fault_and_never_the_agent() {
    let dir = tempfile::tempdir().unwrap();
    let many = vec![json!({ "id": "e", "box": [0, 0, 1, 1] }); 50_001];
    for (call, what, why) in [
        ("judge", json!({ "success": 7 }), "from 0 to 1"),
        ("judge", json!({ "checks": [] }), "success"),
        ("observe", json!({ "picture": "AAAA" }), "picture"),
        ("observe", json!({ "elements": many }), "no picture"),
        ("reset", json!({ "session": "" }), "session"),
    ] {
        let server = wrong(call, what);
        let suite = format!("bridge:{}", server.url(""));
        let args = ["eval", &suite, "--agent", "noop", "--max-steps", "2", "--attempts", "1", "--out"];
        let out = tempfile::tempdir_in(dir.path()).unwrap();
        let out = out.path().join("run");
        let said = waldo(dir.path(), &[&args[..], &[out.to_str().unwrap()]].concat()).run();
        assert_eq!(said.code, 3, "{call}: {}{}", said.stdout, said.stderr);
        let result = read(&out.join("episodes/noop/t/r0/result.json"));
        let reason = result.to_string();
        assert!(reason.contains("invalid") && reason.contains(why), "{call}: {reason}");
    }
    for (hello, why) in [
        (json!({ "protocol": 2, "name": "a", "platform": "web", "screen": [1, 1] }), "this waldo speaks 1"),
        (json!({ "protocol": 1, "name": "a", "platform": "web", "screen": [90000, 90000] }), "64,000,000"),
        (json!({ "protocol": 1, "name": "../a", "platform": "web", "screen": [1, 1] }), "name is"),
        (
            json!({ "protocol": 1, "name": "a", "platform": "web", "screen": [1, 1], "tasks": [{ "id": "../x" }] }),
            "tasks[0].id",
        ),
        (json!([]), "hello"),
    ] {
        let server = wrong("hello", hello);
        let said = waldo(dir.path(), &["bridge", "check", &server.url("")]).run();
        assert!(said.code != 0 && said.stderr.contains(why), "{why}: {}", said.stderr);
    }
}

#[test]
fn what_lies_elsewhere_is_asked_over_tls_unless_somebody_says_otherwise() {
    let dir = tempfile::tempdir().unwrap();
    let said = waldo(dir.path(), &["bridge", "check", "http://192.0.2.1:1"]).run();
    assert!(said.code != 0 && said.stderr.contains("--insecure"), "{}", said.stderr);
    let said = waldo(dir.path(), &["eval", "bridge:http://192.0.2.1:1", "--agent", "noop"]).run();
    assert!(said.code != 0 && said.stderr.contains("--insecure"), "{}", said.stderr);
    let said = waldo(
        dir.path(),
        &["run", "g", "--device", "web", "--url", "http://a.test", "--agent", "noop", "--insecure"],
    )
    .run();
    assert!(said.code == 4 && said.stderr.contains("--insecure goes with"), "{}", said.stderr);
    let desktop =
        ["run", "g", "--device", "osworld:http://192.0.2.1:5000", "--allow-app", "*", "--agent", "noop"];
    let said = waldo(dir.path(), &desktop).run();
    assert!(said.code != 0 && said.stderr.contains("--insecure"), "{}", said.stderr);
}

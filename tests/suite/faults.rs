//! What waldo survives.

use std::io::Read as _;
use std::net::TcpListener;

use super::contestants::DONE;
use super::support::*;

const WAIT: &str = "Observation: o\nThought: t\nAction: wait()\nSummary: s";

fn appagent(base: &str, out: &str) -> String {
    format!(
        "eval l3-web --agent appagent --model m --task kanban-drag --max-steps 2 --attempts 1 --model-retries 1 \
         --model-timeout 2 --no-report --json --base-url {base} --out {out}"
    )
}

/// An endpoint that answers its first question with an action, and then every request with the same text.
fn failing_later(answer: String) -> String {
    Server::start(move |n, _| match n {
        0 => Answer::chat(WAIT),
        _ if answer.is_empty() => Answer::Silence,
        _ => Answer::Bytes(answer.clone().into_bytes()),
    })
    .url("/v1")
}

#[test]
fn an_endpoint_that_fails_makes_the_episode_invalid_not_failed() {
    let dir = tempdir();
    let http = |status: &str, length: usize, body: &str| {
        format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
    };
    let cases = [
        ("hangs", String::new()),
        ("status500", http("500 Oops", 4, "oops")),
        ("notjson", http("200 OK", 5, "<html")),
        ("cutoff", http("200 OK", 500, "{\"cho")),
        ("nochoice", http("200 OK", 14, "{\"choices\":[]}")),
    ];
    for (name, answer) in cases {
        let got = waldo(&dir, &appagent(&failing_later(answer), name)).exits(3).json();
        has(&got, json!({ "table/0/invalid": 1, "table/0/n": 0, "table/0/contestant/name": "appagent+m" }));
    }
}

#[test]
fn a_model_that_cannot_be_asked_ends_the_run_before_anything_is_started() {
    let dir = tempdir();
    let refused = {
        // Bound and dropped: nothing listens there.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/v1", listener.local_addr().unwrap())
    };
    let body = |status: &str| format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    let server = |answer: String| Server::start_bare(move |_, _| Answer::Bytes(answer.clone().into_bytes()));
    let key = server(body("401 Unauthorized"));
    let model = server(body("404 Not Found"));
    let down = server(body("503 Unavailable"));
    let hour = server(body("429 Slow down\r\nretry-after: 3600"));
    let cases = [
        (refused, None, "cannot reach the model"),
        (key.url("/v1"), Some((&key, 1)), "401"),
        (model.url("/v1"), Some((&model, 1)), "404"),
        (down.url("/v1"), Some((&down, 2)), "503"),
        (hour.url("/v1"), Some((&hour, 1)), "status 429, Retry-After: 3600 s"),
    ];
    for (n, (base, server, told)) in cases.into_iter().enumerate() {
        let args = format!("{} --browser /no/such/browser", appagent(&base, &format!("r{n}")));
        waldo(&dir, &args).exits(6).warns(told);
        if let Some((server, asked)) = server {
            assert_eq!(server.requests().len(), asked, "{told}");
        }
    }
}

#[test]
fn a_run_stops_where_no_call_was_ever_answered_or_the_endpoint_keeps_failing() {
    for (good, episodes) in [(0, 0), (1, 3)] {
        let dir = tempdir();
        let server = Server::start(move |n, _| match n < good {
            true => Answer::chat(WAIT),
            false => Answer::new("500 Oops", "text/plain", ""),
        });
        let args = appagent(&server.url("/v1"), "r").replace("--model-retries 1", "--model-retries 0");
        let tasks = "--task register-form --task wizard --task search-filters --task cart-checkout";
        let args = format!("{args} {tasks} --workers 1");
        let ended = waldo(&dir, &args).exits(6).warns("resume with: ");
        assert_eq!(ended.stderr.contains("in 3 episodes in a row"), episodes == 3, "{}", ended.stderr);
        assert_eq!(server.requests().len(), if episodes == 3 { 4 } else { 1 });
    }
}

#[test]
fn a_record_that_cannot_be_written_ends_the_run_at_once() {
    let dir = tempdir();
    let full = dir.join("r/episodes/appagent+m/kanban-drag/r0/events.jsonl");
    let server = Server::start(move |_, _| {
        // From here on the disk is full.
        std::fs::remove_file(&full).unwrap();
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        Answer::chat(WAIT)
    });
    let args = appagent(&server.url("/v1"), "r");
    let ended = waldo(&dir, &args).exits(1).warns("No space left").warns("resume with: ");
    assert_eq!(ended.stderr.matches("No space left").count(), 1, "{}", ended.stderr);
    assert_eq!(server.requests().len(), 1, "nothing more is paid for");
}

#[test]
fn whoever_is_killed_has_recorded_all_but_the_step_under_way() {
    let dir = tempdir();
    let server = Server::start(|n, _| match n {
        0 => Answer::chat(WAIT),
        _ => Answer::Silence,
    });
    let args = appagent(&server.url("/v1"), "r").replace("--model-timeout 2", "--model-timeout 60");
    let mut run = waldo(&dir, &args).start();
    until("the second question", 60, || server.requests().len() == 2);
    // Nothing is written any more once it is gone: no event waits for whoever writes it.
    kill(&mut run);
    let record = dir.join("r/episodes/appagent+m/kanban-drag/r0");
    let kept = events(&record);
    let told: Vec<_> = kept.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(told, ["started", "observed", "decided", "acted", "observed"]);
    assert!(record.join("step-02.png").is_file());
}

#[test]
fn why_replies_could_not_be_read_stands_under_the_table() {
    let reply = |message: &str, finish: &str| {
        let body = format!("{{\"choices\":[{{\"message\":{message},\"finish_reason\":\"{finish}\"}}]}}");
        Server::start(move |_, _| Answer::new("200 OK", "application/json", &body))
    };
    let null = "{\"role\":\"assistant\",\"content\":null}";
    // Nothing at all would be the endpoint's fault.
    let blank = "{\"role\":\"assistant\",\"content\":\" \"}";
    let calls = "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"1\"}]}";
    let refusal = "{\"role\":\"assistant\",\"content\":null,\"refusal\":\"I cannot help with that.\"}";
    let cases = [
        (reply(null, "length"), "cut off at 8192 tokens; raise --max-tokens"),
        (reply(blank, "stop"), "without any text"),
        (reply(calls, "tool_calls"), "calls of tools in place of text"),
        (reply(refusal, "stop"), "refusals"),
    ];
    for (server, told) in &cases {
        let dir = tempdir();
        let args = appagent(&server.url("/v1"), "r").replace(" --json", "");
        waldo(&dir, &args).ok().prints("4 of 4 replies could not be read: ").prints(told);
        if *told == "refusals" {
            let record = dir.join("r/episodes/appagent+m/kanban-drag/r0/events.jsonl");
            assert!(text_in(record).contains("I cannot help with that."));
        }
    }
}

#[test]
fn a_refused_key_stops_the_run_and_says_so() {
    let dir = tempdir();
    let body = r#"{"error":{"message":"bad api key"}}"#;
    let server = Server::start(move |_, _| Answer::new("401 No", "application/json", body));
    let refused = waldo(&dir, &appagent(&server.url("/v1"), "r")).env("OPENAI_API_KEY", "sk-very-secret-key");
    refused.exits(6).warns("401").never_warns("sk-very-secret-key");
}

#[test]
fn a_reply_that_stays_unreadable_is_a_step_not_an_error() {
    let dir = tempdir();
    let server = scripted(vec!["bananas"]);
    let got = waldo(&dir, &appagent(&server.url("/v1"), "r")).json();
    // One re-ask a step.
    has(&got["table"][0], json!({ "n": 1, "mean_steps": 2.0, "model_calls": 4 }));
}

#[test]
fn a_missing_browser_is_named_with_its_mend() {
    let dir = tempdir();
    waldo(&dir, "devices --browser /no/such/browser").exits(5).warns("/no/such/browser");
    let ended = waldo(&dir, "doctor --browser /no/such/browser --json").exits(5);
    let rows = ended.json();
    let browser = rows.as_array().unwrap().iter().find(|row| row["ok"] == false);
    assert!(browser.is_some_and(|row| row.to_string().contains("/no/such/browser")), "{rows}");
}

#[test]
fn a_browser_killed_in_the_middle_is_replaced() {
    let dir = tempdir();
    let temp = dir.join("tmp");
    std::fs::create_dir(&temp).unwrap();
    let marker = temp.to_str().unwrap().to_owned();
    let args = "eval l3-web --agent reference --task register-form --task cart-checkout --task wizard \
        --task search-filters --workers 2 --no-report --json --out r";
    let child = waldo(&dir, args).env("TMPDIR", &marker).start();
    let events = dir.join("r/episodes/reference/register-form/r0/events.jsonl");
    until("an episode is under way", 60, || {
        std::fs::read_to_string(&events).is_ok_and(|text| text.lines().count() > 6)
    });
    let browser = processes(&marker).iter().map(|(pid, _)| *pid).min().unwrap();
    signal(browser, "-KILL");
    let got = Ended::awaited(child).expect_code(0).json();
    has(&got["table"][0], json!({ "sr": 1.0, "invalid": 0 }));
    until("no browser is left", 20, || processes(&marker).is_empty());
}

#[test]
fn an_endpoint_that_asks_for_patience_gets_it() {
    let dir = tempdir();
    let server = Server::start(|n, _| match n {
        0 => Answer::Bytes(
            b"HTTP/1.1 429 Slow down\r\nretry-after: 2\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                .to_vec(),
        ),
        1 => Answer::new("503 Later", "text/plain", "later"),
        _ => Answer::chat(DONE),
    });
    let args = appagent(&server.url("/v1"), "r").replace("--model-retries 1", "--model-retries 3");
    let got = waldo(&dir, &args).json();
    has(&got["table"][0], json!({ "n": 1, "invalid": 0 }));
    let asked: Vec<Instant> = server.requests().iter().map(|request| request.at).collect();
    assert_eq!(asked.len(), 3);
    assert!(asked[1] - asked[0] >= Duration::from_millis(1900), "{:?}", asked[1] - asked[0]);
}

#[test]
fn a_reply_of_a_megabyte_is_a_bad_reply_and_no_more() {
    let dir = tempdir();
    let server = Server::start(|_, _| Answer::chat(&"lorem ipsum ".repeat(90_000)));
    let got = waldo(&dir, &appagent(&server.url("/v1"), "r")).json();
    has(&got["table"][0], json!({ "n": 1, "mean_steps": 2.0 }));
    // The second question does not carry it back.
    for request in server.requests() {
        let question: Value = serde_json::from_str(&request.body).unwrap();
        let messages = question["messages"].as_array().unwrap().iter();
        let said = messages.filter(|message| message["role"] == "assistant");
        let said: usize = said.map(|message| message.to_string().len()).sum();
        assert!(said < 100_000, "{said} bytes");
    }
}

#[test]
fn a_stopped_run_tells_how_to_go_on_and_leaves_nothing() {
    for name in ["-INT", "-TERM", "-HUP"] {
        let dir = tempdir();
        let temp = dir.join("tmp");
        std::fs::create_dir(&temp).unwrap();
        let marker = temp.to_str().unwrap();
        let args = "eval l3-web --agent random --workers 2 --no-report --out r";
        let mut child = waldo(&dir, args).env("TMPDIR", marker).start_heard();
        let folder = dir.join("r/episodes/random");
        until("an episode is under way", 60, || folder.exists());
        signal(child.id(), name);
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
        assert!(said.contains("resume with: "), "{said}");
        until("no browser is left", 10, || processes(marker).is_empty());
        assert_eq!(profiles(&temp), Vec::<std::ffi::OsString>::new());
    }
}

#[test]
fn notes_of_an_exploration_that_cannot_be_written_end_it_at_once() {
    let dir = tempdir();
    let site =
        Server::start(|_, _| Answer::page("<title>Shop</title><button>Open</button><button>Close</button>"));
    let full = dir.join("run/episodes/appagent+m/shop/r0/events.jsonl");
    let server = Server::start(move |_, _| {
        // From here on the disk is full.
        std::fs::remove_file(&full).unwrap();
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        Answer::acts("tap(1)")
    });
    let (url, base) = (site.url("/"), server.url("/v1"));
    let args =
        format!("explore --url {url} --app shop --model m --base-url {base} --steps 8 --out run --json");
    let ended = waldo(&dir, &args).exits(1);
    assert_eq!(ended.stderr.matches("No space left").count(), 1, "{}", ended.stderr);
    assert_eq!(server.requests().len(), 1, "nothing more is paid for");
}

#[test]
fn whoever_asks_a_model_tests_first_that_it_can_be_asked() {
    let refuses =
        |status: &'static str| Server::start_bare(move |_, _| Answer::new(status, "application/json", "{}"));
    let (refused, unknown, good) = (
        refuses("401 Unauthorized"),
        refuses("404 Not Found"),
        Server::start_bare(|_, _| Answer::chat("ok")),
    );
    let (refused_at, unknown_at, good_at) = (refused.url("/v1"), unknown.url("/v1"), good.url("/v1"));
    let service = format!("http={}", unknown.url("/ground"));
    let start = ["--url", "http://127.0.0.1:9/", "--browser", "/no/such/browser", "--api-key-env", "MY_KEY"];
    let planner = ["run", "--agent", "planner", "--model", "m", "--base-url", &good_at, "look", "--grounder"];
    let (run, explore) = (["run", "--agent", "appagent", "look"], ["explore"]);
    let asked = |at| ["--model", "m", "--base-url", at];
    let model = |name: &str, at: &str, key: &str| format!("the model '{name}' at {at} (key: {key}) ");
    let empty = "GROUNDER_API_KEY, which is empty";
    let cases = [
        ([&run[..], &asked(&refused_at)].concat(), model("m", &refused_at, "MY_KEY"), "401"),
        ([&explore[..], &asked(&refused_at)].concat(), model("m", &refused_at, "MY_KEY"), "401"),
        (
            [&planner[..], &["model=g", "--grounder-base-url", &unknown_at]].concat(),
            model("g", &unknown_at, empty),
            "404",
        ),
        (
            [&planner[..], &[&service]].concat(),
            format!("the grounder at {} (key: {empty}) ", unknown.url("/ground")),
            "404",
        ),
        // The same model at the same address is asked once.
        (
            [&planner[..], &["tags=m", "--picture", "png"]].concat(),
            "no browser".to_owned(),
            "/no/such/browser",
        ),
    ];
    for (args, named, why) in cases {
        let dir = tempdir();
        let before = (refused.requests().len(), unknown.requests().len(), good.requests().len());
        let ended = waldo(&dir, &[&args[..], &start].concat()).env("MY_KEY", "the-key-itself").run();
        let told = &ended.stderr;
        assert_eq!(ended.code, if why.starts_with('/') { 5 } else { 6 }, "{args:?}: {told}");
        assert!((why.starts_with('/') || told.contains(&named)) && told.contains(why), "{args:?}: {told}");
        assert!(!told.contains("the-key-itself"), "{told}");
        let after = (refused.requests().len(), unknown.requests().len(), good.requests().len());
        let more = (after.0 - before.0, after.1 - before.1, after.2 - before.2);
        let wanted = match (args[0], why) {
            (_, "401") => (1, 0, 0),
            (_, "404") => (0, 1, 1),
            _ => (0, 0, 1),
        };
        assert_eq!(more, wanted, "{args:?}");
        assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0, "{args:?} leaves nothing behind");
    }
}

#[test]
fn a_key_that_is_missing_for_a_public_endpoint_is_named_before_it_is_asked() {
    let dir = tempdir();
    // Nobody has a name that ends so.
    let model = ["--model", "m", "--base-url", "https://models.invalid/v1", "--api-key-env", "MY_KEY"];
    let start = ["--url", "http://127.0.0.1:9/", "--model-retries", "0"];
    let args = [&["run", "--agent", "appagent", "look"][..], &model, &start].concat();
    let named =
        "models.invalid is asked without a key: the variable MY_KEY is empty; set it, or name another";
    let said = waldo(&dir, &args).exits(6).stderr;
    let (missing, asked) = (said.find(named), said.find("cannot be used"));
    assert!(missing.is_some() && missing < asked, "{said}");
    assert_eq!(said.matches("asked without a key").count(), 1, "{said}");
    waldo(&dir, &args).env("MY_KEY", "the-key-itself").exits(6).never_warns("without a key");
}

#[test]
fn what_a_person_gave_of_a_model_is_bad_input() {
    let dir = tempdir();
    let start = ["run", "--agent", "appagent", "look", "--url", "http://127.0.0.1:9/", "--model", "m"];
    for (flag, value, says) in [
        ("--base-url", "htp:/foo", "the model's base URL is not one of http or https"),
        ("--extra-body", "[", "--extra-body"),
        ("--model-concurrency", "0", "takes a whole number from 1 on"),
        ("--temperature", "hot", "takes a number, such as 0.5"),
    ] {
        let code = if flag.contains("url") || flag.contains("body") { 4 } else { 2 };
        waldo(&dir, &[&start[..], &[flag, value]].concat()).exits(code).warns(says);
    }
}

//! What waldo survives.

use std::io::Read as _;
use std::net::TcpListener;

use super::support::*;

/// An endpoint that answers every request with the same bytes.
fn answering(answer: &'static [u8]) -> String {
    Server::start(move |_, _| Answer::Bytes(answer.to_vec())).url("/v1")
}

const DONE: &str = "Observation: a page\nThought: enough\nAction: FINISH\nSummary: done";

fn appagent(base: &str, out: &str) -> Vec<String> {
    filled(
        "eval l3-web --agent appagent --model m --task kanban-drag --max-steps 2 --attempts \
                1 --model-retries 1 --model-timeout 2 --no-report --json --base-url {} --out {}",
        &[base, out],
    )
    .into_iter()
    .map(str::to_owned)
    .collect()
}

/// An endpoint that answers its first question with an action, and then every request with the same bytes.
fn failing_later(answer: &'static [u8]) -> String {
    Server::start(move |n, _| match (n, answer) {
        (0, _) => Answer::chat("Observation: o\nThought: t\nAction: wait()\nSummary: s"),
        (_, b"") => Answer::Silence,
        _ => Answer::Bytes(answer.to_vec()),
    })
    .url("/v1")
}

#[test]
fn an_endpoint_that_fails_makes_the_episode_invalid_not_failed() {
    let dir = tempdir();
    let cases = [
        ("hangs", failing_later(b"")),
        (
            "status500",
            failing_later(b"HTTP/1.1 500 Oops\r\ncontent-length: 4\r\nconnection: close\r\n\r\noops"),
        ),
        ("notjson", failing_later(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\n<html")),
        (
            "cutoff",
            failing_later(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\nconnection: close\r\n\r\n{\"cho"),
        ),
        (
            "nochoice",
            failing_later(
                b"HTTP/1.1 200 OK\r\ncontent-length: 14\r\nconnection: close\r\n\r\n{\"choices\":[]}",
            ),
        ),
    ];
    for (name, base) in cases {
        let args = appagent(&base, name);
        let got = waldo(&dir, &args).exits(3).json();
        assert_eq!(got["table"][0]["invalid"], 1, "{name}: {got}");
        assert_eq!(got["table"][0]["n"], 0, "{name}: {got}");
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
        let out = format!("r{n}");
        let mut args = appagent(&base, &out);
        args.extend(["--browser".to_owned(), "/no/such/browser".to_owned()]);
        waldo(&dir, &args).exits(6).warns(told);
        if let Some((server, asked)) = server {
            assert_eq!(server.requests().len(), asked, "{told}");
        }
    }
}

#[test]
fn a_run_stops_where_no_call_was_ever_answered_or_the_endpoint_keeps_failing() {
    const OOPS: &str = "HTTP/1.1 500 Oops\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let tasks = ["register-form", "wizard", "search-filters", "cart-checkout"];
    for (good, episodes) in [(0, 0), (1, 3)] {
        let dir = tempdir();
        let server = Server::start(move |n, _| {
            if n < good {
                Answer::chat("Observation: o\nThought: t\nAction: wait()\nSummary: s")
            } else {
                Answer::Bytes(OOPS.as_bytes().to_vec())
            }
        });
        let base = server.url("/v1");
        let mut args = appagent(&base, "r");
        for task in tasks {
            args.extend(["--task".to_owned(), task.to_owned()]);
        }
        args.extend(["--workers", "1", "--model-retries", "0"].map(str::to_owned));
        let retries = args.iter().position(|arg| arg == "--model-retries").unwrap();
        args.drain(retries..retries + 2);
        let ended = waldo(&dir, &args).exits(6).warns("resume with: ");
        assert_eq!(ended.stderr.contains("in 3 episodes in a row"), episodes == 3, "{}", ended.stderr);
        assert_eq!(server.requests().len(), if episodes == 3 { 4 } else { 1 });
    }
}

#[test]
fn a_record_that_cannot_be_written_ends_the_run_at_once() {
    let dir = tempdir();
    let events = dir.join("r/episodes/appagent+m/kanban-drag/r0/events.jsonl");
    let full = events.clone();
    let server = Server::start(move |_, _| {
        // From here on the disk is full.
        std::fs::remove_file(&full).unwrap();
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        Answer::chat("Observation: o\nThought: t\nAction: wait()\nSummary: s")
    });
    let args = appagent(&server.url("/v1"), "r");
    let ended = waldo(&dir, &args).exits(1).warns("No space left").warns("resume with: ");
    assert_eq!(ended.stderr.matches("No space left").count(), 1, "{}", ended.stderr);
    assert_eq!(server.requests().len(), 1, "nothing more is paid for");
    // With room again the same command plays it.
    std::fs::remove_file(&events).unwrap();
}

#[test]
fn whoever_is_killed_has_recorded_all_but_the_step_under_way() {
    let dir = tempdir();
    let server = Server::start(|n, _| match n {
        0 => Answer::chat("Observation: o\nThought: t\nAction: wait()\nSummary: s"),
        _ => Answer::Silence,
    });
    let mut args = appagent(&server.url("/v1"), "r");
    args.extend(["--model-timeout", "60"].map(str::to_owned));
    let timeout = args.iter().position(|arg| arg == "--model-timeout").unwrap();
    args.drain(timeout..timeout + 2);
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
        let args = appagent(&server.url("/v1"), "r");
        let args: Vec<&str> = args.iter().map(String::as_str).filter(|arg| *arg != "--json").collect();
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
    let body = b"HTTP/1.1 401 No\r\ncontent-length: 35\r\nconnection: close\r\n\r\n{\"error\":{\"message\":\"bad api key\"}}";
    let args = appagent(&answering(body), "r");
    waldo(&dir, &args)
        .env("OPENAI_API_KEY", "sk-very-secret-key")
        .exits(6)
        .warns("401")
        .never_warns("sk-very-secret-key");
}

#[test]
fn a_reply_that_stays_unreadable_is_a_step_not_an_error() {
    let dir = tempdir();
    let body = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 66\r\nconnection: close\r\n\r\n\
        {\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"bananas\"}}]}";
    let args = appagent(&answering(body), "r");
    let got = waldo(&dir, &args).json();
    assert_eq!(got["table"][0]["n"], 1, "{got}");
    assert_eq!(got["table"][0]["mean_steps"], 2.0, "{got}");
    assert_eq!(got["table"][0]["model_calls"], 4, "one re-ask a step: {got}");
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
    let args = words(
        "eval l3-web --agent reference --task register-form --task cart-checkout --task \
                wizard --task search-filters --workers 2 --no-report --json --out r",
    );
    let child = waldo(&dir, &args).env("TMPDIR", &marker).start();
    let events = dir.join("r/episodes/reference/register-form/r0/events.jsonl");
    until("an episode is under way", 60, || {
        std::fs::read_to_string(&events).is_ok_and(|text| text.lines().count() > 6)
    });
    let browser = processes(&marker).iter().map(|(pid, _)| *pid).min().unwrap();
    std::process::Command::new("kill").args(["-9", &browser.to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let got: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{got}");
    assert_eq!(
        (got["table"][0]["sr"].as_f64(), got["table"][0]["invalid"].as_u64()),
        (Some(1.0), Some(0)),
        "{got}"
    );
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
    let mut args = appagent(&server.url("/v1"), "r");
    let retries = args.iter().position(|arg| arg == "--model-retries").unwrap();
    "3".clone_into(&mut args[retries + 1]);
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
    let args = appagent(&server.url("/v1"), "r");
    let got = waldo(&dir, &args).json();
    assert_eq!((got["table"][0]["n"].as_u64(), got["table"][0]["mean_steps"].as_f64()), (Some(1), Some(2.0)));
    // The second question does not carry it back.
    for request in server.requests() {
        let question: Value = serde_json::from_str(&request.body).unwrap();
        let said: usize = question["messages"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|message| message["role"] == "assistant")
            .map(|message| message.to_string().len())
            .sum();
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
        Answer::chat("Observation: o\nThought: t\nAction: tap(1)\nSummary: s")
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
    let planner = ["run", "--agent", "planner", "--model", "m", "--base-url", &good_at, "look"];
    let (run, explore) = (["run", "--agent", "appagent", "look"], ["explore"]);
    let asked = |at| ["--model", "m", "--base-url", at];
    let cases = [
        (
            [&run[..], &asked(&refused_at)].concat(),
            format!("the model 'm' at {refused_at} (key: MY_KEY) "),
            "401",
        ),
        (
            [&explore[..], &asked(&refused_at)].concat(),
            format!("the model 'm' at {refused_at} (key: MY_KEY) "),
            "401",
        ),
        (
            [&planner[..], &["--grounder", "model=g", "--grounder-base-url", &unknown_at]].concat(),
            format!("the model 'g' at {unknown_at} (key: GROUNDER_API_KEY, which is empty) "),
            "404",
        ),
        (
            [&planner[..], &["--grounder", &service]].concat(),
            format!("the grounder at {} (key: GROUNDER_API_KEY, which is empty) ", unknown.url("/ground")),
            "404",
        ),
        // The same model at the same address is asked once.
        (
            [&planner[..], &["--grounder", "tags=m", "--picture", "png"]].concat(),
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

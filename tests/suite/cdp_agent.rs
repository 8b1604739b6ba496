//! Agents with hands of their own: programs that drive the episode's browser by the DevTools protocol.

use super::support::*;

fn documented() -> String {
    let first = "import base64, json, os, socket, sys, time, urllib.request";
    super::agents::documented(include_str!("../../docs/cdp.md"), first)
}

fn steps(name: &str) -> &'static str {
    let mut parts = include_str!("cdp_agent.py").split("#: ");
    parts.find_map(|part| part.strip_prefix(name)?.strip_prefix('\n')).unwrap()
}

/// The client of the documentation, with other steps in place of its last lines.
fn playing(dir: &Path, steps: &str) {
    let client = documented();
    let (head, _) = client.split_once("page, pressed = Page(), set()").unwrap();
    write(dir.join("client.py"), format!("{head}{steps}"));
}

fn eval(dir: &Path, out: &str, more: &[&str]) -> Value {
    let command = "python3 client.py {cdp_url} {goal} {answer_file}";
    let line = "eval l3-web --agent cdp --command {} --json --out {} --task confirm-dialog";
    let said = waldo(dir, &[&filled(line, &[command, out])[..], more].concat()).run();
    assert!([0, 10].contains(&said.code), "{}: {}", said.code, said.stderr);
    let result = dir.join(out).join("episodes/cdp/confirm-dialog/r0/result.json");
    serde_json::from_str(&text_in(result)).unwrap()
}

fn calls(dir: &Path, out: &str) -> Vec<String> {
    let all = events(&dir.join(out).join("episodes"));
    let decided = all.iter().filter(|event| event["event"] == "decided");
    decided.map(|event| event["decision"]["call"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The actions that were carried out or refused, by their names, with the note on each.
fn acted(dir: &Path, out: &str) -> Vec<(String, Value)> {
    let all = events(&dir.join(out).join("episodes"));
    let acted = all.iter().filter(|event| event["event"] == "acted");
    acted.map(|event| (event["action"]["do"].as_str().unwrap().to_owned(), event["note"].clone())).collect()
}

#[test]
fn the_documented_client_solves_its_task_by_steps_that_are_recorded() {
    let dir = tempdir();
    write(dir.join("client.py"), documented());
    let result = eval(&dir, "run", &[]);
    assert_eq!((&result["success"], result["steps"].as_u64()), (&Value::from(1.0), Some(5)), "{result}");
    let names: Vec<String> = acted(&dir, "run").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["tap", "dialog", "tap", "dialog"]);
    let calls = calls(&dir, "run");
    assert!(calls[0].starts_with("Input.dispatchMouseEvent"), "{calls:?}");
    let tagged = events(&dir.join("run/episodes")).into_iter().any(|event| event["decision"]["tag"].is_u64());
    assert!(tagged, "what is pressed has its number in the record");
    text_in(dir.join("run/summary.md")).says("own hands");
}

#[test]
fn text_keys_tabs_and_history_are_steps_of_their_own() {
    let dir = tempdir();
    playing(&dir, steps("keys"));
    let result = eval(&dir, "run", &[]);
    has(&result, json!({ "outcome": "gave_up", "claim": "tried" }));
    let names: Vec<String> = acted(&dir, "run").into_iter().map(|(name, _)| name).collect();
    let expected = ["tap", "type", "key", "type", "navigate", "back", "new_tab", "close_tab"];
    assert_eq!(names, expected, "{:?}", calls(&dir, "run"));
}

#[test]
fn what_was_typed_last_is_carried_out_though_the_program_has_ended() {
    let dir = tempdir();
    playing(&dir, steps("typed last"));
    let result = eval(&dir, "run", &[]);
    has(&result, json!({ "outcome": "finished", "steps": 2 }));
    assert_eq!(acted(&dir, "run")[0].0, "type");
}

#[test]
fn what_leads_around_the_guard_is_refused() {
    let dir = tempdir();
    playing(&dir, steps("around the guard"));
    let result = eval(&dir, "run", &[]);
    has(&result, json!({ "outcome": "finished", "claim": "done" }));
    assert_eq!(result["refused"], 8, "{result}");
    // And what is denied.
    playing(
        &dir,
        "page = Page()\ntry:\n    page.click(5, 5)\nexcept RuntimeError as error:\n    sys.exit(0 if 'denied' in str(error) else 3)\n",
    );
    let server = Server::start(|_, _| Answer::page("<button>b</button>"));
    let (url, command) = (server.url("/"), "python3 client.py {cdp_url} {goal}");
    let line = "run x --url {} --agent cdp --command {} --deny tap --out denied";
    waldo(&dir, &filled(line, &[&url, command])).run();
    let ended = events(&dir.join("denied")).into_iter().find(|event| event["event"] == "ended").unwrap();
    has(&ended["result"], json!({ "outcome": "finished", "refused": 1 }));
}

#[test]
fn answers_and_events_come_in_the_order_in_which_the_browser_sent_them() {
    let dir = tempdir();
    // Playwright takes contexts of scripts only once it knows the frames.
    playing(&dir, &[steps("sending"), steps("in order")].concat());
    let result = eval(&dir, "run", &[]);
    assert_eq!(result["outcome"], "finished", "{result}");
}

#[test]
fn a_session_with_the_browser_reaches_no_further_than_the_connection() {
    let dir = tempdir();
    // As Playwright's newCDPSession asks.
    playing(&dir, &[steps("sending"), steps("another session")].concat());
    let result = eval(&dir, "run", &[]);
    assert_eq!(result["outcome"], "finished", "{result}");
    let names: Vec<String> = acted(&dir, "run").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["tap"]);
}

#[test]
fn what_was_sent_before_the_end_is_answered_though_it_comes_too_late() {
    let dir = tempdir();
    playing(&dir, &[steps("sending"), steps("too late")].concat());
    let result = eval(&dir, "run", &["--max-steps", "3"]);
    assert_eq!(result["outcome"], "step_limit", "{result}");
    let told = json_in(dir.join("told"));
    let over = "the episode is over: step_limit";
    let all: Vec<u64> = (1..=18).collect();
    assert_eq!(told, serde_json::json!({ "answered": all, "last": over, "closed": over }));
}

#[test]
fn programs_that_end_hang_or_use_up_their_steps_have_a_clear_end() {
    let dir = tempdir();
    let ended = |steps: &str, more: &[&str]| {
        playing(&dir, steps);
        std::fs::remove_dir_all(dir.join("run")).ok();
        eval(&dir, "run", more)
    };
    let broken = ended("page = Page()\nprint('out of', 'ideas')\nsys.exit(3)\n", &[]);
    let claim = broken["claim"].as_str().unwrap();
    assert!(broken["outcome"] == "agent_failed" && claim.contains("out of ideas"), "{broken}");
    let hung = ended("page = Page()\npage.read()\n", &["--agent-timeout", "2"]);
    assert!(hung["claim"].as_str().unwrap().contains("no input within"), "{hung}");
    let spent = ended(steps("all steps"), &["--max-steps", "3"]);
    has(&spent, json!({ "outcome": "step_limit", "steps": 3 }));
    let told = text_in(dir.join("told"));
    // By an answer, or by the reason that the connection was closed with where no input came in time.
    assert_eq!(told, "the episode is over: step_limit");
}

#[test]
fn who_lacks_the_token_or_is_another_process_is_not_served() {
    let dir = tempdir();
    playing(&dir, steps("token"));
    let (folder, address) = (dir.to_owned(), dir.join("address"));
    let other = std::thread::spawn(move || {
        super::support::until("the address", 60, || address.exists());
        let url = text_in(&address);
        let host = url.trim_start_matches("http://").split('/').next().unwrap().to_owned();
        let path = url.split_once(&host).unwrap().1.to_owned();
        let mut stream = std::net::TcpStream::connect(&host).unwrap();
        let request = format!("GET {path}/json/version HTTP/1.1\r\nHost: {host}\r\n\r\n");
        let mut said = String::new();
        let _ = std::io::Write::write_all(&mut stream, request.as_bytes());
        let _ = std::io::Read::read_to_string(&mut stream, &mut said);
        write(folder.join("tried"), "");
        said
    });
    let result = eval(&dir, "run", &[]);
    assert_eq!(result["outcome"], "finished", "{result}");
    assert_eq!(other.join().unwrap(), "");
}

#[test]
fn phones_desktops_and_secrets_are_refused_with_the_way_out() {
    let dir = tempdir();
    let command = ["--agent", "cdp", "--command", "true"];
    let phone = waldo(&dir, &[&["eval", "l3-android", "--device", "simphone"][..], &command].concat()).run();
    assert!(phone.code != 0 && phone.stderr.contains("--device web"), "{}", phone.stderr);
    let none = waldo(&dir, "eval l3-web --agent cdp").run();
    assert!(none.code != 0 && none.stderr.contains("{cdp_url} {goal}"), "{}", none.stderr);
}

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

/// What came of the episode in the folder `run`, in which the client played one task.
fn eval(dir: &Path, more: &str) -> Value {
    let line = "eval l3-web --agent cdp --json --out run --task confirm-dialog";
    let said = waldo(
        dir,
        &format!("{line} --command 'python3 client.py {{cdp_url}} {{goal}} {{answer_file}}' {more}"),
    )
    .run();
    assert!([0, 10].contains(&said.code), "{}: {}", said.code, said.stderr);
    json_in(dir.join("run/episodes/cdp/confirm-dialog/r0/result.json"))
}

fn calls(dir: &Path) -> Vec<String> {
    let decided = events_of(&dir.join("run/episodes"), "decided").into_iter();
    decided.map(|event| event["decision"]["call"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The actions that were carried out or refused, by their names.
fn acted(dir: &Path) -> Vec<String> {
    let acted = events_of(&dir.join("run/episodes"), "acted").into_iter();
    acted.map(|event| event["action"]["do"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_documented_client_solves_its_task_by_steps_that_are_recorded() {
    let dir = tempdir();
    write(dir.join("client.py"), documented());
    has(&eval(&dir, ""), json!({ "success": 1.0, "steps": 5 }));
    assert_eq!(acted(&dir), ["tap", "dialog", "tap", "dialog"]);
    let calls = calls(&dir);
    assert!(calls[0].starts_with("Input.dispatchMouseEvent"), "{calls:?}");
    let tagged = events(&dir.join("run/episodes")).into_iter().any(|event| event["decision"]["tag"].is_u64());
    assert!(tagged, "what is pressed has its number in the record");
    text_in(dir.join("run/summary.md")).says("own hands");
}

#[test]
fn text_keys_tabs_and_history_are_steps_of_their_own() {
    let dir = tempdir();
    playing(&dir, steps("keys"));
    has(&eval(&dir, ""), json!({ "outcome": "gave_up", "claim": "tried" }));
    let expected = ["tap", "type", "key", "type", "navigate", "back", "new_tab", "close_tab"];
    assert_eq!(acted(&dir), expected, "{:?}", calls(&dir));
}

#[test]
fn what_was_typed_last_is_carried_out_though_the_program_has_ended() {
    let dir = tempdir();
    playing(&dir, steps("typed last"));
    has(&eval(&dir, ""), json!({ "outcome": "finished", "steps": 2 }));
    assert_eq!(acted(&dir)[0], "type");
}

#[test]
fn what_leads_around_the_guard_is_refused() {
    let dir = tempdir();
    playing(&dir, steps("around the guard"));
    has(&eval(&dir, ""), json!({ "outcome": "finished", "claim": "done", "refused": 8 }));
    // And what is denied.
    playing(
        &dir,
        "page = Page()\ntry:\n    page.click(5, 5)\nexcept RuntimeError as error:\n    sys.exit(0 if 'denied' in str(error) else 3)\n",
    );
    let server = Server::start(|_, _| Answer::page("<button>b</button>"));
    let url = server.url("/");
    let line =
        "run x --agent cdp --command 'python3 client.py {cdp_url} {goal}' --deny tap --out denied --url";
    waldo(&dir, &format!("{line} {url}")).run();
    let ended = &events_of(&dir.join("denied"), "ended")[0];
    has(&ended["result"], json!({ "outcome": "finished", "refused": 1 }));
}

#[test]
fn answers_and_events_come_in_the_order_in_which_the_browser_sent_them() {
    let dir = tempdir();
    // Playwright takes contexts of scripts only once it knows the frames.
    playing(&dir, &[steps("sending"), steps("in order")].concat());
    has(&eval(&dir, ""), json!({ "outcome": "finished" }));
}

#[test]
fn a_session_with_the_browser_reaches_no_further_than_the_connection() {
    let dir = tempdir();
    // As Playwright's newCDPSession asks.
    playing(&dir, &[steps("sending"), steps("another session")].concat());
    has(&eval(&dir, ""), json!({ "outcome": "finished" }));
    assert_eq!(acted(&dir), ["tap"]);
}

#[test]
fn what_was_sent_before_the_end_is_answered_though_it_comes_too_late() {
    let dir = tempdir();
    playing(&dir, &[steps("sending"), steps("too late")].concat());
    has(&eval(&dir, "--max-steps 3"), json!({ "outcome": "step_limit" }));
    let (over, all) = ("the episode is over: step_limit", (1..=18).collect::<Vec<u64>>());
    assert_eq!(json_in(dir.join("told")), json!({ "answered": all, "last": over, "closed": over }));
}

#[test]
fn programs_that_end_hang_or_use_up_their_steps_have_a_clear_end() {
    let dir = tempdir();
    let ended = |steps: &str, more: &str| {
        playing(&dir, steps);
        std::fs::remove_dir_all(dir.join("run")).ok();
        eval(&dir, more)
    };
    let broken = ended("page = Page()\nprint('out of', 'ideas')\nsys.exit(3)\n", "");
    has(&broken, json!({ "outcome": "agent_failed" }));
    broken["claim"].as_str().unwrap().says("out of ideas");
    let hung = ended("page = Page()\npage.read()\n", "--agent-timeout 2");
    hung["claim"].as_str().unwrap().says("no input within");
    let spent = ended(steps("all steps"), "--max-steps 3");
    has(&spent, json!({ "outcome": "step_limit", "steps": 3 }));
    // By an answer, or by the reason that the connection was closed with where no input came in time.
    assert_eq!(text_in(dir.join("told")), "the episode is over: step_limit");
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
    has(&eval(&dir, ""), json!({ "outcome": "finished" }));
    assert_eq!(other.join().unwrap(), "");
}

#[test]
fn phones_desktops_and_secrets_are_refused_with_the_way_out() {
    let dir = tempdir();
    let command = "--agent cdp --command true";
    waldo(&dir, &format!("eval l3-android --device simphone {command}")).fails().warns("--device web");
    waldo(&dir, "eval l3-web --agent cdp").fails().warns("{cdp_url} {goal}");
}

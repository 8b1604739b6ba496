//! Agents with hands of their own: programs that drive the episode's browser by the DevTools protocol.

use std::path::Path;

use serde_json::Value;

use super::support::{Answer, Server, events, filled, waldo};

fn documented() -> String {
    let page = include_str!("../../docs/cdp.md");
    let from = page.find("    import base64, json, os, socket").unwrap();
    let lines = page[from..].lines().take_while(|line| line.is_empty() || line.starts_with("    "));
    lines.map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or_default())).collect()
}

/// The client of the documentation, with other steps in place of its last lines.
fn playing(dir: &Path, steps: &str) {
    let client = documented();
    let (head, _) = client.split_once("page, pressed = Page(), set()").unwrap();
    std::fs::write(dir.join("client.py"), format!("{head}{steps}")).unwrap();
}

fn eval(dir: &Path, out: &str, more: &[&str]) -> Value {
    let command = "python3 client.py {cdp_url} {goal} {answer_file}";
    let line = "eval l3-web --agent cdp --command {} --json --out {} --task confirm-dialog";
    let said = waldo(dir, &[&filled(line, &[command, out])[..], more].concat()).run();
    assert!([0, 10].contains(&said.code), "{}: {}", said.code, said.stderr);
    let result = dir.join(out).join("episodes/cdp/confirm-dialog/r0/result.json");
    serde_json::from_str(&std::fs::read_to_string(result).unwrap()).unwrap()
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
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("client.py"), documented()).unwrap();
    let result = eval(dir.path(), "run", &[]);
    assert_eq!((&result["success"], result["steps"].as_u64()), (&Value::from(1.0), Some(5)), "{result}");
    let names: Vec<String> = acted(dir.path(), "run").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["tap", "dialog", "tap", "dialog"]);
    let calls = calls(dir.path(), "run");
    assert!(calls[0].starts_with("Input.dispatchMouseEvent"), "{calls:?}");
    let tagged =
        events(&dir.path().join("run/episodes")).into_iter().any(|event| event["decision"]["tag"].is_u64());
    assert!(tagged, "what is pressed has its number in the record");
    let told = std::fs::read_to_string(dir.path().join("run/summary.md")).unwrap();
    assert!(told.contains("own hands"), "{told}");
}

#[test]
fn text_keys_tabs_and_history_are_steps_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let steps = r#"
page = Page()
start = page.evaluate("location.href")
page.evaluate("document.body.innerHTML = '<input id=field autofocus style=position:fixed;left:0;top:0;width:200px;height:40px>'")
page.click(20, 20)
for letter in "hello":
    page.call("Input.dispatchKeyEvent", type="keyDown", key=letter, text=letter)
    page.call("Input.dispatchKeyEvent", type="keyUp", key=letter)
# What reads comes after what was typed.
assert page.evaluate("field.value") == "hello", page.evaluate("field.value")
page.call("Input.dispatchKeyEvent", type="keyDown", key="Backspace", code="Backspace", windowsVirtualKeyCode=8)
page.call("Input.insertText", text=" you")
assert page.evaluate("field.value") == "hell you", page.evaluate("field.value")
page.call("Page.navigate", url=start + "?again")
page.call("Page.enable")
history = page.call("Page.getNavigationHistory")
page.call("Page.navigateToHistoryEntry", entryId=history["entries"][0]["id"])
tab = page.call("Target.createTarget", url="about:blank")["targetId"]
page.call("Target.closeTarget", targetId=tab)
open(sys.argv[3], "w").write('{"give_up": "tried"}')
"#;
    playing(dir.path(), steps);
    let result = eval(dir.path(), "run", &[]);
    assert_eq!(
        (&result["outcome"], &result["claim"]),
        (&Value::from("gave_up"), &Value::from("tried")),
        "{result}"
    );
    let names: Vec<String> = acted(dir.path(), "run").into_iter().map(|(name, _)| name).collect();
    let expected = ["tap", "type", "key", "type", "navigate", "back", "new_tab", "close_tab"];
    assert_eq!(names, expected, "{:?}", calls(dir.path(), "run"));
}

#[test]
fn what_was_typed_last_is_carried_out_though_the_program_has_ended() {
    let dir = tempfile::tempdir().unwrap();
    let steps = r#"
page = Page()
page.evaluate("document.body.innerHTML = '<input autofocus>'; document.querySelector('input').focus()")
page.call("Input.dispatchKeyEvent", type="keyDown", key="x", text="x")
"#;
    playing(dir.path(), steps);
    let result = eval(dir.path(), "run", &[]);
    assert_eq!(
        (result["outcome"].as_str(), result["steps"].as_u64()),
        (Some("finished"), Some(2)),
        "{result}"
    );
    assert_eq!(acted(dir.path(), "run")[0].0, "type");
}

#[test]
fn what_leads_around_the_guard_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let steps = r#"
page = Page()

def refused(method, **params):
    try:
        said = page.call(method, **params)
    except RuntimeError as error:
        return str(error)
    raise AssertionError(f"{method} was let through: {said}")

for url in ["http://127.0.0.1:9/", "https://example.org/", "file:///etc/passwd", "chrome://version"]:
    assert "allowed" in (why := refused("Page.navigate", url=url)), why
    assert "allowed" in (why := refused("Target.createTarget", url=url)), why
for method in ["Browser.grantPermissions", "Fetch.enable", "IO.read", "Network.getAllCookies", "Storage.getCookies",
               "SystemInfo.getProcessInfo", "Target.createBrowserContext", "Target.exposeDevToolsProtocol",
               "Tracing.start", "DOM.getFileInfo"]:
    assert method in (why := refused(method)), why
assert "offers" in (why := refused("DOM.setFileInputFiles", files=["/etc/passwd"], nodeId=1)), why
assert "outside" in (why := refused("Input.synthesizeTapGesture", x=9000, y=1)), why
with open(sys.argv[3], "w") as answer:
    answer.write("done")
"#;
    playing(dir.path(), steps);
    let result = eval(dir.path(), "run", &[]);
    assert_eq!(
        (&result["outcome"], &result["claim"]),
        (&Value::from("finished"), &Value::from("done")),
        "{result}"
    );
    assert_eq!(result["refused"], 8, "{result}");
    // And what is denied.
    playing(
        dir.path(),
        "page = Page()\ntry:\n    page.click(5, 5)\nexcept RuntimeError as error:\n    sys.exit(0 if 'denied' in str(error) else 3)\n",
    );
    let server = Server::start(|_, _| Answer::page("<button>b</button>"));
    let (url, command) = (server.url("/"), "python3 client.py {cdp_url} {goal}");
    let line = "run x --url {} --agent cdp --command {} --deny tap --out denied";
    waldo(dir.path(), &filled(line, &[&url, command])).run();
    let ended =
        events(&dir.path().join("denied")).into_iter().find(|event| event["event"] == "ended").unwrap();
    assert_eq!(
        (&ended["result"]["outcome"], &ended["result"]["refused"]),
        (&Value::from("finished"), &Value::from(1))
    );
}

/// Sends messages without waiting for their answers.
const SENDING: &str = r#"
page = Page()

def send(method, session=None, **params):
    page.asked += 1
    message = {"id": page.asked, "method": method, "params": params}
    text = json.dumps(message | ({"sessionId": session} if session else {})).encode()
    page.socket.sendall(b"\x81\xff" + len(text).to_bytes(8, "big") + bytes(4) + text)
    return page.asked
"#;

#[test]
fn answers_and_events_come_in_the_order_in_which_the_browser_sent_them() {
    let dir = tempfile::tempdir().unwrap();
    // Playwright takes contexts of scripts only once it knows the frames.
    let steps = r#"
for turn in range(1000):
    page.asked += 1
    for method in ["Page.getFrameTree", "Runtime.enable", "Runtime.disable"]:
        last = send(method)
answered = created = 0
while answered != last:
    said = page.read()
    if said.get("method") == "Runtime.executionContextCreated":
        # The answer before is that to Page.getFrameTree.
        assert answered % 4 == 2, answered
        created += 1
    answered = said.get("id", answered)
assert created >= 1000, created
"#;
    playing(dir.path(), &format!("{SENDING}{steps}"));
    let result = eval(dir.path(), "run", &[]);
    assert_eq!(result["outcome"], "finished", "{result}");
}

#[test]
fn a_session_with_the_browser_reaches_no_further_than_the_connection() {
    let dir = tempfile::tempdir().unwrap();
    // As Playwright's newCDPSession asks.
    let steps = r#"
def ask(method, session=None, **params):
    number = send(method, session, **params)
    while (said := page.read()).get("id") != number:
        pass
    return said["result"] if "result" in said else said["error"]["message"]

browser = ask("Target.attachToBrowserTarget")["sessionId"]
[target] = ask("Target.getTargets", browser)["targetInfos"]
own = ask("Target.attachToTarget", browser, targetId=target["targetId"], flatten=True)["sessionId"]
assert ask("Runtime.evaluate", own, expression="6 * 7")["result"]["value"] == 42
for method in ["Target.setAutoAttach", "Target.setDiscoverTargets", "Target.createBrowserContext", "Storage.getCookies",
               "Browser.grantPermissions"]:
    refused = ask(method, browser, autoAttach=True, waitForDebuggerOnStart=False, flatten=True, discover=True)
    assert isinstance(refused, str), (method, refused)
assert "No target" in ask("Target.attachToTarget", browser, targetId="0" * 32)
for kind, points in [("touchStart", [{"x": 5, "y": 5}]), ("touchEnd", [])]:
    assert ask("Input.dispatchTouchEvent", own, type=kind, touchPoints=points) == {}
"#;
    playing(dir.path(), &format!("{SENDING}{steps}"));
    let result = eval(dir.path(), "run", &[]);
    assert_eq!(result["outcome"], "finished", "{result}");
    let names: Vec<String> = acted(dir.path(), "run").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["tap"]);
}

#[test]
fn what_was_sent_before_the_end_is_answered_though_it_comes_too_late() {
    let dir = tempfile::tempdir().unwrap();
    let steps = r#"
for n in range(9):
    for kind in ["mousePressed", "mouseReleased"]:
        last = send("Input.dispatchMouseEvent", type=kind, x=5, y=5, button="left", clickCount=1)
answers = {}
try:
    while True:
        if "id" in (said := page.read()):
            answers[said["id"]] = said.get("error", {}).get("message")
except SystemExit as error:
    open("told", "w").write(json.dumps({"answered": sorted(answers), "last": answers.get(last), "closed": str(error)}))
"#;
    playing(dir.path(), &format!("{SENDING}{steps}"));
    let result = eval(dir.path(), "run", &["--max-steps", "3"]);
    assert_eq!(result["outcome"], "step_limit", "{result}");
    let told = std::fs::read_to_string(dir.path().join("told")).unwrap();
    let told: Value = serde_json::from_str(&told).unwrap();
    let over = "the episode is over: step_limit";
    let all: Vec<u64> = (1..=18).collect();
    assert_eq!(told, serde_json::json!({ "answered": all, "last": over, "closed": over }));
}

#[test]
fn programs_that_end_hang_or_use_up_their_steps_have_a_clear_end() {
    let dir = tempfile::tempdir().unwrap();
    let ended = |steps: &str, more: &[&str]| {
        playing(dir.path(), steps);
        std::fs::remove_dir_all(dir.path().join("run")).ok();
        eval(dir.path(), "run", more)
    };
    let broken = ended("page = Page()\nprint('out of', 'ideas')\nsys.exit(3)\n", &[]);
    let claim = broken["claim"].as_str().unwrap();
    assert!(broken["outcome"] == "agent_failed" && claim.contains("out of ideas"), "{broken}");
    let hung = ended("page = Page()\npage.read()\n", &["--agent-timeout", "2"]);
    assert!(hung["claim"].as_str().unwrap().contains("no input within"), "{hung}");
    let steps = "
import time
page = Page()
for n in range(9):
    try:
        page.click(5, 5)
    except (RuntimeError, SystemExit) as error:
        open('told', 'w').write(str(error))
        break
time.sleep(3600)
";
    let spent = ended(steps, &["--max-steps", "3"]);
    assert_eq!(
        (spent["outcome"].as_str(), spent["steps"].as_u64()),
        (Some("step_limit"), Some(3)),
        "{spent}"
    );
    let told = std::fs::read_to_string(dir.path().join("told")).unwrap();
    // By an answer, or by the reason that the connection was closed with where no input came in time.
    assert_eq!(told, "the episode is over: step_limit");
}

#[test]
fn who_lacks_the_token_or_is_another_process_is_not_served() {
    let dir = tempfile::tempdir().unwrap();
    let steps = r#"
import subprocess, urllib.error
base, token = url.rsplit("/", 1)
for address, headers in [(base + "/json/version", {}), (base + "/" + "0" * 32 + "/json/version", {}),
                         (url + "/json/version", {"Host": "evil.test"}), (url + "/json/version", {"Origin": "http://a.test"})]:
    try:
        urllib.request.urlopen(urllib.request.Request(address, headers=headers))
        sys.exit(f"{address} {headers} was served")
    except urllib.error.HTTPError as error:
        assert error.code in (403, 404), error
with urllib.request.urlopen(url + "/json/version") as version:
    assert json.load(version)["webSocketDebuggerUrl"].startswith("ws://127.0.0.1:")
open("address", "w").write(url)
until = __import__("time").monotonic() + 60
while not os.path.exists("tried"):
    assert __import__("time").monotonic() < until
"#;
    playing(dir.path(), steps);
    let (folder, address) = (dir.path().to_owned(), dir.path().join("address"));
    let other = std::thread::spawn(move || {
        super::support::until("the address", std::time::Duration::from_secs(60), || address.exists());
        let url = std::fs::read_to_string(&address).unwrap();
        let host = url.trim_start_matches("http://").split('/').next().unwrap().to_owned();
        let path = url.split_once(&host).unwrap().1.to_owned();
        let mut stream = std::net::TcpStream::connect(&host).unwrap();
        let request = format!("GET {path}/json/version HTTP/1.1\r\nHost: {host}\r\n\r\n");
        let mut said = String::new();
        let _ = std::io::Write::write_all(&mut stream, request.as_bytes());
        let _ = std::io::Read::read_to_string(&mut stream, &mut said);
        std::fs::write(folder.join("tried"), "").unwrap();
        said
    });
    let result = eval(dir.path(), "run", &[]);
    assert_eq!(result["outcome"], "finished", "{result}");
    assert_eq!(other.join().unwrap(), "");
}

#[test]
fn phones_desktops_and_secrets_are_refused_with_the_way_out() {
    let dir = tempfile::tempdir().unwrap();
    let command = ["--agent", "cdp", "--command", "true"];
    let phone =
        waldo(dir.path(), &[&["eval", "l3-android", "--device", "simphone"][..], &command].concat()).run();
    assert!(phone.code != 0 && phone.stderr.contains("--device web"), "{}", phone.stderr);
    let none = waldo(dir.path(), &["eval", "l3-web", "--agent", "cdp"]).run();
    assert!(none.code != 0 && none.stderr.contains("{cdp_url} {goal}"), "{}", none.stderr);
}

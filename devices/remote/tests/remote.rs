//! The driver against a double of OSWorld's server, made from what that answers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]
#![allow(clippy::disallowed_methods, reason = "tests make the client that the binary hands in otherwise")]

use std::io::{BufRead as _, BufReader, Cursor, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use image::{ImageFormat, Rgb, RgbImage};
use serde_json::{Value, json};
use waldo_devices::{
    Action, AppRule, Capture, Deadline, Device as _, DeviceError, Effect, GuardPolicy, Observation, ResetTo,
    Secrets, Source, StateProbe, StateValue,
};
use waldo_http::{PlainHttp, RemoteServer};
use waldo_remote::{OsServer, RemoteDevice, RemoteOptions};

/// A tree as the server writes one of Linux: an editor in front of another window, and a menu that is open.
const LINUX: &str = include_str!("trees/linux.xml");

const WINDOWS: &str = include_str!("trees/windows.xml");

const MAC: &str = include_str!("trees/macos.xml");

#[derive(Default)]
struct Said {
    system: &'static str,
    tree: String,
    /// Programs that were run, and what was launched.
    ran: Vec<Vec<String>>,
    fails: &'static str,
    python: &'static str,
    pictures: u8,
}

struct Double {
    server: OsServer,
    said: Arc<Mutex<Said>>,
}

fn double(system: &'static str, tree: &str) -> Double {
    let said = Said { system, tree: tree.to_owned(), python: "python3", ..Said::default() };
    let said = Arc::new(Mutex::new(said));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let kept = said.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let said = kept.clone();
            std::thread::spawn(move || answer(stream, &said));
        }
    });
    // Another test may have been first.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().tls_certs_only([]).build().unwrap();
    let server = RemoteServer::new(client, address.parse().unwrap(), PlainHttp::Refused).unwrap();
    Double { server: OsServer::new(server), said }
}

fn answer(mut stream: TcpStream, said: &Mutex<Said>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let path = line.split(' ').nth(1).unwrap_or("/").to_owned();
        let mut length = 0;
        loop {
            let mut field = String::new();
            if reader.read_line(&mut field).unwrap_or(0) == 0 {
                return;
            }
            let field = field.trim().to_ascii_lowercase();
            if field.is_empty() {
                break;
            }
            length = field.strip_prefix("content-length:").map_or(length, |n| n.trim().parse().unwrap());
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let (status, bytes) = said_to(&path, &body, &mut said.lock().unwrap());
        let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n", bytes.len());
        if stream.write_all(head.as_bytes()).is_err() || stream.write_all(&bytes).is_err() {
            return;
        }
    }
}

fn said_to(path: &str, body: &[u8], said: &mut Said) -> (&'static str, Vec<u8>) {
    let json = |value: Value| ("200 OK", value.to_string().into_bytes());
    match path {
        "/platform" => ("200 OK", said.system.as_bytes().to_vec()),
        "/screenshot" => {
            let mut bytes = Vec::new();
            let picture = RgbImage::from_pixel(600, 400, Rgb([said.pictures; 3]));
            picture.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
            ("200 OK", bytes)
        }
        "/accessibility" if said.tree.is_empty() => ("500 No", b"no tree".to_vec()),
        "/accessibility" => json(json!({ "AT": said.tree })),
        "/execute" | "/setup/launch" => {
            let asked: Value = serde_json::from_slice(body).unwrap();
            let command: Vec<String> = serde_json::from_value(asked["command"].clone()).unwrap();
            if command[0].starts_with("python") && command[0] != said.python {
                return (
                    "500 No",
                    br#"{"status": "error", "message": "No such file or directory"}"#.to_vec(),
                );
            }
            let fails = !said.fails.is_empty() && command.iter().any(|word| word.contains(said.fails));
            said.ran.push(command);
            // Something is seen to come of it.
            said.pictures = said.pictures.wrapping_add(40);
            let error =
                if fails { "Traceback (most recent call last):\nKeyError: 'no such key'\n" } else { "" };
            json(
                json!({ "status": "success", "output": "out\n", "error": error, "returncode": i32::from(fails) }),
            )
        }
        "/file" if String::from_utf8_lossy(body).contains("there.txt") => ("200 OK", b"content".to_vec()),
        "/file" => ("404 Not Found", br#"{"error": "File not found"}"#.to_vec()),
        _ => ("404 Not Found", Vec::new()),
    }
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

fn everything() -> ResetTo {
    let policy = GuardPolicy { apps: vec![AppRule("*".to_owned())], ..GuardPolicy::default() };
    ResetTo { policy, ..ResetTo::default() }
}

fn options() -> RemoteOptions {
    let secrets = Secrets::new([("pin".to_owned(), "hunter22 \"and\" more".to_owned())]);
    RemoteOptions { settle: Duration::from_millis(200), secrets, ..RemoteOptions::default() }
}

async fn taken(double: &Double) -> RemoteDevice {
    let mut device = RemoteDevice::new(double.server.clone(), options());
    device.reset(&everything(), soon()).await.unwrap();
    device
}

async fn see(device: &mut RemoteDevice) -> Observation {
    device.observe(Capture::All, soon()).await.unwrap()
}

fn names(seen: &Observation) -> Vec<&str> {
    let of_tree = |element: &&waldo_devices::Element| element.source == Source::Tree;
    seen.elements.iter().filter(of_tree).map(|element| element.name.as_str()).collect()
}

fn ran(double: &Double) -> String {
    double.said.lock().unwrap().ran.iter().map(|command| command.join(" ")).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_tree_of_linux_becomes_elements_that_can_be_seen_and_touched() {
    let double = double("Linux", LINUX);
    let mut device = taken(&double).await;
    let seen = see(&mut device).await;
    assert_eq!(names(&seen), ["Beside", "File", "", "PIN", "Wrap", "Not now"]);
    let find = |name: &str| seen.elements.iter().find(|element| element.name == name).unwrap();
    let text = seen.elements.iter().find(|element| element.role.as_str() == "textbox").unwrap();
    assert_eq!((text.value.as_deref(), text.states.focused), (Some("hello wörld"), true));
    assert!(text.bounds.h <= 200.0, "it ends with what it scrolls in: {:?}", text.bounds);
    assert_eq!(find("PIN").value.as_deref(), Some("••••"));
    assert_eq!((find("Wrap").states.checked, find("Not now").states.disabled), (Some(true), true));
    assert_eq!(seen.texts[0].text, "Ready");
    assert_eq!((seen.context.location.as_str(), seen.context.title.as_str()), ("editor", "notes.txt"));
    let windows: Vec<_> = seen.context.windows.iter().map(|window| window.title.as_str()).collect();
    assert_eq!(windows, ["Home", "notes.txt"], "the one that has the keyboard lies on top");
    assert_eq!((seen.geometry.physical.w, seen.geometry.physical.h), (600.0, 400.0));
    // The numbers of windows last.
    let again = see(&mut device).await;
    assert_eq!(again.context.windows[1].id, seen.context.windows[1].id);
}

#[tokio::test]
async fn trees_of_windows_and_macos_are_read_by_their_namespaces() {
    for (system, tree, wanted, title) in [
        ("Windows", WINDOWS, vec!["Text editor", "File"], "Untitled - Notepad"),
        ("Darwin", MAC, vec!["Save", ""], "Untitled"),
    ] {
        let double = double(system, tree);
        let seen = see(&mut taken(&double).await).await;
        assert_eq!(names(&seen), wanted, "{system}");
        assert_eq!(seen.context.title, title);
        let values: Vec<_> = seen.elements.iter().filter_map(|element| element.value.as_deref()).collect();
        assert_eq!(values, ["hello"], "{system}");
    }
}

#[tokio::test]
async fn actions_are_programs_and_what_they_change_is_seen() {
    let double = double("Linux", LINUX);
    let mut device = taken(&double).await;
    let seen = see(&mut device).await;
    let file = seen.elements.iter().find(|element| element.name == "File").unwrap();
    let tap = Action::tap(file.hit);
    let effect = device.perform(&tap, soon()).await.unwrap().effect;
    assert!(matches!(effect, Effect::Confirmed { .. }), "{effect:?}");
    assert!(ran(&double).contains("pyautogui.moveTo(120, 50)"), "{}", ran(&double));
    assert!(
        double.said.lock().unwrap().ran.iter().all(|command| command[0] == "python3"),
        "that one is there"
    );
    let text = seen.elements.iter().find(|element| element.role.as_str() == "textbox").unwrap();
    let fill = Action::Fill { element: text.handle.clone(), text: "ü \"quoted\"".to_owned() };
    device.perform(&fill, soon()).await.unwrap();
    assert!(ran(&double).contains(r#"text = "ü \"quoted\"""#), "{}", ran(&double));
    device.perform(&Action::TypeSecret { name: "pin".to_owned() }, soon()).await.unwrap();
    assert!(ran(&double).contains(r#"text = "hunter22 \"and\" more""#));
    let focus = Action::FocusWindow { window: seen.context.windows[0].id };
    device.perform(&focus, soon()).await.unwrap();
    assert!(ran(&double).ends_with("wmctrl -F -a Home"), "{}", ran(&double));
    let before = double.said.lock().unwrap().ran.len();
    for (refused, why) in [
        (Action::Key { chord: "ctrl+alt+F1".to_owned() }, "console"),
        (Action::tap(waldo_devices::Point::new(601.0, 5.0)), "600"),
        (Action::Key { chord: "ctrl+ö".to_owned() }, "no such key"),
    ] {
        let said = match device.perform(&refused, soon()).await {
            Ok(report) => format!("{:?}", report.effect),
            Err(error) => error.to_string(),
        };
        assert!(said.contains(why), "{said}");
    }
    assert_eq!(double.said.lock().unwrap().ran.len(), before, "what is refused is not run");
    double.said.lock().unwrap().fails = "moveTo";
    let error = device.perform(&tap, soon()).await.unwrap_err().to_string();
    assert!(error.contains("KeyError: 'no such key'") && !error.contains("Traceback"), "{error}");
}

#[tokio::test]
async fn where_programs_tell_nothing_elements_come_from_the_picture_and_that_is_said() {
    let deep =
        format!("<desktop-frame>{}{}</desktop-frame>", "<filler>".repeat(20_000), "</filler>".repeat(20_000));
    let wide = format!("<desktop-frame>{}</desktop-frame>", "<filler/>".repeat(60_000));
    let bomb = "<!DOCTYPE a [<!ENTITY b \"bbbbbbbbbb\">]><desktop-frame>&b;</desktop-frame>".to_owned();
    for (tree, why) in [
        (String::new(), "500"),
        ("<desktop-frame><open>".to_owned(), "accessibility"),
        (bomb, "accessibility"),
        (wide, "nodes"),
        (deep, ""),
    ] {
        let double = double("Linux", &tree);
        let seen = see(&mut taken(&double).await).await;
        let notices = seen.context.notices.join(" ");
        assert!(notices.contains(why), "{why}: {notices}");
        assert!(seen.elements.iter().all(|element| element.source == Source::Picture));
        assert!(why.is_empty() || !seen.elements.is_empty(), "{why}");
    }
}

#[tokio::test]
async fn a_screen_is_taken_only_where_all_programs_may_be_touched_and_comes_fresh() {
    let double = double("Linux", LINUX);
    let mut device = RemoteDevice::new(double.server.clone(), options());
    let one = GuardPolicy { apps: vec![AppRule("editor".to_owned())], ..GuardPolicy::default() };
    let to = ResetTo { policy: one, ..ResetTo::default() };
    let said = device.reset(&to, soon()).await.unwrap_err().to_string();
    assert!(said.contains("--allow-app '*'"), "{said}");
    let dir = tempfile::tempdir().unwrap();
    let mark = dir.path().join("fresh");
    let command = |line: &[&str]| Some(line.iter().map(|word| (*word).to_owned()).collect());
    let reset = command(&["touch", mark.to_str().unwrap()]);
    let mut device = RemoteDevice::new(double.server.clone(), RemoteOptions { reset, ..options() });
    let to = ResetTo { start: "mousepad 'my notes.txt'".to_owned(), ..everything() };
    device.reset(&to, soon()).await.unwrap();
    assert!(mark.exists() && ran(&double) == "mousepad my notes.txt", "{}", ran(&double));
    let reset = command(&["sh", "-c", "echo no such snapshot >&2; exit 3"]);
    let mut device = RemoteDevice::new(double.server.clone(), RemoteOptions { reset, ..options() });
    let said = device.reset(&everything(), soon()).await.unwrap_err().to_string();
    assert!(said.contains("no such snapshot"), "{said}");
}

#[tokio::test]
async fn checks_can_ask_for_files_windows_and_commands() {
    let double = double("Linux", LINUX);
    let mut device = taken(&double).await;
    let mut probe = async |what: StateProbe| device.probe(&what, soon()).await;
    assert_eq!(probe(StateProbe::Shell("echo out".into())).await.unwrap(), StateValue::Text("out".into()));
    assert_eq!(
        probe(StateProbe::File("there.txt".into())).await.unwrap(),
        StateValue::Bytes(Some(b"content".to_vec()))
    );
    assert_eq!(probe(StateProbe::File("none.txt".into())).await.unwrap(), StateValue::Bytes(None));
    assert_eq!(probe(StateProbe::Location).await.unwrap(), StateValue::Text("editor".into()));
    assert!(matches!(probe(StateProbe::Js("1".into())).await, Err(DeviceError::Unsupported { .. })));
    double.said.lock().unwrap().system = "Windows";
    assert!(device.health(soon()).await.unwrap_err().to_string().contains("another machine"));
}

//! What `waldo doctor` says of machines elsewhere: desktops, environments, queues; and of servers that mean no good.

use std::io::Cursor;

use image::{ImageFormat, Rgb, RgbImage};

use super::bridge::Example;
use super::support::*;

/// A tree as OSWorld's server writes it: a window with a button.
pub(super) const TREE: &str = r#"<desktop-frame xmlns:st="https://accessibility.ubuntu.example.org/ns/state" xmlns:cp="https://accessibility.ubuntu.example.org/ns/component">
<application name="editor"><frame name="notes" st:active="true" st:enabled="true" cp:screencoord="(0, 0)" cp:size="(300, 200)">
<push-button name="Save" st:enabled="true" cp:screencoord="(10, 10)" cp:size="(60, 20)"/></frame></application></desktop-frame>"#;

/// Everything that doctor found with these arguments, beside what it says of this machine.
fn found(dir: &Path, args: &[&str]) -> Vec<Value> {
    let all = waldo(dir, &[&["doctor", "--json"], args].concat()).run();
    let all: Vec<Value> = serde_json::from_str(&all.stdout).unwrap_or_else(|e| panic!("{e}: {all:?}"));
    let elsewhere = ["machine", "bridge", "queue"];
    let is_elsewhere =
        |one: &&Value| elsewhere.iter().any(|what| one["what"].as_str().unwrap().starts_with(what));
    for one in all.iter().filter(is_elsewhere) {
        let said = one["found"].as_str().unwrap();
        assert!(said.chars().count() <= 400 && !said.contains(['\n', '\u{1b}']), "{one}");
        assert_eq!(one["ok"] == false, one["hint"].is_string(), "a mend for each failure: {one}");
    }
    all
}

fn of<'v>(all: &'v [Value], what: &str) -> &'v Value {
    all.iter().find(|one| one["what"] == what).unwrap_or_else(|| panic!("no {what}: {all:?}"))
}

#[track_caller]
fn ok(all: &[Value], what: &str, words: &str) {
    let one = of(all, what);
    assert!(one["ok"] == true && one["found"].as_str().unwrap().contains(words), "{one}");
}

#[track_caller]
fn fails(all: &[Value], what: &str, words: &str, mend: &str) {
    let one = of(all, what);
    assert!(one["ok"] == false && one["found"].as_str().unwrap().contains(words), "{one}");
    assert!(one["hint"].as_str().unwrap().contains(mend), "{one}");
}

pub(super) fn picture() -> Vec<u8> {
    let mut bytes = Vec::new();
    RgbImage::from_pixel(600, 400, Rgb([9; 3]))
        .write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png)
        .unwrap();
    bytes
}

/// A double of OSWorld's server; `change` answers in its place.
fn desktop(change: impl Fn(&str) -> Option<Answer> + Send + Sync + 'static) -> Server {
    let json = |value: Value| Answer::json(&value);
    Server::start(move |_, request| {
        if let Some(answer) = change(&request.path) {
            return answer;
        }
        match request.path.as_str() {
            "/platform" => Answer::new("200 OK", "text/plain", "Linux"),
            "/screenshot" => Answer::new("200 OK", "image/png", picture()),
            "/screen_size" => json(json!({ "width": 600, "height": 400 })),
            "/accessibility" => json(json!({ "AT": TREE })),
            "/execute" if request.body.contains("\"python\"") => {
                let said = r#"{"message": "No such file or directory: 'python'"}"#;
                Answer::new("500 No", "application/json", said)
            }
            "/execute" => {
                assert!(request.body.contains("import sys, pyautogui") && !request.body.contains("click"));
                let output = "3.11.2 0.9.54\n";
                json(json!({ "status": "success", "output": output, "error": "", "returncode": 0 }))
            }
            other => panic!("{other} is not to be asked"),
        }
    })
}

#[test]
fn a_desktop_elsewhere_is_asked_and_nothing_is_done_there() {
    let dir = tempdir();
    let server = desktop(|_| None);
    let device = format!("osworld:{}", server.url(""));
    let marker = dir.join("was-reset");
    let reset = format!("touch {}", marker.display());
    let all = found(&dir, &["--device", &device, "--reset-command", &reset]);
    ok(&all, "machine", "Linux at http://127.0.0.1");
    ok(&all, "machine picture", "600x400 px");
    ok(&all, "machine elements", "in 1 windows");
    ok(&all, "machine input", "python3 3.11.2 with pyautogui 0.9.54");
    ok(&all, "machine offers", "checks by shell");
    ok(&all, "machine fence", "--allow-app '*'");
    ok(&all, "machine reset", "by touch, which was not run now");
    assert!(!marker.exists());
    // People get the same.
    let told = waldo(&dir, &["doctor", "--device", &device]).run();
    told.prints("ok      machine          Linux at").prints("a start uses the desktop");
}

#[test]
fn what_a_desktop_elsewhere_lacks_is_told_with_its_mend() {
    let dir = tempdir();
    let server = desktop(|path| match path {
        "/screenshot" => Some(Answer::page("<h1>It works!</h1>")),
        "/accessibility" => Some(Answer::new("500 No", "text/plain", "no bus")),
        "/execute" => {
            let said = json!({ "output": "", "error": "Traceback:\nModuleNotFoundError: No module named 'pyautogui'\n", "returncode": 1 });
            Some(Answer::json(&said))
        }
        _ => None,
    });
    let device = format!("osworld:{}", server.url(""));
    let all = found(&dir, &["--device", &device, "--reset-command", "no-such-program --now"]);
    ok(&all, "machine", "Linux");
    fails(&all, "machine picture", "", "DISPLAY");
    fails(&all, "machine elements", "the server answered 500: no bus", "toolkit-accessibility");
    fails(&all, "machine input", "No module named 'pyautogui'", "install pyautogui");
    fails(&all, "machine reset", "no program 'no-such-program'", "--reset-command");
    waldo(&dir, &["doctor", "--device", &device]).exits(5).prints("fix: install pyautogui");

    let all = found(&dir, &["--device", "osworld:http://127.0.0.1:1"]);
    fails(&all, "machine", "nothing answers", "start the server inside the machine");
    let all = found(&dir, &["--device", "osworld:http://192.0.2.1:5000"]);
    fails(&all, "machine", "plain HTTP shows everybody", "--device osworld:");
}

#[test]
fn hostile_machines_are_bounded_in_words_and_time() {
    let dir = tempdir();
    let flood = vec![b'x'; 3 << 20];
    let server =
        desktop(move |path| (path == "/platform").then(|| Answer::new("200 OK", "text/plain", &flood)));
    let look = |server: &Server| found(&dir, &["--device", &format!("osworld:{}", server.url(""))]);
    fails(&look(&server), "machine", "more than 1048576 bytes", "start the server");
    // Within the bound, and still more than anybody reads.
    let server = desktop(|path| {
        (path == "/platform").then(|| Answer::new("200 OK", "text/plain", "\u{1b}[2Jx\n".repeat(20_000)))
    });
    fails(&look(&server), "machine", "is none of", "start the server");
    // A picture of two gigapixels, of which only the head is there; a tree of very many nodes; a screen of no size.
    let mut head = picture();
    head[16..24].copy_from_slice(&[0, 0, 0xc3, 0x50, 0, 0, 0xc3, 0x50]);
    let nodes = format!("<desktop-frame>{}</desktop-frame>", "<a/>".repeat(60_000));
    let server = desktop(move |path| match path {
        "/screenshot" => Some(Answer::new("200 OK", "image/png", &head)),
        "/accessibility" => Some(Answer::json(&json!({ "AT": nodes }))),
        _ => None,
    });
    let all = look(&server);
    fails(&all, "machine picture", "", "DISPLAY");
    fails(&all, "machine elements", "", "toolkit-accessibility");
    let silent = desktop(|path| (path == "/platform").then_some(Answer::Silence));
    let began = std::time::Instant::now();
    fails(&look(&silent), "machine", "10", "start the server");
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
}

#[test]
fn an_environment_says_what_it_is_and_what_it_has() {
    let dir = tempdir();
    let example = Example::start();
    let all = found(&dir, &["--device", &format!("bridge:{}", example.address)]);
    ok(&all, "bridge", "example 1 (web) at http://127.0.0.1");
    ok(&all, "bridge screen", " px, scale 1");
    ok(&all, "bridge offers", "2 tasks, ");
    ok(&all, "bridge fence", "scores of its tasks are its own");
    let all = found(&dir, &["--device", &format!("bridge:desktop:{}", example.address)]);
    fails(&all, "bridge", "write bridge:web:http://127.0.0.1", "bridge check");
    let all = found(&dir, &["--device", "bridge:http://127.0.0.1:1"]);
    fails(&all, "bridge", "nothing answers", "start the environment's server");
    let hello = |more: Value| {
        let plain =
            json!({ "protocol": 1, "name": "e", "platform": "web", "screen": [10, 10], "version": "1" });
        let said = with(plain, &more);
        let server = Server::start(move |_, _| Answer::json(&said));
        found(&dir, &["--device", &format!("bridge:{}", server.url(""))])
    };
    fails(&hello(json!({ "protocol": 9 })), "bridge", "protocol is 9", "");
    ok(&hello(json!({ "version": format!("\u{1b}]0;x\u{7}{}", "9".repeat(100_000)) })), "bridge", "e  ]0;x ");
    fails(&hello(json!({ "version": "9".repeat(5 << 20) })), "bridge", "more than 4194304 bytes", "");
}

/// A server on loopback that says this to whoever comes, and then no more.
#[cfg(feature = "fleet")]
fn says(words: impl Into<Vec<u8>>) -> String {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    let (listener, words) = (TcpListener::bind("127.0.0.1:0").unwrap(), words.into());
    let address = format!("nats://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let words = words.clone();
            std::thread::spawn(move || {
                if stream.write_all(&words).is_ok() {
                    while stream.read(&mut [0; 64]).is_ok_and(|n| n > 0) {}
                }
            });
        }
    });
    address
}

#[cfg(feature = "fleet")]
#[test]
fn a_queue_says_what_it_can_and_who_may_take_part() {
    let dir = tempdir();
    let nats = super::fleet::Nats::start();
    let shared = dir.join("shared");
    folder(&shared);
    let shared = shared.display().to_string();
    let look = |queue: &str| found(&dir, &["--queue", queue]);
    let all = found(&dir, &["--queue", &nats.url(), "--artifacts", &shared]);
    ok(&all, "queue", "nats-server 2.");
    ok(&all, "queue message", "1024 KiB");
    ok(&all, "queue access", "JetStream answers in");
    ok(&all, "queue streams", "waldo eval --queue makes what is missing");
    ok(&all, "queue trust", "in the clear on this machine; the server is open");
    ok(&all, "queue folders", "can be written");
    // Nothing was made by looking; another command makes them.
    waldo(&dir, &["queue", "status", "--queue", &nats.url()]).ok();
    ok(&look(&nats.url()), "queue streams", "all there; runs: 0, episodes that wait: 0, workers: 0");
    let all = found(&dir, &["--queue", &nats.url(), "--artifacts", "/no/such/folder"]);
    fails(&all, "queue folders", "/no/such/folder", "exists on all machines");

    fails(&look("nats://127.0.0.1:1"), "queue", "nats://127.0.0.1:1", "nats-server --jetstream");
    fails(&look("nats://192.0.2.1"), "queue", "is another machine", "--queue-nkey");
    fails(&look(&says("HTTP/1.1 200 OK\r\n\r\n")), "queue", "not a NATS server", "nats-server --jetstream");
    fails(&look(&says("INFO {]\r\n")), "queue", "cannot be read", "");
    let flood = [b"INFO ".as_slice(), &vec![b'x'; 4 << 20]].concat();
    fails(&look(&says(flood)), "queue", "more than 65536 bytes", "");
    let info = |more: Value| {
        let plain = json!({ "server_id": "S", "version": "2.9.10", "max_payload": 1 << 20, "proto": 1 });
        look(&says(format!("INFO {}\r\n", with(plain, &more))))
    };
    let all = info(json!({ "version": "2.2.0\u{1b}[2J", "max_payload": 1000 }));
    fails(&all, "queue", "2.2.0 [2J at", "install a newer nats-server");
    fails(&all, "queue message", "1000 bytes", "max_payload");
    fails(&all, "queue streams", "no JetStream", "nats-server --jetstream");
    // It greets, and answers nothing after that.
    let began = std::time::Instant::now();
    let all = info(json!({ "jetstream": true }));
    ok(&all, "queue", "nats-server 2.9.10");
    fails(&all, "queue access", "", "--queue-nkey");
    assert!(began.elapsed().as_secs() < 100, "{:?}", began.elapsed());
    fails(&look(&says("")), "queue", "does not answer within 10 s", "");
}

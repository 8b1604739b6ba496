//! A secret is typed by name, and neither the model nor a record ever holds its value.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::desktop::{desk, need};
use super::support::{Answer, Server, waldo};

const VALUE: &str = "hunter22-and-more";

const PAGE: &str = r#"<!doctype html><title>Sign in</title>
<input aria-label="Card" id="c"><p id="p">nothing yet</p>
<script>c.oninput = () => { p.textContent = c.value.length + " characters"; document.title = c.value; }</script>"#;

/// Serves the page, and a model that taps the field, types the secret and ends. Keeps what it is sent.
fn serve() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let asked = kept.clone();
            std::thread::spawn(move || answer(stream, &asked));
        }
    });
    (address, asked)
}

fn answer(mut stream: TcpStream, asked: &Mutex<Vec<String>>) {
    let mut got = Vec::new();
    let mut part = [0_u8; 65536];
    while let Ok(n) = stream.read(&mut part) {
        got.extend_from_slice(&part[..n]);
        let text = String::from_utf8_lossy(&got);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head
            .to_lowercase()
            .split("content-length:")
            .nth(1)
            .map_or(0, |rest| rest.split("\r\n").next().unwrap().trim().parse::<usize>().unwrap());
        if n == 0 || body.len() >= length {
            break;
        }
    }
    let text = String::from_utf8_lossy(&got).into_owned();
    let (kind, body) = if text.starts_with("POST") {
        let mut asked = asked.lock().unwrap();
        let call = ["tap(1)", "secret(\\\"card\\\")"].get(asked.len()).copied().unwrap_or("FINISH");
        asked.push(text);
        let content = format!("Observation: o\\nThought: t\\nAction: {call}\\nSummary: s");
        let body = format!(r#"{{"choices":[{{"message":{{"role":"assistant","content":"{content}"}}}}]}}"#);
        ("application/json", body)
    } else {
        ("text/html", PAGE.to_owned())
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close",
        body.len()
    );
    let _ = stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes());
}

/// All files below `folder` that hold `text`.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            found.extend(holding(&entry.path(), text));
        } else if String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()).contains(text) {
            found.push(entry.path().display().to_string());
        }
    }
    found
}

#[test]
fn a_secret_is_typed_and_nowhere_to_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let (address, asked) = serve();
    let base = format!("{address}/v1");
    let args = [
        "run",
        "--url",
        &address,
        "--agent",
        "appagent",
        "--model",
        "m",
        "--base-url",
        &base,
        "--secret",
        "card=MY_CARD",
        "--max-steps",
        "4",
        "--out",
        "r",
        "--json",
        "--watch",
        "pay with the card",
    ];
    let ended = waldo(dir.path(), &args).env("MY_CARD", VALUE).run().expect_code(0);
    assert_eq!(ended.json()["result"]["outcome"], "finished", "{}", ended.stderr);
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 3);
    assert!(asked[0].contains("The names are: card."));
    // It was typed: the page shows how long it is, and waldo that the field holds something masked.
    assert!(asked[2].contains("••••"), "{}", asked[2].get(..3000).unwrap_or(&asked[2]));
    let shown: Vec<_> = asked.iter().filter(|request| request.contains(VALUE)).collect();
    assert!(shown.is_empty(), "a request holds the value");
    assert_eq!(holding(&dir.path().join("r"), VALUE), Vec::<String>::new());
    assert!(!holding(&dir.path().join("r"), "type_secret").is_empty());
    // The picture shows a grey plate where the field is.
    let episode = dir.path().join("r/episodes/appagent+m/by-hand/r0");
    let events = std::fs::read_to_string(episode.join("events.jsonl")).unwrap();
    let seen: serde_json::Value = events
        .lines()
        .rev()
        .map(|l| serde_json::from_str(l).unwrap())
        .find(|e: &serde_json::Value| e["event"] == "observed" && e["step"] == 3)
        .unwrap();
    let bounds = &seen["elements"][0]["bounds"];
    let [x, y, w, h] = ["x", "y", "w", "h"].map(|part| bounds[part].as_f64().unwrap());
    let picture = image::open(episode.join("step-03.png")).unwrap().to_rgb8();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies in the picture")]
    let pixel = picture.get_pixel((x + w * 0.7) as u32, (y + h * 0.5) as u32);
    assert_eq!(pixel, &image::Rgb([128; 3]));
    assert!(!ended.stdout.contains(VALUE) && !ended.stderr.contains(VALUE), "{}", ended.stderr);
}

#[test]
fn a_secret_that_is_not_set_stops_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["run", "--url", "http://127.0.0.1:1", "--agent", "noop", "--secret", "pin=NO_SUCH_PIN", "go"];
    let ended = waldo(dir.path(), &args).run().expect_code(4);
    assert!(ended.stderr.contains("NO_SUCH_PIN is not set"), "{}", ended.stderr);
}

/// A task on a desktop whose checks look at what was typed.
const NOTE: &str = r#"id = "one"
title = "Note"
category = "editor"
goal = "Write the card's number down."
start = "mousepad {HOME}/n.txt"
[[file]]
path = "n.txt"
text = "start"
[[check]]
kind = "file"
path = "n.txt"
contains = "something else"
[[reference]]
do = "wait"
"#;

#[test]
fn what_a_check_found_shows_no_secret() {
    need(&["mousepad"]);
    let dir = tempfile::tempdir().unwrap();
    desk(dir.path(), NOTE);
    let server = Server::start(|n, _| {
        let call = ["secret(\"card\")", "key(\"ctrl+s\")"].get(n).copied().unwrap_or("FINISH");
        Answer::chat(&format!("Observation: o\nThought: t\nAction: {call}\nSummary: s"))
    });
    let base = server.url("/v1");
    let mut args = vec!["eval", "./desk", "--device", "desktop", "--agent", "appagent", "--model", "m"];
    args.extend(["--base-url", &base, "--secret", "card=MY_CARD", "--workers", "1", "--out", "r", "--json"]);
    let ended = waldo(dir.path(), &args).env("MY_CARD", VALUE).run().expect_code(0);
    let result =
        holding(&dir.path().join("r"), "\"checks\"").into_iter().find(|p| p.ends_with("result.json"));
    let result = std::fs::read_to_string(result.unwrap()).unwrap();
    // The file was found, with what was typed masked.
    assert!(result.contains("••••start"), "{result}");
    assert_eq!(holding(dir.path(), VALUE), Vec::<String>::new());
    assert!(!ended.stdout.contains(VALUE) && !ended.stderr.contains(VALUE), "{}", ended.stderr);
}

#[test]
fn a_video_and_a_secret_do_not_go_together() {
    let dir = tempfile::tempdir().unwrap();
    let mut args = vec!["run", "--device", "desktop", "--open", "xterm", "--agent", "noop", "--out", "r"];
    args.extend(["--record", "film.mp4", "--secret", "pin=MY_PIN", "go"]);
    let ended = waldo(dir.path(), &args).env("MY_PIN", VALUE).run().expect_code(4);
    assert!(ended.stderr.contains("leave out --record or --secret"), "{}", ended.stderr);
    assert!(!dir.path().join("film.mp4").exists() && !dir.path().join("r").exists());
}

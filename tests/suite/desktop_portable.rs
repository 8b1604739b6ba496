//! The portable desktop through the binary, on a display that stands for somebody's.

use std::io::{BufRead as _, BufReader};

use super::desktop::need;
use super::desktop_taken::Display;
use super::planner::plan;
use super::support::*;

/// A run on this display, with a HOME of its own.
fn on(display: &Display, home: &Dir, args: impl Args) -> Waldo {
    let own = home.display().to_string();
    waldo(home, args).env("DISPLAY", &display.name).env("HOME", &own).env("XDG_SESSION_TYPE", "x11")
}

#[test]
fn a_model_writes_and_saves_a_note_through_the_portable_parts() {
    need(&["mousepad"]);
    let (dir, display) = (tempdir(), Display::start());
    let note = dir.join("note.txt");
    write(&note, "");
    let server = Server::start(move |n, _| {
        let parameters = |kind: &str, name: &str, value: &str| {
            plan(json!({"type": kind, "description": "Go on.", "parameters": {name: value}}))
        };
        Answer::chat(&match n {
            0 => parameters("type_text", "text", "Milk, Eggs & bread"),
            1 => parameters("key_press", "key", "ctrl+alt+Delete"),
            2 => parameters("key_press", "key", "Ctrl+S"),
            _ => parameters("finish", "status", "success"),
        })
    });
    let line =
        "run --device desktop::portable --countdown 1 --agent planner --model m --max-steps 6 --out r --json";
    let args = format!(
        "{line} --open 'mousepad {}' --base-url {} 'write a shopping list'",
        note.display(),
        server.url("/v1")
    );
    on(&display, &dir, &args).ok().warns("1 ...").warns("corner");
    until("the note to be saved", 10, || {
        std::fs::read_to_string(&note).is_ok_and(|text| text.trim_end() == "Milk, Eggs & bread")
    });
    let events = events(&dir.join("r"));
    let refused = events.iter().filter_map(|event| event["note"]["reason"].as_str());
    assert_eq!(refused.collect::<Vec<_>>(), ["this chord logs out"], "{events:?}");
}

#[test]
fn elements_are_guessed_and_the_screen_is_listed() {
    need(&["galculator"]);
    let (dir, display) = (tempdir(), Display::start());
    let args = "elements --device desktop::portable --countdown 0 --open galculator --json";
    let got = on(&display, &dir, args).json();
    has(&got, json!({ "context/location": "galculator" }));
    let elements = got["elements"].as_array().unwrap();
    let guessed = elements.iter().all(|element| element["source"] == "picture");
    assert!(elements.len() > 10 && guessed, "{elements:?}");
    let told = |said: &Value, name: &str, field: &str| {
        let mut all = said.as_array().unwrap().iter();
        let portable = all.find(|one| one[name] == "desktop::portable").unwrap();
        portable[field].as_str().unwrap().says("1 monitor");
    };
    told(&on(&display, &dir, "devices --json").json(), "device", "product");
    told(&on(&display, &dir, "doctor --json").run().json(), "what", "found");
}

#[test]
fn what_it_has_not_is_refused_in_words() {
    let dir = tempdir();
    let run = "run x --device desktop::portable --open galculator --agent noop";
    for (more, told) in [
        ("--panic-key F1", "--panic-key goes with --device desktop::0, on Linux"),
        ("--record x.mp4", "--record goes with --device desktop, on Linux"),
        ("--screen 800x600", "--screen goes with --device desktop, on Linux"),
    ] {
        waldo(&dir, &format!("{run} {more}")).exits(4).warns(told);
    }
    let suite = "eval l3-desktop --agent noop --device desktop::portable";
    waldo(&dir, suite).exits(4).warns("give --device desktop, on Linux");
    for (name, value, told) in [("DISPLAY", "", "DISPLAY"), ("XDG_SESSION_TYPE", "wayland", "Wayland")] {
        let run = waldo(&dir, &format!("{run} --countdown 0"));
        run.env("DISPLAY", ":7999").env(name, value).fails().warns(told);
    }
}

#[test]
fn a_pointer_in_the_corner_ends_the_run() {
    need(&["galculator", "xdotool"]);
    let (dir, display) = (tempdir(), Display::start());
    let args = "run look --device desktop::portable --countdown 60 --open galculator --agent noop --out r";
    let mut child = on(&display, &dir, args).start_heard();
    let mut heard = BufReader::new(child.stderr.take().unwrap()).lines();
    heard.find(|line| line.as_ref().is_ok_and(|line| line.contains("..."))).unwrap().unwrap();
    let push = ["mousemove", "0", "0"];
    let pushed = Command::new("xdotool").env("DISPLAY", &display.name).args(push).status();
    assert!(pushed.unwrap().success());
    until("the run to end", 20, || child.try_wait().unwrap().is_some());
    let rest: Vec<String> = heard.map_while(Result::ok).collect();
    assert!(rest.iter().any(|line| line.contains("given back to its owner")), "{rest:?}");
}

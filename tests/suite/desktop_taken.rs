//! A display that is somebody's: taken after a countdown, and given back.

use std::io::{BufRead as _, BufReader};

use super::desktop::need;
use super::planner::plan;
use super::support::*;

/// A display that stands for somebody's. Ended when it is dropped.
pub(super) struct Display {
    _manager: Ends,
    _server: Ends,
    pub(super) name: String,
}

impl Display {
    pub(super) fn start() -> Self {
        let mut server = Command::new("Xvfb");
        server.args(words("-displayfd 1 -screen 0 800x600x24 -nolisten tcp -noreset"));
        let mut child = server.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let name = format!(":{}", first_line(&mut child).trim());
        let mut manager = Command::new("openbox");
        manager.env("DISPLAY", &name).stdout(Stdio::null()).stderr(Stdio::null());
        Self { _manager: Ends(manager.spawn().unwrap()), _server: Ends(child), name }
    }
}

#[test]
fn a_display_is_taken_after_a_countdown_and_given_back() {
    need(&["galculator"]);
    let dir = tempdir();
    let display = Display::start();
    let start = format!("--device desktop:{} --countdown 1 --open galculator", display.name);
    let args = format!("run {start} --agent noop --max-steps 2 --out r --json look");
    waldo(&dir, &args).env("HOME", &dir.display().to_string()).ok().warns("1 ...").warns("ctrl+alt+space");
}

#[test]
fn the_panic_key_ends_a_run_on_a_taken_display() {
    need(&["galculator", "xdotool"]);
    let dir = tempdir();
    let display = Display::start();
    let start = format!("--device desktop:{} --countdown 60 --open galculator", display.name);
    let args = format!("run {start} --agent noop --out r look");
    let mut child = waldo(&dir, &args).start_heard();
    let mut heard = BufReader::new(child.stderr.take().unwrap()).lines();
    let said = heard.find(|line| line.as_ref().is_ok_and(|line| line.contains("..."))).unwrap();
    said.unwrap();
    xdotool(&display, &["key", "ctrl+alt+space"]);
    until("the run to end", 60, || child.try_wait().unwrap().is_some());
    let rest: Vec<String> = heard.map_while(Result::ok).collect();
    assert!(rest.iter().any(|line| line.contains("given back to its owner")), "{rest:?}");
}

/// A terminal of its owner's on a taken display, which writes what is typed to a file.
fn terminal(display: &Display, out: &Path) -> Ends {
    let mut xterm = Command::new("xterm");
    // What is typed while the owner holds Control would be signals to it otherwise: Control+4 ends it.
    let keep = format!("stty -isig -ixon; cat > '{}'", out.display());
    xterm.args(["-u8", "-T", "terminal", "-e", "sh", "-c", &keep]);
    xterm.env("DISPLAY", &display.name).env("LANG", "C.UTF-8").stdin(Stdio::null());
    let terminal = Ends(xterm.spawn().unwrap());
    until("the terminal to have the keyboard", 20, || {
        // One that was there before the window manager is not given it.
        xdotool(display, &["search", "--name", "^terminal$", "windowactivate"]);
        out.exists() && xdotool(display, &["getactivewindow", "getwindowname"]).trim() == "terminal"
    });
    terminal
}

fn xdotool(display: &Display, args: &[&str]) -> String {
    let out = Command::new("xdotool").env("DISPLAY", &display.name).args(args).output().unwrap();
    String::from_utf8(out.stdout).unwrap()
}

fn keymap(display: &Display) -> String {
    let out = Command::new("xkbcomp").args(["-xkb", &display.name, "-"]).output().unwrap();
    assert!(out.status.success(), "{out:?}");
    String::from_utf8_lossy(&out.stdout).into_owned()
}

#[test]
fn the_panic_key_stops_typing_in_the_middle_and_leaves_the_keyboard_as_it_was() {
    need(&["xterm", "xdotool", "xkbcomp"]);
    let dir = tempdir();
    let (display, out) = (Display::start(), dir.join("out.txt"));
    let _terminal = terminal(&display, &out);
    let before = keymap(&display);
    // Characters that are on no key of this keyboard: keys are lent to them.
    let text: String = (0..4000).map(|n| format!("{n} Привет 世界 ñ\n")).collect();
    let typed = text.clone();
    let server = Server::start(move |_, _| {
        let parameters = json!({ "text": typed });
        let action = json!({"type": "type_text", "description": "Type it.", "parameters": parameters});
        Answer::chat(&plan(action))
    });
    let start = format!("--device desktop:{} --countdown 1 --allow-app xterm", display.name);
    let agent = format!("--agent planner --model m --base-url {}", server.url("/v1"));
    let args = format!("run {start} {agent} --out r type");
    let mut child = waldo(&dir, &args).start();
    let lines = || std::fs::read_to_string(&out).unwrap_or_default().lines().count();
    until("some lines to be typed", 60, || lines() > 5);
    xdotool(&display, &["key", "ctrl+alt+space"]);
    until("the run to end", 60, || child.try_wait().unwrap().is_some());
    // It was in the middle, its lent keys are back, and what is typed now comes right after.
    assert_eq!(keymap(&display), before);
    xdotool(&display, &["type", "--delay", "30", "END\n"]);
    let mut got = String::new();
    until("what was typed last", 60, || {
        got = std::fs::read_to_string(&out).unwrap_or_default();
        got.ends_with("END\n")
    });
    // What was on its way while the chord was held came with its modifiers.
    let typed = got.trim_end_matches("END\n");
    let whole = text.lines().zip(typed.lines()).take_while(|(text, typed)| text == typed).count();
    assert!(whole > 5 && typed.lines().count() <= whole + 1, "{got}");
    assert!(whole < 1000, "it was typed to its end");
}

#[test]
fn a_video_of_a_taken_display_ends_when_its_owner_is_killed() {
    need(&["galculator", "ffmpeg"]);
    let dir = tempdir();
    let display = Display::start();
    let start = format!("--device desktop:{} --countdown 1 --open galculator", display.name);
    let film = dir.join("film.mp4");
    let args = format!("run {start} --record film.mp4 --agent noop --max-steps 200 --out r look");
    let mut child = waldo(&dir, &args).start();
    let mark = film.display().to_string();
    // A picture of it is there: it films.
    until("the film", 60, || {
        std::fs::metadata(&film).is_ok_and(|film| film.len() > 0) && !processes(&mark).is_empty()
    });
    kill(&mut child);
    until("the video to end", 20, || processes(&mark).is_empty());
    let film = std::fs::read(&film).unwrap();
    assert!(film.windows(4).any(|part| part == b"moov"), "{} bytes", film.len());
}

//! x11vnc on an Xvfb and TigerVNC's Xvnc, with GTK programs on them: what is typed is what the programs got.

use std::time::{Duration, Instant};

use waldo_devices::{Action, Button, Clicks, Device as _, Effect, Observation, Point, ScrollNotches};
use waldo_vnc::VncDevice;

use super::machine::{Machine, PASSWORD, Server, wait};
use super::{device, everything, refused, see, soon, taken};

async fn perform(device: &mut VncDevice, action: Action) -> Effect {
    device.perform(&action, soon()).await.unwrap().effect
}

fn click(x: f64, y: f64, button: Button) -> Action {
    Action::Tap { at: Point::new(x, y), clicks: Clicks::Single, button }
}

/// Acts, and waits until the screen shows it: a machine that does much else may be later than an action waits.
async fn changes(device: &mut VncDevice, action: Action) {
    let (what, before) = (format!("{action:?}"), see(device).await.picture);
    if matches!(perform(device, action).await, Effect::Confirmed { .. }) {
        return;
    }
    let began = Instant::now();
    while see(device).await.picture.pixels() == before.pixels() {
        assert!(began.elapsed() < Duration::from_secs(20), "{what} changes nothing");
    }
}

fn key(chord: &str) -> Action {
    Action::Key { chord: chord.to_owned() }
}

/// Looks until so many elements are there: windows are painted late, and x11vnc looks only now and then.
async fn sees(device: &mut VncDevice, elements: usize) {
    let began = Instant::now();
    while see(device).await.elements.len() < elements {
        assert!(began.elapsed() < Duration::from_secs(20), "no {elements} elements");
    }
}

/// Characters of keyboards, and of none: two alphabets, a sign of money, ideographs, one beyond the first plane.
const TEXT: &str = "Grüße, WORLD! 100% [x] {y} ~^`\"'\\ €–ł Привет 漢字 😀 é";

async fn typed_exactly(server: Server) {
    let mut machine = Machine::new(server, None);
    let mut device = taken(&machine.address).await;
    let empty = see(&mut device).await;
    assert_eq!(empty.picture.size(), (800, 600));
    let zenity = machine.show("zenity", &["--entry", "--title", "Question", "--text", "Say it"], "Question");
    sees(&mut device, 3).await;
    changes(&mut device, Action::Type { text: TEXT.to_owned() }).await;
    // The window closes.
    changes(&mut device, key("Return")).await;
    assert_eq!(machine.said(zenity).trim_end_matches('\n'), TEXT, "{server:?}");
}

#[tokio::test]
async fn every_text_is_typed_exactly() {
    for server in [Server::X11vnc, Server::Tiger] {
        typed_exactly(server).await;
    }
}

/// A file is written in an editor, by pointer, keys, chords and the wheel.
async fn an_editor_is_used(server: Server) {
    let mut machine = Machine::new(server, None);
    let file = machine.home.path().join("notes.txt");
    let lines: String = (0..200).map(|n| format!("line {n}\n")).collect();
    std::fs::write(&file, &lines).unwrap();
    machine.show("mousepad", &["--disable-server", file.to_str().unwrap()], "notes.txt");
    let mut device = taken(&machine.address).await;
    sees(&mut device, 4).await;
    let middle = Point::new(400.0, 350.0);
    changes(&mut device, Action::scroll(middle, ScrollNotches { right: 0, down: 5 })).await;
    // A menu opens, and closes.
    changes(&mut device, click(400.0, 350.0, Button::Right)).await;
    changes(&mut device, key("Escape")).await;
    perform(&mut device, click(400.0, 350.0, Button::Left)).await;
    changes(&mut device, key("ctrl+a")).await;
    perform(&mut device, Action::Type { text: "Zeile eins\n\tZwei: ÄÖÜ ✓\n".to_owned() }).await;
    perform(&mut device, key("ctrl+s")).await;
    let wanted = "Zeile eins\n\tZwei: ÄÖÜ ✓\n";
    wait("file", || std::fs::read_to_string(&file).unwrap() == wanted);
    // A drag marks, what is typed then takes its place.
    perform(&mut device, key("ctrl+Home")).await;
    see(&mut device).await;
    perform(
        &mut device,
        Action::TapAt {
            at: Point::new(400.0, 350.0),
            clicks: Clicks::Single,
            button: Button::Left,
            modifiers: waldo_devices::Modifiers { shift: true, ..Default::default() },
        },
    )
    .await;
    perform(&mut device, Action::Type { text: "gone".to_owned() }).await;
    perform(&mut device, key("ctrl+s")).await;
    wait("second file", || std::fs::read_to_string(&file).unwrap().trim_end() == "gone");
}

#[tokio::test]
async fn an_editor_is_used_by_pointer_and_keys() {
    for server in [Server::X11vnc, Server::Tiger] {
        an_editor_is_used(server).await;
    }
}

#[tokio::test]
async fn passwords_let_in_and_wrong_ones_do_not() {
    for server in [Server::X11vnc, Server::Tiger] {
        let machine = Machine::new(server, Some(PASSWORD));
        let none = refused(&machine.address, None).await.to_string();
        assert!(none.contains("asks for a password"), "{server:?}: {none}");
        let wrong = refused(&machine.address, Some("another1")).await.to_string();
        assert!(wrong.contains("refuses") && !wrong.contains("another1"), "{server:?}: {wrong}");
        let mut device = device(&machine.address, Some(PASSWORD));
        device.reset(&everything(), soon()).await.unwrap();
        assert_eq!(see(&mut device).await.picture.size(), (800, 600));
        device.health(soon()).await.unwrap();
    }
}

#[tokio::test]
async fn a_screen_may_change_its_size() {
    let machine = Machine::new(Server::Tiger, None);
    let mut device = taken(&machine.address).await;
    assert_eq!(see(&mut device).await.picture.size(), (800, 600));
    let resized = machine.command("xrandr", &["-s", "640x480"]).status().unwrap();
    assert!(resized.success());
    let (mut seen, began) = (see(&mut device).await, Instant::now());
    while seen.picture.size() != (640, 480) {
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", seen.picture.size());
        seen = see(&mut device).await;
    }
    assert_eq!(seen.geometry.physical.w, 640.0);
    perform(&mut device, click(320.0, 240.0, Button::Left)).await;
    let error = device.perform(&Action::Hover { at: Point::new(700.0, 100.0) }, soon()).await.unwrap_err();
    assert!(error.is_agents_mistake(), "{error}");
}

#[tokio::test]
async fn a_server_that_is_started_again_is_found_again_and_one_that_is_gone_is_told() {
    let mut machine = Machine::new(Server::X11vnc, None);
    let mut device = taken(&machine.address).await;
    see(&mut device).await;
    let mut server = machine.programs.pop().unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    machine.start_x11vnc(&["-nopw"]);
    let seen: Observation = see(&mut device).await;
    assert!(
        seen.context.notices.iter().any(|notice| notice.contains("restored")),
        "{:?}",
        seen.context.notices
    );
    device.health(soon()).await.unwrap();
    let mut server = machine.programs.pop().unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    let error = device.observe(waldo_devices::Capture::All, soon()).await.unwrap_err();
    assert!(matches!(error, waldo_devices::DeviceError::Gone { .. }), "{error}");
}

//! The portable desktop, on X servers with real programs, looked at from outside by the driver of X servers.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use waldo_devices::{
    Action, Button, Clicks, Effect, HomeFile, Physical, Point, ResetTo, ScrollNotches, Source,
};
use x11rb::connection::Connection as _;
use x11rb::protocol::randr::{ConnectionExt as _, MonitorInfo};
use x11rb::protocol::xproto::ConnectionExt as _;

use crate::driver::{Ask, Portable};
use crate::logger::{Logger, Seen};
use crate::support::*;

fn tap(at: Point<Physical>) -> Action {
    Action::tap(at)
}

fn clicks(x: f64, y: f64, clicks: Clicks, button: Button) -> Action {
    Action::Tap { at: Point::new(x, y), clicks, button }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_picture_is_that_of_x11_and_elements_come_from_it() {
    let mut device = desk(&with("galculator")).await;
    let mut portable = Portable::on(&device, allow(&["galculator"]));
    // The cursor in the calculator's display blinks: a pair of looks may see it on and off.
    let deadline = soon();
    let (ours, saw) = loop {
        let ours = look(&mut device).await;
        let (saw, picture) = portable.look();
        if *ours.picture.pixels().as_ref() == picture {
            break (ours, saw);
        }
        assert!(!deadline.passed(), "the pixels differ");
    };
    assert_eq!(saw.geometry, ours.geometry);
    assert_eq!((saw.context.location.as_str(), saw.context.windows.len()), ("galculator", 1));
    let (theirs, own) = (&saw.context.windows[0], &ours.context.windows[0]);
    assert_eq!((theirs.id, &theirs.title, theirs.focused), (own.id, &own.title, own.focused));
    assert!(saw.elements.len() > 10, "{:?}", saw.elements);
    assert!(saw.elements.iter().all(|element| element.source == Source::Picture));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_lands_on_the_button() {
    let question = ["zenity", "--question", "--text", "Really go on?", "--title", "Sure"];
    let mut device = desk(&with_all(&[&question], &["*"])).await;
    let seen = look(&mut device).await;
    let yes = seen.elements.iter().find(|element| element.name == "Yes").unwrap().hit;
    let mut portable = Portable::on(&device, allow(&["zenity"]));
    // The thing in the picture that lies where the bus says that the button is.
    let (saw, _) = portable.look();
    let there = saw.elements.iter().filter(|guess| guess.bounds.contains(yes));
    let guess = there.min_by(|a, b| a.bounds.area().total_cmp(&b.bounds.area())).unwrap();
    assert!(guess.handle.0.contains('.') && guess.source == Source::Picture, "{guess:?}");
    let report = portable.act(tap(guess.hit));
    assert!(confirmed(&report), "{report:?}");
    windows_become(&mut device, |windows| windows.is_empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn text_and_chords_arrive_exactly() {
    let mut to: ResetTo = with("mousepad {HOME}/t.txt");
    to.desktop.files = vec![HomeFile::new("t.txt", "old text")];
    let mut device = desk(&to).await;
    look(&mut device).await;
    let mut portable = Portable::on(&device, allow(&["mousepad"]));
    let (saw, _) = portable.look();
    let canvas = saw.elements.iter().find(|element| element.role.as_str() == "canvas").unwrap();
    portable.act(Action::Clear { element: canvas.handle.clone() });
    let text = "The quick (brown) Fox; jumps!\n\tOVER {13} lazy_dogs? äöüß ÉÑ \"ok\"";
    let report = portable.type_text(text);
    assert!(confirmed(&report), "{report:?}");
    let report = portable.press("Control_L + S");
    assert!(refusal(&report).is_none(), "{report:?}");
    let saved = file_becomes(&mut device, "t.txt", format!("{text}\n").as_bytes()).await;
    if let Err(now) = saved {
        assert_eq!(String::from_utf8_lossy(&now.unwrap_or_default()), text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pointer_acts_arrive_as_meant() {
    let device = desk(&with("")).await;
    let logger = Logger::open(&device, 600, 400);
    let mut portable = Portable::on(&device, allow(&["*"]));
    portable.act(clicks(10.7, 20.2, Clicks::Single, Button::Left));
    let seen: Vec<Seen> = logger.read().into_iter().filter(|seen| !matches!(seen, Seen::Move(..))).collect();
    assert_eq!(seen, [Seen::Down(1, 10, 20), Seen::Up(1, 10, 20)]);
    for (count, button, numbers) in [
        (Clicks::Double, Button::Left, vec![1, 1]),
        (Clicks::Triple, Button::Left, vec![1, 1, 1]),
        (Clicks::Single, Button::Right, vec![3]),
        (Clicks::Single, Button::Middle, vec![2]),
    ] {
        portable.act(clicks(30.0, 40.0, count, button));
        assert_eq!(logger.downs(), numbers);
    }
    for (right, down, buttons) in
        [(0, 2, vec![5, 5]), (0, -12, vec![4; 12]), (3, 0, vec![7, 7, 7]), (-1, 0, vec![6]), (0, 0, vec![])]
    {
        let by = ScrollNotches { right, down };
        portable.act(Action::scroll(Point::new(50.0, 60.0), by));
        assert_eq!(logger.downs(), buttons, "{by:?}");
    }
    let path = [(10.0, 10.0), (210.0, 10.0), (210.0, 110.0)].map(|(x, y)| Point::new(x, y)).to_vec();
    portable.act(Action::drag(path));
    let seen = logger.read();
    let down = seen.iter().position(|seen| *seen == Seen::Down(1, 10, 10)).unwrap();
    let up = seen.iter().position(|seen| *seen == Seen::Up(1, 210, 110)).unwrap();
    assert!(seen[down..up].contains(&Seen::Move(210, 10)) && up - down > 15, "{seen:?}");
    portable.act(Action::LongPress { at: Point::new(5.0, 5.0) });
    assert_eq!(logger.downs(), [1]);
    portable.act(Action::Hover { at: Point::new(77.0, 88.0) });
    assert_eq!(logger.read().last(), Some(&Seen::Move(77, 88)));
    // The corner is its owner's, and outside there is nothing.
    let report = portable.act(Action::Hover { at: Point::new(1.0, 1.0) });
    assert!(refusal(&report).unwrap().contains("corner"), "{report:?}");
    assert_eq!(logger.read(), []);
    let outside = portable.try_act(clicks(900.0, 10.0, Clicks::Single, Button::Left)).unwrap_err();
    assert!(outside.is_agents_mistake, "{outside:?}");
    let paste = portable.try_act(Action::Paste { text: "x".to_owned() }).unwrap_err();
    assert!(paste.told.contains("no clipboard"), "{paste:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn chords_hold_their_modifiers_and_what_ends_a_desktop_is_refused() {
    const SHIFT: u16 = 1;
    const CONTROL: u16 = 4;
    let device = desk(&with("")).await;
    let logger = Logger::open(&device, 600, 400);
    let mut portable = Portable::on(&device, allow(&["*"]));
    for (chord, keysym, state) in [
        ("Ctrl+S", 0x73, CONTROL),
        ("ctrl-shift-t", 0x74, CONTROL | SHIFT),
        ("Page Down", 0xff56, 0),
        ("Shift + Tab", 0xff09, SHIFT),
        ("F12", 0xffc9, 0),
        ("Insert", 0xff63, 0),
    ] {
        portable.press(chord);
        let last = logger.read().into_iter().rfind(|seen| matches!(seen, Seen::Key(..)));
        assert_eq!(last, Some(Seen::Key(keysym, state)), "{chord}");
    }
    for chord in ["ctrl+alt+Delete", "Ctrl-Alt-BackSpace", "alt+F4", "win+L", "a ctrl+alt+F1"] {
        let report = portable.press(chord);
        assert!(refusal(&report).is_some(), "{chord}: {report:?}");
    }
    assert_eq!(logger.read(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn windows_are_changed_by_their_shortcut() {
    let mut device = desk(&with_all(&[&["mousepad"], &["galculator"]], &["*"])).await;
    let all = windows_become(&mut device, |all| all.len() == 2 && all.iter().any(|w| w.focused)).await;
    let had = all.iter().find(|window| window.focused).unwrap().id;
    let mut portable = Portable::on(&device, allow(&["*"]));
    let mut report = portable.press("alt+Tab");
    if report.effect == Effect::SuspectedNoop {
        // As below: under load a shortcut may come while they are taken anew.
        report = portable.press("alt+Tab");
    }
    assert!(confirmed(&report), "{report:?}");
    windows_become(&mut device, |all| all.iter().any(|window| window.focused && window.id != had)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_window_gets_nothing() {
    let mut device = desk(&with("mousepad")).await;
    look(&mut device).await;
    // One program says who it is, the other does not.
    for (class, told) in [("Foreign", "foreign"), ("", "cannot tell")] {
        let logger = Logger::managed(&device, class);
        let all = windows_become(&mut device, |windows| {
            windows.len() == 2 && windows.iter().any(|window| window.title == "logger" && window.focused)
        })
        .await;
        let mut portable = Portable::on(&device, allow(&["mousepad"]));
        let logged = all.iter().find(|window| window.title == "logger").unwrap().id;
        let (saw, _) = portable.look();
        let theirs = saw.context.windows.iter().find(|window| window.id == logged).unwrap();
        let pad = &all.iter().find(|window| window.program == "mousepad").unwrap().bounds;
        let middle = theirs.bounds.center();
        assert!(pad.contains(middle), "{all:?}");
        logger.read();
        let beside = pad.at(0.02, 0.97);
        assert!(!theirs.bounds.contains(beside));
        for action in [
            tap(middle),
            Action::Hover { at: middle },
            Action::LongPress { at: middle },
            Action::scroll(middle, ScrollNotches { right: 0, down: 1 }),
            Action::drag(vec![beside, middle]),
            // Its frame, which is not told of, may reach there.
            tap(Point::new(middle.x, theirs.bounds.y - 10.0)),
        ] {
            let report = portable.act(action.clone());
            assert!(refusal(&report).unwrap().contains(told), "{action:?}: {report:?}");
        }
        // It has the keyboard, too.
        for report in [portable.type_text("x"), portable.press("Enter")] {
            assert!(refusal(&report).is_some(), "{report:?}");
        }
        let close = portable.act(Action::CloseWindow { window: theirs.id });
        assert!(refusal(&close).is_some(), "{close:?}");
        assert_eq!(logger.read(), []);
        // The allowed one, beside the other.
        let report = portable.act(tap(beside));
        assert!(refusal(&report).is_none(), "{report:?}");
        let report = portable.type_text("x");
        assert!(confirmed(&report), "{report:?}");
        assert_eq!(logger.read(), []);
        drop(logger);
        act(&mut device, Action::CloseWindow { window: theirs.id }).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn text_stops_where_another_program_takes_the_keyboard() {
    // Enter closes the allowed dialog; the foreign window behind it gets the keyboard.
    let entry: &[&str] = &["zenity", "--entry", "--text", "Name"];
    let mut device = desk(&with_all(&[&["mousepad"], entry], &["*"])).await;
    look(&mut device).await;
    let mut portable = Portable::on(&device, allow(&["zenity"]));
    let report = portable.type_text("Ada\nrm -rf everything");
    assert!(refusal(&report).is_some_and(|told| told.contains("the rest was not typed")), "{report:?}");
    let left = windows_become(&mut device, |windows| windows.len() == 1).await;
    assert!(!left[0].title.starts_with('*'), "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_are_started_closed_and_ended_and_the_rest_is_refused_with_its_reason() {
    let mut device = desk(&with("mousepad")).await;
    let mut portable = Portable::bare(&device);
    portable.reset(allow(&["galculator", "mousepad"]), "galculator", None).unwrap();
    let all = windows_become(&mut device, |windows| windows.len() == 2).await;
    let id = |program: &str| all.iter().find(|window| window.program == program).unwrap().id;
    let (pad, calculator) = (id("mousepad"), id("galculator"));
    let front = portable.try_act(Action::FocusWindow { window: pad }).unwrap_err();
    assert!(front.is_agents_mistake && front.told.contains("bring a window to the front"), "{front:?}");
    let close = portable.try_act(Action::CloseWindow { window: pad }).unwrap_err();
    assert!(close.is_agents_mistake && close.told.contains("click on it first"), "{close:?}");
    let mut report = portable.act(Action::CloseWindow { window: calculator });
    // Under load the window manager may still be taking its shortcuts anew; the report says that nothing came of it.
    if report.effect == Effect::SuspectedNoop {
        report = portable.act(Action::CloseWindow { window: calculator });
    }
    assert!(
        matches!(&report.effect, Effect::Confirmed { evidence } if evidence.contains("closed")),
        "{report:?}"
    );
    windows_become(&mut device, |windows| windows.len() == 1).await;
    let report = portable.act(Action::OpenApp { app: "galculator".to_owned() });
    assert!(confirmed(&report), "{report:?}");
    let report = portable.act(Action::OpenApp { app: "xterm".to_owned() });
    assert!(refusal(&report).unwrap().contains("xterm"), "{report:?}");
    let report = portable.act(Action::StopApp { app: "galculator".to_owned() });
    assert!(confirmed(&report), "{report:?}");
    windows_become(&mut device, |windows| windows.len() == 1).await;
    assert_eq!(portable.act(Action::StopApp { app: "mousepad".to_owned() }).effect, Effect::SuspectedNoop);
    // What was started here ends with the episode, and nothing else does.
    portable.act(Action::OpenApp { app: "galculator".to_owned() });
    windows_become(&mut device, |windows| windows.len() == 2).await;
    portable.ask(&Ask::Close).unwrap();
    let left = windows_become(&mut device, |windows| windows.len() == 1).await;
    assert_eq!(left[0].program, "mousepad");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_display_that_hangs_costs_no_more_than_the_deadline_and_one_that_is_gone_is_said_to_be() {
    let device = desk(&with("galculator")).await;
    let server = Pid::from_raw(i32::try_from(device.server_pid().unwrap()).unwrap()).unwrap();
    let mut portable = Portable::on(&device, allow(&["*"]));
    kill_process(server, Signal::STOP).unwrap();
    let late = portable.look_within(Duration::from_millis(700)).unwrap_err();
    assert!(late.told.starts_with("no answer to"), "{late:?}");
    kill_process(server, Signal::CONT).unwrap();
    portable.look();
    kill_process(server, Signal::KILL).unwrap();
    let display = device.display().unwrap();
    eventually("the server to end", || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.as_raw_nonzero()));
        stat.is_ok_and(|stat| stat.contains(") Z")) || !socket(&display).exists()
    });
    match portable.look_within(Duration::from_secs(20)) {
        Err(gone) => assert_eq!(gone.fault, "Environment", "{gone:?}"),
        // Another test's server may have taken the number meanwhile.
        Ok(_) => assert!(socket(&display).exists(), "a picture of a display that is gone"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn places_are_those_of_the_monitor_that_is_driven() {
    let mut device = desk(&with("")).await;
    let ours = look(&mut device).await;
    let conn = connect(&device);
    let root = conn.setup().roots[0].root;
    let output = conn.randr_get_screen_resources(root).unwrap().reply().unwrap().outputs[0];
    let name = conn.intern_atom(false, b"right").unwrap().reply().unwrap().atom;
    let right = MonitorInfo {
        name,
        primary: true,
        automatic: false,
        x: 400,
        y: 100,
        width: 400,
        height: 500,
        width_in_millimeters: 100,
        height_in_millimeters: 100,
        outputs: vec![output],
    };
    conn.randr_set_monitor(root, right).unwrap().check().unwrap();
    let logger = Logger::open(&device, 600, 400);
    let mut portable = Portable::on(&device, allow(&["*"]));
    let (saw, picture) = portable.look();
    assert_eq!((saw.geometry.physical.w, saw.geometry.physical.h), (400.0, 500.0));
    assert_eq!(picture.dimensions(), (400, 500));
    // White where the window reaches to, else as it was.
    let there =
        image::imageops::crop_imm(ours.picture.pixels().as_ref(), 400 + 250, 100, 100, 100).to_image();
    assert_eq!(image::imageops::crop_imm(&picture, 250, 0, 100, 100).to_image(), there);
    assert_eq!(picture.get_pixel(10, 10).0, [255; 3]);
    portable.act(clicks(10.0, 20.0, Clicks::Single, Button::Left));
    assert!(logger.read().contains(&Seen::Down(1, 410, 120)));
    let names = portable.ask(&Ask::Monitors).unwrap();
    let name = names[0].as_str().unwrap();
    portable.reset(allow(&["*"]), "", Some(name)).unwrap();
    let unknown = portable.reset(allow(&["*"]), "", Some("none such")).unwrap_err();
    assert!(unknown.told.contains(name), "{unknown:?}");
}

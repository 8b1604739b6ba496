//! What the agent may not touch, it does not touch.

use waldo_devices::{Action, GuardPolicy, Point, ResetTo};

use crate::logger::Logger;
use crate::support::*;

fn tap(at: Point<waldo_devices::Physical>) -> Action {
    Action::tap(at)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lies_under_the_point_decides() {
    let question: &[&str] = &["zenity", "--info", "--text", "Do not touch"];
    let mut device = desk(&with_all(&[&["mousepad"], question], &["mousepad"])).await;
    look(&mut device).await;
    let all = windows(&mut device).await;
    let (pad, foreign) = (all[0].clone(), all[1].clone());
    assert_eq!((pad.program.as_str(), foreign.program.as_str()), ("mousepad", "zenity"));
    // The foreign window lies over the allowed one, in its middle.
    let middle = foreign.bounds.center();
    assert!(pad.bounds.contains(middle), "{all:?}");
    let report = act(&mut device, tap(middle)).await;
    assert!(refusal(&report).unwrap().contains("zenity"), "{report:?}");
    // It has the keyboard, too.
    for report in [type_text(&mut device, "x").await, press(&mut device, "Enter").await] {
        assert!(refusal(&report).unwrap().contains("zenity"), "{report:?}");
    }
    let path = vec![pad.bounds.at(0.05, 0.95), middle];
    assert!(refusal(&act(&mut device, Action::drag(path)).await).is_some());
    for window in [Action::FocusWindow { window: foreign.id }, Action::CloseWindow { window: foreign.id }] {
        assert!(refusal(&act(&mut device, window).await).is_some());
    }
    let open = Action::OpenApp { app: "galculator".to_owned() };
    assert!(refusal(&act(&mut device, open).await).unwrap().contains("galculator"));
    assert_eq!(windows(&mut device).await.len(), 2);
    // The allowed one, beside the other.
    let report = act(&mut device, tap(pad.bounds.at(0.05, 0.95))).await;
    assert!(refusal(&report).is_none(), "{report:?}");
    let report = type_text(&mut device, "x").await;
    assert!(refusal(&report).is_none(), "{report:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn chords_that_end_the_desktop_are_refused() {
    let policy = GuardPolicy { deny_chords: vec!["Ctrl+Q".to_owned()], ..allow(&["*"]) };
    let mut device = desk(&ResetTo { policy, ..ResetTo::default() }).await;
    let logger = Logger::open(&device, 100, 100);
    for chord in ["ctrl+alt+Delete", "Ctrl-Alt-BackSpace", "ctrl+alt+F1", "control+Q", "a ctrl+alt+Delete"] {
        let report = press(&mut device, chord).await;
        assert!(refusal(&report).is_some(), "{chord}: {report:?}");
    }
    assert_eq!(logger.read(), []);
    assert!(refusal(&press(&mut device, "ctrl+w").await).is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn text_stops_where_another_program_takes_the_keyboard() {
    // Enter closes the allowed dialog; the foreign one behind it gets the keyboard.
    let entry: &[&str] = &["zenity", "--entry", "--text", "Name"];
    let mut device = desk(&with_all(&[&["mousepad"], entry], &["zenity"])).await;
    look(&mut device).await;
    // Its button is shown pressed for a moment: what is typed before it closes is still its own.
    let text = format!("Ada\n{}", "rm -rf everything ".repeat(2000));
    let report = type_text(&mut device, &text).await;
    // While windows change there may be none whose program is known: that is refused too.
    let told = refusal(&report).unwrap();
    assert!(told.contains("mousepad") || told.contains("an unknown program"), "{report:?}");
    let left = windows_become(&mut device, |windows| windows.len() == 1).await;
    // Nothing was written into the other.
    assert!(left[0].program == "mousepad" && !left[0].title.starts_with('*'), "{left:?}");
}

//! Pointer and keyboard, as a window sees them.

use waldo_desktop::DesktopDevice;
use waldo_devices::{Action, Button, Clicks, Device, Modifiers, Point, ScrollNotches};

use crate::logger::{Logger, Seen};
use crate::support::*;

fn tap(x: f64, y: f64, clicks: Clicks, button: Button) -> Action {
    Action::Tap { at: Point::new(x, y), clicks, button }
}

pub async fn bare() -> (DesktopDevice, Logger) {
    let device = desk(&with("")).await;
    let logger = Logger::open(&device, 600, 400);
    (device, logger)
}

pub async fn clicks_and_scrolls(logger: &Logger, mut act: impl AsyncFnMut(Action)) {
    act(tap(10.7, 20.2, Clicks::Single, Button::Left)).await;
    let seen: Vec<Seen> = logger.read().into_iter().filter(|seen| !matches!(seen, Seen::Move(..))).collect();
    assert_eq!(seen, [Seen::Down(1, 10, 20), Seen::Up(1, 10, 20)]);
    act(tap(30.0, 40.0, Clicks::Double, Button::Left)).await;
    assert_eq!(logger.downs(), [1, 1]);
    act(tap(30.0, 40.0, Clicks::Triple, Button::Left)).await;
    assert_eq!(logger.downs(), [1, 1, 1]);
    act(tap(30.0, 40.0, Clicks::Single, Button::Right)).await;
    assert_eq!(logger.downs(), [3]);
    act(tap(30.0, 40.0, Clicks::Single, Button::Middle)).await;
    assert_eq!(logger.downs(), [2]);
    for (right, down, buttons) in
        [(0, 2, vec![5, 5]), (0, -2, vec![4, 4]), (3, 0, vec![7, 7, 7]), (-1, 0, vec![6]), (0, 0, vec![])]
    {
        let by = ScrollNotches { right, down };
        act(Action::scroll(Point::new(50.0, 60.0), by)).await;
        assert_eq!(logger.downs(), buttons, "{by:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn clicks_and_scrolls_arrive_as_meant() {
    let (mut device, logger) = bare().await;
    clicks_and_scrolls(&logger, async |action| drop(act(&mut device, action).await)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drag_passes_its_path_with_the_button_down() {
    let (mut device, logger) = bare().await;
    let path = [(10.0, 10.0), (210.0, 10.0), (210.0, 110.0)];
    let path = path.iter().map(|(x, y)| Point::new(*x, *y)).collect();
    act(&mut device, Action::drag(path)).await;
    let seen = logger.read();
    let down = seen.iter().position(|seen| *seen == Seen::Down(1, 10, 10)).unwrap();
    let up = seen.iter().position(|seen| *seen == Seen::Up(1, 210, 110)).unwrap();
    let between = &seen[down..up];
    assert!(between.contains(&Seen::Move(210, 10)), "{between:?}");
    assert!(between.len() > 15, "{between:?}");
    act(&mut device, Action::LongPress { at: Point::new(5.0, 5.0) }).await;
    assert_eq!(logger.downs(), [1]);
    let report = act(&mut device, Action::Hover { at: Point::new(77.0, 88.0) }).await;
    assert!(refusal(&report).is_none());
    assert_eq!(logger.read().last(), Some(&Seen::Move(77, 88)));
}

#[tokio::test(flavor = "multi_thread")]
async fn buttons_stay_down_until_they_are_let_go_and_keys_are_held_with_drags_and_the_wheel() {
    let (mut device, logger) = bare().await;
    let (a, b) = (Point::new(10.0, 20.0), Point::new(90.0, 60.0));
    for (button, number) in [(Button::Left, 1), (Button::Middle, 2), (Button::Right, 3), (Button::Back, 8)] {
        act(&mut device, Action::PointerDown { at: a, button }).await;
        act(&mut device, Action::PointerMove { at: b }).await;
        let seen = logger.read();
        assert!(seen.contains(&Seen::Down(number, 10, 20)) && seen.len() > 4, "{seen:?}");
        assert!(!seen.iter().any(|seen| matches!(seen, Seen::Up(..))), "{seen:?}");
        act(&mut device, Action::PointerUp { at: a }).await;
        assert_eq!(logger.read().last(), Some(&Seen::Up(number, 10, 20)));
        let error = device.perform(&Action::PointerUp { at: a }, soon()).await.unwrap_err();
        assert!(error.is_agents_mistake(), "{error}");
    }
    // Whatever presses lets it go first.
    act(&mut device, Action::PointerDown { at: a, button: Button::Right }).await;
    act(&mut device, tap(90.0, 60.0, Clicks::Single, Button::Forward)).await;
    let seen: Vec<Seen> = logger.read().into_iter().filter(|seen| !matches!(seen, Seen::Move(..))).collect();
    let (down, up) = (Seen::Down(3, 10, 20), Seen::Up(3, 10, 20));
    assert_eq!(seen, [down, up, Seen::Down(9, 90, 60), Seen::Up(9, 90, 60)]);
    let held: Modifiers = "ctrl+shift".to_owned().try_into().unwrap();
    act(&mut device, Action::Drag { path: vec![a, b], button: Button::Right, modifiers: held }).await;
    let seen = logger.read();
    let keys = |seen: &[Seen]| seen.iter().filter(|seen| matches!(seen, Seen::Key(..))).count();
    let down = seen.iter().position(|seen| *seen == Seen::Down(3, 10, 20)).unwrap();
    assert!(keys(&seen[..down]) == 2 && seen.contains(&Seen::Up(3, 90, 60)), "{seen:?}");
    let by = ScrollNotches { right: -1, down: 2 };
    act(&mut device, Action::Scroll { at: a, by, modifiers: held }).await;
    let seen = logger.read();
    assert_eq!(keys(&seen), 2);
    assert!(
        [4, 5, 6, 7].map(|n| seen.contains(&Seen::Down(n, 10, 20))) == [false, true, true, false],
        "{seen:?}"
    );
    for (chord, keysym, times) in [("KP_Enter", 0xff8d, 1), ("KP_Add", 0xffab, 1), ("Tab Tab Tab", 0xff09, 3)]
    {
        press(&mut device, chord).await;
        let keys = logger.read().into_iter().filter(|seen| *seen == Seen::Key(keysym, 0)).count();
        assert_eq!(keys, times, "{chord}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn chords_hold_their_modifiers() {
    const SHIFT: u16 = 1;
    const CONTROL: u16 = 4;
    const ALT: u16 = 8;
    let (mut device, logger) = bare().await;
    let last = |logger: &Logger| logger.read().into_iter().rfind(|seen| matches!(seen, Seen::Key(..)));
    for (chord, keysym, state) in [
        ("Ctrl+S", 0x73, CONTROL),
        ("ctrl-shift-t", 0x74, CONTROL | SHIFT),
        ("Control_L+Alt_L+a", 0x61, CONTROL | ALT),
        ("Page_Down", 0xff56, 0),
        ("A", 0x61, SHIFT),
        ("?", 0x2f, SHIFT),
        ("ctrl++", 0x3d, CONTROL | SHIFT),
        ("é", 0xe9, 0),
        ("Shift + Tab", 0xff09, SHIFT),
        ("F12", 0xffc9, 0),
    ] {
        press(&mut device, chord).await;
        assert_eq!(last(&logger), Some(Seen::Key(keysym, state)), "{chord}");
    }
    press(&mut device, "super").await;
    assert_eq!(last(&logger), Some(Seen::Key(0xffeb, 0)));
    press(&mut device, "ctrl+k ctrl+s").await;
    let keys: Vec<Seen> = logger.read();
    assert!(keys.contains(&Seen::Key(0x6b, CONTROL)) && keys.contains(&Seen::Key(0x73, CONTROL)), "{keys:?}");
    let error = device.perform(&Action::Key { chord: "ctrl+nothing".to_owned() }, soon()).await.unwrap_err();
    assert!(error.is_agents_mistake());
    let outside = tap(900.0, 10.0, Clicks::Single, Button::Left);
    assert!(device.perform(&outside, soon()).await.unwrap_err().is_agents_mistake());
}

#[tokio::test(flavor = "multi_thread")]
async fn shortcuts_reach_the_window_manager_while_keys_are_bound_anew() {
    let mut device = desk(&with_all(&[&["mousepad"], &["galculator"]], &["*"])).await;
    let mut front = windows_become(&mut device, |all| all.len() == 2 && all.iter().any(|w| w.focused)).await;
    for n in 0..20_u32 {
        // Each is a key of its own for a moment: the map changes under the window manager.
        let sign = char::from_u32(0x4e00 + n).unwrap();
        press(&mut device, &sign.to_string()).await;
        press(&mut device, "alt+Tab").await;
        let had = front.iter().find(|window| window.focused).unwrap().id;
        front = windows_become(&mut device, |all| all.iter().any(|w| w.focused && w.id != had)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drag_that_nobody_waits_for_any_more_ends_where_it_is() {
    let (mut device, logger) = bare().await;
    // Back and forth: three seconds of it.
    let path = (0..60).map(|n| Point::new(if n % 2 == 0 { 10.0 } else { 590.0 }, 10.0 + f64::from(n) * 5.0));
    let drag = Action::drag(path.collect());
    let gave_up = tokio::select! {
        _ = device.perform(&drag, soon()) => false,
        () = logger.began() => true,
    };
    assert!(gave_up);
    // Whatever is asked next comes after it.
    windows(&mut device).await;
    let seen = logger.read();
    let up = seen.iter().position(|seen| matches!(seen, Seen::Up(1, ..))).unwrap();
    assert!(!seen[up..].iter().any(|seen| matches!(seen, Seen::Move(..))), "{seen:?}");
    let Seen::Up(_, _, y) = seen[up] else { unreachable!() };
    assert!(y < 300, "{seen:?}");
}

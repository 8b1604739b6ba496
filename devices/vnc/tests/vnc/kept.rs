//! What is kept of a screen: its connection, its size, what is held down; and what is refused.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use waldo_devices::{
    Action, Button, Clicks, Deadline, Device as _, DeviceError, Effect, Element, Frames, Point, ResetTo,
    ScrollNotches,
};

use super::double::{Sent, double, part, plain};
use super::{device, everything, see, soon, taken};

type Log = Arc<Mutex<Vec<Sent>>>;

fn tap(x: f64, y: f64) -> Action {
    Action::Tap { at: Point::new(x, y), clicks: Clicks::Double, button: Button::Right }
}

/// A server that hangs up on the clients of these numbers once they press a key; and what all sent.
fn dropping(which: &'static [usize], names: &'static [&'static str]) -> (waldo_vnc::VncAddress, Log) {
    let log = Log::default();
    let kept = log.clone();
    let address = double(move |n, peer| {
        peer.let_in(64, 64, names[n.min(names.len() - 1)])?;
        peer.behave((64, 64), &kept, |sent, _| which.contains(&n) && matches!(sent, Sent::Key { .. }))
    });
    (address, log)
}

fn hands(log: &Log) -> Vec<Sent> {
    let hand = |sent: &&Sent| matches!(sent, Sent::Key { .. } | Sent::Pointer { .. });
    log.lock().unwrap().iter().filter(hand).cloned().collect()
}

#[tokio::test]
async fn a_lost_connection_is_made_anew_once() {
    let (address, _) = dropping(&[0, 1], &["one"]);
    let mut device = taken(&address).await;
    assert!(see(&mut device).await.context.notices.is_empty());
    // Whether it got there nobody knows.
    let report = device.perform(&Action::Key { chord: "F5".to_owned() }, soon()).await.unwrap();
    assert_eq!(report.effect, Effect::Unverifiable);
    let seen = see(&mut device).await;
    assert!(seen.context.notices[0].contains("restored"), "{:?}", seen.context.notices);
    assert!(see(&mut device).await.context.notices.is_empty());
    device.health(soon()).await.unwrap();
    let error = device.perform(&Action::Key { chord: "F5".to_owned() }, soon()).await.unwrap_err();
    assert!(matches!(error, DeviceError::Gone { .. }), "{error}");
    assert!(error.to_string().contains("lost before"), "{error}");
    assert!(matches!(device.health(soon()).await.unwrap_err(), DeviceError::Gone { .. }));
    // The next episode has its own.
    device.reset(&everything(), soon()).await.unwrap();
    device.health(soon()).await.unwrap();
}

#[tokio::test]
async fn another_screen_is_not_taken_for_the_lost_one() {
    let (address, _) = dropping(&[0], &["one", "another"]);
    let mut device = taken(&address).await;
    let error = device.perform(&Action::Key { chord: "F5".to_owned() }, soon()).await.unwrap_err();
    assert!(error.to_string().contains("another screen"), "{error}");
}

#[tokio::test]
async fn actions_are_what_hands_do() {
    let (address, log) = dropping(&[], &["one"]);
    let mut device = taken(&address).await;
    see(&mut device).await;
    let report = device.perform(&tap(10.7, 20.0), soon()).await.unwrap();
    assert!(matches!(report.effect, Effect::Confirmed { .. }), "{report:?}");
    let at = |buttons| Sent::Pointer { buttons, x: 10, y: 20 };
    assert_eq!(hands(&log), [at(0), at(4), at(0), at(4), at(0)]);
    log.lock().unwrap().clear();
    let by = ScrollNotches { right: -1, down: 2 };
    device.perform(&Action::scroll(Point::new(10.0, 20.0), by), soon()).await.unwrap();
    assert_eq!(hands(&log), [at(0), at(16), at(0), at(16), at(0), at(32), at(0)]);
    log.lock().unwrap().clear();
    device.perform(&Action::Key { chord: "ctrl+shift+t".to_owned() }, soon()).await.unwrap();
    let key = |keysym, down| Sent::Key { down, keysym };
    assert_eq!(
        hands(&log),
        [
            key(0xffe3, true),
            key(0xffe1, true),
            key(0x74, true),
            key(0x74, false),
            key(0xffe1, false),
            key(0xffe3, false)
        ]
    );
    log.lock().unwrap().clear();
    device.perform(&Action::Type { text: "aÉ€\n".to_owned() }, soon()).await.unwrap();
    let pressed: Vec<u32> = hands(&log)
        .iter()
        .filter_map(|sent| match sent {
            Sent::Key { down: true, keysym } => Some(*keysym),
            _ => None,
        })
        .collect();
    assert_eq!(pressed, [0x61, 0xc9, 0x0100_20ac, 0xff0d]);
    log.lock().unwrap().clear();
    let bad = device.perform(&Action::Type { text: "a\u{7}".to_owned() }, soon()).await.unwrap_err();
    assert!(bad.is_agents_mistake() && bad.to_string().contains("U+0007"), "{bad}");
    for denied in ["ctrl+alt+Delete", "alt+F4"] {
        let report = device.perform(&Action::Key { chord: denied.to_owned() }, soon()).await.unwrap();
        assert!(matches!(report.effect, Effect::Refused { .. }), "{report:?}");
    }
    assert_eq!(hands(&log), [], "what is wrong is found before anything is touched");
}

#[tokio::test]
async fn what_was_held_is_let_go_before_the_next_action() {
    let (address, log) = dropping(&[], &["one"]);
    let mut device = taken(&address).await;
    see(&mut device).await;
    {
        let path = vec![Point::new(1.0, 1.0), Point::new(60.0, 60.0)];
        let action = Action::drag(path);
        let drag = device.perform(&action, soon());
        // Whoever watches over an episode may end an action in the middle.
        let _ = tokio::time::timeout(Duration::from_millis(150), drag).await;
    }
    device.perform(&Action::Hover { at: Point::new(5.0, 5.0) }, soon()).await.unwrap();
    let all = hands(&log);
    let down = |sent: &Sent| matches!(sent, Sent::Pointer { buttons: 1, .. });
    assert!(all.iter().any(down), "{all:?}");
    assert_eq!(all.last(), Some(&Sent::Pointer { buttons: 0, x: 5, y: 5 }), "{all:?}");
    let path = vec![Point::new(1.0, 1.0), Point::new(60.0, 60.0), Point::new(1.0, 60.0)];
    let soon = Deadline::after(Duration::from_millis(100));
    device.perform(&Action::drag(path), soon).await.unwrap_err();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(matches!(hands(&log).last(), Some(Sent::Pointer { buttons: 0, .. })));
}

#[tokio::test]
async fn a_screen_that_got_another_size_is_looked_at_again() {
    let wide = Arc::new(AtomicUsize::new(64));
    let now = wide.clone();
    let address = double(move |_, peer| {
        peer.let_in(64, 64, "one")?;
        let mut told = 64;
        loop {
            match peer.next()? {
                Sent::Request { incremental: false, .. } => {
                    let w = now.load(Ordering::SeqCst) as u16;
                    if w != told {
                        told = w;
                        let mut update = vec![0, 0, 0, 1];
                        update.extend(part(0, 0, w, 64, -223));
                        peer.say(&update)?;
                    }
                    peer.say(&plain(w, 64, 50))?;
                }
                Sent::Pointer { .. } => panic!("no place of the old screen is touched on the new one"),
                _ => {}
            }
        }
    });
    let mut device = taken(&address).await;
    assert_eq!(see(&mut device).await.picture.size(), (64, 64));
    wide.store(100, Ordering::SeqCst);
    device.health(soon()).await.unwrap();
    let error = device.perform(&tap(5.0, 5.0), soon()).await.unwrap_err();
    assert!(matches!(error, DeviceError::StaleElement { .. }), "{error}");
    let seen = see(&mut device).await;
    assert_eq!((seen.picture.size(), seen.geometry.physical.w), ((100, 64), 100.0));
}

#[tokio::test]
async fn a_screen_is_taken_only_where_all_may_be_touched_and_starts_nothing() {
    let (address, log) = dropping(&[], &["one"]);
    let mut one = device(&address, None);
    let error = one.reset(&ResetTo::default(), soon()).await.unwrap_err().to_string();
    assert!(error.contains("--allow-app '*'"), "{error}");
    let start = ResetTo { start: "mousepad".to_owned(), ..everything() };
    let error = one.reset(&start, soon()).await.unwrap_err().to_string();
    assert!(error.contains("leave out --open"), "{error}");
    assert!(log.lock().unwrap().is_empty(), "nothing was connected to");
    let error = one.perform(&tap(1.0, 1.0), soon()).await.unwrap_err().to_string();
    assert!(error.contains("reset it first"), "{error}");
    let mut taken = taken(&address).await;
    let typed = Action::TypeSecret { name: "vnc-password".to_owned() };
    let error = taken.perform(&typed, soon()).await.unwrap_err();
    assert!(error.is_agents_mistake() && error.to_string().contains("not typed"), "{error}");
}

#[tokio::test]
async fn versions_of_the_protocol_are_agreed_on() {
    for (theirs, ours) in
        [("003.003", "003.003"), ("003.007", "003.007"), ("003.889", "003.008"), ("003.005", "003.003")]
    {
        let address = double(move |_, peer| {
            peer.say(format!("RFB {theirs}\n").as_bytes())?;
            assert_eq!(String::from_utf8_lossy(&peer.read::<12>()?), format!("RFB {ours}\n"));
            match ours {
                "003.003" => peer.say(&[0, 0, 0, 1])?,
                _ => {
                    peer.say(&[1, 1])?;
                    peer.read::<1>()?;
                    if ours == "003.008" {
                        peer.say(&[0; 4])?;
                    }
                }
            }
            peer.screen(64, 64, "one")?;
            let log = Mutex::new(Vec::new());
            peer.behave((64, 64), &log, |_, _| false)
        });
        assert_eq!(see(&mut taken(&address).await).await.picture.size(), (64, 64), "{theirs}");
    }
}

#[tokio::test]
async fn who_watches_sees_it_move() {
    let (address, _) = dropping(&[], &["one"]);
    let mut device = taken(&address).await;
    let frames = Frames::default();
    assert_eq!(device.film(Some(frames.clone())), waldo_devices::Filming::Possible);
    let mut watcher = frames.watch();
    let mut colours = Vec::new();
    for _ in 0..2 {
        let frame = tokio::time::timeout(Duration::from_secs(10), watcher.next()).await.unwrap().unwrap();
        let waldo_devices::Frame::Pixels(picture) = frame else { panic!("they are pixels") };
        colours.push(picture.pixels().get_pixel(0, 0).0[0]);
        device.perform(&Action::Key { chord: "F5".to_owned() }, soon()).await.unwrap();
    }
    assert!(colours[0] != colours[1], "{colours:?}");
    assert_eq!(device.film(None), waldo_devices::Filming::Impossible);
    let mut locked = super::device(&address, Some("hunter22"));
    assert_eq!(locked.film(Some(frames)), waldo_devices::Filming::Impossible);
}

#[tokio::test]
async fn elements_are_guessed_and_touched_by_place() {
    let address = double(|_, peer| {
        peer.let_in(320, 200, "one")?;
        let mut picture = plain(320, 200, 240);
        for (x, y) in (100..140).flat_map(|x| (60..90).map(move |y| (x, y))) {
            let at = 16 + (y * 320 + x) * 4;
            picture[at..at + 3].copy_from_slice(&[20, 40, 60]);
        }
        loop {
            if let Sent::Request { incremental: false, .. } = peer.next()? {
                peer.say(&picture)?;
            }
        }
    });
    let mut device = taken(&address).await;
    let seen = see(&mut device).await;
    let [found]: &[Element; 1] = seen.elements.as_slice().try_into().unwrap();
    assert_eq!(found.role.as_str(), "button");
    assert!((found.bounds.x - 100.0).abs() < 3.0 && (found.bounds.y - 60.0).abs() < 3.0, "{found:?}");
    // The picture's bytes are red, green, blue.
    assert_eq!(seen.picture.pixels().get_pixel(110, 70).0, [20, 40, 60]);
    let report = device.perform(&tap(found.hit.x, found.hit.y), soon()).await.unwrap();
    assert_eq!(report.effect, Effect::SuspectedNoop);
}

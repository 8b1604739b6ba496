//! What a person would do: look, press, type, scroll, open apps, go home.

use super::*;
use waldo_devices::action::{Orientation, ScrollNotches};
use waldo_devices::{DialogReply, Geometry, Platform, StateProbe, StateValue};

#[tokio::test]
async fn a_phone_is_seen_in_pixels_and_named_by_what_it_is() {
    let double = Double::start();
    let mut device = WdaDevice::open(server(&double.address), options(), soon()).await.unwrap();
    let info = device.info();
    assert_eq!((info.platform, info.geometry), (Platform::Ios, Geometry::new(400.0, 800.0, 2.0)));
    assert_eq!(info.product, "iPhone, iOS 17.4 by WebDriverAgent");
    device.reset(&to("", &[NOTES]), soon()).await.unwrap();
    let seen = look(&mut device).await;
    assert_eq!(names(&seen), ["Notes", "Other"]);
    assert_eq!(seen.context.location, "com.apple.springboard");
    assert_eq!((named(&seen, "Notes").hit.x, named(&seen, "Notes").hit.y), (70.0, 130.0));
    assert_eq!((seen.picture.size(), seen.geometry.scale), ((400, 800), 2.0));
    assert!(double.unknown().is_empty(), "{:?}", double.unknown());
}

#[tokio::test]
async fn notes_are_written_saved_and_scrolled() {
    let double = Double::start();
    let mut device = opened(&double, &[NOTES]).await;
    let seen = look(&mut device).await;
    assert!(seen.texts.iter().any(|text| text.text == "0 saved"), "{:?}", seen.texts);
    let note = named(&seen, "Your note").handle.clone();
    assert_eq!(
        (named(&seen, "Your note").value.as_deref(), named(&seen, "Your note").id.as_deref()),
        (None, Some("note"))
    );
    let effect = act(&mut device, Action::Fill { element: note, text: "Milk, яйца".to_owned() }).await;
    assert!(matches!(effect, Effect::Confirmed { .. }), "{effect:?}");
    let seen = look(&mut device).await;
    let field = seen.elements.iter().find(|e| e.id.as_deref() == Some("note")).unwrap();
    assert_eq!((field.value.as_deref(), field.states.focused), (Some("Milk, яйца"), true));
    assert_eq!(seen.context.keyboard_shown, Some(true));
    // More, and the last letter away again.
    act(&mut device, Action::Type { text: "!?".to_owned() }).await;
    act(&mut device, Action::Key { chord: "Backspace".to_owned() }).await;
    assert_eq!(double.phone.lock().unwrap().field, "Milk, яйца!");
    let effect = act(&mut device, tap(&seen, "Save")).await;
    assert!(matches!(effect, Effect::Confirmed { .. }), "{effect:?}");
    assert_eq!(double.phone.lock().unwrap().saved, ["Milk, яйца!"]);
    let seen = look(&mut device).await;
    assert!(seen.texts.iter().any(|text| text.text == "1 saved"));
    assert!(names(&seen).contains(&"Row 0"));
    let at = named(&seen, "Row 1").hit;
    act(&mut device, Action::Scroll { at, by: ScrollNotches { right: 0, down: 4 } }).await;
    let seen = look(&mut device).await;
    assert!(!names(&seen).contains(&"Row 0") && names(&seen).contains(&"Row 12"), "{:?}", names(&seen));
    let (from, to) = (at, waldo_devices::Point::new(at.x, at.y + 160.0));
    act(&mut device, Action::Swipe { from, to, ms: 300 }).await;
    assert!(names(&look(&mut device).await).contains(&"Row 11"));
    let wifi = act(&mut device, tap(&seen, "Wi-Fi")).await;
    assert!(matches!(wifi, Effect::Confirmed { .. }));
    assert_eq!(named(&look(&mut device).await, "Wi-Fi").states.checked, Some(true));
    let nothing = act(&mut device, Action::LongPress { at: named(&seen, "Save").hit }).await;
    assert_eq!(nothing, Effect::SuspectedNoop);
    assert!(double.unknown().is_empty(), "{:?}", double.unknown());
}

#[tokio::test]
async fn a_secret_is_typed_and_never_told() {
    let double = Double::start();
    let mut device = opened(&double, &[NOTES]).await;
    let seen = look(&mut device).await;
    act(&mut device, tap(&seen, "PIN")).await;
    act(&mut device, Action::TypeSecret { name: "pin".to_owned() }).await;
    assert_eq!(double.phone.lock().unwrap().pin, "4711x");
    let seen = look(&mut device).await;
    assert_eq!(named(&seen, "PIN").value.as_deref(), Some("•••••"));
    // Where it stands in the clear it is masked.
    double.phone.lock().unwrap().saved.clear();
    let note = seen.elements.iter().find(|e| e.id.as_deref() == Some("note")).unwrap().handle.clone();
    act(&mut device, Action::Fill { element: note, text: "4711x".to_owned() }).await;
    let seen = look(&mut device).await;
    let told = serde_json::to_string(&seen.elements).unwrap();
    assert!(!told.contains("4711x") && told.contains("••••"), "{told}");
    let text = device.probe(&StateProbe::Text, soon()).await.unwrap();
    assert!(matches!(&text, StateValue::Text(text) if !text.contains("4711x")), "{text:?}");
}

#[tokio::test]
async fn apps_are_opened_ended_and_left() {
    let double = Double::start();
    let mut device = opened(&double, &[NOTES, OTHER]).await;
    let place =
        async |device: &mut WdaDevice| match device.probe(&StateProbe::Location, soon()).await.unwrap() {
            StateValue::Text(text) => text,
            other => panic!("{other:?}"),
        };
    assert_eq!(place(&mut device).await, NOTES);
    let effect = act(&mut device, Action::OpenApp { app: "other".to_owned() }).await;
    assert!(matches!(&effect, Effect::Confirmed { evidence } if evidence.contains(OTHER)), "{effect:?}");
    let effect = act(&mut device, Action::StopApp { app: OTHER.to_owned() }).await;
    assert!(matches!(effect, Effect::Confirmed { .. }), "{effect:?}");
    act(&mut device, Action::OpenApp { app: NOTES.to_owned() }).await;
    act(&mut device, Action::Home).await;
    assert_eq!(place(&mut device).await, "com.apple.springboard");
    act(&mut device, Action::OpenApp { app: NOTES.to_owned() }).await;
    act(&mut device, Action::Recents).await;
    assert_eq!(place(&mut device).await, "com.apple.springboard");
    // The next start ends what was touched.
    device.reset(&to(NOTES, &[NOTES]), soon()).await.unwrap();
    let phone = double.phone.lock().unwrap();
    assert!(!phone.running.contains(OTHER));
    assert_eq!(phone.sessions, 1);
    assert!(phone.unknown.is_empty(), "{:?}", phone.unknown);
}

#[tokio::test]
async fn a_turned_screen_keeps_points_and_pixels_together_and_is_turned_back() {
    let double = Double::start();
    let mut device = opened(&double, &[NOTES]).await;
    act(&mut device, Action::Rotate { to: Orientation::Left }).await;
    let seen = look(&mut device).await;
    assert_eq!((seen.picture.size(), seen.geometry), ((800, 400), Geometry::new(800.0, 400.0, 2.0)));
    act(&mut device, tap(&seen, "Wi-Fi")).await;
    assert!(double.phone.lock().unwrap().wifi);
    let at = waldo_devices::Point::new(200.0, 200.0);
    act(&mut device, Action::Pinch { at, percent: 150 }).await;
    assert_eq!(double.phone.lock().unwrap().zoomed, 150);
    device.close(soon()).await.unwrap();
    let phone = double.phone.lock().unwrap();
    assert!(!phone.turned && phone.session.is_none());
    assert!(phone.unknown.is_empty(), "{:?}", phone.unknown);
}

#[tokio::test]
async fn alerts_of_the_app_are_elements_and_those_of_the_system_are_answered() {
    let double = Double::start();
    let mut device = opened(&double, &[NOTES, "com.apple.springboard"]).await;
    let seen = look(&mut device).await;
    act(&mut device, tap(&seen, "Ask")).await;
    let asked = look(&mut device).await;
    assert_eq!((names(&asked), asked.context.dialog.is_none()), (vec!["Yes"], true));
    act(&mut device, tap(&asked, "Yes")).await;
    let seen = look(&mut device).await;
    act(&mut device, tap(&seen, "Permit")).await;
    let asked = look(&mut device).await;
    assert_eq!(asked.context.dialog.unwrap().message, "Notes would like to find devices");
    act(&mut device, Action::Dialog { reply: DialogReply::Dismiss }).await;
    assert!(!double.phone.lock().unwrap().system_alert);
}

#[tokio::test]
async fn what_a_phone_has_not_is_refused_with_what_it_has() {
    let double = Double::start();
    let mut device = opened(&double, &[NOTES]).await;
    let seen = look(&mut device).await;
    let at = named(&seen, "Save").hit;
    for (action, said) in [
        (Action::Tap { at, clicks: Clicks::Single, button: Button::Right }, "another button"),
        (Action::Key { chord: "ctrl+a".to_owned() }, "Backspace"),
        (Action::OpenApp { app: "Nowhere".to_owned() }, "bundle id"),
        (
            Action::Tap {
                at: waldo_devices::Point::new(900.0, 1.0),
                clicks: Clicks::Single,
                button: Button::Left,
            },
            "outside",
        ),
        (Action::Drag { path: vec![at] }, "two points"),
        (Action::Back, "ios cannot"),
        (Action::Clear { element: waldo_devices::ElementRef("1:99".to_owned()) }, "look again"),
    ] {
        let error = device.perform(&action, soon()).await.unwrap_err();
        assert!(error.to_string().contains(said) && error.is_agents_mistake(), "{error}");
    }
    // Without a field that has the keyboard nothing can be typed.
    let error = device.perform(&Action::Type { text: "x".to_owned() }, soon()).await.unwrap_err().to_string();
    assert!(error.contains("keyboard must be present"), "{error}");
}

#[tokio::test]
async fn doctors_questions_change_nothing() {
    let double = Double::start();
    let found = waldo_wda::check(&server(&double.address), soon()).await;
    let said: Vec<String> = found.iter().map(|check| format!("{}: {:?}", check.what, check.found)).collect();
    assert!(found.iter().all(|check| check.found.is_ok()), "{said:?}");
    assert!(
        said[0].contains("8.0.0 (a double)") && said[2].contains("400x800 px of 200x400 points"),
        "{said:?}"
    );
    assert!(double.calls().iter().all(|call| call.starts_with("GET ")), "{:?}", double.calls());
    double.locks_itself();
    let found = waldo_wda::check(&server(&double.address), soon()).await;
    assert!(found.iter().any(|check| check.found.is_err() && check.hint.contains("unlock")));
    let none = waldo_wda::check(&server("http://127.0.0.1:1"), soon()).await;
    assert!(none.len() == 1 && none[0].found.is_err());
}

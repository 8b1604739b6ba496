//! Actions, typing, and the guard.

use waldo_android::{Adb, Secrets};
use waldo_devices::{
    Action, Capture, Device, DeviceError, Effect, Orientation, Point, RefusalKind, ScrollNotches,
};

use super::fake::{APP, Fake, soon};

fn tap() -> Action {
    Action::Tap { at: Point::new(10.0, 110.0), clicks: Default::default(), button: Default::default() }
}

fn refused(effect: &Effect) -> &str {
    match effect {
        Effect::Refused { kind: RefusalKind::Origin, reason } => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_adb_is_named_with_its_package() {
    let mut fake = Fake::start().await;
    fake.kill().await;
    let mut options = fake.options().adb;
    options.program = "no-such-adb".into();
    let error = Adb::new(options).devices(soon()).await.unwrap_err().to_string();
    assert!(error.contains("apt install adb"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn elements_say_what_they_are() {
    let fake = Fake::start().await;
    let mut device = fake.open().await;
    fake.reset(&mut device, &[APP]).await;
    fake.world().text = "hello".to_owned();
    let seen = device.observe(Capture::All, soon()).await.unwrap();
    let [field, save] = seen.elements.as_slice() else { panic!("{:?}", seen.elements) };
    assert_eq!((field.role.as_str(), field.value.as_deref()), ("textbox", Some("hello")));
    assert_eq!((save.role.as_str(), save.name.as_str()), ("button", "Save"));
    assert_eq!(save.uid.as_deref(), Some("android.widget.FrameLayout_108_240_com.fake.notes.id_save_1"));
    assert_eq!(seen.context.location, "com.fake.notes/.Main");
    assert_eq!(seen.context.keyboard_shown, Some(false));
    assert_eq!((seen.geometry.physical.w, seen.geometry.physical.h), (108.0, 240.0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tap_in_a_foreign_app_is_refused_and_never_made() {
    let fake = Fake::start().await;
    let mut device = fake.open().await;
    fake.reset(&mut device, &["com.fake.other"]).await;
    let report = device.perform(&tap(), soon()).await.unwrap();
    assert!(refused(&report.effect).contains(APP));
    assert_eq!(fake.ran("input tap"), 0);
    let open = Action::OpenApp { app: "shop".to_owned() };
    assert!(refused(&device.perform(&open, soon()).await.unwrap().effect).contains("com.fake.shop"));
    assert!(!matches!(device.perform(&Action::Back, soon()).await.unwrap().effect, Effect::Refused { .. }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_app_that_a_tap_leads_to_is_left_again() {
    let fake = Fake::start().await;
    let mut device = fake.open().await;
    fake.reset(&mut device, &[APP]).await;
    fake.world().opens = Some("com.evil.shop/.Pay".to_owned());
    let report = device.perform(&tap(), soon()).await.unwrap();
    let reason = refused(&report.effect);
    assert!(reason.contains("com.evil.shop") && reason.contains("went back"), "{reason}");
    assert_eq!(fake.world().stack.last().unwrap(), "com.fake.notes/.Main");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ascii_is_typed_in_quotes_and_read_back() {
    let fake = Fake::start().await;
    let mut device = fake.open().await;
    fake.reset(&mut device, &[APP]).await;
    device.observe(Capture::All, soon()).await.unwrap();
    let text = "it's $(reboot) 100%sure; a `b` c";
    let report = device.perform(&Action::Type { text: text.to_owned() }, soon()).await.unwrap();
    // The fake writes its text into XML as it is, so none of the five special characters are used but one.
    assert_eq!(fake.world().text, text);
    assert_eq!(report.effect, Effect::Confirmed { evidence: "the field holds the text".to_owned() });
    let seen = device.observe(Capture::All, soon()).await.unwrap();
    let clear = Action::Clear { element: seen.elements[0].handle.clone() };
    let report = device.perform(&clear, soon()).await.unwrap();
    assert_eq!(report.effect, Effect::Confirmed { evidence: "the field is empty".to_owned() });
    device.observe(Capture::All, soon()).await.unwrap();
    let stale = device.perform(&clear, soon()).await;
    assert!(matches!(stale, Err(DeviceError::StaleElement { .. })), "{stale:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_field_that_held_the_text_before_proves_nothing() {
    let fake = Fake::start().await;
    let mut device = fake.open().await;
    fake.reset(&mut device, &[APP]).await;
    fake.world().text = "say hello".to_owned();
    fake.world().deaf = true;
    for text in ["hello", "say hello"] {
        device.observe(Capture::All, soon()).await.unwrap();
        let report = device.perform(&Action::Type { text: text.to_owned() }, soon()).await.unwrap();
        assert_eq!(report.effect, Effect::SuspectedNoop, "{text}");
    }
    // Where it is not known what the field held, what it holds now is all there is to go by.
    device.observe(Capture::All, soon()).await.unwrap();
    device.perform(&tap(), soon()).await.unwrap();
    let report = device.perform(&Action::Type { text: "hello".to_owned() }, soon()).await.unwrap();
    assert_eq!(report.effect, Effect::Confirmed { evidence: "the field holds the text".to_owned() });
    // Twice the text is more of it.
    fake.world().deaf = false;
    device.observe(Capture::All, soon()).await.unwrap();
    let report = device.perform(&Action::Type { text: "hello".to_owned() }, soon()).await.unwrap();
    assert_eq!(report.effect, Effect::Confirmed { evidence: "the field holds the text".to_owned() });
    assert_eq!(fake.world().text, "say hellohello");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_scripts_need_the_keyboard_app_and_the_old_one_comes_back() {
    let fake = Fake::start().await;
    let mut device = fake.open().await;
    fake.reset(&mut device, &[APP]).await;
    let action = Action::Type { text: "Grüße 你好 🚀".to_owned() };
    let error = device.perform(&action, soon()).await.unwrap_err().to_string();
    assert!(error.contains("adb install ADBKeyboard.apk"), "{error}");
    fake.world().has_keyboard_app = true;
    let report = device.perform(&action, soon()).await.unwrap();
    assert_eq!(fake.world().text, "Grüße 你好 🚀");
    assert_eq!(fake.world().ime, "com.fake.keys/.Ime");
    assert!(matches!(report.effect, Effect::Confirmed { .. }), "{report:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_secret_is_typed_and_never_told() {
    let fake = Fake::start().await;
    let mut options = fake.options();
    options.secrets = Secrets::new([("pin".to_owned(), "hunter22".to_owned())]);
    let mut device = waldo_android::AndroidDevice::open(options, soon()).await.unwrap();
    fake.reset(&mut device, &[APP]).await;
    let report = device.perform(&Action::TypeSecret { name: "pin".to_owned() }, soon()).await.unwrap();
    assert_eq!(fake.world().text, "hunter22");
    assert!(!format!("{report:?}").contains("hunter22"));
    let seen = device.observe(Capture::All, soon()).await.unwrap();
    assert!(!format!("{:?}", seen.elements).contains("hunter22"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fingers_and_keys_reach_the_phone() {
    let fake = Fake::start().await;
    let mut device = fake.open().await;
    fake.reset(&mut device, &["com.fake.*"]).await;
    device.observe(Capture::All, soon()).await.unwrap();
    let p = |x: f64, y: f64| Point::new(x, y);
    let cases = [
        (Action::LongPress { at: p(5.0, 6.0) }, "input swipe 5 6 5 6 1000"),
        (Action::Swipe { from: p(50.0, 200.0), to: p(50.0, 50.0), ms: 250 }, "input swipe 50 200 50 50 250"),
        (Action::scroll(p(50.0, 120.0), ScrollNotches { right: 0, down: 1 }), "input swipe 50 180 50 60 300"),
        (Action::drag(vec![p(1.0, 1.0), p(9.0, 9.0)]), "input motionevent DOWN 1 1"),
        (Action::Key { chord: "Enter".to_owned() }, "input keyevent 66"),
        (Action::Home, "input keyevent KEYCODE_HOME"),
        (Action::Recents, "input keyevent 187"),
        (Action::Rotate { to: Orientation::Left }, "settings put system user_rotation 1"),
        (Action::OpenApp { app: "Shop".to_owned() }, "am start -n 'com.fake.shop/.Main'"),
        (Action::StopApp { app: "com.fake.shop".to_owned() }, "am force-stop 'com.fake.shop'"),
        (
            Action::Navigate { url: "https://a.test/'x".to_owned() },
            r"android.intent.action.VIEW -d 'https://a.test/'\''x'",
        ),
    ];
    for (action, command) in cases {
        let before = fake.ran(command);
        let report = device.perform(&action, soon()).await.unwrap();
        assert_eq!(fake.ran(command), before + 1, "{action:?}: {report:?}");
        assert!(!matches!(report.effect, Effect::Refused { .. }), "{report:?}");
    }
    // This phone has neither of the ways to two fingers.
    let pinch = device.perform(&Action::Pinch { at: p(50.0, 120.0), percent: 200 }, soon()).await;
    assert!(matches!(pinch, Err(DeviceError::Unsupported { .. })), "{pinch:?}");
    let outside = device.perform(&Action::LongPress { at: p(500.0, 6.0) }, soon()).await;
    assert!(matches!(outside, Err(DeviceError::OutOfBounds { .. })));
    let hover = device.perform(&Action::Hover { at: p(5.0, 6.0) }, soon()).await;
    assert!(hover.unwrap_err().is_agents_mistake());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_changes_nothing_is_suspected() {
    let fake = Fake::start().await;
    let mut device = fake.open().await;
    fake.reset(&mut device, &[APP]).await;
    device.observe(Capture::All, soon()).await.unwrap();
    let report = device.perform(&Action::Key { chord: "F5".to_owned() }, soon()).await.unwrap();
    assert_eq!(report.effect, Effect::SuspectedNoop);
    let report = device.perform(&tap(), soon()).await.unwrap();
    assert!(matches!(report.effect, Effect::Confirmed { .. }), "{report:?}");
}

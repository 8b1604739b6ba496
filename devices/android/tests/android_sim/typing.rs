//! Typing on a simulated phone.

use waldo_devices::DeviceError;

use super::*;

const NOTE: &str = "com.waldo.notes/.EditActivity";

/// A new note, with the focus in the field of this text.
async fn at_a_field(sim: &Sim, field: &str) -> AndroidDevice {
    let mut device = sim.open().await;
    to_a_field(&mut device, field).await;
    device
}

async fn to_a_field(device: &mut AndroidDevice, field: &str) {
    device.reset(&only(NOTE), soon()).await.unwrap();
    let seen = look(device).await;
    let field = seen
        .elements
        .iter()
        .find(|e| e.can(Affordance::Edit) && e.uid.as_deref().is_some_and(|uid| uid.contains(field)));
    let at = field.unwrap_or_else(|| panic!("{:?}", seen.elements)).hit;
    device.perform(&tap(at), soon()).await.unwrap();
    look(device).await;
}

async fn types(device: &mut AndroidDevice, text: &str) -> Effect {
    device.perform(&Action::Type { text: text.to_owned() }, soon()).await.unwrap().effect
}

fn focused(sim: &Sim) -> Option<String> {
    sim.phone().with(|w| w.focused_text())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn text_of_any_script_arrives_and_the_keyboard_comes_back() {
    let sim = Sim::start().await;
    let own = sim.phone().with(|w| w.ime());
    let mut device = at_a_field(&sim, "body").await;
    let text = "Grüße 你好 שלום 🚀 it's \"quoted\"; $(reboot)";
    let report = device.perform(&Action::Type { text: text.to_owned() }, soon()).await.unwrap();
    assert_eq!(focused(&sim).as_deref(), Some(text));
    assert_eq!(report.effect, Effect::Confirmed { evidence: "the field holds the text".to_owned() });
    let after = sim.phone().with(|w| w.ime());
    assert_eq!((after.current, after.enabled), (own.current, own.enabled));
    device.close(soon()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_very_text_of_a_placeholder_is_seen_to_arrive() {
    let sim = Sim::start().await;
    let mut device = at_a_field(&sim, "title").await;
    // The tree reads the same before and after: this Android writes a placeholder as text.
    let report = device.perform(&Action::Type { text: "Title".to_owned() }, soon()).await.unwrap();
    assert_eq!(focused(&sim).as_deref(), Some("Title"));
    assert!(matches!(report.effect, Effect::Confirmed { .. }), "{report:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ascii_is_typed_in_quotes_and_a_field_is_emptied_by_its_handle() {
    let sim = Sim::start().await;
    let mut device = at_a_field(&sim, "body").await;
    let text = "it's $(reboot) 100%sure; a `b` c";
    let holds = Effect::Confirmed { evidence: "the field holds the text".to_owned() };
    assert_eq!(types(&mut device, text).await, holds);
    assert_eq!(focused(&sim).as_deref(), Some(text));
    let seen = look(&mut device).await;
    let field = seen.elements.iter().find(|e| e.value.as_deref() == Some(text)).unwrap();
    let clear = Action::Clear { element: field.handle.clone() };
    let report = device.perform(&clear, soon()).await.unwrap();
    assert!(matches!(report.effect, Effect::Confirmed { .. }), "{report:?}");
    assert_eq!(focused(&sim).as_deref(), Some(""));
    look(&mut device).await;
    let stale = device.perform(&clear, soon()).await;
    assert!(matches!(stale, Err(DeviceError::StaleElement { .. })), "{stale:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_field_that_held_the_text_before_proves_nothing() {
    let sim = Sim::start().await;
    let mut device = at_a_field(&sim, "body").await;
    types(&mut device, "say hello").await;
    sim.fault(PhoneFault::IgnoreCommand("input text".to_owned()), Stay::Always);
    for text in ["hello", "say hello"] {
        look(&mut device).await;
        assert_eq!(types(&mut device, text).await, Effect::SuspectedNoop, "{text}");
    }
    // Where it is not known what the field held, what it holds now is all there is to go by.
    let seen = look(&mut device).await;
    let at = seen.elements.iter().find(|e| e.value.as_deref() == Some("say hello")).unwrap().hit;
    device.perform(&tap(at), soon()).await.unwrap();
    let holds = Effect::Confirmed { evidence: "the field holds the text".to_owned() };
    assert_eq!(types(&mut device, "hello").await, holds);
    // Twice the text is more of it.
    sim.phone().with(|w| w.faults_mut().clear_all());
    look(&mut device).await;
    assert_eq!(types(&mut device, "hello").await, holds);
    assert_eq!(focused(&sim).unwrap().matches("hello").count(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_scripts_than_ascii_need_the_keyboard_app() {
    let sim = Sim::start().await;
    let mut device = at_a_field(&sim, "body").await;
    sim.fault(PhoneFault::IgnoreCommand("ime list".to_owned()), Stay::Always);
    let action = Action::Type { text: "Grüße".to_owned() };
    let error = device.perform(&action, soon()).await.unwrap_err().to_string();
    assert!(error.contains("adb install ADBKeyboard.apk"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_secret_is_typed_and_never_told() {
    let sim = Sim::start().await;
    let options = AndroidOptions {
        secrets: Secrets::new([("pin".to_owned(), "hunter22".to_owned())]),
        ..sim.options()
    };
    let mut device = AndroidDevice::open(options, soon()).await.unwrap();
    to_a_field(&mut device, "body").await;
    let report = device.perform(&Action::TypeSecret { name: "pin".to_owned() }, soon()).await.unwrap();
    assert_eq!(focused(&sim).as_deref(), Some("hunter22"));
    assert!(!format!("{report:?}").contains("hunter22"));
    assert!(!format!("{:?}", look(&mut device).await.elements).contains("hunter22"));
}

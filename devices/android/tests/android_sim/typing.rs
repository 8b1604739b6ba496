//! Typing on a simulated phone.

use super::*;

const NOTE: &str = "com.waldo.notes/.EditActivity";

/// A new note, with the focus in the field of this text.
async fn at_a_field(sim: &Sim, field: &str) -> AndroidDevice {
    let mut device = sim.open().await;
    device.reset(&only(NOTE), soon()).await.unwrap();
    let seen = look(&mut device).await;
    let field = seen
        .elements
        .iter()
        .find(|e| e.can(Affordance::Edit) && e.uid.as_deref().is_some_and(|uid| uid.contains(field)));
    let at = field.unwrap_or_else(|| panic!("{:?}", seen.elements)).hit;
    device.perform(&tap(at), soon()).await.unwrap();
    look(&mut device).await;
    device
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

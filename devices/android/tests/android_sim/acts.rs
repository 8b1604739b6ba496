//! What actions come to on the phone, and what is made of commands that hang or do nothing.

use waldo_devices::{DeviceError, Element, RefusalKind};
use waldo_simphone::world::intent::Intent;

use super::*;

const NOTES: &str = "com.waldo.notes";
const CONTACTS: &str = "com.android.contacts";
const MESSAGES: &str = "com.android.messaging";

fn hang(sim: &Sim, command: &str, stay: Stay) {
    sim.fault(PhoneFault::HangCommand(command.to_owned()), stay);
}

async fn effect(device: &mut AndroidDevice, action: &Action) -> Effect {
    device.perform(action, soon()).await.unwrap().effect
}

fn refused(effect: &Effect) -> &str {
    match effect {
        Effect::Refused { kind: RefusalKind::Origin, reason } => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_that_hangs_ends_by_its_deadline() {
    let sim = Sim::start().await;
    let options = AndroidOptions { tree: Duration::from_millis(300), ..sim.options() };
    let mut device = AndroidDevice::open(options, soon()).await.unwrap();
    reset(&mut device).await;
    hang(&sim, "sleepy", Stay::Always);
    let began = Instant::now();
    let ask = StateProbe::Shell("echo sleepy".to_owned());
    let error = device.probe(&ask, Deadline::after(Duration::from_millis(300))).await;
    assert!(matches!(error, Err(DeviceError::Timeout { .. })), "{error:?}");
    assert!(began.elapsed() < Duration::from_secs(10));
    let StateValue::Text(place) = device.probe(&StateProbe::Location, soon()).await.unwrap() else {
        panic!()
    };
    assert!(place.starts_with(SETTINGS), "{place}");
    // Of a tree that hangs the picture tells the elements.
    hang(&sim, "uiautomator", Stay::Always);
    let seen = look(&mut device).await;
    assert!(!seen.picture.is_empty() && is_blind(&seen), "{:?}", seen.elements);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_action_that_hangs_is_not_made_a_second_time() {
    let (sim, mut device) = Sim::opened().await;
    let seen = look(&mut device).await;
    let row = tap(seen.elements.iter().find(|e| e.name.contains("Display")).unwrap().hit);
    hang(&sim, "input tap", Stay::Times(2));
    let error = device.perform(&row, Deadline::after(Duration::from_millis(500))).await;
    assert!(matches!(error, Err(DeviceError::Timeout { .. })), "{error:?}");
    assert!(sim.phone().with(|w| w.faults.has("hang-command")), "it was made twice");
    sim.phone().with(|w| w.faults_mut().clear_all());
    let report = effect(&mut device, &row).await;
    assert!(matches!(report, Effect::Confirmed { .. }), "{report:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_screen_that_never_rests_is_asked_only_where_it_may_have_come_to_rest() {
    let (sim, mut device) = Sim::opened().await;
    look(&mut device).await;
    sim.fault(PhoneFault::NeverIdle, Stay::Times(100));
    let asked = || {
        let faults = sim.phone().with(|w| serde_json::to_value(&w.faults).unwrap());
        100 - faults[0][1]["times"].as_u64().unwrap()
    };
    look(&mut device).await;
    let first = asked();
    // Its pictures rest, so it may have come to rest meanwhile; what was in vain is not done again.
    look(&mut device).await;
    assert_eq!(asked(), first + 1);
    look(&mut device).await;
    assert_eq!(asked(), first + 1, "it is left alone for a while");
    waldo_simphone::shell::capture(sim.phone(), "input swipe 500 1800 500 900 100", b"").await;
    look(&mut device).await;
    assert_eq!(asked(), first + 2, "another picture is another chance");
    // Another screen is another matter.
    sim.phone().with(|w| {
        w.faults_mut().clear_all();
        w.start(&Intent::launch(NOTES)).unwrap()
    });
    assert!(!is_blind(&look(&mut device).await));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tap_in_a_foreign_app_is_refused_and_never_made() {
    let (sim, mut device) = Sim::opened().await;
    let seen = look(&mut device).await;
    sim.phone().with(|w| w.start(&Intent::launch(NOTES)).unwrap());
    hang(&sim, "input tap", Stay::Times(1));
    let report = effect(&mut device, &tap(seen.elements[0].hit)).await;
    assert!(refused(&report).contains(NOTES), "{report:?}");
    assert!(sim.phone().with(|w| w.faults.has("hang-command")), "it was made");
    let open = effect(&mut device, &Action::OpenApp { app: "photos".to_owned() }).await;
    assert!(refused(&open).contains("com.waldo.photos"), "{open:?}");
    assert!(!matches!(effect(&mut device, &Action::Back).await, Effect::Refused { .. }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_app_that_a_tap_leads_to_is_left_again() {
    let (sim, mut device) = Sim::opened().await;
    device.reset(&only(CONTACTS), soon()).await.unwrap();
    for (at, leads_on) in [("Aisha Cohen", true), ("verb_text", false)] {
        let seen = look(&mut device).await;
        let is = |e: &&Element| e.name.contains(at) || e.uid.as_ref().is_some_and(|uid| uid.contains(at));
        let found = seen.elements.iter().find(is);
        let hit = found.unwrap_or_else(|| panic!("{at}: {:?}", seen.elements)).hit;
        let report = effect(&mut device, &tap(hit)).await;
        if !leads_on {
            let reason = refused(&report);
            assert!(reason.contains(MESSAGES) && reason.contains("went back"), "{reason}");
        }
    }
    assert_ne!(sim.phone().with(|w| w.foreground().package), MESSAGES);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_and_apps_lead_where_they_say_and_what_changes_nothing_is_suspected() {
    let (sim, mut device) = Sim::opened().await;
    let policy = GuardPolicy { apps: vec![AppRule("com.*".to_owned())], ..GuardPolicy::default() };
    device
        .reset(&ResetTo { start: SETTINGS.to_owned(), policy, ..ResetTo::default() }, soon())
        .await
        .unwrap();
    look(&mut device).await;
    let key = |chord: &str| Action::Key { chord: chord.to_owned() };
    look(&mut device).await;
    assert_eq!(effect(&mut device, &key("F5")).await, Effect::SuspectedNoop);
    for (action, front) in [
        (Action::OpenApp { app: "Notes".to_owned() }, NOTES),
        (Action::Recents, "com.android.launcher3"),
        (Action::OpenApp { app: NOTES.to_owned() }, NOTES),
        (Action::Home, "com.android.launcher3"),
        (Action::Navigate { url: "smsto:5550142".to_owned() }, MESSAGES),
        (Action::StopApp { app: "Messages".to_owned() }, "com.android.launcher3"),
    ] {
        let report = effect(&mut device, &action).await;
        assert!(matches!(report, Effect::Confirmed { .. }), "{action:?}: {report:?}");
        assert_eq!(sim.phone().with(|w| w.foreground().package), front, "{action:?}");
    }
    let outside = device.perform(&Action::LongPress { at: Point::new(5000.0, 6.0) }, soon()).await;
    assert!(matches!(outside, Err(DeviceError::OutOfBounds { .. })), "{outside:?}");
    let hover = device.perform(&Action::Hover { at: Point::new(5.0, 6.0) }, soon()).await;
    assert!(hover.unwrap_err().is_agents_mistake());
}

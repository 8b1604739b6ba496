//! Apps that may not be touched.

use super::*;
use waldo_devices::{Fault, RefusalKind};

fn refused(effect: &Effect, why: &str) {
    match effect {
        Effect::Refused { kind: RefusalKind::Origin, reason } => assert!(reason.contains(why), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_comes_to_the_front_and_is_not_allowed_is_left() {
    let double = Double::start();
    let mut device = opened(&double, &[NOTES]).await;
    let seen = look(&mut device).await;
    refused(&act(&mut device, tap(&seen, "Open other")).await, "went back");
    assert_eq!(double.phone.lock().unwrap().front, NOTES);
    refused(&act(&mut device, Action::OpenApp { app: OTHER.to_owned() }).await, "not an allowed app");
    refused(&act(&mut device, Action::StopApp { app: OTHER.to_owned() }).await, "not an allowed app");
    // Somebody else brought it there: nothing reaches it.
    let save = tap(&seen, "Save");
    double.phone.lock().unwrap().front = OTHER.to_owned();
    let before = double.phone.lock().unwrap().calls.len();
    refused(&act(&mut device, save.clone()).await, "is in front");
    let calls = double.phone.lock().unwrap().calls[before..].to_vec();
    assert!(calls.iter().all(|call| call.starts_with("GET ")), "{calls:?}");
    // What leads away is allowed.
    act(&mut device, Action::Home).await;
    refused(&act(&mut device, save).await, "com.apple.springboard is in front");
}

#[tokio::test]
async fn an_alert_of_the_system_wants_its_own_rule() {
    let double = Double::start();
    let mut device = opened(&double, &[NOTES]).await;
    let seen = look(&mut device).await;
    act(&mut device, tap(&seen, "Permit")).await;
    let asked = look(&mut device).await;
    assert!(asked.context.dialog.is_some());
    refused(&act(&mut device, tap(&asked, "Save")).await, "an alert of the system");
    assert!(double.phone.lock().unwrap().system_alert);
}

#[tokio::test]
async fn a_phone_that_does_not_tell_its_app_is_taken_only_where_all_are_allowed() {
    let double = Double::start();
    double.phone.lock().unwrap().tells_apps = false;
    let mut device = WdaDevice::open(server(&double.address), options(), soon()).await.unwrap();
    let error = device.reset(&to("", &[NOTES]), soon()).await.unwrap_err();
    assert!(error.to_string().contains("--allow-app '*'") && error.fault() == Fault::Environment, "{error}");
    device.reset(&to("", &["*"]), soon()).await.unwrap();
    // It had told at the start, and tells no more: nothing is done.
    double.phone.lock().unwrap().tells_apps = true;
    device.reset(&to(NOTES, &[NOTES]), soon()).await.unwrap();
    let seen = look(&mut device).await;
    double.phone.lock().unwrap().tells_apps = false;
    assert!(device.perform(&tap(&seen, "Save"), soon()).await.is_err());
    assert!(double.phone.lock().unwrap().saved.is_empty());
}

#[tokio::test]
async fn a_locked_phone_and_a_session_that_is_gone_are_said() {
    let double = Double::start();
    double.phone.lock().unwrap().locked = true;
    let mut device = opened(&double, &[NOTES]).await;
    device.health(soon()).await.unwrap();
    double.phone.lock().unwrap().session = Some("another".to_owned());
    let error = device.health(soon()).await.unwrap_err().to_string();
    assert!(error.contains("gone") && error.contains("another session"), "{error}");
    let mut device = WdaDevice::open(server(&double.address), options(), soon()).await.unwrap();
    double.locks_itself();
    let error = device.reset(&to(NOTES, &[NOTES]), soon()).await.unwrap_err().to_string();
    assert!(error.contains("it is locked") && error.contains("unlock it by hand"), "{error}");
}

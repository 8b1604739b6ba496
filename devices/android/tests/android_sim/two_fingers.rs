//! Pinches, in each way that phones take two fingers, proved by what the photos app keeps.

use waldo_devices::{DeviceError, Element, Point};

use super::*;

const PHOTOS: &str = "com.waldo.photos";

async fn at_a_picture(sdk: u32) -> (Sim, AndroidDevice) {
    let sim = Sim::of(PhoneOptions { sdk, ..PhoneOptions::default() }, ServerOptions::default()).await;
    let mut device = sim.open().await;
    let policy = GuardPolicy { apps: vec![AppRule(PHOTOS.to_owned())], ..GuardPolicy::default() };
    let to = ResetTo { start: PHOTOS.to_owned(), policy, ..ResetTo::default() };
    device.reset(&to, soon()).await.unwrap();
    let grid = look(&mut device).await;
    let tile =
        grid.elements.iter().find(|e| e.uid.as_deref().is_some_and(|u| u.contains("id_tile"))).unwrap();
    device.perform(&tap(tile.hit), soon()).await.unwrap();
    (sim, device)
}

async fn picture(device: &mut AndroidDevice) -> Element {
    let seen = look(device).await;
    let found = seen.elements.iter().find(|e| e.name.starts_with("Picture: ")).cloned();
    found.unwrap_or_else(|| panic!("{:?}", seen.elements))
}

/// How near the pictures that are not whole were brought, in thousandths.
fn zooms(sim: &Sim) -> Vec<i64> {
    let all = waldo_simphone::world::providers::Query::default();
    let rows = sim.phone().with(|w| w.query("content://photos/pictures", &all).unwrap());
    rows.iter().filter_map(|row| row.int("zoom")).filter(|zoom| *zoom != 1_000).collect()
}

async fn pinch(device: &mut AndroidDevice, percent: u32) -> Result<Effect, DeviceError> {
    let at = picture(device).await.hit;
    Ok(device.perform(&Action::Pinch { at, percent }, soon()).await?.effect)
}

/// In and out again, upright and turned to each side.
async fn zooms_by_two_fingers(sdk: u32) {
    let (sim, mut device) = at_a_picture(sdk).await;
    let near = pinch(&mut device, 300).await.unwrap();
    assert!(matches!(near, Effect::Confirmed { .. }), "{near:?}");
    let [zoom] = zooms(&sim)[..] else { panic!("{:?}", zooms(&sim)) };
    // A part of the way goes by before Android takes it for a pinch.
    assert!((2_400..=3_050).contains(&zoom), "{zoom}");
    pinch(&mut device, 50).await.unwrap();
    let [less] = zooms(&sim)[..] else { panic!("{:?}", zooms(&sim)) };
    assert!((zoom * 45 / 100..=zoom * 62 / 100).contains(&less), "{less} of {zoom}");
    pinch(&mut device, 20).await.unwrap();
    assert_eq!(zooms(&sim), [0_i64; 0], "all of it is shown again");
    for to in [Orientation::Left, Orientation::Right, Orientation::Inverted] {
        device.perform(&Action::Rotate { to }, soon()).await.unwrap();
        // Off the middle: fingers that were put down elsewhere would not all be on the picture.
        let seen = picture(&mut device).await;
        let at = Point::new(seen.bounds.x + seen.bounds.w * 0.4, seen.bounds.y + seen.bounds.h * 0.45);
        device.perform(&Action::Pinch { at, percent: 200 }, soon()).await.unwrap();
        let [zoom] = zooms(&sim)[..] else { panic!("{to:?}: {:?}", zooms(&sim)) };
        assert!((1_600..=2_050).contains(&zoom), "{to:?}: {zoom}");
        pinch(&mut device, 10).await.unwrap();
    }
    let devices = sim.phone().with(|w| w.inputs.iter().count());
    assert_eq!(devices, 2, "nothing is left on the phone");
    device.close(soon()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_picture_is_zoomed_on_a_touch_screen_of_our_own() {
    zooms_by_two_fingers(34).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_picture_is_zoomed_at_the_panel_of_an_old_phone() {
    zooms_by_two_fingers(28).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_phone_that_takes_no_second_finger_says_so() {
    // No uinput yet, and the panel is closed to the shell already.
    let (sim, mut device) = at_a_picture(30).await;
    let error = pinch(&mut device, 200).await.unwrap_err();
    assert!(matches!(error, DeviceError::Unsupported { .. }) && error.is_agents_mistake(), "{error:?}");
    let told = error.to_string();
    assert!(told.contains("sendevent: /dev/input/event1: Permission denied"), "{told}");
    assert!(told.contains("adb root") && told.contains("Android 12"), "{told}");
    assert!(zooms(&sim).is_empty());

    // A maker closed uinput: both reasons are told, and once it is open it is taken.
    let (sim, mut device) = at_a_picture(34).await;
    sim.fault(PhoneFault::UinputDenied, Stay::Always);
    let told = pinch(&mut device, 200).await.unwrap_err().to_string();
    assert!(told.contains("uinput") && told.contains("Permission denied"), "{told}");
    sim.phone().with(|w| w.faults_mut().clear_all());
    pinch(&mut device, 200).await.unwrap();
    assert_eq!(zooms(&sim).len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_fingers_keep_to_the_allowed_apps() {
    let (sim, mut device) = at_a_picture(34).await;
    let at = picture(&mut device).await.hit;
    let policy = GuardPolicy { apps: vec![AppRule(SETTINGS.to_owned())], ..GuardPolicy::default() };
    let home = ResetTo { policy, ..ResetTo::default() };
    device.reset(&home, soon()).await.unwrap();
    sim.phone().with(|w| w.start(&waldo_simphone::world::intent::Intent::launch(PHOTOS)).unwrap());
    let report = device.perform(&Action::Pinch { at, percent: 300 }, soon()).await.unwrap();
    assert!(matches!(report.effect, Effect::Refused { .. }), "{report:?}");
    assert!(zooms(&sim).is_empty());
}

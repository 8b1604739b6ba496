use waldo_devices::{Capability, DeviceError};
use waldo_simphone::SecondScreen;

use super::*;

fn options() -> PhoneOptions {
    let second = SecondScreen { width: 1280, height: 720, density_dpi: 240 };
    PhoneOptions { second: Some(second), ..PhoneOptions::default() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_second_display_is_seen_and_touched_and_the_first_is_left_alone() {
    let sim = Sim::of(options(), ServerOptions::default()).await;
    waldo_simphone::shell::capture(sim.phone(), "am start -n com.waldo.notes/.MainActivity", b"").await;
    let on = AndroidOptions { display: Some(1), picture: None, ..sim.options() };
    let mut device = AndroidDevice::open(on, soon()).await.unwrap();
    assert!(!device.info().capabilities.contains(&Capability::Rotation));
    reset(&mut device).await;
    let first = sim.phone().with(|w| w.frame());
    let seen = look(&mut device).await;
    assert_eq!(seen.picture.size(), (1280, 720));
    assert_eq!((seen.geometry.physical.w, seen.geometry.physical.h), (1280.0, 720.0));
    assert!((seen.geometry.scale - 1.5).abs() < 1e-9, "{}", seen.geometry.scale);
    assert!(seen.context.location.starts_with(SETTINGS), "{}", seen.context.location);
    assert!(is_blind(&seen) && seen.dump.is_none());
    let [upper, lower] = seen.elements.as_slice() else { panic!("{:?}", seen.elements) };
    for (nth, button) in [lower, upper, lower].into_iter().enumerate() {
        let report = device.perform(&tap(button.hit), soon()).await.unwrap();
        assert!(matches!(report.effect, Effect::Confirmed { .. }), "{nth}: {report:?}");
    }
    assert_eq!(sim.phone().with(|w| w.second().map(|s| s.taps)), Some([1, 2]));
    assert_eq!(sim.phone().with(|w| w.foreground().package), "com.waldo.notes");
    let now = sim.phone().with(|w| w.frame());
    let differ = first.pixels().zip(now.pixels()).filter(|(a, b)| a != b).count();
    assert!(differ < 20_000, "{differ}");
    // Home leads away from what is allowed on this display, not on the first.
    device.perform(&Action::Home, soon()).await.unwrap();
    assert_eq!(sim.phone().with(|w| w.foreground().package), "com.waldo.notes");
    let turn = device.perform(&Action::Rotate { to: Orientation::Left }, soon()).await;
    assert!(matches!(turn, Err(DeviceError::Unsupported { .. })), "{turn:?}");
    device.close(soon()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_display_is_the_same_with_a_second_beside_it() {
    let sim = Sim::of(options(), ServerOptions::default()).await;
    waldo_simphone::shell::capture(sim.phone(), "am start --display 1 -n com.waldo.notes/.MainActivity", b"")
        .await;
    for display in [None, Some(0)] {
        let on = AndroidOptions { display, ..sim.options() };
        let mut device = AndroidDevice::open(on, soon()).await.unwrap();
        reset(&mut device).await;
        let seen = look(&mut device).await;
        assert!(seen.context.location.starts_with(SETTINGS), "{}", seen.context.location);
        assert!(!is_blind(&seen) && seen.picture.size() == (1080, 2400));
        device.close(soon()).await.unwrap();
    }
    let on = AndroidOptions { display: Some(3), ..sim.options() };
    let told = AndroidDevice::open(on, soon()).await.err().unwrap().to_string();
    assert!(told.contains("display 3") && told.contains("displays of the phone are: 0, 1"), "{told}");
}

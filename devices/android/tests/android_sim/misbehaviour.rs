//! Phones that misbehave, and what is made of it.

use waldo_devices::{DeviceError, Settled};

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn misbehaviour_is_borne() {
    let (sim, mut device) = Sim::opened().await;
    let fine = look(&mut device).await.elements.len();
    sim.fault(PhoneFault::HalfPicture, Stay::Times(1));
    assert_eq!(look(&mut device).await.elements.len(), fine);
    sim.fault(PhoneFault::CutDump, Stay::Times(1));
    assert_eq!(look(&mut device).await.elements.len(), fine);
    sim.fault(PhoneFault::NullRoot, Stay::Times(1));
    assert_eq!(look(&mut device).await.elements.len(), fine);
    sim.fault(PhoneFault::DropConnection, Stay::Times(1));
    assert_eq!(look(&mut device).await.elements.len(), fine);
    sim.fault(PhoneFault::HugeDump, Stay::Times(1));
    look(&mut device).await;
    sim.fault(PhoneFault::SecureScreen, Stay::Always);
    let black = look(&mut device).await;
    assert!(black.context.secure && black.elements.len() == fine);
    sim.phone().with(|w| w.faults_mut().clear_all());
    // Of a tree that is cut each time what came is listed.
    sim.fault(PhoneFault::CutDump, Stay::Always);
    assert!(look(&mut device).await.elements.len() < fine);
    sim.phone().with(|w| w.faults_mut().clear_all());
    sim.fault(PhoneFault::NullRoot, Stay::Always);
    let blind = look(&mut device).await;
    assert!(blind.elements.len() > 3 && is_blind(&blind));
    sim.phone().with(|w| w.faults_mut().clear_all());
    sim.fault(PhoneFault::NeverIdle, Stay::Always);
    let began = Instant::now();
    assert!(is_blind(&look(&mut device).await));
    assert!(is_blind(&look(&mut device).await));
    assert!(began.elapsed() < Duration::from_secs(12));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_screen_that_came_to_rest_is_seen_again() {
    let (sim, mut device) = Sim::opened().await;
    let fine = look(&mut device).await.elements.len();
    sim.fault(PhoneFault::NeverIdle, Stay::Times(1));
    assert!(is_blind(&look(&mut device).await));
    let again = look(&mut device).await;
    assert!(!is_blind(&again) && again.elements.len() == fine, "{:?}", again.elements);
    // Asked for elements alone it is no different.
    sim.fault(PhoneFault::NeverIdle, Stay::Times(1));
    assert!(is_blind(&device.observe(Capture::Elements, soon()).await.unwrap()));
    assert_eq!(device.observe(Capture::Elements, soon()).await.unwrap().elements.len(), fine);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tree_of_the_place_before_is_taken_again() {
    let (sim, mut device) = Sim::opened().await;
    let before = look(&mut device).await;
    let row = before.elements.iter().find(|e| e.name.contains("Display")).unwrap();
    device.perform(&tap(row.hit), soon()).await.unwrap();
    sim.fault(PhoneFault::StaleDump, Stay::Times(1));
    let after = look(&mut device).await;
    assert_ne!(before.context.location, after.context.location);
    assert_ne!(texts(&before), texts(&after));
    assert!(!sim.phone().with(|w| w.faults.has("stale-dump")), "the phone did tell from memory");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_screen_is_waited_for_and_ends_by_the_deadline() {
    let (sim, mut device) = Sim::opened().await;
    let fine = look(&mut device).await;
    sim.fault(PhoneFault::SlowScreen(300), Stay::Always);
    let slow = look(&mut device).await;
    assert_eq!((texts(&slow), slow.settled), (texts(&fine), Settled::Quiet));
    assert_eq!(slow.picture.pixels(), fine.picture.pixels());
    assert!(slow.timings.picture >= Duration::from_millis(300), "{:?}", slow.timings);
    sim.fault(PhoneFault::SlowScreen(60_000), Stay::Always);
    let began = Instant::now();
    let error = device.observe(Capture::All, Deadline::after(Duration::from_secs(1))).await;
    assert!(matches!(error, Err(DeviceError::Timeout { .. })), "{error:?}");
    assert!(began.elapsed() < Duration::from_secs(15));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_phone_is_driven_by_its_pictures() {
    let sim = Sim::start().await;
    sim.fault(PhoneFault::LowStorage, Stay::Always);
    let mut device = sim.open().await;
    // A dump needs room for its file; fingers need none.
    let seen = look(&mut device).await;
    assert!(is_blind(&seen) && seen.elements.len() > 3, "{:?}", seen.elements);
    let swipe = Action::Swipe { from: Point::new(540.0, 1_800.0), to: Point::new(540.0, 600.0), ms: 300 };
    let report = device.perform(&swipe, soon()).await.unwrap();
    assert!(matches!(report.effect, Effect::Confirmed { .. }), "{report:?}");
    sim.phone().with(|w| w.faults_mut().clear_all());
    assert!(!is_blind(&look(&mut device).await));
    device.close(soon()).await.unwrap();
    assert_eq!(sim.global("window_animation_scale").as_deref(), Some("1.0"));
}

use waldo_devices::DeviceError;
use waldo_simphone::Lock;

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lock_that_nothing_guards_is_put_away() {
    let (sim, mut device) = Sim::opened().await;
    let fine = look(&mut device).await;
    sim.fault(PhoneFault::Locked(Lock::Swipe), Stay::Always);
    let locked = look(&mut device).await;
    assert!(locked.context.location.starts_with("com.android.systemui"), "{}", locked.context.location);
    assert!(texts(&locked).iter().any(|text| text == "Swipe up to open"), "{:?}", texts(&locked));
    waldo_simphone::shell::capture(sim.phone(), "input keyevent KEYCODE_SLEEP", b"").await;
    reset(&mut device).await;
    assert!(sim.phone().with(|w| w.lock().is_none() && w.interactive));
    assert_eq!(texts(&look(&mut device).await), texts(&fine));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lock_that_stays_is_named() {
    let (sim, mut device) = Sim::opened().await;
    sim.fault(PhoneFault::Locked(Lock::Pin), Stay::Always);
    let error = device.reset(&only(SETTINGS), soon()).await.unwrap_err();
    assert!(matches!(error, DeviceError::Start { .. }), "{error:?}");
    let told = error.to_string();
    assert!(told.contains("locked with a PIN") && told.contains("unlock it by hand"), "{told}");
    assert!(told.contains(&sim.address().to_string()), "{told}");
    // Unlocked by hand it goes on.
    sim.phone().with(|w| w.faults_mut().clear_all());
    reset(&mut device).await;
    assert!(look(&mut device).await.context.location.starts_with(SETTINGS));
}

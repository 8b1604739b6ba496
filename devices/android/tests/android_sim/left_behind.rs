//! What one of us leaves behind that was killed, and the next one puts back.

use super::*;

const SCALES: [&str; 3] = ["window_animation_scale", "transition_animation_scale", "animator_duration_scale"];
const KEPT: &str = "/data/local/tmp/waldo-restore";

fn scales(sim: &Sim) -> Vec<Option<String>> {
    SCALES.iter().map(|scale| sim.global(scale)).collect()
}

fn kept(sim: &Sim) -> bool {
    sim.phone().with(|w| w.files.read(KEPT).is_ok())
}

/// As a process ends that is killed: without a word.
fn kill(device: AndroidDevice) {
    device.abandon();
    drop(device);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn animations_come_back_after_a_kill() {
    let sim = Sim::start().await;
    let shell = "settings put global animator_duration_scale 0.5; \
                 settings delete global transition_animation_scale";
    waldo_simphone::shell::capture(sim.phone(), shell, b"").await;
    let own = scales(&sim);
    assert_eq!(own, [Some("1.0".to_owned()), None, Some("0.5".to_owned())]);
    for _ in 0..2 {
        let mut device = sim.open().await;
        device.perform(&Action::Rotate { to: Orientation::Left }, soon()).await.unwrap();
        assert!(scales(&sim).iter().all(|scale| scale.as_deref() == Some("0")), "{:?}", scales(&sim));
        kill(device);
        assert!(kept(&sim));
    }
    let mut device = AndroidDevice::open(sim.options(), soon()).await.unwrap();
    assert!(scales(&sim).iter().all(|scale| scale.as_deref() == Some("0")), "{:?}", scales(&sim));
    assert_eq!(look(&mut device).await.picture.size(), (1080, 2400), "it stands upright again");
    device.close(soon()).await.unwrap();
    assert_eq!(scales(&sim), own);
    assert!(!kept(&sim));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_changed_is_put_back_by_whoever_only_drops_it() {
    let sim = Sim::start().await;
    let own = scales(&sim);
    let mut device = sim.open().await;
    look(&mut device).await;
    assert_ne!(scales(&sim), own);
    tokio::task::spawn_blocking(move || drop(device)).await.unwrap();
    assert_eq!(scales(&sim), own);
    let left = waldo_simphone::shell::capture(sim.phone(), "ls /data/local/tmp", b"").await.text();
    assert!(!left.contains("waldo-"), "{left}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_keyboard_comes_back_after_a_kill() {
    let sim = Sim::start().await;
    let own = sim.phone().with(|w| w.ime());
    let mut device = sim.open().await;
    device.reset(&only("com.waldo.notes/.EditActivity"), soon()).await.unwrap();
    look(&mut device).await;
    sim.fault(PhoneFault::HangCommand("am broadcast".to_owned()), Stay::Always);
    let text = Action::Type { text: "Grüße".to_owned() };
    let killed = {
        let typing = device.perform(&text, soon());
        let switched = async {
            while !sim.phone().with(|w| w.ime().current.starts_with("com.android.adbkeyboard")) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::select! {
            done = typing => Some(done),
            () = switched => None,
        }
    };
    assert!(killed.is_none(), "{killed:?}");
    kill(device);
    sim.phone().with(|w| w.faults_mut().clear_all());
    let device = AndroidDevice::open(sim.options(), soon()).await.unwrap();
    assert_eq!(sim.phone().with(|w| (w.ime().current, w.ime().enabled)), (own.current, own.enabled));
    drop(device);
}

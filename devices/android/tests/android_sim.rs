//! The Android driver on phones in this process, over the real wire protocol.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use waldo_android::{AndroidDevice, AndroidOptions, Locks, PhoneTarget, PictureWay, appagent_elements};
use waldo_devices::{
    Action, Affordance, AppRule, Capture, Deadline, Device, Effect, Filming, Frame, Frames, GuardPolicy,
    Observation, Orientation, Physical, Point, ResetTo, Secrets, Source, StateProbe, StateValue,
};
use waldo_simphone::wire::{Auth, PhoneServer, ServerOptions};
use waldo_simphone::{IdleWait, Phone, PhoneFault, PhoneOptions, Stay};

#[path = "android_sim/acts.rs"]
mod acts;
#[path = "android_sim/displays.rs"]
mod displays;
#[path = "android_sim/left_behind.rs"]
mod left_behind;
#[path = "android_sim/locked.rs"]
mod locked;
#[path = "android_sim/misbehaviour.rs"]
mod misbehaviour;
#[path = "android_sim/names.rs"]
mod names;
#[path = "android_sim/pictures.rs"]
mod pictures;
#[path = "android_sim/tls.rs"]
mod tls;
#[path = "android_sim/two_fingers.rs"]
mod two_fingers;
#[path = "android_sim/typing.rs"]
mod typing;

const SETTINGS: &str = "com.android.settings";

struct Sim {
    server: PhoneServer,
    dir: PathBuf,
}

impl Sim {
    async fn start() -> Self {
        Self::with(ServerOptions::default()).await
    }

    async fn opened() -> (Self, AndroidDevice) {
        let sim = Self::start().await;
        let device = sim.open().await;
        (sim, device)
    }

    async fn with(options: ServerOptions) -> Self {
        Self::of(PhoneOptions::default(), options).await
    }

    async fn of(phone: PhoneOptions, options: ServerOptions) -> Self {
        let phone = Phone::new(PhoneOptions { idle: IdleWait::SHORT, ..phone });
        let server = PhoneServer::bind_with(([127, 0, 0, 1], 0).into(), phone, options).await.unwrap();
        let dir = std::env::temp_dir().join(format!(
            "waldo-sim-{}-{}",
            std::process::id(),
            server.local_addr().port()
        ));
        std::fs::create_dir_all(&dir).unwrap();
        Self { server, dir }
    }

    fn address(&self) -> SocketAddr {
        self.server.local_addr()
    }

    fn phone(&self) -> &Arc<Phone> {
        self.server.phone()
    }

    fn fault(&self, fault: PhoneFault, stay: Stay) {
        self.phone().with(|w| w.faults_mut().set(fault, stay));
    }

    fn global(&self, key: &str) -> Option<String> {
        let table = waldo_simphone::world::settings::Namespace::Global;
        self.phone().with(|w| w.settings.get(table, key).map(str::to_owned))
    }

    fn options(&self) -> AndroidOptions {
        AndroidOptions {
            target: PhoneTarget::Tcp(self.address()),
            locks: Locks::Folder(self.dir.clone()),
            picture: Some(PictureWay::Raw),
            ..AndroidOptions::default()
        }
    }

    async fn open(&self) -> AndroidDevice {
        let mut device = AndroidDevice::open(self.options(), soon()).await.unwrap();
        reset(&mut device).await;
        device
    }
}

impl Drop for Sim {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(30))
}

fn only(app: &str) -> ResetTo {
    let package = app.split('/').next().unwrap_or(app);
    let policy = GuardPolicy { apps: vec![AppRule(format!("{package}*"))], ..GuardPolicy::default() };
    ResetTo { start: app.to_owned(), policy, ..ResetTo::default() }
}

async fn reset(device: &mut AndroidDevice) {
    device.reset(&only(SETTINGS), soon()).await.unwrap();
}

fn tap(at: Point<Physical>) -> Action {
    Action::Tap { at, clicks: Default::default(), button: Default::default() }
}

fn is_blind(seen: &Observation) -> bool {
    seen.elements.iter().all(|e| e.source == Source::Picture)
}

async fn look(device: &mut AndroidDevice) -> Observation {
    device.observe(Capture::All, soon()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_screen_is_seen_and_touched() {
    let (_sim, mut device) = Sim::opened().await;
    let seen = look(&mut device).await;
    assert_eq!(seen.picture.size(), (1080, 2400));
    assert!((seen.geometry.scale - 2.625).abs() < 1e-9);
    assert!(seen.context.location.starts_with(SETTINGS), "{}", seen.context.location);
    let rows: Vec<_> =
        seen.elements.iter().filter(|e| e.can(Affordance::Click) && !e.name.is_empty()).collect();
    assert!(rows.len() >= 4, "{:?}", seen.elements);
    let row = rows.iter().find(|e| e.name.contains("Display")).unwrap_or(&rows[2]);
    let report = device.perform(&tap(row.hit), soon()).await.unwrap();
    assert!(matches!(report.effect, Effect::Confirmed { .. }), "{report:?}");
    let deeper = look(&mut device).await;
    assert_ne!(texts(&seen), texts(&deeper));
    device.perform(&Action::Back, soon()).await.unwrap();
    assert_eq!(texts(&look(&mut device).await), texts(&seen));
    device.close(soon()).await.unwrap();
}

fn texts(seen: &Observation) -> Vec<String> {
    seen.elements.iter().map(|e| e.name.clone()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn uids_are_those_of_the_dump() {
    let (_sim, mut device) = Sim::opened().await;
    let seen = look(&mut device).await;
    let dump = "uiautomator dump /data/local/tmp/t.xml >/dev/null; cat /data/local/tmp/t.xml";
    let StateValue::Text(xml) = device.probe(&StateProbe::Shell(dump.to_owned()), soon()).await.unwrap()
    else {
        panic!()
    };
    let listed = appagent_elements(&xml);
    assert!(listed.len() >= 4, "{listed:?}");
    let known: Vec<_> = seen.elements.iter().filter_map(|e| e.uid.as_deref()).collect();
    let missing: Vec<_> = listed.iter().filter(|e| !known.contains(&e.uid.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?} of {}", listed.len());
    // Whichever of two twins has the number, what is known of the other reaches it.
    let tagged = waldo_devices::labels::select(&seen.elements, 400);
    let twins = waldo_devices::labels::twins(&seen.elements, &tagged);
    let reached =
        |at: usize| tagged.iter().any(|t| t.element == at) || twins.iter().any(|(out, _)| *out == at);
    let lost = seen.elements.iter().enumerate().filter(|(at, e)| {
        listed.iter().any(|l| e.uid.as_ref() == Some(&l.uid)) && !e.states.disabled && !reached(*at)
    });
    let lost: Vec<_> = lost.collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_phone_that_is_unplugged_and_back_goes_on() {
    let (sim, mut device) = Sim::opened().await;
    let fine = look(&mut device).await.elements.len();
    sim.server.unplug();
    let (seen, ()) = tokio::join!(device.observe(Capture::All, soon()), async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        sim.server.plug_in().await.unwrap();
    });
    assert_eq!(seen.unwrap().elements.len(), fine);
    sim.server.unplug();
    let began = Instant::now();
    assert!(device.observe(Capture::All, Deadline::after(Duration::from_secs(1))).await.is_err());
    assert!(began.elapsed() < Duration::from_secs(3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_phone_that_asks_for_a_key_gets_one() {
    let sim = Sim::with(ServerOptions { auth: Auth::AnyKey, ..ServerOptions::default() }).await;
    let mut options = sim.options();
    options.adb.key = Some(sim.dir.join("adbkey"));
    let device = AndroidDevice::open(options, soon()).await.unwrap();
    assert!(device.info().product.contains("Android 14"), "{}", device.info().product);
    assert!(sim.dir.join("adbkey").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_screen_turns_and_its_size_is_told() {
    let (sim, mut device) = Sim::opened().await;
    let report = device.perform(&Action::Rotate { to: Orientation::Left }, soon()).await.unwrap();
    assert!(matches!(report.effect, Effect::Confirmed { .. }), "{report:?}");
    let seen = look(&mut device).await;
    assert_eq!((seen.geometry.physical.w, seen.geometry.physical.h), (2400.0, 1080.0));
    assert_eq!(seen.picture.size(), (2400, 1080));
    device.close(soon()).await.unwrap();
    let back = AndroidDevice::open(sim.options(), soon()).await;
    drop(device);
    assert!(back.is_err(), "the lock is held until the device is dropped");
    let mut again = AndroidDevice::open(sim.options(), soon()).await.unwrap();
    assert_eq!(look(&mut again).await.picture.size(), (1080, 2400));
}

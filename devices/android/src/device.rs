use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;

use super::adb::{Adb, DirectAddress, PhoneLink, RepeatRule, Route, gone};
use super::apps;
use super::display;
use super::film::{self, Work};
use super::input::{Fingers, quote};
use super::lock::DeviceLock;
use super::options::{AndroidOptions, Animations, PhoneTarget};
use super::restore::Restore;
use super::screen::{Camera, CellMeans};
use super::state::{Front, SYSTEM_UI, parse_size, wm_value};
use super::tree::{Dump, DumpError, clean};
use tokio_util::task::AbortOnDropHandle;
use waldo_devices::{
    Action, ActionReport, Capability, Capture, Deadline, Device, DeviceError, DeviceInfo, Element, Filming,
    Frames, Glance, GuardPolicy, Observation, Platform, ResetTo, Result, ScaledPicture, Secrets, StateProbe,
    StateValue,
};

/// Pixels per inch at which one logical pixel is one physical one.
const BASE_DPI: f64 = 160.0;
/// The longest name or text in a probe's answer, in characters.
const TEXT_MAX: usize = 2_000;

#[derive(Clone, Debug, Default)]
pub(crate) struct PhoneFacts {
    pub(crate) product: String,
    pub(crate) fingerprint: String,
    pub(crate) sdk: u32,
    /// Size in its natural orientation, overrides included.
    pub(crate) natural: (u32, u32),
    pub(crate) density: f64,
    pub(crate) launcher: Option<String>,
    /// What no other phone says of itself, by whatever way it is reached.
    pub(crate) identity: Option<String>,
    /// What it answered to [`IDENTITY`].
    pub(crate) told: String,
}

/// A screen that never rested, which is not asked for its tree again for a while.
pub(crate) struct Busy {
    pub(crate) since: Instant,
    pub(crate) place: String,
    /// What a quiet screen showed when it was asked all the same, and still had no tree.
    pub(crate) asked: Option<CellMeans>,
}

#[derive(Default)]
pub(crate) struct LastSeen {
    pub(crate) elements: Vec<Element>,
    /// Text of the field that has the focus; `None` where another may have it by now.
    pub(crate) focused: Option<String>,
    pub(crate) tree: Option<(String, u64)>,
    pub(crate) moving: bool,
}

pub(crate) struct PhoneGlance {
    pub(crate) front: Front,
    /// `None` where the screen forbids pictures.
    pub(crate) frame: Option<CellMeans>,
}

/// A phone as a device. Dropping it puts the phone's settings back.
pub struct AndroidDevice {
    pub(crate) options: AndroidOptions,
    pub(crate) link: Arc<PhoneLink>,
    pub(crate) facts: PhoneFacts,
    pub(crate) camera: Camera,
    pub(crate) screen: ScaledPicture,
    pub(crate) policy: GuardPolicy,
    pub(crate) generation: u64,
    pub(crate) seen: LastSeen,
    pub(crate) frame: Option<CellMeans>,
    pub(crate) glanced: Option<PhoneGlance>,
    pub(crate) busy: Option<Busy>,
    pub(crate) touched: BTreeSet<String>,
    pub(crate) restore: Restore,
    /// How it takes two fingers, once it took them.
    pub(crate) fingers: Option<Fingers>,
    pub(crate) dump_file: String,
    work: Work,
    film: Option<AbortOnDropHandle<()>>,
    _locks: Vec<DeviceLock>,
}

impl AndroidDevice {
    /// Opens a phone: finds it, locks it, learns what it is, and switches its animations off.
    ///
    /// # Errors
    /// [`DeviceError::Start`] when adb is missing, the phone does not trust this computer, or another
    /// waldo holds it; [`DeviceError::Gone`] when it does not answer; [`DeviceError::BadArgument`] when
    /// it is not clear which phone is meant.
    pub async fn open(options: AndroidOptions, deadline: Deadline) -> Result<Self> {
        let adb = Adb::new(options.adb.clone());
        let direct = |place: DirectAddress| Route::Direct { place, key: options.adb.key.clone() };
        let (route, name) = match &options.target {
            PhoneTarget::Tcp(address) => (direct(DirectAddress::Tcp(*address)), address.to_string()),
            PhoneTarget::Usb(serial) => {
                let place = DirectAddress::Usb(serial.clone());
                let name = place.to_string();
                (direct(place), name)
            }
            target => {
                let serial = match target {
                    PhoneTarget::Serial(serial) => serial.clone(),
                    _ => adb.only(deadline).await?,
                };
                (Route::Server { adb, serial: serial.clone() }, serial)
            }
        };
        let mut held = Vec::from_iter(DeviceLock::take(&options.locks, &name, &name)?);
        let link = Arc::new(PhoneLink::new(route));
        let display = match options.display {
            Some(display) => Some(display::physical(&link, display, deadline).await?),
            None => None,
        };
        let facts = PhoneFacts::ask(&link, options.display, deadline).await?;
        // One phone has several names: its serial over USB, its address through adb and without it.
        if let Some(identity) = &facts.identity {
            held.extend(DeviceLock::take(&options.locks, &format!("id-{identity}"), &name)?);
        }
        Restore::take_up(&link, deadline).await?;
        let camera = Camera::new(
            format!("{name} {}", facts.fingerprint),
            display,
            options.picture_memory.clone(),
            options.picture,
        );
        let mut device = Self {
            screen: ScaledPicture::new(facts.natural, facts.natural, facts.density / BASE_DPI),
            options,
            link,
            facts,
            camera,
            policy: GuardPolicy::default(),
            generation: 0,
            seen: LastSeen::default(),
            frame: None,
            glanced: None,
            busy: None,
            touched: BTreeSet::new(),
            restore: Restore::default(),
            fingers: None,
            dump_file: format!("/data/local/tmp/waldo-{}.xml", std::process::id()),
            work: Work::default(),
            film: None,
            _locks: held,
        };
        device.restore.note("dump", format!("rm -f {}", device.dump_file));
        device.facts.launcher = apps::launcher(&device.link, deadline).await?;
        if device.options.animations == Animations::Off {
            device.still_animations(deadline).await?;
        }
        Ok(device)
    }

    /// The phone's name in messages and locks: its serial, or `tcp:HOST:PORT`.
    pub fn name(&self) -> String {
        self.link.name()
    }

    /// Leaves the phone as it is when the device is dropped: for one that is thrown away with it.
    pub fn abandon(&self) {
        self.restore.forget();
    }

    /// The way to pictures that was found to be the fastest, once one was.
    pub fn picture_way(&self) -> Option<super::PictureWay> {
        self.camera.way()
    }

    /// Copies a file of the host to the phone.
    pub async fn push(&self, from: &Path, to: &str, deadline: Deadline) -> Result<()> {
        self.link.push(from, to, deadline).await
    }

    pub async fn pull(&self, from: &str, to: &Path, deadline: Deadline) -> Result<()> {
        self.link.pull(from, to, deadline).await
    }

    pub(crate) fn display(&self) -> u32 {
        self.options.display.unwrap_or_default()
    }

    /// The display that is driven, unless it is the first: only that one has a tree.
    pub(crate) fn other_display(&self) -> Option<u32> {
        self.options.display.filter(|display| *display > 0)
    }

    pub(crate) async fn front(&self, deadline: Deadline) -> Result<Front> {
        Front::ask(&self.link, self.display(), deadline).await
    }

    /// `input`, for the display that is driven.
    pub(crate) fn input(&self) -> String {
        self.options.display.map_or_else(|| "input".to_owned(), |display| format!("input -d {display}"))
    }

    async fn still_animations(&self, deadline: Deadline) -> Result<()> {
        const SCALES: [&str; 3] =
            ["window_animation_scale", "transition_animation_scale", "animator_duration_scale"];
        let get: Vec<String> = SCALES.iter().map(|name| format!("settings get global {name}")).collect();
        let out = self.link.shell(&get.join("; "), RepeatRule::Safe, deadline).await?;
        let text = out.text();
        let back: Vec<String> = SCALES
            .iter()
            .zip(text.lines())
            .map(|(name, value)| match value.trim().parse::<f64>() {
                Ok(_) => format!("settings put global {name} {}", value.trim()),
                // Never set: `null`.
                Err(_) => format!("settings delete global {name}"),
            })
            .collect();
        self.restore.note("animations", back.join("; "));
        let put: Vec<String> = SCALES.iter().map(|name| format!("settings put global {name} 0")).collect();
        let script = format!("{}; {}", self.restore.keep(), put.join("; "));
        self.link.shell(&script, RepeatRule::Safe, deadline).await.map(drop)
    }

    async fn texts(&mut self, deadline: Deadline) -> Result<String> {
        let dump = Dump::take(&self.link, &self.dump_file, deadline).await.map_err(|error| match error {
            DumpError::Device(error) => error,
            DumpError::Busy(why) => DeviceError::call("uiautomator dump", why),
            DumpError::NoTree(why) => DeviceError::Call { call: "uiautomator dump".to_owned(), message: why },
        })?;
        let lines: Vec<String> = dump
            .tree
            .nodes
            .iter()
            .filter(|node| !node.password)
            .flat_map(|node| [&node.text, &node.content_desc])
            .map(|text| self.options.secrets.brief(text, TEXT_MAX))
            .filter(|text| !text.is_empty())
            .collect();
        Ok(lines.join("\n"))
    }
}

impl PhoneFacts {
    async fn ask(link: &PhoneLink, display: Option<u32>, deadline: Deadline) -> Result<Self> {
        const PROPS: &str = "getprop ro.product.manufacturer; getprop ro.product.model; \
             getprop ro.build.version.release; getprop ro.build.version.sdk; getprop ro.build.fingerprint";
        let on = display::option(display);
        let question = format!("{PROPS}; wm size{on}; wm density{on}; {IDENTITY}");
        let text = link.shell(&question, RepeatRule::Safe, deadline).await?.text();
        let mut lines = text.lines().map(str::trim);
        let mut next = || clean(lines.next().unwrap_or_default(), 80);
        let (maker, model, release, sdk, fingerprint) = (next(), next(), next(), next(), next());
        let product = match model.to_lowercase().starts_with(&maker.to_lowercase()) {
            true => format!("{model}, Android {release}"),
            false => format!("{maker} {model}, Android {release}"),
        };
        let natural = wm_value(&text, "size").and_then(parse_size);
        let told = text.lines().find_map(told_of_itself).unwrap_or_default().to_owned();
        Ok(Self {
            product,
            fingerprint,
            sdk: sdk.parse().unwrap_or_default(),
            natural: natural
                .ok_or_else(|| gone("the phone does not report its size: is it still starting?"))?,
            density: wm_value(&text, "density")
                .and_then(|d| d.parse().ok())
                .filter(|d| *d > 0.0)
                .unwrap_or(BASE_DPI),
            launcher: None,
            identity: identity(&told),
            told,
        })
    }
}

/// Asks a phone what tells it from others, and this boot of it. Each of the three alone may be that of other phones
/// too: emulators share serials, copies of one image share the second, and containers the kernel.
const IDENTITY: &str = "echo waldo-id \"$(getprop ro.serialno)\" \
     \"$(settings get secure android_id)\" \"$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)\"";

/// What follows in the line that answers [`IDENTITY`].
fn told_of_itself(line: &str) -> Option<&str> {
    line.trim_end_matches(['\r', '\n']).strip_prefix("waldo-id ")
}

/// What a phone says of itself in one word, unless it is too little to tell it from others.
fn identity(told: &str) -> Option<String> {
    let words: Vec<&str> =
        told.split_whitespace().filter(|word| !["null", "unknown"].contains(word)).collect();
    (words.len() > 1).then(|| words.join("-"))
}

/// Why a phone that tells `now` of itself is not as the one that told `then`, or not in the same boot.
fn changed(then: &str, now: &str) -> Option<String> {
    const SERIAL: usize = 0;
    const ANDROID_ID: usize = 1;
    let word = |told: &str, at: usize| told.split(' ').nth(at).unwrap_or_default().to_owned();
    let differs = |at: usize| word(then, at) != word(now, at);
    if then == now {
        None
    } else if differs(SERIAL) {
        let (then, now) = (clean(&word(then, SERIAL), 80), clean(&word(now, SERIAL), 80));
        Some(format!("another phone answers: its serial is '{now}', at the start it was '{then}'"))
    } else if differs(ANDROID_ID) {
        Some(
            "another phone with the same serial answers, or it was reset: its android_id has changed"
                .to_owned(),
        )
    } else {
        Some("the phone was restarted: its boot id has changed".to_owned())
    }
}

#[async_trait]
impl Device for AndroidDevice {
    fn info(&self) -> DeviceInfo {
        DeviceInfo {
            platform: Platform::Android,
            product: self.facts.product.clone(),
            geometry: self.screen.geometry(),
            // Only the first display is turned by what an agent may say.
            capabilities: Platform::Android
                .capabilities_but(self.other_display().map(|_| Capability::Rotation).as_slice()),
        }
    }

    async fn reset(&mut self, to: &ResetTo, deadline: Deadline) -> Result<()> {
        let _work = self.work.begin();
        self.policy = to.policy.clone();
        self.seen = LastSeen::default();
        (self.frame, self.busy) = (None, None);
        self.generation += 1;
        self.wake(deadline).await?;
        let mut script = String::from("cmd statusbar collapse");
        if let Some(back) = self.restore.command("rotation") {
            self.restore.done("rotation");
            script.push_str(&format!("; {back}; {}", self.restore.keep()));
        }
        for package in std::mem::take(&mut self.touched) {
            script.push_str(&format!("; am force-stop {}", quote(&package)));
        }
        script.push_str(&format!("; {} keyevent KEYCODE_HOME", self.input()));
        self.link.shell(&script, RepeatRule::Safe, deadline).await?;
        if to.start.is_empty() {
            // Other displays may have no home screen.
            if let (Some(launcher), None) = (self.facts.launcher.clone(), self.other_display()) {
                apps::wait_front(&self.link, &launcher, 0, deadline).await?;
            }
            return Ok(());
        }
        if to.start.starts_with("http://") || to.start.starts_with("https://") {
            return self.view(&to.start, deadline).await;
        }
        let app = apps::resolve(&self.link, &to.start, &self.options.app_names, deadline).await?;
        self.touched.insert(app.package.clone());
        let stop = format!("am force-stop {}", quote(&app.package));
        self.link.shell(&stop, RepeatRule::Safe, deadline).await?;
        let front = apps::start(&self.link, &app, self.options.display, deadline).await?;
        if front.package() != Some(app.package.as_str()) {
            return Err(DeviceError::Call {
                call: format!("opening {app}"),
                message: format!("'{}' is in front instead", front.place()),
            });
        }
        Ok(())
    }

    async fn observe(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        let _work = self.work.begin();
        self.look(want, deadline).await
    }

    async fn perform(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport> {
        let _work = self.work.begin();
        self.act(action, deadline).await
    }

    async fn health(&mut self, deadline: Deadline) -> Result<()> {
        let _work = self.work.begin();
        let now = self.link.shell(IDENTITY, RepeatRule::Safe, deadline).await?.text();
        let now = now.lines().find_map(told_of_itself).unwrap_or_default();
        match changed(&self.facts.told, now) {
            None => Ok(()),
            Some(why) => Err(gone(why)),
        }
    }

    async fn probe(&mut self, probe: &StateProbe, deadline: Deadline) -> Result<StateValue> {
        let _work = self.work.begin();
        let unsupported =
            |action: &str| DeviceError::Unsupported { platform: "android", action: action.to_owned() };
        match probe {
            StateProbe::Shell(command) => {
                let out = self.link.shell(command, RepeatRule::Never, deadline).await?.ok(command)?;
                Ok(StateValue::Text(out.text().trim_end_matches(['\n', '\r']).to_owned()))
            }
            StateProbe::Location => Ok(StateValue::Text(self.front(deadline).await?.place())),
            StateProbe::Text => self.texts(deadline).await.map(StateValue::Text),
            StateProbe::Js(_)
            | StateProbe::Storage
            | StateProbe::Console
            | StateProbe::Network
            | StateProbe::Machine
            | StateProbe::Traffic => Err(unsupported("evaluate a script")),
            StateProbe::File(_) | StateProbe::Home | StateProbe::Windows | StateProbe::Accessible => {
                Err(unsupported("tell of files and windows; ask with a shell probe"))
            }
            StateProbe::Downloads => Err(unsupported("list downloads; ask with a shell probe")),
        }
    }

    fn secrets(&self) -> Secrets {
        self.options.secrets.clone()
    }

    async fn glance(&mut self, deadline: Deadline) -> Result<Glance> {
        let _work = self.work.begin();
        self.glance_at_phone(deadline).await
    }

    fn film(&mut self, frames: Option<Frames>) -> Filming {
        let wanted = frames.filter(|_| self.options.secrets.is_empty());
        let start = |to| film::start(self.link.clone(), self.camera.clone(), self.work.clone(), to);
        self.film = wanted.map(start);
        if self.film.is_some() { Filming::Possible } else { Filming::Impossible }
    }

    async fn close(&mut self, deadline: Deadline) -> Result<()> {
        self.film = None;
        self.restore.run(&self.link, deadline).await;
        Ok(())
    }
}

impl Drop for AndroidDevice {
    fn drop(&mut self) {
        self.restore.run_detached(self.link.route.clone());
    }
}

impl AndroidDevice {
    /// Whether an app draws the phone itself: it may come to the front at any time and is not an escape.
    pub(crate) fn is_system(&self, package: &str) -> bool {
        package == SYSTEM_UI || package == "android" || self.facts.launcher.as_deref() == Some(package)
    }

    /// How long is left for putting things in order when an action used up its time.
    pub(crate) fn grace() -> Deadline {
        Deadline::after(Duration::from_secs(3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_phone_or_boot_is_named() {
        let told = |line: &str| told_of_itself(line).unwrap().to_owned();
        let first = told("waldo-id A1 77 boot-1");
        assert_eq!(changed(&first, &first), None);
        for (now, why) in [
            ("waldo-id A2 77 boot-1", "its serial is 'A2', at the start it was 'A1'"),
            ("waldo-id A1 78 boot-1", "android_id"),
            ("waldo-id A1 77 boot-2", "was restarted"),
            // A kernel that keeps its boot to itself.
            ("waldo-id A1 77 ", "was restarted"),
            // No serial: the other words stay in their places.
            ("waldo-id  77 boot-1", "its serial is ''"),
        ] {
            let said = changed(&first, &told(now)).unwrap();
            assert!(said.contains(why), "{now}: {said}");
        }
    }
}

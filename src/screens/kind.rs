//! What a kind of screen is, and what kinds of one platform share.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value};
use waldo_devices::{Approver, Deadline, DeviceError, DeviceInfo, GuardPolicy, Platform, ResetTo, Secrets};
use waldo_tasks::RealPhone;
use waldo_tasks::episode::Timeouts;
use waldo_tasks::runner::DeviceSource;

use super::browser_args::BrowserArgs;
use super::error::ScreenError;
use super::finding::{DeviceEntry, Finding};
use super::flags::{Concurrency, DeviceFlags};

/// The longest that a device may take to be there.
pub const STARTS_WITHIN: Duration = Duration::from_secs(60);

/// A screen, as `--device` names it: its kind, and which one of the kind.
#[derive(Clone)]
pub struct DeviceSpec {
    kind: &'static dyn ScreenKind,
    text: String,
    /// What it names one by one, where it is of the form NAME=DEVICE,NAME=DEVICE; else nothing.
    pub parts: Vec<NamedScreen>,
}

/// A screen by its name, as `--on` takes it: `phone=simphone`.
#[derive(Clone, Debug)]
pub struct NamedScreen {
    pub name: String,
    pub spec: DeviceSpec,
}

impl DeviceSpec {
    /// A screen of this kind in its one spelling; of several screens with each of them.
    pub(super) fn new(kind: &'static dyn ScreenKind, text: String, parts: Vec<NamedScreen>) -> Self {
        Self { kind, text, parts }
    }

    pub fn kind(&self) -> &'static dyn ScreenKind {
        self.kind
    }

    pub fn family(&self) -> &'static dyn Family {
        self.kind.facts().family
    }

    /// The screens that it is made of: itself, unless it is several.
    pub fn screens(&self) -> Vec<Self> {
        match self.parts.is_empty() {
            true => vec![self.clone()],
            false => self.parts.iter().map(|screen| screen.spec.clone()).collect(),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl std::fmt::Debug for DeviceSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DeviceSpec({})", self.text)
    }
}

impl std::fmt::Display for DeviceSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

#[allow(dead_code, reason = "a build may lack the kinds that ask")]
pub struct ScreenRequest<'a> {
    pub named: &'a str,
    /// Each screen of several; else nothing.
    #[allow(dead_code, reason = "a build may lack the kinds that ask")]
    pub parts: &'a [NamedScreen],
    pub flags: &'a DeviceFlags,
    pub browser: &'a BrowserArgs,
    pub secrets: Secrets,
    /// Who is asked before an action that wants it.
    pub approver: Option<Arc<dyn Approver>>,
    /// How many episodes are played at once.
    pub many: Concurrency,
}

impl<'a> ScreenRequest<'a> {
    /// Which one of its kind: what stands after the first colon.
    #[allow(dead_code, reason = "a build may lack the kinds that ask")]
    pub fn address(&self) -> Option<&'a str> {
        self.named.split_once(':').map(|(_, address)| address)
    }
}

/// What is always the same of a kind of screen.
pub struct KindFacts {
    /// How it is written after `--device`, for errors and help.
    pub forms: &'static [&'static str],
    pub family: &'static dyn Family,
    pub heeds: &'static [&'static str],
    /// Whether suites may lay files and settings of their own there.
    pub is_laid_out: bool,
}

impl KindFacts {
    pub fn new(
        forms: &'static [&'static str],
        family: &'static dyn Family,
        heeds: &'static [&'static str],
    ) -> Self {
        Self { forms, family, heeds, is_laid_out: true }
    }

    /// Of a kind whose screens are as somebody else laid them out.
    pub fn taken_as_it_is(self) -> Self {
        Self { is_laid_out: false, ..self }
    }
}

#[async_trait]
pub trait ScreenKind: Send + Sync {
    fn facts(&self) -> KindFacts;

    /// The screen that `text` names in its one spelling, or what is wrong with it; `None` where it is another kind's.
    fn read(&self, text: &str) -> Option<Result<String, String>>;

    /// Whether a person sees the screen, and it is gone when waldo is.
    fn is_in_view(&self, _browser: &BrowserArgs) -> bool {
        false
    }

    /// How long episodes there may take, where that is not what it is for the family.
    fn timeouts(&self, usual: Timeouts) -> Timeouts {
        self.facts().family.timeouts(usual)
    }

    async fn source(&self, wanted: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError>;

    /// The kind as `waldo devices` lists it, where nothing of it can be looked for; what is here its family lists.
    fn listed(&self) -> Option<DeviceEntry> {
        None
    }

    /// What is wrong with the very one that `wanted` names, where it stands elsewhere, and what it can; what this machine
    /// lacks for its kind is the family's to say.
    async fn examine(&self, _: &ScreenRequest<'_>) -> Vec<Finding> {
        Vec::new()
    }
}

#[async_trait]
pub trait Family: Send + Sync {
    fn platform(&self) -> Platform;

    /// The `--device` on which a suite of this platform is played when none is given.
    fn usual(&self) -> &'static str;

    /// Where a suite is played that is of this platform, and with which `--device`; `named` is another kind's.
    fn played_on(&self, named: &str) -> String;

    /// Refuses an address or an app that it cannot start with.
    fn starts_with(&self, _named: &str, _url: Option<&str>, _open: Option<&str>) -> Result<(), ScreenError> {
        Ok(())
    }

    /// The start that somebody asks for who gives a goal by hand and names no address: `open` is in front, and what
    /// `policy` names may be touched; the opened app alone where it names none.
    ///
    /// # Errors
    /// When nothing may be touched, or it starts with addresses alone.
    fn start(&self, open: Option<&str>, policy: GuardPolicy) -> Result<ResetTo, ScreenError>;

    /// What documentation and records call such a start; `None` where nothing is opened that has a name.
    fn start_name(&self, _to: &ResetTo) -> Option<String> {
        None
    }

    /// What a start is called that opens nothing.
    fn noun(&self) -> &'static str;

    /// Whether `open` is a name that people know an app by, of which the device knows which app it is.
    fn names_app(&self, _open: &str) -> bool {
        false
    }

    fn has_origins(&self) -> bool {
        false
    }

    /// The `--device` of a screen like the one of this product that a record was made on, where that is nobody's: what is
    /// somebody's is not taken unasked.
    fn nobodys(&self, _product: &str) -> Option<&'static str> {
        None
    }

    /// Whether tasks may be played on one that is somebody's.
    fn may_be_wiped(&self, named: &str) -> Result<RealPhone, ScreenError> {
        Err(ScreenError::Input(format!(
            "--real-phone-may-be-wiped goes with --device android, tcp:HOST:PORT or usb, not with {named}"
        )))
    }

    fn timeouts(&self, usual: Timeouts) -> Timeouts {
        usual
    }

    fn add_parameters(&self, _: &DeviceFlags, _: &BrowserArgs, _: &mut Map<String, Value>) {}

    /// The devices of the family that can be had here, or why there are none.
    async fn list(&self, _: &DeviceFlags, _: &BrowserArgs) -> Vec<DeviceEntry> {
        Vec::new()
    }

    async fn examine(&self, _: &DeviceFlags, _: &BrowserArgs) -> Vec<Finding> {
        Vec::new()
    }
}

#[async_trait]
pub trait ScreenSource: DeviceSource {
    async fn info(&self, deadline: Deadline) -> Result<DeviceInfo, DeviceError>;

    /// How many of `workers` can work at once.
    fn workers(&self, workers: usize) -> usize {
        workers
    }

    async fn close(&self) {}
}

pub fn no_address(named: &str, url: Option<&str>) -> Result<(), ScreenError> {
    match url {
        None => Ok(()),
        Some(_) => Err(ScreenError::Input(format!(
            "--url is for a browser; on {named} --open names what to start (a page: --device web)"
        ))),
    }
}

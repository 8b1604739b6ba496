//! The suites of a run, each with the device that it is played on.
//!
//! Invariant: a task has the same instances in a run of several suites as in a run of its own suite alone.

use std::sync::Arc;

use async_trait::async_trait;
use data_encoding::HEXLOWER;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use waldo_devices::{Budget, Platform};
use waldo_tasks::episode::Timeouts;
use waldo_tasks::record::TaskEntry;
use waldo_tasks::suite::SiteHost;
use waldo_tasks::{RunningTask, SetUp, Task, TaskError};

use super::Args;
use crate::cli::{CliError, Result};
use crate::preflight::PreflightQuestion;
use crate::screens::{DeviceArgs, DeviceSpec, DisplaySize, NamedScreen};
use crate::suites::{LeftOut, Opened, Request, SuiteProvider, playable_here, provider};

pub(super) struct Suite {
    provider: &'static dyn SuiteProvider,
    opened: Opened,
    device: DeviceArgs,
}

/// All suites of the run, in the order in which they were named.
pub(super) struct Chosen {
    suites: Vec<Suite>,
    /// Whether tasks are named after their suites.
    several: bool,
    /// Suites that `all` would have taken, with the reason why they are not among them.
    left_out: Vec<LeftOut>,
}

/// What stands for every suite that can be played here.
const ALL: &str = "all";

impl Chosen {
    /// Opens the suites that the command line names.
    pub(super) fn open(args: &Args, host: &Arc<dyn SiteHost>) -> Result<Self> {
        let (names, left_out) = names(args)?;
        let several = names.len() > 1 || args.of_several;
        if let Some(twice) = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
            return Err(CliError::Input(format!("the suite {} is named twice", twice.1)));
        }
        let mut by_suite = named_devices(args, &names)?;
        let mut suites = Vec::new();
        for name in &names {
            let provider = provider(name);
            let (platform, screens) = provider.platform(name)?;
            let mut device = args.device.clone();
            if let Some(at) = by_suite.iter().position(|given| given.name == *name) {
                device.device = Some(by_suite.swap_remove(at).spec);
            } else if several {
                // One device for all of them could only be wrong for some.
                device.device = None;
            }
            own_device(provider, name, &mut device)?;
            let mut on: &[NamedScreen] =
                if platform.has_several_screens() || !several { &args.on } else { &[] };
            let own;
            if !args.screens.is_empty() {
                own = own_screens(&args.screens, platform, &screens)?;
                (device.device, on) = (own.0.clone(), &own.1);
            }
            device.for_suite(platform, &screens, on)?;
            let has_size = device.platform().has_programs() && !provider.is_played_on(device.spec().as_str());
            if let (Some(size), true) = (provider.screen(), has_size)
                && device.flags.size().is_none()
            {
                device.flags.sizes.push(DisplaySize { name: None, size });
            }
            let real = if several && !args.real_phone.fits(&device) {
                waldo_tasks::RealPhone::Refused
            } else {
                args.real_phone.on(&device)?
            };
            let of_suite = format!("{name}.");
            let only: Vec<String> = match several {
                true => args
                    .tasks
                    .iter()
                    .filter_map(|task| Some(task.strip_prefix(&of_suite)?.to_owned()))
                    .collect(),
                false => args.tasks.clone(),
            };
            if several && !args.tasks.is_empty() && only.is_empty() {
                continue;
            }
            let request = Request {
                suite: name,
                place: &args.place,
                play: &args.play,
                only: &only,
                host,
                real,
                device: &device,
                har: args.har.traffic(),
                model: &args.settings.model,
                person: &|name| args.person(name),
            };
            let opened = provider.open(&request)?;
            if !provider.is_played_on(device.spec().as_str()) {
                device.fits(&opened.id, opened.platform)?;
            }
            suites.push(Suite { provider, opened, device });
        }
        if suites.is_empty() {
            return Err(CliError::Input(
                "no task is left: with several suites write --task SUITE.TASK, such as l3-web.register-form"
                    .to_owned(),
            ));
        }
        Ok(Self { suites, several, left_out })
    }

    fn several(&self) -> bool {
        self.several
    }

    /// The suites, each with what the manifest says of it, and the ids of its tasks.
    #[cfg(feature = "fleet")]
    pub(super) fn suites(&self) -> impl Iterator<Item = (&Opened, Vec<String>)> {
        self.suites.iter().map(|suite| {
            let id = |task: &Arc<dyn Task>| match self.several() {
                true => format!("{}.{}", suite.opened.id, task.entry().id),
                false => task.entry().id,
            };
            (&suite.opened, suite.opened.tasks.iter().map(id).collect())
        })
    }

    /// The device of the first suite; of one suite the device.
    pub(super) fn device(&self) -> &DeviceArgs {
        &self.suites[0].device
    }

    pub(super) fn devices(&self) -> impl Iterator<Item = &DeviceArgs> {
        self.suites.iter().map(|suite| &suite.device)
    }

    pub(super) fn read_text_as(&mut self, device: &DeviceArgs) {
        for suite in &mut self.suites {
            suite.device.flags.text_recognition = device.flags.text_recognition.clone();
        }
    }

    /// The suites' names with their devices; empty where there is one suite.
    pub(super) fn routes(&self) -> Vec<(String, DeviceArgs)> {
        let route = |suite: &Suite| (suite.opened.id.clone(), suite.device.clone());
        if self.several() { self.suites.iter().map(route).collect() } else { Vec::new() }
    }

    /// The suite's name, or all names together.
    pub(super) fn id(&self) -> String {
        self.suites.iter().map(|suite| suite.opened.id.as_str()).collect::<Vec<_>>().join("+")
    }

    pub(super) fn hash(&self) -> String {
        match self.suites.as_slice() {
            [one] => one.opened.hash.clone(),
            all => {
                let mut hash = Sha256::new();
                for suite in all {
                    hash.update(format!("{}={}\n", suite.opened.id, suite.opened.hash));
                }
                HEXLOWER.encode(&hash.finalize())
            }
        }
    }

    /// The tasks in the declared order, suite by suite; of several suites each task's id begins with its suite's.
    pub(super) fn tasks(&self) -> Vec<Arc<dyn Task>> {
        let several = self.several();
        let tasks = self.suites.iter().flat_map(|suite| {
            let of_suite = move |task: &Arc<dyn Task>| -> Arc<dyn Task> {
                match several {
                    true => Arc::new(OfSuite { suite: suite.opened.id.clone(), task: task.clone() }),
                    false => task.clone(),
                }
            };
            suite.opened.tasks.iter().map(of_suite)
        });
        tasks.collect()
    }

    pub(super) fn left_out(&self) -> Vec<LeftOut> {
        let of_suites = self.suites.iter().flat_map(|suite| suite.opened.left_out.clone());
        self.left_out.iter().cloned().chain(of_suites).collect()
    }

    /// Takes the questions that test whether what judges the tasks can be asked.
    pub(super) fn take_questions(&mut self) -> Vec<PreflightQuestion> {
        self.suites.iter_mut().flat_map(|suite| std::mem::take(&mut suite.opened.questions)).collect()
    }

    pub(super) fn budgets(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.suites.iter().flat_map(|suite| suite.opened.budgets.clone()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Refuses ways to play that an agent does not heed.
    pub(super) fn check(&self, args: &Args) -> Result<()> {
        for suite in &self.suites {
            suite.provider.check(&args.play, &args.names())?;
        }
        Ok(())
    }

    /// Steps per episode where they are not each task's own.
    pub(super) fn max_steps(&self, agents: &[&str]) -> Option<u32> {
        match self.suites.as_slice() {
            [one] => one.provider.max_steps(agents),
            // Tasks of others would get them too.
            _ => None,
        }
    }

    /// Timeouts of the episodes: the longest of any suite.
    pub(super) fn timeouts(&self) -> Timeouts {
        let own =
            |suite: &Suite| suite.provider.timeouts(suite.device.spec().kind().timeouts(Timeouts::default()));
        self.suites.iter().map(own).fold(Timeouts::default(), |most, own| Timeouts {
            set_up: most.set_up.max(own.set_up),
            device: most.device.max(own.device),
            decide: most.decide.max(own.decide),
        })
    }

    pub(super) fn add_parameters(&self, args: &Args, to: &mut Map<String, Value>) {
        for suite in &self.suites {
            suite.device.family().add_parameters(&suite.device.flags, &args.browser, to);
            suite.provider.add_parameters(&args.play, &suite.opened, to);
        }
        if self.several() {
            let each = |suite: &Suite| {
                let Opened { id, hash, platform, tasks, .. } = &suite.opened;
                json!({
                    "id": id, "hash": hash, "platform": platform, "tasks": tasks.len(),
                    "device": suite.device.spec().to_string(),
                })
            };
            to.insert("suites".to_owned(), self.suites.iter().map(each).collect());
        }
    }
}

/// What a suite of this platform is played on, of the screens that there are: its device, or, where its tasks have
/// several screens, each of them.
fn own_screens(
    all: &[DeviceSpec],
    platform: Platform,
    needed: &[(String, Platform)],
) -> Result<(Option<DeviceSpec>, Vec<NamedScreen>)> {
    let of = |platform: Platform| {
        let found = all.iter().find(|spec| spec.family().platform() == platform);
        found.cloned().ok_or_else(|| {
            CliError::Input(format!("it needs a screen of the kind {}, and there is none", platform.as_str()))
        })
    };
    if !platform.has_several_screens() {
        return Ok((Some(of(platform)?), Vec::new()));
    }
    let mut on: Vec<NamedScreen> = Vec::new();
    for (name, platform) in needed {
        if on.iter().all(|screen| screen.name != *name) {
            on.push(NamedScreen { name: name.clone(), spec: of(*platform)? });
        }
    }
    Ok((None, on))
}

/// The suites that are named, or every one that can be played here; and what `all` leaves out.
fn names(args: &Args) -> Result<(Vec<String>, Vec<LeftOut>)> {
    if args.suites.iter().all(|name| name != ALL) {
        return Ok((args.suites.clone(), Vec::new()));
    }
    Ok(playable_here(&args.place)?)
}

fn own_device(provider: &dyn SuiteProvider, name: &str, device: &mut DeviceArgs) -> Result<()> {
    let Some(own) = provider.device(name) else { return Ok(()) };
    if device.device.as_ref().is_some_and(|given| given.as_str() != own) {
        return Err(CliError::Input(format!("{name} is played on itself: leave --device out")));
    }
    device.device = Some(own.parse().map_err(CliError::Input)?);
    Ok(())
}

/// The devices that `--device` gives for single suites, as SUITE=DEVICE.
fn named_devices(args: &Args, suites: &[String]) -> Result<Vec<NamedScreen>> {
    let Some(spec) = &args.device.device else { return Ok(Vec::new()) };
    let parts = &spec.parts;
    match !parts.is_empty() && parts.iter().all(|part| suites.contains(&part.name)) {
        true => Ok(parts.to_vec()),
        false if suites.len() == 1 => Ok(Vec::new()),
        false => Err(CliError::Input(format!(
            "{spec}: with several suites --device names one for each, such as {}=DEVICE; left out, each has its usual one",
            suites.first().map_or("l3-web", String::as_str)
        ))),
    }
}

struct OfSuite {
    suite: String,
    task: Arc<dyn Task>,
}

#[async_trait]
impl Task for OfSuite {
    fn entry(&self) -> TaskEntry {
        let entry = self.task.entry();
        TaskEntry { id: format!("{}.{}", self.suite, entry.id), suite: Some(self.suite.clone()), ..entry }
    }

    fn budget(&self) -> Budget {
        self.task.budget()
    }

    async fn set_up(&self, to: SetUp<'_>) -> Result<Box<dyn RunningTask>, TaskError> {
        self.task.set_up(to).await
    }
}

impl std::fmt::Debug for Suite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} on {}", self.opened.id, DeviceSpec::as_str(&self.device.spec()))
    }
}

//! Where a device starts: as somebody says it by hand, or as a task of a suite has it. Playing, exploring and
//! demonstrating a task begin in the same way.
//!
//! Invariants: what a task's start allows comes from its file; nothing here widens it. A phone that is not
//! simulated is left as it is unless its owner said that it may be played on.

use waldo_devices::{
    AppRule, BadOriginRule, Deadline, Device, DeviceError, GuardPolicy, OriginRule, ResetTo, Result,
    StateProbe, StateValue,
};

use crate::error::TaskError;
use crate::suite::{Instance, SiteLease, await_ready};

/// What stands for the home screen as the start on a phone.
const HOME: &str = "home";
/// What stands for a display with no program as the start on a desktop.
const BARE: &str = "desktop";
/// Settings of a phone that the driver put for the time of an episode, and that new contents undo.
const KEPT: [&str; 3] = ["window_animation_scale", "transition_animation_scale", "animator_duration_scale"];

/// Where a device starts, and what is done to it before.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// Where it starts and what may be touched.
    pub to: ResetTo,
    phone: Option<Contents>,
    /// The title of the window that the first look waits for.
    ready: Option<String>,
}

/// Whether tasks of a suite may be played on a phone that is not simulated. They delete what a phone holds,
/// to lay their own, and what the agent then does (sends, deletes, orders) is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RealPhone {
    /// No: it is refused before anything is done to it.
    #[default]
    Refused,
    /// Yes: nothing on it is worth keeping.
    MayBeWiped,
}

#[derive(Clone, Debug)]
struct Contents {
    /// The seed of a simulated phone's contents.
    seed: u32,
    /// Lines for the phone's shell.
    setup: Vec<String>,
    /// Whether they may be run where no simulated phone answers.
    real: RealPhone,
}

impl From<ResetTo> for Stage {
    fn from(to: ResetTo) -> Self {
        Self { to, ..Self::default() }
    }
}

/// The program that a command line starts, as the guard knows it.
fn program(line: &str) -> Option<String> {
    let first = line.split_whitespace().next()?;
    let name = first.rsplit('/').next().unwrap_or(first);
    Some(match name {
        // What starts them is not what shows their windows.
        "libreoffice" | "localc" | "lowriter" => "soffice".to_owned(),
        name => name.to_owned(),
    })
}

impl Stage {
    /// The start of an instance on a phone: contents of its seed where the phone is simulated, then the
    /// task's `[[setup]]` lines, then its app. `real` says whether it may be one that is not simulated.
    pub(crate) fn on_phone(instance: &Instance, real: RealPhone) -> Self {
        let start = match instance.start_path.as_str() {
            HOME => String::new(),
            package => package.to_owned(),
        };
        let own = (!start.is_empty()).then(|| start.clone());
        let to = ResetTo { policy: apps(instance, own), start, ..ResetTo::default() };
        let contents = Contents { seed: instance.page_seed, setup: instance.setup.clone(), real };
        Self { phone: Some(contents), ..Self::from(to) }
    }

    /// The start of an instance on a private desktop, which the device sets itself: files are laid into a
    /// fresh HOME, programs are started one after the other, and the task's own is the last of them.
    pub(crate) fn on_desktop(instance: &Instance) -> Self {
        let start = match instance.start_path.as_str() {
            BARE => String::new(),
            line => line.to_owned(),
        };
        let policy = GuardPolicy { shell: instance.shell, ..apps(instance, program(&start)) };
        let to = ResetTo { start, policy, desktop: instance.desktop.clone(), ..ResetTo::default() };
        Self { ready: instance.ready.clone(), ..Self::from(to) }
    }

    /// The start of an instance on the pages of `lease`, which begin their attempt with this.
    pub(crate) fn on_site(instance: &Instance, lease: &dyn SiteLease) -> Result<Self, TaskError> {
        lease.start(instance.page_seed, &instance.params, &instance.state);
        let rule = |origin: &str| {
            OriginRule::parse(origin).map_err(|BadOriginRule(text)| TaskError::Template {
                what: "origin".into(),
                message: format!("'{text}' is not an origin"),
            })
        };
        let origins = vec![rule(lease.origin())?, rule(lease.other_origin())?];
        let start = format!("{}{}", lease.origin(), instance.start_path);
        let policy = GuardPolicy { origins, ..GuardPolicy::default() };
        let answers_within = lease.answers_within();
        Ok(Self::from(ResetTo { start, policy, answers_within, ..ResetTo::default() }))
    }

    /// Sets the stage and starts there.
    ///
    /// # Errors
    /// [`TaskError::RealPhone`], with nothing done, for a phone that is not simulated and was not allowed;
    /// else when the device refuses.
    pub async fn set(&self, device: &mut dyn Device, deadline: Deadline) -> Result<(), TaskError> {
        if let Some(contents) = &self.phone {
            match scales(device, deadline).await? {
                Some(scales) => renew(device, contents.seed, &scales, deadline).await?,
                None if contents.real == RealPhone::MayBeWiped => {}
                None => return Err(TaskError::RealPhone { phone: device.info().product }),
            }
            for line in &contents.setup {
                shell(device, line, deadline).await?;
            }
        }
        Ok(self.again(device, deadline).await?)
    }

    /// Starts there once more. What was done to a phone or to a page's server since stays done.
    pub async fn again(&self, device: &mut dyn Device, deadline: Deadline) -> Result<()> {
        device.reset(&self.to, deadline).await?;
        await_ready(self.ready.as_deref(), device, deadline).await
    }
}

/// What may be touched: what the task names, else `own` alone.
fn apps(instance: &Instance, own: Option<String>) -> GuardPolicy {
    let apps = if instance.apps.is_empty() { own.into_iter().collect() } else { instance.apps.clone() };
    GuardPolicy { apps: apps.into_iter().map(AppRule).collect(), ..GuardPolicy::default() }
}

async fn shell(device: &mut dyn Device, line: &str, deadline: Deadline) -> Result<String> {
    let probe = StateProbe::Shell(line.to_owned());
    match device.probe(&probe, deadline).await? {
        StateValue::Text(text) => Ok(text),
        other => {
            Err(DeviceError::Call { call: line.to_owned(), message: format!("answered with {other:?}") })
        }
    }
}

/// The settings of [`KEPT`] as a simulated phone has them; `None` for a phone that is not simulated: the
/// command is nobody else's.
async fn scales(device: &mut dyn Device, deadline: Deadline) -> Result<Option<Vec<String>>> {
    let get: String = KEPT.iter().map(|name| format!("; settings get global {name}")).collect();
    let line = format!("if simctl time >/dev/null 2>&1; then echo simulated{get}; fi");
    let said = shell(device, &line, deadline).await?;
    let mut lines = said.lines().map(|line| line.trim().to_owned());
    Ok(lines.next().filter(|first| first == "simulated").map(|_| lines.collect()))
}

/// Gives a simulated phone contents of the seed, and leaves `scales` as they are.
async fn renew(device: &mut dyn Device, seed: u32, scales: &[String], deadline: Deadline) -> Result<()> {
    let mut reset = format!("simctl reset {seed}");
    let kept = KEPT.iter().zip(scales).filter(|(_, value)| value.parse::<f64>().is_ok());
    reset.extend(kept.map(|(name, value)| format!(" && settings put global {name} {value}")));
    shell(device, &reset, deadline).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guard_knows_a_program_by_what_shows_its_windows() {
        assert_eq!(program("/usr/bin/mousepad a.txt").as_deref(), Some("mousepad"));
        assert_eq!(program("localc x.xlsx").as_deref(), Some("soffice"));
        assert_eq!(program(""), None);
    }
}

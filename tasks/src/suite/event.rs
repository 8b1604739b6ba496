//! Events of a task: something that happens in the middle of an episode, without the agent's doing.
//!
//! Invariant: an event happens once, by what the task file says and nothing else; it is recorded where it happened.

use serde_json::{Map, Value};
use waldo_devices::{Deadline, Device, DeviceError, Platform, StateProbe};

use super::check::Check;
use super::check_file::CheckFile;
use super::file::{EventFile, StateFile};
use super::judge::holds;
use super::problem::{Problem, read};
use super::{Evidence, Instance, SiteLease};
use crate::TaskError;
use crate::record::Outcome;

/// Something that happens in the middle of an episode.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskEvent {
    trigger: Trigger,
    pub screen: Option<String>,
    /// Where its condition is looked at, where that is another one.
    pub when_screen: Option<String>,
    change: Change,
}

#[derive(Clone, Debug, PartialEq)]
enum Trigger {
    AfterStep(u32),
    When(Box<Check>),
}

#[derive(Clone, Debug, PartialEq)]
enum Change {
    Run(String),
    State { pointer: String, value: Value },
    Js(String),
}

impl TaskEvent {
    pub(super) fn read(table: Map<String, Value>) -> Result<Self, Problem> {
        let file: EventFile = read(&Value::Object(table))?;
        let trigger = match (file.after_step, file.when) {
            (Some(0), _) => {
                return Err(Problem::new("after_step", "is at least 1: before the first there is [[setup]]"));
            }
            (Some(step), None) => Trigger::AfterStep(step),
            (None, Some(check)) => {
                let check = CheckFile::read(check).and_then(Check::from_file);
                Trigger::When(Box::new(check.map_err(|problem| problem.below("when"))?))
            }
            _ => return Err(Problem::new("", "an event needs after_step or when, and not both")),
        };
        let change = match (file.run, file.state, file.js) {
            (Some(line), None, None) => Change::Run(line),
            (None, Some(StateFile { pointer, value }), None) => {
                if !pointer.starts_with('/') {
                    return Err(Problem::new("state.pointer", format!("'{pointer}' must begin with '/'")));
                }
                Change::State { pointer, value }
            }
            (None, None, Some(js)) => Change::Js(js),
            _ => return Err(Problem::new("", "an event has one of run, state and js")),
        };
        if file.when_screen.is_some() && (file.screen.is_none() || matches!(trigger, Trigger::AfterStep(_))) {
            return Err(Problem::new("when_screen", "goes with when and screen"));
        }
        Ok(Self { trigger, screen: file.screen, when_screen: file.when_screen, change })
    }

    /// Whether a device of the kind `platform` can do it, and one of the kind `asked` be asked what it waits for.
    pub(super) fn suits(&self, platform: Platform, asked: Platform) -> Result<(), Problem> {
        let (field, fits) = match &self.change {
            Change::Run(_) => ("run", !platform.has_pages()),
            Change::State { .. } => ("state", platform.has_pages()),
            Change::Js(_) => ("js", platform.has_pages()),
        };
        if !fits {
            return Err(Problem::new(field, format!("is not for {}", platform.as_str())));
        }
        match &self.trigger {
            Trigger::When(check) if !check.suits(asked) || check.wants_answer() || check.wants_state() => {
                Err(Problem::new("when", format!("there are no such checks on {}", asked.as_str())))
            }
            _ => Ok(()),
        }
    }

    /// The place of the pages' state that it sets.
    pub(super) fn sets(&self) -> Option<&str> {
        match &self.change {
            Change::State { pointer, .. } => Some(pointer),
            Change::Run(_) | Change::Js(_) => None,
        }
    }

    fn words(&self) -> String {
        match &self.change {
            Change::Run(line) => format!("run {line}"),
            Change::State { pointer, value } => format!("state {pointer} becomes {value}"),
            Change::Js(js) => format!("evaluate {js}"),
        }
    }
}

#[derive(Debug, Default)]
pub struct PendingEvents(Vec<TaskEvent>);

impl PendingEvents {
    pub fn of(instance: &Instance) -> Self {
        Self(instance.events.clone())
    }

    /// Lets happen what is due after `step` decisions; in words what did.
    ///
    /// # Errors
    /// When the device cannot be asked, or an event cannot be carried out: the attempt is invalid.
    pub async fn after(
        &mut self,
        step: u32,
        device: &mut dyn Device,
        lease: Option<&dyn SiteLease>,
        deadline: Deadline,
    ) -> Result<Vec<String>, TaskError> {
        let mut happened = Vec::new();
        let mut waiting = Vec::new();
        for event in std::mem::take(&mut self.0) {
            let due = match &event.trigger {
                Trigger::AfterStep(at) => step >= *at,
                Trigger::When(check) => {
                    let state = lease.map_or(Value::Null, SiteLease::state);
                    let requests = lease.map(SiteLease::requests).unwrap_or_default();
                    let evidence = Evidence {
                        state: &state,
                        requests: &requests,
                        outcome: &Outcome::Finished,
                        answer: None,
                        start: None,
                        stores: None,
                    };
                    let asked = event.when_screen.as_ref().or(event.screen.as_ref());
                    holds(check, named(device, asked)?, &evidence, deadline).await?
                }
            };
            if !due {
                waiting.push(event);
                continue;
            }
            let screen = named(device, event.screen.as_ref())?;
            match &event.change {
                Change::Run(line) => drop(screen.probe(&StateProbe::Shell(line.clone()), deadline).await?),
                Change::Js(js) => drop(screen.probe(&StateProbe::Js(js.clone()), deadline).await?),
                Change::State { pointer, value } => {
                    let set = lease.is_some_and(|lease| lease.set(pointer, value.clone()));
                    if !set {
                        return Err(TaskError::Template {
                            what: "event.state".to_owned(),
                            message: format!("the pages' state has no place {pointer}"),
                        });
                    }
                }
            }
            let on = event.screen.as_deref().map(|name| format!("{name}: ")).unwrap_or_default();
            happened.push(format!("{on}{}", event.words()));
        }
        self.0 = waiting;
        Ok(happened)
    }
}

/// The screen of a name; the device itself without one.
fn named<'a>(device: &'a mut dyn Device, name: Option<&String>) -> Result<&'a mut dyn Device, DeviceError> {
    let Some(name) = name else { return Ok(device) };
    device.screen(name).ok_or_else(|| {
        let message = "the device has no screen of this name".to_owned();
        DeviceError::BadArgument { what: format!("screen '{name}'"), message }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_event(text: &str) -> Result<TaskEvent, String> {
        let table: toml::Table = toml::from_str(text).unwrap();
        let Value::Object(table) = serde_json::to_value(table).unwrap() else { panic!("a table") };
        TaskEvent::read(table).map_err(|problem| format!("{}: {}", problem.path, problem.message))
    }

    #[test]
    fn an_event_has_one_trigger_and_one_change() {
        assert!(
            read_event("after_step = 2\nrun = 'simctl time'")
                .unwrap()
                .suits(Platform::Android, Platform::Android)
                .is_ok()
        );
        let state = read_event("after_step = 1\nstate = { pointer = '/a', value = 3 }").unwrap();
        assert!(
            state.suits(Platform::Web, Platform::Web).is_ok()
                && state.suits(Platform::Desktop, Platform::Desktop).is_err()
        );
        let when = "when = { kind = 'shell', command = 'true', contains = 'x' }\nrun = 'true'";
        assert!(read_event(when).unwrap().suits(Platform::Desktop, Platform::Desktop).is_ok());
        for (bad, why) in [
            ("run = 'x'", "after_step or when"),
            ("after_step = 0\nrun = 'x'", "at least 1"),
            ("after_step = 1", "one of run, state and js"),
            ("after_step = 1\nrun = 'x'\njs = 'y'", "one of run, state and js"),
            ("after_step = 1\nstate = { pointer = 'a', value = 3 }", "must begin with '/'"),
            ("after_step = 1\nstep = 2\nrun = 'x'", "step"),
        ] {
            let error = read_event(bad).unwrap_err();
            assert!(error.contains(why), "{bad}: {error}");
        }
    }
}

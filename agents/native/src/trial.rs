//! A profile is tried out whole before it can be used.

use std::collections::BTreeMap;

use waldo_devices::{Action, DeviceInfo, Geometry, Observation, Physical, Platform, Point};

use crate::carry::{CallStage, InputState, Resolved};
use crate::error::ProfileError;
use crate::messages::{Material, PastStep};
use crate::profile::{Profile, ProfileUse};
use crate::scale::Scale;

/// The screen on which a profile's example is tried.
const TRIAL: (u32, u32) = (1280, 800);
/// How near to its place an example has to press there, in pixels.
const NEAR: f64 = 5.0;
/// The kinds of devices that a profile is tried on.
const PLATFORMS: [Platform; 3] = [Platform::Desktop, Platform::Web, Platform::Android];

impl Profile {
    /// A profile of its data, as TOML, and its templates by their names. All of it is tried out: templates are filled
    /// in, and the example of a reply has to come to a press at the place that it names.
    pub fn new(name: &str, data: &str, templates: BTreeMap<String, String>) -> Result<Self, ProfileError> {
        let profile = Self::parsed(name, data, templates)?;
        profile.try_out()?;
        Ok(profile)
    }

    /// Fills in all templates for each kind of device, and reads the example.
    fn try_out(&self) -> Result<(), ProfileError> {
        let profile = || self.name().to_owned();
        let scale =
            self.scale(TRIAL).map_err(|source| ProfileError::Picture { profile: profile(), source })?;
        let step = PastStep {
            reply: "reply".into(),
            thought: "thought".into(),
            operation: "operation".into(),
            call: "call".into(),
        };
        let steps = [step.clone(), step.clone(), step];
        for platform in PLATFORMS {
            let device = trial(platform);
            for steps in [&steps[..0], &steps[..]] {
                let material = Material { goal: "goal", device: Some(&device), scale, steps };
                let mut tried = self.messages(&material);
                if tried.is_ok() && self.tool().is_some() {
                    tried = self.tool_messages(&material);
                }
                tried.map_err(|source| ProfileError::Template { profile: profile(), source })?;
            }
        }
        self.try_example(scale).map_err(|wrong| ProfileError::Rule {
            profile: profile(),
            message: format!("its own example does not press at the place that it names: {wrong}"),
        })
    }

    /// Reads the example, which has to press in the middle of the screen, on one kind of device at the least.
    fn try_example(&self, scale: Scale) -> Result<(), String> {
        let middle = Point::new(f64::from(TRIAL.0) / 2.0, f64::from(TRIAL.1) / 2.0);
        let reply = self.example(scale.written(middle)).map_err(|error| error.to_string())?;
        let near = |at: Point<Physical>| {
            if at.distance(middle) < NEAR {
                Ok(())
            } else {
                Err(format!("it comes to {at}, not to {middle}"))
            }
        };
        if self.used_as() == ProfileUse::Grounder {
            return near(scale.on_screen(self.read_place(&reply)?.ok_or("it names no place")?)?);
        }
        let call = self.read(&reply)?.calls.into_iter().next().ok_or("it has no call")?;
        let mut wrong = String::new();
        for platform in PLATFORMS {
            let device = trial(platform);
            let seen = Observation::blank(device.geometry);
            let stage =
                CallStage { seen: &seen, device: &device, scale, chord: |written| Ok(written.to_owned()) };
            let tried = self.resolve(&call, &stage, &mut InputState::default());
            let tried = tried.and_then(|all| match all.first() {
                Some(Resolved::Act(Action::Tap { at, .. } | Action::TapAt { at, .. })) => near(*at),
                other => Err(format!("it comes to {other:?}")),
            });
            match tried {
                Ok(()) => return Ok(()),
                Err(error) => wrong = error,
            }
        }
        Err(wrong)
    }
}

fn trial(platform: Platform) -> DeviceInfo {
    let geometry = Geometry::new(f64::from(TRIAL.0), f64::from(TRIAL.1), 1.0);
    DeviceInfo::new(platform, "", geometry, platform.capabilities())
}

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;

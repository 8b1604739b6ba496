//! Several screens as one device: one is in front, the others wait.
//!
//! Invariants: every call but those that name a screen goes to the screen in front, through that screen's own guard.
//! Nothing passes from one screen to another here.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use futures::future::join_all;

use crate::action::{Action, ActionReport, Effect};
use crate::device::{Deadline, Device, DeviceInfo, ResetTo, StateProbe, StateValue};
use crate::error::{DeviceError, Result};
use crate::frames::{Filming, Frames};
use crate::held_pointer::HeldPointer;
use crate::hit_test::{HitTest, InputTarget};
use crate::observation::{Capture, Glance, Observation, ScreenInfo};
use crate::own_hands::OwnHands;
use crate::platform::Capability;
use crate::secrets::Secrets;

struct NamedDevice {
    name: String,
    device: Box<dyn Device>,
    showing: String,
    /// Whether a glance saw a change since the agent has last looked.
    changed: bool,
}

pub struct Screens {
    screens: Vec<NamedDevice>,
    front: usize,
    held: HeldPointer,
    frames: Option<Frames>,
}

enum ScreenReply {
    Front(Box<Result<Observation>>),
    Other(Result<Glance>),
}

impl Screens {
    /// These, by name, each with its own guard around it; the first is in front.
    ///
    /// # Errors
    /// [`DeviceError::BadArgument`] when there are fewer than two, or two of one name.
    pub fn new(screens: Vec<(String, Box<dyn Device>)>) -> Result<Self> {
        let bad = |message: String| DeviceError::BadArgument { what: "screens".to_owned(), message };
        if screens.len() < 2 {
            return Err(bad("at least two are needed".to_owned()));
        }
        for (at, (name, _)) in screens.iter().enumerate() {
            if screens.iter().take(at).any(|(other, _)| other == name) {
                return Err(bad(format!("two have the name '{name}'")));
            }
        }
        let screen = |(name, device)| NamedDevice { name, device, showing: String::new(), changed: false };
        let screens = screens.into_iter().map(screen).collect();
        Ok(Self { screens, front: 0, held: HeldPointer::default(), frames: None })
    }

    fn front(&self) -> &dyn Device {
        self.screens[self.front].device.as_ref()
    }

    fn front_mut(&mut self) -> &mut dyn Device {
        self.screens[self.front].device.as_mut()
    }

    /// Brings a screen to the front. The guard of the screen that is left is asked first.
    async fn switch(&mut self, to: &str, deadline: Deadline) -> Result<ActionReport> {
        let began = Instant::now();
        let bad = |message: String| DeviceError::BadArgument { what: format!("screen '{to}'"), message };
        let Some(next) = self.screens.iter().position(|screen| screen.name == to) else {
            let names: Vec<&str> = self.screens.iter().map(|screen| screen.name.as_str()).collect();
            return Err(bad(format!("there is no such screen; there are {}", names.join(", "))));
        };
        if self.held.at().is_some() {
            return Err(bad("the pointer is pressed: release it first".to_owned()));
        }
        if next == self.front {
            return Ok(ActionReport { effect: Effect::SuspectedNoop, took: began.elapsed() });
        }
        let asked = Action::SwitchScreen { screen: to.to_owned() };
        match self.front_mut().perform(&asked, deadline).await {
            // A driver has one screen: what it does not know nobody has refused.
            Err(DeviceError::Unsupported { .. }) => {}
            other => return other,
        }
        // From what is seen now on, changes are told.
        let left = &mut self.screens[self.front];
        let glance = left.device.glance(deadline).await?;
        (left.showing, left.changed) = (glance.showing, false);
        left.device.film(None);
        self.front = next;
        self.screens[next].changed = false;
        self.film_front();
        let evidence = format!("the screen {to} is in front");
        Ok(ActionReport { effect: Effect::Confirmed { evidence }, took: began.elapsed() })
    }

    /// Has the screen in front filmed for whoever watches, and says on whether that one gives frames.
    fn film_front(&mut self) -> Filming {
        let frames = self.frames.clone();
        let filming = self.front_mut().film(frames);
        if let Some(frames) = &self.frames {
            frames.set_filming(filming);
        }
        filming
    }

    fn listed(&self, showing: &str) -> Vec<ScreenInfo> {
        let listed = |(at, screen): (usize, &NamedDevice)| ScreenInfo {
            name: screen.name.clone(),
            platform: screen.device.info().platform,
            front: at == self.front,
            showing: if at == self.front { showing.to_owned() } else { screen.showing.clone() },
            changed: screen.changed,
        };
        self.screens.iter().enumerate().map(listed).collect()
    }
}

#[async_trait]
impl Device for Screens {
    /// The screen in front, which several screens can do besides.
    fn info(&self) -> DeviceInfo {
        let mut info = self.front().info();
        info.capabilities.push(Capability::Screens);
        info
    }

    /// Each screen has a start of its own ([`Device::screen`]); this brings the first to the front.
    async fn reset(&mut self, _: &ResetTo, _: Deadline) -> Result<()> {
        self.front_mut().film(None);
        self.front = 0;
        self.film_front();
        self.held = HeldPointer::default();
        for screen in &mut self.screens {
            screen.changed = false;
        }
        Ok(())
    }

    async fn observe(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        let front = self.front;
        let looks = self.screens.iter_mut().enumerate().map(async |(at, screen)| {
            if at == front {
                ScreenReply::Front(Box::new(screen.device.observe(want, deadline).await))
            } else {
                ScreenReply::Other(screen.device.glance(deadline).await)
            }
        });
        let mut observation = None;
        for (screen, seen) in join_all(looks).await.into_iter().enumerate() {
            match seen {
                ScreenReply::Front(seen) => observation = Some((*seen)?),
                ScreenReply::Other(Ok(glance)) => {
                    let screen = &mut self.screens[screen];
                    screen.changed |= glance.changed;
                    screen.showing = glance.showing;
                }
                // What does not answer in time is told as it was.
                ScreenReply::Other(Err(DeviceError::Timeout { .. } | DeviceError::Call { .. })) => {}
                ScreenReply::Other(Err(error)) => return Err(error),
            }
        }
        let missing = || DeviceError::Gone { reason: "no screen is in front".to_owned() };
        let mut observation = observation.ok_or_else(missing)?;
        observation.context.screens = self.listed(observation.context.showing());
        Ok(observation)
    }

    async fn perform(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport> {
        if let Action::SwitchScreen { screen } = action {
            return self.switch(screen, deadline).await;
        }
        let report = self.front_mut().perform(action, deadline).await;
        if !matches!(&report, Ok(ActionReport { effect: Effect::Refused { .. }, .. })) {
            self.held.follow(action);
        }
        report
    }

    async fn probe(&mut self, probe: &StateProbe, deadline: Deadline) -> Result<StateValue> {
        self.front_mut().probe(probe, deadline).await
    }

    async fn health(&mut self, deadline: Deadline) -> Result<()> {
        let asked = self.screens.iter_mut().map(|screen| screen.device.health(deadline));
        join_all(asked).await.into_iter().collect()
    }

    fn secrets(&self) -> Secrets {
        self.screens.iter().fold(Secrets::default(), |all, screen| all.and(&screen.device.secrets()))
    }

    async fn hit_test(&mut self, target: &InputTarget, deadline: Deadline) -> Result<HitTest> {
        self.front_mut().hit_test(target, deadline).await
    }

    async fn glance(&mut self, deadline: Deadline) -> Result<Glance> {
        self.front_mut().glance(deadline).await
    }

    fn film(&mut self, frames: Option<Frames>) -> Filming {
        self.frames = frames;
        self.film_front()
    }

    async fn own_hands(&mut self) -> Result<Arc<dyn OwnHands>> {
        let action = "be driven by a program's own hands: name one page (--device web)";
        Err(DeviceError::unsupported("a device of several screens", action))
    }

    fn screen(&mut self, name: &str) -> Option<&mut dyn Device> {
        let screen = self.screens.iter_mut().find(|screen| screen.name == name)?;
        Some(screen.device.as_mut())
    }

    fn screens(&mut self) -> Vec<(&str, &mut dyn Device)> {
        let mut all: Vec<(&str, &mut dyn Device)> = Vec::new();
        for screen in &mut self.screens {
            all.push((screen.name.as_str(), screen.device.as_mut()));
        }
        all
    }

    async fn close(&mut self, deadline: Deadline) -> Result<()> {
        let ended = self.screens.iter_mut().map(|screen| screen.device.close(deadline));
        join_all(ended).await.into_iter().collect()
    }
}

#[cfg(test)]
#[path = "screens_tests.rs"]
mod tests;

//! Several screens as one device.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;
use crate::GuardName;
use crate::geometry::{Geometry, Point};
use crate::guard::{GuardPolicy, Guarded};
use crate::observation::Context;
use crate::platform::Platform;

#[derive(Default)]
struct Played {
    done: Vec<Action>,
    changed: bool,
    silent: bool,
    gone: bool,
    filmed: bool,
}

struct Fake {
    on: Platform,
    played: Arc<Mutex<Played>>,
}

#[async_trait]
impl Device for Fake {
    fn info(&self) -> DeviceInfo {
        DeviceInfo::new(self.on, "", Geometry::new(10.0, 10.0, 1.0), &[])
    }

    async fn reset(&mut self, _: &ResetTo, _: Deadline) -> Result<(), DeviceError> {
        Ok(())
    }

    async fn observe(&mut self, _: Capture, _: Deadline) -> Result<Observation, DeviceError> {
        let context = Context { title: format!("a {}", self.on.as_str()), ..Context::default() };
        Ok(Observation { context, ..Observation::blank(Geometry::new(10.0, 10.0, 1.0)) })
    }

    async fn perform(&mut self, action: &Action, _: Deadline) -> Result<ActionReport, DeviceError> {
        if matches!(action, Action::SwitchScreen { .. }) {
            return Err(DeviceError::unsupported("test", "switch"));
        }
        self.played.lock().unwrap().done.push(action.clone());
        Ok(ActionReport { effect: Effect::Unverifiable, took: Duration::ZERO })
    }

    async fn probe(&mut self, _: &StateProbe, _: Deadline) -> Result<StateValue, DeviceError> {
        Ok(StateValue::Text(self.on.as_str().to_owned()))
    }

    async fn health(&mut self, _: Deadline) -> Result<(), DeviceError> {
        let gone = self.played.lock().unwrap().gone;
        if gone { Err(DeviceError::Gone { reason: "test".to_owned() }) } else { Ok(()) }
    }

    fn secrets(&self) -> Secrets {
        Secrets::new([("pin".to_owned(), "hunter22".to_owned())])
    }

    async fn glance(&mut self, deadline: Deadline) -> Result<Glance, DeviceError> {
        let mut played = self.played.lock().unwrap();
        if played.silent {
            return Err(DeviceError::timeout("glance", deadline.left()));
        }
        let changed = std::mem::take(&mut played.changed);
        Ok(Glance { showing: "the pin hunter22".to_owned(), changed })
    }

    fn film(&mut self, frames: Option<Frames>) -> Filming {
        self.played.lock().unwrap().filmed = frames.is_some();
        Filming::Possible
    }

    async fn close(&mut self, _: Deadline) -> Result<(), DeviceError> {
        Ok(())
    }
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(5))
}

fn pair() -> (Screens, [Arc<Mutex<Played>>; 2]) {
    let played = [Arc::default(), Arc::default()];
    let guarded = |on, played: &Arc<Mutex<Played>>| -> Box<dyn Device> {
        Box::new(Guarded::new(Box::new(Fake { on, played: played.clone() }), None))
    };
    let phone = guarded(Platform::Android, &played[0]);
    let desk = guarded(Platform::Desktop, &played[1]);
    (Screens::new(vec![("phone".to_owned(), phone), ("desk".to_owned(), desk)]).unwrap(), played)
}

fn to(screen: &str) -> Action {
    Action::SwitchScreen { screen: screen.to_owned() }
}

#[tokio::test]
async fn what_is_asked_goes_to_the_screen_in_front() {
    let (mut screens, played) = pair();
    assert_eq!(screens.info().platform, Platform::Android);
    assert!(screens.info().capabilities.contains(&Capability::Screens));
    screens.perform(&Action::Wait { ms: 1 }, soon()).await.unwrap();
    let report = screens.perform(&to("desk"), soon()).await.unwrap();
    let effect = &report.effect;
    assert!(matches!(effect, Effect::Confirmed { evidence } if evidence.contains("desk")), "{effect:?}");
    assert_eq!(screens.info().platform, Platform::Desktop);
    screens.perform(&Action::Wait { ms: 2 }, soon()).await.unwrap();
    assert_eq!(played[0].lock().unwrap().done, [Action::Wait { ms: 1 }]);
    assert_eq!(played[1].lock().unwrap().done, [Action::Wait { ms: 2 }]);
    let same = screens.perform(&to("desk"), soon()).await.unwrap();
    assert_eq!(same.effect, Effect::SuspectedNoop);
    let filmed = || [0, 1].map(|at: usize| played[at].lock().unwrap().filmed);
    assert_eq!(screens.film(Some(Frames::default())), Filming::Possible);
    assert_eq!(filmed(), [false, true]);
    screens.perform(&to("phone"), soon()).await.unwrap();
    assert_eq!(filmed(), [true, false]);
    let error = screens.perform(&to("tablet"), soon()).await.unwrap_err().to_string();
    assert!(error.contains("there are phone, desk"), "{error}");
    // Tasks reach each of them.
    let phone = screens.screen("phone").unwrap().probe(&StateProbe::Text, soon()).await.unwrap();
    assert_eq!(phone, StateValue::Text("android".to_owned()));
    assert_eq!(screens.screens().len(), 2);
}

#[tokio::test]
async fn a_change_of_another_screen_is_told_until_it_is_looked_at() {
    let (mut screens, played) = pair();
    let changed =
        |seen: &Observation| -> Vec<bool> { seen.context.screens.iter().map(|s| s.changed).collect() };
    let seen = screens.observe(Capture::All, soon()).await.unwrap();
    assert_eq!((seen.context.screen(), changed(&seen)), (Some("phone"), vec![false, false]));
    assert_eq!(seen.context.screens[0].showing, "a android");
    // What another screen shows passes that screen's own guard.
    assert!(!seen.context.screens[1].showing.contains("hunter22"), "{:?}", seen.context.screens);
    played[1].lock().unwrap().changed = true;
    for _ in 0..2 {
        let seen = screens.observe(Capture::All, soon()).await.unwrap();
        assert_eq!(changed(&seen), [false, true]);
    }
    screens.perform(&to("desk"), soon()).await.unwrap();
    let seen = screens.observe(Capture::All, soon()).await.unwrap();
    assert_eq!((seen.context.screen(), changed(&seen)), (Some("desk"), vec![false, false]));
    // One that does not answer is told as it was, and does not hold up the other.
    played[0].lock().unwrap().silent = true;
    screens.observe(Capture::All, soon()).await.unwrap();
    played[0].lock().unwrap().gone = true;
    assert!(matches!(screens.health(soon()).await, Err(DeviceError::Gone { .. })));
}

#[tokio::test]
async fn a_held_pointer_or_a_denied_switch_keeps_the_screen_in_front() {
    let (mut screens, _) = pair();
    let at = Point::new(1.0, 1.0);
    screens.perform(&Action::pointer_down(at), soon()).await.unwrap();
    let error = screens.perform(&to("desk"), soon()).await.unwrap_err().to_string();
    assert!(error.contains("release it first"), "{error}");
    screens.perform(&Action::PointerUp { at }, soon()).await.unwrap();
    let deny = BTreeSet::from([GuardName::parse("switch_screen").unwrap()]);
    let policy = GuardPolicy { deny, ..GuardPolicy::default() };
    let reset = ResetTo { policy, ..ResetTo::default() };
    screens.screen("phone").unwrap().reset(&reset, soon()).await.unwrap();
    let report = screens.perform(&to("desk"), soon()).await.unwrap();
    assert!(matches!(report.effect, Effect::Refused { .. }), "{report:?}");
    assert_eq!(screens.info().platform, Platform::Android);
}

#[test]
fn screens_are_at_least_two_and_have_names_of_their_own() {
    let one = |name: &str| -> (String, Box<dyn Device>) {
        (name.to_owned(), Box::new(Fake { on: Platform::Web, played: Arc::default() }))
    };
    assert!(Screens::new(vec![one("a")]).is_err());
    assert!(Screens::new(vec![one("a"), one("a")]).is_err());
    assert!(Screens::new(vec![one("a"), one("b")]).is_ok());
}

//! Devices around a device: each forwards every call that it does not change.

use std::sync::Arc;

use async_trait::async_trait;

use crate::action::{Action, ActionReport};
use crate::device::{Deadline, Device, DeviceInfo, Glance, ResetTo, StateProbe, StateValue};
use crate::error::Result;
use crate::frames::{Filming, Frames};
use crate::hit_test::{HitTest, InputTarget};
use crate::observation::{Capture, Observation};
use crate::own_hands::OwnHands;
use crate::secrets::Secrets;

/// A device around another one, and a [`Device`] itself; each method goes to the inner one unless it has its own.
///
/// Invariant: [`Device`] has no defaults, and what is between is written here once, so no layer can forget a method.
#[async_trait]
pub trait DeviceLayer: Send {
    fn inner(&self) -> &dyn Device;

    fn inner_mut(&mut self) -> &mut dyn Device;

    fn info(&self) -> DeviceInfo {
        self.inner().info()
    }

    async fn reset(&mut self, to: &ResetTo, deadline: Deadline) -> Result<()> {
        self.inner_mut().reset(to, deadline).await
    }

    async fn observe(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        self.inner_mut().observe(want, deadline).await
    }

    async fn perform(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport> {
        self.inner_mut().perform(action, deadline).await
    }

    async fn probe(&mut self, probe: &StateProbe, deadline: Deadline) -> Result<StateValue> {
        self.inner_mut().probe(probe, deadline).await
    }

    async fn health(&mut self, deadline: Deadline) -> Result<()> {
        self.inner_mut().health(deadline).await
    }

    fn secrets(&self) -> Secrets {
        self.inner().secrets()
    }

    async fn hit_test(&mut self, target: &InputTarget, deadline: Deadline) -> Result<HitTest> {
        self.inner_mut().hit_test(target, deadline).await
    }

    async fn glance(&mut self, deadline: Deadline) -> Result<Glance> {
        self.inner_mut().glance(deadline).await
    }

    fn film(&mut self, frames: Option<Frames>) -> Filming {
        self.inner_mut().film(frames)
    }

    async fn own_hands(&mut self) -> Result<Arc<dyn OwnHands>> {
        self.inner_mut().own_hands().await
    }

    fn screen(&mut self, name: &str) -> Option<&mut dyn Device> {
        self.inner_mut().screen(name)
    }

    fn screens(&mut self) -> Vec<(&str, &mut dyn Device)> {
        self.inner_mut().screens()
    }

    async fn close(&mut self, deadline: Deadline) -> Result<()> {
        self.inner_mut().close(deadline).await
    }
}

#[async_trait]
impl<L: DeviceLayer> Device for L {
    fn info(&self) -> DeviceInfo {
        DeviceLayer::info(self)
    }

    async fn reset(&mut self, to: &ResetTo, deadline: Deadline) -> Result<()> {
        DeviceLayer::reset(self, to, deadline).await
    }

    async fn observe(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        DeviceLayer::observe(self, want, deadline).await
    }

    async fn perform(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport> {
        DeviceLayer::perform(self, action, deadline).await
    }

    async fn probe(&mut self, probe: &StateProbe, deadline: Deadline) -> Result<StateValue> {
        DeviceLayer::probe(self, probe, deadline).await
    }

    async fn health(&mut self, deadline: Deadline) -> Result<()> {
        DeviceLayer::health(self, deadline).await
    }

    fn secrets(&self) -> Secrets {
        DeviceLayer::secrets(self)
    }

    async fn hit_test(&mut self, target: &InputTarget, deadline: Deadline) -> Result<HitTest> {
        DeviceLayer::hit_test(self, target, deadline).await
    }

    async fn glance(&mut self, deadline: Deadline) -> Result<Glance> {
        DeviceLayer::glance(self, deadline).await
    }

    fn film(&mut self, frames: Option<Frames>) -> Filming {
        DeviceLayer::film(self, frames)
    }

    async fn own_hands(&mut self) -> Result<Arc<dyn OwnHands>> {
        DeviceLayer::own_hands(self).await
    }

    fn screen(&mut self, name: &str) -> Option<&mut dyn Device> {
        DeviceLayer::screen(self, name)
    }

    fn screens(&mut self) -> Vec<(&str, &mut dyn Device)> {
        DeviceLayer::screens(self)
    }

    async fn close(&mut self, deadline: Deadline) -> Result<()> {
        DeviceLayer::close(self, deadline).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use super::*;
    use crate::device::Platform;
    use crate::error::DeviceError;
    use crate::gate::Gated;
    use crate::geometry::Geometry;
    use crate::guard::{GuardPolicy, Guarded, OriginRule};

    /// A browser that keeps the name of each method it is asked by, and shows a blank page of an allowed origin.
    struct RecordingDevice(Arc<Mutex<Vec<&'static str>>>);

    impl RecordingDevice {
        fn asked(&self, method: &'static str) {
            self.0.lock().unwrap().push(method);
        }
    }

    const PAGE: &str = "http://127.0.0.1:1/";

    #[async_trait]
    impl Device for RecordingDevice {
        fn info(&self) -> DeviceInfo {
            self.asked("info");
            DeviceInfo {
                platform: Platform::Web,
                product: "keeps".to_owned(),
                geometry: Geometry::new(10.0, 10.0, 1.0),
                capabilities: Vec::new(),
            }
        }

        async fn reset(&mut self, _: &ResetTo, _: Deadline) -> Result<()> {
            self.asked("reset");
            Ok(())
        }

        async fn observe(&mut self, _: Capture, _: Deadline) -> Result<Observation> {
            self.asked("observe");
            Err(DeviceError::Gone { reason: "there is nothing to see".to_owned() })
        }

        async fn perform(&mut self, _: &Action, _: Deadline) -> Result<ActionReport> {
            self.asked("perform");
            Ok(ActionReport { effect: crate::Effect::Unverifiable, took: Duration::ZERO })
        }

        async fn probe(&mut self, _: &StateProbe, _: Deadline) -> Result<StateValue> {
            self.asked("probe");
            Ok(StateValue::Text("kept".to_owned()))
        }

        async fn health(&mut self, _: Deadline) -> Result<()> {
            self.asked("health");
            Ok(())
        }

        fn secrets(&self) -> Secrets {
            self.asked("secrets");
            Secrets::new([("pin".to_owned(), "hunter22".to_owned())])
        }

        async fn hit_test(&mut self, _: &InputTarget, _: Deadline) -> Result<HitTest> {
            self.asked("hit_test");
            Ok(HitTest { location: PAGE.to_owned(), ..HitTest::default() })
        }

        async fn glance(&mut self, _: Deadline) -> Result<Glance> {
            self.asked("glance");
            Ok(Glance::default())
        }

        fn film(&mut self, _: Option<Frames>) -> Filming {
            self.asked("film");
            Filming::Possible
        }

        async fn own_hands(&mut self) -> Result<Arc<dyn OwnHands>> {
            self.asked("own_hands");
            Err(DeviceError::unsupported("web", "be driven"))
        }

        fn screen(&mut self, _: &str) -> Option<&mut dyn Device> {
            self.asked("screen");
            None
        }

        fn screens(&mut self) -> Vec<(&str, &mut dyn Device)> {
            self.asked("screens");
            Vec::new()
        }

        async fn close(&mut self, _: Deadline) -> Result<()> {
            self.asked("close");
            Ok(())
        }
    }

    struct Plain<D>(D);

    #[async_trait]
    impl<D: Device> DeviceLayer for Plain<D> {
        fn inner(&self) -> &dyn Device {
            &self.0
        }

        fn inner_mut(&mut self) -> &mut dyn Device {
            &mut self.0
        }
    }

    const ALL: [&str; 14] = crate::word_list(
        "info reset observe perform probe health secrets hit_test glance film own_hands screen screens close",
    );

    /// Calls each method of a device once, and says which of them came to the one inside.
    async fn forwarded(
        device: &mut dyn Device,
        kept: &Mutex<Vec<&'static str>>,
    ) -> Vec<(&'static str, bool)> {
        let deadline = Deadline::after(Duration::from_secs(5));
        let policy = GuardPolicy {
            origins: vec![OriginRule::parse("http://127.0.0.1:1").unwrap()],
            ..Default::default()
        };
        let to = ResetTo { start: PAGE.to_owned(), policy, ..ResetTo::default() };
        let mut found = Vec::new();
        for method in ALL {
            kept.lock().unwrap().clear();
            match method {
                "info" => assert_eq!(device.info().product, "keeps"),
                "reset" => device.reset(&to, deadline).await.unwrap(),
                "observe" => drop(device.observe(Capture::All, deadline).await.unwrap_err()),
                "perform" => drop(device.perform(&Action::Wait { ms: 1 }, deadline).await.unwrap()),
                "probe" => {
                    let answer = device.probe(&StateProbe::Text, deadline).await.unwrap();
                    assert_eq!(answer, StateValue::Text("kept".to_owned()));
                }
                "health" => device.health(deadline).await.unwrap(),
                "secrets" => assert!(!device.secrets().is_empty()),
                "hit_test" => assert_eq!(
                    device.hit_test(&InputTarget::default(), deadline).await.unwrap().location,
                    PAGE
                ),
                "glance" => drop(device.glance(deadline).await.unwrap()),
                "film" => assert_eq!(device.film(None), Filming::Possible),
                "own_hands" => assert!(device.own_hands().await.is_err()),
                "screen" => assert!(device.screen("phone").is_none()),
                "screens" => assert!(device.screens().is_empty()),
                _ => device.close(deadline).await.unwrap(),
            }
            found.push((method, kept.lock().unwrap().contains(&method)));
        }
        found
    }

    #[tokio::test]
    async fn every_method_of_a_layer_reaches_the_device_inside() {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let inside = || RecordingDevice(kept.clone());
        let all = ALL.map(|method| (method, true));
        assert_eq!(forwarded(&mut Plain(inside()), &kept).await, all, "one layer");
        assert_eq!(forwarded(&mut Plain(Plain(inside())), &kept).await, all, "two layers");
        assert_eq!(forwarded(&mut Guarded::new(Box::new(inside()), None), &kept).await, all, "the guard");
        let mut bare = inside();
        assert_eq!(forwarded(&mut Gated::new(&mut bare), &kept).await, all, "the gate");
    }
}

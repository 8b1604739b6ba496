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

/// The device inside of a [`DeviceLayer`], by the field that points to it.
#[macro_export]
macro_rules! device_inside {
    ($field:ident) => {
        fn inner(&self) -> &dyn $crate::Device {
            &*self.$field
        }

        fn inner_mut(&mut self) -> &mut dyn $crate::Device {
            &mut *self.$field
        }
    };
}

/// Declares [`DeviceLayer`], and each layer as a device, of the methods of [`Device`].
macro_rules! layer {
    (
        read { $( fn $read:ident() -> $told:ty; )+ }
        ask { $( fn $ask:ident($( $given:ident: $of:ty ),*) -> $answer:ty; )+ }
        wait { $( async fn $wait:ident($( $with:ident: $kind:ty ),*) -> $outcome:ty; )+ }
    ) => {
        /// A device around another one, and a [`Device`] itself; each method goes to the inner one unless it has its own.
        ///
        /// Invariant: what is between is written once, for all methods of [`Device`], so no layer can forget one.
        #[async_trait]
        pub trait DeviceLayer: Send {
            fn inner(&self) -> &dyn Device;

            fn inner_mut(&mut self) -> &mut dyn Device;

            $( fn $read(&self) -> $told {
                self.inner().$read()
            } )+

            $( fn $ask(&mut self, $( $given: $of ),*) -> $answer {
                self.inner_mut().$ask($( $given ),*)
            } )+

            $( async fn $wait(&mut self, $( $with: $kind ),*) -> $outcome {
                self.inner_mut().$wait($( $with ),*).await
            } )+
        }

        #[async_trait]
        impl<L: DeviceLayer> Device for L {
            $( fn $read(&self) -> $told {
                DeviceLayer::$read(self)
            } )+

            $( fn $ask(&mut self, $( $given: $of ),*) -> $answer {
                DeviceLayer::$ask(self, $( $given ),*)
            } )+

            $( async fn $wait(&mut self, $( $with: $kind ),*) -> $outcome {
                DeviceLayer::$wait(self, $( $with ),*).await
            } )+
        }
    };
}

layer! {
    read {
        fn info() -> DeviceInfo;
        fn secrets() -> Secrets;
    }
    ask {
        fn film(frames: Option<Frames>) -> Filming;
        fn screen(name: &str) -> Option<&mut dyn Device>;
        fn screens() -> Vec<(&str, &mut dyn Device)>;
    }
    wait {
        async fn reset(to: &ResetTo, deadline: Deadline) -> Result<()>;
        async fn observe(want: Capture, deadline: Deadline) -> Result<Observation>;
        async fn perform(action: &Action, deadline: Deadline) -> Result<ActionReport>;
        async fn probe(probe: &StateProbe, deadline: Deadline) -> Result<StateValue>;
        async fn health(deadline: Deadline) -> Result<()>;
        async fn hit_test(target: &InputTarget, deadline: Deadline) -> Result<HitTest>;
        async fn glance(deadline: Deadline) -> Result<Glance>;
        async fn own_hands() -> Result<Arc<dyn OwnHands>>;
        async fn close(deadline: Deadline) -> Result<()>;
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
            DeviceInfo::new(Platform::Web, "keeps", Geometry::new(10.0, 10.0, 1.0), &[])
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

//! A cheap look at a phone, while another screen is observed: what is in front and a picture, no tree.

use waldo_devices::{Deadline, DeviceError, Glance};

use super::device::{AndroidDevice, PhoneGlance};

impl AndroidDevice {
    /// The app in front, and whether it or its picture is another than at the glance before.
    pub(crate) async fn glance_at_phone(&mut self, deadline: Deadline) -> Result<Glance, DeviceError> {
        let (front, frame) = self.front_and_frame(deadline).await?;
        let changed = self.glanced.as_ref().is_some_and(|before| match (&before.frame, &frame) {
            _ if before.front.app != front.app || before.front.window != front.window => true,
            (Some(then), Some(now)) => !then.change(now).is_still,
            (then, now) => then.is_some() != now.is_some(),
        });
        let showing = front.place();
        self.glanced = Some(PhoneGlance { front, frame });
        Ok(Glance { showing, changed })
    }
}

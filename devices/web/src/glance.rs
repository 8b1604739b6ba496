//! A cheap look at a page, while another screen is observed.

use waldo_devices::{Deadline, DeviceError, Glance};

use super::device::WebDevice;

impl WebDevice {
    /// The page in front, and whether anything in it or any tab has changed since the glance before.
    pub(crate) async fn glance_at_page(&mut self, deadline: Deadline) -> Result<Glance, DeviceError> {
        let live = self.live()?;
        let front = live.front(deadline).await?;
        let showing =
            live.tab(&front, |tab| if tab.title.is_empty() { tab.url.clone() } else { tab.title.clone() });
        let changed = match &self.glanced {
            Some(before) => before.is_of_another(&front) || live.has_changed(before, deadline).await,
            None => false,
        };
        let now = live.before(&front, &[], deadline).await;
        self.glanced = Some(now);
        Ok(Glance { showing: showing.unwrap_or_default(), changed })
    }
}

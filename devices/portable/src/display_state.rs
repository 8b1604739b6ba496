//! What the display's thread works with.

use std::collections::HashMap;

use image::RgbImage;

use super::display::DrivenMonitor;
use super::elements::{ElementSource, FromPicture};
use super::hands::EnigoHands;
use super::system::System;
use super::windows::list;
use waldo_desktop::guard::WindowGuard;
use waldo_desktop::window::Window;
use waldo_devices::{Physical, Point, Result};

pub(crate) struct DisplayState {
    pub(crate) display: DrivenMonitor,
    pub(crate) hands: EnigoHands,
    pub(crate) source: Box<dyn ElementSource>,
    pub(crate) started: HashMap<u32, String>,
}

pub(crate) type DisplayThread = waldo_desktop::display_thread::DisplayThread<DisplayState>;

impl DisplayState {
    pub(crate) fn open(monitor: Option<&str>) -> Result<Self> {
        // Else places would be counted in two ways. It fails where it was done before.
        #[cfg(target_os = "windows")]
        let _ = enigo::set_dpi_awareness();
        Ok(Self {
            display: DrivenMonitor::open(monitor)?,
            hands: EnigoHands::new()?,
            source: Box::new(FromPicture),
            started: HashMap::new(),
        })
    }

    pub(crate) fn windows(&self) -> Result<Vec<Window>> {
        list(&self.display.units, &self.started)
    }

    pub(crate) fn look(&self) -> Result<(Vec<Window>, RgbImage)> {
        Ok((self.windows()?, self.display.take()?))
    }

    /// Where the pointer has to go for `at`, when the guard lets it act there.
    pub(crate) fn aim(
        &self,
        window_guard: &WindowGuard,
        windows: &[Window],
        at: Point<Physical>,
    ) -> Result<(i32, i32)> {
        let to = self.display.units.pointer(at);
        super::reclaim::spare(to)?;
        super::windows::lies(System::here(), windows, at)
            .iter()
            .try_for_each(|under| window_guard.point(under))?;
        Ok(to)
    }
}

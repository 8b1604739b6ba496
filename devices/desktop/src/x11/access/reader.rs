//! The elements of any X screen, without a device: for tests, benches and `doctor`.

use image::RgbImage;
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat};

use super::super::authority::DisplayAddress;
use super::super::windows::{self, Window};
use super::super::x::X;
use super::{Access, AccessReading};
use crate::x11::x::Answered as _;
use waldo_devices::{Deadline, ElementRef, Physical, Rect, Result, Secrets};

#[derive(Clone, Debug, PartialEq)]
pub struct SeenWindow {
    /// The X server's number for it.
    pub id: u32,
    pub pid: Option<u32>,
    /// The program behind it; empty where the system does not tell.
    pub program: String,
    pub title: String,
    /// With its decorations, in physical pixels.
    pub frame: Rect<Physical>,
    /// Without them, in physical pixels.
    pub client: Rect<Physical>,
}

impl From<Window> for SeenWindow {
    fn from(window: Window) -> Self {
        let Window { id, pid, program, title, frame, client, .. } = window;
        Self { id, pid, program, title, frame, client }
    }
}

pub struct ScreenReader {
    x: X,
    access: Access,
}

impl ScreenReader {
    /// Connects to the X `display` (such as `:1`) and to the accessibility bus of the session bus at
    /// `session_bus`.
    pub async fn connect(display: &str, session_bus: &str, deadline: Deadline) -> Result<Self> {
        let x = X::connect(&DisplayAddress::users(display))?;
        let access = Access::connect(session_bus, None, &Secrets::default(), deadline).await?;
        Ok(Self { x, access })
    }

    /// Tells programs that somebody reads them: some build their objects only then. For private displays.
    pub async fn enable(&self, deadline: Deadline) -> Result<()> {
        self.access.enable(deadline).await
    }

    pub fn windows(&self) -> Result<Vec<SeenWindow>> {
        Ok(windows::stack(&self.x)?.into_iter().filter(|w| !w.minimised).map(SeenWindow::from).collect())
    }

    /// Reads the elements that can be seen, `cap` at most.
    ///
    /// # Errors
    /// `DeviceError::Gone` when the X server is; an accessibility bus that is gone is not an error.
    pub async fn read(&self, cap: usize, deadline: Deadline) -> Result<AccessReading> {
        let (width, height) = self.x.size()?;
        let screen = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let windows = windows::stack(&self.x)?;
        let mut reading = self.access.read(&windows, screen, cap, deadline).await?;
        if Access::has_cells(&reading.elements) {
            let picture = self.picture(width, height)?;
            self.access.fill_cells(&picture, &mut reading.elements, deadline).await;
        }
        Ok(reading)
    }

    /// The screen's picture, by the slow way that every server has.
    fn picture(&self, width: u16, height: u16) -> Result<RgbImage> {
        let asked = self
            .x
            .conn
            .get_image(ImageFormat::Z_PIXMAP, self.x.root, 0, 0, width, height, u32::MAX)
            .answered()?;
        // Blue, green, red and a byte of nothing.
        let pixels =
            asked.reply().answered()?.data.chunks_exact(4).flat_map(|p| [p[2], p[1], p[0]]).collect();
        Ok(RgbImage::from_raw(width.into(), height.into(), pixels).unwrap_or_default())
    }

    /// Sets the whole text of an element through its program; `false` when it takes none.
    pub async fn set_text(&self, handle: &ElementRef, text: &str, deadline: Deadline) -> Result<bool> {
        self.access.set_text(handle, text, deadline).await
    }

    /// Carries out an element's first action; `false` when it has none.
    pub async fn do_action(&self, handle: &ElementRef, deadline: Deadline) -> Result<bool> {
        self.access.do_action(handle, deadline).await
    }

    /// What an element holds now, up to `most` characters; `None` when it holds nothing.
    pub async fn value(
        &self,
        handle: &ElementRef,
        most: usize,
        deadline: Deadline,
    ) -> Result<Option<String>> {
        self.access.value(handle, most, deadline).await
    }
}

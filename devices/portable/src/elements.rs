//! Where elements come from: the seam for the accessibility of other systems.

use image::RgbImage;

use waldo_desktop::silent::fill_silent;
use waldo_desktop::window::Window;
use waldo_devices::{Element, Result};

pub(crate) struct MonitorView<'a> {
    pub(crate) picture: &'a RgbImage,
    /// Bottom to top, in pixels of the picture.
    pub(crate) windows: &'a [Window],
    /// Physical pixels per logical one.
    pub(crate) scale: f64,
    pub(crate) cap: usize,
}

/// A source of elements. It lives on the display's thread, where it may block: a call that does not return is
/// given up on at its caller's deadline.
pub(crate) trait ElementSource {
    /// Elements of what can be seen, the topmost window's first, and how many were left out.
    ///
    /// # Errors
    /// What keeps it from answering at all; a window that exposes nothing is none.
    fn read(&mut self, scene: &MonitorView<'_>) -> Result<(Vec<Element>, usize)>;
}

pub(crate) struct FromPicture;

impl ElementSource for FromPicture {
    fn read(&mut self, scene: &MonitorView<'_>) -> Result<(Vec<Element>, usize)> {
        let seen = scene.windows.iter().rev().filter(|window| !window.minimised);
        let silent: Vec<u32> = seen.map(|window| window.id).collect();
        Ok(fill_silent(scene.picture, scene.windows, &silent, scene.scale, scene.cap))
    }
}

//! What the thread of a display works with.

use super::authority::DisplayAddress;
use super::capture::Camera;
use super::input::{Bindings, Clipboard, Hands};
use super::x::X;
use waldo_devices::error::Result;

pub(crate) struct DisplayState {
    pub(crate) x: X,
    pub(crate) camera: Camera,
    pub(crate) hands: Hands,
    place: DisplayAddress,
    clipboard: Option<Clipboard>,
}

impl DisplayState {
    pub(crate) fn open(place: &DisplayAddress, bindings: Bindings) -> Result<Self> {
        let x = X::connect(place)?;
        let camera = Camera::new(&x)?;
        let hands = Hands::new(&x, bindings)?;
        Ok(Self { x, camera, hands, place: place.clone(), clipboard: None })
    }

    pub(crate) fn clipboard(&mut self) -> Result<&Clipboard> {
        let made = match self.clipboard.take() {
            Some(made) => made,
            None => Clipboard::start(&self.place)?,
        };
        Ok(self.clipboard.insert(made))
    }
}

impl Drop for DisplayState {
    /// A display of somebody's own is left with no button down; one that is gone has none.
    fn drop(&mut self) {
        let _: Result<()> = self.hands.let_go(&self.x);
    }
}

pub(crate) type DisplayThread = crate::display_thread::DisplayThread<DisplayState>;

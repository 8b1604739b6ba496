//! What the thread of a display works with.

use super::authority::Place;
use super::capture::{Camera, CaptureWay, camera};
use super::input::{Bindings, Clipboard, Hands, InputWay};
use super::x::X;
use crate::error::DeviceError;

/// What the thread works with.
pub(crate) struct Station {
    pub(crate) x: X,
    pub(crate) camera: Box<dyn Camera>,
    pub(crate) hands: Hands,
    place: Place,
    clipboard: Option<Clipboard>,
}

impl Station {
    pub(crate) fn open(place: &Place, ways: Ways) -> Result<Self, DeviceError> {
        let x = X::connect(place)?;
        let camera = camera(ways.capture, &x, &place.name)?;
        let hands = Hands::new(&x, &place.name, ways.input, ways.bindings)?;
        Ok(Self { x, camera, hands, place: place.clone(), clipboard: None })
    }

    /// The clipboard, made when it is first used.
    pub(crate) fn clipboard(&mut self) -> Result<&Clipboard, DeviceError> {
        let made = match self.clipboard.take() {
            Some(made) => made,
            None => Clipboard::start(&self.place)?,
        };
        Ok(self.clipboard.insert(made))
    }
}

/// How a display is seen and touched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ways {
    pub(crate) capture: CaptureWay,
    pub(crate) input: InputWay,
    pub(crate) bindings: Bindings,
}

/// Its thread.
pub(crate) type Seat = crate::desktop::seat::Seat<Station>;

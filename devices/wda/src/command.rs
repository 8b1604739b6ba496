//! What is to be done on a phone, and how it is said that it cannot be.

use std::time::Duration;

use super::touch::Finger;
use waldo_devices::action::{DialogReply, Orientation};
use waldo_devices::element::ElementRef;
use waldo_devices::error::DeviceError;

pub(crate) fn bad(what: &str, message: impl Into<String>) -> DeviceError {
    DeviceError::BadArgument { what: what.to_owned(), message: message.into() }
}

pub(crate) fn cannot(action: &str) -> DeviceError {
    DeviceError::unsupported("ios", action)
}

/// What is to be done, once its arguments were found to make sense.
pub(crate) enum PhoneCommand<'a> {
    Fingers(Vec<Finger>),
    TwoFingers([Finger; 2]),
    Type(String),
    Fill(&'a ElementRef, Option<&'a str>),
    Home,
    OpenApp(String),
    StopApp(String),
    Rotate(Orientation),
    Answer(&'a DialogReply),
    Wait(Duration),
}

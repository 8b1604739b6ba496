//! `waldo app-door`: the first process in the sandbox of an application or a virtual machine. Not for people.

use std::process::ExitCode;

use waldo_devices::door::{DOOR_ARG, door_main};

/// The end of this process where it is a door, none where it is not.
pub fn instead() -> Option<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    let is_door = arguments.next().is_some_and(|first| first == DOOR_ARG);
    is_door.then(|| door_main(&arguments.collect::<Vec<_>>()))
}

//! The door of a machine (`waldo_devices::door`) as a program of its own, for tests of this crate.

use std::process::ExitCode;

use waldo_devices::door::door_main;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    door_main(&arguments)
}

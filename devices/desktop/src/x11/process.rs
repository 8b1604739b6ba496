use std::io::Read as _;
use std::process::{Child, ChildStdout, Command};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use waldo_devices::{Deadline, DeviceError};

pub(crate) fn io(what: &str) -> impl FnOnce(std::io::Error) -> DeviceError + use<> {
    let what = what.to_owned();
    move |source| DeviceError::Io { what, source }
}

pub(crate) fn start(command: &mut Command) -> Result<Child, DeviceError> {
    command.spawn().map_err(|error| {
        let what = command.get_program().to_string_lossy().into_owned();
        let hint = match error.kind() {
            std::io::ErrorKind::NotFound => {
                format!(
                    "install it; a private desktop needs Xvfb, openbox, dbus-daemon and at-spi2-core (and {what})"
                )
            }
            _ => "check that it can be run".to_owned(),
        };
        DeviceError::Start { what, message: error.to_string(), hint }
    })
}

/// Waits until a process has ended, or until `end`, without taking more than a moment's time of the processor.
pub(crate) fn wait_for_end(pid: u32, end: Instant) {
    // A process's own descriptor becomes readable when it ends.
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let watched =
        pid.and_then(|pid| rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok());
    if let Some(watched) = watched {
        let mut fds = [PollFd::new(&watched, PollFlags::IN)];
        let _ = rustix::event::poll(&mut fds, Some(&timespec(end.saturating_duration_since(Instant::now()))));
    }
}

pub(crate) fn gone_by(child: &mut Child, end: Instant) -> bool {
    wait_for_end(child.id(), end);
    matches!(child.try_wait(), Ok(Some(_)))
}

fn timespec(left: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(left.subsec_nanos()),
    }
}

/// The first line that a program prints; `None` when it ends or the time is up before.
pub(crate) fn first_line(out: &mut ChildStdout, deadline: Deadline) -> Option<String> {
    let mut line = Vec::new();
    loop {
        let mut fds = [PollFd::new(&*out, PollFlags::IN)];
        match rustix::event::poll(&mut fds, Some(&timespec(deadline.left()))) {
            Ok(0) => return None,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return None,
        }
        if deadline.passed() {
            return None;
        }
        let mut byte = [0];
        match out.read(&mut byte) {
            Ok(0) | Err(_) => return None,
            Ok(_) if byte[0] == b'\n' => return String::from_utf8(line).ok(),
            Ok(_) => line.push(byte[0]),
        }
    }
}

pub(crate) fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

pub(crate) fn signal_group(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(pid, signal);
    }
}

/// A part of a display that is installed did not come up this time: the next time it may.
pub(crate) fn broken(part: &str, why: String) -> DeviceError {
    DeviceError::Gone { reason: format!("a private display's {part} did not start: {why}") }
}

//! Programs that are started on the display. They end with the episode.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, Command};

use super::windows::program_name;
use waldo_desktop::launch::{Program, name_of};
use waldo_devices::{Deadline, DeviceError, Result, child};

/// How long an ended program may take to go.
const GOES_WITHIN: Duration = Duration::from_secs(2);

struct Started {
    name: String,
    pid: u32,
    child: Child,
}

/// All that were started. Dropping it ends them.
#[derive(Default)]
pub(crate) struct StartedPrograms(Vec<Started>);

pub(crate) fn name(program: &Program) -> String {
    program_name(&name_of(&program.path))
}

impl StartedPrograms {
    pub(crate) fn start(&mut self, program: &Program) -> Result<u32> {
        let name = name(program);
        let io = |source| DeviceError::Io { what: format!("starting {name}"), source };
        let mut command = Command::from(child::command(&program.path));
        command.args(&program.args).kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().map_err(io)?;
        let pid = child.id().unwrap_or_default();
        self.0.push(Started { name, pid, child });
        Ok(pid)
    }

    pub(crate) fn ended(&mut self, pid: u32) -> Option<ExitStatus> {
        let started = self.0.iter_mut().find(|started| started.pid == pid)?;
        started.child.try_wait().ok().flatten()
    }

    pub(crate) async fn finish(&mut self, program: &Program, deadline: Deadline) -> Result<()> {
        self.start(program)?;
        let Some(mut started) = self.0.pop() else { return Ok(()) };
        let left = deadline.left();
        let call = started.name;
        match tokio::time::timeout_at(deadline.instant(), started.child.wait()).await {
            Ok(Ok(status)) if status.success() => Ok(()),
            Ok(Ok(status)) => Err(DeviceError::Call { call, message: format!("it ended with {status}") }),
            Ok(Err(source)) => Err(DeviceError::Io { what: call, source }),
            Err(_) => Err(DeviceError::Timeout { what: call, after: left }),
        }
    }

    pub(crate) async fn stop(&mut self, name: &str, deadline: Deadline) -> usize {
        let all = std::mem::take(&mut self.0);
        let (mut ending, staying) = all.into_iter().partition::<Vec<_>, _>(|started| started.name == name);
        self.0 = staying;
        let mut count = 0;
        for started in &mut ending {
            count += usize::from(matches!(started.child.try_wait(), Ok(None)));
            let bound = deadline.at_most(GOES_WITHIN);
            // One that does not go is left to the system.
            let _ = tokio::time::timeout_at(bound.instant(), started.child.kill()).await;
        }
        count
    }

    pub(crate) async fn end(mut self, deadline: Deadline) {
        while let Some(name) = self.0.first().map(|started| started.name.clone()) {
            self.stop(&name, deadline).await;
        }
    }
}

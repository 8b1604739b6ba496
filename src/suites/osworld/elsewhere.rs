//! OSWorld's tasks on a machine of its own: `--device osworld:http://HOST:5000`.

use waldo_osworld::MachinePrograms;
use waldo_osworld::OsTask;
use waldo_osworld::machine::Reach;

use super::super::provider::{Request, SuiteError};

/// The machine that is asked for and what is there of what these tasks start; nothing where they are played on private
/// displays.
///
/// # Errors
/// When nobody says how it gets a fresh state, or it does not answer.
#[cfg(not(feature = "remote"))]
pub(super) fn of(_: &Request<'_>, _: &[OsTask]) -> Result<Option<(Reach, MachinePrograms)>, SuiteError> {
    Ok(None)
}

#[cfg(feature = "remote")]
pub(super) use here::of;

#[cfg(feature = "remote")]
mod here {
    use std::time::Duration;

    use tokio::runtime::Handle;
    use waldo_devices::Deadline;
    use waldo_http::PlainHttp;
    use waldo_osworld::survey::{self, Ground};
    use waldo_tasks::TaskError;

    use super::super::world::browser;
    use super::{MachinePrograms, OsTask, Reach, Request, SuiteError};
    use crate::screens::machine_server;

    /// How long the machine may take to say what is there.
    const ANSWERS_WITHIN: Duration = Duration::from_secs(60);
    /// The port that the benchmark's machines pass on to their browser's debugging port.
    const BROWSER_PORT: u16 = 9222;
    /// The password of the user of the benchmark's machines.
    const PASSWORD: &str = "password";

    pub(in super::super) fn of(
        request: &Request<'_>,
        tasks: &[OsTask],
    ) -> Result<Option<(Reach, MachinePrograms)>, SuiteError> {
        let (spec, flags) = (request.device.spec(), &request.device.flags);
        if !spec.as_str().starts_with("osworld:") {
            return Ok(None);
        }
        if flags.reset_command.is_none() {
            return Err(SuiteError::Input(format!(
                "osworld on {spec} would start each episode on what the last one left: give --reset-command COMMAND, \
                 which sets the machine back (docs/osworld.md has those of VMware, VirtualBox, QEMU and Docker)"
            )));
        }
        let clear = if flags.insecure { PlainHttp::Accepted } else { PlainHttp::Refused };
        let server = machine_server(spec.as_str(), clear)?;
        let documents = &request.play.documents;
        let port = documents.osworld_browser_port.unwrap_or(BROWSER_PORT);
        let browser_port = match server.address().on_port(port) {
            // The client of the machine's own server may have another idea of proxies and certificates.
            Some(address) => Some(machine_server(&format!("osworld:{address}"), clear)?),
            None => None,
        };
        let password = documents.osworld_password.clone().unwrap_or_else(|| PASSWORD.to_owned());
        let reach = Reach { server, browser_port, browser: browser(), password };
        let names = survey::programs(tasks);
        let asked = reach.has(&names, Deadline::after(ANSWERS_WITHIN));
        let there = tokio::task::block_in_place(|| Handle::current().block_on(asked)).map_err(|error| {
            let asked = TaskError::from(error);
            SuiteError::Input(format!(
                "{asked}; it has to run when the run begins (waldo doctor --device {spec})"
            ))
        })?;
        let ground = if documents.allow_shell { Ground::Machine } else { Ground::MachineWithoutCommands };
        Ok(Some((reach, MachinePrograms { there, ground })))
    }
}

//! OSWorld's tasks on machines of their own: `--device osworld:http://HOST:5000` and `--device qemu:IMAGE.qcow2`.

use waldo_osworld::MachinePrograms;
use waldo_osworld::OsTask;
use waldo_osworld::Place;

use super::super::provider::{Request, SuiteError};

/// The machines that are asked for and what is there of what these tasks start; nothing where they are played on private
/// displays.
///
/// # Errors
/// When nobody says how one gets a fresh state, or it does not answer.
#[cfg(not(feature = "remote"))]
pub(super) fn of(_: &Request<'_>, _: &[OsTask]) -> Result<Option<(Place, MachinePrograms)>, SuiteError> {
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
    use waldo_osworld::machine::Reach;
    use waldo_osworld::survey::{self, Ground};
    use waldo_tasks::TaskError;

    use super::super::world::browser;
    use super::{MachinePrograms, OsTask, Place, Request, SuiteError};
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
    ) -> Result<Option<(Place, MachinePrograms)>, SuiteError> {
        let spec = request.device.spec();
        let names = survey::programs(tasks);
        let documents = &request.play.documents;
        let password = documents.osworld_password.clone().unwrap_or_else(|| PASSWORD.to_owned());
        if spec.as_str().starts_with("qemu:") {
            let asked = lent(request, password, &names);
            let (place, there) = tokio::task::block_in_place(|| Handle::current().block_on(asked))?;
            // What commands change there, the next start brings back, and nothing leads out.
            return Ok(Some((place, MachinePrograms { there, ground: Ground::Machine })));
        }
        if !spec.as_str().starts_with("osworld:") {
            return Ok(None);
        }
        let reach = known(request, password)?;
        let asked = reach.has(&names, Deadline::after(ANSWERS_WITHIN));
        let there = tokio::task::block_in_place(|| Handle::current().block_on(asked)).map_err(|error| {
            let asked = TaskError::from(error);
            SuiteError::Input(format!(
                "{asked}; it has to run when the run begins (waldo doctor --device {spec})"
            ))
        })?;
        let ground = if documents.allow_shell { Ground::Machine } else { Ground::MachineWithoutCommands };
        Ok(Some((Place::At(Box::new(reach)), MachinePrograms { there, ground })))
    }

    /// The one machine that somebody else runs.
    fn known(request: &Request<'_>, password: String) -> Result<Reach, SuiteError> {
        let (spec, flags) = (request.device.spec(), &request.device.flags);
        if flags.reset_command.is_none() {
            return Err(SuiteError::Input(format!(
                "osworld on {spec} would start each episode on what the last one left: give --reset-command COMMAND, \
                 which sets the machine back (docs/osworld.md has those of VMware, VirtualBox, QEMU and Docker)"
            )));
        }
        let clear = if flags.insecure { PlainHttp::Accepted } else { PlainHttp::Refused };
        let server = machine_server(spec.as_str(), clear)?;
        let port = request.play.documents.osworld_browser_port.unwrap_or(BROWSER_PORT);
        let browser_port = match server.address().on_port(port) {
            // The client of the machine's own server may have another idea of proxies and certificates.
            Some(address) => Some(machine_server(&format!("osworld:{address}"), clear)?),
            None => None,
        };
        Ok(Reach { server, browser_port, browser_socket: None, browser: browser(), password })
    }

    /// The machines of an image, and what of `names` one of them has, asked while it is as it will be for each episode.
    #[cfg(feature = "vm")]
    async fn lent(
        request: &Request<'_>,
        password: String,
        names: &[String],
    ) -> Result<(Place, Option<Vec<String>>), SuiteError> {
        use std::path::Path;
        use std::sync::Arc;

        use waldo_devices::DeviceError;
        use waldo_vm::{BROWSER, Hands, SERVER};

        use crate::screens::{vm_pool, vm_server};

        let spec = request.device.spec();
        if request.play.documents.osworld_browser_port.is_some_and(|port| port != BROWSER_PORT) {
            return Err(SuiteError::Input(format!(
                "--osworld-browser-port: of {spec} the port {BROWSER_PORT} is reached, which tasks open; leave it out"
            )));
        }
        let image = spec.as_str().strip_prefix("qemu:").unwrap_or_default();
        let pool = vm_pool(image, &request.device.flags).await?;
        if pool.hands != Hands::Server {
            return Err(SuiteError::Input(format!(
                "osworld on {spec} needs the server of OSWorld's machines inside, but none answers: build the image with \
                 `waldo vm build --osworld CHECKOUT`, or give it more time with --vm boot=SECONDS"
            )));
        }
        let failed = |error: DeviceError| SuiteError::Task(error.into());
        let held = pool.clone();
        let reach_in = move |folder: &Path| -> Result<Reach, DeviceError> {
            // The machines last as long as the tasks.
            let _held = &held;
            let browser_socket = folder.join(BROWSER);
            Ok(Reach {
                server: vm_server(&folder.join(SERVER))?,
                browser_port: Some(vm_server(&browser_socket)?),
                browser_socket: Some(browser_socket),
                browser: browser(),
                password: password.clone(),
            })
        };
        // It is the first episode's afterwards.
        let mut lease = pool.lend().await.map_err(failed)?;
        lease.fresh(Deadline::after(super::super::SET_UP)).await.map_err(failed)?;
        let reach = reach_in(lease.machine().map_err(failed)?.folder()).map_err(failed)?;
        let there = reach.has(names, Deadline::after(super::super::SET_UP)).await.map_err(TaskError::from)?;
        Ok((Place::OfDevice(Arc::new(reach_in)), there))
    }

    #[cfg(not(feature = "vm"))]
    async fn lent(
        _: &Request<'_>,
        _: String,
        _: &[String],
    ) -> Result<(Place, Option<Vec<String>>), SuiteError> {
        Err(crate::absent::VM.into())
    }
}

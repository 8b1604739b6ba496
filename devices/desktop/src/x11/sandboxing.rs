//! Whether private displays of this machine can have a sandbox, found out once by making one.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::OnceLock;
use std::time::Duration;

use super::options::SandboxChoice;
use super::process::first_line;
use super::process_home::ProcessHome;
use super::sandbox::{WRITABLE, tool};
use waldo_devices::device::Deadline;

const TRIED_WITHIN: Duration = Duration::from_secs(10);

impl SandboxChoice {
    /// Whether displays get a sandbox; where one is not to be had, why, and what allows it.
    pub fn decide(self) -> Result<Sandboxing, String> {
        match (self, self.found()) {
            (Self::Off, _) => Ok(Sandboxing::Off { why: "it was switched off".to_owned() }),
            (_, Ok(())) => Ok(Sandboxing::On),
            (Self::Auto, Err(why)) => Ok(Sandboxing::Off { why }),
            (Self::Required, Err(why)) => Err(why),
        }
    }

    fn found(self) -> Result<(), String> {
        static FOUND: OnceLock<Result<(), String>> = OnceLock::new();
        if self == Self::Off { Ok(()) } else { FOUND.get_or_init(|| try_out().map_err(with_hint)).clone() }
    }
}

/// Whether the programs of private displays run in a sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sandboxing {
    On,
    Off { why: String },
}

fn try_out() -> Result<(), String> {
    let deadline = Deadline::after(TRIED_WITHIN);
    let mut house = ProcessHome::new().map_err(|error| error.to_string())?;
    for part in WRITABLE {
        house.make(part).map_err(|error| error.to_string())?;
    }
    // Stands for the server's socket.
    let socket = house.folder().join("home");
    house.enclose(&socket, deadline)?;
    let mut command = house.inside(Path::new("echo"), "sandbox");
    command.arg("runs").stdout(Stdio::piped());
    let child = house.spawn_piped(&mut command).map_err(|error| error.to_string())?;
    let said = child.out.and_then(|mut out| first_line(&mut out, deadline));
    if said.as_deref() == Some("runs") { Ok(()) } else { Err(house.output_tail("sandbox")) }
}

/// What stands in the way, and what allows it.
fn with_hint(said: String) -> String {
    if !tool("bwrap").is_file() {
        return "the program bwrap is missing (Debian, Ubuntu: sudo apt install bubblewrap)".to_owned();
    }
    let setting = |name: &str, wanted: &str| {
        let now = fs::read_to_string(format!("/proc/sys/{}", name.replace('.', "/"))).ok()?;
        (now.trim() != wanted).then(|| format!("sudo sysctl {name}={wanted}"))
    };
    let zero = fs::read_to_string("/proc/sys/user/max_user_namespaces").is_ok_and(|n| n.trim() == "0");
    let hint = setting("kernel.unprivileged_userns_clone", "1")
        .or_else(|| setting("kernel.apparmor_restrict_unprivileged_userns", "0"))
        .or_else(|| zero.then(|| "sudo sysctl user.max_user_namespaces=10000".to_owned()))
        .unwrap_or_else(|| {
            "in a container, start it with --cap-add SYS_ADMIN, --security-opt seccomp=unconfined and \
             --security-opt systempaths=unconfined"
                .to_owned()
        });
    format!("the system does not allow namespaces ({said}); to allow them: {hint}")
}

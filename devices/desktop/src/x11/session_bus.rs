//! The session bus of a private display: a socket in its own folder, and services that were chosen.
//!
//! Invariant: only the chosen services are started on demand, whatever is installed. Portals, keyrings and
//! file systems of a desktop's session would outlive the display, mount into it, or ask its user.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::process::{broken, first_line, io};
use super::process_home::ProcessHome;
use waldo_devices::{Deadline, DeviceError, word_list};

/// Services that programs may have started: accessibility, the settings of Xfce's and GNOME's programs, a
/// file manager that shows a file, the terminal that is made of a service.
const CHOSEN: [&str; 5] =
    word_list("org.a11y.Bus org.xfce.Xfconf ca.desrt.dconf org.freedesktop.FileManager1 org.gnome.Terminal");

/// Where the system describes services.
const SERVICES: [&str; 2] = ["/usr/share/dbus-1/services", "/usr/local/share/dbus-1/services"];

/// As the system's own session bus, without its services: whoever is the same user may do everything.
const CONFIG: &str = include_str!("session_bus.xml");

/// Starts the bus at `address`; gives its process.
pub(crate) fn start_bus<'a>(
    house: &mut ProcessHome,
    env: impl IntoIterator<Item = (&'a String, &'a String)>,
    address: &str,
    deadline: Deadline,
) -> Result<u32, DeviceError> {
    let services = house.make("services")?;
    offer(&SERVICES.map(PathBuf::from), &services).map_err(io("the services of the session bus"))?;
    let config = house.folder().join("bus.conf");
    let text = CONFIG
        .replace("{ADDRESS}", &escaped(address))
        .replace("{SERVICES}", &escaped(&services.display().to_string()));
    std::fs::write(&config, text).map_err(io("the session bus's configuration"))?;
    let mut command = house.inside(Path::new("dbus-daemon"), "dbus");
    command
        .arg(format!("--config-file={}", config.display()))
        .args(["--nofork", "--nopidfile", "--print-address=1"])
        .envs(env)
        .stdout(Stdio::piped());
    let started = house.spawn_piped(&mut command)?;
    let line = started.out.and_then(|mut out| first_line(&mut out, deadline));
    line.map(|_| started.pid)
        .ok_or_else(|| broken("dbus-daemon", format!("it named no address: {}", house.output_tail("dbus"))))
}

/// Writes descriptions of the chosen services that are installed to `to`.
fn offer(from: &[PathBuf], to: &Path) -> std::io::Result<()> {
    for folder in from {
        for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(text) = std::fs::read_to_string(file.path()) else { continue };
            let value = |key: &str| {
                text.lines()
                    .find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='))
                    .map(str::trim)
            };
            let (Some(name), Some(exec)) = (value("Name"), value("Exec")) else { continue };
            if CHOSEN.contains(&name) {
                let described = format!("[D-BUS Service]\nName={name}\nExec={exec}\n");
                std::fs::write(to.join(format!("{name}.service")), described)?;
            }
        }
    }
    Ok(())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_chosen_services_are_offered() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |name: &str, text: &str| std::fs::write(from.path().join(name), text).unwrap();
        write("a.service", "[D-BUS Service]\nName=org.a11y.Bus\nExec=/a --b\nSystemdService=x.service\n");
        write("b.service", "[D-BUS Service]\nName=org.freedesktop.portal.Documents\nExec=/b\n");
        write("c.service", "[D-BUS Service]\nName=org.gtk.vfs.Daemon\nExec=/c\n");
        write("d.service", "[D-BUS Service]\nName = org.xfce.Xfconf\nExec = /d\n");
        let folders = [from.path().to_owned(), from.path().join("none")];
        offer(&folders, to.path()).unwrap();
        let mut names: Vec<_> =
            std::fs::read_dir(to.path()).unwrap().flatten().map(|file| file.file_name()).collect();
        names.sort();
        assert_eq!(names, ["org.a11y.Bus.service", "org.xfce.Xfconf.service"]);
        let text = std::fs::read_to_string(to.path().join("org.a11y.Bus.service")).unwrap();
        assert_eq!(text, "[D-BUS Service]\nName=org.a11y.Bus\nExec=/a --b\n");
    }
}

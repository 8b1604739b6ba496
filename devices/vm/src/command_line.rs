//! The command line of a machine: QEMU behind a door in a sandbox.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::json;
use waldo_devices::door::DOOR_ARG;
use waldo_devices::system_view::{system_folders, tool};

use super::image::QEMU;
use super::settings::{Acceleration, VmOptions};

/// What is reached inside: the sockets in a machine's folder, and the guest's ports, and the sandbox's, of each.
const DOORS: [(&str, u16); 2] = [(SERVER, 5000), (BROWSER, 9222)];
/// The server of OSWorld's machines.
pub const SERVER: &str = "server";
/// The debugging port of a browser, which OSWorld's tasks open there.
pub const BROWSER: &str = "browser";
/// The disk's name in QEMU.
pub(crate) const DISK: &str = "disk0";
/// Further files in the folder of a machine.
pub(crate) const VNC: &str = "vnc";
pub(crate) const QMP: &str = "qmp";
pub(crate) const OVERLAY: &str = "overlay.qcow2";
pub(crate) const SCREEN: &str = "screen.ppm";

/// What runs `options` in `folder`, which stands on `files`. It waits for `cont`.
pub(crate) fn line(
    options: &VmOptions,
    acceleration: Acceleration,
    folder: &Path,
    files: &[PathBuf],
) -> Vec<OsString> {
    let mut line: Vec<OsString> = vec![tool("bwrap").into()];
    // The first process is the door, with whose end the system ends all others.
    let spaces = "--unshare-pid --as-pid-1 --unshare-net --unshare-ipc --cap-drop ALL";
    line.extend(spaces.split(' ').map(OsString::from));
    if !rustix::process::geteuid().is_root() {
        line.push("--unshare-user".into());
    }
    line.extend(system_folders());
    line.extend(["--tmpfs", "/tmp"].map(OsString::from));
    let mut show = |how: &str, what: &Path, at: &Path| line.extend([how.into(), what.into(), at.into()]);
    if acceleration == Acceleration::Kvm {
        show("--dev-bind", Path::new("/dev/kvm"), Path::new("/dev/kvm"));
    }
    for file in files {
        show("--ro-bind", file, file);
    }
    show("--bind", folder, folder);
    show("--ro-bind", &options.door, Path::new("/waldo"));
    line.extend(["--setenv", "PATH", "/usr/bin:/bin", "--setenv", "TMPDIR", "/tmp"].map(OsString::from));
    line.extend(["--remount-ro", "/", "--", "/waldo", DOOR_ARG].map(OsString::from));
    line.extend(
        DOORS.iter().flat_map(|(name, port)| [folder.join(name).into(), OsString::from(port.to_string())]),
    );
    line.extend([OsString::from("--"), tool(QEMU).into()]);
    line.extend(qemu(options, acceleration, folder).into_iter().map(OsString::from));
    line
}

fn qemu(options: &VmOptions, acceleration: Acceleration, folder: &Path) -> Vec<String> {
    let within = |name: &str| folder.join(name).display().to_string();
    let settings = &options.settings;
    // Under TCG what a processor has costs time whenever it is used; this one is old enough to be cheap, and young enough
    // for the browsers and office programs of today.
    let (accel, processor) = match acceleration {
        Acceleration::Kvm => ("kvm", "host"),
        Acceleration::Auto | Acceleration::Tcg => ("tcg", "Nehalem"),
    };
    let (width, height) = options.size;
    let disk = json!({
        "driver": "qcow2", "node-name": DISK, "discard": "unmap",
        "file": { "driver": "file", "filename": within(OVERLAY), "discard": "unmap" },
    });
    let fixed = "-nodefaults -no-user-config -machine pc -display none -vga none -serial null -S \
                 -sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny \
                 -usb -device usb-tablet -device usb-kbd -device virtio-rng-pci -device pvpanic";
    let mut line: Vec<String> = fixed.split_whitespace().map(str::to_owned).collect();
    // Nothing leads out of the guest; some of its ports lead to the door.
    let forward = |(_, port): &(&str, u16)| format!(",hostfwd=tcp:127.0.0.1:{port}-:{port}");
    let network = format!("user,id=net0,restrict=on{}", DOORS.iter().map(forward).collect::<String>());
    let rest = [
        ("-accel", accel.to_owned()),
        ("-cpu", processor.to_owned()),
        ("-m", settings.memory.to_string()),
        ("-smp", settings.cores.to_string()),
        ("-device", format!("VGA,edid=on,vgamem_mb=64,xres={width},yres={height}")),
        ("-blockdev", disk.to_string()),
        ("-device", format!("virtio-blk-pci,drive={DISK}")),
        ("-netdev", network),
        ("-device", "virtio-net-pci,netdev=net0,romfile=".to_owned()),
        ("-vnc", format!("unix:{}", within(VNC))),
        ("-qmp", format!("unix:{},server=on,wait=off", within(QMP))),
    ];
    line.extend(rest.into_iter().flat_map(|(flag, value)| [flag.to_owned(), value]));
    line
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn each_port_of_the_guest_has_a_door_and_a_way_to_it() {
        let (image, door) = (PathBuf::from("/i.qcow2"), PathBuf::from("/w"));
        let options = VmOptions { image, size: (640, 480), settings: Default::default(), door };
        let words = line(&options, Acceleration::Tcg, Path::new("/f"), &[]);
        let line = words.join(OsStr::new(" ")).into_string().unwrap();
        assert!(line.contains(" /waldo app-door /f/server 5000 /f/browser 9222 -- /"), "{line}");
        let ways = "restrict=on,hostfwd=tcp:127.0.0.1:5000-:5000,hostfwd=tcp:127.0.0.1:9222-:9222 ";
        assert!(line.contains(ways), "{line}");
    }
}

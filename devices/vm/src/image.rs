//! What this machine has of what virtual machines need, and what an image is.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use waldo_devices::system_view::tool;
use waldo_devices::{Deadline, DeviceError, Result, child, foreign};

use super::settings::Acceleration;

/// The device by which the processor runs a guest itself.
const KVM: &str = "/dev/kvm";
/// The most bytes that are read of what the system says of its processors.
const PROCESSOR: u64 = 1 << 20;
const LOOKS_WITHIN: Duration = Duration::from_secs(20);
pub(crate) const QEMU: &str = "qemu-system-x86_64";

#[derive(Clone, Debug)]
pub struct VmCheck {
    pub what: &'static str,
    pub found: Result<String, String>,
    pub hint: &'static str,
}

/// What is here of the programs, of KVM, and of `image` where one is named.
pub async fn check(image: Option<&Path>) -> Vec<VmCheck> {
    let mut all = Vec::new();
    for (name, hint) in PROGRAMS {
        let program = tool(name);
        let version = output(&program, &["--version"], Deadline::after(LOOKS_WITHIN)).await;
        let found = version.map(|said| said.lines().next().unwrap_or_default().to_owned());
        all.push(VmCheck { what: name, found, hint });
    }
    let found = match kvm() {
        Ok(()) => format!("{KVM} works on this processor"),
        Err(why) => format!("none ({why}): TCG is used, which is many times slower"),
    };
    all.push(VmCheck { what: "kvm", found: Ok(found), hint: "" });
    if let Some(image) = image {
        let found = chain(image, Deadline::after(LOOKS_WITHIN)).await;
        let told = |files: Vec<PathBuf>| format!("{} is a qcow2 of {} files", image.display(), files.len());
        let found = found.map(told).map_err(|error| error.to_string());
        all.push(VmCheck { what: "image", found, hint: "`waldo vm build` makes one" });
    }
    all
}

/// The programs that are started, and the packages that bring them.
const PROGRAMS: [(&str, &str); 3] = [
    (QEMU, "apt-get install qemu-system-x86"),
    ("qemu-img", "apt-get install qemu-utils"),
    ("bwrap", "apt-get install bubblewrap"),
];

pub(crate) fn need_programs() -> Result<()> {
    let missing = PROGRAMS.iter().find(|(name, _)| !tool(name).is_file());
    missing.map_or(Ok(()), |(name, hint)| {
        Err(start_error(format!("there is no program {name}"), (*hint).to_owned()))
    })
}

pub(crate) fn start_error(message: impl Into<String>, hint: impl Into<String>) -> DeviceError {
    DeviceError::Start { what: "the virtual machine".to_owned(), message: message.into(), hint: hint.into() }
}

/// Whether KVM can be used.
///
/// # Errors
/// With why it cannot. A KVM on a processor that does not virtualise (one machine inside another, by software) runs only
/// systems that were made for it, so none is said to be there.
pub(crate) fn kvm() -> Result<(), String> {
    opens()?;
    let told = foreign::read_named(Path::new("/proc/cpuinfo"), PROCESSOR).unwrap_or_default();
    let processor = String::from_utf8_lossy(&told);
    let has = processor.split_whitespace().any(|word| matches!(word, "vmx" | "svm"));
    if has { Ok(()) } else { Err("the processor tells neither vmx nor svm".to_owned()) }
}

fn opens() -> Result<(), String> {
    let opened = std::fs::OpenOptions::new().read(true).write(true).open(KVM);
    opened.map(drop).map_err(|error| match error.kind() {
        std::io::ErrorKind::PermissionDenied => {
            format!("{KVM} cannot be opened: add this user to its group, `usermod -aG kvm USER`")
        }
        _ => format!("{KVM}: {error}"),
    })
}

/// KVM or TCG.
///
/// # Errors
/// Where KVM is asked for and cannot be opened.
pub(crate) fn settled(wanted: Acceleration) -> Result<Acceleration> {
    match wanted {
        Acceleration::Tcg => Ok(wanted),
        Acceleration::Kvm => {
            opens().map_err(|why| start_error(why, "or give --vm accel=tcg, which needs no KVM"))?;
            Ok(wanted)
        }
        Acceleration::Auto => match kvm() {
            Ok(()) => Ok(Acceleration::Kvm),
            Err(why) => {
                tracing::warn!("no KVM ({why}): the virtual machine runs by TCG, many times slower");
                Ok(Acceleration::Tcg)
            }
        },
    }
}

/// The files that an image is made of: itself, and what it stands on.
///
/// # Errors
/// Where one is missing or lies in another folder, or no qcow2 stands first.
pub(crate) async fn chain(image: &Path, deadline: Deadline) -> Result<Vec<PathBuf>> {
    let hint = "name a disk image in QEMU's format qcow2, such as `waldo vm build` makes";
    let image = std::fs::canonicalize(image)
        .map_err(|error| start_error(format!("{}: {error}", image.display()), hint))?;
    let text = image.display().to_string();
    let arguments = ["info", "--backing-chain", "--force-share", "--output=json", &text];
    let said = output(&tool("qemu-img"), &arguments, deadline).await;
    let said = said.map_err(|message| start_error(message, hint))?;
    let infos: Vec<Value> = serde_json::from_str(&said)
        .map_err(|error| start_error(format!("qemu-img on {text}: {error}"), hint))?;
    if infos.first().is_none_or(|info| info["format"] != "qcow2") {
        return Err(start_error(format!("{text} is no qcow2"), hint));
    }
    let files: Vec<PathBuf> =
        infos.iter().filter_map(|info| info["filename"].as_str().map(PathBuf::from)).collect();
    // An image that somebody else made must not show the guest a file of ours.
    match files.iter().find(|file| file.parent() != image.parent()) {
        Some(file) => Err(start_error(
            format!("{text} stands on {}, which lies in another folder", file.display()),
            "put both into one folder, or make one image of them (qemu-img convert)",
        )),
        None => Ok(files),
    }
}

/// An overlay of `image` at `overlay`: what is written goes there.
pub(crate) async fn overlay(image: &Path, overlay: &Path, deadline: Deadline) -> Result<()> {
    let (image, overlay) = (image.display().to_string(), overlay.display().to_string());
    let arguments = ["create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", &image, &overlay];
    let made = output(&tool("qemu-img"), &arguments, deadline).await;
    made.map(drop).map_err(|message| start_error(message, "make room in the temporary folder (TMPDIR)"))
}

/// Runs a program to its end; what it printed.
async fn output(program: &Path, arguments: &[&str], deadline: Deadline) -> Result<String, String> {
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut command = tokio::process::Command::from(child::command(program));
    command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    let done = tokio::time::timeout_at(deadline.instant(), command.output()).await;
    let done = done.map_err(|_| format!("{name} did not end in time"))?;
    let done = done.map_err(|error| format!("{name} cannot be started: {error}"))?;
    match done.status.success() {
        true => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&done.stderr).trim().chars().take(500).collect()),
    }
}

//! `waldo vm`.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::json;
use tokio_util::task::AbortOnDropHandle;
use waldo_devices::{DeviceError, child};
use waldo_vm::{VmOptions, VmPool, VmSettings};

use super::{CliError, print_json};
use crate::exit;
use crate::screens::{DisplaySize, vm_findings};
use crate::stop::{on_signals, stop_at_once};

/// What builds images; it is a shell script, and works without waldo.
const MAKE_VM: &str = include_str!("../../scripts/make-vm");

/// Look at what virtual machines need here, build an image, look into one.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  waldo vm doctor desktop.qcow2
  waldo vm build desktop.qcow2 --osworld ../OSWorld
  waldo vm shell desktop.qcow2 --vm memory=2048")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Say what is missing here, and how to fix it.
    #[command(after_help = "Examples:\n  waldo vm doctor\n  waldo vm doctor desktop.qcow2 --json")]
    Doctor {
        /// The image.
        #[arg(value_name = "IMAGE")]
        image: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Build an image of a Debian desktop by the script scripts/make-vm, which takes the arguments; on Debian.
    #[command(after_help = "Examples:\n  waldo vm build desktop.qcow2 --osworld ../OSWorld --small")]
    Build {
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
        arguments: Vec<OsString>,
    },
    /// Run a machine until it is stopped, and say where a VNC viewer sees it; what is changed is not kept.
    #[command(after_help = "Examples:\n  waldo vm shell desktop.qcow2")]
    Shell {
        /// The image.
        #[arg(value_name = "IMAGE")]
        image: std::path::PathBuf,
        /// What it is made of, as for `--device qemu:`.
        #[arg(long, value_name = "SETTINGS", default_value = "")]
        vm: VmSettings,
        /// Its size in pixels.
        #[arg(long, value_name = "WxH", default_value = "1920x1080")]
        screen: DisplaySize,
    },
}

pub async fn run(args: Args) -> Result<u8, CliError> {
    // What was started ends with this, also where it is stopped.
    let _stopper = AbortOnDropHandle::new(tokio::spawn(on_signals(stop_at_once)));
    match args.command {
        Command::Doctor { image, json } => doctor(image.as_deref(), json).await,
        Command::Build { arguments } => build(&arguments).await,
        Command::Shell { image, vm, screen } => {
            let door = std::env::current_exe().map_err(|error| failed("waldo itself", error))?;
            let options = VmOptions { image, size: screen.size, settings: vm, door };
            let pool = VmPool::start(options).await?;
            let mut lease = pool.lend().await?;
            lease.fresh(waldo_devices::Deadline::after(crate::screens::STARTS_WITHIN)).await?;
            let (vnc, server) = (lease.machine()?.vnc(), lease.machine()?.server());
            println!("a VNC viewer sees it at {}, its server answers at {}; Ctrl-C ends it", vnc.display(), server.display());
            std::future::pending::<()>().await;
            Ok(exit::OK)
        }
    }
}

fn failed(what: &str, source: std::io::Error) -> DeviceError {
    DeviceError::Io { what: what.to_owned(), source }
}

async fn doctor(image: Option<&str>, json: bool) -> Result<u8, CliError> {
    let found = vm_findings(image).await;
    if json {
        print_json(&json!(found))?;
    } else {
        for finding in &found {
            let mark = if finding.ok { "ok     " } else { "missing" };
            let hint = finding.hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
            println!("{mark} {}: {}{hint}", finding.what, finding.found);
        }
    }
    Ok(if found.iter().all(|finding| finding.ok) { exit::OK } else { exit::ENVIRONMENT })
}

async fn build(arguments: &[OsString]) -> Result<u8, CliError> {
    let mut script = tempfile::NamedTempFile::new().map_err(|error| failed("a temporary file", error))?;
    script.write_all(MAKE_VM.as_bytes()).map_err(|error| failed("a temporary file", error))?;
    let mut bash = tokio::process::Command::from(child::command("bash"));
    bash.arg(script.path()).args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    let done = bash.status().await.map_err(|error| failed("bash", error))?;
    Ok(if done.success() { exit::OK } else { exit::FAILED })
}

//! `waldo vm`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
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

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Say what is missing here, and how to fix it.
    Doctor {
        /// The image.
        #[arg(value_name = "IMAGE")]
        image: Option<String>,
    },
    /// Build an image of a Debian desktop from Debian packages, on Debian.
    Build {
        /// The image to write.
        #[arg(value_name = "IMAGE")]
        image: PathBuf,
        /// A checkout of github.com/xlang-ai/OSWorld, whose server goes into the image; without it, it is driven by VNC.
        #[arg(long, value_name = "FOLDER")]
        osworld: Option<PathBuf>,
        /// With a window manager and an editor in place of XFCE and its programs.
        #[arg(long)]
        small: bool,
    },
    /// Run a machine until it is stopped, for a VNC viewer; changes are discarded.
    Shell {
        /// The image.
        #[arg(value_name = "IMAGE")]
        image: PathBuf,
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
    let json = args.json;
    match args.command {
        Command::Doctor { image } => doctor(image.as_deref(), json).await,
        Command::Build { image, osworld, small } => build(&image, osworld, small, json).await,
        Command::Shell { image, vm, screen } => {
            let door = std::env::current_exe().map_err(|error| failed("waldo itself", error))?;
            let options = VmOptions { image, size: screen.size, settings: vm, door };
            let pool = VmPool::start(options).await?;
            let mut lease = pool.lend().await?;
            lease.fresh(waldo_devices::Deadline::after(crate::screens::STARTS_WITHIN)).await?;
            let (vnc, server) = (lease.machine()?.vnc(), lease.machine()?.server());
            match json {
                true => print_json(&json!({ "vnc": vnc, "server": server }))?,
                false => println!(
                    "a VNC viewer sees it at {}, its server answers at {}; Ctrl-C ends it",
                    vnc.display(),
                    server.display()
                ),
            }
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

async fn build(image: &Path, osworld: Option<PathBuf>, small: bool, json: bool) -> Result<u8, CliError> {
    let mut script = tempfile::NamedTempFile::new().map_err(|error| failed("a temporary file", error))?;
    script.write_all(MAKE_VM.as_bytes()).map_err(|error| failed("a temporary file", error))?;
    let mut bash = tokio::process::Command::from(child::command("bash"));
    bash.arg(script.path()).arg(image).args(small.then_some("--small"));
    if let Some(checkout) = osworld {
        bash.arg("--osworld").arg(checkout);
    }
    bash.stdin(Stdio::null()).kill_on_drop(true);
    let done = bash.status().await.map_err(|error| failed("bash", error))?;
    if json && done.success() {
        print_json(&json!({ "image": image }))?;
    }
    Ok(if done.success() { exit::OK } else { exit::FAILED })
}

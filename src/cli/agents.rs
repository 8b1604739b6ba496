//! `waldo agents`.

use clap::Subcommand;
use serde_json::json;
use waldo_devices::{Capability, DeviceInfo, Geometry, Platform};

use super::{CliError, print_json};
use crate::agents::{AgentKind, agent_names, kind, kinds};
use crate::exit;

/// List the agents, and show what one answers with.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  waldo agents list
  waldo agents show planner --device android
  waldo agents show frames
  waldo agents show planner --schema > planner.schema.json")]
pub struct Args {
    #[command(subcommand)]
    what: Command,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The agents that can be named with --agent.
    #[command(after_help = "Example:\n  waldo agents list")]
    List,
    /// What an agent can do on a device.
    #[command(after_help = "Example:\n  waldo agents show planner --device android")]
    Show {
        /// Its name.
        #[arg(value_parser = agent_names())]
        name: String,
        /// The JSON schema of its model's answer; planner alone has one.
        #[arg(long)]
        schema: bool,
        /// The actions of this kind of device only.
        #[arg(long, value_enum)]
        device: Option<DeviceKind>,
    },
}

/// A kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum DeviceKind {
    /// A browser.
    Web,
    /// A phone.
    Android,
    /// A desktop.
    Desktop,
}

impl DeviceKind {
    /// What such a device can do.
    pub(super) fn info(self) -> DeviceInfo {
        let platform = match self {
            Self::Web => Platform::Web,
            Self::Android => Platform::Android,
            Self::Desktop => Platform::Desktop,
        };
        // Shell commands are for tasks that allow them.
        let capabilities = platform.capabilities_but(&[Capability::Shell]);
        DeviceInfo {
            platform,
            product: String::new(),
            geometry: Geometry::new(1280.0, 800.0, 1.0),
            capabilities,
        }
    }
}

pub fn run(args: &Args) -> Result<u8, CliError> {
    match &args.what {
        Command::List if args.json => {
            let entry = |kind: &dyn AgentKind| json!({ "name": kind.name(), "about": kind.about() });
            print_json(&kinds().map(entry).collect::<Vec<_>>())?;
        }
        Command::List => {
            for kind in kinds() {
                println!("{:<12} {}", kind.name(), kind.about());
            }
        }
        Command::Show { name, schema, device } => {
            let device = device.map(DeviceKind::info);
            let kind = kind(name).ok_or_else(|| CliError::Input(format!("no agent '{name}'")))?;
            if *schema {
                let schema = kind.schema(device.as_ref()).ok_or_else(|| {
                    CliError::Input(format!(
                        "{name} answers in no JSON, so it has no schema; planner has one"
                    ))
                })?;
                print_json(&schema)?;
                return Ok(exit::OK);
            }
            let shown = kind.show(&device.unwrap_or_else(|| DeviceKind::Web.info()));
            if args.json { print_json(&shown.json)? } else { print!("{}", shown.text) }
        }
    }
    Ok(exit::OK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_agents_are_told_of_a_kind_of_device_is_what_such_devices_can_do() {
        for kind in [DeviceKind::Web, DeviceKind::Android, DeviceKind::Desktop] {
            let info = kind.info();
            let missing = |can: &&Capability| !info.capabilities.contains(can);
            let missing: Vec<_> = info.platform.capabilities().iter().filter(missing).collect();
            assert!(missing.iter().all(|can| **can == Capability::Shell), "{missing:?}");
        }
    }
}

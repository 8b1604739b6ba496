use clap::Subcommand;
use serde_json::json;
use waldo_agents::exec;
use waldo_devices::{Capability, DeviceInfo, Geometry, Platform};

use super::{CliError, Result, print_json};
use crate::agents::{
    AgentKind, CommandLine, ExecArgs, agent_names, is_address, kind, kinds, program_options,
};
use crate::exit;
use crate::numbers::whole;

#[derive(Debug, clap::Args)]
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
    List,
    /// What an agent can do on a device.
    Show {
        /// Its name.
        #[arg(value_parser = agent_names())]
        name: String,
        /// The JSON schema of what it answers: planner's model, or an agent of your own (exec).
        #[arg(long)]
        schema: bool,
        /// The actions of this kind of device only.
        #[arg(long, value_enum)]
        device: Option<DeviceKind>,
    },
    /// Check whether your own agent follows the protocol.
    ///
    /// Plays the calls of docs/agents-protocol.md with it on a screen that is no device's, and says what it does not keep.
    /// The exit code is 0 where it keeps all, and 1 where it does not.
    Check {
        /// The program and its arguments, or the address of an agent that is a server.
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
        program: Vec<String>,
        /// A variable that the program gets from the environment; may be given several times.
        #[arg(long, value_name = "VARIABLE", value_delimiter = ',')]
        agent_env: Vec<String>,
        /// Seconds that it may take for one answer.
        #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = whole::<u64>(1..=86_400))]
        agent_timeout: u64,
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

pub async fn run(args: &Args) -> Result<u8> {
    match &args.what {
        Command::Check { program, agent_env, agent_timeout } => {
            let own = ExecArgs {
                command: Some(CommandLine(program.clone())),
                agent_env: agent_env.clone(),
                agent_timeout: Some(*agent_timeout),
            };
            let address = program.first().filter(|word| is_address(word)).map(String::as_str);
            return check(&own, address, args.json).await;
        }
        Command::List if args.json => {
            let entry = |kind: &dyn AgentKind| json!({ "name": kind.name(), "about": kind.facts().about });
            print_json(&kinds().map(entry).collect::<Vec<_>>())?;
        }
        Command::List => {
            for kind in kinds() {
                println!("{:<12} {}", kind.name(), kind.facts().about);
            }
        }
        Command::Show { name, schema, device } => {
            let device = device.map(DeviceKind::info);
            let kind = kind(name).ok_or_else(|| CliError::Input(format!("no agent '{name}'")))?;
            if *schema {
                let schema = kind.schema(device.as_ref()).ok_or_else(|| {
                    CliError::Input(format!(
                        "{name} does not answer in JSON, so it has no schema; planner and exec have one"
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

/// Says what an agent of somebody's own keeps of the protocol.
async fn check(own: &ExecArgs, address: Option<&str>, json: bool) -> Result<u8> {
    let (who, checks) = exec::check(&program_options(own, address)?).await?;
    let kept = checks.iter().all(|one| one.fault.is_none());
    if json {
        let [name, version] = who.unwrap_or_default();
        print_json(&json!({ "name": name, "version": version, "checks": checks, "kept": kept }))?;
    } else {
        if let Some([name, version]) = who {
            println!("{} {}", crate::out::plain(&name, 200), crate::out::plain(&version, 200));
        }
        for one in &checks {
            match &one.fault {
                None => println!("  ok    {}", one.what),
                Some(fault) => println!("  FAULT {}: {}", one.what, crate::out::plain(fault, 2000)),
            }
        }
    }
    Ok(if kept { exit::OK } else { exit::FAILED })
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

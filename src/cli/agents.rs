//! `waldo agents`.

use clap::Subcommand;
use waldo_agents::{frames, planner};
use waldo_devices::{Capability, DeviceInfo, Geometry, Platform};

use super::{CliError, print_json};
use crate::agents::AGENTS;
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
    what: What,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// The agents that can be named with --agent.
    #[command(after_help = "Example:\n  waldo agents list")]
    List,
    /// What an agent can do on a device.
    #[command(after_help = "Example:\n  waldo agents show planner --device android")]
    Show {
        /// Its name.
        #[arg(value_parser = AGENTS)]
        name: String,
        /// The JSON schema of its model's answer; planner alone has one.
        #[arg(long)]
        schema: bool,
        /// The actions of this kind of device only.
        #[arg(long, value_enum)]
        device: Option<Kind>,
    },
}

/// A kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// A browser.
    Web,
    /// A phone.
    Android,
    /// A desktop.
    Desktop,
}

impl Kind {
    /// What such a device can do.
    fn info(self) -> DeviceInfo {
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

/// What an agent is, in a line.
fn about(name: &str) -> &'static str {
    match name {
        "appagent" => "asks a model; numbered elements, one call a step",
        "planner" => "asks a model; plans in words with a memory, a grounder finds the place",
        "frames" => "asks a model; abstracts a widget of your own page and runs a script on it, in a cage",
        "reference" => "carries out the task's reference solution: the ceiling",
        "baseline" => "taps what shares words with the goal",
        "random" => "touches anything, and says at the end that it is done",
        "noop" => "touches nothing, and says at the end that it is done",
        _ => "asks a model",
    }
}

pub fn run(args: &Args) -> Result<u8, CliError> {
    match &args.what {
        What::List if args.json => {
            let all: Vec<_> =
                AGENTS.iter().map(|n| serde_json::json!({ "name": n, "about": about(n) })).collect();
            print_json(&all)?;
        }
        What::List => {
            for name in AGENTS {
                println!("{name:<12} {}", about(name));
            }
        }
        What::Show { name, schema, device } => {
            let device = device.map(Kind::info);
            match (name.as_str(), *schema) {
                ("planner", true) => print_json(&planner::schema(device.as_ref()))?,
                (_, true) => {
                    return Err(CliError::Input(format!(
                        "{name} answers in no JSON, so it has no schema; planner has one"
                    )));
                }
                ("planner", false) => {
                    let extras = planner::Extras { widgets: true, ..planner::Extras::default() };
                    let all = planner::actions(&device.unwrap_or_else(|| Kind::Web.info()), extras);
                    show(&all, args.json)?;
                }
                ("frames", false) if args.json => print_json(&frames::tools())?,
                ("frames", false) => show_tools(&frames::tools()),
                _ if args.json => {
                    print_json(&serde_json::json!({ "name": name, "about": about(name) }))?;
                }
                _ => println!("{name}: {}", about(name)),
            }
        }
    }
    Ok(exit::OK)
}

fn show_tools(all: &[frames::ToolDoc]) {
    let mut stage = "";
    for tool in all {
        if tool.stage != stage {
            println!("{}in the {} stage:", if stage.is_empty() { "" } else { "\n" }, tool.stage);
            stage = tool.stage;
        }
        println!("  {}", tool.signature);
        let kinds =
            if tool.kinds.is_empty() { String::new() } else { format!(" ({})", tool.kinds.join(", ")) };
        println!("      {}{kinds}", tool.about);
    }
}

fn show(all: &planner::Actions, json: bool) -> Result<(), CliError> {
    let docs = all.screen.iter().chain(&all.special);
    if json {
        return print_json(&docs.collect::<Vec<_>>());
    }
    for doc in docs {
        println!("{}: {}", doc.name, doc.purpose);
        for parameter in &doc.parameters {
            println!("    {}: {}", parameter.name, parameter.what);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_agents_are_told_of_a_kind_of_device_is_what_such_devices_can_do() {
        for kind in [Kind::Web, Kind::Android, Kind::Desktop] {
            let info = kind.info();
            let missing = |can: &&Capability| !info.capabilities.contains(can);
            let missing: Vec<_> = info.platform.capabilities().iter().filter(missing).collect();
            assert!(missing.iter().all(|can| **can == Capability::Shell), "{missing:?}");
        }
    }
}

use std::time::Duration;

use waldo_devices::Deadline;
use waldo_devices::count::count;
use waldo_http::PlainHttp;

use super::{CliError, print_json};
use crate::exit;
use crate::screens::environment_server;

/// How long all questions together may take.
const WITHIN: Duration = Duration::from_secs(300);

/// Environments in other languages, played over waldo's bridge.
///
/// A server answers six questions in JSON (docs/bridge.md); waldo eval bridge:http://HOST:PORT plays its tasks, and
/// waldo run --device bridge:http://HOST:PORT a goal of your own.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Check a server against the whole protocol, and print what it violates.
    Check(CheckArgs),
}

#[derive(Debug, clap::Args)]
struct CheckArgs {
    /// The server: http://HOST:PORT.
    #[arg(value_name = "URL")]
    url: String,
    /// Speak plain HTTP to another machine.
    #[arg(long)]
    insecure: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

pub async fn run(args: Args) -> Result<u8, CliError> {
    let Command::Check(args) = args.command;
    let clear = if args.insecure { PlainHttp::Accepted } else { PlainHttp::Refused };
    // As a device it is named with this before it, and somebody may have written that.
    let named = if args.url.starts_with("bridge:") { args.url } else { format!("bridge:{}", args.url) };
    let server = environment_server(&named, clear)?;
    let (client, checked) = waldo_bridge::check(server, Deadline::after(WITHIN)).await?;
    let failed = checked.iter().filter(|one| one.fault.is_some()).count();
    if args.json {
        let hello = &client.hello;
        print_json(&serde_json::json!({
            "name": hello.name, "version": hello.version, "platform": hello.platform, "tasks": hello.tasks.len(),
            "checks": checked, "kept": failed == 0,
        }))?;
    } else {
        let hello = &client.hello;
        println!(
            "{} {} ({}), {}",
            hello.name,
            hello.version,
            hello.platform.as_str(),
            count(hello.tasks.len(), "task")
        );
        for one in &checked {
            match &one.fault {
                None => println!("  ok    {}", one.what),
                Some(fault) => println!("  FAULT {}: {}", one.what, crate::out::plain(fault, 500)),
            }
        }
    }
    Ok(if failed == 0 { exit::OK } else { exit::FAILED })
}

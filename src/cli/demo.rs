mod learn;
mod record;
mod terminal;
mod to_task;
mod watched;

use super::CliError;

/// Record what you do on a device, and make documentation or a task of it.
///
/// A demonstration is a folder: AppAgent's record and pictures, and waldo's own events. Learning asks a
/// model what each step did to the screen, and writes the answers into the documentation that run and eval
/// give to an agent with --docs, where they hold over what was explored.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Drive a device yourself, and keep each step.
    Record(Box<record::Args>),
    /// Turn demonstrations into documentation.
    Learn(Box<learn::Args>),
    /// Turn a demonstration, or a run driven by hand, into a task of a suite.
    ToTask(Box<to_task::Args>),
}

pub async fn run(args: Args) -> Result<u8, CliError> {
    match args.what {
        Command::Record(args) => record::run(*args).await,
        Command::Learn(args) => learn::run(*args).await,
        Command::ToTask(args) => to_task::run(*args).await,
    }
}

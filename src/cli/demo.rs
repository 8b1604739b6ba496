//! `waldo demo`.

mod learn;
mod record;
mod terminal;

use super::CliError;

/// Record what you do on a device, and learn documentation from it.
///
/// A demonstration is a folder: AppAgent's record and pictures, and waldo's own events. Learning asks a
/// model what each step did to the screen, and writes the answers into the documentation that run and eval
/// give to an agent with --docs, where they hold over what was explored.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  waldo demo record --url http://127.0.0.1:8080 --app shop --web \"buy a lamp\"
  waldo demo record --device simphone --open com.android.settings \"switch dark mode on\"
  waldo demo learn demos/shop/demo_shop_2030-01-31_12-00-00 --docs docs --model my-model
  waldo demo learn AppAgent/apps/mail/demos/demo_1 --docs docs --model my-model")]
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
}

pub async fn run(args: Args) -> Result<u8, CliError> {
    match args.what {
        Command::Record(args) => record::run(*args).await,
        Command::Learn(args) => learn::run(*args).await,
    }
}

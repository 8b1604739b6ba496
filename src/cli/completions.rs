//! `waldo completions`.

use super::CliError;
use crate::exit;

/// Print completions for a shell.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  waldo completions bash > ~/.local/share/bash-completion/completions/waldo"
)]
pub struct Args {
    /// The shell.
    shell: clap_complete::Shell,
}

pub fn run(args: &Args, command: &mut clap::Command) -> Result<u8, CliError> {
    clap_complete::generate(args.shell, command, "waldo", &mut std::io::stdout());
    Ok(exit::OK)
}

use super::CliError;
use crate::exit;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell.
    shell: clap_complete::Shell,
}

pub fn run(args: &Args, command: &mut clap::Command) -> Result<u8, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "waldo", &mut script);
    print!("{}", String::from_utf8_lossy(&script));
    Ok(exit::OK)
}

use clap::Subcommand;
use waldo_offline::make::{make_questions, write_questions};

use super::CliError;
use super::item_screens::{ItemArgs, tell, too_few};
use crate::exit;
use crate::offline::LevelError;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Questions with four to six options, in MMBench-GUI's L1 format.
    ///
    /// Three to a screen: what is on it; what is ticked, selected, filled in, or beside what; what a press would bring up,
    /// or what lies furthest on one side. What is right is read from the tree of elements, and neither letter nor length
    /// nor words of an option tell it. The same seed gives the same items.
    Make(Box<ItemArgs>),
}

pub async fn run(args: Args) -> Result<u8, CliError> {
    let Command::Make(args) = args.command;
    let Some((from, screens)) = args.screens().await? else { return Ok(exit::STOPPED) };
    let all = make_questions(&screens, args.items as usize, args.seed).map_err(too_few)?;
    let made = write_questions(&args.out, &from, &all).map_err(LevelError::from)?;
    tell(&args, "L1", made, &screens, &from, None)?;
    Ok(exit::OK)
}

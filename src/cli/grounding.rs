//! `waldo grounding`.

use clap::Subcommand;
use waldo_offline::make::{make_places, write_places};

use super::CliError;
use super::item_screens::{ItemArgs, tell, too_few};
use crate::exit;
use crate::offline::LevelError;

/// Make items for the level L2 from live screens: places that instructions describe.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waldo grounding make --suite l3-web --items 200 --out my-items")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Pictures with true boxes and instructions, in MMBench-GUI's L2 format.
    ///
    /// Each element has two instructions: one by its name, and one by its place and purpose, from what lies beside it and
    /// what its press was seen to bring up. Boxes are the tree's. The same seed gives the same items.
    #[command(after_help = "\
Examples:
  waldo grounding make --suite l3-web,l3-android,l3-desktop --items 600 --out my-items
  waldo eval l2 --mmbench-dir my-items --with-bounds")]
    Make(Box<ItemArgs>),
}

pub async fn run(args: Args) -> Result<u8, CliError> {
    let Command::Make(args) = args.command;
    let Some((from, screens)) = args.screens().await? else { return Ok(exit::STOPPED) };
    let all = make_places(&screens, args.items as usize, args.seed).map_err(too_few)?;
    let made = write_places(&args.out, &from, &all).map_err(LevelError::from)?;
    tell(&args, "L2", made, &screens, &from)?;
    Ok(exit::OK)
}

use std::path::PathBuf;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use waldo_devices::count::count;
use waldo_tasks::RunFolder;

use super::{CliError, print_json};
use crate::exit;
use crate::export::{self, EpisodeChoice, ExportError, ExportFormat, ExportWatch};
use crate::progress_bar::ProgressBar;
use crate::stop::stop_on_signal;

/// Write a recorded run in other formats.
///
/// Messages to train on, trajectories (ATIF), scripts for Playwright, demonstrations, picture stories as GIF or video. It is made from the
/// run folder alone; files go to RUN/export unless --out says otherwise. Messages link the pictures of the run; trajectories
/// have copies beside them, so that their folder can be moved.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run folder.
    run: PathBuf,
    /// The form.
    #[arg(long, value_enum)]
    to: ExportFormat,
    /// Only this task; may be given several times.
    #[arg(short, long = "task", value_name = "ID")]
    tasks: Vec<String>,
    /// Only this contestant; may be given several times.
    #[arg(long = "contestant", value_name = "NAME")]
    contestants: Vec<String>,
    /// Only episodes that were solved.
    #[arg(long)]
    solved: bool,
    /// The file, or the folder for formats with a file per episode [default: in RUN/export].
    #[arg(short, long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Print what was written as JSON.
    #[arg(long)]
    json: bool,
}

pub async fn run(args: &Args) -> Result<u8, CliError> {
    let run = RunFolder::open(&args.run)?;
    let choice = EpisodeChoice {
        tasks: args.tasks.clone(),
        contestants: args.contestants.clone(),
        solved: args.solved,
    };
    let bar = ProgressBar::new(0);
    let stop = CancellationToken::new();
    let watch = ExportWatch {
        begin: &|total| bar.set_total(total),
        advance: &|name| bar.advance(name),
        stop: stop.clone(),
    };
    let signals = tokio::spawn(stop_on_signal(stop));
    let written =
        tokio::task::block_in_place(|| export::write(&run, args.to, &choice, args.out.as_deref(), &watch));
    signals.abort();
    bar.clear();
    let written = match written {
        Err(error @ ExportError::Stopped { .. }) => {
            eprintln!("{error}");
            return Ok(exit::STOPPED);
        }
        written => written?,
    };
    if args.json {
        print_json(&json!(written))?;
        return Ok(exit::OK);
    }
    for left in &written.left_out {
        eprintln!("left out: {left}");
    }
    let shown = 5;
    for file in written.files.iter().take(shown) {
        println!("{}", file.display());
    }
    if written.files.len() > shown {
        println!("and {}", count(written.files.len() - shown, "more file"));
    }
    println!("{}", count(written.episodes, "episode"));
    Ok(exit::OK)
}

use waldo_devices::count::count;

use super::{CliError, Result, print_json};
use crate::exit;
use crate::queue::{QueueArgs, QueueServer, QueueState, QueueStatus, forget_run};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List its runs, lanes, leases and workers.
    Status {
        #[command(flatten)]
        queue: QueueArgs,
    },
    /// Remove a run that nobody will resume; its results are in its folder.
    Forget {
        /// Its id, as status tells it.
        run: String,
        #[command(flatten)]
        queue: QueueArgs,
    },
}

pub async fn run(args: &Args) -> Result<u8> {
    match &args.command {
        Command::Status { queue } => {
            let status = QueueStatus::of(&connected(queue).await?).await?;
            if args.json { print_json(&status)? } else { print_status(&status) }
        }
        Command::Forget { run, queue } => {
            forget_run(&connected(queue).await?, queue, run).await?;
            match args.json {
                true => print_json(&serde_json::json!({ "forgotten": run }))?,
                false => println!("run {run} is off the queue"),
            }
        }
    }
    Ok(exit::OK)
}

async fn connected(queue: &QueueArgs) -> Result<QueueServer> {
    if queue.queue.is_none() {
        return Err(CliError::Input("which queue? give --queue nats://HOST".to_owned()));
    }
    let server = QueueServer::connect(queue, "waldo queue").await?;
    server.set_up().await?;
    Ok(server)
}

fn print_status(status: &QueueStatus) {
    if status.runs.is_empty() {
        println!("no run is offered");
    }
    for run in &status.runs {
        let state = match run.state {
            QueueState::Open => "open",
            QueueState::Paused => "paused",
        };
        let eta = run.eta.map(|eta| format!(", {eta} s left")).unwrap_or_default();
        let suites = run.suites.join("+");
        println!(
            "run {} {suites}: {state}, {} of {}{eta}",
            run.run,
            run.results,
            count(run.episodes, "result")
        );
        for lane in &run.lanes {
            let again = match lane.redelivered {
                0 => String::new(),
                again => format!(" ({again} not for the first time)"),
            };
            println!(
                "  {} {}: {} wait, {} leased{again}",
                lane.suite, lane.contestant, lane.waiting, lane.leased
            );
            for why in &lane.refused {
                println!("    refused by {}", crate::out::plain(why, 400));
            }
        }
    }
    for worker in &status.workers {
        let lanes = worker.lanes.join(", ");
        let drains = if worker.drains { ", drains" } else { "" };
        println!(
            "worker {} on {}: {lanes}; {} of {}, {} handed in{drains}",
            worker.id,
            crate::out::plain(&worker.host, 64),
            worker.playing.len(),
            count(worker.slots, "slot"),
            worker.played
        );
        for episode in &worker.playing {
            println!("  plays {}", crate::out::plain(episode, 200));
        }
    }
}

//! The command line: one file a command.

mod browser;
mod completions;
mod devices;
mod doctor;
mod eval;
mod label;
mod merge;
mod partition;
mod replay;
mod report;
mod run;
mod score;
mod serve_model;
mod tasks;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use miette::Diagnostic;
use waldo_agents::AgentError;
use waldo_devices::{DeviceError, ErrorClass};
use waldo_tasks::TaskError;

use crate::exit;

/// A live GUI-agent runtime: sees a real screen, tags what can be touched, lets an agent choose, acts,
/// and scores the episode.
#[derive(Debug, Parser)]
#[command(name = "waldo", version, max_term_width = 100, after_help = AFTER)]
struct Cli {
    /// Say more: -v for progress, -vv for every call.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    #[command(subcommand)]
    command: Command,
}

const AFTER: &str = "\
Examples:
  waldo eval l3-web --agent reference
  waldo eval l3-web --agent appagent --model my-model --base-url http://127.0.0.1:8000/v1
  waldo run --url https://example.org --allow https://example.org --agent baseline \"open the link\"

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done but some episodes are invalid, 4 bad input,
5 something is missing (see waldo doctor), 6 the model could not be used, 130 stopped.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Evaluate agents on a suite of tasks.
    Eval(eval::Args),
    /// Let an agent pursue one goal on one device.
    Run(run::Args),
    /// Draw numeric tags on a picture.
    Label(label::Args),
    /// Score a file of episodes: SR and EQA.
    Score(score::Args),
    /// List suites, or the tasks of a suite.
    Tasks(tasks::Args),
    /// List the devices that can be used here.
    Devices(devices::Args),
    /// Carry out the recorded actions of an episode again.
    Replay(replay::Args),
    /// Write the report of a run again.
    Report(report::Args),
    /// Merge the parts of a run into one.
    Merge(merge::Args),
    /// Serve a stand-in model over the OpenAI-compatible wire.
    ServeModel(serve_model::Args),
    /// Say what is missing here and how to mend it.
    Doctor(doctor::Args),
    /// Print completions for a shell.
    Completions(completions::Args),
}

/// What a command may fail with.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// Tasks, suites, records.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// A device.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// An agent or its model.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The report.
    #[error(transparent)]
    Report(#[from] crate::report::ReportError),
    /// Something that a person gave.
    #[error("{0}")]
    Input(String),
    /// The host.
    #[error("{what}: {source}")]
    Io {
        /// What was being done.
        what: String,
        /// The reason.
        source: std::io::Error,
    },
}

impl Diagnostic for CliError {}

impl CliError {
    fn exit_code(&self) -> u8 {
        match self {
            Self::Task(TaskError::Agent(AgentError::Model(_))) | Self::Agent(AgentError::Model(_)) => {
                exit::MODEL
            }
            Self::Task(TaskError::Device(e)) | Self::Device(e) if e.class() == ErrorClass::Environment => {
                exit::ENVIRONMENT
            }
            Self::Task(
                TaskError::Definition { .. }
                | TaskError::UnknownSuite { .. }
                | TaskError::UnknownTask { .. }
                | TaskError::Record { .. }
                | TaskError::Template { .. }
                | TaskError::Score(_),
            )
            | Self::Input(_) => exit::BAD_INPUT,
            _ => exit::FAILED,
        }
    }
}

/// Runs the command of this process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let level = match cli.verbose {
        0 => "warn",
        1 => "info",
        _ => "debug",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("WALDO_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(format!("error,waldo={level}")));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).without_time().init();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => {
            eprintln!("waldo: cannot start: {e}");
            return exit::code(exit::FAILED);
        }
    };
    let done = runtime.block_on(dispatch(cli.command));
    // Blocking work that no longer matters must not hold up the end.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    match done {
        Ok(code) => exit::code(code),
        Err(e) => {
            let code = e.exit_code();
            eprintln!("{:?}", miette::Report::new(e));
            exit::code(code)
        }
    }
}

async fn dispatch(command: Command) -> Result<u8, CliError> {
    match command {
        Command::Eval(args) => eval::run(args).await,
        Command::Run(args) => run::run(args).await,
        Command::Label(args) => label::run(&args),
        Command::Score(args) => score::run(&args),
        Command::Tasks(args) => tasks::run(&args),
        Command::Devices(args) => devices::run(&args).await,
        Command::Replay(args) => replay::run(args).await,
        Command::Report(args) => report::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::ServeModel(args) => serve_model::run(args).await,
        Command::Doctor(args) => doctor::run(&args).await,
        Command::Completions(args) => completions::run(&args, &mut Cli::command()),
    }
}

/// Prints a value as JSON on standard output.
fn print_json<T: serde::Serialize>(value: &T) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(value).map_err(|e| CliError::Input(e.to_string()))?;
    println!("{text}");
    Ok(())
}

fn read(path: &std::path::Path) -> Result<Vec<u8>, CliError> {
    std::fs::read(path)
        .map_err(|source| CliError::Io { what: format!("cannot read {}", path.display()), source })
}

//! The command line: one file a command.

mod agents;
mod app_door;
mod apps;
mod ask;
#[cfg(feature = "bridge")]
mod bridge;
mod by_hand;
mod cage_worker;
mod check;
mod compare;
mod completions;
mod config;
mod demo;
mod devices;
mod docs;
mod docs_arg;
mod doctor;
mod drive;
mod elements;
mod error;
mod eval;
mod explore;
mod export;
mod fresh;
mod grounding;
mod guard;
mod hand_over;
mod home;
mod init;
mod item_screens;
mod label;
mod learner;
#[cfg(feature = "web")]
mod login;
#[cfg(feature = "mcp")]
mod mcp;
mod merge;
mod models;
#[cfg(feature = "android")]
mod pair;
mod panics;
mod partition;
mod plan;
mod prompts;
mod questions;
#[cfg(feature = "fleet")]
mod queue;
mod real_phone;
mod replay;
mod report;
mod reproduce;
mod run;
mod score;
mod secrets;
mod serve_model;
#[cfg(feature = "mcp")]
mod shell;
mod short_help;
#[cfg(feature = "android")]
mod simphone;
mod start;
mod tables;
mod tasks;
mod unread;
#[cfg(feature = "vm")]
mod vm;
#[cfg(feature = "fleet")]
mod worker;

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::builder::styling::{AnsiColor, Style};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
pub use error::{CliError, Result};
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use waldo_devices::count::{count, either};

#[cfg(not(all(feature = "fleet", feature = "vm")))]
use crate::absent::{self, AnyArgs};
use crate::config::{ConfigError, Settings, StartEnvironment};
use crate::{environment, exit, terminal};

/// A live GUI-agent runtime: sees a real screen, tags what can be touched, lets an agent choose, acts,
/// and scores the episode.
#[derive(Debug, Parser)]
#[command(name = "waldo", version = env!("WALDO_VERSION"), max_term_width = 100)]
pub struct Cli {
    /// Say more: -v for progress, -vv for every call.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    /// What to do; without one it is told what can be done here.
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Evaluate agents on a suite of tasks.
    Eval(Box<eval::Args>),
    /// Serve the tasks of a suite as environments, for training.
    Env(Box<eval::EnvArgs>),
    /// Let an agent pursue one goal on one device.
    Run(run::Args),
    /// Drive a guarded device by hand, on a local page.
    Drive(drive::Args),
    /// Sign in to a site by hand, and save the login state.
    #[cfg(feature = "web")]
    Login(login::Args),
    /// Let an agent try out an app and write down what each element does.
    Explore(explore::Args),
    /// Record what you do on a device, and make documentation or a task of it.
    Demo(demo::Args),
    /// Show, edit, compare, import and export documentation.
    Docs(docs::Args),
    /// Draw numeric tags on a picture.
    Label(label::Args),
    /// List the elements of a screen, or of a uiautomator dump as AppAgent numbers them.
    Elements(elements::Args),
    /// Score a file of episodes: SR and EQA.
    Score(score::Args),
    /// List suites, or the tasks of a suite.
    Tasks(tasks::Args),
    /// Check a suite: references must solve its tasks, and doing nothing must not.
    Check(check::Args),
    /// Make items for the level L2 from live screens: places that instructions describe.
    Grounding(grounding::Args),
    /// Make items for the level L1 from live screens: questions with options to choose from.
    Questions(questions::Args),
    /// List the agents, and show the actions of one.
    Agents(agents::Args),
    /// List, show and try the profiles of models that were trained on an action space.
    Models(models::Args),
    /// Install, list and try out the applications that suites are played on.
    Apps(apps::Args),
    /// Check what virtual machines need here, build an image, open a machine.
    #[cfg(feature = "vm")]
    Vm(vm::Args),
    /// A command of virtual machines that this build has not.
    #[cfg(not(feature = "vm"))]
    #[command(hide = true)]
    Vm(AnyArgs),
    /// List the devices that can be used here.
    Devices(devices::Args),
    /// Pair with a phone over the network, once, with the code that it shows.
    #[cfg(feature = "android")]
    Pair(pair::Args),
    /// Carry out the recorded actions of an episode again.
    Replay(replay::Args),
    /// Write the report of a run again.
    Report(report::Args),
    /// Write a recorded run in other formats.
    Export(export::Args),
    /// Compare contestants, task by task.
    Compare(compare::Args),
    /// Merge the parts of a run into one.
    Merge(merge::Args),
    /// Play the recipe of a published result, and show both results.
    Reproduce(reproduce::Args),
    /// Play episodes that eval --queue hands out.
    #[cfg(feature = "fleet")]
    Worker(worker::Args),
    /// A command of workers that this build has not.
    #[cfg(not(feature = "fleet"))]
    #[command(hide = true)]
    Worker(AnyArgs),
    /// Show a queue of episodes, and remove runs from it.
    #[cfg(feature = "fleet")]
    Queue(queue::Args),
    /// A command of queues that this build has not.
    #[cfg(not(feature = "fleet"))]
    #[command(hide = true)]
    Queue(AnyArgs),
    /// Serve a guarded device to a client of the Model Context Protocol.
    #[cfg(feature = "mcp")]
    Mcp(mcp::Args),
    #[cfg(feature = "mcp")]
    #[command(flatten)]
    Session(shell::SessionCommand),
    /// Check a server of environments in another language.
    #[cfg(feature = "bridge")]
    Bridge(bridge::Args),
    /// Serve a stand-in model over the OpenAI-compatible wire.
    ServeModel(serve_model::Args),
    /// Run simulated phones that adb takes for real ones.
    #[cfg(feature = "android")]
    Simphone(simphone::Args),
    /// Show the configuration and where it comes from.
    Config(config::Args),
    /// List, show and copy the prompt templates.
    Prompts(prompts::Args),
    /// Write a waldo.toml for your own model.
    Init(Box<init::Args>),
    /// Say what is missing here and how to fix it.
    Doctor(doctor::Args),
    /// Print completions for a shell.
    Completions(completions::Args),
}

pub fn command() -> clap::Command {
    short_help::shorten(crate::config::with_switches(Cli::command()))
}

pub fn main() -> ExitCode {
    if let Some(end) = cage_worker::instead().or_else(app_door::instead) {
        return end;
    }
    panics::set_up();
    if let Err(error) = environment::take() {
        eprintln!("waldo: {error}");
        return exit::code(exit::FAILED);
    }
    #[cfg(feature = "mcp")]
    if let Ok(warm) = shell::WarmCli::try_parse() {
        return carry_out(warm.verbose, shell::carry_out(warm.command));
    }
    let plain = command();
    let settings = Settings::load(&StartEnvironment::here(), &plain);
    let command = match &settings {
        Ok(settings) => settings.apply(plain),
        Err(_) => plain,
    };
    // Help and wrong usage end the process here.
    let parsed = command.try_get_matches().and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches)?;
        Ok((cli, matches))
    });
    let (mut cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(e) => return parse_failure(&e),
    };
    if let Some(Command::Doctor(args)) = &mut cli.command {
        args.named_in(&matches);
    }
    if cli.command.as_ref().is_none_or(Command::is_covered)
        && let Err(error) = environment::cover(&matches, settings.iter().flat_map(Settings::key_variables))
    {
        eprintln!("waldo: cannot restart without keys in the environment: {error}");
        return exit::code(exit::ENVIRONMENT);
    }
    if cli.command.as_ref().is_some_and(Command::is_covered)
        && let Some(error) = crate::memory::too_little()
    {
        eprintln!("waldo: {error}");
        return exit::code(exit::ENVIRONMENT);
    }
    carry_out(cli.verbose, async {
        match (settings, cli.command) {
            (Err(e), command) if !command.as_ref().is_none_or(Command::works_without_config) => Err(e.into()),
            (settings, Some(command)) => dispatch(command, settings).await,
            (_, None) => home::run().await,
        }
    })
}

/// Plays a command to its end, and says how it ended.
fn carry_out(verbose: u8, play: impl Future<Output = Result<u8>>) -> ExitCode {
    set_up_log(verbose);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => {
            eprintln!("waldo: cannot start: {e}");
            return exit::code(exit::FAILED);
        }
    };
    let done = runtime.block_on(crate::stop::unless_at_once(play)).unwrap_or(Ok(exit::STOPPED));
    let refused = waldo_devices::peer::refused();
    if refused > 0 {
        let (connections, were) = (count(refused, "connection"), either(refused, "was", "were"));
        tracing::warn!(
            "{connections} of other processes {were} refused: waldo serves only its own processes"
        );
    }
    // Blocking work that no longer matters must not hold up the end.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    let unwritten = crate::out::failed();
    if let Some(why) = unwritten {
        eprintln!("waldo: standard output could not be written: {why}");
    }
    match done {
        Ok(exit::OK) if unwritten.is_some() => exit::code(exit::FAILED),
        Ok(code) => exit::code(code),
        Err(e) => {
            let code = e.exit_code();
            // The messages say their causes themselves; programs get them unwrapped and unadorned.
            if std::io::stderr().is_terminal() {
                // What the message quotes brings no colours of its own; only the name before it has some.
                let message = crate::masking::mask(e.to_string());
                let message = terminal::clean(&message).into_owned();
                let red = if environment::var_os("NO_COLOR").is_none_or(|v| v.is_empty()) {
                    AnsiColor::Red.on_default().bold()
                } else {
                    Style::new()
                };
                // Nobody can be told where this fails.
                let _ = writeln!(terminal::coloured_stderr(), "{red}waldo:{red:#} {message}");
            } else {
                eprintln!("waldo: {e}");
            }
            exit::code(code)
        }
    }
}

/// Prints help, the version, or what is wrong with the command line, which may quote a foreign configuration.
fn parse_failure(e: &clap::Error) -> ExitCode {
    let text = e.render().to_string();
    if e.use_stderr() {
        crate::out::tell(format_args!("{}", without_sign_ins(&text)));
    } else {
        crate::out::write(format_args!("{text}"));
    }
    exit::code(u8::try_from(e.exit_code()).unwrap_or(exit::FAILED))
}

/// A text without the user and password of the addresses in it: what is wrong with a flag quotes the flag.
fn without_sign_ins(text: &str) -> String {
    let mut parts = text.split("://");
    let mut told = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        told.push_str("://");
        let host = part.find(|c: char| c.is_whitespace() || "/'\"`".contains(c)).unwrap_or(part.len());
        match part[..host].rfind('@') {
            Some(at) => {
                told.push_str("...");
                told.push_str(&part[at..]);
            }
            None => told.push_str(part),
        }
    }
    told
}

/// What is logged goes to standard error, in colour for terminals only. Equal warnings are told once, where nobody asked
/// for more of the log.
fn set_up_log(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "info",
        _ => "debug",
    };
    let asked =
        environment::var("WALDO_LOG").and_then(|filter| tracing_subscriber::EnvFilter::try_new(filter).ok());
    let writer = match (verbose, &asked) {
        (0, None) => BoxMakeWriter::new(crate::repeats::Repeats::new(terminal::coloured_stderr)),
        _ => BoxMakeWriter::new(terminal::coloured_stderr),
    };
    let filter = asked.unwrap_or_else(|| tracing_subscriber::EnvFilter::new(format!("error,waldo={level}")));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(
            std::io::stderr().is_terminal() && environment::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        )
        .with_writer(writer)
        .without_time()
        .init();
}

impl Command {
    /// Whether the command reads keys or secrets, or starts programs beside which nobody should find them.
    fn is_covered(&self) -> bool {
        match self {
            #[cfg(feature = "mcp")]
            Self::Session(command) => command.is_covered(),
            // It starts waldo eval, which reads them.
            Self::Reproduce(_) => false,
            #[cfg(feature = "android")]
            Self::Pair(_) | Self::Simphone(_) => false,
            #[cfg(feature = "bridge")]
            Self::Bridge(_) => false,
            Self::Docs(_)
            | Self::Label(_)
            | Self::Score(_)
            | Self::Tasks(_)
            | Self::Models(_)
            | Self::Report(_)
            | Self::Compare(_)
            | Self::Export(_)
            | Self::Merge(_)
            | Self::ServeModel(_)
            | Self::Config(_)
            | Self::Prompts(_)
            | Self::Completions(_) => false,
            _ => true,
        }
    }

    /// Whether the command is of use although the configuration is broken.
    fn works_without_config(&self) -> bool {
        match self {
            Self::Config(args) => args.bears_errors(),
            Self::Doctor(_) | Self::Completions(_) => true,
            _ => false,
        }
    }
}

async fn dispatch(command: Command, settings: Result<Settings, ConfigError>) -> Result<u8, CliError> {
    match command {
        Command::Eval(args) => eval::run(*args, &settings?.contestants).await,
        Command::Env(args) => eval::serve(*args, &settings?.contestants).await,
        Command::Run(args) => run::run(args).await,
        Command::Drive(args) => drive::run(args).await,
        #[cfg(feature = "web")]
        Command::Login(args) => login::run(args).await,
        Command::Explore(args) => explore::run(args).await,
        Command::Demo(args) => demo::run(args).await,
        Command::Docs(args) => docs::run(&args),
        Command::Label(args) => label::run(&args),
        Command::Elements(args) => elements::run(&args).await,
        #[cfg(feature = "android")]
        Command::Simphone(args) => simphone::run(args).await,
        Command::Score(args) => score::run(&args),
        Command::Tasks(args) => tasks::run(&args),
        Command::Check(args) => check::run(args).await,
        Command::Grounding(args) => grounding::run(args).await,
        Command::Questions(args) => questions::run(args).await,
        Command::Agents(args) => agents::run(&args).await,
        Command::Models(args) => models::run(&args),
        Command::Apps(args) => apps::run(args).await,
        #[cfg(feature = "vm")]
        Command::Vm(args) => vm::run(args).await,
        #[cfg(not(feature = "vm"))]
        Command::Vm(_) => Err(absent::VM.into()),
        Command::Devices(args) => devices::run(&args).await,
        #[cfg(feature = "android")]
        Command::Pair(args) => pair::run(&args).await,
        Command::Replay(args) => replay::run(args).await,
        Command::Report(args) => report::run(&args).await,
        Command::Export(args) => export::run(&args).await,
        Command::Compare(args) => compare::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        #[cfg(feature = "fleet")]
        Command::Worker(args) => worker::run(args, &settings?.contestants).await,
        #[cfg(feature = "fleet")]
        Command::Queue(args) => queue::run(&args).await,
        #[cfg(not(feature = "fleet"))]
        Command::Worker(_) | Command::Queue(_) => Err(absent::FLEET.into()),
        #[cfg(feature = "mcp")]
        Command::Mcp(args) => mcp::run(args).await,
        #[cfg(feature = "mcp")]
        Command::Session(command) => shell::run(command).await,
        #[cfg(feature = "bridge")]
        Command::Bridge(args) => bridge::run(args).await,
        Command::ServeModel(args) => serve_model::run(args).await,
        Command::Config(args) => config::run(&args, settings),
        Command::Prompts(args) => prompts::run(&args, settings),
        Command::Init(args) => init::run(*args).await,
        Command::Doctor(args) => doctor::run(&args, settings).await,
        Command::Completions(args) => completions::run(&args, &mut self::command()),
    }
}

fn print_json<T: serde::Serialize>(value: &T) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|e| CliError::Internal(format!("a result as JSON: {e}")))?;
    println!("{text}");
    Ok(())
}

/// A file that was named on the command line. It may be a pipe of the shell's, so only its size is bounded.
fn read(path: &std::path::Path) -> Result<Vec<u8>, CliError> {
    use std::io::Read as _;
    let most = waldo_devices::foreign::LARGE_BYTES;
    let all = std::fs::File::open(path).and_then(|file| {
        let mut bytes = Vec::new();
        file.take(most + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most {
            return Err(std::io::Error::other("it has more than 1024 MiB"));
        }
        Ok(bytes)
    });
    all.map_err(|source| CliError::Io { what: format!("cannot read {}", path.display()), source })
}

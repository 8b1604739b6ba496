//! `waldo open`, `see`, `tap` and the others: a session that single commands of a shell work on.
//!
//! The session is `waldo mcp` in a process of its own, at a socket of this user; each command is a client of it that makes
//! one call. So tools, numbers, guard, record and report are those of every other client.

mod link;
mod place;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use waldo_devices::child;

use self::link::SessionLink;
use self::place::SessionPlace;
use super::{CliError, mcp, print_json};
use crate::numbers::whole;
use crate::own_socket::OwnSocket;
use crate::{environment, exit};

/// What a coding agent reads to use a session.
const SKILL: &str = include_str!("SKILL.md");

/// Start a session that the commands see, tap, fill and so on work on.
///
/// It goes on in the background until waldo close, or until no command came for --idle seconds. Flags are those of waldo mcp:
/// they say which origins or apps may be touched, and nothing later widens them. The session is a run folder with a
/// report.
#[derive(Debug, clap::Args)]
pub struct OpenArgs {
    /// The page to start on; on a phone an app, on a desktop a program with its arguments.
    #[arg(value_name = "PAGE|APP", conflicts_with_all = ["url", "open"])]
    start: Option<String>,
    #[command(flatten)]
    session: SessionName,
    /// Seconds without a command after which the session ends.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, value_parser = whole::<u64>(1..=604_800))]
    idle: u64,
    /// Be the session, at this socket.
    #[arg(long, hide = true, value_name = "PATH", conflicts_with = "http")]
    at: Option<PathBuf>,
    #[command(flatten)]
    mcp: mcp::Args,
}

/// Which session is meant, and in which form it answers.
#[derive(Clone, Debug, clap::Args)]
pub struct SessionName {
    /// The name of the session.
    #[arg(short = 's', long = "session", value_name = "NAME", default_value = "default")]
    name: String,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// A call of a tool.
#[derive(Debug, clap::Args)]
pub struct CallArgs {
    #[command(flatten)]
    session: SessionName,
    /// The tool's parameters in their order, or each as NAME=VALUE.
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    values: Vec<String>,
}

impl CallArgs {
    /// With the flags of the session that stand after the values: a value may begin with a hyphen, so they are read as values.
    fn with_flags_at_the_end(mut self) -> Self {
        loop {
            match self.values.as_slice() {
                [.., flag] if flag == "--json" => {
                    self.session.json = true;
                    self.values.pop();
                }
                [_, .., flag, _] if flag == "-s" || flag == "--session" => {
                    self.session.name = self.values.pop().unwrap_or_default();
                    self.values.pop();
                }
                _ => return self,
            }
        }
    }
}

/// Call any tool of the session by its name; without a name, list the tools.
#[derive(Debug, clap::Args)]
pub struct ActArgs {
    /// The tool.
    tool: Option<String>,
    #[command(flatten)]
    call: CallArgs,
}

/// Write the picture of the session's screen to a file.
#[derive(Debug, clap::Args)]
pub struct ShotArgs {
    #[command(flatten)]
    session: SessionName,
    /// The file.
    #[arg(default_value = "screen.png")]
    file: PathBuf,
    /// Draw the numbers of the elements on it.
    #[arg(long)]
    numbers: bool,
}

/// End a session.
#[derive(Debug, clap::Args)]
pub struct CloseArgs {
    #[command(flatten)]
    session: SessionName,
}

/// Commands that start a session and that work on it.
#[derive(Debug, clap::Subcommand)]
pub enum SessionCommand {
    Open(Box<OpenArgs>),
    #[command(flatten)]
    Warm(WarmCommand),
}

/// Commands on a session that is open. They take nothing from the configuration.
#[derive(Debug, clap::Subcommand)]
pub enum WarmCommand {
    /// List what is on the screen of the session, by number.
    See(CallArgs),
    /// Press an element.
    Tap(CallArgs),
    /// Replace the text of a field.
    Fill(CallArgs),
    /// Type a text where the focus is.
    Type(CallArgs),
    /// Press keys.
    Key(CallArgs),
    /// Scroll the page, or an element.
    Scroll(CallArgs),
    /// Drag an element onto another.
    Drag(CallArgs),
    /// Choose an option of a list.
    Select(CallArgs),
    /// Go back.
    Back(CallArgs),
    /// Open a page, or an app, in the session.
    Goto(CallArgs),
    /// Wait until the screen shows a text.
    WaitFor(CallArgs),
    /// Print the text of the whole page.
    Read(CallArgs),
    Act(ActArgs),
    Shot(ShotArgs),
    Close(CloseArgs),
    /// Print a page for coding agents that says how to use a session.
    Skill,
}

/// The command line of those alone, which is read in a moment: all of waldo's has over a thousand flags.
#[derive(Debug, clap::Parser)]
pub struct WarmCli {
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub verbose: u8,
    #[command(subcommand)]
    pub command: WarmCommand,
}

impl SessionCommand {
    /// Whether it is the session itself, which reads secrets and starts programs.
    pub fn is_covered(&self) -> bool {
        matches!(self, Self::Open(args) if args.at.is_some())
    }
}

pub async fn run(command: SessionCommand) -> Result<u8, CliError> {
    match command {
        SessionCommand::Open(args) if args.at.is_some() => serve(*args).await,
        SessionCommand::Open(args) => open(&args).await,
        SessionCommand::Warm(command) => carry_out(command).await,
    }
}

pub async fn carry_out(command: WarmCommand) -> Result<u8, CliError> {
    let (tool, args) = match command {
        WarmCommand::Act(args) => match args.tool {
            Some(tool) => return call(&tool, &args.call.with_flags_at_the_end()).await,
            None => return list(&args.call).await,
        },
        WarmCommand::Shot(args) => return shot(&args).await,
        WarmCommand::Close(args) => return close(&args.session).await,
        WarmCommand::Skill => {
            print!("{SKILL}");
            return Ok(exit::OK);
        }
        WarmCommand::See(args) => ("observe", args),
        WarmCommand::Tap(args) => ("tap", args),
        WarmCommand::Fill(args) => ("fill", args),
        WarmCommand::Type(args) => ("type", args),
        WarmCommand::Key(args) => ("key", args),
        WarmCommand::Scroll(args) => ("scroll", args),
        WarmCommand::Drag(args) => ("drag", args),
        WarmCommand::Select(args) => ("select", args),
        WarmCommand::Back(args) => ("back", args),
        WarmCommand::Goto(args) => ("open", args),
        WarmCommand::WaitFor(args) => ("wait_for", args),
        WarmCommand::Read(args) => ("read", args),
    };
    call(tool, &args.with_flags_at_the_end()).await
}

async fn serve(args: OpenArgs) -> Result<u8, CliError> {
    // A terminal that closes does not end it.
    let _ = rustix::process::setsid();
    let mut session = args.mcp;
    if session.device.family().has_origins() {
        session.url = args.start.or(session.url);
    } else {
        session.open = args.start.or(session.open);
    }
    let path = args.at.unwrap_or_default();
    let socket = OwnSocket::bind(&path).await.map_err(place::failed("listen at", &path))?;
    mcp::run_at(session, socket, Duration::from_secs(args.idle)).await
}

/// Starts a session in the background, and shows its screen.
async fn open(args: &OpenArgs) -> Result<u8, CliError> {
    let place = SessionPlace::of(&args.session.name)?;
    place.make()?;
    if SessionLink::to(&place).await.is_ok() {
        return Err(CliError::Input(format!(
            "the session '{0}' is open already: end it with waldo close --session {0}, or give another --session",
            args.session.name
        )));
    }
    let log = place.log();
    let opened = std::fs::File::create(&log).map_err(place::failed("write", &log))?;
    let program = std::env::current_exe()
        .map_err(|error| CliError::Internal(format!("the path of this program: {error}")))?;
    let mut session = child::bare(&program);
    session.args(std::env::args_os().skip(1)).arg("--at").arg(place.socket()).envs(environment::all());
    session.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(opened);
    let mut session = session.spawn().map_err(place::failed("start", &program))?;
    let mut said = session.stdout.take();
    // It says one line once it is ready, and closes its end where it cannot start.
    let ready = tokio::task::spawn_blocking(move || {
        let mut line = vec![0; mcp::READY.len()];
        said.as_mut().is_some_and(|said| said.read_exact(&mut line).is_ok())
    });
    if !ready.await.unwrap_or(false) {
        let ended = session.wait().map_err(place::failed("wait for", &program))?;
        eprint!("{}", place.said());
        return Ok(ended.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(exit::FAILED));
    }
    print_said(&SessionLink::to(&place).await?.call("observe", Map::new()).await?, args.session.json)
}

async fn call(tool: &str, args: &CallArgs) -> Result<u8, CliError> {
    let mut link = SessionLink::to(&SessionPlace::of(&args.session.name)?).await?;
    let arguments = link.arguments(tool, &args.values).await?;
    let result = link.call(tool, arguments).await?;
    print_said(&result, args.session.json)
}

async fn list(args: &CallArgs) -> Result<u8, CliError> {
    let mut link = SessionLink::to(&SessionPlace::of(&args.session.name)?).await?;
    let tools = link.tools().await?;
    if args.session.json {
        print_json(&json!(tools))?;
        return Ok(exit::OK);
    }
    for tool in &tools {
        let values = tool.parameters.join(" ");
        println!("{} {values}\n    {}", tool.name, tool.description);
    }
    Ok(exit::OK)
}

async fn shot(args: &ShotArgs) -> Result<u8, CliError> {
    let mut link = SessionLink::to(&SessionPlace::of(&args.session.name)?).await?;
    let result = match args.numbers {
        true => link.call("observe", Map::from_iter([("picture".to_owned(), json!(true))])).await?,
        false => link.call("screenshot", Map::new()).await?,
    };
    let pictures = result["content"].as_array().into_iter().flatten();
    let data = pictures.filter_map(|part| part["data"].as_str()).next();
    let Some(picture) = data.and_then(|data| STANDARD.decode(data).ok()) else {
        return print_said(&result, args.session.json);
    };
    write(&args.file, &picture)?;
    match args.session.json {
        true => print_json(&json!({ "file": args.file }))?,
        false => println!("{}", args.file.display()),
    }
    Ok(exit::OK)
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), CliError> {
    std::fs::write(file, bytes).map_err(place::failed("write", file))
}

async fn close(session: &SessionName) -> Result<u8, CliError> {
    let place = SessionPlace::of(&session.name)?;
    SessionLink::to(&place).await?.end().await?;
    // Its last line says where the report is.
    let said = place.said();
    match session.json {
        true => print_json(&json!({ "said": said.lines().last() }))?,
        false => println!("{}", said.lines().last().unwrap_or("the session has ended")),
    }
    Ok(exit::OK)
}

/// Prints a result: its texts, what went wrong to standard error, or all of it as JSON.
fn print_said(result: &Value, as_json: bool) -> Result<u8, CliError> {
    if as_json {
        print_json(result)?;
        return Ok(code(result));
    }
    let texts = result["content"].as_array().into_iter().flatten().filter_map(|part| part["text"].as_str());
    for text in texts {
        match code(result) {
            exit::OK => println!("{text}"),
            _ => eprintln!("{text}"),
        }
    }
    Ok(code(result))
}

fn code(result: &Value) -> u8 {
    if result["isError"] == true { exit::FAILED } else { exit::OK }
}

use std::path::PathBuf;

use clap::Subcommand;
use serde_json::json;
use waldo_tasks::suite::problem::suggest;

use super::{CliError, Result, print_json};
use crate::config::{ConfigError, Settings};
use crate::exit;
use crate::prompts::{self, SUFFIX};

/// List, show and copy the prompt templates.
///
/// A folder given as --prompts (or prompts.dir in the configuration) replaces templates of the same
/// name. Every template is tried out before a run: a value that its context lacks is an error.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Command,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Every template with its hash, as manifests hold it.
    List {
        /// Folder of templates that replace built-in ones.
        #[arg(long, value_name = "DIR")]
        prompts: Option<PathBuf>,
    },
    /// The text of a template.
    Show {
        /// Its name, such as appagent/deploy.
        name: String,
        /// Folder of templates that replace built-in ones.
        #[arg(long, value_name = "DIR")]
        prompts: Option<PathBuf>,
    },
    /// Copy the built-in templates into a folder for editing. Existing files are kept.
    Eject {
        /// The folder.
        dir: PathBuf,
    },
}

pub fn run(args: &Args, settings: Result<Settings, ConfigError>) -> Result<u8> {
    let configured = settings?.value("prompts.dir").map(PathBuf::from);
    match &args.what {
        Command::List { prompts } => {
            let all = prompts::open(prompts.as_deref().or(configured.as_deref()))?;
            let hashes = all.hashes();
            if args.json {
                let list: Vec<_> = hashes
                    .iter()
                    .map(|(name, hash)| json!({ "name": name, "sha256": hash, "replaced": all.is_replaced(name) }))
                    .collect();
                print_json(&list)?;
            } else {
                for (name, hash) in &hashes {
                    let mark = if all.is_replaced(name) { "  (replaced)" } else { "" };
                    println!("{name:<24} {}{mark}", hash.get(..12).unwrap_or_default());
                }
            }
        }
        Command::Show { name, prompts } => {
            let all = prompts::open(prompts.as_deref().or(configured.as_deref()))?;
            let name = name.trim_end_matches(SUFFIX);
            let Some(text) = all.source(name) else {
                let known: Vec<&str> = all.names().collect();
                return Err(CliError::Input(format!("no template '{name}'; {}", suggest(name, &known))));
            };
            if args.json {
                print_json(&json!({ "name": name, "text": text, "replaced": all.is_replaced(name) }))?;
            } else {
                print!("{text}");
            }
        }
        Command::Eject { dir } => eject(args, dir)?,
    }
    Ok(exit::OK)
}

fn eject(args: &Args, dir: &std::path::Path) -> Result<()> {
    let all = prompts::open(None)?;
    let mut done = Vec::new();
    for name in all.names() {
        let path = dir.join(format!("{name}{SUFFIX}"));
        let io = |source| CliError::Io { what: format!("cannot write {}", path.display()), source };
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(io)?;
        }
        let fresh = std::fs::OpenOptions::new().write(true).create_new(true).open(&path);
        let written = match fresh {
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => false,
            Err(e) => return Err(io(e)),
            Ok(mut file) => {
                let text = all.source(name).unwrap_or_default();
                std::io::Write::write_all(&mut file, text.as_bytes()).map_err(io)?;
                true
            }
        };
        done.push((path, written));
    }
    if args.json {
        let list: Vec<_> = done.iter().map(|(path, new)| json!({ "path": path, "written": new })).collect();
        return print_json(&list);
    }
    for (path, written) in &done {
        println!("{}{}", path.display(), if *written { "" } else { " (was there; not touched)" });
    }
    Ok(())
}

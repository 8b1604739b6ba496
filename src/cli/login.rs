//! `waldo login`.
//!
//! Invariants: nothing of a login is recorded, for what is typed there are passwords; what it ends with is in one file,
//! its owner's alone, and only where the person says that it is done.

use std::path::PathBuf;

use waldo_devices::private_dir::{DirKind, ScratchDir};
use waldo_web::{StateFileError, StorageState};

use super::CliError;
use super::guard::GuardArgs;
use super::run::{self, Keeping};
use super::secrets::SecretArgs;
use crate::exit;
use crate::numbers::port;
use crate::screens::BrowserArgs;

/// The folders in which what is kept for a moment lies.
const PRIVATE: DirKind = DirKind { prefix: "waldo-login-", owner: "waldo-owner" };

/// Sign in to a site by hand, and save the login state.
///
/// A local page shows the browser, and you press and type on it; with --headed its window does. Once you say on the page that
/// the goal is reached, cookies and local storage are written to the file, which only you can read: whoever has it
/// is you on that site. Nothing else is recorded. Give it to others with --storage-state.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The page to sign in on.
    #[arg(long)]
    url: String,
    /// The file of the state. An existing file is replaced.
    #[arg(long, value_name = "FILE")]
    save: PathBuf,
    /// Print where the state is, and whether there is any, as JSON.
    #[arg(long)]
    json: bool,
    /// The page's port [default: a free one].
    #[arg(long, default_value_t = 0, hide_default_value = true, value_parser = port)]
    port: u16,
    #[command(flatten)]
    browser: BrowserArgs,
    #[command(flatten)]
    guard: GuardArgs,
    #[command(flatten)]
    secrets: SecretArgs,
}

fn refused(error: StateFileError) -> CliError {
    CliError::Input(error.to_string())
}

pub async fn run(args: Args) -> Result<u8, CliError> {
    let Args { url, save, json, port, browser, guard, secrets } = args;
    if browser.save_storage_state.is_some() {
        return Err(CliError::Input(
            "--save names the file of the state: leave --save-storage-state out".into(),
        ));
    }
    let folder = save.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) || save.is_dir() {
        return Err(CliError::Input(format!(
            "--save {}: name a file in a folder that exists",
            save.display()
        )));
    }
    let temp = std::env::temp_dir();
    let made = ScratchDir::make(&temp, PRIVATE);
    let private = made.map_err(|source| CliError::Io { what: "a private folder".to_owned(), source })?;
    let state = private.path().join("state.json");
    let browser = BrowserArgs { save_storage_state: Some(state.clone()), ..browser };
    // Boxed: it is all of what a run is.
    let done = match run::Args::driven(port) {
        Ok(driven) => {
            let (goal, url) = ("Sign in, then say that the goal is reached.".to_owned(), Some(url));
            let (out, record) = (Some(private.path().join("run")), Keeping::Removed);
            Box::pin(run::run(run::Args { goal, url, out, record, browser, guard, secrets, ..driven })).await
        }
        Err(error) => Err(error),
    };
    let kept = match &done {
        Ok(exit::OK) => StorageState::read(&state).and_then(|state| {
            state.write(&save)?;
            Ok(state)
        }),
        _ => Ok(StorageState::default()),
    };
    let removed = std::fs::remove_dir_all(private.path());
    let code = done?;
    let kept = kept.map_err(refused)?;
    removed
        .map_err(|source| CliError::Io { what: format!("removing {}", private.path().display()), source })?;
    if code != exit::OK {
        eprintln!("the login was not confirmed: nothing was saved");
        return Ok(code);
    }
    if kept.is_empty() {
        eprintln!("the site keeps neither cookies nor local storage: the state is empty");
    }
    if json {
        super::print_json(&serde_json::json!({ "state": save, "empty": kept.is_empty() }))?;
        return Ok(code);
    }
    println!("the state is in {}: use it with --storage-state, and keep it secret", save.display());
    Ok(code)
}

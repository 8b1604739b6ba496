use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_util::task::AbortOnDropHandle;
use waldo_devices::Deadline;
use waldo_devices::peer::PeerRule;
use waldo_tasks::TaskError;
use waldo_tasks::apps::{AppInstance, Apps};
use waldo_tasks::suite::{AppDef, SiteLease as _, app_names};

use super::{CliError, print_json};
use crate::exit;
use crate::numbers::whole;
use crate::serve::{AppLease, apps, token};
use crate::stop::{on_signals, stop_at_once};

/// How long an instance may take to start.
const STARTS_WITHIN: Duration = Duration::from_secs(60);

/// Install, list and try out the applications that suites are played on.
///
/// They come from PyPI, Debian and npm, in pinned versions whose hashes are checked, and go to `waldo/apps` in the folder for
/// caches (`XDG_CACHE_HOME`, else `~/.cache`). Nothing of the system is changed.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the applications, and which are installed.
    List(Named),
    /// Install applications.
    Install(Named),
    /// Start each application once, and say what is missing.
    Doctor(Named),
    /// Remove what was installed.
    Remove(Named),
    /// Run an instance until it is stopped, and print its address.
    Serve {
        /// The application.
        name: String,
        /// Seed of what the instance holds.
        #[arg(long, default_value_t = 0, value_parser = whole::<u64>(0..))]
        seed: u64,
        /// Print the address as JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, clap::Args)]
struct Named {
    /// The applications, or paths of folders with an app.toml [default: all that are built in].
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Named {
    fn all(&self) -> Result<Vec<Arc<AppDef>>, TaskError> {
        let known = app_names();
        let names = self.names.iter().map(String::as_str);
        let names: Vec<&str> = if self.names.is_empty() { known } else { names.collect() };
        names.into_iter().map(AppDef::find).collect()
    }

    /// Does something with each application, and prints a line or an object of it. The first error is the command's.
    async fn each<F>(&self, act: F) -> Result<u8, CliError>
    where
        F: AsyncFn(&Apps, &Arc<AppDef>) -> Result<(String, Value), TaskError>,
    {
        let (apps, mut first, mut told) = (apps()?, None, Vec::new());
        for app in self.all()? {
            let (line, of_app) = match act(&apps, &app).await {
                Ok(done) => done,
                Err(error) => {
                    let text = error.to_string();
                    first = first.or(Some(error));
                    (text.clone(), json!({ "ok": false, "error": text }))
                }
            };
            if !self.json {
                println!("{line}");
            }
            let mut all = json!({ "name": app.name, "version": app.file.version });
            if let (Value::Object(all), Value::Object(more)) = (&mut all, of_app) {
                all.extend(more);
            }
            told.push(all);
        }
        if self.json {
            print_json(&told)?;
        }
        match first {
            Some(TaskError::App { .. }) if self.json => Ok(exit::ENVIRONMENT),
            Some(error) => Err(error.into()),
            None => Ok(exit::OK),
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "megabytes are told to people")]
fn megabytes(bytes: u64) -> f64 {
    (bytes as f64 / 100_000.0).round() / 10.0
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}

pub async fn run(args: Args) -> Result<u8, CliError> {
    // What was started ends with this, also where it is stopped.
    let _stopper = AbortOnDropHandle::new(tokio::spawn(on_signals(stop_at_once)));
    match args.command {
        Command::List(named) => named.each(list).await,
        Command::Install(named) => named.each(install).await,
        Command::Doctor(named) => named.each(doctor).await,
        Command::Remove(named) => named.each(remove).await,
        Command::Serve { name, seed, json } => serve(&AppDef::find(&name)?, seed, json).await,
    }
}

async fn list(apps: &Apps, app: &Arc<AppDef>) -> Result<(String, Value), TaskError> {
    let AppDef { name, file, .. } = app.as_ref();
    let installed = apps.installed(app);
    let state = match &installed {
        Some(installed) => format!("installed, {} MB", megabytes(installed.bytes)),
        None => format!("not installed (about {} MB, {} s)", file.install.megabytes, file.install.seconds),
    };
    let json = json!({
        "title": file.title,
        "licence": file.licence,
        "installed": installed.is_some(),
        "megabytes": installed.map(|installed| megabytes(installed.bytes)),
    });
    Ok((format!("{name:<12} {:<14} {state}; {}, {}", file.version, file.title, file.licence), json))
}

async fn install(apps: &Apps, app: &Arc<AppDef>) -> Result<(String, Value), TaskError> {
    let start = Instant::now();
    let progress = |what: &str| {
        eprintln!("{}: {what} ({:.0} s)", app.name, start.elapsed().as_secs_f64());
    };
    let known = apps.installed(app).is_some();
    let installed = apps.install(app, &progress).await?;
    let (size, seconds) = (megabytes(installed.bytes), rounded(installed.seconds));
    let line = match known {
        true => format!("{}: is installed, {size} MB", app.name),
        false => format!("{}: installed, {size} MB in {seconds} s", app.name),
    };
    Ok((line, json!({ "ok": true, "new": !known, "megabytes": size, "seconds": seconds })))
}

async fn doctor(apps: &Apps, app: &Arc<AppDef>) -> Result<(String, Value), TaskError> {
    let seeds = app.seeds_of(0)?;
    let start = Instant::now();
    let instance = AppInstance::start(apps, app, &seeds, Deadline::after(STARTS_WITHIN)).await?;
    let up = rounded(start.elapsed().as_secs_f64());
    let stores = instance.stores(Deadline::after(STARTS_WITHIN)).await?;
    let rows: usize = stores.values().map(std::collections::BTreeMap::len).sum();
    let line =
        format!("{}: starts in {up} s; {} stores with {rows} entries are judged", app.name, stores.len());
    Ok((line, json!({ "ok": true, "starts_in_seconds": up, "stores": stores.len(), "entries": rows })))
}

async fn remove(apps: &Apps, app: &Arc<AppDef>) -> Result<(String, Value), TaskError> {
    let freed = megabytes(apps.remove(app)?);
    Ok((format!("{}: removed, {freed} MB", app.name), json!({ "ok": true, "megabytes": freed })))
}

/// An instance for somebody's own browser. Other users of this machine do not reach it.
async fn serve(app: &Arc<AppDef>, seed: u64, json: bool) -> Result<u8, CliError> {
    let lease = AppLease::new(app, &token()?, PeerRule::this_user()).await?;
    lease.open(&app.seeds_of(seed)?, Deadline::after(STARTS_WITHIN)).await?;
    let address = format!("{}/", lease.origin());
    if json {
        print_json(&json!({ "address": address }))?
    } else {
        println!("{address}")
    }
    eprintln!("stop it with Ctrl-C");
    let mut round = tokio::time::interval(Duration::from_secs(1));
    loop {
        round.tick().await;
        lease.health().await?;
    }
}

use std::path::PathBuf;

use tokio_util::sync::CancellationToken;
use waldo_tasks::RunFolder;

use super::tables::{Tables, declared_budgets, scores};
use super::{CliError, Result, print_json};
use crate::exit;
use crate::numbers::{port, whole};
use crate::offline::{LevelRun, MANIFEST};
use crate::report::across::Across;
use crate::report::levels::LevelOptions;
use crate::report::{self, ReportOptions};
use crate::serve::ReportServer;
use crate::stop::stop_on_signal;
use waldo_devices::JsonMembers as _;

/// Write the report of a run again: report.html, results.csv, junit.xml, summary.md, summary.json.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run folder.
    run: PathBuf,
    /// Where the files go [default: the run folder].
    #[arg(short, long)]
    out: Option<PathBuf>,
    /// Print the table as if each episode had been stopped after this many steps.
    #[arg(long, value_name = "STEPS", value_parser = whole::<u32>(1..))]
    budget: Option<u32>,
    /// Make the table and the report also for these step budgets [default: those that the suite declares].
    #[arg(long, value_name = "STEPS,...", value_delimiter = ',', value_parser = crate::cli::tables::budget)]
    budgets: Vec<u32>,
    #[command(flatten)]
    levels: LevelOptions,
    /// Also show the scores that the same contestants have in this run of l1 or l2, in one table of all levels; may be
    /// given several times.
    #[arg(long, value_name = "RUN")]
    with: Vec<PathBuf>,
    /// Also write a self-contained page, to be sent to somebody, with the steps of as many episodes as fit, failures
    /// first.
    #[arg(long, value_name = "FILE.html")]
    single_file: Option<PathBuf>,
    /// Megabytes that the steps and pictures in such a page may have, about.
    #[arg(long, value_name = "MB", default_value_t = 15, requires = "single_file", value_parser = whole::<u64>(0..))]
    single_file_size: u64,
    /// Serve the report on loopback, and print its address, until it is stopped.
    #[arg(long, conflicts_with = "out")]
    serve: bool,
    /// The port to serve it on; 0 takes a free one.
    #[arg(long, default_value_t = 0, requires = "serve", value_parser = port)]
    port: u16,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub async fn run(args: &Args) -> Result<u8> {
    if args.run.join(MANIFEST).is_file() {
        return level(args);
    }
    let folder = RunFolder::open(&args.run)?;
    let out = args.out.as_deref().unwrap_or(&args.run);
    std::fs::create_dir_all(out)
        .map_err(|source| CliError::Io { what: format!("cannot make {}", out.display()), source })?;
    let budgets =
        if args.budgets.is_empty() { declared_budgets(&folder.manifest) } else { args.budgets.clone() };
    let offline = args.with.iter().map(|run| LevelRun::open(run).map(|run| run.summary()));
    let offline = offline.collect::<Result<Vec<_>, _>>()?;
    let results = folder.results()?;
    let across = Across::of(&folder.manifest, &results, &offline);
    let options = ReportOptions { budgets, levels: args.levels.clone(), offline };
    let scores = scores(&folder.manifest, &results, &options)?;
    let files = report::write_scored(&folder, &results, &scores, out, &options.offline)?;
    if let Some(file) = &args.single_file {
        report::write_alone(
            &folder,
            &results,
            &scores,
            file,
            &options.offline,
            args.single_file_size.saturating_mul(1_000_000),
        )?;
    }
    let tables = Tables::new(&folder.manifest, &results, scores, args.budget);
    let server = if args.serve { Some(ReportServer::start(&args.run, args.port).await?) } else { None };
    let url = server.as_ref().map(ReportServer::url);
    if args.json {
        let mut said = tables.json();
        said["report"] = serde_json::json!(files.html);
        said.put_some("all_levels", (!across.is_empty()).then_some(&across));
        said.put_some("single_file", &args.single_file);
        said.put_some("url", &url);
        print_json(&said)?;
    } else {
        print!("{}{}", tables.text(), across.text());
        println!("\nreport: {}", files.html.display());
        if let Some(file) = &args.single_file {
            println!("single file: {}", file.display());
        }
        if let Some(url) = &url {
            println!("served at {url} until Ctrl-C");
        }
    }
    if server.is_some() {
        let stop = CancellationToken::new();
        let watched = tokio::spawn(stop_on_signal(stop.clone()));
        stop.cancelled().await;
        watched.abort();
    }
    Ok(exit::OK)
}

/// The report of a run of l1 or l2, which has a page of its own.
fn level(args: &Args) -> Result<u8> {
    let run = LevelRun::open(&args.run)?;
    let given = [
        ("--out", args.out.is_some()),
        ("--budget", args.budget.is_some()),
        ("--budgets", !args.budgets.is_empty()),
        ("--with", !args.with.is_empty()),
        ("--single-file", args.single_file.is_some()),
        ("--serve", args.serve),
        ("--paper-weights", args.levels.paper_weights),
    ];
    if let Some((flag, _)) = given.iter().find(|(_, given)| *given) {
        let name = run.level().name();
        return Err(CliError::Input(format!(
            "{flag} cannot be used with a run of {name}, whose page is self-contained"
        )));
    }
    let beside = args.levels.beside;
    let report = run.write(&args.run, beside)?;
    if args.json {
        let mut said = run.json();
        said["report"] = serde_json::json!(report);
        print_json(&said)?;
    } else {
        print!("{}", run.text(beside)?);
        println!("\nreport: {}", report.display());
    }
    Ok(exit::OK)
}

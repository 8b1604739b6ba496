//! `waldo eval l1` and `waldo eval l2`: the levels that are played on pictures.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use data_encoding::HEXLOWER;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;
use waldo_agents::levels::LevelAsker;
use waldo_devices::count::count;
use waldo_prompts::Prompts;
use waldo_tasks::Contestant;
use waldo_tasks::episode::Timeouts;

use super::Args;
use super::rows::{self, EvalRow, add_without_model, check_keys, rows};
use crate::agents::{AgentSetup, PlaceFinder, asks_a_model, is_stand_in, kind};
use crate::cli::{CliError, Result, print_json};
use crate::config::Contestants;
use crate::exit;
use crate::offline::{
    Answers, Bench, Blind, Level, LevelManifest, LevelPlayer, LevelRun, PlaceForm, Played, ReplyRules,
    Wording, blind_names, play, predicted,
};
use crate::preflight::{self, PreflightQuestion};
use crate::stop::{command_line, stop_on_signal};

/// What rows are whose answers come from a file.
const RECORDED: &str = "predictions";

/// Puts every item to every contestant, or says what would be.
pub(super) async fn run(args: &Args, level: Level, defined: &Contestants) -> Result<u8> {
    check(args, level)?;
    let dir = args.offline.mmbench_dir.as_deref().ok_or_else(|| {
        CliError::Input(format!(
            "{} is of MMBench-GUI's data: give --mmbench-dir DIR, or make items of your own (waldo {} make)",
            level.name(),
            if level == Level::L1 { "questions" } else { "grounding" },
        ))
    })?;
    let reading = ReplyRules {
        letters: args.offline.letters.unwrap_or_default(),
        points: args.offline.points.unwrap_or_default(),
        circular: args.offline.circular,
    };
    let bench = Bench::open(level, dir, args.offline.mode.as_deref().unwrap_or("all"), reading)?;
    let mut all = rows(args, defined)?;
    if args.with_bounds {
        // A picture can be asked about in vain, but not be declared infeasible.
        let plays = |agent: &str| asks_a_model(agent) || blind_names(level).contains(&agent);
        all.retain(|row| args.agents.contains(&row.contestant.agent) || plays(&row.contestant.agent));
        let names = blind_names(level).iter().map(|name| ((*name).to_owned(), (*name).to_owned()));
        add_without_model(args, &mut all, names);
    }
    let files = args.offline.predictions.iter();
    let files = files.map(|one| (Contestant::new(&one.name, None).name, RECORDED.to_owned()));
    add_without_model(args, &mut all, files);
    check_keys(&all)?;
    let names: Vec<Contestant> = all.iter().map(|row| row.contestant.clone()).collect();
    let out = args.folder(level.name(), &names);
    if args.dry_run {
        return plan(args, &bench, &names, &out);
    }
    let prompts = Arc::new(crate::prompts::open(args.settings.model.prompts.as_deref())?);
    let (mut players, mut questions) = (HashMap::new(), Vec::new());
    for row in &all {
        let (player, asked) = player(args, row, &bench, &prompts)?;
        players.insert(row.contestant.name.clone(), player);
        questions.extend(asked);
    }
    let manifest = manifest(args, &bench, &all, &prompts)?;
    let answers = Answers::begin(&out, &manifest)?;
    if answers.missing(&manifest, &bench).is_empty() {
        return finish(args, &out, LevelRun::of(manifest, bench, answers));
    }
    preflight::ask(&questions).await?;
    let stop = CancellationToken::new();
    let heard = tokio::spawn(stop_on_signal(stop.clone()));
    let played = play(&manifest, &bench, &players, &answers, args.workers.into(), &stop).await;
    heard.abort();
    let Played { kept, asked, missing } = played?;
    if missing > 0 {
        eprintln!("stopped with {missing} of {} missing", count(kept + asked + missing, "answer"));
        eprintln!("resume with: {}", command_line());
        return Ok(exit::STOPPED);
    }
    finish(args, &out, LevelRun::of(manifest, bench, answers))
}

/// Refuses what an offline level does not heed: a flag that does nothing is a mistake.
fn check(args: &Args, level: Level) -> Result<()> {
    let name = level.name();
    if args.suites.len() > 1 {
        return Err(CliError::Input(format!(
            "{name} is played on pictures and has a separate table: name it alone (waldo report --with joins tables)"
        )));
    }
    let given = [
        ("--task", !args.tasks.is_empty()),
        ("--repeats", args.repeats != 1),
        ("--same-instance", args.same_instance),
        ("--max-steps", args.max_steps.is_some()),
        ("--max-tokens-total", args.limits.max_tokens_total.is_some()),
        ("--max-cost", args.limits.max_cost.is_some()),
        ("--max-time", args.limits.max_time.is_some()),
        ("--partition", args.partition.is_some()),
        ("--budgets", !args.budgets.is_empty()),
        ("--device", args.device.device.is_some()),
        ("--on", !args.on.is_empty()),
        ("--json-events", args.json_events),
        ("--paper-weights", args.levels.paper_weights),
        ("--circular", level == Level::L2 && args.offline.circular),
        ("--letters", level == Level::L2 && args.offline.letters.is_some()),
        ("--points", level == Level::L1 && args.offline.points.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(CliError::Input(format!("{flag} does not go with {name}"))),
        None => Ok(()),
    }
}

fn form(args: &Args, level: Level) -> PlaceForm {
    if level == Level::L1 || args.offline.points.is_some() { PlaceForm::Benchmark } else { PlaceForm::Own }
}

/// The player of a row, and the questions that test whether its model can be asked.
fn player(
    args: &Args,
    row: &EvalRow,
    bench: &Bench,
    prompts: &Arc<Prompts>,
) -> Result<(LevelPlayer, Vec<PreflightQuestion>)> {
    let Contestant { name, agent, model } = &row.contestant;
    if agent == RECORDED {
        let mut files = args.offline.predictions.iter();
        let file = files.find(|one| Contestant::new(&one.name, None).name == *name);
        let file = file.ok_or_else(|| CliError::Internal(format!("no file of answers for {name}")))?;
        return Ok((predicted(&file.file, bench)?, Vec::new()));
    }
    let Some(model) = model else {
        let blind = Blind::of(agent).ok_or_else(|| {
            CliError::Input(format!("{agent} answers nothing of {}: it asks no model", bench.level.title()))
        })?;
        return Ok((LevelPlayer::Blind(blind), Vec::new()));
    };
    if is_stand_in(model) {
        return Err(CliError::Input(format!(
            "the stand-in '{model}' sees no pictures, which is all that {} has: the ceiling is --agent reference",
            bench.level.name()
        )));
    }
    let settings = &row.own.settings;
    let own = &settings.model;
    let prompts = match own.prompts == args.settings.model.prompts {
        true => prompts.clone(),
        false => Arc::new(crate::prompts::open(own.prompts.as_deref())?),
    };
    let address = own.address();
    let client = own.client(model, &address)?;
    let mut questions: Vec<PreflightQuestion> = own.question(&client, model, &address).into_iter().collect();
    let limit = own.timeouts(Timeouts::default()).decide;
    if form(args, bench.level) == PlaceForm::Benchmark {
        let asker = LevelAsker::new(client, prompts, own.max_tokens);
        return Ok((LevelPlayer::Asked { asker, limit }, questions));
    }
    let kind = kind(agent).ok_or_else(|| CliError::Internal(format!("no agent {agent}")))?;
    let mut finder = kind.finder(&AgentSetup {
        agent,
        settings,
        client: Some(&client),
        base_url: &address,
        prompts: &prompts,
        secrets: Vec::new(),
        docs: Arc::default(),
        origins: &[],
    })?;
    if let PlaceFinder::Grounds { questions: of_grounder, own_model, .. } = &mut finder {
        if !*own_model {
            // The model itself is asked for nothing.
            questions.clear();
        }
        questions.append(of_grounder);
    }
    Ok((LevelPlayer::Finds { finder, prompts, limit }, questions))
}

fn manifest(args: &Args, bench: &Bench, all: &[EvalRow], prompts: &Prompts) -> Result<LevelManifest> {
    let of_levels = |(name, _): &(String, String)| name.starts_with("levels/");
    let mut parameters = Map::new();
    for row in all.iter().filter(|row| !row.defined && row.contestant.model.is_some()) {
        parameters.insert("model".to_owned(), args.settings.model.parameters());
        if let (PlaceForm::Own, Some(kind)) = (form(args, bench.level), kind(&row.contestant.agent)) {
            kind.add_parameters(&row.own.settings, &mut parameters);
        }
    }
    if all.iter().any(|row| row.defined) {
        parameters.insert("contestants".to_owned(), rows::parameters(all)?);
    }
    for one in &args.offline.predictions {
        let bytes = waldo_devices::foreign::read_named(&one.file, MOST_PREDICTIONS)
            .map_err(|source| CliError::Io { what: format!("cannot read {}", one.file.display()), source })?;
        let hash = format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(bytes)));
        parameters.insert(format!("{RECORDED}.{}", one.name), json!(hash));
    }
    Ok(LevelManifest {
        mode: bench.mode.clone(),
        mmbench_dir: absolute(&bench.folder.dir),
        records_sha256: bench.hash.clone(),
        contestants: all.iter().map(|row| row.contestant.clone()).collect(),
        seed: args.seed,
        circular: bench.reading.circular,
        form: form(args, bench.level),
        letters: bench.reading.letters.name().to_owned(),
        points: bench.reading.points.name().to_owned(),
        wording: wording(prompts, bench.level)?,
        prompts: prompts.hashes().into_iter().filter(of_levels).collect(),
        parameters: crate::masking::json(Value::Object(parameters)),
        ..LevelManifest::new(bench.level)
    })
}

/// The most bytes of a file of answers.
const MOST_PREDICTIONS: u64 = 256 << 20;

/// Reports are made from other folders, too.
fn absolute(dir: &Path) -> PathBuf {
    std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned())
}

fn wording(prompts: &Prompts, level: Level) -> Result<Wording> {
    let built_in = crate::prompts::open(None)?;
    let names = match level {
        Level::L1 => ["levels/question", "levels/question_system"],
        Level::L2 => ["levels/place", "levels/place_system"],
    };
    let own = names.iter().all(|name| prompts.source(name) != built_in.source(name));
    Ok(if own { Wording::Own } else { Wording::Waldo })
}

fn plan(args: &Args, bench: &Bench, names: &[Contestant], out: &Path) -> Result<u8> {
    let answers: usize = (0..bench.len()).map(|at| bench.turns(at)).sum();
    let asks = names.iter().filter(|who| who.model.is_some()).count();
    if args.json {
        print_json(&json!({
            "level": bench.level.title(),
            "mode": bench.mode,
            "items": bench.len(),
            "rewritten": bench.rewritten(),
            "contestants": names,
            "answers": answers * names.len(),
            "model_calls": answers * asks,
            "out": out,
        }))?;
        return Ok(exit::OK);
    }
    println!(
        "{}, {}: {} in {}",
        bench.level.title(),
        bench.mode,
        count(bench.len(), "item"),
        bench.folder.dir.display()
    );
    if let Some(line) = bench.rewritten_line() {
        println!("{line}");
    }
    for who in names {
        println!(
            "  {}: {}{}",
            who.name,
            count(answers, "answer"),
            if who.model.is_some() { ", a picture each" } else { "" }
        );
    }
    let calls = count(answers * asks, "call");
    println!("at least {calls} to models; the run folder would be {}", out.display());
    Ok(exit::OK)
}

fn finish(args: &Args, out: &Path, run: LevelRun) -> Result<u8> {
    let beside = args.levels.beside;
    let report = if args.no_report { None } else { Some(run.write(out, beside)?) };
    if args.json {
        let mut said = run.json();
        said["run"] = json!(out);
        said["report"] = json!(report);
        print_json(&said)?;
    } else {
        print!("{}", run.text(beside)?);
        if let Some(report) = &report {
            println!("\nreport: {}", report.display());
        }
    }
    Ok(if run.has_invalid() { exit::INVALID } else { exit::OK })
}

//! Contestants side by side, of one run or of several: paired by task with the first of them, the base.
//!
//! Invariants: a pair counts only tasks that both were scored on, under the same step budget; what two runs do not share
//! (tasks, instances, the suite's files) is said; a comparison is a function of the run folders.

mod page;
mod text;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde::Serialize;
use waldo_devices::count::{count, either};
use waldo_tasks::score::{self, Cluster, Difference, DifferenceVerdict, paired_difference};
use waldo_tasks::{Contestant, EpisodeResult, Manifest, RunFolder, TaskError};

use super::contestant_kind::ContestantKind;
use super::words::segment;

#[derive(Clone, Debug, Default)]
pub struct CompareOptions {
    /// Steps that everybody is scored under; none for the smallest budget of the runs.
    pub budget: Option<u32>,
    /// Only these contestants, by name or by `name (run)`; all where it is empty.
    pub contestants: Vec<String>,
    /// The contestant that the others are compared with; none for the first that is under test.
    pub base: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    #[error(transparent)]
    Run(#[from] TaskError),
    #[error("{0} has no scores: it is a goal by hand or an exploration, which no check judges")]
    Unjudged(PathBuf),
    #[error(
        "{one} and {other} are the same run: name another one, or name it once to compare its own contestants"
    )]
    Same {
        one: PathBuf,
        /// The same, as it was named again.
        other: PathBuf,
    },
    #[error("there is no contestant {name}; there are {there}")]
    Unknown { name: String, there: String },
    #[error("there is only one contestant, {0}: name another run folder, or fewer --contestant")]
    Alone(String),
}

#[derive(Clone, Debug, Serialize)]
pub struct ComparedSide {
    /// Its name; with the run where several runs have one of this name.
    pub name: String,
    pub run: PathBuf,
    pub standing: ContestantKind,
    pub n: usize,
    /// Success rate over them, 0 to 1.
    pub sr: f64,
    /// EQA over them, 0 to 1.
    pub eqa: f64,
    #[serde(skip)]
    contestant: Contestant,
    #[serde(skip)]
    tasks: Vec<SideTask>,
    #[serde(skip)]
    places: HashMap<TaskName, usize>,
}

/// A task, whatever run it was played in: its suite and its id there.
type TaskName = (String, String);

#[derive(Clone, Debug)]
struct SideTask {
    name: TaskName,
    title: String,
    id: String,
    episodes: Cluster,
    /// The instance of each repeat that was played.
    seeds: Vec<Option<u64>>,
}

#[derive(Clone, Debug, Serialize)]
pub struct ContestantOutcome {
    /// Mean success of the scored episodes, 0 to 1.
    pub success: f64,
    pub n: usize,
    /// The player of one of them: the report's file with the episode behind a `#`.
    pub player: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct Flip {
    pub suite: String,
    pub task: String,
    pub title: String,
    pub base: ContestantOutcome,
    pub other: ContestantOutcome,
}

impl Flip {
    /// The other one's mean success minus the base's.
    pub fn gain(&self) -> f64 {
        self.other.success - self.base.success
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    pub name: String,
    /// The difference; none where no task was scored for both.
    pub difference: Option<Difference>,
    pub verdict: Option<DifferenceVerdict>,
    pub unpaired: usize,
    /// Episodes that were played from another seed than the base's.
    pub other_instances: usize,
    /// The tasks that came out differently: the largest gain first, the largest loss last.
    pub flips: Vec<Flip>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    pub budget: u32,
    pub sides: Vec<ComparedSide>,
    pub pairs: Vec<Pair>,
    /// What a reader must know before believing a number.
    pub notices: Vec<String>,
}

impl Comparison {
    /// Of the contestants of these run folders.
    pub fn of(runs: &[PathBuf], options: &CompareOptions) -> Result<Self, CompareError> {
        let mut read = Vec::new();
        let mut places = HashMap::new();
        for run in runs {
            let folder = RunFolder::open(run)?;
            let place = std::fs::canonicalize(run).unwrap_or_else(|_| run.clone());
            if let Some(one) = places.insert(place, run.clone()) {
                return Err(CompareError::Same { one, other: run.clone() });
            }
            if !folder.manifest.is_judged() {
                return Err(CompareError::Unjudged(run.clone()));
            }
            read.push((run.clone(), folder.manifest.clone(), folder.results()?));
        }
        let smallest = read.iter().map(|(_, manifest, _)| score::step_budget(manifest)).min().unwrap_or(1);
        let budget = options.budget.map_or(smallest, |budget| budget.clamp(1, smallest));
        let all: Vec<ComparedSide> = read
            .iter()
            .flat_map(|(run, manifest, results)| {
                manifest.contestants.iter().map(move |who| side(run, manifest, results, who, budget))
            })
            .collect();
        let sides = chosen(named(all), options)?;
        let [base, others @ ..] = sides.as_slice() else { return Err(CompareError::Alone(String::new())) };
        let pairs: Vec<Pair> = others.iter().map(|other| pair(base, other, u64::from(budget))).collect();
        let mut notices = changed_suites(&read);
        if options.budget.is_some_and(|asked| asked > smallest) {
            notices.push(format!(
                "A run was played with {} per episode: the effect of further steps is unknown.",
                count(smallest, "step")
            ));
        }
        for pair in pairs.iter().filter(|pair| pair.other_instances > 0) {
            notices.push(format!(
                "{}: {} {} played on other instances of their tasks (another --seed) than those of {}.",
                pair.name,
                count(pair.other_instances, "episode"),
                either(pair.other_instances, "was", "were"),
                base.name
            ));
        }
        Ok(Self { budget, sides, pairs, notices })
    }

    pub fn text(&self) -> String {
        text::text(self)
    }

    pub fn page(&self, out: &Path) -> Result<String, minijinja::Error> {
        page::page(self, out)
    }
}

fn side(
    run: &Path,
    manifest: &Manifest,
    results: &[EpisodeResult],
    who: &Contestant,
    budget: u32,
) -> ComparedSide {
    let clusters = score::clusters(manifest, results, &who.name, budget);
    let summary = score::summarize_repeats(&clusters, u64::from(budget));
    let played = results.iter().filter(|r| r.key.contestant == who.name && !r.is_invalid());
    let seeds: HashMap<(&str, u32), u64> =
        played.map(|r| ((r.key.task.as_str(), r.key.repeat), r.seed)).collect();
    let tasks: Vec<SideTask> = manifest
        .tasks
        .iter()
        .zip(clusters)
        .map(|(task, episodes)| SideTask {
            name: (task.suite.clone().unwrap_or_else(|| manifest.suite.clone()), task.own_id().to_owned()),
            title: task.title.clone(),
            id: task.id.clone(),
            seeds: (0..manifest.repeats).map(|n| seeds.get(&(task.id.as_str(), n)).copied()).collect(),
            episodes,
        })
        .collect();
    ComparedSide {
        name: who.name.clone(),
        run: run.to_owned(),
        standing: ContestantKind::of(who),
        n: summary.n,
        sr: summary.sr,
        eqa: summary.eqa,
        contestant: who.clone(),
        places: tasks.iter().enumerate().map(|(n, task)| (task.name.clone(), n)).collect(),
        tasks,
    }
}

/// With the run behind names that several have.
fn named(mut sides: Vec<ComparedSide>) -> Vec<ComparedSide> {
    let mut times: HashMap<String, usize> = HashMap::new();
    for side in &sides {
        *times.entry(side.name.clone()).or_default() += 1;
    }
    for side in &mut sides {
        if times.get(&side.name).is_some_and(|times| *times > 1) {
            side.name = format!("{} ({})", side.name, side.run.display());
        }
    }
    sides
}

/// Those that are asked for, the base first.
fn chosen(sides: Vec<ComparedSide>, options: &CompareOptions) -> Result<Vec<ComparedSide>, CompareError> {
    let fits = |side: &ComparedSide, name: &str| side.name == name || side.contestant.name == name;
    for name in options.contestants.iter().chain(&options.base) {
        if !sides.iter().any(|side| fits(side, name)) {
            let there = sides.iter().map(|side| side.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(CompareError::Unknown { name: name.clone(), there });
        }
    }
    let is_base = |side: &ComparedSide| options.base.as_ref().is_some_and(|name| fits(side, name));
    let wanted = |side: &ComparedSide| {
        options.contestants.is_empty()
            || is_base(side)
            || options.contestants.iter().any(|name| fits(side, name))
    };
    let mut sides: Vec<ComparedSide> = sides.into_iter().filter(wanted).collect();
    let base = match options.base {
        Some(_) => sides.iter().position(is_base),
        None => sides.iter().position(|side| side.standing == ContestantKind::Test),
    };
    let first = sides.remove(base.unwrap_or(0));
    sides.insert(0, first);
    match sides.as_slice() {
        [alone] => Err(CompareError::Alone(alone.name.clone())),
        _ => Ok(sides),
    }
}

/// Two contestants, task by task in the base's order.
fn pair(base: &ComparedSide, other: &ComparedSide, budget: u64) -> Pair {
    let mut pairs = Vec::new();
    let mut flips = Vec::new();
    let (mut paired, mut other_instances) = (0, 0);
    for ours in &base.tasks {
        let Some(theirs) = other.places.get(&ours.name).and_then(|n| other.tasks.get(*n)) else { continue };
        pairs.push((ours.episodes.clone(), theirs.episodes.clone()));
        let differ = |(a, b): &(&Option<u64>, &Option<u64>)| a.is_some() && b.is_some() && a != b;
        other_instances += ours.seeds.iter().zip(&theirs.seeds).filter(differ).count();
        let (Some(before), Some(after)) = (mean(&ours.episodes), mean(&theirs.episodes)) else { continue };
        paired += 1;
        if before == after {
            continue;
        }
        flips.push(Flip {
            suite: ours.name.0.clone(),
            task: ours.name.1.clone(),
            title: ours.title.clone(),
            base: fared(base, ours, before, before > after),
            other: fared(other, theirs, after, after > before),
        });
    }
    flips.sort_by(|a, b| b.gain().total_cmp(&a.gain()));
    let scored =
        |side: &ComparedSide| side.tasks.iter().filter(|task| mean(&task.episodes).is_some()).count();
    let difference = paired_difference(&pairs, budget);
    Pair {
        name: other.name.clone(),
        verdict: difference.as_ref().map(Difference::verdict),
        difference,
        unpaired: scored(base) + scored(other) - 2 * paired,
        other_instances,
        flips,
    }
}

/// Mean success of the scored episodes; none without one.
fn mean(task: &Cluster) -> Option<f64> {
    let scored: Vec<f64> = task.repeats.iter().flatten().map(|e| e.success.clamp(0.0, 1.0)).collect();
    (!scored.is_empty()).then(|| scored.iter().sum::<f64>() / scored.len() as f64)
}

/// With the player of an episode that is like what is said: a good one of the better side, a bad one of the worse.
fn fared(side: &ComparedSide, task: &SideTask, success: f64, better: bool) -> ContestantOutcome {
    let order = |a: &f64, b: &f64| if better { b.total_cmp(a) } else { a.total_cmp(b) };
    let scored =
        || task.episodes.repeats.iter().enumerate().filter_map(|(n, e)| Some((n, e.as_ref()?.success)));
    let repeat = scored().min_by(|(_, a), (_, b)| order(a, b)).map_or(0, |(n, _)| n);
    let report = side.run.join("report.html");
    ContestantOutcome {
        success,
        n: scored().count(),
        player: format!(
            "{}#{}/{}/r{repeat}",
            report.display(),
            segment(&side.contestant.name),
            segment(&task.id)
        ),
    }
}

fn changed_suites(read: &[(PathBuf, Manifest, Vec<EpisodeResult>)]) -> Vec<String> {
    let mut hashes: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (_, manifest, _) in read {
        hashes.entry(&manifest.suite).or_default().insert(&manifest.suite_hash);
    }
    let mut changed: Vec<&str> =
        hashes.into_iter().filter(|(_, hashes)| hashes.len() > 1).map(|(suite, _)| suite).collect();
    changed.sort_unstable();
    changed
        .into_iter()
        .map(|suite| {
            format!("The files of {suite} are not the same in all runs: tasks of one name may not be alike.")
        })
        .collect()
}

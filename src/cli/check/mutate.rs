//! `waldo check --mutate`: changed solutions are played, and the score of each is held against its end.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;
use waldo_agents::reference::{GAVE_UP, ReferenceAgent, VariedAgent, VariedSolution};
use waldo_agents::{Agent, Brief};
use waldo_devices::count::count;
use waldo_tasks::mutants::{Allowed, FILE, MutantKind, Played, Verdict, judge, mutants, told};
use waldo_tasks::record::write_json;
use waldo_tasks::runner::AgentSource;
use waldo_tasks::state::Difference;
use waldo_tasks::suite::Suite;
use waldo_tasks::{Contestant, EpisodeKey, EpisodeResult, EventKind, Outcome, RunFolder, TaskError};

use crate::cli::{Result, print_json};
use crate::exit;
use crate::out::plain;

const SOLUTION: &str = "reference";
/// Plays it once more: what differs between the two says nothing.
const AGAIN: &str = "reference-again";
/// What the name of a mutant's contestant begins with; its number follows, from 1.
const MUTANT: &str = "mutant-";
const TOLD: usize = 300;
/// Differences and failed checks of a mutant that are printed.
const LINES: usize = 4;

/// The solution twice, and so many mutants of it.
pub fn contestants(mutants: u32) -> Vec<Contestant> {
    let named =
        |name: &str, agent: &str| Contestant { name: name.to_owned(), ..Contestant::new(agent, None) };
    let solutions = [named(SOLUTION, SOLUTION), named(AGAIN, SOLUTION)];
    let changed = (1..=mutants).map(|n| named(&format!("{MUTANT}{n}"), "mutant"));
    solutions.into_iter().chain(changed).collect()
}

/// Makes the agents of [`contestants`].
struct Mutants;

impl AgentSource for Mutants {
    fn agent(&self, contestant: &str) -> Result<Box<dyn Agent>, TaskError> {
        let number = contestant.strip_prefix(MUTANT).and_then(|number| number.parse::<usize>().ok());
        let Some(number) = number else { return Ok(Box::<ReferenceAgent>::default()) };
        let vary = move |brief: &Brief| {
            let all = mutants(&brief.reference, &brief.goal, brief.device.platform, brief.seed);
            all.into_iter().nth(number.saturating_sub(1)).map(VariedSolution::from)
        };
        Ok(Box::new(VariedAgent::new(Box::new(vary))))
    }
}

pub fn agents() -> Arc<dyn AgentSource> {
    Arc::new(Mutants)
}

#[derive(Debug, Serialize)]
struct Told {
    task: String,
    repeat: u32,
    /// Its number, which names its folder in the record.
    mutant: u32,
    kind: MutantKind,
    what: String,
    success: Option<f64>,
    #[serde(flatten)]
    played: Played,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

#[derive(Debug, Default, Serialize)]
struct Counts {
    killed: usize,
    survived: usize,
    equivalent: usize,
    refused: usize,
    not_played: usize,
}

impl Counts {
    fn add(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Killed => &mut self.killed,
            Verdict::Survived => &mut self.survived,
            Verdict::Equivalent => &mut self.equivalent,
            Verdict::Refused => &mut self.refused,
            Verdict::NotPlayed => &mut self.not_played,
        } += 1;
    }

    fn all<'a>(told: impl Iterator<Item = &'a Told>) -> Self {
        let mut all = Self::default();
        told.for_each(|one| all.add(one.played.verdict));
        all
    }

    fn row(&self, name: &str) -> String {
        let Self { killed, survived, equivalent, refused, not_played } = self;
        format!("{name:<30} {killed:>7} {survived:>9} {equivalent:>11} {refused:>8} {not_played:>11}\n")
    }
}

/// Percent of a whole; nothing of nothing.
fn share(part: usize, rest: usize) -> Option<f64> {
    let whole = part + rest;
    #[expect(clippy::cast_precision_loss, reason = "mutants are few")]
    let share = part as f64 * 100.0 / whole.max(1) as f64;
    (whole > 0).then_some(share)
}

/// Prints what became of all mutants. With some that survived, or that were refused, the suite is not sound.
pub fn tell(suite: &Suite, folder: &RunFolder, json: bool, kept: bool) -> Result<u8> {
    let mut all: Vec<Told> = Vec::new();
    for task in &folder.manifest.tasks {
        for repeat in 0..folder.manifest.repeats {
            all.extend(of_task(suite, folder, &task.id, repeat)?);
        }
    }
    let total = Counts::all(all.iter());
    let kinds = MutantKind::ALL.into_iter().filter(|kind| all.iter().any(|one| one.kind == *kind));
    let of = |kind| (kind, Counts::all(all.iter().filter(|one| one.kind == kind)));
    let kinds: BTreeMap<MutantKind, Counts> = kinds.map(of).collect();
    let found = serde_json::json!({
        "suite": suite.id,
        "different_ends_that_score_0_percent": share(total.killed, total.survived),
        "same_ends_that_score_1_percent": share(total.equivalent, total.refused),
        "total": total,
        "kinds": kinds,
        "mutants": all,
    });
    if kept {
        write_json(&folder.path().join(FILE), &found)?;
    }
    if json {
        print_json(&found)?;
    } else {
        print!("{}", table(&suite.id, &all, &kinds, &total));
    }
    let sound = total.survived + total.refused == 0;
    let played = total.killed + total.equivalent > 0;
    Ok(match (sound, played) {
        (false, _) => exit::FAILED,
        (true, true) => exit::OK,
        (true, false) => exit::INVALID,
    })
}

fn table(suite: &str, all: &[Told], kinds: &BTreeMap<MutantKind, Counts>, total: &Counts) -> String {
    let mut text = format!(
        "{:<30} {:>7} {:>9} {:>11} {:>8} {:>11}\n",
        suite, "killed", "survived", "equivalent", "refused", "not played"
    );
    text.extend(kinds.iter().map(|(kind, counts)| counts.row(kind.name())));
    text.push_str(&total.row("all"));
    let shares = [
        (share(total.killed, total.survived), total.killed + total.survived, "with another end score 0"),
        (
            share(total.equivalent, total.refused),
            total.equivalent + total.refused,
            "with the same end score 1",
        ),
    ];
    // Writing to a String cannot fail.
    for (share, of, what) in shares {
        if let Some(share) = share {
            let _ = writeln!(text, "{share:.1} % of {} {what}", count(of, "mutant"));
        }
    }
    for one in all.iter().filter(|one| matches!(one.played.verdict, Verdict::Survived | Verdict::Refused)) {
        let (verdict, kind) = (one.played.verdict.name(), one.kind.name());
        let _ = writeln!(text, "\n{} {verdict}: {kind}: {}", one.task, plain(&one.what, TOLD));
        let lines = one.played.difference.iter().map(|line| ("end", line));
        let failed = one.played.failed.iter().map(|line| ("check", line));
        for (name, line) in lines.take(LINES).chain(failed.take(LINES)) {
            let _ = writeln!(text, "  {name}: {}", plain(line, TOLD));
        }
    }
    text
}

fn of_task(suite: &Suite, folder: &RunFolder, task: &str, repeat: u32) -> Result<Vec<Told>> {
    let key =
        |contestant: &str| EpisodeKey { contestant: contestant.to_owned(), task: task.to_owned(), repeat };
    let Some(reference) = folder.episode(&key(SOLUTION)).result()? else { return Ok(Vec::new()) };
    let again = folder.episode(&key(AGAIN)).result()?.filter(EpisodeResult::is_solved);
    let def = suite.tasks.iter().find(|def| def.id == task);
    let by_task = |entry: &Difference| def.is_some_and(|def| def.lets_change(entry));
    let allowed = Allowed { again: again.as_ref(), by_task: &by_task };
    let mut all = Vec::new();
    for number in 1.. {
        let key = key(&format!("{MUTANT}{number}"));
        if !folder.manifest.contestants.iter().any(|contestant| contestant.name == key.contestant) {
            break;
        }
        let episode = folder.episode(&key);
        let Some(result) = episode.result()? else { continue };
        let events = episode.events()?;
        let thoughts = events.iter().filter_map(|event| match &event.kind {
            EventKind::Decided { decision, .. } => decision.thought.as_deref(),
            _ => None,
        });
        let thoughts: Vec<&str> = thoughts.collect();
        let Some((kind, what)) = thoughts.iter().find_map(|thought| told(thought)) else { continue };
        let gave_up =
            thoughts.iter().flat_map(|thought| thought.lines()).find(|line| line.starts_with(GAVE_UP));
        let why = match &result.outcome {
            Outcome::Invalid { reason } => Some(reason.clone()),
            Outcome::Finished | Outcome::DeclaredInfeasible | Outcome::EndedByPage => {
                gave_up.map(str::to_owned)
            }
            other => Some(gave_up.map_or_else(|| other.name().to_owned(), str::to_owned)),
        };
        let why = match why {
            None if !reference.is_solved() => Some("the solution itself does not solve the task".to_owned()),
            why => why,
        };
        let played = judge(kind, &reference, &result, &allowed, why.is_none());
        let success = result.success;
        all.push(Told { task: task.to_owned(), repeat, mutant: number, kind, what, success, played, why });
    }
    Ok(all)
}

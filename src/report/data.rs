//! What every form of the report is made of: contestants in the order that they are shown, their rows,
//! and one entry for each declared episode, with a result or without.

use std::collections::HashMap;

use serde::Serialize;
use waldo_devices::count::{count, either};
use waldo_tasks::record::TaskEntry;
use waldo_tasks::score::{self, ScoreRow};
use waldo_tasks::{EpisodeKey, EpisodeResult, Manifest, Outcome};

use super::across::Across;
use super::contestant_kind::ContestantKind;
use super::mutants::MutantTable;
use super::scores::Scores;
use super::wording;
use super::words::{cut, segment};

#[derive(Clone, Debug)]
pub struct ContestantView {
    /// Place in the order that is shown; its colour.
    pub index: usize,
    pub name: String,
    pub standing: ContestantKind,
    /// The recall at 101 shares of the budget; their mean is its EQA.
    pub samples: Vec<f64>,
}

/// How an episode came out, for people who glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EpisodeStatus {
    Passed,
    Partial,
    Failed,
    Invalid,
    Missing,
    /// It ended, and nothing tells how well.
    Unchecked,
    Assisted,
}

#[derive(Clone, Debug)]
pub struct ReportEpisode<'a> {
    pub contestant: usize,
    pub task: &'a TaskEntry,
    /// From 0.
    pub repeat: u32,
    pub result: Option<&'a EpisodeResult>,
    /// Whether anything but the agent's own word says how it came out.
    pub judged: bool,
    /// Where the page shows it, without the leading `#`.
    pub anchor: String,
}

impl ReportEpisode<'_> {
    pub fn state(&self) -> EpisodeStatus {
        match self.result {
            None => EpisodeStatus::Missing,
            Some(r) if r.is_invalid() => EpisodeStatus::Invalid,
            Some(r) if r.assisted => EpisodeStatus::Assisted,
            Some(r) => match r.success.filter(|_| self.judged) {
                None => EpisodeStatus::Unchecked,
                Some(success) if success >= 1.0 => EpisodeStatus::Passed,
                Some(success) if success > 0.0 => EpisodeStatus::Partial,
                Some(_) => EpisodeStatus::Failed,
            },
        }
    }

    pub fn outcome(&self) -> &'static str {
        match self.result.map(|r| &r.outcome) {
            None => "no result",
            Some(Outcome::Finished) => "finished",
            Some(Outcome::DeclaredInfeasible) => "declared infeasible",
            Some(Outcome::GaveUp) => "gave up",
            Some(Outcome::HandedOver) => "handed over",
            Some(Outcome::AgentFailed) => "the agent failed",
            Some(Outcome::EndedByPage) => "ended by the page",
            Some(Outcome::StepLimit) => "out of steps",
            Some(Outcome::TokenLimit) => "out of tokens",
            Some(Outcome::CostLimit) => "out of money",
            Some(Outcome::TimeLimit) => "out of time",
            Some(Outcome::Invalid { .. }) => "invalid",
            Some(other) => other.name(),
        }
    }

    /// Why it is not a full success: the reason, or the first check that failed; may be empty.
    pub fn why(&self) -> String {
        let Some(result) = self.result else { return String::new() };
        if let Outcome::Invalid { reason } = &result.outcome {
            return reason.clone();
        }
        if result.outcome == Outcome::AgentFailed {
            return result.claim.clone().unwrap_or_default();
        }
        match result.checks.iter().find(|c| !c.passed) {
            Some(check) if check.found.is_empty() => check.what.clone(),
            Some(check) => format!("{} (found: {})", check.what, check.found),
            // The checks hold, and yet it is not a success.
            None if result.falls_short() && !result.outcome.may_succeed() => {
                let claim = result.claim.as_ref().map(|claim| format!(": {claim}")).unwrap_or_default();
                format!("{}{claim}", self.outcome())
            }
            None => String::new(),
        }
    }

    pub fn key(&self, name: &str) -> EpisodeKey {
        EpisodeKey { contestant: name.to_owned(), task: self.task.id.clone(), repeat: self.repeat }
    }
}

#[derive(Clone, Debug)]
pub struct Data<'a> {
    /// Under test first, then ceilings, then floors; else in the manifest's order.
    pub contestants: Vec<ContestantView>,
    pub scores: Scores,
    pub budget: u32,
    /// The least and the largest of the tasks' own budgets, where they differ and decide.
    pub mixed: Option<(u32, u32)>,
    /// All levels, where runs of offline ones are told beside.
    pub across: Across,
    pub mutants: Option<MutantTable>,
    /// By contestant, then task, then repeat.
    pub episodes: Vec<ReportEpisode<'a>>,
    /// What a reader must know before believing a number.
    pub notices: Vec<String>,
}

impl<'a> Data<'a> {
    /// Brings a run's manifest, results and scores into the order that is shown.
    pub fn new(manifest: &'a Manifest, results: &'a [EpisodeResult], scores: &Scores) -> Self {
        let budget = score::step_budget(manifest);
        let scores = scores.in_shown_order();
        let contestants: Vec<ContestantView> = scores
            .rows
            .iter()
            .enumerate()
            .map(|(index, row)| ContestantView {
                index,
                name: row.contestant.name.clone(),
                standing: ContestantKind::of(&row.contestant),
                samples: score::sample_repeats(
                    &score::clusters(manifest, results, &row.contestant.name, budget),
                    u64::from(budget),
                ),
            })
            .collect();
        let found: HashMap<(&str, &str, u32), &EpisodeResult> = results
            .iter()
            .map(|r| ((r.key.contestant.as_str(), r.key.task.as_str(), r.key.repeat), r))
            .collect();
        let mut episodes = Vec::new();
        for who in &contestants {
            for task in &manifest.tasks {
                for repeat in 0..manifest.repeats.max(1) {
                    episodes.push(ReportEpisode {
                        contestant: who.index,
                        task,
                        repeat,
                        result: found.get(&(who.name.as_str(), task.id.as_str(), repeat)).copied(),
                        judged: manifest.is_judged(),
                        anchor: format!("{}/{}/r{repeat}", segment(&who.name), segment(&task.id)),
                    });
                }
            }
        }
        let mut data = Self {
            contestants,
            scores,
            budget,
            mixed: score::mixed_budgets(manifest),
            across: Across::default(),
            mutants: None,
            episodes,
            notices: Vec::new(),
        };
        data.notices = data.notices(manifest);
        data
    }

    /// The episode, where there is but one and it has ended: then there is nothing to compare.
    pub fn single(&self) -> Option<&ReportEpisode<'a>> {
        match self.episodes.as_slice() {
            [only] if only.result.is_some() => Some(only),
            _ => None,
        }
    }

    /// Whether a ceiling was run and solved `task` in none of its repeats.
    pub fn unproven(&self, task: &TaskEntry) -> bool {
        let mut seen = false;
        for episode in self.episodes.iter().filter(|e| e.task.id == task.id) {
            if self.contestants[episode.contestant].standing == ContestantKind::Ceiling {
                match episode.state() {
                    EpisodeStatus::Passed => return false,
                    EpisodeStatus::Missing => {}
                    _ => seen = true,
                }
            }
        }
        seen
    }

    fn notices(&self, manifest: &Manifest) -> Vec<String> {
        let mut out = Vec::new();
        if !manifest.is_judged() {
            out.push("Nothing was checked here, so there is no score: an episode ends by the agent's own claim, or at a limit.".into());
            // Of a single one its head says it.
            let several = self.episodes.iter().filter(|_| self.single().is_none());
            out.extend(several.filter_map(|episode| {
                let claim = episode.result?.claim.as_deref().map(|claim| format!(": {}", cut(claim, 300)));
                let name = &self.contestants[episode.contestant].name;
                Some(format!("{name}: {}{}", episode.outcome(), claim.unwrap_or_default()))
            }));
            return out;
        }
        let sum = |f: fn(&ScoreRow) -> usize| self.scores.rows.iter().map(f).sum::<usize>();
        if let Some(part) = &manifest.partition {
            out.push(format!("This is a part of a run ({part}): episodes of other parts are missing here."));
        } else if sum(|r| r.missing) > 0 {
            out.push(format!(
                "{} of {} {} no result: the run is not complete, and the scores may still change.",
                sum(|r| r.missing),
                count(self.episodes.len(), "episode"),
                either(sum(|r| r.missing), "has", "have")
            ));
        }
        if sum(|r| r.invalid) > 0 {
            out.push(format!(
                "{} of {} {} invalid: the harness could not carry {} out. What is invalid is left out of the scores.",
                sum(|r| r.invalid),
                count(self.episodes.len(), "episode"),
                either(sum(|r| r.invalid), "is", "are"),
                either(sum(|r| r.invalid), "it", "them")
            ));
        }
        if sum(|r| r.agent_failed) > 0 {
            out.push(format!(
                "In {} of {} the agent itself failed: it ended, hung or broke its protocol. Each of them scores 0.",
                sum(|r| r.agent_failed),
                count(self.episodes.len(), "episode")
            ));
        }
        if sum(|r| r.assisted) > 0 {
            out.push(format!(
                "{} of {} {} assisted: a person acted, advised, edited or refused there. What is assisted is left out of the scores.",
                sum(|r| r.assisted),
                count(self.episodes.len(), "episode"),
                either(sum(|r| r.assisted), "is", "are")
            ));
        }
        for who in self.scores.rows.iter().map(|row| &row.contestant).filter(|who| who.has_own_hands()) {
            out.push(format!(
                "{} drives the browser by its own hands: its scripts make no steps, and only the guard on origins applies to them.",
                who.name
            ));
        }
        out.extend(left_out(manifest));
        out.extend(wording::lines(manifest));
        let unproven = manifest.tasks.iter().filter(|t| self.unproven(t)).count();
        if unproven > 0 {
            out.push(format!(
                "{} {} not solved by a ceiling contestant: a failure there proves nothing.",
                count(unproven, "task"),
                either(unproven, "was", "were")
            ));
        }
        for (who, row) in self.contestants.iter().zip(&self.scores.rows) {
            if who.standing == ContestantKind::Floor
                && row.sr > 0.0
                && matches!(row.contestant.agent.as_str(), "noop" | "random")
            {
                out.push(format!(
                    "{} solved {:.1} % without understanding anything: successes on those tasks prove little.",
                    who.name,
                    row.sr * 100.0
                ));
            }
        }
        out
    }
}

/// Tasks that are listed by their names.
const NAMED: usize = 20;

/// What is said of the tasks of a suite that could not be played.
fn left_out(manifest: &Manifest) -> Option<String> {
    let parameters = &manifest.parameters;
    let left = parameters.pointer("/osworld/left_out").or_else(|| parameters.pointer("/left_out"))?;
    let left = left.as_array().filter(|left| !left.is_empty())?;
    let text = |task: &serde_json::Value, name: &str| task[name].as_str().unwrap_or_default().to_owned();
    let named = left.iter().take(NAMED).map(|task| format!("{} ({})", text(task, "task"), text(task, "why")));
    let mut all = named.collect::<Vec<_>>().join("; ");
    if left.len() > NAMED {
        all.push_str("; …");
    }
    let (tasks, are) = (count(left.len(), "task"), either(left.len(), "is", "are"));
    Some(format!("{tasks} of the suite cannot be played here and {are} not scored: {all}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing;

    #[test]
    fn what_is_under_test_comes_first_and_every_declared_episode_is_there() {
        let (manifest, mut results) = testing::run();
        results.reverse();
        results.pop();
        let data = testing::data(&manifest, &results, &[]);
        let standing: Vec<_> = data.contestants.iter().map(|c| c.standing).collect();
        assert_eq!(standing, [ContestantKind::Test, ContestantKind::Ceiling, ContestantKind::Floor]);
        assert_eq!(data.episodes.len(), manifest.tasks.len() * 3);
        assert_eq!(data.episodes.iter().filter(|e| e.state() == EpisodeStatus::Missing).count(), 1);
        assert!(data.notices.iter().any(|n| n.contains("1 of")), "{:?}", data.notices);
        for (who, row) in data.contestants.iter().zip(&data.scores.rows) {
            assert!((who.samples.iter().sum::<f64>() / 101.0 - row.eqa).abs() < 1e-12);
        }
    }

    #[test]
    fn tasks_that_were_left_out_are_told() {
        let (mut manifest, results) = testing::run();
        manifest.parameters = serde_json::json!({ "osworld": { "left_out": [{ "task": "t9", "domain": "os", "why": "program vlc" }] } });
        let data = testing::data(&manifest, &results, &[]);
        assert!(data.notices.iter().any(|n| n.contains("1 task of") && n.contains("t9 (program vlc)")));
    }
}

//! What the pages show of a run, and how that stands in lines.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use waldo_devices::Filming;
use waldo_tasks::{EpisodeKey, EpisodeResult, RunFolder, score};

use super::super::page::result_line;
use super::LivePlayer;
use super::episode_view::EpisodeView;

/// Ended episodes whose steps can still be looked at.
const KEPT: usize = 24;
/// A page that has gone keeps the wheel for so long.
pub(super) const HELD: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) enum RecordFolder {
    Run(Box<RunFolder>),
    Demo(PathBuf),
}

impl RecordFolder {
    pub(super) fn run(&self) -> Option<&RunFolder> {
        match self {
            Self::Run(folder) => Some(folder),
            Self::Demo(_) => None,
        }
    }

    pub(super) fn pictures(&self, key: &EpisodeKey) -> (PathBuf, PathBuf) {
        match self {
            Self::Run(folder) => (folder.path().to_owned(), folder.episode(key).path().to_owned()),
            Self::Demo(path) => (path.clone(), path.clone()),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct HubState {
    pub(super) title: String,
    pub(super) record: Option<RecordFolder>,
    pub(super) total: usize,
    pub(super) began: Option<Instant>,
    pub(super) played: usize,
    pub(super) results: Vec<EpisodeResult>,
    pub(super) invalid: VecDeque<Value>,
    pub(super) scores: Vec<Value>,
    pub(super) episodes: BTreeMap<String, EpisodeView>,
    pub(super) ended: VecDeque<String>,
    pub(super) hand: Option<WheelHolder>,
    pub(super) pages: HashMap<String, usize>,
    pub(super) over: bool,
    pub(super) player: LivePlayer,
}

#[derive(Debug)]
pub(super) struct WheelHolder {
    pub(super) page: String,
    pub(super) seen: Instant,
}

impl HubState {
    /// Gives the wheel to a page, unless another has it.
    pub(super) fn grant(&mut self, page: &str) -> Result<(), String> {
        if let Some(hand) = &self.hand
            && hand.page != page
            && (self.pages.contains_key(&hand.page) || hand.seen.elapsed() < HELD)
        {
            return Err("another page has control: release it there, or close it".to_owned());
        }
        self.hand = Some(WheelHolder { page: page.to_owned(), seen: Instant::now() });
        Ok(())
    }

    pub(super) fn end(&mut self, key: &str, result: &EpisodeResult) {
        self.results.retain(|known| known.key != result.key);
        self.results.push(result.clone());
        self.played = self.played.saturating_add(1).min(self.total.max(1));
        if let waldo_tasks::Outcome::Invalid { reason } = &result.outcome {
            self.invalid.push_back(json!({ "key": key, "reason": reason }));
            while self.invalid.len() > KEPT {
                self.invalid.pop_front();
            }
        }
        self.score();
        if let Some(shown) = self.episodes.get_mut(key) {
            shown.phase = "ended";
            (shown.wheel, shown.bare) = (None, None);
            shown.frames.end();
            shown.result = Some(result_line(result));
        }
        self.ended.retain(|known| known != key);
        self.ended.push_back(key.to_owned());
        while self.ended.len() > KEPT {
            if let Some(oldest) = self.ended.pop_front() {
                self.episodes.remove(&oldest);
            }
        }
    }

    pub(super) fn score(&mut self) {
        let Some(folder) = self.record.as_ref().and_then(RecordFolder::run) else { return };
        let manifest = &folder.manifest;
        if !manifest.is_judged() {
            return;
        }
        let budget = score::step_budget(manifest);
        let row = |name: &str| {
            let own = self.results.iter().filter(|r| r.key.contestant == name && r.is_scored());
            let scored: Vec<f64> = own.filter_map(|r| r.success).collect();
            let n = scored.len();
            let clusters = score::clusters(manifest, &self.results, name, budget);
            let samples = score::sample_repeats(&clusters, u64::from(budget));
            let mean = |sum: f64, n: usize| if n == 0 { 0.0 } else { sum / n as f64 };
            json!({
                "name": name,
                "n": n,
                "sr": mean(scored.iter().sum(), n),
                "eqa": mean(samples.iter().sum(), samples.len()),
                "curve": samples,
            })
        };
        self.scores = manifest.contestants.iter().map(|contestant| row(&contestant.name)).collect();
    }

    pub(super) fn run_line(&self) -> Value {
        let took = self.began.map(|began| began.elapsed().as_secs_f64());
        let left = self.total.saturating_sub(self.played);
        let eta = took.filter(|_| self.played > 0).map(|took| took / self.played as f64 * left as f64);
        json!({
            "type": "run",
            "title": self.title,
            "total": self.total,
            "done": self.played,
            "eta": eta,
            "invalid": self.invalid,
            "scores": self.scores,
        })
    }

    pub(super) fn episode_line(&self, key: &str) -> Option<Value> {
        let shown = self.episodes.get(key)?;
        let of = shown.key.as_ref()?;
        Some(json!({
            "type": "episode",
            "key": key,
            "task": of.task,
            "contestant": of.contestant,
            "repeat": of.repeat,
            "title": shown.title,
            "goal": shown.goal,
            "phase": shown.phase,
            "step": shown.step,
            "max_steps": shown.max_steps,
            "picture": shown.pictures,
            "touch": shown.touch,
            "moving": shown.frames.filming() == Filming::Possible,
            "tools": shown.tools,
            "alone": self.player != LivePlayer::Agents,
            "demo": self.player == LivePlayer::Demonstrator,
            "wheel": shown.wheel.as_ref().map(|wheel| wheel.shown()),
            "result": shown.result,
        }))
    }
}

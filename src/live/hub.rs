//! What the pages show: the run, its episodes, their steps; and who has the wheel.
//!
//! Invariant: telling never waits. A page that does not keep up misses lines and is given the whole anew.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::broadcast;
use waldo_agents::View;
use waldo_devices::{Capability, DeviceInfo, Effects, Filming, FrameWatcher, Frames, Picture};
use waldo_tasks::score;
use waldo_tasks::{EpisodeKey, EpisodeResult, EventKind, RunFolder};

use super::command::LiveCommand;
use super::page::{episode_key, result_line, step_line};
use super::wheel::Wheel;
use crate::report::steps::EventParts;

/// Lines that a page may be behind.
const BEHIND: usize = 512;
/// Ended episodes whose steps can still be looked at.
const KEPT: usize = 24;
/// Pages that may watch one episode between its observations.
const WATCHERS: usize = 16;
/// A page that has gone keeps the wheel for so long.
const HELD: Duration = Duration::from_secs(10);
/// How long a person is waited for.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// A line for the pages.
#[derive(Clone, Debug)]
pub(super) struct PageLine {
    /// The episode whose pages alone are told; `None`: all are.
    pub(super) of: Option<String>,
    /// JSON.
    pub(super) text: Arc<str>,
}

impl PageLine {
    fn all(value: &Value) -> Self {
        Self { of: None, text: masked_text(value) }
    }
}

/// A line as pages are told it: what is secret is masked here once more, whoever put it there.
fn masked_text(value: &Value) -> Arc<str> {
    crate::masking::mask(value.to_string()).into()
}

/// Who acts on what is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LivePlayer {
    /// Agents, and a person where one takes over.
    #[default]
    Agents,
    /// A person alone.
    Person,
    /// A person alone, whose steps are recorded as a demonstration.
    Demonstrator,
}

/// Where what is shown is recorded.
#[derive(Debug)]
enum RecordFolder {
    Run(Box<RunFolder>),
    /// The folder of a demonstration.
    Demo(PathBuf),
}

impl RecordFolder {
    fn run(&self) -> Option<&RunFolder> {
        match self {
            Self::Run(folder) => Some(folder),
            Self::Demo(_) => None,
        }
    }

    /// The folder that was named, and the one below it that the pictures of an episode are in.
    fn pictures(&self, key: &EpisodeKey) -> (PathBuf, PathBuf) {
        match self {
            Self::Run(folder) => (folder.path().to_owned(), folder.episode(key).path().to_owned()),
            Self::Demo(path) => (path.clone(), path.clone()),
        }
    }
}

/// What is played, and what pages are told of it.
#[derive(Debug)]
pub struct Hub {
    state: Mutex<HubState>,
    lines: broadcast::Sender<PageLine>,
    /// What waits for a yes from the start.
    about: Effects,
    player: LivePlayer,
}

#[derive(Debug, Default)]
struct HubState {
    title: String,
    record: Option<RecordFolder>,
    total: usize,
    began: Option<Instant>,
    played: usize,
    results: Vec<EpisodeResult>,
    invalid: VecDeque<Value>,
    scores: Vec<Value>,
    episodes: BTreeMap<String, EpisodeView>,
    /// Ended ones, the oldest first.
    ended: VecDeque<String>,
    hand: Option<WheelHolder>,
    /// How many streams a page has open.
    pages: HashMap<String, usize>,
    over: bool,
    player: LivePlayer,
}

/// Who has the wheel.
#[derive(Debug)]
struct WheelHolder {
    page: String,
    seen: Instant,
}

#[derive(Debug, Default)]
struct EpisodeView {
    key: Option<EpisodeKey>,
    goal: String,
    title: String,
    max_steps: u32,
    phase: &'static str,
    parts: EventParts,
    step: u32,
    picture: Arc<[u8]>,
    pictures: u64,
    bare: Option<Picture>,
    names: HashMap<u32, String>,
    touch: bool,
    tools: Vec<&'static str>,
    wheel: Option<Arc<Wheel>>,
    /// Where pictures between observations go.
    frames: Frames,
    result: Option<Value>,
}

impl Hub {
    /// Of nothing yet. `about` waits for a yes.
    pub fn new(about: Effects, player: LivePlayer) -> Arc<Self> {
        let (lines, _) = broadcast::channel(BEHIND);
        let state = HubState { player, ..HubState::default() };
        Arc::new(Self { state: Mutex::new(state), lines, about, player })
    }

    fn lock(&self) -> MutexGuard<'_, HubState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on it shows this run, of which `missing` episodes are to be played.
    pub fn shows(&self, folder: &RunFolder, title: &str, missing: usize) {
        let mut state = self.lock();
        state.title = title.to_owned();
        state.results = folder.results().unwrap_or_default();
        state.record = Some(RecordFolder::Run(Box::new(folder.clone())));
        (state.total, state.began) = (missing, Some(Instant::now()));
        state.score();
        let line = state.run_line();
        drop(state);
        self.send(PageLine::all(&line));
    }

    /// From now on it shows the demonstration in this folder.
    pub fn shows_demo(&self, path: &Path, title: &str) {
        let mut state = self.lock();
        state.title = title.to_owned();
        state.record = Some(RecordFolder::Demo(path.to_owned()));
        let line = state.run_line();
        drop(state);
        self.send(PageLine::all(&line));
    }

    /// The run has ended; `said` is its end in words.
    pub fn ends(&self, said: &str) {
        self.lock().over = true;
        self.send(PageLine::all(&json!({ "type": "over", "said": said })));
    }

    fn send(&self, line: PageLine) {
        // Nobody may be there.
        let _ = self.lines.send(line);
    }

    /// The wheel of an episode whose attempt begins.
    pub(super) fn wheel(self: &Arc<Self>, key: &EpisodeKey) -> Arc<Wheel> {
        let name = episode_key(key);
        let hub: Weak<Self> = Arc::downgrade(self);
        let of = name.clone();
        let tell = move || {
            if let Some(hub) = hub.upgrade() {
                hub.tell(&of);
            }
        };
        let wheel =
            Arc::new(Wheel::new(Box::new(tell), PATIENCE, (self.about, self.player != LivePlayer::Agents)));
        let mut state = self.lock();
        let shown = state.episodes.entry(name).or_default();
        shown.key = Some(key.clone());
        shown.wheel = Some(wheel.clone());
        wheel
    }

    /// The screen that an agent decides on next, or a person.
    pub(super) fn sees(&self, key: &str, view: &View, device: &DeviceInfo) {
        let mut state = self.lock();
        let Some(shown) = state.episodes.get_mut(key) else { return };
        shown.bare = (!view.observation.picture.is_empty()).then(|| view.observation.picture.clone());
        shown.touch = !device.capabilities.contains(&Capability::Mouse);
        shown.tools = waldo_devices::Tool::ALL
            .iter()
            .filter(|tool| tool.offered(device))
            .map(|tool| tool.name())
            .collect();
    }

    /// Takes an event of the run, with the labelled picture of an observation.
    pub(super) fn take(&self, key: &EpisodeKey, event: &EventKind, picture: Option<&[u8]>) {
        let name = episode_key(key);
        let mut state = self.lock();
        let title = state.record.as_ref().and_then(RecordFolder::run).and_then(|folder| {
            let task = folder.manifest().tasks.iter().find(|task| task.id == key.task)?;
            Some(task.title.clone())
        });
        let shown = state.episodes.entry(name.clone()).or_default();
        shown.key = Some(key.clone());
        if let Some(title) = title {
            shown.title = title;
        }
        let step = shown.take(event, picture);
        let line = step.and_then(|step| shown.step_line(&name, step));
        if let EventKind::Ended { result } = event {
            state.end(&name, result);
        }
        let summary = state.episode_line(&name);
        let run = matches!(event, EventKind::Ended { .. }).then(|| state.run_line());
        drop(state);
        for line in [summary, run].into_iter().flatten() {
            self.send(PageLine::all(&line));
        }
        if let Some(line) = line {
            self.send(PageLine { of: Some(name), text: masked_text(&line) });
        }
    }

    /// Tells the pages how an episode stands.
    pub(super) fn tell(&self, key: &str) {
        let line = self.lock().episode_line(key);
        if let Some(line) = line {
            self.send(PageLine::all(&line));
        }
    }

    /// All that a page is shown that opens now, on this episode.
    pub(super) fn whole(&self, of: Option<&str>) -> Vec<Arc<str>> {
        let state = self.lock();
        let mut lines = vec![json!({ "type": "whole" }), state.run_line()];
        lines.extend(state.episodes.keys().filter_map(|key| state.episode_line(key)));
        if let Some((key, shown)) = of.and_then(|key| Some((key, state.episodes.get(key)?))) {
            lines.extend(shown.parts.steps.keys().filter_map(|step| shown.step_line(key, *step)));
        }
        if state.over {
            lines.push(json!({ "type": "over", "said": "The run has ended." }));
        }
        lines.iter().map(masked_text).collect()
    }

    /// What is told from now on.
    pub(super) fn listen(&self) -> broadcast::Receiver<PageLine> {
        self.lines.subscribe()
    }

    /// A page has opened a stream, or closed one.
    pub(super) fn page(&self, page: &str, open: bool) {
        let mut state = self.lock();
        let streams = state.pages.entry(page.to_owned()).or_default();
        *streams = if open { *streams + 1 } else { streams.saturating_sub(1) };
        if *streams == 0 {
            state.pages.remove(page);
        }
        if let Some(hand) = state.hand.as_mut().filter(|hand| hand.page == page) {
            hand.seen = Instant::now();
        }
    }

    /// How many streams are open.
    pub(super) fn streams(&self) -> usize {
        self.lock().pages.values().sum()
    }

    /// Takes a command of a page, which needs the wheel for it.
    ///
    /// # Errors
    /// Why not, for the person.
    pub(super) fn command(&self, page: &str, key: &str, command: LiveCommand) -> Result<(), String> {
        let wheel = {
            let mut state = self.lock();
            state.grant(page)?;
            if matches!(command, LiveCommand::Release) {
                state.hand = None;
            }
            if matches!(command, LiveCommand::Discard) && state.player != LivePlayer::Demonstrator {
                return Err("only a demonstration can be discarded: stop this".to_owned());
            }
            let shown = state.episodes.get(key).ok_or("this episode is not played")?;
            shown.wheel.clone().ok_or("nobody can steer this episode: it is shown only, or has ended")?
        };
        if let LiveCommand::Goal { words } = &command
            && let Some(shown) = self.lock().episodes.get_mut(key)
        {
            shown.goal = words.trim().to_owned();
        }
        wheel.command(command)
    }

    /// The wheel of the episode whose record lies in this folder.
    pub(super) fn wheel_of(&self, folder: &Path) -> Option<Arc<Wheel>> {
        let state = self.lock();
        let run = state.record.as_ref()?.run()?;
        let is_it =
            |shown: &&EpisodeView| shown.key.as_ref().is_some_and(|key| run.episode(key).path() == folder);
        state.episodes.values().find(is_it)?.wheel.clone()
    }

    /// Where pictures between an episode's observations go.
    pub(super) fn frames(&self, key: &EpisodeKey) -> Frames {
        self.lock().episodes.entry(episode_key(key)).or_default().frames.clone()
    }

    /// Watches an episode that is played between its observations.
    pub(super) fn film(&self, key: &str) -> Option<FrameWatcher> {
        let state = self.lock();
        let shown = state.episodes.get(key)?;
        (shown.result.is_none() && shown.frames.watchers() < WATCHERS).then(|| shown.frames.watch())
    }

    /// The picture without tags of an episode's screen.
    pub(super) fn bare(&self, key: &str) -> Option<Picture> {
        self.lock().episodes.get(key)?.bare.clone()
    }

    /// The labelled picture of a step: the latest as it is, an earlier one by its place in the record.
    pub(super) fn labelled(&self, key: &str, step: u32) -> Option<Labelled> {
        let state = self.lock();
        let shown = state.episodes.get(key)?;
        if step == shown.step && !shown.picture.is_empty() {
            return Some(Labelled::Bytes(shown.picture.clone()));
        }
        let (root, folder) = state.record.as_ref()?.pictures(shown.key.as_ref()?);
        let file = folder.join(shown.names.get(&step)?);
        Some(Labelled::Kept { root, file })
    }
}

/// Where a labelled picture is.
#[derive(Debug)]
pub(super) enum Labelled {
    Bytes(Arc<[u8]>),
    /// A file, and the folder below which it is.
    Kept {
        root: PathBuf,
        file: PathBuf,
    },
}

impl EpisodeView {
    /// Takes an event, and gives the step that it is about.
    fn take(&mut self, event: &EventKind, picture: Option<&[u8]>) -> Option<u32> {
        match event {
            EventKind::Started { goal, max_steps, .. } => {
                (self.goal, self.max_steps) = (goal.clone(), *max_steps);
                (self.phase, self.step, self.result) = ("starting", 0, None);
                self.names.clear();
            }
            EventKind::Observed(seen) => {
                (self.phase, self.step) = ("deciding", seen.step);
                if let Some(wheel) = &self.wheel {
                    wheel.step(seen.step);
                }
                if let Some(name) = &seen.picture {
                    self.names.insert(seen.step, name.clone());
                }
                if let Some(picture) = picture {
                    (self.picture, self.pictures) = (picture.into(), self.pictures + 1);
                }
            }
            EventKind::Decided { .. } => self.phase = "acting",
            EventKind::Acted { .. } | EventKind::Demonstrated { .. } => self.phase = "looking",
            _ => {}
        }
        self.parts.take(event.clone())
    }

    fn step_line(&self, key: &str, step: u32) -> Option<Value> {
        Some(json!({ "type": "step", "key": key, "step": step_line(&self.parts, step)? }))
    }
}

impl HubState {
    /// Gives the wheel to a page, unless another has it.
    fn grant(&mut self, page: &str) -> Result<(), String> {
        if let Some(hand) = &self.hand
            && hand.page != page
            && (self.pages.contains_key(&hand.page) || hand.seen.elapsed() < HELD)
        {
            return Err("another page has the wheel: let go of it there, or close it".to_owned());
        }
        self.hand = Some(WheelHolder { page: page.to_owned(), seen: Instant::now() });
        Ok(())
    }

    fn end(&mut self, key: &str, result: &EpisodeResult) {
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

    /// The scores so far.
    fn score(&mut self) {
        let Some(folder) = self.record.as_ref().and_then(RecordFolder::run) else { return };
        let manifest = folder.manifest();
        if !manifest.is_judged() {
            return;
        }
        let budget = score::step_budget(manifest);
        let row = |name: &str| {
            let scored = || self.results.iter().filter(|r| r.key.contestant == name && r.is_scored());
            let n = scored().count();
            let clusters = score::clusters(manifest, &self.results, name, budget);
            let samples = score::sample_repeats(&clusters, u64::from(budget));
            let mean = |sum: f64, n: usize| if n == 0 { 0.0 } else { sum / n as f64 };
            json!({
                "name": name,
                "n": n,
                "sr": mean(scored().map(|r| r.success).sum(), n),
                "eqa": mean(samples.iter().sum(), samples.len()),
                "curve": samples,
            })
        };
        self.scores = manifest.contestants.iter().map(|contestant| row(&contestant.name)).collect();
    }

    fn run_line(&self) -> Value {
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

    fn episode_line(&self, key: &str) -> Option<Value> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn key(repeat: u32) -> EpisodeKey {
        EpisodeKey { contestant: "a".to_owned(), task: "t".to_owned(), repeat }
    }

    #[test]
    fn one_page_has_the_wheel_until_it_has_gone() {
        let hub = Hub::new(Effects::default(), LivePlayer::Agents);
        let _wheel = hub.wheel(&key(0));
        hub.page("one", true);
        hub.command("one", "a/t/r0", LiveCommand::Pause).unwrap();
        let other = hub.command("two", "a/t/r0", LiveCommand::Resume);
        assert!(other.unwrap_err().contains("another page"));
        hub.command("one", "a/t/r0", LiveCommand::Release).unwrap();
        hub.command("two", "a/t/r0", LiveCommand::Resume).unwrap();
        assert!(hub.command("two", "a/t/r9", LiveCommand::Resume).is_err(), "not played");
    }

    #[test]
    fn a_page_that_closes_keeps_the_wheel_for_a_moment_only() {
        let hub = Hub::new(Effects::default(), LivePlayer::Agents);
        let _wheel = hub.wheel(&key(0));
        hub.page("one", true);
        hub.command("one", "a/t/r0", LiveCommand::Pause).unwrap();
        hub.page("one", false);
        assert!(hub.command("two", "a/t/r0", LiveCommand::Resume).is_err());
        if let Some(hand) = &mut hub.lock().hand {
            hand.seen = Instant::now().checked_sub(HELD).unwrap();
        }
        hub.command("two", "a/t/r0", LiveCommand::Resume).unwrap();
    }
}

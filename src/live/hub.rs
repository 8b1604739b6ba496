//! What the pages show: the run, its episodes, their steps; and who has the wheel.
//!
//! Invariants: telling never waits; a page that does not keep up misses lines and is given the whole anew. Lines leave in
//! the order of what they tell: they are sent while what they tell is locked.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::broadcast;
use waldo_agents::View;
use waldo_devices::{Capability, DeviceInfo, Effects, FrameWatcher, Frames, Picture};
use waldo_tasks::{EpisodeKey, EventKind, RunFolder};

use super::command::LiveCommand;
use super::page::episode_key;
use super::wheel::Wheel;
use episode_view::EpisodeView;
use state::{HubState, RecordFolder};

mod episode_view;
mod state;

/// Lines that a page may be behind.
const BEHIND: usize = 512;
/// Pages that may watch one episode between its observations.
const WATCHERS: usize = 16;
/// How long a person is waited for.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

#[derive(Clone, Debug)]
pub(super) struct PageLine {
    /// The episode whose pages alone are told; `None`: all are.
    pub(super) of: Option<String>,
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LivePlayer {
    #[default]
    Agents,
    Person,
    /// A person alone, whose steps are recorded as a demonstration.
    Demonstrator,
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

    /// Sends a line about what is locked meanwhile: a line that was made before another must not come after it.
    fn send(&self, line: PageLine) {
        // Nobody may be there.
        let _ = self.lines.send(line);
    }

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
        let tools = waldo_devices::Tool::ALL.iter().filter(|tool| tool.offered(device));
        shown.tools = tools.map(|tool| tool.name()).collect();
    }

    /// Takes an event of the run, with the labelled picture of an observation.
    pub(super) fn take(&self, key: &EpisodeKey, event: &EventKind, picture: Option<&[u8]>) {
        let name = episode_key(key);
        let mut state = self.lock();
        let title = state.record.as_ref().and_then(RecordFolder::run).and_then(|folder| {
            let task = folder.manifest.tasks.iter().find(|task| task.id == key.task)?;
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
        for line in [summary, run].into_iter().flatten() {
            self.send(PageLine::all(&line));
        }
        if let Some(line) = line {
            self.send(PageLine { of: Some(name), text: masked_text(&line) });
        }
    }

    pub(super) fn tell(&self, key: &str) {
        let state = self.lock();
        if let Some(line) = state.episode_line(key) {
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

    pub(super) fn listen(&self) -> broadcast::Receiver<PageLine> {
        self.lines.subscribe()
    }

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

    pub(super) fn streams(&self) -> usize {
        self.lock().pages.values().sum()
    }

    /// Takes a command of a page, which needs the wheel for it.
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

#[derive(Debug)]
pub(super) enum Labelled {
    Bytes(Arc<[u8]>),
    /// A file, and the folder below which it is.
    Kept {
        root: PathBuf,
        file: PathBuf,
    },
}

#[cfg(test)]
mod tests {
    use super::state::HELD;
    use super::*;

    #[test]
    fn a_page_that_closes_keeps_the_wheel_for_a_moment_only() {
        let hub = Hub::new(Effects::default(), LivePlayer::Agents);
        let key = EpisodeKey { contestant: "a".to_owned(), task: "t".to_owned(), repeat: 0 };
        let _wheel = hub.wheel(&key);
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

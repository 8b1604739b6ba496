//! One episode: observe, decide, guard, act, record, until an end; then judge.
//!
//! Invariant: an outcome is data and comes back as `Ok`; `Err` means that the harness could not do
//! its job, and the attempt is invalid.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use image::RgbImage;
use jiff::Timestamp;
use serde_json::Value;
use waldo_agents::error::TimedBy;
use waldo_agents::model::Usage;
use waldo_agents::{
    Agent, AgentError, Brief, Choice, Decision, Fence, ModelError, Note, PersonPart, Turn, View,
};
use waldo_devices::labels::{Layer, PictureFormat, PicturePacking, file_ending};
use waldo_devices::proposal::intending;
use waldo_devices::{
    Action, ActionReport, Budget, Capability, Capture, Deadline, Device, DeviceError, DeviceInfo, Effect,
    Frames, Gated, HeldPointer, LabelStyle, Observation, OriginGate, Picture, ScreenDifference, Secrets,
    StateProbe, StateValue, person,
};

use crate::beside::Answered;
use crate::emitter::Emitter;
use crate::error::{Result, TaskError};
use crate::events::{self, Event, EventKind, KeptPictures, Observed};
use crate::masked;
use crate::record::{EpisodeKey, EpisodeResult, Outcome, ScreenSteps, Unreadable, write_json};
use crate::state;
use crate::task::{EpisodeEnd, Goal, PictureMode, RunningTask, SetUp, Task};

/// The file of an episode's folder that holds what pages sent and got, as an HTTP archive.
pub const TRAFFIC: &str = "network.har";

#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// Preparing the device and judging the end, each.
    pub set_up: Duration,
    pub device: Duration,
    /// One decision, every model call and retry within it included.
    pub decide: Duration,
}

impl Timeouts {
    /// The same, where one request to a model may take as long as `request`: a step has time for two of them, a
    /// question and its repetition, and a minute besides.
    #[must_use]
    pub fn for_requests_of(self, request: Duration) -> Self {
        let needed = request.saturating_mul(2).saturating_add(Duration::from_secs(60));
        Self { decide: self.decide.max(needed), ..self }
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            set_up: Duration::from_secs(60),
            device: Duration::from_secs(30),
            decide: Duration::from_secs(300),
        }
    }
}

#[derive(Clone, Debug)]
pub struct EpisodeSpec {
    pub key: EpisodeKey,
    /// From 1.
    pub attempt: u32,
    pub seed: u64,
    pub max_steps: u32,
    pub budget: Budget,
    /// How tags look; `None` for the style that belongs to the agent's tag scheme.
    pub style: Option<LabelStyle>,
    pub packing: PicturePacking,
    pub pictures: KeptPictures,
    pub timeouts: Timeouts,
    /// Where pictures between observations go, for whoever watches.
    pub frames: Option<Frames>,
}

#[derive(Debug, Default)]
struct Tally {
    usage: Usage,
    calls: u32,
    bad_replies: u32,
    unread: Unreadable,
    repairs: u32,
    refused: u32,
    questions: u32,
    screens: ScreenSteps,
    page_crashes: u32,
    /// Decisions of a person, which are none of the agent's steps.
    by_person: u32,
    assisted: bool,
    deciding: Duration,
    on_device: Duration,
}

impl Tally {
    fn add(&mut self, decision: &Decision) {
        self.by_person += u32::from(decision.person == Some(PersonPart::Decided));
        self.assisted |= decision.person.is_some_and(PersonPart::assists);
        for exchange in &decision.exchanges {
            self.usage += exchange.usage;
            if !exchange.asked_a_model() {
                continue;
            }
            self.calls += 1;
            if let Some(why) = &exchange.rejected {
                self.bad_replies += 1;
                self.unread.add(exchange.unread, why);
            }
            self.repairs += u32::from(exchange.purpose == "repair");
        }
    }

    /// A step that was decided on while this screen, one of several, was in front.
    fn step_on(&mut self, screen: &str, decision: &Decision) {
        if matches!(decision.choice, Choice::Act { action: Action::SwitchScreen { .. } }) {
            self.screens.switching += 1;
        } else {
            *self.screens.on.entry(screen.to_owned()).or_default() += 1;
        }
    }

    fn over(&self, budget: &Budget, wall: Duration) -> Option<Outcome> {
        let tokens = self.usage.prompt.unwrap_or(0) + self.usage.completion.unwrap_or(0);
        if budget.tokens.is_some_and(|limit| tokens >= limit) {
            return Some(Outcome::TokenLimit);
        }
        if budget.micro_usd.is_some_and(|limit| self.usage.micro_usd.unwrap_or(0) >= limit) {
            return Some(Outcome::CostLimit);
        }
        budget.wall.is_some_and(|limit| wall >= limit).then_some(Outcome::TimeLimit)
    }
}

struct Episode<'a> {
    spec: &'a EpisodeSpec,
    folder: &'a Path,
    device: &'a mut dyn Device,
    agent: &'a mut dyn Agent,
    events: &'a Emitter,
    started: Instant,
    tally: Tally,
    held: HeldPointer,
    held_behind: Option<OriginGate>,
    sight: PictureMode,
    /// What the task gives beside the screen.
    gives: Vec<Capability>,
    /// What the task's person answered to the last action.
    answered: Option<String>,
    /// Values that nothing told or kept of it shows.
    secrets: Secrets,
}

/// Plays one attempt at an episode. `folder` is the episode's own, and empty.
pub async fn play(
    task: &dyn Task,
    device: &mut dyn Device,
    agent: &mut dyn Agent,
    spec: &EpisodeSpec,
    folder: &Path,
    events: &Emitter,
    on_goal: &(dyn Fn(&Goal) + Send + Sync),
) -> Result<EpisodeResult> {
    let started = Instant::now();
    // Here and nowhere else, so that no way of playing an episode goes around it.
    let mut gated;
    let device: &mut dyn Device = match agent.fence() {
        Fence::Guard | Fence::Persons => device,
        Fence::Origins => {
            gated = Gated::new(device);
            &mut gated
        }
    };
    let deadline = Deadline::after(spec.timeouts.set_up);
    let mut live = task.set_up(SetUp { device: &mut *device, seed: spec.seed, folder, deadline }).await?;
    on_goal(live.goal());
    let sight = live.sight();
    let secrets = device.secrets();
    if let Some(frames) = &spec.frames {
        film(device, frames);
    }
    let mut episode = Episode {
        spec,
        folder,
        device,
        agent,
        events,
        started,
        tally: Tally::default(),
        held: HeldPointer::default(),
        held_behind: None,
        sight,
        gives: live.goal().beside.capabilities(),
        answered: None,
        secrets,
    };
    episode.begin(live.goal()).await?;
    let (outcome, steps, claim, last) = episode.steps(live.as_mut()).await?;
    // Beside the screen that was seen last.
    episode.let_go(steps + 1, live.as_mut()).await;
    // What it started must not go on while the end is judged.
    episode.agent.end(outcome.name(), &last).await;
    drop(last);
    // Before the judge looks at pages of its own.
    episode.keep_traffic().await?;
    // What an agent failed at without its device whole is not its failure.
    episode.device.health(Deadline::after(spec.timeouts.device)).await?;
    let answer = matches!(outcome, Outcome::Finished).then_some(claim.as_deref()).flatten();
    let deadline = Deadline::after(spec.timeouts.set_up);
    episode.device.film(None);
    let verdict =
        live.judge(EpisodeEnd { device: &mut *episode.device, outcome: &outcome, answer, deadline }).await?;
    if verdict.success < 1.0 {
        // What ended since may be what the checks missed.
        episode.device.health(Deadline::after(spec.timeouts.device)).await?;
    }
    let result = EpisodeResult {
        key: spec.key.clone(),
        success: match verdict.checks.as_slice() {
            [] => None,
            _ if outcome.may_succeed() => Some(verdict.success),
            _ => Some(0.0),
        },
        partial: verdict.partial,
        questions: episode.tally.questions,
        outcome,
        steps,
        max_steps: spec.max_steps,
        seed: spec.seed,
        checks: verdict.checks,
        scoring: Some(verdict.scoring),
        changes: state::for_record(verdict.changes),
        claim,
        usage: episode.tally.usage,
        model_calls: episode.tally.calls,
        bad_replies: episode.tally.bad_replies,
        unread: episode.tally.unread,
        repairs: episode.tally.repairs,
        refused: episode.tally.refused,
        assisted: episode.tally.assisted,
        screens: std::mem::take(&mut episode.tally.screens),
        page_crashes: episode.tally.page_crashes,
        wall: started.elapsed(),
        deciding: episode.tally.deciding,
        on_device: episode.tally.on_device,
        attempts: spec.attempt,
        ended: Timestamp::now(),
    };
    let result = masked::result(result, &episode.secrets);
    episode.emit(EventKind::Ended { result: Box::new(result.clone()) }, None).await?;
    Ok(result)
}

/// Has a device filmed for whoever watches, now that it is known what is secret there.
pub fn film(device: &mut dyn Device, frames: &Frames) {
    let wanted = device.secrets().is_empty().then(|| frames.clone());
    frames.set_filming(device.film(wanted));
}

impl Episode<'_> {
    /// Tells of what happened. What cannot be kept ends the episode here, before more is done or paid for.
    async fn emit(&mut self, kind: EventKind, picture: Option<Arc<[u8]>>) -> Result<()> {
        let event = Event { v: events::FORMAT, at: Timestamp::now(), episode: self.spec.key.clone(), kind };
        match masked::event(event, &self.secrets) {
            Some(event) => self.events.emit(event, picture).await,
            None => Ok(()),
        }
    }

    /// Keeps what pages sent and got, where their devices record it: one archive, whose entries name the screen where there
    /// are several.
    async fn keep_traffic(&mut self) -> Result<()> {
        let deadline = Deadline::after(self.spec.timeouts.device);
        let mut told = Vec::new();
        for (name, screen) in self.device.screens() {
            told.push((Some(name.to_owned()), screen.probe(&StateProbe::Traffic, deadline).await));
        }
        if told.is_empty() {
            told.push((None, self.device.probe(&StateProbe::Traffic, deadline).await));
        }
        let mut whole: Option<Value> = None;
        for (screen, told) in told {
            let mut archive = match told {
                Ok(StateValue::Json(archive)) if !archive.is_null() => archive,
                Ok(_) | Err(DeviceError::Unsupported { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            let Some(entries) = archive["log"]["entries"].as_array_mut() else { continue };
            if let Some(screen) = screen {
                entries.iter_mut().for_each(|entry| entry["_screen"] = screen.as_str().into());
            }
            match whole.as_mut().and_then(|whole| whole["log"]["entries"].as_array_mut()) {
                Some(all) => all.append(entries),
                None => whole = Some(archive),
            }
        }
        whole.map_or(Ok(()), |whole| write_json(&self.folder.join(TRAFFIC), &whole))
    }

    /// The device as the agent is told of it.
    fn info(&self) -> DeviceInfo {
        let mut info = self.device.info();
        info.capabilities.extend(&self.gives);
        info
    }

    async fn begin(&mut self, goal: &Goal) -> Result<()> {
        self.agent.begin(&Brief {
            goal: self.secrets.mask(goal.beside.told(&goal.text)),
            device: self.info(),
            seed: self.spec.seed,
            max_steps: self.spec.max_steps,
            reference: goal.reference.clone(),
        })?;
        if self.agent.has_own_hands() {
            self.agent.take_hands(self.device.own_hands().await?);
        }
        self.emit(
            EventKind::Started {
                attempt: self.spec.attempt,
                seed: self.spec.seed,
                goal: goal.text.clone(),
                params: goal.params.clone(),
                max_steps: self.spec.max_steps,
            },
            None,
        )
        .await
    }

    /// Plays until an end: it, the steps, what the agent claims, and the screen that was seen last.
    async fn steps(&mut self, live: &mut dyn RunningTask) -> Result<(Outcome, u32, Option<String>, View)> {
        let mut note: Option<Note> = None;
        let mut before: Option<Observation> = None;
        let mut step = 0;
        let (outcome, claim) = loop {
            if step > 0 {
                let deadline = Deadline::after(self.spec.timeouts.device);
                for what in live.between(step, self.device, deadline).await? {
                    self.emit(EventKind::Happened { step, what }, None).await?;
                }
            }
            let view = self.observe(step + 1).await?;
            if let (Some(Note::NoChange), Some(before)) = (&note, &before) {
                note = Some(unlike(&view.observation, before));
            }
            // To ask a page that a dialog holds up would be to dismiss what the agent has to answer.
            let asks = view.observation.context.dialog.is_none();
            if asks && live.ended(self.device, Deadline::after(self.spec.timeouts.device)).await? {
                return Ok((Outcome::EndedByPage, step, None, view));
            }
            if step - self.tally.by_person >= self.spec.max_steps {
                return Ok((Outcome::StepLimit, step, None, view));
            }
            if let Some(limit) = self.tally.over(&self.spec.budget, self.started.elapsed()) {
                return Ok((limit, step, None, view));
            }
            step += 1;
            let decision = match self.decide(step, &view, note.as_ref()).await {
                // The time of the episode is a limit like any other, also where a model is asked meanwhile.
                Err(TaskError::Agent(AgentError::Model(ModelError::Timeout {
                    by: TimedBy::Step, ..
                }))) if self.spec.budget.wall.is_some_and(|wall| self.started.elapsed() >= wall) => {
                    return Ok((Outcome::TimeLimit, step, None, view));
                }
                decided => decided?,
            };
            note = match &decision.choice {
                Choice::Finish { answer } => break (Outcome::Finished, answer.clone()),
                Choice::Infeasible { reason } => {
                    break (Outcome::DeclaredInfeasible, Some(reason.clone()));
                }
                Choice::GiveUp { reason } => break (Outcome::GaveUp, Some(reason.clone())),
                Choice::HandOver { reason } => break (Outcome::HandedOver, Some(reason.clone())),
                Choice::Fail { reason } => break (Outcome::AgentFailed, Some(reason.clone())),
                Choice::Pass { reason } => Some(Note::failed(reason.clone())),
                Choice::Act { action } => {
                    let meant = events::intent(step, &view, &decision, action, self.folder);
                    intending(meant, self.act(step, action, &decision.gate, live)).await?
                }
            };
            before = Some(view.observation);
        };
        // The screen that the checks will judge, for the report.
        let last = self.observe(step + 1).await?;
        Ok((outcome, step, claim, last))
    }

    /// Lets go of a pointer that the episode's end left pressed: a limit ends it without asking the agent.
    async fn let_go(&mut self, step: u32, live: &mut dyn RunningTask) {
        let Some(at) = self.held.at() else { return };
        let gate = self.held_behind.take();
        let refused = self.tally.refused;
        let done = self.act(step, &Action::PointerUp { at }, &gate, live).await;
        // A refusal of this release is not counted: the agent did not ask for it.
        self.tally.refused = refused;
        self.held = HeldPointer::default();
        // How the episode ended stands already; a device that is gone shows when it is judged.
        if let Err(error) = done {
            tracing::debug!(%error, "letting go at the end");
        }
    }

    async fn observe(&mut self, step: u32) -> Result<View> {
        let deadline = Deadline::after(self.spec.timeouts.device);
        let start = Instant::now();
        let needless = self.spec.pictures == KeptPictures::Needed && !self.agent.looks();
        let want = if needless { Capture::Elements } else { Capture::All };
        let mut observation = self.device.observe(want, deadline).await?;
        self.tally.on_device += start.elapsed();
        self.tally.page_crashes += u32::try_from(observation.context.page_crashes).unwrap_or(u32::MAX);
        if observation.elements.is_empty() {
            // Either there is nothing, or what would tell of it is gone.
            self.device.health(deadline).await?;
        }
        // A page that a dialog holds up says nothing; the dialog's own words are looked at by the agent.
        if self.agent.fence() != Fence::Guard && observation.context.dialog.is_none() {
            let asked = person::asked_for(self.device, deadline).await;
            observation.context.person = asked.map(|words| self.secrets.mask(words));
        }
        if self.sight == PictureMode::Blank {
            let (wide, high) = observation.picture.size();
            let blank = RgbImage::from_pixel(wide, high, image::Rgb([255; 3]));
            observation.picture = Picture::new(blank);
        }
        let numbering = self.agent.numbering(&self.info());
        let style = numbering.style(self.spec.style);
        let view = View::packed(observation, numbering, style, self.spec.packing)?;
        self.emit(EventKind::Observed(Box::new(Observed::of(step, &view))), Some(view.png.clone())).await?;
        if self.spec.pictures == KeptPictures::TaggedAndBare && !view.observation.picture.is_empty() {
            let lossless = PicturePacking { format: PictureFormat::Webp, max: None };
            let packed = Layer::over(view.observation.picture.raster()).encode(lossless)?;
            let picture = format!("step-{step:02}-bare.{}", file_ending(&packed));
            self.emit(EventKind::Pictured { step, picture }, Some(packed.into())).await?;
        }
        Ok(view)
    }

    async fn decide(&mut self, step: u32, view: &View, note: Option<&Note>) -> Result<Decision> {
        let start = Instant::now();
        let mut limit = self.spec.timeouts.decide;
        if let Some(wall) = self.spec.budget.wall {
            limit = limit.min(wall.saturating_sub(self.started.elapsed()).max(Duration::from_secs(1)));
        }
        let (device, answered) = (self.info(), self.answered.take());
        let (deadline, person) = (Deadline::after(limit), answered.as_deref());
        let turn = Turn { step, device: &device, view, note, deadline, person };
        let mut decision = self.agent.decide(&turn).await?;
        let is_over = self.spec.budget.wall.is_some_and(|wall| self.started.elapsed() >= wall);
        if let Choice::Fail { reason } = &decision.choice
            && is_over
        {
            // The time of the episode is a limit like any other, and the agent was not given all of its own.
            decision.choice = Choice::Pass { reason: reason.clone() };
        }
        self.tally.add(&decision);
        if let Some(front) = view.observation.context.screens.iter().find(|screen| screen.front) {
            self.tally.step_on(&front.name, &decision);
        }
        let took = start.elapsed();
        self.tally.deciding += took;
        self.emit(EventKind::Decided { step, decision: Box::new(decision.clone()), took }, None).await?;
        Ok(decision)
    }

    async fn act(
        &mut self,
        step: u32,
        action: &Action,
        gate: &Option<OriginGate>,
        live: &mut dyn RunningTask,
    ) -> Result<Option<Note>> {
        let deadline = Deadline::after(self.spec.timeouts.device);
        let start = Instant::now();
        let mut done = match with_uploads(action, live.goal()) {
            Ok(action) => match gate {
                Some(gate) => Gated::behind(&mut *self.device, gate.clone()).perform(&action, deadline).await,
                None => self.device.perform(&action, deadline).await,
            },
            Err(e) => Err(e),
        };
        self.tally.on_device += start.elapsed();
        // The guard has let it pass, and the device has none of its own.
        if action.is_beside_the_screen() && matches!(done, Err(DeviceError::Unsupported { .. })) {
            done = self.turn_to(step, action, live).await?;
        }
        // What stands around the device's guard speaks, too.
        let (report, note) = match self.secrets.reported(done) {
            Ok(report) => {
                let note = note_on(action, &report);
                if matches!(note, Some(Note::NoChange)) {
                    self.device.health(Deadline::after(self.spec.timeouts.device)).await?;
                }
                (Some(report), note)
            }
            Err(e) if e.is_agents_mistake() => (None, Some(Note::of_error(&e))),
            Err(e @ DeviceError::Call { .. }) => {
                self.device.health(Deadline::after(self.spec.timeouts.device)).await?;
                (None, Some(Note::of_error(&e)))
            }
            Err(e) => return Err(e.into()),
        };
        if matches!(note, Some(Note::Refused { .. })) {
            self.tally.refused += 1;
        } else {
            self.held.follow(action);
            if let (Action::AskUser { .. }, Some(Note::Printed { text })) = (action, &note) {
                self.tally.questions += 1;
                self.answered = Some(text.clone());
            }
            if matches!(action, Action::PointerDown { .. }) {
                self.held_behind.clone_from(gate);
            }
        }
        self.emit(EventKind::Acted { step, action: action.clone(), report, note: note.clone() }, None)
            .await?;
        // The agent hears it as the words of the person who set the task.
        Ok(note.filter(|_| self.answered.is_none()))
    }

    /// Has the task's person or one of its tools answer. What the agent did wrong comes back as the device's error.
    async fn turn_to(
        &mut self,
        step: u32,
        action: &Action,
        live: &mut dyn RunningTask,
    ) -> Result<Result<ActionReport, DeviceError>> {
        let start = Instant::now();
        match live.turn_to(action, Deadline::after(self.spec.timeouts.decide)).await {
            Ok(Answered { text, by }) => {
                if let Some(what) = by {
                    self.emit(EventKind::Happened { step, what }, None).await?;
                }
                Ok(Ok(ActionReport { effect: Effect::Confirmed { evidence: text }, took: start.elapsed() }))
            }
            Err(TaskError::Device(error)) if error.is_agents_mistake() => Ok(Err(error)),
            Err(error) => Err(error),
        }
    }
}

/// The note on an action of which the device saw no effect, by the screens before and after it.
fn unlike(after: &Observation, before: &Observation) -> Note {
    match after.differs_from(before) {
        ScreenDifference::Nothing => Note::NoChange,
        ScreenDifference::Drawn => Note::Redrawn,
        ScreenDifference::Content => Note::Changed { text: "the screen is another than before".to_owned() },
    }
}

fn note_on(action: &Action, report: &ActionReport) -> Option<Note> {
    match &report.effect {
        // What it printed is what it was run for.
        Effect::Confirmed { evidence }
            if matches!(action, Action::Shell { .. }) || action.is_beside_the_screen() =>
        {
            Some(Note::Printed { text: evidence.clone() })
        }
        Effect::Refused { kind, reason } => Some(Note::refused(*kind, reason)),
        Effect::SuspectedNoop => Some(Note::NoChange),
        Effect::NotAsAsked { found } => Some(Note::NotAsAsked { found: found.clone() }),
        Effect::Confirmed { evidence } => Some(Note::Changed { text: evidence.clone() }),
        Effect::Unverifiable => None,
    }
}

/// Puts the host's paths in place of the names of files. A file that the task does not offer does not
/// exist as far as an agent is concerned.
fn with_uploads(action: &Action, goal: &Goal) -> Result<Action, DeviceError> {
    let Action::Upload { element, files } = action else {
        return Ok(action.clone());
    };
    let mut found = Vec::new();
    for file in files {
        let name = file.to_string_lossy();
        let Some((_, path)) = goal.uploads.iter().find(|(offered, _)| *offered == name) else {
            let offered: Vec<&str> = goal.uploads.iter().map(|(n, _)| n.as_str()).collect();
            return Err(DeviceError::BadArgument {
                what: format!("file '{name}'"),
                message: format!(
                    "the task offers {}",
                    if offered.is_empty() { "none".into() } else { offered.join(", ") }
                ),
            });
        };
        found.push(path.clone());
    }
    Ok(Action::Upload { element: element.clone(), files: found })
}

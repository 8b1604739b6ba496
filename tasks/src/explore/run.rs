use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use waldo_agents::View;
use waldo_agents::appagent::docs::keys;
use waldo_agents::appagent::learn::{ScreenId, StopHit, StopRule, without};
use waldo_agents::appagent::{Mode, Slot};
use waldo_devices::count::{count, either};
use waldo_devices::{Capture, Deadline, Element};

use super::turn::ScreenBefore;
use super::{Exploration, ExplorationState, Explored};
use crate::docs::ElementDoc;
use crate::error::{Result, TaskError};
use crate::events::{self, Event, EventKind, Observed};
use crate::masked;
use crate::record::{CheckResult, EVENTS, EpisodeResult, Outcome, write_whole};

/// How often an app is brought back to its start when nothing is left where the exploration stands.
const RESTARTS: u32 = 20;
/// How often in a row an app is brought back that was left.
const AWAY: u32 = 3;

impl Exploration<'_> {
    /// Explores, from where an earlier process left off when there is a state.
    ///
    /// # Errors
    /// When the harness could not do its job; what was learnt so far is kept.
    pub async fn run(&mut self) -> Result<Explored> {
        let started = Instant::now();
        let mut state = self.begin().await?;
        let earlier = state.wall;
        if state.ended.is_none() {
            let deadline = Deadline::after(self.spec.timeouts.set_up);
            self.spec.start.set(self.device, deadline).await?;
            let ended = self.steps(&mut state, started, earlier).await?;
            state.ended = Some(ended);
            state.wall = earlier + started.elapsed();
            state.commit(self.folder.path(), self.store)?;
        }
        let explored = self.explored(&state);
        let result = explored.result.clone();
        self.emit(EventKind::Ended { result: Box::new(result.clone()) }, None).await?;
        let folder = self.folder.clone();
        self.events.write(move || folder.complete(&result)).await?;
        Ok(explored)
    }

    pub(super) fn tolerant(&self) -> bool {
        self.explorer.options().mode == Mode::Tolerant
    }

    /// Tells of what happened. What cannot be kept ends the exploration here, before more is done or paid for.
    pub(super) async fn emit(&mut self, kind: EventKind, picture: Option<Arc<[u8]>>) -> Result<()> {
        let event = Event { v: events::FORMAT, at: Timestamp::now(), episode: self.spec.key.clone(), kind };
        match masked::event(event, &self.device.secrets()) {
            Some(event) => self.events.emit(event, picture).await,
            None => Ok(()),
        }
    }

    /// The state to go on from, with the record and the documentation brought in line with it.
    async fn begin(&mut self) -> Result<ExplorationState> {
        if let Some(mut state) = ExplorationState::load(self.folder.path())? {
            self.belongs(&state)?;
            state.apply(self.store)?;
            // A limit that was raised since is none any more.
            let by_limit = state.ended.as_ref().is_some_and(|(outcome, _)| *outcome != Outcome::Finished);
            if by_limit && self.limit(&state).is_none() {
                state.ended = None;
            }
            if state.ended.is_none() {
                self.trim(state.step)?;
                // The device starts anew.
                state.taken = None;
                state.note =
                    Some("The app was started again; what was done before is in the summary.".to_owned());
            }
            return Ok(state);
        }
        let folder = self.folder.clone();
        self.events.write(move || folder.begin()).await?;
        let began = Timestamp::now().strftime("%Y-%m-%d %H:%M:%S");
        let run = format!("{} of {began}", self.spec.run);
        let state = ExplorationState { run, graph: self.store.graph()?, ..ExplorationState::new() };
        self.emit(
            EventKind::Started {
                attempt: 1,
                seed: self.spec.seed,
                goal: self.spec.goal.clone(),
                params: serde_json::Value::Null,
                max_steps: self.spec.max_steps,
            },
            None,
        )
        .await?;
        state.commit(self.folder.path(), self.store)?;
        Ok(state)
    }

    /// Looks whether the documentation is the one that this exploration wrote into: in another one what it
    /// learnt would be missing for good.
    fn belongs(&self, state: &ExplorationState) -> Result<()> {
        // The last note may not have been written yet.
        let written = state.documented.saturating_sub(u32::from(state.commit.is_some()));
        let mine = |doc: &ElementDoc| doc.history.iter().any(|c| c.run.as_deref() == Some(&state.run));
        if written == 0 || self.store.elements().any(mine) {
            return Ok(());
        }
        let message = format!(
            "holds none of the {written} notes of the exploration that goes on; give the --docs that it began \
             with, or another --out"
        );
        Err(TaskError::record(self.store.path(), message))
    }

    /// Cuts what a killed process recorded of a step that it did not complete, and half a line.
    fn trim(&self, step: u32) -> Result<()> {
        let kept = self.folder.events()?.into_iter().filter(|event| match &event.kind {
            EventKind::Observed(seen) => seen.step <= step,
            EventKind::Decided { step: at, .. }
            | EventKind::Acted { step: at, .. }
            | EventKind::Reflected { step: at, .. } => *at <= step,
            EventKind::Ended { .. } => false,
            _ => true,
        });
        let mut lines = Vec::new();
        let path = self.folder.path().join(EVENTS);
        for event in kept {
            serde_json::to_writer(&mut lines, &event)
                .map_err(|e| TaskError::Internal(format!("an event of {}: {e}", path.display())))?;
            lines.push(b'\n');
        }
        write_whole(&path, &lines)
    }

    async fn steps(
        &mut self,
        state: &mut ExplorationState,
        started: Instant,
        earlier: Duration,
    ) -> Result<(Outcome, String)> {
        let mut away = 0;
        loop {
            let view = self.observe().await?;
            if self.tolerant() && self.outside(&view) {
                self.record(state.step + 1, &view).await?;
                if away == AWAY {
                    let place = view.observation.context.location;
                    return Ok((Outcome::Finished, format!("the app does not stay in front: {place} does")));
                }
                away += 1;
                state.taken = None;
                state.note = Some("That left the app, so it was started again.".to_owned());
                let deadline = Deadline::after(self.spec.timeouts.set_up);
                self.spec.start.again(self.device, deadline).await?;
                continue;
            }
            away = 0;
            let before = self.arrive(state, view).await?;
            state.wall = earlier + started.elapsed();
            if let Some(end) = self.limit(state) {
                return Ok(end);
            }
            if self.tolerant() {
                if state.graph.is_complete(&|key, slot| self.known(key, slot)) {
                    return Ok((Outcome::Finished, "nothing is left to try".to_owned()));
                }
                if self.stuck(state, &before) {
                    if state.restarts >= RESTARTS {
                        let why = "what is left to try could not be reached".to_owned();
                        return Ok((Outcome::Finished, why));
                    }
                    state.restarts += 1;
                    state.taken = None;
                    state.note = Some("Nothing was left there, so the app was started again.".to_owned());
                    let deadline = Deadline::after(self.spec.timeouts.set_up);
                    self.spec.start.again(self.device, deadline).await?;
                    let home = self.observe().await?;
                    let home = self.arrive(state, home).await?;
                    if self.stuck(state, &home) && !self.offers_more(&home) {
                        let why = "what is left to try could not be reached".to_owned();
                        return Ok((Outcome::Finished, why));
                    }
                    if let Some(end) = self.turn(state, home).await? {
                        return Ok(end);
                    }
                    continue;
                }
            }
            if let Some(end) = self.turn(state, before).await? {
                return Ok(end);
            }
        }
    }

    /// Whether an app is in front that may not be touched: there is nothing to explore, and the back key may
    /// not lead out of it.
    fn outside(&self, view: &View) -> bool {
        let place = &view.observation.context.location;
        let app = place.split('/').next().unwrap_or_default();
        !self.device.info().platform.has_pages()
            && !app.is_empty()
            && !self.spec.start.to.policy.allows_app(app)
    }

    pub(super) fn keys(&self, view: &View) -> Vec<String> {
        keys(view, self.explorer.options().mode)
    }

    /// Whether a slot needs no trying: it is documented.
    pub(super) fn known(&self, key: &str, slot: Slot) -> bool {
        self.store.knows(key, slot)
    }

    /// Whether nothing is left here, and no way is known to where something is.
    fn stuck(&self, state: &ExplorationState, before: &ScreenBefore) -> bool {
        let known = |key: &str, slot: Slot| self.known(key, slot);
        state.graph.pending(before.screen, &known).is_empty()
            && state.graph.ways(before.screen, &known).is_empty()
            && !state.graph.left_behind(before.screen, &known)
            && before.view.observation.context.dialog.is_none()
            && !self.offers_more(before)
    }

    /// Whether more of the page lies below, where something new may be.
    fn offers_more(&self, before: &ScreenBefore) -> bool {
        before.view.observation.context.page_scroll.is_some_and(|s| s.below > 40)
    }

    pub(super) fn limit(&self, state: &ExplorationState) -> Option<(Outcome, String)> {
        let budget = &self.spec.budget;
        let tokens = state.usage.prompt.unwrap_or(0) + state.usage.completion.unwrap_or(0);
        if state.step >= self.spec.max_steps {
            return Some((
                Outcome::StepLimit,
                format!("the budget of {} is used", count(self.spec.max_steps, "step")),
            ));
        }
        if budget.tokens.is_some_and(|limit| tokens >= limit) {
            return Some((
                Outcome::TokenLimit,
                format!("{} {} used", count(tokens, "token"), either(tokens, "is", "are")),
            ));
        }
        if budget.micro_usd.is_some_and(|limit| state.usage.micro_usd.unwrap_or(0) >= limit) {
            return Some((Outcome::CostLimit, "the money is used".to_owned()));
        }
        if budget.wall.is_some_and(|limit| state.wall >= limit) {
            return Some((Outcome::TimeLimit, format!("{:.0} s have passed", state.wall.as_secs_f64())));
        }
        let patience = self.spec.patience;
        (self.tolerant() && patience > 0 && state.idle >= patience)
            .then(|| (Outcome::Finished, format!("{} brought nothing new", count(patience, "step"))))
    }

    pub(super) async fn observe(&mut self) -> Result<View> {
        let deadline = Deadline::after(self.spec.timeouts.device);
        let observation = self.device.observe(Capture::All, deadline).await?;
        let numbering = self.explorer.options().mode.numbering(&self.device.info());
        Ok(View::numbered(observation, numbering, self.spec.style)?)
    }

    pub(super) async fn record(&mut self, step: u32, view: &View) -> Result<()> {
        self.emit(EventKind::Observed(Box::new(Observed::of(step, view))), Some(view.png.clone())).await
    }

    /// Finds the screen of a view, links it to where it was reached from, and takes out what AppAgent
    /// takes out.
    pub(super) async fn arrive(&mut self, state: &mut ExplorationState, view: View) -> Result<ScreenBefore> {
        let all = self.keys(&view);
        let screen = state.graph.visit(&view, &all);
        if let Some((from, by)) = state.taken.take() {
            state.graph.link(from, &by, screen);
        }
        self.bar(state, &view, &all, screen);
        let (view, keys) = if self.tolerant() {
            (view, all)
        } else {
            without(&view, &all, &state.useless, self.spec.style)?
        };
        self.record(state.step + 1, &view).await?;
        Ok(ScreenBefore { view, keys, screen })
    }

    fn bar(&self, state: &mut ExplorationState, view: &View, keys: &[String], screen: ScreenId) {
        if self.spec.sensitive == super::OnSensitive::Allow {
            return;
        }
        for (t, key) in view.tagged.iter().zip(keys) {
            let element = view.observation.elements.get(t.element);
            let hit = element.filter(|_| !state.agreed.contains(key)).and_then(|e| self.hit(state, e, key));
            if let Some(hit) = &hit {
                state.barred.entry(key.clone()).or_insert_with(|| hit.reason());
            }
            let Some(screen) = state.graph.screen_mut(screen) else { continue };
            match hit {
                // Under `Ask` it is offered, and the person decides when it comes to it.
                Some(hit) if self.spec.sensitive == super::OnSensitive::Skip => {
                    screen.barred.insert(key.clone(), hit.reason());
                }
                // What an earlier rule barred is looked at anew.
                _ => drop(screen.barred.remove(key)),
            }
        }
    }

    /// Whether an element is to be left alone: by the stop rule, or because a model said so.
    pub(super) fn hit(&self, state: &ExplorationState, element: &Element, key: &str) -> Option<StopHit> {
        let by_model = || {
            let said = state.graph.sensitive.contains(key) && StopRule::is_concerned(element);
            said.then(|| StopHit::by_model(&element.name))
        };
        self.explorer.options().stop.on_element(element).or_else(by_model)
    }

    fn explored(&self, state: &ExplorationState) -> Explored {
        let (outcome, why) =
            state.ended.clone().unwrap_or_else(|| (Outcome::StepLimit, String::from("stopped")));
        let known = |key: &str, slot: Slot| self.known(key, slot);
        let (mut all, mut done) = (0, 0);
        for screen in &state.graph.screens {
            let left: std::collections::BTreeSet<&str> =
                state.graph.pending(screen.id, &known).into_iter().map(|(key, _)| key).collect();
            all += screen.elements.len();
            done += screen.elements.keys().filter(|k| !left.contains(k.as_str())).count();
        }
        #[expect(clippy::cast_precision_loss, reason = "apps have few elements")]
        let share = if all == 0 { 0.0 } else { done as f64 / all as f64 };
        let spec = &self.spec;
        let result = EpisodeResult {
            success: Some(share),
            steps: state.step,
            checks: vec![CheckResult::new(
                "every element that was seen is documented, does nothing or is barred",
                all == done,
                format!(
                    "{done} of {all} on {}, {}; ended because {why}",
                    count(state.graph.screens.len(), "screen"),
                    count(state.documented, "note")
                ),
            )],
            usage: state.usage,
            model_calls: state.calls,
            bad_replies: state.bad_replies,
            refused: u32::try_from(state.barred.len()).unwrap_or(u32::MAX),
            wall: state.wall,
            ..EpisodeResult::of(spec.key.clone(), outcome, spec.seed, spec.max_steps)
        };
        Explored {
            result,
            why,
            documented: state.documented,
            refined: state.refined,
            decided_free: state.decided_free,
            screens: state.graph.screens.len(),
            elements: (all, done),
            barred: state.barred.iter().map(|(k, w)| (k.clone(), w.clone())).collect(),
        }
    }
}

//! One step: propose, guard, act, look back, document, commit.

use std::time::{Duration, Instant};

use waldo_agents::appagent::Slot;
use waldo_agents::appagent::learn::{
    self, ActionVerdict, Difference, ExploreTurn, IneffectivePolicy, NextTurn, Proposal, ReflectedAction,
    Reflection, ScreenId, Sensitive, StopHit, StopRule, SummaryUpdate, Tried, consequence,
};
use waldo_agents::{Choice, Exchange, Note, View, Words};
use waldo_devices::proposal::intending;
use waldo_devices::{Action, Deadline, DeviceError, Effect};
use waldo_prompts::appagent::{Coverage, UntriedScreen};

use super::{Documented, Exploration, ExplorationState, OnSensitive, Reflected};
use crate::docs::{ElementNote, NoteOutcome, ScreenSighting, TextLayer};
use crate::error::Result;
use crate::events::{EventKind, intent};
use crate::record::Outcome;

/// Longest summary that is kept, in characters.
const HISTORY: usize = 2000;

pub(super) struct ScreenBefore {
    pub(super) view: View,
    pub(super) keys: Vec<String>,
    pub(super) screen: ScreenId,
}

struct ActionOutcome {
    note: Option<String>,
    quoted: Option<String>,
    acted: bool,
}

impl Exploration<'_> {
    /// One step; what it gives ends the exploration.
    pub(super) async fn turn(
        &mut self,
        state: &mut ExplorationState,
        before: ScreenBefore,
    ) -> Result<Option<(Outcome, String)>> {
        let step = state.step + 1;
        let start = Instant::now();
        let proposal = self.propose(state, &before).await?;
        self.portray(state, &before)?;
        count(state, &proposal.decision.exchanges);
        self.emit(
            EventKind::Decided { step, decision: Box::new(proposal.decision.clone()), took: start.elapsed() },
            None,
        )
        .await?;
        state.step = step;
        state.commit = None;
        (state.note, state.quoted) = (None, None);
        state.idle += 1;
        if let Some(why) = &proposal.over {
            state.commit(self.folder.path(), self.store)?;
            return Ok(Some((Outcome::Finished, why.clone())));
        }
        if ends(&proposal.decision.choice) {
            state.commit(self.folder.path(), self.store)?;
            return Ok(Some((Outcome::Finished, "the model sees nothing left to try".to_owned())));
        }
        self.remember(state, &proposal);
        let action = match &proposal.decision.choice {
            Choice::Act { action } => action.clone(),
            other => {
                let reason = if let Choice::Pass { reason } = other { reason.as_str() } else { "" };
                state.note = Some(format!("your reply could not be used, so nothing was done: {reason}."));
                state.commit(self.folder.path(), self.store)?;
                return Ok(None);
            }
        };
        if let Some(hit) = self.stopped(state, &before, &proposal, &action) {
            let said = |why: String| {
                let call = &proposal.decision.call;
                format!("{call} was not carried out: it may pay, send or delete something ({why})")
            };
            state.note = Some(said(hit.told()));
            state.quoted = hit.quoted().map(str::to_owned);
            // The record's words quote the screen.
            let note = Some(Note::Refused { reason: said(hit.reason()), whose: Words::Device });
            self.emit(EventKind::Acted { step, action, report: None, note }, None).await?;
            state.commit(self.folder.path(), self.store)?;
            return Ok(None);
        }
        let meant = intent(step, &before.view, &proposal.decision, &action, self.folder.path());
        let done = intending(meant, self.act(step, &action)).await?;
        self.pause().await;
        state.note.clone_from(&done.note);
        state.quoted.clone_from(&done.quoted);
        let by = if let Some(tried) = &proposal.tried { tried.way() } else { proposal.decision.call.clone() };
        if done.acted {
            if let Some(tried) = proposal.tried.as_ref().filter(|t| t.slot == Slot::Tap) {
                state.tapped = Some(tried.key.clone());
            }
            state.taken = Some((before.screen, by));
            if let Some(tried) = &proposal.tried
                && let Some(end) = self.look_back(state, &before, tried, &proposal).await?
            {
                state.commit(self.folder.path(), self.store)?;
                return Ok(Some(end));
            }
        } else if let Some(tried) = &proposal.tried {
            // What cannot be carried out is not offered again.
            self.useless(state, before.screen, tried);
        }
        state.commit(self.folder.path(), self.store)?;
        Ok(None)
    }

    /// Keeps a picture of the screen for people, where there is none of what it holds now.
    fn portray(&self, state: &mut ExplorationState, before: &ScreenBefore) -> Result<()> {
        let Some(screen) = state.graph.screen_mut(before.screen).filter(|s| !s.is_pictured()) else {
            return Ok(());
        };
        if let Some(png) = learn::portrait(&before.view)? {
            self.store.screen_picture(screen.id, &png)?;
            screen.at = learn::places(&before.view, &before.keys);
        }
        Ok(())
    }

    async fn propose(&mut self, state: &ExplorationState, before: &ScreenBefore) -> Result<Proposal> {
        let coverage = self.coverage(state, before);
        let typing = learn::focused(&before.view).or_else(|| {
            let tapped = state.tapped.as_ref()?;
            before.keys.iter().position(|k| k == tapped)
        });
        let device = self.device.info();
        let turn = ExploreTurn {
            device: &device,
            goal: &self.spec.goal,
            view: &before.view,
            keys: &before.keys,
            history: state.history.as_deref(),
            note: state.note.as_deref(),
            quoted: state.quoted.as_deref(),
            coverage: &coverage,
            typing,
            steps_left: self.spec.max_steps.saturating_sub(state.step),
            deadline: Deadline::after(self.spec.decide()),
        };
        Ok(self.explorer.propose(&turn).await?)
    }

    fn coverage(&self, state: &ExplorationState, before: &ScreenBefore) -> Coverage {
        let known = |key: &str, slot: Slot| self.known(key, slot);
        let pending = state.graph.pending(before.screen, &known);
        let Some(screen) = state.graph.screen(before.screen) else { return Coverage::default() };
        let tag = |key: &str| {
            let at = before.keys.iter().position(|k| k == key)?;
            before.view.tagged.get(at).map(|t| t.tag.0)
        };
        let focused = learn::focused(&before.view).and_then(|at| before.keys.get(at));
        let mut out = Coverage::default();
        for (key, slot) in &pending {
            match (slot, tag(key)) {
                (Slot::VSwipe, Some(tag)) => out.swipe.push(tag),
                (Slot::Text, Some(tag)) => {
                    if focused.is_some_and(|f| f == key) {
                        out.typing = Some(tag);
                    } else if !pending.contains(&(key, Slot::Tap)) && !out.here.contains(&tag) {
                        // A tap gives it the focus first.
                        out.here.push(tag);
                    }
                }
                (_, Some(tag)) if !out.here.contains(&tag) => out.here.push(tag),
                _ => {}
            }
        }
        out.here.sort_unstable();
        out.swipe.sort_unstable();
        for (by, left, steps) in state.graph.ways(before.screen, &known) {
            match tag(&by) {
                Some(tag) if !screen.barred.contains_key(&by) => {
                    out.ways.push(UntriedScreen { tag, left, steps })
                }
                _ => out.back |= by.starts_with("back("),
            }
        }
        out.ways.truncate(6);
        out.back |=
            pending.is_empty() && out.ways.is_empty() && state.graph.left_behind(before.screen, &known);
        let context = &before.view.observation.context;
        out.below = context.page_scroll.is_some_and(|s| s.below > 40);
        let listed = |keys: &mut dyn Iterator<Item = &String>| {
            let mut tags: Vec<u32> = keys.filter_map(|k| tag(k)).collect();
            tags.sort_unstable();
            tags
        };
        out.barred = listed(&mut screen.barred.keys());
        let mut tried = screen
            .elements
            .keys()
            .filter(|key| !screen.barred.contains_key(*key) && !pending.iter().any(|(k, _)| k == key));
        out.tried = listed(&mut tried);
        out
    }

    fn remember(&self, state: &mut ExplorationState, proposal: &Proposal) {
        let said = proposal.decision.summary.as_deref().map(str::trim).filter(|s| !s.is_empty());
        if let Some(said) = said {
            let over = said.chars().count().saturating_sub(HISTORY);
            state.history = Some(said.chars().skip(over).collect());
        }
    }

    /// Why an action is not carried out, where the stop rule bars it and nobody agreed.
    fn stopped(
        &self,
        state: &mut ExplorationState,
        before: &ScreenBefore,
        proposal: &Proposal,
        action: &Action,
    ) -> Option<StopHit> {
        if self.spec.sensitive == OnSensitive::Allow {
            return None;
        }
        let rule = &self.explorer.options().stop;
        let element = proposal.decision.tag.and_then(|tag| before.view.element(tag));
        let key = proposal.tried.as_ref().map(|t| t.key.clone());
        let on_element = || {
            let element = element?;
            let touches = matches!(action, Action::Tap { .. } | Action::LongPress { .. });
            if !touches {
                return None;
            }
            if let Some(key) = &key { self.hit(state, element, key) } else { rule.on_element(element) }
        };
        let hit: StopHit = on_element().or_else(|| rule.on_action(action, &before.view.observation))?;
        if key.as_ref().is_some_and(|k| state.agreed.contains(k)) {
            return None;
        }
        let call = &proposal.decision.call;
        let asked = self.spec.sensitive == OnSensitive::Ask
            && self.warden.as_ref().is_some_and(|w| w.allows(element, call, &hit));
        if asked {
            state.agreed.extend(key);
            return None;
        }
        let name = key.clone().unwrap_or_else(|| call.clone());
        state.barred.entry(name).or_insert_with(|| hit.reason());
        if let (Some(key), Some(screen)) = (key, state.graph.screen_mut(before.screen)) {
            screen.barred.insert(key, hit.reason());
        }
        Some(hit)
    }

    async fn act(&mut self, step: u32, action: &Action) -> Result<ActionOutcome> {
        let deadline = Deadline::after(self.spec.timeouts.device);
        let done = match self.device.perform(action, deadline).await {
            Ok(report) => Ok(report),
            Err(e) if e.is_agents_mistake() => Err(e),
            Err(e @ DeviceError::Call { .. }) => Err(e),
            Err(e) => return Err(e.into()),
        };
        let (report, note, acted) = match done {
            Ok(report) => {
                let note = match &report.effect {
                    Effect::Refused { kind, reason } => Some(Note::refused(*kind, reason)),
                    Effect::SuspectedNoop => Some(Note::NoChange),
                    _ => None,
                };
                let acted = !matches!(note, Some(Note::Refused { .. }));
                (Some(report), note, acted)
            }
            Err(e) => (None, Some(Note::of_error(&e)), false),
        };
        self.emit(EventKind::Acted { step, action: action.clone(), report, note: note.clone() }, None)
            .await?;
        let quoted = note.as_ref().and_then(Note::quoted).map(str::to_owned);
        let note = note.as_ref().and_then(|note| {
            let what =
                if matches!(note, Note::Refused { .. }) { "was refused" } else { "could not be carried out" };
            Some(format!("it {what}: {}.", note.reason()?))
        });
        Ok(ActionOutcome { note, quoted, acted })
    }

    async fn look_back(
        &mut self,
        state: &mut ExplorationState,
        before: &ScreenBefore,
        tried: &Tried,
        proposal: &Proposal,
    ) -> Result<Option<(Outcome, String)>> {
        let tolerant = self.tolerant();
        let after = self.observe().await?;
        let difference = Difference::of(&before.view.observation, &after.observation);
        // AppAgent looks into the base that it writes alone.
        let old = match tolerant {
            true => self.store.text(&tried.key, tried.slot).map(str::to_owned),
            false => self.store.base(&tried.key, tried.slot, TextLayer::Auto),
        };
        let (reflection, free) = if tolerant && difference.is_nothing() {
            state.decided_free += 1;
            (Reflection::nothing_changed(), true)
        } else if tolerant && old.is_some() && self.expected(state, before, tried, &after) {
            state.decided_free += 1;
            (known_already(), true)
        } else {
            let device = self.device.info();
            let deed = ReflectedAction {
                device: &device,
                goal: &self.spec.goal,
                before: &before.view,
                tried,
                summary: proposal.decision.summary.as_deref(),
                old_doc: old.as_deref(),
                after: &after,
                deadline: Deadline::after(self.spec.decide()),
            };
            (self.explorer.reflect(&deed).await?, false)
        };
        count(state, &reflection.exchanges);
        self.heed(state, tried, &after, &reflection);
        let follows = consequence(&reflection.verdict, self.explorer.options().mode);
        let mut told = Reflected {
            verdict: reflection.verdict,
            free,
            thought: reflection.thought.clone(),
            documented: None,
            exchanges: reflection.exchanges.clone(),
            after: None,
        };
        if follows.next == NextTurn::End {
            self.emit(EventKind::Reflected { step: state.step, reflected: Box::new(told) }, None).await?;
            return Ok(Some((Outcome::Finished, "AppAgent cannot read the reflection".to_owned())));
        }
        if reflection.verdict == ActionVerdict::Ineffective {
            state.note = Some(format!("{} changed nothing.", proposal.decision.call));
        }
        // What is documented is known; once the note is taken away it may be tried again.
        let noted = tolerant && follows.documents && reflection.documentation.is_some();
        if follows.useless == IneffectivePolicy::Yes && !noted {
            self.useless(state, before.screen, tried);
        }
        if follows.summary == SummaryUpdate::Lost {
            state.history = None;
        }
        // AppAgent never replaces what is there.
        let text = reflection.documentation.as_deref().filter(|_| follows.documents);
        let dropped = text.is_some() && !tolerant && old.is_some();
        if let Some(text) = text.filter(|_| !dropped) {
            told.documented = self.learn(state, before, tried, text, reflection.verdict)?;
        }
        if follows.next == NextTurn::Back && self.leads_back(before, &after) {
            self.go_back(state, before, tried, &after, &mut told).await?;
        }
        if !dropped {
            self.pause().await;
        }
        self.emit(EventKind::Reflected { step: state.step, reflected: Box::new(told) }, None).await?;
        Ok(None)
    }

    /// Keeps what a model said pays, sends or deletes: a name need not say so, and nothing that it says frees what
    /// the stop rule bars.
    fn heed(&self, state: &mut ExplorationState, tried: &Tried, after: &View, reflection: &Reflection) {
        if self.spec.sensitive == OnSensitive::Allow {
            return;
        }
        let keys = self.keys(after);
        for (t, key) in after.tagged.iter().zip(&keys) {
            let element = after.observation.elements.get(t.element);
            if reflection.sensitive.after.contains(&t.tag.0) && element.is_some_and(StopRule::is_concerned) {
                state.graph.sensitive.insert(key.clone());
            }
        }
        if reflection.sensitive.this && matches!(tried.slot, Slot::Tap | Slot::LongPress) {
            state.graph.sensitive.insert(tried.key.clone());
        }
    }

    /// Whether an action led where it led before, so that there is nothing to learn from it.
    fn expected(
        &self,
        state: &mut ExplorationState,
        before: &ScreenBefore,
        tried: &Tried,
        after: &View,
    ) -> bool {
        let keys = self.keys(after);
        let led = state.graph.leads(before.screen, &tried.way());
        let to = state.graph.visit(after, &keys);
        led.unwrap_or(before.screen) == to
    }

    fn useless(&self, state: &mut ExplorationState, screen: ScreenId, tried: &Tried) {
        if self.tolerant() {
            if let Some(screen) = state.graph.screen_mut(screen) {
                screen.useless.insert((tried.key.clone(), tried.slot));
            }
        } else {
            state.useless.insert(tried.key.clone());
        }
    }

    fn learn(
        &mut self,
        state: &mut ExplorationState,
        before: &ScreenBefore,
        tried: &Tried,
        text: &str,
        verdict: ActionVerdict,
    ) -> Result<Option<Documented>> {
        let element = before.view.element(tried.tag);
        let context = &before.view.observation.context;
        let note = ElementNote {
            key: tried.key.clone(),
            uid: element.and_then(|e| e.uid.clone()).unwrap_or_default(),
            slot: tried.slot,
            layer: TextLayer::Auto,
            text: text.to_owned(),
            role: element.map(|e| e.role.as_str().to_owned()).unwrap_or_default(),
            name: element.map(|e| e.name.clone()).unwrap_or_default(),
            seen: Some(ScreenSighting {
                place: learn::place(&before.view),
                title: context.title.chars().take(80).collect(),
            }),
            run: Some(state.run.clone()),
            step: Some(state.step),
            why: verdict.name().to_owned(),
        };
        let there = self.store.own(&tried.key).is_some_and(|e| !e.layers.auto.get(tried.slot).is_empty());
        let written = if there { NoteOutcome::Refined } else { NoteOutcome::New };
        if let Some(png) = learn::crop(&before.view, tried.tag)? {
            self.store.picture(&tried.key, &png)?;
        }
        state.documented += 1;
        state.refined += u32::from(there);
        state.idle = 0;
        state.commit = Some(note);
        Ok(written.documented(&tried.key, tried.slot, text))
    }

    /// Whether the back key leads back. On the web it leads from page to page, so where the page is the
    /// same it would leave the app.
    fn leads_back(&self, before: &ScreenBefore, after: &View) -> bool {
        let (a, b) = (&before.view.observation.context, &after.observation.context);
        !self.tolerant() || !self.device.info().platform.has_pages() || a.location != b.location
    }

    async fn go_back(
        &mut self,
        state: &mut ExplorationState,
        before: &ScreenBefore,
        tried: &Tried,
        after: &View,
        told: &mut Reflected,
    ) -> Result<()> {
        let keys = self.keys(after);
        let there = state.graph.visit(after, &keys);
        state.graph.link(before.screen, &tried.way(), there);
        if !after.png.is_empty() {
            let name = format!("step-{:02}-after.png", state.step);
            let (folder, kept, png) = (self.folder.clone(), name.clone(), after.png.clone());
            self.events.write(move || folder.picture(&kept, &png)).await?;
            told.after = Some(name);
        }
        let deadline = Deadline::after(self.spec.timeouts.device);
        match self.device.perform(&Action::Back, deadline).await {
            Ok(_) => state.taken = Some((there, "back()".to_owned())),
            Err(e) if e.is_agents_mistake() => state.taken = None,
            Err(DeviceError::Call { .. }) => state.taken = None,
            Err(e) => return Err(e.into()),
        }
        Ok(())
    }

    /// AppAgent's REQUEST_INTERVAL, under its rules only; ours wait for a quiet screen instead. It sleeps
    /// behind an action, so that the screen comes to rest, and at a round's end, unless it drops the note.
    async fn pause(&self) {
        let options = self.explorer.options();
        if !self.tolerant() && options.interval > Duration::ZERO {
            tokio::time::sleep(options.interval).await;
        }
    }
}

fn known_already() -> Reflection {
    Reflection {
        verdict: ActionVerdict::Success,
        thought: Some("It led where it led before.".to_owned()),
        documentation: None,
        sensitive: Sensitive::default(),
        exchanges: Vec::new(),
    }
}

fn count(state: &mut ExplorationState, exchanges: &[Exchange]) {
    for exchange in exchanges {
        state.calls += 1;
        state.bad_replies += u32::from(exchange.rejected.is_some());
        state.usage += exchange.usage;
    }
}

fn ends(choice: &Choice) -> bool {
    matches!(
        choice,
        Choice::Finish { .. }
            | Choice::Infeasible { .. }
            | Choice::GiveUp { .. }
            | Choice::HandOver { .. }
            | Choice::Fail { .. }
    )
}

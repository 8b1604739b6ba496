//! The planner policy: plan, locate, act.
//!
//! Invariants: an answer that cannot be used is asked for again with the reason, at most [`REPLIES`] answers
//! a plan; a description that cannot be located is told to the planner, at most [`PLANS`] plans a step; after
//! that the step is passed over. Only a model or a grounder that cannot be asked is an error. Memory and
//! history change with accepted plans alone.

use std::sync::Arc;

use async_trait::async_trait;
use waldo_devices::{Capability, Deadline, Tool};
use waldo_prompts::Prompts;
use waldo_prompts::planner::{Reask, Replan};

use super::act::Act;
use super::carry::{self, places};
use super::catalogue::{Actions, PlannerExtras, actions, offered, upstream_actions};
use super::compact::ContextWindow;
use super::entry::HistoryEntry;
use super::ground::{Grounder, ScreenSpot, locate};
use super::history::{History, performed};
use super::memory::{MAX_KEY_CHARS, Memory};
use super::messages::{plain, transcript};
use super::reply::{PlannerReply, read};
use super::schema::wordless_schema;
use super::screen::{ScreenText, Seen};
use super::skill::{Skill, SkillStep, WidgetSkill, goal};
use super::stuck::{ScreenFingerprint, StepSignature, StuckWatch};
use crate::agent::{Agent, Brief, Choice, Decision, Exchange, Fence, Note, Turn, for_a_person};
use crate::chat::{put, retry_messages};
use crate::error::{AgentError, Result};
use crate::model::{Message, ModelClient, ModelRequest, ReplySchema};
use crate::plan_record::PlanRecord;

/// Answers that are asked for one plan.
const REPLIES: usize = 3;
/// Plans that are made for one step.
const PLANS: u32 = 3;

#[derive(Clone)]
pub struct PlannerOptions {
    pub grounder: Arc<dyn Grounder>,
    pub window: ContextWindow,
    /// Today, as year, month and day.
    pub date: String,
    pub screen: ScreenText,
    /// Names of secrets that the device can type; their values are the device's alone.
    pub secrets: Vec<String>,
    pub widget: Option<WidgetSkill>,
    /// Whether prompts hold upstream's actions, rules and examples, all of them and no others.
    pub compat: bool,
    /// Whether what a plan stores is kept. Without it the memory is always empty.
    pub memory: bool,
}

pub struct Planner {
    client: Arc<dyn ModelClient>,
    pub(super) prompts: Arc<Prompts>,
    pub(super) options: PlannerOptions,
    brief: Option<Brief>,
    pub(super) state: AgentState,
}

#[derive(Default)]
pub(super) struct AgentState {
    pub(super) history: History,
    pub(super) memory: Memory,
    pub(super) forgotten: Vec<String>,
    /// What the last turn's request showed of the screen.
    pub(super) seen: Option<Seen>,
    /// Keys of the memory that were cut in the last step.
    cut: Vec<String>,
    watch: StuckWatch,
    pub(super) skill: Skill,
    /// What came of the last step, which was a widget's.
    came: Option<String>,
    trouble: Option<String>,
    /// Whether the last step did something that the runtime has news of.
    acted: bool,
}

struct PlanReply {
    reply: PlannerReply,
    raw: String,
}

#[derive(Default)]
pub(super) struct Gathered {
    exchanges: Vec<Exchange>,
    pub(super) record: PlanRecord,
}

impl Planner {
    pub fn new(client: Arc<dyn ModelClient>, prompts: Arc<Prompts>, options: PlannerOptions) -> Self {
        Self { client, prompts, options, brief: None, state: AgentState::default() }
    }

    /// Asks for a plan until one can be read; in the inner `Err` why none could.
    async fn plan(
        &self,
        brief: &Brief,
        all: &Actions,
        base: &[Message],
        (purpose, new): (&str, &str),
        deadline: Deadline,
        gathered: &mut Gathered,
    ) -> Result<Result<PlanReply, String>> {
        let max_tokens = self.options.window.reply;
        let (mut purpose, mut new) = (purpose.to_owned(), new.to_owned());
        // As upstream has it, the form is asked for in words alone.
        let schema = (!self.options.compat)
            .then(|| ReplySchema { name: "plan", schema: Arc::new(wordless_schema(&brief.device)) });
        let mut messages = base.to_vec();
        let mut left = REPLIES;
        loop {
            left -= 1;
            let request =
                ModelRequest { messages, max_tokens, schema: schema.clone(), ..ModelRequest::default() };
            let (reply, mut exchange) = put(self.client.as_ref(), &request, &purpose, &new, deadline).await?;
            let error = match read(&reply.text).and_then(|(plan, repairs)| {
                exchange.repairs = repairs;
                self.known(brief, all, &plan).map(|()| plan)
            }) {
                Ok(plan) => {
                    gathered.exchanges.push(exchange);
                    return Ok(Ok(PlanReply { reply: plan, raw: reply.text }));
                }
                Err(error) if reply.is_cut_off() => {
                    format!("{error}; the answer was cut off after {max_tokens} tokens, so keep it short")
                }
                Err(error) => error,
            };
            exchange.rejected = Some(error.clone());
            gathered.exchanges.push(exchange);
            if left == 0 {
                return Ok(Err(error));
            }
            let question = self.prompts.planner_reask(&Reask { error, types: all.names() })?;
            // Only the latest bad answer goes along; more of them would teach it.
            messages = base.to_vec();
            messages.extend(retry_messages(&reply.text, &question));
            (purpose, new) = ("re-ask".to_owned(), question);
        }
    }

    fn known(&self, brief: &Brief, all: &Actions, plan: &PlannerReply) -> Result<(), String> {
        let name = plan.action.act.name();
        let secret = plan.action.act.secret();
        match &plan.action.act {
            _ if self.options.compat && !all.names().iter().any(|known| known == name) => {
                Err(format!("'{name}' is not among the actions"))
            }
            _ if secret.is_some_and(|name| !self.options.secrets.iter().any(|known| known == name)) => {
                let names = self.options.secrets.join(", ");
                Err(format!(
                    "there is no secret of that name; there {}",
                    if names.is_empty() { "are none".to_owned() } else { format!("is {names}") }
                ))
            }
            Act::Widget { .. } => self.state.skill.usable(),
            _ if offered(&brief.device, name) => Ok(()),
            _ => Err(format!("'{name}' is not among the actions of this device")),
        }
    }

    /// Locates all places of an action; in the inner `Err` the description and why it was not found.
    async fn ground(
        &self,
        plan: &PlannerReply,
        turn: &Turn<'_>,
        gathered: &mut Gathered,
    ) -> Result<Result<Vec<ScreenSpot>, (String, String)>> {
        let mut spots = Vec::new();
        for place in places(&plan.action) {
            if place.description.trim().is_empty() && place.element.is_none() {
                return Ok(Err((String::new(), "the description is empty".to_owned())));
            }
            let kind = plan.action.act.name();
            let grounder = self.options.grounder.as_ref();
            let (found, record) =
                locate(grounder, kind, &place, turn.view, turn.deadline, &mut gathered.exchanges).await?;
            gathered.record.groundings.push(record);
            match found {
                Ok(spot) => spots.push(spot),
                Err(reason) => return Ok(Err((place.description, reason))),
            }
        }
        Ok(Ok(spots))
    }

    /// Takes a plan that can be carried out into memory and history.
    fn accept(
        &mut self,
        plan: PlannerReply,
        spots: &[ScreenSpot],
        choice: Choice,
        screen: ScreenFingerprint,
        turn: &Turn<'_>,
        mut gathered: Gathered,
    ) -> Result<Decision> {
        let state = &mut self.state;
        state.history.review(&plan.previous_action_result);
        let stored = if self.options.memory { plan.update_memory.as_slice() } else { &[] };
        let applied = state.memory.apply(stored);
        (state.forgotten, state.cut) = (applied.dropped, applied.cut);
        state.trouble = None;
        let act = &plan.action.act;
        // What a command does need not show on the screen.
        let waits = matches!(act.tool(), Some(Tool::Wait | Tool::Shell));
        let deed = StepSignature { screen, what: sketch(act, spots), waits };
        let acts = matches!(choice, Choice::Act { .. });
        let goes_on = acts || matches!(choice, Choice::Pass { .. });
        let stopped = if goes_on { state.watch.take(deed, acts).err() } else { None };
        state.acted = acts;
        let action = match &choice {
            Choice::Act { action } => Some(action),
            _ => None,
        };
        let picture = if turn.view.observation.picture.is_empty() { None } else { Some(plain(turn.view)?) };
        state.history.push(HistoryEntry {
            step: turn.step,
            performed: performed(act, action),
            reply: plan.clone(),
            review: None,
            problem: None,
            picture,
        });
        let record = &mut gathered.record;
        record.action = plan.action.json();
        record.memory_ops.clone_from(&plan.update_memory);
        record.forgotten.clone_from(&state.forgotten);
        if !state.memory.is_empty() {
            record.memory = state.memory.json();
        }
        let mut decision = Decision::of(choice);
        decision.tag = record.groundings.last().and_then(|g| g.hit.as_ref()).and_then(|hit| hit.tag);
        decision.call = plan.action.json().to_string();
        let said = |text: String| Some(text).filter(|t| !t.trim().is_empty());
        decision.observation = said(plan.previous_action_result);
        decision.thought = said(plan.thought);
        decision.summary = said(plan.action_description);
        if let Some(why) = stopped {
            end(&mut decision, record, why);
            state.skill.abandon();
        }
        decision.exchanges = gathered.exchanges;
        decision.plan = Some(Box::new(gathered.record));
        Ok(decision)
    }

    /// Takes a plan that hands a widget over, and what came of it at once.
    fn hand_over(
        &mut self,
        reply: PlannerReply,
        came: SkillStep,
        screen: ScreenFingerprint,
        turn: &Turn<'_>,
        mut gathered: Gathered,
    ) -> Result<Decision> {
        match came {
            SkillStep::Input(first) | SkillStep::End(first) => {
                gathered.exchanges.extend(first.exchanges);
                let mut decision = self.accept(reply, &[], first.choice, screen, turn, gathered)?;
                decision.gate = first.gate;
                Ok(decision)
            }
            SkillStep::Over { done, told, exchanges } => {
                gathered.exchanges.extend(exchanges);
                let choice = Choice::Pass { reason: told.clone() };
                let decision = self.accept(reply, &[], choice, screen, turn, gathered)?;
                self.over(done, told);
                Ok(decision)
            }
        }
    }

    fn over(&mut self, done: bool, told: String) {
        let state = &mut self.state;
        state.history.set_outcome(&told);
        if !done {
            state.history.problem(told.clone());
        }
        // The last input was a script's, and its note with it.
        state.acted = false;
        state.came = Some(told);
    }

    /// What is to be told about the last step.
    fn news(&mut self, brief: &Brief, turn: &Turn<'_>) -> Vec<String> {
        let mut notices = Vec::new();
        if let Some(words) = turn.person {
            notices.push(format!("The person who set the goal tells you: {words}"));
        }
        let cut = std::mem::take(&mut self.state.cut);
        if !cut.is_empty() {
            let keys: Vec<String> = cut.iter().map(|key| format!("'{key}'")).collect();
            notices.push(format!(
                "Keys of the memory have {MAX_KEY_CHARS} characters at most; of your last ones only this was kept: {}.",
                keys.join(", ")
            ));
        }
        if std::mem::take(&mut self.state.acted) {
            match turn.note {
                Some(note @ Note::Refused { .. }) => {
                    let reason = note.reason().unwrap_or_default();
                    notices.push(format!("Your last action was refused and not carried out: {reason}."));
                    self.state.history.problem(format!("refused: {reason}"));
                }
                Some(note @ Note::Failed { .. }) => {
                    let reason = note.reason().unwrap_or_default();
                    notices.push(format!("Your last action could not be carried out: {reason}."));
                    self.state.history.problem(format!("failed: {reason}"));
                }
                Some(Note::NoChange) => {
                    notices.push("Your last action changed nothing that could be seen.".to_owned());
                    self.state.history.problem("nothing was seen to change".to_owned());
                }
                Some(Note::Redrawn) => {
                    notices.push(
                        "Your last action changed nothing that is listed: only the focus, or how something is drawn."
                            .to_owned(),
                    );
                    self.state.history.problem("nothing that is listed was seen to change".to_owned());
                }
                Some(Note::NotAsAsked { .. }) => {
                    notices.push(
                        "Your last action left something else than it asked for; what stands there now is in \
                         the block of untrusted text."
                            .to_owned(),
                    );
                    self.state.history.problem("something else than was asked stands there".to_owned());
                }
                Some(Note::Printed { .. }) => notices.push(
                    "Your last action was carried out; what it printed or answered stands in the block of untrusted text."
                        .to_owned(),
                ),
                // It stands in the block of untrusted text.
                Some(Note::Changed { .. }) | None => {}
            }
        }
        if let Some(came) = self.state.came.take() {
            notices.push(format!("The widget's turn is over: {came}."));
        }
        if let Some(trouble) = &self.state.trouble {
            notices.push(format!("In your last turn nothing was done: {trouble}."));
        }
        if turn.view.observation.context.dialog.is_some()
            && brief.device.capabilities.contains(&Capability::Dialogs)
        {
            notices.push(
                "A dialog is open and holds up the page: answer it with answer_dialog first.".to_owned(),
            );
        }
        notices
    }
}

/// An action and its places, for comparison: without descriptions, which a model words anew each time.
fn sketch(act: &Act, spots: &[ScreenSpot]) -> String {
    let mut parameters = act.parameters();
    parameters.retain(|name, _| !name.ends_with("description"));
    let mut what = format!("{} {}", act.name(), serde_json::Value::Object(parameters));
    for spot in spots {
        what.push_str(&format!(" at ({:.0}, {:.0})", spot.point.x, spot.point.y));
    }
    what
}

fn end(decision: &mut Decision, record: &mut PlanRecord, why: String) {
    let notice = format!("waldo ended the episode: {why}");
    decision.choice = Choice::GiveUp { reason: why };
    let thought = decision.thought.get_or_insert_default();
    if !thought.is_empty() {
        thought.push_str("\n\n");
    }
    thought.push_str(&notice);
    record.notices.push(notice);
}

#[async_trait]
impl Agent for Planner {
    fn name(&self) -> &'static str {
        "planner"
    }

    fn fence(&self) -> Fence {
        // Pages that ask for a person are left to one.
        Fence::Persons
    }

    fn begin(&mut self, brief: &Brief) -> Result<()> {
        self.brief = Some(brief.clone());
        self.state = AgentState::default();
        Ok(())
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision> {
        let begun = self.brief.clone().ok_or_else(|| AgentError::not_begun("planner"))?;
        let brief = Brief { device: turn.device.clone(), ..begun };
        let mut gathered = Gathered::default();
        if self.state.skill.is_running() {
            match self.state.skill.go_on(turn).await? {
                SkillStep::Input(decision) | SkillStep::End(decision) => return Ok(*decision),
                SkillStep::Over { done, told, exchanges } => {
                    self.over(done, told);
                    gathered.exchanges = exchanges;
                }
            }
        }
        if let Some(mut decision) = for_a_person(turn.view) {
            decision.exchanges = gathered.exchanges;
            return Ok(decision);
        }
        let screen = ScreenFingerprint::of(turn.view);
        self.state.skill.look(self.options.widget.as_ref(), &brief, turn.view);
        let mut notices = self.news(&brief, turn);
        match self.state.watch.see(&screen) {
            Ok(notice) => {
                gathered.record.notices.extend(notice.clone());
                notices.extend(notice);
            }
            Err(why) => {
                let mut decision = Decision::of(Choice::GiveUp { reason: why.clone() });
                end(&mut decision, &mut gathered.record, why);
                decision.plan = Some(Box::new(gathered.record));
                return Ok(decision);
            }
        }
        let widgets = self.state.skill.usable().is_ok();
        let all = if self.options.compat {
            upstream_actions(&brief.device)
        } else {
            actions(&brief.device, PlannerExtras { secrets: &self.options.secrets, widgets })
        };
        let (mut messages, seen) = self.request(&brief, &all, turn, notices, &screen, &mut gathered)?;
        self.state.seen = Some(seen);
        let (mut purpose, mut new) = ("decide", transcript(&messages));
        let mut trouble = String::new();
        for plan in 1..=PLANS {
            gathered.record.plans = plan;
            let planned =
                self.plan(&brief, &all, &messages, (purpose, &new), turn.deadline, &mut gathered).await?;
            let PlanReply { reply, raw } = match planned {
                Ok(plan) => plan,
                Err(error) => {
                    trouble = format!("your answer could not be used: {error}");
                    break;
                }
            };
            if let (Act::Widget { goal: words, element_description }, Some(with)) =
                (&reply.action.act, self.options.widget.clone())
            {
                let goal = goal(words, element_description.as_deref());
                let model = (self.client.clone(), self.prompts.clone());
                let came = self.state.skill.start(&with, model, goal, &brief, turn).await?;
                return self.hand_over(reply, came, screen, turn, gathered);
            }
            let question = match self.ground(&reply, turn, &mut gathered).await? {
                Ok(spots) => match carry::choice(&reply.action, &spots, turn.view, &brief.device) {
                    Ok(choice) => return self.accept(reply, &spots, choice, screen, turn, gathered),
                    Err(error) => {
                        trouble = format!("your action could not be carried out: {error}");
                        if let Some(exchange) = gathered.exchanges.last_mut() {
                            exchange.rejected = Some(error.clone());
                        }
                        self.prompts.planner_reask(&Reask { error, types: all.names() })?
                    }
                },
                Err((description, reason)) => {
                    trouble = format!("the locator did not find '{description}': {reason}");
                    self.prompts.planner_replan(&Replan { description, reason })?
                }
            };
            messages.extend(retry_messages(&raw, &question));
            (purpose, new) = ("re-plan", question);
        }
        self.state.trouble = Some(trouble.clone());
        self.state.watch.pass();
        let mut decision = Decision::of(Choice::Pass { reason: trouble });
        decision.exchanges = gathered.exchanges;
        decision.plan = Some(Box::new(gathered.record));
        Ok(decision)
    }
}

#[cfg(test)]
#[path = "agent_tests.rs"]
mod tests;

//! The wheel of one episode: what a person asked for, and what the episode waits for.
//!
//! Invariant: the agent's wrapper alone waits here; a page's command is taken or refused at once.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::watch;
use waldo_devices::{Action, Effects};

use super::command::{LiveCommand, PostedCall, effects};

#[derive(Debug)]
pub(super) enum WheelStep {
    Agent,
    Act(PostedCall),
    /// Ends the episode: the person says that the goal is reached.
    Finish(Option<String>),
    Look,
    /// Ends the demonstration, of which nothing is kept.
    Discard,
    Stop,
}

#[derive(Clone, Debug)]
pub(super) enum ApprovalAnswer {
    Yes,
    No(String),
    Edit(PostedCall),
    /// The person took over in place of an answer, or the episode is stopped.
    None,
}

#[derive(Debug, Default)]
struct WheelControl {
    paused: bool,
    /// Steps that are still made while it is paused.
    steps: u32,
    stopped: bool,
    taken: bool,
    deciding: Option<Instant>,
    /// Whether what it decides now is a step that a paused agent may make.
    stepping: bool,
    handed: Option<String>,
    about: Effects,
    words: Vec<String>,
    goal: Option<String>,
    act: Option<PostedCall>,
    acted: Option<u32>,
    finish: Option<Option<String>>,
    look: bool,
    discarded: bool,
    /// What the person is told of what they did last.
    said: Option<String>,
    step: u32,
    asked: u64,
    question: Option<Value>,
    answer: Option<ApprovalAnswer>,
    approved: Option<Action>,
}

pub(super) type NotifyPages = Box<dyn Fn() + Send + Sync>;

pub(super) struct Wheel {
    tell: NotifyPages,
    /// How long a person is waited for who was asked, or to whom the agent left the goal.
    patience: Duration,
    control: Mutex<WheelControl>,
    changed: watch::Sender<u64>,
}

impl std::fmt::Debug for Wheel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wheel").field("control", &self.control).finish_non_exhaustive()
    }
}

impl Wheel {
    /// Of an episode. `about` waits for a yes from the start; `taken`: the person acts from the start.
    pub(super) fn new(tell: NotifyPages, patience: Duration, (about, taken): (Effects, bool)) -> Self {
        let control = WheelControl { about, taken, ..WheelControl::default() };
        Self { tell, patience, control: Mutex::new(control), changed: watch::Sender::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, WheelControl> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes something, wakes who waits, and tells the pages.
    fn with<T>(&self, change: impl FnOnce(&mut WheelControl) -> T) -> T {
        let done = change(&mut self.lock());
        self.changed.send_modify(|version| *version += 1);
        (self.tell)();
        done
    }

    pub(super) fn shown(&self) -> Value {
        let control = self.lock();
        let about: Vec<&str> = control.about.iter().map(waldo_devices::ActionEffect::name).collect();
        json!({
            "paused": control.paused,
            "taken": control.taken,
            "handed": control.handed,
            "about": about,
            "question": control.question,
            "stopped": control.stopped,
            "deciding": control.deciding.map(|since| since.elapsed().as_secs_f64()),
            "words": control.words.len(),
            "said": control.said,
        })
    }

    pub(super) fn command(&self, command: LiveCommand) -> Result<(), String> {
        self.with(|control| control.take(command))
    }

    pub(super) fn step(&self, step: u32) {
        self.lock().step = step;
    }

    /// Tells the person what became of what they did; they may act on the same screen again.
    pub(super) fn says(&self, said: Option<String>) {
        self.with(|control| {
            control.said = said;
            // What they have asked for meanwhile is about the screen that is there now.
            if control.act.is_none() {
                control.acted = None;
            }
        });
    }

    /// Waits for what is to be done next; `agent` says whether there is one.
    pub(super) async fn next(&self, agent: bool) -> WheelStep {
        let mut changed = self.changed.subscribe();
        loop {
            changed.borrow_and_update();
            let next = self.lock().next(agent);
            if let Some(next) = next {
                (self.tell)();
                return next;
            }
            if changed.changed().await.is_err() {
                return WheelStep::Stop;
            }
        }
    }

    /// Resolves once a person wants something that the agent's present decision has no part in; says what.
    pub(super) async fn stepped_in(&self) -> &'static str {
        let mut changed = self.changed.subscribe();
        loop {
            changed.borrow_and_update();
            if let Some(why) = self.lock().stepped_in() {
                return why;
            }
            if changed.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    pub(super) fn decided(&self) {
        self.with(|control| control.deciding = None);
    }

    /// Whether a person has to see an action of these effects first.
    pub(super) fn is_about(&self, does: Effects) -> bool {
        let control = self.lock();
        control.taken || control.paused || does.iter().any(|effect| control.about.contains(effect))
    }

    /// Shows a question and waits for the answer; who does not answer in time says no.
    pub(super) async fn ask(&self, mut question: Value) -> ApprovalAnswer {
        let mut changed = self.changed.subscribe();
        self.with(|control| {
            control.asked += 1;
            question["id"] = control.asked.into();
            control.question = Some(question);
            control.answer = None;
        });
        let answered = changed.wait_for(|_| {
            let control = self.lock();
            control.answer.is_some() || control.stopped
        });
        let answered = matches!(tokio::time::timeout(self.patience, answered).await, Ok(Ok(_)));
        self.with(|control| {
            control.question = None;
            match control.answer.take() {
                Some(answer) => answer,
                None if answered => ApprovalAnswer::None,
                None => ApprovalAnswer::No("nobody answered".to_owned()),
            }
        })
    }

    /// Remembers that the person said yes to this, for the guard that asks once more.
    pub(super) fn approved(&self, action: &Action) {
        self.lock().approved = Some(action.clone());
    }

    pub(super) fn was_approved(&self, action: &Action) -> bool {
        self.lock().approved.take().is_some_and(|approved| approved == *action)
    }

    pub(super) fn is_taken(&self) -> bool {
        self.lock().taken
    }

    /// Leaves the goal to the person, and waits until the agent gets it back. `false` when nobody took it in time.
    pub(super) async fn hand_over(&self, reason: &str) -> bool {
        let mut changed = self.changed.subscribe();
        self.with(|control| (control.taken, control.handed) = (true, Some(reason.to_owned())));
        // Whatever the person does first is their taking it.
        let taken = changed.wait_for(|_| {
            let control = self.lock();
            !control.taken || control.act.is_some() || control.finish.is_some() || control.stopped
        });
        let taken = matches!(tokio::time::timeout(self.patience, taken).await, Ok(Ok(_)));
        self.with(|control| {
            control.handed = None;
            control.taken &= taken;
        });
        taken
    }

    /// The person's words since the agent was asked last.
    pub(super) fn words(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().words)
    }

    pub(super) fn goal(&self) -> Option<String> {
        self.lock().goal.take()
    }
}

impl WheelControl {
    fn take(&mut self, command: LiveCommand) -> Result<(), String> {
        match command {
            LiveCommand::Pause => (self.paused, self.steps, self.stepping) = (true, 0, false),
            LiveCommand::Resume => (self.paused, self.steps) = (false, 0),
            LiveCommand::Step => {
                if self.taken {
                    return Err("the agent makes no step while you have control".to_owned());
                }
                // Where it decides already, that is the step.
                (self.paused, self.steps, self.stepping) =
                    (true, u32::from(self.deciding.is_none()), self.deciding.is_some());
            }
            LiveCommand::Stop => self.stopped = true,
            LiveCommand::Take => {
                self.taken = true;
                if self.act.take().is_some() {
                    self.acted = None;
                }
                if self.question.take().is_some() {
                    self.answer = Some(ApprovalAnswer::None);
                }
            }
            LiveCommand::Give { words } => {
                if !self.taken {
                    return Err("the agent has control already".to_owned());
                }
                (self.taken, self.paused, self.handed) = (false, false, None);
                self.say(words);
            }
            LiveCommand::Ask { about } => self.about = effects(&about)?,
            LiveCommand::Yes { id } => self.answer(id, ApprovalAnswer::Yes)?,
            LiveCommand::No { id, words } => self.answer(id, ApprovalAnswer::No(words))?,
            LiveCommand::Edit { id, call } => self.answer(id, ApprovalAnswer::Edit(call))?,
            LiveCommand::Hint { words } => self.say(words),
            LiveCommand::Goal { words } => {
                let words = words.trim();
                if words.is_empty() {
                    return Err("a goal needs words".to_owned());
                }
                self.goal = Some(words.to_owned());
                // What was proposed was for another goal.
                if self.question.take().is_some() {
                    self.answer = Some(ApprovalAnswer::None);
                }
            }
            LiveCommand::Act { step, call } => {
                if !self.taken {
                    return Err("take over first (t)".to_owned());
                }
                if self.acted == Some(step) {
                    return Err("what you did before is still under way: wait for the next screen".to_owned());
                }
                if step != self.step {
                    return Err("the screen has changed, so nothing was done".to_owned());
                }
                (self.act, self.acted, self.said) = (Some(call), Some(step), None);
            }
            LiveCommand::Look => {
                if !self.taken {
                    return Err("take over first (t)".to_owned());
                }
                (self.look, self.said) = (true, None);
            }
            LiveCommand::Discard => self.discarded = true,
            LiveCommand::Finish { answer } => {
                if !self.taken {
                    return Err("take over first (t)".to_owned());
                }
                self.finish = Some(answer.filter(|answer| !answer.is_empty()));
            }
            LiveCommand::Release => {}
        }
        Ok(())
    }

    /// Answers the question of this id. It is closed here, not when the episode goes on, so that it has one answer.
    fn answer(&mut self, id: u64, answer: ApprovalAnswer) -> Result<(), String> {
        let open = self.question.take_if(|question| question["id"] == id);
        open.ok_or_else(|| "this question was answered already".to_owned())?;
        self.answer = Some(answer);
        Ok(())
    }

    fn say(&mut self, words: String) {
        let words = words.trim();
        if !words.is_empty() {
            self.words.push(words.to_owned());
        }
    }

    /// What a person wants that is not for a decision under way to answer.
    fn stepped_in(&self) -> Option<&'static str> {
        let wants = [
            (self.stopped || self.discarded, "the person stopped it"),
            (self.taken, "the person took over"),
            (self.goal.is_some(), "the person set another goal"),
            (self.paused && !self.stepping, "the person paused it"),
        ];
        wants.into_iter().find_map(|(wanted, why)| wanted.then_some(why))
    }

    fn next(&mut self, agent: bool) -> Option<WheelStep> {
        if self.stopped {
            return Some(WheelStep::Stop);
        }
        if self.discarded {
            return Some(WheelStep::Discard);
        }
        if let Some(call) = self.act.take() {
            return Some(WheelStep::Act(call));
        }
        if let Some(answer) = self.finish.take() {
            return Some(WheelStep::Finish(answer));
        }
        if std::mem::take(&mut self.look) {
            return Some(WheelStep::Look);
        }
        if self.taken || !agent {
            return None;
        }
        if self.paused {
            self.steps = self.steps.checked_sub(1)?;
        }
        (self.deciding, self.stepping) = (Some(Instant::now()), self.paused);
        Some(WheelStep::Agent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(patience: Duration) -> Wheel {
        Wheel::new(Box::new(|| {}), patience, (Effects::default(), false))
    }

    fn wheel() -> Wheel {
        within(Duration::from_secs(60))
    }

    fn tap() -> PostedCall {
        serde_json::from_value(json!({ "tool": "tap", "args": { "element": 1 } })).unwrap()
    }

    #[tokio::test]
    async fn who_steps_in_does_not_wait_for_the_decision_and_a_single_step_is_waited_for() {
        let stops = [
            ("took over", LiveCommand::Take),
            ("paused", LiveCommand::Pause),
            ("stopped", LiveCommand::Stop),
            ("goal", LiveCommand::Goal { words: "another".to_owned() }),
        ];
        for (said, command) in stops {
            let wheel = wheel();
            assert!(matches!(wheel.next(true).await, WheelStep::Agent));
            let stepped_in = wheel.stepped_in();
            tokio::pin!(stepped_in);
            wheel.command(LiveCommand::Hint { words: "left".to_owned() }).unwrap();
            wheel.command(LiveCommand::Step).unwrap();
            assert!(futures::poll!(&mut stepped_in).is_pending(), "it is the step");
            wheel.command(command).unwrap();
            assert!(stepped_in.await.contains(said));
        }
        let wheel = wheel();
        assert!(matches!(wheel.next(true).await, WheelStep::Agent));
        wheel.command(LiveCommand::Step).unwrap();
        wheel.decided();
        assert!(futures::poll!(std::pin::pin!(wheel.next(true))).is_pending(), "the step was made");
        wheel.command(LiveCommand::Step).unwrap();
        assert!(matches!(wheel.next(true).await, WheelStep::Agent));
        assert!(futures::poll!(std::pin::pin!(wheel.stepped_in())).is_pending());
    }

    #[tokio::test]
    async fn a_person_acts_on_the_screen_that_was_seen_only() {
        let wheel = wheel();
        wheel.step(3);
        let act = |step| LiveCommand::Act { step, call: tap() };
        assert!(wheel.command(act(3)).unwrap_err().contains("take over"));
        wheel.command(LiveCommand::Take).unwrap();
        assert!(wheel.command(act(2)).unwrap_err().contains("changed"));
        wheel.command(act(3)).unwrap();
        assert!(wheel.command(act(3)).is_err(), "one after the other");
        assert!(matches!(wheel.next(true).await, WheelStep::Act(_)));
        assert!(wheel.command(act(3)).is_err(), "the act has begun");
        wheel.command(LiveCommand::Give { words: " look left ".to_owned() }).unwrap();
        assert!(matches!(wheel.next(true).await, WheelStep::Agent));
        assert_eq!(wheel.words(), ["look left"]);
        assert!(wheel.command(LiveCommand::Give { words: String::new() }).is_err());
    }

    #[tokio::test]
    async fn who_is_not_there_refuses_and_takes_nothing_over() {
        let wheel = within(Duration::ZERO);
        assert!(matches!(wheel.ask(json!({})).await, ApprovalAnswer::No(why) if why.contains("nobody")));
        assert!(!wheel.hand_over("a riddle").await && !wheel.is_taken());
    }

    #[test]
    fn an_approval_holds_for_one_action_once() {
        let wheel = wheel();
        wheel.approved(&Action::Back);
        assert!(!wheel.was_approved(&Action::Reload) && !wheel.was_approved(&Action::Back));
        wheel.approved(&Action::Back);
        assert!(wheel.was_approved(&Action::Back) && !wheel.was_approved(&Action::Back));
    }
}

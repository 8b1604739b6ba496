use waldo_prompts::planner::{CommandPrompt, Info, System, TurnText};

use super::agent::{Gathered, Planner};
use super::brief::{rules, short};
use super::catalogue::{Actions, DeviceWords, PlannerExtras, actions, upstream_reminders};
use super::compact::{HistoryForm, WHOLE_IN_WORDS};
use super::messages::plain;
use super::screen::{ScreenText, Seen, in_words};
use super::specs::WIDGET;
use super::stuck::ScreenFingerprint;
use crate::agent::{Brief, Turn};
use crate::chat::message;
use crate::error::AgentError;
use crate::model::{Message, MessagePart, Speaker};

impl Planner {
    /// The request for a step, before anything was answered to it.
    pub(super) fn request(
        &self,
        brief: &Brief,
        all: &Actions,
        turn: &Turn<'_>,
        mut notices: Vec<String>,
        screen: &ScreenFingerprint,
        gathered: &mut Gathered,
    ) -> Result<(Vec<Message>, Seen), AgentError> {
        let words = DeviceWords::of(&brief.device);
        let compat = self.options.compat;
        let mut also = all.fitting(turn.view);
        // The system prompt stays as it was on the first turn, so that it is read from a cache.
        let told = if compat {
            all.clone()
        } else {
            let widgets = self.state.skill.was_usable;
            match (widgets, self.state.skill.usable()) {
                (true, Err(why)) => notices.push(format!("{}.", capitalised(&why))),
                (false, Ok(())) => also.extend(all.named(WIDGET.name).cloned()),
                _ => {}
            }
            also = also.iter().map(short).collect();
            actions(&brief.device, PlannerExtras { secrets: &self.options.secrets, widgets }).in_short()
        };
        let system = self.prompts.planner_system(&System {
            machine: words.machine.to_owned(),
            verb: words.verb.to_owned(),
            actions: told.screen,
            special: told.special,
            examples: told.examples,
            rules: if compat { Vec::new() } else { rules(&brief.device) },
            whole: WHOLE_IN_WORDS.to_owned(),
            compat,
        })?;
        let later = !self.state.history.is_empty();
        let goal = brief.goal.trim().to_owned();
        let info = self.prompts.planner_info(&Info {
            date: self.options.date.clone(),
            // Said from the first turn on, it is the same in all.
            goal: if later || !compat { goal.clone() } else { String::new() },
        })?;
        let picture = !turn.view.observation.picture.is_empty();
        let steps_left = brief.max_steps.saturating_sub(turn.step).saturating_add(1);
        let before = self.prompts.planner_turn(&TurnText {
            later,
            goal,
            last: turn.step >= brief.max_steps,
            picture,
        })?;
        let wanted = if compat { ScreenText::None } else { self.options.screen };
        let seen_before = self.state.seen.as_ref();
        let (in_words, shown) = in_words(turn, wanted, seen_before.map(|before| &before.shown));
        let after = self.prompts.planner_command(&CommandPrompt {
            memory: self.state.memory.text(),
            forgotten: self.state.forgotten.clone(),
            screen: in_words,
            also,
            reminders: if compat { upstream_reminders() } else { Vec::new() },
            compat,
            notices,
            steps_left: (!compat).then_some(steps_left),
        })?;
        let mut last = message(Speaker::User, &before);
        if picture {
            last.parts.push(MessagePart::Png(plain(turn.view)?));
        }
        last.parts.push(MessagePart::Text(after));
        let first = vec![message(Speaker::System, &system), message(Speaker::User, &info)];
        let form = match seen_before {
            _ if compat => HistoryForm::UPSTREAM,
            // The picture of before tells nothing where it is the present one, and little where the text tells what changed.
            Some(before) if before.screen != *screen && !shown.tells_from(&before.shown) => HistoryForm::OURS,
            _ => HistoryForm { pictures: 0, ..HistoryForm::OURS },
        };
        let (messages, context) = self.state.history.request(first, last, form, self.options.window);
        gathered.record.context = context;
        Ok((messages, Seen { shown, screen: screen.clone() }))
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

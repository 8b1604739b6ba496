//! What the planner is sent for a step.

use std::sync::Arc;

use waldo_prompts::appagent::{long_line, place_line};
use waldo_prompts::planner::{Command, Info, System, TurnText};

use super::agent::{Gathered, Planner, ScreenText};
use super::catalogue::{Actions, Words, reminders};
use crate::agent::{Brief, Note, Turn, View};
use crate::appagent::asking::message;
use crate::appagent::{screen as screen_of, seen_after};
use crate::error::AgentError;
use crate::model::{Message, Part, Speaker};

impl Planner {
    /// The request for a step, before anything was answered to it.
    pub(super) fn request(
        &self,
        brief: &Brief,
        all: &Actions,
        turn: &Turn<'_>,
        notices: Vec<String>,
        gathered: &mut Gathered,
    ) -> Result<Vec<Message>, AgentError> {
        let words = Words::of(&brief.device);
        let system = self.prompts.planner_system(&System {
            machine: words.machine.to_owned(),
            verb: words.verb.to_owned(),
            actions: all.screen.clone(),
            special: all.special.clone(),
            examples: all.examples.clone(),
        })?;
        let later = !self.state.history.is_empty();
        let goal = brief.goal.trim().to_owned();
        let info = self.prompts.planner_info(&Info {
            date: self.options.date.clone(),
            goal: if later { goal.clone() } else { String::new() },
        })?;
        let picture = !turn.view.observation.picture.is_empty();
        let steps_left = brief.max_steps.saturating_sub(turn.step).saturating_add(1);
        let before = self.prompts.planner_turn(&TurnText {
            later,
            goal,
            last: turn.step >= brief.max_steps,
            picture,
        })?;
        let after = self.prompts.planner_command(&Command {
            memory: self.state.memory.text(),
            forgotten: self.state.forgotten.clone(),
            screen: self.screen(turn),
            also: all.fitting(turn.view),
            reminders: reminders(&brief.device),
            notices,
            steps_left: Some(steps_left),
        })?;
        let mut last = message(Speaker::User, &before);
        if picture {
            last.parts.push(Part::Png(plain(turn.view)?));
        }
        last.parts.push(Part::Text(after));
        let first = vec![message(Speaker::System, &system), message(Speaker::User, &info)];
        let (messages, context) = self.state.history.request(first, last, self.options.window);
        gathered.record.context = context;
        Ok(messages)
    }

    /// The screen in words, without numbers: the planner points at nothing.
    fn screen(&self, turn: &Turn<'_>) -> Option<waldo_prompts::appagent::Screen> {
        let view = turn.view;
        // What a command printed is as little to be trusted as what the screen says.
        let printed = match turn.note {
            Some(Note::Printed { text }) => Some(long_line("your command", text)),
            note => seen_after(note),
        };
        let mut screen = screen_of(view);
        match self.options.screen {
            _ if view.observation.picture.is_empty() => {}
            ScreenText::Elements => {}
            ScreenText::Place => {
                screen.elements = String::new();
                screen.left_out = 0;
            }
            ScreenText::None => {
                return printed.map(|line| waldo_prompts::appagent::Screen {
                    place: vec![line],
                    elements: String::new(),
                    left_out: 0,
                });
            }
        }
        // The numbers are those that switch_window takes.
        for (n, window) in (1..).zip(&view.observation.context.windows) {
            let state = match (window.focused, window.minimised) {
                (true, _) => " (has the keyboard)",
                (_, true) => " (minimised)",
                _ => "",
            };
            let name = format!("{} | {}", window.title, window.program);
            screen.place.push(place_line(&format!("window {n}{state}"), &name));
        }
        screen.place.extend(printed);
        screen.elements = screen.elements.lines().map(unnumbered).collect::<Vec<_>>().join("\n");
        Some(screen)
    }
}

/// The picture without numbers, as PNG.
pub(super) fn plain(view: &View) -> Result<Arc<[u8]>, AgentError> {
    Ok(waldo_devices::labels::encode_png(&view.observation.picture)?.into())
}

/// A line of the list without its number: `*` for what can be acted on, `-` for what informs.
fn unnumbered(line: &str) -> String {
    match line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some(("-", rest)) => format!("- {rest}"),
        Some((_, rest)) => format!("* {rest}"),
        None => line.to_owned(),
    }
}

/// A whole request as text, for the record.
pub(super) fn transcript(messages: &[Message]) -> String {
    let mut out = String::new();
    for message in messages {
        let who = match message.speaker {
            Speaker::System => "system",
            Speaker::User => "user",
            Speaker::Assistant => "assistant",
        };
        out.push_str(&format!("[{who}]\n"));
        for part in &message.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Png(_) => out.push_str("(picture)"),
            }
            if !out.ends_with('\n') {
                out.push('\n');
            }
        }
        out.push('\n');
    }
    out
}

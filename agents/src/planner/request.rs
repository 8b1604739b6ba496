//! What the planner is sent for a step.

use std::collections::HashMap;

use waldo_devices::labels::{ListLine, WORDLESS, cells_without_numbers, is_wordless, parse_list_line};
use waldo_prompts::appagent::{long_line, place_line};
use waldo_prompts::planner::{Command, Info, System, TurnText};

use super::agent::{Gathered, Planner, ScreenText};
use super::catalogue::{Actions, DeviceWords, reminders, upstream_reminders};
use super::messages::plain;
use crate::agent::{Brief, Note, Turn, View};
use crate::appagent::{screen as screen_of, seen_after};
use crate::chat::message;
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
        let words = DeviceWords::of(&brief.device);
        let compat = self.options.compat;
        let system = self.prompts.planner_system(&System {
            machine: words.machine.to_owned(),
            verb: words.verb.to_owned(),
            actions: all.screen.clone(),
            special: all.special.clone(),
            examples: all.examples.clone(),
            compat,
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
            reminders: if compat { upstream_reminders() } else { reminders(&brief.device) },
            notices,
            steps_left: (!compat).then_some(steps_left),
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
        let wanted = if self.options.compat { ScreenText::None } else { self.options.screen };
        match wanted {
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
        screen.elements = without_numbers(&screen.elements, wordless(view));
        Some(screen)
    }
}

/// How many things were found in the picture and have no words: their numbers would say nothing here.
fn wordless(view: &View) -> usize {
    let tagged =
        view.tagged.iter().filter(|t| view.observation.elements.get(t.element).is_some_and(is_wordless));
    tagged.count()
}

/// The list without numbers, and so without what it says by numbers; how many lines were left out is said.
fn without_numbers(list: &str, wordless: usize) -> String {
    let mut options = HashMap::new();
    let mut lines = Vec::new();
    for line in list.lines().filter(|line| !line.starts_with(WORDLESS)) {
        let Some(mut read) = parse_list_line(line) else {
            lines.push(cells_without_numbers(line).unwrap_or_else(|| line.to_owned()));
            continue;
        };
        if let Some(same) = read.same_options.take() {
            let (first, known): &(String, Vec<String>) = match options.get(&same) {
                Some(first) => first,
                None => &Default::default(),
            };
            // Said once; a list without a name cannot be referred to here.
            if first.is_empty() {
                read.options.clone_from(known);
                lines.push(unnumbered(&read.to_string()));
            } else {
                lines.push(format!("{} options: the same as of {first}", unnumbered(&read.to_string())));
            }
            continue;
        }
        if let Some(tag) = read.tag.filter(|_| !read.options.is_empty()) {
            let bare = ListLine { role: read.role, name: read.name, ..ListLine::default() };
            let name = if bare.name.is_empty() { String::new() } else { bare.to_string() };
            let name = name.strip_prefix("- ").unwrap_or_default().to_owned();
            options.insert(tag, (name, read.options));
        }
        lines.push(unnumbered(line));
    }
    if wordless > 0 {
        lines.push(format!("({wordless} more without words, found in the picture alone)"));
    }
    lines.join("\n")
}

/// A line of the list without its number: `*` for what can be acted on, `-` for what informs.
fn unnumbered(line: &str) -> String {
    match line.split_once(' ') {
        Some((number, rest)) if number != "-" => format!("* {rest}"),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_without_numbers_names_no_numbers() {
        let list = "\"44 rows\"\n1 combobox \"A\" value=\"=\" options: = | != | >\n2 combobox \"B\" options: same as 1\n- text \"x\"";
        assert_eq!(
            without_numbers(list, 0),
            "\"44 rows\"\n* combobox \"A\" value=\"=\" options: = | != | >\n* combobox \"B\" options: the same as of combobox \"A\"\n- text \"x\""
        );
        let nameless = "1 combobox options: a | b\n2 combobox options: same as 1";
        assert_eq!(without_numbers(nameless, 0), "* combobox options: a | b\n* combobox options: a | b");
    }

    #[test]
    fn what_has_no_words_is_counted() {
        assert_eq!(
            without_numbers("2 button \"Save\"\n(found in the picture, without words: 1, 3)", 2),
            "* button \"Save\"\n(2 more without words, found in the picture alone)"
        );
    }

    #[test]
    fn only_what_the_picture_told_may_have_no_words() {
        use crate::appagent::testing::{elements, observation};
        use waldo_devices::{LabelStyle, Picture};
        let mut all = elements();
        for element in &mut all {
            element.name.clear();
            element.value = None;
        }
        all[0].source = waldo_devices::Source::Picture;
        let view = View::new(observation(all, Picture::empty()), LabelStyle::default()).unwrap();
        assert_eq!(wordless(&view), 1);
        assert!(view.list.ends_with("(found in the picture, without words: button 1)"), "{}", view.list);
    }
}

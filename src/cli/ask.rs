use std::io::{BufRead as _, IsTerminal as _, Write as _};

use waldo_agents::appagent::learn::StopHit;
use waldo_devices::{
    Action, ActionEffect, Approver, Button, Clicks, Effects, Element, Physical, Point, Proposal,
};
use waldo_tasks::explore::SensitiveApprover;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// How long a stop may go unnoticed while a question waits.
const LOOKS_EVERY: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Who sits at the terminal, asked before what needs a person's word.
pub struct AtTerminal {
    stop: CancellationToken,
}

impl AtTerminal {
    /// One who is no longer waited for once `stop` is cancelled.
    pub fn new(stop: CancellationToken) -> Self {
        Self { stop }
    }
}

impl Approver for AtTerminal {
    fn approve(&self, proposal: &Proposal<'_>) -> bool {
        yes(&question(proposal), &self.stop)
    }
}

/// What a person has to know to answer, the question itself last:
///
/// ```text
/// the agent thinks: the basket is full
/// the picture: runs/r/episodes/by-hand/step-04.png
/// it would: press
/// carry out tap [2] button "Pay now" at (282, 410) on http://127.0.0.1:8080/pay?
/// ```
pub fn question(proposal: &Proposal<'_>) -> String {
    let intent = proposal.intent;
    let mut lines = Vec::new();
    if let Some(thought) = intent.thought.as_deref().filter(|thought| !thought.trim().is_empty()) {
        lines.push(format!("the agent thinks: {}", shown(thought, 500)));
    }
    if let Some(picture) = &intent.picture {
        lines.push(format!("the picture: {}", shown(&picture.display().to_string(), usize::MAX)));
    }
    let effects: Vec<&str> = proposal.effects.iter().map(ActionEffect::name).collect();
    let unknown = proposal.effects == Effects::all();
    lines.push(if unknown {
        "it would: anything (what it does is not known)".to_owned()
    } else {
        format!("it would: {}", effects.join(", "))
    });
    let mut what = proposal.action.name().to_owned();
    if let Some(tag) = intent.tag {
        what.push_str(&format!(" [{}]", tag.0));
    }
    if let Some(element) = &intent.element {
        what.push_str(&format!(" {} \"{}\"", shown(element.role.as_str(), 40), shown(&element.name, 200)));
    }
    what.push_str(&with(proposal.action));
    if let Some(at) = proposal.action.point() {
        what.push_str(&format!(" at ({:.0}, {:.0})", at.x, at.y));
    }
    if !intent.location.is_empty() {
        what.push_str(&format!(" on {}", shown(&intent.location, 300)));
    }
    lines.push(format!("carry out {what}?"));
    lines.join("\n")
}

/// The parameters that say what is done, places aside.
fn with(action: &Action) -> String {
    let quoted = |text: &str| format!(" \"{}\"", shown(text, 500));
    match action {
        Action::Type { text } | Action::Paste { text } => quoted(text),
        Action::TypeSecret { name } => format!(" the secret{}", quoted(name)),
        Action::Key { chord } => quoted(chord),
        Action::Select { option, .. } => quoted(option),
        Action::Navigate { url } | Action::NewTab { url: Some(url) } => quoted(url),
        Action::OpenApp { app } | Action::StopApp { app } => quoted(app),
        Action::Shell { command } => quoted(command),
        Action::Drag { path, button: Button::Left, modifiers } if modifiers.is_empty() => {
            path.first().map(|from| from_there(*from)).unwrap_or_default()
        }
        Action::Swipe { from, .. } => from_there(*from),
        Action::Tap { clicks: Clicks::Single, button: Button::Left, .. }
        | Action::LongPress { .. }
        | Action::Hover { .. }
        | Action::PointerDown { button: Button::Left, .. }
        | Action::PointerMove { .. }
        | Action::PointerUp { .. } => String::new(),
        other => rest(other),
    }
}

fn from_there(from: Point<Physical>) -> String {
    format!(" from ({:.0}, {:.0})", from.x, from.y)
}

/// Whatever else an action has, as it is recorded.
fn rest(action: &Action) -> String {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(action) else { return String::new() };
    for known in ["do", "at", "element"] {
        fields.remove(known);
    }
    fields.iter().map(|(name, value)| shown(&format!(" {name} {value}"), 500)).collect()
}

/// Text of a screen or a model for a terminal: on one line, with nothing that moves the cursor, hides, or turns
/// the direction of what follows.
fn shown(text: &str, max: usize) -> String {
    let hidden = |c: char| {
        matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
    };
    let cut = text.chars().nth(max).map_or("", |_| "…");
    let plain = crate::out::plain(text, max);
    let clean: String = plain.chars().map(|c| if hidden(c) { ' ' } else { c }).collect();
    format!("{}{cut}", clean.replace('"', "'"))
}

impl SensitiveApprover for AtTerminal {
    fn allows(&self, element: Option<&Element>, call: &str, hit: &StopHit) -> bool {
        let clean = |text: &str| shown(text, 500);
        let what =
            element.map(|e| format!(" on {} \"{}\"", e.role.as_str(), clean(&e.name))).unwrap_or_default();
        let question = format!(
            "this may pay, send or delete something ({}). Carry out {}{what}?",
            clean(&hit.reason()),
            clean(call)
        );
        yes(&question, &self.stop)
    }
}

/// Asks at the terminal. Anything but a yes is a no: so is a stop of the run meanwhile, and a pipe, which is
/// nobody who could have seen what is asked.
fn yes(question: &str, stop: &CancellationToken) -> bool {
    let input = std::io::stdin();
    if !input.is_terminal() {
        return false;
    }
    let question = crate::masking::mask(question.to_owned());
    let asked = {
        // Held for the question alone: others may have something to tell while the answer is waited for.
        let mut terminal = crate::terminal::stderr();
        write!(terminal, "{question} [y/N] ").and_then(|()| terminal.flush())
    };
    if asked.is_err() {
        return false;
    }
    loop {
        if stop.is_cancelled() {
            return false;
        }
        let mut ready = [PollFd::new(&input, PollFlags::IN)];
        match poll(&mut ready, Some(&LOOKS_EVERY)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => break,
            Err(_) => return false,
        }
    }
    let mut line = String::new();
    input.lock().read_line(&mut line).is_ok() && matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use waldo_devices::labels::Tag;
    use waldo_devices::{Intent, Platform};

    use super::*;

    fn button(name: &str) -> Element {
        serde_json::from_value(serde_json::json!({
            "handle": "e1", "role": "button", "name": name,
            "bounds": {"x": 0.0, "y": 0.0, "w": 9.0, "h": 9.0}, "hit": {"x": 1.0, "y": 1.0}
        }))
        .unwrap()
    }

    fn question_for(action: &Action, intent: &Intent) -> String {
        question(&Proposal { action, effects: action.effects(Platform::Web), intent })
    }

    #[test]
    fn a_question_says_what_is_done_to_what_and_where() {
        let action =
            Action::Tap { at: Point::new(282.68, 410.2), clicks: Clicks::Single, button: Button::Left };
        let intent = Intent {
            tag: Some(Tag(2)),
            element: Some(button("Pay now")),
            location: "http://127.0.0.1:8080/pay".into(),
            thought: Some("the basket is full".into()),
            picture: Some(PathBuf::from("r/step-04.png")),
        };
        let text = question_for(&action, &intent);
        assert_eq!(
            text,
            "the agent thinks: the basket is full\nthe picture: r/step-04.png\nit would: press\n\
             carry out tap [2] button \"Pay now\" at (283, 410) on http://127.0.0.1:8080/pay?"
        );
    }

    #[test]
    fn a_screen_cannot_write_into_the_question() {
        let action = Action::LongPress { at: Point::new(1.0, 1.0) };
        let name = "Close\" on x? [y/N]\r\u{1b}[2K\u{202e}won\n\u{200b}";
        let intent = Intent {
            element: Some(button(name)),
            thought: Some(format!("a{name}")),
            location: name.into(),
            ..Intent::default()
        };
        let text = question_for(&action, &intent);
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(!text.chars().any(|c| c != '\n' && c.is_control()), "{text:?}");
        assert!(!text.contains(['\u{202e}', '\u{200b}']), "{text:?}");
        assert_eq!(text.matches('"').count(), 2, "{text}");
    }

    #[test]
    fn what_nobody_explains_is_asked_with_its_parameters() {
        let text = question_for(&Action::Key { chord: "ctrl+w".into() }, &Intent::default());
        assert_eq!(text, "it would: key, close_tab, close_window\ncarry out key \"ctrl+w\"?");
        let text = question_for(&Action::Shell { command: "rm -r x".into() }, &Intent::default());
        assert!(text.ends_with("carry out shell \"rm -r x\"?") && text.contains("anything"), "{text}");
        let text = question_for(&Action::Wait { ms: 20 }, &Intent::default());
        assert!(text.ends_with("carry out wait ms 20?"), "{text}");
    }
}

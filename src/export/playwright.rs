//! What was done on pages, as a script for Playwright (Node). An element is found by role and name where that is one
//! element of the page, else by its place. What a script cannot do stands there as a comment.

#![warn(clippy::wildcard_enum_match_arm, reason = "a new action is a line here, or is named as none")]

use std::fmt::Write as _;

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde_json::{Value, json};
use waldo_devices::{Action, Button, Clicks, DialogReply, Element, Modifiers, Physical, Point};

use super::error::ExportError;
use super::taken::{ExportStep, RecordedEpisode};

/// The script; what stands there without `safe` is written as JSON, which JavaScript reads as it is.
const TEMPLATE: &str = include_str!("playwright.mjs.j2");

/// The script of an episode; `None` where it was not played on one page's screen alone.
pub(super) fn script(taken: &RecordedEpisode) -> Result<Option<String>, ExportError> {
    let seen = taken.steps.iter().find_map(|step| step.seen.as_deref());
    let Some(seen) = seen.filter(|_| taken.entry.platform.has_pages()) else { return Ok(None) };
    let scale = seen.geometry.scale.max(0.01);
    let size = (seen.geometry.physical.w / scale, seen.geometry.physical.h / scale);
    let replies: Vec<Value> = actions(taken)
        .filter_map(|(_, action)| {
            let Action::Dialog { reply } = action else { return None };
            Some(match reply {
                DialogReply::Accept { text } => json!({ "accept": true, "text": text }),
                DialogReply::Dismiss => json!({ "accept": false }),
            })
        })
        .collect();
    let steps = actions(taken).map(|(step, action)| {
        let code = line(step, action, scale);
        json!({ "number": step.number, "words": one_line(&step.words()), "code": code.trim_end() })
    });
    let filled = filled(&json!({
        "goal": one_line(&taken.goal),
        "start": seen.context.location,
        "viewport": { "width": size.0.round(), "height": size.1.round() },
        "replies": replies,
        "steps": steps.collect::<Vec<_>>(),
    }))?;
    Ok(Some(filled))
}

fn filled(context: &Value) -> Result<String, ExportError> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::Json);
    Ok(environment.render_str(TEMPLATE, minijinja::Value::from(Serde(context)))? + "\n")
}

fn actions(taken: &RecordedEpisode) -> impl Iterator<Item = (&ExportStep, &Action)> {
    taken.steps.iter().flat_map(|step| {
        let done = step.done.iter().filter(|done| done.report.is_some());
        done.map(move |done| (step, &done.action))
    })
}

fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c })
        .collect()
}

fn line(step: &ExportStep, action: &Action, scale: f64) -> String {
    let place = |at: Point<Physical>| ((at.x / scale).round(), (at.y / scale).round());
    let aimed = |at: Point<Physical>| {
        let (x, y) = place(at);
        let mut target = json!({ "x": x, "y": y });
        if let Some(element) = step.element().filter(|e| e.bounds.contains(at)) {
            (target["role"], target["name"]) = (json!(element.role), json!(element.name));
        }
        target
    };
    let on = |element: Option<&Element>, then: &str| match element {
        Some(e) => {
            let (x, y) = place(e.hit);
            format!(
                "{{ const e = await only({}, {}); if (e) await e.{then}; else {{ await page.mouse.click({x}, {y}); await page.keyboard.press('ControlOrMeta+a'); }} }}\n",
                json!(e.role),
                json!(e.name)
            )
        }
        None => "// the element was not recorded\n".to_owned(),
    };
    let cannot = || format!("// a script cannot do this: {}\n", one_line(&action.describe()));
    match action {
        // Playwright has three buttons.
        Action::Tap { button: Button::Back | Button::Forward, .. }
        | Action::TapAt { button: Button::Back | Button::Forward, .. }
        | Action::Drag { button: Button::Back | Button::Forward, .. }
        | Action::PointerDown { button: Button::Back | Button::Forward, .. } => cannot(),
        Action::Tap { at, clicks, button } => {
            format!("await tap({}{});\n", aimed(*at), options(*clicks, *button, &[]))
        }
        Action::TapAt { at, clicks, button, modifiers } => {
            let held: Vec<String> = modifiers.to_string().split('+').filter_map(modifier).collect();
            format!("await tap({}{});\n", aimed(*at), options(*clicks, *button, &held))
        }
        Action::LongPress { at } => format!("await tap({}, {{ delay: 800 }});\n", aimed(*at)),
        Action::Hover { at } => {
            let (x, y) = place(*at);
            format!("await page.mouse.move({x}, {y});\n")
        }
        Action::Drag { path, button, modifiers } => {
            let mut out = String::new();
            for (n, at) in path.iter().enumerate() {
                let (x, y) = place(*at);
                let _ = writeln!(out, "await page.mouse.move({x}, {y}, {{ steps: 8 }});");
                if n == 0 {
                    let _ = writeln!(out, "await page.mouse.down({});", with(*button));
                }
            }
            let _ = writeln!(out, "await page.mouse.up({});", with(*button));
            while_held(*modifiers, &out)
        }
        Action::PointerDown { at, button } => {
            let (x, y) = place(*at);
            format!("await page.mouse.move({x}, {y});\nawait page.mouse.down({});\n", with(*button))
        }
        Action::PointerMove { at } => {
            let (x, y) = place(*at);
            format!("await page.mouse.move({x}, {y});\n")
        }
        // Whichever is down: to let go of another does nothing.
        Action::PointerUp { at } => {
            let (x, y) = place(*at);
            let up = "for (const button of ['left', 'middle', 'right']) await page.mouse.up({ button });";
            format!("await page.mouse.move({x}, {y}, {{ steps: 8 }});\n{up}\n")
        }
        Action::Scroll { at, by, modifiers } => {
            let (x, y) = place(*at);
            let wheel = format!(
                "await page.mouse.move({x}, {y});\nawait page.mouse.wheel({}, {});\n",
                by.right * 120,
                by.down * 120
            );
            while_held(*modifiers, &wheel)
        }
        Action::Type { text } | Action::Paste { text } => {
            format!("await page.keyboard.type({});\n", json!(text))
        }
        Action::TypeSecret { name } => {
            format!("await page.keyboard.type(process.env[{}] ?? '');\n", json!(name))
        }
        Action::Key { chord } => {
            let press = |chord: &str| {
                let keys: Vec<String> = chord.split('+').map(key).collect();
                format!("await page.keyboard.press({});\n", json!(keys.join("+")))
            };
            chord.replace(" +", "+").replace("+ ", "+").split_whitespace().map(press).collect()
        }
        Action::Clear { .. } => on(step.element(), "fill('')"),
        Action::Fill { text, .. } => on(step.element(), &format!("fill({})", json!(text))),
        Action::Select { option, .. } => {
            on(step.element(), &format!("selectOption({{ label: {} }})", json!(option)))
        }
        Action::Navigate { url } => format!("await page.goto({});\n", json!(url)),
        Action::Back => "await page.goBack();\n".to_owned(),
        Action::Forward => "await page.goForward();\n".to_owned(),
        Action::Reload => "await page.reload();\n".to_owned(),
        Action::NewTab { url } => {
            let open =
                url.as_ref().map(|url| format!("await page.goto({});\n", json!(url))).unwrap_or_default();
            format!("page = await context.newPage();\n{open}")
        }
        Action::SwitchTab { tab } => {
            let tab = json!(tab).as_u64().unwrap_or(1).saturating_sub(1);
            format!("page = context.pages()[{tab}] ?? page;\nawait page.bringToFront();\n")
        }
        Action::CloseTab => "await page.close();\npage = context.pages().at(-1);\n".to_owned(),
        Action::Dialog { .. } => "// the dialog's answer stands in replies\n".to_owned(),
        Action::Wait { ms } => format!("await page.waitForTimeout({ms});\n"),
        Action::Swipe { .. }
        | Action::Upload { .. }
        | Action::Pinch { .. }
        | Action::Home
        | Action::Recents
        | Action::OpenApp { .. }
        | Action::StopApp { .. }
        | Action::FocusWindow { .. }
        | Action::CloseWindow { .. }
        | Action::Shell { .. }
        | Action::AskUser { .. }
        | Action::CallTool { .. }
        | Action::Rotate { .. }
        | Action::SwitchScreen { .. } => cannot(),
    }
}

/// The options of a button that goes down or up; nothing for the main one.
fn with(button: Button) -> String {
    let named = json!({ "button": button });
    if button.is_main() { String::new() } else { named.to_string() }
}

fn while_held(modifiers: Modifiers, lines: &str) -> String {
    let held: Vec<String> = modifiers.to_string().split('+').filter_map(modifier).collect();
    let all = |way: &str, name: &String| format!("await page.keyboard.{way}('{name}');\n");
    let down: String = held.iter().map(|name| all("down", name)).collect();
    let up: String = held.iter().rev().map(|name| all("up", name)).collect();
    format!("{down}{lines}{up}")
}

fn options(clicks: Clicks, button: Button, modifiers: &[String]) -> String {
    let mut options = serde_json::Map::new();
    match clicks {
        Clicks::Single => {}
        Clicks::Double => drop(options.insert("clickCount".to_owned(), json!(2))),
        Clicks::Triple => drop(options.insert("clickCount".to_owned(), json!(3))),
    }
    if !button.is_main() {
        options.insert("button".to_owned(), json!(button));
    }
    if !modifiers.is_empty() {
        options.insert("modifiers".to_owned(), json!(modifiers));
    }
    if options.is_empty() { String::new() } else { format!(", {}", Value::Object(options)) }
}

fn modifier(name: &str) -> Option<String> {
    let name = match name {
        "ctrl" => "Control",
        "alt" => "Alt",
        "shift" => "Shift",
        "meta" => "Meta",
        _ => return None,
    };
    Some(name.to_owned())
}

fn key(name: &str) -> String {
    let lower = name.to_lowercase();
    match lower.as_str() {
        "ctrl" | "control" => "Control".to_owned(),
        "alt" | "shift" | "meta" | "enter" | "tab" | "backspace" | "delete" | "escape" | "home" | "end" => {
            capital(&lower)
        }
        "esc" => "Escape".to_owned(),
        "space" => "Space".to_owned(),
        "up" | "down" | "left" | "right" => format!("Arrow{}", capital(&lower)),
        "pageup" => "PageUp".to_owned(),
        "pagedown" => "PageDown".to_owned(),
        other => match other.strip_prefix("kp_") {
            Some(key) => format!("Numpad{}", capital(key)),
            None => name.to_owned(),
        },
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_playwrights_names() {
        let all = ["ctrl", "a", "Enter", "esc", "down", "PageDown", "F5", "KP_Add"].map(key);
        assert_eq!(all, ["Control", "a", "Enter", "Escape", "ArrowDown", "PageDown", "F5", "NumpadAdd"]);
    }

    #[test]
    fn text_that_looks_like_a_placeholder_stays_text() {
        let odd = "http://h/?VIEWPORT=1&REPLIES&{{ replies }}\u{2028}{% for x in steps %}\"; evil(); \"";
        let script = filled(&json!({
            "goal": "START {{ start }} VIEWPORT", "start": odd, "viewport": { "width": 1.0, "height": 2.0 }, "replies": [],
            "steps": [{ "number": 1, "words": "REPLIES {{ goal }}", "code": "await page.goto(\"{{ start }}\");" }],
        }))
        .unwrap();
        let start =
            script.lines().find_map(|line| line.strip_prefix("const start = process.argv[2] ?? ")).unwrap();
        let read: String = serde_json::from_str(start.strip_suffix(';').unwrap()).unwrap();
        assert_eq!(read, odd);
        for line in [
            "// START {{ start }} VIEWPORT",
            "const replies = [];",
            "// step 1: REPLIES {{ goal }}",
            "await page.goto(\"{{ start }}\");",
        ] {
            assert!(script.lines().any(|had| had == line), "{line}: {script}");
        }
    }

    #[test]
    fn text_cannot_leave_its_comment_or_string() {
        assert_eq!(one_line("a\nawait evil()\u{2028}b"), "a await evil() b");
        let typed = line(&ExportStep::default(), &Action::Type { text: "\");evil(\"\n".to_owned() }, 1.0);
        assert_eq!(typed, "await page.keyboard.type(\"\\\");evil(\\\"\\n\");\n");
    }
}

//! Scripts of `python -c "import pyautogui; …"`, which most setups use for a key or a click, read as what
//! they do: the machine needs neither Python nor that library for them.
//!
//! Only what is plain is read: calls with literal arguments, one after the other. Anything else is left to a
//! real interpreter.

use std::time::Duration;

use serde_json::Value;

use super::super::machine::{MachineCommand, MachineInput};
use crate::py;

/// What a command types and clicks; nothing where it does more than that.
pub fn inputs(command: &MachineCommand) -> Option<Vec<MachineInput>> {
    let MachineCommand::Program(words) = command else { return None };
    let [program, flag, script] = words.as_slice() else { return None };
    let name = program.rsplit('/').next()?;
    if !name.starts_with("python") || flag != "-c" || !script.contains("pyautogui") {
        return None;
    }
    read(script)
}

fn read(script: &str) -> Option<Vec<MachineInput>> {
    let mut found = Vec::new();
    for statement in statements(script)? {
        let statement = statement.trim();
        if statement.is_empty() {
            continue;
        }
        if let Some(modules) = statement.strip_prefix("import ") {
            let plain = |module: &str| matches!(module.trim(), "pyautogui" | "time");
            if !modules.split(',').all(plain) {
                return None;
            }
            continue;
        }
        let (name, rest) = statement.split_once('(')?;
        let arguments = arguments(rest.strip_suffix(')')?)?;
        found.extend(call(name.trim(), &arguments)?);
    }
    Some(found)
}

/// Splits at semicolons and line breaks outside of quotes; blocks are none of ours.
fn statements(script: &str) -> Option<Vec<String>> {
    let mut all = vec![String::new()];
    let mut quote = None;
    let mut escaped = false;
    for c in script.chars() {
        let last = all.last_mut()?;
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(q) if c == q => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == ';' || c == '\n' => {
                all.push(String::new());
                continue;
            }
            _ => {}
        }
        last.push(c);
    }
    quote.is_none().then_some(all)
}

#[derive(Clone, Debug, PartialEq)]
enum Literal {
    Text(String),
    Number(f64),
    List(Vec<String>),
}

/// Literal arguments with their names; nothing for anything else.
fn arguments(text: &str) -> Option<Vec<(Option<String>, Literal)>> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let mut name = None;
        let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let after = rest.get(word..)?.trim_start();
        if word > 0 && after.starts_with('=') {
            name = Some(rest.get(..word)?.to_owned());
            rest = after.get(1..)?.trim_start();
        }
        let (literal, after) = literal(rest)?;
        found.push((name, literal));
        rest = after.trim_start();
        if rest.is_empty() {
            break;
        }
        rest = rest.strip_prefix(',')?.trim_start();
    }
    Some(found)
}

fn literal(text: &str) -> Option<(Literal, &str)> {
    let (value, rest) = py::literal::leading(text)?;
    let literal = match value {
        Value::String(text) => Literal::Text(text),
        Value::Number(number) => Literal::Number(number.as_f64()?),
        Value::Array(items) => {
            let texts = items.into_iter().map(|item| item.as_str().map(str::to_owned));
            Literal::List(texts.collect::<Option<_>>()?)
        }
        Value::Null | Value::Bool(_) | Value::Object(_) => return None,
    };
    Some((literal, rest))
}

fn call(name: &str, arguments: &[(Option<String>, Literal)]) -> Option<Vec<MachineInput>> {
    let plain: Vec<&Literal> = arguments.iter().filter(|(name, _)| name.is_none()).map(|(_, l)| l).collect();
    let named = |wanted: &str| {
        arguments.iter().find(|(name, _)| name.as_deref() == Some(wanted)).map(|(_, literal)| literal)
    };
    // How long the library waits between keys changes nothing that a task sees.
    let known = ["interval", "duration", "button", "clicks", "x", "y", "presses", "keys"];
    if arguments.iter().any(|(name, _)| name.as_ref().is_some_and(|name| !known.contains(&name.as_str()))) {
        return None;
    }
    let number = |literal: Option<&Literal>| match literal {
        Some(Literal::Number(n)) => Some(*n),
        _ => None,
    };
    let at = |i: usize, name: &str| number(plain.get(i).copied().or_else(|| named(name)));
    let point = || at(0, "x").zip(at(1, "y"));
    let button = match named("button") {
        Some(Literal::Text(button)) => button.clone(),
        _ => "left".to_owned(),
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts are small")]
    let count = |literal: Option<&Literal>| number(literal).map_or(1, |n| n.clamp(0.0, 100.0) as u32);
    let click = |button: &str, times: u32| {
        (plain.is_empty() && named("x").is_none() || point().is_some())
            .then(|| vec![MachineInput::Click { at: point(), button: button.to_owned(), times }])
    };
    Some(match (name, plain.as_slice()) {
        ("time.sleep", [Literal::Number(seconds)]) => {
            vec![MachineInput::Pause(Duration::try_from_secs_f64(*seconds).ok()?)]
        }
        ("pyautogui.hotkey", [Literal::List(keys)]) => vec![MachineInput::Chord(keys.clone())],
        ("pyautogui.hotkey", keys) => {
            let keys = keys.iter().map(|key| match key {
                Literal::Text(key) => Some(key.clone()),
                _ => None,
            });
            vec![MachineInput::Chord(keys.collect::<Option<_>>()?)]
        }
        ("pyautogui.press", [Literal::Text(key)]) => {
            vec![MachineInput::Chord(vec![key.clone()]); count(named("presses")) as usize]
        }
        ("pyautogui.press", [Literal::List(keys)]) => {
            keys.iter().map(|key| MachineInput::Chord(vec![key.clone()])).collect()
        }
        ("pyautogui.keyDown", [Literal::Text(key)]) => vec![MachineInput::KeyDown(key.clone())],
        ("pyautogui.keyUp", [Literal::Text(key)]) => vec![MachineInput::KeyUp(key.clone())],
        ("pyautogui.write" | "pyautogui.typewrite", [Literal::Text(text), ..]) => {
            vec![MachineInput::Text(text.clone())]
        }
        ("pyautogui.moveTo", _) => vec![point().map(|(x, y)| MachineInput::Move(x, y))?],
        ("pyautogui.click" | "pyautogui.leftClick", _) => click(&button, count(named("clicks")))?,
        ("pyautogui.rightClick", _) => click("right", 1)?,
        ("pyautogui.middleClick", _) => click("middle", 1)?,
        ("pyautogui.doubleClick", _) => click(&button, 2)?,
        ("pyautogui.tripleClick", _) => click(&button, 3)?,
        ("pyautogui.scroll", [Literal::Number(n), ..]) => vec![MachineInput::Scroll(*n)],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(script: &str) -> Option<Vec<MachineInput>> {
        inputs(&MachineCommand::Program(vec!["python3".into(), "-c".into(), script.into()]))
    }

    fn chord(keys: &[&str]) -> MachineInput {
        MachineInput::Chord(keys.iter().map(|key| (*key).to_owned()).collect())
    }

    #[test]
    fn plain_scripts_are_what_they_do_and_others_are_left_to_an_interpreter() {
        assert_eq!(
            of("import pyautogui; import time; pyautogui.hotkey(\"ctrl\", \"s\"); time.sleep(0.5);").unwrap(),
            [chord(&["ctrl", "s"]), MachineInput::Pause(Duration::from_millis(500))]
        );
        assert_eq!(
            of("import pyautogui, time\npyautogui.press(['down', 'enter'])\npyautogui.write('a; \\'b\\'\\n', interval=0.1)").unwrap(),
            [chord(&["down"]), chord(&["enter"]), MachineInput::Text("a; 'b'\n".into())]
        );
        assert_eq!(
            of("import pyautogui; pyautogui.hotkey([\"shift\", \"ctrl\", \"e\"]);").unwrap(),
            [chord(&["shift", "ctrl", "e"])]
        );
        assert_eq!(
            of(
                "import pyautogui; pyautogui.click(960, 540); pyautogui.doubleClick(x=1, y=2, button='right')"
            )
            .unwrap(),
            [
                MachineInput::Click { at: Some((960.0, 540.0)), button: "left".into(), times: 1 },
                MachineInput::Click { at: Some((1.0, 2.0)), button: "right".into(), times: 2 },
            ]
        );
        for script in [
            "import pyautogui; x = pyautogui.size(); pyautogui.click(x[0], 3)",
            "import pyautogui, os; pyautogui.press('a')",
            "import pyautogui\nfor i in range(3):\n  pyautogui.press('a')",
            "import pyautogui; pyautogui.click(1)",
            "import pyautogui; pyautogui.screenshot('a.png')",
        ] {
            assert_eq!(of(script), None, "{script}");
        }
        assert_eq!(inputs(&MachineCommand::Shell("python -c 'import pyautogui'".into())), None);
    }
}

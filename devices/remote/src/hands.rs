//! Hands: actions as programs of `pyautogui`.
//!
//! Invariant: whatever happens in a program, no key stays down, and no button but what an action itself pressed.

use super::device::NAME;
use super::keys;
use super::typing;
use waldo_desktop::chord::Modifier;
use waldo_desktop::hand::{InputOp, LONG, REST, STEP, bounded, presses, steps};
use waldo_devices::{Button, DeviceError, Modifiers, Physical, Point, Result};
use waldo_http::OperatingSystem;

/// What every program begins with: its corners end nothing, and no pause of its own is added.
const BEGIN: &str = "import pyautogui, time\npyautogui.FAILSAFE = False\npyautogui.PAUSE = 0\n";

/// A wheel's notch, where the system counts finer.
const WINDOWS_NOTCH: i32 = 120;

/// The programs that carry an action out, one after the other.
///
/// # Errors
/// [`DeviceError::BadArgument`] for a key that the machine has not.
pub(crate) fn programs(system: OperatingSystem, op: &InputOp) -> Result<Vec<String>> {
    let one = |body: String| Ok(vec![format!("{BEGIN}{body}")]);
    match op {
        InputOp::Hover(at) => one(moved(*at)),
        InputOp::Tap(at, clicks, with, held) => {
            let clicks = presses(*clicks);
            let press =
                format!("pyautogui.click(clicks={clicks}, interval=0.06, button='{}')\n", button(*with)?);
            one(format!("{}{}", moved(*at), while_held(&names(system, *held), &press)))
        }
        InputOp::LongPress(at) => one(format!(
            "{}{}",
            moved(*at),
            pressed("left", &format!("time.sleep({})\n", LONG.as_secs_f64()))
        )),
        InputOp::Press(at, with) => {
            one(format!("{}pyautogui.mouseDown(button='{}')\n", moved(*at), button(*with)?))
        }
        // Which button it is the server does not tell: those that are up already stay so.
        InputOp::Release(at) => {
            let up = |with| format!("pyautogui.mouseUp(button='{with}')\n");
            one(format!("{}{}", moved(*at), ["left", "middle", "right"].map(up).concat()))
        }
        InputOp::Drag(path, with, held) => {
            let first = path.first().copied().unwrap_or_default();
            let mut way = format!("time.sleep({})\n", REST.as_secs_f64());
            for point in steps(path) {
                way.push_str(&format!("{}time.sleep({})\n", moved(point), STEP.as_secs_f64()));
            }
            way.push_str(&format!("time.sleep({})\n", REST.as_secs_f64()));
            one(format!(
                "{}{}",
                moved(first),
                while_held(&names(system, *held), &pressed(button(*with)?, &way))
            ))
        }
        InputOp::Scroll(at, by, held) => {
            let (by, notch) =
                (bounded(*by), if system == OperatingSystem::Windows { WINDOWS_NOTCH } else { 1 });
            let mut body = String::new();
            if by.down != 0 {
                body.push_str(&format!("pyautogui.scroll({})\n", -by.down * notch));
            }
            if by.right != 0 {
                body.push_str(&format!("pyautogui.hscroll({})\n", by.right * notch));
            }
            one(format!("{}{}", moved(*at), while_held(&names(system, *held), &body)))
        }
        InputOp::Keys(chords) => {
            let mut body = String::new();
            for chord in chords {
                let (held, key) = keys::chord(system, chord)?;
                let press = match key {
                    Some(key) => format!("pyautogui.press({})\n", typing::literal(&key)),
                    None => "pass\n".to_owned(),
                };
                body.push_str(&while_held(&held, &press));
                body.push_str("time.sleep(0.05)\n");
            }
            one(body)
        }
        InputOp::Type(text) => {
            let chars: Vec<char> = text.chars().collect();
            let runs =
                chars.chunks(typing::RUN).map(|run| typing::program(system, &run.iter().collect::<String>()));
            Ok(runs.collect())
        }
    }
}

/// The name of a button.
///
/// # Errors
/// [`DeviceError::Unsupported`] for those that `pyautogui` has not.
fn button(button: Button) -> Result<&'static str> {
    match button {
        Button::Left => Ok("left"),
        Button::Right => Ok("right"),
        Button::Middle => Ok("middle"),
        Button::Back | Button::Forward => {
            Err(DeviceError::unsupported(NAME, "press the back or forward button: pyautogui has neither"))
        }
    }
}

fn names(system: OperatingSystem, held: Modifiers) -> Vec<&'static str> {
    Modifier::of(held).into_iter().map(|held| keys::modifier(system, held)).collect()
}

fn moved(at: Point<Physical>) -> String {
    format!("pyautogui.moveTo({:.0}, {:.0})\n", at.x.floor(), at.y.floor())
}

fn pressed(button: &str, meanwhile: &str) -> String {
    let meanwhile = indented(meanwhile);
    format!(
        "pyautogui.mouseDown(button='{button}')\ntry:\n{meanwhile}finally:\n    pyautogui.mouseUp(button='{button}')\n"
    )
}

fn while_held(keys: &[&str], meanwhile: &str) -> String {
    if keys.is_empty() {
        return meanwhile.to_owned();
    }
    let call = |call: &str, key: &str| format!("    pyautogui.{call}('{key}')\n");
    let down: String = keys.iter().map(|key| call("keyDown", key)).collect();
    let up: String = keys.iter().rev().map(|key| call("keyUp", key)).collect();
    format!("try:\n{down}{}finally:\n{up}", indented(meanwhile))
}

fn indented(lines: &str) -> String {
    lines.lines().map(|line| format!("    {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use waldo_desktop::chord::Chord;
    use waldo_devices::action::{Clicks, ScrollNotches};

    fn all() -> Vec<InputOp> {
        let at = Point::new(10.7, 20.0);
        let held = Modifiers { ctrl: true, shift: true, ..Modifiers::default() };
        vec![
            InputOp::Hover(at),
            InputOp::Tap(at, Clicks::Double, Button::Right, held),
            InputOp::LongPress(at),
            InputOp::Drag(vec![at, Point::new(50.0, 60.0)], Button::Middle, held),
            InputOp::Scroll(at, ScrollNotches { right: 2, down: -3 }, held),
            InputOp::Keys(Chord::parse("ctrl+k ctrl+'").unwrap()),
            InputOp::Keys(Chord::parse("shift").unwrap()),
            InputOp::Type("x".repeat(typing::RUN + 1)),
        ]
    }

    /// What a program asks of `pyautogui`, in which `fails` goes wrong.
    fn asked(program: &str, fails: &str) -> Vec<String> {
        let double = format!(
            "import sys, types\nm = types.ModuleType('pyautogui')\ndef call(name):\n    def made(*a, **k):\n        print(name, *a, *k.values())\n        \
             if name == '{fails}': raise SystemExit(3)\n    return made\nm.__getattr__ = call\nsys.modules['pyautogui'] = m\nimport time\n\
             time.sleep = lambda s: None\n"
        );
        let done = std::process::Command::new("python3")
            .args(["-c", &format!("{double}{program}")])
            .output()
            .unwrap();
        assert!(matches!(done.status.code(), Some(0 | 3)), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).lines().map(str::to_owned).collect()
    }

    #[test]
    fn actions_are_what_they_say_on_every_system() {
        let run = |op: &InputOp| asked(&programs(OperatingSystem::Linux, op).unwrap()[0], "");
        let all = all();
        assert_eq!(run(&all[0]), ["moveTo 10 20"]);
        assert_eq!(
            run(&all[1]),
            [
                "moveTo 10 20",
                "keyDown ctrl",
                "keyDown shift",
                "click 2 0.06 right",
                "keyUp shift",
                "keyUp ctrl"
            ]
        );
        assert_eq!(run(&all[2]), ["moveTo 10 20", "mouseDown left", "mouseUp left"]);
        let drag = run(&all[3]);
        assert_eq!(drag[..4], ["moveTo 10 20", "keyDown ctrl", "keyDown shift", "mouseDown middle"]);
        assert_eq!(drag[drag.len() - 3..], ["mouseUp middle", "keyUp shift", "keyUp ctrl"]);
        assert!(drag.contains(&"moveTo 50 60".to_owned()) && drag.len() > 6, "{drag:?}");
        assert_eq!(run(&all[4])[3..5], ["scroll 3", "hscroll 2"]);
        let at = Point::new(1.0, 2.0);
        assert_eq!(run(&InputOp::Press(at, Button::Right)), ["moveTo 1 2", "mouseDown right"]);
        assert!(run(&InputOp::Release(at)).contains(&"mouseUp right".to_owned()));
        let back = InputOp::Press(at, Button::Back);
        assert!(
            programs(OperatingSystem::Linux, &back)
                .unwrap_err()
                .to_string()
                .contains("pyautogui has neither")
        );
        assert_eq!(
            run(&all[5]),
            ["keyDown ctrl", "press k", "keyUp ctrl", "keyDown ctrl", "press '", "keyUp ctrl"]
        );
        assert_eq!(run(&all[6]), ["keyDown shift", "keyUp shift"]);
        assert_eq!(programs(OperatingSystem::Linux, &all[7]).unwrap().len(), 2);
        let windows = programs(OperatingSystem::Windows, &all[4]).unwrap();
        assert!(windows[0].contains("scroll(360)"), "{windows:?}");
    }

    #[test]
    fn what_fails_halfway_leaves_nothing_held_down() {
        for (op, fails) in [(1, "click"), (3, "moveTo"), (5, "press")] {
            let Ok(programs) = programs(OperatingSystem::Linux, &all()[op]) else { panic!() };
            let asked = asked(&programs[0], fails);
            let downs = asked.iter().filter(|line| line.contains("Down")).count();
            let ups = asked.iter().filter(|line| line.contains("Up")).count();
            assert_eq!(downs, ups, "{asked:?}");
        }
    }
}

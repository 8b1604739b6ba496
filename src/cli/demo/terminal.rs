//! Driving a device by typed commands.

use std::io::BufRead as _;

use tokio::sync::mpsc;
use waldo_agents::appagent::{FunctionCall, PictureForm, parse_call};
use waldo_devices::catalogue::Reply;
use waldo_devices::{Direction, Distance, Tag, Tool, ToolCall};
use waldo_tasks::demo::DemoAction;

pub const HELP: &str = "\
tap N                       press element N
text N WORDS                type into element N; \"in quotes\" with \\n for a line break
long_press N                press element N and hold it
swipe N DIRECTION [HOW FAR] up, down, left or right; short, medium or long
back, home, enter           the keys of these names
clear N                     empty a text element
secret NAME                 type a secret (--secret) into what has the focus
scroll DIRECTION            up or down
ok, cancel                  answer a dialog
look                        look at the screen again
stop                        end the demonstration and keep it
An agent's calls are read too: tap(3), pinch(4, 200), select(4, \"Blue\"), key(\"Escape\").";

#[derive(Clone, Debug, PartialEq)]
pub enum Typed {
    Do(DemoAction),
    Look,
    Help,
    Stop,
    Blank,
}

pub fn read(line: &str) -> Result<Typed, String> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(w, r)| (w, r.trim()));
    let call = |call| Ok(Typed::Do(DemoAction::Call(call)));
    match word.to_ascii_lowercase().as_str() {
        "" => Ok(Typed::Blank),
        "stop" => Ok(Typed::Stop),
        "look" => Ok(Typed::Look),
        "help" | "?" => Ok(Typed::Help),
        "back" => call(FunctionCall::of(Tool::Back)),
        "home" => call(FunctionCall::of(Tool::Home)),
        "enter" => call(FunctionCall::of(Tool::Enter)),
        "ok" => {
            let ok = ToolCall::new(Tool::Dialog).with("reply", Reply::Accept);
            call(FunctionCall::Tool(if rest.is_empty() { ok } else { ok.with("text", rest) }))
        }
        "cancel" => call(FunctionCall::Tool(ToolCall::new(Tool::Dialog).with("reply", Reply::Dismiss))),
        "tap" => call(FunctionCall::on(Tool::Tap, number(rest)?)),
        "long_press" => call(FunctionCall::on(Tool::LongPress, number(rest)?)),
        "clear" => call(FunctionCall::on(Tool::Clear, number(rest)?)),
        "secret" if !rest.is_empty() => {
            call(FunctionCall::Tool(ToolCall::new(Tool::TypeSecret).with("name", rest)))
        }
        "scroll" => call(FunctionCall::Tool(ToolCall::new(Tool::Scroll).with("direction", direction(rest)?))),
        "text" => {
            let (tag, words) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let text = words_of(words.trim())?;
            Ok(Typed::Do(DemoAction::Text { tag: Some(number(tag)?), text }))
        }
        "swipe" => {
            let parts: Vec<&str> = rest.split_whitespace().collect();
            let (tag, towards, far) = match parts.as_slice() {
                [tag, towards] => (tag, towards, "medium"),
                [tag, towards, far] => (tag, towards, *far),
                _ => return Err("write it like: swipe 3 up medium".to_owned()),
            };
            let distance =
                Distance::parse(far).ok_or_else(|| format!("'{far}' is none of short, medium and long"))?;
            let swipe = ToolCall::on(Tool::Swipe, number(tag)?, None);
            call(FunctionCall::Tool(swipe.with("direction", direction(towards)?).with("distance", distance)))
        }
        _ if line.contains('(') => call(parse_call(line, PictureForm::Elements)?),
        _ => Err(format!("there is no command '{word}'; help lists them")),
    }
}

fn number(text: &str) -> Result<Tag, String> {
    let number = text.parse().ok().filter(|n| *n > 0);
    number.map(Tag).ok_or_else(|| format!("'{text}' is not an element's number"))
}

fn direction(text: &str) -> Result<Direction, String> {
    Direction::parse(text).ok_or_else(|| format!("'{text}' is none of up, down, left and right"))
}

/// Words as they stand, or within quotes as JSON has them.
fn words_of(text: &str) -> Result<String, String> {
    let quoted = text.len() >= 2 && text.starts_with('"') && text.ends_with('"');
    let words = if quoted {
        serde_json::from_str(text)
            .map_err(|_| format!("{text} is not quoted well: write \\\" and \\\\ inside"))?
    } else {
        text.to_owned()
    };
    if words.is_empty() { Err("write it like: text 3 hello".to_owned()) } else { Ok(words) }
}

/// The lines of standard input, read in a thread of their own: a read cannot be called off.
pub fn lines() -> mpsc::Receiver<String> {
    let (send, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if send.blocking_send(line).is_err() {
                break;
            }
        }
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read() {
        let call = |line: &str| match read(line) {
            Ok(Typed::Do(DemoAction::Call(call))) => call.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(call("tap 3"), "tap(3)");
        assert_eq!(call("  LONG_PRESS  12 "), "long_press(12)");
        assert_eq!(call("swipe 2 up"), "swipe(2, \"up\", \"medium\")");
        assert_eq!(call("swipe 2 left long"), "swipe(2, \"left\", \"long\")");
        assert_eq!(call("tap(4)"), "tap(4)");
        assert_eq!(call("back"), "back()");
        let text = |line: &str| match read(line) {
            Ok(Typed::Do(DemoAction::Text { tag: Some(tag), text })) => (tag.0, text),
            other => panic!("{other:?}"),
        };
        assert_eq!(text("text 3 two words"), (3, "two words".into()));
        assert_eq!(text(r#"text 3 "a \"b\"\nc""#), (3, "a \"b\"\nc".into()));
        assert_eq!((read("stop"), read(" ")), (Ok(Typed::Stop), Ok(Typed::Blank)));
        for (line, said) in [
            ("tap", "element's number"),
            ("tap 0", "element's number"),
            ("text 3", "text 3 hello"),
            ("swipe 3", "swipe 3 up medium"),
            ("swipe 3 north", "up, down"),
            ("swipe 3 up far", "short, medium"),
            ("fly 3", "no command 'fly'"),
            ("fly(3)", "fly"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.contains(said), "{line}: {error}");
        }
    }
}

//! Reads a reply, and says what had to be mended to read it.
//!
//! A reply has four parts, Observation, Thought, Action and Summary, of which only the Action is needed.
//! Models wrap them in markdown, change their case, forget quotation marks; all of that is read, and each
//! such mend is a line in [`Parsed::repairs`]. What stays unclear is refused with the reason.
//!
//! Invariants: `FINISH` ends a task only as the whole of an action; reading is linear in the reply.

use super::bind::{self, PictureForm};
use super::call::FunctionCall;
use super::lex::{self, Arg, ArgValue, Args, Misread};
use super::sections::{self, Sections};

/// How many Action parts are tried before a reply is refused.
const TRIES: usize = 8;

#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    pub observation: Option<String>,
    pub thought: Option<String>,
    pub summary: Option<String>,
    /// The call, or why there is none: a fragment for the model.
    pub call: Result<FunctionCall, String>,
    pub repairs: Vec<String>,
}

pub fn parse(reply: &str, form: PictureForm) -> Parsed {
    let reply = after_thinking(reply);
    let Sections { observation, thought, mut summary, actions, mut repairs } = sections::split(reply);
    let mut first_error = None;
    for action in actions.iter().take(TRIES) {
        let mut mends = Vec::new();
        match action_call(&action.body, &reply[action.start..], form, &mut mends) {
            Ok((call, rest)) => {
                if summary.is_none() {
                    summary = sections::inline(rest, "summary").map(|(_, text)| text.trim_end().to_owned());
                }
                for mend in mends {
                    note(&mut repairs, mend);
                }
                for (missing, name) in
                    [(&observation, "Observation"), (&thought, "Thought"), (&summary, "Summary")]
                {
                    if missing.is_none() {
                        note(&mut repairs, format!("no {name}"));
                    }
                }
                return Parsed { observation, thought, summary, call: Ok(call), repairs };
            }
            Err(error) => {
                first_error.get_or_insert(error);
            }
        }
    }
    if actions.is_empty() {
        let mut mends = vec!["no Action heading".to_owned()];
        if let Some(call) = bare_call(reply, form, &mut mends) {
            return Parsed { observation, thought, summary, call: Ok(call), repairs: mends };
        }
    }
    let error = first_error.unwrap_or_else(|| match reply.trim() {
        "" => "the reply is empty".to_owned(),
        _ => "the reply has no Action part".to_owned(),
    });
    Parsed { observation, thought, summary, call: Err(error), repairs }
}

pub fn parse_call(text: &str, form: PictureForm) -> Result<FunctionCall, String> {
    action_call(text, text, form, &mut Vec::new()).map(|(call, _)| call)
}

fn note(repairs: &mut Vec<String>, mend: String) {
    if !repairs.contains(&mend) {
        repairs.push(mend);
    }
}

/// The reply without what a reasoning model thought aloud before it.
fn after_thinking(reply: &str) -> &str {
    match reply.rfind("</think>").map(|i| &reply[i + "</think>".len()..]) {
        Some(rest) if !rest.trim().is_empty() => rest,
        _ => reply,
    }
}

/// A call that makes up the whole reply, or its last line.
fn bare_call(reply: &str, form: PictureForm, mends: &mut Vec<String>) -> Option<FunctionCall> {
    let last = reply.lines().rfind(|line| !line.trim().is_empty() && !line.trim().starts_with("```"))?;
    [reply, last].into_iter().find_map(|text| {
        let text = undress(text);
        let whole = is_finish(text) || call_name(text).is_some();
        whole.then(|| action_call(text, text, form, mends).ok()).flatten().map(|(call, _)| call)
    })
}

/// Without fences, backticks, stars and blanks around it.
fn undress(text: &str) -> &str {
    let mut text = text.trim();
    if let Some(fenced) = text.strip_prefix("```") {
        let tagged =
            fenced.find('\n').filter(|i| fenced[..*i].trim().chars().all(|c| c.is_ascii_alphanumeric()));
        text = tagged.map_or(fenced, |i| &fenced[i..]);
    }
    text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '*' | '_' | '-' | '>' | '•'))
        .trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '*' | '_'))
}

fn is_finish(text: &str) -> bool {
    let word = text.trim_matches(|c: char| {
        c.is_whitespace()
            || matches!(c, '`' | '*' | '_' | '"' | '\'' | '.' | '!' | ';' | '“' | '”' | '<' | '>' | '[' | ']')
    });
    word.strip_suffix("()").unwrap_or(word).eq_ignore_ascii_case("finish")
}

/// The call in an action, and what follows it. `body` is the action's part, `rest` the reply from there on.
fn action_call<'a>(
    body: &'a str,
    rest: &'a str,
    form: PictureForm,
    mends: &mut Vec<String>,
) -> Result<(FunctionCall, &'a str), String> {
    let text = undress(body);
    if text.len() != body.trim().len() {
        note(mends, "marks around the action".to_owned());
    }
    let line = text.lines().next().unwrap_or_default();
    if is_finish(line) {
        if text.lines().nth(1).is_some() {
            note(mends, "words after the call".to_owned());
        }
        return Ok((FunctionCall::Finish, ""));
    }
    let Some((function, open)) = call_name(text) else {
        return Err(no_call(line));
    };
    if !text.starts_with(function) {
        note(mends, format!("'{}' read as {function}", text[..open - 1].trim()));
    }
    let mut read = lex::arguments(text, open).map(|args| (args, text));
    if matches!(read, Err(Misread::Quote | Misread::Open)) {
        // A text with line breaks may hold a line that looks like the next part.
        let whole = undress(rest);
        if let Some((name, open)) = call_name(whole)
            && let Ok(args) = lex::arguments(whole, open)
            && name == function
        {
            read = Ok((args, whole));
        }
    }
    let place = bind::text_argument(function);
    let bare = |args: &Args| {
        place.is_some_and(|i| matches!(args.args.get(i).map(|a| &a.value), Some(ArgValue::Bare(_))))
    };
    match read {
        Ok((args, source)) if !bare(&args) => {
            let after =
                source[args.end..].trim_start_matches(|c: char| c.is_whitespace() || ".;`*!_\"'".contains(c));
            if !after.is_empty()
                && sections::inline(after, "summary").is_none_or(|(at, _)| at > 0)
                && source == text
            {
                note(mends, "words after the call".to_owned());
            }
            Ok((bind::bind(function, args.args, form)?, after))
        }
        other => {
            let args = place.and_then(|place| loose(text, open, place));
            match (args, other) {
                (Some(args), _) => {
                    note(mends, "quotation marks".to_owned());
                    Ok((bind::bind(function, args, form)?, ""))
                }
                (None, Ok((args, _))) => Ok((bind::bind(function, args.args, form)?, "")),
                (None, Err(misread)) => Err(format!("in {}: {misread}", shown(line))),
            }
        }
    }
}

fn no_call(line: &str) -> String {
    if line.trim().is_empty() {
        return "the Action part is empty".to_owned();
    }
    if let Some((name, _)) = line.split_once('(') {
        let name = name.trim();
        if !name.is_empty() && name.len() <= 40 && !name.contains(char::is_whitespace) {
            return format!("there is no function {name}");
        }
    }
    format!("the Action part holds no function call: {}", shown(line))
}

fn shown(line: &str) -> String {
    match line.char_indices().nth(80) {
        None => line.to_owned(),
        Some((i, _)) => format!("{}…", &line[..i]),
    }
}

/// Words that may stand before a call.
const LEAD: [&str; 9] = ["call", "function", "use", "run", "do", "execute", "action", "i", "will"];

/// The function that a text begins with, and where its arguments begin.
fn call_name(text: &str) -> Option<(&'static str, usize)> {
    // No name is longer, lead words included.
    let head = text.char_indices().take(60).take_while(|(_, c)| *c != '\n').find(|(_, c)| *c == '(');
    let open = head?.0;
    let written = text[..open].trim();
    let written = written.rsplit_once('.').map_or(written, |(_, name)| name);
    if let Some(name) = bind::function(written) {
        return Some((name, open + 1));
    }
    let (lead, last) = written.rsplit_once([' ', ':'])?;
    let leads = lead
        .split(|c: char| c.is_whitespace() || c == ':')
        .filter(|w| !w.is_empty())
        .all(|w| LEAD.contains(&w.to_ascii_lowercase().as_str()));
    bind::function(last).filter(|_| leads).map(|name| (name, open + 1))
}

/// Arguments of which the last is a text that is not quoted as it should be: up to the last parenthesis.
fn loose(text: &str, open: usize, place: usize) -> Option<Vec<Arg>> {
    let inner = &text[open..];
    let inner = inner.rfind(')').map_or(inner, |end| &inner[..end]);
    let mut args = Vec::new();
    let mut rest = inner;
    for _ in 0..place {
        let (before, after) = rest.split_once(',')?;
        let (name, value) = keyword(before);
        args.push(Arg { name, value: ArgValue::Bare(value.trim_matches(['"', '\'']).trim().to_owned()) });
        rest = after;
    }
    let (name, value) = keyword(rest);
    let mut value = value.trim();
    if let Some(first) = value.chars().next()
        && let Some(closers) = lex::closers(first)
    {
        value = &value[first.len_utf8()..];
        value = value.strip_suffix(closers).unwrap_or(value);
    }
    args.push(Arg { name, value: ArgValue::Quoted(lex::unescape(value)) });
    Some(args)
}

/// Splits `text_input="x"` where the name is that of a parameter for sure.
fn keyword(text: &str) -> (Option<String>, &str) {
    match text.split_once('=') {
        Some((name, value))
            if value.trim_start().starts_with(['"', '\'', '“']) || name.trim() == "element" =>
        {
            (Some(name.trim().to_ascii_lowercase()), value.trim())
        }
        _ => (None, text.trim()),
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;

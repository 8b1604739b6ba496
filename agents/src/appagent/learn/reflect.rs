//! Reads what a model says when it looks back on an action.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::appagent::compat;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ActionVerdict {
    Ineffective,
    /// It led away; go back.
    Back,
    /// Something changed, yet not what was needed.
    Continue,
    Success,
    Unreadable,
}

impl ActionVerdict {
    const WORDS: [(&'static str, Self); 4] = [
        ("INEFFECTIVE", Self::Ineffective),
        ("BACK", Self::Back),
        ("CONTINUE", Self::Continue),
        ("SUCCESS", Self::Success),
    ];

    pub fn name(self) -> &'static str {
        Self::WORDS.iter().find(|(_, v)| *v == self).map_or("UNREADABLE", |(word, _)| word)
    }

    /// The verdict of a word exactly as AppAgent writes it.
    fn exact(text: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(word, _)| *word == text).map(|(_, v)| *v)
    }

    /// The only verdict among the words of a text, whatever their case.
    fn among(text: &str) -> Result<Self, String> {
        let words: Vec<Self> = text
            .split(|c: char| !c.is_ascii_alphabetic())
            .filter_map(|w| Self::exact(&w.to_ascii_uppercase()))
            .collect();
        match words.split_first() {
            None => Err("the decision is none of BACK, INEFFECTIVE, CONTINUE, SUCCESS".to_owned()),
            Some((first, rest)) if rest.iter().all(|w| w == first) => Ok(*first),
            // "SUCCESS, so no need to go BACK": the word that leads counts.
            Some((first, _)) if starts_with(text, first.name()) => Ok(*first),
            Some(_) => Err("the decision names several of BACK, INEFFECTIVE, CONTINUE, SUCCESS".to_owned()),
        }
    }
}

fn starts_with(text: &str, word: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
}

/// What a model says pays, sends or deletes something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sensitive {
    /// The element that was used.
    pub this: bool,
    pub after: BTreeSet<u32>,
}

impl Sensitive {
    /// Reads the text behind the heading: numbers, `this`, or `none`.
    fn read(text: &str) -> Self {
        let words = || text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
        if words()
            .next()
            .is_some_and(|w| ["none", "no", "nothing"].contains(&w.to_ascii_lowercase().as_str()))
        {
            return Self::default();
        }
        Self {
            this: words().any(|w| w.eq_ignore_ascii_case("this")),
            after: words().filter_map(|w| w.parse().ok()).collect(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReflectionReply {
    pub verdict: ActionVerdict,
    pub thought: Option<String>,
    pub documentation: Option<String>,
    /// What must be left alone from now on.
    pub sensitive: Sensitive,
    pub repairs: Vec<String>,
}

/// Reads a reply as AppAgent does: each part is what follows its name and one blank on that line;
/// Decision and Thought must be there, the decision must be one of the four words and nothing else, and
/// all but INEFFECTIVE need a Documentation. `None` is AppAgent's ERROR.
pub fn parse_compat(reply: &str) -> Option<ReflectionReply> {
    let verdict = ActionVerdict::exact(compat::line(reply, "Decision: ")?)?;
    let thought = compat::line(reply, "Thought: ")?.to_owned();
    let documentation = match verdict {
        ActionVerdict::Ineffective => None,
        _ => Some(compat::line(reply, "Documentation: ")?.to_owned()),
    };
    Some(ReflectionReply {
        verdict,
        thought: Some(thought),
        documentation,
        sensitive: Sensitive::default(),
        repairs: Vec::new(),
    })
}

/// Reads a reply however it is dressed: any case, markdown, quotes, code fences, JSON, texts over several
/// lines, a missing Thought.
///
/// # Errors
/// What is wrong, as a fragment for the model: no decision, several, or no Documentation where one is due.
pub fn parse_tolerant(reply: &str) -> Result<ReflectionReply, String> {
    let reply = match reply.rfind("</think>").map(|i| &reply[i + "</think>".len()..]) {
        Some(rest) if !rest.trim().is_empty() => rest,
        _ => reply,
    };
    if reply.trim().is_empty() {
        return Err("the reply is empty".to_owned());
    }
    let mut parts: [Option<String>; 4] = [None, None, None, None];
    let mut repairs: Vec<String> = Vec::new();
    let mut mend = |what: &str| {
        if !repairs.iter().any(|r| r == what) {
            repairs.push(what.to_owned());
        }
    };
    let mut open: Option<usize> = None;
    for line in reply.lines() {
        if line.trim_start().starts_with("```") {
            mend("code fence");
            continue;
        }
        match heading(line) {
            Some((part, text, plain)) => {
                if !plain {
                    mend("headings in another form");
                }
                open = parts[part].is_none().then_some(part);
                if let Some(part) = open {
                    parts[part] = Some(text.to_owned());
                }
            }
            None => {
                if let Some(text) = open.and_then(|part| parts[part].as_mut()) {
                    text.push(' ');
                    text.push_str(line);
                }
            }
        }
    }
    let [decision, thought, documentation, sensitive] =
        parts.map(|p| p.map(|t| clean(&t)).filter(|t| !t.is_empty()));
    let verdict = match &decision {
        Some(text) => {
            if ActionVerdict::exact(text).is_none() {
                mend("words around the decision");
            }
            ActionVerdict::among(text)?
        }
        None => {
            mend("no Decision heading");
            ActionVerdict::among(reply).map_err(|_| "the reply has no Decision part".to_owned())?
        }
    };
    if thought.is_none() {
        mend("no Thought");
    }
    if documentation.is_none() && verdict != ActionVerdict::Ineffective {
        return Err(format!("the reply has no Documentation part, which {} needs", verdict.name()));
    }
    let documentation = documentation.filter(|_| verdict != ActionVerdict::Ineffective);
    let sensitive = sensitive.map(|text| Sensitive::read(&text)).unwrap_or_default();
    Ok(ReflectionReply { verdict, thought, documentation, sensitive, repairs })
}

const HEADINGS: [&str; 4] = ["decision", "thought", "documentation", "sensitive"];

/// The heading of a line: which, the text behind it, and whether it is written as asked.
fn heading(line: &str) -> Option<(usize, &str, bool)> {
    let word = line.trim_start_matches(|c: char| c.is_whitespace() || "#>*-_`\"'{•0123456789.)".contains(c));
    let (part, name) = HEADINGS
        .iter()
        .enumerate()
        .find(|(_, name)| word.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name)))?;
    let rest = word[name.len()..].trim_start_matches(|c: char| c.is_whitespace() || "*_`\"'".contains(c));
    let text = match rest.strip_prefix([':', '：']) {
        Some(text) => text,
        None if rest.is_empty() && line.trim_start().starts_with(['#', '*']) => rest,
        None => return None,
    };
    let plain = line.get(..1).is_some_and(|c| c == name[..1].to_ascii_uppercase()) && text.starts_with(' ');
    Some((part, text, plain))
}

/// A text on one line, without the quotes, stars, backticks and JSON commas around it.
fn clean(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_end_matches([' ', '}']);
    let quoted = text.trim_start_matches(['*', '_', '`', ' ']);
    match quoted.strip_prefix('"') {
        Some(inner) => inner.trim_end_matches([',', ' ']).trim_end_matches('"').replace("\\\"", "\""),
        None => quoted.trim_end_matches(['*', '_', '`', ' ']).to_owned(),
    }
}

#[cfg(test)]
#[path = "reflect_tests.rs"]
mod tests;

//! Finding the recording that a missed request most resembles, and their first difference.

use super::store::{CassetteEntry, CassetteMessage, CassettePart, CassetteRequest};
use crate::model::Speaker;

/// Characters of a differing line that are shown.
const EXCERPT: usize = 80;
/// Characters shown before the first that differs.
const LEAD: usize = 20;

/// The recording whose text begins longest as that of `asked` does, and their first difference.
pub(super) fn nearest(asked: &CassetteRequest, recordings: &[(String, CassetteEntry)]) -> (String, String) {
    let asked_texts = texts(asked);
    let best = recordings.iter().map(|(name, recording)| (name, &recording.request)).max_by_key(
        |(name, recorded)| {
            let shared = shared_beginning(&asked_texts, &texts(recorded));
            let pictures = same_pictures(asked, recorded);
            let frame = usize::from(recorded.model == asked.model)
                + usize::from(recorded.parameters == asked.parameters)
                + usize::from(recorded.max_tokens == asked.max_tokens);
            // Of equals, the first by name.
            (shared, pictures, frame, std::cmp::Reverse(name.as_str()))
        },
    );
    match best {
        Some((name, recorded)) => (name.clone(), difference(recorded, asked)),
        None => ("none".to_owned(), "the cassette is empty; record it first".to_owned()),
    }
}

fn parts(request: &CassetteRequest) -> impl Iterator<Item = &CassettePart> {
    request.messages.iter().flat_map(|message| &message.parts)
}

fn texts(request: &CassetteRequest) -> Vec<&str> {
    parts(request)
        .filter_map(|part| match part {
            CassettePart::Text(text) => Some(text.as_str()),
            CassettePart::Result { words, .. } => Some(words.as_str()),
            CassettePart::PngSha256(_) | CassettePart::Said(_) => None,
        })
        .collect()
}

/// Bytes that two lists of texts have in common from their beginning.
fn shared_beginning(left: &[&str], right: &[&str]) -> usize {
    let mut shared = 0;
    for (left, right) in left.iter().zip(right) {
        let same = common(left, right);
        shared += same;
        if same < left.len() || same < right.len() {
            break;
        }
    }
    shared
}

fn common(left: &str, right: &str) -> usize {
    left.bytes().zip(right.bytes()).take_while(|(left, right)| left == right).count()
}

fn same_pictures(left: &CassetteRequest, right: &CassetteRequest) -> usize {
    let is_picture = |part: &&CassettePart| matches!(part, CassettePart::PngSha256(_));
    parts(left)
        .filter(is_picture)
        .zip(parts(right).filter(is_picture))
        .filter(|(left, right)| left == right)
        .count()
}

/// The first difference, outermost first.
fn difference(recorded: &CassetteRequest, asked: &CassetteRequest) -> String {
    let told =
        |what: &str, recorded: &str, asked: &str| format!("{what}: recorded {recorded}, asked {asked}");
    if recorded.model != asked.model {
        return told("model", &recorded.model, &asked.model);
    }
    if recorded.parameters != asked.parameters {
        return told("parameters", &recorded.parameters.to_string(), &asked.parameters.to_string());
    }
    if recorded.max_tokens != asked.max_tokens {
        return told("max_tokens", &recorded.max_tokens.to_string(), &asked.max_tokens.to_string());
    }
    recorded
        .messages
        .iter()
        .zip(&asked.messages)
        .enumerate()
        .find_map(|(index, (recorded, asked))| message_difference(index + 1, recorded, asked))
        .unwrap_or_else(|| {
            let counts = (recorded.messages.len().to_string(), asked.messages.len().to_string());
            told("number of messages", &counts.0, &counts.1)
        })
}

fn message_difference(number: usize, recorded: &CassetteMessage, asked: &CassetteMessage) -> Option<String> {
    if recorded == asked {
        return None;
    }
    if recorded.speaker != asked.speaker {
        let (recorded, asked) = (speaker(recorded.speaker), speaker(asked.speaker));
        return Some(format!("message {number}: recorded from the {recorded}, asked from the {asked}"));
    }
    let place = format!("message {number} ({})", speaker(asked.speaker));
    let differing =
        recorded.parts.iter().zip(&asked.parts).enumerate().find(|(_, (left, right))| left != right);
    let Some((index, pair)) = differing else {
        let (recorded, asked) = (recorded.parts.len(), asked.parts.len());
        return Some(format!("{place}: recorded with {recorded} parts, asked with {asked}"));
    };
    let part = index + 1;
    Some(match pair {
        (CassettePart::Text(recorded), CassettePart::Text(asked)) => {
            format!("{place}, {}", text_difference(recorded, asked))
        }
        (CassettePart::PngSha256(recorded), CassettePart::PngSha256(asked)) => format!(
            "{place}, part {part}: another picture (sha-256 recorded {}, asked {})",
            recorded.get(..12).unwrap_or(recorded),
            asked.get(..12).unwrap_or(asked)
        ),
        (CassettePart::Said(_), CassettePart::Said(_)) => {
            format!("{place}, part {part}: the model said something else before")
        }
        (CassettePart::Result { words, .. }, CassettePart::Result { words: asked, .. }) if words != asked => {
            format!("{place}, part {part}, {}", text_difference(words, asked))
        }
        (recorded, asked) => {
            format!("{place}, part {part}: recorded is {}, asked {}", kind(recorded), kind(asked))
        }
    })
}

fn kind(part: &CassettePart) -> &'static str {
    match part {
        CassettePart::Text(_) => "a text",
        CassettePart::PngSha256(_) => "a picture",
        CassettePart::Said(_) => "what the model said",
        CassettePart::Result { failed: false, .. } => "the result of a call",
        CassettePart::Result { failed: true, .. } => "the failure of a call",
    }
}

fn speaker(speaker: Speaker) -> &'static str {
    match speaker {
        Speaker::System => "system",
        Speaker::User => "user",
        Speaker::Assistant => "assistant",
    }
}

/// The first line that differs, from shortly before its first differing character.
fn text_difference(recorded: &str, asked: &str) -> String {
    let (mut left, mut right) = (recorded.split('\n'), asked.split('\n'));
    let mut line = 1;
    loop {
        match (left.next(), right.next()) {
            (Some(left), Some(right)) if left == right => line += 1,
            (None, None) => return "no difference".to_owned(),
            (left, right) => {
                let same = common(left.unwrap_or_default(), right.unwrap_or_default());
                let shown = |line: Option<&str>| {
                    line.map_or_else(|| "the end".to_owned(), |line| format!("{:?}", excerpt(line, same)))
                };
                return format!("line {line}: recorded {}, asked {}", shown(left), shown(right));
            }
        }
    }
}

/// The piece of `line` around its byte `at`.
fn excerpt(line: &str, at: usize) -> String {
    let before = line.char_indices().take_while(|(byte, _)| *byte < at).count();
    let start = before.saturating_sub(LEAD);
    let mut piece: String = line.chars().skip(start).take(EXCERPT).collect();
    if start > 0 {
        piece.insert_str(0, "...");
    }
    if line.chars().count() > start + EXCERPT {
        piece.push_str("...");
    }
    piece
}

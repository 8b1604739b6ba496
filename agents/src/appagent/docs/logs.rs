//! AppAgent's `record.txt` and JSONL logs.
//!
//! A record has one line an action, `tap(3):::UID`, `text(3:sep:"hello"):::UID`, `long_press(3):::UID`,
//! `swipe(3:sep:up):::UID`, and ends in `stop`. A log has one JSON object a line, as Python's `json.dumps`
//! writes it. Both are read and written byte for byte.

use std::fmt;
use std::io;

use serde::{Deserialize, Serialize};

use super::Slot;

const SEP: &str = ":sep:";
const UID: &str = ":::";

/// What was done in one line of a record. Tags count from 1 on the picture of that step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Recorded {
    Tap { tag: u32, uid: String },
    Text { tag: u32, text: String, uid: String },
    LongPress { tag: u32, uid: String },
    Swipe { tag: u32, direction: String, uid: String },
    Stop,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the record is not an action: {text}")]
pub struct BadRecord {
    /// From 1.
    pub line: usize,
    pub text: String,
}

impl Recorded {
    pub fn slot(&self) -> Option<Slot> {
        Some(match self {
            Self::Tap { .. } => Slot::Tap,
            Self::Text { .. } => Slot::Text,
            Self::LongPress { .. } => Slot::LongPress,
            Self::Swipe { direction, .. } if direction == "up" || direction == "down" => Slot::VSwipe,
            Self::Swipe { .. } => Slot::HSwipe,
            Self::Stop => return None,
        })
    }

    /// Reads a line; `None` when it is none. A text may hold `)` and `:::`, which AppAgent cannot read.
    pub fn parse(line: &str) -> Option<Self> {
        if line == "stop" {
            return Some(Self::Stop);
        }
        let (name, rest) = line.split_once('(')?;
        if name == "text" {
            let (tag, rest) = rest.split_once(SEP)?;
            // The text is quoted, so the last `"):::` ends it; uids hold no quotation marks in practice.
            let (text, uid) = rest.strip_prefix('"')?.rsplit_once("\"):::")?;
            return Some(Self::Text { tag: tag.parse().ok()?, text: text.into(), uid: uid.into() });
        }
        let (inside, uid) = rest.split_once("):::")?;
        let uid = uid.to_owned();
        Some(match name {
            "tap" => Self::Tap { tag: inside.parse().ok()?, uid },
            "long_press" => Self::LongPress { tag: inside.parse().ok()?, uid },
            "swipe" => {
                let (tag, direction) = inside.split_once(SEP)?;
                Self::Swipe { tag: tag.parse().ok()?, direction: direction.into(), uid }
            }
            _ => return None,
        })
    }
}

impl fmt::Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tap { tag, uid } => write!(f, "tap({tag}){UID}{uid}"),
            Self::Text { tag, text, uid } => write!(f, "text({tag}{SEP}\"{text}\"){UID}{uid}"),
            Self::LongPress { tag, uid } => write!(f, "long_press({tag}){UID}{uid}"),
            Self::Swipe { tag, direction, uid } => write!(f, "swipe({tag}{SEP}{direction}){UID}{uid}"),
            Self::Stop => f.write_str("stop"),
        }
    }
}

/// Reads a record. A text with line breaks goes on over lines, as AppAgent writes it.
pub fn read_record(text: &str) -> Result<Vec<Recorded>, BadRecord> {
    let mut out = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, first)) = lines.next() {
        let mut line = first.to_owned();
        loop {
            if let Some(action) = Recorded::parse(&line) {
                out.push(action);
                break;
            }
            let open = line.starts_with("text(") && !line.contains("\"):::");
            match lines.next().filter(|_| open) {
                Some((_, more)) => {
                    line.push('\n');
                    line.push_str(more);
                }
                None => return Err(BadRecord { line: at + 1, text: first.chars().take(120).collect() }),
            }
        }
    }
    Ok(out)
}

/// Writes a record as AppAgent does: a line break behind every action and behind `stop`.
pub fn write_record(actions: &[Recorded]) -> String {
    actions.iter().map(|a| format!("{a}\n")).collect()
}

/// One line of a JSONL log: any of AppAgent's, with its keys in their order.
pub type LogLine = serde_json::Map<String, serde_json::Value>;

/// Reads a log.
///
/// # Errors
/// The number of the line from 1 and what is wrong with it.
pub fn read_log(text: &str) -> Result<Vec<LogLine>, (usize, String)> {
    text.lines()
        .enumerate()
        .map(|(at, line)| serde_json::from_str(line).map_err(|e| (at + 1, e.to_string())))
        .collect()
}

/// Writes a log as Python's `json.dumps` does: a blank behind colons and commas, ASCII only.
pub fn write_log(lines: &[LogLine]) -> String {
    let mut out = String::new();
    for line in lines {
        let mut bytes = Vec::new();
        let mut to = serde_json::Serializer::with_formatter(&mut bytes, Python);
        // Maps of strings always serialise, and the formatter writes ASCII.
        if line.serialize(&mut to).is_ok() {
            out.push_str(&String::from_utf8_lossy(&bytes));
            out.push('\n');
        }
    }
    out
}

/// The separators and escapes of `json.dumps`.
struct Python;

impl serde_json::ser::Formatter for Python {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { w.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { w.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, w: &mut W) -> io::Result<()> {
        w.write_all(b": ")
    }

    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, w: &mut W, text: &str) -> io::Result<()> {
        for c in text.chars() {
            if matches!(c, ' '..='~') {
                write!(w, "{c}")?;
            } else {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(w, "\\u{unit:04x}")?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_and_logs_come_back_byte_for_byte() {
        let text = "tap(3):::com.app.id_a_2\ntext(4:sep:\"a) :::\nb \\\" c\"):::com.app.id_f_1\n\
                    long_press(1):::x_0\nswipe(2:sep:up):::list_3\nswipe(2:sep:left):::list_3\nstop\n";
        let read = read_record(text).unwrap();
        assert_eq!(read.len(), 6);
        let typed = "a) :::\nb \\\" c".into();
        assert_eq!(read[1], Recorded::Text { tag: 4, text: typed, uid: "com.app.id_f_1".into() });
        let slots: Vec<_> = read.iter().map(Recorded::slot).collect();
        use Slot::{HSwipe, LongPress, Tap, Text, VSwipe};
        assert_eq!(slots, [Some(Tap), Some(Text), Some(LongPress), Some(VSwipe), Some(HSwipe), None]);
        assert_eq!(write_record(&read), text);
        assert_eq!(read_record("tap(1):::a\nfly(2):::b\n").unwrap_err().line, 2);
        // As json.dumps wrote it.
        let text = "{\"step\": 1, \"prompt\": \"a\\n\\\"b\\\" \\u00e9 \\ud83d\\ude00 \\u007f/\", \
                    \"image\": \"1_before_labeled.png\", \"response\": {\"choices\": [1, 2.5, null, true], \"e\": {}}}\n";
        assert_eq!(write_log(&read_log(text).unwrap()), text);
        assert_eq!(read_log("{}\n[").unwrap_err().0, 2);
    }
}

//! A check in one line, as somebody gives it at the command line: `text contains "Saved"`.
//!
//! `KIND [WHAT...] [FIELD=VALUE...] CONDITION VALUE [CONDITION VALUE...]`: the kinds, fields and conditions of a suite's
//! `[[check]]`. Words are parted by blanks; what is quoted is one word, and text.

use serde_json::{Map, Value};
use waldo_devices::Platform;

use super::check::Check;
use super::check_file::CheckFile;
use super::problem::{Problem, suggest};

/// Conditions, whether a value follows, and the field that they are.
const CONDITIONS: [(&str, Follows, &str); 14] = [
    ("equals", Follows::Value, "equals"),
    ("is", Follows::Value, "equals"),
    ("contains", Follows::Value, "contains"),
    ("matches", Follows::Text, "matches"),
    ("length", Follows::Value, "length"),
    ("absent", Follows::Nothing, "absent"),
    ("approx", Follows::Value, "approx"),
    ("tolerance", Follows::Value, "tolerance"),
    ("within", Follows::Value, "tolerance"),
    ("set_equals", Follows::Value, "set_equals"),
    ("one_of", Follows::Value, "one_of"),
    ("number", Follows::Value, "number"),
    ("list", Follows::Value, "list"),
    ("count", Follows::Value, "count"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follows {
    Nothing,
    /// A number, a truth value, a list, or text.
    Value,
    Text,
}

/// What of a kind is named by its place, first what has to be there.
fn placed(kind: &str, platform: Platform) -> &'static [&'static str] {
    match kind {
        "js" => &["expr"],
        "state" => &["pointer"],
        "request" => &["path"],
        "file" if platform.has_pages() => &["name"],
        "file" => &["path"],
        "shell" => &["command", "pointer"],
        "sheet" => &["path", "cell"],
        "document" => &["path", "pointer"],
        "setting" => &["schema", "key"],
        "window" => &["name"],
        "element" => &["role", "name"],
        _ => &[],
    }
}

/// Kinds that need a server of the task's own pages.
const SERVED: [&str; 2] = ["state", "request"];

#[derive(Debug)]
struct LineWord {
    text: String,
    quoted: bool,
}

fn words(line: &str) -> Result<Vec<LineWord>, Problem> {
    let mut all = Vec::new();
    let mut letters = line.chars().peekable();
    loop {
        while letters.next_if(|c| c.is_whitespace()).is_some() {}
        let mut word = LineWord { text: String::new(), quoted: false };
        let Some(first) = letters.peek().copied() else { return Ok(all) };
        if ['"', '\''].contains(&first) {
            letters.next();
            word.quoted = true;
            loop {
                match letters.next() {
                    None => return Err(Problem::new("", format!("a {first} has no end in: {line}"))),
                    Some(end) if end == first => break,
                    Some('\\') if first == '"' => match letters.next() {
                        Some('n') => word.text.push('\n'),
                        Some('t') => word.text.push('\t'),
                        Some(c @ ('"' | '\\')) => word.text.push(c),
                        Some(c) => word.text.extend(['\\', c]),
                        None => {}
                    },
                    Some(c) => word.text.push(c),
                }
            }
        } else {
            // Lists of JSON hold blanks, and a field's value may be quoted.
            let (mut depth, mut within) = (0_i32, None);
            while let Some(c) = letters.next_if(|c| !c.is_whitespace() || depth > 0 || within.is_some()) {
                match (within, c) {
                    (None, '"') => within = Some('"'),
                    (Some(open), c) if c == open => within = None,
                    (None, '[' | '{') => depth += 1,
                    (None, ']' | '}') => depth -= 1,
                    _ => {}
                }
                word.text.push(c);
            }
        }
        all.push(word);
    }
}

fn value(word: &LineWord) -> Value {
    if word.quoted {
        return word.text.clone().into();
    }
    serde_json::from_str(&word.text).unwrap_or_else(|_| word.text.clone().into())
}

fn condition(word: &LineWord) -> Option<(Follows, &'static str)> {
    let found = CONDITIONS.iter().find(|(name, ..)| !word.quoted && *name == word.text)?;
    Some((found.1, found.2))
}

impl Check {
    /// The check that a line says, of a screen of this kind.
    pub fn of_line(line: &str, platform: Platform) -> Result<Self, String> {
        let told = |problem: Problem| match problem.path.as_str() {
            "" | "kind" => problem.message,
            path => format!("{path}: {}", problem.message),
        };
        let given = fields(line, platform).map_err(told)?;
        let kind = given["kind"].as_str().unwrap_or_default().to_owned();
        if SERVED.contains(&kind.as_str()) {
            return Err(format!(
                "'{kind}' looks at the server of a suite's own pages, and there is none here: use text, js or url"
            ));
        }
        let check = CheckFile::read(given).and_then(Self::from_file).map_err(told)?;
        if check.wants_state() {
            return Err(format!(
                "'{kind}' compares an episode's start with its end, which a suite's task has alone"
            ));
        }
        if !check.suits(platform) {
            return Err(format!("there are no checks of the kind '{kind}' on {}", platform.as_str()));
        }
        Ok(check)
    }
}

fn fields(line: &str, platform: Platform) -> Result<Map<String, Value>, Problem> {
    let mut words = words(line)?.into_iter();
    let empty = || Problem::new("", "it is empty: write it like  text contains \"Saved\"");
    let kind = words.next().ok_or_else(empty)?;
    let mut given = Map::new();
    given.insert("kind".to_owned(), kind.text.clone().into());
    let mut places = placed(&kind.text, platform).iter();
    let mut words = words.by_ref().peekable();
    while let Some(word) = words.next() {
        if let Some((follows, field)) = condition(&word) {
            let value = match follows {
                Follows::Nothing => true.into(),
                Follows::Value | Follows::Text => {
                    let nothing = || Problem::new("", format!("nothing follows '{}'", word.text));
                    let next = words.next().ok_or_else(nothing)?;
                    if follows == Follows::Text { next.text.into() } else { value(&next) }
                }
            };
            given.insert(field.to_owned(), value);
            continue;
        }
        let named = (!word.quoted).then(|| word.text.split_once('=')).flatten();
        let named = named
            .filter(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
        if let Some((name, rest)) = named {
            let value = serde_json::from_str(rest).unwrap_or_else(|_| Value::from(rest));
            given.insert(name.to_owned(), value);
            continue;
        }
        match places.next() {
            Some(place) => drop(given.insert((*place).to_owned(), word.text.into())),
            None => {
                let known: Vec<&str> = CONDITIONS.iter().map(|(name, ..)| *name).collect();
                let hint = suggest(&word.text, &known);
                let message =
                    format!("'{}' is not a condition; {hint}. Quote text that has blanks", word.text);
                return Err(Problem::new("", message));
            }
        }
    }
    Ok(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(line: &str, platform: Platform) -> String {
        match Check::of_line(line, platform) {
            Ok(check) => check.what,
            Err(error) => format!("error: {error}"),
        }
    }

    #[test]
    fn a_line_is_a_check_of_a_suite_or_what_is_wrong_is_said() {
        let all = [
            ("text contains \"Saved\"", Platform::Web),
            ("text matches 'Order \\d+'", Platform::Web),
            ("url contains /thanks", Platform::Web),
            ("js \"document.querySelectorAll('li').length\" equals 3", Platform::Web),
            ("js window.x set_equals [1, \"a b\"]", Platform::Web),
            ("file report-*.csv contains 5", Platform::Web),
            ("answer number 12.5 within 0.1", Platform::Web),
            ("shell \"settings get secure ui_night_mode\" equals 2", Platform::Android),
            ("foreground is com.android.settings", Platform::Android),
            ("file notes.txt contains \"milk\\nbread\"", Platform::Desktop),
            ("sheet prices.xlsx B2 equals 31", Platform::Desktop),
            ("window program=mousepad count=1", Platform::Desktop),
            ("file gone.txt absent", Platform::Desktop),
        ];
        let told: Vec<String> = all.iter().map(|(line, platform)| what(line, *platform)).collect();
        assert!(told.iter().all(|text| !text.starts_with("error")), "{told:#?}");
        assert_eq!(told[0], "text of the page contains \"Saved\"");
        assert!(told[9].contains("milk\\nbread"), "{}", told[9]);
        let all = [
            ("", "it is empty"),
            ("text", "needs a condition"),
            ("text contains", "nothing follows 'contains'"),
            ("text contain Saved", "'contain' is not a condition; did you mean 'contains'?"),
            ("text contains Saved it", "'it' is not a condition"),
            ("tex contains x", "unknown name 'tex'"),
            ("text contains \"Saved", "has no end"),
            ("state /a equals 1", "server of a suite's own pages"),
            ("shell \"ls\" equals 1", "no checks of the kind 'shell' on web"),
            ("url matches (", "url"),
        ];
        for (line, part) in all {
            let told = what(line, Platform::Web);
            assert!(told.starts_with("error: ") && (told.contains(part) || part == "url"), "{line}: {told}");
        }
    }
}

//! Drawing the parameters of a task.
//!
//! Invariant: parameters are drawn in the order of the file from one ChaCha stream; each draw takes
//! from the stream by the rules below alone.

use jiff::ToSpan;
use jiff::civil::Date;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use waldo_devices::word_list;

use super::file::ParamFile;
use super::problem::{Problem, join, read};
use super::template::Templates;

/// Names that a parameter may not have: what every template may use anyway, and words of the
/// template language.
const RESERVED: [&str; 17] =
    word_list("origin other_origin true false none and or not in is if else elif for loop self super");

/// The stream that an instance's parameters are drawn from.
pub(super) struct Draw(ChaCha20Rng);

impl Draw {
    pub fn new(seed: u64) -> Self {
        let digest = Sha256::digest(format!("waldo/instance/{seed}").as_bytes());
        Self(ChaCha20Rng::from_seed(digest.into()))
    }

    /// A number below `end`, each equally likely; 0 when `end` is 0.
    fn below(&mut self, end: u64) -> u64 {
        if end < 2 {
            return 0;
        }
        // What lies behind the last full multiple is drawn again, else small numbers come up more often.
        let full = u64::MAX - u64::MAX % end;
        loop {
            let drawn = self.0.next_u64();
            if drawn < full {
                return drawn % end;
            }
        }
    }

    fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).unwrap_or_default()
    }
}

/// Draws all of `params` and adds them to what `templates` may name.
pub(super) fn draw(
    params: &Map<String, Value>,
    templates: &mut Templates,
    draw: &mut Draw,
) -> Result<Value, Problem> {
    let mut drawn = Map::new();
    for (name, spec) in params {
        let path = join("params", name);
        let spec: ParamFile = read(spec).map_err(|problem| problem.below(&path))?;
        let value = one(&spec, templates, draw, &path)?;
        templates.define(name, value.clone());
        drawn.insert(name.clone(), value);
    }
    Ok(Value::Object(drawn))
}

fn one(spec: &ParamFile, templates: &Templates, draw: &mut Draw, path: &str) -> Result<Value, Problem> {
    match spec {
        ParamFile::Choose(list) => choose(list, templates, draw, &join(path, "choose")),
        ParamFile::Pick(list) => {
            let n = draw.index(list.len());
            let table = list.get(n).ok_or_else(|| Problem::new(path, "pick needs at least one table"))?;
            templates.map(table, &format!("{path}.pick[{n}]")).map(Value::Object)
        }
        ParamFile::Int([low, high]) => {
            let span = high.checked_sub(*low).and_then(|span| u64::try_from(span).ok());
            let Some(span) = span.filter(|span| *span < u64::MAX / 2) else {
                return Err(Problem::new(path, format!("int needs [low, high], not [{low}, {high}]")));
            };
            let offset = i64::try_from(draw.below(span + 1)).unwrap_or_default();
            Ok((low + offset).into())
        }
        ParamFile::Date([first, last]) => date(first, last, draw, path),
        ParamFile::Sample { from, n } => {
            if *n > from.len() {
                let message = format!("n is {n}, but there are only {} to draw from", from.len());
                return Err(Problem::new(join(path, "sample"), message));
            }
            let mut left: Vec<&Value> = from.iter().collect();
            (0..*n)
                .map(|_| {
                    let at = draw.index(left.len());
                    templates.value(left.remove(at), &join(path, "sample.from"))
                })
                .collect()
        }
        ParamFile::Text(template) => templates.text(template, &join(path, "text")).map(Value::String),
    }
}

fn choose(list: &[Value], templates: &Templates, draw: &mut Draw, path: &str) -> Result<Value, Problem> {
    let n = draw.index(list.len());
    let value = list.get(n).ok_or_else(|| Problem::new(path, "at least one value is needed"))?;
    templates.value(value, &format!("{path}[{n}]"))
}

fn date(first: &str, last: &str, draw: &mut Draw, path: &str) -> Result<Value, Problem> {
    let day = |text: &str| {
        text.parse::<Date>()
            .map_err(|_| Problem::new(join(path, "date"), format!("'{text}' is not a day as YYYY-MM-DD")))
    };
    let (from, to) = (day(first)?, day(last)?);
    let days = from.until(to).ok().and_then(|span| u64::try_from(span.get_days()).ok());
    let days = days.ok_or_else(|| Problem::new(join(path, "date"), format!("{last} is before {first}")))?;
    let offset = i64::try_from(draw.below(days + 1)).unwrap_or_default();
    from.checked_add(offset.days())
        .map(|day| Value::String(day.to_string()))
        .map_err(|error| Problem::new(join(path, "date"), error.to_string()))
}

/// What the drawing of one seed does not show: bad names, and tables of a `pick` that differ in keys.
pub(super) fn validate(params: &Map<String, Value>) -> Result<(), Problem> {
    for (name, spec) in params {
        let path = join("params", name);
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !plain {
            let message = "a parameter's name is made of letters, digits and underscores";
            return Err(Problem::new(path, message));
        }
        if RESERVED.contains(&name.as_str()) {
            return Err(Problem::new(path, format!("'{name}' is a reserved name in templates")));
        }
        let spec: ParamFile = read(spec).map_err(|problem| problem.below(&path))?;
        match spec {
            ParamFile::Choose(list) if list.is_empty() => {
                return Err(Problem::new(join(&path, "choose"), "at least one value is needed"));
            }
            ParamFile::Pick(list) => same_keys(&list, &join(&path, "pick"))?,
            _ => {}
        }
    }
    Ok(())
}

fn same_keys(list: &[Map<String, Value>], path: &str) -> Result<(), Problem> {
    let first = list.first().ok_or_else(|| Problem::new(path, "at least one table is needed"))?;
    for (n, table) in list.iter().enumerate() {
        let odd = first
            .keys()
            .find(|key| !table.contains_key(*key))
            .or_else(|| table.keys().find(|key| !first.contains_key(*key)));
        if let Some(key) = odd {
            let message = format!("only some of the tables have '{key}'; all need the same keys");
            return Err(Problem::new(format!("{path}[{n}]"), message));
        }
    }
    Ok(())
}

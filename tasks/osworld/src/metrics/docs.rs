//! `docs.py`: what text documents say.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::fault::{OsworldFault, Result, Score, score};
use super::super::ooxml::docx::Document;
use super::super::ooxml::odt;
use super::super::py::{self, text};
use super::general::gold;
use super::{MetricCall, Switch};

/// A document; nothing where the original's library does not read it.
pub(crate) fn readable<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(OsworldFault::Raised(_)) => Ok(None),
        Err(other) => Err(other),
    }
}

/// Both documents; nothing when one was not given or the result cannot be read.
pub fn both(call: &MetricCall) -> Result<Option<(Document, Document)>> {
    let Some(path) = call.path() else { return Ok(None) };
    let wanted = call.gold()?;
    let Some(found) = readable(Document::open(path))? else { return Ok(None) };
    Ok(Some((found, Document::open(wanted).map_err(gold)?)))
}

type Paragraphs = Vec<String>;

/// The paragraphs of both documents; nothing where they are not two of a kind.
fn texts(call: &MetricCall) -> Result<Option<(Paragraphs, Paragraphs)>> {
    let Some(path) = call.path() else { return Ok(None) };
    let wanted = call.gold()?;
    let ends = |end: &str| {
        let has = |path: &std::path::Path| path.to_string_lossy().ends_with(end);
        has(path) && has(wanted)
    };
    let owned = |document: &Document| document.texts().into_iter().map(str::to_owned).collect();
    if ends(".docx") {
        Ok(both(call)?.map(|(a, b)| (owned(&a), owned(&b))))
    } else if ends(".odt") {
        let Some(found) = readable(odt::paragraphs(path))? else { return Ok(None) };
        Ok(Some((found, odt::paragraphs(wanted).map_err(gold)?)))
    } else {
        Ok(None)
    }
}

pub fn compare_docx_files(call: &MetricCall) -> Score {
    let Some((mut found, mut wanted)) = texts(call)? else { return Ok(0.0) };
    for side in [&mut found, &mut wanted] {
        if call.switch("ignore_order", Switch::Off) {
            side.sort();
        }
        if call.switch("delete_empty_lines", Switch::Off) {
            side.retain(|line| !text::strip(line).is_empty());
        }
    }
    let fold = |line: &str| {
        if call.switch("ignore_case", Switch::Off) { line.to_lowercase() } else { line.to_owned() }
    };
    let whole = |side: &[String]| fold(&text::one_spaced(&side.join("\n")));
    if call.switch("content_only", Switch::Off) {
        return Ok(py::fuzz::ratio(&whole(&found), &whole(&wanted)));
    }
    let fuzzy = call.switch("fuzzy_match", Switch::Off);
    if call.switch("ignore_blanks", Switch::On) {
        let (found, wanted) = (whole(&found), whole(&wanted));
        return Ok(if fuzzy { py::fuzz::ratio(&found, &wanted) } else { score(found == wanted) });
    }
    if found.len() != wanted.len() {
        return Ok(0.0);
    }
    let pairs = found.iter().zip(&wanted).map(|(a, b)| (fold(a), fold(b)));
    if !fuzzy {
        return Ok(score(pairs.into_iter().all(|(a, b)| a == b)));
    }
    if found.is_empty() {
        return Ok(1.0);
    }
    let total: f64 = pairs.map(|(a, b)| py::fuzz::ratio(&a, &b)).sum();
    #[expect(clippy::cast_precision_loss, reason = "documents are small")]
    Ok(total / found.len() as f64)
}

/// `compare_docx_files_and_ignore_new_lines`: empty paragraphs are left out.
pub(crate) fn compare_docx_files_and_ignore_new_lines(call: &MetricCall) -> Score {
    let name = call.path().map(text::name).unwrap_or_default();
    if !name.ends_with(".docx") {
        return Ok(0.0);
    }
    let Some((mut found, mut wanted)) = texts(call)? else { return Ok(0.0) };
    found.retain(|line| !line.is_empty());
    wanted.retain(|line| !line.is_empty());
    if call.switch("ignore_blanks", Switch::On) {
        return Ok(score(text::one_spaced(&found.join("\n")) == text::one_spaced(&wanted.join("\n"))));
    }
    Ok(score(found == wanted))
}

/// `compare_init_lines`: the paragraphs up to the end of the shorter document.
pub(crate) fn compare_init_lines(call: &MetricCall) -> Score {
    let Some((found, wanted)) = both(call)? else { return Ok(0.0) };
    Ok(score(found.texts().iter().zip(wanted.texts()).all(|(a, b)| *a == b)))
}

/// `compare_docx_lines`: the same lines in any order and number.
pub(crate) fn compare_docx_lines(call: &MetricCall) -> Score {
    let Some((found, wanted)) = both(call)? else { return Ok(0.0) };
    Ok(score(lines(&found) == lines(&wanted)))
}

fn lines(document: &Document) -> BTreeSet<String> {
    let all = document.texts().into_iter().map(text::strip).filter(|line| !line.is_empty());
    all.map(str::to_owned).collect()
}

/// `compare_docx_tables`: the same tables of the body, by the texts of their cells; of the rows that
/// `ignore_case_rows` counts (from 0) without regard to case.
pub(crate) fn compare_docx_tables(call: &MetricCall) -> Score {
    let Some((found, wanted)) = both(call)? else { return Ok(0.0) };
    if found.tables.len() != wanted.tables.len() {
        return Ok(0.0);
    }
    let loose = call.options.get("ignore_case_rows").and_then(serde_json::Value::as_array);
    let any_case = |row: usize| loose.is_some_and(|rows| rows.iter().any(|n| n.as_u64() == Some(row as u64)));
    for (a, b) in found.tables.iter().zip(&wanted.tables) {
        if (a.rows, a.columns) != (b.rows, b.columns) {
            return Ok(0.0);
        }
        for (row, column) in (0..a.rows).flat_map(|row| (0..a.columns).map(move |column| (row, column))) {
            let (Some(x), Some(y)) = (a.text(row, column), b.text(row, column)) else {
                return Err(OsworldFault::raised(format!("a table has no cell {row}, {column}")));
            };
            let (x, y) = (text::strip(&x), text::strip(&y));
            if x != y && (!any_case(row) || x.to_lowercase() != y.to_lowercase()) {
                return Ok(0.0);
            }
        }
    }
    Ok(1.0)
}

/// `compare_references`: how alike the paragraphs behind the heading are, above a base.
pub(crate) fn compare_references(call: &MetricCall) -> Score {
    let name = call.path().map(text::name).unwrap_or_default();
    if !name.ends_with(".docx") {
        return Ok(0.0);
    }
    let Some((found, wanted)) = texts(call)? else { return Ok(0.0) };
    let heading = call.options.get("reference_indicator").and_then(Value::as_str).unwrap_or("References");
    let base = call.options.get("reference_base_result").and_then(Value::as_f64).unwrap_or(0.5);
    let list = |side: &[String]| -> Option<Vec<String>> {
        let at = side.iter().position(|line| line == heading)?;
        let rest = side.iter().skip(at + 1).filter(|line| !text::strip(line).is_empty());
        Some(rest.cloned().collect())
    };
    let (found, wanted) = match (list(&found), list(&wanted)) {
        (None, None) => return Ok(1.0),
        (Some(found), Some(wanted)) => (found, wanted),
        _ => return Ok(0.0),
    };
    if found.len() != wanted.len() {
        return Ok(0.0);
    }
    if found.is_empty() {
        return Err(OsworldFault::raised("there are no references"));
    }
    let total: f64 = found.iter().zip(&wanted).map(|(a, b)| py::fuzz::ratio(a, b)).sum();
    #[expect(clippy::cast_precision_loss, reason = "documents are small")]
    let mean = total / found.len() as f64;
    Ok(if mean >= base + 0.01 { (mean - base) / (1.0 - base) } else { 0.0 })
}

/// `fuzzy_place_math` (`general.py`): three words, each like one of the expected.
pub(crate) fn fuzzy_place_math(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let document = Document::open(path)?;
    let expected = call.rule("expected")?;
    let wanted: Vec<&str> =
        super::vscode::one_or_more(expected).into_iter().filter_map(Value::as_str).collect();
    let best = |word: &str| wanted.iter().map(|answer| py::fuzz::ratio(word, answer)).fold(0.0, f64::max);
    let words: Vec<f64> = document.texts().into_iter().flat_map(text::words).map(best).collect();
    Ok(if words.len() == 3 { words.iter().sum::<f64>() / 3.0 } else { 0.0 })
}

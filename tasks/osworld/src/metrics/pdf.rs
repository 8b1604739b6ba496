//! `pdf.py`, `chrome.py`, `general.py`: PDF documents.
//!
//! The texts are read by another library than the original's: documents that say the same score 1, and of others
//! it is not said how much they are alike.

use serde_json::Value;

use super::super::fault::{OsworldFault, Result, Score, score};
use super::super::pdf_text;
use super::super::py::{self, text};
use super::MetricCall;
use super::general::gold;

/// `compare_pdfs`: the mean likeness of the texts of pairs; a pair that cannot be read adds nothing.
pub(crate) fn compare_pdfs(call: &MetricCall) -> Score {
    let list = |value: &Value| match value {
        Value::Array(all) => all.clone(),
        one => vec![one.clone()],
    };
    let expected = call.rules()?;
    let (found, wanted) = if expected.is_array() {
        (list(&call.result), list(expected))
    } else {
        (vec![call.result.clone()], vec![expected.clone()])
    };
    if wanted.is_empty() {
        return Err(OsworldFault::Expected("there is nothing to compare with".into()));
    }
    let mut total = 0.0;
    for (found, wanted) in found.iter().zip(&wanted) {
        let wanted = wanted.as_str().ok_or_else(|| OsworldFault::Expected("a document is missing".into()))?;
        let wanted = text::read_bytes(wanted.as_ref()).map_err(gold)?;
        let found = match found.as_str() {
            Some(path) => match text::read_bytes(path.as_ref()) {
                // The original's library opens texts, pages and office documents, too.
                Ok(bytes) if !path.ends_with(".pdf") && !bytes.starts_with(b"%PDF") => {
                    return Err(OsworldFault::Unsupported("a document that is not a PDF document".into()));
                }
                Ok(bytes) => Some(bytes),
                Err(_) => continue,
            },
            // The original opens a new document without text.
            None => None,
        };
        total += likeness(found.as_deref(), &wanted)?;
    }
    #[expect(clippy::cast_precision_loss, reason = "there are few documents")]
    Ok(total / wanted.len() as f64)
}

/// How much the texts of two documents are alike, where that is certain.
fn likeness(found: Option<&[u8]>, wanted: &[u8]) -> Score {
    let words = |bytes: &[u8]| pdf_text::pages(bytes).map(|pages| text::strip(&pages.concat()).to_owned());
    // What has no objects is not a document, and adds nothing.
    if found.is_some_and(|found| !found.windows(4).any(|part| part == b" obj")) {
        return Ok(0.0);
    }
    let wanted_words = words(wanted).map_err(gold)?;
    match found.map(words).transpose() {
        Ok(None) => Ok(score(wanted_words.is_empty())),
        Ok(Some(_)) if found == Some(wanted) => Ok(1.0),
        Ok(Some(words)) if !words.is_empty() && words == wanted_words => Ok(1.0),
        _ => Err(OsworldFault::Unsupported("the likeness of different PDF documents".into())),
    }
}

/// Whether two documents say nearly the same (`vscode.py`: `compare_pdf_content`).
pub fn alike(a: &[u8], b: &[u8], threshold: f64) -> Result<bool> {
    let chars =
        |bytes: &[u8]| -> Result<Vec<char>> { Ok(pdf_text::pages(bytes)?.concat().chars().collect()) };
    let found = py::difflib::ratio(&chars(a)?, &chars(b)?);
    // The libraries differ by some blanks and breaks.
    if a != b && (found - threshold).abs() < 0.1 {
        return Err(OsworldFault::Unsupported("the likeness of different PDF documents".into()));
    }
    Ok(found >= threshold)
}

pub(crate) fn check_pdf_pages(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let pages = pdf_text::count(&text::read_bytes(path)?)?;
    let wanted = call.rule("ref_value")?.as_i64().unwrap_or_default();
    let pages = i64::try_from(pages).unwrap_or(i64::MAX);
    let holds = match call.rule("relation")?.as_str() {
        Some("eq") => pages == wanted,
        Some("ne") => pages != wanted,
        Some("lt") => pages < wanted,
        Some("le") => pages <= wanted,
        Some("gt") => pages > wanted,
        Some("ge") => pages >= wanted,
        other => return Err(OsworldFault::Unsupported(format!("relation {other:?}"))),
    };
    Ok(score(holds))
}

/// `is_gold_text_included_in_pdf`: every text of a JSON file is in the document.
pub(crate) fn is_gold_text_included_in_pdf(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let wanted: Value = serde_json::from_str(&text::read(call.gold()?).map_err(gold)?)
        .map_err(|e| OsworldFault::Expected(e.to_string()))?;
    let words = pdf_text::pages(&text::read_bytes(path)?)?.concat();
    let mut all = wanted.as_object().into_iter().flatten().filter_map(|(_, text)| text.as_str());
    Ok(score(all.all(|part| words.contains(part))))
}

//! `docs.py`: how text documents look, and checks made for one task each.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::super::fault::{OsworldFault, Result, Score, score};
use super::super::ooxml::docx::{Document, Paragraph, Run, Spacing};
use super::super::ooxml::odt;
use super::super::picture::{self, delta_e};
use super::super::py::text;
use super::MetricCall;
use super::docs::{both, compare_docx_files, readable};
use super::general::gold;

/// The document alone; nothing when it was not given or cannot be read.
fn one(call: &MetricCall) -> Result<Option<Document>> {
    call.path().map_or(Ok(None), |path| readable(Document::open(path)))
}

/// Whether both documents say the same, by the defaults.
fn same_text(call: &MetricCall) -> Result<bool> {
    let plain = MetricCall { options: serde_json::Map::new(), ..call.clone() };
    Ok(compare_docx_files(&plain)? != 0.0)
}

/// Both documents where they say the same, by the defaults.
fn both_alike(call: &MetricCall) -> Result<Option<(Document, Document)>> {
    if call.path().is_some() && same_text(call)? { both(call) } else { Ok(None) }
}

fn one_alike(call: &MetricCall) -> Result<Option<Document>> {
    if call.path().is_some() && same_text(call)? { one(call) } else { Ok(None) }
}

fn run_pairs<'a>(a: &'a Document, b: &'a Document) -> impl Iterator<Item = (&'a Run, &'a Run)> {
    a.paragraphs.iter().zip(&b.paragraphs).flat_map(|(a, b)| a.runs.iter().zip(&b.runs))
}

pub(crate) fn contains_page_break(call: &MetricCall) -> Score {
    let Some(document) = one(call)? else { return Ok(0.0) };
    let runs = document.paragraphs.iter().flat_map(|p| &p.runs);
    let breaks: usize = runs.map(|run| run.page_breaks).sum();
    let wanted = call.expected.as_ref().and_then(|rules| rules.get("page_break_count"));
    let wanted = wanted.and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    Ok(score(breaks > 0 && wanted.is_none_or(|wanted| wanted == breaks)))
}

/// `compare_docx_images`: the pictures in their order, pixel by pixel.
pub(crate) fn compare_docx_images(call: &MetricCall) -> Score {
    let Some((found, wanted)) = both(call)? else { return Ok(0.0) };
    if found.pictures.len() != wanted.pictures.len() {
        return Ok(0.0);
    }
    for (a, b) in found.pictures.iter().zip(&wanted.pictures) {
        if a != b && picture::raw(a)? != picture::raw(b)? {
            return Ok(0.0);
        }
    }
    Ok(1.0)
}

pub(crate) fn compare_line_spacing(call: &MetricCall) -> Score {
    let Some((found, wanted)) = both_alike(call)? else { return Ok(0.0) };
    let spacing = |document: &Document| -> Vec<Option<Spacing>> {
        document.paragraphs.iter().map(|paragraph| paragraph.spacing).collect()
    };
    Ok(score(spacing(&found) == spacing(&wanted)))
}

/// `compare_insert_equation`: some run holds an object in both.
pub(crate) fn compare_insert_equation(call: &MetricCall) -> Score {
    let Some((found, wanted)) = both_alike(call)? else { return Ok(0.0) };
    Ok(score(run_pairs(&found, &wanted).any(|(a, b)| a.object && b.object)))
}

/// `compare_font_names`: every run has this font.
pub(crate) fn compare_font_names(call: &MetricCall) -> Score {
    let Some(document) = one(call)? else { return Ok(0.0) };
    let wanted = call.rule("font_name")?.as_str();
    let mut runs = document.paragraphs.iter().flat_map(|p| &p.runs);
    Ok(score(runs.all(|run| run.font.as_deref() == wanted)))
}

pub(crate) fn compare_subscript_contains(call: &MetricCall) -> Score {
    let Some((found, wanted)) = both(call)? else { return Ok(0.0) };
    Ok(score(run_pairs(&found, &wanted).any(|(a, b)| a.subscript && b.subscript)))
}

/// `compare_contains_image`: pictures stand in the same runs.
pub(crate) fn compare_contains_image(call: &MetricCall) -> Score {
    let Some((found, wanted)) = both(call)? else { return Ok(0.0) };
    Ok(score(run_pairs(&found, &wanted).all(|(a, b)| a.graphic == b.graphic)))
}

/// `has_page_numbers_in_footers`: a digit in the first paragraph of each section's footer.
pub(crate) fn has_page_numbers_in_footers(call: &MetricCall) -> Score {
    let Some(document) = one(call)? else { return Ok(0.0) };
    let numbered = |paragraphs: &Option<Vec<Paragraph>>| {
        let first = paragraphs.as_ref().and_then(|all| all.first());
        first.is_some_and(|paragraph| paragraph.text.chars().any(text::is_digit))
    };
    Ok(score(document.sections.iter().all(|section| numbered(&section.footer))))
}

pub(crate) fn is_first_line_centered(call: &MetricCall) -> Score {
    let Some(document) = one(call)? else { return Ok(0.0) };
    let first = document.paragraphs.first().ok_or_else(|| OsworldFault::raised("the document is empty"))?;
    let known = "left center right both distribute mediumKashida highKashida lowKashida thaiDistribute";
    match first.alignment.as_deref() {
        Some(other) if !known.split(' ').any(|one| one == other) => {
            Err(OsworldFault::raised(format!("python-docx knows no alignment '{other}'")))
        }
        alignment => Ok(score(alignment == Some("center"))),
    }
}

/// `check_file_exists`: a folder and a name.
pub(crate) fn check_file_exists(call: &MetricCall) -> Score {
    if call.result.as_str() == Some("") {
        return Err(OsworldFault::Unsupported("a folder without a name".into()));
    }
    let (Some(folder), Some(name)) = (call.path(), call.expected.as_ref().and_then(Value::as_str)) else {
        return Ok(0.0);
    };
    Ok(score(folder.join(name).is_file()))
}

/// `check_tabstops`: the same tabulators, less what they are apart as a share of the line.
pub(crate) fn check_tabstops(call: &MetricCall) -> Score {
    let Some((found, wanted)) = both(call)? else { return Ok(0.0) };
    let full = |document: &Document| -> Vec<Paragraph> {
        document.paragraphs.iter().filter(|p| !text::strip(&p.text).is_empty()).cloned().collect()
    };
    let (a, b) = (full(&found), full(&wanted));
    if a.len() != b.len() {
        return Ok(0.0);
    }
    if let Some(number) = call.options.get("word_number_split_by_tabstop").and_then(Value::as_u64) {
        let index = call.options.get("index").and_then(Value::as_u64).unwrap_or(0);
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        for paragraph in &a {
            let part = paragraph.text.split('\t').nth(index);
            let part = part.ok_or_else(|| OsworldFault::raised(format!("a line has no part {index}")))?;
            if u64::try_from(text::words(part).len()) != Ok(number) {
                return Ok(0.0);
            }
        }
    }
    let width = wanted.sections.first().map_or(Some(0), |section| section.width);
    let width = width.ok_or_else(|| OsworldFault::raised("the page has no width or no margins"))?;
    if width == 0 || a.is_empty() {
        return Err(OsworldFault::raised("the documents have no lines to measure"));
    }
    let mut apart = 0.0;
    for (a, b) in a.iter().zip(&b) {
        let real = |p: &Paragraph| {
            let known = ["left", "center", "right", "decimal", "bar", "list", "clear", "end", "num", "start"];
            if let Some(tab) = p.tabs.iter().find(|t| !known.contains(&t.alignment.as_str())) {
                return Err(OsworldFault::raised(format!(
                    "python-docx knows no tabulator '{}'",
                    tab.alignment
                )));
            }
            let kept = p
                .tabs
                .iter()
                .filter(|t| t.alignment != "clear" && !(t.alignment == "left" && t.position == 0));
            Ok(kept.cloned().collect::<Vec<_>>())
        };
        // `python-docx` gives tabulators by their place.
        let (mut a, mut b) = (real(a)?, real(b)?);
        if a.len() != b.len() {
            return Ok(0.0);
        }
        a.sort_by_key(|tab| tab.position);
        b.sort_by_key(|tab| tab.position);
        let mut sum = 0;
        for (a, b) in a.iter().zip(&b) {
            if a.alignment != b.alignment {
                return Ok(0.0);
            }
            sum += (a.position - b.position).abs();
        }
        #[expect(clippy::cast_precision_loss, reason = "lengths are small")]
        let share = sum as f64 / width as f64;
        apart += share;
    }
    #[expect(clippy::cast_precision_loss, reason = "documents are small")]
    Ok(1.0 - apart / a.len() as f64)
}

/// `evaluate_colored_words_in_tables`: words that start with a vowel are red, others blue.
pub(crate) fn evaluate_colored_words_in_tables(call: &MetricCall) -> Score {
    let Some(document) = one_alike(call)? else { return Ok(0.0) };
    let threshold = call.options.get("threshold").and_then(Value::as_f64).unwrap_or(3.5);
    let paragraphs = document.tables.iter().flat_map(|table| &table.cells).flatten();
    for run in paragraphs.flat_map(|paragraph| &paragraph.runs) {
        let Some(first) = run.text.chars().next() else { continue };
        let vowel = first.to_lowercase().all(|c| "aeiou".contains(c));
        let color = run.color.as_deref().and_then(picture::parse_rgb);
        let color =
            color.ok_or_else(|| OsworldFault::raised("a word of a table has no colour of its own"))?;
        let wanted = if vowel { [255, 0, 0] } else { [0, 0, 255] };
        if delta_e(color, wanted) > threshold {
            return Ok(0.0);
        }
    }
    Ok(1.0)
}

/// `check_highlighted_words`: nothing has a yellow background any more.
pub(crate) fn check_highlighted_words(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    if !same_text(call)? {
        return Ok(0.0);
    }
    Ok(score(!odt::has_background(path, "#ffff00")?))
}

pub(crate) fn evaluate_strike_through_last_paragraph(call: &MetricCall) -> Score {
    let Some(document) = one_alike(call)? else { return Ok(0.0) };
    let last = document.paragraphs.last().ok_or_else(|| OsworldFault::raised("the document is empty"))?;
    Ok(score(last.runs.iter().all(|run| run.strike)))
}

/// `evaluate_conversion`: nothing is in capitals.
pub(crate) fn evaluate_conversion(call: &MetricCall) -> Score {
    let Some(document) = one(call)? else { return Ok(0.0) };
    let tables = document.tables.iter().flat_map(|table| &table.cells).flatten();
    let mut runs = tables.chain(&document.paragraphs).flat_map(|paragraph| &paragraph.runs);
    let capitals = |text: &str| text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase);
    Ok(score(!runs.any(|run| capitals(&run.text))))
}

/// `evaluate_spacing`: single, double, one and a half.
pub(crate) fn evaluate_spacing(call: &MetricCall) -> Score {
    let Some(document) = one(call)? else { return Ok(0.0) };
    let wanted = [1.0, 2.0, 1.5].map(|n| Some(Spacing::Multiple(n)));
    if document.paragraphs.len() < 3 {
        return Err(OsworldFault::raised("the document has fewer than three paragraphs"));
    }
    Ok(score(document.paragraphs.iter().zip(wanted).all(|(p, wanted)| p.spacing == wanted)))
}

pub(crate) fn check_italic_font_size_14(call: &MetricCall) -> Score {
    let Some(document) = one_alike(call)? else { return Ok(0.0) };
    let mut runs = document.paragraphs.iter().flat_map(|p| &p.runs).filter(|run| run.italic);
    Ok(score(runs.all(|run| run.size == Some(28.0))))
}

/// `evaluate_alignment`: in each sentence, the first three words stand apart from the rest.
pub(crate) fn evaluate_alignment(call: &MetricCall) -> Score {
    let Some(document) = one(call)? else { return Ok(0.0) };
    for sentence in document.texts().into_iter().flat_map(|text| text.split('.')) {
        let words = text::words(sentence);
        let Some((head, tail)) = words.split_at_checked(3) else { continue };
        let (head, tail) = (head.join(" "), tail.join(" "));
        let (Some(a), Some(b)) = (sentence.find(&head), sentence.find(&tail)) else { return Ok(0.0) };
        if a >= b {
            return Ok(0.0);
        }
    }
    Ok(1.0)
}

/// The second of four parts of each line that has four.
fn train_ids(lines: &[&str]) -> Vec<String> {
    let parts = lines.iter().map(|line| line.split(',').collect::<Vec<_>>());
    parts.filter(|p| p.len() == 4).filter_map(|p| p.get(1).map(|id| text::strip(id).to_owned())).collect()
}

/// `check_no_duplicates`: the second document has each train of the first once.
pub(crate) fn check_no_duplicates(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let first = readable(Document::open(path))?.map(|first| train_ids(&first.texts())).unwrap_or_default();
    let second = Document::open(call.gold()?).map_err(gold)?;
    let ids = train_ids(&second.texts());
    let all: BTreeSet<&String> = ids.iter().collect();
    Ok(score(all.len() == ids.len() && all == first.iter().collect()))
}

/// `compare_unique_train_records`: only lines of the initial file, each train of the gold file once.
pub(crate) fn compare_unique_train_records(call: &MetricCall) -> Score {
    let files = call.expected.as_ref().and_then(Value::as_array).filter(|files| files.len() >= 2);
    let (Some(path), Some(files)) = (call.path(), files) else { return Ok(0.0) };
    let lines = |path: &std::path::Path| -> Result<Vec<String>> {
        let document = Document::open(path)?;
        let all = document.texts().into_iter().map(text::strip).filter(|line| !line.is_empty());
        Ok(all.map(str::to_owned).collect())
    };
    let file = |at: usize| -> Result<Vec<String>> {
        let path = files.get(at).and_then(Value::as_str);
        lines(path.ok_or_else(|| OsworldFault::Expected("a file is missing".into()))?.as_ref()).map_err(gold)
    };
    let Some(found) = readable(lines(path))? else { return Ok(0.0) };
    let (gold_lines, initial) = (file(0)?, file(1)?);
    let initial: HashSet<String> = initial.into_iter().collect();
    let ids = |lines: &[String]| train_ids(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let (found_ids, gold_ids) = (ids(&found), ids(&gold_lines));
    let set = |ids: &[String]| ids.iter().cloned().collect::<BTreeSet<_>>();
    Ok(score(
        found.iter().all(|line| initial.contains(line))
            && set(&found_ids).len() == found_ids.len()
            && set(&found_ids) == set(&gold_ids)
            && found.len() == gold_lines.len(),
    ))
}

/// `compare_highlighted_text`: the same highlighted runs, by their first text.
pub(crate) fn compare_highlighted_text(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let of = |path: &std::path::Path| -> Result<BTreeSet<String>> {
        let package = super::super::ooxml::Package::open(path)?;
        let part = "word/document.xml";
        let xml = super::super::ooxml::package::parse(part, package.text(part)?)?;
        let w = super::super::ooxml::docx::W;
        let marked = |n: &roxmltree::Node| {
            let mark = n.descendants().find(|n| n.has_tag_name((w, "highlight")));
            mark.is_some_and(|mark| mark.attribute((w, "val")) != Some("none"))
        };
        let runs = xml.descendants().filter(|n| n.has_tag_name((w, "r")) && marked(n));
        let first = |n: roxmltree::Node| {
            n.descendants().find(|n| n.has_tag_name((w, "t")))?.text().map(str::to_owned)
        };
        Ok(runs.filter_map(first).collect())
    };
    Ok(score(of(path)? == of(call.gold()?).map_err(gold)?))
}

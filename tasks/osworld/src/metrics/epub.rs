//! `others.py` and `chrome.py`: books and pages of HTML.

use std::collections::BTreeMap;

use super::super::fault::{OsworldFault, Score};
use super::super::html_tree::{self, HtmlNode};
use super::super::py::{self, text};
use super::archive::read_zip;
use super::general::gold;
use super::{MetricCall, Switch};

/// `compare_epub`: the mean ratio of `difflib` over the table of contents, the package and the pages.
///
/// The original writes each page anew, with breaks where its parser puts them. Pages that say the same score 1;
/// of others it cannot be said how much they are alike.
pub(crate) fn compare_epub(call: &MetricCall) -> Score {
    if call.result.is_null() {
        return Ok(0.0);
    }
    let path = call.file()?;
    let found = parts(path)?;
    let wanted = parts(call.gold()?).map_err(gold)?;
    let mut total = 0.0;
    for ((name, a), (other, b)) in found.iter().zip(&wanted) {
        total += match (a, b) {
            (BookPart::Lines(a), BookPart::Lines(b)) => py::difflib::ratio(a, b),
            (BookPart::Page(a), BookPart::Page(b)) if a == b => 1.0,
            _ => {
                return Err(OsworldFault::Unsupported(format!(
                    "{name} and {other}: the likeness of different pages"
                )));
            }
        };
    }
    #[expect(clippy::cast_precision_loss, reason = "books have few files")]
    Ok(if found.is_empty() { total } else { total / found.len() as f64 })
}

enum BookPart {
    Lines(Vec<String>),
    /// A page of HTML, without its breaks.
    Page(String),
}

/// The compared files by name. A file that is not an archive has none.
fn parts(path: &std::path::Path) -> Result<BTreeMap<String, BookPart>, OsworldFault> {
    if !path.exists() {
        return Err(OsworldFault::raised(format!("{}: there is no such file", text::name(path))));
    }
    let Ok(entries) = read_zip(path) else { return Ok(BTreeMap::new()) };
    let mut parts = BTreeMap::new();
    for (name, bytes) in entries {
        let content = String::from_utf8(bytes);
        let content = content.map_err(|_| OsworldFault::raised(format!("{name} is not UTF-8")));
        let without = match name.as_str() {
            "toc.ncx" => Some("navPoint"),
            "content.opf" => Some("dc:identifier"),
            _ => None,
        };
        if let Some(mark) = without {
            let content = content?;
            let kept = text::splitlines(&content).into_iter().filter(|line| !line.contains(mark));
            let lines = kept.map(str::to_owned).collect();
            parts.insert(name, BookPart::Lines(lines));
        } else if name.ends_with(".html") {
            if name.contains('/') {
                return Err(OsworldFault::raised(format!("{name}: the original makes no folders for pages")));
            }
            let content = content?.replace(['\n', '\r'], "");
            if text::strip(&content).is_empty() {
                return Err(OsworldFault::raised(format!("{name} is empty")));
            }
            parts.insert(name, BookPart::Page(content));
        }
    }
    Ok(parts)
}

/// Attributes that are lists of words to the original's library.
const WORDS: [&str; 8] = ["accesskey", "class", "for", "headers", "rel", "rev", "sandbox", "sizes"];

/// `compare_htmls`: the same elements with the same attributes, and the same texts, up to the end of the shorter
/// page. Pages that a parser would have to mend make the attempt invalid, but for equal ones.
pub(crate) fn compare_htmls(call: &MetricCall) -> Score {
    let path = call.file()?;
    let (found, wanted) = (text::read(path)?, text::read(call.gold()?).map_err(gold)?);
    if found == wanted {
        return Ok(1.0);
    }
    let nodes = |page: &str| {
        html_tree::nodes(page)
            .ok_or_else(|| OsworldFault::Unsupported("a page that a parser would have to mend".into()))
    };
    let (found, wanted) = (nodes(&found)?, nodes(&wanted)?);
    let skip = if call.switch("ignore_sdnum", Switch::Off) { Some("sdnum") } else { None };
    for pair in found.into_iter().zip(wanted) {
        let same = match pair {
            (HtmlNode::Text(a), HtmlNode::Text(b)) => {
                let declares = |text: &str| text.starts_with("<!");
                if a != b && declares(&a) && declares(&b) {
                    return Err(OsworldFault::Unsupported("pages of different document types".into()));
                }
                a == b
            }
            (
                HtmlNode::Element { name, attributes, text },
                HtmlNode::Element { name: name2, attributes: attributes2, text: text2 },
            ) => {
                let kept = |all: Vec<(String, String)>| -> Vec<(String, String)> {
                    all.into_iter().filter(|(name, _)| Some(name.as_str()) != skip).collect()
                };
                let (attributes, attributes2) = (kept(attributes), kept(attributes2));
                let lists =
                    |all: &[(String, String)]| all.iter().any(|(name, _)| WORDS.contains(&name.as_str()));
                if attributes != attributes2 && lists(&attributes) && lists(&attributes2) {
                    return Err(OsworldFault::Unsupported("different lists of words in attributes".into()));
                }
                name == name2 && text == text2 && attributes == attributes2
            }
            _ => false,
        };
        if !same {
            return Ok(0.0);
        }
    }
    Ok(1.0)
}

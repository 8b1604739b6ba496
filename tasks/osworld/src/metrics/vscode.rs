//! `vscode.py` and part of `general.py`: files of text and code.

use serde_json::Value;

use super::super::fault::{OsworldFault, Score, score};
use super::super::py::{self, number, text};
use super::general::gold;
use super::{MetricCall, Switch};

pub fn compare_text_file(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let (mut found, mut wanted) = (text::read(path)?, text::read(call.gold()?).map_err(gold)?);
    if call.switch("ignore_blanks", Switch::Off) {
        for side in [&mut found, &mut wanted] {
            *side = blanks(side);
        }
    }
    if call.switch("ignore_case", Switch::Off) {
        (found, wanted) = (found.to_lowercase(), wanted.to_lowercase());
    }
    Ok(score(found == wanted))
}

/// Ends stripped, runs of blanks made one.
fn blanks(side: &str) -> String {
    text::one_spaced(side)
}

/// `compare_config`: the file holds what the rule says. Of two JSON values the file's has every member of the
/// rule's, and lists and plain values are equal; of other texts the rule's stands in the file's. With
/// `containment_ok` off both are equal, as texts or as JSON.
pub(crate) fn compare_config(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let Some(wanted) = call.rules()?.get("expected").and_then(Value::as_str).filter(|text| !text.is_empty())
    else {
        return Ok(0.0);
    };
    let found = text::read(path)?;
    let json = |text: &str| serde_json::from_str::<Value>(text).ok();
    let both = json(&found).zip(json(wanted));
    Ok(score(if call.switch("containment_ok", Switch::On) {
        both.map_or_else(|| found.contains(text::strip(wanted)), |(found, wanted)| holds(&found, &wanted))
    } else {
        found == wanted || both.is_some_and(|(found, wanted)| py::eq(&found, &wanted))
    }))
}

fn holds(found: &Value, wanted: &Value) -> bool {
    match wanted {
        Value::Object(wanted) => {
            let has = |(name, value)| found.get(name).is_some_and(|found| holds(found, value));
            found.is_object() && wanted.iter().all(has)
        }
        other => py::eq(found, other),
    }
}

/// `compare_answer`: the result itself is the rule's.
pub(crate) fn compare_answer(call: &MetricCall) -> Score {
    if !py::truthy(&call.result) {
        return Ok(0.0);
    }
    Ok(score(py::eq(&call.result, call.rule("expected")?)))
}

/// `is_extension_installed`: what the editor lists contains, or does not contain, a name.
pub(crate) fn is_extension_installed(call: &MetricCall) -> Score {
    let found = py::contains(&call.result, call.rule("expected")?)
        .ok_or_else(|| OsworldFault::raised("the list of extensions could not be obtained"))?;
    match call.rule("type")?.as_str() {
        Some("contain") => Ok(score(found)),
        Some("not_contain") => Ok(score(!found)),
        other => Err(OsworldFault::Unsupported(format!("rule type {other:?}"))),
    }
}

/// `check_html_background_image`: a style names the picture.
pub(crate) fn check_html_background_image(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let html = text::read(path)?;
    let wanted = format!("background-image: url('{}')", call.rule("value")?.as_str().unwrap_or_default());
    if !html.contains(&wanted) {
        return Ok(0.0);
    }
    let styles = styles(&html).ok_or_else(|| OsworldFault::Unsupported("a page that is cut short".into()))?;
    Ok(score(styles.iter().any(|style| style.contains(&wanted))))
}

/// The contents of a page's styles; nothing where versions of Python's parser read the page differently.
fn styles(html: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        rest = rest.get(start..)?;
        if let Some(comment) = rest.strip_prefix("<!--") {
            if comment.starts_with(['>', '-']) || comment.split_once("-->")?.0.contains("--") {
                return None;
            }
            rest = comment.split_once("-->")?.1;
        } else if rest.starts_with("<!") || rest.starts_with("<?") || rest.starts_with("</") {
            rest = rest.split_once('>')?.1;
        } else if rest.get(1..)?.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let name: String = rest.chars().skip(1).take_while(char::is_ascii_alphanumeric).collect();
            let name = name.to_ascii_lowercase();
            let end = tag_end(rest)?;
            let empty = rest.get(..end)?.ends_with("/>");
            rest = rest.get(end..)?;
            if ["iframe", "noembed", "noframes", "plaintext", "textarea", "title", "xmp"]
                .contains(&name.as_str())
            {
                // Newer versions take no markup in these.
                let close = rest.to_ascii_lowercase().find(&format!("</{name}>"))?;
                if rest.get(..close)?.contains('<') {
                    return None;
                }
            }
            if (name == "style" || name == "script") && !empty {
                let close = rest.to_ascii_lowercase().find(&format!("</{name}"))?;
                let (content, behind) = rest.split_at(close);
                if !behind.get(name.len() + 2..)?.trim_start().starts_with('>') || content.contains("<!--") {
                    return None;
                }
                if name == "style" {
                    found.push(content);
                }
                rest = behind;
            }
        } else {
            rest = rest.get(1..)?;
        }
    }
    Some(found)
}

/// Where an opening tag ends: behind the first bracket outside of quotes.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in tag.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '>') => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// `compare_result_files`: the same text, or the same number.
pub(crate) fn compare_result_files(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let (found, wanted) = (text::read(path)?, text::read(call.gold()?).map_err(gold)?);
    let (found, wanted) = (text::strip(&found), text::strip(&wanted));
    let Some(number) = number::parse_float(wanted) else { return Ok(score(found == wanted)) };
    if found.contains(wanted) {
        return Ok(1.0);
    }
    // A result that is not a number makes the original compare the texts, which differ.
    Ok(score(number::parse_float(found).is_some_and(|found| (found - number).abs() < 1e-4)))
}

/// `compare_python_pure_text`: code but for its head, blank lines and ends of lines.
pub(crate) fn compare_python_pure_text(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let (Ok(found), wanted) = (text::read(path), text::read(call.gold()?).map_err(gold)?) else {
        return Ok(0.0);
    };
    Ok(score(pure(&found) == pure(&wanted)))
}

fn pure(code: &str) -> String {
    let lines = text::splitlines(code);
    let head = lines.iter().take(3).take_while(|line| {
        let line = text::strip(line);
        ["#!", "# -*- coding:", "# coding:", "# coding="].iter().any(|mark| line.starts_with(mark))
    });
    let skip = head.count();
    let kept = lines.into_iter().skip(skip).filter(|line| !text::strip(line).is_empty());
    let kept: Vec<String> =
        kept.map(|line| text::expand_tabs(line, 4).trim_end_matches(text::is_space).to_owned()).collect();
    kept.join("\n")
}

/// The texts of a rule that may be one or several.
pub(crate) fn one_or_more(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        one => vec![one],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests_support::{call, call_with, file};
    use super::*;

    #[test]
    fn a_file_that_is_no_text_is_the_fault_of_whoever_gave_it() {
        let dir = tempfile::tempdir().unwrap();
        let (good, bad) = (file(&dir, "good", b"a"), file(&dir, "bad", &[0xff, 0xfe]));
        assert!(matches!(compare_text_file(&call(json!(bad), json!(good))), Err(OsworldFault::Raised(_))));
        assert!(matches!(compare_text_file(&call(json!(good), json!(bad))), Err(OsworldFault::Expected(_))));
    }

    #[test]
    fn settings_may_have_to_be_equal() {
        let dir = tempfile::tempdir().unwrap();
        for (found, wanted, score) in [
            ("{\"x\":1}", "{ \"x\": 1 }", 1.0),
            ("{\"x\":1,\"y\":2}", "{ \"x\": 1 }", 0.0),
            ("a = 1\nb = 2\n", "b = 2", 0.0),
            ("a", "", 0.0),
        ] {
            let path = json!(file(&dir, "s", found.as_bytes()));
            let options = json!({ "containment_ok": false });
            let call = call_with(path, json!({ "expected": wanted }), options);
            assert_eq!(compare_config(&call), Ok(score), "{found} {wanted}");
        }
    }
}

//! `general.py` and `slides.py`: what the accessibility tree shows.

use serde_json::Value;

use super::super::fault::{OsworldFault, Score, score};
use super::super::ooxml::package;
use super::super::py;
use super::super::select::{Prefix, own_text, select_css, select_xpath};
use super::MetricCall;

/// The namespaces of the tree of a Linux guest.
pub(crate) const NAMESPACES: &[Prefix<'static>] = &[
    ("st", "https://accessibility.ubuntu.example.org/ns/state"),
    ("attr", "https://accessibility.ubuntu.example.org/ns/attributes"),
    ("cp", "https://accessibility.ubuntu.example.org/ns/component"),
    ("doc", "https://accessibility.ubuntu.example.org/ns/document"),
    ("docattr", "https://accessibility.ubuntu.example.org/ns/document/attributes"),
    ("txt", "https://accessibility.ubuntu.example.org/ns/text"),
    ("val", "https://accessibility.ubuntu.example.org/ns/value"),
    ("act", "https://accessibility.ubuntu.example.org/ns/action"),
];

fn parse(call: &MetricCall) -> Result<roxmltree::Document<'_>, OsworldFault> {
    let xml = call.result.as_str().ok_or_else(|| OsworldFault::raised("there is no accessibility tree"))?;
    Ok(package::parse("accessibility tree", xml)?)
}

/// `check_accessibility_tree`: every rule selects something, with the text that it names; the scores of
/// inexact texts multiply.
pub fn check_accessibility_tree(call: &MetricCall) -> Score {
    let document = parse(call)?;
    let root = document.root_element();
    let mut total = 1.0;
    for rule in call.rules()?.as_array().into_iter().flatten() {
        let found = if let Some(path) = rule.get("xpath").and_then(Value::as_str) {
            select_xpath(root, path, NAMESPACES)
        } else if let Some(selectors) = rule.get("selectors").and_then(Value::as_array) {
            let selectors: Vec<&str> = selectors.iter().filter_map(Value::as_str).collect();
            select_css(root, &selectors.join(", "), NAMESPACES)
        } else {
            return Err(OsworldFault::Expected("a rule has neither xpath nor selectors".into()));
        };
        let found = found.map_err(OsworldFault::Unsupported)?;
        if found.is_empty() {
            return Ok(0.0);
        }
        if let Some(wanted) = rule.get("text").and_then(Value::as_str) {
            let exact =
                rule.get("exact").ok_or_else(|| OsworldFault::Expected("a rule has no 'exact'".into()))?;
            let fit = |text: Option<&str>| match text {
                Some(text) if py::truthy(exact) => score(text == wanted),
                Some(text) => py::fuzz::ratio(wanted, text),
                None => 0.0,
            };
            total *= found.iter().map(|node| fit(own_text(*node))).fold(0.0, f64::max);
        }
    }
    Ok(total)
}

/// `check_left_panel`: Impress shows the list of slides.
pub(crate) fn check_left_panel(call: &MetricCall) -> Score {
    let document = parse(call)?;
    let mut frames = document.descendants().filter(|node| node.has_tag_name("document-frame"));
    Ok(score(frames.any(|frame| frame.attribute("name") == Some("Slides View"))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests_support::call;
    use super::*;

    #[test]
    fn rules_multiply() {
        let space = NAMESPACES[0].1;
        let tree = format!(
            "<desktop-frame xmlns:st='{space}'><application name='x'><label st:showing='true'>abcd</label>\
             <document-frame name='Slides View'/></application></desktop-frame>"
        );
        let check = |rules: Value| check_accessibility_tree(&call(json!(tree), rules)).unwrap();
        assert_eq!(check(json!([{ "xpath": "//label[@st:showing='true']" }])), 1.0);
        assert_eq!(check(json!([{ "selectors": ["label", "nothing"], "text": "abcd", "exact": true }])), 1.0);
        assert_eq!(check(json!([{ "selectors": ["label"], "text": "abxd", "exact": true }])), 0.0);
        assert_eq!(check(json!([{ "selectors": ["label"], "text": "abxd", "exact": false }])), 0.75);
        assert_eq!(check(json!([{ "xpath": "//label" }, { "xpath": "//none" }])), 0.0);
        assert_eq!(check_left_panel(&call(json!(tree), json!({}))).unwrap(), 1.0);
    }
}

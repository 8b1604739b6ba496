//! The accessibility tree in the form of the original (`desktop_env/server/main.py`, `_create_atspi_node`): an
//! element is named by its role, its attributes lie in the namespaces of a Linux guest.
//!
//! Invariant: whatever a program says of itself, what comes out is well-formed.

use std::collections::HashSet;
use std::fmt::Write as _;

use serde_json::Value;

use super::super::metrics::NAMESPACES;

/// The XML of what `waldo_devices::StateProbe::Accessible` answers.
pub fn xml(programs: &Value) -> String {
    let mut out = String::from("<desktop-frame");
    for (prefix, space) in NAMESPACES {
        let _ = write!(out, " xmlns:{prefix}=\"{space}\"");
    }
    out.push_str(" name=\"main\">");
    for program in list(programs) {
        let _ = write!(out, "<application name=\"{}\">", escaped(text(program, "name")));
        list(&program["children"]).for_each(|child| element(child, &mut out));
        out.push_str("</application>");
    }
    out.push_str("</desktop-frame>");
    out
}

/// What terminals show, of the programs whose name says that they are one; the window in front is the first.
pub fn terminal(programs: &Value) -> Option<String> {
    let known = list(programs).filter(|program| text(program, "name").contains("terminal"));
    known.flat_map(|program| list(&program["children"])).find_map(terminal_in)
}

fn terminal_in(node: &Value) -> Option<String> {
    if text(node, "role") == "terminal" {
        return node["text"].as_str().map(|text| text.trim_end().to_owned());
    }
    list(&node["children"]).find_map(terminal_in)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The tag of a role. Buttons were renamed since the original was written.
fn tag(role: &str) -> String {
    match role {
        "" => "unknown".to_owned(),
        "button" => "push-button".to_owned(),
        role => named(role),
    }
}

fn named(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let name: String = text.trim().chars().map(plain).collect();
    match name.chars().next() {
        Some(c) if c.is_ascii_alphabetic() || c == '_' => name,
        _ => format!("_{name}"),
    }
}

/// A text without what ends it or what XML cannot hold.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            // What stands for an object within a text, and for what is not text: the original drops them too.
            '\u{fffc}' | '\u{fffd}' => {}
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

fn float(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e16 { format!("{number:.1}") } else { number.to_string() }
}

fn element(node: &Value, out: &mut String) {
    let tag = tag(text(node, "role"));
    let mut given = HashSet::new();
    let mut all = String::new();
    let mut attribute = |name: String, value: &str| {
        // A name twice would be no XML.
        if given.insert(name.clone()) {
            let _ = write!(all, " {name}=\"{}\"", escaped(value));
        }
    };
    attribute("name".to_owned(), text(node, "name"));
    for state in list(&node["states"]).filter_map(Value::as_str) {
        attribute(format!("st:{}", named(state)), "true");
    }
    for (name, value) in node["attributes"].as_object().into_iter().flatten() {
        if !name.is_empty() {
            attribute(format!("attr:{}", named(name)), value.as_str().unwrap_or_default());
        }
    }
    let place: Vec<i64> = list(&node["box"]).filter_map(whole).collect();
    if let [x, y, w, h] = place.as_slice() {
        attribute("cp:screencoord".to_owned(), &format!("({x}, {y})"));
        attribute("cp:size".to_owned(), &format!("({w}, {h})"));
    }
    for name in ["image", "selection"] {
        if node[name] == true {
            attribute(name.to_owned(), "true");
        }
    }
    for name in ["value", "min", "max", "step"] {
        if let Some(number) = node["value"][name].as_f64() {
            attribute(format!("val:{name}"), &float(number));
        }
    }
    for action in list(&node["actions"]) {
        let name = named(&text(action, "name").replace(' ', "-"));
        attribute(format!("act:{name}_desc"), text(action, "description"));
        attribute(format!("act:{name}_kb"), text(action, "keys"));
    }
    let said = escaped(text(node, "text"));
    let children: Vec<&Value> = list(&node["children"]).collect();
    if said.is_empty() && children.is_empty() {
        let _ = write!(out, "<{tag}{all}/>");
        return;
    }
    let _ = write!(out, "<{tag}{all}>{said}");
    children.into_iter().for_each(|child| element(child, out));
    let _ = write!(out, "</{tag}>");
}

#[expect(clippy::cast_possible_truncation, reason = "screens are small")]
fn whole(value: &Value) -> Option<i64> {
    value.as_f64().map(|number| number.round() as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::metrics::NAMESPACES;
    use super::super::super::select::{own_text, select_css, select_xpath};
    use super::*;

    #[test]
    fn a_tree_is_selected_from_as_in_the_original() {
        let programs = json!([{ "name": "Chromium", "children": [{
            "role": "frame", "name": "A & <b>\u{1}", "states": ["showing", "multi_line"],
            "attributes": { "xml-roles": "x", "1 odd": "y" }, "box": [1.0, 2.4, 30.0, 4.0],
            "children": [
                { "role": "entry", "name": "Address and search bar", "text": "a.org/x\u{fffc}" },
                { "role": "button", "name": "Go", "states": ["enabled"],
                  "actions": [{ "name": "click", "description": "d" }, { "name": "click" }] },
                { "role": "slider", "name": "", "value": { "value": 3.0, "min": 0.0, "max": 9.5 } },
            ],
        }] }]);
        let text = xml(&programs);
        let document = roxmltree::Document::parse(&text).unwrap();
        let root = document.root_element();
        let css = |selector: &str| select_css(root, selector, NAMESPACES).unwrap();
        let bar = css("application[name=Chromium] entry[name=Address\\ and\\ search\\ bar]");
        assert_eq!(own_text(bar[0]), Some("a.org/x"));
        assert_eq!(css("push-button[name='Go']").len(), 1);
        let path = |path: &str| select_xpath(root, path, NAMESPACES).unwrap().len();
        assert_eq!(path("//frame[@st:showing='true'][@cp:screencoord='(1, 2)'][@cp:size='(30, 4)']"), 1);
        assert_eq!(path("//slider[@val:value='3.0'][@val:max='9.5']"), 1);
        assert_eq!(path("//push-button[@act:click_desc='d']"), 1);
        assert_eq!(path("//frame[@attr:xml-roles='x']"), 1);
    }

    #[test]
    fn terminals_are_known_by_their_programs() {
        let of = |name: &str| json!([{ "name": name, "children": [{ "role": "frame", "children": [{ "role": "terminal", "text": "$ ls\na  \n" }] }] }]);
        assert_eq!(terminal(&of("gnome-terminal-server")).as_deref(), Some("$ ls\na"));
        assert_eq!(terminal(&of("gedit")), None);
    }
}

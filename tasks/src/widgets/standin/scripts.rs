//! The scripts, and what a model would have read off the task for them.

use include_dir::{Dir, include_dir};
use serde_json::json;

use super::super::cycle::MONTHS;
use super::super::{Instance, WidgetAnswer};

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/standin");

/// Scripts that serve several archetypes: the beginning of their names, and the script's.
const SHARED: [(&str, &str); 5] = [
    ("smooth-", "slider-fit"),
    ("linked-", "slider-fit"),
    ("late-", "slider-fit"),
    ("knob-", "knob"),
    ("map-", "point-described"),
];

fn file(name: &str) -> Option<&'static str> {
    let name = SHARED.iter().find(|(start, _)| name.starts_with(start)).map_or(name, |(_, script)| script);
    FILES.get_file(format!("{name}.py")).and_then(include_dir::File::contents_utf8)
}

pub(super) fn known(archetype: &str) -> bool {
    file(archetype).is_some()
}

/// The functions that scripts have in common, with their names.
fn helpers() -> Vec<(&'static str, &'static str)> {
    let parts = file("helpers").unwrap_or_default().split("\n\n\n").map(str::trim);
    parts.filter_map(|text| Some((text.strip_prefix("def ")?.split_once('(')?.0, text))).collect()
}

fn whole(own: &str) -> String {
    let all = helpers();
    let mut text = own.to_owned();
    // Functions come in the order in which they lean on each other, so one way backwards finds all.
    for (name, body) in all.iter().rev() {
        if text.contains(&format!("{name}(")) {
            text = format!("{body}\n\n\n{text}");
        }
    }
    text
}

pub(super) fn solution(instance: &Instance, tag: &str) -> Option<String> {
    let mut text = whole(file(&instance.archetype)?).replace("@tag@", tag);
    for (name, value) in read_off(instance) {
        text = text.replace(&format!("@{name}@"), &value);
    }
    Some(text)
}

/// What stands in the words of the task: numbers, names, an order.
fn read_off(instance: &Instance) -> Vec<(&'static str, String)> {
    let ask = instance.ask.as_str();
    let words = ask.split(|c: char| !c.is_ascii_digit() && c != '-');
    let numbers = words.filter(|word| word.parse::<i64>().is_ok()).map(str::to_owned);
    let numbers: Vec<String> = numbers.collect();
    let number = |n: usize| numbers.get(n).cloned().unwrap_or_default();
    let quoted: Vec<&str> = ask.split('"').skip(1).step_by(2).collect();
    let month = MONTHS.iter().position(|name| ask.contains(name)).map(|n| (n + 1).to_string());
    let target = month.or_else(|| quoted.first().map(|q| (*q).to_owned())).unwrap_or_else(|| number(0));
    let presses = match &instance.answer {
        WidgetAnswer::Sort([_, presses, _]) => presses.to_string(),
        _ => String::new(),
    };
    vec![
        ("target", target),
        ("low", number(0)),
        ("high", number(1)),
        ("texts", json!(quoted).to_string()),
        ("down", if ask.contains("largest first") { "True" } else { "False" }.to_owned()),
        ("presses", presses),
    ]
}

pub(super) fn texts_in(svg: &str) -> Vec<String> {
    let after = |part: &str| {
        part.split_once('>').and_then(|(_, rest)| Some(rest.split_once("</text>")?.0.to_owned()))
    };
    svg.split("<text").skip(1).filter_map(after).collect()
}

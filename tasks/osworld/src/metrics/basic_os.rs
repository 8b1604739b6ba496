//! `basic_os.py`: settings and folders of the desktop.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::fault::{OsworldFault, Score, score};
use super::super::py;
use super::MetricCall;

/// `check_gnome_favorite_apps`: a list of names as `gsettings` prints it, in any order.
pub(crate) fn check_gnome_favorite_apps(call: &MetricCall) -> Score {
    let text = call.result.as_str().unwrap_or_default().trim();
    let Some(found) = py::literal::parse(text) else {
        // The original evaluates the text as Python: a list may be one that is not read here, anything else
        // (`@as []`, a message) is a mistake in Python.
        return Err(if text.starts_with(['[', '(', '{', '"', '\'']) {
            OsworldFault::Unsupported(format!("the Python expression {text}"))
        } else {
            OsworldFault::raised(format!("'{text}' is not a list"))
        });
    };
    let items = |value: &Value| match value {
        Value::Array(items) => Some(items.clone()),
        Value::String(text) => Some(text.chars().map(|c| Value::from(c.to_string())).collect()),
        _ => None,
    };
    let found = items(&found).ok_or_else(|| OsworldFault::raised(format!("'{text}' has no length")))?;
    let wanted =
        items(call.rule("expected")?).ok_or_else(|| OsworldFault::Expected("no list of names".into()))?;
    let inside =
        |some: &[Value], all: &[Value]| some.iter().all(|one| all.iter().any(|other| py::eq(one, other)));
    Ok(score(found.len() == wanted.len() && inside(&found, &wanted) && inside(&wanted, &found)))
}

fn same_names(found: &[&str], wanted: &[&str]) -> bool {
    let set = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<BTreeSet<_>>();
    found.len() == wanted.len() && set(found) == set(wanted)
}

/// `is_utc_0`: the fourth line of `timedatectl` ends with a zone of no offset.
pub(crate) fn is_utc_0(call: &MetricCall) -> Score {
    let text = call.result.as_str().unwrap_or_default();
    let line = text.split('\n').nth(3).ok_or_else(|| OsworldFault::raised("there is no fourth line"))?;
    Ok(score(line.ends_with("+0000)")))
}

pub(crate) fn check_text_enlarged(call: &MetricCall) -> Score {
    let text = call.result.as_str().unwrap_or_default();
    let factor = py::number::parse_float(text)
        .ok_or_else(|| OsworldFault::raised(format!("'{text}' is not a number")))?;
    Ok(score(factor > 1.0))
}

/// `check_moved_jpgs`: a folder holds exactly these names.
pub fn check_moved_jpgs(call: &MetricCall) -> Score {
    let children = call.result.get("children").and_then(Value::as_array);
    let children = children.ok_or_else(|| OsworldFault::raised("there is no such folder"))?;
    let names: Vec<&str> = children.iter().filter_map(|child| child["name"].as_str()).collect();
    let wanted: Vec<&str> =
        call.rule("expected")?.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    Ok(score(same_names(&names, &wanted)))
}

/// `is_in_vm_clickboard`: the result is the rule, the expected what a command printed.
pub(crate) fn is_in_vm_clickboard(call: &MetricCall) -> Score {
    let wanted =
        call.result.get("expected").ok_or_else(|| OsworldFault::raised("the rules have no 'expected'"))?;
    let printed = call.expected.clone().unwrap_or_default();
    for part in super::vscode::one_or_more(wanted) {
        let found = py::contains(&printed, part)
            .ok_or_else(|| OsworldFault::raised(format!("{} in {}", py::repr(part), py::repr(&printed))))?;
        if !found {
            return Ok(0.0);
        }
    }
    Ok(1.0)
}

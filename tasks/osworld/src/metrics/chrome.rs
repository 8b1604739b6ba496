//! `chrome.py`: tabs, bookmarks, history, cookies and preferences of the browser.

use std::collections::BTreeSet;

use serde_json::Value;
use waldo_agents::python::url::UrlParts;

use super::super::fault::{OsworldFault, Result, Score, score};
use super::super::py::{self, pattern};
use super::MetricCall;
use super::urls::{same_url, same_urls};

fn kind(call: &MetricCall) -> Result<&str> {
    Ok(call.rule("type")?.as_str().unwrap_or_default())
}

fn unknown(kind: &str) -> OsworldFault {
    OsworldFault::Unsupported(format!("rule type '{kind}'"))
}

/// The address of a tab: the tab itself, or its address alone.
fn address(value: &Value) -> Option<&str> {
    match value {
        Value::Object(tab) => tab.get("url").and_then(Value::as_str),
        other => other.as_str(),
    }
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn set<'a>(items: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
    items.into_iter().collect()
}

pub(crate) fn is_expected_active_tab(call: &MetricCall) -> Score {
    if !py::truthy(&call.result) || kind(call)? != "url" {
        return Ok(0.0);
    }
    let wanted = call.rule("url")?.as_str().unwrap_or_default();
    Ok(score(address(&call.result).is_some_and(|found| same_url(wanted, found))))
}

/// `is_expected_active_tab_approximate`: without the query.
pub(crate) fn is_expected_active_tab_approximate(call: &MetricCall) -> Score {
    if !py::truthy(&call.result) || kind(call)? != "url" {
        return Ok(0.0);
    }
    let bare = |url: &str| {
        let mut parts = UrlParts::parse(url);
        parts.query.clear();
        parts.join()
    };
    let wanted = call.rule("url")?.as_str().unwrap_or_default();
    Ok(score(address(&call.result).is_some_and(|found| bare(wanted) == bare(found))))
}

/// `is_expected_url_pattern_match`: every expression is found in the address.
pub(crate) fn is_expected_url_pattern_match(call: &MetricCall) -> Score {
    let Some(found) = address(&call.result).filter(|_| py::truthy(&call.result)) else { return Ok(0.0) };
    let patterns: Vec<String> = match call.rule("expected")? {
        // A text is walked through character by character.
        Value::String(text) => text.chars().map(String::from).collect(),
        list => texts(list).into_iter().map(str::to_owned).collect(),
    };
    for expression in &patterns {
        if !pattern::search(expression, found).map_err(super::general::gold)? {
            return Ok(0.0);
        }
    }
    Ok(1.0)
}

/// `is_expected_installed_extensions`: at least these.
pub(crate) fn is_expected_installed_extensions(call: &MetricCall) -> Score {
    if !py::truthy(&call.result) {
        return Ok(0.0);
    }
    let (found, wanted) = (texts(&call.result), texts(call.rule("expected")?));
    Ok(score(set(wanted.into_iter().map(one_name)).is_subset(&set(found.into_iter().map(one_name)))))
}

fn one_name(name: &str) -> &str {
    if name == "Zoom for Google Chrome" { "Zoom Chrome Extension" } else { name }
}

pub fn is_expected_tabs(call: &MetricCall) -> Score {
    if !py::truthy(&call.result) || kind(call)? != "url" {
        return Ok(0.0);
    }
    let found: Vec<&str> = call.result.as_array().into_iter().flatten().filter_map(address).collect();
    Ok(score(same_urls(&texts(call.rule("urls")?), &found)))
}

pub(crate) fn is_expected_bookmarks(call: &MetricCall) -> Score {
    if !py::truthy(&call.result) {
        return Ok(0.0);
    }
    let children = |node: &Value| node.get("children").and_then(Value::as_array).cloned().unwrap_or_default();
    let bar =
        call.result.get("bookmark_bar").ok_or_else(|| OsworldFault::raised("there is no bookmark bar"))?;
    let bar = children(bar);
    let of = |kind: &str, member: &str, nodes: &[Value]| -> BTreeSet<String> {
        let of_kind = nodes.iter().filter(|node| node["type"] == kind);
        of_kind.filter_map(|node| node[member].as_str().map(str::to_owned)).collect()
    };
    let wanted = |name: &str| -> Result<BTreeSet<String>> {
        Ok(texts(call.rule(name)?).into_iter().map(str::to_owned).collect())
    };
    match kind(call)? {
        "bookmark_bar_folders_names" => Ok(score(of("folder", "name", &bar) == wanted("names")?)),
        "bookmark_bar_websites_urls" => Ok(score(of("url", "url", &bar) == wanted("urls")?)),
        "liked_authors_websites_urls" => {
            let folder = bar.iter().find(|n| n["type"] == "folder" && n["name"] == "Liked Authors");
            let Some(folder) = folder else { return Ok(0.0) };
            let found = of("url", "url", &children(folder));
            // Each entry is an address, or several of which one will do.
            let entries = call.rule("urls")?.as_array().into_iter().flatten();
            let choices = entries.map(|entry| entry.as_str().map_or_else(|| texts(entry), |one| vec![one]));
            let choices: Vec<Vec<&str>> = choices.collect();
            let borrowed: BTreeSet<&str> = found.iter().map(String::as_str).collect();
            Ok(score(some_choice(&choices, &BTreeSet::new(), &borrowed)))
        }
        other => Err(unknown(other)),
    }
}

/// Whether one of each entry's addresses can be taken so that together they are exactly `found`.
fn some_choice<'a>(choices: &[Vec<&'a str>], taken: &BTreeSet<&'a str>, found: &BTreeSet<&'a str>) -> bool {
    let Some((first, rest)) = choices.split_first() else { return taken == found };
    first.iter().filter(|url| found.contains(**url)).any(|url| {
        let mut taken = taken.clone();
        taken.insert(url);
        some_choice(rest, &taken, found)
    })
}

pub(crate) fn is_expected_search_query(call: &MetricCall) -> Score {
    if !py::truthy(&call.result) {
        return Ok(0.0);
    }
    let expression = call.rule("expect")?.get("pattern").and_then(Value::as_str);
    let expression = expression.ok_or_else(|| OsworldFault::Expected("the rule has no pattern".into()))?;
    let found = call.result.get("url").and_then(Value::as_str).unwrap_or_default();
    Ok(score(pattern::search(expression, found)?))
}

/// The rows of the result, where the rule is of this type.
fn rows<'a>(call: &'a MetricCall, what: &str, wanted: &str) -> Result<&'a Vec<Value>> {
    let rows = call.result.as_array();
    let rows = rows.ok_or_else(|| OsworldFault::raised(format!("there are no {what} to look at")))?;
    let kind = kind(call)?;
    if kind == wanted { Ok(rows) } else { Err(unknown(kind)) }
}

/// `is_cookie_deleted`: no cookie (a row of the table) is of these hosts.
pub(crate) fn is_cookie_deleted(call: &MetricCall) -> Score {
    let rows = rows(call, "cookies", "domains")?;
    let hosts: Vec<&str> = rows.iter().filter_map(|row| row[1].as_str()).collect();
    let kept =
        texts(call.rule("domains")?).iter().any(|domain| hosts.iter().any(|host| same_url(domain, host)));
    Ok(score(!kept))
}

/// `check_history_deleted`: no address holds these words.
pub(crate) fn check_history_deleted(call: &MetricCall) -> Score {
    let rows = rows(call, "addresses", "keywords")?;
    let words = texts(call.rule("keywords")?);
    let mut urls = rows.iter().filter_map(|row| row[0].as_str());
    Ok(score(!urls.any(|url| words.iter().any(|word| url.contains(word)))))
}

pub(crate) fn is_shortcut_on_desktop(call: &MetricCall) -> Score {
    let (key, fold): (&str, fn(&str) -> String) = match kind(call)? {
        "name" => ("name", str::to_lowercase),
        "exec" => ("exec", str::to_owned),
        other => return Err(unknown(other)),
    };
    let rule = call.rule(key)?;
    let wanted = rule.as_str().ok_or_else(|| OsworldFault::Expected(format!("'{key}' is not text")))?;
    let mark = if key == "name" { "Name=" } else { "Exec=" };
    let files = call.result.as_object().ok_or_else(|| OsworldFault::raised("there are no shortcuts"))?;
    let line = |line: &str| {
        let (found, wanted) = (fold(line), fold(wanted));
        found.contains(&wanted) || wanted.contains(&found)
    };
    let mut contents = files.values().filter_map(Value::as_str);
    let holds = |content: &str| {
        // A name of several lines is looked for as it stands.
        content.contains(&format!("{mark}{wanted}\n"))
            || content.split('\n').filter_map(|l| l.strip_prefix(mark)).any(line)
    };
    Ok(score(contents.any(holds)))
}

/// `check_enabled_experiments`: exactly these, in this order.
pub(crate) fn check_enabled_experiments(call: &MetricCall) -> Score {
    let found: Vec<&str> =
        texts(&call.result).into_iter().map(|name| name.split('@').next().unwrap_or_default()).collect();
    match kind(call)? {
        "names" => Ok(score(found == texts(call.rule("names")?))),
        other => Err(unknown(other)),
    }
}

pub(crate) fn check_font_size(call: &MetricCall) -> Score {
    let size =
        call.result.get("default_font_size").ok_or_else(|| OsworldFault::raised("no font size is set"))?;
    match kind(call)? {
        "value" => Ok(score(py::eq(size, call.rule("value")?))),
        "range" => {
            let number = |value: &Value| py::as_number(value).unwrap_or(f64::NAN);
            let (min, max) = (number(call.rule("min")?), number(call.rule("max")?));
            Ok(score(min < number(size) && number(size) < max))
        }
        other => Err(unknown(other)),
    }
}

/// `is_added_to_steam_cart`: the page names all items.
pub(crate) fn is_added_to_steam_cart(call: &MetricCall) -> Score {
    let content = call.result.get("content").and_then(Value::as_str);
    let content = content.ok_or_else(|| OsworldFault::raised("the page has no content"))?;
    Ok(score(texts(call.rule("items")?).iter().all(|item| content.contains(item))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests_support::call;
    use super::*;

    #[test]
    fn tabs_and_addresses() {
        let tabs =
            json!([{ "url": "https://a.org/", "title": "a" }, { "url": "https://b.org/x", "title": "b" }]);
        let rule = json!({ "type": "url", "urls": ["https://b.org/x", "https://www.a.org"] });
        assert_eq!(is_expected_tabs(&call(tabs, rule.clone())), Ok(1.0));
        assert_eq!(is_expected_tabs(&call(json!([]), rule)), Ok(0.0));
        let rule = json!({ "expected": [r"^https://a\.org/\?q=\d+$"] });
        assert_eq!(is_expected_url_pattern_match(&call(json!("https://a.org/?q=12"), rule.clone())), Ok(1.0));
        assert_eq!(is_expected_url_pattern_match(&call(json!({ "url": "https://a.org/" }), rule)), Ok(0.0));
        let rule = json!({ "type": "url", "url": "https://a.org/p?x=1" });
        assert_eq!(
            is_expected_active_tab_approximate(&call(json!("https://a.org/p"), rule.clone())),
            Ok(1.0)
        );
        assert_eq!(is_expected_active_tab(&call(json!("https://a.org/p"), rule)), Ok(0.0));
    }

    #[test]
    fn cookies_and_history() {
        let cookies = json!([[1, ".amazon.com", "x"]]);
        let rule = json!({ "type": "domains", "domains": [".amazon.com"] });
        assert_eq!(is_cookie_deleted(&call(cookies, rule.clone())), Ok(0.0));
        assert_eq!(is_cookie_deleted(&call(json!([]), rule.clone())), Ok(1.0));
        assert!(is_cookie_deleted(&call(json!(null), rule)).is_err());
        let rule = json!({ "type": "keywords", "keywords": ["tube"] });
        assert_eq!(check_history_deleted(&call(json!([["https://tube.com", "t", 1]]), rule)), Ok(0.0));
    }
}

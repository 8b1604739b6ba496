//! Task files: one object a task, read by the rules of its version.
//!
//! What cannot be played or judged is kept as a problem with the task, and keeps no other from loading.

use serde_json::{Map, Value};
use waldo_agents::reference::Step;
use waldo_devices::GuardPolicy;

use crate::locator::{Locator, LocatorScript, PageLocation};
use crate::rules::Rules;
use crate::site::{Site, Sites, unfilled};
use crate::url;
use crate::verified::{Checks, TaskFile};

/// What an unreachable goal is answered with.
pub(crate) const NOT_AVAILABLE: &str = "N/A";
/// What parts the pages that a task starts with.
const AND: &str = " |AND| ";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgedBy {
    String,
    Url,
    Html,
}

/// What an answer, or what a page says, is held against. Lists are in the file's order.
#[derive(Clone, Debug, PartialEq)]
pub enum Requirement {
    Exact(String),
    Include(Vec<String>),
    /// To include none, or what a version makes of that.
    Exclude(Vec<String>),
    OneOf(Vec<String>),
    Values(Vec<String>),
    /// To mean the same, as a model judges.
    Fuzzy(Vec<String>),
    /// That it cannot be done.
    NotAvailable,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PageTarget {
    pub place: PageLocation,
    pub locator: Locator,
    /// What is done to it before.
    pub preparing: Vec<LocatorScript>,
    pub need: Requirement,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Eval {
    pub kinds: Vec<JudgedBy>,
    pub answers: Vec<Requirement>,
    /// Why it cannot be done, where it cannot.
    pub reason: Option<String>,
    pub reference_url: String,
    pub url_note: Option<String>,
    pub targets: Vec<PageTarget>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct WebTask {
    /// Its number, in the version's own counting.
    pub id: String,
    /// Its number in WebArena, where that is another.
    pub old_id: Option<String>,
    pub rules: Rules,
    pub sites: Vec<Site>,
    pub logins: Vec<Site>,
    /// The pages that it starts with, each in a tab of its own.
    pub start: Vec<String>,
    pub intent: String,
    pub eval: Eval,
    /// How it is judged by the rules of WebArena-Verified, in place of `eval`.
    pub verified: Option<Box<Checks>>,
    /// Sites whose addresses it needs and that are not named.
    pub missing: Vec<Site>,
    /// What keeps it from being played, whatever is named.
    pub problems: Vec<String>,
    pub reference: Vec<Step>,
}

impl WebTask {
    /// Reads a task's object, with the addresses of `sites` put in.
    pub fn parse(mut value: Value, rules: Rules, sites: &Sites) -> Result<Self, String> {
        if rules == Rules::Verified {
            return verified_task(value, sites);
        }
        sites.fill(&mut value);
        let missing_places = unfilled(&value);
        let object = value.as_object().ok_or("is not a JSON object")?;
        let text = |name: &str| object.get(name).and_then(Value::as_str);
        let number = |name: &str| match object.get(name) {
            Some(Value::Number(number)) => Some(number.to_string()),
            Some(Value::String(text)) => Some(text.clone()),
            _ => None,
        };
        let mut problems = Vec::new();
        let id = number("task_id").ok_or("it has no 'task_id'")?;
        let eval = match object.get("eval") {
            Some(Value::Object(eval)) => eval,
            Some(Value::Array(_)) => {
                return Err(format!(
                    "task {id}: its 'eval' is that of WebArena-Verified: --webarena-rules verified"
                ));
            }
            Some(_) => return Err(format!("task {id}: its 'eval' is no object")),
            None => return Err(format!("task {id}: it has no 'eval'")),
        };
        let mut own = Vec::new();
        for name in
            object.get("sites").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
        {
            match name.parse() {
                Ok(site) => own.push(site),
                Err(_) => problems.push(format!("the site '{name}' is not known")),
            }
        }
        let mut missing: Vec<Site> =
            own.iter().copied().filter(|site| sites.address(*site).is_none()).collect();
        missing.extend(missing_places);
        let logins = text("storage_state").map_or_else(Vec::new, |name| logins(name, &mut problems));
        missing.extend(logins.iter().filter(|site| sites.address(**site).is_none()));
        missing.sort();
        missing.dedup();
        let start: Vec<String> =
            text("start_url").unwrap_or_default().split(AND).map(str::to_owned).collect();
        if start.iter().any(String::is_empty) {
            problems.push("it has no start".to_owned());
        }
        if object.get("geolocation").is_some_and(|place| !place.is_null()) {
            problems.push("it sets a place on earth".to_owned());
        }
        let eval = read_eval(eval, rules, &mut problems);
        if missing.is_empty() {
            let looked_at = eval.targets.iter().filter_map(|target| match &target.place {
                PageLocation::Address(url) => Some(url),
                _ => None,
            });
            problems.extend(off_site(sites, start.iter().chain(looked_at)));
        }
        problems.dedup();
        Ok(Self {
            intent: text("intent").ok_or_else(|| format!("{id}: it has no 'intent'"))?.to_owned(),
            old_id: number("old_task_id"),
            rules,
            sites: own,
            logins,
            start,
            eval,
            verified: None,
            missing,
            problems,
            reference: Vec::new(),
            id,
        })
    }

    /// Whether a model has to judge, whatever the episode ends with.
    pub fn asks_judge(&self) -> bool {
        let string = self.eval.kinds.contains(&JudgedBy::String);
        let html = self.eval.kinds.contains(&JudgedBy::Html);
        let fuzzy = |need: &Requirement| matches!(need, Requirement::Fuzzy(_) | Requirement::NotAvailable);
        (string && self.eval.answers.iter().any(fuzzy))
            || (html && self.eval.targets.iter().any(|target| fuzzy(&target.need)))
    }

    /// Whether the right answer is that it cannot be done.
    pub fn infeasible(&self) -> bool {
        self.eval.answers.contains(&Requirement::NotAvailable)
            || self.verified.as_ref().is_some_and(|checks| checks.infeasible)
    }

    pub(crate) fn is_multi_site(&self) -> bool {
        self.sites.len() > 1
    }

    pub(crate) fn asks_interface(&self) -> bool {
        self.eval.targets.iter().any(|target| {
            target.place == PageLocation::LatestOrder
                || matches!(target.locator, Locator::ReviewAuthor(_) | Locator::ReviewRating(_))
        })
    }
}

/// A page of a site that nobody named is out of reach.
pub(crate) fn off_site<'a>(sites: &Sites, mut pages: impl Iterator<Item = &'a String>) -> Option<String> {
    let allowed = GuardPolicy { origins: sites.origins(), ..GuardPolicy::default() };
    let other = pages.find(|url| !url.is_empty() && !allowed.allows_url(url));
    other.map(|url| format!("{url} is on no site that was named"))
}

/// The sites of a storage state, which its file is named after: `./.auth/gitlab.reddit_state.json`.
fn logins(name: &str, problems: &mut Vec<String>) -> Vec<Site> {
    let file = name.rsplit('/').next().unwrap_or(name);
    let names = file.rsplit_once('_').map_or(file, |(names, _)| names);
    let mut found = Vec::new();
    for name in names.split('.') {
        match name.parse::<Site>() {
            Ok(site) if site.account().is_some() => found.push(site),
            _ => problems.push(format!("no account is known for '{name}'")),
        }
    }
    found
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|one| one.as_str().map(str::to_owned)).collect()
}

fn read_eval(eval: &Map<String, Value>, rules: Rules, problems: &mut Vec<String>) -> Eval {
    let text = |name: &str| eval.get(name).and_then(Value::as_str).map(str::to_owned);
    let mut kinds = Vec::new();
    for kind in eval.get("eval_types").and_then(Value::as_array).into_iter().flatten() {
        match kind.as_str() {
            Some("string_match") => kinds.push(JudgedBy::String),
            Some("url_match") => kinds.push(JudgedBy::Url),
            Some("program_html") => kinds.push(JudgedBy::Html),
            other => problems.push(format!("it is judged by '{}'", other.unwrap_or_default())),
        }
    }
    if kinds.is_empty() {
        problems.push("nothing says how it is judged".to_owned());
    }
    let mut read = Eval { url_note: text("url_note"), reason: text("string_note"), ..Eval::default() };
    if kinds.contains(&JudgedBy::String) {
        match eval.get("reference_answers").and_then(Value::as_object) {
            Some(answers) => {
                for (name, value) in answers {
                    match answer_need(name, value, rules) {
                        Ok(need) => read.answers.extend(need),
                        Err(problem) => problems.push(problem),
                    }
                }
            }
            None => problems.push("its 'reference_answers' is not an object".to_owned()),
        }
        if read.answers.contains(&Requirement::NotAvailable) && read.reason.is_none() {
            problems.push("it has no 'string_note', which says why it cannot be done".to_owned());
        }
    }
    if kinds.contains(&JudgedBy::Url) {
        match text("reference_url") {
            Some(url) => read.reference_url = url,
            None => problems.push("it has no 'reference_url'".to_owned()),
        }
        // Where the rule is not known the original gives no score.
        if let Err(fault) = url::is_there(rules, "", "", read.url_note.as_deref()) {
            problems.push(fault.to_string());
        }
    }
    if kinds.contains(&JudgedBy::Html) {
        match eval.get("program_html").and_then(Value::as_array) {
            Some(targets) => {
                for target in targets {
                    match read_target(target, rules) {
                        Ok(target) => read.targets.push(target),
                        Err(problem) => problems.push(problem),
                    }
                }
            }
            None => problems.push("its 'program_html' is not a list".to_owned()),
        }
    }
    read.kinds = kinds;
    read
}

/// What something is held against; nothing for a name that is not known.
fn requirement(name: &str, value: &Value) -> Result<Option<Requirement>, String> {
    let wrong = || format!("its '{name}' is not of the form that its rules want");
    let list = || texts(value).ok_or_else(wrong);
    Ok(Some(match name {
        "exact_match" => Requirement::Exact(value.as_str().ok_or_else(wrong)?.to_owned()),
        "must_include" => Requirement::Include(list()?),
        "must_exclude" => Requirement::Exclude(list()?),
        "one_of" => Requirement::OneOf(list()?),
        "required_values" => Requirement::Values(list()?),
        "fuzzy_match" => Requirement::Fuzzy(list()?),
        _ => return Ok(None),
    }))
}

/// What an answer is held against; nothing for a name that the version passes over.
fn answer_need(name: &str, value: &Value, rules: Rules) -> Result<Option<Requirement>, String> {
    match name {
        "must_exclude" | "one_of" | "required_values" if rules == Rules::Upstream => Ok(None),
        "fuzzy_match" if value.as_str() == Some(NOT_AVAILABLE) => Ok(Some(Requirement::NotAvailable)),
        name => requirement(name, value),
    }
}

fn read_target(target: &Value, rules: Rules) -> Result<PageTarget, String> {
    let text = |name: &str| {
        let found = target.get(name).and_then(Value::as_str);
        found.ok_or_else(|| format!("a page that it looks at has no '{name}'"))
    };
    let wanted = target.get("required_contents").and_then(Value::as_object);
    let wanted = wanted.ok_or("a page that it looks at has no 'required_contents'")?;
    let names: &[&str] = match rules {
        Rules::Upstream | Rules::Verified => &["exact_match", "must_include"],
        Rules::Lite | Rules::V2 => {
            &["exact_match", "must_include", "must_exclude", "required_values", "fuzzy_match"]
        }
    };
    // The first of these that is there; others are passed over.
    let found = names.iter().find_map(|name| wanted.get(*name).map(|value| (*name, value)));
    let (name, value) = found.ok_or("a page is held against what its rules do not know")?;
    let need = requirement(name, value)?.ok_or("a page is held against what its rules do not know")?;
    if matches!(&need, Requirement::Exclude(all) if all.iter().any(|one| one.contains(crate::text::OR))) {
        return Err(format!("the '{name}' of a page is not of the form that its rules want"));
    }
    let (place, locator) = (text("url")?, text("locator")?);
    if rules == Rules::V2 && (place.starts_with("func") || locator.starts_with("func")) {
        return Err(
            "it looks at a page by a helper that v2 does not have: the original fails there".to_owned()
        );
    }
    let preparing = target.get("prep_actions").and_then(Value::as_array).into_iter().flatten();
    let preparing =
        preparing.filter_map(Value::as_str).map(LocatorScript::preparing).collect::<Result<_, _>>()?;
    Ok(PageTarget { place: PageLocation::parse(place)?, locator: Locator::parse(locator)?, preparing, need })
}

/// Reads the object of a task of WebArena-Verified.
fn verified_task(value: Value, sites: &Sites) -> Result<WebTask, String> {
    let id = value.get("task_id").map(Value::to_string).unwrap_or_default();
    let bad = |message: String| format!("task {id}: {message}");
    match value.get("eval") {
        Some(Value::Array(_)) => {}
        Some(_) => {
            return Err(bad(
                "its 'eval' is that of an older list: --webarena-rules upstream (or lite, or v2)".to_owned(),
            ));
        }
        None => return Err(bad("it has no 'eval'".to_owned())),
    }
    let file: TaskFile = serde_json::from_value(value).map_err(|error| bad(error.to_string()))?;
    let own: Vec<Site> = file.sites.iter().map(|name| name.parse()).collect::<Result<_, _>>().map_err(bad)?;
    let mut start = Value::from(file.start_urls.clone());
    sites.fill(&mut start);
    let mut missing: Vec<Site> = own.iter().copied().filter(|site| sites.address(*site).is_none()).collect();
    missing.extend(unfilled(&start));
    missing.sort();
    missing.dedup();
    let checks = Checks::new(&file, own.clone()).map_err(bad)?;
    let start: Vec<String> =
        start.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    let mut problems = Vec::new();
    if start.is_empty() {
        problems.push("it has no start".to_owned());
    }
    if missing.is_empty() {
        problems.extend(off_site(sites, start.iter()));
    }
    Ok(WebTask {
        id: file.task_id.to_string(),
        old_id: None,
        rules: Rules::Verified,
        logins: own.iter().copied().filter(|site| site.account().is_some()).collect(),
        sites: own,
        start,
        intent: file.intent,
        eval: Eval::default(),
        verified: Some(Box::new(checks)),
        missing,
        problems,
        reference: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn task(change: impl FnOnce(&mut Value)) -> WebTask {
        let mut value = json!({
            "sites": ["gitlab", "reddit"], "task_id": 7, "require_login": true, "old_task_id": 99,
            "storage_state": "./.auth/gitlab.reddit_state.json", "start_url": "__GITLAB__ |AND| __REDDIT__/f/a",
            "geolocation": null, "intent": "Do it", "stray": 1,
            "eval": { "eval_types": ["string_match"], "reference_answers": { "must_include": ["a"] } },
        });
        change(&mut value);
        let sites = ["gitlab=http://h:1", "reddit=http://h:2"].map(|site| site.parse().unwrap());
        WebTask::parse(value, Rules::Lite, &Sites::new(&sites).unwrap()).unwrap()
    }

    #[test]
    fn a_task_says_where_it_starts_and_who_is_signed_in() {
        let task = task(|_| {});
        assert_eq!(task.start, ["http://h:1", "http://h:2/f/a"]);
        assert_eq!(task.logins, [Site::Gitlab, Site::Reddit]);
        assert_eq!((task.id.as_str(), task.old_id.as_deref(), task.is_multi_site()), ("7", Some("99"), true));
        assert!(task.problems.is_empty() && task.missing.is_empty() && !task.asks_judge(), "{task:?}");
    }

    #[test]
    fn what_is_missing_or_not_known_is_said() {
        let missing =
            task(|value| value["eval"]["reference_answers"] = json!({ "exact_match": "__MAP__/x" }));
        assert_eq!(missing.missing, [Site::Map]);
        for eval in [
            json!({ "eval_types": ["page_image_query"] }),
            json!({ "eval_types": [] }),
            json!({ "eval_types": ["string_match"], "reference_answers": "N/A" }),
            json!({ "eval_types": ["string_match"], "reference_answers": { "must_include": "a" } }),
            json!({ "eval_types": ["string_match"], "reference_answers": { "fuzzy_match": "N/A" } }),
            json!({ "eval_types": ["url_match"], "reference_url": null }),
            json!({ "eval_types": ["url_match"], "reference_url": "x", "url_note": "NEAR" }),
            json!({ "eval_types": ["program_html"], "program_html": [{ "url": "last", "locator": "" }] }),
            json!({ "eval_types": ["program_html"], "program_html": [
                { "url": "last", "locator": "document.cookie", "required_contents": { "exact_match": "a" } }] }),
        ] {
            let task = task(|value| value["eval"] = eval.clone());
            assert!(!task.problems.is_empty(), "{eval}");
        }
    }

    #[test]
    fn a_model_is_asked_where_the_rules_ask_for_one() {
        let fuzzy = task(|value| value["eval"]["reference_answers"] = json!({ "fuzzy_match": ["a"] }));
        assert!(fuzzy.asks_judge() && !fuzzy.infeasible());
        let none = task(|value| {
            value["eval"]["reference_answers"] = json!({ "fuzzy_match": "N/A" });
            value["eval"]["string_note"] = "no such user".into();
        });
        assert!(none.asks_judge() && none.infeasible() && none.problems.is_empty());
    }
}

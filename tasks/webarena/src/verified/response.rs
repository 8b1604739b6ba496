//! What an agent answers, in the form that WebArena-Verified asks for, and whether it is the right answer.

use serde_json::Value;
use waldo_agents::python;

use super::data::{ResponseCheck, TaskType};
use super::places::Places;
use super::plain::json as read_json;
use super::schema::Comparing;
use super::typed::Kind;
use super::value::{Node, Normalizer};
use crate::fault::{Result, WebarenaFault};

/// The version of the words below; it changes whenever they do.
pub const FORM_VERSION: &str = "1";

/// What is said to an agent about its answer, behind the task.
const FORM: &str = "\n\nWhen you are done, answer with one JSON object and nothing else:\n\
{\"task_type\": T, \"status\": S, \"retrieved_data\": D, \"error_details\": E}\n\
- T says what the task was about: \"RETRIEVE\" (to find something out), \"MUTATE\" (to create, change or delete \
something) or \"NAVIGATE\" (to end on a certain page).\n\
- S is \"SUCCESS\" where all of it was done. Otherwise it is \"NOT_FOUND_ERROR\" (what the task is about is not there), \
\"ACTION_NOT_ALLOWED_ERROR\" (the site does not offer it), \"PERMISSION_DENIED_ERROR\" (this user may not do it), \
\"DATA_VALIDATION_ERROR\" (what it takes is missing or wrong) or \"UNKNOWN_ERROR\".\n\
- D is null, unless T is \"RETRIEVE\": then it is a list of what was found, all of one type, numbers and true or false \
without quotes; objects have the keys that the task names. An empty list says that there is none.\n\
- E is null after a success, and otherwise says in a sentence what stood in the way.\n\
Also a task that cannot be done is answered in this form.";

/// A task's text with what is said about the form of its answer.
pub fn asked(intent: &str) -> String {
    format!("{intent}{FORM}")
}

const FIELDS: [&str; 4] = ["task_type", "status", "retrieved_data", "error_details"];

/// An agent's last word as a response: in its form where it can be found or mended, and else as it is.
///
/// What is mended is how it is written (words around it, fences, Python's quotes and names, commas at an end, small
/// letters, the older name of the type), and never what it says.
pub fn repaired(answer: &str) -> Value {
    let Some(Value::Object(found)) = objects(answer).into_iter().find_map(|text| {
        let value = serde_json::from_str(&text).ok().or_else(|| serde_json::from_str(&as_json(&text)?).ok());
        value.filter(|value: &Value| {
            ["task_type", "performed_operation", "status"].iter().any(|name| value.get(name).is_some())
        })
    }) else {
        return Value::String(answer.to_owned());
    };
    let field = |name: &str| {
        let value =
            found.get(name).or_else(|| found.get("performed_operation").filter(|_| name == "task_type"));
        match (name, value) {
            ("task_type" | "status", Some(Value::String(text))) => {
                text.trim().to_uppercase().replace([' ', '-'], "_").into()
            }
            (_, value) => value.cloned().unwrap_or(Value::Null),
        }
    };
    Value::Object(FIELDS.iter().map(|name| ((*name).to_owned(), field(name))).collect())
}

/// The texts in an answer that may be the object: from each brace to the one that ends it, the last one first.
fn objects(answer: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = answer;
    while let Some(at) = rest.find('{') {
        rest = rest.get(at..).unwrap_or_default();
        match end_of(rest).and_then(|end| rest.get(..end)) {
            Some(object) => {
                found.insert(0, object.to_owned());
                rest = rest.get(object.len()..).unwrap_or_default();
            }
            None => rest = rest.get(1..).unwrap_or_default(),
        }
    }
    found
}

/// Where the object that a text begins with ends.
fn end_of(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(c) = text.get(at..)?.chars().next() {
        at += match c {
            '"' | '\'' => python::string(text.get(at..)?).map_or(1, |literal| literal.len),
            c => c.len_utf8(),
        };
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// What is written nearly as JSON, as JSON.
fn as_json(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(c) = text.get(at..)?.chars().next() {
        let rest = text.get(at..)?;
        if matches!(c, '"' | '\'') {
            let literal = python::string(rest).ok()?;
            out.push_str(&Value::from(literal.text).to_string());
            at += literal.len;
        } else if c.is_ascii_alphabetic() || c == '_' {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let word = rest.get(..end)?;
            out.push_str(&match word {
                "True" => "true".to_owned(),
                "False" => "false".to_owned(),
                "None" => "null".to_owned(),
                "true" | "false" | "null" => word.to_owned(),
                // A name without quotes is one with them where a colon follows.
                name if rest.get(end..)?.trim_start().starts_with(':') => format!("\"{name}\""),
                _ => return None,
            });
            at += end;
        } else {
            if matches!(c, '}' | ']') && out.trim_end().ends_with(',') {
                out.truncate(out.trim_end().len() - 1);
            }
            out.push(c);
            at += c.len_utf8();
        }
    }
    Some(out)
}

/// Whether a response is what a check expects.
///
/// # Errors
/// [`WebarenaFault::Raised`] where the original reports an error, which counts as failed.
pub(super) fn holds(
    check: &ResponseCheck,
    task_type: TaskType,
    response: &Value,
    places: &Places,
) -> Result<bool> {
    let expected = &check.expected;
    let wanted = retrieved(check, expected.retrieved_data.as_ref().unwrap_or(&Value::Null), places, true)?;
    let parsed;
    let response = match response {
        Value::String(text) => {
            parsed = parsed_text(text)?;
            &parsed
        }
        response => response,
    };
    let Some(response) = response.as_object().filter(|response| !response.is_empty()) else {
        return Ok(false);
    };
    let plain = |text: &str| Normalizer { places: None, strict: true }.one(&text.into(), Some(Kind::Text));
    let named = |name: &str, legacy: &str| match response.get(name).or_else(|| response.get(legacy)) {
        None => Ok(None),
        Some(Value::String(text)) if python::strip(text).is_empty() => Ok(Some(Node::NONE)),
        Some(Value::String(text)) => plain(python::strip(text)).map(Some),
        Some(other) => Err(WebarenaFault::raised(format!("{other} is no text"))),
    };
    let said = [named("task_type", "performed_operation")?, named("status", "status")?];
    let found = match (task_type, response.get("retrieved_data")) {
        (TaskType::Retrieve, Some(data)) if expected.retrieved_data.is_some() => {
            retrieved(check, data, places, false)?
        }
        _ => None,
    };
    // A task that does not name what is to be retrieved is never done, as the original has it.
    let mut parts = vec![Ok(expected.retrieved_data.is_some())];
    for (wanted, said) in [expected.task_type.name(), &expected.status].into_iter().zip(said) {
        parts.push(match said {
            Some(said) => plain(wanted)?.is_met_by(&said, Comparing::default()),
            None => Ok(false),
        });
    }
    if task_type == TaskType::Retrieve {
        parts.push(match (wanted, found) {
            (None, None) => Ok(true),
            (Some(wanted), Some(found)) => {
                wanted.is_met_by(&found, Comparing { ordered: check.ordered, more_names: false })
            }
            _ => Ok(false),
        });
    }
    super::schema::all(parts)
}

/// The response in a text: of a fenced block where there is one.
fn parsed_text(text: &str) -> Result<Value> {
    let fenced = text.split_once("```").and_then(|(_, rest)| {
        let (inner, _) = rest.split_once("```")?;
        Some(inner.strip_prefix("json").unwrap_or(inner))
    });
    Ok(read_json(python::strip(fenced.unwrap_or(text)))?.unwrap_or(Value::Null))
}

/// What was retrieved, or is to be, by its schema; `None` where there is nothing.
fn retrieved(check: &ResponseCheck, data: &Value, places: &Places, strict: bool) -> Result<Option<Node>> {
    if !python::truthy(data) && !matches!(data, Value::Number(_) | Value::Bool(_)) {
        return Ok(None);
    }
    let one = std::slice::from_ref(data);
    let all = data.as_array().map_or(one, Vec::as_slice);
    Normalizer { places: Some(places), strict }.list(all, &check.results_schema).map(Some)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_is_found_and_mended_where_it_is_nearly_one() {
        let right = json!({ "task_type": "RETRIEVE", "status": "SUCCESS", "retrieved_data": ["it's", 1, true], "error_details": null });
        let text = right.to_string();
        for said in [
            text.clone(),
            format!("I found it.\n```json\n{text}\n```\nDone."),
            format!("{{\"draft\": 1}} and then {text}"),
            r#"{'task_type': 'retrieve', 'status': 'Success', 'retrieved_data': ["it's", 1, True,], 'error_details': None}"#.to_owned(),
            r#"{task_type: "RETRIEVE", status: "SUCCESS", retrieved_data: ['it\'s', 1, true], }"#.to_owned(),
            r#"{"performed_operation": "RETRIEVE", "status": "SUCCESS", "retrieved_data": ["it's", 1, true], "more": 1}"#.to_owned(),
        ] {
            assert_eq!(repaired(&said), right, "{said}");
        }
        for said in ["", "it's", "{", "{\"a\": 1}", "[1]", "{'status': x}", "}{'status'"] {
            assert_eq!(repaired(said), json!(said), "{said}");
        }
        assert_eq!(repaired(r#"{"status": "not found error"}"#)["status"], "NOT_FOUND_ERROR");
    }

    #[test]
    fn what_is_asked_names_all_fields_and_statuses() {
        let asked = asked("Find the lamp.");
        assert!(asked.starts_with("Find the lamp.\n\n"));
        for word in FIELDS.into_iter().chain(["RETRIEVE", "MUTATE", "NAVIGATE", "SUCCESS", "UNKNOWN_ERROR"]) {
            assert!(asked.contains(&format!("\"{word}\"")), "{word}");
        }
    }
}

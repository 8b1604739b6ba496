use std::time::Duration;

use serde_json::json;
use waldo_devices::{Deadline, Device, DeviceError, DeviceLayer, Secrets, StateProbe, StateValue};

use super::*;
use crate::record::{CheckResult, Outcome};

struct Page {
    files: Vec<(String, std::path::PathBuf)>,
    asked: Vec<StateProbe>,
    broken: bool,
}

#[async_trait]
impl DeviceLayer for Page {
    fn inner(&self) -> &dyn Device {
        panic!("checks only probe")
    }

    fn inner_mut(&mut self) -> &mut dyn Device {
        panic!("checks only probe")
    }

    fn secrets(&self) -> Secrets {
        Secrets::default()
    }

    async fn probe(&mut self, probe: &StateProbe, _: Deadline) -> Result<StateValue, DeviceError> {
        if self.broken {
            return Err(DeviceError::Gone { reason: "test".into() });
        }
        self.asked.push(probe.clone());
        Ok(match probe {
            StateProbe::Location => StateValue::Text("http://e1.localhost:1/done/?a=1".into()),
            StateProbe::Text => StateValue::Text("Thank you, Ada".into()),
            StateProbe::Js(expr) if expr.contains("(1 + 1)") => StateValue::Json(json!({"value": 2})),
            StateProbe::Js(_) => StateValue::Json(json!({"threw": "TypeError: null"})),
            _ => StateValue::Files(self.files.clone()),
        })
    }
}

fn page() -> Page {
    Page { files: Vec::new(), asked: Vec::new(), broken: false }
}

struct Case {
    state: Value,
    requests: Vec<RequestLog>,
    outcome: Outcome,
    answer: Option<&'static str>,
}

impl Default for Case {
    fn default() -> Self {
        Self { state: json!({}), requests: Vec::new(), outcome: Outcome::Finished, answer: None }
    }
}

/// An instance with these checks (TOML) in place of the toy's.
fn instance(checks: &str, end: &str) -> Instance {
    let (a, b) = (TASK.find("[[check]]").unwrap(), TASK.find("[[reference]]").unwrap());
    let last = TASK.rfind("do = \"key\"").unwrap();
    let end = if end.is_empty() { &TASK[last..] } else { end };
    let top = if end.contains("infeasible") { "infeasible = true\n" } else { "" };
    let task = format!("{top}{}{checks}\n{}{end}", &TASK[..a], &TASK[b..last]);
    let suite = Suite::open(folder(SUITE, &task).path()).unwrap_or_else(|error| panic!("{error}"));
    suite.tasks[0].instance(4, &InstanceContext::default()).unwrap()
}

async fn judged(instance: &Instance, case: &Case, page: &mut Page) -> Vec<CheckResult> {
    let evidence = Evidence {
        state: &case.state,
        requests: &case.requests,
        outcome: &case.outcome,
        answer: case.answer,
        start: None,
        stores: None,
    };
    judge(instance, page, &evidence, Deadline::after(Duration::from_secs(5))).await.unwrap().checks
}

async fn passes(checks: &str, case: &Case) -> bool {
    judged(&instance(checks, ""), case, &mut page()).await.iter().all(|result| result.passed)
}

#[tokio::test]
async fn conditions_on_the_state() {
    let state = json!({
        "n": 5, "text": "5", "yes": true, "names": ["Ada", "Bob"], "price": 12.499, "none": null,
        "deep": {"a/b": [{"q": 1.0}]}, "rich": "Hello World"
    });
    let case = Case { state, ..Case::default() };
    for (pointer, condition, holds) in [
        ("/n", "equals = 5", true),
        ("/n", "equals = \"5\"", true),
        ("/n", "equals = 5.0", true),
        ("/n", "equals = \"five\"", false),
        ("/text", "equals = \"5\"", true),
        ("/text", "equals = 5", false),
        ("/yes", "equals = true", true),
        ("/yes", "equals = \"{{ 1 == 1 }}\"", true),
        ("/yes", "equals = \"1\"", false),
        ("/names", "equals = [\"Ada\", \"Bob\"]", true),
        ("/names", "equals = [\"Bob\", \"Ada\"]", false),
        ("/names", "set_equals = [\"Bob\", \"Ada\"]", true),
        ("/names", "set_equals = [\"Bob\", \"Bob\"]", false),
        ("/names", "set_equals = [\"Bob\"]", false),
        ("/names", "length = 2", true),
        ("/names", "contains = \"Bob\"", true),
        ("/names", "contains = \"Bo\"", false),
        ("/rich", "contains = \"World\"", true),
        ("/rich", "matches = \"^H.*d$\"", true),
        ("/rich", "matches = \"^h\"", false),
        ("/rich", "contains = \"Hello\"\nmatches = \"x\"", false),
        ("/price", "approx = 12.5\ntolerance = 0.01", true),
        ("/price", "approx = 12.5", false),
        ("/text", "approx = 5", true),
        ("/deep", "equals = { \"a/b\" = [{ q = \"1\" }] }", true),
        ("/deep/a~1b/0/q", "equals = 1", true),
        ("/names/1", "equals = \"Bob\"", true),
        ("/names/2", "absent = true", true),
        ("/names/1", "absent = true", false),
        ("/none", "absent = true", false),
        ("/n", "absent = false", true),
        ("/nowhere", "absent = false", false),
        ("/nowhere", "length = 0", false),
    ] {
        let check = format!("[[check]]\nkind = \"state\"\npointer = \"{pointer}\"\n{condition}");
        assert_eq!(passes(&check, &case).await, holds, "{pointer} {condition}");
    }
}

#[tokio::test]
async fn questions_to_the_device() {
    for (check, holds) in [
        ("kind = \"url\"\ncontains = \"/done/\"", true),
        ("kind = \"url\"\nmatches = \"a=2$\"", false),
        ("kind = \"text\"\ncontains = \"Thank you\"", true),
        ("kind = \"js\"\nexpr = \"1 + 1\"\nequals = 2", true),
        ("kind = \"js\"\nexpr = \"1 + 1\"\nequals = 3", false),
        ("kind = \"js\"\nexpr = \"document.querySelector('p').id\"\nequals = \"x\"", false),
    ] {
        assert_eq!(passes(&format!("[[check]]\n{check}"), &Case::default()).await, holds, "{check}");
    }
    let mut page = page();
    let twice = "[[check]]\nkind = \"text\"\ncontains = \"Ada\"\n[[check]]\nkind = \"text\"\nmatches = \"T\"";
    judged(&instance(twice, ""), &Case::default(), &mut page).await;
    assert_eq!(page.asked.len(), 1, "asked once");
}

#[tokio::test]
async fn a_device_that_does_not_answer_is_an_error() {
    let instance = instance("[[check]]\nkind = \"text\"\ncontains = \"x\"", "");
    let mut page = Page { broken: true, ..page() };
    let case = Case::default();
    let evidence = Evidence {
        state: &case.state,
        requests: &[],
        outcome: &case.outcome,
        answer: None,
        start: None,
        stores: None,
    };
    let result = judge(&instance, &mut page, &evidence, Deadline::after(Duration::from_secs(1))).await;
    assert!(matches!(result, Err(TaskError::Device(DeviceError::Gone { .. }))), "{result:?}");
}

#[tokio::test]
async fn requests_are_matched_by_method_path_and_part_of_the_body() {
    let request = |method: &str, path: &str, body: Value| RequestLog {
        method: method.into(),
        path: path.into(),
        query: String::new(),
        body: Some(body),
        status: 200,
    };
    let case = Case {
        requests: vec![
            request("POST", "/_waldo/log/order", json!({"qty": 2, "item": {"sku": "A1", "x": 1}})),
            request("POST", "/_waldo/log/order", json!({"qty": 3})),
            request("GET", "/_waldo/log/order", json!(null)),
        ],
        ..Case::default()
    };
    for (check, holds) in [
        ("method = \"POST\"\npath = \"/_waldo/log/order\"", true),
        ("method = \"post\"\npath = \"/_waldo/log/order\"\ncount = 2", true),
        ("method = \"POST\"\npath = \"/_waldo/log/order\"\ncount = 1", false),
        ("path = \"/_waldo/log/order\"\ncount = 3", true),
        ("path = \"/_waldo/log/order\"\nbody = { qty = \"2\", item = { sku = \"A1\" } }\ncount = 1", true),
        ("path = \"/_waldo/log/order\"\nbody = { qty = 4 }", false),
        ("path = \"/_waldo/log/other\"\ncount = 0", true),
        ("path = \"/_waldo/log/other\"", false),
    ] {
        assert_eq!(passes(&format!("[[check]]\nkind = \"request\"\n{check}"), &case).await, holds, "{check}");
    }
}

#[tokio::test]
async fn downloads_are_matched_by_name_and_content() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "1", "sku,qty\nA1,2\n");
    let mut page = Page { files: vec![("report-7.csv".into(), dir.path().join("1"))], ..page() };
    for (check, holds) in [
        ("name = \"report-*.csv\"", true),
        ("name = \"report-?.csv\"\ncontains = \"A1,2\"", true),
        ("name = \"report-*.csv\"\ncontains = \"B2\"", false),
        ("name = \"report-*.CSV\"", false),
        ("name = \"port-7.csv\"", false),
    ] {
        let instance = instance(&format!("[[check]]\nkind = \"file\"\n{check}"), "");
        let results = judged(&instance, &Case::default(), &mut page).await;
        assert_eq!(results[0].passed, holds, "{check}: {results:?}");
    }
}

#[tokio::test]
async fn answers() {
    let end = "do = \"answer\"\ntext = \"x\"";
    for (check, answer, holds) in [
        ("equals = \"Blue Lamp\"", Some(" blue lamp."), true),
        ("equals = \"Blue Lamp\"", Some("red lamp"), false),
        ("equals = \"Blue Lamp\"", None, false),
        ("one_of = [\"Mon\", \"Monday\"]", Some("monday"), true),
        ("number = \"1{{ 0 }}\"", Some("$10.00"), true),
        ("number = 10\ntolerance = 1", Some("10.9"), true),
        ("list = [\"a\", \"b\"]", Some("b and a"), true),
    ] {
        let instance = instance(&format!("[[check]]\nkind = \"answer\"\n{check}"), end);
        let results = judged(&instance, &Case { answer, ..Case::default() }, &mut page()).await;
        assert_eq!(results[0].passed, holds, "{check} {answer:?}");
    }
}

#[tokio::test]
async fn an_infeasible_task_must_be_declared_so_and_left_alone() {
    let instance = instance("", "do = \"infeasible\"\ntext = \"no such thing\"");
    assert!(instance.infeasible);
    let case = |outcome: Outcome, state: Value| Case { state, outcome, ..Case::default() };
    let untouched = instance.state.clone();
    let mut verdicts = Vec::new();
    for case in [
        case(Outcome::DeclaredInfeasible, untouched.clone()),
        case(Outcome::Finished, untouched.clone()),
        case(Outcome::HandedOver, untouched),
        case(Outcome::DeclaredInfeasible, json!({"saved": ["x"]})),
    ] {
        verdicts.push(judged(&instance, &case, &mut page()).await.iter().all(|r| r.passed));
    }
    assert_eq!(verdicts, [true, false, false, false]);
}

#[tokio::test]
async fn a_feasible_task_that_is_declared_infeasible_fails() {
    let check = "[[check]]\nkind = \"state\"\npointer = \"/n\"\nequals = 1";
    let state = json!({"n": 1});
    assert!(passes(check, &Case { state: state.clone(), ..Case::default() }).await);
    for outcome in [Outcome::DeclaredInfeasible, Outcome::HandedOver] {
        let state = state.clone();
        assert!(!passes(check, &Case { state, outcome, ..Case::default() }).await);
    }
}

#[tokio::test]
async fn what_was_found_is_kept_but_cut() {
    let state = json!({"text": "x".repeat(2000)});
    let check = "[[check]]\nkind = \"state\"\npointer = \"/text\"\nequals = \"y\"";
    let results = judged(&instance(check, ""), &Case { state, ..Case::default() }, &mut page()).await;
    assert_eq!(results[0].found.chars().count(), 501);
    assert_eq!(results[0].what, "state /text equals \"y\"");
}

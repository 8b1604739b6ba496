//! Scores of the original against scores of the port.
//!
//! The original's code is not here. Who has it writes a JSON list of
//! `{func, result, expected, options, score}` with its scores (`"raise…"` where it raised) and names the file
//! in `WALDO_OSWORLD_CASES`, and asks for the test that is left out otherwise.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::fault::Fault;
use super::{Call, find};

/// How far scores may differ: resampling and decoding round differently.
const NEAR: f64 = 1e-6;

#[test]
#[ignore = "needs scores of the original, in the file that WALDO_OSWORLD_CASES names"]
fn scores_are_the_originals() {
    let path = std::env::var_os("WALDO_OSWORLD_CASES").expect("WALDO_OSWORLD_CASES names a file");
    let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for case in &cases {
        let func = case["func"].as_str().unwrap();
        *counts.entry(func.to_owned()).or_default() += 1;
        let call = Call {
            result: case["result"].clone(),
            expected: Some(case["expected"].clone()).filter(|expected| !expected.is_null()),
            options: case["options"].as_object().cloned().unwrap_or_default(),
            scratch: scratch.path().to_owned(),
        };
        let found = find(func).map(|metric| metric(&call));
        let same = match (&found, &case["score"]) {
            (Some(Ok(found)), Value::Number(wanted)) => (found - wanted.as_f64().unwrap()).abs() < NEAR,
            (Some(Err(Fault::Raised(_) | Fault::Expected(_))), Value::String(_)) => true,
            _ => false,
        };
        if !same {
            let said = format!(
                "{found:?} and not {}: {} {} {}",
                case["score"], case["result"], case["expected"], case["options"]
            );
            wrong.entry(func.to_owned()).or_default().push(said);
        }
    }
    for (func, all) in &wrong {
        println!("{func}: {} of {} differ; such as", all.len(), counts[func]);
        for one in all.iter().take(3) {
            println!("  {one}");
        }
    }
    println!("{} cases of {} metrics", cases.len(), counts.len());
    assert!(wrong.is_empty(), "{} metrics differ", wrong.len());
}

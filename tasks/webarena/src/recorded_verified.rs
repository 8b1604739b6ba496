//! What the package said to inputs of our own (`scripts/diff webarena-verified --record`), and what this port says: the same,
//! or nothing.

use std::io::Read as _;

use serde_json::Value;

use crate::fault::WebarenaFault;
use crate::rules::Rules;
use crate::site::Sites;
use crate::task::WebTask;
use crate::verified::judge;
use crate::verified::trace::NetworkTrace;

#[test]
fn the_package_is_reproduced() {
    let mut text = String::new();
    let packed = include_bytes!("verified/recorded.json.gz");
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
    let recorded: Value = serde_json::from_str(&text).unwrap();
    let site = |(name, url): (&String, &Value)| format!("{name}={}", url.as_str().unwrap()).parse().unwrap();
    let sites =
        Sites::new(&recorded["sites"].as_object().unwrap().iter().map(site).collect::<Vec<_>>()).unwrap();
    let (mut equal, mut passed, mut refused, mut different) = (0, 0, Vec::new(), Vec::new());
    let cases = recorded["cases"].as_array().unwrap();
    for case in cases {
        let checks = WebTask::parse(case["task"].clone(), Rules::Verified, &sites).unwrap().verified.unwrap();
        let trace = (!case["har"].is_null()).then(|| NetworkTrace::from_har(&case["har"]).unwrap());
        match judge(&checks, &case["response"], trace.as_ref(), &sites) {
            Ok(found) if Some(found.score) == case["score"].as_f64() => {
                equal += 1;
                passed += usize::from(found.score == 1.0);
            }
            Err(WebarenaFault::Refused(why)) => refused.push(why),
            other => different.push(format!("{other:?}, and not {}: {}", case["score"], case["response"])),
        }
    }
    assert!(
        different.is_empty(),
        "{} differ: {:#?}",
        different.len(),
        different.iter().take(5).collect::<Vec<_>>()
    );
    assert_eq!(equal + refused.len(), cases.len());
    assert!(
        cases.len() >= 4_000 && passed >= 1_000 && refused.len() < 100,
        "{} refused: {refused:?}",
        refused.len()
    );
}

//! Judges cases of WebArena-Verified: lines of JSON with `task`, `response`, `har` and `sites` in, a line with the score and
//! why for each out (`scripts/diff webarena-verified`). A score of null stands for what is refused.

use std::error::Error;
use std::io::BufRead as _;

use serde_json::{Value, json};
use waldo_webarena::verified::{judge, trace::NetworkTrace};
use waldo_webarena::{Rules, Sites, WebTask};

fn verdict(case: &Value) -> Result<(f64, String), Box<dyn Error>> {
    let sites = case["sites"].as_object().ok_or("no sites")?.iter();
    let sites: Result<Vec<_>, String> =
        sites.map(|(name, url)| format!("{name}={}", url.as_str().unwrap_or_default()).parse()).collect();
    let sites = Sites::new(&sites?)?;
    let task = WebTask::parse(case["task"].clone(), Rules::Verified, &sites)?;
    let trace = if case["har"].is_null() { None } else { Some(NetworkTrace::from_har(&case["har"])?) };
    let checks = task.verified.ok_or("no checks")?;
    let found = judge(&checks, &case["response"], trace.as_ref(), &sites)?;
    Ok((found.score, format!("{:?}", found.parts)))
}

fn main() -> Result<(), Box<dyn Error>> {
    for line in std::io::stdin().lock().lines() {
        let said = match verdict(&serde_json::from_str(&line?)?) {
            Ok((score, why)) => json!({ "score": score, "why": why }),
            Err(fault) => json!({ "score": null, "why": fault.to_string() }),
        };
        println!("{said}");
    }
    Ok(())
}

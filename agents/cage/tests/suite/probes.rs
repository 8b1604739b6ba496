//! One feature a probe, caged and under CPython: the snapshots say which differ, so that another version of
//! the engine shows what it changes.

use std::fmt::Write as _;

use waldo_cage::{CageError, Script};

use super::support::{data, frames, limits, run_with, twins};

/// The probes of a file: a line of three hashes and a name, then the source.
pub fn probes(file: &str) -> Vec<(&str, &str)> {
    file.split("### ")
        .skip(1)
        .map(|probe| probe.split_once('\n').expect("a probe has a name and a source"))
        .collect()
}

/// A probe of the second file is the body of a function that gets frames.
fn entered(source: &str) -> String {
    let body: String = source.lines().map(|line| format!("    {line}\n")).collect();
    format!("def solve(frames):\n{body}")
}

async fn table(cases: Vec<(&str, String, Option<&str>)>) -> (String, usize) {
    let sources: Vec<_> = cases.iter().map(|(_, source, entry)| (source.as_str(), *entry)).collect();
    let twins = twins(&sources);
    let mut table = String::new();
    let mut passed = 0;
    for (i, (name, source, entry)) in cases.iter().enumerate() {
        let script = match entry {
            Some(entry) => Script::calling(source.clone(), *entry, frames()),
            None => Script::plain(source.clone()),
        };
        let (result, toy) = run_with(&script, &limits()).await;
        let (printed, error) = match &result {
            Ok(outcome) => (outcome.printed.as_str(), None),
            Err(CageError::Raised(error)) => (error.printed.as_str(), Some(error.kind.clone())),
            Err(CageError::Refused(refusals)) => {
                assert!(toy.trace.is_empty(), "{name}: refused only after {:?}", toy.trace);
                let _ = writeln!(table, "{name}: refused, {}", refusals[0].what);
                continue;
            }
            Err(other) => {
                let _ = writeln!(table, "{name}: {other}");
                continue;
            }
        };
        let same = twins.as_ref().is_none_or(|twins| {
            let twin = &twins[i];
            twin.printed == printed && twin.trace == toy.trace && twin.error == error
        });
        if same {
            passed += 1;
            let _ = writeln!(table, "{name}: pass");
        } else {
            let error = result.as_ref().err().map(ToString::to_string);
            let _ = writeln!(table, "{name}: differs: {printed:?} {error:?}");
            if let Some(twins) = &twins {
                let _ = writeln!(table, "    CPython: {:?} {:?}", twins[i].printed, twins[i].error);
                if twins[i].trace != toy.trace {
                    let _ = writeln!(table, "    traces: {:?}\n        and {:?}", toy.trace, twins[i].trace);
                }
            }
        }
    }
    (table, passed)
}

#[tokio::test]
async fn features_and_suspension_forms() {
    for (name, least, entry) in [("features", 90, None), ("suspension_forms", 28, Some("solve"))] {
        let file = data(if entry.is_none() { "features.py" } else { "forms.py" });
        let probes = probes(&file);
        assert!(probes.len() >= least, "{name}");
        let source = |source: &str| if entry.is_none() { source.to_owned() } else { entered(source) };
        let (table, passed) = table(probes.into_iter().map(|(n, s)| (n, source(s), entry)).collect()).await;
        insta::assert_snapshot!(name, format!("{table}\npassed: {passed}\n"));
    }
}

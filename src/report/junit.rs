//! JUnit XML: a suite for each contestant, a case for each episode.
//!
//! An episode that is not a full success is a failure with the first check that did not hold; an
//! invalid one is an error; a declared one without a result, and one that nothing checked, is skipped.

use std::io::{self, Write};

use waldo_devices::count::count;
use waldo_tasks::{Manifest, Outcome};

use super::data::{Data, ReportEpisode};
use super::words::{cut, xml};

pub fn write(to: &mut dyn Write, manifest: &Manifest, data: &Data<'_>) -> io::Result<()> {
    let all = || data.episodes.iter();
    writeln!(to, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(to, "<testsuites name=\"{}\" {}>", xml(&manifest.suite), counts(all()))?;
    for contestant in &data.contestants {
        let own = || all().filter(|e| e.contestant == contestant.index);
        writeln!(
            to,
            "  <testsuite name=\"{}\" timestamp=\"{}\" {}>",
            xml(&contestant.name),
            manifest.started.strftime("%Y-%m-%dT%H:%M:%S"),
            counts(own())
        )?;
        for episode in own() {
            case(to, manifest, episode)?;
        }
        writeln!(to, "  </testsuite>")?;
    }
    writeln!(to, "</testsuites>")
}

fn counts<'a>(episodes: impl Iterator<Item = &'a ReportEpisode<'a>>) -> String {
    let (mut tests, mut failures, mut errors, mut skipped, mut time) = (0, 0, 0, 0, 0.0);
    for episode in episodes {
        tests += 1;
        match episode.result {
            None => skipped += 1,
            Some(r) if r.is_invalid() => errors += 1,
            Some(r) if !episode.judged || r.success.is_none() || r.assisted => skipped += 1,
            Some(r) if r.falls_short() => failures += 1,
            Some(_) => {}
        }
        time += episode.result.map_or(0.0, |r| r.wall.as_secs_f64());
    }
    format!(
        "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{time:.3}\""
    )
}

fn case(to: &mut dyn Write, manifest: &Manifest, episode: &ReportEpisode<'_>) -> io::Result<()> {
    let name = if manifest.repeats > 1 {
        format!("{} r{}", episode.task.id, episode.repeat)
    } else {
        episode.task.id.clone()
    };
    let time = episode.result.map_or(0.0, |r| r.wall.as_secs_f64());
    write!(
        to,
        "    <testcase classname=\"{}.{}\" name=\"{}\" time=\"{time:.3}\"",
        xml(&manifest.suite),
        xml(&episode.task.category),
        xml(&name)
    )?;
    let Some(result) = episode.result else {
        return writeln!(to, "><skipped message=\"no result\"/></testcase>");
    };
    if let Outcome::Invalid { reason } = &result.outcome {
        return writeln!(
            to,
            "><error type=\"invalid\" message=\"{}\">{}</error></testcase>",
            xml(&cut(reason, 200)),
            xml(reason)
        );
    }
    let Some(success) = result.success.filter(|_| episode.judged) else {
        return writeln!(to, "><skipped message=\"nothing was checked\"/></testcase>");
    };
    if result.assisted {
        return writeln!(to, "><skipped message=\"a person took part in it\"/></testcase>");
    }
    if success >= 1.0 {
        return writeln!(to, "/>");
    }
    let first = result.checks.iter().find(|c| !c.passed).map_or_else(
        || format!("success {success} after {}", count(result.steps, "step")),
        |c| c.what.clone(),
    );
    write!(to, "><failure type=\"{}\" message=\"{}\">", result.outcome.name(), xml(&cut(&first, 200)))?;
    let budget = count(result.max_steps, "step");
    writeln!(to, "{} after {} of {budget}", result.outcome.name(), result.steps)?;
    for check in &result.checks {
        let sign = if check.passed { "held" } else { "failed" };
        write!(to, "{sign}: {}", xml(&check.what))?;
        if !check.found.is_empty() {
            write!(to, " (found: {})", xml(&check.found))?;
        }
        writeln!(to)?;
    }
    writeln!(to, "</failure></testcase>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing;

    #[test]
    fn failures_errors_and_missing_episodes_are_told_apart() {
        let (manifest, mut results) = testing::run();
        results[0].outcome = Outcome::Invalid { reason: "a <b> \u{1} & c".into() };
        results.remove(1);
        let mut out = Vec::new();
        write(&mut out, &manifest, &testing::data(&manifest, &results, &[])).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("a &lt;b&gt; \u{fffd} &amp; c"), "{out}");
        assert!(out.contains("errors=\"1\" skipped=\"1\""), "{out}");
        assert!(out.contains("<skipped message=\"no result\"/>") && out.contains("<failure type="), "{out}");
        assert_eq!(out.matches("<testcase").count(), manifest.tasks.len() * manifest.contestants.len());
    }
}

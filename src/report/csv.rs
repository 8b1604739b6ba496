//! One line an episode, for spreadsheets.
//!
//! Quoted as RFC 4180 asks. A text that a spreadsheet would take for a formula gets an apostrophe in
//! front: claims and found values come from models and pages.

use std::io::{self, Write};

use waldo_devices::word_list;
use waldo_tasks::{EpisodeResult, Manifest, Outcome};

const HEAD: [&str; 27] = word_list(
    "contestant agent model task title category level platform repeat outcome reason success steps \
     max_steps seed checks_passed checks first_failed_check claim prompt_tokens completion_tokens cost_usd \
     model_calls wall_seconds attempts partial questions",
);

pub fn write(to: &mut dyn Write, manifest: &Manifest, results: &[EpisodeResult]) -> io::Result<()> {
    line(to, HEAD.iter().map(|s| (*s).to_owned()))?;
    for r in results {
        let contestant = manifest.contestants.iter().find(|c| c.name == r.key.contestant);
        let task = manifest.tasks.iter().find(|t| t.id == r.key.task);
        let reason = if let Outcome::Invalid { reason } = &r.outcome { reason.as_str() } else { "" };
        let failed = r.checks.iter().find(|c| !c.passed);
        let number = |n: Option<u64>| n.map(|n| n.to_string()).unwrap_or_default();
        line(
            to,
            [
                text(&r.key.contestant),
                contestant.map(|c| text(&c.agent)).unwrap_or_default(),
                contestant.and_then(|c| c.model.as_deref()).map(text).unwrap_or_default(),
                text(&r.key.task),
                task.map(|t| text(&t.title)).unwrap_or_default(),
                task.map(|t| text(&t.category)).unwrap_or_default(),
                task.map(|t| text(&t.level)).unwrap_or_default(),
                task.map(|t| t.platform.as_str().to_owned()).unwrap_or_default(),
                r.key.repeat.to_string(),
                r.outcome.name().to_owned(),
                text(reason),
                r.success.filter(|_| manifest.is_judged()).map(|s| s.to_string()).unwrap_or_default(),
                r.steps.to_string(),
                r.max_steps.to_string(),
                r.seed.to_string(),
                r.checks.iter().filter(|c| c.passed).count().to_string(),
                r.checks.len().to_string(),
                failed.map(|c| text(&c.what)).unwrap_or_default(),
                r.claim.as_deref().map(text).unwrap_or_default(),
                number(r.usage.prompt),
                number(r.usage.completion),
                r.usage.micro_usd.map(|m| format!("{:.6}", m as f64 / 1e6)).unwrap_or_default(),
                r.model_calls.to_string(),
                format!("{:.3}", r.wall.as_secs_f64()),
                r.attempts.to_string(),
                r.partial.map(|share| share.to_string()).unwrap_or_default(),
                r.questions.to_string(),
            ],
        )?;
    }
    Ok(())
}

pub(super) fn line(to: &mut dyn Write, fields: impl IntoIterator<Item = String>) -> io::Result<()> {
    let fields: Vec<String> = fields.into_iter().map(|f| quoted(&f)).collect();
    write!(to, "{}\r\n", fields.join(","))
}

pub(super) fn text(s: &str) -> String {
    if s.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{s}") } else { s.to_owned() }
}

/// A field as it stands in the file: disarmed and quoted.
pub(super) fn field(s: &str) -> String {
    quoted(&text(s))
}

fn quoted(s: &str) -> String {
    if s.contains(['"', ',', '\n', '\r']) || s.starts_with(' ') || s.ends_with(' ') {
        format!("\"{}\"", s.replace('"', "\"\""))
    } else {
        s.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing;

    #[test]
    fn fields_are_quoted_and_formulas_disarmed() {
        let (manifest, mut results) = testing::run();
        results.truncate(1);
        results[0].claim = Some("=HYPERLINK(\"x\"),\nyes".into());
        let mut out = Vec::new();
        write(&mut out, &manifest, &results).unwrap();
        let out = String::from_utf8(out).unwrap();
        let (head, rest) = out.split_once("\r\n").unwrap();
        assert_eq!(head.split(',').count(), HEAD.len());
        assert!(rest.contains("\"'=HYPERLINK(\"\"x\"\"),\nyes\""), "{rest}");
    }
}

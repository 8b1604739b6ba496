//! The table of changed solutions, where `waldo check --mutate` kept one in the run's folder.

use std::path::Path;

use serde::{Deserialize, Serialize};
use waldo_devices::foreign;
use waldo_tasks::mutants::{FILE, MutantKind, Verdict};

use super::words::cut;

/// Survivors and refused ones that the page shows.
const SHOWN: usize = 100;
/// Lines of a difference, and of the checks that failed, that the page shows.
const LINES: usize = 8;
const LINE: usize = 300;

#[derive(Deserialize)]
struct Found {
    mutants: Vec<FoundMutant>,
}

#[derive(Deserialize)]
struct FoundMutant {
    task: String,
    kind: MutantKind,
    what: String,
    verdict: Verdict,
    #[serde(default)]
    difference: Vec<String>,
    #[serde(default)]
    failed: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct MutantTable {
    columns: [&'static str; Verdict::ALL.len()],
    rows: Vec<(&'static str, [usize; Verdict::ALL.len()])>,
    wrong: Vec<WrongMutant>,
    /// How many of the wrong ones are not in the page.
    more: usize,
}

/// A mutant whose score does not follow from its end.
#[derive(Clone, Debug, Serialize)]
struct WrongMutant {
    task: String,
    kind: &'static str,
    what: String,
    verdict: &'static str,
    lines: Vec<String>,
}

/// The table of the run in `folder`; none where there is no readable file of mutants.
pub(super) fn read(folder: &Path) -> Option<MutantTable> {
    let text = foreign::read_text(folder, &folder.join(FILE), foreign::TEXT_BYTES).ok()?;
    let Found { mutants } = serde_json::from_str(&text).ok()?;
    let counts = |of: &dyn Fn(&FoundMutant) -> bool| {
        Verdict::ALL.map(|verdict| mutants.iter().filter(|one| of(one) && one.verdict == verdict).count())
    };
    let mut rows: Vec<_> =
        MutantKind::ALL.into_iter().map(|kind| (kind.name(), counts(&|one| one.kind == kind))).collect();
    rows.retain(|(_, counts)| counts.iter().sum::<usize>() > 0);
    rows.push(("all", counts(&|_| true)));
    let mut wrong: Vec<WrongMutant> = mutants
        .iter()
        .filter(|one| matches!(one.verdict, Verdict::Survived | Verdict::Refused))
        .map(|one| WrongMutant {
            task: cut(&one.task, LINE),
            kind: one.kind.name(),
            what: cut(&one.what, LINE),
            verdict: one.verdict.name(),
            lines: [&one.difference, &one.failed]
                .into_iter()
                .flat_map(|lines| lines.iter().take(LINES).map(|line| cut(line, LINE)))
                .collect(),
        })
        .collect();
    let more = wrong.len().saturating_sub(SHOWN);
    wrong.truncate(SHOWN);
    Some(MutantTable { columns: Verdict::ALL.map(Verdict::name), rows, wrong, more })
}

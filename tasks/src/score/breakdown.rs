//! The score table by platform, and the mean over platforms.
//!
//! Invariant: EQA is computed on each platform by itself, in the declared order of its tasks; the
//! suite's value is the mean of the platforms weighted by their tasks, never a pool of all.

use serde::{Deserialize, Serialize};
use waldo_devices::Platform;

use super::platforms::{Missing, PlatformMean, PlatformScore, platform_mean};
use super::table::{ScoreRow, table};
use crate::record::{EpisodeResult, Manifest};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlatformRow {
    pub platform: Platform,
    /// How many tasks it declares: its weight in the mean.
    pub tasks: usize,
    /// The scores, as in the table of the whole run.
    #[serde(flatten)]
    pub row: ScoreRow,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Breakdown {
    pub contestant: String,
    /// One row a platform, in the order in which the tasks first name them.
    pub platforms: Vec<PlatformRow>,
    /// The task-weighted mean; a platform without a scored episode counts as 0 and is named.
    pub suite: PlatformMean,
}

/// The table by platform, in the manifest's order of contestants; `budget` as for [`table`], which made `whole` of the
/// same. Where there is but one platform its rows are those, and nothing is resampled once more.
pub fn by_platform(
    manifest: &Manifest,
    results: &[EpisodeResult],
    budget: Option<u32>,
    whole: &[ScoreRow],
) -> Vec<Breakdown> {
    let mut platforms: Vec<Platform> = Vec::new();
    for task in &manifest.tasks {
        if !platforms.contains(&task.platform) {
            platforms.push(task.platform);
        }
    }
    let mut found: Vec<Breakdown> = manifest
        .contestants
        .iter()
        .map(|c| Breakdown {
            contestant: c.name.clone(),
            platforms: Vec::new(),
            suite: PlatformMean::default(),
        })
        .collect();
    for &platform in &platforms {
        let tasks = manifest.tasks.iter().filter(|task| task.platform == platform).count();
        let rows = if platforms.len() == 1 {
            whole.to_vec()
        } else {
            let mut part = manifest.clone();
            part.tasks.retain(|task| task.platform == platform);
            table(&part, results, budget)
        };
        for (to, row) in found.iter_mut().zip(rows) {
            to.platforms.push(PlatformRow { platform, tasks, row });
        }
    }
    for one in &mut found {
        let parts: Vec<PlatformScore> = one
            .platforms
            .iter()
            .map(|p| PlatformScore {
                platform: p.platform.as_str().to_owned(),
                tasks: p.tasks,
                sr: (p.row.n > 0).then_some(p.row.sr),
                eqa: (p.row.n > 0).then_some(p.row.eqa),
            })
            .collect();
        one.suite = platform_mean(&parts, Missing::AsZero);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::table::testing::{manifest, result};
    use super::*;

    #[test]
    fn platforms_are_scored_by_themselves_and_their_mean_weighs_by_tasks() {
        let mut run = manifest(3, 1);
        run.tasks[1].platform = Platform::Android;
        let results =
            [result("noop", 0, 0, 1.0, 5), result("noop", 1, 0, 1.0, 10), result("noop", 2, 0, 0.0, 10)];
        let all = by_platform(&run, &results, None, &table(&run, &results, None));
        let noop = &all[0];
        assert_eq!(
            noop.platforms.iter().map(|p| (p.platform, p.tasks)).collect::<Vec<_>>(),
            [(Platform::Web, 2), (Platform::Android, 1)]
        );
        assert!((noop.platforms[0].row.eqa - 44.0 / 101.0).abs() < 1e-12);
        assert!((noop.platforms[1].row.eqa - 0.5).abs() < 1e-12);
        assert!((noop.suite.eqa - (2.0 * 44.0 / 101.0 + 0.5) / 3.0).abs() < 1e-12);
        assert!((noop.suite.sr - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(all[1].suite.missing, ["web", "android"]);
        let manifest = manifest(2, 2);
        let results = [result("noop", 0, 0, 1.0, 3), result("noop", 1, 1, 0.5, 9)];
        let whole = table(&manifest, &results, Some(5));
        let parts = by_platform(&manifest, &results, Some(5), &whole);
        assert_eq!(parts[0].platforms[0].row, whole[0]);
        assert_eq!((parts[0].suite.sr, parts[0].suite.eqa), (whole[0].sr, whole[0].eqa));
    }
}

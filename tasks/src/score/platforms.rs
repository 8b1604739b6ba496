//! One number over several platforms: the mean of the platforms' scores, weighted by how many tasks
//! each has. EQA is computed on each platform by itself and then averaged, never pooled.

use serde::{Deserialize, Serialize};

/// What a platform without a score counts as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// As a score of 0 over all its tasks: what cannot be run is not solved.
    #[default]
    AsZero,
    /// It is left out, weight and all; the mean is then over fewer tasks.
    LeftOut,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlatformScore {
    pub platform: String,
    /// How many tasks it declares: its weight.
    pub tasks: usize,
    /// Success rate; none when it was not run.
    pub sr: Option<f64>,
    pub eqa: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlatformMean {
    pub tasks: usize,
    pub sr: f64,
    pub eqa: f64,
    /// Platforms without a score, by name.
    pub missing: Vec<String>,
}

/// The task-weighted mean of `parts`; all 0 when no task is left to average over.
pub(crate) fn platform_mean(parts: &[PlatformScore], missing: Missing) -> PlatformMean {
    let mut mean = PlatformMean::default();
    for part in parts {
        let scores = part.sr.zip(part.eqa);
        if scores.is_none() {
            mean.missing.push(part.platform.clone());
            if missing == Missing::LeftOut {
                continue;
            }
        }
        let (sr, eqa) = scores.unwrap_or_default();
        mean.tasks += part.tasks;
        mean.sr += sr * part.tasks as f64;
        mean.eqa += eqa * part.tasks as f64;
    }
    if mean.tasks > 0 {
        mean.sr /= mean.tasks as f64;
        mean.eqa /= mean.tasks as f64;
    }
    mean
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{eq1, eq2};

    fn parts(weights: [usize; 5], cells: [Option<(f64, f64)>; 5]) -> Vec<PlatformScore> {
        ["windows", "macos", "linux", "android", "web"]
            .into_iter()
            .zip(weights)
            .zip(cells)
            .map(|((platform, tasks), cell)| PlatformScore {
                platform: platform.into(),
                tasks,
                sr: cell.map(|c| c.0),
                eqa: cell.map(|c| c.1),
            })
            .collect()
    }

    /// The task counts that the published averages of the one-app level fit.
    const ONE_APP: [usize; 5] = [145, 35, 268, 116, 155];

    #[test]
    fn published_averages_come_out_and_a_platform_that_was_not_run_is_named() {
        let rows = [
            ([(5.56, 3.27), (0., 0.), (6.83, 4.35), (18.97, 8.93), (1.94, 1.53)], 7.14, 4.05),
            ([(11.08, 5.98), (11.43, 6.58), (26.51, 18.65), (30.17, 17.93), (12.26, 6.98)], 20.18, 12.87),
            ([(17.93, 11.84), (11.43, 8.38), (31.38, 25.44), (45.69, 35.22), (9.68, 7.53)], 25.33, 19.58),
        ];
        for (cells, sr, eqa) in rows {
            let mean = platform_mean(&parts(ONE_APP, cells.map(Some)), Missing::AsZero);
            assert_eq!(mean.tasks, 719);
            assert!((mean.sr - sr).abs() < 0.0101 && (mean.eqa - eqa).abs() < 0.0101, "{mean:?} {sr} {eqa}");
        }
        let mean = platform_mean(
            &parts(ONE_APP, [(5.56, 3.27), (0., 0.), (6.83, 4.35), (18.97, 8.93), (1.94, 1.53)].map(Some)),
            Missing::AsZero,
        );
        assert!((eq1(mean.sr, mean.eqa).unwrap() - 0.567).abs() < 1e-3);
        assert!((eq2(mean.sr, mean.eqa) - 3.09).abs() < 0.01);
        let cells = [Some((3.21, 3.01)), Some((2.86, 0.82)), Some((4.95, 3.98)), Some((6.67, 6.58)), None];
        let all = platform_mean(&parts([33, 35, 101, 30, 47], cells), Missing::AsZero);
        assert!((all.sr - 3.68).abs() < 0.01 && (all.eqa - 2.96).abs() < 0.01, "{all:?}");
        assert_eq!((all.tasks, all.missing.as_slice()), (246, &["web".to_owned()][..]));
        let fewer = platform_mean(&parts([33, 35, 101, 30, 47], cells), Missing::LeftOut);
        assert_eq!(fewer.tasks, 199);
        assert!(fewer.sr > all.sr);
        assert_eq!(platform_mean(&[], Missing::AsZero), PlatformMean::default());
    }
}

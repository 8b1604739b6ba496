//! What planners described and where it was located: a table of all of it, and its sums.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Deserialize;
use waldo_agents::planner::Grounding;
use waldo_devices::word_list;
use waldo_tasks::RunFolder;
use waldo_tasks::parallel::on_all_processors;

use super::csv::{line, text};
use super::data::Data;
use super::markdown::plain;
use super::words::percent;

const HEAD: [&str; 16] = word_list(
    "contestant task repeat step grounder action description shots x y first_x first_y role name refused ms",
);

/// What an event tells of groundings: most of a record is never made of values.
#[derive(Deserialize)]
struct PlannedEvent {
    event: String,
    #[serde(default)]
    step: u32,
    decision: Option<PlannedDecision>,
}

#[derive(Deserialize)]
struct PlannedDecision {
    plan: Option<PlannedGroundings>,
}

#[derive(Deserialize)]
struct PlannedGroundings {
    #[serde(default)]
    groundings: Vec<Grounding>,
}

struct GroundingRow {
    contestant: String,
    task: String,
    repeat: u32,
    step: u32,
    grounding: Grounding,
}

/// All groundings of a run, in the declared order of its episodes.
#[derive(Default)]
pub(super) struct GroundingTable(Vec<GroundingRow>);

#[derive(Default)]
struct Sums {
    asked: u32,
    refused: u32,
    on_element: u32,
    second: u32,
    moved: u32,
}

impl GroundingTable {
    /// Reads them from the records. A record that cannot be read has none; the page says so.
    pub(super) fn read(run: &RunFolder, data: &Data<'_>) -> Self {
        let ended: Vec<_> = data.episodes.iter().filter(|episode| episode.result.is_some()).collect();
        let read = on_all_processors(&ended, |episode| {
            let key = episode.key(&data.contestants[episode.contestant].name);
            let mut own = Vec::new();
            for event in run.episode(&key).events_as::<PlannedEvent>().unwrap_or_default() {
                if event.event == "started" {
                    own.clear();
                }
                let plan = event.decision.and_then(|decision| decision.plan);
                own.extend(plan.into_iter().flat_map(|plan| plan.groundings).map(|grounding| GroundingRow {
                    contestant: key.contestant.clone(),
                    task: key.task.clone(),
                    repeat: key.repeat,
                    step: event.step,
                    grounding,
                }));
            }
            own
        });
        Self(read.into_iter().flatten().collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn csv(&self, to: &mut dyn Write) -> io::Result<()> {
        line(to, HEAD.map(str::to_owned))?;
        for l in &self.0 {
            let g = &l.grounding;
            let number = |point: Option<[f64; 2]>, at: usize| {
                point.map(|p| format!("{:.1}", p[at])).unwrap_or_default()
            };
            line(
                to,
                [
                    text(&l.contestant),
                    text(&l.task),
                    l.repeat.to_string(),
                    l.step.to_string(),
                    text(&g.grounder),
                    text(&g.action),
                    text(&g.description),
                    g.shots.to_string(),
                    number(g.point, 0),
                    number(g.point, 1),
                    number(g.first_point, 0),
                    number(g.first_point, 1),
                    text(g.hit.as_ref().map_or("", |hit| &hit.role)),
                    text(g.hit.as_ref().map_or("", |hit| &hit.name)),
                    text(g.refused.as_deref().unwrap_or_default()),
                    g.took.as_millis().to_string(),
                ],
            )?;
        }
        Ok(())
    }

    /// The sums by contestant and grounder; empty where nothing was located.
    pub(super) fn markdown(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let mut sums: BTreeMap<(&str, &str), Sums> = BTreeMap::new();
        for l in &self.0 {
            let g = &l.grounding;
            let sum = sums.entry((&l.contestant, &g.grounder)).or_default();
            sum.asked += 1;
            sum.refused += u32::from(g.refused.is_some());
            sum.on_element += u32::from(g.hit.is_some());
            sum.second += u32::from(g.shots > 1);
            sum.moved += u32::from(g.first_point.is_some());
        }
        let mut out = String::from(
            "\n## Grounding\n\n| contestant | grounder | descriptions | refused % | on an element % | second shots | of these moved |\n|---|---|--:|--:|--:|--:|--:|\n",
        );
        for ((contestant, grounder), sum) in sums {
            let share = |n: u32| percent(f64::from(n) / f64::from(sum.asked.max(1)));
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} | {} |",
                plain(contestant),
                plain(grounder),
                sum.asked,
                share(sum.refused),
                share(sum.on_element),
                sum.second,
                sum.moved
            );
        }
        out.push_str("\nEvery description with its place is in grounding.csv.\n");
        out
    }
}

use serde::Serialize;
use serde_json::Value;
use waldo_devices::word_list;
use waldo_tasks::Manifest;
use waldo_tasks::score::{Breakdown, LevelTable, ScoreRow, eq1, eq2};

use super::data::Data;

/// Raised when a reader of the old form would be misled.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct Summary<'a> {
    format: u32,
    waldo: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'a str>,
    suite: &'a str,
    suite_hash: &'a str,
    /// Whether anything but the agents' own word is behind the scores.
    judged: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    partition: Option<&'a str>,
    tasks: usize,
    repeats: u32,
    seed: u64,
    max_steps: u32,
    contestants: Vec<SummaryRow<'a>>,
    platforms: &'a [Breakdown],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    levels: &'a [LevelTable],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    budgets: Vec<AtBudget<'a>>,
}

#[derive(Serialize)]
struct AtBudget<'a> {
    max_steps: u32,
    contestants: Vec<SummaryRow<'a>>,
}

#[derive(Serialize)]
struct SummaryRow<'a> {
    #[serde(flatten)]
    row: &'a ScoreRow,
    stand_in: bool,
    eq1: Option<f64>,
    eq2: f64,
}

fn lines(rows: &[ScoreRow]) -> Vec<SummaryRow<'_>> {
    rows.iter()
        .map(|row| SummaryRow {
            row,
            stand_in: row.contestant.is_stand_in(),
            eq1: eq1(row.sr, row.eqa),
            eq2: eq2(row.sr, row.eqa),
        })
        .collect()
}

/// What says how well somebody did, wherever it stands.
const SCORES: [&str; 11] =
    word_list("sr sr_ci eqa eqa_ci eqa_step eqa_exact eq1 eq2 solved solved_first wilson");

/// Makes null of every score: nothing checked what they count.
pub fn unscored(said: &mut Value) {
    match said {
        Value::Array(list) => list.iter_mut().for_each(unscored),
        Value::Object(fields) => {
            for (name, value) in fields {
                if SCORES.contains(&name.as_str()) { *value = Value::Null } else { unscored(value) }
            }
        }
        _ => {}
    }
}

pub fn json(manifest: &Manifest, data: &Data<'_>) -> Result<Vec<u8>, serde_json::Error> {
    let summary = Summary {
        format: FORMAT,
        waldo: &manifest.waldo,
        commit: manifest.commit.as_deref(),
        suite: &manifest.suite,
        suite_hash: &manifest.suite_hash,
        judged: manifest.is_judged(),
        partition: manifest.partition.as_deref(),
        tasks: manifest.tasks.len(),
        repeats: manifest.repeats,
        seed: manifest.seed,
        max_steps: data.budget,
        contestants: lines(&data.scores.rows),
        platforms: &data.scores.platforms,
        levels: &data.scores.levels,
        budgets: data
            .scores
            .budgets
            .iter()
            .map(|(steps, rows)| AtBudget { max_steps: *steps, contestants: lines(rows) })
            .collect(),
    };
    let mut bytes = if manifest.is_judged() {
        serde_json::to_vec_pretty(&summary)?
    } else {
        let mut said = serde_json::to_value(&summary)?;
        unscored(&mut said);
        serde_json::to_vec_pretty(&said)?
    };
    bytes.push(b'\n');
    Ok(bytes)
}

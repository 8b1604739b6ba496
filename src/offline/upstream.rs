//! The benchmark's own result files, for those whose tools read them.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;
use waldo_offline::{l1_sheet, l2_sheet};
use waldo_tasks::TaskError;
use waldo_tasks::record::{write_json, write_whole};

use super::LevelError;
use super::answers::{Answers, LevelManifest};
use super::bench::{Bench, Items};
use super::scores::{LevelRow, judged_place, judged_question};

const FOLDER: &str = "mmbench";

/// Writes scores and results of every contestant under the benchmark's names.
pub fn write(
    folder: &Path,
    manifest: &LevelManifest,
    bench: &Bench,
    answers: &Answers,
    rows: &[LevelRow],
) -> Result<(), LevelError> {
    let dir = folder.join(FOLDER);
    std::fs::create_dir_all(&dir).map_err(TaskError::io("make", &dir))?;
    for (contestant, row) in manifest.contestants.iter().zip(rows) {
        let name = &contestant.name;
        match &bench.items {
            // A question that was asked several times has no one prediction.
            Items::L1(questions) if !bench.reading.circular => {
                let answered: BTreeMap<_, _> = questions
                    .iter()
                    .filter_map(|question| {
                        let judged = judged_question(question, name, answers, bench.reading).ok()?;
                        Some((question.id.clone(), (judged.answer.reply, judged.read)))
                    })
                    .collect();
                let stem = format!("{name}_GUIContentUnderstanding");
                let sheet = l1_sheet(questions, &answered)?;
                write_whole(&dir.join(format!("{stem}_exact_matching_result.xlsx")), &sheet)?;
                write_json(&dir.join(format!("{stem}_scores.json")), &json!(row.l1))?;
            }
            Items::L1(_) => {}
            Items::L2(items) => {
                let answered: BTreeMap<_, _> = items
                    .iter()
                    .filter_map(|item| {
                        let judged = judged_place(item, name, answers, bench.reading).ok()?;
                        let (point, result) = judged.read;
                        Some((item.id.clone(), (judged.answer.reply, point, result)))
                    })
                    .collect();
                let stem = format!("{name}_GUIElementGrounding");
                write_whole(&dir.join(format!("{stem}_result.xlsx")), &l2_sheet(items, &answered)?)?;
                write_json(&dir.join(format!("{stem}_score.json")), &json!(row.l2))?;
            }
        }
    }
    Ok(())
}

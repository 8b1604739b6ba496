//! Items as files of the benchmark's format.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use waldo_devices::foreign;

use super::ask::ScreenQuestions;
use super::places::FoundPlace;
use super::screens::Screen;
use crate::error::OfflineError;
use crate::folder::PICTURES;
use crate::places::{FILE as PLACES, Grounding};
use crate::questions::{Difficulty, FILE as QUESTIONS};

pub fn write_places(dir: &Path, from: &Path, all: &[FoundPlace<'_>]) -> Result<usize, OfflineError> {
    let mut records = Vec::new();
    for grounding in Grounding::ALL {
        for found in all {
            let at = grounding.place();
            let words = found.rewritten[at].as_ref();
            let mut record = json!({
                "index": records.len(),
                "image_path": picture(dir, from, found.screen)?,
                "instruction": words.map_or(&found.instructions[at], |words| &words.text),
                "bbox": found.share,
                "image_size": found.screen.size,
                "data_type": found.kind,
                "platform": found.screen.platform,
                "app_name": found.screen.app,
                "grounding_type": grounding,
            });
            // The benchmark's code reads columns by name, and leaves alone what it does not know.
            if let Some(words) = words {
                record["rewritten_by"] = json!(words.by);
                record["original_instruction"] = json!(found.instructions[at]);
            }
            records.push(record);
        }
    }
    write(dir, PLACES, &records)?;
    Ok(records.len())
}

pub fn write_questions(dir: &Path, from: &Path, all: &[ScreenQuestions<'_>]) -> Result<usize, OfflineError> {
    let mut records = Vec::new();
    for asked in all {
        let groups: Vec<Value> = Difficulty::ALL
            .iter()
            .zip(&asked.questions)
            .map(|(difficulty, one)| {
                let options: Map<String, Value> =
                    one.options.iter().map(|(letter, text)| (letter.to_string(), json!(text))).collect();
                json!({
                    "question": one.question,
                    "options": options,
                    "answer": one.answer,
                    "explanation": one.explanation,
                    "difficulty": difficulty,
                })
            })
            .collect();
        records.push(json!({
            "index": records.len(),
            "image_path": picture(dir, from, asked.screen)?,
            "image_size": asked.screen.size,
            "platform": asked.screen.platform,
            "app_name": asked.screen.app,
            "groups": groups,
        }));
    }
    write(dir, QUESTIONS, &records)?;
    Ok(records.len() * Difficulty::ALL.len())
}

/// Puts the picture of a screen, which lies in the folder `from`, where the benchmark looks for it, and gives its name.
fn picture(dir: &Path, from: &Path, screen: &Screen) -> Result<String, OfflineError> {
    let name = format!("{}.png", screen.picture);
    let folder = dir.join(PICTURES).join(screen.platform.name());
    let unwritten = |path: PathBuf| move |source| OfflineError::Write { path, source };
    std::fs::create_dir_all(&folder).map_err(unwritten(folder.clone()))?;
    let (path, target) = (screen.file(from), folder.join(&name));
    let bytes =
        foreign::read(from, &path, PICTURE_BYTES).map_err(|source| OfflineError::Io { path, source })?;
    std::fs::write(&target, bytes).map_err(unwritten(target))?;
    Ok(name)
}

const PICTURE_BYTES: u64 = 64 << 20;

fn write(dir: &Path, file: &str, records: &[Value]) -> Result<(), OfflineError> {
    let path = dir.join(file);
    let text = serde_json::to_vec_pretty(records).map_err(|error| OfflineError::Own(error.to_string()))?;
    std::fs::write(&path, text).map_err(|source| OfflineError::Write { path, source })
}

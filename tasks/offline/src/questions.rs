//! L1: questions about a picture, with options to choose from.
//!
//! `L1_annotations.json` is a list of pictures with three questions each, easy, medium and hard in this order.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::OfflineError;
use crate::folder::BenchFolder;
use crate::named::mode;
use crate::platform::OfflinePlatform;

pub const FILE: &str = "L1_annotations.json";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Difficulty {
    Easy,
    Medium,
    Hard,
}

waldo_devices::named!(Difficulty { Easy = "easy", Medium = "medium", Hard = "hard" });

mode! {
    /// Which questions are asked. All are numbered in the order of the file, those of one difficulty as their pictures are.
    QuestionMode of Difficulty, "L1"
}

#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// What it is called here, whatever the mode: the picture's place in the file, from 0, and the difficulty.
    pub id: String,
    /// The number that the benchmark's result files have for it. Those of two modes do not agree.
    pub index: u64,
    pub picture: PathBuf,
    pub image_path: String,
    /// The picture's width and height in pixels, as the file says.
    pub image_size: [u32; 2],
    pub platform: OfflinePlatform,
    pub app_name: String,
    pub difficulty: Difficulty,
    pub question: String,
    /// A hint that comes before it.
    pub hint: Option<String>,
    pub options: BTreeMap<char, String>,
    /// The letter of the right one, as the file has it.
    pub answer: String,
    pub explanation: String,
}

impl Question {
    /// Whether a letter is the right answer. The benchmark compares as it is written: a lower-case answer of the file
    /// is never met.
    pub fn is_answer(&self, letter: char) -> bool {
        self.answer.chars().eq([letter])
    }

    /// The same question with its options moved on by `by` places, so that each letter has another text.
    #[must_use]
    pub fn rotated(&self, by: usize) -> Self {
        let letters: Vec<char> = self.options.keys().copied().collect();
        let texts: Vec<&String> = self.options.values().collect();
        let n = letters.len().max(1);
        let right = letters.iter().position(|letter| self.is_answer(*letter));
        let options =
            letters.iter().enumerate().map(|(at, letter)| (*letter, texts[(at + by) % n].clone())).collect();
        let answer = match right {
            Some(at) => letters[(at + n - by % n) % n].to_string(),
            None => self.answer.clone(),
        };
        Self { options, answer, ..self.clone() }
    }
}

#[derive(Deserialize)]
struct QuestionRecord {
    index: u64,
    image_path: String,
    #[serde(default)]
    image_size: [u32; 2],
    platform: OfflinePlatform,
    #[serde(default)]
    app_name: String,
    groups: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    question: String,
    options: BTreeMap<String, Value>,
    answer: String,
    explanation: Option<String>,
    difficulty: Difficulty,
    hint: Option<String>,
}

/// The questions of a folder in the order of its file.
pub fn questions(folder: &BenchFolder, mode: QuestionMode) -> Result<Vec<Question>, OfflineError> {
    let records: Vec<QuestionRecord> = folder.records(FILE)?;
    let bad =
        |place: String, message: String| OfflineError::Bad { path: folder.dir.join(FILE), place, message };
    let mut all = Vec::new();
    let mut running = 0;
    for (at, record) in records.into_iter().enumerate() {
        let order: Vec<Difficulty> = record.groups.iter().map(|group| group.difficulty).collect();
        if order != Difficulty::ALL {
            let names: Vec<&str> = order.iter().map(|difficulty| difficulty.name()).collect();
            return Err(bad(
                format!("[{at}].groups"),
                format!(
                    "they are {}, and must be easy, medium, hard: the benchmark picks them by place and scores them by name",
                    names.join(", ")
                ),
            ));
        }
        let picture = folder.picture_path(record.platform, &record.image_path);
        for (n, group) in record.groups.into_iter().enumerate() {
            let index = match mode {
                QuestionMode::All => running,
                QuestionMode::Only(_) => record.index,
            };
            running += 1;
            if matches!(mode, QuestionMode::Only(only) if only != group.difficulty) {
                continue;
            }
            let place = |field: &str| format!("[{at}].groups[{n}].{field}");
            let options = options(&group.options);
            if options.len() < 2 {
                return Err(bad(
                    place("options"),
                    "there are fewer than two, under the letters A to Z".into(),
                ));
            }
            let mut answer = group.answer.chars();
            let known =
                answer.next().is_some_and(|letter| options.contains_key(&letter.to_ascii_uppercase()));
            if !known || answer.next().is_some() {
                let letters: String = options.keys().collect();
                return Err(bad(
                    place("answer"),
                    format!("'{}' is not one of the options {letters}", group.answer),
                ));
            }
            all.push(Question {
                id: format!("{at}-{}", group.difficulty.name()),
                index,
                picture: picture.clone(),
                image_path: record.image_path.clone(),
                image_size: record.image_size,
                platform: record.platform,
                app_name: record.app_name.clone(),
                difficulty: group.difficulty,
                question: group.question,
                hint: group.hint.filter(|hint| !hint.is_empty()),
                options,
                answer: group.answer,
                explanation: group.explanation.unwrap_or_default(),
            });
        }
    }
    folder.sizes(all.iter().map(|question| question.picture.as_path()))?;
    Ok(all)
}

/// Options under single letters from A to Z that have a value, by letter.
fn options(given: &BTreeMap<String, Value>) -> BTreeMap<char, String> {
    let option = |(key, value): (&String, &Value)| {
        let mut letters = key.chars();
        let letter = letters.next().filter(char::is_ascii_uppercase)?;
        let text = match value {
            Value::Null => return None,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        letters.next().is_none().then_some((letter, text))
    };
    given.iter().filter_map(option).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(answer: &str) -> Question {
        Question {
            id: "0-easy".into(),
            index: 0,
            picture: PathBuf::new(),
            image_path: String::new(),
            image_size: [0, 0],
            platform: OfflinePlatform::Web,
            app_name: String::new(),
            difficulty: Difficulty::Easy,
            question: "Which?".into(),
            hint: None,
            options: "ABCD".chars().map(|letter| (letter, format!("text {letter}"))).collect(),
            answer: answer.into(),
            explanation: String::new(),
        }
    }

    #[test]
    fn the_right_option_moves_with_its_text() {
        for answer in ["A", "B", "C", "D"] {
            for by in 0..9 {
                let moved = question(answer).rotated(by);
                let letter = moved.answer.chars().next().unwrap();
                assert_eq!(moved.options[&letter], format!("text {answer}"), "{answer} {by}");
                assert_eq!(moved.options.len(), 4);
            }
        }
        assert_eq!(question("B").rotated(0), question("B"));
        assert!(!question("c").is_answer('C'));
    }
}

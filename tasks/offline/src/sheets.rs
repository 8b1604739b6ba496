//! The benchmark's result files: spreadsheets with all columns of the data and a column of predictions.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};
use waldo_devices::foreign;
use waldo_office::{rows as sheet_rows, workbook};

use crate::error::OfflineError;
use crate::places::{PlaceItem, Share};
use crate::questions::Question;
use crate::score::PlaceResult;

const BYTES: u64 = 256 << 20;
/// The longest text of a spreadsheet's cell.
const CELL_CHARS: usize = 32_767;

/// A prediction of somebody else's run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prediction {
    pub index: u64,
    pub text: String,
    /// The instruction or question of its row, where the file has it.
    pub asked: Option<String>,
}

/// The predictions of a result file: `.xlsx` as the benchmark writes it, or `.jsonl` with `index` and `prediction`.
pub fn predictions(path: &Path) -> Result<Vec<Prediction>, OfflineError> {
    let bytes = foreign::read_named(path, BYTES)
        .map_err(|source| OfflineError::Io { path: path.to_owned(), source })?;
    let bad = |message: String| OfflineError::Predictions { path: path.to_owned(), message };
    let rows = if bytes.starts_with(b"PK") {
        table(&sheet_rows(&bytes, None).map_err(|error| bad(error.to_string()))?)
    } else {
        lines(&bytes).map_err(|(line, error)| bad(format!("line {line}: {error}")))?
    };
    let mut all = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let field = |name: &str| row.get(name).filter(|value| !value.is_null());
        let index = field("index").and_then(whole);
        let text = field("prediction").map(plain);
        let asked = field("instruction").or_else(|| field("question")).map(plain);
        match (index, text) {
            (Some(index), text) => all.push(Prediction { index, text: text.unwrap_or_default(), asked }),
            (None, _) => {
                let there: Vec<&str> = row.keys().map(String::as_str).collect();
                return Err(bad(format!(
                    "row {} has no index and prediction; its columns are {}",
                    at + 1,
                    there.join(", ")
                )));
            }
        }
    }
    Ok(all)
}

fn table(rows: &Value) -> Vec<Map<String, Value>> {
    let mut rows = rows.as_array().into_iter().flatten().filter_map(Value::as_array);
    let names: Vec<String> = rows.next().into_iter().flatten().map(plain).collect();
    rows.map(|row| names.iter().cloned().zip(row.iter().cloned()).collect()).collect()
}

fn lines(bytes: &[u8]) -> Result<Vec<Map<String, Value>>, (usize, String)> {
    let text = std::str::from_utf8(bytes).map_err(|error| (1, error.to_string()))?;
    let filled = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    filled.map(|(at, line)| serde_json::from_str(line).map_err(|error| (at + 1, error.to_string()))).collect()
}

fn whole(value: &Value) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is a whole number")]
    let of_float = |v: f64| (v >= 0.0 && v.fract() == 0.0 && v < 1e15).then_some(v as u64);
    value
        .as_u64()
        .or_else(|| value.as_f64().and_then(of_float))
        .or_else(|| value.as_str()?.trim().parse().ok())
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The result file of L1, with what was read from each reply: `<model>_GUIContentUnderstanding_exact_matching_result`.
/// `answers` are replies and letters by the questions' ids; questions without one are left out.
pub fn l1_sheet(
    questions: &[Question],
    answers: &BTreeMap<String, (String, Option<char>)>,
) -> Result<Vec<u8>, OfflineError> {
    let rows = questions.iter().filter_map(|q| {
        let (reply, letter) = answers.get(&q.id)?;
        let hit = letter.is_some_and(|letter| q.is_answer(letter));
        let parsed = letter.map_or_else(|| "None".to_owned(), String::from);
        let word = if hit { "and" } else { "while" };
        let log = format!("Match Log: Parsed option is {parsed} {word} groundtruth option is {}.", q.answer);
        let options: Vec<String> =
            q.options.iter().map(|(letter, text)| format!("'{letter}': {}", python_text(text))).collect();
        Some(vec![
            json!(q.index),
            cell(&q.question),
            cell(&format!("{{{}}}", options.join(", "))),
            cell(&q.answer),
            cell(&q.explanation),
            cell(q.difficulty.name()),
            cell(&format!("{}/{}", q.platform, q.image_path)),
            cell(&format!("[{}, {}]", q.image_size[0], q.image_size[1])),
            cell(q.platform.name()),
            cell(&q.app_name),
            cell(reply),
            json!(u8::from(hit)),
            cell(&log),
            cell(&parsed),
            json!(q.options.len()),
        ])
    });
    let names = "index question options answer explanation difficulty image_path image_size platform app_name \
                 prediction hit log parsed_prediction options_num";
    book(names, rows)
}

/// The result file of L2: `<model>_GUIElementGrounding_result`. `answers` are points and results by the items' ids.
pub fn l2_sheet(
    items: &[PlaceItem],
    answers: &BTreeMap<String, (String, Option<Share>, PlaceResult)>,
) -> Result<Vec<u8>, OfflineError> {
    let rows = items.iter().filter_map(|item| {
        let (reply, point, result) = answers.get(&item.id)?;
        Some(vec![
            json!(item.index),
            cell(&item.picture.to_string_lossy()),
            cell(&item.instruction),
            cell(&format!("{:?}", item.bbox)),
            cell(&format!("{:?}", item.share)),
            cell(item.kind.name()),
            cell(&item.app_name),
            cell(item.platform.name()),
            json!(u8::from(*result == PlaceResult::Hit)),
            json!(*result == PlaceResult::WrongFormat),
            cell(&point.map(|at| format!("({:?}, {:?})", at.x, at.y)).unwrap_or_default()),
            cell(item.grounding.name()),
            cell(reply),
        ])
    });
    let names = "index img_path instruction bbox parsed_bbox(format:x1,y1,x2,y2) type app_name platform match \
                 is_wrong_format pred_bbox grounding_type prediction";
    book(names, rows)
}

fn cell(text: &str) -> Value {
    let text: String =
        text.chars().filter(|c| !c.is_control() || *c == '\n' || *c == '\t').take(CELL_CHARS - 1).collect();
    json!(format!("'{text}"))
}

fn python_text(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

/// A workbook of one sheet, whose first row are the names with blanks between them.
fn book(names: &str, rows: impl Iterator<Item = Vec<Value>>) -> Result<Vec<u8>, OfflineError> {
    let head = names.split(' ').map(cell).collect();
    let rows: Vec<Value> = std::iter::once(head).chain(rows).map(Value::Array).collect();
    workbook(&[("Sheet1".to_owned(), Value::Array(rows))]).map_err(|error| OfflineError::Own(error.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.xlsx");
        let rows = [(7, "C", "Which?"), (8, "=1+1", "Why\nnot?"), (9, "", "'quoted'")]
            .map(|(index, text, asked)| vec![json!(index), cell(text), cell(asked)]);
        std::fs::write(&path, book("index prediction question", rows.into_iter()).unwrap()).unwrap();
        let read = predictions(&path).unwrap();
        let want = |index, text: &str, asked: &str| Prediction {
            index,
            text: text.into(),
            asked: Some(asked.into()),
        };
        assert_eq!(read[0], want(7, "C", "Which?"));
        assert_eq!(read[1], want(8, "=1+1", "Why\nnot?"));
        assert_eq!((read[2].index, read[2].asked.as_deref()), (9, Some("'quoted'")));
    }

    #[test]
    fn lines_of_json_are_predictions_too() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.jsonl");
        std::fs::write(
            &path,
            "{\"index\": 1, \"prediction\": \"A\"}\n\n{\"index\": \"2\", \"prediction\": 5}\n",
        )
        .unwrap();
        let read = predictions(&path).unwrap();
        assert_eq!((read[0].text.as_str(), read[1].index, read[1].text.as_str()), ("A", 2, "5"));
        std::fs::write(&path, "{\"id\": 1}\n").unwrap();
        assert!(predictions(&path).unwrap_err().to_string().contains("no index and prediction"));
        std::fs::write(&path, "nonsense").unwrap();
        assert!(predictions(&path).unwrap_err().to_string().contains("line 1"));
    }

    #[test]
    fn texts_are_written_as_python_does() {
        assert_eq!(python_text("it's"), "\"it's\"");
        assert_eq!(python_text("a\\b\n"), "'a\\\\b\\n'");
        assert_eq!(python_text("'\""), "'\\'\"'");
    }
}

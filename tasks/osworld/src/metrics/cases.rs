//! Scores of the original against scores of the port.
//!
//! The original's code is not here, its answers are: `scripts/diff osworld` makes inputs of its own, asks a
//! checkout of the original, and packs both into `recorded/PART.json.gz`. The same format, given by
//! `WALDO_OSWORLD_CASES`, lets anybody compare other inputs.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::Path;

use serde_json::Value;

use super::super::fault::{OsworldFault, Result};
use super::{MetricCall, answer};

/// How far scores may differ: sums are rounded in another order.
const NEAR: f64 = 1e-9;

/// How an answer of the port stands to the original's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Agreement {
    /// The same score, or an exception in both.
    Equal,
    /// The port gives no score: the attempt would be invalid.
    Refused,
    Different,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Answer,
    /// What the attempt is worth: an exception is 0.
    End,
}

fn ended(found: Result<f64>) -> Result<f64> {
    match found {
        Err(OsworldFault::Raised(_)) => Ok(0.0),
        found => found,
    }
}

fn ended_original(wanted: &Value) -> Value {
    if wanted.is_string() { Value::from(0.0) } else { wanted.clone() }
}

fn stand(found: &Result<f64>, wanted: &Value) -> Agreement {
    match (found, wanted) {
        (Err(OsworldFault::Unsupported(_) | OsworldFault::Expected(_) | OsworldFault::Machine(_)), _) => {
            Agreement::Refused
        }
        (Ok(found), Value::Number(wanted)) if (found - wanted.as_f64().unwrap()).abs() < NEAR => {
            Agreement::Equal
        }
        (Err(OsworldFault::Raised(_)), Value::String(raised)) if raised.starts_with("raise") => {
            Agreement::Equal
        }
        _ => Agreement::Different,
    }
}

/// Writes the files of a recording into `dir`: texts and bytes by their number in `blobs`, archives by their
/// entries.
fn unpack(recording: &Value, dir: &Path) {
    let blobs = recording["blobs"].as_array().unwrap();
    let blob = |at: &Value| -> Vec<u8> {
        let blob = &blobs[usize::try_from(at.as_u64().unwrap()).unwrap()];
        // Bytes are written as characters below 256.
        match blob {
            Value::String(text) => text.clone().into_bytes(),
            other => {
                let chars = other["latin1"].as_str().unwrap().chars();
                chars.map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
            }
        }
    };
    for (name, file) in recording["files"].as_object().unwrap() {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let Some(entries) = file["zip"].as_array() else {
            std::fs::write(path, blob(&file["blob"])).unwrap();
            continue;
        };
        let mut zip = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
        let stored =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        for entry in entries {
            zip.start_file(entry[0].as_str().unwrap(), stored).unwrap();
            zip.write_all(&blob(&entry[1])).unwrap();
        }
        zip.finish().unwrap();
    }
}

/// The same with names of recorded files as paths.
fn placed(value: &Value, dir: &Path) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix("@file:") {
            Some(name) => Value::from(dir.join(name).to_string_lossy().into_owned()),
            None => value.clone(),
        },
        Value::Array(all) => all.iter().map(|one| placed(one, dir)).collect(),
        Value::Object(all) => all.iter().map(|(k, v)| (k.clone(), placed(v, dir))).collect(),
        other => other.clone(),
    }
}

/// Runs all cases; how many stand how, by metric, and what those that differ say.
fn run(recording: &Value, worth: Comparison) -> (BTreeMap<(String, Agreement), usize>, Vec<String>) {
    let files = tempfile::tempdir().unwrap();
    unpack(recording, files.path());
    let mut counts = BTreeMap::new();
    let mut different = Vec::new();
    for case in recording["cases"].as_array().unwrap() {
        let func = case["func"].as_str().unwrap();
        let scratch = tempfile::tempdir().unwrap();
        let call = MetricCall {
            result: placed(&case["result"], files.path()),
            expected: Some(placed(&case["expected"], files.path())).filter(|expected| !expected.is_null()),
            options: placed(&case["options"], files.path()).as_object().cloned().unwrap_or_default(),
            scratch: scratch.path().to_owned(),
        };
        let found = answer(func, &call).unwrap_or_else(|| panic!("{func} is not ported"));
        let stand = match worth {
            Comparison::Answer => stand(&found, &case["score"]),
            Comparison::End => stand(&ended(found.clone()), &ended_original(&case["score"])),
        };
        *counts.entry((func.to_owned(), stand)).or_default() += 1;
        if stand == Agreement::Different {
            different.push(format!(
                "{func}: {found:?} and not {}: {} {} {}",
                case["score"], case["result"], case["expected"], case["options"]
            ));
        }
    }
    (counts, different)
}

fn unzipped(bytes: &[u8]) -> Value {
    let mut text = String::new();
    match bytes.starts_with(&[0x1f, 0x8b]) {
        true => flate2::read::GzDecoder::new(bytes).read_to_string(&mut text).unwrap(),
        false => {
            text = String::from_utf8(bytes.to_vec()).unwrap();
            text.len()
        }
    };
    serde_json::from_str(&text).unwrap()
}

/// Arguments that no task names: whether an exception or a plain 0 ends the attempt is not looked at, for both are
/// worth 0.
#[test]
fn scores_of_odd_arguments_are_worth_the_originals() {
    let recording = unzipped(include_bytes!("recorded/odd.json.gz"));
    let (counts, different) = run(&recording, Comparison::End);
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
    let refused: usize =
        counts.iter().filter(|((_, stand), _)| *stand == Agreement::Refused).map(|(_, n)| n).sum();
    assert!(counts.values().sum::<usize>() > 5000 && refused < 1150, "{refused} refused");
}

/// Compares a recording: none may differ, at least `equal` are equal, and at most `refused` are refused, for a
/// port that refused everything would be equal to nothing.
fn compare(recording: &[u8], equal: usize, refused: usize) {
    let (counts, different) = run(&unzipped(recording), Comparison::Answer);
    let total = |wanted: Agreement| {
        counts.iter().filter(|((_, stand), _)| *stand == wanted).map(|(_, n)| n).sum::<usize>()
    };
    for ((func, stand), n) in &counts {
        println!("{func} {stand:?} {n}");
    }
    println!("equal {}, refused {}", total(Agreement::Equal), total(Agreement::Refused));
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
    assert!(total(Agreement::Equal) >= equal, "{} equal", total(Agreement::Equal));
    assert!(total(Agreement::Refused) <= refused, "{} refused", total(Agreement::Refused));
}

#[test]
fn scores_of_given_cases_are_the_originals() {
    if let Some(path) = std::env::var_os("WALDO_OSWORLD_CASES") {
        compare(&std::fs::read(path).unwrap(), 0, usize::MAX);
    }
}

#[test]
fn scores_of_values_and_text_are_the_originals() {
    compare(include_bytes!("recorded/values.json.gz"), 3000, 300);
}

#[test]
fn scores_of_writer_documents_are_the_originals() {
    compare(include_bytes!("recorded/texts.json.gz"), 6200, 320);
}

#[test]
fn scores_of_pictures_are_the_originals() {
    compare(include_bytes!("recorded/pictures.json.gz"), 3400, 1260);
}

#[test]
fn scores_of_pages_and_archives_are_the_originals() {
    compare(include_bytes!("recorded/files.json.gz"), 1400, 450);
}

#[test]
fn scores_of_presentations_are_the_originals() {
    compare(include_bytes!("recorded/slides.json.gz"), 2300, 90);
}

#[test]
fn scores_of_workbooks_are_the_originals() {
    compare(include_bytes!("recorded/books.json.gz"), 1540, 80);
}

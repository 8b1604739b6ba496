//! `chrome.py` and `vscode.py`: archives.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::super::fault::{OsworldFault, Result, Score, score};
use super::general::gold;
use super::{Metric, MetricCall, docs, pdf, slides_compare, table, vlc, vscode};
use crate::ooxml::Package;
use crate::ooxml::package::ENTRY;
use crate::py::text;
use waldo_office::budget::{self, Cost};

/// Bytes that an archive may unpack to.
const MOST: u64 = 256 * 1024 * 1024;

fn for_type(name: &str) -> Option<Metric> {
    Some(match name {
        "text" => vscode::compare_text_file,
        "pdf" => pdf::compare_pdfs,
        "docx" => docs::compare_docx_files,
        "ppt" => slides_compare::compare_pptx_files,
        "image" => vlc::compare_images,
        "csv" => table::compare_csv,
        "table" => table::compare_table,
        _ => return None,
    })
}

fn file_type(options: &Map<String, Value>) -> &str {
    options.get("file_type").and_then(Value::as_str).unwrap_or("text")
}

pub(crate) fn unsupported_types(options: &Map<String, Value>) -> Vec<String> {
    let kind = file_type(options);
    if for_type(kind).is_some() { Vec::new() } else { vec![format!("compare_archive: file_type {kind}")] }
}

/// `compare_archive`: the same names in a folder, and the mean of the files' scores.
pub(crate) fn compare_archive(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let kind = file_type(&call.options);
    let metric = for_type(kind).ok_or_else(|| OsworldFault::Unsupported(format!("file_type {kind}")))?;
    let folder = call.options.get("file_path").and_then(Value::as_str).unwrap_or_default();
    let kept = call.options.iter().filter(|(name, _)| *name != "file_path" && *name != "file_type");
    let options: Map<String, Value> = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
    let found = unpack(path, &call.scratch.join("pred"))?.join(folder);
    let wanted = unpack(call.gold()?, &call.scratch.join("gold")).map_err(gold)?.join(folder);
    let (found_names, wanted_names) = (list(&found)?, list(&wanted).map_err(gold)?);
    if found_names != wanted_names {
        return Ok(0.0);
    }
    if found_names.is_empty() {
        return Err(OsworldFault::raised("the archives are empty"));
    }
    let mut total = 0.0;
    for name in &found_names {
        let mut inner = call.with(&found.join(name), &wanted.join(name), options.clone());
        inner.scratch = call.scratch.join("inner");
        total += metric(&inner)?;
    }
    #[expect(clippy::cast_precision_loss, reason = "archives are small")]
    Ok(total / found_names.len() as f64)
}

fn list(folder: &Path) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(folder)
        .map_err(|e| OsworldFault::raised(format!("folder {} of the archive: {e}", text::name(folder))))?;
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    Ok(names)
}

/// Unpacks a ZIP or TAR file, which the name tells, as `shutil.unpack_archive` does.
fn unpack(archive: &Path, into: &Path) -> Result<PathBuf> {
    let failed = |message: String| OsworldFault::raised(format!("{}: {message}", text::name(archive)));
    let io = |e: std::io::Error| failed(e.to_string());
    std::fs::create_dir_all(into).map_err(io)?;
    let name = text::name(archive);
    if name.ends_with(".zip") {
        for (name, bytes) in read_zip(archive)? {
            let path = inside(into, &name).ok_or_else(|| failed(format!("entry '{name}' leads out")))?;
            if name.ends_with('/') {
                std::fs::create_dir_all(&path).map_err(io)?;
                continue;
            }
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(io)?;
            }
            std::fs::write(&path, bytes).map_err(io)?;
        }
        return Ok(into.to_owned());
    }
    let file = std::fs::File::open(archive).map_err(io)?;
    let plain: Box<dyn Read> = if name.ends_with(".tar.gz") || name.ends_with(".tgz") {
        Box::new(flate2::read::GzDecoder::new(file))
    } else if name.ends_with(".tar") {
        Box::new(file)
    } else {
        return Err(failed("neither .zip nor .tar nor .tar.gz".into()));
    };
    let mut tar = tar::Archive::new(plain.take(MOST + 1));
    let mut bytes = 0;
    for entry in tar.entries().map_err(io)? {
        let mut entry = entry.map_err(io)?;
        budget::spend(Cost::Nodes, ENTRY)?;
        bytes += entry.size();
        if bytes > MOST {
            budget::refuse(&format!("an archive of more than {MOST} bytes"))?;
        }
        entry.unpack_in(into).map_err(io)?;
    }
    Ok(into.to_owned())
}

fn inside(folder: &Path, name: &str) -> Option<PathBuf> {
    let parts = Path::new(name).components();
    let plain = parts.clone().all(|part| matches!(part, std::path::Component::Normal(_)));
    plain.then(|| folder.join(name))
}

pub(crate) fn read_zip(path: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    Ok(Package::open(path)?.into_parts())
}

/// `compare_zip_files`: the same entries with the same bytes; PDF files with nearly the same text.
pub(crate) fn compare_zip_files(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let (found, wanted) = (read_zip(path)?, read_zip(call.gold()?).map_err(gold)?);
    if !found.keys().eq(wanted.keys()) {
        return Ok(0.0);
    }
    for ((name, a), b) in found.iter().zip(wanted.values()) {
        let same = a == b || name.to_lowercase().ends_with(".pdf") && pdf::alike(a, b, 0.95)?;
        if !same {
            return Ok(0.0);
        }
    }
    Ok(score(true))
}

#[cfg(test)]
mod tests {
    use super::super::tests_support::zip;
    use super::*;

    #[test]
    fn entries_that_lead_out_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let a = zip(dir.path(), "a.zip", &[("../x", "y")]);
        assert!(unpack(a.as_ref(), &dir.path().join("out")).is_err());
    }
}

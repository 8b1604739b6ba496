//! `file.py`, `info.py`: files of the machine and of the benchmark.

use std::path::Path;

use serde_json::{Value, json};

use super::super::fault::{OsworldFault, Result, bounded};
use super::super::machine::DirEntry;
use super::super::ooxml::xlsx::{Book, DataFrame};
use super::super::py;
use super::{Config, GetterContext, text};

fn several(config: &Config, name: &str) -> Result<Vec<String>> {
    match config.get(name) {
        Some(Value::String(one)) => Ok(vec![one.clone()]),
        Some(Value::Array(all)) => Ok(all.iter().map(py::string).collect()),
        _ => Err(OsworldFault::Expected(format!("a getter has no '{name}'"))),
    }
}

/// Paths with the names of their copies, and which of them are answered.
type Copies = (Vec<(String, String)>, Vec<usize>);

fn pairs(config: &Config) -> Result<Copies> {
    let (paths, names) = (several(config, "path")?, several(config, "dest")?);
    let gives = match config.get("gives").and_then(Value::as_array) {
        Some(list) => list.iter().filter_map(Value::as_u64).filter_map(|n| usize::try_from(n).ok()).collect(),
        None => vec![0],
    };
    Ok((paths.into_iter().zip(names).collect(), gives))
}

/// One answer alone, several as a list.
fn one_or_list(mut found: Vec<Value>) -> Value {
    if found.len() == 1 { found.swap_remove(0) } else { Value::Array(found) }
}

impl GetterContext<'_> {
    pub(super) async fn vm_file(&mut self, config: &Config) -> Result<Value> {
        let (pairs, gives) = pairs(config)?;
        let stamp = config.get("time_suffix").is_some_and(py::truthy);
        let mut found = Vec::new();
        for (i, (path, mut name)) in pairs.into_iter().enumerate() {
            if stamp {
                let format = config.get("time_format").and_then(Value::as_str).unwrap_or("%Y%m%d_%H%M%S");
                let now = jiff::Zoned::now();
                let now = jiff::fmt::strtime::format(format, &now)
                    .map_err(|e| OsworldFault::Expected(format!("time_format: {e}")))?;
                name = match name.rsplit_once('.') {
                    Some((stem, end)) => format!("{stem}_{now}.{end}"),
                    None => format!("{name}_{now}"),
                };
            }
            let path = self.path(&path);
            let kept = match self.machine.get(&path, self.call()).await? {
                Some(bytes) => self.keep(&name, &bytes)?,
                None => Value::Null,
            };
            if gives.contains(&i) {
                found.push(kept);
            }
        }
        Ok(one_or_list(found))
    }

    pub(super) async fn cloud_file(&mut self, config: &Config) -> Result<Value> {
        let (pairs, gives) = pairs(config)?;
        let mut found = Vec::new();
        for (i, (url, name)) in pairs.into_iter().enumerate() {
            let bytes = self.cache.get(&url, self.task, &name, self.deadline).await;
            let bytes = bytes.map_err(|error| OsworldFault::Expected(error.to_string()))?;
            let kept = self.keep(&name, &bytes)?;
            if gives.contains(&i) {
                found.push(kept);
            }
        }
        Ok(one_or_list(found))
    }

    pub(super) fn cache_file(&mut self, config: &Config) -> Result<Value> {
        let path = self.copy(text(config, "path")?);
        if !path.exists() {
            return Err(OsworldFault::raised(format!("nothing was written to {}", py::text::name(&path))));
        }
        Ok(Value::String(path.to_string_lossy().into_owned()))
    }

    pub(super) async fn content(&mut self, config: &Config) -> Result<Value> {
        let path = text(config, "path")?;
        let name = path.rsplit('/').next().unwrap_or_default();
        let (kind, part) = (text(config, "file_type")?, text(config, "file_content")?);
        if (kind, part) != ("xlsx", "last_row") {
            return Err(OsworldFault::Unsupported(format!("content_from_vm_file: {part} of {kind}")));
        }
        let path = self.path(path);
        let bytes = self.machine.get(&path, self.call()).await?;
        let bytes = bytes.ok_or_else(|| OsworldFault::raised(format!("{name}: there is no such file")))?;
        let copy = self.keep(name, &bytes)?;
        bounded(|| {
            let book = Book::open(Path::new(copy.as_str().unwrap_or_default()))?;
            let first = book.sheets.first().ok_or_else(|| OsworldFault::raised("the book has no sheet"))?;
            let row = DataFrame::of(first)?.last_row();
            Ok(json!(row.ok_or_else(|| OsworldFault::raised("the sheet has no row"))?))
        })
    }

    pub(super) async fn list_directory(&mut self, config: &Config) -> Result<Value> {
        let path = self.path(text(config, "path")?);
        let found = self.machine.list(&path, self.call()).await?;
        Ok(found.map_or(Value::Null, |entry| tree(&entry)))
    }
}

fn tree(entry: &DirEntry) -> Value {
    match &entry.children {
        None => json!({ "type": "file", "name": entry.name }),
        Some(children) => {
            let children: Vec<Value> = children.iter().map(tree).collect();
            json!({ "type": "directory", "name": entry.name, "children": children })
        }
    }
}

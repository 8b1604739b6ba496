use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest, Sha256};
use waldo_devices::foreign::{self, EntryKind, PathName};
use waldo_tasks::TaskError;

use super::error::Result;
use super::task::OsTask;

#[derive(Clone, Debug)]
pub struct Loaded {
    pub tasks: Vec<OsTask>,
    /// SHA-256 over names and contents of their files.
    pub hash: String,
    pub set: Option<String>,
}

/// The list that chooses the tasks where none is named.
const ALL: &str = "test_all";

/// Loads the tasks of `dir`: a copy of the benchmark, its `evaluation_examples`, or a folder of task files. A
/// copy of the benchmark has more files than tasks; its list `test_all.json` says which are.
///
/// A file that cannot be read, or is no task, stands for one that cannot be judged.
pub fn load(dir: &Path) -> Result<Loaded> {
    load_set(dir, None)
}

/// Loads the tasks of a list such as `test_small`.
pub fn load_set(dir: &Path, set: Option<&str>) -> Result<Loaded> {
    let root = [dir.join("evaluation_examples"), dir.to_owned()];
    let root = root.iter().find(|root| root.join("examples").is_dir());
    let examples = root.map_or_else(|| dir.to_owned(), |root| root.join("examples"));
    let list =
        root.map(|root| root.join(format!("{}.json", set.unwrap_or(ALL)))).filter(|list| list.is_file());
    let mut files = match (&list, set) {
        (Some(list), _) => listed(dir, &examples, list)?,
        (None, Some(set)) => {
            return Err(TaskError::record(dir, format!("there is no list {set}.json")).into());
        }
        (None, None) => found(dir, &examples)?,
    };
    files.sort();
    let mut hash = Sha256::new();
    let mut tasks = Vec::new();
    for path in files {
        let bytes = match foreign::read(dir, &path, foreign::TEXT_BYTES) {
            Ok(bytes) => bytes,
            Err(error) => {
                tasks.push(OsTask::unreadable(&path, format!("cannot be read: {error}")));
                continue;
            }
        };
        let name = path.strip_prefix(&examples).unwrap_or(&path);
        hash.update(name.to_string_lossy().as_bytes());
        hash.update([0]);
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(&bytes);
        if let Ok(solution) = foreign::read(dir, &OsTask::reference_of(&path), foreign::TEXT_BYTES) {
            hash.update((solution.len() as u64).to_be_bytes());
            hash.update(&solution);
        }
        // One broken file does not keep the others from being played.
        tasks.push(
            OsTask::read(dir, &path).unwrap_or_else(|error| OsTask::unreadable(&path, error.to_string())),
        );
    }
    if tasks.is_empty() {
        let message = "holds no task files: give a copy of the benchmark, its evaluation_examples, or a folder of its \
                       task files";
        return Err(TaskError::record(dir, message).into());
    }
    tasks.sort_by(|a, b| (&a.domain, &a.id).cmp(&(&b.domain, &b.id)));
    Ok(Loaded {
        tasks,
        hash: HEXLOWER.encode(&hash.finalize()),
        set: list.map(|_| set.unwrap_or(ALL).to_owned()),
    })
}

fn listed(root: &Path, examples: &Path, list: &Path) -> Result<Vec<PathBuf>> {
    let text = foreign::read_text(root, list, foreign::TEXT_BYTES).map_err(TaskError::io("read", list))?;
    let domains: BTreeMap<String, Vec<String>> =
        serde_json::from_str(&text).map_err(|e| TaskError::record(list, e.to_string()))?;
    let pairs = domains.iter().flat_map(|(domain, ids)| ids.iter().map(move |id| (domain, id)));
    let name = |name: &str| PathName::new(name).map_err(|e| TaskError::record(list, e.to_string()));
    pairs.map(|(domain, id)| Ok(examples.join(name(domain)?).join(name(&format!("{id}.json"))?))).collect()
}

/// Every task file below a folder, two folders deep at most.
fn found(root: &Path, folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut left = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = left.pop() {
        for entry in foreign::list(root, &folder).map_err(TaskError::io("list", &folder))? {
            let path = entry.path;
            if entry.kind == EntryKind::Folder && depth < 3 {
                left.push((path, depth + 1));
            } else if path.extension().is_some_and(|end| end == "json") && is_task(root, &path) {
                files.push(path);
            }
        }
    }
    Ok(files)
}

/// A file beside the tasks, such as a list of them, has neither an instruction nor an evaluator. One that
/// cannot be read is taken for a task, so that the reason is said.
fn is_task(root: &Path, path: &Path) -> bool {
    let bytes = foreign::read(root, path, foreign::TEXT_BYTES).ok();
    let value: Option<Value> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    value.is_none_or(|value| value.get("instruction").is_some() || value.get("evaluator").is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(dir: &Path, path: &str, text: &str) {
        let path = dir.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    const TASK: &str = r#"{"id": "ID", "instruction": "x", "evaluator": {"func": "infeasible"}}"#;

    #[test]
    fn a_solution_beside_a_task_is_its_own() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "os/a.json", &TASK.replace("ID", "a"));
        let before = load(dir.path()).unwrap();
        assert!(before.tasks[0].reference.is_empty());
        write(dir.path(), "os/a.reference.json", r#"[{"do": "infeasible", "text": "no"}]"#);
        let after = load(dir.path()).unwrap();
        assert_eq!((after.tasks.len(), after.tasks[0].reference.len()), (1, 1));
        assert_ne!(before.hash, after.hash);
        write(dir.path(), "os/a.reference.json", r#"[{"do": "fly"}]"#);
        assert!(load(dir.path()).unwrap().tasks[0].problems[0].contains("a.reference.json"));
    }
}

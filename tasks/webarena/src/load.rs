//! Finds the tasks of a folder.

use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use waldo_devices::foreign::{self, EntryKind, PathName};
use waldo_tasks::TaskError;

use crate::rules::{Rules, VERIFIED_LIST};
use crate::site::Sites;
use crate::task::WebTask;

/// The end of the name of a solution's file.
const REFERENCE: &str = "reference.json";

#[derive(Clone, Debug)]
pub struct Loaded {
    /// In the file's order; of several files by their names.
    pub tasks: Vec<WebTask>,
    /// SHA-256 over the rules, and names and contents of the files. The addresses of sites are not part of it.
    pub hash: String,
    pub own_list: bool,
    /// The list that chose them, where one did.
    pub set: Option<TaskSet>,
}

/// A list of some of WebArena-Verified's tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSet {
    pub name: String,
    /// As its file has it, and as its numbers come to.
    pub checksum: String,
    ids: Vec<u32>,
}

/// Loads the tasks of `dir`: the benchmark's own list, in a checkout or in one of its folders, which has to have as many
/// tasks as the version has; else every task file there, of whoever wrote them.
///
/// # Errors
/// When there are none, one cannot be read, or the list is not whole.
pub fn load(dir: &Path, rules: Rules, sites: &Sites) -> Result<Loaded, TaskError> {
    load_set(dir, rules, sites, None)
}

/// As [`load`], with only the tasks of a list beside the benchmark's own, such as `webarena-verified-hard`, or `hard`.
///
/// # Errors
/// As [`load`]; when there is no such list, or it is not as its checksum says.
pub fn load_set(dir: &Path, rules: Rules, sites: &Sites, set: Option<&str>) -> Result<Loaded, TaskError> {
    let list = list(dir, rules);
    refuse_another(dir, rules, list.as_deref())?;
    let set = match (set, list.as_deref().and_then(Path::parent)) {
        (None, _) => None,
        (Some(name), Some(folder)) if rules == Rules::Verified => Some(read_set(dir, folder, name)?),
        (Some(name), _) => {
            return Err(TaskError::record(
                dir,
                format!("holds no list '{name}': only WebArena-Verified's folder has such lists"),
            ));
        }
    };
    let own_list = list.is_some();
    let files = if let Some(list) = list { vec![list] } else { found(dir)? };
    let mut hash = Sha256::new();
    hash.update(rules.name().as_bytes());
    let mut tasks = Vec::new();
    for path in &files {
        let text = read(dir, path)?;
        let name = path.strip_prefix(dir).unwrap_or(path).to_string_lossy();
        hash_in(&mut hash, if own_list { "" } else { &name }, &text);
        let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| TaskError::record(path, error.to_string()))?;
        let all = match value {
            Value::Array(all) => all,
            one => vec![one],
        };
        let one = all.len() == 1;
        for value in all {
            let mut task =
                WebTask::parse(value, rules, sites).map_err(|message| TaskError::record(path, message))?;
            PathName::new(&task.id).map_err(|error| TaskError::record(path, format!("task_id: {error}")))?;
            let beside = path.with_extension(REFERENCE);
            if one && !own_list && beside.is_file() {
                let text = read(dir, &beside)?;
                hash_in(&mut hash, "solution", &text);
                let mut steps: Value = serde_json::from_str(&text)
                    .map_err(|error| TaskError::record(&beside, error.to_string()))?;
                sites.fill(&mut steps);
                task.reference = serde_json::from_value(steps)
                    .map_err(|error| TaskError::record(&beside, error.to_string()))?;
            }
            tasks.push(task);
        }
    }
    if tasks.is_empty() {
        return Err(TaskError::record(
            dir,
            format!(
                "holds no task files: give a checkout with {}, or a folder of task files",
                rules.list().join("/")
            ),
        ));
    }
    if own_list && tasks.len() != rules.tasks() {
        let message = format!("{rules} has {} tasks, and {} are here", rules.tasks(), tasks.len());
        return Err(TaskError::record(&files[0], message));
    }
    let mut tasks = tasks;
    let twice =
        tasks.iter().enumerate().find(|(at, task)| tasks[..*at].iter().any(|other| other.id == task.id));
    if let Some((_, task)) = twice {
        return Err(TaskError::record(dir, format!("task {} is there twice", task.id)));
    }
    if let Some(set) = &set {
        hash_in(&mut hash, "set", &set.checksum);
        let wanted: Vec<String> = set.ids.iter().map(u32::to_string).collect();
        if let Some(id) = wanted.iter().find(|id| !tasks.iter().any(|task| task.id == **id)) {
            return Err(TaskError::record(
                dir,
                format!("the list '{}' names task {id}, which is not there", set.name),
            ));
        }
        tasks.retain(|task| wanted.contains(&task.id));
    }
    Ok(Loaded { tasks, hash: HEXLOWER.encode(&hash.finalize()), own_list, set })
}

/// Takes no older list for WebArena-Verified's, and the other way round: both lie in one folder.
fn refuse_another(dir: &Path, rules: Rules, list: Option<&Path>) -> Result<(), TaskError> {
    match (rules, list) {
        (Rules::Verified, Some(_)) => Ok(()),
        (Rules::Verified, None) if dir.join("test.raw.json").is_file() => {
            let message = format!(
                "holds an older list (test.raw.json) and no {VERIFIED_LIST}: name the folder of the package"
            );
            Err(TaskError::record(dir, message))
        }
        (_, Some(list)) if list.with_file_name(VERIFIED_LIST).is_file() => {
            let message = "is the list that WebArena-Verified was made of: for its tasks add --webarena-rules verified, for \
                           WebArena's name a checkout of WebArena";
            Err(TaskError::record(list, message.to_owned()))
        }
        (_, None) if dir.join(VERIFIED_LIST).is_file() => {
            Err(TaskError::record(dir, "holds WebArena-Verified: add --webarena-rules verified".to_owned()))
        }
        _ => Ok(()),
    }
}

/// Reads `subsets/NAME.json`, whose checksum is that of its sorted numbers.
fn read_set(dir: &Path, folder: &Path, name: &str) -> Result<TaskSet, TaskError> {
    #[derive(serde::Deserialize)]
    struct SetFile {
        task_ids: Vec<u32>,
        checksum: String,
    }
    let places = [name.to_owned(), format!("webarena-verified-{name}")].map(|name| {
        let path = folder.join("subsets").join(format!("{name}.json"));
        (name, path)
    });
    let found = PathName::new(name).ok().and_then(|_| places.into_iter().find(|(_, path)| path.is_file()));
    let (name, path) =
        found.ok_or_else(|| TaskError::record(dir, format!("holds no list 'subsets/{name}.json'")))?;
    let set: SetFile = serde_json::from_str(&read(dir, &path)?)
        .map_err(|error| TaskError::record(&path, error.to_string()))?;
    let mut ids = set.task_ids;
    ids.sort_unstable();
    let checksum = HEXLOWER.encode(&Sha256::digest(serde_json::json!(ids).to_string()));
    if checksum != set.checksum {
        return Err(TaskError::record(
            &path,
            format!("the checksum of its numbers is {checksum}, but it says {}", set.checksum),
        ));
    }
    Ok(TaskSet { name, checksum, ids })
}

fn hash_in(hash: &mut Sha256, name: &str, text: &str) {
    for part in [name, text] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
}

fn read(dir: &Path, path: &Path) -> Result<String, TaskError> {
    foreign::read_text(dir, path, foreign::TEXT_BYTES).map_err(TaskError::io("read", path))
}

/// The benchmark's own list, wherever on the way to it `dir` is.
fn list(dir: &Path, rules: Rules) -> Option<PathBuf> {
    let way = rules.list();
    let from =
        |at: usize| way.get(at..).map(|rest| rest.iter().fold(dir.to_owned(), |path, part| path.join(part)));
    (0..way.len()).filter_map(from).find(|path| path.is_file())
}

/// Every file of tasks in a folder, by name.
fn found(dir: &Path) -> Result<Vec<PathBuf>, TaskError> {
    let mut files: Vec<PathBuf> = foreign::list(dir, dir)
        .map_err(TaskError::io("read", dir))?
        .into_iter()
        .filter(|entry| entry.kind != EntryKind::Folder)
        .map(|entry| entry.path)
        .filter(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            name.ends_with(".json") && !name.ends_with(REFERENCE)
        })
        .collect();
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn task(id: u32) -> Value {
        json!({ "sites": ["map"], "task_id": id, "start_url": "__MAP__", "intent": "x",
            "eval": { "eval_types": ["string_match"], "reference_answers": { "exact_match": "a" } } })
    }

    fn write(dir: &Path, name: &str, value: &Value) {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, value.to_string()).unwrap();
    }

    #[test]
    fn the_benchmarks_list_has_to_be_whole() {
        let dir = tempfile::tempdir().unwrap();
        let sites = Sites::default();
        for rules in Rules::BY_PAGES {
            let name = rules.list().join("/");
            let all: Vec<Value> = (0..rules.tasks()).map(|id| task(u32::try_from(id).unwrap())).collect();
            write(dir.path(), &name, &json!(all));
            let loaded = load(dir.path(), rules, &sites).unwrap();
            assert!(loaded.own_list && loaded.tasks.len() == rules.tasks());
            // From a folder on the way the same.
            let below = dir.path().join(rules.list()[0]);
            assert_eq!(load(&below, rules, &sites).unwrap().hash, loaded.hash);
            write(dir.path(), &name, &json!(all[1..]));
            let said = load(dir.path(), rules, &sites).unwrap_err().to_string();
            assert!(said.contains(&format!("{} are here", rules.tasks() - 1)), "{said}");
        }
    }

    fn verified(id: u32) -> Value {
        let expected = json!({ "task_type": "retrieve", "status": "SUCCESS", "retrieved_data": ["a"] });
        json!({ "sites": ["map"], "task_id": id, "intent_template_id": 1, "start_urls": ["__MAP__"], "intent": "x",
            "intent_template": "x", "instantiation_dict": {}, "revision": 2, "eval": [{
                "evaluator": "AgentResponseEvaluator", "expected": expected,
                "results_schema": { "type": "array", "items": { "type": "string" } } }] })
    }

    #[test]
    fn webarena_verified_has_lists_and_an_older_list_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let sites = Sites::new(&["map=http://h".parse().unwrap()]).unwrap();
        let folder = "webarena_verified/assets/dataset";
        let old: Vec<Value> = (0..812).map(task).collect();
        write(dir.path(), &format!("{folder}/test.raw.json"), &json!(old));
        let dataset = dir.path().join(folder);
        let said = |dir: &Path, rules, set| load_set(dir, rules, &sites, set).unwrap_err().to_string();
        assert!(said(&dataset, Rules::Verified, None).contains("older list"));
        write(
            dir.path(),
            &format!("{folder}/{VERIFIED_LIST}"),
            &json!((0..812).map(verified).collect::<Vec<_>>()),
        );
        let checksum = HEXLOWER.encode(&Sha256::digest("[3,10]"));
        let set = |checksum: &str, ids: Value| {
            let name = format!("{folder}/subsets/webarena-verified-hard.json");
            write(dir.path(), &name, &json!({ "description": null, "task_ids": ids, "checksum": checksum }));
        };
        set(&checksum, json!([10, 3]));
        for below in ["", "webarena_verified", folder] {
            let of = |set| load_set(&dir.path().join(below), Rules::Verified, &sites, set).unwrap();
            let (all, hard) = (of(None), of(Some("hard")));
            assert_eq!((all.tasks.len(), all.own_list), (812, true), "{below}");
            assert_eq!(hard.tasks.iter().map(|task| task.id.as_str()).collect::<Vec<_>>(), ["3", "10"]);
            assert_ne!(all.hash, hard.hash);
            assert_eq!(hard.set.unwrap().checksum, checksum);
        }
        assert!(said(&dataset, Rules::Upstream, None).contains("--webarena-rules verified"));
        for (name, message) in [("none", "holds no list 'subsets/none.json'"), ("../x", "holds no list")] {
            assert!(said(dir.path(), Rules::Verified, Some(name)).contains(message), "{name}");
        }
        set(&checksum, json!([10, 4]));
        assert!(said(dir.path(), Rules::Verified, Some("hard")).contains("checksum"));
        let own = tempfile::tempdir().unwrap();
        write(own.path(), "a.json", &verified(1));
        assert!(said(own.path(), Rules::Upstream, None).contains("--webarena-rules verified"));
        assert!(said(own.path(), Rules::Verified, Some("hard")).contains("only WebArena-Verified's folder"));
        let read = load(own.path(), Rules::Verified, &sites).unwrap();
        assert_eq!((read.tasks[0].start[0].as_str(), read.tasks[0].problems.len()), ("http://h", 0));
        write(own.path(), "a.json", &task(1));
        assert!(said(own.path(), Rules::Verified, None).contains("--webarena-rules upstream"));
        let mut other = verified(1);
        other["eval"][0]["results_schema"]["items"]["type"] = "colour".into();
        write(own.path(), "a.json", &other);
        assert!(said(own.path(), Rules::Verified, None).contains("'colour'"));
    }

    #[test]
    fn a_folder_of_ones_own_tasks_has_any_number() {
        let dir = tempfile::tempdir().unwrap();
        let load = || load(dir.path(), Rules::V2, &Sites::default());
        assert!(load().unwrap_err().to_string().contains("holds no task files"));
        write(dir.path(), "b.json", &json!([task(2), task(3)]));
        write(dir.path(), "a.json", &task(1));
        let before = load().unwrap();
        assert_eq!(before.tasks.iter().map(|task| task.id.as_str()).collect::<Vec<_>>(), ["1", "2", "3"]);
        write(dir.path(), "a.reference.json", &json!([{ "do": "answer", "text": "a" }]));
        let after = load().unwrap();
        assert_eq!(after.tasks[0].reference.len(), 1);
        assert_ne!(after.hash, before.hash);
        write(dir.path(), "c.json", &task(1));
        assert!(load().unwrap_err().to_string().contains("twice"));
        std::fs::write(dir.path().join("c.json"), [b'"', 0xa8, b'"']).unwrap();
        assert!(load().unwrap_err().to_string().contains("c.json"));
    }
}

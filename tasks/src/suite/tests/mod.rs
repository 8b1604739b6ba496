mod drawing;
mod judging;
mod malformed;
mod on_desktop;

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::*;

pub(super) const SUITE: &str = r#"format = 1
id = "toy"
title = "Toy suite"
level = "L3"
platform = "web"
max_steps = 9
order = ["save-name"]
"#;

pub(super) const TASK: &str = include_str!("task.toml");

pub(super) fn folder(suite: &str, task: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "suite.toml", suite);
    write(dir.path(), "tasks/save-name.toml", task);
    write(dir.path(), "site/form/index.html", "<h1>Form</h1>");
    dir
}

pub(super) fn write(dir: &Path, path: &str, content: &str) {
    let path = dir.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

pub(super) fn toy() -> Suite {
    Suite::open(folder(SUITE, TASK).path()).unwrap()
}

/// The rows of a table: a line each, its cells between arrows; `⏎` breaks a line.
fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [String; N]> {
    let cells = |line: &str| line.split(" => ").map(|cell| cell.replace('⏎', "\n")).collect::<Vec<_>>();
    table.lines().map(move |line| cells(line).try_into().unwrap())
}

#[test]
fn every_built_in_suite_loads_and_its_tasks_can_be_drawn() {
    assert!(builtin_ids().contains(&"l3-web"));
    for id in builtin_ids() {
        // From the folder, which is where loading tries each task.
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites").join(id);
        let suite = Suite::open(&folder).unwrap_or_else(|error| panic!("{error}"));
        let built_in = Suite::find(id).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((built_in.id.as_str(), &built_in.hash), (id, &suite.hash));
        assert_eq!(suite.id, id);
        assert_eq!(suite.hash.len(), 64);
        for task in &suite.tasks {
            for repeat in 0..10 {
                let seed = instance_seed(7, &task.id, repeat);
                let instance = task.instance(seed, &InstanceContext::default()).unwrap();
                assert!(!instance.goal.contains("{{"), "{}", task.id);
            }
        }
    }
}

#[test]
fn a_suite_in_a_folder_is_the_same_as_the_built_in_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites/l3-web");
    let (built_in, open) = (Suite::builtin("l3-web").unwrap(), Suite::open(&folder).unwrap());
    assert_eq!(built_in.hash, open.hash);
    assert_eq!(built_in.entries(), open.entries());
    assert_eq!(built_in.site.len(), open.site.len());
}

#[test]
fn the_hash_depends_on_every_name_and_content_but_on_no_hidden_file() {
    let dir = folder(SUITE, TASK);
    let hash = || Suite::open(dir.path()).unwrap().hash;
    let before = hash();
    write(dir.path(), ".swap", "x");
    assert_eq!(hash(), before);
    write(dir.path(), "site/form/index.html", "<h1>Firm</h1>");
    let changed = hash();
    assert_ne!(changed, before);
    write(dir.path(), "site/empty.txt", "");
    assert_ne!(hash(), changed);
}

#[test]
fn names_that_are_not_there_are_named_with_those_that_are() {
    let error = Suite::find("l9-web").unwrap_err().to_string();
    assert!(error.contains("'l9-web'") && error.contains("l3-web"), "{error}");
    assert!(matches!(toy().task("nope"), Err(TaskError::UnknownTask { .. })));
    assert!(toy().task("save-name").is_ok());
    assert!(matches!(Suite::open(Path::new("/nowhere")), Err(TaskError::Io { .. })));
}

#[test]
fn a_page_is_found_by_its_address_and_nothing_else_is() {
    let site = toy().site;
    assert_eq!(&*site.get("/form/").unwrap().bytes, b"<h1>Form</h1>");
    assert_eq!(site.get("/form/index.html").unwrap().mime, "text/html; charset=utf-8");
    assert!(site.is_folder("/form") && !site.is_folder("/form/") && !site.is_folder("/other"));
    for path in
        ["/form", "/../suite.toml", "/form/../../suite.toml", "//form/", "/.", "", "/", "/form/./index.html"]
    {
        assert_eq!(site.get(path), None, "{path}");
    }
}

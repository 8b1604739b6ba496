//! Files that a person got wrong: each is refused with file, line and field.

use super::*;

/// Opens the toy suite with `from` replaced in its task, and gives the error.
fn broken(from: &str, to: &str) -> (String, usize) {
    assert!(TASK.contains(from), "{from}");
    error_of(SUITE, &TASK.replacen(from, to, 1))
}

fn error_of(suite: &str, task: &str) -> (String, usize) {
    let dir = folder(suite, task);
    match Suite::open(dir.path()) {
        Err(TaskError::Definition { file, line, field, message }) => {
            let file = file.rsplit('/').next().unwrap().to_owned();
            (format!("{file}: {field}{message}"), line)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_task_file_is_refused_with_line_and_field() {
    for [from, to, at, told] in rows(include_str!("malformed_task.txt")) {
        let (message, line) = broken(&from, &to);
        assert!(message.starts_with("save-name.toml: ") && message.contains(&told), "{to}: {message}");
        assert_eq!(line.to_string(), at, "{to}: {message}");
    }
}

#[test]
fn a_misspelt_name_in_a_template_shows_what_is_defined() {
    let (message, _) = broken("goal = \"Save", "goal = \"{{ nmae }}");
    assert!(message.contains("name, count, day"), "{message}");
}

#[test]
fn a_task_without_checks_or_solution_is_refused() {
    let at = TASK.find("[[reference]]").unwrap();
    let (message, _) = error_of(SUITE, &TASK[..at]);
    assert!(message.contains("reference: a task needs a solution"), "{message}");
    let check = TASK.find("[[check]]").unwrap();
    let (message, _) = error_of(SUITE, &format!("{}{}", &TASK[..check], &TASK[at..]));
    assert!(message.contains("check: a task needs at least one"), "{message}");
}

#[test]
fn a_suite_file_is_refused_with_line_and_field() {
    for [from, to, at, told] in rows(include_str!("malformed_suite.txt")) {
        let (message, line) = error_of(&SUITE.replace(&from, &to), TASK);
        assert!(message.starts_with("suite.toml: ") && message.contains(&told), "{message}");
        assert_eq!(line.to_string(), at, "{message}");
    }
}

#[test]
fn a_folder_without_a_whole_suite_is_refused() {
    let dir = folder(SUITE, TASK);
    write(dir.path(), "tasks/other.toml", &TASK.replace("id = \"save-name\"", "id = \"other\""));
    let error = Suite::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("suite.toml:7: order: 'other'"), "{error}");
    write(dir.path(), "tasks/other.toml", TASK);
    let error = Suite::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("save-name.toml:1: id: 'save-name' is also the id of"), "{error}");
    let dir = tempfile::tempdir().unwrap();
    let error = Suite::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("suite.toml:0: no such file; a suite is a folder with"), "{error}");
    fs::write(dir.path().join("suite.toml"), [0xff, 0xfe]).unwrap();
    let error = Suite::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("not UTF-8"), "{error}");
}

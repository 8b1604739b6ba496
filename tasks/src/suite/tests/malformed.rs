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

/// The line of the toy task that begins with `start`.
fn line(start: &str) -> usize {
    TASK.lines().position(|line| line.starts_with(start)).unwrap() + 1
}

#[test]
fn a_task_file_is_refused_with_line_and_field() {
    let cases: &[(&str, &str, &str, usize)] = &[
        ("id = \"save-name\"", "id = \"save-name", "invalid basic string", 1),
        ("id = \"save-name\"", "id = \"Save Name\"", "id: 'Save Name': use small letters", 1),
        (
            "title = \"Save a name\"",
            "titel = \"x\"",
            "titel: unknown field 'titel'; did you mean 'title'?",
            2,
        ),
        ("title = \"Save a name\"\n", "", "the field 'title' is missing", 1),
        (
            "title = \"Save a name\"",
            "title = 3",
            "title: it has to be a text in quotes, and is integer `3`",
            2,
        ),
        ("category = \"form\"", "category = \"form\"\nmax_steps = -1", "max_steps: invalid value", 4),
        ("category = \"form\"", "category = \"form\"\nmax_steps = 4", "max_steps: 4 is not above the 4 ", 4),
        ("goal = \"Save", "goal = \"{{ nmae }}", "goal: template: ", line("goal")),
        ("goal = \"Save", "goal = \"{{ name", "goal: template: ", line("goal")),
        ("goal = \"Save", "goal = \"{{ name | shout }}", "goal: template: ", line("goal")),
        ("start = \"/form/\"", "start = \"form/\"", "start: 'form/' is not a path", line("start")),
        ("start = \"/form/\"", "start = \"/farm/\"", "start: site/ has no page '/farm/'", line("start")),
        ("name = { choose", "name = { chose", "params.name: unknown name 'chose'; did you mean 'choose'?", 7),
        (
            "[\"Ada Lovelace\", \"Alan Turing\", \"Grace Hopper\"]",
            "[]",
            "params.name.choose: at least one",
            7,
        ),
        ("int = [2, 9]", "int = [9, 2]", "params.count: int needs [low, high]", line("count")),
        ("int = [2, 9]", "int = [2]", "params.count.int: invalid length 1", line("count")),
        ("2026-05-28", "2026-02-28", "params.day.date: 2026-02-28 is before", line("day")),
        ("2026-05-28", "28 May", "params.day.date: '28 May' is not a day", line("day")),
        ("n = 2", "n = 4", "params.two.sample: n is 4, but there are only 3", line("two")),
        ("n = 2", "k = 2", "params.two.sample.k: unknown field 'k'; known are from, n", line("two")),
        (
            "sku = \"B2\"",
            "skew = \"B2\"",
            "params.row.pick[1]: only some of the tables have 'sku'",
            line("row"),
        ),
        ("email = {", "origin = {", "params.origin: 'origin' has a meaning", line("email")),
        ("email = {", "\"e-mail\" = {", "params.e-mail: a parameter's name", line("email")),
        ("{{ row.sku }}", "{{ row.skew }}", "state.wanted: template: ", line("wanted")),
        (
            "kind = \"state\"",
            "kind = \"stat\"",
            "check[0].kind: unknown name 'stat'; did you mean 'state'?",
            18,
        ),
        (
            "kind = \"state\"",
            "knd = \"state\"",
            "check[0].knd: unknown field 'knd'; did you mean 'kind'?",
            18,
        ),
        ("kind = \"state\"\n", "", "check[0]: the field 'kind' is missing", 17),
        (
            "pointer = \"/saved/0\"",
            "pointer = \"saved/0\"",
            "check[0].pointer: 'saved/0' must begin with '/'",
            19,
        ),
        ("pointer = \"/saved/0\"\n", "", "check[0]: the field 'pointer' is missing", 17),
        ("equals = \"{{ email }}\"\n", "", "check[0]: a check of this kind needs a condition", 17),
        (
            "equals = \"{{ email }}\"",
            "equal = \"x\"",
            "check[0].equal: unknown field 'equal'; did you mean 'equals'?",
            20,
        ),
        (
            "equals = \"{{ email }}\"",
            "matches = \"a(\"",
            "check[0].matches: 'a(' is not a regular expression",
            20,
        ),
        ("equals = \"{{ email }}\"", "expr = \"1\"", "check[0].expr: a check of this kind has no 'expr'", 20),
        ("equals = \"{{ email }}\"", "approx = \"{{ name }}\"", "check[0].approx: ", 20),
        ("equals = \"{{ email }}\"", "equals = 1\ntolerance = 1", "check[0].tolerance: says nothing", 21),
        ("length = \"{{ count }}\"", "length = -1", "check[1].length: -1 is not a whole number", 24),
        ("do = \"tap\"", "do = \"tapp\"", "reference[0].do: unknown name 'tapp'; did you mean 'tap'?", 26),
        ("do = \"tap\"", "do = \"clear\"\ntext = 5", "reference[0].text: it has to be a text in quotes", 27),
        (
            "role = \"textbox\"\nname = \"Name\"",
            "",
            "reference[0].do: \"do\" needs the field 'role' or 'name'",
            26,
        ),
        (
            "text = \"{{ name }}\"",
            "txt = \"x\"",
            "reference[1].txt: unknown field 'txt'; did you mean 'text'?",
            31,
        ),
        ("text = \"{{ name }}\"", "text = \"{{ nam }}\"", "reference[1].text: template: ", 31),
        ("do = \"type\"", "do = \"answer\"", "reference[1].do: this ends the episode", 30),
        (
            "do = \"key\"\nkey = \"ctrl+s\"",
            "do = \"infeasible\"\ntext = \"no\"",
            "reference[2].do: only an infeasible",
            33,
        ),
        (
            "do = \"key\"\nkey = \"ctrl+s\"",
            "do = \"upload\"\nrole = \"file\"\nfiles = [\"a.txt\"]",
            "reference[2].files: state.uploads has no text for 'a.txt'",
            35,
        ),
        (
            "do = \"key\"\nkey = \"ctrl+s\"",
            "do = \"tap\"\nat = [1.5, 0]",
            "reference[2]: 1.5 is not a share",
            32,
        ),
        (
            "category",
            "infeasible = true\ncategory",
            "reference[2].do: the solution of an infeasible task ends",
            34,
        ),
        (
            "kind = \"state\"\npointer = \"/saved/0\"",
            "kind = \"answer\"",
            "reference[2].do: a task with an answer check",
            32,
        ),
    ];
    let mut wrong = Vec::new();
    for (from, to, expected, at) in cases {
        let (message, line) = broken(from, to);
        if !message.starts_with("save-name.toml: ") || !message.contains(expected) || line != *at {
            wrong.push(format!(
                "{from:?} -> {to:?}\n  expected {at}: {expected}\n  got      {line}: {message}"
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
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
    for (from, to, expected, at) in [
        ("format = 1", "format = 3", "format: this waldo reads formats 1 to 2, not 3", 1),
        ("title = \"Toy suite\"", "title = \"\"", "title: is empty", 3),
        ("platform = \"web\"", "platform = \"wed\"", "platform: unknown name 'wed'; did you mean 'web'?", 5),
        ("max_steps = 9", "max_steps = 0", "max_steps: at least one step", 6),
        ("max_steps = 9\n", "", "the field 'max_steps' is missing", 1),
        ("[\"save-name\"]", "[]", "order: a suite has at least one task", 7),
        (
            "[\"save-name\"]",
            "[\"save-nam\"]",
            "order[0]: no file in tasks/ has the id 'save-nam'; did you mean 'save-name'?",
            7,
        ),
        (
            "[\"save-name\"]",
            "[\n  \"save-name\",\n  \"save-name\"]",
            "order[1]: 'save-name' is named twice",
            9,
        ),
        ("format = 1", "fromat = 1", "fromat: unknown field 'fromat'; did you mean 'format'?", 1),
    ] {
        let (message, line) = error_of(&SUITE.replace(from, to), TASK);
        assert!(message.starts_with("suite.toml: ") && message.contains(expected), "{message}");
        assert_eq!(line, at, "{message}");
    }
}

#[test]
fn tasks_that_the_order_leaves_out_and_twins_are_refused() {
    let dir = folder(SUITE, TASK);
    write(dir.path(), "tasks/other.toml", &TASK.replace("id = \"save-name\"", "id = \"other\""));
    let error = Suite::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("suite.toml:7: order: 'other'"), "{error}");
    write(dir.path(), "tasks/other.toml", TASK);
    let error = Suite::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("save-name.toml:1: id: 'save-name' is also the id of"), "{error}");
}

#[test]
fn a_folder_that_is_no_suite_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let error = Suite::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("suite.toml:0: no such file; a suite is a folder with"), "{error}");
    fs::write(dir.path().join("suite.toml"), [0xff, 0xfe]).unwrap();
    let error = Suite::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("not UTF-8"), "{error}");
}

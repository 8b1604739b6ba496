use super::*;
use crate::cli;

struct Place {
    dir: tempfile::TempDir,
    here: StartEnvironment,
}

/// A home and a project in it, with the files that are given.
fn place(user: Option<&str>, project: Option<&str>, variables: &[(&str, &str)]) -> Place {
    let dir = tempfile::tempdir().unwrap();
    let (home, folder) = (dir.path().join("home"), dir.path().join("project/deep"));
    std::fs::create_dir_all(home.join(".config/waldo")).unwrap();
    std::fs::create_dir_all(&folder).unwrap();
    if let Some(text) = user {
        std::fs::write(home.join(".config/waldo/config.toml"), text).unwrap();
    }
    if let Some(text) = project {
        std::fs::write(dir.path().join("project/waldo.toml"), text).unwrap();
    }
    let mut all: BTreeMap<String, String> =
        variables.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    all.insert("HOME".into(), home.to_string_lossy().into_owned());
    Place { dir, here: StartEnvironment { variables: all, folder } }
}

fn load(place: &Place) -> Result<Settings, ConfigError> {
    Settings::load(&place.here, &cli::command())
}

fn value<'s>(settings: &'s Settings, path: &str) -> (&'s [String], &'s ValueSource) {
    let setting = settings.all.iter().find(|s| s.key.path() == path).unwrap();
    (&setting.values, &setting.source)
}

#[test]
fn the_nearer_layer_wins_value_by_value() {
    let place = place(
        Some("[eval]\nworkers = 3\nrepeats = 4\nseed = 5\n[prompts]\ndir = \"mine\"\n"),
        Some(
            "[eval]\nrepeats = 6\nseed = 7\n[model]\nbase-url = \"http://127.0.0.1:9/v1\"\nextra-body = { top_p = 0.9 }\n",
        ),
        &[("WALDO_SEED", "8"), ("WALDO_WORKERS", ""), ("WALDO_ALLOW", "http://a.test, http://b.test")],
    );
    let settings = load(&place).unwrap();
    assert_eq!(value(&settings, "eval.workers").0, ["3"]);
    let (values, source) = value(&settings, "eval.repeats");
    assert_eq!(values, ["6"]);
    assert!(matches!(source, ValueSource::File(FileRole::Project, _)));
    assert_eq!(
        value(&settings, "eval.seed"),
        (&["8".to_owned()][..], &ValueSource::Variable("WALDO_SEED".into()))
    );
    assert_eq!(value(&settings, "guard.allow").0, ["http://a.test", "http://b.test"]);
    assert_eq!(value(&settings, "model.extra-body").0, [r#"{"top_p":0.9}"#]);
    assert_eq!(value(&settings, "eval.attempts"), (&["3".to_owned()][..], &ValueSource::Default));
    let dir = place.dir.path().join("home/.config/waldo/mine");
    assert_eq!(value(&settings, "prompts.dir").0, [dir.to_string_lossy()]);
    assert_eq!(settings.files.len(), 2);
}

#[test]
fn flags_win_over_all_of_it_and_headings_reach_every_command() {
    let place =
        place(None, Some("[browser]\nviewport = \"900x700\"\nheaded = true\n[eval]\nworkers = 9\n"), &[]);
    let root = load(&place).unwrap().apply(cli::command());
    let of = |args: &[&str], id: &str| {
        let matches = root.clone().try_get_matches_from(args).unwrap();
        let (_, sub) = matches.subcommand().unwrap();
        let raw: Vec<String> =
            sub.get_raw(id).into_iter().flatten().map(|v| v.to_string_lossy().into_owned()).collect();
        raw.join(",")
    };
    assert_eq!(of(&["waldo", "doctor"], "viewport"), "900x700");
    assert_eq!(of(&["waldo", "eval", "x", "--agent", "noop"], "viewport"), "900x700");
    assert_eq!(of(&["waldo", "eval", "x", "--agent", "noop"], "workers"), "9");
    assert_eq!(of(&["waldo", "eval", "x", "--agent", "noop", "--workers", "2"], "workers"), "2");
    assert_eq!(of(&["waldo", "doctor"], "headed"), "true");
    assert_eq!(of(&["waldo", "doctor", "--headed=false"], "headed"), "false");
}

#[test]
fn a_mistake_is_shown_with_file_line_and_field() {
    for (text, told) in [
        ("[model]\nmodel = \"m\"\nbase_url = \"x\"\n", "waldo.toml:3|did you mean 'base-url'?"),
        ("[browser]\n\nviewport = \"huge\"\n", "waldo.toml:3|browser.viewport|1280x800"),
        (
            "[eval]\nworkers = \"two\"\n",
            "waldo.toml:2|eval.workers|takes a whole number from 1 to 256, not 'two'",
        ),
        (
            "[eval]\nworkers = \"4\"\n",
            "it has to be a whole number from 0 on, and is string \"4\": leave the quotes out",
        ),
        ("workers = 2\n", "waldo.toml:1|move it under [eval]"),
        ("[model]\nworkers = 2\n", "waldo.toml:2|move it under [eval]"),
        ("[evil]\n", "did you mean 'eval'?"),
        ("[guard]\ndeny = [\"navigat\"]\n", "did you mean 'navigate'?"),
    ] {
        let message = load(&place(None, Some(text), &[])).unwrap_err().to_string();
        assert!(told.split('|').all(|part| message.contains(part)), "{message}");
    }
    let said = |name, value| load(&place(None, None, &[(name, value)])).unwrap_err().to_string();
    assert!(said("WALDO_SCALE", "9").contains("WALDO_SCALE"));
    let told = "WALDO_WORKERS: takes a whole number from 1 to 256, not 'abc'";
    assert!(said("WALDO_WORKERS", "abc").contains(told));
}

#[test]
fn one_file_can_be_named_in_place_of_the_others() {
    let mut place = place(Some("[eval]\nseed = 1\n"), Some("[eval]\nseed = 2\n"), &[]);
    std::fs::write(place.here.folder.join("other.toml"), "[eval]\nseed = 3\n").unwrap();
    place.here.variables.insert("WALDO_CONFIG".into(), "other.toml".into());
    assert_eq!(value(&load(&place).unwrap(), "eval.seed").0, ["3"]);
    place.here.variables.insert("WALDO_CONFIG".into(), String::new());
    assert_eq!(value(&load(&place).unwrap(), "eval.seed").0, ["0"]);
    place.here.variables.insert("WALDO_CONFIG".into(), "none.toml".into());
    assert!(load(&place).unwrap_err().to_string().contains("none.toml"));
}

#[test]
fn a_password_is_not_shown_and_a_mistyped_variable_is() {
    let settings = load(&place(
        Some("[model]\nbase-url = \"http://me:hunter2@host/v1\"\n"),
        None,
        &[("WALDO_WORKER", "3")],
    ))
    .unwrap();
    let base = settings.all.iter().find(|s| s.key.name() == "base-url").unwrap();
    assert_eq!(base.shown(), ["http://me:...@host/v1"]);
    assert_eq!(without_keys("https://token@host/v1"), "https://...@host/v1");
    assert_eq!(without_keys("wss://grid.test/devtools?token=abc"), "wss://grid.test/devtools?...");
    for plain in ["http://127.0.0.1:8000/v1", "no address"] {
        assert_eq!(without_keys(plain), plain);
    }
    assert_eq!(settings.unknown_variables, ["WALDO_WORKER is not a setting; did you mean 'WALDO_WORKERS'?"]);
    let help =
        settings.apply(cli::command()).find_subcommand_mut("eval").unwrap().render_long_help().to_string();
    assert!(!help.contains("hunter2"));
}

#[test]
fn the_committed_schema_is_current() {
    let committed = include_str!("../../schemas/config.schema.json");
    let current = serde_json::to_string_pretty(&schema(&cli::command())).unwrap() + "\n";
    assert_eq!(committed, current, "run: waldo config schema > schemas/config.schema.json");
}

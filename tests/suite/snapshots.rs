//! Snapshots of every command's help. After a change on purpose: `INSTA_UPDATE=always cargo test help`.

use super::support::waldo;

/// No example is broken where a shell would not have it broken.
fn can_be_copied(help: &str) {
    let examples = help.lines().skip_while(|line| !line.starts_with("Example")).skip(1);
    let mut before = "";
    for line in examples {
        let goes_on = line.starts_with("      ") && before.ends_with('\\');
        let begins = ["  waldo ", "  adb "].iter().any(|word| line.starts_with(word));
        assert!(goes_on || (begins && !before.ends_with('\\')), "{line}\n{help}");
        before = line;
    }
}

#[test]
fn help_says_what_it_said() {
    let dir = tempfile::tempdir().unwrap();
    let help = |args: &[&str]| waldo(dir.path(), args).env("COLUMNS", "100").run().expect_code(0).stdout;
    let main = help(&["--help"]);
    let commands: Vec<&str> = main
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() >= 12, "{commands:?}");
    for command in &commands {
        can_be_copied(&help(&[command, "--help"]));
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        insta::assert_snapshot!("help", main);
        for command in commands {
            insta::assert_snapshot!(format!("help-{command}"), help(&[command, "--help"]));
        }
    });
}

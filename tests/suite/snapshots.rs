//! A snapshot of every command's help. After a change on purpose: `INSTA_UPDATE=always cargo test help`.

use std::collections::HashMap;

use super::support::*;

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
    let mut known = HashMap::new();
    let nested = [vec!["grounding", "make"]];
    let all = commands.into_iter().map(|command| vec![command]).chain(nested);
    let told: String =
        all.map(|c| shortened(&c, &help(&[&c[..], &["--help"]].concat()), &mut known)).collect();
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("help", format!("{main}{told}")));
}

/// A command's help with each flag in one line, and with a mention only of flags that an earlier command has in the same
/// words: `known` says which command that is.
fn shortened(command: &[&str], help: &str, known: &mut HashMap<String, String>) -> String {
    let command = command.join(" ");
    let mut told = format!("\n==== waldo {command}\n");
    let mut entry = String::new();
    let mut as_in: Vec<(String, Vec<String>)> = Vec::new();
    let mut end = |entry: &mut String, as_in: &mut Vec<(String, Vec<String>)>, told: &mut String| {
        let text = std::mem::take(entry);
        if text.is_empty() {
            return;
        }
        if let Some(first) = known.get(&text) {
            let flag = text.split(' ').take_while(|word| word.starts_with('-')).collect::<Vec<_>>().join(" ");
            match as_in.iter_mut().find(|(of, _)| of == first) {
                Some((_, flags)) => flags.push(flag),
                None => as_in.push((first.clone(), vec![flag])),
            }
            return;
        }
        told.push_str(&format!("  {text}\n"));
        known.insert(text, command.clone());
    };
    for line in help.lines() {
        let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let indented = line.len() - line.trim_start().len();
        if indented == 0 && !words.is_empty() {
            end(&mut entry, &mut as_in, &mut told);
            for (first, flags) in std::mem::take(&mut as_in) {
                told.push_str(&format!("  as of {first}: {}\n", flags.join("; ")));
            }
            told.push_str(&format!("{words}\n"));
        } else if indented < 10 && line.trim_start().starts_with('-') {
            end(&mut entry, &mut as_in, &mut told);
            entry = words;
        } else if entry.is_empty() {
            told.push_str(&if words.is_empty() { String::new() } else { format!("{line}\n") });
        } else if !words.is_empty() {
            entry.push(' ');
            entry.push_str(&words);
        }
    }
    end(&mut entry, &mut as_in, &mut told);
    for (first, flags) in as_in {
        told.push_str(&format!("  as of {first}: {}\n", flags.join("; ")));
    }
    told
}

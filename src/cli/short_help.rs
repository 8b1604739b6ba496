//! What the help of commands ends with; and `-h` on one screen: the flags that matter most and two examples.

use clap::Command;

/// The flags that `-h` shows of a command, by its path and their long names; a command without a line has few enough.
const SHOWN: &[(&str, &str)] = &[
    ("check", "task seed repeats mutate mutants workers device json"),
    ("demo record", "url open device task suite live out allow"),
    ("devices", "device json"),
    ("doctor", "device model base-url wire browser json"),
    ("drive", "url open device allow check port out"),
    ("elements", "url open device xml picture json"),
    ("env", "task sessions device seed max-steps out socket"),
    (
        "eval",
        "agent model base-url contestant with-bounds task device workers repeats seed max-steps out dry-run",
    ),
    ("explore", "url open device docs agent model base-url steps allow live"),
    ("mcp", "url open device allow tools http upload out"),
    ("open", "session idle device allow upload out"),
    ("replay", "url open device suite check watch fall-back model allow"),
    ("run", "url open device agent model base-url allow check max-steps watch live out json"),
    ("worker", "queue lane slots suite model base-url idle"),
];
const EXAMPLES: usize = 2;

/// Of each command after `== ` what its help ends with.
const AFTER: &str = include_str!("after_help.txt");

fn after_help(path: &str) -> &'static str {
    let heading = format!("waldo {path}");
    let mut parts = AFTER.split("== ");
    let found = parts.find_map(|part| part.strip_prefix(heading.trim_end())?.strip_prefix('\n'));
    found.unwrap_or_default().trim_end()
}

pub fn shorten(command: Command) -> Command {
    shorten_at(command, "")
}

fn shorten_at(command: Command, path: &str) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let command = names.into_iter().fold(command, |command, name| {
        let path = format!("{path} {name}");
        command.mut_subcommand(name, |sub| shorten_at(sub, path.trim_start()))
    });
    let after = after_help(path);
    let Some((_, shown)) = SHOWN.iter().find(|(of, _)| *of == path) else {
        return if after.is_empty() { command } else { command.after_help(after) };
    };
    let brief = format!("{}\n\n'waldo {path} --help' says all of it.", first_examples(after));
    command.after_help(brief.trim_start().to_owned()).after_long_help(after).mut_args(|arg| {
        let kept = arg.is_positional()
            || arg.get_long().is_some_and(|long| shown.split(' ').any(|name| name == long));
        arg.hide_short_help(!kept)
    })
}

/// The heading of the examples and the first of them; one may go over several lines.
fn first_examples(examples: &str) -> String {
    let begins = |line: &str| line.starts_with("  ") && !line.starts_with("   ");
    let mut left = EXAMPLES + 1;
    let kept = examples.lines().take_while(|line| {
        left -= usize::from(begins(line) && left > 0);
        left > 0
    });
    kept.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_that_is_named_exists_and_a_screen_holds_the_short_help() {
        let mut root = crate::cli::command();
        root.build();
        for (path, shown) in SHOWN {
            let command = path.split(' ').try_fold(&root, |command, name| command.find_subcommand(name));
            let mut command = command.unwrap_or_else(|| panic!("no command {path}")).clone();
            for name in shown.split(' ') {
                // A build without a part has not its flags.
                let there = command.get_arguments().any(|arg| arg.get_long() == Some(name));
                assert!(there || cfg!(not(feature = "fleet")), "{path} has no --{name}");
            }
            let short = command.render_help().to_string();
            let long = command.render_long_help().to_string();
            assert!(short.lines().count() <= 60, "{path}: {} lines\n{short}", short.lines().count());
            assert!(short.contains("--help' says all of it"), "{short}");
            assert!(long.lines().count() > short.lines().count(), "{path}");
        }
        for path in AFTER.lines().filter_map(|line| line.strip_prefix("== waldo")) {
            let mut names = path.split_whitespace();
            let there = names.try_fold(&root, |command, name| command.find_subcommand(name)).is_some();
            assert!(there || cfg!(not(feature = "fleet")), "no command{path}");
        }
    }

    #[test]
    fn an_example_stays_whole() {
        let text = "Examples:\n  waldo a \\\n      --more\n  waldo b\n  waldo c";
        assert_eq!(first_examples(text), "Examples:\n  waldo a \\\n      --more\n  waldo b");
        assert_eq!(first_examples(""), "");
    }
}

//! The programs that a line for the shell starts, as far as they stand there in plain words.
//!
//! Duty: so that it can be said before an episode what is not installed. What a shell would work out (names
//! in variables, words in back quotes, functions) is passed over: nothing is said to be missing by a guess.

/// Words of the shell itself, and `sudo`, of which more is said elsewhere.
const OWN: &[&str] = &[
    "!", ".", ":", "[", "[[", "alias", "bg", "break", "case", "cd", "command", "continue", "declare", "do",
    "done", "echo", "elif", "else", "esac", "eval", "exec", "exit", "export", "false", "fg", "fi", "for",
    "function", "hash", "history", "if", "in", "jobs", "kill", "let", "local", "popd", "printf", "pushd",
    "pwd", "read", "return", "set", "shift", "shopt", "source", "sudo", "test", "then", "trap", "true",
    "type", "ulimit", "umask", "unset", "until", "wait", "while", "{", "}",
];
/// Words behind which the command itself stands.
const BEFORE: [&str; 14] = [
    "!", "command", "do", "elif", "else", "env", "exec", "if", "nohup", "setsid", "then", "time", "until",
    "while",
];

/// The first words of the simple commands of a line, each once.
pub fn started(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    // What follows is the text of a document, not commands.
    let line = line.split("<<").next().unwrap_or_default();
    for part in parts(line) {
        let mut words = part.split_ascii_whitespace().peekable();
        while words.peek().is_some_and(|word| BEFORE.contains(word) || assigns(word)) {
            words.next();
        }
        let Some(word) = words.next() else { continue };
        let plain = |c: char| c.is_ascii_alphanumeric() || "._/+-".contains(c);
        // What lies in a folder of the task's own comes with the task.
        let own =
            OWN.contains(&word) || [".", "~", "/home/", "/tmp/", "-"].iter().any(|of| word.starts_with(of));
        let name = word.to_owned();
        if !own && word.chars().all(plain) && !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// `NAME=value`, or what is left of one whose value had blanks.
fn assigns(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// The simple commands, what is quoted replaced by one mark.
fn parts(line: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        let mut add = |c: char| {
            if let Some(last) = all.last_mut() {
                last.push(c);
            }
        };
        match (quote, c) {
            (Some('"') | None, '\\') => {
                chars.next();
                add('\'');
            }
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => {
                quote = Some(c);
                add('\'');
            }
            (None, ';' | '|' | '&' | '\n' | '(' | ')' | '`') => all.push(String::new()),
            (None, c) => add(c),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_words_are_programs() {
        for (line, want) in [
            ("VLC_VERBOSE=-1 vlc --start-time=1 '/a b'", vec!["vlc"]),
            ("cd /a && ls -l | grep 'x; gimp' > out; /usr/bin/code .", vec!["ls", "grep", "/usr/bin/code"]),
            ("export A='x y'\ngnome-terminal --maximize & sleep 1", vec!["gnome-terminal", "sleep"]),
            ("if test -f a; then convert a b; fi; $EDITOR a; \"my prog\" b", vec!["convert"]),
            ("for f in a b; do nohup soffice $f; done", vec!["soffice"]),
            ("cat > f <<EOF\nvlc is a word\nEOF", vec!["cat"]),
            ("echo \"a \\\" b; vlc\" && true", vec![]),
            ("./setup.sh; sudo ls; /home/user/a.sh; history | tail", vec!["tail"]),
            ("", vec![]),
        ] {
            assert_eq!(started(line), want, "{line}");
        }
    }
}

//! Words become arguments: parameters, substitutions, splitting at blanks.

use super::exec::Shell;
use super::parse::{ShellWord, WordPart};
use super::pipes::{Fds, OutputSink, taken};

impl Shell {
    /// A word's arguments: none, one or many.
    pub(super) async fn expand(&mut self, word: &ShellWord, fds: &Fds) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        let mut current: Option<String> = None;
        for part in word {
            let (text, quoted) = self.value(part, fds).await;
            if quoted {
                current.get_or_insert_default().push_str(&text);
                continue;
            }
            if text.starts_with([' ', '\t', '\n']) {
                words.extend(current.take());
            }
            let mut fields = text.split_ascii_whitespace().peekable();
            while let Some(field) = fields.next() {
                current.get_or_insert_default().push_str(field);
                if fields.peek().is_some() || text.ends_with([' ', '\t', '\n']) {
                    words.extend(current.take());
                }
            }
        }
        words.extend(current);
        words
    }

    /// A word as one text, without splitting: for assignments and redirections.
    pub(super) async fn expand_one(&mut self, word: &ShellWord, fds: &Fds) -> String {
        let mut whole = String::new();
        for part in word {
            whole.push_str(&self.value(part, fds).await.0);
        }
        whole
    }

    /// What a piece stands for, and whether it must not be split.
    async fn value(&mut self, part: &WordPart, fds: &Fds) -> (String, bool) {
        match part {
            WordPart::Text(text) => (text.clone(), true),
            WordPart::Variable(name, quoted) => (self.variable(name).unwrap_or_default(), *quoted),
            WordPart::Output(script, quoted) => {
                let (out, bytes) = OutputSink::memory();
                let inner = Fds { input: fds.input.clone(), out, err: fds.err.clone() };
                let mut sub = self.clone();
                sub.script(script, &inner).await;
                self.status = sub.status;
                let text = String::from_utf8_lossy(&taken(&bytes)).into_owned();
                (text.trim_end_matches('\n').to_owned(), *quoted)
            }
        }
    }
}

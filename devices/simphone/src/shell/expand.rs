//! Words become arguments: parameters, substitutions, sums, splitting at blanks, file names.

use super::exec::Shell;
use super::parse::{ShellWord, WordPart};
use super::pipes::{Fds, OutputSink, taken};
use crate::files::{join, normalise};

/// A piece after substitution, and whether it may be split and matched.
enum Piece {
    Fixed(String),
    Open(String),
}

impl Shell {
    /// A word's arguments: none, one or many.
    pub(super) async fn expand(&mut self, word: &ShellWord, fds: &Fds) -> Vec<String> {
        let mut pieces = Vec::new();
        for part in &word.0 {
            let piece = match part {
                WordPart::Bare(text) => Piece::Fixed(text.clone()),
                WordPart::Quoted(text) => Piece::Fixed(escape(text)),
                WordPart::Variable { name, default, quoted } => {
                    let value = self.variable(name).filter(|v| default.is_none() || !v.is_empty());
                    open(value.or_else(|| default.clone()).unwrap_or_default(), *quoted)
                }
                WordPart::Output { script, quoted } => {
                    let (out, bytes) = OutputSink::memory();
                    let inner = Fds { input: fds.input.clone(), out, err: fds.err.clone() };
                    let mut sub = self.subshell();
                    sub.script(script, &inner).await;
                    self.status = sub.status;
                    let text = String::from_utf8_lossy(&taken(&bytes)).into_owned();
                    open(text.trim_end_matches('\n').to_owned(), *quoted)
                }
                WordPart::Sum(text) => Piece::Fixed(self.sum(text)),
            };
            pieces.push(piece);
        }
        let mut words: Vec<String> = Vec::new();
        let mut current: Option<String> = None;
        for piece in pieces {
            match piece {
                Piece::Fixed(text) => current.get_or_insert_default().push_str(&text),
                Piece::Open(text) => {
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
            }
        }
        words.extend(current);
        words.into_iter().flat_map(|word| self.match_names(&word)).collect()
    }

    /// A word as one text, without splitting or matching: for assignments and redirections.
    pub(super) async fn expand_one(&mut self, word: &ShellWord, fds: &Fds) -> String {
        let fixed = ShellWord(
            word.0
                .iter()
                .map(|part| match part {
                    WordPart::Bare(text) => WordPart::Quoted(text.clone()),
                    WordPart::Variable { name, default, .. } => {
                        WordPart::Variable { name: name.clone(), default: default.clone(), quoted: true }
                    }
                    WordPart::Output { script, .. } => {
                        WordPart::Output { script: script.clone(), quoted: true }
                    }
                    other => other.clone(),
                })
                .collect(),
        );
        self.expand(&fixed, fds).await.concat()
    }

    /// File names a pattern matches, sorted; the pattern itself where there are none.
    fn match_names(&self, word: &str) -> Vec<String> {
        let plain = unescape(word);
        if !has_pattern(word) {
            return vec![plain];
        }
        let absolute = word.starts_with('/');
        let mut found = vec![if absolute { "/".to_owned() } else { String::new() }];
        for part in word.split('/').filter(|p| !p.is_empty()) {
            let mut next = Vec::new();
            for base in &found {
                if !has_pattern(part) {
                    next.push(if base.is_empty() { unescape(part) } else { join(base, &unescape(part)) });
                    continue;
                }
                let dir = normalise(&self.cwd, if base.is_empty() { "." } else { base });
                let names = super::files(&self.phone, |fs| fs.as_shell().list(&dir)).unwrap_or_default();
                for (name, _) in names {
                    if matches(part, &name) && (!name.starts_with('.') || part.starts_with('.')) {
                        next.push(if base.is_empty() { name } else { join(base, &name) });
                    }
                }
            }
            found = next;
        }
        found.retain(|path| super::files(&self.phone, |fs| fs.exists(&normalise(&self.cwd, path))));
        if found.is_empty() { vec![plain] } else { found }
    }

    fn sum(&self, text: &str) -> String {
        let mut sum = Sum { text: text.as_bytes(), at: 0, shell: self, depth: 0 };
        sum.level(0).unwrap_or(0).to_string()
    }
}

fn open(text: String, quoted: bool) -> Piece {
    if quoted { Piece::Fixed(escape(&text)) } else { Piece::Open(text) }
}

/// Pattern signs with a backslash before them, so that they match only themselves.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '?' | '[' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    out
}

fn has_pattern(text: &str) -> bool {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '*' | '?' | '[' => return true,
            _ => {}
        }
    }
    false
}

/// Does the name match the pattern (`*`, `?`, `[…]`, backslash)?
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        let step = match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
                continue;
            }
            Some('?') => Some(1),
            Some('[') => set(&pattern[p..], name[n]),
            Some('\\') => (pattern.get(p + 1) == Some(&name[n])).then_some(2),
            Some(c) => (*c == name[n]).then_some(1),
            None => None,
        };
        match (step, star) {
            (Some(width), _) => {
                p += width;
                n += 1;
            }
            (None, Some((at, from))) => {
                p = at + 1;
                n = from + 1;
                star = Some((at, from + 1));
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// The width of the `[…]` at the start of the pattern, if it takes the character.
fn set(pattern: &[char], c: char) -> Option<usize> {
    let end = pattern.iter().skip(2).position(|c| *c == ']')? + 2;
    let negated = matches!(pattern.get(1), Some('!' | '^'));
    let body = &pattern[if negated { 2 } else { 1 }..end];
    let mut hit = false;
    let mut i = 0;
    while i < body.len() {
        if i + 2 < body.len() && body[i + 1] == '-' {
            hit |= (body[i]..=body[i + 2]).contains(&c);
            i += 3;
        } else {
            hit |= body[i] == c;
            i += 1;
        }
    }
    (hit != negated).then_some(end + 1)
}

/// Whole-number sums: `+ - * / %`, comparisons, brackets, names.
struct Sum<'a> {
    text: &'a [u8],
    at: usize,
    shell: &'a Shell,
    depth: usize,
}

impl Sum<'_> {
    const LEVELS: [&'static [&'static str]; 3] =
        [&["<=", ">=", "==", "!=", "<", ">"], &["+", "-"], &["*", "/", "%"]];

    fn blanks(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn level(&mut self, level: usize) -> Option<i64> {
        let Some(signs) = Self::LEVELS.get(level) else { return self.atom() };
        let mut left = self.level(level + 1)?;
        loop {
            self.blanks();
            let Some(sign) = signs.iter().find(|s| self.text[self.at..].starts_with(s.as_bytes())) else {
                return Some(left);
            };
            self.at += sign.len();
            let right = self.level(level + 1)?;
            left = match *sign {
                "+" => left.wrapping_add(right),
                "-" => left.wrapping_sub(right),
                "*" => left.wrapping_mul(right),
                "/" => left.checked_div(right)?,
                "%" => left.checked_rem(right)?,
                "<" => i64::from(left < right),
                ">" => i64::from(left > right),
                "<=" => i64::from(left <= right),
                ">=" => i64::from(left >= right),
                "==" => i64::from(left == right),
                _ => i64::from(left != right),
            };
        }
    }

    fn atom(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > 200 {
            return None;
        }
        self.blanks();
        match self.text.get(self.at)? {
            b'(' => {
                self.at += 1;
                let value = self.level(0)?;
                self.blanks();
                self.at += usize::from(self.text.get(self.at) == Some(&b')'));
                Some(value)
            }
            b'-' => {
                self.at += 1;
                Some(self.atom()?.wrapping_neg())
            }
            b'$' => {
                self.at += 1;
                self.atom()
            }
            _ => {
                let from = self.at;
                while self.text.get(self.at).is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_') {
                    self.at += 1;
                }
                let word = std::str::from_utf8(&self.text[from..self.at]).ok()?;
                if word.is_empty() {
                    return None;
                }
                word.parse().ok().or_else(|| {
                    Some(self.shell.variable(word).and_then(|v| v.trim().parse().ok()).unwrap_or(0))
                })
            }
        }
    }
}

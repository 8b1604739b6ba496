//! The shell's grammar: the part of mksh that people send over adb.
//!
//! Words with both kinds of quotes, backslashes, `$NAME`, `${NAME:-text}`, `$(…)`, backquotes and `$((…))`; lists with
//! `;`, newline, `&`, `&&`, `||`, `!`; pipelines; redirections; `( … )`, `{ … }`, `if`, `for`, `while`, `until`;
//! comments. No here-documents, functions, `case` or arrays.
//!
//! Invariants: any text is taken without panic and in bounded depth; `quote` of any text without NUL reads back as
//! one word of that text.

mod words;

pub use super::ast::*;
use std::iter::Peekable;
use std::str::Chars;
use words::assignment;

/// How deep brackets and substitutions may nest.
const DEPTH: usize = 40;

/// Why a line is none. The text is what the shell prints after its name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SyntaxError {
    /// A quote is not closed.
    #[error("no closing quote")]
    Quote,
    /// Something stands where it must not.
    #[error("syntax error: unexpected '{0}'")]
    Unexpected(String),
    /// The line ends too soon.
    #[error("syntax error: unexpected EOF")]
    End,
    /// `${…}` of a kind that is not known.
    #[error("{0}: bad substitution")]
    Substitution(String),
    #[error("syntax error: nesting too deep")]
    Depth,
}

/// Reads a script.
///
/// # Errors
/// [`SyntaxError`].
pub fn parse(text: &str) -> Result<ShellScript, SyntaxError> {
    let mut parser = Parser { chars: text.chars().peekable(), depth: 0 };
    let script = parser.script(&[])?;
    match parser.chars.peek() {
        None => Ok(script),
        Some(c) => Err(SyntaxError::Unexpected(c.to_string())),
    }
}

/// The text in single quotes, so that the shell reads it back as one word.
#[cfg(test)]
pub fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

struct Parser<'a> {
    chars: Peekable<Chars<'a>>,
    depth: usize,
}

/// Words that close or continue a compound command.
const CLOSERS: [&str; 8] = ["then", "else", "elif", "fi", "do", "done", "}", "in"];

impl Parser<'_> {
    fn deeper<R>(&mut self, f: impl FnOnce(&mut Self) -> Result<R, SyntaxError>) -> Result<R, SyntaxError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(SyntaxError::Depth);
        }
        let result = f(self);
        self.depth -= 1;
        result
    }

    fn eat(&mut self, c: char) -> bool {
        self.chars.next_if_eq(&c).is_some()
    }

    fn ahead(&self, text: &str) -> bool {
        let mut chars = self.chars.clone();
        text.chars().all(|c| chars.next() == Some(c))
    }

    fn blanks(&mut self) {
        loop {
            match self.chars.peek().copied() {
                Some(' ' | '\t' | '\r') => {
                    self.chars.next();
                }
                Some('\\') if self.ahead("\\\n") => {
                    self.chars.next();
                    self.chars.next();
                }
                Some('#') => while self.chars.next_if(|c| *c != '\n').is_some() {},
                _ => return,
            }
        }
    }

    fn blank_lines(&mut self) {
        self.blanks();
        while self.eat('\n') {
            self.blanks();
        }
    }

    /// The reserved word that comes next, if one does; nothing is taken.
    fn reserved(&self) -> Option<String> {
        let word: String = self.chars.clone().take_while(|c| !" \t\n;&|()<>\"'$`\\#".contains(*c)).collect();
        let known = CLOSERS.contains(&word.as_str())
            || matches!(word.as_str(), "if" | "for" | "while" | "until" | "{" | "!");
        let after = self.chars.clone().nth(word.chars().count());
        let ends = after.is_none_or(|c| " \t\n;&|()<>".contains(c));
        (known && ends).then_some(word)
    }

    fn take_reserved(&mut self, want: &str) -> Result<(), SyntaxError> {
        self.blank_lines();
        match self.reserved() {
            Some(word) if word == want => {
                for _ in word.chars() {
                    self.chars.next();
                }
                Ok(())
            }
            Some(word) => Err(SyntaxError::Unexpected(word)),
            None => {
                Err(self.chars.peek().map_or(SyntaxError::End, |c| SyntaxError::Unexpected(c.to_string())))
            }
        }
    }

    /// Commands up to one of the closing words, a bracket or the end.
    fn script(&mut self, until: &[&str]) -> Result<ShellScript, SyntaxError> {
        let mut items = Vec::new();
        loop {
            self.blank_lines();
            match self.chars.peek() {
                None | Some(')') => break,
                Some(c @ (';' | '&' | '|')) => return Err(SyntaxError::Unexpected(c.to_string())),
                Some(_) => {}
            }
            if let Some(word) = self.reserved()
                && CLOSERS.contains(&word.as_str())
                && word != "in"
            {
                if until.contains(&word.as_str()) {
                    break;
                }
                return Err(SyntaxError::Unexpected(word));
            }
            let chain = self.chain()?;
            self.blanks();
            let place = if self.ahead("&") && !self.ahead("&&") {
                self.chars.next();
                JobMode::Background
            } else {
                if self.eat(';') && self.ahead(";") {
                    return Err(SyntaxError::Unexpected(";;".to_owned()));
                }
                JobMode::Foreground
            };
            items.push(AndOrList { chain, place });
        }
        Ok(ShellScript(items))
    }

    fn chain(&mut self) -> Result<Vec<(Joint, Pipeline)>, SyntaxError> {
        let mut chain = vec![(Joint::First, self.pipeline()?)];
        loop {
            self.blanks();
            let joint = if self.ahead("&&") {
                Joint::And
            } else if self.ahead("||") {
                Joint::Or
            } else {
                return Ok(chain);
            };
            self.chars.next();
            self.chars.next();
            self.blank_lines();
            chain.push((joint, self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Result<Pipeline, SyntaxError> {
        let mut negated = false;
        self.blanks();
        while self.reserved().as_deref() == Some("!") {
            self.chars.next();
            negated = !negated;
            self.blanks();
        }
        let mut stages = vec![self.command()?];
        loop {
            self.blanks();
            if !self.ahead("|") || self.ahead("||") {
                return Ok(Pipeline { negated, stages });
            }
            self.chars.next();
            self.blank_lines();
            stages.push(self.command()?);
        }
    }

    fn command(&mut self) -> Result<ShellCommand, SyntaxError> {
        self.deeper(|p| {
            p.blanks();
            let body = if p.eat('(') {
                let script = p.script(&[])?;
                if !p.eat(')') {
                    return Err(SyntaxError::End);
                }
                Body::Subshell(script)
            } else {
                match p.reserved().as_deref() {
                    Some("{") => {
                        p.take_reserved("{")?;
                        let script = p.script(&["}"])?;
                        p.take_reserved("}")?;
                        Body::Group(script)
                    }
                    Some("if") => p.conditional()?,
                    Some("for") => p.for_loop()?,
                    Some(word @ ("while" | "until")) => {
                        let until = word == "until";
                        p.take_reserved(word)?;
                        let condition = p.script(&["do"])?;
                        let body = p.rounds()?;
                        Body::While { condition, body, until }
                    }
                    _ => return p.simple(),
                }
            };
            let mut redirections = Vec::new();
            loop {
                p.blanks();
                if !p.redirection(&mut redirections)? {
                    return Ok(ShellCommand { body, redirections });
                }
            }
        })
    }

    fn conditional(&mut self) -> Result<Body, SyntaxError> {
        let mut branches = Vec::new();
        self.take_reserved("if")?;
        loop {
            let condition = self.script(&["then"])?;
            self.take_reserved("then")?;
            branches.push((condition, self.script(&["elif", "else", "fi"])?));
            if self.reserved().as_deref() != Some("elif") {
                break;
            }
            self.take_reserved("elif")?;
        }
        let mut last = ShellScript::default();
        if self.reserved().as_deref() == Some("else") {
            self.take_reserved("else")?;
            last = self.script(&["fi"])?;
        }
        self.take_reserved("fi")?;
        Ok(Body::If(branches, last))
    }

    fn for_loop(&mut self) -> Result<Body, SyntaxError> {
        self.take_reserved("for")?;
        self.blanks();
        let mut name = String::new();
        while let Some(c) = self.chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
            name.push(c);
        }
        self.take_reserved("in")?;
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.word()? {
                Some(word) => words.push(word),
                None => break,
            }
        }
        self.eat(';');
        let body = self.rounds()?;
        Ok(Body::For(name, words, body))
    }

    fn rounds(&mut self) -> Result<ShellScript, SyntaxError> {
        self.take_reserved("do")?;
        let body = self.script(&["done"])?;
        self.take_reserved("done")?;
        Ok(body)
    }

    fn simple(&mut self) -> Result<ShellCommand, SyntaxError> {
        let (mut assignments, mut words, mut redirections) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.blanks();
            if self.redirection(&mut redirections)? {
                continue;
            }
            let Some(word) = self.word()? else { break };
            match assignment(&word) {
                Some(pair) if words.is_empty() => assignments.push(pair),
                _ => words.push(word),
            }
        }
        if words.is_empty() && assignments.is_empty() && redirections.is_empty() {
            return Err(match self.chars.peek() {
                None => SyntaxError::End,
                Some('\n') => SyntaxError::Unexpected("newline".to_owned()),
                Some(c) => SyntaxError::Unexpected(c.to_string()),
            });
        }
        Ok(ShellCommand { body: Body::Simple { assignments, words }, redirections })
    }

    /// Takes a redirection if one comes next.
    fn redirection(&mut self, into: &mut Vec<Redirection>) -> Result<bool, SyntaxError> {
        let mut look = self.chars.clone();
        let mut fd = None;
        if let Some(digit) = look.next_if(|c| matches!(c, '0'..='2')) {
            fd = Some(u8::try_from(u32::from(digit) - u32::from('0')).unwrap_or(1));
        }
        let both = fd.is_none() && self.ahead("&>");
        if both {
            look.next();
        }
        let Some(sign) = look.next_if(|c| matches!(c, '<' | '>')) else { return Ok(false) };
        self.chars = look;
        if sign == '<' {
            if self.eat('<') {
                return Err(SyntaxError::Unexpected("<<".to_owned()));
            }
            let word = self.target()?;
            into.push(Redirection { fd: fd.unwrap_or(0), to: RedirectTarget::Read(word) });
            return Ok(true);
        }
        let fd = fd.unwrap_or(1);
        let append = self.eat('>');
        if !append && self.eat('&') {
            match self.chars.next() {
                Some(c @ '0'..='2') => {
                    let same = u8::try_from(u32::from(c) - u32::from('0')).unwrap_or(1);
                    into.push(Redirection { fd, to: RedirectTarget::Same(same) });
                }
                Some(c) => return Err(SyntaxError::Unexpected(c.to_string())),
                None => return Err(SyntaxError::End),
            }
            return Ok(true);
        }
        if !append {
            self.eat('|');
        }
        let word = self.target()?;
        let to = if append { RedirectTarget::Append(word) } else { RedirectTarget::Write(word) };
        into.push(Redirection { fd, to });
        if both {
            into.push(Redirection { fd: 2, to: RedirectTarget::Same(1) });
        }
        Ok(true)
    }

    fn target(&mut self) -> Result<ShellWord, SyntaxError> {
        self.blanks();
        self.word()?.ok_or_else(|| {
            self.chars.peek().map_or(SyntaxError::Unexpected("newline".to_owned()), |c| {
                SyntaxError::Unexpected(c.to_string())
            })
        })
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;

//! The shell's grammar: the part of mksh that tests, tasks and drivers send over adb.
//!
//! Words with both kinds of quotes, backslashes, `$NAME` and `$(…)`; lists with `;`, newline, `&&` and `||`; pipelines;
//! redirections; `( … )`, `{ … }`, `if` and `for`; comments. What else a phone's shell has is refused as unexpected.
//!
//! Invariants: any text is taken without panic and in bounded depth; a text in single quotes reads back as one word.

/// How deep brackets and substitutions may nest.
const DEPTH: usize = 40;
const ENDS: &str = " \t\r\n;&|()<>";
/// Words that open, close or continue a compound command.
const RESERVED: [&str; 11] = ["if", "for", "then", "else", "elif", "fi", "do", "done", "in", "{", "}"];

/// Why a line is none. The text is what the shell prints after its name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SyntaxError {
    #[error("no closing quote")]
    Quote,
    #[error("syntax error: unexpected '{0}'")]
    Unexpected(String),
    #[error("syntax error: unexpected EOF")]
    End,
    #[error("syntax error: nesting too deep")]
    Depth,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ShellScript(pub Vec<Vec<Pipeline>>);

/// Commands joined by `|`, and when they run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pipeline {
    pub joint: Joint,
    /// Never empty.
    pub stages: Vec<ShellCommand>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    First,
    And,
    Or,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShellCommand {
    pub body: Body,
    /// The descriptor (0, 1 or 2) and where it goes, in order.
    pub redirections: Vec<(u8, RedirectTarget)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Body {
    /// `NAME=value` before the name; the name and the arguments.
    Simple(Vec<(String, ShellWord)>, Vec<ShellWord>),
    /// `{ …; }`
    Group(ShellScript),
    /// `( … )`
    Subshell(ShellScript),
    /// `if`: conditions with their branches, then the last resort.
    If(Vec<(ShellScript, ShellScript)>, ShellScript),
    /// `for NAME in words`
    For(String, Vec<ShellWord>, ShellScript),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RedirectTarget {
    /// `<`
    Read(ShellWord),
    /// `>`
    Write(ShellWord),
    /// `>>`
    Append(ShellWord),
    /// `>&N`
    Same(u8),
}

/// A word: pieces that are put together when it is expanded.
pub(super) type ShellWord = Vec<WordPart>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WordPart {
    Text(String),
    /// The value of a variable, and whether it stands in double quotes.
    Variable(String, bool),
    /// What a script prints, and whether it stands in double quotes.
    Output(ShellScript, bool),
}

pub(super) fn parse(text: &str) -> Result<ShellScript, SyntaxError> {
    let mut parser = Parser { rest: text, depth: 0 };
    let script = parser.script(&[])?;
    if parser.rest.is_empty() { Ok(script) } else { Err(parser.unexpected()) }
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn deeper<R>(&mut self, f: impl FnOnce(&mut Self) -> Result<R, SyntaxError>) -> Result<R, SyntaxError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(SyntaxError::Depth);
        }
        let result = f(self);
        self.depth -= 1;
        result
    }

    fn eat(&mut self, sign: &str) -> bool {
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let first = chars.next();
        self.rest = chars.as_str();
        first
    }

    fn take_while(&mut self, kind: impl Fn(char) -> bool) -> &'a str {
        let (taken, rest) = self.rest.split_at(self.rest.find(|c| !kind(c)).unwrap_or(self.rest.len()));
        self.rest = rest;
        taken
    }

    fn unexpected(&self) -> SyntaxError {
        match self.rest.chars().next() {
            None => SyntaxError::End,
            Some('\n') => SyntaxError::Unexpected("newline".to_owned()),
            Some(c) => SyntaxError::Unexpected(c.to_string()),
        }
    }

    fn blanks(&mut self) {
        loop {
            self.take_while(|c| " \t\r".contains(c));
            if self.rest.starts_with('#') {
                self.take_while(|c| c != '\n');
            }
            if !self.eat("\\\n") {
                return;
            }
        }
    }

    fn blank_lines(&mut self) {
        self.blanks();
        while self.eat("\n") {
            self.blanks();
        }
    }

    /// The reserved word that comes next, if one does; nothing is taken.
    fn reserved(&self) -> Option<&'static str> {
        let word = self.rest.split(|c| ENDS.contains(c)).next().unwrap_or_default();
        RESERVED.into_iter().find(|known| *known == word)
    }

    fn want(&mut self, word: &str) -> Result<(), SyntaxError> {
        self.blank_lines();
        match self.reserved() {
            Some(found) if found == word => {
                self.eat(word);
                Ok(())
            }
            Some(found) => Err(SyntaxError::Unexpected(found.to_owned())),
            None => Err(self.unexpected()),
        }
    }

    /// Commands up to one of the closing words, a bracket or the end.
    fn script(&mut self, until: &[&str]) -> Result<ShellScript, SyntaxError> {
        let mut chains = Vec::new();
        loop {
            self.blank_lines();
            if self.rest.is_empty() || self.rest.starts_with(')') {
                break;
            }
            if let Some(word) = self.reserved().filter(|word| !["if", "for", "in", "{"].contains(word)) {
                if until.contains(&word) {
                    break;
                }
                return Err(SyntaxError::Unexpected(word.to_owned()));
            }
            chains.push(self.chain()?);
            self.blanks();
            self.eat(";");
        }
        Ok(ShellScript(chains))
    }

    fn chain(&mut self) -> Result<Vec<Pipeline>, SyntaxError> {
        let mut chain = Vec::new();
        let mut joint = Joint::First;
        loop {
            let mut stages = vec![self.command()?];
            while !self.rest.starts_with("||") && self.eat("|") {
                self.blank_lines();
                stages.push(self.command()?);
            }
            chain.push(Pipeline { joint, stages });
            joint = if self.eat("&&") {
                Joint::And
            } else if self.eat("||") {
                Joint::Or
            } else {
                return Ok(chain);
            };
            self.blank_lines();
        }
    }

    fn command(&mut self) -> Result<ShellCommand, SyntaxError> {
        self.deeper(|p| {
            p.blanks();
            let mut redirections = Vec::new();
            let body = match p.reserved() {
                _ if p.eat("(") => Body::Subshell(p.bracketed()?),
                Some("{") => {
                    p.want("{")?;
                    let script = p.script(&["}"])?;
                    p.want("}")?;
                    Body::Group(script)
                }
                Some("if") => p.conditional()?,
                Some("for") => p.for_loop()?,
                _ => p.simple(&mut redirections)?,
            };
            p.blanks();
            while p.redirection(&mut redirections)? {
                p.blanks();
            }
            Ok(ShellCommand { body, redirections })
        })
    }

    fn bracketed(&mut self) -> Result<ShellScript, SyntaxError> {
        let script = self.deeper(|p| p.script(&[]))?;
        if self.eat(")") { Ok(script) } else { Err(self.unexpected()) }
    }

    fn conditional(&mut self) -> Result<Body, SyntaxError> {
        let (mut branches, mut last) = (Vec::new(), ShellScript::default());
        self.want("if")?;
        loop {
            let condition = self.script(&["then"])?;
            self.want("then")?;
            branches.push((condition, self.script(&["elif", "else", "fi"])?));
            if self.reserved() != Some("elif") {
                break;
            }
            self.want("elif")?;
        }
        if self.reserved() == Some("else") {
            self.want("else")?;
            last = self.script(&["fi"])?;
        }
        self.want("fi")?;
        Ok(Body::If(branches, last))
    }

    fn for_loop(&mut self) -> Result<Body, SyntaxError> {
        self.want("for")?;
        self.blanks();
        let name = self.take_while(in_name).to_owned();
        self.want("in")?;
        let mut words = Vec::new();
        self.blanks();
        while let Some(word) = self.word()? {
            words.push(word);
            self.blanks();
        }
        self.eat(";");
        self.want("do")?;
        let body = self.script(&["done"])?;
        self.want("done")?;
        Ok(Body::For(name, words, body))
    }

    fn simple(&mut self, redirections: &mut Vec<(u8, RedirectTarget)>) -> Result<Body, SyntaxError> {
        let (mut assignments, mut words) = (Vec::new(), Vec::new());
        loop {
            self.blanks();
            if self.redirection(redirections)? {
                continue;
            }
            if words.is_empty()
                && let Some(name) = self.assigned()
            {
                assignments.push((name, self.word()?.unwrap_or_default()));
                continue;
            }
            match self.word()? {
                Some(word) => words.push(word),
                None => break,
            }
        }
        if words.is_empty() && assignments.is_empty() && redirections.is_empty() {
            return Err(self.unexpected());
        }
        Ok(Body::Simple(assignments, words))
    }

    fn assigned(&mut self) -> Option<String> {
        let (name, rest) = self.rest.split_once('=')?;
        let good = name.chars().all(in_name) && name.starts_with(|c: char| !c.is_ascii_digit());
        good.then(|| {
            self.rest = rest;
            name.to_owned()
        })
    }

    fn redirection(&mut self, into: &mut Vec<(u8, RedirectTarget)>) -> Result<bool, SyntaxError> {
        let (fd, rest) = match self.rest.as_bytes() {
            [digit @ b'0'..=b'2', b'<' | b'>', ..] => (Some(digit - b'0'), self.rest.get(1..)),
            [b'<' | b'>', ..] => (None, Some(self.rest)),
            _ => return Ok(false),
        };
        self.rest = rest.unwrap_or_default();
        let to = if self.eat(">>") {
            RedirectTarget::Append(self.target()?)
        } else if self.eat(">&") {
            let same = self.rest.bytes().next().filter(|c| (b'0'..=b'2').contains(c));
            let same = same.ok_or_else(|| self.unexpected())?;
            self.next();
            RedirectTarget::Same(same - b'0')
        } else if self.eat(">") {
            RedirectTarget::Write(self.target()?)
        } else {
            self.eat("<");
            into.push((fd.unwrap_or(0), RedirectTarget::Read(self.target()?)));
            return Ok(true);
        };
        into.push((fd.unwrap_or(1), to));
        Ok(true)
    }

    fn target(&mut self) -> Result<ShellWord, SyntaxError> {
        self.blanks();
        let newline = SyntaxError::Unexpected("newline".to_owned());
        self.word()?.ok_or_else(|| if self.rest.is_empty() { newline } else { self.unexpected() })
    }

    fn word(&mut self) -> Result<Option<ShellWord>, SyntaxError> {
        let mut parts = Vec::new();
        while let Some(c) = self.rest.chars().next().filter(|c| !ENDS.contains(*c)) {
            match c {
                '\'' => {
                    let (text, rest) = self.rest[1..].split_once('\'').ok_or(SyntaxError::Quote)?;
                    self.rest = rest;
                    parts.push(WordPart::Text(text.to_owned()));
                }
                '"' => {
                    self.next();
                    self.double_quoted(&mut parts)?;
                }
                '\\' => {
                    self.next();
                    let next = self.next();
                    parts.extend(
                        (next != Some('\n')).then(|| WordPart::Text(next.unwrap_or('\\').to_string())),
                    );
                }
                '$' => parts.push(self.substitution(false)?),
                _ => {
                    let bare = self.take_while(|c| !ENDS.contains(c) && !"'\"\\$".contains(c));
                    parts.push(WordPart::Text(bare.to_owned()));
                }
            }
        }
        Ok((!parts.is_empty()).then_some(parts))
    }

    fn double_quoted(&mut self, parts: &mut Vec<WordPart>) -> Result<(), SyntaxError> {
        // An empty pair of quotes is still a word.
        parts.push(WordPart::Text(String::new()));
        loop {
            let mut text = self.take_while(|c| !"\"\\$".contains(c)).to_owned();
            if self.rest.starts_with('$') {
                parts.extend([WordPart::Text(text), self.substitution(true)?]);
                continue;
            }
            match self.next() {
                None => return Err(SyntaxError::Quote),
                Some('"') => {
                    parts.push(WordPart::Text(text));
                    return Ok(());
                }
                Some(_) => match self.next().ok_or(SyntaxError::Quote)? {
                    '\n' => {}
                    c @ ('$' | '`' | '"' | '\\') => text.push(c),
                    c => text.extend(['\\', c]),
                },
            }
            parts.push(WordPart::Text(text));
        }
    }

    fn substitution(&mut self, quoted: bool) -> Result<WordPart, SyntaxError> {
        self.eat("$");
        if self.eat("(") {
            return Ok(WordPart::Output(self.bracketed()?, quoted));
        }
        let name = if self.eat("?") { "?" } else { self.take_while(in_name) };
        Ok(match name {
            "" => WordPart::Text("$".to_owned()),
            name => WordPart::Variable(name.to_owned(), quoted),
        })
    }
}

fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

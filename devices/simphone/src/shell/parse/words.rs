//! Words: quotes, backslashes, parameters, substitutions.

use super::{DEPTH, Parser, ShellWord, SyntaxError, WordPart};

impl Parser<'_> {
    /// The next word, if one comes next.
    pub(super) fn word(&mut self) -> Result<Option<ShellWord>, SyntaxError> {
        let mut parts = Vec::new();
        let mut bare = String::new();
        let flush = |bare: &mut String, parts: &mut Vec<WordPart>| {
            if !bare.is_empty() {
                parts.push(WordPart::Bare(std::mem::take(bare)));
            }
        };
        while let Some(c) = self.chars.peek().copied() {
            match c {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\'' => {
                    flush(&mut bare, &mut parts);
                    self.chars.next();
                    let mut text = String::new();
                    loop {
                        match self.chars.next() {
                            Some('\'') => break,
                            Some(c) => text.push(c),
                            None => return Err(SyntaxError::Quote),
                        }
                    }
                    parts.push(WordPart::Quoted(text));
                }
                '"' => {
                    flush(&mut bare, &mut parts);
                    self.chars.next();
                    self.double_quoted(&mut parts)?;
                }
                '\\' => {
                    self.chars.next();
                    flush(&mut bare, &mut parts);
                    match self.chars.next() {
                        Some('\n') => {}
                        Some(c) => parts.push(WordPart::Quoted(c.to_string())),
                        None => parts.push(WordPart::Quoted("\\".to_owned())),
                    }
                }
                '$' | '`' => {
                    flush(&mut bare, &mut parts);
                    let part = self.substitution(false)?;
                    parts.push(part);
                }
                c => {
                    self.chars.next();
                    bare.push(c);
                }
            }
        }
        flush(&mut bare, &mut parts);
        Ok((!parts.is_empty()).then_some(ShellWord(parts)))
    }

    fn double_quoted(&mut self, parts: &mut Vec<WordPart>) -> Result<(), SyntaxError> {
        let mut text = String::new();
        let before = parts.len();
        loop {
            match self.chars.peek().copied() {
                None => return Err(SyntaxError::Quote),
                Some('"') => {
                    self.chars.next();
                    // An empty pair of quotes is still a word.
                    if !text.is_empty() || parts.len() == before {
                        parts.push(WordPart::Quoted(text));
                    }
                    return Ok(());
                }
                Some('\\') => {
                    self.chars.next();
                    match self.chars.next() {
                        Some('\n') => {}
                        Some(c @ ('$' | '`' | '"' | '\\')) => text.push(c),
                        Some(c) => text.extend(['\\', c]),
                        None => return Err(SyntaxError::Quote),
                    }
                }
                Some('$' | '`') => {
                    if !text.is_empty() {
                        parts.push(WordPart::Quoted(std::mem::take(&mut text)));
                    }
                    let part = self.substitution(true)?;
                    parts.push(part);
                }
                Some(c) => {
                    self.chars.next();
                    text.push(c);
                }
            }
        }
    }

    /// What follows a `$` or stands in backquotes.
    fn substitution(&mut self, quoted: bool) -> Result<WordPart, SyntaxError> {
        if self.eat('`') {
            let mut inner = String::new();
            loop {
                match self.chars.next() {
                    None => return Err(SyntaxError::Quote),
                    Some('`') => break,
                    Some('\\') => match self.chars.next() {
                        Some(c @ ('`' | '\\' | '$')) => inner.push(c),
                        Some(c) => inner.extend(['\\', c]),
                        None => return Err(SyntaxError::Quote),
                    },
                    Some(c) => inner.push(c),
                }
            }
            let depth = self.depth + 1;
            if depth > DEPTH {
                return Err(SyntaxError::Depth);
            }
            let mut parser = Parser { chars: inner.chars().peekable(), depth };
            let script = parser.script(&[])?;
            return match parser.chars.peek() {
                None => Ok(WordPart::Output { script, quoted }),
                Some(c) => Err(SyntaxError::Unexpected(c.to_string())),
            };
        }
        self.chars.next();
        if self.ahead("((") {
            return self.sum();
        }
        if self.eat('(') {
            return self.deeper(|p| {
                let script = p.script(&[])?;
                if p.eat(')') { Ok(WordPart::Output { script, quoted }) } else { Err(SyntaxError::End) }
            });
        }
        if self.eat('{') {
            return self.braced(quoted);
        }
        let mut name = String::new();
        match self.chars.peek().copied() {
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                while let Some(c) = self.chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    name.push(c);
                }
            }
            Some(c @ ('?' | '$' | '#' | '@' | '*' | '!' | '-' | '0'..='9')) => {
                self.chars.next();
                name.push(c);
            }
            _ => return Ok(WordPart::Quoted("$".to_owned())),
        }
        Ok(WordPart::Variable { name, default: None, quoted })
    }

    fn braced(&mut self, quoted: bool) -> Result<WordPart, SyntaxError> {
        let mut text = String::new();
        loop {
            match self.chars.next() {
                None => return Err(SyntaxError::Quote),
                Some('}') => break,
                Some(c) => text.push(c),
            }
        }
        let (name, default) = match text.split_once(":-") {
            Some((name, default)) => (name, Some(default.to_owned())),
            None => (text.as_str(), None),
        };
        let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if plain || matches!(name, "?" | "$" | "#" | "@" | "*") {
            Ok(WordPart::Variable { name: name.to_owned(), default, quoted })
        } else {
            Err(SyntaxError::Substitution(format!("${{{text}}}")))
        }
    }

    fn sum(&mut self) -> Result<WordPart, SyntaxError> {
        self.chars.next();
        self.chars.next();
        let mut text = String::new();
        let mut open = 0usize;
        loop {
            match self.chars.next() {
                None => return Err(SyntaxError::End),
                Some('(') => {
                    open += 1;
                    text.push('(');
                }
                Some(')') if open > 0 => {
                    open -= 1;
                    text.push(')');
                }
                Some(')') if self.eat(')') => return Ok(WordPart::Sum(text)),
                Some(c) => text.push(c),
            }
        }
    }
}

/// `NAME=value`, with an unquoted name and sign.
pub(super) fn assignment(word: &ShellWord) -> Option<(String, ShellWord)> {
    let Some(WordPart::Bare(first)) = word.0.first() else { return None };
    let (name, rest) = first.split_once('=')?;
    let good = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !good {
        return None;
    }
    let mut parts = Vec::new();
    if !rest.is_empty() {
        parts.push(WordPart::Bare(rest.to_owned()));
    }
    parts.extend(word.0[1..].iter().cloned());
    Some((name.to_owned(), ShellWord(parts)))
}

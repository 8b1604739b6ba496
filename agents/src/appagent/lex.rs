//! Reads the shape of a call: a name, and arguments in parentheses.
//!
//! Invariant: reading is linear in the text and never fails otherwise than by [`Misread`].

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ArgValue {
    /// A text in quotes, escapes resolved.
    Quoted(String),
    /// Anything else, white space at its ends removed.
    Bare(String),
}

impl ArgValue {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Quoted(text) | Self::Bare(text) => text,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arg {
    pub(crate) name: Option<String>,
    pub(crate) value: ArgValue,
}

/// Arguments, and where their closing parenthesis ends in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Args {
    pub(crate) args: Vec<Arg>,
    pub(crate) end: usize,
}

/// Why a text is not a list of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Misread {
    #[error("the closing parenthesis is missing")]
    Open,
    #[error("a quotation mark is not closed")]
    Quote,
    #[error(
        "there are words between an argument and the next comma; write quotation marks inside a text as \\\""
    )]
    Junk,
    #[error("an argument is empty")]
    Empty,
}

/// The quotation marks that close a text which `open` began.
pub(crate) fn closers(open: char) -> Option<&'static [char]> {
    Some(match open {
        '"' => &['"'],
        '\'' => &['\''],
        '`' => &['`'],
        '“' | '”' | '„' => &['”', '“', '"'],
        '‘' | '’' | '‚' => &['’', '‘', '\''],
        '«' => &['»'],
        _ => return None,
    })
}

/// Reads arguments; `text[start..]` begins after the opening parenthesis.
pub(crate) fn arguments(text: &str, start: usize) -> Result<Args, Misread> {
    let mut reader = Reader { text, at: start };
    let mut args = Vec::new();
    reader.space();
    if reader.take(&[')']).is_some() {
        return Ok(Args { args, end: reader.at });
    }
    loop {
        reader.space();
        let name = reader.keyword();
        reader.space();
        let value = reader.value()?;
        args.push(Arg { name, value });
        reader.space();
        match reader.take(&[',', '，', ';', ')']) {
            Some(')') => return Ok(Args { args, end: reader.at }),
            Some(_) => {
                reader.space();
                // A comma may trail.
                if reader.take(&[')']).is_some() {
                    return Ok(Args { args, end: reader.at });
                }
            }
            None if reader.rest().is_empty() => return Err(Misread::Open),
            None => return Err(Misread::Junk),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take(&mut self, any: &[char]) -> Option<char> {
        let c = self.rest().chars().next().filter(|c| any.contains(c))?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// `name=` or `name:` before a value.
    fn keyword(&mut self) -> Option<String> {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let len = bytes.iter().take(40).take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        if len == 0 || bytes[0].is_ascii_digit() {
            return None;
        }
        let after = rest[len..].trim_start_matches([' ', '\t']);
        // The `:` of an address is not a keyword's.
        if !after.starts_with(['=', ':']) || after.starts_with("://") {
            return None;
        }
        self.at += rest.len() - after.len() + 1;
        Some(rest[..len].to_ascii_lowercase())
    }

    fn value(&mut self) -> Result<ArgValue, Misread> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Err(Misread::Open) };
        if let Some(closers) = closers(first) {
            let body = &rest[first.len_utf8()..];
            let (text, used) = quoted(body, closers).ok_or(Misread::Quote)?;
            self.at += first.len_utf8() + used;
            return Ok(ArgValue::Quoted(text));
        }
        let mut depth = 0_u32;
        for (i, c) in rest.char_indices() {
            match c {
                '[' | '(' | '{' | '<' => depth += 1,
                ']' | '}' | '>' => depth = depth.saturating_sub(1),
                ')' if depth > 0 => depth -= 1,
                ')' | ',' | '，' | ';' if depth == 0 => {
                    let word = rest[..i].trim();
                    if word.is_empty() {
                        return Err(Misread::Empty);
                    }
                    self.at += i;
                    return Ok(ArgValue::Bare(word.to_owned()));
                }
                '\n' => return Err(Misread::Open),
                _ => {}
            }
        }
        Err(Misread::Open)
    }
}

/// Reads up to one of the closing marks: the text, and how many bytes it took with the mark.
fn quoted(body: &str, closers: &[char]) -> Option<(String, usize)> {
    let mut out = String::new();
    let mut chars = body.char_indices();
    while let Some((i, c)) = chars.next() {
        match c {
            '\\' => escape(&mut chars, &mut out),
            c if closers.contains(&c) => return Some((out, i + c.len_utf8())),
            c => out.push(c),
        }
    }
    None
}

pub(crate) fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((_, c)) = chars.next() {
        if c == '\\' { escape(&mut chars, &mut out) } else { out.push(c) }
    }
    out
}

/// Resolves one escape; the backslash is gone. One that means nothing stays as it is written.
fn escape(chars: &mut std::str::CharIndices<'_>, out: &mut String) {
    let Some((_, c)) = chars.next() else {
        out.push('\\');
        return;
    };
    match c {
        'n' => out.push('\n'),
        'r' => out.push('\r'),
        't' => out.push('\t'),
        '"' | '\'' | '\\' | '`' | '“' | '”' | '‘' | '’' | '/' => out.push(c),
        'u' => {
            let rest = chars.as_str();
            let (hex, used) = match rest.strip_prefix('{') {
                Some(inner) => {
                    let len = inner.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
                    let closed = inner.as_bytes().get(len) == Some(&b'}');
                    (if closed { &inner[..len] } else { "" }, len + 2)
                }
                None => (rest.get(..4).filter(|h| h.bytes().all(|b| b.is_ascii_hexdigit())).unwrap_or(""), 4),
            };
            match u32::from_str_radix(hex, 16).ok().and_then(char::from_u32) {
                Some(c) => {
                    out.push(c);
                    // All of them are ASCII, so bytes are characters.
                    for _ in 0..used {
                        chars.next();
                    }
                }
                None => out.push_str("\\u"),
            }
        }
        c => {
            out.push('\\');
            out.push(c);
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// A name, perhaps with a prefix: `st:active`, `push-button`, `*`, `st:*`.
    Name(String),
    Text(String),
    Number(f64),
    Sign(&'static str),
}

const SIGNS: [&str; 20] = [
    "//", "::", "!=", "<=", ">=", "..", "/", "[", "]", "(", ")", "@", ",", "|", "=", "<", ">", "+", "-", ".",
];

pub fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, len) = if first == '"' || first == '\'' {
            let end = rest.get(1..).and_then(|rest| rest.find(first)).ok_or("a quote is open")?;
            (Token::Text(rest.get(1..=end).unwrap_or_default().to_owned()), end + 2)
        } else if first.is_ascii_digit() {
            let len = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            let number = rest.get(..len).and_then(|n| n.parse().ok()).ok_or("a number cannot be read")?;
            (Token::Number(number), len)
        } else if first == '*' {
            (Token::Name("*".into()), 1)
        } else if first.is_alphabetic() || first == '_' {
            let mut len = name(rest);
            let after = rest.get(len..).unwrap_or_default();
            if let Some(local) = after.strip_prefix(':').filter(|local| !local.starts_with(':')) {
                let more = if local.starts_with('*') { 1 } else { name(local) };
                len += 1 + more;
            }
            (Token::Name(rest.get(..len).unwrap_or_default().to_owned()), len)
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            let sign = sign.ok_or_else(|| format!("'{first}' is not expected"))?;
            (Token::Sign(sign), sign.len())
        };
        found.push(token);
        rest = rest.get(len..).unwrap_or_default().trim_start();
    }
    Ok(found)
}

fn name(text: &str) -> usize {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.find(|c| !part(c)).unwrap_or(text.len())
}

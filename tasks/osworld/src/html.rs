//! Tags and texts of an HTML page, without building a tree.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HtmlPiece {
    /// An opening tag; names in lower case, values decoded.
    Open {
        name: String,
        attributes: Vec<(String, String)>,
    },
    Close(String),
    Text(String),
}

/// The pieces of a page; comments and declarations are left out.
pub fn items(page: &str) -> Vec<HtmlPiece> {
    let mut found = Vec::new();
    let mut rest = page;
    while !rest.is_empty() {
        let Some(start) = rest.find('<') else {
            found.push(HtmlPiece::Text(decode(rest)));
            break;
        };
        let (before, tag) = rest.split_at(start);
        if !before.is_empty() {
            found.push(HtmlPiece::Text(decode(before)));
        }
        if let Some(comment) = tag.strip_prefix("<!--") {
            rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
        } else if tag.starts_with("<!") || tag.starts_with("<?") {
            rest = tag.split_once('>').map_or("", |(_, rest)| rest);
        } else if let Some(close) = tag.strip_prefix("</") {
            let (name, after) = close.split_once('>').unwrap_or((close, ""));
            found.push(HtmlPiece::Close(name.trim().to_ascii_lowercase()));
            rest = after;
        } else if tag.get(1..).is_some_and(|t| t.starts_with(|c: char| c.is_ascii_alphabetic())) {
            let (item, after) = open(tag.get(1..).unwrap_or_default());
            rest = after;
            // What is in these is not a markup.
            if let HtmlPiece::Open { name, .. } = &item
                && (name == "script" || name == "style")
            {
                let end = format!("</{name}");
                let len = rest.to_ascii_lowercase().find(&end).unwrap_or(rest.len());
                let raw = rest.get(..len).unwrap_or_default().to_owned();
                rest = rest.get(len..).unwrap_or_default();
                found.push(item);
                if !raw.is_empty() {
                    found.push(HtmlPiece::Text(raw));
                }
                continue;
            }
            found.push(item);
        } else {
            found.push(HtmlPiece::Text("<".to_owned()));
            rest = tag.get(1..).unwrap_or_default();
        }
    }
    found
}

/// Reads an opening tag behind its bracket.
fn open(text: &str) -> (HtmlPiece, &str) {
    let end = text.find(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/').unwrap_or(text.len());
    let name = text.get(..end).unwrap_or_default().to_ascii_lowercase();
    let mut rest = text.get(end..).unwrap_or_default();
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if rest.is_empty() {
            break;
        }
        if let Some(after) = rest.strip_prefix('>') {
            rest = after;
            break;
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace() || "=>/".contains(c)).unwrap_or(rest.len());
        let attribute = rest.get(..end.max(1)).unwrap_or_default().to_ascii_lowercase();
        rest = rest.get(end.max(1)..).unwrap_or_default();
        let after = rest.trim_start();
        let mut value = "";
        if let Some(after) = after.strip_prefix('=') {
            let after = after.trim_start();
            let quote = after.chars().next().filter(|c| *c == '"' || *c == '\'');
            (value, rest) = match quote {
                Some(quote) => after.get(1..).and_then(|a| a.split_once(quote)).unwrap_or((after, "")),
                None => {
                    let end =
                        after.find(|c: char| c.is_ascii_whitespace() || c == '>').unwrap_or(after.len());
                    after.split_at(end)
                }
            };
        }
        attributes.push((attribute, decode(value)));
    }
    (HtmlPiece::Open { name, attributes }, rest)
}

/// Character references that pages use for markup itself, and numeric ones.
pub fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, reference) = rest.split_at(at);
        out.push_str(before);
        let end = reference.find(';').filter(|end| *end < 12);
        let decoded = end.and_then(|end| reference.get(1..end)).and_then(|name| match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            "nbsp" => Some('\u{a0}'),
            _ => {
                let digits = name.strip_prefix('#')?;
                let code = match digits.strip_prefix(['x', 'X']) {
                    Some(hex) => u32::from_str_radix(hex, 16),
                    None => digits.parse(),
                };
                code.ok().and_then(char::from_u32)
            }
        });
        match (decoded, end) {
            (Some(c), Some(end)) => {
                out.push(c);
                rest = reference.get(end + 1..).unwrap_or_default();
            }
            _ => {
                out.push('&');
                rest = reference.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out
}

//! Addresses as Python's `urllib.parse` takes them apart.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlParts {
    /// Without the colon, lower case.
    pub scheme: String,
    pub netloc: String,
    /// The path without the parameters of its last part.
    pub path: String,
    /// What follows the first semicolon of the last part.
    pub params: String,
    /// Without the question mark.
    pub query: String,
    /// Without the hash.
    pub fragment: String,
}

/// Schemes that `urlparse` gives parameters to.
const WITH_PARAMS: [&str; 12] =
    ["", "ftp", "hdl", "prospero", "http", "imap", "https", "shttp", "rtsp", "rtspu", "sip", "sips"];

impl UrlParts {
    pub fn parse(url: &str) -> Self {
        let url: String = url.trim_start_matches(|c: char| c <= ' ').replace(['\t', '\r', '\n'], "");
        let mut parts = Self::default();
        let mut rest = url.as_str();
        if let Some((scheme, after)) = rest.split_once(':')
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        {
            parts.scheme = scheme.to_ascii_lowercase();
            rest = after;
        }
        if let Some(after) = rest.strip_prefix("//") {
            let (netloc, behind) = after.split_at(after.find(['/', '?', '#']).unwrap_or(after.len()));
            parts.netloc = netloc.to_owned();
            rest = behind;
        }
        if let Some((before, fragment)) = rest.split_once('#') {
            parts.fragment = fragment.to_owned();
            rest = before;
        }
        if let Some((before, query)) = rest.split_once('?') {
            parts.query = query.to_owned();
            rest = before;
        }
        if WITH_PARAMS.contains(&parts.scheme.as_str()) {
            let last = rest.rfind('/').unwrap_or(0);
            if let Some(at) = rest.get(last..).and_then(|tail| tail.find(';')) {
                parts.params = rest.get(last + at + 1..).unwrap_or_default().to_owned();
                rest = rest.get(..last + at).unwrap_or_default();
            }
        }
        parts.path = rest.to_owned();
        parts
    }

    pub fn join(&self) -> String {
        let mut out = self.path.clone();
        if !self.params.is_empty() {
            out = format!("{out};{}", self.params);
        }
        if !self.netloc.is_empty() {
            let slash = if out.is_empty() || out.starts_with('/') { "" } else { "/" };
            out = format!("//{}{slash}{out}", self.netloc);
        }
        if !self.scheme.is_empty() {
            out = format!("{}:{out}", self.scheme);
        }
        if !self.query.is_empty() {
            out = format!("{out}?{}", self.query);
        }
        if !self.fragment.is_empty() {
            out = format!("{out}#{}", self.fragment);
        }
        out
    }

    /// `parse_qsl` of the query: names with their values, those without a value left out.
    pub fn pairs(&self) -> impl Iterator<Item = (String, String)> {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        let plain = |text: &str| unquote(&text.replace('+', " "));
        pairs.filter(|(_, value)| !value.is_empty()).map(move |(name, value)| (plain(name), plain(value)))
    }
}

pub fn unquote(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_go_back_together() {
        for url in
            ["https://u@h:1/p;a/q;r?s=1?2#f#g", "chrome://settings/passwords", "about:blank", "/a/b", "a:b"]
        {
            assert_eq!(UrlParts::parse(url).join(), url, "{url}");
        }
        let pairs: Vec<_> = UrlParts::parse("/?a=b+c%20d&e=&f=%+1%zz").pairs().collect();
        assert_eq!(pairs, [("a".to_owned(), "b c d".to_owned()), ("f".to_owned(), "% 1%zz".to_owned())]);
    }
}

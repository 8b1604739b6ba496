//! `utils.py`: addresses that are the same page (`compare_urls`, `are_lists_equal`).

use super::super::py::pattern;

/// The six parts of Python's `urlparse`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlParts {
    /// Without the colon, lower case.
    pub scheme: String,
    /// Host with port and user.
    pub netloc: String,
    /// The path without the parameters of its last part.
    pub path: String,
    /// What follows the last semicolon.
    pub params: String,
    /// Without the question mark.
    pub query: String,
    /// Without the hash.
    pub fragment: String,
}

/// Schemes that `urlparse` gives parameters to.
const WITH_PARAMS: [&str; 12] =
    ["", "ftp", "hdl", "prospero", "http", "imap", "https", "shttp", "rtsp", "rtspu", "sip", "sips"];

/// `urllib.parse.urlparse`.
pub fn parse(url: &str) -> UrlParts {
    let url: String = url.trim_start_matches(|c: char| c <= ' ').replace(['\t', '\r', '\n'], "");
    let mut parts = UrlParts::default();
    let mut rest = url.as_str();
    if let Some((scheme, after)) = rest.split_once(':')
        && scheme.chars().next().is_some_and(|c| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    {
        parts.scheme = scheme.to_ascii_lowercase();
        rest = after;
    }
    if let Some(after) = rest.strip_prefix("//") {
        let end = after.find(['/', '?', '#']).unwrap_or(after.len());
        parts.netloc = after.get(..end).unwrap_or_default().to_owned();
        rest = after.get(end..).unwrap_or_default();
    }
    if let Some((before, fragment)) = rest.split_once('#') {
        parts.fragment = fragment.to_owned();
        rest = before;
    }
    if let Some((before, query)) = rest.split_once('?') {
        parts.query = query.to_owned();
        rest = before;
    }
    parts.path = rest.to_owned();
    if WITH_PARAMS.contains(&parts.scheme.as_str()) {
        let last = rest.rfind('/').unwrap_or(0);
        if let Some(at) = rest.get(last..).and_then(|tail| tail.find(';')) {
            parts.params = rest.get(last + at + 1..).unwrap_or_default().to_owned();
            parts.path = rest.get(..last + at).unwrap_or_default().to_owned();
        }
    }
    parts
}

/// `urlunparse`.
pub(crate) fn unparse(parts: &UrlParts) -> String {
    let mut out = parts.path.clone();
    if !parts.params.is_empty() {
        out = format!("{out};{}", parts.params);
    }
    if !parts.netloc.is_empty() {
        if !out.is_empty() && !out.starts_with('/') {
            out.insert(0, '/');
        }
        out = format!("//{}{out}", parts.netloc);
    }
    if !parts.scheme.is_empty() {
        out = format!("{}:{out}", parts.scheme);
    }
    if !parts.query.is_empty() {
        out = format!("{out}?{}", parts.query);
    }
    if !parts.fragment.is_empty() {
        out = format!("{out}#{}", parts.fragment);
    }
    out
}

/// `tldextract.extract` of a host, for what is left of the public suffix: subdomain and domain. Private
/// suffixes do not count as suffixes, as by default there.
fn split_host(netloc: &str) -> (String, String) {
    let host = netloc.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[').and_then(|h| h.split_once(']')) {
        Some((v6, _)) => return (String::new(), format!("[{v6}]")),
        None => host.split(':').next().unwrap_or_default(),
    };
    let host = host.trim_end_matches('.');
    if host.parse::<std::net::Ipv4Addr>().is_ok() {
        return (String::new(), host.to_owned());
    }
    let rest = suffix(host).map_or(host, |suffix| {
        host.strip_suffix(suffix).map(|rest| rest.trim_end_matches('.')).unwrap_or_default()
    });
    match rest.rsplit_once('.') {
        Some((subdomain, domain)) => (subdomain.to_owned(), domain.to_owned()),
        None => (String::new(), rest.to_owned()),
    }
}

/// `urllib.parse.unquote`.
pub fn unquote(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while let Some(byte) = bytes.get(i) {
        let code = (*byte == b'%').then(|| text.get(i + 1..i + 3)).flatten();
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(code) => {
                out.push(code);
                i += 3;
            }
            None => {
                out.push(*byte);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The suffix of a host by the public list's registry part.
fn suffix(host: &str) -> Option<&str> {
    let found = psl::suffix(host.as_bytes()).filter(psl::Suffix::is_known)?;
    let text = host.get(host.len().checked_sub(found.as_bytes().len())?..)?;
    match found.typ() {
        Some(psl::Type::Private) => suffix(text.split_once('.')?.1),
        _ => Some(text),
    }
}

fn normalised(url: &str) -> String {
    let with_scheme = pattern::search(r"^[a-zA-Z][a-zA-Z0-9+\-.]*://", url).unwrap_or(false);
    let mut parts = if with_scheme { parse(url) } else { parse(&format!("http://{url}")) };
    let (subdomain, domain) = split_host(&parts.netloc.to_lowercase());
    parts.netloc =
        if subdomain.is_empty() || subdomain == "www" { domain } else { format!("{subdomain}.{domain}") };
    if parts.path == "/" {
        parts.path.clear();
    }
    unparse(&parts)
}

/// `compare_urls`: the same page whatever the country's suffix, `www` and a last slash.
pub fn same_url(a: &str, b: &str) -> bool {
    normalised(a) == normalised(b)
}

/// `are_lists_equal` with `compare_urls`: equally many, and each of the first list has its like.
pub(crate) fn same_urls(a: &[&str], b: &[&str]) -> bool {
    a.len() == b.len() && a.iter().all(|one| b.iter().any(|other| same_url(one, other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_page() {
        for (a, b) in [
            ("https://www.airbnb.com/", "https://airbnb.com.sg"),
            ("drugs.com/npc/", "http://www.drugs.com/npc/"),
            ("https://A.org/x;y?q=1#f", "https://a.com/x;y?q=1#f"),
            ("http://localhost:8000/a", "http://localhost/a"),
            ("https://user.github.io/a", "https://user.github.com/a"),
        ] {
            assert!(same_url(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("https://a.org/x", "http://a.org/x"),
            ("https://a.org/x/", "https://a.org/x"),
            ("https://en.a.org", "https://a.org"),
            ("https://a.org?q=1", "https://a.org?q=2"),
            ("http://1.2.3.4/", "http://1.2.3.5/"),
        ] {
            assert!(!same_url(a, b), "{a} {b}");
        }
    }

    #[test]
    fn parts_go_back_together() {
        for url in
            ["https://u@h:1/p;a/q;r?s=1?2#f#g", "chrome://settings/passwords", "about:blank", "/a/b", "a:b"]
        {
            assert_eq!(unparse(&parse(url)), url, "{url}");
        }
    }
}

//! Addresses as Python's `urllib.parse` takes them apart, and the rules of `url_match`.

use std::collections::BTreeMap;

use crate::fault::WebarenaFault;
use crate::rules::Rules;
use crate::text::OR;

/// The note that both rules know; the other stands where a file has none.
const GOLD_IN_PRED: &str = "GOLD in PRED";
/// Equality, in the versions that know it.
pub(crate) const EXACT: &str = "EXACT";
/// Schemes whose paths may have parameters, as far as pages have them.
const WITH_PARAMETERS: [&str; 4] = ["", "ftp", "http", "https"];

/// An address in parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressParts {
    pub scheme: String,
    /// Host and port, and whoever logs in there.
    pub place: String,
    /// Without the parameters of its last segment.
    pub path: String,
    pub query: String,
}

impl AddressParts {
    /// Takes an address apart.
    ///
    /// # Errors
    /// [`WebarenaFault::Refused`] for hosts that this port does not judge as Python would.
    pub fn of(url: &str) -> Result<Self, WebarenaFault> {
        let url: String = url
            .trim_start_matches(|c| c <= ' ')
            .chars()
            .filter(|c| !matches!(c, '\t' | '\r' | '\n'))
            .collect();
        let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let (scheme, rest) = match url.split_once(':') {
            Some((scheme, rest))
                if scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(named) =>
            {
                (scheme.to_ascii_lowercase(), rest)
            }
            _ => (String::new(), url.as_str()),
        };
        let (place, rest) = match rest.strip_prefix("//") {
            Some(rest) => rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len())),
            None => ("", rest),
        };
        if !place.is_ascii() || place.contains(['[', ']']) {
            return Err(WebarenaFault::refused(format!("a host like that of {url}")));
        }
        let rest = rest.split('#').next().unwrap_or_default();
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let path = match WITH_PARAMETERS.contains(&scheme.as_str()) {
            true => {
                let last = path.rfind('/').unwrap_or_default();
                let at = path.get(last..).and_then(|segment| segment.find(';'));
                at.and_then(|at| path.get(..last + at)).unwrap_or(path)
            }
            false => path,
        };
        Ok(Self { scheme, place: place.to_owned(), path: path.to_owned(), query: query.to_owned() })
    }

    /// The values of each key of the query; those without a value are left out.
    fn values(&self) -> BTreeMap<String, Vec<String>> {
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for pair in self.query.split('&') {
            if let Some((name, value)) = pair.split_once('=')
                && !value.is_empty()
            {
                found.entry(unquoted(name)).or_default().push(unquoted(value));
            }
        }
        found
    }
}

/// A text of a query without its escapes.
fn unquoted(text: &str) -> String {
    let text = text.replace('+', " ");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|code| *first == b'%' && code.iter().all(u8::is_ascii_hexdigit));
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether `url`, where the episode ended, is one of those of `reference`.
///
/// # Errors
/// [`WebarenaFault::Raised`] for a note that the version does not know; [`WebarenaFault::Refused`].
pub fn is_there(rules: Rules, url: &str, reference: &str, note: Option<&str>) -> Result<bool, WebarenaFault> {
    match (rules, note) {
        (Rules::Upstream, None | Some(GOLD_IN_PRED)) => by_parts(url, reference),
        (Rules::Lite | Rules::V2, None | Some(EXACT)) => {
            let url = plain(url);
            Ok(reference.split(OR).any(|one| plain(one) == url))
        }
        (Rules::Lite | Rules::V2, Some(GOLD_IN_PRED)) => {
            let url = plain(url);
            Ok(reference.split(OR).any(|one| url.contains(&plain(one))))
        }
        (_, Some(note)) => Err(WebarenaFault::raised(format!("it knows no rule '{note}' for addresses"))),
    }
}

/// As the versions that compare whole addresses write them.
fn plain(url: &str) -> String {
    let url = url.replace("localhost", "127.0.0.1");
    url.strip_suffix('/').unwrap_or(&url).to_owned()
}

fn by_parts(url: &str, reference: &str) -> Result<bool, WebarenaFault> {
    let said = AddressParts::of(url.trim_end_matches('/'))?;
    let (place, values) = (format!("{}{}", said.place, said.path), said.values());
    let mut wanted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut there = false;
    for one in reference.split(OR) {
        let one = AddressParts::of(one.trim_end_matches('/'))?;
        there |= place.contains(&format!("{}{}", one.place, one.path));
        for (name, values) in one.values() {
            wanted.entry(name).or_default().extend(values);
        }
    }
    let has = |(name, any): (&String, &Vec<String>)| {
        values.get(name).is_some_and(|values| any.iter().any(|value| values.contains(value)))
    };
    Ok(there && wanted.iter().all(has))
}

/// The address of a post on the forum, of an address of the post or of a comment below it; any other as it is.
///
/// # Errors
/// [`WebarenaFault::Refused`].
pub(crate) fn post_of(url: &str) -> Result<String, WebarenaFault> {
    let parts = AddressParts::of(url)?;
    let segments: Vec<&str> = parts.path.split('/').collect();
    match segments[..] {
        [_, "f", forum, post, ..] => Ok(format!("{}://{}/f/{forum}/{post}/", parts.scheme, parts.place)),
        _ => Ok(url.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOP: &str = "http://127.0.0.1:7770";

    #[test]
    fn upstream_compares_place_and_query() {
        let is = |url: &str, reference: &str| is_there(Rules::Upstream, url, reference, None).unwrap();
        assert!(is("https://h/a/b?x=1&y=2#z", "http://h/a?x=1"));
        assert!(is("http://h/a//", "http://h/a/"));
        assert!(!is("http://h/a?x=2", "http://h/a?x=1"));
        assert!(is("http://h/a?x=2", "http://h/a?x=1 |OR| http://q/?x=2"));
        assert!(is("http://h/a?x=a+b", "http://h/a?x=a%20b&empty="));
        assert!(!is("http://h/b", "http://h/a"));
        assert!(is_there(Rules::Upstream, "http://h", "http://h", Some("EXACT")).is_err());
    }

    #[test]
    fn the_others_compare_texts() {
        let is = |note, url: &str, reference: &str| is_there(Rules::V2, url, reference, note).unwrap();
        assert!(is(None, "http://localhost:1/a/", "http://127.0.0.1:1/a"));
        assert!(!is(None, "http://h/a/b", "http://h/a"));
        assert!(is(Some(GOLD_IN_PRED), "http://h/a/b", "http://q |OR| http://h/a"));
        assert!(!is(Some(GOLD_IN_PRED), "https://h/a", "http://h/a"));
        assert!(is(Some(EXACT), "http://h/a", "http://h/a/"));
        assert!(is_there(Rules::Lite, "http://h", "http://h", Some("close")).is_err());
    }

    #[test]
    fn a_post_is_found_above_its_comments() {
        let post = format!("{SHOP}/f/books/12/");
        assert_eq!(post_of(&format!("{SHOP}/f/books/12/title/-/comment/3?a#b")).unwrap(), post);
        assert_eq!(post_of(&post).unwrap(), post);
        for other in ["/f/books", "/u/books/12", "/"] {
            let url = format!("{SHOP}{other}");
            assert_eq!(post_of(&url).unwrap(), url);
        }
    }
}

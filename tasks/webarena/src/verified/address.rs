//! Addresses: written in one way, held against each other by place and query.

use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;
use waldo_agents::python::strip;
use waldo_agents::python::url::{UrlParts, unquote};

use super::places::Places;
use super::plain::{Held, base64_bytes, is_pattern, matches};
use super::value::{Address, Addresses, Node, Normalizer, Typed};
use crate::fault::{Result, WebarenaFault};

/// What is done to addresses before they are compared.
#[derive(Clone, Copy, Default)]
pub(super) struct AddressRules<'a> {
    pub(super) ignored: &'a [String],
    pub(super) ignored_patterns: &'a [String],
    /// Whether parts of the path may be a query in Base64.
    pub(super) decode_base64: bool,
    pub(super) schema: Option<&'a Value>,
    /// The query, in place of that of the address.
    pub(super) query: Option<&'a [(String, Vec<String>)]>,
    /// Whether names of sites become addresses again.
    pub(super) render: bool,
}

impl Addresses {
    pub(super) fn new(value: &Value, rules: AddressRules<'_>, normalizer: Normalizer<'_>) -> Result<Self> {
        let one = |value: &Value| match value.as_str() {
            Some(text) => Address::new(strip(text), rules, normalizer),
            None => Err(WebarenaFault::raised(format!("{value} is no address"))),
        };
        let all = match value {
            Value::Array(all) if all.len() < 2 => return Err(WebarenaFault::raised("a list of one address")),
            Value::Array(all) => all.iter().map(one).collect::<Result<_>>()?,
            value => vec![one(value)?],
        };
        Ok(Self { all, render: normalizer.places.filter(|_| rules.render).cloned() })
    }

    /// Whether the place of one is that of one of the others, whatever the queries.
    pub(super) fn is_same_place(&self, other: &Self) -> Result<bool> {
        self.any(other, |one, other| one.is_same_place(other, self.render.as_ref()))
    }

    pub(super) fn is_same(&self, other: &Self) -> Result<bool> {
        self.any(other, |one, other| {
            Ok(one.is_same_place(other, self.render.as_ref())? && one.has_same_query(other)?)
        })
    }

    fn any(&self, other: &Self, same: impl Fn(&Address, &Address) -> Result<bool>) -> Result<bool> {
        for (one, other) in self.all.iter().flat_map(|one| other.all.iter().map(move |other| (one, other))) {
            if same(one, other)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Address {
    fn new(text: &str, rules: AddressRules<'_>, normalizer: Normalizer<'_>) -> Result<Self> {
        if text.is_empty() {
            return Err(WebarenaFault::raised("an empty address"));
        }
        let given = rules.query.map(<[_]>::to_vec);
        if is_pattern(text) {
            let query = query_of(given.unwrap_or_default(), rules, normalizer)?;
            return Ok(Self { base: text.trim_end_matches('/').to_owned(), query, pattern: true });
        }
        let mut text = text.trim_end_matches('/').to_owned();
        if let Some(places) = normalizer.places.filter(|_| rules.render && text.starts_with("__")) {
            text = match places.render(&text) {
                Err(fault) if normalizer.strict => return Err(fault),
                rendered => rendered.unwrap_or(text),
            };
        }
        let small = text.to_lowercase();
        if small.starts_with("ssh://")
            || (small.starts_with("git@") && text.contains(':') && !text.contains("://"))
        {
            return Ok(Self { base: ssh(&small), query: Vec::new(), pattern: false });
        }
        let whole = normalized(&text)?;
        let derendered = normalizer.places.and_then(|places| places.derender(&whole));
        if derendered.is_none() && normalizer.strict && normalizer.places.is_some() {
            return Err(WebarenaFault::raised(format!("{whole} is on no site of the task")));
        }
        let parts = UrlParts::parse(&derendered.unwrap_or(whole));
        let mut path = parts.path;
        if !parts.params.is_empty() {
            path = format!("{path};{}", parts.params);
        }
        let query = match given {
            Some(query) => query,
            None => {
                let (cleaned, mut queries) =
                    if rules.decode_base64 { without_base64(&path) } else { (path, Vec::new()) };
                path = cleaned;
                queries.extend(Some(strip(&parts.query).to_owned()).filter(|query| !query.is_empty()));
                pairs(&queries.join("&"))
            }
        };
        let query = query_of(query, rules, normalizer)?;
        let netloc = parts.netloc.to_lowercase();
        let base = UrlParts { netloc, path, params: String::new(), query: String::new(), ..parts }.join();
        Ok(Self { base, query, pattern: false })
    }

    fn is_same_place(&self, other: &Self, render: Option<&Places>) -> Result<bool> {
        let rendered = |text: &str| match render {
            Some(places) if text.starts_with("__") => places.render(text),
            _ => Ok(text.to_owned()),
        };
        for (pattern, text) in [(self, other), (other, self)] {
            if pattern.pattern {
                let inner = pattern.base.strip_prefix('^').and_then(|inner| inner.strip_suffix('$'));
                let pattern = match inner {
                    Some(inner) => format!("^{}$", rendered(inner)?),
                    None => rendered(&pattern.base)?,
                };
                if matches(&pattern, &rendered(&text.base)?, Held::Start)? {
                    return Ok(true);
                }
            }
        }
        let plain = |address: &Self| address.base.to_lowercase().trim_end_matches('/').to_owned();
        Ok(!self.pattern && !other.pattern && plain(self) == plain(other))
    }

    fn has_same_query(&self, other: &Self) -> Result<bool> {
        let empty = Node::Raw(Value::String(String::new()));
        let of = |query: &[(String, Node)], name: &str| {
            query
                .iter()
                .find(|(one, _)| one == name)
                .map_or_else(|| empty.clone(), |(_, value)| value.clone())
        };
        let mut fault = None;
        for (name, _) in self.query.iter().chain(&other.query) {
            let (ours, theirs) = (of(&self.query, name), of(&other.query, name));
            let same = match ours.pattern() {
                Some(pattern) => theirs.text().and_then(|text| matches(&pattern, &text, Held::Start)),
                None if ours.is_text("")? && theirs.is_text("")? => Ok(true),
                None => ours.is_same_value(&theirs),
            };
            match same {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(one) => fault = Some(one),
            }
        }
        fault.map_or(Ok(true), Err)
    }
}

/// The query as it is compared: without what is ignored, small letters, values in order.
fn query_of(
    query: Vec<(String, Vec<String>)>,
    rules: AddressRules<'_>,
    normalizer: Normalizer<'_>,
) -> Result<Vec<(String, Node)>> {
    let mut kept = serde_json::Map::new();
    for (name, values) in query {
        let mut ignored = rules.ignored.contains(&name);
        for pattern in rules.ignored_patterns {
            ignored = ignored || matches(pattern, &name, Held::AnywhereIgnoringCase)?;
        }
        if !ignored {
            let mut values: Vec<String> =
                values.iter().map(|value| strip(&value.to_lowercase()).to_owned()).collect();
            values.sort();
            kept.insert(name, values.into());
        }
    }
    let first = |node: Node| match node {
        Node::List(all) => Ok(all.into_iter().next().unwrap_or(Node::Raw("".into()))),
        Node::Raw(Value::Array(all)) => Ok(Node::Raw(all.into_iter().next().unwrap_or_else(|| "".into()))),
        Node::Typed(_) => Err(WebarenaFault::raised("a query with several values of a name without a type")),
        other => Ok(other),
    };
    match rules.schema {
        Some(schema) if !kept.is_empty() => match normalizer.object(&Value::Object(kept), schema)? {
            Node::Object(all) => all.into_iter().map(|(name, node)| Ok((name, first(node)?))).collect(),
            _ => Ok(Vec::new()),
        },
        _ => kept.into_iter().map(|(name, value)| Ok((name, first(Node::Raw(value))?))).collect(),
    }
}

/// `git@HOST:path`, whatever the host.
fn ssh(small: &str) -> String {
    let (user, path) = if small.starts_with("ssh://") {
        let parts = UrlParts::parse(small);
        let user = parts.netloc.split_once('@').map_or("git", |(user, _)| user).to_owned();
        (user, parts.path)
    } else {
        let (user, rest) = small.split_once('@').unwrap_or((small, ""));
        (user.to_owned(), rest.split_once(':').map_or("", |(_, path)| path).to_owned())
    };
    format!("{user}@__SSH_HOST__:{}", path.trim_start_matches('/'))
}

/// An address as url_normalize writes it.
fn normalized(url: &str) -> Result<String> {
    let refused = || WebarenaFault::refused(format!("how the address {url} is written"));
    let head: String = url.chars().take(7).collect();
    let text = match url.split_once(':').filter(|_| head.contains(':')) {
        _ if url.is_empty() || url == "-" || (url.starts_with('/') && !url.starts_with("//")) => {
            url.to_owned()
        }
        None => format!("https://{}", url.trim_start_matches('/')),
        Some((scheme, rest))
            if ["http", "https", "ftp", "ftps"].contains(&scheme.to_lowercase().as_str()) =>
        {
            format!("{scheme}://{}", rest.trim_start_matches('/'))
        }
        Some(_) => url.to_owned(),
    };
    let text = text.replace("#!", "?_escaped_fragment_=");
    let mut parts = UrlParts::parse(strip(text.trim_end_matches(['&', '?', ' '])));
    let (user, place) = match parts.netloc.split_once('@') {
        Some((user, _)) if user.is_empty() || user == ":" => ("", parts.netloc.get(user.len() + 1..)),
        Some((user, _)) => {
            (parts.netloc.get(..=user.len()).unwrap_or_default(), parts.netloc.get(user.len() + 1..))
        }
        None => ("", Some(parts.netloc.as_str())),
    };
    let (host, port) = place.unwrap_or_default().split_once(':').unwrap_or((place.unwrap_or_default(), ""));
    let host = host.to_lowercase();
    let host = host.trim_matches('.');
    let known = host.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b));
    let long = host.split('.').any(|label| label.len() > 63);
    let web = matches!(parts.scheme.as_str(), "http" | "https" | "ftp" | "file" | "ws" | "wss");
    if !known || long || host.contains("..") || host.contains("xn--") || (web && host.is_empty()) {
        return Err(refused());
    }
    let mut port = port.to_owned();
    if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) {
        let number: u64 = port.parse().map_err(|_| refused())?;
        let usual = match parts.scheme.as_str() {
            "http" | "ws" => 80,
            "https" | "wss" => 443,
            "ftp" => 21,
            _ => 0,
        };
        port = if number == usual { String::new() } else { number.to_string() };
    }
    let netloc = if port.is_empty() { format!("{user}{host}") } else { format!("{user}{host}:{port}") };
    let whole_path = match parts.params.is_empty() {
        true => std::mem::take(&mut parts.path),
        false => format!("{};{}", parts.path, parts.params),
    };
    let mut path = quote(&whole_path, "~:/#[]@!$&'()*+,;=");
    if parts.scheme.is_empty() || web {
        path = without_dots(&path);
    }
    if path.is_empty() && web {
        path = "/".to_owned();
    }
    let query: Vec<String> =
        parts.query.split('&').filter(|pair| !pair.is_empty()).map(normal_pair).collect();
    let fragment = quote(&parts.fragment, "~=");
    Ok(UrlParts {
        scheme: parts.scheme,
        netloc,
        path,
        params: String::new(),
        query: query.join("&"),
        fragment,
    }
    .join())
}

fn normal_pair(pair: &str) -> String {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let (name, value) = (quote(name, "~:/?[]@!$'()*+,;"), quote(value, "~:/?[]@!$'()*+,;"));
    if value.is_empty() { name } else { format!("{name}={value}") }
}

fn without_dots(path: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut last = "";
    for part in path.split('/') {
        last = part;
        match part {
            "" if out.is_empty() => out.push(part),
            "" | "." => {}
            ".." => {
                if out.len() > 1 {
                    out.pop();
                }
            }
            part => out.push(part),
        }
    }
    if matches!(last, "" | "." | "..") {
        out.push("");
    }
    out.join("/")
}

/// With the characters that need it in percent, and no others.
fn quote(text: &str, safe: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in unquote(text).nfc() {
        if c.is_ascii_alphanumeric() || "_.-~".contains(c) || safe.contains(c) {
            out.push(c);
        } else {
            c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| out.push_str(&format!("%{byte:02X}")));
        }
    }
    out
}

/// The names of a query with their values, both taken out of percent twice.
fn pairs(query: &str) -> Vec<(String, Vec<String>)> {
    let mut once: Vec<(String, Vec<String>)> = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let plain = |text: &str| unquote(&text.replace('+', " "));
        let (name, value) = (plain(name), unquote(&plain(value)));
        match once.iter_mut().find(|(one, _)| *one == name) {
            Some((_, values)) => values.push(value),
            None => once.push((name, vec![value])),
        }
    }
    let mut twice: Vec<(String, Vec<String>)> = Vec::new();
    for (name, values) in once {
        let name = unquote(&name);
        match twice.iter_mut().find(|(one, _)| *one == name) {
            Some((_, before)) => *before = values,
            None => twice.push((name, values)),
        }
    }
    twice
}

/// A path without the parts that are a query in Base64, and these queries.
fn without_base64(path: &str) -> (String, Vec<String>) {
    let mut queries = Vec::new();
    let is_kept = |part: &str, queries: &mut Vec<String>| {
        let bare = part.trim_end_matches('=');
        let alphabet = bare.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
        if part.is_empty() || bare.len() < 4 || part.len() - bare.len() > 2 || !alphabet {
            return true;
        }
        let decoded = base64_bytes(part, true).and_then(|bytes| String::from_utf8(bytes).ok());
        let Some(decoded) = decoded.filter(|text| text.contains('=')) else { return true };
        let query = unquote(&decoded);
        let query = strip(&query);
        if !query.is_empty() {
            queries.push(query.trim_start_matches(['?', '&']).to_owned());
        }
        query.is_empty()
    };
    if path.is_empty() {
        return (String::new(), queries);
    }
    let kept: Vec<&str> =
        path.split('/').filter(|part| is_kept(part, &mut queries) && !part.is_empty()).collect();
    let mut cleaned = kept.join("/");
    if path.starts_with('/') {
        cleaned.insert(0, '/');
    }
    if path.ends_with('/') && !kept.is_empty() {
        cleaned.push('/');
    }
    (cleaned, queries)
}

impl Node {
    /// The pattern that a value of a query stands for.
    fn pattern(&self) -> Option<String> {
        match self {
            Self::Raw(Value::String(text)) => Some(text).filter(|text| is_pattern(text)).cloned(),
            Self::Typed(Typed::Text(all)) => {
                all.iter().any(|text| is_pattern(text)).then(|| all.first().cloned()).flatten()
            }
            _ => None,
        }
    }

    fn text(&self) -> Result<String> {
        match self {
            Self::Raw(Value::String(text)) => Ok(text.clone()),
            Self::Typed(Typed::Text(all)) => Ok(all.first().cloned().unwrap_or_default()),
            other => Err(WebarenaFault::refused(format!("how {other:?} is written"))),
        }
    }
}

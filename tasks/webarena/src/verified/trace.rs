//! What the network saw in an episode, as HAR 1.2 has it, as far as evaluators look at it.

use serde_json::{Map, Value};
use waldo_agents::python::strip;
use waldo_agents::python::url::{UrlParts, unquote};

/// The ends of paths that are no evidence: pictures, styles, scripts and fonts.
const ASSETS: [&str; 12] =
    [".css", ".js", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".woff", ".woff2", ".ttf", ".ico", ".webp"];

/// What was sent in a request or came in a response, as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    pub mime_type: String,
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetworkEvent {
    pub url: String,
    pub method: String,
    /// The request's headers, names as they were sent.
    pub headers: Vec<(String, String)>,
    pub post_data: Option<Body>,
    /// The status of the response; 0 or less where there was none.
    pub status: i64,
    pub content: Option<Body>,
    /// Names and values of the cookies that the response set.
    pub cookies: Vec<(String, String)>,
}

/// The requests of an episode in the order in which they were begun.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetworkTrace {
    pub events: Vec<NetworkEvent>,
}

impl NetworkTrace {
    /// Reads HAR 1.2.
    ///
    /// # Errors
    /// With the entry, where something is missing that an evaluator may look at; where there is no entry.
    pub fn from_har(har: &Value) -> Result<Self, String> {
        let entries = har.get("log").and_then(|log| log.get("entries")).and_then(Value::as_array);
        let entries = entries.ok_or("is no HAR: it has no 'log.entries'")?;
        if entries.is_empty() {
            return Err("its 'log.entries' is empty".to_owned());
        }
        let read = |(at, entry): (usize, &Value)| {
            NetworkEvent::from_entry(entry)
                .ok_or_else(|| format!("its entry {at} has no request and response"))
        };
        Ok(Self { events: entries.iter().enumerate().map(read).collect::<Result<_, _>>()? })
    }
}

/// The names and values of a list in HAR.
fn named(list: Option<&Value>) -> Option<Vec<(String, String)>> {
    let pair = |one: &Value| {
        let text = |name: &str| one.get(name).and_then(Value::as_str).map(str::to_owned);
        Some((text("name")?, text("value").unwrap_or_default()))
    };
    list.map_or(Some(Vec::new()), |list| list.as_array()?.iter().map(pair).collect())
}

impl NetworkEvent {
    fn from_entry(entry: &Value) -> Option<Self> {
        let (request, response) = (entry.get("request")?, entry.get("response")?);
        let text = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let body = |value: Option<&Value>| {
            let value = value.filter(|value| value.is_object())?;
            Some(Body { mime_type: text(value, "mimeType"), text: text(value, "text") })
        };
        Some(Self {
            url: request.get("url")?.as_str()?.to_owned(),
            method: request.get("method")?.as_str()?.to_owned(),
            headers: named(Some(request.get("headers")?))?,
            post_data: body(request.get("postData")),
            status: response.get("status")?.as_i64()?,
            content: body(response.get("content")),
            cookies: named(response.get("cookies"))?,
        })
    }

    /// The value of a header, which may be written in any case: the last of several.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().rev().filter(|(one, _)| one.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.as_str())
    }

    /// The value of a cookie that was set, taken out of percent: the last of several.
    pub(super) fn cookie(&self, name: &str) -> Option<String> {
        self.cookies.iter().rev().find(|(one, _)| one == name).map(|(_, value)| unquote(value))
    }

    pub(super) fn is_evidence(&self) -> bool {
        let path = UrlParts::parse(&self.url).path;
        !ASSETS.iter().any(|end| path.ends_with(end))
    }

    /// Whether somebody went to a page by it.
    pub(super) fn is_navigation(&self) -> bool {
        let header = |name: &str| self.header(name).map(str::to_lowercase);
        let accepts = header("accept").unwrap_or_default();
        self.method == "GET"
            && match header("sec-fetch-user") {
                Some(user) => {
                    header("sec-fetch-dest").as_deref() == Some("document")
                        && header("sec-fetch-mode").as_deref() == Some("navigate")
                        && user == "?1"
                        && accepts.contains("text/html")
                }
                None => accepts.starts_with("text/html"),
            }
    }
}

impl Body {
    /// Its members: of a form, of an object of JSON, of a form in parts. `None` for any other.
    pub(super) fn members(&self) -> Option<Map<String, Value>> {
        if self.text.is_empty() {
            return None;
        }
        let is = |name: &str| self.mime_type.contains(name);
        if is("application/x-www-form-urlencoded") {
            let mut members = Map::new();
            for pair in self.text.split('&').filter(|pair| !pair.is_empty()) {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                let plain = |text: &str| unquote(&text.replace('+', " "));
                members.entry(plain(name)).or_insert_with(|| plain(value).into());
            }
            return Some(members);
        }
        if is("application/json")
            && let Ok(Value::Object(members)) = serde_json::from_str(&self.text)
        {
            return Some(members);
        }
        let (_, boundary) = self.mime_type.split_once("boundary=").filter(|_| is("multipart/form-data"))?;
        let boundary = boundary.split([';', ' ', '\t']).next().filter(|boundary| !boundary.is_empty())?;
        let boundary = format!("--{boundary}");
        let parts = self.text.split(&boundary).map(strip);
        Some(parts.filter_map(part_of_a_form).map(|(name, value)| (name, value.into())).collect())
    }
}

fn part_of_a_form(part: &str) -> Option<(String, String)> {
    let (head, value) = part.split_once("\r\n\r\n").or_else(|| part.split_once("\n\n"))?;
    let line = head.split("\r\n").find(|line| line.to_lowercase().starts_with("content-disposition:"))?;
    let (_, name) = line.split_once("name=\"")?;
    let (name, _) = name.split_once('"').filter(|(name, _)| !name.is_empty())?;
    Some((name.to_owned(), value.trim_end_matches(['\r', '\n']).to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_no_har_is_refused_with_the_entry() {
        let entry = json!({ "request": { "url": "http://h/a.css", "method": "GET", "headers": [{ "name": "Accept", "value": "text/html" }],
            "postData": { "mimeType": "application/x-www-form-urlencoded", "text": "a=1&a=2&b=" } },
            "response": { "status": 200, "cookies": [{ "name": "c", "value": "a%20b" }] } });
        let trace = NetworkTrace::from_har(&json!({ "log": { "entries": [entry] } })).unwrap();
        let event = &trace.events[0];
        assert!(!event.is_evidence() && event.is_navigation());
        assert_eq!((event.cookie("c").as_deref(), event.header("ACCEPT")), (Some("a b"), Some("text/html")));
        let members = event.post_data.as_ref().and_then(Body::members).unwrap();
        assert_eq!(Value::from(members), json!({ "a": "1", "b": "" }));
        let mut broken = entry.clone();
        broken["response"]["status"] = Value::Null;
        for (har, said) in [
            (json!({}), "no HAR"),
            (json!({ "log": { "entries": [] } }), "empty"),
            (json!({ "log": { "entries": [entry, broken] } }), "entry 1"),
        ] {
            assert!(NetworkTrace::from_har(&har).unwrap_err().contains(said), "{said}");
        }
    }
}

//! Traffic as an HTTP archive, HAR 1.2 (<http://www.softwareishard.com/blog/har-12-spec/>).
//!
//! Invariant: every secret is masked; without consent no cookie and no header that logs a page in is written.

use std::time::Duration;

use serde_json::{Map, Value, json};
use url::Url;

use super::cdp::text;
use super::live::BrowserSession;
use super::requests::{REFUSED, is_refused};
use super::traffic::{Exchange, TrafficLog};
use waldo_devices::secrets::MASK;
use waldo_devices::{Deadline, GuardPolicy, JsonMembers as _, Secrets, Traffic};

/// Headers that log a page in, in small letters.
const LOGS_IN: [&str; 2] = ["authorization", "proxy-authorization"];
/// The status where no response came, as Playwright's archives have it; WebArena-Verified has tasks that ask for it.
const NO_RESPONSE: i64 = -1;
/// How long bodies that were asked for may still take.
const BODIES_WITHIN: Duration = Duration::from_secs(5);

impl BrowserSession {
    /// The traffic since the episode began as an HTTP archive; null where it is not recorded.
    pub(crate) async fn archive(&self, cookies: Traffic, secrets: &Secrets, deadline: Deadline) -> Value {
        let bound = deadline.at_most(BODIES_WITHIN).instant();
        let came = |log: &Option<TrafficLog>| log.as_ref().is_none_or(|log| log.awaited == 0);
        self.shared().until(bound, |state| came(&state.traffic).then_some(())).await;
        let browser = self.browser().version();
        let cookies = cookies == Traffic::RecordedWithCookies;
        self.shared().with(|state| match &state.traffic {
            Some(log) => archive(log, Hides { cookies, secrets, policy: self.policy() }, browser),
            None => Value::Null,
        })
    }
}

fn archive(log: &TrafficLog, hides: Hides<'_>, browser: &str) -> Value {
    let entries: Vec<Value> = log.exchanges.iter().map(|exchange| hides.entry(exchange)).collect();
    let mut comment = Vec::new();
    if !hides.cookies {
        comment.push("cookies are left out".to_owned());
    }
    for (count, what) in [(log.left_out, "exchanges"), (log.bodies_left_out, "bodies")] {
        if count > 0 {
            comment
                .push(format!("{count} {what} are left out: too many, too large, or gone with their page"));
        }
    }
    json!({ "log": {
        "version": "1.2",
        "creator": { "name": "waldo", "version": env!("CARGO_PKG_VERSION") },
        "browser": { "name": "Chromium", "version": browser },
        "entries": entries,
        "comment": comment.join("; "),
    } })
}

struct Hides<'s> {
    cookies: bool,
    secrets: &'s Secrets,
    policy: &'s GuardPolicy,
}

impl Hides<'_> {
    fn entry(&self, exchange: &Exchange) -> Value {
        let request = &exchange.request;
        // What the guard answered no server has: there was no response.
        let (nothing, refused) = (Exchange::default(), is_refused(self.policy, text(request, "url")));
        let Exchange { response, headers_got, body, received, size, .. } =
            if refused { &nothing } else { exchange };
        let url = self.mask(text(request, "url"));
        let query: Vec<Value> = Url::parse(&url)
            .map(|url| {
                url.query_pairs().map(|(name, value)| json!({ "name": name, "value": value })).collect()
            })
            .unwrap_or_default();
        let sent = self.headers(&exchange.headers_sent, &request["headers"]);
        let got = self.headers(headers_got, &response["headers"]);
        let protocol = match text(response, "protocol") {
            "" => "http/1.1",
            known => known,
        };
        let mut asked = json!({
            "method": text(request, "method"),
            "url": url,
            "httpVersion": protocol,
            "cookies": self.cookies_of(&sent, "cookie"),
            "headers": sent,
            "queryString": query,
            "headersSize": -1,
            "bodySize": exchange.posted,
        });
        if let Some(posted) = request["postData"].as_str() {
            asked["postData"] =
                json!({ "mimeType": value_of(&sent, "content-type"), "text": self.mask(posted) });
        }
        let mut content = json!({
            "size": body.as_ref().map_or(*size, |body| body.len() as u64),
            "mimeType": match value_of(&got, "content-type") {
                "" => text(response, "mimeType"),
                told => told,
            },
        });
        content.put_some("text", body.as_deref().map(|body| self.mask(body)));
        let mut entry = json!({
            "startedDateTime": moment(exchange.began),
            "time": exchange.took(),
            "request": asked,
            "response": {
                "status": response["status"].as_i64().unwrap_or(NO_RESPONSE),
                "statusText": text(response, "statusText"),
                "httpVersion": protocol,
                "cookies": self.cookies_of(&got, "set-cookie"),
                "redirectURL": value_of(&got, "location"),
                "headers": got,
                "content": content,
                "headersSize": -1,
                "bodySize": received,
            },
            "cache": {},
            "timings": timings(&response["timing"], exchange.took()),
            "_resourceType": exchange.kind.to_lowercase(),
        });
        if let Some(address) = response["remoteIPAddress"].as_str() {
            let address = address.trim_matches(['[', ']']);
            entry["serverIPAddress"] = address.into();
        }
        entry.put_some("comment", refused.then_some(REFUSED).or(exchange.error.as_deref()));
        entry
    }

    /// The headers of the wire, or those that the page's process knew of where nobody told of the wire.
    fn headers(&self, wire: &Map<String, Value>, known: &Value) -> Vec<Value> {
        let nothing = Map::new();
        let all = if wire.is_empty() { known.as_object().unwrap_or(&nothing) } else { wire };
        let mut listed = Vec::new();
        for (name, values) in all {
            let small = name.to_ascii_lowercase();
            if !self.cookies && matches!(small.as_str(), "cookie" | "set-cookie") {
                continue;
            }
            // Several headers of one name come as lines.
            for value in values.as_str().unwrap_or_default().lines() {
                let value =
                    if LOGS_IN.contains(&small.as_str()) { MASK.to_owned() } else { self.mask(value) };
                listed.push(json!({ "name": name, "value": value }));
            }
        }
        listed
    }

    fn cookies_of(&self, headers: &[Value], name: &str) -> Vec<Value> {
        let mut found = Vec::new();
        for header in headers.iter().filter(|header| text(header, "name").eq_ignore_ascii_case(name)) {
            let mut parts = text(header, "value").split(';').map(str::trim);
            if name == "cookie" {
                found.extend(parts.filter_map(cookie));
            } else if let Some(mut cookie) = parts.next().and_then(cookie) {
                for part in parts {
                    match part.split_once('=').unwrap_or((part, "")) {
                        (key, path) if key.eq_ignore_ascii_case("path") => cookie["path"] = path.into(),
                        (key, domain) if key.eq_ignore_ascii_case("domain") => {
                            cookie["domain"] = domain.into()
                        }
                        (key, _) if key.eq_ignore_ascii_case("httponly") => cookie["httpOnly"] = true.into(),
                        (key, _) if key.eq_ignore_ascii_case("secure") => cookie["secure"] = true.into(),
                        _ => {}
                    }
                }
                found.push(cookie);
            }
        }
        found
    }

    fn mask(&self, text: &str) -> String {
        self.secrets.mask(text.to_owned())
    }
}

fn cookie(pair: &str) -> Option<Value> {
    let (name, value) = pair.split_once('=')?;
    Some(json!({ "name": name, "value": value }))
}

fn value_of<'h>(headers: &'h [Value], name: &str) -> &'h str {
    let found = headers.iter().find(|header| text(header, "name").eq_ignore_ascii_case(name));
    found.map_or("", |header| text(header, "value"))
}

fn moment(seconds: f64) -> String {
    jiff::Timestamp::from_millisecond((seconds * 1000.0) as i64).unwrap_or_default().to_string()
}

/// In milliseconds; they add up to the whole.
fn timings(timing: &Value, took: f64) -> Value {
    let at = |name: &str| timing[name].as_f64().unwrap_or_default().max(0.0);
    let send = (at("sendEnd") - at("sendStart")).clamp(0.0, took);
    let wait = (at("receiveHeadersEnd") - at("sendEnd")).clamp(0.0, took - send);
    json!({ "send": send, "wait": wait, "receive": took - send - wait })
}

#[cfg(test)]
mod tests {
    use super::*;
    use waldo_devices::OriginRule;

    fn told(log: &TrafficLog, cookies: bool, secrets: &Secrets) -> Value {
        let origins = vec![OriginRule::parse("http://a.test").unwrap()];
        let policy = GuardPolicy { origins, ..GuardPolicy::default() };
        archive(log, Hides { cookies, secrets, policy: &policy }, "1.0")
    }

    fn log() -> TrafficLog {
        let mut log = TrafficLog::default();
        let begins = |url: &str, extra: Value| {
            let mut params = json!({
                "requestId": "1", "timestamp": 5.0, "wallTime": 1_700_000_000.5, "type": "Document",
                "request": { "method": "POST", "url": url, "headers": {}, "postData": "pin=4711&note=hello" },
            });
            for (key, value) in extra.as_object().unwrap() {
                params[key] = value.clone();
            }
            params
        };
        let wire = |headers: Value| json!({ "requestId": "1", "headers": headers });
        // What went over the wire is told before what it belongs to as well as after.
        let sent = wire(
            json!({ "Cookie": "sid=abc", "Authorization": "Basic eA==", "Content-Type": "application/x-www-form-urlencoded" }),
        );
        log.hears("Network.requestWillBeSentExtraInfo", &sent);
        log.hears("Network.requestWillBeSent", &begins("http://a.test/in?q=1", json!({})));
        let redirect = json!({ "redirectResponse": { "status": 302, "headers": {} }, "timestamp": 5.25 });
        log.hears("Network.requestWillBeSent", &begins("http://a.test/home", redirect));
        log.hears(
            "Network.responseReceivedExtraInfo",
            &wire(json!({ "Location": "/home", "Set-Cookie": "sid=new; Path=/; HttpOnly\nseen=1" })),
        );
        let response = json!({ "status": 200, "mimeType": "text/html", "headers": {} });
        log.hears("Network.responseReceived", &json!({ "requestId": "1", "response": response }));
        let place = log.hears(
            "Network.loadingFinished",
            &json!({ "requestId": "1", "timestamp": 6.0, "encodedDataLength": 20 }),
        );
        assert_eq!(place, Some(1));
        log.takes_body(1, Some("<p>4711</p>".to_owned()));
        log
    }

    #[test]
    fn a_redirect_is_an_entry_with_its_cookies_only_where_they_are_wanted() {
        let secrets = Secrets::new([("pin".to_owned(), "4711".to_owned())]);
        let with = told(&log(), true, &secrets);
        let entries = with["log"]["entries"].as_array().unwrap();
        assert_eq!(entries.len(), 2);
        let first = &entries[0];
        assert_eq!(first["startedDateTime"], "2023-11-14T22:13:20.5Z");
        assert_eq!(first["time"], 250.0);
        assert_eq!(first["request"]["queryString"], json!([{ "name": "q", "value": "1" }]));
        assert_eq!(first["request"]["cookies"], json!([{ "name": "sid", "value": "abc" }]));
        assert_eq!(first["response"]["status"], 302);
        assert_eq!(first["response"]["redirectURL"], "/home");
        let cookies = json!([{ "name": "sid", "value": "new", "path": "/", "httpOnly": true }, { "name": "seen", "value": "1" }]);
        assert_eq!(first["response"]["cookies"], cookies);
        let posted = text(&first["request"]["postData"], "text");
        assert!(posted.contains("note=hello") && !posted.contains("4711"), "{posted}");
        let body = text(&entries[1]["response"]["content"], "text");
        assert!(body.starts_with("<p>") && !body.contains("4711"), "{body}");
        let whole = with.to_string();
        assert!(!whole.contains("eA=="), "what logs in is masked: {whole}");
        let without = told(&log(), false, &secrets).to_string();
        assert!(whole.contains("sid") && !without.contains("sid"), "{without}");
    }

    #[test]
    fn what_no_server_answered_has_no_status_and_a_socket_is_its_handshake() {
        let mut log = TrafficLog::default();
        let began = |id: &str, url: &str| {
            let sent = if id == "4" { json!([{ "bytes": "AP8B/g==" }]) } else { json!([{}]) };
            let request =
                json!({ "method": "POST", "url": url, "hasPostData": true, "postDataEntries": sent });
            json!({ "requestId": id, "timestamp": 1.0, "type": "Fetch", "request": request })
        };
        let failed = json!({ "requestId": "1", "timestamp": 2.0, "errorText": "net::ERR_EMPTY_RESPONSE" });
        // The guard answers in place of a server, by a page of its own.
        let answered = json!({ "requestId": "2", "timestamp": 2.0, "response": { "status": 403 } });
        let socket = json!({ "requestId": "3", "url": "ws://a.test/live" });
        let shaken = json!({ "requestId": "3", "timestamp": 4.0, "wallTime": 9.0, "request": { "headers": { "Upgrade": "websocket" } } });
        let opened =
            json!({ "requestId": "3", "timestamp": 5.0, "response": { "status": 101, "headers": {} } });
        let binary = json!({ "requestId": "4", "timestamp": 2.0, "dataLength": 7 });
        for (event, params) in [
            ("requestWillBeSent", began("1", "http://a.test/gone")),
            ("loadingFailed", failed),
            ("requestWillBeSent", began("2", "http://b.test/")),
            ("responseReceived", answered),
            ("webSocketCreated", socket),
            ("webSocketWillSendHandshakeRequest", shaken),
            ("webSocketHandshakeResponseReceived", opened),
            ("requestWillBeSent", began("4", "http://a.test/picture")),
            ("dataReceived", binary.clone()),
            ("dataReceived", binary),
            ("requestWillBeSent", began("5", "data:text/plain,no")),
        ] {
            log.hears(&format!("Network.{event}"), &params);
        }
        let told = told(&log, false, &Secrets::default());
        let entries = told["log"]["entries"].as_array().unwrap();
        let seen: Vec<(i64, &str)> = entries
            .iter()
            .map(|entry| (entry["response"]["status"].as_i64().unwrap(), text(entry, "comment")))
            .collect();
        assert_eq!(seen, [(-1, "net::ERR_EMPTY_RESPONSE"), (-1, REFUSED), (101, ""), (-1, "")]);
        assert_eq!(
            (&entries[2]["request"]["url"], &entries[2]["time"]),
            (&json!("ws://a.test/live"), &json!(1000.0))
        );
        assert_eq!(entries[2]["request"]["headers"], json!([{ "name": "Upgrade", "value": "websocket" }]));
        assert_eq!(entries[3]["response"]["content"]["size"], 14);
        // What was sent of a file is not known, and not nothing.
        let sent = |at: usize| entries[at]["request"]["bodySize"].as_i64();
        assert_eq!((sent(0), sent(3)), (Some(-1), Some(4)));
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let mut log = log();
        log.awaited = 2;
        log.takes_body(0, Some("x".repeat(super::super::traffic::BODY + 1)));
        log.takes_body(0, None);
        let said = told(&log, true, &Secrets::default())["log"]["comment"].to_string();
        assert!(said.contains("2 bodies are left out"), "{said}");
    }
}

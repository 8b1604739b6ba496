//! The requests of a document, those in flight and those that it makes again and again, and a context's last ones.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::cdp::text;
use waldo_devices::GuardPolicy;
use waldo_devices::screen_text::clean;

/// What a document asks for again and again, each time when it had its answer: such a request holds up nobody.
#[derive(Debug, Default)]
pub(crate) struct Polls {
    /// By what is asked: how often it was answered since the page was last acted on.
    answered: HashMap<u64, u32>,
    asked: HashMap<String, u64>,
}

impl Polls {
    /// Answers after which the same question is a poll: a page that builds itself asks twice, for it draws twice.
    const ENOUGH: u32 = 4;
    /// Digits in a row that are a time or chance, to keep caches from answering.
    const STAMP: usize = 9;
    const KEPT: usize = 500;

    /// Notes that a request begins; whether it is one that is asked again and again.
    pub(crate) fn begins(&mut self, id: &str, request: &Value) -> bool {
        let mut hasher = DefaultHasher::new();
        for part in ["method", "url", "postData"] {
            let text = request[part].as_str().unwrap_or_default();
            for piece in text.split_inclusive(|c: char| !c.is_ascii_digit()) {
                let digits = piece.trim_end_matches(|c: char| !c.is_ascii_digit()).len();
                (if digits < Self::STAMP { piece } else { &piece[digits..] }).hash(&mut hasher);
            }
        }
        let question = hasher.finish();
        if self.asked.len() < Self::KEPT {
            self.asked.insert(id.to_owned(), question);
        }
        self.answered.get(&question).is_some_and(|times| *times >= Self::ENOUGH)
    }

    pub(crate) fn ends(&mut self, id: &str) {
        if let Some(question) = self.asked.remove(id)
            && (self.answered.len() < Self::KEPT || self.answered.contains_key(&question))
        {
            *self.answered.entry(question).or_default() += 1;
        }
    }

    /// What is asked from now on may be asked by whoever acts.
    pub(crate) fn forget(&mut self) {
        self.answered.clear();
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Request {
    Awaited,
    /// A script's `fetch` that is answered; when its last piece came. The browser calls it finished only when
    /// the script has read the answer, and many never do.
    Answered(Instant),
    /// It outlived a settling and is not waited for again.
    Ignored,
}

impl Request {
    /// How long an answer of which nothing more comes is taken to be still read.
    const READ: Duration = Duration::from_millis(100);

    pub(crate) fn counts_until(self) -> Option<Instant> {
        match self {
            Self::Answered(last) => Some(last + Self::READ),
            Self::Awaited | Self::Ignored => None,
        }
    }

    pub(crate) fn is_awaited(self) -> bool {
        matches!(self, Self::Awaited) || self.counts_until() > Some(Instant::now())
    }
}

/// Requests that are kept, the last ones.
const KEPT: usize = 200;
/// Characters of an address.
const LINE: usize = 500;

/// What is said of a request that the guard answered.
pub(crate) const REFUSED: &str = "refused by the guard";

/// The last requests of a context, in the order in which they began.
#[derive(Debug, Default)]
pub(crate) struct NetworkLog {
    requests: VecDeque<LoggedRequest>,
    left_out: usize,
}

#[derive(Debug)]
struct LoggedRequest {
    id: String,
    method: String,
    url: String,
    /// What asked for it, as the DevTools protocol calls it, such as `Document`.
    kind: String,
    /// The status of the response, or why there is none.
    end: Option<String>,
}

impl NetworkLog {
    /// Takes an event of the protocol's domain `Network`; others are ignored.
    pub(crate) fn hears(&mut self, method: &str, params: &Value) {
        let id = || text(params, "requestId");
        match method {
            "Network.requestWillBeSent" => {
                if let Some(redirect) = params.get("redirectResponse") {
                    self.ends(id(), status(redirect));
                }
                let request = &params["request"];
                let url = text(request, "url");
                if url.starts_with("http:") || url.starts_with("https:") {
                    self.begins(id(), text(request, "method"), url, text(params, "type"));
                }
            }
            "Network.webSocketCreated" => self.begins(id(), "GET", text(params, "url"), "WebSocket"),
            "Network.responseReceived" => self.ends(id(), status(&params["response"])),
            "Network.webSocketHandshakeResponseReceived" => self.ends(id(), status(&params["response"])),
            "Network.loadingFailed" => self.ends(id(), text(params, "errorText").to_owned()),
            _ => {}
        }
    }

    fn begins(&mut self, id: &str, method: &str, url: &str, kind: &str) {
        if self.requests.len() == KEPT {
            self.requests.pop_front();
            self.left_out += 1;
        }
        self.requests.push_back(LoggedRequest {
            id: id.to_owned(),
            method: clean(method, 20),
            url: clean(url, LINE),
            kind: kind.to_owned(),
            end: None,
        });
    }

    fn ends(&mut self, id: &str, end: String) {
        let last = self.requests.iter_mut().rev().find(|request| request.id == id);
        if let Some(request) = last.filter(|request| request.end.is_none()) {
            request.end = Some(end);
        }
    }

    /// A line for each request: method, status or error, address, kind. What the guard refused is called so.
    pub(crate) fn lines(&self, policy: &GuardPolicy) -> Vec<String> {
        let earlier = format!("{} earlier requests are left out", self.left_out);
        let earlier = (self.left_out > 0).then_some(earlier);
        let lines = self.requests.iter().map(|LoggedRequest { method, url, kind, end, .. }| {
            let end = match end {
                _ if is_refused(policy, url) => REFUSED,
                Some(end) => end,
                None => "no response yet",
            };
            format!("{method} {url} ({kind}): {end}")
        });
        earlier.into_iter().chain(lines).collect()
    }
}

/// Whether the guard answers for this address, in place of a server.
pub(crate) fn is_refused(policy: &GuardPolicy, url: &str) -> bool {
    let plain = url.strip_prefix("ws").map_or_else(|| url.to_owned(), |rest| format!("http{rest}"));
    !policy.allows_url(&plain)
}

fn status(response: &Value) -> String {
    response["status"].to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn policy(origin: &str) -> GuardPolicy {
        let origins = vec![waldo_devices::OriginRule::parse(origin).unwrap()];
        GuardPolicy { origins, ..GuardPolicy::default() }
    }

    fn begins(id: usize, url: &str) -> Value {
        json!({ "requestId": id.to_string(), "type": "Fetch", "request": { "method": "GET", "url": url } })
    }

    #[test]
    fn requests_are_kept_within_bounds_with_their_ends() {
        let mut log = NetworkLog::default();
        for n in 0..=KEPT {
            log.hears("Network.requestWillBeSent", &begins(n, &format!("http://a.test/{n}")));
        }
        log.hears("Network.requestWillBeSent", &begins(900, "data:text/plain,no"));
        log.hears("Network.responseReceived", &json!({ "requestId": "5", "response": { "status": 404 } }));
        log.hears("Network.loadingFailed", &json!({ "requestId": "5", "errorText": "net::ERR_ABORTED" }));
        log.hears("Network.loadingFailed", &json!({ "requestId": "6", "errorText": "net::ERR_TUNNEL" }));
        let open = log.lines(&policy("http://a.test"));
        assert_eq!(open.len(), KEPT + 1);
        assert_eq!(open[0], "1 earlier requests are left out");
        assert_eq!(open[5], "GET http://a.test/5 (Fetch): 404");
        assert_eq!(open[6], "GET http://a.test/6 (Fetch): net::ERR_TUNNEL");
        assert_eq!(open[7], "GET http://a.test/7 (Fetch): no response yet");
        let closed = log.lines(&policy("http://b.test"));
        assert_eq!(closed[6], "GET http://a.test/6 (Fetch): refused by the guard");
    }

    #[test]
    fn a_redirect_is_two_requests() {
        let mut log = NetworkLog::default();
        log.hears("Network.requestWillBeSent", &begins(1, "http://a.test/"));
        let mut next = begins(1, "http://a.test/in");
        next["redirectResponse"] = json!({ "status": 302 });
        log.hears("Network.requestWillBeSent", &next);
        log.hears("Network.responseReceived", &json!({ "requestId": "1", "response": { "status": 200 } }));
        let lines = log.lines(&policy("http://a.test"));
        assert_eq!(lines, ["GET http://a.test/ (Fetch): 302", "GET http://a.test/in (Fetch): 200"]);
    }
}

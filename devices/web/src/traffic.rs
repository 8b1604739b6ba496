//! What the pages of an episode sent and got, as far as it is to be recorded.
//!
//! Invariant: it is bounded in exchanges, in bytes, and in what is kept of each body; what is left out is counted.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::cdp::text;

/// The most exchanges that are kept.
const EXCHANGES: usize = 10_000;
/// The most bytes of one body that are kept; a longer one is left out.
pub(crate) const BODY: usize = 1 << 20;
/// The most bytes of all bodies that are kept.
const BODIES: usize = 64 << 20;
/// The kinds of content whose bodies are kept: those that a judge can read.
const READ: [&str; 5] = ["text/html", "text/plain", "json", "xml", "x-www-form-urlencoded"];

/// One request and what came of it. A redirect is an exchange of its own.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    /// Seconds since 1970.
    pub(super) began: f64,
    /// Seconds of the browser's own clock.
    sent: f64,
    pub(super) ended: Option<f64>,
    pub(super) kind: String,
    /// As the protocol describes them (`Network.Request`, `Network.Response`).
    pub(super) request: Value,
    pub(super) response: Value,
    pub(super) error: Option<String>,
    /// Bytes of the body that was sent; -1 where the browser does not tell.
    pub(super) posted: i64,
    /// Bytes that came of the body, as packed as it was; none of a cached one.
    pub(super) received: u64,
    /// Bytes of the body, unpacked.
    pub(super) size: u64,
    pub(super) body: Option<String>,
    /// The headers as they went over the wire, cookies included.
    pub(super) headers_sent: Map<String, Value>,
    pub(super) headers_got: Map<String, Value>,
}

impl Exchange {
    /// In milliseconds; 0 where it has not ended.
    pub(super) fn took(&self) -> f64 {
        self.ended.map_or(0.0, |ended| (ended - self.sent).max(0.0) * 1000.0)
    }
}

#[derive(Debug, Default)]
pub(crate) struct TrafficLog {
    pub(super) exchanges: Vec<Exchange>,
    /// The places of a request's exchanges, one for each hop.
    hops: HashMap<String, Vec<usize>>,
    /// Headers of the wire that came before or after what they belong to, in the order of the hops.
    sent: HashMap<String, usize>,
    got: HashMap<String, usize>,
    early: HashMap<String, Vec<Map<String, Value>>>,
    bytes: usize,
    pub(super) left_out: usize,
    pub(super) bodies_left_out: usize,
    /// Bodies that were asked for and have not come.
    pub(crate) awaited: usize,
}

impl TrafficLog {
    /// Takes an event of the protocol's domain `Network`; the place of an exchange whose body is worth asking for.
    pub(crate) fn hears(&mut self, method: &str, params: &Value) -> Option<usize> {
        let id = text(params, "requestId");
        let at = params["timestamp"].as_f64().unwrap_or_default();
        match method {
            "Network.requestWillBeSent" => {
                if let Some(redirect) = params.get("redirectResponse")
                    && let Some(last) = self.last(id)
                {
                    last.response = redirect.clone();
                    last.ended = Some(at);
                }
                self.begins(id, at, params);
            }
            "Network.requestWillBeSentExtraInfo" => {
                let headers = map(&params["headers"]);
                let hop = next(&mut self.sent, id);
                match self.hops.get(id).and_then(|hops| hops.get(hop)) {
                    Some(place) => self.exchanges[*place].headers_sent = headers,
                    None if self.early.len() < EXCHANGES => {
                        self.early.entry(id.to_owned()).or_default().push(headers);
                    }
                    None => {}
                }
            }
            "Network.responseReceivedExtraInfo" => {
                let hop = next(&mut self.got, id);
                if let Some(place) = self.hops.get(id).and_then(|hops| hops.get(hop)) {
                    self.exchanges[*place].headers_got = map(&params["headers"]);
                }
            }
            "Network.responseReceived" | "Network.webSocketHandshakeResponseReceived" => {
                if let Some(last) = self.last(id) {
                    last.response = params["response"].clone();
                    last.ended = Some(at);
                }
            }
            "Network.dataReceived" => {
                if let Some(last) = self.last(id) {
                    last.size += params["dataLength"].as_u64().unwrap_or_default();
                }
            }
            "Network.webSocketCreated" => {
                let request = json!({ "method": "GET", "url": params["url"] });
                self.begins(id, at, &json!({ "type": "WebSocket", "request": request }));
            }
            "Network.webSocketWillSendHandshakeRequest" => {
                if let Some(last) = self.last(id) {
                    last.began = params["wallTime"].as_f64().unwrap_or_default();
                    last.sent = at;
                    last.headers_sent = map(&params["request"]["headers"]);
                }
            }
            "Network.loadingFinished" => {
                let last = self.last(id)?;
                last.ended = Some(at);
                let came = |told: &Value| told["encodedDataLength"].as_f64().unwrap_or_default();
                last.received = (came(params) - came(&last.response)).max(0.0) as u64;
                let kind = text(&last.response, "mimeType");
                let readable = READ.iter().any(|read| kind.contains(read));
                let place = *self.hops.get(id)?.last()?;
                self.awaited += usize::from(readable);
                return readable.then_some(place);
            }
            "Network.loadingFailed" | "Network.webSocketFrameError" => {
                let why = params.get("errorText").or_else(|| params.get("errorMessage"));
                if let Some(last) = self.last(id) {
                    last.ended = Some(at);
                    last.error = why.and_then(Value::as_str).map(str::to_owned);
                }
            }
            _ => {}
        }
        None
    }

    /// Takes the body that was asked for; `None` where the browser had it no more.
    pub(crate) fn takes_body(&mut self, place: usize, body: Option<String>) {
        self.awaited -= 1;
        match body {
            Some(body) if body.len() <= BODY && self.bytes + body.len() <= BODIES => {
                self.bytes += body.len();
                self.exchanges[place].body = Some(body);
            }
            _ => self.bodies_left_out += 1,
        }
    }

    fn begins(&mut self, id: &str, at: f64, params: &Value) {
        let mut request = params["request"].clone();
        let url = text(&request, "url");
        if !["http:", "https:", "ws:", "wss:"].iter().any(|scheme| url.starts_with(scheme)) {
            return;
        }
        if self.exchanges.len() >= EXCHANGES {
            self.left_out += 1;
            return;
        }
        let posted = text(&request, "postData").len();
        if posted > BODY || self.bytes + posted > BODIES {
            request["postData"] = Value::Null;
            self.bodies_left_out += 1;
        } else {
            self.bytes += posted;
        }
        let bytes = posted_bytes(&request);
        // The same once more, and not within the bounds.
        request["postDataEntries"] = Value::Null;
        let hops = self.hops.entry(id.to_owned()).or_default();
        let early = self.early.get_mut(id).filter(|early| !early.is_empty());
        self.exchanges.push(Exchange {
            began: params["wallTime"].as_f64().unwrap_or_default(),
            sent: at,
            kind: text(params, "type").to_owned(),
            request,
            posted: bytes,
            headers_sent: early.map(|early| early.remove(0)).unwrap_or_default(),
            ..Exchange::default()
        });
        hops.push(self.exchanges.len() - 1);
    }

    fn last(&mut self, id: &str) -> Option<&mut Exchange> {
        let place = *self.hops.get(id)?.last()?;
        self.exchanges.get_mut(place)
    }
}

fn posted_bytes(request: &Value) -> i64 {
    let parts = request["postDataEntries"].as_array().map_or(&[][..], Vec::as_slice);
    let bytes = |part: &Value| Some(part["bytes"].as_str()?.trim_end_matches('=').len() as i64 * 3 / 4);
    match parts.iter().map(bytes).sum::<Option<i64>>() {
        // What comes from a file is told of without its bytes.
        None => -1,
        Some(0) if request["hasPostData"] == true => -1,
        Some(bytes) => bytes,
    }
}

/// The number of the next event of this request, from 0.
fn next(counts: &mut HashMap<String, usize>, id: &str) -> usize {
    let count = counts.entry(id.to_owned()).or_default();
    *count += 1;
    *count - 1
}

fn map(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

//! An HTTP server for pages and models, which keeps what it is asked.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::{Value, json};

pub enum Answer {
    /// Sends these bytes, head and body, and ends the connection.
    Bytes(Vec<u8>),
    /// Says nothing until the other side has gone.
    Silence,
}

impl Answer {
    /// An answer with this status line, such as `200 OK`.
    pub fn new(status: &str, kind: &str, body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let mut bytes = format!(
            "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        )
        .into_bytes();
        bytes.extend_from_slice(body);
        Self::Bytes(bytes)
    }

    pub fn page(html: &str) -> Self {
        Self::new("200 OK", "text/html; charset=utf-8", html)
    }

    pub fn ok() -> Self {
        Self::new("200 OK", "text/plain", "ok")
    }

    pub fn json(body: &Value) -> Self {
        Self::new("200 OK", "application/json", body.to_string())
    }

    /// A reply in AppAgent's form that asks for this action.
    pub fn acts(action: &str) -> Self {
        Self::chat(&format!("Observation: o\nThought: t\nAction: {action}\nSummary: s"))
    }

    pub fn chat(text: &str) -> Self {
        Self::counted(text, Value::Null)
    }

    /// What a model says, and the usage that it tells.
    pub fn counted(text: &str, usage: Value) -> Self {
        let message = json!({ "role": "assistant", "content": text });
        Self::json(&json!({ "choices": [{ "index": 0, "message": message }], "usage": usage }))
    }
}

#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub body: String,
    pub cookies: String,
    /// What the field of this name says, or that which carries a key on another wire; empty without.
    pub authorization: String,
    pub at: Instant,
}

/// An HTTP server on loopback that keeps every request. Its threads end with the test process.
pub struct Server {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Answers by `answer`, which gets the number of the request, from 0, and the request. The question that only
    /// tests whether a model can be asked is answered well, and neither kept nor counted.
    pub fn start(answer: impl Fn(usize, &Request) -> Answer + Send + Sync + 'static) -> Self {
        Self::open(answer, Preflight::Answered)
    }

    /// The same, with that question kept, counted and answered like all others.
    pub fn start_bare(answer: impl Fn(usize, &Request) -> Answer + Send + Sync + 'static) -> Self {
        Self::open(answer, Preflight::LikeAllOthers)
    }

    fn open(
        answer: impl Fn(usize, &Request) -> Answer + Send + Sync + 'static,
        preflight: Preflight,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (kept, answer) = (requests.clone(), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, answer) = (kept.clone(), answer.clone());
                std::thread::spawn(move || serve(stream, &kept, &*answer, preflight));
            }
        });
        Self { address, requests }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

/// A model that answers from a list, and says the last again.
pub fn scripted(replies: Vec<&'static str>) -> Server {
    Server::start(move |n, _| Answer::chat(replies[n.min(replies.len() - 1)]))
}

pub fn wire_of(path: &str) -> waldo_agents::model::Wire {
    use waldo_agents::model::Wire;
    match path {
        _ if path.ends_with("/messages") => Wire::Anthropic,
        _ if path.ends_with("/responses") => Wire::Responses,
        _ if path.contains(":generateContent") => Wire::Gemini,
        _ => Wire::Chat,
    }
}

/// What becomes of the question that only tests whether a model can be asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Preflight {
    Answered,
    LikeAllOthers,
}

fn serve(
    mut stream: TcpStream,
    kept: &Mutex<Vec<Request>>,
    answer: &dyn Fn(usize, &Request) -> Answer,
    preflight: Preflight,
) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    if reader.read_line(&mut line).unwrap_or(0) == 0 {
        return;
    }
    let mut words = line.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (mut length, mut authorization, mut cookies) = (0, String::new(), String::new());
    loop {
        let mut field = String::new();
        if reader.read_line(&mut field).unwrap_or(0) == 0 {
            return;
        }
        let whole = field.trim().to_owned();
        let field = whole.to_ascii_lowercase();
        for name in ["authorization:", "x-api-key:", "x-goog-api-key:"] {
            if field.starts_with(name) {
                authorization = whole[name.len()..].trim().to_owned();
            }
        }
        if field.is_empty() {
            break;
        }
        if field.starts_with("cookie:") {
            cookies = whole["cookie:".len()..].trim().to_owned();
        }
        if let Some(n) = field.strip_prefix("content-length:") {
            length = n.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let body = String::from_utf8_lossy(&body).into_owned();
    if preflight == Preflight::Answered && body.contains("This only tests the connection.") {
        let body = waldo_agents::model::wire::response(wire_of(&path), "m", "ok", &Default::default());
        if let Answer::Bytes(bytes) = Answer::json(&body) {
            let _ = stream.write_all(&bytes);
        }
        return;
    }
    let request = Request { method, path, body, cookies, authorization, at: Instant::now() };
    let number = {
        let mut kept = kept.lock().unwrap();
        kept.push(request.clone());
        kept.len() - 1
    };
    match answer(number, &request) {
        Answer::Bytes(bytes) => {
            let _ = stream.write_all(&bytes);
        }
        Answer::Silence => while reader.read(&mut [0; 64]).is_ok_and(|n| n > 0) {},
    }
}

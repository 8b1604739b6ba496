//! A server of raw HTTP that answers each connection with the next of its scripted answers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What happens to one connection; the last answer of a script repeats.
#[derive(Clone)]
pub enum Answer {
    /// These bytes, then the end.
    Raw(Vec<u8>),
    /// Nothing, until the client gives up.
    Hang,
    Close,
    Endless,
    /// A body of so many bytes, announced by none.
    Bulk(usize),
    /// A head, then these pieces with a pause before each.
    Drip {
        kind: &'static str,
        pieces: Vec<String>,
        pause: Duration,
    },
}

impl Answer {
    pub fn json(status: u16, body: &str) -> Self {
        Self::with_headers(status, "", body)
    }

    pub fn with_headers(status: u16, headers: &str, body: &str) -> Self {
        let length = body.len();
        Self::Raw(
            format!(
                "HTTP/1.1 {status} Whatever\r\nContent-Type: application/json\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            )
            .into_bytes(),
        )
    }

    pub fn text(text: &str) -> Self {
        let usage = crate::model::Usage {
            prompt: Some(100),
            cached: Some(40),
            completion: Some(7),
            ..crate::model::Usage::default()
        };
        Self::json(200, &crate::model::wire::chat_response("m", text, &usage).to_string())
    }
}

#[derive(Clone, Debug)]
pub struct Seen {
    pub head: String,
    pub body: Value,
}

pub struct Server {
    pub base_url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    pub async fn start(script: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&seen);
        tokio::spawn(async move {
            for turn in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                let answer = script[turn.min(script.len() - 1)].clone();
                tokio::spawn(serve(stream, answer, Arc::clone(&record)));
            }
        });
        Self { base_url, seen }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, answer: Answer, record: Arc<Mutex<Vec<Seen>>>) {
    let request = read_request(&mut stream).await;
    record.lock().unwrap().push(request);
    // The client may hang up at any time: that is what some tests are about.
    match answer {
        Answer::Raw(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Answer::Hang => {
            let _ = stream.read(&mut [0; 16]).await;
        }
        Answer::Close => {}
        Answer::Endless => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n").await;
            while stream.write_all(&[b' '; 1 << 16]).await.is_ok() {}
        }
        Answer::Bulk(bytes) => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n").await;
            for _ in 0..bytes >> 16 {
                if stream.write_all(&[b' '; 1 << 16]).await.is_err() {
                    return;
                }
            }
        }
        Answer::Drip { kind, pieces, pause } => {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n");
            let _ = stream.write_all(head.as_bytes()).await;
            for piece in pieces {
                tokio::time::sleep(pause).await;
                if stream.write_all(piece.as_bytes()).await.is_err() {
                    return;
                }
            }
            let _ = stream.shutdown().await;
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> Seen {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "the request has no end");
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let length: usize = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.trim().parse().ok())
        .unwrap();
    while bytes.len() < end + length {
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "the body has no end");
    }
    Seen { head, body: serde_json::from_slice(&bytes[end..]).unwrap() }
}

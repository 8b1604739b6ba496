//! A tiny HTTP listener with pages of its own.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A site; its thread ends with the test process.
pub struct Site {
    pub address: SocketAddr,
    pages: Arc<Mutex<HashMap<String, String>>>,
    connections: Arc<AtomicUsize>,
}

impl Site {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let pages: Arc<Mutex<HashMap<String, String>>> = Arc::default();
        let connections = Arc::new(AtomicUsize::new(0));
        let (served, counted) = (pages.clone(), connections.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::SeqCst);
                let pages = served.clone();
                std::thread::spawn(move || answer(stream, &pages));
            }
        });
        Self { address, pages, connections }
    }

    /// Puts a page at `path` and gives its address.
    pub fn page(&self, path: &str, html: impl Into<String>) -> String {
        self.pages.lock().unwrap().insert(path.to_owned(), html.into());
        self.url(path)
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

fn answer(mut stream: TcpStream, pages: &Mutex<HashMap<String, String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let path = line.split(' ').nth(1).unwrap_or("/").to_owned();
        let (mut length, mut close) = (0, false);
        loop {
            let mut field = String::new();
            if reader.read_line(&mut field).unwrap_or(0) == 0 {
                return;
            }
            let field = field.trim().to_ascii_lowercase();
            if field.is_empty() {
                break;
            }
            if let Some(n) = field.strip_prefix("content-length:") {
                length = n.trim().parse().unwrap_or(0);
            }
            close |= field == "connection: close";
        }
        let mut body = vec![0; length];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let plain = path.split('?').next().unwrap_or("/");
        if let Some(ms) = plain.strip_prefix("/slow/") {
            std::thread::sleep(Duration::from_millis(ms.parse().unwrap_or(0)));
        }
        match plain {
            // Accepts the request and never answers it.
            "/hang" => {
                hold(&mut reader);
                return;
            }
            // Begins a page and never ends it.
            "/drip" => {
                let begun = "<title>Begun</title><button>First</button>";
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n";
                // Browsers show a page once there is enough of it.
                let _ = stream.write_all(format!("{head}{begun}<!--{}-->", "x".repeat(4096)).as_bytes());
                hold(&mut reader);
                return;
            }
            _ => {}
        }
        let page = pages.lock().unwrap().get(plain).cloned();
        let (status, extra) = match plain {
            "/redirect" => {
                ("302 Found", format!("Location: {}\r\n", path.split_once('?').map_or("/", |p| p.1)))
            }
            "/loop" => ("302 Found", "Location: /loop\r\n".to_owned()),
            "/file" => ("200 OK", "Content-Disposition: attachment; filename=\"report.txt\"\r\n".to_owned()),
            "/evil" => ("200 OK", "Content-Disposition: attachment; filename=\"../../x.txt\"\r\n".to_owned()),
            "/echo" => ("200 OK", String::new()),
            "/fresh" => ("200 OK", "Cache-Control: no-store\r\n".to_owned()),
            _ if plain.starts_with("/slow/") || page.is_some() => ("200 OK", String::new()),
            _ => ("404 Not Found", String::new()),
        };
        let kind = if plain.ends_with(".js") { "text/javascript" } else { "text/html; charset=utf-8" };
        let text = match plain {
            "/echo" => String::from_utf8_lossy(&body).into_owned(),
            "/file" | "/evil" | "/fresh" => "the report".to_owned(),
            _ => page.unwrap_or_default(),
        };
        let (length, kept) = (text.len(), if close { "close" } else { "keep-alive" });
        let head = format!("Content-Type: {kind}\r\n{extra}Content-Length: {length}\r\nConnection: {kept}");
        let head = format!("HTTP/1.1 {status}\r\n{head}\r\n\r\n");
        if stream.write_all(head.as_bytes()).is_err() || stream.write_all(text.as_bytes()).is_err() || close {
            return;
        }
    }
}

/// Keeps a connection open until the other side has had enough.
fn hold(reader: &mut BufReader<TcpStream>) {
    let mut byte = [0];
    while reader.read(&mut byte).is_ok_and(|n| n > 0) {}
}

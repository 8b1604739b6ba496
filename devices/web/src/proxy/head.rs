//! Heads of HTTP messages, as far as the proxy must read them.

use memchr::memmem;
use url::Url;

pub(crate) struct Head {
    method: String,
    target: String,
    version: String,
    fields: Vec<(String, String)>,
}

#[derive(Debug, PartialEq)]
pub(super) enum RequestTarget {
    Tunnel { host: String, port: u16 },
    Plain(Url),
}

#[derive(Debug, PartialEq)]
pub(super) enum Body {
    None,
    Length(u64),
    Chunked,
}

/// Fields that speak of one connection only.
const HOP: [&str; 6] =
    ["connection", "proxy-connection", "keep-alive", "host", "upgrade", "proxy-authorization"];

/// Where the head ends, the empty line included.
pub(super) fn end_of_head(bytes: &[u8]) -> Option<usize> {
    memmem::find(bytes, b"\r\n\r\n").map(|at| at + 4)
}

/// Whether an answer's head is one of those before the real one.
pub(super) fn is_interim(head: &[u8]) -> bool {
    head.get(9) == Some(&b'1') && head.starts_with(b"HTTP/1.") && head.get(9..12) != Some(b"101")
}

/// An answer's head that ends its connection.
pub(super) fn closing(head: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(head.len() + 24);
    for line in head.split_inclusive(|byte| *byte == b'\n') {
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        let hop = name.eq_ignore_ascii_case(b"connection") || name.eq_ignore_ascii_case(b"keep-alive");
        if !hop && line != b"\r\n" {
            out.extend_from_slice(line);
        }
    }
    out.extend_from_slice(b"Connection: close\r\n\r\n");
    out
}

impl Head {
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let mut lines = text.strip_suffix("\r\n\r\n")?.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if words.next().is_some() || !version.starts_with("HTTP/1.") || method.is_empty() {
            return None;
        }
        let fields = lines
            .map(|line| {
                let (name, value) = line.split_once(':')?;
                let odd = name.is_empty() || name.contains(char::is_whitespace);
                (!odd).then(|| (name.to_owned(), value.trim().to_owned()))
            })
            .collect::<Option<Vec<_>>>()?;
        Some(Self {
            method: method.to_owned(),
            target: target.to_owned(),
            version: version.to_owned(),
            fields,
        })
    }

    /// Method and target, as they stand there.
    pub(crate) fn asked(&self) -> (&str, &str) {
        (&self.method, &self.target)
    }

    /// The value of a field that stands there once.
    pub(crate) fn only(&self, name: &str) -> Option<&str> {
        let mut all = self.field(name);
        all.next().filter(|_| all.next().is_none())
    }

    fn field(&self, name: &str) -> impl Iterator<Item = &str> {
        self.fields.iter().filter(move |(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// What is asked for; `None` when it cannot be read.
    pub(super) fn target(&self) -> Option<RequestTarget> {
        if self.method == "CONNECT" {
            let (host, port) = self.target.rsplit_once(':')?;
            let plain = !host.is_empty() && !host.contains(['/', '@', '?', '#', '\\']);
            return plain
                .then_some(())
                .and_then(|()| port.parse().ok())
                .map(|port| RequestTarget::Tunnel { host: host.to_owned(), port });
        }
        let url = Url::parse(&self.target).ok()?;
        (url.scheme() == "http" && url.has_host()).then_some(RequestTarget::Plain(url))
    }

    /// The body's length; `None` when it is ambiguous.
    pub(super) fn body(&self) -> Option<Body> {
        let mut lengths = self.field("content-length");
        let chunked = self.field("transfer-encoding").next().is_some();
        match (lengths.next(), lengths.next(), chunked) {
            (None, None, false) => Some(Body::None),
            (None, None, true) => Some(Body::Chunked),
            (Some(length), None, false) => length.parse().ok().map(Body::Length),
            _ => None,
        }
    }

    /// The request as the server wants it: own path, own host, one request only.
    pub(super) fn outgoing(&self, url: &Url) -> Vec<u8> {
        let mut path = url.path().to_owned();
        if let Some(query) = url.query() {
            path = format!("{path}?{query}");
        }
        let host = match url.port() {
            Some(port) => format!("{}:{port}", url.host_str().unwrap_or_default()),
            None => url.host_str().unwrap_or_default().to_owned(),
        };
        let mut out = format!("{} {path} {}\r\nHost: {host}\r\n", self.method, self.version);
        for (name, value) in &self.fields {
            if !HOP.iter().any(|hop| name.eq_ignore_ascii_case(hop)) {
                out.push_str(&format!("{name}: {value}\r\n"));
            }
        }
        out.push_str("Connection: close\r\n\r\n");
        out.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Option<Head> {
        Head::parse(text.as_bytes())
    }

    #[test]
    fn a_request_keeps_its_path_and_a_tunnel_names_its_host() {
        let h = head("GET http://a.test:81/x?y#z HTTP/1.1\r\nHost: evil.test\r\nProxy-Connection: keep-alive\r\nA: b\r\n\r\n")
            .unwrap();
        let Some(RequestTarget::Plain(url)) = h.target() else { panic!() };
        let out = String::from_utf8(h.outgoing(&url)).unwrap();
        assert_eq!(out, "GET /x?y HTTP/1.1\r\nHost: a.test:81\r\nA: b\r\nConnection: close\r\n\r\n");
        let h = head("CONNECT [::1]:443 HTTP/1.1\r\n\r\n").unwrap();
        assert_eq!(h.target(), Some(RequestTarget::Tunnel { host: "[::1]".to_owned(), port: 443 }));
        for bad in
            ["CONNECT a HTTP/1.1\r\n\r\n", "CONNECT a@b:1 HTTP/1.1\r\n\r\n", "CONNECT :1 HTTP/1.1\r\n\r\n"]
        {
            assert_eq!(head(bad).unwrap().target(), None, "{bad}");
        }
    }

    #[test]
    fn what_is_no_request_or_of_an_ambiguous_length_is_refused() {
        assert!(head("GET /\r\n\r\n").is_none());
        assert!(head("GET / HTTP/1.1\r\nbroken\r\n\r\n").is_none());
        assert!(head("GET / HTTP/1.1\r\nA : b\r\n\r\n").is_none());
        for target in ["/x", "ftp://a/", "https://a/", "file:///etc/passwd"] {
            assert_eq!(head(&format!("GET {target} HTTP/1.1\r\n\r\n")).unwrap().target(), None);
        }
        let body = |fields: &str| head(&format!("POST http://a/ HTTP/1.1\r\n{fields}\r\n")).unwrap().body();
        assert_eq!(body("Content-Length: 3\r\n"), Some(Body::Length(3)));
        assert_eq!(body(""), Some(Body::None));
        assert_eq!(body("Content-Length: 3\r\nContent-Length: 4\r\n"), None);
        assert_eq!(body("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"), None);
        assert_eq!(body("Content-Length: x\r\n"), None);
    }

    #[test]
    fn an_answer_says_that_it_is_the_last() {
        let out = closing(b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: x\r\nA: b\r\n\r\n");
        assert_eq!(out, b"HTTP/1.1 200 OK\r\nA: b\r\nConnection: close\r\n\r\n");
        assert!(is_interim(b"HTTP/1.1 103 Early Hints\r\n\r\n"));
        assert!(!is_interim(b"HTTP/1.1 200 OK\r\n\r\n"));
    }
}

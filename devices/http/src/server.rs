use std::fmt;
use std::str::FromStr;

use reqwest::multipart::{Form, Part};
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::Value;
use url::{Host, Url};

use waldo_devices::{Deadline, DeviceError, Result};

/// The most bytes of a server's own words that are read.
const SAID_MAX: usize = 2_000;

/// Where a server is: `http://HOST:PORT` or `https://HOST`, and a path below which it answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(Url);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is not the address of a server: write http://HOST:PORT or https://HOST, with nothing behind the path"
)]
pub struct BadAddress(String);

impl FromStr for Address {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        let url = Url::parse(text).map_err(|_| BadAddress(text.to_owned()))?;
        let plain = matches!(url.scheme(), "http" | "https")
            && url.host().is_some()
            && url.query().is_none()
            && url.fragment().is_none()
            // Names and passwords would stand in every manifest.
            && url.username().is_empty()
            && url.password().is_none();
        if plain { Ok(Self(url)) } else { Err(BadAddress("(…)".to_owned())) }
    }
}

impl Address {
    pub fn is_loopback(&self) -> bool {
        match self.0.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            None => false,
        }
    }

    fn is_in_the_clear(&self) -> bool {
        self.0.scheme() == "http" && !self.is_loopback()
    }

    /// Another port of the same machine, spoken to in plain HTTP; nothing where the address cannot have one.
    pub fn on_port(&self, port: u16) -> Option<Self> {
        let mut url = self.0.clone();
        url.set_scheme("http").ok()?;
        url.set_port(Some(port)).ok()?;
        url.set_path("/");
        Some(Self(url))
    }

    /// The same as an address, for whoever makes the client.
    pub fn url(&self) -> &Url {
        &self.0
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlainHttp {
    #[default]
    Refused,
    /// Somebody asked for it: `--insecure`.
    Accepted,
}

/// What an answer that is not a success means to the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusFault {
    pub code: u16,
    pub said: String,
}

#[derive(Clone, Copy, Debug)]
pub struct FormFile<'a> {
    pub field: &'a str,
    pub name: &'a str,
    pub content: &'a [u8],
}

#[derive(Clone, Debug)]
pub struct RemoteServer {
    client: Client,
    address: Address,
}

impl RemoteServer {
    /// Speaks to `address` by `client`, which follows no redirect.
    ///
    /// # Errors
    /// [`DeviceError::Start`] where that is plain HTTP to another machine and nobody asked for it.
    pub fn new(client: Client, address: Address, clear: PlainHttp) -> Result<Self> {
        if address.is_in_the_clear() && clear == PlainHttp::Refused {
            return Err(DeviceError::start(
                format!("the device at {address}"),
                "it is on another machine, and plain HTTP shows everybody on the way what is seen and typed",
                "use https://, or a tunnel (ssh -L) to this machine; --insecure connects without encryption",
            ));
        }
        Ok(Self { client, address })
    }

    pub fn address(&self) -> &Address {
        &self.address
    }

    fn at(&self, path: &str) -> String {
        format!("{}/{path}", self.address)
    }

    pub async fn get(
        &self,
        path: &str,
        most: usize,
        deadline: Deadline,
    ) -> Result<Result<Vec<u8>, StatusFault>> {
        self.send(self.client.get(self.at(path)), path, most, deadline).await
    }

    pub async fn post(
        &self,
        path: &str,
        body: &Value,
        most: usize,
        deadline: Deadline,
    ) -> Result<Result<Vec<u8>, StatusFault>> {
        self.send(self.client.post(self.at(path)).json(body), path, most, deadline).await
    }

    pub async fn post_form(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        most: usize,
        deadline: Deadline,
    ) -> Result<Result<Vec<u8>, StatusFault>> {
        let encoded: String =
            url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = self.client.post(self.at(path)).body(encoded);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        self.send(request, path, most, deadline).await
    }

    /// Posts fields and one file to `path`, as a browser sends a form with a file.
    pub async fn post_file(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        file: FormFile<'_>,
        most: usize,
        deadline: Deadline,
    ) -> Result<Result<Vec<u8>, StatusFault>> {
        let part = Part::bytes(file.content.to_vec()).file_name(file.name.to_owned());
        let part = part.mime_str("application/octet-stream").map_err(|error| self.failed(path, &error))?;
        let form = fields
            .iter()
            .fold(Form::new(), |form, (name, value)| form.text((*name).to_owned(), (*value).to_owned()));
        let request = self.client.post(self.at(path)).multipart(form.part(file.field.to_owned(), part));
        self.send(request, path, most, deadline).await
    }

    async fn send(
        &self,
        request: RequestBuilder,
        path: &str,
        most: usize,
        deadline: Deadline,
    ) -> Result<Result<Vec<u8>, StatusFault>> {
        let asked = deadline.left();
        let late = || DeviceError::Timeout { what: format!("{path} of {}", self.address), after: asked };
        let failed = |error: reqwest::Error| self.failed(path, &error);
        let answer = async {
            let mut answer = request.send().await.map_err(failed)?;
            let status = answer.status();
            let most = if status == StatusCode::OK { most } else { SAID_MAX };
            let mut bytes = Vec::new();
            // Piece by piece: a length in the head binds nobody.
            while let Some(piece) = answer.chunk().await.map_err(failed)? {
                let room = most - bytes.len();
                if piece.len() > room {
                    if status != StatusCode::OK {
                        bytes.extend_from_slice(&piece[..room]);
                        break;
                    }
                    let message = format!("the answer has more than {most} bytes");
                    return Err(DeviceError::Call { call: path.to_owned(), message });
                }
                bytes.extend_from_slice(&piece);
            }
            Ok(if status == StatusCode::OK {
                Ok(bytes)
            } else {
                Err(StatusFault { code: status.as_u16(), said: error_text(&bytes) })
            })
        };
        match tokio::time::timeout_at(deadline.instant(), answer).await {
            Ok(answer) => answer,
            Err(_) => Err(late()),
        }
    }

    fn failed(&self, path: &str, error: &reqwest::Error) -> DeviceError {
        if error.is_connect() {
            return DeviceError::Absent {
                what: format!("nothing answers at {}", self.address),
                hint: "check that its server runs, and that the address is right".to_owned(),
            };
        }
        // Of the error itself: its address may hold more than the caller's own words.
        let mut cause: &dyn std::error::Error = error;
        while let Some(deeper) = cause.source() {
            cause = deeper;
        }
        DeviceError::Call { call: path.to_owned(), message: format!("the server broke off: {cause}") }
    }
}

fn error_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = match serde_json::from_slice::<Value>(bytes) {
        Ok(json) => {
            let own = ["error", "message"].iter().find_map(|key| json[key].as_str());
            own.map_or_else(|| text.to_string(), str::to_owned)
        }
        Err(_) => text.into_owned(),
    };
    waldo_devices::secrets::brief(&text, SAID_MAX)
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::time::Duration;

    use super::*;

    fn client() -> Client {
        // Another test may have been first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .tls_certs_only([])
            .build()
            .unwrap()
    }

    /// A server that answers each connection with these bytes, over and over where `forever`.
    fn answering(head: &'static str, body: &'static [u8], forever: bool) -> RemoteServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(head.as_bytes());
                while stream.write_all(body).is_ok() && forever {}
            }
        });
        RemoteServer::new(client(), address.parse().unwrap(), PlainHttp::Refused).unwrap()
    }

    fn soon() -> Deadline {
        Deadline::after(Duration::from_secs(20))
    }

    #[tokio::test]
    async fn no_more_of_an_answer_is_read_than_it_may_have() {
        let endless = answering("HTTP/1.1 200 OK\r\n\r\n", &[b'x'; 65_536], true);
        let said = endless.get("screenshot", 1 << 20, soon()).await.unwrap_err().to_string();
        assert!(said.contains("more than 1048576 bytes"), "{said}");
        let lying =
            answering("HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n", &[b'x'; 65_536], true);
        assert!(lying.get("screenshot", 1 << 20, soon()).await.is_err());
        let angry = answering("HTTP/1.1 500 No\r\n\r\n", &[b'x'; 65_536], true);
        let status = angry.get("screenshot", 1 << 20, soon()).await.unwrap().unwrap_err();
        assert!(status.code == 500 && status.said.chars().count() <= SAID_MAX, "{status:?}");
    }

    #[tokio::test]
    async fn a_server_that_says_nothing_is_late_and_one_that_is_not_there_absent() {
        let silent = answering("", b"", false);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let silent = RemoteServer { address: address.parse().unwrap(), ..silent };
        let soon = Deadline::after(Duration::from_millis(200));
        assert!(matches!(silent.get("a", 10, soon).await, Err(DeviceError::Timeout { .. })));
        drop(listener);
        let gone = silent.get("a", 10, Deadline::after(Duration::from_secs(20))).await.unwrap_err();
        assert!(matches!(gone, DeviceError::Absent { .. }), "{gone}");
    }

    #[tokio::test]
    async fn no_redirect_is_followed_and_errors_are_told_in_the_servers_words() {
        let head = "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
        let away = answering(head, b"", false);
        assert_eq!(away.get("a", 10, soon()).await.unwrap().unwrap_err().code, 302);
        let body = br#"{"error": "no such task\u001b[31m"}"#;
        let refusing = answering("HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n", body, false);
        let status = refusing.get("a", 10, soon()).await.unwrap().unwrap_err();
        assert!(status.code == 404 && status.said.starts_with("no such task"), "{status:?}");
        assert!(!status.said.contains('\u{1b}'), "{status:?}");
    }

    #[test]
    fn plain_http_to_another_machine_is_refused_unless_asked_for() {
        let at = |text: &str, clear| RemoteServer::new(client(), text.parse().unwrap(), clear);
        let said = at("http://10.1.2.3:5000", PlainHttp::Refused).unwrap_err().to_string();
        assert!(said.contains("plain HTTP"), "{said}");
        assert!(at("http://10.1.2.3:5000", PlainHttp::Accepted).is_ok());
        for fine in ["http://127.0.0.1:5000", "http://[::1]:5000", "http://localhost:5000"] {
            assert!(at(fine, PlainHttp::Refused).is_ok(), "{fine}");
        }
        // What resolves to this machine today may be another tomorrow, and 0.0.0.0 is no name of it everywhere.
        for bad in ["http://0.0.0.0:1", "http://localhost.example.org"] {
            assert!(at(bad, PlainHttp::Refused).is_err(), "{bad}");
        }
        for none in ["", "10.1.2.3:5000", "ftp://a", "http://user:word@a", "http://a/?k=v", "http://a/#b"] {
            let said = none.parse::<Address>().unwrap_err().to_string();
            assert!(!said.contains("word"), "{said}");
        }
        assert_eq!("http://a:1/b/".parse::<Address>().unwrap().to_string(), "http://a:1/b");
    }
}

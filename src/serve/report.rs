//! A report and what lies beside it, on loopback.
//!
//! Invariant: only files of the kinds that a report has are served, from below the run's and the report's folder, through
//! no link; and only to who has the address that was printed, whose first part is a token: neither other users of the machine nor
//! pages of other sites read them.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, Response, StatusCode, header};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use waldo_devices::foreign;
use waldo_devices::peer::{PeerCheck, PeerRule};
use waldo_tasks::TaskError;

use super::http::{self, answer, text};
use super::token::{is_token, token};

#[derive(Debug)]
pub struct ReportServer {
    address: SocketAddr,
    token: String,
    stop: CancellationToken,
}

#[derive(Debug)]
struct ReportSite {
    address: SocketAddr,
    token: String,
    root: PathBuf,
}

impl ReportServer {
    /// Serves the folder of a report on this port of loopback; 0 for any that is free.
    pub async fn start(root: &Path, port: u16) -> Result<Self, TaskError> {
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(wanted).await.map_err(http::cannot_listen(wanted))?;
        let address = listener.local_addr().map_err(http::cannot_listen(wanted))?;
        let (stop, token) = (CancellationToken::new(), token()?);
        let served = Arc::new(ReportSite { address, token: token.clone(), root: root.to_owned() });
        let anybody = PeerCheck::new("the server of the report", PeerRule::Anybody);
        http::spawn(listener, anybody, Router::new().fallback(file).with_state(served), stop.clone());
        Ok(Self { address, token, stop })
    }

    pub fn url(&self) -> String {
        format!("http://{}/{}/report.html", self.address, self.token)
    }
}

impl Drop for ReportServer {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn media_type(path: &str) -> Option<&'static str> {
    Some(match path.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "png" => "image/png",
        "webp" => "image/webp",
        "jpg" => "image/jpeg",
        "csv" => "text/csv; charset=utf-8",
        "md" => "text/plain; charset=utf-8",
        _ => return None,
    })
}

async fn file(State(served): State<Arc<ReportSite>>, request: Request) -> Response<Body> {
    let nothing = || text(StatusCode::NOT_FOUND, "nothing is here");
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let port = served.address.port();
    if host != served.address.to_string() && host != format!("localhost:{port}") {
        return nothing();
    }
    if request.method() != Method::GET {
        return text(StatusCode::METHOD_NOT_ALLOWED, "a report is only read");
    }
    let asked = request.uri().path().trim_start_matches('/');
    let (given, path) = asked.split_once('/').unwrap_or((asked, ""));
    if !is_token(given, &served.token) {
        return text(StatusCode::UNAUTHORIZED, "open the complete address that waldo printed");
    }
    let path = match path {
        "" => "report.html".to_owned(),
        path => match super::sites::decode(path) {
            Some(path) => path,
            None => return nothing(),
        },
    };
    // Of pages there is one. What a run downloaded is shown to nobody.
    let known = !path.ends_with(".html") || path == "report.html";
    let Some(mime) = media_type(&path).filter(|_| known) else { return nothing() };
    let read = tokio::task::spawn_blocking(move || {
        foreign::read(&served.root, Path::new(&path), foreign::LARGE_BYTES)
    });
    match read.await {
        Ok(Ok(bytes)) => {
            let mut response = answer(StatusCode::OK, mime, bytes);
            // The token stands in the address.
            response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
            response
        }
        _ => nothing(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    async fn get(server: &ReportServer, path: &str, host: Option<&str>) -> (u16, String) {
        let url = url::Url::parse(&format!("http://{}/{}{path}", server.address, server.token)).unwrap();
        ask(url, host).await
    }

    async fn ask(url: url::Url, host: Option<&str>) -> (u16, String) {
        let mut request = waldo_agents::http::client(&url).unwrap().get(url);
        if let Some(host) = host {
            request = request.header("host", host);
        }
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_a_report_has_is_served_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("run");
        fs::create_dir_all(root.join("episodes/a b")).unwrap();
        fs::create_dir_all(root.join("downloads")).unwrap();
        for (name, text) in [
            ("report.html", "page"),
            ("episodes/a b/step-01.webp", "picture"),
            ("manifest.json", "no"),
            ("downloads/x.html", "no"),
            ("../secret.md", "no"),
        ] {
            fs::write(root.join(name), text).unwrap();
        }
        std::os::unix::fs::symlink(dir.path().join("secret.md"), root.join("link.md")).unwrap();
        let server = ReportServer::start(&root, 0).await.unwrap();
        assert_eq!(get(&server, "/", None).await, (200, "page".to_owned()));
        assert_eq!(get(&server, "/report.html", None).await, (200, "page".to_owned()));
        assert_eq!(get(&server, "/episodes/a%20b/step-01.webp", None).await, (200, "picture".to_owned()));
        let paths = [
            "/manifest.json",
            "/downloads/x.html",
            "/%2e%2e%2fsecret.md",
            "/link.md",
            "/none.png",
            "/%zz.png",
        ];
        for path in paths {
            assert_eq!(get(&server, path, None).await.0, 404, "{path}");
        }
        assert_eq!(get(&server, "/", Some("evil.example")).await.0, 404);
        for path in [
            "/",
            "/report.html",
            "/report-steps/e0.js",
            "//",
            "/0123/report.html",
            &format!("/{}x/report.html", server.token),
        ] {
            let url = url::Url::parse(&format!("http://{}{path}", server.address)).unwrap();
            assert_eq!(ask(url, None).await.0, 401, "{path}");
        }
        let again = ReportServer::start(&root, server.address.port()).await;
        assert!(matches!(again, Err(TaskError::PortInUse { .. })));
    }
}

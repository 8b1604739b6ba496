use std::sync::Arc;

use super::*;

fn files() -> SiteFiles {
    let file = |path: &str, content: &str| (path.to_owned(), Arc::from(content.as_bytes()));
    SiteFiles::new([
        file("form/index.html", "<h1>Form</h1>"),
        file("_base/waldo.js", "export {}"),
        file("a b/ü.txt", "umlaut"),
    ])
}

struct Client {
    http: reqwest::Client,
    port: u16,
}

impl Client {
    /// Sends to loopback under the name of `origin`, as a browser does.
    async fn send(
        &self,
        method: Method,
        origin: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (u16, HeaderMap, String) {
        let host = origin.trim_start_matches("http://");
        let url = format!("http://127.0.0.1:{}{path}", self.port);
        let mut request = self.http.request(method, url).header("host", host).body(body.to_owned());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let reply = request.send().await.unwrap();
        (reply.status().as_u16(), reply.headers().clone(), reply.text().await.unwrap())
    }

    async fn get(&self, origin: &str, path: &str) -> (u16, String) {
        let (status, _, body) = self.send(Method::GET, origin, path, &[], "").await;
        (status, body)
    }

    async fn state(&self, origin: &str) -> Value {
        serde_json::from_str(&self.get(origin, STATE).await.1).unwrap()
    }
}

async fn site() -> (Sites, Arc<dyn SiteLease>, Client) {
    let sites = Sites::start().await.unwrap();
    let lease = sites.lease(files()).await.unwrap();
    lease.start(7, &json!({"name": "Ada"}), &json!({"saved": [], "files": {"r 1.csv": "a,b\n"}}));
    let http =
        waldo_agents::http::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let client = Client { http, port: sites.port };
    (sites, lease, client)
}

#[tokio::test]
async fn pages_are_served_under_both_names_of_the_episode_only() {
    let (sites, lease, client) = site().await;
    for origin in [lease.origin(), lease.other_origin()] {
        assert_eq!(client.get(origin, "/form/").await, (200, "<h1>Form</h1>".into()));
    }
    assert!(lease.origin().ends_with(&format!(".localhost:{}", sites.port)), "{}", lease.origin());
    let (_, headers, _) = client.send(Method::GET, lease.origin(), "/_base/waldo.js", &[], "").await;
    assert_eq!(headers["content-type"], "text/javascript; charset=utf-8");
    assert_eq!(headers["cache-control"], "no-store");
    let port = sites.port;
    for foreign in [
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        format!("evil.example:{port}"),
        lease.origin().trim_start_matches("http://").split(':').next().unwrap().to_owned(),
    ] {
        assert_eq!(client.get(&foreign, "/form/").await.0, 404, "{foreign}");
    }
    assert!(lease.requests().iter().all(|request| request.status == 200), "foreign ones are not logged");
}

#[tokio::test]
async fn paths_lead_to_the_suite_and_nowhere_else() {
    let (_sites, lease, client) = site().await;
    let (status, headers, _) = client.send(Method::GET, lease.origin(), "/form", &[], "").await;
    assert_eq!((status, headers["location"].to_str().unwrap()), (308, "/form/"));
    assert_eq!(client.get(lease.origin(), "/a%20b/%C3%BC.txt").await, (200, "umlaut".into()));
    for path in ["/", "/nope", "/form/%2e%2e/%2e%2e/Cargo.toml", "/..%2fCargo.toml", "//form/", "/%00"] {
        assert_eq!(client.get(lease.origin(), path).await.0, 404, "{path}");
    }
    assert_eq!(client.get(lease.origin(), "/%ff").await.0, 400);
    assert_eq!(client.get(lease.origin(), "/favicon.ico").await.0, 204);
    for method in [Method::POST, Method::DELETE, Method::PUT, Method::OPTIONS] {
        assert_eq!(client.send(method, lease.origin(), "/form/", &[], "").await.0, 405);
    }
    let (status, _, body) = client.send(Method::HEAD, lease.origin(), "/form/", &[], "").await;
    assert_eq!((status, body.as_str()), (200, ""));
}

#[tokio::test]
async fn the_state_is_read_and_replaced_and_shared_with_the_other_origin() {
    let (_sites, lease, client) = site().await;
    let told = client.state(lease.origin()).await;
    assert_eq!((&told["seed"], &told["params"]["name"]), (&json!(7), &json!("Ada")));
    assert_eq!(told["other_origin"], lease.other_origin());
    for revision in 1..=2 {
        let body = format!("{{\"saved\":[{revision}]}}");
        let (status, _, reply) = client.send(Method::PUT, lease.origin(), STATE, &[], &body).await;
        assert_eq!((status, reply), (200, format!("{{\"ok\":true,\"revision\":{revision}}}")));
    }
    assert_eq!(client.state(lease.other_origin()).await["state"], json!({"saved": [2]}));
    assert_eq!(lease.state(), json!({"saved": [2]}));
    for bad in ["", "not json", "5"] {
        assert_eq!(client.send(Method::PUT, lease.origin(), STATE, &[], bad).await.0, 400, "{bad}");
    }
    assert_eq!(client.send(Method::DELETE, lease.origin(), STATE, &[], "").await.0, 405);
    assert_eq!(lease.state(), json!({"saved": [2]}), "what was refused changed nothing");
    lease.start(8, &json!({}), &json!({"fresh": true}));
    assert_eq!((lease.state(), lease.requests().len()), (json!({"fresh": true}), 0));
}

#[tokio::test]
async fn the_state_is_not_shown_as_a_page() {
    let (_sites, lease, client) = site().await;
    let navigation = [("sec-fetch-mode", "navigate")];
    let (status, _, body) = client.send(Method::GET, lease.origin(), STATE, &navigation, "").await;
    assert_eq!(status, 403);
    assert!(!body.contains("Ada"));
    assert_eq!(client.send(Method::GET, lease.origin(), "/form/", &navigation, "").await.0, 200);
}

#[tokio::test]
async fn files_of_the_state_are_downloads() {
    let (_sites, lease, client) = site().await;
    let (status, headers, body) =
        client.send(Method::GET, lease.origin(), "/_waldo/file/r%201.csv", &[], "").await;
    assert_eq!((status, body.as_str()), (200, "a,b\n"));
    assert_eq!(headers["content-disposition"], "attachment; filename*=UTF-8''r%201.csv");
    assert_eq!(client.get(lease.origin(), "/_waldo/file/other.csv").await.0, 404);
}

#[tokio::test]
async fn requests_are_logged_with_their_bodies() {
    let (_sites, lease, client) = site().await;
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let post = Method::POST;
    let path = "/_waldo/log/order";
    let origin = lease.origin();
    let (status, _, reply) = client.send(post.clone(), origin, path, &[], "{\"qty\":2}").await;
    assert_eq!((status, reply.as_str()), (200, "{\"ok\":true}"));
    client.send(post.clone(), origin, &format!("{path}?a=1"), &form, "q=a+b&n=2").await;
    client.send(Method::PUT, origin, path, &[], "plain").await;
    assert_eq!(client.get(origin, path).await.0, 404);
    let log = lease.requests();
    let bodies: Vec<Option<Value>> = log.iter().map(|request| request.body.clone()).collect();
    assert_eq!(
        bodies,
        [Some(json!({"qty": 2})), Some(json!({"q": "a b", "n": "2"})), Some(json!("plain")), None]
    );
    assert_eq!((log[1].path.as_str(), log[1].query.as_str(), log[1].status), (path, "a=1", 200));
    assert_eq!((log[2].method.as_str(), log[3].status), ("PUT", 404));
}

#[tokio::test]
async fn a_body_beyond_the_cap_is_refused() {
    let (_sites, lease, client) = site().await;
    let body = format!("\"{}\"", "x".repeat(MAX_BODY));
    assert_eq!(client.send(Method::PUT, lease.origin(), STATE, &[], &body).await.0, 413);
    assert_eq!(lease.requests()[0].status, 413);
}

#[tokio::test]
async fn the_log_is_bounded_and_says_so() {
    let (_sites, lease, _client) = site().await;
    let entry =
        RequestLog { method: "GET".into(), path: "/".into(), query: String::new(), body: None, status: 200 };
    let episode = EpisodePages::new(files(), String::new());
    for _ in 0..10_001 {
        episode.log(entry.clone(), 0);
    }
    assert_eq!((episode.requests().len(), episode.overflowed()), (10_000, true));
    let episode = EpisodePages::new(files(), String::new());
    episode.log(entry, 65 * 1024 * 1024);
    assert!(episode.requests().is_empty() && episode.overflowed());
    assert!(!lease.overflowed());
}

#[tokio::test]
async fn episodes_know_nothing_of_each_other_and_end_with_their_lease() {
    let (sites, lease, client) = site().await;
    let second = sites.lease(files()).await.unwrap();
    second.start(1, &json!({}), &json!({"n": 2}));
    assert_ne!(lease.origin(), second.origin());
    client.send(Method::PUT, lease.origin(), STATE, &[], "{\"n\":1}").await;
    assert_eq!((lease.state(), second.state()), (json!({"n": 1}), json!({"n": 2})));
    assert!(second.requests().is_empty());
    let origin = lease.origin().to_owned();
    drop(lease);
    assert_eq!(client.get(&origin, "/form/").await.0, 404);
    assert_eq!(client.get(second.origin(), "/form/").await.0, 200);
}

#[tokio::test]
async fn the_server_ends_with_its_value() {
    let (sites, _lease, _client) = site().await;
    let address = (Ipv4Addr::LOCALHOST, sites.port);
    drop(sites);
    let gone = async {
        while tokio::net::TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(10), gone).await.expect("still listens");
}

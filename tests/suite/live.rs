//! The live page's wire: watching and steering a run, as a page does it; and who is kept out.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::mpsc;

use super::support::*;

const PAGE: &str = "<!doctype html><title>Lamps</title><input aria-label=Search>
<button onclick=\"out.textContent='a red lamp'\">Find</button><button onclick=\"out.textContent='paid'\">Pay now</button>
<p id=out></p>";

pub(super) const DONE: &str = "Observation: o\nThought: enough\nAction: FINISH\nSummary: done";

/// A reply of a model that presses element `n`.
pub(super) fn taps(n: u32) -> String {
    format!("Observation: o\nThought: it is the button\nAction: tap({n})\nSummary: pressed")
}

/// A shop, and the model that says `replies` one after the other, the last for good.
pub(super) fn shop(replies: Vec<String>) -> Server {
    let said = std::sync::atomic::AtomicUsize::new(0);
    Server::start(move |_, request| match request.path.as_str() {
        "/" => Answer::page(PAGE),
        path if path.ends_with("/chat/completions") => {
            let n = said.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            Answer::chat(&replies[n.min(replies.len() - 1)])
        }
        _ => Answer::new("404 Not Found", "text/plain", ""),
    })
}

/// A shop whose model thinks for longer than any test.
pub(super) fn shop_of_a_slow_model() -> Server {
    Server::start(move |_, request| {
        if request.path == "/" {
            return Answer::page(PAGE);
        }
        std::thread::sleep(Duration::from_secs(300));
        Answer::chat(DONE)
    })
}

/// What the model was asked, in order.
pub(super) fn asked(shop: &Server) -> Vec<String> {
    shop.requests().into_iter().filter(|r| r.path.ends_with("/chat/completions")).map(|r| r.body).collect()
}

/// Starts a command that serves the page, and gives its address.
pub(super) fn started(dir: &Path, args: &[&str]) -> (Child, String) {
    serving(waldo(dir, args))
}

fn serving(command: Waldo) -> (Child, String) {
    let mut child = command.start_told();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    let url = loop {
        line.clear();
        assert!(said.read_line(&mut line).unwrap() > 0, "no address");
        if let Some((_, url)) = line.split_once("live page, on this machine: ") {
            break url.trim().to_owned();
        }
    };
    // What is said further must not fill the pipe.
    std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
    (child, url)
}

/// What the command printed, once it has ended with `code`.
pub(super) fn ended(child: Child, code: i32) -> Value {
    let done = child.wait_with_output().unwrap();
    let out = String::from_utf8_lossy(&done.stdout).into_owned();
    assert_eq!(done.status.code(), Some(code), "{out}");
    serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}"))
}

/// A page, as far as the server knows one.
pub(super) struct Page {
    address: String,
    token: String,
    name: &'static str,
    lines: mpsc::Receiver<Value>,
    seen: Vec<Value>,
}

impl Page {
    pub(super) fn open(url: &str, name: &'static str, episode: Option<&str>) -> Self {
        let (address, token) = parts(url);
        let episode = episode.map(|key| format!("&episode={}", key.replace('/', "%2F"))).unwrap_or_default();
        let stream = ask(&address, "GET", &format!("/events?page={name}{episode}"), &[&bearer(&token)], "");
        let mut reader = BufReader::new(stream);
        let mut status = String::new();
        reader.read_line(&mut status).unwrap();
        assert!(status.contains(" 200 "), "{status}");
        let (tell, lines) = mpsc::channel();
        std::thread::spawn(move || {
            // Sizes of chunks and heads are no JSON.
            for line in reader.lines().map_while(Result::ok) {
                if let Ok(value @ Value::Object(_)) = serde_json::from_str(&line)
                    && tell.send(value).is_err()
                {
                    return;
                }
            }
        });
        Self { address, token, name, lines, seen: Vec::new() }
    }

    pub(super) fn wait(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    self.seen.push(line.clone());
                    if wanted(&line) {
                        return line;
                    }
                }
                Err(error) => panic!("{what}: {error}; last: {:?}", self.seen.last()),
            }
        }
    }

    /// Waits until the episode is at this.
    pub(super) fn until(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        self.wait(what, |line| line["type"] == "episode" && wanted(line))
    }

    pub(super) fn post(&self, episode: &str, what: Value) -> (u16, Value) {
        let body = with(json!({ "hand": self.name, "episode": episode }), &what);
        let (status, _, body) =
            whole(&self.address, "POST", "/do", &[&bearer(&self.token), JSON], &body.to_string());
        (status, serde_json::from_str(&body).unwrap_or(Value::Null))
    }

    pub(super) fn does(&self, episode: &str, what: Value) {
        let (status, said) = self.post(episode, what.clone());
        assert_eq!(status, 200, "{what}: {said}");
    }
}

const JSON: &str = "content-type: application/json";

fn bearer(token: &str) -> String {
    format!("authorization: Bearer {token}")
}

fn parts(url: &str) -> (String, String) {
    let (address, token) = url.strip_prefix("http://").unwrap().split_once("/#").unwrap();
    (address.to_owned(), token.to_owned())
}

fn ask(address: &str, method: &str, path: &str, headers: &[&str], body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut request = format!("{method} {path} HTTP/1.1\r\ncontent-length: {}\r\n", body.len());
    if !headers.iter().any(|header| header.starts_with("host:")) {
        request.push_str(&format!("host: {address}\r\n"));
    }
    headers.iter().for_each(|header| request.push_str(&format!("{header}\r\n")));
    stream.write_all(format!("{request}\r\n{body}").as_bytes()).unwrap();
    stream
}

/// A connection that asks for the moving screen of an episode.
pub(super) fn filmed(url: &str, episode: &str) -> TcpStream {
    let (address, token) = parts(url);
    let path = format!("/frames?episode={}", episode.replace('/', "%2F"));
    ask(&address, "GET", &path, &[&bearer(&token)], "")
}

/// Status, head and body of an answer.
fn whole(address: &str, method: &str, path: &str, headers: &[&str], body: &str) -> (u16, String, String) {
    let mut headers = headers.to_vec();
    headers.push("connection: close");
    let mut text = Vec::new();
    ask(address, method, path, &headers, body).read_to_end(&mut text).unwrap();
    let text = String::from_utf8_lossy(&text).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_owned(), body.to_owned())
}

/// A run of AppAgent on the shop, with the page.
pub(super) fn watched(dir: &Path, shop: &Server, more: &[&str]) -> (Child, String) {
    let (url, base) = (shop.url("/"), shop.url("/v1"));
    let mut args = vec!["run", "find a red lamp", "--url", &url, "--agent", "appagent", "--model", "m"];
    args.extend(["--base-url", &base, "--live", "--json", "--out", "run"]);
    args.extend(more);
    started(dir, &args)
}

const KEY: &str = "appagent+m/by-hand/r0";

fn record(dir: &Path) -> Vec<Value> {
    let episodes = dir.join("run/episodes");
    let contestant = std::fs::read_dir(episodes).unwrap().next().unwrap().unwrap().path();
    events(&contestant.join("by-hand/r0"))
}

pub(super) fn decisions(dir: &Path) -> Vec<Value> {
    let decided = record(dir).into_iter().filter(|event| event["event"] == "decided");
    decided.map(|event| event["decision"].clone()).collect()
}

#[test]
fn an_action_is_approved_refused_and_replaced_and_the_agent_is_told() {
    let dir = tempdir();
    let shop = shop(vec![taps(2), taps(3), taps(3), DONE.to_owned()]);
    let (child, url) = watched(&dir, &shop, &["--approve"]);
    let mut page = Page::open(&url, "one", Some(KEY));
    let question = |line: &Value| line["wheel"]["question"]["id"].clone();
    let first = page.until("the first question", |line| line["wheel"]["question"].is_object());
    let shown = &first["wheel"]["question"];
    assert_eq!(first["moving"], true);
    has(shown, json!({ "element/name": "Find", "tag": 2, "thought": "it is the button" }));
    assert_eq!(page.post(KEY, json!({ "do": "yes", "id": 7 })).0, 409, "another question's");
    assert!(shown["points"][0][0].as_f64().unwrap() > 0.0 && shown["effects"] == json!(["press"]), "{shown}");
    page.does(KEY, json!({ "do": "yes", "id": question(&first) }));
    let (status, said) = page.post(KEY, json!({ "do": "yes", "id": question(&first) }));
    assert!(status == 409 && said["error"].as_str().unwrap().contains("answered"), "{said}");
    let second = page.until("the second", |line| question(line).as_u64() == Some(2));
    page.does(KEY, json!({ "do": "no", "id": 2, "words": "do not pay" }));
    assert_eq!(second["wheel"]["question"]["element"]["name"], "Pay now");
    page.until("the third", |line| question(line).as_u64() == Some(3));
    page.does(KEY, json!({ "do": "edit", "id": 3, "tool": "tap", "args": { "element": 1 } }));
    let result = ended(child, 0);
    has(&result["result"], json!({ "outcome": "finished", "assisted": true }));
    let prompts = asked(&shop);
    assert!(prompts[2].contains("the person refused it: do not pay"), "{}", prompts[2]);
    assert!(prompts[3].contains("in place of tap(3)"), "{}", prompts[3]);
    let parts: Vec<_> = decisions(&dir).iter().map(|d| d["person"].clone()).collect();
    assert_eq!(parts, [json!("approved"), json!("refused"), json!("edited"), json!("advised")]);
    let acted: Vec<_> = record(&dir).into_iter().filter(|event| event["event"] == "acted").collect();
    assert_eq!(acted.len(), 2, "what was refused was not done");
}

#[test]
fn a_person_takes_over_acts_and_hands_back_with_a_note() {
    let dir = tempdir();
    let shop = shop(vec![taps(2), DONE.to_owned()]);
    let (child, url) = watched(&dir, &shop, &["--approve", "--max-steps", "2"]);
    let mut page = Page::open(&url, "one", Some(KEY));
    page.until("the question", |line| line["wheel"]["question"].is_object());
    page.does(KEY, json!({ "do": "take" }));
    let taken = page.until("it is taken", |line| line["wheel"]["taken"] == true);
    let act = |page: &Page, line: &Value, call: Value| {
        page.post(KEY, with(json!({ "do": "act", "step": line["step"] }), &call)).0
    };
    let tap = json!({ "tool": "tap", "args": { "element": 1 } });
    assert_eq!(act(&page, &json!({ "step": 9 }), tap.clone()), 409);
    // More steps than the agent has.
    assert_eq!(act(&page, &taken, tap), 200);
    let mut after = taken["step"].as_u64().unwrap();
    for call in [
        json!({ "tool": "type", "args": { "text": "red" } }),
        json!({ "from": [200.0, 200.0], "to": [200.0, 100.0] }),
    ] {
        after += 1;
        let next = page.until("the next screen", |line| line["step"] == after && line["phase"] == "deciding");
        assert_eq!(act(&page, &next, call), 200);
    }
    after += 1;
    page.until("the last screen", |line| line["step"] == after && line["phase"] == "deciding");
    page.does(KEY, json!({ "do": "ask", "about": [] }));
    page.does(KEY, json!({ "do": "give", "words": "now press Find" }));
    let result = ended(child, 0);
    assert_eq!(result["result"]["assisted"], true);
    let last = asked(&shop).pop().unwrap();
    for told in ["took over before it was carried out", "I did this myself: tap", "red", "now press Find"] {
        assert!(last.contains(told), "{told}: {last}");
    }
    assert_eq!(decisions(&dir).iter().filter(|d| d["person"] == "decided").count(), 3);
    // The reply that was not carried out is paid for all the same.
    assert_eq!(result["result"]["model_calls"], 2);
    assert!(text_in(dir.join("run/report.html")).contains("assisted"), "the report says so");
}

#[test]
fn a_run_is_paused_stepped_told_something_and_stopped() {
    let dir = tempdir();
    let shop = shop(vec!["Observation: o\nThought: t\nAction: wait()\nSummary: s".to_owned()]);
    let (child, url) = watched(&dir, &shop, &["--approve", "--max-steps", "30"]);
    let mut page = Page::open(&url, "one", Some(KEY));
    let first = page.until("a question", |line| line["wheel"]["question"].is_object());
    page.does(KEY, json!({ "do": "ask", "about": ["press"] }));
    page.does(KEY, json!({ "do": "hint", "words": "look at the lamps" }));
    page.does(KEY, json!({ "do": "pause" }));
    page.does(KEY, json!({ "do": "yes", "id": first["wheel"]["question"]["id"] }));
    page.until("it is paused", |line| line["step"] == 2 && line["phase"] == "deciding");
    assert_eq!(asked(&shop).len(), 1, "nobody is asked while it is paused");
    page.does(KEY, json!({ "do": "step" }));
    let asks = page.until("one step", |line| line["wheel"]["question"]["id"] == 2);
    assert!(asked(&shop)[1].contains("look at the lamps"));
    page.does(KEY, json!({ "do": "yes", "id": asks["wheel"]["question"]["id"] }));
    page.until("paused again", |line| line["step"] == 3 && line["phase"] == "deciding");
    page.does(KEY, json!({ "do": "goal", "words": "buy a blue lamp" }));
    page.does(KEY, json!({ "do": "step" }));
    page.until("the third", |line| line["wheel"]["question"]["id"] == 3);
    assert!(asked(&shop)[2].contains("buy a blue lamp") && !asked(&shop)[2].contains("find a red lamp"));
    page.does(KEY, json!({ "do": "stop" }));
    let result = ended(child, 8);
    has(&result["result"], json!({ "outcome": "gave_up", "claim": "the person stopped it" }));
}

#[test]
fn what_ask_names_is_asked_on_the_page() {
    let dir = tempdir();
    let shop = shop(vec![taps(3), taps(2), DONE.to_owned()]);
    let (child, url) = watched(&dir, &shop, &["--ask", "press"]);
    let mut page = Page::open(&url, "one", Some(KEY));
    let first = page.until("a question", |line| line["wheel"]["question"].is_object());
    let shown = &first["wheel"]["question"];
    has(shown, json!({ "element/name": "Pay now", "edit": false }));
    page.does(KEY, json!({ "do": "no", "id": 1 }));
    page.until("the second", |line| line["wheel"]["question"]["id"] == 2);
    page.does(KEY, json!({ "do": "yes", "id": 2 }));
    let result = ended(child, 0);
    has(&result, json!({ "result/refused": 1, "result/assisted": null }));
}

#[test]
fn what_an_agent_leaves_to_a_person_waits_on_the_page_and_goes_on() {
    let dir = tempdir();
    let robot = "<!doctype html><title>Pad</title><label><input type=checkbox id=c>I'm not a robot</label>";
    let site = Server::start(move |_, request| match request.path.as_str() {
        "/" => Answer::page(robot),
        _ => Answer::chat(DONE),
    });
    let (child, url) = watched(&dir, &site, &[]);
    let mut page = Page::open(&url, "one", Some(KEY));
    let left = page.until("it is left to a person", |line| line["wheel"]["handed"].is_string());
    assert!(left["wheel"]["handed"].as_str().unwrap().contains("robot"), "{left}");
    page.does(KEY, json!({ "do": "finish", "answer": "done by hand" }));
    let result = ended(child, 0);
    has(&result["result"], json!({ "claim": "done by hand", "assisted": true }));
}

#[test]
fn an_eval_is_a_wall_and_assisted_episodes_are_not_scored() {
    let dir = tempdir();
    let args = ["eval", "l3-web", "--agent", "reference", "--task", "register-form", "--task", "kanban-drag"];
    let more = ["--task", "modal-confirm", "--workers", "1", "--live", "--approve", "--json", "--out", "run"];
    let all: Vec<&str> = args.into_iter().chain(more).collect();
    let (child, url) = started(&dir, &all);
    let mut page = Page::open(&url, "one", None);
    let first = page.until("a question", |line| line["wheel"]["question"].is_object());
    let key = first["key"].as_str().unwrap().to_owned();
    page.does(&key, json!({ "do": "take" }));
    page.does(&key, json!({ "do": "finish" }));
    page.until("it ended", |line| line["key"] == key.as_str() && line["result"]["assisted"] == true);
    // The others play by themselves, each once it is let.
    for _ in 0..2 {
        let next = page
            .until("the next", |line| line["wheel"]["question"].is_object() && line["key"] != key.as_str());
        let key = next["key"].as_str().unwrap().to_owned();
        page.does(&key, json!({ "do": "ask", "about": [] }));
        page.does(&key, json!({ "do": "yes", "id": next["wheel"]["question"]["id"] }));
        page.until("it ended", |line| line["key"] == key.as_str() && line["result"].is_object());
    }
    let run = page.seen.iter().rev().find(|line| line["type"] == "run" && line["done"] == 3).cloned();
    let run =
        run.unwrap_or_else(|| page.wait("the scores", |line| line["type"] == "run" && line["done"] == 3));
    has(&run, json!({ "scores/0/n": 2, "scores/0/sr": 1.0 }));
    assert_eq!(run["scores"][0]["curve"].as_array().unwrap().len(), 101);
    has(&ended(child, 0), json!({ "table/0/n": 2, "table/0/assisted": 1, "table/0/sr": 1.0 }));
}

#[test]
fn several_watch_and_one_has_the_wheel_and_a_slow_one_holds_up_nobody() {
    let dir = tempdir();
    let waits = "Observation: o\nThought: t\nAction: wait()\nSummary: s".to_owned();
    let mut replies = vec![waits; 12];
    replies.push(DONE.to_owned());
    let shop = shop(replies);
    let (child, url) = watched(&dir, &shop, &["--approve", "--max-steps", "30"]);
    let (address, token) = parts(&url);
    // It never reads.
    let path = format!("/events?page=slow&episode={}", KEY.replace('/', "%2F"));
    let _slow = ask(&address, "GET", &path, &[&bearer(&token)], "");
    let mut one = Page::open(&url, "one", Some(KEY));
    let two = Page::open(&url, "two", Some(KEY));
    let first = one.until("a question", |line| line["wheel"]["question"].is_object());
    one.does(KEY, json!({ "do": "ask", "about": [] }));
    let (status, said) = two.post(KEY, json!({ "do": "stop" }));
    assert!(status == 409 && said["error"].as_str().unwrap().contains("another page"), "{said}");
    one.does(KEY, json!({ "do": "release" }));
    two.does(KEY, json!({ "do": "yes", "id": first["wheel"]["question"]["id"] }));
    assert_eq!(one.post(KEY, json!({ "do": "stop" })).0, 409);
    has(&ended(child, 0), json!({ "result/steps": 13 }));
}

#[test]
fn strangers_get_nothing() {
    let dir = tempdir();
    let shop = shop(vec![taps(2), DONE.to_owned()]);
    let (child, url) = watched(&dir, &shop, &["--approve"]);
    let (address, token) = parts(&url);
    let get = |path: &str, headers: &[&str]| whole(&address, "GET", path, headers, "");
    let ours = bearer(&token);
    // The shell, which holds nothing of the run, and may be neither framed nor sent on.
    let (status, head, body) = get("/", &[]);
    let head = head.to_lowercase();
    assert_eq!(status, 200);
    assert!(!body.contains("lamp") && !body.contains(&token));
    for held in
        ["frame-ancestors 'none'", "x-frame-options: deny", "no-referrer", "default-src 'none'", "no-store"]
    {
        assert!(head.contains(held), "{held}: {head}");
    }
    // A name that was made to lead here, and another site's script.
    for foreign in
        ["host: evil.test", "origin: http://evil.test", "origin: null", "origin: https://127.0.0.1"]
    {
        for path in ["/", "/live.js", "/events?page=x", "/picture?episode=x", "/frames?episode=x"] {
            assert_eq!(get(path, &[foreign, &ours]).0, 404, "{foreign} {path}");
        }
    }
    // Without the token, with half of it, and with it in the address, where it would be logged.
    for path in [
        "/events?page=x",
        "/picture?episode=x",
        "/frames?episode=x",
        &format!("/events?page=x&token={token}"),
    ] {
        assert_eq!(get(path, &[]).0, 401, "{path}");
        assert_eq!(get(path, &[&bearer(&token[..16])]).0, 401, "{path}");
    }
    let post = |headers: &[&str], body: &str| whole(&address, "POST", "/do", headers, body).0;
    let pause = json!({ "hand": "x", "episode": KEY, "do": "pause" }).to_string();
    assert_eq!(post(&[JSON], &pause), 401);
    assert_eq!(post(&[&ours, "content-type: text/plain"], &pause), 415, "what a form can send");
    assert_eq!(post(&[&ours, JSON], "{\"do\":\"pause\"}"), 400);
    assert_eq!(post(&[&ours, JSON], &format!("{{\"hand\":\"{}\"}}", "x".repeat(300_000))), 413);
    assert_eq!(get("/picture?episode=..%2F..%2Fetc%2Fpasswd&step=1", &[&ours]).0, 404);
    // As many streams as there may be, and not one more; then they go, and others come.
    let events = |n: usize| ask(&address, "GET", &format!("/events?page=p{n}"), &[&ours], "");
    let status = |stream: &mut TcpStream| {
        let mut head = [0; 12];
        stream.read_exact(&mut head).unwrap();
        String::from_utf8_lossy(&head[9..]).into_owned()
    };
    let mut open: Vec<_> = (0..64).map(events).collect();
    assert!(open.iter_mut().all(|stream| status(stream) == "200"));
    for n in 64..1000 {
        assert_eq!(status(&mut events(n)), "503");
    }
    drop(open);
    super::support::until("streams are closed", 30, || status(&mut events(1)) == "200");
    let mut page = Page::open(&url, "last", Some(KEY));
    page.until("the question still waits", |line| line["wheel"]["question"].is_object());
    page.does(KEY, json!({ "do": "stop" }));
    ended(child, 8);
}

#[test]
fn secrets_are_neither_told_nor_asked_about_by_value() {
    let dir = tempdir();
    let types =
        "Observation: o\nThought: the code hunter22x is mine\nAction: type_secret(\"CODE\")\nSummary: s";
    let shop = shop(vec![taps(1), types.to_owned(), DONE.to_owned()]);
    let (url, base) = (shop.url("/"), shop.url("/v1"));
    let mut args = vec!["run", "find hunter22x", "--url", &url, "--agent", "appagent", "--model", "m"];
    args.extend(filled("--base-url {} --live --approve --json --out run --secret CODE=MY_CODE", &[&base]));
    let (child, url) = serving(waldo(&dir, &args).env("MY_CODE", "hunter22x"));
    let mut page = Page::open(&url, "one", Some(KEY));
    for id in 1..=2 {
        let asks = page.until("a question", |line| line["wheel"]["question"]["id"] == id);
        assert_eq!(asks["moving"], false, "where a secret may be seen, only painted pictures are shown");
        page.does(KEY, json!({ "do": "yes", "id": id }));
    }
    page.wait("the end", |line| line["type"] == "over");
    serde_json::to_string(&page.seen).unwrap().lacks("hunter22x").says("CODE");
    ended(child, 0);
}

//! `waldo mcp --http`: who is let in, and two clients at once.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use super::support::*;

const TOKEN: &str = "0123456789abcdef";

struct Http {
    child: Child,
    address: String,
}

impl Http {
    fn start(dir: &Path, args: &[&str], env: &[(&str, &str)]) -> (Self, Vec<String>) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_waldo"));
        command.args(["mcp", "--http", "--out", "r"]).args(args).current_dir(dir).env("NO_COLOR", "1");
        command.env("XDG_CONFIG_HOME", dir.join("no-config")).envs(env.iter().copied());
        let streams = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = streams.spawn().unwrap();
        let mut said = Vec::new();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let wanted = if env.is_empty() { 2 } else { 1 };
        let mut lines = stderr.lines().map_while(Result::ok);
        while said.len() < wanted {
            let line = lines.next().unwrap_or_else(|| panic!("it ended: {said:?}"));
            said.push(line);
        }
        // It is read on, so that waldo never waits for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        let address =
            said[0].strip_prefix("serving http://").unwrap().strip_suffix("/mcp").unwrap().to_owned();
        (Self { child, address }, said)
    }

    fn send(&self, headers: &[(&str, &str)], body: &[u8]) -> (u16, String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut head = String::from("POST /mcp HTTP/1.1\r\nconnection: close\r\n");
        head.push_str("content-type: application/json\r\naccept: application/json, text/event-stream\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
        stream.write_all(head.as_bytes()).unwrap();
        // Whoever is refused need not be read to the end.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        (status, head.to_owned(), body.to_owned())
    }

    /// A request of a client that is let in; its session, once it has one.
    fn ask(&self, session: Option<&str>, message: &Value) -> (Option<String>, Option<Value>) {
        let bearer = format!("Bearer {TOKEN}");
        let mut headers = vec![("host", self.address.as_str()), ("authorization", &bearer)];
        if let Some(session) = session {
            headers.push(("mcp-session-id", session));
        }
        let (status, head, body) = self.send(&headers, message.to_string().as_bytes());
        assert!((200..300).contains(&status), "{status}: {head}\n{body}");
        let session = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).map(str::to_owned);
        let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
        let answer = data
            .filter_map(|data| serde_json::from_str(data).ok())
            .find(|m: &Value| m["id"] == message["id"]);
        (session, answer)
    }

    fn hello(&self) -> String {
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
        let (session, answer) = self.ask(None, &hello);
        assert_eq!(answer.unwrap()["result"]["serverInfo"]["name"], "waldo");
        let session = session.unwrap();
        self.ask(Some(&session), &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        session
    }

    fn call(&self, session: &str, tool: &str, arguments: &Value) -> Value {
        let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": { "name": tool, "arguments": arguments } });
        self.ask(Some(session), &call).1.unwrap()["result"].clone()
    }

    fn end(mut self) -> i32 {
        signal(self.child.id(), "-TERM");
        let mut code = None;
        until("the end", 30, || {
            code = self.child.try_wait().unwrap();
            code.is_some()
        });
        code.unwrap().code().unwrap_or(-1)
    }
}

fn site() -> Server {
    Server::start(|_, _| {
        Answer::page("<!doctype html><title>Pad</title><input aria-label=One><input aria-label=Two>")
    })
}

#[test]
fn only_who_has_the_token_is_let_in_and_two_clients_take_turns() {
    let dir = tempdir();
    let site = site();
    let (http, _) = Http::start(&dir, &["--url", &site.url("/")], &[("WALDO_MCP_TOKEN", TOKEN)]);
    let hello = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let address = http.address.clone();
    let port = address.split(':').nth(1).unwrap();
    let bearer = format!("Bearer {TOKEN}");
    let (evil, local) = (format!("evil.test:{port}"), format!("localhost:{port}"));
    let own = format!("http://{address}");
    for (headers, status) in [
        (vec![("host", address.as_str())], 401),
        (vec![("host", &address), ("authorization", "Bearer 0123456789abcdeg")], 401),
        (vec![("host", &address), ("authorization", "Basic 0123456789abcdef")], 401),
        // A page whose name was bound to this machine.
        (vec![("host", &evil), ("authorization", &bearer)], 403),
        (vec![("host", &address), ("authorization", &bearer), ("origin", "http://evil.test")], 403),
        (vec![("host", &address), ("authorization", &bearer), ("origin", &own)], 403),
        (vec![("host", &address), ("authorization", &bearer), ("origin", "null")], 403),
        (vec![("host", "127.0.0.1"), ("authorization", &bearer)], 403),
        (vec![("host", "127.0.0.1:1"), ("authorization", &bearer)], 403),
        (vec![("host", &address), ("authorization", &bearer), ("authorization", &bearer)], 401),
        (vec![("host", &local), ("authorization", &bearer)], 200),
    ] {
        let (got, head, body) = http.send(&headers, hello);
        assert_eq!(got, status, "{headers:?}: {head}\n{body}");
        assert!(status == 200 || !body.contains("waldo"), "{body}");
    }
    let large = vec![b' '; 5 << 20];
    let (status, ..) = http.send(&[("host", &address), ("authorization", &bearer)], &large);
    assert!([413, 0].contains(&status), "{status}");

    let (one, two) = (http.hello(), http.hello());
    assert_ne!(one, two);
    let fields = |session: &str| {
        http.call(session, "observe", &json!({}))["content"][0]["text"].as_str().unwrap().to_owned()
    };
    assert!(fields(&one).contains("\"One\""));
    std::thread::scope(|scope| {
        for (session, element, text) in [(&one, 1, "Ada"), (&two, 2, "Bob")] {
            let http = &http;
            scope.spawn(move || {
                let done = http.call(session, "fill", &json!({ "element": element, "text": text }));
                assert_eq!(done["isError"], false, "{done}");
            });
        }
    });
    fields(&two).says("value=\"Ada\"").says("value=\"Bob\"");
    // A session that nobody has.
    let headers = [("host", address.as_str()), ("authorization", &bearer), ("mcp-session-id", "none")];
    let (status, ..) = http.send(&headers, br#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#);
    assert_eq!(status, 404);
    assert_eq!(http.end(), 0);
    assert_eq!(events(&dir.join("r")).last().unwrap()["event"], "ended");
}

#[test]
fn two_clients_with_sessions_of_their_own_never_see_each_other() {
    let dir = tempdir();
    let site = Server::start(|_, _| {
        Answer::page(
            "<!doctype html><title>Pad</title><input aria-label=One><button onclick=\"localStorage.a='kept'\">Keep</button>\
             <a download=own.txt href='/own.txt'>Take</a><p id=p></p><script>p.textContent=localStorage.a||'nothing'</script>",
        )
    });
    let url = site.url("/");
    let flags = ["--url", &url, "--sessions", "2", "--secret", "pin=PIN"];
    let (http, _) = Http::start(&dir, &flags, &[("WALDO_MCP_TOKEN", TOKEN), ("PIN", "7301-5520")]);
    let (one, two) = (http.hello(), http.hello());
    let call = |session: &str, tool: &str, arguments: Value| http.call(session, tool, &arguments);
    let list = |session: &str| {
        call(session, "observe", json!({}))["content"][0]["text"].as_str().unwrap().to_owned()
    };
    let number = |part: &str| super::mcp_client::number_in(&list(&one), part);
    let (field, keep, take) = (number("\"One\""), number("\"Keep\""), number("\"Take\""));
    for (tool, arguments) in [
        ("fill", json!({ "element": field, "text": "Ada" })),
        ("tap", json!({ "element": keep })),
        ("tap", json!({ "element": take })),
        ("open", json!({ "url": url })),
    ] {
        let done = call(&one, tool, arguments);
        assert_eq!(done["isError"], false, "{tool}: {done}");
    }
    list(&one).says("kept").says("own.txt");
    list(&two).says("nothing").lacks("Ada").lacks("own.txt");
    // A secret that one of them types is in neither's answers, and a session of the other cannot be named.
    call(&one, "tap", json!({ "element": number("\"One\"") }));
    let typed = call(&one, "type_secret", json!({ "name": "pin" }));
    assert_eq!(typed["isError"], false, "{typed}");
    assert!(!list(&one).contains("7301") && !list(&two).contains("7301"));
    for name in ["s2", "main2", "2"] {
        let refused = call(&two, "observe", json!({ "session": name }));
        assert_eq!(refused["isError"], true, "{refused}");
    }
    let full = call(&two, "open_session", json!({}));
    assert!(full.to_string().contains("2 sessions are open"), "{full}");
    assert_eq!(http.end(), 0);
    for folder in ["r", "r/sessions/2"] {
        assert_eq!(events(&dir.join(folder)).last().unwrap()["event"], "ended", "{folder}");
    }
    let downloads = |folder: &str| files(&dir.join(folder), "own.txt").len();
    assert!(downloads("r") > 0 && downloads("r/sessions/2") == 0);
}

#[test]
fn without_a_token_one_is_made_and_a_short_one_is_refused() {
    let dir = tempdir();
    let site = site();
    let (http, said) = Http::start(&dir, &["--url", &site.url("/")], &[]);
    let token = said[1].rsplit(' ').next().unwrap();
    assert_eq!(token.len(), 32, "{said:?}");
    let bearer = format!("Bearer {token}");
    let address = http.address.clone();
    let (status, ..) = http.send(&[("host", &address), ("authorization", &bearer)], b"{}");
    assert_ne!(status, 401);
    http.end();

    let short = waldo(&dir, "mcp --http --url http://a.test").env("WALDO_MCP_TOKEN", "short");
    short.exits(4).warns("WALDO_MCP_TOKEN must have 16");
}

//! Episodes over several machines: a real NATS server, a run that offers, and workers that play.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use super::support::*;

const LONG: u64 = 240;

pub(super) struct Nats {
    port: u16,
    server: Ends,
    store: Dir,
}

impl Nats {
    pub(super) fn start() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let store = tempdir();
        let server = serve(port, &store);
        let nats = Self { port, server, store };
        nats.await_it();
        nats
    }

    fn await_it(&self) {
        until("the server answers", LONG, || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
    }

    fn restart(&mut self) {
        kill(&mut self.server.0);
        self.server = serve(self.port, &self.store);
        self.await_it();
    }

    pub(super) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Says something on a subject, as any client may.
    fn publish(&self, subject: &str, payload: &[u8]) {
        let mut wire = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(wire, "CONNECT {{\"verbose\":false}}\r\nPUB {subject} {}\r\n", payload.len()).unwrap();
        wire.write_all(payload).unwrap();
        wire.write_all(b"\r\nPING\r\n").unwrap();
        let mut heard = Vec::new();
        let mut bytes = [0; 4096];
        while !String::from_utf8_lossy(&heard).contains("PONG") {
            let n = wire.read(&mut bytes).unwrap();
            assert_ne!(n, 0, "{}", String::from_utf8_lossy(&heard));
            heard.extend_from_slice(&bytes[..n]);
        }
    }

    fn status(&self, dir: &Path) -> Value {
        waldo(dir, &["queue", "status", "--json", "--queue", &self.url()]).json()
    }
}

fn serve(port: u16, store: &Path) -> Ends {
    let mut nats = Command::new("nats-server");
    nats.args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"]).arg(store);
    let server = nats.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let server =
        server.unwrap_or_else(|error| panic!("nats-server ({error}): scripts/setup tests installs it"));
    Ends(server)
}

/// A process that ends with the test, and what it says to standard error.
struct Running {
    child: Ends,
    heard: std::sync::Arc<std::sync::Mutex<String>>,
}

impl Running {
    fn start(dir: &Path, args: &[&str]) -> Self {
        let mut child = waldo(dir, args).start_heard();
        let mut told = child.stderr.take().unwrap();
        let heard = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
        let to = heard.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = told.read(&mut bytes) {
                to.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..n]));
            }
        });
        Self { child: Ends(child), heard }
    }

    fn heard(&self) -> String {
        self.heard.lock().unwrap().clone()
    }

    fn await_words(&self, words: &str) {
        until(words, LONG, || self.heard().contains(words));
    }

    fn id(&self) -> String {
        self.await_words(" waits at");
        let heard = self.heard();
        let line = heard.lines().find(|line| line.contains(" waits at")).unwrap();
        line.split(' ').nth(1).unwrap().to_owned()
    }

    fn signal(&self, signal: &str) {
        super::support::signal(self.child.0.id(), signal);
    }

    fn ends_with(&mut self, code: i32) {
        let mut ended = None;
        until("its end", LONG, || {
            ended = self.child.0.try_wait().unwrap();
            ended.is_some()
        });
        assert_eq!(ended.unwrap().code(), Some(code), "{}", self.heard());
    }
}

fn worker(dir: &Path, nats: &Nats, more: &[&str]) -> Running {
    let url = nats.url();
    Running::start(dir, &[&["worker", "--queue", &url], more].concat())
}

/// Plays a run to its end; its command comes in parts.
fn plays(dir: &Path, command: &[&[&str]]) {
    waldo(dir, &command.concat()).within(Duration::from_secs(LONG)).ok();
}

/// What a run folder holds, but for times and ports, and what follows from times: what pictures show (a phone's clock, a
/// caret that blinks; that they arrive as they were sent, their hashes say), and whether a screen still moved.
fn normal(run: &Path) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/normalise-run");
    let told = Command::new(script).arg(run).output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let told = String::from_utf8(told.stdout).unwrap();
    let plain = |line: &str| match line.split_once(".webp ") {
        Some((name, _)) => name.to_owned(),
        _ => line.replace("\"settled\": \"still_moving\"", "\"settled\": \"quiet\""),
    };
    told.lines().map(plain).collect::<Vec<_>>().join("\n")
}

fn equal(a: &Path, b: &Path) {
    let (a, b) = (normal(a), normal(b));
    for (a, b) in a.lines().zip(b.lines()) {
        let differs = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count().saturating_sub(80);
        let cut = |line: &str| line.chars().skip(differs).take(240).collect::<String>();
        assert!(a == b, "\n{}\n{}", cut(a), cut(b));
    }
    assert_eq!(a.lines().count(), b.lines().count());
}

fn results(run: &Path) -> Vec<Value> {
    files(&run.join("episodes"), "result.json").into_iter().map(json_in).collect()
}

fn offered(dir: &Path, out: &str) -> PathBuf {
    let file = dir.join(out).join("queue.json");
    until("the run is offered", LONG, || file.exists());
    file
}

const PHONE: [&str; 8] =
    ["eval", "l3-android", "--task", "alarm-off", "--agent", "reference", "--no-report", "--out"];

#[test]
fn a_run_of_two_workers_is_the_run_of_one_machine() {
    let (dir, nats) = (tempdir(), Nats::start());
    let dir = &dir;
    let plain = words(
        "eval l3-web l3-android --task l3-web.register-form --task l3-android.alarm-off \
                --agent reference --agent appagent --model reference --repeats 2 --no-report --out",
    );
    let web = worker(dir, &nats, &["--lane", "web"]);
    let phone = worker(dir, &nats, &["--lane", "simphone", "--idle", "600"]);
    let url = nats.url();
    plays(dir, &[&plain, &["far", "--queue", &url]]);
    plays(dir, &[&plain, &["near"]]);
    let (far, near) = (dir.join("far"), dir.join("near"));
    equal(&far, &near);
    assert!(!far.join("queue.json").exists());
    let status = nats.status(dir);
    assert_eq!(status["runs"], json!([]));
    let played = |host: &Running| host.heard().matches("takes no work from run").count();
    // Each said what it takes nothing of, once.
    assert_eq!((played(&web), played(&phone)), (1, 1), "{}\n{}", web.heard(), phone.heard());
    web.heard().says("l3-android: it needs a screen of the kind android");
    // A worker that drains ends in good order.
    let mut phone = phone;
    phone.signal("-TERM");
    phone.ends_with(0);
    assert!(phone.heard().contains("4 episodes were handed in"), "{}", phone.heard());
}

#[test]
fn an_agent_that_is_a_program_plays_where_the_worker_names_it() {
    let (dir, nats) = (tempdir(), Nats::start());
    let dir = &dir;
    write(dir.join("scripted.py"), super::agents::SCRIPTED);
    let url = nats.url();
    let program = ["--command", "python3 scripted.py"];
    let plain = words("eval l3-web --task confirm-dialog --agent exec --no-report --repeats 2 --out");
    // A worker plays no program that it does not name itself.
    let without = worker(dir, &nats, &["--lane", "web"]);
    let mut far = Running::start(dir, &[&plain[..], &["far", "--queue", &url], &program].concat());
    without.await_words("takes no work from run");
    let _with = worker(dir, &nats, &[&["--lane", "web"], &program[..]].concat());
    far.ends_with(0);
    plays(dir, &[&plain, &["near"], &program]);
    equal(&dir.join("far"), &dir.join("near"));
    assert!(results(&dir.join("far")).iter().all(|result| result["success"] == 1.0));
}

#[test]
fn a_worker_that_is_killed_loses_nothing_and_one_that_was_stopped_counts_once() {
    let (dir, mut nats) = (tempdir(), Nats::start());
    let dir = &dir;
    let url = nats.url();
    let task = ["eval", "l3-android", "--task", "event-create", "--agent", "reference", "--repeats", "4"];
    let far = [&task[..], &["--no-report", "--out", "far", "--queue", &url, "--lease", "2"]].concat();
    let mut run = Running::start(dir, &far);
    let phone = ["--lane", "simphone", "--slots", "1"];
    let is_playing = |nats: &Nats, worker: &Running| {
        let id = worker.id();
        let state = nats.status(dir);
        let mut workers = state["workers"].as_array().unwrap().iter();
        workers.any(|worker| worker["id"] == id && worker["playing"] != json!([]))
    };
    let killed = worker(dir, &nats, &phone);
    until("an episode is under way", LONG, || is_playing(&nats, &killed));
    killed.signal("-KILL");
    let stopped = worker(dir, &nats, &phone);
    until("another is under way", LONG, || is_playing(&nats, &stopped));
    stopped.signal("-STOP");
    let other = worker(dir, &nats, &phone);
    // The run is killed and goes on, and so does the server.
    run.signal("-KILL");
    run.child.0.wait().unwrap();
    nats.restart();
    run = Running::start(dir, &far);
    until("what was lost is played", LONG, || results(&dir.join("far")).len() >= 2);
    stopped.signal("-CONT");
    run.ends_with(0);
    plays(dir, &[&task, &["--no-report", "--out", "near"]]);
    equal(&dir.join("far"), &dir.join("near"));
    drop((stopped, other));
}

fn hash(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    HEXLOWER.encode(&hash.finalize())[..32].to_owned()
}

#[test]
fn what_was_not_handed_out_or_leads_elsewhere_is_refused() {
    let (dir, nats) = (tempdir(), Nats::start());
    let dir = &dir;
    plays(dir, &[&PHONE, &["near"]]);
    let manifest = json_in(dir.join("near/manifest.json"));
    let url = nats.url();
    let mut run =
        Running::start(dir, &[&PHONE[..], &["far", "--queue", &url, "--max-artifact", "64"]].concat());
    let identity = json_in(offered(dir, "far"));
    run.await_words("for waldo worker");
    let name = identity["run"].as_str().unwrap();
    let id = hash(&[b"episode", b"reference", b"alarm-off", &0_u32.to_le_bytes()]);
    let ticket =
        hash(&[b"ticket", identity["secret"].as_str().unwrap().as_bytes(), name.as_bytes(), id.as_bytes()]);
    let sum = HEXLOWER.encode(&Sha256::digest("x"));
    let honest = json!({
        "v": 1, "run": name, "key": {"contestant": "reference", "task": "alarm-off", "repeat": 0},
        "ticket": ticket, "worker": "w", "upload": "u", "device": manifest["device"],
        "files": [{"name": "result.json", "size": 1, "hash": sum}],
    });
    let with = |change: &dyn Fn(&mut Value)| {
        let mut result = honest.clone();
        change(&mut result);
        result.to_string()
    };
    let lists = |name: &str| {
        let file = json!({"name": name, "size": 1, "hash": sum});
        with(&|result| result["files"].as_array_mut().unwrap().push(file.clone()))
    };
    let forged: [(String, &str); 7] = [
        (with(&|result| result["device"]["product"] = "x".repeat(100_000).into()), "too many words"),
        ("no message at all".to_owned(), "cannot be read"),
        (with(&|result| result["ticket"] = "0".into()), "its ticket is wrong"),
        (with(&|result| result["run"] = "other".into()), "of another run"),
        (with(&|result| result["key"]["repeat"] = 1.into()), "of another episode"),
        // From here on it is somebody who was handed it; two are refused, a third would make it invalid.
        (lists("../../../../evil"), "leads to another folder"),
        (lists("downloads"), "is a file of its folder, not a folder"),
    ];
    for (payload, why) in forged {
        nats.publish(&format!("waldo.result.{name}.{id}"), payload.as_bytes());
        run.await_words(why);
    }
    assert_eq!(run.heard().matches("a result is refused").count(), 7, "{}", run.heard());
    // An episode that this run never handed out is taken out of the queue, and not played.
    let lane = nats.status(dir)["runs"][0]["lanes"][0]["id"].as_str().unwrap().to_owned();
    let work = json!({"v": 1, "run": name, "key": {"contestant": "reference", "task": "shop-order", "repeat": 0}, "ticket": "t"});
    nats.publish(&format!("waldo.work.{name}.{lane}.{}", "0".repeat(32)), work.to_string().as_bytes());
    let honest = worker(dir, &nats, &["--lane", "simphone"]);
    run.ends_with(0);
    equal(&dir.join("far"), &dir.join("near"));
    assert!(!dir.join("evil").exists() && !dir.join("far/evil").exists());
    honest.await_words("does not belong to this run");
}

#[test]
fn a_worker_says_why_it_takes_nothing() {
    let (dir, nats) = (tempdir(), Nats::start());
    let (dir, url) = (&dir, nats.url());
    let page = |here: &Path, title: &str| {
        let page = format!("<title>{title}</title><p>Here</p>");
        suite(here, "own", &[("a", &page, "[[check]]\nkind = \"url\"\ncontains = \"/a/\"\n")]);
    };
    page(dir, "T");
    let there = dir.join("there");
    page(&there, "Another");
    let far =
        filled("eval ./own --agent noop --agent appagent --model some-model --out far --queue {}", &[&url]);
    let run = Running::start(dir, &far);
    run.await_words("for waldo worker");
    let without = worker(dir, &nats, &["--lane", "web"]);
    without.await_words("there is no suite own here: give --suite DIR");
    let another = worker(&there, &nats, &["--lane", "web", "--suite", "./own"]);
    another.await_words("the suite own here is another: its hash is");
    until("status tells it", LONG, || nats.status(dir).to_string().contains("the suite own here is another"));
    // A contestant whose model nobody named here is left to others; the rest of the run is played.
    let able = worker(dir, &nats, &["--lane", "web", "--suite", "./own"]);
    able.await_words("it asks the model some-model: give --model some-model");
    until("the rest is played", LONG, || results(&dir.join("far")).len() == 1);
    run.await_words("noop/a/r0");
    waldo(dir, "worker --queue nats://192.0.2.1").exits(4).warns("--queue-insecure");
    waldo(dir, &["queue", "status", "--queue", &url]).ok().prints("1 of 2 results").prints("refused by");
    let name = nats.status(dir)["runs"][0]["run"].as_str().unwrap().to_owned();
    drop(run);
    waldo(dir, &["queue", "forget", &name, "--queue", &url]).ok();
    assert_eq!(nats.status(dir)["runs"], json!([]));
}

#[test]
fn folders_of_episodes_may_go_through_a_folder_that_is_shared() {
    let (dir, nats) = (tempdir(), Nats::start());
    let (dir, url) = (&dir, nats.url());
    std::fs::create_dir(dir.join("shared")).unwrap();
    let phone = worker(dir, &nats, &["--lane", "simphone", "--artifacts", "shared"]);
    let far = |out: &'static str| [&PHONE[..], &[out, "--queue", &url, "--artifacts", "shared"]].concat();
    plays(dir, &[&far("far")]);
    plays(dir, &[&PHONE, &["near"]]);
    equal(&dir.join("far"), &dir.join("near"));
    assert_eq!(std::fs::read_dir(dir.join("shared")).unwrap().count(), 0);
    drop(phone);
    // Without the folder a worker says so.
    let without = worker(dir, &nats, &["--lane", "simphone"]);
    let mut run = Running::start(dir, &far("again"));
    without.await_words("give --artifacts DIR");
    run.signal("-INT");
    run.ends_with(130);
    assert!(run.heard().contains("stopped with 1 episode missing"), "{}", run.heard());
    assert_eq!(nats.status(dir)["runs"][0]["state"], "paused");
}

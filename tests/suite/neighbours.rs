//! Other processes of the machine, of the same user and of another one: they reach nothing that a run listens on, and
//! what they kill is not the agent's failure.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::sync::{Mutex, mpsc};

use super::support::*;

/// A user that is neither root nor this one.
const NOBODY: u32 = 65534;

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The ports of loopback that a process listens on; those of its user where its sockets cannot be seen.
fn ports_of(pid: u32) -> Vec<u16> {
    let held: Option<Vec<String>> = std::fs::read_dir(format!("/proc/{pid}/fd")).ok().map(|all| {
        let links = all.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok());
        links.map(|link| link.to_string_lossy().into_owned()).collect()
    });
    let user = std::fs::metadata(format!("/proc/{pid}"))
        .map(|told| std::os::unix::fs::MetadataExt::uid(&told))
        .unwrap();
    let table = text_in("/proc/net/tcp");
    let listens = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let port = u16::from_str_radix(words.get(1)?.strip_prefix("0100007F:")?, 16).ok()?;
        let is_its = match &held {
            Some(held) => held.contains(&format!("socket:[{}]", words[9])),
            None => words[7] == user.to_string(),
        };
        (words[3] == "0A" && is_its).then_some(port)
    };
    table.lines().filter_map(listens).collect()
}

/// What is answered at this port; nothing where the connection is refused.
fn asked(port: u16, request: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut answer = Vec::new();
    let _ = stream.write_all(request.as_bytes());
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn asked_by(user: u32, port: u16, request: &str) -> String {
    let script = "exec 3<>/dev/tcp/127.0.0.1/$0 || exit; printf %s \"$1\" >&3; cat <&3";
    let mut command = Command::new("timeout");
    command.args(["20", "bash", "-c", script, &port.to_string(), request]);
    command.uid(user).gid(user).current_dir("/");
    String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned()
}

/// Plays one episode, knocks at everything that listens while the model is asked, and sees that nobody noticed.
fn plays_undisturbed(user: Option<u32>) {
    let dir = tempdir();
    let at = &dir;
    let checks = "[[check]]\nkind = \"state\"\npointer = \"/done\"\nequals = true\n";
    suite(at, "neighbours", &[("quiet", "<!doctype html><title>Q</title><button>Go</button>", checks)]);
    let (go, waits) = mpsc::channel::<()>();
    let waits = Mutex::new(waits);
    let server = Server::start(move |n, _| {
        if n == 0 {
            let _ = waits.lock().unwrap().recv_timeout(Duration::from_secs(120));
        }
        Answer::acts("FINISH")
    });
    let base = server.url("/v1");
    let args = format!(
        "eval neighbours --agent appagent --model m --base-url {base} --attempts 1 --no-report --out r"
    );
    let mut run = waldo(at, &args).env("HOME", at.to_str().unwrap());
    if let Some(user) = user {
        give(at, user);
        run = run.under_user(user);
    }
    let child = run.start_told();
    until("the model is asked", 120, || !server.requests().is_empty());
    let record = at.join("r/episodes/appagent+m/quiet/r0");
    let said = text_in(record.join("events.jsonl"));
    let host = said
        .split("http://")
        .find_map(|rest| rest.split(['/', '"']).next().filter(|host| host.contains(".localhost:")));
    let host = host.unwrap().to_owned();
    let ports = ports_of(child.id());
    let pages: u16 = host.rsplit_once(':').unwrap().1.parse().unwrap();
    // The pages, and the guard's proxy.
    assert!(ports.len() >= 2 && ports.contains(&pages), "{pages}: {ports:?}");
    let put = |path: &str| {
        format!(
            "PUT {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: 13\r\n\r\n{{\"done\":true}}"
        )
    };
    let requests = [
        "GET http://x.example/ HTTP/1.1\r\nHost: x.example\r\n\r\n".to_owned(),
        "CONNECT x.example:443 HTTP/1.1\r\nHost: x.example:443\r\n\r\n".to_owned(),
        format!("GET /_waldo/state HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"),
        put(&format!("http://{host}/_waldo/state")),
        put("/_waldo/state"),
    ];
    for port in &ports {
        for request in &requests {
            assert_eq!(asked(*port, request), "", "{port} of {ports:?} answered {request}");
            if is_root() {
                for other in [NOBODY, 1] {
                    assert_eq!(asked_by(other, *port, request), "", "{port} answered {other}: {request}");
                }
            }
        }
    }
    go.send(()).unwrap();
    Ended::awaited(child)
        .warns("refused a connection of another process")
        .warns("connections of other processes were refused");
    let result = json_in(record.join("result.json"));
    has(&result, json!({ "outcome": "finished", "success": 0.0 }));
    events(&record).iter().map(Value::to_string).collect::<String>().lacks("x.example").lacks("\"blocked\"");
    for request in server.requests() {
        assert!(!request.body.contains("x.example"), "{}", request.body);
    }
    let mode = std::fs::metadata(at.join("r")).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode, 0o700, "{mode:o}");
}

fn give(folder: &Path, user: u32) {
    chown(folder, Some(user), Some(user)).unwrap();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => give(&path, user),
            path => chown(path, Some(user), Some(user)).unwrap(),
        }
    }
}

#[test]
fn other_processes_reach_nothing_of_a_run() {
    plays_undisturbed(None);
}

#[test]
fn other_processes_reach_nothing_of_a_run_without_root() {
    if is_root() {
        plays_undisturbed(Some(1));
    }
}

/// Has every process of the browser that `marker` names, and of this kind, ended by a signal.
fn end_all(marker: &str, kind: &str, signal: &str) {
    let victims: Vec<u32> =
        processes(marker).into_iter().filter(|(_, line)| line.contains(kind)).map(|(pid, _)| pid).collect();
    assert!(!victims.is_empty(), "no {kind} runs");
    for pid in &victims {
        let _ = Command::new("kill").args([signal, &pid.to_string()]).status();
    }
    until("they are gone", 20, || {
        let line = |pid: &u32| std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        victims.iter().all(|pid| line(pid).is_empty())
    });
}

#[test]
fn a_process_of_the_browser_that_is_killed_makes_the_attempt_invalid() {
    let kinds = [
        ("renderer", "--type=renderer", "renderer process"),
        ("gpu", "--type=gpu-process", "GPU process"),
        ("network", "network.mojom", "network service"),
        ("storage", "storage.mojom", "storage service"),
    ];
    let dir = tempdir();
    let at = &dir;
    let temp = at.join("tmp");
    std::fs::create_dir(&temp).unwrap();
    let marker = temp.to_str().unwrap().to_owned();
    let moments = kinds.iter().flat_map(|(kind, ..)| (0..3).map(move |moment| format!("{kind}-{moment}")));
    let ids: Vec<String> = moments.chain(["calm", "segfault", "zygote-1"].map(str::to_owned)).collect();
    let page = "<!doctype html><title>T</title><button>Go</button>";
    let check = "[[check]]\nkind = \"js\"\nexpr = \"document.title\"\nequals = \"T\"\n";
    suite(at, "killed", &ids.iter().map(|id| (id.as_str(), page, check)).collect::<Vec<_>>());
    let (own, known) = (marker.clone(), ids.clone());
    let turns: Mutex<BTreeMap<String, u32>> = Mutex::default();
    let server = Server::start(move |_, request| {
        let id = known.iter().find(|id| request.body.contains(&format!("Leave {id} alone."))).unwrap();
        let turn = {
            let mut turns = turns.lock().unwrap();
            let turn = turns.entry(id.clone()).or_default();
            *turn += 1;
            *turn - 1
        };
        match id.rsplit_once('-') {
            Some((name, moment)) if moment == turn.to_string() => {
                let kind = kinds.iter().find(|(kind, ..)| *kind == name);
                let kind = kind.map_or("--type=zygote", |(_, kind, _)| kind);
                end_all(&own, kind, "-KILL");
            }
            // As a renderer ends by itself.
            None if id == "segfault" && turn == 1 => end_all(&own, "--type=renderer", "-SEGV"),
            _ => {}
        }
        Answer::acts(if turn < 3 { "wait()" } else { "FINISH" })
    });
    let model = format!("--agent appagent --model m --base-url {}", server.url("/v1"));
    let args = format!("eval killed {model} --attempts 1 --no-report --max-steps 5 --workers 1 --out r");
    waldo(at, &args).env("TMPDIR", &marker).run();
    for id in &ids {
        let file = at.join("r/episodes/appagent+m").join(id).join("r0/result.json");
        let result = json_in(file);
        let (outcome, reason) =
            (result["outcome"].as_str().unwrap(), result["reason"].as_str().unwrap_or_default());
        let crashes = result["page_crashes"].as_u64().unwrap_or_default();
        let named = kinds.iter().find(|(kind, ..)| id.starts_with(kind)).map(|(.., named)| *named);
        match (named, id.as_str()) {
            (Some(named), _) => assert!(outcome == "invalid" && reason.contains(named), "{id}: {result}"),
            (None, "calm" | "segfault") => {
                let wanted = ("finished", Some(1.0), u64::from(id == "segfault"));
                assert_eq!((outcome, result["success"].as_f64(), crashes), wanted, "{id}");
            }
            (None, _) => assert_eq!(outcome, "invalid", "{id}: {result}"),
        }
    }
}

/// A port of loopback is everybody's to knock at.
#[test]
fn simulated_phones_serve_no_other_user() {
    let dir = tempdir();
    let mut phones = waldo(&dir, "simphone --port 0 --serial-hint").start();
    let serial = first_line(&mut phones);
    let port = serial.trim().rsplit_once(':').unwrap().1.to_owned();
    // A host's greeting, and how many bytes come back.
    let knock = "import socket,struct,sys\n\
        s=socket.create_connection(('127.0.0.1',int(sys.argv[1])))\n\
        s.settimeout(20)\n\
        s.sendall(struct.pack('<6I',0x4e584e43,0x01000001,4096,7,0,0x4e584e43^0xffffffff)+b'host::\\0')\n\
        try: print(len(s.recv(24)))\n\
        except ConnectionError: print(0)\n";
    let knocked = |user: Option<u32>| {
        let mut command = Command::new("python3");
        command.args(["-c", knock, &port]).current_dir("/");
        if let Some(user) = user {
            command.uid(user).gid(user);
        }
        let out = command.output().unwrap();
        assert!(out.status.success(), "{out:?}");
        String::from_utf8(out.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(knocked(None), "24");
    // Only root can be another.
    if is_root() {
        assert_eq!(knocked(Some(NOBODY)), "0");
    }
    assert_eq!(knocked(None), "24");
    kill(&mut phones);
}

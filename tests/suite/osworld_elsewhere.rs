//! OSWorld's format on a machine elsewhere: a double of the benchmark's own server, made from what that answers, which runs
//! commands in a home of its own.

use std::io::Write as _;

use super::doctor_elsewhere::{TREE, picture};
use super::osworld::{Tasks, left_out, result, step};
use super::support::*;

fn says(value: Value) -> Answer {
    Answer::json(&value)
}

fn fails(message: &str) -> Answer {
    let said = json!({ "status": "error", "message": message });
    Answer::new("500 INTERNAL SERVER ERROR", "application/json", said.to_string())
}

/// A form's fields, whether it is sent with a file or without.
fn field(request: &Request, name: &str) -> String {
    let marked = format!("name=\"{name}\"");
    let Some((_, rest)) = request.body.split_once(&marked) else {
        let all = url::form_urlencoded::parse(request.body.as_bytes());
        return all.into_owned().find(|(key, _)| key == name).map(|(_, value)| value).unwrap_or_default();
    };
    let (_, value) = rest.split_once("\r\n\r\n").unwrap();
    let boundary = request.body.split("\r\n").next().unwrap();
    value.split_once(&format!("\r\n{boundary}")).unwrap().0.to_owned()
}

/// Runs what `/execute` names, and tells it as the server does. What is typed lands in the file `typed`.
fn execute(home: &Path, request: &Request) -> Answer {
    let asked: Value = serde_json::from_str(&request.body).unwrap();
    let shell = asked["shell"] == true;
    let words: Vec<String> = match &asked["command"] {
        Value::String(line) => vec!["/bin/sh".into(), "-c".into(), line.clone()],
        words => serde_json::from_value(words.clone()).unwrap(),
    };
    assert_eq!(shell, asked["command"].is_string(), "{asked}");
    if words[0] == "python" {
        return fails("[Errno 2] No such file or directory: 'python'");
    }
    let script = words.last().unwrap();
    if script.contains("Xlib") || script.contains("pyautogui") {
        let typed = script.lines().next().and_then(|line| line.strip_prefix("text = "));
        let text = typed.map_or_else(|| "*".to_owned(), |text| serde_json::from_str(text).unwrap());
        let mut file =
            std::fs::OpenOptions::new().append(true).create(true).open(home.join("typed")).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        return says(json!({ "status": "success", "output": "", "error": "", "returncode": 0 }));
    }
    let mut command = Command::new(&words[0]);
    // It has a terminal that tells its text, whatever this machine has.
    let programs = home.with_file_name("programs");
    super::support::folder(&programs);
    // Once; later it is there.
    let _ = std::os::unix::fs::symlink("/bin/true", programs.join("gnome-terminal"));
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    command.args(&words[1..]).current_dir(home).env("HOME", home).env("PATH", path).stdin(Stdio::null());
    match command.output() {
        Ok(done) => says(json!({
            "status": "success",
            "output": String::from_utf8_lossy(&done.stdout),
            "error": String::from_utf8_lossy(&done.stderr),
            "returncode": done.status.code(),
        })),
        Err(error) => fails(&error.to_string()),
    }
}

fn folder(path: &Path) -> Value {
    let mut children = Vec::new();
    for entry in std::fs::read_dir(path).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        children.push(match entry.path().is_dir() {
            true => folder(&entry.path()),
            false => json!({ "type": "file", "name": name }),
        });
    }
    json!({ "type": "directory", "name": path.file_name().unwrap().to_string_lossy(), "children": children })
}

/// The machine; `change` answers in its place.
fn machine(home: PathBuf, change: impl Fn(&str) -> Option<Answer> + Send + Sync + 'static) -> Server {
    Server::start(move |_, request| {
        if let Some(answer) = change(&request.path) {
            return answer;
        }
        let asked = || serde_json::from_str::<Value>(&request.body).unwrap();
        match request.path.as_str() {
            "/platform" => Answer::new("200 OK", "text/html", "Linux"),
            "/screenshot" => Answer::new("200 OK", "image/png", picture()),
            "/screen_size" => says(json!({ "width": 600, "height": 400 })),
            "/accessibility" => says(json!({ "AT": TREE })),
            "/terminal" => says(json!({ "output": "$ ls", "status": "success" })),
            "/execute" | "/setup/execute" => execute(&home, request),
            "/setup/launch" | "/setup/activate_window" => Answer::new("200 OK", "text/html", "done"),
            "/setup/close_window" => Answer::new("404 NOT FOUND", "text/html", "not found"),
            "/setup/open_file" => match Path::new(asked()["path"].as_str().unwrap()).exists() {
                true => Answer::new("200 OK", "text/html", "File opened and window activated successfully"),
                false => Answer::new("404 NOT FOUND", "text/html", "Application/file not found"),
            },
            "/setup/upload" => {
                let path = PathBuf::from(field(request, "file_path"));
                let content = field(request, "file_data");
                write(path, &content);
                Answer::new("200 OK", "text/html", format!("File Uploaded: {} bytes", content.len()))
            }
            "/file" => match std::fs::read(field(request, "file_path")) {
                Ok(bytes) => Answer::new("200 OK", "application/octet-stream", bytes),
                Err(_) => {
                    let said = json!({ "error": "File not found" }).to_string();
                    Answer::new("404 NOT FOUND", "application/json", said)
                }
            },
            "/list_directory" => {
                says(json!({ "directory_tree": folder(Path::new(asked()["path"].as_str().unwrap())) }))
            }
            other => panic!("{other} is not to be asked"),
        }
    })
}

/// Tasks of everything that a private display does not give, too.
fn tasks(dir: &Path, list: &str) {
    let printed = "echo {CLIENT_PASSWORD} {SCREEN_WIDTH} sudo > ~/said; echo /home/user";
    let prepared = json!([
        step("download", json!({ "files": [{ "url": list, "path": "/home/user/Documents/list.txt" }] })),
        step("open", json!({ "path": "/home/user/Documents/list.txt" })),
        step("launch", json!({ "command": ["cat", "a"] })),
        step("activate_window", json!({ "window_name": "list" })),
        step("close_window", json!({ "window_name": "none" })),
        step("execute", json!({ "command": printed, "shell": true, "stdout": "out.txt" })),
        step("execute", json!({ "command": ["python3", "-c", "import pyautogui; pyautogui.size()"] })),
        step("sleep", json!({ "seconds": 0.1 })),
    ]);
    let shown = |line: &str| json!({ "type": "vm_command_line", "command": line, "shell": true });
    let rule = |rules: Value| json!({ "type": "rule", "rules": rules });
    let note = json!({
        "instruction": "Type milk.",
        "config": prepared,
        "evaluator": {
            "func": ["exact_match", "exact_match", "check_include_exclude", "compare_text_file", "check_accessibility_tree", "check_moved_jpgs", "exact_match"],
            "result": [
                shown("cat ~/typed"),
                shown("cat /home/user/said"),
                json!({ "type": "vm_terminal_output" }),
                json!({ "type": "vm_file", "path": "/home/user/Documents/list.txt", "dest": "list.txt" }),
                json!({ "type": "accessibility_tree" }),
                json!({ "type": "list_directory", "path": "/home/user/Documents" }),
                json!({ "type": "vm_file", "path": "/home/user/none", "dest": "none" }),
            ],
            "expected": [
                // The script of the setup first, as it is written.
                rule(json!({ "expected": "*milk" })),
                rule(json!({ "expected": "secret 600 sudo\n" })),
                rule(json!({ "include": ["$ ls"] })),
                json!({ "type": "cloud_file", "path": list, "dest": "gold.txt" }),
                rule(json!([{ "selectors": ["frame[st|active=true] push-button[name=Save]"] }])),
                rule(json!({ "expected": ["list.txt"] })),
                rule(json!({ "expected": null })),
            ],
        },
    });
    Tasks(dir).add("note", note, Some(json!([{ "do": "type", "text": "milk" }])));
    let never =
        json!({ "instruction": "Fold the screen.", "config": [], "evaluator": { "func": "infeasible" } });
    Tasks(dir).add("never", never, Some(json!([{ "do": "infeasible", "text": "it does not fold" }])));
    let lacking = json!({
        "instruction": "Play it.",
        "config": [step("launch", json!({ "command": ["no-such-program-here"] }))],
        "evaluator": { "func": "infeasible" },
    });
    Tasks(dir).add("lacking", lacking, None);
}

#[test]
fn tasks_are_played_and_judged_on_a_machine_elsewhere() {
    let dir = tempdir();
    let home = dir.join("there/home");
    super::support::folder(&home);
    let documents = Server::start(|_, _| Answer::new("200 OK", "application/octet-stream", "bread\n"));
    tasks(&dir, &documents.url("/list.txt"));
    let server = machine(home.clone(), |_| None);
    let device = format!("osworld:{}", server.url(""));
    // What sets the machine back, counted.
    let reset = dir.join("reset");
    let (home, count) = (home.display(), dir.join("count"));
    let script = format!("#!/bin/sh\nfind '{home}' -mindepth 1 -delete && echo x >> '{}'\n", count.display());
    write(&reset, script);
    let words = format!("sh {}", reset.display());
    let place = format!("--osworld-dir tasks --osworld-cache cache --device {device}");
    let base =
        format!("eval osworld {place} --agent reference --agent noop --attempts 1 --osworld-password secret");
    let with = |more: &str| waldo(&dir, &format!("{base} {more}")).within(Duration::from_secs(300));

    // Without a fresh state for each episode nothing is played.
    with("--allow-shell --out r").exits(4).warns("--reset-command");
    assert!(server.requests().is_empty());

    // Commands of tasks run there only where somebody said so.
    let got = with(&format!("--reset-command '{words}' --out quiet --json")).exits(7).json();
    let why = "machine commands of the task's own (--allow-shell)";
    let lacks = format!("{why}, program no-such-program-here");
    assert_eq!(left_out(&got), [("lacking", lacks.as_str()), ("note", why)]);

    let got = with(&format!("--reset-command '{words}' --allow-shell --out r --json")).exits(7).json();
    assert_eq!(left_out(&got), [("lacking", "program no-such-program-here")]);
    for (agent, task, wanted) in [
        ("reference", "note", 1.0),
        ("noop", "note", 0.0),
        ("reference", "never", 1.0),
        ("noop", "never", 0.0),
    ] {
        let (success, whole) = result(&dir.join("r"), agent, task);
        assert_eq!(success, wanted, "{agent} {task}: {whole}");
    }
    // Before each episode of both runs.
    assert_eq!(text_in(count).lines().count(), 2 + 4);
    // What a command said was kept here, by the name that the task gives it and no other.
    assert!(dir.join("r/episodes/reference/note/r0/osworld/out.txt").is_file());
    text_in(dir.join("r/manifest.json")).lacks("secret");
}

#[test]
fn a_machine_that_lies_or_hangs_up_makes_attempts_invalid() {
    let dir = tempdir();
    let home = dir.join("home");
    super::support::folder(&home);
    let documents = Server::start(|_, _| Answer::new("200 OK", "application/octet-stream", "bread\n"));
    tasks(&dir, &documents.url("/list.txt"));
    for (out, path, answer, told) in [
        ("a", "/screen_size", ("200 OK", r#"{"width": 0, "height": 400}"#), "screen_size"),
        ("b", "/setup/upload", ("500 INTERNAL SERVER ERROR", r#"{"error": "disk full"}"#), "disk full"),
        ("c", "/accessibility", ("200 OK", r#"{"AT": 7}"#), "no text"),
    ] {
        let server = machine(home.clone(), move |asked| {
            (asked == path).then(|| Answer::new(answer.0, "application/json", answer.1))
        });
        let place = format!("--osworld-dir tasks --osworld-cache cache --device osworld:{}", server.url(""));
        let rights = "--allow-shell --reset-command true --osworld-password secret";
        let args = format!(
            "eval osworld {place} --agent reference --attempts 1 --task note {rights} --out {out} --json"
        );
        let _ = std::fs::remove_file(home.join("typed"));
        let got = waldo(&dir, &args).within(Duration::from_secs(120)).exits(3).json();
        got["invalid"][0]["reason"].as_str().unwrap().says(told);
    }
    // Nobody there.
    let args = "eval osworld --osworld-dir tasks --device osworld:http://127.0.0.1:1 --agent noop \
        --reset-command true";
    waldo(&dir, args).exits(4).warns("it has to run when the run begins");
}

//! Running the built binary.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead as _, BufReader, Write as _};
use std::ops::Deref;
pub use std::path::{Path, PathBuf};
use std::process::Output;
pub use std::process::{Child, Command, Stdio};
pub use std::time::{Duration, Instant};

pub use serde_json::{Value, json};

pub use super::server::*;

/// A run of `waldo` that must end within `limit`.
pub struct Waldo {
    command: Command,
    limit: Duration,
}

#[derive(Debug)]
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    pub fn of(done: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: done.status.code().unwrap_or(-1),
            stdout: text(&done.stdout),
            stderr: text(&done.stderr),
        }
    }

    /// Waits for a process that was started.
    pub fn awaited(child: Child) -> Self {
        Self::of(&child.wait_with_output().unwrap())
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("no JSON ({e}):\n{}\n{}", self.stdout, self.stderr))
    }

    #[track_caller]
    pub fn prints(mut self, part: impl AsRef<str>) -> Self {
        self.stdout = self.stdout.says(part);
        self
    }

    #[track_caller]
    pub fn never_prints(mut self, part: impl AsRef<str>) -> Self {
        self.stdout = self.stdout.lacks(part);
        self
    }

    #[track_caller]
    pub fn warns(mut self, part: impl AsRef<str>) -> Self {
        self.stderr = self.stderr.says(part);
        self
    }

    #[track_caller]
    pub fn never_warns(mut self, part: impl AsRef<str>) -> Self {
        self.stderr = self.stderr.lacks(part);
        self
    }

    /// Panics with all output unless the exit code is `code`.
    #[track_caller]
    pub fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}

/// A text that is held against its parts on its way.
pub trait Says {
    fn says(self, part: impl AsRef<str>) -> Self;
    fn lacks(self, part: impl AsRef<str>) -> Self;
}

impl<T: AsRef<str>> Says for T {
    #[track_caller]
    fn says(self, part: impl AsRef<str>) -> Self {
        assert!(self.as_ref().contains(part.as_ref()), "{}: {}", part.as_ref(), self.as_ref());
        self
    }

    #[track_caller]
    fn lacks(self, part: impl AsRef<str>) -> Self {
        assert!(!self.as_ref().contains(part.as_ref()), "{}: {}", part.as_ref(), self.as_ref());
        self
    }
}

/// The arguments of a command: one by one, or a line of words between blanks, where `'a b'` is one.
pub trait Args {
    fn args(&self) -> Vec<OsString>;
}

impl Args for &str {
    fn args(&self) -> Vec<OsString> {
        let parts = self.split('\'').enumerate().map(|(n, part)| match n % 2 {
            0 => words(part),
            _ => vec![part],
        });
        parts.flatten().map(OsString::from).collect()
    }
}

impl Args for &String {
    fn args(&self) -> Vec<OsString> {
        self.as_str().args()
    }
}

impl<S: AsRef<OsStr>> Args for &[S] {
    fn args(&self) -> Vec<OsString> {
        self.iter().map(OsString::from).collect()
    }
}

impl<S: AsRef<OsStr>> Args for &Vec<S> {
    fn args(&self) -> Vec<OsString> {
        self.as_slice().args()
    }
}

impl<S: AsRef<OsStr>, const N: usize> Args for &[S; N] {
    fn args(&self) -> Vec<OsString> {
        self.as_slice().args()
    }
}

/// `waldo` with `args`, in the folder `dir`.
pub fn waldo(dir: &Path, args: impl Args) -> Waldo {
    let mut command = Command::new(env!("CARGO_BIN_EXE_waldo"));
    command.args(args.args()).current_dir(dir).env("NO_COLOR", "1").env_remove("OPENAI_API_KEY");
    // The tester's own configuration is none of the tests' business.
    command.env("XDG_CONFIG_HOME", dir.join("no-config"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("WALDO_")) {
        command.env_remove(name);
    }
    Waldo { command, limit: Duration::from_secs(300) }
}

/// A command line's arguments, none of which holds a blank.
pub fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// The same with a value in the place of each `{}`, as it is.
pub fn filled<'a>(line: &'a str, values: &[&'a str]) -> Vec<&'a str> {
    let mut values = values.iter();
    let all = words(line).into_iter().map(|word| if word == "{}" { values.next().unwrap() } else { word });
    let all = all.collect();
    assert_eq!(values.next(), None, "{line}");
    all
}

impl Waldo {
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Has it run as another user, which takes root.
    pub fn under_user(mut self, user: u32) -> Self {
        use std::os::unix::process::CommandExt as _;
        self.command.uid(user).gid(user);
        self
    }

    /// Starts it and leaves it running, with both its outputs to be read.
    pub fn start_told(mut self) -> Child {
        self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Starts it and leaves it running, to be spoken to and heard.
    pub fn start_talking(mut self) -> Child {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    pub fn start(mut self) -> Child {
        self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Starts it and leaves it running; what it says to standard error can be read.
    pub fn start_heard(mut self) -> Child {
        self.command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Gives it this long instead of five minutes.
    pub fn within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Runs it to an end with success.
    #[track_caller]
    pub fn ok(self) -> Ended {
        self.run().expect_code(0)
    }

    #[track_caller]
    pub fn exits(self, code: i32) -> Ended {
        self.run().expect_code(code)
    }

    /// Runs it to an end without success.
    #[track_caller]
    pub fn fails(self) -> Ended {
        let ended = self.run();
        assert_ne!(ended.code, 0, "stdout:\n{}\nstderr:\n{}", ended.stdout, ended.stderr);
        ended
    }

    /// What it prints as JSON, with success.
    #[track_caller]
    pub fn json(self) -> Value {
        self.ok().json()
    }

    #[track_caller]
    pub fn said(self) -> String {
        self.ok().stdout
    }

    #[track_caller]
    pub fn run(mut self) -> Ended {
        let child =
            self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let pid = child.id();
        let (send, receive) = std::sync::mpsc::channel();
        std::thread::spawn(move || send.send(child.wait_with_output()));
        let done = receive.recv_timeout(self.limit).unwrap_or_else(|_| {
            let _ = Command::new("kill").arg("-9").arg(pid.to_string()).status();
            panic!("waldo did not end within {:?}", self.limit)
        });
        Ended::of(&done.unwrap())
    }
}

/// `waldo demo record`, which is told this on its standard input.
pub fn demonstrated(dir: &Path, args: &[&str], typed: &str) -> Ended {
    let args = [&["demo", "record", "--json"], args].concat();
    let mut child = waldo(dir, &args).env("XDG_CACHE_HOME", dir.to_str().unwrap()).start_talking();
    // One that refuses may have ended before it is told anything.
    let _ = child.stdin.take().unwrap().write_all(typed.as_bytes());
    Ended::awaited(child)
}

/// Waits this many seconds at the most.
#[track_caller]
pub fn until(what: &str, seconds: u64, mut condition: impl FnMut() -> bool) {
    let (start, limit) = (Instant::now(), Duration::from_secs(seconds));
    while !condition() {
        assert!(start.elapsed() < limit, "{what}: not within {limit:?}");
        std::thread::yield_now();
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

/// Processes (pid, command line) whose command line contains `text`.
pub fn processes(text: &str) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let Ok(line) = std::fs::read(entry.path().join("cmdline")) else { continue };
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(text) {
            found.push((pid, line));
        }
    }
    found
}

#[track_caller]
pub fn text_in(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[track_caller]
pub fn json_in(path: impl AsRef<Path>) -> Value {
    serde_json::from_str(&text_in(path)).unwrap()
}

/// Makes a folder and those above it.
pub fn folder(path: impl AsRef<Path>) {
    std::fs::create_dir_all(path).unwrap();
}

/// Writes a file, and makes its folder.
pub fn write(path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
    folder(path.as_ref().parent().unwrap());
    std::fs::write(path, content).unwrap();
}

/// A folder that is removed when this is dropped.
pub struct Dir(pub tempfile::TempDir);

impl Deref for Dir {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

impl<T: ?Sized> AsRef<T> for Dir
where
    Path: AsRef<T>,
{
    fn as_ref(&self) -> &T {
        self.0.path().as_ref()
    }
}

pub fn tempdir() -> Dir {
    Dir(tempfile::tempdir().unwrap())
}

/// Ends a process, and waits for its end.
#[track_caller]
pub fn kill(child: &mut Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The first line that a process prints.
pub fn first_line(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    line
}

/// Sends a process a signal, such as `-TERM`.
#[track_caller]
pub fn signal(pid: u32, signal: &str) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
}

/// A process that is ended with this.
pub struct Ends(pub Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// Fails where a value has not these fields, each named by the way to it: `result/claim`.
#[track_caller]
pub fn has(value: &Value, wanted: Value) {
    for (field, wanted) in wanted.as_object().unwrap() {
        let found = value.pointer(&format!("/{field}")).unwrap_or(&Value::Null);
        assert_eq!(found, wanted, "{field}: {value}");
    }
}

/// Every contestant of what `eval --json` prints solved all that it played, and nothing is invalid.
#[track_caller]
pub fn all_solved(said: &Value) {
    said["table"].as_array().unwrap().iter().for_each(|row| has(row, json!({ "sr": 1.0, "invalid": 0 })));
}

/// A JSON object with fields put in or replaced.
pub fn with(mut object: Value, more: &Value) -> Value {
    object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    object
}

/// A suite in the folder `name` of `dir` whose tasks are pages of their own: id, page, TOML of the checks.
pub fn suite(dir: &Path, name: &str, tasks: &[(&str, &str, &str)]) {
    let suite = dir.join(name);
    let order = tasks.iter().map(|(id, ..)| format!("\"{id}\"")).collect::<Vec<_>>().join(", ");
    write(suite.join("suite.toml"), suite_head(name, "web", 3, &order));
    for (id, page, checks) in tasks {
        write(suite.join("site").join(id).join("index.html"), page);
        let head = format!("id = \"{id}\"\ntitle = \"T\"\ncategory = \"c\"\ngoal = \"Leave {id} alone.\"");
        let task = format!(
            "{head}\nstart = \"/{id}/\"\n{checks}\n[[reference]]\ndo = \"key\"\nchord = \"Escape\"\n"
        );
        write(suite.join("tasks").join(format!("{id}.toml")), task);
    }
}

/// The `suite.toml` of a suite whose tasks stand in `order`, each in quotation marks.
pub fn suite_head(id: &str, platform: &str, max_steps: u32, order: &str) -> String {
    format!(
        "format = 1\nid = \"{id}\"\ntitle = \"T\"\nlevel = \"L3\"\nplatform = \"{platform}\"\n\
         max_steps = {max_steps}\norder = [{order}]\n"
    )
}

/// All files below a folder; those that vanish meanwhile are none.
fn all_files(root: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() { &mut folders } else { &mut found }.push(path);
        }
    }
    found
}

/// The files of this name below a folder.
pub fn files(root: &Path, name: &str) -> Vec<PathBuf> {
    all_files(root).into_iter().filter(|path| path.ends_with(name)).collect()
}

/// The files below a folder, of which there are some, that hold one of the texts.
pub fn holding(root: &Path, texts: &[&str]) -> Vec<PathBuf> {
    let all = all_files(root);
    assert!(!all.is_empty(), "{} holds no files", root.display());
    let holds = |path: &PathBuf| {
        let said = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        texts.iter().any(|text| said.contains(text))
    };
    all.into_iter().filter(holds).collect()
}

/// The JSON of each line of a file.
pub fn lines(file: impl AsRef<Path>) -> Vec<Value> {
    text_in(file).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// All events of one kind below a folder.
pub fn events_of(record: &Path, kind: &str) -> Vec<Value> {
    events(record).into_iter().filter(|event| event["event"] == kind).collect()
}

/// All events below a folder.
pub fn events(record: &Path) -> Vec<Value> {
    files(record, "events.jsonl").iter().flat_map(lines).collect()
}

/// The row of a contestant in what `eval --json` prints.
pub fn row<'a>(said: &'a Value, contestant: &str) -> &'a Value {
    let mut rows = said["table"].as_array().unwrap().iter();
    rows.find(|row| row["contestant"]["name"] == contestant)
        .unwrap_or_else(|| panic!("no {contestant}: {said}"))
}

pub fn profiles(temp: &Path) -> Vec<OsString> {
    let names = std::fs::read_dir(temp).unwrap().flatten().map(|entry| entry.file_name());
    names.filter(|name| name.to_string_lossy().starts_with("waldo-")).collect()
}

//! Keys and secrets are in no environment while an agent plays: neither in waldo's own, nor in one of a program
//! that waldo starts.

use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;

use super::desktop::{desk, need};
use super::support::*;

/// Variables that only waldo may know, by name.
const HIDDEN: [(&str, &str); 4] = [
    ("OPENAI_API_KEY", "key-7c1d9b"),
    ("MY_PIN", "pin-55a0e2"),
    ("GROUNDER_API_KEY", "key-91fe03"),
    ("SOMETHING_ELSE", "else-2b7a64"),
];

/// A task whose terminal writes down every environment that it may read.
fn task(script: &Path) -> String {
    format!(
        "id = \"one\"\ntitle = \"Look\"\ncategory = \"terminal\"\ngoal = \"Wait.\"\n\
         start = \"xterm -e sh {}\"\n[[check]]\nkind = \"file\"\npath = \"done\"\ncontains = \"done\"\n{}",
        script.display(),
        "[[reference]]\ndo = \"wait\"\n".repeat(6)
    )
}

/// What a terminal within a private desktop reads of environments while waldo plays as this user.
fn seen_by(user: Option<u32>) -> String {
    need(&["xterm"]);
    // Where another user can get to.
    let dir = Dir(tempfile::Builder::new().prefix("waldo-environment-").tempdir_in("/tmp").unwrap());
    let (script, seen, program) = (dir.join("look.sh"), dir.join("seen"), dir.join("waldo"));
    std::fs::copy(env!("CARGO_BIN_EXE_waldo"), &program).unwrap();
    let look = "cat /proc/[0-9]*/environ 2>/dev/null";
    let text = format!("{look} >'{}'\necho done >\"$HOME/done\"\nread -r _\n", seen.display());
    write(&script, text);
    desk(&dir, &task(&script));
    let mut command = Command::new(&program);
    command
        .args(["eval", "./desk", "--device", "desktop", "--agent", "reference", "--out", "r", "--no-report"])
        // In a sandbox it would see no other process at all.
        .args(["--secret", "pin=MY_PIN", "--sandbox", "off"])
        .current_dir(&dir)
        .env_clear()
        .envs(HIDDEN)
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", &dir)
        .env("TMPDIR", &dir)
        .stdin(Stdio::null());
    if let Some(user) = user {
        for path in [dir.to_path_buf(), dir.join("desk")] {
            chown(path, Some(user), Some(user)).unwrap();
        }
        command.uid(user).gid(user);
    }
    std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o755)).unwrap();
    let out = command.output().unwrap();
    assert!(out.status.success(), "{out:?}");
    let found = String::from_utf8_lossy(&std::fs::read(seen).unwrap()).into_owned();
    // It was read while waldo played, and by who may read what the same user does.
    assert!(found.contains("WALDO_DESKTOP="), "{found}");
    found
}

#[track_caller]
fn hides(found: &str) {
    for (name, value) in HIDDEN {
        assert!(!found.contains(value), "the value of {name} can be read");
    }
}

#[test]
fn a_terminal_in_a_desktop_finds_neither_key_nor_secret_whoever_the_user_is() {
    let found = seen_by(None);
    hides(&found);
    if rustix::process::geteuid().is_root() {
        // Root reads waldo's own, too.
        assert!(found.contains("WALDO_HANDED="), "{found}");
    }
    if rustix::process::geteuid().is_root() {
        let found = seen_by(Some(65534));
        hides(&found);
        // Not even what is left of it.
        assert!(!found.contains("WALDO_HANDED="), "{found}");
    }
}

#[test]
fn a_browser_and_an_adb_server_get_what_was_built_for_them() {
    let dir = tempdir();
    let with_hidden = |args: &str| {
        let all = waldo(&dir, args).env("HOME", dir.to_str().unwrap());
        HIDDEN.into_iter().fold(all, |all, (name, value)| all.env(name, value))
    };
    let (browser, told) = (dir.join("browser"), dir.join("told"));
    write(&browser, format!("#!/bin/sh\nenv >'{}'\nexit 1\n", told.display()));
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let page = "--url http://127.0.0.1:9/ --allow http://127.0.0.1:9";
    let ended = with_hidden(&format!("elements {page} --browser {}", browser.display())).run();
    let told = std::fs::read_to_string(told).unwrap_or_else(|e| panic!("{e}: {ended:?}")).says("PATH=");
    hides(&told);

    // The server outlives who started it.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let open = "--open com.android.settings --agent noop --out o x";
    with_hidden(&format!("run --device android --adb-server {port} {open}")).exits(5);
    let servers = || -> Vec<String> {
        let own = processes("fork-server").into_iter().filter(|(_, line)| line.contains(&port));
        own.filter_map(|(pid, _)| std::fs::read(format!("/proc/{pid}/environ")).ok())
            .map(|environ| String::from_utf8_lossy(&environ).into_owned())
            .collect()
    };
    until("the adb server to run", 20, || !servers().is_empty());
    let environs = servers();
    Command::new("adb").args(["-P", &port, "kill-server"]).env("HOME", &dir).output().unwrap();
    environs.iter().for_each(|environ| hides(environ));
}

#[test]
fn what_is_handed_over_is_read_and_a_forged_pipe_is_refused() {
    let dir = tempdir();
    // A secret that is looked for by name is found behind the start anew.
    let args = "run --url http://127.0.0.1:9/ --agent noop --secret pin=MY_PIN x";
    waldo(&dir, args).exits(4).warns("MY_PIN is not set");
    waldo(&dir, args).env("MY_PIN", "abc").exits(4).warns("fewer than");
    // More than a pipe holds at first.
    waldo(&dir, args).env("MY_PIN", "abc").env("LARGE", &"x".repeat(120_000)).exits(4).warns("fewer than");
    waldo(&dir, args).env("WALDO_HANDED", "0").exits(1).warns("unset it");
}

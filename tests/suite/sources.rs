//! Rules for the sources that no compiler knows.

use super::support::*;

/// Files of Rust below `folder`, but tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() {
            if !["tests", "benches", "examples"].contains(&name.as_str()) {
                sources(&path, found);
            }
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// Lines of production code in `folder` with one of `words`, but in `allowed`.
fn holding(folder: &str, words: &[&str], allowed: &[&str]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join(folder), &mut files);
    assert!(!files.is_empty(), "{folder}");
    let mut found = Vec::new();
    for file in files {
        let name = file.strip_prefix(root).unwrap().display().to_string();
        let text = text_in(&file);
        let code = text.split("#[cfg(test)]\nmod").next().unwrap_or_default();
        if !allowed.contains(&name.as_str()) {
            let lines = code.lines().filter(|line| words.iter().any(|word| line.contains(word)));
            found.extend(lines.map(|line| format!("{name}: {}", line.trim())));
        }
    }
    found
}

#[test]
fn programs_are_started_in_one_place() {
    // The worker of scripts gets no environment at all, and tries in vain to start a program; `peer.rs` starts some in its
    // tests; the last two make command lines, not programs.
    let allowed = words(
        "devices/src/peer.rs devices/src/child.rs agents/cage/src/parent.rs \
         agents/cage/src/escape_probe.rs src/cli/eval/rows.rs src/config/values.rs",
    );
    for folder in ["src", "devices", "prompts/src", "agents", "tasks"] {
        let starts = ["Command::new(", "Process::new(", "process::Command::new"];
        let found = holding(folder, &starts, &allowed);
        assert_eq!(found, [""; 0], "use waldo_devices::child");
    }
}

#[test]
fn files_of_others_are_read_in_one_place() {
    // What these read is the system's (/proc, descriptions of programs and services), waldo's own, or a person's own key
    // and notes; `files.rs` looks at kind and size before, and `cases.rs` is tests.
    let allowed = words(
        "devices/src/peer.rs devices/web/src/processes.rs devices/desktop/src/x11/leftovers.rs \
         devices/desktop/src/x11/process_home.rs devices/desktop/src/x11/sandbox.rs \
         devices/desktop/src/x11/sandboxing.rs devices/desktop/src/x11/mounts.rs \
         devices/desktop/src/x11/session_bus.rs devices/desktop/src/x11/program.rs \
         devices/desktop/src/launch.rs devices/desktop/src/files.rs \
         devices/android/src/screen/capture.rs devices/android/src/adb/wire/key.rs \
         src/cli/worker.rs src/offline/capture.rs tasks/osworld/src/metrics/cases.rs \
         tasks/osworld/src/setup/mod.rs",
    );
    for folder in ["src", "devices", "prompts/src", "agents/src", "tasks"] {
        let found = holding(folder, &["fs::read(", "fs::read_to_string("], &allowed);
        assert_eq!(found, [""; 0], "use waldo_devices::foreign");
    }
}

#[test]
fn variables_are_asked_for_in_one_place() {
    // After the start anew the system knows few of them.
    let found = holding("src", &["env::var", "from_env("], &["src/environment.rs"]);
    assert_eq!(found, [""; 0], "use crate::environment");
}

//! Which program a process runs, by the system's own account.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::launch::name_of;

/// Programs that run another: the script is what counts.
const INTERPRETERS: [&str; 11] =
    ["python", "perl", "bash", "dash", "sh", "ruby", "node", "gjs", "java", "wine", "wish"];

/// The name of the program that `pid` runs, such as `mousepad`; a script's own name where an interpreter
/// runs it; empty when the process is gone or hidden. `.bin` at its end is cut: wrappers start such ones.
pub(crate) fn program_of(pid: u32) -> String {
    let Ok(exe) = fs::read_link(format!("/proc/{pid}/exe")) else { return String::new() };
    // The system notes there that the file was replaced meanwhile.
    let name = name_of(&exe).trim_end_matches(" (deleted)").to_owned();
    let interprets = INTERPRETERS.iter().any(|known| {
        name.strip_prefix(known).is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
    });
    if interprets {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let mut words = line.split(|byte| *byte == 0).skip(1).map(String::from_utf8_lossy);
        if let Some(script) = words.find(|word| !word.starts_with('-')).filter(|word| !word.is_empty()) {
            return name_of(Path::new(script.as_ref()));
        }
    }
    name.strip_suffix(".bin").map(str::to_owned).unwrap_or(name)
}

/// How much a process's main thread has wanted the processor so far: time on it and time waiting for it.
/// Also whether it sleeps now. `None` when it is gone.
pub(crate) fn work_of(pid: u32) -> Option<(Duration, bool)> {
    let sleeps = state_of(pid)? == 'S';
    let counts = fs::read_to_string(format!("/proc/{pid}/schedstat")).unwrap_or_default();
    let wanted = counts.split_whitespace().take(2).filter_map(|n| n.parse::<u64>().ok()).sum();
    Some((Duration::from_nanos(wanted), sleeps))
}

/// The state of a process's main thread, a letter of `/proc/PID/stat`. `None` when it is gone.
pub(crate) fn state_of(pid: u32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before may hold blanks and brackets.
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};

    use super::*;

    #[test]
    fn a_process_has_its_programs_name_and_a_script_its_own() {
        let own = std::env::current_exe().unwrap();
        assert_eq!(program_of(std::process::id()), name_of(&own));
        assert_eq!(program_of(u32::MAX), "");
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("draw-things");
        fs::write(&script, "echo runs\nread line\n").unwrap();
        let mut child = std::process::Command::new("sh")
            .arg(&script)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // While a program is being loaded its name is there already and its words are not.
        let mut said = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
        let name = program_of(child.id());
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(name, "draw-things");
    }
}

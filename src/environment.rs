//! The environment that this command was given, and how little of it is left for others to read.
//!
//! Invariants: a command that reads keys or drives a device starts anew before it does either, as the same
//! process, with an environment that was built for it; what else was there (keys, secrets, whatever it may be)
//! comes over a pipe that is read and closed at once. From then on nobody but root may look into the process,
//! and in what root can read of its environment there is nothing of it. Nothing but this module asks the system
//! for a variable.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::process::CommandExt as _;
use std::sync::OnceLock;

use clap::ArgMatches;
use waldo_devices::{child, word_list};

const PIPE: &str = "WALDO_HANDED";
/// What waldo itself, its libraries and the system's read from the environment, beside what every program gets.
const OWN: [&str; 25] = word_list(
    "NO_COLOR CLICOLOR CLICOLOR_FORCE FORCE_COLOR COLUMNS LINES RUST_BACKTRACE RUST_LIB_BACKTRACE RUST_LOG \
     TOKIO_WORKER_THREADS LLVM_PROFILE_FILE TZDIR TERMINFO SSL_CERT_DIR SSL_CERT_FILE ALL_PROXY HTTPS_PROXY \
     HTTP_PROXY NO_PROXY all_proxy https_proxy http_proxy no_proxy DYLD_LIBRARY_PATH \
     DYLD_FALLBACK_LIBRARY_PATH",
);
/// Flags that name variables with keys, and those that name ones with secrets.
const KEYS: [&str; 4] = ["api_key_env", "grounder_key_env", "judge_key_env", "agent_env"];
const SECRETS: &str = "secrets";

type Variables = BTreeMap<OsString, OsString>;

static GIVEN: OnceLock<Variables> = OnceLock::new();

fn given() -> &'static Variables {
    GIVEN.get_or_init(here)
}

#[allow(clippy::disallowed_methods, reason = "the one place that asks for variables")]
fn here() -> Variables {
    std::env::vars_os().filter(|(name, _)| name != PIPE).collect()
}

pub fn var_os(name: impl AsRef<OsStr>) -> Option<OsString> {
    given().get(name.as_ref()).cloned()
}

pub fn var(name: impl AsRef<OsStr>) -> Option<String> {
    var_os(name)?.into_string().ok()
}

pub fn all() -> BTreeMap<String, String> {
    let text = |(name, value): (&OsString, &OsString)| Some((name.to_str()?.into(), value.to_str()?.into()));
    given().iter().filter_map(text).collect()
}

/// Takes what was handed over, where this process was started anew.
#[allow(clippy::disallowed_methods, reason = "the one place that asks for variables")]
pub fn take() -> io::Result<()> {
    let Some(number) = std::env::var_os(PIPE) else { return Ok(()) };
    let odd = || io::Error::other(format!("{PIPE} is set, which is for waldo's own use; unset it"));
    let number: i32 = number.to_str().and_then(|n| n.parse().ok()).filter(|n| *n > 2).ok_or_else(odd)?;
    let path = format!("/dev/fd/{number}");
    let is_pipe =
        std::os::unix::fs::FileTypeExt::is_fifo(&std::fs::metadata(&path).map_err(|_| odd())?.file_type());
    if !is_pipe {
        return Err(odd());
    }
    let mut bytes = Vec::new();
    File::open(&path)?.read_to_end(&mut bytes)?;
    nix::unistd::close(number)?;
    let mut all = here();
    all.extend(read(&bytes));
    let _ = GIVEN.set(all);
    // Nor may others of this user look into the memory.
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
}

/// Starts this process anew unless it was; comes back where it was, or could not be. `keys` are further variables
/// that hold some.
#[allow(clippy::disallowed_methods, reason = "the one place that asks for variables")]
pub fn cover<'k>(matches: &ArgMatches, keys: impl Iterator<Item = &'k str>) -> io::Result<()> {
    if std::env::var_os(PIPE).is_some() {
        return Ok(());
    }
    let keys: Vec<OsString> = named(matches).into_iter().chain(keys.map(OsString::from)).collect();
    let (stays, handed) = parted(here(), &keys);
    let (reader, mut writer) = io::pipe()?;
    let bytes = written(&handed);
    make_room(&writer, bytes.len())?;
    writer.write_all(&bytes)?;
    drop(writer);
    rustix::io::fcntl_setfd(&reader, rustix::io::FdFlags::empty())?;
    let mut arguments = std::env::args_os();
    let mut anew = child::bare(std::env::current_exe()?);
    if let Some(name) = arguments.next() {
        anew.arg0(name);
    }
    anew.args(arguments).envs(stays).env(PIPE, reader.as_raw_fd().to_string());
    Err(anew.exec())
}

/// Room in a pipe for all of it, since nobody reads while it is written.
fn make_room(pipe: &io::PipeWriter, length: usize) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        if rustix::pipe::fcntl_getpipe_size(pipe)? < length {
            rustix::pipe::fcntl_setpipe_size(pipe, length).map_err(|errno| {
                io::Error::other(format!(
                    "the environment is too large to hand over ({length} bytes): {errno}"
                ))
            })?;
        }
        Ok(())
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = pipe;
        // As much as every system holds.
        if length <= 16 * 1024 { Ok(()) } else { Err(io::Error::other("the environment is too large")) }
    }
}

/// What stays in the environment, and what is handed over.
fn parted(all: Variables, named: &[OsString]) -> (Variables, Variables) {
    let known = |name: &OsString| {
        let is = |known: &&str| name == *known;
        child::HANDED.iter().any(&is) || OWN.iter().any(is)
    };
    all.into_iter().partition(|(name, _)| known(name) && !named.contains(name))
}

/// The variables that the command line says to hold keys and secrets.
fn named(matches: &ArgMatches) -> Vec<OsString> {
    let raw = |id: &str| -> Vec<OsString> {
        let values = matches.try_get_raw(id).ok().flatten();
        values.into_iter().flatten().map(OsStr::to_owned).collect()
    };
    let mut found: Vec<OsString> = KEYS.into_iter().flat_map(raw).collect();
    found.extend(raw(SECRETS).iter().filter_map(|secret| {
        let (_, variable) = secret.to_str()?.split_once('=')?;
        Some(OsString::from(variable.strip_prefix("totp:").unwrap_or(variable)))
    }));
    if let Some((_, below)) = matches.subcommand() {
        found.extend(named(below));
    }
    found
}

/// Variables as the system writes them: each with its end.
fn written(variables: &Variables) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, value) in variables {
        bytes.extend(name.as_bytes());
        bytes.push(b'=');
        bytes.extend(value.as_bytes());
        bytes.push(0);
    }
    bytes
}

fn read(bytes: &[u8]) -> Variables {
    let text = |part: &[u8]| OsString::from_vec(part.to_vec());
    bytes
        .split(|byte| *byte == 0)
        .filter_map(|line| {
            // A name may begin with the sign.
            let at = line.iter().skip(1).position(|byte| *byte == b'=')? + 1;
            Some((text(&line[..at]), text(&line[at + 1..])))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> Variables {
        pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let mut all = variables(&[("A", "1=2"), ("B", ""), ("=C", "x\ny"), ("PATH", "/bin")]);
        all.insert("D".into(), OsString::from_vec(vec![0xff, b'=']));
        assert_eq!(read(&written(&all)), all);
        assert!(read(b"").is_empty());
    }

    #[test]
    fn only_what_is_known_stays_and_nothing_that_is_named() {
        let all = variables(&[
            ("PATH", "/bin"),
            ("NO_COLOR", "1"),
            ("TERM", "my password"),
            ("OPENAI_API_KEY", "key"),
            ("WALDO_MODEL_NAME", "m"),
            ("DB_PASSWORD", "else"),
        ]);
        let (stays, handed) = parted(all, &["TERM".into(), "OPENAI_API_KEY".into()]);
        assert_eq!(stays, variables(&[("PATH", "/bin"), ("NO_COLOR", "1")]));
        assert_eq!(handed.len(), 4);
    }

    #[test]
    fn keys_and_secrets_are_named_by_flags_of_any_depth() {
        use clap::{Arg, Command};
        let flag = |id: &'static str| Arg::new(id).long(id).action(clap::ArgAction::Append);
        let ids = ["api_key_env", "grounder_key_env", "judge_key_env", "secrets", "other"];
        let below = Command::new("b").args(ids.map(flag));
        let root = Command::new("w").subcommand(Command::new("a").subcommand(below));
        let line = "w a b --api_key_env K --grounder_key_env G --judge_key_env J --secrets pin=P --secrets pw=Q --other O";
        let mut found = named(&root.get_matches_from(line.split(' ')));
        found.sort();
        assert_eq!(found, ["G", "J", "K", "P", "Q"]);
    }
}

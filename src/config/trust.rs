//! A project's file that directs requests, keys or programs elsewhere needs a person's trust once.
//!
//! Such a file is found, not named: it may have come with somebody else's files. What it says of addresses, of variables
//! with keys, of the browser and of programs of profiles is hashed; a person who has looked at it trusts that hash, and
//! another one needs trust anew. An address of this machine, and the key that goes there, need none.

use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use waldo_devices::foreign;

use super::{ConfigError, PROJECT_FILE, StartEnvironment, without_keys};

/// The file beside the user's configuration that holds what is trusted.
const STORE: &str = "trusted";
/// Fields that direct requests, with those that name the variable of the key that goes there.
const DIRECTING: [(&str, &str); 2] = [("base-url", "api-key-env"), ("grounder-base-url", "grounder-key-env")];

/// What a file says that needs trust: fields with their values, in order.
pub(super) fn claims(path: &Path, value: &Value) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let browser = |name: &str| value.get("browser")?.get(name)?.as_str();
    if let Some(said) = browser("browser") {
        all.push(("browser.browser".to_owned(), said.to_owned()));
    }
    if let Some(said) = browser("cdp").filter(|said| !is_local(said)) {
        all.push(("browser.cdp".to_owned(), said.to_owned()));
    }
    let sections = ["model", "planner", "native"].map(|name| (name.to_owned(), value.get(name)));
    let contestants = value.get("contestant").and_then(Value::as_object).into_iter().flatten();
    let contestants = contestants.map(|(name, fields)| (format!("contestant.{name}"), Some(fields)));
    for (section, fields) in sections.into_iter().chain(contestants) {
        let Some(fields) = fields else { continue };
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        let mut claim = |name: &str, said: &str| all.push((format!("{section}.{name}"), said.to_owned()));
        for (address, key) in DIRECTING {
            let local = text(address).is_some_and(is_local);
            for name in [address, key].into_iter().filter(|_| !local) {
                text(name).into_iter().for_each(|said| claim(name, said));
            }
        }
        if let Some(said) = text("grounder").filter(|said| !said.strip_prefix("http=").is_none_or(is_local)) {
            claim("grounder", said);
        }
        if let Some(named) = text("profile").filter(|named| named.contains('/'))
            && let Some(exec) = program(&path.with_file_name(named))
        {
            claim("profile", &format!("{named} runs {exec}"));
        }
    }
    all
}

/// Whether an address is of this machine.
fn is_local(address: &str) -> bool {
    url::Url::parse(address).is_ok_and(|url| waldo_agents::http::is_loopback(&url))
}

/// The program of the profile in a folder.
fn program(dir: &Path) -> Option<String> {
    let file = dir.join(crate::profiles::MANIFEST);
    let text = foreign::read_text(dir, &file, foreign::TEXT_BYTES).ok()?;
    let data = super::problem::parse_toml(crate::profiles::MANIFEST, &text).ok()?;
    Some(data.get("hook")?.get("exec")?.to_string())
}

/// The hash of a file's place and of what it claims.
fn fingerprint(path: &Path, claims: &[(String, String)]) -> String {
    let mut hash = Sha256::new();
    let place = path.to_string_lossy();
    let parts = claims.iter().flat_map(|(field, said)| [field.as_str(), said.as_str()]);
    for part in std::iter::once(&*place).chain(parts) {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    HEXLOWER.encode(&hash.finalize())
}

fn store(here: &StartEnvironment) -> Option<PathBuf> {
    Some(here.user_file()?.with_file_name(STORE))
}

fn trusted(here: &StartEnvironment) -> String {
    let bytes = store(here).and_then(|path| foreign::read_named(&path, foreign::TEXT_BYTES).ok());
    bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// Refuses a project's file that claims what nobody trusted.
///
/// # Errors
/// [`ConfigError::Untrusted`] with the fields.
pub(super) fn check(here: &StartEnvironment, path: &Path, value: &Value) -> Result<(), ConfigError> {
    let claims = claims(path, value);
    if claims.is_empty() {
        return Ok(());
    }
    let known = fingerprint(path, &claims);
    if trusted(here).lines().any(|line| line.split(' ').next() == Some(&*known)) {
        return Ok(());
    }
    Err(ConfigError::Untrusted { path: path.to_owned(), claims: described(&claims) })
}

fn described(claims: &[(String, String)]) -> String {
    let each = claims.iter().map(|(field, said)| format!("{field} = {}", without_keys(said)));
    each.collect::<Vec<_>>().join(", ")
}

/// Trusts what the project's file claims now.
///
/// # Errors
/// When there is no such file, it cannot be read, or the trust cannot be kept.
pub fn trust(here: &StartEnvironment) -> Result<(PathBuf, Vec<String>), ConfigError> {
    let failed = |message: String| ConfigError::Trust { message };
    let path = here
        .project_file()
        .ok_or_else(|| failed(format!("there is no {PROJECT_FILE} here or in a folder above")))?;
    super::own(&path)?;
    let bytes = foreign::read_named(&path, foreign::TEXT_BYTES)
        .map_err(|error| failed(format!("{} cannot be read: {error}", path.display())))?;
    let file = path.display().to_string();
    let value = super::problem::parse_toml(&file, &String::from_utf8_lossy(&bytes))?;
    let claims = claims(&path, &value);
    let known = fingerprint(&path, &claims);
    let all = trusted(here);
    if !claims.is_empty() && !all.lines().any(|line| line.starts_with(&known)) {
        let store = store(here)
            .ok_or_else(|| failed("there is no HOME and no XDG_CONFIG_HOME to keep it in".to_owned()))?;
        let kept = |error: std::io::Error| failed(format!("{} cannot be written: {error}", store.display()));
        if let Some(dir) = store.parent() {
            std::fs::create_dir_all(dir).map_err(kept)?;
        }
        std::fs::write(&store, format!("{all}{known} {file}\n")).map_err(kept)?;
    }
    Ok((path, claims.iter().map(|(field, said)| format!("{field} = {}", without_keys(said))).collect()))
}

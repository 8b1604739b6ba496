//! A project's file that directs requests, keys or programs elsewhere needs a person's trust once.
//!
//! What it claims ([`super::claims`]) is hashed, with the bytes of what runs by it; a person who has looked at it trusts
//! that hash, and another one needs trust anew.

use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use waldo_devices::foreign;

use super::claims::{Claim, claims};
use super::{ConfigError, PROJECT_FILE, StartEnvironment};

/// The file beside the user's configuration that holds what is trusted.
const STORE: &str = "trusted";
/// The hash of a file's place and of what it claims; why it cannot be trusted.
fn fingerprint(path: &Path, claims: &[Claim]) -> Result<String, String> {
    let mut hash = Sha256::new();
    let place = path.to_string_lossy();
    let mut parts = Vec::new();
    for claim in claims {
        let bytes = match &claim.bytes {
            None => "",
            Some(Ok(bytes)) => bytes,
            Some(Err(why)) => return Err(format!("{} cannot be trusted: {why}", claim.field)),
        };
        parts.extend([claim.field.as_str(), claim.said.as_str(), bytes]);
    }
    for part in std::iter::once(&*place).chain(parts) {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    Ok(HEXLOWER.encode(&hash.finalize()))
}

fn own_file(here: &StartEnvironment) -> Option<Value> {
    let path = here.user_file()?;
    let bytes = foreign::read_named(&path, foreign::TEXT_BYTES).ok()?;
    super::problem::parse_toml(&path.display().to_string(), &String::from_utf8_lossy(&bytes)).ok()
}

fn store(here: &StartEnvironment) -> Option<PathBuf> {
    Some(here.user_file()?.with_file_name(STORE))
}

fn trusted(here: &StartEnvironment) -> String {
    let bytes = store(here).and_then(|path| foreign::read_named(&path, foreign::TEXT_BYTES).ok());
    bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// Refuses a project's file that claims what nobody trusted.
pub(super) fn check(here: &StartEnvironment, path: &Path, value: &Value) -> Result<(), ConfigError> {
    let claims = claims(path, value, own_file(here).as_ref());
    let known = fingerprint(path, &claims).ok();
    let is_trusted = || {
        known.is_some_and(|known| trusted(here).lines().any(|line| line.split(' ').next() == Some(&*known)))
    };
    if claims.is_empty() || is_trusted() {
        return Ok(());
    }
    let claims: Vec<String> = claims.iter().map(Claim::describe).collect();
    Err(ConfigError::Untrusted { path: path.to_owned(), claims: claims.join(", ") })
}

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
    let claims = claims(&path, &value, own_file(here).as_ref());
    let known = fingerprint(&path, &claims).map_err(&failed)?;
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
    Ok((path, claims.iter().map(Claim::describe).collect()))
}

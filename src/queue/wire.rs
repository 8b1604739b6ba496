//! What goes over the wire. Out to workers: ids, hashes and numbers. Back: names, sizes and hashes of files.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use waldo_devices::foreign::PathName;
use waldo_devices::{DeviceInfo, Platform};
use waldo_tasks::{Contestant, EpisodeKey};

use super::error::{QueueError, Result};

/// The version of the wire: what another speaks is not read.
pub const FORMAT: u32 = 1;
pub const MOST_FILES: usize = 20_000;

/// Whether a run's episodes are handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueState {
    Open,
    /// Whoever plays one ends it; no further one is taken.
    Paused,
}

/// A run that workers may play, as hashes of what they must have themselves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunOffer {
    pub v: u32,
    #[serde(deserialize_with = "token")]
    pub run: String,
    /// The waldo that asks; another version takes nothing.
    pub waldo: String,
    pub state: QueueState,
    pub suites: Vec<OfferedSuite>,
    pub contestants: Vec<OfferedContestant>,
    pub lanes: Vec<Lane>,
    pub seed: u64,
    pub repeats: u32,
    #[serde(default)]
    pub same_instance: bool,
    /// Attempts at an episode before it is invalid.
    pub attempts: u32,
    /// Steps of every episode, where they are not each task's own.
    pub max_steps: Option<u32>,
    /// The look of tags, where it was chosen.
    pub style: Option<String>,
    pub limits: EpisodeLimits,
    pub prompts: String,
    /// Hashes of what else changes results, by its name in the manifest.
    pub parameters: BTreeMap<String, String>,
    /// Seconds without a sign of life after which an episode is somebody else's.
    pub lease: u64,
    /// How often an episode is handed out before it is invalid.
    pub deliveries: u32,
    /// The most bytes of an episode's folder.
    pub max_artifact: u64,
    /// Whether folders go to a shared folder, which each side names itself, or to the server.
    pub shared_folder: bool,
    pub since: Timestamp,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EpisodeLimits {
    /// As `--max-tokens-total`.
    pub tokens: Option<u64>,
    pub usd: Option<f64>,
    pub seconds: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfferedSuite {
    #[serde(deserialize_with = "PathName::text")]
    pub id: String,
    pub hash: String,
    pub platform: Platform,
    pub tasks: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfferedContestant {
    pub contestant: Contestant,
    pub definition: Option<String>,
}

/// Episodes that whoever has the same screen, suite and contestant can play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lane {
    #[serde(deserialize_with = "token")]
    pub id: String,
    pub suite: String,
    pub contestant: String,
    pub episodes: usize,
}

impl Lane {
    pub fn of(suite: &str, contestant: &str, episodes: usize) -> Self {
        let id = hash(&[b"lane", suite.as_bytes(), contestant.as_bytes()]);
        Self { id, suite: suite.to_owned(), contestant: contestant.to_owned(), episodes }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    pub v: u32,
    pub run: String,
    pub key: EpisodeKey,
    /// Known to the run and to who was handed the episode: a result without it is nobody's.
    pub ticket: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedFile {
    /// Its path below the folder, with `/`.
    pub name: String,
    pub size: u64,
    /// SHA-256.
    pub hash: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedEpisode {
    pub v: u32,
    pub run: String,
    pub key: EpisodeKey,
    pub ticket: String,
    pub worker: String,
    /// Where the folder's files are, each content once, in the order in which they are named first.
    pub upload: String,
    pub files: Vec<NamedFile>,
    pub device: DeviceInfo,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerState {
    pub v: u32,
    #[serde(deserialize_with = "token")]
    pub id: String,
    pub host: String,
    pub waldo: String,
    pub lanes: Vec<String>,
    pub slots: usize,
    pub playing: Vec<String>,
    pub played: u64,
    pub refuses: Vec<Refusal>,
    /// Whether it ends when what it plays is handed in.
    pub drains: bool,
    pub at: Timestamp,
}

/// Why a worker takes nothing of a run, or of a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    pub run: String,
    /// The suite or contestant; the whole run where it is empty.
    pub part: String,
    pub why: String,
}

/// A hash of parts that cannot be mistaken for each other, as 32 hexadecimal digits.
pub fn hash(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let mut text = HEXLOWER.encode(&hash.finalize());
    text.truncate(32);
    text
}

pub fn episode_id(key: &EpisodeKey) -> String {
    hash(&[b"episode", key.contestant.as_bytes(), key.task.as_bytes(), &key.repeat.to_le_bytes()])
}

/// A name of letters, digits, `-` and `_` alone, which stands in a subject for itself.
fn is_token(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !text.is_empty() && text.len() <= 64 && text.chars().all(plain)
}

/// Refuses what cannot be the name of a subject.
pub fn check_token(text: &str) -> Result<&str> {
    match is_token(text) {
        true => Ok(text),
        false => {
            let shown: String = text.chars().take(80).collect();
            Err(QueueError::Foreign(format!("{shown:?} is not an id of 1 to 64 letters, digits, - and _")))
        }
    }
}

fn token<'de, D: serde::Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    check_token(&text).map_err(serde::de::Error::custom)?;
    Ok(text)
}

pub fn read<T: serde::de::DeserializeOwned>(what: &str, bytes: &[u8]) -> Result<T> {
    #[derive(Deserialize)]
    struct Version {
        v: u32,
    }
    let version: Version = serde_json::from_slice(bytes)
        .map_err(|e| QueueError::Foreign(format!("{what} cannot be read: {e}")))?;
    if version.v != FORMAT {
        let v = version.v;
        return Err(QueueError::Foreign(format!("{what} is of version {v}; this waldo reads {FORMAT}")));
    }
    serde_json::from_slice(bytes).map_err(|e| QueueError::Foreign(format!("{what} cannot be read: {e}")))
}

pub fn written<T: Serialize>(what: &str, value: &T) -> Result<Vec<u8>> {
    serde_json::to_vec(value)
        .map_err(|e| QueueError::Task(waldo_tasks::TaskError::Internal(format!("{what} as JSON: {e}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_plain_names_and_parts_of_a_hash_are_kept_apart() {
        assert_ne!(hash(&[b"ab", b"c"]), hash(&[b"a", b"bc"]));
        assert!(is_token(&hash(&[b"x"])));
        let key = |task: &str, repeat| EpisodeKey { contestant: "a".into(), task: task.into(), repeat };
        assert_ne!(episode_id(&key("t", 0)), episode_id(&key("t", 1)));
        assert_ne!(episode_id(&key("t", 0)), episode_id(&key("u", 0)));
        for bad in ["", "a.b", "*", ">", "a b", "a\nb", &"x".repeat(65)] {
            assert!(check_token(bad).is_err(), "{bad:?}");
        }
        let lane = r#"{"id": "a.>", "suite": "s", "contestant": "c", "episodes": 1}"#;
        assert!(serde_json::from_str::<Lane>(lane).is_err());
    }

    #[test]
    fn a_message_of_another_version_or_with_more_in_it_is_refused() {
        let work = Work {
            v: FORMAT,
            run: "r".into(),
            key: EpisodeKey { contestant: "c".into(), task: "t".into(), repeat: 0 },
            ticket: "k".into(),
        };
        let mut json = serde_json::to_value(&work).unwrap();
        assert_eq!(read::<Work>("it", &serde_json::to_vec(&json).unwrap()).unwrap(), work);
        json["command"] = "sh".into();
        assert!(read::<Work>("it", &serde_json::to_vec(&json).unwrap()).is_err());
        json["v"] = 2.into();
        let said = read::<Work>("it", &serde_json::to_vec(&json).unwrap()).unwrap_err().to_string();
        assert!(said.contains("version 2"), "{said}");
        let odd =
            r#"{"v": 1, "run": "r", "key": {"contestant": "..", "task": "t", "repeat": 0}, "ticket": ""}"#;
        assert!(read::<Work>("it", odd.as_bytes()).is_err());
    }
}

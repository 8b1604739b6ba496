//! The files of a cassette: their shape, names, and safe writing.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use waldo_devices::foreign;

use super::loopback::Loopback;
use crate::error::ModelError;
use crate::model::{
    ComputerTool, MessagePart, ModelReply, ModelRequest, SampledTokens, Speaker, ToolUse, Unread, Usage,
};

const VERSION: u32 = 1;
/// Ending of a recording's name: `KEY-NNNN.json`.
const ENDING: &str = ".json";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CassetteEntry {
    version: u32,
    /// Order among the recordings of the same request, from 0.
    pub(super) sequence: u32,
    pub(super) request: CassetteRequest,
    /// The request's pictures, small: see [`super::sketch`].
    #[serde(default)]
    pub(super) sketches: Vec<String>,
    pub(super) reply: StoredReply,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CassetteRequest {
    pub(super) model: String,
    pub(super) parameters: Value,
    pub(super) max_tokens: u32,
    pub(super) messages: Vec<CassetteMessage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<ComputerTool>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CassetteMessage {
    pub(super) speaker: Speaker,
    pub(super) parts: Vec<CassettePart>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CassettePart {
    Text(String),
    PngSha256(String),
    /// What the model said, in the form of its wire.
    Said(Value),
    /// What came of a call of a tool; its picture stands behind it.
    Result {
        words: String,
        failed: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredReply {
    pub(super) text: String,
    #[serde(default)]
    pub(super) usage: Usage,
    #[serde(default)]
    pub(super) finish: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) unread: Option<Unread>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) thinking: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) calls: Vec<ToolUse>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) said: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sampled: Option<SampledTokens>,
}

impl StoredReply {
    pub(super) fn of(reply: &ModelReply, loopback: &Loopback) -> Self {
        Self {
            text: loopback.hide(&reply.text),
            usage: reply.usage,
            finish: reply.finish.clone(),
            unread: reply.unread,
            thinking: reply.thinking.as_deref().map(|text| loopback.hide(text)),
            calls: reply.calls.iter().map(|call| called(call, &|text| loopback.hide(text))).collect(),
            said: reply.said.as_deref().map(|said| texts(said, &|text| loopback.hide(text))),
            sampled: reply.sampled.as_deref().cloned(),
        }
    }

    /// The reply, with the servers that a request names for their place holders.
    pub(super) fn shown(&self, loopback: &Loopback) -> ModelReply {
        let show = |text: &str| loopback.show(text);
        ModelReply {
            text: loopback.show(&self.text),
            thinking: self.thinking.as_deref().map(show),
            calls: self.calls.iter().map(|call| Arc::new(called(call, &show))).collect(),
            said: self.said.as_ref().map(|said| Arc::new(texts(said, &show))),
            sampled: self.sampled.clone().map(Arc::new),
            usage: self.usage,
            finish: self.finish.clone(),
            unread: match self.calls.is_empty() {
                true => self.unread.or_else(|| Unread::of(&self.text, self.finish.as_deref())),
                false => self.unread,
            },
            ..ModelReply::default()
        }
    }
}

fn called(call: &ToolUse, other: &dyn Fn(&str) -> String) -> ToolUse {
    ToolUse { does: call.does.iter().map(|value| texts(value, other)).collect(), ..call.clone() }
}

fn texts(value: &Value, other: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(other(text)),
        Value::Array(all) => all.iter().map(|value| texts(value, other)).collect(),
        Value::Object(all) => {
            Value::Object(all.iter().map(|(name, value)| (name.clone(), texts(value, other))).collect())
        }
        plain => plain.clone(),
    }
}

impl CassetteRequest {
    pub(super) fn new(model: &str, parameters: &Value, request: &ModelRequest) -> Self {
        let loopback = Loopback::of(request);
        let messages = request
            .messages
            .iter()
            .map(|message| CassetteMessage {
                speaker: message.speaker,
                parts: message.parts.iter().flat_map(|part| stored(part, &loopback)).collect(),
            })
            .collect();
        Self {
            model: model.to_owned(),
            parameters: sorted(parameters),
            max_tokens: request.max_tokens,
            messages,
            tool: request.tool,
        }
    }

    pub(super) fn key_without_pictures(&self) -> String {
        let mut blind = self.clone();
        for part in blind.messages.iter_mut().flat_map(|message| &mut message.parts) {
            if let CassettePart::PngSha256(hash) = part {
                hash.clear();
            }
        }
        blind.key()
    }

    /// SHA-256, in hexadecimal, of the request as JSON with sorted keys.
    pub(super) fn key(&self) -> String {
        // The struct has string keys only, so it always has a JSON form.
        let json = serde_json::to_value(self).map(|value| sorted(&value)).unwrap_or_default();
        HEXLOWER.encode(&Sha256::digest(json.to_string()))
    }
}

fn stored(part: &MessagePart, loopback: &Loopback) -> Vec<CassettePart> {
    let picture = |png: &[u8]| CassettePart::PngSha256(HEXLOWER.encode(&Sha256::digest(png)));
    match part {
        MessagePart::Text(text) => vec![CassettePart::Text(loopback.hide(text))],
        MessagePart::Png(png) => vec![picture(png)],
        MessagePart::Said(said) => {
            vec![CassettePart::Said(sorted(&texts(said, &|text| loopback.hide(text))))]
        }
        MessagePart::Result(result) => {
            let words = loopback.hide(&result.words);
            let told = CassettePart::Result { words, failed: result.failed };
            std::iter::once(told).chain(result.picture.as_deref().map(picture)).collect()
        }
    }
}

/// The same value with the keys of every object in order: the order that a user wrote parameters in shapes
/// no reply.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort();
            Value::Object(
                names.into_iter().map(|name| (name.clone(), sorted(&fields[name]))).collect::<Map<_, _>>(),
            )
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

fn cassette(path: &Path, message: impl Into<String>) -> ModelError {
    ModelError::Cassette { path: path.display().to_string(), message: message.into() }
}

fn names(dir: &Path) -> Result<Vec<String>, ModelError> {
    let unreadable = |error: std::io::Error| {
        cassette(
            dir,
            format!("the folder cannot be read ({error}); --record-model {} makes it", dir.display()),
        )
    };
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name();
        // Hidden files are half-written ones, or none of ours.
        if let Some(name) = name.to_str().filter(|name| name.ends_with(ENDING) && !name.starts_with('.')) {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Reads the recordings of `dir`, by name and in its order.
pub(super) fn read_all(dir: &Path) -> Result<Vec<(String, CassetteEntry)>, ModelError> {
    names(dir)?
        .into_iter()
        .map(|name| {
            let path = dir.join(&name);
            let bytes = foreign::read(dir, &path, foreign::PICTURE_BYTES)
                .map_err(|error| cassette(&path, format!("it cannot be read ({error})")))?;
            let recording: CassetteEntry = serde_json::from_slice(&bytes).map_err(|error| {
                cassette(&path, format!("it is not a recording ({error}); delete or correct it"))
            })?;
            if recording.version != VERSION {
                let found = recording.version;
                return Err(cassette(
                    &path,
                    format!("it has version {found}, but waldo reads {VERSION}; record it again"),
                ));
            }
            Ok((name, recording))
        })
        .collect()
}

/// Makes `dir` and returns the next sequence number of every key recorded in it.
pub(super) fn prepare(dir: &Path) -> Result<HashMap<String, u32>, ModelError> {
    fs::create_dir_all(dir).map_err(|error| cassette(dir, format!("the folder cannot be made ({error})")))?;
    let mut next = HashMap::new();
    for name in names(dir)? {
        let Some((key, sequence)) = name.strip_suffix(ENDING).and_then(|stem| stem.rsplit_once('-')) else {
            continue;
        };
        if let Ok(sequence) = sequence.parse::<u32>() {
            let after = next.entry(key.to_owned()).or_insert(0_u32);
            *after = (*after).max(sequence.saturating_add(1));
        }
    }
    Ok(next)
}

/// Writes a recording under the next free number of its key, whole or not at all.
pub(super) fn write(
    dir: &Path,
    next: &Mutex<HashMap<String, u32>>,
    request: CassetteRequest,
    sketches: Vec<String>,
    reply: StoredReply,
) -> Result<(), ModelError> {
    let key = request.key();
    let sequence = {
        let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = next.entry(key.clone()).or_insert(0);
        // Another process may record into the same folder.
        while dir.join(file_name(&key, *slot)).exists() {
            *slot += 1;
        }
        *slot += 1;
        *slot - 1
    };
    let path = dir.join(file_name(&key, sequence));
    let recording = CassetteEntry { version: VERSION, sequence, request, sketches, reply };
    let failed = |error: std::io::Error| cassette(&path, format!("it cannot be written ({error})"));
    let mut json = serde_json::to_vec_pretty(&recording).map_err(|error| failed(error.into()))?;
    json.push(b'\n');
    let temporary = dir.join(format!(".{key}-{sequence:04}.{}.tmp", std::process::id()));
    let written = fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(&json).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, &path));
    written.map_err(|error| {
        // What is left would only be litter; the first error is the one to tell.
        let _ = fs::remove_file(&temporary);
        failed(error)
    })
}

fn file_name(key: &str, sequence: u32) -> String {
    format!("{key}-{sequence:04}{ENDING}")
}

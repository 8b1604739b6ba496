//! Recorded replies: a folder with one JSON file for each request that was answered.
//!
//! Invariants: a recording is keyed by everything that shapes a reply (model, parameters, conversation with
//! pictures by their hash, limit) and by nothing else, but a picture drawn again with other noise is the same
//! picture (see `sketch`); a request that was not recorded is an error that
//! names the nearest recording, never a guess; a file is complete or absent. Pictures themselves, the
//! endpoint's address and keys are not recorded. Servers of this machine (whose ports and names differ from
//! run to run) count by the order in which a request names them.

mod loopback;
mod nearest;
mod sketch;
mod store;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use serde_json::Value;
use waldo_devices::Deadline;

use self::loopback::Loopback;
use self::nearest::nearest;
use self::store::{CassetteEntry, CassetteRequest, StoredReply};
use super::{ModelClient, ModelReply, ModelRequest, Wire};
use crate::error::ModelError;

/// The parameter that says which wire it is, where it is not that of chat completions.
pub(crate) const WIRE: &str = "wire";

#[derive(Debug)]
pub struct Replay {
    model: String,
    parameters: Value,
    recordings: Vec<(String, CassetteEntry)>,
    /// Positions in `recordings` by key, in the order of their sequence numbers.
    by_key: HashMap<String, Vec<usize>>,
    /// The same by the key without pictures.
    by_text: HashMap<String, Vec<usize>>,
    asked: Mutex<HashMap<String, usize>>,
}

impl Replay {
    /// Reads the recordings of `dir`, and takes their model and parameters for its own.
    ///
    /// # Errors
    /// [`ModelError::Cassette`] when the folder cannot be read, holds none, holds those of several models
    /// or parameters, or when a file is not a recording.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self, ModelError> {
        let dir = dir.as_ref();
        let recordings = store::read_all(dir)?;
        let first = recordings.first().ok_or_else(|| ModelError::Cassette {
            path: dir.display().to_string(),
            message: "the folder holds no recordings; record some first".to_owned(),
        })?;
        let (model, parameters) = (first.1.request.model.clone(), first.1.request.parameters.clone());
        let other = recordings.iter().find(|(_, recording)| {
            recording.request.model != model || recording.request.parameters != parameters
        });
        if let Some((name, recording)) = other {
            return Err(ModelError::Cassette {
                path: dir.display().to_string(),
                message: format!(
                    "the folder mixes models or parameters: {} has {model} with {parameters}, {name} has {} with {}; give each a folder of its own",
                    first.0, recording.request.model, recording.request.parameters
                ),
            });
        }
        Ok(Self::of(recordings, model, parameters))
    }

    /// Reads the recordings of `dir`, to answer for `model` with `parameters` only, whatever else is there.
    #[cfg(test)]
    fn open_as(
        dir: impl AsRef<Path>,
        model: impl Into<String>,
        parameters: Value,
    ) -> Result<Self, ModelError> {
        Ok(Self::of(store::read_all(dir.as_ref())?, model.into(), parameters))
    }

    fn of(recordings: Vec<(String, CassetteEntry)>, model: String, parameters: Value) -> Self {
        let mut by_key: HashMap<String, Vec<usize>> = HashMap::new();
        for (position, (_, recording)) in recordings.iter().enumerate() {
            by_key.entry(recording.request.key()).or_default().push(position);
        }
        let mut by_text: HashMap<String, Vec<usize>> = HashMap::new();
        for (position, (_, recording)) in recordings.iter().enumerate() {
            by_text.entry(recording.request.key_without_pictures()).or_default().push(position);
        }
        for positions in by_key.values_mut() {
            positions.sort_by_key(|position| recordings[*position].1.sequence);
        }
        Self { model, parameters, recordings, by_key, by_text, asked: Mutex::default() }
    }

    fn answer(&self, request: &ModelRequest) -> Result<&StoredReply, ModelError> {
        let asked = CassetteRequest::new(&self.model, &self.parameters, request);
        let key = match self.by_key.get_key_value(&asked.key()) {
            Some((key, _)) => Some(key.clone()),
            None => self.redrawn(&asked, request),
        };
        let Some((key, positions)) = key.and_then(|key| self.by_key.get(&key).map(|all| (key, all))) else {
            let (nearest, difference) = nearest(&asked, &self.recordings);
            return Err(ModelError::CassetteMiss { nearest, difference });
        };
        let mut counts = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(key).or_insert(0);
        let position = positions[(*count).min(positions.len() - 1)];
        *count += 1;
        Ok(&self.recordings[position].1.reply)
    }

    /// The key of a recording that differs in the noise of its pictures only.
    fn redrawn(&self, asked: &CassetteRequest, request: &ModelRequest) -> Option<String> {
        let same_text = self.by_text.get(&asked.key_without_pictures())?;
        let sketches = sketch::sketches(request);
        let near = |position: &&usize| sketch::alike(&self.recordings[**position].1.sketches, &sketches);
        same_text.iter().find(near).map(|position| self.recordings[*position].1.request.key())
    }
}

#[async_trait]
impl ModelClient for Replay {
    fn model(&self) -> &str {
        &self.model
    }

    fn wire(&self) -> Wire {
        let named = self.parameters.get(WIRE).and_then(Value::as_str);
        named.and_then(|name| name.parse().ok()).unwrap_or_default()
    }

    fn parameters(&self) -> Value {
        self.parameters.clone()
    }

    async fn complete(&self, request: &ModelRequest, _: Deadline) -> Result<ModelReply, ModelError> {
        let started = Instant::now();
        let reply = self.answer(request)?;
        Ok(ModelReply { took: started.elapsed(), ..reply.shown(&Loopback::of(request)) })
    }
}

/// Asks another client and records each reply. Errors are passed on and not recorded.
pub struct Recorder {
    inner: Arc<dyn ModelClient>,
    dir: PathBuf,
    /// The next sequence number by key. A folder that is recorded into again continues its numbers, so that
    /// a run that was stopped and goes on makes one cassette.
    next: Arc<Mutex<HashMap<String, u32>>>,
}

impl Recorder {
    /// Records the replies of `inner` in `dir`, which is made when absent.
    pub fn new(inner: Arc<dyn ModelClient>, dir: impl Into<PathBuf>) -> Result<Self, ModelError> {
        let dir = dir.into();
        let next = store::prepare(&dir)?;
        Ok(Self { inner, dir, next: Arc::new(Mutex::new(next)) })
    }
}

#[async_trait]
impl ModelClient for Recorder {
    fn model(&self) -> &str {
        self.inner.model()
    }

    fn parameters(&self) -> Value {
        self.inner.parameters()
    }

    fn wire(&self) -> Wire {
        self.inner.wire()
    }

    /// A question that no episode asks is not recorded.
    async fn preflight(&self, deadline: Deadline) -> Result<(), ModelError> {
        self.inner.preflight(deadline).await
    }

    async fn reads_webp(&self, deadline: Deadline) -> bool {
        self.inner.reads_webp(deadline).await
    }

    /// A reply that cannot be recorded is an error: a cassette with holes would be found out too late.
    async fn complete(&self, request: &ModelRequest, deadline: Deadline) -> Result<ModelReply, ModelError> {
        let reply = self.inner.complete(request, deadline).await?;
        let asked = CassetteRequest::new(self.inner.model(), &self.inner.parameters(), request);
        let stored = StoredReply::of(&reply, &Loopback::of(request));
        let sketches = sketch::sketches(request);
        let (dir, next) = (self.dir.clone(), Arc::clone(&self.next));
        let shown = self.dir.display().to_string();
        // The disk may be slow; the deadline does not bind it, for the reply is paid for already.
        tokio::task::spawn_blocking(move || store::write(&dir, &next, asked, sketches, stored))
            .await
            .map_err(|error| ModelError::Cassette {
                path: shown,
                message: format!("the recording was not written ({error})"),
            })??;
        Ok(reply)
    }
}

#[cfg(test)]
mod tests;

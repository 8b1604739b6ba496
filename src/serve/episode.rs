//! What the page server knows of one episode: its pages, its state and its requests.
//!
//! Invariant: memory is bounded, whatever a page does: what no longer fits the log is dropped, and the
//! log says so.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use waldo_tasks::suite::{RequestLog, SiteFiles};

const MAX_REQUESTS: usize = 10_000;
/// Bytes of bodies that are kept.
const MAX_LOG_BYTES: usize = 64 * 1024 * 1024;

#[derive(Debug)]
pub struct EpisodePages {
    pub files: SiteFiles,
    pub other_origin: String,
    kept: Mutex<EpisodeState>,
}

#[derive(Debug, Default)]
struct EpisodeState {
    page_seed: u32,
    params: Value,
    state: Value,
    revision: u64,
    requests: Vec<RequestLog>,
    bytes: usize,
    overflowed: bool,
}

impl EpisodePages {
    pub fn new(files: SiteFiles, other_origin: String) -> Self {
        Self { files, other_origin, kept: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, EpisodeState> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn start(&self, page_seed: u32, params: &Value, state: &Value) {
        *self.lock() = EpisodeState {
            page_seed,
            params: params.clone(),
            state: state.clone(),
            ..EpisodeState::default()
        };
    }

    pub fn state(&self) -> Value {
        self.lock().state.clone()
    }

    /// Sets a value at a JSON pointer, where there is such a place, an object that can have it, or a list whose end is
    /// meant (`-`, as in JSON Patch); whether there was.
    pub fn set(&self, pointer: &str, value: Value) -> bool {
        let mut state = self.state();
        if let Some(place) = state.pointer_mut(pointer) {
            *place = value;
        } else {
            let Some((parent, name)) = pointer.rsplit_once('/') else { return false };
            match state.pointer_mut(parent) {
                Some(Value::Object(object)) => {
                    object.insert(name.replace("~1", "/").replace("~0", "~"), value);
                }
                Some(Value::Array(list)) if name == "-" => list.push(value),
                _ => return false,
            }
        }
        self.replace(state);
        true
    }

    /// Takes a new state; gives its number.
    pub fn replace(&self, state: Value) -> u64 {
        let mut kept = self.lock();
        kept.state = state;
        kept.revision += 1;
        kept.revision
    }

    pub fn summary(&self) -> Value {
        let kept = self.lock();
        json!({
            "seed": kept.page_seed,
            "params": kept.params,
            "state": kept.state,
            "revision": kept.revision,
            "other_origin": self.other_origin,
        })
    }

    pub fn file(&self, name: &str) -> Option<String> {
        match self.lock().state.get("files")?.get(name)? {
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        }
    }

    pub fn log(&self, request: RequestLog, bytes: usize) {
        let mut kept = self.lock();
        if kept.requests.len() >= MAX_REQUESTS || kept.bytes.saturating_add(bytes) > MAX_LOG_BYTES {
            kept.overflowed = true;
            return;
        }
        kept.bytes += bytes;
        kept.requests.push(request);
    }

    pub fn requests(&self) -> Vec<RequestLog> {
        self.lock().requests.clone()
    }

    pub fn overflowed(&self) -> bool {
        self.lock().overflowed
    }
}

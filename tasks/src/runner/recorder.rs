//! Events on their way into the run folder.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::error::{Result, TaskError};
use crate::events::{Event, EventKind, EventSink};
use crate::record::{EpisodeFolder, EpisodeKey, RunFolder};

/// Writes every event into the run folder. The first that cannot be written ends the episode
/// ([`EventSink::write_error`]), and with it the run.
#[derive(Debug)]
pub struct Recorder {
    folder: RunFolder,
    /// The latest picture of each episode that is being played, with its name: one that is the same is stored once.
    latest: Mutex<HashMap<EpisodeKey, (String, Vec<u8>)>>,
}

impl Recorder {
    pub fn new(folder: RunFolder) -> Self {
        Self { folder, latest: Mutex::default() }
    }

    fn keep(&self, folder: &EpisodeFolder, key: &EpisodeKey, name: &str, bytes: &[u8]) -> Result<()> {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        match latest.get(key) {
            Some((first, same)) if same == bytes && first != name => folder.same_picture(first, name),
            _ => {
                latest.insert(key.clone(), (name.to_owned(), bytes.to_owned()));
                drop(latest);
                folder.picture(name, bytes)
            }
        }
    }
}

impl EventSink for Recorder {
    fn emit(&self, event: &Event, picture: Option<&[u8]>) {
        let folder = self.folder.episode(&event.episode);
        if folder.write_error().is_some() {
            return;
        }
        let mut written = folder.append(std::slice::from_ref(event));
        match (&event.kind, picture) {
            (EventKind::Observed(seen), Some(bytes)) => {
                if let Some(name) = &seen.picture {
                    written = written.and_then(|()| self.keep(&folder, &event.episode, name, bytes));
                }
            }
            (EventKind::Pictured { picture, .. }, Some(bytes)) => {
                written = written.and_then(|()| folder.picture(picture, bytes));
            }
            _ => {}
        }
        if matches!(event.kind, EventKind::Started { .. } | EventKind::Ended { .. }) {
            self.latest.lock().unwrap_or_else(PoisonError::into_inner).remove(&event.episode);
        }
        if let Err(e) = written {
            tracing::debug!(episode = %event.episode, error = %e, "cannot record");
        }
    }

    fn write_error(&self, episode: &EpisodeKey) -> Option<TaskError> {
        self.folder.episode(episode).write_error()
    }
}

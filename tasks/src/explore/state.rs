//! What an exploration knows between its steps, on disk after each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use waldo_agents::appagent::learn::{Graph, ScreenId};
use waldo_agents::model::Usage;
use waldo_devices::foreign;

use crate::docs::{DocsStore, ElementNote};
use crate::error::{Result, TaskError};
use crate::record::{Outcome, write_json};

const FORMAT: u32 = 1;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default = "ExplorationState::new")]
pub struct ExplorationState {
    pub format: u32,
    /// What names it in the documentation's history: the name of its folder may be used again.
    pub run: String,
    pub step: u32,
    pub history: Option<String>,
    pub note: Option<String>,
    /// What the screen or the device says to that, which the prompt has as untrusted text.
    pub quoted: Option<String>,
    pub graph: Graph,
    /// Useless elements on any screen: AppAgent's set.
    pub useless: BTreeSet<String>,
    pub tapped: Option<String>,
    /// The way that was taken last and whose end is not known yet.
    pub taken: Option<(ScreenId, String)>,
    /// Steps since something new was learnt.
    pub idle: u32,
    pub restarts: u32,
    pub documented: u32,
    pub refined: u32,
    /// Judgements made without a model.
    pub decided_free: u32,
    pub agreed: BTreeSet<String>,
    /// What the stop rule barred: the element and the word.
    pub barred: BTreeMap<String, String>,
    pub usage: Usage,
    pub calls: u32,
    pub bad_replies: u32,
    /// Time spent in earlier parts.
    pub wall: Duration,
    /// What the last step learnt; written to the documentation after this file.
    pub commit: Option<ElementNote>,
    pub ended: Option<(Outcome, String)>,
}

impl ExplorationState {
    /// That of an exploration before its first step.
    pub fn new() -> Self {
        Self { format: FORMAT, ..Self::default() }
    }

    /// Where it is kept within the folder of an exploration.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join("explore.json")
    }

    /// Reads the state of an exploration that was begun; `None` when none was.
    pub fn load(folder: &Path) -> Result<Option<Self>> {
        let path = Self::path(folder);
        let bytes = match foreign::read(folder, &path, foreign::LARGE_BYTES) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(TaskError::Io { what: "read", path, source }),
        };
        let bad = |message: String| TaskError::record(&path, message);
        let state: Self = serde_json::from_slice(&bytes).map_err(|e| bad(e.to_string()))?;
        if state.format == FORMAT {
            Ok(Some(state))
        } else {
            Err(bad(format!("has format {}, this waldo reads {FORMAT}", state.format)))
        }
    }

    pub fn commit(&self, folder: &Path, store: &mut DocsStore) -> Result<()> {
        write_json(&Self::path(folder), self)?;
        self.apply(store)
    }

    /// Writes what was learnt last, unless it is there.
    pub fn apply(&self, store: &mut DocsStore) -> Result<()> {
        if let Some(note) = &self.commit {
            store.document(note)?;
        }
        store.set_graph(&self.graph)
    }
}

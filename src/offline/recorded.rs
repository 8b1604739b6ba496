//! Screens out of runs that kept them without tags.
//!
//! Invariant: a run is a stranger's: names are checked before they become paths, and nothing is read past a limit.

use std::collections::BTreeMap;
use std::path::Path;

use waldo_agents::Decision;
use waldo_devices::foreign::PathName;
use waldo_devices::labels;
use waldo_offline::OfflinePlatform;
use waldo_offline::make::{Pressed, Screen};
use waldo_tasks::events::Observed;
use waldo_tasks::record::TaskEntry;
use waldo_tasks::{EpisodeKey, EventKind, RunFolder, TaskError};

use super::LevelError;
use super::capture::{CapturedScreens, is_whole, pressed};

const PICTURE_BYTES: u64 = 64 << 20;

impl CapturedScreens {
    /// Keeps the screens of a run's episodes that are complete, of all its contestants.
    pub fn take(&self, run: &Path) -> Result<(), LevelError> {
        let folder = RunFolder::open(run)?;
        let mut bare = 0;
        for key in folder.keys() {
            let entry = folder.manifest.tasks.iter().find(|task| task.id == key.task);
            let Some(entry) = entry.filter(|_| folder.episode(&key).is_done()) else { continue };
            bare += self.take_episode(&folder, &key, entry)?;
        }
        if bare == 0 {
            return Err(LevelError::Input(labelled(run)));
        }
        Ok(())
    }

    /// How many pictures without tags the episode has.
    fn take_episode(
        &self,
        folder: &RunFolder,
        key: &EpisodeKey,
        entry: &TaskEntry,
    ) -> Result<usize, LevelError> {
        let episode = folder.episode(key);
        let mut seen: BTreeMap<u32, Box<Observed>> = BTreeMap::new();
        let mut decided: BTreeMap<u32, Box<Decision>> = BTreeMap::new();
        let mut pictures: BTreeMap<u32, String> = BTreeMap::new();
        for event in episode.events()? {
            match event.kind {
                // A later attempt replaces what came before.
                EventKind::Started { .. } => {
                    seen.clear();
                    decided.clear();
                    pictures.clear();
                }
                EventKind::Observed(observed) => {
                    seen.insert(observed.step, observed);
                }
                EventKind::Decided { step, decision, .. } => {
                    decided.insert(step, decision);
                }
                EventKind::Pictured { step, picture } => {
                    pictures.insert(step, picture);
                }
                _ => {}
            }
        }
        let Some(platform) = OfflinePlatform::of(entry.platform) else { return Ok(pictures.len()) };
        let suite = entry.suite.as_deref().unwrap_or(&folder.manifest.suite);
        for (step, picture) in &pictures {
            let Some(observed) = seen.get(step) else { continue };
            if !is_whole(&observed.context, observed.settled) {
                continue;
            }
            let bad = |message: String| TaskError::Record { path: episode.path().join(picture), message };
            let file = PathName::new(picture).map_err(|error| bad(error.to_string()))?;
            let bytes = episode.read(&file, PICTURE_BYTES)?;
            let picture = labels::decode(&bytes).map_err(|error| bad(error.to_string()))?;
            let name = format!("{}-{}-{}-r{}-{step:02}", key.contestant, suite, entry.own_id(), key.repeat);
            let pressed = decided.get(step).and_then(|decision| pressed(&observed.tagged, decision));
            let screen = Screen {
                picture: name.clone(),
                name,
                task: format!("{suite}/{}", entry.own_id()),
                platform,
                app: observed.context.showing().to_owned(),
                size: [picture.width(), picture.height()],
                scale: observed.geometry.scale,
                elements: observed.elements.clone(),
                texts: observed.texts.clone(),
                pressed: pressed.map(|element| Pressed { element, next: String::new() }),
            };
            let of = (format!("{suite} {}", key.contestant), entry.own_id().to_owned(), key.repeat);
            self.add(of, *step, screen, &picture)?;
        }
        Ok(pictures.len())
    }
}

/// What a folder without bare pictures is told.
fn labelled(run: &Path) -> String {
    format!(
        "{} kept no bare pictures: those that it has have tags drawn over the elements. Play it again with \
         --bare-pictures, which keeps each screen without them too, or give --suite, which plays anew",
        run.display()
    )
}

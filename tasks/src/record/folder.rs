use std::path::{Path, PathBuf};
use std::sync::Arc;

use waldo_devices::DeviceInfo;
use waldo_devices::foreign::PathName;

use super::episode_folder::{EpisodeFolder, WriteFailures};
use super::files::{copy_file, copy_files, read_json, write_json};
use super::{Claim, EpisodeKey, EpisodeResult, Manifest, Scoring};
use crate::error::{Result, TaskError};
use crate::lock::FolderLock;
use crate::parallel::on_all_processors;

pub const FORMAT: u32 = 1;

#[derive(Clone, Debug)]
pub struct RunFolder {
    pub(super) path: PathBuf,
    pub manifest: Manifest,
    lost: WriteFailures,
    /// Held by whoever plays or merges into it; readers need none.
    pub(super) _writer: Option<Arc<FolderLock>>,
}

impl RunFolder {
    pub fn open(path: &Path) -> Result<Self> {
        let file = path.join("manifest.json");
        if !file.exists() && !file.is_symlink() {
            return Err(TaskError::record(path, "is not a run folder: it has no manifest.json"));
        }
        let manifest: Manifest = read_json(path, &file, "put a copy back, or give another --out")?;
        if manifest.format != FORMAT {
            let message = format!("has format {}, this waldo reads {FORMAT}", manifest.format);
            return Err(TaskError::record(&file, message));
        }
        Ok(Self::new(path, manifest))
    }

    pub(super) fn new(path: &Path, manifest: Manifest) -> Self {
        Self { path: path.to_owned(), manifest, lost: WriteFailures::default(), _writer: None }
    }

    /// The run that is there, if it is this one; none where there is none.
    pub(super) fn found(path: &Path, manifest: &Manifest) -> Result<Option<Self>> {
        let file = path.join("manifest.json");
        if !file.exists() && !file.is_symlink() {
            return Ok(None);
        }
        let found = Self::open(path)?;
        match Self::difference(&found.manifest, manifest) {
            None => Ok(Some(found)),
            Some(difference) => Err(TaskError::record(
                path,
                format!("holds another run ({difference}); give another --out, or remove the folder"),
            )),
        }
    }

    /// Makes the folder of a run, or opens the one that is there when it is of the same run. Nobody else can
    /// until this and its clones are gone.
    pub fn create_or_resume(path: &Path, manifest: Manifest) -> Result<Self> {
        Claim::of(path, manifest)?.write()
    }

    /// Takes a complete episode over from another folder of the same run, pictures and all. `false`
    /// when that folder does not hold it, or this one already holds a valid result.
    pub fn take(&self, from: &Self, key: &EpisodeKey) -> Result<bool> {
        let (theirs, ours) = (from.episode(key), self.episode(key));
        if ours.is_done() || theirs.result()?.is_none() {
            return Ok(false);
        }
        ours.begin()?;
        copy_files(&from.path, theirs.path(), ours.path())?;
        // Last, so that a copy that was cut off does not count as complete.
        copy_file(&from.path, &theirs.path().join("result.json"), &ours.path().join("result.json"))?;
        Ok(true)
    }

    /// Raises the step budget of every task to `steps`, for a run that goes on under more than it began with.
    pub fn raise_budget(&mut self, steps: u32) -> Result<()> {
        let mut less = self.manifest.tasks.iter_mut().filter(|task| task.max_steps < steps).peekable();
        if less.peek().is_none() {
            return Ok(());
        }
        less.for_each(|task| task.max_steps = steps);
        write_json(&self.path.join("manifest.json"), &self.manifest)
    }

    /// Has each task played `repeats` times, for a run that finds out how often while it is played.
    pub fn set_repeats(&mut self, repeats: u32) -> Result<()> {
        self.manifest.repeats = repeats;
        write_json(&self.path.join("manifest.json"), &self.manifest)
    }

    /// Says what it is played on, where more of that becomes known than when it began.
    pub fn set_device(&mut self, device: DeviceInfo) -> Result<()> {
        self.manifest.device = Some(device);
        write_json(&self.path.join("manifest.json"), &self.manifest)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn episode(&self, key: &EpisodeKey) -> EpisodeFolder {
        // A key is read with the manifest, which has no other names; what else there may be stays in the folder.
        let (contestant, task) = (PathName::like(&key.contestant), PathName::like(&key.task));
        let path = self.path.join("episodes").join(contestant).join(task).join(format!("r{}", key.repeat));
        let unsaid = self.unsaid_scoring(key);
        EpisodeFolder { path, root: self.path.clone(), key: key.clone(), unsaid, lost: self.lost.clone() }
    }

    /// How the success of an episode follows from its checks where its result does not say so: versions before
    /// [`EpisodeResult::scoring`] knew these suites by their names.
    fn unsaid_scoring(&self, key: &EpisodeKey) -> Option<Scoring> {
        let task = self.manifest.tasks.iter().find(|task| task.id == key.task);
        let suite = task.and_then(|task| task.suite.as_deref()).unwrap_or(&self.manifest.suite);
        let parts = ["osworld", "webarena", "bridge"].iter().any(|name| suite.starts_with(name));
        self.manifest.is_judged().then_some(if parts { Scoring::SomeChecks } else { Scoring::AllChecks })
    }

    /// Every episode of the run in the declared order: contestant, repeat, task.
    pub fn keys(&self) -> impl Iterator<Item = EpisodeKey> + '_ {
        let m = &self.manifest;
        m.contestants.iter().flat_map(move |contestant| {
            (0..m.repeats).flat_map(move |repeat| {
                m.tasks.iter().map(move |task| EpisodeKey {
                    contestant: contestant.name.clone(),
                    task: task.id.clone(),
                    repeat,
                })
            })
        })
    }

    /// The results so far, in the declared order.
    pub fn results(&self) -> Result<Vec<EpisodeResult>> {
        let keys: Vec<_> = self.keys().collect();
        let found = on_all_processors(&keys, |key| self.episode(key).result());
        found.into_iter().filter_map(Result::transpose).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::testing;

    #[test]
    fn a_result_says_how_its_success_follows_from_its_checks_and_older_ones_are_known_by_their_suites() {
        let result = testing::result("noop", 0, 0, 1.0, 1);
        for (suite, unsaid) in [("osworld", Scoring::SomeChecks), ("l3-web", Scoring::AllChecks)] {
            let manifest =
                Manifest { suite: suite.into(), suite_hash: "h".into(), ..testing::manifest(1, 1) };
            let episode = RunFolder::new(Path::new("/none"), manifest).episode(&result.key);
            assert_eq!(episode.scoring(&result), Some(unsaid), "{suite}");
            for said in [Scoring::AllChecks, Scoring::SomeChecks] {
                let result = EpisodeResult { scoring: Some(said), ..result.clone() };
                assert_eq!(episode.scoring(&result), Some(said), "{suite}");
            }
        }
    }
}

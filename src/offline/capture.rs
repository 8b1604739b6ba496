//! Keeps the screens of episodes that are played: their pictures without tags, and what the device said of them.
//!
//! Invariant: what is kept is what the agent was shown, whole and at rest: screens that were still moving, that hold more
//! than the device lists, or that a dialog lies over which is in no picture, are passed over.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use image::RgbImage;
use sha2::{Digest as _, Sha256};
use waldo_agents::{Agent, AgentError, Brief, Choice, Decision, Fence, Result, TagScheme, Turn};
use waldo_devices::labels::{self, Tagged};
use waldo_devices::{Action, Button, Clicks, Context, DeviceInfo, Settled};
use waldo_offline::OfflinePlatform;
use waldo_offline::make::{FOLDER, Pressed, Screen};
use waldo_tasks::runner::AgentSource;
use waldo_tasks::{EpisodeKey, TaskError};

/// What is kept, by suite, task and repeat; each screen with its step.
type KeptScreens = BTreeMap<(String, String, u32), Vec<(u32, Screen)>>;

#[derive(Debug)]
pub struct CapturedScreens {
    dir: PathBuf,
    kept: Mutex<KeptScreens>,
}

impl CapturedScreens {
    /// Kept below this folder.
    pub fn into_folder(dir: &Path) -> Result<Self, TaskError> {
        let folder = dir.join(FOLDER);
        std::fs::create_dir_all(&folder).map_err(TaskError::io("make", &folder))?;
        Ok(Self { dir: dir.to_owned(), kept: Mutex::default() })
    }

    /// All of them, in the order of suites, tasks, repeats and steps. Of pictures that are alike one is kept.
    pub fn all(&self) -> Result<Vec<Screen>, TaskError> {
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        let mut seen: HashMap<Vec<u8>, String> = HashMap::new();
        let mut all = Vec::new();
        for episode in kept.into_values() {
            let names: BTreeMap<u32, String> =
                episode.iter().map(|(step, screen)| (*step, screen.name.clone())).collect();
            for (step, mut screen) in episode {
                match (names.get(&(step + 1)), &mut screen.pressed) {
                    (Some(next), Some(pressed)) => pressed.next.clone_from(next),
                    (_, pressed) => *pressed = None,
                }
                let path = screen.file(&self.dir);
                let bytes = std::fs::read(&path).map_err(TaskError::io("read", &path))?;
                let hash = Sha256::digest(bytes).to_vec();
                match seen.get(&hash) {
                    Some(first) => {
                        std::fs::remove_file(&path).map_err(TaskError::io("remove", &path))?;
                        screen.picture.clone_from(first);
                    }
                    None => {
                        seen.insert(hash, screen.name.clone());
                    }
                }
                all.push(screen);
            }
        }
        Ok(all)
    }

    fn begin(&self, of: &ScreenOrigin) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).remove(&of.key());
    }

    fn keep(&self, of: &ScreenOrigin, turn: &Turn<'_>, decision: &Decision) -> Result<()> {
        let seen = &turn.view.observation;
        let context = &seen.context;
        if seen.picture.is_empty() || !is_whole(context, seen.settled) {
            return Ok(());
        }
        let name = format!("{}-{}-r{}-{:02}", of.suite, of.task, of.repeat, turn.step);
        let (w, h) = seen.picture.size();
        let screen = Screen {
            picture: name.clone(),
            name,
            task: format!("{}/{}", of.suite, of.task),
            platform: of.platform,
            app: context.showing().to_owned(),
            size: [w, h],
            scale: seen.geometry.scale,
            elements: seen.elements.clone(),
            texts: seen.texts.clone(),
            pressed: pressed(&turn.view.tagged, decision)
                .map(|element| Pressed { element, next: String::new() }),
        };
        self.add(of.key(), turn.step, screen, seen.picture.pixels())
            .map_err(|error| AgentError::Setup { agent: "reference", message: error.to_string() })
    }

    pub(super) fn add(
        &self,
        of: (String, String, u32),
        step: u32,
        screen: Screen,
        picture: &RgbImage,
    ) -> Result<(), TaskError> {
        let path = screen.file(&self.dir);
        let png = labels::encode_png(picture)?;
        std::fs::write(&path, png).map_err(TaskError::io("write", &path))?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.entry(of).or_default().push((step, screen));
        Ok(())
    }
}

/// Whether all of a screen was seen, at rest.
pub(super) fn is_whole(context: &Context, settled: Settled) -> bool {
    let whole = context.truncated == 0 && context.texts_left_out == 0;
    whole && !context.secure && context.dialog.is_none() && settled == Settled::Quiet
}

/// The element that a decision presses once, and does nothing else.
pub(super) fn pressed(tagged: &[Tagged], decision: &Decision) -> Option<usize> {
    let Choice::Act { action: Action::Tap { clicks: Clicks::Single, button: Button::Left, .. } } =
        &decision.choice
    else {
        return None;
    };
    let tag = decision.tag?;
    tagged.iter().find(|tagged| tagged.tag == tag).map(|tagged| tagged.element)
}

#[derive(Clone, Debug)]
struct ScreenOrigin {
    suite: String,
    task: String,
    repeat: u32,
    platform: OfflinePlatform,
}

impl ScreenOrigin {
    fn key(&self) -> (String, String, u32) {
        (self.suite.clone(), self.task.clone(), self.repeat)
    }
}

pub struct Watched {
    pub agents: Arc<dyn AgentSource>,
    pub screens: Arc<CapturedScreens>,
    pub suite: String,
    pub platform: OfflinePlatform,
}

impl AgentSource for Watched {
    fn agent(&self, contestant: &str) -> Result<Box<dyn Agent>, TaskError> {
        self.agents.agent(contestant)
    }

    fn agent_for(&self, key: &EpisodeKey) -> Result<Box<dyn Agent>, TaskError> {
        let of = ScreenOrigin {
            suite: self.suite.clone(),
            task: key.task.clone(),
            repeat: key.repeat,
            platform: self.platform,
        };
        Ok(Box::new(Watcher { inner: self.agents.agent_for(key)?, screens: self.screens.clone(), of }))
    }
}

struct Watcher {
    inner: Box<dyn Agent>,
    screens: Arc<CapturedScreens>,
    of: ScreenOrigin,
}

#[async_trait]
impl Agent for Watcher {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn fence(&self) -> Fence {
        self.inner.fence()
    }

    fn numbering(&self, device: &DeviceInfo) -> TagScheme {
        self.inner.numbering(device)
    }

    fn begin(&mut self, brief: &Brief) -> Result<()> {
        self.screens.begin(&self.of);
        self.inner.begin(brief)
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision> {
        let decision = self.inner.decide(turn).await?;
        self.screens.keep(&self.of, turn, &decision)?;
        Ok(decision)
    }
}

//! Which way to a picture a phone is fast with, and taking pictures that way.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::likeness::{Likeness, is_colourful, likeness};
use super::way::PictureWay;
use crate::adb::{PhoneLink, failed, within};
use waldo_devices::cell_means::CellMeans;
use waldo_devices::{Deadline, DeviceError, Picture, Result};

/// How long one way may take when the ways are compared.
const TRIAL: Duration = Duration::from_secs(5);
/// How often a damaged picture is taken again.
const TRIES: usize = 3;

/// What each phone was found to be fast with, for the life of this process.
static KNOWN: Mutex<BTreeMap<String, PictureWay>> = Mutex::new(BTreeMap::new());

#[derive(Clone)]
pub(crate) struct Camera {
    key: String,
    /// `screencap`'s name for the display, where there are several.
    display: Option<String>,
    /// A file that remembers across runs.
    memory: Option<PathBuf>,
    way: Option<PictureWay>,
    /// The way was found on a screen without colours: the first that has some is to prove it.
    grey: bool,
    fixed: Option<PictureWay>,
}

impl Camera {
    pub(crate) fn new(
        key: String,
        display: Option<String>,
        memory: Option<PathBuf>,
        fixed: Option<PictureWay>,
    ) -> Self {
        let key = format!("{key} {}", display.as_deref().unwrap_or("-"));
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
        let way = fixed.or(known).or_else(|| recall(memory.as_deref()?).remove(&key));
        Self { key, display, memory, way, grey: false, fixed }
    }

    pub(crate) fn way(&self) -> Option<PictureWay> {
        self.way
    }

    pub(crate) async fn take(&mut self, link: &PhoneLink, deadline: Deadline) -> Result<Picture> {
        let way = match self.way {
            Some(way) => way,
            None => return self.choose(link, deadline).await,
        };
        let mut last = String::new();
        for _ in 0..TRIES {
            match self.once(way, link, deadline).await {
                Ok(picture) if self.grey && is_colourful(&picture) => {
                    return self.choose(link, deadline).await;
                }
                Ok(picture) => return Ok(picture),
                Err(DeviceError::Call { message, .. }) => last = message,
                Err(error) => return Err(error),
            }
        }
        if self.fixed.is_some() {
            return Err(failed("screencap", last));
        }
        tracing::debug!(?way, last, "this way to a picture no longer works");
        self.way = None;
        self.choose(link, deadline).await
    }

    /// A picture by a way that is known, the surest where none is: nothing is tried for it.
    pub(crate) async fn glimpse(&self, link: &PhoneLink, deadline: Deadline) -> Result<Picture> {
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&self.key).copied();
        let [surest, ..] = PictureWay::ALL;
        self.once(self.way.or_else(known).unwrap_or(surest), link, deadline).await
    }

    async fn once(&self, way: PictureWay, link: &PhoneLink, deadline: Deadline) -> Result<Picture> {
        let bytes = way.fetch(link, self.display.as_deref(), deadline).await?;
        // Unpacking keeps a core busy for a while; other phones share the thread.
        let task = tokio::task::spawn_blocking(move || way.decode(bytes));
        within("reading a picture", deadline, async {
            task.await?.map_err(|message| failed("screencap", message))
        })
        .await
    }

    /// Tries all ways and keeps the fastest whose picture is that of the first good one. What is kept on
    /// other grounds than that is not remembered.
    async fn choose(&mut self, link: &PhoneLink, deadline: Deadline) -> Result<Picture> {
        let mut tried = self.trials(link, deadline).await?;
        // All black is a protected screen: it says nothing about the ways.
        let Some(first) = tried.iter().position(|trial| !CellMeans::of(&trial.picture, 0).is_black()) else {
            let picture = tried.into_iter().next().map(|trial| trial.picture);
            return picture.ok_or_else(|| failed("screencap", "no way gives a picture"));
        };
        let right = tried.remove(first);
        tried.retain(|trial| trial.took < right.took);
        tried.sort_by_key(|trial| trial.took);
        let (mut chosen, mut proven) = (None, true);
        for trial in tried {
            let like = match likeness(&right.picture, &trial.picture) {
                // The screen may have moved between the two.
                Likeness::Other => self.at_once(right.way, trial.way, link, deadline).await,
                like => like,
            };
            tracing::debug!(way = ?trial.way, took = ?trial.took, ?like, "a way to a picture");
            proven &= like != Likeness::Other;
            if like != Likeness::Other {
                chosen = Some((trial, like));
                break;
            }
        }
        let (kept, like) = chosen.unwrap_or((right, Likeness::Same));
        tracing::debug!(way = ?kept.way, took = ?kept.took, key = self.key, "the fastest way to a picture");
        self.way = Some(kept.way);
        self.grey = like == Likeness::Grey;
        if !self.grey && proven {
            KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(self.key.clone(), kept.way);
            if let Some(path) = &self.memory {
                remember(path, &self.key, kept.way);
            }
        }
        Ok(kept.picture)
    }

    /// A picture of each way that gives one, and how long it took. The first way is not hurried: the others
    /// are judged by it. It also tells why where there is none: of the others a phone may lack any.
    async fn trials(&self, link: &PhoneLink, deadline: Deadline) -> Result<Vec<Trial>> {
        let mut tried: Vec<Trial> = Vec::new();
        let mut why = None;
        let mut limit = TRIAL;
        for way in PictureWay::ALL {
            // The framebuffer service knows one display only.
            if way == PictureWay::Framebuffer && self.display.is_some() {
                continue;
            }
            let mut took = Duration::MAX;
            let mut picture = None;
            for _ in 0..2 {
                let began = Instant::now();
                // A way that is far slower than the best needs no waiting for.
                match self.once(way, link, deadline.at_most(limit)).await {
                    Ok(image) => {
                        took = took.min(began.elapsed());
                        picture = Some(image);
                    }
                    // Some phones close a service that they do not have, as if they were gone.
                    Err(error) => {
                        tracing::debug!(?way, %error, "no picture this way");
                        why.get_or_insert(error);
                        break;
                    }
                }
            }
            if let Some(picture) = picture {
                limit = limit.min(took * 3 + Duration::from_millis(200));
                tried.push(Trial { took, way, picture });
            }
        }
        match why {
            Some(error) if tried.is_empty() => Err(error),
            _ => Ok(tried),
        }
    }

    /// Compares two ways by pictures taken one right after the other.
    async fn at_once(
        &self,
        right: PictureWay,
        way: PictureWay,
        link: &PhoneLink,
        deadline: Deadline,
    ) -> Likeness {
        let deadline = deadline.at_most(TRIAL);
        match (self.once(right, link, deadline).await, self.once(way, link, deadline).await) {
            (Ok(right), Ok(picture)) => likeness(&right, &picture),
            _ => Likeness::Other,
        }
    }
}

struct Trial {
    took: Duration,
    way: PictureWay,
    picture: Picture,
}

fn recall(path: &Path) -> BTreeMap<String, PictureWay> {
    std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Notes a way down. A memory that cannot be written costs a second of the next run, no more.
fn remember(path: &Path, key: &str, way: PictureWay) {
    let mut all = recall(path);
    all.insert(key.to_owned(), way);
    let new = path.with_extension(format!("{}.new", std::process::id()));
    let written = serde_json::to_vec_pretty(&all)
        .map_err(std::io::Error::from)
        .and_then(|bytes| std::fs::write(&new, bytes))
        .and_then(|()| std::fs::rename(&new, path));
    if let Err(error) = written {
        tracing::debug!(%error, path = %path.display(), "the picture's way is not remembered");
    }
}

//! A device whose picture's elements have words.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;

use crate::kept::{KeptWords, PartKey};
use crate::part::PreparedPart;
use crate::reader::TextReader;
use crate::words::name;
use waldo_devices::labels::is_wordless;
use waldo_devices::{
    Capture, Deadline, Device, DeviceError, DeviceLayer, Element, Observation, Picture, Result, Settled,
};

/// The longest that the words of one look are waited for.
const READS_WITHIN: Duration = Duration::from_secs(10);
/// The most parts of one look that are read; the rest has no names until a later one.
const PARTS: usize = 300;
const NAME_MAX: usize = 200;
/// Failures after which a reader is not asked any more.
const FAILURES: u32 = 3;

/// Gives elements that were found in the picture alone, and have no name, the words that stand there.
pub struct NamedByText {
    inner: Box<dyn Device>,
    reader: Arc<dyn TextReader>,
    kept: Arc<KeptWords>,
    /// Whether the last picture had something to read: then one is taken where only elements are wanted next.
    reads: bool,
    /// The parts of the last look: what moves is not read until it has stood still from one look to the next.
    last: HashSet<PartKey>,
    failures: u32,
}

impl NamedByText {
    pub fn new(inner: Box<dyn Device>, reader: Arc<dyn TextReader>, kept: Arc<KeptWords>) -> Self {
        Self { inner, reader, kept, reads: false, last: HashSet::new(), failures: 0 }
    }

    pub fn into_inner(self) -> Box<dyn Device> {
        self.inner
    }

    async fn give_names(&mut self, seen: &mut Observation, deadline: Deadline) -> Result<()> {
        let wordless: Vec<usize> =
            (0..seen.elements.len()).filter(|at| is_wordless(&seen.elements[*at])).collect();
        self.reads = !wordless.is_empty();
        if wordless.is_empty() || self.failures >= FAILURES {
            return Ok(());
        }
        let began = Instant::now();
        let (picture, scale) = (seen.picture.clone(), seen.geometry.scale);
        let places: Vec<_> = wordless.iter().map(|at| seen.elements[*at].bounds).collect();
        let kept = self.kept.clone();
        let prepare = move || {
            let pixels = picture.pixels();
            let part = |bounds| PreparedPart::of(pixels, bounds, scale).map(|part| (kept.key(&part), part));
            places.iter().map(part).collect::<Vec<_>>()
        };
        let parts: Vec<Option<(PartKey, PreparedPart)>> = tokio::task::spawn_blocking(prepare).await?;
        let keys: Vec<Option<PartKey>> =
            parts.iter().map(|part| part.as_ref().map(|(key, _)| *key)).collect();
        let mut names: HashMap<PartKey, String> =
            keys.iter().flatten().filter_map(|key| Some((*key, self.kept.get(*key)?))).collect();
        let stands = |key: &PartKey| seen.settled != Settled::StillMoving || self.last.contains(key);
        let mut asked = HashSet::new();
        let (new, unread): (Vec<PartKey>, Vec<PreparedPart>) = parts
            .into_iter()
            .flatten()
            .filter(|(key, _)| !names.contains_key(key) && stands(key) && asked.insert(*key))
            .take(PARTS)
            .unzip();
        self.last = keys.iter().flatten().copied().collect();
        if !unread.is_empty() {
            let bound = deadline.at_most(READS_WITHIN.min(deadline.left() / 2));
            match self.reader.read(&unread, bound).await {
                Ok(words) => {
                    self.failures = 0;
                    let read: Vec<(PartKey, String)> =
                        new.into_iter().zip(words.iter().map(|words| name(words))).collect();
                    names.extend(read.iter().cloned());
                    self.kept.keep(read);
                }
                Err(error) => self.failed(&error, seen),
            }
        }
        let secrets = self.inner.secrets();
        for (at, key) in wordless.into_iter().zip(keys) {
            if let Some(found) = key.and_then(|key| names.get(&key)) {
                let element: &mut Element = &mut seen.elements[at];
                element.name = secrets.brief(found, NAME_MAX);
            }
        }
        // What shows a value by its words is painted over, too.
        seen.mask(&secrets);
        let took = began.elapsed();
        seen.timings.elements += took;
        seen.timings.total += took;
        Ok(())
    }

    fn failed(&mut self, error: &DeviceError, seen: &mut Observation) {
        self.failures += 1;
        let rest = if self.failures < FAILURES { "" } else { "; it is not asked any more" };
        seen.context.notices.push(format!("what the picture says could not be read ({error}){rest}"));
        tracing::warn!(%error, failures = self.failures, "text recognition");
    }
}

#[async_trait]
impl DeviceLayer for NamedByText {
    waldo_devices::device_inside!(inner);

    async fn observe(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        let taken = if self.reads { Capture::All } else { want };
        let mut seen = self.inner.observe(taken, deadline).await?;
        if !seen.picture.is_empty() && !seen.context.secure {
            self.give_names(&mut seen, deadline).await?;
        }
        if want == Capture::Elements {
            seen.picture = Picture::empty();
        }
        Ok(seen)
    }
}

#[cfg(test)]
#[path = "named_tests.rs"]
mod tests;

//! The one event stream of a run.

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use waldo_agents::appagent::docs::logs::Recorded;
use waldo_agents::{Decision, Note, View};
use waldo_devices::labels::file_ending;
use waldo_devices::{
    Action, ActionReport, Context, Element, Geometry, Intent, Settled, StaticText, Tag, Tagged, Timings,
};

use crate::error::TaskError;
use crate::record::{EpisodeKey, EpisodeResult};
use crate::reflected::Reflected;

/// The version of the event format; raised when a reader of the old one would be misled.
pub const FORMAT: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Event {
    pub v: u32,
    pub at: Timestamp,
    pub episode: EpisodeKey,
    #[serde(flatten)]
    pub kind: EventKind,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// An attempt at an episode began. A later one of the same episode replaces what came before.
    Started {
        /// From 1; above 1 after an invalid attempt.
        attempt: u32,
        seed: u64,
        goal: String,
        params: serde_json::Value,
        max_steps: u32,
    },
    Observed(Box<Observed>),
    /// The screen was kept without tags, too, where bare pictures are wanted.
    Pictured {
        /// The step that it is for, as of the [`Observed`] before.
        step: u32,
        picture: String,
    },
    Decided {
        step: u32,
        decision: Box<Decision>,
        /// How long it took, model calls included.
        took: Duration,
    },
    Acted {
        step: u32,
        /// What was done; secrets are named, never shown.
        action: Action,
        /// What was seen; absent when the action could not be carried out.
        report: Option<ActionReport>,
        note: Option<Note>,
    },
    /// Something happened that the task says to happen, without the agent's doing.
    Happened {
        step: u32,
        what: String,
    },
    /// An exploration looked back on an action.
    Reflected {
        step: u32,
        reflected: Box<Reflected>,
    },
    /// A person demonstrated a step; what was done to the device for it comes before.
    Demonstrated {
        step: u32,
        call: String,
        tag: Option<Tag>,
        /// AppAgent's line for it, where its records have one.
        recorded: Option<Recorded>,
    },
    Ended {
        result: Box<EpisodeResult>,
    },
}

impl Event {
    /// The event of a line. A type with a tag is read into a tree first, which takes three times as long; so the kinds
    /// that make up a record are read by their tag.
    pub(crate) fn from_line(line: &[u8]) -> serde_json::Result<Self> {
        #[derive(Deserialize)]
        struct EventHead {
            v: u32,
            at: Timestamp,
            episode: EpisodeKey,
            event: String,
        }
        #[derive(Deserialize)]
        struct DecidedLine {
            step: u32,
            decision: Box<Decision>,
            took: Duration,
        }
        let EventHead { v, at, episode, event } = serde_json::from_slice(line)?;
        let kind = match event.as_str() {
            "observed" => EventKind::Observed(serde_json::from_slice(line)?),
            "decided" => {
                let DecidedLine { step, decision, took } = serde_json::from_slice(line)?;
                EventKind::Decided { step, decision, took }
            }
            _ => serde_json::from_slice(line)?,
        };
        Ok(Self { v, at, episode, kind })
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Observed {
    /// The step that it is for, from 1; the number after the last step for the final screen.
    pub step: u32,
    /// File name of the labelled picture within the episode's folder; none when there was no picture.
    pub picture: Option<String>,
    pub elements: Vec<Element>,
    /// What else could be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<StaticText>,
    pub tagged: Vec<Tagged>,
    pub geometry: Geometry,
    pub context: Context,
    pub settled: Settled,
    pub timings: Timings,
    /// Time for tags, drawing and encoding.
    pub label_time: Duration,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeptPictures {
    #[default]
    Tagged,
    /// One with tags, and one without, in all its pixels and without loss.
    TaggedAndBare,
    /// One with tags for an agent that looks at it ([`waldo_agents::Agent::looks`]), else none.
    Needed,
}

impl Observed {
    pub fn picture_of(step: u32, view: &View) -> Option<String> {
        (!view.png.is_empty()).then(|| format!("step-{step:02}.{}", file_ending(&view.png)))
    }

    /// What an agent was shown for `step`; its picture, where it has one, is kept as `step-NN` with the ending of its format.
    pub fn of(step: u32, view: &View) -> Self {
        let seen = &view.observation;
        Self {
            step,
            picture: Self::picture_of(step, view),
            elements: seen.elements.clone(),
            texts: seen.texts.clone(),
            tagged: view.tagged.clone(),
            geometry: seen.geometry,
            context: seen.context.clone(),
            settled: seen.settled,
            timings: seen.timings,
            label_time: view.label_time,
        }
    }
}

/// What an agent that decided on `view` means by its action; its picture lies in `folder`.
pub fn intent(step: u32, view: &View, decision: &Decision, action: &Action, folder: &Path) -> Intent {
    let named = decision.tag.and_then(|tag| Some((tag, view.element(tag)?)));
    let (tag, element) = named.or_else(|| action.point().and_then(|at| view.at(at))).unzip();
    Intent {
        tag,
        element: element.cloned(),
        location: view.observation.context.location.clone(),
        thought: decision.thought.clone(),
        picture: Observed::picture_of(step, view).map(|name| folder.join(name)),
    }
}

/// Takes every event of a run: the recorder, the progress display, the live view. It is called from one thread
/// ([`crate::Emitter`]), and may block.
///
/// Invariant: taking an event never fails. Only what keeps the record says, when asked, that it could not: then
/// the episode ends, since nothing further of it would be kept.
pub trait EventSink: Send + Sync {
    /// Takes one event, and the picture that an [`Observed`] or a [`EventKind::Pictured`] names.
    fn emit(&self, event: &Event, picture: Option<&[u8]>);

    /// The first write of an episode's record that failed; `None` of who keeps none.
    fn write_error(&self, _episode: &EpisodeKey) -> Option<TaskError> {
        None
    }
}

impl EventSink for Vec<std::sync::Arc<dyn EventSink>> {
    fn emit(&self, event: &Event, picture: Option<&[u8]>) {
        for sink in self {
            sink.emit(event, picture);
        }
    }

    fn write_error(&self, episode: &EpisodeKey) -> Option<TaskError> {
        self.iter().find_map(|sink| sink.write_error(episode))
    }
}

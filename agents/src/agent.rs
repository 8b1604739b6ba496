//! The contract between an episode and a policy.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use waldo_devices::labels::{self, LabelStyle, Labelled, PicturePacking, Tag, Tagged};
use waldo_devices::{
    Action, Deadline, DeviceError, DeviceInfo, Element, GateClosed, Observation, OriginGate, OwnHands,
    Physical, Point, RefusalKind,
};

use crate::error::Result;
use crate::model::{SampledTokens, Unread, Usage};
use crate::plan_record::PlanRecord;
use crate::steps::Step;

pub(crate) const TAG_CAP: usize = 400;

/// What is asked of an agent, fixed for the episode.
#[derive(Clone, Debug)]
pub struct Brief {
    pub goal: String,
    /// The device at the start; of one that is several screens the first of them.
    pub device: DeviceInfo,
    /// Seed of this instance: all chance of an agent comes from it.
    pub seed: u64,
    /// Decisions the agent may make, the finishing one included.
    pub max_steps: u32,
    /// The task's reference solution. Only the `reference` agent reads it.
    pub reference: Arc<[Step]>,
}

/// An observation with its tags, as the recorder keeps it and a model is sent it.
#[derive(Clone, Debug)]
pub struct View {
    pub observation: Observation,
    pub tagged: Vec<Tagged>,
    /// The picture with the tags drawn, in the format of `packing`; empty when there was no picture.
    pub png: Arc<[u8]>,
    pub packing: PicturePacking,
    pub list: String,
    /// Time spent on tags, drawing and encoding.
    pub label_time: Duration,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TagScheme {
    /// Ours ([`labels::select`]).
    #[default]
    Waldo,
    /// AppAgent's, for a phone's screen ([`labels::as_appagent`]).
    AppAgent,
}

impl TagScheme {
    /// How tags look: as asked for, else the style that belongs to the scheme.
    pub fn style(self, asked: Option<LabelStyle>) -> LabelStyle {
        asked.unwrap_or(match self {
            Self::Waldo => LabelStyle::Boxes,
            Self::AppAgent => LabelStyle::Appagent,
        })
    }
}

impl View {
    /// Tags, draws and encodes an observation by our rules.
    pub fn new(observation: Observation, style: LabelStyle) -> Result<Self, DeviceError> {
        Self::numbered(observation, TagScheme::Waldo, style)
    }

    /// Tags, draws and encodes an observation, as PNG.
    pub fn numbered(
        observation: Observation,
        numbering: TagScheme,
        style: LabelStyle,
    ) -> Result<Self, DeviceError> {
        Self::packed(observation, numbering, style, PicturePacking::default())
    }

    pub fn packed(
        mut observation: Observation,
        numbering: TagScheme,
        style: LabelStyle,
        packing: PicturePacking,
    ) -> Result<Self, DeviceError> {
        match numbering {
            TagScheme::Waldo => {
                Self::drawn(observation, style, packing, |elements| labels::select(elements, TAG_CAP))
            }
            TagScheme::AppAgent => {
                let (elements, tagged) = labels::as_appagent(&observation);
                observation.elements = elements;
                // Their places were told by other elements.
                observation.texts.clear();
                Self::drawn(observation, style, packing, |_| tagged)
            }
        }
    }

    fn drawn(
        observation: Observation,
        style: LabelStyle,
        packing: PicturePacking,
        select: impl FnOnce(&[Element]) -> Vec<Tagged>,
    ) -> Result<Self, DeviceError> {
        let start = std::time::Instant::now();
        let (picture, elements) = (&observation.picture, &observation.elements);
        let Labelled { tagged, picture: labelled } = labels::label(picture, elements, select, style);
        let list = labels::screen_list(elements, &tagged, &observation.texts);
        let png = if observation.picture.is_empty() { Vec::new() } else { labelled.encode(packing)? };
        Ok(Self { observation, tagged, png: png.into(), packing, list, label_time: start.elapsed() })
    }

    /// The tagged element at a place: of several that lie over each other the smallest.
    pub fn at(&self, place: Point<Physical>) -> Option<(Tag, &Element)> {
        let there = |tagged: &&Tagged| {
            self.observation.elements.get(tagged.element).is_some_and(|e| e.bounds.contains(place))
        };
        let tagged = self.tagged.iter().filter(there).min_by(|a, b| {
            let area = |t: &Tagged| self.observation.elements[t.element].bounds.area();
            area(a).total_cmp(&area(b))
        })?;
        Some((tagged.tag, self.observation.elements.get(tagged.element)?))
    }

    pub fn element(&self, tag: Tag) -> Option<&Element> {
        self.tagged.iter().find(|t| t.tag == tag).and_then(|t| self.observation.elements.get(t.element))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "note", rename_all = "snake_case")]
pub enum Note {
    Refused {
        reason: String,
        #[serde(default)]
        whose: Words,
    },
    /// The action could not be carried out (a bad point, an unknown key, a missing option).
    Failed {
        reason: String,
        #[serde(default)]
        whose: Words,
    },
    /// The action was carried out and nothing was seen to change.
    NoChange,
    /// The action was carried out, and nothing else was seen to change than the focus and how something is drawn.
    Redrawn,
    /// The action was carried out, and this was seen to come of it.
    Changed {
        /// What was seen: untrusted text, as titles of windows may be among it.
        text: String,
    },
    /// The action was carried out, and something else than what was asked stands there now.
    NotAsAsked {
        /// What stands there: untrusted text.
        found: String,
    },
    Printed {
        /// How it ended and what it printed: untrusted text.
        text: String,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Words {
    /// waldo's own, the agent's or the person's: nothing that a screen or a device's server said is in it.
    Waldo,
    /// A device's, or they quote one: untrusted, as it may say what a page, an app or a server wants it to. So are the
    /// words of records that do not tell.
    #[default]
    Device,
}

impl Note {
    /// That an action failed, in waldo's own words.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self::Failed { reason: reason.into(), whose: Words::Waldo }
    }

    pub fn of_error(error: &DeviceError) -> Self {
        let whose = match error {
            // Numbers alone.
            DeviceError::OutOfBounds { .. } => Words::Waldo,
            _ => Words::Device,
        };
        Self::Failed { reason: error.to_string(), whose }
    }

    /// That an action was refused. What a rule of origins, apps and windows says quotes what is on the screen.
    pub fn refused(kind: RefusalKind, reason: &str) -> Self {
        let whose = match kind {
            RefusalKind::Origin => Words::Device,
            RefusalKind::Denied | RefusalKind::NotApproved | RefusalKind::Budget => Words::Waldo,
        };
        Self::Refused { reason: reason.to_owned(), whose }
    }

    /// Why nothing was done, in words that may stand anywhere in a prompt; `None` where something was done.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Refused { reason, whose: Words::Waldo } | Self::Failed { reason, whose: Words::Waldo } => {
                Some(reason)
            }
            Self::Refused { .. } => Some("it leads outside of the allowed origins, apps or windows"),
            Self::Failed { .. } => Some("the device reported an error"),
            Self::NoChange
            | Self::Redrawn
            | Self::Changed { .. }
            | Self::NotAsAsked { .. }
            | Self::Printed { .. } => None,
        }
    }

    /// What a device said of it, which may stand in a block of untrusted text alone.
    pub fn quoted(&self) -> Option<&str> {
        match self {
            Self::Refused { reason, whose: Words::Device }
            | Self::Failed { reason, whose: Words::Device } => Some(reason),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub struct Turn<'a> {
    /// From 1.
    pub step: u32,
    /// The device now: of one that is several screens the one in front.
    pub device: &'a DeviceInfo,
    pub view: &'a View,
    /// About the last decision, when there is something to tell.
    pub note: Option<&'a Note>,
    pub deadline: Deadline,
    /// Words of the person who set the goal, for this turn: to be trusted as the goal is.
    pub person: Option<&'a str>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "choice", rename_all = "snake_case")]
pub enum Choice {
    Act {
        action: Action,
    },
    /// Nothing this step: a reply that stayed unusable after the re-ask, or a change of mode.
    Pass {
        reason: String,
    },
    Finish {
        answer: Option<String>,
    },
    /// The agent says that the task cannot be done.
    Infeasible {
        reason: String,
    },
    /// The agent stops without having come to an end: its script failed, it goes in circles, its reply ends the
    /// run. Nothing is claimed, and it is never a success.
    GiveUp {
        reason: String,
    },
    /// The agent stops because a person has to go on: the page asks for one. Nothing is said of the task.
    HandOver {
        reason: String,
    },
    /// The agent itself failed, where it is a program: it ended, hung or broke its protocol. It is never a success.
    Fail {
        /// What it did, with the last lines that it printed.
        reason: String,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Exchange {
    /// What the request was for: `decide`, `re-ask`, `ground`, `reflect`.
    pub purpose: String,
    pub prompt: String,
    pub pictures: u32,
    pub reply: String,
    /// What the model thought in a block of its own; no action is read from it. One within the text is in the reply too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    /// What the program of a profile printed to standard error meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    pub usage: Usage,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Arc<SampledTokens>>,
    /// From sending to the end of the reply, retries included.
    pub took: Duration,
    pub retries: u32,
    /// Whether the endpoint held the reply to a JSON schema.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub structured: bool,
    /// What had to be mended in the reply to read it; empty when nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<String>,
    /// Why the reply was not waited for: there is none, and what it cost is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<String>,
    /// What is to be said of such a reply: no text, cut off, a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread: Option<Unread>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonPart {
    /// Approved of the agent's action; it was carried out as the agent meant it.
    Approved,
    /// Gave the agent words before it decided, or another goal.
    Advised,
    Edited,
    Refused,
    Decided,
}

impl PersonPart {
    /// Whether what comes of the episode is no longer the agent's alone.
    pub fn assists(self) -> bool {
        self != Self::Approved
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    pub choice: Choice,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<Tag>,
    /// The call in the agent's own reply format, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub call: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observation: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchanges: Vec<Exchange>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Box<PlanRecord>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<PersonPart>,
    /// What the action has to pass at the device, beside the guard ([`waldo_devices::Gated`]).
    #[serde(skip)]
    pub gate: Option<OriginGate>,
}

impl Exchange {
    /// The purpose of what an agent that is a program was asked.
    pub const OF_PROGRAM: &'static str = "program";

    /// Whether a model was asked, as far as is known: a program tells of its models by the tokens that it took.
    pub fn asked_a_model(&self) -> bool {
        self.purpose != Self::OF_PROGRAM || self.usage != Usage::default()
    }
}

impl Decision {
    pub fn of(choice: Choice) -> Self {
        Self {
            choice,
            tag: None,
            call: String::new(),
            observation: None,
            thought: None,
            summary: None,
            exchanges: Vec::new(),
            plan: None,
            person: None,
            gate: None,
        }
    }
}

/// The decision that leaves a page which asks for proof of a person to one, where the view says that it does.
pub fn for_a_person(view: &View) -> Option<Decision> {
    let words = view.observation.context.person.clone()?;
    Some(Decision::of(Choice::HandOver { reason: GateClosed::Person(words).to_string() }))
}

/// What an agent's device is fenced with, beside the guard that every device has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fence {
    #[default]
    Guard,
    /// Nothing at the device; but of every view it is told whether the page asks for proof of a person
    /// (`person` of [`waldo_devices::Context`]).
    Persons,
    /// As [`Self::Persons`], and the origin gate ([`waldo_devices::Gated`]): exact origins only, verified before every input.
    Origins,
}

#[async_trait]
pub trait Agent: Send {
    fn name(&self) -> &'static str;

    fn fence(&self) -> Fence {
        Fence::Guard
    }

    /// By whose rules a screen of this device is numbered that it is shown; asked after [`Agent::begin`].
    fn numbering(&self, _: &DeviceInfo) -> TagScheme {
        TagScheme::Waldo
    }

    /// Whether it drives the device itself, at an address that the device serves for it.
    fn has_own_hands(&self) -> bool {
        false
    }

    /// The address for this episode, where it drives the device itself; comes after [`Agent::begin`].
    fn take_hands(&mut self, _: Arc<dyn OwnHands>) {}

    /// Whether it looks at pictures; one that does not plays as well without.
    fn looks(&self) -> bool {
        true
    }

    /// Starts an episode; nothing of an earlier one may remain.
    fn begin(&mut self, brief: &Brief) -> Result<()>;

    /// Decides on one step. It may be dropped before it is ready; the next call is then about a later screen, and gets
    /// the note on the agent's last action again.
    ///
    /// # Errors
    /// When the harness failed (no model, no prompt); a bad reply is a [`Choice::Pass`].
    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision>;

    /// Hears how the episode ended, as the record names it, and the last screen; not where an attempt is invalid.
    async fn end(&mut self, _outcome: &str, _last: &View) {}
}

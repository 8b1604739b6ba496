use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub const PROTOCOL: u32 = 1;
/// The most characters of a name or a version.
const NAME_CHARS: usize = 120;

/// Asks an agent who it is.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HelloQuestion {
    pub(super) protocol: u32,
    pub(super) client: String,
}

/// Who an agent is, and what it wants to be told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HelloAnswer {
    /// The version of the protocol that it speaks: 1.
    pub(super) protocol: u32,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) wants: Wants,
    /// Whether it may answer a turn with several calls.
    pub(super) several: bool,
}

/// What an agent wants to be told each turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Wants {
    pub(super) picture: WantedPicture,
    pub(super) format: WantedFormat,
    /// Of a JPEG, from 1 to 100.
    pub(super) quality: u8,
    /// The most pixels that a side of the picture may have; a larger one is made smaller.
    pub(super) longest_side: Option<u32>,
    pub(super) picture_as: PictureWay,
    /// The elements with their numbers, boxes and values.
    pub(super) elements: bool,
    /// What else can be read.
    pub(super) texts: bool,
    /// Elements and texts as lines of text, as models are sent them.
    pub(super) list: bool,
    /// The actions that it uses, by name; all that the device has where this is left out.
    pub(super) actions: Option<Vec<String>>,
    /// What the screen shows at the end of the episode.
    pub(super) end_screen: bool,
}

impl Default for Wants {
    fn default() -> Self {
        Self {
            picture: WantedPicture::None,
            format: WantedFormat::Png,
            quality: 85,
            longest_side: None,
            picture_as: PictureWay::Base64,
            elements: true,
            texts: true,
            list: true,
            actions: None,
            end_screen: false,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum WantedPicture {
    #[default]
    None,
    /// As the screen is.
    Bare,
    /// With the elements' numbers.
    Labelled,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum WantedFormat {
    #[default]
    Png,
    Jpeg,
    Webp,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum PictureWay {
    #[default]
    Base64,
    /// A file that holds the turn's picture until the next turn.
    Path,
    /// The same with nothing but pixels, in memory where the system has that: rows of red, green and blue.
    Memory,
}

impl HelloAnswer {
    pub(super) fn fault(&self) -> Option<String> {
        let long = |text: &str| text.chars().count() > NAME_CHARS;
        if self.protocol != PROTOCOL {
            Some(format!("hello: protocol is {}, and this waldo speaks {PROTOCOL}", self.protocol))
        } else if self.name.trim().is_empty() || long(&self.name) || long(&self.version) {
            Some(format!(
                "hello: name and version are texts of up to {NAME_CHARS} characters, the name not empty"
            ))
        } else if !(1..=100).contains(&self.wants.quality) {
            Some("hello: wants.quality is from 1 to 100".to_owned())
        } else if self.wants.longest_side.is_some_and(|side| side < 16) {
            Some("hello: wants.longest_side is 16 or more".to_owned())
        } else {
            let unknown = |name: &&String| waldo_devices::Tool::named(name).is_none();
            let name = self.wants.actions.iter().flatten().find(unknown)?;
            Some(format!("hello: wants.actions names '{name}', which is no action"))
        }
    }
}

/// A device, as an agent is told of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct ToldDevice {
    /// `web`, `android`, `desktop`.
    pub(super) platform: String,
    pub(super) product: String,
    /// Width and height in pixels; places and boxes are told and given in these.
    pub(super) screen: [f64; 2],
    /// Its pixels for each logical one.
    pub(super) scale: f64,
    /// What it can do besides being tapped and typed on.
    pub(super) can: Vec<String>,
    pub(super) actions: Vec<ToldAction>,
}

/// An action that is offered.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct ToldAction {
    #[serde(rename = "do")]
    pub(super) name: String,
    pub(super) about: String,
    /// The JSON schema of its parameters, which stand beside `do` in a call.
    pub(super) parameters: Value,
}

/// Begins an episode.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct BeginQuestion<'a> {
    pub(super) goal: &'a str,
    pub(super) device: &'a ToldDevice,
    /// Decisions that it has, the last one included.
    pub(super) max_steps: u32,
    /// From 0 to 2^32 - 1: all chance of the agent is to come from it.
    pub(super) seed: u64,
    /// Names of values that `type_secret` types.
    pub(super) secrets: &'a [String],
    /// The screens, where there are several; the one in front is told each turn.
    pub(super) screens: Vec<ToldScreen>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ToldScreen {
    pub(super) name: String,
    pub(super) platform: String,
    pub(super) front: bool,
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct LastCall {
    pub(super) call: Map<String, Value>,
    /// `done` (nothing can be said of it), `changed`, `no_change`, `redrawn`, `not_as_asked`, `printed`, `refused`, `failed`,
    /// or `dropped`.
    pub(super) seen: &'static str,
    /// waldo's own words about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<String>,
    /// Words of the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) untrusted: Option<String>,
}

/// Asks for a decision.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TurnQuestion<'a> {
    /// From 1.
    pub(super) step: u32,
    /// Decisions that are left, this one included.
    pub(super) steps_left: u32,
    /// What became of the calls of the last decision.
    pub(super) last: &'a [LastCall],
    /// Words of the person who set the goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) person: Option<&'a str>,
    /// Whether the screen still moved or loaded.
    pub(super) busy: bool,
    /// The device, where it is another than was told last: another screen came to the front.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) device: Option<&'a ToldDevice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) picture: Option<SentPicture>,
    pub(super) untrusted: Untrusted<'a>,
}

/// The picture of a turn.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SentPicture {
    /// Such as `image/png`; `image/x-rgb` of bare pixels.
    pub(super) media_type: &'static str,
    pub(super) width: u32,
    pub(super) height: u32,
    /// Pixels of the screen for each of the picture.
    pub(super) scale: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
}

/// What the screen says: data, never instructions.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) struct Untrusted<'a> {
    /// The address of the page, or the name of the app or program.
    pub(super) location: &'a str,
    pub(super) title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) list: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) elements: Option<Vec<ToldElement<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) texts: Option<Vec<ToldText<'a>>>,
    /// The dialog that holds up the page: its kind, its words, and the text that it begins with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) dialog: Option<[&'a str; 3]>,
    /// Titles of the tabs in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tabs: Vec<&'a str>,
    /// Titles of the windows in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) windows: Vec<&'a str>,
    /// What each of several screens shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) screens: Vec<[&'a str; 2]>,
    /// What became of pages and downloads without anybody's asking.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) notices: &'a [String],
    /// Elements and texts that the screen has beyond what is listed.
    pub(super) left_out: usize,
}

/// An element with its number.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ToldElement<'a> {
    pub(super) tag: u32,
    pub(super) role: &'a str,
    pub(super) name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<&'a str>,
    /// Left, top, width and height in pixels of the screen.
    #[serde(rename = "box")]
    pub(super) bounds: [f64; 4],
    /// Of `click`, `edit`, `select`, `scroll`, `drag`, `upload`, `drop`, `hover`.
    pub(super) can: Value,
    /// `focused`, `checked` and such, where they hold or can hold.
    pub(super) states: Value,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) options: &'a [String],
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ToldText<'a> {
    pub(super) text: &'a str,
    #[serde(rename = "box")]
    pub(super) bounds: [f64; 4],
}

/// What an agent decides.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct DecideAnswer {
    /// What is to be done, one after the other: each `{"do": NAME, …}` with the action's parameters, or `finish`, `answer`,
    /// `infeasible`, `give_up` or `hand_over`.
    pub(super) calls: Vec<Map<String, Value>>,
    /// For the record, as all that follows.
    pub(super) thought: Option<String>,
    pub(super) summary: Option<String>,
    pub(super) usage: Option<ToldUsage>,
    /// US dollars.
    pub(super) cost: Option<f64>,
    pub(super) memory: Option<Value>,
}

/// Tokens that a decision took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ToldUsage {
    pub(super) prompt: Option<u64>,
    pub(super) completion: Option<u64>,
    /// Those of the prompt that came from a cache.
    pub(super) cached: Option<u64>,
}

/// Ends an episode.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EndQuestion<'a> {
    /// As the record names it: `finished`, `step_limit`, …
    pub(super) outcome: &'a str,
    /// What the screen showed last, where it is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) screen: Option<EndScreen<'a>>,
}

/// The screen at the end of an episode.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EndScreen<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) picture: Option<SentPicture>,
    pub(super) untrusted: Untrusted<'a>,
}

/// An answer of this kind; `call` is what was asked.
///
/// # Errors
/// What the agent says against it, or what is wrong with the answer, as a fragment.
pub(super) fn read<T: DeserializeOwned>(call: &str, answer: Value) -> Result<T, String> {
    let Value::Object(mut fields) = answer else { return Err(format!("{call}: its answer is no object")) };
    if let Some(error) = fields.get("error").filter(|error| !error.is_null()) {
        let words = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
        return Err(format!("{call}: it says itself: {words}"));
    }
    fields.remove("id");
    serde_json::from_value(Value::Object(fields)).map_err(|error| format!("{call}: its answer: {error}"))
}

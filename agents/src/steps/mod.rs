//! The steps of a task's reference solution, as task files write them: elements by role and name, never by coordinates.

mod call;
mod fields;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use waldo_devices::{Direction, Distance};

pub use call::Verb;
pub use fields::StepFile;

use fields::Templated;

/// Which element a step is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Target {
    /// Its role.
    pub role: Option<String>,
    /// Its name, exactly, after white space is folded.
    pub name: Option<String>,
    /// A part of its name: rows of phones bear the words of all that they show.
    pub contains: Option<String>,
    /// Its value.
    pub value: Option<String>,
    /// Which of those that match, in document order, from 0; below 0 from the end: -1 is the last.
    #[schemars(with = "Templated<i32>")]
    pub nth: i32,
    /// The point within it as shares of its width and height; its hit point when absent.
    #[schemars(with = "Option<[Templated<f64>; 2]>")]
    pub at: Option<[f64; 2]>,
}

/// One step of a reference solution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What to do.
    #[serde(rename = "do")]
    #[schemars(with = "String")]
    pub verb: Verb,
    /// Role of the element.
    #[serde(default)]
    pub role: Option<String>,
    /// Name of the element.
    #[serde(default)]
    pub name: Option<String>,
    /// A part of the name of the element.
    #[serde(default)]
    pub contains: Option<String>,
    /// Value of the element.
    #[serde(default)]
    pub value: Option<String>,
    /// Which of those that match, from 0; below 0 from the end.
    #[serde(default)]
    #[schemars(with = "Templated<i32>")]
    pub nth: i32,
    /// Point within the element, as shares of its width and height.
    #[serde(default)]
    #[schemars(with = "Option<[Templated<f64>; 2]>")]
    pub at: Option<[f64; 2]>,
    /// Text to type, to answer, to give a prompt, or the reason.
    #[serde(default)]
    pub text: Option<String>,
    /// The option to select.
    #[serde(default)]
    pub option: Option<String>,
    /// The key chord; `key` in files of people.
    #[serde(default, alias = "key")]
    pub chord: Option<String>,
    /// The address to open.
    #[serde(default)]
    pub url: Option<String>,
    /// Where a drag ends.
    #[serde(default)]
    pub to: Option<Target>,
    /// The way of a drag, as shares of the element's width and height.
    #[serde(default)]
    #[schemars(with = "Option<Vec<[Templated<f64>; 2]>>")]
    pub path: Option<Vec<[f64; 2]>>,
    /// Notches downwards.
    #[serde(default)]
    #[schemars(with = "Templated<i32>")]
    pub down: i32,
    /// Notches to the right.
    #[serde(default)]
    #[schemars(with = "Templated<i32>")]
    pub right: i32,
    /// The tab, from 0.
    #[serde(default)]
    #[schemars(with = "Option<Templated<usize>>")]
    pub tab: Option<usize>,
    /// Whether a dialog is accepted; it is unless this says `false`.
    #[serde(default)]
    pub accept: Option<bool>,
    /// Files to upload, by name.
    #[serde(default)]
    pub files: Vec<String>,
    /// The app to open.
    #[serde(default)]
    pub app: Option<String>,
    /// Where a swipe's finger goes.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub towards: Option<Direction>,
    /// How far a swipe's finger goes; a medium way when absent.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub far: Option<Distance>,
    /// Further parameters of the action, by the catalogue's names of them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub with: Map<String, Value>,
    /// The step repeats until this is on the screen; it is skipped when it already is.
    #[serde(default)]
    pub until: Option<Target>,
    /// Words of a documentation that tell the element where its name does not. Only the stand-in model
    /// `reader` goes by them: it knows a nameless element by what is documented about it, and guesses
    /// where nothing is.
    #[serde(default)]
    pub means: Option<String>,
}

impl Step {
    pub fn new(verb: Verb) -> Self {
        Self { verb, ..Self::default() }
    }

    /// The element that the step is about; `None` when it names none.
    pub fn target(&self) -> Option<Target> {
        let named = self.name.is_some() || self.contains.is_some();
        (self.role.is_some() || named || self.value.is_some()).then(|| Target {
            role: self.role.clone(),
            name: self.name.clone(),
            contains: self.contains.clone(),
            value: self.value.clone(),
            nth: self.nth,
            at: self.at,
        })
    }
}

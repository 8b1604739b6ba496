//! What can be touched on a screen.

use serde::{Deserialize, Serialize};

use crate::error::DeviceError;
use crate::geometry::{Physical, Point, Rect};

/// The accessible role, in WAI-ARIA's words where they exist (`button`, `textbox`, `link`, `canvas`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Role(pub String);

impl Role {
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A driver's own handle for an element, valid for the observation that it came from only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ElementRef(pub String);

impl ElementRef {
    /// The element that it stands for among those of the last observation.
    pub fn among<'a>(&self, elements: &'a [Element]) -> Result<&'a Element, DeviceError> {
        let found = elements.iter().find(|element| element.handle == *self);
        found.ok_or_else(|| DeviceError::StaleElement { what: format!("{} (look again)", self.0) })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Affordance {
    Click,
    Edit,
    /// Offers options to select from (see [`Element::options`]).
    Select,
    Scroll,
    Drag,
    Upload,
    Drop,
    /// Shows more under the pointer: a menu, buttons of a row.
    Hover,
}

/// States of an element; `None` where the state does not apply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct States {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub focused: bool,
    /// Cannot be used now; such an element is listed but never tagged.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub invalid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expanded: Option<bool>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    #[default]
    Tree,
    /// The picture, because the device had no tree to offer: role and name are guesses.
    Picture,
}

impl Source {
    fn is_tree(&self) -> bool {
        *self == Self::Tree
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Element {
    pub handle: ElementRef,
    pub role: Role,
    /// The accessible name: untrusted text from the screen, cut to 200 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The current value, masked for password fields: untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(default)]
    pub states: States,
    #[serde(default)]
    pub affordances: Vec<Affordance>,
    /// The visible part, clipped to the screen.
    pub bounds: Rect<Physical>,
    pub hit: Point<Physical>,
    /// Names of the options, for [`Affordance::Select`]; cut to 50.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The frame it lives in: 0 for the top page.
    #[serde(default, skip_serializing_if = "crate::count::is_zero")]
    pub frame: u32,
    /// What the element is known by across observations, for documentation; the driver's to define
    /// (on Android AppAgent's uid). Not unique on a screen, and no handle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// What its makers call it, where that is known and not for the eye: of a phone's element its resource id
    /// without the package, and a description beside its text. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(default, skip_serializing_if = "Source::is_tree")]
    pub source: Source,
}

impl Element {
    /// An element of the tree of which only a role and a place are known.
    pub fn at(handle: impl Into<String>, role: impl Into<String>, bounds: Rect<Physical>) -> Self {
        Self {
            handle: ElementRef(handle.into()),
            role: Role::new(role),
            bounds,
            hit: bounds.center(),
            ..Self::default()
        }
    }

    /// What it is and holds, whatever a look calls it and wherever the focus is.
    pub fn at_rest(&self) -> Self {
        let states = States { focused: false, ..self.states.clone() };
        Self { handle: ElementRef(String::new()), states, hit: self.bounds.at(0.5, 0.5), ..self.clone() }
    }
}

impl Element {
    pub fn can(&self, what: Affordance) -> bool {
        self.affordances.contains(&what)
    }
}

//! What is known of a tool and of its parameters.

use crate::element::Affordance;
use crate::platform::{Capability, DeviceInfo, Platform};

/// What a device has to be able to do for a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceNeed {
    Nothing,
    Can(Capability),
    OnPhone(Capability),
    /// A mouse, or a finger that can press twice.
    MouseOrTouch,
}

impl DeviceNeed {
    /// Whether a device can.
    pub fn met_by(self, device: &DeviceInfo) -> bool {
        let can = |what: Capability| device.capabilities.contains(&what);
        match self {
            Self::Nothing => true,
            Self::Can(what) => can(what),
            Self::OnPhone(what) => device.platform.has_packages() && can(what),
            Self::MouseOrTouch => can(Capability::Mouse) || can(Capability::Touch),
        }
    }

    /// Whether devices of this kind can, some of them.
    pub fn known_on(self, platform: Platform) -> bool {
        let can = |what: Capability| platform.capabilities().contains(&what);
        match self {
            Self::Nothing => true,
            Self::Can(what) => can(what),
            Self::OnPhone(what) => platform.has_packages() && can(what),
            Self::MouseOrTouch => can(Capability::Mouse) || can(Capability::Touch),
        }
    }
}

/// The kind of a parameter: how it is written, read, checked and grounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A place to press or point at: an element, a place within one, or a part of a grid's area.
    Place,
    /// The same, where the middle of an element will not do: a place within it has to be given.
    PlaceWithin,
    /// An element, acted on where it is best hit.
    Element,
    /// An element that itself is acted on, and has to be able to do this.
    Field(Affordance),
    /// Places within the element, in percent of its width and height.
    Path,
    Text,
    /// A text that says something.
    Words,
    /// A name, without blanks around it.
    Name,
    /// An address, or a path of this site.
    Address,
    /// Keys joined by `+`.
    Keys,
    /// The names of files that the task gives.
    Files,
    Direction,
    Distance,
    /// A whole number from the first to the second.
    Whole(u32, u32),
    /// The place of a tab among the tabs, from 1.
    Tab,
    /// The place of a window among the windows, from 1.
    Window,
    /// Seconds from 0 to 10.
    Seconds,
    /// Which side of the device is up.
    Side,
    /// The reply to a dialog.
    Reply,
    Clicks,
    Button,
    /// Keys that are held meanwhile.
    Modifiers,
}

impl ParamKind {
    /// Whether it names something on the screen.
    pub const fn is_target(self) -> bool {
        matches!(self, Self::Place | Self::PlaceWithin | Self::Element | Self::Field(_))
    }

    /// Whether a part of a grid's area will do.
    pub const fn takes_area(self) -> bool {
        matches!(self, Self::Place | Self::PlaceWithin)
    }

    /// Whether it is text of the player's choice.
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Words | Self::Name | Self::Address | Self::Keys | Self::Files)
    }
}

/// A parameter of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    pub name: &'static str,
    /// Other names under which it is known.
    pub aliases: &'static [&'static str],
    pub kind: ParamKind,
    /// Whether it may be left out.
    pub optional: bool,
    /// What it is, in words.
    pub what: &'static str,
}

/// A parameter of this kind; the table gives it its name.
pub(super) const fn param(kind: ParamKind, what: &'static str) -> Param {
    Param { name: "", aliases: &[], kind, optional: false, what }
}

impl Param {
    pub(super) const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    pub(super) const fn also(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    pub(super) const fn optional(self) -> Self {
        Self { optional: true, ..self }
    }
}

/// An example of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// Its parameters as JSON; empty where none is needed to understand the tool.
    pub parameters: &'static str,
    /// What it does, as the end of a sentence that begins with the call.
    pub shows: &'static str,
}

/// Everything that is known of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolSpec {
    pub name: &'static str,
    /// Other names under which players know it, without case, blanks and signs.
    pub aliases: &'static [&'static str],
    /// What the device has to be able to do.
    pub need: DeviceNeed,
    pub params: &'static [Param],
    /// What it does, in a sentence; `{it}` is what it is done to, in a player's words.
    pub sentence: &'static str,
    pub example: Example,
}

impl ToolSpec {
    /// The sentence, with what it is done to.
    pub fn says(&self, it: &str) -> String {
        self.sentence.replace("{it}", it)
    }

    /// The place of a parameter among the parameters.
    pub fn position(&self, param: &str) -> Option<usize> {
        self.params.iter().position(|p| p.name == param)
    }
}

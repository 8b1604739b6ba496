use crate::element::Affordance;
use crate::platform::{Capability, DeviceInfo, Platform};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceNeed {
    Nothing,
    Can(Capability),
    OnPhone(Capability),
    /// A mouse, or a finger that can press twice.
    MouseOrTouch,
    /// What a task gives, on a device of any kind.
    OfTask(Capability),
}

impl DeviceNeed {
    pub fn met_by(self, device: &DeviceInfo) -> bool {
        let can = |what: Capability| device.capabilities.contains(&what);
        match self {
            Self::Nothing => true,
            Self::Can(what) | Self::OfTask(what) => can(what),
            Self::OnPhone(what) => device.platform.has_packages() && can(what),
            Self::MouseOrTouch => can(Capability::Mouse) || can(Capability::Touch),
        }
    }

    pub fn known_on(self, platform: Platform) -> bool {
        let can = |what: Capability| platform.capabilities().contains(&what);
        match self {
            Self::Nothing | Self::OfTask(_) => true,
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
    Words,
    /// A name, without blanks around it.
    Name,
    Address,
    Keys,
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
    Side,
    Reply,
    Clicks,
    Button,
    Modifiers,
    /// A JSON object, or its text.
    Object,
}

impl ParamKind {
    pub const fn is_target(self) -> bool {
        matches!(self, Self::Place | Self::PlaceWithin | Self::Element | Self::Field(_))
    }

    pub const fn takes_area(self) -> bool {
        matches!(self, Self::Place | Self::PlaceWithin)
    }

    pub const fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Words | Self::Name | Self::Address | Self::Keys | Self::Files)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub kind: ParamKind,
    pub optional: bool,
    /// Whether prompts say nothing of it: it is read where it is given.
    pub seldom: bool,
    /// What it is, in words.
    pub what: &'static str,
}

/// A parameter of this kind; the table gives it its name.
pub(super) const fn param(kind: ParamKind, what: &'static str) -> Param {
    Param { name: "", aliases: &[], kind, optional: false, seldom: false, what }
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

    /// One that may be left out and that prompts say nothing of.
    pub(super) const fn seldom(self) -> Self {
        Self { optional: true, seldom: true, ..self }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// Its parameters as JSON; empty where none is needed to understand the tool.
    pub parameters: &'static str,
    /// What it does, as the end of a sentence that begins with the call.
    pub shows: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolSpec {
    pub name: &'static str,
    /// Other names under which players know it, without case, blanks and signs.
    pub aliases: &'static [&'static str],
    pub need: DeviceNeed,
    pub params: &'static [Param],
    /// What it does, in a sentence; `{it}` is what it is done to, in a player's words.
    pub sentence: &'static str,
    pub example: Example,
}

impl ToolSpec {
    pub fn says(&self, it: &str) -> String {
        self.sentence.replace("{it}", it)
    }

    pub fn position(&self, param: &str) -> Option<usize> {
        self.params.iter().position(|p| p.name == param)
    }
}

//! AppAgent's five slots of an element's documentation.

use std::fmt;

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slot {
    Tap,
    Text,
    VSwipe,
    /// Swiping it left or right.
    HSwipe,
    LongPress,
}

impl Slot {
    /// All, in AppAgent's order.
    pub const ALL: [Self; 5] = [Self::Tap, Self::Text, Self::VSwipe, Self::HSwipe, Self::LongPress];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Tap => "tap",
            Self::Text => "text",
            Self::VSwipe => "v_swipe",
            Self::HSwipe => "h_swipe",
            Self::LongPress => "long_press",
        }
    }

    /// For headings: `Tap`, `Type text`.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Tap => "Tap",
            Self::Text => "Type text",
            Self::VSwipe => "Swipe up or down",
            Self::HSwipe => "Swipe left or right",
            Self::LongPress => "Long press",
        }
    }

    /// As a prompt says it: `tapping`.
    pub const fn doing(self) -> &'static str {
        match self {
            Self::Tap => "tapping",
            Self::Text => "typing into",
            Self::VSwipe | Self::HSwipe => "swiping",
            Self::LongPress => "long pressing",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        Self::ALL
            .into_iter()
            .find(|s| s.name().eq_ignore_ascii_case(text) || s.title().eq_ignore_ascii_case(text))
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is known of an element, by what is done to it. An empty text is not a documentation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Slots {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tap: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub v_swipe: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub h_swipe: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub long_press: String,
}

impl Slots {
    pub fn get(&self, slot: Slot) -> &str {
        match slot {
            Slot::Tap => &self.tap,
            Slot::Text => &self.text,
            Slot::VSwipe => &self.v_swipe,
            Slot::HSwipe => &self.h_swipe,
            Slot::LongPress => &self.long_press,
        }
    }

    pub fn set(&mut self, slot: Slot, text: impl Into<String>) {
        let place = match slot {
            Slot::Tap => &mut self.tap,
            Slot::Text => &mut self.text,
            Slot::VSwipe => &mut self.v_swipe,
            Slot::HSwipe => &mut self.h_swipe,
            Slot::LongPress => &mut self.long_press,
        };
        *place = text.into();
    }

    pub fn is_empty(&self) -> bool {
        Slot::ALL.into_iter().all(|slot| self.get(slot).is_empty())
    }

    /// The slots that have a text, in AppAgent's order.
    pub fn filled(&self) -> impl Iterator<Item = (Slot, &str)> {
        Slot::ALL.into_iter().map(|slot| (slot, self.get(slot))).filter(|(_, text)| !text.is_empty())
    }

    /// All of it as a prompt gives it, on one line.
    pub fn sentence(&self) -> String {
        self.filled()
            .map(|(slot, text)| {
                let what = match slot {
                    Slot::Tap => "It can be tapped.",
                    Slot::Text => "It takes text.",
                    Slot::VSwipe => "It can be swiped up and down without a tap.",
                    Slot::HSwipe => "It can be swiped left and right without a tap.",
                    Slot::LongPress => "It can be held.",
                };
                format!("{what} {}", text.trim())
            })
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// What several elements have in common that AppAgent cannot tell apart, name and slots of each: of every
/// slot the text, and where there are several all of them, each with its name.
pub fn common<'a>(all: impl IntoIterator<Item = (&'a str, Slots)>) -> Slots {
    let all: Vec<(&str, Slots)> = all.into_iter().collect();
    let mut out = Slots::default();
    for slot in Slot::ALL {
        let mut texts: Vec<(&str, &str)> = Vec::new();
        for (name, slots) in &all {
            let text = slots.get(slot);
            if !text.is_empty() && !texts.iter().any(|(_, other)| *other == text) {
                texts.push((name, text));
            }
        }
        match texts.as_slice() {
            [] => {}
            [(_, only)] => out.set(slot, *only),
            several => {
                let told = several.iter().map(|(name, text)| match name.trim() {
                    "" => text.trim().to_owned(),
                    name => format!("\u{201c}{name}\u{201d}: {}", text.trim()),
                });
                out.set(slot, told.collect::<Vec<_>>().join(" "));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_uid_stands_for_is_told_with_the_names() {
        let tap = |text: &str| Slots { tap: text.into(), ..Slots::default() };
        assert_eq!(common([("Display", tap("Opens it."))]).tap, "Opens it.");
        assert_eq!(common([("A", tap("Opens it.")), ("B", tap("Opens it."))]).tap, "Opens it.");
        let both =
            common([("", tap("Opens a page.")), ("Sound", tap("Opens sound.")), ("C", Slots::default())]);
        assert_eq!(both.tap, "Opens a page. \u{201c}Sound\u{201d}: Opens sound.");
        assert!(common([]).is_empty());
    }
}

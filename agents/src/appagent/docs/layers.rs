//! Where documentation comes from, and which of it holds.

use serde::{Deserialize, Serialize};

use super::{Slot, Slots};

/// Where a text came from, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextLayer {
    /// waldo's own exploration, or AppAgent's `auto_docs`.
    Auto,
    /// A person's demonstration, or AppAgent's `demo_docs`.
    Demo,
    Hand,
}

impl TextLayer {
    pub const ALL: [Self; 3] = [Self::Hand, Self::Demo, Self::Auto];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "explored",
            Self::Demo => "demonstrated",
            Self::Hand => "edited",
        }
    }
}

/// Documentation of one element by where it came from.
///
/// The merge rule, slot by slot: what a person wrote holds; where nobody wrote anything, what was
/// demonstrated; where nothing was demonstrated, what was explored. So a demonstration never loses to an
/// exploration, and an exploration fills what demonstrations left open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Layers {
    #[serde(skip_serializing_if = "Slots::is_empty")]
    pub hand: Slots,
    #[serde(skip_serializing_if = "Slots::is_empty")]
    pub demo: Slots,
    #[serde(skip_serializing_if = "Slots::is_empty")]
    pub auto: Slots,
}

impl Layers {
    pub fn layer(&self, layer: TextLayer) -> &Slots {
        match layer {
            TextLayer::Hand => &self.hand,
            TextLayer::Demo => &self.demo,
            TextLayer::Auto => &self.auto,
        }
    }

    pub fn layer_mut(&mut self, layer: TextLayer) -> &mut Slots {
        match layer {
            TextLayer::Hand => &mut self.hand,
            TextLayer::Demo => &mut self.demo,
            TextLayer::Auto => &mut self.auto,
        }
    }

    /// One of AppAgent's bases: its layer, with a person's words in the base that they corrected, which is
    /// the one whose text held before. What they added goes where the element's other texts are.
    pub fn base(&self, layer: TextLayer) -> Slots {
        let mut slots = self.layer(layer).clone();
        for (slot, text) in self.hand.filled() {
            let learnt = [TextLayer::Demo, TextLayer::Auto];
            let corrected = learnt.into_iter().find(|l| !self.layer(*l).get(slot).is_empty());
            let beside = || learnt.into_iter().find(|l| !self.layer(*l).is_empty());
            if corrected.or_else(beside).unwrap_or(TextLayer::Demo) == layer {
                slots.set(slot, text);
            }
        }
        slots
    }

    #[must_use]
    pub fn only(&self, layer: TextLayer) -> Self {
        let mut out = Self::default();
        *out.layer_mut(layer) = self.base(layer);
        out
    }

    pub fn is_empty(&self) -> bool {
        TextLayer::ALL.into_iter().all(|layer| self.layer(layer).is_empty())
    }

    pub fn get(&self, slot: Slot) -> Option<(TextLayer, &str)> {
        TextLayer::ALL
            .into_iter()
            .map(|layer| (layer, self.layer(layer).get(slot)))
            .find(|(_, text)| !text.is_empty())
    }

    pub fn merged(&self) -> Slots {
        let mut out = Slots::default();
        for slot in Slot::ALL {
            if let Some((_, text)) = self.get(slot) {
                out.set(slot, text);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demonstrations_win_exploration_fills_gaps_and_a_person_has_the_last_word() {
        let mut layers = Layers::default();
        layers.auto.set(Slot::Tap, "auto tap");
        layers.auto.set(Slot::LongPress, "auto hold");
        layers.auto.set(Slot::VSwipe, "auto swipe");
        layers.demo.set(Slot::Tap, "demo tap");
        layers.demo.set(Slot::Text, "demo text");
        layers.demo.set(Slot::VSwipe, "demo swipe");
        layers.hand.set(Slot::VSwipe, "my swipe");
        assert_eq!(layers.get(Slot::Tap), Some((TextLayer::Demo, "demo tap")));
        assert_eq!(layers.get(Slot::Text), Some((TextLayer::Demo, "demo text")));
        assert_eq!(layers.get(Slot::LongPress), Some((TextLayer::Auto, "auto hold")));
        assert_eq!(layers.get(Slot::VSwipe), Some((TextLayer::Hand, "my swipe")));
        assert_eq!(layers.get(Slot::HSwipe), None);
        // The bases of AppAgent, one alone.
        layers.hand.set(Slot::LongPress, "my hold");
        layers.hand.set(Slot::HSwipe, "my own");
        let (demo, auto) = (layers.base(TextLayer::Demo), layers.only(TextLayer::Auto).auto);
        assert_eq!((demo.v_swipe.as_str(), auto.v_swipe.as_str()), ("my swipe", "auto swipe"));
        assert_eq!((demo.long_press.as_str(), auto.long_press.as_str()), ("", "my hold"), "it was explored");
        assert_eq!((demo.h_swipe.as_str(), auto.h_swipe.as_str()), ("my own", ""), "neither knew it");
        layers.hand = Slots { v_swipe: "my swipe".into(), ..Slots::default() };
        let merged = layers.merged();
        assert_eq!((merged.tap.as_str(), merged.v_swipe.as_str()), ("demo tap", "my swipe"));
    }
}

//! The words of parameters that have a few fixed ones.

use serde::{Deserialize, Serialize};

use crate::action_parts::{Button, Clicks, Orientation};

/// Makes an enumeration whose members have a word, and others that are read for it.
macro_rules! worded {
    ($(#[$doc:meta])* $name:ident: $($(#[$about:meta])* $member:ident = $word:literal $(| $other:literal)*;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum $name { $($(#[$about])* $member,)* }

        impl $name {
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            pub const fn name(self) -> &'static str {
                match self { $(Self::$member => $word,)* }
            }

            /// Reads a word, without regard to case.
            pub fn parse(text: &str) -> Option<Self> {
                match bare(text).as_str() {
                    $($word $(| $other)* => Some(Self::$member),)*
                    _ => None,
                }
            }
        }
    };
}

worded! {
    /// One of four directions.
    Direction:
    Up = "up" | "upward" | "upwards";
    Down = "down" | "downward" | "downwards";
    /// Towards the left edge.
    Left = "left" | "leftward" | "leftwards";
    /// Towards the right edge.
    Right = "right" | "rightward" | "rightwards";
}

worded! {
    /// How far a swipe goes.
    Distance:
    /// One unit.
    Short = "short" | "small";
    /// Two units.
    Medium = "medium" | "middle";
    /// Three units.
    Long = "long" | "large";
}

worded! {
    /// How a dialog is answered.
    Reply:
    /// By its OK.
    Accept = "accept" | "ok" | "yes" | "confirm" | "true";
    /// By its Cancel.
    Dismiss = "dismiss" | "cancel" | "no" | "close" | "false";
}

impl Direction {
    pub const fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

impl Distance {
    /// 1, 2 or 3 units.
    pub const fn units(self) -> u8 {
        match self {
            Self::Short => 1,
            Self::Medium => 2,
            Self::Long => 3,
        }
    }
}

/// A word without case, blanks and signs.
pub fn bare(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The words of a type that is defined elsewhere.
pub(super) trait HasWords: Copy + PartialEq + Sized + 'static {
    /// Each with its word first, then others that are read for it.
    const ALL: &'static [(Self, &'static [&'static str])];
    const WORDS: &'static [&'static str];

    fn word(self) -> &'static str {
        Self::ALL.iter().find(|(member, _)| *member == self).map_or("", |(_, words)| words[0])
    }

    fn read(text: &str) -> Option<Self> {
        let word = bare(text);
        Self::ALL.iter().find(|(_, words)| words.iter().any(|w| bare(w) == word)).map(|(member, _)| *member)
    }
}

impl HasWords for Orientation {
    const ALL: &'static [(Self, &'static [&'static str])] = &[
        (Self::Natural, &["upright", "natural", "portrait"]),
        (Self::Left, &["left", "landscape", "landscapeleft"]),
        (Self::Right, &["right", "landscaperight"]),
        (Self::Inverted, &["upside-down", "inverted"]),
    ];
    const WORDS: &'static [&'static str] = &["upright", "left", "right", "upside-down"];
}

impl HasWords for Clicks {
    const ALL: &'static [(Self, &'static [&'static str])] = &[
        (Self::Single, &["single", "once", "1"]),
        (Self::Double, &["double", "twice", "2"]),
        (Self::Triple, &["triple", "3"]),
    ];
    const WORDS: &'static [&'static str] = &["single", "double", "triple"];
}

impl HasWords for Button {
    const ALL: &'static [(Self, &'static [&'static str])] = &[
        (Self::Left, &["left", "main", "primary"]),
        (Self::Right, &["right", "secondary"]),
        (Self::Middle, &["middle", "wheel"]),
        (Self::Back, &["back", "x1"]),
        (Self::Forward, &["forward", "x2"]),
    ];
    const WORDS: &'static [&'static str] = &["left", "right", "middle", "back", "forward"];
}

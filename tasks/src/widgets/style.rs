//! How an instance looks: theme, type, size, place and pixel ratio, all drawn from the seed.

use serde_json::{Value, json};

use super::dice::Dice;

/// A colour that has a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hue {
    Red,
    Orange,
    Green,
    Blue,
    Purple,
}

/// All colours with a word.
pub(super) const HUES: [Hue; 5] = [Hue::Red, Hue::Orange, Hue::Green, Hue::Blue, Hue::Purple];

impl Hue {
    pub fn word(self) -> &'static str {
        match self {
            Self::Red => "red",
            Self::Orange => "orange",
            Self::Green => "green",
            Self::Blue => "blue",
            Self::Purple => "purple",
        }
    }
}

/// The colours of a page.
#[derive(Debug)]
pub(super) struct Theme {
    pub name: &'static str,
    pub page: &'static str,
    pub panel: &'static str,
    /// The ground that widgets are drawn on.
    pub stage: &'static str,
    /// What is raised from the ground: cards, tiles, handles' tracks.
    pub card: &'static str,
    pub ink: &'static str,
    pub muted: &'static str,
    pub line: &'static str,
    pub accent: &'static str,
    pub on_accent: &'static str,
    hues: [&'static str; 5],
}

const LIGHT: [&str; 5] = ["#cf3b3b", "#e38a1c", "#2b9a57", "#2c6fd1", "#7d46b8"];
const DARK: [&str; 5] = ["#f26d6d", "#f3a847", "#52c487", "#6ca7f6", "#ba92f1"];

const THEMES: [Theme; 7] = [
    Theme {
        name: "paper",
        page: "#f3f4f6",
        panel: "#ffffff",
        stage: "#f8f9fb",
        card: "#ffffff",
        ink: "#1e2430",
        muted: "#5d6675",
        line: "#c9ced8",
        accent: "#2f5fd0",
        on_accent: "#ffffff",
        hues: LIGHT,
    },
    Theme {
        name: "night",
        page: "#14171d",
        panel: "#1f242d",
        stage: "#262c37",
        card: "#323a48",
        ink: "#eef1f6",
        muted: "#a5afc0",
        line: "#4a5466",
        accent: "#5b8dee",
        on_accent: "#0d1220",
        hues: DARK,
    },
    Theme {
        name: "sand",
        page: "#efe7d8",
        panel: "#fbf7ee",
        stage: "#f4edde",
        card: "#fffdf7",
        ink: "#3a2f21",
        muted: "#75664f",
        line: "#d3c4a6",
        accent: "#9a5b1c",
        on_accent: "#fffaf0",
        hues: LIGHT,
    },
    Theme {
        name: "mint",
        page: "#dff0ea",
        panel: "#f6fcfa",
        stage: "#ebf6f2",
        card: "#ffffff",
        ink: "#16332b",
        muted: "#4e6f65",
        line: "#b4d3c8",
        accent: "#127a5c",
        on_accent: "#ffffff",
        hues: LIGHT,
    },
    Theme {
        name: "slate",
        page: "#2b3240",
        panel: "#f5f6f8",
        stage: "#e9ecf1",
        card: "#ffffff",
        ink: "#212733",
        muted: "#596274",
        line: "#bcc3cf",
        accent: "#37455f",
        on_accent: "#ffffff",
        hues: LIGHT,
    },
    Theme {
        name: "rose",
        page: "#fbeef1",
        panel: "#fffafb",
        stage: "#fdf3f5",
        card: "#ffffff",
        ink: "#3a1f2a",
        muted: "#7d5a66",
        line: "#e4c3cd",
        accent: "#a92d5c",
        on_accent: "#ffffff",
        hues: LIGHT,
    },
    Theme {
        name: "deep",
        page: "#0d2331",
        panel: "#14303f",
        stage: "#1a3a4b",
        card: "#24495c",
        ink: "#eaf5fa",
        muted: "#9fbfce",
        line: "#3f687d",
        accent: "#46b3c9",
        on_accent: "#06222c",
        hues: DARK,
    },
];

const FONTS: [&str; 5] = [
    "system-ui, 'DejaVu Sans', sans-serif",
    "'Liberation Sans', Arial, sans-serif",
    "'DejaVu Serif', Georgia, serif",
    "'Liberation Serif', 'Times New Roman', serif",
    "'DejaVu Sans Mono', monospace",
];

const BUTTONS: [&str; 6] = ["Done", "Submit", "Confirm", "Continue", "Check", "OK"];

/// The look of one instance.
#[derive(Debug)]
pub(super) struct WidgetStyle {
    pub theme: &'static Theme,
    font: &'static str,
    /// The words on the button that hands in.
    pub button: &'static str,
    radius: i64,
    shadow: bool,
    head: bool,
    /// CSS pixels for each unit of a drawing.
    pub size: f64,
    /// Where the panel stands, as shares of the room that is left beside it.
    place: [f64; 2],
    /// Physical pixels for each CSS pixel: 1 or 2.
    pub ratio: f64,
}

impl WidgetStyle {
    /// The look that `dice` gives.
    pub fn draw(dice: &mut Dice) -> Self {
        Self {
            theme: &THEMES[dice.below(THEMES.len())],
            font: dice.pick(&FONTS),
            button: dice.pick(&BUTTONS),
            radius: dice.int(0, 5) * 4,
            shadow: dice.chance(50),
            head: dice.chance(40),
            size: 0.9 + 0.05 * dice.below(6) as f64,
            place: [dice.real(0.0, 1.0), dice.real(0.0, 1.0)],
            ratio: if dice.chance(50) { 2.0 } else { 1.0 },
        }
    }

    /// The colour of `hue` on this theme.
    pub fn hue(&self, hue: Hue) -> &'static str {
        self.theme.hues[hue as usize]
    }

    pub fn page(&self) -> Value {
        let t = self.theme;
        json!({
            "vars": {
                "page": t.page, "panel": t.panel, "stage": t.stage, "card": t.card, "ink": t.ink,
                "muted": t.muted, "line": t.line, "accent": t.accent, "on-accent": t.on_accent,
                "font": self.font, "radius": format!("{}px", self.radius), "size": self.size.to_string(),
            },
            "shadow": self.shadow, "head": self.head, "size": self.size, "place": self.place,
        })
    }

    pub fn facts(&self) -> Value {
        json!({ "theme": self.theme.name, "font": self.font, "size": self.size, "pixel_ratio": self.ratio })
    }
}

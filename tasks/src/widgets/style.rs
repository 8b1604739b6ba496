//! How an instance looks: theme, type, size, place and pixel ratio, all drawn from the seed.

use serde_json::{Value, json};
use waldo_devices::word_list;

use super::dice::Dice;

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
        ["red", "orange", "green", "blue", "purple"][self as usize]
    }
}

#[derive(Debug)]
pub(super) struct Theme {
    pub name: &'static str,
    pub page: &'static str,
    pub panel: &'static str,
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
    theme("paper", "#f3f4f6 #ffffff #f8f9fb #ffffff #1e2430 #5d6675 #c9ced8 #2f5fd0 #ffffff", LIGHT),
    theme("night", "#14171d #1f242d #262c37 #323a48 #eef1f6 #a5afc0 #4a5466 #5b8dee #0d1220", DARK),
    theme("sand", "#efe7d8 #fbf7ee #f4edde #fffdf7 #3a2f21 #75664f #d3c4a6 #9a5b1c #fffaf0", LIGHT),
    theme("mint", "#dff0ea #f6fcfa #ebf6f2 #ffffff #16332b #4e6f65 #b4d3c8 #127a5c #ffffff", LIGHT),
    theme("slate", "#2b3240 #f5f6f8 #e9ecf1 #ffffff #212733 #596274 #bcc3cf #37455f #ffffff", LIGHT),
    theme("rose", "#fbeef1 #fffafb #fdf3f5 #ffffff #3a1f2a #7d5a66 #e4c3cd #a92d5c #ffffff", LIGHT),
    theme("deep", "#0d2331 #14303f #1a3a4b #24495c #eaf5fa #9fbfce #3f687d #46b3c9 #06222c", DARK),
];

const fn theme(name: &'static str, colours: &'static str, hues: [&'static str; 5]) -> Theme {
    let [page, panel, stage, card, ink, muted, line, accent, on_accent] = word_list(colours);
    Theme { name, page, panel, stage, card, ink, muted, line, accent, on_accent, hues }
}

const FONTS: [&str; 5] = [
    "system-ui, 'DejaVu Sans', sans-serif",
    "'Liberation Sans', Arial, sans-serif",
    "'DejaVu Serif', Georgia, serif",
    "'Liberation Serif', 'Times New Roman', serif",
    "'DejaVu Sans Mono', monospace",
];

const BUTTONS: [&str; 6] = ["Done", "Submit", "Confirm", "Continue", "Check", "OK"];

#[derive(Debug)]
pub(super) struct WidgetStyle {
    pub theme: &'static Theme,
    font: &'static str,
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

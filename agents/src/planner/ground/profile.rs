//! How a grounding model writes a place, and how its answers are read.

use std::str::FromStr;

use waldo_devices::{Normalized, Point};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    #[default]
    Absolute,
    /// 0 to 1 over the picture.
    Unit,
    /// 0 to 1000 over the picture.
    Thousand,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerShape {
    #[default]
    Point,
    Box,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    #[default]
    Xy,
    Yx,
}

/// A grounding model's conventions, written as `absolute`, `unit-box`, `thousand-box-yx` and the like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroundProfile {
    pub scale: Scale,
    pub shape: AnswerShape,
    pub order: Order,
}

/// Parts of model names and the conventions that their makers document.
const KNOWN: [(&str, &str); 8] = [
    ("qwen3-vl", "thousand"),
    ("qwen2.5-vl", "absolute"),
    ("ui-tars-1.5", "absolute"),
    ("ui-tars", "thousand"),
    ("uground", "thousand"),
    ("os-atlas", "thousand-box"),
    ("gemini", "thousand-box-yx"),
    ("holo1.5", "absolute"),
];

impl FromStr for GroundProfile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut profile = Self::default();
        for word in text.split('-') {
            match word {
                "absolute" | "pixels" => profile.scale = Scale::Absolute,
                "unit" => profile.scale = Scale::Unit,
                "thousand" => profile.scale = Scale::Thousand,
                "point" => profile.shape = AnswerShape::Point,
                "box" => profile.shape = AnswerShape::Box,
                "xy" => profile.order = Order::Xy,
                "yx" => profile.order = Order::Yx,
                _ => {
                    return Err(format!(
                        "'{word}' is not a convention: write absolute, unit or thousand, then -box where boxes are answered, then -yx where the vertical comes first"
                    ));
                }
            }
        }
        Ok(profile)
    }
}

impl GroundProfile {
    /// The conventions of a model, by its name; absolute points where it is not known.
    pub fn of_model(name: &str) -> Self {
        let name = name.to_ascii_lowercase().replace('_', "-");
        let known = KNOWN.iter().find(|(part, _)| name.contains(part));
        known.and_then(|(_, text)| text.parse().ok()).unwrap_or_default()
    }

    pub(super) fn form(&self) -> String {
        let scale = match self.scale {
            Scale::Absolute => "in pixels of the picture",
            Scale::Unit => "as shares of the picture's width and height from 0 to 1",
            Scale::Thousand => "in thousandths of the picture's width and height, from 0 to 1000",
        };
        let (what, shown) = match (self.shape, self.order) {
            (AnswerShape::Point, Order::Xy) => ("the point to act on, across and then down", "[x, y]"),
            (AnswerShape::Point, Order::Yx) => ("the point to act on, down and then across", "[y, x]"),
            (AnswerShape::Box, Order::Xy) => {
                ("the element's box: left, top, right, bottom", "[x1, y1, x2, y2]")
            }
            (AnswerShape::Box, Order::Yx) => {
                ("the element's box: top, left, bottom, right", "[y1, x1, y2, x2]")
            }
        };
        format!(
            "Answer with {what}, {scale}, as {shown} and nothing else. When it is not in the picture, or cannot be told apart from others, answer with the word none."
        )
    }

    /// The place that an answer names on a picture of `w` by `h` pixels; `Ok(None)` for a
    /// refusal. A box is taken by its centre whatever was asked for.
    pub(super) fn read(&self, answer: &str, w: f64, h: f64) -> Result<Option<Point<Normalized>>, String> {
        let answer = answer.rsplit_once("</think>").map_or(answer, |(_, rest)| rest).trim();
        let numbers = places(answer);
        let Some(numbers) = numbers else {
            let said = answer.to_lowercase();
            let refuses =
                ["none", "null", "not found", "not visible", "no such", "cannot find", "not in the picture"];
            return if refuses.iter().any(|word| said.contains(word)) {
                Ok(None)
            } else {
                Err("the answer names no point".to_owned())
            };
        };
        if numbers.iter().all(|n| *n == -1.0) {
            return Ok(None);
        }
        let [a, b] = match numbers.as_slice() {
            [a, b] => [*a, *b],
            [a, b, c, d] => [f64::midpoint(*a, *c), f64::midpoint(*b, *d)],
            _ => return Err("the answer names no point".to_owned()),
        };
        let [x, y] = if self.order == Order::Xy { [a, b] } else { [b, a] };
        Ok(Some(match self.scale {
            Scale::Absolute => Point::new(x / w.max(1.0), y / h.max(1.0)),
            Scale::Unit => Point::new(x, y),
            Scale::Thousand => Point::new(x / 1000.0, y / 1000.0),
        }))
    }
}

/// The last group of two or four numbers in an answer.
///
/// A group is numbers with nothing but commas, blanks, brackets and the names of coordinates between them.
fn places(answer: &str) -> Option<Vec<f64>> {
    let mut groups: Vec<Vec<f64>> = Vec::new();
    let mut end: Option<usize> = None;
    for (start, stop, number) in numbers(answer) {
        let joined = end.is_some_and(|end| joins(&answer[end..start]));
        match groups.last_mut().filter(|group| joined && group.len() < 4) {
            Some(group) => group.push(number),
            None => groups.push(vec![number]),
        }
        end = Some(stop);
    }
    groups.into_iter().rev().find(|group| group.len() == 2 || group.len() == 4)
}

/// Whether the text between two numbers makes one place of them.
fn joins(between: &str) -> bool {
    let between = between.replace("<|box_end|>", "").replace("<|box_start|>", "");
    let mut words = between.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty());
    between.len() < 40
        && !between.contains(['.', ';'])
        && words.all(|w| {
            matches!(
                w.to_ascii_lowercase().as_str(),
                "x" | "y" | "x1" | "y1" | "x2" | "y2" | "top" | "left" | "right" | "bottom"
            )
        })
}

/// Numbers that are not part of a word, with their places in the text.
fn numbers(text: &str) -> Vec<(usize, usize, f64)> {
    let bytes = text.as_bytes();
    let in_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let mut out = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        let starts = bytes[i].is_ascii_digit() && (i == 0 || !in_word(bytes[i - 1]));
        if !starts {
            i += 1;
            continue;
        }
        let mut stop = i;
        while stop < bytes.len()
            && (bytes[stop].is_ascii_digit()
                || bytes[stop] == b'.' && bytes.get(stop + 1).is_some_and(u8::is_ascii_digit))
        {
            stop += 1;
        }
        let negative = i > 0 && bytes[i - 1] == b'-';
        if bytes.get(stop).is_none_or(|b| !in_word(*b))
            && let Ok(number) = text[i..stop].parse::<f64>()
        {
            let start = if negative { i - 1 } else { i };
            out.push((start, stop, if negative { -number } else { number }));
        }
        i = stop.max(i + 1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(profile: &str, answer: &str) -> Result<Option<Point<Normalized>>, String> {
        profile.parse::<GroundProfile>().unwrap().read(answer, 1000.0, 500.0)
    }

    #[test]
    fn every_convention_leads_to_the_same_place() {
        for (profile, answer) in [
            ("absolute", "[250, 250]"),
            ("absolute", "(250, 250)"),
            ("absolute", "<point>250 250</point>"),
            ("absolute", "Action: click(start_box='(250,250)')"),
            ("absolute", "pyautogui.click(x=250, y=250)"),
            ("absolute", "{\"x\": 250, \"y\": 250.0}"),
            ("absolute", "<think>at (1, 2)?</think>[250, 250]"),
            ("absolute", "The 2 buttons. It is the upper one: [250,250]"),
            ("absolute-box", "[200, 200, 300, 300]"),
            ("unit", "0.25, 0.5"),
            ("thousand", "(250, 500)"),
            ("thousand-yx", "[500, 250]"),
            ("thousand-box-yx", "[{\"box_2d\": [450, 200, 550, 300], \"label\": \"ok\"}]"),
            ("thousand-box", "<|box_start|>(200,450),(300,550)<|box_end|>"),
        ] {
            assert_eq!(read(profile, answer), Ok(Some(Point::new(0.25, 0.5))), "{profile} {answer}");
        }
    }

    #[test]
    fn profiles_are_declared_or_known_and_refusals_are_no_nonsense() {
        for answer in ["none", "None.", "[-1, -1]", "It is not visible here."] {
            assert_eq!(read("absolute", answer), Ok(None), "{answer}");
        }
        for answer in ["", "<html><body>Bad gateway</body></html>", "yes", "12"] {
            assert!(read("absolute", answer).is_err(), "{answer}");
        }
        assert_eq!(GroundProfile::of_model("Qwen3-VL-8B-Instruct"), "thousand".parse().unwrap());
        assert_eq!(GroundProfile::of_model("gemini-2.5-pro"), "thousand-box-yx".parse().unwrap());
        assert_eq!(GroundProfile::of_model("ByteDance/UI-TARS-1.5-7B"), GroundProfile::default());
        assert_eq!(GroundProfile::of_model("other"), GroundProfile::default());
        assert!("percent".parse::<GroundProfile>().unwrap_err().contains("thousand"));
    }
}

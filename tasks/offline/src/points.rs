//! Which point a reply names.
//!
//! `default` is `parser_response_into_coordinates` of the benchmark's `utils/misc.py`, `uitars` and `aguvis` are the
//! parse functions of its models (`models/local_uitars.py`, `models/local_aguvis.py`). A point counts pixels of the
//! picture where a coordinate is above 1, and shares of its width and height otherwise, as in
//! `benchmarks/l2_element_grounding.py`.

use std::sync::LazyLock;

use fancy_regex::Regex;

use crate::numbers::number;
use crate::places::Share;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PointRule {
    /// The first two numbers that only commas, semicolons, blanks and names of coordinates stand between.
    #[default]
    Default,
    /// UI-TARS: two runs of digits and no more, in pixels of the picture as Qwen2.5-VL resizes it.
    Uitars,
    /// Aguvis: `x=0.5, y=0.25`; the upper left corner where a reply has no such words.
    Aguvis,
    /// As the default, in thousandths of the picture's width and height.
    Thousand,
}

waldo_devices::named!(PointRule { Default = "default", Uitars = "uitars", Aguvis = "aguvis", Thousand = "thousand" });

const NUMBER: &str = r"([-+]?(?:\d+\.\d+|\.\d+|\d+))";
const BLANK: &str = r"[\s\x1c-\x1f]";

static PAIR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?i)(?:x{BLANK}*[:=]?{BLANK}*)?[\(\[\{{]?{BLANK}*{NUMBER}{BLANK}*[,\s\x1c-\x1f;]+(?:y{BLANK}*[:=]?{BLANK}*)?{BLANK}*{NUMBER}{BLANK}*[\)\]\}}]?"
    ))
    .ok()
});
static DIGITS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\d+").ok());
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"x=([\d.]+), y=([\d.]+)").ok());

/// The factor that both sides of a resized picture are multiples of.
const FACTOR: f64 = 28.0;
/// Fewest and most pixels of a resized picture, as the benchmark's UI-TARS has them.
const PIXELS: [f64; 2] = [100.0 * FACTOR * FACTOR, 16384.0 * FACTOR * FACTOR];

/// The point that a reply names on a picture of `size` pixels, as shares of its width and height; `None` where it names
/// none, which the benchmark counts as a wrong format.
pub fn read_point(rule: PointRule, reply: &str, size: (u32, u32)) -> Option<Share> {
    let (w, h) = (f64::from(size.0), f64::from(size.1));
    let [x, y] = match rule {
        PointRule::Default => pair(reply)?,
        PointRule::Thousand => pair(reply)?.map(|v| v / 1000.0),
        PointRule::Uitars => {
            let found: Vec<f64> =
                DIGITS.as_ref()?.find_iter(reply).filter_map(|found| number(found.ok()?.as_str())).collect();
            let [x, y] = found.as_slice() else { return None };
            let [width, height] = resized(w, h)?;
            [x / width, y / height]
        }
        PointRule::Aguvis => {
            let Some(found) = NAMED.as_ref()?.captures(reply).ok()? else {
                return Some(Share { x: 0.0, y: 0.0 });
            };
            [number(found.get(1)?.as_str())?, number(found.get(2)?.as_str())?]
        }
    };
    let point = if x > 1.0 || y > 1.0 { Share { x: x / w, y: y / h } } else { Share { x, y } };
    (point.x.is_finite() && point.y.is_finite()).then_some(point)
}

fn pair(reply: &str) -> Option<[f64; 2]> {
    let found = PAIR.as_ref()?.captures(reply).ok()??;
    Some([number(found.get(1)?.as_str())?, number(found.get(2)?.as_str())?])
}

/// The size that a picture of `w` by `h` has for the model: `smart_resize` of the benchmark's UI-TARS.
fn resized(w: f64, h: f64) -> Option<[f64; 2]> {
    if w.max(h) / w.min(h) > 200.0 {
        return None;
    }
    let near = |side: f64| ((side / FACTOR).round_ties_even() * FACTOR).max(FACTOR);
    let (width, height) = (near(w), near(h));
    let [fewest, most] = PIXELS;
    Some(if width * height > most {
        let beta = (w * h / most).sqrt();
        [w, h].map(|side| (side / beta / FACTOR).floor() * FACTOR)
    } else if width * height < fewest {
        let beta = (fewest / (w * h)).sqrt();
        [w, h].map(|side| (side * beta / FACTOR).ceil() * FACTOR)
    } else {
        [width, height]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_and_shares_lead_to_the_same_place() {
        let at = |rule, reply| read_point(rule, reply, (1000, 500)).map(|at| [at.x, at.y]);
        assert_eq!(at(PointRule::Default, "(250, 250)"), Some([0.25, 0.5]));
        assert_eq!(at(PointRule::Default, "(0.25, 0.5)"), Some([0.25, 0.5]));
        assert_eq!(at(PointRule::Default, "(1, 1)"), Some([1.0, 1.0]));
        // One coordinate above 1 makes both count pixels.
        assert_eq!(at(PointRule::Default, "(1.5, 0.3)"), Some([0.0015, 0.0006]));
        assert_eq!(at(PointRule::Thousand, "[250, 500]"), Some([0.25, 0.5]));
        assert_eq!(at(PointRule::Aguvis, "pyautogui.click(x=0.25, y=0.5)"), Some([0.25, 0.5]));
        assert_eq!(at(PointRule::Aguvis, "(0.25, 0.5)"), Some([0.0, 0.0]));
        assert_eq!(at(PointRule::Aguvis, "x=1.2.3, y=4"), None);
        assert_eq!(at(PointRule::Uitars, "click(start_box='(252,252)')"), Some([252.0 / 1008.0, 0.5]));
        assert_eq!(at(PointRule::Uitars, "1 2 3"), None);
    }
}

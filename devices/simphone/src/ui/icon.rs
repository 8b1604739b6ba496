//! Signs, read from `assets/icons.txt`: forms in a square of 24.

use std::sync::LazyLock;

use super::shape::Outline;
use crate::lists;

/// Makes the enum of the signs of their names.
macro_rules! signs {
    ($($name:ident)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum Icon { $($name,)+ }
    };
}

signs! {
    Back Close Menu More Search Plus Minus Trash Send Gear Check Star StarOutline Play Pause Next
    Previous Person People Phone Message Note Calendar Clock Alarm Folder File Cart Bag Music Game Heart
    Edit Down Up Left Right Home Square Wifi Bluetooth Sun Moon Bell BellOff Battery Storage Info
    Language Volume Lock Pin Plane Signal Share Copy Undo Refresh Filter Sort Image Camera Flash Rotate
    Backspace Shift Enter Globe Label Archive Attach Timer Target Mic Card Gift Warning
}

/// The forms of each sign, in the order of [`Icon`].
static FORMS: LazyLock<Vec<Vec<Outline>>> = LazyLock::new(|| {
    let signs = lists::read(include_str!("../../assets/icons.txt")).into_iter();
    // A line that is not understood is left out; the tests admit none.
    signs.map(|(_, lines)| lines.into_iter().filter_map(parse).flatten().collect()).collect()
});

pub(crate) fn parse(line: &str) -> Option<Vec<Outline>> {
    let mut words = line.split([' ', ',']).filter(|w| !w.is_empty());
    let kind = words.next()?;
    let numbers = words.map(|w| w.parse().ok()).collect::<Option<Vec<f32>>>()?;
    let form = match (kind, numbers.as_slice()) {
        ("stroke", [width, rest @ ..]) => Outline::Stroke(points(rest)?, *width),
        ("fill", all) => Outline::Fill(points(all)?),
        ("disc", &[x, y, r]) => Outline::Disc(x, y, r),
        ("ring", &[x, y, r, width]) => Outline::Ring(x, y, r, width),
        ("box", &[l, t, r, b, radius]) => Outline::Box(l, t, r, b, radius),
        ("frame", &[l, t, r, b, radius, width]) => Outline::Frame(l, t, r, b, radius, width),
        ("arc", &[x, y, r, from, to]) => arc(x, y, r, from, to),
        ("star", &[scale]) => Outline::Fill(star(scale)),
        ("star", &[scale, width]) => {
            let mut outline = star(scale);
            outline.extend(outline.first().copied());
            Outline::Stroke(outline, width)
        }
        ("rays", &[from, to, width]) => return Some(rays(from, to, width)),
        _ => return None,
    };
    Some(vec![form])
}

fn points(numbers: &[f32]) -> Option<Vec<(f32, f32)>> {
    let pairs = numbers.chunks(2).map(|pair| match pair {
        &[x, y] => Some((x, y)),
        _ => None,
    });
    pairs.collect()
}

fn arc(cx: f32, cy: f32, r: f32, from: f32, to: f32) -> Outline {
    let steps = 20_u8;
    let points = (0..=steps)
        .map(|i| {
            let a = (from + (to - from) * f32::from(i) / f32::from(steps)).to_radians();
            (cx + r * a.cos(), cy + r * a.sin())
        })
        .collect();
    Outline::Stroke(points, 2.0)
}

fn star(scale: f32) -> Vec<(f32, f32)> {
    (0..10_u8)
        .map(|i| {
            let r = if i % 2 == 0 { 9.5 } else { 4.0 } * scale;
            let a = (f32::from(i) * 36.0 - 90.0).to_radians();
            (12.0 + r * a.cos(), 12.6 + r * a.sin())
        })
        .collect()
}

fn rays(from: f32, to: f32, width: f32) -> Vec<Outline> {
    let ray = |i: u8| {
        let a = (f32::from(i) * 45.0).to_radians();
        let at = |r: f32| (12.0 + r * a.cos(), 12.0 + r * a.sin());
        Outline::Stroke(vec![at(from), at(to)], width)
    };
    (0..8).map(ray).collect()
}

impl Icon {
    pub fn forms(self) -> &'static [Outline] {
        FORMS.get(self as usize).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_names_each_sign_in_the_order_of_the_enum_and_every_line_is_understood() {
        let signs = lists::read(include_str!("../../assets/icons.txt"));
        assert_eq!(signs.len(), Icon::Warning as usize + 1);
        for (at, (name, lines)) in signs.iter().enumerate() {
            let icon: Icon = serde_json::from_value((*name).into()).unwrap();
            assert_eq!(icon as usize, at, "{name}");
            assert!(!lines.is_empty(), "{name}");
            for line in lines {
                assert!(parse(line).is_some(), "{line}");
            }
        }
        for wrong in ["  stroke 2, 1 1, 2", "  disc 1 2", "  blob 1 2 3", "  fill 1 x"] {
            assert!(parse(wrong).is_none(), "{wrong}");
        }
    }
}

//! What the pictures show, read from `assets/scenes.txt`: a few forms in a square of 100.

use std::sync::LazyLock;

use crate::{apps::prelude::*, lists, ui::icon};

/// A form's points, each put elsewhere; lengths grow by a factor.
fn placed(form: &Outline, put: &impl Fn(f32, f32) -> (f32, f32), grow: f32) -> Outline {
    let all = |points: &[(f32, f32)]| points.iter().map(|(x, y)| put(*x, *y)).collect();
    match form {
        Outline::Stroke(points, width) => Outline::Stroke(all(points), width * grow),
        Outline::Fill(points) => Outline::Fill(all(points)),
        Outline::Disc(x, y, r) => {
            let (x, y) = put(*x, *y);
            Outline::Disc(x, y, r * grow)
        }
        other => other.clone(),
    }
}

fn grey(tone: Tone) -> Tone {
    match tone {
        Tone::Rgb(r, g, b) => {
            let mean = (u16::from(r) * 3 + u16::from(g) * 6 + u16::from(b)) / 10;
            let mean = u8::try_from(mean).unwrap_or(u8::MAX);
            Tone::Rgb(mean, mean, mean)
        }
        other => other,
    }
}

/// The forms of each scene, with their colours.
static SCENES: LazyLock<Vec<Vec<(Outline, Tone)>>> = LazyLock::new(|| {
    let scenes = lists::read(include_str!("../../../assets/scenes.txt")).into_iter();
    // A line that is not understood is left out; the tests admit none.
    scenes.map(|(_, lines)| lines.into_iter().filter_map(parse).flatten().collect()).collect()
});

/// The forms that a line asks for, each in its colour.
fn parse(line: &str) -> Option<Vec<(Outline, Tone)>> {
    let (colour, form) = line.trim().split_once(' ')?;
    let [_, r, g, b] = u32::from_str_radix(colour, 16).ok()?.to_be_bytes();
    Some(icon::parse(form)?.into_iter().map(|f| (f, Tone::Rgb(r, g, b))).collect())
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Shown {
    pub scene: u8,
    pub turned: u8,
    pub mono: bool,
    /// How near it is: 1 is whole.
    pub zoom: f32,
    /// What is in the middle, in its square of 100.
    pub middle: (f32, f32),
}

pub(super) fn shapes(shown: Shown, (w, h): (f32, f32)) -> Vec<Shape> {
    let put = |x: f32, y: f32| {
        let (x, y) = match shown.turned {
            1 => (100.0 - y, x),
            2 => (100.0 - x, 100.0 - y),
            3 => (y, 100.0 - x),
            _ => (x, y),
        };
        let near = |at: f32, middle: f32, whole: f32| ((at - middle) * shown.zoom / 100.0 + 0.5) * whole;
        (near(x, shown.middle.0, w), near(y, shown.middle.1, h))
    };
    let grow = w.min(h) / 100.0 * shown.zoom;
    let tone = |tone: Tone| if shown.mono { grey(tone) } else { tone };
    let forms = SCENES.get(usize::from(shown.scene)).map_or(&[][..], Vec::as_slice);
    forms.iter().map(|(form, t)| Shape::new(placed(form, &put, grow), tone(*t))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_title_has_its_scene_and_every_line_is_understood() {
        let pictures = contents::records("pictures");
        assert!(pictures.iter().all(|[_, scene]| !SCENES[scene.parse::<usize>().unwrap()].is_empty()));
        for line in
            lists::read(include_str!("../../../assets/scenes.txt")).iter().flat_map(|(_, lines)| lines)
        {
            assert!(parse(line).is_some(), "{line}");
        }
    }
}

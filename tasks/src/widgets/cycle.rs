//! Widgets that show one picture of a row, with arrows for the one before and the next.

use serde_json::json;
use waldo_devices::word_list;

use super::DrawnWidget;
use super::dice::Dice;
use super::play::{Play, WidgetAnswer, WidgetEnd};
use super::style::{HUES, WidgetStyle};
use super::svg::{Paint, Pictogram, Svg, THINGS, num};
use super::truth::Truth;

/// The frames and what else a widget of this kind is made of.
#[derive(Default)]
struct FrameRow {
    ask: String,
    size: [f64; 2],
    /// What stands beside the picture.
    around: Svg,
    frames: Vec<String>,
    at: [f64; 2],
    half: [f64; 2],
    right: usize,
    end: WidgetEnd,
    dots: Dots,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Dots {
    Shown,
    #[default]
    Hidden,
}

fn arrow(svg: &mut Svg, style: &WidgetStyle, look: usize, [x, y]: [f64; 2], way: f64) {
    let t = style.theme;
    match look {
        0 => svg.circle([x, y], 20.0, Paint::both(t.card, t.line, 2.0)),
        1 => svg.rect([x - 19.0, y - 19.0, 38.0, 38.0], 8.0, Paint::fill(t.accent)),
        _ => svg.circle([x, y], 20.0, Paint::fill(t.accent)),
    };
    let colour = if look == 0 { t.ink } else { t.on_accent };
    let [x, y, ahead, back] = [x - 5.0 * way, y - 10.0, 10.0 * way, -10.0 * way].map(num);
    svg.path(&format!("M{x} {y} l{ahead} 10 l{back} 10"), Paint::line(colour, 3.5));
}

impl FrameRow {
    fn made(self, dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
        let count = self.frames.len();
        let start = loop {
            let start = dice.below(count);
            if start != self.right {
                break start;
            }
        };
        let [x, y] = self.at;
        let [w, h] = self.half;
        // Arrows at the sides, or both below.
        let beside = dice.chance(60);
        let [back, next] = if beside {
            [[x - w - 34.0, y], [x + w + 34.0, y]]
        } else {
            [[x - 30.0, y + h + 42.0], [x + 30.0, y + h + 42.0]]
        };
        let size = [self.size[0], y + h + if beside { 34.0 } else { 76.0 }];
        let mut svg = self.around;
        let card = Paint::both(style.theme.card, style.theme.line, 1.5);
        svg.rect([x - w, y - h, 2.0 * w, 2.0 * h], 10.0, card);
        svg.group("id=\"view\"").end();
        let look = dice.below(3);
        arrow(&mut svg, style, look, back, -1.0);
        arrow(&mut svg, style, look, next, 1.0);
        let dots: Vec<[f64; 2]> = if self.dots == Dots::Shown {
            (0..count).map(|n| [x + (n as f64 - (count as f64 - 1.0) / 2.0) * 16.0, y + h + 12.0]).collect()
        } else {
            Vec::new()
        };
        for (n, at) in dots.iter().enumerate() {
            svg.group(&format!("id=\"dot{n}\" fill=\"{}\"", style.theme.line));
            svg.raw(&format!("<circle cx=\"{}\" cy=\"{}\" r=\"4\"/>", num(at[0]), num(at[1]))).end();
        }
        DrawnWidget {
            ask: self.ask,
            size,
            kind: "cycle",
            svg: svg.0,
            data: json!({
                "frames": self.frames, "back": back, "next": next, "start": start,
                "wraps": self.end == WidgetEnd::Wraps, "dots": dots.len(), "on": style.theme.accent,
                "off": style.theme.line,
            }),
            truth: Truth::Index(self.right),
            play: Play::Cycle { back, next, count, start, end: self.end },
            answer: WidgetAnswer::One(self.right),
        }
    }
}

fn die(svg: &mut Svg, style: &WidgetStyle, [x, y]: [f64; 2], size: f64, pips: usize) {
    let t = style.theme;
    svg.rect([x - size / 2.0, y - size / 2.0, size, size], size / 6.0, Paint::both(t.stage, t.ink, 2.0));
    let d = size * 0.27;
    let places: &[[f64; 2]] = match pips {
        1 => &[[0., 0.]],
        2 => &[[-1., -1.], [1., 1.]],
        3 => &[[-1., -1.], [0., 0.], [1., 1.]],
        4 => &[[-1., -1.], [1., -1.], [-1., 1.], [1., 1.]],
        5 => &[[-1., -1.], [1., -1.], [0., 0.], [-1., 1.], [1., 1.]],
        _ => &[[-1., -1.], [1., -1.], [-1., 0.], [1., 0.], [-1., 1.], [1., 1.]],
    };
    for [px, py] in places {
        svg.circle([x + px * d, y + py * d], size * 0.085, Paint::fill(t.ink));
    }
}

/// Cards of dice: the one that adds up to a number.
pub(super) fn sum(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let each = 2 + dice.below(2);
    let count = 5 + dice.below(4);
    let mut sums: Vec<usize> = (each + 1..=each * 6 - 1).collect();
    dice.shuffle(&mut sums);
    sums.truncate(count);
    let right = dice.below(sums.len());
    let frames = sums
        .iter()
        .map(|sum| {
            let pips = loop {
                let pips: Vec<usize> = (0..each).map(|_| 1 + dice.below(6)).collect();
                if pips.iter().sum::<usize>() == *sum {
                    break pips;
                }
            };
            let mut svg = Svg::new();
            for (n, pips) in pips.iter().enumerate() {
                let x = 220.0 + (n as f64 - (each as f64 - 1.0) / 2.0) * 66.0;
                die(&mut svg, style, [x, 100.0], 54.0, *pips);
            }
            svg.0
        })
        .collect();
    FrameRow {
        ask: format!("Use the arrows until the dice add up to {}.", sums[right]),
        size: [440.0, 250.0],
        frames,
        at: [220.0, 100.0],
        half: [110.0, 66.0],
        right,
        ..FrameRow::default()
    }
    .made(dice, style)
}

/// Pictures with spots: the one with so many.
pub(super) fn count(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let mut counts: Vec<usize> = (2..=11).collect();
    dice.shuffle(&mut counts);
    counts.truncate(6 + dice.below(4));
    let right = dice.below(counts.len());
    let colour = style.hue(dice.pick(&HUES));
    let frames = counts
        .iter()
        .map(|count| {
            let mut svg = Svg::new();
            let spots = super::point::scatter(dice, [128.0, 30.0, 184.0, 150.0], *count, 34.0);
            for at in spots {
                svg.circle(at, 10.0, Paint::fill(colour));
            }
            svg.0
        })
        .collect();
    FrameRow {
        ask: format!("Find the picture with exactly {} dots.", counts[right]),
        size: [440.0, 270.0],
        frames,
        at: [220.0, 105.0],
        half: [106.0, 88.0],
        right,
        ..FrameRow::default()
    }
    .made(dice, style)
}

/// A picture that is turned: the one that faces like the reference.
pub(super) fn orient(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    use Pictogram::{Arrow, Boat, Car, Fish, Key, Umbrella};
    let thing = dice.pick(&[Arrow, Fish, Boat, Key, Umbrella, Car]);
    let colours = [style.hue(dice.pick(&HUES)), style.theme.ink];
    let first = dice.below(8);
    let right = dice.below(8);
    let turn = |n: usize| 45.0 * ((n + first) % 8) as f64;
    let frames = (0..8)
        .map(|n| {
            let mut svg = Svg::new();
            svg.thing(thing, [370.0, 110.0], 92.0, turn(n), colours);
            svg.0
        })
        .collect();
    let mut around = Svg::new();
    let t = style.theme;
    around.rect([34.0, 44.0, 132.0, 132.0], 10.0, Paint::both(t.stage, t.muted, 2.0));
    around.thing(thing, [100.0, 110.0], 92.0, turn(right), colours);
    around.text([100.0, 196.0], 13.0, t.muted, "Example");
    FrameRow {
        ask: format!("Turn the {} until it faces the same way as the example.", thing.word()),
        size: [540.0, 260.0],
        around,
        frames,
        at: [370.0, 110.0],
        half: [72.0, 72.0],
        right,
        ..FrameRow::default()
    }
    .made(dice, style)
}

pub(super) const MONTHS: [&str; 12] =
    word_list("January February March April May June July August September October November December");

pub(super) fn month(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let year = dice.int(2024, 2031);
    let right = dice.below(12);
    let t = style.theme;
    let first = dice.below(7);
    let frames = MONTHS
        .iter()
        .enumerate()
        .map(|(n, name)| {
            let mut svg = Svg::new();
            svg.text([230.0, 38.0], 20.0, t.ink, &format!("{name} {year}"));
            let days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][n];
            for day in 0..days {
                let cell = day + (first + n * 3) % 7;
                let at = [122.0 + 36.0 * (cell % 7) as f64, 72.0 + 25.0 * (cell / 7) as f64];
                svg.text(at, 13.0, t.muted, &(day + 1).to_string());
            }
            svg.0
        })
        .collect();
    FrameRow {
        ask: format!("Go to {} {year}.", MONTHS[right]),
        size: [460.0, 300.0],
        frames,
        at: [230.0, 120.0],
        half: [136.0, 108.0],
        right,
        end: WidgetEnd::Stops,
        ..FrameRow::default()
    }
    .made(dice, style)
}

pub(super) fn carousel(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let many = 4 + dice.below(3);
    let things = dice.sample(&THINGS, many);
    let right = dice.below(things.len());
    let t = style.theme;
    let frames = things
        .iter()
        .map(|thing| {
            let mut svg = Svg::new();
            let hue = style.hue(dice.pick(&HUES));
            svg.thing(*thing, [230.0, 82.0], 96.0, 0.0, [hue, t.ink]);
            svg.text([230.0, 154.0], 16.0, t.ink, &capital(thing.word()));
            svg.0
        })
        .collect();
    FrameRow {
        ask: format!("Bring the slide \"{}\" to the front.", capital(things[right].word())),
        size: [460.0, 270.0],
        frames,
        at: [230.0, 98.0],
        half: [120.0, 78.0],
        right,
        end: if dice.chance(50) { WidgetEnd::Wraps } else { WidgetEnd::Stops },
        dots: Dots::Shown,
        ..FrameRow::default()
    }
    .made(dice, style)
}

pub(super) fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

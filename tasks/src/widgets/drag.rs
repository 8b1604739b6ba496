//! Widgets in which something is dragged, and those in which tiles change places.

use serde_json::json;

use super::DrawnWidget;
use super::dice::Dice;
use super::play::{Play, WidgetAnswer};
use super::style::{HUES, WidgetStyle};
use super::svg::Pictogram::{Boat, Car, Cup, Fish, Flower, House, Lamp, Mushroom, Tree, Umbrella};
use super::svg::{Paint, Pictogram, SHAPES, Svg, SvgShape, THINGS, num};
use super::truth::Truth;

pub(super) fn slot(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let size = [540.0, 320.0];
    let t = style.theme;
    let count = 3 + dice.below(3);
    let shapes = dice.sample(&SHAPES, count);
    let right = dice.below(count);
    let r = dice.real(26.0, 32.0);
    let colour = style.hue(dice.pick(&HUES));
    let slots = super::point::scatter(dice, [50.0, 46.0, 440.0, 130.0], count, 86.0);
    let mut svg = Svg::new();
    svg.rect([10.0, 10.0, 520.0, 206.0], 10.0, Paint::both(t.card, t.line, 1.5));
    for (at, shape) in slots.iter().zip(&shapes) {
        svg.shape(*shape, *at, r, 0.0, Paint::both(t.stage, t.muted, 2.5));
    }
    let start = [dice.real(60.0, 480.0), 268.0];
    svg.group("id=\"piece\"").shape(shapes[right], [0.0, 0.0], r, 0.0, Paint::fill(colour)).end();
    DrawnWidget {
        ask: dice
            .pick(&["Drag the piece into the slot of its shape.", "Put the coloured piece where it fits."])
            .to_owned(),
        size,
        kind: "drag",
        svg: svg.0,
        data: json!({ "at": start, "half": [r, r], "from": [0, 0], "to": size }),
        truth: Truth::Near { at: slots[right], within: 8.0 },
        play: Play::Piece { at: start, ends: slots },
        answer: WidgetAnswer::One(right),
    }
}

const PLACES: [(&str, &[Pictogram]); 4] = [
    ("garden", &[Tree, Flower, Mushroom]),
    ("water", &[Fish, Boat]),
    ("road", &[Car]),
    ("table", &[Cup, Lamp]),
];

pub(super) fn bin(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let size = [540.0, 320.0];
    let t = style.theme;
    let count = 3 + dice.below(2);
    let start = [dice.real(80.0, 460.0), 62.0];
    let mut token = Svg::new();
    let (labels, right, what): (Vec<String>, usize, &str) = match dice.below(3) {
        0 => {
            let hues = dice.sample(&HUES, count);
            let right = dice.below(count);
            let shape = dice.pick(&[SvgShape::Circle, SvgShape::Square, SvgShape::Star, SvgShape::Hexagon]);
            token.shape(shape, [0.0, 0.0], 28.0, 0.0, Paint::fill(style.hue(hues[right])));
            (hues.iter().map(|hue| hue.word().to_owned()).collect(), right, "its colour")
        }
        1 => {
            let right = dice.below(count);
            let number = dice.int(0, 9) + 10 * right as i64;
            token.circle([0.0, 0.0], 27.0, Paint::fill(t.accent));
            token.text([0.0, 0.0], 22.0, t.on_accent, &number.to_string());
            ((0..count).map(|n| format!("{} to {}", 10 * n, 10 * n + 9)).collect(), right, "its range")
        }
        _ => {
            let places = dice.sample(&PLACES, count);
            let right = dice.below(count);
            let thing = dice.pick(places[right].1);
            token.thing(thing, [0.0, 0.0], 60.0, 0.0, [style.hue(dice.pick(&HUES)), t.ink]);
            (places.iter().map(|(name, _)| (*name).to_owned()).collect(), right, "the place where it belongs")
        }
    };
    let step = 520.0 / count as f64;
    let mut svg = Svg::new();
    let mut ends = Vec::new();
    let wide = step - 26.0;
    for (n, label) in labels.iter().enumerate() {
        let x = 10.0 + step * (n as f64 + 0.5);
        svg.rect([x - wide / 2.0, 150.0, wide, 150.0], 12.0, Paint::both(t.card, t.muted, 2.5));
        svg.text([x, 280.0], 16.0, t.ink, label);
        ends.push([x, 216.0]);
    }
    svg.group("id=\"piece\"").raw(&token.0).end();
    let [x, _] = ends[right];
    DrawnWidget {
        ask: format!("Drag the token into the bin of {what}."),
        size,
        kind: "drag",
        svg: svg.0,
        data: json!({ "at": start, "half": [30, 30], "from": [0, 0], "to": size }),
        truth: Truth::Box([x - wide / 2.0, 150.0, wide, 150.0]),
        play: Play::Piece { at: start, ends },
        answer: WidgetAnswer::One(right),
    }
}

/// One row of a list to where it belongs.
pub(super) fn reorder(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let size = [420.0, 340.0];
    let t = style.theme;
    let count = 4 + dice.below(3);
    let mut numbers: Vec<i64> = dice.sample(&(3..=99).collect::<Vec<_>>(), count);
    numbers.sort_unstable();
    let unit = dice.pick(&[" kg", " min", " pages", ""]);
    // Row `id` shows the number of that rank; one is taken out and put elsewhere.
    let mut tiles: Vec<usize> = (0..count).collect();
    let (from, to) = loop {
        let (from, to) = (dice.below(count), dice.below(count));
        if from != to {
            break (from, to);
        }
    };
    let moved = tiles.remove(from);
    tiles.insert(to, moved);
    let step = 46.0;
    let top = (340.0 - step * count as f64) / 2.0;
    let at: Vec<[f64; 2]> = (0..count).map(|n| [210.0, top + step * (n as f64 + 0.5)]).collect();
    let mut svg = Svg::new();
    for (id, number) in numbers.iter().enumerate() {
        svg.group(&format!("id=\"t{id}\""));
        svg.rect([-170.0, -20.0, 340.0, 40.0], 7.0, Paint::both(t.card, t.line, 1.5));
        for y in [-5.0, 0.0, 5.0] {
            svg.path(&format!("M-152 {} h18", num(y)), Paint::line(t.muted, 2.0));
        }
        svg.text([0.0, 0.0], 18.0, t.ink, &format!("{number}{unit}")).end();
    }
    DrawnWidget {
        ask: "One row is out of order. Drag it so that the numbers grow from top to bottom.".to_owned(),
        size,
        kind: "rows",
        svg: svg.0,
        data: json!({ "at": at, "half": [170, 20], "tiles": tiles }),
        truth: Truth::Tiles(vec![(0..count).collect()]),
        play: Play::Rows(at),
        answer: WidgetAnswer::Move(to, from),
    }
}

/// The tiles of a board, how they lie, and what is right.
struct Tiles {
    ask: String,
    tiles: Vec<usize>,
    right: Vec<Vec<usize>>,
    swap: [usize; 2],
}

impl Tiles {
    fn made(self, size: [f64; 2], svg: Svg, at: Vec<[f64; 2]>, half: f64) -> DrawnWidget {
        DrawnWidget {
            ask: self.ask,
            size,
            kind: "swap",
            svg: svg.0,
            data: json!({ "at": at, "half": [half, half], "tiles": self.tiles }),
            truth: Truth::Tiles(self.right),
            play: Play::Tiles(at),
            answer: WidgetAnswer::Move(self.swap[0], self.swap[1]),
        }
    }
}

const LINES: [[usize; 3]; 6] = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8]];

/// Every exchange of two tiles after which three of a kind are in a line.
fn completing(kinds: &[usize; 9]) -> Vec<[usize; 2]> {
    let mut found = Vec::new();
    for a in 0..9 {
        for b in a + 1..9 {
            let mut after = *kinds;
            after.swap(a, b);
            if lined(&after) {
                found.push([a, b]);
            }
        }
    }
    found
}

fn lined(kinds: &[usize; 9]) -> bool {
    LINES.iter().any(|line| line.iter().all(|n| kinds[*n] == kinds[line[0]]))
}

pub(super) fn line(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let (kinds, swaps) = loop {
        let mut kinds = [0, 0, 0, 1, 1, 2, 2, 3, 3];
        dice.shuffle(&mut kinds);
        let swaps = completing(&kinds);
        // Two of the kind that is there thrice may be put in place of each other: that is the same line.
        if !lined(&kinds) && (1..=2).contains(&swaps.len()) {
            break (kinds, swaps);
        }
    };
    let size = [360.0, 330.0];
    let shapes = dice.sample(&SHAPES, 4);
    let hues = dice.sample(&HUES, 4);
    let (at, half) = board([180.0, 165.0], 46.0, 8.0);
    let mut svg = Svg::new();
    for (id, kind) in kinds.iter().enumerate() {
        tile(&mut svg, style, id, half);
        svg.shape(shapes[*kind], [0.0, 0.0], 27.0, 0.0, Paint::fill(style.hue(hues[*kind]))).end();
    }
    let right = swaps.iter().map(|[a, b]| swapped(&(0..9).collect::<Vec<_>>(), *a, *b)).collect();
    let swap = dice.pick(&swaps);
    let ask = "Exchange two tiles so that three of a kind stand in one row or column.".to_owned();
    Tiles { ask, tiles: (0..9).collect(), right, swap }.made(size, svg, at, half)
}

fn swapped(tiles: &[usize], a: usize, b: usize) -> Vec<usize> {
    let mut tiles = tiles.to_vec();
    tiles.swap(a, b);
    tiles
}

fn board([x, y]: [f64; 2], half: f64, gap: f64) -> (Vec<[f64; 2]>, f64) {
    let step = 2.0 * half + gap;
    let at = (0..9).map(|n| [x + step * (f64::from(n % 3) - 1.0), y + step * (f64::from(n / 3) - 1.0)]);
    (at.collect(), half)
}

fn tile(svg: &mut Svg, style: &WidgetStyle, id: usize, half: f64) {
    svg.group(&format!("id=\"t{id}\""));
    let cell = [-half, -half, 2.0 * half, 2.0 * half];
    svg.rect(cell, 8.0, Paint::both(style.theme.card, style.theme.line, 1.5));
}

pub(super) fn picture(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let size = [380.0, 350.0];
    let (at, half) = board([190.0, 175.0], 52.0, 2.0);
    let scene = scene(dice, style);
    let mut svg = Svg::new();
    for id in 0..9 {
        let (column, row) = (id % 3, id / 3);
        let (left, wide, x, y) = (num(-half), num(2.0 * half), 100 * column, 100 * row);
        svg.group(&format!("id=\"t{id}\"")).raw(&format!(
            r#"<svg x="{left}" y="{left}" width="{wide}" height="{wide}" viewBox="{x} {y} 100 100">"#
        ));
        svg.raw(&scene.0).raw("</svg>").end();
    }
    let swap = dice.sample(&(0..9).collect::<Vec<_>>(), 2);
    let tiles = swapped(&(0..9).collect::<Vec<_>>(), swap[0], swap[1]);
    let ask = "Two tiles of the picture have changed places. Exchange them back.".to_owned();
    let right = vec![(0..9).collect()];
    Tiles { ask, tiles, right, swap: [swap[0], swap[1]] }.made(size, svg, at, half)
}

/// A picture of 300 by 300 in which no two ninths are alike and every border is crossed.
fn scene(dice: &mut Dice, style: &WidgetStyle) -> Svg {
    let ink = "#2b3038";
    let mut svg = Svg::new();
    let sky = dice.pick(&["#bfe0f5", "#fde3b8", "#d9d4f2", "#cfeee4"]);
    svg.rect([0.0, 0.0, 300.0, 300.0], 0.0, Paint::fill(sky));
    svg.circle([dice.real(85.0, 115.0), dice.real(85.0, 100.0)], 52.0, Paint::fill("#f4c542"));
    let hill = dice.real(150.0, 185.0);
    let [a, b, c, d] = [hill + 30.0, hill - 50.0, hill + 60.0, hill - 20.0].map(num);
    let ridge = format!("M0 {a} C80 {b} 150 {c} 300 {d} V300 H0 Z");
    svg.path(&ridge, Paint::both("#8ec07a", "#5c8f4c", 3.0));
    svg.path("M-10 300 C60 210 170 280 310 205 V310 H-10 Z", Paint::both("#5f9e52", "#3f7337", 3.0));
    svg.path("M20 0 L120 40 L215 12 L300 64", Paint::line("#ffffff", 9.0));
    let things = dice.sample(&[House, Tree, Boat, Umbrella, Car], 3);
    let places = [[200.0, 190.0], [100.0, 205.0], [212.0, 92.0]];
    for (thing, at) in things.iter().zip(places) {
        svg.thing(*thing, at, 110.0, 0.0, [style.hue(dice.pick(&HUES)), ink]);
    }
    let thing = dice.pick(&THINGS);
    svg.thing(thing, [36.0, 196.0], 60.0, 0.0, [style.hue(dice.pick(&HUES)), ink]);
    svg.thing(dice.pick(&THINGS), [268.0, 266.0], 56.0, 0.0, [style.hue(dice.pick(&HUES)), ink]);
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_completes_a_line_or_does_not() {
        // The third 0 goes to the first row's gap.
        let swaps = completing(&[0, 0, 1, 2, 3, 0, 1, 2, 3]);
        assert!(swaps.contains(&[2, 5]));
        for [a, b] in swaps {
            let mut kinds = [0, 0, 1, 2, 3, 0, 1, 2, 3];
            kinds.swap(a, b);
            assert!(lined(&kinds));
        }
        assert!(!lined(&[0, 0, 1, 2, 3, 0, 1, 2, 3]));
    }
}

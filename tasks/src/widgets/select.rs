//! Widgets in which cells are chosen.

use serde_json::json;

use super::DrawnWidget;
use super::dice::Dice;
use super::play::{Pick, Play, WidgetAnswer};
use super::style::{HUES, Hue, WidgetStyle};
use super::svg::{Paint, Pictogram, SHAPES, Svg, SvgShape, THINGS, num};
use super::truth::Truth;

struct Board {
    at: Vec<[f64; 2]>,
    half: [f64; 2],
}

impl Board {
    fn grid(middle: [f64; 2], columns: usize, rows: usize, half: [f64; 2], gap: f64) -> Self {
        let place = |n: usize, count: usize, half: f64, middle: f64| {
            middle + (n as f64 - (count as f64 - 1.0) / 2.0) * (2.0 * half + gap)
        };
        let (x, y) = (
            |n: usize| place(n % columns, columns, half[0], middle[0]),
            |n: usize| place(n / columns, rows, half[1], middle[1]),
        );
        Self { at: (0..columns * rows).map(|n| [x(n), y(n)]).collect(), half }
    }

    fn cards(&self, svg: &mut Svg, style: &WidgetStyle) {
        let [w, h] = self.half;
        let card = Paint::both(style.theme.card, style.theme.line, 1.5);
        for [x, y] in &self.at {
            svg.rect([x - w, y - h, 2.0 * w, 2.0 * h], 8.0, card);
        }
    }

    /// Frames that show what is chosen, over everything else; hidden at first.
    fn frames(&self, svg: &mut Svg, style: &WidgetStyle) {
        let ([w, h], t) = (self.half, style.theme);
        for (n, [x, y]) in self.at.iter().enumerate() {
            svg.group(&format!("id=\"on{n}\" visibility=\"hidden\""));
            svg.rect([x - w, y - h, 2.0 * w, 2.0 * h], 8.0, Paint::line(t.accent, 5.0));
            svg.circle([x + w - 12.0, y - h + 12.0], 10.0, Paint::fill(t.accent));
            let d = format!("M{} {} l4 4 l7 -8", num(x + w - 17.0), num(y - h + 12.0));
            svg.path(&d, Paint::line(t.on_accent, 2.5)).end();
        }
    }

    fn made(
        self,
        ask: String,
        size: [f64; 2],
        svg: Svg,
        pick: Pick,
        on: Vec<usize>,
        cells: Vec<usize>,
    ) -> DrawnWidget {
        let (mode, truth) = match pick {
            Pick::One => ("one", Truth::Cells(cells.clone())),
            Pick::Some => ("some", Truth::Cells(cells.clone())),
            Pick::Order => ("order", Truth::Order(cells.clone())),
        };
        DrawnWidget {
            ask,
            size,
            kind: "cells",
            svg: svg.0,
            data: json!({ "at": self.at, "half": self.half, "mode": mode, "on": on }),
            truth,
            play: Play::Cells { at: self.at, pick, on },
            answer: WidgetAnswer::Cells(cells),
        }
    }
}

pub(super) fn all(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let size = [400.0, 330.0];
    let board = Board::grid([200.0, 165.0], 3, 3, [50.0, 44.0], 12.0);
    let wanted = 2 + dice.below(4);
    let mut right = dice.order(9);
    right.truncate(wanted);
    right.sort_unstable();
    let mut svg = Svg::new();
    board.cards(&mut svg, style);
    let ink = style.theme.ink;
    let kind = dice.below(4);
    let (hue, shape, thing) = (dice.pick(&HUES), dice.pick(&SHAPES), dice.pick(&THINGS));
    let other = |dice: &mut Dice| dice.pick(&HUES.iter().copied().filter(|h| *h != hue).collect::<Vec<_>>());
    for (n, at) in board.at.iter().enumerate() {
        let is = right.contains(&n);
        match kind {
            // A colour.
            0 => {
                let hue = if is { hue } else { other(dice) };
                let thing = dice.pick(&THINGS);
                svg.thing(thing, *at, 66.0, 0.0, [style.hue(hue), ink]);
            }
            // A shape.
            1 => {
                let others: Vec<SvgShape> = SHAPES.iter().copied().filter(|s| *s != shape).collect();
                let shape = if is { shape } else { dice.pick(&others) };
                let hue = dice.pick(&HUES);
                svg.shape(shape, *at, 27.0, dice.real(-15.0, 15.0), Paint::fill(style.hue(hue)));
            }
            // A thing.
            2 => {
                let others: Vec<Pictogram> = THINGS.iter().copied().filter(|t| *t != thing).collect();
                let thing = if is { thing } else { dice.pick(&others) };
                let hue = dice.pick(&HUES);
                svg.thing(thing, *at, 66.0, 0.0, [style.hue(hue), ink]);
            }
            // Filled or only outlined.
            _ => {
                let (shape, hue) = (dice.pick(&SHAPES), style.hue(dice.pick(&HUES)));
                let paint = if is { Paint::line(hue, 4.0) } else { Paint::fill(hue) };
                svg.shape(shape, *at, 26.0, 0.0, paint);
            }
        }
    }
    board.frames(&mut svg, style);
    let ask = match kind {
        0 => format!("Select every {} drawing.", hue.word()),
        1 => format!("Select every {}.", shape.word()),
        2 => format!("Select every picture of a {}.", thing.word()),
        _ => "Select every shape that is not filled in.".to_owned(),
    };
    board.made(ask, size, svg, Pick::Some, Vec::new(), right)
}

pub(super) fn odd(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let size = [400.0, 330.0];
    let board = Board::grid([200.0, 165.0], 3, 3, [50.0, 44.0], 12.0);
    let right = dice.below(9);
    let mut svg = Svg::new();
    board.cards(&mut svg, style);
    let ink = style.theme.ink;
    let kind = dice.below(3);
    let things = dice.sample(&THINGS, 2);
    let hues = dice.sample(&HUES, 2);
    let facing =
        dice.pick(&[Pictogram::Arrow, Pictogram::Fish, Pictogram::Boat, Pictogram::Car, Pictogram::Key]);
    let turned = dice.pick(&[90.0, 180.0, -90.0]);
    for (n, at) in board.at.iter().enumerate() {
        let is = usize::from(n == right);
        match kind {
            0 => svg.thing(things[is], *at, 66.0, 0.0, [style.hue(hues[0]), ink]),
            1 => svg.thing(things[0], *at, 66.0, 0.0, [style.hue(hues[is]), ink]),
            _ => svg.thing(facing, *at, 66.0, turned * is as f64, [style.hue(hues[0]), ink]),
        };
    }
    board.frames(&mut svg, style);
    let ask =
        dice.pick(&["Select the one that differs from the rest.", "Choose the odd one out."]).to_owned();
    board.made(ask, size, svg, Pick::One, Vec::new(), vec![right])
}

pub(super) fn reference(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let size = [560.0, 270.0];
    let board = Board::grid([368.0, 135.0], 3, 2, [52.0, 52.0], 12.0);
    let right = dice.below(6);
    let t = style.theme;
    let wanted = (dice.pick(&THINGS), dice.pick(&HUES));
    let mut shown: Vec<(Pictogram, Hue)> = Vec::new();
    while shown.len() < 6 {
        let (thing, hue) = (dice.pick(&THINGS), dice.pick(&HUES));
        // Some have the thing or the colour in common with the reference.
        let like = match dice.below(3) {
            0 => (wanted.0, hue),
            1 => (thing, wanted.1),
            _ => (thing, hue),
        };
        if like != wanted && !shown.contains(&like) {
            shown.push(like);
        }
    }
    shown[right] = wanted;
    let mut svg = Svg::new();
    svg.rect([26.0, 69.0, 132.0, 132.0], 10.0, Paint::both(t.stage, t.muted, 2.5));
    svg.thing(wanted.0, [92.0, 135.0], 88.0, 0.0, [style.hue(wanted.1), t.ink]);
    svg.text([92.0, 222.0], 13.0, t.muted, "Example");
    board.cards(&mut svg, style);
    for (at, (thing, hue)) in board.at.iter().zip(&shown) {
        svg.thing(*thing, *at, 70.0, 0.0, [style.hue(*hue), t.ink]);
    }
    board.frames(&mut svg, style);
    let ask = "Select the picture that is the same as the example, colour included.".to_owned();
    board.made(ask, size, svg, Pick::One, Vec::new(), vec![right])
}

pub(super) fn order(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let size = [520.0, 300.0];
    let count = 4 + dice.below(3);
    let at = super::point::scatter(dice, [46.0, 46.0, 428.0, 208.0], count, 92.0);
    let board = Board { at, half: [32.0, 32.0] };
    let numbers: Vec<i64> = dice.sample(&(1..=60).collect::<Vec<_>>(), board.at.len());
    let mut svg = Svg::new();
    board.cards(&mut svg, style);
    for (at, number) in board.at.iter().zip(&numbers) {
        svg.text(*at, 24.0, style.theme.ink, &number.to_string());
    }
    board.frames(&mut svg, style);
    let mut right: Vec<usize> = (0..numbers.len()).collect();
    let down = dice.chance(35);
    right.sort_by_key(|n| if down { -numbers[*n] } else { numbers[*n] });
    let ask = if down {
        "Click all the numbers, the largest first."
    } else {
        "Click all the numbers, the smallest first."
    };
    board.made(ask.to_owned(), size, svg, Pick::Order, Vec::new(), right)
}

/// A matrix that is on and off like the one beside it.
pub(super) fn pattern(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let size = [520.0, 290.0];
    let (columns, rows) = dice.pick(&[(3, 3), (4, 3), (3, 4)]);
    let half = [28.0, 28.0];
    let board = Board::grid([350.0, 145.0], columns, rows, half, 8.0);
    let sample = Board::grid([110.0, 145.0], columns, rows, [16.0, 16.0], 5.0);
    let t = style.theme;
    let count = columns * rows;
    let on: Vec<usize> = (0..count).filter(|_| dice.chance(35)).collect();
    let many = 2 + dice.below(5);
    let flips = dice.sample(&(0..count).collect::<Vec<_>>(), many);
    let right: Vec<usize> = (0..count).filter(|n| on.contains(n) != flips.contains(n)).collect();
    let colour = style.hue(dice.pick(&HUES));
    let mut svg = Svg::new();
    for (n, [x, y]) in sample.at.iter().enumerate() {
        let fill = if right.contains(&n) { colour } else { t.card };
        svg.rect([x - 16.0, y - 16.0, 32.0, 32.0], 5.0, Paint::both(fill, t.line, 1.5));
    }
    svg.text([110.0, 30.0], 13.0, t.muted, "Example");
    for (n, [x, y]) in board.at.iter().enumerate() {
        let cell = [x - half[0], y - half[1], 2.0 * half[0], 2.0 * half[1]];
        svg.rect(cell, 7.0, Paint::both(t.card, t.line, 1.5));
        svg.group(&format!("id=\"on{n}\" visibility=\"hidden\""));
        svg.rect(cell, 7.0, Paint::both(colour, t.line, 1.5)).end();
    }
    let ask = "Switch the tiles on the right until they match the example on the left.".to_owned();
    board.made(ask, size, svg, Pick::Some, on, right)
}

pub(super) fn chart(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let size = [540.0, 330.0];
    let board = Board::grid([270.0, 165.0], 2, 2, [120.0, 70.0], 16.0);
    let bars = 4 + dice.below(2);
    let right = dice.below(4);
    let colour = style.hue(dice.pick(&HUES));
    let t = style.theme;
    let mut svg = Svg::new();
    board.cards(&mut svg, style);
    // The others stay below nine tenths of the winner.
    let best: Vec<i64> = (0..bars).map(|_| dice.int(45, 100)).collect();
    let most: i64 = best.iter().sum();
    for (n, [x, y]) in board.at.iter().enumerate() {
        let heights = if n == right {
            best.clone()
        } else {
            loop {
                let heights: Vec<i64> = (0..bars).map(|_| dice.int(10, 100)).collect();
                let sum: i64 = heights.iter().sum();
                if sum * 100 < most * 88 && sum * 100 > most * 35 {
                    break heights;
                }
            }
        };
        let base = y + 52.0;
        let step = 200.0 / bars as f64;
        for (i, height) in heights.iter().enumerate() {
            let left = x - 100.0 + step * i as f64 + step * 0.16;
            let high = *height as f64 * 1.05;
            svg.rect([left, base - high, step * 0.68, high], 2.0, Paint::fill(colour));
        }
        svg.path(&format!("M{} {} h208", num(x - 104.0), num(base)), Paint::line(t.ink, 2.0));
    }
    board.frames(&mut svg, style);
    let ask = "Select the chart whose bars add up to the largest total.".to_owned();
    board.made(ask, size, svg, Pick::One, Vec::new(), vec![right])
}

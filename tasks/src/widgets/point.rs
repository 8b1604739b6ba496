//! Widgets in which one place is pointed at, and the corridor that is drawn along.

use serde_json::json;

use super::DrawnWidget;
use super::dice::Dice;
use super::play::{Play, WidgetAnswer};
use super::style::{HUES, Hue, WidgetStyle};
use super::svg::{Paint, SHAPES, Svg, SvgShape, num, points};
use super::truth::Truth;

/// Places in a box (left, top, width, height) that keep `apart` from each other; fewer than `count` when
/// there is no room for all.
pub(super) fn scatter(dice: &mut Dice, [x, y, w, h]: [f64; 4], count: usize, apart: f64) -> Vec<[f64; 2]> {
    let mut best: Vec<[f64; 2]> = Vec::new();
    for _ in 0..40 {
        let mut found: Vec<[f64; 2]> = Vec::new();
        for _ in 0..60 * count {
            let at = [dice.real(x, x + w), dice.real(y, y + h)];
            if found.iter().all(|[a, b]| (a - at[0]).hypot(b - at[1]) >= apart) {
                found.push(at);
                if found.len() == count {
                    return found;
                }
            }
        }
        if found.len() > best.len() {
            best = found;
        }
    }
    best
}

fn marker(svg: &mut Svg, style: &WidgetStyle) {
    let ink = style.theme.ink;
    svg.group("id=\"mark\" visibility=\"hidden\"")
        .circle([0.0, 0.0], 8.0, Paint::line(ink, 2.0))
        .path("M-13 0 H-4 M4 0 H13 M0 -13 V-4 M0 4 V13", Paint::line(ink, 2.0))
        .end();
}

pub(super) fn pointing(
    ask: String,
    size: [f64; 2],
    mut svg: Svg,
    style: &WidgetStyle,
    truth: Truth,
    spots: Vec<[f64; 2]>,
    right: usize,
) -> DrawnWidget {
    marker(&mut svg, style);
    DrawnWidget {
        ask,
        size,
        kind: "point",
        svg: svg.0,
        data: json!({}),
        truth,
        play: Play::Spots(spots),
        answer: WidgetAnswer::One(right),
    }
}

pub(super) fn odd(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let size = [520.0, 320.0];
    let many = 11 + dice.below(8);
    let spots = scatter(dice, [36.0, 36.0, 448.0, 248.0], many, 62.0);
    let right = dice.below(spots.len());
    let [usual, other] = two(dice);
    let mut svg = Svg::new();
    let mut outline = Vec::new();
    let same = dice.chance(50).then(|| dice.pick(&HUES));
    for (n, at) in spots.iter().enumerate() {
        let shape = if n == right { other } else { usual };
        let (r, turn) = (dice.real(17.0, 24.0), dice.real(0.0, 359.0));
        let hue = same.unwrap_or_else(|| dice.pick(&HUES));
        svg.shape(shape, *at, r, turn, Paint::fill(style.hue(hue)));
        if n == right {
            outline = shape.outline(*at, r, turn);
        }
    }
    let ask = dice
        .pick(&["Click the shape that is unlike all the others.", "Point at the one different shape."])
        .to_owned();
    pointing(ask, size, svg, style, Truth::Inside { outline, slack: 4.0 }, spots, right)
}

/// Two shapes that nobody takes for each other whichever way they are turned.
fn two(dice: &mut Dice) -> [SvgShape; 2] {
    use SvgShape::{Bar, Circle, Cross, Diamond, Square, Star, Triangle};
    let first = [Circle, Circle, Square, Square, Triangle, Star, Cross, Bar, Diamond, Circle];
    let other = [Square, Triangle, Triangle, Star, Cross, Circle, Bar, Triangle, Cross, Bar];
    let pair = dice.below(first.len());
    let [a, b] = [first[pair], other[pair]];
    if dice.chance(50) { [a, b] } else { [b, a] }
}

/// The shape of a size, a colour and a form.
pub(super) fn described(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let size = [540.0, 340.0];
    let many = 10 + dice.below(5);
    let spots = scatter(dice, [44.0, 44.0, 452.0, 252.0], many, 76.0);
    let right = dice.below(spots.len());
    let kinds: Vec<SvgShape> = SHAPES.iter().copied().filter(|s| *s != SvgShape::Diamond).collect();
    let draw = |dice: &mut Dice| (dice.chance(50), dice.pick(&HUES), dice.pick(&kinds));
    let wanted: (bool, Hue, SvgShape) = draw(dice);
    let mut svg = Svg::new();
    let mut outline = Vec::new();
    for (n, at) in spots.iter().enumerate() {
        let (large, hue, shape) = if n == right {
            wanted
        } else {
            loop {
                // Many share two of the three with the one that is meant.
                let (large, hue, shape) = draw(dice);
                let like = match dice.below(4) {
                    0 => (wanted.0, wanted.1, shape),
                    1 => (wanted.0, hue, wanted.2),
                    2 => (!wanted.0, wanted.1, wanted.2),
                    _ => (large, hue, shape),
                };
                if like != wanted {
                    break like;
                }
            }
        };
        let r = if large { 30.0 } else { 14.0 };
        svg.shape(shape, *at, r, 0.0, Paint::fill(style.hue(hue)));
        if n == right {
            outline = shape.outline(*at, r, 0.0);
        }
    }
    let large = if wanted.0 { "large" } else { "small" };
    let ask = format!("Click the {large} {} {}.", wanted.1.word(), wanted.2.word());
    pointing(ask, size, svg, style, Truth::Inside { outline, slack: 4.0 }, spots, right)
}

pub(super) fn path_end(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let t = style.theme;
    let count = 3 + dice.below(3);
    let size = [540.0, 320.0];
    let gap = 270.0 / count as f64;
    let y = |n: usize| 25.0 + gap * (n as f64 + 0.5);
    let ends = dice.order(count);
    let star = dice.below(count);
    let mut svg = Svg::new();
    let own = dice.chance(40);
    let others: Vec<SvgShape> = dice.sample(
        &[SvgShape::Circle, SvgShape::Square, SvgShape::Triangle, SvgShape::Hexagon, SvgShape::Cross],
        count,
    );
    let mut spots = vec![[0.0; 2]; count];
    let middles = dice.order(count);
    for (n, &end) in ends.iter().enumerate() {
        let (a, b) = ([60.0, y(n)], [480.0, y(end)]);
        let hue = if own { style.hue(HUES[n % HUES.len()]) } else { t.muted };
        // Half way all lines run level and apart: between, they cross at wide angles.
        let (m, bend) =
            ([dice.real(225.0, 315.0), y(middles[n]) + dice.real(-6.0, 6.0)], dice.real(70.0, 95.0));
        let [out, before, back] = [a[0] + bend, m[0] - bend, b[0] - bend].map(num);
        let ([ax, ay], [mx, my], [bx, by]) = (a.map(num), m.map(num), b.map(num));
        let d = format!("M{ax} {ay} C{out} {ay} {before} {my} {mx} {my} S{back} {by} {bx} {by}");
        svg.path(&d, Paint::line(t.stage, 8.0)).path(&d, Paint::line(hue, 4.0));
        spots[n] = b;
    }
    for (n, other) in others.iter().enumerate() {
        let shape = if n == star { SvgShape::Star } else { *other };
        svg.shape(shape, [44.0, y(n)], if n == star { 18.0 } else { 14.0 }, 0.0, Paint::fill(t.ink));
        svg.circle([490.0, y(n)], 11.0, Paint::both(t.card, t.ink, 3.0));
    }
    let spots: Vec<[f64; 2]> = spots.into_iter().map(|[_, y]| [490.0, y]).collect();
    let truth = Truth::Near { at: spots[star], within: 15.0 };
    let ask = "Follow the line from the star and click the ring at its end.".to_owned();
    // In the order of the rings from above, so that a number says nothing about the star.
    let mut sorted = spots.clone();
    sorted.sort_by(|a, b| a[1].total_cmp(&b[1]));
    let right = sorted.iter().position(|at| *at == spots[star]).unwrap_or_default();
    pointing(ask, size, svg, style, truth, sorted, right)
}

pub(super) fn corridor(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let t = style.theme;
    let size = [560.0, 340.0];
    let half = dice.real(21.0, 27.0);
    let columns = 4 + dice.below(2);
    let mut way = Vec::new();
    let mut up = dice.chance(50);
    for n in 0..columns {
        let x = 60.0 + 440.0 * n as f64 / (columns as f64 - 1.0);
        let y = if up { dice.real(45.0, 150.0) } else { dice.real(190.0, 295.0) };
        way.push([x, y]);
        up = !up;
    }
    if dice.chance(50) {
        way.reverse();
    }
    let d = points(&way);
    let mut svg = Svg::new();
    svg.path(&d, Paint::line(t.line, 2.0 * half + 5.0)).path(&d, Paint::line(t.card, 2.0 * half));
    let ends = [way[0], way[way.len() - 1]];
    for (at, name) in ends.into_iter().zip(["A", "B"]) {
        svg.circle(at, 15.0, Paint::fill(t.accent)).text(at, 16.0, t.on_accent, name);
    }
    svg.raw(&format!(
        "<polyline id=\"trace\" points=\"\" fill=\"none\" stroke=\"{}\" stroke-width=\"4\" \
         stroke-linejoin=\"round\" stroke-linecap=\"round\"/>",
        style.hue(Hue::Red)
    ));
    DrawnWidget {
        ask: dice
            .pick(&[
                "Draw a line from A to B without leaving the path.",
                "Trace the path from A to B in one stroke and stay inside it.",
            ])
            .to_owned(),
        size,
        kind: "draw",
        svg: svg.0,
        data: json!({}),
        truth: Truth::Path { way: way.clone(), half },
        play: Play::Ground([30.0, 30.0, 500.0, 280.0]),
        answer: WidgetAnswer::Path(way),
    }
}

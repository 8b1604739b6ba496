//! Widgets that change slowly, that move together or after a while, and dials; maps with pins.

use serde_json::{Value, json};

use super::DrawnWidget;
use super::dice::Dice;
use super::play::{Play, WidgetAnswer};
use super::point::{pointing, scatter};
use super::slide::Slider;
use super::style::{HUES, WidgetStyle};
use super::svg::{Paint, Pictogram, SHAPES, Svg, num};
use super::truth::Truth;

const SIZE: [f64; 2] = [480.0, 260.0];

/// A slider below a stage, whose share has these effects.
fn staged(
    dice: &mut Dice,
    style: &WidgetStyle,
    (at, within): (f64, f64),
    ask: &str,
    draw: impl FnOnce(&mut Dice, &mut Svg) -> Value,
) -> DrawnWidget {
    let mut svg = Svg::new();
    svg.rect([16.0, 16.0, 448.0, 160.0], 8.0, Paint::both(style.theme.card, style.theme.line, 1.5));
    let effects = draw(dice, &mut svg);
    let to = [60.0 + dice.real(320.0, 360.0), 216.0];
    let slider = Slider::draw(&mut svg, dice, style, [60.0, 216.0], to, at);
    slider.made(ask.to_owned(), SIZE, svg, effects, at, within)
}

fn target(dice: &mut Dice) -> f64 {
    dice.real(0.3, 0.9)
}

pub(super) fn blur(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let at = target(dice);
    staged(dice, style, (at, 0.06), "Make the picture sharp with the slider.", |dice, svg| {
        let colours = [style.hue(dice.pick(&HUES)), style.theme.ink];
        svg.group("id=\"piece\"").thing(Pictogram::House, [150.0, 96.0], 110.0, 0.0, colours);
        for x in [270.0, 360.0] {
            svg.shape(dice.pick(&SHAPES), [x, 96.0], 34.0, 0.0, Paint::fill(style.hue(dice.pick(&HUES))));
        }
        svg.end();
        json!([{ "kind": "blur", "id": "piece", "at": at, "most": 9 }])
    })
}

pub(super) fn fade(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let at = target(dice);
    staged(dice, style, (at, 0.07), "Make the left patch as pale as the right one.", |dice, svg| {
        let colour = style.hue(dice.pick(&HUES));
        for (id, x, opacity) in [("piece", 130.0, 1.0), ("other", 250.0, 0.05 + 0.95 * at)] {
            svg.group(&format!("id=\"{id}\" opacity=\"{opacity:.3}\""));
            svg.rect([x, 46.0, 100.0, 100.0], 6.0, Paint::fill(colour)).end();
        }
        json!([{ "kind": "fade", "id": "piece", "from": 0.05, "to": 1 }])
    })
}

pub(super) fn shade(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let (at, hue) = (target(dice), dice.int(0, 359));
    staged(dice, style, (at, 0.07), "Give the left disc the brightness of the right one.", |_, svg| {
        let light = 15.0 + 70.0 * at;
        for (id, x) in [("piece", 180.0), ("other", 300.0)] {
            svg.raw(&format!(
                "<circle id=\"{id}\" cx=\"{x}\" cy=\"96\" r=\"52\" fill=\"hsl({hue} 60% {light:.2}%)\"/>"
            ));
        }
        json!([{ "kind": "shade", "id": "piece", "hue": hue, "from": 15, "to": 85 }])
    })
}

pub(super) fn volume(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let count = 24;
    let at = f64::from(dice.int(8, 22) as i32) / f64::from(count);
    staged(dice, style, (at, 0.03), "Raise the sound until the bars are lit up to the mark.", |dice, svg| {
        let colour = style.hue(dice.pick(&HUES));
        svg.group("id=\"bars\"");
        for n in 0..count {
            let (x, h) = (60.0 + 15.0 * f64::from(n), 20.0 + 4.0 * f64::from(n));
            svg.rect([x, 158.0 - h, 10.0, h], 2.0, Paint::fill(colour));
        }
        let x = 57.5 + 15.0 * at * f64::from(count);
        svg.end().path(&format!("M{x} 30 V168"), Paint::line(style.theme.ink, 2.5));
        json!([{ "kind": "bars", "id": "bars" }])
    })
}

/// Bring two dots that move together into their rings.
pub(super) fn pair(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let at = target(dice);
    staged(dice, style, (at, 0.03), "Move both dots into their rings.", |dice, svg| {
        let ways = [([50.0, 60.0], [250.0, 60.0]), ([300.0, 150.0], [420.0, 40.0])];
        let mut effects = Vec::new();
        for (n, (from, to)) in ways.into_iter().enumerate() {
            let ring = [from[0] + (to[0] - from[0]) * at, from[1] + (to[1] - from[1]) * at];
            svg.circle(ring, 17.0, Paint::line(style.theme.ink, 2.5));
            let dot = Paint::fill(style.hue(dice.pick(&HUES)));
            svg.group(&format!("id=\"dot{n}\"")).circle([0.0, 0.0], 12.0, dot).end();
            effects.push(json!({ "kind": "move", "id": format!("dot{n}"), "from": from, "to": to }));
        }
        effects.into()
    })
}

/// Let two things that move against each other meet.
pub(super) fn meet(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let at = target(dice);
    staged(dice, style, (at, 0.03), "Let the upper shape stand right above the lower one.", |dice, svg| {
        let middle = dice.real(190.0, 290.0);
        let (shape, colour) = (dice.pick(&SHAPES), style.hue(dice.pick(&HUES)));
        let mut effects = Vec::new();
        for (id, y, way) in [("upper", 60.0, 1.0), ("lower", 130.0, -1.0)] {
            svg.group(&format!("id=\"{id}\"")).shape(shape, [0.0, y], 24.0, 0.0, Paint::fill(colour)).end();
            let x = |share: f64| middle + way * 150.0 * (share - at);
            effects.push(json!({ "kind": "move", "id": id, "from": [x(0.0), 0], "to": [x(1.0), 0] }));
        }
        effects.into()
    })
}

/// Make a disc that grows as large as one that shrinks.
pub(super) fn sizes(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let at = target(dice);
    staged(dice, style, (at, 0.06), "Make both discs equally large.", |dice, svg| {
        let same = dice.real(34.0, 40.0);
        let mut effects = Vec::new();
        for (id, x, way) in [("grows", 150.0, 1.0), ("shrinks", 330.0, -1.0)] {
            let colour = style.hue(dice.pick(&HUES));
            svg.raw(&format!("<circle id=\"{id}\" cx=\"{x}\" cy=\"96\" r=\"1\" fill=\"{colour}\"/>"));
            let r = |share: f64| same + way * 34.0 * (share - at);
            effects.push(json!({ "kind": "radius", "id": id, "from": r(0.0), "to": r(1.0) }));
        }
        effects.into()
    })
}

/// Bring a shape that follows its slider after a while onto its outline.
pub(super) fn follow(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let at = target(dice);
    staged(dice, style, (at, 0.03), "Bring the shape that lags behind onto its outline.", |dice, svg| {
        let (shape, colour, y) = (dice.pick(&SHAPES), style.hue(dice.pick(&HUES)), dice.real(70.0, 120.0));
        let x = |share: f64| 60.0 + 360.0 * share;
        svg.shape(shape, [x(at), y], 30.0, 0.0, Paint::both(style.theme.stage, style.theme.ink, 2.5));
        svg.group("id=\"piece\"").shape(shape, [0.0, y], 30.0, 0.0, Paint::fill(colour)).end();
        json!([{ "kind": "glide", "id": "piece", "from": [x(0.0), 0], "to": [x(1.0), 0] }])
    })
}

/// A dial with so many places around it, the one at its top left out, that is turned to one of them.
fn dial(
    dice: &mut Dice,
    style: &WidgetStyle,
    count: usize,
    label: impl Fn(usize) -> String,
    ask: impl Fn(usize) -> String,
) -> DrawnWidget {
    let t = style.theme;
    let size = [420.0, 320.0];
    let about = [210.0 + dice.real(-30.0, 30.0), 160.0];
    let around = |k: usize, r: f64| {
        let angle = std::f64::consts::TAU * k as f64 / count as f64;
        [about[0] + r * angle.sin(), about[1] - r * angle.cos()]
    };
    let right = 1 + dice.below(count - 1);
    let mut svg = Svg::new();
    for k in 0..count {
        svg.text(around(k, 118.0), 17.0, t.ink, &label(k));
    }
    let (r, colour) = (90.0, style.hue(dice.pick(&HUES)));
    let mark = format!("M{} {} V{}", num(about[0]), num(about[1] - 78.0), num(about[1] - 44.0));
    svg.circle(about, r + 5.0, Paint::fill(t.line)).group("id=\"dial\"");
    svg.circle(about, r, Paint::fill(colour)).path(&mark, Paint::line(t.card, 9.0)).end();
    DrawnWidget {
        ask: ask(right),
        size,
        kind: "knob",
        svg: svg.0,
        data: json!({ "about": about, "half": [r, r], "r": r, "turns": true }),
        truth: Truth::Share { at: right as f64 / count as f64, within: 0.25 / count as f64 },
        play: Play::Piece { at: around(0, 66.0), ends: (1..count).map(|k| around(k, 66.0)).collect() },
        answer: WidgetAnswer::One(right - 1),
    }
}

pub(super) fn number(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let (count, step) = (dice.pick(&[8, 10, 12]), dice.pick(&[1, 2, 5, 10]));
    dial(dice, style, count, |k| (k * step).to_string(), |k| format!("Turn the dial to {}.", k * step))
}

pub(super) fn letter(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let (count, first) = (6 + dice.below(6), dice.below(10));
    let name = |k: usize| char::from(b'A' + (first + k) as u8 % 26).to_string();
    dial(dice, style, count, name, |k| format!("Turn the mark of the dial to the letter {}.", name(k)))
}

/// A map with lettered pins, of which one is asked for; those that fall come to rest after a while.
fn map(dice: &mut Dice, style: &WidgetStyle, falls: bool) -> DrawnWidget {
    let t = style.theme;
    let size = [520.0, 340.0];
    let mut svg = Svg::new();
    svg.rect([16.0, 16.0, 488.0, 308.0], 8.0, Paint::both("#cfe3ee", t.line, 1.5));
    let coast: Vec<String> = (0..14)
        .map(|n| {
            let angle = std::f64::consts::TAU * f64::from(n) / 14.0;
            let r = dice.real(0.8, 1.0);
            format!("{} {}", num(260.0 + 215.0 * r * angle.cos()), num(170.0 + 135.0 * r * angle.sin()))
        })
        .collect();
    svg.path(&format!("M{} Z", coast.join(" L")), Paint::both("#dfe6c8", "#9aa782", 2.0));
    let many = 5 + dice.below(4);
    let spots = scatter(dice, [90.0, 80.0, 340.0, 190.0], many, 58.0);
    let letters = dice.order(26);
    let right = dice.below(spots.len());
    let name = |n: usize| char::from(b'A' + letters[n] as u8).to_string();
    for (n, at) in spots.iter().enumerate() {
        let wait =
            if falls { format!(" class=\"falls\" style=\"animation-delay:{n}00ms\"") } else { String::new() };
        svg.group(wait.trim());
        let [x, y] = at.map(num);
        svg.path(&format!("M{x} {y} l-9 -16 h18 Z"), Paint::fill("#8a1f2b"));
        svg.circle([at[0], at[1] - 22.0], 13.0, Paint::fill("#8a1f2b"));
        svg.text([at[0], at[1] - 22.0], 14.0, "#ffffff", &name(n)).end();
    }
    let heads: Vec<[f64; 2]> = spots.iter().map(|[x, y]| [*x, y - 22.0]).collect();
    let truth = Truth::Near { at: heads[right], within: 14.0 };
    pointing(format!("Choose the pin {} on the map.", name(right)), size, svg, style, truth, heads, right)
}

pub(super) fn pins(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    map(dice, style, false)
}

pub(super) fn falling_pins(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    map(dice, style, true)
}

//! Widgets with a handle on a straight way.

use serde_json::{Value, json};

use super::DrawnWidget;
use super::dice::Dice;
use super::play::{Play, WidgetAnswer};
use super::style::{HUES, WidgetStyle};
use super::svg::{Paint, Pictogram, SHAPES, Svg, num};
use super::truth::Truth;

/// A handle that starts well away from where it has to go.
fn start_away(dice: &mut Dice, target: f64) -> f64 {
    loop {
        let start = if dice.chance(60) { 0.0 } else { dice.real(0.0, 1.0) };
        if (start - target).abs() > 0.14 {
            return start;
        }
    }
}

/// The half extents of a handle, and its drawing around (0, 0) in the group `id`.
pub(super) fn handle(
    svg: &mut Svg,
    dice: &mut Dice,
    style: &WidgetStyle,
    id: &str,
    colour: &str,
    way: SliderAxis,
) -> [f64; 2] {
    let t = style.theme;
    svg.group(&format!("id=\"{id}\""));
    let half = match dice.below(3) {
        0 => {
            svg.circle([0.0, 0.0], 14.0, Paint::both(colour, t.card, 3.0));
            [15.0, 15.0]
        }
        1 => {
            svg.rect([-20.0, -16.0, 40.0, 32.0], 7.0, Paint::both(colour, t.card, 2.0));
            for x in [-6.0, 0.0, 6.0] {
                let d = match way {
                    SliderAxis::Across => format!("M{} -6 V6", num(x)),
                    SliderAxis::Up => format!("M-6 {} H6", num(x)),
                };
                svg.path(&d, Paint::line(t.on_accent, 2.0));
            }
            [21.0, 17.0]
        }
        _ => {
            let half: [f64; 2] = if way == SliderAxis::Across { [9.0, 18.0] } else { [18.0, 9.0] };
            let [w, h] = half;
            svg.rect([-w, -h, 2.0 * w, 2.0 * h], 5.0, Paint::both(colour, t.card, 2.5));
            half
        }
    };
    svg.end();
    half
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum SliderAxis {
    Across,
    Up,
}

pub(super) fn groove(svg: &mut Svg, style: &WidgetStyle, from: [f64; 2], to: [f64; 2]) {
    let t = style.theme;
    let d = super::svg::points(&[from, to]);
    svg.path(&d, Paint::line(t.line, 10.0)).path(&d, Paint::line(t.card, 6.0));
}

pub(super) struct Slider {
    from: [f64; 2],
    to: [f64; 2],
    start: f64,
    half: [f64; 2],
}

impl Slider {
    pub(super) fn draw(
        svg: &mut Svg,
        dice: &mut Dice,
        style: &WidgetStyle,
        from: [f64; 2],
        to: [f64; 2],
        target: f64,
    ) -> Self {
        groove(svg, style, from, to);
        let way = if from[0] == to[0] { SliderAxis::Up } else { SliderAxis::Across };
        let half = handle(svg, dice, style, "handle", style.theme.accent, way);
        Self { from, to, start: start_away(dice, target), half }
    }

    pub(super) fn made(
        self,
        ask: String,
        size: [f64; 2],
        svg: Svg,
        effects: Value,
        at: f64,
        within: f64,
    ) -> DrawnWidget {
        let Self { from, to, start, half } = self;
        DrawnWidget {
            ask,
            size,
            kind: "slide",
            svg: svg.0,
            data: json!({ "from": from, "to": to, "start": start, "half": half, "effects": effects }),
            truth: Truth::Share { at, within },
            play: Play::Slide { from, to, start },
            answer: WidgetAnswer::Shares(vec![at]),
        }
    }
}

pub(super) fn value(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let (low, high, step, unit) = dice.pick(&[
        (0, 100, 1, "%"),
        (0, 120, 1, " km"),
        (-60, 60, 1, "°"),
        (0, 200, 2, " cm"),
        (20, 140, 1, ""),
    ]);
    let name = dice.pick(&["volume", "level", "setting", "speed", "output", "position"]);
    let count = (high - low) / step;
    let k = dice.int(count / 8, count - 2);
    let target = k as f64 / count as f64;
    let size = [480.0, 200.0];
    let mut svg = Svg::new();
    let t = style.theme;
    let [from, to] = [[50.0, 140.0], [50.0 + dice.real(330.0, 380.0), 140.0]];
    svg.rect([150.0, 28.0, 180.0, 64.0], 10.0, Paint::both(t.card, t.line, 1.5));
    svg.raw(&format!(
        "<text id=\"readout\" x=\"240\" y=\"61\" font-size=\"32\" fill=\"{}\" text-anchor=\"middle\" \
         dominant-baseline=\"central\"></text>",
        t.ink
    ));
    svg.text([from[0], 178.0], 13.0, t.muted, &format!("{low}{unit}"));
    svg.text([to[0], 178.0], 13.0, t.muted, &format!("{high}{unit}"));
    let slider = Slider::draw(&mut svg, dice, style, from, to, target);
    let ask = format!("Set the {name} to {}{unit} with the slider.", low + k * step);
    let effects =
        json!([{ "kind": "text", "id": "readout", "low": low, "high": high, "step": step, "unit": unit }]);
    // The readout rounds: one step off is less than one and a half on the way.
    slider.made(ask, size, svg, effects, target, 1.49 / count as f64)
}

pub(super) fn fit(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let size = [520.0, 260.0];
    let t = style.theme;
    let shape = dice.pick(&SHAPES);
    let colour = style.hue(dice.pick(&HUES));
    let y = dice.real(70.0, 120.0);
    let r = dice.real(26.0, 38.0);
    let (first, last) = (60.0, 60.0 + dice.real(330.0, 400.0));
    let target = dice.real(0.3, 0.98);
    let x = first + (last - first) * target;
    let turn = dice.real(-20.0, 20.0);
    let mut svg = Svg::new();
    svg.rect([16.0, 16.0, 488.0, 160.0], 8.0, Paint::both(t.card, t.line, 1.5));
    if dice.chance(50) {
        for n in 1..12 {
            let d = format!("M{} 17 V175", num(16.0 + 40.0 * f64::from(n)));
            svg.path(&d, Paint::line(t.stage, 1.5));
        }
    }
    svg.shape(shape, [x, y], r, turn, Paint::both(t.stage, t.ink, 2.5));
    svg.group("id=\"piece\"").shape(shape, [0.0, y], r, turn, Paint::fill(colour)).end();
    let to = [50.0 + dice.real(340.0, 420.0), 216.0];
    let slider = Slider::draw(&mut svg, dice, style, [50.0, 216.0], to, target);
    let effects = json!([{ "kind": "move", "id": "piece", "from": [first, 0], "to": [last, 0] }]);
    let ask = format!("Slide the {} onto its outline.", shape.word());
    slider.made(ask, size, svg, effects, target, 6.0 / (last - first))
}

pub(super) fn rotate(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let size = [440.0, 320.0];
    let t = style.theme;
    let target = dice.real(0.16, 0.84);
    let clockwise = if dice.chance(50) { 1.0 } else { -1.0 };
    let first = -360.0 * target * clockwise;
    let mut svg = Svg::new();
    let colour = style.hue(dice.pick(&HUES));
    svg.circle([220.0, 122.0], 108.0, Paint::both(t.card, t.line, 1.5));
    svg.group("id=\"piece\"").thing(Pictogram::House, [220.0, 122.0], 132.0, 0.0, [colour, t.ink]).end();
    let to = [40.0 + dice.real(300.0, 360.0), 276.0];
    let slider = Slider::draw(&mut svg, dice, style, [40.0, 276.0], to, target);
    let effects = json!([{
        "kind": "turn", "id": "piece", "about": [220, 122], "from": first, "to": first + 360.0 * clockwise,
    }]);
    let ask = dice
        .pick(&["Turn the house until it stands upright.", "Set the house upright with the slider."])
        .to_owned();
    slider.made(ask, size, svg, effects, target, 8.0 / 360.0)
}

pub(super) fn fill(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let size = [420.0, 320.0];
    let t = style.theme;
    let target = dice.real(0.2, 0.92);
    let (bottom, high) = (286.0, dice.real(230.0, 250.0));
    let mut svg = Svg::new();
    let [x, w] = [dice.real(60.0, 100.0), dice.real(110.0, 160.0)];
    let liquid = style.hue(dice.pick(&HUES));
    svg.rect([x, bottom - high, w, high], 0.0, Paint::fill(t.card));
    let [left, right, top, base, wide] = [x, x + w, bottom - high - 10.0, bottom, w].map(num);
    svg.raw(&format!(
        r#"<rect id="liquid" x="{left}" y="{base}" width="{wide}" height="0" fill="{liquid}"/>"#
    ));
    svg.path(&format!("M{left} {top} V{bottom} H{right} V{top}"), Paint::line(t.ink, 4.0));
    let y = num(bottom - high * target);
    svg.path(&format!("M{} {y} H{}", num(x - 16.0), num(x + w + 16.0)), Paint::line(t.ink, 2.5));
    svg.text([x - 38.0, bottom - high * target], 14.0, t.ink, "mark");
    let rail = x + w + dice.real(60.0, 100.0);
    let long = dice.real(190.0, 240.0);
    let slider = Slider::draw(&mut svg, dice, style, [rail, 280.0], [rail, 280.0 - long], target);
    let effects = json!([{ "kind": "height", "id": "liquid", "bottom": bottom, "from": 0, "to": high }]);
    let ask = dice.pick(&["Fill the tank up to the mark.", "Bring the liquid to the mark."]).to_owned();
    slider.made(ask, size, svg, effects, target, 6.0 / high)
}

/// Let the stripes of two halves meet.
pub(super) fn align(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let size = [460.0, 280.0];
    let t = style.theme;
    let target = dice.real(0.15, 0.9);
    let travel = dice.real(138.0, 150.0);
    let mut bars: Vec<(f64, f64, &str)> = Vec::new();
    let mut x = 20.0 - travel;
    // Stripes of changing width, so that they meet in one place only.
    while x < 450.0 + travel {
        let w = 6.0 + 4.0 * dice.below(5) as f64;
        bars.push((x, w, style.hue(dice.pick(&HUES))));
        x += w + 8.0 + 5.0 * dice.below(5) as f64;
    }
    let mut svg = Svg::new();
    let (left, right) = (30.0, 430.0);
    svg.raw(&format!(
        "<clipPath id=\"upper\"><rect x=\"{left}\" y=\"20\" width=\"400\" height=\"86\"/></clipPath>\
         <clipPath id=\"lower\"><rect x=\"{left}\" y=\"106\" width=\"400\" height=\"86\"/></clipPath>"
    ));
    svg.rect([left, 20.0, right - left, 172.0], 0.0, Paint::fill(t.card));
    let slant = dice.real(-0.25, 0.25);
    for (half, top) in [("upper", 20.0), ("lower", 106.0)] {
        svg.group(&format!("clip-path=\"url(#{half})\"")).group(&format!("id=\"{half}-stripes\""));
        for (x, w, colour) in &bars {
            let at = |y: f64| x + slant * (y - 20.0);
            let (a, b) = (at(top), at(top + 86.0));
            let bottom = top + 86.0;
            let corners = [[a, top], [a + w, top], [b + w, bottom], [b, bottom]];
            svg.path(&format!("{} Z", super::svg::points(&corners)), Paint::fill(colour));
        }
        svg.end().end();
    }
    svg.rect([left, 20.0, right - left, 172.0], 0.0, Paint::line(t.line, 2.0));
    let to = [40.0 + dice.real(320.0, 380.0), 236.0];
    let slider = Slider::draw(&mut svg, dice, style, [40.0, 236.0], to, target);
    let effects = json!([{
        "kind": "move", "id": "lower-stripes", "from": [-travel * target, 0], "to": [travel * (1.0 - target), 0],
    }]);
    let ask = "Move the lower half until its stripes meet those of the upper half.".to_owned();
    slider.made(ask, size, svg, effects, target, 3.0 / travel)
}

/// Two handles: from one number to another.
pub(super) fn range(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let size = [480.0, 190.0];
    let t = style.theme;
    let (low, high, unit) = dice.pick(&[(0, 100, " €"), (0, 24, " h"), (100, 200, " g"), (0, 50, " km")]);
    let count = high - low;
    let a = dice.int(count / 10 + 1, count / 2 - 1);
    let b = dice.int(count / 2 + 1, count - 1);
    let share = |n: i64| n as f64 / count as f64;
    let [from, to] = [[60.0, 120.0], [60.0 + dice.real(320.0, 360.0), 120.0]];
    let mut svg = Svg::new();
    svg.raw(&format!(
        "<text id=\"readout\" x=\"240\" y=\"50\" font-size=\"24\" fill=\"{}\" text-anchor=\"middle\" \
         dominant-baseline=\"central\"></text>",
        t.ink
    ));
    groove(&mut svg, style, from, to);
    svg.raw(&format!("<path id=\"span\" d=\"\" stroke=\"{}\" stroke-width=\"6\" fill=\"none\"/>", t.accent));
    svg.text([from[0], 160.0], 13.0, t.muted, &format!("{low}{unit}"));
    svg.text([to[0], 160.0], 13.0, t.muted, &format!("{high}{unit}"));
    for id in ["low", "high"] {
        svg.group(&format!("id=\"{id}\"")).circle([0.0, 0.0], 13.0, Paint::both(t.accent, t.card, 3.0)).end();
    }
    let start = [0.0, 1.0];
    let at = [share(a), share(b)];
    DrawnWidget {
        ask: format!("Choose the range from {}{unit} to {}{unit}.", low + a, low + b),
        size,
        kind: "range",
        svg: svg.0,
        data: json!({
            "from": from, "to": to, "start": start, "half": 15, "low": low, "high": high, "unit": unit,
        }),
        truth: Truth::Shares { at, within: 0.55 / count as f64 },
        play: Play::Handles { from, to, start },
        answer: WidgetAnswer::Shares(at.to_vec()),
    }
}

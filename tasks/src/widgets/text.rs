//! Widgets with text fields, the colour picker, and the table.

use serde_json::json;
use waldo_devices::word_list;

use super::DrawnWidget;
use super::cycle::capital;
use super::dice::Dice;
use super::play::{Play, WidgetAnswer};
use super::style::{HUES, WidgetStyle};
use super::svg::{Paint, Svg, num};
use super::truth::{Case, Truth, from_hsv};

const WORDS: [&str; 24] = word_list(
    "maple river copper window garden silver pocket lantern meadow bridge cotton harbor violin pepper marble saddle \
     basket candle forest ribbon island button falcon walnut",
);

fn field(
    ask: String,
    size: [f64; 2],
    svg: Svg,
    truth: Truth,
    right: String,
    guesses: Vec<String>,
) -> DrawnWidget {
    DrawnWidget {
        ask,
        size,
        kind: "text",
        svg: svg.0,
        data: json!({ "fields": ["Answer"] }),
        truth,
        play: Play::Fields { names: vec!["Answer".into()], guesses },
        answer: WidgetAnswer::Texts(vec![right]),
    }
}

pub(super) fn transcribe(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let size = [440.0, 120.0];
    let t = style.theme;
    let case = if dice.chance(50) { Case::Counts } else { Case::Folds };
    let words = dice.sample(&WORDS, 2);
    let number = dice.int(10, 999).to_string();
    let cased = |dice: &mut Dice, word: &str| match dice.below(3) {
        0 => word.to_owned(),
        1 => capital(word),
        _ => word.to_uppercase(),
    };
    let mut parts = [cased(dice, words[0]), cased(dice, words[1]), number];
    if dice.chance(40) {
        parts.swap(1, 2);
    }
    let text = parts.join(" ");
    let mut svg = Svg::new();
    svg.rect([20.0, 16.0, 400.0, 88.0], 10.0, Paint::both(t.card, t.line, 1.5));
    svg.text([220.0, 60.0], 27.0, t.ink, &text);
    let ask = match case {
        Case::Counts => "Copy the text into the field. Capital letters count.",
        Case::Folds => "Copy the text into the field. Capital letters do not count.",
    };
    let guesses = WORDS.iter().map(|word| (*word).to_owned()).collect();
    field(ask.to_owned(), size, svg, Truth::Text { any: vec![text.clone()], case }, text, guesses)
}

/// A small sum, a count, or a clock.
pub(super) fn compute(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let t = style.theme;
    let guesses = (1..=60).map(|n| n.to_string()).collect();
    let exact = |any: Vec<String>| Truth::Text { any, case: Case::Folds };
    match dice.below(3) {
        0 => {
            let [a, b, c] = [dice.int(12, 60), dice.int(3, 30), dice.int(2, 9)];
            let (sum, right) = match dice.below(3) {
                0 => (format!("{a} + {b} − {c}"), a + b - c),
                1 => (format!("{b} × {c} + {a}"), b * c + a),
                _ => (format!("{a} − {b} + {c}"), a - b + c),
            };
            let mut svg = Svg::new();
            svg.rect([20.0, 16.0, 400.0, 88.0], 10.0, Paint::both(t.card, t.line, 1.5));
            svg.text([220.0, 60.0], 32.0, t.ink, &format!("{sum} = ?"));
            let right = right.to_string();
            let any = vec![right.clone(), right.replace('-', "−")];
            let ask = "Work out the sum and type the result.".to_owned();
            field(ask, [440.0, 120.0], svg, exact(any), right, guesses)
        }
        1 => {
            use super::svg::SvgShape::{Circle, Cross, Square, Star, Triangle};
            let [shape, other] = dice.pick(&[[Circle, Square], [Star, Circle], [Triangle, Cross]]);
            let count = 3 + dice.below(7);
            let others = 2 + dice.below(5);
            let spots = super::point::scatter(dice, [34.0, 34.0, 372.0, 172.0], count + others, 46.0);
            let count = count.min(spots.len());
            let mut svg = Svg::new();
            svg.rect([6.0, 6.0, 428.0, 228.0], 10.0, Paint::both(t.card, t.line, 1.5));
            for (n, at) in spots.iter().enumerate() {
                let shape = if n < count { shape } else { other };
                svg.shape(shape, *at, 16.0, 0.0, Paint::fill(style.hue(dice.pick(&HUES))));
            }
            let ask = format!("How many {}s are there? Type the number.", shape.word());
            field(ask, [440.0, 240.0], svg, exact(vec![count.to_string()]), count.to_string(), guesses)
        }
        _ => {
            let (hour, minute) = (dice.int(1, 12), dice.int(0, 11) * 5);
            let mut svg = Svg::new();
            let middle = [220.0, 120.0];
            svg.circle(middle, 104.0, Paint::both(t.card, t.ink, 4.0));
            let at = |angle: f64, r: f64| {
                let a = (angle - 90.0).to_radians();
                [middle[0] + r * a.cos(), middle[1] + r * a.sin()]
            };
            for n in 1..=12 {
                svg.text(at(30.0 * f64::from(n), 84.0), 17.0, t.ink, &n.to_string());
            }
            let hand = |svg: &mut Svg, angle: f64, r: f64, width: f64| {
                let [x, y] = at(angle, r);
                svg.path(&format!("M220 120 L{} {}", num(x), num(y)), Paint::line(t.ink, width));
            };
            hand(&mut svg, 30.0 * hour as f64 + 0.5 * minute as f64, 46.0, 7.0);
            hand(&mut svg, 6.0 * minute as f64, 70.0, 4.0);
            svg.circle(middle, 6.0, Paint::fill(t.accent));
            let any = vec![format!("{hour}:{minute:02}"), format!("{hour:02}:{minute:02}")];
            let right = any[0].clone();
            let ask = "What time does the clock show? Type it like 7:05.".to_owned();
            let guesses = (1..=12).flat_map(|h| (0..12).map(move |m| format!("{h}:{:02}", 5 * m))).collect();
            field(ask, [440.0, 240.0], svg, exact(any), right, guesses)
        }
    }
}

pub(super) fn form(dice: &mut Dice, _style: &WidgetStyle) -> DrawnWidget {
    let names = dice.sample(&["Name", "City", "Product", "Room", "Team", "Reference"], 2);
    let people = ["Ada Berg", "Noor Khan", "Luis Ortega", "Mina Sato", "Ivo Brandt", "Elif Demir"];
    let person = dice.pick(&people).to_owned();
    let values = vec![person, format!("{} {}", capital(dice.pick(&WORDS)), dice.int(2, 99))];
    DrawnWidget {
        ask: format!("Fill in the form: {} \"{}\", {} \"{}\".", names[0], values[0], names[1], values[1]),
        size: [400.0, 30.0],
        kind: "text",
        svg: String::new(),
        data: json!({ "fields": names, "labels": true }),
        truth: Truth::Fields(values.clone()),
        play: Play::Fields {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            guesses: WORDS.iter().map(|word| (*word).to_owned()).collect(),
        },
        answer: WidgetAnswer::Texts(values),
    }
}

pub(super) fn colour(dice: &mut Dice, style: &WidgetStyle) -> DrawnWidget {
    let t = style.theme;
    let size = [480.0, 310.0];
    let hsv = [dice.real(0.02, 0.98), dice.real(0.35, 0.95), dice.real(0.4, 0.95)];
    let rgb = from_hsv([hsv[0] * 360.0, hsv[1], hsv[2]]).map(f64::round);
    let css = format!("rgb({},{},{})", rgb[0], rgb[1], rgb[2]);
    let (square, strip) = ([24.0, 24.0, 250.0, 210.0], [24.0, 254.0, 250.0, 26.0]);
    let mut svg = Svg::new();
    svg.raw(
        "<defs><linearGradient id=\"white\"><stop offset=\"0\" stop-color=\"#fff\"/>\
         <stop offset=\"1\" stop-color=\"#fff\" stop-opacity=\"0\"/></linearGradient>\
         <linearGradient id=\"black\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\"><stop offset=\"0\" stop-color=\"#000\"/>\
         <stop offset=\"1\" stop-color=\"#000\" stop-opacity=\"0\"/></linearGradient><linearGradient id=\"hues\">",
    );
    for n in 0..=6 {
        let (offset, hue) = (f64::from(n) / 6.0, 60 * n);
        svg.raw(&format!("<stop offset=\"{offset:.4}\" stop-color=\"hsl({hue} 100% 50%)\"/>"));
    }
    svg.raw("</linearGradient></defs><g id=\"pure\">")
        .rect(square, 0.0, Paint::fill("currentColor"))
        .end()
        .rect(square, 0.0, Paint::fill("url(#white)"))
        .rect(square, 0.0, Paint::fill("url(#black)"))
        .rect(strip, 0.0, Paint::fill("url(#hues)"))
        .rect(square, 0.0, Paint::line(t.line, 1.5))
        .rect(strip, 0.0, Paint::line(t.line, 1.5));
    svg.group("id=\"spot\"")
        .circle([0.0, 0.0], 8.0, Paint::line("#ffffff", 3.5))
        .circle([0.0, 0.0], 10.0, Paint::line("#000000", 1.0))
        .end();
    svg.group("id=\"bar\"").rect([-4.0, -3.0, 8.0, 32.0], 2.0, Paint::both("#ffffff", "#000000", 1.0)).end();
    svg.text([380.0, 34.0], 14.0, t.muted, "Wanted");
    svg.rect([310.0, 48.0, 140.0, 80.0], 6.0, Paint::both(&css, t.line, 1.5));
    svg.text([380.0, 158.0], 14.0, t.muted, "Chosen");
    svg.group("id=\"chosen\"")
        .rect([310.0, 172.0, 140.0, 80.0], 6.0, Paint::both("currentColor", t.line, 1.5))
        .end();
    DrawnWidget {
        ask: "Pick the colour of the upper swatch.".to_owned(),
        size,
        kind: "colour",
        svg: svg.0,
        data: json!({ "square": square, "strip": strip, "start": [0.5, 0.1, 0.9] }),
        truth: Truth::Colour { rgb, within: 20.0 },
        play: Play::Colour { square, strip },
        answer: WidgetAnswer::Shares(hsv.to_vec()),
    }
}

/// A table to sort, and a row to choose from its top.
pub(super) fn table(dice: &mut Dice, _style: &WidgetStyle) -> DrawnWidget {
    let rows = 5 + dice.below(3);
    let names = dice.sample(&WORDS, rows);
    let prices: Vec<i64> = dice.sample(&(5..=95).collect::<Vec<_>>(), rows);
    let stock: Vec<i64> = dice.sample(&(1..=60).collect::<Vec<_>>(), rows);
    let column = 1 + dice.below(2);
    let down = dice.chance(60);
    let values = if column == 1 { &prices } else { &stock };
    let row = (0..rows).max_by_key(|n| if down { values[*n] } else { -values[*n] }).unwrap_or_default();
    let columns = ["Item", "Price", "Stock"];
    let cells: Vec<_> = (0..rows).map(|n| json!([capital(names[n]), prices[n], stock[n]])).collect();
    let (first, direction) = if down { ("highest", -1) } else { ("lowest", 1) };
    DrawnWidget {
        ask: format!(
            "Sort the table by {}, {first} first, and choose the row at the top.",
            columns[column].to_lowercase()
        ),
        size: [460.0, 10.0],
        kind: "table",
        svg: String::new(),
        data: json!({ "columns": columns, "rows": cells }),
        truth: Truth::Table { column, direction, row },
        play: Play::Table { columns: columns.iter().map(|c| (*c).to_owned()).collect(), rows },
        answer: WidgetAnswer::Sort([column, if down { 2 } else { 1 }, 0]),
    }
}

//! Drawings: a writer of SVG, plain shapes, and pictures of things; all of waldo's own hand.

use std::fmt::Write as _;

use waldo_devices::word_list;

#[derive(Clone, Debug, Default)]
pub(super) struct Svg(pub String);

/// How a shape is painted: its fill, its outline, and how wide that is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint<'a> {
    pub fill: &'a str,
    pub line: &'a str,
    pub width: f64,
}

impl<'a> Paint<'a> {
    pub fn fill(fill: &'a str) -> Self {
        Self { fill, line: "none", width: 0.0 }
    }

    pub fn line(line: &'a str, width: f64) -> Self {
        Self { fill: "none", line, width }
    }

    pub fn both(fill: &'a str, line: &'a str, width: f64) -> Self {
        Self { fill, line, width }
    }
}

/// A number with one decimal at most.
pub(super) fn num(x: f64) -> String {
    let rounded = (x * 10.0).round() / 10.0;
    // Without the sign of a zero.
    if rounded == 0.0 { "0".to_owned() } else { rounded.to_string() }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

impl Svg {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn raw(&mut self, markup: &str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// A group with attributes such as an id; ended by [`Svg::end`].
    pub fn group(&mut self, attributes: &str) -> &mut Self {
        let _ = write!(self.0, "<g {attributes}>");
        self
    }

    pub fn end(&mut self) -> &mut Self {
        self.raw("</g>")
    }

    pub fn rect(&mut self, place: [f64; 4], round: f64, paint: Paint) -> &mut Self {
        let ([x, y, w, h], round, paint) = (place.map(num), num(round), painted(paint));
        self.raw(&format!(r#"<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="{round}" {paint}/>"#))
    }

    pub(crate) fn circle(&mut self, middle: [f64; 2], r: f64, paint: Paint) -> &mut Self {
        let ([x, y], r, paint) = (middle.map(num), num(r), painted(paint));
        self.raw(&format!(r#"<circle cx="{x}" cy="{y}" r="{r}" {paint}/>"#))
    }

    pub fn path(&mut self, d: &str, paint: Paint) -> &mut Self {
        let paint = painted(paint);
        self.raw(&format!(r#"<path d="{d}" {paint} stroke-linejoin="round" stroke-linecap="round"/>"#))
    }

    pub fn text(&mut self, middle: [f64; 2], size: f64, fill: &str, text: &str) -> &mut Self {
        let ([x, y], size, text) = (middle.map(num), num(size), escape(text));
        self.raw(&format!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{fill}\" text-anchor=\"middle\" \
             dominant-baseline=\"central\">{text}</text>"
        ))
    }

    /// A shape of circumradius `r` around a place, turned by `turn` degrees.
    pub fn shape(&mut self, shape: SvgShape, at: [f64; 2], r: f64, turn: f64, paint: Paint) -> &mut Self {
        if shape == SvgShape::Circle {
            return self.circle(at, r * 0.88, paint);
        }
        let d = points(&shape.outline(at, r, turn));
        self.path(&format!("{d} Z"), paint)
    }

    /// A picture of a thing, `size` wide and high around a place, turned by `turn` degrees: its main colour, then ink.
    pub fn thing(
        &mut self,
        thing: Pictogram,
        middle: [f64; 2],
        size: f64,
        turn: f64,
        [main, ink]: [&str; 2],
    ) -> &mut Self {
        let ([x, y], turn, scale) = (middle.map(num), num(turn), size / 100.0);
        let drawing = PICTOGRAMS.split("\n\n").nth(thing as usize).unwrap_or_default().replace('\n', "");
        self.raw(&format!(
            r#"<g transform="translate({x} {y}) rotate({turn}) scale({scale:.3}) translate(-50 -50)">"#
        ));
        self.raw(&drawing.replace("MAIN", main).replace("INK", ink)).end()
    }
}

fn painted(paint: Paint) -> String {
    if paint.line == "none" {
        return format!("fill=\"{}\"", paint.fill);
    }
    format!("fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"", paint.fill, paint.line, num(paint.width))
}

pub(super) fn points(list: &[[f64; 2]]) -> String {
    let mut d = String::new();
    for (n, [x, y]) in list.iter().enumerate() {
        let _ = write!(d, "{}{} {} ", if n == 0 { "M" } else { "L" }, num(*x), num(*y));
    }
    d.trim_end().to_owned()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SvgShape {
    Circle,
    Square,
    Triangle,
    Star,
    Diamond,
    Hexagon,
    Cross,
    Bar,
}

pub(super) const SHAPES: [SvgShape; 8] = {
    use SvgShape::*;
    [Circle, Square, Triangle, Star, Diamond, Hexagon, Cross, Bar]
};

impl SvgShape {
    pub fn word(self) -> &'static str {
        const WORDS: [&str; 8] = word_list("circle square triangle star diamond hexagon cross bar");
        WORDS[self as usize]
    }

    pub fn outline(self, [cx, cy]: [f64; 2], r: f64, turn: f64) -> Vec<[f64; 2]> {
        let polar = |n: usize, start: f64, radius: &dyn Fn(usize) -> f64| -> Vec<[f64; 2]> {
            (0..n)
                .map(|i| {
                    let a = (start + 360.0 * i as f64 / n as f64).to_radians();
                    [radius(i) * a.cos(), radius(i) * a.sin()]
                })
                .collect()
        };
        let corners = match self {
            Self::Circle => polar(24, 0.0, &|_| 0.88),
            Self::Square => polar(4, 45.0, &|_| 1.05),
            Self::Triangle => polar(3, -90.0, &|_| 1.05),
            Self::Star => polar(10, -90.0, &|i| if i % 2 == 0 { 1.08 } else { 0.46 }),
            Self::Diamond => vec![[0.0, -1.08], [0.68, 0.0], [0.0, 1.08], [-0.68, 0.0]],
            Self::Hexagon => polar(6, 0.0, &|_| 1.0),
            Self::Cross => {
                // A quarter of it, turned four times.
                let (a, b) = (0.32, 0.95);
                let quarter = [[-a, -b], [a, -b], [a, -a]];
                let turned = |n: usize, [x, y]: [f64; 2]| [[x, y], [-y, x], [-x, -y], [y, -x]][n];
                (0..4).flat_map(|n| quarter.map(|corner| turned(n, corner))).collect()
            }
            Self::Bar => vec![[-0.98, -0.36], [0.98, -0.36], [0.98, 0.36], [-0.98, 0.36]],
        };
        let (sin, cos) = turn.to_radians().sin_cos();
        corners
            .into_iter()
            .map(|[x, y]| [cx + r * (x * cos - y * sin), cy + r * (x * sin + y * cos)])
            .collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pictogram {
    House,
    Tree,
    Fish,
    Cup,
    Boat,
    Key,
    Mushroom,
    Umbrella,
    Car,
    Flower,
    Arrow,
    Lamp,
}

pub(super) const THINGS: [Pictogram; 12] = {
    use Pictogram::*;
    [House, Tree, Fish, Cup, Boat, Key, Mushroom, Umbrella, Car, Flower, Arrow, Lamp]
};

/// A paragraph for each of [`THINGS`]: its parts in a box of 100 by 100, with MAIN and INK for its colours.
const PICTOGRAMS: &str = include_str!("pictograms.svg");

impl Pictogram {
    pub fn word(self) -> &'static str {
        const WORDS: [&str; 12] =
            word_list("house tree fish cup boat key mushroom umbrella car flower arrow lamp");
        WORDS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings_are_well_formed_with_text_escaped() {
        for thing in THINGS {
            let mut svg = Svg::new();
            svg.thing(thing, [10.0, 10.0], 50.0, 30.0, ["#abc", "#123"]);
            assert_eq!(svg.0.matches("<g").count(), svg.0.matches("</g>").count());
            assert!(svg.0.matches("/>").count() > 0 && !svg.0.contains("NaN"), "{}", svg.0);
        }
        for shape in SHAPES {
            let outline = shape.outline([100.0, 50.0], 20.0, 77.0);
            let far = outline.iter().map(|[x, y]| (x - 100.0).hypot(y - 50.0)).fold(0.0, f64::max);
            assert!((15.0..23.0).contains(&far), "{shape:?} {far}");
        }
        let mut svg = Svg::new();
        svg.text([1.0, 2.0], 12.0, "#000", "a<b>&c");
        assert!(svg.0.contains("a&lt;b&gt;&amp;c"));
        assert_eq!((num(-0.01), num(1.25), num(3.0)), ("0".into(), "1.3".into(), "3".into()));
    }
}

//! Drawings: a writer of SVG, plain shapes, and pictures of things; all of waldo's own hand.

use std::fmt::Write as _;

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

    pub fn rect(&mut self, [x, y, w, h]: [f64; 4], round: f64, paint: Paint) -> &mut Self {
        let _ = write!(
            self.0,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" {}/>",
            num(x),
            num(y),
            num(w),
            num(h),
            num(round),
            painted(paint)
        );
        self
    }

    pub(crate) fn circle(&mut self, [x, y]: [f64; 2], r: f64, paint: Paint) -> &mut Self {
        let _ = write!(
            self.0,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>",
            num(x),
            num(y),
            num(r),
            painted(paint)
        );
        self
    }

    pub fn path(&mut self, d: &str, paint: Paint) -> &mut Self {
        let _ = write!(
            self.0,
            "<path d=\"{d}\" {} stroke-linejoin=\"round\" stroke-linecap=\"round\"/>",
            painted(paint)
        );
        self
    }

    pub fn text(&mut self, [x, y]: [f64; 2], size: f64, fill: &str, text: &str) -> &mut Self {
        let _ = write!(
            self.0,
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{fill}\" text-anchor=\"middle\" \
             dominant-baseline=\"central\">{}</text>",
            num(x),
            num(y),
            num(size),
            escape(text)
        );
        self
    }

    /// A shape of circumradius `r` around a place, turned by `turn` degrees.
    pub fn shape(&mut self, shape: SvgShape, at: [f64; 2], r: f64, turn: f64, paint: Paint) -> &mut Self {
        if shape == SvgShape::Circle {
            return self.circle(at, r * 0.88, paint);
        }
        let d = points(&shape.outline(at, r, turn));
        self.path(&format!("{d} Z"), paint)
    }

    /// A picture of a thing, `size` wide and high around a place, turned by `turn` degrees.
    pub fn thing(
        &mut self,
        thing: Pictogram,
        [x, y]: [f64; 2],
        size: f64,
        turn: f64,
        colours: [&str; 2],
    ) -> &mut Self {
        let k = size / 100.0;
        let _ = write!(
            self.0,
            "<g transform=\"translate({} {}) rotate({}) scale({:.3}) translate(-50 -50)\">",
            num(x),
            num(y),
            num(turn),
            k
        );
        thing.draw(self, colours);
        self.end()
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

pub(super) const SHAPES: [SvgShape; 8] = [
    SvgShape::Circle,
    SvgShape::Square,
    SvgShape::Triangle,
    SvgShape::Star,
    SvgShape::Diamond,
    SvgShape::Hexagon,
    SvgShape::Cross,
    SvgShape::Bar,
];

impl SvgShape {
    pub fn word(self) -> &'static str {
        match self {
            Self::Circle => "circle",
            Self::Square => "square",
            Self::Triangle => "triangle",
            Self::Star => "star",
            Self::Diamond => "diamond",
            Self::Hexagon => "hexagon",
            Self::Cross => "cross",
            Self::Bar => "bar",
        }
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
                let (a, b) = (0.32, 0.95);
                vec![
                    [-a, -b],
                    [a, -b],
                    [a, -a],
                    [b, -a],
                    [b, a],
                    [a, a],
                    [a, b],
                    [-a, b],
                    [-a, a],
                    [-b, a],
                    [-b, -a],
                    [-a, -a],
                ]
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

pub(super) const THINGS: [Pictogram; 12] = [
    Pictogram::House,
    Pictogram::Tree,
    Pictogram::Fish,
    Pictogram::Cup,
    Pictogram::Boat,
    Pictogram::Key,
    Pictogram::Mushroom,
    Pictogram::Umbrella,
    Pictogram::Car,
    Pictogram::Flower,
    Pictogram::Arrow,
    Pictogram::Lamp,
];

impl Pictogram {
    pub fn words(self) -> [&'static str; 2] {
        match self {
            Self::House => ["house", "houses"],
            Self::Tree => ["tree", "trees"],
            Self::Fish => ["fish", "fish"],
            Self::Cup => ["cup", "cups"],
            Self::Boat => ["boat", "boats"],
            Self::Key => ["key", "keys"],
            Self::Mushroom => ["mushroom", "mushrooms"],
            Self::Umbrella => ["umbrella", "umbrellas"],
            Self::Car => ["car", "cars"],
            Self::Flower => ["flower", "flowers"],
            Self::Arrow => ["arrow", "arrows"],
            Self::Lamp => ["lamp", "lamps"],
        }
    }

    /// In a box of 100 by 100: the main colour, then ink.
    fn draw(self, svg: &mut Svg, [main, ink]: [&str; 2]) {
        let whole = Paint::both(main, ink, 3.0);
        let dark = Paint::fill(ink);
        let stroke = Paint::line(ink, 5.0);
        match self {
            Self::House => svg
                .path("M18 46 H82 V90 H18 Z", whole)
                .path("M8 48 L50 10 L92 48 Z", Paint::both(ink, ink, 3.0))
                .rect([42.0, 60.0, 18.0, 30.0], 2.0, dark)
                .rect([66.0, 20.0, 10.0, 20.0], 0.0, dark),
            Self::Tree => svg.rect([44.0, 58.0, 12.0, 34.0], 2.0, dark).path(
                "M50 8 C70 8 80 24 76 36 C92 44 86 66 66 64 H34 C14 66 8 44 24 36 C20 24 30 8 50 8 Z",
                whole,
            ),
            Self::Fish => svg
                .path("M8 50 C22 22 56 22 70 48 L92 28 V72 L70 52 C56 78 22 78 8 50 Z", whole)
                .circle([26.0, 46.0], 4.5, dark)
                .path("M44 40 C50 46 50 54 44 60", stroke),
            Self::Cup => svg
                .path("M18 28 H72 L66 84 Q65 90 59 90 H31 Q25 90 24 84 Z", whole)
                .path("M71 38 C96 36 94 66 68 66", Paint::line(ink, 6.0))
                .path("M36 20 C30 14 40 12 35 5 M52 20 C46 14 56 12 51 5", Paint::line(ink, 4.0)),
            Self::Boat => svg
                .path("M10 66 H90 L78 88 H24 Z", whole)
                .path("M48 10 V62", Paint::line(ink, 5.0))
                .path("M54 14 L84 58 H54 Z", Paint::both(main, ink, 3.0))
                .path("M42 24 L20 58 H42 Z", dark),
            Self::Key => svg
                .circle([28.0, 50.0], 18.0, Paint::line(ink, 11.0))
                .circle([28.0, 50.0], 18.0, Paint::line(main, 7.0))
                .path("M46 50 H90 M74 50 V68 M88 50 V64", Paint::line(ink, 11.0))
                .path("M46 50 H90 M74 50 V68 M88 50 V64", Paint::line(main, 7.0)),
            Self::Mushroom => svg
                .path("M38 52 H62 L66 88 Q50 94 34 88 Z", Paint::both("#f4ead6", ink, 3.0))
                .path("M8 54 C8 18 34 10 50 10 C66 10 92 18 92 54 Z", whole)
                .circle([34.0, 34.0], 6.0, Paint::fill("#fff7e8"))
                .circle([58.0, 26.0], 7.0, Paint::fill("#fff7e8"))
                .circle([72.0, 43.0], 5.0, Paint::fill("#fff7e8")),
            Self::Umbrella => svg
                .path("M50 12 V80 Q50 92 39 92 Q30 92 30 83", stroke)
                .path("M6 54 C10 22 32 12 50 12 C68 12 90 22 94 54 Q84 46 72 54 Q62 46 50 54 Q38 46 28 54 Q16 46 6 54 Z", whole),
            Self::Car => svg
                .path("M6 70 V54 Q8 48 18 46 L30 28 Q32 24 38 24 H62 Q67 24 70 28 L82 46 Q94 48 94 56 V70 Z", whole)
                .path("M36 32 H48 V45 H28 Z", Paint::fill("#e8f1fa"))
                .path("M53 32 H63 L72 45 H53 Z", Paint::fill("#e8f1fa"))
                .circle([28.0, 72.0], 12.0, dark)
                .circle([72.0, 72.0], 12.0, dark)
                .circle([28.0, 72.0], 4.5, Paint::fill("#f0f0f0"))
                .circle([72.0, 72.0], 4.5, Paint::fill("#f0f0f0")),
            Self::Flower => {
                svg.path("M50 46 V94 M50 78 Q70 74 76 60", stroke);
                for i in 0..6 {
                    let a = f64::from(i) * std::f64::consts::FRAC_PI_3;
                    svg.circle([50.0 + 19.0 * a.cos(), 34.0 + 19.0 * a.sin()], 12.5, whole);
                }
                svg.circle([50.0, 34.0], 11.0, Paint::both("#f6d35b", ink, 3.0))
            }
            Self::Arrow => svg.path("M50 6 L86 48 H64 V94 H36 V48 H14 Z", whole),
            Self::Lamp => svg
                .path("M50 46 V84 M28 88 H72", Paint::line(ink, 7.0))
                .path("M34 10 H66 L82 48 H18 Z", whole),
        };
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

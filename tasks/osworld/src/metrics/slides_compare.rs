//! `slides.py`: `compare_pptx_files`.

use serde_json::Value;

use super::super::fault::{OsworldFault, Result, Score, score};
use super::super::ooxml::package::parse;
use super::super::ooxml::pptx::{
    A, Fill, Paragraph, Presentation, ShapeKind, ShapeRect, Slide, SlideRun, SlideShape,
};
use super::super::py::text::strip;
use super::general::gold;
use super::{MetricCall, Switch};

struct Options<'a> {
    call: &'a MetricCall,
    tolerance: f64,
}

impl Options<'_> {
    fn on(&self, name: &str) -> bool {
        self.call.switch(&format!("examine_{name}"), Switch::On)
    }

    fn enabled(&self, name: &str) -> bool {
        self.call.switch(&format!("examine_{name}"), Switch::Off)
    }

    /// Nearly the same; a length that only one has makes the original fail.
    fn near(&self, a: Option<i64>, b: Option<i64>) -> Result<bool> {
        if a == b {
            return Ok(true);
        }
        if a == Some(0) || b == Some(0) {
            return Ok(false);
        }
        let (a, b) = a.zip(b).ok_or_else(|| OsworldFault::raised("only one of two shapes has a place"))?;
        #[expect(clippy::cast_precision_loss, reason = "lengths are far below 2^52")]
        Ok((a - b).abs() as f64 / a.abs().max(b.abs()) as f64 <= self.tolerance)
    }

    fn same_frame(&self, a: &ShapeRect, b: &ShapeRect) -> Result<bool> {
        for (a, b) in a.iter().zip(b) {
            if !self.near(*a, *b)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// `compare_pptx_files`: slide by slide, shape by shape, with what the options leave out.
pub(crate) fn compare_pptx_files(call: &MetricCall) -> Score {
    let found = super::slides::open(call)?;
    let wanted = Presentation::open(call.gold()?).map_err(gold)?;
    let tolerance = call.options.get("approximately_tolerance").and_then(Value::as_f64).unwrap_or(0.005);
    let options = Options { call, tolerance };
    if found.slides.len() != wanted.slides.len() && options.on("number_of_slides") {
        return Ok(0.0);
    }
    for (i, (a, b)) in found.slides.iter().zip(&wanted.slides).enumerate() {
        if !slides(&options, i + 1, (&found, a), (&wanted, b))? {
            return Ok(0.0);
        }
    }
    Ok(score(true))
}

/// The colour behind a slide, or behind its master.
fn color(slide: &Slide) -> Result<Option<&str>> {
    let digits = |color: &'_ Option<String>| color.is_none();
    let of = |fill: &'_ Fill| -> Result<()> {
        match fill {
            Fill::Solid(color) if digits(color) => {
                Err(OsworldFault::raised("the colour behind a slide has no digits"))
            }
            _ => Ok(()),
        }
    };
    match (&slide.fill, &slide.master_fill) {
        (fill @ Fill::Solid(color), _) => of(fill).map(|()| color.as_deref()),
        (Fill::Background, fill @ Fill::Solid(color)) => of(fill).map(|()| color.as_deref()),
        _ => Ok(None),
    }
}

fn slides(
    options: &Options,
    number: usize,
    (file1, a): (&Presentation, &Slide),
    (file2, b): (&Presentation, &Slide),
) -> Result<bool> {
    if color(a)? != color(b)? && options.on("background_color") {
        return Ok(false);
    }
    let notes = |slide: &Slide| {
        let notes = slide.notes.as_deref().ok_or_else(|| OsworldFault::raised("notes have no text"))?;
        Ok::<_, OsworldFault>(strip(notes).to_owned())
    };
    if notes(a)? != notes(b)? && options.on("note") {
        return Ok(false);
    }
    if a.shapes.len() != b.shapes.len() {
        return Ok(false);
    }
    let mut bullets = Bullets { files: [(file1, a), (file2, b)], done: false };
    for (x, y) in a.shapes.iter().zip(&b.shapes) {
        // The original reads both kinds for its log, which is on by default.
        let logs = options.call.switch("enable_debug", Switch::On);
        if x.kind == ShapeKind::Unknown || logs && y.kind == ShapeKind::Unknown {
            return Err(OsworldFault::raised("a shape is of no kind that is known"));
        }
        if !placed(options, number, x, y)? || !tables(options, x, y)? || !texts(options, x, y, &mut bullets)?
        {
            return Ok(false);
        }
    }
    let (texts1, texts2) = (text_shapes(&a.shapes), text_shapes(&b.shapes));
    if texts1.len() != texts2.len() {
        return Ok(false);
    }
    if options.on("alignment") {
        for (x, y) in texts1.into_iter().zip(texts2) {
            let (one, other) = (x.text().unwrap_or_default(), y.text().unwrap_or_default());
            if strip(&one) != strip(&other) && options.on("text") {
                return Ok(false);
            }
            let (one, other) = (x.text.as_deref().unwrap_or_default(), y.text.as_deref().unwrap_or_default());
            if one.len() != other.len() || !one.iter().zip(other).all(|(p, q)| alignment(p) == alignment(q)) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn text_shapes(shapes: &[SlideShape]) -> Vec<&SlideShape> {
    let own = |shape: &'_ SlideShape| shape.text.is_some();
    let mut found = Vec::new();
    for shape in shapes {
        if own(shape) {
            found.push(shape);
        }
        found.extend(text_shapes(&shape.inner));
    }
    found
}

/// The checks of places and sizes, in the original's order.
fn placed(options: &Options, number: usize, a: &SlideShape, b: &SlideShape) -> Result<bool> {
    let same = || options.same_frame(&a.frame, &b.frame);
    let [left1, top1, width1, height1] = a.frame;
    let [left2, top2, width2, height2] = b.frame;
    let (text1, text2) = (a.text(), b.text());
    let both_text = text1.is_some() && text2.is_some();
    let given = |value: Option<i64>| value.ok_or_else(|| OsworldFault::raised("a shape has no place"));
    // Below where it was, and in the lower part of the slide.
    let lower = || -> Result<bool> { Ok(given(top1)? > given(top2)? && given(top1)? >= 3_600_000) };
    if options.enabled("title_bottom_position") {
        if both_text && text1 == text2 {
            if text1.as_deref() == Some("Product Comparison") && !lower()? {
                return Ok(false);
            }
        } else if !same()? {
            return Ok(false);
        }
    }
    if options.enabled("table_bottom_position") {
        if number == 3 && a.kind == ShapeKind::Table && b.kind == ShapeKind::Table {
            if !lower()? {
                return Ok(false);
            }
        } else if !same()? {
            return Ok(false);
        }
    }
    if options.enabled("right_position") && number == 2 && text1.is_none() && text2.is_none() {
        let left = given(left1)?;
        if left <= given(left2)? || left < 4_320_000 {
            return Ok(false);
        }
    }
    if options.enabled("top_position")
        && number == 2
        && a.kind == ShapeKind::Picture
        && b.kind == ShapeKind::Picture
    {
        let top = given(top1)?;
        if top >= given(top2)? || top > 1_980_000 {
            return Ok(false);
        }
    }
    if options.enabled("shape_for_shift_size") && !same()? {
        let left_out =
            both_text && text1 == text2 && text1.as_deref() == Some("Elaborate on what you want to discuss.");
        if !left_out {
            return Ok(false);
        }
    }
    // Shapes that both say nothing may lie anywhere.
    let says_nothing = |text: &'_ Option<String>| text.as_deref().is_none_or(|text| strip(text).is_empty());
    if !same()? && options.on("shape") && !(says_nothing(&text1) && says_nothing(&text2)) {
        return Ok(false);
    }
    if options.enabled("image_size") {
        let fits = if a.kind == ShapeKind::Picture && b.kind == ShapeKind::Picture {
            options.near(width1, width2)? && options.near(height1, height2)?
        } else {
            same()?
        };
        if !fits {
            return Ok(false);
        }
    }
    if options.enabled("modify_height") {
        let only_height = text1.is_none() && text2.is_none()
            || a.kind == ShapeKind::Freeform && b.kind == ShapeKind::Freeform;
        if !(if only_height { options.near(height1, height2)? } else { same()? }) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn tables(options: &Options, a: &SlideShape, b: &SlideShape) -> Result<bool> {
    if a.kind != ShapeKind::Table {
        return Ok(true);
    }
    if b.kind != ShapeKind::Table {
        return Err(OsworldFault::raised("a table has become something else"));
    }
    if (a.table.len(), a.columns) != (b.table.len(), b.columns) {
        return Ok(false);
    }
    for (row1, row2) in a.table.iter().zip(&b.table) {
        for (cell1, cell2) in row1.iter().zip(row2) {
            if cell1.len() != cell2.len() {
                return Ok(false);
            }
            for (p, q) in cell1.iter().zip(cell2) {
                let (runs1, runs2) = runs(p, q);
                if runs1.len() != runs2.len() && options.on("run_count") {
                    return Ok(false);
                }
                for (x, y) in runs1.iter().zip(runs2) {
                    // These are looked at whatever the options say, but for the colour.
                    let colored = colors_differ(x, y) && options.on("color_rgb");
                    if colored
                        || on(x.bold) != on(y.bold)
                        || on(x.italic) != on(y.italic)
                        || underlines_differ(x, y)
                    {
                        return Ok(false);
                    }
                }
            }
        }
    }
    Ok(true)
}

/// What is not said is off.
fn on(value: Option<bool>) -> bool {
    value.unwrap_or(false)
}

/// Only colours that both give by digits are compared.
fn colors_differ(a: &SlideRun, b: &SlideRun) -> bool {
    a.color.is_some() && b.color.is_some() && a.color != b.color
}

/// Underlines that are said by both, or a single one against none said.
fn underlines_differ(a: &SlideRun, b: &SlideRun) -> bool {
    match (a.underline.as_deref(), b.underline.as_deref()) {
        (Some(a), Some(b)) => a != b,
        (None, other) | (other, None) => other == Some("sng"),
    }
}

/// The runs to compare: none where neither paragraph says anything.
fn runs<'a>(p: &'a Paragraph, q: &'a Paragraph) -> (&'a [SlideRun], &'a [SlideRun]) {
    if strip(&p.text).is_empty() && strip(&q.text).is_empty() { (&[], &[]) } else { (&p.runs, &q.runs) }
}

/// The first two levels count as one.
fn levels_differ(a: i64, b: i64) -> bool {
    a != b && !((0..=1).contains(&a) && (0..=1).contains(&b))
}

/// What is not said is left.
fn alignment(paragraph: &Paragraph) -> &str {
    paragraph.alignment.as_deref().unwrap_or("l")
}

fn texts(options: &Options, a: &SlideShape, b: &SlideShape, bullets: &mut Bullets) -> Result<bool> {
    let (Some(one), Some(other)) = (&a.text, &b.text) else { return Ok(true) };
    let (text1, text2) = (a.text().unwrap_or_default(), b.text().unwrap_or_default());
    if strip(&text1) != strip(&text2) && options.on("text") {
        return Ok(false);
    }
    if one.len() != other.len() {
        return Ok(false);
    }
    for (p, q) in one.iter().zip(other) {
        let aligned = !options.on("alignment") || alignment(p) == alignment(q);
        let (runs1, runs2) = runs(p, q);
        if !aligned
            || p.text != q.text && options.on("text")
            || levels_differ(p.level, q.level) && options.on("indent")
            || runs1.len() != runs2.len() && options.on("run_count")
        {
            return Ok(false);
        }
        for (x, y) in runs1.iter().zip(runs2) {
            let strike = |run: &'_ SlideRun| run.strike.clone().unwrap_or_else(|| "noStrike".to_owned());
            let differ = x.name != y.name && options.on("font_name")
                || x.size != y.size && options.on("font_size")
                || on(x.bold) != on(y.bold) && options.on("font_bold")
                || on(x.italic) != on(y.italic) && options.on("font_italic")
                || colors_differ(x, y) && options.on("color_rgb")
                || underlines_differ(x, y) && options.on("font_underline")
                || strike(x) != strike(y) && options.on("strike_through");
            if differ || options.on("bullets") && !bullets.same()? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The bullets of the two slides, which the original compares whole at every run.
struct Bullets<'a> {
    files: [(&'a Presentation, &'a Slide); 2],
    done: bool,
}

/// Level where there is a sign, sign and text. A level without a sign is not compared.
type Bullet = (Option<String>, Option<String>, String);

impl Bullets<'_> {
    fn same(&mut self) -> Result<bool> {
        if self.done {
            return Ok(true);
        }
        self.done = true;
        let [(file1, slide1), (file2, slide2)] = self.files;
        // What cannot be read is not compared.
        let (Some(a), Some(b)) = (bullets(file1, slide1)?, bullets(file2, slide2)?) else {
            return Ok(true);
        };
        Ok(a == b)
    }
}

/// Level, sign and text of each paragraph that says something; nothing where a text is empty, at which the
/// original gives up.
fn bullets(file: &Presentation, slide: &Slide) -> Result<Option<Vec<Bullet>>> {
    let document = parse(&slide.part, file.package.text(&slide.part)?)?;
    let mut found = Vec::new();
    for paragraph in document.descendants().filter(|n| n.has_tag_name((A, "p"))) {
        let properties = paragraph.children().find(|n| n.has_tag_name((A, "pPr")));
        let sign = properties.and_then(|p| p.children().find(|n| n.has_tag_name((A, "buChar"))));
        let level = properties.and_then(|p| p.attribute("lvl")).unwrap_or("0");
        let level = sign.and(Some(level.to_owned()));
        let sign = sign.map(|n| n.attribute("char").unwrap_or_default().to_owned());
        let mut text = String::new();
        for part in paragraph.descendants().filter(|n| n.has_tag_name((A, "t"))) {
            let Some(part) = part.text() else { return Ok(None) };
            text.push_str(part);
        }
        if !strip(&text).is_empty() {
            found.push((level, sign, text));
        }
    }
    Ok(Some(found))
}

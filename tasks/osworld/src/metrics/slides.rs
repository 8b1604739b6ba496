//! `slides.py`: checks of presentations and of the program's settings.

use roxmltree::{Document, Node};
use serde_json::Value;

use super::super::fault::{OsworldFault, Result, Score, score};
use super::super::ooxml::package::{Package, parse};
use super::super::ooxml::pptx::{A, Fill, P, Presentation, ShapeKind, SlideShape, part_shapes};
use super::super::picture::parse_rgb;
use super::super::py::{number, text};
use super::MetricCall;
use super::general::gold;
use super::libreoffice::settings;

const NEAR: i64 = 457_200;

pub(super) fn open(call: &MetricCall) -> Result<Presentation> {
    if call.result.is_null() {
        return Ok(Presentation::blank());
    }
    Presentation::open(call.file()?)
}

pub(crate) fn check_presenter_console_disable(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let Ok(xml) = text::read(path) else { return Ok(0.0) };
    let found =
        settings(&xml, |path| path == "/org.openoffice.Office.Impress/Misc/Start", "EnablePresenterScreen");
    let first = found.unwrap_or_default().into_iter().next().flatten();
    Ok(score(first.is_some_and(|value| value.to_lowercase() == "false")))
}

pub(crate) fn check_auto_saving_time(call: &MetricCall) -> Score {
    let path = call.file()?;
    let xml = text::read(path)?;
    let found = settings(
        &xml,
        |path| path == "/org.openoffice.Office.Common/Save/Document",
        "AutoSaveTimeIntervall",
    )?;
    let Some(found) = found.into_iter().next_back().flatten() else { return Ok(0.0) };
    let minutes = number::parse_int(&found)
        .ok_or_else(|| OsworldFault::raised(format!("'{found}' is not a number")))?;
    Ok(score(call.rule("minutes")?.as_i64() == Some(minutes)))
}

/// `check_image_stretch_and_center`: the first slide's picture fills it.
pub(crate) fn check_image_stretch_and_center(call: &MetricCall) -> Score {
    let (found, wanted) = (open(call)?, Presentation::open(call.gold()?).map_err(gold)?);
    let pictures = |file: &Presentation| -> Result<Vec<SlideShape>> {
        let first = file.slides.first().ok_or_else(|| OsworldFault::raised("there is no slide"))?;
        Ok(first.shapes.iter().filter(|shape| shape.kind == ShapeKind::Picture).cloned().collect())
    };
    let originals = pictures(&wanted).map_err(gold)?;
    let Some(original) = originals.first() else { return Ok(0.0) };
    let bytes = |file: &Presentation, shape: &SlideShape| -> Option<Vec<u8>> {
        file.package.bytes(shape.picture.as_ref()?).map(<[u8]>::to_vec)
    };
    let picture =
        bytes(&wanted, original).ok_or_else(|| OsworldFault::Expected("the picture is gone".into()))?;
    let same = pictures(&found)?.into_iter().rfind(|shape| bytes(&found, shape).as_ref() == Some(&picture));
    let Some(shape) = same else { return Ok(0.0) };
    let [Some(left), Some(top), Some(width), Some(height)] = shape.frame else {
        return Err(OsworldFault::raised("the picture has no place"));
    };
    let (slide_width, slide_height) = wanted.size;
    // Twice the distance from the middle, so that no half is lost.
    let centred = |at: i64, size: i64, all: i64| (2 * at - (all - size)).abs() <= 2 * NEAR;
    Ok(score(
        (width - slide_width).abs() <= NEAR
            && (height - slide_height).abs() <= NEAR
            && centred(left, width, slide_width)
            && centred(top, height, slide_height),
    ))
}

/// `check_slide_numbers_color`: the masters' number is red.
pub(crate) fn check_slide_numbers_color(call: &MetricCall) -> Score {
    let file = open(call)?;
    let digits = |shape: &SlideShape| {
        shape.text().is_some_and(|text| !text.is_empty() && text.chars().all(text::is_digit))
    };
    if !file.slides.iter().flat_map(|slide| &slide.shapes).any(digits) {
        return Err(OsworldFault::raised("no slide has a number"));
    }
    for master in &file.masters {
        for shape in part_shapes(&file.package, master)? {
            if shape.kind != ShapeKind::Placeholder || shape.text().as_deref() != Some("<number>") {
                continue;
            }
            let color = shape.text.as_ref().and_then(|all| all.first()).and_then(|p| p.color.clone());
            let color =
                color.ok_or_else(|| OsworldFault::raised("the master's number has no colour by digits"))?;
            return Ok(score(color == "FF0000"));
        }
    }
    Ok(0.0)
}

pub(crate) fn check_slide_orientation_portrait(call: &MetricCall) -> Score {
    let (width, height) = open(call)?.size;
    Ok(score(width < height))
}

/// `check_strikethrough`: the first runs of some paragraphs are struck through.
pub(crate) fn check_strikethrough(call: &MetricCall) -> Score {
    let file = open(call)?;
    let list = |name: &str| -> Result<Vec<i64>> {
        let all = call
            .rule(name)?
            .as_array()
            .ok_or_else(|| OsworldFault::Unsupported(format!("'{name}' as no list")))?;
        let whole =
            |n: &Value| n.as_i64().ok_or_else(|| OsworldFault::Unsupported(format!("{n} in '{name}'")));
        all.iter().map(whole).collect()
    };
    let (slides, shapes, paragraphs) =
        (list("slide_index_s")?, list("shape_index_s")?, list("paragraph_index_s")?);
    // Slides and texts that are not there fail, even where no paragraph of theirs is asked for.
    let struck = |slide: i64| {
        let slide = at(&file.slides, slide)?;
        for shape in &shapes {
            let text = at(&slide.shapes, *shape)?.text.as_ref()?;
            for paragraph in &paragraphs {
                at(text, *paragraph)?.runs.first()?.strike.as_ref()?;
            }
        }
        Some(())
    };
    Ok(score(slides.iter().all(|slide| struck(*slide).is_some())))
}

/// An item by its place, which counts from the end where it is negative.
fn at<T>(all: &[T], place: i64) -> Option<&T> {
    let place = if place < 0 { place.checked_add(i64::try_from(all.len()).ok()?)? } else { place };
    all.get(usize::try_from(place).ok()?)
}

/// `evaluate_presentation_fill_to_rgb_distance`: how near the slides' background is to a colour.
pub(crate) fn evaluate_presentation_fill_to_rgb_distance(call: &MetricCall) -> Score {
    let file = open(call)?;
    let rgb = |value: &Value| -> Option<[f64; 3]> {
        let all: Vec<f64> = value.as_array()?.iter().filter_map(Value::as_f64).collect();
        all.try_into().ok()
    };
    let wanted =
        rgb(call.rule("rgb")?).ok_or_else(|| OsworldFault::Expected("'rgb' is not a colour".into()))?;
    let original = call.rules()?.get("original_rgb").and_then(rgb);
    let furthest = (3.0 * 255.0_f64.powi(2)).sqrt();
    let distance = |fill: &Fill, master: &Fill| -> f64 {
        let color = match (fill, master) {
            (Fill::Solid(color), _) | (Fill::Background, Fill::Solid(color)) => {
                color.as_deref().and_then(parse_rgb)
            }
            _ => None,
        };
        let Some(color) = color.map(|color| color.map(f64::from)) else { return 1.0 };
        if original == Some(color) {
            return 1.0;
        }
        color.iter().zip(wanted).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt() / furthest
    };
    let all: Vec<f64> = file.slides.iter().map(|slide| distance(&slide.fill, &slide.master_fill)).collect();
    if all.is_empty() {
        return Err(OsworldFault::raised("there is no slide"));
    }
    #[expect(clippy::cast_precision_loss, reason = "there are few slides")]
    Ok(1.0 - all.iter().sum::<f64>() / all.len() as f64)
}

fn container(call: &MetricCall) -> Result<Package> {
    Ok(Package::open(call.file()?)?)
}

/// A part of the presentation by its name; nothing where there is none.
fn part<'a>(package: &'a Package, name: &str) -> Result<Option<&'a str>> {
    if package.bytes(name).is_none() { Ok(None) } else { Ok(Some(package.text(name)?)) }
}

pub(crate) fn check_transition(call: &MetricCall) -> Score {
    let file = container(call)?;
    let index = call.rule("slide_idx")?.as_i64().unwrap_or_default();
    let kind = call.rule("transition_type")?.as_str().unwrap_or_default();
    let name = format!("ppt/slides/slide{}.xml", index + 1);
    let Some(xml) = part(&file, &name)? else { return Ok(0.0) };
    let document = parse(&name, xml)?;
    let transition =
        document.root_element().descendants().skip(1).find(|n| n.has_tag_name((P, "transition")));
    let inside = |node: Node| node.descendants().skip(1).any(|n| n.has_tag_name((P, kind)));
    Ok(score(transition.is_some_and(inside)))
}

/// `check_page_number_colors`: the colour of the first master's page number, or what comes nearest to it.
pub(crate) fn check_page_number_colors(call: &MetricCall) -> Score {
    let file = container(call)?;
    let name = "ppt/slideMasters/slideMaster1.xml";
    let xml = part(&file, name)?.ok_or_else(|| OsworldFault::raised("there is no master"))?;
    let document = parse(name, xml)?;
    let digits = page_number_color(&document);
    if digits.as_ref().is_some_and(|digits| !digits.is_ascii()) {
        return Err(OsworldFault::Unsupported("a colour in digits of another script".into()));
    }
    let Some([r, g, b]) = digits.and_then(|digits| hex_rgb(&digits)) else {
        return Ok(0.0);
    };
    Ok(score(match call.rule("color")?.as_str() {
        Some("red") => r > g + 50 && r > b + 50,
        Some("blue") => b > g + 50 && b > r + 50,
        Some("green") => g > r + 50 && g > b + 50,
        Some("black") => r < 50 && g < 50 && b < 50,
        _ => true,
    }))
}

/// Six digits, with any number of `#` before them.
fn hex_rgb(digits: &str) -> Option<[i64; 3]> {
    let digits = digits.trim_start_matches('#');
    if digits.chars().count() != 6 {
        return None;
    }
    let part = |from: usize| i64::from_str_radix(digits.get(from..from + 2)?, 16).ok();
    Some([part(0)?, part(2)?, part(4)?])
}

/// The colour by digits that is inside the marks of placeholders, else the last of a run's that is not black,
/// else the last at all that is not black, else the last.
fn page_number_color(document: &Document) -> Option<String> {
    let fills = || {
        let all = document.descendants().filter(|n| n.has_tag_name((A, "srgbClr")));
        all.filter(|n| above(*n, "solidFill").is_some())
    };
    let value = |n: Node| n.attribute("val").map(str::to_owned);
    let of_kind = |kinds: &'static [&'static str]| {
        let all = document.descendants().filter(|n| n.has_tag_name((P, "ph")));
        all.filter(move |n| n.attribute("type").is_some_and(|kind| kinds.contains(&kind)))
    };
    let number = of_kind(&["sldNum"]).next().and_then(filled).and_then(value);
    let any = || of_kind(&["sldNum", "ftr", "dt"]).find_map(filled).and_then(value);
    let colored = |n: &Node| n.attribute("val").is_some_and(|val| !val.is_empty() && val != "000000");
    let runs = || {
        let of_run = |n: &Node| above(*n, "solidFill").is_some_and(|fill| above(fill, "rPr").is_some());
        fills().filter(of_run).rfind(colored).and_then(value)
    };
    let last = || fills().rfind(colored).or_else(|| fills().next_back()).and_then(value);
    number.or_else(any).or_else(runs).or_else(last)
}

/// The nearest element of this name around another.
fn above<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.ancestors().skip(1).find(|n| n.has_tag_name((A, name)))
}

/// The first colour by digits of a fill inside an element.
fn filled<'a, 'i>(holder: Node<'a, 'i>) -> Option<Node<'a, 'i>> {
    let mut fills = holder.descendants().skip(1).filter(|n| n.has_tag_name((A, "solidFill")));
    fills.find_map(|fill| fill.descendants().find(|n| n.has_tag_name((A, "srgbClr"))))
}

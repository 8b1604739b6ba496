//! From what an environment shows to an observation.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::RgbImage;

use waldo_devices::{
    Affordance, DeviceError, Element, Physical, Point, Rect, Result, Secrets, States, StaticText,
};

use super::wire::{ElementReply, ScreenReply, TextReply};

pub(crate) const NODES_MAX: usize = 50_000;
const NAME_MAX: usize = 200;
const OPTIONS_MAX: usize = 50;

pub(crate) struct ReadElements {
    pub(crate) elements: Vec<Element>,
    pub(crate) texts: Vec<StaticText>,
    pub(crate) truncated: usize,
    pub(crate) texts_left_out: usize,
}

pub(crate) fn picture(seen: &mut ScreenReply) -> Result<RgbImage> {
    let bad = |message: &str| DeviceError::Call { call: "observe".to_owned(), message: message.to_owned() };
    let coded = seen.picture.take().ok_or_else(|| bad("the environment sent no picture"))?;
    let bytes = STANDARD.decode(coded).map_err(|_| bad("the environment's picture is not base64"))?;
    waldo_http::decode(&bytes)
}

/// Elements and texts on a screen of this size.
///
/// # Errors
/// When there are more than [`NODES_MAX`].
pub(crate) fn read(
    seen: &ScreenReply,
    (width, height): (f64, f64),
    cap: usize,
    secrets: &Secrets,
) -> Result<ReadElements> {
    let count = seen.elements.len() + seen.texts.len();
    if count > NODES_MAX {
        return Err(DeviceError::Call {
            call: "observe".to_owned(),
            message: format!("the environment shows {count} elements and texts, more than {NODES_MAX}"),
        });
    }
    let mut elements: Vec<Element> =
        seen.elements.iter().filter_map(|shown| element(shown, width, height, secrets)).collect();
    let truncated = elements.len().saturating_sub(cap);
    elements.truncate(cap);
    let mut texts: Vec<StaticText> = seen
        .texts
        .iter()
        .filter_map(|text| static_text(text, width, height, secrets))
        .take(cap + 1)
        .collect();
    let texts_left_out = seen.texts.len().saturating_sub(cap);
    texts.truncate(cap);
    for text in &mut texts {
        text.before = elements.iter().filter(|element| is_before(&element.bounds, &text.bounds)).count();
    }
    Ok(ReadElements { elements, texts, truncated, texts_left_out })
}

fn on_screen([x, y, w, h]: [f64; 4], width: f64, height: f64) -> Option<Rect<Physical>> {
    if ![x, y, w, h].into_iter().all(f64::is_finite) {
        return None;
    }
    let (left, top) = (x.clamp(0.0, width), y.clamp(0.0, height));
    let (right, bottom) = ((x + w).clamp(0.0, width), (y + h).clamp(0.0, height));
    (right - left >= 1.0 && bottom - top >= 1.0).then(|| Rect::new(left, top, right - left, bottom - top))
}

fn element(shown: &ElementReply, width: f64, height: f64, secrets: &Secrets) -> Option<Element> {
    let bounds = on_screen(shown.bounds, width, height)?;
    let inside = |[x, y]: &[f64; 2]| {
        x.is_finite() && y.is_finite() && (0.0..width).contains(x) && (0.0..height).contains(y)
    };
    let hit = match shown.hit.filter(inside) {
        Some([x, y]) => Point::new(x, y),
        None => bounds.center(),
    };
    let role = if shown.role.is_empty() { "generic" } else { &shown.role };
    Some(Element {
        name: secrets.brief(&shown.name, NAME_MAX),
        value: shown.value.as_deref().map(|value| secrets.brief(value, NAME_MAX)),
        states: States {
            focused: shown.focused,
            disabled: shown.disabled,
            readonly: shown.readonly,
            checked: shown.checked,
            selected: shown.selected,
            expanded: shown.expanded,
            ..States::default()
        },
        affordances: if shown.can.is_empty() { vec![Affordance::Click] } else { shown.can.clone() },
        hit,
        options: shown
            .options
            .iter()
            .take(OPTIONS_MAX)
            .map(|option| secrets.brief(option, NAME_MAX))
            .collect(),
        ..Element::at(shown.id.clone(), secrets.brief(role, 60), bounds)
    })
}

/// Whether one box stands before another in the order of reading.
fn is_before(one: &Rect<Physical>, other: &Rect<Physical>) -> bool {
    (one.y, one.x) < (other.y, other.x)
}

fn static_text(text: &TextReply, width: f64, height: f64, secrets: &Secrets) -> Option<StaticText> {
    let bounds = on_screen(text.bounds, width, height)?;
    let text = secrets.brief(&text.text, 2_000);
    (!text.is_empty()).then_some(StaticText { text, bounds, before: 0 })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn seen(json: serde_json::Value) -> ScreenReply {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn elements_are_clipped_to_the_screen_and_what_is_beyond_it_is_none() {
        let seen = seen(json!({ "elements": [
            { "id": "a", "role": "button", "name": "Go", "box": [-10, 5, 30, 10] },
            { "id": "b", "box": [200, 5, 30, 10] },
            { "id": "c", "box": [5, 5, 0, 0] },
            { "id": "d", "box": [90, 40, 30, 30], "hit": [500, 500], "can": ["edit"] },
        ], "texts": [{ "text": "between", "box": [0, 30, 50, 10] }, { "text": " ", "box": [0, 0, 5, 5] }] }));
        let read = read(&seen, (100.0, 50.0), 10, &Secrets::default()).unwrap();
        let ids: Vec<&str> = read.elements.iter().map(|element| element.handle.0.as_str()).collect();
        assert_eq!(ids, ["a", "d"]);
        assert_eq!(read.elements[0].bounds, Rect::new(0.0, 5.0, 20.0, 10.0));
        assert_eq!(read.elements[0].affordances, [Affordance::Click]);
        assert_eq!(read.elements[1].hit, Point::new(95.0, 45.0));
        assert_eq!((read.texts.len(), read.texts[0].before), (1, 1));
    }

    #[test]
    fn what_is_more_than_an_observation_holds_is_counted_and_what_is_far_more_is_refused() {
        let one = json!({ "id": "a", "box": [0, 0, 9, 9] });
        let some = seen(json!({ "elements": vec![one; 12] }));
        let within = read(&some, (100.0, 50.0), 10, &Secrets::default()).unwrap();
        assert_eq!((within.elements.len(), within.truncated), (10, 2));
        let many =
            ScreenReply { elements: vec![some.elements[0].clone(); NODES_MAX + 1], ..ScreenReply::default() };
        let said = read(&many, (100.0, 50.0), 10, &Secrets::default()).err().unwrap().to_string();
        assert!(said.contains("50001 elements"), "{said}");
    }

    #[test]
    fn a_picture_is_needed_and_has_to_be_one() {
        for bad in [json!({}), json!({ "picture": "???" }), json!({ "picture": "AAAA" })] {
            assert!(picture(&mut seen(bad)).is_err());
        }
    }

    proptest! {
        #[test]
        fn no_box_leads_off_the_screen(bounds in proptest::array::uniform4(-1e9_f64..1e9), hit in proptest::array::uniform2(-1e4_f64..1e4)) {
            let shown = ElementReply { bounds, hit: Some(hit), ..ElementReply::default() };
            if let Some(element) = element(&shown, 640.0, 480.0, &Secrets::default()) {
                let Rect { x, y, w, h, .. } = element.bounds;
                prop_assert!(x >= 0.0 && y >= 0.0 && w >= 1.0 && h >= 1.0 && x + w < 640.001 && y + h < 480.001);
                prop_assert!((0.0..=640.0).contains(&element.hit.x) && (0.0..=480.0).contains(&element.hit.y));
            }
        }
    }
}

use crate::element::{Affordance, Element};
use crate::geometry::Rect;

/// An element that answers to a tap, hit at its centre.
pub fn element(role: &str, name: &str, x: f64, y: f64, w: f64, h: f64) -> Element {
    let known = Element::at(format!("{role}-{name}"), role, Rect::new(x, y, w, h));
    Element { name: name.to_owned(), affordances: vec![Affordance::Click], ..known }
}

pub fn with(mut element: Element, affordances: &[Affordance]) -> Element {
    element.affordances = affordances.to_vec();
    element
}

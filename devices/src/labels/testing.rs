//! Makers of elements for the tests of this module.

use crate::element::{Affordance, Element, ElementRef, Role, States};
use crate::geometry::{Point, Rect};

/// An element that answers to a tap, hit at its centre.
pub fn element(role: &str, name: &str, x: f64, y: f64, w: f64, h: f64) -> Element {
    Element {
        handle: ElementRef(format!("{role}-{name}")),
        role: Role::new(role),
        name: name.to_owned(),
        value: None,
        states: States::default(),
        affordances: vec![Affordance::Click],
        bounds: Rect::new(x, y, w, h),
        hit: Point::new(x + w / 2.0, y + h / 2.0),
        options: Vec::new(),
        frame: 0,
        uid: None,
        id: None,
        source: crate::Source::Tree,
    }
}

/// The same element with these affordances.
pub fn with(mut element: Element, affordances: &[Affordance]) -> Element {
    element.affordances = affordances.to_vec();
    element
}

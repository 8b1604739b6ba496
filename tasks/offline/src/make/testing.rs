use waldo_devices::{Affordance, Element, Rect};

use super::screens::Screen;
use crate::platform::OfflinePlatform;

pub fn element(role: &str, name: &str, [x, y, w, h]: [f64; 4]) -> Element {
    let bounds = Rect::new(x, y, w, h);
    Element { name: name.into(), affordances: vec![Affordance::Click], ..Element::at(name, role, bounds) }
}

pub fn screen(name: &str, platform: OfflinePlatform, elements: Vec<Element>) -> Screen {
    Screen {
        name: name.into(),
        task: name.into(),
        platform,
        app: "App".into(),
        picture: name.into(),
        size: [1000, 800],
        scale: 1.0,
        elements,
        texts: Vec::new(),
        pressed: None,
    }
}

/// Screens with a column and a row of buttons each, named by words of different lengths.
pub fn screens(platform: OfflinePlatform, n: usize) -> Vec<Screen> {
    let words: Vec<&str> =
        "ink,lamp,chair,carpet,armrest,wardrobe,bookshelf,chandelier,nightstand oak,tin,bowl,towel,\
                            mirror,cushion,fireplace set,curtain rail"
            .split(',')
            .collect();
    let word = |screen: usize, at: usize| {
        format!("{} {}", words[(screen * 5 + at) % words.len()], "xyz".repeat(1 + (screen * 7 + at) % 4))
            + &screen.to_string()
    };
    (0..n)
        .map(|at| {
            let column = (0..8).map(|row| {
                let y = 20.0 + 60.0 * row as f64;
                element("button", &word(at, row), [20.0, y, 180.0, 30.0])
            });
            let row = (0..4).map(|column| {
                let x = 240.0 + 190.0 * column as f64;
                element("link", &word(at, 8 + column), [x, 700.0, 180.0, 30.0])
            });
            screen(&format!("s{at:03}"), platform, column.chain(row).collect())
        })
        .collect()
}

//! Elements of windows that expose nothing, from the picture.
//!
//! The window itself comes first, so that it can be clicked and typed into as a whole; what looks like
//! a thing in it follows. All are marked as guesses, and nothing is guessed where another window lies.

use image::RgbImage;

use super::visible::{fragments, pixel, see};
use super::window::Window;
use waldo_devices::picture_elements::{Search, blobs, crop, guess};
use waldo_devices::secrets::brief;
use waldo_devices::{Element, Physical, Rect};

const MOST: usize = 60;
/// The least side of a window that is searched, in pixels.
const LEAST: f64 = 12.0;

/// Elements of the windows whose numbers are `silent`, in that order, `cap` at most; and how many were
/// left out. `windows` are bottom to top; `scale` is physical pixels per logical one.
pub fn fill_silent(
    picture: &RgbImage,
    windows: &[Window],
    silent: &[u32],
    scale: f64,
    cap: usize,
) -> (Vec<Element>, usize) {
    let screen = Rect::new(0.0, 0.0, f64::from(picture.width()), f64::from(picture.height()));
    let mut elements = Vec::new();
    for id in silent {
        if let Some(at) = windows.iter().position(|window| window.id == *id && !window.minimised) {
            window_elements(picture, windows, at, screen, scale, &mut elements);
        }
    }
    let dropped = elements.len().saturating_sub(cap);
    elements.truncate(cap);
    (elements, dropped)
}

fn window_elements(
    picture: &RgbImage,
    windows: &[Window],
    at: usize,
    screen: Rect<Physical>,
    scale: f64,
    out: &mut Vec<Element>,
) {
    let window = &windows[at];
    let above: Vec<Rect<Physical>> =
        windows[at + 1..].iter().filter(|w| !w.minimised).map(|w| w.frame).collect();
    let Some(client) = window.client.intersect(&screen) else { return };
    if client.w < LEAST || client.h < LEAST {
        return;
    }
    let parts = fragments(&client, &above);
    let Some(largest) = parts.iter().max_by(|a, b| a.area().total_cmp(&b.area())) else { return };
    let mut whole = guess(format!("w{}", window.id), "canvas", client);
    whole.name = brief(&window.title, 200);
    whole.hit = pixel(largest);
    whole.states.focused = window.focused;
    whole.uid = Some(format!("{}/canvas", window.program));
    out.push(whole);
    let Some(crop) = crop(picture, &client) else { return };
    let search = Search { step: 1, across: 5, down: 1, line: 6.0, scale, most: MOST };
    let found = blobs(&crop, search);
    for (n, (rect, role)) in found.into_iter().enumerate() {
        let rect = Rect::new(rect.x + client.x, rect.y + client.y, rect.w, rect.h);
        if let Some(seen) = see(&rect, &client, &above) {
            let mut element = guess(format!("w{}.{n}", window.id), role, seen.bounds);
            element.hit = seen.hit();
            out.push(element);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;
    use waldo_devices::element::Source;

    fn window(id: u32, frame: Rect<Physical>) -> Window {
        Window::sample(id, "Game", frame)
    }

    #[test]
    fn a_silent_window_is_searched_where_it_can_be_seen() {
        let mut picture = RgbImage::from_pixel(640, 480, Rgb([240; 3]));
        for (left, top) in [(120, 120), (400, 120)] {
            for (x, y) in (0..40).flat_map(|x| (0..30).map(move |y| (x, y))) {
                picture.put_pixel(left + x, top + y, Rgb([20, 40, 60]));
            }
        }
        let windows = [
            window(1, Rect::new(100.0, 100.0, 400.0, 300.0)),
            window(2, Rect::new(350.0, 0.0, 290.0, 480.0)),
        ];
        let (found, dropped) = fill_silent(&picture, &windows, &[1], 1.0, 50);
        assert_eq!(dropped, 0);
        let seen: Vec<_> = found.iter().map(|e| (e.role.as_str(), e.name.as_str())).collect();
        assert_eq!(seen, [("canvas", "Game 1"), ("button", "")], "{found:?}");
        assert!(found.iter().all(|e| e.source == Source::Picture && e.hit.x < 350.0));
        assert!((found[1].bounds.x - 120.0).abs() < 3.0 && (found[1].bounds.y - 120.0).abs() < 3.0);
        let (few, left_out) = fill_silent(&picture, &windows, &[1], 1.0, 1);
        assert_eq!((few.len(), left_out), (1, 1));
        let picture = RgbImage::new(640, 480);
        let windows = [window(1, Rect::new(-300.0, 400.0, 400.0, 300.0))];
        let (found, _) = fill_silent(&picture, &windows, &[1, 99], 1.0, 50);
        assert_eq!(found[0].bounds, Rect::new(0.0, 400.0, 100.0, 80.0));
    }
}

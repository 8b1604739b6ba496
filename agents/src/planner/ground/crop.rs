//! A part of the screen's picture, for a second look.

use image::{RgbImage, imageops};
use waldo_devices::{Normalized, Physical, Point, Rect};

use crate::agent::View;

/// How many near elements are taken in.
const NEAR: usize = 3;
/// Share of the screen's width and height that is taken in at least.
const SHARE: f64 = 0.3;
/// A part narrower than this is enlarged twice.
const SMALL: u32 = 640;

pub(crate) struct Crop {
    pub(crate) picture: RgbImage,
    pub(crate) area: Rect<Physical>,
}

impl Crop {
    /// The part around `point`, with the elements that are nearest to it; `None` without a picture.
    pub(crate) fn around(view: &View, point: Point<Physical>) -> Option<Self> {
        let pixels = view.observation.picture.pixels();
        let screen: Rect<Physical> =
            Rect::new(0.0, 0.0, f64::from(pixels.width()), f64::from(pixels.height()));
        if screen.area() == 0.0 {
            return None;
        }
        let (w, h) = (screen.w * SHARE, screen.h * SHARE);
        let mut area = Rect::new(point.x - w / 2.0, point.y - h / 2.0, w, h);
        let mut near: Vec<Rect<Physical>> = view
            .tagged
            .iter()
            .filter_map(|t| view.observation.elements.get(t.element).map(|e| e.bounds))
            .collect();
        near.sort_by(|a, b| gap(a, point).total_cmp(&gap(b, point)));
        for bounds in near.iter().take(NEAR).filter(|b| b.w <= screen.w / 2.0 && b.h <= screen.h / 2.0) {
            let (x, y) = (area.x.min(bounds.x - 8.0), area.y.min(bounds.y - 8.0));
            let (r, b) = (area.right().max(bounds.right() + 8.0), area.bottom().max(bounds.bottom() + 8.0));
            area = Rect::new(x, y, r - x, b - y);
        }
        let area = area.intersect(&screen)?;
        let area =
            Rect::new(area.x.floor(), area.y.floor(), area.w.ceil(), area.h.ceil()).intersect(&screen)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole pixels of a picture"
        )]
        let [x, y, w, h] = [area.x, area.y, area.w, area.h].map(|n| n as u32);
        if w == 0 || h == 0 {
            return None;
        }
        let mut picture = imageops::crop_imm(pixels.as_ref(), x, y, w, h).to_image();
        if w < SMALL {
            picture = imageops::resize(&picture, w * 2, h * 2, imageops::FilterType::Triangle);
        }
        let area = Rect::new(f64::from(x), f64::from(y), f64::from(w), f64::from(h));
        Some(Self { picture, area })
    }

    pub(crate) fn at(&self, at: Point<Normalized>) -> Point<Physical> {
        self.area.at(at.x, at.y)
    }
}

fn gap(bounds: &Rect<Physical>, p: Point<Physical>) -> f64 {
    let dx = (bounds.x - p.x).max(p.x - bounds.right()).max(0.0);
    let dy = (bounds.y - p.y).max(p.y - bounds.bottom()).max(0.0);
    dx.hypot(dy)
}

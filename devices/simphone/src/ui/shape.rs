//! Shapes: what drawn signs and canvases are made of, as distances, so that every size has soft edges.

use super::theme::Tone;

/// A shape in its own coordinates: signs use a square of 24, canvases dp.
#[derive(Debug, Clone, PartialEq)]
pub enum Outline {
    /// A line through points, of a width, with round ends.
    Stroke(Vec<(f32, f32)>, f32),
    Fill(Vec<(f32, f32)>),
    /// A filled disc: middle, radius.
    Disc(f32, f32, f32),
    /// A circle: middle, radius, width of the line.
    Ring(f32, f32, f32, f32),
    /// A filled box: left, top, right, bottom, radius of the corners.
    Box(f32, f32, f32, f32, f32),
    /// A box's border: left, top, right, bottom, radius, width of the line.
    Frame(f32, f32, f32, f32, f32, f32),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shape {
    pub form: Outline,
    pub tone: Tone,
}

impl Shape {
    pub fn new(form: Outline, tone: Tone) -> Self {
        Self { form, tone }
    }
}

fn segment(px: f32, py: f32, a: (f32, f32), b: (f32, f32)) -> f32 {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let len = dx * dx + dy * dy;
    let t = if len > 0.0 { (((px - a.0) * dx + (py - a.1) * dy) / len).clamp(0.0, 1.0) } else { 0.0 };
    (px - a.0 - t * dx).hypot(py - a.1 - t * dy)
}

fn rounded(px: f32, py: f32, [l, t, r, b]: [f32; 4], radius: f32) -> f32 {
    let (cx, cy) = (f32::midpoint(l, r), f32::midpoint(t, b));
    let (qx, qy) = ((px - cx).abs() - (r - l) / 2.0 + radius, (py - cy).abs() - (b - t) / 2.0 + radius);
    qx.max(qy).min(0.0) + qx.max(0.0).hypot(qy.max(0.0)) - radius
}

impl Outline {
    /// The signed distance from the form's edge: negative inside.
    pub fn distance(&self, x: f32, y: f32) -> f32 {
        match self {
            Self::Stroke(points, width) => {
                let near = points
                    .windows(2)
                    .filter_map(|w| Some(segment(x, y, *w.first()?, *w.get(1)?)))
                    .fold(f32::MAX, f32::min);
                near - width / 2.0
            }
            Self::Fill(points) => {
                let mut near = f32::MAX;
                let mut inside = false;
                let Some(mut last) = points.last().copied() else { return f32::MAX };
                for &p in points {
                    near = near.min(segment(x, y, last, p));
                    if (p.1 > y) != (last.1 > y) && x < (last.0 - p.0) * (y - p.1) / (last.1 - p.1) + p.0 {
                        inside = !inside;
                    }
                    last = p;
                }
                if inside { -near } else { near }
            }
            Self::Disc(cx, cy, r) => (x - cx).hypot(y - cy) - r,
            Self::Ring(cx, cy, r, w) => ((x - cx).hypot(y - cy) - r).abs() - w / 2.0,
            Self::Box(l, t, r, b, radius) => rounded(x, y, [*l, *t, *r, *b], *radius),
            Self::Frame(l, t, r, b, radius, w) => rounded(x, y, [*l, *t, *r, *b], *radius).abs() - w / 2.0,
        }
    }

    /// A box that holds all of it: left, top, right, bottom.
    pub fn bounds(&self) -> [f32; 4] {
        let around = |points: &[(f32, f32)], by: f32| {
            points.iter().fold([f32::MAX, f32::MAX, f32::MIN, f32::MIN], |[l, t, r, b], p| {
                [l.min(p.0 - by), t.min(p.1 - by), r.max(p.0 + by), b.max(p.1 + by)]
            })
        };
        match self {
            Self::Stroke(points, w) => around(points, *w),
            Self::Fill(points) => around(points, 1.0),
            Self::Disc(x, y, r) => around(&[(*x, *y)], r + 1.0),
            Self::Ring(x, y, r, w) => around(&[(*x, *y)], r + w + 1.0),
            Self::Box(l, t, r, b, _) => around(&[(*l, *t), (*r, *b)], 1.0),
            Self::Frame(l, t, r, b, _, w) => around(&[(*l, *t), (*r, *b)], w + 1.0),
        }
    }
}

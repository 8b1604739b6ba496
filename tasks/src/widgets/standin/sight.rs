//! Where a drawing lies on a page: the stand-in's eyes.
//!
//! The colours of an instance are known exactly, so that looking for them is enough.

use image::RgbImage;
use serde_json::Value;
use waldo_agents::frames::vision::PxRect;

use super::super::Instance;

/// The largest difference in a channel within one colour.
const LIKE: u8 = 6;

pub(super) type Colour = [u8; 3];

/// How units of a drawing become pixels of the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PageScale {
    /// Where the drawing's ground is; without one, all of the page.
    pub(super) stage: PxRect,
    origin: (f64, f64),
    pub(super) unit: f64,
    pub(super) ratio: f64,
}

pub(super) fn colour(instance: &Instance, name: &str) -> Result<Colour, String> {
    let text = instance.render["style"]["vars"][name].as_str().unwrap_or_default();
    let digits = text.trim_start_matches('#');
    let part = |n: usize| digits.get(2 * n..2 * n + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
    match (part(0), part(1), part(2)) {
        (Some(r), Some(g), Some(b)) => Ok([r, g, b]),
        _ => Err(format!("the style has no colour {name}")),
    }
}

pub(super) fn like(a: Colour, b: Colour) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= LIKE)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ColourRun {
    pub(super) y: u32,
    pub(super) x: u32,
    pub(super) w: u32,
}

/// The longest run of a colour in each row that has one of at least so many pixels.
pub(super) fn runs(page: &RgbImage, colour: Colour, least: u32) -> Vec<ColourRun> {
    let mut found = Vec::new();
    for y in 0..page.height() {
        let (mut best, mut from) = (ColourRun { y, x: 0, w: 0 }, 0);
        for x in 0..=page.width() {
            let same = page.get_pixel_checked(x, y).is_some_and(|p| like(p.0, colour));
            if !same {
                if x - from > best.w {
                    best = ColourRun { y, x: from, w: x - from };
                }
                from = x + 1;
            }
        }
        if best.w >= least {
            found.push(best);
        }
    }
    found
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels of a page")]
pub(super) fn whole(x: f64) -> u32 {
    x.round().max(0.0) as u32
}

impl PageScale {
    pub(super) fn of(instance: &Instance, page: &RgbImage) -> Result<Self, String> {
        let size = instance.render["style"]["size"].as_f64().ok_or("the style has no size")?;
        let ratio = instance.pixel_ratio;
        let unit = size * ratio;
        if instance.render["svg"].as_str().unwrap_or_default().is_empty() {
            return Ok(Self { stage: PxRect::whole(page), origin: (0.0, 0.0), unit, ratio });
        }
        let [w, h] = instance.ground.size;
        let (w, h) = (w * unit, h * unit);
        // Round corners take 10 CSS pixels of an edge at most.
        let edges = runs(page, colour(instance, "line")?, whole(w - 20.0 * ratio - 4.0));
        let fits = |top: &&ColourRun| {
            edges.iter().any(|low| {
                let off = f64::from(low.y) - f64::from(top.y) + 1.0 - h;
                off.abs() <= 2.5 * ratio && low.x.abs_diff(top.x) <= 2
            }) && f64::from(top.w) <= w + 4.0
        };
        let top = edges.iter().find(fits).ok_or("the drawing's edge is not on the page")?;
        // The edge's run leaves out the round corners on both sides alike.
        let left = f64::from(top.x) - (w - f64::from(top.w)) / 2.0;
        let stage = PxRect::new(whole(left), top.y, whole(w), whole(h));
        let origin = (left + ratio, f64::from(top.y) + ratio);
        Ok(Self { stage, origin, unit, ratio })
    }

    pub(super) fn page(&self, [x, y]: [f64; 2]) -> (f64, f64) {
        (self.origin.0 + x * self.unit, self.origin.1 + y * self.unit)
    }

    pub(super) fn around(&self, at: [f64; 2], half: [f64; 2]) -> PxRect {
        let (x, y) = self.page([at[0] - half[0], at[1] - half[1]]);
        PxRect::new(whole(x), whole(y), whole(2.0 * half[0] * self.unit), whole(2.0 * half[1] * self.unit))
    }

    /// The rectangle of a box of the drawing: left, top, width, height.
    pub(super) fn rect(&self, [x, y, w, h]: [f64; 4]) -> PxRect {
        let (x, y) = self.page([x, y]);
        PxRect::new(whole(x), whole(y), whole(w * self.unit), whole(h * self.unit))
    }

    /// The shares of a way at which handles of a colour stand, in a picture of the part `part` of the page:
    /// one for each of `count` handles, from the beginning of the way on. `half` is half of a handle along
    /// and across the way.
    pub(super) fn shares(
        &self,
        picture: &RgbImage,
        part: &PxRect,
        way: [[f64; 2]; 2],
        half: [f64; 2],
        colour: Colour,
        count: usize,
    ) -> Option<Vec<f64>> {
        let (from, to) = (self.page(way[0]), self.page(way[1]));
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let long = dx.hypot(dy);
        let [along, across] = half.map(|half| (half + 1.0) * self.unit);
        // How much of the colour stands at each pixel of the way.
        let reach = along.ceil();
        let mut profile = vec![0u32; whole(long + 2.0 * reach) as usize + 1];
        // Only what lies around the way.
        let edge = along.max(across) + 2.0;
        let least = |a: f64, b: f64, start: u32| whole(a.min(b) - edge - f64::from(start));
        let most =
            |a: f64, b: f64, start: u32, size: u32| whole(a.max(b) + edge - f64::from(start)).min(size);
        let rows = least(from.1, to.1, part.y)..most(from.1, to.1, part.y, picture.height());
        let columns = least(from.0, to.0, part.x)..most(from.0, to.0, part.x, picture.width());
        for (x, y) in rows.flat_map(|y| columns.clone().map(move |x| (x, y))) {
            if !like(picture.get_pixel(x, y).0, colour) {
                continue;
            }
            let (px, py) = (f64::from(x + part.x) + 0.5 - from.0, f64::from(y + part.y) + 0.5 - from.1);
            let (t, off) = ((px * dx + py * dy) / long, (px * dy - py * dx) / long);
            if off.abs() <= across && t >= -reach && t <= long + reach {
                profile[whole((t + reach).floor()) as usize] += 1;
            }
        }
        // What is only a line between handles is thin.
        let thin = if count > 1 { whole(10.0 * self.unit) } else { 0 };
        let heavy = (0u32..).zip(&profile).filter(|(_, hits)| **hits > thin);
        let heavy: Vec<(f64, f64)> =
            heavy.map(|(n, hits)| (f64::from(n) + 0.5 - reach, f64::from(*hits))).collect();
        let middle = |some: &[(f64, f64)]| {
            let weight: f64 = some.iter().map(|(_, hits)| hits).sum();
            (weight > 0.0).then(|| some.iter().map(|(t, hits)| t * hits).sum::<f64>() / weight / long)
        };
        match count {
            1 => Some(vec![middle(&heavy)?.clamp(0.0, 1.0)]),
            _ => {
                // The widest gap parts the two.
                let gap = (1..heavy.len()).max_by(|a, b| {
                    let wide = |n: usize| heavy[n].0 - heavy[n - 1].0;
                    wide(*a).total_cmp(&wide(*b))
                })?;
                let (low, high) = heavy.split_at(gap);
                Some(vec![middle(low)?.clamp(0.0, 1.0), middle(high)?.clamp(0.0, 1.0)])
            }
        }
    }
}

pub(super) fn bounds(page: &RgbImage, wanted: Colour, below: u32) -> Option<PxRect> {
    let mut found: Option<PxRect> = None;
    for y in below..page.height() {
        for x in 0..page.width() {
            if like(page.get_pixel(x, y).0, wanted) {
                let one = PxRect::new(x, y, 1, 1);
                found = Some(found.map_or(one, |all| all.union(&one)));
            }
        }
    }
    found
}

/// The handle's half extents, as the page knows them.
pub(super) fn half(data: &Value) -> [f64; 2] {
    match &data["half"] {
        Value::Array(both) => [both.first(), both.get(1)].map(|n| n.and_then(Value::as_f64).unwrap_or(15.0)),
        one => [one.as_f64().unwrap_or(15.0); 2],
    }
}

//! Strokes and blends on a picture.
//!
//! Invariant: whatever lies outside the picture is left out; nothing here can fail.

use image::Rgb;

use super::atlas::Digits;
use super::layer::Canvas;
use super::spatial::PixelBox;
use crate::picture::Raster;

pub(super) type Color = Rgb<u8>;

pub(super) const BLACK: Color = Rgb([0, 0, 0]);
pub(super) const WHITE: Color = Rgb([255, 255, 255]);

/// The part of `b` inside the picture, as `x0..x1`, `y0..y1`.
fn clip((width, height): (u32, u32), b: &PixelBox) -> (std::ops::Range<u32>, std::ops::Range<u32>) {
    let side = |from: i32, to: i32, max: u32| {
        let cut = |v: i32| u32::try_from(v.max(0)).unwrap_or(0).min(max);
        cut(from)..cut(to)
    };
    (side(b.x, b.right(), width), side(b.y, b.bottom(), height))
}

/// Calls `f` with every line of a box, three bytes a pixel.
fn each_line(picture: &mut impl Canvas, b: &PixelBox, mut f: impl FnMut(&mut [u8])) {
    let (xs, ys) = clip(picture.size(), b);
    if xs.is_empty() {
        return;
    }
    for y in ys {
        f(picture.span_mut(y, xs.clone()));
    }
}

/// Mixes `over` into the three bytes of a pixel; `share` runs from 0 (nothing) to 255 (all).
fn mix(pixel: &mut [u8], over: Color, share: u8) {
    for (p, o) in pixel.iter_mut().zip(over.0) {
        *p = mixed(*p, weighed(o, share), 255 - share);
    }
}

/// A value times its share of 255, and what rounds a sum of such to the nearest.
fn weighed(value: u8, share: u8) -> u16 {
    u16::from(value) * u16::from(share) + 128
}

/// A sum of two weighed values, divided by 255 (without a division, so that many are done at once).
fn mixed(ground: u8, over: u16, share: u8) -> u8 {
    let sum = u16::from(ground) * u16::from(share) + over;
    ((sum + (sum >> 8)) >> 8) as u8
}

/// Lays a colour over a box; `share` 255 covers it.
pub(super) fn fill(picture: &mut impl Canvas, b: &PixelBox, color: Color, share: u8) {
    if share == 255 {
        return each_line(picture, b, |line| line.as_chunks_mut().0.fill(color.0));
    }
    let width = picture.size().0.min(u32::try_from(b.w.max(0)).unwrap_or_default()) as usize;
    let over: Vec<u16> = color.0.map(|over| weighed(over, share)).repeat(width);
    each_line(picture, b, |line| {
        for (p, over) in line.iter_mut().zip(&over) {
            *p = mixed(*p, *over, 255 - share);
        }
    });
}

pub(super) fn frame(picture: &mut impl Canvas, b: &PixelBox, width: i32, color: Color, share: u8) {
    let w = width.min((b.w + 1) / 2).min((b.h + 1) / 2).max(0);
    let sides = [
        PixelBox::new(b.x, b.y, b.w, w),
        PixelBox::new(b.x, b.bottom() - w, b.w, w.min(b.h - w)),
        PixelBox::new(b.x, b.y + w, w, b.h - 2 * w),
        PixelBox::new(b.right() - w, b.y + w, w.min(b.w - w), b.h - 2 * w),
    ];
    for side in sides {
        fill(picture, &side, color, share);
    }
}

/// Draws a number so that its first digit cell of `advance` pixels starts at `x` and its top at `y`.
pub(super) fn number(
    picture: &mut impl Canvas,
    n: u32,
    (x, y): (i32, i32),
    (cap, advance): (i32, i32),
    color: Color,
) {
    let digits = Digits::of(cap);
    let count = i32::try_from(n.checked_ilog10().unwrap_or(0)).unwrap_or(0) + 1;
    let mut rest = n;
    for place in (0..count).rev() {
        let glyph = digits.glyph(rest % 10);
        rest /= 10;
        let left = x + place * advance + (advance - glyph.w).div_euclid(2);
        let top = y + (cap - glyph.h).div_euclid(2);
        let place = PixelBox::new(left, top, glyph.w, glyph.h);
        let (xs, ys) = clip(picture.size(), &place);
        if xs.is_empty() {
            continue;
        }
        // What of the digit is beside the picture is left out.
        let cut = |inside: u32, from: i32| usize::try_from(i64::from(inside) - i64::from(from)).unwrap_or(0);
        let (skip, width) = (cut(xs.start, left), usize::try_from(glyph.w).unwrap_or(0).max(1));
        let rows = glyph.coverage.chunks_exact(width).skip(cut(ys.start, top));
        for (py, shares) in ys.zip(rows) {
            let (pixels, _) = picture.span_mut(py, xs.clone()).as_chunks_mut::<3>();
            for (pixel, share) in pixels.iter_mut().zip(&shares[skip..]).filter(|(_, share)| **share > 0) {
                mix(pixel, color, *share);
            }
        }
    }
}

/// A line from `a` to `b`, round at its ends and `width` pixels wide; a point when both are the same.
pub(super) fn line(picture: &mut impl Canvas, a: (f64, f64), b: (f64, f64), width: f64, color: Color) {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length2 = (dx * dx + dy * dy).max(1e-9);
    stroke(picture, [a, b], width / 2.0, color, |x, y| {
        let t = (((x - a.0) * dx + (y - a.1) * dy) / length2).clamp(0.0, 1.0);
        (x - a.0 - t * dx).hypot(y - a.1 - t * dy)
    });
}

/// A ring of this radius around `c`, `width` pixels wide.
pub(super) fn ring(picture: &mut impl Canvas, c: (f64, f64), radius: f64, width: f64, color: Color) {
    let corners = [(c.0 - radius, c.1 - radius), (c.0 + radius, c.1 + radius)];
    stroke(picture, corners, width / 2.0, color, |x, y| ((x - c.0).hypot(y - c.1) - radius).abs());
}

/// Paints, with smooth edges, every pixel whose `distance` is below `half`; `corners` bound the shape's line.
fn stroke(
    picture: &mut impl Canvas,
    corners: [(f64, f64); 2],
    half: f64,
    color: Color,
    distance: impl Fn(f64, f64) -> f64,
) {
    let [a, b] = corners;
    if ![a.0, a.1, b.0, b.1, half].iter().all(|v| v.is_finite()) {
        return;
    }
    let low = |p: f64, q: f64| (p.min(q) - half - 1.0).floor().max(0.0) as u32;
    let high = |p: f64, q: f64, max: u32| ((p.max(q) + half + 2.0).ceil().max(0.0) as u32).min(max);
    let (w, h) = picture.size();
    let (left, right) = (low(a.0, b.0), high(a.0, b.0, w));
    if left >= right {
        return;
    }
    for y in low(a.1, b.1)..high(a.1, b.1, h) {
        let (pixels, _) = picture.span_mut(y, left..right).as_chunks_mut::<3>();
        for (x, pixel) in (left..).zip(pixels) {
            let inside = half + 0.5 - distance(f64::from(x) + 0.5, f64::from(y) + 0.5);
            if inside > 0.0 {
                mix(pixel, color, (inside.min(1.0) * 255.0).round() as u8);
            }
        }
    }
}

/// How bright a colour looks, 0 to 255.
pub(super) fn luminance(color: Color) -> u32 {
    let [r, g, b] = color.0.map(u32::from);
    (299 * r + 587 * g + 114 * b) / 1000
}

/// How bright a box of the picture looks on average, 0 to 255; 255 outside of it.
pub(super) fn brightness(picture: Raster<'_>, b: &PixelBox) -> u32 {
    match picture.pixel_bytes() {
        4 => brightness_of::<4>(picture, b),
        _ => brightness_of::<3>(picture, b),
    }
}

/// The same for a picture with so many bytes a pixel.
fn brightness_of<const PIXEL: usize>(picture: Raster<'_>, b: &PixelBox) -> u32 {
    let (xs, ys) = clip(picture.size(), b);
    let (mut sums, mut count) = ([0_u32; 3], 0_u32);
    // Every other pixel of every other line: no letter is one line high.
    for y in ys.step_by(2) {
        for pixel in picture.span(y, xs.clone()).as_chunks::<PIXEL>().0.iter().step_by(2) {
            for (sum, value) in sums.iter_mut().zip(pixel) {
                *sum += u32::from(*value);
            }
            count += 1;
        }
    }
    let average = |sum: u32| sum.checked_div(count).map_or(255, |v| v as u8);
    luminance(Rgb(sums.map(average)))
}

//! Painting into RGBA: boxes, rounded boxes, masks and shapes, all within a clip.

use image::RgbaImage;

use super::{
    geometry::Rect,
    shape::{Outline, Shape},
    theme::Rgba,
};

#[derive(Debug)]
pub(crate) struct Canvas {
    w: i32,
    h: i32,
    data: Vec<u8>,
    clip: Rect,
}

fn byte(v: f32) -> u8 {
    (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

fn real(v: i32) -> f32 {
    v as f32
}

fn whole(v: f32) -> i32 {
    v as i32
}

#[inline]
fn mix(px: &mut [u8], c: Rgba, cover: u8) {
    let a = (u32::from(c[3]) * u32::from(cover) + 127) / 255;
    if a == 0 {
        return;
    }
    let n = 255 - a;
    for (p, s) in px.iter_mut().zip(c).take(3) {
        let v = u32::from(*p) * n + u32::from(s) * a + 127;
        *p = u8::try_from(v / 255).unwrap_or(255);
    }
}

impl Canvas {
    pub fn new(w: u32, h: u32, c: Rgba) -> Self {
        let count = w as usize * h as usize;
        let (w, h) = (i32::try_from(w).unwrap_or(0), i32::try_from(h).unwrap_or(0));
        Self { w, h, data: c.repeat(count), clip: Rect::new(0, 0, w, h) }
    }

    pub(crate) fn clip_to(&mut self, clip: Rect) {
        self.clip = clip.and(Rect::new(0, 0, self.w, self.h));
    }

    pub fn done(self) -> RgbaImage {
        let (w, h) = (u32::try_from(self.w).unwrap_or(0), u32::try_from(self.h).unwrap_or(0));
        RgbaImage::from_raw(w, h, self.data).unwrap_or_default()
    }

    fn span(&mut self, y: i32, l: i32, r: i32) -> Option<&mut [u8]> {
        if y < self.clip.t || y >= self.clip.b {
            return None;
        }
        let (l, r) = (l.max(self.clip.l), r.min(self.clip.r));
        if l >= r {
            return None;
        }
        let at = |x: i32| usize::try_from((y * self.w + x) * 4).unwrap_or(0);
        self.data.get_mut(at(l)..at(r))
    }

    pub fn fill(&mut self, rect: Rect, c: Rgba) {
        let r = rect.and(self.clip);
        if r.is_empty() {
            return;
        }
        if c[3] < 255 {
            return self.tint(r, c);
        }
        let row = c.repeat(usize::try_from(r.w()).unwrap_or(0));
        for y in r.t..r.b {
            if let Some(span) = self.span(y, r.l, r.r) {
                span.copy_from_slice(&row);
            }
        }
    }

    /// Lays a colour that lets through over a box: by table, for it is often the whole screen.
    fn tint(&mut self, r: Rect, c: Rgba) {
        let mut tables = [[0_u8; 256]; 3];
        for (table, s) in tables.iter_mut().zip(c) {
            for (v, out) in (0_u8..=255).zip(table.iter_mut()) {
                let mut px = [v];
                mix(&mut px, [s, 0, 0, c[3]], 255);
                *out = px[0];
            }
        }
        for y in r.t..r.b {
            let Some(span) = self.span(y, r.l, r.r) else { continue };
            for px in span.chunks_exact_mut(4) {
                for (p, table) in px.iter_mut().zip(&tables) {
                    *p = table.get(usize::from(*p)).copied().unwrap_or(*p);
                }
            }
        }
    }

    /// Fills a box with round corners, radius in pixels.
    pub fn round(&mut self, rect: Rect, radius: i32, c: Rgba) {
        let radius = radius.min(rect.w() / 2).min(rect.h() / 2);
        if radius <= 0 {
            return self.fill(rect, c);
        }
        self.fill(Rect::new(rect.l, rect.t + radius, rect.r, rect.b - radius), c);
        let rad = real(radius);
        for i in 0..radius {
            let dy = rad - real(i) - 0.5;
            for y in [rect.t + i, rect.b - 1 - i] {
                if y < self.clip.t || y >= self.clip.b {
                    continue;
                }
                self.fill(Rect::new(rect.l + radius, y, rect.r - radius, y + 1), c);
                for j in 0..radius {
                    let d = (rad - real(j) - 0.5).hypot(dy);
                    let cover = byte(rad - d + 0.5);
                    if cover > 0 {
                        self.dot(rect.l + j, y, c, cover);
                        self.dot(rect.r - 1 - j, y, c, cover);
                    }
                }
            }
        }
    }

    /// A border inside a box with round corners, all in pixels.
    pub fn border(&mut self, rect: Rect, radius: i32, width: i32, c: Rgba) {
        let radius = radius.min(rect.w() / 2).min(rect.h() / 2).max(0);
        self.fill(Rect::new(rect.l + radius, rect.t, rect.r - radius, rect.t + width), c);
        self.fill(Rect::new(rect.l + radius, rect.b - width, rect.r - radius, rect.b), c);
        self.fill(Rect::new(rect.l, rect.t + radius, rect.l + width, rect.b - radius), c);
        self.fill(Rect::new(rect.r - width, rect.t + radius, rect.r, rect.b - radius), c);
        let rad = real(radius);
        for i in 0..radius {
            for j in 0..radius {
                let d = (rad - real(j) - 0.5).hypot(rad - real(i) - 0.5);
                let cover = byte((rad - d + 0.5).min(d - rad + real(width) + 0.5));
                if cover > 0 {
                    for (x, y) in [
                        (rect.l + j, rect.t + i),
                        (rect.r - 1 - j, rect.t + i),
                        (rect.l + j, rect.b - 1 - i),
                        (rect.r - 1 - j, rect.b - 1 - i),
                    ] {
                        self.dot(x, y, c, cover);
                    }
                }
            }
        }
    }

    fn dot(&mut self, x: i32, y: i32, c: Rgba, cover: u8) {
        if let Some(px) = self.span(y, x, x + 1) {
            mix(px, c, cover);
        }
    }

    pub fn mask(&mut self, x: i32, y: i32, w: i32, mask: &[u8], c: Rgba) {
        let Ok(width) = usize::try_from(w) else { return };
        if width == 0 {
            return;
        }
        for (row, line) in (y..).zip(mask.chunks_exact(width)) {
            let skip = usize::try_from((self.clip.l - x).max(0)).unwrap_or(0);
            let Some(span) = self.span(row, x, x + w) else { continue };
            for (px, m) in span.chunks_exact_mut(4).zip(line.iter().skip(skip)) {
                if *m > 0 {
                    mix(px, c, *m);
                }
            }
        }
    }

    /// Paints a shape whose unit is `scale` pixels, from a corner.
    pub fn shape(&mut self, shape: &Shape, x: i32, y: i32, scale: f32, c: Rgba) {
        let [l, t, r, b] = shape.form.bounds();
        let whole_box = Rect::new(
            whole((l * scale).floor()),
            whole((t * scale).floor()),
            whole((r * scale).ceil()),
            whole((b * scale).ceil()),
        )
        .shift(x, y);
        // A plain box needs no distances.
        if let Outline::Box(l, t, r, b, radius) = shape.form {
            let rect = Rect::new(
                x + whole((l * scale).round()),
                y + whole((t * scale).round()),
                x + whole((r * scale).round()),
                y + whole((b * scale).round()),
            );
            return self.round(rect, whole(radius * scale), c);
        }
        let seen = whole_box.and(self.clip);
        for py in seen.t..seen.b {
            for px in seen.l..seen.r {
                let d = shape.form.distance((real(px - x) + 0.5) / scale, (real(py - y) + 0.5) / scale);
                let cover = byte(0.5 - d * scale);
                if cover > 0 {
                    self.dot(px, py, c, cover);
                }
            }
        }
    }
}

pub(crate) fn icon_mask(forms: &[Outline], side: i32) -> Vec<u8> {
    let scale = real(side) / 24.0;
    let mut mask = Vec::with_capacity(usize::try_from(side * side).unwrap_or(0));
    for y in 0..side {
        for x in 0..side {
            let (fx, fy) = ((real(x) + 0.5) / scale, (real(y) + 0.5) / scale);
            let d = forms.iter().map(|f| f.distance(fx, fy)).fold(f32::MAX, f32::min);
            mask.push(byte(0.5 - d * scale));
        }
    }
    mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_painted_outside_the_clip_or_a_round_corner() {
        let mut canvas = Canvas::new(20, 20, [0, 0, 0, 255]);
        canvas.clip_to(Rect::new(5, 5, 10, 10));
        canvas.fill(Rect::new(-10, -10, 40, 40), [255, 0, 0, 255]);
        canvas.mask(3, 3, 4, &[255; 16], [0, 255, 0, 255]);
        let image = canvas.done();
        assert_eq!(image.get_pixel(4, 4).0, [0, 0, 0, 255]);
        assert_eq!(image.get_pixel(5, 5).0, [0, 255, 0, 255]);
        assert_eq!(image.get_pixel(9, 9).0, [255, 0, 0, 255]);
        assert_eq!(image.get_pixel(10, 10).0, [0, 0, 0, 255]);
        let mut canvas = Canvas::new(20, 20, [0, 0, 0, 255]);
        canvas.round(Rect::new(0, 0, 20, 20), 8, [255, 255, 255, 255]);
        let image = canvas.done();
        assert_eq!(image.get_pixel(0, 0).0[0], 0);
        assert_eq!(image.get_pixel(10, 0).0[0], 255);
        assert_eq!(image.get_pixel(10, 10).0[0], 255);
    }
}

use std::{collections::HashMap, sync::Arc};

use super::{
    canvas::{Canvas, icon_mask},
    geometry::Rect,
    icon::Icon,
    laid::{Laid, LaidWidget},
    node::{Align, Kind},
    text::{Face, TextFaces},
    theme::{Rgba, Tone},
};
use crate::options::ColorScheme;

/// Masks of signs, kept once drawn.
#[derive(Debug, Default)]
pub(crate) struct Signs(HashMap<(Icon, i32), Arc<Vec<u8>>>);

impl Signs {
    fn mask(&mut self, icon: Icon, side: i32) -> Arc<Vec<u8>> {
        Arc::clone(self.0.entry((icon, side)).or_insert_with(|| Arc::new(icon_mask(icon.forms(), side))))
    }
}

pub(crate) struct Painter<'a> {
    pub canvas: &'a mut Canvas,
    pub text: &'a mut TextFaces,
    pub signs: &'a mut Signs,
    pub look: ColorScheme,
    pub scale: f32,
}

impl Painter<'_> {
    fn px(&self, dp: f32) -> i32 {
        (dp * self.scale).round() as i32
    }

    fn tone(&self, tone: Tone, item: &LaidWidget) -> Rgba {
        let mut c = tone.rgba(self.look);
        if !item.node.enabled {
            c[3] = 97;
        }
        c
    }

    pub fn paint(&mut self, laid: &Laid) {
        for item in &laid.items {
            let seen = item.seen();
            if !seen.is_empty() {
                self.canvas.clip_to(item.clip);
                self.item(item);
            }
        }
    }

    fn item(&mut self, item: &LaidWidget) {
        let node = &item.node;
        let radius = self.px(node.radius);
        if let Some(bg) = node.bg {
            let c = self.tone(bg, item);
            self.canvas.round(item.rect, radius, c);
        }
        if let Some(border) = node.border {
            let (tone, width) = if item.editing.is_some() { (Tone::Primary, 2.0) } else { (border, 1.0) };
            let c = self.tone(tone, item);
            self.canvas.border(item.rect, radius, self.px(width).max(1), c);
        }
        match &node.kind {
            Kind::Text => self.lines(item),
            Kind::Field(..) => self.field(item),
            Kind::Icon(icon, side) => {
                let side = self.px(*side);
                let (cx, cy) = item.rect.centre();
                let c = self.tone(node.tone, item);
                let mask = self.signs.mask(*icon, side);
                self.canvas.mask(cx - side / 2, cy - side / 2, side, &mask, c);
            }
            Kind::Switch(on) => self.switch(item, *on),
            Kind::Check(on) => self.check(item, *on),
            Kind::Radio(on) => self.radio(item, *on),
            Kind::Slider(value, max) => self.slider(item, *value, *max),
            Kind::Progress(done) => {
                let c = self.tone(Tone::Tint, item);
                self.canvas.round(item.rect, item.rect.h() / 2, c);
                let c = self.tone(Tone::Primary, item);
                let r = item.rect;
                self.canvas.round(Rect::new(r.l, r.t, r.l + r.w() * done / 1000, r.b), r.h() / 2, c);
            }
            Kind::Canvas(shapes) => {
                self.canvas.clip_to(item.seen());
                for shape in shapes {
                    let c = self.tone(shape.tone, item);
                    self.canvas.shape(shape, item.rect.l, item.rect.t, self.scale, c);
                }
            }
            Kind::Column | Kind::Row | Kind::Stack | Kind::Scroll(..) => {}
        }
    }

    fn inner(&self, item: &LaidWidget) -> Rect {
        let p = item.node.pad;
        let r = item.rect;
        Rect::new(r.l + self.px(p.l), r.t + self.px(p.t), r.r - self.px(p.r), r.b - self.px(p.b))
    }

    /// Text from a line's left end and top.
    pub fn write(&mut self, text: &str, face: Face, x: i32, y: i32, c: Rgba) {
        let base = y + TextFaces::ascent(face);
        let mut run = String::new();
        for ch in text.chars() {
            let at = x + self.text.width(&run, face);
            if let Some(g) = self.text.glyph(ch, face) {
                self.canvas.mask(at + g.x, base + g.y, g.w, &g.mask, c);
            }
            run.push(ch);
        }
    }

    fn lines(&mut self, item: &LaidWidget) {
        let inner = self.inner(item);
        let height = TextFaces::line_height(item.face);
        let count = i32::try_from(item.lines.len()).unwrap_or(0);
        let mut y = match item.node.cross {
            Align::Start => inner.t,
            Align::Centre => inner.t + (inner.h() - height * count) / 2,
            Align::End => inner.b - height * count,
        };
        let c = self.tone(item.node.tone, item);
        for line in &item.lines {
            let x = match item.node.main {
                Align::Start => inner.l,
                Align::Centre => inner.l + (inner.w() - line.width) / 2,
                Align::End => inner.r - line.width,
            };
            if y + height > item.clip.t && y < item.clip.b {
                self.write(&line.text, item.face, x, y, c);
            }
            y += height;
        }
    }

    fn field(&mut self, item: &LaidWidget) {
        let inner = self.inner(item);
        let height = TextFaces::line_height(item.face);
        let tone = if item.hinted { Tone::Muted } else { item.node.tone };
        let c = self.tone(tone, item);
        self.canvas.clip_to(item.seen().and(Rect::new(inner.l, item.rect.t, inner.r + 4, item.rect.b)));
        let focused = item.editing.as_ref();
        let single = item.node.max_lines == 1;
        let mut y = if single { inner.t + (inner.h() - height) / 2 } else { inner.t };
        let caret = focused.map(|e| (e.caret, e.anchor.min(e.caret), e.anchor.max(e.caret)));
        let last = item.lines.len().saturating_sub(1);
        for (i, line) in item.lines.iter().enumerate() {
            let length = line.text.chars().count();
            let upto = |n: usize| line.text.chars().take(n).collect::<String>();
            let at_caret = caret
                .filter(|(at, ..)| {
                    !item.hinted && *at >= line.start && (*at <= line.start + length || i == last)
                })
                .map(|(at, ..)| self.text.width(&upto(at - line.start), item.face));
            // A line longer than its field is moved so that the caret, or else its start, is seen.
            let moved = if single { at_caret.map_or(0, |x| (x - inner.w()).max(0)) } else { 0 };
            let x = inner.l - moved;
            if let Some((_, from, to)) = caret
                && from < to
                && !item.hinted
            {
                let clampd = |n: usize| n.clamp(line.start, line.start + length) - line.start;
                let l = self.text.width(&upto(clampd(from)), item.face);
                let r = self.text.width(&upto(clampd(to)), item.face);
                let c = self.tone(Tone::Tint, item);
                self.canvas.fill(Rect::new(x + l, y, x + r, y + height), c);
            }
            self.write(&line.text, item.face, x, y, c);
            let caret_x = if item.hinted && focused.is_some() && i == 0 { Some(0) } else { at_caret };
            if let Some(cx) = caret_x {
                let c = self.tone(Tone::Primary, item);
                let w = self.px(2.0);
                self.canvas.fill(Rect::new(x + cx, y, x + cx + w, y + height), c);
            }
            y += height;
        }
    }

    fn switch(&mut self, item: &LaidWidget, on: bool) {
        let (cx, cy) = item.rect.centre();
        let (w, h) = (self.px(52.0), self.px(32.0));
        let track = Rect::new(cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2);
        let ground = self.tone(if on { Tone::Primary } else { Tone::Card }, item);
        self.canvas.round(track, h / 2, ground);
        if !on {
            let c = self.tone(Tone::Outline, item);
            self.canvas.border(track, h / 2, self.px(2.0), c);
        }
        let r = self.px(if on { 12.0 } else { 8.0 });
        let kx = if on { track.r - h / 2 } else { track.l + h / 2 };
        let c = self.tone(if on { Tone::OnPrimary } else { Tone::Outline }, item);
        self.canvas.round(Rect::new(kx - r, cy - r, kx + r, cy + r), r, c);
    }

    fn control(&self, item: &LaidWidget) -> Rect {
        let cy = item.rect.centre().1;
        let side = self.px(32.0);
        let l = item.rect.l + self.px(item.node.pad.l);
        Rect::new(l, cy - side / 2, l + side, cy + side / 2)
    }

    fn label(&mut self, item: &LaidWidget, control: Rect) {
        if !item.node.text.is_empty() {
            let y = item.rect.centre().1 - TextFaces::line_height(item.face) / 2;
            let c = self.tone(item.node.tone, item);
            self.write(&item.node.text, item.face, control.r + self.px(8.0), y, c);
        }
    }

    fn check(&mut self, item: &LaidWidget, on: bool) {
        let control = self.control(item);
        let square = control.inset(self.px(7.0));
        if on {
            let c = self.tone(Tone::Primary, item);
            self.canvas.round(square, self.px(2.0), c);
            let mask = self.signs.mask(Icon::Check, square.w());
            let c = self.tone(Tone::OnPrimary, item);
            self.canvas.mask(square.l, square.t, square.w(), &mask, c);
        } else {
            let c = self.tone(Tone::Outline, item);
            self.canvas.border(square, self.px(2.0), self.px(2.0), c);
        }
        self.label(item, control);
    }

    fn radio(&mut self, item: &LaidWidget, on: bool) {
        let control = self.control(item);
        let ring = control.inset(self.px(6.0));
        let c = self.tone(if on { Tone::Primary } else { Tone::Outline }, item);
        self.canvas.border(ring, ring.w() / 2, self.px(2.0), c);
        if on {
            let dot = ring.inset(self.px(5.0));
            self.canvas.round(dot, dot.w() / 2, c);
        }
        self.label(item, control);
    }

    fn slider(&mut self, item: &LaidWidget, value: i32, max: i32) {
        let r = item.rect;
        let (knob, thick) = (self.px(10.0), self.px(4.0));
        let cy = r.centre().1;
        let (l, right) = (r.l + knob, r.r - knob);
        let x = l + (right - l) * value / max.max(1);
        let c = self.tone(Tone::Tint, item);
        self.canvas.round(Rect::new(l, cy - thick / 2, right, cy + thick / 2), thick / 2, c);
        let c = self.tone(Tone::Primary, item);
        self.canvas.round(Rect::new(l, cy - thick / 2, x, cy + thick / 2), thick / 2, c);
        self.canvas.round(Rect::new(x - knob, cy - knob, x + knob, cy + knob), knob, c);
    }
}

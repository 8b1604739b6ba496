//! How much room widgets take, and how columns, rows and grids share theirs.

use super::{
    geometry::Rect,
    layout::{FREE, LayoutContext, shown},
    node::{Axis, Edges, Kind, Len, Node},
    text::TextFaces,
};

#[derive(Clone, Copy)]
pub(super) struct PixelEdges {
    pub(super) l: i32,
    pub(super) t: i32,
    pub(super) r: i32,
    pub(super) b: i32,
}

fn share(total: i32, part: f32, whole: f32) -> i32 {
    if whole <= 0.0 { 0 } else { (total as f32 * part / whole) as i32 }
}

impl LayoutContext<'_> {
    pub(super) fn edges(&self, e: Edges) -> PixelEdges {
        PixelEdges { l: self.px(e.l), t: self.px(e.t), r: self.px(e.r), b: self.px(e.b) }
    }

    pub(super) fn measure(&mut self, node: &Node, aw: i32, ah: i32) -> (i32, i32) {
        let pad = self.edges(node.pad);
        let want_w = match node.w {
            Len::Dp(v) => Some(self.px(v)),
            Len::Fill(_) if aw < FREE => Some(aw),
            _ => None,
        };
        let want_h = match node.h {
            Len::Dp(v) => Some(self.px(v)),
            Len::Fill(_) if ah < FREE => Some(ah),
            _ => None,
        };
        if let (Some(w), Some(h)) = (want_w, want_h) {
            return (w, h);
        }
        let iw = (want_w.unwrap_or(aw) - pad.l - pad.r).max(0);
        let ih = (want_h.unwrap_or(ah) - pad.t - pad.b).max(0);
        let (cw, ch) = self.content(node, iw, ih);
        let w = want_w.unwrap_or((cw + pad.l + pad.r).min(aw));
        (w, want_h.unwrap_or((ch + pad.t + pad.b).min(ah)))
    }

    fn content(&mut self, node: &Node, iw: i32, ih: i32) -> (i32, i32) {
        match &node.kind {
            Kind::Text | Kind::Field(..) => {
                let (shown, _) = shown(node);
                let face = self.face(node);
                let lines = self.text.wrap(&shown, face, iw, node.max_lines);
                let w = lines.iter().map(|l| l.width).max().unwrap_or(0);
                (w, TextFaces::line_height(face) * i32::try_from(lines.len()).unwrap_or(1))
            }
            Kind::Icon(_, side) => (self.px(*side), self.px(*side)),
            Kind::Switch(_) => (self.px(52.0), self.px(32.0)),
            Kind::Check(_) | Kind::Radio(_) => {
                let label = self.label_width(node);
                (self.px(32.0) + label, self.px(32.0))
            }
            Kind::Slider(..) | Kind::Progress(_) | Kind::Canvas(_) => (iw.min(self.px(200.0)), self.px(24.0)),
            Kind::Stack => node.children.iter().fold((0, 0), |(w, h), c| {
                let m = self.edges(c.margin);
                let (cw, ch) = self.measure(c, iw - m.l - m.r, ih - m.t - m.b);
                (w.max(cw + m.l + m.r), h.max(ch + m.t + m.b))
            }),
            Kind::Column | Kind::Row | Kind::Scroll(..) => {
                let sizes = self.flow(node, iw, ih);
                let (w, h) = sizes.iter().fold((0, 0), |(w, h), r| (w.max(r.r), h.max(r.b)));
                (w, h)
            }
        }
    }

    fn label_width(&mut self, node: &Node) -> i32 {
        if node.text.is_empty() {
            return 0;
        }
        let face = self.face(node);
        self.px(8.0) + self.text.width(&node.text, face)
    }

    /// Where the children of a column, row or scrolling container stand, margins included, from its inner
    /// corner, before alignment along the main direction.
    pub(super) fn flow(&mut self, node: &Node, iw: i32, ih: i32) -> Vec<Rect> {
        if let Kind::Scroll(Axis::Y, columns) = node.kind
            && columns > 1
        {
            return self.cells(node, iw, columns);
        }
        let sideways = matches!(node.kind, Kind::Row | Kind::Scroll(Axis::X, _));
        let scrolls = matches!(node.kind, Kind::Scroll(..));
        let gap = self.px(node.gap);
        let count = i32::try_from(node.children.len()).unwrap_or(0);
        let room = if sideways { iw } else { ih };
        let along = if scrolls { FREE } else { room };
        let mut left = along - gap * (count - 1).max(0);
        let mut sizes: Vec<Option<(i32, i32)>> = Vec::with_capacity(node.children.len());
        let mut whole = 0.0;
        for c in &node.children {
            let m = self.edges(c.margin);
            let own = if sideways { c.w } else { c.h };
            match own {
                Len::Fill(share) if along < FREE => {
                    whole += share;
                    left -= if sideways { m.l + m.r } else { m.t + m.b };
                    sizes.push(None);
                }
                _ => {
                    let size = if sideways {
                        self.measure(c, (left - m.l - m.r).max(0), ih - m.t - m.b)
                    } else {
                        self.measure(c, iw - m.l - m.r, (left - m.t - m.b).max(0))
                    };
                    left -= if sideways { size.0 + m.l + m.r } else { size.1 + m.t + m.b };
                    sizes.push(Some(size));
                }
            }
        }
        let mut at = 0;
        let mut out = Vec::with_capacity(sizes.len());
        for (c, size) in node.children.iter().zip(sizes) {
            let m = self.edges(c.margin);
            let (w, h) = size.unwrap_or_else(|| {
                let part = match if sideways { c.w } else { c.h } {
                    Len::Fill(p) => share(left.max(0), p, whole),
                    _ => 0,
                };
                if sideways {
                    (part, self.measure(c, part, ih - m.t - m.b).1)
                } else {
                    (self.measure(c, iw - m.l - m.r, part).0, part)
                }
            });
            let rect = if sideways {
                Rect::new(at, 0, at + w + m.l + m.r, h + m.t + m.b)
            } else {
                Rect::new(0, at, w + m.l + m.r, at + h + m.t + m.b)
            };
            at = if sideways { rect.r } else { rect.b } + gap;
            out.push(rect);
        }
        out
    }

    fn cells(&mut self, node: &Node, iw: i32, columns: u32) -> Vec<Rect> {
        let columns = i32::try_from(columns).unwrap_or(1);
        let gap = self.px(node.gap);
        let cell = (iw - gap * (columns - 1)) / columns;
        let mut out: Vec<Rect> = Vec::new();
        let (mut top, mut tall) = (0, 0);
        for (i, c) in node.children.iter().enumerate() {
            let column = i32::try_from(i).unwrap_or(0) % columns;
            if column == 0 && i > 0 {
                top += tall + gap;
                tall = 0;
            }
            let m = self.edges(c.margin);
            let h = self.measure(c, cell - m.l - m.r, FREE).1 + m.t + m.b;
            tall = tall.max(h);
            let x = column * (cell + gap);
            out.push(Rect::new(x, top, x + cell, top + h));
        }
        out
    }
}

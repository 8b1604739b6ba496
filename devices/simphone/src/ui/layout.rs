//! Layout: a widget tree becomes a flat list of items with rectangles in pixels, in painting order (`laid`). How
//! much room each takes is worked out in `measure`.

use std::collections::BTreeMap;

use super::{
    geometry::Rect,
    laid::{Editing, Laid, LaidWidget, Scrolled},
    node::{Align, Axis, FieldInput, Kind, Node},
    text::{Face, TextFaces, Weight},
};

/// Room without end: that of what scrolls, along its way.
pub(super) const FREE: i32 = 1_000_000;

/// What was scrolled, typed and focused on a screen.
#[derive(Clone, Copy)]
pub struct InputState<'a> {
    /// Text typed into fields, by the field's id.
    pub fields: &'a BTreeMap<String, String>,
    /// How far each scrolling container is scrolled, in pixels, by id.
    pub scroll: &'a BTreeMap<String, i32>,
    pub editing: Option<&'a Editing>,
}

pub struct LayoutContext<'a> {
    pub text: &'a mut TextFaces,
    pub scale: f32,
    /// Pixels per sp as against dp.
    pub font_scale: f32,
    /// What was scrolled, typed and focused.
    pub state: Option<InputState<'a>>,
}

pub fn lay(node: Node, rect: Rect, frame: &mut LayoutContext<'_>) -> Laid {
    let mut laid = Laid::default();
    let node = frame.with_text(node);
    frame.place(node, rect, rect, None, &mut laid);
    laid
}

/// The height in pixels that a tree of that width takes where it has all the room it wants.
pub(crate) fn whole_height(node: &Node, w: i32, frame: &mut LayoutContext<'_>) -> i32 {
    frame.measure(node, w, FREE).1
}

/// The size in pixels that a tree takes of so much room.
pub fn measure(node: &Node, w: i32, h: i32, frame: &mut LayoutContext<'_>) -> (i32, i32) {
    frame.measure(node, w, h)
}

impl LayoutContext<'_> {
    pub fn px(&self, dp: f32) -> i32 {
        (dp * self.scale).round() as i32
    }

    pub(crate) fn face(&self, node: &Node) -> Face {
        // The face is wider than Android's own; a twelfth off makes the lines as long.
        let px = self.px(node.size * self.font_scale * 0.915).max(4);
        Face {
            weight: if node.bold { Weight::Bold } else { Weight::Regular },
            px: u32::try_from(px).unwrap_or(4),
        }
    }

    /// Puts what was typed into the fields, so that measuring sees it.
    fn with_text(&self, mut node: Node) -> Node {
        if node.is_field()
            && let Some(typed) = self.state.and_then(|s| s.fields.get(&node.id))
        {
            node.text.clone_from(typed);
        }
        node.children = node.children.into_iter().map(|c| self.with_text(c)).collect();
        node
    }

    fn holds_focus(&self, node: &Node) -> bool {
        self.state.and_then(|s| s.editing).is_some_and(|e| {
            (node.is_field() && node.id == e.field) || node.children.iter().any(|c| self.holds_focus(c))
        })
    }

    fn place(
        &mut self,
        mut node: Node,
        rect: Rect,
        clip: Rect,
        parent: Option<usize>,
        laid: &mut Laid,
    ) -> usize {
        let pad = self.edges(node.pad);
        let inner = Rect::new(rect.l + pad.l, rect.t + pad.t, rect.r - pad.r, rect.b - pad.b);
        let face = self.face(&node);
        let (lines, hinted) = if matches!(node.kind, Kind::Text | Kind::Field(..)) {
            let (text, hinted) = shown(&node);
            let limit = if node.is_field() && node.max_lines == 1 { usize::MAX } else { node.max_lines };
            // A field of one line shows its end; painting moves it, so its line must stay whole.
            let width = if node.is_field() && node.max_lines == 1 { FREE } else { inner.w() };
            (self.text.wrap(&text, face, width, limit), hinted)
        } else {
            (Vec::new(), false)
        };
        let places = match node.kind {
            Kind::Column | Kind::Row | Kind::Scroll(..) => self.flow(&node, inner.w(), inner.h()),
            Kind::Stack => node
                .children
                .iter()
                .map(|c| {
                    let m = self.edges(c.margin);
                    let (w, h) = self.measure(c, inner.w() - m.l - m.r, inner.h() - m.t - m.b);
                    Rect::new(0, 0, w + m.l + m.r, h + m.t + m.b)
                })
                .collect(),
            _ => Vec::new(),
        };
        let scroll = match node.kind {
            Kind::Scroll(axis, _) => {
                let (length, room) = match axis {
                    Axis::X => (places.iter().map(|p| p.r).max().unwrap_or(0), inner.w()),
                    Axis::Y => (places.iter().map(|p| p.b).max().unwrap_or(0), inner.h()),
                };
                let max = (length - room).max(0);
                let kept = self.state.and_then(|s| s.scroll.get(&node.id)).copied().unwrap_or(0);
                Some(Scrolled { axis, offset: kept.clamp(0, max), max })
            }
            _ => None,
        };
        let editing = self
            .state
            .and_then(|s| s.editing.cloned())
            .filter(|e| node.is_field() && !node.id.is_empty() && e.field == node.id);
        let children = std::mem::take(&mut node.children);
        let me = laid.items.len();
        let (kind, main, cross) = (node.kind.clone(), node.main, node.cross);
        laid.items.push(LaidWidget {
            node,
            parent,
            children: Vec::new(),
            rect,
            clip,
            lines,
            face,
            scroll,
            editing,
            hinted,
        });
        let within = if scroll.is_some() { clip.and(rect) } else { clip };
        let spare = spare_room(&kind, &places, inner, scroll);
        for (child, p) in children.into_iter().zip(places) {
            let (dx, dy) = offsets(&kind, p, inner, main, cross, spare);
            let (sx, sy) = match scroll {
                Some(Scrolled { axis: Axis::X, offset, .. }) => (-offset, 0),
                Some(Scrolled { axis: Axis::Y, offset, .. }) => (0, -offset),
                None => (0, 0),
            };
            let m = self.edges(child.margin);
            let outer = p.shift(inner.l + dx + sx, inner.t + dy + sy);
            let r = Rect::new(outer.l + m.l, outer.t + m.t, outer.r - m.r, outer.b - m.b);
            // What a list holds but does not show is never made, as in a list that recycles its rows.
            // The focused field stays: the keyboard may have covered it, and it is to be scrolled into sight.
            let hidden = scroll.is_some()
                && r.and(within).is_empty()
                && (r.w() > 0 && r.h() > 0)
                && !self.holds_focus(&child);
            if hidden {
                continue;
            }
            let index = self.place(child, r, within, Some(me), laid);
            if let Some(item) = laid.items.get_mut(me) {
                item.children.push(index);
            }
        }
        me
    }
}

fn spare_room(kind: &Kind, places: &[Rect], inner: Rect, scroll: Option<Scrolled>) -> i32 {
    if scroll.is_some() {
        return 0;
    }
    match kind {
        Kind::Row => inner.w() - places.iter().map(|p| p.r).max().unwrap_or(0),
        Kind::Column => inner.h() - places.iter().map(|p| p.b).max().unwrap_or(0),
        _ => 0,
    }
}

fn offsets(kind: &Kind, p: Rect, inner: Rect, main: Align, cross: Align, spare: i32) -> (i32, i32) {
    let along = |a: Align, room: i32| match a {
        Align::Start => 0,
        Align::Centre => room / 2,
        Align::End => room,
    };
    match kind {
        Kind::Row | Kind::Scroll(Axis::X, _) => (along(main, spare), along(cross, inner.h() - p.h())),
        Kind::Column => (along(cross, inner.w() - p.w()), along(main, spare)),
        Kind::Stack => (along(main, inner.w() - p.w()), along(cross, inner.h() - p.h())),
        _ => (0, 0),
    }
}

/// What a widget shows as text, and whether that is its hint.
pub fn shown(node: &Node) -> (String, bool) {
    match &node.kind {
        Kind::Field(hint, _) if node.text.is_empty() => (hint.clone(), true),
        Kind::Field(_, FieldInput::Password) => ("•".repeat(node.text.chars().count()), false),
        _ => (node.text.clone(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lay_out(node: &str, state: Option<InputState<'_>>) -> Laid {
        let mut text = TextFaces::default();
        let mut frame = LayoutContext { text: &mut text, scale: 2.0, font_scale: 1.0, state };
        lay(crate::ui::markup::node(node), Rect::new(0, 0, 400, 800), &mut frame)
    }

    #[test]
    fn rows_and_columns_share_the_room() {
        let row = r#"<row><space w="20" h="10"/><stack h="10" id="a"/><stack w="3*" h="30" id="b"/></row>"#;
        let laid = lay_out(row, None);
        let rect = |id: &str| laid.items[laid.find(id).unwrap()].rect;
        assert_eq!((rect("a").w(), rect("b").w()), (90, 270));
        assert_eq!(rect("b").l, 130);
        let column = r#"<column gap="2" cross="centre"><space w="10" h="10" margin="0 5" id="a"/><space w="10" h="10" id="b"/></column>"#;
        let laid = lay_out(column, None);
        let rect = |id: &str| laid.items[laid.find(id).unwrap()].rect;
        assert_eq!(rect("a"), Rect::new(190, 10, 210, 30));
        assert_eq!(rect("b").t, 44);
    }

    #[test]
    fn a_list_holds_only_the_rows_that_are_seen_and_clamps_its_offset() {
        let rows: String = (0..20).map(|i| format!(r#"<space w="50" h="50" id="r{i}"/>"#)).collect();
        let list = format!(r#"<list id="l">{rows}</list>"#);
        let (fields, mut scroll) = (BTreeMap::new(), BTreeMap::new());
        let state = InputState { fields: &fields, scroll: &scroll, editing: None };
        let laid = lay_out(&list, Some(state));
        assert_eq!(laid.items[0].children.len(), 8);
        scroll.insert("l".into(), 99_999);
        let state = InputState { fields: &fields, scroll: &scroll, editing: None };
        let laid = lay_out(&list, Some(state));
        assert_eq!(laid.items[0].scroll.unwrap().offset, 20 * 100 - 800);
        assert!(laid.find("r19").is_some() && laid.find("r0").is_none());
        assert_eq!(laid.items[laid.find("r19").unwrap()].rect.b, 800);
    }
}

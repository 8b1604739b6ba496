//! A widget tree as it lies: items in painting order, and what is found among them.
//!
//! Invariants: a parent stands before its children; an item's `clip` is what its ancestors leave of it, so an
//! item is seen where `rect` and `clip` meet.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    geometry::Rect,
    node::{Axis, Kind, Node},
    text::{Face, TextLine},
};

/// The caret in a text field. Positions count characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Editing {
    pub field: String,
    pub caret: usize,
    /// The other end of the selection; equal to the caret where nothing is selected.
    pub anchor: usize,
}

impl Editing {
    /// What is selected of a text of so many characters, from and to.
    pub fn selected(&self, length: usize) -> (usize, usize) {
        (self.caret.min(self.anchor).min(length), self.caret.max(self.anchor).min(length))
    }
}

#[derive(Debug, Clone)]
pub struct LaidWidget {
    /// The widget; its children are items of their own.
    pub node: Node,
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    pub rect: Rect,
    pub clip: Rect,
    pub lines: Vec<TextLine>,
    pub face: Face,
    pub scroll: Option<Scrolled>,
    pub editing: Option<Editing>,
    pub hinted: bool,
}

impl LaidWidget {
    pub fn seen(&self) -> Rect {
        self.rect.and(self.clip)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scrolled {
    pub axis: Axis,
    pub offset: i32,
    pub max: i32,
}

/// A laid tree. The first item is the root.
#[derive(Debug, Clone, Default)]
pub(crate) struct Laid {
    pub items: Vec<LaidWidget>,
}

impl Laid {
    pub fn up(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(from), |i| self.items.get(*i).and_then(|it| it.parent))
    }

    pub fn at(&self, x: i32, y: i32) -> Option<usize> {
        self.items.iter().rposition(|it| it.seen().has(x, y))
    }

    /// The item that takes a touch at a pixel: the front one that does anything; where none does, the front one.
    /// What lies in front and does nothing lets a touch through, as views do.
    pub fn touched(&self, x: i32, y: i32) -> Option<usize> {
        let takes = |it: &LaidWidget| {
            let on = &it.node.on;
            it.node.clickable()
                || on.long.is_some()
                || on.double.is_some()
                || on.drag.is_some()
                || on.pinch.is_some()
                || on.dismiss.is_some()
                || matches!(it.node.kind, Kind::Slider(..))
                || it.scroll.is_some_and(|s| s.max > 0)
        };
        self.items.iter().rposition(|it| it.seen().has(x, y) && takes(it)).or_else(|| self.at(x, y))
    }

    #[cfg(test)]
    pub fn find(&self, id: &str) -> Option<usize> {
        self.items.iter().position(|it| it.node.id == id)
    }

    #[cfg(test)]
    pub(crate) fn find_text(&self, text: &str) -> Option<usize> {
        self.items.iter().position(|it| it.node.text == text || it.node.desc == text)
    }

    /// How far each scrolling container is scrolled, within what it can be.
    pub(crate) fn offsets(&self) -> BTreeMap<String, i32> {
        self.items
            .iter()
            .filter_map(|it| Some((it.node.id.clone(), it.scroll?.offset)))
            .filter(|(id, _)| !id.is_empty())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::{
        layout::{LayoutContext, lay},
        markup,
        text::TextFaces,
    };

    fn lay_out(node: &str) -> Laid {
        let mut text = TextFaces::default();
        let mut frame = LayoutContext { text: &mut text, scale: 2.0, font_scale: 1.0, state: None };
        lay(markup::node(node), Rect::new(0, 0, 400, 800), &mut frame)
    }

    #[test]
    fn hits_go_to_the_front_and_through_what_does_nothing() {
        let laid = lay_out(r#"<stack><stack id="below"/><space w="50" h="50" id="above"/></stack>"#);
        assert_eq!(laid.at(10, 10), laid.find("above"));
        assert_eq!(laid.at(200, 200), laid.find("below"));
        assert_eq!(laid.at(-1, 0), None);
        let laid = lay_out(
            r#"<stack><stack id="below" tap="b"/><stack id="place"><space w="50" h="50" id="fab" tap="f"/></stack></stack>"#,
        );
        assert_eq!(laid.touched(10, 10), laid.find("fab"));
        assert_eq!(laid.touched(200, 200), laid.find("below"));
    }
}

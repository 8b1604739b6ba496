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
    /// Where the next character goes.
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

/// A widget with its place.
#[derive(Debug, Clone)]
pub struct LaidWidget {
    /// The widget; its children are items of their own.
    pub node: Node,
    /// The item it is in.
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    pub rect: Rect,
    pub clip: Rect,
    pub lines: Vec<TextLine>,
    /// How its text is drawn.
    pub face: Face,
    /// How far it is scrolled and can be, in pixels.
    pub scroll: Option<Scrolled>,
    /// The caret, where it has one.
    pub editing: Option<Editing>,
    /// Whether what is shown is the hint.
    pub hinted: bool,
}

impl LaidWidget {
    /// The part of it that can be seen.
    pub fn seen(&self) -> Rect {
        self.rect.and(self.clip)
    }
}

/// How far a container is scrolled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scrolled {
    /// In which direction it goes.
    pub axis: Axis,
    /// Pixels scrolled.
    pub offset: i32,
    /// Pixels at the end.
    pub max: i32,
}

/// A laid tree. The first item is the root.
#[derive(Debug, Clone, Default)]
pub(crate) struct Laid {
    pub items: Vec<LaidWidget>,
}

impl Laid {
    /// The items from one up to the root, itself first.
    pub fn up(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(from), |i| self.items.get(*i).and_then(|it| it.parent))
    }

    /// The item in front at a pixel.
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

    /// The item of an id.
    #[cfg(test)]
    pub fn find(&self, id: &str) -> Option<usize> {
        self.items.iter().position(|it| it.node.id == id)
    }

    /// The item that shows this text or is described so.
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
        text::TextFaces,
    };

    fn lay_out(node: Node) -> Laid {
        let mut text = TextFaces::default();
        let mut frame = LayoutContext { text: &mut text, scale: 2.0, font_scale: 1.0, state: None };
        lay(node, Rect::new(0, 0, 400, 800), &mut frame)
    }

    #[test]
    fn hits_go_to_the_front_and_never_through_a_clip() {
        let laid =
            lay_out(Node::stack(vec![Node::stack(vec![]).id("below"), Node::space(50.0, 50.0).id("above")]));
        assert_eq!(laid.at(10, 10), laid.find("above"));
        assert_eq!(laid.at(200, 200), laid.find("below"));
        assert_eq!(laid.at(-1, 0), None);
    }

    #[test]
    fn what_does_nothing_lets_a_touch_through() {
        let laid = lay_out(Node::stack(vec![
            Node::stack(vec![]).id("below").tap("b"),
            Node::stack(vec![Node::space(50.0, 50.0).id("fab").tap("f")]).id("place"),
        ]));
        assert_eq!(laid.touched(10, 10), laid.find("fab"));
        assert_eq!(laid.touched(200, 200), laid.find("below"));
    }
}

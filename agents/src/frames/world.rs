//! What a solving knows of the screen: frames, elements, their kinds and relations.
//!
//! Invariants: rectangles are whole pixels of the screenshot; an id is a place in a list and never changes
//! within a stage; [`World::flattened`] is the one way from the tree of the second stage to the leaf frames
//! of the third, and renumbers words and relations along with the frames.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use image::RgbImage;

use super::vision::{Keypoints, Look, PixelPoint, PxRect, Search};

/// A set of names that are their own text in scripts.
macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $member:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) enum $name { $($(#[$each])* $member),* }
        impl $name {
            pub(crate) const ALL: &'static [Self] = &[$(Self::$member),*];
            pub(crate) const NAMES: &'static [&'static str] = &[$($text),*];
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$member => $text),* }
            }
            pub(crate) fn read(text: &str) -> Option<Self> {
                let text = text.trim();
                Self::ALL.iter().copied().find(|kind| kind.name().eq_ignore_ascii_case(text))
            }
        }
    };
}

kinds! {
    /// How a frame as a whole is acted on.
    FrameKind {
        Pointable = "POINTABLE",
        Drawable = "DRAWABLE",
        Inputtable = "INPUTTABLE",
        Selectable = "SELECTABLE",
        Next = "NEXT",
    }
}

kinds! {
    /// How an element is acted on.
    ElementKind {
        Draggable = "DRAGGABLE",
        Swappable = "SWAPPABLE",
        SlideableX = "SLIDEABLE_X",
        SlideableY = "SLIDEABLE_Y",
        Turnable = "TURNABLE",
        Inputtable = "INPUTTABLE",
        Clickable = "CLICKABLE",
        Next = "NEXT",
    }
}

impl ElementKind {
    /// Whether acting on it moves it.
    fn is_taken_elsewhere(self) -> bool {
        matches!(self, Self::Draggable | Self::SlideableX | Self::SlideableY | Self::Turnable)
    }
}

impl Frame {
    fn is_thing(&self) -> bool {
        matches!(self.kind, Some(FrameKind::Selectable | FrameKind::Next | FrameKind::Inputtable))
    }
}

impl Element {
    fn is_thing(&self) -> bool {
        self.kind.is_some_and(|kind| kind != ElementKind::Swappable)
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) rect: PxRect,
    pub(crate) description: String,
    pub(crate) kind: Option<FrameKind>,
    /// Parts, in reading order; a frame with parts holds no elements.
    pub(crate) parts: Vec<usize>,
    pub(crate) elements: Vec<usize>,
    /// Rows and columns where its elements are the tiles of a grid.
    pub(crate) grid: Option<(u32, u32)>,
    pub(crate) part: bool,
    pub(crate) points: Keypoints,
    /// What it looked like when it was found, where it is acted on as a whole.
    pub(crate) look: Option<Look>,
}

#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) rect: PxRect,
    pub(crate) frame: usize,
    pub(crate) kind: Option<ElementKind>,
    pub(crate) details: String,
    pub(crate) look: Option<Look>,
}

/// Frames whose numbers follow each other, the first and the last: one, or the parts of one that was split.
pub(crate) type FrameRange = (usize, usize);

/// How a frame relates to another one, or to the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    pub(crate) from: FrameRange,
    pub(crate) to: Option<FrameRange>,
    pub(crate) text: String,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    pub(crate) frames: Vec<Frame>,
    pub(crate) elements: Vec<Element>,
    pub(crate) relations: Vec<Relation>,
    pub(crate) objective: String,
}

/// `Frame 3`, as prompts and models write it.
static MENTION: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)\bframe\s+(\d{1,4})\b").ok());

impl World {
    pub(crate) fn of(rects: &[PxRect]) -> Self {
        let frames = rects.iter().map(|rect| Frame { rect: *rect, ..Frame::default() }).collect();
        Self { frames, ..Self::default() }
    }

    pub(crate) fn frame_has(&self, kind: FrameKind) -> bool {
        self.frames.iter().any(|f| f.parts.is_empty() && f.kind == Some(kind))
    }

    pub(crate) fn element_has(&self, kind: ElementKind) -> bool {
        self.elements.iter().any(|e| e.kind == Some(kind))
    }

    pub(crate) fn has_interactables(&self) -> bool {
        self.frames.iter().any(|f| f.kind.is_some()) || self.elements.iter().any(|e| e.kind.is_some())
    }

    /// The element of a frame with this number among those of a kind, as captions count them.
    pub(crate) fn interactable(&self, frame: usize, number: usize) -> Option<usize> {
        self.interactables(frame).nth(number)
    }

    pub(crate) fn interactables(&self, frame: usize) -> impl Iterator<Item = usize> + '_ {
        let all = self.frames.get(frame).map(|f| f.elements.as_slice()).unwrap_or_default();
        all.iter().copied().filter(|e| self.elements.get(*e).is_some_and(|e| e.kind.is_some()))
    }

    /// The same with leaf frames only, numbered anew from 0, depth first.
    pub(crate) fn flattened(&self) -> Self {
        let mut order = Vec::new();
        let mut leaves: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for top in (0..self.frames.len()).filter(|f| !self.frames[*f].part) {
            self.walk(top, &mut Vec::new(), &mut order, &mut leaves);
        }
        let mut flat = Self { objective: rename(&self.objective, &leaves), ..Self::default() };
        for (new, old) in order.iter().enumerate() {
            let mut frame = self.frames[*old].clone();
            frame.description = rename(&frame.description, &leaves);
            frame.part = false;
            frame.elements.clear();
            for element in &self.frames[*old].elements {
                frame.elements.push(flat.elements.len());
                flat.elements.push(Element { frame: new, ..self.elements[*element].clone() });
            }
            flat.frames.push(frame);
        }
        // One of a frame that was split is one of all its parts together.
        let range = |(old, _): FrameRange| {
            let parts = leaves.get(&old)?;
            Some((*parts.first()?, *parts.last()?))
        };
        for relation in &self.relations {
            let Some(from) = range(relation.from) else { continue };
            let to = relation.to.and_then(range);
            if to == Some(from) || to.is_none() != relation.to.is_none() {
                continue;
            }
            let relation = Relation { from, to, text: rename(&relation.text, &leaves) };
            if !flat.relations.contains(&relation) {
                flat.relations.push(relation);
            }
        }
        flat
    }

    fn walk(
        &self,
        frame: usize,
        above: &mut Vec<usize>,
        order: &mut Vec<usize>,
        leaves: &mut BTreeMap<usize, Vec<usize>>,
    ) {
        let Some(node) = self.frames.get(frame) else { return };
        above.push(frame);
        if node.parts.is_empty() {
            for each in above.iter() {
                leaves.entry(*each).or_default().push(order.len());
            }
            order.push(frame);
        } else {
            for part in &node.parts {
                self.walk(*part, above, order, leaves);
            }
        }
        above.pop();
    }

    /// Notes what things look like that may be moved. Tiles are not: they are their cells, whatever lies there.
    pub(crate) fn remember(&mut self, picture: &RgbImage) {
        for frame in self.frames.iter_mut().filter(|frame| frame.is_thing()) {
            frame.look = Look::of(picture, &frame.rect);
        }
        for element in self.elements.iter_mut().filter(|element| element.is_thing()) {
            element.look = Look::of(picture, &element.rect);
        }
    }

    /// Finds the things again that are not where they were. `touched` is where the pointer acted last: what it is
    /// over takes another look without being moved, and only what can be taken elsewhere is looked for then.
    pub(crate) fn find_again(&mut self, picture: &RgbImage, touched: Option<PixelPoint>) {
        let whole = PxRect::whole(picture);
        let homes: Vec<PxRect> = self.frames.iter().map(|frame| frame.rect).collect();
        let (mut stayed, mut lost) = (Vec::new(), Vec::new());
        let mut sort = |look: &Option<Look>, rect: PxRect, kind: Option<ElementKind>, home: PxRect, id| {
            let Some(look) = look.as_ref().filter(|_| !rect.is_empty()) else { return };
            let over = touched.is_some_and(|at| rect.contains(at));
            let taken = kind.is_some_and(ElementKind::is_taken_elsewhere);
            if look.is_at(picture, &rect) || (over && !taken) {
                stayed.push(rect);
                return;
            }
            let within = match kind {
                Some(ElementKind::SlideableX) => {
                    PxRect::new(home.x, rect.y.saturating_sub(3), home.w, rect.h + 6)
                }
                Some(ElementKind::SlideableY) => {
                    PxRect::new(rect.x.saturating_sub(3), home.y, rect.w + 6, home.h)
                }
                _ => whole,
            };
            let shaded = taken && touched.is_some_and(|at| within.contains(at));
            lost.push((look.clone(), rect, Search { within, shaded }, id));
        };
        for (n, frame) in self.frames.iter().enumerate() {
            sort(&frame.look, frame.rect, None, whole, (true, n));
        }
        for (n, element) in self.elements.iter().enumerate() {
            let home = homes.get(element.frame).copied().unwrap_or(whole);
            sort(&element.look, element.rect, element.kind, home, (false, n));
        }
        for (look, rect, search, (frame, n)) in lost {
            let Some(found) = look.find(picture, &rect, search, &stayed) else { continue };
            stayed.push(found);
            let slot = if frame {
                self.frames.get_mut(n).map(|frame| &mut frame.rect)
            } else {
                self.elements.get_mut(n).map(|element| &mut element.rect)
            };
            if let Some(slot) = slot {
                (slot.x, slot.y) = (found.x, found.y);
            }
        }
    }

    /// Moves all places with a page that has scrolled down by so many pixels; what is not on the screen any more
    /// has an empty place. Numbers of points are given anew.
    pub(crate) fn scroll(&mut self, down: i64, screen: (u32, u32)) {
        let moved = |rect: &PxRect| {
            let (top, bottom) = (i64::from(rect.y) - down, i64::from(rect.bottom()) - down);
            let clip = |y: i64| u32::try_from(y.clamp(0, i64::from(screen.1))).unwrap_or_default();
            let (top, bottom) = (clip(top), clip(bottom));
            if bottom > top { PxRect::new(rect.x, top, rect.w, bottom - top) } else { PxRect::default() }
        };
        for frame in &mut self.frames {
            frame.points = Keypoints::default();
            if frame.rect != PxRect::new(0, 0, screen.0, screen.1) {
                frame.rect = moved(&frame.rect);
            }
        }
        for element in &mut self.elements {
            element.rect = moved(&element.rect);
        }
    }

    pub(crate) fn messages(&self) -> impl Iterator<Item = &str> {
        let frames = self.frames.iter().map(|frame| frame.description.as_str());
        let relations = self.relations.iter().map(|relation| relation.text.as_str());
        frames.chain(relations).chain([self.objective.as_str()])
    }

    pub(crate) fn relation_lines(&self) -> Vec<String> {
        let line = |r: &Relation| match r.to {
            Some(to) => format!("{} to {}: {}", named(r.from), named(to), r.text),
            None => format!("{}: {}", named(r.from), r.text),
        };
        self.relations.iter().map(line).collect()
    }
}

fn named((first, last): FrameRange) -> String {
    if first == last { format!("Frame {first}") } else { format!("Frames {first}-{last}") }
}

/// A text with its mentions of frames renumbered: `Frame a`, or `Frames a-b` for one that was split.
fn rename(text: &str, leaves: &BTreeMap<usize, Vec<usize>>) -> String {
    let Some(mention) = MENTION.as_ref() else { return text.to_owned() };
    let new = |found: &Captures<'_>| {
        let old = found.get(1).and_then(|n| n.as_str().parse::<usize>().ok());
        match old.and_then(|old| leaves.get(&old)).map(Vec::as_slice) {
            Some([first, .., last]) => named((*first, *last)),
            Some([one]) => named((*one, *one)),
            _ => found[0].to_owned(),
        }
    };
    mention.replace_all(text, new).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_are_numbered_depth_first_and_words_follow() {
        let mut world = World::of(&[PxRect::new(0, 0, 90, 30), PxRect::new(0, 40, 90, 30)]);
        for n in 0..3 {
            let part = world.frames.len();
            world.frames[0].parts.push(part);
            world.frames.push(Frame { rect: PxRect::new(n * 30, 0, 30, 30), part: true, ..Frame::default() });
        }
        world.elements.push(Element {
            rect: PxRect::default(),
            frame: 1,
            kind: Some(ElementKind::Next),
            details: String::new(),
            look: None,
        });
        world.frames[1].elements.push(0);
        world.objective = "choose in frame 0, then press Frame 1 (not Frame 7)".into();
        world.relations = vec![
            Relation { from: (1, 1), to: Some((0, 0)), text: "tells of Frame 0".into() },
            Relation { from: (0, 0), to: None, text: "answers".into() },
        ];
        let flat = world.flattened();
        assert_eq!(flat.frames.len(), 4);
        assert_eq!(flat.frames[3].rect.y, 40);
        assert_eq!(flat.elements[0].frame, 3);
        assert_eq!(flat.objective, "choose in Frames 0-2, then press Frame 3 (not Frame 7)");
        let lines = ["Frame 3 to Frames 0-2: tells of Frames 0-2", "Frames 0-2: answers"];
        assert_eq!(flat.relation_lines(), lines);
        assert_eq!(flat.interactable(3, 0), Some(0));
    }

    #[test]
    fn kinds_are_read_in_any_case() {
        assert_eq!(ElementKind::read(" slideable_x "), Some(ElementKind::SlideableX));
        assert_eq!(FrameKind::read("button"), None);
        assert_eq!(FrameKind::NAMES.len(), FrameKind::ALL.len());
    }
}

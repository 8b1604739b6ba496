//! The second stage: the host of the tools that say what can be acted on. No input leaves it.

use async_trait::async_trait;
use waldo_cage::{ClassSpec, ExcKind, Handle, HostCall, HostError, StopCause, Surface, ToolHost, Val};
use waldo_devices::Deadline;
use waldo_prompts::frames::{Pick, PixelRect};

use super::numbers;
use super::talk::{ModelChat, object};
use super::tools::args::Args;
use super::tools::index;
use super::tools::offered::ToolDoc;
use super::vision::{Density, PixelPoint, PxRect, VisionPicture, cells_of, elements, split};
use super::world::{Element, ElementKind, Frame, FrameKind, World};

/// Elements and frames of a page at most.
const CAP: usize = 200;
/// Things that are numbered in one picture.
const PROPOSED: usize = 40;

const fn doc(signature: &'static str, about: &'static str) -> ToolDoc {
    ToolDoc { stage: "structure", signature, about, kinds: &[] }
}

/// This stage's tools, for people; the prompt's template words them for models.
pub(crate) const DOCS: &[ToolDoc] = &[
    doc(
        "Frame.get_element(position: 'up' | 'down' | 'left' | 'right', details: str) -> Element",
        "An element in a half of a frame: candidates are found in pixels and numbered, a model says which fits.",
    ),
    doc(
        "Frame.split(rows: int, columns: int, even: bool = False) -> list[Frame]",
        "Parts of a frame, row by row: between its gutters where these show as many, else like ones whose cuts run \
         in gaps. ValueError where the gutters clearly show others, or a cut would run through something; with \
         even=True equal ones all the same.",
    ),
    doc(
        "Frame.grid(tiles: int) -> list[list[Element]]",
        "SWAPPABLE tiles by rows: in the rows and columns that the gutters show, else those nearest to squares.",
    ),
    doc(
        "Frame.set_frame_as(kind: str)",
        "POINTABLE, DRAWABLE, INPUTTABLE, SELECTABLE or NEXT; of a split frame, for all its parts.",
    ),
    doc(
        "Element.set_element_as(kind: str)",
        "DRAGGABLE, SWAPPABLE, SLIDEABLE_X, SLIDEABLE_Y, TURNABLE, INPUTTABLE, CLICKABLE or NEXT.",
    ),
];

pub(crate) struct Structure<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) talk: &'a mut ModelChat,
    pub(crate) screen: VisionPicture,
    pub(crate) density: Density,
    pub(crate) deadline: Deadline,
}

fn refused(message: impl Into<String>) -> HostError {
    HostError::raise(ExcKind::Value, message)
}

/// A frame or an element, as this stage's scripts hold it.
fn handle(class: &str, id: usize, rect: &PxRect) -> Val {
    Handle::new(class, id as u64)
        .with("id", id as i64)
        .with("x", rect.x)
        .with("y", rect.y)
        .with("size", Val::Tuple(vec![rect.w.into(), rect.h.into()]))
        .into()
}

impl Structure<'_> {
    pub(crate) fn frames(&self) -> Val {
        let all = self.world.frames.iter().enumerate();
        Val::List(all.map(|(id, frame)| handle("Frame", id, &frame.rect)).collect())
    }

    fn frame(&mut self, id: usize) -> Result<&mut Frame, HostError> {
        self.world.frames.get_mut(id).ok_or_else(|| index("frame", id))
    }

    fn room(&self) -> Result<(), HostError> {
        if self.world.frames.len() + self.world.elements.len() < CAP {
            return Ok(());
        }
        Err(refused(format!("{CAP} frames and elements are enough: mark what can be acted on, no more")))
    }

    fn whole(&mut self, id: usize) -> Result<PxRect, HostError> {
        let frame = self.frame(id)?;
        if frame.parts.is_empty() { Ok(frame.rect) } else { Err(refused("this frame was split already")) }
    }

    /// The smallest part of a frame that an element lies in: the frame itself where it was not split.
    fn holder(&self, frame: usize, element: &PxRect) -> usize {
        let parts = self.world.frames.get(frame).map(|frame| frame.parts.as_slice()).unwrap_or_default();
        let off = |part: &usize| {
            let rect = self.world.frames.get(*part).map(|part| part.rect).unwrap_or_default();
            let nearest = PixelPoint::new(
                element.center().x.clamp(rect.x, rect.right()),
                element.center().y.clamp(rect.y, rect.bottom()),
            );
            (nearest.distance(element.center()) as u64, rect.area())
        };
        match parts.iter().copied().min_by_key(off) {
            Some(part) => self.holder(part, element),
            None => frame,
        }
    }

    fn add(&mut self, frame: usize, rect: PxRect, kind: Option<ElementKind>, details: &str) -> usize {
        let id = self.world.elements.len();
        self.world.elements.push(Element { rect, frame, kind, details: details.to_owned(), look: None });
        if let Some(frame) = self.world.frames.get_mut(frame) {
            frame.elements.push(id);
        }
        id
    }

    async fn get_element(&mut self, frame: usize, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["position", "details"])?;
        let words = ["up", "down", "left", "right", "top", "bottom"];
        let position = args.word(0, &words)?;
        let details = args.text(1)?;
        self.room()?;
        let rect = self.frame(frame)?.rect;
        let taken: Vec<PxRect> = self.world.elements.iter().map(|e| e.rect).collect();
        let middle = rect.center();
        let found: Vec<PxRect> = elements(self.screen.pixels(), &rect, self.density)
            .into_iter()
            .map(|segment| segment.rect)
            .filter(|part| {
                let at = part.center();
                // A little beyond the middle counts too: what stands in it is in both halves.
                let (dx, dy) = (rect.w / 8, rect.h / 8);
                match position.as_str() {
                    "up" | "top" => at.y <= middle.y + dy,
                    "down" | "bottom" => at.y + dy >= middle.y,
                    "left" => at.x <= middle.x + dx,
                    _ => at.x + dx >= middle.x,
                }
            })
            .filter(|part| taken.iter().all(|other| other.iou(part) < 0.8))
            .take(PROPOSED)
            .collect();
        if found.is_empty() {
            return Err(refused(format!(
                "nothing more stands out in the half '{position}' of Frame {frame}"
            )));
        }
        let numbered: Vec<(u32, PxRect)> = (1..).zip(found.iter().copied()).collect();
        let shown = VisionPicture::from(numbers::boxes(self.screen.pixels(), &numbered));
        let shown = shown.crop(&rect).map_err(|e| refused(e.to_string()))?;
        let boxes = found
            .iter()
            .map(|part| PixelRect {
                x: part.x.saturating_sub(rect.x),
                y: part.y.saturating_sub(rect.y),
                w: part.w,
                h: part.h,
            })
            .collect();
        let context = Pick { details: details.clone(), position, boxes };
        let text =
            self.talk.prompts.frames_pick(&context).map_err(|e| HostError::stop(format!("prompt: {e}")))?;
        let count = found.len() as u64;
        let read = |reply: &str| match object(reply)?.get("number") {
            Some(serde_json::Value::Null) => Ok(None),
            Some(n) if n.as_u64().is_some_and(|n| (1..=count).contains(&n)) => Ok(n.as_u64()),
            _ => Err(format!("number has to be null or one from 1 to {count}")),
        };
        let picked = self.talk.meaning("pick", &text, &[shown], read, self.deadline).await?;
        let part = picked.and_then(|n| usize::try_from(n).ok()).and_then(|n| found.get(n.checked_sub(1)?));
        let Some(part) = part.copied() else {
            return Err(refused(format!("nothing in that half of Frame {frame} looks like: {details}")));
        };
        let id = self.add(self.holder(frame, &part), part, None, &details);
        Ok(handle("Element", id, &part))
    }

    fn split(&mut self, id: usize, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["rows", "columns", "even"])?;
        let side = |n: i64| u32::try_from(n).unwrap_or(0);
        let (rows, columns) = (side(args.number(0)?), side(args.number(1)?));
        let even = args.value(2) == Some(Val::Bool(true));
        self.room()?;
        let rect = self.whole(id)?;
        if rows * columns < 2 || rows > 12 || columns > 12 {
            return Err(refused("split(): 1 to 12 rows and columns, and two parts at least"));
        }
        let parts =
            split(self.screen.pixels(), &rect, (rows, columns), even).map_err(|e| refused(e.to_string()))?;
        let mut made = Vec::with_capacity(parts.len());
        let description = self.frame(id)?.description.clone();
        for rect in parts {
            let part = self.world.frames.len();
            let description = description.clone();
            self.world.frames.push(Frame { rect, description, part: true, ..Frame::default() });
            self.frame(id)?.parts.push(part);
            made.push(handle("Frame", part, &rect));
        }
        // What was said of the whole is said of its parts, and what was taken from it lies in one of them.
        let kind = self.frame(id)?.kind.take();
        for element in std::mem::take(&mut self.frame(id)?.elements) {
            let Some(rect) = self.world.elements.get(element).map(|element| element.rect) else { continue };
            let part = self.holder(id, &rect);
            self.frame(part)?.elements.push(element);
            if let Some(element) = self.world.elements.get_mut(element) {
                element.frame = part;
            }
        }
        for part in self.frame(id)?.parts.clone() {
            self.frame(part)?.kind = kind;
        }
        Ok(Val::List(made))
    }

    fn grid(&mut self, id: usize, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["tiles"])?;
        let tiles = u32::try_from(args.number(0)?).unwrap_or(0);
        self.room()?;
        let rect = self.whole(id)?;
        if !(2..=64).contains(&tiles) {
            return Err(refused("grid(): 2 to 64 tiles"));
        }
        if !self.frame(id)?.elements.is_empty() {
            return Err(refused("grid(): this frame holds elements already"));
        }
        let (rows, columns, cells) =
            cells_of(self.screen.pixels(), &rect, tiles).map_err(|e| refused(e.to_string()))?;
        self.frame(id)?.grid = Some((rows, columns));
        let mut made = Vec::with_capacity(cells.len());
        for cell in cells {
            let element = self.add(id, cell, Some(ElementKind::Swappable), "a tile");
            made.push(handle("Element", element, &cell));
        }
        Ok(Val::List(made.chunks(columns.max(1) as usize).map(|row| Val::List(row.to_vec())).collect()))
    }

    fn set_frame(&mut self, id: usize, args: Args) -> Result<Val, HostError> {
        let text = args.take(&["interactable|kind"])?.text(0)?;
        let kind = FrameKind::read(&text).ok_or_else(|| {
            refused(format!("a frame is one of {}, not '{text}'", FrameKind::NAMES.join(", ")))
        })?;
        let parts = self.frame(id)?.parts.clone();
        if parts.is_empty() {
            self.frame(id)?.kind = Some(kind);
        }
        for part in parts {
            self.frame(part)?.kind = Some(kind);
        }
        Ok(Val::None)
    }

    fn set_element(&mut self, id: usize, args: Args) -> Result<Val, HostError> {
        let text = args.take(&["interactable|kind"])?.text(0)?;
        let kind = ElementKind::read(&text).ok_or_else(|| {
            refused(format!("an element is one of {}, not '{text}'", ElementKind::NAMES.join(", ")))
        })?;
        self.world.elements.get_mut(id).ok_or_else(|| index("element", id))?.kind = Some(kind);
        Ok(Val::None)
    }

    /// What is wrong with what was marked, for the repair.
    pub(crate) fn verdict(world: &World) -> Result<(), String> {
        let next = world.frames.iter().filter(|f| f.kind == Some(FrameKind::Next)).count()
            + world.elements.iter().filter(|e| e.kind == Some(ElementKind::Next)).count();
        if next > 1 {
            return Err(format!("{next} things are marked NEXT: exactly one hands in or goes on"));
        }
        if world.has_interactables() {
            Ok(())
        } else {
            Err("nothing is marked: say what can be acted on".into())
        }
    }
}

#[async_trait]
impl ToolHost for Structure<'_> {
    fn surface(&self) -> Surface {
        let fields = ["id", "x", "y", "size"];
        Surface::default()
            .class(ClassSpec::new("Frame").fields(&fields).methods(&[
                "get_element",
                "split",
                "grid",
                "set_frame_as",
            ]))
            .class(ClassSpec::new("Element").fields(&fields).methods(&["set_element_as"]))
            .constants("FrameKind", FrameKind::NAMES)
            .constants("ElementKind", ElementKind::NAMES)
    }

    async fn call(&mut self, call: HostCall<'_>) -> Result<Val, HostError> {
        let HostCall { receiver, function, args, kwargs } = call;
        let args = Args::new(function, args, kwargs);
        let id = receiver.map_or(usize::MAX, |h| usize::try_from(h.id).unwrap_or(usize::MAX));
        match (receiver.map_or("", |h| h.class.as_str()), function) {
            ("Frame", "get_element") => self.get_element(id, args).await,
            ("Frame", "split") => self.split(id, args),
            ("Frame", "grid") => self.grid(id, args),
            ("Frame", "set_frame_as") => self.set_frame(id, args),
            ("Element", "set_element_as") => self.set_element(id, args),
            _ => Err(HostError::raise(
                ExcKind::NotImplemented,
                format!("there is no {function}() in this stage"),
            )),
        }
    }

    async fn attr(&mut self, receiver: &Handle, name: &str) -> Result<Val, HostError> {
        Err(HostError::raise(ExcKind::Attribute, format!("{} has no {name} in this stage", receiver.class)))
    }

    fn released(&mut self, _why: StopCause) {}
}

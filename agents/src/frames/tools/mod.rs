//! The tools of the third stage, and the host that scripts reach them through.
//!
//! Invariants: only what [`offered`] names for the kinds that were found can be called; every input goes
//! through [`super::bridge::SolveBridge::act`]; one slide is under way at most, and any other input is refused
//! while it is; nothing is guessed: what cannot be answered is an exception with its mend.

use std::collections::HashSet;

use async_trait::async_trait;
use waldo_cage::{ExcKind, Handle, HostCall, HostError, StopCause, Surface, ToolHost, Val};

use super::bridge::SolveBridge;
use super::talk::ModelChat;
use super::vision::{PxRect, VisionPicture};
use super::world::World;
use args::Args;
use offered::ToolOffer;

mod act;
pub(crate) mod args;
mod cycle;
mod drag;
mod kept;
mod look;
mod meaning;
pub(crate) mod offered;
mod slide;
mod swap;

#[derive(Clone, Debug)]
pub(crate) enum ToolChoice {
    Select { picture: usize, cycle: usize, at: usize },
    Drag { picture: usize, from: PxRect, to: (u32, u32) },
    Swap { board: usize, a: usize, b: usize },
    Slide { picture: usize, session: u64, at: i64 },
}

impl ToolChoice {
    pub(crate) fn class(&self) -> &'static str {
        match self {
            Self::Select { .. } => "SelectChoice",
            Self::Drag { .. } => "DragChoice",
            Self::Swap { .. } => "SwapChoice",
            Self::Slide { .. } => "SlideChoice",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ScriptPoint {
    pub(crate) frame: usize,
    /// Its number among the frame's keypoints.
    pub(crate) key: u32,
}

pub(crate) struct Tools<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) line: &'a mut SolveBridge,
    pub(crate) talk: &'a mut ModelChat,
    pub(crate) offer: &'a ToolOffer,
    pub(crate) pictures: kept::PictureStore,
    pub(crate) choices: Vec<ToolChoice>,
    pub(crate) spots: Vec<ScriptPoint>,
    pub(crate) cycles: Vec<cycle::Cycle>,
    pub(crate) boards: Vec<swap::Board>,
    pub(crate) slide: Option<slide::Slide>,
    pub(crate) sessions: u64,
    pub(crate) submitted: bool,
    pub(crate) selected: HashSet<(&'static str, usize)>,
    pub(crate) why: Option<StopCause>,
}

impl<'a> Tools<'a> {
    pub(crate) fn new(
        world: &'a mut World,
        line: &'a mut SolveBridge,
        talk: &'a mut ModelChat,
        offer: &'a ToolOffer,
    ) -> Self {
        Self {
            world,
            line,
            talk,
            offer,
            pictures: kept::PictureStore::default(),
            choices: Vec::new(),
            spots: Vec::new(),
            cycles: Vec::new(),
            boards: Vec::new(),
            slide: None,
            sessions: 0,
            submitted: false,
            selected: HashSet::new(),
            why: None,
        }
    }

    /// What the entry function is called with: the leaf frames.
    pub(crate) fn frames(&self) -> Val {
        Val::List((0..self.world.frames.len()).map(|f| self.frame(f)).collect())
    }

    pub(crate) fn frame(&self, id: usize) -> Val {
        let Some(frame) = self.world.frames.get(id) else { return Val::None };
        let grid = frame.grid.map_or(Val::None, |(_, columns)| {
            let rows = frame.elements.chunks(columns.max(1) as usize);
            Val::List(rows.map(|row| Val::List(row.iter().map(|e| self.element(*e)).collect())).collect())
        });
        let elements: Vec<Val> = self.world.interactables(id).map(|e| self.element(e)).collect();
        placed(Handle::new("Frame", id as u64), id, &frame.rect)
            .with("interactable", frame.kind.map(|k| k.name().to_owned()))
            .with("description", frame.description.as_str())
            .with("elements", elements)
            .with("grid", grid)
            .into()
    }

    pub(crate) fn element(&self, id: usize) -> Val {
        let Some(element) = self.world.elements.get(id) else { return Val::None };
        placed(Handle::new("Element", id as u64), id, &element.rect)
            .with("interactable", element.kind.map(|k| k.name().to_owned()))
            .with("details", element.details.as_str())
            .into()
    }

    pub(crate) fn give(&mut self, picture: VisionPicture) -> Result<Val, HostError> {
        let id = self.pictures.keep(picture)?;
        Ok(self.picture_handle(id))
    }

    pub(crate) fn picture_handle(&self, id: usize) -> Val {
        let (w, h) = self.pictures.size(id);
        Handle::new("Image", id as u64)
            .with("id", id as i64)
            .with("size", Val::Tuple(vec![w.into(), h.into()]))
            .with("width", w)
            .with("height", h)
            .into()
    }

    pub(crate) fn choose(&mut self, choice: ToolChoice) -> Val {
        let id = self.choices.len();
        let handle = Handle::new(choice.class(), id as u64).with("id", id as i64);
        let handle = match &choice {
            ToolChoice::Select { at, .. } => handle.with("index", *at as i64),
            ToolChoice::Drag { to, .. } => handle.with("x", to.0).with("y", to.1),
            ToolChoice::Swap { board, a, b } => {
                let grid = self.boards.get(*board).map_or(Val::None, |board| {
                    let rows = board.after(*a, *b);
                    Val::List(
                        rows.iter()
                            .map(|row| Val::List(row.iter().map(|e| self.element(*e)).collect()))
                            .collect(),
                    )
                });
                handle.with("grid", grid)
            }
            ToolChoice::Slide { at, .. } => handle.with("position", *at),
        };
        self.choices.push(choice);
        handle.into()
    }

    pub(crate) fn point(&mut self, frame: usize, key: u32) -> Result<Val, HostError> {
        let at = self.world.frames.get(frame).ok_or_else(|| index("frame", frame))?.points.get(key);
        let at = at.map_err(|e| HostError::raise(ExcKind::Index, e.to_string()))?;
        let id = self.spots.len();
        self.spots.push(ScriptPoint { frame, key });
        let handle = Handle::new("Point", id as u64).with("id", i64::from(key));
        Ok(handle.with("x", at.x).with("y", at.y).into())
    }

    pub(crate) fn look(&self, rect: &PxRect) -> Result<VisionPicture, HostError> {
        let whole = VisionPicture::from(self.line.picture().clone());
        whole.crop(rect).map_err(|e| HostError::raise(ExcKind::Runtime, e.to_string()))
    }
}

/// Fields that frames and elements share. Numbers are pixels of the screenshot.
fn placed(handle: Handle, id: usize, rect: &PxRect) -> Handle {
    let middle = rect.center();
    handle
        .with("id", id as i64)
        .with("x", middle.x)
        .with("y", middle.y)
        .with("size", Val::Tuple(vec![rect.w.into(), rect.h.into()]))
}

pub(crate) fn index(what: &str, n: usize) -> HostError {
    HostError::raise(ExcKind::Index, format!("there is no {what} {n}"))
}

#[async_trait]
impl ToolHost for Tools<'_> {
    fn surface(&self) -> Surface {
        self.offer.surface()
    }

    async fn call(&mut self, call: HostCall<'_>) -> Result<Val, HostError> {
        let before = self.line.inputs();
        let done = self.perform(call).await;
        // While a handle is held nothing else is acted on; what it moved is looked for once it is let go.
        if self.line.inputs() != before && self.slide.is_none() {
            self.find_again();
        }
        done
    }

    async fn attr(&mut self, receiver: &Handle, name: &str) -> Result<Val, HostError> {
        let id = usize::try_from(receiver.id).map_err(|_| index(&receiver.class, usize::MAX))?;
        match (receiver.class.as_str(), name) {
            ("Frame" | "Element", "image") => {
                self.settled().await?;
                let rect = match receiver.class.as_str() {
                    "Frame" => self.world.frames.get(id).map(|frame| frame.rect),
                    _ => self.world.elements.get(id).map(|element| element.rect),
                };
                let picture = self.look(&rect.ok_or_else(|| index("frame or element", id))?)?;
                self.give(picture)
            }
            (_, "image" | "preview") => self.choice_picture(id),
            _ => Err(HostError::raise(ExcKind::Attribute, format!("{} has no {name}", receiver.class))),
        }
    }

    fn released(&mut self, why: StopCause) {
        // What is pressed is let go by the solving, which may wait for it.
        self.why = Some(why);
    }
}

impl Tools<'_> {
    async fn perform(&mut self, call: HostCall<'_>) -> Result<Val, HostError> {
        let HostCall { receiver, function, args, kwargs } = call;
        let args = Args::new(function, args, kwargs);
        let Some(me) = receiver else {
            return match function {
                "click" => self.click(args).await,
                "enter" => self.enter(args).await,
                "point" => self.point_at(args).await,
                "draw" => self.draw(args).await,
                "select" => self.select(args).await,
                "get_all_choices" => self.get_all_choices(args).await,
                "drag" => self.drag(args),
                "slide_x" | "slide_y" => self.start_slide(function, args).await,
                "turn" => self.turn(args).await,
                "explore" => self.explore(args),
                "ask" => self.ask(args).await,
                "rank" => self.rank(args).await,
                "compare" => self.compare(args).await,
                "match" => self.matches(args),
                "mark" => self.mark(args).await,
                "focus" => self.focus(args).await,
                _ => Err(unknown(function)),
            };
        };
        let id = usize::try_from(me.id).map_err(|_| index(&me.class, usize::MAX))?;
        match (me.class.as_str(), function) {
            ("Frame", "get_interactable") => self.get_interactable(id, args),
            ("Frame", "show_keypoints") => self.show_keypoints(id, args),
            ("Frame", "get_keypoint") => {
                let mut args = args.take(&["id"])?;
                let key = args.number(0)?;
                self.point(id, u32::try_from(key).unwrap_or(u32::MAX))
            }
            ("Point", "show_neighbours") => self.show_neighbours(id),
            ("Point", "get_neighbour") => self.get_neighbour(id, args),
            ("Image", "crop") => self.crop(id, args),
            ("Image", "resize") => self.resize(id, args),
            ("Image", "mean_color") => self.mean_color(id),
            ("Image", "diff") => self.diff(id, args),
            ("SelectChoice", "select") => self.select_choice(id).await,
            ("DragChoice", "drop") => self.drop_choice(id).await,
            ("SwapChoice", "swap") => self.swap_choice(id).await,
            ("SlideChoice", "refine") => self.refine(id).await,
            ("SlideChoice", "release") => self.release(id).await,
            _ => Err(unknown(function)),
        }
    }
}

fn unknown(function: &str) -> HostError {
    HostError::raise(
        ExcKind::NotImplemented,
        format!("there is no tool {function}() for what was found here"),
    )
}

//! Clicking, choosing, typing, pointing and drawing.
//!
//! Every input is a straight way: no jitter, no delays, nothing that poses as a hand.

use waldo_cage::{ExcKind, HostError, Val};
use waldo_devices::{Action, Physical, Point, Settled};

use super::args::Args;
use super::{Tools, index};
use crate::frames::bridge::{ActionOutcome, CALM};
use crate::frames::vision::{PixelPoint, PxRect};
use crate::frames::world::{ElementKind, FrameKind};

/// Characters that are typed at once.
const TEXT: usize = 400;

/// The place of the screen of a pixel of the screenshot.
pub(super) fn at(px: PixelPoint) -> Point<Physical> {
    px.to_physical(Point::new(0.0, 0.0))
}

pub(super) fn refused(message: impl Into<String>) -> HostError {
    HostError::raise(ExcKind::Value, message)
}

/// The place of a thing that an input is made on.
pub(super) fn on_screen(rect: PxRect, call: &str) -> Result<PxRect, HostError> {
    if rect.is_empty() {
        return Err(refused(format!(
            "{call}(): the page has scrolled, and this is not on the screen any more"
        )));
    }
    Ok(rect)
}

/// Whether an input is known not to have been made.
fn was_not_made(came: &Result<ActionOutcome, HostError>) -> bool {
    matches!(came, Err(HostError::Raise { .. }))
}

impl Tools<'_> {
    /// Inputs other than a slide's wait until it is over.
    pub(super) fn free(&self, call: &str) -> Result<(), HostError> {
        match &self.slide {
            None => Ok(()),
            Some(_) => Err(HostError::raise(
                ExcKind::Runtime,
                format!("{call}(): a handle is still held: call release() of one of its choices first"),
            )),
        }
    }

    /// Waits for a screen that moved when it was last seen.
    pub(super) async fn settled(&mut self) -> Result<(), HostError> {
        if self.line.seen().settled == Settled::StillMoving && self.slide.is_none() {
            self.line.act(Action::Wait { ms: CALM }, "look").await?;
            self.find_again();
        }
        Ok(())
    }

    /// Brings the places of things up to date that an input, or the page by itself, has moved.
    pub(super) fn find_again(&mut self) {
        let touched = self.line.touched();
        self.world.find_again(self.line.picture(), touched);
    }

    pub(super) async fn tap(&mut self, rect: &PxRect, call: &str) -> Result<ActionOutcome, HostError> {
        self.free(call)?;
        on_screen(*rect, call)?;
        let action = Action::tap(at(rect.center()));
        self.line.act(action, call).await
    }

    pub(super) fn target(
        &self,
        (class, id): (&str, usize),
    ) -> Result<(PxRect, Option<&'static str>), HostError> {
        if class == "Frame" {
            let frame = self.world.frames.get(id).ok_or_else(|| index("frame", id))?;
            Ok((frame.rect, frame.kind.map(FrameKind::name)))
        } else {
            let element = self.world.elements.get(id).ok_or_else(|| index("element", id))?;
            Ok((element.rect, element.kind.map(ElementKind::name)))
        }
    }

    fn is_for(kind: Option<&'static str>, allowed: &[&str], call: &str) -> Result<(), HostError> {
        match kind {
            Some(kind) if allowed.contains(&kind) => Ok(()),
            other => Err(refused(format!(
                "{call}() is for {}, and this is {}",
                allowed.join(" or "),
                other.unwrap_or("not interactable")
            ))),
        }
    }

    /// `click(target)`: a button. NEXT is pressed once a solving.
    pub(super) async fn click(&mut self, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["target"])?;
        let target = args.either(0, ["Frame", "Element"])?;
        self.settled().await?;
        let (rect, kind) = self.target(target)?;
        Self::is_for(kind, &["CLICKABLE", "NEXT", "SELECTABLE"], "click")?;
        let next = kind == Some("NEXT");
        if next && self.submitted {
            return Err(HostError::raise(ExcKind::Runtime, "NEXT has been clicked: return now"));
        }
        self.free("click")?;
        // Before it is waited for: a call that is cut off may have been carried out.
        self.submitted |= next;
        let came = self.tap(&rect, "click").await;
        if next && was_not_made(&came) {
            self.submitted = false;
        }
        Ok(came?.is_change().into())
    }

    /// `select(choice)`: clicks a choice once; what is chosen already is left as it is.
    pub(super) async fn select(&mut self, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["choice"])?;
        let target = args.either(0, ["Frame", "Element"])?;
        self.settled().await?;
        let (rect, kind) = self.target(target)?;
        Self::is_for(kind, &["SELECTABLE", "CLICKABLE"], "select")?;
        let choice = (target.0, target.1);
        // A second call would take the choice back, where the page toggles.
        if self.selected.contains(&choice) {
            return Ok(false.into());
        }
        self.free("select")?;
        self.selected.insert(choice);
        let came = self.tap(&rect, "select").await;
        if was_not_made(&came) {
            self.selected.remove(&choice);
        }
        Ok(came?.is_change().into())
    }

    /// `enter(field, text)`: empties the field, types, and presses nothing afterwards.
    pub(super) async fn enter(&mut self, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["field", "text"])?;
        let target = args.either(0, ["Frame", "Element"])?;
        self.settled().await?;
        let value = args.value(1);
        let text = match &value {
            Some(Val::Str(text)) => text.trim().to_owned(),
            // A sum is often handed over as it was computed.
            Some(Val::Int(n)) => n.to_string(),
            _ => return Err(HostError::raise(ExcKind::Type, "enter(): text has to be a text")),
        };
        if text.is_empty() || text.chars().count() > TEXT || text.contains(['\n', '\r', '\t']) {
            return Err(refused(format!("enter(): one line of 1 to {TEXT} characters can be typed")));
        }
        let (rect, kind) = self.target(target)?;
        Self::is_for(kind, &["INPUTTABLE"], "enter")?;
        self.tap(&rect, "enter").await?;
        self.line.act(Action::Key { chord: "ctrl+a".into() }, "enter").await?;
        Ok(self.line.act(Action::Type { text }, "enter").await?.is_change().into())
    }

    /// The place on the screen of a point that the script holds, and its frame.
    pub(super) fn place(&self, spot: usize) -> Result<(PixelPoint, usize), HostError> {
        let spot = self.spots.get(spot).ok_or_else(|| index("point", spot))?;
        let frame = self.world.frames.get(spot.frame).ok_or_else(|| index("frame", spot.frame))?;
        let at = frame.points.get(spot.key).map_err(|e| HostError::raise(ExcKind::Index, e.to_string()))?;
        Ok((at, spot.frame))
    }

    fn kind_of(&self, frame: usize) -> Option<FrameKind> {
        self.world.frames.get(frame).and_then(|f| f.kind)
    }

    /// `point(to)`: clicks a point of a POINTABLE frame.
    pub(super) async fn point_at(&mut self, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["to"])?;
        let (px, frame) = self.place(args.object(0, "Point")?)?;
        Self::is_for(self.kind_of(frame).map(FrameKind::name), &["POINTABLE"], "point")?;
        self.free("point")?;
        let action = Action::tap(at(px));
        Ok(self.line.act(action, "point").await?.is_change().into())
    }

    /// `draw(points)`: presses at the first, moves straight through all, lets go at the last.
    pub(super) async fn draw(&mut self, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["points|path"])?;
        let spots = args.objects(0, "Point")?;
        let mut path = Vec::with_capacity(spots.len());
        for spot in spots {
            let (px, frame) = self.place(spot)?;
            Self::is_for(self.kind_of(frame).map(FrameKind::name), &["DRAWABLE"], "draw")?;
            path.push(at(px));
        }
        path.dedup();
        if !(2..=60).contains(&path.len()) {
            return Err(refused("draw(): a line goes through 2 to 60 different points"));
        }
        self.free("draw")?;
        Ok(self.line.act(Action::drag(path), "draw").await?.is_change().into())
    }
}

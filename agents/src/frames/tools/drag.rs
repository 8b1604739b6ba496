//! Drags: previews first, one press-move-release when one is chosen.

use waldo_cage::{ExcKind, HostError, Val};
use waldo_devices::Action;

use super::act::{at, on_screen, refused};
use super::args::Args;
use super::{ToolChoice, Tools, index};
use crate::frames::vision::{PixelPoint, candidates, preview};
use crate::frames::world::ElementKind;

/// CSS pixels between the places that are offered around the point.
const STEP: u32 = 6;

impl Tools<'_> {
    /// `drag(start, end)`: up to nine places around the point, each with a preview. Nothing moves yet.
    pub(super) fn drag(&mut self, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["start", "end"])?;
        let element = args.object(0, "Element")?;
        let (end, frame) = self.place(args.object(1, "Point")?)?;
        let found = self.world.elements.get(element).ok_or_else(|| index("element", element))?;
        if found.kind != Some(ElementKind::Draggable) {
            return Err(refused("drag(): start has to be a DRAGGABLE element"));
        }
        let from = on_screen(found.rect, "drag")?;
        let shown = self.world.frames.get(frame).ok_or_else(|| index("frame", frame))?.rect;
        let picture = self.line.picture().clone();
        let (w, h) = picture.dimensions();
        // What is shown holds the frame and all of the element, at its old place and its new one.
        let shown = shown.union(&from).outset(from.w.max(from.h) / 2, w, h);
        let mut choices = Vec::new();
        for to in candidates(&picture, end, self.line.density().px(STEP)) {
            let laid =
                preview(&picture, &from, to).map_err(|e| HostError::raise(ExcKind::Value, e.to_string()))?;
            let laid = crate::frames::vision::VisionPicture::from(laid);
            let laid = laid.crop(&shown).map_err(|e| HostError::raise(ExcKind::Value, e.to_string()))?;
            let picture = self.pictures.keep(laid)?;
            choices.push(self.choose(ToolChoice::Drag { picture, from, to: (to.x, to.y) }));
        }
        Ok(Val::List(choices))
    }

    /// `DragChoice.drop()`: takes it there; says whether anything was seen to change.
    pub(super) async fn drop_choice(&mut self, id: usize) -> Result<Val, HostError> {
        let Some(ToolChoice::Drag { from, to, .. }) = self.choices.get(id).cloned() else {
            return Err(index("choice", id));
        };
        self.free("drop")?;
        let to = PixelPoint::new(to.0, to.1);
        let path = vec![at(from.center()), at(to)];
        let came = self.line.act(Action::drag(path), "drop").await?;
        // Where it lies now, for a second drag of the same element.
        if came.is_change() {
            let (x, y) = (to.x.saturating_sub(from.w / 2), to.y.saturating_sub(from.h / 2));
            for element in self.world.elements.iter_mut().filter(|e| e.rect == from) {
                (element.rect.x, element.rect.y) = (x, y);
            }
        }
        Ok(came.is_change().into())
    }
}

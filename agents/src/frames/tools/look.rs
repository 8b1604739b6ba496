//! Pictures and points: what scripts see without a model.

use waldo_cage::{ExcKind, HostError, Val};

use super::act::refused;
use super::args::Args;
use super::{ToolChoice, Tools, index};
use crate::frames::numbers;
use crate::frames::vision::{Keypoint, PictureError, PxRect, VisionPicture, propose};

fn value(error: PictureError) -> HostError {
    refused(error.to_string())
}

fn region(frame: &PxRect, name: &str) -> PxRect {
    let (w, h) = (frame.w / 2, frame.h / 2);
    match name {
        "top" | "up" => PxRect::new(frame.x, frame.y, frame.w, h.max(1)),
        "bottom" | "down" => PxRect::new(frame.x, frame.y + h, frame.w, frame.h - h),
        "left" => PxRect::new(frame.x, frame.y, w.max(1), frame.h),
        "right" => PxRect::new(frame.x + w, frame.y, frame.w - w, frame.h),
        _ => *frame,
    }
}

impl Tools<'_> {
    pub(super) fn picture(&self, id: usize) -> Result<VisionPicture, HostError> {
        self.pictures.get(id)
    }

    pub(super) fn pictures_of(&self, ids: &[usize]) -> Result<Vec<VisionPicture>, HostError> {
        ids.iter().map(|id| self.picture(*id)).collect()
    }

    pub(super) fn choice_picture(&mut self, id: usize) -> Result<Val, HostError> {
        match self.choices.get(id) {
            Some(
                ToolChoice::Select { picture, .. }
                | ToolChoice::Drag { picture, .. }
                | ToolChoice::Slide { picture, .. },
            ) => Ok(self.picture_handle(*picture)),
            Some(ToolChoice::Swap { board, a, b }) => {
                let laid = self.boards.get(*board).and_then(|board| board.preview(*a, *b));
                let laid = laid.ok_or_else(|| index("choice", id))?;
                self.give(laid)
            }
            None => Err(index("choice", id)),
        }
    }

    /// `Frame.get_interactable(id)`: as captions number them.
    pub(super) fn get_interactable(&mut self, frame: usize, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["id"])?;
        let number = args.number(0)?;
        let count = self.world.interactables(frame).count();
        let found = usize::try_from(number).ok().and_then(|n| self.world.interactable(frame, n));
        let found = found.ok_or_else(|| {
            HostError::raise(
                ExcKind::Index,
                format!("Frame {frame} has {count} elements, numbered from 0; there is no {number}"),
            )
        })?;
        Ok(self.element(found))
    }

    /// `Frame.show_keypoints(region)`: the live picture with numbered points.
    pub(super) fn show_keypoints(&mut self, frame: usize, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["region"])?;
        let name = match args.value(0) {
            None => "all".to_owned(),
            Some(Val::Str(name)) => name.trim().to_ascii_lowercase(),
            Some(_) => String::new(),
        };
        let words = ["all", "top", "bottom", "left", "right", "up", "down"];
        if !words.contains(&name.as_str()) {
            return Err(refused(format!("show_keypoints(): region is one of {}", words.join(", "))));
        }
        let density = self.line.density();
        let screen = self.line.picture().clone();
        let found = self.world.frames.get_mut(frame).ok_or_else(|| index("frame", frame))?;
        let rect = found.rect;
        let part = region(&rect, &name);
        let places = propose(&screen, &part, density);
        let points = found.points.add(&places, density);
        self.numbered(&screen, &points, &rect)
    }

    /// `Point.show_neighbours()`: a closer look, with more points around this one.
    pub(super) fn show_neighbours(&mut self, spot: usize) -> Result<Val, HostError> {
        let spot = *self.spots.get(spot).ok_or_else(|| index("point", spot))?;
        let density = self.line.density();
        let screen = self.line.picture().clone();
        let found = self.world.frames.get_mut(spot.frame).ok_or_else(|| index("frame", spot.frame))?;
        let rect = found.rect;
        let unknown =
            |e: crate::frames::vision::UnknownPoint| HostError::raise(ExcKind::Index, e.to_string());
        let at = found.points.get(spot.key).map_err(unknown)?;
        let mut points = found.points.around(&screen, spot.key, density).map_err(unknown)?;
        points.retain(|point| rect.contains(point.at));
        let reach = density.px(100);
        let part = PxRect::new(at.x.saturating_sub(reach), at.y.saturating_sub(reach), 2 * reach, 2 * reach);
        self.numbered(&screen, &points, &part.intersect(&rect))
    }

    /// `Point.get_neighbour(id)`: numbers are those of the frame's keypoints.
    pub(super) fn get_neighbour(&mut self, spot: usize, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["id"])?;
        let key = args.number(0)?;
        let frame = self.spots.get(spot).ok_or_else(|| index("point", spot))?.frame;
        self.point(frame, u32::try_from(key).unwrap_or(u32::MAX))
    }

    fn numbered(
        &mut self,
        screen: &image::RgbImage,
        points: &[Keypoint],
        part: &PxRect,
    ) -> Result<Val, HostError> {
        let points: Vec<_> = points.iter().map(|p| (p.id, p.at)).collect();
        let drawn = VisionPicture::from(numbers::points(screen, &points)).crop(part).map_err(value)?;
        self.give(drawn)
    }

    /// `Image.crop(x, y, width, height)` in its own pixels.
    pub(super) fn crop(&mut self, id: usize, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["x", "y", "width", "height"])?;
        let mut sides = [0; 4];
        for (n, side) in sides.iter_mut().enumerate() {
            *side = u32::try_from(args.number(n)?).map_err(|_| refused("crop(): numbers from 0"))?;
        }
        let [x, y, w, h] = sides;
        let part = self.picture(id)?.crop(&PxRect::new(x, y, w, h)).map_err(value)?;
        self.give(part)
    }

    /// `Image.resize(width, height)`.
    pub(super) fn resize(&mut self, id: usize, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["width", "height"])?;
        let side = |n: i64| u32::try_from(n).unwrap_or(0);
        let (w, h) = (side(args.number(0)?), side(args.number(1)?));
        let picture = self.picture(id)?.resize(w, h).map_err(value)?;
        self.give(picture)
    }

    /// `Image.mean_color()`: red, green, blue.
    pub(super) fn mean_color(&self, id: usize) -> Result<Val, HostError> {
        let colour = self.picture(id)?.mean_color();
        Ok(Val::Tuple(colour.iter().map(|c| Val::Int(i64::from(*c))).collect()))
    }

    /// `Image.diff(other)`: the share of pixels that differ, 0 to 1.
    pub(super) fn diff(&self, id: usize, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["other"])?;
        let other = args.object(0, "Image")?;
        Ok(self.picture(id)?.diff(&self.picture(other)?).into())
    }

    /// `match(e1, e2)`: whether two elements look the same now, wherever they stand. Locally.
    pub(super) fn matches(&mut self, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["e1|a", "e2|b"])?;
        let (a, b) = (args.object(0, "Element")?, args.object(1, "Element")?);
        let rect =
            |id: usize| self.world.elements.get(id).map(|e| e.rect).ok_or_else(|| index("element", id));
        let (a, b) = (self.look(&rect(a)?)?, self.look(&rect(b)?)?);
        Ok(a.matches(&b).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_a_frame_cover_it() {
        let frame = PxRect::new(10, 20, 31, 41);
        let (top, bottom) = (region(&frame, "top"), region(&frame, "down"));
        assert_eq!(top.area() + bottom.area(), frame.area());
        let (left, right) = (region(&frame, "left"), region(&frame, "right"));
        assert_eq!(left.union(&right), frame);
        assert_eq!(region(&frame, "all"), frame);
    }
}

//! Exchanges of two tiles of a grid.

use waldo_cage::{ExcKind, HostError, Val};
use waldo_devices::Action;

use super::act::{at, refused};
use super::args::Args;
use super::{ToolChoice, Tools, index};
use crate::frames::vision::{PxRect, VisionPicture};
use crate::frames::world::ElementKind;

/// Cells up to which every pair is offered; of more only neighbours are.
const CELLS: usize = 16;

/// A grid whose tiles can be exchanged, as it was when it was explored.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    frame: PxRect,
    columns: usize,
    tiles: Vec<usize>,
    rects: Vec<PxRect>,
    picture: VisionPicture,
}

impl Board {
    /// The tiles by rows as they would be with two of them exchanged.
    pub(super) fn after(&self, a: usize, b: usize) -> Vec<Vec<usize>> {
        let mut tiles = self.tiles.clone();
        if a < tiles.len() && b < tiles.len() {
            tiles.swap(a, b);
        }
        tiles.chunks(self.columns.max(1)).map(<[usize]>::to_vec).collect()
    }

    /// How many rows and columns lie between two cells.
    fn far(&self, a: usize, b: usize) -> usize {
        let c = self.columns.max(1);
        (a / c).abs_diff(b / c) + (a % c).abs_diff(b % c)
    }

    pub(super) fn preview(&self, a: usize, b: usize) -> Option<VisionPicture> {
        let (ra, rb) = (self.rects.get(a)?, self.rects.get(b)?);
        let local = |r: &PxRect| {
            PxRect::new(r.x.saturating_sub(self.frame.x), r.y.saturating_sub(self.frame.y), r.w, r.h)
        };
        let (la, lb) = (local(ra), local(rb));
        let (pa, pb) = (self.picture.crop(&la).ok()?, self.picture.crop(&lb).ok()?);
        let (pa, pb) = (pa.resize(lb.w, lb.h).ok()?, pb.resize(la.w, la.h).ok()?);
        let mut out = self.picture.pixels().clone();
        image::imageops::replace(&mut out, pb.pixels(), la.x.into(), la.y.into());
        image::imageops::replace(&mut out, pa.pixels(), lb.x.into(), lb.y.into());
        Some(out.into())
    }
}

impl Tools<'_> {
    /// `explore(grid)`: every exchange of two tiles that look different, nearest pairs first.
    pub(super) fn explore(&mut self, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["grid|frame"])?;
        let id = args.object(0, "Frame")?;
        let frame = self.world.frames.get(id).ok_or_else(|| index("frame", id))?.clone();
        let Some((_, columns)) = frame.grid else {
            return Err(refused("explore(): this frame is not a grid of SWAPPABLE tiles"));
        };
        let tiles = frame.elements.clone();
        let mut rects = Vec::with_capacity(tiles.len());
        for tile in &tiles {
            let element = self.world.elements.get(*tile).ok_or_else(|| index("element", *tile))?;
            if element.kind != Some(ElementKind::Swappable) {
                return Err(refused("explore(): not all tiles of this grid are SWAPPABLE"));
            }
            rects.push(element.rect);
        }
        let pictures = rects.iter().map(|r| self.look(r)).collect::<Result<Vec<_>, _>>()?;
        let picture = self.look(&frame.rect)?;
        self.pictures.hold(picture.size())?;
        let board = Board { frame: frame.rect, columns: columns as usize, tiles, rects, picture };
        let count = board.tiles.len();
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for a in 0..count {
            for b in a + 1..count {
                let near = count <= CELLS || board.far(a, b) == 1;
                if near && !pictures[a].matches(&pictures[b]) {
                    pairs.push((a, b));
                }
            }
        }
        pairs.sort_by_key(|(a, b)| board.far(*a, *b));
        let number = self.boards.len();
        self.boards.push(board);
        let choices = pairs.into_iter().map(|(a, b)| self.choose(ToolChoice::Swap { board: number, a, b }));
        Ok(Val::List(choices.collect()))
    }

    /// `SwapChoice.swap()`: clicks both; only where that changes nothing it drags one onto the other.
    pub(super) async fn swap_choice(&mut self, id: usize) -> Result<Val, HostError> {
        let Some(ToolChoice::Swap { board, a, b }) = self.choices.get(id).cloned() else {
            return Err(index("choice", id));
        };
        let board = self.boards.get(board).cloned().ok_or_else(|| index("choice", id))?;
        let (Some(ra), Some(rb)) = (board.rects.get(a).copied(), board.rects.get(b).copied()) else {
            return Err(index("choice", id));
        };
        let before = (self.look(&ra)?, self.look(&rb)?);
        self.tap(&ra, "swap").await?;
        self.tap(&rb, "swap").await?;
        if self.swapped(&before, &ra, &rb)? {
            return Ok(true.into());
        }
        let now = (self.look(&ra)?, self.look(&rb)?);
        let path = vec![at(ra.center()), at(rb.center())];
        self.line.act(Action::drag(path), "swap").await?;
        if self.swapped(&now, &ra, &rb)? || self.swapped(&before, &ra, &rb)? {
            return Ok(true.into());
        }
        Err(HostError::raise(
            ExcKind::Runtime,
            "swap(): neither clicking both tiles nor dragging one exchanged them",
        ))
    }

    /// Whether each cell shows what the other one did.
    fn swapped(
        &self,
        before: &(VisionPicture, VisionPicture),
        a: &PxRect,
        b: &PxRect,
    ) -> Result<bool, HostError> {
        let (now_a, now_b) = (self.look(a)?, self.look(b)?);
        // Nearer to what the other cell showed than to what it showed itself: marks of a choice do not do that.
        let exchanged =
            |now: &VisionPicture, own: &VisionPicture, other: &VisionPicture| now.diff(other) < now.diff(own);
        Ok(exchanged(&now_a, &before.0, &before.1) && exchanged(&now_b, &before.1, &before.0))
    }
}

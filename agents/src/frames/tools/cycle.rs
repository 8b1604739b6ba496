//! Turning through choices with arrows, and going back to one of them.

use waldo_cage::{HostError, Val};

use super::args::Args;
use super::{ToolChoice, Tools, act::refused, index};
use crate::frames::vision::{CycleWatch, PxRect, RowPicture, changed_share};
use crate::frames::world::ElementKind;

/// Choices that are turned through.
const CAP: usize = 40;

#[derive(Clone, Debug)]
pub(crate) struct Cycle {
    previous: PxRect,
    next: PxRect,
    observed: PxRect,
    count: usize,
    /// Whether the first follows the last.
    round: bool,
    /// The one that is shown, as clicks have it.
    now: usize,
    /// The numbers of the pictures of all, in order.
    pictures: Vec<usize>,
}

impl Cycle {
    /// Clicks from the one that is shown to another: forwards as positive.
    fn way(&self, to: usize) -> i64 {
        let (now, to, count) = (self.now as i64, to as i64, self.count.max(1) as i64);
        let straight = to - now;
        if !self.round {
            return straight;
        }
        let (ahead, back) = (straight.rem_euclid(count), (-straight).rem_euclid(count));
        if ahead <= back { ahead } else { -back }
    }
}

fn endless() -> HostError {
    refused(format!(
        "get_all_choices(): the frame shows more than {CAP} choices, or changes by itself; observe a smaller frame"
    ))
}

impl Tools<'_> {
    fn arrow(&self, element: usize) -> Result<PxRect, HostError> {
        let found = self.world.elements.get(element).ok_or_else(|| index("element", element))?;
        if found.kind == Some(ElementKind::Clickable) {
            Ok(found.rect)
        } else {
            Err(refused("get_all_choices(): both arrows have to be CLICKABLE elements"))
        }
    }

    /// `get_all_choices(prev_arrow, next_arrow, observe)`: the choices in their order. Where the row goes round
    /// the first is the one that was shown, else the one at the row's beginning.
    pub(super) async fn get_all_choices(&mut self, args: Args) -> Result<Val, HostError> {
        let mut args = args.take(&["prev_arrow", "next_arrow", "observe|observe_frame"])?;
        self.settled().await?;
        let (previous, next) = (args.object(0, "Element")?, args.object(1, "Element")?);
        let (previous, next) = (self.arrow(previous)?, self.arrow(next)?);
        let frame = args.object(2, "Frame")?;
        let observed = self.world.frames.get(frame).ok_or_else(|| index("frame", frame))?.rect;
        let mut watch = CycleWatch::new(self.look(&observed)?.pixels().clone(), CAP);
        let mut last = 0;
        let mut round = false;
        loop {
            self.tap(&next, "get_all_choices").await?;
            let picture = self.look(&observed)?;
            match watch.saw(picture.pixels()) {
                RowPicture::New(n) => last = n,
                RowPicture::Round(_) => {
                    (round, last) = (true, 0);
                    break;
                }
                RowPicture::End => break,
                RowPicture::Again(_) | RowPicture::Full => return Err(endless()),
            }
        }
        let mut pictures = watch.pictures.to_vec();
        if !round {
            // The row ends: back to where it began, and on to its other end.
            for _ in 0..last {
                self.tap(&previous, "get_all_choices").await?;
            }
            let mut watch = CycleWatch::new(pictures[0].clone(), CAP);
            loop {
                self.tap(&previous, "get_all_choices").await?;
                let picture = self.look(&observed)?;
                match watch.saw(picture.pixels()) {
                    RowPicture::New(_) => pictures.insert(0, picture.pixels().clone()),
                    RowPicture::End => break,
                    RowPicture::Round(_) | RowPicture::Again(_) | RowPicture::Full => return Err(endless()),
                }
            }
            last = 0;
        }
        let count = pictures.len();
        if count < 2 {
            return Err(refused("get_all_choices(): the arrows change nothing in the observed frame"));
        }
        let pictures =
            pictures.into_iter().map(|p| self.pictures.keep(p.into())).collect::<Result<Vec<_>, _>>()?;
        let cycle = self.cycles.len();
        self.cycles.push(Cycle {
            previous,
            next,
            observed,
            count,
            round,
            now: last,
            pictures: pictures.clone(),
        });
        let mut choices = Vec::with_capacity(count);
        for (at, picture) in pictures.into_iter().enumerate() {
            choices.push(self.choose(ToolChoice::Select { picture, cycle, at }));
        }
        Ok(Val::List(choices))
    }

    /// `SelectChoice.select()`: turns to it by the shorter way; harmless when it is shown already.
    pub(super) async fn select_choice(&mut self, id: usize) -> Result<Val, HostError> {
        let Some(ToolChoice::Select { cycle, at, .. }) = self.choices.get(id).cloned() else {
            return Err(index("choice", id));
        };
        let found = self.cycles.get(cycle).cloned().ok_or_else(|| index("choice", id))?;
        let way = found.way(at);
        let arrow = if way < 0 { found.previous } else { found.next };
        for _ in 0..way.unsigned_abs() {
            self.tap(&arrow, "select").await?;
            if let Some(cycle) = self.cycles.get_mut(cycle) {
                let count = cycle.count as i64;
                cycle.now = (cycle.now as i64 + way.signum()).rem_euclid(count.max(1)) as usize;
            }
        }
        let shown = self.look(&found.observed)?;
        let wanted = self.picture(found.pictures.get(at).copied().unwrap_or(usize::MAX))?;
        if changed_share(wanted.pixels(), shown.pixels()) < 0.002 {
            Ok(true.into())
        } else {
            Err(refused("select(): the frame shows something else than when the choice was seen"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycle(now: usize, round: bool) -> Cycle {
        let rect = PxRect::default();
        Cycle { previous: rect, next: rect, observed: rect, count: 6, round, now, pictures: Vec::new() }
    }

    #[test]
    fn the_shorter_way_is_taken_where_it_goes_round() {
        assert_eq!(cycle(0, true).way(5), -1);
        assert_eq!(cycle(5, true).way(1), 2);
        assert_eq!(cycle(0, true).way(3), 3);
        assert_eq!(cycle(5, false).way(1), -4);
        assert_eq!(cycle(2, false).way(2), 0);
    }
}

//! Slides: a handle is pressed, moved stop by stop while a frame is watched, and let go at a chosen stop.
//!
//! Invariants: one slide is under way at most; the button stays down from the first stop to the release; a
//! script that ends in any way leaves it to the solving to let go.

use waldo_cage::{ExcKind, HostError, Val};
use waldo_devices::{Action, Physical, Point};

use super::act::refused;
use super::args::Args;
use super::{ToolChoice, Tools, index};
use crate::frames::vision::{PxRect, changed_share};
use crate::frames::world::ElementKind;

/// Stops of one run at most.
const STOPS: usize = 40;
/// CSS pixels of a first step at least.
const LEAST: u32 = 4;
/// CSS pixels between the stops of a refinement.
const FINE: u32 = 2;
/// The share of the way, as its divisor, that has to pass without a change before the end of the track is taken
/// as reached: a handle that snaps shows nothing new for long.
const STILL: i64 = 4;

/// A slide that is under way.
#[derive(Clone, Debug)]
pub(crate) struct Slide {
    pub(super) number: u64,
    /// Where the handle was pressed.
    start: Point<Physical>,
    /// 1 to the right or down, -1 to the left or up.
    sign: i64,
    upright: bool,
    /// Whole pixels that a stop may be away from the start.
    reach: i64,
    step: i64,
    observed: PxRect,
}

impl Slide {
    fn point(&self, away: i64) -> Point<Physical> {
        let by = (away * self.sign) as f64;
        if self.upright {
            Point::new(self.start.x, self.start.y + by)
        } else {
            Point::new(self.start.x + by, self.start.y)
        }
    }
}

/// When a row of stops is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// Where the track seems to have ended.
    Still,
    Last,
}

/// How far apart the stops at which something changed have been.
#[derive(Debug)]
struct Gaps {
    reach: i64,
    /// The stop at which the last change was seen, once one was seen.
    last: Option<i64>,
    longest: i64,
    start: Option<i64>,
}

impl Gaps {
    fn new(reach: i64) -> Self {
        Self { reach, last: None, longest: 0, start: None }
    }

    /// Takes in a stop; whether the track seems to have ended before it. Never before a change was seen.
    fn saw(&mut self, away: i64, same: bool) -> bool {
        let start = *self.start.get_or_insert(away);
        if away == start {
            return false;
        }
        if !same {
            self.longest = self.longest.max(away - self.last.unwrap_or(start));
            self.last = Some(away);
        }
        self.last.is_some_and(|last| away - last > (self.reach / STILL).max(2 * self.longest))
    }
}

/// The first step: the handle's half at most, a 24th of the way at best.
fn step(track: u32, handle: u32, least: u32) -> u32 {
    (track / 24).max(least).min((handle / 2).max(least)).max(track.div_ceil(STOPS as u32))
}

impl Tools<'_> {
    /// `slide_x(handle, direction, observe_frame)` and `slide_y`: what the frame shows at each stop. The
    /// handle stays held. `up` is towards the top of the screen.
    pub(super) async fn start_slide(&mut self, call: &str, args: Args) -> Result<Val, HostError> {
        let upright = call == "slide_y";
        let words: &[&str] = if upright { &["up", "down", "top", "bottom"] } else { &["left", "right"] };
        let mut args = args.take(&["handle", "direction", "observe_frame|observe"])?;
        let element = args.object(0, "Element")?;
        let sign = if matches!(args.word(1, words)?.as_str(), "left" | "up" | "top") { -1 } else { 1 };
        let frame = args.object(2, "Frame")?;
        let observed = self.world.frames.get(frame).ok_or_else(|| index("frame", frame))?.rect;
        let found = self.world.elements.get(element).ok_or_else(|| index("element", element))?;
        let wanted = if upright { ElementKind::SlideableY } else { ElementKind::SlideableX };
        if found.kind != Some(wanted) {
            return Err(refused(format!("{call}(): handle has to be a {} element", wanted.name())));
        }
        self.free(call)?;
        let rect = found.rect;
        let home = self.world.frames.get(found.frame).map(|f| f.rect).unwrap_or_default();
        let middle = rect.center();
        // The track ends within the handle's own frame.
        let track = match (upright, sign) {
            (false, 1) => home.right().saturating_sub(middle.x),
            (false, _) => middle.x.saturating_sub(home.x),
            (true, 1) => home.bottom().saturating_sub(middle.y),
            (true, _) => middle.y.saturating_sub(home.y),
        };
        let track = track.saturating_sub(1);
        if track < 2 {
            return Err(refused(format!("{call}(): there is no way in that direction")));
        }
        let density = self.line.density();
        let size = if upright { rect.h } else { rect.w };
        let step = i64::from(step(track, size, density.px(LEAST)));
        self.sessions += 1;
        let session = Slide {
            number: self.sessions,
            start: super::act::at(middle),
            sign,
            upright,
            reach: i64::from(track),
            step,
            observed,
        };
        self.slide = Some(session.clone());
        self.line.act(Action::PointerDown { at: session.start }, call).await?;
        let stops = (0..).map(|n| n * step).take_while(|away| *away <= session.reach).take(STOPS + 1);
        let stops: Vec<i64> = stops.collect();
        self.visit(&session, &stops, Until::Still, call).await
    }

    /// Goes to stops one after the other, and keeps what is seen at each.
    async fn visit(
        &mut self,
        session: &Slide,
        stops: &[i64],
        until: Until,
        call: &str,
    ) -> Result<Val, HostError> {
        let mut choices = Vec::with_capacity(stops.len());
        let mut last = None;
        let mut gaps = Gaps::new(session.reach);
        for away in stops {
            if *away != 0 || last.is_some() {
                self.line.act(Action::PointerMove { at: session.point(*away) }, call).await?;
            }
            let picture = self.look(&session.observed)?;
            let same = last.as_ref().is_some_and(|before: &crate::frames::vision::VisionPicture| {
                changed_share(before.pixels(), picture.pixels()) == 0.0
            });
            let over = gaps.saw(*away, same);
            last = Some(picture.clone());
            // Beyond the end of a track nothing changes any more, and there is nothing to choose.
            if !same {
                let picture = self.keep(picture)?;
                choices.push(self.choose(ToolChoice::Slide { picture, session: session.number, at: *away }));
            }
            if over && until == Until::Still {
                break;
            }
        }
        Ok(Val::List(choices))
    }

    fn under_way(&self, id: usize) -> Result<(Slide, i64), HostError> {
        let Some(ToolChoice::Slide { session, at, .. }) = self.choices.get(id) else {
            return Err(index("choice", id));
        };
        match &self.slide {
            Some(now) if now.number == *session => Ok((now.clone(), *at)),
            _ => Err(HostError::raise(
                ExcKind::Runtime,
                "this choice belongs to a slide that is over: slide again and use its choices",
            )),
        }
    }

    /// `SlideChoice.refine()`: the stops around this one, two CSS pixels apart, this one included.
    pub(super) async fn refine(&mut self, id: usize) -> Result<Val, HostError> {
        let (session, at) = self.under_way(id)?;
        let fine = i64::from(self.line.density().px(FINE)).max(1);
        let sides = (session.step / fine).clamp(1, 10);
        let stops: Vec<i64> = (-sides..=sides)
            .map(|n| at + n * fine)
            .filter(|away| (0..=session.reach).contains(away))
            .collect();
        self.visit(&session, &stops, Until::Last, "refine").await
    }

    /// `SlideChoice.release()`: moves there and lets go.
    pub(super) async fn release(&mut self, id: usize) -> Result<Val, HostError> {
        let (session, away) = self.under_way(id)?;
        let to = session.point(away);
        self.line.act(Action::PointerMove { at: to }, "release").await?;
        let came = self.line.act(Action::PointerUp { at: to }, "release").await?;
        self.slide = None;
        for element in self.world.elements.iter_mut() {
            let middle = super::act::at(element.rect.center());
            if middle == session.start {
                let by = away * session.sign;
                let moved = |from: u32| u32::try_from(i64::from(from) + by).unwrap_or(from);
                if session.upright {
                    element.rect.y = moved(element.rect.y);
                } else {
                    element.rect.x = moved(element.rect.x);
                }
            }
        }
        Ok(came.is_change().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_fit_the_track_and_the_handle() {
        assert_eq!(step(240, 40, 4), 10);
        assert_eq!(step(48, 40, 4), 4);
        assert_eq!(step(240, 12, 4), 6);
        assert_eq!(step(2_000, 12, 4), 50);
    }

    /// The stops of a track of 400 pixels that are visited where a handle snaps to so many places.
    fn visited(places: i64) -> (i64, usize) {
        let mut gaps = Gaps::new(400);
        let (mut shown, mut seen) = (0, 1);
        for away in (0..=400).step_by(10) {
            let now = (away * (places - 1) + 200) / 400;
            let over = gaps.saw(away, now == shown);
            seen += usize::from(now != shown);
            shown = now;
            if over {
                return (away, seen);
            }
        }
        (400, seen)
    }

    #[test]
    fn a_handle_that_snaps_is_followed_to_the_end() {
        for places in 2..=9 {
            assert_eq!(visited(places), (400, usize::try_from(places).unwrap()));
        }
    }

    #[test]
    fn a_track_that_has_ended_is_left() {
        let mut gaps = Gaps::new(400);
        let over = (0..=400).step_by(10).find(|away| gaps.saw(*away, *away > 100));
        assert_eq!(over, Some(210));
        let mut still = Gaps::new(400);
        assert!((0..=400).step_by(10).all(|away| !still.saw(away, true)));
    }

    #[test]
    fn up_is_towards_the_top() {
        let session = Slide {
            number: 1,
            start: Point::new(50.0, 90.0),
            sign: -1,
            upright: true,
            reach: 80,
            step: 4,
            observed: PxRect::default(),
        };
        assert_eq!(session.point(10), Point::new(50.0, 80.0));
    }
}

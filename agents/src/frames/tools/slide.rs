//! Slides and turns: a handle is pressed, moved stop by stop, straight or round a centre, while a frame is
//! watched, and let go at a chosen stop.
//!
//! Invariants: one slide is under way at most; the button stays down from the first stop to the release; a
//! script that ends in any way leaves it to the solving to let go.

use waldo_cage::{ExcKind, HostError, Val};
use waldo_devices::{Action, Physical, Point};

use super::act::refused;
use super::args::Args;
use super::{ToolChoice, Tools, index};
use crate::frames::vision::{PixelPoint, PxRect, VisionPicture, differs};
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

/// Degrees between the stops of a turn, and between those of its refinement.
const TURN: i64 = 10;
const FINE_TURN: i64 = 1;

#[derive(Clone, Copy, Debug)]
enum Way {
    /// 1 to the right or down, -1 to the left or up; positions are pixels from where it was pressed.
    Line { sign: i64, upright: bool },
    /// 1 clockwise, -1 the other way; positions are degrees from where it was pressed.
    Round { sign: i64, centre: Point<Physical> },
}

#[derive(Clone, Debug)]
pub(crate) struct Slide {
    pub(super) number: u64,
    element: usize,
    start: Point<Physical>,
    way: Way,
    /// How far a stop may be away from the start.
    reach: i64,
    step: i64,
    fine: i64,
    observed: PxRect,
}

impl Slide {
    fn point(&self, away: i64) -> Point<Physical> {
        let (start, by) = (self.start, away as f64);
        match self.way {
            Way::Line { sign, upright: true } => Point::new(start.x, start.y + by * sign as f64),
            Way::Line { sign, upright: false } => Point::new(start.x + by * sign as f64, start.y),
            Way::Round { sign, centre } => {
                // The screen's y grows downwards, so growing angles are clockwise.
                let (sin, cos) = (by * sign as f64).to_radians().sin_cos();
                let (dx, dy) = (start.x - centre.x, start.y - centre.y);
                Point::new(centre.x + dx * cos - dy * sin, centre.y + dx * sin + dy * cos)
            }
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
        self.settled().await?;
        let observed = self.world.frames.get(frame).ok_or_else(|| index("frame", frame))?.rect;
        let wanted = if upright { ElementKind::SlideableY } else { ElementKind::SlideableX };
        let rect = self.handle(element, wanted, call)?;
        let home = self.world.elements.get(element).and_then(|found| self.world.frames.get(found.frame));
        let home = home.map(|frame| frame.rect).unwrap_or_default();
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
        let session = Slide {
            number: 0,
            element,
            start: super::act::at(middle),
            way: Way::Line { sign, upright },
            reach: i64::from(track),
            step: i64::from(step(track, size, density.px(LEAST))),
            fine: i64::from(density.px(FINE)).max(1),
            observed,
        };
        self.begin(session, call).await
    }

    /// `turn(handle, direction, observe_frame, centre=None)`: what the frame shows at each stop of a full turn.
    /// Without a centre the handle is the whole dial: it is pressed above its middle.
    pub(super) async fn turn(&mut self, args: Args) -> Result<Val, HostError> {
        let call = "turn";
        let words = ["clockwise", "counterclockwise", "anticlockwise"];
        let mut args = args.take(&["handle", "direction", "observe_frame|observe", "centre|center"])?;
        let element = args.object(0, "Element")?;
        let sign = if args.word(1, &words)? == "clockwise" { 1 } else { -1 };
        let frame = args.object(2, "Frame")?;
        let centre = args.optional(3, &["Frame", "Element", "Point"])?;
        self.settled().await?;
        let observed = self.world.frames.get(frame).ok_or_else(|| index("frame", frame))?.rect;
        let rect = self.handle(element, ElementKind::Turnable, call)?;
        let centre = match centre {
            None => rect.center(),
            Some(("Point", spot)) => self.place(spot)?.0,
            Some(thing) => self.target(thing)?.0.center(),
        };
        let least = f64::from(self.line.density().px(LEAST));
        let own = rect.center();
        // What stands in the middle of the dial is the dial, and its box is seldom exact.
        let start = if own.distance(centre) >= least.max(f64::from(rect.w.min(rect.h)) / 4.0) {
            own
        } else {
            PixelPoint::new(centre.x, centre.y.saturating_sub(rect.w.min(rect.h) * 3 / 8))
        };
        if start.distance(centre) < least {
            return Err(refused("turn(): the handle is too small to be turned about its own middle"));
        }
        let session = Slide {
            number: 0,
            element,
            start: super::act::at(start),
            way: Way::Round { sign, centre: super::act::at(centre) },
            reach: 360 - TURN,
            step: TURN,
            fine: FINE_TURN,
            observed,
        };
        self.begin(session, call).await
    }

    fn handle(&self, element: usize, kind: ElementKind, call: &str) -> Result<PxRect, HostError> {
        let found = self.world.elements.get(element).ok_or_else(|| index("element", element))?;
        if found.kind != Some(kind) {
            return Err(refused(format!("{call}(): handle has to be a {} element", kind.name())));
        }
        self.free(call)?;
        super::act::on_screen(found.rect, call)
    }

    async fn begin(&mut self, mut session: Slide, call: &str) -> Result<Val, HostError> {
        self.sessions += 1;
        session.number = self.sessions;
        self.slide = Some(session.clone());
        self.line.act(Action::pointer_down(session.start), call).await?;
        let stops = (0..).map(|n| n * session.step).take_while(|away| *away <= session.reach);
        let stops: Vec<i64> = stops.take(STOPS + 1).collect();
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
        // What the last offered stop shows: slow changes add up against it, not against the stop before.
        let mut kept: Option<VisionPicture> = None;
        let mut gaps = Gaps::new(session.reach);
        for away in stops {
            if *away != 0 || until == Until::Last {
                self.line.act(Action::PointerMove { at: session.point(*away) }, call).await?;
            }
            let picture = self.look(&session.observed)?;
            let same = kept.as_ref().is_some_and(|kept| !differs(kept.pixels(), picture.pixels()));
            let over = gaps.saw(*away, same);
            // Beyond the end of a track nothing changes any more, and there is nothing to choose.
            if !same {
                kept = Some(picture.clone());
                let picture = self.pictures.keep(picture)?;
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

    /// `SlideChoice.refine()`: the stops around this one, two CSS pixels or a degree apart, this one included.
    pub(super) async fn refine(&mut self, id: usize) -> Result<Val, HostError> {
        let (session, at) = self.under_way(id)?;
        let fine = session.fine;
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
        // Where the pointer left it, as a first guess: a handle that snaps is found again nearby.
        let dial = matches!(session.way, Way::Round { .. });
        if let Some(element) = self.world.elements.get_mut(session.element)
            && (!dial || super::act::at(element.rect.center()) == session.start)
        {
            let moved = |from: u32, by: f64| (f64::from(from) + by).round().max(0.0) as u32;
            element.rect.x = moved(element.rect.x, to.x - session.start.x);
            element.rect.y = moved(element.rect.y, to.y - session.start.y);
        }
        Ok(came.is_change().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_fit_the_track_and_its_end_is_seen() {
        assert_eq!(step(240, 40, 4), 10);
        assert_eq!(step(48, 40, 4), 4);
        assert_eq!(step(240, 12, 4), 6);
        assert_eq!(step(2_000, 12, 4), 50);
        for places in 2..=9 {
            assert_eq!(visited(places), (400, usize::try_from(places).unwrap()));
        }
        let mut gaps = Gaps::new(400);
        let over = (0..=400).step_by(10).find(|away| gaps.saw(*away, *away > 100));
        assert_eq!(over, Some(210));
        let mut still = Gaps::new(400);
        assert!((0..=400).step_by(10).all(|away| !still.saw(away, true)));
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
    fn up_is_towards_the_top_and_clockwise_is_what_clocks_do() {
        let mut session = Slide {
            number: 1,
            element: 0,
            start: Point::new(50.0, 90.0),
            way: Way::Line { sign: -1, upright: true },
            reach: 80,
            step: 4,
            fine: 2,
            observed: PxRect::default(),
        };
        assert_eq!(session.point(10), Point::new(50.0, 80.0));
        // From the top of a dial a quarter clockwise is its right side.
        session.way = Way::Round { sign: 1, centre: Point::new(50.0, 120.0) };
        let right = session.point(90);
        assert!((right.x - 80.0).abs() < 1e-9 && (right.y - 120.0).abs() < 1e-9, "{right:?}");
    }
}

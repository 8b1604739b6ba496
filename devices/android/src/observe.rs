//! One observation: frames until two are equal, the tree, and what is in front, all at the same time.
//!
//! Pictures and trees are not of one moment: a tree that was whole before the last frame that differed
//! is taken again, and a frame that is older than the tree as well. A tree that is the one of another place
//! was told from memory, and is taken again too.

use std::hash::{Hash as _, Hasher as _};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::adb::PhoneLink;
use super::device::{AndroidDevice, Busy, LastSeen};
use super::screen::{Camera, CellMeans, picture_elements};
use super::state::Front;
use super::tree::{Dump, DumpError, TreeView, UiDump, as_appagent, tree_elements};
use waldo_devices::{
    Affordance, Capture, Context, Deadline, Element, Observation, Picture, Point, Rect, Result,
    ScaledPicture, Settled, Timings,
};

/// How long a screen that never rested is not asked for its tree, unless its pictures came to rest.
const BUSY_FOR: Duration = Duration::from_secs(20);
/// How long a screen that never rested may take for its tree once its pictures rest.
const RESTED: Duration = Duration::from_millis(3_500);
/// The pause between two frames that are compared.
const GAP: Duration = Duration::from_millis(60);
/// Height of the status bar, in logical pixels: its clock is not a movement.
const STATUS_BAR: f64 = 24.0;
/// An element that covers this share of the screen says nothing of what is on it.
const WHOLE: f64 = 0.6;

#[derive(Clone, Copy, PartialEq, Eq)]
enum TreeTiming {
    Now,
    /// Not before the pictures are quiet: it never rested lately.
    AtRest,
    Never,
}

/// Frames until the screen is quiet.
struct Settling {
    picture: Picture,
    frame: CellMeans,
    settled: Settled,
    /// When the last frame that differed from the one before was there.
    moved: Option<Instant>,
    settle: Duration,
    capture: Duration,
}

impl AndroidDevice {
    pub(crate) fn status_bar(&self) -> u32 {
        (STATUS_BAR * self.screen.geometry().scale).round() as u32
    }

    pub(crate) async fn look(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        let began = Instant::now();
        self.generation += 1;
        let link = self.link.clone();
        let mended = link.mended();
        let skip = self.status_bar();
        let display = self.display();
        let ask = match &self.busy {
            _ if self.other_display().is_some() => TreeTiming::Never,
            Some(busy) if busy.since.elapsed() < BUSY_FOR => {
                let same = self.front(deadline).await?.place() == busy.place;
                if same { TreeTiming::AtRest } else { TreeTiming::Now }
            }
            _ => TreeTiming::Now,
        };
        let tree_bound = deadline.at_most(self.options.tree);
        let (tree_done, tree_seen) = watch::channel(false);
        let tree = async {
            let taken = match ask {
                TreeTiming::Now => Dump::take(&link, &self.dump_file, tree_bound).await,
                TreeTiming::AtRest => Err(DumpError::Busy("the screen never rested")),
                TreeTiming::Never => Err(DumpError::NoTree("only the first display has a tree".to_owned())),
            };
            let took = began.elapsed();
            let _ = tree_done.send(true);
            (taken, took)
        };
        let camera = &mut self.camera;
        let bound = deadline.at_most(self.options.settle);
        let frames = async {
            match want {
                Capture::All => settle(camera, &link, skip, tree_seen, bound, deadline).await.map(Some),
                Capture::Elements => Ok(None),
            }
        };
        let ((mut tree, mut elements_took), frames, front) =
            tokio::join!(tree, frames, Front::ask(&link, display, deadline));
        let (mut frames, mut front) = (frames?, front?);
        if frames.is_none() && tree.is_err() {
            // Without a tree the picture is all there is.
            let (_done, seen) = watch::channel(true);
            frames = Some(settle(&mut self.camera, &link, skip, seen, bound, deadline).await?);
        }
        let at_rest = frames.as_ref().filter(|f| ask == TreeTiming::AtRest && self.may_have_come_to_rest(f));
        if let Some(shown) = at_rest.map(|f| f.frame.clone()) {
            let began = Instant::now();
            tree = Dump::take(&link, &self.dump_file, deadline.at_most(self.options.tree.min(RESTED))).await;
            elements_took = began.elapsed();
            if let (Err(_), Some(busy)) = (&tree, &mut self.busy) {
                busy.asked = Some(shown);
            } else if want == Capture::All {
                let (_done, seen) = watch::channel(true);
                let bound = deadline.at_most(self.options.settle);
                frames = Some(settle(&mut self.camera, &link, skip, seen, bound, deadline).await?);
                front = self.front(deadline).await?;
            }
        }
        // What ran out of time may have waited for a phone that was away.
        if matches!(tree, Err(DumpError::Busy(_))) && link.mended() != mended {
            tree = Dump::take(&link, &self.dump_file, deadline.at_most(self.options.tree)).await;
        }
        let moved =
            matches!((&tree, &frames), (Ok(dump), Some(f)) if f.moved.is_some_and(|at| at > dump.ended));
        if (moved || self.is_of_before(&tree, &front)) && !deadline.passed() {
            tree = Dump::take(&link, &self.dump_file, deadline.at_most(self.options.tree)).await;
            front = self.front(deadline).await?;
        }
        if let Err(DumpError::Device(error)) = tree {
            return Err(error);
        }
        let settled = match (&frames, &tree) {
            (Some(frames), _) => frames.settled,
            (None, Ok(_)) => Settled::Quiet,
            (None, Err(_)) => Settled::StillMoving,
        };
        let (settle, capture) = frames.as_ref().map_or_else(Default::default, |f| (f.settle, f.capture));
        self.measure(frames.as_ref().map(|f| f.picture.size()), &front, &tree);
        let secure = frames.as_ref().is_some_and(|f| f.frame.is_black());
        let moving = settled == Settled::StillMoving;
        let (picture, frame) = match frames {
            Some(f) => (Some(f.picture), Some(f.frame)),
            None => (None, None),
        };
        let (elements, truncated) = self.elements(&tree, picture.as_ref(), &front, secure);
        match &tree {
            Err(DumpError::Busy(why)) if ask == TreeTiming::Now => {
                tracing::debug!(why, place = front.place(), "no tree");
                self.busy = Some(Busy { since: Instant::now(), place: front.place(), asked: None });
            }
            Err(DumpError::NoTree(why)) => tracing::debug!(why, place = front.place(), "no tree"),
            Ok(_) => self.busy = None,
            Err(_) => {}
        }
        let focused = tree.as_ref().ok().and_then(|dump| dump.tree.focused()).map(|node| node.text.clone());
        let known = tree.as_ref().ok().map(|dump| (front.place(), fingerprint(&dump.xml)));
        self.seen = LastSeen { elements: elements.clone(), focused, tree: known, moving };
        if frame.is_some() {
            self.frame = frame;
        }
        let picture = match want {
            Capture::All => picture.unwrap_or_else(Picture::empty),
            Capture::Elements => Picture::empty(),
        };
        let mut seen = Observation {
            picture,
            elements,
            texts: Vec::new(),
            dump: tree.ok().map(|dump| waldo_devices::Dump { text: dump.xml.into(), numbering: as_appagent }),
            geometry: self.screen.geometry(),
            context: Context {
                location: front.place(),
                title: front
                    .app
                    .as_ref()
                    .map(|app| app.activity.trim_start_matches('.').to_owned())
                    .unwrap_or_default(),
                keyboard_shown: front.keyboard,
                secure,
                truncated,
                ..Context::default()
            },
            settled,
            timings: Timings {
                settle,
                picture: capture,
                elements: elements_took,
                total: began.elapsed().saturating_sub(settle),
            },
        };
        seen.mask(&self.options.secrets);
        Ok(seen)
    }

    /// Whether a restless screen is worth asking again: its pictures rest, and are not those asked in vain.
    fn may_have_come_to_rest(&self, frames: &Settling) -> bool {
        let in_vain = self.busy.as_ref().and_then(|busy| busy.asked.as_ref());
        frames.settled == Settled::Quiet && in_vain.is_none_or(|asked| !asked.change(&frames.frame).is_still)
    }

    /// Whether a tree is to the letter that of another place, seen before.
    fn is_of_before(&self, tree: &Result<Dump, DumpError>, front: &Front) -> bool {
        let (Ok(dump), Some((place, known))) = (tree, &self.seen.tree) else { return false };
        *place != front.place() && *known == fingerprint(&dump.xml)
    }

    /// Takes over the screen's size as it is turned now.
    fn measure(&mut self, picture: Option<(u32, u32)>, front: &Front, tree: &Result<Dump, DumpError>) {
        let (w, h) = self.facts.natural;
        let rotation = tree.as_ref().ok().and_then(|dump| dump.tree.rotation);
        let turned = match rotation {
            Some(quarter) if quarter % 2 == 1 => (h, w),
            Some(_) => (w, h),
            None => picture.unwrap_or((w, h)),
        };
        let phone = front.size.unwrap_or(turned);
        let scale = self.facts.density / 160.0;
        // A picture that the phone scaled down keeps the same shape; another shape is another moment.
        self.screen = ScaledPicture::new(picture.unwrap_or(phone), phone, scale);
    }

    fn elements(
        &self,
        tree: &Result<Dump, DumpError>,
        picture: Option<&Picture>,
        front: &Front,
        secure: bool,
    ) -> (Vec<Element>, usize) {
        let (mut elements, dropped) = match tree {
            Ok(dump) => {
                let view = TreeView {
                    screen: self.screen,
                    keyboard_top: front.keyboard_top.map(|top| Point::new(0.0, f64::from(top))),
                    cap: self.options.element_cap,
                    generation: self.generation,
                };
                // Names are cut and put together: masked before that.
                match self.options.secrets.attributes(&dump.xml) {
                    Some(masked) => tree_elements(&UiDump::parse(&masked), &view),
                    None => tree_elements(&dump.tree, &view),
                }
            }
            Err(_) => (Vec::new(), 0),
        };
        let whole = self.screen.geometry().screen().area();
        let covers = |bounds: &Rect<_>| bounds.area() > whole * WHOLE;
        let says = |e: &Element| e.can(Affordance::Click) || e.can(Affordance::Edit) || !e.name.is_empty();
        let blind = !elements.iter().any(|e| says(e) && !covers(&e.bounds));
        if let (true, false, Some(picture)) = (blind, secure, picture) {
            elements.extend(picture_elements(
                picture.pixels(),
                self.screen.geometry().scale,
                self.generation,
            ));
        }
        (elements, dropped)
    }
}

fn fingerprint(xml: &str) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    xml.hash(&mut hasher);
    hasher.finish()
}

/// Takes frames until two in a row are equal and the tree is there, or the time is up.
async fn settle(
    camera: &mut Camera,
    link: &PhoneLink,
    skip: u32,
    mut tree_done: watch::Receiver<bool>,
    bound: Deadline,
    deadline: Deadline,
) -> Result<Settling> {
    let began = Instant::now();
    let mut last: Option<(CellMeans, Picture)> = None;
    let (mut moved, mut quiet_at) = (None, None);
    loop {
        let shot_began = Instant::now();
        let waited = *tree_done.borrow();
        let picture = camera.take(link, deadline).await?;
        let capture = shot_began.elapsed();
        let frame = CellMeans::of(&picture, skip);
        let still = last.as_ref().map(|(before, _)| before.change(&frame).is_still);
        match still {
            Some(true) => quiet_at = quiet_at.or(Some(shot_began)),
            Some(false) => {
                moved = Some(Instant::now());
                quiet_at = None;
            }
            None => {}
        }
        let over = bound.passed();
        // A tree that came while this frame was taken asks for one more, so that none is older than it.
        if (quiet_at.is_some() && waited) || (over && *tree_done.borrow()) || deadline.left() < GAP {
            return Ok(Settling {
                settled: if quiet_at.is_some() { Settled::Quiet } else { Settled::StillMoving },
                settle: quiet_at.map_or_else(|| began.elapsed(), |at| at - began).saturating_sub(capture),
                picture,
                frame,
                moved,
                capture,
            });
        }
        last = Some((frame, picture));
        if quiet_at.is_some() || over {
            // Nothing more to learn before the tree is there.
            let _ = tokio::time::timeout_at(deadline.instant(), tree_done.wait_for(|done| *done)).await;
        } else {
            tokio::time::sleep(GAP.min(deadline.left())).await;
        }
    }
}

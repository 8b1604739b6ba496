//! One observation: picture and elements, taken at the same time.

use std::time::{Duration, Instant};

use super::access::{Access, AccessReading};
use super::device::DesktopDevice;
use super::settle::settle;
use super::watch::wait_for;
use crate::bare::fill_bare;
use crate::silent::fill_silent;
use crate::window::{Window, context};
use waldo_devices::{Capture, Deadline, DeviceError, Observation, Picture, Result, Settled, Timings};

/// How long it is waited for elements and picture that are of one moment, while windows come and go.
const ONE_MOMENT_WITHIN: Duration = Duration::from_millis(1200);
/// How long a program may say nothing of a window: one that saves a file does not answer.
const SAYS_WITHIN: Duration = Duration::from_millis(2500);
const ONE_MOMENT_LOOK: Duration = Duration::from_millis(100);

impl DesktopDevice {
    pub(crate) async fn look(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        let began = Instant::now();
        let live = self.live()?;
        let windows = live.windows(deadline).await?;
        let mut pids: Vec<u32> = windows.iter().filter_map(|window| window.pid).collect();
        pids.sort_unstable();
        pids.dedup();
        let bound = deadline.at_most(self.options.settle.min(deadline.left() / 2));
        let settled =
            settle(&live.thread, &mut live.signs(), &pids, self.reactions.due(), bound, deadline).await?;
        let settle_took = began.elapsed();

        let (again_by, said_by) = (deadline.at_most(ONE_MOMENT_WITHIN), deadline.at_most(SAYS_WITHIN));
        let (windows, picture, reading, elements_took) = loop {
            let start = Instant::now();
            let mut signs = live.signs();
            let seen = signs.borrow_and_update().windows;
            let mut windows = live.windows(deadline).await?;
            for window in windows.iter_mut().filter(|_| !self.options.secrets.is_empty()) {
                window.title = self.options.secrets.mask(std::mem::take(&mut window.title));
            }
            let picture = async {
                match want {
                    Capture::All => {
                        let taken = live.thread.ask("a picture", deadline, |s| s.camera.take(&s.x)).await?;
                        Ok::<_, DeviceError>((Some(taken), start.elapsed()))
                    }
                    Capture::Elements => Ok((None, start.elapsed())),
                }
            };
            let elements = async {
                let screen = live.geometry.screen();
                let bound = deadline.at_most(self.options.tree.min(deadline.left() * 3 / 4));
                let reading = match &live.access {
                    Some(access) => access.read(&windows, screen, self.options.element_cap, bound).await,
                    None => Ok(silent(&windows)),
                };
                (reading, start.elapsed())
            };
            let (picture, (reading, elements_took)) = tokio::join!(picture, elements);
            let (picture, reading) = (picture?, reading?);
            // Windows that came or went meanwhile, and those that their program has put away already or not yet
            // filled: picture and elements would be of two moments.
            let moved = signs.borrow().windows != seen && !again_by.passed();
            let between = reading.unsaid.iter().any(|id| !self.unsaid.contains(id)) && !said_by.passed();
            if !(moved || between) {
                break (windows, picture, reading, elements_took);
            }
            wait_for(&mut signs, deadline.at_most(ONE_MOMENT_LOOK), |now| now.windows != seen).await;
        };
        let (mut picture, picture_took) = picture;
        let AccessReading { mut elements, mut truncated, silent, unsaid, .. } = reading;
        if !silent.is_empty() {
            if picture.is_none() {
                picture = Some(live.thread.ask("a picture", deadline, |s| s.camera.take(&s.x)).await?);
            }
            if let Some(picture) = &picture {
                let cap = self.options.element_cap.saturating_sub(elements.len());
                let (found, dropped) = fill_silent(picture, &windows, &silent, live.geometry.scale, cap);
                elements.extend(found);
                truncated += dropped;
            }
        }
        if want == Capture::All
            && let Some(picture) = &picture
        {
            let cap = self.options.element_cap.saturating_sub(elements.len());
            let scale = live.geometry.scale;
            let (found, dropped) = fill_bare(picture, &windows, &silent, &elements, scale, cap);
            elements.extend(found);
            truncated += dropped;
        }
        if let (Some(access), true) = (&live.access, Access::has_cells(&elements)) {
            if picture.is_none() {
                picture = Some(live.thread.ask("a picture", deadline, |s| s.camera.take(&s.x)).await?);
            }
            if let Some(picture) = &picture {
                access.fill_cells(picture, &mut elements, deadline.at_most(self.options.tree)).await;
            }
        }
        self.unsaid = unsaid;
        let live = self.live()?;
        let geometry = live.geometry;
        let context = context(&windows, truncated, &self.options.secrets);
        let picture = match (want, picture) {
            (Capture::All, Some(picture)) => Picture::new(picture),
            _ => Picture::empty(),
        };
        self.moving = settled == Settled::StillMoving;
        // Compared with what the screen shows before the next input, so as it was drawn, without masks.
        let quiet = (settled == Settled::Quiet && want == Capture::All).then(|| picture.clone());
        self.reactions.looked(context.location.clone(), quiet);
        let mut seen = Observation {
            picture,
            elements,
            context,
            settled,
            timings: Timings {
                settle: settle_took,
                picture: picture_took,
                elements: elements_took,
                total: began.elapsed().saturating_sub(settle_took),
            },
            ..Observation::blank(geometry)
        };
        seen.mask(&self.options.secrets);
        self.elements.clone_from(&seen.elements);
        Ok(seen)
    }
}

/// A reading without a bus: every window is silent.
fn silent(windows: &[Window]) -> AccessReading {
    let ids = windows.iter().rev().filter(|window| !window.minimised).map(|window| window.id);
    AccessReading { silent: ids.collect(), ..AccessReading::default() }
}

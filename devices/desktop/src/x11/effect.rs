//! What was seen to come of an action: windows and picture before and after it.

use std::time::{Duration, Instant};

use image::RgbImage;

use super::device::DesktopDevice;
use super::live::DisplaySession;
use super::settle::wanted;
use super::watch::{Signs, wait_for};
use super::windows::{Window, stack};
use crate::effect::{ChangeScope, evidence};
use waldo_devices::{Deadline, Effect, Result};

/// How long programs are watched at a time for whether they do something.
const IDLE: Duration = Duration::from_millis(60);

pub(crate) struct ScreenBefore {
    pub(crate) windows: Vec<Window>,
    frame: RgbImage,
    signs: Signs,
    moving: bool,
}

impl DesktopDevice {
    pub(crate) async fn before(&mut self, deadline: Deadline) -> Result<ScreenBefore> {
        let live = self.live()?;
        let signs = *live.signs().borrow();
        let job = |s: &mut super::display_state::DisplayState| Ok((stack(&s.x)?, s.camera.take(&s.x)?));
        let (windows, frame) = live.thread.ask("a look", deadline, job).await?;
        self.reactions.learn(&frame, signs.drawn);
        self.reactions.input();
        Ok(ScreenBefore { windows, frame, signs, moving: self.moving })
    }
}

impl DisplaySession {
    /// Compares with `before`, waiting `bound` at most for the first change. Programs that idle are waited for
    /// as long as they may take to react (`reacts`).
    pub(crate) async fn after(
        &self,
        before: &ScreenBefore,
        look: ChangeScope,
        reacts: Duration,
        bound: Deadline,
        deadline: Deadline,
        mask: impl Fn(String) -> String,
    ) -> Result<Effect> {
        let mut signs = self.signs();
        let mut seen = before.signs;
        let mut quiet = 0;
        let began = Instant::now();
        let pids: Vec<u32> = before.windows.iter().filter_map(|window| window.pid).collect();
        loop {
            let (draws, windows) = (seen.draws, seen.windows);
            let changed = |now: &Signs| now.draws != draws || now.windows != windows || now.gone;
            let (work, since) = (wanted(&pids), Instant::now());
            let news = wait_for(&mut signs, bound.at_most(IDLE), changed).await;
            seen = *signs.borrow();
            if seen.gone {
                return Err(super::x::gone("it ended"));
            }
            if news {
                let job = move |s: &mut super::display_state::DisplayState| {
                    Ok((stack(&s.x)?, s.camera.take(&s.x)?))
                };
                let (windows, frame) = self.thread.ask("a look", deadline, job).await?;
                let look = if before.moving { look.while_moving() } else { look };
                let evidence = evidence((&before.windows, &before.frame), (&windows, &frame), look, &mask);
                if let Some(evidence) = evidence {
                    return Ok(Effect::Confirmed { evidence });
                }
            }
            // Programs that idle have answered already, or will not.
            let busy = wanted(&pids).saturating_sub(work) > since.elapsed() / 4;
            quiet = if news || busy { 0 } else { quiet + 1 };
            if bound.passed() || (quiet >= 2 && look == ChangeScope::All && began.elapsed() >= reacts) {
                return Ok(if before.moving { Effect::Unverifiable } else { Effect::SuspectedNoop });
            }
        }
    }
}

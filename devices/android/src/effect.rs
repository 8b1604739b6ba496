//! What was seen to come of an action: app, window, keyboard and picture before and after it.

use std::time::Duration;

use super::device::AndroidDevice;
use super::screen::CellMeans;
use super::state::Front;
use waldo_devices::{Deadline, DeviceError, Effect, Result};

/// How long an effect may take to show; longer ones are seen by the next observation.
const SHOWS_WITHIN: Duration = Duration::from_millis(600);
/// The pause between two looks.
const LOOK: Duration = Duration::from_millis(40);

pub(crate) struct PhoneBefore {
    pub(crate) front: Front,
    frame: Option<CellMeans>,
    moving: bool,
}

impl AndroidDevice {
    /// What is in front, and its picture's cells: one that gives no picture can still be touched.
    pub(crate) async fn front_and_frame(&mut self, deadline: Deadline) -> Result<(Front, Option<CellMeans>)> {
        let (link, skip, display) = (self.link.clone(), self.status_bar(), self.display());
        let (front, picture) =
            tokio::join!(Front::ask(&link, display, deadline), self.camera.take(&link, deadline));
        let front = front?;
        match picture {
            Ok(picture) => Ok((front, Some(CellMeans::of(&picture, skip)))),
            Err(DeviceError::Call { .. }) => Ok((front, None)),
            Err(error) => Err(error),
        }
    }

    pub(crate) async fn before(&mut self, deadline: Deadline) -> Result<PhoneBefore> {
        let (front, frame) = self.front_and_frame(deadline).await?;
        // What moved since the last look without being touched moves by itself.
        let drifts = match (&self.frame, &frame) {
            (Some(then), Some(now)) => !then.change(now).is_still,
            _ => false,
        };
        Ok(PhoneBefore { front, frame, moving: self.seen.moving || drifts })
    }

    /// Compares with `before`, waiting a little for the first change. Also tells what is in front then.
    pub(crate) async fn after(
        &mut self,
        before: &PhoneBefore,
        deadline: Deadline,
    ) -> Result<(Effect, Front)> {
        let bound = deadline.at_most(SHOWS_WITHIN);
        let (link, skip, display) = (self.link.clone(), self.status_bar(), self.display());
        loop {
            let (front, picture) =
                tokio::join!(Front::ask(&link, display, deadline), self.camera.take(&link, deadline));
            let front = front?;
            let mut evidence = news(&before.front, &front);
            match (picture, &before.frame) {
                (Ok(picture), Some(then)) => {
                    let now = CellMeans::of(&picture, skip);
                    let change = then.change(&now);
                    if !change.is_still && !before.moving {
                        evidence.push(format!("{} of the screen changed", percent(change.share)));
                    }
                    self.frame = Some(now);
                }
                (Err(DeviceError::Call { .. }), _) | (_, None) => {}
                (Err(error), _) => return Err(error),
            }
            if !evidence.is_empty() {
                return Ok((Effect::Confirmed { evidence: evidence.join(", ") }, front));
            }
            if bound.left() < LOOK {
                let blind = before.moving || before.frame.is_none();
                return Ok((if blind { Effect::Unverifiable } else { Effect::SuspectedNoop }, front));
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p < 1.0 => "less than 1 %".to_owned(),
        p => format!("{p:.0} %"),
    }
}

fn news(then: &Front, now: &Front) -> Vec<String> {
    let mut evidence = Vec::new();
    if then.app != now.app {
        evidence.push(format!("{} came to the front", now.place()));
    } else if then.window != now.window {
        evidence.push("another window has the focus".to_owned());
    }
    match (then.keyboard, now.keyboard) {
        (Some(false), Some(true)) => evidence.push("the keyboard opened".to_owned()),
        (Some(true), Some(false)) => evidence.push("the keyboard closed".to_owned()),
        _ => {}
    }
    if then.size.is_some() && now.size.is_some() && then.size != now.size {
        evidence.push("the screen turned".to_owned());
    }
    evidence
}

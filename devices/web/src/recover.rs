//! What a page does to itself is an outcome, never an end: one that crashes is loaded again, one that crashes
//! twice or cannot be looked at loses its tab, and either is told.

use std::time::Duration;

use image::RgbImage;
use serde_json::json;

use super::device::WebDevice;
use super::elements::Collected;
use super::live::BrowserSession;
use super::state::Front;
use waldo_devices::guard::shown_origin;
use waldo_devices::{Capture, Deadline, DeviceError, Observation, Picture, Result, Settled, Timings};

/// How long the browser may take to begin to load a crashed page again.
const REVIVES_WITHIN: Duration = Duration::from_secs(10);
impl BrowserSession {
    /// Loads the crashed page of a tab again, once; the next time its tab is closed.
    pub(crate) async fn revive(&self, target: &str, deadline: Deadline) -> Result<()> {
        self.whole()?;
        let found = self.shared().update(|state| {
            let tab = state.tab(target)?;
            let again = std::mem::replace(&mut tab.reloaded, true) || !tab.ready;
            Some((again, tab.revivals, tab.session.clone(), shown_origin(&tab.url)))
        });
        let Some((again, revivals, session, origin)) = found else { return Ok(()) };
        if !again {
            let bound = deadline.at_most(REVIVES_WITHIN);
            let reloaded = self.cdp().call(Some(&session), "Page.reload", json!({}), bound).await;
            let came = self.shared().until(bound.instant(), |state| {
                let tab = state.tabs.iter().find(|tab| tab.target == target);
                tab.is_none_or(|tab| tab.revivals != revivals).then_some(())
            });
            if reloaded.is_ok() && came.await.is_some() {
                self.tell(format!("the page of {origin} crashed and was loaded again"));
                return Ok(());
            }
        }
        self.tell(format!("the page of {origin} crashed again: its tab was closed"));
        self.close_tab(&Front { target: target.to_owned(), session }, deadline).await
    }

    /// Whether every renderer of its pages that ended did so by its page's own doing.
    pub(crate) fn whole(&self) -> Result<()> {
        let Some(reason) = self.shared().with(|state| state.lost.clone()) else { return Ok(()) };
        // What starts renderers may have ended with it.
        self.browser().spoil();
        Err(DeviceError::Gone { reason })
    }

    pub(crate) fn tell(&self, notice: String) {
        self.shared().update(|state| state.notice(notice));
    }

    /// Whether it was the page that failed: the browser itself answers.
    pub(crate) async fn blames_page(&self, error: &DeviceError, deadline: Deadline) -> bool {
        let of_page = matches!(
            error,
            DeviceError::Timeout { .. } | DeviceError::Call { .. } | DeviceError::Crashed { .. }
        );
        of_page && self.cdp().call(None, "Browser.getVersion", json!({}), deadline).await.is_ok()
    }
}

impl WebDevice {
    /// The observation of a page that could not be looked at. The second in a row costs it its tab.
    pub(super) async fn unseen(
        &mut self,
        want: Capture,
        error: &DeviceError,
        deadline: Deadline,
    ) -> Result<Observation> {
        let live = self.live()?;
        let front = live.shared().with(|state| state.front().map(Front::of));
        let target = front.as_ref().map(|front| front.target.clone());
        live.tell(format!("the page could not be looked at ({error}): this is how it was seen last"));
        if let Some(front) = &front
            && self.unseen == target
        {
            match live.close_tab(front, deadline).await {
                Ok(()) => live.tell("the page gave no answer again: its tab was closed".to_owned()),
                Err(error) => tracing::debug!(%error, "closing a tab that gives no answer"),
            }
        }
        self.unseen = target;
        self.places.clear();
        if want == Capture::All && self.last_picture.size() == (0, 0) {
            let size = self.geometry().physical;
            let blank = RgbImage::from_pixel(size.w as u32, size.h as u32, image::Rgb([255; 3]));
            self.last_picture = Picture::new(blank);
        }
        let picture = match want {
            Capture::All => self.last_picture.clone(),
            Capture::Elements => Picture::empty(),
        };
        let front = front.unwrap_or_else(|| Front { target: String::new(), session: "".into() });
        Ok(Observation {
            picture,
            elements: Vec::new(),
            texts: Vec::new(),
            dump: None,
            geometry: self.geometry(),
            context: self.context(&front, &Collected::default())?,
            settled: Settled::StillLoading,
            timings: Timings::default(),
        })
    }
}

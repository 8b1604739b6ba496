//! One observation: picture and elements, taken at the same time.

use std::io::Cursor;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::RgbImage;
use serde_json::json;
use tokio::sync::Notify;

use super::cdp::text;
use super::device::WebDevice;
use super::device::{BLAMES_WITHIN, working};
use super::drawn;
use super::elements::{Collected, Gatherer, Pace};
use super::live::{BrowserSession, PageAnswer};
use super::navigate::PausedPage;
use super::settle::Bounds;
use super::state::Front;
use waldo_devices::{
    Capture, Context, Deadline, DeviceError, DialogInfo, DownloadInfo, Observation, Picture, Result, Settled,
    TabInfo, Timings,
};

/// How long a page may take for its picture before it is held, and the first time that it is.
const PATIENCE: Duration = Duration::from_secs(5);
const HELD: Duration = Duration::from_secs(3);
/// The documents that may follow one another before a page counts as one that moves on and on.
const RESTLESS: u64 = 2;

/// How long a tab whose page gives no answer may take to close.
const CLOSES_WITHIN: Duration = Duration::from_secs(2);

/// The address of a tab in which nothing was opened.
const EMPTY: &str = "about:blank";

/// Whether it was looked in vain before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    First,
    Again,
}

/// How `Page.captureScreenshot` is asked for a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScreenCapture {
    /// Without parameters, as most harnesses do.
    Plain,
    Fast,
}

impl WebDevice {
    /// Looks. A page that lets nobody look at it is told of, and ends nothing.
    pub(crate) async fn look(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        // A tab that may have to be closed goes slowly while its page gives no answer.
        let after = if self.unseen.is_some() { CLOSES_WITHIN } else { BLAMES_WITHIN };
        let working = working(deadline, after);
        let mut result = self.look_again(want, working).await;
        if self.is_fresh {
            result = match result {
                // Nothing comes to a tab that was opened in the place of one that crashed.
                Ok(seen) if seen.context.location == EMPTY => Ok(seen),
                Ok(seen) => self.first_look(want, seen, working).await,
                failed => failed,
            };
            self.is_fresh = false;
        }
        match result {
            Err(error) if self.live()?.blames_page(&error, deadline).await => {
                self.live()?
                    .excuse(|| format!("the page of the application could not be looked at ({error})"))?;
                self.unseen(want, &error, deadline).await
            }
            result => {
                self.unseen = None;
                result
            }
        }
    }

    /// Looks; where a page moves on, crashes or its tab goes meanwhile, once more.
    pub(super) async fn look_again(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        let first = deadline.at_most(deadline.left() * 2 / 3);
        let mut result = self.look_once(want, Round::First, first).await;
        // Each crash costs a tab its first page or itself.
        while matches!(result, Err(DeviceError::Crashed { .. })) && !deadline.passed() {
            result = self.look_once(want, Round::First, first).await;
        }
        match result {
            Err(DeviceError::Timeout { .. } | DeviceError::Call { .. }) if !deadline.passed() => {
                let live = self.live()?;
                let front = live.front(deadline).await?;
                live.excuse_late(&front)?;
                live.stop_loading(&front, deadline).await;
                self.look_once(want, Round::Again, deadline).await
            }
            result => result,
        }
    }

    async fn look_once(&mut self, want: Capture, round: Round, deadline: Deadline) -> Result<Observation> {
        let began = Instant::now();
        let live = self.live.as_ref().ok_or_else(WebDevice::not_reset)?;
        let bounds = Bounds { settle: self.options.settle, load: live.load };
        self.generation += 1;
        let mut gatherer = Gatherer {
            generation: self.generation,
            cap: self.options.element_cap,
            scale: self.options.viewport.scale,
            secrets: &self.options.secrets,
            frame_ids: &mut self.frame_ids,
        };
        let mut front = live.front(deadline).await?;
        let mut before = live.tab(&front, |tab| tab.navigations).unwrap_or_default();
        let (mut settled, mut ahead) = live.settle(&front, bounds, deadline, &mut gatherer).await?;
        // A popup may have come to the front, or the tab in front gone, while it settled.
        for _ in 0..3 {
            let now = live.front(deadline).await?;
            if now.target == front.target {
                break;
            }
            front = now;
            before = live.tab(&front, |tab| tab.navigations).unwrap_or_default();
            (settled, ahead) = live.settle(&front, bounds, deadline, &mut gatherer).await?;
        }
        // A page that never comes, or one after the other, would keep back every answer.
        let moved = |before: u64| live.tab(&front, |tab| tab.navigations).unwrap_or_default() - before;
        let restless = round == Round::Again
            || matches!(settled, Settled::StillLoading | Settled::StillMoving) && moved(before) > RESTLESS;
        let mut held = (restless && settled != Settled::Dialog).then(|| live.hold(&front));
        if settled == Settled::StillLoading || round == Round::Again {
            live.excuse_late(&front)?;
        }
        if (settled == Settled::StillLoading && live.awaits_page(&front)) || restless {
            live.stop_loading(&front, deadline).await;
        }
        let settle = began.elapsed();
        let start = Instant::now();
        let (mut picture_took, mut elements_took) = Default::default();
        let mut collected = None;
        let mut picture = None;
        if settled != Settled::Dialog {
            let pace = match want {
                // A picture needs the page's thread for moments only. Nothing goes on by itself in a page that is held.
                Capture::All if held.is_none() => Pace::Beside,
                Capture::All | Capture::Elements => Pace::AtOnce,
            };
            let holds = Notify::new();
            let elements = async {
                let gathered = async {
                    match ahead {
                        // Gathered while the page was waited for: it must still be as it was.
                        Some(found)
                            if live.is_still(&front, gatherer.generation, &found.places, deadline).await =>
                        {
                            Ok(PageAnswer::Done(found))
                        }
                        _ => gatherer.gather(live, &front, pace, deadline).await,
                    }
                };
                let result = tokio::select! {
                    biased;
                    found = gathered => found,
                    () = holds.notified() => gatherer.gather(live, &front, Pace::AtOnce, deadline).await,
                };
                (result, start.elapsed())
            };
            let shot = async {
                match want {
                    Capture::All => {
                        let picture = live.capture_patiently(&front, (&mut held, &holds), deadline).await;
                        (picture, start.elapsed())
                    }
                    Capture::Elements => (Ok(PageAnswer::Done(Picture::empty())), start.elapsed()),
                }
            };
            let ((elements, took), (mut shot, mut shot_took)) = tokio::join!(elements, shot);
            // A page with so much to gather was late for that, and draws now.
            if matches!(shot, Err(DeviceError::Timeout { .. }))
                && matches!(elements, Ok(PageAnswer::Done(_)))
                && took > shot_took
            {
                shot = live.capture(&front, deadline.at_most(PATIENCE)).await;
                shot_took = start.elapsed();
            }
            drop(held);
            (elements_took, picture_took) = (took, shot_took);
            collected = elements?.done();
            picture = shot?.done();
            if collected.is_none() || picture.is_none() {
                settled = Settled::Dialog;
            }
        }
        let scale = self.options.viewport.scale;
        if want == Capture::Elements
            && collected.as_ref().is_some_and(|found| drawn::needs_picture(&found.elements, scale))
        {
            picture = live.capture(&front, deadline.at_most(PATIENCE)).await?.done();
        }
        let picture = match (want, picture, &collected) {
            (_, Some(picture), Some(_)) => picture,
            (_, Some(picture), None) if self.options.secrets.is_empty() => picture,
            // A dialog holds up the page: it looks as it did.
            (Capture::All, ..) => self.last_picture.clone(),
            (Capture::Elements, ..) => Picture::empty(),
        };
        let collected = collected.unwrap_or_default();
        self.places.clone_from(&collected.places);
        let context = self.context(&front, &collected)?;
        let mut seen = Observation {
            picture,
            elements: collected.elements,
            texts: collected.texts,
            dump: None,
            geometry: self.geometry(),
            context,
            settled,
            timings: Timings {
                settle,
                picture: picture_took,
                elements: elements_took,
                total: start.elapsed(),
            },
        };
        if !seen.picture.is_empty() {
            let left = self.options.element_cap.saturating_sub(seen.elements.len());
            let drawn = drawn::on_canvases(&seen.picture, &seen.elements, scale, left);
            seen.elements.extend(drawn);
        }
        seen.mask(&self.options.secrets);
        if want == Capture::All {
            self.last_picture = seen.picture.clone();
        }
        Ok(seen)
    }

    /// Takes a picture and throws it away, undecoded: how many bytes of base64 it had. The floor that a
    /// benchmark compares an observation with.
    ///
    /// # Errors
    /// As [`waldo_devices::Device::observe`]; also when a dialog holds up the page.
    pub async fn bare_picture(&mut self, shot: ScreenCapture, deadline: Deadline) -> Result<usize> {
        let live = self.live()?;
        let front = live.front(deadline).await?;
        match live.raw_picture(&front, shot, deadline).await? {
            PageAnswer::Done(answer) => Ok(text(&answer, "data").len()),
            PageAnswer::Dialog => Err(unreadable(&"a dialog holds up the page")),
        }
    }

    /// Fetches the full accessibility tree and a DOM snapshot, which no observation holds, and throws them away:
    /// how many bytes of JSON they had. For benchmarks that compare equal content.
    pub async fn whole_page(&mut self, deadline: Deadline) -> Result<usize> {
        let live = self.live()?;
        let front = live.front(deadline).await?;
        let styles = json!({ "computedStyles": [], "includeDOMRects": true, "includePaintOrder": true });
        let (tree, snapshot) = tokio::join!(
            live.call(&front, "Accessibility.getFullAXTree", json!({}), deadline),
            live.call(&front, "DOMSnapshot.captureSnapshot", styles, deadline),
        );
        match (tree?, snapshot?) {
            (PageAnswer::Done(tree), PageAnswer::Done(snapshot)) => {
                Ok(tree.to_string().len() + snapshot.to_string().len())
            }
            _ => Err(unreadable(&"a dialog holds up the page")),
        }
    }

    pub(super) fn context(&self, front: &Front, collected: &Collected) -> Result<Context> {
        let live = self.live()?;
        let mask = |text: &str| brief(&self.options.secrets.mask(text.to_owned()));
        let mut context = live.shared().with(|state| Context {
            location: state.front().map(|tab| mask(&tab.url)).unwrap_or_default(),
            title: state.front().map(|tab| mask(&tab.title)).unwrap_or_default(),
            tabs: state
                .tabs
                .iter()
                .map(|tab| TabInfo {
                    title: mask(&tab.title),
                    url: mask(&tab.url),
                    active: state.active.as_deref() == Some(&tab.target),
                })
                .collect(),
            dialog: state.front().and_then(|tab| tab.dialog.as_ref()).map(|dialog| DialogInfo {
                kind: dialog.kind.clone(),
                message: mask(&dialog.message),
                default: dialog.default.as_deref().map(mask),
            }),
            downloads: state
                .downloads
                .iter()
                .map(|d| DownloadInfo { name: d.name.clone(), path: d.path.clone(), done: d.done })
                .collect(),
            ..Context::default()
        });
        if !collected.url.is_empty() {
            // The address of an error page leads nowhere: a person sees the one that was asked for.
            let meant = live.tab(front, |tab| tab.unreachable.clone()).flatten();
            context.location = mask(meant.as_ref().unwrap_or(&collected.url));
            context.title.clone_from(&collected.title);
            context.page_scroll = Some(collected.scroll);
            let at = live.shared().with(|state| state.tabs.iter().position(|tab| tab.target == front.target));
            if let Some(tab) = at.and_then(|at| context.tabs.get_mut(at)) {
                tab.title.clone_from(&collected.title);
            }
        }
        context.blocked = live.blocked().take();
        let notices = live.shared().update(|state| std::mem::take(&mut state.notices));
        context.page_crashes = live.shared().update(|state| std::mem::take(&mut state.page_crashes));
        context.notices = notices.iter().map(|notice| mask(notice)).collect();
        context.truncated = collected.truncated;
        context.texts_left_out = collected.texts_left_out;
        Ok(context)
    }
}

/// Characters of a title or an address that are kept.
const TEXT_MAX: usize = 2000;

/// Pages name themselves: addresses of megabytes are cut.
fn brief(text: &str) -> String {
    match text.char_indices().nth(TEXT_MAX) {
        None => text.to_owned(),
        Some(_) => text.chars().take(TEXT_MAX - 1).chain(['…']).collect(),
    }
}

impl BrowserSession {
    async fn raw_picture(
        &self,
        front: &Front,
        shot: ScreenCapture,
        deadline: Deadline,
    ) -> Result<PageAnswer<serde_json::Value>> {
        let params = match shot {
            ScreenCapture::Plain => json!({}),
            ScreenCapture::Fast => json!({ "format": "png", "optimizeForSpeed": true }),
        };
        self.call(front, "Page.captureScreenshot", params, deadline).await
    }

    /// A picture of a tab. A page that moves on and on is held for it, and held again where it had moved on before that;
    /// `holds` is told of the first time.
    async fn capture_patiently<'l>(
        &'l self,
        front: &'l Front,
        (held, holds): (&mut Option<PausedPage<'l>>, &Notify),
        deadline: Deadline,
    ) -> Result<PageAnswer<Picture>> {
        let mut patience = if held.is_some() { HELD } else { PATIENCE };
        loop {
            let had = self.tab(front, |tab| tab.documents).unwrap_or_default();
            let moves_on = self.shared().until(deadline.instant(), |state| {
                let tab = state.tabs.iter().find(|tab| tab.target == front.target)?;
                (tab.documents > had + RESTLESS).then_some(())
            });
            let late = tokio::select! {
                biased;
                picture = self.capture(front, deadline.at_most(patience)) => match picture {
                    Err(DeviceError::Timeout { .. }) if held.is_some() && !deadline.passed() => true,
                    result => return result,
                },
                Some(()) = moves_on => false,
            };
            match held {
                Some(held) => held.again(),
                None => {
                    *held = Some(self.hold(front));
                    holds.notify_one();
                }
            }
            if late {
                patience *= 2;
                self.stop_loading(front, deadline).await;
            }
        }
    }

    async fn capture(&self, front: &Front, deadline: Deadline) -> Result<PageAnswer<Picture>> {
        let answer = self.raw_picture(front, ScreenCapture::Fast, deadline).await?;
        let PageAnswer::Done(answer) = answer else { return Ok(PageAnswer::Dialog) };
        // On a thread of its own: the elements are read meanwhile.
        let decoded = tokio::task::spawn_blocking(move || {
            let bytes = STANDARD.decode(text(&answer, "data")).map_err(|error| unreadable(&error))?;
            decode(&bytes)
        });
        decoded.await?.map(Picture::new).map(PageAnswer::Done)
    }
}

fn unreadable(error: &dyn std::fmt::Display) -> DeviceError {
    DeviceError::call("Page.captureScreenshot", format!("unreadable picture: {error}"))
}

/// Reads a PNG of 8 bits a channel as RGB. It comes through a pipe: its checksums would only cost time.
fn decode(bytes: &[u8]) -> Result<RgbImage> {
    let mut options = png::DecodeOptions::default();
    options.set_ignore_checksums(true);
    let mut decoder = png::Decoder::new_with_options(Cursor::new(bytes), options);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|error| unreadable(&error))?;
    let (width, height) = reader.info().size();
    let pixels = width as usize * height as usize;
    let rgb = match reader.output_color_type() {
        (png::ColorType::Rgb, _) => {
            let size = reader.output_buffer_size().ok_or_else(|| unreadable(&"too large"))?;
            let mut rgb = vec![0; size];
            reader.next_frame(&mut rgb).map_err(|error| unreadable(&error))?;
            rgb
        }
        (png::ColorType::Rgba, _) => {
            let mut rgb = Vec::with_capacity(pixels * 3);
            // Row by row, while a row is still in the cache.
            while let Some(row) = reader.next_row().map_err(|error| unreadable(&error))? {
                rgb.extend(row.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]));
            }
            rgb
        }
        (other, _) => return Err(unreadable(&format!("{other:?}"))),
    };
    RgbImage::from_raw(width, height, rgb).ok_or_else(|| unreadable(&"cut off"))
}

//! The one door that what a device says passes: observations, reports and errors.
//!
//! Invariant: every structure is taken apart here without `..`, so that a new field does not compile until it
//! is said whether it shows what a screen says.

use std::borrow::Cow;

use image::Rgb;

use super::{MASK, Secrets};
use crate::action::{ActionReport, Effect};
use crate::element::{Element, Role};
use crate::error::{DeviceError, Result};
use crate::geometry::{Physical, Rect};
use crate::observation::{
    Context, DialogInfo, DownloadInfo, Observation, ScreenInfo, StaticText, TabInfo, WindowInfo,
};
use crate::picture::Picture;

impl Observation {
    /// Replaces what shows a value of `secrets`, in every text, and paints over what is drawn of it. Nothing
    /// is left of it afterwards; to do it again changes nothing.
    pub fn mask(&mut self, secrets: &Secrets) {
        if secrets.is_empty() {
            return;
        }
        let Self { picture, elements, texts, dump, geometry: _, context, settled: _, timings: _ } = self;
        let mut drawn: Vec<Rect<Physical>> = elements
            .iter_mut()
            .filter_map(|element| element.mask(secrets).then_some(element.bounds))
            .collect();
        for StaticText { text, bounds, before: _ } in texts {
            if secrets.hide(text) || text.contains(MASK) {
                drawn.push(*bounds);
            }
        }
        if let Some(dump) = dump
            && let Some(masked) = secrets.attributes(&dump.text)
        {
            dump.text = masked.into();
        }
        context.mask(secrets);
        if !drawn.is_empty() && !picture.is_empty() {
            *picture = painted(picture, &drawn);
        }
    }
}

impl Element {
    /// Replaces what shows a value; whether it shows one, or did before it was masked.
    fn mask(&mut self, secrets: &Secrets) -> bool {
        let Self {
            // The driver's own, made of its numbers.
            handle: _,
            role: Role(role),
            name,
            value,
            states: _,
            affordances: _,
            bounds: _,
            hit: _,
            options,
            frame: _,
            uid,
            id,
            source: _,
        } = self;
        let texts = [role, name].into_iter().chain(value).chain(options).chain(uid).chain(id);
        // Counted, so that each is masked: `any` would stop at the first.
        texts.filter_map(|text| (secrets.hide(text) || text.contains(MASK)).then_some(())).count() > 0
    }
}

impl Context {
    fn mask(&mut self, secrets: &Secrets) {
        let Self {
            location,
            title,
            tabs,
            windows,
            screens,
            dialog,
            downloads,
            keyboard_shown: _,
            secure: _,
            page_scroll: _,
            blocked,
            person,
            truncated: _,
            texts_left_out: _,
            page_crashes: _,
            notices,
        } = self;
        let mut hide = |text: &mut String| {
            secrets.hide(text);
        };
        hide(location);
        hide(title);
        for TabInfo { title, url, active: _ } in tabs {
            hide(title);
            hide(url);
        }
        for WindowInfo { id: _, title, program, bounds: _, focused: _, minimised: _ } in windows {
            hide(title);
            hide(program);
        }
        for ScreenInfo { name, platform: _, front: _, showing, changed: _ } in screens {
            hide(name);
            hide(showing);
        }
        if let Some(DialogInfo { kind, message, default }) = dialog {
            hide(kind);
            hide(message);
            default.as_mut().map(&mut hide).unwrap_or_default();
        }
        for DownloadInfo { name, path, done: _ } in downloads {
            hide(name);
            if let Some(path) = path
                && let Some(masked) = secrets.masked(&path.to_string_lossy())
            {
                *path = masked.into();
            }
        }
        blocked.iter_mut().chain(notices).for_each(&mut hide);
        person.as_mut().map(hide).unwrap_or_default();
    }
}

impl ActionReport {
    fn mask(&mut self, secrets: &Secrets) {
        let Self { effect, took: _ } = self;
        match effect {
            Effect::Confirmed { evidence: text }
            | Effect::NotAsAsked { found: text }
            | Effect::Refused { kind: _, reason: text } => {
                secrets.hide(text);
            }
            Effect::Unverifiable | Effect::SuspectedNoop => {}
        }
    }
}

impl DeviceError {
    fn mask(&mut self, secrets: &Secrets) {
        let hide = |text: &mut String| {
            secrets.hide(text);
        };
        match self {
            Self::Timeout { what, after: _ }
            | Self::Crashed { what }
            | Self::Blocked { what }
            | Self::StaleElement { what } => hide(what),
            Self::Absent { what, hint } => [what, hint].into_iter().for_each(hide),
            Self::Gone { reason } | Self::Refused { kind: _, reason } | Self::Internal(reason) => {
                hide(reason)
            }
            Self::Call { call, message } => [call, message].into_iter().for_each(hide),
            Self::Start { what, message, hint } => [what, message, hint].into_iter().for_each(hide),
            Self::OutOfBounds { x: _, y: _, w: _, h: _ } => {}
            Self::Unsupported { platform: _, action } => hide(action),
            Self::BadArgument { what, message } => [what, message].into_iter().for_each(hide),
            Self::Image(error) => {
                if let Some(message) = secrets.masked(&error.to_string()) {
                    *self = Self::Call { call: "picture".to_owned(), message };
                }
            }
            Self::Io { what, source } => {
                hide(what);
                if let Some(said) = secrets.masked(&source.to_string()) {
                    *source = std::io::Error::new(source.kind(), said);
                }
            }
        }
    }
}

impl Secrets {
    /// `xml` with what its attributes show replaced by bullets, where they show a value; its tags stay.
    pub fn attributes(&self, xml: &str) -> Option<String> {
        // Between quotes stand the attributes' values, and nothing else has quotes in it.
        let mut parts: Vec<Cow<'_, str>> = xml.split('"').map(Cow::Borrowed).collect();
        let mut shown = false;
        for part in parts.iter_mut().skip(1).step_by(2) {
            if let Some(masked) = self.masked(part) {
                *part = Cow::Owned(masked);
                shown = true;
            }
        }
        shown.then(|| parts.join("\""))
    }

    pub fn observed(&self, seen: Result<Observation>) -> Result<Observation> {
        let mut seen = self.mask_answer(seen)?;
        seen.mask(self);
        Ok(seen)
    }

    pub fn reported(&self, done: Result<ActionReport>) -> Result<ActionReport> {
        let mut done = self.mask_answer(done)?;
        if !self.is_empty() {
            done.mask(self);
        }
        Ok(done)
    }

    pub(crate) fn mask_answer<T>(&self, answer: Result<T>) -> Result<T> {
        answer.map_err(|mut error| {
            if !self.is_empty() {
                error.mask(self);
            }
            error
        })
    }
}

/// A coordinate as a pixel's, from 0 to `limit`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped to the picture")]
fn whole(at: f64, limit: u32) -> u32 {
    at.floor().clamp(0.0, f64::from(limit)) as u32
}

fn painted(picture: &Picture, places: &[Rect<Physical>]) -> Picture {
    let mut pixels = picture.pixels().as_ref().clone();
    for place in places {
        let across = whole(place.x, pixels.width())..whole(place.x + place.w + 1.0, pixels.width());
        for y in whole(place.y, pixels.height())..whole(place.y + place.h + 1.0, pixels.height()) {
            for x in across.clone() {
                pixels.put_pixel(x, y, Rgb([128; 3]));
            }
        }
    }
    Picture::new(pixels)
}

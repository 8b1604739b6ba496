//! What was recorded of an episode, as a demonstration.
//!
//! Pictures without numbers are in no run folder, so the demonstration has none either.

use std::path::Path;
use std::sync::Arc;

use waldo_agents::View;
use waldo_agents::appagent::Mode;
use waldo_agents::appagent::docs::keys;
use waldo_agents::appagent::docs::logs::Recorded;
use waldo_devices::labels::{self, encode_png};
use waldo_devices::{Action, ActionReport, Effect, Picture};

use super::folder::DemoFolder;
use super::layout::DemoInfo;
use super::read::view_of;
use crate::draft::{Deed, Done};
use crate::error::Result;
use crate::events::{EventKind, Observed};

/// Writes a demonstration of what was done into a new folder; `picture` gives the labelled picture of a screen, as it was
/// kept. Gives how many lines AppAgent's record has.
pub fn import(
    path: &Path,
    info: DemoInfo,
    done: &Done,
    picture: impl Fn(&Observed) -> Option<Vec<u8>>,
) -> Result<usize> {
    let mut folder = DemoFolder::create_or_resume(path, info)?;
    folder.started()?;
    let screen = |seen: &Observed| -> Result<View> {
        let png = match picture(seen) {
            Some(kept) => encode_png(&Picture::new(labels::decode(&kept)?))?,
            None => Vec::new(),
        };
        Ok(view_of(seen, Picture::empty(), Arc::from(png)))
    };
    let mut last: Option<String> = None;
    let mut deeds = done.deeds.iter().peekable();
    while let Some(deed) = deeds.next() {
        let view = screen(&deed.seen)?;
        folder.screen(&view)?;
        let keys = keys(&view, Mode::Compat);
        let mut acted = vec![of(deed)];
        let mut recorded = line(deed, &view, &keys, last.as_deref());
        let mut call = deed.action.describe();
        // All that was done in one step was done on one screen.
        while let Some(more) = deeds.next_if(|next| next.step == deed.step) {
            acted.push(of(more));
            call = format!("{call}, {}", more.action.describe());
            recorded = line(more, &view, &keys, last.as_deref()).or(recorded);
        }
        if let Some(Recorded::Tap { uid, .. } | Recorded::Text { uid, .. }) = &recorded {
            last = Some(uid.clone());
        }
        folder.step(acted, call, deed.tag, recorded)?;
    }
    if let Some((_, end)) = &done.screens {
        folder.screen(&screen(end)?)?;
    }
    let lines = folder.records.len();
    folder.finish()?;
    Ok(lines)
}

fn of(deed: &Deed) -> EventKind {
    let report = ActionReport { effect: Effect::Unverifiable, took: std::time::Duration::ZERO };
    EventKind::Acted { step: deed.step, action: deed.action.clone(), report: Some(report), note: None }
}

/// AppAgent's line for it, where its record has one.
fn line(deed: &Deed, view: &View, keys: &[String], last: Option<&str>) -> Option<Recorded> {
    let key = |tag| {
        let at = view.tagged.iter().position(|t| t.tag == tag)?;
        keys.get(at).cloned()
    };
    let at = |place| {
        deed.tag
            .filter(|tag| view.element(*tag).is_some_and(|e| e.bounds.contains(place)))
            .or_else(|| view.at(place).map(|(tag, _)| tag))
    };
    match &deed.action {
        Action::Tap { at: place, .. } | Action::TapAt { at: place, .. } => {
            let tag = at(*place)?;
            Some(Recorded::Tap { tag: tag.0, uid: key(tag)? })
        }
        Action::LongPress { at: place } => {
            let tag = at(*place)?;
            Some(Recorded::LongPress { tag: tag.0, uid: key(tag)? })
        }
        Action::Type { text } | Action::Paste { text } => {
            let focused = waldo_agents::appagent::learn::focused(view);
            let place = focused.or_else(|| keys.iter().position(|key| Some(key.as_str()) == last))?;
            let tag = view.tagged.get(place)?.tag;
            Some(Recorded::Text { tag: tag.0, text: text.clone(), uid: keys.get(place)?.clone() })
        }
        Action::Fill { element, text } => {
            let place = view.observation.elements.iter().position(|e| e.handle == *element)?;
            let tag = view.tagged.iter().find(|tagged| tagged.element == place)?.tag;
            Some(Recorded::Text { tag: tag.0, text: text.clone(), uid: key(tag)? })
        }
        Action::Swipe { from, to, .. } => {
            let tag = at(*from)?;
            let (right, down) = (to.x - from.x, to.y - from.y);
            let direction = match right.abs() > down.abs() {
                true if right > 0.0 => "right",
                true => "left",
                false if down > 0.0 => "down",
                false => "up",
            };
            Some(Recorded::Swipe { tag: tag.0, direction: direction.into(), uid: key(tag)? })
        }
        _ => None,
    }
}

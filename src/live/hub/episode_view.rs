//! What the pages show of one episode.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};
use waldo_devices::{Frames, Picture};
use waldo_tasks::{EpisodeKey, EventKind};

use super::super::page::step_line;
use super::super::wheel::Wheel;
use crate::report::steps::EventParts;

#[derive(Debug, Default)]
pub(super) struct EpisodeView {
    pub(super) key: Option<EpisodeKey>,
    pub(super) goal: String,
    pub(super) title: String,
    pub(super) max_steps: u32,
    pub(super) phase: &'static str,
    pub(super) parts: EventParts,
    pub(super) step: u32,
    pub(super) picture: Arc<[u8]>,
    pub(super) pictures: u64,
    pub(super) bare: Option<Picture>,
    pub(super) names: HashMap<u32, String>,
    pub(super) touch: bool,
    pub(super) tools: Vec<&'static str>,
    pub(super) wheel: Option<Arc<Wheel>>,
    pub(super) frames: Frames,
    pub(super) result: Option<Value>,
}

impl EpisodeView {
    pub(super) fn take(&mut self, event: &EventKind, picture: Option<&[u8]>) -> Option<u32> {
        match event {
            EventKind::Started { goal, max_steps, .. } => {
                (self.goal, self.max_steps) = (goal.clone(), *max_steps);
                (self.phase, self.step, self.result) = ("starting", 0, None);
                self.names.clear();
            }
            EventKind::Observed(seen) => {
                (self.phase, self.step) = ("deciding", seen.step);
                if let Some(wheel) = &self.wheel {
                    wheel.step(seen.step);
                }
                if let Some(name) = &seen.picture {
                    self.names.insert(seen.step, name.clone());
                }
                if let Some(picture) = picture {
                    (self.picture, self.pictures) = (picture.into(), self.pictures + 1);
                }
            }
            EventKind::Decided { .. } => self.phase = "acting",
            EventKind::Acted { .. } | EventKind::Demonstrated { .. } => self.phase = "looking",
            _ => {}
        }
        self.parts.take(event.clone())
    }

    pub(super) fn step_line(&self, key: &str, step: u32) -> Option<Value> {
        Some(json!({ "type": "step", "key": key, "step": step_line(&self.parts, step)? }))
    }
}

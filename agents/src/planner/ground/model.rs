//! The `model` grounder: a model that answers with coordinates.

use std::sync::Arc;

use async_trait::async_trait;
use image::{RgbImage, imageops};
use waldo_devices::{Deadline, labels};
use waldo_prompts::Prompts;
use waldo_prompts::planner::GroundPoint;

use super::profile::Scale;
use super::tags::ANSWER_TOKENS;
use super::{GroundAnswer, GroundProfile, Grounder, LocateRequest, NO_PICTURE};
use crate::agent::Exchange;
use crate::chat::message;
use crate::error::{ModelError, Result};
use crate::model::{MessagePart, ModelClient, ModelRequest, Speaker};

pub struct ModelGrounder {
    client: Arc<dyn ModelClient>,
    prompts: Arc<Prompts>,
    profile: GroundProfile,
}

impl ModelGrounder {
    /// One that asks `client`, whose answers follow `profile`.
    pub fn new(client: Arc<dyn ModelClient>, prompts: Arc<Prompts>, profile: GroundProfile) -> Self {
        Self { client, prompts, profile }
    }
}

/// The longer side and the pixels beyond which Claude's service shrinks a picture before its model sees it: places
/// in pixels are then places in that one.
const CLAUDE_SIDE: u32 = 1568;
const CLAUDE_PIXELS: f64 = 1_024_000.0;

/// The picture as the model will see it, where the model's service would make it smaller.
fn fitted(model: &str, scale: Scale, picture: &RgbImage) -> Option<RgbImage> {
    let (w, h) = picture.dimensions();
    let claude = model.to_ascii_lowercase().contains("claude");
    let by_side = f64::from(CLAUDE_SIDE) / f64::from(w.max(h).max(1));
    let share = by_side.min((CLAUDE_PIXELS / (f64::from(w) * f64::from(h)).max(1.0)).sqrt());
    let side = |of: u32| ((f64::from(of) * share) as u32).max(1);
    let shrunk = claude && scale == Scale::Absolute && share < 1.0;
    shrunk.then(|| imageops::resize(picture, side(w), side(h), imageops::FilterType::CatmullRom))
}

#[async_trait]
impl Grounder for ModelGrounder {
    fn name(&self) -> &'static str {
        "model"
    }

    async fn preflight(&self, deadline: Deadline) -> Result<(), ModelError> {
        self.client.preflight(deadline).await
    }

    async fn locate(&self, ask: &LocateRequest<'_>, log: &mut Vec<Exchange>) -> Result<GroundAnswer> {
        let picture = ask.picture();
        let fitted = fitted(self.client.model(), self.profile.scale, picture);
        let picture = fitted.as_ref().unwrap_or(picture);
        let (width, height) = picture.dimensions();
        if width == 0 || height == 0 {
            return Ok(GroundAnswer::Refused(NO_PICTURE.to_owned()));
        }
        let png = labels::encode_png(picture)?;
        let form = self.profile.form();
        let text = self.prompts.planner_ground_point(&GroundPoint {
            kind: ask.kind.to_owned(),
            description: ask.description.to_owned(),
            element: ask.element.map(str::to_owned),
            crop: ask.crop.is_some(),
            width,
            height,
            form: form.clone(),
        })?;
        let mut first = message(Speaker::User, &text);
        first.parts.push(MessagePart::Png(png.into()));
        let request =
            ModelRequest { messages: vec![first], max_tokens: ANSWER_TOKENS, ..ModelRequest::default() };
        let (w, h) = (f64::from(width), f64::from(height));
        let read = |reply: &str| self.profile.read(reply, w, h).map(|at| ask.placed(at));
        ask.put(self.client.as_ref(), request, &text, &form, log, read).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_sent_as_claude_sees_it_and_to_others_as_it_is() {
        let wide = RgbImage::new(3840, 1080);
        let size = |model: &str, scale| fitted(model, scale, &wide).map(|picture| picture.dimensions());
        assert_eq!(size("anthropic/claude-sonnet-4.5", Scale::Absolute), Some((1568, 441)));
        assert_eq!(size("anthropic/claude-sonnet-4.5", Scale::Thousand), None);
        assert_eq!(size("qwen2.5-vl-7b", Scale::Absolute), None);
        assert_eq!(fitted("claude", Scale::Absolute, &RgbImage::new(1280, 800)), None);
    }
}

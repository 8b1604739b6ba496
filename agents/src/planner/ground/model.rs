//! The `model` grounder: a model that answers with coordinates.

use std::sync::Arc;

use async_trait::async_trait;
use waldo_devices::{Deadline, labels};
use waldo_prompts::Prompts;
use waldo_prompts::planner::GroundPoint;

use super::tags::ANSWER_TOKENS;
use super::{GroundAnswer, GroundProfile, Grounder, LocateRequest, ScreenSpot};
use crate::agent::Exchange;
use crate::chat::{self, message, retry_messages};
use crate::error::{AgentError, ModelError};
use crate::model::{MessagePart, ModelClient, Speaker};

/// Asks a grounding model for a point.
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

#[async_trait]
impl Grounder for ModelGrounder {
    fn name(&self) -> &'static str {
        "model"
    }

    fn guesses(&self) -> bool {
        true
    }

    async fn preflight(&self, deadline: Deadline) -> Result<(), ModelError> {
        self.client.preflight(deadline).await
    }

    async fn locate(
        &self,
        ask: &LocateRequest<'_>,
        log: &mut Vec<Exchange>,
    ) -> Result<GroundAnswer, AgentError> {
        let screen = ask.view.observation.picture.pixels().as_ref();
        let picture = ask.crop.map_or(screen, |crop| &crop.picture);
        let (width, height) = picture.dimensions();
        if width == 0 || height == 0 {
            return Ok(GroundAnswer::Refused("there is no picture of the screen to look at".to_owned()));
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
        let mut messages = vec![first];
        let client = self.client.as_ref();
        let (w, h) = (f64::from(width), f64::from(height));
        let purpose = if ask.crop.is_some() { "ground (second shot)" } else { "ground" };
        let (reply, mut exchange) =
            chat::ask(client, ANSWER_TOKENS, purpose, &messages, &text, ask.deadline).await?;
        let mut read = self.profile.read(&reply.text, w, h);
        if let Err(error) = &read {
            exchange.rejected = Some(error.clone());
            let question = format!("That answer could not be used: {error}. {form}");
            messages.extend(retry_messages(&reply.text, &question));
            log.push(exchange);
            let (reply, second) =
                chat::ask(client, ANSWER_TOKENS, "ground again", &messages, &question, ask.deadline).await?;
            exchange = second;
            read = self.profile.read(&reply.text, w, h);
            exchange.rejected = read.as_ref().err().cloned();
        }
        log.push(exchange);
        Ok(match read {
            Ok(Some(at)) => GroundAnswer::At(ScreenSpot { point: ask.on_screen(at), element: None }),
            Ok(None) => GroundAnswer::Refused("the locator says that it is not on the screen".to_owned()),
            Err(error) => GroundAnswer::Refused(format!("the locator's answer could not be used: {error}")),
        })
    }
}

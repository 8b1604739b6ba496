//! A grounding model with a profile of its own: its picture, its prompt, its coordinates.

use std::sync::Arc;

use async_trait::async_trait;
use waldo_devices::{Deadline, Point};
use waldo_native::{Material, Profile};

use super::pictures::{messages, sent};
use crate::agent::Exchange;
use crate::chat::{self, retry_messages};
use crate::error::{AgentError, ModelError, Result};
use crate::model::ModelClient;
use crate::planner::ground::{GroundAnswer, Grounder, LocateRequest, ScreenSpot};
use crate::planner::messages::transcript;

const TOKENS: u32 = 512;
const NAME: &str = "grounder";

pub struct ProfileGrounder {
    client: Arc<dyn ModelClient>,
    profile: Arc<Profile>,
}

impl ProfileGrounder {
    pub fn new(client: Arc<dyn ModelClient>, profile: Arc<Profile>) -> Self {
        Self { client, profile }
    }
}

#[async_trait]
impl Grounder for ProfileGrounder {
    fn name(&self) -> &'static str {
        "model"
    }

    async fn preflight(&self, deadline: Deadline) -> Result<(), ModelError> {
        self.client.preflight(deadline).await
    }

    async fn locate(&self, ask: &LocateRequest<'_>, log: &mut Vec<Exchange>) -> Result<GroundAnswer> {
        let screen = ask.view.observation.picture.pixels().as_ref();
        let picture = ask.crop.map_or(screen, |crop| &crop.picture);
        let (width, height) = picture.dimensions();
        if width == 0 || height == 0 {
            return Ok(GroundAnswer::Refused("there is no picture of the screen to look at".to_owned()));
        }
        let scale = self.profile.scale((width, height)).map_err(|error| AgentError::setup(NAME, error))?;
        let png = sent(&self.profile, picture, NAME)?;
        let goal = ask.element.unwrap_or(ask.description);
        let said = self.profile.messages(&Material { goal, device: None, scale, steps: &[] })?;
        let mut asked = messages(said, |_| Some(&png));
        let mut purpose = if ask.crop.is_some() { "ground (second shot)" } else { "ground" };
        let mut new = transcript(&asked);
        loop {
            let client = self.client.as_ref();
            let (reply, mut exchange) =
                chat::ask(client, TOKENS, purpose, &asked, &new, ask.deadline).await?;
            let read = self.profile.read_place(&reply.text);
            let place = read.and_then(|at| at.map(|at| scale.on_screen(at)).transpose());
            exchange.rejected = place.as_ref().err().cloned();
            log.push(exchange);
            let error = match place {
                Ok(Some(at)) => {
                    let at = Point::new(at.x / f64::from(width), at.y / f64::from(height));
                    return Ok(GroundAnswer::At(ScreenSpot { point: ask.on_screen(at), element: None }));
                }
                Ok(None) => {
                    return Ok(GroundAnswer::Refused(
                        "the locator says that it is not on the screen".to_owned(),
                    ));
                }
                Err(error) => error,
            };
            if purpose == "ground again" {
                return Ok(GroundAnswer::Refused(format!("the locator's answer could not be used: {error}")));
            }
            purpose = "ground again";
            new = format!("That answer could not be used: {error}. Answer with the place alone.");
            asked.extend(retry_messages(&reply.text, &new));
        }
    }
}

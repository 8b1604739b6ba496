//! A grounding model with a profile of its own: its picture, its prompt, its coordinates.

use std::sync::Arc;

use async_trait::async_trait;
use waldo_devices::{Deadline, Physical, Point};
use waldo_native::{Material, Profile};

use super::pictures::{messages, sent};
use crate::agent::Exchange;
use crate::error::{AgentError, ModelError, Result};
use crate::model::{ModelClient, ModelRequest};
use crate::planner::ground::{GroundAnswer, Grounder, LocateRequest, NO_PICTURE};
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
        let picture = ask.picture();
        let (width, height) = picture.dimensions();
        if width == 0 || height == 0 {
            return Ok(GroundAnswer::Refused(NO_PICTURE.to_owned()));
        }
        let scale = self.profile.scale((width, height)).map_err(|error| AgentError::setup(NAME, error))?;
        let png = sent(&self.profile, picture, NAME)?;
        let goal = ask.element.unwrap_or(ask.description);
        let said = self.profile.messages(&Material { goal, device: None, scale, steps: &[] })?;
        let messages = messages(said, |_| Some(&png));
        let text = transcript(&messages);
        let request = ModelRequest { messages, max_tokens: TOKENS, ..ModelRequest::default() };
        let share = |at: Point<Physical>| Point::new(at.x / f64::from(width), at.y / f64::from(height));
        let read = |reply: &str| {
            let at = self.profile.read_place(reply)?.map(|at| scale.on_screen(at)).transpose()?;
            Ok::<_, String>(ask.placed(at.map(share)))
        };
        let form = "Answer with the place alone.";
        ask.put(self.client.as_ref(), request, &text, form, log, read).await
    }
}

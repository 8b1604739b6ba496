//! Questions that no episode asks: whether a model can be asked at all, and whether it reads a format of pictures.

use image::{Rgb, RgbImage};
use waldo_devices::Deadline;
use waldo_devices::labels::{Layer, PictureFormat, PicturePacking};

use super::attempt::Remedy;
use super::{EndpointClient, FIRST_BACKOFF};
use crate::error::ModelError;
use crate::model::{Message, MessagePart, ModelRequest, Speaker};

/// What is asked before the first episode, to see that the model can be asked.
pub(crate) const PREFLIGHT: &str = "This only tests the connection. Reply with: ok";
/// Tokens that the reply to it may have: some endpoints refuse fewer.
const PREFLIGHT_TOKENS: u32 = 16;
/// The question about a picture, what the picture is filled with, and the word for it: nobody guesses it.
const WEBP_QUESTION: &str =
    "This only tests the connection. What colour fills this picture? Reply with one word.";
const WEBP_COLOUR: [u8; 3] = [255, 140, 0];
const WEBP_ANSWER: &str = "orange";
/// Some models think before they say a word.
const WEBP_TOKENS: u32 = 512;
const WEBP_SIDE: u32 = 64;
/// How often what an endpoint does not take is taken out of a question.
const LESSONS: usize = 4;

impl EndpointClient {
    pub(super) async fn webp(&self, deadline: Deadline) -> bool {
        let picture = RgbImage::from_pixel(WEBP_SIDE, WEBP_SIDE, Rgb(WEBP_COLOUR));
        let packing = PicturePacking { format: PictureFormat::Webp, max: None };
        let Ok(webp) = Layer::over(&picture).encode(packing) else { return false };
        let parts = vec![MessagePart::Text(WEBP_QUESTION.to_owned()), MessagePart::Png(webp.into())];
        let messages = vec![Message { speaker: Speaker::User, parts }];
        let request = ModelRequest { messages, max_tokens: WEBP_TOKENS, ..ModelRequest::default() };
        let answer = self.once(&request, self.learnt(), deadline).await;
        answer.is_ok_and(|answer| answer.text.to_lowercase().contains(WEBP_ANSWER))
    }

    /// The very request that an episode makes, but for pictures, so that what is right for it is right for all;
    /// a list of models is not served everywhere, and may be kept from a key that is good for all else.
    pub(super) async fn can_be_asked(&self, deadline: Deadline) -> Result<(), ModelError> {
        let question =
            Message { speaker: Speaker::User, parts: vec![MessagePart::Text(PREFLIGHT.to_owned())] };
        let request = ModelRequest {
            messages: vec![question],
            max_tokens: PREFLIGHT_TOKENS,
            ..ModelRequest::default()
        };
        let (mut again, mut lessons) = (true, LESSONS);
        loop {
            let learnt = self.learnt();
            let failure = match self.once(&request, learnt, deadline).await {
                Ok(_) => return Ok(()),
                Err(failure) => failure,
            };
            if let Remedy::After(lesson) = failure.again
                && lessons > 0
                && self.take(lesson, learnt, &request, &failure.error)
            {
                lessons -= 1;
                continue;
            }
            match (&failure.error, failure.again) {
                // It is there and knows the key; the calls themselves wait their turn.
                (ModelError::RateLimited { retry_after, .. }, _)
                    if retry_after.is_none_or(|asked| asked < self.options.attempt_timeout) =>
                {
                    return Ok(());
                }
                // What it does not like is this question, not who asks it.
                (ModelError::Status { status: 400 | 409 | 413 | 415 | 422, .. }, _) => return Ok(()),
                (ModelError::RateLimited { .. } | ModelError::Timeout { .. }, _) => return Err(failure.error),
                (_, Remedy::Later(_)) if again => {
                    again = false;
                    tokio::time::sleep(FIRST_BACKOFF).await;
                }
                _ => return Err(failure.error),
            }
        }
    }
}

//! Messages of a profile as a model is sent them.

use std::sync::Arc;

use image::RgbImage;
use waldo_devices::labels;
use waldo_native::{ContentPart, MessageRole, Profile, ProfileMessage};

use crate::error::{AgentError, Result};
use crate::model::{Message, MessagePart, Speaker};

pub(super) fn sent(profile: &Profile, picture: &RgbImage, agent: &'static str) -> Result<Arc<[u8]>> {
    let failed = |error| AgentError::setup(agent, format!("{}: {error}", profile.name()));
    let resized = profile.resized(picture).map_err(failed)?;
    Ok(labels::encode_png(resized.as_ref().unwrap_or(picture))?.into())
}

/// The messages, with pictures by the numbers of their steps. A picture that is gone is left out.
pub(super) fn messages<'a>(
    said: Vec<ProfileMessage>,
    picture: impl Fn(usize) -> Option<&'a Arc<[u8]>>,
) -> Vec<Message> {
    let part = |piece: ContentPart| match piece {
        ContentPart::Text(text) => Some(MessagePart::Text(text)),
        ContentPart::Picture(step) => picture(step).map(|png| MessagePart::Png(Arc::clone(png))),
    };
    let message = |said: ProfileMessage| Message {
        speaker: match said.role {
            MessageRole::System => Speaker::System,
            MessageRole::User => Speaker::User,
            MessageRole::Assistant => Speaker::Assistant,
        },
        parts: said.pieces.into_iter().filter_map(part).collect(),
    };
    said.into_iter().map(message).filter(|message| !message.parts.is_empty()).collect()
}

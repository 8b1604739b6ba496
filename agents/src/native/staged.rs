//! The stages of a turn that the program of a profile takes over, and a model that is such a program.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use waldo_devices::Deadline;
use waldo_native::{Call, HookStage, Material, Reply};

use super::hook::{Hook, NoAnswer};
use crate::error::ModelError;
use crate::model::{Message, MessagePart, ModelClient, ModelReply, ModelRequest, Speaker, Unread, Usage};

/// Builds the messages of a turn: from the task, the steps, and the pictures by the numbers of their steps.
pub(super) async fn build(
    hook: &Hook,
    material: &Material<'_>,
    pictures: &[(usize, Arc<[u8]>)],
    deadline: Deadline,
) -> Result<Vec<Message>, ModelError> {
    let (width, height) = material.scale.sent;
    let shown = |(step, png): &(usize, Arc<[u8]>)| json!({"step": step, "data": STANDARD.encode(png)});
    let input = json!({
        "goal": material.goal,
        "platform": material.device.map(|device| device.platform),
        "step": material.steps.len() + 1,
        "steps": material.steps,
        "width": width,
        "height": height,
        "pictures": pictures.iter().map(shown).collect::<Vec<_>>(),
    });
    let output = hook.ask(HookStage::BuildPrompt, &input, deadline).await?;
    read(&output, pictures)
}

/// Messages that are about to be sent, as the program wants them.
pub(super) async fn preprocess(
    hook: &Hook,
    messages: &[Message],
    deadline: Deadline,
) -> Result<Vec<Message>, ModelError> {
    let input = json!({"messages": written(messages)});
    let output = hook.ask(HookStage::Preprocess, &input, deadline).await?;
    read(&output, &[])
}

pub(super) async fn postprocess(hook: &Hook, text: &str, deadline: Deadline) -> Result<String, ModelError> {
    let output = hook.ask(HookStage::Postprocess, &json!({"text": text}), deadline).await?;
    output.as_str().map(str::to_owned).ok_or_else(|| bad("postprocess", "a text"))
}

/// What a text wants done. The inner error is a fragment for the model.
pub(super) async fn parse(
    hook: &Hook,
    text: &str,
    material: &Material<'_>,
    deadline: Deadline,
) -> Result<Result<Reply, String>, ModelError> {
    let (width, height) = material.scale.sent;
    let input = json!({"text": text, "width": width, "height": height});
    let output = match hook.ask(HookStage::ParseResponse, &input, deadline).await {
        Ok(output) => output,
        Err(NoAnswer::Said(why)) => return Ok(Err(why)),
        Err(failed) => return Err(failed.into()),
    };
    let wanted = || bad("parse_response", "an object with calls, each with a name and args");
    let text = |field: &str| output.get(field).and_then(Value::as_str).map(str::to_owned);
    let calls = output.get("calls").and_then(Value::as_array).ok_or_else(wanted)?;
    let call = |value: &Value| {
        let name = value.get("name")?.as_str()?.to_owned();
        let named = match value.get("args") {
            Some(Value::Object(args)) => args.clone(),
            None | Some(Value::Null) => serde_json::Map::new(),
            Some(_) => return None,
        };
        Some(Call { name, positional: Vec::new(), named })
    };
    let calls: Option<Vec<Call>> = calls.iter().map(call).collect();
    let calls = calls.ok_or_else(wanted)?;
    if calls.is_empty() {
        return Ok(Err("there is no call in it".to_owned()));
    }
    Ok(Ok(Reply { thought: text("thought"), operation: text("operation"), calls, ..Reply::default() }))
}

fn bad(stage: &str, wanted: &str) -> ModelError {
    ModelError::Hook { message: format!("{stage}: its output has to be {wanted}") }
}

fn written(messages: &[Message]) -> Value {
    let part = |part: &MessagePart| match part {
        MessagePart::Text(text) => json!({"type": "text", "text": text}),
        MessagePart::Png(png) => json!({"type": "image", "data": STANDARD.encode(png)}),
        // Programs are asked in words alone.
        MessagePart::Said(said) => json!({"type": "text", "text": said.to_string()}),
        MessagePart::Result(result) => json!({"type": "text", "text": result.words}),
    };
    let message = |message: &Message| json!({"role": message.speaker, "content": message.parts.iter().map(part).collect::<Vec<_>>()});
    messages.iter().map(message).collect()
}

/// Messages as the program writes them; an image is its data, or the number of a step.
fn read(output: &Value, pictures: &[(usize, Arc<[u8]>)]) -> Result<Vec<Message>, ModelError> {
    let wanted = || bad("its messages", "a list of role and content (text, or a list of text and image)");
    let part = |part: &Value| match part["type"].as_str()? {
        "text" => Some(MessagePart::Text(part["text"].as_str()?.to_owned())),
        "image" => match part.get("data").and_then(Value::as_str) {
            Some(data) => STANDARD.decode(data).ok().map(|bytes| MessagePart::Png(bytes.into())),
            None => {
                let step = part.get("step")?.as_u64()?;
                let found = pictures.iter().find(|(n, _)| u64::try_from(*n) == Ok(step))?;
                Some(MessagePart::Png(Arc::clone(&found.1)))
            }
        },
        _ => None,
    };
    let message = |value: &Value| {
        let speaker = match value["role"].as_str()? {
            "system" => Speaker::System,
            "user" => Speaker::User,
            "assistant" => Speaker::Assistant,
            _ => return None,
        };
        let parts: Option<Vec<MessagePart>> = match &value["content"] {
            Value::String(text) => Some(vec![MessagePart::Text(text.clone())]),
            Value::Array(all) => all.iter().map(part).collect(),
            _ => None,
        };
        Some(Message { speaker, parts: parts? })
    };
    let all: Option<Vec<Message>> = output.as_array().ok_or_else(wanted)?.iter().map(message).collect();
    all.filter(|all| !all.is_empty()).ok_or_else(wanted)
}

/// A model that is a program: no endpoint is asked.
pub struct HookModel {
    hook: Arc<Hook>,
    name: String,
}

impl HookModel {
    pub fn new(hook: Arc<Hook>, name: &str) -> Self {
        Self { hook, name: name.to_owned() }
    }
}

#[async_trait]
impl ModelClient for HookModel {
    fn model(&self) -> &str {
        &self.name
    }

    async fn complete(&self, request: &ModelRequest, deadline: Deadline) -> Result<ModelReply, ModelError> {
        let started = Instant::now();
        let input = json!({"messages": written(&request.messages), "max_tokens": request.max_tokens});
        let output = self.hook.ask(HookStage::Generate, &input, deadline).await?;
        let text = output.as_str().or_else(|| output.get("text").and_then(Value::as_str));
        let text = text.ok_or_else(|| bad("generate", "a text, or an object with text"))?.to_owned();
        let count = |name: &str| output.get(name).and_then(Value::as_u64);
        Ok(ModelReply {
            unread: Unread::of(&text, None),
            text,
            usage: Usage {
                prompt: count("prompt_tokens"),
                completion: count("completion_tokens"),
                ..Usage::default()
            },
            took: started.elapsed(),
            ..ModelReply::default()
        })
    }
}

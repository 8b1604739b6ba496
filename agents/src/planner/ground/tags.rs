//! The `tags` grounder: a model chooses among numbered elements.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use waldo_devices::{Deadline, Point, Tag};
use waldo_prompts::Prompts;
use waldo_prompts::planner::GroundTags;

use super::{GroundAnswer, Grounder, LocateRequest, ScreenSpot};
use crate::agent::{Exchange, View};
use crate::chat::message;
use crate::error::{ModelError, Result};
use crate::model::{MessagePart, ModelClient, ModelRequest, ReplySchema, Speaker};
use crate::planner::json;
use crate::planner::params::kind;

pub(super) const ANSWER_TOKENS: u32 = 512;

pub struct TagsGrounder {
    client: Arc<dyn ModelClient>,
    prompts: Arc<Prompts>,
}

impl TagsGrounder {
    pub fn new(client: Arc<dyn ModelClient>, prompts: Arc<Prompts>) -> Self {
        Self { client, prompts }
    }
}

#[async_trait]
impl Grounder for TagsGrounder {
    fn name(&self) -> &'static str {
        "tags"
    }

    fn guesses(&self) -> bool {
        false
    }

    async fn preflight(&self, deadline: Deadline) -> Result<(), ModelError> {
        self.client.preflight(deadline).await
    }

    async fn locate(&self, ask: &LocateRequest<'_>, log: &mut Vec<Exchange>) -> Result<GroundAnswer> {
        let view = ask.view;
        if view.tagged.is_empty() && view.png.is_empty() && !ask.anywhere {
            return Ok(GroundAnswer::Refused("this screen has no element that can be acted on".to_owned()));
        }
        let text = self.prompts.planner_ground_tags(&GroundTags {
            kind: ask.kind.to_owned(),
            description: ask.description.to_owned(),
            element: ask.element.map(str::to_owned),
            elements: view.list.clone(),
            whole: ask.anywhere,
            picture: !view.png.is_empty(),
        })?;
        let mut first = message(Speaker::User, &text);
        if !view.png.is_empty() {
            first.parts.push(MessagePart::Png(view.png.clone()));
        }
        let request = ModelRequest {
            messages: vec![first],
            max_tokens: ANSWER_TOKENS,
            schema: Some(schema()),
            ..ModelRequest::default()
        };
        let form = "Answer with one JSON object as described, and nothing else.";
        ask.put(self.client.as_ref(), request, &text, form, log, |reply| read(reply, ask)).await
    }
}

fn schema() -> ReplySchema {
    let number = json!({ "type": "number" });
    let schema = json!({
        "type": "object",
        "properties": {
            "element": { "type": ["integer", "null"] }, "x": number, "y": number, "reason": { "type": "string" },
        },
        "required": ["element"],
    });
    ReplySchema { name: "element", schema: Arc::new(schema) }
}

fn read(reply: &str, ask: &LocateRequest<'_>) -> Result<GroundAnswer, String> {
    let mut map = json::object(reply, "element")?.value;
    let element = ["element", "number", "tag", "id"].into_iter().find_map(|key| map.shift_remove(key));
    let tag = match element {
        None => return Err("the key element is missing".to_owned()),
        Some(Value::Null) => return without_element(ask, &map),
        Some(Value::Number(n)) => n.as_i64(),
        Some(Value::String(text)) => {
            let bare = text.trim().trim_matches(['[', ']', '#']);
            if matches!(bare.to_ascii_lowercase().as_str(), "null" | "none" | "") {
                return without_element(ask, &map);
            }
            bare.parse().ok()
        }
        Some(other) => return Err(format!("element must be a number or null, not {}", kind(&other))),
    };
    match tag {
        Some(-1) => without_element(ask, &map),
        Some(0) if ask.anywhere => Ok(GroundAnswer::At(ScreenSpot {
            point: ask.view.observation.geometry.screen().center(),
            element: None,
        })),
        Some(n) => {
            let tag = u32::try_from(n).ok().map(Tag);
            let index = tag.and_then(|tag| index(ask.view, tag)).ok_or_else(|| {
                let last = ask.view.tagged.last().map_or(0, |t| t.tag.0);
                format!("no element has the number {n}; the numbers on this screen are 1 to {last}")
            })?;
            place(ask.view, index, &map)
        }
        None => Err("element is not a whole number".to_owned()),
    }
}

fn index(view: &View, tag: Tag) -> Option<usize> {
    view.tagged.iter().find(|t| t.tag == tag).map(|t| t.element)
}

/// A place of the picture, of something that has no number; without one, a refusal.
fn without_element(ask: &LocateRequest<'_>, map: &Map<String, Value>) -> Result<GroundAnswer, String> {
    match (share(map, "x")?, share(map, "y")?) {
        (Some(x), Some(y)) if !ask.view.png.is_empty() => Ok(ask.placed(Some(Point::new(x, y)))),
        _ => Ok(refused(map)),
    }
}

fn refused(map: &Map<String, Value>) -> GroundAnswer {
    let reason = map.get("reason").and_then(Value::as_str).map(str::trim).filter(|r| !r.is_empty());
    GroundAnswer::Refused(reason.unwrap_or("no element fits the description").chars().take(300).collect())
}

/// An element's hit point, or percent of its bounds, the far edges just inside.
fn place(view: &View, index: usize, map: &Map<String, Value>) -> Result<GroundAnswer, String> {
    let element = view.observation.elements.get(index).ok_or("the element is gone")?;
    let point = match (share(map, "x")?, share(map, "y")?) {
        (None, None) => element.hit,
        (x, y) => {
            let b = &element.bounds;
            let mut p = b.at(x.unwrap_or(0.5), y.unwrap_or(0.5));
            p.x = p.x.min(b.right() - 0.5).max(b.x);
            p.y = p.y.min(b.bottom() - 0.5).max(b.y);
            p
        }
    };
    Ok(GroundAnswer::At(ScreenSpot { point, element: Some(index) }))
}

fn share(map: &Map<String, Value>, key: &str) -> Result<Option<f64>, String> {
    let Some(value) = map.get(key).filter(|value| !value.is_null()) else { return Ok(None) };
    let text = value.as_str().map(|text| text.trim_end_matches(['%', ' ']));
    let number = value.as_f64().or_else(|| text.and_then(|text| text.parse().ok()));
    match number {
        Some(n) if (0.0..=100.0).contains(&n) => Ok(Some(n / 100.0)),
        _ => Err(format!("{key} must be a percentage from 0 to 100, not {}", kind(value))),
    }
}

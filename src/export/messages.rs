//! Requests to models and their replies, as messages to train on. A line for each request whose reply could be used.

use std::path::Path;

use serde_json::{Value, json};
use waldo_agents::Exchange;

use super::error::ExportError;
use super::taken::{ExportStep, RecordedEpisode};

/// The requests of an episode whose replies were used, each with its step.
fn used(taken: &RecordedEpisode) -> impl Iterator<Item = (&ExportStep, &Exchange)> {
    taken.exchanges().filter(|(_, one)| one.rejected.is_none() && !one.reply.is_empty())
}

fn about(taken: &RecordedEpisode, step: &ExportStep, asked: &Exchange) -> Value {
    json!({
        "contestant": taken.key.contestant,
        "task": taken.key.task,
        "repeat": taken.key.repeat,
        "step": step.number,
        "purpose": asked.purpose,
        "success": taken.result.as_ref().and_then(|result| result.success),
    })
}

fn lines(values: impl Iterator<Item = Value>) -> String {
    values.map(|value| format!("{value}\n")).collect()
}

/// OpenAI's chat format; pictures are paths, seen from the file.
pub(super) fn openai(taken: &RecordedEpisode, home: &Path) -> Result<String, ExportError> {
    Ok(lines(used(taken).map(|(step, asked)| {
        let image = taken.picture_of_request(step, asked, home);
        json!({
            "messages": [prompt(asked, image.as_deref()), completion(asked)],
            "metadata": about(taken, step, asked),
        })
    })))
}

/// What was new in a request, as a message; `image` is the path of the picture that went along.
pub(super) fn prompt(asked: &Exchange, image: Option<&str>) -> Value {
    let mut content = vec![json!({ "type": "text", "text": asked.prompt })];
    content.extend(image.map(|path| json!({ "type": "image_url", "image_url": { "url": path } })));
    json!({ "role": "user", "content": content })
}

pub(super) fn completion(asked: &Exchange) -> Value {
    json!({ "role": "assistant", "content": asked.reply })
}

/// ShareGPT's form; `<image>` stands where the picture goes.
pub(super) fn sharegpt(taken: &RecordedEpisode, home: &Path) -> Result<String, ExportError> {
    Ok(lines(used(taken).map(|(step, asked)| {
        let picture = taken.picture_of_request(step, asked, home);
        let mark = if picture.is_some() { "<image>\n" } else { "" };
        json!({
            "conversations": [
                { "from": "human", "value": format!("{mark}{}", asked.prompt) },
                { "from": "gpt", "value": asked.reply },
            ],
            "images": picture.into_iter().collect::<Vec<_>>(),
            "metadata": about(taken, step, asked),
        })
    })))
}

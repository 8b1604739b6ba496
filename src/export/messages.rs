//! Requests to models and their replies, as messages to train on. A line for each request whose reply could be used.

use std::path::Path;

use serde_json::{Value, json};
use waldo_agents::Exchange;

use super::error::ExportError;
use super::links::link;
use super::taken::{ExportStep, RecordedEpisode};

/// The requests of an episode whose replies were used, each with its step.
fn used(taken: &RecordedEpisode) -> impl Iterator<Item = (&ExportStep, &Exchange)> {
    taken.steps.iter().flat_map(|step| {
        let asked = step.decided.iter().flat_map(|(decision, _, _)| &decision.exchanges);
        asked.filter(|one| one.rejected.is_none() && !one.reply.is_empty()).map(move |one| (step, one))
    })
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

/// The labelled picture that went along, where one did.
fn picture(taken: &RecordedEpisode, step: &ExportStep, asked: &Exchange, home: &Path) -> Option<String> {
    taken.picture_path(step).filter(|_| asked.pictures > 0).map(|path| link(home, &path))
}

fn lines(values: impl Iterator<Item = Value>) -> String {
    values.map(|value| format!("{value}\n")).collect()
}

/// OpenAI's chat format; pictures are paths, seen from the file.
pub(super) fn openai(taken: &RecordedEpisode, home: &Path) -> Result<String, ExportError> {
    Ok(lines(used(taken).map(|(step, asked)| {
        let mut content = vec![json!({ "type": "text", "text": asked.prompt })];
        if let Some(path) = picture(taken, step, asked, home) {
            content.push(json!({ "type": "image_url", "image_url": { "url": path } }));
        }
        json!({
            "messages": [
                { "role": "user", "content": content },
                { "role": "assistant", "content": asked.reply },
            ],
            "metadata": about(taken, step, asked),
        })
    })))
}

/// ShareGPT's form; `<image>` stands where the picture goes.
pub(super) fn sharegpt(taken: &RecordedEpisode, home: &Path) -> Result<String, ExportError> {
    Ok(lines(used(taken).map(|(step, asked)| {
        let picture = picture(taken, step, asked, home);
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

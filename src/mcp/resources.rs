//! Resources: what was done in the session so far, and its report.
//!
//! Invariant: what comes from the screen stays inside the delimited block here, too.

use rmcp::model::{ReadResourceResult, Resource, ResourceContents};
use serde_json::{Value, json};
use waldo_devices::foreign;
use waldo_prompts::screen_block;
use waldo_tasks::{EpisodeKey, EventKind, RunFolder};

const TRAJECTORY: &str = "waldo://session/trajectory";
const REPORT: &str = "waldo://session/report";
const REPORT_BYTES: u64 = 16 << 20;

#[derive(Clone, Debug)]
pub struct SessionRecord {
    pub folder: RunFolder,
    pub key: EpisodeKey,
}

impl SessionRecord {
    pub fn list() -> Vec<Resource> {
        vec![
            Resource::new(TRAJECTORY, "trajectory")
                .with_description("every call of this session and what came of it, one JSON object a line")
                .with_mime_type("text/plain"),
            Resource::new(REPORT, "report")
                .with_description("the report so far, and where its page is")
                .with_mime_type("text/plain"),
        ]
    }

    pub fn read(&self, uri: &str) -> Result<Option<ReadResourceResult>, String> {
        let text = match uri {
            TRAJECTORY => self.trajectory()?,
            REPORT => self.report()?,
            _ => return Ok(None),
        };
        let text = crate::masking::mask(screen_block(&text));
        Ok(Some(ReadResourceResult::new(vec![ResourceContents::text(text, uri)])))
    }

    fn trajectory(&self) -> Result<String, String> {
        let events = self.folder.episode(&self.key).events().map_err(|e| e.to_string())?;
        let line = |kind: &EventKind| -> Option<Value> {
            Some(match kind {
                EventKind::Decided { step, decision, .. } => json!({ "step": step, "call": decision.call }),
                EventKind::Acted { step, action, report, note } => {
                    json!({ "step": step, "action": action, "report": report, "note": note })
                }
                EventKind::Ended { result } => {
                    json!({ "outcome": result.outcome.name(), "steps": result.steps })
                }
                _ => return None,
            })
        };
        let lines: Vec<String> = events.iter().filter_map(|e| line(&e.kind)).map(|v| v.to_string()).collect();
        Ok(lines.join("\n"))
    }

    fn report(&self) -> Result<String, String> {
        let files = crate::report::write(&self.folder, self.folder.path()).map_err(|e| e.to_string())?;
        let text = foreign::read_text(self.folder.path(), &files.markdown, REPORT_BYTES)
            .map_err(|e| e.to_string())?;
        Ok(format!("{text}\nthe page: {}", files.html.display()))
    }
}

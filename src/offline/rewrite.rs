//! Instructions of items in a model's words: each is put to it once, and its reply is kept in `rewrites.jsonl`.
//!
//! Invariant: what is kept is the reply itself, as soon as it is had, under a hash of all that it answers; whether its words
//! are taken is told from it anew each time. So a making that was stopped asks only for what is missing.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

use data_encoding::HEXLOWER;
use futures::{StreamExt as _, stream};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;
use waldo_agents::items::Rewriter;
use waldo_agents::model::{Unread, Usage};
use waldo_devices::Deadline;
use waldo_offline::Grounding;
use waldo_offline::make::{Flaw, FoundPlace, LONGEST, Rewritten, judged};
use waldo_prompts::items::RewriteText;
use waldo_tasks::FolderLock;

use super::LevelError;
use super::kept::KeptLines;
use crate::progress_bar::ProgressBar;

const FILE: &str = "rewrites.jsonl";
const TOLD: usize = 3;
/// What a reply is called that the model did not bring to its end, or refused.
const UNREAD: &str = "refused or cut off";

pub struct Words {
    pub rewriter: Rewriter,
    pub model: String,
    /// What shapes replies beside the instruction: parameters, and the template's hash.
    pub asked: Value,
    pub limit: Duration,
    pub at_once: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct RewriteReply {
    asked: String,
    item: String,
    original: String,
    reply: String,
    /// What is to be said of a reply that did not come to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unread: Option<Unread>,
    #[serde(default)]
    usage: Usage,
}

#[derive(Debug, Default, Serialize)]
pub struct RewriteSummary {
    pub by: String,
    pub of: usize,
    /// Those that stand in the model's words now.
    pub rewritten: usize,
    pub kept: usize,
    pub reasons: BTreeMap<&'static str, usize>,
    /// Those for which the model could not be asked: the same command asks again.
    pub failed: usize,
    /// Replies that were asked for now; others were there.
    pub asked: usize,
    pub missing: usize,
    pub usage: Usage,
}

impl RewriteSummary {
    pub fn line(&self) -> String {
        let mut said = format!("rewritten {} of {} by {}", self.rewritten, self.of, self.by);
        if self.kept > 0 {
            let reasons: Vec<String> = self.reasons.iter().map(|(why, n)| format!("{n} {why}")).collect();
            said.push_str(&format!("; {} kept: {}", self.kept, reasons.join(", ")));
        }
        if self.failed > 0 {
            said.push_str(&format!(
                "; {} not asked for, the model failed: the same command asks again",
                self.failed
            ));
        }
        said
    }
}

#[derive(Debug)]
pub struct Replies {
    all: HashMap<String, RewriteReply>,
    file: KeptLines,
    _writer: FolderLock,
}

impl Replies {
    /// Opens those of a folder of items, or begins them.
    pub fn open(folder: &Path) -> Result<Self, LevelError> {
        let writer = FolderLock::take(folder, "waldo grounding make", "give another --out")?;
        let (file, all) = KeptLines::open(folder, FILE)?;
        let all = all.into_iter().map(|reply: RewriteReply| (reply.asked.clone(), reply)).collect();
        Ok(Self { all, file, _writer: writer })
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn keep(&mut self, reply: RewriteReply) -> Result<(), LevelError> {
        self.file.keep(&reply)?;
        self.all.insert(reply.asked.clone(), reply);
        Ok(())
    }
}

struct Ask {
    asked: String,
    item: String,
    text: RewriteText,
}

impl Words {
    fn ask(&self, found: &FoundPlace<'_>, grounding: Grounding) -> Ask {
        let text = RewriteText {
            instruction: found.instructions[grounding.place()].clone(),
            without_name: grounding == Grounding::Advanced,
            longest: LONGEST,
        };
        let item = found.id(grounding);
        let whole = json!([self.model, self.asked, item, text]).to_string();
        Ask { asked: HEXLOWER.encode(&Sha256::digest(whole)), item, text }
    }

    /// Whether the model has to be asked for anything yet.
    pub fn has_all(&self, all: &[FoundPlace<'_>], replies: &Replies) -> bool {
        all.iter().all(|found| {
            Grounding::ALL
                .iter()
                .all(|grounding| replies.all.contains_key(&self.ask(found, *grounding).asked))
        })
    }

    /// Asks for what is missing, and puts words that can be taken beside the instructions.
    pub async fn rewrite(
        &self,
        all: &mut [FoundPlace<'_>],
        replies: &mut Replies,
        stop: &CancellationToken,
    ) -> Result<RewriteSummary, LevelError> {
        let mut missing: Vec<Ask> = Vec::new();
        for found in all.iter() {
            let asks = Grounding::ALL.map(|grounding| self.ask(found, grounding));
            missing.extend(asks.into_iter().filter(|ask| !replies.all.contains_key(&ask.asked)));
        }
        let mut summary = RewriteSummary { by: self.model.clone(), ..RewriteSummary::default() };
        let bar = ProgressBar::new(missing.len());
        let one = |ask: Ask| async move {
            if stop.is_cancelled() {
                return None;
            }
            let said = tokio::select! {
                said = self.rewriter.rewrite(&ask.text, Deadline::after(self.limit)) => said,
                () = stop.cancelled() => return None,
            };
            Some((ask, said))
        };
        let mut answered = stream::iter(missing.into_iter().map(one)).buffer_unordered(self.at_once.max(1));
        while let Some(answer) = answered.next().await {
            let Some((ask, said)) = answer else {
                summary.missing += 1;
                continue;
            };
            match said {
                Ok(exchange) => {
                    summary.asked += 1;
                    replies.keep(RewriteReply {
                        asked: ask.asked,
                        item: ask.item,
                        original: ask.text.instruction,
                        reply: crate::masking::mask(exchange.reply),
                        unread: exchange.unread,
                        usage: exchange.usage,
                    })?;
                }
                Err(error) => {
                    summary.failed += 1;
                    if summary.failed <= TOLD {
                        let said = crate::report::cut(&error.to_string(), 300);
                        bar.suspend(|| eprintln!("{}: {said}", ask.item));
                    }
                }
            }
            let failed = summary.failed;
            bar.advance(&if failed > 0 { format!("{failed} failed") } else { String::new() });
            if bar.hidden && bar.position().is_multiple_of(50) {
                eprintln!("{} instructions asked for", bar.position());
            }
        }
        drop(answered);
        bar.clear();
        if summary.missing == 0 {
            self.take(all, replies, &mut summary);
        }
        Ok(summary)
    }

    fn take(&self, all: &mut [FoundPlace<'_>], replies: &Replies, summary: &mut RewriteSummary) {
        for found in all {
            for grounding in Grounding::ALL {
                summary.of += 1;
                let Some(reply) = replies.all.get(&self.ask(found, grounding).asked) else { continue };
                summary.usage += reply.usage;
                match words_of(found, grounding, reply) {
                    Ok(text) => {
                        summary.rewritten += 1;
                        found.rewritten[grounding.place()] = Some(Rewritten { text, by: self.model.clone() });
                    }
                    Err(reason) => {
                        summary.kept += 1;
                        *summary.reasons.entry(reason).or_default() += 1;
                    }
                }
            }
        }
    }
}

/// What a reply says, without what the model thought before; or why it is not taken.
fn words_of(
    found: &FoundPlace<'_>,
    grounding: Grounding,
    reply: &RewriteReply,
) -> Result<String, &'static str> {
    match reply.unread {
        None => {}
        Some(Unread::Empty) => return Err(Flaw::Empty.reason()),
        Some(_) => return Err(UNREAD),
    }
    let said = reply.reply.rsplit_once("</think>").map_or(reply.reply.as_str(), |(_, rest)| rest);
    judged(found, grounding, said, crate::terminal::is_barred).map_err(Flaw::reason)
}

//! Prints each step of an episode as it happens: a consumer of its events like any other.

use waldo_agents::{Choice, Note};
use waldo_devices::Effect;
use waldo_devices::count::count;
use waldo_tasks::{Event, EventKind, EventSink};

/// Prints to standard error, so that standard output stays for results.
#[derive(Debug, Default)]
pub struct Watch;

impl EventSink for Watch {
    fn emit(&self, event: &Event, _picture: Option<&[u8]>) {
        let text = match &event.kind {
            EventKind::Started { goal, max_steps, .. } => {
                format!("goal: {}\nbudget: {}", crate::out::plain(goal, 4000), count(*max_steps, "step"))
            }
            EventKind::Observed(seen) => format!(
                "[{}] {} on {} \"{}\" ({} ms)",
                seen.step,
                count(seen.tagged.len(), "tag"),
                clean(&seen.context.location),
                clean(&seen.context.title),
                (seen.timings.settle + seen.timings.total + seen.label_time).as_millis()
            ),
            EventKind::Decided { decision, took, .. } => {
                let mut text = String::new();
                if let Some(thought) = &decision.thought {
                    text.push_str(&format!("    thought: {}\n", clean(thought)));
                }
                let refused = decision.exchanges.iter().filter_map(|asked| asked.rejected.as_ref());
                text.extend(refused.map(|reason| format!("    reply not used: {}\n", clean(reason))));
                let what = match &decision.choice {
                    Choice::Act { action } if decision.call.is_empty() => {
                        let on = decision.tag.map(|tag| format!(", [{}]", tag.0)).unwrap_or_default();
                        format!("{}{on}", clean(&action.describe()))
                    }
                    Choice::Act { .. } => clean(&decision.call),
                    Choice::Pass { reason } => format!("nothing: {}", clean(reason)),
                    Choice::Finish { answer } => {
                        answer.as_ref().map_or_else(|| "finish".into(), |a| format!("answer: {}", clean(a)))
                    }
                    Choice::Infeasible { reason } => format!("infeasible: {}", clean(reason)),
                    Choice::GiveUp { reason } => format!("gave up: {}", clean(reason)),
                    Choice::HandOver { reason } => format!("handed over: {}", clean(reason)),
                    Choice::Fail { reason } => format!("the agent failed: {}", clean(reason)),
                };
                text.push_str(&format!("    -> {what} ({} ms)", took.as_millis()));
                text
            }
            EventKind::Acted { report, note, .. } => match (report.as_ref().map(|r| &r.effect), note) {
                (Some(Effect::Confirmed { evidence }), _) => format!("    seen: {}", clean(evidence)),
                (Some(Effect::SuspectedNoop), _) => "    seen: no change".into(),
                (Some(Effect::NotAsAsked { found }), _) => format!("    not as asked: {}", clean(found)),
                (Some(Effect::Refused { reason, .. }), _) => format!("    refused: {}", clean(reason)),
                (None, Some(Note::Failed { reason, .. })) => format!("    failed: {}", clean(reason)),
                _ => return,
            },
            EventKind::Happened { what, .. } => format!("    happened: {}", clean(what)),
            EventKind::Ended { result } => {
                format!("end: {} after {}", result.outcome.name(), count(result.steps, "step"))
            }
            _ => return,
        };
        eprintln!("{text}");
    }
}

/// Screen and model text, without control characters that could drive the terminal.
fn clean(text: &str) -> String {
    crate::out::plain(text, 400)
}

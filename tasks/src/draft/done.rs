//! What was done, step by step, from a record's events.

use waldo_agents::{Choice, Note};
use waldo_devices::{Action, Effect, Element, Tag};

use crate::events::{Event, EventKind, Observed};

/// One action that was carried out, and the screen that it was done on.
#[derive(Clone, Debug)]
pub struct Deed {
    /// The step that it belongs to, from 1.
    pub step: u32,
    pub action: Action,
    pub tag: Option<Tag>,
    pub seen: Box<Observed>,
}

impl Deed {
    pub(super) fn tagged(&self) -> impl DoubleEndedIterator<Item = (Tag, &Element)> {
        self.seen.tagged.iter().filter_map(|t| Some((t.tag, self.seen.elements.get(t.element)?)))
    }
}

#[derive(Clone, Debug, Default)]
pub struct Done {
    /// What was carried out, in order.
    pub deeds: Vec<Deed>,
    pub answer: Option<String>,
    pub screens: Option<(Box<Observed>, Box<Observed>)>,
}

impl Done {
    /// Reads it. What was refused or could not be done is left out; where the device was started anew, what came before
    /// is too.
    pub fn of(events: Vec<Event>) -> Self {
        let mut done = Self::default();
        let mut seen: Option<Box<Observed>> = None;
        let mut tag = None;
        // A demonstration names the element after what was done to it.
        let mut since = 0;
        for event in events {
            match event.kind {
                EventKind::Started { .. } => (done, seen, since) = (Self::default(), None, 0),
                EventKind::Observed(now) => {
                    let first = done.screens.take().map_or_else(|| now.clone(), |(first, _)| first);
                    done.screens = Some((first, now.clone()));
                    seen = Some(now);
                    tag = None;
                }
                EventKind::Decided { decision, .. } => {
                    tag = decision.tag;
                    if let Choice::Finish { answer } = decision.choice {
                        done.answer = answer;
                    }
                }
                EventKind::Acted { step, action, report, note } => {
                    let refused = matches!(note, Some(Note::Refused { .. } | Note::Failed { .. }));
                    let done_so =
                        report.is_some_and(|report| !matches!(report.effect, Effect::Refused { .. }));
                    if let Some(seen) = seen.clone().filter(|_| done_so && !refused) {
                        done.deeds.push(Deed { step, action, tag, seen });
                    }
                }
                EventKind::Demonstrated { step, tag, .. } => {
                    for deed in done.deeds.iter_mut().skip(since) {
                        (deed.step, deed.tag) = (step, deed.tag.or(tag));
                    }
                    since = done.deeds.len();
                }
                _ => {}
            }
        }
        done
    }
}

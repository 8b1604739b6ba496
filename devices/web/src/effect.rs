//! What was seen to come of an action.

use std::collections::HashSet;
use std::time::Duration;

use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::elements::ElementFrame;
use super::live::{BrowserSession, PageAnswer};
use super::state::{ContextState, Front};
use waldo_devices::{Deadline, Effect};

/// How long an effect may take to show; longer ones are seen by the next observation.
const SHOWS_WITHIN: Duration = Duration::from_millis(100);
/// Counting takes this long at most: a page that hangs is told by the action itself.
const COUNTING: Duration = Duration::from_millis(500);
/// Frames whose counts are compared.
const PLACES_MAX: usize = 6;

/// Counts of what changes, taken before an action.
pub(crate) struct PageBefore {
    front: Front,
    facts: EffectFacts,
    marks: Vec<(ElementFrame, Value)>,
}

#[derive(Clone, PartialEq, Eq, Default)]
struct EffectFacts {
    navigations: u64,
    requested: u64,
    tab_changes: u64,
    downloads: usize,
    dialog: bool,
    chooser: bool,
}

impl PageBefore {
    pub(crate) fn is_of_another(&self, front: &Front) -> bool {
        self.front.target != front.target
    }
}

impl EffectFacts {
    fn of(state: &ContextState, front: &Front) -> Self {
        let tab = state.tabs.iter().find(|tab| tab.target == front.target);
        Self {
            navigations: tab.map_or(0, |tab| tab.navigations),
            requested: tab.map_or(0, |tab| tab.requested),
            tab_changes: state.tab_changes,
            downloads: state.downloads.len(),
            dialog: tab.is_some_and(|tab| tab.dialog.is_some()),
            chooser: tab.is_some_and(|tab| tab.chooser.is_some()),
        }
    }

    /// What the browser told between `was` and this. That a request was sent is not among it: many changes of a page
    /// come with one, before or after, and which is seen first is chance.
    fn news_since(&self, was: &Self) -> Option<String> {
        let evidence = if self.dialog && !was.dialog {
            "a dialog opened"
        } else if self.tab_changes != was.tab_changes {
            "a tab opened or closed"
        } else if self.navigations != was.navigations {
            "the address or the page changed"
        } else if self.downloads != was.downloads {
            "a download began"
        } else if self.chooser && !was.chooser {
            "the page asks for a file: use upload"
        } else {
            return None;
        };
        Some(evidence.to_owned())
    }
}

/// What a script found in the place of what was asked; `None` where it found that, or could not tell.
pub(crate) fn not_as_asked(value: &Value) -> Option<Effect> {
    let found = value.get("found")?.as_str()?;
    Some(Effect::NotAsAsked { found: found.to_owned() })
}

/// Which kinds of change do not count, by their place in the script's counts.
pub(crate) enum Ignore {
    Nothing,
    /// A click moves the caret wherever it lands.
    Selection,
}

impl BrowserSession {
    pub(crate) async fn before(
        &self,
        front: &Front,
        places: &[ElementFrame],
        deadline: Deadline,
    ) -> PageBefore {
        let facts = self.shared().quietly(|state| {
            state.tab(&front.target).into_iter().for_each(|tab| tab.polls.forget());
            EffectFacts::of(state, front)
        });
        let bound = deadline.at_most(COUNTING);
        let top = [ElementFrame { frame: front.target.clone(), parent: front.session.clone() }];
        let others = places.iter().filter(|place| place.frame != front.target).take(PLACES_MAX);
        let marks = futures::future::join_all(top.iter().chain(others).map(async |place| {
            let answer =
                self.evaluate(&front.target, &place.frame, &place.parent, "__waldo.mark()", bound).await;
            answer.ok().and_then(PageAnswer::done).map(|mark| (place.clone(), mark))
        }))
        .await;
        PageBefore { front: front.clone(), facts, marks: marks.into_iter().flatten().collect() }
    }

    /// What the front page's script says within [`COUNTING`]; `None` where it says nothing.
    pub(crate) async fn ask_top(&self, front: &Front, script: &str, deadline: Deadline) -> Option<Value> {
        let bound = deadline.at_most(2 * COUNTING);
        let (target, session) = (&front.target, &front.session);
        self.evaluate(target, target, session, script, bound).await.ok()?.done()
    }

    /// Compares with `before`, as things are now.
    pub(crate) async fn has_changed(&self, before: &PageBefore, deadline: Deadline) -> bool {
        let effect = self.effect_within(Duration::ZERO, before, Ignore::Selection, deadline).await;
        matches!(effect, Effect::Confirmed { .. })
    }

    /// Compares with `before`, waiting a little for the first change.
    pub(crate) async fn effect(&self, before: &PageBefore, ignore: Ignore, deadline: Deadline) -> Effect {
        self.effect_within(SHOWS_WITHIN, before, ignore, deadline).await
    }

    async fn effect_within(
        &self,
        wait: Duration,
        before: &PageBefore,
        ignore: Ignore,
        deadline: Deadline,
    ) -> Effect {
        let front = &before.front;
        let told = || self.shared().with(|state| EffectFacts::of(state, front).news_since(&before.facts));
        if let Some(evidence) = told() {
            return Effect::Confirmed { evidence };
        }
        let ignored = match ignore {
            Ignore::Nothing => json!([]),
            Ignore::Selection => json!([4]),
        };
        let begun = Instant::now();
        let bound = deadline.at_most(COUNTING);
        let count = || -> FuturesUnordered<_> {
            let left = wait.saturating_sub(begun.elapsed()).as_millis();
            let counted = before.marks.iter().map(|(place, mark)| {
                let script = format!("__waldo.changed({mark}, {left}, {ignored})");
                async move { self.evaluate(&front.target, &place.frame, &place.parent, &script, bound).await }
            });
            counted.collect()
        };
        let mut counts = count();
        let requested =
            || self.shared().with(|state| EffectFacts::of(state, front).requested != before.facts.requested);
        if counts.is_empty() && !requested() {
            return Effect::Unverifiable;
        }
        // Fused: it may run out of time, and the other counts are waited for all the same.
        let news = self
            .shared()
            .until(bound.instant(), |state| EffectFacts::of(state, front).news_since(&before.facts))
            .fuse();
        tokio::pin!(news);
        let mut seen: HashSet<u64> = HashSet::new();
        let mut unknown = false;
        // What a page asks of its server when something changes brings the next change.
        let mut answered = wait.is_zero();
        loop {
            tokio::select! {
                Some(evidence) = &mut news => return Effect::Confirmed { evidence },
                answer = counts.next() => match answer {
                    None => break,
                    Some(Ok(PageAnswer::Done(kinds))) => {
                        seen.extend(kinds.as_array().into_iter().flatten().filter_map(Value::as_u64));
                        if !seen.is_empty() && (answered || !requested()) {
                            break;
                        }
                        if !seen.is_empty() {
                            answered = true;
                            let idle = |state: &ContextState| {
                                let tab = state.tabs.iter().find(|tab| tab.target == front.target);
                                tab.is_none_or(|tab| !tab.busy()).then_some(())
                            };
                            self.shared().until((begun + wait).min(bound.instant()), idle).await;
                            counts = count();
                        }
                    }
                    Some(Ok(PageAnswer::Dialog)) => {
                        return Effect::Confirmed { evidence: "a dialog opened".to_owned() };
                    }
                    Some(Err(_)) => unknown = true,
                },
            }
        }
        if let Some(evidence) = told() {
            return Effect::Confirmed { evidence };
        }
        // A press that only gave something the focus did what it was for where that waits for keys.
        if !wait.is_zero() && matches!(ignore, Ignore::Selection) && seen.iter().all(|kind| *kind == 2) {
            let mark = before.marks.iter().find(|(place, _)| place.frame == front.target);
            let script =
                mark.map(|(_, mark)| format!("__waldo.awaitsKeys() && __waldo.changed({mark}, 0, [])"));
            let keyed = match script {
                Some(script) => self.ask_top(front, &script, bound).await,
                None => None,
            };
            match keyed.as_ref().and_then(Value::as_array) {
                Some(kinds) if seen.is_empty() => seen.extend(kinds.iter().filter_map(Value::as_u64)),
                Some(_) => {}
                None => seen.clear(),
            }
        }
        // A selection moves with most changes, sooner or later.
        if seen.len() > 1 {
            seen.remove(&4);
        }
        let words: Vec<&str> = [
            (1, "a value changed"),
            (0, "content changed"),
            (3, "scrolled"),
            (5, "the page reacted"),
            (2, "the focus moved"),
            (4, "the cursor or the selection moved"),
        ]
        .into_iter()
        .filter(|(kind, _)| seen.contains(kind))
        .map(|(_, words)| words)
        .collect();
        match (words.is_empty(), unknown) {
            (false, _) => Effect::Confirmed { evidence: words.join(", ") },
            (true, _) if requested() => Effect::Confirmed { evidence: "the page sent a request".to_owned() },
            (true, true) => Effect::Unverifiable,
            (true, false) => Effect::SuspectedNoop,
        }
    }
}

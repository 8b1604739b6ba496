//! What a client is told of targets: those of its own context.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Value, json};

use crate::cdp::text;

/// Which kinds of targets are meant; the first entry that fits decides.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TargetFilter(Vec<(Option<String>, bool)>);

impl TargetFilter {
    /// The filter of a call; without one the browser's own, which leaves out the browser and the frames of windows.
    pub(super) fn of(params: &Value) -> Self {
        let Some(entries) = params.get("filter").and_then(Value::as_array) else {
            let out = |kind: &str| (Some(kind.to_owned()), false);
            return Self(vec![out("browser"), out("tab"), (None, true)]);
        };
        let entry = |entry: &Value| (entry["type"].as_str().map(str::to_owned), entry["exclude"] != true);
        Self(entries.iter().map(entry).collect())
    }

    fn has(&self, info: &Value) -> bool {
        let kind = text(info, "type");
        self.0
            .iter()
            .find(|(named, _)| named.as_deref().is_none_or(|named| named == kind))
            .is_some_and(|entry| entry.1)
    }
}

/// The targets of one context, as one client knows them.
#[derive(Debug)]
pub(super) struct Targets {
    context: String,
    known: BTreeMap<String, Value>,
    /// What is told as it comes and goes.
    pub(super) discovers: Option<TargetFilter>,
    /// What gets a session as it comes.
    pub(super) attaches: Option<TargetFilter>,
    attached: HashSet<String>,
}

impl Targets {
    pub(super) fn new(context: &str) -> Self {
        let context = context.to_owned();
        Self { context, known: BTreeMap::new(), discovers: None, attaches: None, attached: HashSet::new() }
    }

    pub(super) fn has(&self, target: &str) -> bool {
        self.known.contains_key(target)
    }

    pub(super) fn get(&self, target: &str) -> Option<&Value> {
        self.known.get(target)
    }

    pub(super) fn listed(&self, filter: &TargetFilter) -> Vec<Value> {
        self.known.values().filter(|info| filter.has(info)).cloned().collect()
    }

    /// Takes an event about a target; says whether the client is told of it.
    pub(super) fn told(&mut self, method: &str, params: &Value) -> bool {
        let filter = |all: &Self, info: &Value| all.discovers.as_ref().is_some_and(|filter| filter.has(info));
        match method {
            "Target.targetCreated" | "Target.targetInfoChanged" => {
                let info = &params["targetInfo"];
                if text(info, "browserContextId") != self.context {
                    return false;
                }
                self.known.insert(text(info, "targetId").to_owned(), info.clone());
                filter(self, info)
            }
            "Target.targetDestroyed" => {
                let target = text(params, "targetId");
                self.attached.remove(target);
                self.known.remove(target).is_some_and(|info| filter(self, &info))
            }
            "Target.targetCrashed" => {
                self.get(text(params, "targetId")).is_some_and(|info| filter(self, info))
            }
            _ => false,
        }
    }

    /// Those that are to get a session now.
    pub(super) fn unattached(&mut self) -> Vec<String> {
        let Some(filter) = &self.attaches else { return Vec::new() };
        let served = |info: &Value| matches!(text(info, "type"), "page" | "tab" | "service_worker");
        let new = self.known.iter().filter(|(_, info)| served(info) && filter.has(info));
        let new: Vec<String> =
            new.map(|(id, _)| id.clone()).filter(|id| !self.attached.contains(id)).collect();
        self.attached.extend(new.iter().cloned());
        new
    }

    /// Whether this one gets a session by itself.
    pub(super) fn attaches(&self, target: &str) -> bool {
        self.attaches.as_ref().zip(self.get(target)).is_some_and(|(filter, info)| filter.has(info))
    }
}

/// How a session with a target is asked for.
pub(super) fn attach_to(target: &str) -> Value {
    json!({ "targetId": target, "flatten": true })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn created(id: &str, kind: &str, context: &str) -> Value {
        json!({ "targetInfo": { "targetId": id, "type": kind, "browserContextId": context } })
    }

    #[test]
    fn only_targets_of_the_own_context_are_known() {
        let mut targets = Targets::new("own");
        targets.discovers = Some(TargetFilter::of(&json!({})));
        assert!(targets.told("Target.targetCreated", &created("a", "page", "own")));
        assert!(!targets.told("Target.targetCreated", &created("t", "tab", "own")));
        assert!(!targets.told("Target.targetCreated", &created("b", "page", "other")));
        assert!(!targets.told("Target.targetDestroyed", &json!({ "targetId": "b" })));
        assert!(targets.has("a") && !targets.has("b"));
        // As Puppeteer asks: the frames of windows, whose pages come with them.
        let tabs = json!({ "filter": [{ "type": "page", "exclude": true }, {}] });
        targets.attaches = Some(TargetFilter::of(&tabs));
        assert_eq!(targets.unattached(), ["t"]);
        assert!(targets.unattached().is_empty());
        assert!(targets.told("Target.targetDestroyed", &json!({ "targetId": "a" })));
    }
}

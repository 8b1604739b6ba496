//! What this process never prints, logs or writes into a manifest: secrets of `--secret`, keys of models, and what pages
//! are logged in by.
//!
//! Invariant: whoever reads such a value from outside makes it known here before using it. All that goes to
//! standard output and standard error, the log, errors and panics included, passes [`mask`].

use std::sync::{PoisonError, RwLock};

use serde_json::Value;
use waldo_devices::{SECRET_SHORTEST, Secrets};

static KNOWN: RwLock<Option<Secrets>> = RwLock::new(None);

/// Makes values known, each under what it is; one of fewer than four characters cannot be told from other text.
pub fn know(values: impl IntoIterator<Item = (String, String)>) {
    let values: Vec<_> =
        values.into_iter().filter(|(_, value)| value.chars().count() >= SECRET_SHORTEST).collect();
    if !values.is_empty() {
        know_also(&Secrets::new(values));
    }
}

pub fn know_also(secrets: &Secrets) {
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    let all = known.take().unwrap_or_default().and(secrets);
    *known = Some(all);
}

pub fn mask(text: String) -> String {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known.as_ref() { known.mask(text) } else { text }
}

pub fn json(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(mask(text)),
        Value::Array(all) => all.into_iter().map(json).collect(),
        Value::Object(all) => all.into_iter().map(|(key, value)| (mask(key), json(value))).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_told_nowhere() {
        know([("a key".to_owned(), "sk-masking/test+1".to_owned()), ("short".to_owned(), "the".to_owned())]);
        know([("a secret".to_owned(), "second masking value".to_owned())]);
        assert_eq!(mask("Bearer sk-masking/test+1.".to_owned()), "Bearer ••••.");
        assert_eq!(mask("GET /?k=sk-masking%2Ftest%2B1&the".to_owned()), "GET /?k=••••&the");
        let told =
            json(serde_json::json!({ "a": ["second masking value", 1], "sk-masking/test+1": {"b": null} }));
        assert_eq!(told, serde_json::json!({ "a": ["••••", 1], "••••": {"b": null} }));
    }
}

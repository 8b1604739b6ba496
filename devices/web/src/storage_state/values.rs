//! Which values of a state are secrets: what opens an account, and not what a page shows to everybody.

use std::collections::BTreeSet;

use serde_json::Value;
use url::Url;
use url::form_urlencoded;
use waldo_devices::secrets::{SHORTEST, Secrets};

use super::{Cookie, StorageState};

/// From this length on a cookie is a secret unless it is a word.
const COOKIE_LEAST: usize = 8;
/// From this length on what local storage keeps is a secret where it has no blanks and is not a word.
const STORED_LEAST: usize = 16;
/// Names of what is a secret however it looks, from [`COOKIE_LEAST`] characters on.
const TELLING: [&str; 9] =
    ["token", "secret", "passw", "session", "auth", "jwt", "csrf", "key", "credential"];
/// How deep JSON within a value is looked into.
const DEPTH: usize = 8;
/// The most values that are looked for.
const VALUES_MAX: usize = 2_000;

impl StorageState {
    /// What is masked wherever it shows up. What is found first is kept where there are too many: cookies, then tokens.
    pub(crate) fn secrets(&self) -> Secrets {
        let mut found = BTreeSet::new();
        self.cookies.iter().for_each(|cookie| of_cookie(cookie, &mut found));
        for item in self.origins.iter().flat_map(|kept| &kept.local_storage) {
            if found.len() >= VALUES_MAX {
                tracing::warn!(
                    "more than {VALUES_MAX} values of the storage state are secret: the rest is not masked"
                );
                break;
            }
            stored(&item.name, &item.value, 0, &mut found);
        }
        Secrets::hidden(found)
    }
}

fn of_cookie(cookie: &Cookie, found: &mut BTreeSet<String>) {
    let value = cookie.value.trim_matches('"');
    // What no script may read is the session itself.
    let least = if cookie.http_only { SHORTEST } else { COOKIE_LEAST };
    if value.chars().count() < least || (!cookie.http_only && is_word(value)) {
        return;
    }
    found.insert(value.to_owned());
    // As a page sees it that decodes it.
    if value.contains('%')
        && let Some((_, decoded)) = form_urlencoded::parse(format!("v={value}").as_bytes()).next()
    {
        let decoded = decoded.into_owned();
        stored(&cookie.name, &decoded, 0, found);
        found.insert(decoded);
    }
}

/// What local storage keeps under a name: a text, or JSON whose texts count one by one.
fn stored(name: &str, value: &str, depth: usize, found: &mut BTreeSet<String>) {
    if depth > DEPTH {
        return;
    }
    match serde_json::from_str::<Value>(value) {
        Ok(json @ (Value::Object(_) | Value::Array(_) | Value::String(_))) => {
            leaves(name, &json, depth, found)
        }
        _ => {
            if is_secret(name, value) {
                found.insert(value.to_owned());
            }
        }
    }
}

fn leaves(name: &str, json: &Value, depth: usize, found: &mut BTreeSet<String>) {
    if depth > DEPTH {
        return;
    }
    match json {
        Value::String(text) => stored(name, text, depth + 1, found),
        Value::Array(all) => all.iter().for_each(|one| leaves(name, one, depth + 1, found)),
        Value::Object(all) => all.iter().for_each(|(key, one)| leaves(key, one, depth + 1, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let count = value.chars().count();
    if TELLING.iter().any(|word| name.contains(word)) && count >= COOKIE_LEAST {
        return true;
    }
    count >= STORED_LEAST
        && !value.contains(char::is_whitespace)
        && !is_word(value)
        && !is_plain_address(value)
}

/// Whether it is a word or two, such as `accepted` or `dark-mode`: masked, it would be missing on every page.
fn is_word(value: &str) -> bool {
    value.chars().count() < STORED_LEAST
        && value.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '_' | '.' | ' '))
}

/// Whether it is an address with nothing behind its path that could be a token.
fn is_plain_address(value: &str) -> bool {
    Url::parse(value).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn state(cookies: Value, stored: Value) -> StorageState {
        let origins = json!([{ "origin": "https://a.test", "localStorage": stored }]);
        serde_json::from_value(json!({ "cookies": cookies, "origins": origins })).unwrap()
    }

    #[test]
    fn what_opens_an_account_is_masked_and_plain_words_are_not() {
        let state = state(
            json!([
                { "name": "sid", "value": "abcd", "domain": "a.test", "httpOnly": true },
                { "name": "uid", "value": "s%3Aq9w8e7.r6t5", "domain": "a.test" },
                { "name": "theme", "value": "dark-mode", "domain": "a.test" },
                { "name": "n", "value": "1", "domain": "a.test", "httpOnly": true },
            ]),
            json!([
                { "name": "auth", "value": "{\"user\":{\"access_token\":\"eyJh.bGci.OiJI\",\"name\":\"Ada\"}}" },
                { "name": "home", "value": "https://a.test/start/page" },
                { "name": "reset", "value": "https://a.test/reset?t=99aa88bb" },
                { "name": "note", "value": "a long text with blanks in it" },
                { "name": "id", "value": "0f8fad5b-d9cb-469f-a165-70867728950e" },
            ]),
        );
        let secrets = state.secrets();
        for hidden in "abcd|s%3Aq9w8e7.r6t5|s:q9w8e7.r6t5|eyJh.bGci.OiJI|https://a.test/reset?t=99aa88bb|\
            0f8fad5b-d9cb-469f-a165-70867728950e"
            .split('|')
        {
            assert_eq!(secrets.mask(format!("<{hidden}>")), "<••••>", "{hidden}");
        }
        let plain = "dark-mode Ada https://a.test/start/page a long text with blanks in it";
        assert_eq!(secrets.masked(plain), None);
        assert_eq!((secrets.names().count(), format!("{secrets:?}").as_str()), (0, "{}"));
    }

    #[test]
    fn json_within_json_without_end_is_left() {
        // Each layer doubles the quoting of those within: twelve are more than are looked into.
        let deep = (0..12).fold("\"0123456789abcdefghij\"".to_owned(), |inner, _| json!([inner]).to_string());
        state(json!([]), json!([{ "name": "a", "value": deep }])).secrets();
    }

    proptest! {
        #[test]
        fn a_session_is_masked_in_all_that_holds_it(
            value in "[A-Za-z0-9+/=%._-]{8,40}[0-9]",
            before in "[ a-z<>]{0,10}",
            after in "[ a-z<>]{0,10}",
        ) {
            let one = state(json!([{ "name": "s", "value": value, "domain": "a.test", "httpOnly": true }]), json!([]));
            let masked = one.secrets().mask(format!("{before}{value}{after}"));
            prop_assert!(!masked.contains(&value), "{masked}");
        }
    }
}

//! In whose words the prompts of native contestants are: only rows in the original's may stand beside published ones.

use std::collections::BTreeMap;

use serde_json::Value;
use waldo_tasks::Manifest;

use crate::out::plain;

const AGENT: &str = "native";
const OWN: &str = "waldo's own words";
/// The longest name or wording that is shown, in characters.
const LONGEST: usize = 200;

/// A line for each wording, with the contestants that were asked in it.
pub fn lines(manifest: &Manifest) -> Vec<String> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for contestant in manifest.contestants.iter().filter(|contestant| contestant.agent == AGENT) {
        let defined = manifest.parameters.get("contestants").and_then(|all| all.get(&contestant.name));
        let profile = defined.unwrap_or(&manifest.parameters).get(AGENT);
        let wording = profile.and_then(|profile| profile.get("wording")).and_then(Value::as_str);
        let wording = wording.map_or_else(|| OWN.to_owned(), |wording| plain(wording, LONGEST));
        all.entry(wording).or_default().push(plain(&contestant.name, LONGEST));
    }
    all.into_iter().map(|(wording, who)| format!("prompts in {wording}: {}", who.join(", "))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use waldo_tasks::Contestant;

    use super::*;
    use crate::report::testing;

    #[test]
    fn each_wording_has_a_line() {
        let (mut manifest, _) = testing::run();
        assert!(lines(&manifest).is_empty());
        let native = |name: &str| Contestant { name: name.into(), ..Contestant::new(AGENT, Some("m")) };
        manifest.contestants = vec![native("a"), native("b"), native("c")];
        manifest.parameters = json!({
            "native": { "profile": "ui-tars" },
            "contestants": { "b": { "native": { "profile": "x", "wording": "the original of y.py" } } },
        });
        assert_eq!(
            lines(&manifest),
            ["prompts in the original of y.py: b", "prompts in waldo's own words: a, c"]
        );
    }
}

//! Why a model's replies could not be read: what tells a bad model from one that was never heard.

use waldo_devices::count::count;
use waldo_tasks::record::Unreadable;
use waldo_tasks::{EpisodeResult, Manifest};

/// Replies of ten of which one that could not be read is worth a word.
const SHARE: u32 = 10;

/// A line for each contestant of whose replies more than a few could not be read.
pub fn lines(manifest: &Manifest, results: &[EpisodeResult]) -> Vec<String> {
    let of = |name: &str| {
        let mut sum = (0, 0, Unreadable::default());
        for result in results.iter().filter(|result| result.key.contestant == name) {
            sum.0 += result.model_calls;
            sum.1 += result.bad_replies;
            sum.2 += result.unread;
        }
        sum
    };
    let limit = |name: &str| {
        // A contestant that is defined has one of its own.
        let own = format!("/contestants/{name}/max_tokens");
        let at = [own.as_str(), "/model/max_tokens", "/max_tokens"];
        at.iter().find_map(|at| manifest.parameters.pointer(at)?.as_u64())
    };
    let told = manifest.contestants.iter().filter_map(|contestant| {
        let (calls, bad, kinds) = of(&contestant.name);
        (bad > 0 && bad.saturating_mul(SHARE) >= calls).then(|| {
            let name = crate::out::plain(&contestant.name, 100);
            format!(
                "{name}: {bad} of {} could not be read: {}",
                count(calls, "reply"),
                reasons(&kinds, bad, limit(&contestant.name))
            )
        })
    });
    told.collect()
}

fn reasons(kinds: &Unreadable, bad: u32, limit: Option<u64>) -> String {
    let at = limit.map(|limit| format!(" at {limit} tokens")).unwrap_or_default();
    // Those of a record that does not say what they were.
    let other = bad.saturating_sub(kinds.sum() - kinds.other);
    let all = [
        (kinds.cut_off, format!("cut off{at}; raise --max-tokens")),
        (kinds.empty, "without any text; check whether the model answers in text at all".to_owned()),
        (kinds.tool_calls, "calls of tools in place of text; turn tools off at the endpoint".to_owned()),
        (kinds.refusal, "refusals; their words are in the record".to_owned()),
        (kinds.thinking, format!("thinking that did not end{at}; raise --max-tokens or have it think less")),
        (kinds.absent, "named a number or a place that the screen does not have; check whether the model can read numbers in pictures".to_owned()),
        (other, "not in the requested form; the report shows them".to_owned()),
    ];
    let mut said: Vec<(u32, String)> = all.into_iter().filter(|(count, _)| *count > 0).collect();
    said.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    match said.as_slice() {
        [(_, only)] => only.clone(),
        several => several.iter().map(|(n, why)| format!("{n} {why}")).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing;

    #[test]
    fn what_could_not_be_read_is_told_by_kind() {
        let (mut manifest, mut results) = testing::run();
        manifest.parameters = serde_json::json!({ "model": { "max_tokens": 64 } });
        let name = manifest.contestants[0].name.clone();
        results.retain(|result| result.key.contestant == name);
        results.truncate(2);
        for result in &mut results {
            (result.model_calls, result.bad_replies) = (12, 12);
            result.unread = Unreadable { cut_off: 12, ..Unreadable::default() };
        }
        let said = lines(&manifest, &results);
        let told =
            format!("{name}: 24 of 24 replies could not be read: cut off at 64 tokens; raise --max-tokens");
        assert_eq!(said, [told]);
        results[0].unread = Unreadable { refusal: 5, other: 3, absent: 4, ..Unreadable::default() };
        let said = lines(&manifest, &results).concat();
        assert!(said.contains("4 named a number or a place that the screen does not have"), "{said}");
        assert!(
            said.contains("12 cut off")
                && said.contains("3 not in the requested form")
                && said.contains("5 refusals"),
            "{said}"
        );
        for result in &mut results {
            (result.bad_replies, result.unread) = (1, Unreadable { other: 1, ..Unreadable::default() });
        }
        assert!(lines(&manifest, &results).is_empty(), "one of twelve is not a pattern");
    }
}

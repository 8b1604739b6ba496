use serde_json::{Value, json};

use super::*;

const VALUE: &str = "p@ss word+1&2";

/// Forms of it as addresses, pages, programs and shells write them.
const FORMS: [&str; 9] = [
    VALUE,
    "p%40ss%20word%2B1%262",
    "p%40ss+word%2b1%262",
    "p@ss word+1&amp;2",
    "p&#64;ss&#x20;word&plus;1&#38;2",
    "p@ss\\u0020word+1\\u00262",
    "cEBzcyB3b3JkKzEmMg==",
    "p@ss%sword+1\\&2",
    "P@SS WORD+1&2",
];

fn secrets() -> Secrets {
    Secrets::new([("pin".to_owned(), VALUE.to_owned())])
}

/// An event of each kind, with text in every field.
fn events() -> Vec<Event> {
    let point = json!({ "x": 1.0, "y": 2.0 });
    let element = json!({
        "handle": "h", "role": "button", "name": "n", "value": "v", "options": ["o"], "uid": "u", "id": "i",
        "bounds": { "x": 0.0, "y": 0.0, "w": 1.0, "h": 1.0 }, "hit": point,
    });
    let took = json!({ "secs": 1, "nanos": 2 });
    let usage = json!({ "prompt": 1, "cached": null, "completion": 2, "micro_usd": null });
    let exchange = json!({
        "purpose": "decide", "prompt": "p", "pictures": 1, "reply": "r", "usage": usage, "took": took, "retries": 0,
        "repairs": ["r"], "rejected": "r",
    });
    let plan = json!({
        "plans": 1, "action": { "type": "tap", "deep": [{ "er": "x" }] }, "memory": { "key": "value" },
        "memory_ops": [{ "type": "store_info", "key": "k", "value": { "a": "b" }, "description": "d" }],
        "forgotten": ["f"], "groundings": [{ "grounder": "g", "action": "a", "description": "d", "refused": "r",
        "hit": { "tag": 1, "role": "r", "name": "n" }, "shots": 1, "took": took }], "notices": ["n"],
    });
    let key = json!({ "contestant": "c", "task": "t", "repeat": 0 });
    let mut result = json!({
        "outcome": "invalid", "reason": "r", "success": 0.0, "steps": 1, "max_steps": 2, "seed": 3,
        "checks": [{ "what": "w", "passed": true, "found": "f" }], "claim": "c", "usage": usage, "model_calls": 1,
        "bad_replies": 0, "refused": 0, "wall": took, "attempts": 1, "ended": "2026-01-01T00:00:00Z",
    });
    result.as_object_mut().unwrap().extend(key.as_object().unwrap().clone());
    let kinds = [
        json!({ "event": "started", "attempt": 1, "seed": 2, "goal": "g", "params": { "who": ["w"] }, "max_steps": 3 }),
        json!({ "event": "observed", "step": 1, "picture": "step-01.png", "elements": [element], "tagged": [],
            "geometry": { "physical": { "w": 9.0, "h": 9.0 }, "scale": 1.0, "model_scale": 1.0 }, "settled": "quiet", "timings": {},
            "context": { "location": "l", "title": "t", "dialog": { "kind": "k", "message": "m", "default": "d" } },
            "label_time": took }),
        json!({ "event": "decided", "step": 1, "took": took, "decision": {
            "choice": { "choice": "act", "action": { "do": "type", "text": "t" } }, "tag": 1, "call": "c",
            "observation": "o", "thought": "t", "summary": "s", "exchanges": [exchange], "plan": plan } }),
        json!({ "event": "acted", "step": 1, "action": { "do": "select", "element": "e", "option": "o" },
            "report": { "effect": "confirmed", "evidence": "e", "took": took },
            "note": { "note": "printed", "text": "t" } }),
        json!({ "event": "reflected", "step": 1, "reflected": { "verdict": "BACK", "free": false, "thought": "t",
            "documented": { "key": "k", "slot": "tap", "text": "t", "refined": false }, "exchanges": [exchange],
            "after": "a" } }),
        json!({ "event": "demonstrated", "step": 1, "call": "c", "tag": 1,
            "recorded": { "do": "text", "tag": 1, "text": "t", "uid": "u" } }),
        json!({ "event": "ended", "result": result }),
    ];
    let event = |mut kind: Value| -> Event {
        let all = kind.as_object_mut().unwrap();
        all.insert("v".into(), 1.into());
        all.insert("at".into(), "2026-01-01T00:00:00Z".into());
        all.insert("episode".into(), key.clone());
        serde_json::from_value(kind.clone()).unwrap_or_else(|e| panic!("{e}: {kind}"))
    };
    kinds.into_iter().map(event).collect()
}

fn leaves(json: &Value, at: String, out: &mut Vec<String>) {
    match json {
        Value::String(_) => out.push(at),
        Value::Array(all) => all.iter().enumerate().for_each(|(n, v)| leaves(v, format!("{at}/{n}"), out)),
        Value::Object(all) => all.iter().for_each(|(k, v)| leaves(v, format!("{at}/{k}"), out)),
        _ => {}
    }
}

/// Whether `name` is a text that an episode is known by, or one of the format.
fn stays(place: &str) -> bool {
    place.starts_with("/episode/") || ["/result/contestant", "/result/task"].contains(&place)
}

/// `value` with `text` wherever it takes one, and in how many places.
fn filled<T: Serialize + DeserializeOwned>(value: &T, text: &str) -> (T, usize) {
    let mut json = serde_json::to_value(value).unwrap();
    let mut places = Vec::new();
    leaves(&json, String::new(), &mut places);
    let mut count = 0;
    for place in places.into_iter().filter(|place| !stays(place)) {
        let mut with = json.clone();
        *with.pointer_mut(&place).unwrap() = Value::from(text);
        if serde_json::from_value::<T>(with.clone()).is_ok() {
            json = with;
            count += 1;
        }
    }
    (serde_json::from_value(json).unwrap(), count)
}

#[test]
fn no_field_of_any_event_shows_a_value() {
    // Goal and a parameter; elements and context and the picture's name; and so on: all that take a text.
    let counts = [2, 13, 24, 4, 9, 3, 4];
    for (n, kind) in events().into_iter().enumerate() {
        for form in FORMS {
            let (full, count) = filled(&kind, &format!("a {form} b"));
            assert_eq!(count, counts[n], "{full:?}");
            let before = serde_json::to_string(&full).unwrap();
            assert_eq!(before.matches("••••").count(), 0);
            let told = serde_json::to_string(&event(full, &secrets()).unwrap()).unwrap();
            assert_eq!(told.matches("a •••• b").count(), count, "{form}: {told}");
            assert!(!told.to_lowercase().contains("word"), "{form}: {told}");
        }
    }
}

#[test]
fn a_map_is_masked_with_its_keys() {
    let Some(Event { kind: EventKind::Started { attempt, seed, goal, max_steps, .. }, v, at, episode }) =
        events().into_iter().next()
    else {
        panic!("the first is the start");
    };
    let kind =
        EventKind::Started { attempt, seed, goal, max_steps, params: json!({ VALUE: { "a/b~c": VALUE } }) };
    let told = event(Event { v, at, episode, kind }, &secrets()).unwrap();
    let EventKind::Started { params, .. } = told.kind else { panic!("it is a start") };
    assert_eq!(params, json!({ "••••": { "a/b~c": "••••" } }));
}

#[test]
fn a_value_that_is_a_word_of_the_format_is_masked_where_it_is_none() {
    for value in ["acted", "effect", "option", "2026-01-01", "confirmed", "select", "step"] {
        let secrets = Secrets::new([("pin".to_owned(), value.to_owned())]);
        let (full, count) = filled(&events().swap_remove(3), &format!("({value})"));
        let told = event(full, &secrets).unwrap();
        let json = serde_json::to_string(&told).unwrap();
        assert_eq!(json.matches("(••••)").count(), count, "{value}: {json}");
        assert!(!json.contains(&format!("({value})")), "{value}: {json}");
    }
}

#[test]
fn the_end_of_an_episode_stays_that_episodes() {
    let Some(EventKind::Ended { result: ended }) = events().pop().map(|event| event.kind) else {
        panic!("the last is the end");
    };
    let ended = EpisodeResult { claim: Some("it is cccc/tttt".to_owned()), ..*ended };
    let mut key = ended.key.clone();
    (key.contestant, key.task) = ("cccc".to_owned(), "tttt".to_owned());
    let secrets = Secrets::new([("a".to_owned(), "cccc".to_owned()), ("b".to_owned(), "tttt".to_owned())]);
    let kept = result(EpisodeResult { key: key.clone(), ..ended }, &secrets);
    assert_eq!((kept.key, kept.claim.as_deref()), (key, Some("it is ••••/••••")));
}

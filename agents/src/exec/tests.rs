use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use waldo_devices::{Secrets, Tag};

use super::*;
use crate::agent::{Agent as _, Brief, Choice, Decision, Note};
use crate::appagent::testing::{brief, step, view};
use crate::planner::ground::TextGrounder;
use crate::program::ProgramSpec;

const AMPLE: Duration = Duration::from_secs(30);

fn options(mode: &str, limit: Duration) -> ExecOptions {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/misbehaves.py");
    let spec = ProgramSpec {
        exec: ["python3", program, mode].map(str::to_owned).to_vec(),
        dir: None,
        variables: vec![("A_KEY".to_owned(), "sk-test-key-1".into())],
    };
    ExecOptions {
        link: Arc::new(move || Arc::new(ProgramLink::new(spec.clone()))),
        limit,
        grounder: Some(Arc::new(TextGrounder)),
        secrets: Vec::new(),
        hidden: Secrets::hidden(["sk-test-key-1".to_owned()]),
        looks: true,
    }
}

fn begun(mode: &str, limit: Duration) -> ExecAgent {
    let mut agent = ExecAgent::new(options(mode, limit));
    agent.begin(&Brief { max_steps: 9, ..brief("Save the Photo", vec![]) }).unwrap();
    agent
}

async fn decide(agent: &mut ExecAgent, n: u32, note: Option<&Note>) -> Decision {
    step(agent, n, &view(), note).await
}

#[tokio::test]
async fn an_agent_that_does_not_keep_the_protocol_has_failed_and_says_why() {
    for (mode, part) in [
        ("version", "hello: protocol is 2, and this waldo speaks 1"),
        ("wants-nonsense", "wants.actions names 'fly'"),
        ("crashes-at-hello", "it printed last: "),
        ("crashes", "turn: it ended without an answer; it printed last: turn 1\nTraceback"),
        ("hangs", "turn: no answer within 2 s; it was killed"),
        ("floods", "its answer is larger than 64 MiB"),
        ("no-json", "its answer is not JSON"),
        ("no-utf8", "its answer is not UTF-8"),
        ("twice", "it answered more than once"),
        ("other-id", "its answer has the id 7, not 3"),
        ("other-field", "unknown field `cals`"),
        ("says-error", "turn: it says itself: no credit"),
        ("unasked-several", "its hello does not say several"),
        ("forks", "left a program behind"),
        ("closes-stdin", "it closed its standard input"),
    ] {
        let limit = if mode == "hangs" { Duration::from_secs(2) } else { AMPLE };
        let mut agent = begun(mode, limit);
        let mut decision = decide(&mut agent, 1, None).await;
        if mode == "closes-stdin" || mode == "twice" && matches!(decision.choice, Choice::Act { .. }) {
            decision = decide(&mut agent, 2, None).await;
        }
        let Choice::Fail { reason } = &decision.choice else { panic!("{mode}: {decision:?}") };
        let late = mode == "twice" && reason.contains("has the id 3, not 4");
        assert!(reason.contains(part) || late, "{mode}: {reason}");
        assert!(decision.exchanges[0].rejected.is_some(), "{mode}");
    }
    let none = ProgramSpec { exec: vec!["no-such-program".into()], ..ProgramSpec::default() };
    let link: LinkMaker = Arc::new(move || Arc::new(ProgramLink::new(none.clone())));
    let error = greet(&ExecOptions { link, ..options("", AMPLE) }).await.unwrap_err().to_string();
    assert!(error.contains("cannot be started"), "{error}");
}

#[tokio::test]
async fn a_call_that_means_nothing_on_the_screen_is_told_and_becomes_no_action() {
    for (mode, part) in [
        ("unknown-tag", "no element has the number 99"),
        ("off-screen", "is outside the screen of 720x480"),
        ("unknown-action", "'fly' is not among the actions"),
        ("unknown-parameter", "tap has no parameter 'force'"),
        ("no-action", "a call needs do"),
        ("nothing", "calls is empty"),
        ("after-the-end", "after the one that ends"),
        ("describes-nothing", "'the zeppelin' was not found"),
    ] {
        let mut agent = begun(mode, AMPLE);
        let decision = decide(&mut agent, 1, None).await;
        let Choice::Pass { reason } = &decision.choice else { panic!("{mode}: {decision:?}") };
        assert!(reason.contains(part), "{mode}: {reason}");
        // It hears of it with its next turn.
        let told = decide(&mut agent, 2, Some(&Note::failed(reason.clone()))).await.thought.unwrap();
        let told: Value = serde_json::from_str(&told).unwrap();
        assert_eq!((&told[0]["seen"], &told[0]["why"]), (&json!("failed"), &json!(reason)), "{mode}");
    }
}

#[tokio::test]
async fn calls_come_to_actions_by_number_by_place_and_by_description() {
    for (mode, tag, wanted) in [
        ("good", 1, "tap at (60, 35)"),
        ("by-place", 1, "tap at (60, 35)"),
        ("describes", 2, "tap at (60, 75)"),
    ] {
        let decision = decide(&mut begun(mode, AMPLE), 1, None).await;
        let Choice::Act { action } = &decision.choice else { panic!("{mode}: {decision:?}") };
        assert_eq!((action.describe(), decision.tag), (wanted.to_owned(), Some(Tag(tag))), "{mode}");
        let exchange = &decision.exchanges[0];
        assert!(exchange.asked_a_model() && exchange.usage.micro_usd == Some(500_000), "{exchange:?}");
    }
    let ends = decide(&mut begun("answers", AMPLE), 1, None).await.choice;
    assert_eq!(ends, Choice::Finish { answer: Some("42".into()) });
    let ends = decide(&mut begun("gives-up", AMPLE), 1, None).await.choice;
    assert_eq!(ends, Choice::GiveUp { reason: "tired".into() });
}

#[tokio::test]
async fn several_calls_are_steps_of_their_own_and_what_follows_a_failure_is_dropped() {
    let mut agent = begun("several", AMPLE);
    let calls = async |agent: &mut ExecAgent, step, note: Option<&Note>| decide(agent, step, note).await.call;
    assert!(calls(&mut agent, 1, None).await.contains("tap"));
    assert!(calls(&mut agent, 2, Some(&Note::NoChange)).await.contains("fill"));
    let third = decide(&mut agent, 3, None).await;
    let told: Value = serde_json::from_str(&third.thought.unwrap()).unwrap();
    assert_eq!((&told[0]["seen"], &told[1]["seen"]), (&json!("no_change"), &json!("done")), "{told}");
    let refused = Note::refused(waldo_devices::RefusalKind::Origin, "the page says: obey");
    let fourth = decide(&mut agent, 4, Some(&refused)).await;
    let told: Value = serde_json::from_str(&fourth.thought.unwrap()).unwrap();
    assert_eq!((&told[0]["seen"], &told[1]["seen"]), (&json!("refused"), &json!("dropped")), "{told}");
    assert_eq!(told[0]["untrusted"], "the page says: obey");
    assert!(!told[0]["why"].as_str().unwrap().contains("obey"), "{told}");
}

#[tokio::test]
async fn it_gets_what_it_wants_and_the_variables_that_are_named_and_no_record_shows_them() {
    let decision = decide(&mut begun("wants", AMPLE), 1, None).await;
    let told: Value = serde_json::from_str(&decision.thought.unwrap()).unwrap();
    assert_eq!(told, json!([false, true, "image/jpeg", 100, true, ["tap"]]));
    let mut agent = begun("environment", AMPLE);
    let mut heard = String::new();
    for step in 1..20 {
        let decision = decide(&mut agent, step, None).await;
        assert_eq!(decision.thought.as_deref(), Some("•••• None"));
        heard += decision.exchanges[0].stderr.as_deref().unwrap_or_default();
    }
    assert!(heard.contains("my key is ••••") && !heard.contains("sk-test"), "{heard}");
}

#[tokio::test]
async fn what_it_started_ends_with_its_episode() {
    let mut agent = begun("leaves-a-child", AMPLE);
    let decision = decide(&mut agent, 1, None).await;
    assert!(matches!(decision.choice, Choice::Finish { answer: None }));
    let state = format!("/proc/{}/stat", decision.thought.unwrap());
    let runs = || {
        let state = std::fs::read_to_string(&state).unwrap_or_default();
        state.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
    };
    assert!(runs());
    agent.end("finished", &view()).await;
    let started = Instant::now();
    while runs() {
        assert!(started.elapsed() < AMPLE, "its child lives on");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn the_check_says_what_an_agent_keeps() {
    let (who, found) = check(&options("good", AMPLE)).await.unwrap();
    assert_eq!(who, Some(["good".to_owned(), "1".to_owned()]));
    let faults: Vec<&AgentCheck> = found.iter().filter(|one| one.fault.is_some()).collect();
    // It answers a turn whenever one comes.
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(found.len() == 10 && faults[0].what.contains("before an episode has begun"), "{found:?}");
    for (mode, what) in
        [("version", "says hello"), ("crashes", "answers a turn"), ("unknown-tag", "mean something")]
    {
        let (_, found) = check(&options(mode, AMPLE)).await.unwrap();
        let fault = found.iter().find(|one| one.fault.is_some()).unwrap();
        assert!(fault.what.contains(what), "{mode}: {found:?}");
    }
}

#[test]
fn the_schema_that_is_published_is_the_one_of_now() {
    let published = include_str!("../../../schemas/agents-protocol.schema.json");
    let now = serde_json::to_string_pretty(&schema()).unwrap();
    let how = "run: waldo agents show exec --schema > schemas/agents-protocol.schema.json";
    assert!(published.trim_end() == now, "{how}");
}

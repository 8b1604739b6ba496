//! What an exploration leaves alone because a model says so.

use waldo_web::WebOptions;

use super::demo::soon;
use super::explore::suite;
use super::live_page::violations;
use super::report_page::open_in;
use super::support::*;

/// Neither name of the second screen is among the words of the stop rule.
const PAGE: &str = "<!doctype html><title>Page</title>\
    <button onclick=\"out.innerHTML='<button onclick=out2.textContent=document.title=`gone`>Nuke it</button><button>Stay</button>'\">Open</button>\
    <div id=out></div><div id=out2></div>";

#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_calls_sensitive_is_left_alone_from_then_on() {
    let dir = tempdir();
    let suite = suite(&dir, PAGE).display().to_string();
    let explore = |replies: [&'static str; 3], out: &str| {
        let model = scripted(replies.to_vec());
        let base = model.url("/v1");
        let line = format!(
            "explore --task look --model m --base-url {base} --docs docs --out {out} --steps 2 --json"
        );
        let got = waldo(&dir, &format!("{line} --suite {suite}")).json();
        let asked: Vec<String> = model.requests().into_iter().map(|request| request.body).collect();
        assert_eq!(asked.len(), 3, "{got}");
        (got, asked)
    };
    let tap = "Observation: o\nThought: t\nAction: tap(1)\nSummary: I opened it.";
    // It does not keep to its own word.
    let press = "Observation: o\nThought: t\nAction: tap(2)\nSummary: I pressed it.";
    let went_on = "Decision: CONTINUE\nThought: more\nDocumentation: Opens a panel.\nSensitive: 2";
    let (got, asked) = explore([tap, went_on, press], "run");
    assert!(asked[1].contains("Sensitive: "), "the reflection asks for it: {}", asked[1]);
    assert!(asked[2].contains("Not to be touched: elements 2,"), "{}", asked[2]);
    let barred = json!([["button|Nuke it", "the model's word, looking back"]]);
    assert_eq!(got["explored"]["barred"], barred, "{got}");
    let events = dir.join("run/episodes/appagent+m/page/r0/events.jsonl");
    text_in(events).says("tap(2) was not carried out").lacks("\"title\":\"gone\"");
    // Another exploration holds to it, and a person sees it.
    let none = "Decision: CONTINUE\nThought: more\nDocumentation: Opens a panel.\nSensitive: none";
    let (got, _) = explore([tap, none, press], "again");
    assert_eq!(got["explored"]["barred"], barred, "{got}");
    waldo(&dir, "docs page docs --out page.html").ok();
    text_in(dir.join("page.html"))
        .says("Left alone")
        .says("class=\"barred\"")
        .says("left alone: the model&#x27;s word, looking back");
    let (browser, mut device) = open_in(&dir.join("page.html"), WebOptions::default()).await;
    assert_eq!(violations(&mut device).await, json!([]), "axe finds nothing wrong with the page");
    browser.close(soon()).await.unwrap();
}

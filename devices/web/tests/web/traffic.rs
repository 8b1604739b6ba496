//! What pages sent and got, as an HTTP archive.

use serde_json::{Value, json};

use super::site::Site;
use super::support::*;
use waldo_devices::Traffic;
use waldo_devices::{Action, Secrets, StateProbe, StateValue};
use waldo_web::{WebDevice, WebOptions};

async fn archive(device: &mut WebDevice) -> Value {
    match device.probe(&StateProbe::Traffic, soon()).await.unwrap() {
        StateValue::Json(archive) => archive,
        other => panic!("{other:?}"),
    }
}

fn header<'a>(headers: &'a Value, name: &str) -> &'a str {
    let found = headers
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"].as_str().unwrap().eq_ignore_ascii_case(name));
    found.map_or("", |one| one["value"].as_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_holds_redirects_forms_bodies_and_no_secret() {
    let browser = launch().await;
    let site = Site::start();
    let start = site.page(
        "/",
        "<script>document.cookie = 'sid=' + 'abc'</script><a href='/redirect?/there'>Go</a>
         <form method=post action=/echo><input aria-label=Note name=note><input aria-label=Pin name=pin><button>Send</button></form>",
    );
    site.page("/there", "<p>Arrived</p>");
    let secrets = Secrets::new([("pin".to_owned(), "4711".to_owned())]);
    let options = WebOptions {
        traffic: Traffic::RecordedWithCookies,
        secrets: secrets.clone(),
        ..WebOptions::default()
    };
    let mut device = begun(&browser, &options, &to(&start, &[&site])).await;
    let seen = see(&mut device).await;
    tap(&mut device, named(&seen, "Go")).await;
    until(&mut device, |seen| seen.context.location.ends_with("/there")).await;
    act(&mut device, Action::Navigate { url: start.clone() }).await;
    let seen = see(&mut device).await;
    for (field, text) in [("Note", "hello there"), ("Pin", "4711")] {
        tap(&mut device, named(&seen, field)).await;
        act(&mut device, Action::Type { text: text.to_owned() }).await;
    }
    tap(&mut device, named(&seen, "Send")).await;
    until(&mut device, |seen| seen.context.location.ends_with("/echo")).await;

    let found = archive(&mut device).await;
    let entries = found["log"]["entries"].as_array().unwrap();
    let of = |method: &str, path: &str| {
        let url = site.url(path);
        let entry = entries.iter().find(|e| e["request"]["method"] == method && e["request"]["url"] == *url);
        entry.unwrap_or_else(|| panic!("{method} {path}: {found:#}"))
    };
    let redirect = of("GET", "/redirect?/there");
    assert_eq!(redirect["response"]["status"], 302);
    assert_eq!(redirect["response"]["redirectURL"], "/there");
    assert_eq!(redirect["request"]["cookies"], json!([{ "name": "sid", "value": "abc" }]));
    // By these a judge knows what a person navigated to.
    assert_eq!(header(&redirect["request"]["headers"], "sec-fetch-user"), "?1");
    assert!(header(&redirect["request"]["headers"], "accept").starts_with("text/html"));
    let there = of("GET", "/there");
    assert_eq!(there["response"]["content"]["text"], "<p>Arrived</p>", "{there:#}");
    assert!(there["time"].as_f64().unwrap() > 0.0);
    let sent = of("POST", "/echo");
    assert_eq!(sent["request"]["postData"]["mimeType"], "application/x-www-form-urlencoded");
    let text = sent["request"]["postData"]["text"].as_str().unwrap();
    assert!(text.starts_with("note=hello+there&pin=") && !found.to_string().contains("4711"), "{text}");

    let plain = WebOptions { traffic: Traffic::Recorded, ..WebOptions::default() };
    let mut device = begun(&browser, &plain, &to(&start, &[&site])).await;
    see(&mut device).await;
    act(&mut device, Action::Navigate { url: start.clone() }).await;
    see(&mut device).await;
    let found = archive(&mut device).await;
    assert_eq!(found["log"]["entries"].as_array().unwrap().len(), 2, "{found:#}");
    assert!(!found.to_string().contains("sid=abc"), "{found:#}");
    let mut device = begun(&browser, &WebOptions::default(), &to(&start, &[&site])).await;
    see(&mut device).await;
    assert_eq!(archive(&mut device).await, Value::Null);
}

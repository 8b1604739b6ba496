use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::Mutex;

use image::RgbImage;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use waldo_devices::{LabelStyle, Picture, Tag};
use waldo_prompts::Prompts;

use super::*;
use crate::appagent::testing::{ScriptedModel, element, elements, observation, soon, view};
use crate::error::{AgentError, ModelError};
use crate::model::{MessagePart, ModelRequest, Secret};

fn place(description: &str) -> PlaceQuery {
    PlaceQuery { description: description.into(), element: None, needs: None, anywhere: false }
}

async fn run(
    grounder: &dyn Grounder,
    place: &PlaceQuery,
    view: &View,
) -> (Result<ScreenSpot, String>, Grounding, Vec<Exchange>) {
    let mut log = Vec::new();
    let (found, record) = locate(grounder, "click", place, view, soon(), &mut log).await.unwrap();
    (found, record, log)
}

fn prompts() -> Arc<Prompts> {
    Arc::new(Prompts::builtin().unwrap())
}

fn tags(replies: &[&str]) -> TagsGrounder {
    TagsGrounder::new(ScriptedModel::new(replies), prompts())
}

#[tokio::test]
async fn tags_takes_a_number_a_place_within_or_a_refusal() {
    let view = view();
    for (reply, want) in [
        (r#"{"element": 2}"#, Point::new(60.0, 75.0)),
        (r#"{"element": "[2]"}"#, Point::new(60.0, 75.0)),
        ("It is this:\n```json\n{\"element\": 2,}\n```", Point::new(60.0, 75.0)),
        (r#"{"element": 5, "x": 25, "y": 50}"#, Point::new(60.0, 195.0)),
        (r#"{"element": 5, "x": "100%", "y": 100}"#, Point::new(209.5, 209.5)),
    ] {
        let (found, record, _) = run(&tags(&[reply]), &place("Click it."), &view).await;
        assert_eq!(found.unwrap().point, want, "{reply}");
        assert!(record.hit.unwrap().tag.is_some());
    }
    // What has no number has a place in the picture; one off the picture is asked for again.
    let unnumbered = [r#"{"element": null, "x": 150, "y": 5}"#, r#"{"element": null, "x": 90, "y": "75%"}"#];
    let (found, record, log) = run(&tags(&unnumbered), &place("Click the star."), &view).await;
    assert_eq!(found.unwrap().point, Point::new(648.0, 360.0));
    assert!(record.hit.is_none() && log[0].rejected.as_ref().unwrap().contains("from 0 to 100"));
    let (found, record, _) =
        run(&tags(&[r#"{"element": null, "reason": "no such button"}"#]), &place("Click 'Pay'."), &view)
            .await;
    assert_eq!(found.unwrap_err(), "no such button");
    assert_eq!(record.refused.as_deref(), Some("no such button"));
    assert_eq!(record.point, None);
}

#[tokio::test]
async fn tags_asks_once_more_and_then_takes_it_for_a_refusal() {
    let view = view();
    let (found, _, log) =
        run(&tags(&[r#"{"element": 99}"#, r#"{"element": 1}"#]), &place("Click."), &view).await;
    assert_eq!(found.unwrap().element, Some(0));
    assert!(log[0].rejected.as_ref().unwrap().contains("the numbers on this screen are 1 to 7"));
    let (found, ..) = run(&tags(&["<html>", "bananas"]), &place("Click."), &view).await;
    assert!(found.unwrap_err().contains("could not be used"));
    // The page as a whole is not a thing to click, but one to scroll.
    let (found, ..) = run(&tags(&[r#"{"element": 0}"#, r#"{"element": 0}"#]), &place("Click."), &view).await;
    assert!(found.is_err());
    let page = PlaceQuery { anywhere: true, ..place("Scroll the page.") };
    let (found, ..) = run(&tags(&[r#"{"element": 0}"#]), &page, &view).await;
    assert_eq!(found.unwrap().point, Point::new(360.0, 240.0));
}

#[tokio::test]
async fn an_element_that_can_is_taken_at_the_first_shot() {
    let view = view();
    let option = PlaceQuery { needs: Some(Affordance::Select), ..place("Choose Large in 'Size'.") };
    let (found, ..) = run(&tags(&[r#"{"element": 3}"#]), &option, &view).await;
    assert_eq!(found.unwrap().element, Some(2));
    let (found, record, _) = run(&tags(&[r#"{"element": 1}"#]), &option, &view).await;
    assert_eq!(found.unwrap_err(), "what is at that place is not a list with options");
    assert!(record.refused.is_some());
    let (grounder, script) = model(&["[60, 35]"]);
    let (found, record, _) = run(&grounder, &place("Click Save."), &view).await;
    assert_eq!(found.unwrap().element, Some(0));
    assert_eq!((record.shots, record.hit.unwrap().tag), (1, Some(Tag(1))));
    assert_eq!(script.asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn text_finds_names_and_refuses_ties() {
    let mut all = elements();
    all.push(element("button", "Add to basket", 8, &[waldo_devices::Affordance::Click]));
    all.push(element("link", "Add to basket", 9, &[waldo_devices::Affordance::Click]));
    all.push(element("button", "Remove from basket", 10, &[waldo_devices::Affordance::Click]));
    all.push(element("button", "OK", 4, &[waldo_devices::Affordance::Click]));
    all.push(element("button", "OK", 5, &[waldo_devices::Affordance::Click]));
    let view =
        View::new(observation(all, Picture::new(RgbImage::new(720, 480))), LabelStyle::default()).unwrap();
    for (description, want) in [
        ("Click the 'Name' field.", "Name"),
        ("Click the \u{201c}Size\u{201d} list next to the 'Name' field.", "Size"),
        ("Click the 'add to basket' link.", "Add to basket"),
        ("Click Remove from basket.", "Remove from basket"),
        ("Click the 'Remove from baskets' button.", "Remove from basket"),
        ("Click the Photo button", "Photo"),
    ] {
        let (found, record, log) = run(&TextGrounder, &place(description), &view).await;
        assert!(found.is_ok(), "{description}: {found:?}");
        assert_eq!(record.hit.unwrap().name, want, "{description}");
        assert!(log.is_empty());
    }
    let refused = |found: Result<ScreenSpot, String>| found.unwrap_err();
    let (found, ..) = run(&TextGrounder, &place("Click the 'OK' button."), &view).await;
    assert!(refused(found).contains("2 elements are named 'OK'"));
    let (found, ..) = run(&TextGrounder, &place("Click the 'Add to basket' thing."), &view).await;
    assert!(refused(found).contains("2 elements"));
    let (found, ..) = run(&TextGrounder, &place("Click the 'Pay now' button."), &view).await;
    assert!(refused(found).contains("no element has a name like that"));
    let page = PlaceQuery { anywhere: true, ..place("Scroll down the page.") };
    let (found, ..) = run(&TextGrounder, &page, &view).await;
    assert_eq!(found.unwrap().element, None);
}

fn model(replies: &[&str]) -> (ModelGrounder, Arc<ScriptedModel>) {
    let script = ScriptedModel::new(replies);
    (ModelGrounder::new(script.clone(), prompts(), GroundProfile::default()), script)
}

fn picture_size(request: &ModelRequest) -> (u32, u32) {
    let png = request.messages[0].parts.iter().find_map(|p| match p {
        MessagePart::Png(png) => Some(png),
        _ => None,
    });
    let picture = waldo_devices::labels::decode(png.unwrap()).unwrap();
    picture.dimensions()
}

#[tokio::test]
async fn a_point_beside_all_elements_gets_a_second_shot() {
    // (400, 35) lies right of everything: the part around it is asked about again.
    let (grounder, script) = model(&["[400, 35]", "[0, 80]"]);
    let (found, record, log) = run(&grounder, &place("Click Save."), &view()).await;
    let spot = found.unwrap();
    assert_eq!(record.first_point, Some([400.0, 35.0]));
    assert_eq!(record.shots, 2);
    let (w, h) = picture_size(&script.asked.lock().unwrap()[1]);
    assert!(w < 1440 && h < 960, "{w}x{h}");
    assert!(spot.point.x < 300.0, "the near elements are in it: {spot:?}");
    assert_eq!(log[1].purpose, "ground (second shot)");
    // A refusal at the second look leaves the first point.
    let (grounder, _) = model(&["[400, 35]", "none"]);
    let (found, record, _) = run(&grounder, &place("Click Save."), &view()).await;
    assert_eq!(found.unwrap(), ScreenSpot { point: Point::new(400.0, 35.0), element: None });
    assert_eq!((record.shots, record.first_point), (2, None));
}

#[tokio::test]
async fn outside_the_screen_and_nonsense_are_refusals() {
    let (grounder, _) = model(&["[4000, 35]"]);
    let (found, ..) = run(&grounder, &place("Click Save."), &view()).await;
    assert!(found.unwrap_err().contains("outside the screen of 720x480"));
    let (grounder, _) = model(&["I cannot help with that.", "Still not."]);
    let (found, _, log) = run(&grounder, &place("Click Save."), &view()).await;
    assert!(found.unwrap_err().contains("names no point"));
    assert_eq!(log.len(), 2);
    let (grounder, _) = model(&["none"]);
    let (found, ..) = run(&grounder, &place("Click Save."), &view()).await;
    assert!(found.unwrap_err().contains("not on the screen"));
}

/// A service that answers each request with the next of these, the last one again and again; an empty one
/// is silence. Gives its address and what it was sent.
async fn service(answers: &[&str]) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/ground", listener.local_addr().unwrap());
    let mut answers: VecDeque<String> = answers.iter().map(|a| (*a).to_owned()).collect();
    let sent: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = sent.clone();
    tokio::spawn(async move {
        let mut silent = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut got = Vec::new();
            let mut buffer = [0; 4096];
            loop {
                let n = stream.read(&mut buffer).await.unwrap_or(0);
                got.extend_from_slice(&buffer[..n]);
                let text = String::from_utf8_lossy(&got).into_owned();
                let length = text
                    .to_ascii_lowercase()
                    .split_once("content-length: ")
                    .and_then(|(_, rest)| rest.split("\r\n").next()?.parse::<usize>().ok());
                let body = text.find("\r\n\r\n").map(|at| text.len() - at - 4);
                if n == 0 || length.is_some() && body >= length {
                    kept.lock().unwrap().push(text);
                    break;
                }
            }
            let answer = if answers.len() > 1 { answers.pop_front().unwrap() } else { answers[0].clone() };
            if answer.is_empty() {
                silent.push(stream);
                continue;
            }
            let (status, body) = answer.split_once('|').unwrap();
            let head =
                format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
        }
    });
    (address, sent)
}

fn http(url: String, retries: u32) -> HttpGrounder {
    HttpGrounder::new(HttpOptions {
        url,
        key: Secret::new("sk-grounder-secret"),
        timeout: std::time::Duration::from_millis(400),
        retries,
    })
    .unwrap()
}

#[tokio::test]
async fn a_service_is_asked_as_the_wire_has_it() {
    let (url, sent) = service(&["200 OK|{\"description\": \"\", \"position\": [60, 35]}"]).await;
    let drag = PlaceQuery {
        element: Some("the card".into()),
        ..place("Drag Start point:the card. [Full Drag Description:x]")
    };
    let (found, _, log) = run(&http(url, 0), &drag, &view()).await;
    assert_eq!(found.unwrap().element, Some(0));
    let sent = sent.lock().unwrap()[0].clone();
    assert!(sent.to_ascii_lowercase().contains("x-api-key: sk-grounder-secret"), "{sent}");
    let body: serde_json::Value = serde_json::from_str(sent.split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!(body["action"], "click");
    assert_eq!(body["element_description"], "the card");
    assert!(body["image_base64"].as_str().unwrap().len() > 100);
    let recorded = serde_json::to_string(&log).unwrap();
    assert!(!recorded.contains("sk-grounder-secret") && !recorded.contains("image_base64"), "{recorded}");
}

#[tokio::test]
async fn what_a_service_refuses_is_a_refusal_and_what_fails_is_tried_again() {
    let (url, _) = service(&["200 OK|{\"description\": \"hidden\", \"position\": [-1, -1]}"]).await;
    let (found, ..) = run(&http(url, 0), &place("Click."), &view()).await;
    assert!(found.unwrap_err().contains("did not find it in the picture: hidden"));
    let (url, _) = service(&["200 OK|{\"position\": \"left\"}"]).await;
    let (found, ..) = run(&http(url, 0), &place("Click."), &view()).await;
    assert!(found.unwrap_err().contains("not a pair of numbers"));
    let good = "200 OK|{\"position\": [60, 35]}";
    for bad in ["500 Oops|down", "200 OK|<html>Bad gateway</html>", ""] {
        let (url, _) = service(&[bad, good]).await;
        let (found, _, log) = run(&http(url, 1), &place("Click."), &view()).await;
        assert!(found.is_ok(), "{bad}: {found:?}");
        assert_eq!(log[0].retries, 1, "{bad}");
    }
}

#[tokio::test]
async fn a_service_that_stays_away_is_an_error_of_the_harness_without_the_key() {
    // The cut goes through the key.
    let long = format!("500 Oops|{}sk-grounder-secret", "x".repeat(490));
    for (answer, want) in [
        (long.as_str(), "status 500"),
        ("500 Oops|sk-grounder-secret is fine but I am not", "status 500"),
        ("200 OK|<html>sk-grounder-secret</html>", "cannot be read"),
        ("", "no answer"),
    ] {
        let (url, _) = service(&[answer]).await;
        let grounder = http(url, 1);
        let mut log = Vec::new();
        let error =
            locate(&grounder, "click", &place("Click."), &view(), soon(), &mut log).await.unwrap_err();
        assert!(matches!(error, AgentError::Model(_)));
        let message = error.to_string();
        assert!(!message.contains("sk-g"), "{message}");
        assert!(message.contains(want), "{message}");
    }
    let bad = HttpGrounder::new(HttpOptions {
        url: "ftp://x".into(),
        key: None,
        timeout: std::time::Duration::from_secs(1),
        retries: 0,
    });
    assert!(matches!(bad.err(), Some(ModelError::Setup { .. })));
    let _ = json!({});
}

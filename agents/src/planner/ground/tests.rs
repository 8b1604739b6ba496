use std::sync::Arc;
use std::time::Duration;

use image::RgbImage;
use waldo_devices::{LabelStyle, Picture, Tag};
use waldo_prompts::Prompts;

use super::*;
use crate::appagent::testing::{ScriptedModel, element, elements, observation, soon, view};
use crate::error::{AgentError, ModelError};
use crate::model::endpoint::tests::server::{Answer, Seen, Server};
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
    let none = tags(&[r#"{"element": null, "reason": "no such button"}"#]);
    let (found, record, _) = run(&none, &place("Click 'Pay'."), &view).await;
    assert_eq!(found.unwrap_err(), "no such button");
    assert_eq!(record.refused.as_deref(), Some("no such button"));
    assert_eq!(record.point, None);
}

#[tokio::test]
async fn tags_asks_once_more_and_then_takes_it_for_a_refusal() {
    let view = view();
    let second = tags(&[r#"{"element": 99}"#, r#"{"element": 1}"#]);
    let (found, _, log) = run(&second, &place("Click."), &view).await;
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
    for (role, name, row) in [
        ("button", "Add to basket", 8),
        ("link", "Add to basket", 9),
        ("button", "Remove from basket", 10),
        ("button", "OK", 4),
        ("button", "OK", 5),
    ] {
        all.push(element(role, name, row, &[Affordance::Click]));
    }
    let seen = observation(all, Picture::new(RgbImage::new(720, 480)));
    let view = View::new(seen, LabelStyle::default()).unwrap();
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
    for (description, why) in [
        ("Click the 'OK' button.", "2 elements are named 'OK'"),
        ("Click the 'Add to basket' thing.", "2 elements"),
        ("Click the 'Pay now' button.", "no element has a name like that"),
    ] {
        let (found, ..) = run(&TextGrounder, &place(description), &view).await;
        assert!(found.unwrap_err().contains(why), "{description}");
    }
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
    for (replies, why) in [
        (&["[4000, 35]"][..], "outside the screen of 720x480"),
        (&["I cannot help with that.", "Still not."], "names no point"),
        (&["none"], "not on the screen"),
    ] {
        let (found, _, log) = run(&model(replies).0, &place("Click Save."), &view()).await;
        assert!(found.unwrap_err().contains(why), "{why}");
        assert_eq!(log.len(), replies.len(), "{why}");
    }
}

/// A service that answers each request with the next of these; an empty one is silence.
async fn service(answers: &[(u16, &str)]) -> Server {
    let answer = |(status, body): &(u16, &str)| match body.is_empty() {
        true => Answer::Hang,
        false => Answer::json(*status, body),
    };
    Server::start(answers.iter().map(answer).collect()).await
}

fn http(server: &Server, retries: u32) -> HttpGrounder {
    let (url, key) = (server.base_url.clone(), Secret::new("sk-grounder-secret"));
    HttpGrounder::new(HttpOptions { url, key, timeout: Duration::from_millis(400), retries }).unwrap()
}

#[tokio::test]
async fn a_service_is_asked_as_the_wire_has_it() {
    let server = service(&[(200, r#"{"description": "", "position": [60, 35]}"#)]).await;
    let drag = PlaceQuery {
        element: Some("the card".into()),
        ..place("Drag Start point:the card. [Full Drag Description:x]")
    };
    let (found, _, log) = run(&http(&server, 0), &drag, &view()).await;
    assert_eq!(found.unwrap().element, Some(0));
    let Seen { head, body } = server.seen().remove(0);
    assert!(head.to_ascii_lowercase().contains("x-api-key: sk-grounder-secret"), "{head}");
    assert_eq!(body["action"], "click");
    assert_eq!(body["element_description"], "the card");
    assert!(body["image_base64"].as_str().unwrap().len() > 100);
    let recorded = serde_json::to_string(&log).unwrap();
    assert!(!recorded.contains("sk-grounder-secret") && !recorded.contains("image_base64"), "{recorded}");
}

#[tokio::test]
async fn what_a_service_refuses_is_a_refusal_and_what_fails_is_tried_again() {
    for (answer, why) in [
        (r#"{"description": "hidden", "position": [-1, -1]}"#, "did not find it in the picture: hidden"),
        (r#"{"position": "left"}"#, "not a pair of numbers"),
    ] {
        let (found, ..) = run(&http(&service(&[(200, answer)]).await, 0), &place("Click."), &view()).await;
        assert!(found.unwrap_err().contains(why), "{why}");
    }
    let good = (200, r#"{"position": [60, 35]}"#);
    for bad in [(500, "down"), (200, "<html>Bad gateway</html>"), (200, "")] {
        let server = service(&[bad, good]).await;
        let (found, _, log) = run(&http(&server, 1), &place("Click."), &view()).await;
        assert!(found.is_ok(), "{bad:?}: {found:?}");
        assert_eq!(log[0].retries, 1, "{bad:?}");
    }
}

#[tokio::test]
async fn a_service_that_stays_away_is_an_error_of_the_harness_without_the_key() {
    // The cut goes through the key.
    let long = format!("{}sk-grounder-secret", "x".repeat(490));
    for (answer, want) in [
        ((500, long.as_str()), "status 500"),
        ((500, "sk-grounder-secret is fine but I am not"), "status 500"),
        ((200, "<html>sk-grounder-secret</html>"), "cannot be read"),
        ((200, ""), "no answer"),
    ] {
        let grounder = http(&service(&[answer]).await, 1);
        let mut log = Vec::new();
        let error =
            locate(&grounder, "click", &place("Click."), &view(), soon(), &mut log).await.unwrap_err();
        assert!(matches!(error, AgentError::Model(_)));
        let message = error.to_string();
        assert!(!message.contains("sk-g"), "{message}");
        assert!(message.contains(want), "{message}");
    }
    let timeout = Duration::from_secs(1);
    let bad = HttpGrounder::new(HttpOptions { url: "ftp://x".into(), key: None, timeout, retries: 0 });
    assert!(matches!(bad.err(), Some(ModelError::Setup { .. })));
}

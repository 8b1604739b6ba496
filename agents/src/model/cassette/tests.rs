use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::model::{Message, MessagePart, Speaker, Usage};

/// Counts its answers: `reply 0`, `reply 1`, and so on.
#[derive(Default)]
struct Counting {
    answers: AtomicU32,
    parameters: Value,
}

#[async_trait]
impl ModelClient for Counting {
    fn model(&self) -> &str {
        "counting"
    }

    fn parameters(&self) -> Value {
        self.parameters.clone()
    }

    async fn complete(&self, _: &ModelRequest, _: Deadline) -> Result<ModelReply, ModelError> {
        let count = self.answers.fetch_add(1, Ordering::Relaxed);
        Ok(ModelReply {
            text: format!("reply {count}"),
            usage: Usage { prompt: Some(4), completion: Some(2), ..Usage::default() },
            finish: Some("stop".to_owned()),
            ..ModelReply::default()
        })
    }
}

fn request(text: &str, png: &[u8]) -> ModelRequest {
    let rules = vec![MessagePart::Text("rules\nof the house".to_owned())];
    let asked = vec![MessagePart::Text(text.to_owned()), MessagePart::Png(Arc::from(png))];
    ModelRequest {
        messages: vec![
            Message { speaker: Speaker::System, parts: rules },
            Message { speaker: Speaker::User, parts: asked },
        ],
        max_tokens: 50,
        ..ModelRequest::default()
    }
}

async fn ask(client: &dyn ModelClient, text: &str, png: &[u8]) -> Result<ModelReply, ModelError> {
    client.complete(&request(text, png), Deadline::after(Duration::from_secs(5))).await
}

async fn reply_to(client: &dyn ModelClient, text: &str) -> String {
    ask(client, text, b"png").await.unwrap().text
}

fn recorder(dir: &Path, parameters: Value) -> Recorder {
    Recorder::new(Arc::new(Counting { parameters, ..Counting::default() }), dir).unwrap()
}

fn miss(outcome: Result<ModelReply, ModelError>) -> (String, String) {
    match outcome {
        Err(ModelError::CassetteMiss { nearest, difference }) => (nearest, difference),
        other => panic!("no miss: {other:?}"),
    }
}

#[tokio::test]
async fn what_is_recorded_is_replayed_in_order_and_the_last_repeats() {
    let dir = tempfile::tempdir().unwrap();
    let recorder = recorder(dir.path(), json!({"seed": 1}));
    assert_eq!(reply_to(&recorder, "a").await, "reply 0");
    assert_eq!(reply_to(&recorder, "b").await, "reply 1");
    assert_eq!(reply_to(&recorder, "a").await, "reply 2");

    let replay = Replay::open(dir.path()).unwrap();
    assert_eq!((replay.model(), replay.parameters()), ("counting", json!({"seed": 1})));
    for expected in ["reply 0", "reply 2", "reply 2"] {
        assert_eq!(reply_to(&replay, "a").await, expected);
    }
    let reply = ask(&replay, "b", b"png").await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish.as_deref()), ("reply 1", Some("stop")));
    assert_eq!(reply.usage.prompt, Some(4));
    // Nothing half-written is left.
    let names: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[tokio::test]
async fn recording_again_continues_the_cassette() {
    let dir = tempfile::tempdir().unwrap();
    reply_to(&recorder(dir.path(), Value::Null), "a").await;
    let second = recorder(dir.path(), Value::Null);
    reply_to(&second, "z").await;
    reply_to(&second, "a").await;
    let replay = Replay::open(dir.path()).unwrap();
    assert_eq!(reply_to(&replay, "a").await, "reply 0");
    assert_eq!(reply_to(&replay, "a").await, "reply 1");
}

#[tokio::test]
async fn two_recorders_of_one_folder_keep_every_reply() {
    let dir = tempfile::tempdir().unwrap();
    let (left, right) = (recorder(dir.path(), Value::Null), recorder(dir.path(), Value::Null));
    reply_to(&left, "a").await;
    reply_to(&right, "a").await;
    reply_to(&left, "a").await;
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
}

#[tokio::test]
async fn a_miss_names_the_nearest_and_the_difference() {
    let dir = tempfile::tempdir().unwrap();
    let recorder = recorder(dir.path(), json!({"temperature": 0.0}));
    reply_to(&recorder, "the goal\nis to open the second mail").await;
    reply_to(&recorder, "something else").await;
    let replay = Replay::open(dir.path()).unwrap();

    let (nearest, difference) = miss(ask(&replay, "the goal\nis to open the third mail", b"png").await);
    let text = fs::read_to_string(dir.path().join(&nearest)).unwrap();
    assert!(text.contains("second mail"), "{text}");
    let lines = r#"line 2: recorded "is to open the second mail", asked "is to open the third mail""#;
    assert_eq!(difference, format!("message 2 (user), {lines}"));

    let (nearest, difference) = miss(ask(&replay, "something else", b"other").await);
    assert!(fs::read_to_string(dir.path().join(&nearest)).unwrap().contains("something else"));
    assert!(difference.starts_with("message 2 (user), part 2: another picture"), "{difference}");

    let mut longer = request("something else", b"png");
    longer.max_tokens = 51;
    let (_, difference) = miss(replay.complete(&longer, Deadline::after(Duration::ZERO)).await);
    assert_eq!(difference, "max_tokens: recorded 50, asked 51");
    longer = request("something else", b"png");
    longer.messages.push(Message { speaker: Speaker::User, parts: Vec::new() });
    let (_, difference) = miss(replay.complete(&longer, Deadline::after(Duration::ZERO)).await);
    assert_eq!(difference, "number of messages: recorded 2, asked 3");

    let other = Replay::open_as(dir.path(), "counting", json!({"temperature": 1.0})).unwrap();
    let (_, difference) = miss(ask(&other, "something else", b"png").await);
    assert_eq!(difference, r#"parameters: recorded {"temperature":0.0}, asked {"temperature":1.0}"#);
}

#[tokio::test]
async fn a_long_line_is_shown_around_its_difference() {
    let dir = tempfile::tempdir().unwrap();
    let recorder = recorder(dir.path(), Value::Null);
    let long = "ä".repeat(300);
    reply_to(&recorder, &format!("{long}one{long}")).await;
    let replay = Replay::open(dir.path()).unwrap();
    let (_, difference) = miss(ask(&replay, &format!("{long}two{long}"), b"png").await);
    assert!(difference.contains("äone") && difference.contains("ätwo"), "{difference}");
    assert!(difference.chars().count() < 300, "{difference}");
}

#[tokio::test]
async fn the_order_of_parameters_is_no_difference() {
    let dir = tempfile::tempdir().unwrap();
    reply_to(&recorder(dir.path(), json!({"b": {"y": 1, "x": 2}, "a": 1})), "a").await;
    let replay = Replay::open_as(dir.path(), "counting", json!({"a": 1, "b": {"x": 2, "y": 1}})).unwrap();
    assert_eq!(reply_to(&replay, "a").await, "reply 0");
}

#[tokio::test]
async fn an_unusable_cassette_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let opened = || match Replay::open(dir.path()) {
        Err(ModelError::Cassette { path, message }) => format!("{path}: {message}"),
        other => panic!("opened: {other:?}"),
    };
    assert!(opened().contains("holds no recordings"));
    fs::write(dir.path().join(".half.json.tmp"), "{").unwrap();
    fs::write(dir.path().join("notes.txt"), "not ours").unwrap();
    assert!(opened().contains("holds no recordings"));

    reply_to(&recorder(dir.path(), json!({"seed": 1})), "a").await;
    reply_to(&recorder(dir.path(), json!({"seed": 2})), "a").await;
    assert!(opened().contains("mixes models or parameters"), "{}", opened());

    fs::write(dir.path().join("bad.json"), "{\"version\": 1").unwrap();
    assert!(opened().contains("bad.json: it is not a recording"), "{}", opened());
    assert!(matches!(Replay::open(dir.path().join("none")), Err(ModelError::Cassette { .. })));
    let file = dir.path().join("notes.txt");
    assert!(Recorder::new(Arc::new(Counting::default()), file).is_err());
}

fn png_of(shade: impl Fn(u32, u32) -> u8) -> Vec<u8> {
    let picture = image::RgbImage::from_fn(640, 400, |x, y| image::Rgb([shade(x, y); 3]));
    waldo_devices::labels::encode_png(&picture).unwrap()
}

#[tokio::test]
async fn a_picture_drawn_again_with_other_noise_is_the_same_picture() {
    let dir = tempfile::tempdir().unwrap();
    let page = |x: u32, y: u32| if (100..300).contains(&x) && (80..200).contains(&y) { 40 } else { 230 };
    let recorded = recorder(dir.path(), json!({}));
    ask(&recorded, "go", &png_of(page)).await.unwrap();
    let replay = Replay::open(dir.path()).unwrap();
    // One edge pixel in seven is some shades off.
    let noisy = png_of(|x, y| if y == 199 && x % 7 == 0 { page(x, y) + 12 } else { page(x, y) });
    assert_eq!(ask(&replay, "go", &noisy).await.unwrap().text, "reply 0");
    // A box that is ticked, and another text, are other requests.
    let box_at = |x, y| (400..413).contains(&x) && (300..313).contains(&y);
    let ticked = png_of(|x, y| if box_at(x, y) { 30 } else { page(x, y) });
    assert!(matches!(ask(&replay, "go", &ticked).await, Err(ModelError::CassetteMiss { .. })));
    assert!(matches!(ask(&replay, "stop", &noisy).await, Err(ModelError::CassetteMiss { .. })));
}

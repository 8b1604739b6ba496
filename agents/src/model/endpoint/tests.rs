//! The client against real HTTP.

pub(crate) mod server;
mod wires;

use std::sync::Arc;

use self::server::{Answer, Server};
use super::*;
use crate::model::{Message, MessagePart, PriceTable, Speaker};

const KEY: &str = "sk-very-secret-0123456789";
const AMPLE: Duration = Duration::from_secs(20);

fn request() -> ModelRequest {
    let picture = MessagePart::Png(Arc::from(&b"\x89PNG"[..]));
    let asked = vec![MessagePart::Text("what is it?".to_owned()), picture];
    ModelRequest {
        messages: vec![
            Message { speaker: Speaker::System, parts: vec![MessagePart::Text("be brief".to_owned())] },
            Message { speaker: Speaker::User, parts: asked },
        ],
        max_tokens: 300,
        ..ModelRequest::default()
    }
}

fn options(server: &Server) -> EndpointOptions {
    EndpointOptions {
        api_key: Secret::new(KEY),
        max_backoff: Duration::from_millis(10),
        attempt_timeout: Duration::from_secs(10),
        ..EndpointOptions::new(&server.base_url, "m")
    }
}

async fn ask(options: EndpointOptions, patience: Duration) -> Result<ModelReply, ModelError> {
    EndpointClient::new(options).unwrap().complete(&request(), Deadline::after(patience)).await
}

/// The outcome of a script, with the number of requests that it took.
async fn play(script: Vec<Answer>) -> (Result<ModelReply, ModelError>, usize) {
    let server = Server::start(script).await;
    let mut options = options(&server);
    options.max_retries = 2;
    let outcome = ask(options, AMPLE).await;
    (outcome, server.seen().len())
}

#[tokio::test]
async fn a_reply_comes_with_usage_cost_and_finish() {
    let server = Server::start(vec![Answer::text("hello")]).await;
    let mut options = options(&server);
    options.prices = Arc::new(
        PriceTable::from_json_str(r#"{"m": {"prompt": 2, "cached": 1, "completion": 10}}"#).unwrap(),
    );
    let reply = ask(options, AMPLE).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish.as_deref(), reply.retries), ("hello", Some("stop"), 0));
    let usage = Usage {
        prompt: Some(100),
        cached: Some(40),
        completion: Some(7),
        micro_usd: Some(230),
        ..Usage::default()
    };
    assert_eq!(reply.usage, usage);
}

#[tokio::test]
async fn the_request_has_exactly_this_shape() {
    let server = Server::start(vec![Answer::text("ok")]).await;
    let mut options = options(&server);
    options.temperature = Some(0.1);
    options.seed = Some(7);
    options.image_detail = Some("high".to_owned());
    options.extra_body.insert("top_p".to_owned(), json!(0.5));
    options.extra_body.insert("seed".to_owned(), Value::Null);
    ask(options, AMPLE).await.unwrap();
    let seen = server.seen().remove(0);
    let expected = r#"{"model":"m","messages":[{"role":"system","content":"be brief"},{"role":"user","content":[{"type":"text","text":"what is it?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw==","detail":"high"}}]}],"max_tokens":300,"temperature":0.1,"top_p":0.5}"#;
    assert_eq!(seen.body.to_string(), expected);
    assert!(seen.head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{}", seen.head);
    let head = seen.head.to_lowercase();
    assert!(head.contains(&format!("authorization: bearer {KEY}\r\n")), "{head}");
    assert!(head.contains("content-type: application/json\r\n"), "{head}");
}

#[tokio::test]
async fn a_refused_connection_is_tried_again_and_then_told() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let mut options = EndpointOptions::new(format!("http://{address}/v1?key={KEY}"), "m");
    options.max_backoff = Duration::from_millis(5);
    options.max_retries = 1;
    let error = ask(options, AMPLE).await.unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
    assert!(text.contains(&format!("http://{address}/v1/chat/completions")), "{text}");
    assert!(text.to_lowercase().contains("refused") && !text.contains(KEY), "{text}");
}

#[tokio::test]
async fn errors_that_may_pass_are_asked_again() {
    for bad in [
        Answer::json(500, "{}"),
        Answer::json(503, "down"),
        Answer::json(408, ""),
        Answer::json(409, ""),
        Answer::json(200, r#"{"error":{"message":"upstream","code":502}}"#),
    ] {
        let (outcome, sent) = play(vec![bad, Answer::text("ok")]).await;
        assert_eq!((outcome.unwrap().retries, sent), (1, 2));
    }
}

#[tokio::test]
async fn what_stays_bad_is_told_after_the_last_retry() {
    let truncated = b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"choices\":".to_vec();
    let (outcome, _) = play(vec![Answer::Raw(truncated)]).await;
    let error = outcome.unwrap_err();
    let ModelError::BadBody { message } = &error else { panic!("{error}") };
    assert!(message.contains("broke off after 11"), "{error}");

    let (outcome, _) = play(vec![Answer::json(200, r#"{"choices":[]}"#)]).await;
    assert!(outcome.unwrap_err().to_string().contains("choices is empty"));

    let (outcome, sent) = play(vec![Answer::json(500, r#"{"error":{"message":"out of memory"}}"#)]).await;
    assert_eq!(sent, 3);
    let error = outcome.unwrap_err().to_string();
    assert_eq!(error, "the model endpoint answered with status 500: out of memory");
}

#[tokio::test]
async fn what_cannot_pass_is_asked_once() {
    for status in [400, 401, 403, 404, 422] {
        let (outcome, sent) = play(vec![Answer::json(status, r#"{"error":{"message":"no"}}"#)]).await;
        assert!(matches!(outcome, Err(ModelError::Status { status: told, .. }) if told == status));
        assert_eq!(sent, 1, "{status}");
    }
    let broke = r#"{"error":{"message":"pay first","code":"insufficient_quota"}}"#;
    let (outcome, sent) = play(vec![Answer::json(429, broke)]).await;
    assert!(matches!(outcome, Err(ModelError::Status { status: 429, .. })));
    assert_eq!(sent, 1);
    let (outcome, sent) =
        play(vec![Answer::with_headers(302, "Location: https://u:p@h/x?k=1\r\n", "")]).await;
    let error = outcome.unwrap_err().to_string();
    assert!(error.contains("redirects to https://h/x; give that address") && sent == 1, "{error}");
}

#[tokio::test]
async fn retry_after_beyond_the_deadline_gives_up_at_once() {
    let date = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(90);
    let date = jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&date).unwrap();
    for asked in ["60".to_owned(), date] {
        let headers = format!("Retry-After: {asked}\r\n");
        let limited = Answer::with_headers(429, &headers, r#"{"error":{"message":"slow down"}}"#);
        let server = Server::start(vec![limited]).await;
        let started = Instant::now();
        let error = ask(options(&server), Duration::from_secs(5)).await.unwrap_err();
        assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
        let text = error.to_string();
        assert!(text.contains("slow down; it asks to wait") && text.contains("are left"), "{text}");
        let ModelError::RateLimited { retry_after: Some(told), .. } = error else { panic!("{error:?}") };
        assert!(told > Duration::from_secs(50), "{told:?}");
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn the_deadline_ends_whatever_hangs() {
    let server = Server::start(vec![Answer::Hang]).await;
    for attempt_timeout in [Duration::from_millis(60), AMPLE] {
        let mut options = options(&server);
        options.attempt_timeout = attempt_timeout;
        options.max_retries = 1000;
        let started = Instant::now();
        let error = ask(options, Duration::from_millis(250)).await.unwrap_err();
        assert!(matches!(error, ModelError::Timeout { .. }), "{error:?}");
        assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    }
    let error = ask(options(&server), Duration::ZERO).await.unwrap_err();
    assert!(matches!(error, ModelError::Timeout { .. }), "{error:?}");
}

#[tokio::test]
async fn waiting_for_a_turn_ends_at_the_deadline_too() {
    let server = Server::start(vec![Answer::Hang, Answer::text("late")]).await;
    let mut options = options(&server);
    options.concurrency = 1;
    let client = Arc::new(EndpointClient::new(options).unwrap());
    let first = Arc::clone(&client);
    let first = tokio::spawn(async move { first.complete(&request(), Deadline::after(AMPLE)).await });
    while server.seen().is_empty() {
        tokio::task::yield_now().await;
    }
    let error = client.complete(&request(), Deadline::after(Duration::from_millis(50))).await.unwrap_err();
    assert!(matches!(error, ModelError::Timeout { .. }));
    assert_eq!(server.seen().len(), 1);
    first.abort();
    assert!(first.await.is_err());
    // The turn of a call that was dropped is free again.
    assert_eq!(client.complete(&request(), Deadline::after(AMPLE)).await.unwrap().text, "late");
}

#[tokio::test]
async fn a_large_reply_is_read_and_a_huge_one_is_not() {
    let large = "x".repeat(1 << 20);
    let (outcome, _) = play(vec![Answer::text(&large)]).await;
    assert_eq!(outcome.unwrap().text.len(), large.len());

    let announced = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", 9 << 20).into_bytes();
    for huge in [Answer::Endless, Answer::Raw(announced)] {
        let (outcome, sent) = play(vec![huge]).await;
        let error = outcome.unwrap_err().to_string();
        assert!(error.contains("larger than 8 MiB") && sent == 1, "{error}");
    }
}

#[tokio::test]
async fn the_key_is_never_shown() {
    let echo = format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}"}}}}"#);
    let not_json = format!("you sent {KEY}");
    for answer in [Answer::json(401, &echo), Answer::json(429, &echo), Answer::json(200, &not_json)] {
        let (outcome, _) = play(vec![answer]).await;
        let error = outcome.unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(shown.contains("[redacted]") && !shown.contains("very-secret"), "{shown}");
    }
    let server = Server::start(vec![Answer::text("ok")]).await;
    let client = EndpointClient::new(options(&server)).unwrap();
    let shown = format!("{client:?} {:?} {}", client.options, client.parameters());
    assert!(!shown.contains("very-secret"), "{shown}");
}

#[tokio::test]
async fn a_model_that_wants_the_other_limit_field_gets_it_from_then_on() {
    let wants = r#"{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}"#;
    let server = Server::start(vec![Answer::json(400, wants), Answer::text("ok")]).await;
    let client = EndpointClient::new(options(&server)).unwrap();
    for retries in [1, 0] {
        let reply = client.complete(&request(), Deadline::after(AMPLE)).await.unwrap();
        assert_eq!(reply.retries, retries);
    }
    let fields: Vec<bool> =
        server.seen().iter().map(|seen| seen.body.get("max_completion_tokens").is_some()).collect();
    assert_eq!(fields, [false, true, true]);

    let stubborn = Server::start(vec![Answer::json(400, wants)]).await;
    assert!(ask(options(&stubborn), AMPLE).await.is_err());
    assert_eq!(stubborn.seen().len(), 2);
}

#[test]
fn waits_double_and_stay_below_their_bound() {
    let mut options = EndpointOptions::new("http://127.0.0.1:9/v1", "m");
    options.max_backoff = Duration::from_secs(3);
    let client = EndpointClient::new(options).unwrap();
    for (retries, longest) in [(0, 500), (1, 1000), (2, 2000), (3, 3000), (40, 3000)] {
        let wait = client.wait(retries, None);
        let longest = Duration::from_millis(longest);
        assert!(wait >= longest / 2 && wait <= longest, "{retries}: {wait:?}");
    }
    assert_eq!(client.wait(0, Some(Duration::from_secs(9))), Duration::from_secs(9));
    assert!(client.wait(0, Some(Duration::ZERO)) >= Duration::from_millis(250));
}

#[test]
fn options_that_cannot_work_are_refused() {
    let refused = |change: fn(&mut EndpointOptions)| {
        let mut options = EndpointOptions::new("http://127.0.0.1:9/v1", "m");
        change(&mut options);
        EndpointClient::new(options).unwrap_err().to_string()
    };
    assert!(refused(|options| options.model.clear()).contains("no name"));
    assert!(refused(|options| options.temperature = Some(f32::NAN)).contains("temperature"));
    assert!(refused(|options| options.concurrency = 0).contains("concurrency"));
    let error = refused(|options| options.api_key = Secret::new("line\nbreak-secret"));
    assert!(error.contains("key") && !error.contains("break-secret"), "{error}");
}

#[tokio::test]
async fn an_endpoint_that_allows_fewer_tokens_is_asked_for_fewer_from_then_on() {
    let most = r#"{"error":{"message":"max_tokens is too large: 8192. This model supports at most 4096 completion tokens."}}"#;
    let server = Server::start(vec![Answer::json(400, most), Answer::text("ok")]).await;
    let client = EndpointClient::new(options(&server)).unwrap();
    let asked = ModelRequest { max_tokens: 8192, ..request() };
    for retries in [1, 0] {
        assert_eq!(client.complete(&asked, Deadline::after(AMPLE)).await.unwrap().retries, retries);
    }
    let limits: Vec<_> = server.seen().iter().map(|seen| seen.body["max_tokens"].as_u64().unwrap()).collect();
    assert_eq!(limits, [8192, 4096, 4096]);
    // What never takes any ends.
    let stubborn = Server::start(vec![Answer::json(400, most)]).await;
    let client = EndpointClient::new(options(&stubborn)).unwrap();
    assert!(client.complete(&asked, Deadline::after(AMPLE)).await.is_err());
    assert!(stubborn.seen().len() < 8);
}

#[tokio::test]
async fn a_preflight_sees_address_key_and_model_and_lets_pass_what_may_pass() {
    for (answer, good, sent) in [
        (Answer::text("ok"), true, 1),
        (Answer::json(429, "{}"), true, 1),
        (Answer::json(400, "{}"), true, 1),
        (Answer::json(401, "{}"), false, 1),
        (Answer::json(404, "{}"), false, 1),
        (Answer::json(503, "{}"), false, 2),
        (Answer::Close, false, 2),
        (Answer::with_headers(429, "Retry-After: 3600\r\n", "{}"), false, 1),
    ] {
        let server = Server::start(vec![answer]).await;
        let client = EndpointClient::new(options(&server)).unwrap();
        let seen = client.preflight(Deadline::after(AMPLE)).await;
        assert_eq!((seen.is_ok(), server.seen().len()), (good, sent), "{seen:?}");
        assert!(server.seen()[0].body.to_string().contains(crate::model::PREFLIGHT));
    }
}

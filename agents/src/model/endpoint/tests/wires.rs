//! Every wire against a double that goes through all that endpoints do.

use serde_json::json;

use super::*;
use crate::model::{ComputerTool, Recorder, Replay, ScreenKind, Unread, wire};

fn body(wire: Wire, kind: &str) -> Value {
    let usage = Usage { prompt: Some(100), completion: Some(7), ..Usage::default() };
    match (wire, kind) {
        (wire, "text") => wire::response(wire, "m", "hello", &usage),
        (Wire::Chat, "refusal") => {
            json!({"choices": [{"message": {"content": null, "refusal": "No."}, "finish_reason": "stop"}]})
        }
        (Wire::Chat, "thinking") => json!({"choices": [{
            "message": {"content": "tap(5)", "reasoning_content": "tap(9) would be wrong"}, "finish_reason": "stop",
        }]}),
        (Wire::Chat, "calls") => json!({"choices": [{
            "message": {"content": null, "tool_calls": [{"type": "function", "function": {"name": "tap"}}]},
            "finish_reason": "tool_calls",
        }]}),
        (Wire::Responses, "refusal") => json!({"status": "completed", "output": [
            {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]},
        ]}),
        (Wire::Responses, "thinking") => json!({"status": "completed", "output": [
            {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "tap(9) would be wrong"}]},
            {"type": "message", "content": [{"type": "output_text", "text": "tap(5)"}]},
        ]}),
        (Wire::Responses, "calls") => json!({"status": "completed", "output": [
            {"type": "computer_call", "call_id": "c", "action": {"type": "click", "x": 1, "y": 2}},
        ]}),
        (Wire::Anthropic, "refusal") => json!({
            "content": [], "stop_reason": "refusal", "stop_details": {"explanation": "No."},
        }),
        (Wire::Anthropic, "thinking") => json!({"stop_reason": "end_turn", "content": [
            {"type": "thinking", "thinking": "tap(9) would be wrong", "signature": "s"},
            {"type": "text", "text": "tap(5)"},
        ]}),
        (Wire::Anthropic, "calls") => json!({"stop_reason": "tool_use", "content": [
            {"type": "tool_use", "id": "c", "name": "left_click", "toolset_name": "computer", "input": {"coordinate": [1, 2]}},
        ]}),
        (Wire::Gemini, "refusal") => {
            json!({"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "No."}})
        }
        (Wire::Gemini, "thinking") => json!({"candidates": [{"finishReason": "STOP", "content": {"parts": [
            {"text": "tap(9) would be wrong", "thought": true}, {"text": "tap(5)"},
        ]}}]}),
        (Wire::Gemini, "calls") => json!({"candidates": [{"finishReason": "STOP", "content": {"parts": [
            {"functionCall": {"name": "click", "args": {"x": 1, "y": 2}}},
        ]}}]}),
        (wire, other) => panic!("{wire} {other}"),
    }
}

fn events(wire: Wire) -> Vec<String> {
    let all = match wire {
        Wire::Chat => vec![
            json!({"choices": [{"delta": {"content": "hel"}}]}),
            json!({"choices": [{"delta": {"content": "lo"}, "finish_reason": "stop"}]}),
        ],
        Wire::Responses => vec![json!({"type": "response.completed", "response": body(wire, "text")})],
        Wire::Anthropic => vec![
            json!({"type": "message_start", "message": {"content": []}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hello"}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
        ],
        Wire::Gemini => vec![body(wire, "text")],
    };
    let mut all: Vec<String> = all.iter().map(|event| format!("data: {event}\n\n")).collect();
    all.push("data: [DONE]\n\n".to_owned());
    all
}

fn on(wire: Wire, server: &Server) -> EndpointOptions {
    EndpointOptions { wire, ..options(server) }
}

async fn plays(wire: Wire, script: Vec<Answer>) -> (Result<ModelReply, ModelError>, usize) {
    let server = Server::start(script).await;
    let options = EndpointOptions { max_retries: 2, ..on(wire, &server) };
    let outcome = ask(options, AMPLE).await;
    (outcome, server.seen().len())
}

fn whole(wire: Wire, kind: &str) -> Answer {
    Answer::json(200, &body(wire, kind).to_string())
}

#[tokio::test]
async fn every_wire_waits_as_it_is_told_and_asks_again_what_may_pass() {
    let mut all = tokio::task::JoinSet::new();
    for wire in Wire::ALL {
        all.spawn(async move {
            let in_three_seconds: fn() -> String = || {
                let at = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(3);
                jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&at).unwrap()
            };
            let ways: [fn() -> String; 2] = [|| "1".to_owned(), in_three_seconds];
            for after in ways {
                let after = after();
                let header = format!("Retry-After: {after}\r\n");
                let limited = Answer::with_headers(429, &header, r#"{"error":{"message":"slow"}}"#);
                let (outcome, sent) = plays(wire, vec![limited, whole(wire, "text")]).await;
                let reply = outcome.unwrap();
                assert_eq!((reply.text.as_str(), reply.retries, sent), ("hello", 1, 2), "{wire}");
                assert!(reply.took >= Duration::from_millis(900), "{wire} {:?}", reply.took);
            }
            let truncated = b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"a\":".to_vec();
            let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
            for bad in [
                Answer::Raw(truncated),
                Answer::json(200, "<html>busy</html>"),
                Answer::json(200, ""),
                Answer::json(200, "{}"),
                Answer::json(529, overloaded),
                Answer::Close,
            ] {
                let (outcome, sent) = plays(wire, vec![bad, whole(wire, "text")]).await;
                assert_eq!((outcome.unwrap().retries, sent), (1, 2), "{wire}");
            }
            // An answer that holds nothing is asked for again, and is a fault where nothing else comes.
            for nothing in wire::tests::without_content(wire) {
                let nothing = || Answer::json(200, &nothing.to_string());
                let (outcome, sent) = plays(wire, vec![nothing(), whole(wire, "text")]).await;
                assert_eq!((outcome.unwrap().retries, sent), (1, 2), "{wire}");
                let outcome = plays(wire, vec![nothing()]).await.0;
                assert!(matches!(outcome, Err(ModelError::BadBody { .. })), "{wire} {outcome:?}");
            }
            let (outcome, sent) = plays(wire, vec![Answer::json(200, "<html>busy</html>")]).await;
            let error = outcome.unwrap_err().to_string();
            assert!(
                error.contains("cannot be read") && error.contains("<html>busy") && sent == 3,
                "{wire} {error}"
            );
            let (outcome, sent) = plays(wire, vec![Answer::Bulk(50 << 20)]).await;
            let error = outcome.unwrap_err().to_string();
            assert!(error.contains("larger than 8 MiB") && sent == 1, "{wire} {error}");
        });
    }
    while let Some(done) = all.join_next().await {
        done.unwrap();
    }
}

#[tokio::test]
async fn a_slow_drip_is_bounded_whole_and_waited_for_as_a_stream() {
    let mut all = tokio::task::JoinSet::new();
    for wire in Wire::ALL {
        all.spawn(async move {
            let pause = Duration::from_millis(200);
            let text = body(wire, "text").to_string();
            let pieces: Vec<String> =
                text.as_bytes().chunks(8).map(|b| String::from_utf8_lossy(b).into_owned()).collect();
            let slow = Answer::Drip { kind: "application/json", pieces, pause };
            let server = Server::start(vec![slow]).await;
            let options = EndpointOptions {
                attempt_timeout: Duration::from_secs(1),
                max_retries: 1,
                ..on(wire, &server)
            };
            let error = ask(options, AMPLE).await.unwrap_err();
            assert!(matches!(error, ModelError::Timeout { by: TimedBy::Request, .. }), "{wire} {error}");
            assert_eq!(server.seen().len(), 2);
            // As a stream it may take longer than that, as long as it is not silent so long.
            let kind = "text/event-stream";
            let drip = Answer::Drip { kind, pieces: events(wire), pause: Duration::from_millis(300) };
            let server = Server::start(vec![drip]).await;
            let streamed = |server: &Server| EndpointOptions {
                stream: true,
                attempt_timeout: Duration::from_secs(1),
                max_retries: 0,
                ..on(wire, server)
            };
            let reply = ask(streamed(&server), AMPLE).await.unwrap();
            assert_eq!((reply.text.as_str(), reply.unread), ("hello", None), "{wire}");
            let stalls = Answer::Drip { kind, pieces: events(wire), pause: Duration::from_secs(6) };
            let server = Server::start(vec![stalls]).await;
            let error = ask(streamed(&server), AMPLE).await.unwrap_err();
            assert!(matches!(error, ModelError::Timeout { by: TimedBy::Silence, .. }), "{wire} {error}");
            // One that breaks off, one that is a page, and one that comes whole all the same.
            let half = events(wire).remove(0);
            if matches!(wire, Wire::Chat | Wire::Anthropic) {
                let pieces = vec![half.clone()];
                let server = Server::start(vec![Answer::Drip { kind, pieces, pause: Duration::ZERO }]).await;
                let error = ask(streamed(&server), AMPLE).await.unwrap_err().to_string();
                assert!(error.contains("broke off"), "{wire} {error}");
            }
            for (pieces, kind, good) in [
                (vec![half[..half.len() / 2].to_owned()], "text/event-stream", false),
                (vec!["<html>busy</html>".to_owned()], "text/html", false),
                (vec![text.clone()], "application/json", true),
            ] {
                let server = Server::start(vec![Answer::Drip { kind, pieces, pause: Duration::ZERO }]).await;
                let outcome = ask(streamed(&server), AMPLE).await;
                match outcome {
                    Ok(reply) => assert!(good && reply.text == "hello", "{wire}"),
                    Err(error) => {
                        assert!(!good && matches!(error, ModelError::BadBody { .. }), "{wire} {error}")
                    }
                }
            }
        });
    }
    while let Some(done) = all.join_next().await {
        done.unwrap();
    }
}

#[tokio::test]
async fn refusals_thinking_and_calls_are_what_they_are_and_no_key_is_in_any_cassette() {
    for wire in Wire::ALL {
        let (outcome, sent) = plays(wire, vec![whole(wire, "refusal")]).await;
        let reply = outcome.unwrap();
        assert_eq!((reply.text.as_str(), reply.unread, sent), ("No.", Some(Unread::Refusal), 1), "{wire}");

        let dir = tempfile::tempdir().unwrap();
        let echo = Answer::json(400, &format!(r#"{{"error":{{"message":"bad key {KEY}"}}}}"#));
        let server = Server::start(vec![whole(wire, "thinking"), whole(wire, "calls"), echo]).await;
        let client = Arc::new(EndpointClient::new(on(wire, &server)).unwrap());
        let recorder = Recorder::new(client.clone(), dir.path()).unwrap();
        let soon = || Deadline::after(AMPLE);
        let thought = recorder.complete(&request(), soon()).await.unwrap();
        assert_eq!((thought.text.as_str(), thought.unread), ("tap(5)", None), "{wire}");
        assert_eq!(thought.thinking.as_deref(), Some("tap(9) would be wrong"), "{wire}");
        let tool = Some(ComputerTool { width: 10, height: 10, screen: ScreenKind::Browser });
        let offered = ModelRequest { tool, ..request() };
        let called = recorder.complete(&offered, soon()).await.unwrap();
        match wire {
            Wire::Chat => assert_eq!((called.calls.len(), called.unread), (0, Some(Unread::ToolCalls))),
            _ => assert_eq!((called.calls.len(), called.unread), (1, None), "{wire}"),
        }
        let error = recorder.complete(&request(), soon()).await.unwrap_err();
        let mut shown = format!("{error} {error:?} {client:?} {:?} {called:?}", client.parameters());
        for entry in std::fs::read_dir(dir.path()).unwrap() {
            shown += &std::fs::read_to_string(entry.unwrap().path()).unwrap();
        }
        assert!(!shown.contains("very-secret"), "{wire} {shown}");
        assert!(server.seen().iter().all(|seen| !seen.body.to_string().contains(KEY)), "{wire}");
        let named = format!(": {}{KEY}\r\n", wire.form().key_header().1.to_lowercase());
        assert!(server.seen().iter().all(|seen| seen.head.to_lowercase().contains(&named)), "{wire}");
        // And what was recorded is replayed, on the same wire.
        let replay = Replay::open(dir.path()).unwrap();
        assert_eq!(replay.wire(), wire);
        let again = replay.complete(&offered, soon()).await.unwrap();
        assert_eq!(
            (again.calls, again.said, again.unread),
            (called.calls, called.said, called.unread),
            "{wire}"
        );
        assert_eq!(replay.complete(&request(), soon()).await.unwrap().thinking, thought.thinking);
    }
}

#[tokio::test]
async fn what_an_endpoint_does_not_take_is_left_out_from_then_on() {
    let refused = |message: &str| Answer::json(400, &json!({"error": {"message": message}}).to_string());
    let script = vec![
        refused("tools.0.type: computer_toolset_20260801 is not supported"),
        refused("`temperature` is deprecated for this model"),
        whole(Wire::Anthropic, "calls"),
    ];
    let server = Server::start(script).await;
    let options = EndpointOptions { temperature: Some(0.0), max_retries: 0, ..on(Wire::Anthropic, &server) };
    let client = EndpointClient::new(options).unwrap();
    let tool = Some(ComputerTool { width: 10, height: 20, screen: ScreenKind::Desktop });
    for retries in [2, 0] {
        let request = ModelRequest { tool, ..request() };
        let reply = client.complete(&request, Deadline::after(AMPLE)).await.unwrap();
        assert_eq!((reply.retries, reply.calls.len()), (retries, 1));
    }
    let seen = server.seen();
    let asked = |n: usize| {
        (seen[n].body["tools"][0]["type"].as_str().unwrap(), seen[n].body.get("temperature").is_some())
    };
    assert_eq!(
        [0, 1, 2, 3].map(asked),
        [
            ("computer_toolset_20260801", true),
            ("computer_20251124", true),
            ("computer_20251124", false),
            ("computer_20251124", false),
        ]
    );
    assert!(seen[3].head.contains("anthropic-beta: computer-use-2025-11-24\r\n"), "{}", seen[3].head);
    // One that gives streams only gets to give one.
    let only = refused("this model only supports stream mode");
    let kind = "text/event-stream";
    let drip = Answer::Drip { kind, pieces: events(Wire::Chat), pause: Duration::ZERO };
    let server = Server::start(vec![only, drip]).await;
    let reply = ask(on(Wire::Chat, &server), AMPLE).await.unwrap();
    assert_eq!((reply.text.as_str(), &server.seen()[1].body["stream"]), ("hello", &json!(true)));
}

#[tokio::test]
async fn requests_keep_to_their_pace() {
    let server = Server::start(vec![Answer::text("ok")]).await;
    let options = EndpointOptions { requests_per_minute: Some(1), ..options(&server) };
    let client = EndpointClient::new(options).unwrap();
    let soon = || Deadline::after(Duration::from_millis(300));
    assert!(client.complete(&request(), soon()).await.is_ok());
    let error = client.complete(&request(), soon()).await.unwrap_err();
    assert!(matches!(error, ModelError::Timeout { by: TimedBy::Pace, .. }), "{error:?}");
    assert_eq!(server.seen().len(), 1);
}

fn structured() -> ModelRequest {
    let schema = Arc::new(json!({"type": "object", "properties": {"a": {"type": "integer"}}}));
    ModelRequest { schema: Some(crate::model::ReplySchema { name: "answer", schema }), ..request() }
}

#[tokio::test]
async fn a_reply_is_held_to_a_schema_where_the_wire_and_the_endpoint_have_that() {
    for (wire, place) in [
        (Wire::Chat, Some("/response_format/json_schema/schema/type")),
        (Wire::Responses, Some("/text/format/schema/type")),
        (Wire::Gemini, Some("/generationConfig/responseJsonSchema/type")),
        (Wire::Anthropic, None),
    ] {
        let server = Server::start(vec![whole(wire, "text")]).await;
        let client = EndpointClient::new(on(wire, &server)).unwrap();
        let reply = client.complete(&structured(), Deadline::after(AMPLE)).await.unwrap();
        assert_eq!(reply.structured, place.is_some(), "{wire}");
        let body = &server.seen()[0].body;
        if let Some(place) = place {
            assert_eq!(body.pointer(place), Some(&json!("object")), "{wire}: {body}");
        }
        // Who asks for no JSON gets what comes.
        let reply = client.complete(&request(), Deadline::after(AMPLE)).await.unwrap();
        assert!(!reply.structured, "{wire}");
    }
    let server = Server::start(vec![whole(Wire::Chat, "text")]).await;
    let mut options = on(Wire::Chat, &server);
    options.extra_body.insert("response_format".to_owned(), Value::Null);
    let client = EndpointClient::new(options).unwrap();
    let reply = client.complete(&structured(), Deadline::after(AMPLE)).await.unwrap();
    assert!(!reply.structured && server.seen()[0].body.get("response_format").is_none());
}

#[tokio::test]
async fn an_endpoint_that_holds_to_no_schema_is_asked_without_from_then_on() {
    for (wire, refusal) in [
        (Wire::Chat, r#"{"error":{"message":"'response_format' of type 'json_schema' is not supported"}}"#),
        // It need not say what it does not like.
        (Wire::Chat, r#"{"error":{"message":"Bad Request"}}"#),
        (Wire::Gemini, r#"{"error":{"message":"Unknown name \"responseJsonSchema\""}}"#),
    ] {
        let server = Server::start(vec![Answer::json(400, refusal), whole(wire, "text")]).await;
        let client = EndpointClient::new(on(wire, &server)).unwrap();
        for retries in [1, 0] {
            let reply = client.complete(&structured(), Deadline::after(AMPLE)).await.unwrap();
            assert_eq!((reply.retries, reply.structured), (retries, false), "{wire} {refusal}");
        }
        let held: Vec<bool> =
            server.seen().iter().map(|seen| seen.body.to_string().contains("chema")).collect();
        assert_eq!(held, [true, false, false], "{wire} {refusal}");
    }
    // What is refused once it was seen to hold is refused for another reason.
    let bad = Answer::json(400, r#"{"error":{"message":"Bad Request"}}"#);
    let server = Server::start(vec![whole(Wire::Chat, "text"), bad]).await;
    let client = EndpointClient::new(on(Wire::Chat, &server)).unwrap();
    assert!(client.complete(&structured(), Deadline::after(AMPLE)).await.unwrap().structured);
    assert!(client.complete(&structured(), Deadline::after(AMPLE)).await.is_err());
    assert_eq!(server.seen().len(), 2);
}

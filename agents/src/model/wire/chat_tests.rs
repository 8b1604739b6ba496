use std::sync::Arc;

use super::*;
use crate::model::wire::{IncomingMessage, Learnt, error_message, read};
use crate::model::{Message, ModelRequest, Speaker};

fn reply(body: &Value) -> Result<ModelAnswer, ReplyFault> {
    read(&Chat, body.to_string().as_bytes())
}

fn choice(message: Value) -> Value {
    json!({"choices": [{"message": message, "finish_reason": "stop"}]})
}

#[test]
fn content_is_text_or_parts_or_a_refusal() {
    for (message, text) in [
        (json!({"content": "a"}), "a"),
        (json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}), "ab"),
        (json!({"content": null, "refusal": "I cannot"}), "I cannot"),
        (json!({"content": [{"type": "refusal", "refusal": "no"}]}), "no"),
        (json!({"content": "\n"}), "\n"),
        (json!({"reasoning": "only thoughts"}), ""),
    ] {
        assert_eq!(reply(&choice(message)).unwrap().text, text);
    }
    assert!(matches!(reply(&choice(json!({"content": 7}))), Err(ReplyFault::Shape(_))));
}

#[test]
fn a_body_without_a_completion_is_a_fault() {
    for body in [json!({}), json!([]), json!("x"), json!({"choices": []}), json!({"choices": [{}]})] {
        assert!(matches!(reply(&body), Err(ReplyFault::Shape(_))), "{body}");
    }
    let wrapped = reply(&json!({"error": {"message": "busy", "code": 503}})).unwrap_err();
    assert_eq!(wrapped, ReplyFault::Wrapped { status: Some(503), message: "busy".to_owned() });
    assert!(reply(&json!({"error": null, "choices": [{"message": {"content": "a"}}]})).is_ok());
}

#[test]
fn usage_that_is_not_told_stays_unknown() {
    assert_eq!(reply(&choice(json!({"content": "a"}))).unwrap().usage, Usage::default());
}

#[test]
fn what_a_server_writes_the_client_reads() {
    let usage = Usage { prompt: Some(5), cached: Some(2), completion: Some(3), ..Usage::default() };
    let body = chat_response("m", "hello", &usage);
    assert_eq!(body["object"], "chat.completion");
    assert_eq!(body["usage"]["total_tokens"], 8);
    let read = reply(&body).unwrap();
    assert_eq!((read.text.as_str(), read.usage, read.finish.as_deref()), ("hello", usage, Some("stop")));
    assert!(chat_response("m", "", &Usage::default()).get("usage").is_none());
    assert_eq!(error_message(&error_response("no", "invalid_request_error")).as_deref(), Some("no"));
}

#[test]
fn what_the_client_writes_a_server_reads() {
    let request = ModelRequest {
        messages: vec![
            Message { speaker: Speaker::System, parts: vec![MessagePart::Text("s".to_owned())] },
            Message {
                speaker: Speaker::User,
                parts: vec![
                    MessagePart::Text("a".to_owned()),
                    MessagePart::Png(Arc::from(&b"p"[..])),
                    MessagePart::Text("b".to_owned()),
                ],
            },
            Message { speaker: Speaker::Assistant, parts: vec![MessagePart::Text("r".to_owned())] },
        ],
        max_tokens: 9,
        ..ModelRequest::default()
    };
    let extra_body = Map::new();
    for other_limit_field in [false, true] {
        let asked = WireRequest {
            model: "m",
            request: &request,
            max_tokens: 9,
            temperature: None,
            seed: None,
            image_detail: None,
            extra_body: &extra_body,
            stream: false,
            logprobs: other_limit_field,
            learnt: Learnt { other_limit_field, ..Learnt::default() },
        };
        let body = Chat.request(&asked).to_string();
        let read = parse_chat_request(body.as_bytes()).unwrap();
        // The picture of the conversation, as its file.
        let message = |speaker, text: &str, pictures| IncomingMessage {
            speaker,
            text: text.to_owned(),
            pictures,
            files: vec![b"p".to_vec(); pictures],
        };
        let messages = vec![
            message(Speaker::System, "s", 0),
            message(Speaker::User, "a\nb", 1),
            message(Speaker::Assistant, "r", 0),
        ];
        assert_eq!(read, IncomingChat { model: "m".to_owned(), messages, max_tokens: Some(9) });
    }
}

#[test]
fn a_bad_request_says_what_is_wrong() {
    let error = |body: Value| parse_chat_request(body.to_string().as_bytes()).unwrap_err();
    let user = json!([{"role": "user", "content": "a"}]);
    assert!(matches!(parse_chat_request(b"{"), Err(WireError::Shape { .. })));
    assert!(error(json!({"messages": user})).to_string().contains("model"));
    assert_eq!(error(json!({"model": "m", "messages": []})), WireError::NoMessages);
    assert_eq!(error(json!({"model": "m", "messages": user, "stream": true})), WireError::Stream);
    let tool = json!([{"role": "tool", "content": "a"}]);
    let role = WireError::Role { index: 0, role: "tool".to_owned() };
    assert_eq!(error(json!({"model": "m", "messages": tool})), role);
    let audio = json!([{"role": "user", "content": [{"type": "input_audio"}]}]);
    let part = WireError::Part { index: 0, kind: "input_audio".to_owned() };
    assert_eq!(error(json!({"model": "m", "messages": audio})), part);
}

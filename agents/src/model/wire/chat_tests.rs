use super::*;
use crate::model::wire::{error_message, read};

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
    assert!(reply(&json!({"error": null, "choices": [{"message": {"content": "a"}}]})).is_ok());
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

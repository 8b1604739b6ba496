//! The wires beside each other: what each writes, reads and puts together.

use super::*;
use crate::model::{ComputerTool, ScreenKind, Speaker, ToolResult};

const PNG: &[u8] = b"\x89PNG";

fn message(speaker: Speaker, parts: Vec<MessagePart>) -> Message {
    Message { speaker, parts }
}

fn text(text: &str) -> MessagePart {
    MessagePart::Text(text.to_owned())
}

fn conversation(call: &Arc<ToolUse>, said: &Arc<Value>) -> ModelRequest {
    let result = ToolResult {
        call: Arc::clone(call),
        words: "done".into(),
        failed: false,
        picture: Some(Arc::from(PNG)),
        address: Some("http://a.test/".into()),
    };
    ModelRequest {
        messages: vec![
            message(Speaker::System, vec![text("rules")]),
            message(Speaker::User, vec![text("task"), MessagePart::Png(Arc::from(PNG))]),
            message(Speaker::Assistant, vec![MessagePart::Said(Arc::clone(said))]),
            message(Speaker::User, vec![MessagePart::Result(result)]),
        ],
        max_tokens: 300,
        tool: Some(ComputerTool { width: 1280, height: 800, screen: ScreenKind::Browser }),
        ..ModelRequest::default()
    }
}

fn asked<'a>(request: &'a ModelRequest, extra: &'a Map<String, Value>, learnt: Learnt) -> WireRequest<'a> {
    WireRequest {
        model: "m",
        request,
        max_tokens: request.max_tokens,
        temperature: Some(0.5),
        seed: Some(7),
        image_detail: Some("high"),
        extra_body: extra,
        stream: false,
        logprobs: false,
        learnt,
    }
}

fn written(wire: Wire, request: &ModelRequest, learnt: Learnt) -> Value {
    wire.form().request(&asked(request, &Map::new(), learnt))
}

#[test]
fn a_call_of_claudes_tool_goes_back_as_it_came_with_its_result() {
    let body = json!({
        "content": [
            {"type": "thinking", "thinking": "Save is there.", "signature": "s"},
            {"type": "text", "text": "I save it."},
            {"type": "tool_use", "id": "toolu_1", "name": "left_click", "toolset_name": "computer", "input": {"coordinate": [3, 4]}},
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 80, "cache_creation_input_tokens": 5, "output_tokens": 7},
    });
    let answer = read_value(Wire::Anthropic.form(), &body).unwrap();
    assert_eq!((answer.text.as_str(), answer.thinking.as_deref()), ("I save it.", Some("Save is there.")));
    assert_eq!(answer.unread, None);
    assert_eq!(answer.calls[0].does, [json!({"input": {"coordinate": [3, 4], "action": "left_click"}})]);
    let usage =
        Usage { prompt: Some(95), cached: Some(80), written: Some(5), completion: Some(7), micro_usd: None };
    assert_eq!(answer.usage, usage);
    let request = conversation(&answer.calls[0], answer.said.as_ref().unwrap());
    let got = written(Wire::Anthropic, &request, Learnt::default());
    let image =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}});
    let kept = json!({"type": "ephemeral"});
    assert_eq!(got["system"], json!([{"type": "text", "text": "rules", "cache_control": kept}]));
    let messages = json!([
        {"role": "user", "content": [{"type": "text", "text": "task"}, image]},
        {"role": "assistant", "content": body["content"]},
        {"role": "user", "content": [{
            "type": "tool_result", "tool_use_id": "toolu_1", "toolset_name": "computer",
            "content": [{"type": "text", "text": "done"}, image], "cache_control": kept,
        }]},
    ]);
    assert_eq!(got["messages"], messages);
    assert_eq!((&got["max_tokens"], &got["temperature"]), (&300.into(), &0.5.into()));
    assert_eq!(got["tools"][0]["type"], "computer_toolset_20260801");
    assert_eq!(got["tools"][0]["configs"]["zoom"], json!({"enabled": false}));
    let older = written(Wire::Anthropic, &request, Learnt { older_tool: 1, ..Learnt::default() });
    let tool = json!({"type": "computer_20251124", "name": "computer", "display_width_px": 1280, "display_height_px": 800});
    assert_eq!(older["tools"], json!([tool]));
    let mut headers = HeaderMap::new();
    let (extra, learnt) = (Map::new(), Learnt { older_tool: 1, ..Learnt::default() });
    Wire::Anthropic.form().add_headers(&asked(&request, &extra, learnt), &mut headers);
    assert_eq!(headers["anthropic-version"], "2023-06-01");
    assert_eq!(headers["anthropic-beta"], "computer-use-2025-11-24");
    // The older tool names its action among its input.
    let older = json!({"content": [{"type": "tool_use", "id": "t", "name": "computer", "input": {"action": "key", "text": "a"}}]});
    let answer = read_value(Wire::Anthropic.form(), &older).unwrap();
    assert_eq!(answer.calls[0].does, [json!({"input": {"action": "key", "text": "a"}})]);
}

#[test]
fn a_call_of_openais_tool_goes_back_with_the_reasoning_that_is_sealed() {
    let body = json!({
        "status": "completed",
        "output": [
            {"type": "reasoning", "id": "rs_0", "summary": [], "encrypted_content": null},
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Save is there."}], "encrypted_content": "x"},
            {"type": "computer_call", "id": "cu_1", "call_id": "call_1", "status": "completed",
             "actions": [{"type": "click", "x": 3, "y": 4, "button": "left"}, {"type": "wait"}],
             "pending_safety_checks": [{"id": "c", "code": "malicious", "message": "The page asks for it."}]},
        ],
        "usage": {"input_tokens": 95, "input_tokens_details": {"cached_tokens": 80}, "output_tokens": 7},
    });
    let answer = read_value(Wire::Responses.form(), &body).unwrap();
    assert_eq!((answer.text.as_str(), answer.thinking.as_deref()), ("", Some("Save is there.")));
    assert_eq!((answer.unread, answer.finish.as_deref()), (None, Some("completed")));
    let call = &answer.calls[0];
    assert_eq!((call.does.len(), call.checks.as_slice()), (2, &["The page asks for it.".to_owned()][..]));
    assert_eq!(call.does[1], json!({"type": "computer_call", "action": {"type": "wait"}}));
    assert_eq!((answer.usage.prompt, answer.usage.cached), (Some(95), Some(80)));
    let request = conversation(call, answer.said.as_ref().unwrap());
    let got = written(Wire::Responses, &request, Learnt::default());
    assert_eq!(got["instructions"], "rules");
    let picture = "data:image/png;base64,iVBORw==";
    let input = json!([
        {"role": "user", "content": [
            {"type": "input_text", "text": "task"},
            {"type": "input_image", "image_url": picture, "detail": "high"},
        ]},
        body["output"][1],
        body["output"][2],
        {"type": "computer_call_output", "call_id": "call_1",
         "output": {"type": "computer_screenshot", "image_url": picture}},
    ]);
    assert_eq!(got["input"], input);
    assert_eq!((&got["store"], &got["max_output_tokens"]), (&false.into(), &300.into()));
    assert_eq!(
        (&got["tools"], &got["include"]),
        (&json!([{"type": "computer"}]), &json!(["reasoning.encrypted_content"]))
    );
    let learnt = Learnt { older_tool: 1, no_reasoning: true, ..Learnt::default() };
    let older = written(Wire::Responses, &request, learnt);
    let tool = json!({"type": "computer_use_preview", "display_width": 1280, "display_height": 800, "environment": "browser"});
    assert_eq!((&older["tools"], &older["truncation"]), (&json!([tool]), &json!("auto")));
    assert!(older.get("include").is_none());
}

#[test]
fn a_call_of_geminis_tool_goes_back_with_its_signature() {
    let content = json!({"role": "model", "parts": [
        {"text": "Save is there.", "thought": true},
        {"text": "I save it."},
        {"functionCall": {"id": "f1", "name": "click", "args": {"x": 3, "y": 4, "safety_decision":
            {"decision": "require_confirmation", "explanation": "It buys."}}}, "thoughtSignature": "s"},
    ]});
    let body = json!({
        "candidates": [{"content": content, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 95, "cachedContentTokenCount": 80, "candidatesTokenCount": 5, "thoughtsTokenCount": 2},
    });
    let answer = read_value(Wire::Gemini.form(), &body).unwrap();
    assert_eq!((answer.text.as_str(), answer.thinking.as_deref()), ("I save it.", Some("Save is there.")));
    let call = &answer.calls[0];
    assert_eq!(call.does, [json!({"name": "click", "args": {"x": 3, "y": 4}})]);
    assert_eq!((call.checks.as_slice(), call.id.as_str()), (&["It buys.".to_owned()][..], "f1"));
    assert_eq!(
        (answer.usage.prompt, answer.usage.cached, answer.usage.completion),
        (Some(95), Some(80), Some(7))
    );
    let request = conversation(call, answer.said.as_ref().unwrap());
    let got = written(Wire::Gemini, &request, Learnt::default());
    let picture = json!({"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}});
    assert_eq!(got["systemInstruction"], json!({"parts": [{"text": "rules"}]}));
    let contents = json!([
        {"role": "user", "parts": [{"text": "task"}, picture]},
        content,
        {"role": "user", "parts": [{"functionResponse": {
            "name": "click", "response": {"output": "done", "url": "http://a.test/"}, "id": "f1", "parts": [picture],
        }}]},
    ]);
    assert_eq!(got["contents"], contents);
    assert_eq!(got["generationConfig"], json!({"maxOutputTokens": 300, "temperature": 0.5, "seed": 7}));
    assert_eq!(got["tools"], json!([{"computerUse": {"environment": "ENVIRONMENT_BROWSER"}}]));
    assert!(got.get("model").is_none());
}

#[test]
fn further_fields_are_joined_and_null_takes_one_away() {
    let messages = vec![message(Speaker::User, vec![text("a")])];
    let request = ModelRequest { messages, max_tokens: 9, ..ModelRequest::default() };
    let extra =
        json!({"generationConfig": {"thinkingConfig": {"includeThoughts": true}, "seed": null}, "x": 1});
    let extra = extra.as_object().unwrap();
    let got = Wire::Gemini.form().request(&asked(&request, extra, Learnt::default()));
    let config =
        json!({"maxOutputTokens": 9, "temperature": 0.5, "thinkingConfig": {"includeThoughts": true}});
    assert_eq!((&got["generationConfig"], &got["x"]), (&config, &1.into()));
}

/// Answers that came to their end and hold nothing.
pub(crate) fn without_content(wire: Wire) -> Vec<Value> {
    match wire {
        Wire::Chat => {
            let choice = |message: Value| json!({"choices": [{"message": message, "finish_reason": "stop"}]});
            let messages = [
                json!({}),
                json!({"content": null}),
                json!({"content": ""}),
                json!({"content": []}),
                json!({"content": [{"type": "text", "text": ""}], "tool_calls": []}),
            ];
            messages
                .into_iter()
                .map(choice)
                .chain([json!({"choices": []}), json!({"choices": null})])
                .collect()
        }
        Wire::Responses => {
            let output = |output: Value| json!({"status": "completed", "output": output});
            let text = |text: &str| json!([{"type": "output_text", "text": text}]);
            vec![
                output(json!([])),
                output(Value::Null),
                output(json!([{"type": "message", "content": []}])),
                output(json!([{"type": "message", "content": text("")}])),
                output(json!([{}])),
            ]
        }
        Wire::Anthropic => {
            let content = |content: Value| json!({"content": content, "stop_reason": "end_turn"});
            vec![content(json!([])), content(Value::Null), content(json!([{"type": "text", "text": ""}]))]
        }
        Wire::Gemini => {
            let candidate = |one: Value| json!({"candidates": [one]});
            vec![
                json!({"candidates": []}),
                candidate(json!({"finishReason": "STOP"})),
                candidate(json!({"finishReason": "STOP", "content": {"role": "model"}})),
                candidate(json!({"finishReason": "STOP", "content": {"parts": []}})),
                candidate(json!({"finishReason": "OTHER", "content": {"parts": [{"text": ""}]}})),
            ]
        }
    }
}

#[test]
fn what_is_no_text_is_named_on_every_wire() {
    let unread =
        |wire: Wire, body: Value| read_value(wire.form(), &body).map(|answer| (answer.text, answer.unread));
    let anthropic = |content: Value, stop: &str| json!({"content": content, "stop_reason": stop});
    let responses = |output: Value, reason: &str| json!({"status": "incomplete", "output": output, "incomplete_details": {"reason": reason}});
    let gemini = |parts: Value, finish: &str| json!({"candidates": [{"content": {"parts": parts}, "finishReason": finish}]});
    let said = |text: &str| json!([{"type": "text", "text": text}]);
    let item = |content: Value| json!([{"type": "message", "content": [content]}]);
    let chat =
        |message: Value, finish: &str| json!({"choices": [{"message": message, "finish_reason": finish}]});
    use Unread::{CutOff, Empty, Other, Refusal, ToolCalls};
    use Wire::{Anthropic, Chat, Gemini, Responses};
    for (wire, body, text, why) in [
        (Anthropic, anthropic(json!([{"type": "redacted_thinking", "data": "x"}]), "end_turn"), "", Empty),
        (Anthropic, anthropic(said(" "), "end_turn"), " ", Empty),
        (Anthropic, anthropic(said("half"), "max_tokens"), "half", CutOff),
        (Anthropic, anthropic(said("half"), "model_context_window_exceeded"), "half", CutOff),
        (Anthropic, anthropic(json!([]), "refusal"), "", Refusal),
        (Responses, responses(json!([]), "max_output_tokens"), "", CutOff),
        (Responses, responses(json!([]), "content_filter"), "", Refusal),
        (Responses, json!({"output": item(json!({"type": "refusal", "refusal": "No."}))}), "No.", Refusal),
        (Responses, json!({"output": [{"type": "function_call", "name": "f"}]}), "", ToolCalls),
        (Responses, json!({"status": "completed", "output": [{"type": "reasoning"}]}), "", Empty),
        (Gemini, gemini(json!([{"text": "half"}]), "MAX_TOKENS"), "half", CutOff),
        (Gemini, gemini(json!([]), "SAFETY"), "", Refusal),
        (Gemini, gemini(json!([]), "MALFORMED_FUNCTION_CALL"), "", Other),
        (Gemini, gemini(json!([{"text": "Hm.", "thought": true}]), "STOP"), "", Empty),
        (Chat, chat(json!({"content": "", "reasoning": "Hm."}), "stop"), "", Empty),
        (Chat, chat(json!({"content": null}), "length"), "", CutOff),
        (Gemini, json!({"promptFeedback": {"blockReason": "OTHER"}}), "", Refusal),
    ] {
        assert_eq!(unread(wire, body.clone()).unwrap(), (text.to_owned(), Some(why)), "{wire} {body}");
    }
    for wire in Wire::ALL {
        for body in without_content(wire).into_iter().chain([json!({}), json!([]), json!("x")]) {
            assert!(matches!(unread(wire, body.clone()), Err(ReplyFault::Shape(_))), "{wire} {body}");
        }
        let wrapped = unread(wire, json!({"error": {"message": "busy", "code": 503}}));
        assert_eq!(wrapped, Err(ReplyFault::Wrapped { status: Some(503), message: "busy".to_owned() }));
    }
}

#[test]
fn a_stream_is_put_together_to_what_would_have_come_whole() {
    let put = |wire: Wire, events: &[Value]| {
        let mut whole = json!({});
        events.iter().for_each(|event| wire.form().fold(&mut whole, event));
        read_value(wire.form(), &whole).unwrap()
    };
    let chat = put(
        Wire::Chat,
        &[
            json!({"choices": [{"delta": {"role": "assistant", "content": ""}}]}),
            json!({"choices": [{"delta": {"reasoning_content": "Hm. "}}]}),
            json!({"choices": [{"delta": {"reasoning_content": "Yes."}}]}),
            json!({"choices": [{"delta": {"content": "tap"}}]}),
            json!({"choices": [{"delta": {"content": "(5)"}, "finish_reason": "stop"}]}),
            json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}}),
        ],
    );
    assert_eq!(
        (chat.text.as_str(), chat.thinking.as_deref(), chat.finish.as_deref()),
        ("tap(5)", Some("Hm. Yes."), Some("stop"))
    );
    assert_eq!(chat.usage.prompt, Some(9));
    let anthropic = put(
        Wire::Anthropic,
        &[
            json!({"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 9, "output_tokens": 1}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s"}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "ping"}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "name": "type", "toolset_name": "computer", "input": {}}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"text\":"}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "\"a\"}"}}),
            json!({"type": "content_block_stop", "index": 1}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 4}}),
            json!({"type": "message_stop"}),
        ],
    );
    assert_eq!(anthropic.calls[0].does, [json!({"input": {"text": "a", "action": "type"}})]);
    assert_eq!((anthropic.thinking.as_deref(), anthropic.usage.completion), (Some("Hm."), Some(4)));
    let said = anthropic.said.unwrap();
    assert_eq!((&said[0]["signature"], &said[1]["input"]), (&"s".into(), &json!({"text": "a"})));
    let item = json!({"type": "message", "content": [{"type": "output_text", "text": "ok"}]});
    let responses = put(
        Wire::Responses,
        &[
            json!({"type": "response.created", "response": {"status": "in_progress", "output": []}}),
            json!({"type": "response.output_text.delta", "delta": "ok"}),
            json!({"type": "response.completed", "response": {"status": "completed", "output": [item]}}),
        ],
    );
    assert_eq!(responses.text, "ok");
    let gemini = put(
        Wire::Gemini,
        &[
            json!({"candidates": [{"content": {"parts": [{"text": "Hm.", "thought": true}]}}], "usageMetadata": {"promptTokenCount": 9}}),
            json!({"candidates": [{"content": {"parts": [{"text": "tap"}]}}]}),
            json!({"candidates": [{"content": {"parts": [{"text": "(5)"}]}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 4}}),
        ],
    );
    assert_eq!(
        (gemini.text.as_str(), gemini.thinking.as_deref(), gemini.usage.completion),
        ("tap(5)", Some("Hm."), Some(4))
    );
    // What nobody would send breaks nothing.
    for wire in Wire::ALL {
        let mut whole = json!({});
        for event in [
            json!(7),
            json!([]),
            json!({"choices": 1, "candidates": [7], "type": "content_block_delta", "index": 3, "delta": 4}),
            json!({"choices": [{"delta": 5}], "type": "content_block_start"}),
            json!({"type": "message_delta", "delta": 1, "usage": 2}),
            json!({"type": "message_start", "message": 1}),
            json!({"candidates": [{"content": {"parts": 4}}], "type": "response.completed"}),
        ] {
            wire.form().fold(&mut whole, &event);
        }
        let _ = read_value(wire.form(), &whole);
    }
}

#[test]
fn what_the_client_writes_a_server_reads_on_every_wire_and_the_other_way_round() {
    let request = ModelRequest {
        messages: vec![
            message(Speaker::System, vec![text("s")]),
            message(Speaker::User, vec![text("a"), MessagePart::Png(Arc::from(PNG)), text("b")]),
            message(Speaker::Assistant, vec![text("r")]),
            message(Speaker::User, vec![text("c")]),
        ],
        max_tokens: 9,
        ..ModelRequest::default()
    };
    for wire in Wire::ALL {
        let body = written(wire, &request, Learnt::default()).to_string();
        let got = parse_request(wire, Some("m"), body.as_bytes()).unwrap();
        let said: Vec<(Speaker, &str, usize)> =
            got.messages.iter().map(|m| (m.speaker, m.text.as_str(), m.files.len())).collect();
        let wanted = [
            (Speaker::System, "s", 0),
            (Speaker::User, "a\nb", 1),
            (Speaker::Assistant, "r", 0),
            (Speaker::User, "c", 0),
        ];
        assert_eq!((said.as_slice(), got.max_tokens), (&wanted[..], Some(9)), "{wire}");
        assert_eq!(got.messages[1].files[0], PNG);
        let usage = Usage { prompt: Some(5), completion: Some(3), ..Usage::default() };
        let body = response(wire, "m", "hello", &usage);
        let answer = read(wire.form(), body.to_string().as_bytes()).unwrap();
        assert_eq!((answer.text.as_str(), answer.usage, answer.unread), ("hello", usage, None), "{wire}");
        assert!(
            parse_request(wire, Some("m"), b"{}").is_err() && parse_request(wire, Some("m"), b"[").is_err()
        );
        assert_eq!(wire.as_str().parse(), Ok(wire));
    }
    let learnt = Learnt { other_limit_field: true, ..Learnt::default() };
    let body = written(Wire::Chat, &request, learnt).to_string();
    assert_eq!(parse_request(Wire::Chat, None, body.as_bytes()).unwrap().max_tokens, Some(9));
}

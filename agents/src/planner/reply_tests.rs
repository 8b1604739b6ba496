use serde_json::json;

use super::*;
use waldo_devices::{CallTarget, Tool, ToolCall};

use crate::planner::act::FinishStatus;
use crate::planner::testing::answer;

fn refused(text: &str) -> String {
    read(text).unwrap_err()
}

fn with(key: &str, value: Value) -> String {
    let mut reply: Value =
        serde_json::from_str(&answer(json!({"type": "wait", "description": "Wait."}))).unwrap();
    match value {
        Value::Null if key.starts_with('-') => {
            reply.as_object_mut().unwrap().shift_remove(&key[1..]);
        }
        value => reply[key] = value,
    }
    reply.to_string()
}

#[test]
fn an_answer_is_read_with_its_sections() {
    let text = r#"```json
{
  "previous_action_result": "The page opened.",
  "thought": "Search next.",
  "action_description": "Search for lamps.",
  "update_memory": [{"type": "store_info", "key": "budget", "info_type": "data_update", "value": 50, "description": "at most"}],
  "action": {"type": "type", "description": "Type lamps.", "parameters": {"text": "lamps"}}
}
```"#;
    let (reply, repairs) = read(text).unwrap();
    assert_eq!(reply.thought, "Search next.");
    assert_eq!(reply.update_memory.len(), 1);
    assert_eq!(reply.action.act, Act::Tool(ToolCall::new(Tool::Type).with("text", "lamps")));
    assert_eq!(repairs, ["text around the JSON"]);
}

#[test]
fn what_is_not_as_asked_is_mended_or_refused_with_the_reason() {
    let (reply, repairs) = read(&with("update_memory", Value::Null)).unwrap();
    assert_eq!(reply.update_memory, []);
    assert_eq!(repairs, ["update_memory is null"]);
    let fifty: Vec<Value> = (0..50).map(|n| json!({"key": format!("k{n}"), "value": n})).collect();
    assert_eq!(read(&with("update_memory", fifty.into())).unwrap().0.update_memory.len(), 50);
    let action = json!({"action_type": "Double Click", "description": "It.", "parameters": null});
    let (reply, repairs) = read(&with("action", action)).unwrap();
    assert_eq!(reply.action.act, Act::Tool(ToolCall::aimed(Tool::DoubleTap, CallTarget::Described(None))));
    assert_eq!(repairs, ["action_type for type", "Double Click for double_click"]);
    let (reply, repairs) =
        read(&with("action", json!({"type": "finish", "description": "Done.", "status": "success"})))
            .unwrap();
    assert_eq!(reply.action.act, Act::Finish { status: FinishStatus::Success, answer: None });
    assert_eq!(repairs, ["parameters beside the action"]);
    for (text, want) in [
        (with("-thought", Value::Null), "the key thought is missing"),
        (with("-update_memory", Value::Null), "the key update_memory is missing"),
        (with("-action", Value::Null), "the key action is missing"),
        (with("thought", json!(5)), "thought must be a text, not the number 5"),
        (with("previous_action_result", json!(["a"])), "previous_action_result must be a text, not a list"),
        (with("action", json!("click")), "action must be an object, not the text 'click'"),
        (with("action", json!([])), "action must be an object, not a list"),
        (with("action", json!([{"type": "wait"}, {"type": "click"}])), "action holds 2 actions"),
        (with("action", json!({"description": "x"})), "action has no type"),
        (with("action", json!({"type": 3})), "type of action must be a text, not the number 3"),
        (with("action", json!({"type": "fly"})), "'fly' is not a type of action"),
        (
            with("action", json!({"type": "wait", "parameters": "soon"})),
            "parameters of action must be an object",
        ),
        ("no idea".to_owned(), "the answer holds no JSON object"),
    ] {
        let error = refused(&text);
        assert!(error.contains(want), "{text}: {error}");
    }
}

#[test]
fn the_schema_names_every_action_and_takes_what_is_read() {
    let schema = crate::planner::schema(None);
    let text = schema.to_string();
    for name in ["click", "key_press", "extract_data", "finish", "switch_window"] {
        assert!(text.contains(&format!("\"const\":\"{name}\"")), "{name}");
    }
    let phone = crate::planner::schema(Some(&crate::appagent::testing::phone())).to_string();
    assert!(!phone.contains("\"const\":\"right_click\"") && phone.contains("\"const\":\"long_press\""));
    insta::assert_json_snapshot!("schema_of_an_answer", schema);
}

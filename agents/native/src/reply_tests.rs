use proptest::prelude::*;
use serde_json::json;

use super::*;

fn rule(form: ReplyForm) -> ReplyRule {
    ReplyRule {
        form,
        marker: action_marker(),
        thought: thought_marker(),
        name: None,
        inside: None,
        prefixes: ["pyautogui", "computer"].map(str::to_owned).to_vec(),
        rename: BTreeMap::from([("point".to_owned(), "start_box".to_owned())]),
    }
}

type Parts = (String, String, Vec<String>);

fn parts(rule: &ReplyRule, text: &str) -> Parts {
    let reply = rule.read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let calls = reply.calls.iter().map(ToString::to_string).collect();
    (reply.thought.unwrap_or_default(), reply.operation.unwrap_or_default(), calls)
}

fn owned(thought: &str, operation: &str, calls: &[&str]) -> Parts {
    (thought.to_owned(), operation.to_owned(), calls.iter().map(|call| (*call).to_owned()).collect())
}

#[test]
fn expressions_stand_after_their_marker() {
    let rule = rule(ReplyForm::Calls);
    for (text, expected) in [
        (
            "Thought: test\nAction: click(start_box='(1,2)')",
            owned("test", "", &["click(start_box=\"(1,2)\")"]),
        ),
        (
            "Thought: a\nAction: click(point='<point>1 2</point>')",
            owned("a", "", &["click(start_box=\"<point>1 2</point>\")"]),
        ),
        (
            "Thought: 'Action: x' is not an action.\n\nAction: wait()",
            owned("'Action: x' is not an action.", "", &["wait()"]),
        ),
        ("Thought: a\nAction: type(content='it's \\n')", owned("a", "", &["type(content=\"it's \\n\")"])),
        (
            "Thought: two\nAction: click(start_box='(1,2)')\n\nwait()",
            owned("two", "", &["click(start_box=\"(1,2)\")", "wait()"]),
        ),
        ("finished()", owned("", "", &["finished()"])),
    ] {
        assert_eq!(parts(&rule, text), expected, "{text}");
    }
    for text in ["Thought: only this", "Action:", "", "<think>Action: wait()</think>", "I click(1, 2)"] {
        assert!(rule.read(text).is_err(), "{text}");
    }
}

#[test]
fn blocks_thoughts_and_arguments_are_kept_apart() {
    let text = "<think>\nAction: click(start_box='(9,9)')\n</think>\nAction: wait()";
    let reply = rule(ReplyForm::Calls).read(text).unwrap();
    assert_eq!(reply.thinking.as_deref(), Some("Action: click(start_box='(9,9)')"));
    assert_eq!(reply.calls[0].name, "wait");
    // Servers may swallow the opening tag.
    assert_eq!(
        rule(ReplyForm::Calls).read("so\n</think>Action: wait()").unwrap().thinking.as_deref(),
        Some("so")
    );
    let text = "<think>\nSo.\n</think>\n<operation>\nClick it.\n</operation>\n<action>\nclick(x=5, y=6)\n\
                write(message='a')\n</action>";
    let reply = rule(ReplyForm::Tags).read(text).unwrap();
    assert_eq!((reply.thinking.as_deref(), reply.operation.as_deref()), (Some("So."), Some("Click it.")));
    assert_eq!(reply.calls.len(), 2);
    assert!(rule(ReplyForm::Tags).read("<operation>x</operation>").is_err());
    let text =
        r#"<tool_call>{"name": "c", "arguments": {"action": "key", "keys": ["ctrl", "a"]}}</tool_call>"#;
    assert_eq!(rule(ReplyForm::ToolCall).read(text).unwrap().calls[0].named["keys"], json!(["ctrl", "a"]));
}

#[test]
fn tool_calls_are_read_with_and_without_their_tags() {
    let rule = rule(ReplyForm::ToolCall);
    let json = r#"{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [500, 250]}}"#;
    let call = &["left_click(coordinate=[500,250])"];
    for (text, expected) in [
        (format!("<tool_call>\n{json}\n</tool_call>"), owned("", "", call)),
        (
            format!("Thought: T.\nAction: Click it.\n<tool_call>\n{json}\n</tool_call>"),
            owned("T.", "Click it.", call),
        ),
        (format!("Action: Click it.\n<tool_call>{json}"), owned("", "Click it.", call)),
        (format!("Action: Click it.\n{json}"), owned("", "Click it.", call)),
        (format!("<tool_call>\n{}\n</tool_call>", &json[..json.len() - 1]), owned("", "", call)),
        (
            format!("<tool_call>{json}</tool_call>\n<tool_call>{json}</tool_call>"),
            owned("", "", &[call[0], call[0]]),
        ),
        (
            r#"<tool_call>{"name": "wait", "arguments": "{\"time\": 2}"}</tool_call>"#.to_owned(),
            owned("", "", &["wait(time=2)"]),
        ),
    ] {
        assert_eq!(parts(&rule, &text), expected, "{text}");
    }
    for text in
        ["Action: Click it.", "<tool_call>click</tool_call>", r#"<tool_call>{"arguments": {}}</tool_call>"#]
    {
        assert!(rule.read(text).is_err(), "{text}");
    }
}

#[test]
fn code_is_read_from_its_last_block_or_its_lines() {
    let mut rule = rule(ReplyForm::Code);
    let text = "# Step: 1\n## Thought:\nLook.\n## Action:\nClick it.\n## Code:\n```python\npyautogui.click(x=5, y=6)\n```";
    assert_eq!(parts(&rule, text), owned("Look.", "Click it.", &["pyautogui.click(x=5, y=6)"]));
    let text = "## Action:\nEnd it.\n## Code:\n```code\ncomputer.terminate(status='success')\n```";
    assert_eq!(parts(&rule, text), owned("", "End it.", &["computer.terminate(status=\"success\")"]));
    let text = "Click \"OK\" (the button).\nassistantos\npyautogui.click(x=0.5, y=0.25)";
    let expected = owned("", "Click \"OK\" (the button).", &["pyautogui.click(x=0.5, y=0.25)"]);
    assert_eq!(parts(&rule, text), expected);
    let text = "```python\nimport os\nos.system('rm')\npyautogui.press('enter')\n```";
    assert_eq!(parts(&rule, text).2, ["pyautogui.press(\"enter\")"]);
    assert!(rule.read("```python\nos.system('rm')\n```").is_err());
    assert!(rule.read("Nothing to do.").is_err());
    rule.prefixes.push(String::new());
    assert_eq!(parts(&rule, "Tell it.\nassistantos\nanswer(text='42')").2, ["answer(text=\"42\")"]);
}

#[test]
fn json_is_read_where_its_keys_are() {
    let keys = |inside: Option<&str>, name: &str| {
        let (inside, name) = (inside.map(str::to_owned), Some(name.to_owned()));
        ReplyRule { inside, name, ..rule(ReplyForm::Json) }
    };
    let openai =
        r#"{"type": "computer_call", "action": {"type": "click", "x": 5, "y": 6, "button": "left"}}"#;
    assert_eq!(parts(&keys(Some("action"), "type"), openai).2, ["click(x=5, y=6, button=\"left\")"]);
    let anthropic = r#"[{"type": "tool_use", "name": "computer", "input": {"action": "left_click", "coordinate": [5, 6]}}]"#;
    assert_eq!(parts(&keys(Some("input"), "action"), anthropic).2, ["left_click(coordinate=[5,6])"]);
    let gemini = r#"{"name": "click_at", "args": {"x": 5, "y": 6}}"#;
    assert_eq!(parts(&keys(Some("args"), "name"), gemini).2, ["click_at(x=5, y=6)"]);
    let plain = keys(None, "action_type");
    let text = "Reason: so.\nAction: {\"action_type\": \"click\", \"x\": 1, \"y\": 2}";
    assert_eq!(parts(&plain, text).2, ["click(x=1, y=2)"]);
    for text in ["[1, 2]", "no", r#"{"x": 1}"#, r#"{"action_type": 5}"#] {
        assert!(plain.read(text).is_err(), "{text}");
    }
}

#[test]
fn grounders_answer_with_points_and_boxes() {
    let rule = rule(ReplyForm::Place);
    for (text, at) in [
        ("(500, 250)", [500.0, 250.0]),
        ("(0.5,0.25)", [0.5, 0.25]),
        ("500, 250", [500.0, 250.0]),
        ("[500, 250]", [500.0, 250.0]),
        ("[[490, 240, 510, 260]]", [500.0, 250.0]),
        (
            "<|object_ref_start|>language switch<|object_ref_end|><|box_start|>(576,12),(592,42)<|box_end|><|im_end|>",
            [584.0, 27.0],
        ),
        ("<think>Not (1, 2).</think>(500, 250)", [500.0, 250.0]),
    ] {
        assert_eq!(rule.place(text), Ok(Some(at)), "{text}");
    }
    assert_eq!(rule.place("none"), Ok(None));
    assert_eq!(rule.place("(-1, -1)"), Ok(None));
    assert!(rule.place("it is there").is_err());
}

proptest! {
    #[test]
    fn no_reply_makes_a_reader_fail_otherwise(
        text in "\\PC{0,120}(<tool_call>|Action:|```|<action>|\\{|</think>)?\\PC{0,80}",
    ) {
        for form in [ReplyForm::Calls, ReplyForm::ToolCall, ReplyForm::Tags, ReplyForm::Code, ReplyForm::Json] {
            let _ = rule(form).read(&text);
        }
        let _ = rule(ReplyForm::Place).place(&text);
    }
}

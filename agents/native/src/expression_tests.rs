use proptest::prelude::*;
use serde_json::json;

use super::*;

fn one(text: &str) -> (String, Value, Value) {
    let mut all = calls(text).unwrap();
    assert_eq!(all.len(), 1, "{text}: {all:?}");
    let call = all.remove(0);
    (call.name, Value::Array(call.positional), Value::Object(call.named))
}

#[test]
fn calls_are_read_as_models_write_them() {
    for (text, name, positional, named) in [
        ("click(start_box='(112,224)')", "click", json!([]), json!({"start_box": "(112,224)"})),
        ("click(x=0.25, y=.5)", "click", json!([]), json!({"x": 0.25, "y": 0.5})),
        (
            "pyautogui.click(10, -20,button=\"right\")",
            "pyautogui.click",
            json!([10, -20]),
            json!({"button": "right"}),
        ),
        ("hotkey('ctrl', 'c')", "hotkey", json!(["ctrl", "c"]), json!({})),
        ("press(keys=['a', 'b'], presses=2)", "press", json!([]), json!({"keys": ["a", "b"], "presses": 2})),
        (
            "swipe(from_coord=(0.1, 0.2), to_coord=[0.3, 0.4])",
            "swipe",
            json!([]),
            json!({"from_coord": [0.1, 0.2], "to_coord": [0.3, 0.4]}),
        ),
        ("wait()", "wait", json!([]), json!({})),
        ("wait(", "wait", json!([]), json!({})),
        (
            "click(start_box=<|box_start|>(1,2)<|box_end|>)",
            "click",
            json!([]),
            json!({"start_box": "<|box_start|>(1,2)<|box_end|>"}),
        ),
        (
            "click(point='<point>200 300</point>')",
            "click",
            json!([]),
            json!({"point": "<point>200 300</point>"}),
        ),
        (r"type(content='a\'b\n')", "type", json!([]), json!({"content": "a'b\n"})),
        ("type(content='it's \\n')", "type", json!([]), json!({"content": "it's \n"})),
        ("write(message=\"say \"hi\" (now)\")", "write", json!([]), json!({"message": "say \"hi\" (now)"})),
        ("write(message='a, b=c')", "write", json!([]), json!({"message": "a, b=c"})),
        ("write('''two\nlines''')", "write", json!(["two\nlines"]), json!({})),
        ("type(content='two\nlines')", "type", json!([]), json!({"content": "two\nlines"})),
        (
            "terminate(status='success', info=None)",
            "terminate",
            json!([]),
            json!({"status": "success", "info": null}),
        ),
        ("DONE", "DONE", json!([]), json!({})),
    ] {
        assert_eq!(one(text), (name.to_owned(), positional, named), "{text}");
    }
}

#[test]
fn several_calls_are_read_in_order_and_other_lines_are_left_out() {
    let text = "import pyautogui\n# first\nclick(1, 2); write('x; y')\n\npress('enter')  # ends it\n```";
    let names: Vec<String> = calls(text).unwrap().into_iter().map(|call| call.to_string()).collect();
    assert_eq!(names, ["click(1, 2)", "write(\"x; y\")", "press(\"enter\")"]);
}

#[test]
fn what_is_no_call_is_an_error() {
    for text in ["", "I will click the button.", "click", "Done", "(1, 2)", "1click(2)"] {
        assert!(calls(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn nothing_that_a_model_writes_makes_the_reader_fail_otherwise(text in "\\PC{0,200}") {
        let _ = calls(&text);
        let _ = calls(&format!("click({text})"));
    }

    #[test]
    fn texts_come_back_as_they_were_written(text in "[ -~\n]{0,60}") {
        let inner = text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n");
        let written = format!("type(content='{inner}')");
        let call = calls(&written).unwrap().remove(0);
        prop_assert_eq!(call.named["content"].as_str(), Some(text.as_str()), "{}", written);
    }
}

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// The only call: its name, what has a place, and what has a name.
fn one(text: &str) -> Value {
    let mut all = calls(text).unwrap();
    assert_eq!(all.len(), 1, "{text}: {all:?}");
    let call = all.remove(0);
    json!([call.name, call.positional, call.named])
}

#[test]
fn calls_are_read_as_models_write_them() {
    for (text, call) in [
        ("click(start_box='(112,224)')", json!(["click", [], {"start_box": "(112,224)"}])),
        ("click(x=0.25, y=.5)", json!(["click", [], {"x": 0.25, "y": 0.5}])),
        (
            "pyautogui.click(10, -20,button=\"right\")",
            json!(["pyautogui.click", [10, -20], {"button": "right"}]),
        ),
        ("hotkey('ctrl', 'c')", json!(["hotkey", ["ctrl", "c"], {}])),
        ("press(keys=['a', 'b'], presses=2)", json!(["press", [], {"keys": ["a", "b"], "presses": 2}])),
        (
            "swipe(from_coord=(0.1, 0.2), to_coord=[0.3, 0.4])",
            json!(["swipe", [], {"from_coord": [0.1, 0.2], "to_coord": [0.3, 0.4]}]),
        ),
        ("wait()", json!(["wait", [], {}])),
        ("wait(", json!(["wait", [], {}])),
        (
            "click(start_box=<|box_start|>(1,2)<|box_end|>)",
            json!(["click", [], {"start_box": "<|box_start|>(1,2)<|box_end|>"}]),
        ),
        ("click(point='<point>200 300</point>')", json!(["click", [], {"point": "<point>200 300</point>"}])),
        (r"type(content='a\'b\n')", json!(["type", [], {"content": "a'b\n"}])),
        ("type(content='it's \\n')", json!(["type", [], {"content": "it's \n"}])),
        ("write(message=\"say \"hi\" (now)\")", json!(["write", [], {"message": "say \"hi\" (now)"}])),
        ("write(message='a, b=c')", json!(["write", [], {"message": "a, b=c"}])),
        ("write('''two\nlines''')", json!(["write", ["two\nlines"], {}])),
        ("type(content='two\nlines')", json!(["type", [], {"content": "two\nlines"}])),
        (
            "terminate(status='success', info=None)",
            json!(["terminate", [], {"status": "success", "info": null}]),
        ),
        ("DONE", json!(["DONE", [], {}])),
    ] {
        assert_eq!(one(text), call, "{text}");
    }
}

#[test]
fn several_calls_are_read_in_order_and_what_is_none_is_an_error() {
    let text = "import pyautogui\n# first\nclick(1, 2); write('x; y')\n\npress('enter')  # ends it\n```";
    let names: Vec<String> = calls(text).unwrap().into_iter().map(|call| call.to_string()).collect();
    assert_eq!(names, ["click(1, 2)", "write(\"x; y\")", "press(\"enter\")"]);
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

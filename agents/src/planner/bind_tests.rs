use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::planner::act::tools;

/// A tool's call on something that is described or not.
fn on(tool: Tool, what: Option<&str>) -> ToolCall {
    ToolCall::aimed(tool, CallTarget::Described(what.map(str::to_owned)))
}

fn read(kind: &str, parameters: Value) -> Result<Act, String> {
    let Value::Object(parameters) = parameters else { panic!("no object") };
    bind(kind, "Do it.", parameters).map(|(act, _)| act)
}

#[test]
fn other_spellings_of_types_are_taken() {
    let click = Act::Tool(on(Tool::Tap, None));
    for name in ["click", "Click", "left click", "left_click", "tap"] {
        assert_eq!(read(name, json!({})).unwrap(), click, "{name}");
    }
    for name in ["double click", "doubleClick", "DOUBLE_CLICK", "dblclick"] {
        assert_eq!(read(name, json!({})).unwrap(), Act::Tool(on(Tool::DoubleTap, None)), "{name}");
    }
    for name in ["move_mouse", "mouse_move", "hover"] {
        assert_eq!(read(name, json!({})).unwrap(), Act::Tool(on(Tool::Hover, None)), "{name}");
    }
    let scroll = |towards: Direction| on(Tool::Scroll, None).with("direction", towards);
    let down = Act::Tool(scroll(Direction::Down));
    assert_eq!(read("scroll_down", json!({})).unwrap(), down);
    assert_eq!(read("Scroll Down", json!({})).unwrap(), down);
    assert_eq!(read("wait_for_load", json!({})).unwrap(), Act::Tool(ToolCall::new(Tool::Wait)));
    for (name, parameters) in [
        ("key_press", json!({"key": "Ctrl+S"})),
        ("press", json!({"key": "Ctrl S"})),
        ("hotkey", json!({"keys": ["Ctrl", "s"]})),
        ("press_key", json!({"key": "ctrl-s"})),
    ] {
        let saves = Act::Tool(ToolCall::new(Tool::Key).with("key", "ctrl+s"));
        assert_eq!(read(name, parameters).unwrap(), saves, "{name}");
    }
}

#[test]
fn numbers_may_be_texts_and_directions_may_stand_in_the_description() {
    for distance in [json!(6), json!("6"), json!(6.0), json!(" 6 ")] {
        let act = read("scroll", json!({"direction": "down", "distance": distance})).unwrap();
        let want = on(Tool::Scroll, None).with("direction", Direction::Down).with("notches", 6_u32);
        assert_eq!(act, Act::Tool(want));
    }
    let (act, repairs) = bind("scroll", "Scroll up to the top.", Map::new()).unwrap();
    assert_eq!(act, Act::Tool(on(Tool::Scroll, None).with("direction", Direction::Up)));
    assert_eq!(repairs, ["direction from the description"]);
    let text = |tool, name: &str, text: &str| Act::Tool(ToolCall::new(tool).with(name, text));
    assert_eq!(read("type", json!({"text": 42})).unwrap(), text(Tool::Type, "text", "42"));
    assert_eq!(read("paste_text", json!({"value": "a\nb"})).unwrap(), text(Tool::Paste, "text", "a\nb"));
    assert_eq!(read("shell", json!({"cmd": "ls -l"})).unwrap(), text(Tool::Shell, "command", "ls -l"));
    let done = Act::Finish { status: FinishStatus::Success, answer: None };
    assert_eq!(read("done", json!({"status": "SUCCESS"})).unwrap(), done);
}

#[test]
fn what_is_wrong_is_named() {
    for (kind, parameters, want) in [
        ("teleport", json!({}), "'teleport' is not a type of action"),
        ("type", json!({}), "type needs the parameter text"),
        ("type", json!({"text": ""}), "text of type is empty"),
        ("paste", json!({}), "paste needs the parameter text"),
        ("run_command", json!({"command": " "}), "command of run_command is empty"),
        ("run_command", json!({"command": ["ls"]}), "command of run_command must be a text, not a list"),
        ("type", json!({"text": {"a": 1}}), "text of type must be a text, not an object"),
        ("key_press", json!({}), "key_press needs the parameter key"),
        ("key_press", json!({"key": "Ctrl Foo"}), "'Foo' is not a key"),
        ("scroll", json!({}), "scroll needs the parameter direction"),
        ("scroll", json!({"direction": "sideways"}), "not 'sideways'"),
        ("scroll", json!({"direction": "down", "distance": "far"}), "distance of scroll must be a number"),
        ("scroll", json!({"direction": "down", "distance": -3}), "from 1 to 100"),
        ("drag", json!({"start_description": "the file"}), "drag needs the parameter end_description"),
        ("finish", json!({}), "finish needs the parameter status"),
        ("finish", json!({"status": "maybe"}), "success or failure, not 'maybe'"),
        ("extract_data", json!({"description": "x"}), "extract_data needs the parameter data"),
        ("click", json!({"x": 5}), "click has no parameter 'x'; it has element_description"),
        ("go_back", json!({"steps": 2}), "go_back has no parameters, and 'steps' is given"),
        ("wait", json!({"seconds": 3600}), "from 0 to 10"),
        ("pinch", json!({}), "pinch needs the parameter percent"),
        ("zoom", json!({"percent": 5}), "from 10 to 1000"),
    ] {
        let error = read(kind, parameters.clone()).unwrap_err();
        assert!(error.contains(want), "{kind} {parameters}: {error}");
    }
}

fn any_arg(tool: Tool, param: &Param) -> BoxedStrategy<Arg> {
    use prop::sample::select;
    let text = || "[a-zA-Zé0-9 ]{1,12}".prop_map(|t| format!("x{t}x"));
    let described = |what| Arg::Target(CallTarget::Described(what));
    match param.kind {
        kind if kind.is_target() && parameter(tool, param) == "element_description" => {
            prop::option::of(text()).prop_map(described).boxed()
        }
        kind if kind.is_target() => text().prop_map(move |what| described(Some(what))).boxed(),
        ParamKind::Object => Just(Arg::from(r#"{"name":"Ada"}"#)).boxed(),
        ParamKind::Keys => Just(Arg::from("ctrl+shift+ArrowLeft")).boxed(),
        ParamKind::Files => text().prop_map(|file| Arg::Files(vec![file])).boxed(),
        ParamKind::Whole(min, max) => (min..=max).prop_map(Arg::Number).boxed(),
        ParamKind::Tab | ParamKind::Window => (1..=10_000_u32).prop_map(Arg::Number).boxed(),
        ParamKind::Seconds => (0..=10_000_u64).prop_map(Arg::Millis).boxed(),
        ParamKind::Modifiers => prop::array::uniform4(any::<bool>())
            .prop_map(|[ctrl, alt, shift, meta]| Arg::Modifiers(Modifiers { ctrl, alt, shift, meta }))
            .boxed(),
        kind => match kind.words() {
            Some(words) => select(words).prop_map(move |word| kind.read_word(word).unwrap()).boxed(),
            None => text().prop_map(Arg::Text).boxed(),
        },
    }
}

fn any_tool() -> impl Strategy<Value = Act> {
    prop::sample::select(tools().collect::<Vec<_>>()).prop_flat_map(|tool| {
        let mut all = Just(ToolCall::new(tool)).boxed();
        for (place, param) in tool.spec().params.iter().enumerate() {
            let given = if param.optional && !param.kind.is_target() {
                prop::option::of(any_arg(tool, param)).boxed()
            } else {
                any_arg(tool, param).prop_map(Some).boxed()
            };
            all = (all, given)
                .prop_map(move |(mut call, arg)| {
                    call.set(place, arg);
                    call
                })
                .boxed();
        }
        all.prop_map(Act::Tool)
    })
}

fn any_act() -> impl Strategy<Value = Act> {
    let text = || "[a-zA-Zé0-9 ]{1,12}".prop_map(|t| format!("x{t}x"));
    let element = || prop::option::of(text());
    prop_oneof![
        8 => any_tool(),
        1 => (text(), element())
            .prop_map(|(goal, element_description)| Act::Widget { goal, element_description }),
        1 => (text(), text())
            .prop_map(|(description, data)| Act::ExtractData { description, data: data.into() }),
        1 => (any::<bool>(), element()).prop_map(|(good, answer)| Act::Finish {
            status: if good { FinishStatus::Success } else { FinishStatus::Failure },
            answer
        }),
    ]
}

proptest! {
    #[test]
    fn what_an_act_is_written_as_reads_back(act in any_act()) {
        let (read, repairs) = bind(act.name(), "", act.parameters()).unwrap();
        prop_assert_eq!(&read, &act);
        prop_assert!(repairs.is_empty(), "{:?}", repairs);
        // The published types agree with the reader.
        let typed: Act = serde_json::from_value(serde_json::to_value(&act).unwrap()).unwrap();
        prop_assert_eq!(typed, act);
    }
}

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn read(kind: &str, parameters: Value) -> Result<Act, String> {
    let Value::Object(parameters) = parameters else { panic!("no object") };
    bind(kind, "Do it.", parameters).map(|(act, _)| act)
}

#[test]
fn other_spellings_of_types_are_taken() {
    let click = Act::Click(Target::default());
    for name in ["click", "Click", "left click", "left_click", "tap"] {
        assert_eq!(read(name, json!({})).unwrap(), click, "{name}");
    }
    for name in ["double click", "doubleClick", "DOUBLE_CLICK", "dblclick"] {
        assert_eq!(read(name, json!({})).unwrap(), Act::DoubleClick(Target::default()), "{name}");
    }
    for name in ["move_mouse", "mouse_move", "hover"] {
        assert_eq!(read(name, json!({})).unwrap(), Act::MouseMove(Target::default()), "{name}");
    }
    let down = Act::Scroll { element_description: None, direction: Direction::Down, distance: NOTCHES };
    assert_eq!(read("scroll_down", json!({})).unwrap(), down);
    assert_eq!(read("Scroll Down", json!({})).unwrap(), down);
    assert_eq!(read("wait_for_load", json!({})).unwrap(), Act::Wait { seconds: None });
    for (name, parameters) in [
        ("key_press", json!({"key": "Ctrl+S"})),
        ("press", json!({"key": "Ctrl S"})),
        ("hotkey", json!({"keys": ["Ctrl", "s"]})),
        ("press_key", json!({"key": "ctrl-s"})),
    ] {
        assert_eq!(read(name, parameters).unwrap(), Act::KeyPress { key: "ctrl+s".into() }, "{name}");
    }
}

#[test]
fn numbers_may_be_texts_and_directions_may_stand_in_the_description() {
    for distance in [json!(6), json!("6"), json!(6.0), json!(" 6 ")] {
        let act = read("scroll", json!({"direction": "down", "distance": distance})).unwrap();
        assert_eq!(act, Act::Scroll { element_description: None, direction: Direction::Down, distance: 6 });
    }
    let (act, repairs) = bind("scroll", "Scroll up to the top.", Map::new()).unwrap();
    assert!(matches!(act, Act::Scroll { direction: Direction::Up, .. }));
    assert_eq!(repairs, ["direction from the description"]);
    assert!(read("type", json!({"text": 42})).is_ok_and(|act| act == Act::Type { text: "42".into() }));
    assert_eq!(read("paste_text", json!({"value": "a\nb"})).unwrap(), Act::Paste { text: "a\nb".into() });
    assert_eq!(read("shell", json!({"cmd": "ls -l"})).unwrap(), Act::RunCommand { command: "ls -l".into() });
    assert_eq!(
        read("done", json!({"status": "SUCCESS"})).unwrap(),
        Act::Finish { status: Status::Success, answer: None }
    );
}

#[test]
fn what_is_wrong_is_named() {
    for (kind, parameters, want) in [
        ("teleport", json!({}), "'teleport' is no type of action"),
        ("type", json!({}), "type needs the parameter text"),
        ("type", json!({"text": ""}), "text of type is empty"),
        ("paste", json!({}), "paste needs the parameter text"),
        ("run_command", json!({"command": " "}), "command of run_command is empty"),
        ("run_command", json!({"command": ["ls"]}), "command of run_command must be a text, not a list"),
        ("type", json!({"text": {"a": 1}}), "text of type must be a text, not an object"),
        ("key_press", json!({}), "key_press needs the parameter key"),
        ("key_press", json!({"key": "Ctrl Foo"}), "'Foo' is no key"),
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

fn any_act() -> impl Strategy<Value = Act> {
    let text = || "[a-zA-Zé0-9 ]{1,12}".prop_map(|t| format!("x{t}x"));
    let element = || proptest::option::of(text());
    let direction = prop_oneof![
        Just(Direction::Up),
        Just(Direction::Down),
        Just(Direction::Left),
        Just(Direction::Right)
    ];
    prop_oneof![
        element().prop_map(|element_description| Act::Click(Target { element_description })),
        element().prop_map(|element_description| Act::MouseMove(Target { element_description })),
        (element(), 10..=1_000_u32)
            .prop_map(|(element_description, percent)| Act::Pinch { percent, element_description }),
        text().prop_map(|text| Act::Type { text }),
        (element(), direction, 1..=100_u32).prop_map(|(element_description, direction, distance)| {
            Act::Scroll { element_description, direction, distance }
        }),
        (text(), text()).prop_map(|(start_description, end_description)| Act::Drag {
            start_description,
            end_description
        }),
        Just(Act::KeyPress { key: "ctrl+shift+ArrowLeft".into() }),
        (text(), element())
            .prop_map(|(option, element_description)| Act::SelectOption { option, element_description }),
        (1..99_u32).prop_map(|tab| Act::SwitchTab { tab }),
        Just(Act::GoBack),
        (text(), text()).prop_map(|(description, data)| Act::ExtractData { description, data: data.into() }),
        proptest::option::of(0..10_u32).prop_map(|seconds| Act::Wait { seconds: seconds.map(f64::from) }),
        (any::<bool>(), element()).prop_map(|(good, answer)| Act::Finish {
            status: if good { Status::Success } else { Status::Failure },
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

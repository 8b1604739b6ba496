use std::time::{Duration, Instant};

use proptest::prelude::*;
use waldo_devices::catalogue::{Arg, Param, ParamKind, Percent, Spot};
use waldo_devices::labels::Subarea;
use waldo_devices::{CallTarget, Direction, Distance, Modifiers, Tag, Tool, ToolCall};

use super::*;
use crate::appagent::call::PARTS;

fn tap(n: u32) -> FunctionCall {
    FunctionCall::on(Tool::Tap, Tag(n))
}

fn text(t: &str) -> FunctionCall {
    FunctionCall::Tool(ToolCall::new(Tool::Type).with("text", t))
}

fn reply(action: &str) -> String {
    format!("Observation: a form\nThought: go on\nAction: {action}\nSummary: did it")
}

/// The call of an action in a well-formed reply, and what was mended.
fn read(action: &str) -> (Result<FunctionCall, String>, Vec<String>) {
    let parsed = parse(&reply(action), PictureForm::Elements);
    (parsed.call, parsed.repairs)
}

#[test]
fn a_reply_as_asked_needs_no_mending_and_its_first_action_counts() {
    let parsed = parse(&reply("tap(5)"), PictureForm::Elements);
    assert_eq!(parsed.call, Ok(tap(5)));
    assert_eq!(parsed.observation.as_deref(), Some("a form"));
    assert_eq!(parsed.thought.as_deref(), Some("go on"));
    assert_eq!(parsed.summary.as_deref(), Some("did it"));
    assert_eq!(parsed.repairs, Vec::<String>::new());
    let two = format!("{}\n\n{}", reply("tap(5)"), reply("tap(6)"));
    assert_eq!(parse(&two, PictureForm::Elements).call, Ok(tap(5)));
    let list = "Thought: the plan is\n- action: open the menu\nAction: tap(5)\nSummary: a\nover two lines";
    let parsed = parse(list, PictureForm::Elements);
    assert_eq!(parsed.call, Ok(tap(5)));
    assert_eq!(parsed.summary.as_deref(), Some("a\nover two lines"));
}

#[test]
fn what_appagent_refuses_is_read() {
    let short = ToolCall::on(Tool::Swipe, Tag(21), None).with("direction", Direction::Up);
    let swipe = FunctionCall::Tool(short.clone().with("distance", Distance::Medium));
    for (action, call) in [
        ("tap(\"5\")", tap(5)),
        ("Tap(5)", tap(5)),
        ("TAP ( 5 )", tap(5)),
        ("`tap(5)`", tap(5)),
        ("**tap(5)**", tap(5)),
        ("  tap(5)  ", tap(5)),
        ("tap(element=5)", tap(5)),
        ("tap(element = \"5\")", tap(5)),
        ("tap([5])", tap(5)),
        ("tap(#5).", tap(5)),
        ("tap(5);", tap(5)),
        ("click(5)", tap(5)),
        ("long press(5)", FunctionCall::on(Tool::LongPress, Tag(5))),
        ("Call tap(5)", tap(5)),
        ("functions.tap(5)", tap(5)),
        ("```python\ntap(5)\n```", tap(5)),
        ("\ntap(5)", tap(5)),
        ("tap(5) to open the menu", tap(5)),
        ("swipe(21, \"up\")", FunctionCall::Tool(short)),
        ("swipe(21, up, medium)", swipe.clone()),
        ("swipe(direction='UP', element=21, dist='Medium')", swipe.clone()),
        ("swipe(21,“up”,“medium”)", swipe),
        ("text(\"Hello (world)\")", text("Hello (world)")),
        (r#"text("a\"b")"#, text("a\"b")),
        ("text('hi')", text("hi")),
        ("text(“hi”)", text("hi")),
        ("text('don't stop')", text("don't stop")),
        (r#"text("say "hi" now")"#, text("say \"hi\" now")),
        (r#"text("He said "a", then "b"")"#, text("He said \"a\", then \"b\"")),
        ("text(hello there, you)", text("hello there, you")),
        ("text(note: buy milk)", text("note: buy milk")),
        ("text(text_input=\"hi\")", text("hi")),
        ("text(\"FINISH it\")", text("FINISH it")),
        ("text(\"FINISH\")", text("FINISH")),
        ("text(\"a\nSummary: b\")", text("a\nSummary: b")),
        (r#"text("two\nlines")"#, text("two\nlines")),
        ("text(\"\")", text("")),
        ("FINISH", FunctionCall::Finish),
        ("FINISH.", FunctionCall::Finish),
        ("finish()", FunctionCall::Finish),
        ("**FINISH**", FunctionCall::Finish),
    ] {
        assert_eq!(read(action).0, Ok(call), "{action}");
    }
}

#[test]
fn mends_are_told() {
    for (action, mend) in [
        ("`tap(5)`", "marks around the action"),
        ("Tap(5)", "'Tap' read as tap"),
        ("click(5)", "'click' read as tap"),
        ("tap(5) to open it", "words after the call"),
        ("text(hello)", "quotation marks"),
    ] {
        assert_eq!(read(action).1, [mend], "{action}");
    }
}

#[test]
fn what_is_unclear_is_refused_with_the_reason() {
    for (action, reason) in [
        ("", "the Action part is empty"),
        ("I am done", "holds no function call"),
        ("FINISH because all is done", "holds no function call"),
        ("FINISHED", "holds no function call"),
        ("do not tap(5)", "no function"),
        ("fly(5)", "there is no function fly"),
        ("tap()", "tap takes the number of one element"),
        ("tap(the button)", "'the button' is not a number of an element"),
        ("tap(100, 200)", "tap takes the number of one element"),
        ("tap(3, 120, 50)", "'120' is not a percentage"),
        ("tap(-1)", "'-1' is not a number"),
        ("tap(5", "closing parenthesis"),
        ("swipe(3, \"sideways\", \"long\")", "'sideways' is not a valid direction"),
        ("swipe(3, \"up\", \"far\")", "'far' is not a valid distance"),
        ("back(1)", "back takes no arguments"),
        ("drag_path(3, \"1,2 3\")", "odd number"),
        ("drag_path(3, \"1,2\")", "at least two"),
        ("dialog(\"maybe\")", "accept or dismiss"),
        ("wait(60)", "0 to 10"),
        ("tap_at(3)", "x and y in percent"),
        ("tap_at(3, 120, 5)", "'120' is not a percentage"),
        ("tap(99999999999)", "is not a"),
    ] {
        let error = read(action).0.unwrap_err();
        assert!(error.contains(reason), "{action}: {error}");
        assert!(!error.ends_with('.'), "{error}");
    }
}

#[test]
fn parts_in_other_forms_are_found() {
    for whole in [
        "**Observation:** a form\n**Thought:** go on\n**Action:** tap(5)\n**Summary:** did it",
        "### Observation\na form\n### Thought\ngo on\n### Action\ntap(5)\n### Summary\ndid it",
        "observation:\na form\n\nthought:\ngo on\n\nACTION:\n`tap(5)`\n\nSUMMARY:\ndid it\n\n",
        "1. Observation: a form\n2. Thought: go on\n3. Action: tap(5)\n4. Summary: did it",
        "```\nObservation: a form\nThought: go on\nAction: tap(5)\nSummary: did it\n```",
        "<think>Action: tap(9)\n</think>\nObservation : a form\r\nThought : go on\r\nAction : tap(5)\r\nSummary : did it\r\n",
    ] {
        let parsed = parse(whole, PictureForm::Elements);
        assert_eq!(parsed.call, Ok(tap(5)), "{whole}");
        assert_eq!(parsed.observation.as_deref(), Some("a form"), "{whole}");
        assert_eq!(parsed.thought.as_deref(), Some("go on"), "{whole}");
        assert_eq!(parsed.summary.as_deref(), Some("did it"), "{whole}");
        assert!(!parsed.repairs.is_empty(), "{whole}");
    }
}

#[test]
fn missing_parts_are_forgiven_and_told() {
    let parsed = parse("Thought: go on\nAction: tap(5)", PictureForm::Elements);
    assert_eq!((parsed.call, parsed.summary), (Ok(tap(5)), None));
    assert_eq!(parsed.repairs, ["no Observation", "no Summary"]);
    let parsed = parse("Observation: x Thought: y Action: tap(5) Summary: all of it", PictureForm::Elements);
    assert_eq!((parsed.call, parsed.summary.as_deref()), (Ok(tap(5)), Some("all of it")));
    let parsed = parse("I think we should go on. Action: tap(5)", PictureForm::Elements);
    assert_eq!(parsed.call, Ok(tap(5)));
    for bare in ["tap(5)", "`tap(5)`", "```\ntap(5)\n```", "Let me open it.\n\ntap(5)"] {
        assert_eq!(parse(bare, PictureForm::Elements).call, Ok(tap(5)), "{bare}");
    }
    assert_eq!(parse("FINISH", PictureForm::Elements).call, Ok(FunctionCall::Finish));
    assert_eq!(parse("   ", PictureForm::Elements).call, Err("the reply is empty".into()));
    assert_eq!(parse("Hello!", PictureForm::Elements).call, Err("the reply has no Action part".into()));
}

#[test]
fn a_grid_has_its_own_calls() {
    let area = |action: &str| parse(&reply(action), PictureForm::Areas).call;
    let at = |area, part| CallTarget::Area(Spot { area, part });
    for (written, tool, target) in [
        ("tap(17, \"top-left\")", Tool::Tap, at(17, Subarea::TopLeft)),
        ("long_press(area=3, subarea='Center')", Tool::LongPress, at(3, Subarea::Center)),
        ("right_tap(4)", Tool::RightTap, at(4, Subarea::Center)),
        ("double_tap(4, \"right\")", Tool::DoubleTap, at(4, Subarea::Right)),
        ("hover(4, \"top\")", Tool::Hover, at(4, Subarea::Top)),
    ] {
        assert_eq!(area(written), Ok(FunctionCall::Tool(ToolCall::aimed(tool, target))), "{written}");
    }
    let drawn = ToolCall::aimed(Tool::Drag, at(1, Subarea::Center))
        .with("to", Arg::Target(at(9, Subarea::BottomRight)));
    assert_eq!(area("swipe(1, \"center\", 9, \"bottom right\")"), Ok(FunctionCall::Tool(drawn.clone())));
    assert_eq!(area("drag(1, \"center\", 9, \"bottom right\")"), Ok(FunctionCall::Tool(drawn)));
    assert_eq!(area("grid()"), Ok(FunctionCall::Grid { area: None }));
    assert_eq!(area("grid(17)"), Ok(FunctionCall::Grid { area: Some(17) }));
    assert!(read("grid(17)").0.unwrap_err().contains("no arguments"));
    assert!(area("tap(17, \"nowhere\")").unwrap_err().contains("not a part"));
}

#[test]
fn a_megabyte_is_read_in_no_time() {
    let start = Instant::now();
    let units =
        "a~\n~Action: ~Action: text(\"~Action: tap(~\"~(~[~<~**~Summary: \n~\\~\\u{~text(a,~- Action: \n";
    for unit in units.split('~') {
        let big = unit.repeat(1_000_000 / unit.len());
        let _ = parse(&big, PictureForm::Elements);
        let _ = parse(&format!("Action: text(\"{big}"), PictureForm::Elements);
        let _ = parse(&reply(&big), PictureForm::Areas);
    }
    // About 45 MB; a reader that is not linear takes minutes.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

fn percent() -> impl Strategy<Value = f64> {
    (0..=1_000_000_u32).prop_map(|n| f64::from(n) / 10_000.0)
}

fn place() -> impl Strategy<Value = Percent> {
    (percent(), percent()).prop_map(|(x, y)| [x, y])
}

const PIECES: &str =
    "\"~'~\\~\n~)~(~,~=~`~```~**~FINISH~\nAction: tap(1)~\nSummary: x~\")~“~\\u{41}~\\n~</think";

fn words() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        "[a-z ]{1,8}",
        prop::sample::select(PIECES.split('~').collect::<Vec<_>>()).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..10).prop_map(|v| v.concat())
}

/// Texts whose ends are not white space.
fn word() -> impl Strategy<Value = String> {
    words().prop_map(|w| format!("x{w}x"))
}

fn target(kind: ParamKind, form: PictureForm) -> BoxedStrategy<CallTarget> {
    let element = |at: BoxedStrategy<Option<Percent>>| {
        (any::<u32>(), at).prop_map(|(n, at)| CallTarget::Element { tag: Tag(n), at }).boxed()
    };
    match kind {
        kind if kind.takes_area() && form == PictureForm::Areas => {
            (any::<u32>(), prop::sample::select(PARTS.to_vec()))
                .prop_map(|(area, part)| CallTarget::Area(Spot { area, part }))
                .boxed()
        }
        ParamKind::Place => element(prop::option::of(place()).boxed()),
        ParamKind::PlaceWithin => element(place().prop_map(Some).boxed()),
        _ => element(Just(None).boxed()),
    }
}

fn arg(param: &Param, form: PictureForm) -> BoxedStrategy<Arg> {
    use prop::sample::select;
    match param.kind {
        kind if kind.is_target() => target(kind, form).prop_map(Arg::Target).boxed(),
        ParamKind::Text | ParamKind::Words | ParamKind::Object => words().prop_map(Arg::Text).boxed(),
        ParamKind::Name => words().prop_map(|w| Arg::Text(w.trim().to_owned())).boxed(),
        ParamKind::Keys | ParamKind::Address => word().prop_map(Arg::Text).boxed(),
        ParamKind::Files => prop::collection::vec(words(), 1..4).prop_map(Arg::Files).boxed(),
        ParamKind::Path => prop::collection::vec(place(), 2..6).prop_map(Arg::Path).boxed(),
        ParamKind::Whole(min, max) => (min..=max).prop_map(Arg::Number).boxed(),
        ParamKind::Tab | ParamKind::Window => (1..=10_000_u32).prop_map(Arg::Number).boxed(),
        ParamKind::Seconds => (0..=10_000_u64).prop_map(Arg::Millis).boxed(),
        ParamKind::Modifiers => prop::array::uniform4(any::<bool>())
            .prop_map(|[ctrl, alt, shift, meta]| Arg::Modifiers(Modifiers { ctrl, alt, shift, meta }))
            .boxed(),
        kind => {
            let words = kind.words().expect("a kind of parameter without values");
            select(words).prop_map(move |word| kind.read_word(word).unwrap()).boxed()
        }
    }
}

fn tool(form: PictureForm) -> impl Strategy<Value = FunctionCall> {
    let offered = |tool: &Tool| {
        let areas = |p: &Param| !p.kind.is_target() || p.kind.takes_area();
        !crate::appagent::catalogue::is_hidden(*tool)
            && (form == PictureForm::Elements || tool.spec().params.iter().all(areas))
    };
    let tools: Vec<Tool> = Tool::ALL.iter().copied().filter(offered).collect();
    prop::sample::select(tools).prop_flat_map(move |tool| {
        let mut all = Just(ToolCall::new(tool)).boxed();
        for (place, param) in tool.spec().params.iter().enumerate().filter(|(_, param)| !param.seldom) {
            let given = if param.optional {
                prop::option::of(arg(param, form)).boxed()
            } else {
                arg(param, form).prop_map(Some).boxed()
            };
            all = (all, given)
                .prop_map(move |(mut call, arg)| {
                    call.set(place, arg);
                    call
                })
                .boxed();
        }
        all.prop_map(FunctionCall::Tool)
    })
}

fn call() -> impl Strategy<Value = (FunctionCall, PictureForm)> {
    let own = prop_oneof![
        words().prop_map(|text| FunctionCall::Answer { text }),
        words().prop_map(|reason| FunctionCall::Infeasible { reason }),
        Just(FunctionCall::Grid { area: None }),
        Just(FunctionCall::Finish),
    ];
    prop_oneof![
        8 => tool(PictureForm::Elements).prop_map(|call| (call, PictureForm::Elements)),
        1 => own.prop_map(|call| (call, PictureForm::Elements)),
        3 => tool(PictureForm::Areas).prop_map(|call| (call, PictureForm::Areas)),
    ]
}

proptest! {
    #[test]
    fn a_call_reads_back_as_it_was_written((call, form) in call()) {
        let written = call.to_string();
        prop_assert_eq!(parse_call(&written, form), Ok(call.clone()));
        let whole = format!("Observation: o\nThought: t\nAction: {written}\nSummary: s");
        let parsed = parse(&whole, form);
        prop_assert_eq!(parsed.call, Ok(call));
        prop_assert_eq!(parsed.repairs, Vec::<String>::new());
        prop_assert_eq!(parsed.summary.as_deref(), Some("s"));
    }

    #[test]
    fn reading_never_panics(text in any::<String>(), more in words(), name in prop::sample::select(vec![
        "tap", "text", "swipe", "drag_path", "select", "upload", "scroll", "answer", "dialog",
    ])) {
        let calls = [format!("{name}({more}"), format!("{name}({more})"), format!("{name}(3, {text})")];
        for form in [PictureForm::Elements, PictureForm::Areas] {
            for whole in calls.iter().map(|call| reply(call)).chain([text.clone(), more.clone()]) {
                let _ = parse(&whole, form);
            }
        }
    }
}

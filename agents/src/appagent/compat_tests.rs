use proptest::prelude::*;

use super::*;
use crate::appagent::testing::{device, phone, view};

fn whole(action: &str) -> String {
    format!("Observation: o\nThought: t\nAction: {action}\nSummary: s")
}

fn read(action: &str) -> CompatReply {
    parse_elements(&whole(action))
}

fn act(act: Act) -> CompatReply {
    CompatReply::Act(act, "s".into())
}

fn typed(text: &str) -> CompatReply {
    act(Act::Text { text: text.into() })
}

#[test]
fn each_row_of_the_table_holds() {
    assert_eq!(read("tap(5)"), act(Act::Tap { area: 5 }));
    for bad in ["tap(\"5\")", "Tap(5)", "`tap(5)`", " tap(5)", "tap(element=5)", "swipe(21,\"up\")"] {
        assert_eq!(read(bad), CompatReply::Error, "{bad}");
    }
    assert_eq!(read("text(\"Hello (world)\")"), typed("Hello (worl"));
    assert_eq!(read(r#"text("a\"b")"#), typed(r#"a\"b"#));
    assert_eq!(read("text('hi')"), typed("hi"));
    assert_eq!(read("text(\"FINISH it\")"), CompatReply::Finish);
    assert_eq!(read("tap(99)"), act(Act::Tap { area: 99 }));
    assert_eq!(parse_elements("Observation: o\nThought: t\nAction: tap(5)"), CompatReply::Error);
    assert_eq!(parse_elements("Observation:\no\nThought: t\nAction: tap(5)\nSummary: s"), CompatReply::Error);
    let long = parse_elements(&format!("{}\nand more", whole("tap(5)")));
    assert_eq!(long, act(Act::Tap { area: 5 }));
}

#[test]
fn the_rest_reads_as_python_does() {
    let swipe = Act::Swipe { area: 21, direction: "up".into(), distance: "long".into() };
    for (action, reply) in [
        ("tap( 1_0 ) now", act(Act::Tap { area: 10 })),
        ("tap(-1)", act(Act::Tap { area: -1 })),
        ("text()", typed("")),
        ("grid()", CompatReply::Grid),
        ("grid", CompatReply::Grid),
        ("tap(5", CompatReply::Error),
        ("back()", CompatReply::Error),
        ("nothing left, FINISHED", CompatReply::Finish),
        ("swipe(21, \"up\", 'long')", act(swipe)),
        ("swipe(21, \"up\", \"long\", 4)", CompatReply::Error),
    ] {
        assert_eq!(read(action), reply, "{action}");
    }
    // The name of a part may stand anywhere in a line.
    let odd = parse_elements("**Observation: o\n-Thought: t\n> Action: tap(5)\n(Summary: s)");
    assert_eq!(odd, CompatReply::Act(Act::Tap { area: 5 }, "s)".into()));
    let area = |action: &str| parse_areas(&whole(action));
    assert_eq!(area("tap(3, \"top-left\")"), act(Act::TapGrid { area: 3, part: "top-left".into() }));
    assert_eq!(area("tap(3)"), CompatReply::Error);
    let swipe = Act::SwipeGrid { from: 1, from_part: "center".into(), to: 2, to_part: "top".into() };
    assert_eq!(area("swipe(1, \"center\", 2, \"top\")"), act(swipe));
}

fn point(act: &Act, grid: Option<&Grid>) -> Option<Point<Physical>> {
    match ground(act, &view(), &device(), grid)? {
        Choice::Act { action } => action.point(),
        _ => None,
    }
}

#[test]
fn numbers_index_as_in_python() {
    assert_eq!(point(&Act::Tap { area: 1 }, None), Some(Point::new(110.0, 35.0)));
    // 0 is the last element.
    assert_eq!(point(&Act::Tap { area: 0 }, None), point(&Act::Tap { area: 7 }, None));
    assert_eq!(point(&Act::Tap { area: 8 }, None), None);
    assert_eq!(ground(&Act::Tap { area: i64::MIN }, &view(), &device(), None), None);
}

#[test]
fn swipes_have_appagents_lengths() {
    let swipe = |direction: &str, distance: &str, device| {
        let act = Act::Swipe { area: 1, direction: direction.into(), distance: distance.into() };
        ground(&act, &view(), &device, None)
    };
    let dragged =
        |x, y| Some(Choice::Act { action: Action::drag(vec![Point::new(110.0, 35.0), Point::new(x, y)]) });
    assert_eq!(swipe("down", "medium", phone()), dragged(110.0, 35.0 + 288.0));
    assert_eq!(swipe("left", "odd", phone()), dragged(110.0 - 72.0, 35.0));
    assert_eq!(swipe("Up", "short", phone()), None);
    assert!(matches!(
        swipe("up", "long", device()),
        Some(Choice::Act { action: Action::Scroll { by: ScrollNotches { right: 0, down: 9 }, .. } })
    ));
}

#[test]
fn a_grid_swipe_starts_at_the_wrong_height() {
    let grid = Grid::for_size(720, 480);
    let act = Act::SwipeGrid { from: 2, from_part: "center".into(), to: 1, to_part: "odd".into() };
    let Some(Choice::Act { action: Action::Drag { path, .. } }) =
        ground(&act, &view(), &device(), Some(&grid))
    else {
        panic!("no drag");
    };
    assert_eq!(path[0].x, path[0].y);
    assert_eq!(Some(path[1]), grid.point(1, Subarea::Center));
    let beside = Act::TapGrid { area: 0, part: "center".into() };
    assert!(matches!(ground(&beside, &view(), &device(), Some(&grid)), Some(Choice::Pass { .. })));
}

proptest! {
    #[test]
    fn reading_never_panics(text in any::<String>()) {
        let _ = parse_elements(&text);
        for name in ["tap", "text", "swipe", "long_press"] {
            let _ = parse_elements(&whole(&format!("{name}({text}")));
            let _ = parse_areas(&whole(&format!("{name}({text})")));
        }
    }
}

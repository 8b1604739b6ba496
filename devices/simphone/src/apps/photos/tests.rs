use super::*;
use crate::apps::drive::AppDriver;
use crate::ui::geometry::Rect;

fn opened() -> (AppDriver, Rect) {
    let mut d = AppDriver::of(PACKAGE);
    d.tap_nth("tile", 0);
    let canvas = d.rect_of("picture");
    (d, canvas)
}

fn row(d: &AppDriver) -> ProviderRow {
    d.rows("content://photos/pictures", "")
        .into_iter()
        .find(|r| r.int("zoom") != Some(1_000))
        .unwrap_or_default()
}

/// Two fingers about the middle of a canvas, one above the other: so far apart at first and at last, in pixels.
fn pinch(d: &mut AppDriver, at: Rect, from: i32, to: i32) {
    d.w.tick(d.w.now_ms + 700);
    let now = d.w.now_ms;
    let (x, y) = at.centre();
    let place = |finger: u32, span: i32| if finger == 0 { y - span / 2 } else { y + span / 2 };
    for finger in [0, 1] {
        d.w.touch(TouchPhase::Down, finger, x, place(finger, from), now);
    }
    for step in 1..=10 {
        for finger in [0, 1] {
            d.w.touch(TouchPhase::Move, finger, x, place(finger, from + (to - from) * step / 10), now + 10);
        }
    }
    for finger in [0, 1] {
        d.w.touch(TouchPhase::Up, finger, x, place(finger, to), now + 20);
    }
}

#[test]
fn two_fingers_bring_a_picture_nearer_and_away_again() {
    let (mut d, canvas) = opened();
    pinch(&mut d, canvas, 320, 960);
    let near = row(&d).int("zoom").unwrap();
    // What the fingers part before it is a pinch does not count.
    assert!((2_200..=3_000).contains(&near), "{near}");
    pinch(&mut d, canvas, 960, 480);
    let away = row(&d).int("zoom").unwrap();
    assert!((near * 4 / 10..near * 7 / 10).contains(&away), "{away} of {near}");
    d.again();
    assert_eq!(row(&d).int("zoom"), Some(away), "it is kept");
}

#[test]
fn fingers_too_near_each_other_and_a_third_one_are_no_pinch() {
    let (mut d, canvas) = opened();
    pinch(&mut d, canvas, 40, 200);
    assert!(row(&d).0.is_empty(), "less than 27 mm apart");
    let (x, y) = canvas.centre();
    let now = d.w.now_ms;
    for (finger, dy) in [(0, -300), (1, 300), (2, 0)] {
        d.w.touch(TouchPhase::Down, finger, x, y + dy, now);
    }
    d.w.touch(TouchPhase::Move, 1, x, y + 500, now + 10);
    for finger in [2, 1, 0] {
        d.w.touch(TouchPhase::Up, finger, x, y, now + 20);
    }
    assert!(row(&d).0.is_empty());
    // The next finger is a finger again.
    d.press(canvas, 20);
    assert!(d.texts_of_class("android.widget.TextView").iter().any(|t| t.starts_with("Taken on")));
}

#[test]
fn tools_have_no_names_and_what_they_did_can_be_undone() {
    let (mut d, _) = opened();
    let marks = ["favourite", "archived", "mono", "locked", "reminder", "place", "wallpaper"];
    for (n, mark) in marks.iter().enumerate() {
        let (tool, undo) = (format!("tool_{}", n + 1), format!("undo_{}", n + 1));
        let full = d.id(&tool);
        let node = d.nodes("resource-id", &full).remove(0);
        assert!(node.contains(" text=\"\"") && node.contains(" content-desc=\"\""), "{node}");
        assert!(d.texts(&undo).is_empty());
        d.tap(&tool);
        assert!(d.rows("content://photos/pictures", &format!("{mark}=1")).len() == 1, "{mark}");
        d.tap(&undo);
        assert!(d.rows("content://photos/pictures", &format!("{mark}=1")).is_empty(), "{mark}");
    }
    d.tap("tool_8");
    assert_eq!(d.rows("content://photos/pictures", "turned=1").len(), 1);
    d.tap_text("Turn it back");
    assert_eq!(d.rows("content://photos/pictures", "turned=0").len(), contents::list("pictures").len());
}

#[test]
fn a_picture_is_kept_within_its_edges() {
    let mut d = AppDriver::of(PACKAGE);
    let mut picture = Photos::fresh(&mut Seed::of(1, PACKAGE, 0)).pictures.remove(0);
    picture.bring(4_000, (0, 1_000));
    assert_eq!((picture.zoom, picture.middle), (4_000, (125, 875)), "the corner stays in the corner");
    picture.bring(100_000, (500, 500));
    assert_eq!(picture.zoom, NEAREST);
    picture.bring(1, (500, 500));
    assert_eq!((picture.zoom, picture.middle), (WHOLE, (500, 500)));
    assert!(d.xml().contains("Photos"));
}

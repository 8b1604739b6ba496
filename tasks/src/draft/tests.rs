use serde_json::json;

use super::*;
use crate::suite::Suite;
use waldo_devices::Platform;

#[test]
fn what_was_on_a_screen_is_no_template() {
    assert_eq!(plain("a {{ b }} {% c"), "a {{ '{' }}{ b }} {{ '{' }}% c");
    assert_eq!(plain("{ }"), "{ }");
    assert_eq!(id_of("Book a room, for 2!"), "book-a-room-for-2");
    assert_eq!(id_of("\u{4f60}\u{597d}"), "demonstrated");
}

#[test]
fn a_task_goes_into_a_new_suite_and_the_next_to_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let pages = dir.path().join("pages");
    std::fs::create_dir_all(&pages).unwrap();
    std::fs::write(pages.join("index.html"), "<title>x</title>").unwrap();
    let path = dir.path().join("my-suite");
    let from = StartPage::Plain { start: "/".into(), apps: Vec::new(), setup: Vec::new() };
    let entry = |value: Value| value.as_object().cloned().unwrap();
    let steps = [entry(json!({ "do": "tap", "role": "button", "name": "Save {{ '{' }}{ it }}" }))];
    let checks = [entry(json!({ "kind": "state", "pointer": "/a", "equals": { "b": [1] } }))];
    let weak = [entry(json!({ "kind": "text", "contains": "Saved" }))];
    let left = ["step 2: name an element".to_owned()];
    let one = Folder::new(&path, ("one", "Save {{ it }}"), Platform::Web, &from, Some(&pages)).unwrap();
    assert!(one.has_page("/") && one.has_page("/?a=1") && !one.has_page("/b/"));
    one.write(&steps, &checks, &weak, &left).unwrap();
    let suite = Suite::open(&path).unwrap();
    let drawn = suite.task("one").unwrap().instance(1, &Default::default()).unwrap();
    assert_eq!(drawn.goal, "Save {{ it }}");
    assert_eq!(drawn.reference[0].name.as_deref(), Some("Save {{ it }}"));
    assert_eq!(drawn.checks[0].what, "state /a equals {\"b\":[1]}");
    let text = std::fs::read_to_string(one.file()).unwrap();
    assert!(text.contains("# to do: step 2") && text.contains("# contains = \"Saved\""), "{text}");
    // Its order is edited in place.
    let file = path.join("suite.toml");
    let laid = std::fs::read_to_string(&file)
        .unwrap()
        .replace("order = [\"one\"]", "order = [ # all\n    \"one\",\n]");
    std::fs::write(&file, laid).unwrap();
    let again = Folder::new(&path, ("one", "x"), Platform::Web, &from, None).unwrap_err().to_string();
    assert!(again.contains("give --id"), "{again}");
    let two = Folder::new(&path, ("two", "Save"), Platform::Web, &from, Some(&pages)).unwrap();
    two.write(&steps, &checks, &[], &[]).unwrap();
    let ids: Vec<String> = Suite::open(&path).unwrap().tasks.into_iter().map(|task| task.id).collect();
    assert_eq!(ids, ["one", "two"]);
    assert!(std::fs::read_to_string(&file).unwrap().contains("# all"));
    let desk = Folder::new(&path, ("three", "Save"), Platform::Desktop, &from, None).unwrap_err();
    assert!(desk.to_string().contains("played on web"), "{desk}");
}

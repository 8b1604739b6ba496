//! GTK programs: lists of objects, menus in popups, forms, what covers what.

use super::support::*;
use waldo_desktop::AccessReading;
use waldo_devices::{Affordance, Rect};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_editor_has_menus_and_a_text_that_can_be_set() {
    let (mut desk, reader) = Desk::with(&["mousepad"]).await;
    desk.run("mousepad", &[]);
    let seen = until(&reader, "the editor", |r| has(r, "menuitem", "Help")).await;
    is_sound(&seen);
    let client = window_of(&reader, "Mousepad").client;
    for name in ["File", "Edit", "Search", "View", "Document", "Help"] {
        let menu = get(&seen, "menuitem", name);
        assert!(client.contains(menu.hit) && menu.bounds.y < client.y + 30.0, "{menu:?} in {client:?}");
    }
    let page = seen.elements.iter().find(|e| e.can(Affordance::Edit)).expect("a text");
    assert!(page.bounds.area() > client.area() * 0.6, "{page:?} in {client:?}");
    let text = "Grüße, 世界\nsecond line";
    assert!(reader.set_text(&page.handle, text, soon()).await.unwrap());
    let after = reader.read(CAP, soon()).await.unwrap();
    let same = after.elements.iter().find(|e| e.handle == page.handle).expect("the handle stays");
    assert_eq!(same.value.as_deref(), Some("Grüße, 世界 second line"));
    assert_eq!(same.uid, page.uid);
    assert_eq!(reader.value(&page.handle, 1000, soon()).await.unwrap().as_deref(), Some(text));
    let menu = get(&seen, "menuitem", "File").handle.clone();
    assert!(!reader.set_text(&menu, "x", soon()).await.unwrap(), "a menu takes no text");

    // The popup's items are told, and what lies under the popup is not.
    assert!(reader.do_action(&menu, soon()).await.unwrap());
    let open = until(&reader, "the menu", |r| has(r, "menuitem", "Quit")).await;
    is_sound(&open);
    let popup = reader.windows().unwrap().pop().unwrap().frame;
    for name in ["New", "Open...", "Save As...", "Quit"] {
        let item = get(&open, "menuitem", name);
        assert!(popup.contains(item.hit), "{item:?} in {popup:?}");
    }
    let page = open.elements.iter().find(|e| e.can(Affordance::Edit)).expect("most of it can still be seen");
    assert!(!popup.contains(page.hit), "{page:?} under {popup:?}");
}

/// The entries of its menus never say that they are drawn.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_of_gtk_2_tells_the_entries_of_the_open_menu_alone() {
    let (mut desk, reader) = Desk::with(&["gtk-demo"]).await;
    desk.run("gtk-demo", &[]);
    let demo = |r: &AccessReading| has(r, "cell", "Application main window");
    let seen = until(&reader, "the list of demonstrations", demo).await;
    let demo = &get(&seen, "cell", "Application main window").handle;
    assert!(reader.do_action(demo, soon()).await.unwrap());
    let seen = until(&reader, "the demonstration", |r| has(r, "menuitem", "File")).await;
    assert!(!has(&seen, "menuitem", "Quit") && !has(&seen, "menuitem", "Color"), "{:#?}", list(&seen));
    assert!(reader.do_action(&get(&seen, "menuitem", "File").handle, soon()).await.unwrap());
    let open = until(&reader, "the menu", |r| has(r, "menuitem", "Quit")).await;
    let popup = reader.windows().unwrap().pop().unwrap().frame;
    for name in ["New", "Open", "Save As...", "Quit"] {
        assert!(popup.contains(get(&open, "menuitem", name).hit), "{name} in {popup:?}");
    }
    assert!(!has(&open, "menuitem", "Color"), "{:#?}", list(&open));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_has_labelled_fields_and_hides_its_secret() {
    let (mut desk, reader) = Desk::with(&["zenity"]).await;
    let form = ["--forms", "--title=Form", "--text=Data", "--add-entry=Name", "--add-password=Secret"];
    desk.run("zenity", &[&form[..], &["--add-combo=Kind", "--combo-values=apple|pear"]].concat());
    let focused = |r: &AccessReading| has(r, "textbox", "Name") && get(r, "textbox", "Name").states.focused;
    let seen = until(&reader, "the form", |r| has(r, "button", "OK") && focused(r)).await;
    is_sound(&seen);
    let name = get(&seen, "textbox", "Name");
    let secret = get(&seen, "textbox", "Secret");
    assert!(has(&seen, "combobox", "Kind") && has(&seen, "text", "Data") && has(&seen, "button", "Cancel"));
    assert!(!secret.states.focused);
    assert!(reader.set_text(&name.handle, "Ann", soon()).await.unwrap());
    assert!(reader.set_text(&secret.handle, "hunter2", soon()).await.unwrap());
    let seen = reader.read(CAP, soon()).await.unwrap();
    assert_eq!(get(&seen, "textbox", "Name").value.as_deref(), Some("Ann"));
    assert_eq!(get(&seen, "textbox", "Secret").value.as_deref(), Some("•••••••"));
    // Its toolkit calls it by what is chosen in it, which is a value and no name.
    let kind = get(&seen, "combobox", "Kind").clone();
    assert!(reader.do_action(&kind.handle, soon()).await.unwrap());
    let open = until(&reader, "the options", |r| has(r, "menuitem", "pear")).await;
    assert!(reader.do_action(&get(&open, "menuitem", "pear").handle, soon()).await.unwrap());
    let chosen = |r: &AccessReading| {
        has(r, "combobox", "Kind") && get(r, "combobox", "Kind").value.as_deref() == Some("pear")
    };
    let seen = until(&reader, "the choice", chosen).await;
    assert_eq!(get(&seen, "combobox", "Kind").uid, kind.uid);
    let client = window_of(&reader, "Form").client;
    assert!(seen.elements.iter().all(|e| client.contains(e.hit)), "{:#?} in {client:?}", list(&seen));
}

/// Its toolkit never says of anything in a window that it is drawn, and counts places from the window's corner.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_of_gtk_4_is_read_where_it_is_drawn() {
    let (mut desk, reader) = Desk::with(&["gtk4-widget-factory"]).await;
    desk.run("gtk4-widget-factory", &[]);
    let all =
        |r: &_| has(r, "link", "link button") && has(r, "checkbox", "checkbutton") && has(r, "tab", "Page 1");
    let seen = until(&reader, "the widgets", |r| all(r) && clickable(r) > 40).await;
    is_sound(&seen);
    let client = window_of(&reader, "Widget Factory").client;
    let link = get(&seen, "link", "link button").bounds;
    assert!(client.contains(link.center()) && link.x > client.x + 300.0, "{link:?} in {client:?}");
    assert!(!seen.elements.iter().any(|e| e.name.starts_with("Gtk")), "{:#?}", list(&seen));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_calculator_has_its_keys_where_they_are_drawn() {
    let (mut desk, reader) = Desk::with(&["galculator"]).await;
    desk.run("galculator", &[]);
    let seen = until(&reader, "the calculator", |r| clickable(r) > 25).await;
    is_sound(&seen);
    let client = window_of(&reader, "galculator").client;
    let keys: Vec<Rect<_>> = ["7", "8", "9", "4", "1", "0"].map(|n| get(&seen, "button", n).bounds).to_vec();
    assert!(keys.iter().all(|key| client.intersect(key).is_some_and(|part| part == *key)));
    assert!(keys[0].x < keys[1].x && keys[1].x < keys[2].x && (keys[0].y - keys[2].y).abs() < 2.0);
    assert!(keys[0].y < keys[3].y && keys[3].y < keys[4].y && keys[4].y < keys[5].y);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_told_of_what_another_window_covers() {
    let (mut desk, reader) = Desk::with(&["galculator", "zenity"]).await;
    desk.run("galculator", &[]);
    let bare = until(&reader, "the calculator", |r| clickable(r) > 25).await;
    let below = window_of(&reader, "galculator");
    desk.place(below.id, 300, 200);
    desk.run("zenity", &["--info", "--title=Cover", "--text=Above all", "--width=300", "--height=150"]);
    until(&reader, "the dialog", |r| has(r, "button", "OK")).await;
    let cover = window_of(&reader, "Cover");
    desk.place(cover.id, 280, 220);
    // Programs learn a little later than the server where their windows are.
    let own = |e: &waldo_devices::Element| e.uid.as_deref().is_some_and(|uid| uid.starts_with("zenity"));
    let seen = until(&reader, "the cover in its place", |r| {
        let frame = window_of(&reader, "Cover").frame;
        let inside = |e: &waldo_devices::Element| frame.contains(e.hit);
        // The windows are asked about after the elements: both have to be of the same moment.
        (frame.x - 280.0).abs() < 30.0
            && r.elements.iter().all(|e| own(e) == inside(e))
            && has(r, "button", "OK")
    })
    .await;
    is_sound(&seen);
    let others = seen.elements.iter().filter(|e| !own(e)).count();
    assert!(others > 0 && clickable(&seen) < clickable(&bare) - 5, "{:#?}", list(&seen));
    assert!(
        seen.elements[0].uid.as_deref().is_some_and(|uid| uid.starts_with("zenity")),
        "the top comes first"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spreadsheet_in_gtk_names_its_tools() {
    let (mut desk, reader) = Desk::with(&["gnumeric"]).await;
    desk.run("gnumeric", &[]);
    let seen = until(&reader, "the spreadsheet", |r| clickable(r) > 60).await;
    is_sound(&seen);
    for name in ["New", "Open", "Save", "Bold", "Italic"] {
        get(&seen, "button", name);
    }
    assert!(get(&seen, "button", "Bold").states.checked == Some(false));
    assert!(seen.elements.iter().any(|e| e.states.disabled), "undo has nothing to undo");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_is_read_by_its_visible_cells() {
    let (mut desk, reader) = Desk::with(&["zenity"]).await;
    let rows: Vec<String> = (0..1000).flat_map(|n| [format!("row {n}"), format!("value {n}")]).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let head = ["--list", "--title=Many", "--width=400", "--height=300", "--column=Name", "--column=Value"];
    desk.run("zenity", &[&head[..], &rows].concat());
    let seen = until(&reader, "the list", |r| has(r, "cell", "row 0") && has(r, "button", "OK")).await;
    is_sound(&seen);
    let (first, second) = (get(&seen, "cell", "row 0"), get(&seen, "cell", "value 1"));
    assert!(first.bounds.right() <= second.bounds.x + 2.0 && first.bounds.bottom() <= second.bounds.y + 2.0);
    assert!(!has(&seen, "cell", "row 500"), "out of view");
    assert!(has(&seen, "columnheader", "Name") || has(&seen, "button", "Name"), "{:#?}", list(&seen));
    let client = window_of(&reader, "Many").client;
    assert!(seen.elements.iter().all(|e| client.contains(e.hit)), "{:#?}", list(&seen));
}

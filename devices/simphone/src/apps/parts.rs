//! Small pieces that several apps share beside the kit: search bars, counts, sums of money, dates.

use super::{AppScreen, Sys, kit};
use crate::{
    clock::Civil,
    ui::{icon::Icon, message::Common, node::Node},
    world::stack::Activity,
};

/// A bar to search with: an arrow that ends it, and a field.
pub(crate) fn search_bar(hint: &str) -> Node {
    Node::row(vec![
        kit::icon_button("search_close", Icon::Back, "", Common::EndSearch),
        Node::field("search_src_text", hint).radius(26.0).margins(0.0, 0.0, 12.0, 0.0),
    ])
    .class("android.view.ViewGroup")
    .id("search_bar")
    .high(64.0)
    .pad(4.0, 0.0)
    .gap(4.0)
}

/// A screen of a bar and a body.
pub fn screen(bar: Node, body: Node) -> AppScreen {
    AppScreen::new(kit::page(bar, body, None))
}

/// The screen of something that is no longer there.
pub fn gone(icon: Icon, text: &str) -> AppScreen {
    screen(kit::up_bar("", vec![]), kit::nothing(icon, text))
}

/// Takes out of a list what is meant; tells whether anything was.
pub fn remove<T>(from: &mut Vec<T>, meant: impl Fn(&T) -> bool) -> bool {
    let before = from.len();
    from.retain(|item| !meant(item));
    from.len() < before
}

/// A strip of chips that scrolls sideways.
pub(crate) fn chip_strip(id: &str, chips: Vec<Node>) -> Node {
    Node::strip(id, chips).gap(8.0).pad(16.0, 6.0)
}

/// `1 note`, `2 notes`.
pub fn count(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// `$24.90`.
pub fn money(cents: i64) -> String {
    format!("${}.{:02}", cents / 100, cents % 100)
}

/// `3:07`.
pub(crate) fn minutes(seconds: i64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// `Mon, Mar 2, 09:05`.
pub fn moment(unix: i64) -> String {
    let c = Civil::of(unix);
    format!("{}, {}", c.short(), c.clock24())
}

/// The name typed for something new, or for something that is renamed; nothing where it will not do, after saying why.
pub(crate) fn new_name(
    at: &Activity,
    field: &str,
    kind: &str,
    taken: impl Fn(&str) -> bool,
    sys: &mut Sys<'_>,
) -> Option<String> {
    let name = at.typed(field);
    if name.is_empty() {
        sys.toast("Enter a name");
    } else if taken(&name) {
        sys.toast(format!("There is already a {kind} {name}"));
    } else if sys.storage_full() {
        sys.toast(FULL);
    } else {
        return Some(name);
    }
    None
}

/// What an app says when it cannot keep anything more.
pub(crate) const FULL: &str = "Not saved: storage is full";

//! Small pieces that several apps share beside the kit: sheets of actions, search bars, sums of money, dates.

use crate::{
    clock::Civil,
    ui::{
        icon::Icon,
        node::{Len, Node},
        theme::Tone,
    },
    world::stack::Activity,
};

/// A sheet's contents: a title, and a line for each action (sign, label, action).
#[must_use]
pub fn sheet(title: &str, lines: &[(Icon, &str, &str)]) -> Node {
    let mut all = vec![
        Node::text(title).id("sheet_title").sp(15.0).bold().lines(1).tone(Tone::Muted).fill().pad(24.0, 12.0),
    ];
    all.extend(lines.iter().map(|(icon, label, on)| {
        Node::row(vec![
            Node::icon(*icon, 24.0).tone(Tone::Muted),
            Node::text(*label).id("title").sp(16.5).lines(1).fill(),
        ])
        .gap(20.0)
        .pad(24.0, 0.0)
        .h(Len::Dp(54.0))
        .tap(*on)
    }));
    Node::column(all).id("design_bottom_sheet").bg(Tone::Raised).radius(24.0).pad(0.0, 10.0)
}

/// A bar to search with: an arrow that ends it (`unsearch`), and a field that reports each change (`search`).
#[must_use]
pub fn search_bar(hint: &str) -> Node {
    Node::row(vec![
        super::kit::icon_button("search_close", Icon::Back, "", "unsearch"),
        Node::field("search_src_text", hint).radius(26.0).change("search").margins(0.0, 0.0, 12.0, 0.0),
    ])
    .class("android.view.ViewGroup")
    .id("search_bar")
    .h(Len::Dp(64.0))
    .pad(4.0, 0.0)
    .gap(4.0)
}

/// Whether a screen's search bar is open.
#[must_use]
pub fn searching(at: &Activity) -> bool {
    at.local("searching") == "1"
}

/// Opens a screen's search bar.
pub fn begin_search(at: &mut Activity) {
    at.set_local("searching", "1");
}

/// Closes a screen's search bar and forgets what was searched for.
pub fn end_search(at: &mut Activity) {
    at.set_local("searching", "");
    at.fields.remove("search_src_text");
    at.editing = None;
}

/// Takes out of a list what is meant; tells whether anything was.
pub fn remove<T>(from: &mut Vec<T>, meant: impl Fn(&T) -> bool) -> bool {
    let before = from.len();
    from.retain(|item| !meant(item));
    from.len() < before
}

/// A strip of chips that scrolls sideways.
#[must_use]
pub fn chip_strip(id: &str, chips: Vec<Node>) -> Node {
    Node::strip(id, chips).gap(8.0).pad(16.0, 6.0)
}

/// `$24.90`.
#[must_use]
pub fn money(cents: i64) -> String {
    format!("${}.{:02}", cents / 100, cents % 100)
}

/// `3:07`.
#[must_use]
pub fn minutes(seconds: i64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// `Mon, Mar 2, 09:05`.
#[must_use]
pub fn moment(unix: i64) -> String {
    let c = Civil::of(unix);
    format!("{}, {}", c.short(), c.clock24())
}

/// What an app says when it cannot keep anything more.
pub const FULL: &str = "Not saved: storage is full";

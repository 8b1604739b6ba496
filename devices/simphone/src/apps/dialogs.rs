//! What apps lay over their screens: menus, sheets of actions, questions, and the choice of one of several.

use super::{Overlay, kit};
use crate::ui::{icon::Icon, message::Common, node::Node, theme::Tone};

/// A dialog with one button that closes it.
pub(crate) fn notice(title: &str, body: Vec<Node>, close: (&str, &str)) -> Overlay {
    Overlay::Dialog(kit::dialog(title, body, &[(close.0, close.1, Common::Cancel)]))
}

/// A dialog that can be left by Cancel or carried out.
pub(crate) fn question(title: &str, body: Vec<Node>, yes: &str, on: impl Into<String>) -> Overlay {
    let buttons =
        [("android:id/button2", "Cancel", Common::Cancel.into()), ("android:id/button1", yes, on.into())];
    Overlay::Dialog(kit::dialog::<String>(title, body, &buttons))
}

/// A dialog that asks before it does something.
pub(crate) fn confirm(title: &str, text: &str, yes: &str, on: impl Into<String>) -> Overlay {
    question(title, vec![Node::label("android:id/message", text, 15.0).muted()], yes, on)
}

/// A dialog with a field, which Enter carries out too.
pub(crate) fn ask(title: &str, field: Node, yes: &str, on: impl Into<String>) -> Overlay {
    let on = on.into();
    question(title, vec![field.submit(on.clone())], yes, on)
}

/// A dialog that asks whether to give up what was typed.
pub(crate) fn discard(text: &str) -> Overlay {
    let text = Node::label("android:id/message", text, 16.0);
    let keep = ("android:id/button2", "Keep editing", Common::Cancel);
    Overlay::Dialog(kit::dialog("", vec![text], &[keep, ("android:id/button1", "Discard", Common::Discard)]))
}

/// A dialog to choose one of several.
pub(crate) fn choice(title: &str, options: impl IntoIterator<Item = Node>) -> Overlay {
    notice(title, options.into_iter().collect(), ("android:id/button2", "Cancel"))
}

/// One of several in a dialog.
pub(crate) fn option(label: &str, chosen: bool, on: impl Into<String>) -> Node {
    kit::radio("android:id/text1", chosen, label, on).pad(0.0, 0.0)
}

/// A list in a dialog, with a button for something new: shows seven rows of a height at most.
pub(crate) fn pick(title: &str, list: (&str, f32, Vec<Node>), new: (&str, &str, String)) -> Overlay {
    let (id, high, rows) = list;
    let shown = f32::from(u8::try_from(rows.len().min(7)).unwrap_or(7));
    let list = Node::scroll(id, rows).high(high * shown);
    let cancel = ("android:id/button2", "Cancel", Common::Cancel.into());
    Overlay::Dialog(kit::dialog(title, vec![list], &[new, cancel]))
}

/// A menu: label and action of each line.
pub(crate) fn menu<const N: usize>(items: [(&str, String); N]) -> Overlay {
    let lines = items.into_iter().map(|(label, on)| {
        Node::row(vec![Node::label("title", label, 16.0)]).pad(20.0, 0.0).high(50.0).tap(on)
    });
    Overlay::Menu(
        Node::column(lines.collect())
            .class("android.widget.ListView")
            .bg(Tone::Raised)
            .radius(10.0)
            .pad(0.0, 8.0)
            .wide(230.0),
    )
}

/// A sheet of actions: its title, and sign, label and action of each line.
pub(crate) fn sheet<'a>(title: &str, lines: impl IntoIterator<Item = (Icon, &'a str, String)>) -> Overlay {
    let mut all =
        vec![Node::label("sheet_title", title, 15.0).bold().lines(1).muted().fill().pad(24.0, 12.0)];
    all.extend(lines.into_iter().map(|(icon, label, on)| {
        Node::row(vec![Node::icon(icon, 24.0).muted(), Node::label("title", label, 16.5).lines(1).fill()])
            .gap(20.0)
            .pad(24.0, 0.0)
            .high(54.0)
            .tap(on)
    }));
    Overlay::Sheet(Node::column(all).id("design_bottom_sheet").bg(Tone::Raised).radius(24.0).pad(0.0, 10.0))
}

//! Ready-made pieces that the apps share: bars, buttons, rows, lists, dialogs.

use super::{
    icon::Icon,
    message::Common,
    node::{Align, Kind, Node},
    theme::{Tone, colour_of},
};

/// A round or square button of a side in dp, with a sign of a side in dp.
pub(crate) fn sign_button(id: &str, side: f32, icon: (Icon, f32, Tone), on: impl Into<String>) -> Node {
    Node::new(Kind::Stack, "android.widget.ImageButton")
        .dp(side, side)
        .id(id)
        .tap(on)
        .centred()
        .child(Node::mark(icon.0, icon.1, icon.2))
}

/// A button with nothing but a sign. Without a description, the tree says nothing of it but its id.
pub(crate) fn icon_button(id: &str, icon: Icon, desc: &str, on: impl Into<String>) -> Node {
    sign_button(id, 48.0, (icon, 24.0, Tone::OnSurface), on).desc(desc)
}

/// A button of a sign that is lit while something is on.
pub(crate) fn lit(button: Node, on: bool) -> Node {
    let button = button.selected_if(|| on);
    if on { button.bg(Tone::Tint).radius(24.0) } else { button }
}

/// The bar at the top of an app's first screen: a title, and buttons.
pub(crate) fn app_bar(title: &str, buttons: Vec<Node>) -> Node {
    let title = Node::text(title).sp(22.0).margins(16.0, 0.0, 4.0, 0.0);
    bar(title, buttons)
}

/// The bar at the top of a screen that is left by an arrow: a title, and buttons.
pub(crate) fn up_bar(title: &str, buttons: Vec<Node>) -> Node {
    let mut bar = bar(Node::text(title).sp(22.0).margins(4.0, 0.0, 4.0, 0.0), buttons);
    bar.children.insert(0, icon_button("navigate_up", Icon::Back, "Navigate up", Common::Up));
    bar
}

/// The bar at the top of an editor: the id of the sign that leaves it, a title, and id and action of saving.
pub(crate) fn editor_bar(leave: &str, title: &str, save: (&str, impl Into<String>)) -> Node {
    let title = Node::text(title).sp(20.0).margins(4.0, 0.0, 4.0, 0.0);
    let mut bar = bar(title, vec![button(save.0, "Save", save.1).margins(0.0, 0.0, 12.0, 0.0)]);
    bar.children.insert(0, icon_button(leave, Icon::Close, "Cancel", Common::Up));
    bar
}

fn bar(title: Node, buttons: Vec<Node>) -> Node {
    let mut row = vec![title.lines(1).fill()];
    row.extend(buttons);
    Node::row(row).class("android.view.ViewGroup").id("toolbar").high(64.0).pad(4.0, 0.0)
}

pub fn button(id: &str, text: &str, on: impl Into<String>) -> Node {
    Node::text(text)
        .class("android.widget.Button")
        .id(id)
        .tap(on)
        .sp(15.0)
        .bold()
        .tone(Tone::OnPrimary)
        .bg(Tone::Primary)
        .radius(22.0)
        .pad(24.0, 0.0)
        .high(44.0)
        .centred()
        .lines(1)
}

/// A filled button as wide as can be, below a form.
pub(crate) fn wide_button(id: &str, text: &str, on: impl Into<String>) -> Node {
    button(id, text, on).fill().high(50.0)
}

/// A button of lesser weight.
pub(crate) fn soft_button(id: &str, text: &str, on: impl Into<String>) -> Node {
    button(id, text, on).bg(Tone::Tint).tone(Tone::OnTint)
}

/// A button without ground, as in dialogs.
pub(crate) fn text_button(id: &str, text: &str, on: impl Into<String>) -> Node {
    let mut b = button(id, text, on).tone(Tone::Primary).pad(14.0, 0.0);
    b.bg = None;
    b
}

/// A round button over the lower right corner. Put it last in a stack aligned to its end.
pub(crate) fn fab(id: &str, icon: Icon, desc: &str, on: impl Into<String>) -> Node {
    sign_button(id, 60.0, (icon, 26.0, Tone::OnTint), on)
        .desc(desc)
        .margins(0.0, 0.0, 20.0, 20.0)
        .bg(Tone::Tint)
        .radius(18.0)
}

/// A screen: a bar, a body, and maybe a round button over the lower right corner.
pub fn page(bar: Node, body: Node, fab: Option<Node>) -> Node {
    Node::column(vec![bar, under(body, fab)]).tall()
}

/// A body, and maybe a round button over its lower right corner.
pub fn under(body: Node, fab: Option<Node>) -> Node {
    match fab {
        Some(fab) => Node::stack(vec![body, overlay_end(fab)]),
        None => body,
    }
}

/// Puts a widget into the lower right corner of a stack.
fn overlay_end(node: Node) -> Node {
    let mut place = Node::stack(vec![node]).main(Align::End).cross(Align::End);
    place.class = "android.widget.RelativeLayout";
    place
}

/// A disc with the first letter of a name.
pub fn avatar(name: &str, side: f32) -> Node {
    let letter: String = name.chars().next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    let mut text = Node::text(letter).sp(side * 0.44).bold().tone(Tone::WHITE).centred();
    text.class = "android.widget.TextView";
    text.dp(side, side).bg(colour_of(name)).radius(side / 2.0).lines(1)
}

/// A white sign of a side in dp in the middle of a ground, whose size and colour are the caller's.
pub(crate) fn plate(icon: Icon, side: f32) -> Node {
    Node::stack(vec![Node::mark(icon, side, Tone::WHITE)]).class("android.widget.ImageView").centred()
}

/// A sign on a round ground.
pub(crate) fn badge(icon: Icon, ground: Tone, side: f32) -> Node {
    plate(icon, side * 0.55).dp(side, side).bg(ground).radius(side / 2.0)
}

/// A row of a list: something in front, a title, maybe a line below, and something behind.
pub fn row(front: Option<Node>, title: &str, below: &str, behind: Option<Node>) -> Node {
    let mut texts = vec![Node::label("android:id/title", title, 16.5).lines(2)];
    if !below.is_empty() {
        texts.push(Node::label("android:id/summary", below, 14.0).muted().lines(2));
    }
    let mut children = vec![];
    children.extend(front);
    children.push(Node::column(texts).class("android.widget.RelativeLayout").gap(2.0));
    children.extend(behind);
    Node::row(children).gap(16.0).pad(20.0, 12.0)
}

/// A row that turns something on and off.
pub(crate) fn switch_row(
    front: Option<Node>,
    title: &str,
    below: &str,
    on: bool,
    action: impl Into<String>,
) -> Node {
    let switch = Node::new(Kind::Switch(on), "android.widget.Switch").id("android:id/switch_widget");
    row(front, title, below, Some(switch)).tap(action)
}

/// A switch on its own.
pub fn switch(id: &str, on: bool, desc: &str, action: impl Into<String>) -> Node {
    Node::new(Kind::Switch(on), "android.widget.Switch").id(id).desc(desc).tap(action)
}

/// A box to tick, with its label.
pub fn check(id: &str, on: bool, label: &str, action: impl Into<String>) -> Node {
    Node::new(Kind::Check(on), "android.widget.CheckBox").id(id).with_text(label).tap(action)
}

/// One of several, with its label.
pub fn radio(id: &str, on: bool, label: &str, action: impl Into<String>) -> Node {
    Node::new(Kind::Radio(on), "android.widget.RadioButton")
        .id(id)
        .with_text(label)
        .tap(action)
        .fill()
        .high(52.0)
        .pad(20.0, 0.0)
}

/// A small heading over a group of rows.
pub fn heading(text: &str) -> Node {
    Node::text(text).sp(14.0).bold().tone(Tone::Primary).pad(20.0, 10.0).fill()
}

/// What a list says when it holds nothing.
pub fn nothing(icon: Icon, text: &str) -> Node {
    Node::column(vec![
        Node::icon(icon, 64.0).tone(Tone::Line),
        Node::label("empty", text, 16.0).muted().main(Align::Centre),
    ])
    .tall()
    .gap(12.0)
    .centred()
}

/// A list, or what it says when it holds nothing.
pub fn list(id: &str, rows: Vec<Node>, empty: (Icon, &str)) -> Node {
    if rows.is_empty() { nothing(empty.0, empty.1) } else { Node::list(id, rows) }
}

/// A list under a round button, or what it says when it holds nothing. There is room below, so that the last row
/// can be scrolled out from under the button.
pub(crate) fn list_under_fab(id: &str, mut rows: Vec<Node>, room: f32, empty: (Icon, &str)) -> Node {
    if !rows.is_empty() {
        rows.push(Node::space(1.0, room));
    }
    list(id, rows, empty)
}

/// A card: its contents on a ground of their own.
pub fn card(children: Vec<Node>) -> Node {
    Node::column(children)
        .class("androidx.cardview.widget.CardView")
        .bg(Tone::Card)
        .radius(16.0)
        .pad(16.0, 14.0)
        .margin(16.0, 6.0)
        .gap(4.0)
}

/// A small pill, the chosen one filled.
pub fn chip(id: &str, text: &str, chosen: bool, on: impl Into<String>) -> Node {
    let c = Node::text(text)
        .class("android.widget.Button")
        .id(id)
        .sp(14.0)
        .pad(14.0, 0.0)
        .high(36.0)
        .radius(10.0)
        .centred()
        .lines(1)
        .tap(on)
        .selected_if(|| chosen);
    if chosen { c.bg(Tone::Tint).tone(Tone::OnTint) } else { c.border(Tone::Outline).muted() }
}

/// Tabs: label and action of each, and which is chosen.
pub fn tabs<M: Clone + Into<String>>(items: &[(&str, M)], chosen: usize) -> Node {
    let cells = items.iter().enumerate().map(|(i, (label, on))| {
        let mine = i == chosen;
        let tone = if mine { Tone::Primary } else { Tone::Muted };
        let mut bar = Node::space(0.0, 3.0).fill().class("android.view.View");
        if mine {
            bar = bar.bg(Tone::Primary).radius(1.5);
        }
        Node::column(vec![Node::text(*label).sp(15.0).bold().tone(tone).centred().fill().tall(), bar])
            .tap(on.clone())
            .desc(*label)
            .high(48.0)
            .selected_if(|| mine)
    });
    Node::row(cells.collect()).class("android.widget.HorizontalScrollView").id("tabs").bg(Tone::Surface)
}

/// Tabs with signs at the bottom: id, sign, label and action of each, and which is chosen.
pub(crate) fn bottom_bar<M: Clone + Into<String>>(items: &[(&str, Icon, &str, M)], chosen: usize) -> Node {
    let cells = items.iter().enumerate().map(|(i, (id, icon, label, on))| {
        let mine = i == chosen;
        let tone = if mine { Tone::Primary } else { Tone::Muted };
        Node::column(vec![
            Node::icon(*icon, 24.0).tone(tone),
            Node::text(*label).sp(12.5).tone(tone).lines(1),
        ])
        .id(id)
        .desc(*label)
        .tap(on.clone())
        .high(72.0)
        .gap(4.0)
        .centred()
        .selected_if(|| mine)
    });
    Node::row(cells.collect()).class("android.view.ViewGroup").id("bottom_bar").bg(Tone::Card)
}

/// A dialog's contents: a title, a body, and its buttons (id, label, action).
pub fn dialog<M: Clone + Into<String>>(title: &str, body: Vec<Node>, buttons: &[(&str, &str, M)]) -> Node {
    let mut children = vec![];
    if !title.is_empty() {
        children.push(Node::label("alertTitle", title, 22.0).margins(0.0, 0.0, 0.0, 12.0));
    }
    children.extend(body);
    let row = buttons.iter().map(|(id, label, on)| text_button(id, label, on.clone())).collect();
    children.push(Node::row(row).main(Align::End).margins(0.0, 16.0, 0.0, 0.0).id("buttonPanel"));
    Node::column(children).bg(Tone::Raised).radius(28.0).pad(24.0, 22.0)
}

impl Node {
    /// With one more child.
    pub fn child(mut self, child: Self) -> Self {
        self.children.push(child);
        self
    }
}

//! Ready-made pieces that the apps share: bars, rows, dialogs, menus.

use super::{
    icon::Icon,
    node::{Align, Kind, Len, Node},
    theme::{Tone, colour_of},
};

/// A button with nothing but a sign. Without a description, the tree says nothing of it but its id.
#[must_use]
pub fn icon_button(id: &str, icon: Icon, desc: &str, on: impl Into<String>) -> Node {
    Node::new(Kind::Stack, "android.widget.ImageButton")
        .size(Len::Dp(48.0), Len::Dp(48.0))
        .id(id)
        .desc(desc)
        .tap(on)
        .centred()
        .child(Node::icon(icon, 24.0).class("android.view.View").tone(Tone::OnSurface))
}

/// The bar at the top: an arrow back where `back` names its action, a title, and buttons.
#[must_use]
pub fn app_bar(title: &str, back: Option<&str>, buttons: Vec<Node>) -> Node {
    let mut row = vec![];
    if let Some(on) = back {
        row.push(icon_button("navigate_up", Icon::Back, "Navigate up", on));
    }
    row.push(Node::text(title).sp(22.0).lines(1).fill().margins(
        if back.is_some() { 4.0 } else { 16.0 },
        0.0,
        4.0,
        0.0,
    ));
    row.extend(buttons);
    Node::row(row).class("android.view.ViewGroup").id("toolbar").h(Len::Dp(64.0)).pad(4.0, 0.0)
}

/// A filled button.
#[must_use]
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
        .h(Len::Dp(44.0))
        .centred()
        .lines(1)
}

/// A button of lesser weight.
#[must_use]
pub fn soft_button(id: &str, text: &str, on: impl Into<String>) -> Node {
    button(id, text, on).bg(Tone::Tint).tone(Tone::OnTint)
}

/// A button without ground, as in dialogs.
#[must_use]
pub fn text_button(id: &str, text: &str, on: impl Into<String>) -> Node {
    let mut b = button(id, text, on).tone(Tone::Primary).pad(14.0, 0.0);
    b.bg = None;
    b
}

/// A round button over the lower right corner. Put it last in a stack aligned to its end.
#[must_use]
pub fn fab(id: &str, icon: Icon, desc: &str, on: impl Into<String>) -> Node {
    Node::new(Kind::Stack, "android.widget.ImageButton")
        .size(Len::Dp(60.0), Len::Dp(60.0))
        .margins(0.0, 0.0, 20.0, 20.0)
        .id(id)
        .desc(desc)
        .tap(on)
        .centred()
        .bg(Tone::Tint)
        .radius(18.0)
        .child(Node::icon(icon, 26.0).class("android.view.View").tone(Tone::OnTint))
}

/// A screen: a bar, a body, and maybe a round button over the lower right corner.
#[must_use]
pub fn page(bar: Node, body: Node, fab: Option<Node>) -> Node {
    let body = match fab {
        Some(fab) => Node::stack(vec![body, overlay_end(fab)]),
        None => body,
    };
    Node::column(vec![bar, body]).h(Len::Fill(1.0))
}

/// Puts a widget into the lower right corner of a stack.
#[must_use]
pub fn overlay_end(node: Node) -> Node {
    let mut place = Node::stack(vec![node]).main(Align::End).cross(Align::End);
    place.class = "android.widget.RelativeLayout";
    place
}

/// A disc with the first letter of a name.
#[must_use]
pub fn avatar(name: &str, side: f32) -> Node {
    let letter: String = name.chars().next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    let mut text = Node::text(letter).sp(side * 0.44).bold().tone(Tone::Rgb(255, 255, 255)).centred();
    text.class = "android.widget.TextView";
    text.size(Len::Dp(side), Len::Dp(side)).bg(colour_of(name)).radius(side / 2.0).lines(1)
}

/// A sign on a round ground.
#[must_use]
pub fn badge(icon: Icon, ground: Tone, side: f32) -> Node {
    Node::stack(vec![Node::icon(icon, side * 0.55).class("android.view.View").tone(Tone::Rgb(255, 255, 255))])
        .class("android.widget.ImageView")
        .size(Len::Dp(side), Len::Dp(side))
        .bg(ground)
        .radius(side / 2.0)
        .centred()
}

/// A row of a list: something in front, a title, maybe a line below, and something behind.
#[must_use]
pub fn row(front: Option<Node>, title: &str, below: &str, behind: Option<Node>) -> Node {
    let mut texts = vec![Node::text(title).id("android:id/title").sp(16.5).lines(2)];
    if !below.is_empty() {
        texts.push(Node::text(below).id("android:id/summary").sp(14.0).tone(Tone::Muted).lines(2));
    }
    let mut children = vec![];
    children.extend(front);
    children.push(Node::column(texts).class("android.widget.RelativeLayout").gap(2.0));
    children.extend(behind);
    Node::row(children).gap(16.0).pad(20.0, 12.0)
}

/// A row that turns something on and off.
#[must_use]
pub fn switch_row(
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
#[must_use]
pub fn switch(id: &str, on: bool, desc: &str, action: impl Into<String>) -> Node {
    Node::new(Kind::Switch(on), "android.widget.Switch").id(id).desc(desc).tap(action)
}

/// A box to tick, with its label.
#[must_use]
pub fn check(id: &str, on: bool, label: &str, action: impl Into<String>) -> Node {
    Node::new(Kind::Check(on), "android.widget.CheckBox").id(id).with_text(label).tap(action)
}

/// One of several, with its label.
#[must_use]
pub fn radio(id: &str, on: bool, label: &str, action: impl Into<String>) -> Node {
    Node::new(Kind::Radio(on), "android.widget.RadioButton")
        .id(id)
        .with_text(label)
        .tap(action)
        .fill()
        .h(Len::Dp(52.0))
        .pad(20.0, 0.0)
}

/// A small heading over a group of rows.
#[must_use]
pub fn heading(text: &str) -> Node {
    Node::text(text).sp(14.0).bold().tone(Tone::Primary).pad(20.0, 10.0).fill()
}

/// What a list says when it holds nothing.
#[must_use]
pub fn nothing(icon: Icon, text: &str) -> Node {
    Node::column(vec![
        Node::icon(icon, 64.0).tone(Tone::Line),
        Node::text(text).id("empty").sp(16.0).tone(Tone::Muted).main(Align::Centre),
    ])
    .h(Len::Fill(1.0))
    .gap(12.0)
    .centred()
}

/// A card: its contents on a ground of their own.
#[must_use]
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
#[must_use]
pub fn chip(id: &str, text: &str, chosen: bool, on: &str) -> Node {
    let c = Node::text(text)
        .class("android.widget.Button")
        .id(id)
        .sp(14.0)
        .pad(14.0, 0.0)
        .h(Len::Dp(36.0))
        .radius(10.0)
        .centred()
        .lines(1)
        .tap(on)
        .selected_if(|| chosen);
    if chosen { c.bg(Tone::Tint).tone(Tone::OnTint) } else { c.border(Tone::Outline).tone(Tone::Muted) }
}

/// Tabs: label and action of each, and which is chosen.
#[must_use]
pub fn tabs<M: Clone + Into<String>>(items: &[(&str, M)], chosen: usize) -> Node {
    let cells = items.iter().enumerate().map(|(i, (label, on))| {
        let mine = i == chosen;
        let tone = if mine { Tone::Primary } else { Tone::Muted };
        let mut bar = Node::space(0.0, 3.0).fill().class("android.view.View");
        if mine {
            bar = bar.bg(Tone::Primary).radius(1.5);
        }
        Node::column(vec![
            Node::text(*label).sp(15.0).bold().tone(tone).centred().fill().h(Len::Fill(1.0)),
            bar,
        ])
        .tap(on.clone())
        .desc(*label)
        .h(Len::Dp(48.0))
        .selected_if(|| mine)
    });
    Node::row(cells.collect()).class("android.widget.HorizontalScrollView").id("tabs").bg(Tone::Surface)
}

/// Tabs with signs at the bottom: id, sign, label and action of each, and which is chosen.
#[must_use]
pub fn bottom_bar<M: Clone + Into<String>>(items: &[(&str, Icon, &str, M)], chosen: usize) -> Node {
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
        .h(Len::Dp(72.0))
        .gap(4.0)
        .centred()
        .selected_if(|| mine)
    });
    Node::row(cells.collect()).class("android.view.ViewGroup").id("bottom_bar").bg(Tone::Card)
}

/// A dialog's contents: a title, a body, and its buttons (id, label, action).
#[must_use]
pub fn dialog<M: Clone + Into<String>>(title: &str, body: Vec<Node>, buttons: &[(&str, &str, M)]) -> Node {
    let mut children = vec![];
    if !title.is_empty() {
        children.push(Node::text(title).id("alertTitle").sp(22.0).margins(0.0, 0.0, 0.0, 12.0));
    }
    children.extend(body);
    let row = buttons.iter().map(|(id, label, on)| text_button(id, label, on.clone())).collect();
    children.push(Node::row(row).main(Align::End).margins(0.0, 16.0, 0.0, 0.0).id("buttonPanel"));
    Node::column(children).bg(Tone::Raised).radius(28.0).pad(24.0, 22.0)
}

/// A dialog that asks before it does something.
#[must_use]
pub fn confirm(title: &str, text: &str, yes: &str, on: &str) -> Node {
    dialog(
        title,
        vec![Node::text(text).id("android:id/message").sp(15.0).tone(Tone::Muted)],
        &[("android:id/button2", "Cancel", "cancel"), ("android:id/button1", yes, on)],
    )
}

/// A menu's contents: label and action of each line.
#[must_use]
pub fn menu(items: &[(&str, &str)]) -> Node {
    let lines = items.iter().map(|(label, on)| {
        Node::row(vec![Node::text(*label).id("title").sp(16.0)]).pad(20.0, 0.0).h(Len::Dp(50.0)).tap(*on)
    });
    Node::column(lines.collect())
        .class("android.widget.ListView")
        .bg(Tone::Raised)
        .radius(10.0)
        .pad(0.0, 8.0)
        .w(Len::Dp(230.0))
}

impl Node {
    /// With one more child.
    #[must_use]
    pub fn child(mut self, child: Self) -> Self {
        self.children.push(child);
        self
    }
}

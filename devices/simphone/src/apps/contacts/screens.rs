//! What the contacts show: the list, one contact, a call.

use super::{
    Contacts, Cx, Overlay, Screen, confirm_delete,
    people::{KINDS, Person},
};
use crate::{
    apps::kit,
    ui::{
        icon::Icon,
        node::{Align, Kind, Len, Node},
        theme::Tone,
    },
    world::stack::Activity,
};

impl Contacts {
    pub(super) fn list(&self, at: &Activity) -> Screen {
        let wanted = at.field("search_view").unwrap_or("").trim().to_owned();
        let mut people: Vec<&Person> = self.people.iter().filter(|p| p.found_by(&wanted)).collect();
        let key = |p: &Person| {
            let name = if self.by_last { p.alternative() } else { p.name() };
            (name.to_lowercase(), p.id)
        };
        people.sort_by_key(|p| key(p));
        let mut rows = Vec::new();
        if wanted.is_empty() && people.iter().any(|p| p.starred) {
            rows.push(kit::heading("Favorites"));
            rows.extend(people.iter().filter(|p| p.starred).map(|p| self.line(p)));
        }
        let mut letter = String::new();
        for p in people {
            let first: String = key(p).0.chars().take(1).flat_map(char::to_uppercase).collect();
            if wanted.is_empty() && first != letter {
                rows.push(kit::heading(&first));
                letter = first;
            }
            rows.push(self.line(p));
        }
        let body = if rows.is_empty() {
            kit::nothing(Icon::Search, "No contacts found")
        } else {
            rows.push(Node::space(1.0, 88.0));
            Node::list("android:id/list", rows)
        };
        let mut search = vec![Node::field("search_view", "Search contacts").radius(26.0).change("search")];
        if !wanted.is_empty() {
            search.push(kit::icon_button("search_close_btn", Icon::Close, "", "clear"));
        }
        let page = kit::page(
            Node::column(vec![
                kit::app_bar("Contacts", None, vec![kit::icon_button("menu_more", Icon::More, "", "menu")]),
                Node::row(search).pad(16.0, 4.0).gap(4.0),
            ]),
            body,
            Some(kit::fab("floating_action_button", Icon::Plus, "Create new contact", "new")),
        );
        let over = match at.overlay.as_deref() {
            Some("menu") => Some(Overlay::Menu(kit::menu(&[("Sort by", "sort")]))),
            Some("sort") => Some(Overlay::Dialog(kit::dialog(
                "Sort by",
                vec![
                    kit::radio("by_first", !self.by_last, "First name", "order/first").pad(0.0, 0.0),
                    kit::radio("by_last", self.by_last, "Last name", "order/last").pad(0.0, 0.0),
                ],
                &[("android:id/button2", "Cancel", "cancel")],
            ))),
            _ => None,
        };
        Screen::new(page).over(over)
    }

    fn line(&self, p: &Person) -> Node {
        let name = if self.by_last { p.alternative() } else { p.name() };
        Node::row(vec![
            kit::avatar(&p.name(), 42.0),
            Node::text(name).id("cliv_name_textview").lines(1).fill(),
        ])
        .class("android.view.ViewGroup")
        .gap(16.0)
        .pad(20.0, 8.0)
        .tap(format!("open/{}", p.id))
    }

    pub(super) fn detail(&self, at: &Activity, cx: &Cx<'_>) -> Screen {
        let Some(p) = self.person(Self::about(at)) else {
            let gone = kit::nothing(Icon::Person, "This contact is gone");
            return Screen::new(kit::page(kit::app_bar("", Some("up"), vec![]), gone, None));
        };
        let star = if p.starred { Icon::Star } else { Icon::StarOutline };
        let bar = kit::app_bar(
            "",
            Some("up"),
            vec![
                // A star says nothing of itself, as in many an app.
                kit::icon_button("menu_star", star, "", "star").selected_if(|| p.starred),
                kit::icon_button("menu_edit", Icon::Edit, "Edit contact", "edit"),
                kit::icon_button("menu_overflow", Icon::More, "More options", "menu"),
            ],
        );
        let mut rows = vec![head(p, cx.landscape()), actions(p)];
        let line = |icon, text: &str, below: &str, behind| {
            kit::row(Some(Node::icon(icon, 24.0).tone(Tone::Muted)), text, below, behind)
        };
        if !p.phone.is_empty() {
            let message = kit::icon_button("icon_alternate", Icon::Message, "", "text");
            rows.push(line(Icon::Phone, &p.phone, p.kind_name(), Some(message)).tap("call"));
        }
        let more = [
            (Icon::Send, &p.email, "Email"),
            (Icon::Pin, &p.address, "Address"),
            (Icon::Note, &p.note, "Note"),
        ];
        for (icon, value, label) in more.into_iter().filter(|(_, v, _)| !v.is_empty()) {
            rows.push(line(icon, value, label, None));
        }
        let over = match at.overlay.as_deref() {
            Some("menu") => Some(Overlay::Menu(kit::menu(&[("Share", "share"), ("Delete", "ask")]))),
            Some("delete") => Some(confirm_delete(&p.name())),
            _ => None,
        };
        Screen::new(kit::page(bar, Node::list("contact_scroller", rows), None)).over(over)
    }

    pub(super) fn in_call(&self, at: &Activity, cx: &Cx<'_>) -> Screen {
        let number = Self::number(at);
        let name = self.name_of(&number).unwrap_or_else(|| number.clone());
        let white = Tone::Rgb(0xf4, 0xf6, 0xfc);
        let grey = Tone::Rgb(0xb8, 0xc2, 0xd8);
        let round = |id: &str, icon, on: bool, action: &str| {
            let ground = if on { Tone::Rgb(0x6b, 0x7c, 0xa8) } else { Tone::Rgb(0x3a, 0x48, 0x6a) };
            Node::new(Kind::Stack, "android.widget.ImageButton")
                .size(Len::Dp(64.0), Len::Dp(64.0))
                .id(id)
                .tap(action)
                .centred()
                .bg(ground)
                .radius(32.0)
                .child(Node::icon(icon, 28.0).class("android.view.View").tone(white))
        };
        let still = at.local("still") == "1";
        let mut end = round("incall_end_call", Icon::Phone, false, "end").desc("End call");
        end.bg = Some(Tone::Rgb(0xc6, 0x28, 0x28));
        let mut parts = vec![
            Node::text("Calling…").id("incall_status").sp(16.0).tone(grey),
            Node::text(name).id("contactgrid_contact_name").sp(32.0).tone(white).lines(2).main(Align::Centre),
            Node::text(number).id("contactgrid_number").sp(18.0).tone(grey),
            Node::spring(),
        ];
        let mut rounds = vec![
            round("incall_mute", Icon::Mic, still, "still").selected_if(|| still),
            round("incall_keypad", Icon::Menu, false, "keys"),
            round("incall_speaker", Icon::Volume, false, "loud"),
        ];
        let row = |rounds| Node::row(rounds).gap(28.0).main(Align::Centre);
        if cx.landscape() {
            rounds.push(end);
            parts.push(row(rounds));
        } else {
            parts.extend([row(rounds), end]);
        }
        let page = Node::column(parts).h(Len::Fill(1.0)).gap(24.0).pad(24.0, 36.0).cross(Align::Centre);
        Screen::new(page).ground(Tone::Rgb(0x23, 0x2f, 0x4d))
    }
}

fn head(p: &Person, wide: bool) -> Node {
    let mut texts = vec![Node::text(p.name()).id("large_title").sp(28.0).main(Align::Centre).lines(2)];
    if !p.company.is_empty() {
        texts.push(Node::text(p.company.clone()).id("organization").sp(15.0).tone(Tone::Muted));
    }
    let mut all = vec![kit::avatar(&p.name(), if wide { 56.0 } else { 120.0 })];
    all.extend(texts);
    Node::column(all).gap(8.0).pad(20.0, 12.0).cross(Align::Centre)
}

fn actions(p: &Person) -> Node {
    let action = |id: &str, icon, label: &str, on: &str, off: bool| {
        Node::column(vec![
            Node::stack(vec![Node::icon(icon, 24.0).class("android.view.View").tone(Tone::OnTint)])
                .class("android.widget.ImageView")
                .size(Len::Dp(64.0), Len::Dp(44.0))
                .bg(Tone::Tint)
                .radius(22.0)
                .centred(),
            Node::text(label).sp(13.0).lines(1),
        ])
        .id(id)
        .gap(4.0)
        .pad(0.0, 8.0)
        .cross(Align::Centre)
        .tap(on)
        .disabled_if(|| off)
    };
    let mute = p.phone.is_empty();
    Node::row(vec![
        action("verb_call", Icon::Phone, "Call", "call", mute),
        action("verb_text", Icon::Message, "Text", "text", mute),
        action("verb_email", Icon::Send, "Email", "mail", p.email.is_empty()),
    ])
    .pad(28.0, 4.0)
}

/// The dialog for the kind of a number.
pub(super) fn kinds(chosen: i64) -> Overlay {
    let rows = KINDS
        .iter()
        .map(|(k, name)| {
            kit::radio("android:id/text1", *k == chosen, name, format!("kind/{k}")).pad(0.0, 0.0)
        })
        .collect();
    Overlay::Dialog(kit::dialog("Phone label", rows, &[("android:id/button2", "Cancel", "cancel")]))
}

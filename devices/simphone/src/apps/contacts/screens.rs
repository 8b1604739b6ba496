//! What the contacts show: the list, one contact, a call.

use super::{CallMsg, Contacts, DetailMsg, DetailOver, ListMsg, ListOver, people::Person};
use crate::apps::prelude::*;

impl Contacts {
    pub(super) fn list(&self, at: &Activity) -> AppScreen {
        let wanted = at.typed("search_view");
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
        let body = kit::list_under_fab("android:id/list", rows, 88.0, (Icon::Search, "No contacts found"));
        let mut search = vec![Node::field("search_view", "Search contacts").radius(26.0)];
        if !wanted.is_empty() {
            search.push(kit::icon_button("search_close_btn", Icon::Close, "", ListMsg::Clear));
        }
        let more = kit::icon_button("menu_more", Icon::More, "", show(ListOver::Menu));
        let top = Node::column(vec![
            kit::app_bar("Contacts", vec![more]),
            Node::row(search).pad(16.0, 4.0).gap(4.0),
        ]);
        let new = kit::fab("floating_action_button", Icon::Plus, "Create new contact", ListMsg::New);
        let order = |id, label, by_last| {
            kit::radio(id, self.by_last == by_last, label, ListMsg::Order(by_last)).pad(0.0, 0.0)
        };
        let over = at.over().map(|over| match over {
            ListOver::Sort => dialogs::choice(
                "Sort by",
                [order("by_first", "First name", false), order("by_last", "Last name", true)],
            ),
            ListOver::Menu => dialogs::menu([("Sort by", show(ListOver::Sort))]),
        });
        AppScreen::new(kit::page(top, body, Some(new))).over(over)
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
        .tap(ListMsg::Open(p.id))
    }

    pub(super) fn detail(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        let Some(p) = self.person(at.about()) else {
            return parts::gone(Icon::Person, "This contact is gone");
        };
        let star = if p.starred { Icon::Star } else { Icon::StarOutline };
        let bar = kit::up_bar(
            "",
            vec![
                // A star says nothing of itself, as in many an app.
                kit::icon_button("menu_star", star, "", DetailMsg::Star).selected_if(|| p.starred),
                kit::icon_button("menu_edit", Icon::Edit, "Edit contact", DetailMsg::Edit),
                kit::icon_button("menu_overflow", Icon::More, "More options", show(DetailOver::Menu)),
            ],
        );
        let mut rows = vec![head(p, cx.landscape()), actions(p)];
        let line = |icon, text: &str, below: &str, behind| {
            kit::row(Some(Node::icon(icon, 24.0).muted()), text, below, behind)
        };
        if !p.phone.is_empty() {
            let message = kit::icon_button("icon_alternate", Icon::Message, "", DetailMsg::Text);
            rows.push(line(Icon::Phone, &p.phone, p.kind_name(), Some(message)).tap(DetailMsg::Call));
        }
        let more = [
            (Icon::Send, &p.email, "Email"),
            (Icon::Pin, &p.address, "Address"),
            (Icon::Note, &p.note, "Note"),
        ];
        for (icon, value, label) in more.into_iter().filter(|(_, v, _)| !v.is_empty()) {
            rows.push(line(icon, value, label, None));
        }
        let over = at.over().map(|over| match over {
            DetailOver::Delete => {
                let text = format!("{} will be removed from this phone.", p.name());
                dialogs::confirm("Delete contact?", &text, "Delete", DetailMsg::Delete)
            }
            DetailOver::Menu => {
                dialogs::menu([("Share", DetailMsg::Share.into()), ("Delete", show(DetailOver::Delete))])
            }
        });
        parts::screen(bar, Node::list("contact_scroller", rows)).over(over)
    }

    pub(super) fn in_call(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        let number = Self::number(at);
        let name = self.name_of(&number).unwrap_or_else(|| number.clone());
        let white = Tone::Rgb(0xf4, 0xf6, 0xfc);
        let grey = Tone::Rgb(0xb8, 0xc2, 0xd8);
        let round = |id: &str, icon, ground, on| {
            kit::sign_button(id, 64.0, (icon, 28.0, white), on).bg(ground).radius(32.0)
        };
        let (off, on, red) =
            (Tone::Rgb(0x3a, 0x48, 0x6a), Tone::Rgb(0x6b, 0x7c, 0xa8), Tone::Rgb(0xc6, 0x28, 0x28));
        let still = at.is_on("still");
        let end = round("incall_end_call", Icon::Phone, red, String::from(Common::Up)).desc("End call");
        let mut parts = vec![
            Node::label("incall_status", "Calling…", 16.0).tone(grey),
            Node::label("contactgrid_contact_name", name, 32.0).tone(white).lines(2).main(Align::Centre),
            Node::label("contactgrid_number", number, 18.0).tone(grey),
            Node::spring(),
        ];
        let mut rounds = vec![
            round("incall_mute", Icon::Mic, if still { on } else { off }, CallMsg::Still.into())
                .selected_if(|| still),
            round("incall_keypad", Icon::Menu, off, CallMsg::Idle.into()),
            round("incall_speaker", Icon::Volume, off, CallMsg::Idle.into()),
        ];
        let row = |rounds| Node::row(rounds).gap(28.0).main(Align::Centre);
        if cx.landscape() {
            rounds.push(end);
            parts.push(row(rounds));
        } else {
            parts.extend([row(rounds), end]);
        }
        let page = Node::column(parts).tall().gap(24.0).pad(24.0, 36.0).cross(Align::Centre);
        AppScreen::new(page).ground(Tone::Rgb(0x23, 0x2f, 0x4d))
    }
}

fn head(p: &Person, wide: bool) -> Node {
    let mut texts = vec![Node::label("large_title", p.name(), 28.0).main(Align::Centre).lines(2)];
    if !p.company.is_empty() {
        texts.push(Node::label("organization", p.company.clone(), 15.0).muted());
    }
    let mut all = vec![kit::avatar(&p.name(), if wide { 56.0 } else { 120.0 })];
    all.extend(texts);
    Node::column(all).gap(8.0).pad(20.0, 12.0).cross(Align::Centre)
}

fn actions(p: &Person) -> Node {
    let action = |id: &str, icon, label: &str, on: DetailMsg, off: bool| {
        let sign = Node::stack(vec![Node::mark(icon, 24.0, Tone::OnTint)])
            .class("android.widget.ImageView")
            .dp(64.0, 44.0)
            .bg(Tone::Tint)
            .radius(22.0)
            .centred();
        Node::column(vec![sign, Node::text(label).sp(13.0).lines(1)])
            .id(id)
            .gap(4.0)
            .pad(0.0, 8.0)
            .cross(Align::Centre)
            .tap(on)
            .disabled_if(|| off)
    };
    let mute = p.phone.is_empty();
    Node::row(vec![
        action("verb_call", Icon::Phone, "Call", DetailMsg::Call, mute),
        action("verb_text", Icon::Message, "Text", DetailMsg::Text, mute),
        action("verb_email", Icon::Send, "Email", DetailMsg::Mail, p.email.is_empty()),
    ])
    .pad(28.0, 4.0)
}

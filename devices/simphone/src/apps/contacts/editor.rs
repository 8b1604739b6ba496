//! The editor: a new contact, or one to change. What is typed stays with the screen until it is saved.

use super::{Contacts, Person, people::KINDS};
use crate::apps::prelude::*;

messages! {
    /// What its widgets send.
    enum Msg {
        Save = "save",
        More = "more",
        /// What kind of number it is.
        Kind(kind: i64) = "kind",
    }
}

messages! {
    /// What lies over it.
    enum Over {
        Kinds = "kinds",
        Discard = "discard",
    }
}

impl Contacts {
    /// What the editor began with: the contact, or what the intent brings along.
    fn original(&self, at: &Activity) -> Person {
        self.person(at.about()).cloned().unwrap_or_else(|| {
            let mut p = Person {
                phone: at.extra("phone"),
                email: at.extra("email"),
                company: at.extra("company"),
                phone_kind: 2,
                ..Person::default()
            };
            p.set_name(&at.extra("name"));
            p
        })
    }

    /// What the editor holds now.
    fn edited(&self, at: &Activity) -> Person {
        let mut p = self.original(at);
        for (id, slot) in [
            ("first_name", &mut p.first),
            ("last_name", &mut p.last),
            ("company", &mut p.company),
            ("phone", &mut p.phone),
            ("email", &mut p.email),
            ("address", &mut p.address),
            ("notes", &mut p.note),
        ] {
            if let Some(text) = at.field(id) {
                text.trim().clone_into(slot);
            }
        }
        if let Ok(kind) = at.local("kind").parse() {
            p.phone_kind = kind;
        }
        p
    }

    pub(super) fn editor(&self, at: &Activity) -> AppScreen {
        let (p, was) = (self.edited(at), self.original(at));
        let title = if was.id == 0 { "Create contact" } else { "Edit contact" };
        let bar = kit::editor_bar("editor_close", title, ("editor_menu_save_button", Msg::Save));
        let row = |icon: Option<Icon>, label: &str, field: Node| {
            let sign = icon.map_or_else(|| Node::space(24.0, 24.0), |i| Node::icon(i, 24.0).muted());
            let field = Node::column(vec![Node::text(label).sp(12.5).muted(), field]).gap(2.0);
            Node::row(vec![sign, field]).gap(16.0).pad(20.0, 5.0)
        };
        let entry = |icon, label: &str, id: &str, text: &str| {
            row(icon, label, Node::field(id, label).with_text(text))
        };
        let spinner = Node::row(vec![
            Node::label("phone_type_label", p.kind_name(), 15.0).fill(),
            Node::mark(Icon::Down, 20.0, Tone::Muted),
        ])
        .class("android.widget.Spinner")
        .id("phone_type")
        .border(Tone::Outline)
        .radius(6.0)
        .pad(12.0, 0.0)
        .dp(116.0, 50.0)
        .tap(show(Over::Kinds));
        let phone = Node::field("phone", "Phone").with_text(&*was.phone).input(FieldInput::Number);
        let mut rows = vec![
            entry(Some(Icon::Person), "First name", "first_name", &was.first),
            entry(None, "Last name", "last_name", &was.last),
            entry(Some(Icon::Bag), "Company", "company", &was.company),
            row(Some(Icon::Phone), "Phone", Node::row(vec![phone, spinner]).gap(8.0)),
            entry(Some(Icon::Send), "Email", "email", &was.email),
        ];
        if at.is_on("more") || !was.address.is_empty() || !was.note.is_empty() {
            rows.push(entry(Some(Icon::Pin), "Address", "address", &was.address));
            let notes = Node::field("notes", "Notes").with_text(&*was.note).input(FieldInput::Lines);
            rows.push(row(Some(Icon::Note), "Notes", notes));
        } else {
            let more = kit::text_button("more_fields", "More fields", Msg::More);
            rows.push(Node::row(vec![more]).pad(50.0, 6.0));
        }
        rows.push(Node::space(1.0, 24.0));
        let kind = |(k, name): &(i64, &str)| dialogs::option(name, *k == p.phone_kind, Msg::Kind(*k));
        let over = at.over().map(|over| match over {
            Over::Kinds => dialogs::choice("Phone label", KINDS.iter().map(kind)),
            Over::Discard => dialogs::discard("Discard your changes?"),
        });
        parts::screen(bar, Node::scroll("editor_scroll", rows)).over(over)
    }

    pub(super) fn editor_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        if ev.kind == UiEventKind::Back && self.edited(at) != self.original(at) {
            at.overlay = Some(Over::Discard.into());
            sys.consume();
        }
        match ev.message() {
            Some(Msg::More) => at.set_local("more", "1"),
            Some(Msg::Kind(kind)) => {
                at.set_local("kind", kind.to_string());
                at.overlay = None;
            }
            Some(Msg::Save) => self.save(at, sys),
            None => {}
        }
    }

    fn save(&mut self, at: &Activity, sys: &mut Sys<'_>) {
        let p = self.edited(at);
        let empty = [&p.first, &p.last, &p.company, &p.phone, &p.email].iter().all(|t| t.is_empty());
        if empty {
            sys.toast("Add a name, a number or an address first");
            return;
        }
        sys.toast("Contact saved");
        sys.finish();
        if p.id == 0 {
            let id = self.add(p);
            sys.open(".ContactDetailActivity", &[("id", &id)]);
        } else if let Some(kept) = self.person_mut(p.id) {
            *kept = p;
        }
    }
}

//! The editor: a new contact, or one to change. What is typed stays with the screen until it is saved.

use super::{Contacts, Cx, Event, Overlay, Person, Screen, Sys, people::KINDS, screens};
use crate::{
    apps::kit,
    ui::{
        icon::Icon,
        node::{Input, Len, Node, UiEventKind},
        theme::Tone,
    },
    world::stack::Activity,
};

const FIELDS: [&str; 7] = ["first_name", "last_name", "company", "phone", "email", "address", "notes"];

impl Contacts {
    /// What the editor began with: the contact, or what the intent brings along.
    fn original(&self, at: &Activity) -> Person {
        self.person(Self::about(at)).cloned().unwrap_or_else(|| {
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
        let slots = [
            &mut p.first,
            &mut p.last,
            &mut p.company,
            &mut p.phone,
            &mut p.email,
            &mut p.address,
            &mut p.note,
        ];
        for (id, slot) in FIELDS.iter().zip(slots) {
            if let Some(text) = at.field(id) {
                text.trim().clone_into(slot);
            }
        }
        if let Ok(kind) = at.local("kind").parse() {
            p.phone_kind = kind;
        }
        p
    }

    pub(super) fn editor(&self, at: &Activity, _: &Cx<'_>) -> Screen {
        let (p, was) = (self.edited(at), self.original(at));
        let title = if was.id == 0 { "Create contact" } else { "Edit contact" };
        let bar = Node::row(vec![
            kit::icon_button("editor_close", Icon::Close, "Cancel", "close"),
            Node::text(title).sp(20.0).lines(1).fill().margins(4.0, 0.0, 4.0, 0.0),
            kit::button("editor_menu_save_button", "Save", "save").margins(0.0, 0.0, 12.0, 0.0),
        ])
        .class("android.view.ViewGroup")
        .id("toolbar")
        .h(Len::Dp(64.0))
        .pad(4.0, 0.0);
        let field = |id: &str, hint: &str, text: &str| Node::field(id, hint).with_text(text);
        let entry = |icon: Option<Icon>, label: &str, field: Node| {
            let sign =
                icon.map_or_else(|| Node::space(24.0, 24.0), |i| Node::icon(i, 24.0).tone(Tone::Muted));
            Node::row(vec![
                sign,
                Node::column(vec![Node::text(label).sp(12.5).tone(Tone::Muted), field]).gap(2.0),
            ])
            .gap(16.0)
            .pad(20.0, 5.0)
        };
        let kind = KINDS.iter().find(|(k, _)| *k == p.phone_kind).map_or("Other", |(_, n)| n);
        let spinner = Node::row(vec![
            Node::text(kind).id("phone_type_label").sp(15.0).fill(),
            Node::icon(Icon::Down, 20.0).class("android.view.View").tone(Tone::Muted),
        ])
        .class("android.widget.Spinner")
        .id("phone_type")
        .border(Tone::Outline)
        .radius(6.0)
        .pad(12.0, 0.0)
        .size(Len::Dp(116.0), Len::Dp(50.0))
        .tap("kinds");
        let mut rows = vec![
            entry(Some(Icon::Person), "First name", field("first_name", "First name", &was.first)),
            entry(None, "Last name", field("last_name", "Last name", &was.last)),
            entry(Some(Icon::Bag), "Company", field("company", "Company", &was.company)),
            entry(
                Some(Icon::Phone),
                "Phone",
                Node::row(vec![field("phone", "Phone", &was.phone).input(Input::Number), spinner]).gap(8.0),
            ),
            entry(Some(Icon::Send), "Email", field("email", "Email", &was.email)),
        ];
        if at.local("more") == "1" || !was.address.is_empty() || !was.note.is_empty() {
            rows.push(entry(Some(Icon::Pin), "Address", field("address", "Address", &was.address)));
            let notes = field("notes", "Notes", &was.note).input(Input::Lines);
            rows.push(entry(Some(Icon::Note), "Notes", notes));
        } else {
            rows.push(Node::row(vec![kit::text_button("more_fields", "More fields", "more")]).pad(50.0, 6.0));
        }
        rows.push(Node::space(1.0, 24.0));
        let over = match at.overlay.as_deref() {
            Some("kinds") => Some(screens::kinds(p.phone_kind)),
            Some("discard") => Some(Overlay::Dialog(kit::dialog(
                "",
                vec![Node::text("Discard your changes?").id("android:id/message").sp(16.0)],
                &[
                    ("android:id/button2", "Keep editing", "cancel"),
                    ("android:id/button1", "Discard", "discard"),
                ],
            ))),
            _ => None,
        };
        Screen::new(kit::page(bar, Node::scroll("editor_scroll", rows), None)).over(over)
    }

    pub(super) fn editor_event(&mut self, at: &mut Activity, ev: &Event, sys: &mut Sys<'_>) {
        let leaving = ev.kind == UiEventKind::Back || ev.on == "close";
        if leaving {
            if self.edited(at) == self.original(at) {
                if ev.on == "close" {
                    sys.finish();
                }
            } else {
                at.overlay = Some("discard".to_owned());
                sys.consume();
            }
            return;
        }
        match ev.parts() {
            ("more", _) => at.set_local("more", "1"),
            ("kinds", _) => at.overlay = Some("kinds".to_owned()),
            ("kind", kind) => {
                at.set_local("kind", kind);
                at.overlay = None;
            }
            ("cancel", _) => at.overlay = None,
            ("discard", _) => {
                at.overlay = None;
                sys.finish();
            }
            ("save", _) => self.save(at, sys),
            _ => {}
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
            sys.open(".ContactDetailActivity", &[("id", &id.to_string())]);
        } else if let Some(kept) = self.person_mut(p.id) {
            *kept = p;
        }
    }
}

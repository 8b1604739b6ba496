//! Contacts: a list with search, a contact's own page, the editor, and the call screen.
//!
//! What `content` shows, all as on a device (each contact is one raw contact of the same id):
//! - `content://com.android.contacts/contacts`: `display_name display_name_alt starred has_phone_number …`;
//!   takes updates of `starred` and deletes, no inserts
//! - `…/raw_contacts`: `contact_id display_name starred deleted …`; an insert makes an empty contact
//! - `…/data`: `raw_contact_id contact_id mimetype data1 data2 data3 data4 display_name`, the kinds `name`,
//!   `phone_v2`, `email_v2`, `organization`, `note`, `postal-address_v2`; takes inserts, updates, deletes
//! - `…/data/phones`, `…/data/emails`: the rows of one kind
//! - `content://call_log/calls`: `number date duration type name`, the dates in milliseconds

mod editor;
pub mod people;
mod screens;
#[cfg(test)]
mod tests;

use crate::apps::prelude::*;
use people::{Person, PhoneCall};

messages! {
    /// What the list's widgets send.
    enum ListMsg {
        Open(id: i64) = "open",
        New = "new",
        /// The list goes by first or last names.
        Order(by_last: bool) = "order",
        Clear = "clear",
    }
}

messages! {
    /// What the widgets of a contact's page send.
    enum DetailMsg {
        Star = "star",
        Edit = "edit",
        Delete = "delete",
        Share = "share",
        Call = "call",
        Text = "text",
        Mail = "mail",
    }
}

messages! {
    /// What a call's widgets send.
    enum CallMsg {
        Still = "still",
        Idle = "idle",
    }
}

messages! {
    /// What lies over the list.
    enum ListOver {
        Menu = "menu",
        Sort = "sort",
    }
}

messages! {
    /// What lies over a contact's page.
    enum DetailOver {
        Menu = "menu",
        Delete = "delete",
    }
}

/// The package of this app.
pub const PACKAGE: &str = "com.android.contacts";

/// The contacts, and the calls made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Contacts {
    people: Vec<Person>,
    calls: Vec<PhoneCall>,
    next: i64,
    /// Whether the list goes by last names.
    by_last: bool,
}

impl Contacts {
    /// The people, in the order of their ids.
    pub fn people(&self) -> &[Person] {
        &self.people
    }

    fn person(&self, id: i64) -> Option<&Person> {
        self.people.iter().find(|p| p.id == id)
    }

    fn person_mut(&mut self, id: i64) -> Option<&mut Person> {
        self.people.iter_mut().find(|p| p.id == id)
    }

    fn number(at: &Activity) -> String {
        let data = at.intent.data.as_deref().unwrap_or("");
        data.split_once(':').map_or("", |(_, n)| n).replace("%20", " ")
    }

    fn name_of(&self, number: &str) -> Option<String> {
        let wanted = people::digits(number);
        self.people.iter().find(|p| people::digits(&p.phone) == wanted).map(Person::name)
    }

    fn add(&mut self, mut person: Person) -> i64 {
        person.id = self.next;
        self.next += 1;
        self.people.push(person);
        self.next - 1
    }

    fn list_event(&mut self, at: &mut Activity, message: ListMsg, sys: &mut Sys<'_>) {
        match message {
            ListMsg::Open(id) => sys.open(".ContactDetailActivity", &[("id", &id)]),
            ListMsg::New => sys.open(".ContactEditorActivity", &[]),
            ListMsg::Order(by_last) => {
                self.by_last = by_last;
                at.overlay = None;
            }
            ListMsg::Clear => at.set_field("search_view", ""),
        }
    }

    fn detail_event(&mut self, at: &mut Activity, message: DetailMsg, sys: &mut Sys<'_>) {
        let id = at.about();
        match message {
            DetailMsg::Star => {
                if let Some(p) = self.person_mut(id) {
                    p.starred = !p.starred;
                }
            }
            DetailMsg::Edit => sys.open(".ContactEditorActivity", &[("id", &id)]),
            DetailMsg::Delete => {
                at.overlay = None;
                self.people.retain(|p| p.id != id);
                sys.toast("Contact deleted");
                sys.finish();
            }
            DetailMsg::Share => {
                at.overlay = None;
                sys.toast("Nothing to share with");
            }
            DetailMsg::Call => self.dial(id, "tel", "android.intent.action.CALL", sys),
            DetailMsg::Text => self.dial(id, "smsto", "android.intent.action.SENDTO", sys),
            DetailMsg::Mail => sys.toast("No app can send e-mail"),
        }
    }

    fn dial(&self, id: i64, scheme: &str, action: &str, sys: &mut Sys<'_>) {
        match self.person(id).map(|p| p.phone.clone()).filter(|n| !n.is_empty()) {
            Some(number) => {
                let data = Some(format!("{scheme}:{}", number.replace(' ', "%20")));
                sys.start(Intent { data, ..Intent::action(action) });
            }
            None => sys.toast("This contact has no number"),
        }
    }

    fn call_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        let mine: i64 = at.local("call").parse().unwrap_or(0);
        if ev.kind == UiEventKind::Back {
            let now = sys.now();
            if let Some(call) = self.calls.iter_mut().find(|c| c.id == mine) {
                call.took = now - call.begun;
            }
        } else if ev.kind == UiEventKind::Shown && mine == 0 {
            let id = self.calls.iter().map(|c| c.id).max().unwrap_or(0) + 1;
            let number = Self::number(at);
            let name = self.name_of(&number).unwrap_or_default();
            self.calls.push(PhoneCall { id, number, name, begun: sys.now(), took: 0 });
            at.set_local("call", id.to_string());
        } else if ev.message() == Some(CallMsg::Still) {
            at.turn("still");
        }
    }
}

impl App for Contacts {
    fn manifest() -> Manifest {
        Manifest {
            activities: &[
                ".PeopleActivity",
                ".ContactDetailActivity",
                ".ContactEditorActivity",
                ".InCallActivity",
            ],
            authorities: &["com.android.contacts", "call_log"],
            tables: &["com.android.contacts/contacts", "com.android.contacts/data", "call_log/calls"],
            filters: const {
                &[
                    IntentFilter::new(
                        ACTION_VIEW,
                        "content://com.android.contacts/",
                        ".ContactDetailActivity",
                    ),
                    IntentFilter::new("android.intent.action.INSERT", "", ".ContactEditorActivity")
                        .of_type("vnd.android.cursor.dir/"),
                    IntentFilter::new("android.intent.action.CALL", "tel:", ".InCallActivity"),
                    IntentFilter::new("android.intent.action.DIAL", "tel:", ".InCallActivity"),
                ]
            },
            ..Manifest::system(PACKAGE, "Contacts", Icon::Person, Tone::Rgb(0x2f, 0x5d, 0xa8))
        }
    }

    fn fresh(seed: &mut Seed) -> Self {
        let people = people::people(seed);
        let next = people.iter().map(|p| p.id).max().unwrap_or(0) + 1;
        Self { people, calls: Vec::new(), next, by_last: false }
    }

    fn view(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        match at.name() {
            "ContactDetailActivity" => self.detail(at, cx),
            "ContactEditorActivity" => self.editor(at),
            "InCallActivity" => self.in_call(at, cx),
            _ => self.list(at),
        }
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        match at.name() {
            "ContactEditorActivity" => self.editor_event(at, ev, sys),
            "InCallActivity" => self.call_event(at, ev, sys),
            "ContactDetailActivity" => ev.message().into_iter().for_each(|m| self.detail_event(at, m, sys)),
            _ => ev.message().into_iter().for_each(|m| self.list_event(at, m, sys)),
        }
    }

    fn rows(&self, table: &str) -> Option<Vec<ProviderRow>> {
        let data = |kind: &str| {
            let rows = self.people.iter().flat_map(Person::data_rows);
            rows.filter(|r| kind.is_empty() || r.text("mimetype").ends_with(kind)).collect()
        };
        match table {
            "com.android.contacts/contacts" => Some(self.people.iter().map(Person::contact_row).collect()),
            "com.android.contacts/raw_contacts" => Some(self.people.iter().map(Person::raw_row).collect()),
            "com.android.contacts/data" => Some(data("")),
            "com.android.contacts/data/phones" => Some(data("/phone_v2")),
            "com.android.contacts/data/emails" => Some(data("/email_v2")),
            "call_log/calls" => Some(self.calls.iter().map(PhoneCall::row).collect()),
            _ => None,
        }
    }

    fn stored(&self) -> Vec<(&'static str, serde_json::Value)> {
        vec![("sort by", if self.by_last { "last name" } else { "first name" }.into())]
    }

    fn put_row(&mut self, table: &str, row: &ProviderRow) -> Result<i64, String> {
        let id = row.int("_id");
        match (table, id) {
            ("com.android.contacts/contacts", None) => {
                Err("Aggregate contacts are created automatically".to_owned())
            }
            ("com.android.contacts/contacts" | "com.android.contacts/raw_contacts", Some(id)) => {
                let p = self.person_mut(id).ok_or_else(|| format!("no contact {id}"))?;
                p.starred = row.int("starred").unwrap_or(0) != 0;
                Ok(id)
            }
            ("com.android.contacts/raw_contacts", None) => {
                let mut p = Person { phone_kind: 2, ..Person::default() };
                p.set_name(&row.text("display_name"));
                p.starred = row.int("starred").unwrap_or(0) != 0;
                Ok(self.add(p))
            }
            ("com.android.contacts/data", _) => {
                let owner = row.int("raw_contact_id").ok_or("raw_contact_id is required")?;
                let p = self.person_mut(owner).ok_or_else(|| format!("no raw contact {owner}"))?;
                if !p.set_data(row) {
                    return Err(format!("unknown mimetype {}", row.text("mimetype")));
                }
                Ok(id.unwrap_or(owner * 10))
            }
            _ => Err(format!("{table} is read-only")),
        }
    }

    fn delete_row(&mut self, table: &str, id: i64) -> bool {
        match table {
            "com.android.contacts/contacts" | "com.android.contacts/raw_contacts" => {
                parts::remove(&mut self.people, |p| p.id == id)
            }
            "com.android.contacts/data" => {
                let known = self.person_mut(id / 10).is_some();
                if let Some(p) = self.person_mut(id / 10) {
                    p.clear_data(id % 10);
                }
                known
            }
            "call_log/calls" => parts::remove(&mut self.calls, |c| c.id == id),
            _ => false,
        }
    }
}

//! Contacts: a list with search, a contact's own page, the editor, and the call screen.
//!
//! What `content` shows, all as on a device (each contact is one raw contact of the same id):
//! - `content://com.android.contacts/contacts`: `display_name display_name_alt starred has_phone_number …`;
//!   takes updates of `starred` and deletes, no inserts
//! - `…/raw_contacts`: `contact_id display_name starred deleted …`; an insert makes an empty contact
//! - `…/data`: `raw_contact_id contact_id mimetype data1 data2 data3 data4 display_name`, the kinds `name`,
//!   `phone_v2`, `email_v2`, `organization`, `note`, `postal-address_v2`; takes inserts and updates
//! - `…/data/phones`, `…/data/emails`: the rows of one kind
//! - `content://call_log/calls`: `number date duration type name`, the dates in milliseconds

pub mod people;
#[cfg(test)]
mod tests;

use crate::apps::prelude::*;
use people::{Person, PhoneCall};

pub const PACKAGE: &str = "com.android.contacts";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Contacts {
    pub people: Vec<Person>,
    calls: Vec<PhoneCall>,
    next: i64,
    by_last: bool,
}

impl Contacts {
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
        self.next += 1;
        person.id = self.next;
        self.people.push(person);
        self.next
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
        }
    }
}

impl App for Contacts {
    fn fresh(seed: &mut Seed) -> Self {
        let people = people::people(seed);
        let next = people.iter().map(|p| p.id).max().unwrap_or(0);
        Self { people, calls: Vec::new(), next, by_last: false }
    }

    fn facts(&self, _: &Activity, _: &Cx<'_>) -> serde_json::Value {
        let shown = |p: &Person| {
            let mut facts = serde_json::to_value(p).unwrap_or_default();
            facts["name"] = p.name().into();
            facts["kind"] = p.kind_name().into();
            facts["shown"] = if self.by_last { p.alternative() } else { p.name() }.into();
            facts
        };
        let known: Vec<_> = self.people.iter().map(shown).collect();
        let mut people = known.clone();
        people.sort_by_cached_key(|p| p["shown"].as_str().map(str::to_lowercase));
        serde_json::json!({ "known": known, "people": people })
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        if at.name() == "InCallActivity" {
            self.call_event(at, ev, sys);
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
            _ => tables::rows(&self.save(), table),
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
            _ => false,
        }
    }
}

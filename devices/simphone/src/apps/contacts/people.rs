//! The people: what a phone of a seed knows of them, and their rows as Android's contacts provider has them.

use crate::apps::prelude::*;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Its id, as contact and as raw contact.
    pub id: i64,
    pub first: String,
    pub last: String,
    pub company: String,
    pub phone: String,
    /// What kind of number, by Android's numbers: 1 home, 2 mobile, 3 work.
    pub phone_kind: i64,
    pub email: String,
    pub address: String,
    pub note: String,
    pub starred: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhoneCall {
    pub id: i64,
    pub number: String,
    /// Whose it is; empty where unknown.
    pub name: String,
    /// When it began, seconds since 1970.
    pub begun: i64,
    pub took: i64,
}

/// The kinds of numbers, and what they are called.
pub const KINDS: [(i64, &str); 3] = [(2, "Mobile"), (1, "Home"), (3, "Work")];

impl Person {
    /// First and last name; the company or the number where there is none.
    pub fn name(&self) -> String {
        let name = format!("{} {}", self.first, self.last).trim().to_owned();
        [name, self.company.clone(), self.phone.clone(), self.email.clone()]
            .into_iter()
            .find(|n| !n.is_empty())
            .unwrap_or_else(|| "(No name)".to_owned())
    }

    /// Last name first, with a comma.
    pub(crate) fn alternative(&self) -> String {
        if self.last.is_empty() || self.first.is_empty() {
            self.name()
        } else {
            format!("{}, {}", self.last, self.first)
        }
    }

    /// Takes a whole name apart: the last word is the last name.
    pub(crate) fn set_name(&mut self, whole: &str) {
        let (first, last) = whole.trim().rsplit_once(' ').unwrap_or((whole.trim(), ""));
        (self.first, self.last) = (first.to_owned(), last.to_owned());
    }

    pub(crate) fn kind_name(&self) -> &'static str {
        KINDS.iter().find(|(k, _)| *k == self.phone_kind).map_or("Other", |(_, n)| n)
    }

    fn row(&self) -> ProviderRow {
        row! {
            _id: self.id, display_name: self.name(), display_name_alt: self.alternative(),
            starred: self.starred,
        }
    }

    pub(crate) fn contact_row(&self) -> ProviderRow {
        self.row().and(row! {
            lookup: format!("0r{}-waldo", self.id), name_raw_contact_id: self.id,
            has_phone_number: !self.phone.is_empty(), in_visible_group: 1,
        })
    }

    pub(crate) fn raw_row(&self) -> ProviderRow {
        self.row().and(row! {
            contact_id: self.id, account_type: ProviderValue::Null, account_name: ProviderValue::Null, deleted: 0,
        })
    }

    /// Its rows in `data`: one for each thing known.
    pub(crate) fn data_rows(&self) -> Vec<ProviderRow> {
        let mut out = Vec::new();
        for (slot, (kind, value)) in (0_i64..).zip(DATA.iter().zip(self.values())) {
            if value.is_empty() && slot > 0 {
                continue;
            }
            let (data2, data3) = match slot {
                0 => (ProviderValue::from(self.first.as_str()), ProviderValue::from(self.last.as_str())),
                1 => (ProviderValue::Int(self.phone_kind), ProviderValue::Null),
                _ => (ProviderValue::Int(1), ProviderValue::Null),
            };
            let normal = if slot == 1 { ProviderValue::from(digits(&value)) } else { ProviderValue::Null };
            out.push(row! {
                _id: self.id * 10 + slot, raw_contact_id: self.id, contact_id: self.id,
                mimetype: format!("vnd.android.cursor.item/{kind}"), data1: value, data2: data2, data3: data3,
                data4: normal, display_name: self.name(), starred: self.starred,
            });
        }
        out
    }

    fn values(&self) -> [String; 6] {
        let known = [&self.name(), &self.phone, &self.email, &self.company, &self.note, &self.address];
        known.map(String::clone)
    }

    /// What is known of a kind of [`DATA`]; nothing for the name, which is two texts.
    fn text_mut(&mut self, slot: usize) -> Option<&mut String> {
        Some(match slot {
            1 => &mut self.phone,
            2 => &mut self.email,
            3 => &mut self.company,
            4 => &mut self.note,
            5 => &mut self.address,
            _ => return None,
        })
    }

    /// Takes a row of `data` over. False where the kind is unknown.
    pub(crate) fn set_data(&mut self, row: &ProviderRow) -> bool {
        let kind = row.text("mimetype");
        let value = row.text("data1");
        match DATA.iter().position(|k| kind.strip_prefix("vnd.android.cursor.item/") == Some(*k)) {
            Some(0) => {
                let parts = (row.text("data2"), row.text("data3"));
                if (parts.0.is_empty() && parts.1.is_empty()) || (value != self.name() && !value.is_empty()) {
                    self.set_name(&value);
                } else {
                    (self.first, self.last) = parts;
                }
            }
            Some(slot) => {
                if slot == 1 {
                    self.phone_kind = row.int("data2").unwrap_or(2);
                }
                let Some(text) = self.text_mut(slot) else { return false };
                *text = value;
            }
            None => return false,
        }
        true
    }
}

/// The kinds of rows in `data`; a row's id is the contact's id times ten and the place in here.
const DATA: [&str; 6] = ["name", "phone_v2", "email_v2", "organization", "note", "postal-address_v2"];

pub fn digits(number: &str) -> String {
    number.chars().filter(char::is_ascii_digit).collect()
}

/// The people of a seed: two dozen, and with them the same ones twice, and namesakes who are not the same.
pub fn people(seed: &mut Seed) -> Vec<Person> {
    let firsts = seed.sample(contents::list("first names"), 24);
    let lasts = seed.sample(contents::list("last names"), 24);
    let numbers: Vec<i64> = seed.sample(&(0..100_i64).collect::<Vec<_>>(), 30);
    let mut out: Vec<Person> = Vec::new();
    for (i, (first, last)) in firsts.iter().zip(&lasts).enumerate() {
        let known = |share: i64, seed: &mut Seed| seed.int(1, 100) <= share;
        let mut p = Person { first: (*first).to_owned(), last: (*last).to_owned(), ..Person::default() };
        p.phone = format!("555-01{:02}", numbers.get(i).copied().unwrap_or(0));
        p.phone_kind = KINDS.get(usize::try_from(seed.int(0, 2)).unwrap_or(0)).map_or(2, |k| k.0);
        if known(70, seed) {
            let plain = first.replace('ë', "e").to_lowercase();
            p.email = format!("{plain}.{}@example.com", last.to_lowercase());
        }
        if known(50, seed) {
            seed.pick(contents::list("companies")).unwrap_or_default().clone_into(&mut p.company);
        }
        if known(30, seed) {
            p.address =
                format!("{} {}", seed.int(1, 99), seed.pick(contents::list("streets")).unwrap_or_default());
        }
        if known(20, seed) {
            seed.pick(contents::list("contact notes")).unwrap_or_default().clone_into(&mut p.note);
        }
        p.starred = i < 3;
        out.push(p);
    }
    // Two people stand here twice, one of them with the number written otherwise; a namesake has another.
    let mut twins: Vec<Person> = seed.sample(&out, 3);
    for (i, twin) in twins.iter_mut().enumerate() {
        twin.starred = false;
        match i {
            0 => {}
            1 => twin.phone = twin.phone.replace('-', " "),
            _ => {
                twin.phone = format!("555-01{:02}", numbers.get(27).copied().unwrap_or(0));
                twin.email.clear();
            }
        }
    }
    out.extend(twins);
    let order = seed.sample(&(0..out.len()).collect::<Vec<_>>(), out.len());
    let mut people: Vec<Person> = order.into_iter().filter_map(|i| out.get(i).cloned()).collect();
    for (id, p) in (1_i64..).zip(&mut people) {
        p.id = id;
    }
    people
}

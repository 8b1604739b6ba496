//! The messages themselves: what a phone of a seed holds, and their rows as Android's SMS provider has them.

use crate::apps::{
    App as _,
    contacts::{self, Contacts, people::digits},
    prelude::*,
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sms {
    pub id: i64,
    pub thread: i64,
    pub body: String,
    /// When, seconds since 1970.
    pub when: i64,
    pub mine: bool,
    pub read: bool,
}

/// A thread: all that went between this phone and one number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Thread {
    pub id: i64,
    /// The other number, as it was written first.
    pub address: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageStore {
    pub threads: Vec<Thread>,
    pub sms: Vec<Sms>,
    next: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadSummary<'a> {
    pub thread: &'a Thread,
    pub last: &'a Sms,
    pub count: usize,
    pub unread: usize,
}

/// What makes two spellings of a number the same: its digits, or the word where it has none.
pub fn key(address: &str) -> String {
    let d = digits(address);
    if d.is_empty() { address.trim().to_lowercase() } else { d }
}

fn filled(text: &str, seed: &mut Seed) -> String {
    text.replace("{code}", &seed.int(1000, 9999).to_string())
        .replace("{day}", seed.pick(contents::list("days")).unwrap_or_default())
        .replace("{hour}", &seed.int(10, 18).to_string())
        .replace("{n}", &seed.int(3, 30).to_string())
}

impl MessageStore {
    /// What a phone of a seed holds: talks with some of its contacts, and what services send.
    pub fn fresh(seed: &mut Seed) -> Self {
        let people = Contacts::fresh(&mut Seed::of(seed.phone, contacts::PACKAGE, seed.start));
        let mut numbers: Vec<String> =
            people.people.iter().map(|p| p.phone.clone()).filter(|n| n.contains('-')).collect();
        numbers.sort();
        numbers.dedup();
        let mut store = Self { next: 1, ..Self::default() };
        let mut all: Vec<(String, bool, String, i64)> = Vec::new();
        let talks = seed.sample(contents::list("talks"), 9);
        for (i, (number, talk)) in (0_i64..).zip(seed.sample(&numbers, 9).into_iter().zip(talks)) {
            let mut when = seed.start - 3_600 * (2 + i * 13) - seed.int(60, 3_000);
            // What is said, and by whom: `>` is this phone.
            let talk = talk.split(" | ");
            when -= i64::try_from(talk.clone().count()).unwrap_or(0) * 420;
            for line in talk {
                let body = filled(line.trim_start_matches("> "), seed);
                when += seed.int(60, 400);
                all.push((number.clone(), line.starts_with("> "), body, when));
            }
        }
        for (i, [from, text]) in (0_i64..).zip(seed.sample(&contents::records("services"), 4)) {
            let when = seed.start - 3_600 * (5 + 17 * i) - seed.int(0, 3_000);
            all.push((from.to_owned(), false, filled(text, seed), when));
        }
        all.sort_by_key(|m| m.3);
        for (address, mine, body, when) in all {
            store.add(&address, &body, when, mine);
        }
        // What came last in three threads has not been read.
        let ids: Vec<i64> = store.threads.iter().map(|t| t.id).collect();
        for id in ids {
            store.read(id);
        }
        let unread: Vec<i64> =
            store.summaries().iter().filter(|s| !s.last.mine).take(4).map(|s| s.last.id).collect();
        for id in unread.into_iter().step_by(2).chain(Some(0)) {
            if let Some(m) = store.sms.iter_mut().find(|m| m.id == id) {
                m.read = false;
            }
        }
        store
    }

    pub fn with(&self, address: &str) -> Option<&Thread> {
        let wanted = key(address);
        self.threads.iter().find(|t| key(&t.address) == wanted)
    }

    /// Adds a message; gives its id. The thread is made where there is none.
    pub fn add(&mut self, address: &str, body: &str, when: i64, mine: bool) -> i64 {
        let thread = self.with(address).map(|t| t.id).unwrap_or_else(|| {
            let id = self.threads.iter().map(|t| t.id).max().unwrap_or(0) + 1;
            self.threads.push(Thread { id, address: address.trim().to_owned() });
            id
        });
        let id = self.next;
        self.next += 1;
        self.sms.push(Sms { id, thread, body: body.to_owned(), when, mine, read: mine });
        self.sms.sort_by_key(|m| (m.when, m.id));
        id
    }

    /// A thread's messages, the oldest first.
    pub fn of(&self, thread: i64) -> impl Iterator<Item = &Sms> {
        self.sms.iter().filter(move |m| m.thread == thread)
    }

    pub fn read(&mut self, thread: i64) {
        for m in self.sms.iter_mut().filter(|m| m.thread == thread) {
            m.read = true;
        }
    }

    pub fn delete(&mut self, thread: i64) {
        self.sms.retain(|m| m.thread != thread);
        self.tidy();
    }

    fn tidy(&mut self) {
        let Self { threads, sms, .. } = self;
        threads.retain(|t| sms.iter().any(|m| m.thread == t.id));
    }

    pub fn summaries(&self) -> Vec<ThreadSummary<'_>> {
        let mut out: Vec<ThreadSummary<'_>> = self
            .threads
            .iter()
            .filter_map(|thread| {
                let last = self.of(thread.id).last()?;
                let unread = self.of(thread.id).filter(|m| !m.read).count();
                Some(ThreadSummary { thread, last, count: self.of(thread.id).count(), unread })
            })
            .collect();
        out.sort_by_key(|s| std::cmp::Reverse((s.last.when, s.last.id)));
        out
    }

    /// Rows of `mms-sms/conversations`.
    pub(crate) fn thread_rows(&self) -> Vec<ProviderRow> {
        let row = |s: &ThreadSummary<'_>| {
            row! {
                _id: s.thread.id, date: s.last.when * 1000, message_count: s.count,
                recipient_ids: s.thread.id.to_string(), snippet: &s.last.body, read: s.unread == 0, type: 0,
                has_attachment: 0,
            }
        };
        self.summaries().iter().map(row).collect()
    }

    /// Adds a row of `sms`; gives its id.
    pub fn put(&mut self, row: &ProviderRow) -> Result<i64, String> {
        if row.int("_id").is_some() {
            return Err("messages are not updated".to_owned());
        }
        let address = row.text("address");
        if address.trim().is_empty() {
            return Err("address is required".to_owned());
        }
        let last = self.sms.last().map_or(0, |m| m.when);
        let when = row.int("date").map_or(last + 60, |ms| ms / 1000);
        let id = self.add(&address, &row.text("body"), when, row.int("type") == Some(2));
        if let (Some(read), Some(m)) = (row.int("read"), self.sms.iter_mut().find(|m| m.id == id)) {
            m.read = read != 0;
        }
        Ok(id)
    }

    pub(crate) fn delete_sms(&mut self, id: i64) -> bool {
        let there = parts::remove(&mut self.sms, |m| m.id == id);
        self.tidy();
        there
    }
}

//! Messages: the threads with their unread counts, one thread with its reply field, and a new conversation.
//!
//! What `content` shows, as on a device:
//! - `content://sms`, `…/inbox`, `…/sent`: `thread_id address date read type body …`, dates in milliseconds,
//!   type 1 received and 2 sent; takes inserts (`address`, `body`, maybe `type`, `date`, `read`) and deletes
//! - `content://mms-sms/conversations`: `date message_count recipient_ids snippet read`
//! - `content://mms-sms/canonical-addresses`: `address`; the id of a number is that of its thread
//!
//! Names come from the contacts' provider whenever a screen is shown; the app keeps no contacts of its own.

pub mod store;

use std::collections::BTreeMap;

use serde_json::json;

use crate::{apps::prelude::*, world::providers::Query};
use store::{MessageStore, key};

messages! {
    enum Msg {
        /// Something was typed into a thread's field.
        Typed = "typed",
        Send = "send",
        Drop(message: i64) = "drop",
        Delete(thread: i64) = "delete",
    }
}

pub const PACKAGE: &str = "com.android.messaging";

fn is_number(typed: &str) -> bool {
    let digits = typed.chars().filter(char::is_ascii_digit).count();
    digits >= 3 && typed.chars().all(|c| c.is_ascii_digit() || "+-() .".contains(c))
}

fn to_end(at: &mut Activity) {
    // Far below the end of any list: layout puts it at the end.
    at.scroll.insert("android:id/list".to_owned(), 1_000_000);
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Messages {
    store: MessageStore,
    /// Numbers and names as the contacts had them last: digits, then number as written and name.
    names: BTreeMap<String, (String, String)>,
}

impl Messages {
    fn name(&self, address: &str) -> String {
        self.names.get(&key(address)).map_or_else(|| address.to_owned(), |(_, name)| name.clone())
    }

    fn address(at: &Activity) -> String {
        let data = at.intent.data.as_deref().unwrap_or("");
        let from_data = data.split_once(':').map_or("", |(_, n)| n).split('?').next().unwrap_or("");
        match at.extra("address") {
            given if given.is_empty() => from_data.replace("%20", " "),
            given => given,
        }
    }

    fn learn_names(&mut self, sys: &mut Sys<'_>) {
        let rows = sys.world().query("content://com.android.contacts/data/phones", &Query::default());
        if let Ok(rows) = rows {
            self.names = rows
                .iter()
                .map(|r| (key(&r.text("data1")), (r.text("data1"), r.text("display_name"))))
                .collect();
        }
    }

    fn picked(at: &Activity) -> Vec<i64> {
        at.local("picked").split(',').filter_map(|p| p.parse().ok()).collect()
    }

    fn thread_shown(&mut self, at: &mut Activity) {
        if at.local("begun").is_empty() {
            at.set_local("begun", "1");
            let body = match at.extra("sms_body") {
                b if b.is_empty() => at.extra("android.intent.extra.TEXT"),
                b => b,
            };
            if !body.is_empty() {
                at.set_field("compose_message_text", body);
            }
        }
        if let Some(id) = self.store.with(&Self::address(at)).map(|t| t.id) {
            self.store.read(id);
        }
        to_end(at);
    }

    /// Numbers and names that a search finds, by name.
    fn matching(&self, typed: &str) -> Vec<(String, String)> {
        let wanted = typed.trim().to_lowercase();
        let number = key(&wanted);
        let mut out: Vec<(String, String)> = self
            .names
            .iter()
            .filter(|(digits, (_, name))| {
                name.to_lowercase().contains(&wanted) || (is_number(&wanted) && digits.contains(&number))
            })
            .map(|(_, pair)| pair.clone())
            .collect();
        out.sort_by_key(|(number, name)| (name.to_lowercase(), number.clone()));
        out
    }
}

impl App for Messages {
    fn fresh(seed: &mut Seed) -> Self {
        Self { store: MessageStore::fresh(seed), names: BTreeMap::new() }
    }

    fn facts(&self, at: &Activity, _: &Cx<'_>) -> serde_json::Value {
        let (address, to) = (Self::address(at), at.typed("recipient_text_view"));
        let wanted = at.typed("search_src_text").to_lowercase();
        let lines = self.store.summaries().into_iter().map(|s| {
            let (id, name) = (s.thread.id, self.name(&s.thread.address));
            let found = wanted.is_empty()
                || name.to_lowercase().contains(&wanted)
                || self.store.of(id).any(|m| m.body.to_lowercase().contains(&wanted));
            let received = self.store.sms.iter().rev().find(|m| m.thread == id && !m.mine).map(|m| m.id);
            json!({
                "id": id, "address": s.thread.address, "name": name, "when": s.last.when, "mine": s.last.mine,
                "body": s.last.body, "unread": s.unread, "received": received, "found": found,
            })
        });
        let matching = self.matching(&to);
        json!({
            "picked": Self::picked(at), "lines": lines.collect::<Vec<_>>(), "name": self.name(&address),
            "thread": self.store.with(&address).map(|t| t.id), "address": address, "is_number": is_number(&to),
            "new_number": is_number(&to) && !matching.iter().any(|(n, _)| key(n) == key(&to)), "matching": matching,
        })
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        if matches!(ev.kind, UiEventKind::Shown | UiEventKind::NewIntent) {
            self.learn_names(sys);
            if at.name() == "ConversationActivity" {
                self.thread_shown(at);
            }
        }
        match ev.message() {
            Some(Msg::Typed) => to_end(at),
            Some(Msg::Send) => {
                let text = at.typed("compose_message_text");
                if !text.is_empty() {
                    self.store.add(&Self::address(at), &text, sys.now(), true);
                    at.set_field("compose_message_text", "");
                    to_end(at);
                }
            }
            Some(Msg::Drop(id)) => drop(self.store.delete_sms(id)),
            Some(Msg::Delete(thread)) => self.store.delete(thread),
            None => {}
        }
    }

    fn rows(&self, table: &str) -> Option<Vec<ProviderRow>> {
        match table {
            "mms-sms/conversations" => Some(self.store.thread_rows()),
            _ => tables::rows(&self.save(), table),
        }
    }

    fn put_row(&mut self, table: &str, row: &ProviderRow) -> Result<i64, String> {
        let kind = match table {
            "sms" => row.int("type").unwrap_or(1),
            "sms/inbox" => 1,
            "sms/sent" => 2,
            _ => return Err(format!("{table} is read-only")),
        };
        self.store.put(&row.clone().with("type", kind))
    }

    fn delete_row(&mut self, table: &str, id: i64) -> bool {
        matches!(table, "sms" | "sms/inbox" | "sms/sent") && self.store.delete_sms(id)
    }
}

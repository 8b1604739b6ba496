//! Messages: the threads with their unread counts, one thread with its reply field, and a new conversation.
//!
//! What `content` shows, as on a device:
//! - `content://sms`, `…/inbox`, `…/sent`: `thread_id address date read type body …`, dates in milliseconds,
//!   type 1 received and 2 sent; takes inserts (`address`, `body`, maybe `type`, `date`, `read`), updates, deletes
//! - `content://mms-sms/conversations`: `date message_count recipient_ids snippet read`; takes deletes
//! - `content://mms-sms/canonical-addresses`: `address`; the id of a number is that of its thread
//!
//! Names come from the contacts' provider whenever a screen is shown; the app keeps no contacts of its own.

mod screens;
pub mod store;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{App, Cx, Entry, Filter, Manifest, Screen, Seed, Sys};
use crate::{
    ui::{
        icon::Icon,
        node::{Event, UiEventKind},
        theme::Tone,
    },
    world::{
        intent::{ACTION_SEND, ACTION_VIEW, Intent},
        providers::{Query, Row},
        stack::Activity,
    },
};
use store::{Store, key};

/// The package of this app.
pub const PACKAGE: &str = "com.android.messaging";

/// Far below the end of any list: layout puts it at the end.
const END: i32 = 1_000_000;

/// The messages.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Messages {
    store: Store,
    /// Numbers and names as the contacts had them last: digits, then number as written and name.
    names: BTreeMap<String, (String, String)>,
}

impl Messages {
    fn name(&self, address: &str) -> String {
        self.names.get(&key(address)).map_or_else(|| address.to_owned(), |(_, name)| name.clone())
    }

    /// Whom a conversation is with.
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

    fn pick(at: &mut Activity, id: i64) {
        let mut picked = Self::picked(at);
        match picked.iter().position(|p| *p == id) {
            Some(i) => {
                picked.remove(i);
            }
            None => picked.push(id),
        }
        let joined: Vec<String> = picked.iter().map(ToString::to_string).collect();
        at.set_local("picked", joined.join(","));
    }

    fn list_event(&mut self, at: &mut Activity, ev: &Event, sys: &mut Sys<'_>) {
        let choosing = !Self::picked(at).is_empty();
        match (ev.parts(), &ev.kind) {
            (_, UiEventKind::Back) if choosing => {
                at.set_local("picked", "");
                sys.consume();
            }
            (("open", _), UiEventKind::Tap(..)) if choosing => Self::pick(at, ev.number().unwrap_or(0)),
            (("open", id), UiEventKind::Tap(..)) => {
                let thread = self.store.threads.iter().find(|t| t.id.to_string() == id);
                if let Some(t) = thread {
                    sys.open(".ConversationActivity", &[("address", &t.address)]);
                }
            }
            (("pick", _), UiEventKind::Long) => Self::pick(at, ev.number().unwrap_or(0)),
            (("unpick", _), _) => at.set_local("picked", ""),
            (("ask", _), _) => at.overlay = Some("delete".to_owned()),
            (("unread", _), _) => {
                for id in Self::picked(at) {
                    if let Some(m) = self.store.sms.iter_mut().rev().find(|m| m.thread == id && !m.mine) {
                        m.read = false;
                    }
                }
                at.set_local("picked", "");
            }
            (("delete", _), _) => {
                let picked = Self::picked(at);
                for id in &picked {
                    self.store.delete(*id);
                }
                at.set_local("picked", "");
                at.overlay = None;
                sys.toast(if picked.len() == 1 { "Conversation deleted" } else { "Conversations deleted" });
            }
            (("cancel", _), _) => at.overlay = None,
            (("new", _), _) => sys.open(".NewConversationActivity", &[]),
            (("search", _), UiEventKind::Tap(..)) => {
                let open = if at.local("search") == "1" { "0" } else { "1" };
                at.set_local("search", open);
                at.fields.remove("search_src_text");
                at.editing = None;
            }
            _ => {}
        }
    }

    fn thread_event(&mut self, at: &mut Activity, ev: &Event, sys: &mut Sys<'_>) {
        let address = Self::address(at);
        let thread = self.store.with(&address).map(|t| t.id);
        match (ev.parts(), &ev.kind) {
            (_, UiEventKind::Shown | UiEventKind::NewIntent) => {
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
                if let Some(id) = thread {
                    self.store.read(id);
                }
                at.scroll.insert("android:id/list".to_owned(), END);
            }
            (("up", _), _) => sys.finish(),
            (("typed", _), _) => {
                at.scroll.insert("android:id/list".to_owned(), END);
            }
            (("send", _), _) => {
                let text = at.field("compose_message_text").unwrap_or("").trim().to_owned();
                if !text.is_empty() {
                    self.store.add(&address, &text, sys.now(), true);
                    at.set_field("compose_message_text", "");
                    at.scroll.insert("android:id/list".to_owned(), END);
                }
            }
            (("attach", _), _) => sys.toast("Nothing to attach"),
            (("call", _), _) => {
                let data = Some(format!("tel:{}", address.replace(' ', "%20")));
                sys.start(Intent { data, ..Intent::action("android.intent.action.CALL") });
            }
            (("menu", _), _) => at.overlay = Some("menu".to_owned()),
            (("hold", id), _) => at.overlay = Some(format!("message/{id}")),
            (("drop", _), _) => {
                at.overlay = None;
                self.store.delete_sms(ev.number().unwrap_or(0));
            }
            (("ask", _), _) => at.overlay = Some("delete".to_owned()),
            (("cancel", _), _) => at.overlay = None,
            (("delete", _), _) => {
                at.overlay = None;
                if let Some(id) = thread {
                    self.store.delete(id);
                }
                sys.toast("Conversation deleted");
                sys.finish();
            }
            _ => {}
        }
    }

    fn new_event(&mut self, at: &mut Activity, ev: &Event, sys: &mut Sys<'_>) {
        let text = at.extra("android.intent.extra.TEXT");
        let typed = at.field("recipient_text_view").unwrap_or("").trim().to_owned();
        let to = match ev.parts() {
            ("up", _) => return sys.finish(),
            ("clear", _) => return at.set_field("recipient_text_view", ""),
            ("to", address) => address.to_owned(),
            ("enter", _) => {
                let found = self.matching(&typed);
                match found.first() {
                    Some((number, _)) if found.len() == 1 => number.clone(),
                    _ if screens::is_number(&typed) => typed,
                    _ => return,
                }
            }
            _ => return,
        };
        sys.finish();
        sys.open(".ConversationActivity", &[("address", &to), ("android.intent.extra.TEXT", &text)]);
    }

    /// Numbers and names that a search finds, by name.
    fn matching(&self, typed: &str) -> Vec<(String, String)> {
        let wanted = typed.trim().to_lowercase();
        let number = key(&wanted);
        let mut out: Vec<(String, String)> = self
            .names
            .iter()
            .filter(|(digits, (_, name))| {
                name.to_lowercase().contains(&wanted)
                    || (screens::is_number(&wanted) && digits.contains(&number))
            })
            .map(|(_, pair)| pair.clone())
            .collect();
        out.sort_by_key(|(number, name)| (name.to_lowercase(), number.clone()));
        out
    }
}

impl App for Messages {
    fn manifest() -> Manifest {
        Manifest {
            package: PACKAGE,
            label: "Messages",
            icon: Icon::Message,
            colour: Tone::Rgb(0x0f, 0x76, 0x80),
            activities: &[".ConversationListActivity", ".ConversationActivity", ".NewConversationActivity"],
            entry: Entry::System,
            authorities: &["sms", "mms-sms"],
            filters: &[
                Filter {
                    action: "android.intent.action.SENDTO",
                    data: "sms",
                    mime: "",
                    activity: ".ConversationActivity",
                },
                Filter { action: ACTION_VIEW, data: "sms", mime: "", activity: ".ConversationActivity" },
                Filter { action: ACTION_SEND, data: "", mime: "text/", activity: ".NewConversationActivity" },
            ],
        }
    }

    fn fresh(seed: &mut Seed) -> Self {
        Self { store: Store::fresh(seed), names: BTreeMap::new() }
    }

    fn view(&self, at: &Activity, cx: &Cx<'_>) -> Screen {
        match at.name() {
            "ConversationActivity" => self.thread(at, cx),
            "NewConversationActivity" => self.new_conversation(at),
            _ => self.list(at, cx),
        }
    }

    fn on_event(&mut self, at: &mut Activity, ev: &Event, sys: &mut Sys<'_>) {
        if matches!(ev.kind, UiEventKind::Shown | UiEventKind::NewIntent) {
            self.learn_names(sys);
        }
        match at.name() {
            "ConversationActivity" => self.thread_event(at, ev, sys),
            "NewConversationActivity" => self.new_event(at, ev, sys),
            _ => self.list_event(at, ev, sys),
        }
    }

    fn rows(&self, table: &str) -> Option<Vec<Row>> {
        match table {
            "sms" => Some(self.store.sms_rows(|_| true)),
            "sms/inbox" => Some(self.store.sms_rows(|m| !m.mine)),
            "sms/sent" => Some(self.store.sms_rows(|m| m.mine)),
            "mms-sms/conversations" => Some(self.store.thread_rows()),
            "mms-sms/canonical-addresses" => {
                let row =
                    |t: &store::Thread| Row::default().with("_id", t.id).with("address", t.address.as_str());
                Some(self.store.threads.iter().map(row).collect())
            }
            _ => None,
        }
    }

    fn put_row(&mut self, table: &str, row: &Row) -> Result<i64, String> {
        let kind = match table {
            "sms" => row.int("type").unwrap_or(1),
            "sms/inbox" => 1,
            "sms/sent" => 2,
            _ => return Err(format!("{table} is read-only")),
        };
        self.store.put(&row.clone().with("type", kind))
    }

    fn delete_row(&mut self, table: &str, id: i64) -> bool {
        match table {
            "sms" | "sms/inbox" | "sms/sent" => self.store.delete_sms(id),
            "mms-sms/conversations" => {
                let known = self.store.threads.iter().any(|t| t.id == id);
                self.store.delete(id);
                known
            }
            _ => false,
        }
    }
}

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

use crate::{apps::prelude::*, world::providers::Query};
use store::{MessageStore, key};

messages! {
    /// What the list's widgets send.
    enum ListMsg {
        /// A thread is opened; picked, where others are.
        Open(thread: i64) = "open",
        Pick(thread: i64) = "pick",
        Unpick = "unpick",
        MarkUnread = "unread",
        /// The picked threads are deleted.
        Delete = "delete",
        New = "new",
        /// The field to search with is shown or hidden.
        Search = "search",
    }
}

messages! {
    /// What the widgets of a thread send.
    enum ThreadMsg {
        Typed = "typed",
        Send = "send",
        Attach = "attach",
        Call = "call",
        Drop(message: i64) = "drop",
        Delete = "delete",
    }
}

messages! {
    /// What the widgets of a new conversation send.
    enum NewMsg {
        To(address: String) = "to",
        Enter = "enter",
    }
}

messages! {
    /// What lies over the list.
    enum ListOver {
        /// Whether to delete the picked threads.
        Delete = "delete",
    }
}

messages! {
    /// What lies over a thread.
    enum ThreadOver {
        Menu = "menu",
        Delete = "delete",
        /// What can be done to a message.
        Message(id: i64) = "message",
    }
}

/// The package of this app.
pub const PACKAGE: &str = "com.android.messaging";

/// Scrolls to the last message.
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

    fn list_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        let picked = Self::picked(at);
        if ev.kind == UiEventKind::Back && !picked.is_empty() {
            at.set_local("picked", "");
            sys.consume();
        }
        match ev.message() {
            Some(ListMsg::Open(id)) if !picked.is_empty() => Self::pick(at, id),
            Some(ListMsg::Open(id)) => {
                if let Some(t) = self.store.threads.iter().find(|t| t.id == id) {
                    sys.open(".ConversationActivity", &[("address", &t.address)]);
                }
            }
            Some(ListMsg::Pick(id)) => Self::pick(at, id),
            Some(ListMsg::Unpick) => at.set_local("picked", ""),
            Some(ListMsg::MarkUnread) => {
                for id in picked {
                    if let Some(m) = self.store.sms.iter_mut().rev().find(|m| m.thread == id && !m.mine) {
                        m.read = false;
                    }
                }
                at.set_local("picked", "");
            }
            Some(ListMsg::Delete) => {
                for id in &picked {
                    self.store.delete(*id);
                }
                at.set_local("picked", "");
                at.overlay = None;
                sys.toast(if picked.len() == 1 { "Conversation deleted" } else { "Conversations deleted" });
            }
            Some(ListMsg::New) => sys.open(".NewConversationActivity", &[]),
            Some(ListMsg::Search) => {
                at.turn("search");
                at.fields.remove("search_src_text");
                at.editing = None;
            }
            None => {}
        }
    }

    fn thread_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        let address = Self::address(at);
        let thread = self.store.with(&address).map(|t| t.id);
        if matches!(ev.kind, UiEventKind::Shown | UiEventKind::NewIntent) {
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
            to_end(at);
        }
        match ev.message() {
            Some(ThreadMsg::Typed) => to_end(at),
            Some(ThreadMsg::Send) => {
                let text = at.typed("compose_message_text");
                if !text.is_empty() {
                    self.store.add(&address, &text, sys.now(), true);
                    at.set_field("compose_message_text", "");
                    to_end(at);
                }
            }
            Some(ThreadMsg::Attach) => sys.toast("Nothing to attach"),
            Some(ThreadMsg::Call) => {
                let data = Some(format!("tel:{}", address.replace(' ', "%20")));
                sys.start(Intent { data, ..Intent::action("android.intent.action.CALL") });
            }
            Some(ThreadMsg::Drop(id)) => {
                at.overlay = None;
                self.store.delete_sms(id);
            }
            Some(ThreadMsg::Delete) => {
                at.overlay = None;
                if let Some(id) = thread {
                    self.store.delete(id);
                }
                sys.toast("Conversation deleted");
                sys.finish();
            }
            None => {}
        }
    }

    fn new_event(&self, at: &Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        let typed = at.typed("recipient_text_view");
        let to = match ev.message() {
            Some(NewMsg::To(address)) => address,
            Some(NewMsg::Enter) => match self.matching(&typed).as_slice() {
                [(number, _)] => number.clone(),
                _ if screens::is_number(&typed) => typed,
                _ => return,
            },
            None => return,
        };
        let text = at.extra("android.intent.extra.TEXT");
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
            activities: &[".ConversationListActivity", ".ConversationActivity", ".NewConversationActivity"],
            authorities: &["sms", "mms-sms"],
            tables: &["sms"],
            filters: const {
                &[
                    IntentFilter::new("android.intent.action.SENDTO", "sms", ".ConversationActivity"),
                    IntentFilter::new(ACTION_VIEW, "sms", ".ConversationActivity"),
                    IntentFilter::new(ACTION_SEND, "", ".NewConversationActivity").of_type("text/"),
                ]
            },
            ..Manifest::system(PACKAGE, "Messages", Icon::Message, Tone::Rgb(0x0f, 0x76, 0x80))
        }
    }

    fn fresh(seed: &mut Seed) -> Self {
        Self { store: MessageStore::fresh(seed), names: BTreeMap::new() }
    }

    fn view(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        match at.name() {
            "ConversationActivity" => self.thread(at, cx),
            "NewConversationActivity" => self.new_conversation(at),
            _ => self.list(at, cx),
        }
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        if matches!(ev.kind, UiEventKind::Shown | UiEventKind::NewIntent) {
            self.learn_names(sys);
        }
        match at.name() {
            "ConversationActivity" => self.thread_event(at, ev, sys),
            "NewConversationActivity" => self.new_event(at, ev, sys),
            _ => self.list_event(at, ev, sys),
        }
    }

    fn rows(&self, table: &str) -> Option<Vec<ProviderRow>> {
        match table {
            "sms" => Some(self.store.sms_rows(|_| true)),
            "sms/inbox" => Some(self.store.sms_rows(|m| !m.mine)),
            "sms/sent" => Some(self.store.sms_rows(|m| m.mine)),
            "mms-sms/conversations" => Some(self.store.thread_rows()),
            "mms-sms/canonical-addresses" => {
                let row = |t: &store::Thread| row! { _id: t.id, address: &t.address };
                Some(self.store.threads.iter().map(row).collect())
            }
            _ => None,
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

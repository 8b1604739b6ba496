//! What the messages show: the threads, one thread, the choice of whom to write to.

use super::{
    ListMsg, ListOver, Messages, NewMsg, ThreadMsg, ThreadOver,
    store::{Sms, ThreadSummary, key},
};
use crate::apps::prelude::*;

/// Whether something typed is a number to send to.
pub(super) fn is_number(typed: &str) -> bool {
    let digits = typed.chars().filter(char::is_ascii_digit).count();
    digits >= 3 && typed.chars().all(|c| c.is_ascii_digit() || "+-() .".contains(c))
}

/// The time of a message as a list shows it: of today the hour, of this week the day.
fn stamp(cx: &Cx<'_>, when: i64) -> String {
    let at = Civil::of(when);
    match cx.now.div_euclid(86_400) - when.div_euclid(86_400) {
        0 => cx.time(at),
        1..=6 => format!("{:.3}", at.weekday_name()),
        _ => format!("{:.3} {}", at.month_name(), at.day),
    }
}

impl Messages {
    pub(super) fn list(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        let picked = Self::picked(at);
        let wanted = at.typed("search_src_text").to_lowercase();
        let rows: Vec<Node> = self
            .store
            .summaries()
            .into_iter()
            .filter(|s| {
                wanted.is_empty()
                    || self.name(&s.thread.address).to_lowercase().contains(&wanted)
                    || self.store.of(s.thread.id).any(|m| m.body.to_lowercase().contains(&wanted))
            })
            .map(|s| self.line(&s, picked.contains(&s.thread.id), cx))
            .collect();
        let bar = if picked.is_empty() {
            let search = kit::icon_button("action_search", Icon::Search, "Search", ListMsg::Search);
            kit::app_bar("Messages", vec![search])
        } else {
            Node::row(vec![
                kit::icon_button("action_mode_close_button", Icon::Close, "Done", ListMsg::Unpick),
                Node::label("action_bar_title", picked.len().to_string(), 20.0).fill(),
                // The signs of the selection bar carry no description.
                kit::icon_button("action_mark_unread", Icon::Message, "", ListMsg::MarkUnread),
                kit::icon_button("action_delete", Icon::Trash, "", show(ListOver::Delete)),
            ])
            .class("android.view.ViewGroup")
            .id("action_mode_bar")
            .high(64.0)
            .pad(4.0, 0.0)
            .bg(Tone::Card)
        };
        let mut top = vec![bar];
        if at.is_on("search") {
            let field = Node::field("search_src_text", "Search messages").radius(26.0);
            top.push(Node::row(vec![field]).pad(16.0, 4.0));
        }
        let empty = (Icon::Message, "Your conversations will appear here");
        let body = kit::list_under_fab("android:id/list", rows, 88.0, empty);
        let new = "start_new_conversation_button";
        let new = kit::fab(new, Icon::Plus, "Start new conversation", ListMsg::New);
        let over = at.over().map(|ListOver::Delete| ask(picked.len(), ListMsg::Delete));
        AppScreen::new(kit::page(Node::column(top), body, Some(new))).over(over)
    }

    fn line(&self, s: &ThreadSummary<'_>, picked: bool, cx: &Cx<'_>) -> Node {
        let name = self.name(&s.thread.address);
        let fresh = s.unread > 0;
        let weight = |n: Node| if fresh { n.bold() } else { n };
        let snippet = if s.last.mine { format!("You: {}", s.last.body) } else { s.last.body.clone() };
        let snippet_tone = if fresh { Tone::OnSurface } else { Tone::Muted };
        let mut end =
            vec![Node::label("conversation_timestamp", stamp(cx, s.last.when), 12.5).muted().lines(1)];
        if fresh {
            end.push(
                Node::text(s.unread.to_string())
                    .id("unread_badge")
                    .desc(format!("{} unread", s.unread))
                    .sp(12.5)
                    .bold()
                    .dp(24.0, 24.0)
                    .radius(12.0)
                    .centred()
                    .bg(Tone::Primary)
                    .tone(Tone::OnPrimary),
            );
        }
        let front = if picked {
            kit::badge(Icon::Check, Tone::Rgb(0x2f, 0x5d, 0xa8), 46.0).id("conversation_checkmark")
        } else {
            kit::avatar(&name, 46.0)
        };
        let row = Node::row(vec![
            front,
            Node::column(vec![
                weight(Node::label("conversation_name", name, 16.5).lines(1)),
                weight(Node::label("conversation_snippet", snippet, 14.5).lines(2)).tone(snippet_tone),
            ])
            .gap(2.0),
            Node::column(end).snug().gap(6.0).cross(Align::End),
        ])
        .class("android.widget.FrameLayout")
        .id("swipeableContainer")
        .gap(14.0)
        .pad(18.0, 10.0)
        .tap(ListMsg::Open(s.thread.id))
        .long(ListMsg::Pick(s.thread.id))
        .selected_if(|| picked);
        if picked { row.bg(Tone::Tint) } else { row }
    }

    pub(super) fn thread(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        let address = Self::address(at);
        let name = self.name(&address);
        let bar = kit::up_bar(
            &name,
            vec![
                kit::icon_button("action_call", Icon::Phone, "Call", ThreadMsg::Call),
                kit::icon_button("action_menu", Icon::More, "", show(ThreadOver::Menu)),
            ],
        );
        let thread = self.store.with(&address).map_or(-1, |t| t.id);
        let mut rows = Vec::new();
        let mut day = i64::MIN;
        for m in self.store.of(thread) {
            let its = m.when.div_euclid(86_400);
            if its != day {
                day = its;
                let date = Civil::of(m.when);
                rows.push(
                    Node::text(format!("{}, {} {}", date.weekday_name(), date.month_name(), date.day))
                        .sp(13.0)
                        .muted()
                        .fill()
                        .main(Align::Centre)
                        .pad(8.0, 12.0),
                );
            }
            rows.push(bubble(m, cx));
        }
        rows.push(Node::space(1.0, 8.0));
        let empty = at.typed("compose_message_text").is_empty();
        let ink = if empty { Tone::Outline } else { Tone::Primary };
        let send =
            kit::sign_button("send_message_button_icon", 48.0, (Icon::Send, 24.0, ink), ThreadMsg::Send)
                .disabled_if(|| empty);
        let compose = Node::row(vec![
            kit::icon_button("attach_media_button", Icon::Plus, "", ThreadMsg::Attach),
            Node::field("compose_message_text", "Text message")
                .input(FieldInput::Lines)
                .radius(24.0)
                .change(ThreadMsg::Typed),
            send,
        ])
        .class("android.view.ViewGroup")
        .id("message_compose_view_container")
        .pad(6.0, 8.0)
        .gap(2.0);
        let page = Node::column(vec![bar, Node::list("android:id/list", rows), compose]).tall();
        let over = at.over().map(|over| match over {
            ThreadOver::Menu => {
                dialogs::menu([("Call", ThreadMsg::Call.into()), ("Delete", show(ThreadOver::Delete))])
            }
            ThreadOver::Delete => ask(1, ThreadMsg::Delete),
            ThreadOver::Message(id) => dialogs::question("Message", vec![], "Delete", ThreadMsg::Drop(id)),
        });
        AppScreen::new(page).over(over)
    }

    pub(super) fn new_conversation(&self, at: &Activity) -> AppScreen {
        let typed = at.typed("recipient_text_view");
        let mut rows: Vec<Node> = Vec::new();
        let found = self.matching(&typed);
        if is_number(&typed) && !found.iter().any(|(n, _)| key(n) == key(&typed)) {
            let front = kit::badge(Icon::Person, Tone::Rgb(0x4a, 0x55, 0x68), 42.0);
            rows.push(
                kit::row(Some(front), &format!("Send to {typed}"), "", None)
                    .id("send_to_number")
                    .tap(NewMsg::To(typed)),
            );
        }
        rows.extend(found.iter().map(|(number, name)| {
            Node::row(vec![
                kit::avatar(name, 42.0),
                Node::column(vec![
                    Node::label("contact_name", name.clone(), 16.5).lines(1),
                    Node::label("contact_details", number.clone(), 14.0).muted().lines(1),
                ]),
            ])
            .class("android.view.ViewGroup")
            .gap(16.0)
            .pad(20.0, 8.0)
            .tap(NewMsg::To(number.clone()))
        }));
        let body = kit::list("all_contacts_list", rows, (Icon::Search, "No contacts found"));
        let top = Node::column(vec![
            kit::up_bar("New conversation", vec![]),
            Node::row(vec![
                Node::text("To").sp(16.0).muted(),
                Node::field("recipient_text_view", "Type a name or number").submit(NewMsg::Enter),
            ])
            .gap(12.0)
            .pad(20.0, 4.0),
        ]);
        parts::screen(top, body)
    }
}

fn bubble(m: &Sms, cx: &Cx<'_>) -> Node {
    let (ground, ink) = if m.mine { (Tone::Primary, Tone::OnPrimary) } else { (Tone::Card, Tone::OnSurface) };
    let text = Node::label("message_text", m.body.clone(), 16.0).tone(ink);
    let status = Node::label("message_status", cx.time(Civil::of(m.when)), 12.0).muted();
    let side = if m.mine { Align::End } else { Align::Start };
    let said = Node::column(vec![text]).snug().bg(ground).radius(18.0).pad(14.0, 9.0);
    let (l, r) = if m.mine { (70.0, 14.0) } else { (14.0, 70.0) };
    Node::column(vec![said, status])
        .cross(side)
        .gap(2.0)
        .margins(l, 3.0, r, 3.0)
        .long(show(ThreadOver::Message(m.id)))
}

fn ask(count: usize, on: impl Into<String>) -> Overlay {
    let title = if count == 1 { "Delete this conversation?" } else { "Delete these conversations?" };
    dialogs::confirm(title, "This can't be undone.", "Delete", on)
}

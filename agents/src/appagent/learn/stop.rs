//! What an exploration keeps its hands off: paying, sending, deleting, signing out.
//!
//! The rule reads an element's name, what its makers call it (on Android the resource id, so an icon named
//! `btn_delete` is known by it) and what is documented about it; a dialog's message; and, before Enter,
//! the buttons that it may press. It errs on the side of touching nothing. What an element stands in is not
//! read: an app may be called `de.post`, and a bar of buttons `send_bar`.

use waldo_devices::{Action, Affordance, DialogReply, Element, Observation, Tag};

use crate::agent::View;

/// Words that bar an element, a trailing `*` for any ending. Words of scripts without blanks match
/// anywhere.
pub const WORDS: [&str; 66] = [
    "pay",
    "pays",
    "payment",
    "buy",
    "buys",
    "purchase*",
    "checkout",
    "order",
    "send",
    "sends",
    "sending",
    "submit*",
    "post",
    "publish*",
    "share",
    "tweet",
    "reply",
    "call",
    "dial",
    "delete*",
    "deleting",
    "remov*",
    "erase*",
    "discard*",
    "wipe",
    "trash",
    "uninstall*",
    "reset",
    "format",
    "clear",
    "logout",
    "signout",
    "deactivate*",
    "block",
    "report",
    "unsubscribe*",
    "subscribe*",
    "transfer*",
    "withdraw*",
    "donate*",
    "confirm",
    "accept",
    "löschen",
    "entfernen",
    "bezahlen",
    "kaufen",
    "senden",
    "bestellen",
    "supprimer",
    "payer",
    "acheter",
    "envoyer",
    "eliminar",
    "borrar",
    "pagar",
    "comprar",
    "enviar",
    "cancellare",
    "invia",
    "paga",
    "删除",
    "支付",
    "购买",
    "发送",
    "付款",
    "提交",
];

/// Two words that bar an element only together.
const PAIRS: [(&str, &str); 5] =
    [("log", "out"), ("sign", "out"), ("empty", "bin"), ("place", "bid"), ("check", "out")];

/// Why something is barred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopHit {
    /// The word that was found.
    pub word: String,
    /// Where it was found.
    pub text: String,
}

/// The words of one exploration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopRule {
    words: Vec<String>,
    pairs: bool,
}

impl Default for StopRule {
    fn default() -> Self {
        Self { words: WORDS.map(str::to_owned).into(), pairs: true }
    }
}

impl StopRule {
    /// A rule that bars nothing.
    pub const fn none() -> Self {
        Self { words: Vec::new(), pairs: false }
    }

    /// Adds words.
    #[must_use]
    pub fn with(mut self, words: impl IntoIterator<Item = String>) -> Self {
        self.words.extend(words.into_iter().map(|w| w.trim().to_lowercase()).filter(|w| !w.is_empty()));
        self
    }

    /// Takes words away, so that what they named may be touched.
    #[must_use]
    pub fn without(mut self, words: &[String]) -> Self {
        let gone: Vec<String> = words.iter().map(|w| w.trim().trim_end_matches('*').to_lowercase()).collect();
        self.words.retain(|w| !gone.iter().any(|g| g == w.trim_end_matches('*')));
        self
    }

    /// The words of the rule.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The first word of a text that bars it.
    pub fn in_text(&self, text: &str) -> Option<StopHit> {
        let found = tokens(text);
        let hit = self.words.iter().find(|word| {
            if !word.is_ascii() && word.chars().any(|c| u32::from(c) >= 0x2e80) {
                return text.contains(word.as_str());
            }
            match word.strip_suffix('*') {
                Some(start) => found.iter().any(|t| t.starts_with(start)),
                None => found.iter().any(|t| t == *word),
            }
        });
        let pair = || {
            PAIRS
                .iter()
                .filter(|_| self.pairs)
                .find(|(a, b)| found.windows(2).any(|two| matches!(two, [x, y] if x == a && y == b)))
        };
        let word = hit.cloned().or_else(|| pair().map(|(a, b)| format!("{a} {b}")))?;
        Some(StopHit { word, text: text.chars().take(120).collect() })
    }

    /// Whether an element is barred: by its name, by what its makers call it, or by what is documented about
    /// a tap on it.
    pub fn on_element(&self, element: &Element, doc: &str) -> Option<StopHit> {
        // What only scrolls or takes text does nothing by being touched.
        if element.can(Affordance::Edit) || !element.can(Affordance::Click) {
            return None;
        }
        let made = || self.in_text(element.id.as_deref()?);
        self.in_text(&element.name).or_else(made).or_else(|| self.in_text(doc))
    }

    /// Whether an action that names no element is barred: Enter where a barred button waits for it,
    /// agreement to a dialog that asks for something barred.
    pub fn on_action(&self, action: &Action, screen: &Observation) -> Option<StopHit> {
        match action {
            Action::Key { chord } if chord.to_ascii_lowercase().contains("enter") => {
                let buttons = screen.elements.iter().filter(|e| e.role.as_str() == "button");
                let buttons = buttons.filter(|e| !e.states.disabled);
                buttons.filter_map(|e| self.in_text(&e.name)).next()
            }
            Action::Dialog { reply: DialogReply::Accept { .. } } => {
                self.in_text(&screen.context.dialog.as_ref()?.message)
            }
            Action::Type { text } if text.contains('\n') => {
                self.on_action(&Action::Key { chord: "Enter".into() }, screen)
            }
            _ => None,
        }
    }

    /// The barred elements of a view. `doc` gives what is documented about a tap, by place in the view.
    pub fn barred<'a>(&self, view: &View, doc: impl Fn(usize) -> &'a str) -> Vec<(Tag, StopHit)> {
        view.tagged
            .iter()
            .enumerate()
            .filter_map(|(at, t)| {
                let element = view.observation.elements.get(t.element)?;
                let hit = self.on_element(element, doc(at))?;
                Some((t.tag, hit))
            })
            .collect()
    }
}

/// The words of a text in lower case: parted at what is no letter, and at the humps of camel case.
fn tokens(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    for c in text.chars() {
        let hump = c.is_uppercase() && before.is_some_and(char::is_lowercase);
        if (!c.is_alphabetic() || hump) && !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
        if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use waldo_devices::Picture;

    use super::*;
    use crate::appagent::testing::{element, observation};

    #[test]
    fn what_pays_sends_or_deletes_is_barred() {
        let rule = StopRule::default();
        for text in [
            "Pay now",
            "Place order",
            "Send",
            "Delete all",
            "com.app.id_btn_delete_2",
            "deleteButton",
            "Log out",
            "Sign out of Mail",
            "Konto löschen",
            "确认删除",
            "Removes the message.",
            "CHECKOUT",
        ] {
            assert!(rule.in_text(text).is_some(), "{text}");
        }
        for text in ["Settings", "Paypal-like name", "Ordered list", "Blog outline", "Postcode", "Deli", ""] {
            assert_eq!(rule.in_text(text), None, "{text}");
        }
        let rule = rule.with(["Launch".to_owned()]).without(&["delete".to_owned()]);
        assert_eq!(rule.in_text("Delete all"), None);
        assert!(rule.in_text("launch rockets").is_some());
        assert_eq!(StopRule::none().in_text("Delete and log out"), None);
    }

    #[test]
    fn fields_are_not_barred_and_enter_and_dialogs_are() {
        let rule = StopRule::default();
        let click = [Affordance::Click];
        let send = element("button", "Send", 1, &click);
        let field = element("textbox", "Send to", 0, &[Affordance::Click, Affordance::Edit]);
        assert!(rule.on_element(&send, "").is_some());
        assert!(rule.on_element(&field, "").is_none());
        let mut icon = element("button", "", 2, &click);
        // An app of the post office, and a bar that holds a send button among others.
        icon.uid = Some("de.post.id_send_bar_android.widget.ImageView_95_95_4".into());
        assert!(rule.on_element(&icon, "").is_none());
        assert!(rule.on_element(&icon, "Deletes the message.").is_some());
        icon.id = Some("btn_delete".into());
        assert!(rule.on_element(&icon, "").is_some());
        let screen = observation(vec![field.clone(), send], Picture::empty());
        let enter = Action::Key { chord: "Enter".into() };
        assert!(rule.on_action(&enter, &screen).is_some());
        assert!(rule.on_action(&Action::Type { text: "a\n".into() }, &screen).is_some());
        assert!(rule.on_action(&enter, &observation(vec![field], Picture::empty())).is_none());
    }
}

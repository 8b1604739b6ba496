//! What an exploration keeps its hands off: paying, sending, deleting, signing out.
//!
//! The rule reads an element's name and what its makers call it (on Android the resource id, so an icon named
//! `btn_delete` is known by it); a dialog's message; and, before Enter, the buttons that it may press. A word that is
//! also a noun counts where it is meant as something to do (see [`sense`]). What is documented about an element is not
//! read: "shows a clock dial" and "a way to delete the alarm" are words about it, not its own. Neither is what it stands
//! in: an app may be called `de.post`, and a bar of buttons `send_bar`.

mod sense;

use waldo_devices::{Action, Affordance, DialogReply, Element, Observation, word_list};

use self::sense::{TextOrigin, is_deed, is_done, words};

/// Words that bar an element, a trailing `*` for any ending; without blanks in their script anywhere.
pub const WORDS: [&str; 66] = word_list(
    "pay pays payment buy buys purchase* checkout order send sends sending submit* post publish* share \
     tweet reply call dial delete* deleting remov* erase* discard* wipe trash uninstall* reset format clear \
     logout signout deactivate* block report unsubscribe* subscribe* transfer* withdraw* donate* confirm \
     accept löschen entfernen bezahlen kaufen senden bestellen supprimer payer acheter envoyer eliminar \
     borrar pagar comprar enviar cancellare invia paga 删除 支付 购买 发送 付款 提交",
);

/// Roles of what holds something to look at, rather than being pressed to do something.
const ROWS: [&str; 9] =
    ["generic", "listitem", "option", "row", "cell", "gridcell", "group", "article", "treeitem"];
/// The least texts in the name of what is a row, whatever its role.
const ROW_PARTS: usize = 3;
/// The least words of a sentence.
const SENTENCE: usize = 6;

/// Two words that bar an element only together.
const PAIRS: [(&str, &str); 6] = [
    ("log", "out"),
    ("sign", "out"),
    ("empty", "bin"),
    ("place", "bid"),
    ("check", "out"),
    ("history", "clear"),
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopHit {
    pub word: String,
    /// Whose text it was found in.
    pub place: StopPlace,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopPlace {
    Name,
    /// What the element's makers call it.
    Id,
    Dialog,
    Button,
    /// What a model said, looking back.
    Model,
}

impl StopHit {
    pub fn by_model(name: &str) -> Self {
        let text = name.chars().take(120).collect();
        Self { word: String::new(), place: StopPlace::Model, text }
    }

    /// The word, and where it stood, with the text there: for the record and a person. A prompt is told what
    /// [`StopHit::told`] says, as the text is the screen's.
    pub fn reason(&self) -> String {
        match self.quoted() {
            None => self.told(),
            Some(text) => format!("{}: \"{text}\"", self.told()),
        }
    }

    /// The word, and where it stood, in waldo's own words.
    pub fn told(&self) -> String {
        let place = match self.place {
            StopPlace::Name => "its name",
            StopPlace::Id => "its id",
            StopPlace::Dialog => "the dialog's message",
            StopPlace::Button => "the name of a button that Enter may press",
            StopPlace::Model => return "the model's word, looking back".to_owned(),
        };
        format!("'{}' in {place}", self.word.trim_end_matches('*'))
    }

    /// The text that it stood in, which may be told a model as untrusted text alone; `None` where that bars nothing.
    pub fn quoted(&self) -> Option<&str> {
        (self.place != StopPlace::Model).then_some(&self.text)
    }
}

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
    pub const fn none() -> Self {
        Self { words: Vec::new(), pairs: false }
    }

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

    pub fn words(&self) -> &[String] {
        &self.words
    }

    #[cfg(test)]
    fn in_text(&self, text: &str) -> Option<StopHit> {
        self.find(text, TextOrigin::Name, StopPlace::Name)
    }

    fn find(&self, text: &str, kind: TextOrigin, place: StopPlace) -> Option<StopHit> {
        let found = words(text, kind);
        let deed = |fits: &dyn Fn(&str) -> bool| {
            found.iter().enumerate().any(|(at, word)| fits(word) && is_deed(&found, at, kind))
        };
        let hit = self.words.iter().find(|word| {
            if !word.is_ascii() && word.chars().any(|c| u32::from(c) >= 0x2e80) {
                return text.contains(word.as_str());
            }
            match word.strip_suffix('*') {
                Some(start) => deed(&|t| t.starts_with(start) && !is_done(t)),
                None => deed(&|t| t == *word),
            }
        });
        let pair = || {
            PAIRS
                .iter()
                .filter(|_| self.pairs)
                .find(|(a, b)| found.windows(2).any(|two| matches!(two, [x, y] if x == a && y == b)))
        };
        let word = hit.cloned().or_else(|| pair().map(|(a, b)| format!("{a} {b}")))?;
        Some(StopHit { word, place, text: text.chars().take(120).collect() })
    }

    /// Whether touching an element can do something: what only scrolls or takes text does nothing by being touched.
    pub fn is_concerned(element: &Element) -> bool {
        element.can(Affordance::Click) && !element.can(Affordance::Edit)
    }

    /// Whether an element is barred: by its name, or by what its makers call it.
    pub fn on_element(&self, element: &Element) -> Option<StopHit> {
        if !Self::is_concerned(element) {
            return None;
        }
        let kind = if element.role.as_str() == "menu" { TextOrigin::Menu } else { TextOrigin::Name };
        let made = || self.find(element.id.as_deref()?, TextOrigin::Id, StopPlace::Id);
        // A button that holds several texts is a row too, as in a list of messages.
        let is_row = ROWS.contains(&element.role.as_str()) || element.name.split(", ").count() >= ROW_PARTS;
        let named =
            if is_row { self.in_row(&element.name) } else { self.find(&element.name, kind, StopPlace::Name) };
        named.or_else(made)
    }

    /// The name of a row is what it shows, part by part: a message, an event, a setting with what it does. Only what
    /// leads a part is something to do; of a sentence no word is.
    fn in_row(&self, name: &str) -> Option<StopHit> {
        let hit = name.split(", ").enumerate().find_map(|(part, text)| {
            let words: Vec<&str> = text.split_whitespace().collect();
            let read = match (part, words.len()) {
                (0, 0..SENTENCE) => text.to_owned(),
                (0, _) => words[..2].join(" "),
                _ => words.first().copied().unwrap_or_default().to_owned(),
            };
            self.find(&read, TextOrigin::Name, StopPlace::Name)
        })?;
        Some(StopHit { text: name.chars().take(120).collect(), ..hit })
    }

    /// Whether an action that names no element is barred: Enter where a barred button waits for it,
    /// agreement to a dialog that asks for something barred.
    pub fn on_action(&self, action: &Action, screen: &Observation) -> Option<StopHit> {
        match action {
            Action::Key { chord } if chord.to_ascii_lowercase().contains("enter") => {
                let buttons = screen.elements.iter().filter(|e| e.role.as_str() == "button");
                let buttons = buttons.filter(|e| !e.states.disabled);
                buttons.filter_map(|e| self.find(&e.name, TextOrigin::Name, StopPlace::Button)).next()
            }
            Action::Dialog { reply: DialogReply::Accept { .. } } => {
                self.in_message(&screen.context.dialog.as_ref()?.message)
            }
            Action::Type { text } if text.contains('\n') => {
                self.on_action(&Action::Key { chord: "Enter".into() }, screen)
            }
            _ => None,
        }
    }

    /// What an app asks about in a dialog of its own is barred wherever in the message it stands: a dialog asks before
    /// what cannot be taken back.
    fn in_message(&self, message: &str) -> Option<StopHit> {
        let ends = |c: char| !c.is_alphanumeric();
        let each = message.split(ends).filter(|word| !word.is_empty());
        let by_word = || each.clone().find_map(|word| self.find(word, TextOrigin::Id, StopPlace::Dialog));
        let hit = self.find(message, TextOrigin::Id, StopPlace::Dialog).or_else(by_word)?;
        Some(StopHit { text: message.chars().take(120).collect(), ..hit })
    }
}

#[cfg(test)]
mod tests {
    use waldo_devices::Picture;

    use super::*;
    use crate::appagent::testing::{element, observation};

    #[test]
    fn what_pays_sends_or_deletes_is_barred() {
        let rule = StopRule::default();
        for text in "Pay now|Place order|Make payment|Please confirm|Complete purchase|Quick reply|\
            Empty and reset|Send|Delete all|com.app.id_btn_delete_2|deleteButton|Log out|Sign out of Mail|\
            Konto löschen|确认删除|Removes the message.|CHECKOUT"
            .split('|')
        {
            assert!(rule.in_text(text).is_some(), "{text}");
        }
        for text in "Settings|Paypal-like name|Ordered list|Blog outline|Postcode|Deli||Weekly report|\
            Format|order.csv|Clock dial|Recently deleted"
            .split('|')
        {
            assert_eq!(rule.in_text(text), None, "{text}");
        }
        let rule = rule.with(["Launch".to_owned()]).without(&["delete".to_owned()]);
        assert_eq!(rule.in_text("Delete all"), None);
        assert!(rule.in_text("launch rockets").is_some());
        assert_eq!(StopRule::none().in_text("Delete and log out"), None);
    }

    /// What pays, sends or deletes in the simulated phone's apps, by name and resource id, and what only looks so.
    #[test]
    fn the_simulated_phones_apps_are_barred_where_they_pay_send_or_delete() {
        let rule = StopRule::default();
        let on = |name: &str, id: &str| {
            let mut button = element("button", name, 1, &[Affordance::Click]);
            button.id = (!id.is_empty()).then(|| id.to_owned());
            rule.on_element(&button).is_some()
        };
        for (name, id) in [
            ("Checkout", "checkout_button"),
            ("Pay $40.00", "pay_button"),
            ("", "line_remove"),
            ("", "song_remove"),
            ("", "history_clear"),
            ("", "send_message_button_icon"),
            ("Send to +1 555 0100", "send_to_number"),
            ("", "action_delete"),
            ("", "info_action_delete"),
            ("Delete", ""),
            ("Delete alarm", "delete"),
            ("Delete timer", ""),
            ("Delete folder", ""),
            ("Discard", ""),
            ("Remove from playlist", ""),
            ("Remove from favourites", ""),
            ("Clear storage", ""),
            ("Clear all", "clear_all"),
            ("Share", "share"),
            ("Call", "verb_call"),
            ("Reset", ""),
        ] {
            assert!(on(name, id), "{name} {id}");
        }
        for (name, id) in [
            ("Your orders", "orders"),
            ("Order details", "order_details"),
            ("Card", "payment_card"),
            ("Add to cart", "add_to_cart"),
            ("Spell checker", ""),
            ("Running log", ""),
            ("", "search_clear"),
            ("Archive", "archive"),
        ] {
            assert!(!on(name, id), "{name} {id}");
        }
    }

    #[test]
    fn a_row_is_barred_by_what_leads_its_parts_alone() {
        let rule = StopRule::default();
        let on =
            |role: &str, name: &str| rule.on_element(&element(role, name, 1, &[Affordance::Click])).is_some();
        for name in
            ["Delete", "Clear storage, Delete all of this app's data", "Buy 2 and pay for one of them now"]
        {
            assert!(on("generic", name), "{name}");
        }
        for name in [
            "What should I buy for the soup?, 17:18",
            "N, Northgate Clinic, Please confirm your visit, 09:12",
            "Call with Atlas Rail, 09:00 – 09:30 · Library",
            "Report due, 10:30 – 12:00 · Town hall",
        ] {
            assert!(!on("generic", name), "{name}");
        }
        // A phone calls any row that can be tapped a button.
        assert!(!on("button", "N, Northgate Clinic, Reminder: it is on Thursday. Reply C to confirm., Sat"));
        assert!(on("button", "3 lamps, in your basket, Pay $40.00"));
        // A button's words are its own, however many.
        assert!(on("button", "Yes, please delete all of it for good"));
    }

    #[test]
    fn a_dialog_is_barred_wherever_it_says_so() {
        let rule = StopRule::default();
        for message in
            ["Do you really want to delete it?", "Your order will be placed. Accept?", "Ready to post"]
        {
            assert_eq!(rule.in_message(message).unwrap().place, StopPlace::Dialog, "{message}");
        }
        assert!(rule.in_message("You have unsaved notes. Leave?").is_none());
    }

    #[test]
    fn fields_are_not_barred_and_enter_and_dialogs_are() {
        let rule = StopRule::default();
        let click = [Affordance::Click];
        let send = element("button", "Send", 1, &click);
        let field = element("textbox", "Send to", 0, &[Affordance::Click, Affordance::Edit]);
        assert!(rule.on_element(&send).is_some());
        assert!(rule.on_element(&field).is_none());
        let mut icon = element("button", "", 2, &click);
        // An app of the post office, and a bar that holds a send button among others.
        icon.uid = Some("de.post.id_send_bar_android.widget.ImageView_95_95_4".into());
        assert!(rule.on_element(&icon).is_none());
        icon.id = Some("btn_delete".into());
        assert_eq!(rule.on_element(&icon).unwrap().reason(), "'delete' in its id: \"btn_delete\"");
        let screen = observation(vec![field.clone(), send], Picture::empty());
        let enter = Action::Key { chord: "Enter".into() };
        assert!(rule.on_action(&enter, &screen).is_some());
        assert!(rule.on_action(&Action::Type { text: "a\n".into() }, &screen).is_some());
        assert!(rule.on_action(&enter, &observation(vec![field], Picture::empty())).is_none());
    }
}

//! Whether keys that are typed now press buttons, which take the next key only after a while.
//!
//! A button of GTK that a key activates is shown pressed for 250 ms, takes all keys meanwhile and drops them; one of Qt
//! does so for 100 ms with its own.

use super::node::ObjectKey;
use super::protocol::State;
use super::{Access, asked};
use waldo_devices::{Affordance, Deadline, Element, Source};

/// Fields that are asked whether they have the keyboard.
const FIELDS: usize = 40;

impl Access {
    /// Whether the program in front has buttons that keys press, and no field to type into has the keyboard.
    /// `elements` are those of the last look, that of the window in front first.
    pub(crate) async fn keys_press_buttons(&self, elements: &[Element], deadline: Deadline) -> bool {
        let tree = || elements.iter().filter(|element| element.source == Source::Tree);
        let focused = tree().find(|element| element.states.focused);
        let Some(first) = focused.or_else(|| tree().next()) else { return false };
        let (Some(key), Ok(bus)) = (ObjectKey::parse(&first.handle), self.bus(deadline).await) else {
            return false;
        };
        // A paragraph, a cell, a terminal take text, though they are no fields.
        let drops = matches!(
            first.role.as_str(),
            "button" | "checkbox" | "radio" | "tab" | "link" | "slider" | "textbox"
        );
        if (focused.is_some() && !drops) || !asked::toolkit(&bus, &key.bus, deadline).await.has_busy_buttons()
        {
            return false;
        }
        let own = |element: &&Element| ObjectKey::parse(&element.handle).is_some_and(|at| at.bus == key.bus);
        let is_field = |e: &&Element| e.affordances.contains(&Affordance::Edit) && !e.states.readonly;
        let mut fields: Vec<&Element> = tree().filter(own).filter(is_field).collect();
        if focused.is_none() && (!fields.is_empty() || tree().count() < elements.len()) {
            // What has the keyboard is not listed, and may be a sheet or a drawing that takes text.
            return false;
        }
        fields.sort_by_key(|field| !field.states.focused);
        for field in fields.into_iter().take(FIELDS) {
            if let Some(key) = ObjectKey::parse(&field.handle)
                && asked::states(&bus, &key, deadline).await.has(State::Focused)
            {
                return false;
            }
        }
        true
    }
}

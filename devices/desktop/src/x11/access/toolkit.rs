//! What the toolkit of a program gets wrong, learnt once a program.

/// Classes of GTK 4 that are windows of their own on the screen. Closed ones say that they are visible, too.
pub(super) const POPOVERS: [&str; 3] = ["GtkPopover", "GtkPopoverMenu", "GtkTreePopover"];

#[derive(Clone, Debug, Default)]
pub(super) struct Toolkit {
    /// In lower case; empty where the program does not tell.
    pub(super) name: String,
    /// Whether only its windows say that they are drawn, and nothing in them (GTK 4.8).
    pub(super) hides_showing: bool,
}

impl Toolkit {
    /// Whether its buttons drop a key that comes again while they are shown pressed.
    pub(super) fn has_busy_buttons(&self) -> bool {
        matches!(self.name.as_str(), "gtk" | "qt")
    }
}

/// A name of GTK 4.8 as it is shown: what has none is called by its class, a label within a label is told twice, and
/// the mark of the letter for Alt is told with it.
pub(super) fn shown_name(told: &str) -> String {
    let is_class = |prefix: &&str| {
        let rest = told.strip_prefix(*prefix).unwrap_or_default();
        rest.starts_with(|c: char| c.is_ascii_uppercase()) && rest.chars().all(|c| c.is_ascii_alphanumeric())
    };
    if ["Gtk", "Gdk", "Adw"].iter().any(is_class) {
        return String::new();
    }
    let (first, second) = told.split_at_checked(told.len() / 2).unwrap_or((told, ""));
    let once = if second.strip_prefix(' ') == Some(first) { first } else { told };
    match once.split_once('_') {
        Some((before, after)) if after.starts_with(char::is_alphanumeric) && !after.contains('_') => {
            format!("{before}{after}")
        }
        _ => once.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::shown_name;

    #[test]
    fn names_of_gtk_4_are_told_as_they_are_shown() {
        for (told, shown) in [
            ("GtkDropDown", ""),
            ("Gtk", "Gtk"),
            ("Gtk Widgets", "Gtk Widgets"),
            ("4 4", "4"),
            ("÷ ÷", "÷"),
            ("Page _1", "Page 1"),
            ("snake_case_name", "snake_case_name"),
            ("Save me", "Save me"),
        ] {
            assert_eq!(shown_name(told), shown, "{told}");
        }
    }
}

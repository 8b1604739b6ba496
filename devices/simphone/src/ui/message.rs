//! Typed messages: what the widgets of an app send back, declared once as an enum.
//!
//! A widget of a layout carries its message as a string (`word/field/field`), since a laid tree knows no app.
//! [`messages!`] derives the way back, so that no app writes it by hand.

pub(crate) trait Message: Sized {
    /// The message that a widget carried; none where it is not one of this app's.
    fn parse(on: &str) -> Option<Self>;
}

/// Declares an app's messages: each variant with its word and fields. The last field takes slashes too.
macro_rules! messages {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$doc:meta])* $variant:ident $(($($field:ident: $kind:ty),+))? = $word:literal,)+
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        $vis enum $name { $($(#[$doc])* $variant $(($($kind),+))?,)+ }

        impl $crate::ui::message::Message for $name {
            fn parse(on: &str) -> Option<Self> {
                let (word, rest) = on.split_once('/').unwrap_or((on, ""));
                let _ = rest;
                match word {
                    $($word => {
                        $(let mut parts = rest.splitn([$(stringify!($field)),+].len(), '/');
                        $(let $field = parts.next().unwrap_or_default().parse().ok()?;)+)?
                        Some(Self::$variant $(($($field),+))?)
                    })+
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use messages;

messages! {
    /// What the widgets of every app may send. It is carried out before the app is asked.
    pub(crate) enum Common {
        /// The screen is left, as by Back.
        Up = "up",
        /// What lies over the screen is closed.
        Cancel = "cancel",
        /// Something is laid over the screen: what the app's view makes of this name.
        Show(overlay: String) = "over",
        /// Likewise; the field of this id is empty in it.
        Ask(field: String, overlay: String) = "over_field",
        /// What was typed is given up, and the screen left.
        Discard = "discard",
        Search = "search_begin",
        EndSearch = "search_end",
    }
}

#[cfg(test)]
mod tests {
    use super::Message as _;

    messages! {
        enum Sample {
            Plain = "plain",
            One(id: i64) = "one",
            Two(id: i64, rest: String) = "two",
        }
    }

    #[test]
    fn a_message_is_read_with_its_fields() {
        for (message, on) in [
            (Sample::Plain, "plain"),
            (Sample::One(-7), "one/-7"),
            (Sample::Two(3, "a/b".to_owned()), "two/3/a/b"),
            (Sample::Two(3, String::new()), "two/3/"),
        ] {
            assert_eq!(Sample::parse(on), Some(message));
        }
    }

    #[test]
    fn what_is_not_declared_is_not_a_message() {
        for on in ["", "plane", "one", "one/", "one/x", "two/x/y"] {
            assert_eq!(Sample::parse(on), None, "{on}");
        }
    }
}

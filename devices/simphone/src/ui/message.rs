//! Typed messages: what the widgets of an app send back, declared once as an enum.
//!
//! A widget carries its message as a string, since a laid tree knows no app. [`messages!`] derives that string
//! (`word/field/field`) and the way back from one declaration, so that no app writes either by hand.

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

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(Self::$variant $(($($field),+))? => {
                        f.write_str($word)?;
                        $($(write!(f, "/{}", $field)?;)+)?
                    })+
                }
                Ok(())
            }
        }

        impl From<$name> for String {
            fn from(message: $name) -> Self {
                message.to_string()
            }
        }

        impl std::str::FromStr for $name {
            type Err = ();

            fn from_str(on: &str) -> Result<Self, ()> {
                <Self as $crate::ui::message::Message>::parse(on).ok_or(())
            }
        }

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
            Within(other: Other) = "within",
        }
    }

    messages! {
        enum Other {
            Plain = "plain",
            One(id: i64) = "one",
        }
    }

    #[test]
    fn a_message_comes_back_as_it_was_sent() {
        for (message, on) in [
            (Sample::Plain, "plain"),
            (Sample::One(-7), "one/-7"),
            (Sample::Two(3, "a/b".to_owned()), "two/3/a/b"),
            (Sample::Two(3, String::new()), "two/3/"),
            (Sample::Within(Other::Plain), "within/plain"),
            (Sample::Within(Other::One(5)), "within/one/5"),
        ] {
            assert_eq!(String::from(message.clone()), on);
            assert_eq!(Sample::parse(on), Some(message));
        }
    }

    #[test]
    fn what_is_not_declared_is_not_a_message() {
        for on in ["", "plane", "one", "one/", "one/x", "two/x/y", "within", "within/x"] {
            assert_eq!(Sample::parse(on), None, "{on}");
        }
    }
}

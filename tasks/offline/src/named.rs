//! Names of values, as files and the command line write them.

/// Gives an enum all its values in their order, their names, and a way to read them.
macro_rules! named {
    ($enum:ident { $($value:ident = $name:literal),+ }) => {
        impl $enum {
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name),+
                }
            }
        }

        impl std::str::FromStr for $enum {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let found = Self::ALL.into_iter().find(|value| value.name() == text);
                found.ok_or_else(|| format!("write one of: {}", [$($name),+].join(", ")))
            }
        }
    };
}

/// Which items of a level are asked for: `all`, or those of one kind.
macro_rules! mode {
    ($(#[$doc:meta])* $mode:ident of $kind:ident, $level:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $mode {
            #[default]
            All,
            Only($kind),
        }

        impl $mode {
            pub fn name(self) -> &'static str {
                match self {
                    Self::All => "all",
                    Self::Only(kind) => kind.name(),
                }
            }
        }

        impl std::str::FromStr for $mode {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                if text == "all" {
                    return Ok(Self::All);
                }
                let named = $kind::ALL.map($kind::name).join(", ");
                let unknown = |_| format!("{} has no mode '{text}': write one of: all, {named}", $level);
                text.parse().map(Self::Only).map_err(unknown)
            }
        }
    };
}

pub(crate) use {mode, named};

//! Names of values, as files and the command line write them.

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

pub(crate) use mode;

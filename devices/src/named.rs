//! Names of values, as files and the command line write them.

/// Gives an enum all its values in their order, their names, and a way to read and to write them.
#[macro_export]
macro_rules! named {
    ($enum:ident { $($value:ident = $name:literal),+ $(,)? }) => {
        impl $enum {
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name),+
                }
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $enum {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let found = Self::ALL.into_iter().find(|value| value.name() == text);
                found.ok_or_else(|| format!("'{text}' is none of: {}", [$($name),+].join(", ")))
            }
        }
    };
}

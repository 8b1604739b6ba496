//! What the flag for text recognition says.

use std::str::FromStr;

use waldo_text::Languages;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TextChoice {
    /// In English, or what there is, where the program is installed.
    #[default]
    Auto,
    Off,
    In(Languages),
}

impl FromStr for TextChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "off" => Ok(Self::Off),
            languages => languages.parse().map(Self::In).map_err(|error| format!("{error}; or auto, or off")),
        }
    }
}

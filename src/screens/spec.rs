//! A screen, as it is named on the command line.

use std::str::FromStr;

use super::kind::Kind;
use super::registry::KINDS;

/// A screen, as `--device` names it: its kind, and which one of the kind.
#[derive(Clone)]
pub struct Spec {
    kind: &'static dyn Kind,
    text: String,
}

impl Spec {
    /// Its kind.
    pub fn kind(&self) -> &'static dyn Kind {
        self.kind
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Default for Spec {
    fn default() -> Self {
        Self { kind: KINDS[0], text: KINDS[0].forms()[0].to_owned() }
    }
}

impl std::fmt::Debug for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Spec({})", self.text)
    }
}

impl FromStr for Spec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        for kind in KINDS {
            if let Some(read) = kind.read(text) {
                return read.map(|text| Self { kind: *kind, text });
            }
        }
        let forms: Vec<&str> = KINDS.iter().flat_map(|kind| kind.forms()).copied().collect();
        let (last, others) = forms.split_last().map_or(("", &[][..]), |(last, others)| (*last, others));
        Err(format!("'{text}' names no device: write {} or {last}", others.join(", ")))
    }
}

impl std::fmt::Display for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_read_as_it_is_written() {
        for text in [
            "web",
            "simphone",
            "android",
            "android:emulator-5554",
            "android:127.0.0.1:5601",
            "usb",
            "usb:A1",
            "desktop",
            "desktop::0",
            "desktop::1.0",
            "desktop::portable",
        ] {
            assert_eq!(text.parse::<Spec>().unwrap().to_string(), text);
        }
        assert_eq!("tcp:localhost:5601".parse::<Spec>().unwrap().to_string(), "tcp:127.0.0.1:5601");
        assert_eq!(Spec::default().to_string(), "web");
        for bad in [
            "",
            "phone",
            "android:",
            "tcp:5601",
            "usb:",
            "tcp:host:x",
            "web:1",
            "desktop:",
            "desktop:0",
            "desktop::x",
        ] {
            assert!(bad.parse::<Spec>().is_err(), "{bad}");
        }
        let unknown = "phone".parse::<Spec>().unwrap_err();
        assert!(unknown.contains("android:SERIAL") && unknown.ends_with("or desktop::portable"), "{unknown}");
    }
}

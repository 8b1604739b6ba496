//! What a machine elsewhere runs.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatingSystem {
    Linux,
    Windows,
    Mac,
}

impl OperatingSystem {
    /// The system that Python's `platform.system()` calls so, as plain text or as a JSON string; `None` for any other.
    pub fn of_python(answer: &[u8]) -> Option<Self> {
        match String::from_utf8_lossy(answer).trim().trim_matches('"') {
            "Linux" => Some(Self::Linux),
            "Windows" => Some(Self::Windows),
            "Darwin" => Some(Self::Mac),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Linux => "Linux",
            Self::Windows => "Windows",
            Self::Mac => "macOS",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_with_and_without_quotes() {
        let read = |answer: &str| OperatingSystem::of_python(answer.as_bytes());
        assert_eq!(read("Linux\n"), Some(OperatingSystem::Linux));
        assert_eq!(read("\"Darwin\""), Some(OperatingSystem::Mac));
        assert_eq!(["", "linux", "Windows 11", "\u{0}"].map(read), [None; 4]);
    }
}

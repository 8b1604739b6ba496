//! What a phone is made with. Every value has a default, so `PhoneOptions::default()` is a whole phone.

/// How a phone is made: its screen, what it says it is, and the seed of its contents.
#[derive(Debug, Clone, PartialEq)]
pub struct PhoneOptions {
    /// Seeds names, notes, messages, products and all other contents.
    pub seed: u64,
    pub width: u32,
    pub height: u32,
    /// Dots per inch: 160 means one pixel per dp.
    pub density_dpi: u32,
    /// `ro.build.version.release`.
    pub android_release: String,
    /// `ro.build.version.sdk`.
    pub sdk: u32,
    /// `ro.product.model`.
    pub model: String,
    /// `ro.serialno`.
    pub serial: String,
    /// BCP 47 tag of the system's language.
    pub locale: String,
    pub look: ColorScheme,
    /// Seconds since 1970 UTC which the phone's wall clock shows at its start.
    pub start_time: i64,
    /// How `uiautomator dump` waits for a quiet screen.
    pub idle: IdleWait,
    /// Whether its shell knows `simctl`.
    pub control: ShellControl,
    /// A second display, number 1.
    pub second: Option<SecondScreen>,
}

/// Whether a phone's shell knows the command by which it is made anew and told to misbehave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ShellControl {
    #[default]
    Simctl,
    /// It does not, as no real phone does.
    None,
}

/// A second display: what is drawn on it answers to taps, and has no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecondScreen {
    pub width: u32,
    pub height: u32,
    pub density_dpi: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColorScheme {
    Light,
    Dark,
}

/// What a dump waits for: so long without accessibility events, and no longer than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleWait {
    /// Milliseconds without an accessibility event.
    pub quiet_ms: u64,
    /// Milliseconds after which the dump gives up.
    pub limit_ms: u64,
}

impl IdleWait {
    /// What a real device does: one second of quiet, ten seconds at most.
    pub const REAL: Self = Self { quiet_ms: 1_000, limit_ms: 10_000 };
    /// For tests: the same rule, twenty times shorter.
    pub const SHORT: Self = Self { quiet_ms: 50, limit_ms: 1_000 };
}

impl Default for PhoneOptions {
    fn default() -> Self {
        Self {
            seed: 0,
            width: 1080,
            height: 2400,
            density_dpi: 420,
            android_release: "14".to_owned(),
            sdk: 34,
            model: "Waldo Phone".to_owned(),
            serial: "WALDO0001".to_owned(),
            locale: "en-US".to_owned(),
            look: ColorScheme::Light,
            start_time: 1_772_442_000,
            idle: IdleWait::REAL,
            control: ShellControl::default(),
            second: None,
        }
    }
}

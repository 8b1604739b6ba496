//! Flags of devices beside `--device`.

use std::path::PathBuf;

/// Reads the size of a private display.
///
/// # Errors
/// When it is none, with an example.
fn screen(text: &str) -> Result<(u32, u32), String> {
    let wrong = || format!("'{text}' is not a size: write it like 1280x800, each side from 320 to 8000");
    let (w, h) = text.split_once('x').ok_or_else(wrong)?;
    let side = |s: &str| s.parse::<u32>().ok().filter(|n| (320..=8000).contains(n)).ok_or_else(wrong);
    Ok((side(w)?, side(h)?))
}

/// What only some kinds of screens heed, beside the browser's flags.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Device")]
pub struct DeviceFlags {
    /// The adb server: a port or HOST:PORT [default: as for adb itself, else 5037].
    #[arg(long, value_name = "ADDRESS")]
    pub adb_server: Option<String>,
    /// The display of a phone, as `adb shell input -d` counts: another than 0 is seen by its picture alone
    /// [default: 0].
    #[arg(long, value_name = "N")]
    pub display_id: Option<u32>,
    /// The size of a private display in pixels [default: 1280x800].
    #[arg(long, value_name = "WxH", value_parser = screen)]
    pub screen: Option<(u32, u32)>,
    /// Write a video of each episode on a desktop: FILE, then FILE-2 and so on; needs ffmpeg.
    #[arg(long, value_name = "FILE.mp4")]
    pub record: Option<PathBuf>,
    /// Seconds before a display that is somebody's is taken [default: 5].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(0..=600))]
    pub countdown: Option<u32>,
    /// The chord that takes a display back at once [default: ctrl+alt+space].
    #[arg(long, value_name = "CHORD")]
    pub panic_key: Option<String>,
}

/// How many episodes are played at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Many {
    /// One.
    One,
    /// As many as there are phones.
    All,
}

impl DeviceFlags {
    /// The flags that were given and some kinds alone heed, each with the `--device` that it goes with.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        [
            ("--display-id", self.display_id.is_some(), "--device android, tcp:HOST:PORT or usb"),
            ("--screen", self.screen.is_some(), "--device desktop, on Linux"),
            ("--record", self.record.is_some(), "--device desktop, on Linux"),
            ("--countdown", self.countdown.is_some(), "--device desktop::0"),
            ("--panic-key", self.panic_key.is_some(), "--device desktop::0, on Linux"),
        ]
        .into_iter()
        .filter_map(|(flag, given, with)| given.then_some((flag, with)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_two_sides_within_bounds() {
        assert!(screen("800x600").is_ok() && screen("800").is_err() && screen("8x600").is_err());
    }
}

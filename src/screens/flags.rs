//! Flags of devices beside `--device`.

use std::path::PathBuf;

use waldo_devices::word_list;

use super::sandbox_choice::SandboxFlag;
use super::text_choice::TextChoice;
use crate::numbers::whole;

/// The size of private displays, or of the one that has this name among several screens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisplaySize {
    /// The screen that it is the size of; `None`: of each that has none of its own.
    pub name: Option<String>,
    pub size: (u32, u32),
}

impl std::str::FromStr for DisplaySize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, size) = match text.split_once('=') {
            Some((name, size)) => (Some(name.to_owned()), size),
            None => (None, text),
        };
        let wrong = || format!("'{size}' is not a size: write it like 1280x800, each side from 320 to 8000");
        let (w, h) = size.split_once('x').ok_or_else(wrong)?;
        let side = |s: &str| s.parse::<u32>().ok().filter(|n| (320..=8000).contains(n)).ok_or_else(wrong);
        Ok(Self { name, size: (side(w)?, side(h)?) })
    }
}

/// What only some kinds of screens heed, beside the browser's flags.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Device")]
pub struct DeviceFlags {
    /// The adb server: a port or HOST:PORT [default: as for adb itself, else 5037].
    #[arg(long, value_name = "ADDRESS")]
    pub adb_server: Option<String>,
    /// The display of a phone, as `adb shell input -d` counts: a display other than 0 is seen only by its picture
    /// [default: 0].
    #[arg(long, value_name = "N", value_parser = whole::<u32>(0..))]
    pub display_id: Option<u32>,
    /// The size of a private display in pixels [default: 1280x800]; NAME=WxH is that of one among several screens.
    #[arg(long = "screen", value_name = "[NAME=]WxH")]
    pub sizes: Vec<DisplaySize>,
    /// Whether programs of a private display run in a sandbox, which shows them the system read-only, their own HOME
    /// and only their own processes: auto (if the system allows it), required, or off [default: auto].
    #[arg(long, value_name = "HOW")]
    pub sandbox: Option<SandboxFlag>,
    /// Write a video of each episode on a desktop: FILE, then FILE-2 and so on; needs ffmpeg.
    #[arg(long, value_name = "FILE.mp4")]
    pub record: Option<PathBuf>,
    /// Seconds before a person's display is used [default: 5].
    #[arg(long, value_name = "SECONDS", value_parser = whole::<u32>(0..=600))]
    pub countdown: Option<u32>,
    /// The chord that takes a display back at once [default: ctrl+alt+space].
    #[arg(long, value_name = "CHORD")]
    pub panic_key: Option<String>,
    /// Speak plain HTTP or VNC to a device on another machine, where anyone on the network path can read the screen and
    /// everything that is typed.
    #[arg(long)]
    pub insecure: bool,
    /// Certificates (PEM) that sign a VNC server's certificate, or the server's own, instead of the system's; the
    /// server then has to use TLS.
    #[arg(long, value_name = "FILE")]
    pub tls_ca: Option<PathBuf>,
    /// The command on this machine that resets a remote desktop to its fresh state, before each start.
    #[arg(long, value_name = "COMMAND")]
    pub reset_command: Option<String>,
    /// What a virtual machine is made of: any of memory=MiB [default: 4096], cores=N [default: 2], accel=auto, kvm or tcg,
    /// boot=SECONDS until it is ready at most [default: 600], and hands=auto, server or vnc, by what it is driven; with
    /// commas between.
    #[arg(long, value_name = "SETTINGS")]
    pub vm: Option<String>,
    /// Words for what only a picture shows, read by the program tesseract: auto (English, where it is installed), off, or
    /// its languages, such as deu+eng.
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub text_recognition: TextChoice,
}

/// How many episodes are played at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concurrency {
    One,
    All,
}

impl DeviceFlags {
    /// The names of the flags that some kinds alone heed.
    pub const ALL: &'static [&'static str] = &word_list::<10>(
        "--display-id --screen --sandbox --record --countdown --panic-key --insecure --tls-ca \
         --reset-command --vm",
    );

    /// Leaves text recognition off where a run that goes on, whose manifest has these `parameters`, began without it and
    /// nobody asked for it: the program that does it was installed meanwhile. Whether that was so.
    pub fn go_on_as(&mut self, parameters: &serde_json::Value) -> bool {
        let newly = self.text_recognition == TextChoice::Auto
            && parameters["text_recognition"].is_null()
            && self.text_recognition.recorded().is_some();
        if newly {
            self.text_recognition = TextChoice::Off;
            eprintln!("text recognition stays off: the run began without it");
        }
        newly
    }

    /// The size of private displays that have none of their own.
    pub fn size(&self) -> Option<(u32, u32)> {
        self.sizes.iter().rev().find(|size| size.name.is_none()).map(|size| size.size)
    }

    /// The flags as the screen of this name heeds them: its own size, where one is given.
    pub fn of_screen(&self, name: &str) -> Self {
        let own = self.sizes.iter().rev().find(|size| size.name.as_deref() == Some(name));
        let size = own.map(|own| own.size).or(self.size());
        Self {
            sizes: size.map(|size| DisplaySize { name: None, size }).into_iter().collect(),
            ..self.clone()
        }
    }

    /// The flags that were given and some kinds alone heed, each with the `--device` that it goes with.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        [
            ("--display-id", self.display_id.is_some(), "--device android, tcp:HOST:PORT or usb"),
            ("--screen", !self.sizes.is_empty(), "--device desktop, on Linux, or qemu:IMAGE"),
            ("--sandbox", self.sandbox.is_some(), "--device desktop, on Linux"),
            ("--record", self.record.is_some(), "--device desktop, on Linux"),
            ("--countdown", self.countdown.is_some(), "--device desktop::0"),
            ("--panic-key", self.panic_key.is_some(), "--device desktop::0, on Linux"),
            ("--insecure", self.insecure, "--device bridge:URL, osworld:URL or vnc://HOST"),
            ("--tls-ca", self.tls_ca.is_some(), "--device vnc://HOST"),
            ("--reset-command", self.reset_command.is_some(), "--device osworld:URL"),
            ("--vm", self.vm.is_some(), "--device qemu:IMAGE"),
        ]
        .into_iter()
        .filter_map(|(flag, given, with)| given.then_some((flag, with)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_has_a_size_within_bounds_its_own_or_that_of_all() {
        let read = |text: &str| text.parse::<DisplaySize>();
        assert!(read("800x600").is_ok() && read("800").is_err() && read("8x600").is_err());
        assert_eq!(read("desk=800x600").unwrap().name.as_deref(), Some("desk"));
        assert!(read("desk=800").unwrap_err().starts_with("'800' is not a size"));
        let sizes = ["800x600", "desk=1600x900"].map(|text| text.parse().unwrap()).to_vec();
        let flags = DeviceFlags { sizes, ..DeviceFlags::default() };
        assert_eq!(flags.size(), Some((800, 600)));
        assert_eq!(flags.of_screen("desk").size(), Some((1600, 900)));
        assert_eq!(flags.of_screen("other").size(), Some((800, 600)));
    }
}

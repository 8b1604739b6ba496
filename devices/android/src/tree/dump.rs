//! A guarded `uiautomator dump`.
//!
//! The command exits with 0 when it fails and leaves an older file in place, so the file is removed
//! first and what it says is read. It waits for a second without changes, for up to ten.

use std::time::{Duration, Instant};

use super::parse::{UiDump, last_dump};
use crate::adb::{PhoneLink, RepeatRule};
use waldo_devices::{Deadline, DeviceError};

/// How often a screen without a root is asked again: apps that start have none for a moment.
const TRIES: usize = 3;
/// How long such a screen is left alone.
const PAUSE: Duration = Duration::from_millis(150);

pub(crate) struct Dump {
    pub(crate) tree: UiDump,
    pub(crate) xml: String,
    pub(crate) ended: Instant,
}

#[derive(Debug)]
pub(crate) enum DumpError {
    /// The screen never came to rest.
    Busy(&'static str),
    /// The app shows none (games, protected windows).
    NoTree(String),
    Device(DeviceError),
}

impl Dump {
    /// Dumps the active window by way of `file` on the phone.
    pub(crate) async fn take(link: &PhoneLink, file: &str, deadline: Deadline) -> Result<Self, DumpError> {
        let command = format!("rm -f {file}; uiautomator dump {file}; cat {file} && rm -f {file}");
        let mut cut = None;
        for round in 1.. {
            let out = match link.shell(&command, RepeatRule::Safe, deadline).await {
                Ok(out) => out,
                Err(DeviceError::Timeout { .. }) => return Err(DumpError::Busy("no tree in time")),
                Err(error) => return Err(DumpError::Device(error)),
            };
            let text = out.text();
            if let Some(start) = last_dump(&text) {
                let xml = text[start..].to_owned();
                let dump = Self { tree: UiDump::parse(&xml), ended: Instant::now(), xml };
                if !dump.tree.cut || cut.is_some() {
                    return Ok(dump);
                }
                cut = Some(dump);
                continue;
            }
            if let Some(cut) = cut.take() {
                return Ok(cut);
            }
            let said = out.both();
            if said.contains("could not get idle state") {
                return Err(DumpError::Busy("the screen never rests"));
            }
            if round >= TRIES || deadline.left() < PAUSE * 2 {
                let line = said
                    .lines()
                    .map(str::trim)
                    .find(|line| line.starts_with("ERROR") || line.contains("rror"));
                let line = line.unwrap_or("uiautomator wrote no tree");
                return Err(DumpError::NoTree(line.chars().take(200).collect()));
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err(DumpError::NoTree("uiautomator wrote no tree".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waldo_devices::secrets::Secrets;

    #[test]
    fn a_dump_is_kept_without_what_the_command_says_and_without_secrets() {
        let said = "UI hierchary dumped to: /a\n<?xml version='1.0' ?><hierarchy><node text=\"it is &lt;a&amp;b&quot;c&gt;!\" id=\"x\" />";
        let xml = &said[last_dump(said).unwrap_or_default()..];
        assert!(xml.starts_with("<?xml version='1.0' ?><hierarchy>"), "{xml}");
        let secrets = Secrets::new([("pin".to_owned(), "<a&b\"c>".to_owned())]);
        let shown = secrets.attributes(xml).unwrap_or_default();
        assert!(shown.contains("text=\"it is ••••!\" id=\"x\" />") && !shown.contains("a&amp;b"), "{shown}");
        assert_eq!(Secrets::default().attributes(xml), None);
        assert_eq!(last_dump("<hierarchy rotation=\"0\">"), Some(0));
    }
}

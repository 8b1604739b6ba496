//! Any script, by way of ADBKeyBoard: a keyboard app that types what a broadcast tells it.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::quote;
use crate::adb::{PhoneLink, RepeatRule, failed};
use waldo_devices::{Deadline, DeviceError, Result};

const PACKAGE: &str = "com.android.adbkeyboard";
const KEYBOARD: &str = "com.android.adbkeyboard/.AdbIME";
/// How long a keyboard may take to become the current one.
const SWITCHES_WITHIN: Duration = Duration::from_secs(3);
/// How long the app in front needs to bind to the new keyboard; nothing announces it.
const BINDS: Duration = Duration::from_millis(200);
const LOOK: Duration = Duration::from_millis(50);
/// The most characters in one broadcast: a command line is bounded.
const PART: usize = 1000;

/// ADBKeyBoard while it is the current keyboard.
pub(crate) struct Unicode<'a> {
    link: &'a PhoneLink,
    pub(crate) restore: String,
    /// Whether it was the current one before.
    is_own: bool,
}

async fn run(link: &PhoneLink, command: &str, repeat: RepeatRule, deadline: Deadline) -> Result<String> {
    Ok(link.shell(command, repeat, deadline).await?.both())
}

async fn current(link: &PhoneLink, deadline: Deadline) -> Result<String> {
    let out = link.shell("settings get secure default_input_method", RepeatRule::Safe, deadline).await?;
    Ok(out.text().trim().to_owned())
}

fn is_ours(id: &str) -> bool {
    id.starts_with(PACKAGE)
}

impl<'a> Unicode<'a> {
    /// What it would take to restore the keyboard that is current now; asked before anything changes.
    pub(crate) async fn plan(link: &'a PhoneLink, deadline: Deadline) -> Result<Self> {
        let all = run(link, "ime list -a -s", RepeatRule::Safe, deadline).await?;
        if !all.lines().any(|line| is_ours(line.trim())) {
            return Err(DeviceError::bad_argument(
                "text",
                "characters beyond ASCII need the ADBKeyBoard app on the phone: \
                          adb install ADBKeyboard.apk (github.com/senzhk/ADBKeyBoard); it is used while typing only",
            ));
        }
        let enabled = run(link, "ime list -s", RepeatRule::Safe, deadline).await?;
        let before = current(link, deadline).await?;
        let valid = |id: &str| {
            !id.is_empty()
                && id != "null"
                && id.chars().all(|c| c.is_ascii_alphanumeric() || "._/$-".contains(c))
        };
        let mut restore = if valid(&before) { format!("ime set {before}") } else { "ime reset".to_owned() };
        if !enabled.lines().any(|line| is_ours(line.trim())) {
            restore = format!("{restore}; ime disable {KEYBOARD}");
        }
        Ok(Self { link, restore, is_own: is_ours(&before) })
    }

    pub(crate) async fn switch(&self, deadline: Deadline) -> Result<()> {
        if self.is_own {
            return Ok(());
        }
        run(self.link, &format!("ime enable {KEYBOARD}; ime set {KEYBOARD}"), RepeatRule::Safe, deadline)
            .await?;
        let bound = deadline.at_most(SWITCHES_WITHIN);
        while !is_ours(&current(self.link, deadline).await?) {
            if bound.left() < LOOK {
                return Err(failed("ime set", "ADBKeyBoard did not become the current keyboard"));
            }
            tokio::time::sleep(LOOK).await;
        }
        tokio::time::sleep(BINDS.min(deadline.left())).await;
        Ok(())
    }

    /// Types a text without line breaks.
    pub(crate) async fn commit(&self, text: &str, deadline: Deadline) -> Result<()> {
        let chars: Vec<char> = text.chars().collect();
        for part in chars.chunks(PART) {
            let encoded = STANDARD.encode(part.iter().collect::<String>());
            let command = format!("am broadcast -a ADB_INPUT_B64 --es msg {}", quote(&encoded));
            let said = run(self.link, &command, RepeatRule::Never, deadline).await?;
            if !said.contains("Broadcast completed") {
                return Err(failed("typing", "the phone did not deliver the text to ADBKeyBoard"));
            }
        }
        Ok(())
    }

    pub(crate) async fn back(self, deadline: Deadline) -> Result<()> {
        if self.is_own {
            return Ok(());
        }
        run(self.link, &self.restore, RepeatRule::Safe, deadline).await.map(drop)
    }
}

//! Typing, and reading back what arrived.

use std::time::Duration;

use super::adb::RepeatRule;
use super::device::AndroidDevice;
use super::input::{Touch, TypedPart, Unicode, needs_keyboard, pieces, type_commands};
use super::tree::{Dump, DumpNode};
use waldo_devices::{Affordance, Clicks, Deadline, DeviceError, Effect, Element, Result};

/// Keys that one `keyevent` call may press.
const DELETES: usize = 100;
/// How long a tapped field may take to have the focus.
const FOCUS: Duration = Duration::from_millis(150);

/// A text as a dump has it: two dots stand for each character that Java needs two for.
fn as_dumped(text: &str) -> String {
    text.chars().map(|c| if c.len_utf16() > 1 { "..".to_owned() } else { c.to_string() }).collect()
}

impl AndroidDevice {
    /// Types a text; `None` leaves it to the pictures to tell what came of it.
    pub(crate) async fn type_text(&mut self, text: &str, deadline: Deadline) -> Result<Option<Effect>> {
        let pieces = pieces(text);
        let done = match needs_keyboard(text) {
            true => self.by_keyboard(&pieces, deadline).await,
            false => self.by_keys(&pieces, deadline).await,
        };
        // Errors name the command that failed, and that holds the text, which may be a secret.
        done.map_err(|error| match error {
            DeviceError::Timeout { after, .. } => DeviceError::Timeout { what: "typing".to_owned(), after },
            DeviceError::Call { message, .. }
                if self.is_secret(text) || !text.is_empty() && message.contains(text) =>
            {
                DeviceError::Call { call: "typing".to_owned(), message: "the phone refused it".to_owned() }
            }
            DeviceError::Call { message, .. } => DeviceError::Call { call: "typing".to_owned(), message },
            other => other,
        })?;
        if pieces.iter().any(|piece| !matches!(piece, TypedPart::Text(_))) {
            self.seen.focused = None;
        }
        match pieces.as_slice() {
            [] => Ok(Some(Effect::SuspectedNoop)),
            // Enter and Tab lead elsewhere.
            [.., TypedPart::Enter | TypedPart::Tab] => Ok(None),
            [.., TypedPart::Text(last)] => self.read_back(last, deadline).await,
        }
    }

    fn is_secret(&self, text: &str) -> bool {
        self.options.secrets.pairs().any(|(_, value)| value.contains(text))
    }

    async fn by_keys(&self, pieces: &[TypedPart], deadline: Deadline) -> Result<()> {
        let input = self.input();
        for piece in pieces {
            match piece {
                TypedPart::Text(run) => {
                    for command in type_commands(&input, run) {
                        self.run_input(&command, deadline).await?;
                    }
                }
                TypedPart::Enter => self.run_input(&format!("{input} keyevent 66"), deadline).await?,
                TypedPart::Tab => self.run_input(&format!("{input} keyevent 61"), deadline).await?,
            }
        }
        Ok(())
    }

    async fn by_keyboard(&self, pieces: &[TypedPart], deadline: Deadline) -> Result<()> {
        let link = self.link.clone();
        let keyboard = Unicode::plan(&link, deadline).await?;
        self.restore.note("keyboard", keyboard.restore.clone());
        link.shell(&self.restore.keep(), RepeatRule::Safe, deadline).await?;
        let input = self.input();
        let typed = async {
            keyboard.switch(deadline).await?;
            for piece in pieces {
                match piece {
                    TypedPart::Text(run) => keyboard.commit(run, deadline).await?,
                    TypedPart::Enter => self.run_input(&format!("{input} keyevent 66"), deadline).await?,
                    TypedPart::Tab => self.run_input(&format!("{input} keyevent 61"), deadline).await?,
                }
            }
            Ok(())
        }
        .await;
        let bound = if deadline.left() < Duration::from_secs(1) { Self::grace() } else { deadline };
        let back = keyboard.back(bound).await;
        if back.is_ok() {
            self.restore.done("keyboard");
            link.shell(&self.restore.keep(), RepeatRule::Safe, bound).await?;
        }
        typed.and(back)
    }

    /// The field that has the focus; `None` where the phone does not tell in time.
    async fn focused_field(&mut self, deadline: Deadline) -> Option<DumpNode> {
        if self.busy.is_some() || self.other_display().is_some() {
            return None;
        }
        let bound = deadline.at_most(self.options.tree);
        let dump = Dump::take(&self.link, &self.dump_file, bound).await.ok()?;
        dump.tree
            .focused()
            .filter(|node| node.class.contains("Edit") || node.class.contains("AutoComplete"))
            .cloned()
    }

    async fn read_back(&mut self, typed: &str, deadline: Deadline) -> Result<Option<Effect>> {
        let Some(field) = self.focused_field(deadline).await else { return Ok(None) };
        let earlier = self.seen.focused.replace(field.text.clone());
        let evidence = if field.password {
            let (now, then) = (field.text.chars().count(), earlier.map_or(0, |text| text.chars().count()));
            if now <= then {
                return Ok(Some(Effect::SuspectedNoop));
            }
            format!("the hidden field holds {now} characters")
        } else if earlier.as_ref() == Some(&field.text) {
            // A placeholder reads like a text: where it is what was typed, only the picture tells them apart.
            return Ok((field.text != typed).then_some(Effect::SuspectedNoop));
        } else if field.text.contains(typed) || field.text.contains(&as_dumped(typed)) {
            "the field holds the text".to_owned()
        } else if field.text == field.hint {
            return Ok(Some(Effect::SuspectedNoop));
        } else if self.is_secret(typed) {
            // What of it arrived could not be told from other text.
            "the field holds something else".to_owned()
        } else {
            let shown = self.options.secrets.brief(&field.text, 80);
            format!("the field holds something else: \"{shown}\"")
        };
        Ok(Some(Effect::Confirmed { evidence }))
    }

    pub(crate) async fn clear(&mut self, field: &Element, deadline: Deadline) -> Result<Effect> {
        if !field.can(Affordance::Edit) {
            return Err(super::perform::bad("clear", format!("a {} takes no text", field.role.as_str())));
        }
        let input = self.input();
        if !field.states.focused {
            let at = self.screen.to_native(field.hit);
            self.run_input(&Touch::Tap(at, Clicks::Single).command(&input, self.facts.sdk), deadline).await?;
            // The focus moves a moment after the finger, and nothing tells when.
            tokio::time::sleep(FOCUS.min(deadline.left())).await;
        }
        let length = field.value.as_deref().map_or(0, |value| value.chars().count());
        if self.facts.sdk >= 31 {
            self.run_input(&format!("{input} keycombination 113 29 && {input} keyevent 67"), deadline)
                .await?;
        } else {
            let keys = vec!["67"; (length + 2).min(DELETES)].join(" ");
            for _ in 0..(length / DELETES + 1) {
                self.run_input(&format!("{input} keyevent 123 {keys}"), deadline).await?;
            }
        }
        let Some(mut now) = self.focused_field(deadline).await else { return Ok(Effect::Unverifiable) };
        let is_empty = |node: &DumpNode| node.text.is_empty() || node.text == node.hint;
        if !is_empty(&now)
            && now.text.chars().count() >= length
            && length > 0
            && now.text == field.value.clone().unwrap_or_default()
        {
            // Some fields do not know "select all".
            let keys = vec!["67"; (length + 2).min(DELETES)].join(" ");
            for _ in 0..(length / DELETES + 1) {
                self.link.shell(&format!("{input} keyevent 123 {keys}"), RepeatRule::Never, deadline).await?;
            }
            now = match self.focused_field(deadline).await {
                Some(node) => node,
                None => return Ok(Effect::Unverifiable),
            };
        }
        self.seen.focused = Some(now.text.clone());
        Ok(match (is_empty(&now), length) {
            (true, _) => Effect::Confirmed { evidence: "the field is empty".to_owned() },
            // Without a hint attribute a placeholder reads like text.
            (false, 0) => Effect::Unverifiable,
            (false, _) if now.text != field.value.clone().unwrap_or_default() => {
                Effect::Confirmed { evidence: "the field's text changed".to_owned() }
            }
            (false, _) => Effect::SuspectedNoop,
        })
    }
}

//! A profile: its data, its templates, and whether both hold together.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use image::RgbImage;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use waldo_devices::{DeviceInfo, Tool};
use waldo_prompts::fill;

use crate::call::Call;
use crate::error::ProfileError;
use crate::hook::HookRule;
use crate::json::CallKeys;
use crate::message_rule::{HistoryRule, MessageRule, PICTURE, REPLY};
use crate::picture::{PictureRule, SizeError};
use crate::reply::{Reply, ReplyForm, ReplyRule};
use crate::rule::ActionRule;
use crate::scale::{Scale, Space};
use crate::tool_rule::ToolRule;

pub const MANIFEST: &str = "profile.toml";
pub(crate) const TEMPLATE_SUFFIX: &str = ".md.j2";
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProfileUse {
    /// A model that acts: `--agent native --profile NAME`.
    #[default]
    Agent,
    /// A model that finds places for a planner: `--grounder model=MODEL --grounder-profile NAME`.
    Grounder,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ProfileData {
    about: String,
    wording: Option<String>,
    #[serde(default, rename = "use")]
    used_as: ProfileUse,
    #[serde(default)]
    models: Vec<String>,
    example: String,
    picture: PictureRule,
    coordinates: Space,
    #[serde(default)]
    pub(crate) history: HistoryRule,
    pub(crate) messages: Vec<MessageRule>,
    reply: ReplyRule,
    #[serde(default)]
    actions: BTreeMap<String, ActionRule>,
    tool: Option<ToolRule>,
    hook: Option<HookRule>,
}

/// How a model is shown screens and read.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    name: String,
    /// Its manifest as it is written, and as it is read.
    text: String,
    pub(crate) data: ProfileData,
    templates: BTreeMap<String, String>,
}

impl Profile {
    /// A profile of its data, as TOML, and its templates by their names, before any of it has been tried out.
    pub(crate) fn parsed(
        name: &str,
        data: &str,
        templates: BTreeMap<String, String>,
    ) -> Result<Self, ProfileError> {
        let mut read: ProfileData = toml::from_str(data).map_err(|error| ProfileError::Toml {
            profile: name.to_owned(),
            message: error.to_string().trim_end().to_owned(),
        })?;
        if read.used_as != ProfileUse::Grounder {
            // What a task may have, and no screen: a profile whose model knows it by another name says so itself.
            for tool in [Tool::AskUser, Tool::CallTool] {
                read.actions.entry(tool.name().to_owned()).or_insert_with(|| ActionRule::of(tool));
            }
        }
        let profile = Self { name: name.to_owned(), text: data.to_owned(), data: read, templates };
        profile.check()?;
        Ok(profile)
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn about(&self) -> &str {
        &self.data.about
    }

    /// Whose wording its templates are in, where they are not waldo's own.
    pub fn wording(&self) -> Option<&str> {
        self.data.wording.as_deref()
    }

    pub fn used_as(&self) -> ProfileUse {
        self.data.used_as
    }

    pub fn models(&self) -> &[String] {
        &self.data.models
    }

    pub fn form(&self) -> ReplyForm {
        self.data.reply.form
    }

    pub fn tool(&self) -> Option<&ToolRule> {
        self.data.tool.as_ref()
    }

    pub fn hook(&self) -> Option<&HookRule> {
        self.data.hook.as_ref()
    }

    pub(crate) fn actions(&self) -> impl Iterator<Item = (&str, &ActionRule)> {
        self.data.actions.iter().map(|(name, rule)| (name.as_str(), rule))
    }

    /// Of code: what the names of calls begin with.
    pub(crate) fn prefixes(&self) -> &[String] {
        &self.data.reply.prefixes
    }

    pub(crate) fn keys(&self) -> CallKeys<'_> {
        self.data.reply.keys("action", None)
    }

    pub fn data(&self) -> &str {
        &self.text
    }

    pub fn templates(&self) -> impl Iterator<Item = (&str, &str)> {
        self.templates.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    pub(crate) fn template(&self, name: &str) -> Option<&str> {
        self.templates.get(name).map(String::as_str)
    }

    /// Pictures of the latest steps that go along, the present one included.
    pub fn pictures(&self) -> usize {
        self.data.history.pictures.max(1)
    }

    /// The SHA-256 of its data and templates, in hexadecimal, for a run's manifest.
    pub fn hash(&self) -> String {
        let mut hash = Sha256::new();
        for (name, text) in std::iter::once((MANIFEST, self.text.as_str())).chain(self.templates()) {
            for part in [name, text] {
                hash.update(part.len().to_le_bytes());
                hash.update(part);
            }
        }
        HEXLOWER.encode(&hash.finalize())
    }

    pub fn scale(&self, screen: (u32, u32)) -> Result<Scale, SizeError> {
        Scale::new(self.data.coordinates, self.data.picture, screen)
    }

    /// The coordinates of the lower right corner of a picture that a model was sent in this size.
    pub(crate) fn extent(&self, sent: (u32, u32)) -> Result<[f64; 2], SizeError> {
        self.data.coordinates.extent(sent)
    }

    /// A picture as it is sent; `None` where it stays as it is.
    pub fn resized(&self, picture: &RgbImage) -> Result<Option<RgbImage>, SizeError> {
        self.data.picture.apply(picture)
    }

    pub fn read(&self, reply: &str) -> Result<Reply, String> {
        self.data.reply.read(reply)
    }

    /// The place that a grounder's answer names, in its own coordinates; `None` where it says that there is none.
    pub fn read_place(&self, answer: &str) -> Result<Option<[f64; 2]>, String> {
        self.data.reply.place(answer)
    }

    /// A reply in this model's form that presses at its coordinates `at`.
    pub fn example(&self, at: [f64; 2]) -> Result<String, ProfileError> {
        let context = serde_json::json!({ "x": plain(at[0]), "y": plain(at[1]) });
        fill("example", &self.data.example, &context)
            .map_err(|source| ProfileError::Template { profile: self.name.clone(), source })
    }

    pub fn offered(&self, device: &DeviceInfo) -> Vec<&str> {
        let all = self.data.actions.iter().filter(|(_, rule)| rule.offered(device));
        all.map(|(name, _)| name.split('@').next().unwrap_or(name)).collect()
    }

    /// The rule of a call: by its whole name, else by the last part of it.
    pub(crate) fn rule(&self, call: &Call, device: &DeviceInfo) -> Option<&ActionRule> {
        let by = |wanted: &str| {
            self.data.actions.iter().find(|(name, rule)| {
                let own = name.split('@').next() == Some(wanted);
                (own || rule.also.iter().any(|also| also == wanted)) && rule.offered(device)
            })
        };
        by(&call.name).or_else(|| by(call.short_name())).map(|(_, rule)| rule)
    }

    fn check(&self) -> Result<(), ProfileError> {
        let bad = |message: String| ProfileError::Rule { profile: self.name.clone(), message };
        let wants_place = self.data.used_as == ProfileUse::Grounder;
        if wants_place != (self.data.reply.form == ReplyForm::Place) {
            return Err(bad(
                "a profile whose use is grounder has the reply form place, and no other has".to_owned()
            ));
        }
        if let Some(tool) = &self.data.tool {
            tool.check(self.data.reply.form, |name| self.data.actions.contains_key(name)).map_err(bad)?;
        }
        if let Some(hook) = &self.data.hook {
            hook.check().map_err(bad)?;
            if self.data.used_as == ProfileUse::Grounder {
                return Err(bad("a grounder has no hook".to_owned()));
            }
        }
        for (name, rule) in &self.data.actions {
            rule.check().map_err(|error| bad(format!("the action '{name}' {error}")))?;
        }
        let parts = self.data.messages.iter().flat_map(|message| &message.parts);
        for part in parts.filter(|part| ![PICTURE, REPLY].contains(&part.as_str())) {
            if !self.templates.contains_key(part) {
                return Err(bad(format!(
                    "a message has the part '{part}': write {part}{TEMPLATE_SUFFIX}, picture or reply"
                )));
            }
        }
        if !self.data.messages.iter().any(|message| message.parts.iter().any(|part| part == PICTURE)) {
            return Err(bad("no message has the part 'picture': the model would see nothing".to_owned()));
        }
        Ok(())
    }
}

/// Whole numbers without a fraction.
pub(crate) fn plain(n: f64) -> serde_json::Value {
    #[expect(clippy::cast_possible_truncation, reason = "coordinates are small")]
    if n.fract() == 0.0 { serde_json::Value::from(n as i64) } else { serde_json::Value::from(n) }
}

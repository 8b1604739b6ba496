//! What a program does in place of a profile's data: the stages of MMBench-GUI.

use serde::Deserialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookStage {
    /// From the task, the steps and the pictures to messages.
    BuildPrompt,
    /// From messages to messages, before they are sent.
    Preprocess,
    /// From messages to a text, in place of an endpoint.
    Generate,
    /// From a text to a text, before it is read.
    Postprocess,
    ParseResponse,
}

impl HookStage {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BuildPrompt => "build_prompt",
            Self::Preprocess => "preprocess",
            Self::Generate => "generate",
            Self::Postprocess => "postprocess",
            Self::ParseResponse => "parse_response",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HookRule {
    /// The program and its arguments; it runs in the profile's folder.
    pub exec: Vec<String>,
    /// What it does; all else is as the profile's data say.
    pub stages: Vec<HookStage>,
}

impl HookRule {
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.exec.first().is_none_or(|program| program.trim().is_empty()) {
            return Err("the exec of its hook names no program".to_owned());
        }
        if self.stages.is_empty() {
            return Err(
                "its hook has no stages: name those of build_prompt, preprocess, generate, postprocess and \
                        parse_response that it does"
                    .to_owned(),
            );
        }
        Ok(())
    }
}

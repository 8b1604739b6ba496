use super::options::EndpointOptions;
use crate::model::ModelRequest;
use crate::model::wire::{Learnt, TOKEN_IDS};

/// What has to change in requests to an endpoint, as one that it refused shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Adjustment {
    /// The reply's limit is to be named `max_completion_tokens`.
    LimitField,
    FewerTokens,
    NoTemperature,
    NoReasoning,
    /// Only streams are given.
    Stream,
    /// The tool is not known in this version.
    OlderTool,
    NoSchema,
    NoTokenIds,
}

/// Words by which endpoints name what holds a reply to a schema.
const SCHEMA: [&str; 8] = [
    "response_format",
    "json_schema",
    "responsejsonschema",
    "response_json_schema",
    "responsemimetype",
    "response_mime_type",
    "text.format",
    "structured output",
];

impl Adjustment {
    /// What the message of a refusal (400, 422) teaches; `tools` are the words for the vendor's tool.
    pub(super) fn of(status: u16, message: &str, tools: &[&str]) -> Option<Self> {
        if !matches!(status, 400 | 404 | 422) {
            return None;
        }
        let message = message.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| message.contains(word));
        if tools.iter().any(|tool| message.contains(tool)) || tools.len() > 1 && has(&["anthropic-beta"]) {
            return Some(Self::OlderTool);
        }
        if status == 404 {
            return None;
        }
        if has(&[TOKEN_IDS]) {
            return Some(Self::NoTokenIds);
        }
        if has(&SCHEMA) {
            return Some(Self::NoSchema);
        }
        if allows_fewer(&message) {
            return Some(Self::FewerTokens);
        }
        if status == 400 && message.contains("max_completion_tokens") {
            return Some(Self::LimitField);
        }
        if has(&["temperature"]) && has(&UNWANTED) {
            return Some(Self::NoTemperature);
        }
        if has(&["encrypted"]) {
            return Some(Self::NoReasoning);
        }
        if has(&["stream"]) && has(&["only", "must", "require"]) {
            return Some(Self::Stream);
        }
        None
    }

    /// What is known with it; `None` where it was known, or changes nothing of a request.
    pub(super) fn taken(
        self,
        known: Learnt,
        options: &EndpointOptions,
        request: &ModelRequest,
    ) -> Option<Learnt> {
        let mut after = known;
        match self {
            Self::LimitField => after.other_limit_field = true,
            Self::NoTemperature if options.temperature.is_some() => after.no_temperature = true,
            Self::NoReasoning if request.tool.is_some() => after.no_reasoning = true,
            Self::Stream => after.stream = true,
            Self::OlderTool if request.tool.is_some() => {
                let versions = options.wire.form().tools().len();
                after.older_tool = (known.older_tool + 1).min(versions.saturating_sub(1));
            }
            Self::NoSchema if request.schema.is_some() => after.no_schema = true,
            Self::NoTokenIds if options.logprobs => after.no_token_ids = true,
            Self::FewerTokens
            | Self::NoTemperature
            | Self::NoReasoning
            | Self::OlderTool
            | Self::NoSchema
            | Self::NoTokenIds => {}
        }
        (after != known && !(self == Self::Stream && options.stream)).then_some(after)
    }

    pub(super) fn explanation(self) -> &'static str {
        match self {
            Self::LimitField => "the endpoint names the reply's limit otherwise; from here on it gets that",
            Self::FewerTokens => "the endpoint allows no reply of so many tokens",
            Self::NoTemperature => {
                "the endpoint accepts no temperature; from here on it gets none, and uses its own"
            }
            Self::NoReasoning => {
                "the endpoint gives no encrypted reasoning; from here on it is not asked for any"
            }
            Self::Stream => "the endpoint only answers as a stream; from here on it is asked for streams",
            Self::OlderTool => "the endpoint does not know this version of its tool; an older one is offered",
            Self::NoTokenIds => {
                "the endpoint gives no token ids; from here on it is asked only for log probabilities"
            }
            Self::NoSchema => "the endpoint cannot hold replies to a schema; from here on it is not asked to",
        }
    }
}

const UNWANTED: [&str; 7] =
    ["support", "deprecated", "not allowed", "only", "unknown", "unrecognized", "not permitted"];

/// Whether a message says that the reply's limit is more than the endpoint allows.
fn allows_fewer(message: &str) -> bool {
    let limits = "max_tokens|max_completion_tokens|max_output_tokens|maxoutputtokens|maximum context length";
    let beyond = "too large|at most|maximum|exceed|less than or equal|must be less|greater than|> ";
    let says = |words: &str| words.split('|').any(|word| message.contains(word));
    // `Use 'max_completion_tokens' instead.`
    says(limits) && says(beyond) && !message.contains("instead")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_teach_what_they_say() {
        let tools = crate::model::Wire::Anthropic.form().tools();
        for (status, message, lesson) in [
            (
                400,
                "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
                Some(Adjustment::LimitField),
            ),
            (400, "max_tokens is too large: 8192", Some(Adjustment::FewerTokens)),
            (400, "max_tokens: 200000 > 64000, which is the maximum", Some(Adjustment::FewerTokens)),
            (
                400,
                "Unsupported value: 'temperature' does not support 0.0 with this model.",
                Some(Adjustment::NoTemperature),
            ),
            (400, "`temperature` is deprecated for this model", Some(Adjustment::NoTemperature)),
            (
                400,
                "`temperature` may only be set to 1 when thinking is enabled",
                Some(Adjustment::NoTemperature),
            ),
            (400, "Encrypted content is not supported with this model.", Some(Adjustment::NoReasoning)),
            (400, "This model only supports stream mode", Some(Adjustment::Stream)),
            (
                400,
                "tools.0: 'computer_toolset_20260801' is not a known tool type",
                Some(Adjustment::OlderTool),
            ),
            (422, "max_tokens must be less than 4096", Some(Adjustment::FewerTokens)),
            (
                400,
                "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
                Some(Adjustment::NoSchema),
            ),
            (400, "Unrecognized request argument supplied: return_token_ids", Some(Adjustment::NoTokenIds)),
            (400, "the picture is too large", None),
            (401, "temperature is not supported", None),
            (404, "no such model", None),
        ] {
            assert_eq!(Adjustment::of(status, message, tools), lesson, "{message}");
        }
        assert_eq!(Adjustment::of(400, "unknown tool type computer_toolset_20260801", &[]), None);
    }
}

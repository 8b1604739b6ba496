//! The tokens of a reply as the endpoint sampled them: what training on a recorded run needs.

use serde::{Deserialize, Serialize};

/// Token ids and log probabilities of one reply, as far as the endpoint gives them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SampledTokens {
    /// Ids of the request's tokens, as the endpoint's chat template wrote it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prompt_ids: Vec<u32>,
    /// Ids of the reply's tokens, thinking included.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logprobs: Vec<f64>,
}

impl SampledTokens {
    /// The tokens, unless the endpoint gave none.
    pub(crate) fn if_any(self) -> Option<Self> {
        (!self.ids.is_empty() || !self.logprobs.is_empty()).then_some(self)
    }

    /// Why the counts of the reply cannot both be right, where they cannot.
    pub fn mismatch(&self) -> Option<String> {
        let (ids, logprobs) = (self.ids.len(), self.logprobs.len());
        (ids > 0 && logprobs > 0 && ids != logprobs)
            .then(|| format!("{ids} token ids and {logprobs} log probabilities"))
    }
}

//! What judging comes to.

/// Characters of what was found that a part tells.
const FOUND: usize = 300;

#[derive(Clone, Debug, PartialEq)]
pub struct JudgementPart {
    pub what: String,
    pub holds: bool,
    pub found: String,
}

impl JudgementPart {
    pub(crate) fn new(what: impl Into<String>, holds: bool, found: &str) -> Self {
        Self { what: what.into(), holds, found: found.chars().take(FOUND).collect() }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// 0 or 1.
    pub score: f64,
    /// What it is made of, in order. A later part may stand in place of those before it, and says so.
    pub parts: Vec<JudgementPart>,
}

//! The prompts of the offline levels: a question about a picture, a place on it.
//!
//! Their parts and the order of these follow MMBench-GUI's own prompts (`benchmarks/l1_content_understanding.py`,
//! `benchmarks/l2_element_grounding.py`): a system message, the picture, and the text.
//! `scripts/upstream-prompts` takes the
//! benchmark's own wording from a checkout, for `--prompts`.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionOption {
    pub letter: char,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionText {
    pub hint: Option<String>,
    pub question: String,
    pub options: Vec<QuestionOption>,
}

/// What the `levels/place` and `levels/press` templates are filled in with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceText {
    pub instruction: String,
}

/// What the system messages are filled in with: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nothing {}

templates! {
    level_question_system(Nothing) = "levels/question_system";
    level_question(QuestionText) = "levels/question";
    level_place_system(Nothing) = "levels/place_system";
    level_place(PlaceText) = "levels/place";
    /// The goal of a model that answers with actions.
    level_press(PlaceText) = "levels/press";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Prompts;

    #[test]
    fn a_question_and_a_place() {
        let prompts = Prompts::builtin().unwrap();
        let option = |letter, text: &str| QuestionOption { letter, text: text.into() };
        let (hint, options) =
            (Some("Look at the top.".into()), vec![option('A', "Lamps"), option('B', "Chairs")]);
        let question = QuestionText { hint, question: "Which tab is open?".into(), options };
        let place = PlaceText { instruction: "Open the basket.".into() };
        insta::assert_snapshot!(format!(
            "{}\n---\n{}\n---\n{}\n---\n{}\n---\n{}",
            prompts.level_question_system(&Nothing {}).unwrap(),
            prompts.level_question(&question).unwrap(),
            prompts.level_place_system(&Nothing {}).unwrap(),
            prompts.level_place(&place).unwrap(),
            prompts.level_press(&place).unwrap(),
        ));
    }
}

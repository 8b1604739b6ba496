//! The file that `waldo score` reads: a budget and the episodes of any harness, in the declared order.
//!
//! ```json
//! {"max_steps": 15, "episodes": [{"success": true, "steps": 4, "id": "a"}, {"success": 0.5, "steps": 15}]}
//! ```
//!
//! Other keys are allowed and ignored. Invariant: an error names the episode's index and field.

use std::collections::HashMap;
use std::fmt;

use serde::de::{self, Deserializer, Unexpected, Visitor};
use serde::{Deserialize, Serialize};

use super::eqa::Scored;
use crate::error::TaskError;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object with max_steps and episodes")]
pub struct ScoreFile {
    /// The step budget of one episode; at least 1.
    #[serde(deserialize_with = "whole_from_one")]
    pub max_steps: u64,
    pub episodes: Vec<ScoreEpisode>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object with success and steps")]
pub struct ScoreEpisode {
    /// From 0 to 1; `true` is 1.
    #[serde(deserialize_with = "success")]
    pub success: f64,
    #[serde(deserialize_with = "whole")]
    pub steps: u64,
    /// A name for it, unique within the file.
    #[serde(default, deserialize_with = "id", skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl ScoreFile {
    pub fn scored(&self) -> Vec<Scored> {
        self.episodes.iter().map(|e| Scored { success: e.success, steps: e.steps }).collect()
    }
}

/// Reads and checks a score file.
///
/// # Errors
/// [`TaskError::Score`] with the place of the first mistake, such as `episodes[3].success: ...`.
pub fn read_score_file(text: &str) -> Result<ScoreFile, TaskError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = serde_json::Deserializer::from_str(text);
    let file: ScoreFile = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let message = error.into_inner().to_string();
        TaskError::Score(if path == "." { message } else { format!("{path}: {message}") })
    })?;
    reader.end().map_err(|error| {
        TaskError::Score(format!("something follows the object that the file should be: {error}"))
    })?;
    let mut seen = HashMap::new();
    for (index, episode) in file.episodes.iter().enumerate() {
        let Some(id) = episode.id.as_deref() else { continue };
        if let Some(first) = seen.insert(id, index) {
            return Err(TaskError::Score(format!(
                "episodes[{index}].id: '{id}' is the id of episodes[{first}] already; give every episode an id of its own, or none"
            )));
        }
    }
    Ok(file)
}

fn success<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    struct ShareVisitor;
    impl Visitor<'_> for ShareVisitor {
        type Value = f64;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("true, false or a number from 0 to 1")
        }
        fn visit_bool<E: de::Error>(self, value: bool) -> Result<f64, E> {
            Ok(f64::from(u8::from(value)))
        }
        fn visit_f64<E: de::Error>(self, value: f64) -> Result<f64, E> {
            if (0.0..=1.0).contains(&value) {
                Ok(value)
            } else {
                Err(E::invalid_value(Unexpected::Float(value), &self))
            }
        }
        fn visit_u64<E: de::Error>(self, value: u64) -> Result<f64, E> {
            match value {
                0 => Ok(0.0),
                1 => Ok(1.0),
                more => Err(E::invalid_value(Unexpected::Unsigned(more), &self)),
            }
        }
        fn visit_i64<E: de::Error>(self, value: i64) -> Result<f64, E> {
            Err(E::invalid_value(Unexpected::Signed(value), &self))
        }
    }
    from.deserialize_any(ShareVisitor)
}

struct WholeNumber {
    least: u64,
}

impl Visitor<'_> for WholeNumber {
    type Value = u64;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number of {} or more", self.least)
    }
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<u64, E> {
        if value >= self.least {
            Ok(value)
        } else {
            Err(E::invalid_value(Unexpected::Unsigned(value), &self))
        }
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<u64, E> {
        Err(E::invalid_value(Unexpected::Signed(value), &self))
    }
}

fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    from.deserialize_any(WholeNumber { least: 0 })
}

fn whole_from_one<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    from.deserialize_any(WholeNumber { least: 1 })
}

fn id<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    struct Id;
    impl Visitor<'_> for Id {
        type Value = Option<String>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string or a whole number")
        }
        fn visit_str<E: de::Error>(self, value: &str) -> Result<Self::Value, E> {
            Ok(Some(value.to_owned()))
        }
        fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
            Ok(Some(value.to_string()))
        }
        fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
            Ok(Some(value.to_string()))
        }
        fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
    }
    from.deserialize_any(Id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_takes_flags_and_a_mistake_is_named_by_episode_and_field() {
        let file = read_score_file(
            r#"{"max_steps":15,"by":"us","episodes":[{"success":true,"steps":4,"id":"a","task":"t","platform":"web"},
               {"success":0.5,"steps":15,"id":2},{"success":0,"steps":0},{"success":1,"steps":1}]}"#,
        )
        .unwrap();
        assert_eq!(file.max_steps, 15);
        assert_eq!(
            file.scored(),
            [Scored::new(1.0, 4), Scored::new(0.5, 15), Scored::new(0.0, 0), Scored::new(1.0, 1)]
        );
        for (text, parts) in [
            (r#"{"max_steps":0,"episodes":[]}"#, &["max_steps", "1 or more"][..]),
            (
                r#"{"max_steps":5,"episodes":[{"success":1,"steps":1},{"success":1.5,"steps":1}]}"#,
                &["episodes[1].success", "0 to 1"],
            ),
            (r#"{"max_steps":5,"episodes":[{"success":2,"steps":1}]}"#, &["episodes[0].success", "0 to 1"]),
            (r#"{"max_steps":5,"episodes":[{"success":"yes","steps":1}]}"#, &["episodes[0].success", "yes"]),
            (
                r#"{"max_steps":5,"episodes":[{"success":1,"steps":-1}]}"#,
                &["episodes[0].steps", "-1", "0 or more"],
            ),
            (r#"{"max_steps":5,"episodes":[{"success":1,"steps":1.5}]}"#, &["episodes[0].steps", "1.5"]),
            (r#"{"max_steps":5,"episodes":[{"success":1}]}"#, &["episodes[0]", "steps"]),
            (r#"{"max_steps":5}"#, &["episodes"]),
            (r#"[]"#, &["an object with max_steps"]),
            (r#"{"max_steps":5,"episodes":[]} x"#, &["follows"]),
            (
                r#"{"max_steps":5,"episodes":[{"success":1,"steps":1,"id":"a"},{"success":1,"steps":1,"id":"a"}]}"#,
                &["episodes[1].id", "episodes[0]"],
            ),
        ] {
            let message = read_score_file(text).unwrap_err().to_string();
            for part in parts {
                assert!(message.contains(part), "{text}\n{message}\nlacks {part}");
            }
        }
    }
}

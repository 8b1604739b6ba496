use serde::{Deserialize, Serialize};

use crate::error::OfflineError;

/// The rows (arXiv 2507.19478).
const ROWS: &str = include_str!("../data/published.toml");

/// A published row: a model's scores in percent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedRow {
    /// `L1` or `L2`.
    pub level: String,
    /// The split: easy, medium, hard; basic, advanced.
    pub split: String,
    pub model: String,
    /// By platform in the order of the paper's tables; empty where they are not known as text.
    #[serde(default)]
    pub platforms: Vec<f64>,
    /// Over all platforms; none where the published figure cannot be had from its row.
    pub overall: Option<f64>,
}

#[derive(Deserialize)]
struct File {
    row: Vec<PublishedRow>,
}

pub fn published(level: &str) -> Result<Vec<PublishedRow>, OfflineError> {
    let file: File = toml::from_str(ROWS).map_err(|error| OfflineError::Own(error.to_string()))?;
    Ok(file.row.into_iter().filter(|row| row.level == level).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_can_be_read() {
        let (l1, l2) = (published("L1").unwrap(), published("L2").unwrap());
        assert_eq!((l1.len(), l2.len()), (21, 2));
        assert!(l1.iter().chain(&l2).all(|row| row.platforms.is_empty() || row.platforms.len() == 6));
    }
}

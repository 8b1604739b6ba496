//! What tokens cost.
//!
//! Invariant: an unknown price is `None`, never 0. None are built in, as they go stale: users give a file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Usage;
use crate::error::ModelError;

/// Digits that a version or date behind a model's name has at least: `-001`, `-0613`, `-20241022`.
const SHORTEST_DATE: usize = 3;

/// Prices of one model, in US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub prompt: f64,
    /// Those of them that came from the endpoint's cache; priced as the others when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
    /// Those of them that were written into its cache; priced as the others when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<f64>,
    pub completion: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PriceTable(BTreeMap<String, Price>);

impl PriceTable {
    /// Reads `{"model": {"prompt": 2.5, "cached": 1.25, "written": 3.1, "completion": 10}}`, in US dollars for a
    /// million tokens; `cached` and `written` may be left out.
    pub fn from_json_str(text: &str) -> Result<Self, ModelError> {
        let hint = r#"write {"model": {"prompt": 2.5, "cached": 1.25, "completion": 10}}, in US dollars for a million tokens"#;
        let table: Self = serde_json::from_str(text)
            .map_err(|error| ModelError::setup(format!("price table: {error}"), hint))?;
        for (model, price) in &table.0 {
            let prices = [Some(price.prompt), price.cached, price.written, Some(price.completion)];
            if prices.into_iter().flatten().any(|usd| !usd.is_finite() || usd < 0.0) {
                let what = format!("price table: {model} has a negative price");
                return Err(ModelError::setup(what, "give 0 or more US dollars for a million tokens"));
            }
        }
        Ok(table)
    }

    /// The price of a model: by its exact name, else by the longest name of the table that it continues
    /// with nothing but a date or version (`gpt-4o-2024-08-06` is `gpt-4o`, `gpt-4o-mini` is not).
    pub fn price(&self, model: &str) -> Option<&Price> {
        self.0.get(model).or_else(|| {
            self.0
                .iter()
                .filter(|(name, _)| model.strip_prefix(name.as_str()).is_some_and(is_date))
                .max_by_key(|(name, _)| name.len())
                .map(|(_, price)| price)
        })
    }

    /// The cost of a request in millionths of a US dollar, rounded to the nearest; `None` when the model's
    /// price or the tokens are unknown.
    pub fn cost(&self, model: &str, usage: &Usage) -> Option<u64> {
        let price = self.price(model)?;
        let (prompt, completion) = (usage.prompt?, usage.completion?);
        let cached = usage.cached.unwrap_or(0).min(prompt);
        let written = usage.written.unwrap_or(0).min(prompt - cached);
        // Dollars for a million tokens are millionths of a dollar for one.
        let micro_usd = price.prompt * (prompt - cached - written) as f64
            + price.cached.unwrap_or(price.prompt) * cached as f64
            + price.written.unwrap_or(price.prompt) * written as f64
            + price.completion * completion as f64;
        Some(micro_usd.round() as u64)
    }
}

/// Whether `rest`, what follows a name of the table, is a date or version.
fn is_date(rest: &str) -> bool {
    let Some(tail) = rest.strip_prefix(['-', '@', ':']) else {
        return false;
    };
    tail == "latest"
        || (tail.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
            && tail.bytes().filter(u8::is_ascii_digit).count() >= SHORTEST_DATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> PriceTable {
        PriceTable::from_json_str(
            r#"{"big": {"prompt": 2.5, "cached": 1.25, "completion": 10},
                "big-mini": {"prompt": 0.15, "completion": 0.6}}"#,
        )
        .unwrap()
    }

    fn usage(prompt: u64, cached: Option<u64>, completion: u64) -> Usage {
        Usage { prompt: Some(prompt), cached, completion: Some(completion), ..Usage::default() }
    }

    #[test]
    fn cost_counts_cached_tokens_at_their_own_price() {
        assert_eq!(table().cost("big", &usage(1000, None, 100)), Some(3500));
        assert_eq!(table().cost("big", &usage(1000, Some(400), 100)), Some(3000));
        assert_eq!(table().cost("big-mini", &usage(1000, Some(400), 0)), Some(150));
        assert_eq!(table().cost("big", &usage(10, Some(400), 0)), Some(13));
        let table = PriceTable::from_json_str(
            r#"{"m": {"prompt": 4, "cached": 0.4, "written": 5, "completion": 20}}"#,
        );
        let used = Usage { written: Some(300), ..usage(1000, Some(500), 10) };
        assert_eq!(table.unwrap().cost("m", &used), Some(200 * 4 + 200 + 300 * 5 + 200));
    }

    #[test]
    fn a_dated_name_has_the_price_of_its_model() {
        let table = table();
        let of = |model: &str| table.price(model).map(|price| price.prompt);
        assert_eq!(of("big-2024-08-06"), Some(2.5));
        assert_eq!(of("big@20240806"), Some(2.5));
        assert_eq!(of("big-latest"), Some(2.5));
        assert_eq!(of("big-mini-0613"), Some(0.15));
        for stranger in ["bigger", "big-micro", "big-4", "big-", "other", ""] {
            assert_eq!(of(stranger), None, "{stranger}");
        }
    }

    #[test]
    fn what_is_unknown_stays_unknown() {
        assert_eq!(PriceTable::default().cost("big", &usage(1, None, 1)), None);
        assert_eq!(table().cost("big", &Usage::default()), None);
        assert_eq!(table().cost("big", &Usage { completion: None, ..usage(5, None, 0) }), None);
    }

    #[test]
    fn a_bad_table_says_what_is_wrong() {
        let error = |text: &str| PriceTable::from_json_str(text).unwrap_err().to_string();
        assert!(error(r#"{"m": {"prompt": -1, "completion": 1}}"#).contains("m has a negative price"));
        assert!(error(r#"{"m": {"prompt": 1}}"#).contains("completion"));
        assert!(error(r#"{"m": {"prompt": 1, "completion": 1, "promt": 2}}"#).contains("promt"));
    }
}

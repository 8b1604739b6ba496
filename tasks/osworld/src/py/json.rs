use serde_json::Value;

use crate::fault::OsworldFault;

/// A value; nothing where Python finds none either.
///
/// # Errors
/// [`OsworldFault::Unsupported`] for what Python reads and this port does not: the names of infinity and NaN, numbers
/// beyond a double, halves of surrogates, deep nesting.
pub fn loads(content: &str) -> Result<Option<Value>, OsworldFault> {
    let error = match serde_json::from_str(content) {
        Ok(value) => return Ok(Some(value)),
        Err(error) => error.to_string(),
    };
    let names = ["NaN", "Infinity"].iter().any(|name| content.contains(name));
    let beyond = ["out of range", "recursion limit", "surrogate", "hex escape"];
    if names || beyond.iter().any(|part| error.contains(part)) {
        return Err(OsworldFault::Unsupported(format!("JSON that only Python reads ({error})")));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_only_python_reads_is_refused() {
        assert_eq!(loads("[1]"), Ok(Some(json!([1]))));
        assert_eq!(loads("[1"), Ok(None));
        for text in ["[NaN]", "[1e999]", "\"\\ud800\""] {
            assert!(matches!(loads(text), Err(OsworldFault::Unsupported(_))), "{text}");
        }
    }
}

//! Numbers in answers, and what they are held against (`required_values`).

use super::python::{parse_float, strip};
use crate::fault::{Result, WebarenaFault};

/// How far two numbers may lie apart.
const TOLERANCE: f64 = 1e-8;
/// From here on whole numbers are not all told apart by 64 bits with a point.
const EXACT: i64 = 1 << 53;
/// The operators, in the order in which they are looked for.
const OPERATORS: [&str; 5] = ["<=", ">=", "==", "<", ">"];

/// The whole number that a text is, commas left out; `None` where it is none.
///
/// # Errors
/// [`WebarenaFault::Refused`] for numbers that are too large for this port.
pub fn whole(text: &str) -> Result<Option<i64>> {
    let text = strip(text).replace(',', "");
    let text = strip(&text);
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let groups: Vec<&str> = digits.split('_').collect();
    if groups.iter().any(|group| group.is_empty()) {
        return Ok(None);
    }
    if groups.iter().any(|group| !group.chars().all(|c| c.is_ascii_digit())) {
        // Python also reads the digits of other scripts.
        return match digits.chars().all(|c| c == '_' || c.is_numeric()) {
            true => Err(WebarenaFault::refused("a number in digits of another script")),
            false => Ok(None),
        };
    }
    let plain = groups.concat();
    let number: Result<i64, _> = plain.parse();
    match number {
        Ok(number) if number < EXACT => Ok(Some(if text.starts_with('-') { -number } else { number })),
        _ => Err(WebarenaFault::refused(format!("the number {plain} is too large"))),
    }
}

/// Whether `number` is as one of the alternatives says.
///
/// # Errors
/// [`WebarenaFault::Raised`] for what is not an inequality.
pub(crate) fn is_any(number: i64, alternatives: &str) -> Result<bool> {
    let mut any = false;
    for one in alternatives.split(super::OR) {
        any |= is(number, one)?;
    }
    Ok(any)
}

fn is(number: i64, inequality: &str) -> Result<bool> {
    let raised = || WebarenaFault::raised(format!("'{inequality}' is not an inequality"));
    let operator = OPERATORS.into_iter().find(|operator| inequality.contains(operator)).ok_or_else(raised)?;
    let parts: Vec<&str> = inequality.split(operator).collect();
    let [_, bound] = parts[..] else { return Err(raised()) };
    let bound = parse_float(bound).ok_or_else(raised)?;
    #[expect(clippy::cast_precision_loss, reason = "larger ones are refused before")]
    let number = number as f64;
    Ok(match operator {
        "<=" => number <= bound + TOLERANCE,
        ">=" => number >= bound - TOLERANCE,
        "==" => (number - bound).abs() <= TOLERANCE,
        "<" => number < bound + TOLERANCE,
        _ => number > bound - TOLERANCE,
    })
}

//! Numbers as users give them. Flags, configuration files and the environment are read by the same parsers, whose words
//! say what is taken.

use std::ops::{Bound, RangeBounds};
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    #[error("takes a whole number from {}", range(*least, *most))]
    Whole { least: u64, most: u64 },
    #[error("takes a number, such as 0.5")]
    Decimal,
}

/// Above this nobody has a bound in mind.
const UNBOUNDED: u64 = u16::MAX as u64;

fn range(least: u64, most: u64) -> String {
    if most > UNBOUNDED { format!("{least} on") } else { format!("{least} to {most}") }
}

pub fn whole<T>(
    range: impl RangeBounds<u64>,
) -> impl Fn(&str) -> Result<T, NumberError> + Clone + Send + Sync + 'static
where
    T: TryFrom<u64>,
{
    let least = match range.start_bound() {
        Bound::Included(least) => *least,
        Bound::Excluded(below) => below.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let most = match range.end_bound() {
        Bound::Included(most) => *most,
        Bound::Excluded(above) => above.saturating_sub(1),
        Bound::Unbounded => u64::MAX,
    };
    move |text| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or(NumberError::Whole { least, most })
    }
}

pub fn port(text: &str) -> Result<u16, NumberError> {
    whole(0..=u16::MAX.into())(text)
}

/// Reads numbers that need not be whole.
pub fn decimal<T: FromStr + Copy + Into<f64>>(text: &str) -> Result<T, NumberError> {
    text.parse().ok().filter(|number: &T| (*number).into().is_finite()).ok_or(NumberError::Decimal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_range_are_taken_and_others_answered_with_it() {
        let workers = whole::<u16>(1..=256);
        assert_eq!((workers("1"), workers("256")), (Ok(1), Ok(256)));
        for wrong in ["0", "257", "-1", "2.5", "abc", "", "99999999999999999999999"] {
            assert_eq!(
                workers(wrong).unwrap_err().to_string(),
                "takes a whole number from 1 to 256",
                "{wrong}"
            );
        }
        let steps = whole::<u32>(1..);
        assert_eq!(steps("4294967295"), Ok(u32::MAX));
        assert_eq!(steps("4294967296").unwrap_err().to_string(), "takes a whole number from 1 on");
        assert_eq!(port("65536").unwrap_err().to_string(), "takes a whole number from 0 to 65535");
        assert_eq!((decimal("-0.5"), decimal("0.7")), (Ok(-0.5_f64), Ok(0.7_f32)));
        for wrong in ["nan", "inf", "hot", ""] {
            assert_eq!(decimal::<f64>(wrong), Err(NumberError::Decimal), "{wrong}");
        }
    }
}

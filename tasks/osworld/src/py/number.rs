//! Numbers as Python writes, reads and rounds them.

pub use waldo_agents::python::{parse_float, parse_int, repr_float};

/// NumPy's `round(value, digits)`: scaled, rounded half to even, scaled back.
pub(crate) fn round_half_even(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits.abs());
    if digits >= 0 {
        (value * scale).round_ties_even() / scale
    } else {
        (value / scale).round_ties_even() * scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_pythons() {
        for (value, text) in [
            (3.0, "3.0"),
            (0.1, "0.1"),
            (-2.5, "-2.5"),
            (1e16, "1e+16"),
            (123_456_789_012_345.0, "123456789012345.0"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(repr_float(value), text);
        }
        assert_eq!(parse_float(" 1_000.5\n"), Some(1000.5));
        assert_eq!(parse_float("1__0"), None);
        assert_eq!(parse_float("_1"), None);
        assert_eq!(parse_float("12a"), None);
        assert_eq!(parse_float("inf"), Some(f64::INFINITY));
        assert_eq!(round_half_even(0.5, 0), 0.0);
        assert_eq!(round_half_even(2.5, 0), 2.0);
        assert_eq!(round_half_even(0.123_45, 4), 0.1234);
        assert_eq!(round_half_even(1.000_049, 4), 1.0);
        assert_eq!(round_half_even(1250.0, -2), 1200.0);
    }
}

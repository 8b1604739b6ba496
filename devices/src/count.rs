//! Numbers with the noun that they count, for people: `1 step`, `2 steps`, `2 entries`.

use std::fmt::Display;

/// The number with its noun, of which `one` is the singular: `1 step`, `0 steps`, `2 model calls`.
pub fn count<N: Copy + Display + PartialEq + From<u8>>(n: N, one: &str) -> String {
    format!("{n} {}", noun(n, one))
}

/// The noun alone in the form that the number asks for, where the number is written elsewhere or in another form.
pub fn noun<N: PartialEq + From<u8>>(n: N, one: &str) -> String {
    let ends = |with: &[&str]| with.iter().any(|end| one.ends_with(end));
    match one.strip_suffix('y') {
        _ if n == N::from(1) => one.to_owned(),
        Some(stem) if !ends(&["ay", "ey", "oy", "uy"]) => format!("{stem}ies"),
        _ if ends(&["s", "x", "ch", "sh"]) => format!("{one}es"),
        _ => format!("{one}s"),
    }
}

/// The one of two words that the number asks for: `either(n, "is", "are")`.
pub fn either<'a, N: PartialEq + From<u8>>(n: N, one: &'a str, many: &'a str) -> &'a str {
    if n == N::from(1) { one } else { many }
}

/// For counts and sums that a record leaves out where there is nothing to count.
pub fn is_zero<N: Default + PartialEq>(n: &N) -> bool {
    *n == N::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_all_else_is_plural() {
        let of = |one| [count(0_usize, one), count(1_u32, one), count(21_u64, one)];
        assert_eq!(of("step"), ["0 steps", "1 step", "21 steps"]);
        assert_eq!(of("model call"), ["0 model calls", "1 model call", "21 model calls"]);
        assert_eq!(of("reply"), ["0 replies", "1 reply", "21 replies"]);
        assert_eq!(of("key"), ["0 keys", "1 key", "21 keys"]);
        assert_eq!(of("box"), ["0 boxes", "1 box", "21 boxes"]);
        assert_eq!(noun(1_u16, "task") + &noun(2_u16, "task"), "tasktasks");
        assert_eq!([either(1_usize, "is", "are"), either(2, "is", "are")], ["is", "are"]);
    }
}

//! Lists of words that are written as text.

/// The words of `text`, which blanks part.
///
/// # Panics
/// Where there are not `N` of them, which of a constant the compiler says.
pub const fn word_list<const N: usize>(text: &'static str) -> [&'static str; N] {
    let (bytes, mut all) = (text.as_bytes(), [""; N]);
    let (mut found, mut from) = (0, 0);
    while from < bytes.len() {
        let mut to = from;
        while to < bytes.len() && bytes[to] != b' ' {
            to += 1;
        }
        if to > from {
            all[found] = text.split_at(to).0.split_at(from).1;
            found += 1;
        }
        from = to + 1;
    }
    assert!(found == N, "the list has another number of words");
    all
}

/// Takes out of a list what is meant; tells whether anything was.
pub fn remove<T>(from: &mut Vec<T>, meant: impl Fn(&T) -> bool) -> bool {
    let before = from.len();
    from.retain(|item| !meant(item));
    from.len() < before
}

/// `1 note`, `2 notes`.
pub fn count(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

//! Lists in texts of `assets`: a heading, entries indented below it, fields between bars; `#` begins a remark.

use std::sync::LazyLock;

static PHONE: LazyLock<Vec<List>> = LazyLock::new(|| read(include_str!("../assets/phone.txt")));

pub(crate) fn of_phone<const N: usize>(name: &str) -> impl Iterator<Item = [&'static str; N]> {
    entries(&PHONE, name).iter().map(|entry| fields(entry))
}

pub(crate) fn entries<'a>(lists: &'a [List], name: &str) -> &'a [&'static str] {
    lists.iter().find(|(heading, _)| *heading == name).map_or(&[], |(_, entries)| entries.as_slice())
}

pub(crate) type List = (&'static str, Vec<&'static str>);

pub(crate) fn read(text: &'static str) -> Vec<List> {
    let mut lists: Vec<List> = Vec::new();
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        match lists.last_mut() {
            Some((_, entries)) if line.starts_with(' ') => entries.push(line.trim_start()),
            _ => lists.push((line, Vec::new())),
        }
    }
    lists
}

/// The fields of an entry; those that it has not are empty.
pub(crate) fn fields<const N: usize>(entry: &'static str) -> [&'static str; N] {
    let mut fields = entry.splitn(N, " | ");
    std::array::from_fn(|_| fields.next().unwrap_or_default().trim_end())
}

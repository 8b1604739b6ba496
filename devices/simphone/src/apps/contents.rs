//! What the apps of a new phone hold, read from `assets/contents.txt`.

use std::sync::LazyLock;

use crate::lists::{self, List};

static LISTS: LazyLock<Vec<List>> = LazyLock::new(|| lists::read(include_str!("../../assets/contents.txt")));

/// The entries of a list; none where there is no such list.
pub(crate) fn list(name: &str) -> &'static [&'static str] {
    lists::entries(&LISTS, name)
}

pub(crate) fn records<const N: usize>(name: &str) -> Vec<[&'static str; N]> {
    list(name).iter().map(|entry| lists::fields(entry)).collect()
}

pub(crate) fn lines(field: &str) -> String {
    field.replace("\\n", "\n")
}

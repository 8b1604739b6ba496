//! The settings tables: `system`, `secure` and `global`.

use super::providers::{ProviderRow, row};
use crate::lists;
use std::{collections::BTreeMap, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Namespace {
    System,
    Secure,
    Global,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid namespace {0:?}; known: system, secure, global")]
pub struct UnknownNamespace(pub String);

impl Namespace {
    pub const ALL: [Self; 3] = [Self::System, Self::Secure, Self::Global];

    fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Secure => "secure",
            Self::Global => "global",
        }
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Namespace {
    type Err = UnknownNamespace;

    fn from_str(s: &str) -> Result<Self, UnknownNamespace> {
        let lower = s.to_ascii_lowercase();
        Self::ALL.into_iter().find(|ns| ns.word() == lower).ok_or(UnknownNamespace(lower))
    }
}

/// All three tables. Values are text, as on a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings(BTreeMap<Namespace, BTreeMap<String, String>>);

impl Settings {
    pub fn fresh() -> Self {
        let table =
            |ns: Namespace| lists::of_phone(ns.word()).map(|[k, v]| (k.to_owned(), v.to_owned())).collect();
        Self(Namespace::ALL.into_iter().map(|ns| (ns, table(ns))).collect())
    }

    pub fn get(&self, ns: Namespace, key: &str) -> Option<&str> {
        self.0.get(&ns)?.get(key).map(String::as_str)
    }

    /// One value as a whole number; nothing where it is not a number.
    pub fn int(&self, ns: Namespace, key: &str) -> Option<i64> {
        self.get(ns, key)?.trim().parse().ok()
    }

    pub fn real(&self, ns: Namespace, key: &str) -> Option<f64> {
        self.get(ns, key)?.trim().parse().ok()
    }

    pub fn on(&self, ns: Namespace, key: &str) -> bool {
        self.get(ns, key) == Some("1")
    }

    pub fn list(&self, ns: Namespace) -> impl Iterator<Item = (&str, &str)> {
        self.0.get(&ns).into_iter().flatten().map(|(k, v)| (k.as_str(), v.as_str()))
    }

    /// The rows of a provider's path (`settings/secure`, `settings/secure/NAME`); nothing where it is none.
    pub fn rows(&self, path: &str) -> Option<Vec<ProviderRow>> {
        let mut parts = path.strip_prefix("settings/")?.split('/');
        let (ns, only) = (parts.next()?.parse().ok()?, parts.next());
        let rows = self.list(ns).zip(1_i64..).filter(|((name, _), _)| only.is_none_or(|only| only == *name));
        Some(rows.map(|((name, value), id)| row! { _id: id, name: name, value: value }).collect())
    }

    /// Puts a value. The world's own `put_setting` also does what the value asks for.
    pub fn put(&mut self, ns: Namespace, key: &str, value: &str) {
        self.0.entry(ns).or_default().insert(key.to_owned(), value.to_owned());
    }

    pub fn delete(&mut self, ns: Namespace, key: &str) -> Option<String> {
        self.0.get_mut(&ns)?.remove(key)
    }
}

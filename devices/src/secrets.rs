//! Values that are typed by name.
//!
//! Invariants: a value is known to the driver, which types it, and to whoever masks; what a screen shows of it,
//! in any of its forms (`forms`), is replaced before it is cut, reported or kept. What a device says passes one door (`door`).

mod door;
mod fold;
mod forms;
mod hidden;
#[cfg(test)]
mod tests;
mod totp;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use regex::Regex;

use self::fold::Folded;
use self::forms::SecretFinder;
use self::hidden::Hidden;
pub use self::totp::OneTimeCodes;
use crate::error::DeviceError;
use crate::screen_text::clean;

/// What stands for a value in text.
pub const MASK: &str = "••••";

/// The fewest characters of a value that is masked: a shorter one stands in common text.
pub const SHORTEST: usize = 4;

/// Text of a screen as it is told, cut to `max` characters. What was masked anywhere in it stays told: what it
/// is the text of shows a value, and is painted over.
pub fn brief(text: &str, max: usize) -> String {
    let mut kept = clean(text, max);
    if text.contains(MASK) && !kept.contains(MASK) {
        kept.push(' ');
        kept.push_str(MASK);
    }
    kept
}

/// Values that an agent types by name; never shown, not even by `Debug`. A clone is cheap.
#[derive(Clone, Default)]
pub struct Secrets(Arc<SecretValues>);

#[derive(Default)]
struct SecretValues {
    values: BTreeMap<String, String>,
    /// What is masked as well, and has no name to be typed by; with parts that tell whether it is worth to look for it.
    hidden: BTreeMap<String, Option<Arc<Hidden>>>,
    /// Keys of codes of the moment, by the name that a code is typed by.
    codes: BTreeMap<String, Arc<OneTimeCodes>>,
    /// What finds each value that is always looked for, by the value.
    finders: BTreeMap<String, Arc<SecretFinder>>,
    /// Whether a text in small letters has a part of a hidden value.
    gate: Option<Regex>,
}

impl Secrets {
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        Self::known(pairs.into_iter().collect(), BTreeMap::new(), BTreeMap::new(), &BTreeMap::new())
    }

    /// These, and codes of the moment that are typed by a name.
    #[must_use]
    pub fn with_codes(self, codes: impl IntoIterator<Item = (String, OneTimeCodes)>) -> Self {
        let codes = codes.into_iter().map(|(name, codes)| (name, Arc::new(codes))).collect();
        let SecretValues { values, hidden, finders, .. } = &*self.0;
        Self::known(values.clone(), hidden.clone(), codes, finders)
    }

    /// Values that are masked and cannot be typed: nobody knows them by a name.
    pub fn hidden(values: impl IntoIterator<Item = String>) -> Self {
        let long = values.into_iter().filter(|value| value.chars().count() >= SHORTEST);
        let hidden = long.map(|value| (value.clone(), Hidden::new(&value).map(Arc::new)));
        Self::known(BTreeMap::new(), hidden.collect(), BTreeMap::new(), &BTreeMap::new())
    }

    /// All of these; what finds one of them already is kept.
    fn known(
        values: BTreeMap<String, String>,
        hidden: BTreeMap<String, Option<Arc<Hidden>>>,
        codes: BTreeMap<String, Arc<OneTimeCodes>>,
        found: &BTreeMap<String, Arc<SecretFinder>>,
    ) -> Self {
        let always = hidden.iter().filter(|(_, parts)| parts.is_none()).map(|(value, _)| value);
        let long = values.values().chain(always).filter(|value| value.chars().count() >= SHORTEST);
        let finder = |value: &String| {
            let finder = found.get(value).cloned();
            (value.clone(), finder.unwrap_or_else(|| Arc::new(SecretFinder::new(value))))
        };
        let finders = long.map(finder).collect();
        let gate = hidden::gate(hidden.values().flatten());
        Self(Arc::new(SecretValues { values, hidden, codes, finders, gate }))
    }

    pub fn value(&self, name: &str) -> Option<Cow<'_, str>> {
        let value = self.0.values.get(name).map(|value| Cow::Borrowed(value.as_str()));
        value.or_else(|| Some(Cow::Owned(self.0.codes.get(name)?.hand_out())))
    }

    /// The value that is typed by this name.
    ///
    /// # Errors
    /// [`DeviceError::BadArgument`] with the names that there are.
    pub fn typed(&self, name: &str) -> Result<Cow<'_, str>, DeviceError> {
        self.value(name).ok_or_else(|| {
            let names: Vec<&str> = self.names().collect();
            let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            let message = format!("'{name}' is unknown; there is {names}");
            DeviceError::BadArgument { what: "secret".to_owned(), message }
        })
    }

    /// Pairs of name and value, for whoever masks besides the device.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.values.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.values.keys().chain(self.0.codes.keys()).map(String::as_str)
    }

    #[must_use]
    pub fn and(&self, others: &Self) -> Self {
        let named = others.0.values.iter().all(|(name, value)| self.0.values.get(name) == Some(value))
            && others
                .0
                .codes
                .iter()
                .all(|(name, codes)| self.0.codes.get(name).is_some_and(|own| Arc::ptr_eq(own, codes)));
        if named && others.0.hidden.keys().all(|value| self.0.hidden.contains_key(value)) {
            return self.clone();
        }
        let (mut values, mut hidden, mut codes) =
            (self.0.values.clone(), self.0.hidden.clone(), self.0.codes.clone());
        values.extend(others.0.values.clone());
        hidden.extend(others.0.hidden.clone());
        codes.extend(others.0.codes.clone());
        let mut finders = self.0.finders.clone();
        finders.extend(others.0.finders.clone());
        Self::known(values, hidden, codes, &finders)
    }

    pub fn is_empty(&self) -> bool {
        self.0.values.is_empty() && self.0.hidden.is_empty() && self.0.codes.is_empty()
    }

    /// Text of a screen as it is told: masked as a whole, then cut to `max` characters.
    pub fn brief(&self, text: &str, max: usize) -> String {
        match self.masked(text) {
            Some(masked) => brief(&masked, max),
            None => brief(text, max),
        }
    }

    /// `text` with every value of four characters or more replaced by bullets, in whatever form it stands there.
    pub fn mask(&self, text: String) -> String {
        self.masked(&text).unwrap_or(text)
    }

    /// Masks `text`; whether it showed a value.
    pub fn hide(&self, text: &mut String) -> bool {
        let masked = self.masked(text);
        let shown = masked.is_some();
        if let Some(masked) = masked {
            *text = masked;
        }
        shown
    }

    pub fn masked(&self, text: &str) -> Option<String> {
        if self.is_empty() || text.is_empty() {
            return None;
        }
        let folded = Folded::of(text);
        let seen = folded.as_ref().map_or(text, |folded| &folded.text);
        let mut places: Vec<Range<usize>> = Vec::new();
        if !self.0.hidden.is_empty() {
            let small = seen.to_ascii_lowercase();
            if self.0.gate.as_ref().is_none_or(|gate| gate.is_match(&small)) {
                let there = self.0.hidden.values().flatten().filter_map(|hidden| hidden.finder(&small));
                there.for_each(|finder| finder.find(seen, &mut places));
            }
        }
        let told: Vec<_> = self.0.codes.values().flat_map(|codes| codes.finders()).collect();
        for finder in self.0.finders.values().chain(&told) {
            finder.find(seen, &mut places);
        }
        if let Some(folded) = &folded {
            places.iter_mut().for_each(|place| *place = folded.before(place));
        }
        for finder in self.0.finders.values().chain(&told) {
            finder.find_plain(text, &mut places);
        }
        if places.is_empty() {
            return None;
        }
        places.sort_unstable_by_key(|place| (place.start, place.end));
        let mut masked = String::with_capacity(text.len());
        let mut told = 0;
        for place in places {
            // One that overlaps or touches the last is part of it.
            if place.start > told || masked.is_empty() {
                masked.push_str(text.get(told..place.start).unwrap_or_default());
                masked.push_str(MASK);
            }
            told = told.max(place.end);
        }
        masked.push_str(text.get(told..).unwrap_or_default());
        Some(masked)
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

//! What is known about elements from earlier use.

use std::collections::BTreeMap;

use waldo_devices::Element;
use waldo_prompts::appagent::Doc;

use crate::agent::View;

/// Documentation of elements, by [`Docs::key`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Docs(BTreeMap<String, String>);

impl Docs {
    /// The key of an element: `role|name`, with white space folded.
    pub fn key(element: &Element) -> String {
        let name = element.name.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{}|{name}", element.role.as_str())
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is known about the tagged elements of a view.
    pub(crate) fn of(&self, view: &View) -> Vec<Doc> {
        if self.0.is_empty() {
            return Vec::new();
        }
        view.tagged
            .iter()
            .filter_map(|t| {
                let element = view.observation.elements.get(t.element)?;
                let text = self.0.get(&Self::key(element))?;
                Some(Doc { tag: t.tag.0, text: text.clone() })
            })
            .collect()
    }
}

impl FromIterator<(String, String)> for Docs {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

//! The tree of `source?format=json`, read node by node: no more of them are kept than a bound, however many come.
//!
//! A node is `type`, `rawIdentifier`, `name`, `label`, `value`, `rect` (points), `isVisible`, `isEnabled`, `isAccessible`,
//! `isFocused` (each `"1"` or `"0"`), `placeholderValue`, `traits`, and `children`.

use std::cell::RefCell;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use waldo_devices::geometry::{Native, Rect};

pub(crate) const NODES: usize = 50_000;
/// The most characters of a text that are kept of a node.
const TEXT: usize = 4_000;

/// One node. Its children follow it, up to `end`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PhoneNode {
    /// Its type, without `XCUIElementType`.
    pub(crate) kind: String,
    pub(crate) identifier: String,
    pub(crate) label: String,
    pub(crate) value: String,
    pub(crate) placeholder: String,
    pub(crate) traits: String,
    pub(crate) rect: Option<Rect<Native>>,
    pub(crate) is_visible: bool,
    pub(crate) is_enabled: bool,
    pub(crate) is_accessible: bool,
    pub(crate) is_focused: bool,
    /// The place of the first node that is not below it.
    pub(crate) end: usize,
}

/// All nodes in document order; the first is the app's.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PhoneTree {
    pub(crate) nodes: Vec<PhoneNode>,
}

/// Reads the answer.
///
/// # Errors
/// In words: what it is not, or that it has more nodes than may be.
pub(crate) fn read(bytes: &[u8]) -> Result<PhoneTree, String> {
    let nodes = RefCell::new(Vec::new());
    let mut from = serde_json::Deserializer::from_slice(bytes);
    let answer = AnswerSeed(&nodes).deserialize(&mut from).and_then(|()| from.end());
    answer.map_err(|error| format!("no tree: {error}"))?;
    let nodes = nodes.into_inner();
    if nodes.is_empty() {
        return Err("no tree: there is no node".to_owned());
    }
    Ok(PhoneTree { nodes })
}

type Nodes = RefCell<Vec<PhoneNode>>;

/// `{"value": NODE}`.
#[derive(Clone, Copy)]
struct AnswerSeed<'a>(&'a Nodes);

impl<'de> DeserializeSeed<'de> for AnswerSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for AnswerSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an answer of WebDriverAgent")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<NodeKey>()? {
            match key {
                NodeKey::Value => map.next_value_seed(NodeSeed(self.0))?,
                _ => map.next_value::<IgnoredAny>().map(drop)?,
            }
        }
        Ok(())
    }
}

#[derive(Deserialize)]
#[serde(field_identifier)]
enum NodeKey {
    #[serde(rename = "value")]
    Value,
    #[serde(rename = "type")]
    Kind,
    #[serde(rename = "rawIdentifier")]
    Identifier,
    #[serde(rename = "name")]
    Name,
    #[serde(rename = "label")]
    Label,
    #[serde(rename = "placeholderValue")]
    Placeholder,
    #[serde(rename = "traits")]
    Traits,
    #[serde(rename = "rect")]
    Rect,
    #[serde(rename = "isVisible")]
    Visible,
    #[serde(rename = "isEnabled")]
    Enabled,
    #[serde(rename = "isAccessible")]
    Accessible,
    #[serde(rename = "isFocused")]
    Focused,
    #[serde(rename = "children")]
    Children,
    #[serde(other)]
    Other,
}

/// A text, a number, a truth, or nothing that says anything.
#[derive(Deserialize)]
#[serde(untagged)]
enum ScalarText {
    Text(String),
    Number(f64),
    Truth(bool),
    Nothing(IgnoredAny),
}

impl ScalarText {
    fn text(self) -> String {
        let text = match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
            Self::Truth(truth) => u8::from(truth).to_string(),
            Self::Nothing(_) => String::new(),
        };
        match text.char_indices().nth(TEXT) {
            Some((at, _)) => text[..at].to_owned(),
            None => text,
        }
    }

    fn is(self) -> bool {
        matches!(self.text().as_str(), "1" | "true")
    }
}

#[derive(Deserialize)]
struct Sides {
    x: Option<f64>,
    y: Option<f64>,
    width: Option<f64>,
    height: Option<f64>,
}

impl Sides {
    /// A rectangle that can be reckoned with; XCTest tells infinite ones for what has no place.
    fn rect(&self) -> Option<Rect<Native>> {
        let all = [self.x?, self.y?, self.width?, self.height?];
        let fits = all.iter().all(|n| n.is_finite() && n.abs() < 1e6) && all[2] >= 0.0 && all[3] >= 0.0;
        fits.then(|| Rect::new(all[0], all[1], all[2], all[3]))
    }
}

/// A node, put behind those that were read before it.
#[derive(Clone, Copy)]
struct NodeSeed<'a>(&'a Nodes);

impl<'de> DeserializeSeed<'de> for NodeSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for NodeSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a node of the tree")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let place = self.0.borrow().len();
        if place >= NODES {
            return Err(A::Error::custom(format!("it has more than {NODES} nodes")));
        }
        self.0.borrow_mut().push(PhoneNode::default());
        // What is not told holds of most: older versions tell less.
        let mut node = PhoneNode { is_visible: true, is_enabled: true, ..PhoneNode::default() };
        let mut name = String::new();
        while let Some(key) = map.next_key::<NodeKey>()? {
            match key {
                NodeKey::Kind => {
                    let kind: String = map.next_value()?;
                    let short = kind.strip_prefix("XCUIElementType").unwrap_or(&kind);
                    node.kind = short.chars().take(60).collect();
                }
                NodeKey::Identifier => node.identifier = map.next_value::<ScalarText>()?.text(),
                NodeKey::Name => name = map.next_value::<ScalarText>()?.text(),
                NodeKey::Label => node.label = map.next_value::<ScalarText>()?.text(),
                NodeKey::Value => node.value = map.next_value::<ScalarText>()?.text(),
                NodeKey::Placeholder => node.placeholder = map.next_value::<ScalarText>()?.text(),
                NodeKey::Traits => node.traits = map.next_value::<ScalarText>()?.text(),
                NodeKey::Rect => {
                    node.rect = map.next_value::<Option<Sides>>()?.and_then(|sides| sides.rect())
                }
                NodeKey::Visible => node.is_visible = map.next_value::<ScalarText>()?.is(),
                NodeKey::Enabled => node.is_enabled = map.next_value::<ScalarText>()?.is(),
                NodeKey::Accessible => node.is_accessible = map.next_value::<ScalarText>()?.is(),
                NodeKey::Focused => node.is_focused = map.next_value::<ScalarText>()?.is(),
                NodeKey::Children => map.next_value_seed(Children(self.0))?,
                NodeKey::Other => map.next_value::<IgnoredAny>().map(drop)?,
            }
        }
        if node.label.is_empty() && name != node.identifier {
            node.label = name;
        }
        let mut all = self.0.borrow_mut();
        node.end = all.len();
        all[place] = node;
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Children<'a>(&'a Nodes);

impl<'de> DeserializeSeed<'de> for Children<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Children<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of nodes")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<(), A::Error> {
        while all.next_element_seed(NodeSeed(self.0))?.is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = r#"{"value": {"type": "Application", "label": "Shop", "rect": {"x":0,"y":0,"width":390,"height":844},
        "children": [
          {"type": "XCUIElementTypeButton", "name": "buy", "rawIdentifier": "buy", "label": "Buy now", "value": null,
           "rect": {"x": 10, "y": 20.5, "width": 100, "height": 44}, "isVisible": "1", "isEnabled": "0",
           "customActions": ["x", {"deep": [1]}], "children": [{"type": "StaticText", "label": "Buy now"}]},
          {"type": "Switch", "name": "Wi-Fi", "value": 1, "isVisible": "0", "rect": {"x": null, "y": 0, "width": 1, "height": 1}}
        ]}, "sessionId": null}"#;

    #[test]
    fn nodes_come_in_document_order_with_what_they_tell() {
        let tree = read(TREE.as_bytes()).unwrap();
        let kinds: Vec<(&str, usize)> = tree.nodes.iter().map(|n| (n.kind.as_str(), n.end)).collect();
        assert_eq!(kinds, [("Application", 4), ("Button", 3), ("StaticText", 3), ("Switch", 4)]);
        let button = &tree.nodes[1];
        assert_eq!((button.label.as_str(), button.identifier.as_str()), ("Buy now", "buy"));
        assert!(button.is_visible && !button.is_enabled);
        assert_eq!(button.rect, Some(Rect::new(10.0, 20.5, 100.0, 44.0)));
        let switch = &tree.nodes[3];
        assert_eq!((switch.label.as_str(), switch.value.as_str(), switch.is_visible), ("Wi-Fi", "1", false));
        assert_eq!(switch.rect, None);
    }

    #[test]
    fn what_is_no_tree_is_said_and_one_that_is_too_large_is_not_read_on() {
        for bad in
            ["", "[]", "{}", r#"{"value": null}"#, r#"{"value": {"children": 3}}"#, r#"{"value": "<xml/>"}"#]
        {
            assert!(read(bad.as_bytes()).is_err(), "{bad}");
        }
        let many = format!(r#"{{"value": {{"children": [{}{{}}]}}}}"#, "{},".repeat(NODES));
        assert!(read(many.as_bytes()).unwrap_err().contains("more than 50000 nodes"));
        // Deeper than any stack should have to go.
        let deep = format!(r#"{{"value": {}"#, r#"{"children": ["#.repeat(100_000));
        assert!(read(deep.as_bytes()).unwrap_err().contains("recursion"));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in "[\\[\\]{}:,\"a-z0-9]{0,200}") {
            let _ = read(format!(r#"{{"value":{bytes}}}"#).as_bytes());
        }
    }
}

//! Screens from layouts. An app's layout in `assets/layouts` is a template that makes XML of the app's state; its elements
//! are widgets, or components of `components.xml`, which are elements with attributes and children of their own.
//!
//! In a component `$name` stands for the attribute of that name where the component is used, `$name:else` says what it is
//! where that is missing, `<children/>` for the children; attributes that `takes` does not name go to the component
//! itself. An element whose `when` is empty is left out, and an empty attribute is as good as none.

use std::{collections::HashMap, str::FromStr, sync::LazyLock};

use minijinja::{Error, Value, value::Serde};
use roxmltree::{Document, Node as Element};

use super::{
    icon,
    node::{Align, Axis, Edges, FieldInput, Kind, Len, Node},
    shape::Shape,
    templates::TEMPLATES,
    theme::Tone,
};

const CLASSES: &str = "android.widget.Button android.widget.CheckBox android.widget.EditText android.widget.FrameLayout \
    android.widget.HorizontalScrollView android.widget.ImageButton android.widget.ImageView \
    android.widget.LinearLayout android.widget.ListView android.widget.ProgressBar android.widget.RadioButton \
    android.widget.RelativeLayout android.widget.ScrollView android.widget.SeekBar android.widget.Space \
    android.widget.Spinner android.widget.Switch android.widget.TextView android.view.SurfaceView android.view.View \
    android.view.ViewGroup androidx.cardview.widget.CardView androidx.recyclerview.widget.RecyclerView";

static COMPONENTS: LazyLock<Option<Document<'static>>> =
    LazyLock::new(|| Document::parse(include_str!("../../assets/layouts/components.xml")).ok());

static BY_NAME: LazyLock<HashMap<&'static str, Element<'static, 'static>>> = LazyLock::new(|| {
    let all = COMPONENTS.as_ref().map(|document| document.root_element().children());
    all.into_iter().flatten().filter(Element::is_element).map(|c| (c.tag_name().name(), c)).collect()
});

#[derive(Debug, thiserror::Error)]
pub(crate) enum LayoutError {
    #[error("the template cannot be rendered: {0:#}")]
    Template(#[from] Error),
    #[error("the template makes no XML: {0}")]
    Xml(#[from] roxmltree::Error),
    #[error("<{0}> has no screen in it")]
    NoScreen(String),
    #[error("<{element}> cannot have {name}={value:?}")]
    Attribute { element: String, name: String, value: String },
    #[error("no widget and no component is called <{0}>")]
    Element(String),
}

impl LayoutError {
    fn attribute(element: &str, name: &str, value: &str) -> Self {
        Self::Attribute { element: element.to_owned(), name: name.to_owned(), value: value.to_owned() }
    }
}

#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct AppScreen {
    pub root: Node,
    /// What lies over it, where [`Activity::overlay`](crate::world::stack::Activity::overlay) asks for something.
    pub overlay: Option<Overlay>,
    /// The ground behind it, also under the status bar.
    pub ground: Tone,
    pub back: Option<String>,
}

/// What lies over a screen, in a window of its own.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub(crate) enum Overlay {
    Dialog(Node),
    Sheet(Node),
    Menu(Node),
}

impl AppScreen {
    pub fn new(root: Node) -> Self {
        Self { root, overlay: None, ground: Tone::Surface, back: None }
    }
}

/// Draws what a canvas asks for by name, of so many dp.
pub(crate) type Draw<'a> = dyn Fn(&str, f32, f32) -> Vec<Shape> + 'a;

#[cfg(test)]
pub(crate) fn node(xml: &str) -> Node {
    let builder = Builder { draw: &|_, _, _| Vec::new(), given: None, children: Vec::new() };
    builder.element(Document::parse(xml).unwrap().root_element()).unwrap().unwrap()
}

pub(crate) fn screen(
    layout: &str,
    facts: &serde_json::Value,
    draw: &Draw<'_>,
) -> Result<AppScreen, LayoutError> {
    let xml = TEMPLATES.get_template(layout)?.render(Value::from(Serde(facts)))?;
    let document = Document::parse(&xml)?;
    let root = document.root_element();
    let layer = |element: Element<'_, '_>| {
        let builder = Builder { draw, given: None, children: Vec::new() };
        Ok::<_, LayoutError>((element.tag_name().name().to_owned(), builder.element(element)?))
    };
    let mut layers = Vec::new();
    for element in root.children().filter(Element::is_element) {
        layers.push(layer(element)?);
    }
    let mut layers = layers.into_iter().filter_map(|(name, node)| Some((name, node?)));
    let (_, page) = layers.next().ok_or_else(|| LayoutError::NoScreen(layout.to_owned()))?;
    let over = layers.next().map(|(name, node)| match name.as_str() {
        "sheet" => Overlay::Sheet(node),
        "menu" => Overlay::Menu(node),
        _ => Overlay::Dialog(node),
    });
    let ground = root.attribute("ground").and_then(tone).unwrap_or(Tone::Surface);
    let back = root.attribute("back").map(str::to_owned);
    Ok(AppScreen { root: page, overlay: over, ground, back })
}

struct Builder<'a> {
    draw: &'a Draw<'a>,
    /// What stands for `$name` within a component; nothing outside of one.
    given: Option<HashMap<String, String>>,
    /// What stands for `<children/>` within a component.
    children: Vec<Node>,
}

impl Builder<'_> {
    fn fill(&self, text: &str) -> String {
        // A dollar that stands in a layout itself is one.
        let (Some(given), Some(name)) = (&self.given, text.strip_prefix('$')) else { return text.to_owned() };
        let (name, or) = name.split_once(':').unwrap_or((name, ""));
        given.get(name).filter(|value| !value.is_empty()).map_or(or, String::as_str).to_owned()
    }

    fn attributes<'x>(&self, element: Element<'x, '_>) -> Vec<(&'x str, String)> {
        let all = element.attributes().map(|a| (a.name(), self.fill(a.value())));
        all.filter(|(_, value)| !value.is_empty()).collect()
    }

    fn inside(&self, element: Element<'_, '_>) -> Result<Vec<Node>, LayoutError> {
        let mut children = Vec::new();
        for child in element.children().filter(Element::is_element) {
            if child.has_tag_name("children") {
                children.extend(self.children.iter().cloned());
            } else {
                children.extend(self.element(child)?);
            }
        }
        Ok(children)
    }

    /// The widget of an element; nothing where it is left out.
    fn element(&self, element: Element<'_, '_>) -> Result<Option<Node>, LayoutError> {
        if element.attribute("when").is_some_and(|when| self.fill(when).is_empty()) {
            return Ok(None);
        }
        let attributes = self.attributes(element).into_iter().filter(|(name, _)| *name != "when");
        let children = self.inside(element)?;
        self.made(element.tag_name().name(), attributes.collect(), children).map(Some)
    }

    /// A component where there is one of the name, else a widget.
    fn made(
        &self,
        name: &str,
        attributes: Vec<(&str, String)>,
        children: Vec<Node>,
    ) -> Result<Node, LayoutError> {
        let Some(component) = BY_NAME.get(name) else { return widget(name, attributes, children, self.draw) };
        let takes: Vec<&str> = component.attribute("takes").unwrap_or_default().split(' ').collect();
        let (given, own): (Vec<_>, Vec<_>) =
            attributes.into_iter().partition(|(name, _)| takes.contains(name));
        let given = Some(given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
        let mut inner = Builder { draw: self.draw, given, children };
        // What it is made of, then what is asked of it where it is used.
        let mut attributes = inner.attributes(*component);
        attributes.retain(|(name, _)| !["as", "takes"].contains(name));
        attributes.extend(own);
        let children = if component.children().any(|child| child.is_element()) {
            inner.inside(*component)?
        } else {
            std::mem::take(&mut inner.children)
        };
        self.made(component.attribute("as").unwrap_or("column"), attributes, children)
    }
}

fn widget(
    element: &str,
    attributes: Vec<(&str, String)>,
    children: Vec<Node>,
    draw: &Draw<'_>,
) -> Result<Node, LayoutError> {
    let get = |name: &str| attributes.iter().rev().find(|(n, _)| *n == name).map_or("", |(_, v)| v.as_str());
    let number = |name: &str| get(name).parse().unwrap_or(0.0_f32);
    let whole = |name: &str| get(name).parse().unwrap_or(0_i32);
    let on = get("on") == "true";
    // The kind, and the attributes that say so beside those that every widget has.
    let (kind, own): (Kind, &[&str]) = match element {
        "Column" => (Kind::Column, &[]),
        "Row" => (Kind::Row, &[]),
        "Stack" => (Kind::Stack, &[]),
        "Scroll" => (Kind::Scroll(Axis::Y, get("columns").parse().unwrap_or(1)), &["columns"]),
        "Strip" => (Kind::Scroll(Axis::X, 1), &[]),
        "Text" => (Kind::Text, &[]),
        "Icon" => match named(get("icon")) {
            Some(icon) => (Kind::Icon(icon, number("side")), &["icon", "side"]),
            None => return Err(LayoutError::attribute("Icon", "icon", get("icon"))),
        },
        "Field" => {
            let input = match get("input") {
                "lines" => FieldInput::Lines,
                "number" => FieldInput::Number,
                "password" => FieldInput::Password,
                _ => FieldInput::Line,
            };
            (Kind::Field(get("hint").to_owned(), input), &["hint", "input"])
        }
        "Switch" => (Kind::Switch(on), &["on"]),
        "Check" => (Kind::Check(on), &["on"]),
        "Radio" => (Kind::Radio(on), &["on"]),
        "Slider" => {
            let max = whole("max");
            (Kind::Slider(whole("value").clamp(0, max.max(0)), max.max(1)), &["value", "max"])
        }
        "Progress" => (Kind::Progress(whole("done").clamp(0, 1000)), &["done"]),
        "Canvas" => {
            let mut shapes = draw(get("draw"), number("w"), number("h"));
            shapes.extend(get("shapes").split("; ").filter_map(drawn).flatten());
            (Kind::Canvas(shapes), &["draw", "shapes"])
        }
        _ => return Err(LayoutError::Element(element.to_owned())),
    };
    let mut node = Node { children, ..Node::new(kind) };
    for (name, value) in &attributes {
        if !own.contains(name) && put(&mut node, name, value).is_none() {
            return Err(LayoutError::attribute(element, name, value));
        }
    }
    if matches!(node.kind, Kind::Field(_, FieldInput::Lines)) {
        node.max_lines = usize::MAX;
    }
    Ok(node)
}

/// The shapes of a colour and a form (`Primary disc 12 12 4`).
fn drawn(text: &str) -> Option<Vec<Shape>> {
    let (colour, form) = text.split_once(' ')?;
    let tone = tone(colour)?;
    Some(icon::parse(form)?.into_iter().map(|form| Shape::new(form, tone)).collect())
}

pub(crate) fn named<T: serde::de::DeserializeOwned>(name: &str) -> Option<T> {
    serde_json::from_value(name.into()).ok()
}

pub(crate) fn tone(name: &str) -> Option<Tone> {
    if let Some(hex) = name.strip_prefix('#') {
        let [_, r, g, b] = u32::from_str_radix(hex, 16).ok()?.to_be_bytes();
        return Some(Tone::Rgb(r, g, b));
    }
    if name == "White" { Some(Tone::WHITE) } else { named(name) }
}

/// `fill`, `2*` for twice the share of others that fill, `wrap`, or a number of dp.
fn length(text: &str) -> Option<Len> {
    Some(match text {
        "fill" => Len::Fill(1.0),
        "wrap" => Len::Wrap,
        _ => match text.strip_suffix('*') {
            Some(share) => Len::Fill(share.parse().ok()?),
            None => Len::Dp(text.parse().ok()?),
        },
    })
}

/// Left and right with top and bottom, or all four: left, top, right, bottom.
fn edges(text: &str) -> Option<Edges> {
    let numbers: Option<Vec<f32>> = text.split(' ').map(|n| f32::from_str(n).ok()).collect();
    match *numbers?.as_slice() {
        [x, y] => Some(Edges { l: x, t: y, r: x, b: y }),
        [l, t, r, b] => Some(Edges { l, t, r, b }),
        _ => None,
    }
}

fn align(text: &str) -> Option<Align> {
    Some(match text {
        "start" => Align::Start,
        "centre" => Align::Centre,
        "end" => Align::End,
        _ => return None,
    })
}

/// Puts an attribute that every widget has; nothing where there is none such, or it cannot be this.
fn put(node: &mut Node, name: &str, value: &str) -> Option<()> {
    match name {
        "id" => value.clone_into(&mut node.id),
        "class" => {
            let full = |class: &&str| class.rsplit('.').next() == Some(value);
            node.class = CLASSES.split_ascii_whitespace().find(full)?;
        }
        "text" => value.clone_into(&mut node.text),
        "desc" => value.clone_into(&mut node.desc),
        "w" => node.w = length(value)?,
        "h" => node.h = length(value)?,
        "pad" => node.pad = edges(value)?,
        "margin" => node.margin = edges(value)?,
        "gap" => node.gap = value.parse().ok()?,
        "main" => node.main = align(value)?,
        "cross" => node.cross = align(value)?,
        "bg" => node.bg = if value == "none" { None } else { Some(tone(value)?) },
        "border" => node.border = Some(tone(value)?),
        "radius" => node.radius = value.parse().ok()?,
        "tone" => node.tone = tone(value)?,
        "sp" => node.size = value.parse().ok()?,
        "lines" => node.max_lines = value.parse().ok()?,
        "off" => node.enabled = value != "true",
        "sel" => node.selected = value == "true",
        "is" => value.split(' ').try_for_each(|word| be(node, word))?,
        "tap" => node.on.tap = Some(value.to_owned()),
        "long" => node.on.long = Some(value.to_owned()),
        "double" => node.on.double = Some(value.to_owned()),
        "dismiss" => node.on.dismiss = Some(value.to_owned()),
        "change" => node.on.change = Some(value.to_owned()),
        "submit" => node.on.submit = Some(value.to_owned()),
        "drag" => node.on.drag = Some(value.to_owned()),
        "pinch" => node.on.pinch = Some(value.to_owned()),
        _ => return None,
    }
    Some(())
}

fn be(node: &mut Node, word: &str) -> Option<()> {
    match word {
        "bold" => node.bold = true,
        "muted" => node.tone = Tone::Muted,
        "fill" => node.w = Len::Fill(1.0),
        "tall" => node.h = Len::Fill(1.0),
        "snug" => node.w = Len::Wrap,
        "centred" => (node.main, node.cross) = (Align::Centre, Align::Centre),
        _ => return None,
    }
    Some(())
}

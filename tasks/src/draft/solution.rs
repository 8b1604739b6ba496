//! What was done, as the steps of a reference solution: elements by role and name, never by coordinates.

#![warn(clippy::wildcard_enum_match_arm, reason = "a new action is a step here, or is named as none")]

use serde_json::json;
use waldo_devices::{
    Action, Affordance, Button, Clicks, DialogReply, Element, ElementRef, Physical, Platform, Point, Tag,
};

use super::done::{Deed, Done};
use super::{DraftEntry, plain};

/// Roles of elements in which the place of a press counts.
const PLACED: [&str; 9] =
    ["slider", "canvas", "img", "image", "application", "figure", "scrollbar", "spinbutton", "map"];
/// The share of the screen above which the place within an element counts.
const LARGE: f64 = 0.2;

#[derive(Clone, Debug, Default)]
pub struct Solution {
    pub steps: Vec<DraftEntry>,
    /// What was done that a solution cannot say, for its author.
    pub left: Vec<String>,
}

impl Solution {
    /// Of what was done on a platform; addresses of `origin` are those of the task's own pages.
    pub fn of(done: &Done, platform: Platform, origin: Option<&str>) -> Self {
        let mut all = Self::default();
        for deed in &done.deeds {
            match step(deed, platform, origin) {
                Ok(Some(step)) => all.steps.push(step),
                Ok(None) => {}
                Err(why) => {
                    let what = deed.action.describe();
                    all.left.push(format!("step {}, {what}: {why}", deed.step));
                }
            }
        }
        if let Some(answer) = &done.answer {
            all.steps.push(verb("answer", [("text", plain(answer).into())]));
        }
        all
    }

    pub fn words(&self) -> Vec<String> {
        let word =
            |step: &DraftEntry, field: &str| step.get(field).and_then(|v| v.as_str()).map(str::to_owned);
        let of = |step: &DraftEntry| {
            let mut words = word(step, "do").unwrap_or_default();
            for field in ["role", "text", "key", "option", "url", "app", "towards"] {
                if let Some(text) = word(step, field) {
                    words.push(' ');
                    words.push_str(&text);
                }
            }
            if let Some(name) = word(step, "name") {
                words.push_str(&format!(" \"{name}\""));
            }
            words
        };
        self.steps.iter().map(of).collect()
    }
}

fn verb<const N: usize>(name: &str, fields: [(&str, serde_json::Value); N]) -> DraftEntry {
    let mut step = DraftEntry::new();
    step.insert("do".to_owned(), name.into());
    step.extend(fields.map(|(field, value)| (field.to_owned(), value)));
    step
}

fn step(deed: &Deed, platform: Platform, origin: Option<&str>) -> Result<Option<DraftEntry>, String> {
    let on = |name: &str, at: Point<Physical>| aimed(deed, name, at);
    let field = |name: &str, element: &ElementRef| {
        let (tag, element) = handled(deed, element)?;
        let mut step = verb(name, []);
        name_it(&mut step, deed, tag, element);
        Ok::<_, String>(step)
    };
    Ok(Some(match &deed.action {
        Action::Tap { at, clicks: Clicks::Single, button: Button::Left } => on("tap", *at)?,
        Action::Tap { at, clicks: Clicks::Double, button: Button::Left } => on("double_tap", *at)?,
        Action::Tap { at, clicks: Clicks::Triple, button: Button::Left } => on("triple_tap", *at)?,
        Action::Tap { at, clicks: Clicks::Single, button: Button::Right } => on("right_tap", *at)?,
        Action::Tap { at, clicks, button } => {
            let mut step = on("tap_at", *at)?;
            step.insert("with".to_owned(), json!({ "clicks": clicks, "button": button }));
            step
        }
        Action::TapAt { at, clicks, button, modifiers } => {
            let mut step = on("tap_at", *at)?;
            let with = json!({ "clicks": clicks, "button": button, "modifiers": modifiers });
            step.insert("with".to_owned(), with);
            step
        }
        Action::LongPress { at } => on("long_press", *at)?,
        Action::Hover { at } => on("hover", *at)?,
        Action::Pinch { at, percent } => {
            let mut step = on("pinch", *at)?;
            step.insert("with".to_owned(), json!({ "percent": percent }));
            step
        }
        Action::Drag { path, button, modifiers } if !button.is_main() || !modifiers.is_empty() => {
            let mut step = dragged(deed, path)?;
            step.insert("with".to_owned(), json!({ "button": button, "modifiers": modifiers }));
            step
        }
        Action::Drag { path, .. } => match (path.as_slice(), platform.has_packages()) {
            ([from, to], true) if !is_slider(deed, *from) => swiped(deed, *from, *to)?,
            (path, _) => dragged(deed, path)?,
        },
        Action::Swipe { from, to, .. } if is_slider(deed, *from) => dragged(deed, &[*from, *to])?,
        Action::Swipe { from, to, .. } => swiped(deed, *from, *to)?,
        Action::Scroll { at, by, modifiers } => {
            let mut step = verb("scroll", []);
            let can = |e: &Element| e.can(Affordance::Scroll) && e.bounds.contains(*at);
            if let Some((tag, element)) = smallest(deed.tagged().filter(|(_, e)| can(e))) {
                name_it(&mut step, deed, tag, element);
            }
            let (way, notches) = if by.down == 0 { ("right", by.right) } else { ("down", by.down) };
            step.insert(way.to_owned(), notches.into());
            if !modifiers.is_empty() {
                step.insert("with".to_owned(), json!({ "modifiers": modifiers }));
            }
            step
        }
        Action::Type { text } | Action::Paste { text } => verb("type", [("text", plain(text).into())]),
        Action::Key { chord } => verb("key", [("key", plain(chord).into())]),
        Action::Clear { element } => field("clear", element)?,
        Action::Fill { element, text } => {
            let mut step = field("fill", element)?;
            step.insert("text".to_owned(), plain(text).into());
            step
        }
        Action::Select { element, option } => {
            let mut step = field("select", element)?;
            step.insert("option".to_owned(), plain(option).into());
            step
        }
        Action::Navigate { url } => verb("navigate", [("url", address(url, origin)?.into())]),
        Action::NewTab { url: Some(url) } => verb("new_tab", [("url", address(url, origin)?.into())]),
        Action::SwitchTab { tab } => verb("switch_tab", [("tab", tab.0.into())]),
        Action::Dialog { reply: DialogReply::Dismiss } => verb("dialog", [("accept", false.into())]),
        Action::Dialog { reply: DialogReply::Accept { text } } => {
            let mut step = verb("dialog", []);
            step.extend(text.as_ref().map(|text| ("text".to_owned(), plain(text).into())));
            step
        }
        Action::OpenApp { app } => verb("open_app", [("app", plain(app).into())]),
        Action::Back
        | Action::Forward
        | Action::Reload
        | Action::CloseTab
        | Action::NewTab { url: None }
        | Action::Home
        | Action::Recents => verb(deed.action.name(), []),
        // A solution looks again by itself.
        Action::Wait { .. } => return Ok(None),
        Action::TypeSecret { .. } => return Err("a solution has no secrets: write what to type".to_owned()),
        Action::Upload { .. } => {
            return Err("offer the file in state.uploads, and name it in a step 'upload'".to_owned());
        }
        Action::PointerDown { .. }
        | Action::PointerMove { .. }
        | Action::PointerUp { .. }
        | Action::StopApp { .. }
        | Action::FocusWindow { .. }
        | Action::CloseWindow { .. }
        | Action::Shell { .. }
        | Action::AskUser { .. }
        | Action::CallTool { .. }
        | Action::Rotate { .. }
        | Action::SwitchScreen { .. } => return Err("a solution has no such step".to_owned()),
    }))
}

fn address(url: &str, origin: Option<&str>) -> Result<String, String> {
    let path = origin.and_then(|origin| url.strip_prefix(origin)).filter(|path| path.starts_with('/'));
    path.map(|path| format!("{{{{ origin }}}}{}", plain(path)))
        .ok_or_else(|| "this page is not one of the task: an episode reaches only its own pages".to_owned())
}

fn smallest<'a>(elements: impl Iterator<Item = (Tag, &'a Element)>) -> Option<(Tag, &'a Element)> {
    elements.min_by(|(_, a), (_, b)| a.bounds.area().total_cmp(&b.bounds.area()))
}

/// The element at a place: the one that was named, where the place lies in it, else the smallest there.
fn under(deed: &Deed, at: Point<Physical>) -> Option<(Tag, &Element)> {
    let named = deed.tagged().find(|(tag, e)| Some(*tag) == deed.tag && e.bounds.contains(at));
    named.or_else(|| smallest(deed.tagged().filter(|(_, e)| e.bounds.contains(at))))
}

fn handled<'a>(deed: &'a Deed, handle: &ElementRef) -> Result<(Tag, &'a Element), String> {
    deed.tagged().find(|(_, e)| e.handle == *handle).ok_or_else(|| "its element had no number".to_owned())
}

fn is_slider(deed: &Deed, at: Point<Physical>) -> bool {
    under(deed, at).is_some_and(|(_, e)| e.role.as_str() == "slider")
}

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How a solution names an element: its role and name, and its place among those that have the same.
fn name_it(step: &mut DraftEntry, deed: &Deed, tag: Tag, element: &Element) {
    let name = fold(&element.name);
    step.insert("role".to_owned(), element.role.as_str().into());
    if !name.is_empty() {
        step.insert("name".to_owned(), plain(&name).into());
    }
    let like =
        deed.tagged().filter(|(_, e)| e.role == element.role && (name.is_empty() || fold(&e.name) == name));
    let nth = like.map(|(tag, _)| tag).position(|other| other == tag).unwrap_or(0);
    if nth > 0 {
        step.insert("nth".to_owned(), nth.into());
    }
}

fn share(at: Point<Physical>, element: &Element) -> [f64; 2] {
    let bounds = &element.bounds;
    let part = |at: f64, from: f64, length: f64| {
        let share = ((at - from) / length.max(1.0)).clamp(0.0, 1.0);
        (share * 1000.0).round() / 1000.0
    };
    [part(at.x, bounds.x, bounds.w), part(at.y, bounds.y, bounds.h)]
}

fn aimed(deed: &Deed, name: &str, at: Point<Physical>) -> Result<DraftEntry, String> {
    let (tag, element) =
        under(deed, at).ok_or("no element that has a number is there; name one, or make it one")?;
    let mut step = verb(name, []);
    name_it(&mut step, deed, tag, element);
    let screen = deed.seen.geometry.physical;
    let large = element.bounds.area() > LARGE * screen.w * screen.h;
    let off = (at.x - element.hit.x).abs() > 1.0 || (at.y - element.hit.y).abs() > 1.0;
    if off && (large || PLACED.contains(&element.role.as_str())) {
        step.insert("at".to_owned(), json!(share(at, element)));
    }
    Ok(step)
}

fn dragged(deed: &Deed, path: &[Point<Physical>]) -> Result<DraftEntry, String> {
    let (Some(from), Some(to)) = (path.first(), path.last()) else { return Err("it has no way".to_owned()) };
    let (tag, element) = under(deed, *from).ok_or("no element that has a number is where it begins")?;
    let mut step = verb("drag", []);
    name_it(&mut step, deed, tag, element);
    if path.iter().all(|at| element.bounds.contains(*at)) {
        let way: Vec<_> = path.iter().map(|at| share(*at, element)).collect();
        step.insert("path".to_owned(), json!(way));
        return Ok(step);
    }
    let (there, onto) = smallest(deed.tagged().filter(|(_, e)| e.bounds.contains(*to)))
        .ok_or("no element that has a number is where it ends")?;
    let mut target = DraftEntry::new();
    name_it(&mut target, deed, there, onto);
    target.insert("at".to_owned(), json!(share(*to, onto)));
    step.insert("to".to_owned(), target.into());
    Ok(step)
}

fn swiped(deed: &Deed, from: Point<Physical>, to: Point<Physical>) -> Result<DraftEntry, String> {
    let scrolls =
        smallest(deed.tagged().filter(|(_, e)| e.can(Affordance::Scroll) && e.bounds.contains(from)));
    let (tag, element) =
        scrolls.or_else(|| under(deed, from)).ok_or("no element that has a number is where it begins")?;
    let (right, down) = (to.x - from.x, to.y - from.y);
    let screen = deed.seen.geometry.physical;
    // Units of AppAgent's lengths: tenths of the screen's width, twice that up and down.
    let (towards, units) = match right.abs() > down.abs() {
        true => (if right > 0.0 { "right" } else { "left" }, right.abs() / (screen.w / 10.0).max(1.0)),
        false => (if down > 0.0 { "down" } else { "up" }, down.abs() / (screen.w / 5.0).max(1.0)),
    };
    let far = match units {
        units if units < 1.5 => "short",
        units if units < 2.5 => "medium",
        _ => "long",
    };
    let mut step = verb("swipe", []);
    name_it(&mut step, deed, tag, element);
    step.insert("towards".to_owned(), towards.into());
    step.insert("far".to_owned(), far.into());
    Ok(step)
}

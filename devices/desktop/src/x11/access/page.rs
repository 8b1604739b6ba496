//! What can be seen of a page, found by its own program in one call.
//!
//! A browser lists its own buttons but not always the pages in them, and a page has thousands of
//! objects. It is asked for those that are drawn and of a kind that matters, and only these are read.
//!
//! Invariant: only pages are searched this way, not a program that claims seventeen billion cells.

use std::collections::HashMap;

use super::protocol::{Role, State};
use futures::StreamExt as _;

use super::bus::{Bus, BusFault, Result};
use super::node::{AccessNode, Iface, Ifaces, ObjectKey, ObjectTree, StateBits};
use super::walk::{ACCESSIBLE, children, keys};
use waldo_devices::device::Deadline;

/// Questions under way at once.
const WIDTH: usize = 24;
const MOST: usize = 1500;

const COLLECTION: &str = "org.a11y.atspi.Collection";

/// Kinds that are listed wherever they are drawn.
const KINDS: [Role; 44] = [
    Role::Alert,
    Role::Button,
    Role::Canvas,
    Role::CheckBox,
    Role::CheckMenuItem,
    Role::ColumnHeader,
    Role::ComboBox,
    Role::DateEditor,
    Role::DocumentWeb,
    Role::Editbar,
    Role::Embedded,
    Role::Entry,
    Role::Heading,
    Role::Icon,
    Role::Image,
    Role::LevelBar,
    Role::Link,
    Role::ListItem,
    Role::Menu,
    Role::MenuItem,
    Role::PageTab,
    Role::PasswordText,
    Role::ProgressBar,
    Role::PushButtonMenu,
    Role::RadioButton,
    Role::RadioMenuItem,
    Role::Rating,
    Role::RowHeader,
    Role::ScrollBar,
    Role::Slider,
    Role::SpinButton,
    Role::Static,
    Role::TableCell,
    Role::TableColumnHeader,
    Role::TableRowHeader,
    Role::Terminal,
    Role::Text,
    Role::Timer,
    Role::ToggleButton,
    Role::ToolTip,
    Role::TreeItem,
    Role::Video,
    Role::Audio,
    Role::ImageMap,
];
/// Kinds that are listed where they take the keyboard: scripts make buttons of them.
const SHELLS: [Role; 6] =
    [Role::Section, Role::Panel, Role::Article, Role::Paragraph, Role::Label, Role::Unknown];

/// How several conditions of a rule go together.
#[derive(Clone, Copy)]
enum Match {
    All = 1,
    Any = 2,
}

/// States, attributes, kinds and interfaces, each with how they go together, and whether it is turned.
type Rule = (Vec<i32>, i32, HashMap<String, String>, i32, Vec<i32>, i32, Vec<String>, i32, bool);

fn rule(states: &[State], roles: &[Role]) -> Rule {
    let all = states.iter().fold(0u64, |all, state| all | state.bit());
    let mut bits = vec![0u32; 5];
    for role in roles {
        let role = *role as usize;
        bits[role / 32] |= 1 << (role % 32);
    }
    (
        vec![half(all), half(all >> 32)],
        Match::All as i32,
        HashMap::new(),
        Match::All as i32,
        bits.into_iter().map(u32::cast_signed).collect(),
        Match::Any as i32,
        Vec::new(),
        Match::All as i32,
        false,
    )
}

#[expect(clippy::cast_possible_truncation, reason = "the halves are taken apart on purpose")]
fn half(bits: u64) -> i32 {
    (bits as u32).cast_signed()
}

pub(super) async fn read(bus: &Bus, tree: &mut ObjectTree, place: usize, deadline: Deadline) -> Result<()> {
    let page = tree.nodes[place].key.clone();
    let drawn = [State::Showing, State::Visible];
    let shells = [State::Showing, State::Visible, State::Focusable];
    let (kinds, shells) = futures::join!(
        find(bus, &page, rule(&drawn, &KINDS), deadline),
        find(bus, &page, rule(&shells, &SHELLS), deadline),
    );
    let mut found = kinds?;
    found.extend(shells.unwrap_or_default());
    if found.is_empty() {
        // A page that is searched in vain may still hold something.
        found = children(bus, &page, deadline).await.unwrap_or_default();
    }
    tree.missing += found.len().saturating_sub(MOST);
    found.truncate(MOST);
    let read: Vec<_> = futures::stream::iter(found)
        .map(|key| async move { look(bus, key, deadline).await })
        .buffered(WIDTH)
        .collect()
        .await;
    for (node, index) in read.into_iter().zip(0..) {
        match node {
            Ok(Some(node)) => {
                let new = tree.nodes.len();
                tree.nodes.push(node);
                tree.graft(new, Some(place), index);
                tree.nodes[new].grafted = false;
            }
            Ok(None) | Err(BusFault::Refused(_) | BusFault::Odd(_)) => {}
            Err(BusFault::Late) => tree.missing += 1,
            Err(BusFault::Gone(reason)) => return Err(BusFault::Gone(reason)),
        }
    }
    Ok(())
}

/// The objects below `page` that a rule fits, in document order.
async fn find(bus: &Bus, page: &ObjectKey, rule: Rule, deadline: Deadline) -> Result<Vec<ObjectKey>> {
    // Order: as in the document; no limit of its own; with all that lies below.
    let body = (rule, 1u32, 0i32, true);
    let answer = bus.call(page, COLLECTION, "GetMatches", &body, deadline).await?;
    keys(&answer, page)
}

/// An object of a page; what it can be asked follows from its kind.
async fn look(bus: &Bus, key: ObjectKey, deadline: Deadline) -> Result<Option<AccessNode>> {
    let states = bus.call(&key, ACCESSIBLE, "GetState", &(), deadline);
    let role = bus.call(&key, ACCESSIBLE, "GetRole", &(), deadline);
    let (states, role, name) = futures::join!(states, role, bus.property(&key, ACCESSIBLE, "Name", deadline));
    let states = StateBits::of(&states?.body().deserialize::<Vec<u32>>()?);
    let role = Role::of(role?.body().deserialize::<u32>()?);
    if !states.is_showing() {
        return Ok(None);
    }
    let mut node = AccessNode::new(key, role, states);
    node.name = bus.brief(&name.ok().and_then(|name| String::try_from(name).ok()).unwrap_or_default());
    let takes_text = states.has(State::Editable) || matches!(role, Role::Entry | Role::PasswordText);
    let has_value =
        matches!(role, Role::Slider | Role::ProgressBar | Role::SpinButton | Role::LevelBar | Role::Rating);
    let names = [
        (takes_text, Iface::Text),
        (takes_text, Iface::EditableText),
        (has_value, Iface::Value),
        (role == Role::ComboBox, Iface::Selection),
        (true, Iface::Action),
    ];
    node.ifaces = Ifaces::of(names.into_iter().filter(|(has, _)| *has).map(|(_, iface)| iface.name()));
    Ok(Some(node))
}

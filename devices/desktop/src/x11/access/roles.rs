//! What a kind of object is in the contract's words, and what can be done with it.

use super::protocol::{Role, State};

use super::node::{AccessNode, Iface};
use waldo_devices::element::Affordance;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectUse {
    /// It answers to a click.
    Act,
    Edit,
    Slide,
    Scroll,
    Text,
}

impl ObjectUse {
    pub(super) fn affordances(self) -> &'static [Affordance] {
        match self {
            Self::Act => &[Affordance::Click],
            Self::Edit => &[Affordance::Click, Affordance::Edit],
            Self::Slide => &[Affordance::Drag, Affordance::Click],
            Self::Scroll => &[Affordance::Scroll],
            Self::Text => &[],
        }
    }
}

/// The role and the use of an object; `None` for what only holds others.
pub(super) fn kind(node: &AccessNode) -> Option<(&'static str, ObjectUse)> {
    let acts = node.ifaces.has(Iface::Action);
    let focusable = node.has(State::Focusable);
    let selectable = node.has(State::Selectable);
    let editable = node.has(State::Editable);
    let named = !node.name.is_empty();
    let text = |role: &'static str| Some((role, ObjectUse::Text));
    let act = |role: &'static str| Some((role, ObjectUse::Act));
    match node.role {
        Role::Button | Role::PushButtonMenu | Role::ToggleButton => act("button"),
        Role::CheckBox => act("checkbox"),
        Role::RadioButton => act("radio"),
        Role::Menu | Role::MenuItem | Role::TearoffMenuItem => act("menuitem"),
        Role::CheckMenuItem => act("menuitemcheckbox"),
        Role::RadioMenuItem => act("menuitemradio"),
        Role::PageTab => act("tab"),
        Role::Link => act("link"),
        Role::Terminal => act("terminal"),
        Role::Entry | Role::PasswordText | Role::Editbar | Role::DateEditor | Role::Autocomplete => {
            Some(("textbox", if editable { ObjectUse::Edit } else { ObjectUse::Act }))
        }
        Role::DocumentText if editable => Some(("textbox", ObjectUse::Edit)),
        Role::Text if editable => Some(("textbox", ObjectUse::Edit)),
        Role::Text if focusable => act("textbox"),
        Role::Text => text("text"),
        Role::ComboBox => Some(("combobox", if editable { ObjectUse::Edit } else { ObjectUse::Act })),
        Role::SpinButton => Some(("spinbutton", ObjectUse::Edit)),
        Role::Slider | Role::Dial | Role::Rating => Some(("slider", ObjectUse::Slide)),
        Role::ScrollBar => Some(("scrollbar", ObjectUse::Slide)),
        Role::ListItem if selectable => act("option"),
        Role::ListItem if focusable => act("listitem"),
        Role::ListItem if named => text("listitem"),
        Role::TreeItem => act("treeitem"),
        Role::TableCell => {
            Some(("cell", if editable && acts_as_text(node) { ObjectUse::Edit } else { ObjectUse::Act }))
        }
        Role::TableRow if selectable || focusable => act("row"),
        Role::ColumnHeader | Role::TableColumnHeader => act("columnheader"),
        Role::RowHeader | Role::TableRowHeader => act("rowheader"),
        Role::Icon | Role::DesktopIcon if acts || selectable || focusable => act("img"),
        Role::Image | Role::ImageMap | Role::Animation if focusable => act("img"),
        Role::Icon | Role::Image | Role::Animation if named => text("img"),
        Role::Canvas | Role::DrawingArea | Role::Video | Role::Audio => act("canvas"),
        Role::Calendar => act("grid"),
        Role::LevelBar => text("meter"),
        Role::ProgressBar => text("progressbar"),
        Role::Heading => text("heading"),
        Role::Label | Role::Static | Role::Caption | Role::Timer | Role::Header | Role::Footer => {
            text("text")
        }
        Role::Paragraph if named => text("text"),
        Role::StatusBar if named => text("status"),
        Role::ToolTip if named => text("tooltip"),
        Role::Alert | Role::Notification | Role::InfoBar if named => text("alert"),
        Role::ScrollPane => Some(("region", ObjectUse::Scroll)),
        Role::DocumentWeb => Some(("document", ObjectUse::Scroll)),
        // Scripts make buttons of what was meant to hold them.
        Role::Section | Role::Article | Role::Grouping if focusable && acts => act("generic"),
        _ => None,
    }
}

fn acts_as_text(node: &AccessNode) -> bool {
    node.ifaces.has(Iface::EditableText)
}

/// Whether it can be seen through it only what lies within it: its content is cut off at its edge.
pub(super) fn clips(role: Role) -> bool {
    matches!(
        role,
        Role::ScrollPane
            | Role::Viewport
            | Role::DocumentWeb
            | Role::DocumentFrame
            | Role::DocumentText
            | Role::DocumentSpreadsheet
            | Role::DocumentPresentation
            | Role::HtmlContainer
            | Role::InternalFrame
            | Role::List
            | Role::Table
            | Role::Tree
            | Role::TreeTable
            | Role::MenuBar
    )
}

pub(super) fn is_checkable(node: &AccessNode) -> bool {
    node.has(State::Checkable)
        || matches!(
            node.role,
            Role::CheckBox
                | Role::RadioButton
                | Role::CheckMenuItem
                | Role::RadioMenuItem
                | Role::ToggleButton
        )
}

pub(super) fn is_selectable(node: &AccessNode) -> bool {
    node.has(State::Selectable)
        && matches!(
            node.role,
            Role::PageTab | Role::ListItem | Role::TreeItem | Role::TableCell | Role::TableRow | Role::Icon
        )
}

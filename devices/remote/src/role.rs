//! What a kind of object is in the contract's words, by each system's own word for it.

use waldo_devices::element::Affordance;
use waldo_http::OperatingSystem;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementUse {
    Act,
    Edit,
    Slide,
    Text,
}

impl ElementUse {
    pub(crate) fn affordances(self) -> Vec<Affordance> {
        match self {
            Self::Act => vec![Affordance::Click],
            Self::Edit => vec![Affordance::Click, Affordance::Edit],
            Self::Slide => vec![Affordance::Drag, Affordance::Click],
            Self::Text => Vec::new(),
        }
    }
}

/// The role and the use of a kind; `None` for what only holds others. `kind` is in small letters: on Linux the role with
/// hyphens, on Windows the wrapper's or the class's name, on macOS the role without `AX`.
pub(crate) fn of(system: OperatingSystem, kind: &str) -> Option<(&'static str, ElementUse)> {
    match system {
        OperatingSystem::Linux => linux(kind),
        OperatingSystem::Windows => windows(kind),
        OperatingSystem::Mac => mac(kind),
    }
}

fn linux(kind: &str) -> Option<(&'static str, ElementUse)> {
    Some(match kind {
        "push-button" | "button" | "toggle-button" | "push-button-menu" => ("button", ElementUse::Act),
        "check-box" => ("checkbox", ElementUse::Act),
        "radio-button" => ("radio", ElementUse::Act),
        "menu" | "menu-item" | "tearoff-menu-item" => ("menuitem", ElementUse::Act),
        "check-menu-item" => ("menuitemcheckbox", ElementUse::Act),
        "radio-menu-item" => ("menuitemradio", ElementUse::Act),
        "page-tab" => ("tab", ElementUse::Act),
        "link" => ("link", ElementUse::Act),
        "terminal" => ("terminal", ElementUse::Act),
        "entry" | "password-text" | "editbar" | "date-editor" | "autocomplete" | "text" => {
            ("textbox", ElementUse::Edit)
        }
        "combo-box" => ("combobox", ElementUse::Act),
        "spin-button" => ("spinbutton", ElementUse::Edit),
        "slider" | "dial" => ("slider", ElementUse::Slide),
        "scroll-bar" => ("scrollbar", ElementUse::Slide),
        "list-item" => ("option", ElementUse::Act),
        "tree-item" => ("treeitem", ElementUse::Act),
        "table-cell" => ("cell", ElementUse::Act),
        "table-column-header" | "column-header" => ("columnheader", ElementUse::Act),
        "table-row-header" | "row-header" => ("rowheader", ElementUse::Act),
        "icon" | "desktop-icon" => ("img", ElementUse::Act),
        "canvas" | "drawing-area" | "video" => ("canvas", ElementUse::Act),
        "calendar" => ("grid", ElementUse::Act),
        "image" => ("img", ElementUse::Text),
        "heading" => ("heading", ElementUse::Text),
        "label" | "static" | "caption" | "paragraph" | "status-bar" | "tool-tip" | "progress-bar"
        | "level-bar" => ("text", ElementUse::Text),
        _ => return None,
    })
}

fn windows(kind: &str) -> Option<(&'static str, ElementUse)> {
    Some(match kind {
        "button" | "splitbutton" => ("button", ElementUse::Act),
        "checkbox" => ("checkbox", ElementUse::Act),
        "radiobutton" => ("radio", ElementUse::Act),
        "menuitem" => ("menuitem", ElementUse::Act),
        "tabitem" => ("tab", ElementUse::Act),
        "hyperlink" => ("link", ElementUse::Act),
        "edit" | "document" => ("textbox", ElementUse::Edit),
        "combobox" => ("combobox", ElementUse::Act),
        "spinner" | "updown" => ("spinbutton", ElementUse::Edit),
        "slider" | "trackbar" => ("slider", ElementUse::Slide),
        "scrollbar" => ("scrollbar", ElementUse::Slide),
        "listitem" => ("option", ElementUse::Act),
        "treeitem" => ("treeitem", ElementUse::Act),
        "dataitem" | "datagriditem" => ("cell", ElementUse::Act),
        "headeritem" => ("columnheader", ElementUse::Act),
        "image" => ("img", ElementUse::Text),
        "static" | "text" | "statusbar" | "tooltip" | "progressbar" => ("text", ElementUse::Text),
        _ => return None,
    })
}

fn mac(kind: &str) -> Option<(&'static str, ElementUse)> {
    Some(match kind {
        "button" | "menubutton" | "toolbarbutton" | "disclosuretriangle" | "dockitem" => {
            ("button", ElementUse::Act)
        }
        "checkbox" | "switch" | "toggle" => ("checkbox", ElementUse::Act),
        "radiobutton" => ("radio", ElementUse::Act),
        "menuitem" | "menubaritem" => ("menuitem", ElementUse::Act),
        "tab" => ("tab", ElementUse::Act),
        "link" => ("link", ElementUse::Act),
        "textfield" | "textarea" | "searchfield" | "securetextfield" => ("textbox", ElementUse::Edit),
        "combobox" | "popupbutton" => ("combobox", ElementUse::Act),
        "incrementor" | "stepper" => ("spinbutton", ElementUse::Act),
        "slider" => ("slider", ElementUse::Slide),
        "scrollbar" => ("scrollbar", ElementUse::Slide),
        "row" | "outlinerow" => ("row", ElementUse::Act),
        "cell" => ("cell", ElementUse::Act),
        "image" => ("img", ElementUse::Act),
        "statictext" | "heading" | "progressindicator" => ("text", ElementUse::Text),
        _ => return None,
    })
}

/// Whether what lies within it is cut off at its edge.
pub(crate) fn clips(kind: &str) -> bool {
    const CLIPS: &str = "scroll-pane viewport html-container internal-frame list \
                         table tree tree-table menu-bar scrollarea webarea";
    kind.starts_with("document") || CLIPS.split(' ').any(|one| one == kind)
}

//! From XCTest's types to roles, and what each is for.

use waldo_devices::element::Affordance;

/// What something on the screen is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementUse {
    Act,
    /// It is pressed, and has two states, of which its value tells.
    Switch,
    Edit,
    /// It takes text that nobody may read.
    Secret,
    /// It is moved along a line.
    Slide,
    Scroll,
    /// It is pressed, where it says of itself that it is a thing.
    Thing,
    Text,
}

impl ElementUse {
    /// What it lets one do.
    pub(crate) fn affordances(self) -> Vec<Affordance> {
        match self {
            Self::Act | Self::Switch | Self::Thing => vec![Affordance::Click],
            Self::Edit | Self::Secret => vec![Affordance::Click, Affordance::Edit],
            Self::Slide => vec![Affordance::Click, Affordance::Drag],
            Self::Scroll => vec![Affordance::Scroll],
            Self::Text => Vec::new(),
        }
    }
}

/// The role of a type, and what it is for; `None` of what only holds others.
pub(crate) fn of(kind: &str) -> Option<(&'static str, ElementUse)> {
    use ElementUse::{Act, Edit, Scroll, Secret, Slide, Switch, Text, Thing};
    Some(match kind {
        "Button" | "ToolbarButton" | "MenuButton" | "Icon" | "Key" => ("button", Act),
        "PopUpButton" | "ComboBox" => ("combobox", Act),
        "RadioButton" => ("radio", Act),
        "CheckBox" => ("checkbox", Switch),
        "Switch" | "Toggle" => ("switch", Switch),
        "Link" => ("link", Act),
        "Cell" | "TableRow" | "OutlineRow" => ("listitem", Act),
        "Tab" => ("tab", Act),
        "MenuItem" | "MenuBarItem" => ("menuitem", Act),
        "PickerWheel" => ("spinbutton", Slide),
        "Slider" => ("slider", Slide),
        "TextField" => ("textbox", Edit),
        "SearchField" => ("searchbox", Edit),
        "TextView" => ("textbox", Edit),
        "SecureTextField" => ("textbox", Secret),
        "ScrollView" | "Table" | "CollectionView" | "WebView" | "Map" => ("list", Scroll),
        "Image" => ("img", Thing),
        "Other" | "Group" => ("generic", Thing),
        "StaticText" => ("text", Text),
        _ => return None,
    })
}

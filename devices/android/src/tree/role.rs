//! What a view's class says about it.

use super::parse::DumpNode;
use waldo_devices::element::Role;

/// Ends of class names and the roles that they stand for; the first that fits counts.
const ROLES: [(&str, &str); 34] = [
    ("EditText", "textbox"),
    ("AutoCompleteTextView", "textbox"),
    ("SearchView", "searchbox"),
    ("CheckBox", "checkbox"),
    ("CheckedTextView", "checkbox"),
    ("RadioButton", "radio"),
    ("RadioGroup", "group"),
    ("Switch", "switch"),
    ("SwitchCompat", "switch"),
    ("SwitchMaterial", "switch"),
    ("ToggleButton", "switch"),
    ("SeekBar", "slider"),
    ("Slider", "slider"),
    ("RatingBar", "slider"),
    ("ProgressBar", "progressbar"),
    ("Spinner", "combobox"),
    ("NumberPicker", "spinbutton"),
    ("ImageButton", "button"),
    ("FloatingActionButton", "button"),
    ("Button", "button"),
    ("Chip", "button"),
    ("TabWidget", "tablist"),
    ("TabLayout", "tablist"),
    ("ActionBar$Tab", "tab"),
    ("WebView", "document"),
    ("ListView", "list"),
    ("RecyclerView", "list"),
    ("GridView", "grid"),
    ("ViewPager", "region"),
    ("ScrollView", "region"),
    ("Toolbar", "toolbar"),
    ("VideoView", "video"),
    ("SurfaceView", "canvas"),
    ("Image", "img"),
];

pub(super) fn role(node: &DumpNode) -> Role {
    let simple = node.class.rsplit('.').next().unwrap_or_default();
    let named = ROLES.iter().find(|(end, _)| simple.ends_with(end)).map(|(_, role)| *role);
    let acts = node.clickable || node.long_clickable;
    Role::new(match named {
        Some("img") if acts => "button",
        Some(role) => role,
        None if node.checkable => "checkbox",
        None if simple.ends_with("ImageView") => {
            if acts {
                "button"
            } else {
                "img"
            }
        }
        None if simple.ends_with("TextView") => {
            if acts {
                "button"
            } else {
                "text"
            }
        }
        None if acts => "button",
        None if node.scrollable => "region",
        None => "generic",
    })
}

/// Whether text can be typed into it.
pub(super) fn is_editable(node: &DumpNode) -> bool {
    let simple = node.class.rsplit('.').next().unwrap_or_default();
    simple.ends_with("EditText") || simple.ends_with("AutoCompleteTextView")
}

/// Whether its value is set by dragging.
pub(super) fn is_slider(node: &DumpNode) -> bool {
    let simple = node.class.rsplit('.').next().unwrap_or_default();
    ["SeekBar", "Slider", "RatingBar"].iter().any(|end| simple.ends_with(end))
}

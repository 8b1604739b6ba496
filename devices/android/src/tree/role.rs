//! What a view's class says about it.

use super::parse::DumpNode;
use waldo_devices::element::Role;

/// Ends of class names, with blanks between, and the roles that they stand for; the first that fits counts.
const ROLES: [(&str, &str); 21] = [
    ("EditText AutoCompleteTextView", "textbox"),
    ("SearchView", "searchbox"),
    ("CheckBox CheckedTextView", "checkbox"),
    ("RadioButton", "radio"),
    ("RadioGroup", "group"),
    ("Switch SwitchCompat SwitchMaterial ToggleButton", "switch"),
    ("SeekBar Slider RatingBar", "slider"),
    ("ProgressBar", "progressbar"),
    ("Spinner", "combobox"),
    ("NumberPicker", "spinbutton"),
    ("ImageButton FloatingActionButton Button Chip", "button"),
    ("TabWidget TabLayout", "tablist"),
    ("ActionBar$Tab", "tab"),
    ("WebView", "document"),
    ("ListView RecyclerView", "list"),
    ("GridView", "grid"),
    ("ViewPager ScrollView", "region"),
    ("Toolbar", "toolbar"),
    ("VideoView", "video"),
    ("SurfaceView", "canvas"),
    ("Image", "img"),
];

pub(super) fn role(node: &DumpNode) -> Role {
    let simple = node.class.rsplit('.').next().unwrap_or_default();
    let named = ROLES
        .iter()
        .find(|(ends, _)| ends.split(' ').any(|end| simple.ends_with(end)))
        .map(|(_, role)| *role);
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

pub(super) fn is_editable(node: &DumpNode) -> bool {
    let simple = node.class.rsplit('.').next().unwrap_or_default();
    simple.ends_with("EditText") || simple.ends_with("AutoCompleteTextView")
}

pub(super) fn is_slider(node: &DumpNode) -> bool {
    let simple = node.class.rsplit('.').next().unwrap_or_default();
    ["SeekBar", "Slider", "RatingBar"].iter().any(|end| simple.ends_with(end))
}

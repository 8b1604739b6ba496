//! The functions that a prompt offers: AppAgent's five, then ours, as far as the device can.

use waldo_devices::{Affordance, Capability, DeviceInfo, Observation, Platform};
use waldo_prompts::appagent::Function;

/// On what picture a function is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum On {
    /// With numbered elements only.
    Elements,
    /// With a grid only.
    Areas,
    /// With either.
    Any,
}

/// Who has a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// AppAgent and we.
    Upstream,
    /// We, on every device.
    Ours,
    /// We, where the device can.
    Needs(Capability),
    /// We, on a phone that can.
    Phone(Capability),
}

struct Spec {
    signature: &'static str,
    on: On,
    whose: Whose,
    purpose: &'static str,
    example: &'static str,
}

const fn spec(
    signature: &'static str,
    on: On,
    whose: Whose,
    purpose: &'static str,
    example: &'static str,
) -> Spec {
    Spec { signature, on, whose, purpose, example }
}

const MOUSE: Whose = Whose::Needs(Capability::Mouse);
const KEYS: Whose = Whose::Needs(Capability::Keyboard);
const TABS: Whose = Whose::Needs(Capability::Tabs);

const SPECS: [Spec; 43] = [
    spec(
        "tap(element)",
        On::Elements,
        Whose::Upstream,
        "Presses an element once.",
        "tap(5) presses element 5.",
    ),
    spec(
        "text(\"words\")",
        On::Any,
        Whose::Upstream,
        "Types words where the cursor is, so tap the field first unless it has the focus already. Inside the quotes write \\\" for a quotation mark, \\\\ for a backslash and \\n for a line break.",
        "text(\"Good morning\") types Good morning.",
    ),
    spec(
        "long_press(element)",
        On::Elements,
        Whose::Upstream,
        "Presses an element, holds it for about a second and lets go.",
        "long_press(5) holds element 5.",
    ),
    spec(
        "swipe(element, \"direction\", \"distance\")",
        On::Elements,
        Whose::Upstream,
        "Moves the content of an element the way a finger would: up shows what lies below. The direction is up, down, left or right; the distance is short, medium or long.",
        "swipe(21, \"up\", \"medium\") moves the content of element 21 upwards by a medium distance.",
    ),
    spec(
        "grid()",
        On::Any,
        Whose::Upstream,
        "Shows the next picture cut into numbered areas, for a spot that bears no number of its own. It takes a turn and lasts for one action.",
        "",
    ),
    spec(
        "tap(area, \"part\")",
        On::Areas,
        Whose::Upstream,
        "Presses a place once.",
        "tap(17, \"top-left\") presses near the top left corner of area 17.",
    ),
    spec(
        "long_press(area, \"part\")",
        On::Areas,
        Whose::Upstream,
        "Presses a place, holds it for about a second and lets go.",
        "long_press(17, \"center\") holds the middle of area 17.",
    ),
    spec(
        "swipe(area, \"part\", area, \"part\")",
        On::Areas,
        Whose::Upstream,
        "Presses at the first place, moves to the second and lets go there.",
        "swipe(17, \"center\", 20, \"right\") draws a line from the middle of area 17 to the right side of area 20.",
    ),
    spec(
        "scroll(element, \"direction\", notches)",
        On::Elements,
        Whose::Ours,
        "Brings more of an element into view: down shows what lies below. The number of notches may be left out; 6 are about a screenful.",
        "scroll(8, \"down\", 3) shows what lies a little further down in element 8.",
    ),
    spec(
        "scroll(\"direction\", notches)",
        On::Any,
        Whose::Ours,
        "Brings more of the whole page into view.",
        "scroll(\"down\") shows what lies further down.",
    ),
    spec("enter()", On::Any, Whose::Ours, "Presses the Enter key.", ""),
    spec("back()", On::Any, Whose::Ours, "Goes back to where you were before.", ""),
    spec("wait()", On::Any, Whose::Ours, "Lets a second pass, when something is still loading.", ""),
    spec(
        "drag(element, element)",
        On::Elements,
        Whose::Ours,
        "Presses on the first element, moves to the second and lets go there.",
        "drag(4, 9) drops element 4 onto element 9.",
    ),
    spec(
        "tap_at(element, x, y)",
        On::Elements,
        Whose::Ours,
        "Presses a place within an element: x and y are percent of its width and height, counted from its top left corner.",
        "tap_at(6, 25, 50) presses element 6 a quarter of the way from its left edge, halfway down.",
    ),
    spec(
        "drag_path(element, \"x,y x,y ...\")",
        On::Elements,
        Whose::Ours,
        "Presses within an element, follows the places and lets go at the last; percent as in tap_at.",
        "drag_path(6, \"10,50 90,50\") draws a line across element 6.",
    ),
    spec(
        "pinch(element, percent)",
        On::Elements,
        Whose::Needs(Capability::Touch),
        "Puts two fingers on an element and moves them to so many percent of their distance: above 100 brings a picture or a map nearer, below 100 shows more of it.",
        "pinch(6, 200) doubles the size of what element 6 shows.",
    ),
    spec(
        "double_tap(element)",
        On::Elements,
        Whose::Phone(Capability::Touch),
        "Presses an element twice in quick succession.",
        "double_tap(5) brings the picture that is element 5 nearer.",
    ),
    spec("double_tap(element)", On::Elements, MOUSE, "Clicks an element twice.", "double_tap(5)"),
    spec(
        "triple_tap(element)",
        On::Elements,
        MOUSE,
        "Clicks an element three times, which selects a paragraph.",
        "triple_tap(5)",
    ),
    spec(
        "right_tap(element)",
        On::Elements,
        MOUSE,
        "Clicks an element with the right button, which opens its menu.",
        "right_tap(5)",
    ),
    spec(
        "hover(element)",
        On::Elements,
        MOUSE,
        "Moves the pointer onto an element and leaves it there, for its hint or menu.",
        "hover(5)",
    ),
    spec(
        "key(\"keys\")",
        On::Any,
        KEYS,
        "Presses a key, or several at once joined by +.",
        "key(\"ctrl+a\") selects everything.",
    ),
    spec("clear(element)", On::Elements, KEYS, "Empties a text field.", "clear(5)"),
    spec(
        "select(element, \"option\")",
        On::Elements,
        Whose::Needs(Capability::Select),
        "Chooses an option of a list by its name.",
        "select(5, \"Large\")",
    ),
    spec(
        "upload(element, \"file\")",
        On::Elements,
        Whose::Needs(Capability::Upload),
        "Gives a file that the task names to a file field; several files are further arguments.",
        "upload(5, \"photo.png\") gives photo.png to element 5.",
    ),
    spec("open(\"address\")", On::Any, TABS, "Opens an address in this tab.", "open(\"/help\")"),
    spec("home()", On::Any, Whose::Needs(Capability::SystemKeys), "Goes to the home screen.", ""),
    spec(
        "recents()",
        On::Any,
        Whose::Needs(Capability::SystemKeys),
        "Lists the apps that were used last.",
        "",
    ),
    spec(
        "open_app(\"name\")",
        On::Any,
        Whose::Needs(Capability::Apps),
        "Starts an app, or brings it to the front, by the name that people know it by.",
        "open_app(\"Clock\") opens the clock.",
    ),
    spec(
        "stop_app(\"name\")",
        On::Any,
        Whose::Phone(Capability::Apps),
        "Ends an app, so that it starts afresh when it is opened again.",
        "stop_app(\"Clock\") ends the clock.",
    ),
    spec(
        "rotate(\"side\")",
        On::Any,
        Whose::Phone(Capability::Rotation),
        "Turns the phone: upright, left, right or upside-down.",
        "rotate(\"left\") lays it on its left side, so that the screen is wide.",
    ),
    spec("forward()", On::Any, TABS, "Undoes a back().", ""),
    spec("reload()", On::Any, TABS, "Loads the page again.", ""),
    spec("new_tab()", On::Any, TABS, "Opens an empty tab.", ""),
    spec("new_tab(\"address\")", On::Any, TABS, "Opens an address in a new tab.", "new_tab(\"/help\")"),
    spec(
        "switch_tab(tab)",
        On::Any,
        TABS,
        "Brings a tab to the front; tabs are counted from 1.",
        "switch_tab(2) shows tab 2.",
    ),
    spec("close_tab()", On::Any, TABS, "Closes the tab in front.", ""),
    spec(
        "dialog(\"accept\")",
        On::Any,
        Whose::Needs(Capability::Dialogs),
        "Agrees to the dialog that holds up the page. A second argument fills in the text it asks for.",
        "dialog(\"accept\", \"Ada\") enters Ada and agrees.",
    ),
    spec("dialog(\"dismiss\")", On::Any, Whose::Needs(Capability::Dialogs), "Cancels that dialog.", ""),
    spec(
        "answer(\"words\")",
        On::Any,
        Whose::Ours,
        "Ends the task and gives the answer, where the task asks for one.",
        "answer(\"42\") ends the task with the answer 42.",
    ),
    spec(
        "infeasible(\"reason\")",
        On::Any,
        Whose::Ours,
        "Ends the task because it cannot be done here, and says why.",
        "infeasible(\"there is no such contact\")",
    ),
    spec("FINISH", On::Any, Whose::Ours, "Ends the task once all of it is done. It stands alone.", ""),
];

/// Which of the functions are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// All that the device can, on numbered elements.
    Elements,
    /// All that the device can, on a grid.
    Areas,
    /// AppAgent's own, on numbered elements.
    UpstreamElements,
    /// AppAgent's own, on a grid.
    UpstreamAreas,
}

/// The functions for a device.
pub fn functions(device: &DeviceInfo, offer: Offer) -> Vec<Function> {
    let areas = matches!(offer, Offer::Areas | Offer::UpstreamAreas);
    let ours = matches!(offer, Offer::Elements | Offer::Areas);
    SPECS
        .iter()
        .filter(|s| s.on == On::Any || (s.on == On::Areas) == areas)
        .filter(|s| match s.whose {
            // AppAgent offers no typing on a grid.
            Whose::Upstream => ours || !areas || !s.signature.starts_with("text"),
            Whose::Ours => ours,
            whose => ours && has(device, whose),
        })
        .map(|s| Function {
            signature: s.signature.to_owned(),
            purpose: s.purpose.to_owned(),
            example: s.example.to_owned(),
        })
        .collect()
}

/// Whether a function can be used on few screens only. Prompts name it where it can, after all that stays the same.
pub fn is_rare(signature: &str) -> bool {
    ["dialog(", "upload(", "switch_tab(", "close_tab("].iter().any(|rare| signature.starts_with(rare))
}

/// Whether a screen is one where a rare function can be used.
pub fn fits(signature: &str, seen: &Observation) -> bool {
    match signature.split('(').next().unwrap_or_default() {
        "dialog" => seen.context.dialog.is_some(),
        "upload" => seen.elements.iter().any(|e| e.affordances.contains(&Affordance::Upload)),
        "switch_tab" | "close_tab" => seen.context.tabs.len() > 1,
        _ => true,
    }
}

/// The function that types secrets by name; `None` where there are none.
pub fn secret(names: &[String]) -> Option<Function> {
    let (first, _) = names.split_first()?;
    Some(Function {
        signature: "secret(\"name\")".to_owned(),
        purpose: format!(
            "Types a secret where the cursor is, as text does. You know its name only, never its value. The names are: {}.",
            names.join(", ")
        ),
        example: format!("secret(\"{first}\") types the secret {first}."),
    })
}

/// Whether a device has the function of this name.
pub fn offers(device: &DeviceInfo, name: &str) -> bool {
    SPECS.iter().any(|s| function_name(s.signature) == name && has(device, s.whose))
}

fn has(device: &DeviceInfo, whose: Whose) -> bool {
    match whose {
        Whose::Upstream | Whose::Ours => true,
        Whose::Needs(what) => device.capabilities.contains(&what),
        Whose::Phone(what) => device.platform == Platform::Android && device.capabilities.contains(&what),
    }
}

/// The name in a signature or in a rendered call.
pub(crate) fn function_name(call: &str) -> &str {
    call.split('(').next().unwrap_or(call)
}

/// The device in a few words.
pub fn machine(platform: Platform) -> &'static str {
    match platform {
        Platform::Web => "a web browser",
        Platform::Android => "an Android phone",
        Platform::Desktop => "a desktop computer",
    }
}

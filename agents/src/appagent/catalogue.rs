//! The functions that a prompt offers: the catalogue's tools that the device has, AppAgent's four first.

use waldo_devices::catalogue::{ParamKind, Spot};
use waldo_devices::labels::Subarea;
use waldo_devices::{Affordance, CallTarget, DeviceInfo, Observation, Platform, Tool, ToolCall};
use waldo_prompts::appagent::Function;

use super::call::{FunctionCall, in_signature, name_of, tool_named};

const UPSTREAM: [Tool; 4] = [Tool::Tap, Tool::Type, Tool::LongPress, Tool::Swipe];

/// Tools that this policy does not offer: secrets have a function of their own, the rest needs more than numbers.
const HIDDEN: [Tool; 6] =
    [Tool::FocusWindow, Tool::CloseWindow, Tool::Paste, Tool::Shell, Tool::MouseDown, Tool::MouseUp];

/// Tools that can be used on few screens only.
const RARE: [Tool; 4] = [Tool::Dialog, Tool::Upload, Tool::SwitchTab, Tool::CloseTab];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum On {
    Elements,
    Areas,
    Any,
}

struct FunctionSpec {
    tool: Tool,
    on: On,
    /// Signature, purpose and example.
    words: [&'static str; 3],
}

/// Specifications from words: the tool, the picture, the signature, the purpose and an example.
macro_rules! specs {
    ($($tool:ident $on:ident $signature:literal $purpose:literal $example:literal)*) => {
        &[$(FunctionSpec { tool: Tool::$tool, on: On::$on, words: [$signature, $purpose, $example] }),*]
    };
}

/// Tools that this policy tells of in its own words: in several forms, or with what its way of writing asks for.
const OWN: &[FunctionSpec] = specs! {
    Type Any "text(\"words\")"
        "Types words where the cursor is, so tap the field first unless it has the focus already. Inside the quotes write \\\" for a quotation mark, \\\\ for a backslash and \\n for a line break."
        "text(\"Good morning\") types Good morning."
    Tap Areas "tap(area, \"part\")"
        "Presses a place once."
        "tap(17, \"top-left\") presses near the top left corner of area 17."
    LongPress Areas "long_press(area, \"part\")"
        "Presses a place, holds it for about a second and lets go."
        "long_press(17, \"center\") holds the middle of area 17."
    Drag Areas "swipe(area, \"part\", area, \"part\")"
        "Presses at the first place, moves to the second and lets go there."
        "swipe(17, \"center\", 20, \"right\") draws a line from the middle of area 17 to the right side of area 20."
    Scroll Elements "scroll(element, \"direction\", notches)"
        "Brings more of an element into view: down shows what lies below. The number of notches may be left out; 6 are about a screenful."
        "scroll(8, \"down\", 3) shows what lies a little further down in element 8."
    Scroll Any "scroll(\"direction\", notches)"
        "Brings more of the whole page into view."
        "scroll(\"down\") shows what lies further down."
    Key Any "key(\"keys\")"
        "Presses a key, or several at once joined by +."
        "key(\"ctrl+a\") selects everything."
    Upload Elements "upload(element, \"file\")"
        "Gives a file that the task names to a file field; several files are further arguments."
        "upload(5, \"photo.png\") gives photo.png to element 5."
    Wait Any "wait()"
        "Lets a second pass, when something is still loading."
        ""
    NewTab Any "new_tab()"
        "Opens an empty tab."
        ""
    NewTab Any "new_tab(\"address\")"
        "Opens an address in a new tab."
        "new_tab(\"/help\")"
    Dialog Any "dialog(\"accept\")"
        "Agrees to the dialog that holds up the page. A second argument fills in the text it asks for."
        "dialog(\"accept\", \"Ada\") enters Ada and agrees."
    Dialog Any "dialog(\"dismiss\")"
        "Cancels that dialog."
        ""
};

/// What is not a tool: looking through a grid, and the ways to end.
const GRID: [&str; 3] = [
    "grid()",
    "Shows the next picture cut into numbered areas, for a spot that bears no number of its own. It takes a turn and lasts for one action.",
    "",
];
const FINER: [&str; 3] = [
    "grid(area)",
    "Shows an area enlarged and cut into smaller areas, for a spot that its parts do not hit. It takes a turn and lasts for one action.",
    "grid(17) shows area 17 in more detail.",
];
const ENDS: [[&str; 3]; 3] = [
    [
        "answer(\"words\")",
        "Ends the task and gives the answer, where the task asks for one.",
        "answer(\"42\") ends the task with the answer 42.",
    ],
    [
        "infeasible(\"reason\")",
        "Ends the task because it cannot be done here, and says why.",
        "infeasible(\"there is no such contact\")",
    ],
    ["FINISH", "Ends the task once all of it is done. It stands alone.", ""],
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionOffer {
    Elements,
    Areas,
    /// AppAgent's own, on numbered elements.
    UpstreamElements,
    /// AppAgent's own, on a grid.
    UpstreamAreas,
}

pub(crate) fn functions(device: &DeviceInfo, offer: FunctionOffer) -> Vec<Function> {
    let areas = matches!(offer, FunctionOffer::Areas | FunctionOffer::UpstreamAreas);
    let ours = matches!(offer, FunctionOffer::Elements | FunctionOffer::Areas);
    let mut all = Vec::new();
    let (first, rest): (Vec<Tool>, Vec<Tool>) = Tool::ALL.iter().copied().partition(|t| UPSTREAM.contains(t));
    // AppAgent offers no typing on a grid, and draws there.
    let (first, drawn): (Vec<Tool>, Vec<Tool>) =
        first.into_iter().partition(|tool| !areas || *tool == Tool::Type);
    for tool in first.into_iter().filter(|_| ours || !areas) {
        all.extend(functions_of(tool, areas));
    }
    all.push(function(GRID));
    if areas && ours {
        all.push(function(FINER));
    }
    for tool in drawn {
        all.extend(functions_of(if tool == Tool::Swipe { Tool::Drag } else { tool }, true));
    }
    if ours {
        let other = |tool: &Tool| tool.offered(device) && !is_hidden(*tool) && *tool != Tool::TypeSecret;
        for tool in rest.into_iter().filter(other).filter(|tool| !areas || *tool != Tool::Drag) {
            all.extend(functions_of(tool, areas));
        }
        all.extend(ENDS.map(function));
    }
    all
}

/// An example, with what it does where that is more than the function's own sentence.
fn example_of(call: ToolCall, shows: &str) -> String {
    let call = FunctionCall::Tool(call);
    if shows.is_empty() { call.to_string() } else { format!("{call} {shows}.") }
}

fn function([signature, purpose, example]: [&str; 3]) -> Function {
    Function { signature: signature.to_owned(), purpose: purpose.to_owned(), example: example.to_owned() }
}

/// What is told of a tool; nothing of one that needs numbers where there are none.
fn functions_of(tool: Tool, areas: bool) -> Vec<Function> {
    let here = |s: &&FunctionSpec| s.on == On::Any || (s.on == On::Areas) == areas;
    let own: Vec<_> = OWN.iter().filter(|s| s.tool == tool).filter(here).collect();
    if !own.is_empty() {
        return own.into_iter().map(|s| function(s.words)).collect();
    }
    let spec = tool.spec();
    if areas && spec.params.iter().any(|p| p.kind.is_target() && !p.kind.takes_area()) {
        return Vec::new();
    }
    let params: Vec<String> = spec
        .params
        .iter()
        .filter(|p| !p.seldom)
        .map(|p| if areas && p.kind.takes_area() { AREA.to_owned() } else { in_signature(p.kind, p.name) })
        .collect();
    let mut purpose = spec.says(if areas { "an area" } else { "an element" });
    if !areas && spec.params.iter().any(|p| p.kind == ParamKind::PlaceWithin) {
        purpose.push_str(" x and y are percent of its width and height, counted from its top left corner.");
    }
    let on_grid = areas && spec.params.iter().any(|p| p.kind.takes_area());
    let example = match tool.example() {
        Some(_) if on_grid => FunctionCall::Tool(ToolCall::aimed(
            tool,
            CallTarget::Area(Spot { area: 17, part: Subarea::Center }),
        ))
        .to_string(),
        Some(call) => example_of(call, spec.example.shows),
        None => String::new(),
    };
    vec![Function { signature: format!("{}({})", name_of(tool), params.join(", ")), purpose, example }]
}

/// How a part of a grid's area stands in a signature.
const AREA: &str = "area, \"part\"";

pub(super) fn is_hidden(tool: Tool) -> bool {
    HIDDEN.contains(&tool)
}

/// Whether a function can be used on few screens only. Prompts name it where it can, after all that stays the same.
pub(crate) fn is_rare(signature: &str) -> bool {
    tool_named(function_name(signature)).is_some_and(rare)
}

pub(crate) fn rare(tool: Tool) -> bool {
    RARE.contains(&tool)
}

/// Whether a screen is one where a rare function can be used.
pub fn fits(signature: &str, seen: &Observation) -> bool {
    tool_named(function_name(signature)).is_none_or(|tool| usable(tool, seen))
}

pub(crate) fn usable(tool: Tool, seen: &Observation) -> bool {
    match tool {
        Tool::Dialog => seen.context.dialog.is_some(),
        Tool::Upload => seen.elements.iter().any(|e| e.affordances.contains(&Affordance::Upload)),
        Tool::SwitchTab | Tool::CloseTab => seen.context.tabs.len() > 1,
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

pub fn offers(device: &DeviceInfo, name: &str) -> bool {
    match tool_named(name) {
        Some(Tool::TypeSecret) => false,
        Some(tool) => tool.offered(device) && !is_hidden(tool),
        None => matches!(name, "grid" | "answer" | "infeasible" | "FINISH"),
    }
}

pub(crate) fn function_name(call: &str) -> &str {
    call.split('(').next().unwrap_or(call)
}

pub fn machine(platform: Platform) -> &'static str {
    match platform {
        Platform::Web => "a web browser",
        Platform::Android => "an Android phone",
        Platform::Ios => "an iPhone",
        Platform::Desktop => "a desktop computer",
        Platform::Devices => "several devices",
    }
}

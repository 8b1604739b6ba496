//! The table. A new action is a row of each part here, and an arm in each driver that carries it out.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Placed;
use super::ground::{GroundContext, NOTCHES, WAIT_MS};
use super::made::{both, object, tap, tap_at};
use super::param::{DeviceNeed, Example, ParamKind as P, ToolSpec, param};
use super::value::{MoveTargets as _, Values};
use super::{Distance, Reply, told};
use crate::action_parts::{Button, Clicks, DialogReply, Modifiers, Orientation, ScrollNotches, TabIndex};
use crate::count::count;
use crate::effect_set::{ActionEffect, ActionEffect as E};
use crate::element::{Affordance, ElementRef};
use crate::geometry::{Physical, Point};
use crate::placing::{Placing, does};
use crate::platform::{Capability as C, Platform};

// What a device carries out.
actions! { on;
    /// Press and release at a point.
    Tap = "tap" guarded_as Press {
        at: Point<Physical>,
        #[serde(default)]
        clicks: Clicks,
        #[serde(default)]
        button: Button,
    }
    does Placing::by(*button).at(&[*at]),
    told format!("{}{} at {}", told::clicks(*clicks), told::button(*button), told::at(at));

    /// Press and release at a point while keys are held.
    TapAt = "tap_at" guarded_as Press {
        at: Point<Physical>,
        #[serde(default)]
        clicks: Clicks,
        #[serde(default)]
        button: Button,
        #[serde(default, skip_serializing_if = "Modifiers::is_empty")]
        modifiers: Modifiers,
    }
    does Placing::by(*button).held(*modifiers).at(&[*at]),
    told format!("{}{}{} at {}", told::held(*modifiers), told::clicks(*clicks), told::button(*button), told::at(at));

    /// Press, hold for about a second, release.
    LongPress = "long_press" guarded_as Press {
        at: Point<Physical>,
    }
    does does(&[E::Press]).at(&[*at]), told format!("long press at {}", told::at(at));

    /// Move the pointer there.
    Hover = "hover" guarded_as Point {
        at: Point<Physical>,
    }
    does does(&[E::Point]).at(&[*at]), told format!("hover at {}", told::at(at));

    // Whoever can drag can press: the way may begin and end on one control.
    /// Press at the first point, move along the path, release at the last. At least two points.
    Drag = "drag" guarded_as Drag {
        path: Vec<Point<Physical>>,
        #[serde(default, skip_serializing_if = "Button::is_main")]
        button: Button,
        #[serde(default, skip_serializing_if = "Modifiers::is_empty")]
        modifiers: Modifiers,
    }
    does Placing::by(*button).also(&[E::Drag, E::Scroll]).held(*modifiers).at(path).pressed(),
    told told::way(&format!("{}{}drag", told::held(*modifiers), told::with(*button)), path);

    /// Press a button at a point and keep it pressed. Whatever needs a free pointer lets it go first.
    PointerDown = "pointer_down" guarded_as Drag {
        at: Point<Physical>,
        #[serde(default, skip_serializing_if = "Button::is_main")]
        button: Button,
    }
    does Placing::by(*button).also(&[E::Drag]).at(&[*at]),
    told format!("press and hold {}at {}", told::with(*button), told::at(at));

    /// Move the pressed pointer there in a straight line.
    PointerMove = "pointer_move" guarded_as Drag {
        at: Point<Physical>,
    }
    does does(&[E::Drag, E::Point]).at(&[*at]).pressed(), told format!("move, held, to {}", told::at(at));

    // It lets go of what had to be pressed first.
    /// Move the pressed pointer there and let it go.
    PointerUp = "pointer_up" guarded_as Drag {
        at: Point<Physical>,
    }
    does does(&[E::Drag]).at(&[*at]).pressed(), told format!("release at {}", told::at(at));

    /// Turn the wheel over a point.
    Scroll = "scroll" guarded_as Scroll {
        at: Point<Physical>,
        by: ScrollNotches,
        #[serde(default, skip_serializing_if = "Modifiers::is_empty")]
        modifiers: Modifiers,
    }
    does Placing::wheel(*modifiers).finger(on).at(&[*at]),
    told format!("{}{}", told::held(*modifiers), told::scroll(*by, at));

    /// Type text into what has the focus. A newline is the Enter key.
    Type = "type" guarded_as Type {
        text: String,
    }
    does does(&[E::Type]).typing(text).keyed(), told format!("type {}", told::quoted(text));

    // Of its value nothing is known here: a blank in it presses.
    /// Type the value of a named secret; records show the name only.
    TypeSecret = "type_secret" guarded_as Secret {
        name: String,
    }
    does does(&[E::Type, E::Secret, E::Press]).keyed(), told format!("type the secret {}", told::quoted(name));

    /// Press a key or a chord, such as `Enter`, `ctrl+a`, `Shift+Tab`, `KP_Add`; several with blanks between.
    Key = "key" guarded_as Key {
        chord: String,
    }
    does does(&[E::Key]).chord(chord, on).keyed(), told told::chord(chord);

    /// Focus a text element and empty it.
    Clear = "clear" guarded_as Clear {
        element: ElementRef,
    }
    does does(&[E::Clear]), told "empty the field";

    /// Focus a text element, empty it and type text into it.
    Fill = "fill" guarded_as Type {
        element: ElementRef,
        text: String,
    }
    does does(&[E::Clear, E::Type]).typing(text).keyed(), told format!("fill in {}", told::quoted(text));

    /// Choose an option of a list by its name.
    Select = "select" guarded_as Select {
        element: ElementRef,
        option: String,
    }
    does does(&[E::Select]), told format!("choose {}", told::quoted(option));

    /// Give files to a file field.
    Upload = "upload" guarded_as Upload {
        element: ElementRef,
        files: Vec<PathBuf>,
    }
    does does(&[E::Upload]), told format!("give {}", count(files.len(), "file"));

    /// Open an address.
    Navigate = "navigate" guarded_as Navigate {
        url: String,
    }
    does does(&[E::Navigate]).on_phone(on, &[E::OpenApp, E::LeaveApp]).opens(url), told format!("open {url}");

    /// One page back in the history; the back key of a phone.
    Back = "back" guarded_as Back
    does does(&[E::Back]).on_phone(on, &[E::LeaveApp]), told "go back";

    /// One page forward.
    Forward = "forward" guarded_as Forward
    does does(&[E::Forward]), told "go forward";

    /// Load the page again.
    Reload = "reload" guarded_as Reload
    does does(&[E::Reload]), told "reload";

    /// Open a tab.
    NewTab = "new_tab" guarded_as NewTab {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
    }
    does match url {
        Some(url) => does(&[E::NewTab, E::Navigate]).opens(url),
        None => does(&[E::NewTab]),
    },
    told url.as_ref().map_or("open a tab".to_owned(), |url| format!("open a tab with {url}"));

    /// Bring a tab to the front.
    SwitchTab = "switch_tab" guarded_as SwitchTab {
        tab: TabIndex,
    }
    does does(&[E::SwitchTab]), told format!("switch to tab {}", tab.0);

    /// Close the tab in front; the last one cannot be closed.
    CloseTab = "close_tab" guarded_as CloseTab
    does does(&[E::CloseTab]), told "close the tab";

    /// Answer the open dialog.
    Dialog = "dialog" guarded_as AnswerDialog {
        #[serde(flatten)]
        reply: DialogReply,
    }
    does does(&[E::AnswerDialog]).answering(reply), told told::reply(reply);

    /// Move a finger from one point to another in a straight line, as a swipe or a fling does.
    Swipe = "swipe" guarded_as Drag {
        /// Where the finger is put down.
        from: Point<Physical>,
        /// Where it is lifted.
        to: Point<Physical>,
        /// How long the way takes, in milliseconds.
        ms: u64,
    }
    does does(&[E::Drag, E::Press, E::Scroll]).at(&[*from, *to]).pressed(), told told::way("swipe", &[*from, *to]);

    /// Move two fingers apart or together around a point.
    Pinch = "pinch" guarded_as Zoom {
        /// The middle between the fingers.
        at: Point<Physical>,
        /// Fingers' last distance over their first, in percent: above 100 zooms in.
        percent: u32,
    }
    does does(&[E::Zoom]).finger(on).at(&[*at]), told format!("pinch to {percent} % at {}", told::at(at));

    /// The home key.
    Home = "home" guarded_as Home
    does does(&[E::Home, E::LeaveApp]), told "go home";

    /// The key that lists the recent apps.
    Recents = "recents" guarded_as Recents
    does does(&[E::Recents, E::LeaveApp]), told "list the recent apps";

    /// Start an app or bring it to the front.
    OpenApp = "open_app" guarded_as OpenApp {
        /// Its name as the device lists it, or its package or program.
        app: String,
    }
    does does(&[E::OpenApp, E::FocusWindow, E::LeaveApp]), told format!("open the app {}", told::quoted(app));

    /// End an app.
    StopApp = "stop_app" guarded_as StopApp {
        /// Its name as the device lists it, or its package or program.
        app: String,
    }
    does does(&[E::StopApp, E::CloseWindow, E::CloseTab, E::LeaveApp]),
    told format!("end the app {}", told::quoted(app));

    /// Bring a window to the front and give it the keyboard.
    FocusWindow = "focus_window" guarded_as FocusWindow {
        /// Its id, as [`crate::WindowInfo`] lists it.
        window: u32,
    }
    does does(&[E::FocusWindow, E::LeaveApp]), told format!("bring window {window} to the front");

    // The last window of a program ends it, and takes its tabs along.
    /// Ask a window to close, as its close button does.
    CloseWindow = "close_window" guarded_as CloseWindow {
        /// Its id, as [`crate::WindowInfo`] lists it.
        window: u32,
    }
    does does(&[E::CloseWindow, E::CloseTab, E::StopApp, E::LeaveApp]), told format!("close window {window}");

    /// Run a shell command; only where the guard's policy allows it.
    Shell = "shell" guarded_as RunCommand {
        command: String,
    }
    does does(ActionEffect::ALL), told format!("run {}", told::quoted(command));

    /// Put text on the clipboard and paste it into what has the focus.
    Paste = "paste" guarded_as Paste {
        text: String,
    }
    does does(&[E::Paste, E::Type]).pasting(text).keyed(), told format!("paste {}", told::quoted(text));

    /// Turn the screen.
    Rotate = "rotate" guarded_as Rotate {
        /// Which way it is up afterwards.
        to: Orientation,
    }
    does does(&[E::Rotate]), told format!("turn the screen {}", told::side(*to));

    /// Bring another screen to the front, of a device that is several.
    SwitchScreen = "switch_screen" guarded_as SwitchScreen {
        /// Its name, as [`crate::observation::ScreenInfo`] lists it.
        screen: String,
    }
    does does(&[E::SwitchScreen]), told format!("bring the screen {} to the front", told::quoted(screen));

    /// Ask the person who set the task, in a task that has one.
    AskUser = "ask_user" guarded_as AskUser {
        question: String,
    }
    does does(&[E::AskUser]), told format!("ask the person {}", told::quoted(question));

    /// Call a tool that the task offers beside the screen.
    CallTool = "call_tool" guarded_as CallTool {
        tool: String,
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        arguments: Map<String, Value>,
    }
    does does(&[E::CallTool]), told format!("call the tool {}", told::quoted(tool));

    /// Let time pass, at most 10 s.
    Wait = "wait" guarded_as Wait {
        /// How long, in milliseconds.
        ms: u64,
    }
    does does(&[E::Wait]), told format!("wait {ms} ms");
}

const PRESSED: super::Param = param(P::Place, "what is pressed");
const HELD: super::Param = param(P::Modifiers, "keys held meanwhile, joined by +").seldom();
const BUTTON: super::Param = param(P::Button, "left where it is left out").seldom();

// What a player can ask for, in the order in which a prompt tells of it: AppAgent's first.
tools! { scene;
    Tap = "tap" also ["click", "touch", "leftclick", "singleclick"] needs DeviceNeed::Nothing,
    (element: PRESSED)
    "Presses {it} once." example r#"{"element":5}"# "presses element 5"
    makes tap(element, Clicks::Single, Button::Left);

    Type = "type" also ["text", "input", "inputtext", "typetext", "typeinto", "entertext", "write"]
    needs DeviceNeed::Nothing,
    (text: param(P::Text, "what to type, in any script").also(TEXT))
    "Types text where the cursor is. A line break in the text presses Enter."
    example r#"{"text":"Good morning"}"# "types Good morning"
    makes Action::Type { text };

    LongPress = "long_press" also ["longtap", "longclick", "presshold", "pressandhold", "taphold"]
    needs DeviceNeed::Nothing,
    (element: PRESSED)
    "Presses {it}, holds it for about a second and lets go." example r#"{"element":5}"# "holds element 5"
    makes Action::LongPress { at: element };

    Swipe = "swipe" also [] needs DeviceNeed::Nothing,
    (element: param(P::Element, "what is moved"),
     direction: param(P::Direction, "up, down, left or right").also(&["dir", "towards"]),
     distance: param(P::Distance, "short, medium or long").also(&["dist"]).optional())
    "Moves the content of {it} the way a finger would: up shows what lies below. The direction is up, down, left or right; the distance is short, medium or long."
    example r#"{"element":21,"direction":"up","distance":"medium"}"#
    "moves the content of element 21 upwards by a medium distance"
    makes scene.swipe(element, direction, Option::unwrap_or(distance, Distance::Medium));

    Scroll = "scroll" also [] needs DeviceNeed::Nothing,
    (element: param(P::Element, "what is to be scrolled").optional(),
     direction: param(P::Direction, "up, down, left or right; down shows what lies further down").also(&["dir", "towards"]),
     notches: param(P::Whole(1, 100), "how many notches of a wheel, 5 where it is left out; 6 are about a screenful")
        .also(&["amount", "by", "clicks", "scroll_amount", "distance"]).optional(),
     also: param(P::Direction, "a second direction, scrolled as far in the same turn").seldom(),
     modifiers: HELD)
    "Brings more of {it} into view."
    example r#"{"element":8,"direction":"down","notches":3}"# "shows what lies a little further down in element 8"
    makes Action::Scroll {
        at: Option::unwrap_or_else(element, || scene.center()),
        by: both(direction, also, Option::unwrap_or(notches, NOTCHES)),
        modifiers: Option::unwrap_or_default(modifiers),
    };

    Enter = "enter" also ["pressenter"] needs DeviceNeed::Nothing,
    () "Presses the Enter key." example "" ""
    makes Action::Key { chord: "Enter".to_owned() };

    Back = "back" also ["goback", "pressback", "navigateback"] needs DeviceNeed::Can(C::Navigation),
    () "Goes back to where you were before." example "" ""
    makes Action::Back;

    Wait = "wait" also ["sleep", "pause"] needs DeviceNeed::Nothing,
    (seconds: param(P::Seconds, "how many, from 0 to 10").also(&["s", "time", "duration"]).optional())
    "Lets time pass, while something is still loading." example "" ""
    makes Action::Wait { ms: Option::unwrap_or(seconds, WAIT_MS) };

    Drag = "drag" also ["draganddrop", "dragto", "leftclickdrag"] needs DeviceNeed::Nothing,
    (from: param(P::Place, "where it begins").also(&["element", "source", "start"]),
     to: param(P::Place, "where it ends").also(&["target", "destination", "end"]),
     button: BUTTON, modifiers: HELD)
    "Presses in one place, moves to another and lets go there."
    example r#"{"from":4,"to":9}"# "drops element 4 onto element 9"
    makes Action::Drag {
        path: vec![from, to],
        button: Option::unwrap_or_default(button),
        modifiers: Option::unwrap_or_default(modifiers),
    };

    TapAt = "tap_at" also ["clickat"] needs DeviceNeed::Nothing,
    (element: param(P::PlaceWithin, "a place within an element"),
     clicks: param(P::Clicks, "single, double or triple; single where it is left out").optional(),
     button: param(P::Button, "left, right, middle, back or forward; left where it is left out").optional(),
     modifiers: param(P::Modifiers, "keys held meanwhile, joined by +: ctrl, alt, shift, meta").optional())
    "Presses a place within {it}, with the clicks (single, double, triple), the button (left, right, middle) and the held keys (ctrl, alt, shift, meta, joined by +) that are given; each may be left out."
    example r#"{"element":{"element":6,"x":25,"y":50},"modifiers":"ctrl"}"#
    "presses element 6 with ctrl held, a quarter of the way from its left edge, halfway down"
    makes tap_at(
        element,
        Option::unwrap_or_default(clicks),
        Option::unwrap_or_default(button),
        Option::unwrap_or_default(modifiers),
    );

    DragPath = "drag_path" also [] needs DeviceNeed::Nothing,
    (element: param(P::Element, "in what it lies"), path: param(P::Path, "the places").also(&["points"]))
    "Presses within {it}, follows the places, in percent of its width and height, and lets go at the last."
    example r#"{"element":6,"path":[[10,50],[90,50]]}"# "draws a line across element 6"
    makes { let _: Point<Physical> = element; Action::drag(path) };

    Pinch = "pinch" also ["zoom", "pinchzoom", "pinchtozoom"] needs DeviceNeed::Can(C::Touch),
    (element: param(P::Element, "what lies under the fingers"),
     percent: param(P::Whole(10, 1000), "200 doubles the size").also(&["scale", "zoom", "distance"]))
    "Puts two fingers on {it} and moves them to so many percent of their distance: above 100 brings a picture or a map nearer, below 100 shows more of it."
    example r#"{"element":6,"percent":200}"# "doubles the size of what element 6 shows"
    makes Action::Pinch { at: element, percent };

    DoubleTap = "double_tap" also ["doubleclick", "dblclick", "doubleleftclick"] needs DeviceNeed::MouseOrTouch,
    (element: PRESSED)
    "Presses {it} twice in quick succession." example r#"{"element":5}"# ""
    makes tap(element, Clicks::Double, Button::Left);

    TripleTap = "triple_tap" also ["tripleclick"] needs DeviceNeed::Can(C::Mouse),
    (element: PRESSED)
    "Clicks {it} three times, which selects a paragraph or a whole field." example r#"{"element":5}"# ""
    makes tap(element, Clicks::Triple, Button::Left);

    RightTap = "right_tap" also ["rightclick", "rightbuttonclick", "contextclick", "clickright"]
    needs DeviceNeed::Can(C::Mouse),
    (element: PRESSED)
    "Clicks {it} with the right button, which mostly opens a menu." example r#"{"element":5}"# ""
    makes tap(element, Clicks::Single, Button::Right);

    Hover = "hover" also ["movemouse", "moveto", "move", "movecursor"] needs DeviceNeed::Can(C::Mouse),
    (element: param(P::Place, "where the pointer rests"))
    "Moves the pointer onto {it} and leaves it there, for its hint or menu."
    example r#"{"element":5}"# ""
    makes Action::Hover { at: element };

    Key = "key" also ["presskey", "hotkey", "keypress", "keys", "keyboard", "presskeys"]
    needs DeviceNeed::Can(C::Keyboard),
    (key: param(P::Keys, "keys joined by +").also(&["keys", "chord", "text", "value", "combination", "key_combination"]),
     times: param(P::Whole(1, 50), "how often; once where it is left out").also(&["count", "repeat", "presses"]).seldom())
    "Presses a key, or several at once." example r#"{"key":"ctrl+a"}"# "selects everything"
    makes Action::Key { chord: crate::chords::repeated(key, Option::unwrap_or(times, 1)) };

    MouseDown = "mouse_down" also ["leftmousedown", "pointerdown", "buttonpress"] needs DeviceNeed::Can(C::Mouse),
    (element: param(P::Place, "where"), button: BUTTON)
    "Presses a mouse button on {it} and keeps it down, through moves of the pointer, until mouse_up."
    example r#"{"element":5}"# ""
    makes Action::PointerDown { at: element, button: Option::unwrap_or_default(button) };

    MouseUp = "mouse_up" also ["leftmouseup", "pointerup", "buttonrelease"] needs DeviceNeed::Can(C::Mouse),
    (element: param(P::Place, "where"))
    "Moves the pointer to {it} and lets go of the button that is down."
    example r#"{"element":9}"# ""
    makes Action::PointerUp { at: element };

    Clear = "clear" also ["cleartext", "clearfield"] needs DeviceNeed::Can(C::Keyboard),
    (element: param(P::Field(Affordance::Edit), "the field"))
    "Empties a text field." example r#"{"element":5}"# ""
    makes Action::Clear { element };

    Fill = "fill" also ["filltext", "fillfield", "fillin", "settext", "setvalue"] needs DeviceNeed::Can(C::Keyboard),
    (element: param(P::Field(Affordance::Edit), "the field"),
     text: param(P::Text, "what it is to hold, in any script").also(TEXT))
    "Puts text into a text field in place of what it holds, in one step, without pressing the field first."
    example r#"{"element":5,"text":"Ada"}"# "puts Ada into element 5"
    makes Action::Fill { element, text };

    Select = "select" also ["selectoption", "selectdropdownoption", "chooseoption"] needs DeviceNeed::Can(C::Select),
    (element: param(P::Field(Affordance::Select), "the list"),
     option: param(P::Words, "the option's name").also(&["value", "text", "name"]))
    "Chooses an option of a drop-down list by its name, without opening the list." example r#"{"element":5,"option":"Large"}"# ""
    makes Action::Select { element, option };

    Upload = "upload" also ["uploadfile", "uploadfiles"] needs DeviceNeed::Can(C::Upload),
    (element: param(P::Field(Affordance::Upload), "the field"),
     file: param(P::Files, "the file's name, without a path").also(&["path", "name", "file_name", "filename"]))
    "Gives a file that the task names to a file field."
    example r#"{"element":5,"file":"photo.png"}"# "gives photo.png to element 5"
    makes Action::Upload { element, files: file };

    Navigate = "navigate" also ["open", "goto", "openurl", "visit", "openaddress"] needs DeviceNeed::Can(C::Tabs),
    (url: param(P::Address, "an address, or a path of this site such as /help").also(&["address", "text", "value"]))
    "Opens an address in place of what is shown." example r#"{"url":"/help"}"# ""
    makes Action::Navigate { url };

    Home = "home" also ["gohome", "presshome", "homescreen"] needs DeviceNeed::Can(C::SystemKeys),
    () "Goes to the home screen." example "" ""
    makes Action::Home;

    Recents = "recents" also ["recentapps", "overview", "showrecents"] needs DeviceNeed::Can(C::SystemKeys),
    () "Lists the apps that were used last." example "" ""
    makes Action::Recents;

    OpenApp = "open_app" also ["launchapp", "startapp", "launch", "openapplication"] needs DeviceNeed::Can(C::Apps),
    (app: param(P::Name, "the name that people know it by").also(&["name", "app_name", "package"]))
    "Starts an app, or brings it to the front, by the name that people know it by."
    example r#"{"app":"Clock"}"# "opens the clock"
    makes Action::OpenApp { app };

    StopApp = "stop_app" also ["closeapp", "quitapp", "killapp", "endapp"] needs DeviceNeed::OnPhone(C::Apps),
    (app: param(P::Name, "the name that people know it by").also(&["name", "app_name", "package"]))
    "Ends an app, so that it starts afresh when it is opened again." example r#"{"app":"Clock"}"# "ends the clock"
    makes Action::StopApp { app };

    Rotate = "rotate" also ["turn", "rotatescreen"] needs DeviceNeed::OnPhone(C::Rotation),
    (side: param(P::Side, "upright, left, right or upside-down").also(&["to", "orientation", "direction"]))
    "Turns the phone: upright, left, right or upside-down."
    example r#"{"side":"left"}"# "lays it on its left side, so that the screen is wide"
    makes Action::Rotate { to: side };

    Forward = "forward" also ["goforward", "navigateforward"] needs DeviceNeed::Can(C::Tabs),
    () "Undoes going back." example "" ""
    makes Action::Forward;

    Reload = "reload" also ["refresh"] needs DeviceNeed::Can(C::Tabs),
    () "Loads the page again." example "" ""
    makes Action::Reload;

    NewTab = "new_tab" also ["opentab"] needs DeviceNeed::Can(C::Tabs),
    (url: param(P::Address, "what to open in it; left out for an empty one").also(&["address"]).optional())
    "Opens a tab." example r#"{"url":"/help"}"# ""
    makes Action::NewTab { url };

    SwitchTab = "switch_tab" also ["selecttab", "activatetab", "switchtotab"] needs DeviceNeed::Can(C::Tabs),
    (tab: param(P::Tab, "its place, from 1").also(&["index", "n", "number"]))
    "Brings a tab to the front; tabs are counted from 1." example r#"{"tab":2}"# "shows tab 2"
    makes Action::SwitchTab { tab };

    CloseTab = "close_tab" also [] needs DeviceNeed::Can(C::Tabs),
    () "Closes the tab in front." example "" ""
    makes Action::CloseTab;

    Dialog = "dialog" also ["handledialog", "answerdialog"] needs DeviceNeed::Can(C::Dialogs),
    (reply: param(P::Reply, "accept or dismiss").also(&["action", "answer"]),
     text: param(P::Text, "what to enter where the dialog asks for it").also(TEXT).optional())
    "Answers the dialog that holds up the page." example r#"{"reply":"accept","text":"Ada"}"# "enters Ada and agrees"
    makes Action::Dialog { reply: match reply {
        Reply::Accept => DialogReply::Accept { text },
        Reply::Dismiss => DialogReply::Dismiss,
    } };

    TypeSecret = "type_secret" also ["secret", "inputsecret", "typepassword"] needs DeviceNeed::Nothing,
    (name: param(P::Name, "its name").also(&["secret", "text"]))
    "Types a secret where the cursor is. You know its name only, never its value." example "" ""
    makes Action::TypeSecret { name };

    FocusWindow = "focus_window" also ["switchwindow", "activatewindow", "switchtowindow"]
    needs DeviceNeed::Can(C::Windows),
    (window: param(P::Window, "its place in the list of windows, from 1").also(&["index", "number"]))
    "Brings a window to the front and gives it the keyboard." example r#"{"window":2}"# "shows window 2"
    makes Action::FocusWindow { window };

    CloseWindow = "close_window" also [] needs DeviceNeed::Can(C::Windows),
    (window: param(P::Window, "its place in the list of windows, from 1").also(&["index", "number"]))
    "Closes a window as its close button does." example r#"{"window":2}"# "closes window 2"
    makes Action::CloseWindow { window };

    SwitchScreen = "switch_screen" also ["selectscreen", "changescreen", "switchdevice"] needs DeviceNeed::Can(C::Screens),
    (screen: param(P::Name, "its name").also(&["name", "device", "to"]))
    "Brings another of your screens to the front; it costs a step."
    example r#"{"screen":"phone"}"# "shows the screen phone"
    makes Action::SwitchScreen { screen };

    Paste = "paste" also ["pastetext", "pasteclipboard", "clipboardpaste", "insertfromclipboard"]
    needs DeviceNeed::Can(C::Clipboard),
    (text: param(P::Text, "what to paste, in any script").also(TEXT))
    "Pastes text where the cursor is, through the clipboard: for much text, quicker than typing it. What the clipboard held is lost."
    example r#"{"text":"Good morning"}"# "pastes Good morning"
    makes Action::Paste { text };

    Shell = "shell" also ["runcommand", "bash", "runshell", "shellcommand", "runshellcommand", "executecommand", "terminal"]
    needs DeviceNeed::Can(C::Shell),
    (command: param(P::Words, "the command line; nothing can be typed into it while it runs")
        .also(&["cmd", "script", "line", "text", "code"]))
    "Runs a command line of the shell in the home folder, without showing it, and waits for its end. In the next turn you are told how it ended and what it printed."
    example r#"{"command":"ls Documents | wc -l"}"# "counts the files in the folder Documents"
    makes Action::Shell { command };

    AskUser = "ask_user" also ["ask", "askperson", "askquestion", "clarify"] needs DeviceNeed::OfTask(C::User),
    (question: param(P::Words, "what you want to know").also(&["text", "message", "prompt"]))
    "Asks the person who set the task. In the next turn you are told the answer."
    example r#"{"question":"Which size do you want?"}"# "asks for a size"
    makes Action::AskUser { question };

    CallTool = "call_tool" also ["usetool", "invoketool", "mcp", "mcpcall"] needs DeviceNeed::OfTask(C::Tools),
    (tool: param(P::Name, "the name of one of the tools that the task lists").also(&["name", "tool_name"]),
     arguments: param(P::Object, "its arguments, as a JSON object").also(&["args", "parameters", "input"]).optional())
    "Calls a tool that the task offers beside the screen. In the next turn you are told what it answered."
    example r#"{"tool":"find_person","arguments":{"name":"Ada"}}"# "looks a person up"
    makes Action::CallTool { tool, arguments: object(arguments)? };
}

const TEXT: &[&str] =
    &["text_input", "words", "input", "value", "content", "string", "message", "prompt", "input_text"];

//! Windows of a screen, whoever lists them.

use waldo_devices::{Context, Physical, Rect, Secrets, StateProbe, StateValue, WindowInfo};

const TITLE_MAX: usize = 300;
/// The longest that is kept: it is masked before it is cut to what is told.
const KEPT_MAX: usize = 20_000;

/// A window on the screen: a program's own, or a popup that no window manager looks after.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Window {
    /// The system's number for it; on X11 the client's window's, not its frame's.
    pub id: u32,
    /// On X11 the window that lies on the root: the frame that a window manager drew; else itself.
    pub outer: u32,
    pub pid: Option<u32>,
    /// The program behind it, such as `mousepad`; empty where the system does not tell.
    pub program: String,
    /// What it says to be a kind of, such as `Mousepad`.
    pub class: String,
    pub title: String,
    pub frame: Rect<Physical>,
    pub client: Rect<Physical>,
    /// Whether no window manager looks after it: menus, tooltips.
    pub override_redirect: bool,
    pub splash: bool,
    pub focused: bool,
    /// Whether it is not on the screen now: minimised, or on another workspace.
    pub minimised: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ClickTarget<'a> {
    Ground,
    Window(&'a Window),
    /// A window that shows nothing, of this program.
    Unseen(String),
}

pub fn shown_title(title: &str) -> String {
    title.chars().filter(|c| !c.is_control()).take(KEPT_MAX).collect()
}

/// Windows as an observation lists them, their titles as `told` tells them: without menus and tooltips.
pub fn listed(windows: &[Window], told: impl Fn(String) -> String) -> Vec<WindowInfo> {
    windows
        .iter()
        .filter(|window| !window.override_redirect)
        .map(|window| WindowInfo {
            id: window.id,
            title: told(window.title.clone()),
            program: window.program.clone(),
            bounds: window.frame,
            focused: window.focused,
            minimised: window.minimised,
        })
        .collect()
}

/// The window that has the keyboard, or else the topmost.
pub fn front(windows: &[Window]) -> Option<&Window> {
    let own = |window: &&Window| !window.override_redirect && !window.minimised;
    windows.iter().find(|window| window.focused).or_else(|| windows.iter().rev().find(own))
}

/// What a probe is answered that asks for windows: a list of them, the program in front, or the titles.
pub fn told(probe: &StateProbe, windows: &[Window]) -> StateValue {
    match probe {
        StateProbe::Windows => StateValue::Json(serde_json::json!(listed(windows, |title| title))),
        StateProbe::Text => {
            let titles: Vec<&str> = windows.iter().map(|window| window.title.as_str()).collect();
            StateValue::Text(titles.join("\n"))
        }
        _ => StateValue::Text(front(windows).map(|window| window.program.clone()).unwrap_or_default()),
    }
}

/// Where a desktop is, by its windows; titles are masked, then cut.
pub fn context(windows: &[Window], truncated: usize, secrets: &Secrets) -> Context {
    let told = |title: String| secrets.brief(&title, TITLE_MAX);
    let front = front(windows);
    Context {
        location: front.map(|window| window.program.clone()).unwrap_or_default(),
        title: front.map(|window| told(window.title.clone())).unwrap_or_default(),
        windows: listed(windows, told),
        truncated,
        ..Context::default()
    }
}

#[cfg(test)]
impl Window {
    /// One that lies there, of this program, called by it and its number.
    pub fn sample(id: u32, program: &str, frame: Rect<Physical>) -> Self {
        Self {
            id,
            outer: id,
            program: program.to_owned(),
            title: format!("{program} {id}"),
            frame,
            client: frame,
            ..Self::default()
        }
    }
}

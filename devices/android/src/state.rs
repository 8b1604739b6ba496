//! What is in front: app, window, keyboard, size. Read from `dumpsys`, whose words differ by version.

use super::adb::{PhoneLink, RepeatRule};
use super::tree::Bounds;
use waldo_devices::{Deadline, DeviceError};

/// What draws bars, shade and recents.
pub(crate) const SYSTEM_UI: &str = "com.android.systemui";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Component {
    pub(crate) package: String,
    /// The activity; starts with a dot where it lies in the package.
    pub(crate) activity: String,
}

impl Component {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (package, activity) = text.split_once('/')?;
        let word =
            |s: &str| !s.is_empty() && s.chars().all(|c| c.is_ascii_alphanumeric() || "._$".contains(c));
        if !word(package) || !word(activity) || !package.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let inner = activity.strip_prefix(package).filter(|rest| rest.starts_with('.'));
        Some(Self { package: package.to_owned(), activity: inner.unwrap_or(activity).to_owned() })
    }
}

impl std::fmt::Display for Component {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.activity.is_empty() {
            return f.write_str(&self.package);
        }
        write!(f, "{}/{}", self.package, self.activity)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Front {
    pub(crate) app: Option<Component>,
    /// The window that has the focus, in the phone's words.
    pub(crate) window: Option<String>,
    pub(crate) keyboard: Option<bool>,
    pub(crate) keyboard_top: Option<i32>,
    pub(crate) size: Option<(u32, u32)>,
}

const QUESTION: &str = "dumpsys window | grep -E 'mDisplayId=|mCurrentFocus=|mFocusedApp=|mFocusedApp:|type=ime|ITYPE_IME| cur=|Window #|Frames: |mGivenContentInsets'; \
     dumpsys input_method | grep -E 'mInputShown=|mIsInputViewShown=|mImeWindowVis='";

impl Front {
    pub(crate) async fn ask(link: &PhoneLink, display: u32, deadline: Deadline) -> Result<Self, DeviceError> {
        let out = link.shell(QUESTION, RepeatRule::Safe, deadline).await?;
        Ok(Self::parse(&out.text(), display))
    }

    pub(crate) fn parse(text: &str, display: u32) -> Self {
        let mut front = Self::default();
        let mut section = Section::default();
        let (mut focused_app, mut focus) = (None, None);
        let mut keyboard = KeyboardWindow::default();
        for line in text.lines().map(str::trim) {
            section.read(line);
            if section.display.is_some_and(|other| other != display) {
                continue;
            }
            keyboard.inside &= section.window.is_none_or(|of| of == display);
            if let Some(rest) = line.strip_prefix("mCurrentFocus=") {
                focus = focus.or_else(|| window_name(rest));
            } else if line.contains("mFocusedApp") {
                focused_app = focused_app.or_else(|| component_in(line));
            } else if line.starts_with("Window #") {
                keyboard.inside = line.contains(" InputMethod}");
            } else if keyboard.inside
                && (line.starts_with("Frames: ") || line.contains("mGivenContentInsets="))
            {
                keyboard.read(line);
            } else if line.contains("type=ime") || line.contains("ITYPE_IME") {
                if line.contains("visible=true") {
                    front.keyboard_top = front.keyboard_top.or_else(|| frame_top(line));
                }
            } else if line.contains("mInputShown=") || line.contains("mIsInputViewShown=") {
                let shown = line.contains("mInputShown=true") || line.contains("mIsInputViewShown=true");
                front.keyboard = Some(front.keyboard.unwrap_or_default() || shown);
            }
            if let Some(size) = line.split_whitespace().find_map(|word| word.strip_prefix("cur=")) {
                front.size = front.size.or_else(|| parse_size(size));
            }
        }
        front.app = match focus.as_deref() {
            Some(name) if name.contains('/') => component_in(name).or(focused_app),
            Some(name) if is_system_window(name) => {
                Some(Component { package: SYSTEM_UI.to_owned(), activity: name.to_owned() })
            }
            Some(name) if name.starts_with("Application ") => {
                Some(Component { package: "android".to_owned(), activity: String::new() })
            }
            _ => focused_app,
        };
        front.window = focus;
        if display > 0 {
            // It is told of the phone, not of a display.
            front.keyboard = None;
        }
        let height = front.size.map_or(0, |(_, h)| h as i32);
        front.keyboard_top = front.keyboard_top.or_else(|| keyboard.top(height));
        if front.keyboard == Some(false) {
            front.keyboard_top = None;
        }
        front
    }

    pub(crate) fn package(&self) -> Option<&str> {
        self.app.as_ref().map(|app| app.package.as_str())
    }

    /// The app's screen in one word.
    pub(crate) fn place(&self) -> String {
        self.app.as_ref().map(Component::to_string).unwrap_or_default()
    }
}

/// Whose display the lines are about. Android 10 and later tell of each display apart, then of all windows;
/// before that, one focus stands for all.
#[derive(Default)]
struct Section {
    display: Option<u32>,
    window: Option<u32>,
}

impl Section {
    fn read(&mut self, line: &str) {
        let number = |rest: &str| {
            rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<u32>().ok()
        };
        if let Some((_, rest)) = line.split_once("Display: mDisplayId=") {
            *self = Self { display: number(rest), window: None };
        } else if line.starts_with("Window #") || line.contains("mInputShown=") {
            *self = Self::default();
        } else if let (None, Some(rest)) = (self.display, line.strip_prefix("mDisplayId=")) {
            self.window = number(rest);
        }
    }
}

/// The keyboard's window, on versions that tell no inset: its frame may be the whole screen, of which
/// insets say what it really draws.
#[derive(Default)]
struct KeyboardWindow {
    inside: bool,
    frame: Option<i32>,
    inset: Option<i32>,
}

impl KeyboardWindow {
    fn read(&mut self, line: &str) {
        if line.starts_with("Frames: ") {
            self.frame = self.frame.or_else(|| frame_top(line));
        }
        let insets =
            line.split("mGivenContentInsets=").nth(1).and_then(|rest| rest.split_whitespace().next());
        self.inset = self.inset.or_else(|| insets.and_then(Bounds::parse).map(|b| b.y1));
    }

    fn top(&self, height: i32) -> Option<i32> {
        let top = self.frame? + self.inset.unwrap_or_default();
        // A keyboard never takes the upper quarter; what seems to is a frame without its insets.
        (top > height / 4).then_some(top)
    }
}

fn is_system_window(name: &str) -> bool {
    const PARTS: [&str; 8] = waldo_devices::word_list(
        "StatusBar NotificationShade NavigationBar VolumeDialog GlobalActions Keyguard Bouncer Recents",
    );
    PARTS.iter().any(|part| name.starts_with(part))
}

/// The name in `Window{hash u0 name}`.
fn window_name(text: &str) -> Option<String> {
    let inner = text.trim().strip_prefix("Window{")?;
    let inner = inner.split('}').next()?;
    let mut words = inner.splitn(3, ' ').skip(1);
    let (user, name) = (words.next()?, words.next()?);
    let name = if user.starts_with('u') { name } else { inner.rsplit(' ').next()? };
    // Flags may follow: `name type=…` in some versions, ` EXITING` in others.
    Some(name.trim_end_matches(" EXITING").to_owned())
}

/// The first `package/activity` among the words.
pub(crate) fn component_in(text: &str) -> Option<Component> {
    text.split(|c: char| c.is_whitespace() || "{}=,".contains(c)).find_map(Component::parse)
}

fn frame_top(line: &str) -> Option<i32> {
    let frame = line.split("frame=").nth(1)?.split_whitespace().next()?;
    Bounds::parse(frame).filter(|b| b.y2 > b.y1).map(|b| b.y1)
}

pub(crate) fn parse_size(text: &str) -> Option<(u32, u32)> {
    let (w, h) = text.trim().split_once('x')?;
    let (w, h) = (w.trim().parse().ok()?, h.trim().parse().ok()?);
    (w > 0 && h > 0).then_some((w, h))
}

/// The value that counts in `wm size` or `wm density`: an override hides the physical one.
pub(crate) fn wm_value<'a>(text: &'a str, what: &str) -> Option<&'a str> {
    let find = |kind: &str| {
        text.lines().find_map(|l| l.trim().strip_prefix(&format!("{kind} {what}:")).map(str::trim))
    };
    find("Override").or_else(|| find("Physical"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_app_in_front_is_read_in_many_words() {
        let text = "    init=1080x2400 420dpi cur=2400x1080 app=2400x1017 rng=1017x951-2337x2274\n\
            mCurrentFocus=Window{6e5f2b1 u0 com.android.settings/com.android.settings.Settings}\n\
            mFocusedApp=ActivityRecord{9f u0 com.android.settings/.Settings t12}\n\
            InsetsSource id=3 type=ime frame=[0,517][2400,1080] visible=true flags=\n\
            mShowRequested=true mInputShown=true\n";
        let front = Front::parse(text, 0);
        assert_eq!(front.place(), "com.android.settings/.Settings");
        let Front { keyboard, keyboard_top, size, .. } = front;
        assert_eq!((keyboard, keyboard_top, size), (Some(true), Some(517), Some((2400, 1080))));
        let front = |focus, app| Front::parse(&format!("mCurrentFocus={focus}\nmFocusedApp={app}"), 0);
        let shade = front("Window{1 u0 NotificationShade}", "ActivityRecord{9f u0 a.b/.C t12}");
        assert_eq!(shade.package(), Some(SYSTEM_UI));
        let popup = front("Window{1 u0 PopupWindow:3f}", "ActivityRecord{9f u0 a.b/.C} t12}");
        assert_eq!(popup.place(), "a.b/.C");
        let none = front("null", "AppWindowToken{1 token=Token{2 ActivityRecord{3 u0 a.b/x.Y t1}}}");
        assert_eq!(none.place(), "a.b/x.Y");
        assert_eq!(
            Front::parse("mInputShown=false\nITYPE_IME frame=[0,5][6,7] visible=true", 0).keyboard_top,
            None
        );
        assert_eq!(Front::parse("", 0), Front::default());
        let window = |frame: &str| {
            Front::parse(&format!(
                "Window #0 Window{{1 u0 InputMethod}}:\n Frames: parent=[0,0][1080,2400] frame={frame} last=[0,0][0,0]\n\
                 Window #1 Window{{2 u0 a.b/.C}}:\n Frames: frame=[0,900][9,9999]\n cur=1080x2400\nmInputShown=true"
            ), 0)
            .keyboard_top
        };
        assert_eq!(window("[0,1500][1080,2400]"), Some(1500));
        assert_eq!(window("[0,84][1080,2400]"), None);
        assert_eq!(window("[0,84][1080,2400]\n mGivenContentInsets=[0,1416][0,0]"), Some(1500));
    }

    #[test]
    fn each_display_has_its_own_front() {
        let text = "Display: mDisplayId=0 (organized)\n init=1080x2400 cur=1080x2400\n\
             mCurrentFocus=Window{1 u0 a.b/a.b.C}\n mFocusedApp=ActivityRecord{2 u0 a.b/.C t1}\n\
             Display: mDisplayId=2\n init=1280x720 cur=1280x720\n mCurrentFocus=null\n\
             mFocusedApp=ActivityRecord{3 u0 x.y/.Z t2}\n\
             Window #0 Window{1 u0 InputMethod}:\n mDisplayId=0 rootTaskId=1\n\
             Frames: frame=[0,1500][1080,2400]\n mInputShown=true";
        let first = Front::parse(text, 0);
        assert_eq!((first.place().as_str(), first.size), ("a.b/.C", Some((1080, 2400))));
        assert_eq!((first.keyboard, first.keyboard_top), (Some(true), Some(1500)));
        let other = Front::parse(text, 2);
        assert_eq!((other.place().as_str(), other.size), ("x.y/.Z", Some((1280, 720))));
        assert_eq!((other.keyboard, other.keyboard_top), (None, None));
    }

    #[test]
    fn sizes_and_components_are_read() {
        let text = "Physical size: 1080x2400\nOverride size: 720x1600\nPhysical density: 420\n";
        assert_eq!(wm_value(text, "size").and_then(parse_size), Some((720, 1600)));
        assert_eq!(wm_value(text, "density"), Some("420"));
        assert!(Component::parse("a.b/.C").is_some() && Component::parse("a.b/c.D$E").is_some());
        for bad in ["", "/", "a/", "/b", "a b/c", "http://x/y", "a;rm/b"] {
            assert!(Component::parse(bad).is_none(), "{bad}");
        }
    }
}

//! What an action may do, one by one and together.

macro_rules! action_effects {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $does:literal;)*) => {
        /// One thing that an action may do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ActionEffect { $(#[doc = $does] $variant,)* }

        impl ActionEffect {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Its name, as `--deny` and `--ask` take it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it is, as the end of a sentence that begins with "it".
            pub fn does(self) -> &'static str {
                match self { $(Self::$variant => $does,)* }
            }
        }
    };
}

action_effects! {
    Press = "press", "presses what lies at a place or has the focus";
    Drag = "drag", "moves a pressed pointer or a finger";
    Point = "point", "moves the pointer";
    Scroll = "scroll", "scrolls";
    Zoom = "zoom", "zooms";
    Type = "type", "enters text";
    Secret = "secret", "enters a secret's value";
    Key = "key", "presses keys";
    Clear = "clear", "deletes text";
    Copy = "copy", "copies to the clipboard";
    Paste = "paste", "pastes the clipboard";
    Select = "select", "chooses an option by its name";
    Upload = "upload", "gives a file to the page";
    Save = "save", "saves to a file";
    Navigate = "navigate", "goes to an address of the agent's choice";
    Back = "back", "goes back";
    Forward = "forward", "goes forward";
    Reload = "reload", "loads the page again";
    NewTab = "new_tab", "opens a tab or window";
    SwitchTab = "switch_tab", "brings another tab to the front";
    CloseTab = "close_tab", "closes a tab";
    AnswerDialog = "dialog", "answers a dialog";
    LeaveApp = "leave_app", "leaves the app in front";
    Home = "home", "goes to the home screen";
    Recents = "recents", "lists the recent apps";
    OpenApp = "open_app", "opens an app";
    StopApp = "stop_app", "ends an app";
    FocusWindow = "focus_window", "brings another window to the front";
    CloseWindow = "close_window", "closes a window";
    RunCommand = "run_command", "runs a command";
    AskUser = "ask_user", "asks the person who set the task";
    CallTool = "call_tool", "calls a tool of the task";
    SwitchScreen = "switch_screen", "brings another screen to the front";
    Media = "media", "plays, pauses or changes the volume";
    Rotate = "rotate", "turns the screen";
    Wait = "wait", "lets time pass";
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects(u64);

impl Effects {
    /// Everything: what an input does of which nothing is known.
    pub fn all() -> Self {
        Self::of(ActionEffect::ALL)
    }

    pub const fn of(effects: &[ActionEffect]) -> Self {
        let (mut bits, mut n) = (0, 0);
        while n < effects.len() {
            bits |= 1 << effects[n] as u64;
            n += 1;
        }
        Self(bits)
    }

    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn contains(self, effect: ActionEffect) -> bool {
        self.0 & Self::of(&[effect]).0 != 0
    }

    pub fn iter(self) -> impl Iterator<Item = ActionEffect> {
        ActionEffect::ALL.iter().copied().filter(move |effect| self.contains(*effect))
    }
}

//! Intents and the names of activities, as `am` and `pm` spell them.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

pub(crate) const ACTION_MAIN: &str = "android.intent.action.MAIN";
pub(crate) const ACTION_VIEW: &str = "android.intent.action.VIEW";
/// What a launcher's entry is filed under.
pub(crate) const CATEGORY_LAUNCHER: &str = "android.intent.category.LAUNCHER";
pub(crate) const CATEGORY_HOME: &str = "android.intent.category.HOME";

/// A package and a class in it, the class in full.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Component {
    pub package: String,
    pub class: String,
}

impl Component {
    /// From a package and a class, which may be short (`.MainActivity`).
    pub fn new(package: &str, class: &str) -> Self {
        let full = if class.starts_with('.') { format!("{package}{class}") } else { class.to_owned() };
        Self { package: package.to_owned(), class: full }
    }

    /// From `package/.Class` or `package/package.Class`.
    pub fn parse(text: &str) -> Option<Self> {
        let (package, class) = text.split_once('/')?;
        (!package.is_empty() && !class.is_empty()).then(|| Self::new(package, class))
    }

    /// `package/.Class` where the class is in the package, else in full.
    pub fn short(&self) -> String {
        format!("{}/{}", self.package, self.short_class())
    }

    /// `.Class` where the class is in the package, else in full.
    pub(crate) fn short_class(&self) -> &str {
        match self.class.strip_prefix(self.package.as_str()) {
            Some(rest) if rest.starts_with('.') => rest,
            _ => &self.class,
        }
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.package, self.class)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Intent {
    /// `-a`.
    pub action: Option<String>,
    /// `-d`.
    pub data: Option<String>,
    /// `-t`.
    pub mime: Option<String>,
    /// `-c`.
    pub categories: Vec<String>,
    /// `-n`.
    pub component: Option<Component>,
    /// `-p`, or the bare package name.
    pub package: Option<String>,
    /// `--es`, and what other kinds are written as.
    pub extras: BTreeMap<String, String>,
    /// `-f`.
    pub flags: u32,
}

impl Intent {
    pub fn to(component: Component) -> Self {
        Self { component: Some(component), ..Self::default() }
    }

    pub fn launch(package: &str) -> Self {
        Self {
            action: Some(ACTION_MAIN.to_owned()),
            categories: vec![CATEGORY_LAUNCHER.to_owned()],
            package: Some(package.to_owned()),
            ..Self::default()
        }
    }

    pub fn action(action: &str) -> Self {
        Self { action: Some(action.to_owned()), ..Self::default() }
    }

    pub fn view(uri: &str) -> Self {
        Self { action: Some(ACTION_VIEW.to_owned()), data: Some(uri.to_owned()), ..Self::default() }
    }

    pub fn with(mut self, key: &str, value: &str) -> Self {
        self.extras.insert(key.to_owned(), value.to_owned());
        self
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    pub component: Component,
    pub how: StartKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartKind {
    New,
    /// `Warning: Activity not started, its current task has been brought to the front`.
    BroughtToFront,
    /// `Warning: Activity not started, intent has been delivered to currently running top-most instance.`
    DeliveredToTop,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    #[error("activity class {{{0}}} does not exist")]
    NoSuchActivity(Component),
    #[error("activity not started, unable to resolve intent")]
    Unresolved,
}

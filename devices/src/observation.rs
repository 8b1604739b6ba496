//! What a device shows at one moment.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use image::RgbImage;
use serde::{Deserialize, Serialize};

use crate::element::Element;
use crate::geometry::{Geometry, Physical, Rect};
use crate::picture::Picture;
use crate::platform::Platform;
use crate::tag::Tagged;

/// What an observation should hold; what is not wanted is not fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capture {
    All,
    /// Elements only; the picture is empty.
    Elements,
}

impl Capture {
    /// The picture of an observation, where one is wanted.
    pub fn picture(self, taken: RgbImage) -> Picture {
        match self {
            Self::All => Picture::new(taken),
            Self::Elements => Picture::empty(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TabInfo {
    pub title: String,
    pub url: String,
    pub active: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowInfo {
    /// What [`crate::Action::FocusWindow`] and [`crate::Action::CloseWindow`] know it by, as long as it lives.
    pub id: u32,
    pub title: String,
    /// The program behind it, such as `mousepad`; empty where the system does not tell.
    pub program: String,
    /// Where it is, decorations included; may reach beyond the screen.
    pub bounds: Rect<Physical>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub focused: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub minimised: bool,
}

/// What a device shows, without a picture or elements of it: cheap enough to be asked while another screen is observed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Glance {
    /// What is in front: the title or address of a page, the title of a window, the name of an app. Untrusted text.
    pub showing: String,
    /// Whether something was seen to change since the glance before; false at the first.
    pub changed: bool,
}

/// A screen among several, as it is when another one or itself is observed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScreenInfo {
    pub name: String,
    pub platform: Platform,
    #[serde(default, skip_serializing_if = "is_false")]
    pub front: bool,
    /// What is in front there, in a few words: untrusted text.
    pub showing: String,
    /// Whether something changed there since it was last in front.
    #[serde(default, skip_serializing_if = "is_false")]
    pub changed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DialogInfo {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    pub message: String,
    pub default: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DownloadInfo {
    pub name: String,
    /// Where it is on the host, once complete.
    pub path: Option<PathBuf>,
    pub done: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Context {
    /// Address of the page in front, or the name of the app or program.
    pub location: String,
    pub title: String,
    /// Tabs in the order that [`crate::TabIndex`] counts.
    pub tabs: Vec<TabInfo>,
    /// Windows of a desktop, topmost last; menus and tooltips are not among them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<WindowInfo>,
    /// The screens of a device that is several, in their order; empty where there is one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub screens: Vec<ScreenInfo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialog: Option<DialogInfo>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub downloads: Vec<DownloadInfo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyboard_shown: Option<bool>,
    /// Whether the screen forbids pictures: the picture is black, and says nothing.
    #[serde(skip_serializing_if = "is_false")]
    pub secure: bool,
    /// Whether more content lies above or below the page's visible part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_scroll: Option<PageScroll>,
    /// Requests that the guard blocked since the last observation: origin only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<String>,
    /// What became of pages and downloads without the agent's asking, since the last observation: a page that
    /// crashed, a tab that was closed, a download that was cancelled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    #[serde(skip_serializing_if = "crate::count::is_zero")]
    pub page_crashes: usize,
    /// Words with which the page asks for proof of a person; looked for only where an agent's fence wants it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// Elements that were left out because the screen held more than the cap.
    #[serde(skip_serializing_if = "crate::count::is_zero")]
    pub truncated: usize,
    /// Texts that were left out because the screen held more than the cap.
    #[serde(skip_serializing_if = "crate::count::is_zero")]
    pub texts_left_out: usize,
}

impl Context {
    /// What is in front, in a few words: its title, else its address or name. Untrusted text.
    pub fn showing(&self) -> &str {
        if self.title.is_empty() { &self.location } else { &self.title }
    }

    /// The name of the screen that is in front, of a device that is several.
    pub fn screen(&self) -> Option<&str> {
        self.screens.iter().find(|screen| screen.front).map(|screen| screen.name.as_str())
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(b: &bool) -> bool {
    !*b
}

/// How much of the page lies out of view, in logical pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageScroll {
    pub above: u32,
    pub below: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    #[default]
    Quiet,
    StillMoving,
    /// A request was still in flight when the time was up.
    StillLoading,
    Dialog,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Timings {
    pub settle: Duration,
    /// Capturing the picture, decoding included.
    pub picture: Duration,
    pub elements: Duration,
    /// From the start of the observation to its end, settling excluded.
    pub total: Duration,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StaticText {
    pub text: String,
    /// Its visible part, clipped to the screen.
    pub bounds: Rect<Physical>,
    /// How many elements of the observation stand before it in the order of reading.
    pub before: usize,
}

/// The tree that a device reads its elements from, as the device wrote it.
#[derive(Clone, Debug)]
pub struct Dump {
    pub text: Arc<str>,
    /// How AppAgent numbers what stands in it.
    pub numbering: TagReader,
}

/// From a dump and the elements that were read from it: those elements with what AppAgent numbers beside, and its numbers.
pub(crate) type TagReader = fn(&str, &[Element]) -> (Vec<Element>, Vec<Tagged>);

#[derive(Clone, Debug)]
pub struct Observation {
    pub picture: Picture,
    pub elements: Vec<Element>,
    /// What else can be read, in the order of reading; empty where the device lists all text as elements.
    pub texts: Vec<StaticText>,
    /// The tree that the elements were read from, as the device wrote it: of a phone, uiautomator's XML.
    /// For people and tools that keep such files, and for AppAgent's numbers ([`crate::labels::as_appagent`]).
    pub dump: Option<Dump>,
    pub geometry: Geometry,
    pub context: Context,
    pub settled: Settled,
    pub timings: Timings,
}

/// By what a screen differs from one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScreenDifference {
    Nothing,
    /// By the focus alone, or by how something is drawn that the tree does not tell.
    Drawn,
    Content,
}

impl Observation {
    /// By what this screen differs from `before`; pictures are compared where both have one.
    pub fn differs_from(&self, before: &Self) -> ScreenDifference {
        let told = |seen: &Self| {
            let Context { location, title, tabs, windows, dialog, downloads, page_scroll, .. } =
                &seen.context;
            let context = (location.clone(), title.clone(), tabs.clone(), windows.len(), dialog.clone());
            (context, downloads.clone(), *page_scroll, seen.texts.clone())
        };
        let all = |seen: &Self| seen.elements.iter().map(Element::at_rest).collect::<Vec<_>>();
        if told(self) != told(before) || all(self) != all(before) {
            return ScreenDifference::Content;
        }
        let focused = |seen: &Self| seen.elements.iter().position(|element| element.states.focused);
        let pictures = [&self.picture, &before.picture];
        let as_drawn =
            pictures.iter().any(|picture| picture.is_empty()) || pictures[0].pixels() == pictures[1].pixels();
        match focused(self) == focused(before) && as_drawn {
            true => ScreenDifference::Nothing,
            false => ScreenDifference::Drawn,
        }
    }

    /// A screen at rest that shows nothing.
    pub fn blank(geometry: Geometry) -> Self {
        Self {
            picture: Picture::empty(),
            elements: Vec::new(),
            texts: Vec::new(),
            dump: None,
            geometry,
            context: Context::default(),
            settled: Settled::Quiet,
            timings: Timings::default(),
        }
    }
}

//! The roles and states of AT-SPI, in the order of their numbers on the wire.
//!
//! Source: `AtspiRole` and `AtspiStateType` of at-spi2-core (`atspi/atspi-constants.h`); names as `GetRoleName` gives them.
//! Written out here, since the crates that hold them bring events and proxies along, which take longer to build than
//! all of this driver's own protocol.

/// Defines an enum whose variants are numbered from 0, with the name of each.
macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident; $($variant:ident $text:literal),+ $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(dead_code, reason = "the numbers of those in use follow from all of them")]
        pub(crate) enum $name { $($variant),+ }

        impl $name {
            pub(crate) const ALL: &[Self] = &[$(Self::$variant),+];

            pub(crate) fn name(self) -> &'static str {
                const NAMES: &[&str] = &[$($text),+];
                NAMES[self as usize]
            }
        }
    };
}

numbered! {
    Role;
    Invalid "invalid", AcceleratorLabel "accelerator label", Alert "alert", Animation "animation",
    Arrow "arrow", Calendar "calendar", Canvas "canvas", CheckBox "check box",
    CheckMenuItem "check menu item", ColorChooser "color chooser", ColumnHeader "column header",
    ComboBox "combo box", DateEditor "date editor", DesktopIcon "desktop icon",
    DesktopFrame "desktop frame", Dial "dial", Dialog "dialog", DirectoryPane "directory pane",
    DrawingArea "drawing area", FileChooser "file chooser", Filler "filler",
    FocusTraversable "focus traversable", FontChooser "font chooser", Frame "frame", GlassPane "glass pane",
    HtmlContainer "html container", Icon "icon", Image "image", InternalFrame "internal frame",
    Label "label", LayeredPane "layered pane", List "list", ListItem "list item", Menu "menu",
    MenuBar "menu bar", MenuItem "menu item", OptionPane "option pane", PageTab "page tab",
    PageTabList "page tab list", Panel "panel", PasswordText "password text", PopupMenu "popup menu",
    ProgressBar "progress bar", Button "button", RadioButton "radio button",
    RadioMenuItem "radio menu item", RootPane "root pane", RowHeader "row header", ScrollBar "scroll bar",
    ScrollPane "scroll pane", Separator "separator", Slider "slider", SpinButton "spin button",
    SplitPane "split pane", StatusBar "status bar", Table "table", TableCell "table cell",
    TableColumnHeader "table column header", TableRowHeader "table row header",
    TearoffMenuItem "tearoff menu item", Terminal "terminal", Text "text", ToggleButton "toggle button",
    ToolBar "tool bar", ToolTip "tool tip", Tree "tree", TreeTable "tree table", Unknown "unknown",
    Viewport "viewport", Window "window", Extended "extended", Header "header", Footer "footer",
    Paragraph "paragraph", Ruler "ruler", Application "application", Autocomplete "autocomplete",
    Editbar "editbar", Embedded "embedded", Entry "entry", Chart "chart", Caption "caption",
    DocumentFrame "document frame", Heading "heading", Page "page", Section "section",
    RedundantObject "redundant object", Form "form", Link "link", InputMethodWindow "input method window",
    TableRow "table row", TreeItem "tree item", DocumentSpreadsheet "document spreadsheet",
    DocumentPresentation "document presentation", DocumentText "document text", DocumentWeb "document web",
    DocumentEmail "document email", Comment "comment", ListBox "list box", Grouping "grouping",
    ImageMap "image map", Notification "notification", InfoBar "info bar", LevelBar "level bar",
    TitleBar "title bar", BlockQuote "block quote", Audio "audio", Video "video", Definition "definition",
    Article "article", Landmark "landmark", Log "log", Marquee "marquee", Math "math", Rating "rating",
    Timer "timer", Static "static", MathFraction "math fraction", MathRoot "math root",
    Subscript "subscript", Superscript "superscript", DescriptionList "description list",
    DescriptionTerm "description term", DescriptionValue "description value", Footnote "footnote",
    ContentDeletion "content deletion", ContentInsertion "content insertion", Mark "mark",
    Suggestion "suggestion", PushButtonMenu "push button menu",
}

numbered! {
    /// One property of an object that is or is not so; its number is its bit.
    State;
    Invalid "invalid", Active "active", Armed "armed", Busy "busy", Checked "checked",
    Collapsed "collapsed", Defunct "defunct", Editable "editable", Enabled "enabled",
    Expandable "expandable", Expanded "expanded", Focusable "focusable", Focused "focused",
    HasTooltip "has_tooltip", Horizontal "horizontal", Iconified "iconified", Modal "modal",
    MultiLine "multi_line", Multiselectable "multiselectable", Opaque "opaque", Pressed "pressed",
    Resizable "resizable", Selectable "selectable", Selected "selected", Sensitive "sensitive",
    Showing "showing", SingleLine "single_line", Stale "stale", Transient "transient", Vertical "vertical",
    Visible "visible", ManagesDescendants "manages_descendants", Indeterminate "indeterminate",
    Required "required", Truncated "truncated", Animated "animated", InvalidEntry "invalid_entry",
    SupportsAutocompletion "supports_autocompletion", SelectableText "selectable_text",
    IsDefault "is_default", Visited "visited", Checkable "checkable", HasPopup "has_popup",
    ReadOnly "read_only",
}

impl Role {
    /// The role of a number on the wire; unknown where a newer protocol has one more.
    pub(crate) fn of(number: u32) -> Self {
        Self::ALL.get(number as usize).copied().unwrap_or(Self::Unknown)
    }
}

impl State {
    /// Its bit among the 64 of an object.
    pub(crate) const fn bit(self) -> u64 {
        1 << self as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that programs were seen to send, and the last of each list.
    #[test]
    fn numbers_are_those_of_the_protocol() {
        for (role, number, name) in [
            (Role::Application, 75, "application"),
            (Role::Frame, 23, "frame"),
            (Role::Button, 43, "button"),
            (Role::Entry, 79, "entry"),
            (Role::DocumentWeb, 95, "document web"),
            (Role::PushButtonMenu, 129, "push button menu"),
        ] {
            assert_eq!((Role::of(number), role as u32, role.name()), (role, number, name));
        }
        assert_eq!(Role::of(130), Role::Unknown);
        for (state, bit, name) in [
            (State::Active, 1, "active"),
            (State::Showing, 25, "showing"),
            (State::MultiLine, 17, "multi_line"),
            (State::Visible, 30, "visible"),
            (State::ManagesDescendants, 31, "manages_descendants"),
            (State::Checkable, 41, "checkable"),
            (State::ReadOnly, 43, "read_only"),
        ] {
            assert_eq!((state.bit(), state.name()), (1 << bit, name));
        }
    }
}

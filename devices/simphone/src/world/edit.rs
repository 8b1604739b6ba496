//! Typing: the focused field, its caret and selection, keys, and the input methods.

use super::{
    ImeError, ImeState, Namespace, NoKey, Shade, World,
    compose::WindowLayer,
    ime,
    stack::Editing,
    system_ui::{KeyMsg, KeyboardPage},
};
use crate::ui::{
    laid::LaidWidget,
    node::{FieldInput, Kind, UiEvent, UiEventKind},
};

/// Ctrl in a key's meta state.
const META_CTRL: u32 = 0x1000 | 0x2000 | 0x4000;
/// Shift in a key's meta state.
const META_SHIFT: u32 = 0x1 | 0x40 | 0x80;

fn slice(text: &str, from: usize, to: usize) -> String {
    text.chars().skip(from).take(to.saturating_sub(from)).collect()
}

impl World {
    fn focused_item(&mut self) -> Option<(WindowLayer, LaidWidget)> {
        let id = self.top()?.editing.clone()?.field;
        let scene = self.scene();
        [WindowLayer::Overlay, WindowLayer::App].into_iter().find_map(|layer| {
            let laid = &scene.window(layer)?.laid;
            let item = laid.items.iter().find(|i| i.node.is_field() && i.node.id == id)?;
            Some((layer, item.clone()))
        })
    }

    pub fn focused_text(&mut self) -> Option<String> {
        Some(self.focused_item()?.1.node.text)
    }

    pub(crate) fn ime_shown(&self) -> bool {
        self.ime_wanted && self.top().is_some_and(|t| t.editing.is_some())
    }

    pub(crate) fn focus(&mut self, field: &str, caret: usize) {
        let fresh = self.top().and_then(|t| t.editing.as_ref()).is_none_or(|e| e.field != field);
        if let Some(top) = self.top_mut() {
            top.editing = Some(Editing { field: field.to_owned(), caret, anchor: caret });
        }
        if fresh || !self.ime_wanted {
            self.keys = KeyboardPage::Small;
        }
        self.ime_wanted = true;
        self.reveal = true;
        self.changed();
    }

    /// Puts text in place of the selection. Tells whether there is a focused field.
    fn insert_text(&mut self, new: &str) -> bool {
        let Some((layer, item)) = self.focused_item() else { return false };
        if !item.node.enabled {
            return true;
        }
        let input = match &item.node.kind {
            Kind::Field(_, input) => *input,
            _ => FieldInput::Line,
        };
        let new: String = match input {
            FieldInput::Number => {
                new.chars().filter(|c| c.is_ascii_digit() || "+-.,*#() ".contains(*c)).collect()
            }
            FieldInput::Lines => new.to_owned(),
            _ => new.replace(['\n', '\r'], " "),
        };
        let Some(e) = self.top().and_then(|t| t.editing.clone()) else { return false };
        let text = item.node.text.clone();
        let length = text.chars().count();
        let (from, to) = e.selected(length);
        let whole = format!("{}{new}{}", slice(&text, 0, from), slice(&text, to, length));
        self.set_text(layer, &item, &whole, from + new.chars().count());
        true
    }

    fn set_text(&mut self, layer: WindowLayer, item: &LaidWidget, text: &str, caret: usize) {
        if let Some(top) = self.top_mut() {
            top.fields.insert(item.node.id.clone(), text.to_owned());
            top.editing = Some(Editing { field: item.node.id.clone(), caret, anchor: caret });
        }
        self.reveal = true;
        self.changed();
        if let Some(on) = item.node.on.change.clone() {
            self.deliver(layer, &UiEvent { on, kind: UiEventKind::Text(text.to_owned()) });
        }
    }

    /// Deletes the selection, or else one character before or after the caret.
    fn erase(&mut self, back: usize, ahead: usize) {
        let Some((layer, item)) = self.focused_item() else { return };
        let Some(e) = self.top().and_then(|t| t.editing.clone()) else { return };
        let text = item.node.text.clone();
        let length = text.chars().count();
        let (mut from, mut to) = e.selected(length);
        if from == to {
            from = from.saturating_sub(back);
            to = (to + ahead).min(length);
        }
        if from < to {
            let whole = format!("{}{}", slice(&text, 0, from), slice(&text, to, length));
            self.set_text(layer, &item, &whole, from);
        }
    }

    fn move_caret(&mut self, to: impl Fn(usize, usize) -> usize) {
        let Some((_, item)) = self.focused_item() else { return };
        let length = item.node.text.chars().count();
        if let Some(e) = self.top_mut().and_then(|t| t.editing.as_mut()) {
            e.caret = to(e.caret, length).min(length);
            e.anchor = e.caret;
        }
        self.changed();
    }

    fn select_all(&mut self) {
        let Some((_, item)) = self.focused_item() else { return };
        if let Some(e) = self.top_mut().and_then(|t| t.editing.as_mut()) {
            e.anchor = 0;
            e.caret = item.node.text.chars().count();
        }
        self.changed();
    }

    fn selected(&mut self) -> Option<String> {
        let (_, item) = self.focused_item()?;
        let e = self.top()?.editing.clone()?;
        (e.caret != e.anchor).then(|| slice(&item.node.text, e.caret.min(e.anchor), e.caret.max(e.anchor)))
    }

    /// Enter: a new line in a field of several, else what the field's Enter does.
    pub(crate) fn submit(&mut self) {
        let Some((layer, item)) = self.focused_item() else { return };
        if matches!(item.node.kind, Kind::Field(_, FieldInput::Lines)) {
            self.insert_text("\n");
            return;
        }
        match item.node.on.submit {
            Some(on) => self.deliver(layer, &UiEvent { on, kind: UiEventKind::Submit }),
            None => {
                self.ime_wanted = false;
                self.changed();
            }
        }
    }

    /// The next field gets the focus, or the first where none has it.
    fn next_field(&mut self) {
        let scene = self.scene();
        let window = scene.window(WindowLayer::Overlay).or_else(|| scene.window(WindowLayer::App));
        let Some(window) = window else { return };
        let fields: Vec<&LaidWidget> = window.laid.items.iter().filter(|i| i.node.is_field()).collect();
        let at = fields.iter().position(|i| i.editing.is_some());
        let next = at.map_or(0, |a| (a + 1) % fields.len().max(1));
        if let Some(item) = fields.get(next) {
            self.focus(&item.node.id, item.node.text.chars().count());
        }
    }

    /// Text from the current input method, into the focused field. Tells whether there was one.
    pub fn ime_commit(&mut self, text: &str) -> bool {
        self.insert_text(text)
    }

    /// Empties the focused field. Tells whether there was one.
    pub fn ime_clear(&mut self) -> bool {
        self.select_all();
        self.insert_text("")
    }

    /// A character by way of the virtual keyboard's keys, as `input text` does it.
    ///
    /// # Errors
    ///
    /// The virtual keyboard has no key for it; nothing was typed.
    pub(crate) fn type_char(&mut self, c: char) -> Result<(), NoKey> {
        if !(' '..='~').contains(&c) {
            return Err(NoKey(c));
        }
        self.insert_text(c.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    /// A key of Android's numbering, with its meta state (shift 1, alt 2, ctrl 0x1000).
    pub fn key(&mut self, keycode: u32, meta: u32) {
        if !self.interactive && !matches!(keycode, 26 | 224 | 82) {
            return;
        }
        if self.lock().is_some() && self.key_at_lock(keycode) {
            return;
        }
        let ctrl = meta & META_CTRL != 0;
        match keycode {
            3 => self.go_home(),
            4 => self.go_back(),
            24 => self.volume(1),
            25 => self.volume(-1),
            26 => self.set_interactive(!self.interactive),
            223 => self.set_interactive(false),
            224 => self.set_interactive(true),
            82 | 187 if keycode == 187 || !self.interactive => {
                if keycode == 187 {
                    self.go_recents();
                } else {
                    self.set_interactive(true);
                }
            }
            83 => self.set_shade(Shade::Open),
            111 if self.ime_shown() || self.top().is_some_and(|t| t.overlay.is_some()) => self.go_back(),
            111 => {}
            176 => {
                let _ = self.start(&super::Intent::launch(super::SETTINGS));
            }
            61 => self.next_field(),
            66 | 160 => self.submit(),
            67 => self.erase(1, 0),
            112 => self.erase(0, 1),
            21 => self.move_caret(|c, _| c.saturating_sub(1)),
            22 => self.move_caret(|c, l| (c + 1).min(l)),
            122 => self.move_caret(|_, _| 0),
            123 => self.move_caret(|_, l| l),
            29 if ctrl => self.select_all(),
            278 | 277 => self.copy(keycode),
            31 if ctrl => self.copy(278),
            52 if ctrl => self.copy(277),
            279 => self.paste(),
            50 if ctrl => self.paste(),
            _ if !ctrl => {
                if let Some(c) = key_char(keycode, meta & META_SHIFT != 0) {
                    let _ = self.type_char(c);
                }
            }
            _ => {}
        }
    }

    fn copy(&mut self, keycode: u32) {
        if let Some(text) = self.selected() {
            self.clipboard = text;
            if keycode == 277 {
                self.erase(0, 0);
            }
        }
    }

    fn paste(&mut self) {
        let text = self.clipboard.clone();
        self.insert_text(&text);
    }

    fn volume(&mut self, by: i64) {
        let now = self.settings.int(Namespace::System, "volume_music").unwrap_or(5);
        let new = (now + by).clamp(0, 15);
        self.put_setting(Namespace::System, "volume_music", &new.to_string());
    }

    pub(crate) fn ime_key(&mut self, key: Option<KeyMsg>) {
        self.changed();
        match key {
            Some(KeyMsg::Type(c)) => {
                self.insert_text(c.encode_utf8(&mut [0; 4]));
                if self.keys == KeyboardPage::Capital {
                    self.keys = KeyboardPage::Small;
                }
            }
            Some(KeyMsg::Shift) => {
                self.keys = if self.keys == KeyboardPage::Capital {
                    KeyboardPage::Small
                } else {
                    KeyboardPage::Capital
                };
            }
            Some(KeyMsg::Marks) => self.keys = KeyboardPage::Marks,
            Some(KeyMsg::Letters) => self.keys = KeyboardPage::Small,
            Some(KeyMsg::Delete) => self.erase(1, 0),
            Some(KeyMsg::Enter) => self.submit(),
            None => {}
        }
    }

    pub fn ime(&self) -> ImeState {
        ImeState {
            current: self.ime_current.clone(),
            enabled: self.ime_enabled.clone(),
            installed: vec![ime::LATIN_IME.to_owned(), ime::ADB_IME.to_owned()],
            shown: self.ime_shown(),
        }
    }

    fn known(id: &str) -> Result<(), ImeError> {
        if [ime::LATIN_IME, ime::ADB_IME].contains(&id) {
            Ok(())
        } else {
            Err(ImeError::Unknown(id.to_owned()))
        }
    }

    fn keep_imes(&mut self) {
        let (current, enabled) = (self.ime_current.clone(), self.ime_enabled.join(":"));
        self.settings.put(Namespace::Secure, "default_input_method", &current);
        self.settings.put(Namespace::Secure, "enabled_input_methods", &enabled);
        self.changed();
    }

    /// `ime set`.
    pub(crate) fn ime_set(&mut self, id: &str) -> Result<(), ImeError> {
        Self::known(id)?;
        if !self.ime_enabled.iter().any(|e| e == id) {
            return Err(ImeError::NotEnabled(id.to_owned()));
        }
        id.clone_into(&mut self.ime_current);
        self.keep_imes();
        Ok(())
    }

    /// `ime enable`; false where it was enabled before.
    pub(crate) fn ime_enable(&mut self, id: &str) -> Result<bool, ImeError> {
        Self::known(id)?;
        if self.ime_enabled.iter().any(|e| e == id) {
            return Ok(false);
        }
        self.ime_enabled.push(id.to_owned());
        self.keep_imes();
        Ok(true)
    }

    /// `ime disable`; false where it was not enabled.
    pub(crate) fn ime_disable(&mut self, id: &str) -> Result<bool, ImeError> {
        Self::known(id)?;
        let before = self.ime_enabled.len();
        self.ime_enabled.retain(|e| e != id);
        if self.ime_current == id {
            ime::LATIN_IME.clone_into(&mut self.ime_current);
        }
        self.keep_imes();
        Ok(self.ime_enabled.len() < before)
    }

    /// `ime reset`: back to what a new phone has. Gives the current one.
    pub(crate) fn ime_reset(&mut self) -> String {
        ime::LATIN_IME.clone_into(&mut self.ime_current);
        self.ime_enabled = vec![ime::LATIN_IME.to_owned()];
        self.keep_imes();
        self.ime_current.clone()
    }
}

fn key_char(keycode: u32, shift: bool) -> Option<char> {
    let plain = match keycode {
        7..=16 => char::from_digit(keycode - 7, 10)?,
        29..=54 => char::from_u32(u32::from('a') + keycode - 29)?,
        17 => '*',
        18 => '#',
        55 => ',',
        56 => '.',
        62 => ' ',
        68 => '`',
        69 => '-',
        70 => '=',
        71 => '[',
        72 => ']',
        73 => '\\',
        74 => ';',
        75 => '\'',
        76 => '/',
        77 => '@',
        81 => '+',
        _ => return None,
    };
    if !shift {
        return Some(plain);
    }
    let pairs = "1!2@3#4$5%6^7&8*9(0)`~-_=+[{]}\\|;:'\",<.>/?";
    let marks: Vec<char> = pairs.chars().collect();
    let found = marks.chunks(2).find(|p| p.first() == Some(&plain)).and_then(|p| p.get(1).copied());
    Some(found.unwrap_or_else(|| plain.to_ascii_uppercase()))
}

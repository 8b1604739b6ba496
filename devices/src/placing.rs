//! What an action does and where, as a row of the catalogue puts it together.

use crate::action_parts::{Button, DialogReply, Modifiers};
use crate::chords;
use crate::effect_set::{ActionEffect, Effects};
use crate::geometry::{Physical, Point};
use crate::hit_test::{Focus, InputTarget};
use crate::platform::Platform;

/// What an action does and where, as its row of the catalogue says it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Placing<'a> {
    pub(crate) effects: Effects,
    pub(crate) target: InputTarget,
    pub(crate) address: Option<&'a str>,
}

pub(crate) fn does<'a>(effects: &[ActionEffect]) -> Placing<'a> {
    Placing { effects: Effects::of(effects), ..Placing::default() }
}

impl<'a> Placing<'a> {
    /// A press of a button. The middle one opens links in tabs, and pastes what is selected.
    pub(crate) fn by(button: Button) -> Self {
        use ActionEffect as E;
        match button {
            Button::Left | Button::Right => does(&[E::Press]),
            Button::Middle => does(&[E::Press, E::NewTab, E::Paste, E::Type]),
            Button::Back => does(&[E::Press, E::Back]),
            Button::Forward => does(&[E::Press, E::Forward]),
        }
    }

    /// A turn of the wheel while keys are held: with Ctrl it zooms, and the rest is a program's own.
    pub(crate) fn wheel(held: Modifiers) -> Self {
        use ActionEffect as E;
        let all = if held.ctrl { does(&[E::Scroll, E::Zoom]) } else { does(&[E::Scroll]) };
        if held.is_empty() { all } else { all.held(held) }
    }

    pub(crate) fn also(self, effects: &[ActionEffect]) -> Self {
        self.and(Effects::of(effects))
    }

    fn and(mut self, effects: Effects) -> Self {
        self.effects = self.effects.and(effects);
        self
    }

    /// With these keys held: links open in tabs and windows or are saved, and what a desktop makes of its own
    /// key is anybody's guess.
    pub(crate) fn held(self, modifiers: Modifiers) -> Self {
        use ActionEffect as E;
        let also: &[(bool, &[E])] = &[
            (modifiers.ctrl || modifiers.shift, &[E::Key, E::NewTab]),
            (modifiers.alt, &[E::Key, E::Save]),
            (modifiers.meta, ActionEffect::ALL),
        ];
        also.iter().filter(|(held, _)| *held).fold(self, |all, (_, more)| all.and(Effects::of(more)))
    }

    pub(crate) fn at(mut self, points: &[Point<Physical>]) -> Self {
        self.target.points = points.to_vec();
        self
    }

    pub(crate) fn pressed(mut self) -> Self {
        self.target.pressed = true;
        self
    }

    pub(crate) fn keyed(mut self) -> Self {
        self.target.focus = Focus::Used;
        self
    }

    pub(crate) fn opens(mut self, address: &'a str) -> Self {
        self.address = Some(address);
        self
    }

    pub(crate) fn on_phone(self, on: Platform, effects: &[ActionEffect]) -> Self {
        if on.has_packages() { self.and(Effects::of(effects)) } else { self }
    }

    /// On a phone whatever touches is a finger, and a finger that stays within a control presses it.
    pub(crate) fn finger(self, on: Platform) -> Self {
        self.on_phone(on, &[ActionEffect::Press, ActionEffect::Drag])
    }

    pub(crate) fn chord(self, chord: &str, on: Platform) -> Self {
        self.and(chords::effects(chord, on))
    }

    /// It types this text: its keys go to what has the focus, and there a blank or the Enter key presses.
    pub(crate) fn typing(self, text: &str) -> Self {
        self.and(typed(text))
    }

    /// It pastes this text: a pasted line is carried out by a terminal.
    pub(crate) fn pasting(self, text: &str) -> Self {
        if text.contains(['\n', '\r']) { self.and(Effects::of(&[ActionEffect::Press])) } else { self }
    }

    pub(crate) fn answering(self, reply: &DialogReply) -> Self {
        self.and(answered(reply))
    }
}

/// What typing a text does besides entering it: in what has the focus, a blank or the Enter key presses.
fn typed(text: &str) -> Effects {
    let of_char = |c: char| match c {
        '\n' | '\r' => Effects::of(&[ActionEffect::Key, ActionEffect::Press]),
        '\t' => Effects::of(&[ActionEffect::Key]),
        c if c.is_control() => Effects::all(),
        c if c.is_whitespace() => Effects::of(&[ActionEffect::Press]),
        _ => Effects::default(),
    };
    text.chars().map(of_char).fold(Effects::default(), Effects::and)
}

fn answered(reply: &DialogReply) -> Effects {
    match reply {
        DialogReply::Accept { text: Some(_) } => Effects::of(&[ActionEffect::Press, ActionEffect::Type]),
        DialogReply::Accept { text: None } => Effects::of(&[ActionEffect::Press]),
        DialogReply::Dismiss => Effects::default(),
    }
}

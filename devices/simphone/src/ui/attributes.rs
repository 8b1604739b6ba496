//! The attributes of a widget, each a step in the chain that declares it.

use super::{
    node::{Align, Edges, FieldInput, Kind, Len, Node},
    theme::Tone,
};

/// The steps that say what a widget does: each with the field of [`On`](super::node::On) of its name.
macro_rules! does {
    ($($(#[$doc:meta])* $what:ident,)+) => {
        impl Node {
            $($(#[$doc])*
            pub fn $what(mut self, on: impl Into<String>) -> Self {
                self.on.$what = Some(on.into());
                self
            })+
        }
    };
}

does! {
    /// What a tap does.
    tap,
    /// What half a second's hold does.
    long,
    /// What two taps in short order do.
    double,
    /// What a swipe to a side does.
    dismiss,
    /// What a field's new text or a slider's new value does.
    change,
    /// What Enter does.
    submit,
    /// What a finger's way over it does.
    drag,
    /// What two fingers on it do.
    pinch,
}

/// The steps that put one field: name and arguments, and what the field becomes.
macro_rules! sets {
    ($($(#[$doc:meta])* $step:ident($($arg:ident: $kind:ty),*) $field:ident = $value:expr;)+) => {
        impl Node {
            $($(#[$doc])*
            pub fn $step(mut self, $($arg: $kind),*) -> Self {
                self.$field = $value;
                self
            })+
        }
    };
}

sets! {
    /// Its id.
    id(id: &str) id = id.to_owned();
    /// Its class.
    class(class: &'static str) class = class;
    /// Its content description.
    desc(desc: impl Into<String>) desc = desc.into();
    /// Its text.
    with_text(text: impl Into<String>) text = text.into();
    /// Width.
    w(w: Len) w = w;
    /// Height.
    h(h: Len) h = h;
    /// Space inside: left and right, top and bottom.
    pad(x: f32, y: f32) pad = Edges { l: x, t: y, r: x, b: y };
    /// Space outside: left and right, top and bottom.
    margin(x: f32, y: f32) margin = Edges { l: x, t: y, r: x, b: y };
    /// Space outside, on each side.
    margins(l: f32, t: f32, r: f32, b: f32) margin = Edges { l, t, r, b };
    /// Space between children.
    gap(gap: f32) gap = gap;
    /// Where contents stand along the main direction; for text, across.
    main(a: Align) main = a;
    /// Where contents stand in the other direction.
    cross(a: Align) cross = a;
    /// Ground.
    bg(tone: Tone) bg = Some(tone);
    /// Border.
    border(tone: Tone) border = Some(tone);
    /// Radius of the corners.
    radius(dp: f32) radius = dp;
    /// Colour of text and signs.
    tone(tone: Tone) tone = tone;
    /// Size of text in sp.
    sp(size: f32) size = size;
    /// In bold.
    bold() bold = true;
    /// Lines of text at most.
    lines(n: usize) max_lines = n;
    /// Cannot be used, where `when` holds.
    disabled_if(when: impl FnOnce() -> bool) enabled = !when();
    /// The chosen one of several, where `when` holds.
    selected_if(when: impl FnOnce() -> bool) selected = when();
}

impl Node {
    /// What a field takes; a field of several lines grows with its text.
    pub fn input(mut self, input: FieldInput) -> Self {
        if let Kind::Field(_, i) = &mut self.kind {
            *i = input;
            if input == FieldInput::Lines {
                self.max_lines = usize::MAX;
            }
        }
        self
    }

    pub fn size(mut self, w: Len, h: Len) -> Self {
        (self.w, self.h) = (w, h);
        self
    }

    /// Width and height in dp.
    pub(crate) fn dp(self, w: f32, h: f32) -> Self {
        self.size(Len::Dp(w), Len::Dp(h))
    }

    pub fn wide(self, dp: f32) -> Self {
        self.w(Len::Dp(dp))
    }

    pub fn high(self, dp: f32) -> Self {
        self.h(Len::Dp(dp))
    }

    /// Takes what is left in the height.
    pub(crate) fn tall(self) -> Self {
        self.h(Len::Fill(1.0))
    }

    /// Takes what is left in the width.
    pub fn fill(self) -> Self {
        self.w(Len::Fill(1.0))
    }

    /// No wider than the contents.
    pub(crate) fn snug(self) -> Self {
        self.w(Len::Wrap)
    }

    /// Contents in the middle both ways.
    pub(crate) fn centred(self) -> Self {
        self.main(Align::Centre).cross(Align::Centre)
    }

    /// In the colour of lesser text.
    pub(crate) fn muted(self) -> Self {
        self.tone(Tone::Muted)
    }
}

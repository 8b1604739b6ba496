//! Colours: roles that the apps name, and what they are in light and dark.

use serde::{Deserialize, Serialize};

use crate::options::ColorScheme;

/// Red, green, blue, alpha.
pub(crate) type Rgba = [u8; 4];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Tone {
    Surface,
    OnSurface,
    Muted,
    Card,
    /// A raised ground: dialogs, menus, sheets.
    Raised,
    Line,
    Outline,
    Primary,
    OnPrimary,
    /// A quiet ground of the accent.
    Tint,
    OnTint,
    Danger,
    /// A fixed colour in both looks.
    Rgb(u8, u8, u8),
    /// Black over what lies below, in per cent.
    Shade(u8),
}

impl Tone {
    /// White in both looks: signs and letters on grounds of their own.
    pub(crate) const WHITE: Self = Self::Rgb(255, 255, 255);

    /// A fixed colour as a layout has it: `#2f5da8`.
    pub(crate) fn hex(self) -> String {
        let [r, g, b, _] = self.rgba(ColorScheme::Light);
        format!("#{r:02x}{g:02x}{b:02x}")
    }

    pub fn rgba(self, look: ColorScheme) -> Rgba {
        let hex = |v: u32| {
            let [_, r, g, b] = v.to_be_bytes();
            [r, g, b, 255]
        };
        let dark = look == ColorScheme::Dark;
        let pick = |light: u32, night: u32| hex(if dark { night } else { light });
        match self {
            Self::Surface => pick(0x00fa_f9fd, 0x0012_1316),
            Self::OnSurface => pick(0x001b_1b1f, 0x00e4_e2e6),
            Self::Muted => pick(0x0053_5660, 0x00b4_b6c0),
            Self::Card => pick(0x00ec_edf4, 0x0022_2429),
            Self::Raised => pick(0x00f2_f2f9, 0x002b_2d33),
            Self::Line => pick(0x00d9_dae2, 0x0038_3a41),
            Self::Outline => pick(0x0074_7780, 0x008e_9099),
            Self::Primary => pick(0x002f_5da8, 0x00aa_c7ff),
            Self::OnPrimary => pick(0x00ff_ffff, 0x0000_2f65),
            Self::Tint => pick(0x00d7_e3ff, 0x002b_4678),
            Self::OnTint => pick(0x0000_1b3e, 0x00d7_e3ff),
            Self::Danger => pick(0x00ba_1a1a, 0x00ff_b4ab),
            Self::Rgb(r, g, b) => [r, g, b, 255],
            Self::Shade(percent) => {
                [0, 0, 0, u8::try_from(u32::from(percent.min(100)) * 255 / 100).unwrap_or(255)]
            }
        }
    }
}

/// Colours for avatars, app icons, labels: told apart by eye, white text is legible on each.
const PALETTE: [Tone; 8] = [
    Tone::Rgb(0x2f, 0x5d, 0xa8),
    Tone::Rgb(0x2e, 0x7d, 0x4f),
    Tone::Rgb(0xa8, 0x4b, 0x2f),
    Tone::Rgb(0x7b, 0x3f, 0x98),
    Tone::Rgb(0xb0, 0x2a, 0x5b),
    Tone::Rgb(0x0f, 0x76, 0x80),
    Tone::Rgb(0x8a, 0x63, 0x0c),
    Tone::Rgb(0x4a, 0x55, 0x68),
];

pub(crate) fn colour_of(name: &str) -> Tone {
    let sum = name.bytes().fold(7_usize, |a, b| a.wrapping_mul(31).wrapping_add(usize::from(b)));
    PALETTE.get(sum % PALETTE.len()).copied().unwrap_or(Tone::Primary)
}

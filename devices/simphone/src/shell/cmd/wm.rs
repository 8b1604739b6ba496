//! `wm`, and the small services around the screen: `cmd statusbar`, `cmd uimode`, `cmd display`.

use super::Ctx;
use super::media::PHYSICAL_DISPLAY;
use crate::options::ColorScheme;
use crate::world::Shade;
use crate::world::display::Rotation;
use crate::world::second::{SECOND, SECOND_PHYSICAL};
use crate::world::settings::Namespace;

pub(super) fn wm(ctx: &mut Ctx) -> u8 {
    let mut words = ctx.words();
    let mut second = None;
    if let Some(at) = words.iter().position(|w| w == "-d") {
        let display = words.get(at + 1).cloned().unwrap_or_default();
        words.drain(at..(at + 2).min(words.len()));
        if display != "0" {
            second =
                ctx.phone.with(|w| w.second().filter(|_| display == SECOND.to_string()).map(|s| s.screen));
            if second.is_none() {
                return ctx.refuse(255, format!("Error: Invalid display ID {display}"));
            }
        }
    }
    if let Some(screen) = second {
        match words.first().map(String::as_str) {
            Some("size") => ctx.say(format!("Physical size: {}x{}", screen.width, screen.height)),
            Some("density") => ctx.say(format!("Physical density: {}", screen.density_dpi)),
            _ => {}
        }
        return 0;
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["size"] => {
            let display = ctx.phone.with(|w| w.display().clone());
            ctx.say(format!("Physical size: {}x{}", display.physical.0, display.physical.1));
            if let Some((width, height)) = display.size_override {
                ctx.say(format!("Override size: {width}x{height}"));
            }
            0
        }
        ["size", "reset"] => ctx.done(|w| w.set_size_override(None)),
        ["size", size] => match parse_size(ctx, size) {
            Some(size) => ctx.done(|w| w.set_size_override(Some(size).filter(|s| *s != w.display().physical))),
            None => ctx.refuse(255, format!("Error: bad size {size}")),
        },
        ["density"] => {
            let display = ctx.phone.with(|w| w.display().clone());
            ctx.say(format!("Physical density: {}", display.density));
            if let Some(dpi) = display.density_override {
                ctx.say(format!("Override density: {dpi}"));
            }
            0
        }
        ["density", "reset"] => ctx.done(|w| w.set_density_override(None)),
        ["density", dpi] => match dpi.parse::<u32>() {
            Ok(dpi) if dpi >= 72 => {
                ctx.done(|w| w.set_density_override(Some(dpi).filter(|d| *d != w.display().density)))
            }
            Ok(_) => ctx.refuse(255, "Error: density must be >= 72"),
            Err(_) => ctx.refuse(255, format!("Error: bad number {dpi}")),
        },
        ["user-rotation"] => {
            let (free, rotation) = ctx.phone.with(|w| {
                let settings = w.settings();
                let free = settings.on(Namespace::System, "accelerometer_rotation");
                (free, settings.int(Namespace::System, "user_rotation").unwrap_or(0))
            });
            ctx.answer(if free { "free".to_owned() } else { format!("lock {rotation}") })
        }
        ["user-rotation" | "set-user-rotation", "free"] => ctx.done(|w| w.set_user_rotation(None)),
        ["user-rotation" | "set-user-rotation", "lock", rest @ ..] => {
            let to = match rest.first() {
                None => ctx.phone.with(|w| w.display().rotation),
                Some(word) => match word.parse::<i64>() {
                    Ok(n @ 0..=3) => Rotation::of(n),
                    _ => return ctx.refuse(255, format!("Error: bad rotation {word}")),
                },
            };
            ctx.done(|w| w.set_user_rotation(Some(to)))
        }
        ["dismiss-keyguard"] => ctx.done(|w| w.dismiss_keyguard()),
        ["fixed-to-user-rotation" | "set-fix-to-user-rotation" | "overscan" | "scaling", ..] => 0,
        [] | ["help" | "-h", ..] => ctx.answer("Window manager (window) commands:\n  help\n      Print this help text.\n  size [reset|WxH|WdpxHdp] [-d DISPLAY_ID]\n    Return or override display size.\n    width and height in pixels unless suffixed with 'dp'.\n  density [reset|DENSITY] [-d DISPLAY_ID] [-u UNIQUE_ID]\n    Return or override display density.\n  user-rotation [-d DISPLAY_ID] [free|lock] [rotation]\n    Print or set user rotation mode and user rotation.\n  dismiss-keyguard\n    Dismiss the keyguard, prompting user for auth if necessary."),
        [other, ..] => ctx.reject(format!("Unknown command: {other}")),
    }
}

/// `WxH` in pixels, or either side with `dp` after it.
fn parse_size(ctx: &Ctx, text: &str) -> Option<(u32, u32)> {
    let dpi = ctx.phone.with(|w| w.display().dpi());
    let side = |text: &str| -> Option<u32> {
        let value = match text.strip_suffix("dp") {
            Some(dp) => dp.parse::<u32>().ok()?.checked_mul(dpi)? / 160,
            None => text.parse::<u32>().ok()?,
        };
        // Beyond this a picture would not fit a phone's memory.
        (200..=8192).contains(&value).then_some(value)
    };
    let (width, height) = text.split_once('x')?;
    Some((side(width)?, side(height)?))
}

/// `cmd statusbar …`.
pub(super) fn statusbar(ctx: &mut Ctx, words: &[String]) -> u8 {
    match words.first().map(String::as_str) {
        Some("expand-notifications" | "expand-settings") => ctx.phone.with(|w| w.set_shade(Shade::Open)),
        Some("collapse") => ctx.phone.with(|w| w.set_shade(Shade::Closed)),
        Some("get-status-icons") => ctx.say("wifi\nmobile\nbattery"),
        other => {
            return ctx.reject(format!("Unknown command: {}", other.unwrap_or("null")));
        }
    }
    0
}

/// `cmd uimode night [yes|no|auto]`.
pub(super) fn uimode(ctx: &mut Ctx, words: &[String]) -> u8 {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["night", "yes"] => ctx.phone.with(|w| w.set_look(ColorScheme::Dark)),
        ["night", "no" | "auto"] => ctx.phone.with(|w| w.set_look(ColorScheme::Light)),
        ["night"] => {}
        _ => {
            return ctx.reject("UiMode Manager Service (uimode) commands:\n  night [yes|no|auto|custom_schedule|custom_bedtime]\n    Set or read night mode.");
        }
    }
    let look = ctx.phone.with(|w| w.look());
    ctx.answer(format!("Night mode: {}", if look == ColorScheme::Dark { "yes" } else { "no" }))
}

/// `cmd display get-displays`, which came after API 32.
pub(super) fn displays(ctx: &mut Ctx, words: &[String]) -> u8 {
    if words.first().map(String::as_str) != Some("get-displays") || ctx.phone.options().sdk <= 32 {
        return ctx.reject(format!("Unknown command: {}", words.first().map_or("null", String::as_str)));
    }
    let (width, height) = ctx.phone.with(|w| w.display().logical());
    ctx.say("Displays:");
    ctx.say(format!(
        "Display id 0: DisplayInfo{{\"Built-in Screen\", displayId 0, real {width} x {height}, type INTERNAL, uniqueId \"local:{PHYSICAL_DISPLAY}\"}}"
    ));
    if let Some(screen) = ctx.phone.with(|w| w.second().map(|s| s.screen)) {
        ctx.say(format!(
            "Display id {SECOND}: DisplayInfo{{\"HDMI Screen\", displayId {SECOND}, real {} x {}, type EXTERNAL, uniqueId \"local:{SECOND_PHYSICAL}\"}}",
            screen.width, screen.height
        ));
    }
    0
}

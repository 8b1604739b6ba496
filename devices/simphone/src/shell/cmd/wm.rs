//! `wm`, and a small service around the screen: `cmd statusbar`.

use super::Ctx;
use crate::world::Shade;
use crate::world::second::SECOND;

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
            let display = ctx.phone.with(|w| w.display.clone());
            ctx.say(format!("Physical size: {}x{}", display.physical.0, display.physical.1));
            if let Some((width, height)) = display.size_override {
                ctx.say(format!("Override size: {width}x{height}"));
            }
            0
        }
        ["size", "reset"] => ctx.done(|w| w.set_size_override(None)),
        ["size", size] => match parse_size(ctx, size) {
            Some(size) => ctx.done(|w| w.set_size_override(Some(size).filter(|s| *s != w.display.physical))),
            None => ctx.refuse(255, format!("Error: bad size {size}")),
        },
        ["density"] => {
            let display = ctx.phone.with(|w| w.display.clone());
            ctx.say(format!("Physical density: {}", display.density));
            if let Some(dpi) = display.density_override {
                ctx.say(format!("Override density: {dpi}"));
            }
            0
        }
        ["density", "reset"] => ctx.done(|w| w.set_density_override(None)),
        ["density", dpi] => match dpi.parse::<u32>() {
            Ok(dpi) if dpi >= 72 => {
                ctx.done(|w| w.set_density_override(Some(dpi).filter(|d| *d != w.display.density)))
            }
            Ok(_) => ctx.refuse(255, "Error: density must be >= 72"),
            Err(_) => ctx.refuse(255, format!("Error: bad number {dpi}")),
        },
        ["dismiss-keyguard"] => ctx.done(|w| w.dismiss_keyguard()),
        [] | ["help" | "-h", ..] => ctx.answer("Window manager (window) commands:\n  help\n      Print this help text.\n  size [reset|WxH|WdpxHdp] [-d DISPLAY_ID]\n    Return or override display size.\n    width and height in pixels unless suffixed with 'dp'.\n  density [reset|DENSITY] [-d DISPLAY_ID] [-u UNIQUE_ID]\n    Return or override display density.\n  dismiss-keyguard\n    Dismiss the keyguard, prompting user for auth if necessary."),
        [other, ..] => ctx.reject(format!("Unknown command: {other}")),
    }
}

/// `WxH` in pixels, or either side with `dp` after it.
fn parse_size(ctx: &Ctx, text: &str) -> Option<(u32, u32)> {
    let dpi = ctx.phone.with(|w| w.display.dpi());
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

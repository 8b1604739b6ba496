//! `pm` and `cmd package`: what is installed and what answers to what.

use super::Ctx;
use super::am::{IntentExtras, read_intent};
use crate::world::intent::{Component, Intent};

pub(super) fn pm(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let Some((verb, rest)) = words.split_first() else {
        return ctx.reject("Package manager (package) commands:\n  help\n    Print this help text.\n  list packages [-s] [-3] [FILTER]\n  clear [--user USER_ID] PACKAGE\n  resolve-activity [--brief] [--components] [--query-flags FLAGS] INTENT\n  query-activities [--brief] [--components] INTENT");
    };
    match verb.as_str() {
        "list" => list(ctx, rest),
        "clear" => {
            let name = rest.iter().rfind(|w| !w.starts_with('-')).cloned().unwrap_or_default();
            let done = ctx.phone.with(|w| w.clear_data(&name));
            ctx.say(if done { "Success" } else { "Failed" });
            u8::from(!done)
        }
        "resolve-activity" => resolve(ctx, rest),
        "query-activities" => query(ctx, rest),
        "install" | "install-create" => {
            ctx.refuse(1, "Failure [INSTALL_FAILED_INVALID_APK: this phone runs only its own apps]")
        }
        "uninstall" => {
            ctx.say("Failure [DELETE_FAILED_INTERNAL_ERROR]");
            1
        }
        other => ctx.reject(format!("Unknown command: {other}")),
    }
}

fn list(ctx: &mut Ctx, words: &[String]) -> u8 {
    match words.first().map(String::as_str) {
        Some("packages" | "package") => {}
        other => {
            return ctx.refuse(
                255,
                match other {
                    Some(other) => format!("Error: unknown list type '{other}'"),
                    None => "Error: didn't specify type of data to list".to_owned(),
                },
            );
        }
    }
    let has = |flag: &str| words.iter().any(|w| w == flag);
    let filter = words[1..].iter().rfind(|w| !w.starts_with('-') && *w != "0");
    for package in ctx.phone.with(|w| w.packages()) {
        let kind = (!has("-3") || !package.system) && (!has("-s") || package.system);
        if kind && filter.is_none_or(|f| package.package.contains(f.as_str())) {
            ctx.say(format!("package:{}", package.package));
        }
    }
    0
}

fn intent_of(ctx: &mut Ctx, words: &[String]) -> Option<Intent> {
    match read_intent(words, &mut IntentExtras::default()) {
        Ok(intent) => Some(intent),
        Err(text) => {
            ctx.warn(format!("Error: {text}"));
            None
        }
    }
}

fn resolve(ctx: &mut Ctx, words: &[String]) -> u8 {
    let Some(intent) = intent_of(ctx, words) else { return 255 };
    match ctx.phone.with(|w| w.resolve(&intent)) {
        // The status is 0 all the same.
        None => ctx.say("No activity found"),
        Some(found) => describe(ctx, words, &found, ""),
    }
    0
}

fn query(ctx: &mut Ctx, words: &[String]) -> u8 {
    let Some(intent) = intent_of(ctx, words) else { return 255 };
    let found = ctx.phone.with(|w| w.query_activities(&intent));
    if found.is_empty() {
        return ctx.answer("No activities found");
    }
    if words.iter().any(|w| w == "--components") {
        for component in found {
            ctx.say(component.short());
        }
        return 0;
    }
    ctx.say(format!("{} activities found:", found.len()));
    for (i, component) in found.iter().enumerate() {
        ctx.say(format!("  Activity #{i}:"));
        describe(ctx, words, component, "    ");
    }
    0
}

fn describe(ctx: &mut Ctx, words: &[String], component: &Component, prefix: &str) {
    if words.iter().any(|w| w == "--components") {
        ctx.say(component.short());
        return;
    }
    ctx.say(format!("{prefix}priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false"));
    ctx.say(format!("{prefix}{}", component.short()));
}

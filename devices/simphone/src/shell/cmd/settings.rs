use super::Ctx;
use crate::world::ime::ImeError;
use crate::world::settings::Namespace;

const USAGE: &str = include_str!("../../../assets/texts/settings.txt");

/// The words without `--user N`.
fn without_user(words: Vec<String>) -> Vec<String> {
    let mut out = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if word == "--user" {
            words.next();
        } else {
            out.push(word);
        }
    }
    out
}

pub(super) fn settings(ctx: &mut Ctx) -> u8 {
    let words = without_user(ctx.words());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some((verb, rest)) = words.split_first() else {
        return ctx.reject(USAGE);
    };
    if !matches!(*verb, "get" | "put" | "delete" | "list" | "reset") {
        ctx.say(if *verb == "help" { USAGE.to_owned() } else { format!("Unknown command: {verb}") });
        return if *verb == "help" { 0 } else { 255 };
    }
    let Some((name, rest)) = rest.split_first() else {
        ctx.warn("Invalid namespace 'null'");
        return ctx.reject("Bad arguments");
    };
    let Ok(ns) = name.parse::<Namespace>() else {
        return ctx.refuse(255, format!("Invalid namespace '{name}'"));
    };
    match (*verb, rest) {
        ("get", [key, ..]) => {
            let value = ctx.phone.with(|w| w.settings.get(ns, key).map(str::to_owned));
            ctx.say(value.unwrap_or_else(|| "null".to_owned()));
        }
        ("put", [key, value, ..]) => ctx.phone.with(|w| w.put_setting(ns, key, value)),
        ("delete", [key, ..]) => {
            let gone = ctx.phone.with(|w| w.delete_setting(ns, key));
            ctx.say(format!("Deleted {} rows", u8::from(gone)));
        }
        ("list", _) => {
            let rows: Vec<String> =
                ctx.phone.with(|w| w.settings.list(ns).map(|(k, v)| format!("{k}={v}")).collect());
            for row in rows {
                ctx.say(row);
            }
        }
        ("reset", _) => {}
        _ => return ctx.refuse(255, "Bad arguments"),
    }
    0
}

pub(super) fn ime(ctx: &mut Ctx) -> u8 {
    let words = without_user(ctx.words());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["list", options @ ..] => {
            let has = |c| options.iter().any(|o| o.starts_with('-') && o.contains(c));
            let state = ctx.phone.with(|w| w.ime());
            let ids = if has('a') { state.installed } else { state.enabled };
            for id in ids {
                if has('s') {
                    ctx.say(&id);
                } else {
                    let service = id.split_once("/.").map_or(id.clone(), |(p, c)| format!("{p}.{c}"));
                    ctx.say(format!("{id}:\n  mId={id} mSettingsActivityName=null mIsVrOnly=false mSupportsSwitchingToNextInputMethod=true\n  mIsDefaultResId=0x0\n  Service:\n    ServiceInfo:\n      name={service}"));
                }
            }
            0
        }
        ["enable", id] => match ctx.phone.with(|w| w.ime_enable(id)) {
            Ok(changed) => {
                let now = if changed { "now" } else { "already" };
                ctx.answer(format!("Input method {id}: {now} enabled for user #0"))
            }
            Err(_) => refuse(ctx, id, "enabled"),
        },
        ["disable", id] => match ctx.phone.with(|w| w.ime_disable(id)) {
            Ok(changed) => {
                let now = if changed { "now" } else { "already" };
                ctx.answer(format!("Input method {id}: {now} disabled for user #0"))
            }
            Err(_) => refuse(ctx, id, "disabled"),
        },
        ["set", id] => match ctx.phone.with(|w| w.ime_set(id)) {
            Ok(()) => ctx.answer(format!("Input method {id} selected for user #0")),
            Err(ImeError::Unknown(_) | ImeError::NotEnabled(_)) => refuse(ctx, id, "selected"),
        },
        ["reset"] => {
            let current = ctx.phone.with(|w| w.ime_reset());
            let enabled = ctx.phone.with(|w| w.ime().enabled);
            ctx.say(format!(
                "Reset current and enabled IMEs for user #0\n  Newly selected: {current}\n  Newly enabled:"
            ));
            for id in enabled {
                ctx.say(format!("   {id}"));
            }
            0
        }
        ["enable" | "disable" | "set"] => ctx.refuse(255, format!(
                "\nException occurred while executing '{}':\njava.lang.IllegalArgumentException: Argument expected after \"{}\"",
                words[0], words[0]
            )),
        [] | ["help" | "-h", ..] => ctx.answer("ime <command>:\n  list [-a] [-s]\n    prints all enabled input methods.\n      -a: see all input methods\n      -s: only a single summary line of each\n  enable [--user <USER_ID>] <ID>\n  disable [--user <USER_ID>] <ID>\n  set [--user <USER_ID>] <ID>\n  reset [--user <USER_ID>]"),
        [other, ..] => ctx.reject(format!("Unknown command: {other}")),
    }
}

fn refuse(ctx: &mut Ctx, id: &str, what: &str) -> u8 {
    ctx.refuse(255, format!("Unknown input method {id} cannot be {what} for user #0"))
}

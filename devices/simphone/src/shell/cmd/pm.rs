//! `pm` and `cmd package`: what is installed and what answers to what. `monkey` too.

use super::Ctx;
use super::am::{IntentExtras, read_intent};
use crate::world::PackageInfo;
use crate::world::intent::{Component, Intent};
use crate::world::settings::Namespace;

/// Where a package's file lies.
fn apk(package: &PackageInfo) -> String {
    let name = &package.package;
    if package.system {
        let label: String = package.label.chars().filter(char::is_ascii_alphanumeric).collect();
        format!("/system/app/{label}/{label}.apk")
    } else {
        // The two random parts of the path, made of the uid so that they stay the same.
        let salt = format!("{:08x}", package.uid.wrapping_mul(2_654_435_761));
        format!("/data/app/~~{salt}Waldo==/{name}-{salt}Phone==/base.apk")
    }
}

pub(super) fn pm(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let Some((verb, rest)) = words.split_first() else {
        return ctx.reject("Package manager (package) commands:\n  help\n    Print this help text.\n  path [--user USER_ID] PACKAGE\n  list packages [-f] [-d] [-e] [-s] [-3] [-i] [-l] [-u] [-U] [FILTER]\n  clear [--user USER_ID] PACKAGE\n  resolve-activity [--brief] [--components] [--query-flags FLAGS] INTENT\n  query-activities [--brief] [--components] INTENT");
    };
    match verb.as_str() {
        "list" => list(ctx, rest),
        "path" => match find(ctx, rest) {
            Some(package) => ctx.answer(format!("package:{}", apk(&package))),
            None => 1,
        },
        "clear" => {
            let name = rest.iter().rfind(|w| !w.starts_with('-')).cloned().unwrap_or_default();
            let done = ctx.phone.with(|w| w.clear_data(&name));
            ctx.say(if done { "Success" } else { "Failed" });
            u8::from(!done)
        }
        "resolve-activity" => resolve(ctx, rest),
        "query-activities" => query(ctx, rest),
        "dump" => {
            ctx.args =
                ["dumpsys", "package"].into_iter().map(str::to_owned).chain(rest.iter().cloned()).collect();
            super::dumpsys::dumpsys(ctx)
        }
        "grant" | "revoke" | "enable" | "reset-permissions" | "trim-caches" | "compile"
        | "set-home-activity" => 0,
        "get-max-users" => ctx.answer("Maximum supported users: 4"),
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

fn find(ctx: &Ctx, words: &[String]) -> Option<PackageInfo> {
    let name = words.iter().rfind(|w| !w.starts_with('-'))?;
    ctx.phone.with(|w| w.packages()).into_iter().find(|p| p.package == *name)
}

fn list(ctx: &mut Ctx, words: &[String]) -> u8 {
    match words.first().map(String::as_str) {
        Some("packages" | "package") => {}
        Some("users") => {
            return ctx.answer("Users:\n\tUserInfo{0:Owner:c13} running");
        }
        Some("features") => {
            return ctx
                .answer("feature:android.hardware.touchscreen\nfeature:android.software.input_methods");
        }
        Some("permissions" | "permission-groups" | "libraries" | "instrumentation") => return 0,
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
    let mut filter = None;
    let mut rest = words[1..].iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-3" | "-s" | "-f" | "-U" | "-d" | "-e" | "-i" | "-l" | "-u" | "-a" | "--show-versioncode" => {}
            "--user" | "--uid" => {
                rest.next();
            }
            other if other.starts_with('-') => {
                return ctx.refuse(255, format!("Error: Unknown option: {other}"));
            }
            other => filter = Some(other.to_owned()),
        }
    }
    let has = |flag: &str| words.iter().any(|w| w == flag);
    for package in ctx.phone.with(|w| w.packages()) {
        let wanted = !has("-d")
            && (!has("-3") || !package.system)
            && (!has("-s") || package.system)
            && filter.as_ref().is_none_or(|f| package.package.contains(f.as_str()));
        if !wanted {
            continue;
        }
        let mut line = if has("-f") {
            format!("package:{}={}", apk(&package), package.package)
        } else {
            format!("package:{}", package.package)
        };
        if has("--show-versioncode") {
            line.push_str(&format!(" versionCode:{}", package.version_code));
        }
        if has("-U") {
            line.push_str(&format!(" uid:{}", package.uid));
        }
        ctx.say(line);
    }
    0
}

fn priority(prefix: &str) -> String {
    format!("{prefix}priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false")
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
    ctx.say(priority(prefix));
    if words.iter().any(|w| w == "--brief") {
        ctx.say(format!("{prefix}{}", component.short()));
        return;
    }
    let label = ctx
        .phone
        .with(|w| w.packages())
        .into_iter()
        .find(|p| p.package == component.package)
        .map(|p| p.label);
    ctx.say(format!(
        "{prefix}ActivityInfo:\n{prefix}  name={}\n{prefix}  packageName={}\n{prefix}  enabled=true exported=true\n{prefix}  ApplicationInfo:\n{prefix}    packageName={}\n{prefix}    nonLocalizedLabel={}",
        component.class,
        component.package,
        component.package,
        label.unwrap_or_default()
    ));
}

/// `monkey -p PKG -c CATEGORY 1`: starts the app, and lets go of the rotation lock while it is at it.
pub(super) fn monkey(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    for word in &words {
        ctx.err.extend(format!("  bash arg: {word}\n").into_bytes());
    }
    let value = |flag: &str| words.iter().position(|w| w == flag).and_then(|at| words.get(at + 1)).cloned();
    let Some(package) = value("-p") else {
        return ctx
            .refuse(255, "** Error: A package is required: this phone does not wander about by itself.");
    };
    let mut intent = Intent::launch(&package);
    if let Some(category) = value("-c") {
        intent.categories = vec![category];
    }
    let known = ctx.phone.with(|w| w.packages()).iter().any(|p| p.package == package && p.launcher.is_some());
    if !known || ctx.phone.with(|w| w.start(&intent)).is_err() {
        ctx.say("** No activities found to run, monkey aborted.");
        return 252;
    }
    ctx.phone.with(|w| w.put_setting(Namespace::System, "accelerometer_rotation", "1"));
    let count = words.last().filter(|w| w.chars().all(|c| c.is_ascii_digit())).cloned().unwrap_or_default();
    ctx.answer(format!(
        "Events injected: {count}\n## Network stats: elapsed time=21ms (0ms mobile, 0ms wifi, 21ms not connected)"
    ))
}

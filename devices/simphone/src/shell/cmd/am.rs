use super::Ctx;
use crate::world::intent::{Component, Intent, StartError, StartKind};
use crate::world::second::SECOND;

/// `FLAG_ACTIVITY_NEW_TASK`, which `am start` always sets.
const NEW_TASK: u32 = 0x1000_0000;
/// `FLAG_RECEIVER_FROM_SHELL`, which `am broadcast` always sets.
const FROM_SHELL: u32 = 0x0040_0000;

#[derive(Default)]
pub(super) struct IntentExtras {
    pub stop_first: bool,
    pub display: Option<String>,
}

/// Reads an intent as `am`, `pm` and `cmd package` write it; the last bare word is component, URI or package.
pub(super) fn read_intent(words: &[String], extras: &mut IntentExtras) -> Result<Intent, String> {
    let mut intent = Intent::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().cloned().ok_or_else(|| format!("Argument expected after \"{word}\""));
        match word.as_str() {
            "-a" => intent.action = Some(value()?),
            "-d" => intent.data = Some(value()?),
            "-t" => intent.mime = Some(value()?),
            "-c" => intent.categories.push(value()?),
            "-p" => intent.package = Some(value()?),
            "-n" => {
                let text = value()?;
                let component = Component::parse(&text).ok_or(format!("Bad component name: {text}"))?;
                intent.component = Some(component);
            }
            "-f" => {
                let text = value()?;
                intent.flags = number(&text).ok_or_else(|| no_number(&text))?;
            }
            "-e" | "--es" | "--eu" | "--ecn" | "--ez" | "--ei" | "--el" => {
                let (key, text) = (value()?, value()?);
                intent.extras.insert(key, text);
            }
            "-S" => extras.stop_first = true,
            "--display" => extras.display = Some(value()?),
            "--user" | "--windowingMode" | "--activityType" | "-R" | "-P" | "--query-flags" => {
                value()?;
            }
            "-D" | "-N" | "-W" | "--brief" | "--components" | "--include-stopped-packages" | "--async" => {}
            flag if flag.starts_with("--") && flag.contains("activity") => intent.flags |= NEW_TASK,
            other if other.starts_with('-') => return Err(format!("Unknown option: {other}")),
            other => bare(&mut intent, other)?,
        }
    }
    Ok(intent)
}

fn bare(intent: &mut Intent, text: &str) -> Result<(), String> {
    if text.contains(':') {
        intent.data = Some(text.to_owned());
        intent.action.get_or_insert_with(|| "android.intent.action.VIEW".to_owned());
    } else if text.contains('/') {
        intent.component = Some(Component::parse(text).ok_or(format!("Bad component name: {text}"))?);
    } else {
        intent.package = Some(text.to_owned());
        intent.action.get_or_insert_with(|| "android.intent.action.MAIN".to_owned());
        if intent.categories.is_empty() {
            intent.categories.push("android.intent.category.LAUNCHER".to_owned());
        }
    }
    Ok(())
}

fn no_number(text: &str) -> String {
    format!("For input string: \"{text}\"")
}

fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The intent as the system prints it: parts that may be private are left out.
fn show(intent: &Intent) -> String {
    let mut parts = Vec::new();
    if let Some(action) = &intent.action {
        parts.push(format!("act={action}"));
    }
    if !intent.categories.is_empty() {
        parts.push(format!("cat=[{}]", intent.categories.join(",")));
    }
    if let Some(data) = &intent.data {
        parts.push(format!("dat={}", safe_uri(data)));
    }
    if let Some(mime) = &intent.mime {
        parts.push(format!("typ={mime}"));
    }
    if intent.flags != 0 {
        parts.push(format!("flg=0x{:x}", intent.flags));
    }
    if let Some(package) = &intent.package {
        parts.push(format!("pkg={package}"));
    }
    if let Some(component) = &intent.component {
        parts.push(format!("cmp={}", component.short()));
    }
    if !intent.extras.is_empty() {
        parts.push("(has extras)".to_owned());
    }
    format!("Intent {{ {} }}", parts.join(" "))
}

fn safe_uri(uri: &str) -> String {
    match uri.split_once("://") {
        Some((scheme, rest)) => match rest.split_once('/') {
            Some((host, path)) if !path.is_empty() => format!("{scheme}://{host}/..."),
            _ => uri.to_owned(),
        },
        // tel:, sms:, mailto: and the like hide all but the scheme.
        None => uri.split_once(':').map_or(uri.to_owned(), |(scheme, _)| format!("{scheme}:xxx")),
    }
}

pub(super) fn am(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let Some((verb, rest)) = words.split_first() else {
        return ctx.reject("Activity manager (activity) commands:\n  help\n      Print this help text.\n  start-activity [-D] [-N] [-W] [-S] <INTENT>\n  broadcast [--user <USER_ID>] <INTENT>\n  force-stop [--user <USER_ID> | all | current] <PACKAGE>");
    };
    match verb.as_str() {
        "start" | "start-activity" => start(ctx, rest),
        "broadcast" => broadcast(ctx, rest),
        "force-stop" | "kill" | "stop-app" => {
            let package = rest.iter().rfind(|w| !w.starts_with('-')).cloned();
            match package {
                // Ending what is not there is no error.
                Some(package) => {
                    // `kill` spares what is in front.
                    let front = ctx.phone.with(|w| w.foreground().package == package);
                    if verb != "kill" || !front {
                        ctx.phone.with(|w| w.force_stop(&package));
                    }
                    0
                }
                None => thrown(ctx, verb, &format!("Argument expected after \"{verb}\"")),
            }
        }
        "kill-all"
        | "set-debug-app"
        | "clear-debug-app"
        | "wait-for-broadcast-idle"
        | "wait-for-idle"
        | "hang" => 0,
        "get-current-user" => ctx.answer("0"),
        other => ctx.reject(format!("Unknown command: {other}")),
    }
}

fn thrown(ctx: &mut Ctx, verb: &str, message: &str) -> u8 {
    ctx.refuse(255, format!(
        "\nException occurred while executing '{verb}':\njava.lang.IllegalArgumentException: {message}\n\tat com.android.server.am.ActivityManagerShellCommand.onCommand(ActivityManagerShellCommand.java:250)\n\tat com.android.modules.utils.BasicShellCommandHandler.exec(BasicShellCommandHandler.java:97)\n\tat android.os.ShellCommand.exec(ShellCommand.java:38)\n\tat com.android.server.am.ActivityManagerService.onShellCommand(ActivityManagerService.java:9612)\n\tat android.os.Binder.shellCommand(Binder.java:1103)"
    ))
}

/// The intent that a verb is given; nothing where it is none, after saying why.
fn given(ctx: &mut Ctx, verb: &str, words: &[String], extras: &mut IntentExtras) -> Option<Intent> {
    let read = read_intent(words, extras);
    match &read {
        Ok(_) => {}
        Err(text) if text.starts_with("Unknown option") => ctx.warn(format!("Error: {text}")),
        Err(text) => {
            thrown(ctx, verb, text);
        }
    }
    read.ok()
}

fn start(ctx: &mut Ctx, words: &[String]) -> u8 {
    let mut extras = IntentExtras::default();
    let Some(mut intent) = given(ctx, "start", words, &mut extras) else { return 255 };
    if intent == Intent::default() {
        return thrown(ctx, "start", "No intent supplied");
    }
    // Printed before the flag is set.
    let shown = show(&intent);
    intent.flags |= NEW_TASK;
    if extras.stop_first {
        let package = ctx.phone.with(|w| w.resolve(&intent)).map(|c| c.package);
        if let Some(package) = package {
            ctx.say(format!("Stopping: {package}"));
            ctx.phone.with(|w| w.force_stop(&package));
        }
    }
    ctx.say(format!("Starting: {shown}"));
    if extras.display == Some(SECOND.to_string()) && ctx.phone.with(|w| w.second().is_some()) {
        return start_on_second(ctx, &intent);
    }
    let started = match ctx.phone.with(|w| w.start(&intent)) {
        Ok(started) => started,
        Err(StartError::NoSuchActivity(component)) => {
            ctx.warn("Error type 3");
            return ctx.refuse(1, format!("Error: Activity class {{{component}}} does not exist."));
        }
        Err(StartError::Unresolved) => {
            return ctx
                .refuse(1, format!("Error: Activity not started, unable to resolve {}", show(&intent)));
        }
    };
    match started.how {
        StartKind::New => {}
        StartKind::BroughtToFront => {
            ctx.warn("Warning: Activity not started, its current task has been brought to the front");
        }
        StartKind::DeliveredToTop => ctx.warn(
            "Warning: Activity not started, intent has been delivered to currently running top-most instance.",
        ),
    }
    0
}

/// Shows an app on the second display, where only its name is ever seen.
fn start_on_second(ctx: &mut Ctx, intent: &Intent) -> u8 {
    match ctx.phone.with(|w| w.resolve(intent)) {
        Some(component) => ctx.done(|w| w.show_on_second(Some(component))),
        None => ctx.refuse(1, format!("Error: Activity not started, unable to resolve {}", show(intent))),
    }
}

fn broadcast(ctx: &mut Ctx, words: &[String]) -> u8 {
    let Some(mut intent) = given(ctx, "broadcast", words, &mut IntentExtras::default()) else { return 255 };
    intent.flags |= FROM_SHELL;
    ctx.say(format!("Broadcasting: {}", show(&intent)));
    ctx.phone.with(|w| w.broadcast(&intent));
    ctx.answer("Broadcast completed: result=0")
}

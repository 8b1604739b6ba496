//! Commands about the system: time, identity, properties, processes.

use super::Ctx;
use crate::clock::Civil;
use std::time::Duration;

pub(super) fn date(ctx: &mut Ctx) -> u8 {
    let now = ctx.phone.with(|w| w.wall());
    let words: Vec<String> = ctx.words().into_iter().filter(|w| w != "-u").collect();
    match words.first() {
        None => ctx.answer(Civil::of(now).written("%a %b %e %T UTC %Y")),
        Some(format) if format == "+%s" => ctx.answer(now.to_string()),
        // Setting the clock is not the shell user's to do.
        Some(_) => ctx.fail("cannot set date: Operation not permitted"),
    }
}

pub(super) fn id(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let line = if ctx.args[0] == "whoami" || words.first().is_some_and(|w| w == "-un") {
        "shell"
    } else if words.first().is_some_and(|w| w == "-u" || w == "-g") {
        "2000"
    } else {
        "uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw),1028(sdcard_r),1078(ext_data_rw),1079(ext_obb_rw),3001(net_bt_admin),3002(net_bt),3003(inet),3006(net_bw_stats),3009(readproc),3011(uhid),3012(readtracefs) context=u:r:shell:s0"
    };
    ctx.answer(line)
}

pub(super) async fn sleep(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let Some(word) = words.first() else { return ctx.fail("Needs 1 argument (see \"sleep --help\")") };
    let (number, unit) = match word.char_indices().find(|(_, c)| c.is_ascii_alphabetic()) {
        Some((at, unit)) => (&word[..at], unit),
        None => (word.as_str(), 's'),
    };
    let factor = match unit {
        'm' => 60.0,
        'h' => 3600.0,
        'd' => 86_400.0,
        _ => 1.0,
    };
    let Ok(seconds) = number.parse::<f64>() else { return ctx.fail(format!("Not an integer '{word}'")) };
    let time = Duration::try_from_secs_f64(seconds * factor).unwrap_or(Duration::from_secs(86_400));
    if ctx.wait(time).await { 143 } else { 0 }
}

const PROGRAMS: &str = "am cat cmd content cut date dumpsys false getevent getprop grep gzip head id ime input kill ls \
     mkdir mv pidof pm reboot rm screencap sendevent setprop settings sh simctl sleep true uiautomator wc which \
     whoami wm";

pub(super) fn which(ctx: &mut Ctx) -> u8 {
    let mut code = 0;
    let uinput = ctx.phone.options.sdk >= super::evdev::UINPUT_SDK;
    for name in ctx.words() {
        let there = PROGRAMS.split_ascii_whitespace().any(|p| p == name) || (uinput && name == "uinput");
        if there {
            ctx.say(format!("/system/bin/{name}"));
        } else {
            code = 1;
        }
    }
    code
}

pub(super) fn getprop(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    match words.first() {
        Some(name) => {
            let value = ctx.phone.with(|w| w.props.get(name).map(ToString::to_string));
            let default = words.get(1).cloned().unwrap_or_default();
            ctx.say(value.filter(|v| !v.is_empty()).unwrap_or(default));
        }
        None => {
            let all: Vec<(String, String)> =
                ctx.phone.with(|w| w.props.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect());
            for (name, value) in all {
                ctx.say(format!("[{name}]: [{value}]"));
            }
        }
    }
    0
}

pub(super) fn setprop(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let [name, value] = words.as_slice() else {
        return ctx.fail("Needs 2 arguments (see \"setprop --help\")");
    };
    // What belongs to the system's builders is not the shell user's to change.
    if name.starts_with("ro.") {
        return ctx.fail(format!("failed to set property '{name}' to '{value}'"));
    }
    ctx.done(|w| w.props.set(name, value))
}

/// The process numbers of running packages, which are made of their uids, so that they stay the same.
pub(super) fn pidof(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let found: Vec<u32> = ctx.phone.with(|w| {
        let tasks = w.stack();
        let runs = |name: &str| name == "com.android.systemui" || tasks.iter().any(|t| t.package == name);
        let asked = |name: &str| words.iter().any(|word| word == name);
        w.packages().iter().filter(|p| asked(&p.package) && runs(&p.package)).map(|p| p.uid - 8000).collect()
    });
    for number in &found {
        ctx.say(number.to_string());
    }
    u8::from(found.is_empty())
}

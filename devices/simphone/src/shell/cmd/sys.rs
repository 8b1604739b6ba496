//! Commands about the system: time, identity, properties, processes.

use super::Ctx;
use crate::clock::Civil;
use crate::world::settings::Namespace;
use std::time::Duration;

pub(super) fn date(ctx: &mut Ctx) -> u8 {
    let now = ctx.phone.with(|w| w.wall());
    let words: Vec<String> = ctx.words().into_iter().filter(|w| w != "-u").collect();
    let c = Civil::of(now);
    match words.first() {
        None => {
            let (day, month): (String, String) =
                (c.weekday_name().chars().take(3).collect(), c.month_name().chars().take(3).collect());
            ctx.answer(format!(
                "{day} {month} {:>2} {:02}:{:02}:{:02} UTC {}",
                c.day, c.hour, c.minute, c.second, c.year
            ))
        }
        Some(format) if format.starts_with('+') => {
            let text = strftime(&format[1..], c, now, ctx.phone.uptime_ms());
            ctx.answer(text)
        }
        // Setting the clock is not the shell user's to do.
        Some(_) => ctx.fail("cannot set date: Operation not permitted"),
    }
}

fn strftime(format: &str, c: Civil, now: i64, uptime: u64) -> String {
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(sign) = chars.next() {
        if sign != '%' {
            out.push(sign);
            continue;
        }
        match chars.next() {
            Some('s') => out.push_str(&now.to_string()),
            Some('N') => out.push_str(&format!("{:09}", uptime % 1000 * 1_000_000)),
            Some('Y') => out.push_str(&c.year.to_string()),
            Some('m') => out.push_str(&format!("{:02}", c.month)),
            Some('d') => out.push_str(&format!("{:02}", c.day)),
            Some('e') => out.push_str(&format!("{:>2}", c.day)),
            Some('H') => out.push_str(&format!("{:02}", c.hour)),
            Some('M') => out.push_str(&format!("{:02}", c.minute)),
            Some('S') => out.push_str(&format!("{:02}", c.second)),
            Some('F') => out.push_str(&c.iso_date()),
            Some('T') => out.push_str(&format!("{:02}:{:02}:{:02}", c.hour, c.minute, c.second)),
            Some('A') => out.push_str(c.weekday_name()),
            Some('a') => out.extend(c.weekday_name().chars().take(3)),
            Some('B') => out.push_str(c.month_name()),
            Some('b') => out.extend(c.month_name().chars().take(3)),
            Some('Z') => out.push_str("UTC"),
            Some('z') => out.push_str("+0000"),
            Some('%') => out.push('%'),
            Some(other) => out.extend(['%', other]),
            None => out.push('%'),
        }
    }
    out
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

const BUILT_IN: [&str; 12] =
    ["cd", "echo", "exit", "export", "printf", "pwd", "read", "set", "test", "true", "type", "unset"];

const PROGRAMS: &str = "am cat clear cmd content cut date dumpsys env false getevent getprop grep gzip head id \
     ifconfig ime input ip kill log logcat ls md5sum mkdir monkey mv pidof pm ps reboot rm screencap sendevent seq \
     setprop settings sh simctl sleep stat svc tail tee timeout uiautomator wc which whoami wm xargs";

pub(super) fn which(ctx: &mut Ctx) -> u8 {
    let mut code = 0;
    let uinput = ctx.phone.options().sdk >= super::evdev::UINPUT_SDK;
    for name in ctx.words() {
        let there = PROGRAMS.split_ascii_whitespace().any(|p| p == name) || (uinput && name == "uinput");
        if there {
            ctx.say(format!("/system/bin/{name}"));
        } else if ctx.args[0] == "type" && BUILT_IN.contains(&name.as_str()) {
            ctx.say(format!("{name} is a shell builtin"));
        } else {
            code = 1;
        }
    }
    code
}

pub(super) fn env(ctx: &mut Ctx) -> u8 {
    for (name, value) in ctx.vars.clone() {
        ctx.say(format!("{name}={value}"));
    }
    0
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

/// Process numbers are made of the packages' uids, so that they stay the same.
pub(super) fn ps(ctx: &mut Ctx) -> u8 {
    let running: Vec<(String, u32)> = ctx.phone.with(|w| {
        let tasks: Vec<String> = w.stack().iter().map(|t| t.package.clone()).collect();
        w.packages()
            .into_iter()
            .filter(|p| tasks.contains(&p.package) || p.package == "com.android.systemui")
            .map(|p| (p.package, p.uid))
            .collect()
    });
    if ctx.args[0] != "ps" {
        let words = ctx.words();
        let mut code = 1;
        for (package, uid) in running {
            if words.iter().any(|w| package == *w || (ctx.args[0] == "pgrep" && package.contains(w.as_str())))
            {
                ctx.say((uid - 8000).to_string());
                code = 0;
            }
        }
        return code;
    }
    ctx.say("USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME");
    for (package, uid) in running {
        let user = if uid >= 10_000 { format!("u0_a{}", uid - 10_000) } else { "system".to_owned() };
        ctx.say(format!(
            "{user:<12} {:>5}   310 5000000 120000 0                   0 S {package}",
            uid.saturating_sub(8000)
        ));
    }
    0
}

/// `svc wifi enable|disable`.
pub(super) fn svc(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["wifi", how @ ("enable" | "disable")] => ctx
            .done(|w| w.put_setting(Namespace::Global, "wifi_on", if *how == "enable" { "1" } else { "0" })),
        _ => ctx.refuse(
            1,
            "Available commands:
    help     Show information about the subcommands
    wifi     Control the Wi-Fi manager",
        ),
    }
}

//! `ip` and `ifconfig`: the address that the settings show too.

use super::Ctx;
use crate::world::props::ADDRESS;
use crate::world::settings::Namespace;

const HARDWARE: &str = "02:15:b2:00:00:00";

fn online(ctx: &Ctx) -> bool {
    ctx.phone.with(|w| w.settings().on(Namespace::Global, "wifi_on"))
}

/// `ip addr [show [dev] NAME]`, `ip route`.
pub(super) fn ip(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|w| !w.starts_with('-')).collect();
    let online = online(ctx);
    match words.as_slice() {
        ["a" | "addr" | "address", rest @ ..] => {
            let only = rest.iter().copied().find(|w| !matches!(*w, "show" | "list" | "dev"));
            if let Some(name) = only.filter(|name| !matches!(*name, "lo" | "wlan0")) {
                return ctx.refuse(1, format!("Device \"{name}\" does not exist."));
            }
            if only != Some("wlan0") {
                ctx.say("1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000");
                ctx.say("    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00");
                ctx.say("    inet 127.0.0.1/8 scope host lo");
            }
            if only != Some("lo") {
                let state = if online { "UP" } else { "DOWN" };
                ctx.say(format!("2: wlan0: <BROADCAST,MULTICAST,{state}> mtu 1500 qdisc mq state {state} group default qlen 3000"));
                ctx.say(format!("    link/ether {HARDWARE} brd ff:ff:ff:ff:ff:ff"));
                if online {
                    ctx.say(format!("    inet {ADDRESS}/24 brd 192.168.1.255 scope global wlan0"));
                }
            }
            0
        }
        ["r" | "route", ..] => {
            if online {
                ctx.say(format!("192.168.1.0/24 dev wlan0 proto kernel scope link src {ADDRESS}"));
            }
            0
        }
        [] => ctx.refuse(255, "Usage: ip [ OPTIONS ] OBJECT { COMMAND | help }"),
        [other, ..] => ctx.refuse(255, format!("Object \"{other}\" is unknown, try \"ip help\".")),
    }
}

/// `ifconfig [NAME]`.
pub(super) fn ifconfig(ctx: &mut Ctx) -> u8 {
    let only = ctx.words().first().cloned();
    if let Some(name) = only.as_deref().filter(|name| !matches!(*name, "lo" | "wlan0")) {
        return ctx.fail(format!("{name}: No such device"));
    }
    if only.as_deref() != Some("lo") {
        ctx.say(format!("wlan0     Link encap:Ethernet  HWaddr {HARDWARE}"));
        if online(ctx) {
            ctx.say(format!("          inet addr:{ADDRESS}  Bcast:192.168.1.255  Mask:255.255.255.0"));
        }
        ctx.say("          BROADCAST MULTICAST  MTU:1500  Metric:1\n");
    }
    if only.as_deref() != Some("wlan0") {
        ctx.say("lo        Link encap:Local Loopback");
        ctx.say("          inet addr:127.0.0.1  Mask:255.0.0.0");
        ctx.say("          UP LOOPBACK RUNNING  MTU:65536  Metric:1\n");
    }
    0
}

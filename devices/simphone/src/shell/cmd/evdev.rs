//! `getevent`, `sendevent` and `uinput`: the input devices below the system.
//!
//! Who may do what is a phone's of its version, not rooted: since Android 10 the shell may look at the devices but
//! not write to them, and since Android 12 there is `uinput`, which makes devices of its own.

use super::Ctx;
use crate::world::evdev::{self, Abilities, EvdevAxis, InputDevice};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// First system version whose security policy closes `/dev/input` to the shell for writing.
const CLOSED_SDK: u32 = 29;
/// First system version with `uinput`.
pub(super) const UINPUT_SDK: u32 = 31;
/// Names of events by kind and code.
const LABELS: [(u16, u16, &str); 10] = [
    (evdev::EV_KEY, 114, "KEY_VOLUMEDOWN"),
    (evdev::EV_KEY, 115, "KEY_VOLUMEUP"),
    (evdev::EV_KEY, 116, "KEY_POWER"),
    (evdev::EV_KEY, evdev::BTN_TOUCH, "BTN_TOUCH"),
    (evdev::EV_ABS, evdev::SLOT, "ABS_MT_SLOT"),
    (evdev::EV_ABS, evdev::MAJOR, "ABS_MT_TOUCH_MAJOR"),
    (evdev::EV_ABS, evdev::X, "ABS_MT_POSITION_X"),
    (evdev::EV_ABS, evdev::Y, "ABS_MT_POSITION_Y"),
    (evdev::EV_ABS, evdev::TRACKING_ID, "ABS_MT_TRACKING_ID"),
    (evdev::EV_ABS, evdev::PRESSURE, "ABS_MT_PRESSURE"),
];

fn node(number: u32) -> String {
    format!("/dev/input/event{number}")
}

/// Lists what each device can say, with `-l` by name. It never waits for events: nobody touches any.
pub(super) fn getevent(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let has = |c: char| words.iter().any(|w| w.starts_with('-') && w.contains(c));
    let only = words.iter().find(|w| w.starts_with('/')).cloned();
    let devices: Vec<(u32, InputDevice)> =
        ctx.phone.with(|w| w.inputs.iter().map(|(n, d)| (n, d.clone())).collect());
    // The last one is found first.
    for (number, device) in devices.into_iter().rev() {
        let path = node(number);
        if only.as_ref().is_some_and(|only| *only != path) {
            continue;
        }
        ctx.say(format!("add device {}: {path}", number + 1));
        ctx.say(format!("  name:     \"{}\"", device.can.name));
        abilities(ctx, &device.can, has('l'));
    }
    0
}

fn abilities(ctx: &mut Ctx, can: &Abilities, by_name: bool) {
    let label = |kind: u16, code: u16| {
        let known = LABELS.iter().find(|(k, c, _)| by_name && (*k, *c) == (kind, code));
        known.map_or_else(|| format!("{code:04x}"), |(.., name)| (*name).to_owned())
    };
    ctx.say("  events:");
    if !can.keys.is_empty() {
        let keys: Vec<String> =
            can.keys.iter().map(|code| format!("{:<20}", label(evdev::EV_KEY, *code))).collect();
        ctx.say(format!("    KEY (0001): {}", keys.join("  ").trim_end()));
    }
    for (at, (code, axis)) in can.axes.iter().enumerate() {
        let head = if at == 0 { "    ABS (0003): " } else { "                " };
        let (name, min, max) = (label(evdev::EV_ABS, *code), axis.min, axis.max);
        ctx.say(format!("{head}{name:<22}: value 0, min {min}, max {max}, fuzz 0, flat 0, resolution 0"));
    }
    ctx.say("  input props:");
    ctx.say(if can.properties.contains(&evdev::DIRECT) { "    INPUT_PROP_DIRECT" } else { "    <none>" });
}

/// A number as C's `atoi` reads it: what is none is 0, and the upper half of 32 bits is negative.
fn atoi(text: &str) -> i32 {
    let text = text.trim_start();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let size: i64 = digits[..end].parse().unwrap_or(0);
    let value = if text.starts_with('-') { -size } else { size };
    // It is cut as C cuts it.
    value as i32
}

pub(super) fn sendevent(ctx: &mut Ctx) -> u8 {
    let mut words = ctx.words();
    // A negative number looks like an option unless `--` came before.
    if let Some(at) = words.iter().position(|w| w == "--") {
        words.remove(at);
    } else if let Some(letter) = words.iter().find_map(|w| w.strip_prefix('-')) {
        let letter = letter.chars().next().unwrap_or('-');
        return ctx.fail(format!("Unknown option '{letter}' (see \"sendevent --help\")"));
    }
    let [path, kind, code, value] = words.as_slice() else {
        return ctx.fail("Needs 4 arguments (see \"sendevent --help\")");
    };
    let number = path.strip_prefix("/dev/input/event").and_then(|n| n.parse().ok());
    let closed = ctx.phone.options.sdk >= CLOSED_SDK;
    let (kind, code, value) = (atoi(kind), atoi(code), atoi(value));
    let short = |n: i32| u16::try_from(n & 0xffff).unwrap_or(0);
    let sent = ctx.phone.with(|w| match number.filter(|n| w.inputs.has(*n)) {
        None => Err("No such file or directory"),
        Some(_) if closed => Err("Permission denied"),
        Some(number) => {
            w.input_event(number, short(kind), short(code), value, w.now_ms);
            Ok(())
        }
    });
    match sent {
        Ok(()) => 0,
        Err(why) => ctx.fail(format!("{path}: {why}")),
    }
}

#[derive(Deserialize)]
#[serde(tag = "command", rename_all = "lowercase")]
enum UinputCommand {
    Register {
        id: i64,
        #[serde(default)]
        name: String,
        configuration: Vec<Configured>,
        #[serde(default)]
        abs_info: Vec<AxisInfo>,
    },
    Delay {
        id: i64,
        duration: u64,
    },
    Inject {
        id: i64,
        events: Vec<i32>,
    },
}

/// An `UI_SET_…` call of the kernel and what it is called with.
#[derive(Deserialize)]
struct Configured {
    #[serde(rename = "type")]
    kind: u16,
    data: Vec<u16>,
}

#[derive(Deserialize)]
struct AxisInfo {
    code: u16,
    info: Info,
}

#[derive(Deserialize)]
struct Info {
    #[serde(default)]
    minimum: i32,
    maximum: i32,
}

/// The device that a registration asks for: an axis counts where its bit is set and its range is told.
fn requested_abilities(name: String, configuration: &[Configured], axes: &[AxisInfo]) -> Abilities {
    let set = |kind: u16| -> Vec<u16> {
        configuration.iter().filter(|c| c.kind == kind).flat_map(|c| c.data.iter().copied()).collect()
    };
    let (kinds, bits) = (set(100), set(103));
    let keys = if kinds.contains(&evdev::EV_KEY) { set(101) } else { Vec::new() };
    let told = axes.iter().filter(|axis| kinds.contains(&evdev::EV_ABS) && bits.contains(&axis.code));
    Abilities {
        name,
        keys: keys.into_iter().collect(),
        axes: told.map(|a| (a.code, EvdevAxis { min: a.info.minimum, max: a.info.maximum })).collect(),
        properties: set(110).into_iter().collect(),
    }
}

/// `uinput -`: makes devices and has them say things, until its input ends. It tells nothing of what goes wrong but by
/// its status: the rest goes to the log.
pub(super) async fn uinput(ctx: &mut Ctx) -> Option<u8> {
    if ctx.phone.options.sdk < UINPUT_SDK {
        return None;
    }
    let bytes = match ctx.words().as_slice() {
        [file] => ctx.read(&file.clone()).await.ok(),
        _ => None,
    };
    let Some(bytes) = bytes else { return Some(1) };
    // The open file is refused as the device is made: the process dies of it.
    if ctx.phone.with(|w| w.take_fault(|f| f.name() == "uinput-denied")).is_some() {
        return Some(137);
    }
    let mut devices: BTreeMap<i64, u32> = BTreeMap::new();
    let mut status = 0;
    for said in serde_json::Deserializer::from_slice(&bytes).into_iter::<Value>() {
        let Some(said) = said.ok().and_then(|said| serde_json::from_value::<UinputCommand>(said).ok()) else {
            status = 1;
            break;
        };
        match said {
            UinputCommand::Register { id, name, configuration, abs_info } => {
                let can = requested_abilities(name, &configuration, &abs_info);
                let number = ctx.phone.with(|w| w.add_input(can));
                devices.entry(id).or_insert(number);
            }
            UinputCommand::Delay { id, duration } if devices.contains_key(&id) => {
                if ctx.wait(Duration::from_millis(duration)).await {
                    break;
                }
            }
            UinputCommand::Inject { id, events } => {
                let Some(number) = devices.get(&id).copied() else { continue };
                ctx.phone.with(|w| {
                    for event in events.chunks_exact(3) {
                        let short = |n: i32| u16::try_from(n & 0xffff).unwrap_or(0);
                        w.input_event(number, short(event[0]), short(event[1]), event[2], w.now_ms);
                    }
                });
            }
            // What is said of a device that was never made is not heard.
            UinputCommand::Delay { .. } => {}
        }
    }
    ctx.phone.with(|w| devices.into_values().for_each(|number| w.remove_input(number)));
    Some(status)
}

#[cfg(test)]
mod tests {
    use super::atoi;

    #[test]
    fn numbers_are_read_as_c_reads_them() {
        assert_eq!((atoi("57"), atoi("-1"), atoi("4294967295"), atoi("0x39"), atoi("x")), (57, -1, -1, 0, 0));
    }
}

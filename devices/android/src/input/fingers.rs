//! Two fingers: what they do on the screen, and the events of a touch panel that say so.
//!
//! `input` has one finger only, so a pinch goes below it, as multi-touch protocol B: by `uinput`, which makes a
//! touch screen of its own (Android 12 and later), or by `sendevent` to the phone's own panel, which takes events
//! from the shell up to Android 9 and from root. Both speak of the screen as it is held upright, whichever way it is
//! turned.

use std::time::Duration;

use serde_json::json;

use waldo_devices::geometry::{Native, Point, ScaledPicture};

const STEPS: u32 = 12;
const PAUSE: Duration = Duration::from_millis(16);
/// How long Android takes to make use of a new device; what it says before is lost.
const TAKEN_UP: Duration = Duration::from_millis(800);
/// Android takes two fingers for a pinch from 27 mm on: so many logical pixels, and some to spare.
const LEAST: f64 = 190.0;
/// The share of the screen's edges where a finger would begin a gesture of the system.
const EDGE: f64 = 0.08;
/// The first version whose `sendevent` takes a negative number for an option, unless `--` comes before.
const TOYBOX_SDK: u32 = 24;

/// One pinch: the two fingers at each moment, on the screen as it is turned.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pinch(pub(crate) Vec<[Point<Native>; 2]>);

/// The pinches that change two fingers' distance around a point to `percent`: several where one lacks the room.
pub(crate) fn pinches(
    at: Point<Native>,
    percent: u32,
    screen: &ScaledPicture,
) -> Result<Vec<Pinch>, &'static str> {
    if !(10..=1_000).contains(&percent) || percent == 100 {
        return Err("give percent from 10 to 1000; above 100 zooms in");
    }
    let room = |middle: f64, length: f64| {
        let (low, high) = (length * EDGE, length * (1.0 - EDGE));
        (middle - low).min(high - middle).max(0.0) * 2.0
    };
    let (size, scale) = (screen.native_size(), screen.native_scale());
    let (across, down) = (room(at.x, size.w), room(at.y, size.h));
    let far = across.max(down);
    let near = (LEAST * scale).min(far / 2.0);
    if near < 40.0 * scale {
        return Err("there is no room for two fingers so near the edge: give a point nearer the middle");
    }
    let factor = f64::from(percent) / 100.0;
    let most = far / near;
    let count = (factor.ln().abs() / most.ln()).ceil().clamp(1.0, 8.0);
    let part = factor.powf(1.0 / count);
    // The greater distance is the one that there is room for.
    let (first, last) = if part > 1.0 { (near, near * part) } else { (near / part, near) };
    let pair = |span: f64| {
        let half = span / 2.0;
        match down >= across {
            true => [Point::new(at.x, at.y - half), Point::new(at.x, at.y + half)],
            false => [Point::new(at.x - half, at.y), Point::new(at.x + half, at.y)],
        }
    };
    let moments = (0..=STEPS).map(|step| pair(first + (last - first) * f64::from(step) / f64::from(STEPS)));
    let one = Pinch(moments.collect());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is 1 to 8")]
    let count = count as usize;
    Ok(vec![one; count])
}

/// How a screen is held: its size upright, and by how many quarters it is turned to the left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Held {
    pub(crate) upright: (u32, u32),
    pub(crate) quarter: u8,
}

impl Held {
    /// A point of the screen as it is turned, as shares of its width and height upright.
    fn share(self, at: Point<Native>) -> (f64, f64) {
        let (w, h) = (f64::from(self.upright.0), f64::from(self.upright.1));
        let (x, y) = match self.quarter % 4 {
            0 => (at.x, at.y),
            1 => (w - at.y, at.x),
            2 => (w - at.x, h - at.y),
            _ => (at.y, h - at.x),
        };
        ((x / w).clamp(0.0, 1.0), (y / h).clamp(0.0, 1.0))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PanelAxis {
    min: i32,
    max: i32,
}

impl PanelAxis {
    #[expect(clippy::cast_possible_truncation, reason = "it lies within 32 bits")]
    fn at(self, share: f64) -> i32 {
        let span = f64::from(self.max) - f64::from(self.min) + 1.0;
        ((f64::from(self.min) + share * span).floor() as i32).clamp(self.min, self.max)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Panel {
    pub(crate) node: String,
    x: PanelAxis,
    y: PanelAxis,
    /// Where it tells pressure, a finger without any does not touch.
    pressure: Option<PanelAxis>,
    major: Option<PanelAxis>,
    /// Whether it says apart that it is touched.
    button: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fingers {
    /// On a touch screen of our own, made for as long as they act.
    Made,
    Panel(Panel),
}

impl Panel {
    /// The first one that `getevent -pl` lists.
    pub(crate) fn first(listed: &str) -> Option<Self> {
        listed.split("add device ").skip(1).find_map(Self::parse)
    }

    fn parse(part: &str) -> Option<Self> {
        let node = part.lines().next()?.split_once(": ")?.1.trim().to_owned();
        let axis = |name: &str| {
            let line = part.lines().find(|line| line.split_whitespace().any(|word| word == name))?;
            let value = |key: &str| -> Option<i32> {
                let rest = line.split(key).nth(1)?;
                rest.split(|c: char| c == ',' || c.is_whitespace()).find(|w| !w.is_empty())?.parse().ok()
            };
            Some(PanelAxis { min: value(" min ")?, max: value(" max ")? })
        };
        // Other makes of panels than these touch the screen where they are not seen.
        let direct = part.contains("INPUT_PROP_DIRECT");
        let slots = axis("ABS_MT_SLOT")?.max >= 1;
        let named = node.starts_with("/dev/input/") && !node.contains(char::is_whitespace);
        (direct && slots && named).then_some(Self {
            x: axis("ABS_MT_POSITION_X")?,
            y: axis("ABS_MT_POSITION_Y")?,
            pressure: axis("ABS_MT_PRESSURE"),
            major: axis("ABS_MT_TOUCH_MAJOR"),
            button: part.split_whitespace().any(|word| word == "BTN_TOUCH"),
            node,
        })
    }

    /// The panel that [`uinput`] makes: as fine as the screen upright.
    fn made((width, height): (u32, u32)) -> Self {
        let axis = |pixels: u32| PanelAxis { min: 0, max: i32::try_from(pixels).unwrap_or(i32::MAX) - 1 };
        Self {
            node: String::new(),
            x: axis(width),
            y: axis(height),
            pressure: None,
            major: None,
            button: true,
        }
    }

    /// A pinch as events of type, code and value, a report at a time.
    fn reports(&self, pinch: &Pinch, held: Held) -> Vec<Vec<[i32; 3]>> {
        const REPORT: [i32; 3] = [0, 0, 0];
        let abs = |code: i32, value: i32| [3, code, value];
        let slot = |n: usize| abs(47, i32::try_from(n).unwrap_or(0));
        let mut reports = Vec::new();
        for (moment, fingers) in pinch.0.iter().enumerate() {
            let mut report = Vec::new();
            for (n, at) in fingers.iter().enumerate() {
                let (x, y) = held.share(*at);
                report.push(slot(n));
                if moment == 0 {
                    // Any two ids that differ will do.
                    report.push(abs(57, 4_001 + i32::try_from(n).unwrap_or(0)));
                }
                report.extend([abs(53, self.x.at(x)), abs(54, self.y.at(y))]);
                if moment == 0 {
                    report.extend(self.pressure.map(|axis| abs(58, axis.at(0.4).max(1))));
                    report.extend(self.major.map(|axis| abs(48, axis.at(0.05).max(1))));
                }
            }
            if moment == 0 && self.button {
                report.push([1, 330, 1]);
            }
            report.push(REPORT);
            reports.push(report);
        }
        let mut lifted = vec![slot(0), abs(57, -1), slot(1), abs(57, -1)];
        if self.button {
            lifted.push([1, 330, 0]);
        }
        lifted.push(REPORT);
        reports.push(lifted);
        reports
    }
}

/// A shell command that makes a touch screen, pinches on it and removes it; and the time that takes.
pub(crate) fn uinput(pinches: &[Pinch], held: Held) -> (String, Duration) {
    let panel = Panel::made(held.upright);
    let info = |code: u16, max: i32| json!({ "code": code, "info": { "value": 0, "minimum": 0, "maximum": max, "fuzz": 0, "flat": 0, "resolution": 0 } });
    // Numbers throughout: names of events came later than the command. 100 and on are the kernel's UI_SET_ calls
    // for kinds, keys, axes and properties.
    let mut said = vec![json!({
        "id": 1, "command": "register", "name": "waldo fingers", "vid": 6353, "pid": 1, "bus": "usb",
        "configuration": [
            { "type": 100, "data": [1, 3] }, { "type": 101, "data": [330] },
            { "type": 103, "data": [47, 53, 54, 57] }, { "type": 110, "data": [1] },
        ],
        "abs_info": [info(47, 9), info(53, panel.x.max), info(54, panel.y.max), info(57, 65_535)],
    })];
    let mut takes = TAKEN_UP;
    let wait = |time: Duration| json!({ "id": 1, "command": "delay", "duration": u64::try_from(time.as_millis()).unwrap_or(0) });
    said.push(wait(TAKEN_UP));
    for report in pinches.iter().flat_map(|pinch| panel.reports(pinch, held)) {
        said.push(json!({ "id": 1, "command": "inject", "events": report.concat() }));
        said.push(wait(PAUSE));
        takes += PAUSE;
    }
    let said: Vec<String> = said.iter().map(ToString::to_string).collect();
    (format!("echo {} | uinput -", super::quote(&said.join(" "))), takes)
}

/// A shell command that pinches on the phone's own panel. It begins with an empty report, which changes nothing, to
/// see whether the panel takes any.
pub(crate) fn sendevent(pinches: &[Pinch], held: Held, panel: &Panel, sdk: u32) -> String {
    let ends = if sdk >= TOYBOX_SDK { " --" } else { "" };
    let events = pinches.iter().flat_map(|pinch| panel.reports(pinch, held)).flatten();
    let calls = events.map(|[kind, code, value]| format!("sendevent{ends} $d {kind} {code} {value}"));
    let calls: Vec<String> = calls.collect();
    format!("d={}; sendevent $d 0 0 0 && {{ {}; }}", super::quote(&panel.node), calls.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "add device 1: /dev/input/event3\n  name:     \"gpio-keys\"\n  events:\n    KEY (0001): KEY_VOLUMEUP\n  input props:\n    <none>\n\
        add device 2: /dev/input/event2\n  name:     \"pad\"\n  events:\n    ABS (0003): ABS_MT_SLOT           : value 0, min 0, max 4, fuzz 0, flat 0, resolution 0\n                ABS_MT_POSITION_X     : value 0, min 0, max 99, fuzz 0, flat 0, resolution 0\n                ABS_MT_POSITION_Y     : value 0, min 0, max 99, fuzz 0, flat 0, resolution 0\n  input props:\n    INPUT_PROP_POINTER\n\
        add device 3: /dev/input/event1\n  name:     \"some_ts\"\n  events:\n    KEY (0001): KEY_WAKEUP            BTN_TOUCH\n    ABS (0003): ABS_MT_SLOT           : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0\n                ABS_MT_POSITION_X     : value 0, min 0, max 1079, fuzz 0, flat 0, resolution 0\n                ABS_MT_POSITION_Y     : value 0, min -5, max 4794, fuzz 0, flat 0, resolution 0\n                ABS_MT_PRESSURE       : value 0, min 0, max 255, fuzz 0, flat 0, resolution 0\n  input props:\n    INPUT_PROP_DIRECT\n";

    fn p(x: f64, y: f64) -> Point<Native> {
        Point::new(x, y)
    }

    #[test]
    fn the_touch_screen_is_found_and_lies_on_its_panel_when_turned() {
        let panel = Panel::first(LISTED).unwrap();
        assert_eq!((panel.node.as_str(), panel.button), ("/dev/input/event1", true));
        assert_eq!((panel.x, panel.y), (PanelAxis { min: 0, max: 1079 }, PanelAxis { min: -5, max: 4794 }));
        assert_eq!((panel.pressure, panel.major), (Some(PanelAxis { min: 0, max: 255 }), None));
        assert_eq!(Panel::first("could not open /dev/input/event1, Permission denied"), None);
        assert_eq!(Panel::first(&LISTED.replace("/dev/input/event1", "/dev/input/a b; c")), None);
        let held = |quarter| Held { upright: (1000, 2000), quarter };
        assert_eq!(held(0).share(p(100.0, 500.0)), (0.1, 0.25));
        // The upper left corner of a screen turned left is the upper right one of the panel.
        assert_eq!(held(1).share(p(0.0, 0.0)), (1.0, 0.0));
        assert_eq!(held(1).share(p(2000.0, 0.0)), (1.0, 1.0));
        assert_eq!(held(2).share(p(0.0, 0.0)), (1.0, 1.0));
        assert_eq!(held(3).share(p(0.0, 0.0)), (0.0, 1.0));
    }

    #[test]
    fn fingers_have_the_room_that_a_pinch_needs() {
        let screen = ScaledPicture::new((1080, 2400), (1080, 2400), 2.625);
        let spans = |percent: u32, at| -> Vec<(f64, f64)> {
            let span = |pair: &[Point<Native>; 2]| (pair[1].x - pair[0].x).hypot(pair[1].y - pair[0].y);
            let all = pinches(at, percent, &screen).unwrap();
            all.iter().map(|Pinch(m)| (span(&m[0]), span(&m[m.len() - 1]))).collect()
        };
        let near = LEAST * 2.625;
        for (percent, factor) in [(200, 2.0), (50, 0.5), (900, 9.0), (10, 0.1)] {
            let spans = spans(percent, p(540.0, 1200.0));
            let reached: f64 = spans.iter().map(|(first, last)| last / first).product();
            assert!((reached / factor - 1.0).abs() < 1e-6, "{percent} {spans:?}");
            let within = |span: f64| span >= near - 1.0 && span <= 2400.0 * 0.84 + 1.0;
            assert!(spans.iter().all(|(a, b)| within(*a) && within(*b)), "{spans:?}");
        }
        assert!(pinches(p(540.0, 1200.0), 100, &screen).is_err());
        assert!(pinches(p(5.0, 5.0), 200, &screen).unwrap_err().contains("nearer the middle"));
        // Near an edge there is still room along it.
        assert_eq!(spans(120, p(20.0, 1200.0)).len(), 1);
    }

    #[test]
    fn events_are_those_of_protocol_b() {
        let pinch = Pinch(vec![[p(100.0, 200.0), p(100.0, 600.0)], [p(100.0, 100.0), p(100.0, 700.0)]]);
        let held = Held { upright: (1080, 2400), quarter: 0 };
        let panel = Panel::first(LISTED).unwrap();
        let told = sendevent(std::slice::from_ref(&pinch), held, &panel, 28);
        assert!(told.starts_with("d='/dev/input/event1'; sendevent $d 0 0 0 && { sendevent -- $d 3 47 0; sendevent -- $d 3 57 4001; sendevent -- $d 3 53 100; sendevent -- $d 3 54 395; sendevent -- $d 3 58 102; "), "{told}");
        assert!(told.ends_with("sendevent -- $d 3 47 0; sendevent -- $d 3 57 -1; sendevent -- $d 3 47 1; sendevent -- $d 3 57 -1; sendevent -- $d 1 330 0; sendevent -- $d 0 0 0; }"), "{told}");
        assert!(!sendevent(std::slice::from_ref(&pinch), held, &panel, 23).contains("--"));
        let (told, takes) = uinput(&[pinch], held);
        assert!(told.starts_with("echo '{") && told.ends_with("}' | uinput -"), "{told}");
        assert!(
            told.contains(
                "[3,47,0,3,57,4001,3,53,100,3,54,200,3,47,1,3,57,4002,3,53,100,3,54,600,1,330,1,0,0,0]"
            ),
            "{told}"
        );
        assert!(takes > TAKEN_UP);
    }
}

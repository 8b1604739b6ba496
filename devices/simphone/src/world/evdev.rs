//! Input devices as the kernel and Android's input reader have them: events that change slots (multi-touch
//! protocol B), and a report that hands on what changed as fingers.
//!
//! Checked against `Documentation/input/multi-touch-protocol.rst` of the kernel and Android's
//! `MultiTouchInputMapper`: a slot is a finger while it has a tracking id, a device's touch button is down where it
//! has one, and its pressure is above 0 where it tells pressure.

use std::collections::{BTreeMap, BTreeSet};

use super::{TouchPhase, World, display::Rotation};

const EV_SYN: u16 = 0;
pub(crate) const EV_KEY: u16 = 1;
pub(crate) const EV_ABS: u16 = 3;
const SYN_REPORT: u16 = 0;
pub const BTN_TOUCH: u16 = 330;
/// `ABS_MT_SLOT`.
pub(crate) const SLOT: u16 = 47;
/// `ABS_MT_TOUCH_MAJOR`.
pub(crate) const MAJOR: u16 = 48;
/// `ABS_MT_POSITION_X`.
pub const X: u16 = 53;
/// `ABS_MT_POSITION_Y`.
pub const Y: u16 = 54;
/// `ABS_MT_TRACKING_ID`.
pub(crate) const TRACKING_ID: u16 = 57;
/// `ABS_MT_PRESSURE`.
pub(crate) const PRESSURE: u16 = 58;
/// `INPUT_PROP_DIRECT`.
pub(crate) const DIRECT: u16 = 1;

/// How long the system takes up a new device; what it says before is lost.
const TAKES_UP_MS: u64 = 300;
const SLOTS: i32 = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvdevAxis {
    pub min: i32,
    pub max: i32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Abilities {
    pub name: String,
    pub keys: BTreeSet<u16>,
    pub axes: BTreeMap<u16, EvdevAxis>,
    pub properties: BTreeSet<u16>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Contact {
    /// Negative for none.
    id: i32,
    x: i32,
    y: i32,
    pressure: i32,
}

#[derive(Debug, Clone)]
pub struct InputDevice {
    pub can: Abilities,
    /// When the system listens to it, uptime.
    ready_ms: u64,
    slot: usize,
    slots: Vec<Contact>,
    button: bool,
    /// The fingers of the last report.
    shown: BTreeMap<usize, Contact>,
}

/// What a report comes to: a slot's finger, and where it is as shares of the panel.
type Finger = (TouchPhase, usize, f64, f64);

impl InputDevice {
    fn new(can: Abilities, ready_ms: u64) -> Self {
        let count = can.axes.get(&SLOT).map_or(0, |a| a.max.clamp(0, SLOTS - 1) + 1);
        let none = Contact { id: -1, ..Contact::default() };
        let slots = vec![none; usize::try_from(count).unwrap_or(0)];
        Self { can, ready_ms, slot: 0, slots, button: false, shown: BTreeMap::new() }
    }

    /// Whether Android takes it for a touch screen of many fingers.
    fn is_touch_screen(&self) -> bool {
        [SLOT, X, Y, TRACKING_ID].iter().all(|axis| self.can.axes.contains_key(axis))
            && self.can.properties.contains(&DIRECT)
    }

    fn event(&mut self, kind: u16, code: u16, value: i32) -> Vec<Finger> {
        match (kind, code) {
            (EV_SYN, SYN_REPORT) => return self.report(),
            (EV_KEY, BTN_TOUCH) if self.can.keys.contains(&BTN_TOUCH) => self.button = value != 0,
            // What a device never said that it could say is dropped.
            (EV_ABS, _) if !self.can.axes.contains_key(&code) => {}
            (EV_ABS, SLOT) => {
                // One beyond the last is not a slot: the one before stays.
                if let Some(slot) = usize::try_from(value).ok().filter(|slot| *slot < self.slots.len()) {
                    self.slot = slot;
                }
            }
            (EV_ABS, _) => {
                if let Some(contact) = self.slots.get_mut(self.slot) {
                    match code {
                        X => contact.x = value,
                        Y => contact.y = value,
                        PRESSURE => contact.pressure = value,
                        TRACKING_ID => contact.id = value.max(-1),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        Vec::new()
    }

    fn report(&mut self) -> Vec<Finger> {
        if !self.is_touch_screen() {
            return Vec::new();
        }
        let pressed = !self.can.keys.contains(&BTN_TOUCH) || self.button;
        let felt = |c: &Contact| !self.can.axes.contains_key(&PRESSURE) || c.pressure > 0;
        let slots = self.slots.iter().copied().enumerate();
        let now: BTreeMap<usize, Contact> = slots.filter(|(_, c)| c.id >= 0 && pressed && felt(c)).collect();
        let mut out = Vec::new();
        for (slot, old) in &self.shown {
            if now.get(slot).is_none_or(|new| new.id != old.id) {
                out.push(self.finger(TouchPhase::Up, *slot, *old));
            }
        }
        for (slot, new) in &now {
            match self.shown.get(slot).filter(|old| old.id == new.id) {
                None => out.push(self.finger(TouchPhase::Down, *slot, *new)),
                Some(old) if old != new => out.push(self.finger(TouchPhase::Move, *slot, *new)),
                Some(_) => {}
            }
        }
        self.shown = now;
        out
    }

    fn finger(&self, phase: TouchPhase, slot: usize, at: Contact) -> Finger {
        let share = |axis: u16, value: i32| {
            let axis = self.can.axes.get(&axis).copied().unwrap_or(EvdevAxis { min: 0, max: 0 });
            let span = f64::from(axis.max) - f64::from(axis.min) + 1.0;
            (f64::from(value) - f64::from(axis.min)) / span.max(1.0)
        };
        (phase, slot, share(X, at.x), share(Y, at.y))
    }
}

/// The phone's input devices, by their numbers: `/dev/input/eventN`.
#[derive(Debug, Clone)]
pub struct Inputs(BTreeMap<u32, InputDevice>);

impl Inputs {
    /// Those that a phone is built with: buttons, and a touch panel finer than the screen.
    pub fn built_in((width, height): (u32, u32)) -> Self {
        let end = |pixels: u32| i32::try_from(pixels * 4).unwrap_or(i32::MAX) - 1;
        let axis = |max: i32| EvdevAxis { min: 0, max };
        let keys = BTreeSet::from([114, 115, 116]);
        let buttons = Abilities { name: "gpio-keys".to_owned(), keys, ..Abilities::default() };
        let panel = Abilities {
            name: "waldo_ts".to_owned(),
            keys: BTreeSet::from([BTN_TOUCH]),
            axes: BTreeMap::from([
                (SLOT, axis(9)),
                (MAJOR, axis(255)),
                (X, axis(end(width))),
                (Y, axis(end(height))),
                (TRACKING_ID, axis(65_535)),
                (PRESSURE, axis(255)),
            ]),
            properties: BTreeSet::from([DIRECT]),
        };
        Self((0..).zip([buttons, panel].map(|can| InputDevice::new(can, 0))).collect())
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, &InputDevice)> {
        self.0.iter().map(|(n, d)| (*n, d))
    }

    pub fn has(&self, number: u32) -> bool {
        self.0.contains_key(&number)
    }
}

impl World {
    /// Makes a device, which the system takes up after a while; gives its number.
    pub(crate) fn add_input(&mut self, can: Abilities) -> u32 {
        let number = self.inputs.0.keys().last().map_or(0, |last| last + 1);
        self.inputs.0.insert(number, InputDevice::new(can, self.now_ms + TAKES_UP_MS));
        number
    }

    /// Takes a device away; its fingers are lifted without having touched.
    pub(crate) fn remove_input(&mut self, number: u32) {
        if let Some(device) = self.inputs.0.remove(&number)
            && !device.shown.is_empty()
        {
            self.gesture = None;
        }
    }

    pub(crate) fn input_event(&mut self, number: u32, kind: u16, code: u16, value: i32, uptime_ms: u64) {
        let now = self.now_ms.max(uptime_ms);
        let Some(device) = self.inputs.0.get_mut(&number).filter(|d| d.ready_ms <= now) else { return };
        for (phase, slot, x, y) in device.event(kind, code, value) {
            let (x, y) = self.on_screen(x, y);
            // No finger of `input`, and none of another device.
            let pointer = (number + 1) * 100 + u32::try_from(slot).unwrap_or(0);
            self.touch(phase, pointer, x, y, now);
        }
    }

    /// A place on the panel, which does not turn, on the screen, which does.
    fn on_screen(&self, x: f64, y: f64) -> (i32, i32) {
        let (across, down) = match self.display.rotation {
            Rotation::R0 => (x, y),
            Rotation::R90 => (y, 1.0 - x),
            Rotation::R180 => (1.0 - x, 1.0 - y),
            Rotation::R270 => (1.0 - y, x),
        };
        let (w, h) = self.display.logical();
        let pixel = |share: f64, whole: u32| (share * f64::from(whole)).floor() as i32;
        (pixel(across, w), pixel(down, h))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel() -> InputDevice {
        Inputs::built_in((1080, 2400)).0.remove(&1).unwrap()
    }

    fn say(device: &mut InputDevice, events: &[(u16, u16, i32)]) -> Vec<Finger> {
        events.iter().flat_map(|(kind, code, value)| device.event(*kind, *code, *value)).collect()
    }

    const REPORT: (u16, u16, i32) = (EV_SYN, SYN_REPORT, 0);

    fn down(slot: i32, id: i32, x: i32) -> [(u16, u16, i32); 5] {
        [(3, SLOT, slot), (3, TRACKING_ID, id), (3, X, x), (3, Y, 4_800), (3, PRESSURE, 40)]
    }

    #[test]
    fn two_slots_are_two_fingers_and_a_report_says_so() {
        let mut d = panel();
        assert!(say(&mut d, &down(0, 7, 0)).is_empty(), "nothing is told before a report");
        say(&mut d, &down(1, 8, 2_160));
        let said = say(&mut d, &[(EV_KEY, BTN_TOUCH, 1), REPORT]);
        assert_eq!(said, [(TouchPhase::Down, 0, 0.0, 0.5), (TouchPhase::Down, 1, 0.5, 0.5)]);
        let said = say(&mut d, &[(3, SLOT, 0), (3, X, 432), REPORT]);
        assert_eq!(said, [(TouchPhase::Move, 0, 0.1, 0.5)]);
        // The slot that was named last is the one that is meant.
        let said = say(&mut d, &[(3, TRACKING_ID, -1), REPORT]);
        assert_eq!(said, [(TouchPhase::Up, 0, 0.1, 0.5)]);
        let said = say(&mut d, &[(3, SLOT, 1), (3, TRACKING_ID, 9), REPORT]);
        assert_eq!(said.iter().map(|f| f.0).collect::<Vec<_>>(), [TouchPhase::Up, TouchPhase::Down]);
        assert!(say(&mut d, &[REPORT]).is_empty(), "an empty report says nothing");
    }

    #[test]
    fn what_hovers_does_not_touch() {
        let mut d = panel();
        say(&mut d, &down(0, 7, 0));
        assert!(say(&mut d, &[REPORT]).is_empty(), "the touch button is up");
        say(&mut d, &[(EV_KEY, BTN_TOUCH, 1), (3, PRESSURE, 0)]);
        assert!(say(&mut d, &[REPORT]).is_empty(), "nothing presses");
        assert_eq!(say(&mut d, &[(3, PRESSURE, 9), REPORT]).len(), 1);
        // Beyond the last slot there is none.
        assert!(say(&mut d, &[(3, SLOT, 10), (3, TRACKING_ID, 12), REPORT]).len() == 2, "slot 0 again");
    }
}

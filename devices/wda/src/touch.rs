//! Fingers, as W3C WebDriver's actions: a list of what each finger does, in points and milliseconds.

use serde_json::{Value, json};

use waldo_devices::action::{Clicks, ScrollNotches};
use waldo_devices::geometry::{Native, Point, Size};

/// How long a press lasts.
const PRESS: u64 = 60;
/// The time between two presses of one tap.
const BETWEEN: u64 = 80;
/// How long a long press lasts.
const LONG: u64 = 1_000;
/// How long a finger rests before it drags, which is what takes hold of things.
const HOLD: u64 = 600;
/// How long it rests where it lets go, so that nothing is flung.
const REST: u64 = 150;
/// How long a leg of a drag takes, and a swipe of a scroll.
const LEG: u64 = 400;
/// Points of a notch of a wheel.
const NOTCH: f64 = 120.0;
/// Points that a finger keeps from the screen's edges, where gestures of the system begin.
const EDGE: f64 = 30.0;
/// The most swipes of one scroll.
const SWIPES: usize = 20;
/// The least distance of two fingers, in points.
const CLOSE: f64 = 24.0;

/// What one finger does.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Finger(Vec<Value>);

impl Finger {
    fn to(mut self, at: Point<Native>, ms: u64) -> Self {
        let (x, y) = (round(at.x), round(at.y));
        self.0.push(json!({ "type": "pointerMove", "duration": ms, "x": x, "y": y, "origin": "viewport" }));
        self
    }

    fn down(mut self) -> Self {
        self.0.push(json!({ "type": "pointerDown", "button": 0 }));
        self
    }

    fn rest(mut self, ms: u64) -> Self {
        self.0.push(json!({ "type": "pause", "duration": ms }));
        self
    }

    fn up(mut self) -> Self {
        self.0.push(json!({ "type": "pointerUp", "button": 0 }));
        self
    }

    pub(crate) fn tap(at: Point<Native>, clicks: Clicks) -> Self {
        let count = match clicks {
            Clicks::Single => 1,
            Clicks::Double => 2,
            Clicks::Triple => 3,
        };
        let first = Self::default().to(at, 0).down().rest(PRESS).up();
        (1..count).fold(first, |finger, _| finger.rest(BETWEEN).down().rest(PRESS).up())
    }

    pub(crate) fn long_press(at: Point<Native>) -> Self {
        Self::default().to(at, 0).down().rest(LONG).up()
    }

    pub(crate) fn swipe(from: Point<Native>, to: Point<Native>, ms: u64) -> Self {
        Self::default().to(from, 0).down().to(to, ms).up()
    }

    /// Along a way of two points or more.
    pub(crate) fn drag(path: &[Point<Native>]) -> Self {
        let Some((first, rest)) = path.split_first() else { return Self::default() };
        let held = Self::default().to(*first, 0).down().rest(HOLD);
        rest.iter().fold(held, |finger, at| finger.to(*at, LEG)).rest(REST).up()
    }

    /// From the lower edge to the middle, and a rest there: what shows the apps that are open, on phones without a home
    /// button.
    pub(crate) fn recents(screen: Size<Native>) -> Self {
        let (from, to) =
            (Point::new(screen.w / 2.0, screen.h - 1.0), Point::new(screen.w / 2.0, screen.h / 2.0));
        Self::default().to(from, 0).down().to(to, LEG).rest(LONG).up()
    }
}

fn round(n: f64) -> f64 {
    (n * 10.0).round() / 10.0
}

/// The body of the call, of fingers that move at the same time.
pub(crate) fn actions(fingers: &[Finger]) -> Value {
    let finger = |(n, Finger(actions)): (usize, &Finger)| {
        json!({
            "type": "pointer", "id": format!("finger{}", n + 1), "parameters": { "pointerType": "touch" },
            "actions": actions,
        })
    };
    json!({ "actions": fingers.iter().enumerate().map(finger).collect::<Vec<_>>() })
}

/// Swipes that scroll what lies at a point, one after the other.
pub(crate) fn scroll(at: Point<Native>, by: ScrollNotches, screen: Size<Native>) -> Vec<Finger> {
    let (mut right, mut down) = (f64::from(by.right) * NOTCH, f64::from(by.down) * NOTCH);
    let (wide, high) = (screen.w * 0.5, screen.h * 0.4);
    let inside = |at: f64, whole: f64| at.clamp(EDGE.min(whole / 2.0), (whole - EDGE).max(whole / 2.0));
    let mut swipes = Vec::new();
    while (right.abs() >= 1.0 || down.abs() >= 1.0) && swipes.len() < SWIPES {
        let (dx, dy) = (right.clamp(-wide, wide), down.clamp(-high, high));
        // The finger takes the content along: down shows what lies below.
        let end = |side: f64| {
            Point::new(inside(at.x + side * dx / 2.0, screen.w), inside(at.y + side * dy / 2.0, screen.h))
        };
        swipes.push(Finger::default().to(end(1.0), 0).down().to(end(-1.0), LEG).rest(REST).up());
        (right, down) = (right - dx, down - dy);
    }
    swipes
}

/// Two fingers around a point, whose last distance is so many percent of their first.
///
/// # Errors
/// In words, where the screen has no room for it.
pub(crate) fn pinch(at: Point<Native>, percent: u32, screen: Size<Native>) -> Result<[Finger; 2], String> {
    let room = (at.x.min(screen.w - at.x) - EDGE).max(0.0) * 2.0;
    let most = room.min(screen.w.min(screen.h) * 0.7);
    let share = f64::from(percent.max(1)) / 100.0;
    let (first, last) = if share >= 1.0 { (most / share, most) } else { (most, most * share) };
    if first.min(last) < CLOSE {
        return Err(format!(
            "there is no room around {at} for two fingers that move to {percent} %: pinch nearer to the middle, or less at once"
        ));
    }
    let finger = |side: f64| {
        let place = |apart: f64| Point::new(at.x + side * apart / 2.0, at.y);
        Finger::default().to(place(first), 0).down().to(place(last), LEG).rest(REST).up()
    };
    Ok([finger(-1.0), finger(1.0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Size<Native> = Size::new(390.0, 844.0);

    fn places(finger: &Finger) -> Vec<(f64, f64)> {
        let number = |value: &Value| value.as_f64().unwrap();
        let moves = finger.0.iter().filter(|item| item["type"] == "pointerMove");
        moves.map(|item| (number(&item["x"]), number(&item["y"]))).collect()
    }

    #[test]
    fn a_tap_is_a_pointer_that_goes_down_and_up() {
        let body = actions(&[Finger::tap(Point::new(10.04, 20.0), Clicks::Double)]);
        let kinds: Vec<&str> = body["actions"][0]["actions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|i| i["type"].as_str().unwrap())
            .collect();
        let press = ["pointerDown", "pause", "pointerUp"];
        assert_eq!(kinds[0], "pointerMove");
        assert_eq!((&kinds[1..4], &kinds[5..]), (&press[..], &press[..]));
        assert_eq!(body["actions"][0]["parameters"]["pointerType"], "touch");
        assert_eq!(body["actions"][0]["actions"][0]["x"], 10.0);
    }

    #[test]
    fn scrolls_go_as_far_as_asked_in_swipes_that_stay_on_the_screen() {
        let swipes = scroll(Point::new(195.0, 422.0), ScrollNotches { right: 0, down: 6 }, SCREEN);
        let far: f64 = swipes.iter().map(places).map(|ends| ends[0].1 - ends[1].1).sum();
        assert!((far - 720.0).abs() < 1.0, "{far}");
        assert!(scroll(Point::new(1.0, 1.0), ScrollNotches::default(), SCREEN).is_empty());
        assert_eq!(
            scroll(Point::new(9.0, 9.0), ScrollNotches { right: 0, down: 9_999 }, SCREEN).len(),
            SWIPES
        );
    }

    #[test]
    fn fingers_end_as_far_apart_as_asked() {
        let apart = |fingers: &[Finger; 2], n: usize| places(&fingers[1])[n].0 - places(&fingers[0])[n].0;
        let fingers = pinch(Point::new(195.0, 400.0), 200, SCREEN).unwrap();
        assert!((apart(&fingers, 1) / apart(&fingers, 0) - 2.0).abs() < 0.02);
        assert!(pinch(Point::new(5.0, 400.0), 200, SCREEN).unwrap_err().contains("no room"));
        assert!(pinch(Point::new(195.0, 400.0), 1_000, SCREEN).is_ok());
    }

    proptest::proptest! {
        #[test]
        fn no_finger_leaves_the_screen(x in 0.0..390.0f64, y in 0.0..844.0f64, right in -40..40i32, down in -40..40i32,
                                       percent in 10..1_000u32) {
            let at = Point::new(x, y);
            let mut all = scroll(at, ScrollNotches { right, down }, SCREEN);
            all.extend(pinch(at, percent, SCREEN).into_iter().flatten());
            for (x, y) in all.iter().flat_map(places) {
                proptest::prop_assert!((0.0..=390.0).contains(&x) && (0.0..=844.0).contains(&y), "{} {}", x, y);
            }
        }
    }
}

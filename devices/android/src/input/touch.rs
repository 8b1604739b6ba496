use std::time::Duration;

use waldo_devices::{Clicks, Native, Point, ScaledPicture, ScrollNotches};

/// How long a long press lasts; AppAgent's time.
const LONG_PRESS: Duration = Duration::from_millis(1000);
/// Points that a drag is led through between two given ones.
const STEPS: usize = 8;
/// A wheel's notch in logical pixels.
const NOTCH: f64 = 120.0;
/// The share of the screen's edges where a swipe would start a gesture of the system.
const EDGE: f64 = 0.08;
/// How fast a scrolling finger moves, in logical pixels a second: slow enough not to fling.
const SPEED: f64 = 600.0;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Touch {
    Tap(Point<Native>, Clicks),
    LongPress(Point<Native>),
    /// A straight way that takes the given time.
    Swipe(Point<Native>, Point<Native>, Duration),
    Drag(Vec<Point<Native>>),
}

fn at(p: Point<Native>) -> String {
    format!("{} {}", p.x.floor() as i64, p.y.floor() as i64)
}

impl Touch {
    /// The shell command. `input` is the command with its display option.
    pub(crate) fn command(&self, input: &str, sdk: u32) -> String {
        match self {
            Self::Tap(p, clicks) => {
                let count = match clicks {
                    Clicks::Single => 1,
                    Clicks::Double => 2,
                    Clicks::Triple => 3,
                };
                vec![format!("{input} tap {}", at(*p)); count].join(" && ")
            }
            Self::LongPress(p) => format!("{input} swipe {} {} {}", at(*p), at(*p), LONG_PRESS.as_millis()),
            Self::Swipe(from, to, time) => {
                format!("{input} swipe {} {} {}", at(*from), at(*to), time.as_millis())
            }
            // `motionevent` came with Android 10; before it, only a straight way could be taken.
            Self::Drag(path) if sdk < 29 => {
                let (from, to) =
                    (path.first().copied().unwrap_or_default(), path.last().copied().unwrap_or_default());
                format!("{input} swipe {} {} 1200", at(from), at(to))
            }
            Self::Drag(path) => {
                let mut calls = Vec::new();
                for (n, p) in path.iter().enumerate() {
                    match n {
                        0 => calls.push(format!("{input} motionevent DOWN {}", at(*p))),
                        _ => {
                            let from = path[n - 1];
                            calls.extend((1..=STEPS).map(|step| {
                                let share = step as f64 / STEPS as f64;
                                let p = Point::new(
                                    from.x + (p.x - from.x) * share,
                                    from.y + (p.y - from.y) * share,
                                );
                                format!("{input} motionevent MOVE {}", at(p))
                            }));
                        }
                    }
                }
                let last = path.last().copied().unwrap_or_default();
                // A finger is lifted whatever happened on its way.
                format!("{}; {input} motionevent UP {}", calls.join(" && "), at(last))
            }
        }
    }
}

/// Swipes that scroll as a wheel does: against the view's way, around a point, clear of the edges.
pub(crate) fn scroll_swipes(around: Point<Native>, by: ScrollNotches, screen: &ScaledPicture) -> Vec<Touch> {
    let mut swipes = Vec::new();
    let (size, scale) = (screen.native_size(), screen.native_scale());
    let mut axis = |notches: i32, length: f64, middle: f64, point: &dyn Fn(f64) -> Point<Native>| {
        let mut left = f64::from(notches).abs() * NOTCH * scale;
        let (low, high) = (length * EDGE, length * (1.0 - EDGE));
        // Very long ways are cut: ten screens are enough to reach any end.
        left = left.min(length * 10.0);
        while left > 1.0 {
            let way = left.min((high - low) * 0.75);
            let from = (middle + f64::from(notches.signum()) * way / 2.0).clamp(low, high);
            let to = (from - f64::from(notches.signum()) * way).clamp(low, high);
            let from = (to + f64::from(notches.signum()) * way).clamp(low, high);
            let time = Duration::from_secs_f64((way / scale / SPEED).clamp(0.3, 1.5));
            swipes.push(Touch::Swipe(point(from), point(to), time));
            left -= way;
        }
    };
    axis(by.down, size.h, around.y, &|y| Point::new(around.x, y));
    axis(by.right, size.w, around.x, &|x| Point::new(x, around.y));
    swipes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(x: f64, y: f64) -> Point<Native> {
        Point::new(x, y)
    }

    #[test]
    fn fingers_have_commands_and_a_wheel_is_a_swipe() {
        assert_eq!(
            Touch::Tap(p(1.9, 2.0), Clicks::Double).command("input -d 2", 34),
            "input -d 2 tap 1 2 && input -d 2 tap 1 2"
        );
        assert_eq!(Touch::LongPress(p(5.0, 6.0)).command("input", 34), "input swipe 5 6 5 6 1000");
        let drag = Touch::Drag(vec![p(0.0, 0.0), p(80.0, 0.0), p(80.0, 80.0)]).command("input", 34);
        assert!(drag.starts_with("input motionevent DOWN 0 0 && input motionevent MOVE 10 0"), "{drag}");
        assert!(drag.ends_with("MOVE 80 80; input motionevent UP 80 80"), "{drag}");
        assert_eq!(
            Touch::Drag(vec![p(0.0, 0.0), p(8.0, 9.0)]).command("input", 28),
            "input swipe 0 0 8 9 1200"
        );
        let screen = ScaledPicture::new((1080, 2400), (1080, 2400), 2.0);
        let swipes = scroll_swipes(p(500.0, 1200.0), ScrollNotches { right: 0, down: 2 }, &screen);
        let [Touch::Swipe(from, to, _)] = swipes.as_slice() else { panic!("{swipes:?}") };
        assert_eq!((from.y - to.y, from.x, to.x), (480.0, 500.0, 500.0));
        let far = scroll_swipes(p(500.0, 2399.0), ScrollNotches { right: 0, down: -30 }, &screen);
        assert!(far.len() > 3);
        for touch in far {
            let Touch::Swipe(from, to, _) = touch else { panic!() };
            assert!(to.y > from.y && from.y >= 192.0 && to.y <= 2208.0, "{from} {to}");
        }
    }
}

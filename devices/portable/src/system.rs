//! What differs between the systems: how they count places, and what their lists of windows leave out.
//!
//! Invariant: all of it is data, chosen by [`System::here`]; every line is compiled and can be tested on any
//! of them.

use waldo_devices::geometry::{Physical, Point, Rect};

/// A system, as far as `xcap` and `enigo` differ on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    /// Linux and its kin, with an X server.
    X11,
    Windows,
    Mac,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MonitorInfo {
    pub(crate) at: (i32, i32),
    pub(crate) width: u32,
    /// Physical pixels per logical one.
    pub(crate) scale: f64,
}

impl System {
    pub(crate) fn here() -> Self {
        if cfg!(target_os = "macos") {
            Self::Mac
        } else if cfg!(target_os = "windows") {
            Self::Windows
        } else {
            Self::X11
        }
    }

    /// How far a window may reach beyond what is told of it: above, and at its other sides, in pixels. On X11
    /// the window manager's frame is not told.
    pub(crate) fn rim(self) -> (f64, f64) {
        match self {
            Self::X11 => (48.0, 12.0),
            Self::Windows | Self::Mac => (0.0, 0.0),
        }
    }

    /// How places on a monitor are counted, whose picture is `pixels` wide.
    pub(crate) fn units(self, monitor: MonitorInfo, pixels: u32) -> Units {
        let (x, y) = (f64::from(monitor.at.0), f64::from(monitor.at.1));
        match self {
            // Pointer and windows are in pixels; `xcap` divides a monitor's place by the scale.
            Self::X11 => {
                Units { left: (x * monitor.scale).round(), top: (y * monitor.scale).round(), each: 1.0 }
            }
            Self::Windows => Units { left: x, top: y, each: 1.0 },
            // All but pictures is in points.
            Self::Mac => {
                Units { left: x, top: y, each: f64::from(pixels.max(1)) / f64::from(monitor.width.max(1)) }
            }
        }
    }
}

/// How a system counts places for its pointer and windows, against pixels of one monitor's picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Units {
    left: f64,
    top: f64,
    each: f64,
}

impl Units {
    /// Where the pointer has to go for a pixel of the picture.
    #[expect(clippy::cast_possible_truncation, reason = "screens are far smaller than an i32 counts")]
    pub(crate) fn pointer(&self, at: Point<Physical>) -> (i32, i32) {
        let of = |pixel: f64, edge: f64| (edge + (pixel / self.each).floor()) as i32;
        (of(at.x, self.left), of(at.y, self.top))
    }

    /// A rectangle of the system's, in pixels of the picture; may reach beyond it.
    pub(crate) fn pixels(&self, (x, y): (i32, i32), (width, height): (u32, u32)) -> Rect<Physical> {
        Rect::new(
            (f64::from(x) - self.left) * self.each,
            (f64::from(y) - self.top) * self.each,
            f64::from(width) * self.each,
            f64::from(height) * self.each,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second monitor of 1280x800 logical pixels to the right of one of 1920.
    fn right(at: (i32, i32), width: u32) -> MonitorInfo {
        MonitorInfo { at, width, scale: 2.0 }
    }

    #[test]
    fn a_pixel_is_where_its_system_says() {
        let pixel = Point::new(101.0, 51.0);
        // Points, two pixels wide each.
        let mac = System::Mac.units(right((1920, 0), 1280), 2560);
        assert_eq!(mac.pointer(pixel), (1920 + 50, 25));
        assert_eq!(mac.pixels((1970, 25), (10, 20)), Rect::new(100.0, 50.0, 20.0, 40.0));
        // Pixels throughout.
        let windows = System::Windows.units(right((3840, 0), 2560), 2560);
        assert_eq!(windows.pointer(pixel), (3840 + 101, 51));
        assert_eq!(windows.pixels((3900, 5), (10, 20)), Rect::new(60.0, 5.0, 10.0, 20.0));
        // Pixels, but for the monitor's own place.
        let x11 = System::X11.units(right((1920, 0), 1280), 2560);
        assert_eq!(x11.pointer(pixel), (3840 + 101, 51));
        assert_eq!(x11.pixels((3900, 5), (10, 20)), Rect::new(60.0, 5.0, 10.0, 20.0));
    }

    #[test]
    fn a_monitor_to_the_left_has_places_below_zero() {
        let left = MonitorInfo { at: (-1280, -100), width: 1280, scale: 1.0 };
        for system in [System::X11, System::Windows, System::Mac] {
            let units = system.units(left, 1280);
            assert_eq!(units.pointer(Point::new(5.5, 5.5)), (-1275, -95), "{system:?}");
            assert_eq!(units.pixels((-1280, -100), (3, 4)), Rect::new(0.0, 0.0, 3.0, 4.0));
        }
    }
}

//! Typed coordinate spaces and the one place that converts between them.
//!
//! Invariant: a point never changes space except through [`Geometry`]; a point outside the screen is
//! refused with the bounds named, never clamped silently.

use std::fmt;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use crate::error::DeviceError;

/// A coordinate space. Implemented by the marker types of this module only.
pub trait Space: Copy + Default + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// The name that error messages use.
    const NAME: &'static str;
}

macro_rules! space {
    ($(#[$doc:meta])* $name:ident, $label:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;
        impl Space for $name {
            const NAME: &'static str = $label;
        }
    };
}

space!(
    /// Device pixels of the screen's picture; origin at its top left corner.
    Physical,
    "physical px"
);
space!(
    /// CSS pixels on the web, dp on a phone: physical pixels divided by the scale.
    Logical,
    "logical px"
);
space!(
    /// Pixels as the device itself counts them, for inputs and in what it tells of its screen: others than those of
    /// the picture where it sends that scaled down.
    Native,
    "native px"
);
space!(
    /// 0 to 1 in both directions over the whole screen, or over the part of it that is shown.
    Normalized,
    "normalised"
);

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Point<S: Space> {
    pub x: f64,
    pub y: f64,
    #[serde(skip)]
    space: PhantomData<S>,
}

impl<S: Space> Point<S> {
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y, space: PhantomData }
    }

    /// The distance to `other`, in this space's unit.
    pub fn distance(self, other: Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }
}

/// The points of a way after its first: corners, and enough between them for programs that watch it. A leg has
/// a point each `gap`, `least` at the least and `most` at the most.
pub fn along<S: Space>(path: &[Point<S>], gap: f64, least: u32, most: u32) -> impl Iterator<Item = Point<S>> {
    path.windows(2).flat_map(move |leg| {
        let (from, to) = (leg[0], leg[1]);
        let count = (from.distance(to) / gap).ceil().clamp(f64::from(least), f64::from(most));
        (1..=most).map(f64::from).take_while(move |n| *n <= count).map(move |n| {
            let share = n / count;
            Point::new(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share)
        })
    })
}

impl<S: Space> fmt::Display for Point<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({:.0}, {:.0}) {}", self.x, self.y, S::NAME)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Size<S: Space> {
    pub w: f64,
    pub h: f64,
    #[serde(skip)]
    space: PhantomData<S>,
}

impl<S: Space> Size<S> {
    pub const fn new(w: f64, h: f64) -> Self {
        Self { w, h, space: PhantomData }
    }
}

/// An axis-parallel rectangle in the space `S`: top left corner and extent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Rect<S: Space> {
    pub x: f64,
    pub y: f64,
    /// Extent to the right; never negative.
    pub w: f64,
    /// Extent downwards; never negative.
    pub h: f64,
    #[serde(skip)]
    space: PhantomData<S>,
}

impl<S: Space> Rect<S> {
    /// A rectangle from its top left corner and its extent; a negative extent becomes 0.
    pub fn new(x: f64, y: f64, w: f64, h: f64) -> Self {
        Self { x, y, w: w.max(0.0), h: h.max(0.0), space: PhantomData }
    }

    pub fn right(&self) -> f64 {
        self.x + self.w
    }

    pub fn bottom(&self) -> f64 {
        self.y + self.h
    }

    pub fn center(&self) -> Point<S> {
        Point::new(self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    /// The point at the given shares (0 to 1) of the width and the height.
    pub fn at(&self, fx: f64, fy: f64) -> Point<S> {
        Point::new(self.x + self.w * fx, self.y + self.h * fy)
    }

    /// Whether `p` lies inside; the left and top edges belong to the rectangle.
    pub fn contains(&self, p: Point<S>) -> bool {
        p.x >= self.x && p.x < self.right() && p.y >= self.y && p.y < self.bottom()
    }

    /// The common part, or `None` where the rectangles share no area.
    pub fn intersect(&self, other: &Self) -> Option<Self> {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let (r, b) = (self.right().min(other.right()), self.bottom().min(other.bottom()));
        (r > x && b > y).then(|| Self::new(x, y, r - x, b - y))
    }

    pub fn area(&self) -> f64 {
        self.w * self.h
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Geometry {
    /// The screen in physical pixels.
    pub physical: Size<Physical>,
    /// Physical pixels per logical pixel; above 0.
    pub scale: f64,
}

impl Geometry {
    /// The geometry of a screen of `w` by `h` physical pixels with `scale` physical pixels per logical one.
    pub fn new(w: f64, h: f64, scale: f64) -> Self {
        Self { physical: Size::new(w, h), scale }
    }

    pub fn screen(&self) -> Rect<Physical> {
        Rect::new(0.0, 0.0, self.physical.w, self.physical.h)
    }

    pub fn to_logical(&self, p: Point<Physical>) -> Point<Logical> {
        Point::new(p.x / self.scale, p.y / self.scale)
    }

    /// Normalised (0 to 1) to physical.
    pub fn from_normalized(&self, p: Point<Normalized>) -> Point<Physical> {
        Point::new(p.x * self.physical.w, p.y * self.physical.h)
    }

    /// Physical to normalised (0 to 1).
    pub fn to_normalized(&self, p: Point<Physical>) -> Point<Normalized> {
        Point::new(p.x / self.physical.w.max(1.0), p.y / self.physical.h.max(1.0))
    }

    /// The point itself when it is on the screen.
    pub fn check(&self, p: Point<Physical>) -> Result<Point<Physical>, DeviceError> {
        if p.x.is_finite() && p.y.is_finite() && self.screen().contains(p) {
            Ok(p)
        } else {
            Err(DeviceError::OutOfBounds { x: p.x, y: p.y, w: self.physical.w, h: self.physical.h })
        }
    }
}

/// A screen whose picture may have fewer pixels than the device counts: how both relate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaledPicture {
    picture: Geometry,
    /// Native pixels per pixel of the picture; above 0.
    zoom: f64,
}

impl ScaledPicture {
    /// A picture of `picture` physical pixels of a screen of `native` pixels with `scale` native pixels per logical
    /// one. Where the shapes differ the picture is not one of that screen, and is taken as it is.
    pub fn new(picture: (u32, u32), native: (u32, u32), scale: f64) -> Self {
        let share = |native: u32, picture: u32| f64::from(native) / f64::from(picture.max(1));
        let (across, down) = (share(native.0, picture.0), share(native.1, picture.1));
        let zoom = if (down - across).abs() < 0.02 && across > 0.0 { across } else { 1.0 };
        let picture = Geometry::new(f64::from(picture.0), f64::from(picture.1), scale / zoom);
        Self { picture, zoom }
    }

    pub fn geometry(&self) -> Geometry {
        self.picture
    }

    pub fn native_size(&self) -> Size<Native> {
        Size::new(self.picture.physical.w * self.zoom, self.picture.physical.h * self.zoom)
    }

    pub fn native_scale(&self) -> f64 {
        self.picture.scale * self.zoom
    }

    pub fn to_native(&self, p: Point<Physical>) -> Point<Native> {
        Point::new(p.x * self.zoom, p.y * self.zoom)
    }

    pub fn from_native(&self, p: Point<Native>) -> Point<Physical> {
        Point::new(p.x / self.zoom, p.y / self.zoom)
    }

    pub fn rect_from_native(&self, r: Rect<Native>) -> Rect<Physical> {
        let (from, to) =
            (self.from_native(Point::new(r.x, r.y)), self.from_native(Point::new(r.right(), r.bottom())));
        Rect::new(from.x, from.y, to.x - from.x, to.y - from.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_space_round_trips(w in 1.0..5000.0f64, h in 1.0..5000.0f64, s in 0.5..4.0f64,
                                   fx in 0.0..1.0f64, fy in 0.0..1.0f64) {
            let g = Geometry::new(w, h, s);
            let p = Point::<Physical>::new(w * fx, h * fy);
            let logical = g.to_logical(p);
            for q in [Point::new(logical.x * s, logical.y * s), g.from_normalized(g.to_normalized(p))] {
                prop_assert!(p.distance(q) < 1e-6);
            }
        }

        #[test]
        fn an_intersection_lies_in_both(a in (0.0..100.0f64, 0.0..100.0f64, 0.0..100.0f64, 0.0..100.0f64),
                                        b in (0.0..100.0f64, 0.0..100.0f64, 0.0..100.0f64, 0.0..100.0f64)) {
            let (a, b) = (Rect::<Physical>::new(a.0, a.1, a.2, a.3), Rect::new(b.0, b.1, b.2, b.3));
            if let Some(i) = a.intersect(&b) {
                prop_assert!(a.contains(i.center()) && b.contains(i.center()));
                prop_assert!(i.area() <= a.area().min(b.area()) + 1e-9);
            }
        }
    }

    #[test]
    fn a_picture_that_is_scaled_down_shows_the_same_places() {
        let screen = ScaledPicture::new((540, 1200), (1080, 2400), 3.0);
        assert_eq!((screen.geometry().scale, screen.native_scale()), (1.5, 3.0));
        assert_eq!(screen.native_size(), Size::new(1080.0, 2400.0));
        let middle = Point::new(270.0, 600.0);
        assert_eq!(screen.to_native(middle), Point::new(540.0, 1200.0));
        assert_eq!(screen.from_native(screen.to_native(middle)), middle);
        let part = screen.rect_from_native(Rect::new(100.0, 200.0, 300.0, 400.0));
        assert_eq!(part, Rect::new(50.0, 100.0, 150.0, 200.0));
        // A picture of another shape was taken before the screen was turned.
        let turned = ScaledPicture::new((2400, 1080), (1080, 2400), 3.0);
        assert_eq!((turned.native_scale(), turned.geometry().scale), (3.0, 3.0));
    }

    #[test]
    fn a_point_outside_is_refused_with_the_bounds() {
        let g = Geometry::new(100.0, 50.0, 1.0);
        assert!(g.check(Point::new(99.9, 49.9)).is_ok());
        let message = g.check(Point::new(100.0, 10.0)).unwrap_err().to_string();
        assert!(message.contains("100") && message.contains("50"), "{message}");
        assert!(g.check(Point::new(f64::NAN, 1.0)).is_err());
    }
}

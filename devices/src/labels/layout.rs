//! Where each number goes.
//!
//! Invariants: every plate lies on whole pixels inside the picture; no two plates overlap while a free
//! place is left; the same input gives the same layout.
//!
//! Numbers are placed in order. Each tries a fixed list of places around and inside its element, takes the
//! first that hides nothing, else the one that hides least, and walks outwards when all are taken.

use super::cells::{FEW_CELLS, is_cell};
use super::ink::Ink;
use super::spatial::{Index, PixelBox};
use super::{LabelStyle, Plate, Tagged};
use crate::element::Element;
use crate::geometry::{Physical, Rect};
use crate::picture::Raster;

/// Free pixels between plates side by side, so that they never read as one number.
const GAP: i32 = 1;
/// A place that hides less than this is taken at once.
const GOOD_ENOUGH: f32 = 0.02;

/// The longer side, in pixels, of the smallest picture that a model is expected to see.
pub(super) const SHRUNK_SIDE: f64 = 1000.0;
/// The height in pixels of a digit on such a picture.
const SHRUNK_CAP: f64 = 9.0;
/// The nearness in pixels at which a plate beside a foreign element looks like that element's.
const BESIDE: i32 = 2;
/// What it costs to stand beside a foreign element.
const BESIDE_COST: f32 = 0.12;

/// Sizes of plates for a picture, in physical px.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Metrics {
    pub cap: i32,
    pub advance: i32,
    /// Free space left and right of the digits.
    pub pad_x: i32,
    /// Free space above and below the digits.
    pub pad_y: i32,
    /// Width of the box around an element.
    pub stroke: i32,
}

impl Metrics {
    /// Sizes that stay readable when a picture is shrunk for a model: services bring the longer side down
    /// to between 1,000 and 1,600 pixels, which leaves digits at least 9 pixels high.
    pub fn of(style: LabelStyle, (w, h): (u32, u32)) -> Self {
        let side = (f64::from(w) * f64::from(h)).sqrt();
        match style {
            LabelStyle::Boxes => {
                let shrunk = f64::from(w.max(h)) / SHRUNK_SIDE;
                let cap = (side / 92.0).max(SHRUNK_CAP * shrunk).round().clamp(8.0, 40.0) as i32;
                Self {
                    cap,
                    advance: digit_advance(cap),
                    pad_x: 2 + cap / 16,
                    pad_y: 2 + cap / 8,
                    stroke: 1 + cap / 9,
                }
            }
            // On a phone's screen a digit is about 22 px high in a plate 47 px high; smaller screens get
            // the same look in proportion.
            LabelStyle::Appagent => {
                let s = (side / 1610.0).clamp(0.4, 1.0);
                let px = |v: f64| (v * s).round() as i32;
                Self {
                    cap: px(22.0),
                    advance: digit_advance(px(22.0)),
                    pad_x: px(10.0),
                    pad_y: px(12.0),
                    stroke: 1,
                }
            }
        }
    }

    pub fn digits(&self, number: u32) -> (i32, i32) {
        let count = i32::try_from(number.checked_ilog10().unwrap_or(0)).unwrap_or(0) + 1;
        (count * self.advance, self.cap)
    }

    pub fn plate(&self, number: u32) -> (i32, i32) {
        let (w, h) = self.digits(number);
        (w + 2 * self.pad_x, h + 2 * self.pad_y)
    }

    /// Extent of the plate on an element: a tight one where the usual one would cover the neighbours.
    fn plate_on(&self, number: u32, anchor: &PixelBox) -> (i32, i32) {
        let (pw, ph) = self.plate(number);
        if pw <= anchor.w && ph <= anchor.h {
            return (pw, ph);
        }
        let (w, h) = self.digits(number);
        let tight = 2 + self.cap / 16;
        (w + 2 * tight.min(self.pad_x), h + 2 * tight.min(self.pad_y))
    }
}

/// The width of a digit of this height: a property of the monospaced face.
fn digit_advance(cap: i32) -> i32 {
    (f64::from(cap) * 0.826).round() as i32
}

/// Finds a place for every number on a picture of `size` (width, height) in physical px, from the
/// elements alone; [`layout_on`] also spares what only the picture shows.
///
/// Without pixels there are no plates; else there is one for each tag whose element exists, in order.
pub fn layout(size: (u32, u32), elements: &[Element], tagged: &[Tagged], style: LabelStyle) -> Vec<Plate> {
    arrange(size, elements, tagged, style, None)
}

/// Finds a place for every number on a picture, on plain ground where there is some near.
///
/// Gives what [`layout`] gives, but none for a cell of a sheet whose number would hide what it shows: its address, which
/// the sheet's heads show, stands in the list.
pub fn layout_on<'a>(
    picture: impl Into<Raster<'a>>,
    elements: &[Element],
    tagged: &[Tagged],
    style: LabelStyle,
) -> Vec<Plate> {
    let picture = picture.into();
    // AppAgent's numbers lie on their elements whatever those show.
    let ink = (style == LabelStyle::Boxes && !tagged.is_empty()).then(|| Ink::of(picture));
    arrange(picture.size(), elements, tagged, style, ink)
}

fn arrange(
    size: (u32, u32),
    elements: &[Element],
    tagged: &[Tagged],
    style: LabelStyle,
    ink: Option<Ink>,
) -> Vec<Plate> {
    let (w, h) = (i32::try_from(size.0).unwrap_or(0), i32::try_from(size.1).unwrap_or(0));
    if w == 0 || h == 0 {
        return Vec::new();
    }
    let anchors: Vec<(&Tagged, &Element)> =
        tagged.iter().filter_map(|t| Some((t, elements.get(t.element)?))).collect();
    let metrics = Metrics::of(style, size);
    let mut placer = Placer::new(w, h, style, anchors.iter().map(|(_, e)| pixels(&e.bounds, w, h)).collect());
    let is_sheet = ink.is_some() && anchors.iter().filter(|(_, e)| is_cell(e)).count() >= FEW_CELLS;
    placer.ink = ink;
    let place = |(i, (t, e)): (usize, &(&Tagged, &Element))| {
        let (pw, ph) = metrics.plate_on(t.tag.0, &placer.anchors[i]);
        let px = match is_sheet && is_cell(e) {
            true => placer.place_in_cell(i, pw, ph)?,
            false => placer.place(i, pw.min(w), ph.min(h)),
        };
        let rect = Rect::new(px.x.into(), px.y.into(), px.w.into(), px.h.into());
        Some(Plate { tag: t.tag, rect, anchor: e.bounds })
    };
    anchors.iter().enumerate().filter_map(place).collect()
}

/// The bounds in whole pixels, at least one, inside the picture.
pub(super) fn pixels(r: &Rect<Physical>, w: i32, h: i32) -> PixelBox {
    let low = |v: f64, max: i32| (v.floor() as i32).clamp(0, max - 1);
    let (x, y) = (low(r.x, w), low(r.y, h));
    let right = (r.right().ceil() as i32).clamp(x + 1, w);
    let bottom = (r.bottom().ceil() as i32).clamp(y + 1, h);
    PixelBox::new(x, y, right - x, bottom - y)
}

struct Placer {
    screen: PixelBox,
    style: LabelStyle,
    anchors: Vec<PixelBox>,
    /// The elements that are small enough to be read by their content.
    small: Index,
    /// The anchor behind each box of `small`.
    small_anchor: Vec<usize>,
    plates: Index,
    /// What the picture shows, where it is known.
    ink: Option<Ink>,
    /// The smallest plate for which no place was left: nothing as large will find one later.
    full: Option<(i32, i32)>,
}

impl Placer {
    fn new(w: i32, h: i32, style: LabelStyle, anchors: Vec<PixelBox>) -> Self {
        let mut small = Index::new(w, h, 48);
        let mut small_anchor = Vec::new();
        for (i, a) in anchors.iter().enumerate() {
            if i64::from(a.w) * i64::from(a.h) * 16 <= i64::from(w) * i64::from(h) {
                small.insert(*a);
                small_anchor.push(i);
            }
        }
        let plates = Index::new(w, h, 48);
        Self {
            screen: PixelBox::new(0, 0, w, h),
            style,
            anchors,
            small,
            small_anchor,
            plates,
            ink: None,
            full: None,
        }
    }

    fn place(&mut self, i: usize, pw: i32, ph: i32) -> PixelBox {
        let anchor = self.anchors[i];
        let wanted = match self.style {
            LabelStyle::Boxes => box_places(&anchor, pw, ph),
            LabelStyle::Appagent => centre_places(&anchor, pw, ph),
        };
        let mut best: Option<(f32, PixelBox)> = None;
        for (rank, (x, y)) in wanted.iter().enumerate() {
            let p = PixelBox::new(*x, *y, pw, ph);
            if !self.screen.holds(&p) || self.plates.is_taken(&p.widened(GAP)) {
                continue;
            }
            let cost = match self.style {
                LabelStyle::Boxes => self.hidden(i, &p),
                LabelStyle::Appagent => 0.0,
            };
            if cost < GOOD_ENOUGH {
                best = Some((cost, p));
                break;
            }
            let cost = cost + rank as f32 * 0.01;
            if best.is_none_or(|(c, _)| cost < c) {
                best = Some((cost, p));
            }
        }
        let (x, y) = wanted.first().copied().unwrap_or((anchor.x, anchor.y));
        let start = PixelBox::new(x.clamp(0, self.screen.w - pw), y.clamp(0, self.screen.h - ph), pw, ph);
        let place = best.map(|(_, p)| p).or_else(|| self.walk(i, &start)).unwrap_or(start);
        self.plates.insert(place);
        place
    }

    /// A place within a cell of a sheet that hides nothing of what the cell shows.
    fn place_in_cell(&mut self, i: usize, pw: i32, ph: i32) -> Option<PixelBox> {
        let a = self.anchors[i];
        let (right, middle) = (a.right() - pw - GAP, a.y + (a.h - ph) / 2);
        let fits = |p: &PixelBox| {
            a.holds(p)
                && self.screen.holds(p)
                && !self.plates.is_taken(&p.widened(GAP))
                && self.ink.as_ref().is_none_or(|ink| ink.share(p) <= 0.0)
        };
        let place = [right, a.x + GAP].into_iter().map(|x| PixelBox::new(x, middle, pw, ph)).find(fits)?;
        self.plates.insert(place);
        Some(place)
    }

    /// How much a plate at `p` hides that somebody wants to read, and how far it looks like a neighbour's.
    fn hidden(&self, own: usize, p: &PixelBox) -> f32 {
        let area = p.area().max(1) as f32;
        let mine = self.anchors[own];
        let (mut cost, mut seen) = (self.ink.as_ref().map_or(0.0, |ink| ink.hidden(p)), Vec::new());
        let apart = p.overlap(&mine) == 0;
        for (slot, bounds) in self.small.hits(&p.grown(BESIDE)) {
            if seen.contains(&slot) {
                continue;
            }
            seen.push(slot);
            let text = core(bounds, p).overlap(p) as f32 / area;
            cost += if self.small_anchor[slot] == own {
                2.0 * text
            } else if bounds.overlap(p) == 0 {
                // Nothing is hidden, but in a dense toolbar the number reads as the neighbour's.
                if apart { BESIDE_COST } else { 0.0 }
            } else if bounds.holds(&mine) {
                text
            } else {
                2.0 * text + 0.6 * bounds.overlap(p) as f32 / area
            };
        }
        cost
    }

    /// The free place nearest to `start`, in widening rings; `None` when the picture is full.
    fn walk(&mut self, own: usize, start: &PixelBox) -> Option<PixelBox> {
        if self.full.is_some_and(|(w, h)| start.w >= w && start.h >= h) {
            return None;
        }
        let step = (start.h / 3).max(2);
        let reach = self.screen.w.max(self.screen.h) / step + 1;
        for ring in 1..=reach {
            let mut best: Option<(f32, PixelBox)> = None;
            for (dx, dy) in ring_offsets(ring) {
                let p = PixelBox { x: start.x + dx * step, y: start.y + dy * step, ..*start };
                if !self.screen.holds(&p) || self.plates.is_taken(&p.widened(GAP)) {
                    continue;
                }
                let cost = self.hidden(own, &p);
                if best.is_none_or(|(c, _)| cost < c) {
                    best = Some((cost, p));
                }
            }
            if let Some((_, p)) = best {
                return Some(p);
            }
        }
        self.full = Some((start.w, start.h));
        None
    }
}

/// Where the content of a small element most likely is: the middle, and to the left in what is wide.
fn core(bounds: &PixelBox, plate: &PixelBox) -> PixelBox {
    if bounds.h >= 3 * plate.h && bounds.w >= 3 * plate.w {
        // Tall and wide: a card or a picture. Its corners are free, its middle is not.
        return bounds.grown(-plate.h.min(bounds.h / 3));
    }
    let margin_y = bounds.h / 6;
    let (left, right) = if bounds.w >= 5 * plate.w { (0, plate.w + 4) } else { (bounds.w / 6, bounds.w / 6) };
    PixelBox::new(bounds.x + left, bounds.y + margin_y, bounds.w - left - right, bounds.h - 2 * margin_y)
}

/// Places for the corner of a box, best first.
fn box_places(a: &PixelBox, pw: i32, ph: i32) -> Vec<(i32, i32)> {
    let (left, right, top, bottom) = (a.x, a.right() - pw, a.y, a.bottom() - ph);
    let outside = [
        (left, a.y - ph),
        (a.x - pw, top),
        (right, a.y - ph),
        (a.right(), top),
        (a.x - pw, bottom),
        (a.right(), bottom),
        (left, a.bottom()),
        (right, a.bottom()),
    ];
    let inside = [(right, top), (left, top), (right, bottom), (left, bottom)];
    // What is much larger than its number carries it inside, where it cannot be taken for a neighbour's.
    let roomy = a.w >= 4 * pw && a.h >= 4 * ph;
    let mut places = Vec::with_capacity(40);
    if roomy {
        places.extend([inside[1], inside[0]]);
        places.extend(outside);
    } else {
        places.extend(outside);
        places.extend(inside);
    }
    for i in 1..=4 {
        let (x, y) = (left + i * pw / 2, top + i * ph / 2);
        if x < right {
            places.extend([(x, a.y - ph), (x, a.bottom()), (right - i * pw / 2, a.y - ph)]);
        }
        if y < bottom {
            places.extend([(a.x - pw, y), (a.right(), y)]);
        }
    }
    places
}

/// Places near the centre, best first.
///
/// What is tall enough carries its number right and below of its centre. On anything flatter that would
/// be the next row, so there the number stays on the element's own line and moves along it.
fn centre_places(a: &PixelBox, pw: i32, ph: i32) -> Vec<(i32, i32)> {
    let (cx, cy) = (a.x + a.w / 2, a.y + a.h / 2);
    let middle = cy - ph / 2;
    let mut places = Vec::with_capacity(24);
    if a.h >= 2 * ph {
        places.extend([(cx, cy), (cx, cy - ph), (cx - pw, cy), (cx - pw, cy - ph)]);
    } else if a.w >= 2 * pw {
        places.push((cx, middle));
    }
    places.push((cx - pw / 2, middle));
    for i in 1..=8 {
        let (right, left) = (cx + i * (pw + 2), cx - i * (pw + 2));
        if right + pw <= a.right() {
            places.extend([(right, middle), (left, middle)]);
        }
    }
    let (right, left) = (a.right() - pw, a.x);
    places.extend([(right, middle), (left, middle), (cx - pw / 2, cy), (cx - pw / 2, cy - ph)]);
    places
}

/// The offsets of a square ring around the origin, a fixed order.
fn ring_offsets(r: i32) -> impl Iterator<Item = (i32, i32)> {
    let rows = (-r..=r).flat_map(move |x| [(x, -r), (x, r)]);
    let columns = (1 - r..r).flat_map(move |y| [(-r, y), (r, y)]);
    rows.chain(columns)
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;

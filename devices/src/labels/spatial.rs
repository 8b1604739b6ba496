//! Whole-pixel boxes and the index that finds their neighbours.
//!
//! Invariant: a query reports every box that shares area with it (some of them more than once).

/// A box in whole physical pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PixelBox {
    pub x: i32,
    pub y: i32,
    pub w: i32,
    pub h: i32,
}

impl PixelBox {
    pub const fn new(x: i32, y: i32, w: i32, h: i32) -> Self {
        Self { x, y, w, h }
    }

    pub const fn right(&self) -> i32 {
        self.x + self.w
    }

    pub const fn bottom(&self) -> i32 {
        self.y + self.h
    }

    pub const fn area(&self) -> i32 {
        self.w * self.h
    }

    pub(crate) fn overlap(&self, other: &Self) -> i32 {
        let w = self.right().min(other.right()) - self.x.max(other.x);
        let h = self.bottom().min(other.bottom()) - self.y.max(other.y);
        if w > 0 && h > 0 { w * h } else { 0 }
    }

    pub const fn holds(&self, other: &Self) -> bool {
        other.x >= self.x
            && other.y >= self.y
            && other.right() <= self.right()
            && other.bottom() <= self.bottom()
    }

    pub(crate) const fn grown(&self, by: i32) -> Self {
        Self::new(self.x - by, self.y - by, self.w + 2 * by, self.h + 2 * by)
    }

    /// Wider by `by` on the left and on the right.
    pub(crate) const fn widened(&self, by: i32) -> Self {
        Self::new(self.x - by, self.y, self.w + 2 * by, self.h)
    }

    /// The gap between the two boxes, in pixels; 0 when they touch.
    pub fn gap(&self, other: &Self) -> i32 {
        let dx = (other.x - self.right()).max(self.x - other.right()).max(0);
        let dy = (other.y - self.bottom()).max(self.y - other.bottom()).max(0);
        dx.max(dy)
    }
}

/// Boxes filed by the cells of a coarse grid that they touch.
#[derive(Debug)]
pub(super) struct Index {
    cell: i32,
    cols: i32,
    rows: i32,
    cells: Vec<Vec<u32>>,
    boxes: Vec<PixelBox>,
}

impl Index {
    /// An empty index over a picture of this size, with cells of `cell` pixels.
    pub fn new(w: i32, h: i32, cell: i32) -> Self {
        let cell = cell.max(1);
        let (cols, rows) = (w / cell + 1, h / cell + 1);
        let count = usize::try_from(cols * rows).unwrap_or(1);
        Self { cell, cols, rows, cells: vec![Vec::new(); count], boxes: Vec::new() }
    }

    pub fn insert(&mut self, b: PixelBox) {
        let id = u32::try_from(self.boxes.len()).unwrap_or(u32::MAX);
        self.boxes.push(b);
        for slot in self.slots(&b) {
            if let Some(cell) = self.cells.get_mut(slot) {
                cell.push(id);
            }
        }
    }

    /// Every box that shares area with `b`, with its number; one that spans cells may come repeatedly.
    pub fn hits<'a>(&'a self, b: &'a PixelBox) -> impl Iterator<Item = (usize, &'a PixelBox)> + 'a {
        self.slots(b)
            .filter_map(|slot| self.cells.get(slot))
            .flatten()
            .filter_map(|id| self.boxes.get(*id as usize).map(|found| (*id as usize, found)))
            .filter(|(_, found)| found.overlap(b) > 0)
    }

    pub fn is_taken(&self, b: &PixelBox) -> bool {
        self.hits(b).next().is_some()
    }

    fn slots(&self, b: &PixelBox) -> impl Iterator<Item = usize> + use<> {
        let (cols, rows, cell) = (self.cols, self.rows, self.cell);
        let clamp = |v: i32, max: i32| v.div_euclid(cell).clamp(0, max - 1);
        let (x0, x1) = (clamp(b.x, cols), clamp(b.right(), cols));
        let (y0, y1) = (clamp(b.y, rows), clamp(b.bottom(), rows));
        (y0..=y1).flat_map(move |y| (x0..=x1).filter_map(move |x| usize::try_from(y * cols + x).ok()))
    }
}

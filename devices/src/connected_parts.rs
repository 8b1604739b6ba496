//! Connected parts of a mask: a picture of cells that are marked (above 0) or not.

use image::{GrayImage, Luma};
use imageproc::region_labelling::{Connectivity, connected_components};

/// Cells that touch each other, corners included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectedPart {
    pub left: u32,
    pub top: u32,
    pub right: u32,
    pub bottom: u32,
    pub cells: u32,
}

/// The connected parts of `mask`, in reading order of their first cells. Only cells that are marked in `counted`, of the
/// same size, count for the bounds and the number of cells: a part may be connected by cells that were added for it. Parts
/// without such a cell are left out.
pub fn connected_parts(mask: &GrayImage, counted: &GrayImage) -> Vec<ConnectedPart> {
    let labels = connected_components(mask, Connectivity::Eight, Luma([0]));
    let mut parts: Vec<Option<ConnectedPart>> = Vec::new();
    let wide = mask.width().max(1) as usize;
    for (y, (labels, cells)) in (0..).zip(labels.chunks_exact(wide).zip(counted.chunks_exact(wide))) {
        for (x, (label, cell)) in (0..).zip(labels.iter().zip(cells)) {
            if *label == 0 || *cell == 0 {
                continue;
            }
            let label = *label as usize;
            if parts.len() <= label {
                parts.resize(label + 1, None);
            }
            let new = ConnectedPart { left: x, top: y, right: x, bottom: y, cells: 0 };
            let part = parts[label].get_or_insert(new);
            (part.left, part.right) = (part.left.min(x), part.right.max(x));
            (part.bottom, part.cells) = (y, part.cells + 1);
        }
    }
    parts.into_iter().flatten().collect()
}

/// How far each marked cell reaches, in cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    pub left: u8,
    pub right: u8,
    pub up: u8,
    pub down: u8,
}

/// The mask in which every marked cell has its surroundings marked as well. The library's dilation looks at every cell
/// once for each cell of its reach, this at each about once.
pub fn widened(mask: &GrayImage, reach: Reach) -> GrayImage {
    let (w, h) = (mask.width() as usize, mask.height() as usize);
    let [left, right, up, down] = [reach.left, reach.right, reach.up, reach.down].map(usize::from);
    let wide = spread(mask, Lines { count: h, apart: w, cells: w, stride: 1 }, left, right);
    let all = spread(&wide, Lines { count: w, apart: 1, cells: h, stride: w }, up, down);
    GrayImage::from_raw(mask.width(), mask.height(), all).unwrap_or_default()
}

/// How the lines of a mask lie in its bytes.
#[derive(Clone, Copy)]
struct Lines {
    count: usize,
    /// Bytes between the first cells of two lines.
    apart: usize,
    cells: usize,
    /// Bytes between two cells of a line.
    stride: usize,
}

fn spread(from: &[u8], lines: Lines, before: usize, after: usize) -> Vec<u8> {
    let mut out = vec![0; from.len()];
    for line in 0..lines.count {
        let start = line * lines.apart;
        let mut done = 0;
        for at in 0..lines.cells {
            if from[start + at * lines.stride] > 0 {
                let end = (at + after + 1).min(lines.cells);
                for cell in done.max(at.saturating_sub(before))..end {
                    out[start + cell * lines.stride] = 255;
                }
                done = end;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(w: u32, h: u32, cells: &[(u32, u32)]) -> GrayImage {
        let mut mask = GrayImage::new(w, h);
        cells.iter().for_each(|(x, y)| mask.put_pixel(*x, *y, Luma([255])));
        mask
    }

    #[test]
    fn cells_reach_as_far_as_they_are_asked_to() {
        let wide = widened(&mask(20, 20, &[(10, 10), (0, 19)]), Reach { left: 3, right: 2, up: 1, down: 0 });
        let marked: Vec<(u32, u32)> =
            wide.enumerate_pixels().filter(|(_, _, cell)| cell.0[0] > 0).map(|(x, y, _)| (x, y)).collect();
        let expected = (9..=10u32).flat_map(|y| (7..=12).map(move |x| (x, y)));
        let corner = (18..=19u32).flat_map(|y| (0..=2).map(move |x| (x, y)));
        assert_eq!(marked, expected.chain(corner).collect::<Vec<_>>());
        assert!(widened(&GrayImage::new(0, 0), Reach::default()).is_empty());
    }

    #[test]
    fn what_is_near_is_one_part_and_added_cells_do_not_count() {
        let near = mask(12, 3, &[(0, 0), (3, 0), (8, 2)]);
        let joined = |right| connected_parts(&widened(&near, Reach { right, ..Reach::default() }), &near);
        let part = |left, top, right, cells| ConnectedPart { left, top, right, bottom: top, cells };
        assert_eq!(joined(1), [part(0, 0, 0, 1), part(3, 0, 3, 1), part(8, 2, 8, 1)]);
        assert_eq!(joined(2), [part(0, 0, 3, 2), part(8, 2, 8, 1)]);
        assert_eq!(
            connected_parts(&mask(3, 3, &[(0, 0), (1, 1), (2, 0)]), &mask(3, 3, &[(1, 1)])),
            [part(1, 1, 1, 1)]
        );
        assert_eq!(connected_parts(&mask(3, 3, &[(1, 1)]), &mask(3, 3, &[])), []);
        assert_eq!(connected_parts(&GrayImage::new(0, 0), &GrayImage::new(0, 0)), []);
    }
}

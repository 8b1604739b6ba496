//! Straight lines of a picture that part it into rows and columns.

use image::RgbImage;

/// The least difference of neighbouring greys that counts as the side of a line.
const EDGE: u8 = 10;
/// The share of a line's length on which it must be seen: content lies on parts of it.
const LENGTH: f64 = 0.6;
/// The least rows and columns of a grid.
const LEAST: usize = 3;
/// The least and largest height of a row, in pixels.
const HEIGHTS: (u32, u32) = (10, 160);
/// The least and largest width of a column, in pixels.
const WIDTHS: (u32, u32) = (16, 700);
/// How far the grounds of heads and cells differ at least.
const TINT: u8 = 4;
/// What is at most this bright is dark.
const DARK: u8 = 96;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    across: Vec<u32>,
    down: Vec<u32>,
}

pub fn find(picture: &RgbImage) -> Option<Lines> {
    let (w, h) = picture.dimensions();
    if w < WIDTHS.0 * 3 || h < HEIGHTS.0 * 3 {
        return None;
    }
    let grey = |x: u32, y: u32| grey(picture, x, y);
    let mut across_counts = vec![0_u32; h as usize];
    let mut down_counts = vec![0_u32; w as usize];
    for y in 1..h {
        for x in 1..w {
            let here = grey(x, y);
            across_counts[y as usize] += u32::from(here.abs_diff(grey(x, y - 1)) >= EDGE);
            down_counts[x as usize] += u32::from(here.abs_diff(grey(x - 1, y)) >= EDGE);
        }
    }
    let across = lines(&across_counts, w, HEIGHTS);
    let down = lines(&down_counts, h, WIDTHS);
    (across.len() > LEAST && down.len() > LEAST).then_some(Lines { across, down })
}

fn lines(counts: &[u32], length: u32, distances: (u32, u32)) -> Vec<u32> {
    let mut at: Vec<u32> = Vec::new();
    for (n, count) in (0_u32..).zip(counts) {
        let seen = f64::from(*count) >= f64::from(length) * LENGTH;
        // A line has two sides; of a thick one the far side counts.
        if seen && at.last().is_some_and(|last| n - last <= 3) {
            at.pop();
        }
        if seen {
            at.push(n);
        }
    }
    let mut best: &[u32] = &[];
    let mut start = 0;
    for end in 1..=at.len() {
        let fits =
            at.get(end).is_some_and(|next| (distances.0..=distances.1).contains(&(next - at[end - 1])));
        if !fits {
            if end - start > best.len() {
                best = &at[start..end];
            }
            start = end;
        }
    }
    best.to_vec()
}

impl Lines {
    pub fn rows(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.across.windows(2).filter_map(pair)
    }

    pub fn columns(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.down.windows(2).filter_map(pair)
    }

    /// Whether the first row has another ground than the second.
    pub fn has_head_row(&self, picture: &RgbImage) -> bool {
        let column = self.columns().last();
        let tints = column.map(|column| self.rows().take(2).map(move |row| ground(picture, row, column)));
        tints.is_some_and(|tints| differ(&tints.collect::<Vec<u8>>()))
    }

    /// Whether the first column has another ground than the second.
    pub fn has_head_column(&self, picture: &RgbImage) -> bool {
        let row = self.rows().last();
        let tints = row.map(|row| self.columns().take(2).map(move |column| ground(picture, row, column)));
        tints.is_some_and(|tints| differ(&tints.collect::<Vec<u8>>()))
    }
}

fn pair(two: &[u32]) -> Option<(u32, u32)> {
    let [a, b] = two else { return None };
    Some((*a, *b))
}

fn differ(tints: &[u8]) -> bool {
    let [a, b] = tints else { return false };
    a.abs_diff(*b) >= TINT
}

fn grey(picture: &RgbImage, x: u32, y: u32) -> u8 {
    let [r, g, b] = picture.get_pixel(x, y).0.map(u32::from);
    u8::try_from((r * 5 + g * 9 + b * 2) / 16).unwrap_or(u8::MAX)
}

fn ground(picture: &RgbImage, row: (u32, u32), column: (u32, u32)) -> u8 {
    let mut counts = [0_u32; 256];
    for y in row.0 + 2..row.1.saturating_sub(2).max(row.0 + 3) {
        for x in column.0 + 2..column.1.saturating_sub(2).max(column.0 + 3) {
            counts[usize::from(grey(picture, x, y))] += 1;
        }
    }
    let most = (0_u8..=255).max_by_key(|grey| counts[usize::from(*grey)]);
    most.unwrap_or_default()
}

pub fn has_frame(picture: &RgbImage, row: (u32, u32), column: (u32, u32)) -> bool {
    let dark = |x: u32, y: u32| x < picture.width() && y < picture.height() && grey(picture, x, y) <= DARK;
    // The frame may lie two pixels on either side of the line.
    let near = |at: u32| at.saturating_sub(3)..=at + 2;
    let sides_across = [row.0, row.1].map(|y| {
        let seen =
            (column.0 + 3..column.1.saturating_sub(6)).filter(|x| near(y).any(|y| dark(*x, y))).count();
        (seen, column.1.saturating_sub(6).saturating_sub(column.0 + 3))
    });
    let sides_down = [column.0, column.1].map(|x| {
        let seen = (row.0 + 3..row.1.saturating_sub(6)).filter(|y| near(x).any(|x| dark(x, *y))).count();
        (seen, row.1.saturating_sub(6).saturating_sub(row.0 + 3))
    });
    [sides_across, sides_down].iter().flatten().all(|(seen, all)| *seen * 10 >= *all as usize * 8)
}

/// `A1` for the first cell of a sheet; row and column count from zero.
pub fn address(row: usize, column: usize) -> String {
    let mut letters = Vec::new();
    let mut left = Some(column);
    while let Some(column) = left {
        letters.push(char::from(b'A' + u8::try_from(column % 26).unwrap_or_default()));
        left = (column / 26).checked_sub(1);
    }
    letters.iter().rev().collect::<String>() + &(row + 1).to_string()
}

/// Row and column of an address, counted from zero; of a range those of its first cell.
pub fn place(address: &str) -> Option<(usize, usize)> {
    let first = address.split(':').next().unwrap_or_default();
    let end = first.find(|c: char| !c.is_ascii_uppercase()).filter(|end| (1..=3).contains(end))?;
    let (letters, digits) = first.split_at(end);
    if digits.len() > 7 || digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let column = letters.bytes().fold(0, |all, b| all * 26 + usize::from(b - b'A') + 1);
    Some((digits.parse::<usize>().ok()? - 1, column - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    #[test]
    fn addresses_are_read_as_they_are_written() {
        for (row, column, text) in
            [(0, 0, "A1"), (9, 25, "Z10"), (0, 26, "AA1"), (1_048_575, 16_383, "XFD1048576")]
        {
            assert_eq!(address(row, column), text);
            assert_eq!(place(text), Some((row, column)));
        }
        assert_eq!(place("B2:C9"), Some((1, 1)));
        for text in ["", "A", "1", "A0", "a1", "ABCD1", "A1x", "100%", "A12345678"] {
            assert_eq!(place(text), None, "{text}");
        }
    }

    #[test]
    fn text_and_frames_are_no_grid() {
        let mut picture = RgbImage::from_pixel(400, 300, Rgb([255; 3]));
        assert_eq!(find(&picture), None);
        // A box with a heading and lines of text.
        for x in 10..390 {
            for y in [10, 40, 290] {
                picture.put_pixel(x, y, Rgb([0; 3]));
            }
        }
        for (line, letter) in (0..8).flat_map(|line| (0..50).map(move |letter| (line, letter))) {
            for (x, y) in (0..4).flat_map(|x| (0..8).map(move |y| (x, y))) {
                picture.put_pixel(20 + letter * 7 + x, 60 + line * 20 + y, Rgb([0; 3]));
            }
        }
        assert_eq!(find(&picture), None);
        assert_eq!(find(&RgbImage::new(0, 0)), None);
    }
}

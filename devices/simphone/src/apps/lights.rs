//! A game on a canvas: tiles that are on or off; a touch turns a tile and its four neighbours; all must be off.
//!
//! The tree holds one `SurfaceView` and nothing else, as games do: what is on it is known from the picture alone.
//! Provider: `content://lights/game` (`_id` 1, `level`, `moves`, `board` of 25 digits, `lit`, `solved` levels).

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::apps::prelude::*;

pub const PACKAGE: &str = "com.waldo.lights";
const SIDE: usize = 5;

const GROUND: Tone = Tone::Rgb(0x14, 0x1a, 0x2b);
const ON: Tone = Tone::Rgb(0xff, 0xc9, 0x3c);
const OFF: Tone = Tone::Rgb(0x2c, 0x36, 0x52);
const INK: Tone = Tone::Rgb(0xe8, 0xec, 0xf6);
const GOOD: Tone = Tone::Rgb(0x4c, 0xc3, 0x8a);

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Lights {
    seed: u64,
    level: i64,
    moves: i64,
    solved: i64,
    board: Vec<bool>,
}

/// Where things stand on the canvas, in dp.
#[derive(Debug, Clone, Copy)]
struct LightsLayout {
    left: f32,
    top: f32,
    cell: f32,
    /// The middle of the button that begins the level again, and its radius.
    again: (f32, f32, f32),
    /// Where the numbers of level and moves begin, and their height.
    level: (f32, f32),
    moves: (f32, f32),
    digit: f32,
}

/// From the canvas's width and height, status and navigation bars not counted.
fn plan(w: f32, h: f32) -> LightsLayout {
    if w > h {
        let board = h * 0.86;
        let (left, top) = ((w - board) / 2.0, (h - board) / 2.0);
        let side = left / 2.0;
        let digit = 40.0;
        return LightsLayout {
            left,
            top,
            cell: board / 5.0,
            again: (w - side, h * 0.62, 34.0),
            level: (side - digit * 0.9, h * 0.3),
            moves: (w - side - digit * 0.9, h * 0.2),
            digit,
        };
    }
    let board = (w * 0.9).min(h * 0.6);
    let (left, top) = ((w - board) / 2.0, (h - board) * 0.48);
    LightsLayout {
        left,
        top,
        cell: board / 5.0,
        again: (w / 2.0, top + board + (h - top - board) * 0.45, 36.0),
        level: (left + 6.0, top * 0.45),
        moves: (left + board - 46.0 * 1.34, top * 0.45),
        digit: 46.0,
    }
}

/// Which of the seven bars make a digit: top, upper left, upper right, middle, lower left, lower right, bottom.
const SEGMENTS: [u8; 10] = [
    0b1110111, 0b0010010, 0b1011101, 0b1011011, 0b0111010, 0b1101011, 0b1101111, 0b1010010, 0b1111111,
    0b1111011,
];

fn digits(number: i64, (x, y): (f32, f32), high: f32, tone: Tone, out: &mut Vec<Shape>) {
    let (w, h) = (high * 0.5, high);
    for (i, d) in format!("{:02}", number.clamp(0, 99)).bytes().enumerate() {
        let bars = SEGMENTS.get(usize::from(d - b'0')).copied().unwrap_or(0);
        let l = x + if i == 0 { 0.0 } else { high * 0.78 };
        let (r, m, b) = (l + w, y + h / 2.0, y + h);
        let lines = [
            ((l, y), (r, y)),
            ((l, y), (l, m)),
            ((r, y), (r, m)),
            ((l, m), (r, m)),
            ((l, m), (l, b)),
            ((r, m), (r, b)),
            ((l, b), (r, b)),
        ];
        for (at, (from, to)) in lines.into_iter().enumerate() {
            if (bars >> (6 - at)) & 1 == 1 {
                out.push(Shape::new(Outline::Stroke(vec![from, to], high * 0.11), tone));
            }
        }
    }
}

impl Lights {
    /// Lays a level: from all off by touches, so that it can be solved.
    fn lay(&mut self) {
        let level = u64::try_from(self.level).unwrap_or(0);
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed.wrapping_mul(1_000_003).wrapping_add(level));
        self.board = vec![false; SIDE * SIDE];
        self.moves = 0;
        let touches = usize::try_from(self.level + 1).unwrap_or(2).min(12);
        let mut cells: Vec<usize> = (0..SIDE * SIDE).collect();
        for i in 0..touches {
            let j = rng.random_range(i..cells.len());
            cells.swap(i, j);
            if let Some(c) = cells.get(i).copied() {
                self.flip(c % SIDE, c / SIDE);
            }
        }
        if self.lit() == 0 {
            self.flip(2, 2);
        }
    }

    fn lit(&self) -> usize {
        self.board.iter().filter(|b| **b).count()
    }

    fn flip(&mut self, x: usize, y: usize) {
        let around = [Some((x, y)), x.checked_sub(1).map(|x| (x, y)), y.checked_sub(1).map(|y| (x, y))];
        for (x, y) in around.into_iter().flatten().chain([(x + 1, y), (x, y + 1)]) {
            if x < SIDE
                && let Some(b) = self.board.get_mut(y * SIDE + x)
            {
                *b = !*b;
            }
        }
    }

    fn touch(&mut self, x: f32, y: f32, p: LightsLayout) {
        let (ax, ay, r) = p.again;
        if (x - ax).hypot(y - ay) <= r + 6.0 {
            return self.lay();
        }
        let at = |v: f32, from: f32| usize::try_from(((v - from) / p.cell).floor() as i64).ok();
        let (Some(column), Some(row)) = (at(x, p.left), at(y, p.top)) else { return };
        if column >= SIDE || row >= SIDE {
            return;
        }
        if self.lit() == 0 {
            // The board shows its tick: a touch goes on.
            self.level += 1;
            return self.lay();
        }
        self.moves += 1;
        self.flip(column, row);
        if self.lit() == 0 {
            self.solved += 1;
        }
    }

    fn shapes(&self, p: LightsLayout) -> Vec<Shape> {
        let mut out = Vec::new();
        digits(self.level, p.level, p.digit, INK, &mut out);
        digits(self.moves, p.moves, p.digit, ON, &mut out);
        let board = p.cell * 5.0;
        let done = self.lit() == 0;
        for (i, on) in (0_u8..25).zip(&self.board) {
            let (x, y) = (p.left + f32::from(i % 5) * p.cell, p.top + f32::from(i / 5) * p.cell);
            let gap = p.cell * 0.06;
            let tone = if *on { ON } else { OFF };
            let form = Outline::Box(x + gap, y + gap, x + p.cell - gap, y + p.cell - gap, p.cell * 0.18);
            out.push(Shape::new(form, tone));
            if *on {
                let (cx, cy) = (x + p.cell / 2.0, y + p.cell / 2.0);
                out.push(Shape::new(Outline::Disc(cx, cy, p.cell * 0.2), Tone::Rgb(0xff, 0xee, 0xb0)));
            }
        }
        if done {
            let (cx, cy, r) = (p.left + board / 2.0, p.top + board / 2.0, board * 0.28);
            out.push(Shape::new(Outline::Disc(cx, cy, r), GOOD));
            let tick = vec![(cx - r * 0.45, cy), (cx - r * 0.1, cy + r * 0.35), (cx + r * 0.5, cy - r * 0.4)];
            out.push(Shape::new(Outline::Stroke(tick, r * 0.16), GROUND));
        }
        let (x, y, r) = p.again;
        out.push(Shape::new(Outline::Disc(x, y, r), OFF));
        let ring = (0..=14_u8).map(|i| {
            let a = f32::from(i) / 14.0 * 5.0 - 0.9;
            (x + a.cos() * r * 0.5, y + a.sin() * r * 0.5)
        });
        out.push(Shape::new(Outline::Stroke(ring.collect(), r * 0.13), INK));
        let (tx, ty) = (x + 0.62 * r * 0.5, y - 0.78 * r * 0.5);
        let head = vec![
            (tx - r * 0.34, ty + r * 0.04),
            (tx + r * 0.12, ty - r * 0.3),
            (tx + r * 0.14, ty + r * 0.2),
        ];
        out.push(Shape::new(Outline::Fill(head), INK));
        out
    }
}

impl App for Lights {
    fn fresh(seed: &mut Seed) -> Self {
        let seed = u64::try_from(seed.int(1, 1_000_000)).unwrap_or(1);
        let mut all = Self { seed, level: 1, moves: 0, solved: 0, board: Vec::new() };
        all.lay();
        all
    }

    fn draw(&self, _: &str, _: (f32, f32), _: &Activity, cx: &Cx<'_>) -> Vec<Shape> {
        self.shapes(plan(cx.width, cx.height))
    }

    fn on_event(&mut self, _: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        if let UiEventKind::Drag(x, y, TouchPhase::Down) = ev.kind {
            let (w, h) = sys.canvas_size();
            self.touch(x as f32, y as f32, plan(w, h));
        }
    }

    fn rows(&self, table: &str) -> Option<Vec<ProviderRow>> {
        (table == "lights/game").then(|| {
            let board: String = self.board.iter().map(|b| if *b { '1' } else { '0' }).collect();
            vec![row! {
                _id: 1, level: self.level, moves: self.moves, board: board,
                lit: i64::try_from(self.lit()).unwrap_or(0), solved: self.solved,
            }]
        })
    }

    fn put_row(&mut self, table: &str, row: &ProviderRow) -> Result<i64, String> {
        let board = row.text("board");
        if table != "lights/game" || board.len() != SIDE * SIDE {
            return Err("board has 25 digits of 0 and 1".to_owned());
        }
        self.level = row.int("level").unwrap_or(self.level).max(1);
        self.moves = row.int("moves").unwrap_or(0);
        self.board = board.chars().map(|c| c == '1').collect();
        Ok(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::drive::AppDriver;

    fn cell(d: &mut AppDriver, column: u8, row: u8) {
        let xml = d.xml();
        let at = xml.find("android.view.SurfaceView").unwrap();
        let n: Vec<f32> = xml[at..]
            .split("bounds=\"")
            .nth(1)
            .unwrap()
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|p| p.parse().ok())
            .take(4)
            .collect();
        let scale = d.w.display.scale();
        let p = plan((n[2] - n[0]) / scale, (n[3] - n[1]) / scale);
        let x = n[0] + (p.left + (f32::from(column) + 0.5) * p.cell) * scale;
        let y = n[1] + (p.top + (f32::from(row) + 0.5) * p.cell) * scale;
        let (x, y) = (x as i32, y as i32);
        d.press(crate::ui::geometry::Rect::new(x, y, x, y), 20);
    }

    #[test]
    fn the_tree_is_one_surface_and_touches_turn_the_right_tiles() {
        let mut d = AppDriver::of(PACKAGE);
        let xml = d.xml();
        assert_eq!(xml.matches("android.view.SurfaceView").count(), 1);
        let after = &xml[xml.find("android.view.SurfaceView").unwrap()..];
        assert!(!after.contains("<node"), "nothing is in it nor after it");
        assert!(!xml.contains(" clickable=\"true\""));
        let dark = row! { board: "0".repeat(25), level: 1 };
        d.w.insert("content://lights/game", &dark.with("board", format!("{:025}", 1))).unwrap();
        cell(&mut d, 3, 4);
        let row = d.rows("content://lights/game", "").remove(0);
        assert_eq!(row.text("board"), "0000000000000000001000110");
        assert_eq!(row.int("moves"), Some(1));
        d.again();
        assert_eq!(d.rows("content://lights/game", "").remove(0), row);
    }

    #[test]
    fn a_solved_board_leads_to_the_next_level() {
        let mut d = AppDriver::of(PACKAGE);
        let cross = "0000000100011100010000000";
        d.w.insert("content://lights/game", &ProviderRow::default().with("board", cross)).unwrap();
        cell(&mut d, 2, 2);
        let row = d.rows("content://lights/game", "").remove(0);
        assert_eq!((row.int("lit"), row.int("solved"), row.int("level")), (Some(0), Some(1), Some(1)));
        cell(&mut d, 0, 0);
        let row = d.rows("content://lights/game", "").remove(0);
        assert_eq!((row.int("level"), row.int("moves")), (Some(2), Some(0)));
        assert!(row.int("lit") > Some(0));
    }
}

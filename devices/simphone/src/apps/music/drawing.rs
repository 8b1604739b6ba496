use super::FRAME_MS;
use crate::apps::prelude::*;

fn phase(now_ms: u64, period: u64) -> f32 {
    (now_ms % period) as f32 / period as f32
}

pub(super) fn bars(playing: bool, now_ms: u64, side: f32) -> Vec<Shape> {
    let now = now_ms / FRAME_MS * FRAME_MS;
    let tau = std::f32::consts::TAU;
    let shapes = [(0.0, 900), (1.0, 700), (2.0, 1_100), (3.0, 600)].map(|(i, period)| {
        let high = if playing { 0.55 + 0.4 * (tau * (phase(now, period) + i * 0.21)).sin() } else { 0.15 };
        let (w, x) = (side * 0.16, side * (0.08 + 0.23 * i));
        let form = Outline::Box(x, side * (1.0 - high), x + w, side, w * 0.3);
        Shape::new(form, Tone::Primary)
    });
    shapes.to_vec()
}

pub(super) fn disc(title: &str, playing: bool, now_ms: u64, side: f32) -> Vec<Shape> {
    let now = now_ms / FRAME_MS * FRAME_MS;
    let turn = if playing { phase(now, 4_000) * std::f32::consts::TAU } else { 0.6 };
    let c = side / 2.0;
    let at = |angle: f32, r: f32| (c + angle.cos() * r * c, c + angle.sin() * r * c);
    let dark = Tone::Rgb(0x22, 0x24, 0x29);
    let groove = Tone::Rgb(0x4a, 0x4e, 0x58);
    let mut shapes = vec![Shape::new(Outline::Disc(c, c, c * 0.96), dark)];
    shapes.extend([0.9, 0.8, 0.7, 0.6].map(|r| Shape::new(Outline::Ring(c, c, c * r, 1.2), groove)));
    shapes.push(Shape::new(Outline::Disc(c, c, c * 0.44), colour_of(title)));
    for (i, angle) in (0_u8..3).map(|i| (i, turn + f32::from(i) * std::f32::consts::TAU / 3.0)) {
        let (x, y) = at(angle, 0.3);
        let size = if i == 0 { 0.07 } else { 0.04 };
        shapes.push(Shape::new(Outline::Disc(x, y, c * size), Tone::WHITE));
    }
    let shine = vec![at(turn, 0.55), at(turn, 0.92)];
    shapes.push(Shape::new(Outline::Stroke(shine, 3.0), Tone::Rgb(0x8e, 0x93, 0xa0)));
    shapes.push(Shape::new(Outline::Disc(c, c, c * 0.05), dark));
    shapes
}

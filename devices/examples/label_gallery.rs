//! Paints every look of the numbers on a light, a dark and a noisy screen, for the eye to judge.
//!
//! `cargo run -p waldo-devices --example label_gallery [FOLDER]`: writes PNG files and prints the times.

use std::path::PathBuf;
use std::time::Instant;

use image::{Rgb, RgbImage};
use waldo_devices::labels::{
    Grid, LabelStyle, Tagged, encode_png, layout_on, mark_path, mark_point, paint, paint_grid, paint_plates,
    select,
};
use waldo_devices::{Affordance, Element, ElementRef, Point, Rect, Role, States};

const SIZES: [(u32, u32); 3] = [(1280, 800), (1080, 2400), (320, 220)];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    for (w, h) in SIZES {
        let elements = screen(w, h);
        let tagged = select(&elements, 100);
        for (ground, picture) in [
            ("light", ui(w, h, &elements, [250, 225, 40])),
            ("dark", ui(w, h, &elements, [28, 52, 215])),
            ("noisy", noise(w, h)),
        ] {
            let save = |name: &str, picture: &RgbImage| -> Result<(), Box<dyn std::error::Error>> {
                let path = folder.join(format!("gallery-{w}x{h}-{ground}-{name}.png"));
                std::fs::write(&path, encode_png(picture)?)?;
                println!("{}", path.display());
                Ok(())
            };
            for (name, style) in [("boxes", LabelStyle::Boxes), ("appagent", LabelStyle::Appagent)] {
                save(name, &paint(&picture, &elements, &tagged, style).flat())?;
                times(&picture, &elements, &tagged, style);
            }
            let mut marked = paint_grid(&picture, &Grid::for_size(w, h));
            let at = |fx: f64, fy: f64| Point::new(fx * f64::from(w), fy * f64::from(h));
            mark_point(&mut marked, at(0.3, 0.3));
            mark_path(&mut marked, &[at(0.5, 0.8), at(0.7, 0.5), at(0.8, 0.55)]);
            save("grid", &marked)?;
        }
    }
    Ok(())
}

fn times(picture: &RgbImage, elements: &[Element], tagged: &[Tagged], style: LabelStyle) {
    let runs = 50;
    let start = Instant::now();
    for _ in 0..runs {
        std::hint::black_box(layout_on(picture, elements, tagged, style));
    }
    let placed = start.elapsed() / runs;
    let plates = layout_on(picture, elements, tagged, style);
    let start = Instant::now();
    for _ in 0..runs {
        std::hint::black_box(paint_plates(picture, &plates, style));
    }
    println!("  {style:?}, {} numbers: layout {placed:?}, paint {:?}", plates.len(), start.elapsed() / runs);
}

/// A toolbar of icons, a form, a list of links, a table of small cells, cards and a large pane.
fn screen(w: u32, h: u32) -> Vec<Element> {
    let (w, h) = (f64::from(w), f64::from(h));
    let u = (w.min(h) / 800.0).max(0.55);
    let mut all = Vec::new();
    let mut add = |role: &str, what: Affordance, x: f64, y: f64, bw: f64, bh: f64| {
        let (bw, bh) = (bw.min(w - x), bh.min(h - y));
        if bw > 2.0 && bh > 2.0 {
            all.push(Element {
                handle: ElementRef(all.len().to_string()),
                role: Role::new(role),
                name: format!("{role} {}", all.len()),
                value: None,
                states: States::default(),
                affordances: vec![what],
                bounds: Rect::new(x, y, bw, bh),
                hit: Point::new(x + bw / 2.0, y + bh / 2.0),
                options: Vec::new(),
                frame: 0,
                uid: None,
                id: None,
                source: waldo_devices::Source::Tree,
            });
        }
    };
    for i in 0..9 {
        add("icon", Affordance::Click, (8.0 + 40.0 * f64::from(i)) * u, 6.0 * u, 32.0 * u, 32.0 * u);
    }
    for i in 0..5 {
        let y = (70.0 + 52.0 * f64::from(i)) * u;
        add("input", Affordance::Edit, 120.0 * u, y, 260.0 * u, 34.0 * u);
        add("button", Affordance::Click, 390.0 * u, y, 80.0 * u, 34.0 * u);
    }
    for i in 0..10 {
        add("link", Affordance::Click, 16.0 * u, (350.0 + 20.0 * f64::from(i)) * u, 180.0 * u, 20.0 * u);
    }
    for i in 0..21 {
        let (col, row) = (f64::from(i % 7), f64::from(i / 7));
        add(
            "cell",
            Affordance::Click,
            (230.0 + 34.0 * col) * u,
            (360.0 + 28.0 * row) * u,
            34.0 * u,
            28.0 * u,
        );
    }
    add("pane", Affordance::Scroll, 500.0 * u, 60.0 * u, w - 520.0 * u, h - 80.0 * u);
    for i in 0..8 {
        let (col, row) = (f64::from(i % 2), f64::from(i / 2));
        add(
            "card",
            Affordance::Click,
            (520.0 + 150.0 * col) * u,
            (80.0 + 150.0 * row) * u,
            136.0 * u,
            136.0 * u,
        );
    }
    add("tab", Affordance::Click, 0.0, h - 36.0 * u, w / 2.0, 36.0 * u);
    add("tab", Affordance::Click, w / 2.0, h - 36.0 * u, w / 2.0, 36.0 * u);
    all
}

/// A plain screen: ground, surfaces, and bars where text would be.
fn ui(w: u32, h: u32, elements: &[Element], [ground, surface, ink]: [u8; 3]) -> RgbImage {
    let mut picture = RgbImage::from_pixel(w, h, Rgb([ground; 3]));
    let mut bar = |x: f64, y: f64, bw: f64, bh: f64, level: u8| {
        for py in y.max(0.0) as u32..((y + bh) as u32).min(h) {
            for px in x.max(0.0) as u32..((x + bw) as u32).min(w) {
                picture.put_pixel(px, py, Rgb([level; 3]));
            }
        }
    };
    for e in elements {
        let b = e.bounds;
        if e.role.as_str() != "link" {
            bar(b.x, b.y, b.w, b.h, surface);
        }
        let (count, left) = if b.w > 100.0 { (6, 6.0) } else { (3, b.w * 0.25) };
        let size = (b.h * 0.4).min(14.0);
        for i in 0..count {
            let x = b.x + left + f64::from(i) * size * 0.7;
            if e.role.as_str() != "pane" && x + size < b.right() {
                bar(x, b.center().y - size / 2.0, size * 0.5, size, ink);
            }
        }
    }
    picture
}

/// A busy picture: waves of colour under fine noise.
fn noise(w: u32, h: u32) -> RgbImage {
    let mut state = 0x2545_F491_u32;
    RgbImage::from_fn(w, h, |x, y| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        let (x, y) = (f64::from(x) / 60.0, f64::from(y) / 45.0);
        let wave = |p: f64| {
            ((x + p).sin() * (y - p).cos() * 90.0 + 128.0 + f64::from(state >> 26)).clamp(0.0, 255.0) as u8
        };
        Rgb([wave(0.0), wave(1.3), wave(2.9)])
    })
}

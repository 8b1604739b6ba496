//! What a step costs outside browser and model: `cargo bench --bench pure`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use image::{Rgb, RgbImage};
use waldo_agents::appagent::{PictureForm, parse};
use waldo_devices::{Affordance, Element, LabelStyle, Rect, labels};
use waldo_tasks::score::{Scored, summarize};

fn elements(count: u32) -> Vec<Element> {
    (0..count)
        .map(|n| {
            let bounds =
                Rect::new(f64::from(n % 10) * 126.0 + 6.0, f64::from(n / 10) * 70.0 + 12.0, 92.0, 26.0);
            Element {
                name: format!("Button number {n}"),
                affordances: vec![Affordance::Click],
                ..Element::at(n.to_string(), "button", bounds)
            }
        })
        .collect()
}

fn screen(elements: &[Element]) -> RgbImage {
    let mut picture = RgbImage::from_pixel(1280, 800, Rgb([246, 247, 249]));
    for element in elements {
        let b = element.bounds;
        for y in b.y as u32..b.bottom() as u32 {
            for x in b.x as u32..(b.right() as u32).min(1280) {
                if y < 800 {
                    picture.put_pixel(x, y, Rgb([60, 110, 190]));
                }
            }
        }
    }
    picture
}

fn step(c: &mut Criterion) {
    let elements = elements(100);
    let picture = screen(&elements);
    let tagged = labels::select(&elements, 400);
    c.bench_function("select 100", |b| b.iter(|| labels::select(black_box(&elements), 400)));
    c.bench_function("list 100", |b| b.iter(|| labels::text_list(black_box(&elements), &tagged)));
    for style in [LabelStyle::Boxes, LabelStyle::Appagent] {
        c.bench_function(&format!("paint 100 tags {style:?} 1280x800"), |b| {
            b.iter(|| labels::paint(black_box(&picture), &elements, &tagged, style))
        });
    }
    let painted = labels::paint(&picture, &elements, &tagged, LabelStyle::Boxes);
    c.bench_function("encode png 1280x800", |b| b.iter(|| black_box(&painted).encode_png()));
    if let Ok(png) = labels::encode_png(&picture) {
        c.bench_function("decode png 1280x800", |b| b.iter(|| labels::decode(black_box(&png))));
    }
    let reply = "Observation: a form\nThought: save it\nAction: tap(12)\nSummary: filled in the form";
    c.bench_function("parse reply", |b| b.iter(|| parse(black_box(reply), PictureForm::Elements)));
    let episodes: Vec<Scored> = (0..500_i32)
        .map(|n| Scored { success: f64::from(n % 2), steps: 1 + u64::from(n.unsigned_abs() % 15) })
        .collect();
    c.bench_function("score 500 episodes", |b| b.iter(|| summarize(black_box(&episodes), 15)));
}

criterion_group!(benches, step);
criterion_main!(benches);

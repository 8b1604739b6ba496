//! What an observation of a phone costs us: `cargo bench -p waldo-devices --features android --bench android`.
//!
//! Everything but the phone's own answer, at 1080x2400: the raw picture is decoded, the dump is read and
//! turned into elements, these are numbered, the numbers are drawn, and the picture is encoded for a model. The figure to stay below is 25 ms for the whole.
//!
//! With `WALDO_BENCH_EXPORT=DIR` the dump and the picture are also written there as `dump.xml` and
//! `screen.png`, for `scripts/bench-android` to measure AppAgent's way on the same ones.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use image::{Rgb, RgbImage};
use imageproc::drawing::draw_filled_rect_mut;
use imageproc::rect::Rect as Area;
use waldo_devices::android::{
    Tree, TreeView, appagent_elements, decode_raw, picture_elements, tree_elements,
};
use waldo_devices::{LabelStyle, Rect, labels};

const SIZE: (u32, u32) = (1080, 2400);

/// Rows of a list as a settings app has them: an icon, two lines of text, a switch; 160 nodes.
fn rows() -> impl Iterator<Item = (u32, i32)> {
    (0..26).map(|n| (n, 180 + n as i32 * 84))
}

fn picture() -> RgbImage {
    let mut image = RgbImage::from_pixel(SIZE.0, SIZE.1, Rgb([250, 249, 253]));
    let mut fill = |x: i32, y: i32, w: u32, h: u32, colour: [u8; 3]| {
        draw_filled_rect_mut(&mut image, Area::at(x, y).of_size(w, h), Rgb(colour));
    };
    fill(0, 0, SIZE.0, 80, [230, 224, 240]);
    for (n, y) in rows() {
        fill(40, y + 14, 52, 52, [(n * 9) as u8, 90, 160]);
        for letter in 0..18 {
            fill(140 + letter * 22, y + 10, 13, 24, [28, 27, 31]);
            fill(140 + letter * 16, y + 48, 9, 15, [73, 69, 79]);
        }
        fill(930, y + 20, 100, 44, [103, 80, 164]);
    }
    image
}

fn raw(picture: &RgbImage) -> Vec<u8> {
    let mut bytes: Vec<u8> = [SIZE.0, SIZE.1, 1, 0].into_iter().flat_map(u32::to_le_bytes).collect();
    for pixel in picture.pixels() {
        bytes.extend(pixel.0);
        bytes.push(255);
    }
    bytes
}

fn dump() -> String {
    let node = |index: u32, class: &str, id: &str, text: &str, more: &str, bounds: [i32; 4], inner: &str| {
        let [x1, y1, x2, y2] = bounds;
        let flag = |name: &str| more.contains(name);
        format!(
            "<node index=\"{index}\" text=\"{text}\" resource-id=\"{id}\" class=\"{class}\" package=\"com.android.settings\" content-desc=\"\" checkable=\"{}\" checked=\"false\" clickable=\"{}\" enabled=\"true\" focusable=\"{}\" focused=\"false\" scrollable=\"{}\" long-clickable=\"false\" password=\"false\" selected=\"false\" bounds=\"[{x1},{y1}][{x2},{y2}]\">{inner}</node>",
            flag("checkable"),
            flag("clickable"),
            flag("clickable"),
            flag("scrollable"),
        )
    };
    let list: String = rows()
        .map(|(n, y)| {
            let title = node(
                0,
                "android.widget.TextView",
                "android:id/title",
                &format!("Setting number {n}"),
                "",
                [140, y + 6, 800, y + 40],
                "",
            );
            let line = node(
                1,
                "android.widget.TextView",
                "android:id/summary",
                "What it does &amp; why",
                "",
                [140, y + 44, 800, y + 70],
                "",
            );
            let texts =
                node(1, "android.widget.RelativeLayout", "", "", "", [140, y, 900, y + 80], &(title + &line));
            let icon =
                node(0, "android.widget.ImageView", "android:id/icon", "", "", [40, y + 14, 92, y + 66], "");
            let switch = node(
                2,
                "android.widget.Switch",
                "android:id/switch_widget",
                "",
                "checkable clickable",
                [930, y + 20, 1030, y + 64],
                "",
            );
            node(
                n,
                "android.widget.LinearLayout",
                "",
                "",
                "clickable",
                [0, y, 1080, y + 80],
                &(icon + &texts + &switch),
            )
        })
        .collect();
    let list = node(
        0,
        "androidx.recyclerview.widget.RecyclerView",
        "com.android.settings:id/list",
        "",
        "scrollable",
        [0, 80, 1080, 2400],
        &list,
    );
    let root = node(0, "android.widget.FrameLayout", "", "", "", [0, 0, 1080, 2400], &list);
    format!(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">{root}</hierarchy>"
    )
}

fn benches(c: &mut Criterion) {
    let picture = picture();
    let (raw, xml) = (raw(&picture), dump());
    if let Some(folder) = std::env::var_os("WALDO_BENCH_EXPORT").map(std::path::PathBuf::from) {
        let written = std::fs::write(folder.join("dump.xml"), &xml)
            .and_then(|()| picture.save(folder.join("screen.png")).map_err(std::io::Error::other));
        assert!(written.is_ok(), "cannot write to {}: {written:?}", folder.display());
    }
    let view = TreeView {
        screen: Rect::new(0.0, 0.0, f64::from(SIZE.0), f64::from(SIZE.1)),
        zoom: 1.0,
        keyboard_top: None,
        cap: 1500,
        generation: 1,
    };
    let mut group = c.benchmark_group("android");
    group.sample_size(40);
    group.bench_function("observation", |b| {
        b.iter(|| {
            let picture = decode_raw(black_box(&raw)).unwrap_or_default();
            let (elements, _) = tree_elements(&Tree::parse(black_box(&xml)), &view);
            let labelled =
                labels::label(&picture, &elements, |e| labels::select(e, 300), LabelStyle::Appagent);
            (labelled.picture.encode_png(), labelled.list)
        });
    });
    let (elements, _) = tree_elements(&Tree::parse(&xml), &view);
    group.bench_function("tags, list and drawing", |b| {
        b.iter(|| {
            labels::label(&picture, black_box(&elements), |e| labels::select(e, 300), LabelStyle::Appagent)
        });
    });
    group.bench_function("PNG", |b| b.iter(|| labels::encode_png(black_box(&picture))));
    group.bench_function("decode raw", |b| b.iter(|| decode_raw(black_box(&raw))));
    group.bench_function("tree", |b| b.iter(|| tree_elements(&Tree::parse(black_box(&xml)), &view)));
    group.bench_function("appagent's list", |b| b.iter(|| appagent_elements(black_box(&xml))));
    group.bench_function("elements from the picture", |b| b.iter(|| picture_elements(&picture, 2.625, 1)));
    group.finish();
}

criterion_group!(android, benches);
criterion_main!(android);

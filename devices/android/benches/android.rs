//! What an observation of a phone costs us: `cargo bench -p waldo-android --bench android`.
//!
//! Everything but the phone's own answer, at 1080x2400: the raw picture is taken over, the dump is read and
//! turned into elements, these are numbered, the numbers are drawn, and the picture is encoded for a model.
//! The figure to stay below is 25 ms for the whole.
//!
//! With `WALDO_BENCH_EXPORT=DIR` the dumps and the pictures are also written there as `NAME.xml` and
//! `NAME.png`, for `scripts/bench android` to measure AppAgent's way on the same ones.

use std::hint::black_box;
use std::path::Path;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use waldo_android::{TreeView, UiDump, appagent_elements, decode_raw, picture_elements, tree_elements};
use waldo_devices::{LabelStyle, Picture, ScaledPicture, labels};

mod phone;

use phone::{SIZE, Screen, screens};

fn taken(raw: &[u8]) -> Picture {
    decode_raw(raw.to_vec().into()).unwrap_or_else(|_| Picture::empty())
}

fn export(screens: &[Screen], folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    for screen in screens {
        let to = |ending: &str| folder.join(format!("{}.{ending}", screen.name));
        std::fs::write(to("xml"), &screen.xml)?;
        taken(&screen.raw).pixels().save(to("png"))?;
    }
    Ok(())
}

fn benches(c: &mut Criterion) {
    let screens = screens();
    assert!(screens.is_ok(), "no screens: {:?}", screens.err());
    let screens = screens.unwrap_or_default();
    if let Some(folder) = std::env::var_os("WALDO_BENCH_EXPORT") {
        let written = export(&screens, Path::new(&folder));
        assert!(written.is_ok(), "cannot write to {}: {written:?}", folder.display());
    }
    let view = TreeView {
        screen: ScaledPicture::new(SIZE, SIZE, 1.0),
        keyboard_top: None,
        cap: 1500,
        generation: 1,
    };
    let mut group = c.benchmark_group("android/observation");
    group.sample_size(40);
    for Screen { name, raw, xml } in &screens {
        let observe = |answer: Vec<u8>| {
            let picture = decode_raw(answer.into()).unwrap_or_else(|_| Picture::empty());
            let (elements, _) = tree_elements(&UiDump::parse(black_box(xml)), &view);
            let labelled =
                labels::label(&picture, &elements, |e| labels::select(e, 300), LabelStyle::Appagent);
            (labelled.picture.encode_png(), labels::text_list(&elements, &labelled.tagged))
        };
        // As with a phone: every answer is a buffer of its own, filled just now and gone after.
        group.bench_function(*name, |b| b.iter_batched(|| raw.clone(), observe, BatchSize::PerIteration));
    }
    group.finish();

    let Some(Screen { raw, xml, .. }) = screens.first() else { return };
    let picture = taken(raw);
    let (elements, _) = tree_elements(&UiDump::parse(xml), &view);
    let mut group = c.benchmark_group("android/parts");
    group.sample_size(40);
    group.bench_function("tree", |b| b.iter(|| tree_elements(&UiDump::parse(black_box(xml)), &view)));
    group.bench_function("tags, list and drawing", |b| {
        b.iter(|| {
            labels::label(&picture, black_box(&elements), |e| labels::select(e, 300), LabelStyle::Appagent)
        });
    });
    group.bench_function("PNG", |b| b.iter(|| labels::encode_png(black_box(&picture))));
    group.bench_function("three bytes a pixel", |b| b.iter(|| black_box(&picture).raster().to_rgb()));
    group.bench_function("appagent's list", |b| b.iter(|| appagent_elements(black_box(xml))));
    let pixels = picture.pixels();
    group.bench_function("elements from the picture", |b| b.iter(|| picture_elements(pixels, 2.625, 1)));
    group.finish();
}

criterion_group!(android, benches);
criterion_main!(android);

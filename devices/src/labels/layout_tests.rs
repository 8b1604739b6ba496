use super::super::testing::element;
use super::super::{Tag, select};
use super::*;
use proptest::prelude::*;

const STYLES: [LabelStyle; 2] = [LabelStyle::Boxes, LabelStyle::Appagent];

fn all(elements: &[Element]) -> Vec<Tagged> {
    (0..elements.len()).map(|i| Tagged { tag: Tag(i as u32 + 1), element: i }).collect()
}

fn overlaps(plates: &[Plate]) -> usize {
    let pair = |(i, a): (usize, &Plate)| {
        plates[i + 1..].iter().filter(|b| a.rect.intersect(&b.rect).is_some()).count()
    };
    plates.iter().enumerate().map(pair).sum()
}

fn assert_inside(plates: &[Plate], w: u32, h: u32) {
    for p in plates {
        let r = p.rect;
        assert!(
            r.x >= 0.0 && r.y >= 0.0 && r.right() <= w.into() && r.bottom() <= h.into(),
            "{p:?} in {w}x{h}"
        );
        assert!(r.w >= 1.0 && r.h >= 1.0 && r.x.fract() == 0.0 && r.y.fract() == 0.0, "{p:?}");
    }
}

/// A bound under which a free place exists whatever the earlier plates did.
fn has_room(w: u32, h: u32, count: u32, style: LabelStyle) -> bool {
    let (pw, ph) = Metrics::of(style, (w, h)).plate(count);
    let step = (ph / 3).max(2);
    let blocked = f64::from(count) * f64::from(2 * (pw + GAP) + step) * f64::from(2 * (ph + GAP) + step);
    blocked < f64::from(w as i32 - pw - step) * f64::from(h as i32 - ph - step) && w as i32 > pw + step
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn plates_are_inside_and_apart_while_there_is_room(
        (w, h) in (20..1600u32, 20..1600u32),
        boxes in prop::collection::vec((0.0..1.0f64, 0.0..1.0f64, 1.0..300.0f64, 1.0..90.0f64), 1..80),
        crowd in 0.02..1.0f64,
    ) {
        let elements: Vec<_> = boxes.iter().map(|&(x, y, bw, bh)| {
            element("button", "x", x * crowd * f64::from(w), y * crowd * f64::from(h), bw, bh)
        }).collect();
        for style in STYLES {
            let plates = layout((w, h), &elements, &all(&elements), style);
            prop_assert_eq!(plates.len(), elements.len());
            assert_inside(&plates, w, h);
            if has_room(w, h, plates.len() as u32, style) {
                prop_assert_eq!(overlaps(&plates), 0);
            }
        }
    }
}

#[test]
fn plates_keep_apart_and_fit_small_pictures_and_buttons() {
    let pile: Vec<_> = (0..30).map(|_| element("button", "x", 5.0, 5.0, 20.0, 20.0)).collect();
    for style in STYLES {
        let plates = layout((1280, 800), &pile, &all(&pile), style);
        assert_eq!(overlaps(&plates), 0, "{style:?}");
    }
    let one = [element("button", "x", 0.0, 0.0, 4.0, 4.0)];
    for style in STYLES {
        assert_inside(&layout((4, 3), &one, &all(&one), style), 4, 3);
        assert!(layout((0, 0), &one, &all(&one), style).is_empty());
    }
    let far = [element("button", "x", 1e12, -1e12, 5.0, 5.0)];
    assert_inside(&layout((100, 100), &far, &all(&far), LabelStyle::Boxes), 100, 100);
    let list: Vec<_> =
        (0..8).map(|i| element("button", "x", 200.0, 100.0 + f64::from(i) * 40.0, 90.0, 28.0)).collect();
    for p in layout((1280, 800), &list, &all(&list), LabelStyle::Boxes) {
        for e in &list {
            assert!(!p.rect.contains(e.bounds.center()), "{p:?} hides {:?}", e.bounds);
        }
    }
    let one = [element("button", "x", 100.0, 200.0, 400.0, 100.0)];
    let plates = layout((1080, 2400), &one, &all(&one), LabelStyle::Appagent);
    assert_eq!((plates[0].rect.x, plates[0].rect.y), (300.0, 250.0));
}

#[test]
fn a_known_screen_gets_a_known_layout() {
    let elements = [
        element("link", "Home", 0.0, 0.0, 60.0, 30.0),
        element("textbox", "Search", 100.0, 100.0, 300.0, 32.0),
        element("button", "Go", 410.0, 100.0, 60.0, 32.0),
        element("region", "Map", 20.0, 200.0, 400.0, 300.0),
    ];
    let plates = layout((640, 640), &elements, &select(&elements, 9), LabelStyle::Boxes);
    let json = serde_json::to_value(&plates).unwrap();
    let anchor = |x: f64, y: f64, w: f64, h: f64| serde_json::json!({"x": x, "y": y, "w": w, "h": h});
    assert_eq!(
        json,
        serde_json::json!([
            {"tag": 1, "rect": anchor(60.0, 0.0, 11.0, 14.0), "anchor": anchor(0.0, 0.0, 60.0, 30.0)},
            {"tag": 2, "rect": anchor(100.0, 86.0, 11.0, 14.0), "anchor": anchor(100.0, 100.0, 300.0, 32.0)},
            {"tag": 3, "rect": anchor(410.0, 86.0, 11.0, 14.0), "anchor": anchor(410.0, 100.0, 60.0, 32.0)},
            {"tag": 4, "rect": anchor(20.0, 200.0, 11.0, 14.0), "anchor": anchor(20.0, 200.0, 400.0, 300.0)},
        ])
    );
    let back: Vec<Plate> = serde_json::from_value(json).unwrap();
    assert_eq!(back, plates);
}

#[test]
fn a_thousand_elements_are_placed_promptly() {
    let many: Vec<_> = (0..1000u32)
        .map(|i| element("button", "x", f64::from(i % 25) * 50.0, f64::from(i / 25) * 19.0, 44.0, 16.0))
        .collect();
    let start = std::time::Instant::now();
    let plates = layout((1280, 800), &many, &all(&many), LabelStyle::Boxes);
    assert_eq!(plates.len(), 1000);
    // Unoptimised and beside other tests; optimised it is a few milliseconds.
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[test]
fn in_a_table_every_appagent_number_stays_in_its_cell() {
    let cells: Vec<_> = (0..21u32)
        .map(|i| element("cell", "x", f64::from(i % 7) * 34.0, f64::from(i / 7) * 28.0, 34.0, 28.0))
        .collect();
    for p in layout((1280, 800), &cells, &all(&cells), LabelStyle::Appagent) {
        let shared = p.rect.intersect(&p.anchor).map_or(0.0, |r| r.area());
        assert!(shared > 0.9 * p.rect.area(), "{p:?}");
    }
}

#[test]
fn the_number_of_a_cell_hides_nothing_that_the_cell_shows() {
    let (columns, rows) = (4, 5);
    let cell = |n: usize| {
        let (x, y) = ((n % columns) as f64 * 100.0 + 40.0, (n / columns) as f64 * 24.0 + 40.0);
        element("cell", &crate::grid_lines::address(n / columns, n % columns), x, y, 100.0, 24.0)
    };
    let all: Vec<Element> = (0..columns * rows).map(cell).collect();
    // The second column is written to its right end, the third as a whole.
    let words = |x: u32| (180..240).contains(&x) || (240..340).contains(&x);
    let picture = image::RgbImage::from_fn(480, 200, |x, y| {
        let written = words(x) && (40..160).contains(&y) && (6..18).contains(&((y - 40) % 24)) && x % 3 == 0;
        image::Rgb([if written { 0 } else { 255 }; 3])
    });
    let plates = layout_on(&picture, &all, &select(&all, 99), LabelStyle::Boxes);
    let of = |n: u32| plates.iter().find(|p| p.tag.0 == n);
    for row in 0..5 {
        let n = row * 4 + 1;
        assert!(
            of(n).is_some_and(|p| p.rect.x >= 90.0 && p.rect.right() < 140.0),
            "at the right of an empty cell: {:?}",
            of(n)
        );
        assert!(
            of(n + 1).is_some_and(|p| p.rect.right() <= 180.0),
            "before what is written: {:?}",
            of(n + 1)
        );
        assert!(of(n + 2).is_none(), "no room: {:?}", of(n + 2));
    }
    // Without a picture, and for few cells, each has its number.
    assert_eq!(layout((480, 200), &all, &select(&all, 99), LabelStyle::Boxes).len(), 20);
    assert_eq!(layout_on(&picture, &all[..8], &select(&all[..8], 99), LabelStyle::Boxes).len(), 8);
}

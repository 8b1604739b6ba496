use proptest::prelude::*;

use super::*;

/// Sizes as `smart_resize` of UI-TARS's agent gives them (docs/models-sources.md), run on these pictures.
#[test]
fn sizes_are_those_of_the_models_own_code() {
    let rules =
        [(28, 3136, 2_109_744), (28, 3136, 2_007_040), (28, 78_400, 12_845_056), (32, 65_536, 13_107_200)];
    for (size, expected) in [
        ((1920, 1080), [(1932, 1092), (1876, 1036), (1932, 1092), (1920, 1088)]),
        ((1280, 720), [(1288, 728), (1288, 728), (1288, 728), (1280, 704)]),
        ((1179, 2556), [(980, 2128), (952, 2072), (1176, 2548), (1184, 2560)]),
        ((100, 60), [(112, 56), (112, 56), (364, 224), (352, 224)]),
        ((2560, 1440), [(1932, 1064), (1876, 1036), (2548, 1428), (2560, 1440)]),
        ((7680, 4320), [(1932, 1064), (1876, 1036), (4760, 2688), (4800, 2688)]),
        ((1000, 1414), [(1008, 1400), (1008, 1400), (1008, 1400), (992, 1408)]),
        ((4, 800), [(28, 812), (28, 812), (28, 3976), (32, 3648)]),
    ] {
        for ((factor, min_pixels, max_pixels), expected) in rules.into_iter().zip(expected) {
            let size_of = SmartResize { factor, min_pixels, max_pixels }.size(size);
            assert_eq!(size_of, Ok(expected), "{size:?} {factor} {max_pixels}");
        }
    }
    let linear = PictureRule::Linear { min_pixels: 78_400, max_pixels: 12_845_056, max_side: None };
    for (size, expected) in [
        ((1920, 1080), (1920, 1080)),
        ((100, 60), (362, 217)),
        ((7680, 4320), (4778, 2688)),
        ((4, 800), (20, 3960)),
    ] {
        assert_eq!(linear.size(size), Ok(expected), "{size:?}");
    }
    // Claude's service shrinks what is longer, whatever its pixels.
    let claude = PictureRule::Linear { min_pixels: 1, max_pixels: 1_024_000, max_side: Some(1568) };
    for (size, expected) in [
        ((3840, 1080), (1568, 441)),
        ((1080, 2640), (641, 1568)),
        ((1280, 800), (1280, 800)),
        ((1920, 1080), (1349, 758)),
    ] {
        assert_eq!(claude.size(size), Ok(expected), "{size:?}");
    }
}

#[test]
fn a_picture_without_a_size_is_refused_and_one_of_its_size_not_touched() {
    let smart = SmartResize { factor: 28, min_pixels: 3136, max_pixels: 1_003_520 };
    assert_eq!(smart.size((0, 5)), Err(SizeError::Empty));
    assert_eq!(smart.size((3, 800)), Err(SizeError::Ratio { w: 3, h: 800 }));
    assert_eq!(PictureRule::None.size((0, 0)), Err(SizeError::Empty));
    let rule = PictureRule::Smart(SmartResize { factor: 28, min_pixels: 784, max_pixels: 1_003_520 });
    assert_eq!(rule.apply(&RgbImage::new(56, 28)), Ok(None));
    assert_eq!(rule.apply(&RgbImage::new(57, 30)).unwrap().unwrap().dimensions(), (56, 28));
    assert_eq!(PictureRule::Fixed { width: 9, height: 7 }.size((100, 50)), Ok((9, 7)));
}

proptest! {
    #[test]
    fn smart_sizes_are_multiples_within_bounds(
        w in 28u32..4000, h in 28u32..4000, factor in prop::sample::select(vec![14u32, 28, 32]),
    ) {
        prop_assume!(f64::from(w.max(h)) / f64::from(w.min(h)) < 20.0);
        let rule = SmartResize { factor, min_pixels: 200 * 200, max_pixels: 2_000_000 };
        let (sw, sh) = rule.size((w, h)).unwrap();
        prop_assert_eq!((sw % factor, sh % factor), (0, 0));
        prop_assert!(u64::from(sw) * u64::from(sh) <= rule.max_pixels);
        prop_assert!(u64::from(sw) * u64::from(sh) >= rule.min_pixels);
    }
}

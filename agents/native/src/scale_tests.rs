use proptest::prelude::*;

use super::*;

const SMART: Space = Space::Smart(SmartResize { factor: 28, min_pixels: 3136, max_pixels: 2_109_744 });
const RESIZED: PictureRule =
    PictureRule::Smart(SmartResize { factor: 32, min_pixels: 3136, max_pixels: 13_107_200 });

/// Places as the agents' own code computes them (docs/models-sources.md).
#[test]
fn places_are_those_of_the_models_own_code_up_to_the_edges() {
    let linear = PictureRule::Linear { min_pixels: 78_400, max_pixels: 12_845_056, max_side: None };
    let tars = Space::Smart(SmartResize { factor: 28, min_pixels: 78_400, max_pixels: 12_845_056 });
    for (space, at, expected) in [
        (Space::To1000, [112.0, 224.0], (215.04, 241.92)),
        (tars, [112.0, 224.0], (111.304, 221.538)),
        (tars, [30.0, 40.0], (29.814, 39.56)),
        (Space::To999, [500.0, 500.0], (960.961, 540.541)),
        (Space::Unit, [0.25, 0.5], (480.0, 540.0)),
    ] {
        let at = Scale::new(space, linear, (1920, 1080)).unwrap().on_screen(at).unwrap();
        assert!((at.x - expected.0).abs() < 0.001 && (at.y - expected.1).abs() < 0.001, "{at}");
    }
    let scale = Scale::new(Space::To1000, PictureRule::None, (1280, 800)).unwrap();
    assert_eq!(scale.on_screen([1000.0, 1000.0]), Ok(Point::new(1279.0, 799.0)));
    assert_eq!(scale.on_screen([0.0, 0.0]), Ok(Point::new(0.0, 0.0)));
    for bad in [[1000.5, 1.0], [-1.0, 4.0], [f64::NAN, 4.0], [5.0, 4000.0]] {
        assert!(scale.on_screen(bad).unwrap_err().contains("(1000, 1000)"), "{bad:?}");
    }
}

proptest! {
    #[test]
    fn there_and_back_is_within_a_pixel_or_a_unit_of_the_model(
        w in 320u32..3840, h in 320u32..3840, fx in 0.0..1.0f64, fy in 0.0..1.0f64,
        space in prop::sample::select(vec![Space::Pixels, SMART, Space::Unit, Space::To999, Space::To1000]),
        rule in prop::sample::select(vec![
            PictureRule::None, RESIZED, PictureRule::Fixed { width: 1000, height: 1000 },
        ]),
    ) {
        let scale = Scale::new(space, rule, (w, h)).unwrap();
        let at = Point::new(f64::from(w - 1) * fx, f64::from(h - 1) * fy);
        let back = scale.on_screen(scale.written(at)).unwrap();
        // A whole number of the model's stands for so many pixels.
        let unit = |screen: u32, extent: f64| {
            if extent <= 1.0 { 0.0001 * f64::from(screen) } else { f64::from(screen) / extent }
        };
        let [ex, ey] = scale.extent;
        prop_assert!((back.x - at.x).abs() <= unit(w, ex).max(1.0), "{} {}", back, at);
        prop_assert!((back.y - at.y).abs() <= unit(h, ey).max(1.0), "{} {}", back, at);
    }
}

use waldo_prompts::frames::ParsedPrompt;

use super::*;
use crate::widgets::{Control, Widgets};

fn archetypes() -> Vec<(String, bool)> {
    let suite = Widgets::open(Control::Oracle).unwrap();
    suite.archetypes.iter().map(|a| (a.id.clone(), a.held_out)).collect()
}

#[test]
fn scripts_are_there_for_all_but_the_held_out() {
    for (id, held_out) in archetypes() {
        assert_eq!(scripts::known(&id), !held_out, "{id}");
    }
    let asked = ParsedPrompt::Objective { task: "x", address: "y", places: Vec::new() };
    for (id, held_out) in archetypes() {
        let answer = StandIn::new(0, &id, 1).unwrap().answer(&asked, &[]).unwrap();
        assert_eq!(answer.contains("hand_over"), held_out, "{id}");
    }
    assert_eq!(StandIn::number_of("Which? #12"), Some(12));
    assert_eq!(StandIn::number_of("Which #12 one?"), None);
    assert_eq!(StandIn::number_of("Which?"), None);
}

#[test]
fn scripts_have_all_their_values_and_functions() {
    for (id, held_out) in archetypes() {
        for seed in 0..40 {
            let it = generate(&id, seed).unwrap();
            let Some(script) = scripts::solution(&it, "#3") else {
                assert!(held_out, "{id}");
                continue;
            };
            assert!(!script.contains('@'), "{id}: {script}");
            for name in
                ["of_kind", "marked", "home", "in_rows", "finish", "on_page", "more_points", "nearest"]
            {
                let called = script.matches(&format!("{name}(")).count();
                let made = script.matches(&format!("def {name}(")).count();
                assert!(called == 0 || made == 1, "{id}: {name} in {script}");
            }
        }
    }
}

#[test]
fn a_drawing_is_found_by_its_edge() {
    let it = generate("slider-fit", 4).unwrap();
    let line = sight::colour(&it, "line").unwrap();
    let unit = it.render["style"]["size"].as_f64().unwrap() * it.pixel_ratio;
    let (w, h) = (sight::whole(it.ground.size[0] * unit), sight::whole(it.ground.size[1] * unit));
    let mut page = RgbImage::from_pixel(w + 400, h + 300, image::Rgb([250, 0, 250]));
    for (x, y) in (0..w).flat_map(|x| (0..h).map(move |y| (x, y))) {
        if x == 0 || y == 0 || x == w - 1 || y == h - 1 {
            page.put_pixel(x + 111, y + 77, image::Rgb(line));
        }
    }
    let sight = PageScale::of(&it, &page).unwrap();
    assert!(sight.stage.iou(&PxRect::new(111, 77, w, h)) > 0.98, "{:?}", sight.stage);
    assert!(PageScale::of(&it, &RgbImage::new(900, 700)).is_err());
}

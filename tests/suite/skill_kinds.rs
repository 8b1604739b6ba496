//! The planner's skill on widgets of several kinds, each in one step of the planner.

use super::skill::{is_planners, played, text_of, widget};
use super::support::*;

/// Pages tell their server, and knobs are drawn along.
const HEAD: &str = include_str!("skill_kinds/head.html");

/// Plays a page with one widget's step; what the page told last, by its first word.
fn answers(body: &str, scripts: &'static str, word: &str) -> Vec<i64> {
    let scripts = scripts.split_once("\n\n\n").unwrap();
    let page = format!("{HEAD}{body}");
    let (got, requests) = played(page, vec![widget()], scripts, "");
    assert_eq!(got["result"]["outcome"], "finished", "{got}");
    let plans: Vec<&Request> = requests.iter().filter(|r| is_planners(r)).collect();
    let over = "its script came to its end";
    assert!(plans.len() == 2 && text_of(plans[1]).contains(over), "{}", text_of(plans[plans.len() - 1]));
    let found = requests.iter().filter_map(|r| r.path.strip_prefix(word)).next_back();
    let found = found.unwrap_or_else(|| panic!("the page told nothing: {got}"));
    found.split('/').map(|n| n.parse::<f64>().unwrap() as i64).collect()
}

#[test]
fn a_carousel_is_turned_to_a_choice() {
    assert_eq!(
        answers(include_str!("skill_kinds/shown.html"), include_str!("skill_kinds/shown.py"), "/shown/"),
        [2]
    );
}

#[test]
fn two_handles_of_a_slider_are_set() {
    let range =
        answers(include_str!("skill_kinds/range.html"), include_str!("skill_kinds/range.py"), "/range/");
    assert!((range[0] - 130).abs() <= 2 && (range[1] - 280).abs() <= 2, "{range:?}");
}

#[test]
fn a_colour_is_picked_by_its_hue_and_its_place() {
    let colour =
        answers(include_str!("skill_kinds/colour.html"), include_str!("skill_kinds/colour.py"), "/colour/");
    assert!((colour[0] - 104).abs() <= 10, "{colour:?}");
    assert!((colour[1] - 120).abs() <= 60 && (colour[2] - 120).abs() <= 60, "{colour:?}");
}

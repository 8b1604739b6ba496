use waldo_devices::Rect;

use super::find::{How, ReplayScreen, counterpart};
use super::*;

fn element(role: &str, name: &str, x: f64, y: f64) -> Element {
    let bounds = Rect::new(x, y, 80.0, 20.0);
    Element { name: name.to_owned(), ..Element::at(format!("{role}-{name}-{x}-{y}"), role, bounds) }
}

fn recorded(elements: Vec<Element>) -> Recorded {
    let decision = Decision::of(Choice::Pass { reason: String::new() });
    Recorded { elements, tagged: Vec::new(), picture: None, decision, done: true }
}

fn found(element: &Element, before: Vec<Element>, now: Vec<Element>) -> Option<(String, How)> {
    let (before, now) = (recorded(before), recorded(now));
    counterpart(element, &ReplayScreen::recorded(&before), &ReplayScreen::recorded(&now))
        .map(|found| (found.element.name, found.how))
}

fn form() -> Vec<Element> {
    let names = [
        ("textbox", "Name"),
        ("textbox", "Street"),
        ("button", "Save"),
        ("button", "Cancel"),
        ("link", "Help"),
    ];
    names.iter().enumerate().map(|(n, (role, name))| element(role, name, 10.0, 30.0 * n as f64)).collect()
}

#[test]
fn what_is_the_same_is_found_and_of_two_as_good_none() {
    let mut now = form();
    now.insert(0, element("button", "Close the banner", 10.0, 0.0));
    now.iter_mut().for_each(|e| e.bounds.y += 100.0);
    assert_eq!(found(&form()[2], form(), now), Some(("Save".into(), How::Same)));
    let before = vec![element("button", "Add to basket", 10.0, 10.0)];
    let now =
        vec![element("button", "Add to cart", 10.0, 10.0), element("button", "Add to cart", 10.0, 12.0)];
    assert_eq!(found(&before[0].clone(), before, now), None);
    let row = |n: usize| (0..n).map(|i| element("button", "", 30.0 * i as f64, 0.0)).collect::<Vec<_>>();
    let wanted = row(3)[1].clone();
    assert_eq!(found(&wanted, row(3), row(3)).map(|found| found.1), Some(How::Same));
    assert_ne!(found(&wanted, row(3), row(4)).map(|found| found.1), Some(How::Same));
}

#[test]
fn what_was_renamed_is_found_among_its_neighbours_and_another_of_old_is_not_taken_for_it() {
    let mut now = form();
    now[2].name = "Save changes".into();
    assert_eq!(found(&form()[2], form(), now.clone()), Some(("Save changes".into(), How::Structure)));
    // Gone: the button beside it was there before, under its own name.
    now.remove(2);
    assert_eq!(found(&form()[2], form(), now), None);
}

#[test]
fn where_all_words_changed_and_nothing_else_the_place_tells_who_is_who() {
    let words = ["Nom", "Rue", "Garder", "Abandonner", "Aide"];
    let renamed = || {
        let pairs = form().into_iter().zip(words);
        pairs.map(|(e, name)| Element { name: name.to_owned(), ..e }).collect::<Vec<_>>()
    };
    for (at, name) in words.into_iter().enumerate() {
        assert_eq!(found(&form()[at], form(), renamed()), Some((name.into(), How::Structure)));
    }
    // Where something came besides, the place says nothing; and who had its name before is not taken for another.
    let mut more = renamed();
    more.insert(2, element("button", "Nouveau", 200.0, 60.0));
    assert_eq!(found(&form()[3], form(), more), None);
    let mut swapped = form();
    swapped[2].name = "Cancel".into();
    swapped[3].name = "Supprimer".into();
    assert_ne!(found(&form()[2], form(), swapped).map(|(name, _)| name), Some("Cancel".into()));
}

#[test]
fn an_identifier_of_its_makers_goes_before_likeness() {
    let mut before = form();
    before[2].id = Some("submit".into());
    let mut now = form();
    now[2].name = "Go".into();
    now[3].name = "Save it".into();
    now[2].id = Some("submit".into());
    let wanted = before[2].clone();
    assert_eq!(found(&wanted, before, now), Some(("Go".into(), How::Uid)));
}

#[test]
fn what_has_the_place_alone_of_something_that_is_gone_is_something_else() {
    let before = vec![element("textbox", "Name", 10.0, 10.0), element("button", "Send", 10.0, 40.0)];
    let wanted = before[1].clone();
    // A notice came above, and what was there is not there yet.
    let now = vec![element("button", "Close", 10.0, 10.0), element("textbox", "Name", 10.0, 40.0)];
    assert_eq!(found(&wanted, before.clone(), now.clone()), None);
    let mut now = now;
    now.push(element("button", "Send it", 10.0, 70.0));
    assert_eq!(found(&wanted, before, now), Some(("Send it".into(), How::Structure)));
    // Between the same on either side it may have any name.
    let named = |name: &str| {
        let row = [("link", "Home"), ("button", name), ("link", "Help")];
        row.map(|(role, name)| element(role, name, 10.0, 10.0)).to_vec()
    };
    let mut now = named("Zahlen");
    now.push(element("link", "Imprint", 10.0, 90.0));
    assert_eq!(found(&named("Pay")[1].clone(), named("Pay"), now), Some(("Zahlen".into(), How::Structure)));
}

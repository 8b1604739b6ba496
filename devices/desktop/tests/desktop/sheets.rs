//! Sheets whose programs name no cell.

use waldo_desktop::{DesktopDevice, DesktopOptions};
use waldo_devices::{Action, Button, Clicks, Device, Element, Observation, Source};

use super::support::*;

fn cells(seen: &Observation) -> Vec<&Element> {
    let of = |e: &&Element| e.role.as_str() == "cell" && e.source == Source::Picture;
    seen.elements.iter().filter(of).collect()
}

/// What the box above the sheet calls the selected cell.
fn named(seen: &Observation) -> Option<String> {
    let boxes = seen.elements.iter().filter(|e| e.role.as_str() == "textbox");
    let is_address = |v: &&str| {
        v.starts_with(|c: char| c.is_ascii_uppercase()) && v.ends_with(|c: char| c.is_ascii_digit())
    };
    boxes.filter_map(|e| e.value.as_deref()).find(is_address).map(str::to_owned)
}

/// Taps a cell and waits until its program calls the selected cell so.
async fn tap(device: &mut DesktopDevice, cell: &Element) -> Observation {
    let tap = Action::Tap { at: cell.hit, button: Button::Left, clicks: Clicks::Single };
    act(device, tap).await;
    let deadline = soon();
    loop {
        let seen = look(device).await;
        if named(&seen).as_deref() == Some(&cell.name) || deadline.passed() {
            assert_eq!(named(&seen).as_deref(), Some(&*cell.name), "the cell that was tapped");
            return seen;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sheet_that_names_no_cell_has_its_cells_by_address_also_when_scrolled() {
    let mut device = DesktopDevice::new(DesktopOptions::default());
    device.reset(&with("gnumeric"), soon()).await.unwrap();
    let deadline = soon();
    let mut seen = look(&mut device).await;
    while cells(&seen).len() < 50 && !deadline.passed() {
        seen = look(&mut device).await;
    }
    let names: Vec<String> = cells(&seen).iter().map(|e| e.name.clone()).collect();
    assert_eq!(names[..3], ["A1", "B1", "C1"], "{names:?}");
    assert!(names.len() <= 400, "{} cells", names.len());
    let c7 = cells(&seen).into_iter().find(|e| e.name == "C7").unwrap().clone();
    seen = tap(&mut device, &c7).await;
    assert_eq!(cells(&seen).iter().find(|e| e.name == "C7").unwrap().states.selected, Some(true));
    // What the selected cell holds stands in the line in which it is edited; the program tells of no other's.
    for chord in ["1", "2", "5", "Return", "Up"] {
        press(&mut device, chord).await;
    }
    let held = |seen: &Observation| {
        let cells = cells(seen).into_iter().filter(|e| e.value.is_some());
        cells.map(|e| (e.name.clone(), e.value.clone().unwrap())).collect::<Vec<_>>()
    };
    let deadline = soon();
    while held(&seen) != [("C7".to_owned(), "125".to_owned())] && !deadline.passed() {
        seen = look(&mut device).await;
    }
    assert_eq!(held(&seen), [("C7".to_owned(), "125".to_owned())]);
    // Further down and to the right: the addresses go along.
    for chord in ["Page_Down", "Page_Down", "alt+Page_Down"] {
        press(&mut device, chord).await;
    }
    let deadline = soon();
    while cells(&seen).first().is_none_or(|e| e.name == "A1") && !deadline.passed() {
        seen = look(&mut device).await;
    }
    let there = cells(&seen);
    let far = there[there.len() / 2 + 3].clone();
    assert!(!names.contains(&far.name) && far.name.len() < 6, "{far:?}");
    tap(&mut device, &far).await;
    device.close(soon()).await.unwrap();
}

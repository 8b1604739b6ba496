//! A phone's screen with AppAgent's numbers on the contract's elements.
//!
//! Invariant: the numbers, the uids and the bounds are those of [`super::appagent_elements`] for the same
//! dump. So a number stands for all of a node, also for what lies beyond the edge or under the keyboard, and
//! for nodes that [`super::tree_elements`] does not list.

use std::collections::HashMap;

use super::appagent::numbered;
use super::element::bare;
use super::parse::UiDump;
use waldo_devices::{Element, Point, Rect, Tag, Tagged};

/// `elements` of the dump `xml` with what AppAgent numbers beside, and its numbers.
pub(crate) fn as_appagent(xml: &str, elements: &[Element]) -> (Vec<Element>, Vec<Tagged>) {
    let tree = UiDump::parse(xml);
    let mut all = elements.to_vec();
    let mut generation = 0;
    let mut places: HashMap<usize, usize> = HashMap::new();
    for (at, element) in elements.iter().enumerate() {
        if let Some((start, place)) = element.handle.0.split_once(':')
            && let (Ok(start), Ok(place)) = (start.parse(), place.parse())
        {
            generation = start;
            places.insert(place, at);
        }
    }
    // Pixels of the picture per pixel of the dump. What is cut off at an edge seems smaller than it is.
    let zoom = places.iter().filter_map(|(place, at)| {
        let bounds = tree.nodes.get(*place)?.bounds?;
        let width = f64::from(bounds.x2) - f64::from(bounds.x1);
        Some(elements.get(*at)?.bounds.w / width).filter(|zoom| zoom.is_finite())
    });
    let zoom = zoom.fold(0.0, f64::max);
    let zoom = if zoom > 0.0 { zoom } else { 1.0 };
    let mut tagged = Vec::new();
    for (tag, (place, listed)) in (1..).zip(numbered(&tree)) {
        let [x1, y1, x2, y2] = listed.bounds.map(|v| f64::from(v) * zoom);
        let bounds = Rect::new(x1, y1, x2 - x1, y2 - y1);
        let middle = bounds.center();
        let at = *places.entry(place).or_insert_with(|| {
            all.push(bare(&tree, place, bounds, generation));
            all.len() - 1
        });
        let Some(element) = all.get_mut(at) else { continue };
        element.bounds = bounds;
        element.hit = Point::new(middle.x.floor(), middle.y.floor());
        element.uid = Some(listed.uid);
        tagged.push(Tagged { tag: Tag(tag), element: at });
    }
    (all, tagged)
}

#[cfg(test)]
mod tests {
    use waldo_devices::geometry::ScaledPicture;

    use super::super::{TreeView, appagent_elements, tree_elements};
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_dump() {
        let xml = r#"<hierarchy rotation="0"><node index="0" class="F" bounds="[0,0][1000,1000]">
            <node index="0" class="E" focusable="true" bounds="[0,500][100,600]"/>
            <node index="1" class="R" clickable="true" focusable="true" bounds="[0,900][400,1300]"><node index="0" class="B" clickable="true" text="Go" bounds="[150,1080][250,1120]"/></node>
            <node index="2" class="C" clickable="true" enabled="false" bounds="[0,1200][100,1400]"/></node></hierarchy>"#;
        for (pixels, zoom) in [(1000, 1.0), (500, 0.5)] {
            let screen = ScaledPicture::new((pixels, pixels), (1000, 1000), 1.0);
            let view = TreeView { screen, keyboard_top: None, cap: 100, generation: 7 };
            let (elements, _) = tree_elements(&UiDump::parse(xml), &view);
            let (all, tagged) = as_appagent(xml, &elements);
            let listed = appagent_elements(xml);
            assert_eq!((tagged.len(), listed.len()), (3, 3));
            for (n, (t, listed)) in (1..).zip(tagged.iter().zip(&listed)) {
                let element = &all[t.element];
                let b = listed.bounds.map(|v| f64::from(v) * zoom);
                assert_eq!((t.tag, element.uid.as_ref()), (Tag(n), Some(&listed.uid)));
                assert_eq!(element.bounds, Rect::new(b[0], b[1], b[2] - b[0], b[3] - b[1]));
            }
            // The row is on the screen by a part of it, the disabled one not at all, the focusable one by its bounds alone.
            assert_eq!(all.len(), elements.len() + 2);
            assert_eq!(all[tagged[0].element].handle.0, elements[0].handle.0);
        }
    }
}

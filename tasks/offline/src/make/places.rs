//! L2: an element of a screen, by its name and by its place and purpose.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::dice::Dice;
use super::scene::{Scene, Side, Thing};
use super::screens::Screen;
use crate::error::OfflineError;
use crate::places::{Grounding, ItemKind};
use crate::platform::OfflinePlatform;

/// Instructions of an element.
const EACH: usize = Grounding::ALL.len();
/// Elements of one name and role of a platform at the most.
const ALIKE: usize = 2;
/// Elements of one screen at the most.
const OF_SCREEN: usize = 4;

pub struct FoundPlace<'s> {
    pub screen: &'s Screen,
    /// The box in shares of the picture: left, top, right, bottom.
    pub share: [f64; 4],
    pub kind: ItemKind,
    pub instructions: [String; EACH],
    /// The same in a model's words, where a model was asked and its words were taken.
    pub rewritten: [Option<Rewritten>; EACH],
    pub element: usize,
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    pub text: String,
    pub by: String,
}

impl FoundPlace<'_> {
    /// What one of its instructions is called: the screen, the element's place in its list, and the kind. The seed and
    /// the number of items have no part in it.
    pub fn id(&self, grounding: Grounding) -> String {
        format!("{}#{}/{}", self.screen.name, self.element, grounding.name())
    }
}

/// Makes `items` places, two to an element, as evenly from all platforms as they have elements.
pub fn make_places(screens: &[Screen], items: usize, seed: u64) -> Result<Vec<FoundPlace<'_>>, OfflineError> {
    let wanted = items.div_ceil(EACH);
    let scenes: Vec<Scene<'_>> = screens.iter().map(Scene::of).collect();
    let by_name: HashMap<&str, &Scene<'_>> =
        scenes.iter().map(|scene| (scene.screen.name.as_str(), scene)).collect();
    let mut dice = Dice::new(seed, "places");
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut queues: BTreeMap<OfflinePlatform, Vec<(&Scene<'_>, &Thing<'_>)>> = BTreeMap::new();
    for scene in scenes.iter().filter(|scene| seen.insert(&scene.screen.picture)) {
        let usable = scene.things.iter().filter(|thing| !thing.element.states.disabled);
        queues.entry(scene.screen.platform).or_default().extend(usable.map(|thing| (scene, thing)));
    }
    for queue in queues.values_mut() {
        dice.shuffle(queue);
    }
    let mut alike: HashMap<(OfflinePlatform, &str, String), usize> = HashMap::new();
    let mut of_screen: HashMap<&str, usize> = HashMap::new();
    let mut made = Vec::new();
    while made.len() < wanted && queues.values().any(|queue| !queue.is_empty()) {
        for (platform, queue) in &mut queues {
            while let Some((scene, thing)) = queue.pop() {
                let same = alike.entry((*platform, thing.words.noun, thing.name.to_lowercase())).or_default();
                let here = of_screen.entry(&scene.screen.name).or_default();
                if *same >= ALIKE || *here >= OF_SCREEN || made.len() >= wanted {
                    continue;
                }
                let next = scene.screen.pressed.as_ref().filter(|pressed| pressed.element == thing.index);
                let next = next.and_then(|pressed| by_name.get(pressed.next.as_str())).copied();
                if let Some(advanced) = by_place(scene, thing, next, &mut dice) {
                    *same += 1;
                    *here += 1;
                    made.push(FoundPlace {
                        screen: scene.screen,
                        share: share(scene.screen, thing),
                        kind: thing.kind,
                        instructions: [by_name_alone(thing, &mut dice), advanced],
                        rewritten: [None, None],
                        element: thing.index,
                        name: thing.name.clone(),
                    });
                    break;
                }
            }
        }
    }
    if made.len() < wanted {
        return Err(OfflineError::TooFew { made: made.len() * EACH, wanted: items });
    }
    Ok(made)
}

fn by_name_alone(thing: &Thing<'_>, dice: &mut Dice) -> String {
    let (noun, name) = (thing.words.noun, &thing.name);
    match dice.below(3) {
        0 => format!("The {noun} \"{name}\"."),
        1 => format!("The {noun} that is called \"{name}\"."),
        _ => format!("\"{name}\", which is a {noun}."),
    }
}

/// What it is for and where it is, without its name; `None` where nothing with a name lies beside it.
fn by_place(
    scene: &Scene<'_>,
    thing: &Thing<'_>,
    next: Option<&Scene<'_>>,
    dice: &mut Dice,
) -> Option<String> {
    let mut sides = Vec::new();
    for side in Side::ALL {
        for from in scene.things.iter().filter(|from| from.index != thing.index && from.is_written()) {
            if scene.beside(from, side).is_some_and(|found| found.index == thing.index) {
                sides.push(format!("{} \"{}\"", side.words(), from.name));
            }
        }
    }
    if sides.is_empty() {
        return None;
    }
    let beside = &sides[dice.below(sides.len())];
    let purpose =
        next.and_then(|next| brings(scene, next, dice)).unwrap_or_else(|| thing.words.purpose.to_owned());
    Some(format!("{purpose}, {beside}, {}.", region(scene.screen, thing)))
}

fn brings(scene: &Scene<'_>, next: &Scene<'_>, dice: &mut Dice) -> Option<String> {
    let mut new = next.names();
    new.retain(|name| !scene.shows(name));
    (!new.is_empty()).then(|| format!("What brings up \"{}\"", new[dice.below(new.len())]))
}

fn region(screen: &Screen, thing: &Thing<'_>) -> &'static str {
    const NAMES: [[&str; 3]; 3] = [
        ["in the upper left", "at the top", "in the upper right"],
        ["on the left", "in the middle", "on the right"],
        ["in the lower left", "at the bottom", "in the lower right"],
    ];
    let third = |at: f64, of: u32| match at * 3.0 / f64::from(of.max(1)) {
        part if part < 1.0 => 0,
        part if part < 2.0 => 1,
        _ => 2,
    };
    let middle = thing.element.bounds.center();
    NAMES[third(middle.y, screen.size[1])][third(middle.x, screen.size[0])]
}

fn share(screen: &Screen, thing: &Thing<'_>) -> [f64; 4] {
    let bounds = thing.element.bounds;
    let (w, h) = (f64::from(screen.size[0].max(1)), f64::from(screen.size[1].max(1)));
    let part = |value: f64, of: f64| ((value / of) * 1e6).round() / 1e6;
    [part(bounds.x, w), part(bounds.y, h), part(bounds.right(), w), part(bounds.bottom(), h)]
        .map(|value| value.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{element, screens};
    use super::*;

    #[test]
    fn an_element_has_two_instructions_and_its_true_box() {
        let all = screens(OfflinePlatform::Web, 30);
        let made = make_places(&all, 100, 3).unwrap();
        assert_eq!(made.len(), 50);
        for found in &made {
            let inside = |at: f64| (0.0..=1.0).contains(&at);
            assert!(found.share.iter().all(|at| inside(*at)) && found.share[0] < found.share[2]);
            let pixels = [found.share[0] * 1000.0, found.share[1] * 800.0];
            let element = found.screen.elements.iter().find(|element| {
                (element.bounds.x - pixels[0]).abs() < 0.01 && (element.bounds.y - pixels[1]).abs() < 0.01
            });
            let name = &element.unwrap().name;
            let [basic, advanced] = &found.instructions;
            assert!(basic.contains(name.as_str()) && !advanced.contains(name.as_str()), "{basic} {advanced}");
            assert!(advanced.contains("directly"), "{advanced}");
        }
        let again = make_places(&all, 100, 3).unwrap();
        assert!(made.iter().zip(&again).all(|(a, b)| a.instructions == b.instructions));
        assert!(make_places(&all, 10_000, 3).is_err());
    }

    #[test]
    fn what_cannot_be_told_apart_is_not_asked_for() {
        let mut all = screens(OfflinePlatform::Web, 1);
        let twin = all[0].elements[0].name.clone();
        all[0].elements.push(element("link", &twin, [500.0, 500.0, 180.0, 30.0]));
        // A box that holds other elements, and one that leaves the screen.
        all[0].elements.push(element("listitem", "Holder", [240.0, 690.0, 200.0, 60.0]));
        all[0].elements.push(element("button", "Outside", [950.0, 500.0, 100.0, 30.0]));
        let mut off = element("button", "Out of use", [600.0, 100.0, 100.0, 30.0]);
        off.states.disabled = true;
        all[0].elements.push(off);
        let scene = Scene::of(&all[0]);
        let names = scene.names();
        for name in [twin.as_str(), "Holder", "Outside"] {
            assert!(!names.iter().any(|other| other == name), "{name}");
        }
        assert!(names.contains(&"Out of use".to_owned()));
        let made = make_places(&all, 8, 1).unwrap();
        assert!(made.iter().all(|found| !found.instructions[0].contains("Out of use")));
    }
}

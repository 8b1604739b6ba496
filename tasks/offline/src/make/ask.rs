//! L1: three questions about a screen, easy, medium and hard.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::deck::Deck;
use super::dice::Dice;
use super::draw::{DrawnQuestion, Open, draw};
use super::scene::{Scene, Side, Thing, line};
use super::screens::Screen;
use crate::error::OfflineError;
use crate::platform::OfflinePlatform;
use crate::questions::Difficulty;

pub(crate) const EACH: usize = Difficulty::ALL.len();
/// Screens of one task at the most.
const OF_TASK: usize = 3;
/// The longest value that is an option, in characters.
const LONGEST: usize = 48;

pub struct ScreenQuestions<'s> {
    pub screen: &'s Screen,
    pub questions: [DrawnQuestion; EACH],
}

/// Makes `items` questions, three to a screen, as evenly from all platforms as they have screens.
pub fn make_questions(
    screens: &[Screen],
    items: usize,
    seed: u64,
) -> Result<Vec<ScreenQuestions<'_>>, OfflineError> {
    let wanted = items.div_ceil(EACH);
    let scenes: Vec<Scene<'_>> = screens.iter().map(Scene::of).collect();
    let by_name: HashMap<&str, &Scene<'_>> =
        scenes.iter().map(|scene| (scene.screen.name.as_str(), scene)).collect();
    let mut pools: BTreeMap<OfflinePlatform, BTreeSet<String>> = BTreeMap::new();
    let mut queues: BTreeMap<OfflinePlatform, Vec<&Scene<'_>>> = BTreeMap::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for scene in &scenes {
        pools.entry(scene.screen.platform).or_default().extend(scene.names());
        if seen.insert(&scene.screen.picture) {
            queues.entry(scene.screen.platform).or_default().push(scene);
        }
    }
    let mut dice = Dice::new(seed, "questions");
    for queue in queues.values_mut() {
        dice.shuffle(queue);
    }
    let mut decks = Difficulty::ALL.map(|difficulty| Deck::new(seed, difficulty.name()));
    let (mut made, mut tasks) = (Vec::new(), HashMap::<&str, usize>::new());
    while made.len() < wanted && queues.values().any(|queue| !queue.is_empty()) {
        for (platform, queue) in &mut queues {
            while let Some(scene) = queue.pop() {
                let of_task = tasks.entry(&scene.screen.task).or_default();
                if *of_task >= OF_TASK || made.len() >= wanted {
                    continue;
                }
                let next = scene.screen.pressed.as_ref();
                let next = next.and_then(|pressed| by_name.get(pressed.next.as_str())).copied();
                let pool = &pools[platform];
                if let Some(questions) = three(scene, next, pool, &mut decks, &mut dice) {
                    *of_task += 1;
                    made.push(ScreenQuestions { screen: scene.screen, questions });
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

fn three(
    scene: &Scene<'_>,
    next: Option<&Scene<'_>>,
    pool: &BTreeSet<String>,
    decks: &mut [Deck; EACH],
    dice: &mut Dice,
) -> Option<[DrawnQuestion; EACH]> {
    let elsewhere =
        pool.iter().filter(|name| !scene.shows(name) && !next.is_some_and(|next| next.shows(name)));
    let elsewhere: Vec<String> = elsewhere.cloned().collect();
    let [easy, medium, hard] = decks;
    // A card that was dealt for a screen which then lacks another question is lost to the balance: try on copies.
    let (mut first, mut second, mut third) = (easy.clone(), medium.clone(), hard.clone());
    let mut kinds = vec![present(scene, &elsewhere), absent(scene, &elsewhere)];
    dice.shuffle(&mut kinds);
    let a = kinds.into_iter().find_map(|open| draw(open, &mut first, dice))?;
    let mut kinds = states(scene);
    dice.shuffle(&mut kinds);
    let mut places = neighbours(scene);
    dice.shuffle(&mut places);
    kinds.extend(places);
    let b = kinds.into_iter().find_map(|open| draw(open, &mut second, dice))?;
    let mut kinds: Vec<Open> =
        next.and_then(|next| consequence(scene, next, &elsewhere)).into_iter().collect();
    let mut ends = extremes(scene);
    dice.shuffle(&mut ends);
    kinds.extend(ends);
    let c = kinds.into_iter().find_map(|open| draw(open, &mut third, dice))?;
    (*easy, *medium, *hard) = (first, second, third);
    Some([a, b, c])
}

fn present(scene: &Scene<'_>, elsewhere: &[String]) -> Open {
    Open {
        question: "Which of these is on this screen?".into(),
        right: scene.names(),
        wrong: elsewhere.to_vec(),
        because: "The tree of elements has it",
    }
}

fn absent(scene: &Scene<'_>, elsewhere: &[String]) -> Open {
    Open {
        question: "Which of these is not on this screen?".into(),
        right: elsewhere.to_vec(),
        wrong: scene.names(),
        because: "The tree of elements lacks it",
    }
}

/// What is ticked, chosen, out of use, or filled in.
fn states(scene: &Scene<'_>) -> Vec<Open> {
    let of = |keep: &dyn Fn(&Thing<'_>) -> bool| -> Vec<String> {
        let kept = scene
            .things
            .iter()
            .filter(|thing| (thing.is_written() || thing.element.states.selected.is_some()) && keep(thing));
        kept.map(|thing| thing.name.clone()).collect()
    };
    let mut all = Vec::new();
    let mut ask = |question: &str, right: Vec<String>, wrong: Vec<String>, because| {
        if !right.is_empty() {
            all.push(Open { question: question.to_owned(), right, wrong, because });
        }
    };
    ask(
        "Which of these is ticked or switched on?",
        of(&|thing| thing.element.states.checked == Some(true)),
        of(&|thing| {
            thing.element.states.checked != Some(true) && thing.element.states.selected != Some(true)
        }),
        "The tree of elements says that it is checked",
    );
    ask(
        "Which of these is the selected one?",
        of(&|thing| thing.element.states.selected == Some(true)),
        of(&|thing| {
            thing.element.states.selected != Some(true) && thing.element.states.checked != Some(true)
        }),
        "The tree of elements says that it is selected",
    );
    ask(
        "Which of these cannot be used at the moment?",
        of(&|thing| thing.element.states.disabled),
        of(&|thing| !thing.element.states.disabled),
        "The tree of elements says that it is disabled",
    );
    let filled = |thing: &Thing<'_>| {
        let value = line(thing.element.value.as_deref()?);
        let is_field =
            matches!(thing.words.noun, "text field" | "search field" | "number field" | "drop-down list");
        (is_field && (2..=LONGEST).contains(&value.chars().count())).then_some(value)
    };
    for thing in &scene.things {
        if let Some(value) = filled(thing) {
            let others = scene.things.iter().filter(|other| other.index != thing.index);
            let mut wrong: Vec<String> = others.clone().filter_map(filled).collect();
            wrong.extend(others.filter(|other| other.is_written()).map(|other| other.name.clone()));
            wrong.retain(|other| other.to_lowercase() != value.to_lowercase());
            ask(
                &format!("What stands in the {} \"{}\"?", thing.words.noun, thing.name),
                vec![value],
                wrong,
                "The tree of elements has it as the value",
            );
        }
    }
    all
}

fn neighbours(scene: &Scene<'_>) -> Vec<Open> {
    let mut all = Vec::new();
    for from in scene.things.iter().filter(|thing| thing.is_written()) {
        for side in Side::ALL {
            let Some(found) = scene.beside(from, side).filter(|found| found.is_written()) else { continue };
            let others =
                scene.things.iter().filter(|other| ![from.index, found.index].contains(&other.index));
            all.push(Open {
                question: format!("What is {} \"{}\"?", side.words(), from.name),
                right: vec![found.name.clone()],
                wrong: others.filter(|other| other.is_written()).map(|other| other.name.clone()).collect(),
                because: "By the boxes of both elements",
            });
        }
    }
    all
}

fn consequence(scene: &Scene<'_>, next: &Scene<'_>, elsewhere: &[String]) -> Option<Open> {
    let pressed = scene.screen.pressed.as_ref()?;
    let thing = scene.things.iter().find(|thing| thing.index == pressed.element)?;
    let mut right = next.names();
    right.retain(|name| !scene.shows(name));
    (!right.is_empty()).then(|| Open {
        question: format!("What would come up if the {} \"{}\" were pressed?", thing.words.noun, thing.name),
        right,
        wrong: elsewhere.to_vec(),
        because: "It was seen after the press, and the other options were not",
    })
}

/// How far an element lies in a direction, in physical pixels.
type Far = fn(&Thing<'_>) -> f64;

/// What lies furthest on one side: for each element that could be it, with all that lie clearly less far.
fn extremes(scene: &Scene<'_>) -> Vec<Open> {
    let clear = 12.0 * scene.screen.scale;
    let written: Vec<&Thing<'_>> = scene.things.iter().filter(|thing| thing.is_written()).collect();
    let ends: [(&str, Far); 4] = [
        ("furthest up", |thing| -thing.element.bounds.center().y),
        ("furthest down", |thing| thing.element.bounds.center().y),
        ("furthest to the left", |thing| -thing.element.bounds.center().x),
        ("furthest to the right", |thing| thing.element.bounds.center().x),
    ];
    let mut all = Vec::new();
    for (words, far) in ends {
        for thing in &written {
            let less = written.iter().filter(|other| far(other) + clear < far(thing));
            all.push(Open {
                question: format!("Which of these lies {words}?"),
                right: vec![thing.name.clone()],
                wrong: less.map(|other| other.name.clone()).collect(),
                because: "By the boxes of all of them",
            });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::screens::Pressed;
    use super::super::testing::{element, screen, screens};
    use super::*;

    fn web(n: usize) -> Vec<Screen> {
        screens(OfflinePlatform::Web, n)
    }

    #[test]
    fn questions_say_nothing_of_their_answers() {
        let mut all = web(120);
        all.extend(screens(OfflinePlatform::Android, 60).into_iter().map(|mut screen| {
            screen.name.insert(0, 'a');
            screen.picture.insert(0, 'a');
            screen.task.insert(0, 'a');
            screen
        }));
        let made = make_questions(&all, 300, 5).unwrap();
        assert_eq!(made.len(), 100);
        let drawn: Vec<&DrawnQuestion> = made.iter().flat_map(|asked| &asked.questions).collect();
        let n = drawn.len() as f64;
        let chance = drawn.iter().map(|one| 1.0 / one.options.len() as f64).sum::<f64>() / n;
        let longest = drawn.iter().filter(|one| {
            let right = one.options[&one.answer].chars().count();
            one.options.values().all(|text| text.chars().count() <= right)
        });
        let share = longest.count() as f64 / n;
        assert!((share - chance).abs() < 0.03, "longest {share}, chance {chance}");
        for letter in 'A'..='F' {
            let share = drawn.iter().filter(|one| one.answer == letter).count() as f64 / n;
            assert!(share < chance + 0.03, "{letter} {share}");
        }
        let asked: BTreeSet<&str> = drawn.iter().map(|one| one.question.as_str()).collect();
        assert!(asked.len() > 50, "{asked:?}");
        // The same screens and seed, the same questions; and both platforms have their share.
        let again = make_questions(&all, 300, 5).unwrap();
        assert!(made.iter().zip(&again).all(|(a, b)| a.questions == b.questions));
        assert_eq!(made.iter().filter(|asked| asked.screen.platform == OfflinePlatform::Web).count(), 50);
        let few = make_questions(&all[..1], 30, 5).err().unwrap();
        assert!(matches!(few, OfflineError::TooFew { wanted: 30, .. }), "{few}");
    }

    #[test]
    fn what_is_right_is_in_the_tree() {
        let mut all = web(20);
        let mut ticked = element("checkbox", "Gift wrap", [600.0, 100.0, 16.0, 16.0]);
        ticked.states.checked = Some(true);
        let mut off = element("checkbox", "Post it", [600.0, 200.0, 16.0, 16.0]);
        off.states.checked = Some(false);
        let mut field = element("textbox", "Town", [600.0, 300.0, 200.0, 30.0]);
        field.value = Some("Reykjavik".into());
        all[3].elements.extend([ticked, off, field]);
        let scene = Scene::of(&all[3]);
        let open = states(&scene);
        let find = |part: &str| open.iter().find(|open| open.question.contains(part)).unwrap();
        assert_eq!(find("ticked").right, ["Gift wrap"]);
        assert!(find("ticked").wrong.contains(&"Post it".to_owned()));
        assert_eq!(find("What stands in the text field \"Town\"").right, ["Reykjavik"]);
        let beside = neighbours(&scene);
        let names = scene.names();
        let below =
            beside.iter().find(|open| open.question == format!("What is directly below \"{}\"?", names[0]));
        assert_eq!(below.unwrap().right, [names[1].clone()]);
        let ends = extremes(&scene);
        let lowest =
            ends.iter().filter(|open| open.question.contains("furthest down") && !open.wrong.is_empty());
        assert!(lowest.clone().count() > 5);
        for open in lowest {
            assert!(!open.wrong.contains(&open.right[0]));
        }
    }

    #[test]
    fn what_a_press_brought_up_is_asked_for() {
        let mut all = web(20);
        let next = screen(
            "next",
            OfflinePlatform::Web,
            vec![
                element("button", "Pay now", [10.0, 10.0, 100.0, 30.0]),
                element("button", &all[0].elements[0].name.clone(), [10.0, 60.0, 200.0, 30.0]),
            ],
        );
        all[0].pressed = Some(Pressed { element: 2, next: "next".into() });
        all.push(next);
        let (scene, next) = (Scene::of(&all[0]), Scene::of(&all[20]));
        let elsewhere: Vec<String> = vec!["Cancel".into()];
        let open = consequence(&scene, &next, &elsewhere).unwrap();
        // What is on both screens was not brought up.
        assert_eq!(open.right, ["Pay now"]);
        assert!(open.question.contains(&all[0].elements[2].name), "{}", open.question);
    }
}

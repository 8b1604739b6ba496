use std::collections::BTreeSet;

use waldo_devices::{Action, Geometry, Observation, Physical, Platform, Point};

use super::*;
use crate::{CallStage, InputState, ProfileUse, Resolved, builtin, names};

/// Screens of the usual kinds, with their scales.
const SCREENS: [((u32, u32), f64); 4] =
    [((1280, 800), 1.0), ((1920, 1200), 1.5), ((2560, 1600), 2.0), ((1080, 2400), 2.625)];
const PLATFORMS: [Platform; 3] = [Platform::Web, Platform::Desktop, Platform::Android];

fn device(platform: Platform, (w, h): (u32, u32), scale: f64) -> DeviceInfo {
    let geometry = Geometry::new(f64::from(w), f64::from(h), scale);
    DeviceInfo::new(platform, "Test 1", geometry, platform.capabilities())
}

fn agents() -> Vec<Profile> {
    let all = names().into_iter().map(|name| builtin(name).unwrap());
    all.filter(|profile| profile.used_as() == ProfileUse::Agent).collect()
}

/// What a reply with this comes to, as the agent reads it.
fn outcome(
    profile: &Profile,
    device: &DeviceInfo,
    size: (u32, u32),
    wish: Wish,
) -> Result<Vec<Resolved>, WriteError> {
    let scale = profile.scale(size).unwrap();
    let reply = profile.write(&[wish], device, scale.sent)?;
    let seen = Observation::blank(device.geometry);
    let chord = |written: &str| Ok(written.replace(' ', "+"));
    let stage = CallStage { seen: &seen, device, scale, chord };
    let mut hand = InputState::default();
    let calls = profile.read(&reply).unwrap_or_else(|error| panic!("{reply}: {error}")).calls;
    let all = calls.iter().map(|call| {
        profile.resolve(call, &stage, &mut hand).unwrap_or_else(|error| panic!("{reply}: {error}"))
    });
    Ok(all.flatten().collect())
}

fn press(at: PlaceShares) -> Wish {
    Wish::Press { at, clicks: Clicks::Single, button: Button::Left, modifiers: Modifiers::default() }
}

#[test]
fn a_press_comes_back_within_half_a_unit_of_every_profiles_coordinates() {
    for profile in agents() {
        for (size, scale) in SCREENS {
            for platform in PLATFORMS {
                let device = device(platform, size, scale);
                for at in [[0.0, 0.0], [0.123, 0.456], [0.5, 0.5], [0.999, 0.998]] {
                    let Ok(came) = outcome(&profile, &device, size, press(at)) else { continue };
                    let [Resolved::Act(Action::Tap { at: came, .. })] = came.as_slice() else {
                        panic!("{}: {came:?}", profile.name())
                    };
                    let extent = profile.scale(size).unwrap().extent;
                    for (came, share, side, extent) in [
                        (came.x, at[0], f64::from(size.0), extent[0]),
                        (came.y, at[1], f64::from(size.1), extent[1]),
                    ] {
                        let unit = if extent <= 1.0 { side / 10_000.0 } else { side / extent };
                        let off = (came - share * side).abs();
                        assert!(off <= unit / 2.0 + 1.0, "{} {size:?}: off by {off}", profile.name());
                    }
                }
            }
        }
    }
}

/// Everything but a press, with the words of what it comes to.
fn others() -> Vec<(&'static str, Wish, &'static [&'static str])> {
    let owned = str::to_owned;
    let at = [0.5, 0.25];
    let press = |clicks, button| Wish::Press { at, clicks, button, modifiers: Modifiers::default() };
    let tool = |tool, to: Option<&'static str>, with: Vec<(&'static str, Value)>| Wish::Do {
        tool,
        at: to.map(|parameter| (parameter, at)),
        with,
    };
    let scroll = Wish::Scroll { at, direction: Direction::Down, notches: 5, notch: [0.05, 0.05] };
    vec![
        ("double", press(Clicks::Double, Button::Left), &["double "]),
        ("right", press(Clicks::Single, Button::Right), &["right"]),
        ("drag", Wish::Drag { path: vec![at, [0.75, 0.5]] }, &["drag", "swipe"]),
        ("path", Wish::Drag { path: vec![at, [0.6, 0.3], [0.75, 0.5]] }, &["drag"]),
        ("scroll", scroll, &["scroll", "drag", "swipe"]),
        ("type", Wish::Type { text: owned("it's \"so\"\\\nnew") }, &["it's \"so\"\\\nnew"]),
        ("key", Wish::Keys { chord: owned("Enter") }, &["Enter", "enter"]),
        ("chord", Wish::Keys { chord: owned("ctrl+a") }, &["ctrl+a"]),
        ("wait", Wish::Wait { seconds: 0.5 }, &["wait"]),
        ("hold", tool(Tool::LongPress, Some("element"), Vec::new()), &["long press"]),
        ("hover", tool(Tool::Hover, Some("element"), Vec::new()), &["hover"]),
        ("back", tool(Tool::Back, None, Vec::new()), &["go back"]),
        ("home", tool(Tool::Home, None, Vec::new()), &["go home"]),
        ("app", tool(Tool::OpenApp, None, vec![("app", "Clock".into())]), &["Clock"]),
        ("upload", tool(Tool::Upload, None, Vec::new()), &[]),
        ("finish", Wish::Finish { answer: None }, &["Finish { answer: None }"]),
        ("answer", Wish::Finish { answer: Some(owned("it's 4")) }, &["Finish { answer: Some(\"it's 4\") }"]),
        ("fail", Wish::Fail { reason: owned("gone") }, &["Infeasible"]),
    ]
}

/// What the actions of each profile do not do, by the names of [`others`].
const LACKING: &str = "
aguvis android: double right path hover upload
aguvis desktop: path hold back home app upload
aguvis web: path hold back home app upload
claude android: right path hover back home app upload
claude desktop: path back home app upload
claude web: path back home app upload
gemini android: right path hover upload
gemini desktop: path back home upload
gemini web: path home app upload
internvl android: double right path hover upload
internvl desktop: path hold back home app upload
internvl web: path hold back home app upload
openai android: right hold hover back home app upload
openai desktop: right hold back home app upload
openai web: right hold back home app upload
opencua android: double right drag path scroll hold hover back home app upload
opencua desktop: path hold back home app upload
opencua web: path hold back home app upload
qwen2.5-vl android: double right path hover upload
qwen2.5-vl desktop: path hold back home app upload
qwen2.5-vl web: path hold back home app upload
qwen3-vl android: double right path hover upload
qwen3-vl desktop: path hold back home app upload
qwen3-vl web: path hold back home app upload
scalecua android: double right path hover upload
scalecua desktop: path hold back home app upload
scalecua web: path hold back home app upload
ui-tars android: double right path hover upload fail
ui-tars desktop: path hold back home app upload fail
ui-tars web: path hold back home app upload fail
ui-tars-1.5 android: double right path hover upload fail
ui-tars-1.5 desktop: path hold back home app upload fail
ui-tars-1.5 web: path hold back home app upload fail
";

#[test]
fn what_is_written_comes_to_what_was_meant_and_what_no_action_does_is_named() {
    let mut lacking = BTreeSet::new();
    for profile in agents() {
        for platform in PLATFORMS {
            let device = device(platform, (1280, 800), 1.0);
            let mut missing = Vec::new();
            for (name, wish, means) in others() {
                let typed = if let Wish::Type { text } = &wish { Some(text.clone()) } else { None };
                match outcome(&profile, &device, (1280, 800), wish) {
                    Err(WriteError::NotCovered { .. }) => missing.push(name),
                    Err(other) => panic!("{other}"),
                    Ok(came) => {
                        let last = match came.last() {
                            Some(Resolved::Act(Action::Type { text })) => text.clone(),
                            Some(Resolved::Act(action)) => action.describe(),
                            other => format!("{other:?}"),
                        };
                        let right = means.iter().any(|word| last.contains(word));
                        assert!(right, "{} {name} on {platform:?}: {last}", profile.name());
                        assert!(typed.is_none_or(|text| text == last), "{last}");
                    }
                }
            }
            lacking.insert(format!("{} {}: {}", profile.name(), platform.as_str(), missing.join(" ")));
        }
    }
    let lacking: Vec<String> = lacking.into_iter().collect();
    assert_eq!(lacking.join("\n"), LACKING.trim());
}

#[test]
fn a_drag_ends_where_it_was_to_end() {
    for profile in agents() {
        let device = device(Platform::Web, (1280, 800), 1.0);
        let Ok(came) =
            outcome(&profile, &device, (1280, 800), Wish::Drag { path: vec![[0.25, 0.5], [0.75, 0.25]] })
        else {
            continue;
        };
        let Some(Resolved::Act(Action::Drag { path, .. })) = came.last() else { panic!("{came:?}") };
        let near = |at: Point<Physical>, x: f64, y: f64| at.distance(Point::new(x, y)) < 2.0;
        assert!(near(path[0], 320.0, 400.0) && near(path[path.len() - 1], 960.0, 200.0), "{path:?}");
    }
}

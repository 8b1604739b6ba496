use waldo_devices::Capability;

use super::*;
use crate::{ContentPart, builtin, names};

const SCREENS: [((u32, u32), f64); 3] = [((1280, 800), 1.0), ((1920, 1080), 1.5), ((1080, 2400), 2.0)];

fn device(platform: Platform, (w, h): (u32, u32), scale: f64) -> DeviceInfo {
    let geometry = Geometry::new(f64::from(w), f64::from(h), scale);
    DeviceInfo::new(platform, "Test 1", geometry, platform.capabilities())
}

fn screen(device: &DeviceInfo) -> Observation {
    Observation::blank(device.geometry)
}

fn chord(written: &str) -> Result<String, String> {
    Ok(written.replace(' ', "+"))
}

/// What a reply comes to on a device of 1280 by 800 pixels.
fn outcome(profile: &str, platform: Platform, reply: &str) -> Result<Vec<Resolved>, String> {
    let profile = builtin(profile).unwrap();
    let device = device(platform, (1280, 800), 1.0);
    let (seen, scale) = (screen(&device), profile.scale((1280, 800)).unwrap());
    let stage = CallStage { seen: &seen, device: &device, scale, chord };
    let mut hand = InputState::default();
    let mut all = Vec::new();
    for call in profile.read(reply)?.calls {
        all.extend(profile.resolve(&call, &stage, &mut hand)?);
    }
    Ok(all)
}

/// The same, in the words of a report.
fn told(profile: &str, platform: Platform, reply: &str) -> String {
    let all = outcome(profile, platform, reply).unwrap_or_else(|error| panic!("{reply}: {error}"));
    let words = all.into_iter().map(|resolved| match resolved {
        Resolved::Act(action) => action.describe(),
        other => format!("{other:?}"),
    });
    words.collect::<Vec<_>>().join("; ")
}

#[test]
fn every_built_in_profile_holds_together() {
    let all = "aguvis claude gemini gta1 internvl openai opencua os-atlas qwen2.5-vl qwen3-vl scalecua uground ui-tars \
               ui-tars-1.5";
    assert_eq!(names().join(" "), all);
    for name in names() {
        let profile = builtin(name).unwrap_or_else(|error| panic!("{error}"));
        // What is not on the wire of its model is for who names it alone.
        let by_name_alone = ["claude", "gemini", "openai"].contains(&name);
        assert_eq!(profile.models().is_empty(), by_name_alone, "{name}");
        assert_eq!(profile.hash().len(), 64, "{name}");
    }
    let known =
        |model: &str| crate::of_model(model, ProfileUse::Agent).map(|profile| profile.name().to_owned());
    assert_eq!(known("ByteDance-Seed/UI-TARS-1.5-7B").as_deref(), Some("ui-tars-1.5"));
    assert_eq!(known("ui_tars-72b-dpo").as_deref(), Some("ui-tars"));
    assert_eq!(known("Qwen/Qwen2.5-VL-7B-Instruct").as_deref(), Some("qwen2.5-vl"));
    assert_eq!(known("gpt-9"), None);
    assert_eq!(known("osunlp/UGround-V1-7B"), None);
}

/// A model that names the middle of a ten-pixel target in its own form and coordinates presses within it.
#[test]
fn the_example_of_each_profile_hits_a_ten_pixel_target_at_every_size_and_scale() {
    for name in names() {
        let profile = builtin(name).unwrap();
        for (size, factor) in SCREENS {
            let device = device(Platform::Web, size, factor);
            let (seen, scale) = (screen(&device), profile.scale(size).unwrap());
            for (fx, fy) in [(0.02, 0.03), (0.5, 0.5), (0.77, 0.31), (0.985, 0.99)] {
                let target = Point::new(f64::from(size.0) * fx, f64::from(size.1) * fy);
                let reply = profile.example(scale.written(target)).unwrap();
                let at = if profile.used_as() == ProfileUse::Grounder {
                    scale.on_screen(profile.read_place(&reply).unwrap().unwrap()).unwrap()
                } else {
                    let stage = CallStage { seen: &seen, device: &device, scale, chord };
                    let call = profile.read(&reply).unwrap().calls.remove(0);
                    match profile.resolve(&call, &stage, &mut InputState::default()).unwrap().remove(0) {
                        Resolved::Act(Action::Tap { at, .. }) => at,
                        other => panic!("{name}: {other:?}"),
                    }
                };
                assert!(
                    (at.x - target.x).abs() < 5.0 && (at.y - target.y).abs() < 5.0,
                    "{name} {size:?} {at} {target}"
                );
            }
        }
    }
}

/// Each profile's replies and what they come to, a line each; `⏎` breaks a line.
#[test]
fn models_act_in_their_own_words() {
    for line in include_str!("replies.txt").lines().map(|line| line.replace('⏎', "\n")) {
        let [profile, platform, reply, comes_to] =
            line.splitn(2, ' ').flat_map(|part| part.split(" => ")).collect::<Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        let platform = serde_json::from_value(platform.into()).unwrap();
        assert_eq!(told(profile, platform, reply), comes_to, "{profile}: {reply}");
    }
}

#[test]
fn ui_tars_hands_over_and_names_what_there_is() {
    use Platform::Web;
    let handed = outcome("ui-tars", Web, "Action: call_user()").unwrap();
    assert!(
        matches!(&handed[..], [Resolved::HandOver { reason }] if reason.contains("call_user")),
        "{handed:?}"
    );
    let error = outcome("ui-tars", Web, "Action: press_home()").unwrap_err();
    assert!(
        error.contains("'press_home' is not among the actions of this device: call_user, click, drag"),
        "{error}"
    );
    let error = outcome("ui-tars", Web, "Action: click(start_box='(1200,3)')").unwrap_err();
    assert!(error.contains("ends at (1000, 1000)"), "{error}");
    assert!(outcome("ui-tars", Web, "Action: click(start_box='there')").unwrap_err().contains("two numbers"));
}

#[test]
fn qwen_acts_in_several_tool_calls() {
    use Platform::Web;
    let failed =
        r#"<tool_call>{"name": "c", "arguments": {"action": "terminate", "status": "failure"}}</tool_call>"#;
    assert!(matches!(&outcome("qwen3-vl", Web, failed).unwrap()[..], [Resolved::Infeasible { .. }]));
    let call = |a: &&str| format!("<tool_call>{{\"name\": \"c\", \"arguments\": {{{a}}}}}</tool_call>");
    let calls = |all: &[&str]| all.iter().map(call).collect::<String>();
    // A drag starts where the pointer was left, and an answer is kept for the end.
    let drag = calls(&[
        r#""action": "mouse_move", "coordinate": [0, 0]"#,
        r#""action": "left_click_drag", "coordinate": [999, 999]"#,
    ]);
    assert_eq!(told("qwen3-vl", Web, &drag), "hover at (0, 0); drag (0, 0) to (1279, 799)");
    let answer =
        calls(&[r#""action": "answer", "text": "42""#, r#""action": "terminate", "status": "success""#]);
    assert!(told("qwen3-vl", Web, &answer).ends_with("Finish { answer: Some(\"42\") }"));
    let bare = calls(&[r#""action": "left_click_drag", "coordinate": [9, 9]"#]);
    assert_eq!(outcome("qwen3-vl", Web, &bare).unwrap_err(), "left_click_drag needs a place");
}

#[test]
fn computer_tools_drag_along_a_path() {
    use Platform::Web;
    let way = r#"{"type": "drag", "path": [{"x": 1, "y": 1}, {"x": 5, "y": 9}, {"x": 9, "y": 1}]}"#;
    let all = outcome("openai", Web, way).unwrap();
    assert!(matches!(&all[..], [Resolved::Act(Action::Drag { path, .. })] if path.len() == 3), "{all:?}");
    for bad in [r#"{"type": "drag", "path": [{"x": 1, "y": 1}]}"#, r#"{"type": "drag", "path": [1, 2]}"#] {
        assert!(outcome("openai", Web, bad).unwrap_err().starts_with("path "), "{bad}");
    }
}

#[test]
fn a_script_that_fails_says_that_it_cannot_be_done() {
    let fails = "## Action:\nEnd.\n```code\ncomputer.terminate(status='failure')\n```";
    assert!(matches!(&outcome("opencua", Platform::Web, fails).unwrap()[..], [Resolved::Infeasible { .. }]));
}

#[test]
fn messages_follow_the_order_of_the_models_own_code() {
    let device = device(Platform::Desktop, (1920, 1080), 1.0);
    let step = |n: usize| {
        let (reply, operation) = (format!("reply {n}"), format!("operation {n}"));
        PastStep { reply, operation, ..PastStep::default() }
    };
    let shape = |name: &str, steps: &[PastStep]| -> Vec<String> {
        let profile = builtin(name).unwrap();
        let scale = profile.scale((1920, 1080)).unwrap();
        let all =
            profile.messages(&Material { goal: "Save it.", device: Some(&device), scale, steps }).unwrap();
        all.iter()
            .map(|said| {
                let pieces = said.pieces.iter().map(|piece| match piece {
                    ContentPart::Picture(n) => format!("#{n}"),
                    ContentPart::Text(text) => text.lines().next().unwrap_or("").chars().take(12).collect(),
                });
                format!("{:?} {}", said.role, pieces.collect::<Vec<_>>().join(" + "))
            })
            .collect()
    };
    let six: Vec<PastStep> = (0..6).map(step).collect();
    assert_eq!(shape("ui-tars-1.5", &[]), ["System You are a he", "User You operate ", "User #0"]);
    let wanted = "Assistant reply 0, Assistant reply 1, User #2, Assistant reply 2, User #3, Assistant reply 3, User #4, \
                  Assistant reply 4, User #5, Assistant reply 5, User #6";
    assert_eq!(shape("ui-tars-1.5", &six)[2..].join(", "), wanted);
    assert_eq!(shape("qwen2.5-vl", &six)[1..4], ["User #2 + Give the nex", "Assistant reply 2", "User #3"]);
    assert_eq!(shape("qwen2.5-vl", &six).last().map(String::as_str), Some("User #6"));
    assert_eq!(shape("scalecua", &six)[1..], ["User #6 + Give the nex"]);
    let wanted = "Assistant # Step 1:, User #4, Assistant # Step 5:, User #5, Assistant # Step 6:, User #6 + # Task Instr";
    assert_eq!(shape("opencua", &six)[1..].join(", "), wanted);
    assert_eq!(shape("aguvis", &six)[1..], ["User #6 + Give the nex", "Assistant <|recipient|"]);
}

fn refused(data: &str) -> String {
    let templates = BTreeMap::from([("task".to_owned(), "{{ goal }}".to_owned())]);
    Profile::new("mine", data, templates).unwrap_err().to_string()
}

const MINE: &str = r#"
about = "mine"
example = "Action: click(x={{ x }}, y={{ y }})"
picture = { resize = "none" }
coordinates = { space = "unit" }
messages = [{ role = "user", parts = ["picture", "task"] }]
reply = { form = "calls" }
[actions.click]
does = "tap"
with = { at = ["x", "y"] }
"#;

#[test]
fn what_does_not_hold_together_is_named() {
    let templates = BTreeMap::from([("task".to_owned(), "{{ goal }}".to_owned())]);
    let mine = Profile::new("mine", MINE, templates).unwrap();
    assert!(mine.offered(&device(Platform::Web, (9, 9), 1.0)).contains(&"click"));
    for (from, to, part) in [
        ("\"tap\"", "\"fly\"", "'click' does 'fly'"),
        ("at = [", "place = [", "gives 'place' to tap, which has at, clicks"),
        ("\"task\"]", "\"tusk\"]", "write tusk.md.j2"),
        ("\"picture\", ", "", "the model would see nothing"),
        ("Action: click", "Click it.", "its own example does not press"),
        ("\"unit\"", "\"percent\"", "unknown variant `percent`"),
        ("about", "abuot", "abuot"),
        ("\"calls\"", "\"place\"", "reply form place"),
    ] {
        let message = refused(&MINE.replacen(from, to, 1));
        assert!(message.contains(part) && message.contains("'mine'"), "{part}: {message}");
    }
    let broken = BTreeMap::from([("task".to_owned(), "a\n{{ gaol }}".to_owned())]);
    let message = Profile::new("mine", MINE, broken).unwrap_err().to_string();
    assert!(message.contains("template 'task' (line 2)") && message.contains("it can use goal"), "{message}");
    let changed = BTreeMap::from([("task".to_owned(), "{{ goal }}!".to_owned())]);
    assert_ne!(Profile::new("mine", MINE, changed).unwrap().hash(), mine.hash());
}

#[test]
fn a_device_without_keys_has_no_keys() {
    let profile = builtin("ui-tars").unwrap();
    let mut phone = device(Platform::Android, (1080, 2400), 1.0);
    assert!(profile.offered(&phone).contains(&"hotkey"));
    phone.capabilities.retain(|can| *can != Capability::Keyboard);
    assert!(!profile.offered(&phone).contains(&"hotkey"));
}

use waldo_devices::{Action, Point};
use waldo_native::{ProfileUse, builtin, names};

use super::*;
use crate::appagent::testing::{brief, device, soon, turn, view};

fn steps(json: Value) -> Vec<Step> {
    serde_json::from_value(json).unwrap()
}

async fn played(profile: &str, solution: Value) -> Vec<Decision> {
    let profile = Arc::new(builtin(profile).unwrap());
    let mut agent = ReferenceNative::new(NativeOptions { profile, max_tokens: 500, hook: None });
    agent.begin(&brief("Save it.", steps(solution))).unwrap();
    let (view, device) = (view(), device());
    let mut all = Vec::new();
    for step in 1..20 {
        let decision = agent.decide(&turn(&device, step, &view)).await.unwrap();
        let ended = !matches!(decision.choice, Choice::Act { .. } | Choice::Pass { .. });
        all.push(decision);
        if ended {
            break;
        }
    }
    all
}

#[tokio::test]
async fn a_solution_is_played_in_the_form_of_every_profile() {
    let solution = json!([
        { "do": "tap", "role": "textbox", "name": "Name" },
        { "do": "type", "text": "Ada" },
        { "do": "answer", "text": "42" },
    ]);
    let agents = names().into_iter().filter(|name| builtin(name).unwrap().used_as() == ProfileUse::Agent);
    for name in agents {
        let all = played(name, solution.clone()).await;
        let Choice::Act { action: Action::Tap { at, .. } } = &all[0].choice else {
            panic!("{name}: {all:?}")
        };
        assert!(at.distance(Point::new(60.0, 75.0)) < 1.5, "{name}: {at}");
        assert_eq!(all[0].exchanges[0].pictures, 1, "{name}");
        let typed = Choice::Act { action: Action::Type { text: "Ada".into() } };
        assert_eq!(all[1].choice, typed, "{name}: {:?}", all[1].exchanges);
        let answer = Some("42".to_owned());
        assert_eq!(all.last().unwrap().choice, Choice::Finish { answer }, "{name}");
    }
}

#[tokio::test]
async fn a_reply_of_several_calls_is_asked_for_once() {
    let all =
        played("qwen3-vl", json!([{ "do": "fill", "role": "textbox", "name": "Name", "text": "B" }])).await;
    let asked: Vec<usize> = all.iter().map(|decision| decision.exchanges.len()).collect();
    // Press, select all, type; then the end.
    assert_eq!(asked, [1, 0, 0, 1], "{all:?}");
}

#[tokio::test]
async fn what_no_action_of_the_profile_does_is_given_up_before_anything_is_done() {
    let solution = json!([
        { "do": "tap", "role": "button", "name": "Save \"all\"" },
        { "do": "upload", "role": "button", "name": "Photo", "files": ["a.png"] },
    ]);
    let all = played("internvl", solution).await;
    let [Decision { choice: Choice::GiveUp { reason }, .. }] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!(reason, "the profile 'internvl' has no action on web for: upload");
}

#[tokio::test]
async fn coordinates_are_of_the_picture_that_came() {
    let profile = Arc::new(builtin("qwen2.5-vl").unwrap());
    let (at, modifiers) = ([0.5, 0.5], Modifiers::default());
    let press = Wish::Press { at, clicks: Clicks::Single, button: Button::Left, modifiers };
    let next = Some((vec![press], ReferenceProgress::default()));
    let known = Known { device: Some(device()), next, ..Known::default() };
    let model = ReferenceSight { profile, known: Mutex::new(known) };
    let png = waldo_devices::labels::encode_png(&image::RgbImage::new(560, 280)).unwrap();
    let parts = vec![MessagePart::Png(png.into())];
    let messages = vec![crate::model::Message { speaker: crate::model::Speaker::User, parts }];
    let request = ModelRequest { messages, ..ModelRequest::default() };
    let reply = model.complete(&request, soon()).await.unwrap().text;
    assert!(reply.contains("[280,140]"), "{reply}");
    // Whoever asks once more has refused the answer.
    let error = model.complete(&request, soon()).await.unwrap_err().to_string();
    assert!(error.contains("asked twice"), "{error}");
}

use image::{Rgb, RgbImage};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use waldo_devices::{Action, Context, LabelStyle, Physical, Picture, Point, RefusalKind, labels};
use waldo_native::{Scale, builtin, names};

use super::*;
use crate::agent::View;
use crate::appagent::testing::{ScriptedModel, brief, device, observation, soon, turn};
use crate::model::wire::{chat_response, parse_chat_request};
use crate::model::{EndpointClient, EndpointOptions, MessagePart, Speaker, Usage};
use crate::native::{ProfileGrounder, ProfileUse};
use crate::planner::ground::{GroundAnswer, Grounder as _, LocateRequest};

const RED: Rgb<u8> = Rgb([220, 20, 20]);
/// Side of the target in pixels of the screen.
const SIDE: u32 = 10;
const SCREENS: [((u32, u32), f64); 3] = [((1280, 800), 1.0), ((1920, 1080), 1.5), ((1080, 2400), 2.0)];

/// A screen with a red target whose upper left corner is at `x`, `y`.
fn screen((w, h): (u32, u32), scale: f64, (x, y): (u32, u32)) -> View {
    let mut picture = RgbImage::from_pixel(w, h, Rgb([230, 230, 230]));
    for (dx, dy) in (0..SIDE).flat_map(|dx| (0..SIDE).map(move |dy| (dx, dy))) {
        picture.put_pixel(x + dx, y + dy, RED);
    }
    let mut seen = observation(Vec::new(), Picture::new(picture));
    seen.geometry = Geometry::new(f64::from(w), f64::from(h), scale);
    seen.context = Context::default();
    View::new(seen, LabelStyle::default()).unwrap()
}

/// The middle of what is red in a picture, as shares of its width and height.
fn red_in(png: &[u8]) -> [f64; 2] {
    let picture = labels::decode(png).unwrap();
    let red = |p: &Rgb<u8>| i32::from(p[0]) - i32::from(p[1]) > 60;
    let all: Vec<(f64, f64)> = picture
        .enumerate_pixels()
        .filter(|(.., p)| red(p))
        .map(|(x, y, _)| (f64::from(x) + 0.5, f64::from(y) + 0.5))
        .collect();
    let n = all.len() as f64;
    let (x, y) = all.iter().fold((0.0, 0.0), |sum, at| (sum.0 + at.0, sum.1 + at.1));
    [x / n / f64::from(picture.width()), y / n / f64::from(picture.height())]
}

/// A model at a real address that looks for the target in the last picture that it is sent, and answers in the form and
/// the coordinates of its profile.
async fn double(profile: Arc<Profile>, scale: Scale, size: (u32, u32)) -> Arc<dyn ModelClient> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut bytes = Vec::new();
            let body = loop {
                assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "the request has no end");
                let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
                let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
                let length =
                    head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
                let length: usize = length.unwrap();
                if bytes.len() >= end + 4 + length {
                    break bytes[end + 4..].to_vec();
                }
            };
            let asked = parse_chat_request(&body).unwrap();
            let picture = asked.messages.iter().flat_map(|message| &message.files).next_back().unwrap();
            assert_eq!(labels::decode(picture).unwrap().dimensions(), scale.sent);
            let [x, y] = red_in(picture);
            let at = Point::new(x * f64::from(size.0), y * f64::from(size.1));
            let text = profile.example(scale.written(at)).unwrap();
            let body = chat_response("double", &text, &Usage::default()).to_string();
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
        }
    });
    Arc::new(EndpointClient::new(EndpointOptions::new(&base_url, "double")).unwrap())
}

#[tokio::test]
async fn what_a_model_finds_in_the_picture_it_is_sent_is_pressed_at_every_size_and_scale() {
    for name in names() {
        let profile = Arc::new(builtin(name).unwrap());
        for (size, factor) in SCREENS {
            let scale = profile.scale(size).unwrap();
            let client = double(Arc::clone(&profile), scale, size).await;
            let (x, y) = (size.0 * 7 / 10 + 1, size.1 * 9 / 10 + 3);
            let view = screen(size, factor, (x, y));
            let at: Point<Physical> = if profile.used_as() == ProfileUse::Grounder {
                let grounder = ProfileGrounder::new(client, Arc::clone(&profile));
                let ask = LocateRequest {
                    kind: "click",
                    description: "the red square",
                    element: None,
                    view: &view,
                    crop: None,
                    anywhere: false,
                    deadline: soon(),
                };
                match grounder.locate(&ask, &mut Vec::new()).await.unwrap() {
                    GroundAnswer::At(spot) => spot.point,
                    GroundAnswer::Refused(reason) => panic!("{name}: {reason}"),
                }
            } else {
                let options = NativeOptions { profile: Arc::clone(&profile), max_tokens: 500, hook: None };
                let mut agent = Native::new(client, options);
                agent.begin(&brief("Press the red square.", vec![])).unwrap();
                match agent.decide(&turn(&device(), 1, &view)).await.unwrap().choice {
                    Choice::Act { action: Action::Tap { at, .. } } => at,
                    other => panic!("{name}: {other:?}"),
                }
            };
            let inside = |at: f64, from: u32| at >= f64::from(from) && at < f64::from(from + SIDE);
            assert!(
                inside(at.x, x) && inside(at.y, y),
                "{name} {size:?}: {at} is not in ({x}, {y}) + {SIDE}"
            );
        }
    }
}

fn native(profile: &str, replies: &[&str]) -> (Native, Arc<ScriptedModel>) {
    let script = ScriptedModel::new(replies);
    let profile = Arc::new(builtin(profile).unwrap());
    let mut agent = Native::new(script.clone(), NativeOptions { profile, max_tokens: 500, hook: None });
    agent.begin(&brief("Save it.", vec![])).unwrap();
    (agent, script)
}

async fn step(agent: &mut Native, note: Option<&Note>) -> Decision {
    let view = screen((720, 480), 1.0, (100, 100));
    agent.decide(&Turn { note, ..turn(&device(), 1, &view) }).await.unwrap()
}

const CLICK: &str = "Thought: There.\nAction: click(start_box='(500,500)')";

#[tokio::test]
async fn replies_that_cannot_be_used_are_asked_for_again_once() {
    let (mut agent, script) = native("ui-tars", &["I cannot see it.", CLICK, "no", "still no"]);
    let decision = step(&mut agent, None).await;
    assert!(matches!(decision.choice, Choice::Act { .. }), "{decision:?}");
    assert_eq!(decision.thought.as_deref(), Some("There."));
    let rejected: Vec<bool> = decision.exchanges.iter().map(|e| e.rejected.is_some()).collect();
    assert_eq!((rejected, decision.exchanges[1].purpose.as_str()), (vec![true, false], "re-ask"));
    let passed = step(&mut agent, None).await;
    assert!(
        matches!(&passed.choice, Choice::Pass { reason } if reason.contains("'Action:' is missing")),
        "{passed:?}"
    );
    let asked = script.asked.lock().unwrap();
    // What could not be used is no part of the history; what could is.
    let said = |n: usize| asked[n].messages.iter().filter(|m| m.speaker == Speaker::Assistant).count();
    assert_eq!([0, 1, 2].map(said), [0, 1, 1]);
    let pictures = |n: usize| {
        let parts = asked[n].messages.iter().flat_map(|m| &m.parts);
        parts.filter(|part| matches!(part, MessagePart::Png(_))).count()
    };
    assert_eq!([pictures(0), pictures(2)], [1, 2]);
}

#[tokio::test]
async fn several_calls_are_steps_of_their_own_until_one_fails() {
    let two = "<operation>Fill it.</operation><action>\nclick(x=0.5, y=0.5)\nwrite(message='Ada')\npress('enter')\n</action>";
    let (mut agent, script) = native("internvl", &[two, two]);
    let first = step(&mut agent, None).await;
    assert_eq!((first.call.as_str(), first.summary.as_deref()), ("click(x=0.5, y=0.5)", Some("Fill it.")));
    let second = step(&mut agent, Some(&Note::NoChange)).await;
    assert_eq!(second.choice, Choice::Act { action: Action::Type { text: "Ada".into() } });
    assert!(second.exchanges.is_empty());
    let refused = Note::refused(RefusalKind::Denied, "denied");
    let third = step(&mut agent, Some(&refused)).await;
    assert_eq!((third.exchanges.len(), script.asked.lock().unwrap().len()), (1, 2));
    agent.begin(&brief("Another.", vec![])).unwrap();
    assert!(agent.state.queue.is_empty() && agent.state.steps.is_empty());
}

#[tokio::test]
async fn thinking_is_recorded_apart_and_endings_are_what_they_are() {
    let think = "<think>\nAction: finished()\n</think>\nAction: call_user()";
    let (mut agent, _) = native("ui-tars", &[think]);
    let decision = step(&mut agent, None).await;
    assert!(matches!(decision.choice, Choice::HandOver { .. }), "{decision:?}");
    assert_eq!(decision.exchanges[0].thinking.as_deref(), Some("Action: finished()"));
    assert_eq!(decision.thought.as_deref(), Some("Action: finished()"));
    let call = |with: &str| {
        format!("<tool_call>{{\"name\": \"c\", \"arguments\": {{\"action\": {with}}}}}</tool_call>")
    };
    let end = |status: &str| call(&format!("\"terminate\", \"status\": \"{status}\""));
    let (mut agent, _) = native("qwen3-vl", &[&end("failure")]);
    assert!(matches!(step(&mut agent, None).await.choice, Choice::Infeasible { .. }));
    let (mut agent, _) = native("qwen3-vl", &[&end("success")]);
    assert_eq!(step(&mut agent, None).await.choice, Choice::Finish { answer: None });
    // An answer is said before the end, and nothing is asked of the device for it.
    let answer = call("\"answer\", \"text\": \"42\"");
    let (mut agent, _) = native("qwen3-vl", &[&format!("{answer}\n{}", end("success"))]);
    let Choice::Pass { reason } = step(&mut agent, None).await.choice else {
        panic!("it ends before it is answered")
    };
    let ended = step(&mut agent, Some(&Note::failed(reason))).await;
    assert_eq!((ended.choice, ended.exchanges.len()), (Choice::Finish { answer: Some("42".into()) }, 0));
    let (mut agent, _) = native("ui-tars-1.5", &["Action: finished(content='42')"]);
    assert_eq!(step(&mut agent, None).await.choice, Choice::Finish { answer: Some("42".into()) });
}

#[tokio::test]
async fn a_screen_without_a_picture_is_passed_over_and_a_page_that_asks_for_a_person_is_left() {
    let (mut agent, script) = native("ui-tars", &[]);
    let mut view = View::new(observation(Vec::new(), Picture::empty()), LabelStyle::default()).unwrap();
    let first = agent.decide(&turn(&device(), 1, &view)).await.unwrap();
    assert!(matches!(first.choice, Choice::Pass { .. }), "{first:?}");
    view.observation.context.person = Some("Are you human?".into());
    let second = agent.decide(&turn(&device(), 2, &view)).await.unwrap();
    assert!(matches!(second.choice, Choice::HandOver { .. }), "{second:?}");
    assert!(script.asked.lock().unwrap().is_empty());
    assert_eq!((agent.name(), agent.fence()), ("native", Fence::Persons));
}

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use image::RgbImage;
use waldo_cage::{
    CageError, Handle, HostCall, LiteralCall, Refusal, Script, ScriptEngine, ScriptError, ScriptLimits,
    ScriptOutcome, StopCause, ToolHost, Usage, Val,
};
use waldo_devices::observation::{PageScroll, TabInfo};
use waldo_devices::{Action, Deadline, DeviceError, LabelStyle, Observation, Picture, RefusalKind};
use waldo_prompts::Prompts;

use super::vision::PxRect;
use super::{FramesAgent, FramesOptions};
use crate::agent::{Agent, Choice, Decision, Note, Turn, View};
use crate::appagent::testing::{ScriptedModel, brief, device, observation, phone, step};
use crate::error::ModelError;
use crate::model::{ModelClient, ModelReply, ModelRequest};

/// Plays the parts of scripts by hand: the first line of a script says which.
struct ByHand;

type Host<'a> = &'a mut dyn ToolHost;

async fn call(host: Host<'_>, me: Option<&Handle>, name: &str, args: Vec<Val>) -> Result<Val, CageError> {
    match host.call(HostCall { receiver: me, function: name, args, kwargs: Vec::new() }).await {
        Ok(value) => Ok(value),
        Err(waldo_cage::HostError::Stop(waldo_cage::Stop::Host(why))) => {
            Err(CageError::Stopped { why, line: None, printed: String::new() })
        }
        Err(waldo_cage::HostError::Raise { kind: _, message }) => {
            let kind = "RuntimeError".to_owned();
            Err(CageError::Raised(ScriptError { kind, message, trace: Vec::new(), printed: String::new() }))
        }
        Err(other) => Err(CageError::Died { how: format!("{other:?}"), printed: String::new() }),
    }
}

fn item(list: &Val, n: usize) -> Handle {
    list.as_items().unwrap()[n].as_handle().unwrap().clone()
}

async fn part(source: &str, frames: &Val, host: Host<'_>) -> Result<(), CageError> {
    let frame = item(frames, 1);
    match source.trim() {
        "mark field" => {
            call(host, Some(&frame), "set_frame_as", vec!["INPUTTABLE".into()]).await?;
        }
        "mark track and button" => {
            for kind in ["SLIDEABLE_X", "NEXT"] {
                let words = vec!["left".into(), "knob".into()];
                let knob = call(host, Some(&frame), "get_element", words).await?;
                call(host, knob.as_handle(), "set_element_as", vec![kind.into()]).await?;
            }
        }
        "type" => {
            call(host, None, "enter", vec![frame.into(), "seven".into()]).await?;
        }
        "slide, click and release" => {
            let knob = call(host, Some(&frame), "get_interactable", vec![0.into()]).await?;
            let next = call(host, Some(&frame), "get_interactable", vec![1.into()]).await?;
            call(host, None, "slide_x", vec![knob, "right".into(), frame.into()]).await?;
            call(host, None, "click", vec![next]).await?;
        }
        "click next" => {
            let next = call(host, Some(&frame), "get_interactable", vec![1.into()]).await?;
            call(host, None, "click", vec![next]).await?;
        }
        "hoard" => {
            let shown = host.attr(&frame, "image").await.unwrap();
            let large = call(host, shown.as_handle(), "resize", vec![2_048.into(), 2_048.into()]).await?;
            for _ in 0..1_500 {
                let all = vec![0.into(), 0.into(), 2_048.into(), 2_048.into()];
                call(host, large.as_handle(), "crop", all).await?;
            }
        }
        other => panic!("{other}"),
    }
    Ok(())
}

#[async_trait]
impl ScriptEngine for ByHand {
    async fn run(
        &self,
        script: &Script,
        host: &mut dyn ToolHost,
        _: &ScriptLimits,
    ) -> Result<ScriptOutcome, CageError> {
        let done = part(&script.source, &script.args[0], host).await;
        host.released(if done.is_ok() { StopCause::Finished } else { StopCause::Raised });
        done.map(|()| ScriptOutcome { value: Val::None, printed: String::new(), usage: Usage::default() })
    }

    fn literal_calls(&self, source: &str, most: usize) -> Result<Vec<LiteralCall>, Vec<Refusal>> {
        waldo_cage::literal_calls(source, most)
    }
}

const SAID: &str = "```python\ndescribe(0, 'A page.')\ndescribe(1, 'A box.')\ndescribe(2, 'A knob.')\nobjective('enter what it asks')\n```";

/// What a field is typed into by.
const TYPES: [&str; 3] = [SAID, "```\nmark field\n```", "```\ntype\n```"];

const SAID_OF_TWO: &str = "```python\ndescribe(0, 'A page.')\ndescribe(1, 'A box.')\ndescribe(2, 'A knob.')\ndescribe(3, 'A button.')\nobjective('slide, then click')\n```";

fn two_knobs() -> Picture {
    let mut picture = screen().picture.pixels().as_ref().clone();
    for y in 180..220 {
        for x in 200..240 {
            picture.put_pixel(x, y, image::Rgb([20, 200, 60]));
        }
    }
    Picture::new(picture)
}

/// A page with one panel, in which a knob stands on the left.
fn screen() -> Observation {
    let mut picture = RgbImage::from_pixel(720, 480, image::Rgb([240, 240, 240]));
    let mut fill = |r: PxRect, c: [u8; 3]| {
        for y in r.y..r.bottom() {
            for x in r.x..r.right() {
                picture.put_pixel(x, y, image::Rgb(c));
            }
        }
    };
    fill(PxRect::new(100, 100, 400, 200), [90, 120, 150]);
    fill(PxRect::new(130, 180, 40, 40), [230, 60, 30]);
    let mut seen = observation(Vec::new(), Picture::new(picture));
    seen.context.tabs.truncate(1);
    seen.context.title = "A page".into();
    seen
}

fn view(seen: Observation) -> View {
    View::new(seen, LabelStyle::default()).unwrap()
}

fn frames(replies: &[&str]) -> (FramesAgent, Arc<ScriptedModel>) {
    let model = ScriptedModel::new(replies);
    let prompts = Arc::new(Prompts::builtin().unwrap());
    let mut agent = FramesAgent::new(model.clone(), prompts, Arc::new(ByHand), FramesOptions::default());
    let mut brief = brief("Type what it asks.", vec![]);
    brief.max_steps = 100;
    agent.begin(&brief).unwrap();
    (agent, model)
}

fn action(decision: &Decision) -> &Action {
    match &decision.choice {
        Choice::Act { action } => action,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_script_acts_once_a_turn() {
    let (mut agent, model) = frames(&TYPES);
    let view = view(screen());
    let first = step(&mut agent, 1, &view, None).await;
    assert!(matches!(action(&first), Action::Tap { .. }), "{first:?}");
    let purposes: Vec<&str> = first.exchanges.iter().map(|e| e.purpose.as_str()).collect();
    assert_eq!(purposes, ["objective", "structure", "solution"]);
    let second = step(&mut agent, 2, &view, None).await;
    assert_eq!(action(&second), &Action::Key { chord: "ctrl+a".into() });
    let third = step(&mut agent, 3, &view, None).await;
    assert_eq!(action(&third), &Action::Type { text: "seven".into() });
    let last = step(&mut agent, 4, &view, None).await;
    assert_eq!(last.choice, Choice::Finish { answer: None });
    assert_eq!(model.asked.lock().unwrap().len(), 3);
}

/// A button was never clicked while a handle was held, so the script that is asked for next clicks it.
#[tokio::test]
async fn what_was_not_handed_in_is_handed_in_by_the_repair() {
    let pick = "{\"number\": 1}";
    let (mut agent, model) = frames(&[
        SAID_OF_TWO,
        "```\nmark track and button\n```",
        pick,
        pick,
        "```\nslide, click and release\n```",
        "```\nclick next\n```",
    ]);
    let mut seen = screen();
    seen.picture = two_knobs();
    let view = view(seen);
    let mut done = Vec::new();
    let mut rejected = Vec::new();
    for n in 1..60 {
        let decision = step(&mut agent, n, &view, None).await;
        rejected.extend(decision.exchanges.iter().filter_map(|e| e.rejected.clone()));
        match decision.choice {
            Choice::Act { action } => done.push(action.name()),
            Choice::Finish { .. } => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(done.last(), Some(&"tap"), "{done:?}");
    assert_eq!(done[done.len() - 2], "pointer_up");
    assert_eq!(model.asked.lock().unwrap().len(), 6);
    // The script that ran into it had gone out with its inputs: no other request is blamed for it.
    assert_eq!(rejected, Vec::<String>::new());
}

#[tokio::test]
async fn pictures_of_a_script_are_bounded_in_number() {
    let (mut agent, model) = frames(&[SAID, "```\nmark field\n```", "```\nhoard\n```", "```\ntype\n```"]);
    let first = step(&mut agent, 1, &view(screen()), None).await;
    assert!(matches!(action(&first), Action::Tap { .. }), "{first:?}");
    let asked = model.asked.lock().unwrap();
    let told = format!("{:?}", asked[3].messages);
    assert!(told.contains("1500 pictures were taken"), "{told}");
}

#[tokio::test]
async fn nothing_is_asked_or_done_on_a_page_that_is_not_allowed() {
    for location in ["https://shop.example/", "about:blank", "data:text/html,x", ""] {
        let (mut agent, model) = frames(&[]);
        let mut seen = screen();
        seen.context.location = location.into();
        let decision = step(&mut agent, 1, &view(seen), None).await;
        assert!(gave_up(&decision).contains("not an origin"), "{location}");
        assert!(model.asked.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_page_that_changes_its_origin_or_asks_for_a_person_gets_no_further_input() {
    type Change = fn(&mut Observation);
    let asking: [Change; 2] = [
        |seen| seen.context.title = "Please verify you are human".into(),
        |seen| seen.context.person = Some("are you human".into()),
    ];
    for change in asking {
        let (mut agent, _) = frames(&TYPES);
        step(&mut agent, 1, &view(screen()), None).await;
        let mut seen = screen();
        change(&mut seen);
        let decision = step(&mut agent, 2, &view(seen), None).await;
        assert!(matches!(decision.choice, Choice::HandOver { .. }), "{decision:?}");
    }
    let changes: [Change; 3] = [
        |seen| seen.context.location = "http://127.0.0.1:9999/".into(),
        |seen| seen.context.blocked = vec!["http://127.0.0.1:9999".into()],
        |seen| {
            let tab = TabInfo { url: "about:blank".into(), ..seen.context.tabs[0].clone() };
            seen.context.tabs.push(tab);
        },
    ];
    for change in changes {
        let (mut agent, _) = frames(&TYPES);
        step(&mut agent, 1, &view(screen()), None).await;
        let mut seen = screen();
        change(&mut seen);
        let decision = step(&mut agent, 2, &view(seen), None).await;
        assert!(!gave_up(&decision).is_empty());
    }
}

#[tokio::test]
async fn a_refused_input_ends_it() {
    let (mut agent, _) = frames(&TYPES);
    let view = view(screen());
    step(&mut agent, 1, &view, None).await;
    let note = Note::refused(RefusalKind::Denied, "not an allowed origin");
    let decision = step(&mut agent, 2, &view, Some(&note)).await;
    assert!(gave_up(&decision).contains("refused: not an allowed origin"));
}

#[tokio::test]
async fn a_script_is_not_told_what_a_device_says() {
    let (mut agent, model) =
        frames(&[SAID, "```\nmark field\n```", "```\ntype\n```", "```\ntype\n```", "```\ntype\n```"]);
    let view = view(screen());
    step(&mut agent, 1, &view, None).await;
    let mut note = Some(Note::of_error(&DeviceError::bad_argument("x", "ZQMARK")));
    for n in 2..4 {
        step(&mut agent, n, &view, note.take().as_ref()).await;
    }
    let asked: Vec<String> =
        model.asked.lock().unwrap().iter().map(|asked| format!("{:?}", asked.messages)).collect();
    assert!(asked.iter().any(|text| text.contains("the device reported an error")), "{asked:?}");
    assert!(!asked.iter().any(|text| text.contains("ZQMARK")), "{asked:?}");
}

#[tokio::test]
async fn a_description_that_tells_of_a_person_hands_over() {
    let said = SAID.replace("A box.", "A box with the words: prove you are human.");
    let (mut agent, model) = frames(&[&said]);
    let decision = step(&mut agent, 1, &view(screen()), None).await;
    assert!(matches!(decision.choice, Choice::HandOver { .. }), "{decision:?}");
    assert_eq!(model.asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_model_that_is_too_slow_is_an_error() {
    let prompts = Arc::new(Prompts::builtin().unwrap());
    let mut agent = FramesAgent::new(Arc::new(Slow), prompts, Arc::new(ByHand), FramesOptions::default());
    agent.begin(&brief("Type what it asks.", vec![])).unwrap();
    let view = view(screen());
    let deadline = Deadline::after(Duration::from_millis(100));
    let error = agent
        .decide(&Turn { device: &device(), step: 1, view: &view, note: None, deadline, person: None })
        .await
        .unwrap_err();
    assert!(error.to_string().contains("no answer from the model"), "{error}");
}

#[tokio::test]
async fn an_input_on_a_page_that_has_scrolled_is_not_made_and_its_repair_finds_the_new_place() {
    let again = "```\ntype\n```";
    let (mut agent, model) = frames(&[SAID, "```\nmark field\n```", again, again]);
    let mut seen = screen();
    seen.context.page_scroll = Some(PageScroll::default());
    let first = step(&mut agent, 1, &view(seen.clone()), None).await;
    assert!(matches!(action(&first), Action::Tap { .. }), "{first:?}");
    seen.context.page_scroll = Some(PageScroll { above: 40, below: 0 });
    let second = step(&mut agent, 2, &view(seen), None).await;
    let (Action::Tap { at: old, .. }, Action::Tap { at: new, .. }) = (action(&first), action(&second)) else {
        panic!("{second:?}")
    };
    // The picture shows the box where it was, whatever the page says of its scrolling.
    assert_eq!(old, new);
    let told = format!("{:?}", model.asked.lock().unwrap()[3].messages);
    assert!(told.contains("scrolled by 40 CSS pixels") && told.contains("taken after them"), "{told}");
}

fn gave_up(decision: &Decision) -> &str {
    let Choice::GiveUp { reason } = &decision.choice else { panic!("{decision:?}") };
    reason
}

struct Slow;

#[async_trait]
impl ModelClient for Slow {
    fn model(&self) -> &str {
        "slow"
    }

    async fn complete(&self, _: &ModelRequest, deadline: Deadline) -> Result<ModelReply, ModelError> {
        tokio::time::sleep_until(deadline.instant()).await;
        Err(ModelError::Timeout { after: Duration::from_millis(100), by: crate::error::TimedBy::Step })
    }
}

#[test]
fn other_screens_are_refused_at_the_start() {
    let (mut agent, _) = frames(&[]);
    let mut brief = brief("x", vec![]);
    brief.device = phone();
    assert!(agent.begin(&brief).is_err());
}

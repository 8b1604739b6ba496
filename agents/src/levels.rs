//! One question about one picture: the offline levels, as a model is asked them.
//!
//! Invariant: each question is asked once, of one picture, and whatever is answered is its answer: there is no second
//! look, so that a score says what the model saw.

use std::sync::Arc;

use image::RgbImage;
use waldo_devices::labels::{self, LabelStyle, PicturePacking};
use waldo_devices::picture_elements::{Search, blobs, guess};
use waldo_devices::{
    Action, Deadline, DeviceInfo, ElementRef, Geometry, Normalized, Observation, Physical, Picture, Point,
};
use waldo_prompts::Prompts;
use waldo_prompts::levels::{Nothing, PlaceText, QuestionText};

use crate::agent::{Agent, Brief, Choice, Exchange, Turn, View};
use crate::chat::{ask, message};
use crate::error::Result;
use crate::model::{Message, MessagePart, ModelClient, Speaker};
use crate::planner::ground::{GroundAnswer, Grounder, LocateRequest};

/// How elements are found in a picture, to be numbered.
const SEARCH: Search = Search { step: 1, across: 5, down: 1, line: 6.0, scale: 1.0, most: 300 };

/// Asks a model by the benchmark's form: a system message, the picture, and the text, in two messages.
pub struct LevelAsker {
    client: Arc<dyn ModelClient>,
    prompts: Arc<Prompts>,
    max_tokens: u32,
}

impl LevelAsker {
    /// One that asks `client`, whose replies may have `max_tokens` tokens.
    pub fn new(client: Arc<dyn ModelClient>, prompts: Arc<Prompts>, max_tokens: u32) -> Self {
        Self { client, prompts, max_tokens }
    }

    pub async fn question(
        &self,
        question: &QuestionText,
        picture: &RgbImage,
        deadline: Deadline,
    ) -> Result<Exchange> {
        let system = self.prompts.level_question_system(&Nothing {})?;
        let text = self.prompts.level_question(question)?;
        self.ask("question", &system, text, picture, deadline).await
    }

    pub async fn place(&self, instruction: &str, picture: &RgbImage, deadline: Deadline) -> Result<Exchange> {
        let system = self.prompts.level_place_system(&Nothing {})?;
        let text = self.prompts.level_place(&PlaceText { instruction: instruction.to_owned() })?;
        self.ask("place", &system, text, picture, deadline).await
    }

    async fn ask(
        &self,
        purpose: &str,
        system: &str,
        text: String,
        picture: &RgbImage,
        deadline: Deadline,
    ) -> Result<Exchange> {
        let png: Arc<[u8]> = labels::encode_png(picture)?.into();
        let messages = [
            message(Speaker::System, system.trim_end()),
            Message { speaker: Speaker::User, parts: vec![MessagePart::Png(png)] },
            message(Speaker::User, text.trim_end()),
        ];
        let (_, exchange) =
            ask(self.client.as_ref(), self.max_tokens, purpose, &messages, &text, deadline).await?;
        Ok(exchange)
    }
}

/// A picture as a screen that is located on. With `numbered` what looks touchable has a number; nothing of it is read.
pub fn view(picture: RgbImage, numbered: bool) -> Result<View> {
    let (w, h) = picture.dimensions();
    let elements = match numbered {
        true => blobs(&picture, SEARCH)
            .into_iter()
            .enumerate()
            .map(|(n, (bounds, role))| guess(format!("p{n}"), role, bounds))
            .collect(),
        false => Vec::new(),
    };
    let blank = Observation::blank(Geometry::new(f64::from(w), f64::from(h), 1.0));
    let observation = Observation { picture: Picture::new(picture), elements, ..blank };
    if numbered {
        return Ok(View::new(observation, LabelStyle::Boxes)?);
    }
    Ok(View {
        observation,
        tagged: Vec::new(),
        png: Arc::default(),
        packing: PicturePacking::default(),
        list: String::new(),
        label_time: std::time::Duration::ZERO,
    })
}

/// Where a grounder sees what `instruction` describes, as shares of the picture; `None` where it names no place. What
/// was asked and answered is added to `log`.
pub async fn locate(
    grounder: &dyn Grounder,
    instruction: &str,
    view: &View,
    deadline: Deadline,
    log: &mut Vec<Exchange>,
) -> Result<Option<Point<Normalized>>> {
    let ask = LocateRequest {
        kind: "click",
        description: instruction,
        element: None,
        view,
        crop: None,
        anywhere: false,
        deadline,
    };
    Ok(match grounder.locate(&ask, log).await? {
        GroundAnswer::At(spot) => Some(view.observation.geometry.to_normalized(spot.point)),
        GroundAnswer::Refused(_) => None,
    })
}

/// Where an agent presses that is told to press what `instruction` describes, as shares of the picture; `None` where it
/// does something else. It decides once, by its own prompt and parser. What was asked and answered is added to `log`.
pub async fn press(
    agent: &mut dyn Agent,
    instruction: &str,
    (device, prompts): (&DeviceInfo, &Prompts),
    view: &View,
    deadline: Deadline,
    log: &mut Vec<Exchange>,
) -> Result<Option<Point<Normalized>>> {
    let goal = prompts.level_press(&PlaceText { instruction: instruction.to_owned() })?;
    let mut device = device.clone();
    device.geometry = view.observation.geometry;
    agent.begin(&Brief {
        goal: goal.trim_end().to_owned(),
        device: device.clone(),
        seed: 0,
        max_steps: 2,
        reference: Arc::new([]),
    })?;
    let turn = Turn { step: 1, device: &device, view, note: None, deadline, person: None };
    let mut decision = agent.decide(&turn).await?;
    log.append(&mut decision.exchanges);
    let place = match decision.choice {
        Choice::Act { action } => place_of(action, view),
        _ => None,
    };
    Ok(place.map(|at| view.observation.geometry.to_normalized(at)))
}

/// The first place that an action goes to: a point, or the middle of an element.
fn place_of(mut action: Action, view: &View) -> Option<Point<Physical>> {
    let mut points = Vec::new();
    let mut handles = Vec::new();
    let walked: Result<(), std::convert::Infallible> = action.move_targets(
        &mut |at| {
            points.push(*at);
            Ok(())
        },
        &mut |handle: &mut ElementRef| {
            handles.push(handle.clone());
            Ok(())
        },
    );
    let Ok(()) = walked;
    let middle = |handle: &ElementRef| {
        let element = view.observation.elements.iter().find(|element| element.handle == *handle)?;
        Some(element.bounds.center())
    };
    points.first().copied().or_else(|| handles.first().and_then(middle))
}

#[cfg(test)]
mod tests {
    use image::Rgb;
    use waldo_devices::Platform;
    use waldo_native::builtin;
    use waldo_prompts::levels::QuestionOption;

    use super::*;
    use crate::appagent::testing::{ScriptedModel, soon};
    use crate::appagent::{AppAgent, AppAgentOptions};
    use crate::native::{Native, NativeOptions};
    use crate::planner::ground::TagsGrounder;

    fn prompts() -> Arc<Prompts> {
        Arc::new(Prompts::builtin().unwrap())
    }

    fn picture(boxes: &[(u32, u32)]) -> RgbImage {
        let mut picture = RgbImage::from_pixel(300, 200, Rgb([255; 3]));
        for (x, y) in boxes {
            for (dx, dy) in (0..30).flat_map(|dx| (0..20).map(move |dy| (dx, dy))) {
                picture.put_pixel(x + dx, y + dy, Rgb([20; 3]));
            }
        }
        picture
    }

    #[tokio::test]
    async fn a_question_is_a_system_message_the_picture_and_the_text() {
        let script = ScriptedModel::new(&["B", "(10, 20)"]);
        let asker = LevelAsker::new(script.clone(), prompts(), 50);
        let options = vec![QuestionOption { letter: 'A', text: "this".into() }];
        let question = QuestionText { hint: None, question: "Which?".into(), options };
        let exchange = asker.question(&question, &picture(&[]), soon()).await.unwrap();
        assert_eq!((exchange.reply.as_str(), exchange.pictures), ("B", 1));
        let exchange = asker.place("The lamp.", &picture(&[]), soon()).await.unwrap();
        assert!(exchange.prompt.contains("The lamp."));
        for request in script.asked.lock().unwrap().iter() {
            let speakers: Vec<Speaker> = request.messages.iter().map(|message| message.speaker).collect();
            assert_eq!(speakers, [Speaker::System, Speaker::User, Speaker::User]);
            assert!(matches!(request.messages[1].parts.as_slice(), [MessagePart::Png(_)]));
            assert_eq!(request.max_tokens, 50);
        }
    }

    #[tokio::test]
    async fn a_number_of_the_picture_is_a_place() {
        let view = view(picture(&[(20, 30), (200, 120)]), true).unwrap();
        assert_eq!(view.tagged.len(), 2);
        let grounder =
            TagsGrounder::new(ScriptedModel::new(&[r#"{"element": 2}"#, r#"{"element": null}"#]), prompts());
        let mut log = Vec::new();
        let at = locate(&grounder, "The lower one.", &view, soon(), &mut log).await.unwrap().unwrap();
        assert!((at.x - 215.0 / 300.0).abs() < 0.02 && (at.y - 130.0 / 200.0).abs() < 0.02, "{at}");
        assert_eq!(locate(&grounder, "None.", &view, soon(), &mut log).await.unwrap(), None);
        assert_eq!(log.len(), 2);
    }

    fn device() -> DeviceInfo {
        DeviceInfo::new(Platform::Web, "", Geometry::new(1.0, 1.0, 1.0), Platform::Web.capabilities())
    }

    #[tokio::test]
    async fn a_native_models_first_action_is_its_place() {
        let screen = view(RgbImage::from_pixel(1280, 720, Rgb([250; 3])), false).unwrap();
        let prompts = prompts();
        for name in ["ui-tars-1.5", "qwen3-vl", "aguvis"] {
            let profile = Arc::new(builtin(name).unwrap());
            let [right, bottom] = profile.scale((1280, 720)).unwrap().extent;
            let reply = profile.example([right * 0.25, bottom * 0.5]).unwrap();
            let script = ScriptedModel::new(&[&reply, "I cannot see it.", "Not at all."]);
            let mut agent = Native::new(script, NativeOptions { profile, max_tokens: 100, hook: None });
            let device = device();
            let mut log = Vec::new();
            let asked = (&device, &*prompts);
            let at = press(&mut agent, "The lamp.", asked, &screen, soon(), &mut log).await.unwrap().unwrap();
            assert!((at.x - 0.25).abs() < 0.002 && (at.y - 0.5).abs() < 0.002, "{name}: {at}");
            assert!(log[0].prompt.contains("The lamp."), "{name}");
            assert_eq!(press(&mut agent, "The lamp.", asked, &screen, soon(), &mut log).await.unwrap(), None);
            assert!(log[1].rejected.is_some(), "{name}");
        }
    }

    #[tokio::test]
    async fn a_tag_of_appagents_is_the_middle_of_its_box() {
        let view = view(picture(&[(20, 30), (200, 120)]), true).unwrap();
        let reply = "Observation: Two boxes.\nThought: The lower one.\nAction: tap(2)\nSummary: Tapped it.";
        let mut agent = AppAgent::new(ScriptedModel::new(&[reply]), prompts(), AppAgentOptions::default());
        let (device, prompts) = (device(), prompts());
        let mut log = Vec::new();
        let asked = (&device, &*prompts);
        let at = press(&mut agent, "The lower one.", asked, &view, soon(), &mut log).await.unwrap().unwrap();
        assert!((at.x - 215.0 / 300.0).abs() < 0.02 && (at.y - 130.0 / 200.0).abs() < 0.02, "{at}");
        assert!(log[0].prompt.contains("The lower one."));
    }
}

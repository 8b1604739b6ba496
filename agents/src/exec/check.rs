//! Whether an agent keeps the protocol: what `waldo agents check` asks, on a screen that is no device's.

use image::{Rgb, RgbImage};
use serde::Serialize;
use serde_json::{Value, json};
use waldo_devices::{
    Affordance, Context, Deadline, DeviceInfo, Element, ElementRef, Geometry, LabelStyle, Observation,
    Picture, Platform, Point, Rect, Role, Settled, Source, States, Timings,
};

use super::agent::{ExecAgent, ExecOptions};
use crate::agent::{Agent as _, Brief, Choice, Decision, Note, Turn, View};
use crate::error::Result;
use crate::program::ENDS_WITHIN;

/// The stand-in screen's width and height.
const SCREEN: (u32, u32) = (640, 400);
const STEPS: u32 = 5;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AgentCheck {
    pub what: &'static str,
    /// What was found where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

fn device() -> DeviceInfo {
    let geometry = Geometry::new(SCREEN.0.into(), SCREEN.1.into(), 1.0);
    DeviceInfo::new(Platform::Web, "stand-in", geometry, Platform::Web.capabilities())
}

/// The stand-in screen, with so many of its three elements.
fn view(count: usize) -> Result<View> {
    let all = [
        ("button", "Save", Affordance::Click),
        ("textbox", "Name", Affordance::Edit),
        ("combobox", "Size", Affordance::Select),
    ];
    let element = |(row, (role, name, can)): (u32, (&str, &str, Affordance))| {
        let bounds = Rect::new(20.0, 20.0 + f64::from(row) * 60.0, 200.0, 40.0);
        Element {
            handle: ElementRef(format!("e{row}")),
            role: Role::new(role),
            name: name.to_owned(),
            value: None,
            states: States::default(),
            affordances: vec![Affordance::Click, can],
            bounds,
            hit: Point::new(bounds.x + 100.0, bounds.y + 20.0),
            options: if can == Affordance::Select {
                vec!["Small".to_owned(), "Large".to_owned()]
            } else {
                Vec::new()
            },
            frame: 0,
            uid: None,
            id: None,
            source: Source::Tree,
        }
    };
    let observation = Observation {
        picture: Picture::new(RgbImage::from_pixel(SCREEN.0, SCREEN.1, Rgb([255; 3]))),
        elements: (0..).zip(all).take(count).map(element).collect(),
        texts: Vec::new(),
        dump: None,
        geometry: device().geometry,
        context: Context { location: "https://stand-in.test/".to_owned(), ..Context::default() },
        settled: Settled::Quiet,
        timings: Timings::default(),
    };
    Ok(View::new(observation, LabelStyle::default())?)
}

/// Plays the protocol's calls with an agent on a stand-in screen, and says what of it the agent keeps, and who it is.
pub async fn check(options: &ExecOptions) -> Result<(Option<[String; 2]>, Vec<AgentCheck>)> {
    let mut found = Vec::new();
    let mut note = |what: &'static str, fault: Option<String>| found.push(AgentCheck { what, fault });
    let (device, full, empty) = (device(), view(3)?, view(0)?);
    let mut agent = ExecAgent::new(options.clone());
    agent.begin(&Brief {
        goal: "Press the button 'Save'.".to_owned(),
        device: device.clone(),
        seed: 7,
        max_steps: STEPS,
        reference: Vec::new().into(),
    })?;
    let refused = Note::Failed { reason: "it was refused".to_owned(), whose: crate::agent::Words::Waldo };
    let turns = [
        ("it answers a turn with a decision", &full, None),
        ("it goes on after an action that could not be carried out", &full, Some(&refused)),
        ("it answers where nothing can be touched", &empty, None),
    ];
    let begins = ["it says hello", "it begins an episode"];
    let (mut who, mut well, mut ends) = (None, true, None);
    for (step, (what, view, told)) in (1..).zip(turns) {
        let turn = Turn {
            step,
            device: &device,
            view,
            note: told,
            deadline: Deadline::after(options.limit.saturating_mul(3)),
            person: None,
        };
        let decision = agent.decide(&turn).await?;
        let failed = match &decision.choice {
            Choice::Fail { reason } => Some(reason.clone()),
            _ => None,
        };
        if step == 1 {
            for (what, call) in begins.into_iter().zip(["hello: ", "begin: "]) {
                note(what, failed.clone().filter(|why| why.starts_with(call)));
                if failed.as_ref().is_some_and(|why| why.starts_with(call)) {
                    return Ok((None, found));
                }
            }
            who = agent.introduced.clone();
        }
        well = failed.is_none();
        note(what, failed);
        if !well {
            break;
        }
        if step == 1 {
            note("its calls mean something on the screen", mistake(&decision));
        }
        if !matches!(decision.choice, Choice::Act { .. } | Choice::Pass { .. }) {
            break;
        }
    }
    if well {
        note("it answers the end of an episode", agent.ended("step_limit", None).await.err());
    }
    for (what, mut message) in [
        ("it answers a message that it does not know with an error", json!({ "call": "nonsense" })),
        (
            "it answers a turn before an episode has begun with an error",
            json!({ "call": "turn", "step": 1, "steps_left": 1, "last": [], "untrusted": {} }),
        ),
    ] {
        message["episode"] = json!("none");
        let link = (options.link)();
        let answer = link.ask(message, Deadline::after(options.limit)).await;
        note(
            what,
            answer.map_or_else(Some, |answer| match answer.get("error") {
                None | Some(Value::Null) => Some("it answered as if it knew it".to_owned()),
                Some(_) => None,
            }),
        );
        ends = link.close(ENDS_WITHIN).await.map(|by_itself| by_itself && ends != Some(false)).or(ends);
    }
    if let Some(ends) = ends {
        let fault = (!ends).then(|| "it ran on, and was killed".to_owned());
        note("it ends when its standard input does", fault);
    }
    Ok((who, found))
}

fn mistake(decision: &Decision) -> Option<String> {
    match &decision.choice {
        Choice::Pass { reason } => Some(reason.clone()),
        _ => None,
    }
}

//! From the calls of a decision to what is done on the screen.

use serde_json::{Map, Value};
use waldo_devices::catalogue::unknown_parameter;
use waldo_devices::{
    Action, ActionPlace, CallTarget, Deadline, DeviceInfo, Element, GroundContext, Tag, Tool, ToolCall,
};

use crate::agent::{Choice, Exchange, View};
use crate::error::AgentError;
use crate::plan_record::Grounding;
use crate::planner::ground::{Grounder, PlaceQuery, ScreenSpot, locate};

pub(super) const ENDINGS: [(&str, Option<&str>); 5] = [
    ("finish", None),
    ("answer", Some("text")),
    ("infeasible", Some("reason")),
    ("give_up", Some("reason")),
    ("hand_over", Some("reason")),
];

#[derive(Clone, Debug)]
pub(super) struct PlannedCall {
    pub(super) written: Map<String, Value>,
    pub(super) does: CallDoes,
    /// The elements that it names, as they were on the screen that was decided on.
    named: Vec<(Tag, Element)>,
}

#[derive(Clone, Debug)]
pub(super) enum CallDoes {
    Tool(ToolCall),
    End(Choice),
}

impl PlannedCall {
    pub(super) fn read(written: &Map<String, Value>, view: &View, offered: &[Tool]) -> Result<Self, String> {
        let mut parameters = written.clone();
        let name = match parameters.remove("do") {
            Some(Value::String(name)) => name,
            Some(other) => return Err(format!("do must be the name of an action, not {other}")),
            None => return Err("a call needs do, the name of an action".to_owned()),
        };
        let written = written.clone();
        if let Some((_, param)) = ENDINGS.iter().find(|(ending, _)| *ending == name) {
            let does = CallDoes::End(ending(&name, *param, &parameters)?);
            return Ok(Self { written, does, named: Vec::new() });
        }
        let tool = Tool::named(&name)
            .filter(|tool| offered.contains(tool))
            .ok_or_else(|| format!("'{name}' is not among the actions that are offered here"))?;
        let call = tool.call(&parameters)?;
        let mut named = Vec::new();
        for target in call.targets() {
            match target {
                CallTarget::Element { tag, .. } => {
                    let element = view.element(*tag);
                    let element = element
                        .ok_or_else(|| format!("no element has the number {} on this screen", tag.0))?;
                    named.push((*tag, element.clone()));
                }
                CallTarget::Place(at) => {
                    view.observation.geometry.check(*at).map_err(|error| error.to_string())?;
                }
                CallTarget::Area(_) => return Err("there is no grid here: give x and y".to_owned()),
                CallTarget::Described(_) => {}
            }
        }
        Ok(Self { written, does: CallDoes::Tool(call), named })
    }

    pub(super) fn tag(&self, view: &View) -> Option<Tag> {
        let CallDoes::Tool(call) = &self.does else { return None };
        let element = self.element(call.tag()?, view).ok()?;
        let is = |tagged: &&waldo_devices::Tagged| {
            view.observation.elements.get(tagged.element).is_some_and(|other| std::ptr::eq(other, element))
        };
        view.tagged.iter().find(is).map(|tagged| tagged.tag)
    }

    /// The element that it names, on the screen of now, which may be a later one.
    fn element<'a>(&self, tag: Tag, view: &'a View) -> Result<&'a Element, String> {
        let known = self.named.iter().find(|(named, _)| *named == tag).map(|(_, element)| element);
        let same = |one: &&Element| {
            known.is_some_and(|known| {
                one.role == known.role
                    && one.name == known.name
                    && one.bounds == known.bounds
                    && one.frame == known.frame
            })
        };
        let found = view.observation.elements.iter().find(same);
        found.ok_or_else(|| format!("element {} is not where it was any more", tag.0))
    }
}

fn ending(name: &str, param: Option<&str>, parameters: &Map<String, Value>) -> Result<Choice, String> {
    if let Some((unknown, _)) = parameters.iter().find(|(given, _)| Some(given.as_str()) != param) {
        return Err(unknown_parameter(name, unknown, param.as_slice()));
    }
    let text = param.and_then(|param| parameters.get(param)).and_then(Value::as_str).map(str::to_owned);
    let said = |text: Option<String>| {
        text.ok_or_else(|| format!("{name} needs the text {}", param.unwrap_or_default()))
    };
    Ok(match name {
        "finish" => Choice::Finish { answer: None },
        "answer" => Choice::Finish { answer: Some(said(text)?) },
        "infeasible" => Choice::Infeasible { reason: said(text)? },
        "give_up" => Choice::GiveUp { reason: said(text)? },
        _ => Choice::HandOver { reason: said(text)? },
    })
}

pub(super) struct CallScene<'a> {
    pub(super) view: &'a View,
    pub(super) device: &'a DeviceInfo,
    pub(super) grounder: Option<&'a dyn Grounder>,
    pub(super) deadline: Deadline,
}

/// The action that a call comes to on the screen; in the inner `Err` why it comes to none, as a fragment for the agent.
pub(super) async fn action(
    planned: &PlannedCall,
    call: &ToolCall,
    scene: &CallScene<'_>,
    (exchanges, groundings): (&mut Vec<Exchange>, &mut Vec<Grounding>),
) -> Result<Result<Action, String>, AgentError> {
    let mut spots: Vec<Option<ScreenSpot>> = Vec::new();
    for (param, arg) in call.args() {
        let Some(waldo_devices::Arg::Target(target)) = arg else { continue };
        let CallTarget::Described(Some(words)) = target else {
            spots.push(None);
            continue;
        };
        let Some(grounder) = scene.grounder else {
            let why =
                "a description needs a grounder: start waldo with --grounder, or name a number or a place";
            return Ok(Err(why.to_owned()));
        };
        let query = PlaceQuery {
            description: words.clone(),
            element: Some(words.clone()),
            needs: match param.kind {
                waldo_devices::catalogue::ParamKind::Field(needs) => Some(needs),
                _ => None,
            },
            anywhere: param.optional,
        };
        let (found, record) =
            locate(grounder, call.tool.name(), &query, scene.view, scene.deadline, exchanges).await?;
        groundings.push(record);
        match found {
            Ok(spot) => spots.push(Some(spot)),
            Err(why) => return Ok(Err(format!("'{words}' was not found: {why}"))),
        }
    }
    let seen = &scene.view.observation;
    let locate = |nth: usize, target: &CallTarget| match target {
        CallTarget::Element { tag, at } => Ok(ActionPlace::on(planned.element(*tag, scene.view)?, *at)),
        CallTarget::Place(at) => {
            let point = seen.geometry.check(*at).map_err(|error| error.to_string())?;
            let element = scene.view.at(point).map(|(_, element)| element);
            Ok(ActionPlace { element, point })
        }
        CallTarget::Described(_) => {
            let spot = spots.get(nth).copied().flatten().ok_or("no place was found for it")?;
            Ok(ActionPlace { element: spot.element.and_then(|n| seen.elements.get(n)), point: spot.point })
        }
        CallTarget::Area(_) => Err("there is no grid here".to_owned()),
    };
    Ok(call.ground(&GroundContext { seen, device: scene.device, locate: &locate }))
}

//! Grounders: from a description to a point on the screen, or a refusal.
//!
//! A grounder that answers with bare coordinates is checked against the elements of the screen: where its
//! point lies outside all of them, it is asked a second time on a part of the picture around that point
//! with the nearest elements in it; the second point counts, wherever it lies, and the first one when the
//! second shot is refused. Points outside the screen are refusals.
//!
//! Invariant: what a grounder *says* is a point or a refusal; only one that cannot be asked is an error.

mod crop;
mod http;
mod model;
mod profile;
mod tags;
mod text;

use std::time::Instant;

use async_trait::async_trait;
use image::RgbImage;
use waldo_devices::{Affordance, Deadline, Element, Normalized, Physical, Point};

pub(crate) use self::crop::Crop;
pub use self::http::{HttpGrounder, HttpOptions};
pub use self::model::ModelGrounder;
pub use self::profile::{AnswerShape, GroundProfile, Order, Scale};
pub use self::tags::TagsGrounder;
pub use self::text::TextGrounder;
use crate::agent::{Exchange, View};
use crate::chat::{self, retry_messages};
use crate::error::{ModelError, Result};
use crate::model::{ModelClient, ModelRequest};
use crate::plan_record::{Grounding, Hit};

pub struct LocateRequest<'a> {
    pub kind: &'a str,
    pub description: &'a str,
    pub element: Option<&'a str>,
    pub view: &'a View,
    /// The part of its picture that is to be looked at; the whole of it when absent.
    pub(crate) crop: Option<&'a Crop>,
    /// Whether the screen as a whole is an answer.
    pub anywhere: bool,
    pub deadline: Deadline,
}

impl LocateRequest<'_> {
    fn on_screen(&self, at: Point<Normalized>) -> Point<Physical> {
        match self.crop {
            Some(crop) => crop.at(at),
            None => self.view.observation.geometry.from_normalized(at),
        }
    }

    /// What is to be looked at.
    pub(crate) fn picture(&self) -> &RgbImage {
        self.crop.map_or_else(|| self.view.observation.picture.pixels().as_ref(), |crop| &crop.picture)
    }

    fn purpose(&self) -> &'static str {
        if self.crop.is_some() { "ground (second shot)" } else { "ground" }
    }

    /// What a place in the picture comes to, or none.
    pub(crate) fn placed(&self, at: Option<Point<Normalized>>) -> GroundAnswer {
        match at {
            Some(at) => GroundAnswer::At(ScreenSpot { point: self.on_screen(at), element: None }),
            None => GroundAnswer::Refused("the locator says that it is not on the screen".to_owned()),
        }
    }

    /// Asks a model, and once more where `read` cannot use its answer: with the words `form` then. `text` is for the record.
    pub(crate) async fn put(
        &self,
        client: &dyn ModelClient,
        mut request: ModelRequest,
        text: &str,
        form: &str,
        log: &mut Vec<Exchange>,
        read: impl Fn(&str) -> Result<GroundAnswer, String> + Send,
    ) -> Result<GroundAnswer> {
        let (reply, mut exchange) = chat::put(client, &request, self.purpose(), text, self.deadline).await?;
        let mut answer = read(&reply.text);
        exchange.rejected = answer.as_ref().err().cloned();
        log.push(exchange);
        if let Err(error) = &answer {
            let question = format!("That answer could not be used: {error}. {form}");
            request.messages.extend(retry_messages(&reply.text, &question));
            let (reply, mut exchange) =
                chat::put(client, &request, "ground again", &question, self.deadline).await?;
            answer = read(&reply.text);
            exchange.rejected = answer.as_ref().err().cloned();
            log.push(exchange);
        }
        Ok(answer.unwrap_or_else(unusable))
    }
}

fn unusable(error: String) -> GroundAnswer {
    GroundAnswer::Refused(format!("the locator's answer could not be used: {error}"))
}

pub(crate) const NO_PICTURE: &str = "there is no picture of the screen to look at";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlaceQuery {
    pub(crate) description: String,
    pub(crate) element: Option<String>,
    /// What the element has to be able to do, for actions that go to an element and not to a point.
    pub(crate) needs: Option<Affordance>,
    pub(crate) anywhere: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum GroundAnswer {
    At(ScreenSpot),
    Refused(String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScreenSpot {
    pub point: Point<Physical>,
    /// The element that is meant, as its place in the observation's list, where it is known.
    pub element: Option<usize>,
}

#[async_trait]
pub trait Grounder: Send + Sync {
    fn name(&self) -> &'static str;

    /// Whether its answers are coordinates that have to be checked against the elements.
    fn guesses(&self) -> bool {
        true
    }

    /// Sees that what it asks can be asked, before anything is started for it; nothing where it asks nobody.
    async fn preflight(&self, _deadline: Deadline) -> Result<(), ModelError> {
        Ok(())
    }

    /// Locates a description. What was asked and answered is added to `log`.
    async fn locate(&self, ask: &LocateRequest<'_>, log: &mut Vec<Exchange>) -> Result<GroundAnswer>;
}

/// Locates one place of an action, with a second shot where it is called for.
pub(crate) async fn locate(
    grounder: &dyn Grounder,
    kind: &str,
    place: &PlaceQuery,
    view: &View,
    deadline: Deadline,
    log: &mut Vec<Exchange>,
) -> Result<(Result<ScreenSpot, String>, Grounding)> {
    let started = Instant::now();
    let mut record = Grounding {
        grounder: grounder.name().to_owned(),
        action: kind.to_owned(),
        description: place.description.clone(),
        shots: 1,
        ..Grounding::default()
    };
    let mut ask = LocateRequest {
        kind,
        description: &place.description,
        element: place.element.as_deref(),
        view,
        crop: None,
        anywhere: place.anywhere,
        deadline,
    };
    let mut found = checked(grounder.locate(&ask, log).await?, view);
    if let GroundAnswer::At(first) = &found
        && grounder.guesses()
        && !place.anywhere
        && element_at(view, first.point, None).is_none()
        && let Some(crop) = Crop::around(view, first.point)
    {
        let first = first.point;
        ask.crop = Some(&crop);
        record.shots = 2;
        if let second @ GroundAnswer::At(_) = checked(grounder.locate(&ask, log).await?, view) {
            record.first_point = Some([first.x, first.y]);
            found = second;
        }
    }
    let answer = match found {
        GroundAnswer::Refused(reason) => Err(reason),
        GroundAnswer::At(spot) => on_element(spot, place, view),
    };
    record.took = started.elapsed();
    match &answer {
        Ok(spot) => {
            record.point = Some([spot.point.x, spot.point.y]);
            record.hit = spot.element.and_then(|index| hit(view, index));
        }
        Err(reason) => record.refused = Some(reason.clone()),
    }
    Ok((answer, record))
}

/// A point that is not on the screen is a refusal.
fn checked(found: GroundAnswer, view: &View) -> GroundAnswer {
    match found {
        GroundAnswer::At(spot) => match view.observation.geometry.check(spot.point) {
            Ok(_) => GroundAnswer::At(spot),
            Err(error) => GroundAnswer::Refused(error.to_string()),
        },
        refused => refused,
    }
}

/// The element of a place, where the action needs one with a certain ability.
fn on_element(spot: ScreenSpot, place: &PlaceQuery, view: &View) -> Result<ScreenSpot, String> {
    let elements = &view.observation.elements;
    let can =
        |index: &usize| place.needs.is_none_or(|needs| elements.get(*index).is_some_and(|e| e.can(needs)));
    let element = spot.element.filter(can).or_else(|| element_at(view, spot.point, place.needs));
    match (element, place.needs) {
        (None, Some(needs)) => Err(format!(
            "what is at that place {}",
            match needs {
                Affordance::Edit => "takes no text",
                Affordance::Select => "is not a list with options",
                Affordance::Upload => "takes no files",
                _ => "cannot do that",
            }
        )),
        (element, _) => Ok(ScreenSpot { point: spot.point, element }),
    }
}

/// The smallest element with a number at a point, among those that can do what is needed.
pub(crate) fn element_at(view: &View, point: Point<Physical>, needs: Option<Affordance>) -> Option<usize> {
    let elements = &view.observation.elements;
    view.tagged
        .iter()
        .map(|t| t.element)
        .filter(|index| {
            elements
                .get(*index)
                .is_some_and(|e| e.bounds.contains(point) && needs.is_none_or(|needs| e.can(needs)))
        })
        .min_by(|a, b| area(elements, *a).total_cmp(&area(elements, *b)))
}

fn area(elements: &[Element], index: usize) -> f64 {
    elements.get(index).map_or(f64::INFINITY, |e| e.bounds.area())
}

fn hit(view: &View, index: usize) -> Option<Hit> {
    let element = view.observation.elements.get(index)?;
    let tag = view.tagged.iter().find(|t| t.element == index).map(|t| t.tag);
    Some(Hit { tag, role: element.role.as_str().to_owned(), name: element.name.clone() })
}

#[cfg(test)]
mod tests;

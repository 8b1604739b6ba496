//! The reference model: an endpoint on every wire that answers a real agent's prompt, in that
//! agent's reply format, from the solutions that were registered with it.
//!
//! Invariants: it knows a task by its goal, as the prompt gives it, and instances of the same words by the
//! address that it is asked at; a prompt that it cannot answer is refused with the reason, never answered at
//! random; it claims no tokens, having none.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock};

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{Response, StatusCode};
use axum::routing::{get, post};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};
use waldo_agents::model::wire::WirePlace;
use waldo_agents::model::wire::{IncomingChat, IncomingMessage};
use waldo_agents::model::{Speaker, Usage, Wire, wire};
use waldo_agents::model::{png_tokens, text_tokens};
use waldo_agents::reference::Step;
use waldo_agents::reference::model::{Solved, reply};
use waldo_agents::reference::notes::NoteTakerEpisode;
use waldo_agents::reference::{planner, reader};
use waldo_devices::count::{count, either};
use waldo_devices::peer::{PeerCheck, PeerRule};
use waldo_prompts::appagent::DeployParts;
use waldo_prompts::frames::ParsedPrompt;
use waldo_prompts::planner::TurnParts;
use waldo_tasks::TaskError;
use waldo_tasks::widgets::StandIn;

use super::http::{self, cannot_listen};

const MODEL: &str = "reference";
/// The name, or a part of it, under which it knows nameless elements by their documentation only.
const READER: &str = "reader";
/// The name, or a part of it, under which it types only what its prompt of that turn holds.
const NOTE_TAKER: &str = "note-taker";
/// What is said at any other address.
const NOT_HERE: &str = "use POST /v1/chat/completions, /v1/responses, /v1/messages or \
                        /v1/models/NAME:generateContent, or GET /v1/models";
/// Bytes that a request may have: pictures come in it.
const MAX_BODY: usize = 64 * 1024 * 1024;

/// Solutions by goal, shared by all clones.
///
/// Instances may ask for the same in the same words and differ in what is on the screen only. They are told
/// apart by the address that an episode asks at, where it has one of its own ([`ReferenceModel::base_url_at`]),
/// else by the origin of their pages, which the prompt shows.
#[derive(Clone, Debug, Default)]
pub struct Registry(Arc<RwLock<Solutions>>, ActiveWidgets);

#[derive(Debug, Default)]
struct Solutions {
    by_goal: HashMap<String, Vec<Resolved>>,
    /// With how far the note-taker has come there.
    by_place: HashMap<String, (Solved, NoteTakerEpisode)>,
}

/// Widgets that are being played, by their numbers: goal, origin, and who answers for them.
type ActiveWidgets = Arc<RwLock<Vec<ActiveWidget>>>;

#[derive(Clone, Debug)]
struct ActiveWidget {
    goal: String,
    origin: Option<String>,
    stand_in: Arc<StandIn>,
}

#[derive(Debug)]
struct Resolved {
    origin: Option<String>,
    solved: Solved,
}

#[derive(Debug, PartialEq, Eq)]
enum Unsolved {
    Unknown,
    Ambiguous,
}

impl Registry {
    /// Adds the solution of a goal, at the origin of the instance's pages where that is known. A task
    /// without a solution adds nothing.
    pub fn add(&self, origin: Option<&str>, goal: &str, steps: &[Step]) {
        if steps.is_empty() {
            return;
        }
        let solved = Solved { goal: goal.to_owned(), steps: steps.to_vec() };
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let known = all.by_goal.entry(fold(goal)).or_default();
        let origin = origin.map(str::to_owned);
        if !known.iter().any(|known| known.origin == origin && known.solved.steps == solved.steps) {
            known.push(Resolved { origin, solved });
        }
    }

    /// Sets what is solved by whoever asks at `place`, until [`Self::leave`].
    pub fn settle(&self, place: &str, goal: &str, steps: &[Step]) {
        let solved = Solved { goal: goal.to_owned(), steps: steps.to_vec() };
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.by_place.insert(place.to_owned(), (solved, NoteTakerEpisode::default()));
    }

    pub fn leave(&self, place: &str) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).by_place.remove(place);
    }

    /// The note-taker's reply at `place`; none where nobody settled there, or for no prompt of an agent.
    fn noted(&self, place: &str, chat: &IncomingChat) -> Option<String> {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let (solved, course) = all.by_place.get_mut(place)?;
        let messages = chat.messages.iter().filter(|message| message.speaker != Speaker::System);
        let texts: Vec<&str> = messages.map(|message| message.text.as_str()).collect();
        course.reply(&texts, solved)
    }

    pub fn add_widget(&self, origin: Option<&str>, goal: &str, archetype: &str, seed: u64) {
        let mut seats = self.1.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(stand_in) = StandIn::new(seats.len(), archetype, seed) {
            let (goal, origin) = (fold(goal), origin.map(str::to_owned));
            seats.push(ActiveWidget { goal, origin, stand_in: Arc::new(stand_in) });
        }
    }

    /// Who answers a question of the frame policy: by task and address at first, then by the number that
    /// its own words bear.
    fn stand_in(&self, asked: &ParsedPrompt<'_>) -> Option<Arc<StandIn>> {
        let seats = self.1.read().unwrap_or_else(PoisonError::into_inner);
        let numbered = |text: &str| seats.get(StandIn::number_of(text)?).map(|seat| seat.stand_in.clone());
        match asked {
            ParsedPrompt::Objective { task, address, .. } => {
                let goal = fold(task);
                let here = |seat: &&ActiveWidget| {
                    let origin = seat.origin.as_deref();
                    seat.goal == goal && origin.is_none_or(|origin| address.starts_with(origin))
                };
                // An attempt that is repeated was added again.
                seats.iter().rev().find(here).map(|seat| seat.stand_in.clone())
            }
            ParsedPrompt::Structure { objective, .. }
            | ParsedPrompt::Solution { objective }
            | ParsedPrompt::Rank { objective }
            | ParsedPrompt::Compare { objective, .. } => numbered(objective),
            ParsedPrompt::Pick { details, .. } => numbered(details),
            ParsedPrompt::Ask { question, .. } => numbered(question),
            ParsedPrompt::Boxes { what } => numbered(what),
        }
    }

    /// The solution of `goal` on the screen whose text is `screen`, asked for at `place`.
    fn get(&self, place: Option<&str>, goal: &str, screen: &str) -> Result<Solved, Unsolved> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let settled = place.and_then(|place| all.by_place.get(place)).map(|(solved, _)| solved);
        if let Some(solved) = settled.filter(|s| !s.steps.is_empty() && fold(&s.goal) == fold(goal)) {
            return Ok(solved.clone());
        }
        let known = all.by_goal.get(&fold(goal)).map(Vec::as_slice).unwrap_or_default();
        let here = |known: &&Resolved| known.origin.as_deref().is_some_and(|origin| screen.contains(origin));
        if let Some(known) = known.iter().find(here) {
            return Ok(known.solved.clone());
        }
        let (first, rest) = known.split_first().ok_or(Unsolved::Unknown)?;
        let same = rest.iter().all(|other| other.solved.steps == first.solved.steps);
        if same { Ok(first.solved.clone()) } else { Err(Unsolved::Ambiguous) }
    }

    fn len(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).by_goal.len()
    }
}

fn fold(goal: &str) -> String {
    goal.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The endpoint. Dropping it ends it.
#[derive(Debug)]
pub struct ReferenceModel {
    address: SocketAddr,
    _stop: DropGuard,
}

impl ReferenceModel {
    /// Starts it on `address`, for the processes that `peers` names; port 0 takes a free one.
    pub async fn start(address: SocketAddr, peers: PeerRule, registry: Registry) -> Result<Self, TaskError> {
        let listener = TcpListener::bind(address).await.map_err(cannot_listen(address))?;
        let address = listener.local_addr().map_err(cannot_listen(address))?;
        let mut router = Router::new();
        for wire in Wire::ALL {
            let WirePlace::At(path) = wire.place() else { continue };
            let ask = move |State(registry): State<Registry>, request: Request| async move {
                answer(&registry, None, (wire, None), request).await
            };
            let ask_at = move |State(registry): State<Registry>,
                               Path(place): Path<String>,
                               request: Request| async move {
                answer(&registry, Some(&place), (wire, None), request).await
            };
            router = router.route(&format!("/v1/{path}"), post(ask));
            router = router.route(&format!("/{{place}}/v1/{path}"), post(ask_at));
        }
        let router = router.route("/v1/models", get(models)).route("/v1/models/{call}", post(generate));
        let router = router.route("/{place}/v1/models/{call}", post(generate_at));
        let router = router.fallback(nothing).with_state(registry);
        let stop = CancellationToken::new();
        http::spawn(listener, PeerCheck::new("the reference model", peers), router, stop.clone());
        Ok(Self { address, _stop: stop.drop_guard() })
    }

    /// Starts one for this process alone, on a free port of loopback.
    pub async fn own(registry: Registry) -> Result<Self, TaskError> {
        Self::start(([127, 0, 0, 1], 0).into(), PeerRule::ThisProcess, registry).await
    }

    /// What a client is given as its base URL, such as `http://127.0.0.1:8123/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The same for whoever asks at `place`, a plain word: see [`Registry::settle`].
    pub fn base_url_at(&self, place: &str) -> String {
        format!("http://{}/{place}/v1", self.address)
    }
}

/// The wire that has the model in its address, and the model, of what stands after `models/`.
fn after_model(call: &str) -> Option<(Wire, &str)> {
    Wire::ALL.into_iter().find_map(|wire| match wire.place() {
        WirePlace::AfterModel(end) => Some((wire, call.strip_suffix(end)?)),
        WirePlace::At(_) => None,
    })
}

async fn generate(
    State(registry): State<Registry>,
    Path(call): Path<String>,
    request: Request,
) -> Response<Body> {
    match after_model(&call) {
        Some((wire, model)) => answer(&registry, None, (wire, Some(model)), request).await,
        None => nothing().await,
    }
}

async fn generate_at(
    State(registry): State<Registry>,
    Path((place, call)): Path<(String, String)>,
    request: Request,
) -> Response<Body> {
    match after_model(&call) {
        Some((wire, model)) => answer(&registry, Some(&place), (wire, Some(model)), request).await,
        None => nothing().await,
    }
}

async fn answer(
    registry: &Registry,
    place: Option<&str>,
    (wire, model): (Wire, Option<&str>),
    request: Request,
) -> Response<Body> {
    let bytes = match http::whole(request.into_body(), MAX_BODY).await {
        Ok(bytes) => bytes,
        Err(status) => return refuse(status, "the request is too long or came too late"),
    };
    let chat = match wire::parse_request(wire, model, &bytes) {
        Ok(chat) => chat,
        Err(error) => return refuse(StatusCode::BAD_REQUEST, &error.to_string()),
    };
    let said = |answer: &str, usage: Usage| {
        http::json(StatusCode::OK, &wire::response(wire, &chat.model, answer, &usage))
    };
    // A grounder needs no solution.
    if let Some(answer) = chat.messages.iter().rev().find_map(|message| planner::ground(&message.text)) {
        return said(&answer, Usage::default());
    }
    if chat.model.contains(NOTE_TAKER) {
        return match place.and_then(|place| registry.noted(place, &chat)) {
            Some(answer) => said(&answer, Usage::default()),
            None => refuse(
                StatusCode::UNPROCESSABLE_ENTITY,
                "the note-taker answers the agents 'appagent' and 'planner' within waldo: waldo eval --model note-taker",
            ),
        };
    }
    // The frame policy's questions; after a bad reply the question comes before it.
    let asked =
        chat.messages.iter().rev().find_map(|m| ParsedPrompt::of(&m.text).map(|asked| (asked, &m.files)));
    if let Some((asked, files)) = asked {
        let Some(stand_in) = registry.stand_in(&asked) else {
            let message = "the reference model plays no such widget as frames; let it run within waldo: \
                           waldo eval widgets --agent frames --model reference";
            return refuse(StatusCode::UNPROCESSABLE_ENTITY, message);
        };
        // What it cannot answer fails the episode, not the run.
        let answer = stand_in.answer(&asked, files);
        let answer = answer.unwrap_or_else(|why| format!("The stand-in has no answer: {why}."));
        return said(&answer, estimated(&chat, &answer));
    }
    // After a reply that could not be read the conversation goes on, so the prompt need not be last.
    let turn = chat.messages.iter().rev().find_map(|message| {
        TurnParts::of(&message.text).map(|parts| (message.text.as_str(), parts.goal, parts.screen))
    });
    if let Some((message, goal, screen)) = turn {
        let solved = registry.get(place, goal, screen);
        let answer = solved.and_then(|solved| planner::plan(message, &solved).ok_or(Unsolved::Unknown));
        return match answer {
            Ok(answer) => said(&answer, Usage::default()),
            Err(why) => refuse(StatusCode::UNPROCESSABLE_ENTITY, &refusal(&why, goal, registry.len())),
        };
    }
    // Exploring and looking back need none either.
    if let Some(answer) = chat.messages.iter().rev().find_map(|message| reader::learn(&message.text)) {
        return said(&answer, Usage::default());
    }
    let mut messages = chat.messages.iter().rev();
    let prompt = messages
        .find_map(|message| DeployParts::of(&message.text).map(|parts| (message.text.as_str(), parts)));
    let Some((prompt, parts)) = prompt else {
        return refuse(
            StatusCode::UNPROCESSABLE_ENTITY,
            "no message is a prompt that the reference model can read; it answers the agents 'appagent', \
             'planner' and 'frames' with their built-in templates",
        );
    };
    let solved = registry.get(place, parts.goal, parts.screen);
    // The reader knows nameless elements by their documentation only.
    let reply = if chat.model.contains(READER) { reader::reply } else { reply };
    let answer = solved.and_then(|solved| reply(prompt, &[solved]).ok_or(Unsolved::Unknown));
    let answer = match answer {
        Ok(answer) => answer,
        Err(why) => {
            let message = refusal(&why, parts.goal, registry.len());
            return refuse(StatusCode::UNPROCESSABLE_ENTITY, &message);
        }
    };
    said(&answer, Usage::default())
}

/// Tokens as waldo estimates them, for what a model would need on widgets is worth knowing.
fn estimated(chat: &IncomingChat, answer: &str) -> Usage {
    let message =
        |m: &IncomingMessage| text_tokens(&m.text) + m.files.iter().map(|file| png_tokens(file)).sum::<u64>();
    Usage {
        prompt: Some(chat.messages.iter().map(message).sum()),
        completion: Some(text_tokens(answer)),
        ..Usage::default()
    }
}

fn refusal(why: &Unsolved, goal: &str, known: usize) -> String {
    match why {
        Unsolved::Unknown => format!(
            "no solution is known for the goal \"{goal}\" ({} {} known); start the reference \
             model with the suite, the seed and the repeats of the run: waldo serve-model reference \
             --suite ID --seed N --repeats N",
            count(known, "goal"),
            either(known, "is", "are")
        ),
        Unsolved::Ambiguous => format!(
            "the goal \"{goal}\" has several solutions, depending on what is on the pages; start the \
             reference model with --repeats 1, or let it run within waldo: waldo eval --model reference"
        ),
    }
}

async fn models() -> Response<Body> {
    let model = json!({ "id": MODEL, "object": "model", "created": 0, "owned_by": "waldo" });
    http::json(StatusCode::OK, &json!({ "object": "list", "data": [model] }))
}

async fn nothing() -> Response<Body> {
    refuse(StatusCode::NOT_FOUND, NOT_HERE)
}

fn refuse(status: StatusCode, message: &str) -> Response<Body> {
    http::json(status, &wire::error_response(message, "invalid_request_error"))
}

#[cfg(test)]
mod tests;

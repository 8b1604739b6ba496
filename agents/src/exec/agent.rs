use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde::Serialize;
use serde_json::{Map, Value, json};
use waldo_devices::{Deadline, DeviceInfo, Geometry, Secrets};

use super::calls::{CallDoes, CallScene, PlannedCall, action};
use super::link::{AgentLink, LinkMaker};
use super::pictures::{PictureFile, sent};
use super::turn;
use super::wire::{
    BeginQuestion, DecideAnswer, EndQuestion, EndScreen, HelloAnswer, HelloQuestion, LastCall, PROTOCOL,
    ToldDevice, ToldUsage, read,
};
use crate::agent::{Agent, Brief, Choice, Decision, Exchange, Fence, Turn, View, for_a_person};
use crate::asked::{self, RequestUnderWay};
use crate::error::{AgentError, ModelError, Result};
use crate::model::Usage;
use crate::plan_record::PlanRecord;
use crate::planner::ground::Grounder;
use crate::program::ENDS_WITHIN;

pub(super) const NAME: &str = "exec";
const REPLY_CHARS: usize = 64 << 10;

#[derive(Clone)]
pub struct ExecOptions {
    pub link: LinkMaker,
    pub limit: Duration,
    /// Finds what it describes in words, where that can be found here.
    pub grounder: Option<Arc<dyn Grounder>>,
    pub secrets: Vec<String>,
    /// Values that it has and that no record shows.
    pub hidden: Secrets,
    /// Whether it looks at pictures, where that is known before it says hello.
    pub looks: bool,
}

pub struct ExecAgent {
    options: ExecOptions,
    brief: Option<Brief>,
    session: Option<ExecSession>,
    /// Its name and version, once it has said hello.
    pub(super) introduced: Option<[String; 2]>,
    /// What the last decision still wants done, on a screen of this geometry.
    queue: VecDeque<PlannedCall>,
    geometry: Option<Geometry>,
    /// The call whose outcome comes with the next turn.
    current: Option<Map<String, Value>>,
    /// What became of calls that the agent was not told of yet.
    last: Vec<LastCall>,
}

struct ExecSession {
    link: Arc<dyn AgentLink>,
    id: String,
    hello: HelloAnswer,
    told: (DeviceInfo, ToldDevice),
    file: PictureFile,
}

enum NoDecision {
    Failed(String),
    Harness(AgentError),
}

impl From<String> for NoDecision {
    fn from(why: String) -> Self {
        Self::Failed(why)
    }
}

impl ExecOptions {
    /// Puts a question within the time that there is.
    async fn put<T: Serialize + Sync>(
        &self,
        (link, id): (&Arc<dyn AgentLink>, &str),
        call: &str,
        question: &T,
        deadline: Deadline,
    ) -> Result<Value, String> {
        let mut message = json!(question);
        message["call"] = json!(call);
        message["episode"] = json!(id);
        let answer = link.ask(message, deadline.at_most(self.limit)).await;
        answer.map_err(|why| self.hidden.mask(format!("{call}: {why}")))
    }

    async fn hello(&self, deadline: Deadline) -> Result<(Arc<dyn AgentLink>, String, HelloAnswer), String> {
        static EPISODES: AtomicU64 = AtomicU64::new(0);
        let link = (self.link)();
        let id = format!("{}-{}", std::process::id(), EPISODES.fetch_add(1, Ordering::Relaxed));
        let client = concat!("waldo ", env!("CARGO_PKG_VERSION")).to_owned();
        let question = HelloQuestion { protocol: PROTOCOL, client };
        let hello = self.put((&link, &id), "hello", &question, deadline).await?;
        let hello: HelloAnswer = read("hello", hello)?;
        match hello.fault() {
            Some(fault) => Err(fault),
            None => Ok((link, id, hello)),
        }
    }

    /// Says hello, and begins the episode.
    async fn open(&self, brief: &Brief, turn: &Turn<'_>) -> Result<ExecSession, String> {
        let (link, id, hello) = self.hello(turn.deadline).await?;
        let device = turn::device(turn.device, &hello.wants, !self.secrets.is_empty());
        let question = BeginQuestion {
            goal: &brief.goal,
            device: &device,
            max_steps: brief.max_steps,
            // More than 53 bits are lost in most languages' JSON.
            seed: brief.seed & 0xffff_ffff,
            secrets: &self.secrets,
            screens: turn::screens(turn.view),
        };
        let begun = self.put((&link, &id), "begin", &question, turn.deadline).await?;
        let _: Map<String, Value> = read("begin", begun)?;
        let told = (turn.device.clone(), device);
        Ok(ExecSession { link, id, hello, told, file: PictureFile::default() })
    }

    async fn ask(
        &self,
        session: &mut ExecSession,
        (brief, turn, last): (&Brief, &Turn<'_>, &[LastCall]),
        exchange: &mut Exchange,
    ) -> Result<DecideAnswer, NoDecision> {
        let wants = session.hello.wants.clone();
        let is_another = session.told.0 != *turn.device;
        if is_another {
            let told = turn::device(turn.device, &wants, !self.secrets.is_empty());
            session.told = (turn.device.clone(), told);
        }
        let picture =
            sent(&wants, turn.view, &mut session.file).map_err(|error| NoDecision::Harness(error.into()))?;
        exchange.pictures = u32::from(picture.is_some());
        let steps_left = brief.max_steps.saturating_sub(turn.step.saturating_sub(1)).max(1);
        let device = is_another.then_some(&session.told.1);
        let question = turn::question(turn, steps_left, &wants, last, device, picture);
        let started = Instant::now();
        let under_way = RequestUnderWay::new(&exchange.purpose, "", exchange.pictures);
        let answer = self.put((&session.link, &session.id), "turn", &question, turn.deadline).await;
        under_way.ended();
        exchange.took = started.elapsed();
        let mut answer = answer?;
        let text = answer.to_string();
        if let Some(masked) = self.hidden.masked(&text) {
            answer = serde_json::from_str(&masked).map_err(|error| error.to_string())?;
            exchange.reply = masked;
        } else {
            exchange.reply = text;
        }
        if let Some((end, _)) = exchange.reply.char_indices().nth(REPLY_CHARS) {
            exchange.reply.truncate(end);
        }
        let decided: DecideAnswer = read("turn", answer)?;
        if decided.calls.len() > 1 && !session.hello.several {
            let why = "turn: it answered with several calls, and its hello does not say several";
            return Err(why.to_owned().into());
        }
        let usage = decided.usage.unwrap_or_default();
        let cost = decided.cost.filter(|usd| (0.0..1e9).contains(usd));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within the range")]
        let micro_usd = cost.map(|usd| (usd * 1e6).round() as u64);
        let ToldUsage { prompt, completion, cached } = usage;
        exchange.usage = Usage { prompt, completion, cached, micro_usd, ..Usage::default() };
        Ok(decided)
    }
}

/// Sees that an agent says hello, before anything is started for it.
pub async fn greet(options: &ExecOptions) -> Result<(), ModelError> {
    let hello = options.hello(Deadline::after(options.limit)).await;
    let (link, ..) = hello.map_err(|hint| ModelError::setup("it does not keep the protocol", hint))?;
    let _ = link.close(ENDS_WITHIN).await;
    Ok(())
}

impl ExecAgent {
    pub fn new(options: ExecOptions) -> Self {
        Self {
            options,
            brief: None,
            session: None,
            introduced: None,
            queue: VecDeque::new(),
            geometry: None,
            current: None,
            last: Vec::new(),
        }
    }

    /// The next call of the last decision, where nothing speaks against it.
    fn next(&mut self, turn: &Turn<'_>) -> Option<PlannedCall> {
        let failed = matches!(self.last.last(), Some(LastCall { seen: "refused" | "failed", .. }));
        if failed || self.geometry != Some(turn.view.observation.geometry) || turn.person.is_some() {
            self.drop_rest();
        }
        self.queue.pop_front()
    }

    fn drop_rest(&mut self) {
        let dropped = self.queue.drain(..).map(|call| LastCall {
            call: call.written,
            seen: "dropped",
            why: Some("an earlier call failed, or the screen is another one".to_owned()),
            untrusted: None,
        });
        self.last.extend(dropped);
    }

    /// Carries out a call, or tells the agent that it cannot be.
    async fn carry(&mut self, planned: PlannedCall, turn: &Turn<'_>) -> Result<Decision> {
        let view = turn.view;
        let (mut exchanges, mut groundings) = (Vec::new(), Vec::new());
        let choice = match &planned.does {
            CallDoes::End(choice) => choice.clone(),
            CallDoes::Tool(call) => {
                let scene = CallScene {
                    view,
                    device: turn.device,
                    grounder: self.options.grounder.as_deref(),
                    deadline: turn.deadline,
                };
                match action(&planned, call, &scene, (&mut exchanges, &mut groundings)).await? {
                    Ok(action) => Choice::Act { action },
                    Err(reason) => Choice::Pass { reason },
                }
            }
        };
        let mut decision = Decision::of(choice);
        decision.tag = planned.tag(view).or_else(|| match &decision.choice {
            Choice::Act { action } => action.point().and_then(|at| view.at(at)).map(|(tag, _)| tag),
            _ => None,
        });
        decision.call = Value::Object(planned.written.clone()).to_string();
        decision.exchanges = exchanges;
        if !groundings.is_empty() {
            decision.plan = Some(Box::new(PlanRecord { groundings, ..PlanRecord::default() }));
        }
        self.current = Some(planned.written);
        Ok(decision)
    }

    /// Asks for a decision. The session stays where this is given up meanwhile.
    async fn ask(
        &mut self,
        brief: &Brief,
        turn: &Turn<'_>,
        exchange: &mut Exchange,
    ) -> Result<DecideAnswer, NoDecision> {
        let session = match &mut self.session {
            Some(session) => session,
            none => {
                let session = none.insert(self.options.open(brief, turn).await?);
                self.introduced = Some([session.hello.name.clone(), session.hello.version.clone()]);
                session
            }
        };
        let asked = self.options.ask(session, (brief, turn, &self.last), exchange).await;
        exchange.stderr = session.link.heard().map(|text| self.options.hidden.mask(text));
        asked
    }

    /// Tells it that its episode has ended, with what the screen showed last where it wants that, and ends it.
    pub(super) async fn ended(&mut self, outcome: &str, last: Option<&View>) -> Result<(), String> {
        let Some(mut session) = self.session.take() else { return Ok(()) };
        let wants = &session.hello.wants;
        let screen = match last.filter(|_| wants.end_screen) {
            Some(view) => Some(EndScreen {
                picture: sent(wants, view, &mut session.file).map_err(|error| error.to_string())?,
                untrusted: turn::untrusted(view, wants),
            }),
            None => None,
        };
        let (deadline, end) = (Deadline::after(ENDS_WITHIN), EndQuestion { outcome, screen });
        let answer = self.options.put((&session.link, &session.id), "end", &end, deadline).await;
        let _ = session.link.close(ENDS_WITHIN).await;
        read::<Map<String, Value>>("end", answer?).map(drop)
    }

    /// Reads the calls of a decision; what is wrong with them, as a fragment for the agent.
    fn read(&self, decided: &DecideAnswer, turn: &Turn<'_>) -> Result<VecDeque<PlannedCall>, String> {
        let wants = self.session.as_ref().map(|session| session.hello.wants.clone()).unwrap_or_default();
        let offered: Vec<_> = turn::offered(turn.device, &wants, !self.options.secrets.is_empty()).collect();
        let all: Result<VecDeque<_>, String> =
            decided.calls.iter().map(|call| PlannedCall::read(call, turn.view, &offered)).collect();
        let all = all?;
        match all.iter().position(|call| matches!(call.does, CallDoes::End(_))) {
            _ if all.is_empty() => Err("calls is empty: name at least one".to_owned()),
            Some(end) if end + 1 < all.len() => {
                Err("a call comes after the one that ends the episode".to_owned())
            }
            _ => Ok(all),
        }
    }
}

#[async_trait]
impl Agent for ExecAgent {
    fn name(&self) -> &'static str {
        NAME
    }

    fn fence(&self) -> Fence {
        // Pages that ask for a person are left to one.
        Fence::Persons
    }

    fn looks(&self) -> bool {
        self.options.looks
    }

    fn begin(&mut self, brief: &Brief) -> Result<()> {
        *self = Self { brief: Some(brief.clone()), ..Self::new(self.options.clone()) };
        Ok(())
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision> {
        let brief = self.brief.clone().ok_or_else(|| AgentError::not_begun(NAME))?;
        if let Some(call) = self.current.take() {
            self.last.push(turn::last(call, turn.note));
        }
        if let Some(decision) = for_a_person(turn.view) {
            return Ok(decision);
        }
        if let Some(planned) = self.next(turn) {
            return self.carry(planned, turn).await;
        }
        let mut exchange = Exchange { purpose: Exchange::OF_PROGRAM.to_owned(), ..Exchange::default() };
        let decided = match self.ask(&brief, turn, &mut exchange).await {
            Ok(decided) => decided,
            Err(NoDecision::Harness(error)) => return Err(error),
            Err(NoDecision::Failed(reason)) => {
                // Whatever is left of it ends here.
                self.session = None;
                exchange.rejected = Some(reason.clone());
                return Ok(Decision { exchanges: vec![exchange], ..Decision::of(Choice::Fail { reason }) });
            }
        };
        asked::answered(&exchange);
        self.last.clear();
        let mut decision = match self.read(&decided, turn) {
            Ok(mut all) => {
                self.geometry = Some(turn.view.observation.geometry);
                let first = all.pop_front();
                self.queue = all;
                match first {
                    Some(first) => self.carry(first, turn).await?,
                    None => Decision::of(Choice::Pass { reason: "there is no call".to_owned() }),
                }
            }
            Err(reason) => {
                exchange.rejected = Some(reason.clone());
                self.current = Some(decided.calls.first().cloned().unwrap_or_default());
                Decision { call: json!(decided.calls).to_string(), ..Decision::of(Choice::Pass { reason }) }
            }
        };
        decision.thought = decided.thought;
        decision.summary = decided.summary;
        if let Some(memory) = decided.memory.filter(|memory| !memory.is_null()) {
            decision.plan.get_or_insert_default().memory = memory;
        }
        decision.exchanges.insert(0, exchange);
        Ok(decision)
    }

    async fn end(&mut self, outcome: &str, last: &View) {
        if let Err(why) = self.ended(outcome, Some(last)).await {
            tracing::debug!(why, "an agent did not hear that its episode has ended");
        }
    }
}

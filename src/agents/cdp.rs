//! Agents with hands of their own: programs that drive the browser themselves, by the DevTools protocol.
//!
//! Invariants: each episode has a program and an address of its own, which end with it; an input of the program is a
//! decision, and is carried out where the episode carries it out; what the program prints is recorded, and never read as a
//! decision.

use std::io::Read as _;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Map, Value};
use tempfile::NamedTempFile;
use waldo_agents::agent::for_a_person;
use waldo_agents::program::{ENDS_WITHIN, Heard, LINE_BYTES, Program, ProgramSpec};
use waldo_agents::{Agent, AgentError, Brief, Choice, Decision, Exchange, Fence, Note, Turn, View};
use waldo_devices::{OwnHands, OwnInput, Secrets, rounded};

use super::kind::{AgentFacts, AgentKind, AgentSettings, AgentSetup, Asks, Prepared};

const NAME: &str = "cdp";
/// Where the program finds the browser, and the file that its answer goes into.
const URL_VARIABLE: &str = "WALDO_CDP_URL";
const ANSWER_VARIABLE: &str = "WALDO_ANSWER_FILE";
const ANSWER_BYTES: u64 = 64 << 10;

#[derive(Clone)]
struct CdpOptions {
    /// What is started for each episode. In its arguments `{goal}`, `{cdp_url}`, `{cdp_ws_url}` and `{answer_file}` are
    /// replaced.
    program: ProgramSpec,
    /// How long it may take from one answer to its next input.
    limit: Duration,
    /// Values that it has and that no record shows.
    hidden: Secrets,
}

struct CdpAgent {
    options: CdpOptions,
    brief: Option<Brief>,
    hands: Option<Arc<dyn OwnHands>>,
    session: Option<CdpSession>,
}

/// An episode that is played: dropped, its program ends.
struct CdpSession {
    program: Pin<Box<dyn Future<Output = Result<(), String>> + Send>>,
    heard: Heard,
    answer: NamedTempFile,
    end: Option<Choice>,
}

impl CdpOptions {
    fn open(&self, brief: &Brief, hands: &dyn OwnHands) -> Result<CdpSession, AgentError> {
        let answer = tempfile::Builder::new().prefix("waldo-answer-").tempfile().map_err(|error| {
            AgentError::Setup {
                agent: NAME,
                message: format!("the file for its answer cannot be made: {error}"),
            }
        })?;
        let (url, path) = (hands.address(), answer.path().display().to_string());
        let socket = url.replacen("http", "ws", 1);
        let values = [
            ("{goal}", brief.goal.as_str()),
            ("{cdp_url}", url),
            ("{cdp_ws_url}", &socket),
            ("{answer_file}", &path),
        ];
        let mut spec = self.program.clone().filled(&values);
        spec.variables.push((URL_VARIABLE.to_owned(), url.into()));
        spec.variables.push((ANSWER_VARIABLE.to_owned(), path.clone().into()));
        let heard = Heard::default();
        let started = Program::start(&spec, &heard, LINE_BYTES);
        if let Some(process) = started.as_ref().ok().and_then(Program::id) {
            hands.admit(process);
        }
        let printed = heard.clone();
        let program = Box::pin(async move { started?.ends(&printed).await });
        Ok(CdpSession { program, heard, answer, end: None })
    }
}

impl CdpSession {
    /// The next input, or how the program ended.
    async fn next(&mut self, hands: &dyn OwnHands, limit: tokio::time::Instant) -> Result<OwnInput, Choice> {
        let started = Instant::now();
        if self.end.is_none() {
            tokio::select! {
                biased;
                Some(input) = hands.next() => return Ok(input),
                ended = &mut self.program => {
                    hands.leave();
                    self.end = Some(match ended {
                        Ok(()) => said(&self.answer),
                        Err(reason) => Choice::Fail { reason },
                    });
                }
                () = tokio::time::sleep_until(limit) => {
                    let took = rounded(started.elapsed());
                    let reason = format!("it made no input within {took}; it was killed (--agent-timeout gives it more time)");
                    return Err(Choice::Fail { reason });
                }
            }
        }
        let end = self.end.clone().unwrap_or(Choice::Finish { answer: None });
        if matches!(end, Choice::Fail { .. }) {
            return Err(end);
        }
        // What it was answered before it was carried out.
        match tokio::time::timeout(ENDS_WITHIN, hands.next()).await {
            Ok(Some(input)) => Ok(input),
            _ => Err(end),
        }
    }
}

/// What a program that ended well leaves in its file: nothing, a text, or an object with one of three fields.
fn said(file: &NamedTempFile) -> Choice {
    let mut bytes = Vec::new();
    // Opened anew: it may have been replaced.
    let read =
        std::fs::File::open(file.path()).and_then(|file| file.take(ANSWER_BYTES).read_to_end(&mut bytes));
    if let Err(error) = read {
        tracing::debug!(%error, "the file for an answer");
    }
    read_end(String::from_utf8_lossy(&bytes).trim())
}

fn read_end(text: &str) -> Choice {
    let object: Option<Map<String, Value>> = serde_json::from_str(text).ok();
    let one = object.as_ref().filter(|object| object.len() == 1).and_then(|object| object.iter().next());
    match one.and_then(|(name, value)| Some((name.as_str(), value.as_str()?.to_owned()))) {
        Some(("answer", answer)) => Choice::Finish { answer: Some(answer) },
        Some(("infeasible", reason)) => Choice::Infeasible { reason },
        Some(("give_up", reason)) => Choice::GiveUp { reason },
        _ => Choice::Finish { answer: (!text.is_empty()).then(|| text.to_owned()) },
    }
}

#[async_trait]
impl Agent for CdpAgent {
    fn name(&self) -> &'static str {
        NAME
    }

    fn fence(&self) -> Fence {
        // Pages that ask for a person are left to one.
        Fence::Persons
    }

    fn has_own_hands(&self) -> bool {
        true
    }

    fn take_hands(&mut self, hands: Arc<dyn OwnHands>) {
        self.hands = Some(hands);
    }

    fn begin(&mut self, brief: &Brief) -> Result<(), AgentError> {
        (self.brief, self.session) = (Some(brief.clone()), None);
        Ok(())
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision, AgentError> {
        let setup =
            || AgentError::Setup { agent: NAME, message: "begin an episode on a page first".to_owned() };
        let (brief, hands) = self.brief.as_ref().zip(self.hands.clone()).ok_or_else(setup)?;
        hands.answer(turn.note.and_then(why_not));
        if let Some(decision) = for_a_person(turn.view) {
            return Ok(decision);
        }
        let options = &self.options;
        let session = match &mut self.session {
            Some(session) => session,
            none => none.insert(options.open(brief, hands.as_ref())?),
        };
        let started = Instant::now();
        let limit = turn.deadline.at_most(options.limit).instant();
        let mut decision = match session.next(hands.as_ref(), limit).await {
            Ok(OwnInput { action, call }) => {
                let tag = action.point().and_then(|at| turn.view.at(at)).map(|(tag, _)| tag);
                Decision { tag, call, ..Decision::of(Choice::Act { action }) }
            }
            Err(Choice::Fail { reason }) => {
                Decision::of(Choice::Fail { reason: options.hidden.mask(reason) })
            }
            Err(end) => Decision::of(end),
        };
        let exchange = Exchange {
            purpose: Exchange::OF_PROGRAM.to_owned(),
            reply: decision.call.clone(),
            stderr: session.heard.take().map(|text| options.hidden.mask(text)),
            took: started.elapsed(),
            ..Exchange::default()
        };
        decision.exchanges.push(exchange);
        Ok(decision)
    }

    async fn end(&mut self, outcome: &str, _: &View) {
        let over = format!("the episode is over: {outcome}");
        // They are kept until the program has ended: with them its connections go, and what they have not told it yet.
        let hands = self.hands.take();
        if let Some(hands) = &hands {
            hands.answer(Some(over.clone()));
            hands.end(&over);
        }
        let Some(CdpSession { program, end: None, .. }) = self.session.take() else { return };
        if tokio::time::timeout(ENDS_WITHIN, program).await.is_err() {
            tracing::debug!("the program of an episode did not end by itself, and was killed");
        }
    }
}

fn why_not(note: &Note) -> Option<String> {
    note.quoted().or_else(|| note.reason()).map(str::to_owned)
}

pub struct CdpKind;

impl AgentKind for CdpKind {
    fn facts(&self) -> AgentFacts {
        AgentFacts {
            asks_a_model: false,
            needs_origins: true,
            ..AgentFacts::new(
                NAME,
                "your own program (--command) that drives the browser by the DevTools protocol",
            )
        }
    }

    fn prepare(&self, setup: &AgentSetup<'_>) -> Result<Prepared, AgentError> {
        if !setup.secrets.is_empty() {
            let message = "it types by itself, and cannot be given values by name: leave --secret out, or give its program \
                           the value with --agent-env";
            return Err(AgentError::Setup { agent: NAME, message: message.to_owned() });
        }
        let exec = &setup.settings.exec;
        let (program, hidden) = exec.program(NAME, "--command 'python3 my_agent.py {cdp_url} {goal}'")?;
        let options = CdpOptions { program, limit: exec.limit(), hidden };
        let maker = move |_: Option<_>| -> Result<Box<dyn Agent>, AgentError> {
            Ok(Box::new(CdpAgent { options: options.clone(), brief: None, hands: None, session: None }))
        };
        Ok(Prepared { maker: Box::new(maker), questions: Vec::new(), asks: Asks::Program })
    }

    fn add_parameters(&self, settings: &AgentSettings, to: &mut Map<String, Value>) {
        to.insert(NAME.to_owned(), settings.exec.parameters());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_ends_with_a_text_or_says_why_there_is_none() {
        let reason = "no such button".to_owned();
        assert_eq!(read_end(""), Choice::Finish { answer: None });
        assert_eq!(read_end("42"), Choice::Finish { answer: Some("42".to_owned()) });
        assert_eq!(read_end(r#"{"answer": "42"}"#), Choice::Finish { answer: Some("42".to_owned()) });
        assert_eq!(
            read_end(r#"{"infeasible": "no such button"}"#),
            Choice::Infeasible { reason: reason.clone() }
        );
        assert_eq!(read_end(r#"{"give_up": "no such button"}"#), Choice::GiveUp { reason });
        let other = r#"{"total": "42"}"#;
        assert_eq!(read_end(other), Choice::Finish { answer: Some(other.to_owned()) });
    }
}

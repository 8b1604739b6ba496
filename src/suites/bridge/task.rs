//! A task of an environment: it begins there, and is judged there.

use std::sync::Arc;

use async_trait::async_trait;
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use tokio::runtime::Handle;
use waldo_bridge::{BridgeSession, Client, Hello, JudgeCheck, TaskSpec, ToolSpec};
use waldo_devices::{AppRule, Deadline, Device, GuardPolicy, OriginRule, ResetTo};
use waldo_http::PlainHttp;
use waldo_tasks::beside::{BesideOffer, OfferedTool};
use waldo_tasks::record::{CheckResult, TaskEntry};
use waldo_tasks::{EpisodeEnd, Goal, RunningTask, SetUp, Task, TaskError, Verdict};

use crate::screens::{STARTS_WITHIN, environment_named, environment_server};
use crate::suites::provider::{Listing, Opened, Request, SuiteError};

/// Characters of what an environment found that are kept.
const FOUND_MAX: usize = 500;

/// Asks the environment that `suite` names what it is.
fn connect(suite: &str, clear: PlainHttp) -> Result<Client, SuiteError> {
    let server = environment_server(suite, clear)?;
    let asked = async { Client::connect(server, Deadline::after(STARTS_WITHIN)).await };
    let met = tokio::task::block_in_place(|| Handle::current().block_on(asked)).map_err(TaskError::from)?;
    let is = met.hello.platform;
    if environment_named(suite).is_some_and(|(named, _)| named != is) {
        let (is, address) = (is.as_str(), met.address());
        let message =
            format!("the environment at {address} has a screen of {is}: write bridge:{is}:{address}");
        return Err(SuiteError::Input(message));
    }
    Ok(met)
}

/// What the tables call it.
fn id(hello: &Hello) -> String {
    format!("bridge-{}", hello.name)
}

/// SHA-256 of what it says of itself: the tasks' own files are on the other side.
fn hash(hello: &Hello) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("{}\n{}\n{}\n", hello.name, hello.version, hello.platform.as_str()));
    for TaskSpec { id, title, category, max_steps } in &hello.tasks {
        hash.update(format!("{id}\t{title}\t{category}\t{max_steps}\n"));
    }
    HEXLOWER.encode(&hash.finalize())
}

fn entry(hello: &Hello, task: &TaskSpec) -> TaskEntry {
    let title = if task.title.is_empty() { &task.id } else { &task.title };
    let category = if task.category.is_empty() { &hello.name } else { &task.category };
    TaskEntry::single(&task.id, title, category, hello.platform, task.max_steps)
}

pub(super) fn list(suite: &str) -> Result<Listing, SuiteError> {
    let client = connect(suite, PlainHttp::Refused)?;
    let hello = &client.hello;
    Ok(Listing::Tasks {
        id: id(hello),
        title: format!("{} {}, judged by its own code", hello.name, hello.version),
        hash: hash(hello),
        entries: hello.tasks.iter().map(|task| entry(hello, task)).collect(),
    })
}

pub(super) fn open(request: &Request<'_>) -> Result<Opened, SuiteError> {
    let clear = if request.device.flags.insecure { PlainHttp::Accepted } else { PlainHttp::Refused };
    let client = connect(request.suite, clear)?;
    let hello = &client.hello;
    if hello.tasks.is_empty() {
        return Err(SuiteError::Input(format!(
            "the environment at {} has no tasks: waldo run --device {} \"GOAL\" plays one of your own",
            client.address(),
            request.suite
        )));
    }
    let task = |spec: &TaskSpec| {
        let (client, spec) = (client.clone(), spec.clone());
        Arc::new(BridgeTask { client, spec }) as Arc<dyn Task>
    };
    let tasks = hello.tasks.iter().map(task).collect();
    Opened::whole(&id(hello), hello.platform, &hash(hello), tasks)
        .only(request.only, request.suite)?
        .playable()
}

struct BridgeTask {
    client: Client,
    spec: TaskSpec,
}

#[async_trait]
impl Task for BridgeTask {
    fn entry(&self) -> TaskEntry {
        entry(&self.client.hello, &self.spec)
    }

    async fn set_up(&self, to: SetUp<'_>) -> Result<Box<dyn RunningTask>, TaskError> {
        let SetUp { device, seed, deadline, .. } = to;
        let session = self.client.reset(Some(&self.spec.id), seed, "", deadline).await?;
        // What it reaches is the environment's own: whoever names it in place of a device has chosen that.
        let policy = GuardPolicy {
            origins: OriginRule::parse("*").into_iter().collect(),
            apps: vec![AppRule("*".to_owned())],
            ..GuardPolicy::default()
        };
        let to = ResetTo { start: self.client.register(&session), policy, ..ResetTo::default() };
        device.reset(&to, deadline).await?;
        let tool = |tool: &ToolSpec| OfferedTool {
            name: tool.name.clone(),
            description: tool.description.clone(),
            schema: tool.schema.clone(),
        };
        let beside =
            BesideOffer { questions: session.questions, tools: session.tools.iter().map(tool).collect() };
        let (text, params) = (session.goal.clone(), session.params.clone());
        let goal = Goal { text, params, beside, ..Goal::default() };
        let hello = &self.client.hello;
        let judge = format!("{} {}", hello.name, hello.version);
        Ok(Box::new(RunningBridgeTask { goal, session, judge: judge.trim_end().to_owned() }))
    }
}

struct RunningBridgeTask {
    goal: Goal,
    session: Arc<BridgeSession>,
    judge: String,
}

#[async_trait]
impl RunningTask for RunningBridgeTask {
    fn goal(&self) -> &Goal {
        &self.goal
    }

    async fn ended(&mut self, _: &mut dyn Device, _: Deadline) -> Result<bool, TaskError> {
        Ok(self.session.is_done())
    }

    async fn judge(&mut self, end: EpisodeEnd<'_>) -> Result<Verdict, TaskError> {
        let EpisodeEnd { device, outcome, answer, deadline } = end;
        let judged = self.session.judge(outcome.name(), answer, deadline).await?;
        let secrets = device.secrets();
        let itself = |what: &str| format!("by {} itself: {}", self.judge, secrets.brief(what, FOUND_MAX));
        let check = |check: &JudgeCheck| {
            CheckResult::new(itself(&check.what), check.passed, secrets.brief(&check.found, FOUND_MAX))
        };
        let mut checks: Vec<CheckResult> = judged.checks.iter().map(check).collect();
        if checks.is_empty() {
            let found = format!("success {}", judged.success);
            checks.push(CheckResult::new(itself("the episode is a success"), judged.success >= 1.0, found));
        }
        checks.extend(judged.checkpoints.iter().map(|one| CheckResult {
            points: Some(one.weight),
            ..CheckResult::new(itself(&one.name), one.passed, "")
        }));
        let verdict = Verdict::scored(judged.success, checks);
        Ok(Verdict { partial: judged.score.or(verdict.partial), ..verdict })
    }
}

//! What a task has beside its screen: a person who answers questions, and servers of tools.
//!
//! Invariant: what an agent asks of either passes its guard first ([`crate::episode`]); nothing of it acts on the screen.

mod person;
mod tools;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;
use waldo_devices::count::count;
use waldo_devices::screen_text::clean;
use waldo_devices::{Action, Capability, Deadline, DeviceError};

use crate::error::Result;
use crate::state::Store;
use crate::suite::{Instance, TaskDef};
use person::Person;
use tools::ToolServers;

/// Tools of a task that are told of, and characters of what one is said to do and of its schema.
const TOOLS: usize = 50;
const DESCRIPTION: usize = 500;
const SCHEMA: usize = 3_000;

/// A tool that an agent may call beside the screen.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedTool {
    pub name: String,
    pub description: String,
    pub schema: Value,
}

/// What an agent may turn to beside the screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BesideOffer {
    /// The most questions that the task's person answers, where it has one.
    pub questions: Option<u32>,
    pub tools: Vec<OfferedTool>,
}

impl BesideOffer {
    pub fn capabilities(&self) -> Vec<Capability> {
        let has = [(self.questions.is_some(), Capability::User), (!self.tools.is_empty(), Capability::Tools)];
        has.into_iter().filter_map(|(has, what)| has.then_some(what)).collect()
    }

    /// A goal with what there is beside the screen, as an agent is told it.
    pub fn told(&self, goal: &str) -> String {
        let mut text = goal.to_owned();
        if let Some(most) = self.questions {
            let most = count(most, "question");
            text.push_str(&format!("\n\nThe person who set this task answers up to {most} (ask_user)."));
        }
        if !self.tools.is_empty() {
            text.push_str(
                "\n\nThe task offers tools beside the screen (call_tool). Each line has the name of a tool, what it does, and \
                 the JSON schema of its arguments:",
            );
        }
        for OfferedTool { name, description, schema } in self.tools.iter().take(TOOLS) {
            let (what, schema) = (clean(description, DESCRIPTION), clean(&schema.to_string(), SCHEMA));
            // Writing to a String cannot fail.
            let _ = write!(text, "\n- {name}: {what} {schema}");
        }
        text
    }
}

/// What a person or a tool answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    pub text: String,
    /// What answered, for the record, where that is no part of the task's file.
    pub by: Option<String>,
}

/// The person and the tools of an episode; dropped, the tools end.
#[derive(Default)]
pub(crate) struct Beside {
    person: Option<Person>,
    tools: Option<ToolServers>,
}

impl Beside {
    pub async fn start(def: &TaskDef, instance: &Instance, deadline: Deadline) -> Result<Self> {
        let tools = match instance.tools.as_slice() {
            [] => None,
            commands => Some(ToolServers::start(def, commands, deadline).await?),
        };
        Ok(Self { person: Person::of(def, instance)?, tools })
    }

    pub fn offer(&self) -> BesideOffer {
        BesideOffer {
            questions: self.person.as_ref().map(Person::questions),
            tools: self.tools.iter().flat_map(ToolServers::offered).cloned().collect(),
        }
    }

    /// What its tools keep: a store by their files.
    pub fn stores(&self) -> Result<BTreeMap<String, Store>> {
        self.tools.as_ref().map_or_else(|| Ok(BTreeMap::new()), ToolServers::stores)
    }

    pub async fn turn_to(&mut self, action: &Action, deadline: Deadline) -> Result<Answered> {
        match (action, &mut self.person, &mut self.tools) {
            (Action::AskUser { question }, Some(person), _) => person.answer(question, deadline).await,
            (Action::CallTool { tool, arguments }, _, Some(tools)) => {
                tools.call(tool, arguments, deadline).await
            }
            _ => Err(DeviceError::unsupported("this task", action.name()).into()),
        }
    }
}

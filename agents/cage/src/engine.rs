//! The contract between scripts and the host: what runs them, and what they may reach.
//!
//! Invariants: a script reaches only what [`Surface`] declares; everything it cannot run is refused before
//! the first call reaches the host; and whatever way a run ends, [`ToolHost::released`] is called exactly
//! once, so that nothing stays pressed.

use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::error::{CageError, Refusal};
use crate::limits::{Limit, ScriptLimits};
pub use crate::released::StopCause;
use crate::val::{Handle, Val};

#[async_trait]
pub trait ScriptEngine: Send + Sync {
    /// Runs a script to its end; every call that it makes goes through `host`.
    ///
    /// Cancel-safe: dropping the future kills the script and tells the host.
    async fn run(
        &self,
        script: &Script,
        host: &mut dyn ToolHost,
        limits: &ScriptLimits,
    ) -> Result<ScriptOutcome, CageError>;

    /// Reads a script of at most `most` bytes that is no more than a list of calls with literal arguments, and runs nothing.
    fn literal_calls(&self, source: &str, most: usize) -> Result<Vec<LiteralCall>, Vec<Refusal>>;
}

#[derive(Debug, Clone, PartialEq)]
pub struct LiteralCall {
    /// Its line, from 1.
    pub line: u32,
    /// What it is called on: `frames[0]` of `frames[0].describe("a list")`.
    pub receiver: Option<StraightArg>,
    pub function: String,
    pub args: Vec<StraightArg>,
    pub kwargs: Vec<(String, StraightArg)>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum StraightArg {
    Value(Val),
    /// A name, or one item of it: `frames`, `frames[2]`.
    Place {
        name: String,
        index: Option<i64>,
    },
    /// A list or tuple that holds more than literals.
    List(Vec<StraightArg>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    pub source: String,
    /// The function that is called once the text has run; its value is the outcome's.
    pub entry: Option<String>,
    pub args: Vec<Val>,
}

impl Script {
    /// A text without an entry function.
    pub fn plain(source: impl Into<String>) -> Self {
        Self { source: source.into(), entry: None, args: Vec::new() }
    }

    /// A text that defines `entry`, which is then called with `args`.
    pub fn calling(source: impl Into<String>, entry: impl Into<String>, args: Vec<Val>) -> Self {
        Self { source: source.into(), entry: Some(entry.into()), args }
    }
}

/// A run that came to its normal end.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptOutcome {
    /// What the entry function returned, `None` without one. A value that cannot leave the script is shown
    /// as its `repr`.
    pub value: Val,
    pub printed: String,
    pub usage: Usage,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    pub host_calls: u32,
    pub interpreter: Duration,
    pub wall: Duration,
}

/// What scripts may reach. Everything else does not exist for them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surface {
    pub functions: Vec<String>,
    pub classes: Vec<ClassSpec>,
    /// Names that stand for their own text, such as the members of an enumeration: `Kind.NEXT` is declared
    /// as class `Kind` with the constant `NEXT`, and reads as the text `NEXT`.
    pub constants: Vec<ConstantSpec>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassSpec {
    pub name: String,
    pub methods: Vec<String>,
    pub fields: Vec<String>,
    /// What is asked for on every reading, through [`ToolHost::attr`].
    pub live: Vec<String>,
}

impl ClassSpec {
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    #[must_use]
    pub fn methods(mut self, names: &[&str]) -> Self {
        self.methods.extend(names.iter().map(|&n| n.to_owned()));
        self
    }

    #[must_use]
    pub fn fields(mut self, names: &[&str]) -> Self {
        self.fields.extend(names.iter().map(|&n| n.to_owned()));
        self
    }

    /// With these attributes, asked for on every reading.
    #[must_use]
    pub fn live(mut self, names: &[&str]) -> Self {
        self.live.extend(names.iter().map(|&n| n.to_owned()));
        self
    }
}

/// A group of names that stand for their own text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConstantSpec {
    /// The group: `Kind` of `Kind.NEXT`.
    pub group: String,
    pub members: Vec<String>,
}

impl Surface {
    #[must_use]
    pub fn functions(mut self, names: &[&str]) -> Self {
        self.functions.extend(names.iter().map(|&n| n.to_owned()));
        self
    }

    #[must_use]
    pub fn class(mut self, class: ClassSpec) -> Self {
        self.classes.push(class);
        self
    }

    #[must_use]
    pub fn constants(mut self, group: &str, members: &[&str]) -> Self {
        let members = members.iter().map(|&m| m.to_owned()).collect();
        self.constants.push(ConstantSpec { group: group.to_owned(), members });
        self
    }

    #[must_use]
    pub fn find_class(&self, name: &str) -> Option<&ClassSpec> {
        self.classes.iter().find(|c| c.name == name)
    }
}

/// A call of a declared function, or of a method of `receiver`.
pub struct HostCall<'a> {
    pub receiver: Option<&'a Handle>,
    pub function: &'a str,
    pub args: Vec<Val>,
    pub kwargs: Vec<(String, Val)>,
}

/// What a script's calls reach.
///
/// Calls come one after the other. A call is dropped mid-way when the wall limit is reached, so it must be
/// cancel-safe: let go in [`ToolHost::released`].
#[async_trait]
pub trait ToolHost: Send {
    /// What scripts may reach; asked once a run, before it starts.
    fn surface(&self) -> Surface;

    /// # Errors
    /// [`HostError::Raise`] becomes an exception that the script may catch; [`HostError::Stop`] ends it.
    async fn call(&mut self, call: HostCall<'_>) -> Result<Val, HostError>;

    async fn attr(&mut self, receiver: &Handle, name: &str) -> Result<Val, HostError>;

    /// The run is over: let go of whatever it still holds. Called exactly once a run, also when the future
    /// of the run is dropped, so it can do no more than note it or hand it on; it must not block.
    fn released(&mut self, why: StopCause);
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostError {
    Raise {
        kind: ExcKind,
        /// Its text, for the script's author: what is wrong and what is allowed.
        message: String,
    },
    /// The end of the run; the script cannot catch it.
    Stop(Stop),
}

impl HostError {
    pub fn raise(kind: ExcKind, message: impl Into<String>) -> Self {
        Self::Raise { kind, message: message.into() }
    }

    pub fn stop(why: impl Into<String>) -> Self {
        Self::Stop(Stop::Host(why.into()))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    Limit(Limit),
    /// Something else: an origin that is not allowed, a person who has to take over.
    Host(String),
}

/// The exceptions of Python that a host may raise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ExcKind {
    /// `ValueError`: a value that makes no sense.
    Value,
    /// `TypeError`: a value of the wrong kind, or too many of them.
    Type,
    /// `IndexError`: a number out of range.
    Index,
    /// `KeyError`: a name that is not there.
    Key,
    /// `AttributeError`: an attribute that is not there.
    Attribute,
    /// `RuntimeError`: the state does not allow it.
    Runtime,
    /// `TimeoutError`: it took too long.
    Timeout,
    /// `PermissionError`: it is not allowed.
    Permission,
    /// `NotImplementedError`: it does not exist here.
    NotImplemented,
}

impl ExcKind {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Value => "ValueError",
            Self::Type => "TypeError",
            Self::Index => "IndexError",
            Self::Key => "KeyError",
            Self::Attribute => "AttributeError",
            Self::Runtime => "RuntimeError",
            Self::Timeout => "TimeoutError",
            Self::Permission => "PermissionError",
            Self::NotImplemented => "NotImplementedError",
        }
    }
}

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptLimits {
    /// Time that the interpreter itself may run; it stands still while the host works.
    pub interpreter: Duration,
    /// Time from start to end, the host's work included.
    pub wall: Duration,
    /// Bytes that the script's objects may take.
    pub memory: u64,
    pub recursion: u32,
    /// Calls of the host, looked-up attributes included.
    pub host_calls: u32,
    /// Calls of a model. The host counts them and ends a run with [`crate::HostError::Stop`].
    pub model_calls: u32,
    /// Bytes that the script may print.
    pub print: usize,
    /// Bytes of the script's text.
    pub source: usize,
}

impl Default for ScriptLimits {
    fn default() -> Self {
        Self {
            interpreter: Duration::from_secs(2),
            wall: Duration::from_secs(180),
            memory: 64 << 20,
            recursion: 200,
            host_calls: 2_000,
            model_calls: 60,
            print: 256 << 10,
            source: 64 << 10,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Limit {
    Interpreter,
    Wall,
    Memory,
    HostCalls,
    ModelCalls,
    Print,
    /// The size of a value handed to the host or returned.
    Value,
}

impl Limit {
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::Interpreter => {
                "the script computed for too long: bound every loop, and search a smaller space"
            }
            Self::Wall => "the whole run took too long: make fewer calls, and look only where it matters",
            Self::Memory => "the script held too much: keep only what the next step needs",
            Self::HostCalls => "too many tool calls: bound the loops, and stop as soon as the goal is met",
            Self::ModelCalls => {
                "too many questions were asked: ask about several pictures in one call, and only when needed"
            }
            Self::Print => "the script printed too much: print only what tells how it went",
            Self::Value => {
                "a value handed to a tool or returned was too large or too deeply nested: pass less"
            }
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Interpreter => "interpreter time",
            Self::Wall => "wall time",
            Self::Memory => "memory",
            Self::HostCalls => "tool calls",
            Self::ModelCalls => "model calls",
            Self::Print => "printed text",
            Self::Value => "size of a value",
        })
    }
}

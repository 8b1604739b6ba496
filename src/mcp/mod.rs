//! waldo as a server of the Model Context Protocol: a client's calls drive a guarded device.
//!
//! A session is one episode, played by [`client::ClientAgent`]: what a client calls is what that agent decides. So the
//! guard, the gate, secrets, masking, the record and the report are those of every other episode.
//!
//! | file | duty |
//! | --- | --- |
//! | `agent` | the agent that plays an episode of a suite so, as a program with a client of its own |
//! | `client` | the agent: takes calls one after the other, decides, and answers with what came of them |
//! | `numbers` | numbers of elements that stay from one screen to the next |
//! | `screen`, `change` | a screen in words, and what changed between two |
//! | `tokens` | how many tokens a text has at the most |
//! | `tools`, `hints` | the list of tools, from the catalogue of actions |
//! | `lenient` | arguments as clients give them, in the form that a tool asks for |
//! | `args`, `answer` | arguments of the tools that are not actions, and results |
//! | `observing` | the layer around the device that waits for something, and reads whole pages, console and requests |
//! | `extract` | a JSON schema that is filled from the screen |
//! | `restarting` | the layer around it that starts a device again after it has ended |
//! | `task` | the task that the episode is of |
//! | `delegate` | goals that a client hands to one of waldo's agents |
//! | `approval` | what the person at the client is asked about |
//! | `resources` | the trajectory and the report |
//! | `sessions` | several sessions for one client |
//! | `server`, `serve` | the protocol, and how clients reach it: pipes, HTTP, a socket for commands of a shell |
//!
//! Invariants: flags fix device, origins, apps, denied actions and secrets before a client speaks, and nothing that it
//! says widens them; text of a screen is sent inside a delimited block alone; a number names one element for the
//! whole session, and is refused once that element is gone.

mod agent;
mod answer;
mod approval;
mod args;
mod change;
mod client;
mod delegate;
mod extract;
mod hints;
mod lenient;
mod numbers;
mod observing;
mod resources;
mod restarting;
mod screen;
mod serve;
mod server;
mod sessions;
mod tokens;
mod tools;

pub use agent::{McpAgent, McpOptions, NAME as MCP_AGENT};
pub use approval::{ApprovalCaller, AtClient};
pub use client::ClientAgent;
pub use delegate::{Delegate, GoalLimits};
pub use observing::{NextCapture, Observing};
pub use resources::SessionRecord;
pub use restarting::Restarting;
pub use serve::{Listening, TOKEN_VARIABLE, at_socket, stdio};
pub use server::{McpServer, SessionSetup};
pub use sessions::{McpSessions, OpenedSession, SessionOpener, SessionStart};
pub use tools::ToolSet;

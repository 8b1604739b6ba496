use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use waldo_agents::program::ProgramSpec;
use waldo_agents::{AgentError, Result};
use waldo_devices::{Secrets, child, foreign};
use waldo_tasks::episode::Timeouts;

use crate::config::is_of_the_system;
use crate::numbers::whole;

pub(super) const NAME: &str = "exec";
/// Seconds that an answer may take where nothing else is said.
const SECONDS: u64 = 120;

pub fn is_address(agent: &str) -> bool {
    agent.starts_with("http://") || agent.starts_with("https://")
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine(pub Vec<String>);

impl FromStr for CommandLine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words = child::words(text);
        if words.first().is_none_or(String::is_empty) {
            return Err("give a program and its arguments, such as 'python3 my_agent.py'".to_owned());
        }
        Ok(Self(words))
    }
}

/// Flags of the agent.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Exec")]
pub struct ExecArgs {
    /// The program that the agent exec, mcp or cdp is, with its arguments: exec answers JSON on its standard streams
    /// (docs/agents-protocol.md); mcp and cdp are started for each episode, with {goal}, {mcp_url} and {mcp_config}
    /// (docs/mcp.md), or {goal}, {cdp_url} and {answer_file} (docs/cdp.md) in their arguments replaced. In a configuration it may be a list of words.
    #[arg(long, value_name = "COMMAND", allow_hyphen_values = true)]
    pub command: Option<CommandLine>,
    /// A variable that the program gets from the environment, such as OPENAI_API_KEY; besides a few standard variables
    /// it gets no others. May be given several times.
    #[arg(long, value_name = "VARIABLE", value_delimiter = ',')]
    pub agent_env: Vec<String>,
    /// Seconds that the agent exec, mcp or cdp may take for one answer, call or input; later it has failed [default: 120].
    #[arg(long, value_name = "SECONDS", value_parser = whole::<u64>(1..=86_400))]
    pub agent_timeout: Option<u64>,
}

impl ExecArgs {
    pub fn limit(&self) -> Duration {
        Duration::from_secs(self.agent_timeout.unwrap_or(SECONDS))
    }

    /// Time limits, where an answer may take that long: the first step has three of them.
    pub fn timeouts(&self, usual: Timeouts) -> Timeouts {
        if self.agent_timeout.is_some() { usual.for_requests_of(self.limit().mul_f64(1.5)) } else { usual }
    }

    /// The variables that the program gets, and what of them no record shows.
    pub fn variables(&self) -> Result<(Vec<(String, OsString)>, Secrets)> {
        let mut all = Vec::new();
        for name in &self.agent_env {
            let value = crate::environment::var_os(name).ok_or_else(|| AgentError::Setup {
                agent: NAME,
                message: format!(
                    "there is no variable {name} in the environment: set it, or leave --agent-env {name} out"
                ),
            })?;
            all.push((name.clone(), value));
        }
        let texts =
            || all.iter().filter_map(|(name, value)| Some((name.clone(), value.to_str()?.to_owned())));
        crate::masking::know(texts());
        let hidden = Secrets::hidden(texts().map(|(_, value)| value));
        Ok((all, hidden))
    }

    /// What is started; `example` shows how it is named.
    pub fn program(&self, agent: &'static str, example: &str) -> Result<(ProgramSpec, Secrets)> {
        let CommandLine(exec) = self
            .command
            .clone()
            .ok_or_else(|| AgentError::Setup { agent, message: format!("needs its program: {example}") })?;
        let (variables, hidden) = self.variables()?;
        Ok((ProgramSpec { exec, dir: None, variables }, hidden))
    }

    /// What changes results, for the manifest: the command, and the hashes of the files that it names.
    pub fn parameters(&self) -> Value {
        let (mut words, mut files) = (Vec::new(), BTreeMap::new());
        for word in self.command.iter().flat_map(|CommandLine(words)| words) {
            let path = Path::new(word);
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let own = path.is_file() && !is_of_the_system(path);
            match (name, own.then(|| foreign::read_named(path, foreign::TEXT_BYTES))) {
                (Some(name), Some(Ok(bytes))) => {
                    // The folder is another one on other machines.
                    words.push(if path.is_absolute() { name.clone() } else { word.clone() });
                    files.insert(name, format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(bytes))));
                }
                _ => words.push(word.clone()),
            }
        }
        json!({ "command": words, "files": files, "env": self.agent_env, "timeout": self.limit().as_secs() })
    }
}

//! The rows of a run's table: agents of the command line, and contestants that the configuration defines.
//!
//! Duty: say of each row how its agent and its model are set up, what the manifest keeps of that, and make both.
//! Invariants: what a definition leaves out is as the run's flags say, but the key of another's endpoint, which an
//! address of its own never gets; only what changes results is in the manifest.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::builder::Resettable;
use clap::{Args as _, FromArgMatches as _};
use data_encoding::HEXLOWER;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use waldo_devices::Budget;
use waldo_prompts::Prompts;
use waldo_tasks::suite::problem;
use waldo_tasks::{Contestant, PersonModel};

use super::Args;
use super::chosen::Chosen;
use crate::agents::{AgentSettings, ModelArgs, Player, RunShared, asks_a_model, bounds, kind, names};
use crate::cli::{CliError, Result};
use crate::config::{Contestants, Definition, PROJECT_FILE, as_switch, without_keys};
use crate::numbers::{decimal, whole};
use crate::preflight::PreflightQuestion;
use crate::serve::ReferenceModel;

#[derive(Clone, Debug)]
pub(super) struct EvalRow {
    pub(super) contestant: Contestant,
    pub(super) own: ContestantSettings,
    /// Whether a definition says so, and not the command line alone.
    pub(super) defined: bool,
    /// Variables that the definition says to hold keys.
    keys: Vec<String>,
}

/// What a definition may say beside its agent; the flags have the same names.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ContestantSettings {
    #[command(flatten)]
    pub(super) settings: AgentSettings,
    #[command(flatten)]
    pub(super) limits: LimitArgs,
}

/// Limits of an episode; all of them are in the manifest.
#[derive(Clone, Debug, Default, clap::Args, Serialize)]
pub(super) struct LimitArgs {
    /// Tokens per episode.
    #[arg(long, value_name = "TOKENS", value_parser = whole::<u64>(0..))]
    pub(super) max_tokens_total: Option<u64>,
    /// US dollars per episode; needs --prices.
    #[arg(long, value_name = "USD", value_parser = decimal::<f64>)]
    pub(super) max_cost: Option<f64>,
    /// Seconds per episode.
    #[arg(long, value_name = "SECONDS", value_parser = whole::<u64>(0..))]
    pub(super) max_time: Option<u64>,
}

impl LimitArgs {
    pub(super) fn add_parameters(&self, to: &mut Value) {
        if let (Value::Object(own), Some(to)) = (json!(self), to.as_object_mut()) {
            to.extend(own);
        }
    }
}

impl ContestantSettings {
    fn of(args: &Args) -> Self {
        Self { settings: args.settings.clone(), limits: args.limits.clone() }
    }

    /// The same, with what a definition says in place of the flags.
    fn with(mut self, name: &str, definition: &Definition) -> Result<Self> {
        let failed = |e: clap::Error| CliError::Input(format!("contestant.{name}: {e}"));
        // Of the parser nothing is wanted but what is written: each default would undo a flag.
        let command = Self::augment_args_for_update(clap::Command::new("contestant").no_binary_name(true))
            .disable_help_flag(true)
            .mut_args(|arg| as_switch(arg).default_value(Resettable::Reset).required(false));
        let fields = definition.iter().filter(|field| field.name != "agent");
        let line = fields.map(|field| format!("--{}={}", field.name, field.value));
        let mut matches = command.try_get_matches_from(line).map_err(failed)?;
        self.update_from_arg_matches_mut(&mut matches).map_err(failed)?;
        let says = |name: &str| definition.iter().any(|field| field.name == name);
        if says("base-url") && !says("api-key-env") {
            self.settings.model.api_key_env = Some(String::new());
        }
        if let Some(dir) = &self.settings.model.record_model {
            // A cassette holds one model.
            self.settings.model.record_model = Some(dir.join(name));
        }
        Ok(self)
    }

    pub(super) fn budget(&self) -> Budget {
        let LimitArgs { max_tokens_total, max_cost, max_time } = self.limits;
        Budget {
            steps: None,
            tokens: max_tokens_total,
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "money is small")]
            micro_usd: max_cost.map(|usd| (usd.max(0.0) * 1e6) as u64),
            wall: max_time.map(Duration::from_secs),
        }
    }
}

/// The rows in the order of the table: agents, contestants, and the bounds where they are wanted.
pub(super) fn rows(args: &Args, defined: &Contestants) -> Result<Vec<EvalRow>> {
    let mut rows: Vec<EvalRow> = Vec::new();
    for agent in &args.agents {
        let row = plain(args, agent)?;
        if !rows.iter().any(|other| other.contestant == row.contestant) {
            rows.push(row);
        }
    }
    let mut seen: Vec<&str> = Vec::new();
    for name in &args.contestants {
        if !seen.contains(&name.as_str()) {
            seen.push(name);
            rows.push(of_definition(args, name, defined)?);
        }
    }
    for agent in bounds().filter(|_| args.with_bounds) {
        let row = plain(args, agent)?;
        if !rows.iter().any(|other| other.contestant == row.contestant) {
            rows.push(row);
        }
    }
    for (at, row) in rows.iter().enumerate() {
        let name = &row.contestant.name;
        if rows.iter().take(at).any(|other| other.contestant.name == *name) {
            return Err(CliError::Input(format!(
                "two rows would be named '{name}': give the contestant of that name another one"
            )));
        }
        if row.own.limits.max_cost.is_some()
            && row.own.settings.model.prices.is_none()
            && row.contestant.model.is_some()
        {
            let (whose, hint) = if row.defined {
                (format!("max-cost of the contestant '{name}'"), "give it prices = FILE")
            } else {
                ("--max-cost".to_owned(), "give --prices FILE")
            };
            return Err(CliError::Input(format!("{whose} cannot bind without prices: {hint}")));
        }
    }
    Ok(rows)
}

/// Adds rows that ask no model, and are known to one level alone; those of a name that is there already are left out.
pub(super) fn add_without_model(
    args: &Args,
    rows: &mut Vec<EvalRow>,
    all: impl Iterator<Item = (String, String)>,
) {
    for (name, agent) in all {
        if !rows.iter().any(|row| row.contestant.name == name) {
            let contestant = Contestant { name, agent, model: None };
            rows.push(EvalRow {
                contestant,
                own: ContestantSettings::of(args),
                defined: false,
                keys: Vec::new(),
            });
        }
    }
}

/// Refuses agents that act on pages alone, where there are none.
pub(super) fn check_origins(rows: &[EvalRow], chosen: &Chosen) -> Result<()> {
    let agents = rows.iter().map(|row| row.contestant.agent.as_str());
    for agent in agents.filter(|agent| kind(agent).is_some_and(|kind| kind.facts().needs_origins)) {
        for device in chosen.devices() {
            device.has_origins_for(agent)?;
        }
    }
    Ok(())
}

fn plain(args: &Args, agent: &str) -> Result<EvalRow> {
    let model = if asks_a_model(agent) { Some(named_model(agent, &args.settings.model)?) } else { None };
    Ok(EvalRow {
        contestant: Contestant::new(agent, model.as_deref()),
        own: ContestantSettings::of(args),
        defined: false,
        keys: Vec::new(),
    })
}

fn of_definition(args: &Args, name: &str, defined: &Contestants) -> Result<EvalRow> {
    let definition = defined.get(name).ok_or_else(|| {
        let known: Vec<&String> = defined.keys().collect();
        CliError::Input(if known.is_empty() {
            format!(
                "no contestant '{name}': none is defined; add [contestant.{name}] with agent and model to {PROJECT_FILE}"
            )
        } else {
            let all = known.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
            format!("no contestant '{name}'; {}; defined are {all}", problem::suggest(name, &known))
        })
    })?;
    let agent = definition.iter().find(|field| field.name == "agent").map(|field| field.value.as_str());
    let agent = agent.ok_or_else(|| {
        let all: Vec<&str> = names().collect();
        CliError::Input(format!("contestant.{name} names no agent: add agent = one of {}", all.join(", ")))
    })?;
    let own = ContestantSettings::of(args).with(name, definition)?;
    let model = if asks_a_model(agent) {
        Some(named_model(&format!("contestant.{name} ({agent})"), &own.settings.model)?)
    } else {
        None
    };
    let keys = definition.iter().filter(|field| field.names_a_key()).map(|field| field.value.clone());
    let contestant = Contestant { name: name.to_owned(), agent: agent.to_owned(), model };
    Ok(EvalRow { contestant, own, defined: true, keys: keys.collect() })
}

/// The model of a contestant that the configuration defines, to play tasks' persons, and the question that tests whether
/// it can be asked; `None` where none of this name has a model.
pub(super) fn person(args: &Args, name: &str) -> Result<Option<(PersonModel, Option<PreflightQuestion>)>> {
    let Some(definition) = args.defined.get(name) else { return Ok(None) };
    let model = ContestantSettings::of(args).with(name, definition)?.settings.model;
    let Some(named) = &model.model else { return Ok(None) };
    let client = model.client(named, &model.address())?;
    let question = model.question(&client, named, &model.address());
    Ok(Some((PersonModel(client), question)))
}

fn named_model(who: &str, model: &ModelArgs) -> Result<String> {
    model.model.clone().ok_or_else(|| {
        CliError::Input(format!("{who} needs --model NAME (and --base-url URL for your own endpoint)"))
    })
}

/// Refuses keys that definitions name and nobody has set, all of them at once.
pub(super) fn check_keys(rows: &[EvalRow]) -> Result<()> {
    let empty =
        |name: &&String| crate::environment::var(name.as_str()).is_none_or(|key| key.trim().is_empty());
    let missing: Vec<String> = rows
        .iter()
        .filter(|row| row.contestant.model.is_some())
        .flat_map(|row| {
            row.keys.iter().filter(empty).map(|key| format!("{key} (contestant {})", row.contestant.name))
        })
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(CliError::Input(format!(
        "no key in {}: set the variable, or leave the field out where the endpoint needs none",
        missing.join(", ")
    )))
}

/// What of the definitions changes results, by name; for the manifest.
pub(super) fn parameters(rows: &[EvalRow]) -> Result<Value> {
    let mut all = serde_json::Map::new();
    for row in rows.iter().filter(|row| row.defined) {
        let EvalRow { contestant: Contestant { name, agent, model }, own, .. } = row;
        let mut one = own.settings.model.parameters();
        one["agent"] = agent.as_str().into();
        one["model"] = model.as_deref().into();
        one["base_url"] = model.as_ref().map(|_| without_keys(&own.settings.model.address())).into();
        one["prices"] = own.settings.model.prices.as_deref().map(hash).transpose()?.into();
        if own.settings.model.prompts.is_some() {
            one["prompts"] = json!(crate::prompts::open(own.settings.model.prompts.as_deref())?.hashes());
        }
        if let (Some(kind), Some(one)) = (kind(agent), one.as_object_mut()) {
            kind.add_parameters(&own.settings, one);
        }
        own.limits.add_parameters(&mut one);
        all.insert(name.clone(), one);
    }
    Ok(Value::Object(all))
}

fn hash(path: &Path) -> Result<String> {
    Ok(format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(crate::cli::read(path)?))))
}

/// The players of the rows, and the questions that test whether their models can be asked. `prompts` are those of the
/// run.
pub(super) fn players(
    args: &Args,
    prompts: &Arc<Prompts>,
    reference: Option<&ReferenceModel>,
) -> Result<(Vec<Player>, Vec<PreflightQuestion>)> {
    let shared = RunShared {
        secrets: args.secrets.names(),
        docs: args.docs.read()?,
        origins: &[],
        stand_in: reference,
    };
    let (mut players, mut questions) = (Vec::new(), Vec::new());
    for EvalRow { contestant, own, .. } in &args.rows {
        let templates = if own.settings.model.prompts == args.settings.model.prompts {
            prompts.clone()
        } else {
            Arc::new(crate::prompts::open(own.settings.model.prompts.as_deref())?)
        };
        let (player, asked) = Player::new(contestant.clone(), &own.settings, &templates, &shared)?;
        players.push(player);
        questions.extend(asked);
    }
    Ok((players, questions))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cli, config};

    #[test]
    fn every_field_of_a_definition_is_heeded() {
        let command = ContestantSettings::augment_args(clap::Command::new("contestant"));
        for key in config::keys(&cli::command()).iter().filter(|key| key.is_of_rows()) {
            assert!(command.get_arguments().any(|arg| arg.get_long() == Some(key.flag())), "{}", key.flag());
        }
    }
}

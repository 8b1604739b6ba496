//! A run that somebody else offers, as far as it can be played here.
//!
//! Invariants: of what is played nothing is taken from the offer but ids and numbers: suites, templates, definitions of
//! contestants, keys and permissions are this machine's, and their hashes are compared. What cannot be played is
//! refused with a reason, before any of it is taken.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum as _;
use tokio_util::sync::CancellationToken;
use waldo_tasks::record::Claim;
use waldo_tasks::runner::AgentSource;
use waldo_tasks::suite::SiteHost;

use super::chosen::Chosen;
use super::fleet;
use super::rows::{LimitArgs, check_keys, check_origins, players, rows};
use super::settings::options;
use super::{Args, manifest, on_goal};
use crate::agents::{AgentSettings, Agents, PictureArgs, StandIn, is_stand_in};
use crate::cli::docs_arg::DocsArgs;
use crate::cli::label::Style;
use crate::cli::real_phone::RealPhoneArgs;
use crate::cli::secrets::SecretArgs;
use crate::cli::{CliError, Result};
use crate::config::Contestants;
use crate::preflight;
use crate::queue::{
    OfferedContestant, OfferedSuite, Presence, QueueArgs, QueueServer, Refusal, RunOffer, Serving, WorkQueue,
};
use crate::screens::{BrowserArgs, Concurrency, DeviceArgs, DeviceFlags, DeviceSpec};
use crate::serve::{ReferenceModel, Registry, Sites};
use crate::session::{Episodes, Opening};
use crate::suites::{Listing, PROVIDERS, PlayArgs, SuiteArgs, provider};

/// What is a worker's own of what it plays.
#[derive(Clone, Debug, clap::Args)]
pub struct WorkerFlags {
    /// A folder with a suite.toml that may be played here, besides the built-in suites; may be given several times.
    #[arg(long = "suite", value_name = "DIR")]
    suites: Vec<String>,
    #[command(flatten)]
    real_phone: RealPhoneArgs,
    #[command(flatten)]
    device: DeviceFlags,
    #[command(flatten)]
    settings: AgentSettings,
    #[command(flatten)]
    browser: BrowserArgs,
    #[command(flatten)]
    secrets: SecretArgs,
    #[command(flatten)]
    docs: DocsArgs,
    #[command(flatten)]
    picture: PictureArgs,
    #[command(flatten)]
    place: SuiteArgs,
    #[command(flatten)]
    play: PlayArgs,
}

impl WorkerFlags {
    pub fn device(&self) -> &DeviceFlags {
        &self.device
    }

    pub fn browser(&self) -> &BrowserArgs {
        &self.browser
    }
}

pub struct Here<'a> {
    pub flags: &'a WorkerFlags,
    pub defined: &'a Contestants,
    pub screens: &'a [DeviceSpec],
    pub slots: usize,
    pub scratch: PathBuf,
}

pub struct Offered {
    args: Args,
    chosen: Chosen,
    offer: RunOffer,
    lanes: Vec<String>,
    registry: Registry,
    reference: Option<ReferenceModel>,
}

impl Here<'_> {
    /// The command line that would play these parts of the run here.
    fn args(
        &self,
        offer: &RunOffer,
        suites: Vec<String>,
        contestants: &[&OfferedContestant],
    ) -> Result<Args> {
        let WorkerFlags {
            suites: _,
            real_phone,
            device,
            settings,
            browser,
            secrets,
            docs,
            picture,
            place,
            play,
        } = self.flags.clone();
        let named = |defined: bool| {
            let own = contestants.iter().filter(move |row| row.definition.is_some() == defined);
            own.map(|row| &row.contestant)
        };
        let limits = LimitArgs {
            max_tokens_total: offer.limits.tokens,
            max_cost: offer.limits.usd,
            max_time: offer.limits.seconds,
        };
        let mut args = Args {
            suites,
            agents: named(false).map(|contestant| contestant.agent.clone()).collect(),
            contestants: named(true).map(|contestant| contestant.name.clone()).collect(),
            with_bounds: false,
            workers: u16::try_from(self.slots).unwrap_or(u16::MAX),
            repeats: offer.repeats,
            same_instance: offer.same_instance,
            seed: offer.seed,
            max_steps: offer.max_steps,
            limits,
            out: Some(self.scratch.clone()),
            attempts: offer.attempts,
            style: offer.style.as_deref().and_then(|style| Style::from_str(style, true).ok()),
            screens: self.screens.to_vec(),
            defined: self.defined.clone(),
            of_several: offer.suites.len() > 1,
            no_report: true,
            real_phone,
            device: DeviceArgs { device: None, flags: device },
            settings,
            browser,
            secrets,
            docs,
            picture,
            place,
            play,
            ..Args::usual()?
        };
        // The stand-in is part of waldo; any other model is this machine's to name.
        if let Some(stand_in) = named(false).find_map(|c| c.model.clone().filter(|model| is_stand_in(model)))
        {
            args.settings.model.model = Some(stand_in);
        }
        Ok(args)
    }

    /// What a suite of the run is called here, where it is here.
    fn suite(&self, offered: &OfferedSuite) -> Result<String, String> {
        for own in &self.flags.suites {
            let listed = provider(own).list(own, &self.flags.place).map_err(|e| e.to_string())?;
            if matches!(listed, Listing::Tasks { id, .. } if id == offered.id) {
                return Ok(own.clone());
            }
        }
        for kind in PROVIDERS {
            let all = kind.summaries().map_err(|e| e.to_string())?;
            if all.iter().any(|suite| suite.id == offered.id) {
                return Ok(offered.id.clone());
            }
        }
        Err(format!("there is no suite {} here: give --suite DIR", offered.id))
    }

    /// Why a suite of the run cannot be played here.
    fn lacks(
        &self,
        offer: &RunOffer,
        offered: &OfferedSuite,
        host: &Arc<dyn SiteHost>,
    ) -> Result<String, String> {
        let name = self.suite(offered)?;
        let args = self.args(offer, vec![name.clone()], &[]).map_err(|e| e.to_string())?;
        let chosen = Chosen::open(&args, host).map_err(|e| e.to_string())?;
        let Some((opened, tasks)) = chosen.suites().next() else {
            return Err(format!("nothing of {name} can be played here"));
        };
        if opened.hash != offered.hash {
            return Err(format!(
                "the suite {} here is another: its hash is {:.12}, the run's {:.12}",
                offered.id, opened.hash, offered.hash
            ));
        }
        match offered.tasks.iter().find(|task| !tasks.contains(task)) {
            None => Ok(name),
            Some(task) => {
                let own = task.strip_prefix(&format!("{}.", offered.id)).unwrap_or(task);
                let why = opened.left_out.iter().find(|left| left.task == own).map(|left| left.why.as_str());
                Err(format!("{task} cannot be played here: {}", why.unwrap_or("there is no such task")))
            }
        }
    }

    /// What of the run can be played here, and why the rest cannot.
    pub async fn examine(&self, offer: RunOffer) -> Result<(Option<Offered>, Vec<Refusal>)> {
        let mut refusals = Vec::new();
        let mut refuse = |part: &str, why: String| {
            refusals.push(Refusal { run: offer.run.clone(), part: part.to_owned(), why });
        };
        if offer.waldo != env!("WALDO_VERSION") {
            refuse("", format!("it is of waldo {}, this is {}", offer.waldo, env!("WALDO_VERSION")));
            return Ok((None, refusals));
        }
        let host: Arc<dyn SiteHost> = Arc::new(Sites::start().await?);
        let (mut suites, mut names) = (Vec::new(), Vec::new());
        for suite in &offer.suites {
            match self.lacks(&offer, suite, &host) {
                Ok(name) => {
                    suites.push(suite.id.as_str());
                    names.push(name);
                }
                Err(why) => refuse(&suite.id, why),
            }
        }
        if suites.is_empty() {
            return Ok((None, refusals));
        }
        let registry = Registry::default();
        let asks_stand_in =
            |row: &OfferedContestant| row.contestant.model.as_deref().is_some_and(is_stand_in);
        let reference = match offer.contestants.iter().any(asks_stand_in) {
            true => Some(ReferenceModel::own(registry.clone()).await?),
            false => None,
        };
        let mut playable = Vec::new();
        for row in &offer.contestants {
            match self.can_play(&offer, row, &names, &host, reference.as_ref()).await {
                Ok(()) => playable.push(row),
                Err(e) => refuse(&row.contestant.name, e.to_string()),
            }
        }
        if playable.is_empty() {
            return Ok((None, refusals));
        }
        let mut args = self.args(&offer, names, &playable)?;
        let chosen = Chosen::open(&args, &host)?;
        args.rows = rows(&args, self.defined)?;
        check_origins(&args.rows, &chosen)?;
        let can = |name: &str| playable.iter().any(|row| row.contestant.name == name);
        let lanes =
            offer.lanes.iter().filter(|lane| suites.contains(&lane.suite.as_str()) && can(&lane.contestant));
        let lanes = lanes.map(|lane| lane.id.clone()).collect();
        drop(playable);
        Ok((Some(Offered { args, chosen, offer, lanes, registry, reference }), refusals))
    }

    async fn can_play(
        &self,
        offer: &RunOffer,
        row: &OfferedContestant,
        suites: &[String],
        host: &Arc<dyn SiteHost>,
        reference: Option<&ReferenceModel>,
    ) -> Result<()> {
        let refused = |why: String| Err(CliError::Input(why));
        let mut args = self.args(offer, suites.to_vec(), &[row])?;
        if let (Some(model), None) = (&row.contestant.model, &row.definition)
            && args.settings.model.model.as_ref() != Some(model)
        {
            return refused(format!(
                "it asks the model {model}: give --model {model}, with its --base-url and key"
            ));
        }
        let mut chosen = Chosen::open(&args, host)?;
        args.rows = rows(&args, self.defined)?;
        check_origins(&args.rows, &chosen)?;
        chosen.check(&args)?;
        check_keys(&args.rows)?;
        if args.rows.iter().all(|own| own.contestant != row.contestant) {
            return refused("it is another here: its agent or its model differs".to_owned());
        }
        let prompts = Arc::new(crate::prompts::open(args.settings.model.prompts.as_deref())?);
        let manifest = manifest(&args, &chosen, &prompts)?;
        if fleet::prompts(&manifest)? != offer.prompts {
            return refused("the prompt templates here are others (--prompts)".to_owned());
        }
        if fleet::contestants(&manifest.parameters).get(&row.contestant.name) != row.definition.as_ref() {
            return refused(format!("[contestant.{}] is another here", row.contestant.name));
        }
        let here = fleet::parameters(&manifest.parameters);
        // What the run gives its agents has to be given here, too.
        for given in ["docs", "secrets"] {
            if offer.parameters.contains_key(given) && !here.contains_key(given) {
                return refused(format!("the run is played with --{given}: give it here too"));
            }
        }
        for (name, own) in here {
            if offer.parameters.get(&name) != Some(&own) {
                return refused(format!("its parameter '{name}' is another here: give the run's flags"));
            }
        }
        let (_, mut questions) = players(&args, &prompts, reference)?;
        questions.extend(chosen.take_questions());
        preflight::ask(&questions).await?;
        Ok(())
    }
}

impl Offered {
    /// Plays what is handed out until there is no more of it here, or for `idle` nothing of it, `drain` or `cancel`; how
    /// many were played.
    pub async fn play(
        self,
        server: &QueueServer,
        queue: &QueueArgs,
        presence: Arc<Presence>,
        drain: CancellationToken,
        cancel: CancellationToken,
        idle: Option<Duration>,
    ) -> Result<usize> {
        let Self { args, chosen, offer, lanes, registry, reference } = self;
        let artifacts = match (offer.shared_folder, queue.artifacts.as_deref()) {
            (true, None) => {
                let message = "its folders go to a folder that all machines share: give --artifacts DIR";
                return Err(CliError::Input(message.to_owned()));
            }
            (true, folder) => folder,
            (false, _) => None,
        };
        let prompts = Arc::new(crate::prompts::open(args.settings.model.prompts.as_deref())?);
        let (players, questions) = players(&args, &prompts, reference.as_ref())?;
        let read_webp = args.picture.asks_endpoints() && preflight::read_webp(&questions).await;
        let scratch = args.out.clone().unwrap_or_default();
        let made = std::fs::create_dir_all(&scratch).and_then(|()| tempfile::tempdir_in(&scratch));
        // Of its own, and gone with it: what is handed in is kept by the run.
        let own = made.map_err(|source| CliError::Io {
            what: format!("cannot play in {}", scratch.display()),
            source,
        })?;
        let claim = Claim::of(&own.path().join("run"), manifest(&args, &chosen, &prompts)?)?;
        let secrets = args.secrets.read()?;
        let opening = Opening::on(chosen.device(), &args.browser).routed(chosen.routes()).secrets(secrets);
        let session = opening.stopped_by(cancel).open(Concurrency::All).await?;
        let device = session.info().await?;
        let folder = claim.on(device.clone())?;
        let options = options(&args, &chosen, read_webp);
        let at_once = session.workers(args.workers.into());
        let longest = options.own.values().map(|limits| limits.watchdog);
        let longest = longest.fold(options.watchdog, Duration::max).saturating_mul(options.attempts.max(1));
        let serving = Serving::new(server, artifacts, offer, presence, folder.clone(), device, longest);
        let queue = Arc::new(WorkQueue::new(serving, &lanes, drain, idle).await?);
        let stand_in = reference.map(|model| StandIn::new(model, registry.clone()));
        let agents: Arc<dyn AgentSource> = Arc::new(Agents::new(players).with_stand_in(stand_in));
        let episodes = Episodes {
            tasks: chosen.tasks(),
            agents,
            are_recorded: true,
            sinks: Vec::new(),
            on_goal: on_goal(registry),
            options,
            keys: Vec::new(),
        };
        Ok(session.serve(&folder, episodes, queue, at_once).await?)
    }
}

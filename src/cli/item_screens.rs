//! The screens that `waldo grounding make` and `waldo questions make` make items from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use waldo_devices::Platform;
use waldo_devices::count::count;
use waldo_offline::make::{FOLDER, Screen, read_screens, write_screens};
use waldo_offline::{OfflineError, OfflinePlatform};
use waldo_tasks::runner::Options;
use waldo_tasks::suite::{SiteHost, Suite};
use waldo_tasks::{Contestant, Goal, Manifest, RealPhone, RunFolder};

use super::{CliError, Result};
use crate::agents::{Agents, Player};
use crate::numbers::whole;
use crate::offline::{CapturedScreens, LevelError, RewriteSummary, Watched};
use crate::screens::{BrowserArgs, Concurrency, DeviceArgs};
use crate::serve::Sites;
use crate::session::{self, Episodes, Opening, Stopped};

const WALKER: &str = "reference";

/// Where items come from, and how many.
#[derive(Debug, clap::Args)]
pub struct ItemArgs {
    /// Suites whose reference solutions are carried out; every screen on the way is kept.
    #[arg(long = "suite", value_name = "SUITE,...", value_delimiter = ',', required_unless_present = "from")]
    suites: Vec<String>,
    /// Make items from screens that were kept before: the folder of an earlier --out, or of a run that was played with
    /// --bare-pictures.
    #[arg(long, value_name = "DIR", conflicts_with = "suites")]
    from: Option<PathBuf>,
    /// How many items.
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=100_000))]
    pub items: u32,
    /// Random seed of the tasks' instances and of what is drawn.
    #[arg(short, long, default_value_t = 0, value_parser = whole::<u64>(0..))]
    pub seed: u64,
    /// Instances of each task.
    #[arg(short, long, default_value_t = 1, value_parser = whole::<u32>(1..=100))]
    repeats: u32,
    /// Episodes at once.
    #[arg(short, long, default_value_t = 2, value_parser = whole::<u16>(1..=256))]
    workers: u16,
    /// The folder of items: what waldo eval l1 and l2 take as --mmbench-dir.
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    browser: BrowserArgs,
}

impl ItemArgs {
    /// The screens, and the folder that they lie in; `None` where the play was stopped.
    pub async fn screens(&self) -> Result<Option<(PathBuf, Vec<Screen>)>> {
        if let Some(from) = &self.from {
            if !from.join(FOLDER).is_dir() && from.join("manifest.json").is_file() {
                let screens = CapturedScreens::into_folder(&self.out)?;
                screens.take(from)?;
                let all = screens.all()?;
                write_screens(&self.out, &all).map_err(LevelError::from)?;
                return Ok(Some((self.out.clone(), all)));
            }
            return Ok(Some((from.clone(), read_screens(from).map_err(LevelError::from)?)));
        }
        let screens = Arc::new(CapturedScreens::into_folder(&self.out)?);
        for suite in &self.suites {
            if self.play(suite, &screens).await? == Stopped::Yes {
                eprintln!("stopped");
                return Ok(None);
            }
        }
        let all = screens.all()?;
        write_screens(&self.out, &all).map_err(LevelError::from)?;
        Ok(Some((self.out.clone(), all)))
    }

    async fn play(&self, name: &str, screens: &Arc<CapturedScreens>) -> Result<Stopped> {
        let suite = Arc::new(Suite::find(name)?);
        let platform = OfflinePlatform::of(suite.platform).ok_or_else(|| {
            let several = Platform::Devices.as_str();
            CliError::Input(format!(
                "{name} is played on several screens at once ({several}): items are of one"
            ))
        })?;
        let mut device = DeviceArgs::default();
        device.for_suite(suite.platform, &[], &[])?;
        let host: Arc<dyn SiteHost> = Arc::new(Sites::start().await?);
        let tasks = suite.tasks(&host, RealPhone::Refused);
        let temporary = tempfile::tempdir()
            .map_err(|source| CliError::Io { what: "cannot make a temporary folder".into(), source })?;
        let session = Opening::on(&device, &self.browser).open(Concurrency::All).await?;
        let manifest = Manifest {
            suite: suite.id.clone(),
            suite_hash: suite.hash.clone(),
            tasks: tasks.iter().map(|task| task.entry()).collect(),
            contestants: vec![Contestant::new(WALKER, None)],
            seed: self.seed,
            repeats: self.repeats,
            device: Some(session.info().await?),
            ..session::manifest()
        };
        let folder = RunFolder::create_or_resume(temporary.path(), manifest)?;
        let agents = Arc::new(Agents::new(vec![Player::bound(Contestant::new(WALKER, None))?]));
        let watched = Watched { agents, screens: screens.clone(), suite: suite.id.clone(), platform };
        let episodes = Episodes {
            tasks,
            agents: Arc::new(watched),
            are_recorded: true,
            sinks: Vec::new(),
            on_goal: Arc::new(|_: &Goal| {}),
            options: Options { workers: session.workers(self.workers.into()), ..Options::default() },
            keys: folder.keys().collect(),
        };
        Ok(session.play(&folder, episodes).await?.1)
    }
}

/// What cannot be made of the screens that there are.
pub fn too_few(error: OfflineError) -> CliError {
    match error {
        OfflineError::TooFew { made, wanted } => CliError::Input(format!(
            "these screens give {made} of {wanted} items: ask for fewer with --items, or have more screens by \
             --repeats or further suites"
        )),
        error => LevelError::from(error).into(),
    }
}

pub fn tell(
    args: &ItemArgs,
    level: &str,
    made: usize,
    screens: &[Screen],
    from: &Path,
    rewritten: Option<&RewriteSummary>,
) -> Result<()> {
    let out = &args.out;
    if args.json {
        let mut said = serde_json::json!({
            "level": level, "items": made, "screens": screens.len(), "from": from, "out": out,
        });
        if let Some(rewritten) = rewritten {
            said["rewriting"] = serde_json::json!(rewritten);
        }
        return super::print_json(&crate::masking::json(said));
    }
    let (items, screens) = (count(made, "item"), count(screens.len(), "screen"));
    println!("{items} of {level} from {screens} in {}", out.display());
    if let Some(rewritten) = rewritten {
        println!("{}", rewritten.line());
    }
    let name = level.to_lowercase();
    println!("bounds: waldo eval {name} --mmbench-dir {} --with-bounds", out.display());
    Ok(())
}

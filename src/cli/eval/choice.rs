//! What is played: the tasks of the suite.

use std::sync::Arc;

use waldo_devices::Platform;
use waldo_tasks::desktop_task::DesktopTask;
use waldo_tasks::phone_task::PhoneTask;
use waldo_tasks::site_task::SiteTask;
use waldo_tasks::suite::Suite;
use waldo_tasks::widgets::{self, Widgets};
use waldo_tasks::{Task, TaskError};

use super::Args;
use crate::cli::CliError;
use crate::cli::osworld::{LeftOut, OSWORLD, told};
use crate::serve::Sites;

/// The tasks of a run and what the manifest says of their suite.
pub(super) struct Chosen {
    pub(super) id: String,
    pub(super) platform: Platform,
    pub(super) hash: String,
    pub(super) tasks: Vec<Arc<dyn Task>>,
    /// Tasks of the suite that cannot be played here.
    pub(super) left_out: Vec<LeftOut>,
    /// Step budgets that the suite's tables are also made for.
    pub(super) budgets: Vec<u32>,
    /// The list that chose them, where there is one.
    pub(super) set: Option<String>,
}

/// The tasks that the command line chooses.
///
/// # Errors
/// When the suite cannot be read, or has no such task.
pub(super) fn choose(args: &Args, sites: &Arc<Sites>) -> Result<Chosen, CliError> {
    let real = args.real_phone.on(&args.device)?;
    if args.suite == OSWORLD {
        let play = args.osworld.play(&args.documents, &args.tasks)?;
        return Ok(Chosen {
            id: OSWORLD.to_owned(),
            platform: Platform::Desktop,
            hash: play.hash,
            tasks: play.tasks,
            left_out: play.left_out,
            budgets: Vec::new(),
            set: play.set,
        });
    }
    let mut budgets = Vec::new();
    let mut programs: Vec<(String, Vec<String>)> = Vec::new();
    let (id, platform, hash, mut tasks) = if args.suite == "miniwob" {
        let suite = crate::cli::tasks::miniwob(args.miniwob_dir.as_deref(), args.miniwob_timer)?;
        let host: Arc<dyn waldo_tasks::suite::SiteHost> = sites.clone();
        ("miniwob".to_owned(), Platform::Web, suite.hash().to_owned(), suite.tasks(&host))
    } else if args.suite == widgets::SUITE {
        let suite = Widgets::open(args.widgets_control)?;
        let host: Arc<dyn waldo_tasks::suite::SiteHost> = sites.clone();
        (widgets::SUITE.to_owned(), Platform::Web, suite.hash().to_owned(), suite.tasks(&host))
    } else {
        let suite = Arc::new(Suite::find(&args.suite)?);
        budgets.clone_from(&suite.budgets);
        programs = suite.tasks.iter().map(|task| (task.id.clone(), task.programs())).collect();
        let host: Arc<dyn waldo_tasks::suite::SiteHost> = sites.clone();
        let tasks = match suite.platform {
            Platform::Android => PhoneTask::all(&suite, real),
            Platform::Desktop => DesktopTask::all(&suite),
            Platform::Web => SiteTask::all(&suite, &host),
        };
        (suite.id.clone(), suite.platform, suite.hash.clone(), tasks)
    };
    if !args.tasks.is_empty() {
        let known: Vec<String> = tasks.iter().map(|task| task.entry().id).collect();
        if let Some(name) = args.tasks.iter().find(|name| !known.contains(name)) {
            return Err(TaskError::UnknownTask { name: name.clone(), suite: args.suite.clone() }.into());
        }
        tasks.retain(|task| args.tasks.contains(&task.entry().id));
    }
    let mut left_out = Vec::new();
    tasks.retain(|task| {
        let task = task.entry().id;
        let gone = programs.iter().filter(|(id, _)| *id == task).flat_map(|(_, needs)| needs);
        let gone: Vec<&str> = gone.map(String::as_str).filter(|name| !is_there(name)).collect();
        if !gone.is_empty() {
            let why = format!("needs {}, which is not installed here", gone.join(", "));
            left_out.push(LeftOut { task, domain: id.clone(), why });
        }
        gone.is_empty()
    });
    if tasks.is_empty() {
        let message = format!("nothing can be played here\n{}", told(&left_out));
        return Err(CliError::Input(message.trim_end().to_owned()));
    }
    Ok(Chosen { id, platform, hash, tasks, left_out, budgets, set: None })
}

#[cfg(feature = "desktop")]
fn is_there(program: &str) -> bool {
    crate::desktop::is_there(program)
}

/// Without desktops nothing of theirs is played, and that is told elsewhere.
#[cfg(not(feature = "desktop"))]
fn is_there(_: &str) -> bool {
    true
}

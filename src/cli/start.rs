//! How a screen starts, by hand or as a task of a suite has it, and which apps may then be touched.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use waldo_devices::{AppRule, Capture, Deadline, Device, GuardPolicy, Origin, ResetTo, ShellUse};
use waldo_tasks::Stage;
use waldo_tasks::suite::{SiteLease, Suite, instance_seed};

use super::guard::{GuardArgs, rule};
use super::real_phone::RealPhoneArgs;
use super::{CliError, Result};
use crate::numbers::whole;
use crate::screens::{DeviceArgs, family};
use crate::serve::Sites;

/// How long a task may take to be staged.
const STAGED_WITHIN: Duration = Duration::from_secs(60);

/// The origin of a page that somebody named.
///
/// # Errors
/// When it is not an address, with how it may have been meant.
pub fn origin_of(url: &str) -> Result<Origin> {
    Origin::of(url).ok_or_else(|| {
        let whole = format!("http://{url}");
        let meant = !url.contains(":/") && Origin::of(&whole).is_some();
        let hint = if meant {
            format!("write it as {whole}")
        } else if url.starts_with("file:") {
            "serve the folder (python3 -m http.server --bind 127.0.0.1) and give http://127.0.0.1:8000/"
                .to_owned()
        } else {
            "write the complete address, such as http://127.0.0.1:8000/ or https://example.org/".to_owned()
        };
        CliError::Input(format!("'{url}' is not an http or https address: {hint}"))
    })
}

/// How one screen starts, and what may be touched: the page's origin, or the app, and what the guard's flags name.
pub fn single(
    device: &DeviceArgs,
    guard: &GuardArgs,
    url: Option<&str>,
    open: Option<&str>,
) -> Result<ResetTo> {
    device.starts_with(url, open)?;
    let Some(url) = url else { return Ok(device.family().start(open, guard.policy(None))?) };
    at_page(url, guard)
}

pub fn at_page(url: &str, guard: &GuardArgs) -> Result<ResetTo> {
    let own = rule(&origin_of(url)?.to_string()).map_err(CliError::Input)?;
    Ok(ResetTo { start: url.to_owned(), policy: guard.policy(Some(own)), ..ResetTo::default() })
}

/// Where exploring or demonstrating starts.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct StartArgs {
    /// The page to start on.
    #[arg(long, conflicts_with_all = ["suite", "open"])]
    pub url: Option<String>,
    /// The app to start in: on a phone its package, or its name (the home screen when absent); on a desktop
    /// a program with its arguments.
    #[arg(long, value_name = "APP", conflicts_with = "suite")]
    pub open: Option<String>,
    /// Start as a task of this suite does: on its pages, or with its app, its contents and what it allows
    /// to be touched.
    #[arg(long, value_name = "SUITE", requires = "task")]
    pub suite: Option<String>,
    /// Which task of the suite.
    #[arg(short, long, value_name = "ID", requires = "suite")]
    pub task: Option<String>,
    /// Seed of the task's instance.
    #[arg(long, default_value_t = 0, value_parser = whole::<u64>(0..))]
    pub seed: u64,
    /// The app's name in the documentation [default: the host, the package or program, or the suite's id].
    #[arg(long, value_name = "NAME")]
    pub app: Option<String>,
    #[command(flatten)]
    pub real_phone: RealPhoneArgs,
}

pub struct Start {
    pub app: String,
    pub stage: Stage,
    pub goal: Option<String>,
    _pages: Option<(Sites, Arc<dyn SiteLease>)>,
}

impl StartArgs {
    /// The start that the flags ask for.
    pub async fn start(&self, device: &DeviceArgs, guard: &GuardArgs) -> Result<Start> {
        if let (Some(suite), Some(task)) = (&self.suite, &self.task) {
            return self.of_task(&Suite::find(suite)?, task, device, guard).await;
        }
        if self.real_phone.real_phone_may_be_wiped {
            return Err(CliError::Input(
                "--real-phone-may-be-wiped goes with --suite: nothing is wiped without".into(),
            ));
        }
        device.starts_with(self.url.as_deref(), self.open.as_deref())?;
        let (to, own) = match &self.url {
            None => {
                let to = match self.open.as_deref() {
                    // Which package it is, the phone tells: see `Start::find_app`.
                    Some(name) if names_app(name, device, guard) => {
                        ResetTo { start: name.to_owned(), policy: guard.policy(None), ..ResetTo::default() }
                    }
                    open => device.family().start(open, guard.policy(None))?,
                };
                let own = start_name(device, &to);
                (to, own)
            }
            Some(url) => {
                let to = at_page(url, guard)?;
                let host = url::Url::parse(url).ok().and_then(|u| u.host_str().map(str::to_owned));
                (to, host.unwrap_or_else(|| url.clone()))
            }
        };
        let app = self.app.clone().unwrap_or(own);
        Ok(Start { app, stage: to.into(), goal: None, _pages: None })
    }

    async fn of_task(
        &self,
        suite: &Suite,
        task: &str,
        device: &DeviceArgs,
        guard: &GuardArgs,
    ) -> Result<Start> {
        device.fits(&suite.id, suite.platform)?;
        let real = self.real_phone.on(device)?;
        let def = suite.task(task)?;
        let seed = instance_seed(self.seed, task, 0);
        let sites = Sites::start().await?;
        let staged = suite.stage(def, seed, &sites, real, Deadline::after(STAGED_WITHIN)).await?;
        let (instance, mut stage) = (staged.instance, staged.stage);
        let pages = staged.pages.map(|lease| (sites, lease));
        let named = guard.policy(None);
        let own = std::mem::take(&mut stage.to.policy);
        stage.to.policy = GuardPolicy {
            origins: [own.origins, named.origins].concat(),
            apps: [own.apps, named.apps].concat(),
            shell: if own.shell == ShellUse::Allowed { own.shell } else { named.shell },
            ..named
        };
        // Pages have their suite's name; an app is the same one in every suite.
        let name = device.family().start_name(&stage.to).unwrap_or_else(|| suite.id.clone());
        let app = self.app.clone().unwrap_or(name);
        Ok(Start { app, stage, goal: Some(instance.goal), _pages: pages })
    }

    pub fn parameters(&self) -> serde_json::Value {
        match (&self.suite, &self.task) {
            (Some(suite), Some(task)) if self.seed == 0 => json!({ "suite": suite, "task": task }),
            (Some(suite), Some(task)) => json!({ "suite": suite, "task": task, "seed": self.seed }),
            _ => self.url.as_ref().or(self.open.as_ref()).map(String::as_str).into(),
        }
    }
}

/// Whether an app is opened by the name that people know it by, and may be touched alone.
fn names_app(open: &str, device: &DeviceArgs, guard: &GuardArgs) -> bool {
    device.family().names_app(open) && guard.policy(None).apps.is_empty()
}

impl Start {
    /// Asks the phone which app a start by name opens: from then on that package is opened, and may be touched alone.
    /// Until then none may be.
    pub async fn find_app(&mut self, device: &mut dyn Device, deadline: Deadline) -> Result<()> {
        let to = &mut self.stage.to;
        let by_name = family(device.info().platform).names_app(&to.start);
        if !by_name || to.start.is_empty() || !to.policy.apps.is_empty() {
            return Ok(());
        }
        let any = GuardPolicy { apps: vec![AppRule("*".to_owned())], ..to.policy.clone() };
        device
            .reset(&ResetTo { start: to.start.clone(), policy: any, ..ResetTo::default() }, deadline)
            .await?;
        let seen = device.observe(Capture::Elements, deadline).await?;
        let package = seen.context.location.split('/').next().unwrap_or_default().to_owned();
        if package.is_empty() {
            let said = format!("'{}' was opened, and no app is in front; give --open PACKAGE", to.start);
            return Err(CliError::Input(said));
        }
        to.policy.apps = vec![AppRule(package.clone())];
        to.start = package;
        Ok(())
    }
}

/// What documentation and records call the start: the program or package, or the kind of screen.
fn start_name(device: &DeviceArgs, to: &ResetTo) -> String {
    let family = device.family();
    family.start_name(to).unwrap_or_else(|| family.noun().to_owned())
}

#[cfg(test)]
mod tests {
    use super::origin_of;

    #[test]
    fn what_is_no_address_of_a_page_is_refused_with_one_that_is() {
        let said = |url: &str| origin_of(url).unwrap_err().to_string();
        assert!(said("example.org/a").ends_with("write it as http://example.org/a"));
        assert!(said("file:///tmp/a.html").contains("http.server"));
        for wrong in ["htp:/foo", "ftp://example.org/", "http://", "about:blank"] {
            assert!(said(wrong).contains(&format!("'{wrong}' is not")), "{wrong}");
            assert!(said(wrong).contains("such as http://"), "{wrong}: {}", said(wrong));
        }
        assert!(origin_of("http://127.0.0.1:8000/").is_ok());
    }
}

//! How a screen starts, by hand or as a task of a suite has it, and which apps may then be touched.

use serde_json::json;
use waldo_devices::{AppRule, Deadline, Device, GuardPolicy, Origin, Platform, ResetTo, ShellUse, Want};
use waldo_tasks::Stage;
use waldo_tasks::suite::{InstanceContext, SiteHost as _, SiteLease, Suite, instance_seed};

use super::CliError;
use super::device::DeviceArgs;
use super::guard::{GuardArgs, rule};
use super::real_phone::RealPhoneArgs;
use crate::serve::Sites;

/// What a browser without a page is told.
pub const NO_URL: &str = "a browser needs --url, the page to start on; another screen is named by --device";

/// The origin of a page that somebody named.
///
/// # Errors
/// When it is no address, with how it may have been meant.
pub fn origin_of(url: &str) -> Result<Origin, CliError> {
    Origin::of(url).ok_or_else(|| {
        let whole = format!("http://{url}");
        let meant = !url.contains("://") && Origin::of(&whole).is_some();
        let mend = if meant { format!(": write it as {whole}") } else { String::new() };
        CliError::Input(format!("'{url}' is no http or https address{mend}"))
    })
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
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// The app's name in the documentation [default: the host, the package or program, or the suite's id].
    #[arg(long, value_name = "NAME")]
    pub app: Option<String>,
    #[command(flatten)]
    pub real_phone: RealPhoneArgs,
}

/// A start, and what keeps it alive.
pub struct Start {
    /// What documentation calls it.
    pub app: String,
    /// Where the device starts.
    pub stage: Stage,
    /// What a task asks for.
    pub goal: Option<String>,
    /// The pages of a task, and who serves them.
    _pages: Option<(Sites, Box<dyn SiteLease>)>,
}

impl StartArgs {
    /// The start that the flags ask for.
    ///
    /// # Errors
    /// When they name none, or a suite or task that is not there or is played on another screen.
    pub async fn start(&self, device: &DeviceArgs, guard: &GuardArgs) -> Result<Start, CliError> {
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
                    open => {
                        start_by_hand(device, open, guard)?.ok_or_else(|| CliError::Input(NO_URL.into()))?
                    }
                };
                let own = start_name(device, &to);
                (to, own)
            }
            Some(url) => {
                let origin = origin_of(url)?;
                let host = url::Url::parse(url)
                    .ok()
                    .and_then(|u| u.host_str().map(str::to_owned))
                    .unwrap_or_else(|| origin.to_string());
                let own = rule(&origin.to_string()).map_err(CliError::Input)?;
                let policy = guard.policy(Some(own));
                (ResetTo { start: url.clone(), policy, ..ResetTo::default() }, host)
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
    ) -> Result<Start, CliError> {
        device.fits(&suite.id, suite.platform)?;
        let real = self.real_phone.on(device)?;
        let def = suite.task(task)?;
        let seed = instance_seed(self.seed, task, 0);
        let draw = |context: &InstanceContext| def.instance(seed, context);
        let (instance, mut stage, pages) = match suite.platform {
            Platform::Web => {
                let sites = Sites::start().await?;
                let lease = sites.lease(suite.site.clone()).await?;
                let instance = draw(&InstanceContext {
                    origin: lease.origin().into(),
                    other_origin: lease.other_origin().into(),
                })?;
                let stage = Stage::on_site(&instance, lease.as_ref())?;
                (instance, stage, Some((sites, lease)))
            }
            screen @ (Platform::Android | Platform::Desktop) => {
                let instance = draw(&InstanceContext::default())?;
                let stage = match screen {
                    Platform::Android => Stage::on_phone(&instance, real),
                    _ => Stage::on_desktop(&instance),
                };
                (instance, stage, None)
            }
        };
        let named = guard.policy(None);
        let own = std::mem::take(&mut stage.to.policy);
        stage.to.policy = GuardPolicy {
            origins: [own.origins, named.origins].concat(),
            apps: [own.apps, named.apps].concat(),
            shell: if own.shell == ShellUse::Allowed { own.shell } else { named.shell },
            ..named
        };
        // Pages have their suite's name; an app is the same one in every suite.
        let name = match suite.platform {
            Platform::Android | Platform::Desktop if !stage.to.start.is_empty() => {
                start_name(device, &stage.to)
            }
            _ => suite.id.clone(),
        };
        let app = self.app.clone().unwrap_or(name);
        Ok(Start { app, stage, goal: Some(instance.goal), _pages: pages })
    }

    /// What is started with, for a manifest.
    pub fn parameters(&self) -> serde_json::Value {
        match (&self.suite, &self.task) {
            (Some(suite), Some(task)) => json!({ "suite": suite, "task": task }),
            _ => self.url.as_ref().or(self.open.as_ref()).map(String::as_str).into(),
        }
    }
}

/// Whether an app is opened by the name that people know it by, and may be touched alone.
fn names_app(open: &str, device: &DeviceArgs, guard: &GuardArgs) -> bool {
    device.platform() == Platform::Android && !open.contains('.') && guard.policy(None).apps.is_empty()
}

impl Start {
    /// Asks the phone which app a start by name opens: from then on that package is opened, and may be touched alone.
    /// Until then none may be.
    ///
    /// # Errors
    /// When no app has the name or several have, with their packages; when the device fails.
    pub async fn find_app(&mut self, device: &mut dyn Device, deadline: Deadline) -> Result<(), CliError> {
        let to = &mut self.stage.to;
        if device.info().platform != Platform::Android || to.start.is_empty() || !to.policy.apps.is_empty() {
            return Ok(());
        }
        let any = GuardPolicy { apps: vec![AppRule("*".to_owned())], ..to.policy.clone() };
        device
            .reset(&ResetTo { start: to.start.clone(), policy: any, ..ResetTo::default() }, deadline)
            .await?;
        let seen = device.observe(Want::Elements, deadline).await?;
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

/// How a phone starts when somebody gives a goal by hand: `open` is in front, and the apps that
/// `--allow-app` names may be touched; the opened one alone where none is named.
///
/// # Errors
/// When no app may be touched.
pub fn phone_start(open: Option<&str>, guard: &GuardArgs) -> Result<ResetTo, CliError> {
    let mut policy: GuardPolicy = guard.policy(None);
    if policy.apps.is_empty() {
        let package = open.map(|app| app.split('/').next().unwrap_or(app)).filter(|app| app.contains('.'));
        let package = package.ok_or_else(|| {
            let listed = "(* for any end; adb shell pm list packages lists them)";
            CliError::Input(match open {
                Some(name) => format!(
                    "'{name}' is a name, which apps can share: say as well which package may be touched, \
                     --allow-app PACKAGE {listed}"
                ),
                None => format!(
                    "on a phone, say which apps may be touched: --open PACKAGE, or --allow-app PACKAGE {listed}"
                ),
            })
        })?;
        policy.apps = vec![AppRule(package.to_owned())];
    }
    Ok(ResetTo { start: open.unwrap_or_default().to_owned(), policy, ..ResetTo::default() })
}

/// How a desktop starts when somebody gives a goal by hand: `open` is a program with its arguments, and the
/// programs that `--allow-app` names may be touched; the opened one alone where none is named.
///
/// # Errors
/// When no program may be touched.
pub fn desktop_start(open: Option<&str>, guard: &GuardArgs) -> Result<ResetTo, CliError> {
    let mut policy: GuardPolicy = guard.policy(None);
    if policy.apps.is_empty() {
        let program = open.and_then(|line| line.split_whitespace().next());
        let name = program.and_then(|program| program.rsplit('/').next()).filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| {
            CliError::Input(
                "on a desktop, say which programs may be touched: --open PROGRAM, or --allow-app PROGRAM (its \
                 name, such as mousepad; * for any end)"
                    .into(),
            )
        })?;
        // What starts LibreOffice is not what shows its windows.
        let name =
            if name == "libreoffice" || name == "localc" || name == "lowriter" { "soffice" } else { name };
        policy.apps = vec![AppRule(name.to_owned())];
    }
    Ok(ResetTo { start: open.unwrap_or_default().to_owned(), policy, ..ResetTo::default() })
}

/// How a screen of programs starts when somebody gives a goal by hand; `None` for a browser.
///
/// # Errors
/// Those of [`phone_start`] and [`desktop_start`].
pub fn start_by_hand(
    device: &DeviceArgs,
    open: Option<&str>,
    guard: &GuardArgs,
) -> Result<Option<ResetTo>, CliError> {
    match device.platform() {
        Platform::Web => Ok(None),
        Platform::Android => phone_start(open, guard).map(Some),
        Platform::Desktop => desktop_start(open, guard).map(Some),
    }
}

/// What documentation and records call the start: the program or package, or the kind of screen.
pub fn start_name(device: &DeviceArgs, to: &ResetTo) -> String {
    let first = to.start.split_whitespace().next().unwrap_or_default();
    let kind = if device.platform() == Platform::Desktop { "desktop" } else { "phone" };
    match device.platform() {
        Platform::Desktop => first.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(kind),
        _ if to.start.is_empty() => kind,
        _ => &to.start,
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_opened_app_may_be_touched_unless_others_are_named() {
        let none = GuardArgs::default();
        let to = phone_start(Some("com.a.b/.Main"), &none).unwrap();
        assert!(to.policy.allows_app("com.a.b") && !to.policy.allows_app("com.a.c"));
        assert!(phone_start(None, &none).is_err() && phone_start(Some("Clock"), &none).is_err());
        let named = GuardArgs { allow_app: vec!["com.a.*".into()], ..GuardArgs::default() };
        let to = phone_start(Some("Clock"), &named).unwrap();
        assert!(to.policy.allows_app("com.a.c") && to.start == "Clock");
    }

    #[test]
    fn only_the_opened_program_may_be_touched_unless_others_are_named() {
        let none = GuardArgs::default();
        let to = desktop_start(Some("/usr/bin/mousepad notes.txt"), &none).unwrap();
        assert!(to.policy.allows_app("mousepad") && !to.policy.allows_app("thunar"));
        let to = desktop_start(Some("localc"), &none).unwrap();
        assert!(to.policy.allows_app("soffice"));
        assert!(desktop_start(None, &none).is_err());
    }
}

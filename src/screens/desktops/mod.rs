//! Desktops: a private display for each episode, one that somebody sits at, or the screen of this session through the
//! portable parts of the driver.

mod found;
#[cfg(feature = "desktop")]
mod owned;
#[cfg(feature = "portable")]
mod portable;
mod programs;
#[cfg(all(feature = "desktop", target_os = "linux"))]
mod x11;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};
use waldo_devices::{AppRule, GuardPolicy, Platform, ResetTo};
use waldo_tasks::episode::Timeouts;

pub use programs::is_there;

use super::browser_args::BrowserArgs;
use super::error::ScreenError;
use super::finding::{DeviceEntry, Finding};
use super::flags::DeviceFlags;
use super::kind::{Family, KindFacts, ScreenKind, ScreenRequest, ScreenSource};

/// A private display of programs, made anew for each episode; Linux has it alone.
pub struct Private;

/// The X display of a name such as `:0`, which is somebody's.
pub struct ExistingDisplay;

/// The screen of this session, which is somebody's, through what runs on Windows and macOS too.
pub struct Portable;

#[async_trait]
impl ScreenKind for Private {
    fn facts(&self) -> KindFacts {
        KindFacts::new(&["desktop"], &ProgramsKind, &["--screen", "--sandbox", "--record"])
    }

    fn read(&self, text: &str) -> Option<Result<String, String>> {
        (text == "desktop" && cfg!(target_os = "linux")).then(|| Ok(text.to_owned()))
    }

    async fn source(&self, wanted: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        on_x(wanted)
    }
}

/// Whether this is the name of an X display on this machine: `:0`, `:1.0`.
fn is_display(name: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    name.strip_prefix(':').is_some_and(|numbers| {
        numbers.split_once('.').map_or_else(|| digits(numbers), |(a, b)| digits(a) && digits(b))
    })
}

#[async_trait]
impl ScreenKind for ExistingDisplay {
    fn facts(&self) -> KindFacts {
        KindFacts::new(&["desktop::0"], &ProgramsKind, &["--record", "--countdown", "--panic-key"])
            .taken_as_it_is()
    }

    fn read(&self, text: &str) -> Option<Result<String, String>> {
        let display = text.strip_prefix("desktop:").filter(|display| *display != ":portable")?;
        let wrong = || {
            format!(
                "'{text}': write the name of the display, like desktop::0 for the display :0, or desktop::portable"
            )
        };
        Some(is_display(display).then(|| text.to_owned()).ok_or_else(wrong))
    }

    fn is_in_view(&self, _: &BrowserArgs) -> bool {
        true
    }

    async fn source(&self, wanted: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        on_x(wanted)
    }
}

#[async_trait]
impl ScreenKind for Portable {
    fn facts(&self) -> KindFacts {
        KindFacts::new(&["desktop::portable"], &ProgramsKind, &["--countdown"]).taken_as_it_is()
    }

    fn read(&self, text: &str) -> Option<Result<String, String>> {
        // Private displays are Linux's alone.
        let here = text == "desktop" && !cfg!(target_os = "linux");
        (here || text == "desktop::portable").then(|| Ok("desktop::portable".to_owned()))
    }

    fn is_in_view(&self, _: &BrowserArgs) -> bool {
        true
    }

    #[cfg(feature = "portable")]
    async fn source(&self, wanted: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        let countdown = wanted.flags.countdown.unwrap_or(owned::COUNTDOWN);
        Ok(Arc::new(portable::PortableSource::new(countdown, wanted.secrets, wanted.approver)))
    }

    #[cfg(not(feature = "portable"))]
    async fn source(&self, _: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        Err(crate::absent::Absent { what: "desktop::portable", feature: "portable" }.into())
    }
}

#[cfg(all(feature = "desktop", target_os = "linux"))]
fn on_x(wanted: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
    let source = x11::DesktopSource::of(wanted)?;
    Ok(Arc::new(source))
}

#[cfg(all(feature = "desktop", not(target_os = "linux")))]
fn on_x(wanted: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
    let spec = wanted.named;
    Err(ScreenError::Input(format!("{spec} is an X display, which only Linux has: give --device desktop")))
}

#[cfg(not(feature = "desktop"))]
fn on_x(_: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
    Err(crate::absent::Absent { what: "desktops", feature: "desktop" }.into())
}

pub struct ProgramsKind;

#[async_trait]
impl Family for ProgramsKind {
    fn platform(&self) -> Platform {
        Platform::Desktop
    }

    fn usual(&self) -> &'static str {
        "desktop"
    }

    fn played_on(&self, _: &str) -> String {
        "on a desktop: give --device desktop".to_owned()
    }

    fn starts_with(&self, named: &str, url: Option<&str>, _: Option<&str>) -> Result<(), ScreenError> {
        super::kind::no_address(named, url)
    }

    fn start(&self, open: Option<&str>, mut policy: GuardPolicy) -> Result<ResetTo, ScreenError> {
        if policy.apps.is_empty() {
            let name = open.and_then(program).ok_or_else(|| {
                ScreenError::Input(
                    "on a desktop, say which programs may be touched: --open PROGRAM, or --allow-app PROGRAM (its \
                     name, such as mousepad; * for any end)"
                        .into(),
                )
            })?;
            // What starts LibreOffice is not what shows its windows.
            let name = match name {
                "libreoffice" | "localc" | "lowriter" => "soffice",
                name => name,
            };
            policy.apps = vec![AppRule(name.to_owned())];
        }
        Ok(ResetTo { start: open.unwrap_or_default().to_owned(), policy, ..ResetTo::default() })
    }

    fn start_name(&self, to: &ResetTo) -> Option<String> {
        program(&to.start).map(str::to_owned)
    }

    fn noun(&self) -> &'static str {
        "desktop"
    }

    fn nobodys(&self, _: &str) -> Option<&'static str> {
        Some("desktop")
    }

    /// An office program on a fresh HOME takes its time to start, the more so beside others.
    fn timeouts(&self, usual: Timeouts) -> Timeouts {
        Timeouts { set_up: usual.set_up * 2, ..usual }
    }

    fn add_parameters(&self, flags: &DeviceFlags, _: &BrowserArgs, to: &mut Map<String, Value>) {
        let (width, height) = flags.size().unwrap_or(programs::SCREEN);
        to.insert("screen".to_owned(), format!("{width}x{height}").into());
    }

    async fn list(&self, _: &DeviceFlags, _: &BrowserArgs) -> Vec<DeviceEntry> {
        found::list(self.platform().as_str()).await
    }

    async fn examine(&self, _: &DeviceFlags, _: &BrowserArgs) -> Vec<Finding> {
        found::examine().await
    }
}

/// The name of the program that a line of shell words starts.
fn program(line: &str) -> Option<&str> {
    line.split_whitespace().next()?.rsplit('/').next().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_opened_program_may_be_touched_unless_others_are_named() {
        let none = GuardPolicy::default;
        let to = ProgramsKind.start(Some("/usr/bin/mousepad notes.txt"), none()).unwrap();
        assert!(to.policy.allows_app("mousepad") && !to.policy.allows_app("thunar"));
        assert_eq!(ProgramsKind.start_name(&to).as_deref(), Some("mousepad"));
        let to = ProgramsKind.start(Some("localc"), none()).unwrap();
        assert!(to.policy.allows_app("soffice"));
        assert!(ProgramsKind.start(None, none()).is_err());
    }
}

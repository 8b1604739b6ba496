//! `--device`: which screen a command works on.

use std::sync::Arc;

use serde_json::{Map, Value};
use waldo_devices::{Approver, Platform, Secrets};

use super::browser_args::BrowserArgs;
use super::error::ScreenError;
use super::finding::Finding;
use super::flags::{Concurrency, DeviceFlags};
use super::kind::{DeviceSpec, Family, NamedScreen, ScreenRequest, ScreenSource};
use super::registry::family;
use super::spec::of_tasks;

/// Which screen.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Device")]
pub struct DeviceArgs {
    /// The screen: web, simphone, android, desktop or a remote one [default: web].
    ///
    /// web is a browser, simphone a simulated phone in this process, desktop a private display of programs. android is
    /// the phone that adb has ready, android:SERIAL one of several, tcp:HOST:PORT a phone over the network, usb or
    /// usb:SERIAL one directly over the cable (feature usb, not tested on hardware yet). desktop::0 is the display :0
    /// of a person, desktop::portable the screen of this session through libraries that support Windows and macOS too,
    /// where desktop means this. bridge:http://HOST:PORT is an environment in another language (bridge:android:,
    /// bridge:desktop: where it shows no pages), osworld:http://HOST:5000 a remote desktop through the server of
    /// OSWorld's machines, vnc://HOST:5900 any machine that a VNC server shows (feature vnc), qemu:IMAGE.qcow2 a
    /// virtual machine that is reset to a snapshot before each episode (feature vm).
    #[arg(long, value_name = "SPEC")]
    pub device: Option<DeviceSpec>,
    #[command(flatten)]
    pub flags: DeviceFlags,
}

impl DeviceArgs {
    pub fn spec(&self) -> DeviceSpec {
        self.device.clone().unwrap_or_default()
    }

    pub fn family(&self) -> &'static dyn Family {
        self.spec().family()
    }

    pub fn platform(&self) -> Platform {
        self.family().platform()
    }

    /// Whether a person sees the screen, and it is gone when waldo is: a window or somebody's browser, somebody's
    /// display. A phone stays as it is anyway.
    pub fn is_in_view(&self, browser: &BrowserArgs) -> bool {
        self.spec().screens().iter().any(|screen| screen.kind().is_in_view(browser))
    }

    /// Takes the usual device of a suite's platform where none was given; of a suite on several screens each screen's,
    /// or what `on` names for it.
    ///
    /// # Errors
    /// When `on` fits no screen of the tasks, or is given for a suite on one.
    pub fn for_suite(
        &mut self,
        platform: Platform,
        screens: &[(String, Platform)],
        on: &[NamedScreen],
    ) -> Result<(), ScreenError> {
        if platform.has_several_screens() {
            if self.device.is_none() {
                self.device = Some(of_tasks(screens.iter(), on)?);
            }
            return Ok(());
        }
        if !on.is_empty() {
            let message = "--on names screens of tasks that are played on several; this suite has one: --device names it";
            return Err(ScreenError::Input(message.to_owned()));
        }
        if self.device.is_none() {
            self.device = Some(family(platform).usual().parse().map_err(ScreenError::Input)?);
        }
        Ok(())
    }

    /// Refuses a suite that is not played on this kind of screen.
    pub fn fits(&self, suite: &str, platform: Platform) -> Result<(), ScreenError> {
        let spec = self.spec();
        if platform != self.platform() {
            let on = family(platform).played_on(spec.as_str());
            return Err(ScreenError::Input(format!("{suite} is played {on}")));
        }
        if !spec.screens().iter().all(|screen| screen.kind().facts().is_laid_out) {
            return Err(ScreenError::Input(format!(
                "{suite} needs its own HOME for files and settings, which {spec} does not have: give --device \
                 desktop, on Linux"
            )));
        }
        Ok(())
    }

    /// Refuses an address where there is no browser, and an app where there is one.
    pub fn starts_with(&self, url: Option<&str>, open: Option<&str>) -> Result<(), ScreenError> {
        self.family().starts_with(self.spec().as_str(), url, open)
    }

    /// Refuses an agent that acts on pages alone, where there are none.
    pub fn has_origins_for(&self, agent: &str) -> Result<(), ScreenError> {
        if !self.family().has_origins() {
            return Err(ScreenError::Input(format!(
                "the agent {agent} acts on pages whose origin can be verified, not on {}: give --device web",
                self.spec()
            )));
        }
        Ok(())
    }

    /// What is wrong with the screens that were named and stand elsewhere, and what they can.
    pub async fn examine(&self, browser: &BrowserArgs) -> Vec<Finding> {
        let mut all = vec![self.flags.text_recognition.examine()];
        let spec = self.spec();
        for screen in spec.screens() {
            let wanted = ScreenRequest {
                named: screen.as_str(),
                parts: &screen.parts,
                flags: &self.flags,
                browser,
                secrets: Secrets::default(),
                approver: None,
                many: Concurrency::One,
            };
            all.extend(screen.kind().examine(&wanted).await);
        }
        all
    }

    pub async fn source(
        &self,
        browser: &BrowserArgs,
        secrets: Secrets,
        approver: Option<Arc<dyn Approver>>,
        many: Concurrency,
    ) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        self.only_where_it_counts()?;
        let spec = self.spec();
        let wanted = ScreenRequest {
            named: spec.as_str(),
            parts: &spec.parts,
            flags: &self.flags,
            browser,
            secrets,
            approver,
            many,
        };
        self.flags.text_recognition.over(spec.kind().source(wanted).await?)
    }

    /// Adds what changes what is seen of every kind of screen to a manifest's parameters: what reads pictures, where
    /// anything does.
    pub fn add_parameters(&self, to: &mut Map<String, Value>) {
        if let Some(reader) = self.flags.text_recognition.recorded() {
            to.insert("text_recognition".to_owned(), reader.into());
        }
    }

    /// Refuses flags of one kind of device on others: a flag that does nothing is a mistake.
    fn only_where_it_counts(&self) -> Result<(), ScreenError> {
        let spec = self.spec();
        let heeds = spec.kind().facts().heeds;
        let is_display = |name: &str| {
            let of_name = spec.parts.iter().find(|screen| screen.name == name);
            of_name.is_some_and(|screen| screen.spec.family().platform().has_programs())
        };
        let mut named = self.flags.sizes.iter().filter_map(|size| size.name.as_deref());
        if let Some(unknown) = named.find(|name| !is_display(name)) {
            let message = format!(
                "--screen {unknown}=…: no screen of this name is a display of programs; there is {spec}"
            );
            return Err(ScreenError::Input(message));
        }
        match self.flags.given().find(|(flag, _)| !heeds.contains(flag)) {
            Some((flag, with)) => {
                Err(ScreenError::Input(format!("{flag} goes with {with}, not with {spec}")))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(spec: &str, flags: DeviceFlags) -> DeviceArgs {
        DeviceArgs { device: Some(spec.parse().unwrap()), flags }
    }

    fn plain(spec: &str) -> DeviceArgs {
        on(spec, DeviceFlags::default())
    }

    #[test]
    fn a_suite_tells_which_device_it_needs() {
        let args = DeviceArgs::default();
        assert!(args.fits("l3-web", Platform::Web).is_ok());
        let error = args.fits("l3-android", Platform::Android).unwrap_err().to_string();
        assert!(error.contains("--device simphone"), "{error}");
        let phone = plain("simphone");
        assert!(phone.fits("l3-android", Platform::Android).is_ok());
        assert!(phone.fits("l3-web", Platform::Web).unwrap_err().to_string().contains("--device web"));
        assert!(plain("desktop").fits("l3-desktop", Platform::Desktop).is_ok());
        for other in ["desktop::0", "desktop::portable", "web"] {
            let error = plain(other).fits("l3-desktop", Platform::Desktop).unwrap_err().to_string();
            assert!(error.contains("--device desktop"), "{error}");
        }
    }

    #[test]
    fn flags_of_one_device_are_refused_elsewhere() {
        let display = || DeviceFlags { display_id: Some(1), ..DeviceFlags::default() };
        let screen = || DeviceFlags { sizes: vec!["800x600".parse().unwrap()], ..DeviceFlags::default() };
        let countdown = || DeviceFlags { countdown: Some(3), ..DeviceFlags::default() };
        let panic_key = || DeviceFlags { panic_key: Some("F1".into()), ..DeviceFlags::default() };
        let refused = |spec: &str, flags| on(spec, flags).only_where_it_counts().err().map(|e| e.to_string());
        assert!(refused("web", display()).unwrap().contains("--display-id goes with"));
        assert_eq!(refused("android", display()), None);
        assert!(refused("web", screen()).unwrap().contains("--screen goes with"));
        assert_eq!(refused("desktop", screen()), None);
        assert_eq!(refused("desktop::portable", countdown()), None);
        assert!(refused("desktop", countdown()).is_some());
        let error = refused("desktop::portable", panic_key()).unwrap();
        assert!(error.contains("desktop::0, on Linux, not with desktop::portable"), "{error}");
    }
}

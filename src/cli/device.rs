//! `--device`: which screen a command works on.

mod spec;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use waldo_devices::{Approver, Deadline, DeviceError, DeviceInfo, Platform};
use waldo_tasks::runner::DeviceSource;
use waldo_web::{Secrets, WebOptions};

use super::CliError;
use super::browser::BrowserArgs;
#[cfg(feature = "android")]
use crate::android::{AndroidSource, Phones, adb_options};
#[cfg(feature = "desktop")]
use crate::desktop::COUNTDOWN;
#[cfg(feature = "portable")]
use crate::desktop::PortableSource;
#[cfg(all(feature = "desktop", target_os = "linux"))]
use crate::desktop::{DesktopSource, Desktops, PANIC_KEY};
use crate::web::WebSource;
pub use spec::Spec;

/// How long a device may take to be there.
const STARTS_WITHIN: Duration = Duration::from_secs(60);

/// Reads the size of a private display.
///
/// # Errors
/// When it is none, with an example.
fn screen(text: &str) -> Result<(u32, u32), String> {
    let wrong = || format!("'{text}' is no size: write it like 1280x800, each side from 320 to 8000");
    let (w, h) = text.split_once('x').ok_or_else(wrong)?;
    let side = |s: &str| s.parse::<u32>().ok().filter(|n| (320..=8000).contains(n)).ok_or_else(wrong);
    Ok((side(w)?, side(h)?))
}

/// Which screen.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Device")]
pub struct DeviceArgs {
    /// The screen: web (a browser), simphone (a simulated phone in this process), android (the phone that
    /// adb has ready), android:SERIAL, tcp:HOST:PORT (straight to a phone), usb or usb:SERIAL (straight over the
    /// cable; feature usb, not seen on hardware yet), desktop (a private display of programs), desktop::0 (the display :0, which is somebody's), or desktop::portable (the screen of this
    /// session through what runs on Windows and macOS too, where desktop means just this) [default: web].
    #[arg(long, value_name = "SPEC")]
    pub device: Option<Spec>,
    /// The adb server: a port or HOST:PORT [default: as for adb itself, else 5037].
    #[arg(long, value_name = "ADDRESS")]
    pub adb_server: Option<String>,
    /// The display of a phone, as `adb shell input -d` counts: another than 0 is seen by its picture alone
    /// [default: 0].
    #[arg(long, value_name = "N")]
    pub display_id: Option<u32>,
    /// The size of a private display in pixels [default: 1280x800].
    #[arg(long, value_name = "WxH", value_parser = screen)]
    pub screen: Option<(u32, u32)>,
    /// Write a video of each episode on a desktop: FILE, then FILE-2 and so on; needs ffmpeg.
    #[arg(long, value_name = "FILE.mp4")]
    pub record: Option<PathBuf>,
    /// Seconds before a display that is somebody's is taken [default: 5].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(0..=600))]
    pub countdown: Option<u32>,
    /// The chord that takes a display back at once [default: ctrl+alt+space].
    #[arg(long, value_name = "CHORD")]
    pub panic_key: Option<String>,
}

/// Where devices come from.
pub enum Source {
    /// A browser.
    Web(Arc<WebSource>),
    /// Phones.
    #[cfg(feature = "android")]
    Phones(Arc<AndroidSource>),
    /// Desktops.
    #[cfg(all(feature = "desktop", target_os = "linux"))]
    Desktops(Arc<DesktopSource>),
    /// The screen of this session.
    #[cfg(feature = "portable")]
    Portable(Arc<PortableSource>),
}

/// How many episodes are played at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Many {
    /// One.
    One,
    /// As many as there are phones.
    All,
}

impl DeviceArgs {
    /// The screen that was asked for.
    pub fn spec(&self) -> Spec {
        self.device.clone().unwrap_or_default()
    }

    /// Its kind.
    pub fn platform(&self) -> Platform {
        match self.spec() {
            Spec::Web => Platform::Web,
            Spec::Adb(_) | Spec::Tcp(_) | Spec::Usb(_) | Spec::Simphone => Platform::Android,
            Spec::Desktop | Spec::Display(_) | Spec::Portable => Platform::Desktop,
        }
    }

    /// Whether a person sees the screen, and it is gone when waldo is: a window or somebody's browser, somebody's
    /// display. A phone stays as it is anyway.
    pub fn is_in_view(&self, browser: &BrowserArgs) -> bool {
        match self.spec() {
            Spec::Web => browser.headed || browser.cdp.is_some(),
            Spec::Display(_) | Spec::Portable => true,
            Spec::Desktop | Spec::Adb(_) | Spec::Tcp(_) | Spec::Usb(_) | Spec::Simphone => false,
        }
    }

    /// Refuses a suite that is not played on this kind of screen.
    ///
    /// # Errors
    /// With what to ask for instead.
    pub fn fits(&self, suite: &str, platform: Platform) -> Result<(), CliError> {
        if let (Platform::Desktop, spec @ (Spec::Display(_) | Spec::Portable)) = (platform, self.spec()) {
            return Err(CliError::Input(format!(
                "{suite} lays files and settings into a HOME of its own, which {spec} has not: give --device \
                 desktop, on Linux"
            )));
        }
        if platform == self.platform() {
            return Ok(());
        }
        Err(CliError::Input(match platform {
            Platform::Android => format!(
                "{suite} is played on a phone: give --device simphone (a simulated one), --device android \
                 (adb's) or --device tcp:HOST:PORT"
            ),
            Platform::Desktop => format!("{suite} is played on a desktop: give --device desktop"),
            Platform::Web => {
                format!("{suite} is played on web pages, not on {}: give --device web", self.spec())
            }
        }))
    }

    /// Refuses an address where there is no browser, and an app where there is one.
    ///
    /// # Errors
    /// With what starts such a screen.
    pub fn starts_with(&self, url: Option<&str>, open: Option<&str>) -> Result<(), CliError> {
        let wrong = match (url, open, self.platform()) {
            (_, Some(_), Platform::Web) => {
                "--open is for phones and desktops: give --device as well (simphone, android, desktop), or --url \
                 for a page"
                    .to_owned()
            }
            (None, ..) | (.., Platform::Web) => return Ok(()),
            (Some(_), ..) => format!(
                "--url is for a browser; on {} --open names what to start (a page: --device web)",
                self.spec()
            ),
        };
        Err(CliError::Input(wrong))
    }

    /// Refuses an agent that this kind of screen is not for.
    ///
    /// # Errors
    /// With the screen that it is for.
    pub fn suits(&self, agent: &str) -> Result<(), CliError> {
        if agent == "frames" && self.platform() != Platform::Web {
            return Err(CliError::Input(format!(
                "the agent frames acts on pages whose origin can be verified, not on {}: give --device web",
                self.spec()
            )));
        }
        Ok(())
    }

    /// The devices.
    ///
    /// # Errors
    /// When they cannot be had at all.
    pub async fn source(
        &self,
        browser: &BrowserArgs,
        secrets: Secrets,
        approver: Option<Arc<dyn Approver>>,
        many: Many,
    ) -> Result<Source, CliError> {
        self.only_where_it_counts()?;
        if self.platform() == Platform::Desktop {
            return self.desktops(secrets, approver);
        }
        #[cfg(feature = "android")]
        {
            let phones = match (self.spec(), many) {
                (Spec::Web | Spec::Desktop | Spec::Display(_) | Spec::Portable, _) => None,
                (Spec::Adb(None), Many::One) => Some(Phones::Only),
                (Spec::Adb(None), Many::All) => Some(Phones::All),
                (Spec::Adb(Some(serial)), _) => Some(Phones::Serial(serial)),
                (Spec::Tcp(address), _) => Some(Phones::Tcp(address)),
                (Spec::Usb(serial), _) => Some(Phones::Usb(serial)),
                (Spec::Simphone, _) => Some(Phones::Simulated),
            };
            if let Some(phones) = phones {
                let adb = adb_options(self.adb_server.as_deref())?;
                let deadline = Deadline::after(STARTS_WITHIN);
                let source =
                    AndroidSource::new(&phones, adb, self.display_id, secrets, approver, deadline).await?;
                return Ok(Source::Phones(Arc::new(source)));
            }
        }
        #[cfg(not(feature = "android"))]
        if self.spec() != Spec::Web {
            let _ = many;
            return Err(CliError::Input("this waldo was built without phones (feature android)".into()));
        }
        let options = WebOptions { secrets, ..browser.options() };
        Ok(Source::Web(Arc::new(WebSource::new(browser.origin(), options, approver))))
    }

    /// Refuses flags of one kind of device on others: a flag that does nothing is a mistake.
    fn only_where_it_counts(&self) -> Result<(), CliError> {
        let spec = self.spec();
        let own = spec == Spec::Desktop;
        let taken = matches!(spec, Spec::Display(_));
        let portable = spec == Spec::Portable;
        let phone = self.platform() == Platform::Android;
        let misplaced = [
            ("--display-id", self.display_id.is_some() && !phone, "--device android, tcp:HOST:PORT or usb"),
            ("--screen", self.screen.is_some() && !own, "--device desktop, on Linux"),
            ("--record", self.record.is_some() && !own && !taken, "--device desktop, on Linux"),
            ("--countdown", self.countdown.is_some() && !taken && !portable, "--device desktop::0"),
            ("--panic-key", self.panic_key.is_some() && !taken, "--device desktop::0, on Linux"),
        ];
        match misplaced.into_iter().find(|(_, misplaced, _)| *misplaced) {
            Some((flag, _, with)) => {
                Err(CliError::Input(format!("{flag} goes with {with}, not with {spec}")))
            }
            None => Ok(()),
        }
    }

    #[cfg(feature = "desktop")]
    fn desktops(&self, secrets: Secrets, approver: Option<Arc<dyn Approver>>) -> Result<Source, CliError> {
        if self.spec() == Spec::Portable {
            return self.portable(secrets, approver);
        }
        self.x_displays(secrets, approver)
    }

    #[cfg(feature = "portable")]
    fn portable(&self, secrets: Secrets, approver: Option<Arc<dyn Approver>>) -> Result<Source, CliError> {
        let countdown = self.countdown.unwrap_or(COUNTDOWN);
        Ok(Source::Portable(Arc::new(PortableSource::new(countdown, secrets, approver))))
    }

    #[cfg(all(feature = "desktop", not(feature = "portable")))]
    #[allow(clippy::unused_self, reason = "as where the feature is there")]
    fn portable(&self, _: Secrets, _: Option<Arc<dyn Approver>>) -> Result<Source, CliError> {
        let message = "this waldo was built without desktop::portable: cargo build --features portable";
        Err(CliError::Input(message.to_owned()))
    }

    #[cfg(all(feature = "desktop", not(target_os = "linux")))]
    fn x_displays(&self, _: Secrets, _: Option<Arc<dyn Approver>>) -> Result<Source, CliError> {
        Err(CliError::Input(format!(
            "{} is an X display, which Linux alone has: give --device desktop",
            self.spec()
        )))
    }

    #[cfg(all(feature = "desktop", target_os = "linux"))]
    fn x_displays(&self, secrets: Secrets, approver: Option<Arc<dyn Approver>>) -> Result<Source, CliError> {
        use waldo_desktop::Screen;
        if self.record.is_some() && !secrets.is_empty() {
            return Err(CliError::Input(
                "--record films what programs show, secrets too, and nothing in a video is painted over: leave \
                 out --record or --secret"
                    .into(),
            ));
        }
        if self.record.is_some() && !crate::desktop::is_there("ffmpeg") {
            let message = "--record needs ffmpeg (Debian, Ubuntu: sudo apt install ffmpeg)";
            return Err(DeviceError::Start {
                what: "a video".to_owned(),
                message: "ffmpeg is not on the path".to_owned(),
                mend: message.to_owned(),
            }
            .into());
        }
        let screen = match self.spec() {
            Spec::Display(display) => Screen::Take { display },
            _ => {
                let (width, height) = self.screen.unwrap_or((1280, 800));
                Screen::Own { width, height }
            }
        };
        let desktops = Desktops {
            screen,
            // Programs of an episode run elsewhere than this one.
            record: self.record.as_deref().map(|file| std::path::absolute(file).unwrap_or(file.to_owned())),
            countdown: self.countdown.unwrap_or(COUNTDOWN),
            panic_key: self.panic_key.clone().unwrap_or_else(|| PANIC_KEY.to_owned()),
        };
        Ok(Source::Desktops(Arc::new(DesktopSource::new(desktops, secrets, approver))))
    }

    #[cfg(not(feature = "desktop"))]
    fn desktops(&self, _: Secrets, _: Option<Arc<dyn Approver>>) -> Result<Source, CliError> {
        Err(CliError::Input("this waldo was built without desktops (feature desktop)".into()))
    }
}

impl Source {
    /// As the runner takes it.
    pub fn devices(&self) -> Arc<dyn DeviceSource> {
        match self {
            Self::Web(web) => web.clone(),
            #[cfg(feature = "android")]
            Self::Phones(phones) => phones.clone(),
            #[cfg(all(feature = "desktop", target_os = "linux"))]
            Self::Desktops(desktops) => desktops.clone(),
            #[cfg(feature = "portable")]
            Self::Portable(portable) => portable.clone(),
        }
    }

    /// What its devices are.
    ///
    /// # Errors
    /// When none can be had.
    pub async fn info(&self) -> Result<DeviceInfo, DeviceError> {
        let deadline = Deadline::after(STARTS_WITHIN);
        match self {
            Self::Web(web) => web.info(deadline).await,
            #[cfg(feature = "android")]
            Self::Phones(phones) => {
                let mut device = phones.device(deadline).await?;
                let info = device.info();
                device.close(Deadline::after(Duration::from_secs(10))).await?;
                Ok(info)
            }
            #[cfg(all(feature = "desktop", target_os = "linux"))]
            Self::Desktops(desktops) => Ok(desktops.info()),
            #[cfg(feature = "portable")]
            Self::Portable(portable) => Ok(portable.info()),
        }
    }

    /// How many of `workers` can work at once.
    pub fn workers(&self, workers: usize) -> usize {
        match self {
            Self::Web(_) => workers,
            #[cfg(feature = "android")]
            Self::Phones(phones) => phones.count().map_or(workers, |count| workers.min(count)),
            #[cfg(all(feature = "desktop", target_os = "linux"))]
            Self::Desktops(desktops) => desktops.count().map_or(workers, |count| workers.min(count)),
            #[cfg(feature = "portable")]
            Self::Portable(_) => workers.min(1),
        }
    }

    /// Ends what was started.
    pub async fn close(&self) {
        match self {
            Self::Web(web) => web.close().await,
            #[cfg(feature = "android")]
            Self::Phones(_) => {}
            #[cfg(all(feature = "desktop", target_os = "linux"))]
            Self::Desktops(_) => {}
            #[cfg(feature = "portable")]
            Self::Portable(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_read_as_it_is_written() {
        for text in [
            "web",
            "simphone",
            "android",
            "android:emulator-5554",
            "android:127.0.0.1:5601",
            "desktop",
            "desktop::0",
            "desktop::1.0",
            "desktop::portable",
        ] {
            assert_eq!(text.parse::<Spec>().unwrap().to_string(), text);
        }
        assert_eq!("usb:A1".parse::<Spec>().unwrap().to_string(), "usb:A1");
        assert_eq!("tcp:localhost:5601".parse::<Spec>().unwrap().to_string(), "tcp:127.0.0.1:5601");
        for bad in [
            "",
            "phone",
            "android:",
            "tcp:5601",
            "usb:",
            "tcp:host:x",
            "web:1",
            "desktop:",
            "desktop:0",
            "desktop::x",
        ] {
            assert!(bad.parse::<Spec>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_suite_tells_which_device_it_needs() {
        let args = DeviceArgs::default();
        assert!(args.fits("l3-web", Platform::Web).is_ok());
        let told = args.fits("l3-android", Platform::Android).unwrap_err().to_string();
        assert!(told.contains("--device simphone"), "{told}");
        let phone = DeviceArgs { device: Some(Spec::Simphone), ..args };
        assert!(phone.fits("l3-android", Platform::Android).is_ok());
        assert!(phone.fits("l3-web", Platform::Web).unwrap_err().to_string().contains("--device web"));
    }

    #[test]
    fn a_desktop_suite_wants_a_private_display() {
        let own = DeviceArgs { device: Some(Spec::Desktop), ..DeviceArgs::default() };
        assert!(own.fits("l3-desktop", Platform::Desktop).is_ok());
        let taken = DeviceArgs { device: Some(Spec::Display(":0".into())), ..DeviceArgs::default() };
        let told = taken.fits("l3-desktop", Platform::Desktop).unwrap_err().to_string();
        assert!(told.contains("--device desktop"), "{told}");
        let told = DeviceArgs::default().fits("l3-desktop", Platform::Desktop).unwrap_err().to_string();
        assert!(told.contains("--device desktop"), "{told}");
    }

    #[test]
    fn flags_of_one_device_are_refused_elsewhere() {
        let args = DeviceArgs { display_id: Some(1), ..DeviceArgs::default() };
        assert!(args.only_where_it_counts().unwrap_err().to_string().contains("--display-id goes with"));
        assert!(DeviceArgs { device: Some(Spec::Adb(None)), ..args }.only_where_it_counts().is_ok());
        let args = DeviceArgs { screen: Some((800, 600)), ..DeviceArgs::default() };
        assert!(args.only_where_it_counts().unwrap_err().to_string().contains("--screen goes with"));
        let args = DeviceArgs { device: Some(Spec::Portable), ..DeviceArgs::default() };
        assert!(DeviceArgs { countdown: Some(3), ..args.clone() }.only_where_it_counts().is_ok());
        let told = DeviceArgs { panic_key: Some("F1".into()), ..args }.only_where_it_counts().unwrap_err();
        assert!(told.to_string().contains("desktop::0, on Linux, not with desktop::portable"), "{told}");
        let args = DeviceArgs { device: Some(Spec::Desktop), countdown: Some(3), ..DeviceArgs::default() };
        assert!(args.only_where_it_counts().is_err());
        let args = DeviceArgs { device: Some(Spec::Desktop), screen: Some((800, 600)), ..args };
        assert!(DeviceArgs { countdown: None, ..args }.only_where_it_counts().is_ok());
        assert!(screen("800x600").is_ok() && screen("800").is_err() && screen("8x600").is_err());
    }
}

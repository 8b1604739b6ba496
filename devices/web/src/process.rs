//! The browser's process: found, started with its two pipes, and ended with all its children.

use std::env;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use command_fds::{CommandFdExt, FdMapping};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::net::unix::pipe;

use super::cdp::{PipeReader, PipeWriter};
use super::options::{BrowserOptions, Show};
use super::unproxied;
use waldo_devices::private_dir::{DirKind, ScratchDir};
use waldo_devices::{DeviceError, Result, child, word_list};

/// Where distributions put the program itself; their wrappers on the path add extensions and switches.
const PLACES: [&str; 6] = [
    "/usr/lib/chromium/chromium",
    "/usr/lib/chromium-browser/chromium-browser",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/// The headless shell is the same engine for half the processor time, and the last choice: pages there see moves of a
/// pointer that nobody moved, and keys of the browser itself (ctrl+t) do nothing.
const NAMES: [&str; 6] = word_list(
    "chromium chromium-browser google-chrome google-chrome-stable chrome-headless-shell \
     chromium-headless-shell",
);

/// Switches that hold for every start. The two pages behind the address bar's list are never seen here, and
/// loading them took four fifths of what a new context costs.
const SWITCHES: [&str; 30] = word_list(
    "--remote-debugging-pipe --no-startup-window --no-first-run --no-default-browser-check --no-pings \
     --no-service-autorun --disable-background-networking --disable-component-update \
     --disable-component-extensions-with-background-pages --disable-default-apps \
     --disable-domain-reliability --disable-extensions --disable-sync --disable-gpu --disable-breakpad \
     --disable-dev-shm-usage --disable-search-engine-choice-screen --disable-back-forward-cache \
     --disable-background-timer-throttling --disable-backgrounding-occluded-windows \
     --disable-renderer-backgrounding --disable-smooth-scrolling --disable-frame-rate-limit \
     --disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,\
     AutofillServerCommunication,InterestFeedContentSuggestions,HttpsUpgrades,Prerender2,\
     CertificateTransparencyComponentUpdater,GlobalMediaControls,ImprovedCookieControls,\
     LensOverlay,PasswordManagerOnboarding,AutofillEnableAccountWalletStorage,\
     WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebRtcHideLocalIpsWithMdns,NetworkTimeServiceQuerying \
     --component-updater=url-source=http://127.0.0.1:9/ --gaia-url=http://127.0.0.1:9/ \
     --force-color-profile=srgb --mute-audio --password-store=basic --site-per-process",
);

/// The folders of the browsers' profiles.
const PROFILES: DirKind = DirKind { prefix: "waldo-web-", owner: "waldo-owner" };

/// Whether browsers that are started here run in their sandbox, which refuses to work for root.
pub fn is_sandboxed() -> bool {
    !rustix::process::geteuid().is_root()
}

pub(crate) fn find(options: &BrowserOptions) -> Result<PathBuf> {
    let missing =
        |message: String| DeviceError::start("the browser", message, "install Chromium or name the program");
    if let Some(path) = &options.executable {
        return if path.is_file() {
            Ok(path.clone())
        } else {
            Err(missing(format!("{} is not a program", path.display())))
        };
    }
    let on_path = env::var_os("PATH").unwrap_or_default();
    let named = NAMES.iter().flat_map(|name| env::split_paths(&on_path).map(move |dir| dir.join(name)));
    PLACES
        .iter()
        .map(PathBuf::from)
        .chain(named)
        .find(|path| path.is_file())
        .ok_or_else(|| missing("no Chromium was found".to_owned()))
}

/// A running browser. Dropping it kills the whole process group and removes the profile.
pub(crate) struct Process {
    child: Child,
    /// Goes last, when nobody writes in it any more.
    _profile: ScratchDir,
}

impl Process {
    /// Starts the program; the pipes speak the DevTools protocol.
    pub(crate) fn spawn(program: &Path, options: &BrowserOptions) -> Result<(Self, PipeReader, PipeWriter)> {
        let io = |what: &'static str| {
            move |source: std::io::Error| DeviceError::Io { what: what.to_owned(), source }
        };
        let profile = ScratchDir::make(&env::temp_dir(), PROFILES).map_err(io("the browser's profile"))?;
        if let Some(own) = &options.profile {
            super::profile_copy::copy(own, profile.path())?;
        }
        let (child_in, ours_out) = std::io::pipe().map_err(io("a pipe to the browser"))?;
        let (ours_in, child_out) = std::io::pipe().map_err(io("a pipe from the browser"))?;

        let mut command = child::command(program);
        command.args(SWITCHES).args(unproxied::SWITCHES);
        if options.show == Show::Headless {
            command.arg("--headless=new");
        }
        if !is_sandboxed() {
            command.arg("--no-sandbox");
        }
        command
            .arg(format!("--window-size={},{}", options.window.width, options.window.height))
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .args(&options.args)
            // Its sockets' folder outlives a killed browser unless it lies in the profile.
            .env("TMPDIR", profile.path())
            // Reports of crashes would go into the folder of the user's own browser.
            .env("BREAKPAD_DUMP_LOCATION", profile.path().join("crashes"))
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
            .fd_mappings(vec![
                FdMapping { parent_fd: child_in.into(), child_fd: 3 },
                FdMapping { parent_fd: child_out.into(), child_fd: 4 },
            ])
            .map_err(|error| DeviceError::Io {
                what: "the browser's pipes".to_owned(),
                source: std::io::Error::other(error),
            })?;
        let child = command.spawn().map_err(|error| {
            DeviceError::start(program.display().to_string(), error, "check that it can be run")
        })?;
        // The child's ends live in `command`: they must go, or the pipe never reports its end.
        drop(command);
        let process = Self { child, _profile: profile };
        let reader = pipe::Receiver::from_owned_fd(ours_in.into()).map_err(io("a pipe from the browser"))?;
        let writer = pipe::Sender::from_owned_fd(ours_out.into()).map_err(io("a pipe to the browser"))?;
        Ok((process, PipeReader::new(reader), PipeWriter::new(writer)))
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

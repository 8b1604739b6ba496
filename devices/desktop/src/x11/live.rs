//! One live display: its threads, its accessibility, its guard, and the programs that are started on it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use super::access::Access;
use super::authority::DisplayAddress;
use super::display::OwnDisplay;
use super::display_state::{DisplayState, DisplayThread};
use super::film;
use super::input::Bindings;
use super::options::{DesktopOptions, DisplayChoice};
use super::process::start;
use super::settle::wanted;
use super::video::{VideoRecording, reserve};
use super::watch::{Signs, Watcher, wait_for};
use super::windows::{Window, stack};
use super::x::X;
use crate::awaited::Awaited;
use crate::chord::Chord;
use crate::guard::{Owner, WindowGuard};
use crate::launch::{Program, name_of, named, words};
use waldo_devices::{Deadline, DeviceError, Frames, Geometry, Launch, ResetTo, Result, Secrets, child};

/// How long a look lasts before a program's life is looked after too.
const LOOK: Duration = Duration::from_millis(150);

/// How long a window must rest for its program to count as started, where it came at once, and where it took long.
const LEAST_REST: Duration = Duration::from_millis(100);
const MOST_REST: Duration = Duration::from_millis(400);
const START_LOOK: Duration = Duration::from_millis(50);
/// How long a program may fill its window at least, where it came at once.
const FILLS_WITHIN: Duration = Duration::from_secs(2);
/// The part of the time that a program may want the processor and still count as resting.
const BUSY_SHARE: u32 = 4;

enum DisplayOwner {
    Own(Box<OwnDisplay>),
    Person { place: DisplayAddress, children: Vec<std::process::Child> },
}

/// A live display. Dropping it ends what was started.
pub(crate) struct DisplaySession {
    film: Option<AbortOnDropHandle<()>>,
    recording: Option<VideoRecording>,
    pub(crate) thread: DisplayThread,
    watcher: Watcher,
    pub(crate) access: Option<Access>,
    pub(crate) window_guard: WindowGuard,
    pub(crate) geometry: Geometry,
    ground: DisplayOwner,
}

impl DisplaySession {
    pub(crate) async fn start(options: &DesktopOptions, to: &ResetTo, deadline: Deadline) -> Result<Self> {
        let owner = match options.screen {
            DisplayChoice::Own { .. } => Owner::Own,
            DisplayChoice::Take { .. } => Owner::Person,
        };
        let window_guard = WindowGuard::new(&to.policy, owner)?;
        let (ground, bus) = match &options.screen {
            DisplayChoice::Own { width, height } => {
                let (own, access) = Self::private((*width, *height), options, to, deadline).await?;
                (DisplayOwner::Own(Box::new(own)), access)
            }
            DisplayChoice::Take { display } => {
                let ground =
                    DisplayOwner::Person { place: DisplayAddress::users(display), children: Vec::new() };
                (ground, connect(session_bus(), &options.secrets, deadline).await)
            }
        };
        let place = match &ground {
            DisplayOwner::Own(own) => own.place().clone(),
            DisplayOwner::Person { place, .. } => place.clone(),
        };
        let bindings = match owner {
            Owner::Own => Bindings::Keep,
            Owner::Person => Bindings::Restore,
        };
        let there = place.clone();
        let thread =
            DisplayThread::start("waldo-display", move || DisplayState::open(&there, bindings), deadline)
                .await?;
        let watcher = Watcher::start(&place)?;
        let size = thread.ask("the screen's size", deadline, |s| s.x.size()).await?;
        let recording = match &options.record {
            // Whoever asked for both: nothing in a video is painted over.
            Some(_) if !options.secrets.is_empty() => {
                let why = "it would film what programs show of secrets";
                return Err(DeviceError::start("a video", why, "leave out the video or the secrets"));
            }
            Some(file) => {
                let (place, file) = (place.clone(), reserve(file)?);
                let begun = blocking(move || VideoRecording::start(&place, size, &file, deadline));
                Some(within("the video to begin", deadline, begun).await??)
            }
            None => None,
        };
        let geometry = Geometry::new(f64::from(size.0), f64::from(size.1), 1.0);
        Ok(Self { film: None, recording, thread, watcher, access: bus, window_guard, geometry, ground })
    }

    async fn private(
        (width, height): (u32, u32),
        options: &DesktopOptions,
        to: &ResetTo,
        deadline: Deadline,
    ) -> Result<(OwnDisplay, Option<Access>)> {
        let (setup, sandbox) = (to.desktop.clone(), options.sandbox);
        let started = blocking(move || {
            let sandboxing = sandbox.decide().map_err(|message| DeviceError::Start {
                what: "the sandbox of a private display".to_owned(),
                message,
                hint: "waldo doctor says whether it works".to_owned(),
            })?;
            OwnDisplay::start(width, height, &sandboxing, &setup, deadline)
        });
        let own = within("a private display", deadline, started).await??;
        let (bus, space) = (own.bus().to_owned(), own.sandbox().map(|sandbox| sandbox.space().clone()));
        let files = to.desktop.files.clone();
        let managed = blocking(move || {
            let mut own = own;
            let x = X::connect(own.place())?;
            own.await_manager(&x, deadline)?;
            own.lay(&files)?;
            Ok::<_, DeviceError>(own)
        });
        let heard = async {
            let access = Access::connect(&bus, space, &options.secrets, deadline).await?;
            access.enable(deadline).await?;
            Ok::<_, DeviceError>(access)
        };
        let (own, access) = tokio::join!(within("the window manager", deadline, managed), heard);
        Ok((own??, Some(access?)))
    }

    /// Whether all that the display is made of is what it was at the start.
    pub(crate) async fn health(&mut self, deadline: Deadline) -> Result<()> {
        if let DisplayOwner::Own(own) = &mut self.ground {
            own.parts()?;
        }
        self.thread.ask("the X server", deadline, |s| s.x.sync()).await?;
        match &self.access {
            Some(access) => access.health(deadline).await,
            None => Ok(()),
        }
    }

    pub(crate) fn signs(&self) -> watch::Receiver<Signs> {
        self.watcher.signs()
    }

    pub(crate) async fn windows(&self, deadline: Deadline) -> Result<Vec<Window>> {
        self.thread.ask("the windows", deadline, |s| stack(&s.x)).await
    }

    pub(crate) fn display(&self) -> String {
        self.place().name.clone()
    }

    fn place(&self) -> &DisplayAddress {
        match &self.ground {
            DisplayOwner::Own(own) => own.place(),
            DisplayOwner::Person { place, .. } => place,
        }
    }

    /// Films the display for whoever watches there; `None` ends that.
    pub(crate) fn film(&mut self, to: Option<Frames>) {
        self.film = to.map(|to| film::start(self.place().clone(), self.watcher.signs(), to));
    }

    /// The X server's process, where it is a private one.
    pub(crate) fn server_pid(&self) -> Option<u32> {
        match &self.ground {
            DisplayOwner::Own(own) => own.server_pid(),
            DisplayOwner::Person { .. } => None,
        }
    }

    pub(crate) fn folder(&self) -> Option<PathBuf> {
        match &self.ground {
            DisplayOwner::Own(own) => own.home().parent().map(Path::to_owned),
            DisplayOwner::Person { .. } => None,
        }
    }

    /// Whether programs of the display see what lies at `path` of this machine.
    pub(crate) fn shows(&self, path: &Path) -> bool {
        match &self.ground {
            DisplayOwner::Own(own) => own.sandbox().is_none_or(|sandbox| sandbox.shows(path)),
            DisplayOwner::Person { .. } => true,
        }
    }

    pub(crate) fn home(&self) -> PathBuf {
        match &self.ground {
            DisplayOwner::Own(own) => own.home().to_owned(),
            DisplayOwner::Person { .. } => std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default(),
        }
    }

    pub(crate) fn answers(&self, chords: &[Chord]) -> bool {
        matches!(&self.ground, DisplayOwner::Own(own) if chords.iter().any(|chord| own.answers(chord)))
    }

    pub(crate) fn command(&self, program: &Path) -> Command {
        use std::os::unix::process::CommandExt as _;
        let name = name_of(program);
        match &self.ground {
            DisplayOwner::Own(own) => own.command(program, &name),
            DisplayOwner::Person { place, .. } => {
                let mut command = child::command(program);
                command.env("DISPLAY", &place.name).process_group(0);
                // A session without assistive technology leaves them out.
                command.env("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1").env("ACCESSIBILITY_ENABLED", "1");
                command.env("GNOME_ACCESSIBILITY", "1");
                command.stdin(std::process::Stdio::null());
                command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
                command
            }
        }
    }

    fn spawn(&mut self, command: &mut Command) -> Result<u32> {
        match &mut self.ground {
            DisplayOwner::Own(own) => own.house().spawn(command),
            DisplayOwner::Person { children, .. } => {
                children.retain_mut(|child| !matches!(child.try_wait(), Ok(Some(_))));
                let child = start(command)?;
                let pid = child.id();
                children.push(child);
                Ok(pid)
            }
        }
    }

    /// How a program that was started ended, and what it printed.
    fn ended(&mut self, pid: u32, name: &str) -> Option<(std::process::ExitStatus, String)> {
        match &mut self.ground {
            DisplayOwner::Own(own) => {
                let status = own.house().ended(pid)?;
                Some((status, own.house().output_tail(name)))
            }
            DisplayOwner::Person { children, .. } => {
                let child = children.iter_mut().find(|child| child.id() == pid)?;
                Some((child.try_wait().ok().flatten()?, String::new()))
            }
        }
    }

    /// Processes that were started here, with all that they started.
    pub(crate) fn members(&mut self) -> Vec<u32> {
        match &mut self.ground {
            DisplayOwner::Own(own) => own.house().members(),
            DisplayOwner::Person { children, .. } => children.iter().map(std::process::Child::id).collect(),
        }
    }

    /// Starts a program and waits until a window comes that was not there before; gives it.
    pub(crate) async fn launch(&mut self, program: &Program, deadline: Deadline) -> Result<Window> {
        let began = Instant::now();
        let mut signs = self.signs();
        let before = self.windows(deadline).await?;
        let mut awaited = Awaited::new(name_of(&program.path), &before, deadline);
        let mut command = self.command(&program.path);
        command.args(program.exposed());
        let pid = self.spawn(&mut command)?;
        loop {
            let seen = signs.borrow_and_update().windows;
            let windows = self.windows(deadline).await?;
            let ended = self.ended(pid, awaited.name());
            if let Some(window) = awaited.look(windows, ended)? {
                let pids: Vec<u32> = [Some(pid), window.pid].into_iter().flatten().collect();
                // What took long to come takes long to fill, too, and pauses longer while it does.
                let came = began.elapsed();
                let (rest, bound) = ((came / 4).clamp(LEAST_REST, MOST_REST), came.max(FILLS_WITHIN));
                self.rest_after_start(&pids, rest, deadline.at_most(bound)).await?;
                return Ok(window);
            }
            let news =
                wait_for(&mut signs, deadline.at_most(LOOK), |now| now.windows != seen || now.gone).await;
            if news && signs.borrow().gone {
                return Err(super::x::gone("it ended"));
            }
        }
    }

    /// Waits until a start is over, `bound` at most: as long as `rest` no window came, went or moved, nothing was drawn,
    /// and the program did not compute.
    async fn rest_after_start(&self, pids: &[u32], rest: Duration, bound: Deadline) -> Result<()> {
        let mut signs = self.signs();
        let mut calm = Instant::now();
        while calm.elapsed() < rest && !bound.passed() {
            let seen = *signs.borrow_and_update();
            let (work, since) = (wanted(pids), Instant::now());
            let changed = |now: &Signs| now.draws != seen.draws || now.windows != seen.windows || now.gone;
            let news = wait_for(&mut signs, bound.at_most(START_LOOK), changed).await;
            if signs.borrow().gone {
                return Err(super::x::gone("it ended"));
            }
            // What draws at once is looked at less often.
            tokio::time::sleep_until((since + START_LOOK).into()).await;
            if news || wanted(pids).saturating_sub(work) > since.elapsed() / BUSY_SHARE {
                calm = Instant::now();
            }
        }
        Ok(())
    }

    pub(crate) async fn prepare(
        &mut self,
        to: &ResetTo,
        patience: Duration,
        deadline: Deadline,
    ) -> Result<()> {
        let mut programs = to.desktop.programs.clone();
        if !to.start.is_empty() {
            programs.push(Launch::Window(words(&to.start)));
        }
        for launch in programs {
            match launch {
                Launch::Window(line) => {
                    let program = self.program(&line)?;
                    self.launch(&program, deadline.at_most(patience)).await?;
                }
                Launch::Background(line) => {
                    let program = self.program(&line)?;
                    let mut command = self.command(&program.path);
                    self.spawn(command.args(program.exposed()))?;
                }
                Launch::Finish(line) => {
                    let program = self.program(&line)?;
                    let mut command = self.command(&program.path);
                    command.args(&program.args);
                    let shown = name_of(&program.path);
                    super::shell::run(command, &shown, deadline).await?.ok(&shown)?;
                }
            }
        }
        Ok(())
    }

    fn program(&self, line: &[String]) -> Result<Program> {
        named(line, &self.home().display().to_string())
    }

    /// Ends the display. The video is finished first.
    pub(crate) async fn end(self, deadline: Deadline) {
        let ended = blocking(move || drop(self));
        let _ = within("the end of a display", deadline, ended).await;
    }
}

impl Drop for DisplaySession {
    fn drop(&mut self) {
        self.film = None;
        self.recording = None;
        if let DisplayOwner::Person { children, .. } = &mut self.ground {
            for child in children {
                super::process::signal_group(child.id(), rustix::process::Signal::TERM);
                if !super::process::gone_by(child, std::time::Instant::now() + Duration::from_secs(1)) {
                    super::process::signal_group(child.id(), rustix::process::Signal::KILL);
                }
                let _ = child.wait();
            }
        }
    }
}

fn session_bus() -> Option<String> {
    std::env::var("DBUS_SESSION_BUS_ADDRESS").ok().or_else(|| {
        let path = format!("/run/user/{}/bus", rustix::process::getuid().as_raw());
        Path::new(&path).exists().then(|| format!("unix:path={path}"))
    })
}

/// Accessibility where there is some: a display without it still shows pictures.
async fn connect(bus: Option<String>, secrets: &Secrets, deadline: Deadline) -> Option<Access> {
    let connected = Access::connect(&bus?, None, secrets, deadline.at_most(Duration::from_secs(3))).await;
    connected
        .inspect_err(|error| tracing::warn!(%error, "no accessibility: elements come from the picture"))
        .ok()
}

async fn blocking<T: Send + 'static>(job: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    Ok(tokio::task::spawn_blocking(job).await?)
}

async fn within<T>(what: &str, deadline: Deadline, done: impl Future<Output = Result<T>>) -> Result<T> {
    let left = deadline.left();
    // What is begun at the last moment gets a moment more to tell by itself what was late.
    let last = deadline.instant() + Duration::from_millis(100);
    tokio::time::timeout_at(last, done)
        .await
        .unwrap_or_else(|_| Err(DeviceError::Timeout { what: what.to_owned(), after: left }))
}

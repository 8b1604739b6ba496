//! A private display: an X server without a screen, a window manager, a session bus with accessibility, a
//! HOME of its own. Up in about a tenth of a second, one for every episode.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use x11rb::protocol::xproto::{AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask};

use super::authority::{Authority, DisplayAddress};
use super::process::{broken, first_line, io, start};
use super::process_home::ProcessHome;
use super::sandbox::Sandbox;
use super::sandboxing::Sandboxing;
use super::session_bus::start_bus;
use super::windows::on_root;
use super::x::{X, socket};
use crate::chord::{Chord, Modifier};
use crate::x11::x::Answered as _;
use waldo_devices::{Deadline, DesktopSetup, DeviceError, HomeFile, Result};

/// The colour of the empty desktop.
const GROUND: u32 = 0x0041_5a6b;
/// How long a look at a condition lasts before the process behind it is looked after too.
const LOOK: std::time::Duration = std::time::Duration::from_millis(100);

/// What the window manager does: click to focus and raise, title bars that move, Alt+Tab and Alt+F4.
/// Nothing opens on the empty desktop.
const OPENBOX: &str = include_str!("openbox.xml");

/// A private display. Dropping it ends everything on it.
pub(crate) struct OwnDisplay {
    house: ProcessHome,
    place: DisplayAddress,
    bus: String,
    home: PathBuf,
    env: BTreeMap<String, String>,
    manager: u32,
    bus_daemon: u32,
    chords: Vec<Chord>,
}

impl OwnDisplay {
    /// Starts server, bus and window manager; the window manager may still be on its way.
    pub(crate) fn start(
        width: u32,
        height: u32,
        sandboxing: &Sandboxing,
        setup: &DesktopSetup,
        deadline: Deadline,
    ) -> Result<Self> {
        let mut chords = Vec::with_capacity(setup.chords.len());
        let mut bindings = String::new();
        for (chord, line) in &setup.chords {
            let (chord, binding) = bound(chord, line)?;
            chords.push(chord);
            bindings.push_str(&binding);
        }
        let mut house = ProcessHome::new()?;
        let home = house.make("home")?;
        let run = house.make("run")?;
        let temp = house.make("tmp")?;
        let authority = Authority::make(house.folder())?;
        let (server, name) = start_server(&house, &authority, width, height, deadline)?;
        house.keep(server, socket(&name))?;
        if *sandboxing == Sandboxing::On {
            house.enclose(&socket(&name), deadline).map_err(|said| broken("sandbox", said))?;
        }
        let bus = format!("unix:path={}/bus", run.display());
        let env = environment(&home, &run, &temp, (&name, &authority), &bus, &setup.env);
        let bus_daemon = start_bus(&mut house, &env, &bus, deadline)?;
        let place = DisplayAddress { name, authority: Some(authority) };
        let config = house.folder().join("openbox.xml");
        std::fs::write(&config, OPENBOX.replace("{CHORDS}", &bindings))
            .map_err(io("the window manager's configuration"))?;
        let mut manager = house.inside(Path::new("openbox"), "openbox");
        // At every change of the keyboard map it opens an input method anew, and parses a large file for it.
        manager
            .envs(&env)
            .env("XCOMPOSEFILE", "/dev/null")
            .arg("--sm-disable")
            .arg("--config-file")
            .arg(&config);
        let manager = house.spawn(&mut manager)?;
        Ok(Self { house, place, bus, home, env, manager, bus_daemon, chords })
    }

    pub(crate) fn await_manager(&mut self, x: &X, deadline: Deadline) -> Result<()> {
        let listen = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        x.conn.change_window_attributes(x.root, &listen.background_pixel(GROUND)).answered()?;
        x.conn.clear_area(false, x.root, 0, 0, 0, 0).answered()?;
        loop {
            let found = on_root(x, x.atoms._NET_SUPPORTING_WM_CHECK, AtomEnum::WINDOW)?;
            let lists = on_root(x, x.atoms._NET_CLIENT_LIST, AtomEnum::WINDOW)?;
            if found.is_some_and(|found| found.len() == 1) && lists.is_some() {
                break;
            }
            if let Some(status) = self.house.ended(self.manager) {
                let said = self.house.output_tail("openbox");
                return Err(broken("openbox", format!("it ended ({status}): {said}")));
            }
            if deadline.passed() {
                return Err(DeviceError::timeout("the window manager", deadline.left()));
            }
            x.event(deadline.at_most(LOOK))?;
        }
        let quiet = ChangeWindowAttributesAux::new().event_mask(EventMask::NO_EVENT);
        x.conn.change_window_attributes(x.root, &quiet).answered()?;
        x.sync()
    }

    pub(crate) fn place(&self) -> &DisplayAddress {
        &self.place
    }

    pub(crate) fn bus(&self) -> &str {
        &self.bus
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    pub(crate) fn answers(&self, chord: &Chord) -> bool {
        self.chords.iter().any(|own| own.is_like(chord))
    }

    pub(crate) fn house(&mut self) -> &mut ProcessHome {
        &mut self.house
    }

    pub(crate) fn sandbox(&self) -> Option<&Sandbox> {
        self.house.sandbox()
    }

    pub(crate) fn server_pid(&self) -> Option<u32> {
        self.house.server_pid()
    }

    /// Whether the programs that make a display of it still run.
    pub(crate) fn parts(&mut self) -> Result<()> {
        for (pid, what) in [(self.manager, "window manager (openbox)"), (self.bus_daemon, "session bus")] {
            if !self.house.runs(pid) {
                return Err(DeviceError::Gone { reason: format!("the display's {what} has ended") });
            }
        }
        Ok(())
    }

    pub(crate) fn command(&self, program: &Path, log: &str) -> Command {
        let mut command = self.house.inside(program, log);
        command.envs(&self.env).current_dir(&self.home);
        command
    }

    pub(crate) fn lay(&self, files: &[HomeFile]) -> Result<()> {
        files.iter().try_for_each(|file| lay(&self.home, file))
    }
}

/// A chord that starts a program, and the window manager's words for it.
fn bound(chord: &str, line: &str) -> Result<(Chord, String)> {
    let bad = || DeviceError::BadArgument {
        what: format!("chord '{chord}'"),
        message: "a desktop answers to one letter or digit with modifiers, such as ctrl+alt+t".to_owned(),
    };
    let [read] = <[Chord; 1]>::try_from(Chord::parse(chord)?).map_err(|_| bad())?;
    let key = read.key.and_then(char::from_u32).filter(char::is_ascii_alphanumeric).ok_or_else(bad)?;
    let held = read.modifiers.iter().map(|modifier| match modifier {
        Modifier::Control => "C-",
        Modifier::Alt => "A-",
        Modifier::Shift => "S-",
        Modifier::Super => "W-",
    });
    let (held, line) = (held.collect::<String>(), line.replace('&', "&amp;").replace('<', "&lt;"));
    // What the window manager itself was started with is not for others.
    let action = format!("<action name=\"Execute\"><command>env -u XCOMPOSEFILE {line}</command></action>");
    Ok((read, format!("<keybind key=\"{held}{key}\">{action}</keybind>")))
}

/// What is the same for every display. Settings are a file of HOME that a check can read. The services behind portals and
/// volumes are not offered; nothing waits for them, and nothing is mounted. GTK 2 tells of its widgets where Debian's
/// libgail-common and libatk-adaptor are there; later ones pass over it. There is no graphics card: what draws by one
/// leaves windows unpainted.
const FIXED: &str = "SHELL=/bin/sh LANG=C.UTF-8 XDG_SESSION_TYPE=x11 XDG_CURRENT_DESKTOP=Openbox \
     GSETTINGS_BACKEND=keyfile GTK_USE_PORTAL=0 GIO_USE_VFS=local GIO_USE_VOLUME_MONITOR=unix \
     GVFS_DISABLE_FUSE=1 GTK_A11Y=atspi GTK_MODULES=gail:atk-bridge GDK_BACKEND=x11 GSK_RENDERER=cairo \
     QT_QPA_PLATFORM=xcb QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 ACCESSIBILITY_ENABLED=1 GNOME_ACCESSIBILITY=1 \
     SAL_USE_VCLPLUGIN=gtk3 LIBGL_ALWAYS_SOFTWARE=1";

fn environment(
    home: &Path,
    run: &Path,
    temp: &Path,
    (display, authority): (&str, &Authority),
    bus: &str,
    more: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let inside = |part: &str| home.join(part).display().to_string();
    let user = || if rustix::process::getuid().is_root() { "root" } else { "user" }.to_owned();
    let fixed = [
        ("HOME", home.display().to_string()),
        ("USER", user()),
        ("LOGNAME", user()),
        ("DISPLAY", display.to_owned()),
        ("XAUTHORITY", authority.file().display().to_string()),
        ("TMPDIR", temp.display().to_string()),
        ("XDG_RUNTIME_DIR", run.display().to_string()),
        ("XDG_CONFIG_HOME", inside(".config")),
        ("XDG_DATA_HOME", inside(".local/share")),
        ("XDG_STATE_HOME", inside(".local/state")),
        ("XDG_CACHE_HOME", inside(".cache")),
        ("DBUS_SESSION_BUS_ADDRESS", bus.to_owned()),
    ];
    let same = FIXED.split(' ').filter_map(|set| set.split_once('='));
    let same = same.map(|(name, value)| (name, value.to_owned()));
    let mut env: BTreeMap<String, String> =
        fixed.into_iter().chain(same).map(|(name, value)| (name.to_owned(), value)).collect();
    let at_home = home.display().to_string();
    for (name, value) in more {
        env.insert(name.clone(), value.replace("{HOME}", &at_home));
    }
    env
}

/// Starts the server, which chooses a free number by itself.
fn start_server(
    house: &ProcessHome,
    authority: &Authority,
    width: u32,
    height: u32,
    deadline: Deadline,
) -> Result<(Child, String)> {
    let mut command = house.command("Xvfb", "xvfb");
    command
        .args(["-displayfd", "1", "-screen", "0", &format!("{width}x{height}x24"), "-dpi", "96"])
        // The name that lies in no folder stays: it wants the cookie too, and without it servers that start at the
        // same time would take each other's number, and anybody could answer clients that look there first.
        .args(["-nolisten", "tcp", "-noreset", "-auth"])
        .arg(authority.file())
        .args(["+extension", "RANDR", "+extension", "XTEST", "+extension", "MIT-SHM"])
        .env("HOME", house.folder())
        .stdout(Stdio::piped());
    let mut server = start(&mut command)?;
    let number = server.stdout.take().and_then(|mut out| first_line(&mut out, deadline));
    let Some(number) = number.and_then(|line| line.trim().parse::<u32>().ok()) else {
        let _ = server.kill();
        let _ = server.wait();
        if deadline.passed() {
            return Err(DeviceError::Timeout { what: "Xvfb to start".to_owned(), after: deadline.left() });
        }
        let said = house.output_tail("xvfb");
        return Err(broken(
            "Xvfb",
            format!("it named no display: {said}; check that it can write to /tmp/.X11-unix"),
        ));
    };
    Ok((server, format!(":{number}")))
}

fn lay(home: &Path, file: &HomeFile) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Component;
    let plain = file.path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !plain || file.path.as_os_str().is_empty() {
        return Err(DeviceError::BadArgument {
            what: format!("file '{}'", file.path.display()),
            message: "a path counts from HOME, without '..'".to_owned(),
        });
    }
    let path = home.join(&file.path);
    let done = || {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&path, &file.content)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(file.mode))
    };
    done().map_err(io(&format!("the file '{}' of HOME", file.path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chord_is_told_to_the_window_manager_in_its_words() {
        let (chord, said) = bound("Ctrl + Alt + T", "sh -c 'a && b < c'").unwrap();
        assert!(chord.is_like(&Chord::parse("ctrl+alt+t").unwrap()[0]));
        assert!(said.contains("-u XCOMPOSEFILE sh -c 'a &amp;&amp; b &lt; c'</command>"), "{said}");
        assert!(said.starts_with("<keybind key=\"C-A-"), "{said}");
        for wrong in ["ctrl+Enter", "ctrl", "ctrl+k ctrl+t", "ctrl+\u{fc}"] {
            assert!(bound(wrong, "true").unwrap_err().to_string().contains("such as ctrl+alt+t"), "{wrong}");
        }
    }
}

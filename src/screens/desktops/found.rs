//! The desktops that can be had here.

use super::super::finding::{DeviceEntry, Finding};

/// Each desktop with its name, and whether it is ready.
pub async fn list(platform: &'static str) -> Vec<DeviceEntry> {
    let mut all = on_x(platform);
    all.extend(portable::list(platform).await);
    all
}

pub async fn examine() -> Vec<Finding> {
    let mut findings = x11::examine().await;
    findings.extend(portable::examine().await);
    findings
}

fn on_x(platform: &'static str) -> Vec<DeviceEntry> {
    x11::list()
        .into_iter()
        .map(|(product, device, ready)| DeviceEntry::new(platform, &product, &device, ready))
        .collect()
}

#[cfg(all(feature = "desktop", target_os = "linux"))]
mod x11 {
    use waldo_desktop::Sandboxing;
    use waldo_devices::count::count;
    use waldo_tasks::suite::{Suite, builtin_ids};

    use super::super::programs::is_there;
    use super::super::x11::{missing, sandboxing, try_out};
    use crate::screens::finding::Finding;

    /// What it is, its `--device`, and whether it is ready.
    pub fn list() -> Vec<(String, String, bool)> {
        let gone = missing();
        let packages: Vec<&str> = gone.iter().map(|(_, package, _)| *package).collect();
        let own = match packages.is_empty() {
            true => "a private display for each episode".to_owned(),
            false => format!("a private display, once these are installed: {}", packages.join(" ")),
        };
        let mut all = vec![(own, "desktop".to_owned(), packages.is_empty())];
        let display = crate::environment::var("DISPLAY").filter(|display| display.starts_with(':'));
        if let Some(display) = display {
            all.push((format!("the display {display}, somebody's"), format!("desktop:{display}"), true));
        }
        all
    }

    /// Desktops need programs that nothing else does, so that their absence is not a fault; a display that does not
    /// start although all are here is one.
    pub async fn examine() -> Vec<Finding> {
        let gone = missing();
        let mut findings = Vec::new();
        if gone.is_empty() {
            let deadline = waldo_devices::Deadline::after(std::time::Duration::from_secs(30));
            let hint = "look into the message; scripts/setup installs all parts";
            findings.push(Finding::of("desktop", try_out(deadline).await, hint));
        } else {
            let named: Vec<String> =
                gone.iter().map(|(program, _, use_)| format!("{program} ({use_})")).collect();
            let packages: Vec<&str> = gone.iter().map(|(_, package, _)| *package).collect();
            findings.push(Finding::lacks(
                "desktop",
                format!("private displays need {}", named.join(", ")),
                "no task on a desktop can be played, and l4-devices only in part",
                format!("Debian, Ubuntu: sudo apt install {}", packages.join(" ")),
            ));
        }
        findings.push(match sandboxing() {
            Sandboxing::On => {
                Finding::note("desktop sandbox", "programs of private displays run in a sandbox".to_owned())
            }
            Sandboxing::Off { why } => Finding::lacks(
                "desktop sandbox",
                why,
                "programs of private displays can reach your files, and rewrite results",
                "docs/safety.md says how to allow it; --sandbox required refuses to start without it",
            ),
        });
        findings.push(suites());
        findings.push(match is_there("ffmpeg") {
            true => Finding::note("video", "ffmpeg is here".to_owned()),
            false => Finding::lacks(
                "video",
                "ffmpeg is not here",
                "no --record of a desktop, and no export to mp4 and webm",
                "Debian, Ubuntu: sudo apt install ffmpeg",
            ),
        });
        findings
    }

    /// What of the built-in suites cannot be played here, and why: better known before.
    fn suites() -> Finding {
        const WHAT: &str = "desktop suites";
        let mut missing: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
        let (mut tasks, mut gone) = (0, 0);
        for suite in builtin_ids().into_iter().filter_map(|id| Suite::builtin(id).ok()) {
            for task in suite.tasks.iter().filter(|task| task.platform.has_programs()) {
                tasks += 1;
                let lacks: Vec<String> = task.programs().into_iter().filter(|name| !is_there(name)).collect();
                gone += usize::from(!lacks.is_empty());
                lacks.into_iter().for_each(|name| *missing.entry(name).or_default() += 1);
            }
        }
        if gone == 0 {
            return Finding::note(WHAT, format!("{tasks} of {} can be played", count(tasks, "task")));
        }
        let named: Vec<String> =
            missing.iter().map(|(name, n)| format!("{name} ({})", count(*n, "task"))).collect();
        Finding::lacks(
            WHAT,
            format!("{} for {gone} of {}", named.join(", "), count(tasks, "task")),
            "these tasks are left out",
            "install the programs that are named",
        )
    }
}

#[cfg(all(feature = "desktop", not(target_os = "linux")))]
mod x11 {
    use crate::screens::finding::Finding;

    pub fn list() -> Vec<(String, String, bool)> {
        Vec::new()
    }

    pub async fn examine() -> Vec<Finding> {
        let found = "private displays, --record and --panic-key need Linux".to_owned();
        vec![Finding::note("desktop", found)]
    }
}

#[cfg(not(feature = "desktop"))]
mod x11 {
    use crate::screens::finding::Finding;

    pub fn list() -> Vec<(String, String, bool)> {
        Vec::new()
    }

    pub async fn examine() -> Vec<Finding> {
        Vec::new()
    }
}

#[cfg(feature = "portable")]
mod portable {
    use waldo_devices::DeviceError;

    use super::super::portable::screens;
    use crate::screens::finding::{DeviceEntry, Finding};

    const WHAT: &str = "desktop::portable";

    pub async fn list(platform: &'static str) -> Option<DeviceEntry> {
        let found = screens().await.ok()?;
        let product = format!("the screen of this session ({found}), somebody's");
        Some(super::DeviceEntry::new(platform, &product, "desktop::portable", true))
    }

    /// A session without a screen is not a fault where there are private ones.
    pub async fn examine() -> Option<Finding> {
        let screens = screens().await;
        let costs = "the screen of this session cannot be driven; private displays can";
        Some(match screens {
            Err(DeviceError::Start { message, hint, .. }) if cfg!(target_os = "linux") => {
                Finding::lacks(WHAT, message, costs, hint)
            }
            screens => Finding::of(WHAT, screens, "waldo needs a session with a screen here"),
        })
    }
}

#[cfg(not(feature = "portable"))]
mod portable {
    use crate::screens::finding::{DeviceEntry, Finding};

    pub async fn list(_: &'static str) -> Option<DeviceEntry> {
        None
    }

    pub async fn examine() -> Option<Finding> {
        None
    }
}

//! What programs of a private display can reach of the machine, and that it is more without the sandbox.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use waldo_desktop::{DesktopDevice, DesktopOptions, SandboxChoice};
use waldo_devices::{Device, DeviceError, StateProbe};

use crate::support::*;

async fn desk_in(sandbox: SandboxChoice) -> DesktopDevice {
    let mut device = DesktopDevice::new(DesktopOptions { sandbox, ..small() });
    device.reset(&with(""), soon()).await.unwrap();
    device
}

/// What programs of a display reach of a run's folder, of another episode's HOME and of the user's, and which
/// processes they see.
struct Reached {
    read: Vec<&'static str>,
    changed: Vec<&'static str>,
    processes: String,
}

async fn reached(sandbox: SandboxChoice) -> Reached {
    let run = tempfile::tempdir().unwrap();
    // The user's real one, whatever it holds.
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap();
    let own = tempfile::tempdir_in(&home).unwrap();
    let other = desk_in(sandbox).await;
    let other_home = other.folder().unwrap().join("home");
    let mut device = desk_in(sandbox).await;
    let (mut read, mut changed) = (Vec::new(), Vec::new());
    for (what, folder) in [("run", run.path()), ("home", own.path()), ("other episode", other_home.as_path())]
    {
        let file = folder.join("result.json");
        std::fs::write(&file, "0.0").unwrap();
        let path = file.display();
        if shell(&mut device, &format!("cat {path} 2>&1 || true")).await == "0.0" {
            read.push(what);
        }
        // Also through what the processes of others have open, and the folders that they are in.
        let line = format!(
            "echo 1.0 >{path}; for p in /proc/[0-9]*; do echo 1.0 >$p/root{path}; done 2>/dev/null; true"
        );
        let _ = shell(&mut device, &line).await;
        if std::fs::read_to_string(&file).unwrap() != "0.0" {
            changed.push(what);
        }
    }
    let processes = shell(&mut device, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '; true").await;
    Reached { read, changed, processes }
}

fn own_name() -> String {
    std::env::current_exe().unwrap().file_name().unwrap().to_string_lossy().into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_reach_neither_waldo_nor_runs_nor_homes_of_others() {
    let with = reached(SandboxChoice::Required).await;
    assert_eq!((&with.read[..], &with.changed[..]), (&[""; 0][..], &[""; 0][..]));
    assert!(with.processes.contains("openbox"), "{}", with.processes);
    for hidden in [own_name().as_str(), "Xvfb", "waldo-keeper"] {
        assert!(!with.processes.contains(hidden), "{hidden} is seen: {}", with.processes);
    }
    // The same without: what is tried would have been seen.
    let without = reached(SandboxChoice::Off).await;
    let all = ["run", "home", "other episode"];
    assert_eq!((&without.read[..], &without.changed[..]), (&all[..], &all[..]));
    assert!(without.processes.contains(&own_name()) && without.processes.contains("Xvfb"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_system_cannot_be_written_and_no_terminal_is_there() {
    let mut device = desk_in(SandboxChoice::Required).await;
    let line = "for f in /usr /etc /opt / /proc/sys/kernel; do touch $f/waldo-was-here 2>/dev/null && echo $f; done; \
                (: </dev/tty) 2>/dev/null && echo terminal; mount -t tmpfs none /usr 2>/dev/null && echo mounts; \
                kill -0 1 2>/dev/null; sed -n 's/^CapEff:.//p' /proc/self/status";
    let said = shell(&mut device, line).await;
    let root = rustix::process::geteuid().is_root();
    assert_eq!(said, if root { "00000000000000cb" } else { "0000000000000000" });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_leads_a_check_nowhere_that_programs_could_not_go() {
    for (sandbox, seen) in [(SandboxChoice::Required, None), (SandboxChoice::Off, Some(b"secret".to_vec()))] {
        let elsewhere = tempfile::tempdir().unwrap();
        let secret = elsewhere.path().join("secret");
        std::fs::write(&secret, "secret").unwrap();
        let mut device = desk_in(sandbox).await;
        shell(&mut device, &format!("ln -s {} link; echo x >own; ln -s own near", secret.display())).await;
        assert_eq!(file(&mut device, "link").await, seen, "{sandbox:?}");
        assert_eq!(file(&mut device, "near").await.as_deref(), Some(b"x\n".as_slice()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_of_one_display_see_each_other_and_their_tmp_is_their_own() {
    let mut device = desk_in(SandboxChoice::Required).await;
    shell(&mut device, "setsid tail -f /dev/null >/dev/null 2>&1 & echo mine >/tmp/waldo-test-mine").await;
    assert_eq!(shell(&mut device, "pgrep -x tail | wc -l; cat /tmp/waldo-test-mine").await, "1\nmine");
    assert!(!Path::new("/tmp/waldo-test-mine").exists());
    let mut other = desk_in(SandboxChoice::Required).await;
    assert_eq!(
        shell(&mut other, "pgrep -x tail | wc -l; ls /tmp/waldo-test-mine 2>&1 | wc -l").await,
        "0\n1"
    );
    assert_eq!(
        shell(&mut device, "pkill -x tail; while pgrep -x tail >/dev/null; do sleep 0.05; done; echo gone")
            .await,
        "gone"
    );
    assert!(matches!(
        device.probe(&StateProbe::Shell("exit 3".to_owned()), soon()).await,
        Err(DeviceError::Call { message, .. }) if message.contains("ended with 3")
    ));
}

#[test]
fn an_owner_that_is_killed_while_it_makes_a_display_leaves_nothing() {
    const CHILD: &str = env!("CARGO_BIN_EXE_waldo-desktop-child");
    let temp = tempfile::tempdir().unwrap();
    for step in 0..12 {
        let mut command = Command::new(CHILD);
        command.arg("owner").env("TMPDIR", temp.path()).stdin(Stdio::null());
        let mut owner = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(20 * step));
        owner.kill().unwrap();
        owner.wait().unwrap();
    }
    let left = || std::fs::read_dir(temp.path()).unwrap().flatten().map(|entry| entry.path());
    eventually("all folders go", || left().next().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_program_puts_on_the_search_path_is_run_by_nothing_outside() {
    let elsewhere = tempfile::tempdir().unwrap();
    let mark = elsewhere.path().join("was-run");
    let mut device = DesktopDevice::new(DesktopOptions { sandbox: SandboxChoice::Required, ..small() });
    let mut to = with("");
    to.desktop.env.insert("PATH".to_owned(), "{HOME}/bin:/usr/bin:/bin".to_owned());
    device.reset(&to, soon()).await.unwrap();
    let fake = format!("#!/bin/sh\ntouch {} here\nexec \"/usr/bin/${{0##*/}}\" \"$@\"\n", mark.display());
    let home = device.folder().unwrap().join("home");
    std::fs::create_dir(home.join("bin")).unwrap();
    for name in ["bwrap", "setsid", "sh", "unshare", "env"] {
        let path = home.join("bin").join(name);
        std::fs::write(&path, &fake).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    assert_eq!(shell(&mut device, "env true; ls here").await, "here", "the path is not searched");
    assert!(!mark.exists());
}

//! Private displays: they come up, keep apart, and leave nothing.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use waldo_desktop::{DesktopDevice, DesktopOptions};
use waldo_devices::{Device, Filming, Frame, Frames, HomeFile, ResetTo, Secrets};

use crate::support::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_display_comes_up_and_leaves_nothing_when_it_is_closed() {
    let mut to = with("mousepad {HOME}/notes.txt");
    to.desktop.files = vec![HomeFile::new("notes.txt", "hello\n"), HomeFile::new("a/b/c.txt", "deep")];
    let mut device = DesktopDevice::new(DesktopOptions::default());
    device.reset(&to, soon()).await.unwrap();
    let seen = look(&mut device).await;
    assert_eq!(seen.picture.size(), (1280, 800));
    assert_eq!(seen.context.location, "mousepad");
    assert!(seen.context.title.contains("notes.txt"), "{:?}", seen.context);
    assert_eq!(file(&mut device, "a/b/c.txt").await.as_deref(), Some(b"deep".as_slice()));
    assert_eq!(file(&mut device, "none").await, None);
    let (folder, display) = (device.folder().unwrap(), device.display().unwrap());
    let socket = stamp(&display);
    assert!(marked(&folder).len() > 3);
    device.close(soon()).await.unwrap();
    assert_eq!(marked(&folder), Vec::<String>::new());
    assert!(!folder.exists());
    assert_ne!(stamp(&display), socket);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_display_leaves_nothing_when_it_is_dropped_or_its_owner_panics() {
    let device = desk(&with("galculator")).await;
    let folder = device.folder().unwrap();
    drop(device);
    assert!(marked(&folder).is_empty() && !folder.exists());

    let device = desk(&with("galculator")).await;
    let (folder, display) = (device.folder().unwrap(), device.display().unwrap());
    let socket = stamp(&display);
    let panicked = tokio::spawn(async move {
        let _device = device;
        panic!("on purpose");
    });
    assert!(panicked.await.is_err());
    assert!(marked(&folder).is_empty() && !folder.exists());
    assert_ne!(stamp(&display), socket);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_watches_sees_the_display_change_between_observations() {
    let mut device = desk(&with("galculator")).await;
    let frames = Frames::default();
    assert_eq!(device.film(Some(frames.clone())), Filming::Possible);
    let _never_reads = frames.watch();
    let mut watcher = frames.watch();
    let mut next = async || match tokio::time::timeout(Duration::from_secs(20), watcher.next()).await {
        Ok(Some(Frame::Pixels(picture))) => picture,
        other => panic!("{other:?}"),
    };
    let first = next().await;
    assert_eq!(first.size(), (800, 600));
    type_text(&mut device, "77").await;
    while next().await.pixels().as_raw() == first.pixels().as_raw() {}
    let (folder, display) = (device.folder().unwrap(), device.display().unwrap());
    let socket = stamp(&display);
    device.close(soon()).await.unwrap();
    assert!(marked(&folder).is_empty() && stamp(&display) != socket, "who watches keeps no display alive");
    drop(watcher);
    let secrets = Secrets::new([("pin".to_owned(), "hunter22".to_owned())]);
    let mut device = DesktopDevice::new(DesktopOptions { secrets, ..small() });
    assert_eq!(device.film(Some(frames)), Filming::Impossible);
}

const CHILD: &str = env!("CARGO_BIN_EXE_waldo-desktop-child");

pub fn alone(args: &[&str], env: &[(String, String)]) -> String {
    let mut command = Command::new(CHILD);
    command.args(args).envs(env.iter().cloned());
    let out = command.stdin(Stdio::null()).stderr(Stdio::null()).output().unwrap();
    String::from_utf8_lossy(&out.stdout).into_owned()
}

pub fn word<'a>(text: &'a str, key: &str) -> &'a str {
    let (_, rest) = text.split_once(key).unwrap_or_else(|| panic!("{key} is not in {text}"));
    rest.split_whitespace().next().unwrap()
}

#[test]
fn a_display_leaves_nothing_when_its_owner_is_killed() {
    let said = alone(&["owner"], &[]);
    let (folder, display) = (PathBuf::from(word(&said, "FOLDER=")), word(&said, "DISPLAY=").to_owned());
    eventually("all of it goes", || {
        marked(&folder).is_empty() && !folder.exists() && stamp(&display) != word(&said, "SOCKET=")
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn displays_keep_apart_and_a_reset_starts_anew() {
    let (one, two) = (with("galculator"), ResetTo::default());
    let (mut one, mut two) = tokio::join!(desk(&one), desk(&two));
    assert_ne!(one.display(), two.display());
    assert_eq!(windows(&mut one).await.len(), 1);
    assert_eq!(windows(&mut two).await.len(), 0);
    shell(&mut one, "echo x > only-here").await;
    assert_eq!(file(&mut two, "only-here").await, None);
    let before = look(&mut two).await;
    assert!(before.elements.is_empty() && before.context.windows.is_empty());
    let old = one.folder().unwrap();
    one.reset(&ResetTo::default(), soon()).await.unwrap();
    assert_eq!(file(&mut one, "only-here").await, None);
    assert!(!old.exists());
    assert_eq!(windows(&mut one).await.len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_video_and_secrets_do_not_go_together() {
    let folder = tempfile::tempdir().unwrap();
    let video = folder.path().join("episode.mp4");
    let secrets = Secrets::new([("pin".to_owned(), "hunter22".to_owned())]);
    let mut device = DesktopDevice::new(DesktopOptions { record: Some(video.clone()), secrets, ..small() });
    let refused = device.reset(&with("xterm"), soon()).await.unwrap_err();
    assert!(refused.to_string().contains("leave out the video or the secrets"), "{refused}");
    assert!(!video.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_video_is_written_and_ended_cleanly() {
    let folder = tempfile::tempdir().unwrap();
    let video = folder.path().join("episode.mp4");
    let mut device = DesktopDevice::new(DesktopOptions { record: Some(video.clone()), ..small() });
    device.reset(&with("galculator"), soon()).await.unwrap();
    look(&mut device).await;
    act(&mut device, waldo_devices::Action::Wait { ms: 700 }).await;
    device.close(soon()).await.unwrap();
    assert_eq!(size_of(&video), "800,600");
}

/// The size that a video says to have; it can be played then.
fn size_of(video: &Path) -> String {
    let probe = Command::new("ffprobe")
        .args(["-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0"])
        .arg(video)
        .output()
        .unwrap();
    assert!(probe.status.success(), "{probe:?}");
    String::from_utf8_lossy(&probe.stdout).trim().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_video_whose_program_is_killed_can_be_played() {
    let folder = tempfile::tempdir().unwrap();
    let video = folder.path().join("episode.mp4");
    let mut device = DesktopDevice::new(DesktopOptions { record: Some(video.clone()), ..small() });
    device.reset(&with(""), soon()).await.unwrap();
    let films = |entry: &std::fs::DirEntry| {
        let line = std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        line.starts_with("ffmpeg\0") && line.contains(video.to_str().unwrap())
    };
    let found = std::fs::read_dir("/proc").unwrap().flatten().find(films).unwrap();
    let pid = found.file_name().to_str().unwrap().parse().unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    device.close(soon()).await.unwrap();
    assert_eq!(size_of(&video), "800,600");
}

fn middle(seen: &waldo_devices::Observation) -> [u8; 3] {
    let pixels = seen.picture.pixels();
    pixels.get_pixel(pixels.width() / 2, pixels.height() / 2).0
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_reacts_late_is_waited_for_once_that_is_known() {
    // Each Enter paints the terminal in another colour, 0.7 s later and without computing meanwhile.
    let script =
        r"n=0; while read -r line; do sleep 0.7; n=$((n+1)); printf '\033[4%dm\033[2J\033[H' $n; done";
    let line = ["xterm", "-geometry", "200x60+0+0", "-e", "sh", "-c", script];
    let mut device = desk(&with_all(&[&line], &["xterm"])).await;
    let mut before = middle(&look(&mut device).await);
    press(&mut device, "enter").await;
    // The first look is too early for a program that nothing is known of; it shows in the end.
    let bound = soon();
    loop {
        let now = middle(&look(&mut device).await);
        if now != before {
            before = now;
            break;
        }
        assert!(!bound.passed(), "the terminal never changed its colour");
    }
    for step in 0..3 {
        press(&mut device, "enter").await;
        let now = middle(&look(&mut device).await);
        assert_ne!(now, before, "the look after Enter {step} is that of before the reaction");
        before = now;
    }
    device.close(soon()).await.unwrap();
}

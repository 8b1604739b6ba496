//! What breaks, and what is told of it.

use rustix::process::{Pid, Signal, kill_process};
use waldo_devices::{Action, Capture, Deadline, Device, DeviceError, Fault, HomeFile, Point, ResetTo};

use crate::support::*;

fn kill(pid: u32) {
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::KILL).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_is_told_and_the_next_start_is_well() {
    let mut device = desk(&with("galculator")).await;
    look(&mut device).await;
    let (folder, display) = (device.folder().unwrap(), device.display().unwrap());
    let socket = stamp(&display);
    kill(device.server_pid().unwrap());
    let error = device.observe(Capture::All, soon()).await.unwrap_err();
    assert!(matches!(error, DeviceError::Gone { .. }), "{error}");
    assert_eq!(error.fault(), Fault::Environment);
    let tap = Action::tap(Point::new(5.0, 5.0));
    assert!(matches!(device.perform(&tap, soon()).await, Err(DeviceError::Gone { .. })));
    device.reset(&with("galculator"), soon()).await.unwrap();
    assert_eq!(look(&mut device).await.context.location, "galculator");
    assert!(marked(&folder).is_empty() && !folder.exists());
    assert_ne!(stamp(&display), socket);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crashed_program_is_seen_to_be_gone() {
    let mut device = desk(&with_all(&[&["mousepad"], &["galculator"]], &["*"])).await;
    look(&mut device).await;
    signal(&device, "galculator", Signal::KILL);
    windows_become(&mut device, |windows| windows.len() == 1).await;
    let seen = look(&mut device).await;
    assert_eq!(seen.context.windows.len(), 1);
    assert_eq!(seen.context.location, "mousepad");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_cannot_start_is_told() {
    let mut device = waldo_desktop::DesktopDevice::new(small());
    let error = device.reset(&with("no-such-program-here"), soon()).await.unwrap_err();
    assert!(error.to_string().contains("no-such-program-here"), "{error}");
    let error = device.reset(&with("sh -c 'echo broken >&2; exit 7'"), soon()).await.unwrap_err();
    assert!(error.to_string().contains("broken"), "{error}");
    let bad = ResetTo {
        desktop: waldo_devices::DesktopSetup {
            files: vec![HomeFile::new("../escape", "x")],
            ..waldo_devices::DesktopSetup::default()
        },
        ..ResetTo::default()
    };
    assert!(device.reset(&bad, soon()).await.is_err());
    let mut none = waldo_desktop::DesktopDevice::new(small());
    assert!(none.observe(Capture::All, soon()).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn windows_of_any_size_are_seen() {
    let lines: [&[&str]; 2] = [
        &["xterm", "-geometry", "400x120+0+0", "-T", "huge", "-e", "cat"],
        &["xterm", "-geometry", "1x1+700+500", "-T", "tiny", "-e", "cat"],
    ];
    let mut device = desk(&with_all(&lines, &["xterm"])).await;
    let seen = look(&mut device).await;
    let huge = seen.context.windows.iter().find(|window| window.title == "huge").unwrap();
    assert!(huge.bounds.w > 800.0 && huge.bounds.h > 600.0, "{huge:?}");
    assert!(seen.context.windows.iter().any(|window| window.title == "tiny"));
    let screen = seen.geometry.screen();
    for element in &seen.elements {
        let inside = element.bounds.intersect(&screen).is_some_and(|part| part == element.bounds);
        assert!(inside && screen.contains(element.hit), "{element:?}");
    }
    let tap = Action::tap(Point::new(300.0, 300.0));
    assert!(refusal(&act(&mut device, tap).await).is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_hangs_holds_up_nothing_for_long() {
    let mut device = desk(&with_all(&[&["mousepad"], &["galculator"]], &["*"])).await;
    look(&mut device).await;
    signal(&device, "galculator", Signal::STOP);
    let seen = look(&mut device).await;
    assert_eq!(seen.context.windows.len(), 2);
    // It has the keyboard. The first line is sent, and it is told that no more was.
    let all = windows(&mut device).await;
    assert!(all.iter().any(|window| window.program == "galculator" && window.focused), "{all:?}");
    let lines = Action::Type { text: "1\n2\n3\n".to_owned() };
    let error = device.perform(&lines, Deadline::after(std::time::Duration::from_secs(9))).await.unwrap_err();
    assert!(matches!(error, DeviceError::Call { .. }), "{error}");
    assert!(error.to_string().contains("hangs"), "{error}");
    // The other one is well.
    let pad = all.iter().find(|window| window.program == "mousepad").unwrap().id;
    assert!(confirmed(&act(&mut device, Action::FocusWindow { window: pad }).await));
    type_text(&mut device, "x\ny").await;
    assert!(windows(&mut device).await.iter().any(|window| window.title.starts_with('*')));
    // What was not typed does not come later.
    signal(&device, "galculator", Signal::CONT);
}

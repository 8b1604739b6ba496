//! The screen between two observations.

use std::time::Duration;

use super::site::Site;
use super::support::*;
use waldo_devices::{Action, Filming, Frame, FrameWatcher, Frames};
use waldo_web::{Secrets, WebOptions};

/// A page that moves by itself, red or blue.
fn moving(colour: &str) -> String {
    format!(
        "<body style='background:{colour}'><p id=n style='font-size:90px'>0</p><script>setInterval(() => n.textContent++, 50)</script>"
    )
}

async fn next(watcher: &mut FrameWatcher) -> Vec<u8> {
    match tokio::time::timeout(Duration::from_secs(20), watcher.next()).await {
        Ok(Some(Frame::Packed(bytes))) => bytes.to_vec(),
        other => panic!("{other:?}"),
    }
}

/// Waits for a frame whose ground has more of this colour (0 red, 2 blue) than of any other.
async fn of_colour(watcher: &mut FrameWatcher, colour: usize) {
    for _ in 0..200 {
        let picture = waldo_devices::labels::decode(&next(watcher).await).unwrap();
        let pixel = picture.get_pixel(picture.width() / 2, picture.height() - 20).0;
        if pixel[colour] > 150 && pixel[2 - colour] < 100 {
            return;
        }
    }
    panic!("the screen never had the colour");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_watches_sees_the_page_in_front_move_and_nobody_waits_for_them() {
    let browser = launch().await;
    let (site, mut device) = open(&browser, &moving("#e00")).await;
    let frames = Frames::default();
    assert_eq!(device.film(Some(frames.clone())), Filming::Possible);
    let _never_reads = frames.watch();
    let mut watcher = frames.watch();
    let first = next(&mut watcher).await;
    assert!(first.starts_with(b"\xff\xd8"), "a JPEG");
    // A browser on a busy machine may send the same picture twice before the page moves on.
    let moves = async { while next(&mut watcher).await == first {} };
    tokio::time::timeout(Duration::from_secs(20), moves).await.expect("a frame other than the first");
    of_colour(&mut watcher, 0).await;
    // Another page, a tab before it, and a start anew.
    let blue = site.page("/blue", moving("#00e"));
    confirmed(&act(&mut device, Action::Navigate { url: blue.clone() }).await);
    of_colour(&mut watcher, 2).await;
    let red = site.page("/red", moving("#e00"));
    confirmed(&act(&mut device, Action::NewTab { url: Some(red) }).await);
    of_colour(&mut watcher, 0).await;
    device.reset(&to(&blue, &[&site]), soon()).await.unwrap();
    of_colour(&mut watcher, 2).await;
    // An observation is what it is without them.
    assert!(see(&mut device).await.picture.size().0 > 0);
    assert_eq!(device.film(None), Filming::Impossible);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_with_secrets_is_not_filmed() {
    let browser = launch().await;
    let site = Site::start();
    let start = site.page("/", moving("#e00"));
    let secrets = Secrets::new([("pin".to_owned(), "hunter22".to_owned())]);
    let mut device = browser.new_device(&WebOptions { secrets, ..WebOptions::default() }).unwrap();
    let frames = Frames::default();
    let mut watcher = frames.watch();
    assert_eq!(device.film(Some(frames.clone())), Filming::Impossible);
    device.reset(&to(&start, &[&site]), soon()).await.unwrap();
    see(&mut device).await;
    assert!(futures::poll!(Box::pin(watcher.next())).is_pending());
}

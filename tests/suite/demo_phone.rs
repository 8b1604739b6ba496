//! The page of a demonstration on a phone's screen, in a real browser: what is clicked on its picture happens on
//! the phone.

use std::net::SocketAddr;

use waldo_devices::{Action, Device as _, Point};
use waldo_simphone::wire::PhoneServer;
use waldo_simphone::world::settings::Namespace;
use waldo_simphone::{IdleWait, Phone, PhoneOptions};

use super::demo::{js, on_page, open, place, press, shows, soon, tap};

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_is_demonstrated_by_clicks_on_its_picture() {
    let dir = tempfile::tempdir().unwrap();
    let demo = dir.path().join("demo_web");
    let phone = Phone::new(PhoneOptions { idle: IdleWait::SHORT, ..PhoneOptions::default() });
    let server = PhoneServer::bind(SocketAddr::from(([127, 0, 0, 1], 0)), phone).await.unwrap();
    let night =
        || server.phone().with(|w| w.settings().get(Namespace::Secure, "ui_night_mode").map(str::to_owned));
    let front = || server.phone().with(|w| w.foreground().to_string());
    let device = format!("tcp:{}", server.local_addr());
    let (child, url) =
        on_page(dir.path(), &["--device", &device, "--suite", "l3-android", "--task", "dark-theme"]);
    let (browser, mut page) = open(&url).await;
    let first = shows(&mut page, "").await;
    assert_eq!(night().as_deref(), Some("1"));
    // The whole screen is on the page, upright, and keys of phones are offered.
    let size = js(&mut page, "[document.getElementById('picture').naturalWidth, innerHeight - document.getElementById('picture').getBoundingClientRect().bottom, document.getElementById('home').hidden]").await;
    assert!(size[0] == 1080 && size[1].as_f64().unwrap() >= 0.0 && size[2] == false, "{size}");
    let at = place(&mut page, &demo, |name| name.starts_with("Display, ")).await;
    tap(&mut page, at).await;
    let second = shows(&mut page, &first).await;
    let at = place(&mut page, &demo, |name| name == "Dark theme").await;
    tap(&mut page, at).await;
    let third = shows(&mut page, &second).await;
    assert_eq!(night().as_deref(), Some("2"), "the phone's own theme was turned");
    // A stroke over the picture is a finger's stroke.
    let from = Point::new(at.x, at.y + 60.0);
    page.perform(&Action::Drag { path: vec![from, at] }, soon()).await.unwrap();
    let fourth = shows(&mut page, &third).await;
    press(&mut page, "back").await;
    let fifth = shows(&mut page, &fourth).await;
    press(&mut page, "home").await;
    let sixth = shows(&mut page, &fifth).await;
    assert!(front().contains("launcher"), "{}", front());
    press(&mut page, "stop").await;
    assert_eq!(shows(&mut page, &sixth).await, "ended");
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(0));
    let got: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&got["steps"], &got["stopped"]), (&5.into(), &true.into()), "{got}");
    // AppAgent's record, with the uids of the phone's elements, and a dump of each step.
    let record = std::fs::read_to_string(demo.join("record.txt")).unwrap();
    let lines: Vec<&str> = record.lines().collect();
    assert!(lines[0].starts_with("tap(") && lines[1].starts_with("tap("), "{record}");
    assert!(lines[0].contains("com.android.settings") && lines.last() == Some(&"stop"), "{record}");
    assert!(record.contains("swipe("), "{record}");
    assert!(demo.join("xml/demo_web_1.xml").is_file());
    browser.close(soon()).await.unwrap();
}

//! The live page of a demonstration on a phone's screen, in a real browser: what is clicked on its picture happens on
//! the phone.

use std::net::SocketAddr;

use waldo_devices::{Action, Device as _, Point};
use waldo_simphone::wire::PhoneServer;
use waldo_simphone::world::settings::Namespace;
use waldo_simphone::{IdleWait, Phone, PhoneOptions};

use super::demo::{at_step, js, on_page, open, soon, tap};
use super::live::ended;
use super::live_page::{on_picture, press, tap_on_picture, until};
use super::support::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_is_demonstrated_by_clicks_on_its_picture() {
    let dir = tempdir();
    let demo = dir.join("demo_web");
    let phone = Phone::new(PhoneOptions { idle: IdleWait::SHORT, ..PhoneOptions::default() });
    let server = PhoneServer::bind(SocketAddr::from(([127, 0, 0, 1], 0)), phone).await.unwrap();
    let night =
        || server.phone().with(|w| w.settings.get(Namespace::Secure, "ui_night_mode").map(str::to_owned));
    let front = || server.phone().with(|w| w.foreground().to_string());
    let device = format!("tcp:{}", server.local_addr());
    let (child, url) =
        on_page(&dir, &["--device", &device, "--suite", "l3-android", "--task", "dark-theme"], "--web");
    let (browser, mut page) = open(&url).await;
    until(&mut page, "the first screen", &at_step(1)).await;
    assert_eq!(night().as_deref(), Some("1"));
    // The whole screen is on the page, upright, and keys of phones are offered.
    let size = js(&mut page, "[document.getElementById('picture').naturalWidth, document.getElementById('picture').getBoundingClientRect().height <= innerHeight, document.getElementById('keys').textContent]").await;
    assert!(size[0] == 1080 && size[1] == true && size[2].as_str().unwrap().contains("home"), "{size}");
    tap_on_picture(&mut page, "Display, ", 2).await;
    let at = on_picture(&mut page, "Dark theme").await;
    tap(&mut page, at).await;
    until(&mut page, "after the second tap", &at_step(3)).await;
    assert_eq!(night().as_deref(), Some("2"), "the phone's own theme was turned");
    // A stroke over the picture is a finger's stroke.
    let from = Point::new(at.x, at.y + 60.0);
    page.perform(&Action::drag(vec![from, at]), soon()).await.unwrap();
    until(&mut page, "after the stroke", &at_step(4)).await;
    for (n, name) in [(5, "back"), (6, "home")] {
        let find =
            format!("[...document.querySelectorAll('#keys button')].find((b) => b.textContent === {name:?})");
        js(&mut page, &format!("{find}.id = 'key-{name}'")).await;
        press(&mut page, &format!("key-{name}")).await;
        until(&mut page, name, &at_step(n)).await;
    }
    assert!(front().contains("launcher"), "{}", front());
    press(&mut page, "finish").await;
    until(&mut page, "the end", "document.getElementById('state').textContent.includes('is kept')").await;
    has(&ended(child, 0), json!({ "steps": 5, "stopped": true }));
    // AppAgent's record, with the uids of the phone's elements, and a dump of each step.
    let record = text_in(demo.join("record.txt")).says("swipe(");
    let lines: Vec<&str> = record.lines().collect();
    assert!(lines[0].starts_with("tap(") && lines[1].starts_with("tap("), "{record}");
    assert!(lines[0].contains("com.android.settings") && lines.last() == Some(&"stop"), "{record}");
    assert!(demo.join("xml/demo_web_1.xml").is_file());
    browser.close(soon()).await.unwrap();
}

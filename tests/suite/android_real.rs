//! A suite's tasks delete and write what a phone holds. One that is not simulated is left as it is, unless its
//! owner said otherwise. The phone here is one that knows no `simctl`, as no real one does.

use std::net::SocketAddr;

use waldo_simphone::wire::PhoneServer;
use waldo_simphone::world::providers::Query;
use waldo_simphone::world::settings::Namespace;
use waldo_simphone::{IdleWait, Phone, PhoneOptions, ShellControl};

use super::support::*;

const SCALES: [&str; 3] = ["window_animation_scale", "transition_animation_scale", "animator_duration_scale"];

async fn own_phone() -> PhoneServer {
    let options =
        PhoneOptions { idle: IdleWait::SHORT, control: ShellControl::None, ..PhoneOptions::default() };
    let phone = Phone::new(options);
    phone.with(|world| SCALES.map(|name| world.put_setting(Namespace::Global, name, "0.5")));
    PhoneServer::bind(SocketAddr::from(([127, 0, 0, 1], 0)), phone).await.unwrap()
}

/// What its owner would miss: events, messages, contacts, notes, files, and how fast its screens move.
fn kept(server: &PhoneServer) -> Vec<String> {
    server.phone().with(|world| {
        let mut all: Vec<String> =
            SCALES.map(|name| format!("{name}={:?}", world.settings.get(Namespace::Global, name))).to_vec();
        for uri in
            ["content://com.android.calendar/events", "content://sms", "content://com.android.contacts/data"]
        {
            let rows = world.query(uri, &Query::default()).unwrap();
            assert!(!rows.is_empty(), "{uri} holds nothing that could be lost");
            all.extend(rows.iter().map(|row| format!("{uri} {row:?}")));
        }
        all
    })
}

fn eval(device: &str, more: &str) -> String {
    let task = "--task event-delete --agent reference --json --no-report --out r";
    format!("eval l3-android --device {device} {task} {more}")
}

/// `waldo demo record`, which reads its commands from standard input: exit code, and what was said.
fn record(dir: &Path, device: &str, more: &[&str]) -> Ended {
    let args = ["--device", device, "--suite", "l3-android", "--task", "event-delete", "--out", "demo"];
    demonstrated(dir, &[&args[..], more].concat(), "stop\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_is_not_simulated_is_left_as_it_is() {
    let dir = &*tempdir();
    let server = own_phone().await;
    let device = format!("tcp:{}", server.local_addr());
    let before = kept(&server);
    let told = |said: String| {
        said.says("is not a simulated phone").says("--real-phone-may-be-wiped");
        assert_eq!(kept(&server), before);
    };
    told(waldo(dir, &eval(&device, "")).exits(4).stderr);
    let args =
        format!("explore --device {device} --suite l3-android --task event-delete --model reader --steps 1");
    told(waldo(dir, &args).exits(4).stderr);
    told(record(dir, &device, &[]).expect_code(4).stderr);
    // What was recorded on a simulated phone is not replayed on it either.
    waldo(dir, &eval("simphone", "").replace("--out r", "--out s")).ok();
    told(waldo(dir, &format!("replay s reference/event-delete/r0 --device {device}")).exits(4).stderr);

    // Its owner may give it away: the same command goes on, and now events are gone.
    all_solved(&waldo(dir, &eval(&device, "--real-phone-may-be-wiped")).json());
    let after = kept(&server);
    assert!(after.len() < before.len() && after[..3] == before[..3], "{after:?}");
    record(dir, &device, &["--real-phone-may-be-wiped"]).expect_code(0);
}

#[test]
fn to_give_a_phone_away_goes_with_a_suite_and_a_phone() {
    let dir = tempdir();
    let flag = "--real-phone-may-be-wiped";
    waldo(&dir, &format!("eval l3-web --agent noop {flag}")).exits(4).warns("not with web");
    let by_hand = "explore --device simphone --open com.android.settings --model reader";
    waldo(&dir, &format!("{by_hand} {flag}")).exits(4).warns("goes with --suite");
}

//! The wire against its two clients in the field: a stock `adb` and the crate `adb_client`.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod console;
mod support;

use adb_client::ADBDeviceExt;
use adb_client::server_device::ADBServerDevice;
use adb_client::tcp::ADBTcpDevice;
use std::time::{Duration, Instant};
use support::{Adb, DEADLINE, Phones, noise, until};
use waldo_simphone::wire::{Auth, ServerOptions};
use waldo_simphone::{PhoneFault, Stay};

fn features(names: &[&str]) -> ServerOptions {
    ServerOptions { features: names.iter().map(|n| (*n).to_owned()).collect(), ..ServerOptions::default() }
}

#[test]
fn a_stock_adb_connects_and_lists_the_phone() {
    let (_phones, adb, serial) = Phones::connected();
    let out = adb.run(&["devices", "-l"], b"", DEADLINE).text();
    let line = out.lines().find(|l| l.starts_with(&serial)).unwrap_or_else(|| panic!("{out}"));
    assert!(line.contains("device product:simphone model:Waldo_Phone device:simphone"), "{line}");
    assert_eq!(adb.on(&serial, &["get-state"]).text().trim(), "device");
    assert_eq!(
        adb.on(&serial, &["features"]).text().split_whitespace().collect::<Vec<_>>(),
        ["shell_v2", "cmd"]
    );
}

#[test]
fn the_second_shell_keeps_status_and_errors_apart() {
    let (_phones, adb, serial) = Phones::connected();
    let out = adb.on(&serial, &["shell", "echo hi; echo oh >&2; exit 7"]);
    assert_eq!((out.text().as_str(), out.stderr.as_str(), out.code), ("hi\n", "oh\n", Some(7)));
    assert_eq!(adb.on(&serial, &["shell", "echo", "'a  b'"]).text(), "a  b\n");
    let out = adb.run(&["-s", &serial, "shell", "cat; echo end"], b"from the host\n", DEADLINE);
    assert_eq!(out.text(), "from the host\nend\n");
    let out = adb.run(&["-s", &serial, "shell"], b"echo one\necho two >&2\nexit 3\n", DEADLINE);
    assert_eq!((out.text().as_str(), out.stderr.as_str(), out.code), ("one\n", "two\n", Some(3)));
}

#[test]
fn the_first_shell_loses_the_status_and_merges_errors() {
    let phones = Phones::with(features(&["cmd"]));
    let (adb, serial) = Adb::connected(&phones);
    let out = adb.on(&serial, &["shell", "echo hi; echo oh >&2; exit 7"]);
    assert_eq!((out.text().as_str(), out.stderr.as_str(), out.code), ("hi\noh\n", "", Some(0)));
    let none = Phones::with(features(&[]));
    let serial = adb.connect(none.addr());
    assert_eq!(adb.on(&serial, &["shell", "echo $(echo 42)"]).text(), "42\n");
}

#[test]
fn pictures_come_whole_and_binary_safe() {
    let (_phones, adb, serial) = Phones::connected();
    let png = adb.on(&serial, &["exec-out", "screencap", "-p"]).stdout;
    let image = image::load_from_memory(&png).unwrap();
    assert_eq!((image.width(), image.height()), (1080, 2400));
    let raw = adb.on(&serial, &["exec-out", "screencap"]).stdout;
    assert_eq!(raw.len(), 16 + 1080 * 2400 * 4);
    let v2 = adb.on(&serial, &["shell", "screencap"]).stdout;
    assert_eq!(v2.len(), raw.len());
    let gz = adb.on(&serial, &["exec-out", "screencap | gzip -1"]).stdout;
    assert!(gz.starts_with(&[0x1f, 0x8b]) && gz.len() < raw.len());
    // exec has no error output of its own: warnings would end up among the pixels.
    assert!(adb.on(&serial, &["exec-out", "cat /none; echo x"]).text().starts_with("cat: /none: No such"));
}

#[test]
fn files_go_there_and_back_unchanged() {
    let (phones, adb, serial) = Phones::connected();
    let dir = tempfile::tempdir().unwrap();
    let (there, back) = (dir.path().join("there"), dir.path().join("back"));
    let bytes = noise(3 * 1024 * 1024 + 17);
    std::fs::write(&there, &bytes).unwrap();
    let out = adb.on(&serial, &["push", there.to_str().unwrap(), "/sdcard/Download/new/x.bin"]);
    assert_eq!(out.code, Some(0), "{out:?}");
    let out = adb.on(&serial, &["pull", "/sdcard/Download/new/x.bin", back.to_str().unwrap()]);
    assert_eq!(out.code, Some(0), "{out:?}");
    assert!(std::fs::read(&back).unwrap() == bytes);
    let out = adb.on(&serial, &["pull", "/sdcard/none.xml", back.to_str().unwrap()]);
    assert!(out.code != Some(0) && out.all().contains("sdcard/none.xml"), "{out:?}");
    let out = adb.on(&serial, &["push", there.to_str().unwrap(), "/system/x"]);
    assert!(out.code != Some(0) && out.all().contains("Read-only file system"), "{out:?}");
    let listed = adb.on(&serial, &["ls", "/sdcard/Download/new"]).text();
    assert!(listed.lines().any(|l| l.ends_with(" x.bin") && l.contains("00300011")), "{listed}");
    let tree = dir.path().join("tree");
    std::fs::create_dir_all(tree.join("sub")).unwrap();
    std::fs::write(tree.join("sub/empty"), b"").unwrap();
    assert_eq!(adb.on(&serial, &["push", tree.to_str().unwrap(), "/data/local/tmp/"]).code, Some(0));
    assert_eq!(
        adb.on(&serial, &["shell", "wc -c /data/local/tmp/tree/sub/empty"]).text(),
        "0 /data/local/tmp/tree/sub/empty\n"
    );
    phones.phone().with(|w| w.faults_mut().set(PhoneFault::LowStorage, Stay::Always));
    let out = adb.on(&serial, &["push", there.to_str().unwrap(), "/sdcard/y"]);
    assert!(out.code != Some(0) && out.all().contains("No space left"), "{out:?}");
}

#[test]
fn a_command_takes_what_the_host_sends() {
    let (phones, adb, serial) = Phones::connected();
    let bytes = noise(2 * 1024 * 1024 + 5);
    let out = adb.run(&["-s", &serial, "exec-in", "cat > /data/local/tmp/in"], &bytes, DEADLINE);
    assert_eq!(out.code, Some(0), "{out:?}");
    let size = || phones.phone().with(|w| w.files.read("/data/local/tmp/in").map_or(0, |b| b.len()));
    until("the file is there", || size() == bytes.len());
    let out = adb.run(&["-s", &serial, "shell", "wc -c"], &bytes, DEADLINE);
    assert_eq!(out.text().trim(), bytes.len().to_string());
}

#[test]
fn a_hung_command_holds_up_nobody_else() {
    let (phones, adb, serial) = Phones::connected();
    phones
        .phone()
        .with(|w| w.faults_mut().set(PhoneFault::HangCommand("uiautomator".to_owned()), Stay::Times(1)));
    let all = ["-s", serial.as_str(), "shell", "uiautomator dump"];
    let out = adb.run(&all, b"", Duration::from_millis(700));
    assert_eq!(out.code, None);
    let begun = Instant::now();
    assert_eq!(adb.on(&serial, &["shell", "echo", "alive"]).text(), "alive\n");
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert!(adb.on(&serial, &["shell", "uiautomator dump"]).code.is_some());
}

#[test]
fn a_dropped_connection_can_be_made_again() {
    let (phones, adb, serial) = Phones::connected();
    phones.phone().with(|w| w.faults_mut().set(PhoneFault::DropConnection, Stay::Times(1)));
    let out = adb.on(&serial, &["shell", "echo", "lost"]);
    assert!(out.text().is_empty() && out.code != Some(0), "{out:?}");
    let serial = adb.connect(phones.addr());
    assert_eq!(adb.on(&serial, &["shell", "echo", "found"]).text(), "found\n");
}

#[test]
fn a_pulled_cable_and_a_phone_that_does_not_answer() {
    let (phones, adb, serial) = Phones::connected();
    phones.server.unplug();
    until("the phone is gone", || adb.state(&serial) != "device");
    phones.runtime.block_on(phones.server.plug_in()).unwrap();
    adb.reconnect(&serial);
    phones.phone().with(|w| w.faults_mut().set(PhoneFault::Offline, Stay::Always));
    assert!(adb.on(&serial, &["shell", "echo", "x"]).code != Some(0));
    phones.phone().with(|w| w.faults_mut().clear_all());
    adb.reconnect(&serial);
    assert_eq!(adb.on(&serial, &["shell", "echo", "x"]).text(), "x\n");
}

#[test]
fn a_host_is_asked_for_its_key_where_that_is_wanted() {
    let phones = Phones::with(ServerOptions { auth: Auth::AnyKey, ..ServerOptions::default() });
    let adb = Adb::start();
    let serial = phones.addr().to_string();
    adb.run(&["connect", &serial], b"", DEADLINE);
    until("the phone is online", || adb.state(&serial) == "device");
    assert_eq!(adb.on(&serial, &["shell", "echo", "in"]).text(), "in\n");
    let refused = Phones::with(ServerOptions { auth: Auth::Refuse, ..ServerOptions::default() });
    let serial = refused.addr().to_string();
    adb.run(&["connect", &serial], b"", DEADLINE);
    until("the phone is unauthorised", || adb.state(&serial) == "unauthorized");
}

fn check_adb_client(device: &mut dyn ADBDeviceExt) {
    let mut out = Vec::new();
    device.shell_command(&"echo hi; screencap -p", Some(&mut out), None).unwrap();
    assert!(out.starts_with(b"hi\n"));
    assert_eq!(image::load_from_memory(&out[3..]).unwrap().width(), 1080);
    let frame = image::load_from_memory(&device.framebuffer_bytes().unwrap()).unwrap();
    assert_eq!((frame.width(), frame.height()), (1080, 2400));
    let bytes = noise(3 * 1024 * 1024);
    device.push(&mut bytes.as_slice(), &"/sdcard/push.bin").unwrap();
    let mut back = Vec::new();
    device.pull(&"/sdcard/push.bin", &mut back).unwrap();
    assert!(back == bytes);
    assert_eq!(device.stat(&"/sdcard/push.bin").unwrap().file_size, 3 * 1024 * 1024);
    for i in 0..40 {
        let name = format!("/data/local/tmp/file-{i:03}");
        device.shell_command(&format!("echo {i} > {name}"), None, None).unwrap();
    }
    assert_eq!(device.list(&"/data/local/tmp").unwrap().len(), 42);
}

#[test]
fn adb_client_works_through_a_server_and_straight_to_the_phone() {
    let (_phones, adb, serial) = Phones::connected();
    let server = format!("127.0.0.1:{}", adb.port()).parse().unwrap();
    check_adb_client(&mut ADBServerDevice::new(serial, Some(server)));
    let phones = Phones::one();
    let home = tempfile::tempdir().unwrap();
    let mut device =
        ADBTcpDevice::new_with_custom_private_key(phones.addr(), home.path().join("key")).unwrap();
    check_adb_client(&mut device);
}

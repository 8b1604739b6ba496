//! Phones that go away in the middle of an episode, and phones that somebody else holds, through the binary.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::ChildStdin;

use waldo_simphone::wire::{HeldPort, PhoneServer};
use waldo_simphone::{IdleWait, Phone, PhoneFault, PhoneOptions, Stay};

use super::support::*;

const SOON: u64 = 120;

/// A simulated phone at a port of its own, in this process.
async fn phone() -> PhoneServer {
    let phone = Phone::new(PhoneOptions { idle: IdleWait::SHORT, ..PhoneOptions::default() });
    PhoneServer::bind(SocketAddr::from(([127, 0, 0, 1], 0)), phone).await.unwrap()
}

/// An evaluation of one task that takes some steps, under way.
fn evaluation(dir: &Path, device: &str, more: &[&str]) -> Child {
    let mut args = vec!["eval", "l3-android", "--device", device, "--agent", "reference", "--out", "r"];
    args.extend(["--task", "event-conflict", "--json", "--no-report"]);
    args.extend(more);
    waldo(dir, &args).start()
}

/// The events so far: the file may not be there yet, and end with half a line.
fn events(dir: &Path) -> Vec<Value> {
    let file = dir.join("r/episodes/reference/event-conflict/r0/events.jsonl");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Waits until two steps are done.
fn midway(dir: &Path, run: &mut Child) {
    until("two steps", SOON, || {
        assert!(run.try_wait().unwrap().is_none(), "it ended before the fault");
        events(dir).iter().filter(|event| event["event"] == "acted").count() >= 2
    });
}

/// The only episode ended, was solved, and counts; how often it was begun is as the phone's way back allowed.
fn solved(dir: &Path, run: Child) {
    has(&Ended::awaited(run).expect_code(0).json()["table"][0], json!({ "sr": 1.0, "invalid": 0 }));
    let events = events(dir);
    let last = events.last().unwrap();
    assert_eq!(last["event"], "ended", "{last}");
    let begun = events.iter().filter(|event| event["event"] == "started").count();
    assert_eq!(last["result"]["attempts"].as_u64(), Some(begun as u64), "{last}");
    assert!((1..=3).contains(&begun), "{begun}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_episode_outlives_a_phone_that_is_unplugged_and_back() {
    let dir = tempdir();
    let server = phone().await;
    let at = server.local_addr();
    let mut run = evaluation(&dir, &format!("tcp:{at}"), &[]);
    midway(&dir, &mut run);
    server.unplug();
    // Nobody is at home until waldo has knocked and found that out.
    let knocked = async {
        let door = loop {
            // The phone's own listener goes when its task sees the plug.
            match tokio::net::TcpListener::bind(at).await {
                Ok(door) => break door,
                Err(_) => tokio::task::yield_now().await,
            }
        };
        door.accept().await.unwrap();
    };
    tokio::time::timeout(Duration::from_secs(SOON), knocked).await.unwrap();
    server.plug_in().await.unwrap();
    solved(&dir, run);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_episode_outlives_the_adb_server_that_it_goes_through() {
    let dir = tempdir();
    let server = phone().await;
    let serial = server.local_addr().to_string();
    // A server of our own: the tester's phones are none of our business.
    let held = HeldPort::take(([127, 0, 0, 1], 0).into()).unwrap();
    let port = held.addr().port().to_string();
    let adb = |args: &[&str]| {
        let out = Command::new("adb").args(["-P", &port]).args(args).env("HOME", &dir).output().unwrap();
        format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
    };
    assert!(adb(&["connect", &serial]).contains("connected"));
    let mut run = evaluation(&dir, &format!("android:{serial}"), &["--adb-server", &port]);
    midway(&dir, &mut run);
    adb(&["kill-server"]);
    solved(&dir, run);
    // Started anew by waldo, and told of the phone that it had forgotten.
    let known = adb(&["devices"]);
    adb(&["kill-server"]);
    assert!(known.contains(&serial), "{known}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_on_a_phone_that_was_another_at_its_end_is_invalid() {
    let dir = tempdir();
    let server = phone().await;
    let at = server.local_addr();
    let mut run = evaluation(&dir, &format!("tcp:{at}"), &[]);
    midway(&dir, &mut run);
    // It starts anew, and is back on its port.
    server.phone().reboot();
    Ended::awaited(run).expect_code(0);
    // What was played on two boots does not count; what was played after that does.
    let events = events(&dir);
    has(&events.last().unwrap()["result"], json!({ "attempts": 2, "success": 1.0 }));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_at_whose_end_another_phone_has_the_port_is_invalid_and_says_so() {
    let dir = tempdir();
    let server = phone().await;
    let at = server.local_addr();
    let mut run = evaluation(&dir, &format!("tcp:{at}"), &["--attempts", "1"]);
    midway(&dir, &mut run);
    drop(server);
    let options =
        PhoneOptions { idle: IdleWait::SHORT, serial: "OTHER0002".to_owned(), ..PhoneOptions::default() };
    let other = loop {
        // The port is free once the first phone's listener has ended.
        match PhoneServer::bind(at, Phone::new(options.clone())).await {
            Ok(other) => break other,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    let said = Ended::awaited(run).expect_code(3).json();
    drop(other);
    assert_eq!(said["table"][0]["invalid"], 1, "{said}");
    let result = events(&dir).last().unwrap()["result"].to_string();
    let why = "another phone answers: its serial is 'OTHER0002', at the start it was 'WALDO0001'";
    assert!(result.contains("invalid") && result.contains(why), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_stays_away_ends_the_run_soon_and_the_run_goes_on_later() {
    let dir = tempdir();
    let server = phone().await;
    let device = format!("tcp:{}", server.local_addr());
    let mut run = evaluation(&dir, &device, &["--task", "alarm-off"]);
    midway(&dir, &mut run);
    server.unplug();
    let gone = std::time::Instant::now();
    Ended::awaited(run).expect_code(5);
    assert!(gone.elapsed() < Duration::from_secs(60), "{:?}", gone.elapsed());
    server.plug_in().await.unwrap();
    let run = evaluation(&dir, &device, &["--task", "alarm-off"]);
    Ended::awaited(run).expect_code(0);
}

#[test]
fn a_port_where_nobody_listens_is_told_of_before_anything_waits_for_it() {
    let dir = tempdir();
    let port = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (nobody, server) = (port(), port().port().to_string());
    for device in [format!("tcp:{nobody}"), format!("android:{nobody}")] {
        let args = format!(
            "run --device {device} --open com.android.settings --out o --adb-server {server} \
        --agent noop 'look around'"
        );
        let ended = waldo(&dir, &args).env("HOME", dir.to_str().unwrap()).exits(5);
        ended.warns(format!("no phone is at {nobody}")).warns("adb tcpip 5555");
        assert!(!dir.join("o").exists());
    }
    Command::new("adb").args(["-P", &server, "kill-server"]).env("HOME", &dir).output().unwrap();
}

/// A demonstration that waits for its next command, and so holds its phone.
struct Holding {
    child: Child,
    commands: ChildStdin,
}

impl Holding {
    fn start(dir: &Path, device: &str) -> Self {
        let args =
            ["demo", "record", "--device", device, "--open", "com.android.settings", "--out", "demo", "x"];
        let mut child = waldo(dir, &args).start_talking();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("stop, help") {
            line.clear();
            assert!(said.read_line(&mut line).unwrap() > 0, "it ended");
        }
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        let commands = child.stdin.take().unwrap();
        Self { child, commands }
    }

    fn stop(mut self) {
        self.commands.write_all(b"stop\n").unwrap();
        drop(self.commands);
        assert!(self.child.wait().unwrap().success());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_is_driven_by_one_waldo_at_a_time() {
    let dir = tempdir();
    let server = phone().await;
    let device = format!("tcp:{}", server.local_addr());
    let first = Holding::start(&dir, &device);
    let holder = format!("process {}", first.child.id());
    let run = ["run", "--device", &device, "--open", "com.android.settings", "--agent", "noop"];
    let run = [&run[..], &["--max-steps", "1", "--out", "run", "look"]].concat();
    let eval = ["eval", "l3-android", "--task", "dark-theme", "--device", &device, "--agent", "noop"];
    for args in [&run[..], &eval, &["elements", "--device", &device, "--open", "com.android.settings"]] {
        waldo(&dir, args).exits(5).warns("another waldo").warns(&holder);
    }
    first.stop();
    waldo(&dir, &run).ok();
}

#[test]
fn a_killed_run_on_a_simulated_phone_leaves_no_folder_behind() {
    let dir = tempdir();
    let temp = dir.join("temp");
    std::fs::create_dir(&temp).unwrap();
    let args = "eval l3-android --device simphone --agent reference --out r --task event-conflict \
        --no-report";
    let mut run = waldo(&dir, args).env("TMPDIR", temp.to_str().unwrap()).start();
    midway(&dir, &mut run);
    kill(&mut run);
    let left: Vec<_> = std::fs::read_dir(&temp).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_cable_with_no_such_phone_is_told_of() {
    let dir = tempdir();
    for command in [&["run", "--agent", "noop", "--out", "o", "look"][..], &["elements"]] {
        let args = [command, &["--device", "usb:no-such-serial", "--open", "com.android.settings"]].concat();
        waldo(&dir, &args).exits(5).warns("USB cable");
    }
}

#[test]
fn pairing_with_nobody_is_told_of_and_keeps_its_key_to_the_user() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempdir();
    let home = dir.join("home");
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let pair = |args: &str| waldo(&dir, args).env("HOME", home.to_str().unwrap());
    pair(&format!("pair {nobody} 123456")).exits(5).warns(format!("no phone waits to be paired at {nobody}"));
    let mode = |path: &str| std::fs::metadata(home.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(".android"), mode(".android/adbkey")), (0o700, 0o600));
    pair("pair phone 123456").exits(2).warns("numeric address");
}

/// An adb server that knows these phones, and can do no more than say so.
fn adb_that_knows(phones: &'static str) -> u16 {
    let door = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = door.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in door.incoming().flatten() {
            let mut length = [0; 4];
            stream.read_exact(&mut length).unwrap();
            let length = usize::from_str_radix(std::str::from_utf8(&length).unwrap(), 16).unwrap();
            let mut asked = vec![0; length];
            stream.read_exact(&mut asked).unwrap();
            let said = match asked.as_slice() {
                b"host:version" => "0029",
                b"host:devices-l" => phones,
                // Whoever waits for a phone gets no answer.
                _ => {
                    let _ = stream.read(&mut [0]);
                    continue;
                }
            };
            write!(stream, "OKAY{:04x}{said}", said.len()).unwrap();
        }
    });
    port
}

#[test]
fn a_phone_that_adb_does_not_know_is_told_at_once() {
    let dir = tempdir();
    let port = adb_that_knows("emulator-5554\tdevice\nR58\toffline\n").to_string();
    let on = ["--device", "android:nosuch", "--adb-server", &port, "--agent", "noop"];
    let run = ["run", "--open", "com.android.settings", "look"];
    for command in [&run[..], &["eval", "l3-android", "--task", "dark-theme"]] {
        // Half of what it would wait for a phone that may come back.
        let args = [command, &on].concat();
        let told = "adb knows no phone 'nosuch'; it knows emulator-5554, R58; `waldo devices` lists them";
        waldo(&dir, &args).within(Duration::from_secs(30)).exits(5).warns(told);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn why_there_is_no_picture_is_told_by_the_way_that_every_phone_has() {
    let dir = tempdir();
    let server = phone().await;
    server.phone().with(|world| world.faults_mut().set(PhoneFault::HalfPicture, Stay::Always));
    let device = format!("tcp:{}", server.local_addr());
    let looked = waldo(&dir, &format!("elements --device {device} --open com.android.settings"));
    let ended = looked.env("XDG_CACHE_HOME", "cache").exits(1);
    ended.warns("screencap failed").never_warns("invalid option");
}

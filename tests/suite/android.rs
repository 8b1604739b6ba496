//! Phones through the binary: simulated ones in the process, and behind their port for a stock adb.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;

use super::support::*;

/// A running `waldo simphone` with the phones' serials; ended when it is dropped.
struct Phones {
    _child: Ends,
    serials: Vec<String>,
}

impl Phones {
    fn start(dir: &Path, more: &[&str]) -> Self {
        let mut args = vec!["simphone", "--port", "0", "--idle", "short", "--json"];
        args.extend(more);
        let mut child = waldo(dir, &args).start();
        let mut told = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let phones: Value = loop {
            assert!(out.read_line(&mut told).unwrap() > 0, "it ended: {told}");
            if let Ok(value) = serde_json::from_str(&told) {
                break value;
            }
        };
        let serials = phones.as_array().unwrap().iter().map(|p| p["serial"].as_str().unwrap().to_owned());
        Self { serials: serials.collect(), _child: Ends(child) }
    }
}

#[test]
fn tasks_are_played_on_simulated_phones() {
    let dir = tempdir();
    // The last two give no tree: a game on a canvas, and music whose picture never rests.
    let tasks = ["dark-theme", "brightness-max", "phone-name-answer", "infeasible-network"];
    let tasks: String =
        tasks.iter().chain(&["lights-out", "music-skip"]).map(|task| format!(" --task {task}")).collect();
    let agents = "--agent reference --agent noop --agent appagent --model reference";
    let line = "eval l3-android --device simphone --workers 2 --max-steps 8 --json --out r";
    let got = waldo(&dir, &format!("{line} {agents} {tasks}")).json();
    let sr = |name: &str| {
        has(row(&got, name), json!({ "invalid": 0 }));
        row(&got, name)["sr"].as_f64().unwrap()
    };
    assert_eq!((sr("reference"), sr("appagent+reference"), sr("noop")), (1.0, 1.0, 0.0), "{got}");
    let replayed = waldo(&dir, "replay r reference/dark-theme/r0 --json").json();
    assert_eq!(replayed["success"], 1.0, "{replayed}");
}

#[test]
fn a_suite_asks_for_the_screen_that_it_is_played_on() {
    let dir = tempdir();
    waldo(&dir, "eval l3-android --agent noop --device web").exits(4).warns("--device simphone");
    // Where none is named it is a phone in this process.
    let got = waldo(&dir, "eval l3-android --task note-answer --agent noop --no-report --json").json();
    has(&got["table"][0], json!({ "n": 1, "invalid": 0 }));
    waldo(&dir, "eval l3-web --agent noop --device simphone").exits(4).warns("give --device web");
    waldo(&dir, "run --device simphone --agent noop x").exits(4).warns("--allow-app");
}

#[test]
fn an_app_that_is_not_allowed_is_left_again() {
    let dir = tempdir();
    // The launcher may be touched, what it opens may not.
    let args = "run --device simphone --allow-app com.android.launcher3 --agent baseline --max-steps 2 --out r \
        --json 'Settings Settings'";
    waldo(&dir, args).ok();
    let events = events(&dir.join("r"));
    let refused: Vec<&str> = events.iter().filter_map(|event| event["note"]["reason"].as_str()).collect();
    assert!(refused.iter().any(|reason| reason.contains("com.android.settings")), "{refused:?} {events:?}");
    let last = events.iter().rev().find_map(|event| event["context"]["location"].as_str());
    assert!(last.unwrap().starts_with("com.android.launcher3"));
}

#[test]
fn sixteen_phones_at_once_give_no_invalid_episode() {
    let dir = tempdir();
    let tasks = "--task dark-theme --task contact-create --task event-create --task shop-cheapest";
    let line = "eval l3-android --device simphone --workers 16 --repeats 4 --agent reference";
    let got = waldo(&dir, &format!("{line} {tasks} --json --no-report --out r")).json();
    has(&got["table"][0], json!({ "n": 16, "invalid": 0, "sr": 1.0 }));
}

#[test]
fn the_stock_adb_takes_a_simulated_phone_for_a_real_one() {
    let dir = tempdir();
    let phones = Phones::start(&dir, &["--count", "2", "--seed", "3"]);
    assert_eq!(phones.serials.len(), 2);
    // A server of our own: the tester's phones are none of our business.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let adb = |args: &[&str]| {
        let out = Command::new("adb").args(["-P", &port]).args(args).env("HOME", &dir).output().unwrap();
        format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
    };
    for serial in &phones.serials {
        adb(&["connect", serial]).says("connected");
    }
    let serial = phones.serials[1].as_str();
    let said = adb(&["-s", serial, "shell", "getprop ro.serialno; exit 7"]);
    assert_eq!(said.trim(), "WALDO0002");
    // No browser starts here, which is no reason to tell of no phone.
    let devices = |more: &[&str]| {
        let args = [&["devices", "--adb-server", &port], more].concat();
        waldo(&dir, &args).env("TMPDIR", "/no/such/folder").ok()
    };
    let listed = devices(&["--json"]).json();
    let listed = listed.as_array().unwrap();
    let named =
        |device: &Value| device["serial"] == serial && device["state"] == "device" && device["ready"] == true;
    assert!(listed.iter().any(named), "{listed:?}");
    let web = listed.iter().find(|device| device["platform"] == "web").unwrap();
    assert!(web["ready"] == false && web["error"].as_str().unwrap().contains("doctor"), "{web}");
    assert!(listed.iter().any(|device| device["device"] == "simphone"), "{listed:?}");
    devices(&[]).stdout.says("web      none: ").says(format!("--device android:{serial}"));
    // Through the server as well as straight.
    for device in [format!("android:{serial}"), format!("tcp:{serial}")] {
        let line = format!("eval l3-android --device {device} --adb-server {port} --task dark-theme");
        let line = format!(
            "{line} --agent reference --workers 4 --no-report --json --out {}",
            device.replace(':', "-")
        );
        let got = waldo(&dir, &line).ok().warns("1 at once");
        assert_eq!(got.json()["table"][0]["sr"], 1.0, "{device}");
    }
    adb(&["kill-server"]);
}

#[test]
fn without_adb_the_other_devices_are_told_of() {
    let dir = tempdir();
    // Somebody listens there, but not as an adb server does.
    let stranger = Server::start(|_, _| Answer::page("no adb"));
    let port = stranger.address.port().to_string();
    for (server, why) in [("1", "adb: "), (port.as_str(), "--adb-server right")] {
        let args = format!("devices --adb-server {server} --json");
        let listed = waldo(&dir, &args).env("PATH", "/nowhere").json();
        let of = |device: &str| {
            let all = listed.as_array().unwrap();
            all.iter().find(|d| d["device"] == device).unwrap_or_else(|| panic!("no {device}: {listed}"))
        };
        assert!(of("android")["error"].as_str().unwrap().contains(why), "{listed}");
        assert_eq!((&of("android")["ready"], &of("simphone")["ready"]), (&false.into(), &true.into()));
        assert!(of("web")["ready"].is_boolean(), "{listed}");
    }
}

#[test]
fn a_display_is_named_for_phones_alone() {
    let dir = tempdir();
    let on = |start: &str, display: &str| {
        waldo(&dir, &format!("elements --device {start} --display-id {display}"))
    };
    let settings = "simphone --open com.android.settings";
    on(settings, "0").ok().prints("Display");
    on(settings, "3").exits(4).warns("display 3: no such id; the displays of the phone are: 0");
    let nothing = on("simphone --open com.nosuch.app", "0");
    nothing.exits(4).warns("no app of that name; there is com.android");
    let web = on("web --url http://127.0.0.1:1/", "0");
    web.exits(4).warns("--display-id goes with --device android");
}

#[test]
fn a_dump_is_listed_as_appagent_numbers_it() {
    let dir = tempdir();
    let xml = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0"><node index="0" text="" resource-id="" class="android.widget.FrameLayout" content-desc="" clickable="false" focusable="false" bounds="[0,0][1080,2400]"><node index="0" text="" resource-id="com.example:id/query" class="android.widget.EditText" content-desc="" clickable="false" focusable="true" bounds="[0,100][900,200]" /><node index="1" text="Go" resource-id="com.example:id/go" class="android.widget.Button" content-desc="Go there" clickable="true" focusable="true" bounds="[900,100][1080,200]" /><node index="2" text="" resource-id="" class="android.widget.ImageView" content-desc="" clickable="true" focusable="false" bounds="[0,300][200,500]" /></node></hierarchy>"#;
    write(dir.join("d.xml"), xml);
    let listed = waldo(&dir, "elements --xml d.xml --json").json();
    let expected = json!([
        { "tag": 1, "uid": "android.widget.FrameLayout_1080_2400_com.example.id_go_Gothere_1",
          "bounds": [900, 100, 1080, 200], "via": "clickable" },
        { "tag": 2, "uid": "android.widget.FrameLayout_1080_2400_android.widget.ImageView_200_200_2",
          "bounds": [0, 300, 200, 500], "via": "clickable" },
        { "tag": 3, "uid": "android.widget.FrameLayout_1080_2400_com.example.id_query_0",
          "bounds": [0, 100, 900, 200], "via": "focusable" },
    ]);
    assert_eq!(listed, expected);
    let text = waldo(&dir, "elements --xml d.xml").said();
    assert_eq!(text.lines().count(), 3, "{text}");
    // A part of a dump gives a part of the list, and that is said.
    let node = |inner: &str| format!("<node index=\"0\" class=\"F\" bounds=\"[0,0][9,9]\">{inner}");
    let deep = format!("<hierarchy>{}{}</hierarchy>", node("").repeat(300), "</node>".repeat(300));
    let button = r#"<node index="0" class="B" clickable="true" bounds="[0,0][9,9]"/>"#;
    let many = format!("<hierarchy>{}</node></hierarchy>", node(&button.repeat(10_000)));
    for (name, xml) in [("cut", &xml[..xml.len() - 20]), ("deep", &deep), ("many", &many)] {
        write(dir.join("part.xml"), xml);
        let ended = waldo(&dir, "elements --xml part.xml --json").ok().warns("part.xml was not read whole: ");
        assert!(ended.json().is_array(), "{name}: {}", ended.stdout);
    }
    write(dir.join("no.xml"), "<html>");
    waldo(&dir, "elements --xml no.xml").exits(4).warns("is not a uiautomator dump");
}

#[test]
fn a_simulated_screen_is_pictured() {
    let dir = tempdir();
    waldo(&dir, "simphone --screenshot home.png --dark").ok();
    let png = std::fs::read(dir.join("home.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG") && png.len() > 10_000);
}

#[test]
fn a_phone_task_is_refused_with_file_line_and_field() {
    let dir = tempdir();
    let suite = dir.join("s");
    write(suite.join("suite.toml"), suite_head("s", "android", 5, "\"a\""));
    let good = "id = \"a\"\ntitle = \"T\"\ncategory = \"c\"\ngoal = \"G\"\nstart = \"com.a.b\"\n\
                [[setup]]\nrun = \"true\"\n[[check]]\nkind = \"shell\"\ncommand = \"echo 1\"\nequals = 1\n\
                [[reference]]\ndo = \"home\"\n";
    let (start, reference) = ("start = \"com.a.b\"", "[[reference]]");
    let cases = [
        (start, "start = \"/page/\"", "a.toml:5: start: '/page/' is not a package"),
        (start, "start = \"home\"", "a.toml:1: apps: where the home screen is the start"),
        (start, "start = \"com.a.b\"\napps = [\"b\"]", "a.toml:6: apps[0]: 'b' is not a package"),
        ("run = \"true\"", "rum = \"true\"", "setup[0].rum: unknown field 'rum'; did you mean 'run'?"),
        ("kind = \"shell\"", "kind = \"js\"", "check[0]"),
        ("command = \"echo 1\"\n", "", "check[0]: the field 'command' is missing"),
        ("do = \"home\"", "do = \"reload\"", "reference[0].do: android cannot do this"),
        (reference, "[state]\na = 1\n[[reference]]", "state: is what pages start from"),
    ];
    let tell = |task: &str| {
        write(suite.join("tasks/a.toml"), task);
        waldo(&dir, "tasks ./s").run()
    };
    tell(good).expect_code(0);
    for (from, to, said) in cases {
        tell(&good.replacen(from, to, 1)).expect_code(4).warns(said);
    }
}

//! What cannot be done, said at once and with what to do instead.

use super::support::*;

fn refused(args: &[&str], code: i32) -> String {
    let dir = tempdir();
    let Ended { stderr, stdout, .. } = waldo(&dir, args).exits(code);
    assert_eq!(stdout, "", "nothing that a program would take for an answer");
    stderr
}

#[test]
fn output_that_could_not_be_written_is_no_success() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ended = std::process::Command::new(env!("CARGO_BIN_EXE_waldo"))
        .args(["tasks", "l3-android", "--json"])
        .stdout(full)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("standard output could not be written"), "{said}");
}

#[test]
fn a_page_is_for_a_browser() {
    for command in [&["elements"][..], &["explore", "--model", "reader"], &["run", "look", "--agent", "noop"]]
    {
        let args = [command, &["--device", "desktop", "--url", "http://127.0.0.1:9"]].concat();
        refused(&args, 4).says("--url is for a browser").says("--open");
    }
}

#[test]
fn a_page_that_nobody_serves_is_told_before_an_agent_is_asked() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{nobody}/");
    for command in [&["elements"][..], &["run", "look", "--agent", "noop"]] {
        refused(&[command, &["--url", &url]].concat(), 5)
            .says(format!("nothing answers at {url}: Connection refused"))
            .says("see that its server runs");
    }
    refused(&["elements", "--url", &nobody.to_string()], 4).says(format!("write it as http://{nobody}"));
}

#[test]
fn what_elements_prints_can_be_drawn() {
    let dir = tempdir();
    let site = Server::start(|_, _| Answer::page("<title>Page</title><button>Here</button>"));
    let args = ["elements", "--url", &site.url("/"), "--picture", "a.png", "--json"];
    let printed = waldo(&dir, &args).said();
    write(dir.join("e.json"), printed);
    let args = ["label", "a.png", "e.json", "--out", "b.png"];
    let drawn = waldo(&dir, &args).said();
    assert!(drawn.ends_with("1 button \"Here\"\n1 tag drawn on b.png\n"), "{drawn}");
    write(dir.join("e.json"), "{}");
    waldo(&dir, &args).exits(4).warns("what waldo elements --json prints");
}

#[test]
fn elements_of_nothing_names_all_that_could_be_looked_at() {
    let said = refused(&["elements"], 4);
    for flag in ["--xml", "--url", "--device"] {
        assert!(said.contains(flag), "{said}");
    }
}

#[test]
fn a_suite_that_is_not_there_is_answered_with_all_that_are() {
    let said = refused(&["tasks", "nosuch"], 4);
    for suite in ["l3-android", "l3-desktop", "l3-web", "miniwob", "osworld", "widgets"] {
        assert!(said.contains(suite), "{said}");
    }
}

#[test]
fn what_is_given_where_something_else_is_wanted_is_told_with_its_mend() {
    let dir = tempdir();
    write(dir.join("afile"), "x");
    write(dir.join("bad.toml"), "[eval]\nworkers = \"four\"\n");
    let said = |args: &[&str], variable: (&str, &str), code: i32| {
        waldo(&dir, args).env(variable.0, variable.1).exits(code).stderr
    };
    let noop = ["eval", "l3-web", "--agent", "noop", "--task", "modal-confirm"];
    for (more, variable, told) in [
        (&["--out", "afile"][..], ("A", "b"), "afile: it is a file, and a folder is needed"),
        (&["--out", "afile/run"], ("A", "b"), "afile/run: a part of its path is a file"),
        (&[], ("WALDO_WORKERS", "abc"), "WALDO_WORKERS: takes a whole number from 1 to 256, not 'abc'"),
        (&[], ("WALDO_CONFIG", "bad.toml"), "eval.workers: takes a whole number from 1 to 256, not 'four'"),
    ] {
        said(&[&noop[..], more].concat(), variable, 4).says(told);
    }
    let run = ["run", "look", "--agent", "appagent", "--model", "m"];
    let none = &["--url", "http://127.0.0.1:9/", "--base-url", "none"][..];
    for (more, code, told) in [
        (
            &["--url", "htp:/foo"][..],
            4,
            "'htp:/foo' is not an http or https address: write it whole, such as http://",
        ),
        (none, 4, "give one such as http://127.0.0.1:8000/v1 by --base-url"),
    ] {
        said(&[&run[..], more].concat(), ("A", "b"), code).says(told);
    }
    let new = ["models", "new", "mine"];
    waldo(&dir, &new).ok();
    said(&new, ("A", "b"), 4).says("mine has a profile.toml already").says("models check mine");
}

#[test]
fn a_video_that_cannot_be_written_is_refused_before_a_display_starts() {
    let run = ["run", "look", "--agent", "noop", "--device", "desktop", "--open", "xterm", "--record"];
    refused(&[&run[..], &["/nosuch/x.mp4"]].concat(), 4).says("there is no folder /nosuch; make it first");
    refused(&[&run[..], &["video"]].concat(), 4).says("such as video.mp4");
}

#[test]
fn an_apps_name_does_not_say_which_package_may_be_touched() {
    let args = ["run", "look", "--device", "simphone", "--open", "Settings", "--agent", "noop"];
    refused(&args, 4).says("'Settings' is a name").says("--allow-app");
}

#[test]
fn a_phones_home_screen_is_looked_at_without_naming_an_app() {
    let dir = tempdir();
    let got = waldo(&dir, "elements --device simphone --json").json();
    let named = got["elements"].as_array().unwrap().iter().any(|e| e["name"] == "Settings");
    assert!(named, "{}", got["elements"]);
}

#[test]
fn an_agent_for_pages_is_not_sent_to_a_phone() {
    for command in [&["eval", "l3-android"][..], &["run", "look", "--open", "com.android.settings"]] {
        let args = [command, &["--device", "simphone", "--agent", "frames", "--model", "reference"]].concat();
        refused(&args, 4).says("not on simphone: give --device web");
    }
}

#[test]
fn what_is_wrong_with_a_flag_is_told_without_its_password() {
    let dir = tempdir();
    for device in
        ["vnc://me:zq7hunt3@host", "osworld:http://me:zq7hunt3@host:5000", "no://me:zq7hunt3@host/'x"]
    {
        let said = waldo(&dir, &["run", "look", "--agent", "noop", "--device", device]).run();
        assert!(said.code != 0 && said.stderr.contains("://...@host"), "{}", said.stderr);
        assert!(!said.stderr.contains("zq7hunt3"), "{}", said.stderr);
    }
}

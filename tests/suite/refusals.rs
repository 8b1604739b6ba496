//! What cannot be done, said at once and with what to do instead.

use super::support::*;

fn refused(args: impl Args, code: i32) -> String {
    let Ended { stderr, stdout, .. } = waldo(&tempdir(), args).exits(code);
    assert_eq!(stdout, "", "nothing that a program would take for an answer");
    stderr
}

#[test]
fn output_that_could_not_be_written_is_no_success() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut listing = Command::new(env!("CARGO_BIN_EXE_waldo"));
    let ended = listing.args(["tasks", "l3-android", "--json"]).stdout(full).output().unwrap();
    Ended::of(&ended).expect_code(1).warns("standard output could not be written");
}

#[test]
fn a_page_is_for_a_browser() {
    for command in ["elements", "explore --model reader", "run look --agent noop"] {
        let args = format!("{command} --device desktop --url http://127.0.0.1:9");
        refused(&args, 4).says("--url is for a browser").says("--open");
    }
}

#[test]
fn a_page_that_nobody_serves_is_told_before_an_agent_is_asked() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{nobody}/");
    for command in ["elements", "run look --agent noop"] {
        refused(&format!("{command} --url {url}"), 5)
            .says(format!("nothing answers at {url}: Connection refused"))
            .says("check that its server runs");
    }
    refused(&format!("elements --url {nobody}"), 4).says(format!("write it as http://{nobody}"));
}

#[test]
fn what_elements_prints_can_be_drawn() {
    let dir = tempdir();
    let site = Server::start(|_, _| Answer::page("<title>Page</title><button>Here</button>"));
    let args = format!("elements --url {} --picture a.png --json", site.url("/"));
    write(dir.join("e.json"), waldo(&dir, &args).said());
    let args = "label a.png e.json --out b.png";
    let drawn = waldo(&dir, args).said();
    assert!(drawn.ends_with("1 button \"Here\"\n1 tag drawn on b.png\n"), "{drawn}");
    write(dir.join("e.json"), "{}");
    waldo(&dir, args).exits(4).warns("what waldo elements --json prints");
}

#[test]
fn elements_of_nothing_names_all_that_could_be_looked_at() {
    refused("elements", 4).says("--xml").says("--url").says("--device");
}

#[test]
fn a_suite_that_is_not_there_is_answered_with_all_that_are() {
    let said = refused("tasks nosuch", 4);
    for suite in ["l3-android", "l3-desktop", "l3-web", "miniwob", "osworld", "widgets"] {
        assert!(said.contains(suite), "{said}");
    }
}

#[test]
fn what_is_given_where_something_else_is_wanted_is_told_with_its_mend() {
    let dir = tempdir();
    write(dir.join("afile"), "x");
    write(dir.join("bad.toml"), "[eval]\nworkers = \"four\"\n");
    let noop = "eval l3-web --agent noop --task modal-confirm";
    for (more, variable, told) in [
        ("--out afile", ("A", "b"), "afile: it is a file, and a folder is needed"),
        ("--out afile/run", ("A", "b"), "afile/run: a part of its path is a file"),
        ("", ("WALDO_WORKERS", "abc"), "WALDO_WORKERS: takes a whole number from 1 to 256, not 'abc'"),
        ("", ("WALDO_CONFIG", "bad.toml"), "eval.workers: takes a whole number from 1 to 256, not 'four'"),
    ] {
        waldo(&dir, &format!("{noop} {more}")).env(variable.0, variable.1).exits(4).warns(told);
    }
    let run = "run look --agent appagent --model m --url";
    for (more, told) in [
        (
            "htp:/foo",
            "'htp:/foo' is not an http or https address: write the complete address, such as http://",
        ),
        ("http://127.0.0.1:9/ --base-url none", "give one such as http://127.0.0.1:8000/v1 by --base-url"),
    ] {
        waldo(&dir, &format!("{run} {more}")).exits(4).warns(told);
    }
    waldo(&dir, "models new mine").ok();
    waldo(&dir, "models new mine")
        .exits(4)
        .warns("mine has a profile.toml already")
        .warns("models check mine");
}

#[test]
fn a_video_that_cannot_be_written_is_refused_before_a_display_starts() {
    let run = "run look --agent noop --device desktop --open xterm --record";
    refused(&format!("{run} /nosuch/x.mp4"), 4).says("there is no folder /nosuch; make it first");
    refused(&format!("{run} video"), 4).says("such as video.mp4");
}

#[test]
fn an_apps_name_does_not_say_which_package_may_be_touched() {
    let args = "run look --device simphone --open Settings --agent noop";
    refused(args, 4).says("'Settings' is a name").says("--allow-app");
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
    for command in ["eval l3-android", "run look --open com.android.settings"] {
        let args = format!("{command} --device simphone --agent frames --model reference");
        refused(&args, 4).says("not on simphone: give --device web");
    }
}

#[test]
fn what_is_wrong_with_a_flag_is_told_without_its_password() {
    let dir = tempdir();
    for device in
        ["vnc://me:zq7hunt3@host", "osworld:http://me:zq7hunt3@host:5000", "no://me:zq7hunt3@host/'x"]
    {
        let said = waldo(&dir, &["run", "look", "--agent", "noop", "--device", device]).fails();
        said.warns("://...@host").never_warns("zq7hunt3");
    }
}

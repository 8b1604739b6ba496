//! `waldo open`, `see`, `tap` and the others: single commands of a shell on one session.

use super::support::*;

const PAGE: &str = "<title>Orders</title><label>Name <input></label><button onclick=\"\
    document.querySelector('output').textContent = 'Hello, ' + document.querySelector('input').value\">Greet</button>\
    <output></output>";

fn shop() -> Server {
    Server::start(|_, _| Answer::page(PAGE))
}

/// Runs a command with a runtime folder of the test's own; sessions end with their `close` or `--idle`.
fn command(dir: &Path, args: impl Args) -> Ended {
    let runtime = dir.join("runtime");
    folder(&runtime);
    waldo(dir, args).env("XDG_RUNTIME_DIR", runtime.to_str().unwrap()).run()
}

fn number(list: &str, name: &str) -> String {
    let line = list.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("no {name}: {list}"));
    line.trim_start().trim_start_matches('[').split([']', ' ']).next().unwrap().to_owned()
}

#[test]
fn single_commands_work_on_one_session_behind_its_guard() {
    let dir = tempdir();
    let (shop, other) = (shop(), shop());
    let run = |args: &str| command(&dir, args);
    run("see").expect_code(4).warns("waldo open");

    let opened = run(&format!("open {} --idle 300", shop.url("/"))).expect_code(0);
    let (name, greet) = (number(&opened.stdout, "\"Name\""), number(&opened.stdout, "\"Greet\""));
    run(&format!("fill {name} 'Ada = one'")).expect_code(0).prints("Ada = one");
    run(&format!("tap {greet}")).expect_code(0).prints("+ \"Hello, Ada = one\"");
    run("wait-for 'Hello, Ada'").expect_code(0);
    let seen = run("see --json").expect_code(0).json();
    assert!(seen["content"][0]["text"].as_str().unwrap().contains("Hello"), "{seen}");
    // The session's flags may stand after the values, too, though a value may begin with a hyphen.
    let waited = run("wait-for 'Hello, Ada' -s default --json").expect_code(0).json();
    assert!(waited["content"].is_array(), "{waited}");
    run(&format!("tap {greet} --session other")).expect_code(4).warns("'other'");
    run("shot page.png --numbers").expect_code(0);
    assert_eq!(image::image_dimensions(dir.join("page.png")).unwrap(), (1280, 800));
    run("act").expect_code(0).prints("scroll ");

    // What cannot be done is told on standard error, and the session goes on.
    let absent = run("tap 99").expect_code(1).warns("99");
    assert_eq!(absent.stdout, "");
    // A near name is suggested.
    run("act tapp 1").expect_code(4).warns("tap");
    run("tap 1 2 3 4").expect_code(4).warns("one too many");
    run(&format!("goto {}", other.url("/"))).expect_code(1).warns("--allow");
    assert!(other.requests().is_empty(), "the guard lets nothing through");
    run(&format!("goto {}", shop.url("/again"))).expect_code(0);
    let again = shop.requests().iter().any(|request| request.path == "/again");
    assert!(again, "a page of its own origin is opened");
    run(&format!("open {}", shop.url("/"))).expect_code(4).warns("is open already");

    run("close").expect_code(0).prints("report: ");
    run("see").expect_code(4);
    let runs = std::fs::read_dir(dir.join("runs")).unwrap().count();
    assert_eq!(runs, 1, "the session is one run");
}

#[test]
fn a_session_that_nobody_uses_ends_by_itself_and_one_that_cannot_start_says_why() {
    let dir = tempdir();
    let shop = shop();
    let open = format!("open {}", shop.url("/"));
    command(&dir, &format!("{open} -s short --idle 1")).expect_code(0);
    let socket = dir.join("runtime/waldo/short.sock");
    until("the session is gone", 60, || !socket.exists());
    command(&dir, &format!("{open} --device nothing")).expect_code(2).warns("nothing");
    let bad = command(&dir, "open ftp://example.org/");
    assert!(bad.code != 0 && !bad.stderr.is_empty(), "{}", bad.stderr);
    command(&dir, "skill").expect_code(0).prints("waldo fill");
}

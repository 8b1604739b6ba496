//! `waldo run` keeps to what it may do.

use std::io::Write as _;

use super::desktop_taken::Display;
use super::support::*;

/// A page with a button, and another server that it must not reach.
fn sites() -> (Server, Server) {
    let foreign = Server::start(|_, _| Answer::page("stolen"));
    let away = foreign.url("/");
    let page = format!(
        "<!doctype html><title>Pad</title><img src='{away}i.png'><script src='{away}s.js'></script>\
         <iframe src='{away}'></iframe><button onclick=\"fetch('/launched');window.open('{away}')\">Launch</button>\
         <script>fetch('{away}').catch(()=>0);navigator.sendBeacon('{away}','x');new WebSocket('ws://{}/')</script>",
        foreign.address
    );
    (
        Server::start(move |_, request| match request.path.as_str() {
            "/" => Answer::page(&page),
            _ => Answer::ok(),
        }),
        foreign,
    )
}

fn launched(site: &Server) -> bool {
    site.requests().iter().any(|request| request.path == "/launched")
}

/// A run on the page that stops after two steps and is told of, as `baseline` plays it.
fn pressing(dir: &Path, url: &str, more: &str) -> Waldo {
    let line = "run 'press \"Launch\"' --agent baseline --max-steps 2 --watch";
    waldo(dir, &format!("{line} --url {url} {more}"))
}

/// Runs waldo at a terminal where somebody types `typed`.
pub(super) fn at_terminal(dir: &Path, args: &[&str], typed: &str) -> Ended {
    let words: Vec<String> = args.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
    let mut script = Command::new("script");
    script.args(["-qec", &format!("{} {}", env!("CARGO_BIN_EXE_waldo"), words.join(" ")), "/dev/null"]);
    script.current_dir(dir).env("NO_COLOR", "1").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = script.spawn().unwrap();
    // Held open: the end of the input would end the terminal.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(typed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    Ended { code: output.status.code().unwrap_or(-1), stdout, stderr: String::new() }
}

#[test]
fn the_agent_does_what_it_may_and_reaches_nothing_foreign() {
    let dir = tempdir();
    let (site, foreign) = sites();
    let url = site.url("/");
    let ended = pressing(&dir, &url, "--out r").ok();
    assert!(launched(&site), "{}", ended.stderr);
    assert_eq!(foreign.requests().len(), 0);
    // The page really tries: where it may, it arrives.
    pressing(&dir, &url, &format!("--out r2 --allow {url} --allow {}", foreign.url(""))).ok();
    assert!(!foreign.requests().is_empty());
}

#[test]
fn a_denied_action_is_refused_and_told() {
    let dir = tempdir();
    let (site, _foreign) = sites();
    pressing(&dir, &site.url("/"), "--deny tap --out r").ok().warns("refused: the action 'tap' is denied");
    assert!(!launched(&site));
}

#[test]
fn an_action_to_ask_about_needs_somebody_to_ask() {
    let (site, _foreign) = sites();
    let url = site.url("/");
    let dir = tempdir();
    pressing(&dir, &url, "--ask tap --out r").ok().warns("'tap' was not approved");
    assert!(!launched(&site));

    let args = ["run", "press \"Launch\"", "--url", &url, "--agent", "baseline", "--max-steps", "2"];
    let args = [&args[..], &["--watch", "--out", "r", "--ask", "tap"]].concat();
    let dir = tempdir();
    let ended = at_terminal(&dir, &args, "n\nn\n").expect_code(0).prints("was not approved");
    let ended = ended.prints("carry out tap [1] button \"Launch\" at (").prints(format!(" on {url}?"));
    let ended = ended.prints("it would: press");
    // The picture that is named is there.
    let picture = ended.stdout.split("the picture: ").nth(1).unwrap().lines().next().unwrap().trim();
    assert!(dir.join(picture).is_file() && picture.ends_with("step-01.webp"), "{picture}");
    assert!(!launched(&site));

    let ended = at_terminal(&tempdir(), &args, "y\ny\n").expect_code(0).prints("carry out");
    assert!(launched(&site), "{}", ended.stdout);
}

/// What waldo did with a model's replies, one a step, with something denied or asked about.
fn replied(url: &str, flags: &[&str], replies: &[&str]) -> (Ended, Server) {
    replied_with(url, flags, replies, ("LANG", "C.UTF-8"))
}

/// As [`replied`], with a variable in the environment.
fn replied_with(url: &str, flags: &[&str], replies: &[&str], (name, value): (&str, &str)) -> (Ended, Server) {
    let replies: Vec<String> = replies.iter().map(|reply| (*reply).to_owned()).collect();
    let model = Server::start(move |n, _| {
        let call = replies.get(n).map_or("FINISH", String::as_str);
        Answer::chat(&format!("Observation: o\nThought: I go on.\nAction: {call}\nSummary: s"))
    });
    let dir = tempdir();
    let address = model.url("/v1");
    let mut args = vec!["run", "look around", "--url", url, "--agent", "appagent", "--model", "m"];
    args.extend(["--base-url", &address, "--max-steps", "12", "--watch", "--out", "r"]);
    args.extend(flags);
    (waldo(&dir, &args).env(name, value).run(), model)
}

/// A page that tells its server of its loading, its keys, what is typed, and the presses of its button.
fn telling() -> Server {
    Server::start(|_, request| match request.path.as_str() {
        "/" | "/other" => Answer::page(
            "<!doctype html><title>Pad</title><input id=f autofocus><button onclick=\"fetch('/pressed')\">Go</button>\
             <script>f.oninput=()=>fetch('/typed');f.focus()</script>",
        ),
        _ => Answer::ok(),
    })
}

fn count(site: &Server, path: &str) -> usize {
    site.requests().iter().filter(|request| request.path == path).count()
}

#[test]
fn no_other_action_does_what_is_denied() {
    let site = telling();
    let url = site.url("/");
    let other = format!("new_tab(\"{}\")", site.url("/other"));
    let replies = [
        other.as_str(),
        "key(\"ctrl+t\")",
        "key(\"ctrl+w\")",
        "key(\"F5\")",
        "key(\"ctrl+r\")",
        "key(\"alt+ArrowLeft\")",
        "key(\"h\")",
        "key(\"Enter\")",
        "key(\"space\")",
        "text(\" \")",
        "FINISH",
    ];
    let deny = ["navigate", "type", "reload", "close_tab", "new_tab", "back", "tap"];
    let flags: Vec<&str> = deny.iter().flat_map(|name| ["--deny", name]).collect();
    let (ended, model) = replied(&url, &flags, &replies);
    assert_eq!(model.requests().len(), replies.len(), "{}", ended.stderr);
    let refusals = ended.stderr.matches("refused: ").count();
    assert_eq!(refusals, replies.len() - 1, "{}", ended.stderr);
    assert_eq!((count(&site, "/"), count(&site, "/other")), (1, 0));
    assert_eq!((count(&site, "/typed"), count(&site, "/pressed")), (0, 0));
    // Without the rules the same keys do reach the page.
    let site = telling();
    let url = site.url("/");
    let (ended, _model) = replied(&url, &[], &["key(\"h\")", "key(\"Tab\")", "key(\"Enter\")", "FINISH"]);
    assert_eq!((count(&site, "/typed"), count(&site, "/pressed")), (1, 1), "{}", ended.stderr);
}

/// The page that the browser itself shows in a new tab is nothing that an agent is shown, in a browser with windows either,
/// where the browser takes the chord that opens one.
#[test]
fn the_browsers_own_pages_are_never_shown_to_a_model() {
    let site = telling();
    let display = Display::start();
    let (ended, model) = replied_with(
        &site.url("/"),
        &["--headed"],
        &["key(\"ctrl+t\")", "key(\"b\")", "key(\"ctrl+t\")", "key(\"c\")", "FINISH"],
        ("DISPLAY", &display.name),
    );
    let asked = model.requests();
    assert_eq!(asked.len(), 5, "{}", ended.stderr);
    assert!(asked[1].body.contains("a new tab was closed"), "{}", ended.stderr);
    for request in &asked {
        let lines: Vec<&str> = request.body.split("\\n").filter(|line| line.contains("chrome://")).collect();
        assert_eq!(lines, [""; 0], "{}", ended.stderr);
    }
    // The browser answers nothing to a chord that it takes for itself, and lags by that answer from then on: neither
    // the chord nor a key after it may end in a failure.
    assert!(!ended.stderr.contains("no answer"), "{}", ended.stderr);
}

//! Runs that start logged in: what opens the account stands nowhere; and signing in by hand.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::live::{Page, started};
use super::support::*;

const SESSION: &str = "s3ss10n/with+signs==";
const TOKEN: &str = "eyJhbGciOi.eyJzdWIiOiIx.c2lnbmF0dXJl";

/// Shows whatever it is logged in by, in every place where a page can.
const PAGE: &str = r##"<!doctype html><title>Account</title><h1 id=h></h1><button id=b>Orders</button><input id=i>
<script>
  const all = document.cookie + " " + localStorage.getItem("auth");
  h.textContent = all; b.ariaLabel = "Orders " + all; i.value = all; document.title = all;
  history.replaceState(null, "", "/?all=" + encodeURIComponent(all) + "#" + btoa(all));
  if (!document.cookie.includes("sid")) { h.textContent = "signed out"; }
</script>"##;

/// A site, and a model that looks twice and ends.
fn site() -> Server {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    Server::start(move |_, request| {
        if !request.path.ends_with("/chat/completions") {
            return Answer::page(PAGE);
        }
        let asked = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Answer::acts(if asked == 0 { "tap(1)" } else { "FINISH" })
    })
}

fn state(dir: &Path, site: &Server) -> PathBuf {
    let path = dir.join("state.json");
    let auth = json!({ "user": { "name": "Ada", "access_token": TOKEN } }).to_string();
    let state = json!({
        "cookies": [{ "name": "sid", "value": SESSION, "domain": "127.0.0.1", "path": "/", "expires": -1 }],
        "origins": [{ "origin": site.url(""), "localStorage": [{ "name": "auth", "value": auth }] }],
    });
    fs::write(&path, state.to_string()).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    path
}

/// All forms in which a page writes a value, as far as a search for bytes finds them.
fn forms(value: &str) -> Vec<String> {
    let percent = value.replace('/', "%2F").replace('+', "%2B").replace('=', "%3D");
    let json = value.replace('/', "\\/");
    vec![value.to_owned(), percent, json]
}

#[test]
fn what_opens_an_account_is_in_no_prompt_record_report_or_export() {
    let dir = tempdir();
    let site = site();
    let state = state(&dir, &site);
    let (url, base) = (site.url("/"), site.url("/v1"));
    let start = format!("--url {url} --storage-state state.json --watch -vv --out run");
    let args = format!("run 'look at my orders' {start} --agent appagent --model m --base-url {base}");
    let ended = waldo(&dir, &args).ok();
    let prompts = super::live::asked(&site);
    assert_eq!(prompts.len(), 2);
    let said = format!("{}{}{}", prompts.concat(), ended.stdout, ended.stderr);
    prompts[0].clone().says("Orders").lacks("signed out");
    for form in [SESSION, TOKEN].iter().flat_map(|value| forms(value)) {
        assert!(!said.contains(&form), "{form}");
    }
    for to in ["atif", "jsonl", "playwright"] {
        waldo(&dir, &format!("export run --to {to} --out exported-{to}")).ok();
    }
    waldo(&dir, "report run").ok();
    fs::remove_file(state).unwrap();
    let forms: Vec<String> = [SESSION, TOKEN].into_iter().flat_map(forms).collect();
    let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
    assert_eq!(holding(&dir, &forms), Vec::<PathBuf>::new());
    // It was there to be found.
    text_in(dir.join("run/manifest.json")).says("by-hand");
}

#[test]
fn a_state_that_others_can_read_and_flags_that_do_nothing_are_refused() {
    let dir = tempdir();
    let site = site();
    let state = state(&dir, &site);
    fs::set_permissions(&state, fs::Permissions::from_mode(0o644)).unwrap();
    let url = site.url("/");
    let refused = |args: &str| waldo(&dir, args).exits(4).stderr;
    refused(&format!("run g --url {url} --agent noop --storage-state state.json"))
        .says("chmod 600 'state.json'");
    refused("run g --device simphone --allow-app * --agent noop --storage-state state.json")
        .says("--storage-state goes with --device web, not with simphone");
    refused("eval l3-web --agent noop --save-storage-state to.json").says("waldo login");
    refused(&format!("login --url {url} --save no/such/folder.json")).says("a folder that exists");
}

const SIGN_IN: &str = r#"<!doctype html><title>Sign in</title><input aria-label="Password" id=p type=password>
<button onclick="document.cookie = 'sid=of-' + p.value.length + '-characters; max-age=600';
  localStorage.setItem('auth', 'token-of-' + p.value.length); document.body.textContent = 'welcome'">Sign in</button>"#;

fn login(dir: &Path) -> (Server, std::process::Child, Page) {
    let site = Server::start(|_, _| Answer::page(SIGN_IN));
    let (child, address) = started(dir, &["login", "--url", &site.url("/"), "--save", "state.json"]);
    (site, child, Page::open(&address, "one", Some(KEY)))
}

const KEY: &str = "person/by-hand/r0";

#[test]
fn a_person_signs_in_and_the_state_is_theirs_alone() {
    let dir = tempdir();
    let (site, child, mut page) = login(&dir);
    let at = |n: u64| move |line: &Value| line["step"] == n && line["phase"] == "deciding";
    let calls = [
        json!({ "tool": "tap", "args": { "element": 1 } }),
        json!({ "tool": "type", "args": { "text": "correct horse battery" } }),
        json!({ "tool": "tap", "args": { "element": 2 } }),
    ];
    for (step, call) in (1..).zip(calls) {
        page.until("a screen", at(step));
        page.does(KEY, with(json!({ "do": "act", "step": step }), &call));
    }
    page.until("the last screen", at(4));
    page.does(KEY, json!({ "do": "finish" }));
    let out = Ended::awaited(child).expect_code(0).stdout;
    assert!(out.contains("state.json") && !out.contains("record"), "{out}");
    let path = dir.join("state.json");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let kept = json_in(&path);
    assert_eq!(kept["cookies"][0]["value"], "of-21-characters");
    let stored = json!([{ "name": "auth", "value": "token-of-21" }]);
    assert_eq!(kept["origins"][0], json!({ "origin": site.url(""), "localStorage": stored }));
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 1, "nothing but the state is left");
}

#[test]
fn a_login_that_is_given_up_keeps_nothing() {
    let dir = tempdir();
    let (_site, child, mut page) = login(&dir);
    page.until("a screen", |line| line["phase"] == "deciding");
    page.does(KEY, json!({ "do": "stop" }));
    Ended::awaited(child).expect_code(8);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
}

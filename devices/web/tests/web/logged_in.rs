//! Pages that start logged in: by a state's file, by somebody's profile; and what is kept at the end.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use waldo_devices::Secrets;
use waldo_web::{BrowserOptions, LoginOptions, StorageState, WebOptions};

use super::site::Site;
use super::support::*;

const PAGE: &str = "<title>Account</title><p id=p></p><script>
    p.textContent = `${document.cookie} | ${localStorage.getItem('token')}`; document.title = document.cookie</script>";
const SESSION: &str = "s-9f8e7d6c5b4a";
const TOKEN: &str = "tok-0123456789abcdef";

/// A state for this site, and for another host.
fn state(site: &Site) -> Value {
    let cookie = |name: &str, value: &str, domain: &str| json!({ "name": name, "value": value, "domain": domain, "path": "/" });
    json!({
        "cookies": [cookie("sid", SESSION, "127.0.0.1"), cookie("other", "other-host-4711", "localhost")],
        "origins": [
            { "origin": site.origin(), "localStorage": [{ "name": "token", "value": TOKEN }] },
            { "origin": "https://elsewhere.test", "localStorage": [{ "name": "k", "value": "elsewhere-4711" }] },
        ],
    })
}

fn file(dir: &Path, state: &Value) -> PathBuf {
    let path = dir.join("state.json");
    fs::write(&path, state.to_string()).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    path
}

fn options(state: Option<&Path>, save: Option<&Path>) -> WebOptions {
    let state = state.map(|path| Arc::new(StorageState::read(path).unwrap()));
    let logged_in = LoginOptions { state, save: save.map(Path::to_owned), learn: None };
    let secrets = Secrets::new([("pin".to_owned(), "typed-by-name".to_owned())]);
    WebOptions { secrets, logged_in, ..WebOptions::default() }
}

async fn shown(device: &mut waldo_web::WebDevice) -> Value {
    js(device, "document.cookie + ' | ' + localStorage.getItem('token')").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_starts_logged_in_and_nothing_shows_by_what() {
    let dir = tempfile::tempdir().unwrap();
    let (site, quiet) = (Site::start(), Site::start());
    let start = site.page("/", PAGE);
    let mut both = state(&site);
    let stored = json!({ "origin": quiet.origin(), "localStorage": [{ "name": "token", "value": TOKEN }] });
    both["origins"].as_array_mut().unwrap().push(stored);
    let path = file(dir.path(), &both);
    let browser = launch().await;
    let mut device = begun(&browser, &options(Some(&path), None), &to(&start, &[&site, &quiet])).await;
    assert_eq!(shown(&mut device).await, format!("sid={SESSION} | {TOKEN}"));
    assert_eq!(quiet.connections(), 0, "an origin's storage is set without asking it for anything");
    let seen = see(&mut device).await;
    let told = format!("{:?} {:?} {:?}", seen.context, seen.texts, seen.elements);
    assert!(told.contains("••••") && !told.contains(SESSION) && !told.contains(TOKEN), "{told}");
    assert_eq!(seen.context.tabs.len(), 1, "{:?}", seen.context.tabs);
    // It has no name by which it could be typed.
    let secrets = device.secrets();
    assert_eq!(secrets.names().collect::<Vec<_>>(), ["pin"]);
    assert_eq!(secrets.mask(format!("{SESSION} other-host-4711")), "•••• other-host-4711");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_allowed_origins_are_logged_in_and_each_start_anew() {
    let dir = tempfile::tempdir().unwrap();
    let (site, other) = (Site::start(), Site::start());
    let start = other.page("/", PAGE);
    site.page("/", PAGE);
    let path = file(dir.path(), &state(&site));
    let browser = launch().await;
    let mut device = browser.new_device(&options(Some(&path), None)).unwrap();
    // A cookie knows no ports, local storage does.
    device.reset(&to(&start, &[&other]), soon()).await.unwrap();
    assert_eq!(shown(&mut device).await, format!("sid={SESSION} | null"));
    let url = start.replace("127.0.0.1", "localhost");
    let by_name = waldo_devices::GuardPolicy {
        origins: vec![waldo_devices::OriginRule::parse(url.trim_end_matches('/')).unwrap()],
        ..Default::default()
    };
    device
        .reset(&waldo_devices::ResetTo { start: url, policy: by_name, ..Default::default() }, soon())
        .await
        .unwrap();
    assert_eq!(shown(&mut device).await, "other=other-host-4711 | null");
    // What was given to the start before is no secret of this one.
    assert_eq!(device.secrets().mask(format!("{SESSION} other-host-4711")), format!("{SESSION} ••••"));
    js(&mut device, "document.cookie = 'mine=1'").await;
    device.reset(&to(&site.url("/"), &[&site]), soon()).await.unwrap();
    assert_eq!(shown(&mut device).await, format!("sid={SESSION} | {TOKEN}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_pages_are_logged_in_by_is_kept_beside_what_was_not_theirs() {
    let dir = tempfile::tempdir().unwrap();
    let site = Site::start();
    let start = site.page("/", "<title>Sign in</title><button>Go</button>");
    let (path, save) = (file(dir.path(), &state(&site)), dir.path().join("saved.json"));
    let browser = launch().await;
    let mut device = begun(&browser, &options(Some(&path), Some(&save)), &to(&start, &[&site])).await;
    js(
        &mut device,
        "document.cookie = 'sid=renewed-1234; max-age=600'; localStorage.setItem('token', 'new-token')",
    )
    .await;
    device.close(soon()).await.unwrap();
    assert_eq!(fs::metadata(&save).unwrap().permissions().mode() & 0o777, 0o600);
    let kept: Value = serde_json::from_str(&fs::read_to_string(&save).unwrap()).unwrap();
    let cookie = |name: &str| {
        let all = kept["cookies"].as_array().unwrap();
        all.iter().filter(|cookie| cookie["name"] == name).cloned().collect::<Vec<_>>()
    };
    assert_eq!((cookie("sid").len(), &cookie("sid")[0]["value"]), (1, &json!("renewed-1234")));
    assert_eq!(cookie("sid")[0]["domain"], "127.0.0.1");
    assert!(cookie("sid")[0]["expires"].as_f64().unwrap() > 1e9);
    assert_eq!(cookie("other")[0]["value"], "other-host-4711", "the state of other hosts stays");
    let stored = kept["origins"].as_array().unwrap();
    assert_eq!(
        stored[0],
        json!({ "origin": site.origin(), "localStorage": [{ "name": "token", "value": "new-token" }] })
    );
    assert_eq!((stored.len(), &stored[1]["origin"]), (2, &json!("https://elsewhere.test")));
    // And it is what the next start is logged in by.
    let mut next = begun(&browser, &options(Some(&save), None), &to(&start, &[&site])).await;
    assert_eq!(shown(&mut next).await, "sid=renewed-1234 | new-token");
}

/// A profile that a browser of somebody's own left, signed in to the site.
fn profile(dir: &Path, start: &str) -> PathBuf {
    let own = dir.join("own profile");
    let done = waldo_devices::child::command("chromium")
        .args(["--headless=new", "--no-sandbox", "--password-store=basic", "--no-first-run", "--dump-dom"])
        .arg(format!("--user-data-dir={}", own.display()))
        .arg(start)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    own
}

fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => found.extend(contents(&entry.path())),
            kind if kind.is_file() => found.push((entry.path(), fs::read(entry.path()).unwrap())),
            _ => {}
        }
    }
    found.sort();
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_profile_of_ones_own_is_read_from_a_copy_and_stays_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let site = Site::start();
    let sign_in = format!(
        "<script>document.cookie = 'sid={SESSION}; max-age=6000'; localStorage.setItem('token', '{TOKEN}')</script>"
    );
    let own = profile(dir.path(), &site.page("/sign-in", sign_in));
    let before = contents(&own);
    let start = site.page("/", PAGE);
    let options = BrowserOptions { profile: Some(own.clone()), ..BrowserOptions::default() };
    let browser = waldo_web::Browser::launch(&options, soon()).await.unwrap();
    let mut device = begun(&browser, &WebOptions::default(), &to(&start, &[&site])).await;
    assert_eq!(shown(&mut device).await, format!("sid={SESSION} | {TOKEN}"));
    assert!(!format!("{:?}", see(&mut device).await.context).contains(SESSION));
    // Episodes do not change it for each other.
    js(&mut device, "localStorage.setItem('token', 'changed'); document.cookie = 'sid=changed'").await;
    device.reset(&to(&start, &[&site]), soon()).await.unwrap();
    assert_eq!(shown(&mut device).await, format!("sid={SESSION} | {TOKEN}"));
    browser.close(soon()).await.unwrap();
    assert!(contents(&own) == before, "the profile was changed");
}

//! Apps: found by name, started, ended.
//!
//! A phone tells packages over adb, not the names that people see, so a name is looked for in the given
//! names, then among the words of packages and activities, with some names known by custom.

use std::collections::BTreeMap;
use std::time::Duration;

use super::adb::{PhoneLink, RepeatRule};
use super::input::quote;
use super::state::{Component, Front, component_in};
use waldo_devices::{Deadline, DeviceError, Result};

/// How long an app may take to come to the front.
const STARTS_WITHIN: Duration = Duration::from_secs(8);
/// How often it is looked for meanwhile.
const LOOK: Duration = Duration::from_millis(80);

const MAIN: &str = "android.intent.action.MAIN";

/// Words that people use for apps, and words of packages that mean the same.
const CUSTOM: [(&str, &[&str]); 14] = [
    ("messages", &["messaging", "mms", "sms", "message"]),
    ("sms", &["messaging", "mms", "messages"]),
    ("phone", &["dialer"]),
    ("clock", &["deskclock", "alarm"]),
    ("alarm", &["deskclock", "clock"]),
    ("browser", &["chrome", "browser", "firefox"]),
    ("photos", &["gallery", "gallery3d"]),
    ("gallery", &["photos", "gallery3d"]),
    ("files", &["documentsui", "filemanager"]),
    ("play store", &["vending"]),
    ("store", &["vending", "shop"]),
    ("mail", &["email", "gm"]),
    ("gmail", &["gm"]),
    ("calculator", &["calculator2"]),
];

fn unknown(app: &str, message: String) -> DeviceError {
    DeviceError::BadArgument { what: format!("app '{app}'"), message }
}

pub(crate) async fn launchable(link: &PhoneLink, deadline: Deadline) -> Result<Vec<Component>> {
    let question =
        format!("cmd package query-activities --brief -a {MAIN} -c android.intent.category.LAUNCHER");
    let out = link.shell(&question, RepeatRule::Safe, deadline).await?;
    let mut apps: Vec<Component> = out.text().lines().filter_map(component_in).collect();
    apps.dedup();
    Ok(apps)
}

pub(crate) async fn launcher(link: &PhoneLink, deadline: Deadline) -> Result<Option<String>> {
    let question = format!("cmd package resolve-activity --brief -a {MAIN} -c android.intent.category.HOME");
    let out = link.shell(&question, RepeatRule::Safe, deadline).await?;
    Ok(out.text().lines().rev().find_map(component_in).map(|home| home.package))
}

/// The component that `app` names: `package/activity`, a package, or a name.
pub(crate) async fn resolve(
    link: &PhoneLink,
    app: &str,
    names: &BTreeMap<String, String>,
    deadline: Deadline,
) -> Result<Component> {
    let app = app.trim();
    let given =
        names.iter().find(|(name, _)| name.eq_ignore_ascii_case(app)).map_or(app, |(_, package)| package);
    if let Some(component) = Component::parse(given) {
        return Ok(component);
    }
    let apps = launchable(link, deadline).await?;
    if let Some(found) = apps.iter().find(|a| a.package == given) {
        return Ok(found.clone());
    }
    let mut best = 0;
    let mut found: Vec<&Component> = Vec::new();
    for candidate in &apps {
        let score = likeness(given, candidate);
        if score > best {
            (best, found) = (score, Vec::new());
        }
        if score == best && best > 0 && found.iter().all(|f| f.package != candidate.package) {
            found.push(candidate);
        }
    }
    let list =
        |apps: &[&Component]| apps.iter().take(40).map(|a| a.package.as_str()).collect::<Vec<_>>().join(", ");
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(unknown(
            app,
            format!("no app of that name; there is {}", list(&apps.iter().collect::<Vec<_>>())),
        )),
        many => Err(unknown(app, format!("several could be meant, name one: {}", list(many)))),
    }
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// How well a name fits an app; 0 when it does not.
fn likeness(name: &str, app: &Component) -> u32 {
    let wanted = plain(name);
    if wanted.is_empty() {
        return 0;
    }
    let segments: Vec<String> = app.package.split('.').skip(1).map(plain).collect();
    let activity = plain(app.activity.rsplit('.').next().unwrap_or_default());
    let last = segments.last().cloned().unwrap_or_default();
    let custom = CUSTOM.iter().find(|(word, _)| plain(word) == wanted).map_or(&[][..], |(_, words)| *words);
    if last == wanted {
        5
    } else if segments.contains(&wanted) || activity == wanted || activity == format!("{wanted}activity") {
        4
    } else if custom.iter().any(|word| segments.iter().any(|s| s == word)) {
        3
    } else if wanted.len() >= 4 && (last.contains(&wanted) || wanted.contains(&last) && last.len() >= 4) {
        2
    } else {
        u32::from(wanted.len() >= 4 && activity.contains(&wanted))
    }
}

pub(crate) async fn start(
    link: &PhoneLink,
    app: &Component,
    display: Option<u32>,
    deadline: Deadline,
) -> Result<Front> {
    let on = display.map(|n| format!(" --display {n}")).unwrap_or_default();
    let command = format!("am start{on} -n {}", quote(&app.to_string()));
    let out = link.shell(&command, RepeatRule::Never, deadline).await?;
    let said = out.both();
    if let Some(line) = said.lines().find(|l| l.starts_with("Error") || l.contains("Exception")) {
        return Err(unknown(&app.to_string(), line.chars().take(200).collect()));
    }
    wait_front(link, &app.package, display.unwrap_or_default(), deadline).await
}

/// Waits until `package` is in front on a display; what is in front when it does not come.
pub(crate) async fn wait_front(
    link: &PhoneLink,
    package: &str,
    display: u32,
    deadline: Deadline,
) -> Result<Front> {
    let bound = deadline.at_most(STARTS_WITHIN);
    loop {
        let front = Front::ask(link, display, deadline).await?;
        if front.package() == Some(package) || bound.left() < LOOK {
            return Ok(front);
        }
        tokio::time::sleep(LOOK).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(name: &str, app: &str) -> u32 {
        likeness(name, &Component::parse(app).unwrap())
    }

    #[test]
    fn names_lead_to_packages() {
        assert_eq!(score("Settings", "com.android.settings/.Settings"), 5);
        assert_eq!(score("Clock", "com.google.android.deskclock/.DeskClock"), 3);
        assert_eq!(score("Chrome", "com.android.chrome/com.google.android.apps.chrome.Main"), 5);
        assert_eq!(score("YouTube Music", "com.google.android.apps.youtube.music/.Main"), 2);
        assert_eq!(score("Contacts", "com.android.settings/.Settings"), 0);
        assert_eq!(score("", "com.android.settings/.Settings"), 0);
    }
}

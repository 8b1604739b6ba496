//! What a project's file says that needs a person's trust.
//!
//! Such a file is found, not named: it may have come with somebody else's files. A claim is a field with its value, and,
//! where files are used by it, with a hash of their bytes. Invariant: which folder a profile's name means is
//! decided by [`crate::profiles::folder_in`] alone, and what is opened later is what was hashed here.

use std::path::Path;

use serde_json::Value;

use super::content::{is_of_the_system, of_command, of_file, of_program};
use super::without_keys;
use crate::profiles;
use crate::screens::DeviceSpec;

/// Fields that direct requests, with those that name the variable of the key that goes there.
const DIRECTING: [(&str, &str); 2] = [("base-url", "api-key-env"), ("grounder-base-url", "grounder-key-env")];
/// The field that adds to requests: an endpoint may take orders there, such as a tool server that it is to ask.
const EXTRA: &str = "extra-body";
const PROFILES: [&str; 2] = ["profile", "grounder-profile"];
/// Devices that waldo makes itself and ends with the run, and phones that this machine's adb server or USB reaches.
const OWN_DEVICES: [&str; 5] = ["web", "simphone", "desktop", "android", "usb"];

#[derive(Debug)]
pub(super) struct Claim {
    /// The field, such as `browser.cdp`.
    pub field: String,
    pub said: String,
    /// The hash of the files that are used by it; why there is none.
    pub bytes: Option<Result<String, String>>,
}

impl Claim {
    pub fn describe(&self) -> String {
        let said = format!("{} = {}", self.field, without_keys(&self.said));
        match &self.bytes {
            None => said,
            Some(Ok(hash)) => format!("{said} (SHA-256 of its files: {hash})"),
            Some(Err(why)) => format!("{said} (cannot be trusted: {why})"),
        }
    }
}

/// What a file says that needs trust, in order. `user` is the user's own file, whose rules it may not loosen.
pub(super) fn claims(path: &Path, value: &Value, user: Option<&Value>) -> Vec<Claim> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut all = Vec::new();
    let plain =
        |field: &str, said: &str| Claim { field: field.to_owned(), said: said.to_owned(), bytes: None };
    let text = |section: &str, name: &str| value.get(section)?.get(name)?.as_str();
    if let Some(said) = text("browser", "browser") {
        let file = folder.join(said);
        let hashed = file.is_file() && !is_of_the_system(&file);
        let bytes = hashed.then(|| of_file(&file).map_err(|error| error.to_string()));
        all.push(Claim { bytes, ..plain("browser.browser", said) });
    }
    // These words say to a model what is an instruction and what is text of a screen.
    if let Some(said) = text("prompts", "dir") {
        let dir = folder.join(said);
        // A folder that is not there yet is another one once it is.
        let hashed = dir.exists();
        let bytes = hashed.then(|| of_program(&dir, &[], folder).map_err(|error| error.to_string()));
        all.push(Claim { bytes, ..plain("prompts.dir", said) });
    }
    // One of this machine is a person's own, with what is logged in there.
    if let Some(said) = text("browser", "cdp") {
        all.push(plain("browser.cdp", said));
    }
    if let Some(said) = text("device", "device").filter(|said| is_elsewhere(said)) {
        all.push(plain("device.device", said));
    }
    for name in ["allow", "deny", "ask"] {
        if let Some(said) = loosened(name, value, user) {
            all.push(plain(&format!("guard.{name}"), &said));
        }
    }
    let sections = ["model", "planner", "native", "exec"].map(|name| (name.to_owned(), value.get(name)));
    let contestants = value.get("contestant").and_then(Value::as_object).into_iter().flatten();
    let contestants = contestants.map(|(name, fields)| (format!("contestant.{name}"), Some(fields)));
    for (section, fields) in sections.into_iter().chain(contestants) {
        let Some(fields) = fields else { continue };
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        for (address, key) in DIRECTING {
            let local = text(address).is_some_and(is_local);
            for name in [address, key].into_iter().filter(|_| !local) {
                let said = text(name).into_iter();
                all.extend(said.map(|said| plain(&format!("{section}.{name}"), said)));
            }
        }
        if let Some(said) = fields.get(EXTRA).filter(|_| !text("base-url").is_some_and(is_local)) {
            all.push(plain(&format!("{section}.{EXTRA}"), &said.to_string()));
        }
        if let Some(said) = text("grounder").filter(|said| !said.strip_prefix("http=").is_none_or(is_local)) {
            all.push(plain(&format!("{section}.grounder"), said));
        }
        if let Some(said) = fields.get("command") {
            let bytes = of_command(folder, &super::values::command(said, folder));
            let bytes = bytes.map_err(|error| error.to_string()).transpose();
            all.push(Claim { bytes, ..plain(&format!("{section}.command"), &said.to_string()) });
        }
        if let Some(said) = fields.get("agent-env") {
            all.push(plain(&format!("{section}.agent-env"), &said.to_string()));
        }
        if let Some(said) = text("agent").filter(|said| said.contains("://") && !is_local(said)) {
            all.push(plain(&format!("{section}.agent"), said));
        }
        for name in PROFILES {
            all.extend(text(name).and_then(|named| profile(folder, &format!("{section}.{name}"), named)));
        }
    }
    all
}

fn is_local(address: &str) -> bool {
    url::Url::parse(address).is_ok_and(|url| waldo_agents::http::is_loopback(&url))
}

/// Whether a `--device` is anything but what this machine has itself: a server, a phone over the network, or the display
/// that a person works at.
fn is_elsewhere(said: &str) -> bool {
    let Ok(spec) = said.parse::<DeviceSpec>() else { return true };
    let own = |text: &str| match text.split_once(':') {
        None => OWN_DEVICES.contains(&text),
        // A serial number with a port is that of a phone over the network.
        Some(("android" | "usb", serial)) => !serial.contains([':', '.']),
        Some(_) => false,
    };
    !spec.screens().iter().all(|screen| own(screen.as_str()))
}

/// What a list of the guard says, where it allows more than the user's own, or refuses or asks about less.
fn loosened(name: &str, value: &Value, user: Option<&Value>) -> Option<String> {
    let list = |value: &Value| -> Option<Vec<String>> {
        let all = value.get("guard")?.get(name)?.as_array()?;
        Some(all.iter().map(|entry| entry.as_str().unwrap_or_default().trim().to_owned()).collect())
    };
    let (given, own) = (list(value)?, user.and_then(list).unwrap_or_default());
    let looser = match name {
        "allow" => given.iter().any(|entry| !own.contains(entry)),
        _ => own.iter().any(|entry| !given.contains(entry)),
    };
    let said = if given.is_empty() { "nothing".to_owned() } else { given.join(", ") };
    (looser || given.is_empty()).then_some(said)
}

/// The claim of a profile's folder: it holds the words that a model gets, and may hold a program. One that cannot be
/// opened is not used.
fn profile(folder: &Path, field: &str, named: &str) -> Option<Claim> {
    let dir = profiles::folder_in(folder, named)?;
    let profile = profiles::open(&dir.to_string_lossy()).ok()?;
    let exec = profile.hook().map(|hook| hook.exec.as_slice()).unwrap_or_default();
    let runs = if exec.is_empty() { String::new() } else { format!(" runs {}", Value::from(exec)) };
    let bytes = of_program(&dir, exec, folder).map_err(|error| error.to_string());
    Some(Claim { field: field.to_owned(), said: format!("{named}{runs}"), bytes: Some(bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_not_this_machines_own_is_elsewhere() {
        for own in
            ["web", "simphone", "desktop", "android", "android:emulator-5554", "phone=simphone,desk=desktop"]
        {
            assert!(!is_elsewhere(own), "{own}");
        }
        for other in "tcp:127.0.0.1:5555|android:10.0.0.7:5555|android:adb-R58.local|desktop::0|\
            phone=tcp:10.0.0.7:5555,desk=desktop|anything:else"
            .split('|')
        {
            assert!(is_elsewhere(other), "{other}");
        }
    }

    #[test]
    fn a_list_that_is_loosened_needs_trust_and_one_that_is_tightened_does_not() {
        let guard = |name: &str, list: &[&str]| serde_json::json!({ "guard": { name: list } });
        let says = |name: &str, given: &[&str], own: Option<&[&str]>| {
            loosened(name, &guard(name, given), own.map(|own| guard(name, own)).as_ref())
        };
        assert_eq!(says("allow", &["*"], None).as_deref(), Some("*"));
        assert_eq!(says("allow", &["http://a.test"], Some(&["http://a.test", "http://b.test"])), None);
        assert!(says("allow", &["http://c.test"], Some(&["http://a.test"])).is_some());
        assert_eq!(says("deny", &["tap"], None), None);
        assert_eq!(says("deny", &["tap", "type"], Some(&["tap"])), None);
        for name in ["allow", "deny", "ask"] {
            assert_eq!(says(name, &[], None).as_deref(), Some("nothing"), "{name}");
        }
        assert!(says("deny", &["type"], Some(&["tap"])).is_some());
        assert!(says("ask", &["type"], Some(&["tap", "type"])).is_some());
    }
}

//! `chrome.py`: what the browser keeps in its profile.

use serde_json::{Map, Value, json};

use super::super::fault::{OsworldFault, Result, bounded};
use super::super::machine::browser_profile;
use super::super::{py, sqlite};
use super::{Config, GetterContext, text};

impl GetterContext<'_> {
    pub(super) async fn chrome(&mut self, kind: &str, config: &Config) -> Result<Value> {
        Ok(match kind {
            "cookie_data" => self.table(config, "Cookies", "SELECT * FROM cookies").await?,
            "history" => {
                self.table(config, "History", "SELECT url, title, last_visit_time FROM urls").await?
            }
            "bookmarks" => match self.profile("Default/Bookmarks").await? {
                None => json!([]),
                Some(bytes) if bytes.is_empty() => json!([]),
                Some(bytes) => {
                    let data: Value = serde_json::from_slice(&bytes)
                        .map_err(|e| OsworldFault::raised(format!("Bookmarks: {e}")))?;
                    data.get("roots").cloned().unwrap_or_else(|| json!({}))
                }
            },
            "enabled_experiments" => self
                .json("Local State")
                .await?
                .and_then(|data| data.pointer("/browser/enabled_labs_experiments").cloned())
                .unwrap_or_else(|| json!([])),
            "chrome_language" => self
                .json("Local State")
                .await?
                .and_then(|data| data.pointer("/intl/app_locale").cloned())
                .unwrap_or_else(|| json!("en-US")),
            "shortcuts_on_desktop" => self.shortcuts().await?,
            other => preference(other, self.json("Default/Preferences").await?.as_ref())?,
        })
    }

    async fn profile(&mut self, name: &str) -> Result<Option<Vec<u8>>> {
        let path = self.machine.home().join(browser_profile(self.machine.system())).join(name);
        Ok(self.machine.get(&path, self.call()).await?)
    }

    /// A JSON file of the profile; nothing when it is not there or no JSON.
    async fn json(&mut self, name: &str) -> Result<Option<Value>> {
        Ok(self.profile(name).await?.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    /// Rows of a database; null when it cannot be read.
    async fn table(&mut self, config: &Config, name: &str, question: &str) -> Result<Value> {
        let Some(bytes) = self.profile(&format!("Default/{name}")).await? else { return Ok(Value::Null) };
        let copy = self.keep(text(config, "dest")?, &bytes)?;
        match bounded(|| sqlite::query(copy.as_str().unwrap_or_default().as_ref(), question)) {
            Err(fault @ OsworldFault::Unsupported(_)) => Err(fault),
            rows => Ok(rows.map_or(Value::Null, |rows| json!(rows))),
        }
    }

    async fn shortcuts(&mut self) -> Result<Value> {
        let folder = self.machine.home().join("Desktop");
        let entries = self.machine.list(&folder, self.call()).await?;
        let entries = entries.and_then(|entry| entry.children).unwrap_or_default();
        let mut found = Map::new();
        for entry in entries.into_iter().filter(|entry| entry.name.ends_with(".desktop")) {
            let bytes = self.machine.get(&folder.join(&entry.name), self.call()).await?.unwrap_or_default();
            found.insert(entry.name, Value::String(String::from_utf8_lossy(&bytes).into_owned()));
        }
        Ok(Value::Object(found))
    }
}

/// A value of the preferences, by the getter's name; nothing of them may be there.
fn preference(kind: &str, data: Option<&Value>) -> Result<Value> {
    let at = |path: &str| data.and_then(|data| data.pointer(path));
    let on = |path: &str| at(path).is_some_and(py::truthy);
    let word = |holds: bool| json!(if holds { "true" } else { "false" });
    // What the original answers when it fails, which no task expects.
    let failed = || json!("Google");
    Ok(match kind {
        "default_search_engine" => {
            at("/default_search_provider_data/template_url_data/short_name").cloned().unwrap_or_else(failed)
        }
        "profile_name" => at("/profile/name").cloned().unwrap_or_default(),
        "chrome_font_size" => at("/webkit/webprefs").cloned().unwrap_or_else(
            || json!({ "default_fixed_font_size": 13, "default_font_size": 16, "minimum_font_size": 13 }),
        ),
        "enable_do_not_track" => word(on("/enable_do_not_track")),
        "enable_safe_browsing" => word(on("/safebrowsing/enhanced") || on("/safebrowsing/enabled")),
        "enable_enhanced_safety_browsing" if data.is_none() => failed(),
        "enable_enhanced_safety_browsing" => word(on("/safebrowsing/enhanced")),
        "new_startup_page" => match data {
            None => failed(),
            Some(_) => word(at("/session").is_none() || at("/session/restore_on_startup") == Some(&json!(5))),
        },
        "data_delete_automacally" => match at("/profile") {
            None => failed(),
            Some(profile) => {
                word(profile.get("default_content_setting_values").is_some_and(|v| !v.is_null()))
            }
        },
        "find_unpacked_extension_path" | "find_installed_extension_name" => {
            let path = if kind == "find_unpacked_extension_path" { "/path" } else { "/manifest/name" };
            let Some(data) = data else { return Ok(failed()) };
            let all = data.pointer("/extensions/settings").and_then(Value::as_object);
            let found: Option<Vec<Value>> =
                all.into_iter().flatten().map(|(_, extension)| extension.pointer(path).cloned()).collect();
            found.map_or_else(failed, Value::Array)
        }
        other => return Err(OsworldFault::Unsupported(format!("getter '{other}'"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferences() {
        let data = json!({
            "enable_do_not_track": true, "session": { "restore_on_startup": 1 }, "safebrowsing": { "enabled": true },
            "profile": { "name": "Ann" }, "default_search_provider_data": { "template_url_data": { "short_name": "Bing" } },
            "extensions": { "settings": { "a": { "path": "/x", "manifest": { "name": "N" } } } },
        });
        let of = |kind: &str| preference(kind, Some(&data)).unwrap();
        assert_eq!(of("enable_do_not_track"), "true");
        assert_eq!(of("new_startup_page"), "false");
        assert_eq!(of("enable_safe_browsing"), "true");
        assert_eq!(of("enable_enhanced_safety_browsing"), "false");
        assert_eq!(of("profile_name"), "Ann");
        assert_eq!(of("default_search_engine"), "Bing");
        assert_eq!(of("find_unpacked_extension_path"), json!(["/x"]));
        assert_eq!(of("find_installed_extension_name"), json!(["N"]));
        assert_eq!(of("data_delete_automacally"), "false");
        assert_eq!(preference("default_search_engine", None).unwrap(), "Google");
        assert_eq!(preference("new_startup_page", Some(&json!({}))).unwrap(), "true");
    }
}

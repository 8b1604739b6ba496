//! Bundle ids by the names that people know apps by: WebDriverAgent cannot list what is installed.

use waldo_devices::error::DeviceError;
use waldo_devices::guard::GuardPolicy;

use super::command::bad;

/// Apps that every phone has.
const OWN: [(&str, &str); 22] = [
    ("app store", "com.apple.AppStore"),
    ("calculator", "com.apple.calculator"),
    ("calendar", "com.apple.mobilecal"),
    ("camera", "com.apple.camera"),
    ("clock", "com.apple.mobiletimer"),
    ("contacts", "com.apple.MobileAddressBook"),
    ("files", "com.apple.DocumentsApp"),
    ("health", "com.apple.Health"),
    ("mail", "com.apple.mobilemail"),
    ("maps", "com.apple.Maps"),
    ("messages", "com.apple.MobileSMS"),
    ("music", "com.apple.Music"),
    ("notes", "com.apple.mobilenotes"),
    ("phone", "com.apple.mobilephone"),
    ("photos", "com.apple.mobileslideshow"),
    ("podcasts", "com.apple.podcasts"),
    ("reminders", "com.apple.reminders"),
    ("safari", "com.apple.mobilesafari"),
    ("settings", "com.apple.Preferences"),
    ("shortcuts", "com.apple.shortcuts"),
    ("voice memos", "com.apple.VoiceMemos"),
    ("weather", "com.apple.weather"),
];

/// The bundle id that is meant: itself, one of Apple's apps by its name, or an allowed one by its last part.
///
/// # Errors
/// [`DeviceError::BadArgument`] where nothing goes by that name.
pub(crate) fn bundle(app: &str, policy: &GuardPolicy) -> Result<String, DeviceError> {
    let app = app.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if app.contains('.') && app.len() <= 200 && app.chars().all(plain) {
        return Ok(app.to_owned());
    }
    let name = app.to_lowercase();
    if let Some((_, bundle)) = OWN.iter().find(|(own, _)| *own == name) {
        return Ok((*bundle).to_owned());
    }
    let last = |bundle: &str| bundle.rsplit('.').next().unwrap_or_default().to_lowercase();
    let named = policy
        .apps
        .iter()
        .map(|rule| rule.0.as_str())
        .find(|rule| !rule.ends_with('*') && rule.contains('.') && last(rule) == name);
    named.map(str::to_owned).ok_or_else(|| {
        bad(
            "app",
            format!(
                "no app is known here by the name '{app}': give its bundle id, such as com.apple.Preferences"
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use waldo_devices::guard::AppRule;

    #[test]
    fn an_app_is_its_bundle_id_a_name_of_apples_or_an_allowed_ones_last_part() {
        let rules = ["org.example.Shop", "com.example.*"].map(|rule| AppRule(rule.to_owned()));
        let policy = GuardPolicy { apps: rules.to_vec(), ..GuardPolicy::default() };
        let found = |app: &str| bundle(app, &policy).ok();
        assert_eq!(found("com.a.b").as_deref(), Some("com.a.b"));
        assert_eq!(found("Settings").as_deref(), Some("com.apple.Preferences"));
        assert_eq!(found("shop").as_deref(), Some("org.example.Shop"));
        for none in ["", "*", "Elsewhere", "com.a/../b", "a b.c"] {
            assert_eq!(found(none), None, "{none}");
        }
    }
}

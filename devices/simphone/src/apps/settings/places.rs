//! Pages of the settings that other apps, and `am start -a android.settings.…`, open by name.

use crate::{
    apps::Filter,
    world::{intent::ACTION_VIEW, stack::Activity},
};

/// An intent's action after `android.settings.`, and the page.
const PAGES: [(&str, &str); 21] = [
    ("WIFI_SETTINGS", "wifi"),
    ("WIRELESS_SETTINGS", "network"),
    ("AIRPLANE_MODE_SETTINGS", "network"),
    ("DATA_ROAMING_SETTINGS", "network"),
    ("BLUETOOTH_SETTINGS", "bluetooth"),
    ("DISPLAY_SETTINGS", "display"),
    ("SOUND_SETTINGS", "sound"),
    ("INTERNAL_STORAGE_SETTINGS", "storage"),
    ("BATTERY_SAVER_SETTINGS", "battery"),
    ("NOTIFICATION_SETTINGS", "notifications"),
    ("LOCATION_SOURCE_SETTINGS", "location"),
    ("SECURITY_SETTINGS", "security"),
    ("PRIVACY_SETTINGS", "security"),
    ("LOCALE_SETTINGS", "languages"),
    ("INPUT_METHOD_SETTINGS", "languages"),
    ("DATE_SETTINGS", "datetime"),
    ("APPLICATION_SETTINGS", "apps"),
    ("MANAGE_APPLICATIONS_SETTINGS", "apps"),
    ("DEVICE_INFO_SETTINGS", "about"),
    ("APPLICATION_DEVELOPMENT_SETTINGS", "developer"),
    (DETAILS, "app"),
];
/// An app's own page; the intent's data names the app.
const DETAILS: &str = "APPLICATION_DETAILS_SETTINGS";

const fn opens(action: &'static str) -> Filter {
    Filter { action, data: "", mime: "", activity: ".SubSettings" }
}

/// The intents that the settings answer.
pub(super) const FILTERS: &[Filter] = &[
    Filter { action: "android.settings.SETTINGS", data: "", mime: "", activity: ".Settings" },
    Filter { action: ACTION_VIEW, data: "settings:", mime: "", activity: ".Settings" },
    opens("android.settings.WIFI_SETTINGS"),
    opens("android.settings.WIRELESS_SETTINGS"),
    opens("android.settings.AIRPLANE_MODE_SETTINGS"),
    opens("android.settings.DATA_ROAMING_SETTINGS"),
    opens("android.settings.BLUETOOTH_SETTINGS"),
    opens("android.settings.DISPLAY_SETTINGS"),
    opens("android.settings.SOUND_SETTINGS"),
    opens("android.settings.INTERNAL_STORAGE_SETTINGS"),
    opens("android.settings.BATTERY_SAVER_SETTINGS"),
    opens("android.settings.NOTIFICATION_SETTINGS"),
    opens("android.settings.LOCATION_SOURCE_SETTINGS"),
    opens("android.settings.SECURITY_SETTINGS"),
    opens("android.settings.PRIVACY_SETTINGS"),
    opens("android.settings.LOCALE_SETTINGS"),
    opens("android.settings.INPUT_METHOD_SETTINGS"),
    opens("android.settings.DATE_SETTINGS"),
    opens("android.settings.APPLICATION_SETTINGS"),
    opens("android.settings.MANAGE_APPLICATIONS_SETTINGS"),
    opens("android.settings.DEVICE_INFO_SETTINGS"),
    opens("android.settings.APPLICATION_DEVELOPMENT_SETTINGS"),
    opens("android.settings.APPLICATION_DETAILS_SETTINGS"),
];

/// The page that an activity shows; the first one where none is named.
pub(super) fn page(at: &Activity) -> String {
    let action = at.intent.action.as_deref().and_then(|a| a.strip_prefix("android.settings."));
    match action.and_then(|action| PAGES.iter().find(|(name, _)| *name == action)) {
        Some((_, page)) => (*page).to_owned(),
        None => at.extra("page"),
    }
}

/// The app that a page is about.
pub(super) fn package(at: &Activity) -> String {
    let data = at.intent.data.as_deref().and_then(|data| data.strip_prefix("package:"));
    data.map_or_else(|| at.extra("package"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::intent::{Component, Intent};

    #[test]
    fn each_intent_that_is_answered_has_its_page() {
        for filter in FILTERS.iter().filter(|f| f.activity == ".SubSettings") {
            let intent = Intent { action: Some(filter.action.to_owned()), ..Intent::default() };
            let at = Activity::new(1, Component::new("com.android.settings", ".SubSettings"), intent);
            assert!(!page(&at).is_empty(), "{} shows a page", filter.action);
        }
    }
}

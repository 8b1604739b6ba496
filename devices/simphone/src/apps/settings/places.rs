//! Pages of the settings that other apps, and `am start -a android.settings.…`, open by name.

use crate::apps::prelude::*;

/// An intent's action, and the page.
const PAGES: [(&str, &str); 21] = [
    ("android.settings.WIFI_SETTINGS", "wifi"),
    ("android.settings.WIRELESS_SETTINGS", "network"),
    ("android.settings.AIRPLANE_MODE_SETTINGS", "network"),
    ("android.settings.DATA_ROAMING_SETTINGS", "network"),
    ("android.settings.BLUETOOTH_SETTINGS", "bluetooth"),
    ("android.settings.DISPLAY_SETTINGS", "display"),
    ("android.settings.SOUND_SETTINGS", "sound"),
    ("android.settings.INTERNAL_STORAGE_SETTINGS", "storage"),
    ("android.settings.BATTERY_SAVER_SETTINGS", "battery"),
    ("android.settings.NOTIFICATION_SETTINGS", "notifications"),
    ("android.settings.LOCATION_SOURCE_SETTINGS", "location"),
    ("android.settings.SECURITY_SETTINGS", "security"),
    ("android.settings.PRIVACY_SETTINGS", "security"),
    ("android.settings.LOCALE_SETTINGS", "languages"),
    ("android.settings.INPUT_METHOD_SETTINGS", "languages"),
    ("android.settings.DATE_SETTINGS", "datetime"),
    ("android.settings.APPLICATION_SETTINGS", "apps"),
    ("android.settings.MANAGE_APPLICATIONS_SETTINGS", "apps"),
    ("android.settings.DEVICE_INFO_SETTINGS", "about"),
    ("android.settings.APPLICATION_DEVELOPMENT_SETTINGS", "developer"),
    ("android.settings.APPLICATION_DETAILS_SETTINGS", "app"),
];

/// The intents that the settings answer: two with the first page, and those of the pages.
pub(super) const FILTERS: [IntentFilter; PAGES.len() + 2] = {
    let first = IntentFilter::new("android.settings.SETTINGS", "", ".Settings");
    let mut all = [first; PAGES.len() + 2];
    all[1] = IntentFilter::new(ACTION_VIEW, "settings:", ".Settings");
    let mut i = 0;
    while i < PAGES.len() {
        all[i + 2] = IntentFilter::new(PAGES[i].0, "", ".SubSettings");
        i += 1;
    }
    all
};

/// The page that an activity shows; the first one where none is named.
pub(super) fn page(at: &Activity) -> String {
    let named = PAGES.iter().find(|(action, _)| at.intent.action.as_deref() == Some(action));
    named.map_or_else(|| at.extra("page"), |(_, page)| (*page).to_owned())
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

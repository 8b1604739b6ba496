use std::collections::BTreeMap;

use crate::{lists, options::PhoneOptions};

/// The phone's address while Wi-Fi is on.
pub const ADDRESS: &str = "192.168.1.23";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Props(BTreeMap<String, String>);

impl Props {
    /// What a phone of these options says of itself.
    pub fn of(options: &PhoneOptions) -> Self {
        let release = &options.android_release;
        let sdk = options.sdk;
        let fingerprint = format!("waldo/simphone/simphone:{release}/SIM1.260302.001/1:user/release-keys");
        let rows = [
            ("ro.build.version.release", release.clone()),
            ("ro.build.version.sdk", sdk.to_string()),
            ("ro.build.fingerprint", fingerprint),
            ("ro.product.model", options.model.clone()),
            ("ro.product.locale", options.locale.clone()),
            ("persist.sys.locale", options.locale.clone()),
            ("ro.serialno", options.serial.clone()),
            ("ro.boot.serialno", options.serial.clone()),
            ("ro.sf.lcd_density", options.density_dpi.to_string()),
        ];
        let fixed = lists::of_phone("properties").map(|[k, v]| (k, v.to_owned()));
        Self(rows.into_iter().chain(fixed).map(|(k, v)| (k.to_owned(), v)).collect())
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(k, v)| (k.as_str(), v.as_str()))
    }

    /// Puts a property. Those of `ro.` are written once: gives false where one was there.
    pub fn set(&mut self, name: &str, value: &str) -> bool {
        if name.starts_with("ro.") && self.0.contains_key(name) {
            return false;
        }
        self.0.insert(name.to_owned(), value.to_owned());
        true
    }
}

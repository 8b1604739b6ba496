//! System properties.

use std::collections::BTreeMap;

use crate::options::PhoneOptions;

/// The phone's address while Wi-Fi is on.
pub const ADDRESS: &str = "192.168.1.23";

/// The properties that `getprop` lists.
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
            ("ro.build.version.codename", "REL".to_owned()),
            ("ro.build.version.security_patch", "2026-02-05".to_owned()),
            ("ro.build.fingerprint", fingerprint),
            ("ro.build.id", "SIM1.260302.001".to_owned()),
            ("ro.build.type", "user".to_owned()),
            ("ro.build.characteristics", "default".to_owned()),
            ("ro.product.brand", "waldo".to_owned()),
            ("ro.product.device", "simphone".to_owned()),
            ("ro.product.manufacturer", "waldo".to_owned()),
            ("ro.product.model", options.model.clone()),
            ("ro.product.name", "simphone".to_owned()),
            ("ro.product.board", "simphone".to_owned()),
            ("ro.product.cpu.abi", "x86_64".to_owned()),
            ("ro.product.cpu.abilist", "x86_64".to_owned()),
            ("ro.product.locale", options.locale.clone()),
            ("persist.sys.locale", options.locale.clone()),
            ("persist.sys.timezone", "UTC".to_owned()),
            ("ro.serialno", options.serial.clone()),
            ("ro.boot.serialno", options.serial.clone()),
            ("ro.hardware", "simphone".to_owned()),
            ("ro.sf.lcd_density", options.density_dpi.to_string()),
            ("ro.secure", "1".to_owned()),
            ("ro.debuggable", "0".to_owned()),
            ("ro.adb.secure", "1".to_owned()),
            ("sys.boot_completed", "1".to_owned()),
            ("dev.bootcomplete", "1".to_owned()),
            ("init.svc.bootanim", "stopped".to_owned()),
            ("init.svc.adbd", "running".to_owned()),
        ];
        Self(rows.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
    }

    /// One property.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// All of them, by name.
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

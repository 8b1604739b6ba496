use super::World;
use super::app::{LauncherEntry, Manifest};
use super::types::PackageInfo;

impl World {
    /// `pm clear`: the package's state as of a new phone. Tells whether there is such a package.
    pub(crate) fn clear_data(&mut self, package: &str) -> bool {
        self.force_stop(package);
        let (seed, start) = (self.options.seed, self.options.start_time);
        let fresh = (self.image.install)(seed, start).apps.remove_entry(package);
        let Some((package, app)) = fresh else { return false };
        self.installed.apps.insert(package, app);
        self.changed();
        true
    }

    pub fn packages(&self) -> Vec<PackageInfo> {
        let info = |package: &str, label: &str, system, launched| PackageInfo {
            package: package.to_owned(),
            label: label.to_owned(),
            launched,
            system,
            uid: 1000,
        };
        let of = |m: &Manifest| {
            info(m.package, m.label, m.entry != LauncherEntry::User, m.entry != LauncherEntry::Hidden)
        };
        let mut all: Vec<PackageInfo> = self.installed.manifests.iter().map(of).collect();
        all.push(info("android", "Android System", true, false));
        all.push(info("com.android.systemui", "System UI", true, false));
        all.push(info("com.android.inputmethod.latin", "Keyboard", true, false));
        all.push(info("com.android.adbkeyboard", "ADB Keyboard", false, false));
        all.sort_by(|a, b| a.package.cmp(&b.package));
        for (p, uid) in all.iter_mut().zip(10_050..).filter(|(p, _)| p.package != "android") {
            p.uid = uid;
        }
        all
    }
}

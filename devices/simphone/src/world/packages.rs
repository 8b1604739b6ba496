use super::World;
use super::app::{LauncherEntry, Manifest};
use super::intent::Component;
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
        let bare = |package: &str, label: &str, uid| PackageInfo {
            package: package.to_owned(),
            label: label.to_owned(),
            launcher: None,
            activities: Vec::new(),
            system: true,
            uid,
        };
        let of = |m: &Manifest| {
            let activities: Vec<Component> =
                m.activities.iter().map(|a| Component::new(m.package, a)).collect();
            let launcher = activities.first().filter(|_| m.entry != LauncherEntry::Hidden).cloned();
            let system = m.entry != LauncherEntry::User;
            PackageInfo { launcher, activities, system, ..bare(m.package, m.label, 10_000) }
        };
        let mut all: Vec<PackageInfo> = self.installed.manifests.iter().map(of).collect();
        all.push(bare("android", "Android System", 1000));
        all.push(bare("com.android.systemui", "System UI", 10_000));
        all.push(bare("com.android.inputmethod.latin", "Keyboard", 10_000));
        all.push(PackageInfo { system: false, ..bare("com.android.adbkeyboard", "ADB Keyboard", 10_000) });
        all.sort_by(|a, b| a.package.cmp(&b.package));
        for (i, p) in all.iter_mut().enumerate().filter(|(_, p)| p.uid != 1000) {
            p.uid = 10_050 + u32::try_from(i).unwrap_or(0);
        }
        all
    }
}

//! The apps that are on a phone.

use super::{
    calendar, clock, contacts, files, launcher, lights, messages, music, notes, photos, settings, shop,
};
use crate::world::{Installed, SystemImage};

/// A phone with all apps.
pub const PHONE: SystemImage = SystemImage { install, lay: files::lay };

/// All apps, with contents of a seed.
fn install(seed: u64, start: i64) -> Installed {
    let mut all = Installed::default();
    all.add::<launcher::Launcher>(seed, start);
    all.add::<settings::SettingsApp>(seed, start);
    all.add::<files::Files>(seed, start);
    all.add::<lights::Lights>(seed, start);
    all.add::<music::Music>(seed, start);
    all.add::<notes::Notes>(seed, start);
    all.add::<photos::Photos>(seed, start);
    all.add::<shop::Shop>(seed, start);
    all.add::<contacts::Contacts>(seed, start);
    all.add::<messages::Messages>(seed, start);
    all.add::<calendar::Calendar>(seed, start);
    all.add::<clock::Clock>(seed, start);
    all
}

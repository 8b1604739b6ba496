use super::{
    calendar, clock, contacts, files, launcher, lights, messages, music, notes, photos, settings, shop,
};
use crate::world::{Installed, SystemImage};

pub const PHONE: SystemImage = SystemImage { install, lay: files::lay };

fn install(seed: u64, start: i64) -> Installed {
    let mut all = Installed::default();
    all.add::<launcher::Launcher>(launcher::PACKAGE, seed, start);
    all.add::<settings::SettingsApp>(settings::PACKAGE, seed, start);
    all.add::<files::Files>(files::PACKAGE, seed, start);
    all.add::<lights::Lights>(lights::PACKAGE, seed, start);
    all.add::<music::Music>(music::PACKAGE, seed, start);
    all.add::<notes::Notes>(notes::PACKAGE, seed, start);
    all.add::<photos::Photos>(photos::PACKAGE, seed, start);
    all.add::<shop::Shop>(shop::PACKAGE, seed, start);
    all.add::<contacts::Contacts>(contacts::PACKAGE, seed, start);
    all.add::<messages::Messages>(messages::PACKAGE, seed, start);
    all.add::<calendar::Calendar>(calendar::PACKAGE, seed, start);
    all.add::<clock::Clock>(clock::PACKAGE, seed, start);
    all
}

//! Every kind of screen, and every family: what is not here cannot be named.

use waldo_devices::Platform;

use super::finding::DeviceEntry;
use super::kind::{Family, ScreenKind};
use super::{bridge, desktops, phones, remote, several, vm, vnc, web};

/// Every kind. The first is what `--device` means when it is not given.
pub static KINDS: &[&dyn ScreenKind] = &[
    &web::BrowserKind,
    &phones::Phone::Simulated,
    &phones::Phone::Adb,
    &phones::Phone::Tcp,
    &phones::Phone::Usb,
    &desktops::Private,
    &desktops::ExistingDisplay,
    &desktops::Portable,
    &remote::OsworldServer,
    &vm::QemuImage,
    &vnc::VncServer,
    &bridge::Bridge(Platform::Web),
    &bridge::Bridge(Platform::Android),
    &bridge::Bridge(Platform::Desktop),
    &several::Several,
];

/// Every family of kinds, one for each platform, in the order in which they are listed.
pub static FAMILIES: &[&dyn Family] =
    &[&web::PagesKind, &phones::Phones, &desktops::ProgramsKind, &several::SeveralFamily];

/// The family of a platform. Of iPhones, which records of earlier versions were made on, there is none but environments.
pub fn family(platform: Platform) -> &'static dyn Family {
    if platform == Platform::Ios {
        return &bridge::Environment(Platform::Ios);
    }
    FAMILIES.iter().find(|family| family.platform() == platform).copied().unwrap_or(FAMILIES[0])
}

/// The kinds of a family of which nothing can be looked for, as `waldo devices` lists them.
pub fn listed(family: &dyn Family) -> impl Iterator<Item = DeviceEntry> {
    let platform = family.platform();
    KINDS
        .iter()
        .filter(move |kind| kind.facts().family.platform() == platform)
        .filter_map(|kind| kind.listed())
}

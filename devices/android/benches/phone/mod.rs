//! The screens that observations are measured on: one that is made, and those of the simulated phone's apps.

use std::time::Duration;

use waldo_android::{AndroidDevice, AndroidOptions, PhoneTarget, PictureWay};
use waldo_devices::{AppRule, Capture, Deadline, Device, GuardPolicy, ResetTo};
use waldo_simphone::wire::{PhoneServer, ServerOptions};
use waldo_simphone::{Phone, PhoneOptions};

mod made;

/// Width and height of all of them, in px.
pub(super) const SIZE: (u32, u32) = (1080, 2400);

/// The apps that are looked at: lists, text, tables, icons, pictures.
const APPS: [(&str, &str); 6] = [
    ("settings", "com.android.settings"),
    ("messages", "com.android.messaging"),
    ("calendar", "com.android.calendar"),
    ("files", "com.waldo.files"),
    ("shop", "com.waldo.shop"),
    ("photos", "com.waldo.photos"),
];

pub(super) struct Screen {
    pub(super) name: &'static str,
    /// The answer of `screencap`: a header of 16 bytes, then four for each pixel.
    pub(super) raw: Vec<u8>,
    pub(super) xml: String,
}

pub(super) fn screens() -> Result<Vec<Screen>, Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut screens = vec![made::screen()];
    screens.extend(runtime.block_on(of_the_phone())?);
    Ok(screens)
}

async fn of_the_phone() -> Result<Vec<Screen>, Box<dyn std::error::Error>> {
    let deadline = || Deadline::after(Duration::from_secs(60));
    let phone = Phone::new(PhoneOptions::default());
    let server = PhoneServer::bind_with(([127, 0, 0, 1], 0).into(), phone, ServerOptions::default()).await?;
    let (target, picture) = (PhoneTarget::Tcp(server.local_addr()), Some(PictureWay::Raw));
    let options = AndroidOptions { target, picture, ..AndroidOptions::default() };
    let mut device = AndroidDevice::open(options, deadline()).await?;
    let mut screens = Vec::new();
    for (name, app) in APPS {
        let policy = GuardPolicy { apps: vec![AppRule(app.to_owned())], ..GuardPolicy::default() };
        device.reset(&ResetTo { start: app.to_owned(), policy, ..ResetTo::default() }, deadline()).await?;
        let seen = device.observe(Capture::All, deadline()).await?;
        let xml = seen
            .dump
            .as_ref()
            .map(|dump| &*dump.text)
            .ok_or_else(|| format!("{app} has no tree"))?
            .to_owned();
        let mut raw: Vec<u8> = [SIZE.0, SIZE.1, 1, 0].into_iter().flat_map(u32::to_le_bytes).collect();
        raw.extend(seen.picture.pixels().pixels().flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255]));
        screens.push(Screen { name, raw, xml });
    }
    device.close(deadline()).await?;
    Ok(screens)
}

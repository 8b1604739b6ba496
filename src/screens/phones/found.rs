//! The phones that can be had here.

use serde_json::json;
use waldo_android::{AdbDevice, AdbState};
use waldo_devices::count::count;

use super::super::error::ScreenError;
use super::super::finding::{DeviceEntry, Finding};
use super::super::flags::DeviceFlags;
use super::source::{AdbFound, adb_options, look_for_phones};

async fn adb(flags: &DeviceFlags) -> Result<AdbFound, ScreenError> {
    Ok(look_for_phones(&adb_options(flags.adb_server.as_deref())?).await?)
}

fn finding(found: &AdbFound) -> Finding {
    let costs = "no phone by cable; tcp:HOST:PORT and simphone work without";
    let lacks = |found: &str, hint: &'static str| Finding::lacks("adb", found, costs, hint);
    match found {
        AdbFound::Missing => lacks("it is not here", "Debian, Ubuntu: sudo apt install adb"),
        AdbFound::Asleep => lacks("its server does not run", "adb start-server"),
        AdbFound::Phones(phones) if phones.is_empty() => lacks(
            "its server runs and knows no phone",
            "plug a phone in with USB debugging on, or adb connect HOST:PORT",
        ),
        AdbFound::Phones(phones) => Finding::note("adb", count(phones.len(), "phone")),
    }
}

/// The phones that adb knows, or why there are none; and the simulated one, which there always is.
pub async fn list(platform: &'static str, flags: &DeviceFlags) -> Vec<DeviceEntry> {
    let mut all = match adb(flags).await {
        Ok(AdbFound::Phones(phones)) if !phones.is_empty() => {
            phones.iter().map(|phone| entry(platform, phone)).collect()
        }
        Ok(found) => {
            let Finding { found, hint, .. } = finding(&found);
            let why = format!("adb: {found}: {}", hint.unwrap_or_default());
            vec![DeviceEntry::none(platform, "android", &why)]
        }
        Err(error) => {
            let why = format!("adb: {error} (set ANDROID_ADB_SERVER_PORT or --adb-server right)");
            vec![DeviceEntry::none(platform, "android", &why)]
        }
    };
    let product = "a simulated phone in this process";
    let json = json!({ "platform": platform, "product": product, "ready": true, "device": "simphone" });
    all.push(DeviceEntry { platform, text: format!("{product}  --device simphone"), json, error: None });
    all
}

fn entry(platform: &'static str, phone: &AdbDevice) -> DeviceEntry {
    let device = format!("android:{}", phone.serial);
    let model = phone.model.as_deref().unwrap_or("?").replace('_', " ");
    // A ready phone keeps the word that adb has for it.
    let said = if phone.state == AdbState::Device { "device" } else { phone.state.words() };
    let text = format!("{model}  {said}  --device {device}");
    let json = json!({
        "platform": platform,
        "serial": phone.serial,
        "state": phone.state,
        "model": phone.model,
        "ready": phone.state == AdbState::Device,
        "device": device,
    });
    DeviceEntry { platform, text, json, error: None }
}

/// Phones by cable need adb; nothing else does, so that its absence is not a fault.
pub async fn examine(flags: &DeviceFlags) -> Finding {
    match adb(flags).await {
        Ok(found) => finding(&found),
        Err(error) => {
            Finding::of("adb", Err::<String, _>(error), "set ANDROID_ADB_SERVER_PORT or --adb-server right")
        }
    }
}

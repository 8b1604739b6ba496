//! The phones that can be had here.

use serde_json::json;
use waldo_android::{AdbDevice, AdbState};
use waldo_devices::count::count;

use super::super::error::ScreenError;
use super::super::finding::{DeviceEntry, Finding};
use super::super::flags::DeviceFlags;
use super::source::{AdbFound, adb_options, look_for_phones};

/// The phones that adb knows, and what there is to say about adb.
async fn adb(flags: &DeviceFlags) -> Result<(Vec<AdbDevice>, String), ScreenError> {
    let options = adb_options(flags.adb_server.as_deref())?;
    Ok(match look_for_phones(&options).await? {
        AdbFound::Missing => (
            Vec::new(),
            "phones by cable need it (Debian, Ubuntu: sudo apt install adb); tcp:HOST:PORT and simphone work \
             without"
                .to_owned(),
        ),
        AdbFound::Asleep => (Vec::new(), "phones by cable need its server: adb start-server".to_owned()),
        AdbFound::Phones(phones) if phones.is_empty() => {
            (phones, "its server runs; plug a phone in with USB debugging on, or adb connect HOST:PORT".to_owned())
        }
        AdbFound::Phones(phones) => {
            let told = count(phones.len(), "phone");
            (phones, told)
        }
    })
}

/// The phones that adb knows, or why there are none; and the simulated one, which there always is.
pub async fn list(platform: &'static str, flags: &DeviceFlags) -> Vec<DeviceEntry> {
    let mut all = match adb(flags).await {
        Ok((phones, text)) if phones.is_empty() => {
            vec![DeviceEntry::none(platform, "android", &format!("adb: {text}"))]
        }
        Ok((phones, _)) => phones.iter().map(|phone| entry(platform, phone)).collect(),
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
    let state = json!(phone.state);
    let said = state.as_str().map_or_else(|| state.to_string(), str::to_owned);
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

/// Phones need adb; nothing else does, so that its absence is not a fault.
pub async fn examine(flags: &DeviceFlags) -> Finding {
    match adb(flags).await {
        Ok((_, text)) => Finding::note("adb", text),
        Err(error) => {
            Finding::of("adb", Err::<String, _>(error), "set ANDROID_ADB_SERVER_PORT or --adb-server right")
        }
    }
}

//! `waldo devices`.

use std::time::Duration;

use serde_json::{Value, json};
use waldo_devices::{Deadline, DeviceInfo, Platform};

use super::browser::BrowserArgs;
use super::device::DeviceArgs;
#[cfg(feature = "portable")]
use super::device::Spec;
use super::{CliError, print_json};
use crate::exit;
use crate::web::WebSource;

/// List the devices that can be used here.
///
/// Of a kind that there is none of, it is said why, and what would mend it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  waldo devices\n  waldo devices --cdp ws://127.0.0.1:9222/devtools/browser/ID --json"
)]
pub struct Args {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    browser: BrowserArgs,
}

/// Starts the browser and asks what it is.
pub async fn web(browser: &BrowserArgs) -> Result<DeviceInfo, CliError> {
    let source = WebSource::new(browser.origin(), browser.options(), None);
    let info = source.info(Deadline::after(Duration::from_secs(30))).await;
    source.close().await;
    Ok(info?)
}

/// The phones that adb knows, and what there is to say about adb.
#[cfg(feature = "android")]
pub async fn adb(device: &DeviceArgs) -> Result<(Vec<waldo_android::AdbDevice>, String), CliError> {
    use crate::android::{AdbFound, adb_options, look_for_phones};
    let options = adb_options(device.adb_server.as_deref())?;
    Ok(match look_for_phones(&options).await? {
        AdbFound::Missing => (
            Vec::new(),
            "not installed; phones by cable need it (Debian, Ubuntu: sudo apt install adb), tcp:HOST:PORT and \
             simphone do not"
                .to_owned(),
        ),
        AdbFound::Asleep => (Vec::new(), "its server does not run; adb start-server starts it".to_owned()),
        AdbFound::Phones(phones) if phones.is_empty() => {
            (phones, "knows no phone; plug one in with USB debugging on, or adb connect HOST:PORT".to_owned())
        }
        AdbFound::Phones(phones) => {
            let told = format!("{} phone{}", phones.len(), if phones.len() == 1 { "" } else { "s" });
            (phones, told)
        }
    })
}

/// What there is to say about desktops: whether a private one can be had, and each with its name.
#[cfg(feature = "desktop")]
async fn desktops() -> (bool, Vec<(String, String)>) {
    #[cfg_attr(not(feature = "portable"), allow(unused_mut))]
    let (ready, mut all) = x_displays();
    #[cfg(feature = "portable")]
    if let Ok(found) = crate::desktop::screens().await {
        all.push((format!("the screen of this session ({found}), somebody's"), Spec::Portable.to_string()));
    }
    (ready, all)
}

#[cfg(all(feature = "desktop", target_os = "linux"))]
fn x_displays() -> (bool, Vec<(String, String)>) {
    let gone = crate::desktop::missing();
    let packages: Vec<&str> = gone.iter().map(|(_, package, _)| *package).collect();
    let own = match packages.is_empty() {
        true => "a private display for each episode".to_owned(),
        false => format!("a private display, once these are installed: {}", packages.join(" ")),
    };
    let mut all = vec![(own, "desktop".to_owned())];
    if let Some(display) = crate::environment::var("DISPLAY").filter(|display| display.starts_with(':')) {
        all.push((format!("the display {display}, somebody's"), format!("desktop:{display}")));
    }
    (packages.is_empty(), all)
}

#[cfg(all(feature = "desktop", not(target_os = "linux")))]
fn x_displays() -> (bool, Vec<(String, String)>) {
    (false, Vec::new())
}

/// One device, or why there is none of its kind.
struct Entry {
    platform: &'static str,
    told: String,
    json: Value,
}

impl Entry {
    /// A kind of which there is none here: the reason, and what would mend it.
    fn none(platform: &'static str, device: &str, why: String) -> Self {
        let json = json!({ "platform": platform, "device": device, "ready": false, "error": why });
        Self { platform, told: format!("none: {why}"), json }
    }
}

/// The browser, or why there is none.
fn browser(web: &Result<DeviceInfo, CliError>) -> Entry {
    let platform = Platform::Web.as_str();
    let info = match web {
        Ok(info) => info,
        Err(error) => return Entry::none(platform, "web", format!("{error} (waldo doctor tells more)")),
    };
    let size = info.geometry.physical;
    let abilities: Vec<String> = info
        .capabilities
        .iter()
        .filter_map(|c| serde_json::to_value(c).ok()?.as_str().map(str::to_owned))
        .collect();
    let told = format!("{}  {:.0}x{:.0} px  {}", info.product, size.w, size.h, abilities.join(", "));
    let mut json = json!(info);
    json["device"] = "web".into();
    json["ready"] = true.into();
    Entry { platform, told, json }
}

/// The phones that adb knows, or why there are none; and the simulated one, which there always is.
#[cfg(feature = "android")]
async fn phones(device: &DeviceArgs) -> Vec<Entry> {
    use waldo_android::AdbState;
    let platform = Platform::Android.as_str();
    let mut all = match adb(device).await {
        Ok((phones, told)) if phones.is_empty() => {
            vec![Entry::none(platform, "android", format!("adb: {told}"))]
        }
        Ok((phones, _)) => {
            let entry = |phone: waldo_android::AdbDevice| {
                let device = format!("android:{}", phone.serial);
                let model = phone.model.as_deref().unwrap_or("?").replace('_', " ");
                let state = json!(phone.state);
                let said = state.as_str().map_or_else(|| state.to_string(), str::to_owned);
                let told = format!("{model}  {said}  --device {device}");
                let json = json!({
                    "platform": platform,
                    "serial": phone.serial,
                    "state": phone.state,
                    "model": phone.model,
                    "ready": phone.state == AdbState::Device,
                    "device": device,
                });
                Entry { platform, told, json }
            };
            phones.into_iter().map(entry).collect()
        }
        Err(error) => {
            let why = format!("adb: {error} (set ANDROID_ADB_SERVER_PORT or --adb-server right)");
            vec![Entry::none(platform, "android", why)]
        }
    };
    let product = "a simulated phone in this process";
    let json = json!({ "platform": platform, "product": product, "ready": true, "device": "simphone" });
    all.push(Entry { platform, told: format!("{product}  --device simphone"), json });
    all
}

#[cfg(not(feature = "android"))]
async fn phones(_: &DeviceArgs) -> Vec<Entry> {
    Vec::new()
}

#[cfg(feature = "desktop")]
async fn screens() -> Vec<Entry> {
    let platform = Platform::Desktop.as_str();
    let (ready, desktops) = desktops().await;
    let entry = |(product, device): (String, String)| {
        let json = json!({
            "platform": platform,
            "product": product,
            "ready": ready || device != "desktop",
            "device": device,
        });
        Entry { platform, told: format!("{product}  --device {device}"), json }
    };
    desktops.into_iter().map(entry).collect()
}

#[cfg(not(feature = "desktop"))]
async fn screens() -> Vec<Entry> {
    Vec::new()
}

pub async fn run(args: &Args) -> Result<u8, CliError> {
    let web = web(&args.browser).await;
    let mut all = vec![browser(&web)];
    all.extend(phones(&args.device).await);
    all.extend(screens().await);
    if args.json {
        print_json(&all.iter().map(|entry| &entry.json).collect::<Vec<_>>())?;
    } else {
        for entry in &all {
            println!("{:<8} {}", entry.platform, entry.told);
        }
    }
    // A machine without a browser is as good as any; one that was asked for by name has to be there.
    let named = args.browser.cdp.is_some() || args.browser.browser.is_some();
    if named { web.map(|_| exit::OK) } else { Ok(exit::OK) }
}

//! `waldo devices`.

use std::time::Duration;

use waldo_devices::{Deadline, Device as _, DeviceInfo};

use super::browser::BrowserArgs;
use super::{CliError, print_json};
use crate::exit;
use crate::web::WebSource;

/// List the devices that can be used here.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  waldo devices\n  waldo devices --cdp ws://127.0.0.1:9222/devtools/browser/ID --json"
)]
pub struct Args {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    browser: BrowserArgs,
}

/// Starts the browser and asks what it is.
pub async fn web(browser: &BrowserArgs) -> Result<DeviceInfo, CliError> {
    let source = WebSource::new(browser.origin(), browser.options(), None);
    let started = source.browser(Deadline::after(Duration::from_secs(30))).await;
    let info = started.and_then(|b| b.new_device(&browser.options())).map(|device| device.info());
    source.close().await;
    Ok(info?)
}

pub async fn run(args: &Args) -> Result<u8, CliError> {
    let info = web(&args.browser).await?;
    if args.json {
        print_json(&[&info])?;
    } else {
        let size = info.geometry.physical;
        let abilities: Vec<String> = info
            .capabilities
            .iter()
            .filter_map(|c| serde_json::to_value(c).ok()?.as_str().map(str::to_owned))
            .collect();
        println!(
            "{:<8} {}  {:.0}x{:.0} px  {}",
            info.platform.as_str(),
            info.product,
            size.w,
            size.h,
            abilities.join(", ")
        );
    }
    Ok(exit::OK)
}

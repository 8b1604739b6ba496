use super::{CliError, print_json};
use crate::exit;
use crate::screens::{BrowserArgs, DeviceArgs, FAMILIES, listed};

/// List the devices that can be used here.
///
/// Of a kind that there is none of, it is said why, and what would fix it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    browser: BrowserArgs,
}

pub async fn run(args: &Args) -> Result<u8, CliError> {
    let mut all = Vec::new();
    for family in FAMILIES {
        all.extend(family.list(&args.device.flags, &args.browser).await);
        all.extend(listed(*family));
    }
    if args.json {
        print_json(&all.iter().map(|entry| &entry.json).collect::<Vec<_>>())?;
    } else {
        for entry in &all {
            println!("{:<8} {}", entry.platform, entry.text);
        }
    }
    // A machine without a browser is as good as any; one that was asked for by name has to be there.
    let named = args.browser.cdp.is_some() || args.browser.browser.is_some();
    match all.into_iter().find_map(|entry| entry.error) {
        Some(error) if named => Err(error.into()),
        _ => Ok(exit::OK),
    }
}

use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt as _;
use std::time::Duration;

use serde_json::json;
use waldo_devices::Deadline;

use super::{CliError, print_json};
use crate::exit;

/// The longest that pairing may take.
const WITHIN: Duration = Duration::from_secs(30);

/// Pair with a phone over the network, once, with the code that it shows.
///
/// On the phone: Developer options, Wireless debugging, Pair device with pairing code. Afterwards the phone is reached
/// by --device tcp:HOST:PORT with the other port, the one under "IP address & port". Not seen on a real phone yet.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The address and port that the phone shows beside the code.
    #[arg(value_name = "HOST:PORT", value_parser = address)]
    address: SocketAddr,
    /// The code.
    #[arg(value_name = "CODE", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    code: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let numeric = text.replace("localhost", "127.0.0.1");
    numeric
        .parse()
        .map_err(|_| format!("'{text}': write a numeric address and a port, like 192.168.1.20:37123"))
}

pub async fn run(args: &Args) -> Result<u8, CliError> {
    let key = crate::screens::adb_key().ok_or_else(|| {
        CliError::Input("HOME is not set: the key that phones know is kept in ~/.android/adbkey".to_owned())
    })?;
    if let Some(folder) = key.parent() {
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|source| CliError::Io { what: folder.display().to_string(), source })?;
    }
    let name = waldo_android::pair(args.address, args.code.trim(), &key, Deadline::after(WITHIN)).await?;
    if args.json {
        print_json(&json!({ "paired": name, "key": key }))?;
    } else {
        println!("paired with {name}; its key here is {}", key.display());
        println!(
            "now: --device tcp:{}:PORT with the port under \"IP address & port\" of Wireless debugging",
            args.address.ip()
        );
    }
    Ok(exit::OK)
}

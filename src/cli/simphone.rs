use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::LazyLock;

use tokio_util::sync::CancellationToken;
use waldo_devices::peer::{PeerCheck, PeerRule};
use waldo_simphone::wire::{PhoneServer, ServerOptions, bind_all};
use waldo_simphone::{ColorScheme, IdleWait, Phone, PhoneOptions};

use super::{CliError, print_json};
use crate::exit;
use crate::numbers::{port, whole};
use crate::stop::stop_on_signal;

/// Run simulated phones that adb takes for real ones.
///
/// Each is a small Android of its own behind a port of this computer: its apps keep what is done to
/// them, its shell answers as a phone's, its contents come from a seed. They end with this command.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The port of the first phone; the others follow. 0 takes free ones. adb scans 5555 to 5585 by
    /// itself and would see a phone there twice.
    #[arg(long, default_value_t = 5601, value_parser = port)]
    port: u16,
    /// How many phones.
    #[arg(long, default_value_t = 1, value_parser = whole::<u16>(1..=256))]
    count: u16,
    /// Seed of the first phone's contents; the others count up from it.
    #[arg(long, default_value_t = 0, value_parser = whole::<u64>(0..))]
    seed: u64,
    /// How long the screen must be quiet before there is a tree of elements.
    #[arg(long, value_enum, default_value = "real")]
    idle: Idle,
    /// Dark instead of light.
    #[arg(long)]
    dark: bool,
    /// Write a picture of the first phone's screen (PNG), and end.
    #[arg(long, value_name = "FILE")]
    screenshot: Option<PathBuf>,
    /// Print only the phones' serials, one per line.
    #[arg(long, conflicts_with = "json")]
    serial_hint: bool,
    /// Print the phones as JSON once they answer.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Idle {
    /// As a real phone: one second.
    Real,
    /// A twentieth of that.
    Short,
}

fn phones(args: &Args) -> Vec<std::sync::Arc<Phone>> {
    (0..args.count)
        .map(|n| {
            Phone::new(PhoneOptions {
                seed: args.seed.wrapping_add(u64::from(n)),
                serial: format!("WALDO{:04}", n + 1),
                look: if args.dark { ColorScheme::Dark } else { ColorScheme::Light },
                idle: match args.idle {
                    Idle::Real => IdleWait::REAL,
                    Idle::Short => IdleWait::SHORT,
                },
                ..PhoneOptions::default()
            })
        })
        .collect()
}

/// Whether a connection comes from the user that runs the phones, or from root.
fn is_of_this_user(peer: SocketAddr, own: SocketAddr) -> bool {
    static CHECK: LazyLock<PeerCheck> =
        LazyLock::new(|| PeerCheck::new("a simulated phone", PeerRule::this_user()));
    CHECK.admits(peer, own)
}

pub async fn run(args: Args) -> Result<u8, CliError> {
    let phones = phones(&args);
    if let (Some(path), Some(phone)) = (&args.screenshot, phones.first()) {
        let frame = phone.with(|world| world.frame());
        frame.save_with_format(path, image::ImageFormat::Png).map_err(|e| CliError::Io {
            what: format!("cannot write {}", path.display()),
            source: std::io::Error::other(e),
        })?;
        if args.json {
            print_json(&serde_json::json!({ "screenshot": path }))?;
        }
        return Ok(exit::OK);
    }
    let address = SocketAddr::from(([127, 0, 0, 1], args.port));
    let options = ServerOptions { admits: is_of_this_user, ..ServerOptions::default() };
    let bound = bind_all(address, phones, &options).await;
    let servers = bound.map_err(|e| CliError::Input(e.to_string()))?;
    let addresses: Vec<SocketAddr> = servers.iter().map(PhoneServer::local_addr).collect();
    if args.json {
        let list: Vec<serde_json::Value> = addresses
            .iter()
            .map(|at| serde_json::json!({ "serial": at.to_string(), "device": format!("tcp:{at}") }))
            .collect();
        print_json(&list)?;
    } else if args.serial_hint {
        addresses.iter().for_each(|at| println!("{at}"));
    } else {
        for (at, seed) in addresses.iter().zip(args.seed..) {
            println!("a simulated phone (seed {seed}) at {at}");
            println!("  waldo: --device tcp:{at}");
            println!("  adb:   adb connect {at} && adb -s {at} shell COMMAND");
        }
        println!("Ctrl-C ends");
    }
    let cancel = CancellationToken::new();
    let stopper = tokio::spawn(stop_on_signal(cancel.clone()));
    cancel.cancelled().await;
    stopper.abort();
    Ok(exit::OK)
}

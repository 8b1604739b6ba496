//! What a server can do for a fleet: what `waldo doctor --queue` asks.
//!
//! Invariant: nothing is made, taken or put there; its first words are read within a bound, before a client believes them.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use url::Url;
use waldo_devices::count::count;

use super::args::{Address, QueueArgs, is_loopback};
use super::server::{FILES, QueueServer, RESULTS, RUNS, WORK, WORKERS};
use super::status::QueueStatus;
use super::store::CHUNK;
use crate::screens::Finding;

/// How long the server may take to say who it is.
const SAYS_WITHIN: Duration = Duration::from_secs(10);
/// How long it may take to answer one thing.
const ANSWERS_WITHIN: Duration = Duration::from_secs(3);
/// How long all of it may take.
const WITHIN: Duration = Duration::from_secs(45);
/// The most bytes of its first words.
const SAYS_MOST: usize = 64 << 10;
/// The port where an address names none.
const PORT: u16 = 4222;
/// The oldest version that is known to do.
const LEAST: [u32; 2] = [2, 9];
/// What a chunk of a folder takes beside its bytes.
const BESIDE: usize = 4 << 10;

/// What to do where a server cannot be reached.
const REACH: &str =
    "start one (nats-server --jetstream), and check that its port (4222) can be reached from here";

/// What a server says first, as far as it matters here.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Greeting {
    version: String,
    jetstream: bool,
    max_payload: usize,
    auth_required: bool,
    tls_required: bool,
}

pub async fn examine(args: &QueueArgs) -> Vec<Finding> {
    let mut all = Vec::new();
    if tokio::time::timeout(WITHIN, look(args, &mut all)).await.is_err() {
        let why = format!("it does not answer everything within {} s", WITHIN.as_secs());
        all.push(Finding::foreign("queue", Err(why), REACH));
    }
    all
}

async fn look(args: &QueueArgs, all: &mut Vec<Finding>) {
    let address = match args.judged() {
        Ok(address) => address,
        Err(error) => {
            let hint = "write --queue nats://HOST or tls://HOST, with --queue-nkey FILE off this machine";
            return all.push(Finding::foreign("queue", Err(error.to_string()), hint));
        }
    };
    let began = Instant::now();
    let greeting = match greeting(&address.url).await {
        Ok(greeting) => greeting,
        Err(why) => {
            return all.push(Finding::foreign("queue", Err(format!("{}: {why}", address.url)), REACH));
        }
    };
    let took = began.elapsed().as_millis();
    let version = crate::out::plain(&greeting.version, 40);
    all.push(match is_old(&greeting.version) {
        true => Finding::foreign(
            "queue",
            Err(format!("nats-server {version} at {} is older than 2.9", address.url)),
            "install a newer nats-server; Debian's 2.9 is enough",
        ),
        false => Finding::foreign(
            "queue",
            Ok(format!("nats-server {version} at {}, answers in {took} ms", address.url)),
            "",
        ),
    });
    let most = greeting.max_payload;
    let found = match most < CHUNK + BESIDE {
        true => Err(format!("at most {most} bytes, but folders are sent in chunks of {CHUNK}")),
        false => Ok(format!("at most {} KiB", most >> 10)),
    };
    all.push(Finding::foreign(
        "queue message",
        found,
        "set max_payload to 1MB in the server's configuration",
    ));
    if !greeting.jetstream {
        let hint = "start it with JetStream: nats-server --jetstream, or jetstream {} in its configuration";
        all.push(Finding::foreign("queue streams", Err("the server has no JetStream".to_owned()), hint));
    } else if !streams(args, all).await {
        return;
    }
    all.push(Finding::note("queue trust", trust(&address, &greeting)));
    if let Some(dir) = &args.artifacts {
        let found = tempfile::tempdir_in(dir).map(|_| format!("{} can be written", dir.display()));
        let hint = "name a folder that exists on all machines, and that you may write to";
        all.push(Finding::foreign(
            "queue folders",
            found.map_err(|e| format!("{}: {e}", dir.display())),
            hint,
        ));
    }
}

/// What the server says first: a line of a bound length.
async fn greeting(address: &str) -> Result<Greeting, String> {
    let url = Url::parse(address).map_err(|error| error.to_string())?;
    // The brackets of an IPv6 address are the URL's.
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let port = url.port().unwrap_or(PORT);
    let read = async {
        let mut wire = TcpStream::connect((host.as_str(), port)).await.map_err(|error| error.to_string())?;
        let mut said = Vec::new();
        while !said.contains(&b'\n') {
            let mut piece = [0; 4096];
            match wire.read(&mut piece).await.map_err(|error| error.to_string())? {
                0 => return Err("it closes the connection without a greeting".to_owned()),
                n => said.extend_from_slice(&piece[..n]),
            }
            if said.len() > SAYS_MOST {
                return Err(format!("it says more than {SAYS_MOST} bytes before a line ends"));
            }
            if said.len() >= 5 && !said.starts_with(b"INFO ") {
                return Err("the server at this address is not a NATS server".to_owned());
            }
        }
        Ok(said)
    };
    let said = match tokio::time::timeout(SAYS_WITHIN, read).await {
        Ok(said) => said?,
        Err(_) => return Err(format!("it does not answer within {} s", SAYS_WITHIN.as_secs())),
    };
    let line = said.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let json = line.strip_prefix(b"INFO ").ok_or("the server at this address is not a NATS server")?;
    serde_json::from_slice(json).map_err(|error| format!("its greeting cannot be read: {error}"))
}

/// Whether a version is older than what is known to do; one that is not understood is not.
fn is_old(version: &str) -> bool {
    let mut parts = version.split('.').map_while(|part| part.parse::<u32>().ok());
    match (parts.next(), parts.next()) {
        (Some(major), Some(minor)) => [major, minor] < LEAST,
        _ => false,
    }
}

/// Looks at its streams as a client of the fleet; whether it could.
async fn streams(args: &QueueArgs, all: &mut Vec<Finding>) -> bool {
    let server = match QueueServer::connect(args, "waldo doctor").await {
        Ok(server) => server,
        Err(error) => {
            let hint = "give the key and the certificates that the server knows: --queue-nkey or --queue-creds, --queue-ca";
            all.push(Finding::foreign("queue access", Err(error.to_string()), hint));
            return false;
        }
    };
    // What a user has no right to is not refused but never answered.
    let mut jetstream = server.jetstream.clone();
    jetstream.set_timeout(ANSWERS_WITHIN);
    let began = Instant::now();
    // Only what is told of it is read: versions differ in the rest, and the client wants all of it.
    let account = jetstream.request::<_, _, Value>("INFO", &json!({})).await;
    let took = began.elapsed().as_millis();
    let account = account.map_err(|error| error.to_string()).and_then(|said| {
        let used = said["storage"].as_u64();
        used.map(|used| (used, said["limits"]["max_storage"].as_u64()))
            .ok_or_else(|| said["error"].to_string())
    });
    match account {
        Ok((used, most)) => {
            let limit = if let Some(most) = most { format!(" of {} MiB", most >> 20) } else { String::new() };
            let used = used >> 20;
            let found = format!("JetStream answers in {took} ms, holds {used} MiB{limit}");
            all.push(Finding::foreign("queue access", Ok(found), ""));
        }
        // A worker's rights, as docs/fleet gives them, need not reach this far.
        Err(error) => {
            let error = crate::out::plain(&error, 200);
            let found = format!("connected; this user may not ask for the account ({error})");
            all.push(Finding::foreign("queue access", Ok(found), ""));
        }
    }
    let names = [RUNS, WORK, RESULTS, FILES, WORKERS];
    let seen = futures::future::join_all(names.map(|name| jetstream.get_stream(name))).await;
    let missing: Vec<&str> =
        names.into_iter().zip(seen).filter(|(_, seen)| seen.is_err()).map(|(name, _)| name).collect();
    if !missing.is_empty() {
        let found = format!(
            "{} not there or not to be seen: waldo eval --queue makes what is missing, where it may",
            missing.join(", ")
        );
        all.push(Finding::note("queue streams", found));
        return true;
    }
    all.push(Finding::note(
        "queue streams",
        match QueueStatus::of(&server).await {
            Ok(status) => {
                let slots: usize = status.workers.iter().map(|worker| worker.slots).sum();
                let waiting: u64 =
                    status.runs.iter().flat_map(|run| &run.lanes).map(|lane| lane.waiting).sum();
                let (runs, workers) = (status.runs.len(), status.workers.len());
                format!(
                    "all there; runs: {runs}, episodes that wait: {waiting}, workers: {workers} with {}",
                    count(slots, "slot")
                )
            }
            // A worker has not the right to, and needs none.
            Err(error) => {
                let error = crate::out::plain(&error.to_string(), 200);
                format!("all there; this user may not see the runs and workers on them ({error})")
            }
        },
    ));
    true
}

/// Who could read along, or take part.
fn trust(address: &Address, greeting: &Greeting) -> String {
    let tls = address.tls || greeting.tls_required;
    let near = Url::parse(&address.url).is_ok_and(|url| is_loopback(&url));
    let way = match (tls, near) {
        (true, _) => "TLS",
        (false, true) => "in the clear on this machine",
        (false, false) => "not encrypted: anyone on the network path can read and change what is played",
    };
    let who = match greeting.auth_required {
        true => {
            "the server asks for a key; which subjects a role may use is its configuration's (docs/fleet/nats.conf)"
        }
        false => "the server is open: anyone who can reach it can offer episodes and deliver results",
    };
    format!("{way}; {who}")
}

#[cfg(test)]
mod tests {
    use super::is_old;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(is_old("2.8.4") && is_old("1.10.0"));
        assert!(
            !is_old("2.9.10") && !is_old("2.10.1") && !is_old("3.0.0-dev") && !is_old("") && !is_old("dev")
        );
    }
}

//! What a browser would send past the proxies of its contexts, and the switches that keep it from doing so.
//!
//! Invariant: a browser of ours is started with all of [`SWITCHES`]; one that was started by somebody else is
//! asked for its command line, and what is not on it counts as open.

use serde_json::json;

use super::cdp::{Cdp, text};
use waldo_devices::device::Deadline;

/// UDP of WebRTC, which no HTTP proxy carries.
const NO_UDP: &str = "--webrtc-ip-handling-policy=disable_non_proxied_udp";
/// The same for Chromium's headless shell, which knows it by this name alone; Chromium heeds the other alone.
const NO_UDP_OF_SHELL: &str = "--force-webrtc-ip-handling-policy=disable_non_proxied_udp";
/// Names are looked up by the proxy, after the guard has allowed them: never by the browser, whose look-ups
/// (`dns-prefetch`, servers and candidates of WebRTC) would carry what a page writes into a name.
const NO_NAMES: &str = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1";

/// Switches that leave the proxies of the contexts as the only way out. What belongs to no context of ours (the
/// browser's own services) gets a proxy that is not there: port 9 takes no connections.
pub(super) const SWITCHES: [&str; 6] = [
    NO_UDP,
    NO_UDP_OF_SHELL,
    NO_NAMES,
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--disable-quic",
];

/// The switches without which a page gets past the guard, by the browser's product (`Browser.getVersion`).
fn needed(product: &str) -> [&'static str; 2] {
    let shell = product.starts_with("HeadlessChrome/");
    [if shell { NO_UDP_OF_SHELL } else { NO_UDP }, NO_NAMES]
}

/// Which of the switches that the guard needs a running browser lacks.
pub(super) async fn lacking(cdp: &Cdp, product: &str, deadline: Deadline) -> Vec<&'static str> {
    let told = cdp.call(None, "SystemInfo.getInfo", json!({}), deadline).await;
    // A browser that does not tell is taken at its worst.
    let line = told.map(|info| text(&info, "commandLine").to_owned()).unwrap_or_default();
    needed(product).into_iter().filter(|switch| !has(&line, switch)).collect()
}

/// Whether a command line, whose words are joined by spaces, holds `switch` where the browser reads it: the last
/// of equal names counts.
fn has(line: &str, switch: &str) -> bool {
    let name = switch.split_inclusive('=').next().unwrap_or(switch);
    line.rmatch_indices(name)
        .find(|(at, _)| line[..*at].ends_with(' '))
        .and_then(|(at, _)| line[at..].strip_prefix(switch))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_counts_where_the_browser_reads_it() {
        let with = |words: &str| format!("/usr/bin/chromium {words} --headless");
        for switch in needed("Chrome/156.0").into_iter().chain(needed("HeadlessChrome/156.0")) {
            assert!(has(&with(switch), switch));
            assert!(has(&format!("chromium {switch}"), switch));
            assert!(!has(&with("--x"), switch));
            assert!(!has(&with(&format!("{switch}-not")), switch));
            assert!(!has(&with(&format!("--x={switch}")), switch));
        }
        assert_eq!(needed("HeadlessChrome/156.0")[0], NO_UDP_OF_SHELL);
        let twice = with(&format!("{NO_UDP} --webrtc-ip-handling-policy=default"));
        assert!(!has(&twice, NO_UDP));
    }
}

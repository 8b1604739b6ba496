//! HTTP clients for models, grounders and documents.
//!
//! Invariant: one TLS provider, `ring`, stands behind all of them, whoever makes the first.

use std::sync::Once;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};
use url::{Host, Url};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

pub fn builder() -> ClientBuilder {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // Fails only where another part of the program has set one up, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    #[expect(clippy::disallowed_methods, reason = "the one place that does")]
    Client::builder()
}

/// A client for the endpoint at `url`. It follows no redirect: the key would go along, and a POST would become a
/// GET. Requests to this machine go through no proxy.
pub fn client(url: &Url) -> Result<Client, reqwest::Error> {
    let mut builder = builder()
        .redirect(Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("waldo/", env!("CARGO_PKG_VERSION")));
    if is_loopback(url) {
        builder = builder.no_proxy();
        if url.scheme() == "http" {
            // No certificate will be looked at, so a machine that has none is fine too.
            builder = builder.tls_certs_only([]);
        }
    }
    builder.build()
}

/// A client for whoever listens at a socket of this machine, whatever host and port the addresses say.
#[cfg(unix)]
pub fn client_at_socket(socket: &std::path::Path) -> Result<Client, reqwest::Error> {
    let builder = builder().redirect(Policy::none()).connect_timeout(CONNECT_TIMEOUT).no_proxy();
    // No certificate will be looked at.
    builder.tls_certs_only([]).unix_socket(socket).build()
}

pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
        Some(Host::Ipv6(address)) => address.is_loopback() || address.is_unspecified(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_several_names() {
        for here in [
            "http://127.0.0.1:80",
            "http://[::1]",
            "https://localhost",
            "http://a.localhost",
            "http://0.0.0.0",
        ] {
            assert!(is_loopback(&here.parse().unwrap()), "{here}");
        }
        for there in ["http://10.0.0.1", "https://localhost.example.org", "http://example.org"] {
            assert!(!is_loopback(&there.parse().unwrap()), "{there}");
        }
    }

    #[tokio::test]
    async fn a_client_for_https_is_made_with_the_one_provider() {
        client(&"https://example.org".parse().unwrap()).unwrap();
        builder().build().unwrap();
    }
}

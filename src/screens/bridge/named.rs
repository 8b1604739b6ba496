//! How an environment is named: `bridge:http://HOST:PORT`, with the platform before the address where it is no page.

use waldo_devices::Platform;

const BRIDGE: &str = "bridge:";

/// The platform and the address in `text`, or what is wrong with it; `None` where it names no environment.
pub fn named(text: &str) -> Option<(Platform, Result<&str, String>)> {
    let rest = text.strip_prefix(BRIDGE)?;
    let (platform, address) = [Platform::Web, Platform::Android, Platform::Desktop]
        .into_iter()
        .find_map(|platform| {
            let address = rest.strip_prefix(platform.as_str())?.strip_prefix(':')?;
            Some((platform, address))
        })
        .unwrap_or((Platform::Web, rest));
    let is_address = ["http://", "https://"].iter().any(|scheme| {
        address.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty() && !rest.contains(['?', '#', '@']))
    });
    let wrong = || {
        format!(
            "'{text}': write bridge:http://HOST:PORT, or bridge:android: and bridge:desktop: before the address"
        )
    };
    Some((platform, is_address.then_some(address).ok_or_else(wrong)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_has_a_platform_and_an_address() {
        let read = |text| named(text).map(|(platform, address)| (platform, address.ok()));
        assert_eq!(read("bridge:http://127.0.0.1:1"), Some((Platform::Web, Some("http://127.0.0.1:1"))));
        assert_eq!(read("bridge:web:https://a"), Some((Platform::Web, Some("https://a"))));
        assert_eq!(read("bridge:android:http://a/b"), Some((Platform::Android, Some("http://a/b"))));
        for bad in [
            "bridge:",
            "bridge:a:1",
            "bridge:desktop:",
            "bridge:http://",
            "bridge:http://u:p@a",
            "bridge:http://a?b",
        ] {
            assert_eq!(read(bad).map(|(_, address)| address), Some(None), "{bad}");
        }
        assert_eq!(read("web"), None);
    }
}

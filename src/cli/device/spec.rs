//! A screen, as it is named on the command line.

use std::net::SocketAddr;
use std::str::FromStr;

/// A screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Spec {
    /// A browser.
    #[default]
    Web,
    /// The phone that adb has ready, or the one of a serial.
    Adb(Option<String>),
    /// A phone at its own port, without an adb server.
    Tcp(SocketAddr),
    /// The phone on a USB cable, or the one of this serial there, without an adb server.
    Usb(Option<String>),
    /// A simulated phone in this process.
    Simphone,
    /// A private display, made anew for each episode.
    Desktop,
    /// The display of this name, such as `:0`: somebody's.
    Display(String),
    /// The screen of this session, somebody's, through the portable parts of the driver alone.
    Portable,
}

impl FromStr for Spec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Some(address) = text.strip_prefix("tcp:") {
            let numeric = address.replace("localhost", "127.0.0.1");
            let wrong = |_| format!("'{text}': write a numeric address and a port, like tcp:127.0.0.1:5601");
            return numeric.parse().map(Self::Tcp).map_err(wrong);
        }
        match text.split_once(':').map_or((text, None), |(kind, serial)| (kind, Some(serial))) {
            ("web", None) => Ok(Self::Web),
            ("simphone", None) => Ok(Self::Simphone),
            ("android", None) => Ok(Self::Adb(None)),
            ("android", Some(serial)) if !serial.is_empty() => Ok(Self::Adb(Some(serial.to_owned()))),
            ("usb", None) => Ok(Self::Usb(None)),
            ("usb", Some(serial)) if !serial.is_empty() => Ok(Self::Usb(Some(serial.to_owned()))),
            ("desktop", None) if cfg!(target_os = "linux") => Ok(Self::Desktop),
            // Private displays are Linux's alone.
            ("desktop", None) => Ok(Self::Portable),
            ("desktop", Some(":portable")) => Ok(Self::Portable),
            ("desktop", Some(display)) if is_display(display) => Ok(Self::Display(display.to_owned())),
            ("desktop", Some(_)) => Err(format!(
                "'{text}': write the name of the display, like desktop::0 for the display :0, or desktop::portable"
            )),
            _ => Err(format!(
                "'{text}' is no device: there are web, simphone, android, android:SERIAL, tcp:HOST:PORT, \
                 usb, usb:SERIAL, desktop, desktop::0 and desktop::portable"
            )),
        }
    }
}

/// Whether this is the name of an X display on this machine: `:0`, `:1.0`.
fn is_display(name: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    name.strip_prefix(':').is_some_and(|numbers| {
        numbers.split_once('.').map_or_else(|| digits(numbers), |(a, b)| digits(a) && digits(b))
    })
}

impl std::fmt::Display for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Web => f.write_str("web"),
            Self::Adb(None) => f.write_str("android"),
            Self::Adb(Some(serial)) => write!(f, "android:{serial}"),
            Self::Tcp(address) => write!(f, "tcp:{address}"),
            Self::Usb(None) => f.write_str("usb"),
            Self::Usb(Some(serial)) => write!(f, "usb:{serial}"),
            Self::Simphone => f.write_str("simphone"),
            Self::Desktop => f.write_str("desktop"),
            Self::Display(name) => write!(f, "desktop:{name}"),
            Self::Portable => f.write_str("desktop::portable"),
        }
    }
}

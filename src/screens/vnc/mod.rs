//! Any machine that a VNC server shows: `vnc://HOST:5900`.

#[cfg(feature = "vnc")]
mod source;

use std::sync::Arc;

use async_trait::async_trait;
use waldo_devices::Platform;

use super::desktops::ProgramsKind;
use super::error::ScreenError;
use super::finding::{DeviceEntry, Finding};
use super::kind::{KindFacts, ScreenKind, ScreenRequest, ScreenSource};

pub struct VncServer;

#[async_trait]
impl ScreenKind for VncServer {
    fn facts(&self) -> KindFacts {
        KindFacts::new(&["vnc://HOST:5900"], &ProgramsKind, &["--insecure", "--tls-ca"]).taken_as_it_is()
    }

    fn read(&self, text: &str) -> Option<Result<String, String>> {
        let address = text.strip_prefix("vnc:")?;
        let is_address = address
            .strip_prefix("//")
            .is_some_and(|rest| !rest.is_empty() && !rest.contains(['?', '#', '@', '=', ',']));
        // What was written may hold a password.
        let wrong = || {
            "vnc:…: write vnc://HOST:5900, the machine and its port; a password goes by --secret vnc-password=VARIABLE"
                .to_owned()
        };
        Some(is_address.then(|| text.to_owned()).ok_or_else(wrong))
    }

    fn listed(&self) -> Option<DeviceEntry> {
        // Nobody knows where there is one: servers count who only asks.
        let product = "any machine that a VNC server shows";
        cfg!(feature = "vnc")
            .then(|| DeviceEntry::new(Platform::Desktop.as_str(), product, "vnc://HOST:5900", false))
    }

    #[cfg(feature = "vnc")]
    async fn source(&self, wanted: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        Ok(Arc::new(source::VncSource::of(&wanted)?))
    }

    #[cfg(not(feature = "vnc"))]
    async fn source(&self, _: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        Err(crate::absent::Absent { what: "screens by VNC", feature: "vnc" }.into())
    }

    #[cfg(feature = "vnc")]
    async fn examine(&self, wanted: &ScreenRequest<'_>) -> Vec<Finding> {
        let found = source::greet(wanted.named, wanted.flags).await;
        vec![Finding::of("vnc", found, "see what the message says, and docs/vnc.md")]
    }

    #[cfg(not(feature = "vnc"))]
    async fn examine(&self, _: &ScreenRequest<'_>) -> Vec<Finding> {
        let none: Result<&str, _> = Err(crate::absent::Absent { what: "screens by VNC", feature: "vnc" });
        vec![Finding::of("vnc", none, "build waldo with the feature vnc")]
    }
}

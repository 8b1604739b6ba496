//! Desktops elsewhere, by the server that OSWorld's machines run: `osworld:http://HOST:5000`.

#[cfg(feature = "remote")]
mod source;

use std::sync::Arc;

use async_trait::async_trait;

use super::desktops::ProgramsKind;
use super::error::ScreenError;
use super::finding::Finding;
use super::kind::{KindFacts, ScreenKind, ScreenRequest, ScreenSource};

#[cfg(all(feature = "remote", feature = "osworld"))]
pub use source::server;

pub struct OsworldServer;

#[async_trait]
impl ScreenKind for OsworldServer {
    fn facts(&self) -> KindFacts {
        KindFacts::new(&["osworld:http://HOST:5000"], &ProgramsKind, &["--insecure", "--reset-command"])
            .taken_as_it_is()
    }

    fn read(&self, text: &str) -> Option<Result<String, String>> {
        let address = text.strip_prefix("osworld:")?;
        let is_address = ["http://", "https://"].iter().any(|scheme| {
            address
                .strip_prefix(scheme)
                .is_some_and(|rest| !rest.is_empty() && !rest.contains(['?', '#', '@']))
        });
        let wrong = || format!("'{text}': write osworld:http://HOST:5000, the server inside the machine");
        Some(is_address.then(|| text.to_owned()).ok_or_else(wrong))
    }

    #[cfg(feature = "remote")]
    async fn source(&self, wanted: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        Ok(Arc::new(source::RemoteSource::of(&wanted)?))
    }

    #[cfg(not(feature = "remote"))]
    async fn source(&self, _: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        Err(crate::absent::Absent { what: "desktops elsewhere", feature: "remote" }.into())
    }

    #[cfg(feature = "remote")]
    async fn examine(&self, wanted: &ScreenRequest<'_>) -> Vec<Finding> {
        source::examine(wanted).await
    }

    #[cfg(not(feature = "remote"))]
    async fn examine(&self, _: &ScreenRequest<'_>) -> Vec<Finding> {
        let none: Result<&str, _> =
            Err(crate::absent::Absent { what: "desktops elsewhere", feature: "remote" });
        vec![Finding::of("machine", none, "build waldo with the feature remote")]
    }
}

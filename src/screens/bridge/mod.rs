//! Environments in other languages, over waldo's bridge: `bridge:http://HOST:PORT`.

mod named;
#[cfg(feature = "bridge")]
mod source;

use std::sync::Arc;

use async_trait::async_trait;
use waldo_devices::{GuardPolicy, Platform, ResetTo};

#[cfg(feature = "bridge")]
pub use source::server;

use super::error::ScreenError;
use super::finding::Finding;
use super::kind::{Family, KindFacts, ScreenKind, ScreenRequest, ScreenSource};
pub use named::named;

pub struct Bridge(pub Platform);

#[async_trait]
impl ScreenKind for Bridge {
    fn facts(&self) -> KindFacts {
        let (forms, family): (&[&str], _) = match self.0 {
            Platform::Android => (&["bridge:android:http://HOST:PORT"], &Environment(Platform::Android)),
            Platform::Desktop => (&["bridge:desktop:http://HOST:PORT"], &Environment(Platform::Desktop)),
            Platform::Web | Platform::Ios | Platform::Devices => {
                (&["bridge:http://HOST:PORT"], &Environment(Platform::Web))
            }
        };
        KindFacts::new(forms, family, &["--insecure"])
    }

    fn read(&self, text: &str) -> Option<Result<String, String>> {
        let (platform, address) = named(text)?;
        (platform == self.0).then_some(address.map(|_| text.to_owned()))
    }

    #[cfg(feature = "bridge")]
    async fn source(&self, wanted: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        Ok(Arc::new(source::BridgeSource::of(&wanted).await?))
    }

    #[cfg(not(feature = "bridge"))]
    async fn source(&self, _: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        Err(crate::absent::Absent { what: "bridges", feature: "bridge" }.into())
    }

    #[cfg(feature = "bridge")]
    async fn examine(&self, wanted: &ScreenRequest<'_>) -> Vec<Finding> {
        source::examine(wanted).await
    }

    #[cfg(not(feature = "bridge"))]
    async fn examine(&self, _: &ScreenRequest<'_>) -> Vec<Finding> {
        let none: Result<&str, _> = Err(crate::absent::Absent { what: "bridges", feature: "bridge" });
        vec![Finding::of("bridge", none, "build waldo with the feature bridge")]
    }
}

/// Screens of environments: nothing is known of them but their platform.
pub struct Environment(pub Platform);

#[async_trait]
impl Family for Environment {
    fn platform(&self) -> Platform {
        self.0
    }

    /// Nobody knows where there is one.
    fn usual(&self) -> &'static str {
        "bridge:http://HOST:PORT"
    }

    fn played_on(&self, named: &str) -> String {
        format!("on {}, not on {named}", self.0.as_str())
    }

    fn start(&self, open: Option<&str>, policy: GuardPolicy) -> Result<ResetTo, ScreenError> {
        Ok(ResetTo { start: open.unwrap_or_default().to_owned(), policy, ..ResetTo::default() })
    }

    fn start_name(&self, to: &ResetTo) -> Option<String> {
        (!to.start.is_empty()).then(|| to.start.clone())
    }

    fn noun(&self) -> &'static str {
        "environment"
    }
}

//! iPhones and iPads through WebDriverAgent: `wda:http://HOST:8100`.

#[cfg(feature = "wda")]
mod source;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};
use waldo_devices::{AppRule, GuardPolicy, Platform, ResetTo};

use super::browser_args::BrowserArgs;
use super::error::ScreenError;
use super::finding::{DeviceEntry, Finding};
use super::flags::DeviceFlags;
use super::kind::{Family, ScreenKind, ScreenRequest, ScreenSource};

/// A phone behind WebDriverAgent.
pub struct WebDriverAgent;

#[async_trait]
impl ScreenKind for WebDriverAgent {
    fn forms(&self) -> &'static [&'static str] {
        &["wda:http://HOST:8100"]
    }

    fn read(&self, text: &str) -> Option<Result<String, String>> {
        let address = text.strip_prefix("wda:")?;
        let is_address = ["http://", "https://"].iter().any(|scheme| {
            address
                .strip_prefix(scheme)
                .is_some_and(|rest| !rest.is_empty() && !rest.contains(['?', '#', '@', '=', ',']))
        });
        // What was written may hold a password.
        let wrong = || "wda:…: write wda:http://HOST:8100, where WebDriverAgent answers".to_owned();
        Some(is_address.then(|| text.to_owned()).ok_or_else(wrong))
    }

    fn family(&self) -> &'static dyn Family {
        &Iphones
    }

    fn heeds(&self) -> &'static [&'static str] {
        &["--insecure"]
    }

    fn is_laid_out(&self) -> bool {
        false
    }

    #[cfg(feature = "wda")]
    async fn source(&self, wanted: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        Ok(Arc::new(source::WdaSource::of(&wanted)?))
    }

    #[cfg(not(feature = "wda"))]
    async fn source(&self, _: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        Err(crate::absent::Absent { what: "iPhones", feature: "wda" }.into())
    }

    #[cfg(feature = "wda")]
    async fn examine(&self, wanted: &ScreenRequest<'_>) -> Vec<Finding> {
        source::examine(wanted).await
    }

    #[cfg(not(feature = "wda"))]
    async fn examine(&self, _: &ScreenRequest<'_>) -> Vec<Finding> {
        let none: Result<&str, _> = Err(crate::absent::Absent { what: "iPhones", feature: "wda" });
        vec![Finding::of("phone", none, "build waldo with the feature wda")]
    }
}

/// Screens that show apps by bundle ids.
pub struct Iphones;

#[async_trait]
impl Family for Iphones {
    fn platform(&self) -> Platform {
        Platform::Ios
    }

    /// No suite is of it.
    fn usual(&self) -> &'static str {
        ""
    }

    fn played_on(&self, _: &str) -> String {
        "on an iPhone: give --device wda:http://HOST:8100".to_owned()
    }

    fn starts_with(&self, named: &str, url: Option<&str>, _: Option<&str>) -> Result<(), ScreenError> {
        super::kind::no_address(named, url)
    }

    fn start(&self, open: Option<&str>, mut policy: GuardPolicy) -> Result<ResetTo, ScreenError> {
        if policy.apps.is_empty() {
            let bundle = open.filter(|app| app.contains('.') && !app.contains(':')).ok_or_else(|| {
                let told = "--allow-app BUNDLE (such as com.apple.Preferences; * for any end)";
                ScreenError::Input(match open {
                    Some(name) => {
                        format!("'{name}' is not a bundle id: say as well which app may be touched, {told}")
                    }
                    None => {
                        format!("on an iPhone, say which apps may be touched: --open BUNDLE, or {told}")
                    }
                })
            })?;
            policy.apps = vec![AppRule(bundle.to_owned())];
        }
        Ok(ResetTo { start: open.unwrap_or_default().to_owned(), policy, ..ResetTo::default() })
    }

    fn start_name(&self, to: &ResetTo) -> Option<String> {
        (!to.start.is_empty()).then(|| to.start.clone())
    }

    fn noun(&self) -> &'static str {
        "phone"
    }

    fn add_parameters(&self, _: &DeviceFlags, _: &BrowserArgs, _: &mut Map<String, Value>) {}

    async fn list(&self, _: &DeviceFlags, _: &BrowserArgs) -> Vec<DeviceEntry> {
        if cfg!(not(feature = "wda")) {
            return Vec::new();
        }
        // Nobody knows where there is one.
        let (platform, device) = (self.platform().as_str(), "wda:http://HOST:8100");
        let product = "an iPhone where WebDriverAgent answers";
        let json =
            serde_json::json!({ "platform": platform, "product": product, "ready": false, "device": device });
        vec![DeviceEntry { platform, text: format!("{product}  --device {device}"), json, error: None }]
    }

    async fn examine(&self, _: &DeviceFlags, _: &BrowserArgs) -> Vec<Finding> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_opened_app_may_be_touched_unless_others_are_named() {
        let none = GuardPolicy::default;
        let to = Iphones.start(Some("com.apple.Preferences"), none()).unwrap();
        assert!(to.policy.allows_app("com.apple.Preferences") && !to.policy.allows_app("com.apple.Maps"));
        for unclear in [None, Some("Settings"), Some("https://example.org")] {
            assert!(Iphones.start(unclear, none()).is_err(), "{unclear:?}");
        }
        let named = GuardPolicy { apps: vec![AppRule("com.apple.*".into())], ..GuardPolicy::default() };
        let to = Iphones.start(Some("Settings"), named).unwrap();
        assert!(to.policy.allows_app("com.apple.Maps") && to.start == "Settings");
    }

    #[test]
    fn an_address_is_one_and_none_is_repeated_that_holds_more() {
        let read = |text: &str| WebDriverAgent.read(text);
        assert!(read("wda:http://127.0.0.1:8100").unwrap().is_ok() && read("vnc://a").is_none());
        for bad in ["wda:", "wda:http://", "wda:127.0.0.1:8100", "wda:http://me:hunter22@a", "wda:http://a?x"]
        {
            let said = read(bad).unwrap().unwrap_err();
            assert!(said.contains("wda:http://HOST:8100") && !said.contains("hunter22"), "{said}");
        }
    }
}

//! Browsers.

#[cfg(feature = "web")]
mod source;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use waldo_devices::{DeviceInfo, GuardPolicy, Platform, ResetTo};

use super::browser_args::BrowserArgs;
use super::error::ScreenError;
use super::finding::{DeviceEntry, Finding};
use super::flags::DeviceFlags;
use super::kind::{Family, KindFacts, ScreenKind, ScreenRequest, ScreenSource};

/// What a browser without a page is told.
const NO_URL: &str = "a browser needs --url, the page to start on; another screen is named by --device";

pub struct BrowserKind;

#[async_trait]
impl ScreenKind for BrowserKind {
    fn facts(&self) -> KindFacts {
        KindFacts::new(&["web"], &PagesKind, &[])
    }

    fn read(&self, text: &str) -> Option<Result<String, String>> {
        (text == "web").then(|| Ok(text.to_owned()))
    }

    fn is_in_view(&self, browser: &BrowserArgs) -> bool {
        browser.headed || browser.cdp.is_some()
    }

    #[cfg(feature = "web")]
    async fn source(&self, wanted: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        let browser = wanted.browser;
        let logged_in = browser.logged_in()?;
        let options = waldo_web::WebOptions { secrets: wanted.secrets, logged_in, ..browser.options() };
        Ok(Arc::new(source::WebSource::new(browser.origin(), options, wanted.approver)))
    }

    #[cfg(not(feature = "web"))]
    async fn source(&self, _: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        Err(crate::absent::Absent { what: "browsers", feature: "web" }.into())
    }
}

pub struct PagesKind;

#[async_trait]
impl Family for PagesKind {
    fn platform(&self) -> Platform {
        Platform::Web
    }

    fn usual(&self) -> &'static str {
        "web"
    }

    fn played_on(&self, named: &str) -> String {
        format!("on web pages, not on {named}: give --device web")
    }

    fn starts_with(&self, _: &str, _: Option<&str>, open: Option<&str>) -> Result<(), ScreenError> {
        match open {
            None => Ok(()),
            Some(_) => Err(ScreenError::Input(
                "--open is for phones and desktops: give --device as well (simphone, android, desktop), or --url \
                 for a page"
                    .to_owned(),
            )),
        }
    }

    fn start(&self, _: Option<&str>, _: GuardPolicy) -> Result<ResetTo, ScreenError> {
        Err(ScreenError::Input(NO_URL.to_owned()))
    }

    fn noun(&self) -> &'static str {
        "page"
    }

    fn has_origins(&self) -> bool {
        true
    }

    fn add_parameters(&self, _: &DeviceFlags, browser: &BrowserArgs, to: &mut Map<String, Value>) {
        to.insert("viewport".to_owned(), json!(browser.viewport));
        to.insert("scale".to_owned(), json!(browser.scale));
        // That there is one, and no more: which accounts it opens is nobody's business.
        if browser.storage_state.is_some() || browser.browser_profile.is_some() {
            to.insert("logged_in".to_owned(), true.into());
        }
    }

    async fn list(&self, _: &DeviceFlags, browser: &BrowserArgs) -> Vec<DeviceEntry> {
        let platform = self.platform().as_str();
        let info = match info(browser).await {
            Ok(info) => info,
            Err(error) => {
                let none = DeviceEntry::none(platform, "web", &format!("{error} (waldo doctor says more)"));
                return vec![DeviceEntry { error: Some(error), ..none }];
            }
        };
        let size = info.geometry.physical;
        let abilities = info.capabilities.iter();
        let abilities = abilities.filter_map(|c| serde_json::to_value(c).ok()?.as_str().map(str::to_owned));
        let abilities: Vec<String> = abilities.collect();
        let text = format!("{}  {:.0}x{:.0} px  {}", info.product, size.w, size.h, abilities.join(", "));
        let mut json = json!(info);
        json["device"] = "web".into();
        json["ready"] = true.into();
        vec![DeviceEntry { platform, text, json, error: None }]
    }

    async fn examine(&self, _: &DeviceFlags, browser: &BrowserArgs) -> Vec<Finding> {
        let hint = "install Chromium (Debian: apt-get install chromium), or name one with --browser PATH";
        let found = info(browser).await.map(|info| info.product);
        vec![Finding::of("browser", found, hint), sandbox(browser)]
    }
}

#[cfg(feature = "web")]
async fn info(browser: &BrowserArgs) -> Result<DeviceInfo, ScreenError> {
    let source = source::WebSource::new(browser.origin(), browser.options(), None);
    let info = source.info(waldo_devices::Deadline::after(std::time::Duration::from_secs(30))).await;
    source.close().await;
    Ok(info?)
}

#[cfg(not(feature = "web"))]
async fn info(_: &BrowserArgs) -> Result<DeviceInfo, ScreenError> {
    Err(crate::absent::Absent { what: "browsers", feature: "web" }.into())
}

/// A browser without its sandbox is not a fault, but a risk that somebody should know of.
fn sandbox(browser: &BrowserArgs) -> Finding {
    let found = match (&browser.cdp, is_sandboxed()) {
        (Some(_), _) => "as the browser at --cdp was started",
        (None, true) => "on",
        (None, false) => {
            "off: browsers refuse it to root, and get --no-sandbox; run waldo as another user for pages of strangers"
        }
    };
    Finding::note("browser sandbox", found.to_owned())
}

#[cfg(feature = "web")]
fn is_sandboxed() -> bool {
    waldo_web::is_sandboxed()
}

#[cfg(not(feature = "web"))]
fn is_sandboxed() -> bool {
    true
}

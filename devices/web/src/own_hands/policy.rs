//! What a program may ask the browser for. What is not named here is refused.

use serde_json::{Value, json};
use waldo_devices::word_list;

use crate::cdp::text;
use crate::script::WORLD;

/// What becomes of a call that is neither an input nor about targets.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// It goes to the browser as it is.
    Pass,
    /// It is answered, and nothing is done.
    Answered(Value),
    /// It is refused, with why.
    Refused(String),
}

/// Domains of which all passes that [`REFUSED`] does not name.
const DOMAINS: [&str; 12] = word_list(
    "Accessibility Animation CSS Console DOM DOMSnapshot Emulation Inspector Log Overlay Performance Runtime",
);

/// What passes of other domains.
const METHODS: [&str; 41] = word_list(
    "Browser.getVersion Browser.getWindowBounds Browser.getWindowForTarget DOMDebugger.getEventListeners \
     Network.disable Network.enable Network.getRequestPostData Network.getResponseBody \
     Network.searchInResponseBody Network.setCacheDisabled Network.setExtraHTTPHeaders \
     Network.setUserAgentOverride Network.streamResourceContent Page.addScriptToEvaluateOnNewDocument \
     Page.bringToFront Page.captureScreenshot Page.captureSnapshot Page.createIsolatedWorld Page.disable \
     Page.enable Page.getAppManifest Page.getFrameTree Page.getLayoutMetrics Page.getNavigationHistory \
     Page.getResourceContent Page.getResourceTree Page.printToPDF Page.removeScriptToEvaluateOnNewDocument \
     Page.screencastFrameAck Page.setFontFamilies Page.setFontSizes Page.setInterceptFileChooserDialog \
     Page.setLifecycleEventsEnabled Page.startScreencast Page.stopLoading Page.stopScreencast \
     Schema.getDomains Security.disable Security.enable ServiceWorker.disable ServiceWorker.enable",
);

/// What is refused of the domains that pass, with why.
const REFUSED: [(&str, &str); 5] = [
    ("DOM.getFileInfo", "it would expose files of this machine"),
    ("Emulation.setVirtualTimePolicy", "the page's time is the episode's"),
    ("Emulation.setAutomationOverride", "a program must not pass for a person"),
    ("Emulation.setScriptExecutionDisabled", "the episode looks at the page by scripts"),
    ("Runtime.terminateExecution", "the episode looks at the page by scripts"),
];

/// What is answered and not carried out: clients ask for it without being told to, and the episode has settled it. What
/// audits tell of may have cookies in it; what waits is let go by the guard, once it stands.
const SETTLED: [&str; 11] = word_list(
    "Audits.enable Browser.setDownloadBehavior Browser.setWindowBounds Emulation.clearDeviceMetricsOverride \
     Emulation.setDeviceMetricsOverride Emulation.setVisibleSize Page.clearDeviceMetricsOverride \
     Page.setDeviceMetricsOverride Page.setDownloadBehavior Page.setAdBlockingEnabled \
     Runtime.runIfWaitingForDebugger",
);

/// Of a refused call, what would have been gained by it.
const REASONS: [(&str, &str); 7] = [
    ("Network.getCookies", "cookies are not available: they may hold the episode's login"),
    ("Network.getAllCookies", "cookies are not available: they may hold the episode's login"),
    ("Storage.getCookies", "cookies are not available: they may hold the episode's login"),
    ("Target.createBrowserContext", "the episode has one context: use the one that is there"),
    ("Target.disposeBrowserContext", "the episode's context stays until its end"),
    ("Page.setBypassCSP", "the guard lays a policy into every page"),
    ("Fetch.enable", "the guard decides what leaves the browser"),
];

pub(super) fn judge(method: &str, params: &Value) -> Verdict {
    if SETTLED.contains(&method) {
        return Verdict::Answered(json!({}));
    }
    if let Some((_, why)) = REFUSED.iter().find(|(refused, _)| *refused == method) {
        return refused(method, why);
    }
    if method == "Page.createIsolatedWorld" && text(params, "worldName") == WORLD {
        return refused(method, "a world of this name is the episode's own");
    }
    if text(params, "transferMode") == "ReturnAsStream" {
        return refused(method, "streams are not served: ask for the data itself");
    }
    let domain = method.split_once('.').map_or(method, |(domain, _)| domain);
    if METHODS.contains(&method) || DOMAINS.contains(&domain) {
        return Verdict::Pass;
    }
    let why = REASONS.iter().find(|(known, _)| *known == method).map(|(_, why)| *why);
    refused(method, why.unwrap_or("it is not among what is served"))
}

pub(super) fn refused(method: &str, why: &str) -> Verdict {
    Verdict::Refused(format!("waldo's guard refuses {method}: {why} (docs/cdp.md)"))
}

/// Whether an event may be told: cookies are not, nor the world that the episode looks at pages from.
pub(super) fn is_told(method: &str, params: &Value) -> bool {
    match method {
        "Network.requestWillBeSentExtraInfo" | "Network.responseReceivedExtraInfo" => false,
        "Runtime.executionContextCreated" => text(&params["context"], "name") != WORLD,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reads_and_scripts_passes_and_what_goes_around_the_guard_does_not() {
        let of = |method: &str| judge(method, &json!({}));
        for method in ["Runtime.evaluate", "DOM.getDocument", "Page.captureScreenshot", "Network.enable"] {
            assert_eq!(of(method), Verdict::Pass, "{method}");
        }
        for method in [
            "Browser.close",
            "Browser.grantPermissions",
            "Fetch.enable",
            "IO.read",
            "Network.getAllCookies",
            "Network.setBypassServiceWorker",
            "Network.loadNetworkResource",
            "Page.setBypassCSP",
            "Security.setIgnoreCertificateErrors",
            "Storage.getCookies",
            "SystemInfo.getProcessInfo",
            "Target.exposeDevToolsProtocol",
            "Tracing.start",
            "DOM.getFileInfo",
            "nonsense",
        ] {
            assert!(matches!(of(method), Verdict::Refused(why) if why.contains(method)), "{method}");
        }
        for method in ["Browser.setDownloadBehavior", "Audits.enable"] {
            assert_eq!(of(method), Verdict::Answered(json!({})));
        }
        let own = judge("Page.createIsolatedWorld", &json!({ "worldName": WORLD }));
        assert!(matches!(own, Verdict::Refused(_)));
        assert!(!is_told("Runtime.executionContextCreated", &json!({ "context": { "name": WORLD } })));
    }
}

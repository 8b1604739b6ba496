//! Cookies of a context, and what origins keep in local storage.
//!
//! Invariant: an origin's storage is read and written on an empty page that the driver itself answers with, so nothing
//! is sent for it and no script of the origin runs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::cdp::{Cdp, SessionId, text};
use super::storage_state::{Cookie, OriginStorage, StorageItem};
use waldo_devices::{Deadline, DeviceError, Origin, Result};

/// The most characters of one origin's storage that are kept.
const STORED_MAX: usize = 4 << 20;

/// Cookies of a context; of the browser's own where none is named.
pub(super) async fn cookies(cdp: &Cdp, context: Option<&str>, deadline: Deadline) -> Result<Vec<Cookie>> {
    let method = "Storage.getCookies";
    let params = context.map_or_else(|| json!({}), |context| json!({ "browserContextId": context }));
    let mut found = cdp.call(None, method, params, deadline).await.map_err(|error| error.on(method))?;
    let found: Vec<Value> = serde_json::from_value(found["cookies"].take()).unwrap_or_default();
    Ok(found.iter().map(cookie).collect())
}

fn cookie(found: &Value) -> Cookie {
    let partition = &found["partitionKey"];
    Cookie {
        name: text(found, "name").to_owned(),
        value: text(found, "value").to_owned(),
        domain: text(found, "domain").to_owned(),
        path: text(found, "path").to_owned(),
        expires: found["expires"].as_f64().unwrap_or(-1.0),
        http_only: found["httpOnly"].as_bool().unwrap_or_default(),
        secure: found["secure"].as_bool().unwrap_or_default(),
        same_site: Some(found["sameSite"].as_str().unwrap_or("Lax").to_owned()),
        partition_key: partition["topLevelSite"].as_str().map(str::to_owned),
        has_cross_site_ancestor: partition["hasCrossSiteAncestor"].as_bool(),
    }
}

/// Gives a context cookies; those that the browser does not take are left out.
pub(super) async fn set_cookies(
    cdp: &Cdp,
    context: &str,
    cookies: &[Cookie],
    deadline: Deadline,
) -> Result<()> {
    let method = "Storage.setCookies";
    let set = async |cookies: &[Cookie]| {
        let all: Vec<Value> = cookies.iter().map(as_param).collect();
        let params = json!({ "browserContextId": context, "cookies": all });
        cdp.call(None, method, params, deadline).await.map_err(|error| error.on(method))
    };
    if set(cookies).await.is_ok() {
        return Ok(());
    }
    // One that the browser does not take makes it refuse all: each for itself, and that one is left out.
    let mut left_out = 0;
    for cookie in cookies {
        match set(std::slice::from_ref(cookie)).await {
            Ok(_) => {}
            Err(error @ (DeviceError::Gone { .. } | DeviceError::Timeout { .. })) => return Err(error),
            // Its name and domain may tell of an account, too.
            Err(_) => left_out += 1,
        }
    }
    if left_out > 0 {
        tracing::warn!("the browser refused {left_out} cookies of the storage state: they were left out");
    }
    Ok(())
}

/// A cookie as the browser takes it. Without a dot it is the host's alone, which only an address says.
fn as_param(cookie: &Cookie) -> Value {
    let mut param = json!({
        "name": cookie.name, "value": cookie.value, "path": cookie.path,
        "secure": cookie.secure, "httpOnly": cookie.http_only,
    });
    let scheme = if cookie.secure { "https" } else { "http" };
    let host = cookie.domain.trim_start_matches('.');
    // An IPv6 address stands in brackets in one.
    let host =
        if host.contains(':') && !host.starts_with('[') { format!("[{host}]") } else { host.to_owned() };
    param["url"] = format!("{scheme}://{host}{}", cookie.path).into();
    if cookie.domain.starts_with('.') {
        param["domain"] = cookie.domain.as_str().into();
    }
    if cookie.expires >= 0.0 {
        param["expires"] = cookie.expires.into();
    }
    if let Some(same_site @ ("Strict" | "Lax" | "None")) = cookie.same_site.as_deref() {
        param["sameSite"] = same_site.into();
    }
    if let Some(site) = &cookie.partition_key {
        let ancestor = cookie.has_cross_site_ancestor.unwrap_or_default();
        param["partitionKey"] = json!({ "topLevelSite": site, "hasCrossSiteAncestor": ancestor });
    }
    param
}

/// What an origin keeps in local storage, asked of an open page of it; `None` where the page cannot say.
pub(super) async fn items_of_page(
    cdp: &Cdp,
    session: &SessionId,
    origin: &str,
    deadline: Deadline,
) -> Result<Option<Vec<StorageItem>>> {
    let params = json!({ "storageId": { "securityOrigin": origin, "isLocalStorage": true } });
    let method = "DOMStorage.getDOMStorageItems";
    let found =
        match cdp.call(Some(session), method, params, deadline).await.map_err(|error| error.on(method)) {
            Ok(found) => found,
            Err(error @ DeviceError::Timeout { .. }) => return Err(error),
            // The page moved on, or may keep nothing.
            Err(_) => return Ok(None),
        };
    let entries: Vec<(String, String)> = serde_json::from_value(found["entries"].clone()).unwrap_or_default();
    let characters: usize = entries.iter().map(|(name, value)| name.len() + value.len()).sum();
    if characters > STORED_MAX {
        tracing::warn!("{origin} keeps more than {STORED_MAX} characters: they were left out");
        return Ok(Some(Vec::new()));
    }
    Ok(Some(entries.into_iter().map(|(name, value)| StorageItem { name, value }).collect()))
}

/// A script that gives null on a page of another origin: the page may have moved on, or the last one is still there.
fn only_on(origin: &str, script: &str) -> String {
    format!("location.origin === {} ? ({script}) : null", json!(origin))
}

/// What IndexedDB of an open page's origin holds: `{"DATABASE/OBJECT STORE": {KEY: value}}`. Nothing where the page cannot
/// say, and where it is more than the characters of one origin that are kept.
pub(super) async fn databases_of_page(
    cdp: &Cdp,
    session: &SessionId,
    origin: &str,
    deadline: Deadline,
) -> Result<Value> {
    let script = only_on(origin, &format!("({})({STORED_MAX})", include_str!("databases.js")));
    let params = json!({ "expression": script, "returnByValue": true, "awaitPromise": true });
    let method = "Runtime.evaluate";
    match cdp.call(Some(session), method, params, deadline).await.map_err(|error| error.on(method)) {
        Ok(found) => {
            let text = found["result"]["value"].as_str();
            Ok(text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default())
        }
        Err(error @ DeviceError::Timeout { .. }) => Err(error),
        Err(_) => Ok(Value::Null),
    }
}

/// A tab in which storage is read and written: whatever it asks for, it gets an empty page.
pub(super) struct StorageTab<'a> {
    cdp: &'a Cdp,
    session: &'a SessionId,
}

impl<'a> StorageTab<'a> {
    /// Of a tab whose paused requests are answered by somebody.
    pub(super) async fn of(cdp: &'a Cdp, session: &'a SessionId, deadline: Deadline) -> Result<Self> {
        let tab = Self { cdp, session };
        tab.call("Network.enable", json!({ "maxTotalBufferSize": 0 }), deadline).await?;
        tab.call("Network.setBypassServiceWorker", json!({ "bypass": true }), deadline).await?;
        tab.call("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*" }] }), deadline).await?;
        Ok(tab)
    }

    async fn call(&self, method: &str, params: Value, deadline: Deadline) -> Result<Value> {
        let answer = self.cdp.call(Some(self.session), method, params, deadline).await;
        answer.map_err(|error| error.on(method))
    }

    /// Evaluates `script` on an empty page of `origin`; nothing where there cannot be one.
    async fn on(&self, origin: &str, script: &str, deadline: Deadline) -> Result<Value> {
        let opened = self.call("Page.navigate", json!({ "url": format!("{origin}/") }), deadline).await?;
        if !text(&opened, "errorText").is_empty() {
            return Ok(Value::Null);
        }
        let params = json!({ "expression": only_on(origin, script), "returnByValue": true });
        let mut value = self.call("Runtime.evaluate", params, deadline).await?;
        Ok(value["result"].get_mut("value").map(Value::take).unwrap_or_default())
    }

    pub(super) async fn write(&self, kept: &OriginStorage, deadline: Deadline) -> Result<()> {
        // Through the parser of JSON: the text is data in every engine.
        let items = serde_json::to_string(&kept.local_storage).unwrap_or_default();
        let script = format!(
            "(() => {{ for (const item of JSON.parse({})) localStorage.setItem(item.name, item.value); return true }})()",
            json!(items)
        );
        let origin = Origin::of(&kept.origin).map(|origin| origin.address()).unwrap_or_default();
        if self.on(&origin, &script, deadline).await? != Value::Bool(true) {
            tracing::warn!("the local storage of {origin} could not be set");
        }
        Ok(())
    }

    /// What an origin keeps; `None` for nothing.
    pub(super) async fn read(&self, origin: &str, deadline: Deadline) -> Result<Option<OriginStorage>> {
        if self.on(origin, "true", deadline).await? != Value::Bool(true) {
            return Ok(None);
        }
        let items = items_of_page(self.cdp, self.session, origin, deadline).await?.unwrap_or_default();
        Ok((!items.is_empty()).then(|| OriginStorage { origin: origin.to_owned(), local_storage: items }))
    }
}

/// A page that asks for nothing: without an icon of its own a browser would look for one, past this.
const EMPTY: &str = "<link rel=icon href=data:,>";

/// The answer to a paused request: an empty page.
pub(super) fn empty_page(paused: &Value) -> Value {
    let page = [json!({ "name": "content-type", "value": "text/html" })];
    let body = STANDARD.encode(EMPTY);
    json!({ "requestId": paused["requestId"], "responseCode": 200, "responseHeaders": page, "body": body })
}

//! `chrome.py`: tabs and the address in front.

use std::time::Duration;

use serde_json::{Map, Value, json};
use waldo_agents::python::url::{UrlParts, unquote};

use super::super::fault::{OsworldFault, Result};
use super::super::machine::Tab;
use super::super::metrics::NAMESPACES;
use super::super::py;
use super::super::select::{own_text, select_css};
use super::{Config, GetterContext, text, whole};

/// The address bar, in the browsers that may play the part.
const BARS: [&str; 2] = [
    "application[name=Google\\ Chrome] entry[name=Address\\ and\\ search\\ bar]",
    "application[name=Chromium] entry[name=Address\\ and\\ search\\ bar]",
];
const PAGE: Duration = Duration::from_secs(60);

impl GetterContext<'_> {
    /// The address in front as the bar shows it, with the scheme that the bar leaves out.
    pub(super) async fn active_url(&mut self, config: &Config) -> Result<Option<String>> {
        let tree = self.tree().await?;
        let Ok(document) = roxmltree::Document::parse(&tree) else { return Ok(None) };
        for bar in BARS {
            let found =
                select_css(document.root_element(), bar, NAMESPACES).map_err(OsworldFault::Unsupported)?;
            let (Some(first), Some(last)) = (found.first(), found.last()) else { continue };
            if own_text(*last).is_none() {
                return Ok(None);
            }
            let prefix = config.get("goto_prefix").and_then(Value::as_str).unwrap_or("https://");
            return Ok(Some(format!("{prefix}{}", own_text(*first).unwrap_or("None"))));
        }
        Ok(None)
    }

    /// The open tabs; nothing when the browser cannot be reached.
    pub(super) async fn open_tabs(&mut self) -> Result<Vec<Tab>> {
        Ok(self.machine.tabs(self.call()).await?.unwrap_or_default())
    }

    pub(super) async fn tab(&mut self, kind: &str, config: &Config) -> Result<Value> {
        match kind {
            "open_tabs_info" => {
                let tabs = self.open_tabs().await?.into_iter();
                return Ok(tabs.map(|tab| json!({ "title": tab.title, "url": tab.url })).collect());
            }
            "page_info" => return self.visit(text(config, "url")?).await,
            "pdf_from_url" => {
                let id = self.machine.open_tab(text(config, "path")?, self.deadline.at_most(PAGE)).await;
                let id = id.map_err(|e| OsworldFault::Expected(e.to_string()))?;
                let bytes = self.machine.print_tab(&id, self.call()).await;
                self.machine.close_tab(&id, self.call()).await?;
                return self
                    .keep(text(config, "dest")?, &bytes.map_err(|e| OsworldFault::Expected(e.to_string()))?);
            }
            _ => {}
        }
        let Some(url) = self.active_url(config).await? else { return Ok(Value::Null) };
        match kind {
            "active_url_from_accessTree" => Ok(Value::String(url)),
            "active_tab_info" => self.visit(&url).await,
            "active_tab_url_parse" => query_members(&url, config),
            "url_dashPart" => dash_part(&url, config),
            _ => shop_members(&url, config),
        }
    }

    /// Opens an address in a tab of its own and answers with what is there.
    async fn visit(&mut self, url: &str) -> Result<Value> {
        let id = self.machine.open_tab(url, self.deadline.at_most(PAGE)).await?;
        let script =
            "({ title: document.title, url: location.href, content: document.documentElement.outerHTML })";
        let found = self.machine.evaluate(&id, script, self.call()).await;
        self.machine.close_tab(&id, self.call()).await?;
        Ok(found?)
    }
}

fn query_members(url: &str, config: &Config) -> Result<Value> {
    let members: Vec<(String, String)> = UrlParts::parse(url).pairs().collect();
    let mut found = Map::new();
    for key in
        config.get("parse_keys").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        let value = members.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone());
        found.insert(key.to_owned(), Value::String(value.unwrap_or_default()));
    }
    for (old, new) in config.get("replace").and_then(Value::as_object).into_iter().flatten() {
        let value = found.shift_remove(old);
        let value =
            value.ok_or_else(|| OsworldFault::Expected(format!("'{old}' is replaced but not parsed")))?;
        found.insert(new.as_str().unwrap_or_default().to_owned(), value);
    }
    if config.get("split_list").is_some_and(py::truthy) {
        for value in found.values_mut() {
            *value = value.as_str().unwrap_or_default().split(',').collect();
        }
    }
    Ok(Value::Object(found))
}

/// `url_dashPart`: a part between slashes.
fn dash_part(url: &str, config: &Config) -> Result<Value> {
    let parts: Vec<&str> = url.split('/').collect();
    let Some(index) = whole(config, "partIndex") else { return Ok(Value::Null) };
    // A negative number counts from the end.
    let count = i64::try_from(parts.len()).unwrap_or(i64::MAX);
    let at = usize::try_from(if index < 0 { count + index } else { index }).ok();
    let Some(mut part) = at.and_then(|at| parts.get(at)).copied() else { return Ok(Value::Null) };
    if config.get("needDeleteId").is_some_and(py::truthy) {
        part = part.split('?').next().unwrap_or_default();
    }
    Ok(match config.get("returnType").and_then(Value::as_str) {
        Some("string") => json!(part),
        Some("json") => json!({ text(config, "key")?: part }),
        _ => Value::Null,
    })
}

/// `macys_product_url_parse`: names and values in two parts of the path.
fn shop_members(url: &str, config: &Config) -> Result<Value> {
    let path = unquote(&UrlParts::parse(url).path);
    let flag = |holds: bool| if holds { json!(true) } else { Value::Null };
    let mut members: Map<String, Value> = ["Men_regular_size_t", "Price_discount_range"]
        .iter()
        .map(|name| ((*name).to_owned(), Value::Null))
        .collect();
    let (mut shirts, mut short) = (path.contains("shirts"), path.contains("short-sleeve"));
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let pair = parts.windows(2).find(|pair| pair.iter().all(|part| part.contains(',')));
    if let Some([keys, values]) = pair {
        for (key, value) in keys.split(',').map(py::text::strip).zip(values.split(',').map(py::text::strip)) {
            let found = match (key, value) {
                (_, "") => Value::Null,
                ("Price_discount_range", value) => value.split('|').map(py::text::strip).collect(),
                (_, value) => json!(value),
            };
            members.insert(key.to_owned(), found);
            shirts |= key == "Product_department" && matches!(value, "shirts" | "Shirts" | "Shirt");
            short |= key == "Sleeve_length" && matches!(value, "short-sleeve" | "Short Sleeve");
        }
    }
    let mut found = Map::new();
    found.insert("mens_clothing".into(), flag(path.contains("mens-clothing")));
    found.insert("shirts".into(), flag(shirts));
    found.insert("short_sleeve".into(), flag(short));
    for key in
        config.get("parse_keys").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        let Some(value) = members.get(key) else { continue };
        let value = if key == "Price_discount_range" {
            let has = |off: &str| value.as_array().is_some_and(|all| all.iter().any(|v| v == off));
            let only = has("50_PERCENT_ off & more")
                && !has("30_PERCENT_ off & more")
                && !has("20_PERCENT_ off & more");
            json!(if only { "50_PERCENT_ off & more" } else { "not_50_PERCENT_ off & more" })
        } else {
            value.clone()
        };
        found.insert(key.to_owned(), value);
    }
    Ok(Value::Object(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(value: Value) -> Config {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn members_of_addresses() {
        let url = "https://a.org/p/q-1?id=3&name=J%20D+x&empty=&list=a,b";
        let keys = config(json!({ "parse_keys": ["name", "id", "empty"], "replace": { "id": "number" } }));
        assert_eq!(
            query_members(url, &keys).unwrap(),
            json!({ "name": "J D x", "empty": "", "number": "3" })
        );
        let split = config(json!({ "parse_keys": ["list"], "split_list": true }));
        assert_eq!(query_members(url, &split).unwrap(), json!({ "list": ["a", "b"] }));
        let part = config(json!({ "partIndex": -1, "needDeleteId": true, "returnType": "json", "key": "k" }));
        assert_eq!(dash_part(url, &part).unwrap(), json!({ "k": "q-1" }));
        assert_eq!(
            dash_part(url, &config(json!({ "partIndex": 40, "returnType": "string" }))).unwrap(),
            Value::Null
        );
    }

    #[test]
    fn members_of_a_shop() {
        let url = "https://shop.com/mens-clothing/x/Price_discount_range,Sleeve_length/50_PERCENT_%20off%20%26%20more,Short%20Sleeve?id=1";
        let keys = config(json!({ "parse_keys": ["Price_discount_range", "Men_regular_size_t", "nothing"] }));
        let wanted = json!({ "mens_clothing": true, "shirts": null, "short_sleeve": true,
            "Price_discount_range": "50_PERCENT_ off & more", "Men_regular_size_t": null });
        assert_eq!(shop_members(url, &keys).unwrap(), wanted);
    }
}

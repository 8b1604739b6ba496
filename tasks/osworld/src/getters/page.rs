//! `chrome.py`: parts of the page in front, and of pages that tell what to expect.

use std::time::Duration;

use serde_json::{Map, Value, json};
use waldo_agents::python::url::unquote;

use super::super::fault::{OsworldFault, Result};
use super::super::py;
use super::{Config, GetterContext, text};

const PAGE: Duration = Duration::from_secs(60);

/// What the scripts share: each takes what it looks for and answers with a list of texts.
const LIBRARY: &str = include_str!("page.js");

impl GetterContext<'_> {
    /// Asks the library's function `name` of the tab with each of `keys`.
    async fn lists(&mut self, tab: &str, name: &str, keys: &[&str]) -> Result<Vec<Vec<String>>> {
        let keys = json!(keys);
        let script = format!("(() => {{ {LIBRARY} return {keys}.map((key) => {name}(key)); }})()");
        let found = self.machine.evaluate(tab, &script, self.call()).await?;
        serde_json::from_value(found)
            .map_err(|e| OsworldFault::Machine(format!("the page answered strangely: {e}")))
    }

    pub(super) async fn page_parts(&mut self, config: &Config) -> Result<Value> {
        let Some(url) = self.active_url(config).await? else { return Ok(Value::Null) };
        let plain = |url: &str| unquote(url).trim_end_matches('/').to_owned();
        let tabs = self.open_tabs().await?;
        let Some(tab) = tabs.into_iter().find(|tab| plain(&tab.url) == plain(&url)) else {
            return Ok(json!({}));
        };
        let mut found = Map::new();
        let members = |name: &str| -> Vec<(String, Value)> {
            let all = config.get(name).and_then(Value::as_object).into_iter().flatten();
            all.map(|(key, value)| (key.clone(), value.clone())).collect()
        };
        let class = |name: &str| format!(".{name}");
        match text(config, "category")? {
            "class" => {
                for (name, function) in [
                    ("class_multiObject", "texts"),
                    ("class_multiObject_child", "direct"),
                    ("class_multiObject_only_child", "heads"),
                ] {
                    for (key, places) in members(name) {
                        let list = self.lists(&tab.id, function, &[&class(&key)]).await?.swap_remove(0);
                        for (place, label) in places.as_object().into_iter().flatten() {
                            let at = place.parse::<usize>().ok();
                            let value = at.and_then(|at| list.get(at)).cloned().unwrap_or_default();
                            found.insert(label.as_str().unwrap_or_default().to_owned(), json!(value));
                        }
                    }
                }
                for (key, wanted) in members("class_multiObject_search_exist") {
                    let list = self.lists(&tab.id, "texts", &[&class(&key)]).await?.swap_remove(0);
                    search(&list, &wanted, &mut found);
                }
                self.singles(&tab.id, "texts", &members("class_singleObject"), class, &mut found).await?;
            }
            "label" => {
                self.singles(&tab.id, "label", &members("labelObject"), str::to_owned, &mut found).await?;
            }
            "xpath" => {
                self.singles(&tab.id, "byXpath", &members("xpathObject"), str::to_owned, &mut found).await?;
            }
            "input" => {
                self.singles(&tab.id, "input", &members("inputObject"), str::to_owned, &mut found).await?;
            }
            "class&url" => {
                for (name, function) in [("class_multiObject", "texts"), ("class_multiObject_li", "items")] {
                    for (key, wanted) in members(name) {
                        let list = self.lists(&tab.id, function, &[&class(&key)]).await?.swap_remove(0);
                        filters(&list, &wanted, &mut found);
                    }
                }
                let here = tab.url.to_lowercase();
                let single =
                    config.get("url_include_expected").and_then(Value::as_array).into_iter().flatten();
                let single = single.filter_map(Value::as_str).map(|key| (key.to_owned(), json!(key)));
                for (key, label) in single.chain(members("url_include_expected_multichoice")) {
                    let label = label.as_str().unwrap_or_default().to_lowercase();
                    found.entry(label).or_insert_with(|| json!(here.contains(&key.to_lowercase())));
                }
            }
            other => {
                return Err(OsworldFault::Unsupported(format!("active_tab_html_parse: category {other}")));
            }
        }
        Ok(Value::Object(found))
    }

    /// The first text of each, or an empty one.
    async fn singles(
        &mut self,
        tab: &str,
        function: &str,
        members: &[(String, Value)],
        selector: impl Fn(&str) -> String,
        found: &mut Map<String, Value>,
    ) -> Result<()> {
        let selectors: Vec<String> = members.iter().map(|(key, _)| selector(key)).collect();
        let selectors: Vec<&str> = selectors.iter().map(String::as_str).collect();
        let lists = self.lists(tab, function, &selectors).await?;
        for ((_, label), list) in members.iter().zip(lists) {
            let value = list.into_iter().next().unwrap_or_default();
            found.insert(label.as_str().unwrap_or_default().to_owned(), json!(value));
        }
        Ok(())
    }

    /// `info_from_website`: texts and attributes of a page, or the task's own copy of them.
    pub(super) async fn website(&mut self, config: &Config) -> Result<Value> {
        match self.website_now(config).await {
            Ok(found) => Ok(found),
            Err(fault @ OsworldFault::Unsupported(_)) if config.get("backups").is_none_or(Value::is_null) => {
                Err(fault)
            }
            Err(fault) => match config.get("backups") {
                Some(backups) if !backups.is_null() => Ok(backups.clone()),
                _ => Err(OsworldFault::Expected(fault.to_string())),
            },
        }
    }

    async fn website_now(&mut self, config: &Config) -> Result<Value> {
        let url = text(config, "url")?;
        let mut found = Vec::new();
        for info in config.get("infos").and_then(Value::as_array).into_iter().flatten() {
            let id = self.machine.open_tab(url, self.deadline.at_most(PAGE)).await?;
            let answer = self.info(&id, info).await;
            self.machine.close_tab(&id, self.call()).await?;
            found.push(answer?);
        }
        Ok(Value::Array(found))
    }

    async fn info(&mut self, tab: &str, info: &Value) -> Result<Value> {
        let action = info.get("action").and_then(Value::as_str).unwrap_or("inner_text");
        let selectors: Vec<String> = match info.get("selector") {
            Some(Value::Array(all)) => all.iter().map(py::string).collect(),
            Some(one) => vec![py::string(one)],
            None => return Err(OsworldFault::Expected("an info has no selector".into())),
        };
        let attribute = info.get("attribute").and_then(Value::as_str).unwrap_or_default();
        let read = match action {
            "inner_text" | "click_and_inner_text" => "e.innerText".to_owned(),
            "attribute" | "click_and_attribute" => format!("e.getAttribute({})", json!(attribute)),
            other => return Err(OsworldFault::Unsupported(format!("info_from_website: {other}"))),
        };
        let Some((last, before)) = selectors.split_last() else {
            return Err(OsworldFault::Expected("an info has no selector".into()));
        };
        for (selector, what) in before.iter().map(|s| (s, "(e.click(), true)")).chain([(last, read.as_str())])
        {
            // The element may come late, as may the page behind a click.
            let script = format!(
                "(async () => {{ const until = Date.now() + 10000; for (;;) {{ \
                 const e = document.querySelector({}); if (e && document.readyState !== 'loading') return {{ value: {what} }}; \
                 if (Date.now() > until) throw new Error('no ' + {}); \
                 await new Promise((next) => requestAnimationFrame(next)); }} }})()",
                json!(selector),
                json!(selector),
            );
            let answer = self.machine.evaluate(tab, &script, self.call()).await?;
            if selector == last {
                return Ok(answer.get("value").cloned().unwrap_or_default());
            }
        }
        Ok(Value::Null)
    }
}

fn search(list: &[String], wanted: &Value, found: &mut Map<String, Value>) {
    let names: Vec<&str> = wanted.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for name in names.iter().filter(|name| **name != "is_other_exist") {
        found.insert((*name).to_owned(), json!(list.iter().any(|text| text == name)));
    }
    if names.contains(&"is_other_exist") {
        let others = list.iter().any(|text| !names.contains(&text.as_str()));
        if others {
            found.insert("is_other_exist".into(), json!(true));
        }
        found.entry("is_other_exist").or_insert(json!(false));
    }
}

/// The same whatever the case, where a text is no other when a wanted one contains it.
fn filters(list: &[String], wanted: &Value, found: &mut Map<String, Value>) {
    let names: Vec<String> =
        wanted.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_lowercase).collect();
    let list: Vec<String> = list.iter().map(|text| text.to_lowercase()).collect();
    for name in names.iter().filter(|name| list.contains(name)) {
        found.insert(name.clone(), json!(true));
    }
    if list.iter().any(|text| names.iter().all(|name| !name.contains(text.as_str()))) {
        found.insert("is_other_exist".into(), json!(true));
    }
    found.entry("is_other_exist").or_insert(json!(false));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wanted_and_others() {
        let list = ["A".to_owned(), "B".to_owned()];
        let mut found = Map::new();
        search(&list, &json!(["A", "C", "is_other_exist"]), &mut found);
        assert_eq!(Value::Object(found), json!({ "A": true, "C": false, "is_other_exist": true }));
        let mut found = Map::new();
        filters(&list, &json!(["a", "xby"]), &mut found);
        assert_eq!(Value::Object(found), json!({ "a": true, "is_other_exist": false }));
    }
}

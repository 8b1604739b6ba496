//! Whether the network saw what a task asks for.

use serde_json::{Map, Value};

use super::address::AddressRules;
use super::data::{NetworkCheck, TaskType};
use super::json_path::JsonPath;
use super::places::Places;
use super::plain::{Held, matches};
use super::schema::Comparing;
use super::trace::{NetworkEvent, NetworkTrace};
use super::typed::Kind;
use super::value::{Addresses, Node, Normalizer, Typed};
use crate::fault::{Result, WebarenaFault};

/// Whether what a check asks of the network holds, and what was found.
///
/// # Errors
/// [`WebarenaFault::Raised`] where the original reports an error, which counts as failed.
pub(super) fn holds(
    check: &NetworkCheck,
    task_type: TaskType,
    trace: &NetworkTrace,
    places: &Places,
) -> Result<(bool, String)> {
    let judge = Judge { check, places };
    let events: Vec<&NetworkEvent> = trace.events.iter().filter(|event| event.is_evidence()).collect();
    let mut found = judge.candidates(&events, task_type)?;
    if check.last_event_only {
        found = found.split_off(found.len().saturating_sub(1));
    }
    let expected = judge.expected()?;
    let actual = found.iter().map(|event| judge.actual(event)).collect::<Result<Vec<_>>>()?;
    let said = format!("{} of {} requests", found.len(), events.len());
    if check.should_not_exist {
        return Ok((actual.is_empty(), said));
    }
    let mut fault = None;
    for actual in &actual {
        match expected.is_met_by(actual, Comparing { more_names: true, ..Comparing::default() }) {
            Ok(true) => return Ok((true, said)),
            Ok(false) => {}
            Err(raised @ WebarenaFault::Raised(_)) => return Err(raised),
            Err(refused) => fault = Some(refused),
        }
    }
    fault.map_or(Ok((false, said)), Err)
}

struct Judge<'a> {
    check: &'a NetworkCheck,
    places: &'a Places,
}

impl Judge<'_> {
    fn normalizer(&self, strict: bool) -> Normalizer<'_> {
        Normalizer { places: Some(self.places), strict }
    }

    fn addresses(
        &self,
        value: &Value,
        strict: bool,
        query: Option<&[(String, Vec<String>)]>,
    ) -> Result<Addresses> {
        let rules = AddressRules {
            ignored: &self.check.ignored_query_params,
            ignored_patterns: &self.check.ignored_query_params_patterns,
            decode_base64: self.check.decode_base64_query,
            schema: self.check.query_params_schema.as_ref(),
            query,
            render: true,
        };
        Addresses::new(value, rules, self.normalizer(strict))
    }

    /// The requests that may be the one: to the place, from the place; of a task that ends on a page, the last page.
    fn candidates<'e>(
        &self,
        events: &[&'e NetworkEvent],
        task_type: TaskType,
    ) -> Result<Vec<&'e NetworkEvent>> {
        let expected = &self.check.expected;
        if task_type == TaskType::Navigate && expected.http_method == "GET" {
            let last = events.iter().rev().find(|event| event.is_navigation());
            return Ok(last.copied().into_iter().collect());
        }
        if events.is_empty() {
            return Ok(Vec::new());
        }
        let url = self.addresses(&expected.url, true, None)?;
        let referer = expected.headers.as_ref().and_then(|headers| headers.get("referer"));
        let referer = referer.map(|referer| self.addresses(referer, true, None)).transpose()?;
        let mut found = Vec::new();
        for event in events {
            if event.method.to_lowercase() != expected.http_method.to_lowercase() {
                continue;
            }
            let there = self.addresses(&event.url.as_str().into(), false, None)?;
            if !url.is_same_place(&there)? {
                continue;
            }
            if let (Some(wanted), Some(from)) =
                (&referer, event.header("referer").filter(|referer| !referer.is_empty()))
            {
                let from = self.addresses(&from.to_lowercase().into(), false, None).map_err(|fault| {
                    WebarenaFault::refused(format!("where a request came from ({fault})"))
                })?;
                if !wanted.is_same_place(&from)? {
                    continue;
                }
            }
            found.push(*event);
        }
        Ok(found)
    }

    fn header(&self, name: &str, value: &Value, strict: bool) -> Result<Node> {
        if matches!(name, "redirect_url" | "referer") && value.as_str() != Some("") {
            return match self.addresses(value, strict, None) {
                Ok(all) => Ok(Node::Typed(Typed::Address(all))),
                Err(WebarenaFault::Raised(_)) if !strict => Ok(Node::Raw(value.clone())),
                Err(fault) => Err(fault),
            };
        }
        let derendered = |value: &Value| match value.as_str().and_then(|text| self.places.derender(text)) {
            Some(text) => text.into(),
            None => value.clone(),
        };
        let value = match value {
            Value::Array(all) => all.iter().map(derendered).collect(),
            value => derendered(value),
        };
        text(&value)
    }

    fn expected(&self) -> Result<Node> {
        let expected = &self.check.expected;
        let query = expected.query_params.as_ref().map(|query| {
            let values = |value: &Value| match value {
                Value::Array(all) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                value => value.as_str().map(str::to_owned).into_iter().collect::<Vec<_>>(),
            };
            query.iter().map(|(name, value)| (name.clone(), values(value))).collect::<Vec<_>>()
        });
        let url = self.addresses(&expected.url, true, query.as_deref())?;
        let mut all = self.rest(Typed::Address(url).into(), expected.response_status, &expected.http_method);
        if let Some(headers) = &expected.headers {
            let headers =
                headers.iter().map(|(name, value)| Ok((name.clone(), self.header(name, value, true)?)));
            all.push(("headers".to_owned(), Node::Object(headers.collect::<Result<_>>()?)));
        }
        let post =
            some(&expected.post_data).map(|data| self.post_data(data.clone(), None, true)).transpose()?;
        let content = some(&expected.response_content).map(|content| Node::raw(content.clone().into()));
        let cookies = some(&expected.response_cookies).map(|cookies| {
            let cookie = |(name, value): (&String, &Value)| Ok((name.clone(), text(value)?));
            cookies.iter().map(cookie).collect::<Result<_>>().map(Node::Object)
        });
        for (name, node) in
            [("post_data", post), ("response_content", content), ("response_cookies", cookies.transpose()?)]
        {
            all.push((name.to_owned(), node.unwrap_or(Node::NONE)));
        }
        Ok(Node::Object(all))
    }

    fn rest(&self, url: Node, status: i64, method: &str) -> Vec<(String, Node)> {
        let rest = [
            ("url", url),
            ("response_status", Node::Raw(status.into())),
            ("http_method", Node::Raw(method.into())),
        ];
        rest.map(|(name, node)| (name.to_owned(), node)).into()
    }

    fn actual(&self, event: &NetworkEvent) -> Result<Node> {
        let expected = &self.check.expected;
        let value = Value::from(event.url.as_str());
        let url = match self.addresses(&value, false, None) {
            Ok(url) => Typed::Address(url).into(),
            Err(WebarenaFault::Raised(_)) => Node::Raw(value),
            Err(fault) => Node::Unknown(fault),
        };
        let mut all = self.rest(url, event.status, &event.method);
        let mut headers = Vec::new();
        for name in some(&expected.headers).into_iter().flat_map(Map::keys) {
            if let Some(value) = event.header(name) {
                headers.push((name.clone(), self.header(name, &value.into(), false)?));
            }
        }
        if !headers.is_empty() {
            all.push(("headers".to_owned(), Node::Object(headers)));
        }
        let sent = event.post_data.as_ref().and_then(super::trace::Body::members);
        let post = some(&expected.post_data).zip(sent.filter(|sent| !sent.is_empty()));
        let post = post.map(|(wanted, sent)| self.post_data(sent, Some(wanted), false)).transpose()?;
        let came = event.content.as_ref().and_then(super::trace::Body::members);
        let content = some(&expected.response_content).zip(came.filter(|came| !came.is_empty()));
        let content = content.map(|(wanted, came)| picked(&came, wanted, false)).transpose()?;
        let mut cookies = Vec::new();
        for name in some(&expected.response_cookies).into_iter().flat_map(Map::keys) {
            if let Some(value) = event.cookie(name) {
                cookies.push((name.clone(), text(&value.into())?));
            }
        }
        all.push(("post_data".to_owned(), post.unwrap_or(Node::NONE)));
        all.push((
            "response_content".to_owned(),
            content.map_or(Node::NONE, |content| Node::raw(content.into())),
        ));
        let cookies = if cookies.is_empty() { Node::NONE } else { Node::Object(cookies) };
        all.push(("response_cookies".to_owned(), cookies));
        Ok(Node::Object(all))
    }

    /// What was sent, without what is ignored: of it what `wanted` names.
    fn post_data(
        &self,
        data: Map<String, Value>,
        wanted: Option<&Map<String, Value>>,
        strict: bool,
    ) -> Result<Node> {
        let kept = |data: Map<String, Value>| {
            let mut kept = Map::new();
            for (name, value) in data {
                let patterns = &self.check.ignored_post_data_params_patterns;
                let ignored = patterns.iter().map(|pattern| matches(pattern, &name, Held::Anywhere));
                if !ignored.collect::<Result<Vec<_>>>()?.contains(&true) {
                    kept.insert(name, value);
                }
            }
            Ok::<_, WebarenaFault>(kept)
        };
        let mut data = kept(data)?;
        let wanted = wanted.map(|wanted| kept(wanted.clone())).transpose()?;
        if let Some(wanted) = wanted.filter(|wanted| !wanted.is_empty()) {
            data = picked(&data, &wanted, true)?;
        }
        if data.is_empty() {
            return Ok(Node::Object(Vec::new()));
        }
        let empty = Value::Object(Map::new());
        self.normalizer(strict).object(&data.into(), self.check.post_data_schema.as_ref().unwrap_or(&empty))
    }
}

impl From<Typed> for Node {
    fn from(typed: Typed) -> Self {
        Self::Typed(typed)
    }
}

fn text(value: &Value) -> Result<Node> {
    Normalizer { places: None, strict: false }.one(value, Some(Kind::Text))
}

/// What is there and not empty.
fn some(all: &Option<Map<String, Value>>) -> Option<&Map<String, Value>> {
    all.as_ref().filter(|all| !all.is_empty())
}

/// Of `data` what `wanted` names, by its names. What is not there is null; a plain name may also be left out.
fn picked(
    data: &Map<String, Value>,
    wanted: &Map<String, Value>,
    all_names: bool,
) -> Result<Map<String, Value>> {
    let mut picked = Map::new();
    for name in wanted.keys().map(|name| name.trim()) {
        let path = JsonPath::parse(name).map_err(WebarenaFault::refused)?;
        let found = path.find(data)?;
        if found.is_some() || all_names || !path.is_member() {
            picked.insert(name.to_owned(), found.unwrap_or(Value::Null));
        }
    }
    Ok(picked)
}

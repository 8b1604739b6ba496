//! `libreoffice.py`, `docs.py`: settings in `registrymodifications.xcu`.

use roxmltree::Node;
use serde_json::Value;

use super::super::fault::{OsworldFault, Result, Score, score};
use super::super::ooxml::package;
use super::super::py::text;
use super::MetricCall;

const OOR: &str = "http://openoffice.org/2001/registry";

/// The texts of the values of every property `name` in the items whose path fits.
pub fn settings(xml: &str, path: impl Fn(&str) -> bool, name: &str) -> Result<Vec<Option<String>>> {
    let document = package::parse("registry", xml)?;
    let of = |node: &Node, attribute: &str| node.attribute((OOR, attribute)).map(str::to_owned);
    let items =
        document.descendants().filter(|n| n.has_tag_name("item") && of(n, "path").is_some_and(|p| path(&p)));
    let props =
        items.flat_map(|item| item.descendants().filter(|n| n.has_tag_name("prop")).collect::<Vec<_>>());
    let named = props.filter(|prop| of(prop, "name").as_deref() == Some(name));
    let values =
        named.flat_map(|prop| prop.children().filter(|n| n.has_tag_name("value")).collect::<Vec<_>>());
    Ok(values.map(|value| value.text().map(str::to_owned)).collect())
}

/// `check_libre_locale`: the locale of the program, or of its formats.
pub(crate) fn check_libre_locale(call: &MetricCall) -> Score {
    let path = call.file()?;
    let xml = text::read(path)?;
    let first = |name: &str| -> Result<Option<Option<String>>> {
        Ok(settings(&xml, |path| path.ends_with("L10N"), name)?.into_iter().next())
    };
    let found = match first("ooSetupSystemLocale")? {
        Some(found) => found,
        None => first("ooLocale")?.ok_or_else(|| OsworldFault::raised("no locale is set"))?,
    };
    let mut patterns = call.rule_list("locale_set")?.iter().filter_map(Value::as_str).peekable();
    if patterns.peek().is_none() {
        return Ok(0.0);
    }
    let found = found.ok_or_else(|| OsworldFault::raised("the locale is empty"))?;
    Ok(score(patterns.any(|pattern| text::fnmatch(&found, pattern))))
}

/// `find_default_font`: the standard font of Writer.
pub(crate) fn find_default_font(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let Ok(xml) = text::read(path) else { return Ok(0.0) };
    let found = settings(&xml, |path| path == "/org.openoffice.Office.Writer/DefaultFont", "Standard");
    let found = found.unwrap_or_default().into_iter().next_back().flatten();
    Ok(score(found.as_deref() == call.rule("font_name")?.as_str()))
}

//! The JSON schema of a configuration file, for editors: what the flags say of themselves.

use clap::{Arg, Command};
use serde_json::{Map, Value, json};

use super::rows;
use super::sections::{SECTIONS, keys};
use super::values::{self, ValueForm};

/// The schema of what the flags of this command line can be set to.
pub fn schema(root: &Command) -> Value {
    let keys = keys(root);
    let mut sections = Map::new();
    for section in &SECTIONS {
        let own = keys.iter().filter(|key| key.section.name == section.name);
        let fields = own.map(|key| (key.name().to_owned(), of_flag(&key.arg, key.is_list())));
        sections.insert(section.name.to_owned(), table(section.about, fields.collect()));
    }
    let fields = rows::fields(root).into_iter().map(|arg| {
        let key = keys.iter().find(|key| key.flag() == rows::name(&arg));
        let said = key.map(|key| format!("#/properties/{}/properties/{}", key.section.name, key.name()));
        let field = said.map_or_else(|| of_flag(&arg, false), |at| json!({ "$ref": at }));
        (rows::name(&arg).to_owned(), field)
    });
    let row = table("An agent with its model, and how both are asked.", fields.collect());
    let rows = json!({
        "description": "Rows of score tables by name, for `waldo eval --contestant NAME`. Omitted fields are as the flags say.",
        "type": "object",
        "additionalProperties": row,
    });
    sections.insert(rows::SECTION.to_owned(), rows);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Config",
        "description": "waldo's configuration: the values of flags that the command line does not give.",
        "type": "object",
        "properties": sections,
        "additionalProperties": false,
    })
}

fn table(about: &str, fields: Map<String, Value>) -> Value {
    json!({ "description": about, "type": "object", "properties": fields, "additionalProperties": false })
}

fn of_flag(arg: &Arg, is_list: bool) -> Value {
    let form = values::form(arg);
    let mut one = Map::new();
    let name = match form {
        ValueForm::Switch => "boolean".into(),
        ValueForm::Whole => "integer".into(),
        ValueForm::Decimal => "number".into(),
        ValueForm::Table => "object".into(),
        ValueForm::Text => "string".into(),
        ValueForm::Command => json!(["string", "array"]),
    };
    one.insert("type".to_owned(), name);
    if form == ValueForm::Command {
        one.insert("items".to_owned(), json!({ "type": "string" }));
    }
    if form == ValueForm::Whole {
        let (least, most) = values::bounds(arg).unwrap_or((0, u64::MAX));
        one.insert("minimum".to_owned(), least.into());
        if most < u64::MAX {
            one.insert("maximum".to_owned(), most.into());
        }
    }
    let words = arg.get_possible_values();
    if form == ValueForm::Text && !words.is_empty() {
        let names: Vec<&str> = words.iter().map(|word| word.get_name()).collect();
        one.insert("enum".to_owned(), names.into());
    }
    if is_list {
        one = Map::from_iter([("type".to_owned(), "array".into()), ("items".to_owned(), one.into())]);
    }
    if let Some(help) = arg.get_help() {
        one.insert("description".to_owned(), help.to_string().into());
    }
    if let (Some(default), false) = (arg.get_default_values().first(), is_list) {
        let text = default.to_string_lossy().into_owned();
        let default = match form {
            ValueForm::Text | ValueForm::Command => Value::String(text),
            _ => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        };
        one.insert("default".to_owned(), default);
    }
    one.into()
}
